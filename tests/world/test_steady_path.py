"""A steady tick makes a few Python calls, and runs one loop whatever the number and order of forces."""

import inspect
import sys

import numpy as np
import pytest

from engine import MassProperties, World, flight, forces, joints, shapes
from engine.compilation.compiler import COMPILED
from engine.integrators import Substepped

from ..worlds import OTHER, PROPERTIES

SHAPE = MassProperties.box(2.0, (1.0, 2.0, 3.0))


def python_calls(function, events=("call",)):
    """Names of the Python functions that are called, the first one included; with "c_call", those that call a built-in one too."""
    names = []

    def note(frame, event, _argument):
        if event in events:
            names.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return names


def flown(every=None):
    world = World(0.01)
    ship = world.add_body(SHAPE, angular_velocity_body=(0.1, 2.0, 0.3))
    world.add_force(forces.UniformGravity((0.0, -9.81, 0.0)))
    world.add_force(forces.Thruster(ship, position=(0, 0, -1), direction=(0, 0, 1), max_force=2.0)).throttle = 0.5
    world.add_force(forces.LinearDrag(0.1))
    if every is not None:
        world.on_tick(lambda world: None, every=every)
    return world


@pytest.mark.skipif(not COMPILED, reason="without numba the loop itself consists of Python calls")
@pytest.mark.parametrize("every", [None, 100])
def test_a_steady_step_makes_at_most_four_python_calls(every):
    """`step` and what numba's dispatcher needs; measured 1."""
    world = flown(every)
    world.step(3)
    names = python_calls(world.step)
    assert names[0] == "step"
    assert len(names) <= 4
    assert world.tick_count == 4


def ship_with_parts():
    """A ship with a thruster and a wheel, a body on a joint, and what may change between two ticks without a choice of other loops."""
    world = World(0.01)
    ship, arm = world.add_bodies(SHAPE, [(0, 0, 0), (3, 0, 0)], angular_velocity_body=(0.1, 2.0, 0.3))
    world.add_force(forces.UniformGravity((0.0, -9.81, 0.0)))
    world.add_force(forces.LinearDrag(0.1))
    jet = world.add_force(forces.Thruster(ship, position=(0, 0, -1), direction=(0.6, 0, 0.8), max_force=2.0))
    push = world.add_force(forces.ConstantForce(ship, force_world=(0.1, 0.2, 0.3)))
    options = {"inertia": 0.1, "max_torque": 0.1, "max_speed": 100.0}
    wheel = world.add_part(flight.ReactionWheel(ship, axis=(0, 0.6, 0.8), **options))
    world.add_joint(joints.Ball(ship, arm, at_body=(1.5, 0, 0), at_other=(-1.5, 0, 0)))
    changes = {
        "throttle": lambda value: setattr(jet, "throttle", value),
        "torque": lambda value: setattr(wheel, "torque", 0.1 * value),
        "switch": lambda value: setattr(push, "enabled", not push.enabled),
        "velocity": lambda value: setattr(arm, "velocity", (value, 0, 0)),
        "impulse": lambda value: arm.apply_impulse((0, value, 0)),
    }
    return world, changes


@pytest.mark.skipif(not COMPILED, reason="without numba the loop itself consists of Python calls")
@pytest.mark.parametrize("name", ["throttle", "torque", "switch", "velocity", "impulse"])
def test_a_step_after_a_change_of_numbers_makes_at_most_five_python_calls(name):
    """`step`, a stage, the policy of compilation and the gathering of the held wrench; measured 4."""
    world, changes = ship_with_parts()
    world.step(3)
    changes[name](0.25)
    assert len(python_calls(world.step)) <= 5
    assert len(python_calls(world.step)) == 1


def test_ticks_after_changes_of_numbers_are_those_of_all_stages():
    """The other world goes through all stages after each change."""
    (world, changes), (other, others) = ship_with_parts(), ship_with_parts()
    random = np.random.default_rng(5)
    for _ in range(60):
        for name in random.choice(list(changes), size=random.integers(1, 3), replace=False):
            value = float(random.uniform(0.0, 1.0))
            changes[name](value)
            others[name](value)
        other._store.quiet = 0
        ticks = int(random.integers(1, 3))
        world.step(ticks)
        other.step(ticks)
        assert world.state_hash() == other.state_hash()


