"""The convex hull of points: its corners, and its faces as polygons."""

from typing import NamedTuple

import numpy as np

from ..loops.arrays import crossed
from ..loops.columns import Array, Integers

FLAT = 1e-9
"""Share of its size by which a corner may be off the plane of a face, or a point outside the hull."""


class Hull(NamedTuple):
    """A convex polyhedron.

    Attributes:
        corners: Its corners, shape (n, 3).
        normals: Outward unit normals of its faces, shape (m, 3).
        offsets: Distances of the planes of its faces from the origin, shape (m,).
        loops: The corners of each face, anticlockwise from outside.
    """

    corners: Array
    normals: Array
    offsets: Array
    loops: list[list[int]]

    def columns(self) -> Array:
        """The columns of the array of points from which the kernels read a hull, shape (4, k)."""
        corners = np.zeros((4, len(self.corners)))
        corners[:3] = self.corners.T
        faces = np.vstack([self.normals.T, self.offsets])
        ranges, around = np.zeros((4, len(self.loops))), np.zeros((4, sum(map(len, self.loops))))
        counts = [len(loop) for loop in self.loops]
        ranges[1] = counts
        ranges[0, 1:] = np.cumsum(counts)[:-1]
        around[0] = [corner for loop in self.loops for corner in loop]
        return np.hstack([corners, faces, ranges, around])


def components_along(points: Array, direction: Array) -> Array:
    """The components of points along a direction, without the linear algebra of numpy, whose rounding depends on the processor."""
    components: Array = points[..., 0] * direction[0] + points[..., 1] * direction[1] + points[..., 2] * direction[2]
    return components


def hull_of(points: Array) -> Hull | None:
    """The convex hull of finite points of shape (n, 3), found by adding the farthest ones first; None if they are in a plane."""
    size = float(_length(points - points.mean(axis=0)).max())
    triangles = _triangulated(points, FLAT * 0.1 * size)
    if triangles is None:
        return None
    planes = [_plane(points[triangle]) for triangle in triangles]
    loops, normals, offsets = [], [], []
    free = set(range(len(triangles)))
    areas = [_area(points[triangle]) for triangle in triangles]
    for seed in sorted(range(len(triangles)), key=lambda number: -areas[number]):
        if seed not in free:
            continue
        normal, offset = planes[seed]
        is_in = np.abs(components_along(points[triangles], normal) - offset).max(axis=1) <= FLAT * size
        faces_out = components_along(np.array([plane[0] for plane in planes]), normal) > 0.0
        group = [number for number in free if number == seed or (is_in[number] and faces_out[number])]
        free -= set(group)
        loops.append(_loop([triangles[number] for number in group]))
        normals.append(normal)
        offsets.append(max(components_along(points[loops[-1]], normal)))
    used = sorted({corner for loop in loops for corner in loop})
    place = {corner: number for number, corner in enumerate(used)}
    return Hull(
        points[used].copy(),
        np.array(normals),
        np.array(offsets),
        [[place[corner] for corner in loop] for loop in loops],
    )


def _length(vectors: Array) -> Array:
    lengths: Array = np.sqrt(vectors[..., 0] ** 2 + vectors[..., 1] ** 2 + vectors[..., 2] ** 2)
    return lengths


def _plane(corners: Array) -> tuple[Array, float]:
    normal = crossed(corners[1] - corners[0], corners[2] - corners[0])
    normal = normal / _length(normal)
    return normal, float(np.mean(components_along(corners, normal)))


def _area(corners: Array) -> float:
    return float(_length(crossed(corners[1] - corners[0], corners[2] - corners[0])))


def _first_four(points: Array, flat: float) -> list[int] | None:
    """Four points that are far apart, with a positive volume; None if all are in a plane."""
    first = int(np.argmin(points[:, 0]))
    second = int(np.argmax(_length(points - points[first])))
    along = points[second] - points[first]
    length = _length(along)
    if length <= flat:
        return None
    off = _length(crossed(points - points[first], along / length))
    third = int(np.argmax(off))
    if off[third] <= flat:
        return None
    normal = crossed(along, points[third] - points[first])
    above = components_along(points - points[first], normal / _length(normal))
    fourth = int(np.argmax(np.abs(above)))
    if abs(above[fourth]) <= flat:
        return None
    return [first, second, third, fourth] if above[fourth] > 0.0 else [first, third, second, fourth]


def _triangulated(points: Array, flat: float) -> Integers | None:
    """The triangles of a hull, anticlockwise from outside."""
    start = _first_four(points, flat)
    if start is None:
        return None
    a, b, c, d = start
    triangles = [(a, c, b), (a, b, d), (b, c, d), (c, a, d)]
    planes = [_plane(points[list(triangle)]) for triangle in triangles]
    left = [number for number in range(len(points)) if number not in start]
    while left:
        normals, offsets = np.array([plane[0] for plane in planes]), np.array([plane[1] for plane in planes])
        above = components_along(points[left][:, np.newaxis], normals.T[:, np.newaxis]) - offsets
        place = int(np.argmax(above.max(axis=1)))
        if above[place].max() <= flat:
            break
        added, seen = left.pop(place), np.flatnonzero(above[place] > flat)
        edges = {edge for number in seen for edge in _edges(triangles[number])}
        hidden = [number for number in range(len(triangles)) if number not in set(seen.tolist())]
        triangles, planes = [triangles[number] for number in hidden], [planes[number] for number in hidden]
        for i, j in sorted(edges):
            if (j, i) not in edges:
                triangles.append((i, j, added))
                planes.append(_plane(points[[i, j, added]]))
    return np.array(triangles, np.int64)


def _edges(triangle: tuple[int, int, int]) -> list[tuple[int, int]]:
    a, b, c = triangle
    return [(a, b), (b, c), (c, a)]


def _loop(triangles: list[Integers]) -> list[int]:
    """The border of triangles that make a convex polygon."""
    edges = {edge for triangle in triangles for edge in _edges(tuple(triangle.tolist()))}
    after = {i: j for i, j in edges if (j, i) not in edges}
    start = min(after)
    loop, here = [start], after[start]
    while here != start:
        loop.append(here)
        here = after[here]
    return loop
