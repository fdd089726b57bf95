"""Closed form of a symmetric body with a torque k z × x₃ (world), x₃ its axis: the heavy top, and Ganapathi's top with two rockets.

With the tilt θ from z and u = cos θ, three quantities are conserved: the rate ω₃ about the axis, L_z, and the energy. Then u̇² is a cubic
in u, so u moves between two of its roots as the square of an elliptic sine, and the azimuth follows by a quadrature.
Source: Goldstein, Classical Mechanics, section 5.7.
"""

import math

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)


class SymmetricTop:
    """A top let go at one end of its nodding: tilted, its axis moving only sideways.

    Args:
        transverse, axial: Moments of inertia across and along the axis [kg·m²].
        strength: k [N·m].
        spin: Rate about the axis [rad/s], body frame, x₃ part of ω.
        tilt: Of the axis from z at the start [rad], more than 0 and less than π.
        precession: Rate at which the axis goes round z at the start [rad/s].
    """

    def __init__(
        self, transverse: float, axial: float, strength: float, spin: float, tilt: float, precession: float
    ) -> None:
        start, across = math.cos(tilt), precession * math.sin(tilt)
        beta, self._a = 2.0 * strength / transverse, axial * spin / transverse
        self._b = across * math.sin(tilt) + self._a * start  # L_z / I₁
        # u̇² = (α − βu)(1 − u²) − (b − au)² has the root u(0); what is left is βu² + pu + q.
        p = beta * start - (across**2 + beta * start + self._a**2)
        q = p * start + 2.0 * self._a * self._b - beta
        beyond = (-p + math.sqrt(max(p * p - 4.0 * beta * q, 0.0))) / (2.0 * beta)
        other = q / (beta * beyond)
        self._low, self._high = min(start, other), max(start, other)
        self._pace = 0.5 * math.sqrt(beta * (beyond - self._low))
        self._parameter = (self._high - self._low) / (beyond - self._low)
        self._phase = 0.0 if start <= other else quarter_period(self._parameter)

    @property
    def nutation_period(self) -> float:
        """Seconds from one least tilt to the next."""
        return 2.0 * quarter_period(self._parameter) / self._pace

    @property
    def tilts(self) -> tuple[float, float]:
        """Least and greatest tilt [rad]."""
        return math.acos(self._high), math.acos(self._low)

    def axis(self, times: Array) -> Array:
        """Unit vectors along the axis, world frame, shape (n, 3); its azimuth at time 0 is 0.

        Args:
            times: Seconds, growing, shape (n,).
        """
        height = self._height(times)
        level, azimuth = np.sqrt(1.0 - height**2), self._azimuth(times)
        return np.column_stack([level * np.cos(azimuth), level * np.sin(azimuth), height])

    def _height(self, times: Array) -> Array:
        return (
            self._low
            + (self._high - self._low) * sine_amplitude(self._phase + self._pace * times, self._parameter) ** 2
        )

    def _azimuth(self, times: Array) -> Array:
        """The integral of (b − au)/(1 − u²) by Gauss's formula, in panels of a tenth of a nutation at most."""
        panels = max(len(times), math.ceil(10.0 * float(times[-1]) / self.nutation_period))
        edges = np.unique(np.concatenate([np.linspace(0.0, float(times[-1]), panels + 1), times]))
        half = np.diff(edges)[:, None] / 2.0
        height = self._height(edges[:-1, None] + half * (1.0 + NODES))
        grown = ((self._b - self._a * height) / (1.0 - height**2) * half * WEIGHTS).sum(axis=1)
        return np.concatenate([[0.0], np.cumsum(grown)])[np.searchsorted(edges, times)]


def slow_precession(transverse: float, axial: float, strength: float, spin: float, tilt: float) -> float:
    """The slower rate [rad/s] at which the top goes round without nodding: the root of I₁ cos θ Ω² − I₃ω₃Ω + k = 0."""
    momentum = axial * spin
    return 2.0 * strength / (momentum + math.sqrt(momentum**2 - 4.0 * transverse * math.cos(tilt) * strength))


def quarter_period(parameter: float) -> float:
    """The complete elliptic integral K(m)."""
    return math.pi / (2.0 * _means(parameter)[-1][0])


def sine_amplitude(argument: Array, parameter: float) -> Array:
    """Jacobi's sn(u | m) for 0 ≤ m < 1, by Landen's descent."""
    means = _means(parameter)
    amplitude = 2.0 ** (len(means) - 1) * means[-1][0] * argument
    for mean, difference in reversed(means[1:]):
        amplitude = 0.5 * (amplitude + np.arcsin(difference / mean * np.sin(amplitude)))
    return np.sin(amplitude)


def _means(parameter: float) -> list[tuple[float, float]]:
    """Arithmetic means of 1 and √(1 − m), with half the differences they came from, until these no longer count."""
    a, b, c = 1.0, math.sqrt(1.0 - parameter), math.sqrt(parameter)
    found = [(a, c)]
    while abs(c) > 1e-16 * a:
        a, b, c = (a + b) / 2.0, math.sqrt(a * b), (a - b) / 2.0
        found.append((a, c))
    return found
