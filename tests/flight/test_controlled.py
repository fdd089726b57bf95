"""Control loops: when they sample, what they command, and that all they remember belongs to the world."""

import copy
import math
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from engine import MassProperties, World, flight, forces, rotation
from engine.flight import BodyTorque, Controlled, Pointing, ReactionWheel, Reference, Slew, Spin
from engine.flight.control import BDot, Law, MomentumManager, MRPFeedback, PhasePlane, QuaternionPD, RateDamping

from ..helpers import ASYMMETRIC, SKEW_ORIENTATION
from ..truth.reference import cross

INERTIA = 20.0 * ASYMMETRIC
RATES = np.array([0.05, -0.1, 0.08])
DEGREE = math.pi / 180.0
SKEW_HALF_TURN = rotation.multiply(rotation.from_axis_angle((0.3, -1.0, 0.6), math.pi), SKEW_ORIENTATION)


def ship_in_a_world(dt=0.05, **start):
    world = World(dt, integrator="free-rotor-4")
    start = {"orientation": SKEW_ORIENTATION, "angular_velocity_body": RATES, **start}
    return world, world.add_body(MassProperties(50.0, INERTIA), name="ship", **start)


class Recorder:
    """Actuators that note what they are told."""

    saturated = False

    def __init__(self):
        self.calls = []

    def command(self, torque_body, force_body, seconds):
        self.calls.append((np.array(torque_body), np.array(force_body), seconds))


class Counting(Law):
    """A law whose torque is the number of the sample."""

    state_size = 1

    def update(self, measured, reference, seconds, state):
        return np.array([state[0], 0.0, 0.0]), state + 1.0


# A plain torque


def test_a_body_torque_is_held_until_it_is_changed():
    world, ship = ship_in_a_world(angular_velocity_body=(0.0, 0.0, 0.0))
    motor = world.add_part(BodyTorque(ship))
    motor.torque_body = (1.0, 2.0, -3.0)
    world.step(10)
    force_world, torque_body = world.wrench(ship)
    assert torque_body.tolist() == [1.0, 2.0, -3.0] and (force_world == 0.0).all()
    assert world.parts == (motor,) and world.forces == ()
    momentum = rotation.rotate_inverse(SKEW_ORIENTATION, ship.angular_momentum_world)
    np.testing.assert_allclose(momentum, 0.5 * np.array([1.0, 2.0, -3.0]), rtol=0.1)
    motor.enabled = False
    assert (world.wrench(ship)[1] == 0.0).all()


@pytest.mark.parametrize(
    ("wanted", "made", "saturated"),
    [
        ((0.5, 0.0, -0.5), (0.5, 0.0, -0.5), False),
        ((2.0, 4.0, -2.0), (0.5, 1.0, -0.5), True),
        ((3.0, 0.0, 0.0), (1.0, 0.0, 0.0), True),
        ((0.3, 0.7, 4.2), (0.15, 0.35, 2.1), True),
    ],
)
def test_a_body_torque_cuts_a_command_and_keeps_its_direction(wanted, made, saturated):
    _, ship = ship_in_a_world()
    motor = BodyTorque(ship, max_torque=(1.0, 1.0, 2.1))
    motor.command(wanted, (0.0, 0.0, 0.0), 1.0)
    np.testing.assert_allclose(motor.torque_body, made, rtol=1e-15, atol=0.0)
    assert motor.saturated is saturated
    with pytest.raises(ValueError, match=r"torque_body must be at most \[1.0, 1.0, 2.1\]"):
        motor.torque_body = (0.0, 1.1, 0.0)
    motor.torque_body = (0.0, -1.0, 0.0)
    assert motor.saturated
    with pytest.raises(ValueError, match="torque_body must be"):
        motor.command((0.0, math.nan, 0.0))
    assert motor.torque_body.tolist() == [0.0, -1.0, 0.0]


@pytest.mark.parametrize("limit", [0.0, (1.0, -1.0, 1.0), math.nan])
def test_a_body_torque_needs_a_limit_above_zero(limit):
    _, ship = ship_in_a_world()
    with pytest.raises(ValueError, match="BodyTorque of body 'ship': max_torque must be"):
        BodyTorque(ship, max_torque=limit)


# When it samples, and what it commands


