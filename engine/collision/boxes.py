"""Points at which two boxes touch: separating axes, and clipping of the face that faces the other."""

from math import sqrt
from typing import NamedTuple

from ..compilation.compiler import inlined
from ..constraints.joint_types import Axes, load, store
from ..constraints.layout import BY_BODY, BY_OTHER
from ..kernels.vectors import Vector, add_scaled, cross, dot, scale, subtract
from ..loops.columns import Array
from .found import keep_guards, nearest_found, put_found, with_edge
from .layout import AT_EDGE

FACE_BIAS, EDGE_BIAS = 1e-4, 1e-2
"""Shares of the least half extent by which the second box's face, and a pair of edges, must be farther apart to be chosen: a small turn of
boxes that rest on each other changes no choice."""
GUARDED = 2.0
"""Margins up to which further points of a pair are kept once one is within the margin, because an impact at one corner speeds others up."""
APART_FROM_NEAREST = 0.1
"""Share of the least half extent beyond which a point of faces is another one than that at which edges or corners meet."""
GRAZED = 1e-3
"""Share of the least half extent up to which shapes overlap across a side of a face and pass it: what slides over a seam is not caught."""
GRAZES = -1
"""In place of a number of points, if shapes overlap so little across a side of a face that they pass."""


class Placed(NamedTuple):
    """A box at its place: the middle, the axes and half the edges, world frame."""

    center: Vector
    axes: Axes
    half: Vector


@inlined
def _pick(values: Vector, number: int) -> float:
    return values[0] if number == 0 else values[1] if number == 1 else values[2]


@inlined
def _axis(axes: Axes, number: int) -> Vector:
    return axes[0] if number == 0 else axes[1] if number == 1 else axes[2]


@inlined
def _extent(axes: Axes, half: Vector, direction: Vector) -> float:
    """Half the length of a box along a direction."""
    first, second, third = abs(dot(axes[0], direction)), abs(dot(axes[1], direction)), abs(dot(axes[2], direction))
    return half[0] * first + half[1] * second + half[2] * third


@inlined
def _apart(box: Placed, other: Placed, number: int) -> float:
    """How far another box is from this one along one of the axes of this one."""
    axis = _axis(box.axes, number)
    reach = _pick(box.half, number) + _extent(other.axes, other.half, axis)
    return abs(dot(subtract(other.center, box.center), axis)) - reach


@inlined
def _clip(polygon: Array, source: int, target: int, count: int, axis: int, sign: float, bound: float) -> int:
    """Clip a polygon by ``sign * x[axis] <= bound``; the number of its corners then."""
    kept = 0
    for number in range(count):
        here, after = load(polygon, source + number, 0), load(polygon, source + (number + 1) % count, 0)
        a, b = bound - sign * _pick(here, axis), bound - sign * _pick(after, axis)
        if a >= 0.0:
            store(polygon, target + kept, 0, here)
            kept += 1
        if (a > 0.0 and b < 0.0) or (a < 0.0 and b > 0.0):
            store(polygon, target + kept, 0, add_scaled(here, a / (a - b), subtract(after, here)))
            kept += 1
    return kept


@inlined
def _touch_faces(
    found: Array, polygon: Array, box: Placed, face: int, sign: float, other: Placed, margin: float, is_first: bool
) -> int:
    """The corners of the face of the other box that faces this face, clipped to it, which are nearer than the margin, or `GRAZES`."""
    (center, axes, half), (other_center, other_axes, other_half) = box, other
    normal = scale(sign, _axis(axes, face))
    one, two = (face + 1) % 3, (face + 2) % 3
    facing, least = 0, 0.0
    for number in range(3):
        along = dot(_axis(other_axes, number), normal)
        if abs(along) > abs(least) + 1e-9:
            facing, least = number, along
    toward = -1.0 if least > 0.0 else 1.0
    middle = add_scaled(other_center, toward * _pick(other_half, facing), _axis(other_axes, facing))
    first_edge = scale(_pick(other_half, (facing + 1) % 3), _axis(other_axes, (facing + 1) % 3))
    second_edge = scale(_pick(other_half, (facing + 2) % 3), _axis(other_axes, (facing + 2) % 3))
    for number in range(4):
        a = 1.0 if number == 0 or number == 3 else -1.0
        b = 1.0 if number < 2 else -1.0
        corner = subtract(add_scaled(add_scaled(middle, a, first_edge), b, second_edge), center)
        x, y = dot(corner, _axis(axes, one)), dot(corner, _axis(axes, two))
        store(polygon, number, 0, (x, y, dot(corner, normal) - _pick(half, face)))
    count = _clip(polygon, 0, 12, 4, 0, 1.0, _pick(half, one))
    count = _clip(polygon, 12, 0, count, 0, -1.0, _pick(half, one))
    count = _clip(polygon, 0, 12, count, 1, 1.0, _pick(half, two))
    count = _clip(polygon, 12, 0, count, 1, -1.0, _pick(half, two))
    grazed = GRAZED * min(half[0], half[1], half[2], other_half[0], other_half[1], other_half[2])
    if max(_apart(box, other, one), _apart(box, other, two)) >= -grazed:
        return GRAZES
    kept = 0
    for number in range(count):
        x, y, gap = load(polygon, number, 0)
        if gap <= margin:
            foot = add_scaled(center, _pick(half, face), normal)
            foot = add_scaled(add_scaled(foot, x, _axis(axes, one)), y, _axis(axes, two))
            at = add_scaled(foot, gap, normal)
            if is_first:
                put_found(found, kept, foot, at, scale(-1.0, normal), gap, BY_BODY)
            else:
                put_found(found, kept, at, foot, normal, gap, BY_OTHER)
            kept += 1
    return kept


