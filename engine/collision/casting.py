"""Shapes that are moved along lines until they meet others, shapes that overlap a given one, and the nearest points of two shapes.

A cast advances by the gap over the speed at which it closes, which never passes the first contact of convex shapes (conservative
advancement: Mirtich, 1996). A ray is a cast of a point.
"""

from math import sqrt

from ..compilation.compiler import inlined, kernel
from ..constraints.joint_types import load, store
from ..kernels.quaternions import rotate
from ..kernels.vectors import Vector, add, add_scaled, dot, subtract
from ..loops.columns import Array, Integers
from .cores import CORE_AXES, CORE_CENTER, CORE_RADIUS, CORE_SIZE, PLACED_SIZE
from .detection import bound_shape
from .layout import HIGH, LOW
from .pairs import part_placed, place_shape
from .parting import NEAREST, OTHER_NEAREST, TO_NEAREST
from .poses import pose_of
from .tree import NODE_COUNT, NODE_NEXT, enters, enters_node, overlaps_node

# columns of a cast: where it begins, its orientation, its direction, and how far it goes; an overlap has the first two
FROM, TURN, TOWARD, MOST = 0, 3, 7, 10
# columns of a hit: the distance, the row of the shape (-1 for none), the point on it, and its normal there
DISTANCE, HIT_SHAPE, HIT_POINT, HIT_NORMAL = 0, 1, 2, 5
HIT_SIZE = 8
MEASURED_SIZE = 10
"""Columns of what is measured: the gap, the nearest points on both shapes, and the normal from the second to the first."""
CALLS_AT = 4
"""The place of the address of `part_cores` among the arguments of each of these kernels that calls it."""

_MOST_STEPS = 100
_MET = 1e-11
"""Share of the way and the size of a cast within which shapes have met."""
_NEARLY_MET = 1e-7


