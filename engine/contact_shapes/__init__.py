"""Shapes by which bodies touch each other and the world, with their material."""

from .box import Box
from .material import ALL, Material
from .plane import Plane
from .shape import Shape, ShapeHandle
from .sphere import Sphere

__all__ = ["ALL", "Box", "Material", "Plane", "Shape", "ShapeHandle", "Sphere"]
