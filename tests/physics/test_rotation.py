"""Rotations: their accuracy, their limits, what they reject; and compiled kernels against plain Python, bit for bit."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine import checks, rotation
from engine.compilation import compiler
from engine.compilation.compiler import COMPILED
from engine.kernels import quaternions, trigonometry

EPS = np.finfo(float).eps
EXACT = np.longdouble
IDENTITY = np.array([0.0, 0.0, 0.0, 1.0])
SKEW = rotation.from_axis_angle([1.0, -2.0, 0.5], 1.1)
INERTIA_BODY = np.array([[4.1, -0.7, 0.3], [-0.7, 5.2, 0.9], [0.3, 0.9, 3.3]])  # [kg·m²], of a body that can exist

needs_long_double = pytest.mark.skipif(
    np.finfo(EXACT).eps > 1e-18, reason="long double is no longer than double on this machine"
)
reproducible = settings(derandomize=True, max_examples=60, deadline=None, database=None)

coordinates = st.floats(-1.0, 1.0)
orientations = (
    st.tuples(coordinates, coordinates, coordinates, coordinates)
    .filter(lambda q: math.hypot(*q) > 0.1)
    .map(lambda q: np.array(q) / math.hypot(*q))
)
vectors = st.tuples(coordinates, coordinates, coordinates).map(np.array)
axes = vectors.filter(lambda v: math.hypot(*v) > 0.1)


@pytest.fixture
def generator():
    return np.random.default_rng(20240612)


# Long-double references, written from the definitions.


def length(v):
    return np.sqrt(np.square(v).sum(axis=-1, keepdims=True))


def exact_unit(v):
    v = np.asarray(v, dtype=EXACT)
    return v / length(v)


def exact_product(a, b):
    u, s, v, t = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    return np.concatenate([s * v + t * u + np.cross(u, v), s * t - (u * v).sum(axis=-1, keepdims=True)], axis=-1)


def exact_rotate(q, v):
    conjugate = q * np.array([-1, -1, -1, 1])
    return exact_product(exact_product(q, np.concatenate([v, 0 * v[..., :1]], axis=-1)), conjugate)[..., :3]


def exact_matrix(q):
    return np.stack(
        [exact_rotate(q, np.broadcast_to(axis, q[..., :3].shape)) for axis in np.eye(3, dtype=EXACT)], axis=-1
    )


def exact_turn(axis, angle):
    half = np.asarray(angle, dtype=EXACT)[..., np.newaxis] / 2
    return np.concatenate([np.sin(half) * exact_unit(axis), np.cos(half)], axis=-1)


def random_orientations(generator, count=3000):
    q = generator.normal(size=(count, 4))
    return q / length(q)


def nearer(a, b):
    """a or −a, whichever lies nearer to b: they are one rotation."""
    return np.where((a * b).sum(axis=-1, keepdims=True) < 0, -a, a)


def in_eps(computed, exact):
    return float(np.abs(computed - exact).max() / EPS)


# Accuracy, as the docstrings claim it; measured on 2e5 cases in brackets.


@needs_long_double
def test_product_is_within_2_eps(generator):
    """[1.1]"""
    a, b = random_orientations(generator), random_orientations(generator)
    assert in_eps(rotation.multiply(a, b), exact_product(a.astype(EXACT), b.astype(EXACT))) < 2


@needs_long_double
def test_turned_vector_is_within_5_eps_of_its_length(generator):
    """[4.8]"""
    q, v = random_orientations(generator), generator.normal(size=(3000, 3))
    v /= length(v)
    q_exact = exact_unit(q)
    assert in_eps(rotation.rotate(q, v), exact_rotate(q_exact, v.astype(EXACT))) < 5
    inverse = q_exact * np.array([-1, -1, -1, 1])
    assert in_eps(rotation.rotate_inverse(q, v), exact_rotate(inverse, v.astype(EXACT))) < 5


@needs_long_double
def test_matrix_is_within_5_eps(generator):
    """[4.1]"""
    q = random_orientations(generator)
    assert in_eps(rotation.to_matrix(q), exact_matrix(exact_unit(q))) < 5


@needs_long_double
@pytest.mark.parametrize("largest", range(4), ids="xyzw")
@pytest.mark.parametrize("size", [1.0, 1e-3, 1e-9, 0.0])
def test_quaternion_of_a_matrix_is_within_2_eps_on_every_branch(generator, largest, size):
    """[1.1] Each component in turn far larger than the rest, down to the exact half turns and the identity."""
    q = size * generator.normal(size=(500, 4))
    q[:, largest] = np.where(q[:, largest] < 0.0, -1.0, 1.0)
    q_exact = exact_unit(q)
    result = rotation.from_matrix(exact_matrix(q_exact).astype(float))
    assert in_eps(result, nearer(q_exact, result)) < 2
    assert (result[:, 3] >= 0.0).all()


@needs_long_double
def test_quaternion_of_a_half_turn_about_a_skew_axis_is_within_2_eps(generator):
    axis = generator.normal(size=(500, 3))
    q_exact = exact_turn(axis, np.full(500, np.pi))
    result = rotation.from_matrix(exact_matrix(q_exact).astype(float))
    assert in_eps(result, nearer(q_exact, result)) < 2


@needs_long_double
def test_turn_about_an_axis_is_within_2_eps(generator):
    """[1.3]"""
    axis, angle = generator.normal(size=(3000, 3)), generator.uniform(-20.0, 20.0, size=3000)
    assert in_eps(rotation.from_axis_angle(axis, angle), exact_turn(axis, angle)) < 2


@needs_long_double
def test_axis_and_angle_are_within_2_and_3_eps(generator):
    """[1.1 and 2.0; relative, of small turns: 1.1 and 1.9]"""
    small = np.concatenate([1e-7 * generator.normal(size=(1000, 3)), np.ones((1000, 1))], axis=-1)
    for q in (random_orientations(generator), small):
        axis, angle = rotation.to_axis_angle(q)
        q_exact = exact_unit(q)
        q_exact = np.where(q_exact[:, 3:] < 0, -q_exact, q_exact)
        sine = length(q_exact[:, :3])
        angle_exact = 2 * np.arctan2(sine, q_exact[:, 3:])[:, 0]
        assert in_eps(axis, q_exact[:, :3] / sine) < 2
        assert float((np.abs(angle - angle_exact) / np.minimum(angle_exact, 1)).max()) < 3 * EPS


@needs_long_double
def test_rotation_vectors_and_modified_rodrigues_parameters_are_within_a_few_eps_of_their_length(generator):
    """[2.9 and 1.4 eps]; also those of small rotations and of nearly half a turn."""
    small = np.concatenate([1e-7 * generator.normal(size=(1000, 3)), np.ones((1000, 1))], axis=-1)
    half = np.concatenate([generator.normal(size=(1000, 3)), 1e-9 * generator.normal(size=(1000, 1))], axis=-1)
    half /= np.linalg.norm(half, axis=-1, keepdims=True)
    for q in (random_orientations(generator), small, half):
        q_exact = exact_unit(q)
        q_exact = np.where(q_exact[:, 3:] < 0, -q_exact, q_exact)
        sine = length(q_exact[:, :3])
        turn = q_exact[:, :3] / sine * 2 * np.arctan2(sine, q_exact[:, 3:])
        assert float((np.abs(rotation.to_rotation_vector(q) - turn) / length(turn)).max()) < 4 * EPS
        parameters = q_exact[:, :3] / (1 + q_exact[:, 3:])
        found = rotation.to_modified_rodrigues(q)
        assert float((np.abs(found - parameters) / length(parameters)).max()) < 2 * EPS
        assert in_eps(rotation.from_modified_rodrigues(found), nearer(q_exact, q_exact.astype(float))) < 4
    assert np.array_equal(rotation.to_rotation_vector((0.0, 0.0, 0.0, -1.0)), (0.0, 0.0, 0.0))


@needs_long_double
@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e-9, 0.3, 1.0, 3.0, 1e9, 1e160, 1e300])
def test_orientation_of_modified_rodrigues_parameters_is_within_2_eps(generator, size):
    """[1.4]; the vector part below half a turn within 4 eps of itself. Squares neither overflow nor vanish."""
    parameters = size * generator.normal(size=(3000, 3))
    scaled = parameters.astype(EXACT)
    square = (scaled * scaled).sum(axis=-1, keepdims=True)  # the exponents of long double suffice
    exact = np.concatenate([2 * scaled, 1 - square], axis=-1) / (1 + square)
    found = rotation.from_modified_rodrigues(parameters)
    assert float(np.abs(found - exact).max()) < 2 * EPS
    near = square[:, 0] < 1
    error = length(found[:, :3] - exact[:, :3]) / length(exact[:, :3])
    assert float(error[near].max(initial=0)) < 4 * EPS


def test_rotation_vectors_and_modified_rodrigues_parameters_agree_with_scipy(generator):
    Rotation = pytest.importorskip("scipy.spatial.transform").Rotation
    q = random_orientations(generator)
    there = Rotation.from_quat(q)
    np.testing.assert_allclose(rotation.to_rotation_vector(q), there.as_rotvec(), atol=1e-14)
    np.testing.assert_allclose(rotation.to_modified_rodrigues(q), there.as_mrp(), atol=1e-14)
    parameters = generator.normal(size=(100, 3))
    apart = Rotation.from_quat(rotation.from_modified_rodrigues(parameters)) * Rotation.from_mrp(parameters).inv()
    assert apart.magnitude().max() < 1e-14


@needs_long_double
@pytest.mark.parametrize("size", [1e-300, 1e-9, 1e-4, 0.3, 3.0, 100.0])
def test_turn_of_a_rotation_vector_is_within_2_eps_and_its_rounded_length(generator, size):
    """[2.0 at a radian, 0.65 |turn| at a hundred]; the vector part of a turn below a radian within 4 eps of itself."""
    turn = size * generator.normal(size=(3000, 3))
    angle = length(turn.astype(EXACT) / EXACT(size))[:, 0] * EXACT(size)
    exact = exact_turn(turn.astype(EXACT) / EXACT(size), angle)
    error = np.abs(rotation.from_rotation_vector(turn) - exact)
    assert float((error.max(axis=-1) / (2 + angle)).max()) < EPS
    if size < 1.0:
        assert float((length(error[:, :3]) / length(exact[:, :3])).max()) < 4 * EPS


@needs_long_double
@pytest.mark.parametrize("sequence", ["XYZ", "zyx", "ZXZ", "yzy"])
def test_euler_turns_are_within_2_eps(generator, sequence):
    """[1.2]"""
    angles = generator.uniform(-np.pi, np.pi, size=(3000, 3))
    turns = [
        exact_turn(np.eye(3)["XYZ".index(axis)], angle) for axis, angle in zip(sequence.upper(), angles.T, strict=True)
    ]
    first, second, third = turns if sequence.isupper() else reversed(turns)
    assert in_eps(rotation.from_euler(angles, sequence), exact_product(exact_product(first, second), third)) < 2


@needs_long_double
@pytest.mark.parametrize("apart", [1e-6, 1.0, math.pi - 1e-9])
def test_slerp_and_angle_are_within_3_and_4_eps(generator, apart):
    """[2.4 and 3.1], and of unit length within 3 eps [2.0]"""
    a, fraction = random_orientations(generator), generator.uniform(size=3000)
    b = rotation.multiply(
        a, rotation.from_axis_angle(generator.normal(size=(3000, 3)), apart * generator.uniform(0.5, 1, 3000))
    )
    start, end = exact_unit(a), exact_unit(b)
    end = nearer(end, start)
    phi = 2 * np.arctan2(length(start - end), length(start + end))
    t = fraction.astype(EXACT)[:, np.newaxis]
    exact = (np.sin((1 - t) * phi) * start + np.sin(t * phi) * end) / np.sin(phi)
    result = rotation.slerp(a, b, fraction)
    assert in_eps(result, exact) < 3
    assert in_eps(length(result), 1.0) < 3
    assert in_eps(rotation.angle_between(a, b), 2 * phi[:, 0]) < 4


@needs_long_double
def test_rodrigues_matrix_is_within_7_eps(generator):
    """[5.8]"""
    axis, angle = generator.normal(size=(3000, 3)), generator.uniform(-20.0, 20.0, size=3000)
    assert in_eps(rotation.rodrigues(axis, angle), exact_matrix(exact_turn(axis, angle))) < 7


@needs_long_double
def test_rodrigues_matrix_keeps_the_digits_of_a_small_turn():
    """Off the diagonal, R is sin θ d; on it, 1 − R is (1 − cos θ)(1 − d²)."""
    matrix = rotation.rodrigues([2.0, -3.0, 6.0], 1e-9)
    np.testing.assert_allclose(matrix[2, 1] - matrix[1, 2], 2e-9 * 2 / 7, rtol=1e-14)
    np.testing.assert_allclose(matrix[0, 1] + matrix[1, 0], -1e-18 * 6 / 49, rtol=1e-6)


# The kernels' own functions.


@needs_long_double
def test_kernel_sine_and_cosine_are_within_19e_17(generator):
    function = compiler.plain(trigonometry.sine_cosine)
    angles = np.concatenate(
        [generator.uniform(-scale, scale, 1000) for scale in (1e-9, 1.0, 10.0, 1e6)]
        + [np.arange(-50, 51) * (np.pi / 4), [0.0, 5e-324, 1e-310]]
    )
    sine, cosine = np.array([function(float(angle)) for angle in angles]).T
    assert float(np.abs(sine - np.sin(angles.astype(EXACT))).max()) < 1.9e-16
    assert float(np.abs(cosine - np.cos(angles.astype(EXACT))).max()) < 1.9e-16
    small = np.abs(angles) < 1e-8
    np.testing.assert_array_equal(sine[small], angles[small])


@needs_long_double
def test_kernel_sine_and_cosine_of_half_a_turn_are_those_up_to_one_sign(generator):
    """Within 1.7e-16, both with the right sign or both with the other."""
    function = compiler.plain(trigonometry.sine_cosine_of_half)
    angles = np.concatenate([generator.uniform(-scale, scale, 1000) for scale in (1e-9, 1.0, 10.0, 1e6)])
    got = np.array([function(float(angle)) for angle in angles])
    exact = np.stack([np.sin(angles.astype(EXACT)), np.cos(angles.astype(EXACT))], axis=-1)
    errors = [np.abs(sign * got - exact).max(axis=-1) for sign in (1.0, -1.0)]
    assert float(np.minimum(*errors).max()) < 1.9e-16


@needs_long_double
def test_kernel_arcs_for_drawing_are_within_22e_17(generator):
    """Arc tangent from 0 to 1, both sides of tan(π/8), and sine within a quarter turn."""
    tangents = np.concatenate([generator.uniform(0.0, 1.0, 4000), [0.0, 5e-324, 1e-9, 0.4142135623730951, 1.0]])
    arc_tangent = compiler.plain(trigonometry.arc_tangent)
    got = np.array([arc_tangent(float(x)) for x in tangents])
    assert float(np.abs(got - np.arctan(tangents.astype(EXACT))).max()) < 1.7e-16
    angles = np.concatenate([generator.uniform(-np.pi / 2, np.pi / 2, 4000), [0.0, 1e-9, np.pi / 2]])
    sine = compiler.plain(trigonometry.sine_of_arc)
    got = np.array([sine(float(angle)) for angle in angles])
    assert float(np.abs(got - np.sin(angles.astype(EXACT))).max()) < 2.3e-16


@needs_long_double
@pytest.mark.parametrize("size", [1e-160, 1e-9, 5e-5, 1e-4, 3e-4, 1e-3, 1e-2, 1.0, 30.0])
def test_kernel_turn_of_a_rotation_vector_is_within_its_rounded_length(generator, size):
    """Both sides of the switch from series to quotient; measured 1.9 eps + 0.7 eps |turn|."""
    function = compiler.plain(quaternions.from_rotation_vector)
    turn = size * generator.normal(size=(500, 3))
    angle = length(turn.astype(EXACT))[:, 0]
    exact = exact_turn(turn, angle)
    error = np.abs(np.array([function(tuple(map(float, row))) for row in turn]) - exact)
    assert float((error.max(axis=-1) / (2 + angle)).max()) < EPS
    if size < 0.1:
        assert float((length(error[:, :3]) / length(exact[:, :3])).max()) < 4 * EPS


def test_kernel_turns_by_a_quaternion_that_is_not_of_unit_length(generator):
    """q v q⁻¹, as at a stage of a Runge-Kutta step: the length of q must not show."""
    rotate, rotate_inverse, doubling = (
        compiler.plain(function) for function in (quaternions.rotate, quaternions.rotate_inverse, quaternions.doubling)
    )
    for stretch in (0.7, 1.0 + 1e-4, 3.0):
        v = tuple(generator.normal(size=3).tolist())
        q = tuple((stretch * SKEW).tolist())
        world = rotate(q, doubling(q), v)
        np.testing.assert_allclose(world, rotation.rotate(SKEW, v), rtol=0, atol=20 * EPS)
        np.testing.assert_allclose(rotate_inverse(q, doubling(q), world), v, rtol=0, atol=40 * EPS)


@pytest.fixture(scope="module")
def samples():
    generator = np.random.default_rng(3)
    p, q = random_orientations(generator, 260).T, random_orientations(generator, 260).T
    return p.copy(), q.copy(), generator.normal(size=(3, 260)) * 10.0 ** generator.uniform(-6, 3, 260)


def each(p, q, v, functions):
    """One column at a time: the numbers of p, q, v through each of the kernels' functions."""
    multiply, normalize, rotate, rotate_inverse, doubling, rate_of_change, from_rotation_vector, sine_cosine = functions
    return (
        *multiply(p, q),
        *normalize((3.0 * p[0], 3.0 * p[1], 3.0 * p[2], 3.0 * p[3])),
        *rotate(p, 2.0, v),
        *rotate_inverse(p, doubling(q), v),
        *rate_of_change(p, v),
        *from_rotation_vector(v),
        *sine_cosine(v[0]),
    )


