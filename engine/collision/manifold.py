"""The points at which two convex shapes touch: faces clipped by each other, lines, or the nearest points.

The normal is that of a face if a face explains the distance, because it then turns with its body. The points are those of the other
shape's nearest face, edge or corner within that face. Their gaps are along the normal, so that a common point is half the gap from the
corner or the round core to which it belongs. A cylinder that lies on its side rolls: its points belong to a core within it, as those of
capsules do. An upright cylinder has points on its rim, of which the deepest is exact.
"""

from math import sqrt

from ..compilation.compiler import call, inlined, kernel
from ..constraints.joint_types import load, store
from ..constraints.layout import BY_BODY, BY_CORES, BY_OTHER, BY_WORLD
from ..kernels.vectors import Vector, add_scaled, cross, dot, scale, subtract
from ..loops.columns import Array, load_vector
from .boxes import APART_FROM_NEAREST, FACE_BIAS, GRAZED, GRAZES, GUARDED
from .cores import (
    BOX_CORE,
    CORE_AXES,
    CORE_CENTER,
    CORE_KIND,
    CORE_RADIUS,
    CORE_SIZE,
    CORNER_COUNT,
    CYLINDER,
    HULL,
    PLANE_CORE,
    POINT,
    POINTS_AT,
    SEGMENT,
    best_face,
    face_along,
    face_area,
    face_count,
    face_of_feature,
    face_plane,
    farthest,
    into_axes,
    is_edged,
    placed_point,
    put_corners,
)
from .found import (
    ALIKE,
    fewer,
    keep_four_between,
    keep_guards,
    keep_outstanding,
    keep_reached,
    nearest_found,
    put_found,
)
from .layout import AT_EDGE, FIRST_RADIUS, MOST_POINTS, ON_FIRST, ON_SECOND, PART, PART_OF, SECOND_RADIUS
from .pairs import Tools
from .parting import APART, NEAREST, OTHER_NEAREST, TO_NEAREST

MOST_CORNERS = 520
"""Room for a polygon of 256 corners that is clipped by as many sides."""
MOST_TOUCHING = 2 * MOST_CORNERS
"""Room for the points of a pair before four of them are chosen."""
POLYGONS = 3 * MOST_CORNERS
"""Rows of scratch for polygons: the face, and two that take turns."""

_LYING = 0.5
"""A cylinder touches with an end if the normal is within 60° of its axis, and otherwise with its side."""
_UPRIGHT = 1e-6
"""Tilt up to which the points of a rim do not follow it."""
_BESIDE = 0.9999
"""Cosine of the angle to the normal from which on a polygon beside another one is not the one whose points were found."""
_MOST_PARTS = 4
"""Up to so many contacts of four points each of a pair are followed by those of faces beside the first one."""
_PARALLEL = 1e-3
"""Share of the least half extent by which lines may part over their common length and touch at both of its ends."""


@inlined
def rim(placed: Array, side: int, direction: Vector, number: int) -> tuple[Vector, float]:
    """The point of a rim that is farthest in a direction, or one of three at right angles to it; and the radius on which it rolls."""
    axis, radius = load(placed, side, CORE_AXES + 6), float(placed[side, CORE_SIZE])
    along = dot(axis, direction)
    out = add_scaled(direction, -along, axis)
    tilt = sqrt(dot(out, out))
    out = scale(1.0 / tilt, out) if tilt > _UPRIGHT else load(placed, side, CORE_AXES)
    if number == 1:
        out = cross(axis, out)
    elif number == 2:
        out = scale(-1.0, out)
    elif number == 3:
        out = cross(out, axis)
    return add_scaled(_end(placed, side, along >= 0.0), radius, out), radius * tilt if number == 0 else 0.0


@inlined
def _end(placed: Array, side: int, is_upper: bool) -> Vector:
    """The middle of an end of a segment or a cylinder."""
    half = float(placed[side, CORE_SIZE + 2])
    return add_scaled(load(placed, side, CORE_CENTER), half if is_upper else -half, load(placed, side, CORE_AXES + 6))


