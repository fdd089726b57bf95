"""The short way to attitude control: it holds, stops, points and follows, with gains of its own."""

import copy
import math
from types import SimpleNamespace

import numpy as np
import pytest

from engine import MassProperties, World, rotation
from engine.flight import (
    AttitudeHold,
    BodyTorque,
    Jets,
    ReactionWheel,
    Reference,
    Spin,
    Thruster,
    ThrusterAllocator,
    ThrusterBank,
)

from ..helpers import ASYMMETRIC, SKEW_ORIENTATION

RATES = np.array([0.2, -0.3, 0.15])
DEGREE = math.pi / 180.0


def ship_with_a_motor(dt=0.02, max_torque=15.0, **start):
    world = World(dt)
    start = {"orientation": SKEW_ORIENTATION, "angular_velocity_body": RATES, **start}
    ship = world.add_body(MassProperties(50.0, 20.0 * ASYMMETRIC), name="ship", **start)
    return world, ship, world.add_part(BodyTorque(ship, max_torque=max_torque))


def test_it_holds_the_attitude_that_the_ship_had_when_it_was_made():
    world, ship, motor = ship_with_a_motor()
    hold = world.add_part(AttitudeHold(ship, motor))
    assert hold.every == 5  # 0.1 s
    world.step(3000)
    assert rotation.angle_between(ship.orientation, SKEW_ORIENTATION) < 1e-5
    assert np.abs(ship.angular_velocity_body).max() < 1e-5


def test_it_stops_the_rotation_and_then_holds_where_it_stopped():
    world, ship, motor = ship_with_a_motor()
    hold = world.add_part(AttitudeHold(ship, motor))
    hold.kill_rotation()
    world.step(1500)
    assert np.abs(ship.angular_velocity_body).max() < 1e-4 * np.abs(RATES).max()
    assert rotation.angle_between(ship.orientation, SKEW_ORIENTATION) > 0.05
    hold.hold()
    stopped = ship.orientation
    ship.apply_angular_impulse((1.0, -2.0, 0.5))
    world.step(2500)
    assert rotation.angle_between(ship.orientation, stopped) < 1e-4


def test_it_points_an_axis_at_a_moving_body_and_stops_the_roll():
    world, ship, motor = ship_with_a_motor()
    station = world.add_body(MassProperties.sphere(1.0, 0.5), position=(-80.0, 20.0, 30.0), velocity=(0.0, 0.5, -0.3))
    hold = world.add_part(AttitudeHold(ship, motor))
    hold.point_at(station, axis_body=(1.0, 0.0, 1.0))
    world.step(3000)
    line = (station.position - ship.position) / np.linalg.norm(station.position - ship.position)
    axis = ship.direction_to_world(np.array([1.0, 0.0, 1.0]) / math.sqrt(2.0))
    assert np.linalg.norm(np.cross(axis, line)) < 0.02 * DEGREE
    assert abs(ship.angular_velocity_world @ line) < 1e-5
    hold.point_at((0.0, 0.0, -1.0))
    world.step(3000)
    np.testing.assert_allclose(ship.direction_to_world((0.0, 0.0, 1.0)), (0.0, 0.0, -1.0), atol=1e-4)


def test_a_target_that_is_removed_is_named_with_the_loop():
    world, ship, motor = ship_with_a_motor()
    hold = world.add_part(AttitudeHold(ship, motor))
    target = world.add_body(MassProperties.sphere(1.0, 0.5), name="target", position=(0, 0, 9))
    hold.point_at(target)
    world.step(10)
    world.remove_body(target)
    with pytest.raises(
        ValueError, match=r"AttitudeHold\b.*: its reference gives no attitude now; .*body 'target' was removed"
    ):
        world.step(10)
    hold.hold()
    world.step(10)


def test_it_follows_a_reference():
    world, ship, motor = ship_with_a_motor(angular_velocity_body=(0.0, 0.0, 0.0))
    hold = world.add_part(AttitudeHold(ship, motor))
    spin = Spin((0.0, 0.05, 0.1), SKEW_ORIENTATION)
    hold.follow(spin)
    world.step(2000)
    assert hold.error_angle < 0.5 * DEGREE
    np.testing.assert_allclose(ship.angular_velocity_world, spin.angular_velocity_world, atol=1e-3)