def test_a_loop_is_sampled_every_few_ticks_and_held_between():
    world, ship = ship_in_a_world()
    actuators = Recorder()
    loop = world.add_part(Controlled(ship, Counting(), Reference(), actuators, every=4))
    assert loop.force_body.tolist() == [0.0, 0.0, 0.0]
    loop.force_body = (1.0, 2.0, 3.0)
    world.step(9)
    assert [call[0][0] for call in loop.actuators.calls] == [0.0, 1.0, 2.0]
    assert [call[1].tolist() for call in actuators.calls] == [[1.0, 2.0, 3.0]] * 3
    assert {call[2] for call in actuators.calls} == {0.2}
    assert loop.torque_body.tolist() == [2.0, 0.0, 0.0]


def test_the_force_of_a_loop_may_be_left_free():
    world, ship = ship_in_a_world()
    actuators = SimpleNamespace(seen=[])
    actuators.command = lambda torque_body, force_body, seconds: actuators.seen.append(force_body)
    loop = world.add_part(Controlled(ship, Counting(), Reference(), actuators, every=1, force_body=None))
    assert loop.force_body is None
    world.step()
    loop.force_body = (1.0, 0.0, 0.0)
    world.step()
    loop.force_body = None
    world.step()
    assert actuators.seen[0] is None and actuators.seen[1].tolist() == [1.0, 0.0, 0.0] and actuators.seen[2] is None
    with pytest.raises(ValueError, match="force_body must be"):
        loop.force_body = (1.0, math.nan, 0.0)


@pytest.mark.parametrize("delay", [1, 2, 3])
def test_a_delayed_loop_commands_nothing_until_the_first_torque_is_due(delay):
    world, ship = ship_in_a_world()
    actuators = Recorder()
    loop = world.add_part(Controlled(ship, Counting(), Reference(), actuators, every=2, delay=delay))
    world.step(2 * delay)
    assert actuators.calls == []
    assert loop.torque_body.tolist() == [delay - 1.0, 0.0, 0.0]
    world.step(6)
    assert [call[0][0] for call in actuators.calls] == [0.0, 1.0, 2.0]


def independent_slew(every, delay, dt, seconds):
    """Attitude and rates of the ship under a quaternion PD law, by SciPy and matrices; the torque is constant between samples."""

    def slope(_, state, torque):
        x, y, z, w = state[:4]
        rates = state[4:]
        product = np.array([[w, -z, y], [z, w, -x], [-y, x, w], [-x, -y, -z]])
        spin = np.linalg.solve(INERTIA, torque - cross(rates, INERTIA @ rates))
        return [*(0.5 * product @ rates), *spin]

    state, torques = np.array([*SKEW_ORIENTATION, *RATES]), []
    for sample in range(round(seconds / (every * dt))):
        error = Rotation.from_quat(SKEW_HALF_TURN).inv() * Rotation.from_quat(state[:4])
        q = error.as_quat()
        torques.append(-2.0 * 30.0 * math.copysign(1.0, q[3]) * q[:3] - 60.0 * state[4:])
        torque = torques[sample - delay] if sample >= delay else np.zeros(3)
        interval = (0.0, every * dt)
        state = solve_ivp(slope, interval, state, "DOP853", args=(torque,), rtol=1e-12, atol=1e-13).y[:, -1]
    return state


def test_a_delay_of_one_sample_differs_in_the_third_digit_and_is_right_in_both():
    ends = []
    for delay in (0, 1):
        world, ship = ship_in_a_world(dt=0.01)
        motor = world.add_part(BodyTorque(ship))
        world.add_part(
            Controlled(ship, QuaternionPD(30.0, 60.0), Reference(SKEW_HALF_TURN), motor, every=5, delay=delay)
        )
        world.step(400)
        expected = independent_slew(5, delay, 0.01, 4.0)
        np.testing.assert_allclose(ship.orientation * np.sign(ship.orientation @ expected[:4]), expected[:4], atol=1e-9)
        np.testing.assert_allclose(ship.angular_velocity_body, expected[4:], atol=1e-9)
        ends.append(ship.angular_velocity_body)
    difference = np.abs(ends[1] - ends[0]).max() / np.abs(ends[0]).max()
    assert 1e-3 < difference < 3e-2


