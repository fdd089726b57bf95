"""Spheres."""

from ..checks import real
from ..collision import layout
from .shape import Shape
from .surfaces import Surface, half_circles, surface_of_revolution


class Sphere(Shape):
    """A ball about its origin.

    Args:
        radius: Radius [m], above 0.

    Raises:
        TypeError: If the argument is not a number.
        ValueError: If the value is out of range.

    Example:
        >>> from engine import shapes
        >>> shapes.Sphere(0.5)
        Sphere(0.5)
    """

    radius: float
    """Radius [m]."""

    _arguments = ("radius",)
    _type = layout.SPHERE

    def __init__(self, radius: float) -> None:
        super().__init__(radius=real(radius, "radius", "shapes.Sphere", above=0.0))

    def _sizes(self) -> tuple[float, float, float]:
        return self.radius, 0.0, 0.0

    def _triangles(self) -> Surface:
        return surface_of_revolution(half_circles(self.radius, 0.0))
