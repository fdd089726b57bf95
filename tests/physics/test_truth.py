"""The reference solutions against one another and against SciPy; nothing here runs the engine."""

import numpy as np
import pytest
from scipy.special import ellipj, ellipk, ellipkinc

from engine.solutions import (
    FreeAsymmetricTop,
    FreeSymmetricTop,
    GravityGradientLibration,
    HeavySymmetricTop,
    TwoBodyMotion,
    small_roll_yaw_rates,
    steady_precession_rates,
)
from engine.solutions.elliptic import first_kind, quarter_period, sn_cn_dn

from ..truth import driven_body, point_motion, reference, rotations

SKEW_TURN = rotations.from_axis_angle((1.0, -2.0, 0.5), 0.7)
SKEW_TENSOR = np.array([[2.1, 0.3, -0.4], [0.3, 3.2, 0.25], [-0.4, 0.25, 2.6]])
TIMES = np.array([0.3, 1.7, 4.0, 9.1])


@pytest.mark.parametrize("m", [0.0, 0.2, 0.9, 0.9999])
def test_elliptic_functions_agree_with_scipy(m):
    """sn, cn, dn, K and F, over several periods. Measured 3e-15."""
    u = np.linspace(-7.0, 9.0, 33)
    assert np.allclose(sn_cn_dn(u, 1.0 - m), ellipj(u, m)[:3], rtol=0.0, atol=1e-11)
    assert quarter_period(1.0 - m) == pytest.approx(ellipk(m), rel=1e-11)
    for angle in (-4.0, -0.3, 0.0, 1.2, 2.5, 8.0):
        assert first_kind(angle, 1.0 - m) == pytest.approx(ellipkinc(angle, m), rel=1e-11, abs=1e-14)


@pytest.mark.parametrize(
    "rates",
    [
        (0.3, -0.2, 2.0),
        (2.0, 0.3, -0.4),
        (0.1, 5.0, 0.1),
        (-0.1, 4.0, 0.3),
        (-3.0, -0.4, 0.2),
        (1e-4, 3.0, 1.3e-4),
        (0.0, 0.0, 2.0),
    ],
)
@pytest.mark.parametrize("tensor", [np.diag([1.0, 2.0, 3.0]), SKEW_TENSOR])
def test_free_rotation_by_elliptic_functions_solves_eulers_equations(rates, tensor):
    """Both energy branches, all signs, next to the separatrix: closed form against numerical integration.

    Measured 1e-13, and next to the separatrix 8e-12, where the integration's own error grows as exp(λt), λ up to 2.9 rad/s.
    """
    body = FreeAsymmetricTop(tensor, np.array(rates), SKEW_TURN)
    numerical = reference.solve(TIMES, inertia_body=tensor, orientation=SKEW_TURN, angular_velocity_body=rates)
    rate_error = np.abs(body.angular_velocities_body(TIMES) - numerical.angular_velocity_body).max()
    turn_error = rotations.angle(body.orientations(TIMES), numerical.orientation).max()
    assert rate_error < 3e-11 and turn_error < 3e-11


def test_free_symmetric_body_solves_eulers_equations():
    """Flat and slender bodies about a skew axis. Measured 2e-12."""
    axis = np.array([0.36, 0.48, 0.8])
    for transverse, axial in ((2.0, 3.1), (2.0, 0.7)):
        tensor = transverse * np.eye(3) + (axial - transverse) * np.outer(axis, axis)
        rates = np.array([0.4, -1.1, 2.0])
        top = FreeSymmetricTop(transverse, axial, rates, SKEW_TURN, axis)
        orientations, found = top.orientations(TIMES), top.angular_velocities_body(TIMES)
        numerical = reference.solve(TIMES, inertia_body=tensor, orientation=SKEW_TURN, angular_velocity_body=rates)
        assert np.abs(found - numerical.angular_velocity_body).max() < 1e-11
        assert rotations.angle(orientations, numerical.orientation).max() < 1e-11


