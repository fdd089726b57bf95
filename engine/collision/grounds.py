"""Triangle meshes and height fields in the form that kernels read: corners, edges that stand out, and trees of boxes."""

from functools import cache
from typing import NamedTuple

import numpy as np

from ..loops.columns import Array, Integers
from .tree import ITEMS_OF_A_LEAF, NODE_COUNT, NODE_HIGH, NODE_LOW, NODE_NEXT, NODE_SIZE

# columns of `heights`: of each corner of a field the height; of the cell that begins there the bits of its two triangles, six each, and
# between which heights it is
HEIGHT, STANDING_OUT, LOWEST, HIGHEST = range(4)
HEIGHT_SIZE = 4
# columns of `triangles`
EDGES = 3
"""After the three corners of a triangle: which of its edges stand out, as three bits, and which of these are on a border, as three more.
The edge of a number begins at the corner of the number. An edge between two triangles is one of the first of them alone."""
TRIANGLE_SIZE = 4

_FLAT = 1e-9
"""Share of its size by which the corner beyond an edge must be below the plane of a triangle for the edge to stand out."""
_THIN = 1e-9
"""Height of a triangle over its longest edge, up to which it has no area."""


class Ground(NamedTuple):
    """A surface of triangles.

    Attributes:
        corners: Corners of a mesh, shape (n, 3).
        triangles: Triangles of a mesh in the order of the leaves of its tree, shape (m, `TRIANGLE_SIZE`).
        nodes: The tree of the triangles, shape (k, `NODE_SIZE`).
        heights: The corners of a field, row by row, shape (rows times columns, `HEIGHT_SIZE`).
        shape: Rows and columns of a field; zeros for a mesh.
    """

    corners: Array
    triangles: Integers
    nodes: Array
    heights: Array
    shape: tuple[int, int]


def nothing() -> Ground:
    """The ground of a shape that is none."""
    none = np.zeros((0, TRIANGLE_SIZE), np.int64)
    return Ground(np.zeros((0, 3)), none, np.zeros((0, NODE_SIZE)), np.zeros((0, HEIGHT_SIZE)), (0, 0))


def ground_of_field(heights: Array, spacing: tuple[float, float]) -> Ground:
    """The ground of heights over a grid; each cell is halved from its first to its last corner."""
    rows, columns = heights.shape
    padded = np.pad(heights, 2, constant_values=np.nan)
    flat = _FLAT * min(spacing) + 1e-14 * float(np.abs(heights).max())

    def at(i: int, j: int) -> Array:
        """The height so many rows and columns after the first corner of each cell; nan outside of the field."""
        return padded[2 + i : 1 + i + rows, 2 + j : 1 + j + columns]

    a, b, c, d = at(0, 0), at(1, 0), at(1, 1), at(0, 1)
    # an edge within belongs to the first triangle of a cell, which has one on each side
    along, across = b - a, c - b
    beyond = [(at(0, -1), a - across), (at(2, 1), a + 2.0 * along + across), (d, a + across)]
    table = np.zeros((rows, columns, HEIGHT_SIZE))
    cells = table[:-1, :-1]
    for side, (height, plane) in enumerate(beyond):
        cells[:, :, STANDING_OUT] += (1 << side) * (height < plane - flat)
    for border, edge in ((cells[:, 0], 0), (cells[-1], 1), (cells[:, -1], 7), (cells[0], 8)):
        border[:, STANDING_OUT] += (1 << edge) + (1 << (edge + 3))
    table[:, :, HEIGHT] = heights
    corners = np.stack([a, b, c, d])
    cells[:, :, LOWEST], cells[:, :, HIGHEST] = corners.min(axis=0), corners.max(axis=0)
    return nothing()._replace(heights=table.reshape(-1, HEIGHT_SIZE), shape=(rows, columns))


def ground_of_mesh(corners: Array, faces: Integers) -> Ground:
    """The ground of triangles, each of which has an area."""
    order, nodes = _tree(corners[faces])
    faces = faces[order]
    triangles = np.column_stack([faces, _standing_out(corners, faces)])
    return nothing()._replace(corners=corners.copy(), triangles=triangles, nodes=nodes)


