"""Casts onto a terrain, and the nearest points of a convex shape and a terrain.

A terrain is as one-sided here as in contacts. A point meets a triangle if it comes from the side from which the corners are anticlockwise;
a shape meets or is near a triangle if its middle is on that side. What has its middle below a height field, but reaches above the lowest
height, is within the field.
"""

from math import inf, sqrt

from ..compilation.compiler import call, inlined, kernel
from ..constraints.joint_types import Axes, load, store
from ..kernels.vectors import Vector, add, add_scaled, cross, dot, scale, subtract
from ..loops.columns import Array, Integers, load_vector
from .casting import INNER_AT, Terrain, advance, reach_of
from .cores import CORE_CENTER, CORE_KIND, CORE_RADIUS, POINT, farthest, normal_of, place_triangle
from .grounds import HIGHEST, LOWEST
from .layout import (
    APART_BY,
    FIELD,
    FIRST_HEIGHT,
    FIRST_NODE,
    GROUND_COLUMNS,
    GROUND_ROWS,
    ON_FIRST,
    ON_SECOND,
    SIZES,
    TO_FIRST,
    TYPE,
)
from .pairs import Scene, part_placed
from .parting import APART, NEAREST, OTHER_NEAREST, TO_NEAREST
from .poses import axes_of, pose_of
from .surface import BESIDE, RISES, WITHIN
from .terrain import box_of_core, lift, middle_of
from .tree import NODE_COUNT, NODE_NEXT, crosses, enters, enters_node, wait_for_parts
from .triangles import Triangle, grid_place, into, steps_of, triangle_of

_SLACK = 1e-9
"""Share of a cell by which a line may be off it because of rounding."""
_ROUNDING = 1e-12
"""Share of distances and sizes that rounding does not reach."""

State = tuple[int, int, int, int, int]
"""Where a search is: how many nodes of a mesh wait; or the row of a field, how many rows follow and in which direction, and the next and
the last column."""


@inlined
def _begin(
    shapes: Array,
    forms: Integers,
    stack: Integers,
    terrain: int,
    half: Vector,
    origin: Vector,
    direction: Vector,
    most: float,
) -> State:
    """Begin the search for triangles that a box meets on its way; the arguments are those of `_next_leaf`."""
    if int(shapes[TYPE, terrain]) != FIELD:
        stack[0] = 0
        return 1, 0, 0, 0, 0
    x, y, z = load_vector(shapes, SIZES, terrain)
    first, last = crosses((-x, -y, -z), (x, y, z), half, origin, direction, most)
    if first > last:
        return 0, 0, 0, 0, -1
    along, _aside = steps_of(shapes, forms, terrain)
    low, high = _cells(
        origin[0] + first * direction[0],
        origin[0] + last * direction[0],
        half[0],
        x,
        along,
        forms[terrain, GROUND_ROWS],
    )
    count = high - low + 1
    return (low - 1, count, 0, 0, -1) if direction[0] >= 0.0 else (high + 1, -count, 0, 0, -1)


@inlined
def _cells(one: float, two: float, half: float, size: float, step: float, count: int) -> tuple[int, int]:
    """The first and the last cell of a field along one of its axes between two places, and so far around them."""
    return (
        grid_place((min(one, two) - half + size) / step - _SLACK, count - 2),
        grid_place((max(one, two) + half + size) / step + _SLACK, count - 2),
    )


