"""The functions for user-defined fields: their accuracy, their limits, and one result however they are run."""

import doctest
import hashlib
import inspect
import math
import platform
import random
import re
import struct
import sys
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import scalar
from engine.compilation.compiler import COMPILED, inlined, kernel, use_widest_vectors
from tests.kernels.test_kernels import MULTIPLICATIONS

from ..lengths import sized
from ..plain_python import elsewhere, in_plain_python

ROOT = Path(__file__).parents[2]
EXACT = Context(prec=40, Emin=-(10**6), Emax=10**6)
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")
needs_numba = pytest.mark.skipif(not COMPILED, reason="nothing is compiled: numba is missing or switched off")

finite = st.floats(allow_nan=False, allow_infinity=False)
moderate = st.floats(-1e3, 1e3)
vectors = st.tuples(moderate, moderate, moderate)
quaternions = st.tuples(*[st.floats(-1.0, 1.0)] * 4)


def ulps(found, true):
    """Error in units of the distance between floats at the true value."""
    if math.isinf(found):
        return 0.0 if abs(true) > Decimal(sys.float_info.max) else math.inf
    return float(abs(Decimal(found) - true) / Decimal(math.ulp(float(true))))


def exact_sine(angle):
    x = Decimal(angle) % (2 * PI)
    term = total = x
    count = 1
    while abs(term) > Decimal("1e-45"):
        count += 2
        term = -term * x * x / (count * (count - 1))
        total += term
    return total


# elementary functions against 40 digits


@given(st.floats(-745.2, 709.78))
def test_exponential(x):
    with localcontext(EXACT):
        assert ulps(scalar.exponential(x), Decimal(x).exp()) <= (0.65 if x > -708.3 else 0.8)


@given(st.floats(0.0, exclude_min=True, allow_infinity=False))
def test_logarithm(x):
    with localcontext(EXACT):
        assert ulps(scalar.logarithm(x), Decimal(x).ln()) <= 0.53


@given(st.floats(0.0, exclude_min=True, allow_infinity=False), st.floats(-746.0, 709.7))
def test_power(base, target):
    """Exponents for which the result is anywhere in the range of floats."""
    with localcontext(EXACT):
        logarithm = Decimal(base).ln()
        exponent = float(Decimal(target) / logarithm) if base != 1.0 else target
        if math.isinf(exponent):
            return
        limit = 2.0 if abs(target) < 46.0 else 30.0
        assert ulps(scalar.power(base, exponent), (logarithm * Decimal(exponent)).exp()) <= limit


@given(st.floats(0.0, allow_infinity=False))
def test_sqrt(x):
    with localcontext(EXACT):
        assert ulps(scalar.sqrt(x), Decimal(x).sqrt()) <= 0.5


@given(st.floats(-1e6, 1e6), st.floats(-1e9, 1e9))
def test_sine_and_cosine(near, far):
    with localcontext(Context(prec=60)):
        for angle, limit in ((near, 1.7e-16), (far, max(1.7e-16, math.ulp(far)))):
            sine, cosine = scalar.sine_cosine(angle)
            assert abs(Decimal(sine) - exact_sine(angle)) <= Decimal(limit)
            assert abs(Decimal(cosine) - exact_sine(Decimal(angle) + PI / 2)) <= Decimal(limit)
            assert (scalar.sine(angle), scalar.cosine(angle)) == (sine, cosine)


def test_random_numbers_of_every_size_against_40_digits():
    """More numbers than the tests above draw, with those where each formula is at its worst."""
    generator = random.Random(9)
    with localcontext(EXACT):
        for _ in range(2000):
            x = generator.choice((-1, 1)) * 10.0 ** generator.uniform(-20.0, 2.85)
            assert ulps(scalar.exponential(x), Decimal(x).exp()) <= (0.65 if x > -708.3 else 0.8)
            near_one = 1.0 + generator.choice((-1, 1)) * 2.0 ** generator.uniform(-53.0, -1.0)
            for x in (near_one, generator.uniform(0.5, 2.0), generator.randrange(1, 2**52) * 5e-324):
                assert ulps(scalar.logarithm(x), Decimal(x).ln()) <= 0.53


