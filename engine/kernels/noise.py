"""Random numbers as a pure function of a key and a place, with the same bits on every processor.

There is no generator with a state that each call changes. The number for a tick is computed from the number of that tick, so that it can be
drawn any number of times, in any order and for many ticks at once.
"""

import hashlib
from math import sqrt
from typing import NamedTuple

from ..compilation.compiler import inlined
from .exponential import _logarithm_as_sum
from .trigonometry import sine_cosine_in_range

Words = tuple[int, int, int, int]
"""Four integers from 0 to 2³² − 1."""

_WORD = 0xFFFFFFFF
_ROUNDS = 10
_TWO_PI = 6.283185307179586


class NoiseKey(NamedTuple):
    """What tells one source of noise from another, as three integers from 0 to 2³² − 1, which a float holds exactly."""

    first: int
    second: int
    third: int


def noise_key(seed: int, name: str) -> NoiseKey:
    """The key of a source of noise.

    Args:
        seed: Any integer.
        name: The name of the source; sources of one seed with different names are independent.

    Returns:
        96 bits of the SHA-256 hash of seed and name, the same on every machine.

    Example:
        >>> noise_key(1, "gyro") == noise_key(1, "gyro")
        True
        >>> noise_key(1, "gyro") == noise_key(1, "tracker")
        False
    """
    digest = hashlib.sha256(f"{seed} {name}".encode()).digest()
    return NoiseKey(*(int.from_bytes(digest[start : start + 4], "little") for start in (0, 4, 8)))


@inlined
def white_noise(key: NoiseKey, tick: int, pair: int) -> tuple[float, float]:
    """Two independent standard normal numbers.

    All numbers of different keys, ticks or pairs are independent. Key and tick may be arrays (see `array_forms.over_arrays`).

    Args:
        key: From `noise_key`.
        tick: Number of the tick, from 0 to 2⁵³.
        pair: Number of the pair in that tick, from 0 to 2³² − 1; pair k is channels 2k and 2k + 1.

    Returns:
        Two numbers with mean 0 and variance 1, of which the largest is 8.5.

    Source: Box and Muller (1958), from two uniform numbers of 52 bits each.

    Example:
        >>> white_noise(noise_key(1, "gyro"), 0, 0) == white_noise(noise_key(1, "gyro"), 0, 0)
        True
    """
    first, second = uniform(key, tick, pair)
    radius = sqrt(-2.0 * _logarithm_as_sum(first)[0])
    sine, cosine = sine_cosine_in_range(_TWO_PI * second)
    return radius * cosine, radius * sine


@inlined
def uniform(key: NoiseKey, tick: int, pair: int) -> tuple[float, float]:
    """Two independent numbers between 0 and 1, neither of which is reached: odd multiples of 2⁻⁵³."""
    a, b, c, d = philox((tick & _WORD, tick >> 32, pair, key[2]), (key[0], key[1]))
    first, second = (a >> 6) * 67108864 + (b >> 6), (c >> 6) * 67108864 + (d >> 6)
    return (first + 0.5) * 2.0**-52, (second + 0.5) * 2.0**-52


@inlined
def philox(counter: Words, key: tuple[int, int]) -> Words:
    """Four random words for a place and a key of two words.

    Source: Philox-4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011).
    """
    a, b, c, d = counter
    k, m = key
    for _ in range(_ROUNDS):
        high_a, low_a = _product(a, 0xD2511F53)
        high_c, low_c = _product(c, 0xCD9E8D57)
        a, b, c, d = high_c ^ b ^ k, low_c, high_a ^ d ^ m, low_a
        k, m = (k + 0x9E3779B9) & _WORD, (m + 0xBB67AE85) & _WORD
    return a, b, c, d


@inlined
def _product(a: int, b: int) -> tuple[int, int]:
    """High and low word of the product of two words, by halves, so that nothing exceeds 63 bits."""
    low = (a & 0xFFFF) * b
    upper = (a >> 16) * b + (low >> 16)
    return upper >> 16, ((upper & 0xFFFF) << 16) | (low & 0xFFFF)
