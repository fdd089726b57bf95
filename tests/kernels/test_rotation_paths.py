"""One formula on three paths: plain floats, NumPy arrays and compiled loops give the same bits, the same errors, and no surprises."""

import itertools
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import MassProperties, World, rotation
from engine.compilation.compiler import COMPILED
from engine.formulas import DIRECTION, MATRIX, NUMBER, ORIENTATION, QUATERNION, VECTOR, Formula
from engine.kernels import rotations, trigonometry
from engine.loops.array_forms import _within_a_turn, over_arrays

from ..helpers import PATIENCE
from ..lengths import sized

EPS = np.finfo(float).eps
HUGE = np.finfo(float).max
SKEW = rotation.from_axis_angle([1.0, -2.0, 0.5], 1.1)

FORMULAS = {formula.owner: formula for formula in vars(rotation).values() if isinstance(formula, Formula)}
EULER = {f"{formula.owner} {sequence}": formula for sequence, formula in rotation._from_euler.items()}
WITH_LOOPS = [formula.owner for formula in rotation._WITH_LOOPS]

needs_numba = pytest.mark.skipif(not COMPILED, reason="numba is missing or switched off: there is nothing compiled")


@pytest.fixture
def prepared():
    """The compiled loops while a test runs: the others shall see what NumPy does."""
    rotation.prepare()
    yield
    for formula in rotation._WITH_LOOPS:
        formula._loop = None


# Values: random ones of all sizes, and those where something changes.

TINY, NEAR = 5e-324, np.nextafter(1.0, 2.0)
ANGLES = [0.0, -0.0, TINY, 1e-300, 1e-9, 0.5, -1.1, *(k * np.pi / 4 for k in range(-9, 10)), 12345.678, 1e6, -2e6, 1e22]
ANGLES += [HUGE, *(np.nextafter(k * np.pi / 4, 10.0) for k in range(1, 9))]


def random_vectors(generator, count):
    special = itertools.product([0.0, -0.0, 1.0, -2.5, TINY, 1e-160, 1e150], repeat=3)
    sizes = 10.0 ** generator.uniform(-12.0, 12.0, size=(count, 1))
    return np.concatenate([sizes * generator.normal(size=(count, 3)), list(special)])


def random_directions(generator, count):
    vectors = np.concatenate([random_vectors(generator, count), [[HUGE, -HUGE, HUGE], [TINY, 0.0, -TINY]]])
    return vectors[vectors.any(axis=-1)]


def random_quaternions(generator, count):
    special = itertools.product([0.0, -0.0, 1.0, -2.5, 1e-160], repeat=4)
    return np.concatenate([generator.normal(size=(count, 4)), list(special)])


def random_orientations(generator, count):
    """Of unit length to rounding and not quite, on the axes, half turns, and next to them."""
    q = generator.normal(size=(count, 4))
    q /= np.sqrt(np.square(q).sum(axis=-1, keepdims=True))
    q[::3] *= 1.0 + generator.uniform(-9e-7, 9e-7, size=(len(q[::3]), 1))
    special = list(itertools.product([0.0, -0.0, 1.0, -1.0, 0.5, -0.5, math.sqrt(0.5)], repeat=4))
    special += list(itertools.product([0.0, 1e-9, -1e-200, TINY], repeat=3))
    rows = np.array([(*row, 1.0) if len(row) == 3 else row for row in special])
    lengths = np.sqrt(np.square(rows).sum(axis=-1))
    return np.concatenate([q, rows[np.abs(lengths - 1.0) < 1e-7], NEAR * q[:50]])


def random_matrices(generator, count):
    exact = rotations_of(random_orientations(generator, count))
    return exact * (1.0 + generator.uniform(-4e-7, 4e-7, size=(len(exact), 1, 1)))


def rotations_of(q):
    return np.stack([np.asarray(rotation.to_matrix(row)) for row in q])


def random_numbers(generator, count):
    return np.concatenate([generator.uniform(-20.0, 20.0, count), generator.uniform(-1e6, 1e6, count), ANGLES])