# limits

LIMITS = [
    (scalar.exponential, -math.inf, 0.0),
    (scalar.exponential, -1e308, 0.0),
    (scalar.exponential, -745.2, 0.0),
    (scalar.exponential, -745.13, 5e-324),
    (scalar.exponential, -0.0, 1.0),
    (scalar.exponential, 0.0, 1.0),
    (scalar.exponential, 5e-324, 1.0),
    (scalar.exponential, 709.782712893384, 1.7976931348622732e308),
    (scalar.exponential, 709.7827128933841, math.inf),
    (scalar.exponential, math.inf, math.inf),
    (scalar.logarithm, 0.0, -math.inf),
    (scalar.logarithm, -0.0, -math.inf),
    (scalar.logarithm, 5e-324, -744.4400719213812),
    (scalar.logarithm, 1.0, 0.0),
    (scalar.logarithm, sys.float_info.max, 709.782712893384),
    (scalar.logarithm, math.inf, math.inf),
    (scalar.logarithm, -1.0, math.nan),
    (scalar.logarithm, -5e-324, math.nan),
    (scalar.logarithm, -math.inf, math.nan),
    (scalar.sqrt, -0.0, -0.0),
    (scalar.sqrt, math.inf, math.inf),
    (scalar.sqrt, -1.0, math.nan),
    (scalar.sqrt, -math.inf, math.nan),
    (scalar.sine, 0.0, 0.0),
    (scalar.sine, 1.1e9, math.nan),
    (scalar.cosine, 0.0, 1.0),
    (scalar.cosine, -math.inf, math.nan),
    *[(function, math.nan, math.nan) for function in (scalar.exponential, scalar.logarithm, scalar.sqrt, scalar.sine)],
]
POWERS = [
    (0.0, 0.0, 1.0),
    (0.0, 2.0, 0.0),
    (0.0, -2.0, math.inf),
    (-0.0, 0.5, 0.0),
    (1.0, 1e308, 1.0),
    (1.0, math.inf, 1.0),
    (math.nan, 0.0, 1.0),
    (-2.0, 0.0, 1.0),
    (-2.0, 2.0, math.nan),
    (math.nan, 1.0, math.nan),
    (2.0, math.nan, math.nan),
    (0.0, math.nan, math.nan),
    (2.0, 1024.0, math.inf),
    (2.0, 1023.0, 2.0**1023),
    (2.0, -1074.0, 5e-324),
    (2.0, -1076.0, 0.0),
    (0.5, math.inf, 0.0),
    (0.5, -math.inf, math.inf),
    (math.inf, 2.0, math.inf),
    (math.inf, -2.0, 0.0),
    (math.inf, math.inf, math.inf),
    (1.0000000000000002, 1e308, math.inf),
]


def bits(x):
    return b"nan" if x != x else struct.pack("<d", x)


@pytest.mark.parametrize(("function", "x", "expected"), LIMITS)
def test_limits(function, x, expected):
    assert bits(function(x)) == bits(expected)


@pytest.mark.parametrize(("base", "exponent", "expected"), POWERS)
def test_limits_of_power(base, exponent, expected):
    assert bits(scalar.power(base, exponent)) == bits(expected)


@given(st.integers(-1074, 1023))
def test_whole_powers_of_two_are_exact(exponent):
    assert scalar.power(2.0, float(exponent)) == math.ldexp(1.0, exponent)


@given(st.floats(-740.0, 700.0))
def test_the_exponential_grows_from_each_float_to_the_next(x):
    """At the seams of the powers of two, too."""
    seam = round(x / math.log(2.0)) * math.log(2.0) + math.log(2.0) / 2.0
    for start in (x, seam):
        assert scalar.exponential(start) <= scalar.exponential(math.nextafter(start, math.inf))


