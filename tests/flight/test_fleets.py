"""The work for many craft grows with their number and never with its square; counted, not timed."""

import sys
from collections import Counter

import numpy as np
import pytest

from engine import MassProperties, World, flight, forces
from engine.compilation.compiler import plain
from engine.loops import actuators as loops
from engine.loops.actuator_layout import IS_STALE, MEAN, NEXT_JET, TANK, UNTIL
from engine.tick.actuators import parts_of

DT = 0.1
THROTTLES = (0.25, 0.5)
"""Of the two jets of a ship."""


class Counted(np.ndarray):
    """An array that counts how often its elements are read and written."""

    count = 0

    def __getitem__(self, key):
        Counted.count += 1
        return super().__getitem__(key)

    def __setitem__(self, key, value):
        Counted.count += 1
        super().__setitem__(key, value)


def fleet(count, propellant=20.0, throttles=THROTTLES):
    """Ships with a tank and two jets each, whose valves are open."""
    world = World(dt=DT)
    for place in range(count):
        ship = world.add_body(MassProperties.box(90.0, (1.0, 1.0, 1.5)), position=(10.0 * place, 0.0, 0.0))
        tank = world.add_part(flight.Tank.ball(ship, (0, 0, 0), 0.3, propellant))
        bank = forces.ThrusterBank(
            ship,
            positions=[(0.5, 0, -1), (-0.5, 0.1, -1)],
            directions=[(0, 0, 1), (0, 0.1, 1)],
            max_forces=40.0,
            specific_impulse=200.0,
            tank=tank,
        )
        world.add_force(bank).throttle = throttles
    return world


def accesses_of_drive(world):
    """How often `drive` reads and writes the tables at the start of the tick that comes next, as plain Python."""
    *tables, counts = parts_of(world._bodies)
    Counted.count = 0
    parts = loops.Parts(*(array.view(Counted) for array in tables), counts)
    plain(loops.drive)(parts, *np.zeros((2, world._bodies.pitch), np.int64), DT)
    return Counted.count


def is_linear(work):
    """Whether the work for 2, 4 and 6 of a thing grows by the same from one to the next."""
    two, four, six = (work(count) for count in (2, 4, 6))
    assert two > 0 and four > two
    return six - four == four - two


def test_new_throttles_of_driven_jets_take_the_same_work_per_ship_in_any_fleet():
    assert is_linear(lambda count: accesses_of_drive(fleet(count)))


def test_a_tank_that_runs_dry_takes_the_same_work_in_any_fleet():
    just_too_little = 0.02 * 0.75 * DT * 0.5
    assert is_linear(lambda count: accesses_of_drive(fleet(count, just_too_little)))


def test_a_dry_tank_takes_no_more_work_than_a_full_one():
    dry = fleet(4, propellant=0.0)
    assert accesses_of_drive(dry) < accesses_of_drive(fleet(4))
    dry.step(1)
    assert not dry._actuators.driven.array[IS_STALE, :4].any()  # its jets are as shut as they were


def calls_of(function):
    """How many Python functions are called inside a function, by name."""
    calls = Counter()

    def count(frame, event, _argument):
        if event == "call":
            calls[frame.f_code.co_qualname if hasattr(frame.f_code, "co_qualname") else frame.f_code.co_name] += 1

    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("what", ["add_part", "remove_part", "speed", "propellant", "rates"])
def test_a_change_of_one_ship_takes_the_same_calls_in_any_fleet(what):
    def work(count):
        world = fleet(count)
        wheels = [world.add_part(a_wheel(body)) for body in world.bodies]
        world.step(1)
        body, wheel, tank = world.bodies[1], wheels[1], world.parts[1]
        changes = {
            "add_part": lambda: world.add_part(a_wheel(body)),
            "remove_part": lambda: world.remove_part(wheel),
            "speed": lambda: setattr(wheel, "speed", 20.0),
            "propellant": lambda: setattr(tank, "propellant", 3.0),
            "rates": lambda: setattr(body, "angular_velocity_body", (0.1, 0.2, 0.3)),
        }
        return calls_of(changes[what])

    work(2)  # what is looked up once per program
    assert work(3) == work(6)


def a_wheel(body, speed=10.0):
    return flight.ReactionWheel(body, axis=(1, 2, 3), inertia=0.1, max_torque=0.5, max_speed=600.0, speed=speed)


def test_a_dry_tank_in_a_fleet_gives_the_same_bits_as_alone():
    """Each ship of a fleet whose tanks run dry one after another moves as it does alone."""
    amounts = [0.0, 0.004, 0.013, 0.05, 1.0]
    together = World(dt=DT)
    alone = []
    for place, amount in enumerate(amounts):
        for world in (together, World(dt=DT)):
            ship = world.add_body(MassProperties.box(90.0, (1.0, 1.0, 1.5)), position=(10.0 * place, 0.0, 0.0))
            tank = world.add_part(flight.Tank.ball(ship, (0, 0, 0), 0.3, amount))
            for throttle, x in zip(THROTTLES, (0.5, -0.5), strict=True):
                jet = forces.Thruster(
                    ship,
                    position=(x, 0.1, -1),
                    direction=(0, 0.1, 1),
                    max_force=40.0,
                    specific_impulse=200.0,
                    tank=tank,
                )
                world.add_force(jet).throttle = throttle
        alone.append(world)
    for world in (together, *alone):
        world.step(20)
    for place, world in enumerate(alone):
        assert (together.state.position[place] == world.state.position[0]).all()
        assert (together.state.angular_velocity_body[place] == world.state.angular_velocity_body[0]).all()
        assert together.parts[place].propellant == world.parts[0].propellant


