"""The closed forms of `engine.solutions` against independent references; those of free and heavy tops are in `test_truth.py`."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from engine import MassProperties, World, forces, solutions

from ..truth import reference, rotations, two_body

TIMES = np.array([0.0, 0.4, 3.0, 9.0])


def ellipse_or_hyperbola(eccentricity, anomaly, axes, gm=1.3):
    """Position and velocity at a true anomaly, with the periapsis at 1 m."""
    parameter = 1.0 + eccentricity
    distance = parameter / (1.0 + eccentricity * np.cos(anomaly))
    position = distance * np.array([np.cos(anomaly), np.sin(anomaly), 0.0])
    velocity = np.sqrt(gm / parameter) * np.array([-np.sin(anomaly), eccentricity + np.cos(anomaly), 0.0])
    return axes @ position, axes @ velocity


@pytest.mark.parametrize(
    ("eccentricity", "tolerance"), [(0.0, 5e-15), (0.3, 5e-15), (0.9, 5e-14), (0.99, 3e-12), (1.1, 5e-14), (4.0, 5e-15)]
)
def test_motion_on_a_conic_agrees_with_decimal_arithmetic(eccentricity, tolerance):
    """Sixty decimal digits, without a vector of the orbit's plane; ten seconds to either side. Measured a fifth of the tolerance."""
    random = np.random.default_rng(5)
    widest = np.pi if eccentricity < 1.0 else 0.9 * np.arccos(-1.0 / eccentricity)
    for anomaly in random.uniform(-widest, widest, 12):
        axes = np.linalg.qr(random.normal(size=(3, 3)))[0]
        position, velocity = ellipse_or_hyperbola(eccentricity, anomaly, axes)
        motion = solutions.TwoBodyMotion(1.3, position, velocity)
        assert motion.eccentricity == pytest.approx(eccentricity, abs=1e-13)
        assert motion.periapsis_distance == pytest.approx(1.0, rel=1e-13)
        for time in random.uniform(-10.0, 10.0, 3):
            expected = two_body.propagate(1.3, position, velocity, time)
            found = motion.positions([time])[0], motion.velocities([time])[0]
            for vector, exact in zip(found, expected, strict=True):
                assert np.linalg.norm(vector - exact) < 20.0 * tolerance * np.linalg.norm(exact)