def switch_joint(world):
    world.joints[0].enabled = False


def change_drag(world):
    next(force for force in world.forces if isinstance(force, forces.LinearDrag)).coefficient = 5.0


def change_mass(world):
    world.bodies[0].mass_properties = MassProperties.box(9.0, (3.0, 2.0, 1.0))


@pytest.mark.parametrize("change", [switch_joint, change_drag, change_mass])
def test_what_is_changed_between_two_ticks_acts_in_the_next(change):
    (world, _changes), (other, _others) = ship_with_parts(), ship_with_parts()
    for each in (world, other):
        each.step(3)
        change(each)
    other._store.quiet = 0
    for each in (world, other):
        each.step(2)
    assert world.state_hash() == other.state_hash()


@pytest.mark.parametrize("name", ["throttle", "impulse"])
def test_a_change_of_numbers_that_is_undone_leaves_the_ticks_as_they_were(name):
    (world, changes), (other, _others) = ship_with_parts(), ship_with_parts()
    for each in (world, other):
        each.step(3)
    with pytest.raises(ZeroDivisionError), world._store.all_numbers_or_none():
        changes[name](0.75)
        raise ZeroDivisionError
    for each in (world, other):
        each.step(2)
    assert world.state_hash() == other.state_hash()


def test_a_restore_looks_at_no_body_and_no_force_by_itself():
    """As many calls, of Python functions and built-in ones, for 50 ships with a thruster each as for 2."""

    def calls(count):
        world = World(0.01)
        for ship in world.add_bodies(SHAPE, np.arange(3.0 * count).reshape(count, 3)):
            world.add_force(forces.Thruster(ship, position=(0, 0, -1), direction=(0, 0, 1), max_force=2.0))
        world.step(2)
        snapshot = world.snapshot()
        world.step()
        return len(python_calls(lambda: world.restore(snapshot), events=("call", "c_call")))

    calls(2)  # what is made once per process
    assert calls(50) == calls(2)


def test_the_stages_of_a_tick_stand_in_step_in_their_order():
    source = inspect.getsource(World.step)
    stages = ["call_callbacks", "gather_held", "move", "commit", "call_after_tick"]
    places = [source.index(f"stages.{name}(") for name in stages]
    assert places == sorted(places)


def loop_of(world):
    """The compiled loop that takes the world's next ticks."""
    world.step()
    run = world._plan.choose()
    return run.func if COMPILED else run.args[0].func


def with_forces(make, count=5):
    world = World(0.01)
    bodies = world.add_bodies([PROPERTIES, OTHER] * 3, np.arange(18.0).reshape(6, 3))[:count]
    for force in make(bodies):
        world.add_force(force)
    return world


GRAVITY = (500.0, (40.0, -30.0, 20.0))


def test_neither_number_nor_order_of_forces_selects_a_loop():
    """One of each kind in two orders; two gravities and twenty; a drag for each body and one for all; one thruster and none."""
    one = loop_of(with_forces(lambda bodies: [forces.PointGravity(*GRAVITY), forces.LinearDrag(0.1)]))
    other = loop_of(
        with_forces(
            lambda bodies: [forces.LinearDrag(0.3), forces.PointGravity(9.0, (1e3, 0, 0), j2=0.1, reference_radius=1.0)]
        )
    )
    assert one is other
    two = loop_of(with_forces(lambda bodies: [forces.PointGravity(*GRAVITY), forces.PointGravity(*GRAVITY)]))
    twenty = loop_of(with_forces(lambda bodies: [forces.PointGravity(100.0 + k, (50.0 + k, 0, 0)) for k in range(20)]))
    assert two is twenty
    shared = loop_of(with_forces(lambda bodies: [forces.LinearDrag(0.1)]))
    each = loop_of(
        with_forces(lambda bodies: [forces.LinearDrag(0.1 * k, bodies=[body]) for k, body in enumerate(bodies)])
    )
    assert shared is each
    bare = loop_of(with_forces(lambda bodies: []))
    thrust = loop_of(
        with_forces(lambda bodies: [forces.Thruster(bodies[0], position=(0, 0, 1), direction=(1, 0, 0), max_force=1.0)])
    )
    assert bare is thrust


