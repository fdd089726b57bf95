"""Wheels, valves and tanks in the tick: against closed forms, and against an eighth-order integration of the same equations."""

import copy
import math
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from engine import MassProperties, NonFiniteStateError, World, flight, forces, integrators, rotation
from engine.compilation.compiler import COMPILED
from engine.flight.tank import TANKS
from engine.flight.wheel import WHEELS
from engine.forces.valves import THRUSTERS
from engine.integrators import Extrapolated, RungeKutta4, Substepped
from engine.loops import actuator_layout as layout
from engine.loops.layout import STORING
from engine.tick.actuators import DRIVEN

from ..lengths import sized
from ..truth import beads, driven_ship

INERTIA = np.array([[120.0, 5.0, -3.0], [5.0, 150.0, 4.0], [-3.0, 4.0, 90.0]])
CENTER = np.array([0.1, -0.05, 0.2])
SHIP = MassProperties(300.0, INERTIA, CENTER)
RATES = (0.3, 0.2, -0.4)
AXES = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1))


def unit(vector):
    return np.asarray(vector, float) / np.linalg.norm(vector)


def a_ship(dt, method="free-rotor-2", rates=RATES, **options):
    """A world with one ship, whose origin is at rest at zero."""
    world = World(dt, integrator=method, **options)
    ship = world.add_body(SHIP, origin=(0, 0, 0), velocity=np.cross(rates, CENTER), angular_velocity_body=rates)
    return world, ship


def add_wheels(world, ship, friction=0.0, torques=(0.5, -0.7, 0.3, 0.4), **options):
    wheels = []
    for place, axis in enumerate(AXES):
        given = {"inertia": 0.8 + 0.2 * place, "max_torque": 10.0, "max_speed": 1e4, "speed": 10.0 * place, **options}
        wheel = flight.ReactionWheel(ship, axis=axis, viscous_friction=friction * (place % 2), **given)
        wheels.append(world.add_part(wheel))
        wheel.torque = torques[place]
    return wheels


def true_wheels(friction):
    torques = (0.5, -0.7, 0.3, 0.4)
    return tuple(
        driven_ship.Wheel(tuple(unit(axis)), 0.8 + 0.2 * place, torques[place], friction * (place % 2), 10.0 * place)
        for place, axis in enumerate(AXES)
    )


def apart(body, orientation):
    """The small angle between a body and an orientation [rad]."""
    return 2.0 * min(np.linalg.norm(body.orientation - orientation), np.linalg.norm(body.orientation + orientation))


# the tables


@pytest.mark.parametrize(
    ("schema", "names"),
    [
        (THRUSTERS, {"throttle": "THROTTLE", "position": "POSITION_BODY", "direction": "DIRECTION", "max_force": "MAX_FORCE",
                     "specific_impulse": "SPECIFIC_IMPULSE", "tank": "TANK", "rise_time": "RISE_TIME", "fall_time": "FALL_TIME",
                     "stuck": "STUCK", "gimbal_axes": "GIMBAL_AXES", "max_angle": "MAX_ANGLE", "max_rate": "MAX_RATE",
                     "neutral_direction": "NEUTRAL", "commanded_angles": "COMMANDED_ANGLES", "angles": "ANGLES",
                     "opens_in": "OPENS_IN", "open_for": "OPEN_FOR", "level": "LEVEL", "impulse": "IMPULSE", "settled_tick": "SETTLED_TICK",
                     "propellant_used": "PROPELLANT_USED", "is_driven": "IS_DRIVEN", "mean": "MEAN", "lean": "LEAN",
                     "next_valve": "NEXT_OPENS_IN", "next_angles": "NEXT_ANGLES", "next_jet": "NEXT_JET"}),
        (WHEELS, {"driven": "WHEEL_DRIVEN", "axis": "WHEEL_AXIS", "inertia": "WHEEL_INERTIA", "max_torque": "MAX_TORQUE",
                  "max_speed": "MAX_SPEED", "viscous_friction": "FRICTION", "torque": "TORQUE", "momentum": "MOMENTUM",
                  "applied_torque": "APPLIED", "has_kicked": "WHEEL_HAS_KICKED", "gained": "GAINED"}),
        (TANKS, {"driven": "TANK_DRIVEN", "position": "TANK_POSITION", "specific_inertia": "SPECIFIC_INERTIA",
                 "capacity": "CAPACITY", "fill": "FILL", "jet_damping": "JET_DAMPING", "propellant": "PROPELLANT", "used": "USED",
                 "acting": "ACTING", "until": "UNTIL", "jets": "FIRST_JET"}),
        (DRIVEN, {"dry_mass": "DRY_MASS", "dry_center_of_mass_body": "DRY_CENTER", "dry_inertia_body": "DRY_INERTIA",
                  "kept": "KEPT", "joint": "JOINT_MASS", "is_flowing": "IS_FLOWING", "is_stale": "IS_STALE"}),
    ],
    ids=lambda value: getattr(value, "name", ""),
)  # fmt: skip
def test_the_kernels_know_where_the_fields_are(schema, names):
    for name, constant in names.items():
        assert schema.row(name) == getattr(layout, constant), name
    assert schema.row("body") == layout.BODY


# wheels


def test_a_wheel_that_spins_up_turns_the_ship_the_other_way():
    inertia, moment, torque, seconds = np.array([4.0, 5.0, 6.0]), 0.5, 0.3, 3.0
    world = World(0.01)
    ship = world.add_body(MassProperties(10.0, inertia, (0.0, 0.0, 0.0)))
    wheel = world.add_part(flight.ReactionWheel(ship, axis=(0, 0, 2), inertia=moment, max_torque=1.0, max_speed=1e3))
    wheel.torque = torque
    world.step(300)
    rate = -torque * seconds / (inertia[2] - moment)
    assert ship.angular_velocity_body[2] == pytest.approx(rate, rel=1e-12)
    assert wheel.momentum == pytest.approx(torque * seconds, rel=1e-12)
    assert wheel.speed == pytest.approx(torque * seconds / moment - rate, rel=1e-12)
    assert ship.orientation[2] == pytest.approx(math.sin(0.25 * rate * seconds), rel=1e-4)
    assert abs(ship.angular_momentum_world).max() < 1e-13


@pytest.mark.parametrize("method", ["free-rotor-2", "rk4", "midpoint"])
def test_a_free_wheel_is_braked_by_its_friction_exactly(method):
    world = World(0.05, integrator=method)
    ship = world.add_body(MassProperties(10.0, (4.0, 5.0, 6.0), (0.0, 0.0, 0.0)))
    wheel = flight.ReactionWheel(
        ship, axis=(0, 0, 1), inertia=0.5, max_torque=1, max_speed=200, speed=100, viscous_friction=0.2
    )
    world.add_part(wheel)
    world.step(100)
    assert wheel.speed == pytest.approx(100.0 * math.exp(-0.2 * (1 / 0.5 + 1 / 5.5) * 5.0), rel=1e-12)
    assert ship.angular_momentum_world[2] == pytest.approx(0.5 * 100.0, rel=1e-13)


def test_friction_of_a_wheel_that_hardly_slows_down_is_exact_to_rounding():
    """The share lost in a tick, 5e-5 here, is a series: 1 − exp(−x) would leave 1e-12 of it."""
    world = World(1e-3)
    ship = world.add_body(MassProperties.sphere(10.0, 1.0))
    wheel = flight.ReactionWheel(
        ship, axis=(0, 0, 1), inertia=0.5, max_torque=1, max_speed=200, speed=100, viscous_friction=0.02
    )
    world.add_part(wheel)
    rate = 0.02 * (1.0 / 0.5 + 1.0 / 3.5)
    world.step(1)
    lost = wheel.inertia * 100.0 - wheel.momentum
    assert lost == pytest.approx(-math.expm1(-rate * 1e-3) * 100.0 / (1.0 / 0.5 + 1.0 / 3.5), rel=1e-11, abs=0.0)


def test_a_wheel_stops_at_its_largest_speed_relative_to_the_body():
    """About one axis, nothing else changes the speed: it is reached to rounding, kept, and left again by braking."""
    world = World(0.1)
    ship = world.add_body(MassProperties(10.0, (4.0, 5.0, 6.0), (0.0, 0.0, 0.0)), angular_velocity_body=(0, 0, 2.0))
    wheel = flight.ReactionWheel(ship, axis=(0, 0, 1), inertia=0.5, max_torque=1.0, max_speed=1.23, speed=-1.23)
    world.add_part(wheel)
    wheel.torque = 1.0
    speeds = []
    for _ in range(30):
        world.step()
        speeds.append(wheel.speed)
    # a torque T changes the speed by T (1/J + 1/I) per second, I without the wheel
    gain = 0.1 * (1.0 / 0.5 + 1.0 / 5.5)
    assert speeds[:3] == pytest.approx([-1.23 + gain, -1.23 + 2.0 * gain, -1.23 + 3.0 * gain])
    # at its limit the motor aims at the limit as if the body did not turn: it is passed by J/I of the last step
    assert max(speeds) < 1.23 + 0.5 / 5.5 * 0.2
    assert speeds[-1] == pytest.approx(max(speeds[20:])) and wheel.applied_torque == 0.0
    wheel.torque = -1.0
    world.step()
    assert wheel.speed == pytest.approx(speeds[-1] - gain)


@pytest.mark.parametrize(
    ("method", "friction", "order", "error"),
    [
        ("free-rotor-2", 0.0, 2, 2e-4),
        ("free-rotor-4", 0.0, 4, 1e-9),
        ("axis-splitting-4", 0.0, 4, 1e-7),
        ("rk4", 0.0, 4, 1e-6),
        ("rk4-body-rates", 0.0, 4, 1e-6),
        ("free-rotor-2", 0.3, 2, 1e-4),
        ("free-rotor-4", 0.3, 2, 1e-4),
        ("rk4", 0.3, 2, 1e-4),
        ("midpoint", 0.3, 2, 4e-3),
    ],
)
def test_the_order_of_each_method_with_wheels(method, friction, order, error):
    seconds = 5.0
    truth = driven_ship.solve(
        driven_ship.Ship(300.0, INERTIA, CENTER, wheels=true_wheels(friction)), [seconds], rates=RATES
    )
    errors = []
    for ticks in (50, 100):
        world, ship = a_ship(seconds / ticks, method)
        wheels = add_wheels(world, ship, friction)
        world.step(ticks)
        errors.append(apart(ship, truth[2][-1]))
        assert [wheel.momentum for wheel in wheels] == pytest.approx(truth[4][-1], rel=1e-3)
        assert ship.origin == pytest.approx(truth[0][-1], abs=3.0 * error)
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.1)
    assert errors[1] < error


def test_momentum_is_kept_while_four_wheels_run_into_their_limits():
    world, ship = a_ship(0.01, "free-rotor-2")
    wheels = add_wheels(world, ship, max_speed=60.0)
    for wheel, torque in zip(wheels, (8.0, -9.0, 7.0, 8.5), strict=True):
        wheel.torque = torque
    before = ship.angular_momentum_world
    ticks = 10_000 if COMPILED else 2_000
    world.step(ticks)
    scale = np.linalg.norm(before) + sum(abs(wheel.momentum) for wheel in wheels)
    assert np.linalg.norm(ship.angular_momentum_world - before) < 1e-12 * scale
    assert all(abs(wheel.speed) > 59.0 for wheel in wheels)
    assert all(
        abs(wheel.speed) < 60.0 + 3.0 for wheel in wheels
    )  # a body that tumbles turns a free wheel past its limit
    if COMPILED:
        world.step(990_000)
        assert np.linalg.norm(ship.angular_momentum_world - before) < 1e-11 * scale


