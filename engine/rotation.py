"""Rotations by unit quaternions, for single values and for stacks.

Quaternions are scalar-last (x, y, z, w), with Hamilton's product (i j = k). They are active and rotate from the body frame to the world
frame. `multiply(a, b)` rotates by b first.

Arguments are arrays or nested lists, whose leading dimensions broadcast as in NumPy. Results are new float64 arrays, or plain numbers if
their shape is (). Every function raises `TypeError` for anything that is not a real number. It raises `ValueError` for values that are not
finite, wrong shapes, zero vectors where a direction is needed, quaternions more than 1e-6 from unit length where a rotation is needed, and
arguments so large that the result is not finite. Quaternions within that distance are normalised. An error of "n eps", with eps = 2.2e-16,
is the largest error of a component over 2e5 random arguments, compared with long double.

Single values are computed in plain floats, in a few microseconds and without compilation. NumPy computes stacks; after `prepare()`,
compiled loops compute them where they are faster. All three give the same bits on every machine, because they run the same formulas, with
the kernels' own sines and arctangents.

Example:
    >>> import numpy as np
    >>> from engine import rotation
    >>> quarter_turn = rotation.from_axis_angle((0.0, 0.0, 1.0), np.pi / 2)
    >>> rotation.rotate(quarter_turn, (1.0, 0.0, 0.0)).round(12).tolist()
    [0.0, 1.0, 0.0]
"""

from __future__ import annotations  # help() then shows them as written

import numpy.typing as npt

from . import checks
from .checks import FloatArray
from .formulas import DIRECTION, MATRIX, NUMBER, ORIENTATION, QUATERNION, VECTOR, Formula, numbers
from .kernels import quaternions, rotations

__all__ = [
    "angle_between",
    "conjugate",
    "from_axis_angle",
    "from_euler",
    "from_matrix",
    "from_modified_rodrigues",
    "from_rotation_vector",
    "from_scalar_first",
    "look_along",
    "multiply",
    "orthonormalize",
    "prepare",
    "rodrigues",
    "rotate",
    "rotate_inverse",
    "slerp",
    "to_axis_angle",
    "to_matrix",
    "to_modified_rodrigues",
    "to_rotation_vector",
    "to_scalar_first",
]


