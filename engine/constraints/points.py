"""The rows of contacts: up to four points, each with a row along its normal and two rows across it.

A point belongs to a vertex or a round core of one of the bodies. Both bodies get opposite impulses at one common point, which is half the
gap along the normal from what the point belongs to, and does not turn with a round body. The rows of all points of a contact act about the
common point of the first one, so that the angular direction of a row is ``(p − c) × d``.
"""

from math import sqrt

from ..compilation.compiler import assume_separate_rows, call, inlined, kernel
from ..kernels.quaternions import Quaternion, from_rotation_vector, rotate, rotate_inverse
from ..kernels.vectors import Vector, add, add_scaled, apply_symmetric, cross, dot, scale, subtract
from ..loops.columns import Array, Integers, IntegerTable, load_quaternion, load_symmetric, load_vector
from ..loops.layout import (
    ANGULAR_VELOCITY,
    INVERSE_INERTIA,
    INVERSE_MASS,
    ORIENTATION,
    POSITION,
    VELOCITY,
)
from .arguments import Tables
from .calls import POINT_ROWS_CALL
from .joint_types import load, store
from .layout import (
    ANGULAR,
    ARM,
    BASE,
    BY_BODY,
    BY_CORES,
    BY_OTHER,
    CARRIED_ARM,
    CARRIED_AT,
    CARRIED_ROUND,
    CORE,
    ELAPSED,
    END,
    FIRST_PLACE,
    FIRST_POINT,
    FIRST_ROW,
    GAP,
    GOAL,
    HEAVIEST,
    IMPULSE,
    IS_CARRIED,
    LAST_ROW,
    LINEAR,
    NORMAL,
    ON_BODY,
    ON_OTHER,
    OTHER_ARM,
    OTHER_CORE,
    OTHER_ROUNDING,
    OWNER,
    PIECE,
    RESIDUAL,
    ROUNDING,
    SECOND_PLACE,
    SOFTNESS,
    START,
    START_SPAN,
    TANGENT,
    YIELDS,
)
from .stages import given

SOFTNESS_OF_A_POINT = 1e-3
"""Regularisation of a point, as a share of what it yields to its own impulse: 1e-6 would be too stiff for heaps."""
MOST_LIGHTNESS, LEAST_SHARE = 8.0, 1e-4
"""What the share is taken of is at most so many inverse masses of the heaviest body, because 1e-3 is too soft where masses differ by 1000;
and at least this share of what the point yields."""

MOST_TURN_IN_CONTACT = 0.5
"""An island divides a step in which a vertex that touches, or may, would turn by more than this [rad]."""
LEAST_LEFT = 0.1
"""The least share of a direction of friction that is still across the normal."""


@inlined
def across(normal: Vector) -> tuple[Vector, Vector]:
    """Two unit vectors at right angles to a unit vector and to each other."""
    x, y, z = normal
    if abs(x) <= abs(y) and abs(x) <= abs(z):
        size = sqrt(y * y + z * z)
        first = (0.0, z / size, -y / size)
    elif abs(y) <= abs(z):
        size = sqrt(x * x + z * z)
        first = (-z / size, 0.0, x / size)
    else:
        size = sqrt(x * x + y * y)
        first = (y / size, -x / size, 0.0)
    return first, cross(normal, first)


@inlined
def _tangents(touching: Array, point: int, normal: Vector) -> tuple[Vector, Vector]:
    """The directions of friction: those at the start of the tick, turned as little as possible.

    The impulses of both stages are added row by row, so that the directions must not depend on the rounding of the normal.
    """
    before = load(touching, point, TANGENT)
    one = add_scaled(before, -dot(before, normal), normal)
    size = sqrt(dot(one, one))
    if size < LEAST_LEFT:
        return across(normal)
    one = scale(1.0 / size, one)
    return one, cross(normal, one)


@inlined
def carried(touching: Array, point: int, time: float) -> tuple[Vector, Vector, Quaternion]:
    """How far a moving shape of the world has carried the core of a point in a time since the start of the tick.

    Returns:
        The distance, where the core is from the origin of the shape, and the turn of the shape, all in the world frame.
    """
    turn = from_rotation_vector(scale(time, load(touching, point, CARRIED_ROUND)))
    before = load(touching, point, CARRIED_ARM)
    arm = rotate(turn, 2.0, before)
    return add_scaled(subtract(arm, before), time, load(touching, point, CARRIED_AT)), arm, turn