SAMPLES = {
    id(VECTOR): random_vectors,
    id(DIRECTION): random_directions,
    id(QUATERNION): random_quaternions,
    id(ORIENTATION): random_orientations,
    id(MATRIX): random_matrices,
    id(NUMBER): random_numbers,
}


def samples(formula, seed=20240613, count=300):
    """A stack for each argument of a formula, all of one length."""
    generator = np.random.default_rng(seed)
    stacks = []
    for name, kind in formula.arguments.items():
        if name == "fraction":
            values = np.concatenate(
                [generator.uniform(size=count), [0.0, -0.0, 1.0, 0.5, TINY, np.nextafter(1.0, 0.0)]]
            )
        elif name == "angles":
            values = generator.choice(np.array(ANGLES), size=(2 * count, *kind.shape))
        else:
            values = SAMPLES[id(kind)](generator, count)
        stacks.append(generator.permutation(values))
    longest = max(map(len, stacks))
    return [np.resize(values, (longest, *values.shape[1:])) for values in stacks]


def bits(values):
    return np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)


def assert_same_bits(got, expected):
    np.testing.assert_array_equal(bits(got), bits(expected))


def singly(formula, stacks, change=lambda value: value):
    """Each row by itself, by the path of plain floats: the other would be taken for what is not finite only."""
    results = []
    for row in zip(*stacks, strict=True):
        quick = [kind.quick(change(value)) for kind, value in zip(formula.arguments.values(), row, strict=True)]
        assert None not in quick
        results.append(formula(*map(change, row)))
    return np.array(results)


# The same bits.


@pytest.mark.parametrize("name", [*FORMULAS, *EULER])
def test_one_value_gives_the_bits_of_a_stack(name):
    """Plain floats, and NumPy's arrays."""
    formula = FORMULAS.get(name) or EULER[name]
    stacks = samples(formula)
    if name == "rotation.look_along":  # those on one line are refused
        fits = [
            math.isfinite(rotations.look_along(*map(np.ndarray.tolist, pair))[0]) for pair in zip(*stacks, strict=True)
        ]
        stacks = [values[fits] for values in stacks]
    together = formula._by_numpy(tuple(stacks))
    assert len(together) > 300
    assert_same_bits(singly(formula, stacks), together)


@needs_numba
@pytest.mark.parametrize("name", WITH_LOOPS)
def test_compiled_loop_gives_the_bits_of_numpy(name, prepared):
    formula = FORMULAS[name]
    stacks = samples(formula)
    if {"angle", "turn"} & set(formula.arguments):  # a loop leaves large angles to NumPy
        small = (np.abs(stacks[-1]).reshape(len(stacks[-1]), -1) <= 1e6).all(axis=-1)
        stacks = [values[small] for values in stacks]
    by_loop = formula._by_loop(formula._loop, tuple(stacks))
    assert by_loop is not None
    assert len(by_loop) > 300
    assert_same_bits(by_loop, formula._by_numpy(tuple(stacks)))
    assert_same_bits(formula(*stacks), by_loop)


@pytest.mark.parametrize("kind", [np.float32, np.int64, np.int32])
def test_one_value_of_another_type_is_read_as_fast_and_to_the_same_bits(kind):
    q, v = np.array([0, 3, -2, 1], kind), np.array([7, -2, 5], kind)
    exact = q.astype(float), v.astype(float)
    for one, two in ((q, v), (tuple(q), list(v))):
        assert None not in (QUATERNION.quick(one), VECTOR.quick(two))
        assert_same_bits(rotation.multiply(one, one), rotation.multiply(exact[0], exact[0]))
        assert_same_bits(rotation.from_rotation_vector(two), rotation.from_rotation_vector(exact[1]))
    matrix = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]], kind)
    assert MATRIX.quick(matrix) is not None
    assert_same_bits(rotation.from_matrix(matrix), rotation.from_matrix(matrix.astype(float)))


