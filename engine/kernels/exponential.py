"""Exponential, logarithm and power, computed with + − × ÷ and without branches.

The results have the same bits on every processor, compiled or as plain Python.

Powers of two are products of selected constants and therefore exact. Only the last multiplication rounds, and only if the result is
subnormal. Coefficients are Chebyshev fits; the stated error of each fit is its contribution to the result.
"""

from math import inf, nan

from ..compilation.compiler import inlined

_LN2_HIGH = 0.6931471805592082  # leading 40 bits of ln 2; its product with an exponent is exact
_LN2_LOW = 7.371002565167799e-13  # the remainder of ln 2
_ONE_OVER_LN2 = 1.4426950408889634
_LARGEST = 709.782712893384  # the largest number whose exponential is finite
_SMALLEST = -746.0  # the exponential of this number and of any smaller one rounds to 0
_ROUNDER = 6755399441055744.0  # 1.5 × 2⁵²: adding and subtracting it rounds to an integer
_SPLITTER = 134217729.0  # 2²⁷ + 1, see `_leading_bits`


@inlined
def exponential(x: float) -> float:
    """Exponential eˣ.

    Args:
        x: Exponent, any number. Above 709.782712893384 the result is inf, below −745.14 it is 0, and nan gives nan.

    Returns:
        eˣ. The error is at most 0.65 ulp, and at most 0.8 ulp if the result is subnormal (4e5 random numbers, compared with 40 digits).

    Example:
        >>> exponential(1.0)
        2.718281828459045
    """
    return _exponential_of_sum(x, 0.0)


@inlined
def logarithm(x: float) -> float:
    """Natural logarithm ln x.

    Args:
        x: Any number. The logarithm of 0 is −inf, and the logarithm of inf is inf. A negative number or nan gives nan.

    Returns:
        ln x. The error is at most 0.52 ulp (4e5 random numbers, including subnormal numbers, compared with 40 digits).

    Example:
        >>> logarithm(10.0)
        2.302585092994046
    """
    regular = x if x > 0.0 and x < inf else 1.0
    high, _ = _logarithm_as_sum(regular)
    special = inf if x > 0.0 else (-inf if x == 0.0 else nan)
    return high if x > 0.0 and x < inf else special


@inlined
def power(base: float, exponent: float) -> float:
    """Power of a non-negative base, for any exponent.

    Args:
        base: A number from 0 to inf. A negative base gives nan; use multiplication for integer powers of negative numbers.
        exponent: Any number. The exponent 0 gives 1.

    Returns:
        The power, which is inf on overflow and 0 on underflow. The error is at most 2 ulp if the result is between 1e-20 and 1e20, and at
        most 30 ulp elsewhere (4e5 random pairs, compared with 40 digits).

    Example:
        >>> power(9.0, 1.5)
        27.0
    """
    regular = base if base > 0.0 and base < inf else 1.0
    high, low = _logarithm_as_sum(regular)
    # For exponents beyond ±1e20 the result is 0, 1 or inf, and the splitting below would overflow.
    y = 1e20 if exponent > 1e20 else (-1e20 if exponent < -1e20 else exponent)
    # the product y ln(base) as the sum of a rounded number and its rounding error
    y_leading, high_leading = _leading_bits(y), _leading_bits(high)
    product = y_leading * high_leading
    rest = (y - y_leading) * high_leading + y * (low + (high - high_leading))
    total = product + rest
    result = _exponential_of_sum(total, rest - (total - product))
    # special bases and exponents
    at_zero, at_infinity = (0.0, inf) if exponent > 0.0 else (inf, 0.0)
    result = at_zero if base == 0.0 else result
    result = at_infinity if base == inf else result
    result = result if base >= 0.0 and exponent == exponent else nan
    return 1.0 if exponent == 0.0 else result


@inlined
def _exponential_of_sum(x: float, rest: float) -> float:
    """``e^(x + rest)`` for a rest that is small compared with 1.

    Source: ``x = k ln 2 + r`` with an integer k and ``|r| ≤ ln 2/2``, ``eˣ = 2ᵏ eʳ``; Chebyshev fit of ``(eʳ − 1 − r)/r²``, error 3e-19.
    """
    # reduction: r and the part of it that is lost by rounding
    z = _LARGEST if x > _LARGEST else (_SMALLEST if x < _SMALLEST else x)
    k = (z * _ONE_OVER_LN2 + _ROUNDER) - _ROUNDER
    leading, trailing = z - k * _LN2_HIGH, k * _LN2_LOW - rest
    r = leading - trailing
    lost = (leading - r) - trailing
    # (eʳ − 1 − r)/r²
    series = 2.5105255016063825e-08 + r * 2.0916860635231786e-09
    series = 2.7557267771532297e-07 + r * series
    series = 2.7557255308812516e-06 + r * series
    series = 2.4801587331028466e-05 + r * series
    series = 0.0001984126987489273 + r * series
    series = 0.0013888888888881695 + r * series
    series = 0.008333333333326115 + r * series
    series = 0.04166666666666667 + r * series
    series = 0.1666666666666667 + r * series
    series = 0.5 + r * series
    # eʳ, with the rounding errors of 1 + r and of the reduction added back
    near = 1.0 + r
    fraction = near + ((r - (near - 1.0)) + (r * r * series + lost))
    # 2ᵏ as a product of two powers, the smaller exponent from -538 to 512, because 2ᵏ may overflow or underflow where the result does not
    half = (k * 0.5 - 0.25 + _ROUNDER) - _ROUNDER
    power = _power_of_two(half)
    other = 2.0 * power if k - half > half else power
    result = 0.0 if x < _SMALLEST else fraction * power * other
    return inf if x > _LARGEST else result


