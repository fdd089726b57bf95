"""Wrappers of methods: forces known once per tick are extrapolated (Mandre 7.3), and ticks are divided into steps (7.4)."""

from pathlib import Path

import numpy as np
import pytest

from engine import MassProperties, NonFiniteStateError, World, forces
from engine.integrators import (
    Extrapolated,
    ImplicitMidpoint,
    LieRungeKutta4,
    PredictorCorrector,
    RungeKutta4,
    SemiImplicitEuler,
    Substepped,
)

from ..helpers import ASYMMETRIC, SKEW_ORIENTATION, errors, fly, one_body, skew_tensor
from ..plain_python import in_plain_python
from ..truth import reference, rotations

ROOT = Path(__file__).parents[2]
DT = 1.0 / 60.0
TIMES = (0.5, 1.0, 1.5, 2.0)
QUANTITIES = ("position", "orientation", "velocity", "angular_velocity_body")
START = {
    "position": (0.4, -0.3, 0.8),
    "velocity": (-0.5, 0.9, 0.3),
    "orientation": SKEW_ORIENTATION,
    "angular_velocity_body": (0.9, -1.6, 2.2),
    "inertia_body": ASYMMETRIC,
}


class OnceATick:
    """A force of the time in the world frame and one that turns with the body, each known at the starts of ticks only."""

    evaluate = "tick"

    def __init__(self, force_world=None, torque_body=None):
        self.force_world, self.torque_body = force_world, torque_body

    def apply(self, wrench, bodies, time):
        if self.force_world is not None:
            wrench.force_world += np.array(self.force_world(time))
        if self.torque_body is not None:
            wrench.torque_body += np.array(self.torque_body(time))


class SpringOnceATick:
    """A spring to the origin, a torque towards an attitude, and damping, by the state at the start of the tick."""

    evaluate = "tick"

    def apply(self, wrench, bodies, time):
        wrench.force_world += -3.0 * bodies.position
        wrench.torque_body += -0.7 * bodies.angular_velocity_body - 2.0 * bodies.orientation[:, :3]


def speeds_after(method, force_of, ticks=8, dt=0.125, **setup):
    """Velocity of a unit mass after each tick."""
    world, body = one_body(method, dt, forces=lambda body: [OnceATick(force_world=force_of)], **setup)
    speeds = [body.velocity]
    for _ in range(ticks):
        world.step()
        speeds.append(body.velocity)
    return np.array(speeds)


# extrapolation


def test_m9_quadratic_signal_is_extrapolated_exactly_and_a_cubic_one_is_not():
    """M9: through the last three ticks' values, x = (t − t₀)/dt, a quadratic force gives what its integral does; Simpson's rule is exact.

    The polynomial is not "cubic": t³ is missed, by 3/4 dt⁴ a tick. Measured 2e-16 and 1.8e-4.
    """

    def quadratic(t):
        return 0.7 - 1.3 * t + 2.1 * t * t, 1.0, -0.4 * t

    def integral(t):
        return np.array([0.7 * t - 0.65 * t * t + 0.7 * t**3, t, -0.2 * t * t])

    change = np.diff(speeds_after(Extrapolated(RungeKutta4()), quadratic), axis=0)
    for tick in range(2, 8):
        expected = integral(0.125 * (tick + 1)) - integral(0.125 * tick)
        assert np.abs(change[tick] - expected).max() < 1e-15
    # what 000 leaves open: with t₀ − t for x the polynomial is read backwards
    backwards = [
        0.5 * a * (x + 1) * x - b * (x + 2) * x + 0.5 * c * (x + 2) * (x + 1) for x, a, b, c in ((-0.5, 0.0, 1.0, 4.0),)
    ]
    assert backwards[0] == pytest.approx(2.25) and backwards[0] != pytest.approx(6.25)
    cubic = np.diff(speeds_after(Extrapolated(RungeKutta4()), lambda t: (t**3, 0.0, 0.0)), axis=0)
    missed = 0.25 * ((0.125 * 4) ** 4 - (0.125 * 3) ** 4) - cubic[3, 0]
    assert missed == pytest.approx(0.75 * 0.125**4 * 3.0, rel=0.01)