@inlined
def put_line(placed: Array, side: int, direction: Vector, polygon: Array, start: int) -> float:
    """Store the ends of the line of a segment, or of the side of a cylinder, that is farthest in a direction; the radius it rolls on."""
    out = direction
    radius = rolls_on = float(placed[side, CORE_RADIUS])
    if int(placed[side, CORE_KIND]) == CYLINDER:
        axis, radius = load(placed, side, CORE_AXES + 6), float(placed[side, CORE_SIZE])
        out = add_scaled(direction, -dot(axis, direction), axis)
        tilt = sqrt(dot(out, out))
        out, rolls_on = scale(1.0 / tilt, out), radius * tilt
    for number in range(2):
        store(polygon, start + number, 0, add_scaled(_end(placed, side, number == 0), radius, out))
    return rolls_on


@inlined
def is_end(placed: Array, side: int, direction: Vector) -> bool:
    """Whether a core is a cylinder that touches with an end in a direction."""
    if int(placed[side, CORE_KIND]) != CYLINDER:
        return False
    return abs(dot(load(placed, side, CORE_AXES + 6), direction)) > _LYING


@inlined
def vertices_of(placed: Array, side: int, down: Vector) -> int:
    """How many corners a shape has that may touch a plane, or how many ends or points of a rim."""
    kind = int(placed[side, CORE_KIND])
    if kind == HULL:
        return int(placed[side, CORNER_COUNT])
    return 8 if kind == BOX_CORE else 1 if kind == POINT else 4 if is_end(placed, side, down) else 2


@inlined
def vertex_of(
    placed: Array, points: Array, side: int, number: int, down: Vector, polygon: Array, start: int
) -> tuple[Vector, float]:
    """One of these corners, and the radius on which it rolls."""
    kind = int(placed[side, CORE_KIND])
    if kind == HULL:
        return placed_point(placed, side, load_vector(points, 0, int(placed[side, POINTS_AT]) + number)), 0.0
    if kind == BOX_CORE:
        x, y, z = load(placed, side, CORE_SIZE)
        signs = x if number % 2 == 1 else -x, y if number // 2 % 2 == 1 else -y, z if number // 4 == 1 else -z
        return placed_point(placed, side, signs), 0.0
    if kind == POINT:
        radius = float(placed[side, CORE_RADIUS])
        return add_scaled(load(placed, side, CORE_CENTER), radius, down), radius
    if is_end(placed, side, down):
        return rim(placed, side, down, number)
    radius = put_line(placed, side, down, polygon, start)
    return load(polygon, start + number, 0), radius


@inlined
def _put_feature(
    placed: Array, points: Array, side: int, direction: Vector, polygon: Array, start: int, within: float
) -> tuple[int, float]:
    """Store the points of a shape that are farthest in a direction: a face, a line or a point; and the radius on which they roll.

    The points are on the surface. An end of a cylinder has none: its rim is dealt with as a circle.
    """
    kind = int(placed[side, CORE_KIND])
    if kind == POINT:
        radius = float(placed[side, CORE_RADIUS])
        store(polygon, start, 0, add_scaled(load(placed, side, CORE_CENTER), radius, direction))
        return 1, radius
    if is_end(placed, side, direction):
        return 0, 0.0
    if kind == SEGMENT or kind == CYLINDER:
        return 2, put_line(placed, side, direction, polygon, start)
    face = face_of_feature(placed, points, side, direction, within)
    return put_corners(placed, points, side, face, polygon, start), 0.0


@inlined
def _clip_line(polygon: Array, line: int, face: int, corners: int, normal: Vector) -> int:
    """Clip a line by the sides of a face, given with its outward normal; the number of points that remain."""
    a = load(polygon, line, 0)
    along = subtract(load(polygon, line + 1, 0), a)
    first, last = 0.0, 1.0
    for number in range(corners):
        p, q = load(polygon, face + number, 0), load(polygon, face + (number + 1) % corners, 0)
        out = cross(subtract(q, p), normal)
        off, rate = dot(subtract(a, p), out), dot(along, out)
        if rate > 0.0:
            last = min(last, -off / rate)
        elif rate < 0.0:
            first = max(first, -off / rate)
        elif off > 0.0:
            return 0
    if first > last:
        return 0
    store(polygon, line, 0, add_scaled(a, first, along))
    if first == last:
        return 1
    store(polygon, line + 1, 0, add_scaled(a, last, along))
    return 2