@inlined
def _power_of_two(exponent: float) -> float:
    """2 to an integer power from −538 to 512, exact."""
    rest, power = (exponent + 538.0, 2.0**-538) if exponent < 0.0 else (exponent, 1.0)
    rest, power = (rest - 512.0, power * 2.0**512) if rest >= 512.0 else (rest, power)
    rest, power = (rest - 256.0, power * 2.0**256) if rest >= 256.0 else (rest, power)
    rest, power = (rest - 128.0, power * 2.0**128) if rest >= 128.0 else (rest, power)
    rest, power = (rest - 64.0, power * 2.0**64) if rest >= 64.0 else (rest, power)
    rest, power = (rest - 32.0, power * 2.0**32) if rest >= 32.0 else (rest, power)
    rest, power = (rest - 16.0, power * 65536.0) if rest >= 16.0 else (rest, power)
    rest, power = (rest - 8.0, power * 256.0) if rest >= 8.0 else (rest, power)
    rest, power = (rest - 4.0, power * 16.0) if rest >= 4.0 else (rest, power)
    rest, power = (rest - 2.0, power * 4.0) if rest >= 2.0 else (rest, power)
    return power * 2.0 if rest >= 1.0 else power


@inlined
def _logarithm_as_sum(x: float) -> tuple[float, float]:
    """ln x of a positive finite number as a sum whose second term is below the rounding of the first; relative error 2⁻⁵⁸.

    Source: ``x = 2ᵉ m`` with m between √½ and √2, ``ln m = 2 artanh s`` with ``s = (m − 1)/(m + 1)`` in double-double precision; Chebyshev
    fit of ``(2 artanh s − 2 s)/s³`` in s², error 5e-19.
    """
    # reduction: s = f/g as a sum of leading bits and a trailing part
    exponent, m = _exponent_and_fraction(x)
    f, g = m - 1.0, m + 1.0
    inverse = 1.0 / g
    leading = _leading_bits(f * inverse)
    g_leading = _leading_bits(g)
    # the remainder of f after division by the leading bits of s; both products are exact
    trailing = ((f - leading * g_leading) - leading * (m - (g_leading - 1.0))) * inverse
    # (2 artanh s − 2 s)/s³
    s = leading + trailing
    z = s * s
    series = 0.13268746195596595 + z * 0.13086907887965027
    series = 0.15386240708969665 + z * series
    series = 0.18181795621632782 + z * series
    series = 0.22222222391887064 + z * series
    series = 0.2857142857080285 + z * series
    series = 0.4000000000000088 + z * series
    series = 0.6666666666666666 + z * series
    # e ln 2 + 2 s + the series, summed with the rounding error kept in the second term
    scale = exponent * _LN2_HIGH
    high = scale + 2.0 * leading
    lost = 2.0 * leading - (high - scale)
    low = lost + (2.0 * trailing + (s * z * series + exponent * _LN2_LOW))
    total = high + low
    return total, low - (total - high)


@inlined
def _exponent_and_fraction(x: float) -> tuple[float, float]:
    """The integer e and the number m between √½ and √2 with ``x = 2ᵉ m``, for a positive finite number; exact."""
    e, m = (-537.0, x * 2.0**537) if x < 1.0 else (0.0, x)
    e, m = (e - 537.0, m * 2.0**537) if m < 1.0 else (e, m)
    e, m = (e + 512.0, m * 2.0**-512) if m >= 2.0**512 else (e, m)
    e, m = (e + 256.0, m * 2.0**-256) if m >= 2.0**256 else (e, m)
    e, m = (e + 128.0, m * 2.0**-128) if m >= 2.0**128 else (e, m)
    e, m = (e + 64.0, m * 2.0**-64) if m >= 2.0**64 else (e, m)
    e, m = (e + 32.0, m * 2.0**-32) if m >= 2.0**32 else (e, m)
    e, m = (e + 16.0, m * 2.0**-16) if m >= 65536.0 else (e, m)
    e, m = (e + 8.0, m * 2.0**-8) if m >= 256.0 else (e, m)
    e, m = (e + 4.0, m * 0.0625) if m >= 16.0 else (e, m)
    e, m = (e + 2.0, m * 0.25) if m >= 4.0 else (e, m)
    e, m = (e + 1.0, m * 0.5) if m >= 1.4142135623730951 else (e, m)
    return (e + 1.0, m * 0.5) if m >= 1.4142135623730951 else (e, m)


@inlined
def _leading_bits(x: float) -> float:
    """The number rounded to its leading 26 bits; the product of two such numbers is exact. Source: Veltkamp's splitting."""
    scaled = _SPLITTER * x
    return scaled - (scaled - x)
