"""The scalar functions on whole arrays: the same code, with NumPy's functions in place of Python's, and so the same bits.

What Python and NumPy do with one float and with each float of an array is the same for + − × ÷, the absolute value, the square root and
comparisons. Sine and cosine are computed here from the same series as in `trigonometry`, and a number is split into exponent and fraction
for the logarithm by NumPy, which is exact.
"""

from collections.abc import Callable
from functools import cache, reduce
from math import sqrt
from types import FunctionType

import numpy as np

from ..compilation.compiler import plain
from ..compilation.kernel_types import Kernel
from ..kernels.exponential import _exponent_and_fraction
from ..kernels.selection import choose
from ..kernels.trigonometry import LARGEST_ANGLE, _from_nearest_quarter, sine_cosine_in_range
from .columns import Array

_BITS = 1200
"""Binary places of the multiples of 2π: 1024 for the largest float, 53 for the digits of what is left, and plenty."""


@cache
def over_arrays(function: Callable[..., object]) -> Kernel:
    """A scalar function that takes arrays of components instead of floats.

    Args:
        function: What is `inlined` and does not branch on a value, but uses `choose`, `max` and `&`. All that it calls must be alike.
    """
    if function in _FORMS:
        return _FORMS[function]
    if isinstance(function, type) and issubclass(function, tuple):
        return function  # a named tuple, of arrays as well as of floats
    source = plain(function)
    if not isinstance(source, FunctionType):
        raise TypeError(f"{function!r} has no form for arrays")
    known = {"max": max, **source.__globals__}
    read = [name for name in source.__code__.co_names if callable(known.get(name))]
    forms = {name: over_arrays(known[name]) for name in read}
    return FunctionType(source.__code__, {**source.__globals__, **forms}, source.__name__, None, source.__closure__)


def _sine_cosine(angle: Array) -> tuple[Array, Array]:
    """`trigonometry.sine_cosine`, for angles [rad] of any size: at most 4e-16 off where they are brought within a turn first."""
    angle = np.asarray(angle)
    if not (np.abs(angle) <= LARGEST_ANGLE).all():
        angle = np.array([_within_a_turn(each) for each in angle.ravel().tolist()]).reshape(angle.shape)
    k, sine, cosine = over_arrays(_from_nearest_quarter)(angle)
    quarter = k.astype(np.int64) & 3
    odd = (quarter & 1).astype(bool)
    sine_sign = np.where(quarter >= 2, -1.0, 1.0)
    cosine_sign = np.where((quarter == 1) | (quarter == 2), -1.0, 1.0)
    return sine_sign * np.where(odd, cosine, sine), cosine_sign * np.where(odd, sine, cosine)


def _within_a_turn(angle: float) -> float:
    """The angle itself or, of a large one, what is left of it after whole turns, from −π to π and rounded once."""
    if abs(angle) <= LARGEST_ANGLE:
        return angle
    numerator, denominator = angle.as_integer_ratio()
    turn = _scaled_turn()
    left = (numerator << _BITS) // denominator % turn
    return (left if 2 * left < turn else left - turn) / (1 << _BITS)


def _halved_until_near_one(x: Array) -> tuple[Array, Array]:
    """`exponential._exponent_and_fraction`, for positive finite numbers."""
    fraction, exponent = np.frexp(x)
    is_small = fraction < 0.7071067811865476  # half of the largest fraction, which is exact
    return np.where(is_small, exponent - 1.0, exponent), np.where(is_small, 2.0 * fraction, fraction)


@cache
def _scaled_turn() -> int:
    """2π × 2^1200, by Machin's formula, π/4 = 4 arccot 5 − arccot 239."""

    def arc_cotangent(x: int) -> int:
        total = place = (1 << (_BITS + 32)) // x
        divisor, square = 1, x * x
        while place:
            place, divisor = -place // square, divisor + 2
            total += place // divisor
        return total

    return (8 * (4 * arc_cotangent(5) - arc_cotangent(239))) >> 32


_FORMS: dict[object, Callable[..., object]] = {
    choose: np.where,
    max: lambda *values: reduce(np.maximum, values),
    sine_cosine_in_range: _sine_cosine,
    _exponent_and_fraction: _halved_until_near_one,
    sqrt: np.sqrt,
}
