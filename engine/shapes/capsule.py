"""Capsules."""

from ..checks import real
from ..collision import layout
from .shape import Shape
from .surfaces import Surface, half_circles, surface_of_revolution


class Capsule(Shape):
    """A cylinder about its origin, along the z axis, with a hemisphere on each end.

    Args:
        radius: Radius of the cylinder and the hemispheres [m], above 0.
        height: Length of the cylindrical part along z [m], at least 0. The whole capsule is two radii longer.

    Raises:
        TypeError: If an argument is not a number.
        ValueError: If a value is out of range.

    Example:
        >>> from engine import shapes
        >>> float(shapes.Capsule(0.5, 2.0).vertices[:, 2].max())
        1.5
    """

    radius: float
    """Radius of the cylinder and the hemispheres [m]."""
    height: float
    """Length of the cylindrical part along z [m]."""

    _arguments = ("radius", "height")
    _type = layout.CAPSULE

    def __init__(self, radius: float, height: float) -> None:
        owner = "shapes.Capsule"
        r, length = real(radius, "radius", owner, above=0.0), real(height, "height", owner, at_least=0.0)
        super().__init__(radius=r, height=length)

    def _sizes(self) -> tuple[float, float, float]:
        return self.radius, 0.0, 0.5 * self.height

    def _triangles(self) -> Surface:
        return surface_of_revolution(half_circles(self.radius, 0.5 * self.height))
