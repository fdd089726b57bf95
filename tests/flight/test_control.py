"""Control laws: against the same formulas written with matrices, closed forms, and bodies that they steer; alone and as stacks."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from engine import MassProperties, World, rotation
from engine.flight import Reference, Slew, Spin
from engine.flight.control import BDot, Law, MomentumManager, MRPFeedback, PhasePlane, QuaternionPD, RateDamping

from ..helpers import ASYMMETRIC, SKEW_AXES, SKEW_ORIENTATION
from ..lengths import sized

INERTIA = 20.0 * ASYMMETRIC
DEGREE = math.pi / 180.0
SKEW_HALF_TURN = rotation.multiply(rotation.from_axis_angle((0.3, -1.0, 0.6), math.pi), SKEW_ORIENTATION)


def random_situation(seed, count=()):
    """A measured body with wheels and a moving reference, or stacks of them."""
    generator = np.random.default_rng(seed)

    def quaternions():
        q = generator.normal(size=(*np.atleast_1d(count).astype(int), 4) if count else (4,))
        return q / np.linalg.norm(q, axis=-1, keepdims=True)

    def vectors(size):
        return size * generator.normal(size=(count, 3) if count else (3,))

    measured = SimpleNamespace(
        orientation=quaternions(),
        angular_velocity_body=vectors(0.7),
        stored_momentum_body=vectors(5.0),
        inertia_body=INERTIA,
        field_body=vectors(3e-5),
    )
    return measured, Reference(quaternions(), vectors(0.4), vectors(0.2))


def errors(measured, reference):
    """Rotation from reference to body, rate error, and rates and acceleration of the reference in the body frame, by matrices."""
    body, wanted = Rotation.from_quat(measured.orientation), Rotation.from_quat(reference.orientation)
    to_body = body.as_matrix().T
    reference_rates = to_body @ reference.angular_velocity_world
    acceleration = to_body @ reference.angular_acceleration_world
    rate_error = measured.angular_velocity_body - reference_rates
    return wanted.inv() * body, rate_error, reference_rates, acceleration


def shortest(error):
    """Quaternion with w ≥ 0."""
    q = error.as_quat()
    return q if q[3] >= 0.0 else -q


def row_of(measured, reference, row):
    """One body of a stack."""
    one = {name: value if name == "inertia_body" else value[row] for name, value in vars(measured).items()}
    values = reference.orientation, reference.angular_velocity_world, reference.angular_acceleration_world
    return SimpleNamespace(**one), Reference(*(value[row] for value in values))


# MRP feedback


def mrp_torque(measured, reference, integral, *, k, p, integral_gain, known_torque):
    """The law written with matrices; the cross product has the sign that makes the Lyapunov function fall."""
    error, rate_error, reference_rates, acceleration = errors(measured, reference)
    rates = measured.angular_velocity_body
    z = integral + INERTIA @ rate_error
    gyroscopic = np.cross(reference_rates - integral_gain * z, INERTIA @ rates + measured.stored_momentum_body)
    feedforward = INERTIA @ (acceleration - np.cross(rates, reference_rates))
    return -k * error.as_mrp() - p * rate_error - p * integral_gain * z + gyroscopic + feedforward - known_torque


@pytest.mark.parametrize("seed", range(20))
def test_mrp_feedback_agrees_with_the_law_written_with_matrices(seed):
    measured, reference = random_situation(seed)
    integral, known = np.array([0.3, -0.8, 0.5]), np.array([0.1, 0.2, -0.4])
    law = MRPFeedback(3.0, 7.0, 0.04, known_torque_body=known)
    torque, after = law.update(measured, reference, 0.25, integral)
    expected = mrp_torque(measured, reference, integral, k=3.0, p=7.0, integral_gain=0.04, known_torque=known)
    np.testing.assert_allclose(torque, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max() + 1e-13)
    sigma = errors(measured, reference)[0].as_mrp()
    np.testing.assert_allclose(after, integral + 3.0 * sigma * 0.25, rtol=0.0, atol=1e-14)


@pytest.mark.parametrize("seed", range(20))
def test_the_lyapunov_function_of_mrp_feedback_falls_at_the_rate_of_the_proof(seed):
    """``V̇ = (δω + Kᵢz)·(Kσ + I δω')`` along Euler's equation with the torque of the law is ``−P |δω + Kᵢz|²``."""
    measured, reference = random_situation(seed)
    integral, gain = np.array([2.0, -1.0, 3.0]), 0.05
    torque, _ = MRPFeedback(3.0, 7.0, gain).update(measured, reference, 0.1, integral)
    error, rate_error, reference_rates, acceleration = errors(measured, reference)
    rates = measured.angular_velocity_body
    momentum = INERTIA @ rates + measured.stored_momentum_body
    change = torque - np.cross(rates, momentum) - INERTIA @ (acceleration - np.cross(rates, reference_rates))
    s = rate_error + gain * (integral + INERTIA @ rate_error)
    assert s @ (3.0 * error.as_mrp() + change) == pytest.approx(-7.0 * s @ s, rel=1e-11)


def steered(law, reference, seconds, *, dt=0.05, limit=math.inf, every=1, known=None, moments=None, **start):
    """A body that a law steers by torques about its axes, cut to a limit each; returns times, errors [rad] and the body."""
    world = World(dt)
    tensor = INERTIA if moments is None else moments
    ship = world.add_body(MassProperties(50.0, tensor), name="ship", **start)
    disturbance = np.zeros(3) if known is None else np.array(known)
    memory = {}

    def steer(world):
        now = reference.at(world.time, ship)
        if world.tick_count % every == 0:
            if not memory:
                memory["state"] = law.initial_state(ship, now)
            torque, memory["state"] = law.update(ship, now, every * dt, memory["state"])
            memory["torque"] = np.clip(torque, -limit, limit)
            error = rotation.angle_between(ship.orientation, now.orientation)
            rows.append((world.time, float(error), *ship.angular_velocity_body, *memory["torque"]))
        ship.apply_torque_body(memory["torque"] + disturbance)

    rows = []
    world.on_tick(steer)
    world.step(round(seconds / dt))
    return np.array(rows), ship


def test_mrp_feedback_brings_a_ship_half_a_turn_round_within_a_tenth_of_a_degree():
    law = MRPFeedback(20.0, 40.0)
    rows, ship = steered(law, Reference(SKEW_ORIENTATION), 60.0, orientation=SKEW_HALF_TURN)
    assert rows[0, 1] == pytest.approx(math.pi, abs=1e-7)
    assert rows[-1, 1] < 0.1 * DEGREE
    assert np.abs(ship.angular_velocity_body).max() < 1e-3


def test_mrp_feedback_tracks_a_moving_reference():
    slew = Slew(SKEW_ORIENTATION, SKEW_HALF_TURN, 0.2, 0.02)
    rows, _ = steered(MRPFeedback(20.0, 40.0), slew, 30.0, dt=0.01, orientation=SKEW_ORIENTATION)
    # without the feedforward the error is I ω̇/(K/4), 0.1 rad; sampled every 0.01 s it is of the order of the rate times the tick
    assert rows[:, 1].max() < 2e-3
    assert rows[-1, 1] < 1e-4


@pytest.mark.parametrize(("k", "p"), [(80.0, 20.0), (80.0, 120.0)])
def test_small_errors_of_mrp_feedback_swing_with_the_stiffness_of_a_quarter_of_k(k, p):
    """About one principal axis ``I θ'' = −K θ/4 − P θ'``, underdamped and overdamped."""
    moment, start, dt = 10.0, 1e-4, 1e-3
    q = rotation.from_rotation_vector((0.0, start, 0.0))
    rows, _ = steered(MRPFeedback(k, p), Reference(), 4.0, dt=dt, moments=(8.0, moment, 12.0), orientation=q)
    roots = np.roots([moment, p, k / 4.0])
    # the torque is held over a tick, so that it acts half a tick late
    amplitudes = np.linalg.solve([[1.0, 1.0], roots], [start, 0.0])
    rates = np.real((amplitudes * roots) @ np.exp(np.outer(roots, rows[:, 0])))
    assert np.abs(rows[:, 3] - rates).max() < dt * np.abs(roots).max() * np.abs(rates).max()


def test_the_integral_removes_the_error_that_a_constant_unknown_torque_leaves():
    torque = (0.4, -0.3, 0.2)
    start = {"orientation": SKEW_ORIENTATION, "known": torque}
    without, _ = steered(MRPFeedback(60.0, 60.0), Reference(SKEW_ORIENTATION), 120.0, **start)
    # 4 τ/K for a torque τ, as an angle
    assert without[-1, 1] == pytest.approx(4.0 * math.hypot(*torque) / 60.0, rel=1e-2)
    with_integral, _ = steered(MRPFeedback(60.0, 60.0, 0.003), Reference(SKEW_ORIENTATION), 120.0, **start)
    assert with_integral[-1, 1] < 1e-6
    told = MRPFeedback(60.0, 60.0, known_torque_body=torque)
    assert steered(told, Reference(SKEW_ORIENTATION), 20.0, **start)[0][-1, 1] < 1e-6


def test_the_integral_of_mrp_feedback_is_limited_by_component():
    measured, reference = random_situation(3)
    law = MRPFeedback(3.0, 7.0, 0.04, (0.5, 0.25, 100.0))
    sigma = errors(measured, reference)[0].as_mrp()
    _, after = law.update(measured, reference, 10.0, np.zeros(3))
    limits = np.array([0.5, 0.25, 100.0])
    assert (np.abs(30.0 * sigma) > limits).tolist() == [True, True, False]
    np.testing.assert_allclose(after, np.clip(30.0 * sigma, -limits, limits), rtol=1e-14)


# Quaternion PD


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("gyroscopic", [False, True])
def test_quaternion_pd_agrees_with_the_law_written_with_matrices(seed, gyroscopic):
    measured, reference = random_situation(seed)
    stiffness, damping = 3.0 * INERTIA, np.array([4.0, 5.0, 6.0])
    law = QuaternionPD(stiffness, damping, gyroscopic=gyroscopic)
    error, rate_error, reference_rates, acceleration = errors(measured, reference)
    expected = -stiffness @ (2.0 * shortest(error)[:3]) - damping * rate_error
    if gyroscopic:
        rates = measured.angular_velocity_body
        expected += np.cross(rates, INERTIA @ rates + measured.stored_momentum_body)
        expected += INERTIA @ (acceleration - np.cross(rates, reference_rates))
    torque = law.torque_body(measured, reference, 0.1)
    np.testing.assert_allclose(torque, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())


def test_a_stiffness_is_torque_per_small_angle():
    measured = SimpleNamespace(
        orientation=rotation.from_rotation_vector((0.0, 0.0, 1e-5)), angular_velocity_body=np.zeros(3)
    )
    assert QuaternionPD(7.0, 1.0).torque_body(measured, Reference(), 0.1)[2] == pytest.approx(-7e-5, rel=1e-9)


@pytest.mark.parametrize("law", [MRPFeedback(3.0, 7.0), QuaternionPD(3.0, 7.0), QuaternionPD.tuned(INERTIA, 1.0, 0.3)])
def test_both_quaternions_of_an_attitude_give_the_same_torque(law):
    measured, reference = random_situation(5)
    opposite = SimpleNamespace(**{**vars(measured), "orientation": -measured.orientation})
    same = law.torque_body(opposite, reference, 0.1)
    assert (same == law.torque_body(measured, reference, 0.1)).all()


def test_a_saturated_half_turn_of_a_tuned_law_does_not_overshoot():
    """Cut to the largest torque about each axis, the slew ends in less than twice the time of a bang-bang one."""
    law = QuaternionPD.tuned(INERTIA, 2.0, 0.6)
    rows, _ = steered(law, Reference(SKEW_ORIENTATION), 80.0, limit=2.0, orientation=SKEW_HALF_TURN)
    assert np.abs(rows[:, 5:]).max() == 2.0  # it saturates
    axis = np.array((0.3, -1.0, 0.6)) / np.linalg.norm((0.3, -1.0, 0.6))
    axis = rotation.rotate_inverse(SKEW_ORIENTATION, axis)
    acceleration = 2.0 / np.abs(INERTIA @ axis).max()
    bang_bang = 2.0 * math.sqrt(math.pi / acceleration)
    done = rows[rows[:, 1] > 0.1 * DEGREE, 0].max()
    assert bang_bang < done < 2.0 * bang_bang
    # it never turns away again
    assert np.diff(rows[:, 1]).max() < 1e-9


def test_without_the_limited_approach_the_same_slew_overshoots():
    law = QuaternionPD(0.36 * INERTIA, 1.2 * INERTIA, gyroscopic=True)
    rows, _ = steered(law, Reference(SKEW_ORIENTATION), 80.0, limit=2.0, orientation=SKEW_HALF_TURN)
    assert np.diff(rows[:, 1]).max() > 5e-4


@pytest.mark.parametrize(("angle", "expected"), [(0.05, 0.5 * 0.05), (1.2, math.sqrt(2.0 * 0.02 * (1.2 - 0.04)))])
def test_the_rate_of_approach_is_a_line_and_then_a_parabola(angle, expected):
    """``ωx/2`` near zero, then ``√(2a(x − 2a/ω²))`` with half of the largest deceleration, for chords x; there the torque is zero."""
    law = QuaternionPD.tuned((10.0, 10.0, 10.0), 0.4, 1.0)
    q = rotation.from_axis_angle((0.0, 1.0, 0.0), 2.0 * math.asin(0.5 * angle))
    measured = SimpleNamespace(orientation=q, angular_velocity_body=np.array([0.0, -expected, 0.0]))
    np.testing.assert_allclose(law.torque_body(measured, Reference(), 0.1), 0.0, atol=1e-13)


def test_the_rate_of_approach_leaves_half_of_the_torque_against_the_gyroscopic_torque():
    law = QuaternionPD.tuned((25.0, 10.0, 30.0), 0.1, 5.0)
    axis = np.array([0.0, 0.6, 0.8])
    gyroscopic = np.abs(np.cross(axis, np.array([25.0, 10.0, 30.0]) * axis)).max()
    rate = math.sqrt(0.5 * 0.1 / gyroscopic)
    q = rotation.from_axis_angle(axis, 3.0)
    measured = SimpleNamespace(orientation=q, angular_velocity_body=-rate * axis)
    torque = law.torque_body(measured, Reference(), 0.1)
    np.testing.assert_allclose(torque, np.cross(axis, np.array([25.0, 10.0, 30.0]) * axis) * rate**2, atol=1e-12)
    assert np.abs(torque).max() == pytest.approx(0.05, rel=1e-12)


def test_small_errors_of_a_tuned_law_are_critically_damped_about_every_axis():
    """``θ'' = −ω² θ − 2 ω θ'``: the error after t is ``θ₀ (1 + ωt) exp(−ωt)``, along the same axis, whatever the tensor."""
    law, axis = QuaternionPD.tuned(INERTIA, 1e3, 2.0), np.array([0.3, -0.5, 0.8])
    q = rotation.from_rotation_vector(1e-5 * axis)
    rows, ship = steered(law, Reference(), 2.0, dt=1e-3, orientation=q)
    expected = 1e-5 * np.linalg.norm(axis) * (1.0 + 2.0 * rows[:, 0]) * np.exp(-2.0 * rows[:, 0])
    assert np.abs(rows[:, 1] - expected).max() < 2e-3 * expected[0]
    turn = ship.orientation[:3] / np.linalg.norm(ship.orientation[:3])
    np.testing.assert_allclose(turn, axis / np.linalg.norm(axis), atol=1e-6)


@pytest.mark.parametrize("law", [MRPFeedback(20.0, 40.0), QuaternionPD(40.0, 40.0, gyroscopic=True)])
def test_a_body_that_spins_as_its_reference_needs_only_the_gyroscopic_torque(law):
    rates = np.array([0.3, -0.2, 0.5])
    spin = Spin(rates, SKEW_ORIENTATION)
    now = spin.at(7.0)
    body = SimpleNamespace(
        orientation=now.orientation,
        angular_velocity_body=rotation.rotate_inverse(now.orientation, rates),
        inertia_body=INERTIA,
        stored_momentum_body=np.array([1.0, 2.0, 3.0]),
    )
    w = body.angular_velocity_body
    expected = np.cross(w, INERTIA @ w + body.stored_momentum_body)
    np.testing.assert_allclose(law.torque_body(body, now, 0.1), expected, atol=1e-13)


# Rate damping and the phase plane


def test_rate_damping_takes_the_rates_of_a_ball_away_geometrically():
    """With the torque held over each tick, a ball keeps ``1 − D dt/I`` of its rates per tick."""
    start = np.array([0.3, -0.2, 0.4])
    rows, ship = steered(
        RateDamping(3.0), Reference(), 5.0, dt=0.1, moments=(4.0, 4.0, 4.0), angular_velocity_body=start
    )
    np.testing.assert_allclose(ship.angular_velocity_body, start * (1.0 - 0.3 / 4.0) ** 50, rtol=1e-12)
    assert len(rows) == 50


def test_rate_damping_is_relative_to_the_reference_and_takes_a_tensor():
    measured, reference = random_situation(4)
    rate_error = errors(measured, reference)[1]
    torque = RateDamping(INERTIA).torque_body(measured, reference, 0.1)
    np.testing.assert_allclose(torque, -INERTIA @ rate_error, rtol=1e-12)


@pytest.mark.parametrize(
    ("error", "rate", "before", "fires"),
    [
        (0.5, 0.0, 0.0, 0.0),
        (1.1, 0.0, 0.0, -1.0),
        (0.0, 1.1, 0.0, -1.0),
        (0.0, -1.1, 0.0, 1.0),
        (1.5, -1.0, 0.0, 0.0),  # approaches fast enough
        (50.0, -0.9, 0.0, -1.0),
        (50.0, -1.1, 0.0, 0.0),  # however large the error
        (50.0, -3.1, 0.0, 1.0),  # too fast
        (-50.0, 3.1, 0.0, -1.0),
        (0.8, 0.0, -1.0, -1.0),  # goes on firing until 0.75 is reached
        (0.7, 0.0, -1.0, 0.0),
        (0.8, 0.0, 1.0, 0.0),  # the opposite jets shut
        (-0.8, 0.0, 1.0, 1.0),
    ],
)
def test_the_phase_plane_fires_outside_its_switching_lines(error, rate, before, fires):
    law = PhasePlane(0.01, 0.004, 0.25, torque=(1.0, 2.0, 3.0))
    half = 0.5 * error * 0.01
    measured = SimpleNamespace(
        orientation=np.array([0.0, half, 0.0, math.sqrt(1.0 - half * half)]),
        angular_velocity_body=np.array([0.0, rate * 0.004, 0.0]),
    )
    torque, after = law.update(measured, Reference(), 0.1, np.array([0.0, before, 0.0]))
    assert after.tolist() == [0.0, fires, 0.0]
    assert torque.tolist() == [0.0, 2.0 * fires, 0.0]


def test_the_phase_plane_brings_a_ship_half_a_turn_round_and_keeps_it_in_its_dead_band():
    law = PhasePlane(0.08 * DEGREE, 0.02, 0.3, torque=2.0)
    rows, _ = steered(law, Reference(SKEW_ORIENTATION), 120.0, dt=0.01, orientation=SKEW_HALF_TURN)
    # 2 to 3.7 rate limits: each axis sees its component of the chord
    assert 0.02 < np.abs(rows[:, 2:5]).max() < 0.065
    held = rows[rows[:, 0] > 80.0]
    assert held[:, 1].max() < 0.08 * DEGREE * math.sqrt(3.0) * 1.2
    assert (held[:, 5:] == 0.0).any(axis=1).mean() > 0.8  # the jets rest most of the time
    assert set(np.unique(rows[:, 5:])) <= {-2.0, 0.0, 2.0}


# B-dot and momentum


def test_b_dot_gives_the_dipole_against_the_change_of_the_field():
    now, before = np.array([2e-5, -1e-5, 3e-5]), np.array([1e-5, 1e-5, 2.5e-5])
    law = BDot(4e4)
    dipole = law.dipole_body(now, before, 0.5)
    np.testing.assert_allclose(dipole, -4e4 * (now - before) / 0.5, rtol=1e-15)
    torque, state = law.update(SimpleNamespace(field_body=now), None, 0.5, before)
    np.testing.assert_allclose(torque, np.cross(dipole, now), rtol=1e-12)
    assert (state == now).all()
    assert (law.torque_body(SimpleNamespace(field_body=now), None, 0.5) == 0.0).all()


def test_b_dot_takes_95_percent_of_a_tumble_away_in_a_field_that_turns_as_along_a_polar_orbit():
    """The field turns twice per orbit of 5400 s; rates of 9 degrees/s about skew axes."""
    world = World(0.25)
    cube = world.add_body(
        MassProperties(4.0, (0.03, 0.035, 0.02)), angular_velocity_body=np.array([6.0, -4.5, 5.5]) * DEGREE
    )
    start = np.linalg.norm(cube.angular_velocity_body)
    law, memory = BDot(3e4), {}

    @world.on_tick(every=4)
    def sample(world):
        turn = 2.0 * 2.0 * math.pi * world.time / 5400.0
        field = rotation.rotate_inverse(cube.orientation, 3e-5 * np.array([math.cos(turn), 0.3, math.sin(turn)]))
        measured = SimpleNamespace(field_body=field)
        state = memory.get("state", field)
        memory["torque"], memory["state"] = law.update(measured, None, 1.0, state)

    @world.on_tick
    def push(world):
        cube.apply_torque_body(memory["torque"])

    world.step(4 * 5400)
    assert np.linalg.norm(cube.angular_velocity_body) < 0.05 * start


def test_the_momentum_manager_dumps_from_the_high_threshold_to_the_low_one():
    axes = np.array([[1.0, 0.0, 0.0], [0.0, 0.6, 0.8], [0.0, 0.0, 1.0]])
    wheels = [SimpleNamespace(momentum=0.0, axis=axis) for axis in axes]
    manager = MomentumManager(wheels, high=10.0, low=2.0, time_constant=50.0)
    state = manager.initial_state(None, None)
    for size, dumps in [(9.9, 0.0), (10.1, 1.0), (5.0, 1.0), (2.1, 1.0), (1.9, 0.0), (5.0, 0.0), (-11.0, 1.0)]:
        wheels[1].momentum = 0.8 * size
        wheels[0].momentum = 0.6 * size
        torque, state = manager.update(None, None, 1.0, state)
        assert state.tolist() == [dumps]
        np.testing.assert_allclose(torque, -dumps / 50.0 * size * (0.6 * axes[0] + 0.8 * axes[1]), rtol=1e-14, atol=0.0)


# Stacks, states, numbers


def every_law():
    return [
        MRPFeedback(3.0, 7.0),
        MRPFeedback(3.0, 7.0, 0.04, 0.6, (0.1, 0.2, 0.3)),
        QuaternionPD(3.0, 7.0),
        QuaternionPD(INERTIA, 2.0 * INERTIA, gyroscopic=True),
        QuaternionPD.tuned(INERTIA, (1.0, 2.0, 1.5), 0.3),
        RateDamping((1.0, 2.0, 3.0)),
        PhasePlane(0.3, 0.5, 0.4, torque=(1.0, 2.0, 3.0)),
        BDot(3e4),
    ]


@pytest.mark.parametrize("law", every_law(), ids=lambda law: type(law).__name__)
def test_a_law_gives_a_stack_of_4096_bodies_the_bits_that_it_gives_each_alone(law):
    states = [law.initial_state(*random_situation(1, 4096))]
    alone = {row: law.initial_state(*row_of(*random_situation(1, 4096), row)) for row in range(0, 4096, sized(203, 17))}
    for seed in (1, 2, 3):
        measured, reference = random_situation(seed, 4096)
        torque, after = law.update(measured, reference, 0.1, states[-1])
        assert torque.shape == (4096, 3) and after.shape == (4096, law.state_size)
        for row in alone:
            one, alone[row] = law.update(*row_of(measured, reference, row), 0.1, alone[row])
            assert one.tobytes() == torque[row].tobytes()
            assert alone[row].tobytes() == after[row].tobytes()
        states.append(after)


def test_a_momentum_manager_gives_a_stack_the_bits_that_it_gives_each_ship():
    momenta = np.random.default_rng(2).normal(size=(3, 500)) * 6.0
    axes = SKEW_AXES.T
    together = MomentumManager(
        [SimpleNamespace(momentum=m, axis=a) for m, a in zip(momenta, axes, strict=True)], 8.0, 3.0
    )
    torque, state = together.update(None, None, 1.0, together.initial_state(None, None))
    assert 0 < state.sum() < 500
    for row in range(500):
        wheels = [SimpleNamespace(momentum=m[row], axis=a) for m, a in zip(momenta, axes, strict=True)]
        one, after = MomentumManager(wheels, 8.0, 3.0).update(None, None, 1.0, np.zeros(1))
        assert one.tobytes() == torque[row].tobytes() and after.tobytes() == state[row].tobytes()


def test_stacks_of_one_body_of_many_dimensions_and_of_tensors_keep_their_shape():
    measured, reference = random_situation(7, 12)
    law = QuaternionPD(3.0, 7.0, gyroscopic=True)
    torque = law.torque_body(measured, reference, 0.1)
    measured.inertia_body = np.broadcast_to(INERTIA, (12, 3, 3))
    assert law.torque_body(measured, reference, 0.1).tobytes() == torque.tobytes()
    given = QuaternionPD(3.0, 7.0, gyroscopic=True, inertia_body=np.broadcast_to(INERTIA, (12, 3, 3)))
    assert given.torque_body(measured, reference, 0.1).tobytes() == torque.tobytes()
    values = vars(measured).items()
    block = SimpleNamespace(
        **{name: value.reshape(3, 4, *value.shape[1:]) for name, value in values if name != "field_body"}
    )
    names = ("orientation", "angular_velocity_world", "angular_acceleration_world")
    blocks = Reference(*(getattr(reference, name).reshape(3, 4, -1) for name in names))
    assert (law.torque_body(block, blocks, 0.1).reshape(12, 3) == torque).all()
    single, its_reference = random_situation(7, 1)
    assert law.torque_body(single, its_reference, 0.1).shape == (1, 3)


def test_a_stack_may_share_one_reference_and_one_attitude_may_have_many_references():
    measured, references = random_situation(8, 5)
    one, reference = random_situation(9)
    for law in every_law()[:7]:
        shared = law.torque_body(measured, reference, 0.1)
        apart = [law.torque_body(row_of(measured, references, row)[0], reference, 0.1) for row in range(5)]
        assert (shared == apart).all()
        several = law.torque_body(one, references, 0.1)
        assert (several == [law.torque_body(one, row_of(measured, references, i)[1], 0.1) for i in range(5)]).all()


def test_a_thousand_ships_slew_half_a_turn_as_stacks():
    generator = np.random.default_rng(11)
    starts = generator.normal(size=(1000, 4))
    starts /= np.linalg.norm(starts, axis=1, keepdims=True)
    axes = generator.normal(size=(1000, 3))
    ends = rotation.multiply(rotation.from_axis_angle(axes, np.full(1000, math.pi)), starts)
    law, references = QuaternionPD.tuned(INERTIA, 2.0, 0.6), Reference(ends)
    ships = SimpleNamespace(orientation=starts, angular_velocity_body=np.zeros((1000, 3)))
    inverse, dt = np.linalg.inv(INERTIA), 0.05
    for _ in range(1200):
        torque = np.clip(law.torque_body(ships, references, dt), -2.0, 2.0)
        middle = ships.angular_velocity_body
        for _ in range(3):  # Euler's equation by the implicit midpoint rule
            change = (torque - np.cross(middle, middle @ INERTIA)) @ inverse
            middle = ships.angular_velocity_body + 0.5 * dt * change
        ships.orientation = rotation.multiply(ships.orientation, rotation.from_rotation_vector(dt * middle))
        ships.angular_velocity_body = ships.angular_velocity_body + dt * change
    assert rotation.angle_between(ships.orientation, ends).max() < 0.1 * DEGREE
    assert np.abs(ships.angular_velocity_body).max() < 1e-3


def test_one_law_object_serves_two_loops():
    law = MRPFeedback(3.0, 7.0, 0.04)
    situations = [random_situation(seed) for seed in range(6)]

    def run(chosen, state):
        torques = []
        for measured, reference in chosen:
            torque, state = law.update(measured, reference, 0.1, state)
            torques.append(torque)
        return torques

    apart = run(situations[:3], np.zeros(3)), run(situations[3:], np.zeros(3))
    first = second = np.zeros(3)
    for place in range(3):
        torque, first = law.update(*situations[place], 0.1, first)
        assert (torque == apart[0][place]).all()
        torque, second = law.update(*situations[place + 3], 0.1, second)
        assert (torque == apart[1][place]).all()


def test_a_law_alone_starts_from_its_initial_state():
    measured, reference = random_situation(2)
    for law in every_law():
        state = law.initial_state(measured, reference)
        assert state.shape == (law.state_size,)
        torque, _ = law.update(measured, reference, 0.1, state)
        assert (law.torque_body(measured, reference, 0.1) == torque).all()


def test_a_law_reads_a_body_with_its_tensor_and_its_wheels():
    world = World(0.1)
    ship = world.add_body(
        MassProperties(5.0, INERTIA), orientation=SKEW_ORIENTATION, angular_velocity_body=(0.1, 0.2, -0.3)
    )
    ship.stored_momentum_body = (3.0, 1.0, -2.0)
    same = SimpleNamespace(
        orientation=ship.orientation,
        angular_velocity_body=ship.angular_velocity_body,
        stored_momentum_body=ship.stored_momentum_body,
        mass_properties=ship.mass_properties,
    )
    law, given = MRPFeedback(3.0, 7.0), MRPFeedback(3.0, 7.0, inertia_body=INERTIA)
    reference = Reference(angular_velocity_world=(0.2, -0.1, 0.3))
    torque = law.torque_body(ship, reference, 0.1)
    np.testing.assert_allclose(given.torque_body(ship, reference, 0.1), torque, rtol=1e-13)
    assert (law.torque_body(same, reference, 0.1) == torque).all()
    del same.stored_momentum_body
    rates_body = rotation.rotate_inverse(SKEW_ORIENTATION, reference.angular_velocity_world)
    without = law.torque_body(same, reference, 0.1)
    np.testing.assert_allclose(torque - without, np.cross(rates_body, ship.stored_momentum_body), rtol=1e-12)


def test_a_law_of_your_own_needs_one_method():
    class Bang(Law):
        def update(self, measured, reference, seconds, state):
            return -np.sign(measured.angular_velocity_body), state

    measured, reference = random_situation(1)
    assert (Bang().torque_body(measured, reference, 0.1) == -np.sign(measured.angular_velocity_body)).all()
    assert repr(Bang()) == "Bang()"


# Rejected


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: MRPFeedback(0.0, 1.0), "MRPFeedback: k must be"),
        (lambda: MRPFeedback(1.0, -1.0), "MRPFeedback: p must be"),
        (lambda: MRPFeedback(math.nan, 1.0), "MRPFeedback: k must be"),
        (lambda: MRPFeedback(1.0, 1.0, -0.1), "MRPFeedback: integral_gain must be"),
        (lambda: MRPFeedback(1.0, 1.0, 0.1, 0.0), "MRPFeedback: integral_limit must be above zero"),
        (lambda: MRPFeedback(1.0, 1.0, 0.1, (1.0, -1.0, 1.0)), "MRPFeedback: integral_limit must be above zero"),
        (lambda: MRPFeedback(1.0, 1.0, known_torque_body=(1.0, 2.0)), "MRPFeedback: known_torque_body must be"),
        (lambda: MRPFeedback(1.0, 1.0, inertia_body=np.zeros((3, 3))), "MRPFeedback: inertia_body must be .*inverse"),
        (lambda: MRPFeedback(1.0, 1.0, inertia_body=np.diag([1.0, 1.0, 0.0])), "inertia_body must be .*inverse"),
        (lambda: MRPFeedback(1.0, 1.0, inertia_body=(1.0, 1.0, 0.0)), "inertia_body must be above zero"),
        (lambda: MRPFeedback(1.0, 1.0, inertia_body=[np.eye(3), np.diag([1.0, 0.0, 1.0])]), "inertia_body must be"),
        (lambda: QuaternionPD(0.0, 1.0), "QuaternionPD: stiffness must be"),
        (lambda: QuaternionPD(1.0, (1.0, 0.0, 1.0)), "QuaternionPD: damping must be above zero"),
        (lambda: QuaternionPD(np.diag([1.0, 1.0, -1.0]), 1.0), "QuaternionPD: stiffness must be a positive definite"),
        (lambda: QuaternionPD([[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], 1.0), "must be a symmetric tensor"),
        (lambda: QuaternionPD(1.0, 1.0, max_torque_body=0.0), "QuaternionPD: max_torque_body must be above zero"),
        (lambda: QuaternionPD.tuned(INERTIA, 1.0, 0.0), "QuaternionPD: bandwidth must be"),
        (lambda: QuaternionPD.tuned(np.ones((3, 3)), 1.0, 1.0), "QuaternionPD: inertia_body must be .*inverse"),
        (lambda: RateDamping(-1.0), "RateDamping: damping must be"),
        (lambda: PhasePlane(0.0, 1.0, 0.5, torque=1.0), "PhasePlane: dead_band must be"),
        (lambda: PhasePlane(1.0, 0.0, 0.5, torque=1.0), "PhasePlane: rate_limit must be"),
        (lambda: PhasePlane(1.0, 1.0, 1.5, torque=1.0), "PhasePlane: hysteresis must be from 0 to 1"),
        (lambda: PhasePlane(1.0, 1.0, -0.5, torque=1.0), "PhasePlane: hysteresis must be"),
        (lambda: PhasePlane(1.0, 1.0, 0.5, torque=-1.0), "PhasePlane: torque must be above zero"),
        (lambda: BDot(0.0), "BDot: gain must be"),
        (lambda: MomentumManager([], 2.0, 1.0), "MomentumManager: wheels must be at least one wheel"),
        (lambda: MomentumManager([SimpleNamespace(momentum=1.0, axis=(1, 0, 0))], 1.0, 2.0), "low must be below high"),
        (lambda: MomentumManager([SimpleNamespace(momentum=1.0, axis=(1, 0, 0))], 2.0, 0.0), "low must be"),
    ],
)
def test_parameters_that_make_no_sense_are_rejected(make, words):
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: QuaternionPD("1", 1.0), "stiffness"),
        (lambda: QuaternionPD(1.0, 1.0, gyroscopic=1), "gyroscopic must be True or False"),
        (lambda: MomentumManager([3.0], 2.0, 1.0), "objects with momentum and axis"),
    ],
)
def test_parameters_of_the_wrong_type_are_rejected(make, words):
    with pytest.raises(TypeError, match=words):
        make()