def test_history_fills_from_one_value_to_three():
    """Force 1 + t + t²: the first tick holds it, the second draws a line, the third a parabola."""
    dt = 0.125
    change = np.diff(speeds_after(Extrapolated(RungeKutta4()), lambda t: (1.0 + t + t * t, 0.0, 0.0), ticks=3), axis=0)[
        :, 0
    ]

    def force(t):
        return 1.0 + t + t * t

    assert change[0] == dt * force(0.0)
    assert change[1] == pytest.approx(dt * (force(dt) + 0.5 * (force(dt) - force(0.0))), rel=1e-15)
    third = 3.0 * dt + 0.5 * (9 - 4) * dt**2 + (27 - 8) * dt**3 / 3.0 - 2.0 * dt
    assert change[2] == pytest.approx(third, rel=1e-15)


@pytest.mark.parametrize(
    "integrator", [RungeKutta4(), LieRungeKutta4(), Substepped(RungeKutta4(), 3)], ids=lambda m: m.name
)
def test_m9_forces_once_a_tick_are_of_order_three_extrapolated_and_one_held(integrator):
    """M9: spring, damper and restoring torque by the state at the start of the tick. 1.0 held; 2.9 to 3.0 once the history is full.

    The history is full from the start here: two ticks are flown before, backwards in time from the start of the truth.
    """

    def wrench(time, position, rotation, velocity, rates):
        q = rotations.Rotation.from_matrix(rotation).as_quat()
        return -3.0 * position, -0.7 * rates - 2.0 * q[:3] * np.sign(q[3])

    start = {**START, "orientation": (0.1, -0.2, 0.15, 0.9630680142129111), "angular_velocity_body": (0.3, -0.4, 0.2)}
    slopes = {}
    for extrapolated in (True, False):
        wrong = []
        for rate in (40, 80):
            dt = 1.0 / rate
            truth = reference.solve((dt, 2.0 * dt, *(2.0 * dt + np.array(TIMES))), wrench=wrench, **start)
            method = Extrapolated(integrator) if extrapolated else integrator
            world, body = one_body(method, dt, forces=lambda body: [SpringOnceATick()], **start)
            row = lambda k, truth=truth: {name: getattr(truth, name)[k] for name in QUANTITIES}  # noqa: E731
            for tick in range(
                2
            ):  # the ticks that fill the history, the state put right after each without forgetting it
                world.step()
                columns = world._bodies.array
                columns[:13, 0] = np.concatenate([row(tick)[name] for name in QUANTITIES])
            total = dict.fromkeys(QUANTITIES, 0.0)
            for k, time in enumerate(TIMES):
                world.step(round((2.0 * dt + time) / dt) - world.tick_count)
                for name in QUANTITIES:
                    a, b = getattr(body, name), row(2 + k)[name]
                    total[name] += (
                        float(rotations.angle(a, b)) if name == "orientation" else float(np.linalg.norm(a - b))
                    )
            wrong.append(total)
        slopes[extrapolated] = {name: np.log2(wrong[0][name] / wrong[1][name]) for name in QUANTITIES}
    assert all(slope > 2.75 for slope in slopes[True].values()), slopes[True]
    assert all(slope == pytest.approx(1.0, abs=0.15) for slope in slopes[False].values()), slopes[False]