# vectors and quaternions against rational numbers


def largest_error(found, true):
    return max(abs(Fraction(x) - y) for x, y in zip(found, true, strict=True))


def fractions(a):
    return [Fraction(x) for x in a]


@given(vectors, vectors, moderate)
def test_vectors(a, b, factor):
    x, y, f = fractions(a), fractions(b), Fraction(factor)
    assert scalar.add(a, b) == tuple(float(p + q) for p, q in zip(x, y, strict=True))
    assert scalar.subtract(a, b) == tuple(float(p - q) for p, q in zip(x, y, strict=True))
    assert scalar.scale(factor, a) == tuple(float(f * p) for p in x)
    sizes = [abs(p) + abs(f * q) for p, q in zip(x, y, strict=True)]
    sums = [p + f * q for p, q in zip(x, y, strict=True)]
    assert largest_error(scalar.add_scaled(a, factor, b), sums) <= Fraction(3e-16) * max(sizes) + Fraction(1e-300)
    products = [p * q for p, q in zip(x, y, strict=True)]
    assert abs(Fraction(scalar.dot(a, b)) - sum(products)) <= Fraction(4e-16) * sum(map(abs, products)) + Fraction(
        1e-300
    )
    expected = [x[i - 2] * y[i - 1] - x[i - 1] * y[i - 2] for i in range(3)]
    size = max(abs(x[i - 2] * y[i - 1]) + abs(x[i - 1] * y[i - 2]) for i in range(3))
    assert largest_error(scalar.cross(a, b), expected) <= Fraction(3e-16) * size + Fraction(1e-300)


@given(vectors.filter(lambda a: max(map(abs, a)) > 1e-150))
def test_norm(a):
    with localcontext(EXACT):
        true = sum(Decimal(x) ** 2 for x in a).sqrt()
        assert abs(Decimal(scalar.norm(a)) - true) <= Decimal("4e-16") * true


@given(st.tuples(*[moderate] * 6), vectors)
def test_apply_symmetric(tensor, a):
    xx, yy, zz, xy, xz, yz = fractions(tensor)
    rows = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    true = [sum(p * q for p, q in zip(row, fractions(a), strict=True)) for row in rows]
    size = max(sum(abs(p * q) for p, q in zip(row, fractions(a), strict=True)) for row in rows)
    assert largest_error(scalar.apply_symmetric(tensor, a), true) <= Fraction(4e-16) * size + Fraction(1e-300)


def exact_product(a, b):
    ax, ay, az, aw = fractions(a)
    bx, by, bz, bw = fractions(b)
    return (
        aw * bx + bw * ax + ay * bz - az * by,
        aw * by + bw * ay + az * bx - ax * bz,
        aw * bz + bw * az + ax * by - ay * bx,
        aw * bw - ax * bx - ay * by - az * bz,
    )


@given(quaternions, quaternions)
def test_multiply_and_conjugate(a, b):
    size = Fraction(math.hypot(*a) * math.hypot(*b))
    assert largest_error(scalar.multiply(a, b), exact_product(a, b)) <= Fraction(6e-16) * size + Fraction(1e-300)
    assert scalar.conjugate(a) == (-a[0], -a[1], -a[2], a[3])


@given(quaternions.filter(lambda q: math.hypot(*q) > 0.1), vectors)
def test_rotate(q, v):
    """Against q v q⁻¹ in rational numbers; the quaternion of unit length is not quite so, and that error is stated, too."""
    length = math.hypot(*q)
    unit = tuple(x / length for x in q)
    squared = sum(x * x for x in fractions(unit))
    off = abs(squared - 1) / 2  # |q| - 1
    turned = exact_product(exact_product(unit, (*v, 0.0)), (-unit[0], -unit[1], -unit[2], unit[3]))
    size = Fraction(math.hypot(*v))
    limit = (Fraction(1e-15) + 4 * off) * size + Fraction(1e-300)
    assert largest_error(scalar.rotate(unit, v), [x / squared for x in turned[:3]]) <= limit
    back = scalar.rotate_inverse(unit, scalar.rotate(unit, v))
    assert largest_error(back, fractions(v)) <= 2 * limit


