"""Every method converges at the order it names: orientation (as an angle) and rates apart, position and velocity apart.

Errors are summed over four times, since one time can be a lucky zero. Tensors have products of inertia, starts are turned by odd angles
about skew axes. The slope has to reach the named order − 0.1; a method that is exact on a problem passes it.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from engine import forces, integrators
from engine.solutions import FreeAsymmetricTop, HeavySymmetricTop, TwoBodyMotion

from ..helpers import ASYMMETRIC, SKEW_AXES, SKEW_ORIENTATION, Flight, fly, measured_orders, one_body, skew_tensor
from ..truth import reference, rotations

TIMES = (0.5, 1.0, 1.5, 2.0)
TURNING = ("orientation", "angular_velocity_body")
MOVING = ("position", "velocity")

RATES = (0.9, -1.6, 2.2)
START = {
    "position": (0.4, -0.3, 0.8),
    "velocity": (-0.5, 0.9, 0.3),
    "orientation": SKEW_ORIENTATION,
    "angular_velocity_body": RATES,
    "inertia_body": ASYMMETRIC,
}

every_method = pytest.mark.parametrize("method", integrators.ALL_INTEGRATORS, ids=lambda method: method.name)


def assert_orders(method, found):
    wanted = method.order - 0.1
    assert all(order >= wanted for order in found.values()), (
        f"{method.name} names order {method.order}, measured {found}"
    )


@every_method
def test_free_asymmetric_body_converges_at_the_named_order(method):
    """Truth: Jacobi's elliptic functions."""
    body = FreeAsymmetricTop(ASYMMETRIC, np.array(RATES), SKEW_ORIENTATION)
    truth = Flight(None, body.orientations(TIMES), None, body.angular_velocities_body(TIMES))
    assert_orders(
        method,
        measured_orders(
            method,
            TIMES,
            truth,
            TURNING,
            inertia_body=ASYMMETRIC,
            orientation=SKEW_ORIENTATION,
            angular_velocity_body=RATES,
        ),
    )


TOP_MOMENTS, TOP_STRENGTH = (1.0, 1.0, 0.6), 3.0
TOP_AXIS = SKEW_AXES[:, 2]


def heavy_top(body):
    """A weight on the symmetry axis, held up at the mass centre: torque x₃ × (−k z) = k z × x₃."""
    return [
        forces.ConstantForce(body, force_world=(0.0, 0.0, -TOP_STRENGTH), at_body=TOP_AXIS),
        forces.ConstantForce(body, force_world=(0.0, 0.0, TOP_STRENGTH)),
    ]


@every_method
def test_heavy_top_converges_at_the_named_order(method):
    """A torque that depends on the attitude. Truth: elliptic functions and quadratures, in the top's own axes."""
    rates = np.array([0.7, -1.1, 4.0])
    top = HeavySymmetricTop(1.0, 0.6, TOP_STRENGTH, rates, SKEW_ORIENTATION)
    drawn = Rotation.from_matrix(SKEW_AXES)
    truth = Flight(
        None,
        (Rotation.from_quat(top.orientations(TIMES)) * drawn.inv()).as_quat(),
        None,
        drawn.apply(top.angular_velocities_body(TIMES)),
    )
    found = measured_orders(
        method,
        TIMES,
        truth,
        TURNING,
        forces=heavy_top,
        inertia_body=skew_tensor(TOP_MOMENTS),
        orientation=(Rotation.from_quat(SKEW_ORIENTATION) * drawn.inv()).as_quat(),
        angular_velocity_body=drawn.apply(rates),
    )
    assert_orders(method, found)


def solve(**problem):
    return reference.solve(TIMES, **(START | problem))


@pytest.fixture(scope="module")
def damped_truth():
    def wrench(time, position, rotation, velocity, rates):
        return -0.4 * np.linalg.norm(velocity) * velocity, -0.7 * rates

    return solve(wrench=wrench)


@every_method
def test_damped_body_converges_at_the_named_order(method, damped_truth):
    """Forces that depend on the rates: τ = −c ω and F = −c |v| v. Truth: numerical, to 1e-12."""

    def damping(body):
        return [forces.AngularDamping(0.7), forces.QuadraticDrag(0.4)]

    found = measured_orders(method, TIMES, damped_truth, TURNING + MOVING, forces=damping, **START)
    assert_orders(method, found)