def test_a_wheel_holds_a_spin_about_the_middle_axis_that_is_unstable_without_it():
    """With H = Iω + h about the axis, small tilts oscillate where both H − I₁ω and H − I₃ω have the same sign."""

    def wandering(speed):
        world = World(0.02)
        ship = world.add_body(
            MassProperties(50.0, (8.0, 10.0, 12.0), (0, 0, 0)), angular_velocity_body=(1e-4, 1.0, 0.0)
        )
        wheel = flight.ReactionWheel(ship, axis=(0, 1, 0), inertia=0.1, max_torque=1, max_speed=100, speed=speed)
        world.add_part(wheel)
        most = 0.0
        for _ in range(60):
            world.step(50)
            most = max(most, np.hypot(*ship.angular_velocity_body[[0, 2]]))
        return most

    assert wandering(0.0) > 0.1
    assert wandering(60.0) < 3e-4


def test_the_work_of_the_motors_is_the_change_of_energy_to_the_order_of_the_method():
    errors = []
    for ticks in (50, 100):
        world, ship = a_ship(2.0 / ticks, "rk4")
        wheels = add_wheels(world, ship)
        before, work = world.kinetic_energy(), 0.0
        for _ in range(ticks):
            started = [wheel.speed for wheel in wheels]
            world.step()
            mean = [0.5 * (a + wheel.speed) for a, wheel in zip(started, wheels, strict=True)]
            work += sum(speed * wheel.applied_torque for speed, wheel in zip(mean, wheels, strict=True)) * 2.0 / ticks
        errors.append(abs(world.kinetic_energy() - before - work) / work)
    assert errors[1] < 1e-6 and errors[0] / errors[1] > 3.5


def test_the_tensor_is_that_of_the_equation_of_motion_and_locked_wheels_are_in_the_mass_properties():
    world, ship = a_ship(0.01)
    wheels = add_wheels(world, ship)
    expected = INERTIA - sum(
        wheel.inertia * np.outer(unit(axis), unit(axis)) for wheel, axis in zip(wheels, AXES, strict=True)
    )
    assert ship.inertia_body == pytest.approx(expected, rel=1e-14, abs=1e-12)
    assert ship.inverse_inertia_body @ ship.inertia_body == pytest.approx(np.eye(3), abs=1e-14)
    assert ship.mass_properties.inertia_body == pytest.approx(INERTIA, rel=1e-15)
    stored = sum(wheel.momentum * unit(axis) for wheel, axis in zip(wheels, AXES, strict=True))
    assert ship.stored_momentum_body == pytest.approx(stored, rel=1e-14)
    spin = sum(0.5 * wheel.momentum**2 / wheel.inertia for wheel in wheels)
    own = (
        0.5 * ship.angular_velocity_body @ expected @ ship.angular_velocity_body + 150.0 * ship.velocity @ ship.velocity
    )
    assert ship.kinetic_energy() == pytest.approx(own + spin, rel=1e-13)
    assert world.kinetic_energy() == pytest.approx(own + spin, rel=1e-13)


def test_impulses_keep_the_momentum_of_a_wheel_and_assigned_rates_keep_its_speed():
    world, ship = a_ship(0.01)
    wheels = add_wheels(world, ship)
    momenta, speeds = [w.momentum for w in wheels], [w.speed for w in wheels]
    ship.apply_angular_impulse((3.0, -2.0, 5.0))
    assert [w.momentum for w in wheels] == momenta
    assert all(abs(w.speed - speed) > 1e-3 for w, speed in zip(wheels, speeds, strict=True))
    speeds = [w.speed for w in wheels]
    ship.angular_velocity_body = (1.0, -2.0, 0.5)
    assert [w.speed for w in wheels] == pytest.approx(speeds, rel=1e-13)
    world.state.angular_velocity_body = [(0.1, 0.2, 0.3)]
    assert [w.speed for w in wheels] == pytest.approx(speeds, rel=1e-13)
    ship.mass_properties = MassProperties(400.0, 2.0 * INERTIA, CENTER)
    assert [w.speed for w in wheels] == pytest.approx(speeds, rel=1e-13)
    stored = sum(w.momentum * unit(axis) for w, axis in zip(wheels, AXES, strict=True))
    assert ship.stored_momentum_body == pytest.approx(stored, rel=1e-14)
    assert ship.inertia_body[0, 1] == pytest.approx(10.0 - 1.4 / 3.0, rel=1e-14)


def test_a_removed_wheel_leaves_the_tensor_and_comes_back_with_its_speed():
    world, ship = a_ship(0.01)
    wheels = add_wheels(world, ship)
    world.step(10)
    speeds = [w.speed for w in wheels]
    for wheel in wheels:
        world.remove_part(wheel)
    assert ship.inertia_body == pytest.approx(INERTIA, rel=1e-14)
    assert not ship.stored_momentum_body.any()
    for wheel in wheels:
        world.add_part(wheel)
    assert [w.speed for w in wheels] == pytest.approx(speeds, rel=1e-13)
    world.step(10)


def test_a_wheel_without_its_motor_turns_freely():
    world, ship = a_ship(0.01)
    wheels = add_wheels(world, ship)
    wheels[0].enabled = False
    momentum = wheels[0].momentum
    world.step(10)
    assert wheels[0].momentum == momentum and wheels[0].applied_torque == 0.0 and wheels[1].applied_torque == -0.7


# valves


def fly_pulses(dt, commands, rise=0.0, fall=0.0, method="free-rotor-2", seconds=4.0, force=60.0):
    """Fire one jet at times with durations, and return the ship, the jet and the impulse after each tick."""
    world, ship = a_ship(dt, method)
    jet = forces.Thruster(
        ship,
        position=(0, 0.5, 0),
        direction=(1, 0, 0),
        max_force=force,
        rise_time=rise,
        fall_time=fall,
        min_on_time=rise,
    )
    world.add_force(jet)

    @world.on_tick
    def fire(world):
        now = world.tick_count * dt
        for begin, duration in commands:
            if now - 1e-12 <= begin < now + dt - 1e-12:
                jet.fire(duration, max(0.0, begin - now))

    found = []
    for _ in range(round(seconds / dt)):
        world.step()
        found.append(jet.impulse)
    return ship, jet, found


@pytest.mark.parametrize(
    ("duration", "rise", "fall", "area"),
    [
        (0.017, 0.0, 0.0, 0.017),  # within one tick
        (0.43, 0.0, 0.0, 0.43),  # through five ticks
        (0.43, 0.03, 0.03, 0.43),
        (0.43, 0.05, 0.01, 0.43 - 0.025 + 0.005),
        (0.05, 0.05, 0.2, 0.5 * 0.05 + 0.5 * 0.2),
    ],
)
@pytest.mark.parametrize("dt", [0.1, 0.05, 1.0])
def test_a_pulse_delivers_the_area_of_its_level(duration, rise, fall, area, dt):
    ship, jet, _ = fly_pulses(dt, [(1.03, duration)], rise, fall)
    assert jet.impulse == pytest.approx(60.0 * area, rel=1e-12)
    assert ship.velocity_at(CENTER) @ ship.velocity_at(CENTER) > 0.0
    assert jet.pulse_left == 0.0


def test_a_pulse_fired_again_while_the_valve_falls_goes_on_from_its_level():
    _, jet, _ = fly_pulses(0.1, [(1.0, 0.2), (1.3, 0.25)], rise=0.2, fall=0.2, seconds=3.0)
    # up in 0.2 s; 0.1 s of falling leaves 1/2; up again in 0.1 s, then open for 0.15 s, and down in 0.2 s
    assert jet.impulse == pytest.approx(60.0 * (0.1 + 0.075 + 0.075 + 0.15 + 0.1), rel=1e-12)


def test_a_second_pulse_replaces_the_one_that_runs():
    world, ship = a_ship(0.1)
    jet = world.add_force(forces.Thruster(ship, position=(0, 0, 0), direction=(0, 0, 1), max_force=10.0))
    jet.fire(10.0)
    world.step(5)
    jet.fire(0.25)
    world.step(10)
    assert jet.impulse == pytest.approx(10.0 * (0.5 + 0.25), rel=1e-12)


def test_a_draining_ship_has_the_velocity_of_the_material_point_at_its_mass_centre():
    """Against the motion of that point over two ticks, to the second order of the tick; the mass centre itself moves at another rate."""
    world = World(1 / 60)
    ship = world.add_body(MassProperties.box(100.0, (1.0, 1.0, 2.0)), angular_velocity_body=(0.3, 0.1, 0.0))
    tank = world.add_part(flight.Tank.ball(ship, position=(0, 0, 1.5), radius=0.5, propellant=80.0))
    given = {"position": (0, 0, -1), "direction": (0, 0, 1), "max_force": 200.0, "specific_impulse": 20.0}
    world.add_force(forces.Thruster(ship, **given, tank=tank)).throttle = 1.0
    world.step(60)
    poses, centers = [], []
    for _ in range(3):
        poses.append((ship.origin, ship.orientation))
        centers.append((ship.center_of_mass_body, ship.position, ship.velocity))
        world.step()
    center, _, velocity = centers[1]
    before, after = (origin + rotation.rotate(turn, center) for origin, turn in (poses[0], poses[2]))
    assert (after - before) * 30.0 == pytest.approx(velocity, abs=1e-5)
    assert np.linalg.norm((centers[2][1] - centers[0][1]) * 30.0 - velocity) > 1e-3


def test_a_valve_is_shut_by_a_pulse_of_no_length():
    world, ship = a_ship(0.1)
    jet = world.add_force(forces.Thruster(ship, position=(0, 0, 0), direction=(0, 0, 1), max_force=10.0, fall_time=0.4))
    jet.fire(100.0)
    world.step(5)
    jet.fire(0.0)
    assert jet.pulse_left == 0.0
    world.step(10)
    assert jet.impulse == pytest.approx(10.0 * (0.5 + 0.2), rel=1e-12)


def test_the_thrust_between_ticks_is_that_of_the_valve_while_it_falls():
    world, ship = a_ship(0.1)
    jet = world.add_force(forces.Thruster(ship, position=(0, 0, 0), direction=(0, 0, 1), max_force=10.0, fall_time=0.4))
    jet.fire(0.5)
    for ticks, level in ((4, 1.0), (1, 1.0), (1, 0.75), (2, 0.25), (1, 0.0)):
        world.step(ticks)
        assert np.linalg.norm(world.wrench(ship, jet)[0]) == pytest.approx(10.0 * level, abs=1e-12)


def test_the_mean_time_of_a_pulse_is_exact_in_each_tick():
    """A ship that does not turn: the displacement after the pulse depends on its impulse and its mean time alone."""
    dt = 0.25
    world = World(dt)
    ship = world.add_body(MassProperties.sphere(2.0, 1.0))
    jet = world.add_force(forces.Thruster(ship, position=(0, 0, 0), direction=(0, 0, 1), max_force=8.0))
    jet.fire(0.6, delay=0.13)
    world.step(16)
    assert ship.position[2] == pytest.approx(8.0 / 2.0 * 0.6 * (4.0 - 0.13 - 0.3), rel=1e-13)


def test_the_mean_time_of_a_pulse_with_ramps_is_exact_in_each_tick():
    """Rise, top and fall are a ramp, a rectangle and a ramp: areas 0.05 s, 0.3 s, 0.15 s, with their centres."""
    world = World(0.25)
    ship = world.add_body(MassProperties.sphere(2.0, 1.0))
    jet = forces.Thruster(
        ship, position=(0, 0, 0), direction=(0, 0, 1), max_force=8.0, min_on_time=0.1, rise_time=0.1, fall_time=0.3
    )
    world.add_force(jet)
    jet.fire(0.4, delay=0.13)
    world.step(16)
    parts = ((0.05, 0.13 + 0.2 / 3.0), (0.3, 0.13 + 0.1 + 0.15), (0.15, 0.13 + 0.4 + 0.1))
    assert ship.position[2] == pytest.approx(4.0 * sum(area * (4.0 - mean) for area, mean in parts), rel=1e-13)


