"""Points at which a convex shape touches a terrain, which is a triangle mesh or a height field.

A terrain is one-sided: a triangle stops what comes from where its corners are anticlockwise, and does not know a shape whose middle is
behind its plane. Each triangle near a shape is compared with it:

* Corners, ends and rims of the shape, and its centre if it is a ball, touch a triangle along its normal if they are above it, or will be
  when they reach its plane in this tick. Nothing else is needed on flat or hollow ground, which therefore acts as a plane does.
* Edges and corners of the terrain touch only if they stand out: the normal must be one along which the surface around the point is lowest
  there. Any other normal is due to an inner edge, and the face on its other side has the true contact. The surface around a point is that
  of all triangles that contain it, also of other terrains of the world.

Points are then grouped by their normals, and of each group four are kept, which is one contact.
"""

from math import sqrt

from ..compilation.compiler import call, inlined, kernel
from ..constraints.joint_types import load
from ..constraints.layout import BY_BODY, BY_CORES, BY_OTHER
from ..constraints.points import across
from ..kernels.quaternions import rotate
from ..kernels.vectors import Vector, add, add_scaled, cross, dot, scale, subtract
from ..loops.columns import Array, Integers, load_quaternion, load_vector
from ..loops.layout import ANGULAR_VELOCITY, ORIENTATION, POSITION, VELOCITY
from .boxes import FACE_BIAS, Axes, put_found
from .cores import (
    BOX_CORE,
    CORE_AXES,
    CORE_CENTER,
    CORE_KIND,
    CORE_RADIUS,
    CORE_SIZE,
    CORNER_COUNT,
    HULL,
    POINT,
    POINTS_AT,
    SEGMENT,
    farthest,
    place_core,
    placed_point,
)
from .layout import (
    APART_BY,
    BODY,
    FIELD,
    FIRST_RADIUS,
    FOUND_SIZE,
    GROUND_COLUMNS,
    GROUND_ROWS,
    HIGH,
    LOW,
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
from .manifold import CORES, is_end, put_line, put_point, rim
from .pairs import place_shape
from .parting import nearest_in_triangle
from .poses import axes_of, moves, origin_of, pose_of
from .triangles import corner_of, edges_of, grid_place, into, list_near, steps_of, triangle_of

GROUND, INNER = 9, 10
"""The places of `touch_terrain` and `is_inner` among the addresses of the kernels around islands."""
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
_WITHIN, _BESIDE = 1e-7, 1e-4
"""Share of the least half extent by which a triangle of the same and of another terrain may be off a point that it contains."""
_RISES = 1e-7
"""Sine of an angle below which a surface does not rise."""
_TILTED = 0.1
"""The same for a point below a face of a shape, which may tilt in an impact."""

_BELOW, _DEEP = 1e-5, 0.05
"""Share of the least half extent from which a corner below a face is looked at more closely, and from which it may be past a border."""
_AHEAD = 2.0
"""Ticks within which a point reaches a plane at its present speed, which may increase in the tick."""

Motion = tuple[Vector, Vector]


@inlined
def _is_in_box(bounds: Array, shape: int, at: Vector, slack: float) -> bool:
    """Whether a point is in the box of a shape, or nearly so."""
    low, high = load(bounds, shape, LOW), load(bounds, shape, HIGH)
    return bool(
        low[0] - slack <= at[0] <= high[0] + slack
        and low[1] - slack <= at[1] <= high[1] + slack
        and low[2] - slack <= at[2] <= high[2] + slack
    )


@kernel("is-inner-point")
def is_inner(
    bodies: Array,
    shapes: Array,
    forms: Integers,
    grounds: tuple[Array, ...],
    beside: Integers,
    bounds: Array,
    listed: Integers,
    stack: Integers,
    base_x: float,
    base_y: float,
    base_z: float,
    x: float,
    y: float,
    z: float,
    normal_x: float,
    normal_y: float,
    normal_z: float,
    terrain: int,
    near: float,
    near_beside: float,
    rises: float,
) -> int:
    """Whether a surface rises around one of its points in a direction, so that the direction is no normal there; 1 if so.

    Without a direction, and with a negative sine, whether any triangle is near a point.

    Args:
        bodies: The bodies.
        shapes: The table of shapes.
        forms: Where the grounds of shapes are.
        grounds: The grounds.
        beside: All terrains.
        bounds: The boxes of shapes.
        listed: Scratch, for triangles.
        stack: Scratch, for nodes.
        base_x: What positions are relative to [m].
        base_y: See above.
        base_z: See above.
        x: The point, world frame.
        y: See above.
        z: See above.
        normal_x: The direction, world frame.
        normal_y: See above.
        normal_z: See above.
        terrain: The shape to which the point belongs.
        near: How far a triangle of the terrain may be off a point that it contains [m].
        near_beside: The same for a triangle of another terrain.
        rises: Sine of the angle above which it rises.
    """
    place = add((base_x, base_y, base_z), (x, y, z))
    for number in range(beside.shape[0]):
        shape = beside[number]
        within = near if shape == terrain else near_beside
        if shape != terrain and not _is_in_box(bounds, shape, place, within):
            continue
        center, q = pose_of(bodies, shapes, shape)
        axes = axes_of(q)
        at = into(axes, add(subtract((base_x, base_y, base_z), center), (x, y, z)))
        up = into(axes, (normal_x, normal_y, normal_z))
        low, high = (at[0] - within, at[1] - within, at[2] - within), (at[0] + within, at[1] + within, at[2] + within)
        state = -1
        while True:
            count, state = list_near(shapes, forms, grounds, listed, stack, shape, low, high, state)
            for each in range(count):
                a = subtract(corner_of(shapes, forms, grounds, shape, listed[each], 0), at)
                b = subtract(corner_of(shapes, forms, grounds, shape, listed[each], 1), at)
                c = subtract(corner_of(shapes, forms, grounds, shape, listed[each], 2), at)
                one, two, three = nearest_in_triangle(a, b, c)
                foot = add_scaled(add_scaled(scale(one, a), two, b), three, c)
                if dot(foot, foot) <= within * within:
                    for corner in range(3):
                        away = subtract(a if corner == 0 else b if corner == 1 else c, foot)
                        size = sqrt(dot(away, away))
                        if size > within and dot(away, up) > rises * size:
                            return 1
            if state < 0:
                break
    return 0


@inlined
def _is_above(a: Vector, b: Vector, c: Vector, normal: Vector, at: Vector, slack: float) -> bool:
    """Whether a point is above a triangle, seen along its normal."""
    for side in range(3):
        p, q = (a if side == 0 else b if side == 1 else c), (b if side == 0 else c if side == 1 else a)
        along = subtract(q, p)
        if dot(cross(normal, along), subtract(at, p)) < -slack * sqrt(dot(along, along)):
            return False
    return True


@inlined
def _lands(
    a: Vector, b: Vector, c: Vector, normal: Vector, at: Vector, gap: float, motion: Motion, dt: float, slack: float
) -> bool:
    """Whether a point is above a triangle, will be at the end of the tick, or when it reaches its plane in this tick or soon after."""
    velocity = add(motion[0], cross(motion[1], at))
    closes = -dot(velocity, normal)
    reached = gap / closes if gap > 0.0 and gap <= _AHEAD * closes * dt else 0.0
    for number in range(3):
        ahead = 0.0 if number == 0 else dt if number == 1 else reached
        if _is_above(a, b, c, normal, add_scaled(at, ahead, velocity), slack):
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
def _vertices(placed: Array, down: Vector) -> int:
    """How many corners a shape has that may touch a plane, or how many ends or points of a rim."""
    kind = int(placed[0, CORE_KIND])
    if kind == HULL:
        return int(placed[0, CORNER_COUNT])
    return 8 if kind == BOX_CORE else 1 if kind == POINT else 4 if is_end(placed, 0, down) else 2


@inlined
def _vertex(placed: Array, points: Array, number: int, down: Vector, polygon: Array) -> tuple[Vector, float]:
    """One of these corners, and the radius on which it rolls."""
    kind = int(placed[0, CORE_KIND])
    if kind == HULL:
        return placed_point(placed, 0, load_vector(points, 0, int(placed[0, POINTS_AT]) + number)), 0.0
    if kind == BOX_CORE:
        x, y, z = load(placed, 0, CORE_SIZE)
        signs = x if number % 2 == 1 else -x, y if number // 2 % 2 == 1 else -y, z if number // 4 == 1 else -z
        return placed_point(placed, 0, signs), 0.0
    if kind == POINT:
        radius = float(placed[0, CORE_RADIUS])
        return add_scaled(load(placed, 0, CORE_CENTER), radius, down), radius
    if is_end(placed, 0, down):
        return rim(placed, 0, down, number)
    radius = put_line(placed, 0, down, polygon, 0)
    return load(polygon, number, 0), radius


@inlined
def _is_past_border(
    a: Vector,
    b: Vector,
    c: Vector,
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
            p, q = (a if side == 0 else b if side == 1 else c), (b if side == 0 else c if side == 1 else a)
            along = subtract(q, p)
            if dot(cross(normal, along), subtract(crossing, p)) < -slack * sqrt(dot(along, along)):
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
def _touch_edge(
    context: tuple[Array, Array, Integers, tuple[Array, ...], Integers, Array, Integers, Integers],
    narrow: tuple[Array, ...],
    found: Array,
    polygon: Array,
    calls: Integers,
    gathered: Array,
    kept: int,
    base: Vector,
    middle: Vector,
    p: Vector,
    q: Vector,
    terrain: int,
    drift: Vector,
    turns: Vector,
    margin: float,
    least: float,
) -> int:
    """The points at which a shape touches an edge that stands out; the number of points then."""
    placed, points = narrow[0], narrow[1]
    radius, (at, is_end_of_edge) = float(placed[0, CORE_RADIUS]), _nearest_on(p, q, middle)
    away = subtract(middle, at)
    size = sqrt(dot(away, away))
    if size == 0.0:
        return kept
    away = scale(1.0 / size, away)
    reach = dot(farthest(placed, points, 0, scale(-1.0, away)), away) - radius
    if reach - max(dot(p, away), dot(q, away)) > margin:
        return kept
    count, kind = 1, int(placed[0, CORE_KIND])
    if kind == POINT:
        # the normal turns with an edge, and follows the centre around a corner
        put_found(found, 0, middle, at, away, size - radius, BY_CORES if is_end_of_edge else BY_OTHER)
        # and that of the end of the tick, because a ball may roll from one edge to the next
        moved = add(middle, drift)
        at, is_end_of_edge = _nearest_on(p, q, moved)
        away = subtract(moved, at)
        size = sqrt(dot(away, away))
        away = scale(1.0 / size, away) if size > 0.0 else load(found, 0, TO_FIRST)
        gap = dot(subtract(middle, at), away) - radius
        put_found(found, 1, middle, at, away, gap, BY_CORES if is_end_of_edge else BY_OTHER)
        found[0, FIRST_RADIUS] = found[1, FIRST_RADIUS] = radius
        count = 2
    else:
        along = subtract(q, p)
        length = sqrt(dot(along, along))
        along = scale(1.0 / length, along)
        first, second = across(along)
        place_core(
            placed,
            1,
            SEGMENT,
            add_scaled(p, 0.5 * length, along),
            (first, second, along),
            (0.0, 0.0, 0.5 * length),
            0.0,
        )
        count = call(calls[CORES], (*narrow, found, polygon, calls, margin, least))
    for number in range(count):
        at, away, rises = load(found, number, ON_SECOND), load(found, number, TO_FIRST), _RISES
        if kind != POINT:
            # what a shape turns about its axis does not turn the normal of a round side
            spin = turns
            if found[number, FIRST_RADIUS] > 0.0:
                axis = load(placed, 0, CORE_AXES + 6)
                spin = add_scaled(spin, -dot(spin, axis), axis)
            elif int(found[number, TURNS_WITH]) == BY_BODY:
                rises = _TILTED
            rises += sqrt(dot(spin, spin))
        if call(calls[INNER], (*context, *base, *at, *away, terrain, _WITHIN * least, _BESIDE * least, rises)) == 0:
            _copy(gathered, kept, found, number)
            kept += 1
            if kind == POINT:
                break
    return kept


@inlined
def _copy(target: Array, row: int, source: Array, number: int) -> None:
    for entry in range(FOUND_SIZE):
        target[row, entry] = source[number, entry]


@inlined
def _swap(found: Array, number: int, other: int) -> None:
    for entry in range(FOUND_SIZE):
        found[number, entry], found[other, entry] = found[other, entry], found[number, entry]


@kernel("keep-four")
def keep_four(found: Array, first: int, last: int, near: float) -> int:
    """Keep four of many points with similar normals: of the deepest ones the outermost, the one farthest from it, and those farthest on
    both sides of the line between them.

    Args:
        found: The points.
        first: The first of them.
        last: One after the last of them.
        near: By how much the deepest ones may differ [m].

    Returns:
        One after the last that is kept.
    """
    if last - first <= MOST_POINTS:
        return last
    lowest, middle = 1e300, (0.0, 0.0, 0.0)
    for number in range(first, last):
        lowest = min(lowest, float(found[number, APART_BY]))
        middle = add_scaled(middle, 1.0 / float(last - first), load(found, number, ON_SECOND))
    best, largest = first, -1.0
    for number in range(first, last):
        off = subtract(load(found, number, ON_SECOND), middle)
        if found[number, APART_BY] <= lowest + near and dot(off, off) > largest:
            best, largest = number, dot(off, off)
    _swap(found, first, best)
    start, normal = load(found, first, ON_SECOND), load(found, first, TO_FIRST)
    best, largest = first + 1, -1.0
    for number in range(first + 1, last):
        off = subtract(load(found, number, ON_SECOND), start)
        if dot(off, off) > largest:
            best, largest = number, dot(off, off)
    _swap(found, first + 1, best)
    beyond = cross(normal, subtract(load(found, first + 1, ON_SECOND), start))
    for sign in (1.0, -1.0):
        place = first + (2 if sign > 0.0 else 3)
        best, largest = place, -1e300
        for number in range(place, last):
            off = subtract(load(found, number, ON_SECOND), start)
            if sign * dot(beyond, off) > largest:
                best, largest = number, sign * dot(beyond, off)
        _swap(found, place, best)
    return first + MOST_POINTS


@kernel("group-points")
def group_points(gathered: Array, found: Array, calls: Integers, count: int, least: float) -> int:
    """Group points by their normals, leave out those that are there twice, and keep four of each group.

    Args:
        gathered: The points.
        found: Where they are written, each with the number of its group, which are in ascending order.
        calls: The addresses of kernels.
        count: How many there are.
        least: The least half extent of the shape [m].

    Returns:
        How many are kept.
    """
    written = groups = left = 0
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
            _copy(found, same, gathered, number)
        written = call(calls[FOUR], (found, first, written, FACE_BIAS * least))
        groups += 1
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
    normal = cross(subtract(b, a), subtract(c, a))
    normal = scale(1.0 / sqrt(dot(normal, normal)), normal)
    if dot(subtract(middle, a), normal) > 0.0:
        return 0
    core, radius = farthest(placed, points, 0, scale(-1.0, normal)), float(placed[0, CORE_RADIUS])
    height = dot(subtract(core, a), normal)
    put_found(found, 0, core, add_scaled(core, -height, normal), normal, height - radius, BY_OTHER)
    found[0, FIRST_RADIUS] = radius
    return 1


FOUR, GROUPS = 11, 12
"""The places of `keep_four` and `group_points` among the addresses of the kernels around islands."""


@kernel("touch-terrain")
def touch_terrain(
    bodies: Array,
    shapes: Array,
    forms: Integers,
    narrow: tuple[Array, ...],
    grounds: tuple[Array, ...],
    beside: Integers,
    bounds: Array,
    numbers: tuple[Integers, Integers, Integers, Integers],
    gathered: Array,
    found: Array,
    polygon: Array,
    calls: Integers,
    base_x: float,
    base_y: float,
    base_z: float,
    first: int,
    terrain: int,
    margin: float,
    least: float,
    dt: float,
) -> int:
    """Find the points at which a convex shape is nearer to a terrain than a margin.

    Args:
        bodies: The bodies.
        shapes: The table of shapes.
        forms: Where the points and grounds of shapes are.
        narrow: The placed cores, the points, and scratch of `part_cores`.
        grounds: The grounds.
        beside: All terrains.
        bounds: The boxes of shapes.
        numbers: Scratch: triangles and nodes that wait, and the same for `is_inner`.
        gathered: Scratch, shape (`MOST_GATHERED`, `FOUND_SIZE`).
        found: The points of the pair, with the number of the contact to which each belongs.
        polygon: Scratch of `touch_cores`.
        calls: The addresses of kernels.
        base_x: What positions are relative to: the mass centre of the body [m].
        base_y: See above.
        base_z: See above.
        first: A convex shape of a body.
        terrain: A mesh or a field of the world.
        margin: The largest gap [m].
        least: The least half extent of the convex shape [m].
        dt: The length of the tick [s].

    Returns:
        How many there are.
    """
    base = (base_x, base_y, base_z)
    placed, points, listed = narrow[0], narrow[1], numbers[0]
    context = (bodies, shapes, forms, grounds, beside, bounds, numbers[2], numbers[3])
    place_shape(bodies, shapes, forms, placed, 0, first, base)
    center, turn = pose_of(bodies, shapes, terrain)
    axes = axes_of(turn)
    origin = into(axes, subtract(base, center))
    radius, middle = float(placed[0, CORE_RADIUS]), middle_of(placed, points)
    motion, slack = _motion_of(bodies, shapes, first, terrain), _ABOVE * least
    for number in range(6):
        # the box of the shape in the axes of the terrain, in a free row
        sign, axis = (1.0 if number > 2 else -1.0), number % 3
        direction = scale(sign, axes[0] if axis == 0 else axes[1] if axis == 1 else axes[2])
        reach = dot(farthest(placed, points, 0, direction), direction) + radius + margin
        off = origin[0] if axis == 0 else origin[1] if axis == 1 else origin[2]
        gathered[gathered.shape[0] - 1, number] = off + sign * reach
    low, high = load(gathered, gathered.shape[0] - 1, 0), load(gathered, gathered.shape[0] - 1, 3)
    most = gathered.shape[0] - _ROOM_OF_A_TRIANGLE
    kept = count = place = 0
    state = -1
    while True:
        if place == count:
            if count > 0 and state < 0:
                break
            place = 0
            count, state = list_near(shapes, forms, grounds, listed, numbers[1], terrain, low, high, state)
            if count == 0 and state < 0:
                break
        while place < count and kept <= most:
            triangle = listed[place]
            place += 1
            a, b, c = triangle_of(shapes, forms, grounds, terrain, triangle, axes, origin)
            normal = cross(subtract(b, a), subtract(c, a))
            size = sqrt(dot(normal, normal))
            normal = (normal[0] / size, normal[1] / size, normal[2] / size)
            edges, above = edges_of(shapes, forms, grounds, terrain, triangle), dot(subtract(middle, a), normal)
            is_in_front = above > 0.0
            if not is_in_front:
                edges &= ~(edges >> 3)
            down = scale(-1.0, normal)
            support = dot(subtract(farthest(placed, points, 0, down), a), normal) - radius
            if support > margin or (edges & 7 == 0 and not is_in_front):
                continue
            start, count_of_vertices = kept, _vertices(placed, down) if is_in_front else 0
            for number in range(count_of_vertices):
                at, rolls = _vertex(placed, points, number, down, polygon)
                gap = dot(subtract(at, a), normal)
                if gap > margin or not _lands(a, b, c, normal, add_scaled(at, rolls, normal), gap, motion, dt, slack):
                    continue
                # what is below the plane may be below another face, or past a border
                nearer = -(1.0 - FACE_BIAS) * gap
                if gap < -_BELOW * least and (
                    call(calls[INNER], (*context, *base, *at, 0.0, 0.0, 0.0, terrain, nearer, nearer, -1.0)) == 1
                ):
                    continue
                if gap < -_DEEP * least and _is_past_border(a, b, c, normal, edges, middle, at, above, gap, slack):
                    continue
                if kept - start == 2 * MOST_POINTS:
                    kept = call(calls[FOUR], (gathered, start, kept, FACE_BIAS * least))
                kept = put_point(gathered, kept, at, rolls, a, normal, margin, False)
            for side in range(3):
                if (edges >> side) & 1 == 1:
                    p, q = (a if side == 0 else b if side == 1 else c), (b if side == 0 else c if side == 1 else a)
                    kept = _touch_edge(
                        context, narrow, found, polygon, calls, gathered, kept, base, middle, p, q, terrain, scale(dt, motion[0]),
                        scale(dt, motion[1]), margin, least,
                    )  # fmt: skip
        kept = call(calls[GROUPS], (gathered, found, calls, kept, least))
        if place < count or state >= 0:
            for number in range(kept):
                _copy(gathered, number, found, number)
    if kept == 0 and int(shapes[TYPE, terrain]) == FIELD:
        return lift(shapes, forms, grounds, placed, points, found, terrain, axes, origin, middle)
    return kept
