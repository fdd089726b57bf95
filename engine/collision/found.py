"""The points of a pair of shapes: how they are stored, and which of many are kept."""

from ..compilation.compiler import inlined, kernel
from ..constraints.joint_types import load, store
from ..constraints.layout import BY_BODY, BY_CORES, BY_OTHER
from ..kernels.vectors import Vector, add_scaled, cross, dot, scale, subtract
from ..loops.columns import Array
from .layout import (
    APART_BY,
    AT_EDGE,
    FIRST_RADIUS,
    MOST_POINTS,
    ON_FIRST,
    ON_SECOND,
    PART_OF,
    SECOND_RADIUS,
    TO_FIRST,
    TURNS_WITH,
)

_NARROW = 0.05
"""Share of their length by which points beside a line give a plane."""


@inlined
def put_found(
    found: Array, number: int, first: Vector, second: Vector, normal: Vector, gap: float, turns_with: int
) -> None:
    """Store a point of a pair; radii are zero."""
    store(found, number, ON_FIRST, first)
    store(found, number, ON_SECOND, second)
    store(found, number, TO_FIRST, normal)
    found[number, APART_BY] = gap
    found[number, TURNS_WITH] = float(turns_with)
    found[number, FIRST_RADIUS] = found[number, SECOND_RADIUS] = 0.0
    found[number, PART_OF] = found[number, AT_EDGE] = 0.0


@inlined
def copy_found(target: Array, row: int, source: Array, number: int) -> None:
    """Copy a point into a row of another array."""
    for entry in range(target.shape[1]):
        target[row, entry] = source[number, entry]


@inlined
def _swap(found: Array, number: int, other: int) -> None:
    for entry in range(found.shape[1]):
        found[number, entry], found[other, entry] = found[other, entry], found[number, entry]


@inlined
def exchange(found: Array, count: int) -> None:
    """Exchange the two shapes of points."""
    for number in range(count):
        first, second = load(found, number, ON_FIRST), load(found, number, ON_SECOND)
        store(found, number, ON_FIRST, second)
        store(found, number, ON_SECOND, first)
        store(found, number, TO_FIRST, scale(-1.0, load(found, number, TO_FIRST)))
        radius = found[number, FIRST_RADIUS]
        found[number, FIRST_RADIUS], found[number, SECOND_RADIUS] = found[number, SECOND_RADIUS], radius
        turns_with = int(found[number, TURNS_WITH])
        if turns_with != BY_CORES:
            found[number, TURNS_WITH] = float(BY_OTHER if turns_with == BY_BODY else BY_BODY)


@inlined
def with_edge(spin: Vector, edge: Vector, other_edge: Vector) -> int:
    """With which of two shapes the normal of their crossed edges turns, given the angular velocity of the first relative to the second.

    The normal is at right angles to both edges: what turns about the edge of the other one takes it along.
    """
    return BY_BODY if abs(dot(spin, other_edge)) > abs(dot(spin, edge)) else BY_OTHER


@inlined
def nearest_found(found: Array, kept: int) -> float:
    """The least gap of points."""
    least = 1e300
    for number in range(kept):
        least = min(least, float(found[number, APART_BY]))
    return least


@inlined
def deepest_of(found: Array, count: int) -> int:
    """The number of the first point with the least gap."""
    deepest = 0
    for number in range(1, count):
        if found[number, APART_BY] < found[deepest, APART_BY]:
            deepest = number
    return deepest


@inlined
def keep_guards(found: Array, kept: int, at: Vector, gap: float, apart: float) -> int:
    """Keep those points of faces that only an impact of edges or corners may bring together, given its place and gap; their number.

    These are not deeper, and farther from it than `apart`: at the same place, the face would push in a direction of its own.
    """
    guards = 0
    for number in range(kept):
        off = subtract(load(found, number, ON_FIRST), at)
        if found[number, APART_BY] >= gap and dot(off, off) > apart * apart:
            _swap(found, guards, number)
            guards += 1
    return guards


ALIKE = 1e-6
"""Share by which a point must be farther out than another one to be chosen instead, and share of the least half extent by which the deepest
points may differ: which points of faces that rest on each other are kept does not depend on rounding, nor on what solves leave."""


@inlined
def _is_beyond(value: float, largest: float) -> bool:
    return value > largest + ALIKE * abs(largest)


