"""Sine and cosine from + − × ÷ alone.

The C library's differ in the last bit from machine to machine, and keep the loop over bodies from vectorising.
"""

from .compiler import inlined

_TWO_OVER_PI = 0.6366197723675814
# π/2 in three parts, the first two with enough zero bits that k times them is exact for |k| < 2²⁰ (Cody and Waite's reduction).
_HALF_PI_HIGH = 1.5707963267341256  # leading 33 bits of π/2
_HALF_PI_MIDDLE = 6.077100506303966e-11  # next 33 bits
_HALF_PI_LOW = 2.0222662487959506e-21  # the rest
_ROUNDER = 6755399441055744.0  # 1.5 × 2⁵²: adding and subtracting it rounds to an integer


@inlined
def sine_cosine(angle: float) -> tuple[float, float]:
    """Sine and cosine of an angle [rad].

    Error: at most 1.9e-16 for |angle| < 1e6 (2e4 random angles against 40 digits); beyond, it grows with the angle.
    Source: Taylor series to the 17th and 16th power on |r| ≤ π/4, where the first term left out is below 1e-17.
    """
    shifted = angle * _TWO_OVER_PI + _ROUNDER
    k = shifted - _ROUNDER
    r = ((angle - k * _HALF_PI_HIGH) - k * _HALF_PI_MIDDLE) - k * _HALF_PI_LOW
    s = r * r
    sine_series = -1.0 / 1307674368000.0 + s * (1.0 / 355687428096000.0)
    sine_series = 1.0 / 6227020800.0 + s * sine_series
    sine_series = -1.0 / 39916800.0 + s * sine_series
    sine_series = 1.0 / 362880.0 + s * sine_series
    sine_series = -1.0 / 5040.0 + s * sine_series
    sine_series = 1.0 / 120.0 + s * sine_series
    sine_series = -1.0 / 6.0 + s * sine_series
    sine = r + r * (s * sine_series)
    cosine_series = -1.0 / 87178291200.0 + s * (1.0 / 20922789888000.0)
    cosine_series = 1.0 / 479001600.0 + s * cosine_series
    cosine_series = -1.0 / 3628800.0 + s * cosine_series
    cosine_series = 1.0 / 40320.0 + s * cosine_series
    cosine_series = -1.0 / 720.0 + s * cosine_series
    cosine_series = 1.0 / 24.0 + s * cosine_series
    cosine = 1.0 - 0.5 * s + s * s * cosine_series
    # quarter turns: k modulo 4 in floats, so that all lanes take the same path
    quarter = k - 4.0 * ((k * 0.25 - 0.375 + _ROUNDER) - _ROUNDER)
    odd = quarter == 1.0 or quarter == 3.0
    sine_out = cosine if odd else sine
    cosine_out = sine if odd else cosine
    sine_sign = -1.0 if quarter >= 2.0 else 1.0
    cosine_sign = -1.0 if quarter == 1.0 or quarter == 2.0 else 1.0
    return sine_sign * sine_out, cosine_sign * cosine_out