@inlined
def _touch_edges(
    found: Array,
    box: Placed,
    edge: int,
    other: Placed,
    other_edge: int,
    normal: Vector,
    spin: Vector,
    apart_by: float,
    kept: int,
) -> int:
    """The nearest points of two edges, and what they do not exclude of the points of faces that were kept.

    The normal is from the other box to this one, and turns with that edge which turns more about the other.
    """
    (center, axes, half), (other_center, other_axes, other_half) = box, other
    at, other_at = center, other_center
    for number in range(3):
        if number != edge:
            axis = _axis(axes, number)
            at = add_scaled(at, -_pick(half, number) if dot(axis, normal) > 0.0 else _pick(half, number), axis)
        if number != other_edge:
            axis = _axis(other_axes, number)
            size = _pick(other_half, number)
            other_at = add_scaled(other_at, size if dot(axis, normal) > 0.0 else -size, axis)
    one, two = _axis(axes, edge), _axis(other_axes, other_edge)
    apart, along = subtract(other_at, at), dot(one, two)
    rest = max(1.0 - along * along, 1e-12)
    first = (dot(apart, one) - along * dot(apart, two)) / rest
    second = (along * dot(apart, one) - dot(apart, two)) / rest
    at, other_at = add_scaled(at, first, one), add_scaled(other_at, second, two)
    gap = dot(subtract(at, other_at), normal)
    kept = keep_guards(found, kept, at, gap, apart_by)
    put_found(found, kept, at, other_at, normal, gap, with_edge(spin, one, two))
    found[kept, AT_EDGE] = 1.0
    return kept + 1


@inlined
def touch_boxes(found: Array, polygon: Array, box: Placed, other: Placed, spin: Vector, margin: float) -> int:
    """Points at which two boxes are nearer than a margin, given the angular velocity of the first relative to the second, world frame.

    Source: Gottschalk, Lin, Manocha (1996), separating axes of boxes; Sutherland, Hodgman (1974), clipping.
    """
    (center, axes, half), (other_center, other_axes, other_half) = box, other
    apart = subtract(other_center, center)
    least = min(half[0], half[1], half[2], other_half[0], other_half[1], other_half[2])
    best, face, other_best, other_face = -1e300, 0, -1e300, 0
    for number in range(3):
        gap = _apart(box, other, number)
        if gap > best:
            best, face = gap, number
        gap = _apart(other, box, number)
        if gap > other_best:
            other_best, other_face = gap, number
    if best > margin or other_best > margin:
        return 0
    edge_best, edge, other_edge, edge_normal = -1e300, 0, 0, (0.0, 0.0, 0.0)
    for number in range(9):
        axis = cross(_axis(axes, number // 3), _axis(other_axes, number % 3))
        size = sqrt(dot(axis, axis))
        if size > 1e-3:
            axis = scale(1.0 / size, axis)
            gap = abs(dot(apart, axis)) - _extent(axes, half, axis) - _extent(other_axes, other_half, axis)
            if gap > edge_best:
                edge_best, edge, other_edge = gap, number // 3, number % 3
                edge_normal = axis if dot(apart, axis) < 0.0 else scale(-1.0, axis)
    if edge_best > margin:
        return 0
    if other_best > best + FACE_BIAS * least:
        sign = -1.0 if dot(apart, _axis(other_axes, other_face)) > 0.0 else 1.0
        kept = _touch_faces(found, polygon, other, other_face, sign, box, GUARDED * margin, False)
    else:
        sign = 1.0 if dot(apart, _axis(axes, face)) > 0.0 else -1.0
        kept = _touch_faces(found, polygon, box, face, sign, other, GUARDED * margin, True)
    is_above = nearest_found(found, kept) <= margin
    # edges that are nearer than the bias may be beside the faces
    bias = EDGE_BIAS if is_above or kept == GRAZES else 0.0
    if edge_best > max(best, other_best) + bias * least:
        apart_by = APART_FROM_NEAREST * least
        return _touch_edges(found, box, edge, other, other_edge, edge_normal, spin, apart_by, max(kept, 0))
    return kept if is_above else 0


@inlined
def touch_corners(found: Array, box: Placed, foot: Vector, normal: Vector, margin: float) -> int:
    """The corners of the face of a box that faces a plane through a point, if any is nearer than a margin.

    Those of the opposite face are farther apart, and would be kept instead if a fast box had them too.
    """
    (center, axes, half), facing, most, kept = box, 0, 0.0, 0
    for number in range(3):
        along = dot(_axis(axes, number), normal)
        if abs(along) > abs(most) + 1e-9:
            facing, most = number, along
    toward = -1.0 if most > 0.0 else 1.0
    for number in range(4):
        one, two = 1.0 if number % 2 == 1 else -1.0, 1.0 if number // 2 == 1 else -1.0
        x = toward if facing == 0 else one
        y = toward if facing == 1 else one if facing == 0 else two
        z = toward if facing == 2 else two
        at = add_scaled(add_scaled(center, x * half[0], axes[0]), y * half[1], axes[1])
        at = add_scaled(at, z * half[2], axes[2])
        gap = dot(subtract(at, foot), normal)
        if gap <= GUARDED * margin:
            put_found(found, kept, at, add_scaled(at, -gap, normal), normal, gap, BY_OTHER)
            kept += 1
    return kept if nearest_found(found, kept) <= margin else 0