def test_a_loop_reads_errors_and_saturation_of_the_last_sample():
    world, ship = ship_in_a_world()
    motor = world.add_part(BodyTorque(ship, max_torque=2.0))
    law = QuaternionPD.tuned(INERTIA, 2.0, 0.6)
    loop = world.add_part(Controlled(ship, law, Reference(SKEW_HALF_TURN), motor, every=2))
    assert not loop.saturated and loop.error_angle == 0.0
    world.step()
    assert loop.error_angle == pytest.approx(math.pi, abs=1e-7)
    assert loop.saturated
    np.testing.assert_allclose(np.cross(loop.torque_body, motor.torque_body), 0.0, atol=1e-12)
    assert np.abs(motor.torque_body).max() == pytest.approx(2.0, rel=1e-15)
    world.step(1200)
    assert loop.error_angle < 0.1 * DEGREE and not loop.saturated
    assert loop.error_angle == pytest.approx(rotation.angle_between(ship.orientation, SKEW_HALF_TURN), rel=0.2)


@pytest.mark.parametrize(
    ("law", "seconds", "dt"),
    [
        (MRPFeedback(20.0, 40.0), 100.0, 0.05),
        (MRPFeedback(60.0, 60.0, 0.003, 0.5), 100.0, 0.05),
        (QuaternionPD.tuned(INERTIA, 2.0, 0.6), 40.0, 0.05),
        (PhasePlane(0.04 * DEGREE, 0.02, 0.3, torque=2.0), 150.0, 0.01),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_law_slews_half_a_turn_with_a_limited_torque(law, seconds, dt):
    world, ship = ship_in_a_world(dt, angular_velocity_body=(0.0, 0.0, 0.0))
    motor = world.add_part(BodyTorque(ship, max_torque=2.0))
    every = 1 if isinstance(law, PhasePlane) else 4
    loop = world.add_part(Controlled(ship, law, Reference(SKEW_HALF_TURN), motor, every=every))
    world.step(round(seconds / dt))
    assert loop.error_angle < 0.1 * DEGREE


def test_a_loop_tracks_a_slew_that_the_torque_can_follow():
    world, ship = ship_in_a_world(dt=0.02, angular_velocity_body=(0.0, 0.0, 0.0))
    motor = world.add_part(BodyTorque(ship, max_torque=2.0))
    slew = Slew(SKEW_ORIENTATION, SKEW_HALF_TURN, 0.2, 0.03, start_time=1.0)
    law = QuaternionPD.tuned(INERTIA, 2.0, 1.0)
    loop = world.add_part(Controlled(ship, law, slew, motor, every=2))
    worst = 0.0
    while world.time < 1.0 + slew.duration:
        world.step()
        worst = max(worst, loop.error_angle)
        assert not loop.saturated
    assert worst < 1.0 * DEGREE
    world.step(500)
    assert loop.error_angle < 1e-4


def test_a_loop_reads_an_estimate_and_what_it_lacks_from_the_body():
    world, ship = ship_in_a_world()
    estimate = SimpleNamespace(
        orientation=np.array([0.0, 0.0, 0.0, 1.0]), angular_velocity_body=np.array([0.3, 0.0, 0.0])
    )
    law, reference = MRPFeedback(3.0, 7.0), Reference(angular_velocity_world=(0.1, 0.0, 0.2))
    loop = world.add_part(Controlled(ship, law, reference, Recorder(), every=1, measured=estimate))
    ship.stored_momentum_body = (1.0, -2.0, 3.0)
    expected = law.torque_body(
        SimpleNamespace(**vars(estimate), inertia_body=INERTIA, stored_momentum_body=np.array([1.0, -2.0, 3.0])),
        reference,
        world.dt,
    )
    world.step()
    np.testing.assert_allclose(loop.torque_body, expected, rtol=1e-13)
    assert loop.error_angle == 0.0
    assert loop.measured is estimate


def test_b_dot_runs_in_a_loop_with_a_magnetometer():
    world, ship = ship_in_a_world()
    field = np.array([2e-5, -1e-5, 3e-5])

    class Magnetometer:
        @property
        def field_body(self):
            return rotation.rotate_inverse(ship.orientation, field)

    loop = world.add_part(Controlled(ship, BDot(1e7), Reference(), Recorder(), every=2, measured=Magnetometer()))
    world.step()
    assert (loop.torque_body == 0.0).all()  # one field says nothing of its change
    world.step(2)
    assert loop.torque_body @ RATES < 0.0


def test_two_loops_share_a_law_and_a_body():
    world, ship = ship_in_a_world()
    wheel = SimpleNamespace(momentum=5.0, axis=(0.0, 0.0, 1.0))
    law = MRPFeedback(20.0, 40.0, 0.01)
    first = world.add_part(Controlled(ship, law, Reference(), Recorder(), every=2))
    second = world.add_part(Controlled(ship, law, Reference(SKEW_HALF_TURN), Recorder(), every=3))
    dumping = world.add_part(Controlled(ship, MomentumManager([wheel], 4.0, 1.0), Reference(), Recorder(), every=1))
    world.step(12)
    assert dumping.torque_body.tolist() == [0.0, 0.0, -0.05]
    alone = []
    for reference, every in ((Reference(), 2), (Reference(SKEW_HALF_TURN), 3)):
        other, same_ship = ship_in_a_world()
        alone.append(other.add_part(Controlled(same_ship, law, reference, Recorder(), every=every)))
        other.step(12)
    assert (first.torque_body == alone[0].torque_body).all()
    assert (second.torque_body == alone[1].torque_body).all()


# What belongs to the world


def running(delay=2):
    """A world whose loop has an integral, a delay, a moving reference and a target."""
    world, ship = ship_in_a_world()
    target = world.add_body(
        MassProperties.sphere(1.0, 0.5), name="target", position=(100.0, 30.0, 20.0), velocity=(0, 1, 0)
    )
    motor = world.add_part(BodyTorque(ship, max_torque=1.0))
    pointing = Pointing((0, 0, 1), target, (1, 0, 0), (0.0, 1.0, 0.0))
    law = MRPFeedback(20.0, 40.0, 0.01, 5.0)
    world.add_part(Controlled(ship, law, pointing, motor, every=3, delay=delay))
    return world


def test_the_state_of_a_loop_is_undone_with_a_failed_tick_to_the_last_bit():
    world = running()
    world.step(12)  # the next tick is a sample
    loop = world.parts[1]
    before, content, torque = world.state_hash(), loop._table.content(), world.parts[0].torque_body

    @world.after_tick
    def never(world):
        raise AssertionError("the tick fails before")

    class Bad:
        evaluate = "tick"

        def apply(self, wrench, bodies, time):
            wrench.torque_body[0] = math.nan

    bad = world.add_force(Bad())
    with pytest.raises(ArithmeticError):
        world.step()
    assert (loop._table.content() == content).all()
    assert (world.parts[0].torque_body == torque).all()
    world.remove_force(bad)
    world.remove_callback(never)
    assert world.state_hash() == before
    world.step(9)
    undisturbed = running()
    undisturbed.step(21)
    assert world.state_hash() == undisturbed.state_hash()


def test_what_a_law_remembers_is_part_of_the_hash_and_of_copies():
    world = running()
    world.step(13)
    for copied in (copy.deepcopy(world), pickle.loads(pickle.dumps(world))):
        assert copied.state_hash() == world.state_hash()
        loop = copied.parts[1]
        assert loop.body is copied.body("ship") and loop.actuators is copied.parts[0]
        assert loop.reference.target is copied.body("target")
        together = copy.deepcopy(world)
        together.step(20)
        copied.step(20)
        assert copied.state_hash() == together.state_hash()
    other = copy.deepcopy(world)
    table = other.parts[1]._table
    table.array[other.parts[1]._schema.row("law_state"), 0] += 1e-9
    assert other.state_hash() != world.state_hash()


def test_many_steps_and_one_call_give_the_same_bits():
    one, many = running(), running()
    one.step(50)
    for _ in range(50):
        many.step()
    assert one.state_hash() == many.state_hash()


def test_a_new_reference_is_undone_with_a_failed_tick():
    world = running()
    loop, before = world.parts[1], world.parts[1].reference

    @world.on_tick
    def fail(world):
        loop.reference = Spin((0.0, 0.0, 0.1))
        loop.law = MRPFeedback(1.0, 1.0, 0.5)
        raise ArithmeticError

    law = loop.law
    with pytest.raises(ArithmeticError):
        world.step()
    assert loop.reference is before and loop.law is law


@pytest.mark.parametrize("place", ["target", "second_target"])
def test_a_reference_to_a_body_of_another_world_is_rejected(place):
    """A copy of the world would have a copy of that body, which nothing moves."""
    world, elsewhere = World(0.5), World(0.5)
    ship, near, far = (
        one.add_body(MassProperties.sphere(2.0, 0.5), position=(x, 1.0, 2.0))
        for one, x in ((world, 0), (world, 5), (elsewhere, 9))
    )
    motor = world.add_part(BodyTorque(ship, max_torque=1.0))

    def towards(body):
        return Pointing((0, 0, 1), body) if place == "target" else Pointing((0, 0, 1), (0, 1, 0), (1, 0, 0), body)

    def loop(reference):
        return Controlled(ship, QuaternionPD(1.0, 1.0), reference, motor, every=1)

    words = rf"Controlled\('control loop'\): reference must be one to bodies of the same world; .*; its {place} is body"
    with pytest.raises(ValueError, match=words):
        world.add_part(loop(towards(far)))
    assert world.parts == (motor,)
    added = world.add_part(loop(towards(near)))
    with pytest.raises(ValueError, match=words):
        added.reference = towards(far)
    assert added.reference.target is near or added.reference.second_target is near
    world.step(3)
    world.remove_part(added)
    added.reference = towards(far)  # it is in no world
    elsewhere.remove_body(far)
    with pytest.raises(ValueError, match=rf"Pointing: {place}: body .* was removed"):
        world.add_part(added)


def test_disabling_a_loop_commands_zero_once_and_enabling_starts_anew():
    world, ship = ship_in_a_world()
    actuators = Recorder()
    loop = world.add_part(Controlled(ship, Counting(), Reference(), actuators, every=2, delay=1))
    world.step(8)
    loop.enabled = False
    assert actuators.calls[-1][0].tolist() == [0.0, 0.0, 0.0] and actuators.calls[-1][2] == 0.1
    count = len(actuators.calls)
    world.step(8)
    assert len(actuators.calls) == count and not loop.enabled
    assert loop.coast_obstacle() is None
    loop.enabled = True
    world.step(6)
    assert [call[0][0] for call in actuators.calls[count:]] == [0.0, 1.0]
    assert "is enabled" in loop.coast_obstacle()


def test_a_removed_loop_commands_zero_once():
    world, ship = ship_in_a_world()
    actuators = Recorder()
    loop = world.add_part(Controlled(ship, Counting(), Reference(), actuators, every=2))
    world.step(8)
    count = len(actuators.calls)
    world.remove_part(loop)
    assert len(actuators.calls) == count + 1 and actuators.calls[-1][0].tolist() == [0.0, 0.0, 0.0]
    loop.enabled = False
    world.add_part(loop)
    world.remove_part(loop)
    assert len(actuators.calls) == count + 1


def test_the_jets_of_a_removed_loop_shut():
    world, ship = ship_in_a_world(angular_velocity_body=(0.0, 0.0, 0.5))
    ends = {"positions": [(1, 0, 0), (-1, 0, 0)] * 2, "directions": [(0, -1, 0), (0, 1, 0), (0, 1, 0), (0, -1, 0)]}
    bank = world.add_force(forces.ThrusterBank(ship, **ends, max_forces=1.0))
    jets = flight.Jets(flight.ThrusterAllocator([bank]))
    loop = world.add_part(Controlled(ship, RateDamping(20.0), Reference(), jets, every=1))
    world.step()
    assert bank.throttle.any()
    world.remove_part(loop)
    assert not bank.throttle.any()


def test_a_loop_reads_only_an_estimator_of_its_body_in_its_world():
    world, ship = ship_in_a_world()
    other = world.add_body(MassProperties(50.0, INERTIA), name="other", position=(9.0, 0.0, 0.0))
    filters = []
    for body in (ship, other):
        gyro = world.add_part(flight.Gyro(body, seed=1))
        tracker = world.add_part(flight.StarTracker(body, (0, 0, 1), noise=(1e-4, 1e-4), seed=1))
        filters.append(flight.AttitudeFilter(gyro, [tracker]))
    world.add_part(filters[1])
    for estimate, rule in zip(
        filters, ("added to the world before the loop", "an estimator or sensor of"), strict=True
    ):
        loop = Controlled(ship, RateDamping(1.0), Reference(), Recorder(), every=1, measured=estimate)
        before = world.state_hash()
        with pytest.raises(ValueError, match=f"measured must be {rule}"):
            world.add_part(loop)
        assert world.state_hash() == before and loop not in world.parts


def test_a_law_that_is_exchanged_leaves_the_torques_that_wait():
    """Also at every sample, as gains are scheduled; the loop commanded nothing then."""

    class Steady:
        state_size = 1

        def __init__(self, torque):
            self.torque = torque

        def initial_state(self, measured, reference):
            return np.array([10.0])

        def update(self, measured, reference, seconds, state):
            return np.array([self.torque + state[0], 0.0, 0.0]), state + 10.0

    world, ship = ship_in_a_world()
    actuators = Recorder()
    loop = world.add_part(Controlled(ship, Steady(0.0), Reference(), actuators, every=1, delay=2))
    world.step(3)
    loop.law = Steady(1.0)
    world.step(2)
    for torque in (2.0, 3.0, 4.0):
        loop.law = Steady(torque)
        world.step()
    assert [call[0][0] for call in actuators.calls] == [10.0, 20.0, 30.0, 11.0, 21.0, 12.0]


@pytest.mark.parametrize("is_users", [True, False], ids=["law of a user", "law of the engine"])
def test_valves_that_were_shut_while_their_loop_was_disabled_are_counted_as_shut(is_users):
    """A loop that is enabled again carries nothing over, and the modulator knows the level of each valve."""

    class Constant:
        state_size = 0
        torque = 20.0

        def initial_state(self, measured, reference):
            return np.zeros(0)

        def update(self, measured, reference, seconds, state):
            return np.array([0.0, 0.0, self.torque]), state

    world = World(dt=0.05)
    ship = world.add_body(MassProperties.sphere(1e6, 1.0))
    valve = {"min_on_time": 0.1, "rise_time": 0.1, "fall_time": 0.1}
    places = {"positions": [(1, 0, 0), (-1, 0, 0)], "directions": [(0, 1, 0), (0, -1, 0)]}
    bank = world.add_force(flight.ThrusterBank(ship, **places, max_forces=10.0, **valve))
    jets = flight.Jets(flight.ThrusterAllocator([bank]), flight.PulseModulator(0.1, 0.4))
    law = Constant() if is_users else MRPFeedback(1e-9, 1e-9, known_torque_body=(0.0, 0.0, -20.0))
    loop = world.add_part(Controlled(ship, law, Reference(), jets, every=8, force_body=None))
    world.step(23)
    for wait in (1, 8):  # until the valves have half fallen, and longer
        loop.enabled = False
        assert not any(loop._numbers("actuator_state"))
        world.step(wait)
        before, level = bank.impulse.copy(), bank.thrust[0] / 10.0
        loop.enabled = True
        world.step(8)
        # half the rise from this level is missing
        assert bank.impulse - before == pytest.approx(10.0 * (0.4 - 0.05 * (1.0 - level) ** 2))
        assert jets.shares == pytest.approx((bank.impulse - before) / 4.0)


@pytest.mark.parametrize(("force_body", "unloads"), [((0.0, 0.0, 0.0), False), (None, True)])
def test_jets_that_cannot_turn_without_a_force_unload_wheels_only_if_any_force_will_do(force_body, unloads):
    world = World(dt=0.05)
    ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)))
    sides, along = np.repeat(np.eye(3), 2, axis=0), np.repeat(np.roll(np.eye(3), 1, axis=1), 2, axis=0)
    sides[1::2] *= -1.0
    jets = flight.ThrusterBank(ship, positions=sides, directions=along, max_forces=5.0, min_on_time=0.02)
    world.add_force(jets)
    limits = {"inertia": 0.2, "max_torque": 2.0, "max_speed": 600.0, "speed": 550.0}
    wheels = [world.add_part(ReactionWheel(ship, axis=axis, **limits)) for axis in np.eye(3)]
    pointing = QuaternionPD.tuned(ship.inertia_body, max_torque_body=2.0, bandwidth=0.2)
    world.add_part(Controlled(ship, pointing, Reference(), flight.WheelAllocator(wheels), every=4))
    manager = MomentumManager(wheels, high=100.0, low=5.0, time_constant=60.0)
    pulsed = flight.Jets(flight.ThrusterAllocator([jets]), flight.PulseModulator(0.02, period=0.4))
    world.add_part(Controlled(ship, manager, Reference(), pulsed, every=8, force_body=force_body))
    before = np.linalg.norm(ship.stored_momentum_body)
    world.step(600)
    share = np.linalg.norm(ship.stored_momentum_body) / before
    assert share < 0.75 if unloads else abs(share - 1.0) < 0.01