@pytest.fixture(scope="module")
def random_pulses():
    """Six jets with pulses at random times, the beginning and the duration of each pulse, and the ship at the end."""
    random = np.random.default_rng(5)
    directions = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    points = [(0, 0.5, 0), (0, 0.6, 0.1), (0, 0, 0.7), (0.1, 0, 0.5), (0.6, 0, 0), (0.5, 0.2, 0)]
    seconds, force, commands, jets = sized(6.0, 20.0) if COMPILED else 6.0, 15.0, [], []
    for direction, point in zip(directions, points, strict=True):
        begin, pulses = 0.3, []
        while begin < seconds - 0.5:
            duration = random.uniform(0.001, 0.150)
            pulses.append((begin, duration))
            begin += duration + random.uniform(0.11, 0.7)
        edges = tuple(time for a, b in pulses for time in (a, a + b))

        def level(time, pulses=pulses):
            return float(any(a <= time < a + b for a, b in pulses))

        jets.append(driven_ship.Jet(point, direction, force, level, edges))
        commands.append(pulses)
    truth = driven_ship.solve(driven_ship.Ship(300.0, INERTIA, CENTER, jets=tuple(jets)), [seconds], rates=RATES)
    return seconds, force, jets, commands, truth


@pytest.mark.parametrize(
    ("method", "most"), [("free-rotor-2", 1e-5), ("rk4", 2e-6), ("free-rotor-4", 2e-6), ("midpoint", 1e-3)]
)
def test_random_pulses_keep_the_order_of_two(method, most, random_pulses):
    seconds, force, jets, commands, truth = random_pulses
    errors = []
    for dt in (0.1, 0.05, 0.025):
        world, ship = a_ship(dt, method)
        flown = [
            world.add_force(forces.Thruster(ship, position=jet.position, direction=jet.direction, max_force=force))
            for jet in jets
        ]

        def fire(world, dt=dt, flown=flown):
            now = world.tick_count * dt
            for jet, pulses in zip(flown, commands, strict=True):
                for begin, duration in pulses:
                    if now - 1e-12 <= begin < now + dt - 1e-12:
                        jet.fire(duration, max(0.0, begin - now))

        world.on_tick(fire)
        world.step(round(seconds / dt))
        errors.append(apart(ship, truth[2][-1]))
        for jet, pulses in zip(flown, commands, strict=True):
            assert jet.impulse == pytest.approx(force * sum(duration for _, duration in pulses), rel=1e-12)
    assert errors[1] < most
    assert errors[0] / errors[2] > 2.0**3.6


def test_a_throttle_waits_for_the_end_of_a_pulse():
    world, ship = a_ship(0.1)
    bank = forces.ThrusterBank(ship, positions=np.zeros((2, 3)), directions=[(1, 0, 0), (0, 1, 0)], max_forces=5.0)
    world.add_force(bank)
    bank.fire((0.25, 0.0))
    with pytest.raises(ValueError, match="0 for a thruster while a pulse runs"):
        bank.throttle = (0.5, 0.0)
    with pytest.raises(ValueError, match="0 for a thruster while a pulse runs"):
        world.thrusters.throttle = 1.0
    bank.throttle = (0.0, 0.5)
    with pytest.raises(ValueError, match="0 while the throttle is not 0"):
        bank.fire((0.0, 1.0))
    world.step(3)
    bank.throttle = (1.0, 1.0)
    assert bank.impulse.tolist() == pytest.approx([1.25, 0.75])


def throttled_world(banked=False, gimbal=None, options=()):
    """A ship without gravity, whose jet and bank of two are throttled; forces are (1, 0, 0) per newton as long as it does not turn."""
    world, ship = a_ship(0.1, rates=(0, 0, 0), **dict(options))
    jet = {"rise_time": 0.05, "fall_time": 0.02, "min_on_time": 0.05, "gimbal": gimbal}
    if banked:
        bank = forces.ThrusterBank(
            ship, positions=[CENTER] * 2, directions=[(1, 0, 0)] * 2, max_forces=(30.0, 50.0), **jet
        )
        return world, ship, world.add_force(bank)
    return (
        world,
        ship,
        world.add_force(forces.Thruster(ship, position=CENTER, direction=(1, 0, 0), max_force=30.0, **jet)),
    )


def throttle_at_ticks(world, jet, commands, ticks):
    """Run ticks with commands by tick, and return the sums of thrust times dt, and the impulses after each tick."""
    total, totals, impulses = 0.0, [], []
    for tick in range(ticks):
        for name, value in commands.get(tick, {}).items():
            setattr(jet, name, value)
        total = total + np.asarray(jet.thrust) * world.dt
        world.step()
        totals.append(total)
        impulses.append(jet.impulse)
    return np.array(totals), np.array(impulses)


COMMANDS = {
    0: {"throttle": 0.25},
    5: {"throttle": 1.0},
    8: {"max_force": 45.0},
    11: {"enabled": False},
    14: {"enabled": True, "throttle": 0.75},
    20: {"stuck": 0.5},
    23: {"throttle": 0.125},
    27: {"stuck": None},
    30: {"throttle": 0.0},
    33: {"throttle": 1.0},
}


@pytest.mark.parametrize("gimbal", [None, flight.Gimbal((0, 1, 0), (0, 0, 1), 0.3, 0.2)], ids=["fixed", "gimballed"])
@pytest.mark.parametrize("banked", [False, True])
def test_the_impulse_of_a_throttle_is_the_integral_of_its_thrust(banked, gimbal):
    world, ship, jet = throttled_world(banked, gimbal=gimbal)
    commands = COMMANDS
    if banked:
        names = {"max_force": "max_forces"}
        commands = {
            tick: {names.get(name, name): value for name, value in each.items()} for tick, each in commands.items()
        }
        commands[16] = {"throttle": (0.3, 0.6)}
        commands[21] = {"stuck": (None, 0.25)}
    if gimbal is not None:
        commands = commands | {3: {"gimbal_command": np.zeros((2, 2)) + 0.1 if banked else (0.1, -0.1)}}
    totals, impulses = throttle_at_ticks(world, jet, commands, 40)
    assert np.abs(impulses - totals).max() < 1e-12
    if gimbal is None:
        assert np.sum(impulses[-1]) == pytest.approx(SHIP.mass * ship.velocity[0], rel=1e-12)


def test_pulses_and_throttles_of_a_jet_without_a_tank_are_each_counted_once():
    world, ship = a_ship(0.1, rates=(0, 0, 0))
    jet = world.add_force(forces.Thruster(ship, position=CENTER, direction=(1, 0, 0), max_force=30.0))
    jet.fire(0.3)
    world.step(3)
    jet.throttle = 0.5  # the valve still has the level at which a pulse would go on
    world.step(2)
    world.thrusters.throttle = 0.0
    jet.fire(0.25, 0.1)
    world.step(6)
    assert jet.impulse == pytest.approx(30.0 * (0.3 + 0.5 * 0.2 + 0.25), rel=1e-12)
    assert jet.impulse == pytest.approx(SHIP.mass * ship.velocity[0], rel=1e-12)


def test_the_impulse_of_a_throttle_is_kept_by_snapshots_copies_saves_and_removal(tmp_path):
    world, _ship, jet = throttled_world()
    jet.throttle = 0.5
    world.step(7)
    jet.throttle = 0.25
    world.step(3)
    told = 30.0 * 0.1 * (0.5 * 7 + 0.25 * 3)
    assert jet.impulse == pytest.approx(told, rel=1e-14)
    known, snapshot = world.state_hash(), world.snapshot()
    fork, told_later = copy.deepcopy(world), told + 30.0 * 0.1 * 0.25 * 4
    world.save(tmp_path / "plain.json")
    loaded = World.load(tmp_path / "plain.json")
    for each in (world, fork, loaded):
        (own,) = each.forces
        assert own.impulse == pytest.approx(told, rel=1e-14)
        each.step(4)
        assert own.impulse == pytest.approx(told_later, rel=1e-14)
    world.restore(snapshot)
    assert jet.impulse == pytest.approx(told, rel=1e-14) and world.state_hash() == known
    again = copy.copy(jet)
    world.remove_force(jet)
    world.step(5)
    assert jet.impulse == again.impulse == pytest.approx(told, rel=1e-14)
    world.add_force(again)
    assert again.impulse == pytest.approx(told, rel=1e-14)
    world.step(2)
    assert again.impulse == pytest.approx(told + 30.0 * 0.1 * 0.25 * 2, rel=1e-14)


def test_a_tick_that_fails_leaves_the_impulse_of_a_throttle():
    world, _ship, jet = throttled_world()
    jet.throttle = 0.5
    world.step(7)
    before, known = jet.impulse, world.state_hash()

    @world.on_tick
    def command(world):
        jet.throttle = 1.0
        jet.stuck = 0.2
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        world.step()
    world.remove_callback(command)
    assert jet.impulse == before and world.state_hash() == known
    world.step()
    assert jet.impulse == pytest.approx(30.0 * 0.1 * 0.5 * 8, rel=1e-14)


def test_each_of_many_jets_has_its_own_throttle_and_impulse():
    """Their numbers are found and written in blocks of some hundred jets."""
    world, ship = a_ship(0.1, rates=(0, 0, 0))
    arms, first, second = np.zeros((1300, 3)), *np.random.default_rng(1).random((2, 1300))
    bank = world.add_force(forces.ThrusterBank(ship, positions=arms, directions=[(0, 0, 1)] * 1300, max_forces=2.0))
    bank.throttle = first
    world.step(3)
    bank.throttle = second
    world.step(2)
    assert bank.throttle.tolist() == second.tolist()
    assert bank.impulse == pytest.approx(2.0 * 0.1 * (3 * first + 2 * second), rel=1e-14)


def test_throttles_of_every_second_jet_are_written_with_their_own_impulses():
    world, ship = a_ship(0.1, rates=(0, 0, 0))
    arms, first = np.zeros((4, 3)), [1.0, 0.5, 0.75, 0.25]
    bank = world.add_force(forces.ThrusterBank(ship, positions=arms, directions=[(0, 0, 1)] * 4, max_forces=2.0))
    bank.throttle = first
    world.step(3)
    bank._table.write(bank._schema.row("throttle"), slice(0, 4, 2), np.zeros(2))
    assert bank.throttle.tolist() == [0.0, 0.5, 0.0, 0.25]
    world.step(2)
    assert bank.impulse == pytest.approx(2.0 * 0.1 * np.multiply(first, [3, 5, 3, 5]), rel=1e-14)


def test_the_throttle_of_a_frozen_body_does_not_count():
    world, ship, jet = throttled_world(options={"on_non_finite": "freeze"})
    jet.throttle = 0.5
    world.step(3)
    ship.position, ship.velocity = (1.7e308, 0, 0), (1.7e308, 0, 0)
    world.step(4)
    assert [each.body for each in world.frozen] == [ship]
    stopped = world.frozen[0].tick
    assert jet.impulse == pytest.approx(30.0 * 0.1 * 0.5 * stopped, rel=1e-14)
    jet.throttle = 0.25
    world.step(4)
    ship.position, ship.velocity = (0, 0, 0), (0, 0, 0)
    assert not world.frozen
    world.step(2)
    assert jet.impulse == pytest.approx(30.0 * 0.1 * (0.5 * stopped + 0.25 * 2), rel=1e-14)


def test_a_stuck_valve_ignores_commands():
    world, ship = a_ship(0.1, rates=(0, 0, 0))
    jet = world.add_force(forces.Thruster(ship, position=CENTER, direction=(0, 0, 1), max_force=30.0))
    jet.stuck = 0.25
    world.step(10)
    assert ship.velocity[2] == pytest.approx(30.0 * 0.25 / 300.0, rel=1e-12)
    jet.throttle = 1.0
    world.step(10)
    assert ship.velocity[2] == pytest.approx(30.0 * 0.5 / 300.0, rel=1e-12)
    jet.stuck = None
    world.step(10)
    assert ship.velocity[2] == pytest.approx(30.0 * 1.5 / 300.0, rel=1e-12) and jet.stuck is None
    jet.throttle = 0.0
    jet.stuck = 0.0
    jet.fire(1.0)
    world.step(10)
    assert ship.velocity[2] == pytest.approx(30.0 * 1.5 / 300.0, rel=1e-12)


