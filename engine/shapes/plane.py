"""Planes of the world."""

import numpy as np
import numpy.typing as npt

from ..checks import real, unit_direction
from ..collision import layout
from ..constraints.points import across
from ..kernels.rotations import from_columns
from .shape import Shape, Solid, moved
from .surfaces import Surface

_DRAWN = 100.0
"""Half the edge of the square as which a plane is drawn [m]."""


class Plane(Shape):
    """The half space below a plane, for the world alone; views draw a square of 200 m.

    Args:
        normal: Direction out of the half space, a non-zero vector of shape (3,).
        offset: Distance of the plane from the origin along the normal [m].

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the normal is zero or a value is not finite.

    Example:
        >>> from engine import shapes
        >>> shapes.Plane((0.0, 0.0, 2.0), 1.5)
        Plane((0, 0, 1), 1.5)
    """

    normal: tuple[float, float, float]
    """Unit normal out of the half space."""
    offset: float
    """Distance of the plane from the origin along the normal [m]."""

    _arguments = ("normal", "offset")
    _type = layout.PLANE
    _is_for_bodies = False

    def __init__(self, normal: npt.ArrayLike = (0.0, 0.0, 1.0), offset: float = 0.0) -> None:
        third = unit_direction(normal, "normal", "shapes.Plane")
        super().__init__(normal=tuple(third.tolist()), offset=real(offset, "offset", "shapes.Plane"))

    def _sizes(self) -> tuple[float, float, float]:
        return 0.0, 0.0, 0.0

    def _solids(self) -> tuple[Solid, ...]:
        first, second = across(self.normal)
        turn = np.array(from_columns(first, second, self.normal, 1.0))
        return (Solid(layout.PLANE, self._sizes(), self.offset * np.array(self.normal), turn),)

    def _triangles(self) -> Surface:
        (solid,) = self._solids()
        corners = _DRAWN * np.array([(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)])
        return moved((corners, np.array([(0, 1, 2), (0, 2, 3)])), solid.position, solid.orientation)
