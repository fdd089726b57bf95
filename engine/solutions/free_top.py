"""Torque-free rotation in closed form, of bodies with three different moments of inertia and of bodies with two equal ones."""

from __future__ import annotations  # help() then shows them as written

import math

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

from ..checks import FloatArray, array, direction, explaining_errors, real, refuse, unit_quaternion, vector
from .elliptic import first_kind, integrals_from_zero, quarter_period, sn_cn_dn

_LEAST_DIFFERENCE = 1e-9
"""Least relative difference between two moments; nearer ones lose the digits of their difference."""


@explaining_errors()
class FreeAsymmetricTop:
    """Torque-free rotation of a body with three different moments of inertia, by Jacobi's elliptic functions.

    The body rates are ``ω₁ = a₁ cn u, ω₂ = a₂ sn u, ω₃ = a₃ dn u`` with u linear in time. The orientation follows from the axes of the
    body as seen from the angular momentum, and from their azimuth about it, whose rate ``L (I₁ω₁² + I₂ω₂²)/(I₁²ω₁² + I₂²ω₂²)`` is
    integrated by Gauss-Legendre quadrature.

    Range: three moments that differ by at least 1e-9 of the greatest, and every rate but zero; rotation about a principal axis and the
        separatrix are included.
    Error: below 1e-11 rad and 1e-11 of the rate in ten seconds of tumbling at 5 rad/s, against an eighth-order integration at a tolerance
        of 1e-13. It grows in proportion to the angle, and near the separatrix as ``exp(t/τ)``, τ the time constant of the instability.
    Source: Landau and Lifshitz, Mechanics, section 37.

    Args:
        inertia_body: Inertia about the mass centre [kg·m²], body frame: three principal moments, or a tensor of shape (3, 3).
        angular_velocity_body: Angular velocity at time 0 [rad/s], body frame, shape (3,), not zero.
        orientation: Orientation at time 0, scalar-last (x, y, z, w), body to world.

    Raises:
        TypeError: If an argument is not made of real numbers.
        ValueError: If two moments differ by less than 1e-9 of the greatest, the tensor is not symmetric and positive definite, the rate is
            zero, or a value is not finite.

    Example:
        >>> top = FreeAsymmetricTop((1.0, 2.0, 3.0), (0.01, 5.0, 0.01))
        >>> round(top.period, 6)  # two flips [s]
        10.051858
        >>> top.angular_velocities_body([0.0, 0.5 * top.period]).round(6).tolist()
        [[0.01, 5.0, 0.01], [-0.01, -5.0, 0.01]]
    """

    def __init__(
        self,
        inertia_body: npt.ArrayLike,
        angular_velocity_body: npt.ArrayLike,
        orientation: npt.ArrayLike = (0.0, 0.0, 0.0, 1.0),
    ) -> None:
        owner = "FreeAsymmetricTop"
        moments, axes = _principal(inertia_body, owner)
        if min(np.diff(moments)) < _LEAST_DIFFERENCE * moments[2]:
            rule = f"principal moments that differ by at least {_LEAST_DIFFERENCE:g} of the greatest"
            refuse(owner, "inertia_body", inertia_body, rule, hint="use FreeSymmetricTop for two equal ones")
        rates = vector(angular_velocity_body, "angular_velocity_body", owner)
        if not rates.any():
            refuse(owner, "angular_velocity_body", angular_velocity_body, "a non-zero vector")
        self._start = Rotation.from_quat(unit_quaternion(orientation, "orientation", owner))
        # Axis 3 of the frame used here is the one that the angular momentum circles in the body: that of the greatest moment if
        # L² > 2TI₂, of the least otherwise.
        principal_rates = axes.T @ rates
        order = [0, 1, 2] if _from_separatrix(moments, principal_rates) > 0.0 else [2, 1, 0]
        self._moments, self._axes = moments[order], axes[:, order]
        self._axes[:, 1] *= np.sign(np.linalg.det(self._axes))
        self._rates = self._axes.T @ rates
        self._momentum = float(np.linalg.norm(self._moments * self._rates))
        self._set_constants()

    def __repr__(self) -> str:
        return f"<FreeAsymmetricTop with a period of {self.period:g} s>"

    def _set_constants(self) -> None:
        """Amplitudes, phase and pace. Each difference is a sum of terms of one sign, but for the distance from the separatrix."""
        j1, j2, j3 = self._moments
        w1, w2, w3 = self._rates
        d = j1 * abs(j3 - j1) * w1**2 + j2 * abs(j3 - j2) * w2**2  # |2TJ₃ − L²|
        e = j2 * abs(j2 - j1) * w2**2 + j3 * abs(j3 - j1) * w3**2  # |L² − 2TJ₁|
        g = j3 * abs(j3 - j2) * w3**2 - j1 * abs(j2 - j1) * w1**2  # |L² − 2TJ₂|
        self._parameter = float(abs(j2 - j1) * d / (abs(j3 - j2) * e))
        self._m1 = min(max(abs(j3 - j1) * g / (abs(j3 - j2) * e), 0.0), 1.0)
        self._pace = math.sqrt(abs(j3 - j2) * e / (j1 * j2 * j3))
        forward = math.copysign(1.0, w3)
        self._handed = forward * math.copysign(1.0, j3 - j2)
        one, two, three = np.sqrt([d / (j1 * abs(j3 - j1)), d / (j2 * abs(j3 - j2)), e / (j3 * abs(j3 - j1))])
        self._amplitudes = np.array([one, self._handed * two, forward * three])
        angle = math.atan2(self._handed * w2 * math.sqrt(j2 * abs(j3 - j2)), w1 * math.sqrt(j1 * abs(j3 - j1)))
        at_rest = self._m1 == 0.0 and w1 == 0.0  # rotation about the intermediate axis, at the end of the separatrix
        self._phase = math.copysign(math.inf, self._handed * w2) if at_rest else first_kind(angle, self._m1)

    @property
    def parameter(self) -> float:
        """Parameter m of the elliptic functions [-], which is 0 in pure rotation about a stable axis and 1 on the separatrix."""
        return self._parameter

    @property
    def period(self) -> float:
        """Time after which the body rates repeat [s]; infinite on the separatrix."""
        return 4.0 * quarter_period(self._m1) / self._pace

    @property
    def angular_momentum_world(self) -> FloatArray:
        """Angular momentum about the mass centre [N·m·s], world frame, shape (3,), which stays constant."""
        return np.asarray(self._start.apply(self._axes @ (self._moments * self._rates)))

    @property
    def kinetic_energy(self) -> float:
        """Rotational energy [J], which stays constant."""
        return float(0.5 * (self._moments * self._rates**2).sum())

    def angular_velocities_body(self, times: npt.ArrayLike) -> FloatArray:
        """Return the angular velocity [rad/s], body frame, shape (n, 3), at n times [s].

        Example:
            >>> top = FreeAsymmetricTop((1.0, 2.0, 3.0), (0.01, 5.0, 0.01))
            >>> top.angular_velocities_body([0.0, 0.5 * top.period]).round(6).tolist()
            [[0.01, 5.0, 0.01], [-0.01, -5.0, 0.01]]
        """
        return self._principal_rates(_times(times, self)).T @ self._axes.T

    def angular_velocities_world(self, times: npt.ArrayLike) -> FloatArray:
        """Return the angular velocity [rad/s], world frame, shape (n, 3), at n times [s]; its tip draws the herpolhode.

        Example:
            >>> top = FreeAsymmetricTop((1.0, 2.0, 3.0), (0.5, 1.0, 2.0))
            >>> momentum_world = np.array([0.5, 2.0, 6.0])  # that of time 0
            >>> (top.angular_velocities_world([0.0, 1.0, 2.0]) @ momentum_world).round(9).tolist()  # 2T, which is constant
            [14.25, 14.25, 14.25]
        """
        turned = Rotation.from_quat(self.orientations(times))
        return np.asarray(turned.apply(self.angular_velocities_body(times)))

    def orientations(self, times: npt.ArrayLike) -> FloatArray:
        """Return the orientation, scalar-last (x, y, z, w), body to world, shape (n, 4), at n times [s].

        Example:
            >>> from engine import rotation
            >>> top = FreeAsymmetricTop((1.0, 2.0, 3.0), (0.0, 0.0, np.pi))
            >>> rotation.rotate(top.orientations([0.5]), (1.0, 0.0, 0.0)).round(6).tolist()  # x after a quarter turn about z
            [[-0.0, 1.0, 0.0]]
        """
        chosen = _times(times, self)
        along = self.angular_momentum_world / self._momentum
        frames = self._momentum_frames(np.concatenate(([0.0], chosen)))
        j1, j2, j3 = self._moments
        steepness = math.sqrt(max(j2 * abs(j3 - j1) / (j1 * abs(j3 - j2)), 1.0))
        azimuths = integrals_from_zero(self._azimuth_rate, chosen, 0.3 / (self._pace * steepness))
        turned = Rotation.from_rotvec(azimuths[:, None] * along) * self._start * frames[0] * frames[1:].inv()
        return np.asarray(turned.as_quat())

    def polhode(self, count: int = 361) -> FloatArray:
        """Return the polhode, the curve of the angular velocity [rad/s] in the body frame, over one period, shape (count, 3).

        On the separatrix, where the period is infinite, the points cover 40 time constants around the present one.

        Example:
            >>> rates = FreeAsymmetricTop((1.0, 2.0, 3.0), (0.5, 1.0, 2.0)).polhode(count=5)
            >>> (rates**2 @ (1.0, 2.0, 3.0)).round(9).tolist()  # 2T, which is constant
            [14.25, 14.25, 14.25, 14.25, 14.25]
        """
        span = self.period if math.isfinite(self.period) else 40.0 / self._pace
        first = 0.0 if math.isfinite(self.period) else -0.5 * span
        return self.angular_velocities_body(np.linspace(first, first + span, count))

    def herpolhode(self, times: npt.ArrayLike) -> FloatArray:
        """Return the herpolhode, the curve of the angular velocity [rad/s] on the invariable plane, as n points, shape (n, 2).

        The plane is perpendicular to the angular momentum. `invariable_plane` gives its two axes.

        Example:
            >>> top = FreeAsymmetricTop((1.0, 2.0, 3.0), (0.5, 1.0, 2.0))
            >>> distances = np.linalg.norm(top.herpolhode([0.0, top.period, 2.0 * top.period]), axis=1)
            >>> distances.round(6).tolist()  # the distance repeats, the direction does not
            [0.452735, 0.452735, 0.452735]
        """
        return self.angular_velocities_world(times) @ invariable_plane(self.angular_momentum_world).T

    def _principal_rates(self, times: FloatArray) -> FloatArray:
        sn, cn, dn = sn_cn_dn(self._phase + self._pace * times, self._m1)
        return self._amplitudes[:, None] * np.array([cn, sn, dn])

    def _azimuth_rate(self, times: FloatArray) -> FloatArray:
        j1, j2, j3 = self._moments
        sn, cn, _ = sn_cn_dn(self._phase + self._pace * times, self._m1)
        one, two = self._tilted(cn, sn, j1, j2, j3)
        return self._momentum * (one + two) / (j1 * one + j2 * two)

    @staticmethod
    def _tilted(cn: FloatArray, sn: FloatArray, j1: float, j2: float, j3: float) -> tuple[FloatArray, FloatArray]:
        """``J₁ω₁²`` and ``J₂ω₂²`` with their common factor left out, so that pure rotation about axis 3 has values as well."""
        # on the separatrix cn decays to zero and sn does not, so that the sum is never zero
        return cn**2 / abs(j3 - j1), sn**2 / abs(j3 - j2)

    def _momentum_frames(self, times: FloatArray) -> Rotation:
        """Rotation from (node, L × node, L) to the body frame; the node is along L × axis 3."""
        along = (self._moments * self._principal_rates(times).T) / self._momentum
        j1, j2, j3 = self._moments
        sn, cn, _ = sn_cn_dn(self._phase + self._pace * times, self._m1)
        # (L₂, −L₁, 0) without their common factor
        node = np.array(
            [self._handed * math.sqrt(j2 / abs(j3 - j2)) * sn, -math.sqrt(j1 / abs(j3 - j1)) * cn, 0.0 * sn]
        ).T
        node /= np.linalg.norm(node, axis=1)[:, None]
        columns = np.stack([node, np.cross(along, node), along], axis=-1)
        return Rotation.from_matrix(self._axes @ columns)


