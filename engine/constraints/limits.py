"""Whether the limits of joints may act in a tick, which decides whether their island takes the tick in the parts of a method of order 4.

A limit that acts stops a motion within the tick, which no part of negative length can take back. One that does not act leaves the
equations of the joints alone.
"""

from math import sqrt

from ..compilation.compiler import inlined
from ..kernels.vectors import Vector, dot, subtract
from ..loops.columns import Array, Integers, load_vector
from ..loops.layout import ANGULAR_VELOCITY, CENTER_OF_MASS, VELOCITY
from .layout import (
    AT_BODY,
    AT_OTHER,
    COORDINATE,
    FIRST_PLACE,
    FIRST_TURN,
    FREEDOM_COUNTS,
    GOAL,
    KIND,
    LINKS,
    LINKS_END,
    LOWER,
    LOWER_LIMIT,
    PLANAR,
    RESIDUAL,
    ROWS,
    ROWS_END,
    SECOND_PLACE,
    TYPE,
    UPPER,
    UPPER_LIMIT,
)
from .rows import count_limits

NEAREST = 1e-6
"""A limit that is closer than this acts [m or rad]."""
MARGIN = 2.0
"""Room for accelerations, as a multiple of the way that the velocities at the start of the tick may lead."""


@inlined
def _size(vector: Vector) -> float:
    return sqrt(dot(vector, vector))


@inlined
def is_limit_near(array: Array, joints: Array, joint: int, place: int, other: int, dt: float) -> bool:
    """Whether a joint may reach one of its limits in a tick, by the velocities of its bodies, which are in columns (`other` -1: none)."""
    if count_limits(joints[:, joint]) == 0:
        return False
    velocity, turn = load_vector(array, VELOCITY, place), _size(load_vector(array, ANGULAR_VELOCITY, place))
    swing = turn * _size(subtract(load_vector(joints, AT_BODY, joint), load_vector(array, CENTER_OF_MASS, place)))
    if other >= 0:
        velocity = subtract(velocity, load_vector(array, VELOCITY, other))
        other_turn = _size(load_vector(array, ANGULAR_VELOCITY, other))
        arm = subtract(load_vector(joints, AT_OTHER, joint), load_vector(array, CENTER_OF_MASS, other))
        swing += other_turn * _size(arm)
        turn += other_turn
    kind = int(joints[TYPE, joint])
    speed = _size(velocity) + swing
    if kind == PLANAR:  # the axes turn, and the distance along one becomes one along the other
        speed += turn * (abs(float(joints[COORDINATE, joint])) + abs(float(joints[COORDINATE + 1, joint])))
    for freedom in range(FREEDOM_COUNTS[kind]):
        now = float(joints[COORDINATE + freedom, joint])
        way = MARGIN * dt * (turn if freedom >= FIRST_TURN[kind] else speed) + NEAREST
        if not (joints[LOWER + freedom, joint] < now - way and now + way < joints[UPPER + freedom, joint]):
            return True
    return False


@inlined
def are_limits_away(own: Array, joints: Array, links: Integers, islands: Integers, island: int, dt: float) -> bool:
    """Whether no joint of an island may reach a limit in a tick."""
    for link in range(islands[island, LINKS], islands[island, LINKS_END]):
        if is_limit_near(own, joints, link, links[link, FIRST_PLACE], links[link, SECOND_PLACE], dt):
            return False
    return True


@inlined
def is_limit_passed(rows: Array, islands: Integers, island: int) -> bool:
    """Whether a joint of an island is beyond a limit at the pose for which its rows were computed last."""
    for row in range(islands[island, ROWS], islands[island, ROWS_END]):
        beyond = float(rows[row, RESIDUAL]) - float(rows[row, GOAL])
        if (rows[row, KIND] == LOWER_LIMIT and beyond < 0.0) or (rows[row, KIND] == UPPER_LIMIT and beyond > 0.0):
            return True
    return False
