"""The types of joints: the rows that hold each together, and the coordinates of its degrees of freedom.

A type is one function of the joint's place between its two bodies. It stores the rows that hold the joint together, and returns the common
point at which impulses act, and the coordinate of each freedom with its direction. The kernel of the island step calls it, and so do, in
plain Python, the handles of joints.

A row has a residual, a direction d of the impulse and a direction e of the angular impulse. Its rate of change is
``d·(v − v') + e·(ω − ω')``, where v and v' are the velocities of the two bodies at the common point. Both bodies get opposite
impulses there, so that linear and angular momentum do not depend on how well the rows hold.
"""

from collections.abc import MutableMapping
from math import sqrt
from typing import NamedTuple

from ..compilation.compiler import inlined
from ..kernels.quaternions import Quaternion, conjugate, multiply, rotate
from ..kernels.trigonometry import arc
from ..kernels.vectors import Vector, add, add_scaled, cross, dot, scale
from ..loops.columns import Array
from .layout import (
    ANGULAR,
    BALL,
    EQUALITY,
    HINGE,
    IS_TURN,
    KIND,
    LINEAR,
    MOVED,
    PLANAR,
    RESIDUAL,
    ROD,
    ROPE,
    SLIDER,
    SOFT,
    SOFT_AXIS,
    START_TURN,
    UNIVERSAL,
    WELD,
)

Axes = tuple[Vector, Vector, Vector]
"""The axes of a frame."""

Rows = Array | MutableMapping[tuple[int, int], float]
"""Rows by their number and column; the handle of a joint has a dictionary."""

_NONE = (0.0, 0.0, 0.0)
_NOWHERE = (_NONE, _NONE, _NONE)


class Placement(NamedTuple):
    """A joint between its two bodies, world frame, with points relative to any one point.

    Attributes:
        at: The point on the body [m].
        other_at: The point on the other body [m].
        gap: From the point on the other body to that on the body [m].
        frame: Quaternion from the axes of the joint on the body to the world.
        other_frame: The same on the other body.
        turned: By how much the body has turned relative to the other one since the coordinates were counted, to half a turn [rad].
        counted: The coordinates at that time [rad or m].
        length: The length of a rod [m].
    """

    at: Vector
    other_at: Vector
    gap: Vector
    frame: Quaternion
    other_frame: Quaternion
    turned: Vector
    counted: Vector
    length: float


class Freedoms(NamedTuple):
    """What a type returns.

    Attributes:
        row: The row behind those that hold the joint.
        common: The common point of both bodies, relative to the same point as the placement [m], world frame.
        coordinates: Coordinate of each freedom, zero for others [rad or m].
        directions: Direction of the rate of each coordinate, of an angular velocity for freedoms from `layout.FIRST_TURN` on.
    """

    row: int
    common: Vector
    coordinates: Vector
    directions: Axes


@inlined
def store(rows: Rows, row: int, column: int, value: Vector) -> None:
    """Store a vector in adjacent columns of a row."""
    rows[row, column] = value[0]
    rows[row, column + 1] = value[1]
    rows[row, column + 2] = value[2]


@inlined
def load(rows: Rows, row: int, column: int) -> Vector:
    """Load a vector from adjacent columns of a row."""
    return float(rows[row, column]), float(rows[row, column + 1]), float(rows[row, column + 2])


@inlined
def _put(
    has_directions: int, rows: Rows, row: int, residual: float, linear: Vector, angular: Vector, is_turn: float
) -> int:
    """Store the residual of a row and, unless the directions of another pose are to stay, its directions."""
    rows[row, RESIDUAL] = residual
    if has_directions == 1:
        store(rows, row, LINEAR, linear)
        store(rows, row, ANGULAR, angular)
        rows[row, IS_TURN] = is_turn
        rows[row, KIND] = EQUALITY
    return row + 1


@inlined
def _put_point(has_directions: int, rows: Rows, row: int, gap: Vector) -> int:
    """Three rows that hold two points together."""
    row = _put(has_directions, rows, row, gap[0], (1.0, 0.0, 0.0), _NONE, 0.0)
    row = _put(has_directions, rows, row, gap[1], (0.0, 1.0, 0.0), _NONE, 0.0)
    return _put(has_directions, rows, row, gap[2], (0.0, 0.0, 1.0), _NONE, 0.0)


