"""The triangles of a terrain: their corners and edges, and those near a box."""

from math import floor

from ..compilation.compiler import inlined
from ..constraints.joint_types import Axes, load
from ..kernels.vectors import Vector, add_scaled, dot, scale, subtract
from ..loops.columns import Array, Integers, load_vector
from .grounds import EDGES, HEIGHT, HIGHEST, LOWEST, STANDING_OUT
from .layout import (
    FIELD,
    FIRST_CORNER,
    FIRST_HEIGHT,
    FIRST_NODE,
    FIRST_TRIANGLE,
    GROUND_COLUMNS,
    GROUND_ROWS,
    SIZES,
    TYPE,
)
from .tree import ITEMS_OF_A_LEAF, NODE_COUNT, NODE_NEXT, overlaps_node

Triangle = tuple[Vector, Vector, Vector]
"""Its corners."""


@inlined
def into(axes: Axes, v: Vector) -> Vector:
    """The components of a vector along some axes."""
    return dot(axes[0], v), dot(axes[1], v), dot(axes[2], v)


@inlined
def out_of(axes: Axes, v: Vector) -> Vector:
    """The vector that has these components along some axes."""
    return add_scaled(add_scaled(scale(v[0], axes[0]), v[1], axes[1]), v[2], axes[2])


@inlined
def _corner_of(
    shapes: Array, forms: Integers, grounds: tuple[Array, ...], terrain: int, triangle: int, number: int
) -> Vector:
    """A corner of a triangle, in the axes of the terrain."""
    if int(shapes[TYPE, terrain]) != FIELD:
        of_corner = grounds[1][forms[terrain, FIRST_TRIANGLE] + triangle, number]
        return load(grounds[0], forms[terrain, FIRST_CORNER] + int(of_corner), 0)
    columns, cell, half = forms[terrain, GROUND_COLUMNS], triangle // 2, triangle % 2
    i, j = cell // columns, cell % columns
    # from the first corner of the cell to its last one, over the second or the fourth
    if number == 2 - half:
        i, j = i + 1, j + 1
    elif number == 1:
        i += 1
    elif number == 2:
        j += 1
    x, y, _z = load_vector(shapes, SIZES, terrain)
    along, aside = steps_of(shapes, forms, terrain)
    height = float(grounds[3][forms[terrain, FIRST_HEIGHT] + i * columns + j, HEIGHT])
    return float(i) * along - x, float(j) * aside - y, height


@inlined
def corners_of(
    shapes: Array, forms: Integers, grounds: tuple[Array, ...], terrain: int, triangle: int, origin: Vector
) -> Triangle:
    """The corners of a triangle from an origin, all in the axes of the terrain."""
    return (
        subtract(_corner_of(shapes, forms, grounds, terrain, triangle, 0), origin),
        subtract(_corner_of(shapes, forms, grounds, terrain, triangle, 1), origin),
        subtract(_corner_of(shapes, forms, grounds, terrain, triangle, 2), origin),
    )


@inlined
def triangle_of(
    shapes: Array, forms: Integers, grounds: tuple[Array, ...], terrain: int, triangle: int, axes: Axes, origin: Vector
) -> Triangle:
    """The corners of a triangle in the world frame, from an origin that is given in the axes of the terrain."""
    # differences first, in the axes of the terrain, so that its size does not matter
    a, b, c = corners_of(shapes, forms, grounds, terrain, triangle, origin)
    return out_of(axes, a), out_of(axes, b), out_of(axes, c)


@inlined
def side_of(triangle: Triangle, side: int) -> tuple[Vector, Vector]:
    """The two corners of an edge of a triangle; see `grounds.EDGES`."""
    a, b, c = triangle
    return (a, b) if side == 0 else (b, c) if side == 1 else (c, a)


@inlined
def steps_of(shapes: Array, forms: Integers, terrain: int) -> tuple[float, float]:
    """The lengths of a cell of a field."""
    x, y, _z = load_vector(shapes, SIZES, terrain)
    return 2.0 * x / float(forms[terrain, GROUND_ROWS] - 1), 2.0 * y / float(forms[terrain, GROUND_COLUMNS] - 1)


@inlined
def edges_of(shapes: Array, forms: Integers, grounds: tuple[Array, ...], terrain: int, triangle: int) -> int:
    """Which edges of a triangle stand out, as three bits, and which of these are on a border, as three more."""
    if int(shapes[TYPE, terrain]) != FIELD:
        return int(grounds[1][forms[terrain, FIRST_TRIANGLE] + triangle, EDGES])
    bits = int(grounds[3][forms[terrain, FIRST_HEIGHT] + triangle // 2, STANDING_OUT])
    return (bits >> (6 * (triangle % 2))) & 63


@inlined
def grid_place(value: float, most: int) -> int:
    """The number of the cell that contains a place, given in cells, among those from 0 to `most`."""
    return int(min(max(floor(value), 0), most))


@inlined
def list_near(
    shapes: Array,
    forms: Integers,
    grounds: tuple[Array, ...],
    listed: Integers,
    stack: Integers,
    terrain: int,
    low: Vector,
    high: Vector,
    state: int,
) -> tuple[int, int]:
    """List triangles of a terrain whose cell or leaf overlaps a box, given in its axes.

    Args:
        shapes: The table of shapes.
        forms: Where the grounds of shapes are.
        grounds: The grounds.
        listed: The triangles.
        stack: Nodes of the tree that wait.
        terrain: The shape.
        low: The lower corner of the box.
        high: The upper corner.
        state: Where to go on; -1 at the start.

    Returns:
        How many triangles there are, and where to go on; -1 if there are no more.
    """
    count = 0
    if int(shapes[TYPE, terrain]) == FIELD:
        rows, columns, first = forms[terrain, GROUND_ROWS], forms[terrain, GROUND_COLUMNS], forms[terrain, FIRST_HEIGHT]
        x, y, _z = load_vector(shapes, SIZES, terrain)
        along, aside = steps_of(shapes, forms, terrain)
        if low[0] > x or high[0] < -x or low[1] > y or high[1] < -y:
            return 0, -1
        i, j = grid_place((low[0] + x) / along, rows - 2), grid_place((low[1] + y) / aside, columns - 2)
        wide = grid_place((high[1] + y) / aside, columns - 2) - j + 1
        total = (grid_place((high[0] + x) / along, rows - 2) - i + 1) * wide
        place = max(state, 0)
        while place < total and count + 2 <= listed.shape[0]:
            cell = (i + place // wide) * columns + j + place % wide
            if grounds[3][first + cell, LOWEST] <= high[2] and grounds[3][first + cell, HIGHEST] >= low[2]:
                listed[count], listed[count + 1] = 2 * cell, 2 * cell + 1
                count += 2
            place += 1
        return count, place if place < total else -1
    waiting = state
    if state < 0:
        stack[0], waiting = 0, 1
    first = forms[terrain, FIRST_NODE]
    while waiting > 0 and count + ITEMS_OF_A_LEAF <= listed.shape[0]:
        waiting -= 1
        node = stack[waiting]
        if overlaps_node(grounds[2], first + node, low, high):
            item, many = int(grounds[2][first + node, NODE_NEXT]), int(grounds[2][first + node, NODE_COUNT])
            if many == 0:
                stack[waiting], stack[waiting + 1] = item, node + 1
                waiting += 2
            for number in range(many):
                listed[count] = item + number
                count += 1
    return count, waiting if waiting > 0 else -1