@inlined
def _clip_polygon(
    polygon: Array, source: int, target: int, count: int, face: int, corners: int, normal: Vector
) -> tuple[int, int]:
    """Clip a polygon by the sides of a face; where the result is, and how many corners it has (Sutherland, Hodgman, 1974)."""
    for side in range(corners):
        p, q = load(polygon, face + side, 0), load(polygon, face + (side + 1) % corners, 0)
        out, kept = cross(subtract(q, p), normal), 0
        for number in range(count):
            here, after = load(polygon, source + number, 0), load(polygon, source + (number + 1) % count, 0)
            a, b = -dot(subtract(here, p), out), -dot(subtract(after, p), out)
            if a >= 0.0:
                store(polygon, target + kept, 0, here)
                kept += 1
            if (a > 0.0 and b < 0.0) or (a < 0.0 and b > 0.0):
                store(polygon, target + kept, 0, add_scaled(here, a / (a - b), subtract(after, here)))
                kept += 1
        source, target, count = target, source, kept
    return source, count


@inlined
def put_point(
    found: Array, kept: int, at: Vector, radius: float, foot: Vector, normal: Vector, margin: float, is_first: bool
) -> int:
    """Store a point above the face of the first or the second shape, whose plane has a foot and an outward normal, if it is near."""
    gap = dot(subtract(at, foot), normal)
    if gap > margin or kept == found.shape[0]:
        return kept
    core, below = add_scaled(at, radius, normal), add_scaled(at, -gap, normal)
    if is_first:
        put_found(found, kept, below, core, scale(-1.0, normal), gap, BY_BODY)
        found[kept, SECOND_RADIUS] = radius
    else:
        put_found(found, kept, core, below, normal, gap, BY_OTHER)
        found[kept, FIRST_RADIUS] = radius
    return kept + 1


@inlined
def _is_within(polygon: Array, face: int, corners: int, normal: Vector, at: Vector, inset: float) -> bool:
    """Whether a point is above a face, and at least so far within its border."""
    for number in range(corners):
        p, q = load(polygon, face + number, 0), load(polygon, face + (number + 1) % corners, 0)
        out = cross(subtract(q, p), normal)
        if dot(out, subtract(at, p)) > -inset * sqrt(dot(out, out)):
            return False
    return corners > 2


@inlined
def _cross_circle(
    center: Vector, radius: float, axis: Vector, normal: Vector, p: Vector, q: Vector
) -> tuple[float, float]:
    """Between which shares of a line it is within a circle, seen along a normal; the first is larger if it is nowhere."""
    a, along = _onto(center, axis, normal, p), _onto(center, axis, normal, q)
    along = subtract(along, a)
    square, half, rest = dot(along, along), dot(a, along), dot(a, a) - radius * radius
    if square == 0.0:
        return (0.0, 1.0) if rest <= 0.0 else (1.0, 0.0)
    root = half * half - square * rest
    if root < 0.0:
        return 1.0, 0.0
    root = sqrt(root)
    return max((-half - root) / square, 0.0), min((-half + root) / square, 1.0)


@inlined
def _onto(center: Vector, axis: Vector, normal: Vector, at: Vector) -> Vector:
    """A point seen along a normal on the plane of a circle, from its centre."""
    away = subtract(at, center)
    return add_scaled(away, -dot(away, axis) / dot(normal, axis), normal)


