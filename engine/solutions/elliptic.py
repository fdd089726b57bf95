"""Jacobi's elliptic functions by the complementary parameter ``m₁ = 1 − m``, which keep their digits as m approaches 1.

`scipy.special.ellipj` takes m itself: at m₁ = 1e-10 the rounding of m alone moves the period in the seventh digit.
"""

from __future__ import annotations  # help() then shows them as written

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import elliprf

from ..checks import FloatArray

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


def amplitude(u: object, m1: float) -> FloatArray:
    """The amplitude ``am u`` for 0 ≤ m₁ ≤ 1, continuous in u.

    By descending arithmetic-geometric means. Source: Abramowitz and Stegun, section 16.4; for m₁ = 0 the Gudermannian function.
    """
    u = np.asarray(u, dtype=float)
    if m1 == 0.0:
        return 2.0 * np.arctan(np.tanh(0.5 * u))
    means, ratios = [1.0], []
    b, c = math.sqrt(m1), math.sqrt(1.0 - m1)
    while abs(c) > 1e-9 * means[-1]:  # the next would be its square
        a = means[-1]
        means.append(0.5 * (a + b))
        b, c = math.sqrt(a * b), 0.5 * (a - b)
        ratios.append(c / means[-1])
    phase = 2.0 ** len(ratios) * means[-1] * u
    for ratio in reversed(ratios):
        phase = 0.5 * (phase + np.arcsin(ratio * np.sin(phase)))
    return phase


def sn_cn_dn(u: object, m1: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The functions sn, cn and dn of u, for 0 ≤ m₁ ≤ 1."""
    if m1 == 0.0:
        u = np.asarray(u, dtype=float)
        with np.errstate(over="ignore"):  # cosh of a large u is infinite, and its inverse zero
            falling = 1.0 / np.cosh(u)
        return np.tanh(u), falling, falling
    phase = amplitude(u, m1)
    sine, cosine = np.sin(phase), np.cos(phase)
    return sine, cosine, np.sqrt(cosine**2 + m1 * sine**2)


def quarter_period(m1: float) -> float:
    """K, the complete integral of the first kind; infinite for m₁ = 0."""
    return float(elliprf(0.0, m1, 1.0)) if m1 > 0.0 else math.inf


def first_kind(angle: float, m1: float) -> float:
    """F(angle) for any real angle, the inverse of `amplitude`; for m₁ = 0 between −π/2 and π/2, where it is infinite."""
    half_turns = round(angle / math.pi)
    rest = angle - half_turns * math.pi
    sine, cosine = math.sin(rest), math.cos(rest)
    whole = 2.0 * half_turns * quarter_period(m1) if half_turns else 0.0
    return whole + sine * float(elliprf(cosine**2, cosine**2 + m1 * sine**2, 1.0))


def integrals_from_zero(
    integrand: Callable[[FloatArray], FloatArray], times: Sequence[float] | FloatArray, panel: float
) -> FloatArray:
    """Integrals of a smooth function from 0 to each of `times`, by Gauss-Legendre quadrature on panels no longer than `panel`.

    The times need not be sorted and may be negative. Sums over the panels between them are shared, so that the work is proportional
    to the longest time and to the number of times. The integrand takes an array of shape (k,) and may return (..., k).
    """
    times = np.asarray(times, dtype=float)
    results: list[float | FloatArray] = [0.0] * len(times)
    for sign in (1.0, -1.0):
        chosen = np.flatnonzero(times >= 0.0 if sign > 0.0 else times < 0.0)
        total: float | FloatArray = 0.0
        start = 0.0
        for place in chosen[np.argsort(sign * times[chosen], kind="stable")]:
            end = times[place]
            edges = np.linspace(start, end, max(1, math.ceil(abs(end - start) / panel)) + 1)
            half, middle = 0.5 * np.diff(edges), 0.5 * (edges[1:] + edges[:-1])
            values = integrand((middle[:, None] + half[:, None] * _NODES).ravel())
            total = total + (values * (half[:, None] * _WEIGHTS).ravel()).sum(axis=-1)
            start, results[place] = end, total
    return np.array(results)