KERNELS = (
    quaternions.multiply,
    quaternions.normalize,
    quaternions.rotate,
    quaternions.rotate_inverse,
    quaternions.doubling,
    quaternions.rate_of_change,
    quaternions.from_rotation_vector,
    trigonometry.sine_cosine,
)


@pytest.mark.skipif(not COMPILED, reason="numba is missing or switched off: there is nothing compiled")
def test_compiled_kernels_give_the_bits_of_plain_python(samples):
    """In a loop over columns, as in a tick, where several go at once; a fused multiply-add would show."""
    multiply, normalize, rotate, rotate_inverse, doubling, rate_of_change, from_rotation_vector, sine_cosine = KERNELS

    @compiler.kernel("a-loop-of-the-tests")
    def loop(p, q, v, out):
        for i in range(p.shape[1]):
            a, b = (p[0, i], p[1, i], p[2, i], p[3, i]), (q[0, i], q[1, i], q[2, i], q[3, i])
            c = (v[0, i], v[1, i], v[2, i])
            out[0, i], out[1, i], out[2, i], out[3, i] = multiply(a, b)
            thrice = (3.0 * a[0], 3.0 * a[1], 3.0 * a[2], 3.0 * a[3])
            out[4, i], out[5, i], out[6, i], out[7, i] = normalize(thrice)
            out[8, i], out[9, i], out[10, i] = rotate(a, 2.0, c)
            out[11, i], out[12, i], out[13, i] = rotate_inverse(a, doubling(b), c)
            out[14, i], out[15, i], out[16, i], out[17, i] = rate_of_change(a, c)
            out[18, i], out[19, i], out[20, i], out[21, i] = from_rotation_vector(c)
            out[22, i], out[23, i] = sine_cosine(c[0])

    p, q, v = samples
    compiled = np.empty((24, p.shape[1]))
    loop(p, q, v, compiled)
    functions = [compiler.plain(function) for function in KERNELS]
    columns = zip(p.T.tolist(), q.T.tolist(), v.T.tolist(), strict=True)
    plain = np.array([each(tuple(a), tuple(b), tuple(c), functions) for a, b, c in columns]).T
    np.testing.assert_array_equal(compiled.view(np.uint64), plain.view(np.uint64))


