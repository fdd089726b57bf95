"""The heavy symmetric top in closed form, by elliptic functions, and its steady precession."""

from __future__ import annotations  # help() then shows them as written

import math

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

from ..checks import FloatArray, array, explaining_errors, real, refuse, unit_quaternion, vector
from .elliptic import first_kind, integrals_from_zero, quarter_period, sn_cn_dn

_LEAST_SINE = 1e-6
"""Least sine of the tilt, at the start and at the turning points; nearer the vertical, the Euler angles lose their digits."""


def steady_precession_rates(
    transverse: float, axial: float, *, spin: float, tilt: float, strength: float
) -> tuple[float, float]:
    """Compute the slow and the fast rate at which a heavy symmetric top precesses without nutation.

    The rates Ω solve ``I₁ cos θ Ω² − I₃ ω₃ Ω + k = 0``.

    Range: tilts other than π/2, and spins at which both rates are real: ``(I₃ ω₃)² ≥ 4 k I₁ cos θ``.
    Error: a few roundings.
    Source: Goldstein, Classical Mechanics, section 5.7.

    Args:
        transverse: Moment of inertia across the axis of symmetry, about the mass centre or the fixed point [kg·m²].
        axial: Moment of inertia about the axis [kg·m²].
        spin: Body rate ω₃ about the axis [rad/s], not zero.
        tilt: Angle θ between the axis and the vertical [rad], from 0 to π, not π/2.
        strength: The k of the torque ``k z × x₃`` [N·m], for a top on its tip its mass times g times the height of its mass centre.

    Returns:
        The slow and the fast rate about the vertical [rad/s].

    Raises:
        TypeError: If an argument is not a real number.
        ValueError: If a moment is not above zero, the tilt is outside its range, or the top spins too slowly to precess steadily.

    Example:
        >>> slow, fast = steady_precession_rates(2.0, 8.0, spin=1.0, tilt=1.0, strength=1.0)
        >>> round(slow, 6), round(fast, 6)
        (0.127185, 7.276078)
    """
    owner = "steady_precession_rates"
    transverse = real(transverse, "transverse", owner, above=0.0)
    momentum = real(axial, "axial", owner, above=0.0) * real(spin, "spin", owner)
    tilt, strength = real(tilt, "tilt", owner), real(strength, "strength", owner)
    cosine = math.cos(tilt)
    if not 0.0 <= tilt <= math.pi or abs(cosine) < 1e-12:
        refuse(owner, "tilt", tilt, "an angle from 0 to π other than π/2, where there is one rate only")
    inside = momentum**2 - 4.0 * transverse * cosine * strength
    if momentum == 0.0 or inside < 0.0:
        least = 2.0 * math.sqrt(max(transverse * cosine * strength, 0.0)) / axial
        refuse(owner, "spin", spin, f"a rate of at least {least:g} rad/s in either direction, other than 0")
    # the product of the two is k/(I₁ cos θ); their sum without cancellation gives the larger one
    larger = momentum + math.copysign(math.sqrt(inside), momentum)
    return 2.0 * strength / larger, larger / (2.0 * transverse * cosine)