@pytest.mark.parametrize(
    "form", [list, tuple, lambda value: tuple(map(np.float64, value))], ids=["list", "tuple", "scalars"]
)
def test_form_of_one_value_does_not_matter(form):
    q, v = SKEW, np.array([1.5, -0.3, 1e-3])
    assert_same_bits(rotation.rotate(form(q), form(v)), rotation.rotate(q, v))
    assert_same_bits(rotation.multiply(form(3.0 * q), form(q)), rotation.multiply(3.0 * q, q))
    assert_same_bits(rotation.from_axis_angle(form(v), np.float64(0.3)), rotation.from_axis_angle(v, 0.3))
    matrix = rotation.to_matrix(q)
    assert_same_bits(rotation.from_matrix(form([form(row) for row in matrix]) if form in (list, tuple) else matrix),
                     rotation.from_matrix(matrix))  # fmt: skip


def test_integers_are_read_as_floats():
    """In integers the products would be exact beyond 2⁵³."""
    a, b = [2**53 + 2, 3, -(2**40), 5], [7, 2**52 + 1, 11, -13]
    assert_same_bits(rotation.multiply(a, b), rotation.multiply(np.array(a, dtype=float), np.array(b, dtype=float)))
    assert_same_bits(rotation.from_axis_angle([0, 3, 4], 2), rotation.from_axis_angle([0.0, 3.0, 4.0], 2.0))


def test_one_value_is_of_the_types_that_stacks_are_of():
    assert type(rotation.angle_between(SKEW, [0.0, 0.0, 0.0, 1.0])) is np.float64
    axis, angle = rotation.to_axis_angle(SKEW)
    assert type(axis) is np.ndarray
    assert type(angle) is np.float64
    assert rotation.to_matrix(SKEW).shape == (3, 3)
    assert rotation.to_matrix(SKEW).flags.c_contiguous


def test_turned_vectors_have_the_bits_of_the_kernels_own_functions():
    """`to_matrix` is written out: its columns are the turned axes."""
    for q in random_orientations(np.random.default_rng(5), 300):
        columns = [rotation.rotate(q, axis) for axis in np.eye(3)]
        np.testing.assert_array_equal(rotation.to_matrix(q), np.array(columns).T)


@given(st.floats(-1e6, 1e6))
def test_sine_and_cosine_of_arrays_have_the_bits_of_the_kernels(angle):
    sine, cosine = over_arrays(trigonometry.sine_cosine_in_range)(np.array([angle]))
    assert_same_bits([sine[0], cosine[0]], trigonometry.sine_cosine(angle))


def test_large_angles_are_brought_within_a_turn_exactly():
    """Against the sine and cosine of 1e22 and of the largest float [published], and the C library's on random large angles."""
    sine, cosine = -0.8522008497671888, 0.5232147853951389
    np.testing.assert_allclose(rotation.from_axis_angle([0, 0, 1], 2e22), [0, 0, sine, cosine], rtol=0, atol=2 * EPS)
    sine, cosine = over_arrays(trigonometry.sine_cosine_in_range)(np.array([HUGE, -HUGE]))
    np.testing.assert_allclose(sine, [0.004961954789184062, -0.004961954789184062], rtol=0, atol=2 * EPS)
    np.testing.assert_allclose(cosine, -0.9999876894265599, rtol=0, atol=2 * EPS)
    angles = 10.0 ** np.random.default_rng(6).uniform(6.0, 308.0, 1000)
    assert all(abs(_within_a_turn(angle)) <= math.pi for angle in angles.tolist())
    sine, cosine = over_arrays(trigonometry.sine_cosine_in_range)(angles)
    np.testing.assert_allclose(sine, [math.sin(angle) for angle in angles.tolist()], rtol=0, atol=2 * EPS)
    np.testing.assert_allclose(cosine, [math.cos(angle) for angle in angles.tolist()], rtol=0, atol=2 * EPS)