def test_arrays_give_the_bits_of_single_numbers(samples):
    p, q, v = samples
    multiply, rotate = compiler.plain(quaternions.multiply), compiler.plain(quaternions.rotate)
    product = np.array([multiply(tuple(a), tuple(b)) for a, b in zip(p.T.tolist(), q.T.tolist(), strict=True)])
    np.testing.assert_array_equal(rotation.multiply(p.T, q.T), product)
    unit = checks.unit_quaternions(p.T, "p", "test")
    turned = np.array([rotate(tuple(a), 2.0, tuple(b)) for a, b in zip(unit.tolist(), v.T.tolist(), strict=True)])
    np.testing.assert_array_equal(rotation.rotate(p.T, v.T), turned)


# Properties.


@reproducible
@given(orientations, orientations, orientations)
def test_product_is_associative_and_keeps_length(a, b, c):
    left = rotation.multiply(rotation.multiply(a, b), c)
    np.testing.assert_allclose(left, rotation.multiply(a, rotation.multiply(b, c)), rtol=0, atol=8 * EPS)
    assert abs(length(left)[0] - 1.0) < 8 * EPS


@reproducible
@given(orientations, vectors)
def test_world_and_back_is_the_same_vector(q, v):
    there = rotation.rotate(q, v)
    np.testing.assert_allclose(rotation.rotate_inverse(q, there), v, rtol=0, atol=20 * EPS)
    np.testing.assert_allclose(rotation.rotate(rotation.conjugate(q), there), v, rtol=0, atol=20 * EPS)
    np.testing.assert_allclose(rotation.to_matrix(q) @ v, there, rtol=0, atol=20 * EPS)