@every_method
def test_kepler_ellipse_converges_at_the_named_order(method):
    """A skew ellipse of eccentricity 0.34 about a centre off the origin, for a third of a turn past the near point."""
    center = np.array([0.3, -0.2, 0.5])
    position, velocity = np.array([1.0, -0.4, 0.5]), np.array([0.45, 1.0, 0.35])
    orbit = TwoBodyMotion(1.7, position, velocity)
    positions, velocities = orbit.positions(TIMES), orbit.velocities(TIMES)
    found = measured_orders(
        method,
        TIMES,
        Flight(positions + center, None, velocities, None),
        MOVING,
        forces=lambda body: [forces.PointGravity(1.7, center)],
        mass=3.0,
        inertia_body=ASYMMETRIC,
        position=position + center,
        velocity=velocity,
    )
    assert_orders(method, found)


STORED = (0.8, -0.5, 1.3)


@pytest.fixture(scope="module")
def gyrostat_truth():
    return solve(stored_momentum_body=STORED)


@every_method
def test_body_with_stored_momentum_converges_at_the_named_order(method, gyrostat_truth):
    """I ω̇ = −ω × (I ω + h), h the momentum of a wheel along a skew body axis."""
    assert_orders(method, measured_orders(method, TIMES, gyrostat_truth, TURNING, stored_momentum_body=STORED, **START))


@pytest.fixture(scope="module")
def game_mode_truth():
    def wrench(time, position, rotation, velocity, rates):
        return np.zeros(3), np.array([0.5, 0.3, -0.4]) - 0.3 * rates

    return solve(wrench=wrench, game_mode=True, stored_momentum_body=STORED)


@every_method
def test_game_mode_converges_to_motion_without_the_gyroscopic_term(method, game_mode_truth):
    """I ω̇ = τ, the stored momentum dropped with the rest of the term."""

    def push(body):
        return [forces.ConstantTorque(body, torque_body=(0.5, 0.3, -0.4)), forces.AngularDamping(0.3)]

    found = measured_orders(
        method, TIMES, game_mode_truth, TURNING, forces=push, game_mode=True, stored_momentum_body=STORED, **START
    )
    assert_orders(method, found)


FIELD_GM, FIELD_CENTER = 1.7, np.array([0.3, -0.2, 0.5])
ORBIT = {**START, "position": (1.5, -0.7, 1.1), "velocity": (0.45, 0.85, 0.3), "mass": 1.3}


@pytest.fixture(scope="module")
def gradient_truth():
    def wrench(time, position, rotation, velocity, rates):
        r = position - FIELD_CENTER
        r_body = rotation.T @ r
        squared = r @ r
        return -1.3 * FIELD_GM * r / squared**1.5, 3.0 * FIELD_GM / squared**2.5 * reference.cross(
            r_body, ASYMMETRIC @ r_body
        )

    return solve(
        wrench=wrench, stored_momentum_body=STORED, **{name: ORBIT[name] for name in ("position", "velocity", "mass")}
    )


@every_method
def test_gravity_gradient_on_an_orbit_converges_at_the_named_order(method, gradient_truth):
    """A torque that depends on place and attitude, near the low point of an ellipse: a method that freezes either is of order one."""

    def gravity(body):
        return [forces.PointGravity(FIELD_GM, FIELD_CENTER), forces.GravityGradient(FIELD_GM, FIELD_CENTER)]

    found = measured_orders(
        method, TIMES, gradient_truth, TURNING + MOVING, forces=gravity, stored_momentum_body=STORED, **ORBIT
    )
    assert_orders(method, found)


CHARGE, ELECTRIC, MAGNETIC, ARM = (
    0.8,
    np.array([0.3, 0.9, -0.4]),
    np.array([0.6, -0.5, 1.7]),
    np.array([0.5, -0.3, 0.7]),
)


@pytest.fixture(scope="module")
def lorentz_truth():
    def wrench(time, position, rotation, velocity, rates):
        central = CHARGE * (ELECTRIC + reference.cross(velocity, MAGNETIC))
        lever = rotation @ ARM
        off = CHARGE * (ELECTRIC + reference.cross(velocity + rotation @ reference.cross(rates, ARM), MAGNETIC))
        return central + off, rotation.T @ reference.cross(lever, off)

    return solve(wrench=wrench)