def test_extrapolated_from_a_standing_start_is_of_the_order_it_names():
    """The first tick has nothing but its own value: an error of dt² once. Torque and force of the time; measured 2.0 to 2.2."""

    def wrench(time, position, rotation, velocity, rates):
        return np.array([np.cos(2 * time), 1.0, np.sin(time)]), np.array([np.sin(3 * time + 1.0), 0.3, -np.cos(time)])

    truth = reference.solve(TIMES, wrench=wrench, **START)
    method = Extrapolated(RungeKutta4())
    clock = OnceATick(lambda t: (np.cos(2 * t), 1.0, np.sin(t)), lambda t: (np.sin(3 * t + 1.0), 0.3, -np.cos(t)))
    coarse, fine = (
        errors(fly(method, dt, TIMES, forces=lambda body: [clock], **START), truth) for dt in (1 / 200, 1 / 400)
    )
    assert method.order == 2
    assert all(np.log2(coarse[name] / fine[name]) > 1.9 for name in QUANTITIES)


@pytest.mark.parametrize("integrator", [RungeKutta4(), PredictorCorrector(), ImplicitMidpoint()], ids=lambda m: m.name)
def test_what_is_constant_stays_so_to_the_last_bit(integrator):
    """Weights, thrusters and torques that do not change: the same bits as held, at stages with and without stage forces."""
    for staged in (False, True):
        found = []
        for method in (integrator, Extrapolated(integrator)):

            def push(body, staged=staged):
                held = [
                    forces.UniformGravity((0.1, -9.8, 0.3)),
                    forces.ConstantTorque(body, torque_world=(0.2, 0.5, -0.3)),
                    forces.ConstantForce(body, force_body=(0.4, -0.2, 0.6), at_body=(0.1, 0.7, -0.3)),
                ]
                return held + ([forces.AngularDamping(0.2)] if staged else [])

            world, _body = one_body(method, DT, forces=push, **START)
            world.step(30)
            found.append(world.bodies[0])
        assert all(np.array_equal(getattr(found[0], name), getattr(found[1], name)) for name in QUANTITIES)


def jump_by_setter(world, body, method):
    body.velocity = body.velocity


def jump_by_pose(world, body, method):
    body.orientation = body.orientation


def jump_by_impulse(world, body, method):
    body.apply_impulse((0.0, 0.0, 0.0))


def jump_by_twist(world, body, method):
    body.apply_angular_impulse((0.0, 0.0, 0.0))


def jump_by_mass(world, body, method):
    body.mass_properties = body.mass_properties


def jump_by_array(world, body, method):
    world.state.velocity = world.state.velocity.copy()


def jump_by_method(world, body, method):
    world.integrator = "rk4"
    world.integrator = method


def jump_by_reset(world, body, method):
    method.reset()


@pytest.mark.parametrize(
    "jump",
    [
        jump_by_setter,
        jump_by_pose,
        jump_by_impulse,
        jump_by_twist,
        jump_by_mass,
        jump_by_array,
        jump_by_method,
        jump_by_reset,
    ],
    ids=lambda jump: jump.__name__[8:],
)
def test_a_jump_makes_the_history_begin_anew(jump):
    """Force t²: the tick after a jump holds its value, as the first does; without one it does not."""
    method, dt = Extrapolated(RungeKutta4()), 0.125
    world, body = one_body(method, dt, forces=lambda body: [OnceATick(lambda t: (t * t, 0.0, 0.0))])
    world.step(5)
    jump(world, body, method)
    before = body.velocity[0]
    world.step()
    assert body.velocity[0] - before == pytest.approx(dt * (5 * dt) ** 2, rel=1e-15)
    before = body.velocity[0]
    world.step()
    line = (6 * dt) ** 2 + 0.5 * ((6 * dt) ** 2 - (5 * dt) ** 2)
    assert body.velocity[0] - before == pytest.approx(dt * line, rel=1e-14)