@inlined
def normal_at(touching: Array, point: int, q: Quaternion, other_q: Quaternion, span: Vector) -> Vector:
    """The normal of a point at a pose, from the other body to the body, world frame."""
    owner, normal = int(touching[point, OWNER]), load(touching, point, NORMAL)
    if owner == BY_BODY:
        normal = rotate(q, 2.0, normal)
    elif owner == BY_OTHER:
        normal = rotate(other_q, 2.0, normal)
    elif owner == BY_CORES:
        size = sqrt(dot(span, span))
        if size > 0.0:
            normal = scale(1.0 / size, span)
    return normal


@inlined
def _set_directions(
    own: Array,
    rows: Array,
    row: int,
    place: int,
    other: int,
    q: Quaternion,
    other_q: Quaternion,
    arm: Vector,
    other_arm: Vector,
    lever: Vector,
    direction: Vector,
) -> None:
    """Store the directions of a row of a point at a lever from the common point of its contact, and what the row yields to its impulse."""
    angular = cross(lever, direction)
    on_body = rotate_inverse(q, 2.0, add(cross(arm, direction), angular))
    yields = float(own[INVERSE_MASS, place])
    yields += dot(on_body, apply_symmetric(load_symmetric(own, INVERSE_INERTIA, place), on_body))
    store(rows, row, LINEAR, direction)
    store(rows, row, ANGULAR, angular)
    store(rows, row, ON_BODY, on_body)
    if other >= 0:
        on_other = rotate_inverse(other_q, 2.0, add(cross(other_arm, direction), angular))
        yields += float(own[INVERSE_MASS, other])
        yields += dot(on_other, apply_symmetric(load_symmetric(own, INVERSE_INERTIA, other), on_other))
        store(rows, row, ON_OTHER, on_other)
    rows[row, YIELDS] = yields


@inlined
def swing_gain(own: Array, place: int, arm: Vector) -> float:
    """The angular acceleration [rad/s²] per newton that pulls at an arm and per radian, about the axes across the arm, both together."""
    size = sqrt(dot(arm, arm))
    if size == 0.0:
        return 0.0
    xx, yy, zz, xy, xz, yz = load_symmetric(own, INVERSE_INERTIA, place)
    along = dot(arm, apply_symmetric((xx, yy, zz, xy, xz, yz), arm)) / (size * size)
    return size * max(xx + yy + zz - along, 0.0)


@inlined
def most_spin(own: Array, place: int) -> float:
    """The spin [rad/s] that an impact adds to a body at most, wherever it is, per speed at which it closes [m/s]."""
    xx, yy, zz, _xy, _xz, _yz = load_symmetric(own, INVERSE_INERTIA, place)
    return 0.5 * sqrt((xx + yy + zz) / float(own[INVERSE_MASS, place]))  # `_turns`, for the worst arm


@inlined
def _turns_little(own: Array, place: int, speed: float, step: float) -> bool:
    """Whether no core turns by more than `MOST_TURN_IN_CONTACT`, wherever it is; `speed` is the relative speed of the mass centres."""
    rates = load_vector(own, ANGULAR_VELOCITY, place)
    return (sqrt(dot(rates, rates)) + speed * most_spin(own, place)) * step <= MOST_TURN_IN_CONTACT


@inlined
def _turns(own: Array, place: int, core: Vector, rounding: float, closing: float, step: float) -> float:
    """The angle by which a core turns about the mass centre in a step, with what an impact at a closing speed may add."""
    arm, gain = sqrt(dot(core, core)) + rounding, swing_gain(own, place, core)
    if gain == 0.0:
        return 0.0
    moved = cross(load_vector(own, ANGULAR_VELOCITY, place), core)
    added = closing * gain / (float(own[INVERSE_MASS, place]) + sqrt(dot(core, core)) * gain)
    return (sqrt(dot(moved, moved)) / arm + added) * step


