"""The rows of constraints of joints: those that hold them (see `joint_types`), and those that act on their freedoms.

A row has a residual, the directions of the impulse and angular impulse that act at the common point, and what a unit of it does to both
bodies.
"""

from collections.abc import Sequence

from ..compilation.compiler import inlined, kernel
from ..compilation.packed import Packed, unpack
from ..kernels.quaternions import Quaternion, multiply, rotate, rotate_inverse
from ..kernels.vectors import Vector, add, add_scaled, apply_symmetric, cross, dot, scale, subtract
from ..loops.columns import Array, Integers, load_quaternion, load_symmetric, load_vector
from ..loops.layout import ANGULAR_VELOCITY, CENTER_OF_MASS, INVERSE_INERTIA, INVERSE_MASS, ORIENTATION, POSITION
from .arguments import Tables
from .joint_types import Freedoms, Placement, across_axes, load, put_rotation, rows_of_type, store
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
    EQUALITY_ROWS,
    FEED,
    FIRST_PLACE,
    FIRST_ROW,
    FIRST_TURN,
    FOLLOWING_MOTOR,
    FOLLOWING_SPRING,
    FRAME_BODY,
    FRAME_OTHER,
    FREEDOM,
    FREEDOM_COUNTS,
    FRICTION,
    GOAL,
    GROWTH,
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
    SECOND_PLACE,
    SOFT,
    SOFT_AXIS,
    SOFT_ROWS,
    SOFTNESS,
    SPRING,
    SPRING_ROW,
    SPRING_SIZE,
    START_COORDINATE,
    STIFFNESS,
    TYPE,
    UNIVERSAL,
    UPPER,
    UPPER_LIMIT,
    VELOCITY_FORCES,
    YIELDS,
)

REGULARISATION = 1e-6
"""Softness of a row, as a share of the rate of change that a unit impulse of the row gives to itself."""

Column = Sequence[float] | Array
"""The components of a joint."""

_NONE = (0.0, 0.0, 0.0)
_HUGE = 1e300
"""A limit beyond this is none."""


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
    rows[row, GROWTH] = 1.0
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


@inlined
def count_limits(column: Column) -> int:
    """The number of rows of limits of a joint, given its components."""
    count = 0
    for freedom in range(FREEDOM_COUNTS[int(column[TYPE])]):
        count += limit_count(column, freedom)
    return count


@inlined
def follower_count(column: Column) -> int:
    """The number of motors and springs of a joint that follow its inertia, given its components."""
    count = 0
    for freedom in range(FREEDOM_COUNTS[int(column[TYPE])]):
        count += int(column[MOTOR + MOTOR_SIZE * freedom] == FOLLOWING_MOTOR)
        count += int(column[SPRING + SPRING_SIZE * freedom] == FOLLOWING_SPRING)
    return count


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
def _poses(
    own: Array, work: Array, joints: Array, links: Integers, measures: Array, island: int, link: int, pose: int
) -> tuple[Placement, Quaternion, Quaternion, Vector, Vector]:
    """Where a joint is, and the orientations and mass centres of its bodies, relative to the point that moves with the island."""
    joint, place, other = link, links[link, FIRST_PLACE], links[link, SECOND_PLACE]
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
        other_at = subtract(given, load(measures, island, BASE))
        other_center = other_at
    # the rotation in the drift, without which angles beyond half a turn per tick could not be counted
    turned = _NONE
    kind = int(joints[TYPE, joint])
    if pose == END and (kind == HINGE or kind == UNIVERSAL or kind == PLANAR or kind == BALL):
        piece = float(measures[island, PIECE])
        turned = scale(piece, rotate(q, 2.0, load_vector(work, pose + ANGULAR_VELOCITY, place)))
        if other >= 0:
            spin = rotate(other_q, 2.0, load_vector(work, pose + ANGULAR_VELOCITY, other))
            turned = add_scaled(turned, -piece, spin)
    counted = load_vector(joints, COORDINATE, joint)
    length = float(joints[LENGTH, joint])
    placement = Placement(at, other_at, subtract(at, other_at), frame, other_frame, turned, counted, length)
    return placement, q, other_q, center, other_center