def test_a_gimbal_turns_at_its_rate_and_the_thrust_follows():
    world, ship = a_ship(0.1, rates=(0, 0, 0))
    gimbal = flight.Gimbal(axis_1=(1, 0, 0), axis_2=(0, 1, 0), max_angle=0.2, max_rate=0.5)
    jet = forces.Thruster(ship, position=CENTER, direction=(0, 0, 1), max_force=300.0, gimbal=gimbal)
    world.add_force(jet)
    jet.gimbal_command = (0.1, -0.2)
    world.step(1)
    assert jet.gimbal_angles.tolist() == pytest.approx([0.05, -0.05])
    world.step(9)
    assert jet.gimbal_angles.tolist() == pytest.approx([0.1, -0.2])
    expected = (math.sin(-0.2), -math.sin(0.1) * math.cos(0.2), math.cos(0.1) * math.cos(0.2))
    assert jet.direction == pytest.approx(expected, abs=1e-14)
    jet.throttle = 1.0
    world.step(10)
    assert ship.velocity == pytest.approx(expected, abs=1e-13)
    with pytest.raises(ValueError, match=r"gimbal_command must be within 0\.2 rad"):
        jet.gimbal_command = (0.3, 0.0)
    with pytest.raises(ValueError, match="left to the gimbal"):
        jet.direction = (1, 0, 0)


