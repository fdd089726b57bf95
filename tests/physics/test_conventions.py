"""The conventions, pinned: scalar-last (x, y, z, w), Hamilton, active, body to world; and how pyrr's join them.

Random cases are odd angles about skew axes: a transposed matrix or a swapped order hides on identity and half turns.
"""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from engine import rotation

X, Y, Z = np.eye(3)
EPS = np.finfo(float).eps
# SciPy and the engine may each be off by a few roundings; a wrong convention is off by 0.1 or more.
CLOSE = 20 * EPS

QUARTER_ABOUT_Z = np.array([0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)])
INERTIA_BODY = np.array([[4.1, -0.7, 0.3], [-0.7, 5.2, 0.9], [0.3, 0.9, 3.3]])  # [kg·m²], of a body that can exist


@pytest.fixture
def generator():
    return np.random.default_rng(20240611)


def random_orientations(generator, count=200):
    q = generator.normal(size=(count, 4))
    return q / np.sqrt(np.square(q).sum(axis=-1, keepdims=True))


def same_rotation(a, b, tolerance=CLOSE):
    """q and −q are one rotation."""
    sign = np.where((a * b).sum(axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    return np.abs(a - sign * b).max() <= tolerance


def test_quarter_turn_about_z_takes_x_to_y():
    np.testing.assert_allclose(rotation.rotate(QUARTER_ABOUT_Z, X), Y, rtol=0, atol=CLOSE)
    np.testing.assert_allclose(rotation.to_matrix(QUARTER_ABOUT_Z) @ X, Y, rtol=0, atol=CLOSE)
    np.testing.assert_allclose(rotation.from_axis_angle(Z, np.pi / 2), QUARTER_ABOUT_Z, rtol=0, atol=CLOSE)


def test_product_is_hamiltons():
    i, j, k, one = np.eye(4)
    np.testing.assert_array_equal(rotation.multiply(i, j), k)
    np.testing.assert_array_equal(rotation.multiply(j, i), -k)
    np.testing.assert_array_equal(rotation.multiply([i, j, k], [i, j, k]), [-one, -one, -one])


def test_scalar_comes_last():
    np.testing.assert_array_equal(rotation.from_rotation_vector([0.0, 0.0, 0.0]), [0.0, 0.0, 0.0, 1.0])
    np.testing.assert_array_equal(rotation.to_scalar_first([1.0, 2.0, 3.0, 4.0]), [4.0, 1.0, 2.0, 3.0])
    np.testing.assert_array_equal(rotation.from_scalar_first([4.0, 1.0, 2.0, 3.0]), [1.0, 2.0, 3.0, 4.0])


def test_product_applies_its_second_factor_first(generator):
    """Erratum V12: Ganapathi has p q as "p, q in sequence"; it is q first, then p."""
    p, q = random_orientations(generator), random_orientations(generator)
    vector = generator.normal(size=(200, 3))
    product = rotation.rotate(rotation.multiply(p, q), vector)
    np.testing.assert_allclose(product, rotation.rotate(p, rotation.rotate(q, vector)), rtol=0, atol=5 * CLOSE)
    as_printed = rotation.rotate(q, rotation.rotate(p, vector))
    assert np.median(np.abs(product - as_printed).max(axis=-1)) > 0.1


def test_rotate_agrees_with_scipy(generator):
    q, vector = random_orientations(generator), generator.normal(size=(200, 3))
    theirs = Rotation.from_quat(q)
    np.testing.assert_allclose(rotation.rotate(q, vector), theirs.apply(vector), rtol=0, atol=5 * CLOSE)
    np.testing.assert_allclose(rotation.rotate_inverse(q, vector), theirs.inv().apply(vector), rtol=0, atol=5 * CLOSE)


def test_matrices_agree_with_scipy(generator):
    q = random_orientations(generator)
    matrices = Rotation.from_quat(q).as_matrix()
    np.testing.assert_allclose(rotation.to_matrix(q), matrices, rtol=0, atol=CLOSE)
    assert same_rotation(rotation.from_matrix(matrices), q)


def test_product_and_inverse_agree_with_scipy(generator):
    p, q = random_orientations(generator), random_orientations(generator)
    assert same_rotation(rotation.multiply(p, q), (Rotation.from_quat(p) * Rotation.from_quat(q)).as_quat())
    assert same_rotation(rotation.conjugate(q), Rotation.from_quat(q).inv().as_quat())


def test_rotation_vectors_agree_with_scipy(generator):
    turns = generator.normal(size=(200, 3))
    assert same_rotation(rotation.from_rotation_vector(turns), Rotation.from_rotvec(turns).as_quat())
    axis, angle = rotation.to_axis_angle(rotation.from_rotation_vector(turns))
    theirs = Rotation.from_rotvec(turns).as_rotvec()
    np.testing.assert_allclose(angle[:, np.newaxis] * axis, theirs, rtol=0, atol=CLOSE)


SEQUENCES = [
    "".join(axes)
    for count in (1, 2, 3)
    for axes in itertools.product("xyz", repeat=count)
    if all(a != b for a, b in itertools.pairwise(axes))
]


@pytest.mark.parametrize("sequence", SEQUENCES + [sequence.upper() for sequence in SEQUENCES])
def test_euler_angles_agree_with_scipy(generator, sequence):
    angles = generator.uniform(-np.pi, np.pi, size=(20, len(sequence)))
    assert same_rotation(rotation.from_euler(angles, sequence), Rotation.from_euler(sequence, angles).as_quat())


def test_slerp_agrees_with_scipy(generator):
    for a, b in zip(random_orientations(generator, 20), random_orientations(generator, 20), strict=True):
        fractions = generator.uniform(size=7)
        theirs = Slerp([0.0, 1.0], Rotation.from_quat([a, b]))(fractions).as_quat()
        assert same_rotation(rotation.slerp(a, b, fractions), theirs)


def test_scalar_first_order_agrees_with_scipy(generator):
    q = random_orientations(generator)
    theirs = Rotation.from_quat(q).as_quat(scalar_first=True)
    np.testing.assert_allclose(rotation.to_scalar_first(q), theirs, rtol=0, atol=CLOSE)


def test_inertia_tensor_goes_to_world_axes_as_scipy_takes_it(generator):
    """I_world = R I Rᵀ, with off-diagonal terms; and L = I ω is the same vector in either frame."""
    for q in random_orientations(generator, 20):
        matrix = rotation.to_matrix(q)
        inertia_world = matrix @ INERTIA_BODY @ matrix.T
        theirs = Rotation.from_quat(q).as_matrix()
        np.testing.assert_allclose(inertia_world, theirs @ INERTIA_BODY @ theirs.T, rtol=0, atol=10 * CLOSE)

        angular_velocity_body = generator.normal(size=3)
        angular_momentum_world = rotation.rotate(q, INERTIA_BODY @ angular_velocity_body)
        by_world_axes = inertia_world @ rotation.rotate(q, angular_velocity_body)
        np.testing.assert_allclose(angular_momentum_world, by_world_axes, rtol=0, atol=20 * CLOSE)
        transposed = matrix.T @ INERTIA_BODY @ matrix @ rotation.rotate(q, angular_velocity_body)
        assert np.abs(angular_momentum_world - transposed).max() > 0.01


# What a renderer relies on in pyrr: matrices for row vectors, p @ model @ view @ projection, translation in the last.

EYE, TARGET, UP = np.array([3.0, -2.0, 5.0]), np.array([0.5, 1.0, -1.0]), np.array([0.2, 0.3, 1.0])


@pytest.fixture
def matrix44():
    return pytest.importorskip("pyrr").matrix44


def test_pyrr_translation_is_for_row_vectors(matrix44):
    translation = matrix44.create_from_translation(np.array([1.5, -2.5, 3.5]))
    np.testing.assert_array_equal(np.array([0.25, 0.5, 0.75, 1.0]) @ translation, [1.75, -2.0, 4.25, 1.0])


def test_pyrr_view_puts_the_target_straight_ahead_on_minus_z(matrix44):
    view = matrix44.create_look_at(EYE, TARGET, UP)
    distance = np.sqrt(np.square(TARGET - EYE).sum())
    np.testing.assert_allclose([*TARGET, 1.0] @ view, [0.0, 0.0, -distance, 1.0], rtol=0, atol=1e-14)
    np.testing.assert_allclose([*EYE, 1.0] @ view, [0.0, 0.0, 0.0, 1.0], rtol=0, atol=1e-14)
    to_the_right = np.cross(TARGET - EYE, UP)
    seen = np.array([*(TARGET + to_the_right), 1.0]) @ view
    assert seen[0] > 1.0
    assert abs(seen[1]) < 1e-14


def test_pyrr_view_is_the_engines_camera_seen_from_behind(matrix44):
    """The camera's axes in the world, right, up and back, are those of `look_along(−forward, up)`."""
    camera = rotation.look_along(EYE - TARGET, UP)
    view = matrix44.create_look_at(EYE, TARGET, UP)
    np.testing.assert_allclose(view[:3, :3], rotation.to_matrix(camera), rtol=0, atol=CLOSE)


def test_pyrr_projection_takes_degrees_and_maps_the_frustum_to_the_cube(matrix44):
    field_of_view, aspect, near, far = 50.0, 1.6, 0.5, 80.0
    projection = matrix44.create_perspective_projection(field_of_view, aspect, near, far)
    for depth, expected in ((near, -1.0), (far, 1.0)):
        height = depth * np.tan(np.radians(field_of_view / 2))
        clip = np.array([-aspect * height, height, -depth, 1.0]) @ projection
        assert clip[3] == pytest.approx(depth)
        np.testing.assert_allclose(clip[:3] / clip[3], [-1.0, 1.0, expected], rtol=0, atol=1e-12)


def test_engine_pose_joins_pyrr_matrices_transposed(matrix44, generator):
    """A point of the body lands on the screen where origin + q p q* is seen from the eye; as bytes for a shader too."""
    (q,) = random_orientations(generator, 1)
    point_body, origin = generator.normal(size=3), np.array([0.7, 0.4, -0.2])
    model = np.eye(4)
    model[:3, :3] = rotation.to_matrix(q).T
    model = model @ matrix44.create_from_translation(origin)
    point_world = origin + rotation.rotate(q, point_body)
    np.testing.assert_allclose([*point_body, 1.0] @ model, [*point_world, 1.0], rtol=0, atol=1e-14)

    view = matrix44.create_look_at(EYE, TARGET, UP)
    whole = model @ view @ matrix44.create_perspective_projection(50.0, 1.6, 0.5, 80.0)
    # right, up and depth by hand, from the eye's own axes
    right, up, back = (rotation.rotate(rotation.look_along(EYE - TARGET, UP), axis) for axis in (X, Y, Z))
    from_eye = point_world - EYE
    depth, scale = -back @ from_eye, 1.0 / np.tan(np.radians(25.0))
    on_screen = [scale / 1.6 * (right @ from_eye) / depth, scale * (up @ from_eye) / depth]
    clip = [*point_body, 1.0] @ whole
    np.testing.assert_allclose(clip[:2] / clip[3], on_screen, rtol=0, atol=1e-13)

    # a shader reads the bytes column by column, and multiplies column vectors: no transpose on the way
    as_shader_reads = np.frombuffer(whole.tobytes()).reshape(4, 4, order="F")
    np.testing.assert_allclose(as_shader_reads @ [*point_body, 1.0], clip, rtol=0, atol=1e-13)


def test_pyrr_matrix_of_a_quaternion_turns_the_other_way_from_its_product():
    """Why every rotation comes from the engine: +90° about z takes x to +y by pyrr's product, to −y by its matrix."""
    pyrr = pytest.importorskip("pyrr")
    by_product = pyrr.quaternion.apply_to_vector(QUARTER_ABOUT_Z, X)
    by_matrix = pyrr.matrix33.apply_to_vector(pyrr.matrix33.create_from_quaternion(QUARTER_ABOUT_Z), X)
    np.testing.assert_allclose(by_product, Y, rtol=0, atol=CLOSE)
    np.testing.assert_allclose(by_matrix, -Y, rtol=0, atol=CLOSE)


def test_pyrr_product_is_the_engines(generator):
    pyrr = pytest.importorskip("pyrr")
    for p, q in zip(random_orientations(generator, 10), random_orientations(generator, 10), strict=True):
        np.testing.assert_allclose(rotation.multiply(p, q), pyrr.quaternion.cross(p, q), rtol=0, atol=CLOSE)
