"""Shapes that are moved along lines until they meet others, shapes that overlap a given one, and the nearest points of two shapes.

A cast advances by the gap over the speed at which it closes, which never passes the first contact of convex shapes (conservative
advancement: Mirtich, 1996). A ray is a cast of a point.
"""

from math import inf, nan, sqrt

from ..compilation.compiler import call, inlined, kernel
from ..constraints.joint_types import load, store
from ..kernels.quaternions import rotate
from ..kernels.vectors import Vector, add, add_scaled, dot
from ..loops.columns import Array, Integers
from .bounds import bound_shape
from .cores import CORE_AXES, CORE_CENTER, CORE_RADIUS, CORE_SIZE, PLACED_SIZE
from .layout import HIGH, LOW, MESH, TYPE
from .pairs import Scene, part_placed, place_shape
from .parting import APART, NEAREST, OTHER_NEAREST, TO_NEAREST
from .poses import pose_of
from .tree import NODE_COUNT, NODE_NEXT, enters, enters_node, wait_for_parts

# columns of a cast: where it begins, its orientation, its direction, and how far it goes; an overlap has the first two
FROM, TURN, TOWARD, MOST = 0, 3, 7, 10
# columns of a hit: the distance, the row of the shape (-1 for none), the point on it, and its normal there
DISTANCE, HIT_SHAPE, HIT_POINT, HIT_NORMAL = 0, 1, 2, 5
HIT_SIZE = 8
MEASURED_SIZE = 10
"""Columns of what is measured: the gap, the nearest points on both shapes, and the normal from the second to the first."""
CAST_AT, PART_AT, INNER_AT = 1, 2, 3
"""The places of `cast_on_terrain`, `part_from_terrain` and `is_inner` among the addresses of kernels; that of `part_cores` is the first."""
ENDLESS = 1e200
"""A shape whose box is longer has no bounds [m]."""
FARTHEST = 1e300
"""How far a cast goes that has no end [m]."""

Terrain = tuple[tuple[Array, ...], Integers, Array, Integers, Integers, Array]
"""The grounds, all terrains, the boxes of shapes, scratch for triangles and nodes, and a row of `found`."""
Tree = tuple[Array, Array, Integers, Integers, Integers, Integers]
State = tuple[int, int, int, int]
"""Where the search of a tree is: how many nodes wait, how many of the shapes without bounds were taken, the next shape of a leaf, and the
end of the leaf."""

_MOST_STEPS = 100
_MET = 1e-11
"""Share of the way and the size of a cast within which shapes have met."""
_NEARLY_MET = 1e-7


@inlined
def _begin(tree: Tree) -> State:
    """Let the root of a tree wait."""
    tree[3][0] = 0
    return min(tree[1].shape[0], 1), 0, 0, 0


@inlined
def advance(
    narrow: tuple[Array, ...], calls: Integers, center: Vector, toward: Vector, first: float, most: float, size: float
) -> float:
    """How far the first of the placed shapes goes until it meets the second; -1 if it does not within `most`."""
    at = first
    for _step in range(_MOST_STEPS):
        store(narrow[0], 0, CORE_CENTER, add_scaled(center, at, toward))
        gap = part_placed(narrow, calls, 0)
        if gap <= _MET * (size + at):
            return at
        closes = -dot(load(narrow[7], 0, TO_NEAREST), toward)
        if closes <= 0.0:
            return -1.0
        at += gap / closes
        if at > most:
            return -1.0
    return at if gap <= _NEARLY_MET * (size + at) else -1.0


@inlined
def reach_of(core: Array) -> Vector:
    """How far a core reaches from its centre along each axis at most."""
    size = load(core, 0, CORE_SIZE)
    reach = float(core[0, CORE_RADIUS]) + sqrt(dot(size, size))
    return reach, reach, reach


