"""The rows of constraints of a joint: residuals, and the directions of the impulses that act at one common point of both bodies.

A row has a residual, a direction d of the impulse and a direction e of the angular impulse. Its rate of change is
``d·(v − v') + e·(ω − ω')``, where v and v' are the velocities of the two bodies at the common point. Both bodies get opposite
impulses there, so that linear and angular momentum do not depend on how well the rows hold.
"""

from math import sqrt

from ..compilation.compiler import inlined, kernel
from ..kernels.quaternions import Quaternion, conjugate, multiply, rotate, rotate_inverse
from ..kernels.trigonometry import arc
from ..kernels.vectors import Vector, add, add_scaled, apply_symmetric, cross, dot, scale, subtract
from ..loops.columns import Array, Integers, load_quaternion, load_symmetric, load_vector
from ..loops.layout import CENTER_OF_MASS, INVERSE_INERTIA, INVERSE_MASS, ORIENTATION, POSITION
from .layout import (
    ANGULAR,
    ARM,
    AT_BODY,
    AT_OTHER,
    BALL,
    BASE,
    COORDINATE,
    DRIVE_ROW,
    EQUALITY,
    FIRST_PLACE,
    FIRST_ROW,
    FRAME_BODY,
    FRAME_OTHER,
    FRICTION,
    FRICTION_ROW,
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
    MOTOR_ROW,
    NO_MOTOR,
    ON_BODY,
    ON_OTHER,
    OTHER_ARM,
    PLANAR,
    RATE_MOTOR,
    RESIDUAL,
    ROD,
    ROPE,
    SECOND_PLACE,
    SLIDER,
    SOFT,
    SOFT_AXIS,
    SOFT_ROW,
    SOFTNESS,
    SPRING,
    SPRING_ROW,
    START_COORDINATE,
    TYPE,
    UNIVERSAL,
    UPPER,
    UPPER_LIMIT,
    WELD,
)

REGULARISATION = 1e-6
"""Softness of a row, as a share of the rate of change that a unit impulse of the row gives to itself."""

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
def _set_kinds(joints: Array, rows: Array, joint: int, first: int) -> None:
    """Set the kinds of the rows of a freedom, in the order in which they were counted."""
    row = first
    if joints[LOWER, joint] > -_HUGE:
        rows[row, KIND] = LOWER_LIMIT
        row += 1
    if joints[UPPER, joint] < _HUGE:
        rows[row, KIND] = UPPER_LIMIT
        row += 1
    if joints[MOTOR, joint] != NO_MOTOR:
        rows[row, KIND] = MOTOR_ROW if joints[MOTOR, joint] == RATE_MOTOR else DRIVE_ROW
        row += 1
    if joints[FRICTION, joint] > 0.0:
        rows[row, KIND] = FRICTION_ROW
        row += 1
    if joints[SPRING, joint] != 0.0:
        rows[row, KIND] = SPRING_ROW


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
    whole = float(int(turns + 0.5)) if turns >= 0.0 else -float(int(0.5 - turns))
    return angle - 6.283185307179586 * whole


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
        # poses, anchors and frames, in world axes relative to the point that moves with the island
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
        # the rows of each type
        row = links[link, FIRST_ROW]
        coordinate, direction = 0.0, _NONE
        common = add_scaled(at, -0.5, gap)
        axis = rotate(frame, 2.0, (1.0, 0.0, 0.0))
        if kind == SOFT_AXIS:
            row = _put_point(has_directions, rows, row, gap)
            second = rotate(other_frame, 2.0, (0.0, 1.0, 0.0))
            third = rotate(other_frame, 2.0, (0.0, 0.0, 1.0))
            row = _put_across(has_directions, rows, row, axis, second, third)
        elif kind == BALL:
            row = _put_point(has_directions, rows, row, gap)
        elif kind == HINGE:
            row = _put_point(has_directions, rows, row, gap)
            second = rotate(other_frame, 2.0, (0.0, 1.0, 0.0))
            third = rotate(other_frame, 2.0, (0.0, 0.0, 1.0))
            row = _put_across(has_directions, rows, row, axis, second, third)
        elif kind == SLIDER:
            common = other_at
            second, third = rotate(frame, 2.0, (0.0, 1.0, 0.0)), rotate(frame, 2.0, (0.0, 0.0, 1.0))
            row = _put(has_directions, rows, row, dot(second, gap), second, _NONE, 0.0)
            row = _put(has_directions, rows, row, dot(third, gap), third, _NONE, 0.0)
            row = _put_turn(has_directions, rows, row, frame, other_frame)
        elif kind == WELD or kind == SOFT:
            row = _put_point(has_directions, rows, row, gap)
            row = _put_turn(has_directions, rows, row, frame, other_frame)
        elif kind == ROD or kind == ROPE:
            coordinate = sqrt(dot(gap, gap))
            direction = scale(1.0 / coordinate, gap) if coordinate > 0.0 else (1.0, 0.0, 0.0)
            if kind == ROD:
                row = _put(has_directions, rows, row, coordinate - float(joints[LENGTH, joint]), direction, _NONE, 0.0)
        elif kind == UNIVERSAL:
            row = _put_point(has_directions, rows, row, gap)
            across = rotate(other_frame, 2.0, (1.0, 0.0, 0.0))
            row = _put(has_directions, rows, row, dot(axis, across), _NONE, cross(axis, across), 1.0)
        elif kind == PLANAR:
            common = at
            normal = rotate(other_frame, 2.0, (1.0, 0.0, 0.0))
            row = _put(has_directions, rows, row, dot(normal, gap), normal, _NONE, 0.0)
            second = rotate(other_frame, 2.0, (0.0, 1.0, 0.0))
            third = rotate(other_frame, 2.0, (0.0, 0.0, 1.0))
            row = _put_across(has_directions, rows, row, axis, second, third)
        # the freedom that limits, motors, friction and springs act on
        turn, is_turn = _NONE, 0.0
        if kind == HINGE:
            other_second, other_third = (
                rotate(other_frame, 2.0, (0.0, 1.0, 0.0)),
                rotate(other_frame, 2.0, (0.0, 0.0, 1.0)),
            )
            own_second = rotate(frame, 2.0, (0.0, 1.0, 0.0))
            angle = angle_of(dot(own_second, other_third), dot(own_second, other_second))
            coordinate = counted(angle, float(joints[COORDINATE, joint]))
            turn, is_turn = axis, 1.0
        elif kind == SLIDER:
            coordinate, direction = dot(axis, gap), axis
        for each in range(row, links[link, LAST_ROW]):
            _ = _put(has_directions, rows, each, coordinate, direction, turn, is_turn)
        if has_directions == 1 and row < links[link, LAST_ROW]:
            _set_kinds(joints, rows, joint, row)
        if has_directions == 0:
            continue
        joints[COORDINATE, joint] = coordinate
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
            rows[each, SOFTNESS] = REGULARISATION * (dot(linear, linear) * mobility + answer)
            rows[each, IS_FREE] = 1.0
            rows[each, START_COORDINATE] = coordinate
            if kind == SOFT or kind == SOFT_AXIS:
                rows[each, KIND] = SOFT_ROW
                rows[each, START_COORDINATE] = rows[each, RESIDUAL]
    return 0
