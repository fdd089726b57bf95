"""Points at which a convex shape touches a terrain, which is a triangle mesh or a height field.

A terrain is one-sided: a triangle stops what comes from where its corners are anticlockwise, and does not know a shape whose middle is
behind its plane. Each triangle near a shape is compared with it:

* Corners, ends and rims of the shape, and its centre if it is a ball, touch a triangle along its normal if they are above it, or will be
  when they reach its plane in this tick. Nothing else is needed on flat or hollow ground, which therefore acts as a plane does.
* Edges and corners of the terrain touch only if they stand out: the normal must be one along which the surface around the point is lowest
  there. Any other normal is due to an inner edge, and the face on its other side has the true contact. The surface around a point is that
  of all triangles that contain it, also of other terrains of the world.

Points are then grouped by their normals, and of each group four are kept, which is one contact, and at most as many more that stick out
between these, which is another one.
"""

from math import sqrt

from ..compilation.compiler import call, inlined, kernel
from ..constraints.joint_types import Axes, load
from ..constraints.layout import BY_BODY, BY_CORES, BY_OTHER
from ..constraints.points import across, most_spin
from ..kernels.quaternions import rotate
from ..kernels.vectors import Vector, add, add_scaled, cross, dot, scale, subtract
from ..loops.columns import Array, Integers, load_quaternion, load_vector
from ..loops.layout import ANGULAR_VELOCITY, ORIENTATION, POSITION, VELOCITY
from .boxes import FACE_BIAS
from .cores import (
    CORE_AXES,
    CORE_CENTER,
    CORE_KIND,
    CORE_RADIUS,
    CORNER_COUNT,
    HULL,
    POINT,
    POINTS_AT,
    SEGMENT,
    farthest,
    normal_of,
    place_core,
    placed_point,
)
from .found import copy_found, keep_outstanding, put_found
from .layout import (
    APART_BY,
    AT_EDGE,
    BODY,
    CORES,
    FIELD,
    FIRST_RADIUS,
    FOUR,
    GROUND_COLUMNS,
    GROUND_ROWS,
    GROUPS,
    INNER,
    MOST_POINTS,
    ON_SECOND,
    PART_OF,
    SHAPE_SPIN,
    SHAPE_VELOCITY,
    SIZES,
    TO_FIRST,
    TURNS_WITH,
    TYPE,
)
from .manifold import put_point, vertex_of, vertices_of
from .pairs import Scene, Tools, place_shape
from .poses import axes_of, moves, origin_of, pose_of
from .surface import BESIDE, RISES, WITHIN, Around, Scratch
from .triangles import Triangle, edges_of, grid_place, into, list_near, side_of, steps_of, triangle_of

MOST_LISTED, MOST_GATHERED = 512, 192
"""Room for triangles that wait to be compared, and for points before four of each group are chosen."""

_ROOM_OF_A_TRIANGLE = 40
_MOST_GROUPS = 16
_SAME_NORMAL = 0.999
"""Cosine of the angle between normals of one group."""
_ABOVE = 1e-7
"""Share of the least half extent by which a point may be beside a triangle and still be above it."""
_SAME_POINT = 1e-4
"""Share of the least half extent by which points of one group are apart at least."""
_STICKS_OUT = 1e-3
"""Share of the least half extent by which a point of a group may stick out from the planes through the four that are kept."""
_TILTED = 0.1
"""Sine of an angle below which a surface does not rise at a point below a face of a shape, which may tilt in an impact."""

_BELOW, _DEEP = 1e-5, 0.05
"""Share of the least half extent from which a corner below a face is looked at more closely, and from which it may be past a border."""
_AHEAD = 2.0
"""Ticks within which a point reaches a plane at its present speed, which may increase in the tick."""

Ground = tuple[tuple[Array, ...], Integers, Array, Scratch, Scratch, Array]
"""The grounds, all terrains, the boxes of shapes, scratch, that of `is_inner`, and `MOST_GATHERED` rows for points."""
Motion = tuple[Vector, Vector]
Own = tuple[int, Vector, Vector, Motion, float, float, float, float]
"""Of a shape and a terrain: the terrain; what positions are relative to; the middle of the shape and its motion beside the terrain; the
largest gap; the least half extent; the length of the tick; and the spin that an impact adds per speed at most."""