def test_actuators_with_a_state_keep_it_in_the_loop():
    class Summing:
        state_size = 2
        period = 0.1

        def command(self, torque_body, force_body, seconds, state):
            return state + np.array([torque_body[0], seconds])

    world, ship = ship_in_a_world()
    loop = world.add_part(Controlled(ship, Counting(), Reference(), Summing(), every=2))
    world.step(8)
    assert loop._numbers("actuator_state") == pytest.approx([6.0, 0.4])
    copied = copy.deepcopy(world)
    world.step(2)
    copied.step(2)
    assert copied.state_hash() == world.state_hash()
    assert copied.parts[0]._numbers("actuator_state") == pytest.approx([10.0, 0.5])


def test_a_law_can_be_replaced_by_one_that_remembers_as_many_numbers():
    world, ship = ship_in_a_world()
    loop = world.add_part(Controlled(ship, RateDamping(3.0), Reference(), Recorder(), every=1))
    loop.law = QuaternionPD(3.0, 4.0)
    world.step()
    expected = QuaternionPD(3.0, 4.0).torque_body(
        SimpleNamespace(orientation=SKEW_ORIENTATION, angular_velocity_body=RATES), Reference(), 1.0
    )
    assert (loop.torque_body == expected).all()
    with pytest.raises(ValueError, match="law must be one with state_size = 0"):
        loop.law = MRPFeedback(1.0, 1.0, 0.1)