@inlined
def _touch_end(
    placed: Array,
    found: Array,
    polygon: Array,
    face: int,
    corners: int,
    side: int,
    foot: Vector,
    normal: Vector,
    margin: float,
) -> int:
    """The points of an end of a cylinder above a face of another shape, which is a polygon or an end of a cylinder, too."""
    kept, is_first = 0, side == 1
    down = scale(-1.0, normal)
    other, other_axis = load(placed, 1 - side, CORE_CENTER), load(placed, 1 - side, CORE_AXES + 6)
    other_radius = float(placed[1 - side, CORE_SIZE])
    for number in range(4):
        at, radius = rim(placed, side, down, number)
        if corners > 2:
            is_within = _is_within(polygon, face, corners, normal, at, 0.0)
        else:
            off = _onto(other, other_axis, normal, at)
            is_within = dot(off, off) <= other_radius * other_radius
        if is_within:
            kept = put_point(found, kept, at, radius, foot, normal, margin, is_first)
    # the end itself: its plane, on which what is within its rim is seen along the normal
    axis, own_radius = load(placed, side, CORE_AXES + 6), float(placed[side, CORE_SIZE])
    end = _end(placed, side, dot(axis, down) >= 0.0)
    if corners > 2:
        for number in range(corners):
            p, q = load(polygon, face + number, 0), load(polygon, face + (number + 1) % corners, 0)
            first, last = _cross_circle(end, own_radius, axis, normal, p, q)
            if first < last:
                # the end of a line within the circle is the start of the next line
                at = _lift(end, axis, normal, add_scaled(p, first, subtract(q, p)))
                kept = put_point(found, kept, at, 0.0, foot, normal, margin, is_first)
                if last < 1.0:
                    at = _lift(end, axis, normal, add_scaled(p, last, subtract(q, p)))
                    kept = put_point(found, kept, at, 0.0, foot, normal, margin, is_first)
        return kept
    for number in range(4):
        at, _radius = rim(placed, 1 - side, normal, number)
        off = _onto(end, axis, normal, at)
        if dot(off, off) <= own_radius * own_radius:
            kept = put_point(found, kept, _lift(end, axis, normal, at), 0.0, foot, normal, margin, is_first)
    # where the rims cross
    apart = _onto(end, axis, normal, other)
    square = dot(apart, apart)
    if square > 0.0:
        share = 0.5 * (1.0 + (own_radius * own_radius - other_radius * other_radius) / square)
        height = own_radius * own_radius - share * share * square
        if height > 0.0:
            aside = cross(apart, axis)
            aside = scale(sqrt(height / dot(aside, aside)), aside)
            for number in range(2):
                at = add_scaled(add_scaled(end, share, apart), 1.0 if number == 0 else -1.0, aside)
                kept = put_point(found, kept, at, 0.0, foot, normal, margin, is_first)
    return kept


@inlined
def _lift(end: Vector, axis: Vector, normal: Vector, at: Vector) -> Vector:
    """A point seen along a normal on the plane of a circle."""
    off = _onto(end, axis, normal, at)
    return end[0] + off[0], end[1] + off[1], end[2] + off[2]


@inlined
def _touch_in_circle(
    placed: Array,
    found: Array,
    polygon: Array,
    start: int,
    count: int,
    radius: float,
    side: int,
    foot: Vector,
    normal: Vector,
    margin: float,
) -> int:
    """The points of a face or line of a shape above an end of a cylinder, which is the other shape."""
    kept, is_first = 0, side == 1
    center, axis = load(placed, 1 - side, CORE_CENTER), load(placed, 1 - side, CORE_AXES + 6)
    own_radius = float(placed[1 - side, CORE_SIZE])
    for number in range(count if count > 2 else 1):
        p, q = load(polygon, start + number, 0), load(polygon, start + (number + 1) % count, 0)
        first, last = _cross_circle(center, own_radius, axis, normal, p, q)
        if first <= last:
            along = subtract(q, p)
            kept = put_point(found, kept, add_scaled(p, first, along), radius, foot, normal, margin, is_first)
            if last > first and (last < 1.0 or count == 2):
                kept = put_point(found, kept, add_scaled(p, last, along), radius, foot, normal, margin, is_first)
    return kept


@inlined
def _width(polygon: Array, start: int, count: int) -> float:
    """About how wide a polygon is: its area over the longest way from its first corner."""
    first, area, longest = load(polygon, start, 0), (0.0, 0.0, 0.0), 0.0
    for number in range(1, count):
        here = subtract(load(polygon, start + number, 0), first)
        longest = max(longest, dot(here, here))
        if number + 1 < count:
            area = add_scaled(area, 0.5, cross(here, subtract(load(polygon, start + number + 1, 0), first)))
    return sqrt(dot(area, area) / longest) if longest > 0.0 else 0.0


@inlined
def _is_short(polygon: Array, start: int, count: int, least: float) -> bool:
    """Whether a line that was clipped is a point, or hardly longer."""
    along = subtract(load(polygon, start + count - 1, 0), load(polygon, start, 0))
    return dot(along, along) <= least * least