@inlined
def turn_in_contact(own: Array, links: Integers, touching: Array, link: int, step: float) -> float:
    """The largest angle by which a point of a contact turns with one of its bodies in a step, before an impact in it or after; 0 if it is
    small for all points.

    A position stage compares where points are at both ends of a drift. Where they go round meanwhile, what it asks for is no impulse of
    an impact, and adds energy.
    """
    largest = 0.0
    place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
    q, center = load_quaternion(own, ORIENTATION, place), load_vector(own, POSITION, place)
    velocity, other_q, other_at = load_vector(own, VELOCITY, place), (0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
    if other >= 0:
        velocity = subtract(velocity, load_vector(own, VELOCITY, other))
        other_q, other_at = load_quaternion(own, ORIENTATION, other), load_vector(own, POSITION, other)
    speed = sqrt(dot(velocity, velocity))
    if _turns_little(own, place, speed, step) and (other < 0 or _turns_little(own, other, speed, step)):
        return 0.0
    for number in range((links[link, LAST_ROW] - links[link, FIRST_ROW]) // 3):
        point = links[link, FIRST_POINT] + number
        core, other_core = load(touching, point, CORE), load(touching, point, OTHER_CORE)
        span = subtract(add(subtract(center, other_at), rotate(q, 2.0, core)), rotate(other_q, 2.0, other_core))
        closing = max(-dot(normal_at(touching, point, q, other_q, span), velocity), 0.0)
        largest = max(largest, _turns(own, place, core, float(touching[point, ROUNDING]), closing, step))
        if other >= 0:
            rounding = float(touching[point, OTHER_ROUNDING])
            largest = max(largest, _turns(own, other, other_core, rounding, closing, step))
    return largest


@inlined
def _other_core(
    touching: Array, point: int, center: Vector, q: Quaternion, base: Vector, time: float
) -> tuple[Vector, Vector, Quaternion]:
    """Where the core of the other body or of a moving shape is, where it is from the origin of such a shape, and the attitude of either."""
    if touching[point, IS_CARRIED] == 0.0:
        return add(center, rotate(q, 2.0, load(touching, point, OTHER_CORE))), (0.0, 0.0, 0.0), q
    moved, surface, turn = carried(touching, point, time)
    return add(subtract(load(touching, point, OTHER_CORE), base), moved), surface, turn


@inlined
def _velocity_at(touching: Array, point: int, arm: Vector) -> Vector:
    """The velocity of a moving shape of the world at a distance from its origin; zero for anything else."""
    if touching[point, IS_CARRIED] == 0.0:
        return 0.0, 0.0, 0.0
    return add(cross(load(touching, point, CARRIED_ROUND), arm), load(touching, point, CARRIED_AT))


@inlined
def _mean_spin(own: Array, work: Array, place: int) -> Vector:
    """The mean of the angular velocities of a body at both ends of a drift, world frame."""
    start, end = load_quaternion(work, START + ORIENTATION, place), load_quaternion(work, END + ORIENTATION, place)
    before, after = given(own, work, place)[1], load_vector(work, END + ANGULAR_VELOCITY, place)
    return scale(0.5, add(rotate(start, 2.0, before), rotate(end, 2.0, after)))


@inlined
def _slide(
    own: Array,
    work: Array,
    links: Integers,
    touching: Array,
    rows: Array,
    link: int,
    point: int,
    row: int,
    span: Vector,
    normal: Vector,
    piece: float,
) -> None:
    """Compute how far a point slid along both directions of friction in a drift over `piece` [s], given the normal at its end.

    Round surfaces roll with the mean of what they do at both ends: with that at one of them, what rests on ground that turns would creep.
    """
    place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
    rounding, other_rounding = float(touching[point, ROUNDING]), float(touching[point, OTHER_ROUNDING])
    slid = subtract(span, load(touching, point, START_SPAN))
    if rounding > 0.0 or other_rounding > 0.0:
        rolled = scale(rounding, _mean_spin(own, work, place))
        if other >= 0:
            rolled = add_scaled(rolled, other_rounding, _mean_spin(own, work, other))
        elif touching[point, IS_CARRIED] != 0.0:
            rolled = add_scaled(rolled, other_rounding, load(touching, point, CARRIED_ROUND))
        mean = scale(0.5, add(load(rows, row, LINEAR), normal))
        slid = subtract(slid, cross(scale(piece, rolled), mean))
    rows[row + 1, RESIDUAL] = dot(slid, load(rows, row + 1, LINEAR))
    rows[row + 2, RESIDUAL] = dot(slid, load(rows, row + 2, LINEAR))


@inlined
def _soften(rows: Array, row: int, heaviest: float, surface: Vector) -> None:
    """Give the three rows of a point their softness and the velocity of the surface, and no impulse."""
    yields = max(float(rows[row, YIELDS]), float(rows[row + 1, YIELDS]), float(rows[row + 2, YIELDS]))
    softness = max(MOST_LIGHTNESS / heaviest, LEAST_SHARE * yields)
    softness = SOFTNESS_OF_A_POINT * min(yields, softness)
    for each in range(row, row + 3):
        rows[each, SOFTNESS] = softness
        rows[each, IMPULSE] = 0.0
        rows[each, GOAL] = dot(load(rows, each, LINEAR), surface)


@inlined
def find_point_rows(tables: Tables, island: int, first: int, last: int, pose: int, has_directions: int) -> None:
    """Call `point_rows`."""
    arrays = (tables.own, tables.work, tables.links, tables.points, tables.touching, tables.rows, tables.measures)
    _ = call(tables.calls[POINT_ROWS_CALL], (*arrays, island, first, last, pose, has_directions))


@kernel("point-rows")
def point_rows(
    own: Array,
    work: Array,
    links: IntegerTable,
    points: Array,
    touching: Array,
    rows: Array,
    measures: Array,
    island: int,
    first: int,
    last: int,
    pose: int,
    has_directions: int,
) -> int:
    """Compute the gaps of contacts at a pose, how far they slid in the drift, and the directions of their rows if asked for.

    The pose is that at the end of a drift unless the directions are asked for, which are those before a drift or after the last one.
    A gap is measured along the normal, which turns with what it belongs to. What a point slid is what the cores moved across the normal,
    less what round surfaces rolled.
    """
    assume_separate_rows()
    base = load(measures, island, BASE)
    piece = 0.0 if has_directions == 1 else float(measures[island, PIECE])
    time = float(measures[island, ELAPSED]) + piece
    for link in range(first, last):
        place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
        q, center = load_quaternion(work, pose + ORIENTATION, place), load_vector(work, pose + POSITION, place)
        other_q, other_center = (0.0, 0.0, 0.0, 1.0), scale(-1.0, base)
        if other >= 0:
            other_q = load_quaternion(work, pose + ORIENTATION, other)
            other_center = load_vector(work, pose + POSITION, other)
        arm = other_arm = common = (0.0, 0.0, 0.0)
        row = links[link, FIRST_ROW]
        for number in range((links[link, LAST_ROW] - row) // 3):
            point = links[link, FIRST_POINT] + number
            at = add(center, rotate(q, 2.0, load(touching, point, CORE)))
            other_at, surface, other_q = _other_core(touching, point, other_center, other_q, base, time)
            span = subtract(at, other_at)
            normal = normal_at(touching, point, q, other_q, span)
            rounding, other_rounding = float(touching[point, ROUNDING]), float(touching[point, OTHER_ROUNDING])
            gap = dot(normal, span) - rounding - other_rounding
            rows[row, RESIDUAL] = gap
            if has_directions == 0:
                _slide(own, work, links, touching, rows, link, point, row, span, normal, piece)
                row += 3
                continue
            touching[point, GAP] = gap
            store(touching, point, START_SPAN, span)
            if touching[point, OWNER] == BY_BODY:
                here = add_scaled(other_at, other_rounding + 0.5 * gap, normal)
            else:
                here = add_scaled(at, -(rounding + 0.5 * gap), normal)
            if number == 0:
                common, arm, other_arm = here, subtract(here, center), subtract(here, other_center)
                store(points, link, ARM, arm)
                store(points, link, OTHER_ARM, other_arm)
            surface = _velocity_at(touching, point, add(surface, subtract(here, other_at)))
            lever, (one, two) = subtract(here, common), _tangents(touching, point, normal)
            at_bodies = (place, other, q, other_q, arm, other_arm, lever)
            _set_directions(own, rows, row, *at_bodies, normal)
            _set_directions(own, rows, row + 1, *at_bodies, one)
            _set_directions(own, rows, row + 2, *at_bodies, two)
            _soften(rows, row, float(measures[island, HEAVIEST]), surface)
            row += 3
    return 0