@inlined
def _spread(found: Array, first: int, last: int, column: int) -> None:
    """Put three points behind the first: the one farthest from it, and those farthest on both sides of the line between them."""
    start, normal = load(found, first, column), load(found, first, TO_FIRST)
    farthest, largest = first + 1, -1.0
    for number in range(first + 1, last):
        off = subtract(load(found, number, column), start)
        if _is_beyond(dot(off, off), largest):
            farthest, largest = number, dot(off, off)
    _swap(found, first + 1, farthest)
    across = cross(normal, subtract(load(found, first + 1, column), start))
    for sign in (1.0, -1.0):
        place = first + (2 if sign > 0.0 else 3)
        farthest, largest = place, -1e300
        for number in range(place, last):
            aside = sign * dot(across, subtract(load(found, number, column), start))
            if _is_beyond(aside, largest):
                farthest, largest = number, aside
        _swap(found, place, farthest)


@inlined
def keep_outstanding(found: Array, first: int, last: int, near: float) -> int:
    """Keep, behind four spread points, at most four that stick out from the planes through these; one after the last that is kept.

    Four points keep all others out of a flat face, but not those on bumps between them.

    Args:
        found: The points, the four first.
        first: The first of them.
        last: One after the last of all.
        near: How far a point may stick out without being kept [m].
    """
    start, least = load(found, first, ON_SECOND), float(found[first, APART_BY])
    along = subtract(load(found, first + 1, ON_SECOND), start)
    rises = float(found[first + 1, APART_BY]) - least
    square, across = dot(along, along), cross(load(found, first, TO_FIRST), along)
    kept = first + MOST_POINTS
    while kept < min(last, first + 2 * MOST_POINTS):
        best, largest = kept, near
        for number in range(kept, last):
            off = subtract(load(found, number, ON_SECOND), start)
            aside = dot(off, across)
            third = first + (2 if aside >= 0.0 else 3)
            to_third = subtract(load(found, third, ON_SECOND), start)
            plane = least + rises * dot(off, along) / square
            if abs(dot(to_third, across)) > _NARROW * square:
                bend = float(found[third, APART_BY]) - least - rises * dot(to_third, along) / square
                plane += bend * aside / dot(to_third, across)
            if plane - float(found[number, APART_BY]) > largest:
                best, largest = number, plane - float(found[number, APART_BY])
        if largest == near:
            break
        _swap(found, kept, best)
        kept += 1
    return kept


@inlined
def keep_four_between(found: Array, first: int, last: int, near: float, column: int) -> int:
    """Keep four of many points, of which the first is the outermost of the deepest ones, by how far apart they are on one of the shapes."""
    if last - first <= MOST_POINTS:
        return last
    lowest, middle = 1e300, (0.0, 0.0, 0.0)
    for number in range(first, last):
        lowest = min(lowest, float(found[number, APART_BY]))
        middle = add_scaled(middle, 1.0 / float(last - first), load(found, number, column))
    best, largest = first, -1.0
    for number in range(first, last):
        off = subtract(load(found, number, column), middle)
        if found[number, APART_BY] <= lowest + near and _is_beyond(dot(off, off), largest):
            best, largest = number, dot(off, off)
    _swap(found, first, best)
    _spread(found, first, last, column)
    return first + MOST_POINTS


@inlined
def fewer(found: Array, count: int, least: float) -> int:
    """Keep four of many points, given the least half extent of both shapes, as `keep_four` does; how many are kept."""
    return keep_four_between(found, 0, count, ALIKE * least, ON_FIRST)


MOVING_OF_SIZE = 0.1
"""Margin, as a share of the least half extent of both shapes, above which a pair is compared as one that moves."""


@inlined
def keep_reached(found: Array, kept: int, count: int, margin: float, least: float) -> int:
    """Keep, in a second contact, at most four more of the points of a pair that moves, which are near; how many are kept in all.

    Four points that are far apart hold what rests. Of what tumbles, a corner beside them may be as deep as the deepest one, and turn deeper
    in this tick. `kept` are kept already.
    """
    last = kept
    for number in range(kept, count if margin > MOVING_OF_SIZE * least else kept):
        if last < 2 * MOST_POINTS and found[number, APART_BY] <= 0.5 * margin:
            _swap(found, last, number)
            found[last, PART_OF] = 1.0
            last += 1
    return last


@kernel("keep-four")
def keep_four(found: Array, first: int, last: int, near: float) -> int:
    """Keep four of many points with similar normals, of which the first is the outermost of the deepest ones.

    Args:
        found: The points.
        first: The first of them.
        last: One after the last of them.
        near: By how much the deepest ones may differ [m].

    Returns:
        One after the last that is kept.
    """
    return keep_four_between(found, first, last, near, ON_SECOND)
