"""Reaction wheels with motors: stored momentum in every method, at the method's order, with the total momentum conserved to rounding."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from engine import MassProperties, NonFiniteStateError, World, forces, integrators
from engine.compilation.compiler import COMPILED
from engine.integrators import Extrapolated, FreeRotor, RungeKutta4, Substepped
from engine.loops.layout import MOTOR_TORQUE, PREVIOUS_STORED_MOMENTUM, STORED_MOMENTUM

from ..helpers import ASYMMETRIC, SKEW_AXES, SKEW_ORIENTATION, angular_momentum, fly, measured_orders, one_body
from ..lengths import sized
from ..truth import reference, rotations
from ..worlds import crowd

STORED, MOTOR = (0.8, -0.5, 1.3), (0.35, 0.6, -0.45)
EXTERNAL_WORLD, EXTERNAL_BODY = (0.2, 0.5, -0.3), (0.4, -0.1, 0.2)
CENTER = np.array((0.3, -0.2, 0.1))
START = {
    "position": (0.9, -0.6, 1.1),
    "velocity": (-0.5, 0.9, 0.3),
    "orientation": SKEW_ORIENTATION,
    "angular_velocity_body": (0.9, -1.6, 2.2),
    "inertia_body": ASYMMETRIC,
    "stored_momentum_body": STORED,
}
TIMES = (0.5, 1.0, 1.5, 2.0)
TURNING = ("orientation", "angular_velocity_body")

METHODS = [
    *integrators.ALL_INTEGRATORS,
    RungeKutta4(variables="body_rates", keep_momentum=True),
    RungeKutta4(variables="world_rates", keep_momentum=True),
    Substepped(FreeRotor(), 2),
]
KEEP_MOMENTUM = [
    method
    for method in METHODS
    if method.name in ("rk4", "semi-implicit-euler", "midpoint", "free-rotor-2 in 2")
    or "splitting" in method.name
    or method.name.startswith(("free-rotor", "saba"))
    or method.name.endswith("kept")
]
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)


class Motor:
    """Motors that give a constant torque to the wheels, and external torques beside them."""

    evaluate = "tick"

    def __init__(self, motor_torque_body, torque_world=(0.0, 0.0, 0.0), torque_body=(0.0, 0.0, 0.0)):
        self.parts = motor_torque_body, torque_world, torque_body

    def apply(self, wrench, bodies, time):
        motor, world, body = map(np.array, self.parts)
        wrench.motor_torque_body += motor
        wrench.torque_world += world
        wrench.torque_body += body


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("forces_of_a_kind", [0, 2])
def test_a_wheel_about_one_axis_is_one(axis, forces_of_a_kind):
    """Drifts of order 4 are divided where a wheel turns; a wheel about one axis is the limit of one that is nearly about it."""
    found = []
    for beside in (0.0, 1e-30):
        momentum = np.full(3, beside)
        momentum[axis] = 3.0
        world = World(0.2, integrator="free-rotor-4")
        shape = MassProperties(5.0, ASYMMETRIC)
        body = world.add_body(shape, angular_velocity_body=(0.5, -1.0, 0.7))
        body.stored_momentum_body = momentum
        for _ in range(forces_of_a_kind):  # two of a kind act in passes
            world.add_force(forces.PointGravity(1e-9, (50.0, 0.0, 0.0)))
        world.step(20)
        found.append([*body.orientation, *body.angular_velocity_body])
    assert found[0] == pytest.approx(found[1], abs=1e-13)


# the order of each method


@pytest.fixture(scope="module")
def motor_truth():
    def wrench(time, position, rotation, velocity, rates):
        r = position - CENTER
        along = rotation.T @ r
        distance = np.linalg.norm(r)
        gradient = 3.0 * 1.7 / distance**5 * np.cross(along, ASYMMETRIC @ along)
        return np.zeros(3), rotation.T @ EXTERNAL_WORLD + np.array(EXTERNAL_BODY) + gradient

    return reference.solve(TIMES, wrench=wrench, motor_torque_body=MOTOR, **START)


@pytest.fixture(scope="module")
def damped_truth():
    return reference.solve(
        TIMES, wrench=lambda t, x, r, v, rates: (-0.4 * v, -0.7 * rates), motor_torque_body=MOTOR, **START
    )


@every_method
def test_attitude_and_rates_converge_at_the_named_order(method, motor_truth):
    """A skew asymmetric body, wheels that spin up, torques fixed in the world and in the body, and one that follows the pose."""

    def push(body):
        return [Motor(MOTOR, EXTERNAL_WORLD, EXTERNAL_BODY), forces.GravityGradient(1.7, CENTER)]

    found = measured_orders(method, TIMES, motor_truth, TURNING, forces=push, **START)
    assert all(order >= method.order - 0.1 for order in found.values()), f"{method.name}: {found}"


@every_method
def test_a_damping_beside_the_motors_leaves_the_order(method, damped_truth):
    """Kicks of several evaluations: the trial rates of each have what the motors did so far in them."""

    def damped(body):
        return [Motor(MOTOR), forces.AngularDamping(0.7), forces.LinearDrag(0.4)]

    found = measured_orders(method, TIMES, damped_truth, TURNING, forces=damped, **START)
    assert all(order >= method.order - 0.1 for order in found.values()), f"{method.name}: {found}"


# what is kept


@pytest.mark.parametrize("method", KEEP_MOMENTUM, ids=lambda method: method.name)
def test_motors_leave_the_total_momentum_alone_to_rounding(method):
    """R (I ω + h) over 10 000 ticks of 1/100 s, in `.ci/run` 1000, while motors turn wheels up and down."""
    ticks = sized(1000, 10_000) if COMPILED else 200

    class UpAndDown(Motor):
        def apply(self, wrench, bodies, time):
            wrench.motor_torque_body += np.array(MOTOR) * (1.0 if int(time) % 2 == 0 else -1.0)

    world, body = one_body(method, 0.01, forces=lambda body: [UpAndDown(MOTOR)], **START)
    start, worst = angular_momentum(body), 0.0
    for _ in range(20):
        world.step(ticks // 20)
        worst = max(worst, np.linalg.norm(angular_momentum(body) - start))
    assert worst < 3e-12 * np.linalg.norm(start)


@pytest.mark.parametrize("method", KEEP_MOMENTUM, ids=lambda method: method.name)
def test_the_total_momentum_grows_by_the_external_torque_alone(method):
    """A constant torque in the world frame for 2 s: R (I ω + h) grows by τ t to rounding, whatever motors do."""
    world, body = one_body(method, 0.01, forces=lambda body: [Motor(MOTOR, torque_world=EXTERNAL_WORLD)], **START)
    start = angular_momentum(body)
    world.step(200)
    expected = start + 2.0 * np.array(EXTERNAL_WORLD)
    # the kicks of a splitting turn a world torque to the body frame of the moment; so their sum in the world frame is exact as well
    assert np.linalg.norm(angular_momentum(body) - expected) < 1e-13 * np.linalg.norm(expected)


@every_method
def test_stored_momentum_grows_by_the_motor_torque(method):
    """h = h₀ + u t to rounding (of up to 4000 sums) after 500 ticks, in `.ci/run` 100, in game mode too where the method has one."""
    for game_mode in (False, True):
        try:
            world, body = one_body(method, 0.01, forces=lambda body: [Motor(MOTOR)], game_mode=game_mode, **START)
        except ValueError:
            continue
        world.step(ticks := sized(100, 500))
        assert np.abs(body.stored_momentum_body - STORED - 0.01 * ticks * np.array(MOTOR)).max() < 5e-13


# closed forms


@every_method
def test_a_wheel_spun_up_about_a_principal_axis(method):
    """At rest at first: ω = −u t/I about that axis, turned by −u t²/(2 I). The total momentum is zero all the time.

    Euler is off by dt t u/(2 I), the Cayley turns of the midpoint rule by Σ (ω dt)³/12; the others measured 4e-12 rad (Nyström) and less.
    """
    axis, torque, time = SKEW_AXES[:, 1], 0.6, 2.0
    flight = fly(
        method,
        0.01,
        (time,),
        forces=lambda body: [Motor(torque * axis)],
        inertia_body=ASYMMETRIC,
        orientation=SKEW_ORIENTATION,
    )
    assert np.abs(flight.angular_velocity_body[0] + torque * time / 2.0 * axis).max() < 2e-12
    turned = Rotation.from_quat(SKEW_ORIENTATION) * Rotation.from_rotvec(-torque * time**2 / 4.0 * axis)
    off = {1: 0.01 * time * torque / 4.0}.get(method.order, 0.0)
    if method.name == "midpoint":
        off = 0.01**2 * (torque / 2.0) ** 3 * time**4 / 48.0
    assert rotations.angle(flight.orientation[0], turned.as_quat()) == pytest.approx(off, rel=1e-3, abs=1e-11)


@every_method
def test_wheels_spun_up_and_down_leave_a_body_at_rest_as_it_was(method):
    """About a principal axis, one second up and one down: the body has turned by −u t²/I and rests again."""
    axis, torque = SKEW_AXES[:, 0], 0.6

    class UpThenDown(Motor):
        def apply(self, wrench, bodies, time):
            wrench.motor_torque_body += torque * axis * (1.0 if time < 1.0 - 1e-9 else -1.0)

    world, body = one_body(
        method,
        1.0 / 64.0,
        forces=lambda body: [UpThenDown(MOTOR)],
        inertia_body=ASYMMETRIC,
        orientation=SKEW_ORIENTATION,
    )
    world.step(128)
    assert np.abs(body.stored_momentum_body).max() < 1e-13
    assert np.abs(body.angular_velocity_body).max() < 1e-11


@every_method
def test_game_mode_drops_the_gyroscopic_term_and_keeps_the_motors(method):
    """ω = ω₀ − I⁻¹ u t, from any rates and with any wheels, to rounding."""
    try:
        flight = fly(method, 0.01, (2.0,), forces=lambda body: [Motor(MOTOR)], game_mode=True, **START)
    except ValueError:
        pytest.skip("not made for game mode")
    expected = np.array(START["angular_velocity_body"]) - 2.0 * np.linalg.solve(ASYMMETRIC, MOTOR)
    assert np.abs(flight.angular_velocity_body[0] - expected).max() < 1e-12


# neighbours, failures, wrappers


@every_method
def test_a_motor_in_one_body_does_not_touch_the_bits_of_its_neighbours(method):
    def motion(with_motor):
        world = World(0.02, integrator=method)
        bodies = world.add_bodies(
            MassProperties(1.0, ASYMMETRIC),
            np.arange(15.0).reshape(5, 3),
            orientation=SKEW_ORIENTATION,
            angular_velocity_body=(0.9, -1.6, 2.2),
        )
        world.add_force(forces.LinearDrag(0.1))

        def motor(wrench, bodies, time):
            if with_motor:
                wrench.motor_torque_body[2] += MOTOR

        motor.evaluate = "tick"
        world.add_force(motor)
        world.step(20)
        assert world._bodies.stores_momentum is with_motor
        return [np.concatenate([body.orientation, body.angular_velocity_body]) for body in bodies]

    without, beside = motion(False), motion(True)
    for index in (0, 1, 3, 4):
        assert np.array_equal(without[index], beside[index])
    assert not np.array_equal(without[2], beside[2])


@every_method
def test_motors_give_the_same_bits_whether_forces_are_compiled_or_called(method):
    def flown(called):
        world = World(0.01, integrator=method)
        bodies = crowd(world)
        world.add_force(Motor(MOTOR, EXTERNAL_WORLD))
        world.add_force(forces.GravityGradient(5e4, (40, -30, 20)))
        world.add_force(forces.AngularDamping(0.2))
        if called == "coupled":
            world.add_force(forces.Spring(bodies[0], None, stiffness=0.0))
        if called == "called":
            world.add_force(lambda wrench, bodies, time: None)
        world.step(5)
        state = world.state
        return np.hstack([state.orientation, state.angular_velocity_body, state.velocity, state.stored_momentum_body])

    fused = flown("fused")
    assert np.array_equal(flown("coupled"), fused)
    assert np.array_equal(flown("called"), fused)


@every_method
@pytest.mark.parametrize("called", [False, True])
def test_a_tick_that_is_not_finite_puts_the_stored_momentum_back(method, called):
    """Wheels of one body overflow: every body has its stored momentum of before."""
    world = World(0.01, integrator=method)
    bodies = crowd(world)
    if called:
        world.add_force(lambda wrench, bodies, time: None)
    world.step(3)
    bodies[2].stored_momentum_body = (1.7e308, 0.0, 0.0)
    before = world.state_hash()

    def motor(wrench, bodies, time):
        wrench.motor_torque_body[:] += (1e308, 0.2, 0.3)

    motor.evaluate = "tick"
    world.add_force(motor)
    with pytest.raises(NonFiniteStateError):
        world.step(400)
    world.remove_force(motor)
    assert world.tick_count == 3
    assert world.state_hash() == before


def test_stored_momentum_alone_can_spoil_a_tick():
    """In game mode nothing depends on h: it is not finite, and all else is, with an angular acceleration of 100 rad/s²."""
    world, body = one_body(
        "rk4", 1.0, game_mode=True, inertia_body=(1e306, 2e306, 2.5e306), stored_momentum_body=(1.7e308, 0, 0)
    )

    def motor(wrench, bodies, time):
        wrench.motor_torque_body[:] += (1e308, 0.0, 0.0)

    motor.evaluate = "tick"
    world.add_force(motor)
    with pytest.raises(NonFiniteStateError):
        world.step()
    assert body.stored_momentum_body.tolist() == [1.7e308, 0.0, 0.0]
    assert world.tick_count == 0


def test_the_stored_momentum_one_tick_earlier_is_kept():
    world, body = one_body(Substepped(RungeKutta4(), 3), 0.01, forces=lambda body: [Motor(MOTOR)], **START)
    for _ in range(3):
        before = body.stored_momentum_body
        world.step()
        assert np.array_equal(world._bodies.array[PREVIOUS_STORED_MOMENTUM : PREVIOUS_STORED_MOMENTUM + 3, 0], before)


def test_motors_are_held_where_other_torques_are_extrapolated():
    """A motor torque that grows with the time, once per tick: h has its sum over the ticks, by any method around."""

    class Growing(Motor):
        def apply(self, wrench, bodies, time):
            wrench.motor_torque_body += (1.0 + time) * np.array(MOTOR)

    hs = []
    for method in (RungeKutta4(), Extrapolated(RungeKutta4())):
        world, body = one_body(method, 0.01, forces=lambda body: [Growing(MOTOR)], **START)
        world.step(50)
        hs.append(body.stored_momentum_body)
    assert np.array_equal(hs[0], hs[1])
    expected = np.array(STORED) + 0.01 * (1.0 + 0.01 * np.arange(50)).sum() * np.array(MOTOR)
    assert np.abs(hs[0] - expected).max() < 1e-14


def test_a_world_stores_momentum_while_a_wheel_or_a_motor_turns():
    world, _body = one_body("rk4", 0.01, inertia_body=ASYMMETRIC)

    def motor(wrench, bodies, time):
        wrench.motor_torque_body[:] += MOTOR

    motor.evaluate = "tick"
    assert not world._bodies.stores_momentum
    world.add_force(motor)
    world.step()
    assert world._bodies.stores_momentum
    assert world._bodies.array[MOTOR_TORQUE : MOTOR_TORQUE + 3, 0].tolist() == list(MOTOR)
    world.remove_force(motor)
    world.step()
    assert world._bodies.stores_momentum  # what the wheel has, it keeps
    assert not world._bodies.array[MOTOR_TORQUE : MOTOR_TORQUE + 3].any()
    assert np.abs(world._bodies.array[STORED_MOMENTUM : STORED_MOMENTUM + 3, 0] - 0.01 * np.array(MOTOR)).max() < 1e-17


def test_a_force_at_the_stages_has_no_motors():
    world, _ = one_body("rk4", 0.01, inertia_body=ASYMMETRIC)

    def motor(wrench, bodies, time):
        wrench.motor_torque_body[:] += MOTOR

    world.add_force(motor)
    with pytest.raises(
        TypeError, match='motor_torque_body is held over a tick; give the force the attribute evaluate = "tick"'
    ):
        world.step()
