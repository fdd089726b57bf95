"""Wheels, magnetorquers and jets as actuators of a control loop, against least squares and values computed by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from engine import MassProperties, World
from engine.flight import (
    Controlled,
    Jets,
    MagneticDipole,
    Magnetorquer,
    Magnetorquers,
    PulseModulator,
    ReactionWheel,
    Reference,
    ThrusterAllocator,
    WheelAllocator,
    control,
)
from engine.forces import Thruster, ThrusterBank

from .. import helpers

PYRAMID = [(1.0, 1.0, 1.0), (-1.0, 1.0, 1.0), (-1.0, -1.0, 1.0), (1.0, -1.0, 1.0)]


def new_ship(**start):
    return World(0.1).add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)), name="ship", **start)


class Wheel:
    """What an allocator needs of a wheel; a torque beyond the limit is rejected."""

    def __init__(self, body, axis, max_torque=0.5, speed=0.0, inertia=0.05):
        self.body, self.axis = body, np.array(axis) / np.linalg.norm(axis)
        self.inertia, self.max_torque, self.max_speed, self.speed = inertia, max_torque, 600.0, speed
        self.enabled = True
        self._torque = 0.0

    @property
    def torque(self):
        return self._torque

    @torque.setter
    def torque(self, value):
        assert abs(value) <= self.max_torque
        self._torque = value


def wheels_on(ship, axes=PYRAMID, **values):
    return [Wheel(ship, axis, **values) for axis in axes]


def torques_of(wheels):
    return np.array([wheel.torque for wheel in wheels])


def torque_on_the_body(wheels):
    return -np.array([wheel.axis for wheel in wheels]).T @ torques_of(wheels)


def test_wheels_share_a_torque_by_least_squares():
    """Against the pseudo-inverse; the body feels the opposite of the motor torques."""
    random = np.random.default_rng(1)
    for count in (3, 4, 6):
        for _ in range(20):
            wheels = wheels_on(new_ship(), random.normal(size=(count, 3)), max_torque=50.0)
            wanted = 0.2 * random.normal(size=3)
            actuators = WheelAllocator(wheels)
            made = actuators.command(wanted, (0.0, 0.0, 0.0), 0.1)
            axes = np.array([wheel.axis for wheel in wheels]).T
            assert torques_of(wheels) == pytest.approx(-np.linalg.pinv(axes) @ wanted, abs=1e-11)
            assert made.torque_body == pytest.approx(wanted, abs=1e-13) and not made.force_body.any()
            assert not actuators.saturated


def test_wheels_out_of_reach_keep_the_direction():
    """Four wheels of 0.5 N·m in a pyramid make 4·0.5/√3 about z."""
    wheels = wheels_on(new_ship())
    actuators = WheelAllocator(wheels)
    made = actuators.command((0.0, 0.0, 3.0), None, 0.1)
    assert made.torque_body == pytest.approx((0.0, 0.0, 2.0 / np.sqrt(3.0))) and actuators.saturated
    made = actuators.command((2.0, -1.0, 0.5), None, 0.1)
    assert np.cross(made.torque_body, (2.0, -1.0, 0.5)) == pytest.approx((0, 0, 0), abs=1e-12) and actuators.saturated
    assert torque_on_the_body(wheels) == pytest.approx(made.torque_body)
    actuators.command((0.1, 0.1, 0.1), None, 0.1)
    assert not actuators.saturated and actuators.commanded.torque_body == pytest.approx((0.1, 0.1, 0.1))


def test_a_full_wheel_is_left_out_in_its_direction_only():
    wheels = wheels_on(new_ship())
    actuators = WheelAllocator(wheels)
    wheels[0].speed = 600.0
    wanted = np.array((-0.1, -0.2, -0.3))
    actuators.command(wanted, None, 0.1)
    assert wheels[0].torque == 0.0 and torque_on_the_body(wheels) == pytest.approx(wanted) and not actuators.saturated
    actuators.command(-wanted, None, 0.1)
    assert wheels[0].torque < -0.01 and torque_on_the_body(wheels) == pytest.approx(-wanted)


def test_a_nearly_full_wheel_is_not_driven_beyond_its_largest_speed():
    """It takes J (600 − 599) rad/s in 0.5 s, which is 0.1 N·m."""
    (wheel,) = wheels = wheels_on(new_ship(), [(0, 0, 1)], speed=599.0)
    actuators = WheelAllocator(wheels)
    made = actuators.command((0.0, 0.0, -0.4), None, 0.5)
    assert (
        wheel.torque == pytest.approx(0.1) and made.torque_body == pytest.approx((0, 0, -0.1)) and actuators.saturated
    )


def test_a_lost_wheel_is_not_commanded_and_the_others_do_its_work():
    wheels = wheels_on(new_ship())
    actuators = WheelAllocator(wheels).without(wheels[2])
    wheels[2].torque = 0.123
    wanted = (0.1, -0.05, 0.2)
    made = actuators.command(wanted, None, 0.1)
    assert wheels[2].torque == 0.123 and actuators.lost == (wheels[2],)
    wheels[2].torque = 0.0
    assert torque_on_the_body(wheels) == pytest.approx(wanted) and made.torque_body == pytest.approx(wanted)
    two = actuators.without(wheels[0])
    made = two.command((0.1, 0.1, 0.1), None, 0.1)
    normal = np.cross(wheels[1].axis, wheels[3].axis)
    assert two.saturated and made.torque_body @ normal == pytest.approx(0.0, abs=1e-15)


def test_null_motion_turns_the_wheels_without_the_body():
    """Wheels of a pyramid at skew speeds, driven by null motion alone, come to the preferred speed where the body permits it."""
    ship = new_ship()
    wheels = wheels_on(ship)
    null, offsets = np.array([1.0, -1.0, 1.0, -1.0]), np.array([50.0, -20.0, 35.0, -60.0])
    for wheel, offset in zip(wheels, offsets, strict=True):
        wheel.speed = 100.0 + offset
    actuators = WheelAllocator(wheels, preferred_speed=100.0, null_rate=0.5)
    for _ in range(200):
        made = actuators.command((0.0, 0.0, 0.0), None, 0.1)
        assert torque_on_the_body(wheels) == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
        assert made.torque_body == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
        for wheel in wheels:
            wheel.speed += 0.1 * wheel.torque / wheel.inertia
    # what null motion cannot change stays; of the rest (1 − 0.5·0.1)^200 = 3.5e-5, apart from the time at the limit
    expected = 100.0 + offsets - 0.25 * (offsets @ null) * null
    assert [wheel.speed for wheel in wheels] == pytest.approx(expected, abs=0.02)


def test_null_motion_leaves_the_limits_to_the_torque():
    wheels = wheels_on(new_ship(), speed=300.0)
    wanted = np.array((0.3, 0.2, 0.5))
    WheelAllocator(wheels, preferred_speed=(0.0, 600.0, 0.0, 600.0), null_rate=100.0).command(wanted, None, 0.1)
    assert torque_on_the_body(wheels) == pytest.approx(wanted)
    assert np.abs(torques_of(wheels)).max() == pytest.approx(0.5)  # null motion goes to the limit, and no further
    three = wheels_on(new_ship(), np.eye(3), speed=300.0)
    WheelAllocator(three, preferred_speed=0.0).command(0.1 * wanted, None, 0.1)
    assert torques_of(three) == pytest.approx(-0.1 * wanted)  # three wheels have no null motion


def test_real_wheels_turn_the_ship_as_commanded_with_one_of_them_disabled():
    """A torque of 0.2 N·m about z for 5 s gives 1 N·m·s to the ship and takes it from the wheels, while null motion goes on."""
    ship = new_ship()
    limits = {"inertia": 0.05, "max_torque": 0.5, "max_speed": 600.0}
    axes = [*PYRAMID, (0.0, 0.3, 1.0)]
    speeds = (0.0, 100.0, 0.0, 100.0, 0.0)
    wheels = [
        ship.world.add_part(ReactionWheel(ship, axis=axis, speed=speed, **limits))
        for axis, speed in zip(axes, speeds, strict=True)
    ]
    wheels[1].enabled = False
    actuators = WheelAllocator(wheels, preferred_speed=20.0, null_rate=1.0)
    used = [wheels[place] for place in (0, 2, 3, 4)]
    null = np.linalg.svd(np.array([wheel.axis for wheel in used]).T)[2][-1]
    before = null @ [wheel.speed - 20.0 for wheel in used]
    whole = ship.angular_momentum_world
    for _ in range(50):
        made = actuators.command((0.0, 0.0, 0.2), None, 0.1)
        assert made.torque_body == pytest.approx((0.0, 0.0, 0.2), abs=1e-12) and not actuators.saturated
        ship.world.step()
    assert wheels[1].torque == 0.0
    # (1 − 0.1)^50 = 0.005 of the difference is left, but for what the turn of the ship adds to the speeds
    assert abs(null @ [wheel.speed - 20.0 for wheel in used]) < 0.01 * abs(before)
    # the gyroscopic torque of the wheels' momentum turns the ship a little about the other axes
    assert (ship.inertia_body @ ship.angular_velocity_body)[2] == pytest.approx(1.0, abs=2e-3)
    assert ship.angular_momentum_world == pytest.approx(whole, abs=1e-12)
    for wheel in wheels:
        wheel.enabled = False
    assert not actuators.command((0.0, 0.0, 0.2), None, 0.1).torque_body.any() and actuators.saturated


def magnetorquers_on(ship, field_world, max_dipole=0.2, axes=((1, 0, 0), (0, 1, 0), (0, 0, 1))):
    field = SimpleNamespace(at=lambda position: np.array(field_world))
    return [
        SimpleNamespace(body=ship, axis=np.array(axis, float), max_dipole=max_dipole, dipole=0.0, field=field)
        for axis in axes
    ]


def test_magnetorquers_make_the_torque_at_right_angles_to_the_field():
    """m = B × τ / B² is the least dipole for a torque at right angles to B."""
    ship = new_ship(orientation=helpers.SKEW_ORIENTATION)
    field_world = np.array((2.0e-5, -3.0e-5, 1.5e-5))
    torquers = magnetorquers_on(ship, field_world)
    actuators = Magnetorquers(torquers)
    wanted = np.array((1.0e-6, 2.0e-6, -1.5e-6))
    made = actuators.command(wanted, None, 1.0)
    field = ship.direction_to_body(field_world)
    across = wanted - (wanted @ field) / (field @ field) * field
    dipole = np.array([torquer.dipole for torquer in torquers])
    assert dipole == pytest.approx(np.cross(field, wanted) / (field @ field), rel=1e-9)
    assert made.torque_body == pytest.approx(across, rel=1e-9) and not actuators.saturated
    assert np.cross(dipole, field) == pytest.approx(across, rel=1e-9)


def test_magnetorquers_beyond_their_limit_keep_the_direction():
    ship = new_ship()
    torquers = magnetorquers_on(ship, (0.0, 0.0, 4.0e-5))
    actuators = Magnetorquers(torquers)
    made = actuators.command((0.0, 16.0e-6, 3.0e-6), None, 1.0)
    # m = −0.4 A·m² along x would be needed
    assert made.torque_body == pytest.approx((0.0, 8.0e-6, 0.0)) and actuators.saturated
    assert torquers[0].dipole == pytest.approx(-0.2)
    rest = actuators.without(torquers[0])
    assert rest.command((4.0e-6, 0.0, 0.0), None, 1.0).torque_body == pytest.approx((4.0e-6, 0.0, 0.0))
    assert torquers[1].dipole == pytest.approx(0.1)


def test_real_magnetorquers_turn_the_body_as_commanded():
    ship = new_ship(position=(4.0e6, -3.0e6, 5.0e6), orientation=helpers.SKEW_ORIENTATION)
    earth = MagneticDipole(7.8e15, (0.1, 0.2, -1.0))
    torquers = [ship.world.add_part(Magnetorquer(ship, axis=axis, max_dipole=2.0, field=earth)) for axis in np.eye(3)]
    made = Magnetorquers(torquers).command((1.0e-5, -2.0e-5, 0.5e-5), None, 0.1)
    assert ship.world.wrench(ship)[1] == pytest.approx(made.torque_body, rel=1e-9)
    field = ship.direction_to_body(earth.at(ship.position))
    assert made.torque_body @ field == pytest.approx(0.0, abs=1e-20) and made.torque_body.any()


def bank_of_four(ship):
    """Two couples about y with levers of 1 m; the jets of the first one push along +z at +x."""
    positions, directions = [(1, 0, 0), (-1, 0, 0)] * 2, [(0, 0, 1), (0, 0, -1), (0, 0, -1), (0, 0, 1)]
    return ship.world.add_force(ThrusterBank(ship, positions=positions, directions=directions, max_forces=10.0))


def test_throttled_jets_turn_the_ship_as_commanded():
    """1200 kg with I_y = 2000 kg·m²: 4 N·m over 2 s is 0.004 rad/s."""
    ship = new_ship()
    jets = Jets(ThrusterAllocator([bank_of_four(ship)]))
    made = jets.command((0.0, 4.0, 0.0), (0.0, 0.0, 0.0), 2.0)
    assert made.torque_body == pytest.approx((0.0, 4.0, 0.0)) and jets.commanded.torque_body == pytest.approx((0, 4, 0))
    ship.world.step(20)
    assert ship.angular_velocity_body == pytest.approx((0.0, 0.004, 0.0)) and not ship.velocity.any()
    assert not jets.saturated and not hasattr(jets, "period") and jets.state_size == 0


def test_saturated_jets_say_so_and_what_they_make():
    ship = new_ship()
    jets = Jets(ThrusterAllocator([bank_of_four(ship)]))
    made = jets.command((0.0, 40.0, 0.0), (0.0, 0.0, 0.0), 2.0)
    assert jets.saturated and made.torque_body == pytest.approx((0.0, 20.0, 0.0))
    assert jets.shares == pytest.approx([0.0, 0.0, 1.0, 1.0])


def test_lost_jets_are_not_commanded():
    ship = new_ship()
    one = ship.world.add_force(Thruster(ship, position=(2, 0, 0), direction=(0, 0, 1), max_force=10.0))
    bank = bank_of_four(ship)
    jets = Jets(ThrusterAllocator([one, bank]))
    one.throttle = 0.4
    jets.allocator = jets.allocator.without(one, level=0.4).without(2)
    made = jets.command((0.0, 5.0, 0.0), None, 1.0)
    assert one.throttle == 0.4 and bank.throttle[1] == 0.0
    assert made.torque_body == pytest.approx((0.0, 5.0, 0.0))
    assert jets.commanded.force_body == pytest.approx(made.force_body) and made.force_body[2] != 0.0
    ship.world.step(10)
    assert ship.angular_velocity_body == pytest.approx((0.0, 0.0025, 0.0))


def pulsed_bank(ship, max_force=10.0):
    positions, directions = [(1, 0, 0), (-1, 0, 0)] * 2, [(0, 0, 1), (0, 0, -1), (0, 0, -1), (0, 0, 1)]
    valves = {"min_on_time": (0.03, 0.05, 0.03, 0.03), "rise_time": 0.02, "fall_time": (0.01, 0.02, 0.04, 0.0)}
    bank = ThrusterBank(ship, positions=positions, directions=directions, max_forces=max_force, **valves)
    return ship.world.add_force(bank)


def test_pulsed_jets_deliver_what_was_commanded():
    """Over 300 periods, the impulses of real valves are those that were counted, and their sum is the wanted one within a pulse."""
    random, ship = np.random.default_rng(9), new_ship()
    bank = pulsed_bank(ship)
    jets = Jets(ThrusterAllocator([bank]), PulseModulator(0.02, 0.5))
    assert jets.modulator.min_on_time.tolist() == [0.03, 0.05, 0.03, 0.03] and jets.period == 0.5
    state, counted, asked = jets.initial_state(), np.zeros(4), np.zeros(3)
    for _ in range(300):
        torque = np.array((0.0, random.choice([0.0, 0.3, 15.0, -8.0, 20.0]), 0.0))
        state = jets.command(torque, (0.0, 0.0, 0.0), 0.5, state)
        counted += 0.5 * 10.0 * jets.shares
        asked += 0.5 * torque
        ship.world.step(5)
        assert bank.impulse == pytest.approx(counted, abs=1e-9)
    found = np.cross(bank.positions, bank.directions).T @ bank.impulse
    assert found == pytest.approx(asked, abs=10.0 * (0.05 + 0.02 + 0.03))
    assert ship.inertia_body @ ship.angular_velocity_body == pytest.approx(found, abs=1e-9)


def test_what_pulsed_jets_make_is_the_mean_over_the_period():
    ship = new_ship()
    one = ship.world.add_force(Thruster(ship, position=(1, 0, 0), direction=(0, 0, 1), max_force=8.0, min_on_time=0.1))
    jets = Jets(ThrusterAllocator([one]), PulseModulator(0.02, 0.5))
    state = jets.command((0.0, -1.0, 0.0), None, 0.5, jets.initial_state())
    # a share of 1/8 is 0.0625 s, below the shortest pulse of the valve
    assert not jets.commanded.torque_body.any() and one.pulse_left == 0.0 and state == pytest.approx([0.0625, 0.0])
    state = jets.command((0.0, -1.0, 0.0), None, 0.5, state)
    assert one.pulse_left == pytest.approx(0.125) and jets.shares == pytest.approx([0.25])
    assert jets.commanded.torque_body == pytest.approx((0.0, -2.0, 0.0)) and state == pytest.approx([0.0, 0.0])
    assert jets.commanded.force_body == pytest.approx((0.0, 0.0, 2.0)) and not jets.saturated


def test_a_jet_stuck_open_is_balanced_by_pulses():
    """The others cancel its torque from period to period, so that the rates stay below those of a few pulses."""
    ship = new_ship()
    bank = pulsed_bank(ship)
    jets = Jets(ThrusterAllocator([bank]), PulseModulator(0.02, 0.5))
    bank.stuck = (0.2, np.nan, np.nan, np.nan)
    jets.allocator = jets.allocator.without(0, level=0.2)
    state = jets.initial_state()
    for _ in range(100):
        state = jets.command((0.0, 0.0, 0.0), None, 0.5, state)
        assert jets.shares[0] == 0.2
        ship.world.step(5)
    assert bank.impulse[0] == pytest.approx(100.0)
    assert abs((ship.inertia_body @ ship.angular_velocity_body)[1]) < 10.0 * 0.5


def test_bad_actuators_are_rejected_by_name():
    ship, other = new_ship(), new_ship()
    wheels = wheels_on(ship)
    with pytest.raises(ValueError, match="WheelAllocator: wheels must be at least one"):
        WheelAllocator([])
    with pytest.raises(TypeError, match="WheelAllocator: wheels must be objects with body, axis"):
        WheelAllocator([ship])
    with pytest.raises(ValueError, match="WheelAllocator: wheels must be on the same body as the first of them"):
        WheelAllocator([*wheels, *wheels_on(other)])
    with pytest.raises(ValueError, match="WheelAllocator: wheels must be different"):
        WheelAllocator([wheels[0], wheels[0]])
    with pytest.raises(ValueError, match="preferred_speed must be at most max_speed of the wheel"):
        WheelAllocator(wheels, preferred_speed=601.0)
    with pytest.raises(ValueError, match="null_rate must be"):
        WheelAllocator(wheels, preferred_speed=1.0, null_rate=0.0)
    with pytest.raises(ValueError, match="wheel must be one of at least two wheels in use"):
        WheelAllocator(wheels[:1]).without(wheels[0])
    with pytest.raises(ValueError, match="wheel must be one of the wheels"):
        WheelAllocator(wheels[:2]).without(wheels[3])
    with pytest.raises(ValueError, match="torque_body must be"):
        WheelAllocator(wheels).command((np.nan, 0.0, 0.0), None, 0.1)
    with pytest.raises(ValueError, match="Magnetorquers: torquers must be at least one"):
        Magnetorquers([])
    torquers = magnetorquers_on(ship, (0.0, 0.0, 4.0e-5))
    with pytest.raises(ValueError, match="torquer must be one of at least two magnetorquers in use"):
        Magnetorquers(torquers[:1]).without(torquers[0])
    with pytest.raises(ValueError, match="torquer must be one of"):
        Magnetorquers(torquers[:1]).without(torquers[1])


def test_bad_jets_are_rejected_by_name():
    ship, other = new_ship(), new_ship()
    allocator = ThrusterAllocator([bank_of_four(ship)])
    with pytest.raises(TypeError, match="Jets: allocator must be a ThrusterAllocator"):
        Jets([bank_of_four(ship)])
    with pytest.raises(TypeError, match="Jets: modulator must be a PulseModulator or None"):
        Jets(allocator, 0.1)
    with pytest.raises(ValueError, match="min_on_time must be such that min_on_time"):
        Jets(ThrusterAllocator([pulsed_bank(ship)]), PulseModulator(0.02, 0.06))
    pulsed = Jets(allocator, PulseModulator(0.02, 0.5))
    with pytest.raises(ValueError, match=r"seconds must be the period of the modulator, which is 0\.5"):
        pulsed.command((0.0, 0.0, 0.0), None, 0.4, pulsed.initial_state())
    with pytest.raises(TypeError, match="state must be the state that the last command returned"):
        pulsed.command((0.0, 0.0, 0.0), None, 0.5)
    jets = Jets(allocator)
    with pytest.raises(ValueError, match="allocator must be a ThrusterAllocator for the same thrusters"):
        jets.allocator = ThrusterAllocator([bank_of_four(other)])
    with pytest.raises(TypeError, match="allocator must be a ThrusterAllocator"):
        jets.allocator = None


def four_jets(modulator=None, every=1):
    """A turning ship with two couples of jets, whose loop damps the rotation."""
    world = World(0.1)
    ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)), angular_velocity_body=(0.0, 0.02, 0.0))
    places = {"positions": [(1, 0, 0), (-1, 0, 0)] * 2, "directions": [(0, 0, -1), (0, 0, 1), (0, 0, 1), (0, 0, -1)]}
    bank = world.add_force(ThrusterBank(ship, **places, max_forces=5.0))
    jets = Jets(ThrusterAllocator([bank]), modulator)
    loop = Controlled(ship, control.RateDamping(50.0), Reference(), jets, every=every, force_body=None)
    return world, world.add_part(loop), jets, bank


def test_lost_jets_are_part_of_snapshots_undo_and_the_hash():
    world, _loop, jets, _bank = four_jets()
    world.step(3)
    snapshot, before, whole = world.snapshot(), world.state_hash(), jets.allocator
    jets.allocator = whole.without(0)
    assert world.state_hash() != before
    world.restore(snapshot)
    assert (jets.allocator.lost, world.state_hash()) == ((), before)

    @world.on_tick
    def lose(world):
        jets.allocator = whole.without(1)
        raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        world.step()
    world.remove_callback(lose)
    assert (jets.allocator.lost, world.state_hash()) == ((), before)
    jets.allocator = whole.without(2, level=0.5)
    fork = world.fork()
    world.step(5)
    fork.step(5)
    assert fork.state_hash() == world.state_hash()


def test_a_disabled_loop_leaves_no_pulse_running():
    world, loop, jets, bank = four_jets(PulseModulator(0.02, 10.0), every=100)
    world.step(5)
    assert bank.pulse_left.max() > 1.0
    loop.enabled = False
    delivered = bank.impulse.sum()
    world.step(50)
    assert bank.pulse_left.max() == 0.0 and bank.thrust.max() == 0.0 and jets.shares.max() == 0.0
    assert bank.impulse.sum() == delivered