@every_method
def test_lorentz_force_converges_at_the_named_order(method, lorentz_truth):
    """q (E + v × B) on a charge at the mass centre, the built-in force, and on one off it, a function: force and torque by all rates."""

    # a × b is a times a matrix
    times_arm, times_field = np.cross(np.eye(3), ARM), np.cross(np.eye(3), MAGNETIC)

    def off_the_centre(wrench, bodies, time):
        spin = bodies.to_world(bodies.angular_velocity_body @ times_arm)
        force = CHARGE * (ELECTRIC + (bodies.velocity + spin) @ times_field)
        wrench.add(0, force_world=force[0], at_body=ARM)

    def charges(body):
        return [forces.Lorentz(CHARGE, electric_field=ELECTRIC, magnetic_field=MAGNETIC), off_the_centre]

    assert_orders(method, measured_orders(method, TIMES, lorentz_truth, TURNING + MOVING, forces=charges, **START))


ANCHOR, HOLD = np.array([-0.6, 0.5, 1.4]), np.array([0.5, -0.3, 0.7])
MASS_CENTRE = np.array([0.1, 0.2, -0.15])


@pytest.fixture(scope="module")
def tethered_truth():
    arm = HOLD - MASS_CENTRE

    def wrench(time, position, rotation, velocity, rates):
        lever = rotation @ arm
        line = ANCHOR - position - lever
        speed = -(velocity + rotation @ reference.cross(rates, arm))
        length = np.linalg.norm(line)
        pull = 4.0 * (length - 0.5) + 0.3 * speed @ line / length
        force = pull * line / length
        return force, rotation.T @ reference.cross(lever, force)

    return solve(wrench=wrench, mass=1.3, stored_momentum_body=STORED)


@every_method
def test_tethered_body_converges_at_the_named_order(method, tethered_truth):
    """A damped spring from a point off the mass centre to a point of the world.

    The force depends on the attitude, the torque on the position.
    """

    def tether(body):
        return [forces.Spring(body, None, at_body=HOLD, at_other=ANCHOR, stiffness=4.0, damping=0.3, rest_length=0.5)]

    found = measured_orders(
        method,
        TIMES,
        tethered_truth,
        TURNING + MOVING,
        forces=tether,
        mass=1.3,
        center_of_mass_body=MASS_CENTRE,
        stored_momentum_body=STORED,
        **START,
    )
    assert_orders(method, found)


@pytest.fixture(scope="module")
def clockwork_truth():
    def wrench(time, position, rotation, velocity, rates):
        return np.array([np.cos(2.3 * time), 0.0, time**3]), np.array([0.0, np.sin(3.1 * time), -0.5 * time**2])

    return solve(wrench=wrench)


@every_method
def test_time_dependent_force_converges_at_the_named_order(method, clockwork_truth):
    """A function of the user's, asked at the time of each stage."""

    def clockwork(wrench, bodies, time):
        wrench.force_world[0] += np.cos(2.3 * time), 0.0, time**3
        wrench.torque_body[0] += 0.0, np.sin(3.1 * time), -0.5 * time**2

    found = measured_orders(method, TIMES, clockwork_truth, TURNING + MOVING, forces=lambda body: [clockwork], **START)
    assert_orders(method, found)


@pytest.fixture(scope="module")
def held_truth():
    def wrench(time, position, rotation, velocity, rates):
        return np.array([0.3, 0.2, -0.9]) + rotation @ (0.4, -0.2, 0.6), rotation.T @ (0.2, 0.5, -0.3) + (
            0.4,
            -0.1,
            0.2,
        )

    return solve(wrench=wrench)


@every_method
def test_forces_held_over_the_tick_converge_at_the_named_order(method, held_truth):
    """Constant forces and torques, in the world frame and turning with the body: held, they are still what each stage needs."""

    def push(body):
        return [
            forces.ConstantForce(body, force_world=(0.3, 0.2, -0.9)),
            forces.ConstantForce(body, force_body=(0.4, -0.2, 0.6)),
            forces.ConstantTorque(body, torque_world=(0.2, 0.5, -0.3)),
            forces.ConstantTorque(body, torque_body=(0.4, -0.1, 0.2)),
        ]

    assert_orders(method, measured_orders(method, TIMES, held_truth, TURNING + MOVING, forces=push, **START))


@every_method
def test_a_force_evaluated_once_a_tick_is_the_same_as_held_at_every_stage(method):
    """A class with `evaluate = "tick"` is asked at the start of the tick only: a force cos t gives Σ dt cos(n dt) by any method."""
    asked = []

    class OnceATick:
        evaluate = "tick"

        def apply(self, wrench, bodies, time):
            asked.append(time)
            wrench.force_world[0, 0] += np.cos(time)

    flight = fly(method, 0.125, (2.0,), forces=lambda body: [OnceATick()], inertia_body=ASYMMETRIC)
    assert asked == [0.125 * tick for tick in range(16)]
    assert flight.velocity[0, 0] == pytest.approx(0.125 * np.cos(0.125 * np.arange(16)).sum(), rel=1e-14)