@inlined
def _put_gap(has_directions: int, rows: Rows, row: int, gap: Vector, axes: Axes) -> int:
    """Three rows of the distances between two points along the axes of the other frame; the common point is that of the body."""
    for axis in axes:
        row = _put(has_directions, rows, row, dot(axis, gap), axis, _NONE, 0.0)
    return row


@inlined
def rotation_vector(q: Quaternion) -> Vector:
    """Axis times angle [rad] of a rotation; the angle is at most π where the scalar part is not negative, and at least π elsewhere."""
    x, y, z, w = q
    size = sqrt(x * x + y * y + z * z)
    factor = 2.0 * angle_of(size, w) / size if size > 0.0 else 2.0
    return factor * x, factor * y, factor * z


@inlined
def put_rotation(has_directions: int, rows: Rows, row: int, frame: Quaternion, other: Quaternion, axes: Axes) -> int:
    """Three rows of the rotation vector of a frame seen from the other frame, along the axes of that.

    What has moved is the rotation since the start of the drift, which is not the difference of the two rotation vectors.
    """
    x, y, z, w = multiply(conjugate(other), frame)
    if has_directions == 1:
        sign = -1.0 if w < 0.0 else 1.0
        moved = _NONE
        rows[row, START_TURN], rows[row + 1, START_TURN], rows[row + 2, START_TURN] = sign * x, sign * y, sign * z
    else:
        a, b, c = float(rows[row, START_TURN]), float(rows[row + 1, START_TURN]), float(rows[row + 2, START_TURN])
        before = (-a, -b, -c, sqrt(max(0.0, 1.0 - (a * a + b * b + c * c))))
        since = multiply((x, y, z, w), before)
        sign = -1.0 if since[3] < 0.0 else 1.0
        moved = rotation_vector((sign * since[0], sign * since[1], sign * since[2], sign * since[3]))
    turn = rotation_vector((sign * x, sign * y, sign * z, sign * w))
    for entry in range(3):
        _ = _put(has_directions, rows, row + entry, turn[entry], _NONE, axes[entry], 1.0)
        rows[row + entry, MOVED] = moved[entry]
    return row + 3


@inlined
def _put_turn(has_directions: int, rows: Rows, row: int, frame: Quaternion, other: Quaternion) -> int:
    """Three rows that hold two frames parallel."""
    x, y, z, w = multiply(frame, conjugate(other))
    twice = 2.0 if w >= 0.0 else -2.0
    row = _put(has_directions, rows, row, twice * x, _NONE, (1.0, 0.0, 0.0), 1.0)
    row = _put(has_directions, rows, row, twice * y, _NONE, (0.0, 1.0, 0.0), 1.0)
    return _put(has_directions, rows, row, twice * z, _NONE, (0.0, 0.0, 1.0), 1.0)


@inlined
def _put_across(has_directions: int, rows: Rows, row: int, axis: Vector, second: Vector, third: Vector) -> int:
    """Two rows that hold an axis of the body at right angles to two axes of the other body."""
    row = _put(has_directions, rows, row, dot(axis, second), _NONE, cross(axis, second), 1.0)
    return _put(has_directions, rows, row, dot(axis, third), _NONE, cross(axis, third), 1.0)


@inlined
def angle_of(sine: float, cosine: float) -> float:
    """Angle [rad] from −π to π of the point (cosine, sine)."""
    size = arc(abs(sine), abs(cosine))
    if cosine < 0.0:
        size = 3.141592653589793 - size
    return -size if sine < 0.0 else size


@inlined
def counted(angle: float, before: float) -> float:
    """The angle that is equal to this one up to whole turns and nearest to another one."""
    turns = (angle - before) / 6.283185307179586
    if not abs(turns) < 1e15:  # not finite, in a tick that will be rejected
        return angle
    whole = float(int(turns + 0.5)) if turns >= 0.0 else -float(int(0.5 - turns))
    return angle - 6.283185307179586 * whole


@inlined
def swing(axis: Vector, other: Vector) -> tuple[float, Vector]:
    """Angle [rad] between two unit vectors, and the direction of the rate of the first that increases it; none if they are parallel."""
    across = cross(other, axis)
    size = sqrt(dot(across, across))
    angle = angle_of(size, dot(axis, other))
    return angle, scale(1.0 / size, across) if size > 0.0 else _NONE


@inlined
def twist(turn: Quaternion) -> float:
    """Angle [rad] about the first axis in a rotation about it, before the smallest one that moves it; zero where that is a half turn."""
    x, _y, _z, w = turn
    size = x * x + w * w
    return angle_of(2.0 * x * w, w * w - x * x) if size > 0.0 else 0.0