def test_wheels_that_are_steered_every_tick_do_not_make_it_forget():
    """Stored momentum is no part of the pose, rates or mass: set every tick, it leaves the history."""
    method, dt = Extrapolated(RungeKutta4()), 0.125
    world, body = one_body(method, dt, forces=lambda body: [OnceATick(lambda t: (t * t, 0.0, 0.0))])
    for tick in range(6):
        body.stored_momentum_body = (0.0, 0.0, 0.1 * tick)
        before = body.velocity[0]
        world.step()
    exact = ((6 * dt) ** 3 - (5 * dt) ** 3) / 3.0
    assert body.velocity[0] - before == pytest.approx(exact, rel=1e-13)


def test_a_jump_of_one_body_is_no_jump_of_the_others():
    world = World(0.125, integrator=Extrapolated(RungeKutta4()))
    struck, other = (world.add_body(MassProperties(1.0, (1.0, 2.0, 2.5)), name=name) for name in ("struck", "other"))
    alone = World(0.125, integrator=Extrapolated(RungeKutta4()))
    lone = alone.add_body(MassProperties(1.0, (1.0, 2.0, 2.5)))
    for flown in (world, alone):
        flown.add_force(OnceATick(lambda t: (t * t, 1.0, -t), lambda t: (0.1, t, 0.0)))
        flown.step(5)
    struck.apply_impulse((1.0, 0.0, 0.0))
    struck.velocity = (3.0, 0.0, 0.0)
    world.add_body(MassProperties(1.0, (1.0, 2.0, 2.5)))
    world.remove_body(struck)
    world.step(5)
    alone.step(5)
    assert all(np.array_equal(getattr(other, name), getattr(lone, name)) for name in QUANTITIES)


def test_history_survives_the_growth_of_the_arrays():
    """Three hundred bodies more, which no longer fit, and the one that flew before goes on as if it were alone."""
    (world, body), (alone, lone) = (
        one_body(Extrapolated(RungeKutta4()), 0.125, forces=lambda body: [OnceATick(lambda t: (t * t, 1.0, -t))])
        for _ in range(2)
    )
    world.step(5)
    world.add_bodies(MassProperties(1.0, (1.0, 2.0, 2.5)), position=np.zeros((300, 3)))
    world.step(5)
    alone.step(10)
    assert all(np.array_equal(getattr(body, name), getattr(lone, name)) for name in QUANTITIES)


def test_history_forgotten_in_a_callback_is_back_when_the_tick_fails():
    """A callback strikes the body, which forgets its history, and then raises: both are undone."""
    (world, body), (calm, other) = (
        one_body(Extrapolated(RungeKutta4()), 0.125, forces=lambda body: [OnceATick(lambda t: (t * t, 1.0, -t))])
        for _ in range(2)
    )
    world.step(4)
    calm.step(4)
    before = world.state_hash()

    def strike(_world):
        body.apply_impulse((1.0, 0.0, 0.0))
        raise KeyError("the user's own")

    world.on_tick(strike)
    with pytest.raises(KeyError):
        world.step()
    assert world.state_hash() == before
    world.remove_callback(strike)
    world.step(3)
    calm.step(3)
    assert all(np.array_equal(getattr(body, name), getattr(other, name)) for name in QUANTITIES)


def test_a_tick_that_failed_leaves_the_history_as_it_was():
    """A force that raises, and one that is not finite, in the fourth tick; then on, as if nothing had been."""
    trouble = {"now": None}

    def troubled(wrench, bodies, time):
        if trouble["now"] == "raise":
            raise KeyError("the user's own")
        if trouble["now"] == "nan":
            wrench.force_world[0] += np.nan

    def made():
        def both(body):
            return [OnceATick(lambda t: (t * t, 0.0, 1.0), lambda t: (0.0, t, 0.0)), troubled]

        return one_body(Extrapolated(RungeKutta4()), 0.125, forces=both, **START)

    (world, _body), (calm, _other) = made(), made()
    world.step(3)
    calm.step(3)
    for kind, error in (("raise", KeyError), ("nan", NonFiniteStateError)):
        trouble["now"] = kind
        before = world.state_hash()
        with pytest.raises(error):
            world.step()
        assert world.state_hash() == before
    trouble["now"] = None
    world.step(3)
    calm.step(3)
    assert world.state_hash() == calm.state_hash()


