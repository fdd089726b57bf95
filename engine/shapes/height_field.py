"""Height fields."""

from __future__ import annotations  # help() then shows them as written

from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, array, depth, real, refuse, vector
from ..collision import layout
from ..collision.grounds import ground_of_field
from .points import Points, shared_points
from .shape import Shape, Solid
from .surfaces import Surface


class HeightField(Shape):
    """Ground with heights over a grid, for the world alone; solid below its surface.

    The corners of the grid are in the x and y directions about the origin. Each cell is two triangles, which meet from the corner with the
    least x and y to that with the largest.

    Args:
        heights: Heights z at the corners [m], the first index along x and the second along y, shape (n, m), each at least 2.
        spacing: Distance of adjacent corners [m], above 0; a number, or those along x and y.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If there are too few heights, or a value is out of range.

    Example:
        >>> from engine import shapes
        >>> hill = shapes.HeightField([[0, 0, 0], [0, 1.5, 0], [0, 0, 0]], spacing=10.0)
        >>> hill, hill.vertices.max(axis=0).tolist()
        (<HeightField of 3 × 3 heights>, [10.0, 10.0, 1.5])
    """

    heights: FloatArray
    """Heights at the corners [m], read-only, shape (n, m)."""
    spacing: tuple[float, float]
    """Distances of adjacent corners along x and y [m]."""

    _arguments = ("heights", "spacing")
    _is_for_bodies = False

    def __init__(self, heights: npt.ArrayLike, spacing: float | npt.ArrayLike) -> None:
        owner = "shapes.HeightField"
        given = array(heights, "heights", owner, (None, None))
        if min(given.shape) < 2:
            refuse(owner, "heights", heights, "at least two rows and two columns")
        if depth(spacing) == 0:
            along = across = real(spacing, "spacing", owner, above=0.0)
        else:
            along, across = vector(spacing, "spacing", owner, 2).tolist()
            if not (along > 0.0 and across > 0.0):
                refuse(owner, "spacing", spacing, "above 0")
        given = given.copy()
        given.flags.writeable = False
        super().__init__(heights=given, spacing=(along, across))

    @cached_property
    def _placed_points(self) -> tuple[FloatArray, Points]:
        """The middle of its extents, and its ground from there."""
        middle = 0.5 * float(self.heights.min() + self.heights.max())
        ground = ground_of_field(self.heights - middle, self.spacing)
        return np.array((0.0, 0.0, middle)), shared_points(np.zeros((4, 0)), 0, 0, ground)

    def _sizes(self) -> tuple[float, float, float]:
        rows, columns = self.heights.shape
        along, across = self.spacing
        return 0.5 * along * (rows - 1), 0.5 * across * (columns - 1), 0.5 * float(np.ptp(self.heights))

    def _solids(self) -> tuple[Solid, ...]:
        middle, points = self._placed_points
        return (Solid(layout.FIELD, self._sizes(), middle, points=points),)

    def _triangles(self) -> Surface:
        (rows, columns), (x, y, _z) = self.heights.shape, self._sizes()
        along = np.arange(rows) * self.spacing[0] - x
        across = np.arange(columns) * self.spacing[1] - y
        corners = np.stack([*np.meshgrid(along, across, indexing="ij"), self.heights], axis=-1).reshape(-1, 3)
        first = (np.arange(rows - 1)[:, np.newaxis] * columns + np.arange(columns - 1)).reshape(-1)
        last = first + columns + 1
        faces = np.concatenate([(first, first + columns, last), (first, last, first + 1)], axis=1).T
        return corners, faces

    def _values(self) -> tuple[object, ...]:
        return self.heights, self.spacing

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HeightField):
            return False
        return self.spacing == other.spacing and np.array_equal(self.heights, other.heights)

    def __hash__(self) -> int:
        return hash((self.heights.tobytes(), self.spacing))

    def __repr__(self) -> str:
        rows, columns = self.heights.shape
        return f"<HeightField of {rows} × {columns} heights>"
