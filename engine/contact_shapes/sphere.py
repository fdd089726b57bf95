"""Spheres."""

from ..checks import real
from ..collision import layout
from .shape import Shape


class Sphere(Shape):
    """A sphere about its origin.

    Args:
        radius: Radius [m], above zero.

    Example:
        >>> from engine.contact_shapes import Sphere
        >>> Sphere(0.5)
        Sphere(0.5)
    """

    __slots__ = ("radius",)

    _type = layout.SPHERE

    def __init__(self, radius: float) -> None:
        self.radius = real(radius, "radius", "Sphere", above=0.0)

    def _sizes(self) -> tuple[float, float, float]:
        return self.radius, 0.0, 0.0

    def __repr__(self) -> str:
        return f"Sphere({self.radius:g})"
