"""Random operations on worlds find no difference, and the drivers that look for one would find it."""

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from engine import MassProperties, World, flight, forces, joints

from ..lengths import sized
from ..operations.afresh import built_afresh, differs
from ..operations.interpreter import OPERATIONS, TICKS, Driver, Stop
from ..operations.machine import COMPILED, PLAIN, Peer, machine
from ..worlds import OTHER, PROPERTIES

FIXED = settings(
    stateful_step_count=25,
    deadline=None,
    database=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)


def run(environments, examples, **options):
    peers = [Peer(*environment, **options) for environment in environments]
    try:
        run_state_machine_as_test(machine(peers), settings=settings(FIXED, max_examples=examples))
    finally:
        for peer in peers:
            peer.close()


def test_a_long_lived_world_goes_on_as_one_built_afresh():
    methods = ["rk4", "semi-implicit-euler", "free-rotor-2", "midpoint"]
    run([(PLAIN,)], sized(3, 14), most=264, methods=methods, builds=True)


def test_compiled_kernels_those_that_arrive_and_plain_python_agree_after_every_operation():
    """While a kernel has not arrived, plain Python stands in for it, and for those that call it."""
    environments = [(PLAIN,), (COMPILED,), (COMPILED, True)]
    run(environments, sized(2, 12), most=3, methods=["rk4", "free-rotor-2"], builds=False)


def scripts(seed, length=40, most=3):
    """A driver and its operations, in this process."""
    generator, driver = random.Random(seed), Driver(most)
    names = [*OPERATIONS, *TICKS, "add_body", "add_force", "add_part", "add_joint"]
    for _ in range(length):
        yield driver, (generator.choice(names), generator.randrange(65536), generator.randrange(65536))


def test_most_operations_do_something():
    outcomes = {name: set() for name in OPERATIONS}
    for seed in range(40):
        for driver, (name, a, b) in scripts(seed):
            outcomes[name].add(driver.do(name, a, b))
    assert [name for name, found in outcomes.items() if not found & {"done", "not finite", "ValueError"}] == [
        "step_that_fails"
    ]
    assert "stopped" in outcomes["step_that_fails"]


def test_a_difference_from_a_world_built_afresh_is_seen():
    driver = Driver(3)
    for _ in range(2):
        driver.world.add_body(PROPERTIES, velocity=(1.0, 2.0, 3.0))
    drag = driver.world.add_force(forces.LinearDrag(0.3))
    assert differs(driver.world) == ""
    drag._table.array[2, 0] = 0.4  # behind the back of the layers, which loops read
    assert differs(driver.world) == "position, velocity"


def test_an_operation_that_is_rejected_and_changes_something_is_seen(monkeypatch):
    def half(driver, a, b):
        driver.world.add_body(OTHER)
        raise Stop

    monkeypatch.setitem(OPERATIONS, "half", half)
    with pytest.raises(AssertionError, match="half 1 2: stopped, and the hash differs"):
        Driver(3).do("half", 1, 2)


# what the drivers found


def test_removing_a_body_leaves_the_tanks_wheels_and_thrusters_of_others():
    """A tank refers to its row among driven bodies and a thruster to its tank, by numbers that are no rows of bodies."""
    world = World(1 / 64)
    bodies = [world.add_body(MassProperties.sphere(1.0, 0.5)) for _ in range(3)]
    last = bodies[2]
    wheel = world.add_part(flight.ReactionWheel(last, axis=(0, 0, 1), inertia=0.01, max_torque=1.0, max_speed=300.0))
    tank = world.add_part(flight.Tank.ball(last, position=(0, 0, 0.1), radius=0.2, propellant=1.0))
    engine = forces.Thruster(
        last, position=(0, 1, 0), direction=(1, 0, 0), max_force=3.0, tank=tank, specific_impulse=100.0
    )
    world.add_force(engine).throttle = 0.5
    assert world.remove_body(bodies[0]) == []
    assert world.remove_bodies([bodies[1]]) == []
    assert world.parts == (wheel, tank)
    assert world.forces == (engine,)
    world.step(2)
    assert tank.propellant < 1.0
    assert set(map(id, world.remove_body(last))) == {id(wheel), id(tank), id(engine)}


@pytest.mark.parametrize("go_back", ["predict", "restore"])
def test_a_tick_that_fails_after_going_back_leaves_the_state_of_joints(go_back):
    """The undo of a tick must not take a later tick, which was left by going back, for the one that failed."""
    world = World(1 / 64)
    body = world.add_body(PROPERTIES, angular_velocity_body=(0.1, 0.2, 0.3))
    world.add_joint(joints.Ball(body, at_body=(0.3, 0.1, 0.2)))
    world.step()
    if go_back == "predict":
        world.predict(3 / 64)
    else:
        snapshot = world.snapshot()
        world.step(3)
        world.restore(snapshot)
    before = world.state_hash()
    world.on_tick(lambda world: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        world.step()
    assert world.state_hash() == before


def test_a_world_built_afresh_has_the_same_bodies_and_forces():
    driver = next(driver for driver, _ in scripts(3))
    for _driver, (name, a, b) in [
        (driver, ("add_body", 1, 2)),
        (driver, ("add_force", 0, 3)),
        (driver, ("add_part", 1, 1)),
    ]:
        driver.do(name, a, b)
    fresh = built_afresh(driver.world)
    assert [body.name for body in fresh.bodies] == [body.name for body in driver.world.bodies]
    assert np.array_equal(fresh.state.velocity, driver.world.state.velocity)
    assert [type(member) for member in (*fresh.forces, *fresh.parts)] == [
        type(member) for member in (*driver.world.forces, *driver.world.parts)
    ]
