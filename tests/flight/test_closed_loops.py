"""Closed loops of a law, allocation and actuators: slews on jets and wheels, dumped momentum, failures, copies and undo."""

import copy
from types import SimpleNamespace

import numpy as np
import pytest

from engine import MassProperties, Snapshot, World, rotation
from engine.compilation.compiler import COMPILED
from engine.flight import (
    AttitudeHold,
    BodyTorque,
    Controlled,
    Jets,
    PulseModulator,
    ReactionWheel,
    Reference,
    Slew,
    Tank,
    ThrusterAllocator,
    ThrusterBank,
    WheelAllocator,
    control,
)

from ..altered_bytes import altered
from ..lengths import sized

DT = 0.05
DEGREE = np.pi / 180.0


def ship_with_jets(method="least propellant", dt=DT, propellant=None, **valves):
    """Four pairs of opposite jets at each of two heights, all tangential, 10 N each at 1 m."""
    world = World(dt)
    ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)), name="ship", orientation=(0.6, 0.0, 0.48, 0.64))
    positions, directions = [], []
    for x, y in ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)):
        for z in (1.0, -1.0):
            positions += [(x, y, z), (x, y, z)]
            directions += [(-y, x, 0.0), (y, -x, 0.0)]
    if propellant is not None:
        tank = world.add_part(Tank.ball(ship, (0.0, 0.0, 0.0), radius=0.3, propellant=propellant))
        valves |= {"tank": tank, "specific_impulse": SPECIFIC_IMPULSE}
    bank = ThrusterBank(ship, positions=positions, directions=directions, max_forces=10.0, **valves)
    return world, ship, world.add_force(bank), method


SPECIFIC_IMPULSE, GRAVITY = 200.0, 9.80665
VALVES = {"min_on_time": 0.02, "rise_time": 0.01, "fall_time": 0.015}


def hold_on(world, ship, bank, method, pulsed):
    modulator = PulseModulator(0.02, 0.1) if pulsed else None
    jets = Jets(ThrusterAllocator([bank], method=method), modulator)
    return world.add_part(AttitudeHold(ship, jets, every=2))


@pytest.mark.parametrize(("method", "pulsed"), [("least propellant", True), ("even", True), ("even", False)])
def test_jets_turn_a_ship_around_and_hold_it(method, pulsed):
    """A turn of 100.6°; pulses of 20 ms leave a limit cycle below 0.1°, throttles nothing. No force is left over but for pulses."""
    world, ship, bank, _ = ship_with_jets(**(VALVES if pulsed else {}))
    hold = hold_on(world, ship, bank, method, pulsed)
    hold.follow(Reference((0.0, 0.0, 0.0, 1.0)))
    world.step(int(150.0 / DT))
    assert hold.error_angle < (0.1 * DEGREE if pulsed else 1e-6)
    assert np.abs(ship.velocity).max() < (2e-3 if pulsed else 1e-12)


@pytest.mark.parametrize(
    ("pulsed", "do", "rule"),
    [
        (True, lambda world, bank: setattr(bank, "throttle", 1.0), "0 while the throttle is not 0"),
        (True, lambda world, bank: setattr(world.thrusters, "min_on_time", 0.3), "at least the min_on_time"),
        (False, lambda world, bank: bank.fire(1.0), "0 for a thruster while a pulse runs"),
    ],
)
def test_valves_refuse_commands_of_a_loop_as_they_refuse_those_of_a_program(pulsed, do, rule):
    world, ship, bank, method = ship_with_jets(**(VALVES if pulsed else {}))
    hold_on(world, ship, bank, method, pulsed).follow(Reference((0.0, 0.0, 0.0, 1.0)))
    do(world, bank)
    before = world.state_hash()
    with pytest.raises(ValueError, match=rule):
        world.step()
    assert world.state_hash() == before


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


def held_ship():
    world, ship, bank, method = ship_with_jets(**VALVES)
    return world, hold_on(world, ship, bank, method, True).actuators


def test_bytes_contain_the_jets_that_an_allocator_has_lost():
    world, jets = held_ship()
    world.step(40)
    whole = world.snapshot().to_bytes()
    jets.allocator = jets.allocator.without(0, level=0.5).without(5)
    lost = world.snapshot().to_bytes()
    other, other_jets = held_ship()
    other.restore(Snapshot.from_bytes(lost), adopt=True)
    assert other_jets.allocator.stuck_levels == ((0, 0.5), (5, 0.0))
    assert other.state_hash() == world.state_hash()
    for each in (world, other):
        each.step(60)
    assert other.state_hash() == world.state_hash()
    other.restore(Snapshot.from_bytes(whole), adopt=True)
    assert other_jets.allocator.lost == ()
    again = jets.allocator
    jets.allocator = jets.allocator.without(1)
    world.restore(Snapshot.from_bytes(lost))
    assert jets.allocator.stuck_levels == again.stuck_levels