@inlined
def _is_above(triangle: Triangle, normal: Vector, at: Vector, slack: float) -> bool:
    """Whether a point is above a triangle, seen along its normal."""
    for side in range(3):
        p, q = side_of(triangle, side)
        if _is_beyond(p, q, normal, at, slack):
            return False
    return True


@inlined
def _is_beyond(p: Vector, q: Vector, normal: Vector, at: Vector, slack: float) -> bool:
    """Whether a point is beyond an edge of a triangle, seen along its normal."""
    along = subtract(q, p)
    return dot(cross(normal, along), subtract(at, p)) < -slack * sqrt(dot(along, along))


@inlined
def _lands(triangle: Triangle, normal: Vector, at: Vector, gap: float, motion: Motion, dt: float, slack: float) -> bool:
    """Whether a point is above a triangle, will be at the end of the tick, or when it reaches its plane in this tick or soon after."""
    velocity = add(motion[0], cross(motion[1], at))
    closes = -dot(velocity, normal)
    reached = gap / closes if gap > 0.0 and gap <= _AHEAD * closes * dt else 0.0
    for number in range(3):
        ahead = 0.0 if number == 0 else dt if number == 1 else reached
        if _is_above(triangle, normal, add_scaled(at, ahead, velocity), slack):
            return True
    return False


@inlined
def _motion_of(bodies: Array, shapes: Array, first: int, terrain: int) -> Motion:
    """Velocity of the mass centre and angular velocity of the body of a shape relative to a terrain, world frame."""
    body = int(shapes[BODY, first])
    spin = rotate(load_quaternion(bodies, ORIENTATION, body), 2.0, load_vector(bodies, ANGULAR_VELOCITY, body))
    velocity = load_vector(bodies, VELOCITY, body)
    if moves(shapes, terrain):
        turns = load_vector(shapes, SHAPE_SPIN, terrain)
        arm = subtract(load_vector(bodies, POSITION, body), origin_of(shapes, terrain))
        moved = add(load_vector(shapes, SHAPE_VELOCITY, terrain), cross(turns, arm))
        velocity, spin = subtract(velocity, moved), subtract(spin, turns)
    return velocity, spin


@inlined
def middle_of(placed: Array, points: Array) -> Vector:
    """A point within the shape."""
    if int(placed[0, CORE_KIND]) != HULL:
        return load(placed, 0, CORE_CENTER)
    first, count, total = int(placed[0, POINTS_AT]), int(placed[0, CORNER_COUNT]), (0.0, 0.0, 0.0)
    for number in range(count):
        total = add(total, load_vector(points, 0, first + number))
    return placed_point(placed, 0, scale(1.0 / float(count), total))


@inlined
def _is_past_border(
    triangle: Triangle,
    normal: Vector,
    edges: int,
    middle: Vector,
    at: Vector,
    above: float,
    gap: float,
    slack: float,
) -> bool:
    """Whether a shape reaches a point behind a triangle past an edge that is on a border."""
    crossing = add_scaled(middle, above / (above - gap), subtract(at, middle))
    for side in range(3):
        if (edges >> (3 + side)) & 1 == 1:
            p, q = side_of(triangle, side)
            if _is_beyond(p, q, normal, crossing, slack):
                return True
    return False


@inlined
def _nearest_on(p: Vector, q: Vector, at: Vector) -> tuple[Vector, bool]:
    """The point of an edge that is nearest to a point, and whether it is an end."""
    along = subtract(q, p)
    share = dot(subtract(at, p), along) / dot(along, along)
    if share <= 0.0:
        return p, True
    return (q, True) if share >= 1.0 else (add_scaled(p, share, along), False)


@inlined
def _put_ball(found: Array, middle: Vector, moved: Vector, radius: float, p: Vector, q: Vector) -> None:
    """Store the point of a ball on an edge, and that of the end of the tick, because a ball may roll from one edge to the next."""
    for number in range(2):
        here = middle if number == 0 else moved
        at, is_end_of_edge = _nearest_on(p, q, here)
        away = subtract(here, at)
        size = sqrt(dot(away, away))
        away = scale(1.0 / size, away) if size > 0.0 else load(found, 0, TO_FIRST)
        gap = size if number == 0 else dot(subtract(middle, at), away)
        # the normal turns with an edge, and follows the centre around a corner
        put_found(found, number, middle, at, away, gap - radius, BY_CORES if is_end_of_edge else BY_OTHER)
        found[number, FIRST_RADIUS] = radius