# Rejected


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ({"every": 0}, ValueError, "Controlled: every must be an integer of at least 1"),
        ({"every": 1.5}, TypeError, "every must be"),
        ({"delay": -1}, ValueError, "delay must be an integer of at least 0"),
        ({"law": 3.0}, TypeError, "law must be"),
        ({"law": SimpleNamespace(update=print, initial_state=print)}, TypeError, "law.state_size must be"),
        ({"reference": (0.0, 0.0, 0.0, 1.0)}, TypeError, "reference must be a Reference"),
        ({"actuators": 3.0}, TypeError, "actuators must be an object with command"),
        ({"actuators": SimpleNamespace(command=print, state_size=-1)}, ValueError, "actuators.state_size must be"),
        ({"measured": 3.0}, TypeError, "measured must be an object with at least one of the attributes"),
        ({"body": "ship"}, TypeError, "body must be"),
        ({"force_body": (1.0, 2.0)}, ValueError, "force_body must be"),
        ({"name": ""}, TypeError, "name must be a non-empty string"),
    ],
)
def test_loops_that_make_no_sense_are_rejected(arguments, kind, words):
    _, ship = ship_in_a_world()
    given = {"body": ship, "law": RateDamping(1.0), "reference": Reference(), "actuators": Recorder(), "every": 1}
    given |= arguments
    with pytest.raises(kind, match=words):
        Controlled(given.pop("body"), given.pop("law"), given.pop("reference"), given.pop("actuators"), **given)