@pytest.mark.parametrize("max_torque", [0.5, 15.0, 1e4])
def test_its_gains_fit_weak_and_strong_actuators(max_torque):
    """A third of a turn ends within three times that of a bang-bang slew, or ten samples' worth of bandwidth if that is longer."""
    world, ship, motor = ship_with_a_motor(max_torque=max_torque, angular_velocity_body=(0.0, 0.0, 0.0))
    hold = world.add_part(AttitudeHold(ship, motor))
    angle = 2.0 * math.pi / 3.0
    hold.follow(Reference(rotation.multiply(rotation.from_axis_angle((0.3, -1.0, 0.6), angle), SKEW_ORIENTATION)))
    slowest = np.abs(20.0 * ASYMMETRIC).sum(axis=1).max() / max_torque
    bandwidth = math.sqrt(hold.law.stiffness[0, 0] / (20.0 * ASYMMETRIC)[0, 0])
    assert bandwidth <= 2.0 + 1e-12  # sampled five times per 1/bandwidth
    world.step(round((3.0 * 2.0 * math.sqrt(angle * slowest) + 10.0 / bandwidth) / world.dt))
    assert hold.error_angle < 0.1 * DEGREE


def test_what_it_does_is_copied_and_undone():
    world, ship, motor = ship_with_a_motor()
    hold = world.add_part(AttitudeHold(ship, motor))
    hold.kill_rotation()
    world.step(7)
    copied = copy.deepcopy(world)
    copied.parts[1].point_at((1.0, 0.0, 0.0))
    assert isinstance(hold.reference, Reference)
    world.step(50)
    again = copy.deepcopy(copied)
    copied.step(50)
    again.step(50)
    assert copied.state_hash() == again.state_hash() != world.state_hash()

    @world.on_tick
    def fail(world):
        hold.point_at((1.0, 0.0, 0.0))
        raise ArithmeticError

    law = hold.law
    with pytest.raises(ArithmeticError):
        world.step()
    assert hold.law is law and isinstance(hold.reference, Reference)


def test_it_takes_the_torque_and_the_period_from_jets():
    _, ship, _ = ship_with_a_motor()
    asked = []

    def reachable(cancelled, free):
        def reachable_torques(*, force_is_free):
            asked.append(force_is_free)
            return np.array(free if force_is_free else cancelled)

        return SimpleNamespace(reachable_torques=reachable_torques)

    full = [[4.0, 5.0, 6.0], [3.0, 7.0, 2.0]]
    jets = SimpleNamespace(allocator=reachable(full, full), command=print, period=0.24)
    hold = AttitudeHold(ship, jets)
    assert hold.every == 12 and hold.force_body.tolist() == [0.0, 0.0, 0.0] and asked == [False]
    assert hold.law._largest == [3.0, 5.0, 2.0]
    lopsided = [[0.0, 5.0, 6.0], [3.0, 7.0, 2.0]]
    pushing = AttitudeHold(ship, SimpleNamespace(allocator=reachable(lopsided, full), command=print))
    assert pushing.force_body is None and asked == [False, False, True]
    with pytest.raises(ValueError, match="actuators must be able to turn the body in both directions about every axis"):
        AttitudeHold(ship, SimpleNamespace(allocator=reachable(lopsided, lopsided), command=print))


SIDES, ALONG = np.eye(3), np.roll(np.eye(3), 1, axis=1)
POSITIONS, DIRECTIONS = [*SIDES, *-SIDES, *SIDES, *-SIDES], [*ALONG, *-ALONG, *-ALONG, *ALONG]


def ship_with_jets(dt=0.02, single=False, **valves):
    """A ship with couples of 6 N jets about each axis, each way, as a bank or as single thrusters."""
    world, ship, _ = ship_with_a_motor(dt)
    if single:
        made = [
            Thruster(ship, position=position, direction=direction, max_force=6.0, **valves)
            for position, direction in zip(POSITIONS, DIRECTIONS, strict=True)
        ]
        return world, ship, [world.add_force(jet) for jet in made]
    bank = ThrusterBank(ship, positions=POSITIONS, directions=DIRECTIONS, max_forces=6.0, **valves)
    return world, ship, world.add_force(bank)


VALVES = {"min_on_time": 0.02, "rise_time": 0.01, "fall_time": 0.01}