@reproducible
@given(orientations)
def test_matrix_axis_angle_and_rotation_vector_lead_back(q):
    axis, angle = rotation.to_axis_angle(q)
    assert 0.0 <= angle <= np.pi
    for again in (
        rotation.from_matrix(rotation.to_matrix(q)),
        rotation.from_axis_angle(axis, angle),
        rotation.from_rotation_vector(angle * axis),
    ):
        np.testing.assert_allclose(nearer(again, q), q, rtol=0, atol=12 * EPS)


@reproducible
@given(axes, st.floats(-30.0, 30.0))
def test_rodrigues_is_the_matrix_of_the_turn(axis, angle):
    by_quaternion = rotation.to_matrix(rotation.from_axis_angle(axis, angle))
    np.testing.assert_allclose(rotation.rodrigues(axis, angle), by_quaternion, rtol=0, atol=16 * EPS)


@reproducible
@given(orientations, orientations, st.floats(0.0, 1.0))
def test_slerp_turns_at_a_constant_rate_the_shorter_way(a, b, fraction):
    whole = rotation.angle_between(a, b)
    there = rotation.slerp(a, b, fraction)
    assert abs(rotation.angle_between(a, there) - fraction * whole) < 20 * EPS
    assert abs(rotation.angle_between(there, b) - (1.0 - fraction) * whole) < 20 * EPS


@reproducible
@given(axes, axes)
def test_look_along_points_z_forward_and_y_towards_up(forward, up):
    sine = length(np.cross(forward, up))[0] / length(forward)[0] / length(up)[0]
    assume(sine > 1e-3)
    q = rotation.look_along(forward, up)
    x, y, z = rotation.rotate(q, np.eye(3))
    np.testing.assert_allclose(z, forward / length(forward), rtol=0, atol=10 * EPS)
    assert abs(x @ up) < 10 * EPS / sine
    assert y @ up > 0.5 * sine * length(up)[0]


@reproducible
@given(orientations, st.tuples(*[st.floats(-0.2, 0.2)] * 9))
def test_orthonormalize_gives_a_rotation_and_keeps_the_first_column(q, drift):
    drifted = rotation.to_matrix(q) + np.reshape(drift, (3, 3))
    matrix = rotation.orthonormalize(drifted)
    np.testing.assert_allclose(matrix.T @ matrix, np.eye(3), rtol=0, atol=6 * EPS)
    assert np.linalg.det(matrix) > 0.0
    np.testing.assert_allclose(matrix[:, 0], drifted[:, 0] / length(drifted[:, 0]), rtol=0, atol=4 * EPS)
    assert abs(np.linalg.det(np.stack([drifted[:, 0], drifted[:, 1], matrix[:, 1]]))) < 10 * EPS
    assert matrix[:, 1] @ drifted[:, 1] > 0.0