def test_motion_on_a_parabola_agrees_with_decimal_arithmetic():
    """The speed that escapes, in floating-point numbers that make it exactly so: gm = 2, r = 1, v = 2."""
    position, velocity = np.array([1.0, 0.0, 0.0]), np.array([0.0, 2.0, 0.0])
    motion = solutions.TwoBodyMotion(2.0, position, velocity)
    assert motion.eccentricity == 1.0 and motion.period == np.inf
    for time in (-7.0, 0.0, 2.5, 300.0):
        place, rate = two_body.propagate(2.0, position, velocity, time)
        assert np.allclose(motion.positions([time])[0], place, rtol=1e-14, atol=1e-14)
        assert np.allclose(motion.velocities([time])[0], rate, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize(
    ("angle", "rate"), [(0.3, 0.0), (-1.2, 0.4), (0.1, 2.5), (0.4, -2.0), (3.3, 0.2), (-2.9, -1.9), (0.0, 0.0)]
)
def test_pitch_under_the_gravity_gradient_solves_its_equation(angle, rate):
    """θ'' = −(3/2)n²κ sin 2θ by an eighth-order integration: swings and rotations, to either side. Measured 2e-12."""
    roll, pitch, yaw, orbit_rate = 2.6, 3.2, 1.1, 0.7
    motion = solutions.GravityGradientLibration(roll, pitch, yaw, orbit_rate=orbit_rate, angle=angle, rate=rate)
    stiffness = 1.5 * orbit_rate**2 * (roll - yaw) / pitch
    numerical = solve_ivp(
        lambda t, y: [y[1], -stiffness * np.sin(2.0 * y[0])],
        (0.0, 9.0),
        [angle, rate],
        "DOP853",
        TIMES,
        rtol=1e-13,
        atol=1e-14,
    )
    assert np.abs(motion.angles(TIMES) - numerical.y[0]).max() < 2e-11
    assert np.abs(motion.rates(TIMES) - numerical.y[1]).max() < 2e-11
    again = motion.angles([motion.period])[0] - angle
    turned = 0.0 if motion.librates else np.copysign(np.pi, rate)
    assert again == pytest.approx(turned, abs=1e-11)


def test_a_simulated_satellite_librates_as_its_closed_form():
    """Orientation and rates in the world, by point gravity and gravity gradient at 1/2000 of an orbit. Measured 4e-8 rad."""
    moments, gm, radius = (2.6, 3.2, 1.1), 1.0, 1.0
    solution = solutions.GravityGradientLibration(*moments, orbit_rate=1.0, angle=0.8)
    world = World(dt=np.pi / 1000.0, integrator="free-rotor-4")
    ship = world.add_body(
        MassProperties(1e-3, moments, physical=False),
        position=(radius, 0.0, 0.0),
        velocity=(0.0, 1.0, 0.0),
        orientation=solution.orientations([0.0])[0],
        angular_velocity_body=solution.angular_velocities_body([0.0])[0],
    )
    world.add_force(forces.PointGravity(gm))
    world.add_force(forces.GravityGradient(gm))
    world.step(1500)
    assert rotations.angle(ship.orientation, solution.orientations([world.time])[0]) < 2e-7
    assert np.abs(ship.angular_velocity_body - solution.angular_velocities_body([world.time])[0]).max() < 2e-7


@pytest.mark.parametrize(
    "rates", [(np.sqrt(8.0), 1.0, 1.0), (0.0, 5.0, 0.0), (0.0, -5.0, 0.0), (0.0, 0.0, -2.0), (3.0, 0.0, 0.0)]
)
def test_a_free_top_on_its_separatrix_and_about_its_axes_solves_eulers_equations(rates):
    """Moments 1, 2, 4: 4·2·ω₃² = 1·1·ω₁² is the separatrix, up to rounding. Measured 1e-12; pure rotation to 2e-15."""
    top = solutions.FreeAsymmetricTop((1.0, 2.0, 4.0), rates)
    times = TIMES[1:3]
    numerical = reference.solve(times, inertia_body=(1.0, 2.0, 4.0), angular_velocity_body=rates)
    assert np.abs(top.angular_velocities_body(times) - numerical.angular_velocity_body).max() < 2e-11
    assert rotations.angle(top.orientations(times), numerical.orientation).max() < 2e-11


def test_polhode_and_herpolhode_lie_where_poinsot_has_them():
    """The polhode on both ellipsoids, T and L constant; the herpolhode in the plane ω·L = 2T between two circles."""
    moments, rates = np.array([1.0, 2.0, 3.0]), (0.3, 2.0, 0.9)
    top = solutions.FreeAsymmetricTop(moments, rates, rotations.from_axis_angle((1.0, 2.0, -0.5), 0.8))
    curve = top.polhode(97)
    assert np.allclose(0.5 * (moments * curve**2).sum(axis=1), top.kinetic_energy, rtol=1e-14)
    momentum = np.linalg.norm(top.angular_momentum_world)
    assert np.allclose(np.linalg.norm(moments * curve, axis=1), momentum, rtol=1e-14)
    assert np.abs(curve[0] - curve[-1]).max() < 1e-12 and np.abs(curve[0] - rates).max() < 1e-14
    times = np.linspace(-5.0, 5.0, 41)
    plane = top.herpolhode(times)
    height = 2.0 * top.kinetic_energy / momentum
    speeds = np.linalg.norm(top.angular_velocities_body(times), axis=1)
    assert np.allclose(np.linalg.norm(plane, axis=1) ** 2 + height**2, speeds**2, rtol=1e-13)
    axes = solutions.invariable_plane(top.angular_momentum_world)
    assert np.allclose(axes @ axes.T, np.eye(2), atol=1e-15) and np.abs(axes @ top.angular_momentum_world).max() < 1e-14


def test_quadratures_do_not_depend_on_the_order_of_the_times():
    top = solutions.FreeAsymmetricTop((1.0, 2.0, 3.0), (0.3, 2.0, 0.9))
    times = np.array([4.0, -1.0, 0.0, 2.0, -3.0, 2.0])
    together = top.orientations(times)
    for time, orientation in zip(times, together, strict=True):
        assert rotations.angle(orientation, top.orientations([time])[0]) < 5e-15


def test_a_top_in_steady_precession_keeps_its_tilt():
    """Both steady rates of a heavy top as initial conditions of the general solution, where two roots of the cubic coincide."""
    for rate in solutions.steady_precession_rates(1.0, 0.6, spin=9.0, tilt=0.7, strength=3.0):
        orientation = rotations.from_axis_angle((1.0, 0.0, 0.0), 0.7)
        rates_body = rotations.to_body(orientation, (0.0, 0.0, rate))
        rates_body[2] = 9.0
        top = solutions.HeavySymmetricTop(1.0, 0.6, 3.0, rates_body, orientation)
        assert np.abs(top.tilts(TIMES) - 0.7).max() < 2e-7
        azimuth = rotations.Rotation.from_quat(top.orientations([1.3])[0]).as_euler("ZXZ")[0]
        assert np.angle(np.exp(1j * (azimuth - 1.3 * rate))) == pytest.approx(0.0, abs=1e-6)


REJECTED = {
    "FreeAsymmetricTop: inertia_body": lambda: solutions.FreeAsymmetricTop((1.0, 2.0, 2.0), (1.0, 0.0, 0.0)),
    "FreeAsymmetricTop: angular_velocity_body": lambda: solutions.FreeAsymmetricTop((1.0, 2.0, 3.0), (0.0, 0.0, 0.0)),
    "FreeAsymmetricTop: orientation": lambda: solutions.FreeAsymmetricTop((1, 2, 3), (1, 0, 0), (0, 0, 0, 2)),
    "FreeAsymmetricTop: times": lambda: solutions.FreeAsymmetricTop((1, 2, 3), (1, 0, 0)).orientations([np.nan]),
    "FreeSymmetricTop: axial": lambda: solutions.FreeSymmetricTop(1.0, -1.0, (1.0, 0.0, 0.0)),
    "FreeSymmetricTop: axis_body": lambda: solutions.FreeSymmetricTop(1.0, 1.0, (1.0, 0.0, 0.0), axis_body=(0, 0, 0)),
    "HeavySymmetricTop: orientation": lambda: solutions.HeavySymmetricTop(1, 0.6, 3, (0, 0, 9), (0, 0, 0, 1)),
    "HeavySymmetricTop: strength": lambda: solutions.HeavySymmetricTop(1, 0.6, 0, (0, 0, 9), (0.6, 0, 0, 0.8)),
    "steady_precession_rates: spin": lambda: solutions.steady_precession_rates(1, 0.6, spin=1.0, tilt=0.7, strength=3),
    "steady_precession_rates: tilt": lambda: solutions.steady_precession_rates(1, 0.6, spin=9.0, tilt=4.0, strength=3),
    "GravityGradientLibration: yaw": lambda: solutions.GravityGradientLibration(1, 2, 1.5, orbit_rate=1, angle=0.1),
    "small_roll_yaw_rates: roll, pitch, yaw": lambda: solutions.small_roll_yaw_rates(2.0, 1.0, 1.5, orbit_rate=1.0),
    "TwoBodyMotion: gm": lambda: solutions.TwoBodyMotion(-1.0, (1, 0, 0), (0, 1, 0)),
    "TwoBodyMotion: velocity": lambda: solutions.TwoBodyMotion(1.0, (1, 0, 0), (2, 0, 0)),
    "invariable_plane: angular_momentum_world": lambda: solutions.invariable_plane((0.0, 0.0, 0.0)),
}


@pytest.mark.parametrize("start", REJECTED)
def test_what_has_no_closed_form_here_is_rejected_by_name(start):
    with pytest.raises(ValueError, match=f"^{start} must be .*; got "):
        REJECTED[start]()


def test_each_solution_states_its_source_range_and_error():
    """The axes of a plane are no solution."""
    names = set(solutions.__all__) - {"invariable_plane"}
    lacking = {
        name: [word for word in ("Source", "Range", "Error") if f"{word}: " not in getattr(solutions, name).__doc__]
        for name in names
    }
    assert len(names) == 7 and {name: words for name, words in lacking.items() if words} == {}