@explaining_errors()
class FreeSymmetricTop:
    """Torque-free rotation of a body whose two moments of inertia across an axis are equal: regular precession.

    The body rotates about the fixed angular momentum L at ``L/transverse``. Seen in the body, everything rotates about the axis at
    ``λ = (axial − transverse)/transverse ω₃``: ``R(t) = turn(L̂, tL/transverse) R(0) turn(axis, −λt)`` and ``ω(t) = turn(axis, λt) ω(0)``.
    With `axial` equal to `transverse` the body is spherical and rotates uniformly.

    Range: all moments above zero and all rates.
    Error: a few roundings of the angle.
    Source: Landau and Lifshitz, Mechanics, section 33.

    Args:
        transverse: Moment of inertia about every axis across `axis_body` [kg·m²].
        axial: Moment of inertia about `axis_body` [kg·m²].
        angular_velocity_body: Angular velocity at time 0 [rad/s], body frame, shape (3,).
        orientation: Orientation at time 0, scalar-last (x, y, z, w), body to world.
        axis_body: The axis of symmetry, body frame, a non-zero vector of shape (3,).

    Raises:
        TypeError: If an argument is not made of real numbers.
        ValueError: If a moment is not above zero, the axis is zero, or a value is not finite.

    Example:
        >>> top = FreeSymmetricTop(2.0, 8.0, (1.0, 0.0, 1.0))
        >>> round(top.precession_rate, 6), round(top.body_rate, 6), round(top.nutation_angle, 6)
        (4.123106, 3.0, 0.244979)
    """

    def __init__(
        self,
        transverse: float,
        axial: float,
        angular_velocity_body: npt.ArrayLike,
        orientation: npt.ArrayLike = (0.0, 0.0, 0.0, 1.0),
        axis_body: npt.ArrayLike = (0.0, 0.0, 1.0),
    ) -> None:
        owner = "FreeSymmetricTop"
        self._transverse = real(transverse, "transverse", owner, above=0.0)
        self._axial = real(axial, "axial", owner, above=0.0)
        self._rates = vector(angular_velocity_body, "angular_velocity_body", owner)
        self._start = Rotation.from_quat(unit_quaternion(orientation, "orientation", owner))
        self._axis = direction(axis_body, "axis_body", owner)

    def __repr__(self) -> str:
        return f"<FreeSymmetricTop precessing at {self.precession_rate:g} rad/s>"

    @property
    def _momentum_body(self) -> FloatArray:
        spin = self._rates @ self._axis
        return self._transverse * self._rates + (self._axial - self._transverse) * spin * self._axis

    @property
    def angular_momentum_world(self) -> FloatArray:
        """Angular momentum about the mass centre [N·m·s], world frame, shape (3,), which stays constant."""
        return np.asarray(self._start.apply(self._momentum_body))

    @property
    def precession_rate(self) -> float:
        """Rate ``L/transverse`` [rad/s] at which the axis circles the angular momentum."""
        return float(np.linalg.norm(self._momentum_body)) / self._transverse

    @property
    def body_rate(self) -> float:
        """Rate λ [rad/s] at which the angular velocity circles the axis, as seen in the body; negative if it circles backwards."""
        return float((self._axial - self._transverse) / self._transverse * (self._rates @ self._axis))

    @property
    def nutation_angle(self) -> float:
        """Angle [rad] between the axis and the angular momentum, from 0 to π; 0 for a body at rest."""
        momentum = self._momentum_body
        return math.atan2(float(np.linalg.norm(np.cross(momentum, self._axis))), float(momentum @ self._axis))

    def angular_velocities_body(self, times: npt.ArrayLike) -> FloatArray:
        """Return the angular velocity [rad/s], body frame, shape (n, 3), at n times [s].

        Example:
            >>> top = FreeSymmetricTop(2.0, 8.0, (1.0, 0.0, 1.0))
            >>> top.angular_velocities_body([0.0, np.pi / top.body_rate]).round(9).tolist()
            [[1.0, 0.0, 1.0], [-1.0, 0.0, 1.0]]
        """
        turns = (self.body_rate * _times(times, self))[:, None] * self._axis
        return np.asarray(Rotation.from_rotvec(turns).apply(self._rates))

    def orientations(self, times: npt.ArrayLike) -> FloatArray:
        """Return the orientation, scalar-last (x, y, z, w), body to world, shape (n, 4), at n times [s].

        Example:
            >>> top = FreeSymmetricTop(2.0, 8.0, (0.0, 0.0, np.pi))
            >>> top.orientations([0.0, 0.5]).round(6).tolist()  # a quarter turn about z
            [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.707107, 0.707107]]
        """
        chosen = _times(times, self)[:, None]
        about_momentum = Rotation.from_rotvec(chosen * self.angular_momentum_world / self._transverse)
        about_axis = Rotation.from_rotvec(-self.body_rate * chosen * self._axis)
        return np.asarray((about_momentum * self._start * about_axis).as_quat())