def multiply(a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    """Hamilton product a b of two quaternions; as a rotation, b is applied first and then a.

    Args:
        a: A quaternion of any length, scalar-last (x, y, z, w), shape (..., 4).
        b: A quaternion of any length, scalar-last (x, y, z, w), shape (..., 4).

    Returns:
        The product, scalar-last (x, y, z, w), shape (..., 4). It is not normalised: its length is the product of the lengths.

    Raises:
        ValueError: If a component of the product would exceed the largest float.

    Error: 2 eps (eps = 2.2e-16) of ``|a| |b|``.

    Example:
        >>> multiply((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0)).tolist()
        [0.0, 0.0, 1.0, 0.0]
    """
    return _multiply(a, b)


def conjugate(quaternion: npt.ArrayLike) -> FloatArray:
    """Conjugate of a quaternion; for a unit quaternion, the inverse rotation. Exact.

    Args:
        quaternion: A quaternion of any length, scalar-last (x, y, z, w), shape (..., 4).

    Returns:
        (−x, −y, −z, w), shape (..., 4).

    Example:
        >>> conjugate((0.5, 0.5, 0.5, 0.5)).tolist()
        [-0.5, -0.5, -0.5, 0.5]
    """
    return _conjugate(quaternion)


def rotate(orientation: npt.ArrayLike, vector_body: npt.ArrayLike) -> FloatArray:
    """Rotate vectors from the body frame to the world frame.

    To convert a point, add the body's origin to the result. Directions, rates, forces and torques need no such step.

    Args:
        orientation: Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).
        vector_body: Any vector quantity, body frame, shape (..., 3).

    Returns:
        The same quantity and unit, world frame, shape (..., 3).

    Raises:
        ValueError: If a component of the result would exceed the largest float.

    Error: 6 eps (eps = 2.2e-16) of the vector's length.
    Source: ``q v q*``, expanded in `kernels.quaternions.rotate`.

    Example:
        >>> rotate((0.5, 0.5, 0.5, 0.5), (1.0, 2.0, 3.0)).tolist()
        [3.0, 1.0, 2.0]
    """
    return _rotate(orientation, vector_body)


def rotate_inverse(orientation: npt.ArrayLike, vector_world: npt.ArrayLike) -> FloatArray:
    """Rotate vectors from the world frame to the body frame, the inverse of `rotate`.

    Args:
        orientation: Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).
        vector_world: Any vector quantity, world frame, shape (..., 3).

    Returns:
        The same quantity and unit, body frame, shape (..., 3).

    Error: 6 eps (eps = 2.2e-16) of the vector's length.
    Source: ``q* v q``.

    Example:
        >>> rotate_inverse((0.5, 0.5, 0.5, 0.5), (3.0, 1.0, 2.0)).tolist()
        [1.0, 2.0, 3.0]
    """
    return _rotate_inverse(orientation, vector_world)


def to_matrix(orientation: npt.ArrayLike) -> FloatArray:
    """Rotation matrix R of an orientation, with ``v_world = R v_body`` for column vectors.

    Args:
        orientation: Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).

    Returns:
        Matrices, shape (..., 3, 3). The columns are the body's axes in the world frame. A renderer with row vectors, which computes
        ``v R``, needs the transpose.

    Error: 6 eps (eps = 2.2e-16).

    Example:
        >>> to_matrix((0.5, 0.5, 0.5, 0.5)).tolist()
        [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    return _to_matrix(orientation)


def from_matrix(matrix: npt.ArrayLike) -> FloatArray:
    """Quaternion of a rotation matrix, with w ≥ 0.

    Args:
        matrix: Rotation R with ``v_world = R v_body``, shape (..., 3, 3).

    Returns:
        Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).

    Raises:
        ValueError: If R is a reflection, or an element of ``RᵀR`` differs by more than 1e-6 from that of the identity matrix (see
            `orthonormalize`).

    Error: 2 eps (eps = 2.2e-16) at every angle, including half turns, in addition to the error of R itself.
    Source: Shepperd (1978), see `kernels.rotations.from_columns`.

    Example:
        >>> from_matrix([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]).tolist()
        [0.5, 0.5, 0.5, 0.5]
    """
    return _from_matrix(matrix)


def from_axis_angle(axis: npt.ArrayLike, angle: npt.ArrayLike) -> FloatArray:
    """Quaternion of a rotation about an axis, counter-clockwise seen from the tip of the axis.

    Args:
        axis: Axis of the rotation, a non-zero vector, with the same components in the body frame and in the world frame, shape (..., 3).
        angle: Any angle [rad], shape (...).

    Returns:
        Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4). An angle larger by 2π gives its negative.

    Error: 2 eps (eps = 2.2e-16).

    Example:
        >>> import math
        >>> from_axis_angle((0.0, 0.0, 2.0), math.pi / 2).round(3).tolist()
        [0.0, 0.0, 0.707, 0.707]
    """
    return _from_axis_angle(axis, angle)


def to_axis_angle(orientation: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Axis and angle of a rotation, the shorter way round.

    Args:
        orientation: Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).

    Returns:
        Unit axis, shape (..., 3), and angle [rad] in [0, π], shape (...). If there is no rotation, the axis is (0, 0, 1).

    Error: axis 2 eps (eps = 2.2e-16); angle 3 eps, and for small angles 3 eps of the angle.

    Example:
        >>> axis, angle = to_axis_angle((0.0, 0.0, 1.0, 0.0))
        >>> axis.tolist(), round(float(angle), 6)
        ([0.0, 0.0, 1.0], 3.141593)
    """
    both = _to_axis_angle(orientation)
    return both[..., :3].copy(), +both[..., 3]  # the sign makes a copy, and a number of one angle