def test_the_gimbals_of_a_bank_turn_as_those_of_single_thrusters():
    mounts = [flight.Gimbal((1, 0, 0), (0, 1, 0), 0.2, 0.5), None, flight.Gimbal((0, 1, 0), (0, 0, 1), 0.1, 0.3)]
    places, directions = [(0.3, 0.1, -1.0), (0, 0.4, 0), (-1, 0, 0.2)], [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    commands = [(0.1, -0.2), (0.0, 0.0), (-0.1, 0.05)]
    alone_world, alone_ship = a_ship(0.1, rates=(0.1, 0.2, -0.1))
    bank_world, bank_ship = a_ship(0.1, rates=(0.1, 0.2, -0.1))
    bank = bank_world.add_force(
        forces.ThrusterBank(bank_ship, positions=places, directions=directions, max_forces=30.0, gimbal=mounts)
    )
    bank.gimbal_command, bank.throttle = commands, 1.0
    for place, direction, mount, command in zip(places, directions, mounts, commands, strict=True):
        jet = forces.Thruster(alone_ship, position=place, direction=direction, max_force=30.0, gimbal=mount)
        alone_world.add_force(jet).throttle = 1.0
        if mount is not None:
            jet.gimbal_command = command
    for world in (alone_world, bank_world):
        world.step(3)
    assert bank_ship.velocity.tobytes() == alone_ship.velocity.tobytes()
    assert bank_ship.orientation.tobytes() == alone_ship.orientation.tobytes()
    assert bank.gimbal_angles.tolist() == [jet.gimbal_angles.tolist() for jet in alone_world.forces]
    assert bank.gimbal_angles[0].tolist() == pytest.approx([0.1, -0.15])
    assert bank.gimbal[1] is None and bank.gimbal[2].max_rate == 0.3
    assert bank.gimbal_command.tolist() == [list(command) for command in commands]
    before = bank_world.state_hash()
    for wrong, rule in (
        ([(0.0, 0.0), (0.1, 0.0), (0.0, 0.0)], r"within \[0\.2, 0\.0, 0\.1\] rad of zero, one limit per thruster"),
        ([(0.0, 0.0)] * 2, r"shape \(3, 2\)"),
    ):
        with pytest.raises(ValueError, match=f"ThrusterBank.*gimbal_command.*{rule}"):
            bank.gimbal_command = wrong
    with pytest.raises(ValueError, match="left to the gimbals, for thrusters that have one"):
        bank.directions = directions
    assert bank_world.state_hash() == before


def test_a_bank_with_one_gimbal_for_all_or_none():
    _world, ship = a_ship(0.1)
    mount = flight.Gimbal((1, 0, 0), (0, 1, 0), 0.2, 0.5)
    given = {"positions": [(1, 0, 0), (-1, 0, 0)], "directions": [(0, 0, 1)] * 2, "max_forces": 10.0}
    assert forces.ThrusterBank(ship, **given).gimbal is None
    both = forces.ThrusterBank(ship, **given, gimbal=mount).gimbal
    assert [gimbal.max_angle for gimbal in both] == [0.2, 0.2]
    for wrong in ([mount], 3.0, [mount, "none"]):
        with pytest.raises(TypeError, match=r"ThrusterBank of body 'body 0': gimbal must be"):
            forces.ThrusterBank(ship, **given, gimbal=wrong)
    with pytest.raises(ValueError, match="only on a thruster with a gimbal"):
        forces.ThrusterBank(ship, **given).gimbal_command = [(0.0, 0.0)] * 2


# tanks


def true_tank(settled, damping):
    point, radius, length, capacity = np.array([0.2, 0.1, -0.3]), 0.3, 0.9, 60.0
    across = np.diag([1.0, 1.0, 0.0])
    disc = radius**2 / 4.0 * np.diag([1.0, 1.0, 2.0])
    up = np.array([0.0, 0.0, length])
    if settled:
        outlet = point - 0.5 * up
        return driven_ship.Tank(
            lambda p: outlet + 0.5 * p / capacity * up,
            lambda p: disc + (length * p / capacity) ** 2 / 12.0 * across,
            50.0,
            damping,
            lambda p: outlet + p / capacity * up,
            lambda p: disc,
        )
    return driven_ship.Tank(lambda p: point, lambda p: disc + length**2 / 12.0 * across, 50.0, damping)


def add_tank(world, ship, settled=False, damping=False):
    tank = flight.Tank.cylinder(
        ship, (0.2, 0.1, -0.3), 0.3, 0.9, 50.0, axis=(0, 0, 1), settled=settled, capacity=60.0, jet_damping=damping
    )
    return world.add_part(tank)


JETS = (((0.3, 0.1, -1.2), (0.0, 0.0, 1.0), 40.0), ((-0.3, 0.2, -1.0), (0.0, 0.6, 0.8), 20.0))


def add_jets(world, ship, tank):
    jets = []
    for position, direction, force in JETS:
        jet = forces.Thruster(
            ship, position=position, direction=direction, max_force=force, specific_impulse=80.0, tank=tank
        )
        jets.append(world.add_force(jet))
    return jets


@cache
def ship_with_a_tank(settled, damping, seconds):
    jets = tuple(driven_ship.Jet(p, d, f, lambda time: 1.0, (), 0, 80.0) for p, d, f in JETS)
    ship = driven_ship.Ship(300.0, INERTIA, CENTER, true_wheels(0.1)[:2], (true_tank(settled, damping),), jets)
    return driven_ship.solve(ship, [seconds], rates=RATES)


@pytest.mark.parametrize("method", ["free-rotor-2", "rk4"])
@pytest.mark.parametrize("damping", [False, True])
@pytest.mark.parametrize("settled", [False, True])
def test_a_flowing_tank_with_moving_centre_is_of_order_two(method, damping, settled):
    seconds = 10.0 if COMPILED else 4.0
    wheels = true_wheels(0.1)[:2]
    truth = ship_with_a_tank(settled, damping, seconds)
    errors = []
    for ticks in (150, 300) if COMPILED else (60, 120):
        world, ship = a_ship(seconds / ticks, method)
        tank = add_tank(world, ship, settled, damping)
        for true in wheels:
            wheel = flight.ReactionWheel(
                ship, axis=true.axis, inertia=true.inertia, max_torque=1, max_speed=100, speed=true.speed,
                viscous_friction=true.friction,
            )  # fmt: skip
            world.add_part(wheel).torque = true.torque
        ship.velocity = ship.velocity - ship.velocity_at((0, 0, 0))
        for jet in add_jets(world, ship, tank):
            jet.throttle = 1.0
        world.step(ticks)
        errors.append((apart(ship, truth[2][-1]), np.abs(ship.origin - truth[0][-1]).max()))
        assert tank.propellant == pytest.approx(truth[5][-1][0], rel=1e-12)
        properties = ship.mass_properties
        principal, axes = properties.principal()
        assert axes @ np.diag(principal) @ axes.T == pytest.approx(properties.inertia_body, rel=1e-13, abs=1e-12)
        assert ship.inertia_body @ ship.inverse_inertia_body == pytest.approx(np.eye(3), abs=1e-14)
    for coarse, fine in zip(*errors, strict=True):
        assert math.log2(coarse / fine) == pytest.approx(2.0, abs=0.1)


def test_jet_damping_is_the_reaction_of_beads_that_leave_through_a_pipe():
    rates = (0.3, -0.2, 0.4)
    true = beads.Ship(
        100.0, np.diag([40.0, 60.0, 50.0]), 30.0, np.array([0.1, 0.9, 0.3]), np.array([0.2, -0.4, -1]), 0.1, 100.0
    )
    seconds = 24 * np.linalg.norm(true.nozzle - true.source) / true.speed
    coarse, fine = (beads.rates_after(true, rates, count, seconds) for count in (8, 16))
    world = World(seconds / 50)
    ship = world.add_body(MassProperties(true.mass, true.inertia))
    tank = flight.Tank(ship, position=true.source, propellant=true.propellant, specific_inertia=0.0, jet_damping=True)
    world.add_part(tank)
    jet = forces.Thruster(
        ship, position=true.nozzle, direction=true.source - true.nozzle, max_force=true.flow * true.speed,
        specific_impulse=true.speed / 9.80665, tank=tank,
    )  # fmt: skip
    world.add_force(jet).throttle = 1.0
    ship.angular_velocity_body = rates
    world.step(50)
    # what is left, 8e-7, is the term in the square of the flow; without the torque of the pipe it would be 1.5e-4
    assert ship.angular_velocity_body == pytest.approx(2.0 * fine - coarse, rel=0.0, abs=1.5e-6)


def test_the_rocket_equation():
    world = World(1 / 60)
    ship = world.add_body(MassProperties.sphere(10.0, 0.5))
    tank = world.add_part(flight.Tank.ball(ship, (0, 0, 0), 0.3, 100.0))
    engine = forces.Thruster(
        ship, position=(0, 0, 0), direction=(0, 0, 1), max_force=500.0, specific_impulse=250.0, tank=tank
    )
    world.add_force(engine).throttle = 1.0
    seconds = 100.0 / (500.0 / (9.80665 * 250.0))
    world.step(math.ceil(seconds * 60.0) + 5)
    assert tank.propellant == 0.0
    assert ship.mass == 10.0
    assert ship.velocity[2] == pytest.approx(9.80665 * 250.0 * math.log(11.0), rel=1e-7)
    assert engine.propellant_used == pytest.approx(100.0, rel=1e-12)
    assert engine.impulse == pytest.approx(100.0 * 9.80665 * 250.0, rel=1e-12)


def test_a_tank_that_runs_dry_within_a_pulse_gives_the_impulse_of_its_propellant():
    world = World(0.5)
    ship = world.add_body(MassProperties.sphere(1000.0, 0.5))
    tank = world.add_part(flight.Tank.ball(ship, (0, 0, 0), 0.3, 0.02))
    jets = [
        world.add_force(
            forces.Thruster(
                ship, position=(0, 0, 0), direction=direction, max_force=100.0, specific_impulse=100.0, tank=tank,
                rise_time=0.1, fall_time=0.1, min_on_time=0.1,
            )
        )
        for direction in ((0, 0, 1), (0, 1, 0))
    ]  # fmt: skip
    for jet in jets:
        jet.fire(3.0, delay=0.05)
    world.step(8)
    assert tank.propellant == 0.0 and ship.mass == 1000.0
    total = 0.02 * 9.80665 * 100.0
    assert [jet.impulse for jet in jets] == pytest.approx([0.5 * total] * 2, rel=1e-12)
    assert ship.velocity[2] == pytest.approx(0.5 * total / 1000.0, rel=1e-4)
    world.step(3)
    assert [jet.impulse for jet in jets] == pytest.approx([0.5 * total] * 2, rel=1e-12)


@pytest.mark.parametrize("settled", [False, True])
def test_the_mass_properties_of_a_ship_with_a_tank_are_those_of_the_shapes_together(settled):
    world, ship = a_ship(0.1)
    tank = add_tank(world, ship, settled)
    tank.propellant = 24.0
    length = 0.9 * 24.0 / 60.0 if settled else 0.9
    center = (0.2, 0.1, -0.3 - 0.45 + 0.5 * length) if settled else (0.2, 0.1, -0.3)
    liquid = MassProperties.cylinder(24.0, 0.3, length)
    whole = MassProperties.compound([(SHIP, (0, 0, 0), (0, 0, 0, 1)), (liquid, center, (0, 0, 0, 1))])
    assert ship.mass == 324.0
    assert ship.center_of_mass_body == pytest.approx(whole.center_of_mass_body, abs=1e-15)
    assert ship.mass_properties.inertia_body == pytest.approx(whole.inertia_body, rel=1e-13, abs=1e-13)
    assert ship.dry_mass_properties is SHIP
    add_wheels(world, ship)  # locked in what is read
    assert ship.mass_properties.inertia_body == pytest.approx(whole.inertia_body, rel=1e-13, abs=1e-13)
    assert ship.origin == pytest.approx((0, 0, 0), abs=1e-15)
    assert ship.velocity_at((0, 0, 0)) == pytest.approx((0, 0, 0), abs=1e-15)


def test_the_previous_pose_moves_with_the_mass_centre_so_that_drawing_does_not_jerk():
    world, ship = a_ship(0.1, rates=(0, 0, 0))
    tank = add_tank(world, ship, settled=True)
    for jet in add_jets(world, ship, tank):
        jet.throttle = 1.0
    world.step(5)
    poses = []
    for _ in range(3):
        before = ship.origin
        world.step()
        origin, _ = ship.interpolated_pose(0.0)
        poses.append(np.abs(origin - before).max())
    assert max(poses) < 1e-14


# all together


def everything(method="free-rotor-2", dt=0.05, **options):
    world, ship = a_ship(dt, method, **options)
    world.add_force(forces.UniformGravity((0, 0, -1.0)))
    tank = add_tank(world, ship, settled=True, damping=True)
    jets = add_jets(world, ship, tank)
    add_wheels(world, ship, 0.1)
    free = forces.Thruster(
        ship, position=(0, 1, 0), direction=(1, 0, 0), max_force=20.0, rise_time=0.02, fall_time=0.03, min_on_time=0.02
    )
    world.add_force(free)
    other = world.add_body(SHIP, position=(9, 0, 0), angular_velocity_body=(1, 2, 3), name="other")
    world.add_force(forces.Spring(ship, other, at_body=(1, 0, 0), stiffness=3.0, damping=0.1, rest_length=8.0))
    jets[0].throttle = 0.7
    jets[1].fire(0.73, delay=0.11)
    free.fire(0.4, delay=0.07)
    return world


@pytest.mark.parametrize("method", ["free-rotor-2", "free-rotor-4", "rk4", "midpoint", "lie-rk4"])
def test_ticks_in_one_call_and_one_by_one_have_the_same_bits(method):
    together, single = everything(method), everything(method)
    together.step(30)
    for _ in range(30):
        single.step()
    assert together.state_hash() == single.state_hash()
    assert np.array_equal(together._bodies.array[:70, :2], single._bodies.array[:70, :2])


@pytest.mark.parametrize("method", ["free-rotor-2", "rk4", "axis-splitting-2"])
@pytest.mark.parametrize("ending", ["pulse", "tank"])
def test_mass_properties_follow_the_propellant_after_flow_has_ended_within_a_call(method, ending):
    """The tick after the last flow of a call, in which nothing flows, is the one that computes the tensors."""
    worlds = []
    for calls in ((20,), (1,) * 20, (3, 17)):
        world, ship = a_ship(0.05, method)
        tank = add_tank(world, ship)
        tank.propellant = 0.01 if ending == "tank" else 50.0
        for jet in add_jets(world, ship, tank):
            jet.fire(0.21)
        for ticks in calls:
            world.step(ticks)
        assert tank.propellant == 0.0 if ending == "tank" else 49.0 < tank.propellant < 50.0
        fresh, other = a_ship(0.05, method)
        add_tank(fresh, other).propellant = tank.propellant
        assert np.array_equal(ship.inertia_body, other.inertia_body)
        assert np.array_equal(ship.mass_properties.inertia_body, other.mass_properties.inertia_body)
        worlds.append(world)
    assert len({world.state_hash() for world in worlds}) == 1


def test_a_python_force_does_not_change_how_actuators_act():
    plain, called = everything(), everything()
    calls = []

    @called.add_force
    def nothing(wrench, bodies, time):
        calls.append(time)

    plain.step(20)
    called.step(20)
    assert calls
    assert np.array_equal(plain._bodies.array[:13, :2], called._bodies.array[:13, :2])

    class Held:
        evaluate = "tick"

        def apply(self, wrench, bodies, time):
            wrench.motor_torque_body[:] += 0.0

    held = everything()
    held.add_force(Held())
    held.step(20)
    assert np.array_equal(plain._bodies.array[:13, :2], held._bodies.array[:13, :2])


@pytest.mark.parametrize("calls_force", [False, True], ids=["one call", "stages"])
def test_a_push_acts_in_one_tick_beside_pulses_and_flow(calls_force):
    """The flow changes the held wrench, which is then gathered again in the tick, with the push."""
    impulse, dt = np.array([30.0, -20.0, 10.0]), 0.05
    worlds, masses = [], []
    for is_pushed in (False, True):
        world, ship = a_ship(dt)
        for jet in add_jets(world, ship, add_tank(world, ship)):
            jet.fire(0.6)
        if calls_force:
            world.add_force(lambda wrench, bodies, time: None)
        world.step(2)
        masses.append(ship.mass)
        if is_pushed:
            ship.apply_force(impulse / dt)
        world.step()
        masses.append(ship.mass)
        worlds.append(world)
    free, pushed = worlds
    assert masses[0] > masses[1]
    expected = impulse / (0.5 * (masses[0] + masses[1]))
    for _ in range(3):
        change = pushed.bodies[0].velocity - free.bodies[0].velocity
        assert change == pytest.approx(expected, rel=1e-12)
        free.step(2)
        pushed.step(2)


@pytest.mark.parametrize("way", ["add", "array"])
def test_a_motor_torque_that_no_wheel_takes_up_is_rejected(way):
    world, ship = a_ship(0.01)
    other = world.add_body(SHIP, position=(9, 0, 0))
    add_wheels(world, ship)
    on = [other]

    def motor(wrench, bodies, time):
        for body in on:
            if way == "add":
                wrench.add(body, motor_torque_body=(0.0, 0.0, 0.2))
            else:
                wrench.motor_torque_body[body.index, 2] += 0.2

    motor.evaluate = "tick"
    world.add_force(motor)
    world.step(3)
    assert other.stored_momentum_body[2] == pytest.approx(0.006)
    on.append(ship)
    before = world.state_hash()
    with pytest.raises(
        ValueError, match=r"force .*motor: motor_torque_body must be zero on body 'body 0', which has wheels"
    ):
        world.step()
    assert world.state_hash() == before
    on.pop()
    world.step()


def test_arrays_of_all_thrusters_keep_the_rules_of_valves_and_gimbals():
    world, ship = a_ship(0.1)
    valve = {"min_on_time": 0.05, "rise_time": 0.05, "fall_time": 0.05}
    jet = world.add_force(flight.Thruster(ship, position=(1, 0, 0), direction=(0, 1, 0), max_force=5.0, **valve))
    gimbal = flight.Gimbal((1, 0, 0), (0, 0, 1), 0.1, 0.1)
    nozzle = flight.Thruster(ship, position=(1, 0, 0), direction=(0, 1, 0), max_force=5.0, gimbal=gimbal)
    world.add_force(nozzle)
    before = world.state_hash()
    for name, values, rule in (
        (
            "rise_time",
            [0.5, 0.0],
            r"rise_time must be at most the min_on_time of \[0\.05, 0\.0\] s; got \[0\.5, 0\.0\]",
        ),
        ("min_on_time", [0.0, 0.0], r"min_on_time must be at least the rise_time of \[0\.05, 0\.0\] s"),
        (
            "direction",
            [(0, 1, 0), (1, 0, 0)],
            "direction must be left to the gimbals, for thrusters that have one",
        ),
    ):
        with pytest.raises(ValueError, match=f"World: the thrusters: {rule}"):
            setattr(world.thrusters, name, values)
        assert world.state_hash() == before
    world.thrusters.direction = [(1, 0, 0), (0, 1, 0)]
    world.thrusters.min_on_time, world.thrusters.rise_time = [0.1, 0.0], [0.08, 0.0]
    assert jet.direction.tolist() == [1.0, 0.0, 0.0] and jet.min_on_time == 0.1


def test_assigned_rates_leave_the_wheels_of_other_bodies_alone():
    """A momentum that is computed anew from the speed may differ by rounding."""
    for seed in range(40):
        random, world = np.random.default_rng(seed), World(0.01)
        body, other = world.add_bodies(SHIP, [(0, 0, 0), (5, 0, 0)], angular_velocity_body=(0.1, 0.2, 0.3))
        options = {"inertia": 0.1, "max_torque": 0.5, "max_speed": 600.0, "speed": random.uniform(-50, 50)}
        wheel = world.add_part(flight.ReactionWheel(other, axis=random.normal(size=3), **options))
        world.step(3)
        before = wheel.momentum
        body.angular_velocity_body = (0.0, 0.0, 0.3)
        assert wheel.momentum == before


def test_a_failed_tick_leaves_every_part_as_it_was():
    world = everything("rk4")
    world.step(7)
    before, rows = world.state_hash(), world._bodies.array[:70, :2].copy()
    rows[13:26] = rows[67:70] = 0.0  # the previous pose is not part of the state
    ship = world.bodies[0]

    @world.on_tick
    def explode(world):
        world.bodies[1].apply_force((1e308, 0.0, 0.0))
        world.bodies[1].apply_force_body((1.5e308, 0.0, 0.0))

    with pytest.raises(NonFiniteStateError):
        world.step()
    world.remove_callback(explode)
    assert world.state_hash() == before

    @world.add_force
    def fail(wrench, bodies, time):
        raise ArithmeticError("no")

    with pytest.raises(ArithmeticError):
        world.step()
    world.remove_force(fail)
    assert world.state_hash() == before
    after = world._bodies.array[:70, :2].copy()
    after[13:26] = after[67:70] = after[26:38] = after[64:67] = rows[26:38] = rows[64:67] = 0.0
    rows[13:26] = 0.0
    assert np.array_equal(after, rows)
    twin = everything("rk4")
    twin.step(7 + 10)
    world.step(10)
    assert world.state_hash() == twin.state_hash() and ship is world.bodies[0]


def test_a_divided_tick_that_fails_in_a_later_step_leaves_gimbals_as_they_were():
    """The position of another body overflows in the fourth of five steps."""
    world, ship = a_ship(0.5, rates=(0, 0, 0))
    world.integrator = integrators.Substepped("rk4", 5)
    world.add_body(MassProperties.box(10.0, (1, 1, 1)), position=(1.765e308, 0, 0), velocity=(1e307, 0, 0))
    gimbal = flight.Gimbal(axis_1=(1, 0, 0), axis_2=(0, 1, 0), max_angle=0.2, max_rate=0.5)
    jet = world.add_force(forces.Thruster(ship, position=CENTER, direction=(0, 0, 1), max_force=300.0, gimbal=gimbal))
    jet.gimbal_command = (0.2, -0.2)
    before = world.state_hash()
    with pytest.raises(NonFiniteStateError):
        world.step()
    assert jet.direction.tolist() == [0.0, 0.0, 1.0]
    assert world.state_hash() == before


def test_forces_that_are_added_and_removed_in_flight_act_beside_pulses():
    """A running pulse gathers the held wrench anew in compiled code, from the tables as they are now."""

    def flown(at_once):
        world, ship = a_ship(0.05, "rk4")
        jet = world.add_force(
            forces.Thruster(ship, position=(0, 1, 0), direction=(1, 0, 0), max_force=20.0, rise_time=1.0, min_on_time=1)
        )
        jet.fire(3.0)
        if not at_once:
            world.step(4)
            ship.velocity = np.cross(RATES, CENTER)
        gravity = world.add_force(forces.UniformGravity((0, 0, -1.0)))
        start = ship.velocity
        world.step(10)
        gained = ship.velocity - start
        world.remove_force(gravity)
        before = ship.velocity
        world.step(10)
        return gained, ship.velocity - before

    late, off = flown(False)
    assert late[2] == pytest.approx(-0.5, abs=0.05)
    assert abs(off[2]) < 0.05
    early, _ = flown(True)
    assert early[2] == pytest.approx(-0.5, abs=0.05)


def test_a_copy_flies_on_alike():
    world = everything()
    world.step(5)
    copied = copy.deepcopy(world)
    assert copied.state_hash() == world.state_hash()
    world.step(20)
    copied.step(20)
    assert copied.state_hash() == world.state_hash()


def test_the_bits_of_a_world_with_everything():
    """The same hash on every machine, compiled and in plain Python."""
    world = everything("rk4")
    world.step(40)
    assert world.state_hash() == GOLDEN


GOLDEN = 7832243597466368292  # changes only in a commit that says why


def test_bodies_without_parts_have_the_same_bits_beside_bodies_with_them():
    alone = World(0.05)
    body = alone.add_body(SHIP, position=(9, 0, 0), angular_velocity_body=(1, 2, 3))
    world, ship = a_ship(0.05)
    other = world.add_body(SHIP, position=(9, 0, 0), angular_velocity_body=(1, 2, 3))
    add_wheels(world, ship)
    for jet in add_jets(world, ship, add_tank(world, ship)):
        jet.fire(0.33)
    alone.step(20)
    world.step(20)
    for name in ("position", "velocity", "orientation", "angular_velocity_body"):
        assert getattr(body, name).tolist() == getattr(other, name).tolist()


def act_in(world, ways):
    """Add the forces of a way in which ticks run: fused, with a field, in passes, or with a Python force."""
    if "field" in ways:
        world.add_force(forces.LinearDrag(0.3))
    if "passes" in ways:
        world.add_force(forces.LinearDrag(0.2))
        world.add_force(forces.PointGravity(1e3, (50.0, 0.0, 0.0)))
    if "called" in ways:
        world.add_force(lambda wrench, bodies, time: None)


def place_ship(method, before, after, ways=()):
    """A ship at rest with one wheel at rest, with as many bodies in the columns before and after it."""
    world = World(0.05, integrator=method)
    others = [
        world.add_body(SHIP, position=(9 * i, 4, 0), angular_velocity_body=(1, 2, 0.1 * i)) for i in range(before)
    ]
    ship = world.add_body(SHIP)
    others += [
        world.add_body(SHIP, position=(0, 9 * i, 5), angular_velocity_body=(2, 1, 0.1 * i)) for i in range(after)
    ]
    wheel = world.add_part(flight.ReactionWheel(ship, axis=(1, 2, 2), inertia=0.8, max_torque=10.0, max_speed=1e4))
    act_in(world, ways)
    return world, ship, wheel, others


MOVING = ("position", "velocity", "orientation", "angular_velocity_body", "stored_momentum_body")
SOME_METHODS = [*integrators.ALL_INTEGRATORS, Substepped(RungeKutta4(), 2)]


@pytest.mark.parametrize("ways", ["held", "field", "field passes", "called"])
@pytest.mark.parametrize("method", SOME_METHODS, ids=lambda method: method.name)
def test_a_ship_with_a_wheel_has_the_same_bits_among_others_as_alone(method, ways):
    """Its columns alone are passed with stored momentum, and they move when bodies before it are removed."""
    alone, ship_alone, wheel_alone, _ = place_ship(method, 0, 0, ways)
    world, ship, wheel, others = place_ship(method, 16, 20, ways)
    for number, torque in enumerate((0.0, 0.7, -0.2)):
        for each, motor in ((alone, wheel_alone), (world, wheel)):
            motor.torque = torque
            each.step(3)
        for name in MOVING:
            assert getattr(ship, name).tolist() == getattr(ship_alone, name).tolist(), (name, torque)
        assert wheel.momentum == wheel_alone.momentum and (torque == 0.0 or wheel.momentum != 0.0)
        # the ship changes to a column in another block of eight, first while nothing but the wheel says that it may store momentum
        world.remove_bodies(others[number * 8 + 1 : number * 8 + 8])
    for other in (others[0], others[-1]):
        same = World(0.05, integrator=method)
        index = others.index(other)
        position, rate = ((0, 4, 0), (1, 2, 0)) if index == 0 else ((0, 9 * 19, 5), (2, 1, 0.1 * 19))
        body = same.add_body(SHIP, position=position, angular_velocity_body=rate)
        for force in (forces.LinearDrag(0.3),) if "field" in ways else ():
            same.add_force(force)
        if "passes" in ways:
            same.add_force(forces.LinearDrag(0.2))
            same.add_force(forces.PointGravity(1e3, (50.0, 0.0, 0.0)))
        same.step(9)
        for name in MOVING:
            assert getattr(other, name).tolist() == getattr(body, name).tolist(), (name, index)


def spans_of(world):
    """The starts and ends of the spans of columns in which bodies store momentum."""
    spans = world._bodies.control[STORING:]
    return spans[spans < np.iinfo(np.int64).max].tolist()


def test_only_the_columns_between_bodies_that_store_momentum_are_passed_with_it():
    world, ship, wheel, others = place_ship("rk4", 16, 20)

    def columns():
        world.step()
        return spans_of(world)

    def fails(world):
        world.remove_bodies(others[:9])
        raise LookupError

    assert columns() == [16, 24]
    world.on_tick(fails)
    with pytest.raises(LookupError):
        world.step()
    world.remove_callback(fails)
    assert columns()[1] == 24
    world.add_body(SHIP)
    assert columns() == [16, 24]
    others[30].stored_momentum_body = (0, 0, 1)
    assert columns() == [16, 32]
    others[30].stored_momentum_body = (0, 0, 0)
    assert columns() == [16, 32]  # a torque that comes and goes must not bind loops anew
    world.remove_bodies(others[:9])
    assert columns() == [0, 8]
    world.remove_part(wheel)
    ship.stored_momentum_body = (0, 0, 0)
    assert not any(columns()) and not world._bodies.stores_momentum


@pytest.mark.parametrize("ways", ["held", "field passes", "called"])
@pytest.mark.parametrize("method", ["rk4", "free-rotor-2"])
def test_wheels_anywhere_among_others_change_no_bit(method, ways, monkeypatch):
    """At most 32 spans, between the longest gaps, against a world that passes all columns between the wheels in one."""
    far = range(120, 1300, 40)

    def fly():
        world, random = World(0.05, integrator=method), np.random.default_rng(3)
        motion = {"velocity": random.normal(size=(1300, 3)), "angular_velocity_body": random.normal(size=(1300, 3))}
        bodies = world.add_bodies(SHIP, 100.0 * random.normal(size=(1300, 3)), **motion)
        for column in (0, 1, 20, 44, 68, 92, *far):
            wheel = flight.ReactionWheel(bodies[column], axis=(1, 2, 2), inertia=0.8, max_torque=10.0, max_speed=1e4)
            world.add_part(wheel).torque = 0.1 + 0.005 * column
        act_in(world, ways)
        world.step(5)
        return world

    world = fly()
    monkeypatch.setattr("engine.store.bodies._SHORTEST_STEP", 1000)
    whole = fly()
    assert spans_of(world) == [0, 24, 40, 96, *(edge for column in far for edge in (column, column + 8))]
    assert spans_of(whole) == [0, far[-1] + 8]
    for name in MOVING:
        assert world._bodies.read(name).tolist() == whole._bodies.read(name).tolist(), name


def test_stored_momentum_that_was_taken_away_does_not_come_back_with_a_failed_tick():
    """The loops leave the momentum of the tick before alone outside the columns that store any, and put it back with a failed tick."""
    world, _, _, others = place_ship("rk4", 16, 20)
    others[3].stored_momentum_body = (0, 0, 1)
    world.step(2)
    others[3].stored_momentum_body = (0, 0, 0)
    world.add_body(SHIP)
    world.step()
    assert spans_of(world) == [16, 24]
    others[20].velocity = (1.7e308, 0, 0)
    with pytest.raises(NonFiniteStateError):
        world.step(200)
    assert others[3].stored_momentum_body.tolist() == [0, 0, 0]


@pytest.mark.parametrize("called", [False, True])
def test_each_step_of_a_divided_tick_is_a_tick_to_the_actuators(called):
    divided, fine = everything(Substepped(RungeKutta4(), 4), 0.2), everything(RungeKutta4(), 0.05)
    for world in (divided, fine) if called else ():
        world.add_force(lambda wrench, bodies, time: None)
    divided.step(5)
    fine.step(20)
    assert divided._bodies.array[:13, :2] == pytest.approx(fine._bodies.array[:13, :2], rel=1e-13, abs=1e-13)
    assert [w.momentum for w in divided.parts[1:]] == pytest.approx([w.momentum for w in fine.parts[1:]], rel=1e-13)


def test_game_mode_drops_the_gyroscopic_term_of_the_wheels_too():
    world, ship = a_ship(0.01, game_mode=True)
    wheels = add_wheels(world, ship, torques=(0.0, 0.0, 0.0, 0.0))
    world.step(100)
    assert ship.angular_velocity_body == pytest.approx(RATES, rel=1e-13)
    wheels[0].torque = 1.0
    world.step(100)
    assert ship.angular_velocity_body == pytest.approx(RATES - ship.inverse_inertia_body[:, 0], rel=1e-12)


@pytest.mark.skipif(not COMPILED, reason="8192 bodies")
def test_parts_beside_threads():
    worlds = []
    for threads in (1, 2):
        world, ship = a_ship(0.05, threads=threads)
        add_wheels(world, ship)
        world.add_bodies(SHIP, np.zeros((8200, 3)), angular_velocity_body=(1, 2, 3))
        world.step(5)
        worlds.append(world.state_hash())
    assert worlds[0] == worlds[1]


# invalid arguments


WHEEL = {"axis": (1, 0, 0), "inertia": 1.0, "max_torque": 1.0, "max_speed": 10.0}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"axis": (0, 0, 0)}, "axis must be"),
        ({"inertia": 0.0}, "inertia must be .*above 0"),
        ({"inertia": math.nan}, "inertia"),
        ({"max_torque": -1.0}, "max_torque must be .*above 0"),
        ({"max_speed": 0.0}, "max_speed must be .*above 0"),
        ({"speed": 11.0}, "speed must be at most max_speed, 10 rad/s"),
        ({"viscous_friction": -0.1}, "viscous_friction must be"),
    ],
)
def test_wheels_that_cannot_be(wrong, words):
    world, ship = a_ship(0.1)
    with pytest.raises(ValueError, match=f"ReactionWheel of body 'body 0'.*{words}"):
        flight.ReactionWheel(ship, **{**WHEEL, **wrong})
    assert world.parts == ()