# Errata of the sources.


def test_rates_and_torques_are_turned_without_the_position(generator):
    """Erratum M2: Mandre maps ω and torque by "this same formula" as points, p + q v q*; only points take p.

    L_world = R I ω_body must be I_world ω_world; with p = (10, 0, 0) added to the rate it is not.
    """
    position = np.array([10.0, 0.0, 0.0])
    angular_velocity_body = generator.normal(size=3)
    matrix = rotation.to_matrix(SKEW)
    angular_momentum_world = rotation.rotate(SKEW, INERTIA_BODY @ angular_velocity_body)
    turned = rotation.rotate(SKEW, angular_velocity_body)
    inertia_world = matrix @ INERTIA_BODY @ matrix.T
    np.testing.assert_allclose(inertia_world @ turned, angular_momentum_world, rtol=0, atol=1e-14)
    as_printed = position + turned
    assert np.abs(inertia_world @ as_printed - angular_momentum_world).max() > 10.0


def test_change_to_principal_axes_multiplies_on_the_right(generator):
    """Erratum M6: with x = B x', B's columns the principal axes in the old body frame, A' = A B and q' = q quat(B).

    The printed B A and quat(B) q put every point of the body elsewhere.
    """
    moments, axes_body = np.linalg.eigh(INERTIA_BODY)
    axes_body[:, 2] = np.cross(axes_body[:, 0], axes_body[:, 1])
    b = rotation.from_matrix(axes_body)
    new, as_printed = rotation.multiply(SKEW, b), rotation.multiply(b, SKEW)

    points_old = generator.normal(size=(20, 3))
    points_new = points_old @ axes_body  # Bᵀ x, a point a row
    world = rotation.rotate(SKEW, points_old)
    np.testing.assert_allclose(rotation.rotate(new, points_new), world, rtol=0, atol=1e-14)
    assert np.abs(rotation.rotate(as_printed, points_new) - world).max() > 0.5

    matrix, old = rotation.to_matrix(new), rotation.to_matrix(SKEW)
    inertia_world = old @ INERTIA_BODY @ old.T
    np.testing.assert_allclose(matrix @ np.diag(moments) @ matrix.T, inertia_world, rtol=0, atol=1e-14)
    wrong = rotation.to_matrix(as_printed)
    assert np.abs(wrong @ np.diag(moments) @ wrong.T - inertia_world).max() > 0.1


def test_gram_schmidt_takes_the_first_column_out_of_the_second():
    """Erratum G4: Maggiore's slide has N − N (N · T), which leaves N its direction; N − T (N · T) is across T."""
    drifted = rotation.to_matrix(SKEW) + np.array([[0.0, 0.11, 0.02], [0.03, 0.04, -0.01], [-0.02, 0.01, 0.05]])
    t = drifted[:, 0] / length(drifted[:, 0])
    n = drifted[:, 1]
    printed = n - n * (n @ t)
    printed = printed / length(printed)
    assert abs(printed @ t) > 0.03
    corrected = n - t * (n @ t)
    matrix = rotation.orthonormalize(drifted)
    np.testing.assert_allclose(matrix[:, 1], corrected / length(corrected), rtol=0, atol=4 * EPS)
    assert abs(matrix[:, 1] @ matrix[:, 0]) < 2 * EPS
    np.testing.assert_allclose(matrix[:, 2], np.cross(matrix[:, 0], matrix[:, 1]), rtol=0, atol=2 * EPS)


# Ends, tiny angles, half turns.


def test_identity_has_an_axis_and_no_angle():
    for q in (IDENTITY, -IDENTITY):
        axis, angle = rotation.to_axis_angle(q)
        np.testing.assert_array_equal(axis, [0.0, 0.0, 1.0])
        assert angle == 0.0
    axis, angle = rotation.to_axis_angle([IDENTITY, SKEW])
    np.testing.assert_array_equal(axis[0], [0.0, 0.0, 1.0])
    np.testing.assert_allclose(axis[1], [1.0, -2.0, 0.5] / length(np.array([1.0, -2.0, 0.5])), rtol=0, atol=2 * EPS)
    np.testing.assert_allclose(angle, [0.0, 1.1], rtol=0, atol=3 * EPS)


def test_longer_way_round_becomes_the_shorter():
    axis, angle = rotation.to_axis_angle(rotation.from_axis_angle([2.0, -3.0, 6.0], 5.0))
    np.testing.assert_allclose(axis, [-2.0 / 7, 3.0 / 7, -6.0 / 7], rtol=0, atol=2 * EPS)
    assert angle == pytest.approx(2.0 * np.pi - 5.0, abs=4 * EPS)


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e-12])
def test_tiny_turns_keep_all_their_digits(size):
    turn = size * np.array([2.0, -3.0, 6.0])
    q = rotation.from_rotation_vector(turn)
    np.testing.assert_allclose(q[:3], turn / 2, rtol=4 * EPS)
    assert q[3] == 1.0
    axis, angle = rotation.to_axis_angle(q)
    np.testing.assert_allclose(axis, [2.0 / 7, -3.0 / 7, 6.0 / 7], rtol=4 * EPS)
    assert angle == pytest.approx(7.0 * size, rel=4 * EPS, abs=0.0)
    assert rotation.angle_between(IDENTITY, q) == pytest.approx(7.0 * size, rel=4 * EPS, abs=0.0)
    quarter = rotation.slerp(IDENTITY, q, 0.25)
    np.testing.assert_allclose(quarter[:3], turn / 8, rtol=4 * EPS)


def test_angle_between_sees_what_an_arc_cosine_does_not():
    near = rotation.multiply(SKEW, rotation.from_axis_angle([2.0, -3.0, 6.0], 1e-9))
    assert rotation.angle_between(SKEW, near) == pytest.approx(1e-9, rel=0, abs=4 * EPS)
    assert abs(2.0 * np.arccos(min(1.0, SKEW @ near)) - 1e-9) > 5e-10