def test_arc_is_within_12e_17_of_the_first_quadrant():
    angles = np.concatenate([np.random.default_rng(7).uniform(0.0, np.pi / 2, 5000), [0.0, 1e-300, 1e-9]])
    for scale in (1.0, 1e-200, 1e200):
        got = np.array([trigonometry.arc(scale * math.sin(x), scale * math.cos(x)) for x in angles.tolist()])
        np.testing.assert_allclose(got, angles, rtol=2 * EPS, atol=1.5 * EPS)


# Large results.

LARGE_QUATERNION = np.array([1e200, -1e200, 1e200, 1e200])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: rotation.rotate(SKEW, [HUGE, HUGE, -HUGE]), "rotation.rotate: vector_body"),
        (
            lambda: rotation.rotate(SKEW, np.array([[1.0, 2.0, 3.0], [HUGE, HUGE, -HUGE]])),
            "rotation.rotate: vector_body",
        ),
        (lambda: rotation.rotate_inverse(SKEW, [HUGE, -HUGE, HUGE]), "rotation.rotate_inverse: vector_world"),
        (lambda: rotation.multiply(LARGE_QUATERNION, LARGE_QUATERNION), "rotation.multiply: a and b"),
        (lambda: rotation.multiply([LARGE_QUATERNION] * 2, LARGE_QUATERNION), "rotation.multiply: a and b"),
    ],
)
@pytest.mark.parametrize("loops", [False, True])
def test_result_beyond_the_largest_float_is_refused_by_name(call, text, loops, request):
    if loops:
        request.getfixturevalue("prepared")
    with pytest.raises(ValueError, match=rf"(?s)^{text} must be small enough for the result to be finite; got .*e\+"):
        call()


def test_components_whose_sum_overflows_are_no_error():
    """The quick test of a result adds its components up."""
    v = np.array([0.6 * HUGE, 0.6 * HUGE, 0.0])
    np.testing.assert_array_equal(rotation.rotate([0.0, 0.0, 0.0, 1.0], v), v)
    np.testing.assert_array_equal(rotation.conjugate([-HUGE, -HUGE, -HUGE, HUGE]), np.full(4, HUGE))


BODY_CALLS = {
    "to_world": "point_body",
    "to_body": "point_world",
    "direction_to_world": "direction_body",
    "direction_to_body": "direction_world",
    "velocity_at": "point_body",
}


@pytest.mark.parametrize("name", BODY_CALLS)
@pytest.mark.parametrize("stacked", [False, True])
def test_body_refuses_what_leads_beyond_the_largest_float(name, stacked):
    world = World(0.01)
    ship = world.add_body(
        MassProperties.box(2.0, (1.0, 2.0, 3.0)), orientation=SKEW, angular_velocity_body=(3.0, 5.0, 7.0), name="ship"
    )
    ends = [signs * np.full(3, HUGE) for signs in itertools.product((1.0, -1.0), repeat=3)]
    refused = 0
    for end in ends:
        with np.errstate(all="raise"):
            try:
                result = getattr(ship, name)([end, end] if stacked else end)
            except ValueError as error:
                assert f"{BODY_CALLS[name]} must be small enough for the result to be finite" in str(error)
                refused += 1
            else:
                assert np.isfinite(result).all()
    assert refused


# Errors: the quick path and the loops find what the full check finds.

GOOD = {"q": SKEW.tolist(), "v": [1.0, -2.0, 3.0], "t": 0.3, "m": np.eye(3).tolist()}
WRONG_NUMBERS = [math.nan, math.inf, -math.inf, 10**400, True, np.True_, "1", None, 1j, [1.0]]


def good(kind):
    return GOOD["t"] if kind.shape == () else GOOD["m"] if kind.shape == (3, 3) else [*GOOD["q"]][: kind.shape[0]]