@inlined
def _next_leaf(
    shapes: Array,
    forms: Integers,
    grounds: tuple[Array, ...],
    stack: Integers,
    terrain: int,
    half: Vector,
    origin: Vector,
    direction: Vector,
    most: float,
    state: State,
) -> tuple[int, int, float, State]:
    """The next triangles that may meet a box on its way.

    Args:
        shapes: The table of shapes.
        forms: Where the grounds of shapes are.
        grounds: The grounds.
        stack: Scratch, for nodes.
        terrain: The shape.
        half: Half extents of the box.
        origin: Where its middle begins, in the axes of the terrain.
        direction: Where it goes, a unit vector in the axes of the terrain, or zero.
        most: How far it goes.
        state: Where the search is.

    Returns:
        The first of the triangles, how many there are, or 0 for no more; how far the box goes to theirs; and where the search is then.
    """
    place, left, _unused, column, last = state
    if int(shapes[TYPE, terrain]) != FIELD:
        root = forms[terrain, FIRST_NODE]
        while place > 0:
            place -= 1
            node = root + stack[place]
            start = enters_node(grounds[2], node, half, origin, direction, most)
            if start >= 0.0:
                many = int(grounds[2][node, NODE_COUNT])
                if many > 0:
                    return int(grounds[2][node, NODE_NEXT]), many, start, (place, left, 0, column, last)
                place = wait_for_parts(grounds[2], node, root, half, origin, direction, most, stack, place)
        return 0, 0, 0.0, (place, left, 0, column, last)
    x, y, z = load_vector(shapes, SIZES, terrain)
    along, aside = steps_of(shapes, forms, terrain)
    columns, corner = forms[terrain, GROUND_COLUMNS], forms[terrain, FIRST_HEIGHT]
    while True:
        if column <= last:
            cell = place * columns + column
            near = float(place) * along - x, float(column) * aside - y, float(grounds[3][corner + cell, LOWEST])
            far = near[0] + along, near[1] + aside, float(grounds[3][corner + cell, HIGHEST])
            column += 1
            start = enters(near, far, half, origin, direction, most)
            if start >= 0.0:
                return 2 * cell, 2, start, (place, left, 0, column, last)
        elif left != 0:
            step = 1 if left > 0 else -1
            place, left = place + step, left - step
            low = float(place) * along - x
            one, two = crosses((low, -y, -z), (low + along, y, z), half, origin, direction, most)
            if one <= two:
                column, last = _cells(
                    origin[1] + one * direction[1], origin[1] + two * direction[1], half[1], y, aside, columns
                )
        else:
            return 0, 0, 0.0, (place, left, 0, column, last)


@inlined
def _is_within(
    scene: Scene, narrow: tuple[Array, ...], terrain: Terrain, ground: int, axes: Axes, base: Vector, middle: Vector
) -> bool:
    """Whether the placed shape is within a field; what it is lifted by is in the row of `found` then."""
    _bodies, shapes, forms = scene
    if int(shapes[TYPE, ground]) != FIELD:
        return False
    top = farthest(narrow[0], narrow[1], 0, axes[2])
    height = base[2] + dot(axes[2], top) + float(narrow[0][0, CORE_RADIUS])
    if height < -float(shapes[SIZES + 2, ground]):
        return False
    return lift(shapes, forms, terrain[0], narrow[0], narrow[1], terrain[5], ground, axes, base, middle) == 1


@inlined
def _put(answer: Array, apart: float, normal: Vector, at: Vector, other_at: Vector) -> None:
    answer[0, APART] = apart
    store(answer, 0, TO_NEAREST, normal)
    store(answer, 0, NEAREST, at)
    store(answer, 0, OTHER_NEAREST, other_at)


@inlined
def _keep(found: Array, answer: Array) -> None:
    """Keep an answer while others are looked for."""
    store(found, 0, TO_FIRST, load(answer, 0, TO_NEAREST))
    store(found, 0, ON_FIRST, load(answer, 0, NEAREST))
    store(found, 0, ON_SECOND, load(answer, 0, OTHER_NEAREST))


@inlined
def _pierces(triangle: Triangle, normal: Vector, origin: Vector, direction: Vector, most: float) -> float:
    """How far a ray goes until it meets a triangle from its front; -1 if it does not within `most`.

    It is on the inner side of each edge by the sign of the volume that they span. Two triangles have the same bits of this for their common
    edge, but for the sign, so that no ray slips between them.
    """
    a, b, c = subtract(triangle[0], origin), subtract(triangle[1], origin), subtract(triangle[2], origin)
    along = dot(direction, normal)
    if along >= 0.0 or max(dot(cross(a, b), direction), dot(cross(b, c), direction), dot(cross(c, a), direction)) > 0.0:
        return -1.0
    at = dot(a, normal) / along + 0.0
    return at if at <= most else -1.0


