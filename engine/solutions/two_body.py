"""Motion of a body about a fixed attracting centre in closed form, on every conic."""

from __future__ import annotations  # help() then shows them as written

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, array, explaining_errors, real, refuse, vector

_PARABOLIC = 1e-14
"""Largest ``|r/a|`` that is treated as a parabola: rounding of the given position and velocity changes it by as much."""


@explaining_errors()
class TwoBodyMotion:
    """Motion about a fixed attracting centre, by Kepler's equation in the eccentric, the hyperbolic or the parabolic anomaly.

    The position follows from the anomaly in the axes P (towards the periapsis) and Q of the orbit's plane. `engine.flight.orbit.propagate`
    solves the same problem with universal variables, and shares nothing with this class.

    Range: ellipses, parabolas and hyperbolas, but no motion along a line through the centre.
    Error: 1e-15 of the distance per radian of the mean anomaly for eccentricities up to 0.5 and from 2, 6e-15 at 0.9 and 1.1,
        3e-13 at 0.99, 2e-10 at 0.9999, against decimal arithmetic of sixty digits.
    Source: Battin, An Introduction to the Mathematics and Methods of Astrodynamics, sections 4.3 and 4.4.

    Args:
        gm: Gravitational parameter of the centre [m³/s²], above zero.
        position: Position at time 0 [m], relative to the centre, inertial axes, shape (3,).
        velocity: Velocity at time 0 [m/s], inertial axes, shape (3,), not along the position.

    Raises:
        TypeError: If an argument is not made of real numbers.
        ValueError: If `gm` is not above zero, a value is not finite, or the motion is along a line through the centre.

    Example:
        >>> motion = TwoBodyMotion(398600.4418e9, (7000e3, 0.0, 0.0), (0.0, 8200.0, 0.0))
        >>> round(motion.period, 3), round(motion.eccentricity, 6)
        (7861.37, 0.180832)
        >>> motion.positions([0.5 * motion.period]).round(0).tolist()
        [[-10090503.0, -0.0, -0.0]]
    """

    def __init__(self, gm: float, position: npt.ArrayLike, velocity: npt.ArrayLike) -> None:
        owner = "TwoBodyMotion"
        gm = real(gm, "gm", owner, above=0.0)
        r, v = vector(position, "position", owner), vector(velocity, "velocity", owner)
        distance = float(np.linalg.norm(r))
        momentum = np.cross(r, v)
        turning = float(np.linalg.norm(momentum))
        if turning <= 1e-12 * distance * float(np.linalg.norm(v)):
            refuse(owner, "velocity", velocity, "a vector that is not along the position")
        self._gm, self._inverse_axis = gm, 2.0 / distance - float(v @ v) / gm  # 1/a
        self._parameter = turning**2 / gm
        radial = float(r @ v)
        if self._inverse_axis * distance > _PARABOLIC:
            self._start_ellipse(r, v, distance, radial)
        else:
            towards = np.cross(v, momentum) / gm - r / distance
            self._eccentricity = float(np.linalg.norm(towards))
            self._p_axis = towards / self._eccentricity
            self._q_axis = np.cross(momentum / turning, self._p_axis)
            if self._inverse_axis * distance < -_PARABOLIC:
                self._start_hyperbola(radial)
            else:
                self._start_parabola(radial)

    def __repr__(self) -> str:
        return f"<TwoBodyMotion with an eccentricity of {self.eccentricity:g}>"

    @property
    def eccentricity(self) -> float:
        """Eccentricity [-], which is 0 on a circle, 1 on a parabola and above 1 on a hyperbola."""
        return self._eccentricity

    @property
    def period(self) -> float:
        """Time of one revolution [s]; infinite on parabolas and hyperbolas."""
        return 2.0 * math.pi / self._pace if self._eccentricity < 1.0 else math.inf

    @property
    def periapsis_distance(self) -> float:
        """Least distance from the centre [m]."""
        return self._parameter / (1.0 + self._eccentricity)

    def positions(self, times: npt.ArrayLike) -> FloatArray:
        """Return the position [m] relative to the centre, inertial axes, shape (n, 3), at n times [s].

        Example:
            >>> motion = TwoBodyMotion(398600.4418e9, (7000e3, 0.0, 0.0), (0.0, 8200.0, 0.0))
            >>> motion.positions([0.0, 0.5 * motion.period]).round(0)[:, 0].tolist()  # periapsis and apoapsis
            [7000000.0, -10090503.0]
        """
        return self._motion(times)[0]

    def velocities(self, times: npt.ArrayLike) -> FloatArray:
        """Return the velocity [m/s], inertial axes, shape (n, 3), at n times [s].

        Example:
            >>> motion = TwoBodyMotion(398600.4418e9, (7000e3, 0.0, 0.0), (0.0, 8200.0, 0.0))
            >>> motion.velocities([0.0, 0.5 * motion.period]).round(3)[:, 1].tolist()  # periapsis and apoapsis
            [8200.0, -5688.517]
        """
        return self._motion(times)[1]

    def _start_ellipse(self, r: FloatArray, v: FloatArray, distance: float, radial: float) -> None:
        a = 1.0 / self._inverse_axis
        e_cosine, e_sine = 1.0 - distance / a, radial / math.sqrt(self._gm * a)
        e = self._eccentricity = math.hypot(e_cosine, e_sine)
        anomaly = math.atan2(e_sine, e_cosine)
        sine, cosine = math.sin(anomaly), math.cos(anomaly)
        flattening = math.sqrt(self._parameter / a)  # √(1 − e²), without the rounding of e
        self._pace = math.sqrt(self._gm / a**3)
        self._mean_at_start = anomaly - e_sine
        self._p_axis = cosine / distance * r - math.sqrt(a / self._gm) * sine * v
        self._q_axis = (sine / distance * r + math.sqrt(a / self._gm) * (cosine - e) * v) / flattening

        def place(mean: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
            mean = np.remainder(mean + math.pi, 2.0 * math.pi) - math.pi
            found = _root(lambda x: (x - e * np.sin(x) - mean, 1.0 - e * np.cos(x)), mean - e, mean + e)
            sines, cosines = np.sin(found), np.cos(found)
            rate = self._pace / (1.0 - e * cosines)
            return (
                a * (cosines - e),
                a * flattening * sines,
                -a * sines * rate,
                a * flattening * cosines * rate,
            )

        self._place = place

    def _start_hyperbola(self, radial: float) -> None:
        a, e = -1.0 / self._inverse_axis, self._eccentricity
        anomaly = math.asinh(radial / math.sqrt(self._gm * a) / e)
        opening = math.sqrt(self._parameter / a)  # √(e² − 1)
        self._pace = math.sqrt(self._gm / a**3)
        self._mean_at_start = e * math.sinh(anomaly) - anomaly

        def place(mean: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
            # e sinh H − H = M has |H| ≤ asinh(M/(e − 1)), and |H| ≤ ∛(6M/e)
            bound = np.minimum(np.arcsinh(np.abs(mean) / (e - 1.0)), np.cbrt(6.0 * np.abs(mean) / e)) + 1e-12
            found = _root(lambda x: (e * np.sinh(x) - x - mean, e * np.cosh(x) - 1.0), -bound, bound)
            sines, cosines = np.sinh(found), np.cosh(found)
            rate = self._pace / (e * cosines - 1.0)
            return (
                a * (e - cosines),
                a * opening * sines,
                -a * sines * rate,
                a * opening * cosines * rate,
            )

        self._place = place

    def _start_parabola(self, radial: float) -> None:
        self._eccentricity = 1.0
        q = 0.5 * self._parameter
        tangent = radial / math.sqrt(2.0 * self._gm * q)  # tan of half the true anomaly
        self._pace = math.sqrt(self._gm / (2.0 * q**3))
        self._mean_at_start = tangent + tangent**3 / 3.0

        def place(mean: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
            # Barker's equation d + d³/3 = M by its real root
            found = 2.0 * np.sinh(np.arcsinh(1.5 * mean) / 3.0)
            rate = self._pace / (1.0 + found**2)
            return q * (1.0 - found**2), 2.0 * q * found, -2.0 * q * found * rate, 2.0 * q * rate

        self._place = place

    def _motion(self, times: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
        chosen = array(times, "times", "TwoBodyMotion", (None,))
        x, y, x_rate, y_rate = self._place(self._mean_at_start + self._pace * chosen)
        p, q = self._p_axis, self._q_axis
        return x[:, None] * p + y[:, None] * q, x_rate[:, None] * p + y_rate[:, None] * q


def _root(
    function: Callable[[FloatArray], tuple[FloatArray, FloatArray]], low: FloatArray, high: FloatArray
) -> FloatArray:
    """Zeros of increasing functions that return values and slopes, one between each `low` and `high`, by Newton's method in brackets."""
    found = 0.5 * (low + high)
    for _ in range(80):
        value, slope = function(found)
        low, high = np.where(value < 0.0, found, low), np.where(value > 0.0, found, high)
        step = np.divide(value, slope, out=np.full_like(found, np.inf), where=slope > 0.0)
        following = found - step
        inside = (following >= low) & (following <= high)
        following = np.where(inside, following, 0.5 * (low + high))
        if (np.abs(following - found) <= 2e-16 * np.abs(found)).all():
            return following
        found = following
    return found