def test_switching_a_force_off_selects_no_other_loop():
    world = with_forces(lambda bodies: [forces.PointGravity(*GRAVITY), forces.LinearDrag(0.1)])
    before = loop_of(world)
    world.forces[1].enabled = False
    assert loop_of(world) is before


def docking(method="semi-implicit-euler", speed=0.05, distance=0.1):
    """A ship that drifts towards a station, with an open latch between their ports, which are 0.5 m apart."""
    world = World(0.05, integrator=method)
    box = MassProperties.box(500.0, (2.0, 2.0, 2.0))
    ship = world.add_body(box, velocity=(speed, 0.0, 0.0), angular_velocity_body=(0.003, 0.0, 0.0))
    station = world.add_body(box, position=(2.5, 0.02, 0.0))
    port = joints.Port(position=(1, 0, 0), axis=(1, 0, 0), up=(0, 0, 1))
    other_port = joints.Port(position=(-1, 0, 0), axis=(-1, 0, 0), up=(0, 0, 1))
    capture = joints.Capture(distance=distance)
    return world, world.add_joint(joints.Latch(ship, station, port, other_port, clocking=0.0, capture=capture))


@pytest.mark.skipif(not COMPILED, reason="without numba the loop itself consists of Python calls")
def test_an_open_latch_that_is_out_of_reach_costs_no_call_of_python():
    world, latch = docking()
    world.step(3)
    assert python_calls(lambda: world.step(100))[1:] == ["step"]
    assert (latch.state, world.tick_count) == ("open", 103)


@pytest.mark.parametrize("speed", [0.05, 0.4])
@pytest.mark.parametrize("method", ["semi-implicit-euler", "rk4", Substepped("rk4", 3)])
def test_a_latch_captures_in_the_same_tick_however_ticks_are_called(method, speed):
    """Within its limits, or too fast; released, it waits until the ports have been beyond them, here in both directions."""
    told, worlds = [], []
    for watched in (True, False):
        world, latch = docking(method, speed)
        times = []
        for event in ("captured", "locked", "released"):
            world.on_joint(lambda world, joint, times=times: times.append(world.tick_count), event=event)
        if watched:  # which lets Python look in every tick
            latch.break_force = 1e9
        for ticks in (400, 1, 7, 400, 900):
            for _tick in range(ticks if watched else 1):
                world.step(1 if watched else ticks)
            if latch.state == "hard":
                latch.release(push=30.0)
        told.append(times)
        latch.break_force = None
        worlds.append(world)
    assert told[0] == told[1]
    assert (len(told[0]) > 2) == (speed < 0.1)
    assert worlds[0].state_hash() == worlds[1].state_hash()


@pytest.mark.skipif(not COMPILED, reason="without numba the loop itself consists of Python calls")
def test_a_motor_that_is_assigned_anew_looks_at_no_shape_again():
    """A crane drives its motors in every tick; pairs that a joint keeps apart are still found at once."""
    worlds = []
    for looks_anew in (False, True):
        world = World(1 / 60)
        world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
        world.add_shape(shapes.Plane((0.0, 0.0, 1.0)))
        box = MassProperties.box(2.0, (1.0, 1.0, 1.0))
        cart, load, other = world.add_bodies(box, [(0.0, 0.0, 3.0), (0.0, 0.0, 2.05), (2.5, 0.1, 0.5)])
        for body in (cart, load, other):
            body.add_shape(shapes.Box((1.0, 1.0, 1.0)))
        rail = world.add_joint(joints.Slider(cart, at_body=(0, 0, 0), axis_body=(1, 0, 0)))
        rope = world.add_joint(joints.Distance(load, cart, at_body=(0, 0, 0.5), at_other=(0, 0, 0), max_length=0.46))
        for tick in range(90):
            rail.motor = joints.Motor(target_rate=0.02 * tick, max_torque=200.0)
            if tick == 60:
                rope.collides = True
            if looks_anew:
                world._plan.joints.contacts._seen = -1
            world.step()
        assert len(python_calls(lambda world=world: world.step())) < 20
        rail.motor = joints.Motor(target_rate=0.5, max_torque=200.0)
        if not looks_anew:
            assert len(python_calls(lambda world=world: world.step())) < 250
        worlds.append(world)
    kept, anew = worlds
    anew.step(kept.tick_count - anew.tick_count)
    assert kept.state_hash() == anew.state_hash()