def from_rotation_vector(turn: npt.ArrayLike) -> FloatArray:
    """Quaternion of a rotation vector, whose direction is the axis and whose length is the angle; exact at zero.

    Args:
        turn: Axis times angle [rad], shape (..., 3).

    Returns:
        Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).

    Error: 2 eps (eps = 2.2e-16), plus ``eps |turn|`` because the length of `turn` is rounded. Below one radian, the vector part has a
        relative error of 4 eps.

    Example:
        >>> import math
        >>> from_rotation_vector((0.0, 0.0, math.pi / 2)).round(3).tolist()
        [0.0, 0.0, 0.707, 0.707]
    """
    return _from_rotation_vector(turn)


def to_rotation_vector(orientation: npt.ArrayLike) -> FloatArray:
    """Rotation vector of a rotation, the shorter way round; its direction is the axis and its length the angle.

    Args:
        orientation: Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).

    Returns:
        Axis times angle [rad], shape (..., 3), of length at most π. It is zero if there is no rotation. For half a turn, both signs are
        right, and the one of the quaternion's vector part is returned.

    Error: 4 eps (eps = 2.2e-16) of the angle.

    Example:
        >>> to_rotation_vector((0.0, 0.0, 0.6, 0.8)).round(3).tolist()
        [0.0, 0.0, 1.287]
    """
    return _to_rotation_vector(orientation)


def to_modified_rodrigues(orientation: npt.ArrayLike) -> FloatArray:
    """Modified Rodrigues parameters of a rotation, the shorter way round: the axis times the tangent of a quarter of the angle.

    Args:
        orientation: Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).

    Returns:
        ``(x, y, z)/(1 + w)`` of the quaternion whose w is at least 0, shape (..., 3), of length at most 1. They describe the rotation from
        body to world. Their axis and angle are those of the rotation that turns the world's axes into the body's, so they are the σ of
        body relative to world in the textbooks.

    Error: 2 eps (eps = 2.2e-16) of their length.

    Source: Schaub and Junkins, Analytical Mechanics of Space Systems, section 3.5.

    Example:
        >>> to_modified_rodrigues((0.0, 0.0, 0.6, 0.8)).round(6).tolist()
        [0.0, 0.0, 0.333333]
    """
    return _to_modified_rodrigues(orientation)


def from_modified_rodrigues(parameters: npt.ArrayLike) -> FloatArray:
    """Quaternion of modified Rodrigues parameters.

    Args:
        parameters: The axis times the tangent of a quarter of the angle, shape (..., 3), as from `to_modified_rodrigues`. A length above 1
            stands for more than half a turn.

    Returns:
        Unit quaternion ``(2 σ, 1 − σ²)/(1 + σ²)``, scalar-last (x, y, z, w), body to world, shape (..., 4). Its w is negative if the length
        of σ is above 1.

    Error: 2 eps (eps = 2.2e-16). Below a length of 1, the vector part has a relative error of 4 eps.

    Source: Schaub and Junkins, Analytical Mechanics of Space Systems, section 3.5.

    Example:
        >>> from_modified_rodrigues((0.0, 0.0, 1.0 / 3.0)).round(6).tolist()
        [0.0, 0.0, 0.6, 0.8]
    """
    return _from_modified_rodrigues(parameters)


