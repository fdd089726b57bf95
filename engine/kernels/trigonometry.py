"""Sine, cosine and arc tangent, computed with + − × ÷.

The functions of the C library differ in the last bit between machines, and loops that call them do not vectorise.
"""

from math import nan

from ..compilation.compiler import inlined
from .selection import choose

LARGEST_ANGLE = 1e6
"""Angle [rad] up to which `sine_cosine` is as exact as it says."""

_TAN_PI_8 = 0.4142135623730951
_TWO_OVER_PI = 0.6366197723675814
# π/2 in three parts. The first two have enough zero bits that their products with k are exact for |k| < 2²⁰ (Cody and Waite's reduction).
_HALF_PI_HIGH = 1.5707963267341256  # leading 33 bits of π/2
_HALF_PI_MIDDLE = 6.077100506303966e-11  # next 33 bits
_HALF_PI_LOW = 2.0222662487959506e-21  # the remainder
_ROUNDER = 6755399441055744.0  # 1.5 × 2⁵²: adding and subtracting it rounds to an integer


@inlined
def sine_cosine(angle: float) -> tuple[float, float]:
    """Sine and cosine of an angle [rad].

    The error is at most 1.7e-16 for ``|angle| < 1e6`` (2e4 random angles, compared with 40 digits). For larger angles it grows with the
    angle.
    """
    k, sine, cosine = _from_nearest_quarter(angle)
    # k modulo 4, computed in floats, so that the loop vectorises
    quarter = k - 4.0 * ((k * 0.25 - 0.375 + _ROUNDER) - _ROUNDER)
    # select sine or cosine and the signs by the quadrant
    odd = quarter == 1.0 or quarter == 3.0
    sine_out = cosine if odd else sine
    cosine_out = sine if odd else cosine
    sine_sign = -1.0 if quarter >= 2.0 else 1.0
    cosine_sign = -1.0 if quarter == 1.0 or quarter == 2.0 else 1.0
    return sine_sign * sine_out, cosine_sign * cosine_out


@inlined
def sine_cosine_in_range(angle: float) -> tuple[float, float]:
    """The same for an angle up to `LARGEST_ANGLE`, nan beyond: see `array_forms`, which brings larger ones within a turn."""
    return sine_cosine(angle if abs(angle) <= LARGEST_ANGLE else nan)


@inlined
def sine_cosine_of_half(half_angle: float) -> tuple[float, float]:
    """Sine and cosine of the half angle of a rotation, up to a common sign.

    The common sign does not matter, because q and −q are the same rotation. This needs half as many comparisons as `sine_cosine`.
    """
    k, sine, cosine = _from_nearest_quarter(half_angle)
    odd = k - 2.0 * ((k * 0.5 + _ROUNDER) - _ROUNDER) != 0.0
    return cosine if odd else sine, -sine if odd else cosine


@inlined
def sine_of_arc(angle: float) -> float:
    """Sine of an angle [rad] from −π/2 to π/2; error at most 2.2e-16 (2e4 random angles, compared with 40 digits).

    Source: Chebyshev fit of ``(sin r / r − 1)/r²`` in r² on ``|r| ≤ π/2``, error 2e-18.
    """
    return angle + angle * _sine_series(angle * angle)


def sine_over_arc(angle: float) -> float:
    """sin(x)/x of an angle [rad] within a quarter turn of zero, 1 at zero; error at most 2.2e-16, from `sine_of_arc`."""
    return 1.0 + _sine_series(angle * angle)


@inlined
def _sine_series(s: float) -> float:
    """sin r / r − 1 of s = r²."""
    series = -7.64395762890072e-13 + s * 2.7312869702054162e-15
    series = 1.6058976915293983e-10 + s * series
    series = -2.5052107610864233e-08 + s * series
    series = 2.7557319219115034e-06 + s * series
    series = -0.00019841269841254795 + s * series
    series = 0.008333333333333316 + s * series
    series = -0.16666666666666666 + s * series
    return s * series


@inlined
def arc_tangent(x: float) -> float:
    """Arc tangent [rad] of a number from 0 to 1; error at most 1.5e-16 (2e4 numbers, compared with 40 digits).

    Source: Chebyshev fit on ``|r| ≤ tan(π/8)``, error 6e-18; arguments above tan(π/8) are reduced by the addition theorem, as the
    difference from π/4.
    """
    steep = x > _TAN_PI_8
    r = (x - 1.0) / (x + 1.0) if steep else x
    return (0.7853981633974483 if steep else 0.0) + (r + r * _arc_series(r * r))


@inlined
def arc(sine: float, cosine: float) -> float:
    """Angle [rad] from 0 to π/2 of the point (cosine, sine) of the first quadrant, at any distance from the origin but zero.

    Error: at most 2.5e-16, and 3e-16 of itself where it is small.
    Source: the addition theorem from the nearest of 0, π/4 and π/2, and the series of `arc_tangent`.
    """
    shallow, steep = sine <= _TAN_PI_8 * cosine, cosine <= _TAN_PI_8 * sine
    over = choose(shallow, sine, choose(steep, -cosine, sine - cosine))
    under = choose(shallow, cosine, choose(steep, sine, sine + cosine))
    r = over / under
    return choose(shallow, 0.0, choose(steep, 1.5707963267948966, 0.7853981633974483)) + (r + r * _arc_series(r * r))


@inlined
def _arc_series(s: float) -> float:
    """arctan r / r − 1 of s = r²."""
    series = 0.0392074453205456 + s * -0.01914726376323698
    series = -0.05084610777582189 + s * series
    series = 0.058579884306572266 + s * series
    series = -0.06664492955081326 + s * series
    series = 0.07692181876696624 + s * series
    series = -0.09090904521500148 + s * series
    series = 0.1111111101386139 + s * series
    series = -0.1428571428464918 + s * series
    series = 0.19999999999995438 + s * series
    series = -0.3333333333333333 + s * series
    return s * series


@inlined
def _from_nearest_quarter(angle: float) -> tuple[float, float, float]:
    """Return the nearest number k of whole quarter turns, and the sine and cosine of the remaining angle r.

    Source: Chebyshev fits of ``(sin r / r − 1)/r²`` and ``(cos r − 1 + r²/2)/r⁴`` in r² on ``|r| ≤ π/4``, errors 2e-17 and 2e-18.
    """
    k = (angle * _TWO_OVER_PI + _ROUNDER) - _ROUNDER
    r = ((angle - k * _HALF_PI_HIGH) - k * _HALF_PI_MIDDLE) - k * _HALF_PI_LOW
    s = r * r
    sine_series = -2.505112794596564e-08 + s * 1.591784866512194e-10
    sine_series = 2.755731608382574e-06 + s * sine_series
    sine_series = -0.00019841269836722437 + s * sine_series
    sine_series = 0.008333333333330925 + s * sine_series
    sine_series = -0.16666666666666666 + s * sine_series
    cosine_series = 2.0876143829213935e-09 + s * -1.1382456865840483e-11
    cosine_series = -2.755731726001471e-07 + s * cosine_series
    cosine_series = 2.480158729874308e-05 + s * cosine_series
    cosine_series = -0.0013888888888887382 + s * cosine_series
    cosine_series = 0.041666666666666664 + s * cosine_series
    return k, r + r * (s * sine_series), 1.0 - 0.5 * s + s * s * cosine_series