@pytest.mark.parametrize("single", [False, True])
def test_bare_thrusters_are_throttled_and_valves_with_a_shortest_pulse_are_pulsed(single):
    world, ship, throttled = ship_with_jets(single=single)
    hold = world.add_part(AttitudeHold(ship, throttled))
    hold.kill_rotation()
    world.step(1500)
    assert np.abs(ship.angular_velocity_body).max() < 1e-4 * np.abs(RATES).max()
    hold.point_at((0.0, 0.6, -0.8))
    world.step(3000)
    assert ship.direction_to_world((0.0, 0.0, 1.0)) == pytest.approx((0.0, 0.6, -0.8), abs=1e-6)
    assert hold.actuators.modulator is None and hold.every == 5
    assert not np.any(throttled[0].pulse_left if single else throttled.pulse_left)
    assert np.any(throttled[0].impulse if single else throttled.impulse)

    world, ship, pulsed = ship_with_jets(single=single, **VALVES)
    hold = world.add_part(AttitudeHold(ship, pulsed))
    hold.kill_rotation()
    world.step(1500)
    # the shortest pulse of a couple changes a rate by 2 · 6 N · 0.02 s · 1 m / I
    least = 0.24 / np.linalg.eigvalsh(20.0 * ASYMMETRIC)[0]
    assert np.abs(ship.angular_velocity_body).max() < 2.0 * least
    hold.point_at((0.0, 0.6, -0.8))
    world.step(3000)
    axis = ship.direction_to_world((0.0, 0.0, 1.0))
    assert np.linalg.norm(np.cross(axis, (0.0, 0.6, -0.8))) < 0.3 * DEGREE
    assert hold.actuators.period == pytest.approx(0.1)
    assert np.all(pulsed[0].impulse if single else pulsed.impulse > 0.0)


def test_the_period_of_slow_valves_is_their_shortest_pulse_and_its_rise():
    _, ship, bank = ship_with_jets(min_on_time=[0.25] + [0.0] * 11, rise_time=0.0)
    hold = AttitudeHold(ship, bank)
    assert hold.every == 13 and hold.actuators.period == pytest.approx(0.26)
    assert hold.actuators.modulator.min_on_time.tolist() == [0.25] * 12
    assert AttitudeHold(ship, bank, every=20).actuators.period == pytest.approx(0.4)
    with pytest.raises(ValueError, match=r"min_on_time \+ rise_time is at most the period"):
        AttitudeHold(ship, bank, every=10)


def test_jets_that_are_in_no_world_are_rejected():
    world, ship, _ = ship_with_a_motor()
    bank = ThrusterBank(ship, positions=POSITIONS, directions=DIRECTIONS, max_forces=6.0)
    for actuators in (bank, [bank], Jets(ThrusterAllocator([bank]))):
        hold = AttitudeHold(ship, actuators)
        with pytest.raises(ValueError, match=r"actuators must be added to the world before the loop; got ThrusterBank"):
            world.add_part(hold)
    world.add_force(bank)
    world.add_part(hold)


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda ship: AttitudeHold("ship", BodyTorque(ship, 1.0)), TypeError, "AttitudeHold: ship must be"),
        (lambda ship: AttitudeHold(ship, BodyTorque(ship)), ValueError, "max_torque must be given"),
        (
            lambda ship: AttitudeHold(ship, BodyTorque(ship), max_torque=0.0),
            ValueError,
            "max_torque must be above zero",
        ),
        (lambda ship: AttitudeHold(ship, BodyTorque(ship, 1.0), every=0), ValueError, "every must be"),
        (lambda ship: AttitudeHold(ship, 3.0, max_torque=1.0), TypeError, "actuators must be an object with command"),
    ],
)
def test_holds_that_make_no_sense_are_rejected(make, kind, words):
    _, ship, _ = ship_with_a_motor()
    with pytest.raises(kind, match=words):
        make(ship)


def test_what_point_at_does_not_take_is_rejected_with_the_way_out():
    world, ship, bank = ship_with_jets()
    hold = world.add_part(AttitudeHold(ship, bank))
    with pytest.raises(
        ValueError,
        match=r"AttitudeHold.point_at: target must be a body or a direction; got 'nadir'; for other targets use follow",
    ):
        hold.point_at("nadir")
    with pytest.raises(
        ValueError, match=r"AttitudeHold.point_at: target must be another body than the ship itself; got"
    ):
        hold.point_at(ship)
    wheel = ReactionWheel(ship, axis=(1, 0, 0), inertia=0.1, max_torque=1.0, max_speed=600.0)
    with pytest.raises(TypeError, match=r"such as WheelAllocator\(wheels\) with max_torque"):
        AttitudeHold(ship, [wheel])


def test_jets_of_another_body_are_named_as_such_also_where_they_could_turn_nothing():
    world = World(0.1)
    ship, other = world.add_bodies(MassProperties.box(90.0, (1.0, 1.0, 2.0)), [(0, 0, 0), (9, 0, 0)])
    jet = world.add_force(Thruster(other, position=(0, 0, 0), direction=(1, 0, 0), max_force=1.0))
    with pytest.raises(ValueError, match=rf"AttitudeHold of {ship}: actuators must be those of {ship}; got"):
        AttitudeHold(ship, jet)