@inlined
def _meets(
    narrow: tuple[Array, ...],
    calls: Integers,
    triangle: Triangle,
    normal: Vector,
    center: Vector,
    middle: Vector,
    toward: Vector,
    begins: float,
    most: float,
) -> float:
    """How far the first placed core goes until it meets a triangle from its front; -1 if it does not within `most`; see `advance`."""
    placed, answer = narrow[0], narrow[7]
    a, b, c = triangle
    if _is_point(placed):
        at = _pierces(triangle, normal, center, toward, most)
        if at >= 0.0:
            met = add_scaled(center, at, toward)
            _put(answer, at, normal, met, met)
        return at
    place_triangle(placed, 1, a, b, c)
    size = _length(subtract(b, a)) + _length(subtract(c, a))
    at = advance(narrow, calls, center, toward, begins, most, size)
    return at if dot(subtract(add_scaled(middle, at, toward), a), normal) > 0.0 else -1.0


@inlined
def _is_point(placed: Array) -> bool:
    """Whether the first core is a point, as that of a ray is."""
    return int(placed[0, CORE_KIND]) == POINT and float(placed[0, CORE_RADIUS]) == 0.0


@inlined
def _length(v: Vector) -> float:
    return sqrt(dot(v, v))


@kernel("cast-on-terrain")
def cast_on_terrain(
    scene: Scene,
    narrow: tuple[Array, ...],
    calls: Integers,
    terrain: Terrain,
    ground: int,
    origin: Vector,
    toward: Vector,
    most: float,
) -> int:
    """Move the first placed core along a line until it meets a terrain; 1 if it does.

    The answer is that of `part_cores`, with how far it goes in place of the distance.

    Args:
        scene: The bodies, the table of shapes, and where the grounds of shapes are.
        narrow: The arguments of `part_cores`.
        calls: The addresses of kernels.
        terrain: The terrains and scratch.
        ground: The terrain.
        origin: What the core is placed from, world frame [m].
        toward: The direction, world frame.
        most: How far it goes at most [m].
    """
    bodies, shapes, forms = scene
    grounds, beside, bounds, listed, stack, found = terrain
    placed, points, answer = narrow[0], narrow[1], narrow[7]
    place, turn = pose_of(bodies, shapes, ground)
    axes, center, middle = axes_of(turn), load(placed, 0, CORE_CENTER), middle_of(placed, points)
    base = into(axes, subtract(origin, place))
    if _is_within(scene, narrow, terrain, ground, axes, base, middle):
        _put(answer, 0.0, load(found, 0, TO_FIRST), load(found, 0, ON_FIRST), load(found, 0, ON_SECOND))
        return 1
    start, along, reach = add(base, into(axes, center)), into(axes, toward), reach_of(placed)
    # boxes are met in the axes of the terrain and triangles in the world frame, whose rounding differs
    slack = _ROUNDING * (_length(start) + _length(load_vector(shapes, SIZES, ground)))
    half = reach[0] + slack, reach[1] + slack, reach[2] + slack
    state, is_met, best, face = _begin(shapes, forms, stack, ground, half, start, along, most), 0, most, toward
    while True:
        first, many, begins, state = _next_leaf(shapes, forms, grounds, stack, ground, half, start, along, best, state)
        if many == 0:
            break
        for number in range(many):
            triangle = triangle_of(shapes, forms, grounds, ground, first + number, axes, base)
            normal = normal_of(*triangle)
            at = _meets(narrow, calls, triangle, normal, center, middle, toward, begins, best)
            if at >= 0.0 and (at < best or is_met == 0):
                is_met, best, face = 1, at, normal
                _keep(found, answer)
    if is_met == 0:
        return 0
    normal, at_ground, size = load(found, 0, TO_FIRST), load(found, 0, ON_SECOND), reach[0]
    is_face = _is_point(placed) or dot(normal, face) < 0.0
    around = (scene, grounds, beside, bounds, (listed, stack))
    nearness = ground, WITHIN * size, BESIDE * size, RISES
    if is_face or call(calls[INNER_AT], (around, origin, at_ground, normal, *nearness)) == 1:
        normal = face
    _put(answer, best, normal, load(found, 0, ON_FIRST), at_ground)
    return 1


