"""Rotations of stacks of vectors by stacks of quaternions: the one public file that knows the order of the components.

Scalar-last (x, y, z, w); Hamilton's product, i j = k; active, body axes to world axes; `multiply(a, b)` does b first.

Arguments are arrays or nested lists whose leading dimensions broadcast as NumPy's do. What comes back is a fresh float64 array, a plain
number where its shape is (). Rejected everywhere: what is not a real number (`TypeError`); what is not finite or has another shape, zero
vectors where a direction is meant, quaternions further than 1e-6 from unit length where a rotation is meant, and arguments so large that
the result is not finite (`ValueError`). Quaternions within that distance are normalised. An error of "n eps", eps 2.2e-16, bounds each
component, as seen over 2e5 random arguments against long double.

One value is computed in plain floats, in a few microseconds and with nothing compiled. NumPy computes stacks; after `prepare()`, compiled
loops do, where they are faster. The bits are the same each way and on every machine: those of the compiled step for products and turned
vectors, and sines and arctangents come from the kernels' own series.
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
    "to_scalar_first",
]


def multiply(a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    """Hamilton's product a b: as rotations, b first and then a.

    Args:
        a: A quaternion of any length, scalar-last (x, y, z, w), shape (..., 4).
        b: The other one, shape (..., 4).

    Returns:
        The product, scalar-last (x, y, z, w), shape (..., 4), not normalised: its length is the product of the lengths.

    Raises:
        ValueError: The quaternions are so long that a component of the result would be beyond the largest float.

    Error: 2 eps of |a||b|.
    """
    return _multiply(a, b)


def conjugate(quaternion: npt.ArrayLike) -> FloatArray:
    """The vector part negated: the inverse rotation, world axes to body axes, for a unit quaternion. Exact.

    Args:
        quaternion: Any length, scalar-last (x, y, z, w), shape (..., 4).
    """
    return _conjugate(quaternion)


def rotate(orientation: npt.ArrayLike, vector_body: npt.ArrayLike) -> FloatArray:
    """Turn vectors from body axes to world axes. A point needs its origin added; a direction, rate or torque does not.

    Args:
        orientation: Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).
        vector_body: Any vector quantity, body frame, shape (..., 3).

    Returns:
        The same quantity and unit, world frame, shape (..., 3).

    Raises:
        ValueError: The vector is so long that a component of the result would be beyond the largest float.

    Error: 6 eps of the vector's length.
    Source: q v q*, expanded in `kernels.quaternions.rotate`.
    """
    return _rotate(orientation, vector_body)


def rotate_inverse(orientation: npt.ArrayLike, vector_world: npt.ArrayLike) -> FloatArray:
    """Turn vectors from world axes to body axes: the inverse of `rotate`, q* v q, with the same error.

    Args:
        orientation: Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).
        vector_world: Any vector quantity, world frame, shape (..., 3).

    Returns:
        The same quantity and unit, body frame, shape (..., 3).
    """
    return _rotate_inverse(orientation, vector_world)


def to_matrix(orientation: npt.ArrayLike) -> FloatArray:
    """Rotation matrix R with v_world = R v_body, column vectors: the columns are the body's axes in world axes.

    Args:
        orientation: Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).

    Returns:
        Matrices, shape (..., 3, 3). A renderer that multiplies row vectors from the left wants the transpose.

    Error: 6 eps.
    """
    return _to_matrix(orientation)


def from_matrix(matrix: npt.ArrayLike) -> FloatArray:
    """Quaternion of a rotation matrix; of the two, the one with w ≥ 0.

    Args:
        matrix: Rotation R with v_world = R v_body, shape (..., 3, 3).

    Returns:
        Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).

    Raises:
        ValueError: R is a reflection, or an entry of RᵀR is over 1e-6 from the unit matrix's (see `orthonormalize`).

    Error: 2 eps at every angle, half turns included; what R itself is off by comes on top.
    Source: Shepperd (1978), see `kernels.rotations.from_columns`.
    """
    return _from_matrix(matrix)


def from_axis_angle(axis: npt.ArrayLike, angle: npt.ArrayLike) -> FloatArray:
    """Quaternion of a turn about an axis, counter-clockwise seen from the tip of the axis.

    Args:
        axis: Axis of the rotation, a non-zero vector, the same in body and world axes, shape (..., 3).
        angle: Any angle [rad], shape (...).

    Returns:
        Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4). One turn more gives its negative.

    Error: 2 eps.
    """
    return _from_axis_angle(axis, angle)


def to_axis_angle(orientation: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Axis and angle of the shorter of the two turns.

    Args:
        orientation: Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).

    Returns:
        Unit axis, shape (..., 3), and angle [rad] in [0, π], shape (...). No turn at all has the axis (0, 0, 1).

    Error: axis 2 eps; angle 3 eps, and 3 eps of itself where it is small.
    """
    both = _to_axis_angle(orientation)
    return both[..., :3].copy(), +both[..., 3]  # the sign makes a copy, and a number of one angle


def from_rotation_vector(turn: npt.ArrayLike) -> FloatArray:
    """Quaternion of a turn by |turn| radians about its direction; exact at zero.

    Args:
        turn: Axis times angle [rad], shape (..., 3).

    Returns:
        Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).

    Error: 2 eps, and eps |turn| on top, as its length is rounded; below a radian the vector part has 4 eps of itself.
    """
    return _from_rotation_vector(turn)