# one result, however it is run


@inlined
def everything(x, y, v, w, q, p, tensor):
    """Each public function of these arguments, as one long tuple."""
    sine, cosine = scalar.sine_cosine(x)
    a, b, c = scalar.add(v, w)
    d, e, f = scalar.subtract(v, w)
    g, h, i = scalar.add_scaled(scalar.scale(x, v), y, w)
    j, k, m = scalar.cross(v, w)
    n, o, r = scalar.apply_symmetric(tensor, v)
    s, t, u = scalar.rotate(q, v)
    aa, bb, cc = scalar.rotate_inverse(q, v)
    dd, ee, ff, gg = scalar.multiply(scalar.conjugate(q), p)
    return (
        (
            scalar.exponential(x),
            scalar.logarithm(x),
            scalar.power(x, y),
            scalar.sqrt(x),
            scalar.sine(y),
            scalar.cosine(y),
        ),
        (sine, cosine, scalar.dot(v, w), scalar.norm(v), a, b, c, d, e, f, g, h, i),
        (j, k, m, n, o, r, s, t, u, aa, bb, cc, dd, ee, ff, gg),
    )


RESULTS = 35
COUNT = 512


@kernel("scalar-functions-of-the-tests")
def all_columns(numbers, out):
    for column in range(numbers.shape[1]):
        x, y, a, b, c, d, e, f, g, h, i, j, k, m = (
            float(numbers[0, column]),
            float(numbers[1, column]),
            float(numbers[2, column]),
            float(numbers[3, column]),
            float(numbers[4, column]),
            float(numbers[5, column]),
            float(numbers[6, column]),
            float(numbers[7, column]),
            float(numbers[8, column]),
            float(numbers[9, column]),
            float(numbers[10, column]),
            float(numbers[11, column]),
            float(numbers[12, column]),
            float(numbers[13, column]),
        )
        first, second, third = everything(x, y, (a, b, c), (d, e, f), (g, h, i, j), (j, k, m, g), (a, b, c, d, e, f))
        for row in range(6):
            out[row, column] = first[row]
        for row in range(13):
            out[6 + row, column] = second[row]
        for row in range(16):
            out[19 + row, column] = third[row]


def samples():
    """Random numbers of every size, and in the first columns all pairs of special ones."""
    generator = np.random.default_rng(14)
    numbers = generator.normal(size=(14, COUNT)) * 10.0 ** generator.uniform(-3.0, 3.0, size=(14, COUNT))
    special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        5e-324,
        1e-310,
        1.8e308 - 1e293,
        709.78,
        -745.0,
        math.inf,
        -math.inf,
        math.nan,
        1e9,
        0.5,
    ]
    for column, (x, y) in enumerate((x, y) for x in special for y in special):
        numbers[:2, column] = x, y
    return numbers


def digest():
    """Hash of all results; every nan counts as the same, because its bits are nobody's promise."""
    numbers = samples()
    out = np.empty((RESULTS, COUNT))
    all_columns(numbers, out)
    out[np.isnan(out)] = math.nan
    return hashlib.sha256(out.tobytes()).hexdigest()


def test_compiled_plain_and_for_another_processor_the_bits_are_the_same():
    """The generic processor has vectors of two and no fused multiply-add; it is compiled without optimization, too."""
    here = digest()
    assert in_plain_python(digest) == here
    if COMPILED:
        assert elsewhere({"NUMBA_CPU_NAME": "generic", "NUMBA_OPT": "1"}, digest) == here


