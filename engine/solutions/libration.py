"""Librations of a body in a circular orbit under the gravity gradient."""

from __future__ import annotations  # help() then shows them as written

import math

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

from ..checks import FloatArray, array, explaining_errors, real, refuse
from .elliptic import amplitude, first_kind, quarter_period, sn_cn_dn


@explaining_errors()
class GravityGradientLibration:
    """Rotation in pitch of a body in a circular orbit under the gravity gradient, which swings or rotates like a pendulum.

    The pitch angle θ is measured from the attitude in which the body's axes x (roll), y (pitch) and z (yaw) point along the velocity,
    against the orbit's normal and towards the attracting centre. It obeys ``θ̈ = −(3/2) n² κ sin 2θ`` with
    ``κ = (I_roll − I_yaw)/I_pitch``, so that 2θ is the angle of a pendulum. ``sin θ`` is an elliptic sine while the body librates, and
    θ is an amplitude function while it rotates.

    Range: ``κ > 0``, circular orbits, and bodies that are small beside the radius of the orbit; librations and rotations of any size.
    Error: a few roundings of the angle; near the separatrix it grows as ``exp(n √(3κ) t)``.
    Source: Hughes, Spacecraft Attitude Dynamics, section 9.3; the pendulum by Landau and Lifshitz, Mechanics, section 11.

    Args:
        roll: Principal moment of inertia about body x [kg·m²].
        pitch: Principal moment about body y [kg·m²].
        yaw: Principal moment about body z [kg·m²], below `roll`, so that θ = 0 is stable.
        orbit_rate: Angular rate n of the orbit [rad/s], above zero.
        angle: Pitch angle θ at time 0 [rad].
        rate: Its rate of change at time 0 [rad/s], relative to the rotating orbital frame.

    Raises:
        TypeError: If an argument is not a real number.
        ValueError: If a moment or the rate of the orbit is not above zero, `yaw` is not below `roll`, or a value is not finite.

    Example:
        >>> motion = GravityGradientLibration(2.6, 3.2, 1.1, orbit_rate=1e-3, angle=0.3)
        >>> round(motion.period, 1), motion.librates
        (5420.2, True)
        >>> motion.angles([0.0, motion.period / 2]).round(6).tolist()
        [0.3, -0.3]
    """

    def __init__(
        self, roll: float, pitch: float, yaw: float, *, orbit_rate: float, angle: float, rate: float = 0.0
    ) -> None:
        owner = "GravityGradientLibration"
        roll = real(roll, "roll", owner, above=0.0)
        pitch = real(pitch, "pitch", owner, above=0.0)
        yaw = real(yaw, "yaw", owner, above=0.0)
        if yaw >= roll:
            refuse(
                owner,
                "yaw",
                yaw,
                f"a moment below roll, which is {roll:g}",
                hint="exchange the two axes and add π/2 to the angle",
            )
        self._orbit_rate = real(orbit_rate, "orbit_rate", owner, above=0.0)
        angle, rate = real(angle, "angle", owner), real(rate, "rate", owner)
        self._small = self._orbit_rate * math.sqrt(3.0 * (roll - yaw) / pitch)
        # with s = sin θ and w = θ̇/small, s² + w² is the square of the modulus of a libration, and above 1 in a rotation
        sine, cosine, pace = math.sin(angle), math.cos(angle), rate / self._small
        energy = sine**2 + pace**2
        remaining = cosine**2 - pace**2  # 1 − energy without cancellation
        self._turns = round(angle / math.pi) * math.pi  # θ has the period π
        if energy <= 1.0:
            self._librates, self._modulus, self._m1 = True, math.sqrt(energy), max(remaining, 0.0)
            # sin(θ − turns) = modulus sn, θ̇ = small modulus cn
            self._phase = _phase(math.sin(angle - self._turns), pace, self._m1)
            self._pace = self._small
        else:
            self._librates, self._modulus = False, 1.0 / math.sqrt(energy)
            self._m1 = -remaining / energy
            self._pace = math.copysign(self._small / self._modulus, rate)
            self._phase = first_kind(angle - self._turns, self._m1)

    def __repr__(self) -> str:
        return f"<GravityGradientLibration with a period of {self.period:g} s>"

    @property
    def librates(self) -> bool:
        """Whether the body swings about θ = 0 or π; if not, it rotates over the vertical again and again."""
        return self._librates

    @property
    def period(self) -> float:
        """Time of one swing to and fro, or of half a rotation in the orbital frame [s]; infinite on the separatrix."""
        return (4.0 if self._librates else 2.0) * quarter_period(self._m1) / abs(self._pace)

    def angles(self, times: npt.ArrayLike) -> FloatArray:
        """Return the pitch angle θ [rad], shape (n,), at n times [s]; it is continuous while the body rotates.

        Example:
            >>> motion = GravityGradientLibration(2.6, 3.2, 1.1, orbit_rate=1e-3, angle=0.3)
            >>> motion.angles([0.0, 0.5 * motion.period, motion.period]).round(6).tolist()
            [0.3, -0.3, 0.3]
        """
        return self._motion(self._checked(times))[0]

    def rates(self, times: npt.ArrayLike) -> FloatArray:
        """Return the rate of the pitch angle [rad/s] relative to the orbital frame, shape (n,), at n times [s].

        Example:
            >>> motion = GravityGradientLibration(2.6, 3.2, 1.1, orbit_rate=1e-3, angle=0.3)
            >>> motion.rates([0.25 * motion.period, 0.75 * motion.period]).round(7).tolist()  # fastest as it swings through
            [-0.0003504, 0.0003504]
        """
        return self._motion(self._checked(times))[1]

    def angular_velocities_body(self, times: npt.ArrayLike) -> FloatArray:
        """Return the angular velocity relative to inertial axes [rad/s], body frame, shape (n, 3), at n times [s].

        Example:
            >>> motion = GravityGradientLibration(2.6, 3.2, 1.1, orbit_rate=1e-3, angle=0.3)
            >>> motion.angular_velocities_body([0.0]).round(6).tolist()  # that of the orbit, because it swings back here
            [[0.0, -0.001, 0.0]]
        """
        rates = self.rates(times) - self._orbit_rate
        return np.stack([np.zeros_like(rates), rates, np.zeros_like(rates)], axis=1)

    def orientations(self, times: npt.ArrayLike) -> FloatArray:
        """Return the orientation, scalar-last (x, y, z, w), body to world, shape (n, 4), at n times [s].

        The body is on the world's x axis at time 0, and the orbit's normal is the world's z axis.

        Example:
            >>> motion = GravityGradientLibration(2.6, 3.2, 1.1, orbit_rate=1e-3, angle=0.3)
            >>> motion.orientations([0.0]).round(6).tolist()  # turned by 0.3 rad about z
            [[0.569105, 0.419666, -0.419666, -0.569105]]
        """
        chosen = self._checked(times)
        # columns: velocity +y, against the normal −z, towards the centre −x
        start = Rotation.from_matrix(np.array([[0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]))
        along_orbit = Rotation.from_rotvec((self._orbit_rate * chosen)[:, None] * [0.0, 0.0, 1.0])
        pitched = Rotation.from_rotvec(self._motion(chosen)[0][:, None] * [0.0, 1.0, 0.0])
        return np.asarray((along_orbit * start * pitched).as_quat())

    def _checked(self, times: npt.ArrayLike) -> FloatArray:
        return array(times, "times", "GravityGradientLibration", (None,))

    def _motion(self, times: FloatArray) -> tuple[FloatArray, FloatArray]:
        u = self._phase + self._pace * times
        sn, cn, dn = sn_cn_dn(u, self._m1)
        if self._librates:
            # from sine and cosine, so that no digits are lost near π/2
            angles = np.arctan2(self._modulus * sn, dn)
            return self._turns + angles, self._small * self._modulus * cn
        return self._turns + amplitude(u, self._m1), self._pace * dn


def small_roll_yaw_rates(roll: float, pitch: float, yaw: float, *, orbit_rate: float) -> tuple[float, float]:
    """Compute the two angular frequencies of small coupled librations in roll and yaw in a circular orbit.

    They solve ``s⁴ + n² s² (1 + 3 k_r + k_r k_y) + 4 n⁴ k_r k_y = 0`` with ``k_r = (pitch − yaw)/roll`` and ``k_y = (pitch − roll)/yaw``.

    Range: attitudes that are stable in roll and yaw, and small angles: the linearised equations are exact for vanishing angles only.
    Error: a few roundings.
    Source: Hughes, Spacecraft Attitude Dynamics, section 9.3.

    Args:
        roll: Principal moment of inertia about the axis along the velocity [kg·m²].
        pitch: Principal moment about the orbit's normal [kg·m²].
        yaw: Principal moment about the vertical [kg·m²].
        orbit_rate: Angular rate n of the orbit [rad/s], above zero.

    Returns:
        The lower and the higher angular frequency [rad/s].

    Raises:
        TypeError: If an argument is not a real number.
        ValueError: If a moment or the rate is not above zero, or the attitude is not stable.

    Example:
        >>> [round(rate, 6) for rate in small_roll_yaw_rates(2.6, 3.2, 1.1, orbit_rate=1e-3)]
        [0.000727, 0.001826]
    """
    owner = "small_roll_yaw_rates"
    roll = real(roll, "roll", owner, above=0.0)
    pitch = real(pitch, "pitch", owner, above=0.0)
    yaw = real(yaw, "yaw", owner, above=0.0)
    orbit_rate = real(orbit_rate, "orbit_rate", owner, above=0.0)
    k_roll, k_yaw = (pitch - yaw) / roll, (pitch - roll) / yaw
    middle = 1.0 + 3.0 * k_roll + k_roll * k_yaw
    inside = middle**2 - 16.0 * k_roll * k_yaw
    if k_roll * k_yaw <= 0.0 or middle <= 0.0 or inside < 0.0:
        refuse(owner, "roll, pitch, yaw", (roll, pitch, yaw), "moments whose attitude is stable in roll and yaw")
    higher = 0.5 * (middle + math.sqrt(inside))
    return orbit_rate * math.sqrt(4.0 * k_roll * k_yaw / higher), orbit_rate * math.sqrt(higher)


def _phase(scaled_sine: float, scaled_rate: float, m1: float) -> float:
    """The argument u with ``modulus sn u`` and ``modulus cn u`` as given."""
    if scaled_sine == scaled_rate == 0.0:
        return 0.0  # at rest in the equilibrium
    angle = math.atan2(scaled_sine, scaled_rate)
    if m1 == 0.0 and scaled_rate == 0.0:
        return math.copysign(math.inf, angle)  # at rest in the unstable equilibrium
    return first_kind(angle, m1)