def from_euler(angles: npt.ArrayLike, sequence: str) -> FloatArray:
    """Quaternion of one to three turns about coordinate axes, in the convention of SciPy's `Rotation.from_euler`.

    Args:
        angles: Turns [rad] in the order of the letters, shape (..., n), n the number of letters.
        sequence: Axes, none twice running. Upper case: intrinsic, about the axes as the turns before have left them
            ("ZYX": yaw, pitch, roll). Lower case: extrinsic, about fixed axes. "ABC" is "cba" with the angles reversed.

    Returns:
        Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).

    Raises:
        ValueError, TypeError: The sequence is not one of these, or not a text.

    Error: 2 eps.
    """
    formula = _from_euler.get(sequence) if isinstance(sequence, str) else None
    if formula is None:
        rule = 'one to three of "xyz" (extrinsic) or of "XYZ" (intrinsic), none twice running'
        kind = ValueError if isinstance(sequence, str) else TypeError
        checks.refuse("rotation.from_euler", "sequence", sequence, rule, kind)
    return formula(angles)


def look_along(forward: npt.ArrayLike, up: npt.ArrayLike) -> FloatArray:
    """Orientation whose body z axis points along `forward` and whose body y axis points as nearly along `up` as it can.

    The body x axis then lies along up × forward. A craft drawn along z, its engine at the rear pushing towards +z,
    flies along `forward` with +y overhead and +x to the left. (A graphics camera looks along its −z: give it −forward.)

    Args:
        forward: A non-zero vector, world frame, shape (..., 3).
        up: A non-zero vector that is not on the line of `forward` within 1e-6 rad, world frame, shape (..., 3).

    Returns:
        Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).

    Raises:
        ValueError: One of the two is zero, or they lie on one line.

    Error: 2 eps, in the turn about `forward` over the sine of the angle between the two.
    """
    return _look_along(forward, up)


def slerp(a: npt.ArrayLike, b: npt.ArrayLike, fraction: npt.ArrayLike) -> FloatArray:
    """The orientation a fraction of the way from a to b, by a steady turn about one axis, the shorter way round.

    Args:
        a: A unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).
        b: The other one, shape (..., 4).
        fraction: From 0 to 1, shape (...).

    Returns:
        Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4): exactly a at 0 and b or −b at 1,
        as normalised. Half a turn apart, where both ways are equally short, it ends in b.

    Raises:
        ValueError: A fraction outside [0, 1].

    Error: 3 eps, however near or far the two are; of unit length within 3 eps.
    Source: Shoemake (1985); sin(tφ)/sin φ written with sin(x)/x, which holds at φ = 0.
    """
    return _slerp(a, b, fraction)


def angle_between(a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    """Angle of the shortest turn from one orientation to the other; zero between q and −q.

    Args:
        a: A unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).
        b: The other one, shape (..., 4).

    Returns:
        Angle [rad] in [0, π], shape (...).

    Error: 4 eps, at small angles too, where the arc cosine of a · b would be off by 2e-8.
    """
    return _angle_between(a, b)


def to_scalar_first(quaternion: npt.ArrayLike) -> FloatArray:
    """From scalar-last (x, y, z, w), as here, to scalar-first (w, x, y, z): exact, any length, shape (..., 4)."""
    return _to_scalar_first(quaternion)


def from_scalar_first(quaternion: npt.ArrayLike) -> FloatArray:
    """From scalar-first (w, x, y, z) to scalar-last (x, y, z, w), as here: exact, any length, shape (..., 4)."""
    return _from_scalar_first(quaternion)


def orthonormalize(matrix: npt.ArrayLike) -> FloatArray:
    """Rotation matrix from one that has drifted: T keeps its direction, N stays in the plane of T and N, and B = T × N.

    What integrating a matrix needs after every few steps, lest boxes stop being boxes: nine numbers carry three freedoms, and the third
    column is integrated for nothing. A quaternion only has to be brought back to unit length, which is why the engine carries one.

    Args:
        matrix: Columns T, N, B of any length, right-handed, shape (..., 3, 3).

    Returns:
        Rotation matrix, shape (..., 3, 3); not the nearest one, as T is never moved.

    Raises:
        ValueError: The columns are left-handed, or lie in one plane (volume of the unit vectors along them up to 1e-6).

    Error: an entry of RᵀR is within 5 eps of the unit matrix's.
    Source: Maggiore, "Integration, rotation matrices, and quaternions", Gram-Schmidt, with N' = N − T (N · T). The
        slide's N − N (N · T) changes the length of N alone (erratum G4).
    """
    return _orthonormalize(matrix)


def rodrigues(axis: npt.ArrayLike, angle: npt.ArrayLike) -> FloatArray:
    """Rotation matrix of a turn about an axis: R = 1 + sin θ D + (1 − cos θ) D², where D v = d × v, d the unit axis.

    The point of it: D drops the part of v along d and turns the rest by a quarter, D² by a half. So R leaves what lies
    on the axis, and of what lies across keeps cos θ where it is and puts sin θ a quarter on; no basis around d is
    needed, and no half angle.

    Args:
        axis: Axis of the rotation, a non-zero vector, the same in body and world axes, shape (..., 3).
        angle: Any angle [rad], shape (...).

    Returns:
        Matrix R with v_world = R v_body, shape (..., 3, 3).

    Error: 8 eps.
    Source: Maggiore, "Integration, rotation matrices, and quaternions", primer.
    """
    return _rodrigues(axis, angle)


def prepare() -> None:
    """Compile the loops that make stacks faster, or load them from the cache.

    Takes a few seconds on the first run on a machine. Nothing else in this module compiles anything, and the results are the same to the
    last bit with it and without it. Where numba is missing or switched off it does nothing.

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
    rule=f"a vector off the line of forward (sine of the angle above {rotations.PARALLEL:g})",
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

_WITH_LOOPS = (_conjugate, _rotate, _rotate_inverse, _to_matrix, _from_axis_angle, _from_rotation_vector, _rodrigues)
"""Those that NumPy computes no faster than SciPy does, measured on stacks of 1000."""