def test_what_wheels_refuse():
    world, ship = a_ship(0.1)
    before = world.state_hash()
    with pytest.raises(ValueError, match="positive definite"):
        world.add_part(flight.ReactionWheel(ship, **{**WHEEL, "inertia": 130.0}))
    assert world.state_hash() == before and world.parts == ()
    ship.stored_momentum_body = (1.0, 0.0, 0.0)
    with pytest.raises(ValueError, match="without stored_momentum_body"):
        world.add_part(flight.ReactionWheel(ship, **WHEEL))
    ship.stored_momentum_body = (0.0, 0.0, 0.0)
    wheel = world.add_part(flight.ReactionWheel(ship, **{**WHEEL, "inertia": 60.0}))
    wrong = (1.5, "at most max_torque, 1 N·m"), (-1.5, "at most max_torque"), (math.nan, "torque"), ("fast", "torque")
    for value, words in wrong:
        with pytest.raises((ValueError, TypeError), match=words):
            wheel.torque = value
    with pytest.raises(ValueError, match="left to the wheels"):
        ship.stored_momentum_body = (1.0, 0.0, 0.0)
    with pytest.raises(ValueError, match="left to the wheels"):
        world.state.stored_momentum_body = [(1.0, 0.0, 0.0)]
    before = world.state_hash()
    with pytest.raises(ValueError, match="mass_properties must be one that leaves a positive definite tensor"):
        ship.mass_properties = MassProperties(300.0, (50.0, 60.0, 70.0), CENTER)
    assert world.state_hash() == before and ship.mass_properties is SHIP
    with pytest.raises(AttributeError, match="axis cannot be changed"):
        wheel.axis = (0, 1, 0)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, 1), (1, 0, 1), (3, -2, 1)])