@every_method
def test_each_stage_is_asked_as_often_as_the_method_says(method):
    """`evaluations_per_tick` is the number of calls of a stage force that does not depend on the rates, all of them within the tick."""
    asked = []

    def count(wrench, bodies, time):
        asked.append(time)

    count.depends_on_rates = False
    fly(method, 0.25, (0.75,), forces=lambda body: [count], inertia_body=ASYMMETRIC)
    assert len(asked) == 3 * method.evaluations_per_tick
    assert all(0.0 <= time <= 0.75 for time in asked)


@every_method
def test_orientation_stays_of_unit_length(method):
    """2000 ticks of a fast tumble with a torque; within 2 ulps of one, measured 1.1e-16."""
    flight = fly(
        method,
        1.0 / 60.0,
        (1000.0 / 60.0, 2000.0 / 60.0),
        forces=lambda body: [forces.ConstantTorque(body, torque_world=(0.02, 0.01, -0.03))],
        **START,
    )
    assert np.abs(np.linalg.norm(flight.orientation, axis=1) - 1.0).max() < 4.5e-16


def test_names_make_the_methods_that_carry_them():
    """`by_name` and `ALL_INTEGRATORS` are one list."""
    assert [make().name for make in integrators.by_name.values()] == list(integrators.by_name)
    assert [method.name for method in integrators.ALL_INTEGRATORS] == list(integrators.by_name)


@pytest.mark.parametrize("name", list(integrators.by_name))
def test_a_world_takes_a_method_by_its_name(name):
    """The same motion by name as by object, to the last bit."""
    by_name = fly(name, 1.0 / 60.0, (0.5,), **START)
    by_object = fly(integrators.by_name[name](), 1.0 / 60.0, (0.5,), **START)
    assert np.array_equal(by_name.orientation, by_object.orientation)
    assert np.array_equal(by_name.angular_velocity_body, by_object.angular_velocity_body)


@pytest.mark.parametrize("name", list(integrators.by_name))
def test_a_force_asked_at_the_start_of_a_tick_sees_the_state_at_the_start_of_the_tick(name):
    """Not one that the method is on its way to. A method that drifts first asks later, and never for the time of the start."""
    asked = []

    def look(wrench, bodies, time):
        kinds = (bodies.position, bodies.orientation, bodies.velocity, bodies.angular_velocity_body)
        asked.append((time, np.concatenate([kind[0] for kind in kinds])))

    def push(body):
        return [look, forces.ConstantForce(body, force_world=(0.4, -0.3, 0.7), at_body=(0.2, 0.1, -0.5))]

    world, body = one_body(name, 1.0 / 60.0, forces=push, **START)
    for _ in range(3):
        asked.clear()
        start = np.concatenate([body.position, body.orientation, body.velocity, body.angular_velocity_body])
        world.step()
        time, seen = asked[0]
        assert np.array_equal(seen, start) if time == (world.tick_count - 1) * world.dt else name == "saba4"


@pytest.mark.parametrize("name", list(integrators.by_name))
def test_a_method_is_a_value(name):
    """Methods that were made alike are equal and have one hash; nothing of a method can be changed, so that two worlds may share it."""
    method, same = integrators.by_name[name](), integrators.by_name[name]()
    assert method == same and hash(method) == hash(same)
    assert type(method).__name__ in repr(method) and name in repr(method)
    assert [other for other, make in integrators.by_name.items() if make() == method] == [name]
    for attribute in ("order", "evaluations_per_tick", "name", "colour", *vars(method)):
        with pytest.raises(AttributeError):
            setattr(method, attribute, 3)
    assert method == same


@pytest.mark.parametrize("variables", ["body_rates", "world_rates"])
def test_runge_kutta_variables_agree_to_the_order_of_the_method(variables):
    """The three sets of variables are one motion: apart by no more than sixteen times less at half the step."""
    apart = []
    for dt in (1.0 / 40.0, 1.0 / 80.0):
        other = fly(integrators.RungeKutta4(variables=variables), dt, (2.0,), **START)
        momentum = fly(integrators.RungeKutta4(), dt, (2.0,), **START)
        apart.append(float(rotations.angle(other.orientation, momentum.orientation)[0]))
    assert 0.0 < apart[1] < apart[0] / 2.0**3.9
