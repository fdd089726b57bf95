"""Closed loops of a law, allocation and actuators: slews on jets and wheels, failures, copies and undo."""

import copy

import numpy as np
import pytest

from engine import MassProperties, World
from engine.flight import (
    AttitudeHold,
    Controlled,
    Jets,
    PulseModulator,
    ReactionWheel,
    Reference,
    ThrusterAllocator,
    ThrusterBank,
    WheelAllocator,
    control,
)

DT = 0.05
DEGREE = np.pi / 180.0


def ship_with_jets(method="least propellant", **valves):
    """Four pairs of opposite jets at each of two heights, all tangential, 10 N each at 1 m."""
    world = World(DT)
    ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)), name="ship", orientation=(0.6, 0.0, 0.48, 0.64))
    positions, directions = [], []
    for x, y in ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)):
        for z in (1.0, -1.0):
            positions += [(x, y, z), (x, y, z)]
            directions += [(-y, x, 0.0), (y, -x, 0.0)]
    bank = ThrusterBank(ship, positions=positions, directions=directions, max_forces=10.0, **valves)
    return world, ship, world.add_force(bank), method


VALVES = {"min_on_time": 0.02, "rise_time": 0.01, "fall_time": 0.015}


def hold_on(world, ship, bank, method, pulsed):
    modulator = PulseModulator(0.02, 0.1) if pulsed else None
    jets = Jets(ThrusterAllocator([bank], method=method), modulator)
    return world.add_part(AttitudeHold(ship, jets, every=2))


@pytest.mark.parametrize(("method", "pulsed"), [("least propellant", True), ("fast", True), ("fast", False)])
def test_jets_turn_a_ship_around_and_hold_it(method, pulsed):
    """A turn of 100.6°; pulses of 20 ms leave a limit cycle below 0.1°, throttles nothing. No force is left over but for pulses."""
    world, ship, bank, _ = ship_with_jets(**(VALVES if pulsed else {}))
    hold = hold_on(world, ship, bank, method, pulsed)
    hold.follow(Reference((0.0, 0.0, 0.0, 1.0)))
    world.step(int(150.0 / DT))
    assert hold.error_angle < (0.1 * DEGREE if pulsed else 1e-6)
    assert np.abs(ship.velocity).max() < (2e-3 if pulsed else 1e-12)


def test_a_ship_stays_under_control_with_one_jet_stuck_open_and_one_lost():
    world, ship, bank, method = ship_with_jets(**VALVES)
    hold = hold_on(world, ship, bank, method, True)
    hold.follow(Reference((0.0, 0.0, 0.0, 1.0)))
    world.step(int(60.0 / DT))
    bank.stuck = [1.0] + [np.nan] * 15
    allocator = hold.actuators.allocator
    hold.actuators.allocator = allocator.without(0, level=1.0).without(5)
    world.step(int(120.0 / DT))
    assert hold.error_angle < 0.3 * DEGREE
    assert bank.impulse[0] > 1190.0


def test_wheels_turn_a_ship_around_at_their_limits():
    """Four wheels in a pyramid, with one lost on the way; the momentum of ship and wheels stays."""
    world, ship, _, _ = ship_with_jets()
    axes = [(1.0, 1.0, 1.0), (-1.0, 1.0, 1.0), (-1.0, -1.0, 1.0), (1.0, -1.0, 1.0)]
    limits = {"inertia": 0.1, "max_torque": 1.0, "max_speed": 600.0}
    wheels = [world.add_part(ReactionWheel(ship, axis=axis, **limits)) for axis in axes]
    actuators = WheelAllocator(wheels, preferred_speed=50.0)
    law = control.QuaternionPD.tuned(ship.inertia_body, max_torque_body=0.8, bandwidth=0.1)
    loop = world.add_part(Controlled(ship, law, Reference(), actuators, every=4))
    world.step(int(60.0 / DT))
    wheels[3].enabled = False
    world.step(int(340.0 / DT))
    assert loop.error_angle < 0.01 * DEGREE
    assert ship.angular_momentum_world == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
    assert max(abs(wheel.speed) for wheel in wheels) < 600.0


def test_carried_remainders_are_copied_with_the_world_and_undone_with_a_tick():
    world, ship, bank, method = ship_with_jets(**VALVES)
    hold_on(world, ship, bank, method, True)
    world.step(333)
    copied = copy.deepcopy(world)
    assert copied.state_hash() == world.state_hash()
    for each in (world, copied):
        each.step(400)
    assert copied.state_hash() == world.state_hash() and np.array_equal(
        copied.body("ship").orientation, ship.orientation
    )

    before = world.state_hash()

    @world.add_force
    def fails(wrench, bodies, time):
        raise RuntimeError

    with_force = world.state_hash()
    for _ in range(2):  # one of two ticks has a sample
        with pytest.raises(RuntimeError):
            world.step()
        assert world.state_hash() == with_force
    world.remove_force(fails)
    assert world.state_hash() == before
    world.step(400)
    copied.step(400)
    assert world.state_hash() == copied.state_hash()


def test_a_loop_with_another_period_than_its_modulator_is_rejected():
    world, ship, bank, _ = ship_with_jets(**VALVES)
    jets = Jets(ThrusterAllocator([bank]), PulseModulator(0.02, 0.1))
    law = control.QuaternionPD.tuned(ship.inertia_body, max_torque_body=10.0, bandwidth=0.2)
    with pytest.raises(ValueError, match=r"made for a period of 0\.15"):
        world.add_part(Controlled(ship, law, Reference(), jets, every=3))