@inlined
def _turn_core(placed: Array, core: Array, casts: Array, number: int) -> Vector:
    """Place a core with the orientation of a cast, and return its centre from the start of the cast."""
    q = casts[number, TURN], casts[number, TURN + 1], casts[number, TURN + 2], casts[number, TURN + 3]
    for entry in range(PLACED_SIZE):
        placed[0, entry] = core[0, entry]
    for axis in range(3):
        store(placed, 0, CORE_AXES + 3 * axis, rotate(q, 2.0, load(core, 0, CORE_AXES + 3 * axis)))
    center = rotate(q, 2.0, load(core, 0, CORE_CENTER))
    store(placed, 0, CORE_CENTER, center)
    return center


@inlined
def _next_shape(
    tree: Tree, half: Vector, middle: Vector, toward: Vector, most: float, state: State
) -> tuple[int, float, State]:
    """The next shape that a box may meet on its way, and where its box is met; no shape is -1."""
    bounds, nodes, order, stack, seen, endless = tree
    waiting, place, item, last = state
    while True:
        if item < last:
            shape = order[item]
            item += 1
            if seen[shape] != 0:
                start = enters(load(bounds, shape, LOW), load(bounds, shape, HIGH), half, middle, toward, most)
                if start >= 0.0:
                    return shape, start, (waiting, place, item, last)
        elif place < endless.shape[0]:
            shape = endless[place]
            place += 1
            if seen[shape] != 0:
                return shape, 0.0, (waiting, place, item, last)
        elif waiting > 0:
            waiting -= 1
            node = stack[waiting]
            if enters_node(nodes, node, half, middle, toward, most) >= 0.0:
                item, last = int(nodes[node, NODE_NEXT]), int(nodes[node, NODE_COUNT])
                if last == 0:
                    # the nearer part is looked at first
                    waiting, item = wait_for_parts(nodes, node, 0, half, middle, toward, most, stack, waiting), 0
                last += item
        else:
            return -1, 0.0, (waiting, place, item, last)


@kernel("cast-shapes")
def cast_shapes(
    scene: Scene,
    narrow: tuple[Array, ...],
    calls: Integers,
    terrain: Terrain,
    tree: Tree,
    core: Array,
    casts: Array,
    hits: Array,
) -> int:
    """Move a core from several places along lines, and find the first shape that it meets on each.

    Args:
        scene: The bodies, the table of shapes, and where the points of shapes are.
        narrow: The arguments of `part_cores`.
        calls: The addresses of kernels.
        terrain: The terrains, and scratch; see `terrain_questions`.
        tree: The boxes of the shapes at the poses of the bodies; the tree of these; the shapes in the order of its leaves; scratch,
            `MOST_STACKED` numbers; whether each shape may be met; and the shapes without bounds.
        core: The core that is cast, in the axes of its shape.
        casts: The casts, one row each.
        hits: The results; what is not nearer than the distance that is there is no result. Of shapes at one distance, that in the first
            row counts.
    """
    shapes, half = scene[1], reach_of(core)
    for number in range(casts.shape[0]):
        origin, toward = load(casts, number, FROM), load(casts, number, TOWARD)
        most = min(float(casts[number, MOST]), float(hits[number, DISTANCE]))
        center = _turn_core(narrow[0], core, casts, number)
        middle, state = add(origin, center), _begin(tree)
        while True:
            shape, start, state = _next_shape(tree, half, middle, toward, most, state)
            if shape < 0:
                break
            if int(shapes[TYPE, shape]) >= MESH:
                at = -1.0
                store(narrow[0], 0, CORE_CENTER, center)
                if call(calls[CAST_AT], (scene, narrow, calls, terrain, shape, origin, toward, most)) == 1:
                    at = float(narrow[7][0, APART])
            else:
                low, high = load(tree[0], shape, LOW), load(tree[0], shape, HIGH)
                size = (high[0] - low[0]) + (high[1] - low[1]) + (high[2] - low[2])
                place_shape(scene, narrow[0], 1, shape, origin)
                at = advance(narrow, calls, center, toward, start, most, size if size < ENDLESS else 1.0)
            before, known = float(hits[number, DISTANCE]), float(hits[number, HIT_SHAPE])
            if at >= 0.0 and (at < before or (at == before and float(shape) < known)):
                most = at
                hits[number, DISTANCE], hits[number, HIT_SHAPE] = at, float(shape)
                store(hits, number, HIT_POINT, add(origin, load(narrow[7], 0, OTHER_NEAREST)))
                store(hits, number, HIT_NORMAL, load(narrow[7], 0, TO_NEAREST))
    return 0


