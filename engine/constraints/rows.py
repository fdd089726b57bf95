"""The rows of constraints of a joint: residuals, and the directions of the impulses that act at one common point of both bodies.

A row has a residual, a direction d of the impulse and a direction e of the angular impulse. Its rate of change is
``d·(v − v') + e·(ω − ω')``, where v and v' are the velocities of the two bodies at the common point. Both bodies get opposite
impulses there, so that linear and angular momentum do not depend on how well the rows hold.
"""

from collections.abc import Sequence
from math import sqrt

from ..compilation.compiler import inlined, kernel
from ..kernels.quaternions import Quaternion, conjugate, multiply, rotate, rotate_inverse
from ..kernels.trigonometry import arc
from ..kernels.vectors import Vector, add, add_scaled, apply_symmetric, cross, dot, scale, subtract
from ..loops.columns import Array, Integers, load_quaternion, load_symmetric, load_vector
from ..loops.layout import ANGULAR_VELOCITY, CENTER_OF_MASS, INVERSE_INERTIA, INVERSE_MASS, ORIENTATION, POSITION
from .layout import (
    ANGULAR,
    ARM,
    AT_BODY,
    AT_OTHER,
    BALL,
    BALL_SPRING,
    BASE,
    BOUND,
    COORDINATE,
    DAMPING,
    DRIVE,
    DRIVE_SIZE,
    END,
    EQUALITY,
    EQUALITY_ROWS,
    FEED,
    FIRST_PLACE,
    FIRST_ROW,
    FRAME_BODY,
    FRAME_OTHER,
    FREEDOM,
    FREEDOM_COUNTS,
    FRICTION,
    GOAL,
    HINGE,
    IS_FREE,
    IS_TURN,
    KIND,
    LAST_ROW,
    LENGTH,
    LINEAR,
    LOWER,
    LOWER_LIMIT,
    MOTOR,
    MOTOR_SIZE,
    MOVED,
    NO_MOTOR,
    ON_BODY,
    ON_OTHER,
    OTHER_ARM,
    PIECE,
    PLANAR,
    POSITION_FORCES,
    RATE_MOTOR,
    RATE_ROW,
    RESIDUAL,
    ROD,
    ROPE,
    SECOND_PLACE,
    SLIDER,
    SOFT,
    SOFT_AXIS,
    SOFT_ROWS,
    SOFTNESS,
    SPRING,
    SPRING_ROW,
    SPRING_SIZE,
    START_COORDINATE,
    START_TURN,
    STIFFNESS,
    TYPE,
    UNIVERSAL,
    UPPER,
    UPPER_LIMIT,
    VELOCITY_FORCES,
    WELD,
    YIELDS,
)

REGULARISATION = 1e-6
"""Softness of a row, as a share of the rate of change that a unit impulse of the row gives to itself."""

Axes = tuple[Vector, Vector, Vector]
"""The axes of a frame."""

Column = Sequence[float] | Array
"""The components of a joint."""

_NONE = (0.0, 0.0, 0.0)
_HUGE = 1e300
"""A limit beyond this is none."""


@inlined
def store(rows: Array, row: int, column: int, value: Vector) -> None:
    """Store a vector in adjacent columns of a row."""
    rows[row, column] = value[0]
    rows[row, column + 1] = value[1]
    rows[row, column + 2] = value[2]


@inlined
def load(rows: Array, row: int, column: int) -> Vector:
    """Load a vector from adjacent columns of a row."""
    return float(rows[row, column]), float(rows[row, column + 1]), float(rows[row, column + 2])