def test_history_is_part_of_the_state():
    """What is known of the ticks before decides what comes: the hash sees it, and the method. Another method leaves nothing behind."""
    method = Extrapolated(RungeKutta4())
    world, _body = one_body(method, 0.125, forces=lambda body: [OnceATick(lambda t: (t * t, 0.0, 1.0))])
    world.step(3)
    full = world.state_hash()
    method.reset()
    empty = world.state_hash()
    world.integrator = "rk4"
    assert world.state_hash() not in (full, empty)
    world.integrator = method
    assert full != empty == world.state_hash()


# sub-steps


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_sub_steps_are_ticks_of_a_smaller_length(n):
    """n steps of dt/n are n ticks of a world whose tick is dt/n, to the bit, with forces held and at the stages."""
    for staged in (False, True):

        def push(body, staged=staged):
            held = [forces.ConstantTorque(body, torque_world=(0.2, 0.5, -0.3)), forces.UniformGravity((0.1, -9.8, 0.3))]
            return held + ([forces.AngularDamping(0.2), forces.QuadraticDrag(0.1)] if staged else [])

        cut = fly(Substepped(RungeKutta4(), n), DT, (0.5,), forces=push, **START)
        world, body = one_body(RungeKutta4(), DT / n, forces=push, **START)
        world.step(30 * n)
        assert all(np.array_equal(getattr(cut, name)[0], getattr(body, name)) for name in QUANTITIES)


def test_forces_see_the_times_of_the_sub_steps():
    """Four steps of two evaluations in a tick of one second: asked at the start and the middle of each."""
    asked = []
    fly(
        Substepped(PredictorCorrector(), 4),
        1.0,
        (2.0,),
        forces=lambda body: [lambda wrench, bodies, time: asked.append(time)],
    )
    assert asked == [tick + 0.25 * step + offset for tick in range(2) for step in range(4) for offset in (0.0, 0.125)]
    assert Substepped(PredictorCorrector(), 4).evaluations_per_tick == 8


def test_a_tick_of_sub_steps_is_blended_from_its_own_start():
    """The previous state is that of the tick before, not of the step before."""
    world, body = one_body(
        Substepped(RungeKutta4(), 5), 0.5, velocity=(1.0, 0.0, 0.0), angular_velocity_body=(0.0, 0.0, 0.8)
    )
    world.step(3)
    assert body.interpolated_pose(0.0)[0] == pytest.approx((1.0, 0.0, 0.0))
    assert rotations.angle(body.interpolated_pose(0.5)[1], rotations.from_axis_angle((0, 0, 1), 1.25 * 0.8)) < 1e-7


@pytest.mark.parametrize(
    "method", [Substepped(RungeKutta4(), 3), Substepped(RungeKutta4(), tolerance=1e-8)], ids=lambda m: m.name
)
@pytest.mark.parametrize("kind", ["raise", "nan"])
def test_a_tick_that_fails_in_its_last_step_leaves_nothing(method, kind):
    """A force that raises or is not finite late in the third tick: the state and what is drawn are those from before the tick."""

    def late(wrench, bodies, time):
        wrench.torque_body[0] += 0.1, 0.2, 0.3
        if time > 2.7 * DT:
            if kind == "raise":
                raise KeyError("the user's own")
            wrench.torque_body[0] += np.nan

    world, body = one_body(method, DT, forces=lambda body: [late], **START)
    world.step(2)
    before, drawn = world.state_hash(), body.interpolated_pose(0.5)
    with pytest.raises(KeyError if kind == "raise" else NonFiniteStateError):
        world.step()
    assert world.state_hash() == before and world.tick_count == 2
    if kind == "raise":
        assert all(np.array_equal(a, b) for a, b in zip(body.interpolated_pose(0.5), drawn, strict=True))


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-8])
def test_tolerance_bounds_the_change_of_a_tick(tolerance):
    """One tick of a fast tumble with damping, against a truth: the error is within the tolerance, and not much smaller than it need be.

    The result is that of the least number of steps for which twice as many had changed it by less: that bound is the method's sixteenth.
    """
    setup = {**START, "angular_velocity_body": (9.0, -16.0, 22.0)}
    truth = reference.solve((0.25,), wrench=lambda t, x, r, v, w: (np.zeros(3), -0.7 * w), **setup)
    flight = fly(
        Substepped(RungeKutta4(), tolerance=tolerance),
        0.25,
        (0.25,),
        forces=lambda body: [forces.AngularDamping(0.7)],
        **setup,
    )
    wrong = errors(flight, truth)
    worst = max(
        wrong["orientation"], 0.25 * wrong["angular_velocity_body"], wrong["position"], 0.25 * wrong["velocity"]
    )
    assert tolerance / 2000.0 < worst < tolerance / 4.0