def test_actuators_of_another_body_or_of_no_world_or_of_another_period_are_rejected():
    world, ship = ship_in_a_world()
    other = world.add_body(MassProperties.sphere(1.0, 0.5), name="other")
    with pytest.raises(ValueError, match="actuators must be those of body 'ship'"):
        Controlled(ship, RateDamping(1.0), Reference(), BodyTorque(other), every=1)
    loop = Controlled(ship, RateDamping(1.0), Reference(), BodyTorque(ship), every=1)
    before = world.state_hash()
    with pytest.raises(ValueError, match="actuators must be added to the world before the loop"):
        world.add_part(loop)
    actuators = Recorder()
    actuators.period = 0.2
    with pytest.raises(ValueError, match=r"actuators must be made for the sample period of the loop, 0\.1 s"):
        world.add_part(Controlled(ship, RateDamping(1.0), Reference(), actuators, every=2))
    assert world.parts == () and world.state_hash() == before
    world.add_part(Controlled(ship, RateDamping(1.0), Reference(), actuators, every=4))


@pytest.mark.parametrize(
    ("torque", "words"),
    [
        ((math.nan, 0.0, 0.0), "torque_body must be"),
        ((1.0, 2.0), "torque_body must be"),
        (None, "torque_body must be"),
        ("nothing", "result of update must be a tuple of a torque and a state"),
    ],
)
def test_what_a_law_returns_undoes_the_tick_and_names_the_loop(torque, words):
    class Broken(Law):
        def update(self, measured, reference, seconds, state):
            return torque if torque == "nothing" else (torque, state)

    world, ship = ship_in_a_world()
    actuators = Recorder()
    loop = world.add_part(Controlled(ship, Broken(), Reference(), actuators, every=1, name="wheels"))
    before = world.state_hash()
    with pytest.raises((ValueError, TypeError), match=words) as caught:
        world.step()
    assert "the law of Controlled('wheels')" in str(caught.value)
    assert any("wheels" in note for note in caught.value.__notes__)
    assert world.state_hash() == before and world.tick_count == 0 and not actuators.calls
    assert (loop.torque_body == 0.0).all()


