"""Cylinders."""

from ..checks import real
from ..collision import layout
from .shape import Shape
from .surfaces import Surface, surface_of_revolution


class Cylinder(Shape):
    """A cylinder about its origin, along the z axis.

    Args:
        radius: Radius [m], above 0.
        height: Full length along z [m], above 0.

    Raises:
        TypeError: If an argument is not a number.
        ValueError: If a value is out of range.

    Example:
        >>> from engine import shapes
        >>> float(shapes.Cylinder(0.5, 3.0).vertices[:, 2].max())
        1.5
    """

    radius: float
    """Radius [m]."""
    height: float
    """Full length along z [m]."""

    _arguments = ("radius", "height")
    _type = layout.CYLINDER

    def __init__(self, radius: float, height: float) -> None:
        owner = "shapes.Cylinder"
        r, length = real(radius, "radius", owner, above=0.0), real(height, "height", owner, above=0.0)
        super().__init__(radius=r, height=length)

    def _sizes(self) -> tuple[float, float, float]:
        return self.radius, 0.0, 0.5 * self.height

    def _triangles(self) -> Surface:
        r, half = self.radius, 0.5 * self.height
        return surface_of_revolution([(0.0, -half), (r, -half), (r, half), (0.0, half)])