@needs_numba
def test_each_result_is_the_one_that_python_gets():
    """As above, naming the function and the numbers."""
    numbers = samples()
    compiled = np.empty((RESULTS, COUNT))
    all_columns(numbers, compiled)
    for column in range(COUNT):
        x, y, a, b, c, d, e, f, g, h, i, j, k, m = numbers[:, column].tolist()
        parts = everything(x, y, (a, b, c), (d, e, f), (g, h, i, j), (j, k, m, g), (a, b, c, d, e, f))
        plain = [value for part in parts for value in part]
        assert list(map(bits, plain)) == list(map(bits, compiled[:, column].tolist())), (x, y)


@needs_numba
@pytest.mark.parametrize(
    "name",
    sized(
        ["power", "sine", "norm"],
        ["exponential", "logarithm", "power", "sine", "cosine", "sqrt", "norm", "rotate"],
    ),
)
def test_functions_are_packed_across_bodies(name):
    """Of a loop that does not vectorise, no multiplication and no root is packed; these have hardly any others."""
    import numba

    if platform.machine() not in MULTIPLICATIONS:
        pytest.skip(f"the assembly of {platform.machine()} is not known here")
    function = getattr(scalar, name)
    calls = {"power": "function(a, b)", "norm": "function((a, b, c))", "rotate": "function((a, b, c, d), (d, c, b))[0]"}
    source = f"""
def loop(array, count):
    use_widest_vectors()
    if array.shape[1] != 264:
        return -1
    for column in range(count):
        a, b, c, d = array[0, column], array[1, column], array[2, column], array[3, column]
        array[4, column] = 1.5 * {calls.get(name, "function(a)")}
    return 0
"""
    space = {"function": function, "use_widest_vectors": use_widest_vectors}
    exec(source, space)
    loop = numba.njit(error_model="numpy", nogil=True)(space["loop"])
    loop.compile((numba.types.Array(numba.float64, 2, "C"), numba.int64))
    text = "\n".join(loop.inspect_asm().values())
    packed, single = (len(re.findall(pattern, text)) for pattern in MULTIPLICATIONS[platform.machine()])
    assert packed >= 1
    assert packed >= 0.9 * single
    if name in ("sqrt", "norm") and platform.machine() in ("x86_64", "AMD64"):
        assert re.search(r"\bv?sqrtpd\b", text)


@needs_numba
def test_a_compiled_function_of_a_users_own_may_call_them():
    """With `numba.njit` of their own, through a closure, and inside an inlined function."""
    import numba

    sine, factor = scalar.sine, 2.0

    @inlined
    def wave(x):
        return factor * sine(x) + scalar.sqrt(x)

    @numba.njit(error_model="numpy")
    def total(array):
        result = 0.0
        for x in array:
            result += wave(x)
        return result

    expected = 0.0
    for x in (0.5, 1.5):
        expected += wave(x)
    assert (
        total(np.array([0.5, 1.5]))
        == expected
        == pytest.approx(2 * (math.sin(0.5) + math.sin(1.5)) + 0.5**0.5 + 1.5**0.5)
    )


# the page that people read


@pytest.mark.parametrize("name", scalar.__all__)
def test_each_function_has_a_docstring_with_an_example_that_is_true(name):
    function = getattr(scalar, name)
    for heading in ("\nArgs:\n", "\nReturns:\n", "\nExample:\n"):
        assert heading in inspect.getdoc(function)
    assert ":" not in function.__doc__.splitlines()[0]
    found = doctest.DocTestFinder(recurse=False).find(function, name, globs=vars(scalar))
    assert sum(len(each.examples) for each in found) >= 1
    for each in found:
        assert doctest.DocTestRunner().run(each).failed == 0


def test_the_example_of_the_module_is_true():
    assert doctest.testmod(scalar).failed == 0