@inlined
def _grazes(placed: Array, points: Array, polygon: Array, side: int, corners: int, normal: Vector, most: float) -> bool:
    """Whether a shape overlaps the other one, whose face is given, by a width at most across a side of this face.

    A corner above a face and near its border does not pass if the shape goes on behind the border.
    """
    for number in range(corners):
        p, q = load(polygon, number, 0), load(polygon, (number + 1) % corners, 0)
        out = cross(subtract(q, p), normal)
        inner = farthest(placed, points, 1 - side, scale(-1.0, out))
        outer = farthest(placed, points, side, out)
        if dot(subtract(outer, inner), out) <= most * sqrt(dot(out, out)):
            return True
    return False


@inlined
def _is_among(polygon: Array, start: int, count: int, at: Vector) -> bool:
    """Whether a point is one of those of a polygon."""
    for number in range(start, start + count):
        if load(polygon, number, 0) == at:
            return True
    return False


@inlined
def _put_lower(
    placed: Array,
    points: Array,
    found: Array,
    polygon: Array,
    kept: int,
    side: int,
    corners: int,
    foot: Vector,
    normal: Vector,
    margin: float,
    within: float,
) -> int:
    """Store the corners of a hull below its middle that are above a face, or a plane without corners, and not of the face that faces it.

    Its own face may be one of many, as those of a bottom that is not quite flat. What is above its middle is farther apart, and would be
    kept instead if a fast hull touched with it too.
    """
    down, middle = scale(-1.0, normal), load(placed, side, CORE_CENTER)
    own = put_corners(placed, points, side, face_of_feature(placed, points, side, down, within), polygon, MOST_CORNERS)
    for number in range(int(placed[side, CORNER_COUNT])):
        at = placed_point(placed, side, load_vector(points, 0, int(placed[side, POINTS_AT]) + number))
        if dot(subtract(at, middle), normal) < 0.0 and not _is_among(polygon, MOST_CORNERS, own, at):
            if corners == 0 or _is_within(polygon, 0, corners, normal, at, 0.0):
                kept = put_point(found, kept, at, 0.0, foot, normal, margin, side == 1)
    return kept


@inlined
def _touch_face(
    placed: Array,
    points: Array,
    found: Array,
    polygon: Array,
    side: int,
    face: int,
    margin: float,
    least: float,
) -> int:
    """The points of the other shape that are near a face of the shape of a side or may be in an impact, or `GRAZES`."""
    margin *= GUARDED
    normal, foot = face_plane(placed, points, side, face)
    other, down = 1 - side, scale(-1.0, normal)
    is_circle = int(placed[side, CORE_KIND]) == CYLINDER
    corners = 0 if is_circle else put_corners(placed, points, side, face, polygon, 0)
    if is_end(placed, other, down):
        return _touch_end(placed, found, polygon, 0, corners, other, foot, normal, margin)
    start = MOST_CORNERS
    count, radius = _put_feature(placed, points, other, down, polygon, start, 1e-9 * least)
    if is_circle:
        return _touch_in_circle(placed, found, polygon, start, count, radius, other, foot, normal, margin)
    if count == 2:
        count = _clip_line(polygon, start, 0, corners, normal)
        is_side = int(placed[other, CORE_KIND]) == CYLINDER
        if count > 0 and is_side and _is_short(polygon, start, count, GRAZED * least):
            if _grazes(placed, points, polygon, side, corners, normal, GRAZED * least):
                return GRAZES
    elif count > 2:
        start, count = _clip_polygon(polygon, start, 2 * MOST_CORNERS, count, 0, corners, normal)
        if is_edged(placed, 0) and is_edged(placed, 1) and _width(polygon, start, count) <= GRAZED * least:
            if _grazes(placed, points, polygon, side, corners, normal, GRAZED * least):
                return GRAZES
    kept = 0
    for number in range(count):
        at = load(polygon, start + number, 0)
        kept = put_point(found, kept, at, radius, foot, normal, margin, side == 0)
    if int(placed[other, CORE_KIND]) == HULL:
        kept = _put_lower(placed, points, found, polygon, kept, other, corners, foot, normal, margin, 1e-9 * least)
    return kept


