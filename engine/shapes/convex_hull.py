"""Convex hulls of points."""

from __future__ import annotations  # help() then shows them as written

from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, array, refuse
from ..collision import layout
from ..collision.hulls import Hull, components_along, hull_of
from .points import Points, shared_points
from .shape import Shape, Solid
from .surfaces import Surface

MOST_POINTS = 256


class ConvexHull(Shape):
    """The smallest convex polyhedron around points.

    Args:
        points: From four to 256 points that are not all in a plane [m], in its own axes, shape (n, 3). Points within it are left out.

    Raises:
        TypeError: If `points` are not numbers.
        ValueError: If their shape or number is wrong, one is not finite, two are the same, or all are in a plane. Points are in a plane if
            their distances from it are below 1e-10 of their size.

    Example:
        >>> from engine import shapes
        >>> wedge = shapes.ConvexHull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.1, 0.1, 0.1)])
        >>> wedge, len(wedge.points)
        (<ConvexHull of 4 points>, 4)
    """

    points: FloatArray
    """Its corners [m], in its own axes, read-only, shape (n, 3)."""

    _arguments = ("points",)

    def __init__(self, points: npt.ArrayLike) -> None:
        owner = "shapes.ConvexHull"
        given = array(points, "points", owner, (None, 3))
        if not 4 <= len(given) <= MOST_POINTS:
            refuse(owner, "points", points, f"from 4 to {MOST_POINTS} points")
        if len(np.unique(given, axis=0)) < len(given):
            refuse(owner, "points", points, "points that all differ")
        hull = hull_of(given)
        if hull is None:
            refuse(owner, "points", points, "points that are not all in a plane")
        # made again from its own corners, a hull is the same to the last bit
        while (again := hull_of(hull.corners)) is not None and len(again.corners) < len(hull.corners):
            hull = again
        hull = hull if again is None else again
        hull.corners.flags.writeable = False
        super().__init__(points=hull.corners, _hull=hull)

    _hull: Hull

    @cached_property
    def _placed_points(self) -> tuple[FloatArray, Points]:
        """The middle of its extents, and its points from there."""
        middle = 0.5 * (self.points.min(axis=0) + self.points.max(axis=0))
        hull = self._hull
        own = hull._replace(
            corners=hull.corners - middle, offsets=hull.offsets - components_along(hull.normals, middle)
        )
        return middle, shared_points(own.columns(), len(hull.corners), len(hull.loops))

    def _sizes(self) -> tuple[float, float, float]:
        x, y, z = (0.5 * np.ptp(self.points, axis=0)).tolist()
        return x, y, z

    def _solids(self) -> tuple[Solid, ...]:
        middle, points = self._placed_points
        return (Solid(layout.HULL, self._sizes(), middle, points=points),)

    def _triangles(self) -> Surface:
        faces = [
            (loop[0], loop[number], loop[number + 1]) for loop in self._hull.loops for number in range(1, len(loop) - 1)
        ]
        return self.points.copy(), np.array(faces)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConvexHull) and np.array_equal(self.points, other.points)

    def __hash__(self) -> int:
        return hash(self.points.tobytes())

    def __repr__(self) -> str:
        return f"<ConvexHull of {len(self.points)} points>"