def test_angle_is_zero_between_a_quaternion_and_its_negative_and_at_most_pi():
    assert rotation.angle_between(SKEW, SKEW) == 0.0
    assert rotation.angle_between(SKEW, -SKEW) == 0.0
    half_turn = rotation.multiply(SKEW, [2.0 / 7, -3.0 / 7, 6.0 / 7, 0.0])
    assert rotation.angle_between(SKEW, half_turn) == pytest.approx(np.pi, abs=4 * EPS)
    longer = rotation.multiply(SKEW, rotation.from_axis_angle([2.0, -3.0, 6.0], 4.0))
    assert rotation.angle_between(SKEW, longer) == pytest.approx(2.0 * np.pi - 4.0, abs=4 * EPS)


def test_slerp_is_exact_at_its_ends(generator):
    a, b = random_orientations(generator, 500), random_orientations(generator, 500)
    start, end = checks.unit_quaternions(a, "a", "test"), checks.unit_quaternions(b, "b", "test")
    np.testing.assert_array_equal(rotation.slerp(a, b, 0.0), start)
    np.testing.assert_array_equal(rotation.slerp(a, b, 1.0), nearer(end, start))


def test_slerp_between_equals_stands_still():
    fractions = np.linspace(0.0, 1.0, 9)
    for b in (SKEW, -SKEW):
        np.testing.assert_allclose(rotation.slerp(SKEW, b, fractions), np.tile(SKEW, (9, 1)), rtol=0, atol=2 * EPS)


def test_slerp_half_a_turn_apart_ends_in_b_by_even_steps():
    b = rotation.multiply(SKEW, [2.0 / 7, -3.0 / 7, 6.0 / 7, 0.0])
    for end in (b, -b):
        path = rotation.slerp(SKEW, end, np.linspace(0.0, 1.0, 11))
        np.testing.assert_allclose(rotation.angle_between(path[:-1], path[1:]), np.full(10, np.pi / 10), rtol=1e-14)
        assert rotation.angle_between(path[-1], b) < 4 * EPS


def test_directions_of_any_length_but_zero_will_do():
    for size in (5e-324, 1e-310, 1e-200, 1.0, 1e200, 1.7e308):
        q = rotation.from_axis_angle([0.0, -size, size], 0.7)
        expected = np.sin(0.35) * np.sqrt(0.5)
        np.testing.assert_allclose(q, [0.0, -expected, expected, np.cos(0.35)], rtol=0, atol=2 * EPS)
        q = rotation.look_along([0.0, -size, size], [0.0, size, size])
        np.testing.assert_allclose(
            rotation.rotate(q, [0.0, 0.0, 1.0]), [0.0, -np.sqrt(0.5), np.sqrt(0.5)], rtol=0, atol=5 * EPS
        )


def test_rotation_vector_of_the_largest_floats_is_still_a_rotation():
    q = rotation.from_rotation_vector(np.full(3, np.finfo(float).max))
    assert abs(length(q)[0] - 1.0) < 4 * EPS


def test_frames_from_nearly_parallel_vectors_are_still_at_right_angles(generator):
    """A single pass of Gram and Schmidt leaves eps over the sine, 1e-12 here."""
    first, across = generator.normal(size=(50, 3)), generator.normal(size=(50, 3))
    second = first + 1e-4 * across
    matrix = rotation.orthonormalize(np.stack([first, second, np.cross(first, second)], axis=-1))
    gap = np.einsum("nki,nkj->nij", matrix, matrix) - np.eye(3)
    assert np.abs(gap).max() < 5 * EPS
    q = rotation.look_along(first, second)
    assert np.abs(length(q) - 1.0).max() < 3 * EPS
    np.testing.assert_allclose(rotation.rotate(q, [0.0, 0.0, 1.0]), first / length(first), rtol=0, atol=10 * EPS)