@inlined
def _support_gap(placed: Array, points: Array, side: int, face: int) -> float:
    """How far the other shape is above a face of the shape of a side."""
    normal, foot = face_plane(placed, points, side, face)
    lowest = farthest(placed, points, 1 - side, scale(-1.0, normal))
    return dot(subtract(lowest, foot), normal) - float(placed[1 - side, CORE_RADIUS])


@inlined
def _is_line(placed: Array, side: int, normal: Vector) -> bool:
    """Whether a core is a segment or a cylinder that lies on its side."""
    kind = int(placed[side, CORE_KIND])
    if kind != SEGMENT and kind != CYLINDER:
        return False
    return abs(dot(load(placed, side, CORE_AXES + 6), normal)) < _LYING


@inlined
def _touch_lines(found: Array, placed: Array, normal: Vector, polygon: Array, margin: float, least: float) -> int:
    """The ends of the common length of two lines that are nearly parallel."""
    radius = put_line(placed, 0, scale(-1.0, normal), polygon, 0)
    other_radius = put_line(placed, 1, normal, polygon, 2)
    a, c = load(polygon, 0, 0), load(polygon, 2, 0)
    along, other = subtract(load(polygon, 1, 0), a), subtract(load(polygon, 3, 0), c)
    square, turned = dot(along, along), cross(along, other)
    if dot(turned, turned) > (_PARALLEL * least) ** 2 * max(square, dot(other, other)):
        return 0
    one = dot(subtract(c, a), along) / square
    two = one + dot(other, along) / square
    first, last = max(0.0, min(one, two)), min(1.0, max(one, two))
    if last - first <= _PARALLEL:
        return 0
    kept = 0
    for number in range(2):
        share = first if number == 0 else last
        at = add_scaled(a, share, along)
        across = min(max((share - one) / (two - one), 0.0), 1.0)
        other_at = add_scaled(c, across, other)
        gap = dot(subtract(at, other_at), normal)
        if gap <= margin:
            core, other_core = add_scaled(at, radius, normal), add_scaled(other_at, -other_radius, normal)
            put_found(found, kept, core, other_core, normal, gap, BY_WORLD)
            found[kept, FIRST_RADIUS], found[kept, SECOND_RADIUS] = radius, other_radius
            kept += 1
    return kept


@inlined
def _put_nearest(placed: Array, found: Array, answer: Array, kept: int, normal: Vector, gap: float) -> int:
    """Store the nearest points of two cores; a lying cylinder rolls on a core within it."""
    at, other_at = load(answer, 0, NEAREST), load(answer, 0, OTHER_NEAREST)
    radius, other_radius = float(placed[0, CORE_RADIUS]), float(placed[1, CORE_RADIUS])
    if _is_line(placed, 0, normal) and int(placed[0, CORE_KIND]) == CYLINDER:
        radius = rim(placed, 0, scale(-1.0, normal), 0)[1]
        at = add_scaled(at, radius, normal)
    if _is_line(placed, 1, normal) and int(placed[1, CORE_KIND]) == CYLINDER:
        other_radius = rim(placed, 1, normal, 0)[1]
        other_at = add_scaled(other_at, -other_radius, normal)
    # measured with the stored points, because a normal of a face differs from the line between the nearest points by rounding
    gap = dot(subtract(at, other_at), normal) - radius - other_radius
    put_found(found, kept, at, other_at, normal, gap, _turning_with(placed))
    found[kept, FIRST_RADIUS], found[kept, SECOND_RADIUS] = radius, other_radius
    return kept + 1


@inlined
def _has_corners(placed: Array, side: int) -> bool:
    """Whether a core has corners, ends or a rim; not a ball, nor an edge of a terrain."""
    kind = int(placed[side, CORE_KIND])
    return kind != POINT and (kind != SEGMENT or placed[side, CORE_RADIUS] > 0.0)


@inlined
def _rank(placed: Array, points: Array, side: int, face: int) -> float:
    """How well a face stands for what is under it: a circle least, and faces of hulls by their size, because others may be beside them."""
    kind = int(placed[side, CORE_KIND])
    return 0.0 if kind == CYLINDER else face_area(placed, points, side, face) if kind == HULL else 1e300