@pytest.mark.parametrize(
    ("levels", "rule"),
    [
        ([[16, 0.0]], r"stuck_jets must be some, but not all, of the 16 jets of"),
        ([[jet, 0.0] for jet in range(16)], "must be some, but not all, of the 16 jets of"),
        ([[-1, 0.0]], r"stuck_jets\[0\]\[0\] must be an integer from 0"),
        ([[0, 1.5]], r"stuck_jets\[0\]\[1\] must be a share of full thrust from 0 to 1"),
    ],
)
def test_bytes_with_jets_that_do_not_exist_are_rejected(levels, rule):
    world, jets = held_ship()
    jets.allocator = jets.allocator.without(3)
    place = next(place for place, member in enumerate(world._forces.members) if isinstance(member, AttitudeHold))
    data = altered(world.snapshot().to_bytes(), lambda header, put: header["members"][place].update(stuck_jets=levels))
    before = world.state_hash()
    with pytest.raises(ValueError, match=rule):
        world.restore(Snapshot.from_bytes(data))
    assert world.state_hash() == before and jets.allocator.lost == (3,)


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
    with pytest.raises(ValueError, match=r"made for the sample period of the loop, 0\.15"):
        world.add_part(Controlled(ship, law, Reference(), jets, every=3))


# half a turn with each law


PYRAMID = [(1.0, 1.0, 1.0), (-1.0, 1.0, 1.0), (-1.0, -1.0, 1.0), (1.0, -1.0, 1.0)]


def half_turn(ship, law):
    """The reference that is half a turn away about a skew axis; a phase plane has to be led there, because it does not look ahead."""
    end = rotation.multiply(ship.orientation, rotation.from_axis_angle((0.8, -0.5, 0.3), np.pi))
    return Slew(ship.orientation, end, *SLEW) if isinstance(law, control.PhasePlane) else Reference(end)


SLEW = 0.038, 0.002  # [rad/s], [rad/s²]


def slewing_laws(inertia, torque):
    """Each law that turns a ship to an attitude, with the time that it is given for half a turn [s].

    The shortest turn with a torque τ about an axis of inertia I takes ``2 √(π I/τ)``. `QuaternionPD` brakes with half of the torque, which
    makes it √1.5 times as long. `PhasePlane` follows a slew, which takes ``π/rate + rate/acceleration``.
    """
    largest = float(inertia[0, 0])
    shortest = 2.0 * np.sqrt(np.pi * largest / torque)
    frequency = 0.15
    return {
        "MRPFeedback": (
            control.MRPFeedback(4.0 * largest * frequency**2, 2.0 * largest * frequency),
            2.0 * shortest + 60.0,
        ),
        "MRPFeedback with its integral": (
            control.MRPFeedback(
                4.0 * largest * frequency**2, 2.0 * largest * frequency, integral_gain=1e-6, integral_limit=20.0
            ),
            2.0 * shortest + 60.0,
        ),
        "QuaternionPD": (
            control.QuaternionPD.tuned(inertia, max_torque_body=torque, bandwidth=2.0 * frequency),
            np.sqrt(1.5) * shortest + 30.0,
        ),
        "PhasePlane": (
            control.PhasePlane(0.04 * DEGREE, 0.004, 0.5, torque=0.4 * torque),
            np.pi / SLEW[0] + SLEW[0] / SLEW[1] + 30.0,
        ),
    }


LAWS = ["MRPFeedback", "MRPFeedback with its integral", "QuaternionPD", "PhasePlane"]


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("pulsed", [False, True])
def test_each_law_turns_a_ship_half_a_turn_on_jets_and_the_tank_gives_what_they_use(name, pulsed):
    """Propellant is impulse over ``g₀ Isp``. Pulses of a couple of jets change a rate by 2 · 10 N · 0.02 s · 1 m/(2000 kg·m²)."""
    dt, period = 0.05, 0.1
    world, ship, bank, _ = ship_with_jets(dt=dt, propellant=20.0, **(VALVES if pulsed else {}))
    jets = Jets(ThrusterAllocator([bank], method="even"), PulseModulator(0.02, period) if pulsed else None)
    law, seconds = slewing_laws(ship.inertia_body, 20.0)[name]
    reference = half_turn(ship, law)
    loop = world.add_part(Controlled(ship, law, reference, jets, every=2))
    saturated = 0
    for _ in range(round(seconds)):
        world.step(round(1.0 / dt))
        saturated += loop.saturated
    assert loop.error_angle < 0.1 * DEGREE and (saturated > 0 or name == "PhasePlane")
    assert rotation.angle_between(ship.orientation, reference.at(world.time, ship).orientation) < 0.1 * DEGREE
    tank = bank.tank
    used = 20.0 - tank.propellant
    assert used == pytest.approx(bank.impulse.sum() / (GRAVITY * SPECIFIC_IMPULSE), abs=1e-10)
    assert used == pytest.approx(bank.propellant_used.sum(), abs=1e-10)
    assert ship.mass == pytest.approx(1220.0 - used, rel=1e-14)