def first_without_area(corners: Array, faces: Integers) -> int | None:
    """The number of the first triangle that is a line or a point; None if there is none."""
    a, b, c = (corners[faces[:, place]] for place in range(3))
    sides = np.stack([b - a, c - b, a - c])
    longest = np.square(sides).sum(axis=2).max(axis=0)
    thin = np.linalg.norm(np.cross(b - a, c - a), axis=1) <= _THIN * longest
    return int(np.argmax(thin)) if thin.any() else None


def _standing_out(corners: Array, faces: Integers) -> Integers:
    """Which edges of triangles are on a border, or are higher than the triangles beside them, as bits; see `EDGES`."""
    _distinct, welded = np.unique(corners, axis=0, return_inverse=True)
    own = welded.reshape(-1)[faces]
    count = len(faces)
    starts, ends = own.T.reshape(-1), np.roll(own, -1, axis=1).T.reshape(-1)
    beyond = np.roll(faces, -2, axis=1).T.reshape(-1)
    low, high = np.minimum(starts, ends), np.maximum(starts, ends)
    order = np.lexsort((high, low))
    is_new = np.r_[True, (np.diff(low[order]) != 0) | (np.diff(high[order]) != 0)]
    group = np.cumsum(is_new) - 1
    sizes, first = np.bincount(group), np.flatnonzero(is_new)
    # an edge of two triangles that go around it in opposite directions
    pairs = first[sizes == 2]
    one, two = order[pairs], order[pairs + 1]
    is_shared = starts[one] == ends[two]
    one, two = one[is_shared], two[is_shared]
    bits = np.full(3 * count, 9)
    triangle = faces[one % count]
    a, b, c = (corners[triangle[:, place]] for place in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=1)[:, np.newaxis]
    away = corners[beyond[two]] - a
    size = np.linalg.norm(away, axis=1) + np.linalg.norm(b - a, axis=1)
    bits[one], bits[two] = (away * normal).sum(axis=1) < -_FLAT * size, 0
    return np.asarray(bits.reshape(3, count).T @ (1, 2, 4))


def _tree(triangles: Array) -> tuple[Integers, Array]:
    """The order of triangles and the nodes of a tree that halves them at the middle of their longest extent, level by level."""
    low, high = triangles.min(axis=1), triangles.max(axis=1)
    middle, order = 0.5 * (low + high), np.arange(len(triangles))
    nodes = np.zeros((_size(len(triangles)), NODE_SIZE))
    starts, counts, numbers = np.array([0]), np.array([len(triangles)]), np.array([0])
    while len(starts):
        where = np.repeat(np.arange(len(starts)), counts)
        place = np.repeat(starts - np.r_[0, np.cumsum(counts)[:-1]], counts) + np.arange(int(counts.sum()))
        items, cuts = order[place], np.r_[0, np.cumsum(counts)[:-1]]
        nodes[numbers, NODE_LOW : NODE_LOW + 3] = np.minimum.reduceat(low[items], cuts)
        nodes[numbers, NODE_HIGH : NODE_HIGH + 3] = np.maximum.reduceat(high[items], cuts)
        is_leaf = counts <= ITEMS_OF_A_LEAF
        nodes[numbers[is_leaf], NODE_NEXT] = starts[is_leaf]
        nodes[numbers[is_leaf], NODE_COUNT] = counts[is_leaf]
        extent = np.maximum.reduceat(middle[items], cuts) - np.minimum.reduceat(middle[items], cuts)
        along = middle[items, np.argmax(extent, axis=1)[where]]
        order[place] = items[np.lexsort((items, along, where))]
        starts, counts, numbers = starts[~is_leaf], counts[~is_leaf], numbers[~is_leaf]
        left = counts // 2
        right = numbers + 1 + np.array([_size(int(count)) for count in left], np.int64)
        nodes[numbers, NODE_NEXT] = right
        starts, counts, numbers = (
            np.column_stack(both).reshape(-1)
            for both in ((starts, starts + left), (left, counts - left), (numbers + 1, right))
        )
    return order, nodes


@cache
def _size(count: int) -> int:
    """The number of nodes of a tree of so many items."""
    return 1 if count <= ITEMS_OF_A_LEAF else 1 + _size(count // 2) + _size(count - count // 2)