def from_euler(angles: npt.ArrayLike, sequence: str) -> FloatArray:
    """Quaternion of one to three rotations about coordinate axes, in the convention of SciPy's `Rotation.from_euler`.

    Args:
        angles: Angles [rad] in the order of the letters, shape (..., n) for n letters.
        sequence: One to three axes, with no axis twice in a row. Upper case is intrinsic, about the axes as they are after the previous
            rotations ("ZYX" is yaw, pitch, roll). Lower case is extrinsic, about fixed axes. "ABC" is "cba" with the angles reversed.

    Returns:
        Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).

    Raises:
        TypeError: If `sequence` is not a string, or an angle is not a real number.
        ValueError: If `sequence` is not of this form, or the number of angles differs from the number of letters.

    Error: 2 eps (eps = 2.2e-16).

    Example:
        >>> import math
        >>> yaw, pitch, roll = math.radians(90.0), 0.0, 0.0
        >>> from_euler((yaw, pitch, roll), "ZYX").round(3).tolist()
        [0.0, 0.0, 0.707, 0.707]
    """
    formula = _from_euler.get(sequence) if isinstance(sequence, str) else None
    if formula is None:
        rule = 'one to three of "xyz" (extrinsic) or of "XYZ" (intrinsic), with no axis twice in a row'
        kind = ValueError if isinstance(sequence, str) else TypeError
        checks.refuse("rotation.from_euler", "sequence", sequence, rule, kind)
    return formula(angles)


def look_along(forward: npt.ArrayLike, up: npt.ArrayLike) -> FloatArray:
    """Orientation whose body z axis points along `forward` and whose body y axis points as nearly along `up` as possible.

    The body x axis then points along ``up × forward``. A craft that is modelled along z, with its engine at the rear pushing towards +z,
    flies along `forward` with +y overhead and +x to the left. A graphics camera looks along its −z axis: pass −forward for it.

    Args:
        forward: A non-zero vector, world frame, shape (..., 3).
        up: A non-zero vector that is not parallel to `forward` (to 1e-6 rad), world frame, shape (..., 3).

    Returns:
        Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).

    Raises:
        ValueError: If `forward` or `up` is zero, or if they are parallel.

    Error: 2 eps (eps = 2.2e-16); in the rotation about `forward`, 2 eps divided by the sine of the angle between the two.

    Example:
        >>> look_along((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)).round(12).tolist()
        [0.5, 0.5, 0.5, 0.5]
    """
    return _look_along(forward, up)


def slerp(a: npt.ArrayLike, b: npt.ArrayLike, fraction: npt.ArrayLike) -> FloatArray:
    """Spherical linear interpolation from one orientation to another, about one fixed axis and by the shorter way round.

    Args:
        a: Unit quaternion at fraction 0, scalar-last (x, y, z, w), body to world, shape (..., 4).
        b: Unit quaternion at fraction 1, scalar-last (x, y, z, w), body to world, shape (..., 4).
        fraction: From 0 to 1, shape (...).

    Returns:
        Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4). It is exactly a at 0, and exactly b or −b at 1, each
        normalised. If they are half a turn apart, so that both ways are equally short, it ends at b.

    Raises:
        ValueError: If `fraction` is outside [0, 1].

    Error: 3 eps (eps = 2.2e-16), however small or large the angle is; the length is 1 within 3 eps.
    Source: Shoemake (1985), with ``sin(tφ)/sin φ`` written in terms of ``sin(x)/x``, so that it holds at φ = 0.

    Example:
        >>> slerp((0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.0), 0.5).round(3).tolist()
        [0.0, 0.0, 0.707, 0.707]
    """
    return _slerp(a, b, fraction)


