"""Rotations of stacks of vectors by stacks of quaternions: the one public file that knows the order of the components.

Scalar-last (x, y, z, w); Hamilton's product, i j = k; active, body axes to world axes; `multiply(a, b)` does b first.

Arguments are arrays or nested lists whose leading dimensions broadcast as numpy's do. What comes back is a fresh
float64 array, a plain number where its shape is (). Refused everywhere, before anything is computed: what is not a real
number (`TypeError`); what is not finite or has another shape, zero vectors where a direction is meant, and quaternions
further than 1e-6 from unit length where a rotation is meant (`ValueError`); within that they are normalised. An error
of "n eps", eps 2.2e-16, bounds each component, as seen over 2e5 random arguments against long double.

Products and turned vectors have the bits of the compiled step. Sines and arctangents are numpy's, whose last bit may
differ between machines: they set a scene, they do not step it.
"""

from __future__ import annotations  # help() then shows them as written

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import checks
from .checks import FloatArray
from .kernels import quaternions, vectors
from .kernels.compiler import plain

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
    "rodrigues",
    "rotate",
    "rotate_inverse",
    "slerp",
    "to_axis_angle",
    "to_matrix",
    "to_scalar_first",
]

Components = Sequence[Any] | FloatArray
"""One array or number a component: the component is the first index, so that the kernels' functions can take it."""

_MATRIX_TOLERANCE = 1e-6
"""How far an entry of RᵀR may be from the unit matrix's for R to count as a rotation."""
_PARALLEL = 1e-6
"""Sine of the angle below which two directions count as one: rounding would decide the plane they span."""
_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

_multiply, _conjugate = plain(quaternions.multiply), plain(quaternions.conjugate)
_rotate, _rotate_inverse = plain(quaternions.rotate), plain(quaternions.rotate_inverse)
_norm_squared, _cross, _dot = plain(quaternions.norm_squared), plain(vectors.cross), plain(vectors.dot)
_add_scaled = plain(vectors.add_scaled)