def test_the_propellant_of_a_turn_about_a_principal_axis_is_that_of_its_angular_momentum():
    """Speeding up and braking take ``2 I ω/r`` of impulse, ω the largest rate and r the arm of 1 m; it is all that the jets give."""
    world, ship, bank, _ = ship_with_jets(dt=0.1, propellant=20.0)
    jets = Jets(ThrusterAllocator([bank]))
    law = control.QuaternionPD.tuned(ship.inertia_body, max_torque_body=20.0, bandwidth=0.3)
    turned = rotation.multiply(ship.orientation, rotation.from_axis_angle((0.0, 0.0, 1.0), np.pi))
    world.add_part(Controlled(ship, law, Reference(turned), jets, every=1))
    fastest, inertia = 0.0, float(ship.inertia_body[2, 2])
    for _ in range(600):
        world.step()
        fastest = max(fastest, abs(float(ship.angular_velocity_body[2])))
    used = 20.0 - bank.tank.propellant
    assert used == pytest.approx(2.0 * inertia * fastest / (GRAVITY * SPECIFIC_IMPULSE), rel=2e-3)


@pytest.mark.parametrize("name", LAWS)
def test_each_law_turns_a_ship_half_a_turn_on_wheels_that_run_into_their_limits(name):
    """Four wheels in a pyramid, 45 N·m·s each: torque and speed are at their limits on the way. The momentum of all stays zero."""
    world, ship, _, _ = ship_with_jets(dt=0.1)
    limits = {"inertia": 0.1, "max_torque": 6.0, "max_speed": 450.0}
    wheels = [world.add_part(ReactionWheel(ship, axis=axis, **limits)) for axis in PYRAMID]
    law, seconds = slewing_laws(ship.inertia_body, 10.0)[name]
    reference = half_turn(ship, law)
    loop = world.add_part(Controlled(ship, law, reference, WheelAllocator(wheels), every=1))
    fastest, saturated = 0.0, 0
    for _ in range(round(1.2 * seconds)):
        world.step(10)
        fastest = max(fastest, *(abs(wheel.speed) for wheel in wheels))
        saturated += loop.saturated
    assert saturated > 0 and 449.0 < fastest < 450.0 * (1.0 + 1e-3)
    assert rotation.angle_between(ship.orientation, reference.at(world.time, ship).orientation) < 0.1 * DEGREE
    assert np.abs(ship.angular_momentum_world).max() < 1e-9


# a thousand ships


class HeldTorque:
    """A torque on every body, held over each tick, as a vectorised program applies it."""

    evaluate = "tick"

    def __init__(self, count):
        self.torque_body = np.zeros((count, 3))

    def apply(self, wrench, bodies, time):
        wrench.torque_body[:] += self.torque_body


@pytest.mark.parametrize("name", LAWS)
def test_many_ships_turn_half_a_turn_as_stacks_and_each_as_it_does_alone(name):
    """One call of the law serves all ships, and the first and the last one have the bits of a ship in a world of its own."""
    count, dt, every = sized(24, 1000) if COMPILED else 24, 0.1, 1
    random = np.random.default_rng(7)
    starts = rotation.from_rotation_vector(random.normal(size=(count, 3)))
    ends = rotation.multiply(starts, rotation.from_axis_angle(random.normal(size=(count, 3)), np.full(count, np.pi)))
    hull = MassProperties.box(1200.0, (2.0, 2.0, 4.0))
    world = World(dt)
    world.add_bodies(hull, np.zeros((count, 3)), orientation=starts)
    law, seconds = slewing_laws(hull.inertia_body, 20.0)[name]
    torque, kept = world.add_force(HeldTorque(count)), {}
    is_led = isinstance(law, control.PhasePlane)
    references = Slew(starts, ends, *SLEW) if is_led else Reference(ends)

    @world.on_tick(every=every)
    def sample(world):
        ships = SimpleNamespace(
            orientation=world.state.orientation,
            angular_velocity_body=world.state.angular_velocity_body,
            inertia_body=hull.inertia_body,
        )
        reference = references.at(world.time, None)
        state = kept["law"] if kept else law.initial_state(ships, reference)
        wanted, kept["law"] = law.update(ships, reference, every * dt, state)
        excess = np.abs(wanted / 20.0).max(axis=1)
        torque.torque_body = wanted / np.maximum(excess, 1.0)[:, np.newaxis]

    ticks = round(seconds / dt)
    world.step(ticks)
    left = rotation.angle_between(world.state.orientation, ends)
    assert left.max() < 0.1 * DEGREE
    for place in sized((count - 1,), (0, count - 1)):
        alone = World(dt)
        ship = alone.add_body(hull, orientation=starts[place])
        motor = alone.add_part(BodyTorque(ship, max_torque=20.0))
        reference = Slew(starts[place], ends[place], *SLEW) if is_led else Reference(ends[place])
        alone.add_part(Controlled(ship, law, reference, motor, every=every))
        alone.step(ticks)
        assert np.array_equal(ship.orientation, world.state.orientation[place])
        assert np.array_equal(ship.angular_velocity_body, world.state.angular_velocity_body[place])


