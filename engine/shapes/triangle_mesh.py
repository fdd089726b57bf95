"""Triangle meshes."""

from __future__ import annotations  # help() then shows them as written

import os
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, array, real, refuse
from ..collision import layout
from ..collision.grounds import first_without_area, ground_of_mesh
from ..solids.mesh_files import read_mesh
from ..solids.welding import IndexArray
from .points import Points, shared_points
from .shape import Shape, Solid
from .surfaces import Surface


class TriangleMesh(Shape):
    """A triangle mesh: a shape that is drawn, or ground of the world.

    As ground, a mesh need not be closed, and each triangle stops what comes from the side from which its corners are anticlockwise.

    Args:
        vertices: Corners in its own axes [m, after `scale`], shape (n, 3), or the path of a glTF, OBJ or STL file, which needs the extra
            `mesh`.
        faces: Indices of the three corners of each triangle, anticlockwise seen from outside, shape (m, 3); None with a path.
        scale: Factor of all lengths, above 0, such as 0.001 for a file in millimetres.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a value is out of range, an index has no vertex, there is no triangle, or the file cannot be read.
        FileNotFoundError: If there is no such file.
        ImportError: If a file is given and trimesh is not installed.

    Example:
        >>> from engine import shapes
        >>> wedge = shapes.TriangleMesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)])
        >>> wedge
        <TriangleMesh of 4 triangles>
    """

    scale: ClassVar[float] = 1.0
    """Factor of the corners as they are kept, which are those after scaling."""

    _arguments = ("vertices", "faces")
    _is_for_bodies = False

    def __init__(
        self,
        vertices: npt.ArrayLike | str | os.PathLike[str],
        faces: npt.ArrayLike | None = None,
        *,
        scale: float = 1.0,
    ) -> None:
        owner = "shapes.TriangleMesh"
        factor = real(scale, "scale", owner, above=0.0)
        if isinstance(vertices, str | os.PathLike):
            if faces is not None:
                refuse(owner, "faces", faces, "None if a file is given", TypeError)
            corners, indices = read_mesh(vertices, owner)
        else:
            corners = array(vertices, "vertices", owner, (None, 3))
            given = array(faces, "faces", owner, (None, 3))
            indices = given.astype(np.int64)
            if not len(given) or (indices != given).any() or (indices < 0).any() or (indices >= len(corners)).any():
                refuse(owner, "faces", faces, f"at least one row of three indices from 0 to {len(corners) - 1}")
        super().__init__(_given=(factor * corners, np.array(indices, np.int64)))

    _given: tuple[FloatArray, IndexArray]

    @cached_property
    def _placed_points(self) -> tuple[FloatArray, FloatArray, Points]:
        """The middle and half the size of its extents, and its ground from the middle."""
        corners, faces = self._given
        thin = first_without_area(corners, faces)
        if thin is not None:
            rule = "triangles with an area, if it touches: each height above 1e-9 of the longest edge"
            refuse("shapes.TriangleMesh", f"faces[{thin}]", faces[thin].tolist(), rule)
        used = corners[faces.reshape(-1)]
        low, high = used.min(axis=0), used.max(axis=0)
        middle = 0.5 * (low + high)
        ground = ground_of_mesh(corners - middle, faces)
        return middle, 0.5 * (high - low), shared_points(np.zeros((4, 0)), 0, 0, ground)

    def _solids(self) -> tuple[Solid, ...]:
        middle, half, points = self._placed_points
        x, y, z = half.tolist()
        return (Solid(layout.MESH, (x, y, z), middle, points=points),)

    def _triangles(self) -> Surface:
        return self._given

    def _values(self) -> tuple[object, ...]:
        return self._surface

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TriangleMesh) and self._bytes() == other._bytes()

    def __hash__(self) -> int:
        return hash(self._bytes())

    def _bytes(self) -> tuple[bytes, bytes]:
        return self.vertices.tobytes(), self.faces.tobytes()

    def __repr__(self) -> str:
        return f"<TriangleMesh of {len(self.faces)} triangles>"