def test_a_wheel_may_have_nearly_all_of_the_inertia_about_its_axis_and_no_more(axis):
    """I − J g gᵀ is positive definite for J below 1/(g·I⁻¹g)."""
    g = unit(axis)
    largest = 1.0 / (g @ np.linalg.solve(INERTIA, g))
    for share, fits in ((1.0 + 1e-9, False), (1.0 - 1e-9, True)):
        world, ship = a_ship(0.1)
        wheel = flight.ReactionWheel(ship, **{**WHEEL, "axis": axis, "inertia": share * largest})
        if fits:
            world.add_part(wheel)
            assert np.linalg.eigvalsh(ship.inertia_body)[0] > 0.0
        else:
            with pytest.raises(ValueError, match="positive definite"):
                world.add_part(wheel)


class Wind:
    """Constant forces and torques, and a motor torque, that are asked for once per tick."""

    evaluate = "tick"

    def __init__(self):
        self.times = []

    def apply(self, wrench, bodies, time):
        self.times.append(time)
        wrench.force_world[:] += (0.3, -0.2, 0.1)
        wrench.torque_body[:] += (0.01, 0.02, -0.03)
        wrench.motor_torque_body[1] += (0.02, 0.0, 0.01)


@pytest.mark.parametrize("also_at_stages", [False, True])
def test_a_force_of_the_whole_tick_acts_in_every_step_of_it(also_at_stages):
    """Where it is constant, a divided tick has the bits of ticks as short as its steps."""
    divided, fine = everything(Substepped(RungeKutta4(), 4), 0.25), everything(RungeKutta4(), 0.0625)
    winds = divided.add_force(Wind()), fine.add_force(Wind())
    if also_at_stages:
        for world in (divided, fine):

            @world.add_force
            def pull(wrench, bodies, time):
                wrench.force_world[:] -= 0.25 * bodies.position

    divided.step(12)
    fine.step(48)
    assert winds[0].times == winds[1].times[::4]
    assert np.array_equal(divided._bodies.array[:13, :2], fine._bodies.array[:13, :2])
    assert np.array_equal(divided._actuators._wheels.array, fine._actuators._wheels.array)
    for world, wind, ticks in ((divided, winds[0], 3), (fine, winds[1], 12)):
        world.remove_force(wind)
        world.step(ticks)
    assert np.array_equal(divided._bodies.array[:13, :2], fine._bodies.array[:13, :2])


@pytest.mark.parametrize("method", [Extrapolated(RungeKutta4()), Substepped(RungeKutta4(), tolerance=1e-6)])
def test_methods_that_try_ticks_refuse_actuators_by_name(method):
    world, ship = a_ship(0.1, method)
    with pytest.raises(ValueError, match=f"{method.name.split(' ')[0]}.*Extrapolated and Substepped.*do not support"):
        world.add_part(flight.ReactionWheel(ship, **WHEEL))
    jet = world.add_force(forces.Thruster(ship, position=(0, 0, 0), direction=(0, 0, 1), max_force=1.0))
    with pytest.raises(ValueError, match=r"Extrapolated and Substepped.*do not support"):
        jet.fire(1.0)
    jet.throttle = 1.0
    world.step()
    world.integrator = "rk4"
    world.add_part(flight.ReactionWheel(ship, **WHEEL))
    with pytest.raises(ValueError, match=r"Extrapolated and Substepped.*do not support"):
        world.integrator = method
    assert world.integrator.name == "rk4"


JET = {"position": (0, 0, 0), "direction": (0, 0, 1), "max_force": 1.0}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"specific_impulse": 100.0}, "given together"),
        ({"tank": "here", "specific_impulse": 100.0}, "one Tank, or None"),
        ({"rise_time": 0.1}, r"min_on_time must be at least the rise_time"),
        ({"rise_time": -0.1}, "rise_time must be"),
        ({"fall_time": math.inf}, "fall_time"),
        ({"gimbal": 3.0}, "a Gimbal, or None"),
        ({"gimbal": flight.Gimbal((1, 0, 0), (2, 0, 0), 0.1, 1.0)}, "not parallel to axis_1"),
        ({"gimbal": flight.Gimbal((1, 0, 0), (0, 1, 0), 0.0, 1.0)}, r"gimbal\.max_angle"),
    ],
)
def test_thrusters_that_cannot_be(wrong, words):
    _, ship = a_ship(0.1)
    with pytest.raises((ValueError, TypeError), match=f"Thruster of body 'body 0'.*{words}"):
        forces.Thruster(ship, **{**JET, **wrong})


def test_pulses_that_cannot_be():
    world, ship = a_ship(0.1)
    jet = world.add_force(forces.Thruster(ship, **JET, min_on_time=0.05))
    before = world.state_hash()
    for arguments, words in (
        ((-1.0,), "duration must be at least 0"),
        ((0.04,), "at least the min_on_time"),
        ((math.nan,), "duration"),
        ((1.0, -0.1), "delay must be at least 0"),
        ((1.0, math.inf), "delay"),
    ):
        with pytest.raises(ValueError, match=words):
            jet.fire(*arguments)
    for value in (1.5, -0.1, math.nan):
        with pytest.raises(ValueError, match="stuck must be"):
            jet.stuck = value
    with pytest.raises(ValueError, match="only on a thruster with a gimbal"):
        jet.gimbal_command = (0.0, 0.0)
    assert world.state_hash() == before


TANK = {"position": (0, 0, 0), "propellant": 10.0, "specific_inertia": 0.1}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"propellant": -1.0}, "propellant must be"),
        ({"propellant": 21.0, "capacity": 20.0}, "at most the capacity, 20 kg"),
        ({"capacity": 0.0}, "capacity must be"),
        ({"specific_inertia": -1.0}, "specific_inertia"),
        ({"specific_inertia": [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}, "a symmetric tensor"),
        ({"specific_inertia": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]}, "no negative moment"),
        ({"jet_damping": 1}, "True or False"),
    ],
)
def test_tanks_that_cannot_be(wrong, words):
    _, ship = a_ship(0.1)
    with pytest.raises((ValueError, TypeError), match=f"Tank of body 'body 0'.*{words}"):
        flight.Tank(ship, **{**TANK, **wrong})


def test_what_tanks_refuse():
    world, ship = a_ship(0.1)
    other = world.add_body(SHIP)
    tank = flight.Tank(ship, **TANK, capacity=20.0)
    with pytest.raises(ValueError, match="a tank of the body that is pushed"):
        forces.Thruster(other, **JET, tank=tank, specific_impulse=100.0)
    jet = forces.Thruster(ship, **JET, tank=tank, specific_impulse=100.0)
    with pytest.raises(ValueError, match="whose tank is in this world"):
        world.add_force(jet)
    world.add_part(tank)
    world.add_force(jet)
    before = world.state_hash()
    for value in (-0.1, 20.1, math.nan):
        with pytest.raises(ValueError, match="propellant must be"):
            tank.propellant = value
    with pytest.raises(ValueError, match="changed through dry_mass_properties"):
        ship.mass_properties = SHIP
    with pytest.raises(ValueError, match="feeds no thruster"):
        world.remove_part(tank)
    with pytest.raises(ValueError, match="given for settled propellant"):
        flight.Tank.cylinder(ship, (0, 0, 0), 0.1, 0.2, 1.0, axis=(0, 0, 1), settled=True)
    assert world.state_hash() == before
    ship.dry_mass_properties = MassProperties(200.0, INERTIA, (0, 0, 0))
    assert ship.mass == 210.0
    assert world.remove_body(ship) == [tank, jet]
    world.step()


def test_draining_never_makes_a_tensor_without_inverse():
    """The wheels need the inertia that the propellant gives: the tick in which it is gone is refused."""
    world, ship = a_ship(0.1)
    wheel = flight.ReactionWheel(ship, axis=(1, 0, 0), inertia=130.0, max_torque=1.0, max_speed=10.0)
    tank = world.add_part(flight.Tank(ship, position=(0, 2.0, 0), propellant=30.0, specific_inertia=0.1))
    world.add_part(wheel)
    with pytest.raises(ValueError, match="positive definite"):
        tank.propellant = 0.0
    assert tank.propellant == 30.0 and ship.mass == 330.0
    jet = forces.Thruster(
        ship, position=(0, 0, -1), direction=(0, 0, 1), max_force=3000.0, specific_impulse=100.0, tank=tank
    )
    world.add_force(jet).throttle = 1.0
    with pytest.raises(ValueError, match="positive definite"):
        world.step(200)
    assert 0.0 < tank.propellant < 30.0
    jet.throttle = 0.0
    world.step(5)