# momentum of the wheels, dumped by jets


def test_jets_dump_the_momentum_of_full_wheels_while_the_wheels_hold_the_attitude():
    """The wheel about z is nearly full. The jets brake it by couples at 1 m, so that they give the impulse ``ΔH/(1 m)`` and no more.

    Their largest torque, 118 N·m·s over 40 s, pushes the ship aside by itself over the stiffness of 72 N·m/rad, which is 2.3°.
    """
    world, ship, bank, _ = ship_with_jets(dt=0.1, propellant=20.0, **VALVES)
    limits = {"inertia": 0.2, "max_torque": 3.0, "max_speed": 600.0}
    wheels = [
        world.add_part(ReactionWheel(ship, axis=axis, speed=speed, **limits))
        for axis, speed in zip(np.eye(3), (0.0, 0.0, 590.0), strict=True)
    ]
    start = Reference(ship.orientation)
    law = control.QuaternionPD.tuned(ship.inertia_body, max_torque_body=2.0, bandwidth=0.3)
    holding = world.add_part(Controlled(ship, law, start, WheelAllocator(wheels), every=2))
    manager = control.MomentumManager(wheels, high=100.0, low=10.0, time_constant=40.0)
    jets = Jets(ThrusterAllocator([bank]), PulseModulator(0.02, 0.4))
    dumping = world.add_part(Controlled(ship, manager, start, jets, every=4))
    before, worst = ship.angular_momentum_world, 0.0
    assert before @ ship.direction_to_world((0.0, 0.0, 1.0)) == pytest.approx(118.0, rel=1e-12)
    for _ in range(250):
        world.step(10)
        worst = max(worst, holding.error_angle)
    assert worst < 2.4 * DEGREE and holding.error_angle < 0.1 * DEGREE
    assert abs(wheels[2].momentum) < 10.5 and not dumping.torque_body.any()  # below `low`, the dumping stops
    given = np.linalg.norm(ship.angular_momentum_world - before)
    assert bank.impulse.sum() == pytest.approx(given, rel=1e-3)
    used = 20.0 - bank.tank.propellant
    assert used == pytest.approx(bank.impulse.sum() / (GRAVITY * SPECIFIC_IMPULSE), abs=1e-10)


def test_the_wheels_of_a_momentum_manager_cannot_be_removed_from_under_it():
    """It went on dumping the momentum that they had, and spun up the ship."""
    world = World(dt=0.05)
    ship, other = (world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0))) for _ in range(2))
    limits = {"axis": (0, 0, 1), "inertia": 0.2, "max_torque": 2.0, "max_speed": 600.0, "speed": 550.0}
    wheel, far = (world.add_part(ReactionWheel(body, **limits)) for body in (ship, other))
    motor = world.add_part(BodyTorque(ship))
    manager = control.MomentumManager([wheel], high=50.0, low=5.0)
    loop = world.add_part(Controlled(ship, manager, Reference(), motor, every=2))
    world.step(3)
    with pytest.raises(
        ValueError,
        match=r"World\.remove_part: part must be one that no control loop or filter uses; got .*; Controlled",
    ):
        world.remove_part(wheel)
    strange = control.MomentumManager([ReactionWheel(ship, **limits)], high=50.0, low=5.0)
    with pytest.raises(
        ValueError, match=r"law must be one that reads only wheels of this world; got .*; ReactionWheel"
    ):
        loop.law = strange
    with pytest.raises(
        ValueError, match=r"law must be one that reads only wheels of this world; got .*; ReactionWheel"
    ):
        world.add_part(Controlled(ship, strange, Reference(), motor, every=2, name="another"))
    assert world.fork().state_hash() == world.state_hash()
    with pytest.raises(
        ValueError,
        match=r"law must be one that reads only wheels of body 'body 0'; got .*; ReactionWheel\(body 'body 1'",
    ):
        loop.law = control.MomentumManager([far], high=50.0, low=5.0)
    world.remove_body(other)
    world.step(4)
    world.remove_part(loop)
    world.remove_part(wheel)