def test_laws_read_reaction_wheels_and_keep_the_momentum_of_a_slew_in_them():
    """Three wheels turn the ship half a turn; what they store at the end is the momentum that the ship had, to rounding."""
    world = World(0.05, integrator="free-rotor-4")
    ship = world.add_body(MassProperties(100.0, (40.0, 50.0, 30.0)), angular_velocity_body=(0.02, -0.01, 0.03))
    wheels = [
        world.add_part(ReactionWheel(ship, axis=axis, inertia=0.1, max_torque=0.5, max_speed=600.0))
        for axis in np.eye(3)
    ]

    class Motors:
        def command(self, torque_body, force_body, seconds):
            for wheel, torque in zip(wheels, torque_body, strict=True):
                wheel.torque = float(np.clip(-torque, -0.5, 0.5))

    law = QuaternionPD.tuned(ship.inertia_body, 0.5, 0.3)
    loop = world.add_part(Controlled(ship, law, Reference(SKEW_HALF_TURN), Motors(), every=4))
    before = ship.angular_momentum_world
    world.step(1600)
    assert loop.error_angle < 0.01 * DEGREE
    np.testing.assert_allclose(ship.angular_momentum_world, before, rtol=0.0, atol=1e-12)
    manager = MomentumManager(wheels, 0.5, 0.1, time_constant=20.0)
    np.testing.assert_allclose(manager.torque_body(None, None, 1.0), -ship.stored_momentum_body / 20.0, rtol=1e-12)
    stored = rotation.rotate(ship.orientation, ship.stored_momentum_body)
    np.testing.assert_allclose(stored, before, atol=1e-3)