def spoilt(kind):
    """Values that are no good for an argument, one wrong number in each place and whole ones."""
    if kind.shape == ():
        yield from WRONG_NUMBERS[:-1]
        return
    for wrong in WRONG_NUMBERS:
        for place in np.ndindex(kind.shape):
            value = [list(row) for row in good(kind)] if kind.shape == (3, 3) else list(good(kind))
            row = value if len(place) == 1 else value[place[0]]
            row[place[-1]] = wrong
            yield value
            if isinstance(wrong, float):
                yield np.array(value)
                yield np.array([value, good(kind)])
    yield from (None, "text", 1.0, [], np.ma.array(good(kind)), good(kind)[:-1])
    if kind is ORIENTATION:
        yield from ([0.0] * 4, np.zeros((2, 4)), [1e200, 0, 0, 1], 1.1 * SKEW, np.array([SKEW, 1.1 * SKEW]), [HUGE] * 4)
    if kind is DIRECTION:
        yield from ([0, 0, 0], np.zeros(3), (0.0, -0.0, 0.0), np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]))


@pytest.mark.parametrize("name", [*FORMULAS, "rotation.from_euler XYX"])
@pytest.mark.parametrize("loops", [False, True])
def test_every_path_refuses_what_the_full_check_refuses_in_its_words(name, loops, request):
    if loops:
        request.getfixturevalue("prepared")
    formula = FORMULAS.get(name) or EULER[name]
    kinds = list(formula.arguments.items())
    count = 0
    for place, (argument, kind) in enumerate(kinds):
        for value in spoilt(kind):
            arguments = [good(other) for _, other in kinds]
            arguments[place] = value
            with pytest.raises((TypeError, ValueError)) as by_full_check:
                kind.read(value, argument, formula.owner)
            with pytest.raises(by_full_check.type) as raised:
                formula(*arguments)
            assert str(raised.value) == str(by_full_check.value)
            assert str(raised.value).startswith(f"{formula.owner}: {argument} must be ")
            count += 1
    assert count >= 9


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: rotation.rotate((0.0, 0.0, 0.0, 2.0), (1.0, 2.0, 3.0)),
            "rotation.rotate: orientation must be a quaternion (x, y, z, w) within 1e-06 of unit length; got (0.0, 0.0, 0.0, 2.0)",
        ),
        (
            lambda: rotation.rotate((0.0, 0.0, 0.0, 1.0), (1.0, math.nan, 3.0)),
            "rotation.rotate: vector_body must be 3 finite real numbers; got (1.0, nan, 3.0)",
        ),
        (
            lambda: rotation.from_axis_angle([0.0, 0.0, 0.0], 1.0),
            "rotation.from_axis_angle: axis must be a non-zero vector; got [0.0, 0.0, 0.0]",
        ),
        (
            lambda: rotation.slerp(SKEW, SKEW, 1.5),
            "rotation.slerp: fraction must be from 0 to 1; got 1.5",
        ),
        (
            lambda: rotation.from_matrix([[2, 0, 0], [0, 1, 0], [0, 0, 1]]),
            "rotation.from_matrix: matrix must be a rotation matrix (orthogonal within 1e-06, determinant +1); "
            "got [[2, 0, 0], [0, 1, 0], [0, 0, 1]]",
        ),
        (
            lambda: rotation.rotate(np.ones((2, 4)) / 2, np.ones((3, 3))),
            "rotation.rotate: orientation and vector_body must have leading dimensions that broadcast; got [(2,), (3,)]",
        ),
    ],
)
@pytest.mark.parametrize("loops", [False, True])
def test_words_of_an_error(call, text, loops, request):
    if loops:
        request.getfixturevalue("prepared")
    with pytest.raises(ValueError) as raised:
        call()
    assert str(raised.value) == text


# Nothing is compiled unless asked for.

