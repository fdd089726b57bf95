"""The heavy symmetric top in closed form, which is also a body with two rockets that turn it along z × x₃.

Torque k z × x₃ (world), x₃ the symmetry axis, θ its tilt from z. With u = cos θ:
du/dt² = (α − βu)(1 − u²) − (b − au)², a cubic, so u is the square of a Jacobi sn; the two other Euler angles are its quadratures.
Source: Goldstein, Classical Mechanics, section 5.7. Conserved: energy, L_z and L·x₃.
"""

import numpy as np
from scipy.spatial.transform import Rotation

from .jacobi import first_kind, integral_from_zero, quarter_period, sn_cn_dn


def steady_rates(transverse, axial, spin, tilt, strength):
    """The slow and the fast rate [rad/s] of precession without nutation: I₁ cos θ Ω² − I₃ω₃Ω + k = 0."""
    momentum = axial * spin
    root = np.sqrt(momentum**2 - 4.0 * transverse * np.cos(tilt) * strength)
    return 2.0 * strength / (momentum + root), (momentum + root) / (2.0 * transverse * np.cos(tilt))


class HeavyTop:
    """A top whose symmetry axis is body z, off its steady precession and off the vertical.

    Args:
        transverse, axial: Moments of inertia [kg·m²].
        strength: k [N·m].
        angular_velocity_body: Start, shape (3,).
        orientation: Start (x, y, z, w).
    """

    def __init__(self, transverse, axial, strength, angular_velocity_body, orientation):
        rates = np.asarray(angular_velocity_body, dtype=float)
        azimuth, tilt, turn = _euler_angles(orientation)
        spin, u = rates[2], np.cos(tilt)
        momentum_z = Rotation.from_quat(orientation).apply(rates * [transverse, transverse, axial])[2]
        alpha = rates[0] ** 2 + rates[1] ** 2 + 2.0 * strength * u / transverse
        beta = 2.0 * strength / transverse
        a, b = axial * spin / transverse, momentum_z / transverse
        cubic = np.array([beta, -(alpha + a**2), 2.0 * a * b - beta, alpha - b**2])
        roots = np.sort(np.roots(cubic).real)
        for _ in range(3):  # the eigenvalues of `roots` lose a few digits where two lie close
            roots -= np.polyval(cubic, roots) / np.polyval(np.polyder(cubic), roots)
        low, high, beyond = roots
        fraction = np.clip((u - low) / (high - low), 0.0, 1.0)
        tilting = rates[0] * np.cos(turn) - rates[1] * np.sin(turn)  # dθ/dt
        m1 = (beyond - high) / (beyond - low)
        phase = first_kind(np.arcsin(np.sqrt(fraction)), m1) * (1.0 if tilting <= 0.0 else -1.0)
        self.pace = 0.5 * np.sqrt(beta * (beyond - low))
        self.spin, self.a, self.b, self.low, self.high, self.m1, self.phase = spin, a, b, low, high, m1, phase
        self.start = (azimuth, turn)

    @property
    def nutation_period(self):
        """Time [s] from one least tilt to the next."""
        return 2.0 * quarter_period(self.m1) / self.pace

    @property
    def tilt_range(self):
        """Least and greatest tilt [rad]."""
        return float(np.arccos(self.high)), float(np.arccos(self.low))

    @property
    def precession_per_nutation(self):
        """Growth of the azimuth [rad] over one nutation."""
        return float(self._azimuth_and_turn([self.nutation_period])[0, 0])

    def tilts(self, times):
        """θ [rad] at the times."""
        return np.arccos(self._cosine(np.asarray(times, dtype=float)))

    def orientations(self, times):
        """Quaternions (x, y, z, w), shape (n, 4)."""
        return _from_euler_angles(*self._euler(times))

    def angular_velocities_body(self, times):
        """Rates [rad/s], body frame, shape (n, 3)."""
        azimuth_rate, _ = self._rates(np.asarray(times, dtype=float))
        _, tilt, turn = self._euler(times)
        sn, cn, dn = sn_cn_dn(self.phase + self.pace * np.asarray(times), self.m1)
        tilting = -2.0 * (self.high - self.low) * self.pace * sn * cn * dn / np.sin(tilt)
        across = azimuth_rate * np.sin(tilt)
        return np.stack(
            [
                across * np.sin(turn) + tilting * np.cos(turn),
                across * np.cos(turn) - tilting * np.sin(turn),
                np.full_like(tilt, self.spin),
            ],
            axis=1,
        )

    def _euler(self, times):
        azimuth, turn = (self._azimuth_and_turn(times) + self.start).T
        return azimuth, self.tilts(times), turn

    def _cosine(self, times):
        sn, _, _ = sn_cn_dn(self.phase + self.pace * times, self.m1)
        return self.low + (self.high - self.low) * sn**2

    def _rates(self, times):
        u = self._cosine(times)
        azimuth_rate = (self.b - self.a * u) / (1.0 - u**2)
        return azimuth_rate, self.spin - azimuth_rate * u

    def _azimuth_and_turn(self, times):
        return integral_from_zero(lambda t: np.array(self._rates(t)), times, 0.1 / self.pace)


def _euler_angles(orientation):
    """Azimuth, tilt and turn of R = turn(z, azimuth) turn(x, tilt) turn(z, turn)."""
    return Rotation.from_quat(orientation).as_euler("ZXZ")


def _from_euler_angles(azimuth, tilt, turn):
    return Rotation.from_euler("ZXZ", np.stack([azimuth, tilt, turn], axis=1)).as_quat()