@pytest.mark.parametrize("rates", [(0.3, -0.5, 9.0), (0.0, 0.0, 9.0), (-1.2, 0.7, -6.0)])
def test_heavy_top_by_quadrature_solves_the_equations_of_motion(rates):
    """Elliptic functions and quadratures against numerical integration, orientation and rates. Measured 2e-12."""
    orientation = rotations.from_axis_angle((1.0, 0.4, 0.2), 0.7)
    top = HeavySymmetricTop(1.0, 0.6, 3.0, rates, orientation)

    def wrench(time, position, rotation, velocity, angular_velocity_body):
        return np.zeros(3), 3.0 * reference.cross(rotation[2], (0.0, 0.0, 1.0))

    numerical = reference.solve(
        TIMES, inertia_body=(1.0, 1.0, 0.6), orientation=orientation, angular_velocity_body=rates, wrench=wrench
    )
    rate_error = np.abs(top.angular_velocities_body(TIMES) - numerical.angular_velocity_body).max()
    turn_error = rotations.angle(top.orientations(TIMES), numerical.orientation).max()
    assert rate_error < 1e-11 and turn_error < 1e-11
    least, greatest = top.tilt_range
    assert least <= 0.7 <= greatest or least < top.tilts(TIMES).min()


def test_steady_precession_balances_the_couple():
    """At a steady rate the momentum's sideways rate of change is the torque: Ω z × L = k z × x₃."""
    for rate in steady_precession_rates(2.0, 8.0, spin=1.0, tilt=1.0, strength=1.0):
        tilt = np.array([np.sin(1.0), 0.0, np.cos(1.0)])
        across = np.array([-np.cos(1.0), 0.0, np.sin(1.0)])
        momentum = 8.0 * tilt + 2.0 * rate * np.sin(1.0) * across
        z = np.array([0.0, 0.0, 1.0])
        assert np.allclose(rate * np.cross(z, momentum), np.cross(z, tilt), rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("torque", [(0.3, -0.2, 0.5), (0.3, 0.1, -0.9)])
def test_spin_up_by_fresnel_integrals_solves_eulers_equations(torque):
    for transverse, axial in ((2.0, 3.1), (2.0, 0.7)):
        found = driven_body.spin_up_rates(transverse, axial, torque, (0.4, -1.1, 1.0), TIMES)
        numerical = reference.solve(
            TIMES,
            inertia_body=(transverse, transverse, axial),
            angular_velocity_body=(0.4, -1.1, 1.0),
            wrench=lambda *state: (np.zeros(3), np.array(torque)),
        )
        assert np.abs(found - numerical.angular_velocity_body).max() < 1e-11


def test_librations_are_those_of_the_gravity_gradient_torque():
    """The frequencies against a numerical linearisation, in a circular orbit of unit rate, of Euler's equations with 3n² r̂ × (I r̂).

    Attitude: orbit frame with x along the velocity, z down, y against the normal. ω = small rates + turn(orbit rate (0, −n, 0)).
    """
    roll, pitch, yaw = 2.6, 3.2, 1.1
    inertia = np.diag([roll, pitch, yaw])

    def acceleration(angles, rates):
        """Second derivative of small angles (φ, θ, ψ) to first order, by the body-rate equations for a rotation vector."""
        turn = np.eye(3) - _skew(angles)  # orbit frame to the body frame
        w = rates + turn @ (0.0, -1.0, 0.0)
        down = turn @ (0.0, 0.0, 1.0)
        w_rate = np.linalg.solve(inertia, 3.0 * reference.cross(down, inertia @ down) - reference.cross(w, inertia @ w))
        return w_rate + _skew(rates) @ (0.0, -1.0, 0.0)

    step = 1e-6
    system = np.zeros((6, 6))
    system[:3, 3:] = np.eye(3)
    for column in range(3):
        small = step * np.eye(3)[column]
        system[3:, column] = (acceleration(small, np.zeros(3)) - acceleration(-small, np.zeros(3))) / (2.0 * step)
        system[3:, 3 + column] = (acceleration(np.zeros(3), small) - acceleration(np.zeros(3), -small)) / (2.0 * step)
    frequencies = np.sort(np.linalg.eigvals(system).imag)[3:]
    expected = [*small_roll_yaw_rates(roll, pitch, yaw, orbit_rate=1.0)]
    expected.append(2.0 * np.pi / GravityGradientLibration(roll, pitch, yaw, orbit_rate=1.0, angle=0.0).period)
    assert np.allclose(frequencies, sorted(expected), rtol=1e-8)


def _skew(v):
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def _follow(mass, position, velocity, force):
    motion = reference.solve(
        TIMES,
        mass=mass,
        inertia_body=(1.0, 1.0, 1.0),
        position=position,
        velocity=velocity,
        wrench=lambda t, p, rotation, v, w: (force(p, v), np.zeros(3)),
    )
    return motion.position, motion.velocity


def test_point_motions_solve_newtons_equation():
    """Kepler, gyration, spring, drag: each closed form against numerical integration."""
    x0, v0 = np.array([1.1, -0.2, 0.3]), np.array([0.2, 0.8, -0.3])
    orbit = TwoBodyMotion(1.3, x0, v0)
    cases = {
        "kepler": (
            (orbit.positions(TIMES), orbit.velocities(TIMES)),
            1.0,
            lambda p, v: -1.3 * p / np.linalg.norm(p) ** 3,
        ),
        "gyration": (
            point_motion.charged_particle(0.7, 2.0, (0.2, -0.1, 0.0), (0.3, 0.6, 1.9), x0, v0, TIMES),
            2.0,
            lambda p, v: 0.7 * (np.array([0.2, -0.1, 0.0]) + reference.cross(v, (0.3, 0.6, 1.9))),
        ),
        "spring": (point_motion.damped_oscillation(3.0, 0.2, x0, v0, TIMES), 2.0, lambda p, v: -6.0 * p - 0.4 * v),
        "drag": (
            point_motion.linear_drag_fall(2.0, 0.6, (0.0, 1.0, -9.0), x0, v0, TIMES),
            2.0,
            lambda p, v: np.array([0.0, 2.0, -18.0]) - 0.6 * v,
        ),
    }
    for name, (closed, mass, force) in cases.items():
        numerical = _follow(mass, x0, v0, force)
        assert np.abs(closed[0] - numerical[0]).max() < 3e-11, name
        assert np.abs(closed[1] - numerical[1]).max() < 3e-11, name
    depth, speed = point_motion.quadratic_drag_fall(2.0, 0.3, 9.8, TIMES)
    numerical = _follow(2.0, np.zeros(3), np.zeros(3), lambda p, v: (0.0, 0.0, 19.6) - 0.3 * np.linalg.norm(v) * v)
    assert np.abs(depth - numerical[0][:, 2]).max() < 1e-11 and np.abs(speed - numerical[1][:, 2]).max() < 1e-11


def test_oblate_gravity_is_the_closed_form_on_equator_and_axis():
    """At the equator g = GM/r² (1 + 3/2 J₂R²/r²), over the pole GM/r² (1 − 3 J₂R²/r²)."""
    equator = point_motion.oblate_gravity(2.0, 0.1, 1.5, (0.0, 0.0, 1.0), (3.0, 0.0, 0.0))
    pole = point_motion.oblate_gravity(2.0, 0.1, 1.5, (0.0, 0.0, 1.0), (0.0, 0.0, 3.0))
    assert np.allclose(equator, (-2.0 / 9.0 * (1.0 + 0.15 * 0.25), 0.0, 0.0), rtol=1e-15)
    assert np.allclose(pole, (0.0, 0.0, -2.0 / 9.0 * (1.0 - 0.3 * 0.25)), rtol=1e-15)