@explaining_errors()
class HeavySymmetricTop:
    """A symmetric top under a torque ``k z × x₃``, with nutation and precession, by Jacobi's elliptic functions.

    The axis of symmetry x₃ is body z. The torque is that of gravity on a top whose tip is fixed, and also that of two rockets which push
    the axis sideways. With ``u = cos θ``, θ the tilt of the axis, ``u̇² = (α − βu)(1 − u²) − (b − au)²`` is a cubic, so that u
    is the square of a Jacobi sn; the other two Euler angles are integrated by Gauss-Legendre quadrature. Energy, ``L·z`` and ``L·x₃``
    are constant.

    Range: every motion in which the axis does not pass through the vertical.
    Error: below 1e-11 rad and 1e-11 rad/s in ten seconds at 9 rad/s, against an eighth-order integration at a tolerance of 1e-13. It
        grows where the axis passes close to the vertical.
    Source: Goldstein, Classical Mechanics, section 5.7.

    Args:
        transverse: Moment of inertia across the axis [kg·m²], about the mass centre, or about the tip if the tip is fixed.
        axial: Moment of inertia about the axis [kg·m²].
        strength: k [N·m], above zero: for a top on its tip its mass times g times the distance of its mass centre.
        angular_velocity_body: Angular velocity at time 0 [rad/s], body frame, shape (3,).
        orientation: Orientation at time 0, scalar-last (x, y, z, w), body to world, with the axis not vertical.

    Raises:
        TypeError: If an argument is not made of real numbers.
        ValueError: If a moment or the strength is not above zero, a value is not finite, or the axis is vertical at time 0 or passes
            through the vertical, where the Euler angles are undefined.

    Example:
        >>> tilted = (np.sin(0.35), 0.0, 0.0, np.cos(0.35))  # by 0.7 rad about x
        >>> top = HeavySymmetricTop(1.0, 0.6, 3.0, (0.0, 0.0, 9.0), tilted)
        >>> [round(angle, 6) for angle in top.tilt_range], round(top.nutation_period, 6)
        ([0.7, 0.870338], 1.369083)
    """

    def __init__(
        self,
        transverse: float,
        axial: float,
        strength: float,
        angular_velocity_body: npt.ArrayLike,
        orientation: npt.ArrayLike,
    ) -> None:
        owner = "HeavySymmetricTop"
        transverse = real(transverse, "transverse", owner, above=0.0)
        axial = real(axial, "axial", owner, above=0.0)
        strength = real(strength, "strength", owner, above=0.0)
        rates = vector(angular_velocity_body, "angular_velocity_body", owner)
        start = Rotation.from_quat(unit_quaternion(orientation, "orientation", owner))
        axis = start.as_matrix()[:, 2]
        if math.hypot(axis[0], axis[1]) < _LEAST_SINE:
            refuse(
                owner, "orientation", orientation, f"one whose axis is at least {_LEAST_SINE:g} rad off the vertical"
            )
        azimuth, tilt, turn = start.as_euler("ZXZ")
        spin, u = float(rates[2]), math.cos(tilt)
        momentum_z = float(start.apply(rates * [transverse, transverse, axial])[2])
        alpha = float(rates[0] ** 2 + rates[1] ** 2) + 2.0 * strength * u / transverse
        beta = 2.0 * strength / transverse
        a, b = axial * spin / transverse, momentum_z / transverse
        low, high, beyond = _roots(np.array([beta, -(alpha + a**2), 2.0 * a * b - beta, alpha - b**2]))
        for turning_point in (low, high):
            if 1.0 - turning_point**2 < _LEAST_SINE**2:
                rule = f"rates with which the axis stays at least {_LEAST_SINE:g} rad off the vertical"
                refuse(owner, "angular_velocity_body", angular_velocity_body, rule)
        tilting = rates[0] * math.cos(turn) - rates[1] * math.sin(turn)  # dθ/dt
        self._m1 = (beyond - high) / (beyond - low)
        fraction = min(max((u - low) / (high - low), 0.0), 1.0) if high > low else 0.0
        phase = first_kind(math.asin(math.sqrt(fraction)), self._m1)
        self._phase = phase if tilting <= 0.0 else -phase
        self._pace = 0.5 * math.sqrt(beta * (beyond - low))
        self._spin, self._a, self._b, self._low, self._high = spin, a, b, low, high
        self._start = np.array((azimuth, turn))

    def __repr__(self) -> str:
        least, greatest = self.tilt_range
        return f"<HeavySymmetricTop with a tilt from {least:g} to {greatest:g} rad>"

    @property
    def nutation_period(self) -> float:
        """Time from one least tilt to the next [s]."""
        return 2.0 * quarter_period(self._m1) / self._pace

    @property
    def tilt_range(self) -> tuple[float, float]:
        """Least and greatest tilt of the axis from the vertical [rad]."""
        return math.acos(self._high), math.acos(self._low)

    @property
    def precession_per_nutation(self) -> float:
        """Growth of the azimuth of the axis about the vertical over one nutation [rad]."""
        return float(self._azimuths_and_turns(np.array([self.nutation_period]))[0, 0])

    def tilts(self, times: npt.ArrayLike) -> FloatArray:
        """Return the tilt of the axis from the vertical [rad], shape (n,), at n times [s].

        Example:
            >>> tilted = (np.sin(0.35), 0.0, 0.0, np.cos(0.35))  # by 0.7 rad about x
            >>> top = HeavySymmetricTop(1.0, 0.6, 3.0, (0.0, 0.0, 9.0), tilted)
            >>> top.tilts([0.0, 0.5 * top.nutation_period, top.nutation_period]).round(6).tolist()
            [0.7, 0.870338, 0.7]
        """
        return np.arccos(self._cosines(self._checked(times)))

    def orientations(self, times: npt.ArrayLike) -> FloatArray:
        """Return the orientation, scalar-last (x, y, z, w), body to world, shape (n, 4), at n times [s].

        Example:
            >>> from engine import rotation
            >>> tilted = (np.sin(0.35), 0.0, 0.0, np.cos(0.35))  # by 0.7 rad about x
            >>> top = HeavySymmetricTop(1.0, 0.6, 3.0, (0.0, 0.0, 9.0), tilted)
            >>> axis_world = rotation.rotate(top.orientations([0.4])[0], (0.0, 0.0, 1.0))
            >>> bool(abs(np.arccos(axis_world[2]) - top.tilts([0.4])[0]) < 1e-9)
            True
        """
        azimuth, tilt, turn = self._euler_angles(self._checked(times))
        return np.asarray(Rotation.from_euler("ZXZ", np.stack([azimuth, tilt, turn], axis=1)).as_quat())

    def angular_velocities_body(self, times: npt.ArrayLike) -> FloatArray:
        """Return the angular velocity [rad/s], body frame, shape (n, 3), at n times [s].

        Example:
            >>> tilted = (np.sin(0.35), 0.0, 0.0, np.cos(0.35))  # by 0.7 rad about x
            >>> top = HeavySymmetricTop(1.0, 0.6, 3.0, (0.0, 0.0, 9.0), tilted)
            >>> top.angular_velocities_body([0.0, 0.5])[:, 2].round(9).tolist()  # the spin stays
            [9.0, 9.0]
        """
        chosen = self._checked(times)
        azimuth_rate, _ = self._rates(chosen)
        _, tilt, turn = self._euler_angles(chosen)
        sn, cn, dn = sn_cn_dn(self._phase + self._pace * chosen, self._m1)
        tilting = -2.0 * (self._high - self._low) * self._pace * sn * cn * dn / np.sin(tilt)
        across = azimuth_rate * np.sin(tilt)
        one = across * np.sin(turn) + tilting * np.cos(turn)
        two = across * np.cos(turn) - tilting * np.sin(turn)
        return np.stack([one, two, np.full_like(tilt, self._spin)], axis=1)

    def _checked(self, times: npt.ArrayLike) -> FloatArray:
        return array(times, "times", "HeavySymmetricTop", (None,))

    def _euler_angles(self, times: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Azimuth, tilt and turn of ``R = turn(z, azimuth) turn(x, tilt) turn(z, turn)``."""
        azimuth, turn = (self._azimuths_and_turns(times) + self._start).T
        return azimuth, np.arccos(self._cosines(times)), turn

    def _cosines(self, times: FloatArray) -> FloatArray:
        sn, _, _ = sn_cn_dn(self._phase + self._pace * times, self._m1)
        return self._low + (self._high - self._low) * sn**2

    def _rates(self, times: FloatArray) -> tuple[FloatArray, FloatArray]:
        u = self._cosines(times)
        azimuth_rate = (self._b - self._a * u) / (1.0 - u**2)
        return azimuth_rate, self._spin - azimuth_rate * u

    def _azimuths_and_turns(self, times: FloatArray) -> FloatArray:
        return integrals_from_zero(lambda t: np.array(self._rates(t)), times, 0.1 / self._pace)


def _roots(cubic: FloatArray) -> tuple[float, float, float]:
    """The three real roots in ascending order."""
    roots = np.sort(np.roots(cubic).real)
    slope = np.polyder(cubic)
    for _ in range(3):  # the eigenvalues of `roots` lose a few digits where two roots lie close
        steepness = np.polyval(slope, roots)
        # at a double root, in steady precession, the slope is only rounding
        step = np.divide(
            np.polyval(cubic, roots), steepness, out=np.zeros(3), where=np.abs(steepness) > 1e-6 * cubic[0]
        )
        roots -= step
    low, high, beyond = np.sort(roots).tolist()
    return low, min(high, 1.0), max(beyond, 1.0)
