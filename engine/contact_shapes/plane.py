"""Planes of the world."""

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, direction, real
from ..collision import layout
from ..constraints.points import across
from ..kernels.rotations import from_columns
from ..rotation import rotate
from .shape import Shape


class Plane(Shape):
    """A half space below a plane, for the world alone.

    Args:
        normal: Unit normal out of the half space, shape (3,).
        offset: Distance of the plane from the origin along the normal [m].

    Example:
        >>> from engine.contact_shapes import Plane
        >>> Plane((0.0, 0.0, 1.0))
        Plane((0, 0, 1), 0)
    """

    __slots__ = ("normal", "offset")

    _type = layout.PLANE
    _is_for_bodies = False

    def __init__(self, normal: npt.ArrayLike = (0.0, 0.0, 1.0), offset: float = 0.0) -> None:
        x, y, z = direction(normal, "normal", "Plane").tolist()
        self.normal = x, y, z
        self.offset = real(offset, "offset", "Plane")

    def _sizes(self) -> tuple[float, float, float]:
        return 0.0, 0.0, 0.0

    def _placed(self, position: FloatArray, orientation: FloatArray) -> tuple[FloatArray, FloatArray]:
        normal = rotate(orientation, np.array(self.normal))
        x, y, z = normal.tolist()
        third = (x, y, z)
        first, second = across(third)
        turn = from_columns(first, second, third, 1.0)
        return position + self.offset * normal, np.array(turn)

    def __repr__(self) -> str:
        return "Plane(({:g}, {:g}, {:g}), {:g})".format(*self.normal, self.offset)