@inlined
def across_axes(frame: Quaternion) -> tuple[Vector, Vector]:
    """The second and the third axis of a frame."""
    return rotate(frame, 2.0, (0.0, 1.0, 0.0)), rotate(frame, 2.0, (0.0, 0.0, 1.0))


@inlined
def _angle_about(frame: Quaternion, second: Vector, third: Vector) -> float:
    """Angle [rad] of a frame about its first axis from the second and third axes of another one."""
    own = rotate(frame, 2.0, (0.0, 1.0, 0.0))
    return angle_of(dot(own, third), dot(own, second))


@inlined
def _midpoint(place: Placement) -> Vector:
    """The point midway between the points on the two bodies."""
    return add_scaled(place.at, -0.5, place.gap)


@inlined
def _first(frame: Quaternion) -> Vector:
    """The first axis of a frame."""
    return rotate(frame, 2.0, (1.0, 0.0, 0.0))


@inlined
def ball(place: Placement, rows: Rows, row: int, last_row: int, has_directions: int) -> Freedoms:
    """A ball joint: two points together; the freedoms are swing and twist of the first axis."""
    row = _put_point(has_directions, rows, row, place.gap)
    if row >= last_row:
        return Freedoms(row, _midpoint(place), _NONE, _NOWHERE)
    axis, across = _first(place.frame), _first(place.other_frame)
    swung, direction = swing(axis, across)
    if dot(direction, direction) == 0.0:  # the axes are parallel, and any direction across them will do
        direction = rotate(place.frame, 2.0, (0.0, 1.0, 0.0))
    turn = twist(multiply(conjugate(place.other_frame), place.frame))
    # not infinite where the axes are opposite, where there is no twist
    about = scale(1.0 / max(1.0 + dot(axis, across), 1e-9), add(axis, across))
    turn = counted(turn, place.counted[1] + dot(place.turned, about))
    return Freedoms(row, _midpoint(place), (swung, turn, 0.0), (direction, about, _NONE))


@inlined
def hinge(place: Placement, rows: Rows, row: int, last_row: int, has_directions: int) -> Freedoms:
    """A hinge: two points together and the first axes parallel; the freedom is the angle about them."""
    row = _put_point(has_directions, rows, row, place.gap)
    axis = _first(place.frame)
    second, third = across_axes(place.other_frame)
    row = _put_across(has_directions, rows, row, axis, second, third)
    angle = 0.0
    if has_directions == 1 or row < last_row:
        angle = counted(_angle_about(place.frame, second, third), place.counted[0] + dot(place.turned, axis))
    return Freedoms(row, _midpoint(place), (angle, 0.0, 0.0), (axis, _NONE, _NONE))


@inlined
def slider(place: Placement, rows: Rows, row: int, last_row: int, has_directions: int) -> Freedoms:
    """A slider: frames parallel, and points on a line along the first axis; the freedom is the distance along it."""
    axis = _first(place.frame)
    second, third = across_axes(place.frame)
    row = _put(has_directions, rows, row, dot(second, place.gap), second, _NONE, 0.0)
    row = _put(has_directions, rows, row, dot(third, place.gap), third, _NONE, 0.0)
    row = _put_turn(has_directions, rows, row, place.frame, place.other_frame)
    return Freedoms(row, place.other_at, (dot(axis, place.gap), 0.0, 0.0), (axis, _NONE, _NONE))


@inlined
def weld(place: Placement, rows: Rows, row: int, last_row: int, has_directions: int) -> Freedoms:
    """A weld: points together and frames parallel."""
    row = _put_point(has_directions, rows, row, place.gap)
    row = _put_turn(has_directions, rows, row, place.frame, place.other_frame)
    return Freedoms(row, _midpoint(place), _NONE, _NOWHERE)


@inlined
def soft_weld(place: Placement, rows: Rows, row: int, last_row: int, has_directions: int) -> Freedoms:
    """A weld that springs pull together: three rows of the gap; `put_rotation` stores those of the rotation."""
    second, third = across_axes(place.other_frame)
    _ = _put_gap(has_directions, rows, row, place.gap, (_first(place.other_frame), second, third))
    return Freedoms(last_row, place.at, _NONE, _NOWHERE)


