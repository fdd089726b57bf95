"""Shapes as users give them to views."""

import os

from ..checks import refuse
from .shape import Shape
from .triangle_mesh import TriangleMesh


def as_shape(value: object, argument: str, owner: str) -> Shape:
    """A shape that a user has given as a `Shape`, as vertices and faces, or as the path of a file."""
    if isinstance(value, Shape):
        return value
    if isinstance(value, str | os.PathLike):
        return TriangleMesh(value)
    if isinstance(value, tuple | list) and len(value) == 2:
        return TriangleMesh(value[0], value[1])
    rule = "a shape of engine.shapes, a pair of vertices and faces, or the path of a mesh file"
    refuse(owner, argument, value, rule, TypeError)