@inlined
def _choose_face(
    placed: Array, points: Array, normal: Vector, above_all: float, least: float
) -> tuple[int, int, float]:
    """The face that explains a distance along a normal, if one does so better than a bound.

    Returns:
        The shape of the face, or -1; the number of the face; and how far the other shape is above it.
    """
    best, best_side, face = above_all, -1, -1
    for side in range(2):
        number = best_face(placed, points, side, scale(-1.0 if side == 0 else 1.0, normal))
        if number >= 0:
            above = _support_gap(placed, points, side, number)
            # the face of the first shape if both explain the distance, but a box before hulls, a large face before one of many, a polygon
            # before a circle
            is_better = above > best + (FACE_BIAS * least if best_side >= 0 else 0.0)
            if best_side >= 0 and above > best - FACE_BIAS * least:
                other_rank = _rank(placed, points, best_side, face)
                is_better = is_better or _rank(placed, points, side, number) > (1.0 + ALIKE) * other_rank
            if is_better:
                best, best_side, face = above, side, number
    return best_side, face, best


@inlined
def _turning_with(placed: Array) -> int:
    """With what a normal turns that is not that of a face: with an edge, not with what may spin below its own surface."""
    kind, other_kind = int(placed[0, CORE_KIND]), int(placed[1, CORE_KIND])
    if kind == POINT and other_kind == POINT:
        return BY_CORES
    if other_kind != POINT and other_kind != SEGMENT and other_kind != CYLINDER:
        return BY_OTHER
    return BY_WORLD if kind == POINT or kind == SEGMENT or kind == CYLINDER else BY_BODY


@inlined
def _touch_plane(
    placed: Array,
    points: Array,
    found: Array,
    polygon: Array,
    foot: Vector,
    normal: Vector,
    margin: float,
    least: float,
) -> int:
    """Find the points at which a convex shape, the first, is near a plane, if any is nearer than a margin."""
    kept, down, within = 0, scale(-1.0, normal), margin
    margin = GUARDED * margin
    if is_end(placed, 0, down):
        for number in range(4):
            at, radius = rim(placed, 0, down, number)
            kept = put_point(found, kept, at, radius, foot, normal, margin, False)
    else:
        count, radius = _put_feature(placed, points, 0, down, polygon, 0, 0.0)
        for number in range(count):
            kept = put_point(found, kept, load(polygon, number, 0), radius, foot, normal, margin, False)
    if int(placed[0, CORE_KIND]) == HULL:
        kept = _put_lower(placed, points, found, polygon, kept, 0, 0, foot, normal, margin, 0.0)
    return _fewer(placed, found, kept, within, least) if nearest_found(found, kept) <= within else 0


@inlined
def _fewer(placed: Array, found: Array, count: int, margin: float, least: float) -> int:
    """Keep four of many points, and as many more of a hull that stick out between these, as on a bottom that is not quite flat, or are near
    while it moves."""
    kept = fewer(found, count, least)
    if kept < count and (int(placed[0, CORE_KIND]) == HULL or int(placed[1, CORE_KIND]) == HULL):
        kept = keep_outstanding(found, 0, count, ALIKE * least)
        for number in range(MOST_POINTS, kept):
            found[number, PART_OF] = 1.0
        kept = keep_reached(found, kept, count, margin, least)
    return kept


@inlined
def _is_beside(found: Array, count: int, column: int, foot: Vector, facing: Vector, near: float) -> bool:
    """Whether one of the points on a shape is on a face of it, or near."""
    for number in range(count):
        if dot(subtract(load(found, number, column), foot), facing) >= -near:
            return True
    return False


