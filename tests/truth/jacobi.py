"""Jacobi's elliptic functions with the complementary parameter m₁ = 1 − m, so that they keep their digits as m goes to 1.

`scipy.special.ellipj` takes m itself: at m₁ = 1e-10 the rounding of m alone moves the period in the seventh digit.
"""

import math

import numpy as np
from scipy.special import elliprf


def sn_cn_dn(u, m1):
    """sn, cn and dn of u for 0 < m₁ ≤ 1, by descending arithmetic-geometric means (Abramowitz and Stegun 16.4)."""
    means, ratios = [1.0], []
    b, c = math.sqrt(m1), math.sqrt(1.0 - m1)
    while abs(c) > 1e-9 * means[-1]:  # the next would be its square
        a = means[-1]
        means.append(0.5 * (a + b))
        b, c = math.sqrt(a * b), 0.5 * (a - b)
        ratios.append(c / means[-1])
    phase = 2.0 ** len(ratios) * means[-1] * np.asarray(u, dtype=float)
    for ratio in reversed(ratios):
        phase = 0.5 * (phase + np.arcsin(ratio * np.sin(phase)))
    sine, cosine = np.sin(phase), np.cos(phase)
    return sine, cosine, np.sqrt(cosine**2 + m1 * sine**2)


def quarter_period(m1):
    """K, the complete integral of the first kind."""
    return float(elliprf(0.0, m1, 1.0))


def first_kind(angle, m1):
    """F(angle), for any real angle: the inverse of the amplitude of `sn_cn_dn`."""
    half_turns = round(angle / math.pi)
    rest = angle - half_turns * math.pi
    sine, cosine = math.sin(rest), math.cos(rest)
    return 2.0 * half_turns * quarter_period(m1) + sine * float(elliprf(cosine**2, cosine**2 + m1 * sine**2, 1.0))


NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)


def integral_from_zero(integrand, times, panel):
    """Integrals of a smooth function from 0 to each of `times`, by Gauss-Legendre panels no longer than `panel`.

    `times` need not be sorted and may be negative. The integrand takes an array and may return one of shape (..., n).
    """
    results = []
    for time in times:
        count = max(1, math.ceil(abs(time) / panel))
        edges = np.linspace(0.0, time, count + 1)
        half = 0.5 * (edges[1:] - edges[:-1])
        middle = 0.5 * (edges[1:] + edges[:-1])
        values = integrand((middle[:, None] + half[:, None] * NODES).ravel())
        results.append((values * (half[:, None] * WEIGHTS).ravel()).sum(axis=-1))
    return np.array(results)