CALLS = """
import logging, os, sys
import numpy as np
from engine import rotation

log = []
handler = logging.Handler()
handler.emit = log.append
logging.getLogger("polhode").addHandler(handler)
logging.getLogger("polhode").setLevel(logging.DEBUG)

for many in (False, True):
    q, v, t, m = np.array([0.5, 0.5, 0.5, 0.5]), np.array([1.0, 2.0, 3.0]), 0.3, np.eye(3)
    if many:
        q, v, t, m = (np.array([value] * 1000) for value in (q, v, t, m))
    rotation.multiply(q, q), rotation.conjugate(q), rotation.rotate(q, v), rotation.rotate_inverse(q, v)
    rotation.to_matrix(q), rotation.from_matrix(m), rotation.from_axis_angle(v, t), rotation.to_axis_angle(q)
    rotation.to_rotation_vector(q), rotation.to_modified_rodrigues(q), rotation.from_modified_rodrigues(v)
    rotation.from_rotation_vector(v), rotation.from_euler(v, "ZYX"), rotation.look_along(v, [0.0, 1.0, 0.0])
    rotation.slerp(q, q, t), rotation.angle_between(q, q), rotation.to_scalar_first(q), rotation.from_scalar_first(q)
    rotation.orthonormalize(m), rotation.rodrigues(v, t)
assert not log, [record.getMessage() for record in log]
assert not os.path.exists(os.environ["POLHODE_CACHE_DIR"])
if len(sys.argv) > 1:
    rotation.prepare()
    kernels = set(os.listdir(os.environ["POLHODE_CACHE_DIR"])) - {"locks"}
    print(sum(record.getMessage().startswith("compiled kernel") for record in log), len(kernels))
"""


@needs_numba
def test_nothing_is_compiled_before_prepare(tmp_path):
    """Every function, on one value and on a thousand; then `prepare`, in `.ci/long`, compiles one loop per function that has one."""
    environment = {**os.environ, "POLHODE_CACHE_DIR": str(tmp_path / "cache")}
    result = subprocess.run(
        [sys.executable, "-c", CALLS, *sized([], ["prepare"])],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == sized([], [str(len(WITH_LOOPS))] * 2)


def test_prepare_may_be_called_twice_and_without_numba(prepared):
    rotation.prepare()
    assert all((formula._loop is not None) == COMPILED for formula in rotation._WITH_LOOPS)


@needs_numba
def test_no_form_of_a_stack_compiles_a_loop_again(prepared):
    """Lists, read-only arrays, views with gaps, other types, broadcast and empty stacks; all with the bits of NumPy."""
    q, v = random_orientations(np.random.default_rng(8), 40)[:40], np.random.default_rng(9).normal(size=(40, 3))
    read_only = v.copy()
    read_only.flags.writeable = False
    formula = rotation._rotate
    for orientation, vector in [
        (q, v),
        (q.tolist(), v.tolist()),
        (q, read_only),
        (q[::2], v[1::2]),
        (np.asfortranarray(q), v),
        (q, v[0]),
        (SKEW, v),
        (q.reshape(5, 8, 4), v[:8]),
        (q[:, np.newaxis], v),
        (q, v.astype(np.float32)),
        (q, v.astype(">f8")),
        (q[:0], v[:0]),
        (SKEW, v[0]),
    ]:
        assert_same_bits(formula(orientation, vector), formula._by_numpy((orientation, vector)))
    assert len(formula._loop.signatures) == 1


@needs_numba
def test_stacks_with_large_angles_have_the_bits_of_numpy(prepared):
    """A loop returns nan for them, and the whole stack is computed anew."""
    angles = np.array([0.3, -1.1e6, 5.0, 1e22])
    expected = rotation._from_axis_angle._by_numpy(([1.0, 2.0, 3.0], angles))
    assert_same_bits(rotation.from_axis_angle([1.0, 2.0, 3.0], angles), expected)


@needs_numba
def test_stacks_go_by_the_loop_once_it_is_prepared(prepared, monkeypatch):
    monkeypatch.setattr(Formula, "_by_numpy", None)
    for name in WITH_LOOPS:
        kinds = FORMULAS[name].arguments.values()
        FORMULAS[name](*(np.array([good(kind)] * 1000) for kind in kinds))
        FORMULAS[name](*map(good, kinds))