@inlined
def soft_axis(place: Placement, rows: Rows, row: int, last_row: int, has_directions: int) -> Freedoms:
    """A joint that springs pull together but for the angle about its axis: three rows of the gap and two of the axis."""
    second, third = across_axes(place.other_frame)
    row = _put_gap(has_directions, rows, row, place.gap, (_first(place.other_frame), second, third))
    _ = _put_across(has_directions, rows, row, _first(place.frame), second, third)
    return Freedoms(last_row, place.at, _NONE, _NOWHERE)


@inlined
def distance(place: Placement, rows: Rows, row: int, last_row: int, has_directions: int) -> Freedoms:
    """A rope or telescope: nothing holds it; the freedom is the distance between the points."""
    far = sqrt(dot(place.gap, place.gap))
    direction = scale(1.0 / far, place.gap) if far > 0.0 else (1.0, 0.0, 0.0)
    return Freedoms(row, _midpoint(place), (far, 0.0, 0.0), (direction, _NONE, _NONE))


@inlined
def rod(place: Placement, rows: Rows, row: int, last_row: int, has_directions: int) -> Freedoms:
    """A rod: a distance that stays."""
    found = distance(place, rows, row, last_row, has_directions)
    missing = found.coordinates[0] - place.length
    row = _put(has_directions, rows, row, missing, found.directions[0], _NONE, 0.0)
    return Freedoms(row, found.common, found.coordinates, found.directions)


@inlined
def universal(place: Placement, rows: Rows, row: int, last_row: int, has_directions: int) -> Freedoms:
    """A universal joint: points together and the first axes at right angles; the freedoms are the angles about the two axes."""
    row = _put_point(has_directions, rows, row, place.gap)
    axis, across = _first(place.frame), _first(place.other_frame)
    row = _put(has_directions, rows, row, dot(axis, across), _NONE, cross(axis, across), 1.0)
    angle, other_angle = 0.0, 0.0
    if has_directions == 1 or row < last_row:
        second, third = across_axes(place.frame)
        angle = angle_of(-dot(across, third), dot(across, second))
        angle = counted(angle, place.counted[0] + dot(place.turned, axis))
        second, third = across_axes(place.other_frame)
        other_angle = angle_of(dot(axis, third), dot(axis, second))
        other_angle = counted(other_angle, place.counted[1] + dot(place.turned, across))
    return Freedoms(row, _midpoint(place), (angle, other_angle, 0.0), (axis, across, _NONE))


@inlined
def planar(place: Placement, rows: Rows, row: int, last_row: int, has_directions: int) -> Freedoms:
    """A planar joint: a point in a plane whose normal is the first axis; the freedoms are two distances and the angle about the normal."""
    axis, normal = _first(place.frame), _first(place.other_frame)
    second, third = across_axes(place.other_frame)
    row = _put(has_directions, rows, row, dot(normal, place.gap), normal, _NONE, 0.0)
    row = _put_across(has_directions, rows, row, axis, second, third)
    angle = counted(_angle_about(place.frame, second, third), place.counted[2] + dot(place.turned, axis))
    coordinates = dot(second, place.gap), dot(third, place.gap), angle
    return Freedoms(row, place.at, coordinates, (second, third, axis))


@inlined
def rows_of_type(kind: int, place: Placement, rows: Rows, row: int, last_row: int, has_directions: int) -> Freedoms:
    """Store the rows that hold a joint of this type together.

    Args:
        kind: The type, see `layout`.
        place: Where the joint is.
        rows: The rows.
        row: The first row of the joint.
        last_row: The row behind its last one; if none follow those that hold the joint, coordinates may be left out.
        has_directions: Whether directions are stored as well as residuals, 1 or 0.
    """
    if kind == BALL:
        return ball(place, rows, row, last_row, has_directions)
    if kind == HINGE:
        return hinge(place, rows, row, last_row, has_directions)
    if kind == SLIDER:
        return slider(place, rows, row, last_row, has_directions)
    if kind == WELD:
        return weld(place, rows, row, last_row, has_directions)
    if kind == SOFT:
        return soft_weld(place, rows, row, last_row, has_directions)
    if kind == SOFT_AXIS:
        return soft_axis(place, rows, row, last_row, has_directions)
    if kind == ROD:
        return rod(place, rows, row, last_row, has_directions)
    if kind == ROPE:
        return distance(place, rows, row, last_row, has_directions)
    if kind == UNIVERSAL:
        return universal(place, rows, row, last_row, has_directions)
    if kind == PLANAR:
        return planar(place, rows, row, last_row, has_directions)
    return Freedoms(row, _midpoint(place), _NONE, _NOWHERE)