@inlined
def _place_edge(placed: Array, p: Vector, q: Vector) -> None:
    """Place an edge as the second core."""
    along = subtract(q, p)
    length = sqrt(dot(along, along))
    along = scale(1.0 / length, along)
    first, second = across(along)
    middle, size = add_scaled(p, 0.5 * length, along), (0.0, 0.0, 0.5 * length)
    place_core(placed, 1, SEGMENT, middle, (first, second, along), size, 0.0)


@inlined
def _touch_edge(around: Around, tools: Tools, gathered: Array, kept: int, own: Own, p: Vector, q: Vector) -> int:
    """The points at which a shape touches an edge that stands out; the number of points then."""
    (narrow, found, _polygon, calls), (_terrain, base, middle, motion, margin, least, dt, spins) = tools, own
    placed, points = narrow[0], narrow[1]
    radius, (at, _is_end) = float(placed[0, CORE_RADIUS]), _nearest_on(p, q, middle)
    away = subtract(middle, at)
    size = sqrt(dot(away, away))
    if size == 0.0:
        return kept
    away = scale(1.0 / size, away)
    reach = dot(farthest(placed, points, 0, scale(-1.0, away)), away) - radius
    if reach - max(dot(p, away), dot(q, away)) > margin:
        return kept
    is_ball = int(placed[0, CORE_KIND]) == POINT
    count = 2
    if is_ball:
        _put_ball(found, middle, add_scaled(middle, dt, motion[0]), radius, p, q)
    else:
        _place_edge(placed, p, q)
        count = call(calls[CORES], (tools, margin, least))
    for number in range(count):
        at, away = load(found, number, ON_SECOND), load(found, number, TO_FIRST)
        rises = RISES if is_ball else _rise(placed, found, number, scale(dt, motion[1]))
        if not is_ball:
            rises += dt * spins * max(-dot(add(motion[0], cross(motion[1], at)), away), 0.0)
        if call(calls[INNER], (around, base, at, away, own[0], WITHIN * least, BESIDE * least, rises)) == 0:
            copy_found(gathered, kept, found, number)
            gathered[kept, AT_EDGE] = 1.0
            kept += 1
            if is_ball:
                break
    return kept


@inlined
def _rise(placed: Array, found: Array, number: int, turns: Vector) -> float:
    """Sine of an angle above which a surface rises at a point of a shape, given by what this turns in the tick."""
    rises = RISES
    # what a shape turns about its axis does not turn the normal of a round side
    if found[number, FIRST_RADIUS] > 0.0:
        axis = load(placed, 0, CORE_AXES + 6)
        turns = add_scaled(turns, -dot(turns, axis), axis)
    elif int(found[number, TURNS_WITH]) == BY_BODY:
        rises = _TILTED
    return rises + sqrt(dot(turns, turns))


