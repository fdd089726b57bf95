"""Trees of boxes: which of many boxes overlap a box, or are met by a line."""

from ..compilation.compiler import inlined, kernel
from ..constraints.joint_types import load
from ..kernels.vectors import Vector
from ..loops.columns import Array, Integers

# columns of a node; its left part follows it
NODE_LOW, NODE_HIGH, NODE_NEXT, NODE_COUNT = 0, 3, 6, 7
"""Its box; the number of its right part, or of its first item if it has no parts; and how many items it has then, else 0."""
NODE_SIZE = 8
MOST_STACKED = 128
"""Nodes that may wait while a tree is read."""
ITEMS_OF_A_LEAF = 2

_DEEP = 40
"""Depth from which items are halved by their number, so that the depth is bounded."""


@inlined
def _bound(boxes: Array, order: Integers, nodes: Array, node: int, first: int, last: int) -> None:
    """Store the box around some items."""
    for axis in range(3):
        low, high = 1e300, -1e300
        for place in range(first, last):
            low = min(low, float(boxes[order[place], axis]))
            high = max(high, float(boxes[order[place], 3 + axis]))
        nodes[node, NODE_LOW + axis], nodes[node, NODE_HIGH + axis] = low, high


@inlined
def _split(boxes: Array, order: Integers, first: int, last: int, deep: bool) -> int:
    """Order items so that those of the left part come first; where the right part begins."""
    half = (first + last) // 2
    if deep:
        return half
    axis, widest, middle = 0, -1.0, 0.0
    for each in range(3):
        low, high = 1e300, -1e300
        for place in range(first, last):
            center = 0.5 * (float(boxes[order[place], each]) + float(boxes[order[place], 3 + each]))
            low, high = min(low, center), max(high, center)
        if high - low > widest:
            axis, widest, middle = each, high - low, 0.5 * (low + high)
    left = first
    for place in range(first, last):
        item = order[place]
        if 0.5 * (float(boxes[item, axis]) + float(boxes[item, 3 + axis])) < middle:
            order[place], order[left] = order[left], item
            left += 1
    return half if left == first or left == last else left


@kernel("grow-tree")
def grow_tree(boxes: Array, order: Integers, nodes: Array, stack: Integers, count: int) -> int:
    """Make a tree of boxes.

    Args:
        boxes: The boxes, one row per item: the three lower and the three upper coordinates.
        order: The items in the order of the leaves.
        nodes: The nodes, at least twice as many as items.
        stack: Scratch, shape (`MOST_STACKED`, 4).
        count: The number of items.

    Returns:
        The number of nodes.
    """
    for item in range(count):
        order[item] = item
    if count == 0:
        return 0
    used, waiting = 0, 1
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, count, -1, 0
    while waiting > 0:
        waiting -= 1
        first, last, parent, depth = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2], stack[waiting, 3]
        node = used
        used += 1
        if parent >= 0:
            nodes[parent, NODE_NEXT] = float(node)
        _bound(boxes, order, nodes, node, first, last)
        if last - first <= ITEMS_OF_A_LEAF:
            nodes[node, NODE_NEXT], nodes[node, NODE_COUNT] = float(first), float(last - first)
            continue
        nodes[node, NODE_COUNT] = 0.0
        middle = _split(boxes, order, first, last, depth >= _DEEP)
        # the left part is taken next, and so follows its node
        stack[waiting, 0], stack[waiting, 1], stack[waiting, 2], stack[waiting, 3] = middle, last, node, depth + 1
        stack[waiting + 1, 0], stack[waiting + 1, 1], stack[waiting + 1, 2] = first, middle, -1
        stack[waiting + 1, 3] = depth + 1
        waiting += 2
    return used


@inlined
def overlaps_node(nodes: Array, node: int, low: Vector, high: Vector) -> bool:
    """Whether the box of a node overlaps a box."""
    return bool(
        nodes[node, 0] <= high[0]
        and nodes[node, 1] <= high[1]
        and nodes[node, 2] <= high[2]
        and nodes[node, 3] >= low[0]
        and nodes[node, 4] >= low[1]
        and nodes[node, 5] >= low[2]
    )


@inlined
def crosses(
    box_low: Vector, box_high: Vector, half: Vector, origin: Vector, direction: Vector, most: float
) -> tuple[float, float]:
    """Between which distances, up to `most`, a box with these half extents meets a box as it moves; the first is larger for never."""
    first, last = 0.0, most
    for axis in range(3):
        low = box_low[axis] - half[axis] - origin[axis]
        high = box_high[axis] + half[axis] - origin[axis]
        along = direction[axis]
        if along == 0.0:
            if low > 0.0 or high < 0.0:
                return 1.0, -1.0
        else:
            one, two = low / along, high / along
            first, last = max(first, min(one, two)), min(last, max(one, two))
    return first, last


@inlined
def enters(box_low: Vector, box_high: Vector, half: Vector, origin: Vector, direction: Vector, most: float) -> float:
    """The distance after which a box with these half extents, moved from an origin, meets a box; -1 if it does not within `most`."""
    first, last = crosses(box_low, box_high, half, origin, direction, most)
    return first if first <= last else -1.0


@inlined
def enters_node(nodes: Array, node: int, half: Vector, origin: Vector, direction: Vector, most: float) -> float:
    """The same for the box of a node."""
    return enters(load(nodes, node, NODE_LOW), load(nodes, node, NODE_HIGH), half, origin, direction, most)


@inlined
def wait_for_parts(
    nodes: Array,
    node: int,
    first: int,
    half: Vector,
    origin: Vector,
    direction: Vector,
    most: float,
    stack: Integers,
    waiting: int,
) -> int:
    """Let both parts of a node wait, the one that is met first on top; how many nodes wait then.

    Args:
        nodes: The nodes.
        node: The node.
        first: The root of its tree, from which parts are counted.
        half: Half extents of the box that moves.
        origin: Where it begins.
        direction: Where it goes.
        most: How far it goes.
        stack: The nodes that wait, as numbers from the root.
        waiting: How many there are.
    """
    left, right = node + 1, first + int(nodes[node, NODE_NEXT])
    one = enters_node(nodes, left, half, origin, direction, most)
    two = enters_node(nodes, right, half, origin, direction, most)
    is_left_first = one >= 0.0 and (two < 0.0 or one <= two)
    stack[waiting] = (right if is_left_first else left) - first
    stack[waiting + 1] = (left if is_left_first else right) - first
    return waiting + 2