@pytest.mark.parametrize("flow", [0.9, 1.0, 1.1, 1.3])
def test_a_tick_that_would_drain_too_much_changes_nothing_however_the_ticks_are_called(flow):
    """The inertia runs out at the end of a tick or in its middle; a second ship, whose tank is full, has lost nothing either."""

    def two_ships():
        world = World(0.5)
        for place in range(2):
            ship = world.add_body(MassProperties.box(10.0, (1.0, 1.0, 1.0)), position=(10.0 * place, 0.0, 0.0))
            tank = world.add_part(flight.Tank.ball(ship, (0.0, 0.0, 0.0), 1.0, 48.0 + 9.0 * place))
            wheel = flight.ReactionWheel(ship, axis=(0, 0, 1), inertia=20.0, max_torque=1.0, max_speed=10.0)
            world.add_part(wheel)
            jet = forces.Thruster(
                ship,
                position=(0, 0, -1),
                direction=(0, 0, 1),
                max_force=98.0665 * flow,
                specific_impulse=10.0,
                tank=tank,
            )
            world.add_force(jet).throttle = 1.0
        return world

    def run(ticks_per_call):
        world = two_ships()
        with pytest.raises(ValueError, match="as it was before that tick"):
            for _ in range(20 // ticks_per_call):
                world.step(ticks_per_call)
        return world

    substepped = two_ships()
    substepped.integrator = integrators.Substepped("free-rotor-2", 2)
    before = [substepped.state_hash()]
    with pytest.raises(ValueError, match="as it was before that tick"):
        for _ in range(20):
            before.append(substepped.state_hash())
            substepped.step()
    assert substepped.state_hash() == before[-1]

    worlds = [run(ticks_per_call) for ticks_per_call in (1, 4, 20)]
    taken = worlds[0].tick_count
    unbroken = two_ships()
    unbroken.step(taken)
    for world in worlds:
        for _ in range(3):
            with pytest.raises(ValueError, match="as it was before that tick"):
                world.step()
        assert (world.tick_count, world.state_hash()) == (taken, unbroken.state_hash())
        for body, other in zip(world.bodies, unbroken.bodies, strict=True):
            assert np.array_equal(body.inertia_body, other.inertia_body)
            assert np.array_equal(body.inverse_inertia_body, other.inverse_inertia_body)


def test_all_methods_fly_with_everything():
    for name in integrators.by_name:
        world = everything(name)
        world.step(3)
        assert all(np.isfinite(world.state.position).ravel())


def test_the_largest_torque_of_a_wheel_is_not_set_below_the_torque_that_is_commanded():
    world, ship = a_ship(0.1)
    wheel = add_wheels(world, ship)[1]
    before = world.state_hash()
    with pytest.raises(
        ValueError, match=r"ReactionWheel.* max_torque must be at least the commanded torque, 0.7 N·m; got \[0.5\]"
    ):
        wheel.max_torque = 0.5
    assert world.state_hash() == before
    wheel.torque = -0.4
    wheel.max_torque = 0.5
    world.step(2)
    assert wheel.applied_torque == -0.4


def test_a_thruster_whose_tank_is_dry_has_no_thrust():
    world, ship = a_ship(0.05)
    tank = world.add_part(flight.Tank.ball(ship, position=(0, 0, 0), radius=0.3, propellant=0.1))
    feed = {"specific_impulse": 200.0, "tank": tank}
    single = world.add_force(forces.Thruster(ship, position=(0, 0, -1), direction=(0, 0, 1), max_force=50.0, **feed))
    bank = world.add_force(
        forces.ThrusterBank(ship, positions=[(0, 0, -1)] * 2, directions=[(0, 0, 1)] * 2, max_forces=50.0, **feed)
    )
    single.throttle, bank.throttle = 1.0, 0.5
    assert (single.thrust, bank.thrust.tolist()) == (50.0, [25.0, 25.0])
    assert np.linalg.norm(world.wrench(ship)[0]) == pytest.approx(100.0)
    world.step(60)
    assert tank.propellant == 0.0
    assert (single.thrust, single.mean_thrust(1.0), bank.thrust.tolist(), bank.mean_thrust(1.0).tolist()) == (
        0.0,
        0.0,
        [0.0, 0.0],
        [0.0, 0.0],
    )
    velocity = ship.velocity_at(ship.position).copy()
    assert world.wrench(ship)[0].tolist() == [0.0, 0.0, 0.0]
    tank.propellant = 0.1
    assert single.thrust == 50.0 and velocity.any()


@pytest.mark.parametrize(("dt", "every"), [(0.01, 3), (0.03, 1), (0.015, 2), (0.0075, 4)])
def test_a_pulse_that_ends_with_a_tick_hands_its_level_on_however_the_tick_is_rounded(dt, every):
    """A valve that shuts at once stays open from pulse to pulse, so that only its first rise is missing."""
    world, ship = a_ship(dt, rates=(0, 0, 0))
    valve = {"rise_time": 0.012, "fall_time": 0.0, "min_on_time": 0.012}
    jet = world.add_force(
        forces.Thruster(ship, position=(1, 0, 0), direction=(0, 1, 0), max_force=1.0, **valve),
    )
    for _ in range(10):
        jet.fire(0.03)
        world.step(every)
        assert jet.pulse_left == 0.0
    assert jet.impulse == pytest.approx(0.3 - 0.006, rel=1e-14)


@pytest.mark.parametrize("waiting", [0, 1, 0.37, 3.8])
@pytest.mark.parametrize(("dt", "ticks"), [(0.001, 1000), (0.01, 700), (1 / 3, 17), (0.1, 333)])
def test_a_long_pulse_ends_with_its_last_tick(dt, ticks, waiting):
    """The roundings of the ticks do not add up; the valve shuts at once, and keeps its level for a pulse that would go on from it."""
    world, _ship = a_ship(dt, rates=(0, 0, 0))
    twin = copy.deepcopy(world)
    jets = []
    for each in (world, twin):
        valve = {"rise_time": 0.5 * dt, "min_on_time": 0.5 * dt}
        place = {"position": (1, 0, 0), "direction": (0, 1, 0), "max_force": 1.0}
        jets.append(each.add_force(forces.Thruster(each.bodies[0], **place, **valve)))
        jets[-1].fire(ticks * dt - waiting * dt, waiting * dt)
    world.step(ticks)
    for _ in range(ticks):
        twin.step()
    jet = jets[0]
    assert (jet.pulse_left, jet.thrust, jet._value("level")) == (0.0, 0.0, 1.0)
    assert jet.impulse == pytest.approx((ticks - waiting - 0.25) * dt, rel=1e-13)
    assert world.state_hash() == twin.state_hash()


def exact_area(commands, rise, fall, end):
    """Time integral of the level of a valve in rational numbers, for commands (time, delay, duration), each instead of the one before."""
    level = area = now = Fraction(0)
    commands = [*commands, (end, Fraction(0), Fraction(0))]
    for (time, delay, duration), (until, _, _) in pairwise(commands):
        opens, shuts = time + delay, time + delay + duration
        for to, is_open in ((min(opens, until), False), (min(shuts, until), True), (until, False)):
            seconds, slope = max(to - now, 0), rise if is_open else -fall
            target = Fraction(int(is_open))
            if seconds > 0:
                if slope == 0:
                    level = target
                ramp = min((target - level) * slope, seconds)
                after = level + ramp / slope if slope else target
                area += ramp * (level + after) / 2 + (seconds - ramp) * target
                level, now = after, to
    return area


@pytest.mark.parametrize("dt", [0.01, 1 / 60, 0.05, 1 / 3])
def test_any_sequence_of_pulses_has_the_impulse_of_rational_numbers(dt):
    """Delays and durations of whole ticks and of any length, cut short by one another: roundings neither open nor shut a valve."""
    random = np.random.default_rng(5)
    for _ in range(12):
        rise, fall = random.choice([0.0, 0.003, 0.02, 0.1]), random.choice([0.0, 0.004, 0.03, 0.2])
        least = max(rise, random.choice([0.0, 0.01, 0.05]))
        world, ship = a_ship(dt, rates=(0, 0, 0))
        valve = {"rise_time": rise, "fall_time": fall, "min_on_time": least}
        jet = world.add_force(forces.Thruster(ship, position=(1, 0, 0), direction=(0, 1, 0), max_force=1.0, **valve))
        commands = []
        for _ in range(12):
            whole, any_length = dt * random.integers(1, 5), least + 3.0 * dt * random.random()
            duration = max(least, random.choice([whole, any_length, 0.5 * dt])) * random.choice([0.0, 1.0, 1.0, 1.0])
            delay = random.choice([0.0, 2.0 * dt * random.random(), dt * random.integers(3)])
            jet.fire(duration, delay)
            commands.append((Fraction(dt) * world.tick_count, Fraction(delay), Fraction(duration)))
            for _ in range(random.integers(1, 9)):
                world.step()
                expected = exact_area(commands, Fraction(rise), Fraction(fall), Fraction(dt) * world.tick_count)
                assert jet.impulse == pytest.approx(float(expected), abs=1e-12), (commands, rise, fall)


@pytest.mark.parametrize(("dt", "ticks"), [(0.01, 1), (0.01, 2), (0.01, 3), (1 / 60, 7), (0.05, 3), (0.1, 40)])
def test_a_pulse_that_is_called_off_at_the_tick_of_its_opening_has_not_opened(dt, ticks):
    """The rounding of the delay opened it in the tick before, at once and for 1e-18 s, and it then fell from its level."""
    for duration in (5.0 * dt, 0.37 * dt, 1e-3):
        world, ship = a_ship(dt, rates=(0, 0, 0))
        jet = world.add_force(
            forces.Thruster(ship, position=(1, 0, 0), direction=(0, 1, 0), max_force=1.0, fall_time=dt)
        )
        jet.fire(duration, dt * ticks)
        world.step(ticks)
        assert jet.thrust == 0.0
        jet.fire(0.0)
        world.step(3)
        assert jet.impulse == 0.0


def a_bank(ship, count):
    """Jets of 1 N whose valves open and shut at once."""
    places = {"positions": [(1, 0, 0)] * count, "directions": [(0, 1, 0)] * count}
    return forces.ThrusterBank(ship, **places, max_forces=1.0)


def test_a_pulse_that_opens_inside_a_tick_keeps_its_level_at_the_end_of_the_tick():
    """A valve that shuts at once lost its level to one rounding of the time in one of 140 such pulses, and rose again."""
    random = np.random.default_rng(1)
    delays, durations = 0.01 * random.random(2000), 0.012 + 0.02 * random.random(2000)
    world, ship = a_ship(0.01, rates=(0, 0, 0))
    places = {"positions": [(0, 0, 0)] * 2000, "directions": [(0, 1, 0)] * 2000}
    valve = {"rise_time": 0.008, "min_on_time": 0.008}
    bank = world.add_force(forces.ThrusterBank(ship, **places, max_forces=10.0, **valve))
    bank.fire(durations, delays)
    world.step(6)
    assert bank.impulse == pytest.approx(10.0 * (durations - 0.004), abs=1e-14)


def test_short_pulses_that_end_with_a_tick_keep_their_impulse():
    """A pulse may be as short as the rounding of its delay."""
    durations = np.append(10.0 ** -np.random.default_rng(3).uniform(2.0, 18.0, 100), 1e-19)
    world, ship = a_ship(0.1, rates=(0, 0, 0))
    bank = world.add_force(a_bank(ship, len(durations)))
    bank.fire(durations, 0.3 - durations)
    world.step(5)
    assert bank.impulse == pytest.approx(durations, rel=1e-12, abs=0.0)
    assert not bank.thrust.any()


def test_a_pulse_within_a_tick_that_ends_with_it_is_open_until_then():
    """Delay and duration, rounded to decimals, add up to the tick within a rounding."""
    places = np.arange(1, 1000)
    world, ship = a_ship(0.1, rates=(0, 0, 0))
    bank = world.add_force(a_bank(ship, len(places)))
    bank.fire((1000 - places) / 10000.0, places / 10000.0)
    world.step()
    assert (
        (bank._table.array[layout.LEVEL, bank._slice()] == 1.0).all()
        and not bank.pulse_left.any()
        and not bank.thrust.any()
    )
    assert bank.impulse == pytest.approx((1000 - places) / 10000.0, rel=1e-14)


@pytest.mark.parametrize("tank", [False, True])
def test_a_valve_that_shuts_at_once_is_shut_at_the_end_of_its_pulse(tank):
    """It may be throttled in the next tick, or the world may coast; a pulse later on rises anew, and one at once does not."""
    world, ship = a_ship(0.01, rates=(0, 0, 0))
    fuel = (
        {"tank": world.add_part(flight.Tank.ball(ship, (0, 0, 0), 1.0, 10.0)), "specific_impulse": 300.0}
        if tank
        else {}
    )
    jet = world.add_force(
        forces.Thruster(
            ship, position=(1, 0, 0), direction=(0, 1, 0), max_force=2.0, rise_time=0.04, min_on_time=0.04, **fuel
        )
    )
    jet.fire(0.1)
    world.step(10)
    assert (jet.pulse_left, jet.thrust, jet.mean_thrust(0.01)) == (0.0, 0.0, 0.0)
    assert jet.impulse == pytest.approx(2.0 * (0.1 - 0.02))
    jet.fire(0.1)
    world.step(10)
    assert jet.impulse == pytest.approx(2.0 * (0.2 - 0.02))
    jet.throttle = 0.5
    before = ship.velocity * ship.mass
    world.step()
    assert np.linalg.norm(ship.velocity * ship.mass - before) == pytest.approx(2.0 * 0.5 * 0.01, rel=1e-4)
    jet.throttle = 0.0
    jet.fire(0.1, 0.05)
    assert jet.thrust == 0.0
    world.step(15)
    given = jet.impulse
    assert world.coast_obstacle() is None
    world.coast(7)
    jet.fire(0.1)
    world.step(11)
    assert jet.impulse - given == pytest.approx(2.0 * (0.1 - 0.02))


def test_the_fall_time_of_a_valve_that_has_just_shut_at_once_stays_zero():
    """Its level, which a pulse that follows goes on from, would have fallen, and made thrust."""
    world, ship = a_ship(0.01, rates=(0, 0, 0))
    jet = world.add_force(forces.Thruster(ship, position=(1, 0, 0), direction=(0, 1, 0), max_force=1.0))
    jet.fire(0.03)
    world.step(3)
    with pytest.raises(ValueError, match="fall_time must be 0 for a thruster whose pulse ended in the last tick"):
        world.thrusters.fall_time = 0.5
    impulse = jet.impulse
    world.step()
    world.thrusters.fall_time = 0.5
    world.step(60)
    assert jet.impulse == impulse == pytest.approx(0.03, abs=1e-15)