def test_tanks_of_one_ship_keep_apart_whatever_the_order_of_their_jets():
    """Jets of two tanks in turn are linked each to its own, and the empty tank shuts its own alone."""
    world = World(dt=DT)
    ship = world.add_body(MassProperties.box(90.0, (1.0, 1.0, 1.5)))
    empty, full = (world.add_part(flight.Tank.ball(ship, (0, 0, z), 0.3, p)) for z, p in ((-0.2, 0.0), (0.2, 5.0)))
    for number in range(5):
        jet = forces.Thruster(
            ship,
            position=(0.1 * number, 0, -1),
            direction=(0, 0, 1),
            max_force=40.0,
            specific_impulse=200.0,
            tank=full if number % 2 else empty,
        )
        world.add_force(jet).throttle = 0.5
    world.step(1)
    jets, tanks = world._store.tables["thrusters"].array, world._store.tables["tanks"].array
    assert jets[NEXT_JET, :5].tolist() == [2.0, 3.0, 4.0, -1.0, -1.0]
    assert jets[TANK, :5].tolist() == [0.0, 1.0, 0.0, 1.0, 0.0]
    assert jets[MEAN, :5].tolist() == [0.0, 0.5, 0.0, 0.5, 0.0]
    assert tanks[UNTIL, :2].tolist() == [0.0, DT]
    assert full.propellant == pytest.approx(5.0 - 2 * 0.5 * 40.0 * DT / (9.80665 * 200.0), rel=1e-14)
    assert empty.propellant == 0.0


def test_each_ship_of_a_fleet_feels_its_own_pulse():
    """A pulse that begins and ends inside one call changes the held wrench of its own ship, F t / m in all."""
    world = World(dt=DT)
    for place in range(3):
        ship = world.add_body(MassProperties.box(90.0, (1.0, 1.0, 1.5)), position=(10.0 * place, 0.0, 0.0))
        jet = forces.Thruster(ship, position=(0, 0, -1), direction=(0, 0, 1), max_force=45.0)
        world.add_force(jet).fire(0.25 + 0.1 * place, delay=0.3 + 0.4 * place)
    world.step(30)
    speeds = [0.5 * (0.25 + 0.1 * place) for place in range(3)]
    assert world.state.velocity[:, 2] == pytest.approx(speeds, rel=1e-12)


def test_wheels_are_found_after_bodies_were_removed_and_put_back():
    world = World(dt=DT)
    bodies = [world.add_body(MassProperties.box(90.0, (1.0, 1.0, 1.5)), position=(10.0 * n, 0, 0)) for n in range(4)]
    wheels = [world.add_part(a_wheel(body, speed)) for body, speed in zip(bodies[2:], (10.0, 30.0), strict=True)]
    last, snapshot = bodies[3], world.snapshot()
    energy = last.kinetic_energy()
    world.remove_body(bodies[1])  # which has no wheel, so that the rows of wheels stay where they are
    assert last.kinetic_energy() == energy
    wheels[1].speed = 50.0
    assert last.stored_momentum_body == pytest.approx(0.1 * 50.0 * wheels[1].axis, rel=1e-14)
    world.restore(snapshot)
    assert last.kinetic_energy() == energy
    assert last.stored_momentum_body == pytest.approx(0.1 * 30.0 * wheels[1].axis, rel=1e-14)


def test_parts_of_the_last_ship_of_a_fleet_count_as_those_of_a_ship_alone():
    alone, together = fleet(1), fleet(4)
    for world in (alone, together):
        ship = world.bodies[-1]
        for speed in (10.0, -20.0):
            world.add_part(a_wheel(ship, speed))
        world.parts[len(world.bodies) - 1].propellant = 7.0
    ours, others = alone.bodies[0], together.bodies[3]
    assert (ours.inertia_body == others.inertia_body).all() and ours.mass == others.mass
    assert (ours.stored_momentum_body == others.stored_momentum_body).all()
    assert together.bodies[2].mass == fleet(1).bodies[0].mass


def test_stored_momentum_of_a_body_far_from_the_wheels_counts():
    """The columns with stored momentum are those around the wheels and the body at the other end."""
    world = World(dt=DT)
    bodies = [world.add_body(MassProperties.box(90.0, (1.0, 1.0, 1.5)), position=(10.0 * n, 0, 0)) for n in range(200)]
    world.add_part(a_wheel(bodies[0]))
    world.step(1)
    bodies[150].stored_momentum_body = (0.0, 0.0, 30.0)
    bodies[150].angular_velocity_body = (0.1, 0.0, 0.0)
    world.step(10)
    assert abs(bodies[150].angular_velocity_body[1]) > 0.01  # it precesses