@inlined
def _put(
    has_directions: int, rows: Array, row: int, residual: float, linear: Vector, angular: Vector, is_turn: float
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
def _put_point(has_directions: int, rows: Array, row: int, gap: Vector) -> int:
    """Three rows that hold two points together."""
    row = _put(has_directions, rows, row, gap[0], (1.0, 0.0, 0.0), _NONE, 0.0)
    row = _put(has_directions, rows, row, gap[1], (0.0, 1.0, 0.0), _NONE, 0.0)
    return _put(has_directions, rows, row, gap[2], (0.0, 0.0, 1.0), _NONE, 0.0)


@inlined
def _put_gap(has_directions: int, rows: Array, row: int, gap: Vector, axes: Axes) -> int:
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
def _put_rotation(has_directions: int, rows: Array, row: int, frame: Quaternion, other: Quaternion, axes: Axes) -> int:
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
def _put_turn(has_directions: int, rows: Array, row: int, frame: Quaternion, other: Quaternion) -> int:
    """Three rows that hold two frames parallel."""
    x, y, z, w = multiply(frame, conjugate(other))
    twice = 2.0 if w >= 0.0 else -2.0
    row = _put(has_directions, rows, row, twice * x, _NONE, (1.0, 0.0, 0.0), 1.0)
    row = _put(has_directions, rows, row, twice * y, _NONE, (0.0, 1.0, 0.0), 1.0)
    return _put(has_directions, rows, row, twice * z, _NONE, (0.0, 0.0, 1.0), 1.0)


@inlined
def _put_across(has_directions: int, rows: Array, row: int, axis: Vector, second: Vector, third: Vector) -> int:
    """Two rows that hold an axis of the body at right angles to two axes of the other body."""
    row = _put(has_directions, rows, row, dot(axis, second), _NONE, cross(axis, second), 1.0)
    return _put(has_directions, rows, row, dot(axis, third), _NONE, cross(axis, third), 1.0)


@inlined
def _set(
    rows: Array, row: int, freedom: int, kind: int, target: float, stiffness: float, damping: float, bound: float
) -> int:
    """Store what acts on a freedom through a row."""
    rows[row, FREEDOM] = freedom
    rows[row, KIND] = kind
    rows[row, GOAL] = target
    rows[row, STIFFNESS] = stiffness
    rows[row, DAMPING] = damping
    rows[row, BOUND] = bound
    rows[row, FEED] = 0.0
    return row + 1


@inlined
def _set_freedom(joints: Array, rows: Array, joint: int, freedom: int, row: int) -> int:
    """Store the limits, motor, friction and spring of a freedom in its rows, in the order in which `row_counts` counts them."""
    lower, upper = float(joints[LOWER + freedom, joint]), float(joints[UPPER + freedom, joint])
    if lower > -_HUGE:
        row = _set(rows, row, freedom, LOWER_LIMIT, lower, 0.0, 0.0, _HUGE)
    if upper < _HUGE:
        row = _set(rows, row, freedom, UPPER_LIMIT, upper, 0.0, 0.0, _HUGE)
    motor = MOTOR + MOTOR_SIZE * freedom
    if joints[motor, joint] != NO_MOTOR:
        kind = RATE_ROW if joints[motor, joint] == RATE_MOTOR else SPRING_ROW
        target, stiffness, damping = load_vector(joints, motor + 1, joint)
        row = _set(rows, row, freedom, kind, target, stiffness, damping, float(joints[motor + 4, joint]))
        rate, push = joints[DRIVE + DRIVE_SIZE * freedom, joint], joints[DRIVE + DRIVE_SIZE * freedom + 1, joint]
        rows[row - 1, FEED] = damping * float(rate) + float(push)
    friction = float(joints[FRICTION + freedom, joint])
    if friction > 0.0:
        row = _set(rows, row, freedom, RATE_ROW, 0.0, 0.0, 0.0, friction)
    spring = SPRING + SPRING_SIZE * freedom
    if joints[spring, joint] != 0.0:
        stiffness, damping, rest = load_vector(joints, spring + 1, joint)
        row = _set(rows, row, freedom, SPRING_ROW, rest, stiffness, damping, _HUGE)
    return row


@inlined
def limit_count(column: Column, freedom: int) -> int:
    """The number of limits of a freedom of a joint, whose rows come first among those of the freedom."""
    return int(column[LOWER + freedom] > -_HUGE) + int(column[UPPER + freedom] < _HUGE)


@inlined
def freedom_count(column: Column, freedom: int) -> int:
    """The number of rows of a freedom of a joint."""
    count = limit_count(column, freedom) + int(column[MOTOR + MOTOR_SIZE * freedom] != NO_MOTOR)
    return count + int(column[FRICTION + freedom] > 0.0) + int(column[SPRING + SPRING_SIZE * freedom] != 0.0)


@inlined
def soft_count(column: Column) -> int:
    """The number of rows of springs that act on several freedoms at once."""
    kind = int(column[TYPE])
    return 3 if kind == BALL and column[BALL_SPRING] != 0.0 else SOFT_ROWS[kind]


@inlined
def count_rows(column: Column) -> tuple[int, int]:
    """The numbers of rows of a joint that hold it, and of its other rows, given its components."""
    kind = int(column[TYPE])
    others = soft_count(column)
    for freedom in range(FREEDOM_COUNTS[kind]):
        others += freedom_count(column, freedom)
    return EQUALITY_ROWS[kind], others


def row_counts(column: Column) -> tuple[int, list[int], int]:
    """The numbers of rows of a joint: those that hold it, those of each freedom, and springs of several rows.

    Args:
        column: Its components, see `layout`.
    """
    kind = int(column[TYPE])
    counts = [freedom_count(column, freedom) for freedom in range(FREEDOM_COUNTS[kind])]
    return EQUALITY_ROWS[kind], counts, soft_count(column)


def limits_reached(column: Column) -> list[bool]:
    """Whether each freedom of a joint pushed against a limit in the last step.

    Args:
        column: Its components, see `layout`.
    """
    first, counts, _springs = row_counts(column)
    reached = []
    for freedom, count in enumerate(counts):
        rows = range(first, first + limit_count(column, freedom))
        blocks = (POSITION_FORCES, VELOCITY_FORCES)
        reached.append(any(column[block + row] != 0.0 for block in blocks for row in rows))
        first += count
    return reached


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
def _across(frame: Quaternion) -> tuple[Vector, Vector]:
    """The second and the third axis of a frame."""
    return rotate(frame, 2.0, (0.0, 1.0, 0.0)), rotate(frame, 2.0, (0.0, 0.0, 1.0))


@inlined
def _angle_about(frame: Quaternion, second: Vector, third: Vector) -> float:
    """Angle [rad] of a frame about its first axis from the second and third axes of another one."""
    own = rotate(frame, 2.0, (0.0, 1.0, 0.0))
    return angle_of(dot(own, third), dot(own, second))


@kernel("joint-rows")
def joint_rows(
    own: Array,
    work: Array,
    joints: Array,
    links: Integers,
    points: Array,
    rows: Array,
    measures: Array,
    island: int,
    first: int,
    last: int,
    pose: int,
    has_directions: int,
) -> int:
    """Compute the residuals of joints at a pose, and the directions of their rows if asked for."""
    base = load(measures, island, BASE)
    for link in range(first, last):
        joint = link
        place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
        kind = int(joints[TYPE, joint])
        # poses, anchors and frames, in the world frame relative to the point that moves with the island
        q = load_quaternion(work, pose + ORIENTATION, place)
        center = load_vector(work, pose + POSITION, place)
        lever = rotate(q, 2.0, subtract(load_vector(joints, AT_BODY, joint), load_vector(own, CENTER_OF_MASS, place)))
        at = add(center, lever)
        frame = multiply(q, load_quaternion(joints, FRAME_BODY, joint))
        given = load_vector(joints, AT_OTHER, joint)
        other_frame = load_quaternion(joints, FRAME_OTHER, joint)
        if other >= 0:
            other_q = load_quaternion(work, pose + ORIENTATION, other)
            other_center = load_vector(work, pose + POSITION, other)
            other_at = add(other_center, rotate(other_q, 2.0, subtract(given, load_vector(own, CENTER_OF_MASS, other))))
            other_frame = multiply(other_q, other_frame)
        else:
            other_q = (0.0, 0.0, 0.0, 1.0)
            other_at = subtract(given, base)
            other_center = other_at
        gap = subtract(at, other_at)
        # the rotation in the drift, without which angles beyond half a turn per tick could not be counted
        drifted = _NONE
        if pose == END and (kind == HINGE or kind == UNIVERSAL or kind == PLANAR or kind == BALL):
            piece = float(measures[island, PIECE])
            drifted = scale(piece, rotate(q, 2.0, load_vector(work, pose + ANGULAR_VELOCITY, place)))
            if other >= 0:
                spin = rotate(other_q, 2.0, load_vector(work, pose + ANGULAR_VELOCITY, other))
                drifted = add_scaled(drifted, -piece, spin)
        # the rows of each type
        row, last_row = links[link, FIRST_ROW], links[link, LAST_ROW]
        common = add_scaled(at, -0.5, gap)
        axis = rotate(frame, 2.0, (1.0, 0.0, 0.0))
        # the coordinate of each freedom and its direction, which is of an angular impulse for freedoms from `first_turn` on
        coordinate, second_coordinate, third_coordinate, first_turn = 0.0, 0.0, 0.0, 0
        direction, second_direction, third_direction = _NONE, _NONE, _NONE
        if kind == BALL:
            row = _put_point(has_directions, rows, row, gap)
            if row < last_row:
                across = rotate(other_frame, 2.0, (1.0, 0.0, 0.0))
                coordinate, direction = swing(axis, across)
                if dot(direction, direction) == 0.0:  # the axes are parallel, and any direction across them will do
                    direction = rotate(frame, 2.0, (0.0, 1.0, 0.0))
                turn = twist(multiply(conjugate(other_frame), frame))
                # not infinite where the axes are opposite, where there is no twist
                second_direction = scale(1.0 / max(1.0 + dot(axis, across), 1e-9), add(axis, across))
                expected = float(joints[COORDINATE + 1, joint]) + dot(drifted, second_direction)
                second_coordinate = counted(turn, expected)
        elif kind == HINGE:
            row = _put_point(has_directions, rows, row, gap)
            second, third = _across(other_frame)
            row = _put_across(has_directions, rows, row, axis, second, third)
            if has_directions == 1 or row < last_row:
                angle = _angle_about(frame, second, third)
                expected = float(joints[COORDINATE, joint]) + dot(drifted, axis)
                coordinate, direction = counted(angle, expected), axis
        elif kind == SLIDER:
            common = other_at
            second, third = _across(frame)
            row = _put(has_directions, rows, row, dot(second, gap), second, _NONE, 0.0)
            row = _put(has_directions, rows, row, dot(third, gap), third, _NONE, 0.0)
            row = _put_turn(has_directions, rows, row, frame, other_frame)
            coordinate, direction, first_turn = dot(axis, gap), axis, 1
        elif kind == WELD:
            row = _put_point(has_directions, rows, row, gap)
            row = _put_turn(has_directions, rows, row, frame, other_frame)
        elif kind == SOFT or kind == SOFT_AXIS:
            common = at
            second, third = _across(other_frame)
            across = rotate(other_frame, 2.0, (1.0, 0.0, 0.0))
            row = _put_gap(has_directions, rows, row, gap, (across, second, third))
            if kind == SOFT_AXIS:
                _ = _put_across(has_directions, rows, row, axis, second, third)
            row = last_row
        elif kind == ROD or kind == ROPE:
            coordinate, first_turn = sqrt(dot(gap, gap)), 1
            direction = scale(1.0 / coordinate, gap) if coordinate > 0.0 else (1.0, 0.0, 0.0)
            if kind == ROD:
                row = _put(has_directions, rows, row, coordinate - float(joints[LENGTH, joint]), direction, _NONE, 0.0)
        elif kind == UNIVERSAL:
            row = _put_point(has_directions, rows, row, gap)
            across = rotate(other_frame, 2.0, (1.0, 0.0, 0.0))
            row = _put(has_directions, rows, row, dot(axis, across), _NONE, cross(axis, across), 1.0)
            if has_directions == 1 or row < last_row:
                second, third = _across(frame)
                angle = angle_of(-dot(across, third), dot(across, second))
                expected = float(joints[COORDINATE, joint]) + dot(drifted, axis)
                coordinate, direction = counted(angle, expected), axis
                second, third = _across(other_frame)
                angle = angle_of(dot(axis, third), dot(axis, second))
                expected = float(joints[COORDINATE + 1, joint]) + dot(drifted, across)
                second_coordinate, second_direction = counted(angle, expected), across
        elif kind == PLANAR:
            common = at
            normal = rotate(other_frame, 2.0, (1.0, 0.0, 0.0))
            row = _put(has_directions, rows, row, dot(normal, gap), normal, _NONE, 0.0)
            second, third = _across(other_frame)
            row = _put_across(has_directions, rows, row, axis, second, third)
            coordinate, direction = dot(second, gap), second
            second_coordinate, second_direction = dot(third, gap), third
            angle = _angle_about(frame, second, third)
            expected = float(joints[COORDINATE + 2, joint]) + dot(drifted, axis)
            third_coordinate, third_direction = counted(angle, expected), axis
            first_turn = 2
        # the rows of freedoms, and then those of springs in three directions
        has_spring = kind == BALL and joints[BALL_SPRING, joint] != 0.0
        end = last_row - 3 if has_spring else last_row
        if has_directions == 1:
            joints[COORDINATE, joint] = coordinate
            joints[COORDINATE + 1, joint] = second_coordinate
            joints[COORDINATE + 2, joint] = third_coordinate
            each = row
            for freedom in range(FREEDOM_COUNTS[kind]):
                each = _set_freedom(joints, rows, joint, freedom, each)
        for each in range(row, end):
            freedom = int(rows[each, FREEDOM])
            value, along = coordinate, direction
            if freedom == 1:
                value, along = second_coordinate, second_direction
            elif freedom == 2:
                value, along = third_coordinate, third_direction
            rows[each, RESIDUAL] = value
            if has_directions == 1:
                is_turn = freedom >= first_turn
                store(rows, each, LINEAR, _NONE if is_turn else along)
                store(rows, each, ANGULAR, along if is_turn else _NONE)
                rows[each, IS_TURN] = 1.0 if is_turn else 0.0
        is_soft = kind == SOFT or kind == SOFT_AXIS
        if has_directions == 0:
            for each in range(links[link, FIRST_ROW] if is_soft else row, last_row):
                rows[each, MOVED] = float(rows[each, RESIDUAL]) - float(rows[each, START_COORDINATE])
        if has_spring or kind == SOFT:
            second, third = _across(other_frame)
            axes = rotate(other_frame, 2.0, (1.0, 0.0, 0.0)), second, third
            _ = _put_rotation(has_directions, rows, last_row - 3, frame, other_frame, axes)
        if has_directions == 0:
            continue
        # what a unit of each row does to both bodies
        arm, other_arm = subtract(common, center), subtract(common, other_center)
        store(points, link, ARM, arm)
        store(points, link, OTHER_ARM, other_arm)
        for each in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
            linear, angular = load(rows, each, LINEAR), load(rows, each, ANGULAR)
            on_body = rotate_inverse(q, 2.0, add(cross(arm, linear), angular))
            answer = dot(on_body, apply_symmetric(load_symmetric(own, INVERSE_INERTIA, place), on_body))
            mobility = float(own[INVERSE_MASS, place])
            store(rows, each, ON_BODY, on_body)
            if other >= 0:
                on_other = rotate_inverse(other_q, 2.0, add(cross(other_arm, linear), angular))
                inverse_inertia = load_symmetric(own, INVERSE_INERTIA, other)
                answer += dot(on_other, apply_symmetric(inverse_inertia, on_other))
                mobility += float(own[INVERSE_MASS, other])
                store(rows, each, ON_OTHER, on_other)
            rows[each, YIELDS] = dot(linear, linear) * mobility + answer
            rows[each, SOFTNESS] = REGULARISATION * float(rows[each, YIELDS])
            rows[each, IS_FREE] = 1.0
            rows[each, START_COORDINATE] = rows[each, RESIDUAL]
            if each >= end or is_soft:
                freedom = 2 if kind == BALL else 0 if each < links[link, FIRST_ROW] + 3 else 1
                stiffness, damping, _rest = load_vector(joints, SPRING + SPRING_SIZE * freedom + 1, joint)
                _ = _set(rows, each, freedom, SPRING_ROW, 0.0, stiffness, damping, _HUGE)
    return 0
