"""Torque-free rotation in closed form.

Sources: Landau and Lifshitz, Mechanics, section 37 (rates); the orientation from the body's axes as seen from the angular momentum,
whose azimuth ψ grows as dψ/dt = L (I₁ω₁² + I₂ω₂²)/(I₁²ω₁² + I₂²ω₂²).
"""

import numpy as np
from scipy.spatial.transform import Rotation

from .jacobi import first_kind, integral_from_zero, quarter_period, sn_cn_dn


class FreeBody:
    """A freely turning body with three different moments, off the separatrix.

    Axis 3 of the frame used inside is the one that the angular momentum circles in the body: the axis of greatest moment if L² > 2TI₂,
    of least if L² < 2TI₂. Every difference is formed from terms of one sign but for the distance from the separatrix itself.
    """

    def __init__(self, inertia_body, angular_velocity_body, orientation=(0.0, 0.0, 0.0, 1.0)):
        tensor = np.asarray(inertia_body, dtype=float)
        moments, axes = np.linalg.eigh(np.diag(tensor) if tensor.ndim == 1 else tensor)
        greatest = _from_separatrix(moments, axes.T @ angular_velocity_body) > 0.0
        order = [0, 1, 2] if greatest else [2, 1, 0]
        self.orientation = orientation
        self.moments = moments[order]
        self.axes = axes[:, order]
        self.axes[:, 1] *= np.sign(np.linalg.det(self.axes))
        self.rates = self.axes.T @ angular_velocity_body
        self.momentum = float(np.linalg.norm(self.moments * self.rates))
        self._constants()

    def _constants(self):
        j1, j2, j3 = self.moments
        w1, w2, w3 = self.rates
        d = j1 * abs(j3 - j1) * w1**2 + j2 * abs(j3 - j2) * w2**2  # |2TJ₃ − L²|
        e = j2 * abs(j2 - j1) * w2**2 + j3 * abs(j3 - j1) * w3**2  # |L² − 2TJ₁|
        g = j3 * abs(j3 - j2) * w3**2 - j1 * abs(j2 - j1) * w1**2  # |L² − 2TJ₂|
        self.m = abs(j2 - j1) * d / (abs(j3 - j2) * e)
        self.m1 = abs(j3 - j1) * g / (abs(j3 - j2) * e)
        self.pace = np.sqrt(abs(j3 - j2) * e / (j1 * j2 * j3))
        forward = np.sign(w3)
        self.handed = forward * np.sign(j3 - j2)
        one, two, three = np.sqrt([d / (j1 * abs(j3 - j1)), d / (j2 * abs(j3 - j2)), e / (j3 * abs(j3 - j1))])
        self.amplitudes = np.array([one, self.handed * two, forward * three])
        amplitude = np.arctan2(self.handed * w2 * np.sqrt(j2 * abs(j3 - j2)), w1 * np.sqrt(j1 * abs(j3 - j1)))
        self.phase = first_kind(amplitude, self.m1)

    @property
    def period(self):
        """Time [s] after which the body rates repeat."""
        return 4.0 * quarter_period(self.m1) / self.pace

    def angular_velocities_body(self, times):
        """Rates [rad/s], body frame, shape (n, 3)."""
        return self._principal_rates(np.asarray(times)).T @ self.axes.T

    def orientations(self, times):
        """Quaternions (x, y, z, w), shape (n, 4)."""
        times = np.asarray(times, dtype=float)
        start = Rotation.from_quat(self.orientation)
        along = start.apply(self.axes @ (self.moments * self.rates) / self.momentum)
        frames = self._momentum_frames(np.concatenate(([0.0], times)))
        j1, j2, j3 = self.moments
        steepness = np.sqrt(max(j2 * abs(j3 - j1) / (j1 * abs(j3 - j2)), 1.0))
        azimuths = integral_from_zero(self._azimuth_rate, times, 0.3 / (self.pace * steepness))
        return (Rotation.from_rotvec(azimuths[:, None] * along) * start * frames[0] * frames[1:].inv()).as_quat()

    def _principal_rates(self, times):
        sn, cn, dn = sn_cn_dn(self.phase + self.pace * times, self.m1)
        return self.amplitudes[:, None] * np.array([cn, sn, dn])

    def _azimuth_rate(self, times):
        j1, j2, j3 = self.moments
        sn, cn, _ = sn_cn_dn(self.phase + self.pace * times, self.m1)
        one, two = cn**2 / abs(j3 - j1), sn**2 / abs(j3 - j2)
        return self.momentum * (one + two) / (j1 * one + j2 * two)

    def _momentum_frames(self, times):
        """Turn from (node, L × node, L) to the body frame; the node is along L × axis 3."""
        along = (self.moments * self._principal_rates(times).T) / self.momentum
        j1, j2, j3 = self.moments
        sn, cn, _ = sn_cn_dn(self.phase + self.pace * times, self.m1)
        # (L₂, −L₁, 0) with the common factor left out, so that it stands at a pure spin about axis 3 too
        node = np.array([self.handed * np.sqrt(j2 / abs(j3 - j2)) * sn, -np.sqrt(j1 / abs(j3 - j1)) * cn, 0.0 * sn]).T
        node /= np.linalg.norm(node, axis=1)[:, None]
        columns = np.stack([node, np.cross(along, node), along], axis=-1)
        return Rotation.from_matrix(self.axes @ columns)


def _from_separatrix(moments, rates):
    """L² − 2TI₂ for ascending moments."""
    i1, i2, i3 = moments
    return i3 * (i3 - i2) * rates[2] ** 2 - i1 * (i2 - i1) * rates[0] ** 2


def symmetric_body(transverse, axial, axis_body, angular_velocity_body, orientation, times):
    """Free motion of a body with equal moments across `axis_body` (a unit vector).

    The body turns about the fixed L at L/transverse, and, seen in its own axes, everything turns about the symmetry axis at
    λ = (axial − transverse)/transverse ω₃: R(t) = turn(L̂, tL/transverse) R(0) turn(axis, −λt), ω(t) = turn(axis, λt) ω(0).

    Returns:
        Orientations (n, 4) and body rates (n, 3).
    """
    times = np.asarray(times, dtype=float)[:, None]
    axis = np.asarray(axis_body, dtype=float)
    rates = np.asarray(angular_velocity_body, dtype=float)
    spin = rates @ axis
    start = Rotation.from_quat(orientation)
    momentum_world = start.apply(transverse * rates + (axial - transverse) * spin * axis)
    wander = (axial - transverse) / transverse * spin
    turned = (
        Rotation.from_rotvec(times * momentum_world / transverse) * start * Rotation.from_rotvec(-wander * times * axis)
    )
    return turned.as_quat(), Rotation.from_rotvec(wander * times * axis).apply(rates)