@pytest.mark.parametrize("law", every_law()[:7], ids=lambda law: type(law).__name__)
def test_measurements_that_are_not_finite_or_of_another_shape_are_rejected(law):
    name = type(law).__name__
    for count in ((), 4):
        measured, reference = random_situation(1, count)
        measured.angular_velocity_body[..., 1] = math.nan
        with pytest.raises(ValueError, match=f"{name}: "):
            law.torque_body(measured, reference, 0.1)
        measured.angular_velocity_body = np.zeros((4, 2))
        with pytest.raises(ValueError, match=f"{name}: measured angular_velocity_body must be"):
            law.torque_body(measured, reference, 0.1)


def test_a_sample_without_duration_or_without_a_tensor_is_rejected():
    measured, reference = random_situation(1)
    for law in (MRPFeedback(1.0, 1.0), BDot(1.0)):
        with pytest.raises(ValueError, match="seconds must be"):
            law.torque_body(measured, reference, 0.0)
    del measured.inertia_body
    with pytest.raises(ValueError, match="MRPFeedback: inertia_body must be given to the law"):
        MRPFeedback(1.0, 1.0).torque_body(measured, reference, 0.1)
    assert QuaternionPD(1.0, 1.0).torque_body(measured, reference, 0.1).shape == (3,)
