"""Noise: the published answers of the generator, the distribution, independence, and the same bits in every form."""

import math

import numpy as np
import pytest

from engine.compilation.compiler import kernel
from engine.kernels.exponential import _logarithm_as_sum, logarithm
from engine.kernels.noise import noise_key, philox, uniform, white_noise
from engine.loops.array_forms import over_arrays

COUNT = 200_000
KEY = noise_key(7, "gyro")


def normals(key=KEY, count=COUNT, pair=0, start=0):
    """Both numbers of a pair over ticks, shape (2, count)."""
    return np.array(over_arrays(white_noise)(key, np.arange(start, start + count), pair))


@pytest.mark.parametrize(
    ("counter", "key", "answer"),
    [
        ((0, 0, 0, 0), (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ((2**32 - 1,) * 4, (2**32 - 1,) * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ],
)
def test_words_are_those_published_with_the_generator(counter, key, answer):
    """Known answers of philox4x32 with ten rounds in the Random123 library: zeros, ones, and digits of π."""
    assert [f"{word:08x}" for word in philox(counter, key)] == answer.split()


def test_keys_are_the_same_on_every_machine():
    """The first 96 bits of SHA-256 of "7 gyro", as `sha256sum` writes them."""
    assert b"".join(word.to_bytes(4, "little") for word in KEY).hex() == "17ed746bd828a6c59543a60b"


def test_uniform_numbers_stay_off_zero_and_one():
    """52 bits and a half: the words 0 and 2³² − 1 give 2⁻⁵³ and 1 − 2⁻⁵³, whose logarithms are finite and negative."""
    first, second = uniform(KEY, 3, 0)
    assert 0.0 < first < 1.0
    assert (first * 2.0**53) % 2.0 == 1.0 == (second * 2.0**53) % 2.0


def test_moments_are_those_of_the_normal_distribution():
    """Mean 0, variance 1, skewness 0, kurtosis 3, each within four standard errors of 4e5 samples."""
    z, count = normals().ravel(), 2 * COUNT
    assert abs(z.mean()) < 4.0 / math.sqrt(count)
    assert abs(z.var() - 1.0) < 4.0 * math.sqrt(2.0 / count)
    assert abs((z**3).mean()) < 4.0 * math.sqrt(15.0 / count)
    assert abs((z**4).mean() - 3.0) < 4.0 * math.sqrt(96.0 / count)


def test_distribution_is_normal():
    """Kolmogorov and Smirnov's distance from the normal distribution is exceeded by chance in 1 case of 1000 at 1.95/√n."""
    stats = pytest.importorskip("scipy.stats")
    for z in normals():
        assert stats.kstest(z, "norm").statistic < 1.95 / math.sqrt(COUNT)


def test_tail_reaches_as_far_as_it_should():
    """Of 4e5 samples, 4e5 · 2 (1 − Φ(4)) = 25.3 are beyond four; chance leaves between 10 and 45."""
    assert 10 < (np.abs(normals()) > 4.0).sum() < 45


@pytest.mark.parametrize(
    "draw",
    [
        normals,
        lambda: (normals()[0, :-1], normals()[0, 1:]),
        lambda: (normals()[0], normals(pair=1)[0]),
        lambda: (normals()[0], normals(noise_key(8, "gyro"))[0]),
        lambda: (normals()[0], normals(noise_key(7, "gyro 2"))[0]),
        lambda: (normals()[0], normals(start=2**32)[0]),
    ],
    ids=["channels", "ticks", "pairs", "seeds", "names", "2³² ticks apart"],
)
def test_neighbours_are_independent(draw):
    """Correlations of the numbers, and of their squares, are within four standard errors of zero."""
    first, second = draw()
    count = len(first)
    assert abs((first * second).mean()) < 4.0 / math.sqrt(count)
    assert abs(((first**2 - 1.0) * (second**2 - 1.0)).mean()) < 4.0 * 2.0 / math.sqrt(count)


def test_noise_is_a_function_of_its_place():
    """Drawn again, backwards and alone, the numbers are the same; the literals are for every machine."""
    forwards = normals(count=100).T.tolist()
    assert [list(white_noise(KEY, tick, 0)) for tick in reversed(range(100))] == forwards[::-1]
    assert [x.hex() for x in white_noise(KEY, 0, 0) + white_noise(KEY, 2**40 + 5, 2)] == [
        "0x1.4b79b7d8ec33cp+0",
        "0x1.749beca64018dp-1",
        "0x1.a6641c8a94ceep-3",
        "-0x1.3cd75ea24c28dp+0",
    ]


def test_formula_is_that_of_box_and_muller():
    u, v = uniform(KEY, 11, 4)
    radius = math.sqrt(-2.0 * math.log(u))
    expected = (radius * math.cos(2.0 * math.pi * v), radius * math.sin(2.0 * math.pi * v))
    assert white_noise(KEY, 11, 4) == pytest.approx(expected, rel=1e-14)


def test_logarithm_over_arrays_has_the_same_bits():
    """NumPy splits a number into exponent and fraction where the scalar function halves it; this includes the edges of the fraction."""
    edges = [
        1.0,
        2.0**0.5,
        0.5**0.5,
        np.nextafter(2.0**0.5, 0.0),
        np.nextafter(0.5**0.5, 1.0),
        5e-324,
        1.7e308,
        2.0**-1022,
    ]
    x = np.concatenate([np.array(edges), np.random.default_rng(3).lognormal(0.0, 60.0, 2000)])
    high, _ = over_arrays(_logarithm_as_sum)(x)
    assert high.tolist() == [logarithm(number) for number in x.tolist()]


@kernel("noise_of_ticks")
def _noise_of_ticks(out, first, second, third):
    for tick in range(out.shape[1]):
        a, b = white_noise((first, second, third), tick, 1)
        out[0, tick] = a
        out[1, tick] = b
    return 0


def test_compiled_noise_has_the_same_bits():
    out = np.empty((2, 500))
    _noise_of_ticks(out, *KEY)
    assert out.tolist() == normals(count=500, pair=1).tolist()
