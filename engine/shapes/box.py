"""Boxes."""

import numpy as np
import numpy.typing as npt

from ..checks import refuse, vector
from ..collision import layout
from .shape import Shape
from .surfaces import Surface, box_surface


class Box(Shape):
    """A box about its origin, with edges along its axes.

    Args:
        size: Full lengths along x, y, z [m], each above 0, shape (3,).

    Raises:
        TypeError: If the argument is not of three numbers.
        ValueError: If a value is out of range.

    Example:
        >>> from engine import shapes
        >>> shapes.Box((1.0, 2.0, 3.0)).vertices.max(axis=0).tolist()
        [0.5, 1.0, 1.5]
    """

    size: tuple[float, float, float]
    """Full lengths along x, y, z [m]."""

    _arguments = ("size",)
    _type = layout.BOX

    def __init__(self, size: npt.ArrayLike) -> None:
        lengths = vector(size, "size", "shapes.Box")
        if not (lengths > 0.0).all():
            refuse("shapes.Box", "size", size, "three lengths above 0")
        super().__init__(size=tuple(lengths.tolist()))

    def _sizes(self) -> tuple[float, float, float]:
        x, y, z = self.size
        return 0.5 * x, 0.5 * y, 0.5 * z

    def _triangles(self) -> Surface:
        return box_surface(np.array(self.size))
