"""The things that are drawn, each made by a function from simple solids, in metres and in the body frame."""

from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

from . import balls, simple
from .mesh_builder import MeshBuilder

MESHES: dict[str, Callable[[], MeshBuilder]] = {
    "t-handle": simple.t_handle,
    "drum": simple.drum,
    "crate": simple.crate,
    "ball": balls.solid,
    "dark-ball": balls.dark,
    "blue-ball": balls.blue,
    "arrow-shaft": simple.arrow_shaft,
    "arrow-head": simple.arrow_head,
}


def add(name: str, make: Callable[[], MeshBuilder]) -> None:
    """Let the thing that a function makes be drawn under this name, in place of any other of the same name.

    Example:
        >>> from engine.viewer import drawing
        >>> def post():
        ...     builder = drawing.MeshBuilder()
        ...     builder.box(drawing.STEEL, (0.1, 0.1, 2.0))
        ...     return builder
        >>> drawing.add_mesh("post", post)
    """
    MESHES[name] = make
    triangles.cache_clear()


@cache
def triangles(name: str) -> npt.NDArray[np.float32]:
    """The vertices of one mesh, shape (n, 14), read-only."""
    vertices = MESHES[name]().triangles()
    vertices.flags.writeable = False
    return vertices