def test_what_a_loop_or_a_filter_uses_is_not_removed_before_it():
    world = World(0.1)
    ship = world.add_body(MassProperties.box(100.0, (1.0, 1.0, 2.0)), name="ship")
    gyro = world.add_part(flight.Gyro(ship, seed=1))
    tracker = world.add_part(flight.StarTracker(ship, (0, 0, 1), noise=(1e-4, 1e-4), seed=1))
    estimate = world.add_part(flight.AttitudeFilter(gyro, [tracker]))
    ends = {
        "positions": [(1, 0, 0), (-1, 0, 0)] * 3,
        "directions": [(0, 0, 1), (0, 0, -1), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 1, 0)],
    }
    bank = world.add_force(forces.ThrusterBank(ship, **ends, max_forces=5.0))
    jets = flight.Jets(flight.ThrusterAllocator([bank]))
    law = flight.control.RateDamping(50.0)
    loop = flight.Controlled(ship, law, flight.Reference(), jets, every=1, measured=estimate, force_body=None)
    world.add_part(loop)
    before = world.state_hash()
    for member, remove in (
        (bank, world.remove_force),
        (estimate, world.remove_part),
        (gyro, world.remove_part),
        (tracker, world.remove_part),
    ):
        user = "AttitudeFilter" if member in (gyro, tracker) else "Controlled"
        with pytest.raises(ValueError, match=rf"must be one that no control loop or filter uses; .*{user}.* uses it"):
            remove(member)
    assert world.state_hash() == before
    for member in (loop, estimate, gyro, tracker):
        world.remove_part(member)
    world.remove_force(bank)
    world.step()
    for member in (gyro, tracker, estimate):
        world.add_part(member)
    assert len(world.remove_body(ship)) == 3