@inlined
def _touch_beside(
    placed: Array,
    points: Array,
    found: Array,
    polygon: Array,
    count: int,
    touched: int,
    touched_face: int,
    normal: Vector,
    margin: float,
    least: float,
) -> int:
    """Add the corners, ends and points of a rim of a shape above faces of the other one beside that which is touched; the number of points.

    `touched` and `touched_face` say which face has been dealt with.
    Over the ridge between two faces, both stop what tips from the one to the other. What may leave a face over its border in the tick is
    not stopped by it: the plane of the face goes on there, and the face does not.
    """
    kept, parts = count, int(found[count - 1, PART_OF])
    largest = _BESIDE if is_edged(placed, 0) and is_edged(placed, 1) else 2.0
    for side in range(2):
        other, column, sign = 1 - side, ON_FIRST if side == 0 else ON_SECOND, -1.0 if side == 0 else 1.0
        toward, middle = into_axes(placed, side, scale(sign, normal)), load(placed, other, CORE_CENTER)
        for face in range(face_count(placed, side) if _has_corners(placed, other) else 0):
            along = face_along(placed, points, side, face, toward)
            if along < _LYING or along > largest or (side == touched and face == touched_face) or parts == _MOST_PARTS:
                continue
            facing, foot = face_plane(placed, points, side, face)
            if not _is_beside(found, count, column, foot, facing, margin):
                continue
            start, corners = kept, put_corners(placed, points, side, face, polygon, 0)
            down = scale(-1.0, facing)
            for number in range(vertices_of(placed, other, down)):
                at, radius = vertex_of(placed, points, other, number, down, polygon, MOST_CORNERS)
                if dot(subtract(at, middle), facing) < 0.0 and _is_within(polygon, 0, corners, facing, at, margin):
                    kept = put_point(found, kept, at, radius, foot, facing, GUARDED * margin, side == 0)
            kept = keep_four_between(found, start, kept, ALIKE * least, ON_FIRST)
            if kept > start:
                parts += 1
                for number in range(start, kept):
                    found[number, PART_OF] = float(parts)
    return kept


@kernel("touch-cores")
def touch_cores(tools: Tools, margin: float, least: float) -> int:
    """Find the points at which two convex shapes are nearer than a margin, each with the number of the contact to which it belongs.

    Args:
        tools: The placed cores of the two shapes with scratch of `part_cores`, its address at the place `PART`, the points, shape
            (`MOST_TOUCHING`, `FOUND_SIZE`), and scratch for polygons, shape (`POLYGONS`, 3).
        margin: The largest gap [m].
        least: The least half extent of both shapes [m].
    """
    narrow, found, polygon, calls = tools
    placed, points, answer = narrow[0], narrow[1], narrow[7]
    if int(placed[1, CORE_KIND]) == PLANE_CORE:
        foot, up = load(placed, 1, CORE_CENTER), load(placed, 1, CORE_AXES + 6)
        return _touch_plane(placed, points, found, polygon, foot, up, margin, least)
    _ = call(calls[PART], narrow)
    radii = float(placed[0, CORE_RADIUS]) + float(placed[1, CORE_RADIUS])
    gap, normal = float(answer[0, APART]) - radii, load(answer, 0, TO_NEAREST)
    if gap > margin:
        return 0
    best_side, face, best = _choose_face(placed, points, normal, gap - FACE_BIAS * least, least)
    kept = 0
    if best_side >= 0:
        kept = _touch_face(placed, points, found, polygon, best_side, face, margin, least)
        if kept == GRAZES:
            return 0
        if nearest_found(found, kept) > margin:
            kept = 0
        normal = scale(1.0 if best_side == 1 else -1.0, face_plane(placed, points, best_side, face)[0])
        gap = best
    elif _is_line(placed, 0, normal) and _is_line(placed, 1, normal):
        kept = _touch_lines(found, placed, normal, polygon, margin, least)
    elif is_edged(placed, 0) and is_edged(placed, 1):
        best_side, face, _best = _choose_face(placed, points, normal, -1e300, least)
        kept = _touch_face(placed, points, found, polygon, best_side, face, margin, least)
        kept = keep_guards(found, max(kept, 0), load(answer, 0, NEAREST), gap, APART_FROM_NEAREST * least)
        kept = _put_nearest(placed, found, answer, min(kept, found.shape[0] - 1), normal, gap)
        found[kept - 1, AT_EDGE] = 1.0
    lowest = min(margin, nearest_found(found, kept))
    if (kept == 0 or lowest > gap + FACE_BIAS * least) and gap <= margin and kept < found.shape[0]:
        is_edge = best_side < 0 or kept == 0
        kept = _put_nearest(placed, found, answer, kept, normal, gap)
        found[kept - 1, AT_EDGE] = 1.0 if is_edge else 0.0
    if kept == 0:
        return 0
    kept = _fewer(placed, found, kept, margin, least)
    return _touch_beside(placed, points, found, polygon, kept, best_side, face, normal, margin, least)