def multiply(a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    """Hamilton's product a b: as rotations, b first and then a.

    Args:
        a, b: Quaternions of any length, scalar-last (x, y, z, w), shape (..., 4).

    Returns:
        The product, scalar-last (x, y, z, w), shape (..., 4), not normalised: its length is the product of the lengths.

    Error: 2 eps of |a||b|.
    """
    return _stack(_multiply(*_arguments("rotation.multiply", a=(a, _quaternion), b=(b, _quaternion))))


def conjugate(quaternion: npt.ArrayLike) -> FloatArray:
    """The vector part negated: the inverse rotation, world axes to body axes, for a unit quaternion. Exact.

    Args:
        quaternion: Any length, scalar-last (x, y, z, w), shape (..., 4).
    """
    return _stack(_conjugate(*_arguments("rotation.conjugate", quaternion=(quaternion, _quaternion))))


def rotate(orientation: npt.ArrayLike, vector_body: npt.ArrayLike) -> FloatArray:
    """Turn vectors from body axes to world axes. A point needs its origin added; a direction, rate or torque does not.

    Args:
        orientation: Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).
        vector_body: Any vector quantity, body frame, shape (..., 3).

    Returns:
        The same quantity and unit, world frame, shape (..., 3).

    Error: 5 eps of the vector's length.
    Source: q v q*, expanded in `kernels.quaternions.rotate`.
    """
    q, v = _arguments("rotation.rotate", orientation=(orientation, _orientation), vector_body=(vector_body, _vector))
    return _stack(_rotate(q, 2.0, v))


def rotate_inverse(orientation: npt.ArrayLike, vector_world: npt.ArrayLike) -> FloatArray:
    """Turn vectors from world axes to body axes: the inverse of `rotate`, q* v q, with the same error.

    Args:
        orientation: Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).
        vector_world: Any vector quantity, world frame, shape (..., 3).

    Returns:
        The same quantity and unit, body frame, shape (..., 3).
    """
    owner = "rotation.rotate_inverse"
    q, v = _arguments(owner, orientation=(orientation, _orientation), vector_world=(vector_world, _vector))
    return _stack(_rotate_inverse(q, 2.0, v))


def to_matrix(orientation: npt.ArrayLike) -> FloatArray:
    """Rotation matrix R with v_world = R v_body, column vectors: the columns are the body's axes in world axes.

    Args:
        orientation: Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).

    Returns:
        Matrices, shape (..., 3, 3). A renderer that multiplies row vectors from the left wants the transpose.

    Error: 5 eps.
    """
    (q,) = _arguments("rotation.to_matrix", orientation=(orientation, _orientation))
    return _from_columns(*(_rotate(q, 2.0, axis) for axis in _AXES))


def from_matrix(matrix: npt.ArrayLike) -> FloatArray:
    """Quaternion of a rotation matrix; of the two, the one with w ≥ 0.

    Args:
        matrix: Rotation R with v_world = R v_body, shape (..., 3, 3).

    Returns:
        Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).

    Raises:
        ValueError: R is a reflection, or an entry of RᵀR is over 1e-6 from the unit matrix's (see `orthonormalize`).

    Error: 2 eps at every angle, half turns included; what R itself is off by comes on top.
    Source: Shepperd (1978), see `_from_rotation`.
    """
    owner = "rotation.from_matrix"
    columns = np.moveaxis(_read(matrix, "matrix", owner, 3, 3), (-1, -2), (0, 1))
    x, y, z = columns
    with np.errstate(over="ignore", invalid="ignore"):  # huge entries are no rotation either
        gap = np.einsum("ik...,jk...->...ij", columns, columns) - np.eye(3)
        fits = (np.abs(gap) <= _MATRIX_TOLERANCE).all() and (_dot(x, _cross(y, z)) > 0.0).all()
    if not fits:
        rule = f"a rotation matrix (orthogonal within {_MATRIX_TOLERANCE:g}, determinant +1)"
        checks.refuse(owner, "matrix", matrix, rule)
    return _from_rotation(x, y, z)


def from_axis_angle(axis: npt.ArrayLike, angle: npt.ArrayLike) -> FloatArray:
    """Quaternion of a turn about an axis, counter-clockwise seen from the tip of the axis.

    Args:
        axis: Any length but zero; the turn leaves it the same in body and world axes, shape (..., 3).
        angle: Any angle [rad], shape (...).

    Returns:
        Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4). One turn more gives its negative.

    Error: 2 eps.
    """
    d, (theta,) = _arguments("rotation.from_axis_angle", axis=(axis, _direction), angle=(angle, _number))
    return _half_turn(d, 0.5 * theta)


def to_axis_angle(orientation: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Axis and angle of the shorter of the two turns.

    Args:
        orientation: Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).

    Returns:
        Unit axis, shape (..., 3), and angle [rad] in [0, π], shape (...). No turn at all has the axis (0, 0, 1).

    Error: axis 2 eps; angle 3 eps, and 3 eps of itself where it is small.
    """
    (q,) = _arguments("rotation.to_axis_angle", orientation=(orientation, _orientation))
    axis, sine = _unit(q[:3])
    axis = np.where(q[3] < 0.0, -axis, axis)
    axis[2] = np.where(sine == 0.0, 1.0, axis[2])
    return _stack(axis), 2.0 * np.arctan2(sine, np.abs(q[3]))


def from_rotation_vector(turn: npt.ArrayLike) -> FloatArray:
    """Quaternion of a turn by |turn| radians about its direction; exact at zero.

    Args:
        turn: Axis times angle [rad], shape (..., 3).

    Returns:
        Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).

    Error: 2 eps, and eps |turn| on top, as its length is rounded; below a radian the vector part has 4 eps of itself.
    """
    (v,) = _arguments("rotation.from_rotation_vector", turn=(turn, _vector))
    return _half_turn(*_unit(0.5 * v))  # halved first: the length of a vector of the largest floats would overflow


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
    owner = "rotation.from_euler"
    rule = 'one to three of "xyz" (extrinsic) or of "XYZ" (intrinsic), none twice running'
    if not isinstance(sequence, str):
        checks.refuse(owner, "sequence", sequence, rule, TypeError)
    if not re.fullmatch(r"(?!.*(.)\1)([xyz]{1,3}|[XYZ]{1,3})", sequence):
        checks.refuse(owner, "sequence", sequence, rule)
    halves = np.moveaxis(0.5 * _read(angles, "angles", owner, len(sequence)), -1, 0)
    result: Components = (0.0, 0.0, 0.0, 1.0)
    for letter, half in zip(sequence, halves, strict=True):
        turn = np.moveaxis(_half_turn(_AXES["xyz".index(letter.lower())], half), -1, 0)
        result = _multiply(result, turn) if sequence.isupper() else _multiply(turn, result)
    return _stack(result)


def look_along(forward: npt.ArrayLike, up: npt.ArrayLike) -> FloatArray:
    """Orientation whose body z axis points along `forward` and whose body y axis points as nearly along `up` as it can.

    The body x axis then lies along up × forward. A craft drawn along z, its engine at the rear pushing towards +z,
    flies along `forward` with +y overhead and +x to the left. (A graphics camera looks along its −z: give it −forward.)

    Args:
        forward: Any length but zero, world frame, shape (..., 3).
        up: Any length but zero and not on the line of `forward` within 1e-6 rad, world frame, shape (..., 3).

    Returns:
        Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).

    Raises:
        ValueError: One of the two is zero, or they lie on one line.

    Error: 2 eps, in the turn about `forward` over the sine of the angle between the two.
    """
    owner = "rotation.look_along"
    z, y, sine = _gram_schmidt(*_arguments(owner, forward=(forward, _direction), up=(up, _direction)))
    if not (sine > _PARALLEL).all():
        checks.refuse(owner, "up", up, f"a vector off the line of forward (sine of the angle above {_PARALLEL:g})")
    return _from_rotation(_cross(y, z), y, z)


def slerp(a: npt.ArrayLike, b: npt.ArrayLike, fraction: npt.ArrayLike) -> FloatArray:
    """The orientation a fraction of the way from a to b, by a steady turn about one axis, the shorter way round.

    Args:
        a, b: Unit quaternions, scalar-last (x, y, z, w), body to world, shape (..., 4).
        fraction: From 0 to 1, shape (...).

    Returns:
        Unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4): exactly a at 0 and b or −b at 1,
        as normalised. Half a turn apart, where both ways are equally short, it ends in b.

    Raises:
        ValueError: A fraction outside [0, 1].

    Error: 3 eps, however near or far the two are; of unit length within 3 eps.
    Source: Shoemake (1985); sin(tφ)/sin φ written with sin(x)/x, which holds at φ = 0.
    """
    owner = "rotation.slerp"
    p, q, (t,) = _arguments(owner, a=(a, _orientation), b=(b, _orientation), fraction=(fraction, _number))
    if not ((t >= 0.0) & (t <= 1.0)).all():
        checks.refuse(owner, "fraction", fraction, "from 0 to 1")
    cosine, phi = _dot(p, q) + p[3] * q[3], _half_angle(p, q) / np.pi
    from_a = (1.0 - t) * (np.sinc((1.0 - t) * phi) / np.sinc(phi))
    from_b = np.where(cosine < 0.0, -t, t) * (np.sinc(t * phi) / np.sinc(phi))
    return _stack([from_a * p[i] + from_b * q[i] for i in range(4)])


def angle_between(a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    """Angle of the shortest turn from one orientation to the other; zero between q and −q.

    Args:
        a, b: Unit quaternions, scalar-last (x, y, z, w), body to world, shape (..., 4).

    Returns:
        Angle [rad] in [0, π], shape (...).

    Error: 4 eps, at small angles too, where the arc cosine of a · b would be off by 2e-8.
    """
    return 2.0 * _half_angle(*_arguments("rotation.angle_between", a=(a, _orientation), b=(b, _orientation)))


def to_scalar_first(quaternion: npt.ArrayLike) -> FloatArray:
    """From scalar-last (x, y, z, w), as here, to scalar-first (w, x, y, z): exact, any length, shape (..., 4)."""
    return np.roll(_read(quaternion, "quaternion", "rotation.to_scalar_first", 4), 1, axis=-1)


def from_scalar_first(quaternion: npt.ArrayLike) -> FloatArray:
    """From scalar-first (w, x, y, z) to scalar-last (x, y, z, w), as here: exact, any length, shape (..., 4)."""
    return np.roll(_read(quaternion, "quaternion", "rotation.from_scalar_first", 4), -1, axis=-1)


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
    owner = "rotation.orthonormalize"
    columns = np.moveaxis(_read(matrix, "matrix", owner, 3, 3), (-1, -2), (0, 1))
    t, n, sine = _gram_schmidt(_unit(columns[0])[0], _unit(columns[1])[0])
    b = _cross(t, n)
    if not (sine * _dot(b, _unit(columns[2])[0]) > _PARALLEL).all():
        checks.refuse(owner, "matrix", matrix, "three right-handed columns that do not lie in one plane")
    return _from_columns(t, n, b)


def rodrigues(axis: npt.ArrayLike, angle: npt.ArrayLike) -> FloatArray:
    """Rotation matrix of a turn about an axis: R = 1 + sin θ D + (1 − cos θ) D², where D v = d × v, d the unit axis.

    The point of it: D drops the part of v along d and turns the rest by a quarter, D² by a half. So R leaves what lies
    on the axis, and of what lies across keeps cos θ where it is and puts sin θ a quarter on; no basis around d is
    needed, and no half angle.

    Args:
        axis: Any length but zero; the turn leaves it the same in body and world axes, shape (..., 3).
        angle: Any angle [rad], shape (...).

    Returns:
        Matrix R with v_world = R v_body, shape (..., 3, 3).

    Error: 7 eps.
    Source: Maggiore, "Integration, rotation matrices, and quaternions", primer.
    """
    d, (theta,) = _arguments("rotation.rodrigues", axis=(axis, _direction), angle=(angle, _number))
    sine, one_minus_cosine = np.sin(theta), 2.0 * np.square(np.sin(0.5 * theta))  # 1 − cos θ loses its digits at θ = 0
    columns = []
    for v in _AXES:
        quarter = _cross(d, v)
        change = _add_scaled([sine * q for q in quarter], one_minus_cosine, _cross(d, quarter))
        columns.append(_add_scaled(v, 1.0, change))
    return _from_columns(*columns)


Reader = Callable[[npt.ArrayLike, str, str], FloatArray]


def _arguments(owner: str, **given: tuple[npt.ArrayLike, Reader]) -> list[FloatArray]:
    """Each argument as read, component first, when their stacks fit together."""
    arrays = [read(value, argument, owner) for argument, (value, read) in given.items()]
    stacks = [array.shape[:-1] for array in arrays]
    try:
        np.broadcast_shapes(*stacks)
    except ValueError:
        names = " and ".join(given)
        raise ValueError(f"{owner}: {names} must have leading dimensions that broadcast; got {stacks}") from None
    return [np.moveaxis(array, -1, 0) for array in arrays]


def _read(value: npt.ArrayLike, argument: str, owner: str, *inner: int) -> FloatArray:
    """A fresh array of finite real numbers of shape (..., *inner)."""
    shape: tuple[int | None, ...]
    try:
        shape = np.shape(value)
    except ValueError:  # rows of unequal length, for `checks.array` to refuse
        shape = (None, *inner)
    if not inner and not shape:
        return np.array(checks.real(value, argument, owner))
    return checks.array(value, argument, owner, (*shape[: len(shape) - len(inner)], *inner))


def _number(value: npt.ArrayLike, argument: str, owner: str) -> FloatArray:
    return _read(value, argument, owner)[..., np.newaxis]


def _vector(value: npt.ArrayLike, argument: str, owner: str) -> FloatArray:
    return _read(value, argument, owner, 3)


def _quaternion(value: npt.ArrayLike, argument: str, owner: str) -> FloatArray:
    return _read(value, argument, owner, 4)


def _orientation(value: npt.ArrayLike, argument: str, owner: str) -> FloatArray:
    return checks.unit_quaternions(_read(value, argument, owner, 4), argument, owner)


def _direction(value: npt.ArrayLike, argument: str, owner: str) -> FloatArray:
    """Unit vectors along those given."""
    unit, length = _unit(np.moveaxis(_read(value, argument, owner, 3), -1, 0))
    if (length == 0.0).any():
        checks.refuse(owner, argument, value, "a vector of any length but zero")
    return np.moveaxis(unit, 0, -1)


def _stack(components: Components) -> FloatArray:
    """Component last, as it goes out."""
    return np.stack(np.broadcast_arrays(*components), axis=-1)


def _from_columns(*columns: Components) -> FloatArray:
    return np.stack(np.broadcast_arrays(*map(_stack, columns)), axis=-1)


def _unit(vector: Components) -> tuple[FloatArray, FloatArray]:
    """Unit vector and length; a zero vector stays zero."""
    largest = np.abs(vector).max(axis=0)
    scaled = np.asarray(vector) / np.where(largest == 0.0, 1.0, largest)  # the squares neither overflow nor vanish
    length = np.sqrt(_dot(scaled, scaled))
    with np.errstate(over="ignore"):  # beyond the largest float: infinite, where it is no more than compared with zero
        return scaled / np.where(length == 0.0, 1.0, length), largest * length


def _half_turn(direction: Components, half: FloatArray) -> FloatArray:
    """Quaternion of twice the angle `half` about a unit direction."""
    sine = np.sin(half)
    return _stack([*(sine * component for component in direction), np.cos(half)])


def _half_angle(a: Components, b: Components) -> FloatArray:
    """Half the angle between two orientations: the angle between the quaternions, or the nearer of them and −b."""
    x, y, z, w = _multiply(_conjugate(a), b)
    return np.asarray(np.arctan2(_unit((x, y, z))[1], np.abs(w)))


def _gram_schmidt(first: Components, second: Components) -> tuple[Components, Components, FloatArray]:
    """The first unit vector, one along what of the second lies across it, and the sine of the angle between them."""
    sine: FloatArray = np.array(1.0)
    for _ in range(2):  # one pass leaves eps/sine along the first, two leave eps
        second, length = _unit(_add_scaled(second, -_dot(second, first), first))
        sine = sine * length
    return first, second, sine


def _from_rotation(x: Components, y: Components, z: Components) -> FloatArray:
    """Quaternion of the matrix with these columns: the longest row of 4 q qᵀ, each of them linear in the matrix."""
    rows = (
        (1.0 + x[0] - y[1] - z[2], y[0] + x[1], z[0] + x[2], y[2] - z[1]),
        (y[0] + x[1], 1.0 - x[0] + y[1] - z[2], z[1] + y[2], z[0] - x[2]),
        (z[0] + x[2], z[1] + y[2], 1.0 - x[0] - y[1] + z[2], x[1] - y[0]),
        (y[2] - z[1], z[0] - x[2], x[1] - y[0], 1.0 + x[0] + y[1] + z[2]),
    )
    longest = np.argmax([rows[i][i] for i in range(4)], axis=0)
    q = np.take_along_axis(np.array(rows), longest[np.newaxis, np.newaxis], axis=0)[0]
    return _stack(np.where(q[3] < 0.0, -q, q) / np.sqrt(_norm_squared(q)))