def test_steps_are_as_few_as_the_tolerance_allows():
    """Counted by a force's calls: a body at rest takes one step and two to see that, a fast one doubles on."""

    def calls(tolerance, rates):
        asked = []
        fly(
            Substepped(RungeKutta4(), tolerance=tolerance),
            DT,
            (DT,),
            forces=lambda body: [lambda wrench, bodies, time: asked.append(time)],
            inertia_body=ASYMMETRIC,
            angular_velocity_body=rates,
        )
        return len(asked)

    assert calls(1e-6, (0.0, 0.0, 0.0)) == 4 * 3
    counts = [calls(tolerance, (9.0, -16.0, 22.0)) for tolerance in (1e-3, 1e-6, 1e-9)]
    assert counts == sorted(counts) and counts[0] < counts[1] < counts[2]
    assert all((count // 4 + 1).bit_count() == 1 for count in counts)


def test_each_body_takes_its_own_steps():
    """A calm body beside a wild one moves by the bits that it has alone, whatever the other needs."""
    method = Substepped(RungeKutta4(), tolerance=1e-7)
    world = World(DT, integrator=method)
    for name, rates in (("wild", (90.0, -60.0, 30.0)), ("calm", (0.3, -0.4, 0.5))):
        world.add_body(MassProperties(1.0, ASYMMETRIC), name=name, angular_velocity_body=rates)
    alone, lone = one_body(method, DT, inertia_body=ASYMMETRIC, angular_velocity_body=(0.3, -0.4, 0.5))
    for flown in (world, alone):
        flown.add_force(forces.AngularDamping(0.1))
        flown.step(20)
    assert all(np.array_equal(getattr(world.body("calm"), name), getattr(lone, name)) for name in QUANTITIES)


@pytest.mark.parametrize("staged", [False, True])
def test_a_tolerance_that_cannot_be_met_is_said(staged):
    """1e-18 rad is below the rounding of a quaternion; the world stays where it was, the ticks before count."""
    world, body = one_body(Substepped(SemiImplicitEuler(), tolerance=1e-18), DT, **START)
    if staged:
        world.add_force(forces.AngularDamping(0.2))
    before = world.state_hash()
    with pytest.raises(ArithmeticError, match=r"row 0 .* between 512 and 1024 sub-steps"):
        world.step(3)
    assert world.state_hash() == before and world.tick_count == 0
    body.angular_velocity_body, body.velocity = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    world.step(3)
    assert world.tick_count == 3


def test_a_tolerance_that_can_no_longer_be_met_leaves_the_ticks_before():
    """A ball spun up by a constant torque: the midpoint rule lags by (ω dt)³/12, until 1024 steps do not do. Held ticks."""

    def spin_up(body):
        return [forces.ConstantTorque(body, torque_body=(0.0, 0.0, 0.02 / DT**2))]

    def made():
        return one_body(
            Substepped(ImplicitMidpoint(), tolerance=1e-9), DT, forces=spin_up, inertia_body=(1.0, 1.0, 1.0)
        )

    world, _body = made()
    with pytest.raises(ArithmeticError, match="tolerance"):
        world.step(40)
    assert 2 <= world.tick_count < 40
    other, _other_body = made()
    for _ in range(world.tick_count):
        other.step()
    assert other.state_hash() == world.state_hash()


def test_tolerance_holds_for_the_attitude_where_the_rates_do_not_change():
    """A ball at dt·|ω| = 1 by the midpoint rule, whose rates are exact: a tick's turn is right to the tolerance, but not much better."""
    for tolerance in (1e-3, 1e-6):
        method = Substepped(ImplicitMidpoint(), tolerance=tolerance)
        flight = fly(method, 0.25, (0.25,), inertia_body=(1.0, 1.0, 1.0), angular_velocity_body=(0.0, 2.4, 3.2))
        turned = rotations.from_axis_angle((0.0, 0.6, 0.8), 1.0)
        assert tolerance / 2000.0 < rotations.angle(flight.orientation[0], turned) < tolerance


# both, and what is refused


def starts(count):
    rng = np.random.default_rng(5)
    return {
        "position": rng.normal(size=(count, 3)),
        "orientation": rotations.Rotation.random(count, random_state=rng).as_quat(),
        "velocity": rng.normal(size=(count, 3)),
        "angular_velocity_body": 2.0 * rng.normal(size=(count, 3)),
    }


WRAPPED = [
    Extrapolated(RungeKutta4()),
    Extrapolated(Substepped(LieRungeKutta4(), 2)),
    Substepped(ImplicitMidpoint(), 3),
    Substepped(RungeKutta4(), tolerance=1e-8),
    RungeKutta4(variables="body_rates", keep_momentum=True),
    RungeKutta4(variables="world_rates", keep_momentum=True),
]


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("method", WRAPPED, ids=lambda method: method.name)
def test_a_body_alone_and_in_a_crowd_moves_by_the_same_bits(method, staged):
    """One extrapolated and one substepped method in a crowd of another capacity, whose kernels are compiled for that."""
    found, (crowd, place) = [], (1003, 517) if method in (WRAPPED[0], WRAPPED[2]) else (251, 117)
    for count, row in ((1, 0), (crowd, place)):
        world = World(DT, integrator=method)
        chosen = {name: (rows if count > 1 else rows[place : place + 1]) for name, rows in starts(crowd).items()}
        bodies = world.add_bodies(MassProperties(0.7, skew_tensor((0.4, 0.5, 0.6)), (-0.1, 0.4, 0.2)), **chosen)
        body = bodies[row]
        world.add_force(OnceATick(lambda t: (t * t, 1.0, -t), lambda t: (0.1, t, np.sin(t))))
        if staged:
            world.add_force(forces.QuadraticDrag(0.1))
            world.add_force(forces.AngularDamping(0.05))
        body.stored_momentum_body = (0.2, -0.1, 0.4)
        world.step(5)
        if count > 1:  # a blow on another body is nothing to this one
            bodies[3].apply_impulse((1.0, 0.0, 0.0))
        body.apply_force((1.0, 2.0, 3.0), at_world=(0.1, 0.2, 0.3))
        world.step(5)
        found.append(body)
    assert all(np.array_equal(getattr(found[0], name), getattr(found[1], name)) for name in QUANTITIES)


def flown_hashes(methods):
    hashes = []
    for method in methods:
        world, body = one_body(method, DT, stored_momentum_body=(0.2, -0.1, 0.4), **START)
        world.add_force(OnceATick(lambda t: (t * t, 1.0, -t), lambda t: (0.1, t, 0.25)))
        world.step(5)
        world.add_force(forces.AngularDamping(0.05))
        body.apply_force((1.0, 2.0, 3.0))
        world.step(5)
        hashes.append(world.state_hash())
    return hashes


def wrapped_hashes():
    return flown_hashes(WRAPPED)


def test_the_same_source_as_plain_python_gives_the_same_bits():
    assert in_plain_python(wrapped_hashes) == wrapped_hashes()


def test_one_wrapper_flies_many_worlds():
    """The history is the world's and not the method's: two worlds of one method do not see each other."""
    method = Extrapolated(RungeKutta4())
    force = OnceATick(lambda t: (t * t, 0.0, 1.0))
    (first, _a), (second, _b) = (one_body(method, 0.125, forces=lambda body: [force]) for _ in range(2))
    other = OnceATick(lambda t: (-5.0 * t, 0.0, 1.0))
    third, _c = one_body(method, 0.125, forces=lambda body: [other])
    for _ in range(6):
        first.step()
        third.step()
    second.step(6)
    assert first.state_hash() == second.state_hash() != third.state_hash()


def test_what_makes_no_sense_is_refused_with_the_reason():
    with pytest.raises(ValueError, match=r"history consists of whole ticks.*Extrapolated\(Substepped"):
        Substepped(Extrapolated(RungeKutta4()), 2)
    with pytest.raises(ValueError, match="extrapolate already"):
        Extrapolated(Extrapolated(RungeKutta4()))
    for wrapper in (Extrapolated, lambda integrator: Substepped(integrator, 2)):
        assert wrapper("rk4").integrator.name == "rk4"
        with pytest.raises(ValueError, match=r"integrator must be an integrator or one of the names .*; got 'rk6'"):
            wrapper("rk6")
        with pytest.raises(TypeError, match="integrator must be"):
            wrapper(4)
    with pytest.raises(ValueError, match="exactly one of n and tolerance must be given"):
        Substepped(RungeKutta4())
    with pytest.raises(ValueError, match="exactly one of n and tolerance must be given"):
        Substepped(RungeKutta4(), 2, tolerance=1e-6)
    for n, error in ((0, ValueError), (-1, ValueError), (2.0, TypeError), (True, TypeError), ("2", TypeError)):
        with pytest.raises(error, match=f"Substepped: n must be an integer of at least 1; got {n!r}"):
            Substepped(RungeKutta4(), n)
    with pytest.raises(ValueError, match="Substepped: n must be at most 1000000; got 10000000"):
        Substepped(RungeKutta4(), 10_000_000)
    for n in (1, 3, np.int64(3), np.uint8(3)):
        assert repr(Substepped(RungeKutta4(), n)) == f"Substepped({RungeKutta4()!r}, {int(n)})"
    for tolerance in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="tolerance"):
            Substepped(RungeKutta4(), tolerance=tolerance)


@pytest.mark.parametrize(
    "wrap", [Extrapolated, lambda method: Substepped(method, 2), lambda method: Substepped(method, tolerance=1e-6)]
)
def test_game_mode_and_stored_momentum_pass_through_a_wrapper(wrap):
    """Free body rates stay in game mode; with the option that cannot do without the term, the wrapper refuses as the method does."""
    rates = START["angular_velocity_body"]
    world, body = one_body(wrap(RungeKutta4()), DT, game_mode=True, stored_momentum_body=(0.8, -0.5, 1.3), **START)
    world.step(20)
    assert np.array_equal(body.angular_velocity_body, rates)
    with pytest.raises(ValueError, match="game mode"):
        one_body(wrap(RungeKutta4(variables="body_rates", keep_momentum=True)), DT, game_mode=True)
    world, body = one_body(wrap(ImplicitMidpoint()), DT, stored_momentum_body=(0.8, -0.5, 1.3), **START)
    momentum = body.angular_momentum_world
    world.step(60)
    assert np.abs(body.angular_momentum_world - momentum).max() < 1e-13