@inlined
def _advance(
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
def _reach(core: Array) -> Vector:
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


@kernel("cast-shapes")
def cast_shapes(
    bodies: Array,
    shapes: Array,
    forms: Integers,
    narrow: tuple[Array, ...],
    calls: Integers,
    bounds: Array,
    nodes: Array,
    node_count: int,
    order: Integers,
    stack: Integers,
    seen: Integers,
    endless: Integers,
    core: Array,
    casts: Array,
    hits: Array,
) -> int:
    """Move a core from several places along lines, and find the first shape that it meets on each.

    Args:
        bodies: The bodies.
        shapes: The table of shapes.
        forms: Where the points of shapes are.
        narrow: The arguments of `part_cores`.
        calls: The address of `part_cores`.
        bounds: The boxes of the shapes at the poses of the bodies.
        nodes: The tree of these boxes.
        node_count: The number of its nodes.
        order: The shapes in the order of its leaves.
        stack: Scratch, `MOST_STACKED` numbers.
        seen: Whether each shape may be met.
        endless: The shapes without bounds.
        core: The core that is cast, in the axes of its shape.
        casts: The casts, one row each.
        hits: The results; what is not nearer than the distance that is there is no result. Of shapes at one distance, that in the first
            row counts.
    """
    half = _reach(core)
    for number in range(casts.shape[0]):
        origin, toward = load(casts, number, FROM), load(casts, number, TOWARD)
        most = min(float(casts[number, MOST]), float(hits[number, DISTANCE]))
        center = _turn_core(narrow[0], core, casts, number)
        middle = add(origin, center)
        stack[0], waiting, place = 0, min(node_count, 1), 0
        while waiting > 0 or place < endless.shape[0]:
            is_endless = place < endless.shape[0]
            if is_endless:
                first, last = place, place + 1
                place += 1
            else:
                waiting -= 1
                node = stack[waiting]
                if enters_node(nodes, node, half, middle, toward, most) < 0.0:
                    continue
                first, last = int(nodes[node, NODE_NEXT]), int(nodes[node, NODE_COUNT])
                if last == 0:
                    # the nearer part is looked at first
                    one = enters_node(nodes, node + 1, half, middle, toward, most)
                    two = enters_node(nodes, first, half, middle, toward, most)
                    is_left_first = one >= 0.0 and (two < 0.0 or one <= two)
                    stack[waiting] = first if is_left_first else node + 1
                    stack[waiting + 1] = node + 1 if is_left_first else first
                    waiting += 2
                    continue
                last += first
            for item in range(first, last):
                shape = endless[item] if is_endless else order[item]
                start, size = 0.0, 1.0
                if not is_endless:
                    low, high = load(bounds, shape, LOW), load(bounds, shape, HIGH)
                    start = enters(low, high, half, middle, toward, most)
                    size = (high[0] - low[0]) + (high[1] - low[1]) + (high[2] - low[2])
                if seen[shape] == 0 or start < 0.0:
                    continue
                place_shape(bodies, shapes, forms, narrow[0], 1, shape, origin)
                at = _advance(narrow, calls, center, toward, start, most, size)
                before, known = float(hits[number, DISTANCE]), float(hits[number, HIT_SHAPE])
                if at >= 0.0 and (at < before or (at == before and float(shape) < known)):
                    most = at
                    hits[number, DISTANCE], hits[number, HIT_SHAPE] = at, float(shape)
                    store(hits, number, HIT_POINT, add(origin, load(narrow[7], 0, OTHER_NEAREST)))
                    store(hits, number, HIT_NORMAL, load(narrow[7], 0, TO_NEAREST))
    return 0


@kernel("overlap-shapes")
def overlap_shapes(
    bodies: Array,
    shapes: Array,
    forms: Integers,
    narrow: tuple[Array, ...],
    calls: Integers,
    bounds: Array,
    nodes: Array,
    node_count: int,
    order: Integers,
    stack: Integers,
    seen: Integers,
    endless: Integers,
    core: Array,
    casts: Array,
    pairs: Integers,
) -> int:
    """Find the shapes that a core overlaps or touches at several places; the arguments are those of `cast_shapes`.

    Returns:
        How many there are; the first that fit are in `pairs`, each the number of the place and the shape.
    """
    count, half = 0, _reach(core)
    for number in range(casts.shape[0]):
        origin = load(casts, number, FROM)
        middle = add(origin, _turn_core(narrow[0], core, casts, number))
        low, high = subtract(middle, half), add(middle, half)
        stack[0], waiting, place = 0, min(node_count, 1), 0
        while waiting > 0 or place < endless.shape[0]:
            is_endless = place < endless.shape[0]
            if is_endless:
                first, last = place, place + 1
                place += 1
            else:
                waiting -= 1
                node = stack[waiting]
                if not overlaps_node(nodes, node, low, high):
                    continue
                first, last = int(nodes[node, NODE_NEXT]), int(nodes[node, NODE_COUNT])
                if last == 0:
                    stack[waiting], stack[waiting + 1] = first, node + 1
                    waiting += 2
                    continue
                last += first
            for item in range(first, last):
                shape = endless[item] if is_endless else order[item]
                if seen[shape] != 0:
                    place_shape(bodies, shapes, forms, narrow[0], 1, shape, origin)
                    if part_placed(narrow, calls, 0) <= 0.0:
                        if count < pairs.shape[0]:
                            pairs[count, 0], pairs[count, 1] = number, shape
                        count += 1
    return count


@kernel("measure-shapes")
def measure_shapes(
    bodies: Array,
    shapes: Array,
    forms: Integers,
    narrow: tuple[Array, ...],
    calls: Integers,
    pairs: Integers,
    measured: Array,
) -> int:
    """Find the gaps of pairs of shapes, the nearest points on both, and the normal from the second to the first.

    Args:
        bodies: The bodies.
        shapes: The table of shapes.
        forms: Where the points of shapes are.
        narrow: The arguments of `part_cores`.
        calls: The address of `part_cores`.
        pairs: The pairs.
        measured: The results, one row for each pair: the gap, both points and the normal.
    """
    for number in range(pairs.shape[0]):
        base = pose_of(bodies, shapes, pairs[number, 0])[0]
        place_shape(bodies, shapes, forms, narrow[0], 0, pairs[number, 0], base)
        place_shape(bodies, shapes, forms, narrow[0], 1, pairs[number, 1], base)
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