def angle_between(a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    """Angle of the shortest rotation from one orientation to another.

    q and −q are the same orientation, so the angle between them is zero.

    Args:
        a: Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).
        b: Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).

    Returns:
        Angle [rad] in [0, π], shape (...).

    Error: 4 eps (eps = 2.2e-16), even at small angles, where ``2 arccos(a · b)`` would be wrong by 2e-8 rad.

    Example:
        >>> round(float(angle_between((0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.0))), 6)
        3.141593
    """
    return _angle_between(a, b)


def to_scalar_first(quaternion: npt.ArrayLike) -> FloatArray:
    """Convert scalar-last (x, y, z, w), the order of this engine, to scalar-first (w, x, y, z). Exact.

    Args:
        quaternion: A quaternion of any length, scalar-last (x, y, z, w), shape (..., 4).

    Returns:
        (w, x, y, z), shape (..., 4).

    Example:
        >>> to_scalar_first((0.0, 0.0, 0.0, 1.0)).tolist()
        [1.0, 0.0, 0.0, 0.0]
    """
    return _to_scalar_first(quaternion)


def from_scalar_first(quaternion: npt.ArrayLike) -> FloatArray:
    """Convert scalar-first (w, x, y, z) to scalar-last (x, y, z, w), the order of this engine. Exact.

    Args:
        quaternion: A quaternion of any length, scalar-first (w, x, y, z), shape (..., 4).

    Returns:
        (x, y, z, w), shape (..., 4).

    Example:
        >>> from_scalar_first((1.0, 0.0, 0.0, 0.0)).tolist()
        [0.0, 0.0, 0.0, 1.0]
    """
    return _from_scalar_first(quaternion)


def orthonormalize(matrix: npt.ArrayLike) -> FloatArray:
    """Rotation matrix from a matrix that has drifted, with columns T, N, B.

    T keeps its direction, N stays in the plane of T and N, and B becomes ``T × N``. A matrix that is integrated needs this every few
    steps, because its nine numbers have only three degrees of freedom. A quaternion only has to be normalised, which is why the engine
    integrates quaternions.

    Args:
        matrix: Columns T, N, B of any length, right-handed, shape (..., 3, 3).

    Returns:
        Rotation matrix, shape (..., 3, 3). It is not the nearest one, because T never moves.

    Raises:
        ValueError: If the columns are left-handed or lie in one plane (the unit vectors along them span a volume of at most 1e-6).

    Error: an element of ``RᵀR`` is within 5 eps (eps = 2.2e-16) of the unit matrix.
    Source: Maggiore, "Integration, rotation matrices, and quaternions", Gram-Schmidt, with ``N' = N − T (N · T)``. The slide's
        ``N − N (N · T)`` changes only the length of N (erratum G4).

    Example:
        >>> orthonormalize([[2.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 3.0]]).tolist()
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    return _orthonormalize(matrix)


def rodrigues(axis: npt.ArrayLike, angle: npt.ArrayLike) -> FloatArray:
    """Rotation matrix of a rotation about an axis, by Rodrigues' formula.

    ``R = 1 + sin θ D + (1 − cos θ) D²``, where ``D v = d × v`` with the unit axis d. D removes the part of v along d and rotates the rest
    by a quarter turn. R therefore leaves the part along d unchanged, and multiplies the part across it by cos θ and adds sin θ times the
    part rotated by a quarter turn. This needs neither a basis around d nor the half angle.

    Args:
        axis: Axis of the rotation, a non-zero vector, with the same components in the body frame and in the world frame, shape (..., 3).
        angle: Any angle [rad], shape (...).

    Returns:
        Matrix R with ``v_world = R v_body``, shape (..., 3, 3).

    Error: 8 eps (eps = 2.2e-16).
    Source: Maggiore, "Integration, rotation matrices, and quaternions", primer.

    Example:
        >>> import math
        >>> rodrigues((0.0, 0.0, 1.0), math.pi / 2).round(12).tolist()
        [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    return _rodrigues(axis, angle)


def prepare() -> None:
    """Compile the loops that make stacks faster, or load them from the cache.

    This takes a few seconds on the first run on a machine. Nothing else in this module compiles anything. The results are bit for bit the
    same with and without it. Without numba, or with numba switched off, it does nothing.

    Example:
        >>> prepare()
        >>> rotate([[0.5, 0.5, 0.5, 0.5]] * 1000, [1.0, 2.0, 3.0])[999]
        array([3., 1., 2.])
    """
    for formula in _WITH_LOOPS:
        formula.prepare()


# What the functions above call. An argument is named as `rejected` where it may be good by itself and still lead to no result.

_ANY = {"quaternion": QUATERNION}
_UNIT = {"orientation": ORIENTATION}
_ENDS = {"a": ORIENTATION, "b": ORIENTATION}
_TURN = {"axis": DIRECTION, "angle": NUMBER}

_multiply = Formula(
    "rotation.multiply", quaternions.multiply, {"a": QUATERNION, "b": QUATERNION}, (4,), rejected=("a", "b")
)
_conjugate = Formula("rotation.conjugate", quaternions.conjugate, _ANY, (4,))
_rotate = Formula(
    "rotation.rotate",
    rotations.to_world,
    {**_UNIT, "vector_body": VECTOR},
    (3,),
    rejected=("vector_body",),
)
_rotate_inverse = Formula(
    "rotation.rotate_inverse",
    rotations.to_body,
    {**_UNIT, "vector_world": VECTOR},
    (3,),
    rejected=("vector_world",),
)
_to_matrix = Formula("rotation.to_matrix", rotations.to_matrix, _UNIT, (3, 3))
_from_matrix = Formula(
    "rotation.from_matrix",
    rotations.from_matrix,
    {"matrix": MATRIX},
    (4,),
    rejected=("matrix",),
    rule=f"a rotation matrix (orthogonal within {rotations.MATRIX_TOLERANCE:g}, determinant +1)",
)
_from_axis_angle = Formula("rotation.from_axis_angle", rotations.from_axis_angle, _TURN, (4,))
_to_axis_angle = Formula("rotation.to_axis_angle", rotations.to_axis_angle, _UNIT, (4,))
_from_rotation_vector = Formula("rotation.from_rotation_vector", rotations.from_rotation_vector, {"turn": VECTOR}, (4,))
_to_rotation_vector = Formula("rotation.to_rotation_vector", rotations.to_rotation_vector, _UNIT, (3,))
_to_modified_rodrigues = Formula("rotation.to_modified_rodrigues", rotations.to_modified_rodrigues, _UNIT, (3,))
_from_modified_rodrigues = Formula(
    "rotation.from_modified_rodrigues", rotations.from_modified_rodrigues, {"parameters": VECTOR}, (4,)
)
_from_euler = {
    sequence: Formula("rotation.from_euler", rotations.from_euler(sequence), {"angles": numbers(len(sequence))}, (4,))
    for sequence in rotations.SEQUENCES
}
_look_along = Formula(
    "rotation.look_along",
    rotations.look_along,
    {"forward": DIRECTION, "up": DIRECTION},
    (4,),
    rejected=("up",),
    rule=f"a vector that is not parallel to forward (sine of the angle above {rotations.PARALLEL:g})",
)
_slerp = Formula(
    "rotation.slerp",
    rotations.slerp,
    {**_ENDS, "fraction": NUMBER},
    (4,),
    rejected=("fraction",),
    rule="from 0 to 1",
)
_angle_between = Formula("rotation.angle_between", rotations.angle_between, _ENDS, ())
_to_scalar_first = Formula("rotation.to_scalar_first", rotations.to_scalar_first, _ANY, (4,))
_from_scalar_first = Formula("rotation.from_scalar_first", rotations.from_scalar_first, _ANY, (4,))
_orthonormalize = Formula(
    "rotation.orthonormalize",
    rotations.orthonormalize,
    {"matrix": MATRIX},
    (3, 3),
    rejected=("matrix",),
    rule="three right-handed columns that do not lie in one plane",
)
_rodrigues = Formula("rotation.rodrigues", rotations.rodrigues, _TURN, (3, 3))

_WITH_LOOPS = (
    *(_conjugate, _rotate, _rotate_inverse, _to_matrix, _from_axis_angle, _from_rotation_vector, _rodrigues),
    *(_to_modified_rodrigues, _from_modified_rodrigues),
)
"""Those that NumPy computes no faster than SciPy does, measured on stacks of 1000."""