def invariable_plane(angular_momentum_world: npt.ArrayLike) -> FloatArray:
    """Return two axes of the plane perpendicular to an angular momentum, in which herpolhodes are drawn.

    The first is the world axis that is most nearly perpendicular to the angular momentum, projected on the plane. The second makes a
    right-handed frame of them and the angular momentum.

    Args:
        angular_momentum_world: Angular momentum [N·m·s], world frame, a non-zero vector of shape (3,).

    Returns:
        The axes as rows, world frame, shape (2, 3).

    Raises:
        TypeError: If the argument is not made of real numbers.
        ValueError: If it is zero, not finite or of another shape.

    Example:
        >>> invariable_plane((0.0, 0.0, 2.0)).tolist()
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    normal = direction(angular_momentum_world, "angular_momentum_world", "invariable_plane")
    world_axis = np.eye(3)[int(np.abs(normal).argmin())]
    first = world_axis - (world_axis @ normal) * normal
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(normal, first)])


def _principal(inertia_body: npt.ArrayLike, owner: str) -> tuple[FloatArray, FloatArray]:
    """Principal moments, ascending, and axes as columns."""
    tensor = np.asarray(inertia_body)
    given = array(inertia_body, "inertia_body", owner, (3,) if tensor.ndim == 1 else (3, 3))
    if given.ndim == 1:
        given = np.diag(given)
    moments, axes = np.linalg.eigh(given)
    if np.abs(given - given.T).max() > 1e-12 * np.abs(given).max() or moments[0] <= 0.0:
        refuse(owner, "inertia_body", inertia_body, "a symmetric, positive definite tensor or three positive moments")
    return moments, axes


def _from_separatrix(moments: FloatArray, rates: FloatArray) -> float:
    """``L² − 2TI₂`` for ascending moments."""
    i1, i2, i3 = moments
    return float(i3 * (i3 - i2) * rates[2] ** 2 - i1 * (i2 - i1) * rates[0] ** 2)


def _times(times: npt.ArrayLike, owner: object) -> FloatArray:
    return array(times, "times", type(owner).__name__, (None,))