@inlined
def _gap_to(narrow: tuple[Array, ...], calls: Integers, triangle: Triangle, normal: Vector, height: float) -> float:
    """The gap between the first placed core, whose middle is in front of a triangle, and this; see `part_from_terrain`."""
    placed, points, answer = narrow[0], narrow[1], narrow[7]
    a, b, c = triangle
    place_triangle(placed, 1, a, b, c)
    gap = part_placed(narrow, calls, 0)
    if gap < 0.0 and height - gap * dot(load(answer, 0, TO_NEAREST), normal) < 0.0:
        lowest = farthest(placed, points, 0, scale(-1.0, normal))
        at = add_scaled(lowest, -float(placed[0, CORE_RADIUS]), normal)
        gap = dot(subtract(at, a), normal)
        _put(answer, gap, normal, at, add_scaled(at, -gap, normal))
    return gap


@kernel("part-from-terrain")
def part_from_terrain(
    scene: Scene,
    narrow: tuple[Array, ...],
    calls: Integers,
    terrain: Terrain,
    ground: int,
    origin: Vector,
    most: float,
) -> int:
    """Find the least gap between the first placed core and the triangles in front of which it is; 1 if one is at most `most`.

    The gap to a triangle that is overlapped is minus the least way out of it, or, if that leads to its back, the way along its normal.

    Args:
        scene: The bodies, the table of shapes, and where the grounds of shapes are.
        narrow: The arguments of `part_cores`; the answer has the gap, the normal, and the nearest points of both surfaces.
        calls: The addresses of kernels.
        terrain: The terrains and scratch.
        ground: The terrain.
        origin: What the core is placed from, world frame [m].
        most: The largest gap [m].
    """
    bodies, shapes, forms = scene
    grounds, _beside, _bounds, _listed, stack, found = terrain
    placed, points, answer = narrow[0], narrow[1], narrow[7]
    place, turn = pose_of(bodies, shapes, ground)
    axes, middle = axes_of(turn), middle_of(placed, points)
    base = into(axes, subtract(origin, place))
    if _is_within(scene, narrow, terrain, ground, axes, base, middle):
        normal = load(found, 0, TO_FIRST)
        at = add_scaled(load(found, 0, ON_FIRST), -float(placed[0, CORE_RADIUS]), normal)
        _put(answer, float(found[0, APART_BY]), normal, at, load(found, 0, ON_SECOND))
        return 1
    center, half = box_of_core(placed, points, axes)
    center = add(base, center)
    x, y, z = load_vector(shapes, SIZES, ground)
    away = max(abs(center[0]) - x - half[0], abs(center[1]) - y - half[1], abs(center[2]) - z - half[2], 0.0)
    size = half[0] + half[1] + half[2] + 1e-3 * (x + y + z)
    farthest_off = away + 2.0 * (x + y + z + size)
    nowhere, best, is_met, grown = (0.0, 0.0, 0.0), most, 0, away + 0.1 * size
    while True:
        # a wider box, until it contains what is nearest
        wide = _widened(half, best, grown)
        state = _begin(shapes, forms, stack, ground, wide, center, nowhere, 0.0)
        while True:
            first, many, _at, state = _next_leaf(
                shapes, forms, grounds, stack, ground, wide, center, nowhere, 0.0, state
            )
            if many == 0:
                break
            for number in range(many):
                triangle = triangle_of(shapes, forms, grounds, ground, first + number, axes, base)
                normal = normal_of(*triangle)
                height = dot(subtract(middle, triangle[0]), normal)
                gap = _gap_to(narrow, calls, triangle, normal, height) if height > 0.0 else inf
                if gap < best or (gap == best and is_met == 0):
                    best, is_met = gap, 1
                    _keep(found, answer)
                    wide = _widened(half, best, grown)
        if best <= grown or grown > farthest_off:
            break
        grown *= 2.0
    if is_met == 0:
        return 0
    _put(answer, best, load(found, 0, TO_FIRST), load(found, 0, ON_FIRST), load(found, 0, ON_SECOND))
    return 1


@inlined
def _widened(half: Vector, best: float, grown: float) -> Vector:
    """Half the extents of a box that contains what may be nearer than the best one, up to a bound."""
    wide = max(min(best, grown), 0.0)
    return half[0] + wide, half[1] + wide, half[2] + wide
