"""Boxes."""

import numpy.typing as npt

from ..checks import refuse, vector
from ..collision import layout
from .shape import Shape


class Box(Shape):
    """A box about its origin, with edges along its axes.

    Args:
        size: Lengths of the edges [m], above zero, shape (3,), as in `MassProperties.box`.

    Example:
        >>> from engine.contact_shapes import Box
        >>> Box((1.0, 2.0, 0.5))
        Box((1, 2, 0.5))
    """

    __slots__ = ("size",)

    _type = layout.BOX

    def __init__(self, size: npt.ArrayLike) -> None:
        edges = vector(size, "size", "Box")
        if not (edges > 0.0).all():
            refuse("Box", "size", size, "above 0 in every element")
        x, y, z = edges.tolist()
        self.size = x, y, z

    def _sizes(self) -> tuple[float, float, float]:
        x, y, z = self.size
        return 0.5 * x, 0.5 * y, 0.5 * z

    def __repr__(self) -> str:
        return "Box(({:g}, {:g}, {:g}))".format(*self.size)