@kernel("overlap-shapes")
def overlap_shapes(
    scene: Scene,
    narrow: tuple[Array, ...],
    calls: Integers,
    terrain: Terrain,
    tree: Tree,
    core: Array,
    casts: Array,
    pairs: Integers,
) -> int:
    """Find the shapes that a core overlaps or touches at several places; the arguments are those of `cast_shapes`.

    Returns:
        How many there are; the first that fit are in `pairs`, each the number of the place and the shape.
    """
    shapes, count, half, nowhere = scene[1], 0, reach_of(core), (0.0, 0.0, 0.0)
    for number in range(casts.shape[0]):
        origin = load(casts, number, FROM)
        middle, state = add(origin, _turn_core(narrow[0], core, casts, number)), _begin(tree)
        while True:
            shape, _start, state = _next_shape(tree, half, middle, nowhere, 0.0, state)
            if shape < 0:
                break
            if int(shapes[TYPE, shape]) >= MESH:
                is_met = call(calls[PART_AT], (scene, narrow, calls, terrain, shape, origin, 0.0)) == 1
            else:
                place_shape(scene, narrow[0], 1, shape, origin)
                is_met = part_placed(narrow, calls, 0) <= 0.0
            if is_met:
                if count < pairs.shape[0]:
                    pairs[count, 0], pairs[count, 1] = number, shape
                count += 1
    return count


@kernel("measure-shapes")
def measure_shapes(
    scene: Scene, narrow: tuple[Array, ...], calls: Integers, terrain: Terrain, pairs: Integers, measured: Array
) -> int:
    """Find the gaps of pairs of shapes, the nearest points on both, and the normal from the second to the first.

    Args:
        scene: The bodies, the table of shapes, and where the points of shapes are.
        narrow: The arguments of `part_cores`.
        calls: The addresses of kernels.
        terrain: The terrains, and scratch; see `terrain_questions`.
        pairs: The pairs.
        measured: The results, one row for each pair: the gap, both points and the normal. The gap of a shape that is in front of no
            triangle of a terrain is infinite, and the rest is nan.
    """
    bodies, shapes, _forms = scene
    for number in range(pairs.shape[0]):
        first, second = pairs[number, 0], pairs[number, 1]
        base = pose_of(bodies, shapes, first)[0]
        place_shape(scene, narrow[0], 0, first, base)
        if int(shapes[TYPE, second]) >= MESH:
            if call(calls[PART_AT], (scene, narrow, calls, terrain, second, base, FARTHEST)) == 0:
                measured[number, 0], measured[number, 1:] = inf, nan
                continue
            measured[number, 0] = narrow[7][0, APART]
        else:
            place_shape(scene, narrow[0], 1, second, base)
            measured[number, 0] = part_placed(narrow, calls, 0)
        store(measured, number, 1, add(base, load(narrow[7], 0, NEAREST)))
        store(measured, number, 4, add(base, load(narrow[7], 0, OTHER_NEAREST)))
        store(measured, number, 7, load(narrow[7], 0, TO_NEAREST))
    return 0


@kernel("bound-shapes")
def bound_shapes(bodies: Array, shapes: Array, bounds: Array, owners: Integers, count: int) -> int:
    """Find the boxes of shapes at the poses of the bodies."""
    for shape in range(count):
        bound_shape(bodies, shapes, bounds, owners, shape, 0.0)
    return 0