def test_craft_drawn_along_z_flies_forward_with_y_overhead():
    q = rotation.look_along(forward=[3.0, 0.0, 4.0], up=[0.0, 0.0, 1.0])
    np.testing.assert_allclose(rotation.rotate(q, [0.0, 0.0, 500.0]), [300.0, 0.0, 400.0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(rotation.rotate(q, [0.0, 1.0, 0.0]), [-0.8, 0.0, 0.6], rtol=0, atol=5 * EPS)
    np.testing.assert_allclose(rotation.rotate(q, [1.0, 0.0, 0.0]), [0.0, 1.0, 0.0], rtol=0, atol=5 * EPS)


def test_intrinsic_turns_are_extrinsic_turns_in_reverse():
    angles = np.array([0.3, -1.2, 2.1])
    intrinsic = rotation.from_euler(angles, "ZYX")
    np.testing.assert_allclose(intrinsic, rotation.from_euler(angles[::-1], "xyz"), rtol=0, atol=2 * EPS)
    assert rotation.angle_between(intrinsic, rotation.from_euler(angles, "zyx")) > 0.5


def test_yaw_pitch_roll_read_as_on_an_aircraft():
    """x forward, y right, z down: yaw right, pitch up, then roll: the nose is at (cos p cos y, cos p sin y, −sin p)."""
    yaw, pitch, roll = 0.4, 0.3, -0.9
    nose = rotation.rotate(rotation.from_euler([yaw, pitch, roll], "ZYX"), [1.0, 0.0, 0.0])
    expected = [np.cos(pitch) * np.cos(yaw), np.cos(pitch) * np.sin(yaw), -np.sin(pitch)]
    np.testing.assert_allclose(nose, expected, rtol=0, atol=5 * EPS)


# Stacks.


def test_leading_dimensions_broadcast(generator):
    q, v = random_orientations(generator, 6).reshape(2, 3, 4), generator.normal(size=(3, 3))
    assert rotation.rotate(q, v).shape == (2, 3, 3)
    assert rotation.rotate(SKEW, v).shape == (3, 3)
    assert rotation.rotate(q, v[0]).shape == (2, 3, 3)
    np.testing.assert_array_equal(rotation.rotate(q, v)[1, 2], rotation.rotate(q[1, 2], v[2]))
    assert rotation.multiply(q[:, :1], q[:1]).shape == (2, 3, 4)
    assert rotation.to_matrix(q).shape == (2, 3, 3, 3)
    np.testing.assert_array_equal(rotation.to_matrix(q)[1, 0], rotation.to_matrix(q[1, 0]))
    np.testing.assert_array_equal(
        rotation.from_matrix(rotation.to_matrix(q))[0, 1], rotation.from_matrix(rotation.to_matrix(q[0, 1]))
    )
    assert rotation.from_axis_angle([1.0, 2.0, 3.0], np.ones((5, 2))).shape == (5, 2, 4)
    assert rotation.rodrigues(v, 0.3).shape == (3, 3, 3)
    assert rotation.from_euler(np.ones((5, 2)), "xz").shape == (5, 4)
    assert rotation.look_along([0.0, 0.1, 1.0], v).shape == rotation.look_along(v, [0.0, 0.1, 1.0]).shape == (3, 4)
    assert rotation.slerp(SKEW, q, np.linspace(0.0, 1.0, 3)).shape == (2, 3, 4)
    assert rotation.angle_between(q, SKEW).shape == (2, 3)
    assert [part.shape for part in rotation.to_axis_angle(q)] == [(2, 3, 3), (2, 3)]
    assert rotation.orthonormalize(rotation.to_matrix(q)).shape == (2, 3, 3, 3)
    np.testing.assert_array_equal(rotation.to_scalar_first(q)[..., 0], q[..., 3])


def test_empty_stacks_stay_empty():
    none = np.empty((0, 4))
    assert rotation.rotate(none, np.empty((0, 3))).shape == (0, 3)
    assert rotation.multiply(none, SKEW).shape == (0, 4)
    assert rotation.from_matrix(rotation.to_matrix(none)).shape == (0, 4)
    assert rotation.slerp(none, SKEW, 0.5).shape == (0, 4)
    assert rotation.to_axis_angle(none)[0].shape == (0, 3)
    assert rotation.look_along(np.empty((0, 3)), [0.0, 1.0, 0.0]).shape == (0, 4)


def test_arguments_are_left_alone_and_results_are_fresh():
    given_values = [SKEW.copy(), np.array([1.0, 2.0, 3.0]), rotation.to_matrix(SKEW)]
    copies = [value.copy() for value in given_values]
    for value in given_values:
        value.flags.writeable = False
    q, v, matrix = given_values
    results = [
        rotation.multiply(q, q),
        rotation.conjugate(q),
        rotation.rotate(q, v),
        rotation.rotate_inverse(q, v),
        rotation.to_matrix(q),
        rotation.from_matrix(matrix),
        rotation.from_axis_angle(v, 0.3),
        rotation.to_axis_angle(q)[0],
        rotation.from_rotation_vector(v),
        rotation.from_euler(v, "xyz"),
        rotation.look_along(v, [0.0, 0.0, 1.0]),
        rotation.slerp(q, q, 0.0),
        rotation.to_scalar_first(q),
        rotation.from_scalar_first(q),
        rotation.orthonormalize(matrix),
        rotation.rodrigues(v, 0.3),
    ]
    for result in results:
        assert type(result) is np.ndarray
        assert result.dtype == np.float64
        result += 1.0
    for value, copy in zip(given_values, copies, strict=True):
        np.testing.assert_array_equal(value, copy)


def test_lists_integers_and_single_precision_will_do():
    np.testing.assert_array_equal(rotation.rotate([0, 0, 0, 1], [[1, 2, 3]]), [[1.0, 2.0, 3.0]])
    turned = rotation.rotate(SKEW.astype(np.float32), np.array([1, 2, 3], dtype=np.float32))
    np.testing.assert_allclose(turned, rotation.rotate(SKEW, [1.0, 2.0, 3.0]), rtol=0, atol=1e-6)
    matrix = rotation.to_matrix(SKEW).astype(np.float32)
    assert rotation.angle_between(rotation.from_matrix(matrix), nearer(SKEW, IDENTITY)) < 3e-7


def test_nearly_unit_quaternions_are_normalised_where_they_turn_and_kept_where_they_do_not():
    longer = (1.0 + 9e-7) * SKEW
    np.testing.assert_allclose(
        rotation.rotate(longer, [1.0, 2.0, 3.0]), rotation.rotate(SKEW, [1.0, 2.0, 3.0]), rtol=4 * EPS
    )
    np.testing.assert_allclose(length(rotation.multiply(longer, SKEW)), 1.0 + 9e-7, rtol=4 * EPS)
    np.testing.assert_array_equal(rotation.conjugate([1.0, 2.0, 3.0, 4.0]), [-1.0, -2.0, -3.0, 4.0])


# What is refused.

REFUSED = {
    "quaternion too long": (
        lambda: rotation.rotate(SKEW * (1.0 + 1.1e-6), [1.0, 2.0, 3.0]),
        ValueError,
        "orientation.*unit",
    ),
    "quaternion too short": (lambda: rotation.to_matrix(SKEW * (1.0 - 1.1e-6)), ValueError, "orientation.*unit"),
    "zero quaternion": (lambda: rotation.to_axis_angle([0.0, 0.0, 0.0, 0.0]), ValueError, "orientation.*unit"),
    "one bad quaternion of many": (lambda: rotation.slerp([SKEW, 2.0 * SKEW], SKEW, 0.5), ValueError, "a must be"),
    "end of slerp not unit": (lambda: rotation.slerp(SKEW, 2.0 * SKEW, 0.5), ValueError, "b must be"),
    "angle between not unit": (lambda: rotation.angle_between(SKEW, [1.0, 1.0, 1.0, 1.0]), ValueError, "b must be"),
    "three components": (lambda: rotation.rotate([0.0, 0.0, 1.0], [1.0, 2.0, 3.0]), ValueError, "orientation"),
    "four components": (lambda: rotation.rotate(SKEW, SKEW), ValueError, "vector_body"),
    "number for a vector": (lambda: rotation.rotate_inverse(SKEW, 1.0), TypeError, "vector_world"),
    "text": (lambda: rotation.multiply("xyzw", SKEW), TypeError, "a must be"),
    "texts": (lambda: rotation.multiply(SKEW, ["0", "0", "0", "1"]), TypeError, "b must be"),
    "booleans": (lambda: rotation.conjugate([False, False, False, True]), TypeError, "quaternion"),
    "complex": (lambda: rotation.conjugate(np.array([0, 0, 0, 1j])), TypeError, "quaternion"),
    "none": (lambda: rotation.from_rotation_vector(None), TypeError, "turn"),
    "nan": (lambda: rotation.from_rotation_vector([0.0, np.nan, 0.0]), ValueError, "turn"),
    "infinity": (lambda: rotation.to_scalar_first([0.0, np.inf, 0.0, 1.0]), ValueError, "quaternion"),
    "ragged": (lambda: rotation.multiply([[0.0, 0.0, 0.0, 1.0], [1.0]], SKEW), ValueError, "a must be"),
    "ragged angles": (lambda: rotation.from_axis_angle([0.0, 0.0, 1.0], [[1.0, 2.0], [1.0]]), ValueError, "angle"),
    "stacks that do not fit": (
        lambda: rotation.rotate([SKEW, SKEW], np.ones((3, 3))),
        ValueError,
        "orientation and vector_body",
    ),
    "angles that do not fit": (
        lambda: rotation.from_axis_angle(np.ones((2, 3)), np.ones(3)),
        ValueError,
        "axis and angle",
    ),
    "zero axis": (lambda: rotation.from_axis_angle([0.0, 0.0, 0.0], 1.0), ValueError, "axis.*zero"),
    "one zero axis of many": (
        lambda: rotation.rodrigues([[1.0, 0.0, 0.0], [0.0, -0.0, 0.0]], 1.0),
        ValueError,
        "axis.*zero",
    ),
    "angle is text": (lambda: rotation.rodrigues([1.0, 0.0, 0.0], "90"), TypeError, "angle"),
    "angle is nan": (lambda: rotation.from_axis_angle([1.0, 0.0, 0.0], np.nan), ValueError, "angle"),
    "angles are infinite": (lambda: rotation.from_axis_angle([1.0, 0.0, 0.0], [1.0, np.inf]), ValueError, "angle"),
    "matrix of another shape": (lambda: rotation.from_matrix(np.eye(4)), ValueError, "matrix"),
    "vector for a matrix": (lambda: rotation.from_matrix([1.0, 0.0, 0.0]), ValueError, "matrix"),
    "scaled matrix": (
        lambda: rotation.from_matrix((1.0 + 1e-6) * rotation.to_matrix(SKEW)),
        ValueError,
        "rotation matrix",
    ),
    "sheared matrix": (
        lambda: rotation.from_matrix(np.eye(3) + 1.1e-6 * np.eye(3, k=1)),
        ValueError,
        "rotation matrix",
    ),
    "reflection": (lambda: rotation.from_matrix(-rotation.to_matrix(SKEW)), ValueError, "determinant"),
    "mirror": (lambda: rotation.from_matrix(np.diag([1.0, 1.0, -1.0])), ValueError, "determinant"),
    "huge matrix": (lambda: rotation.from_matrix(np.full((3, 3), 1e200)), ValueError, "rotation matrix"),
    "zero matrix": (lambda: rotation.from_matrix(np.zeros((3, 3))), ValueError, "rotation matrix"),
    "empty sequence": (lambda: rotation.from_euler([], ""), ValueError, "sequence"),
    "four turns": (lambda: rotation.from_euler([1.0] * 4, "xyzx"), ValueError, "sequence"),
    "mixed case": (lambda: rotation.from_euler([1.0] * 3, "xYz"), ValueError, "sequence"),
    "axis twice running": (lambda: rotation.from_euler([1.0] * 3, "xxy"), ValueError, "sequence"),
    "axis twice running at the end": (lambda: rotation.from_euler([1.0] * 3, "XYY"), ValueError, "sequence"),
    "unknown axis": (lambda: rotation.from_euler([1.0] * 3, "xyw"), ValueError, "sequence"),
    "line end": (lambda: rotation.from_euler([1.0] * 3, "xyz\n"), ValueError, "sequence"),
    "sequence is no text": (lambda: rotation.from_euler([1.0] * 3, ("x", "y", "z")), TypeError, "sequence"),
    "too few angles": (lambda: rotation.from_euler([1.0, 2.0], "xyz"), ValueError, "angles"),
    "number for angles": (lambda: rotation.from_euler(1.0, "x"), TypeError, "angles"),
    "zero forward": (lambda: rotation.look_along([0.0, 0.0, 0.0], [0.0, 1.0, 0.0]), ValueError, "forward.*zero"),
    "zero up": (lambda: rotation.look_along([0.0, 1.0, 0.0], [0.0, 0.0, 0.0]), ValueError, "up.*zero"),
    "up along forward": (lambda: rotation.look_along([1.0, 2.0, 3.0], [2.0, 4.0, 6.0]), ValueError, "up.*forward"),
    "up against forward": (lambda: rotation.look_along([1.0, 2.0, 3.0], [-0.1, -0.2, -0.3]), ValueError, "up.*forward"),
    "up nearly along forward": (
        lambda: rotation.look_along([0.0, 0.0, 1.0], [9e-7, 0.0, 1.0]),
        ValueError,
        "up.*forward",
    ),
    "fraction below zero": (lambda: rotation.slerp(SKEW, IDENTITY, -1e-9), ValueError, "fraction"),
    "fraction above one": (lambda: rotation.slerp(SKEW, IDENTITY, [0.5, 1.0 + 1e-9]), ValueError, "fraction"),
    "left-handed columns": (lambda: rotation.orthonormalize(np.diag([1.0, 1.0, -1.0])), ValueError, "right-handed"),
    "flat columns": (
        lambda: rotation.orthonormalize([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0]]),
        ValueError,
        "plane",
    ),
    "parallel columns": (
        lambda: rotation.orthonormalize([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        ValueError,
        "plane",
    ),
    "zero column": (lambda: rotation.orthonormalize(np.diag([0.0, 1.0, 1.0])), ValueError, "plane"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_argument_is_refused_by_name(case):
    call, kind, text = REFUSED[case]
    with pytest.raises(kind, match=rf"(?s)^rotation\.\w+: .*{text}"):
        call()


def test_up_just_off_forward_is_taken():
    q = rotation.look_along([0.0, 0.0, 1.0], [0.0, 1.1e-6, 1.0])
    np.testing.assert_allclose(q, IDENTITY, rtol=0, atol=2 * EPS)


def test_matrix_within_the_tolerance_is_taken():
    matrix = (1.0 + 4e-7) * rotation.to_matrix(SKEW)
    assert rotation.angle_between(rotation.from_matrix(matrix), SKEW) < 1e-6