@inlined
def _store_freedoms(joints: Array, rows: Array, joint: int, found: Freedoms, end: int, has_directions: int) -> None:
    """Store what acts on the freedoms of a joint, in the rows behind those that hold it."""
    kind = int(joints[TYPE, joint])
    if has_directions == 1:
        for freedom in range(3):
            joints[COORDINATE + freedom, joint] = found.coordinates[freedom]
        each = found.row
        for freedom in range(FREEDOM_COUNTS[kind] if found.row < end else 0):  # hard islands do not copy their settings
            each = _set_freedom(joints, rows, joint, freedom, each)
    for each in range(found.row, end):
        freedom = int(rows[each, FREEDOM])
        rows[each, RESIDUAL] = found.coordinates[freedom]
        if has_directions == 1:
            is_turn = freedom >= FIRST_TURN[kind]
            along = found.directions[freedom]
            store(rows, each, LINEAR, _NONE if is_turn else along)
            store(rows, each, ANGULAR, along if is_turn else _NONE)
            rows[each, IS_TURN] = 1.0 if is_turn else 0.0


@inlined
def _store_effects(
    own: Array, rows: Array, links: Integers, link: int, arms: tuple[Vector, Vector], q: Quaternion, other_q: Quaternion
) -> None:
    """Store what a unit of each row does to both bodies."""
    place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
    arm, other_arm = arms
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


@inlined
def _set_soft(joints: Array, rows: Array, joint: int, first: int, end: int, last: int) -> None:
    """Store stiffness and damping of the springs that act in several rows, which are those from `end` on, or all rows of a soft joint."""
    kind = int(joints[TYPE, joint])
    for each in range(first if kind == SOFT or kind == SOFT_AXIS else end, last):
        freedom = 2 if kind == BALL else 0 if each < first + 3 else 1
        stiffness, damping, _rest = load_vector(joints, SPRING + SPRING_SIZE * freedom + 1, joint)
        _ = _set(rows, each, freedom, SPRING_ROW, 0.0, stiffness, damping, _HUGE)


@kernel("joint-rows")
def joint_rows(common: Packed[Tables], island: int, first: int, last: int, pose: int, has_directions: int) -> int:
    """Compute the residuals of joints at a pose, and the directions of their rows if asked for."""
    tables = unpack(common)
    joints, links, rows = tables.joints, tables.links, tables.rows
    for link in range(first, last):
        kind = int(joints[TYPE, link])
        first_row, last_row = links[link, FIRST_ROW], links[link, LAST_ROW]
        place, q, other_q, center, other_center = _poses(
            tables.own, tables.work, joints, links, tables.measures, island, link, pose
        )
        found = rows_of_type(kind, place, rows, first_row, last_row, has_directions)
        # the rows of freedoms, and then those of springs in three directions
        has_spring = kind == BALL and joints[BALL_SPRING, link] != 0.0
        end = last_row - 3 if has_spring else last_row
        _store_freedoms(joints, rows, link, found, end, has_directions)
        if has_directions == 0:
            for each in range(first_row if kind == SOFT or kind == SOFT_AXIS else found.row, last_row):
                rows[each, MOVED] = float(rows[each, RESIDUAL]) - float(rows[each, START_COORDINATE])
        if has_spring or kind == SOFT:
            second, third = across_axes(place.other_frame)
            axes = rotate(place.other_frame, 2.0, (1.0, 0.0, 0.0)), second, third
            _ = put_rotation(has_directions, rows, last_row - 3, place.frame, place.other_frame, axes)
        if has_directions == 1:
            arms = subtract(found.common, center), subtract(found.common, other_center)
            store(tables.points, link, ARM, arms[0])
            store(tables.points, link, OTHER_ARM, arms[1])
            _store_effects(tables.own, rows, links, link, arms, q, other_q)
            _set_soft(joints, rows, link, first_row, end, last_row)
    return 0