@kernel("group-points")
def group_points(gathered: Array, found: Array, calls: Integers, count: int, least: float) -> int:
    """Group points by their normals, leave out those that are there twice, and keep four of each group, and four more that stick out.

    Args:
        gathered: The points.
        found: Where they are written, each with the number of its group, which are in ascending order.
        calls: The addresses of kernels.
        count: How many there are.
        least: The least half extent of the shape [m].

    Returns:
        How many are kept.
    """
    written = groups = parts = left = 0
    for number in range(count):
        gathered[number, PART_OF] = -1.0
    near = _SAME_POINT * least
    while left < count:
        if gathered[left, PART_OF] >= 0.0:
            left += 1
            continue
        first, normal = written, load(gathered, left, TO_FIRST)
        for number in range(left, count):
            alike = dot(load(gathered, number, TO_FIRST), normal) >= _SAME_NORMAL
            if gathered[number, PART_OF] >= 0.0 or not (alike or groups == _MOST_GROUPS - 1):
                continue
            gathered[number, PART_OF] = float(groups)
            same, at = written, load(gathered, number, ON_SECOND)
            for other in range(first, written):
                off = subtract(load(found, other, ON_SECOND), at)
                if dot(off, off) <= near * near:
                    same = other
                    break
            if same == written:
                written += 1
            elif gathered[number, APART_BY] >= found[same, APART_BY]:
                continue
            copy_found(found, same, gathered, number)
        last, written = written, call(calls[FOUR], (found, first, written, FACE_BIAS * least))
        if last > written:
            written = keep_outstanding(found, first, last, _STICKS_OUT * least)
        for number in range(first, written):
            found[number, PART_OF] = float(parts + (number - first) // MOST_POINTS)
        groups, parts = groups + 1, parts + (written - first + MOST_POINTS - 1) // MOST_POINTS
    return written


@inlined
def lift(
    shapes: Array,
    forms: Integers,
    grounds: tuple[Array, ...],
    placed: Array,
    points: Array,
    found: Array,
    terrain: int,
    axes: Axes,
    origin: Vector,
    middle: Vector,
) -> int:
    """The lowest point of a shape whose middle is below a field, along the normal of the triangle above it; 1 if it is."""
    rows, columns = forms[terrain, GROUND_ROWS], forms[terrain, GROUND_COLUMNS]
    along, aside = steps_of(shapes, forms, terrain)
    x, y, _z = load_vector(shapes, SIZES, terrain)
    at = add(origin, into(axes, middle))
    u, v = (at[0] + x) / along, (at[1] + y) / aside
    if not (0.0 <= u <= float(rows - 1) and 0.0 <= v <= float(columns - 1)):
        return 0
    i, j = grid_place(u, rows - 2), grid_place(v, columns - 2)
    triangle = 2 * (i * columns + j) + (1 if u - float(i) < v - float(j) else 0)
    a, b, c = triangle_of(shapes, forms, grounds, terrain, triangle, axes, origin)
    normal = normal_of(a, b, c)
    if dot(subtract(middle, a), normal) > 0.0:
        return 0
    core, radius = farthest(placed, points, 0, scale(-1.0, normal)), float(placed[0, CORE_RADIUS])
    height = dot(subtract(core, a), normal)
    put_found(found, 0, core, add_scaled(core, -height, normal), normal, height - radius, BY_OTHER)
    found[0, FIRST_RADIUS] = radius
    return 1


@inlined
def _touch_face(
    around: Around,
    tools: Tools,
    gathered: Array,
    kept: int,
    own: Own,
    triangle: Triangle,
    normal: Vector,
    edges: int,
    above: float,
) -> int:
    """The corners, ends and points of a rim of a shape that touch a triangle along its normal; the number of points then."""
    (narrow, _found, polygon, calls), (terrain, base, middle, motion, margin, least, dt, _spins) = tools, own
    placed, points, down, slack = narrow[0], narrow[1], scale(-1.0, normal), _ABOVE * least
    start = kept
    for number in range(vertices_of(placed, 0, down)):
        at, rolls = vertex_of(placed, points, 0, number, down, polygon, 0)
        gap = dot(subtract(at, triangle[0]), normal)
        if gap > margin or not _lands(triangle, normal, add_scaled(at, rolls, normal), gap, motion, dt, slack):
            continue
        # what is below the plane may be below another face, or past a border
        nearer = -(1.0 - FACE_BIAS) * gap
        if gap < -_BELOW * least and (
            call(calls[INNER], (around, base, at, (0.0, 0.0, 0.0), terrain, nearer, nearer, -1.0)) == 1
        ):
            continue
        if gap < -_DEEP * least and _is_past_border(triangle, normal, edges, middle, at, above, gap, slack):
            continue
        if kept - start == 2 * MOST_POINTS:
            kept = call(calls[FOUR], (gathered, start, kept, FACE_BIAS * least))
        kept = put_point(gathered, kept, at, rolls, triangle[0], normal, margin, False)
    return kept


@inlined
def _touch_triangle(
    around: Around, tools: Tools, gathered: Array, kept: int, own: Own, triangle: Triangle, edges: int
) -> int:
    """The points at which a shape touches a triangle and those of its edges that stand out; the number of points then."""
    placed, points, (_terrain, _base, middle, _motion, margin, _least, _dt, _spins) = tools[0][0], tools[0][1], own
    a, b, c = triangle
    normal = cross(subtract(b, a), subtract(c, a))
    size = sqrt(dot(normal, normal))
    normal = (normal[0] / size, normal[1] / size, normal[2] / size)
    above = dot(subtract(middle, a), normal)
    if above <= 0.0:
        # behind a triangle, only edges within the surface touch
        edges &= ~(edges >> 3)
    lowest = farthest(placed, points, 0, scale(-1.0, normal))
    support = dot(subtract(lowest, a), normal) - float(placed[0, CORE_RADIUS])
    if support > margin:
        return kept
    if above > 0.0:
        kept = _touch_face(around, tools, gathered, kept, own, triangle, normal, edges, above)
    for side in range(3):
        if (edges >> side) & 1 == 1:
            p, q = side_of(triangle, side)
            kept = _touch_edge(around, tools, gathered, kept, own, p, q)
    return kept


@inlined
def box_of_core(placed: Array, points: Array, axes: Axes) -> tuple[Vector, Vector]:
    """The middle and half the extents of the first shape along axes."""
    one, two, three = (
        _extent(placed, points, axes[0]),
        _extent(placed, points, axes[1]),
        _extent(placed, points, axes[2]),
    )
    return (one[0], two[0], three[0]), (one[1], two[1], three[1])


@inlined
def _extent(placed: Array, points: Array, axis: Vector) -> tuple[float, float]:
    """The middle and half the size of the first shape along an axis."""
    radius = float(placed[0, CORE_RADIUS])
    low = dot(farthest(placed, points, 0, scale(-1.0, axis)), axis) - radius
    high = dot(farthest(placed, points, 0, axis), axis) + radius
    return 0.5 * (low + high), 0.5 * (high - low)


@kernel("touch-terrain")
def touch_terrain(
    scene: Scene,
    tools: Tools,
    ground: Ground,
    base: Vector,
    first: int,
    terrain: int,
    margin: float,
    least: float,
    dt: float,
) -> int:
    """Find the points at which a convex shape is nearer to a terrain than a margin.

    Args:
        scene: The bodies, the table of shapes, and where the points and grounds of shapes are.
        tools: The arguments of `part_cores`, the points of the pair, which are given the number of the contact to which each belongs,
            scratch, and the addresses of kernels.
        ground: The grounds, and scratch; see `Ground`.
        base: What positions are relative to: the mass centre of the body [m].
        first: A convex shape of a body.
        terrain: A mesh or a field of the world.
        margin: The largest gap [m].
        least: The least half extent of the convex shape [m].
        dt: The length of the tick [s].

    Returns:
        How many there are.
    """
    (bodies, shapes, forms), (narrow, found, _polygon, calls) = scene, tools
    grounds, beside, bounds, (listed, stack), inner_scratch, gathered = ground
    placed, points = narrow[0], narrow[1]
    place_shape(scene, placed, 0, first, base)
    center, turn = pose_of(bodies, shapes, terrain)
    axes = axes_of(turn)
    origin, middle = into(axes, subtract(base, center)), middle_of(placed, points)
    around = (scene, grounds, beside, bounds, inner_scratch)
    spins = most_spin(bodies, int(shapes[BODY, first]))
    own = (terrain, base, middle, _motion_of(bodies, shapes, first, terrain), margin, least, dt, spins)
    # the box of the shape in the axes of the terrain
    at, half = box_of_core(placed, points, axes)
    at, half = add(origin, at), (half[0] + margin, half[1] + margin, half[2] + margin)
    low, high = subtract(at, half), add(at, half)
    most = gathered.shape[0] - _ROOM_OF_A_TRIANGLE
    kept = count = place = 0
    state = -1
    while True:
        if place == count:
            if count > 0 and state < 0:
                break
            place = 0
            count, state = list_near(shapes, forms, grounds, listed, stack, terrain, low, high, state)
            if count == 0 and state < 0:
                break
        while place < count and kept <= most:
            triangle = triangle_of(shapes, forms, grounds, terrain, listed[place], axes, origin)
            edges = edges_of(shapes, forms, grounds, terrain, listed[place])
            kept = _touch_triangle(around, tools, gathered, kept, own, triangle, edges)
            place += 1
        kept = call(calls[GROUPS], (gathered, found, calls, kept, least))
        if place < count or state >= 0:
            for number in range(kept):
                copy_found(gathered, number, found, number)
    if kept == 0 and int(shapes[TYPE, terrain]) == FIELD:
        return lift(shapes, forms, grounds, placed, points, found, terrain, axes, origin, middle)
    return kept
