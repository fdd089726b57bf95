"""Surfaces of boxes, balls, cylinders, capsules and meshes, as triangles."""

from __future__ import annotations  # help() then shows them as written

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, array, read_only, read_only_attributes, real, refuse, unit_quaternion, vector
from ..rotation import rotate
from ..solids.mesh_files import read_mesh
from ..solids.welding import IndexArray

_SIDES = 32
_THINNEST = 0.01
"""The least edge of an equivalent box, over its longest one: a flat body stays visible."""


@read_only_attributes()
class Shape:
    """A surface in the body frame, as triangles; the base class of all shapes.

    Make a `Box`, `Sphere`, `Cylinder`, `Capsule` or `TriangleMesh`, which check their arguments; this class does not.

    Args:
        vertices: Corners [m], body frame, shape (n, 3).
        faces: Indices of the three corners of each triangle, anticlockwise seen from outside, shape (m, 3).
    """

    def __init__(self, vertices: FloatArray, faces: IndexArray) -> None:
        self._vertices = read_only(np.array(vertices, np.float64))
        self._faces = np.array(faces, np.int64)
        self._faces.flags.writeable = False

    @property
    def vertices(self) -> FloatArray:
        """Corners [m], body frame, shape (n, 3)."""
        return self._vertices

    @property
    def faces(self) -> IndexArray:
        """Indices of the three corners of each triangle, anticlockwise seen from outside, shape (m, 3)."""
        return self._faces

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self.faces)} triangles>"

    @property
    def radius(self) -> float:
        """Distance of the farthest corner from the body's origin [m]."""
        return float(np.linalg.norm(self.vertices, axis=1).max())


class Box(Shape):
    """A box.

    Args:
        size: Full lengths along x, y, z [m], each above 0, shape (3,).
        position: Its centre from the body's origin [m], body frame, shape (3,).
        orientation: Unit quaternion, scalar-last (x, y, z, w), from its axes to the body frame, shape (4,).

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a value is out of range.

    Example:
        >>> from engine import shapes
        >>> shapes.Box((1.0, 2.0, 3.0)).vertices.max(axis=0).tolist()
        [0.5, 1.0, 1.5]
    """

    def __init__(
        self, size: npt.ArrayLike, *, position: npt.ArrayLike = (0, 0, 0), orientation: npt.ArrayLike = (0, 0, 0, 1)
    ) -> None:
        lengths = vector(size, "size", "shapes.Box")
        if not (lengths > 0.0).all():
            refuse("shapes.Box", "size", size, "three lengths above 0")
        corners, faces = _box(lengths)
        super().__init__(_placed(corners, position, orientation, "shapes.Box"), faces)


class Sphere(Shape):
    """A ball.

    Args:
        radius: Radius [m], above 0.
        position: Its centre from the body's origin [m], body frame, shape (3,).

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a value is out of range.

    Example:
        >>> from engine import shapes
        >>> round(shapes.Sphere(0.5).radius, 3)
        0.5
    """

    def __init__(self, radius: float, *, position: npt.ArrayLike = (0, 0, 0)) -> None:
        r = real(radius, "radius", "shapes.Sphere", above=0.0)
        corners, faces = _turned(_half_circles(r, 0.0))
        super().__init__(_placed(corners, position, (0, 0, 0, 1), "shapes.Sphere"), faces)


class Cylinder(Shape):
    """A cylinder about the z axis.

    Args:
        radius: Radius [m], above 0.
        height: Full length along z [m], above 0.
        position: Its centre from the body's origin [m], body frame, shape (3,).
        orientation: Unit quaternion, scalar-last (x, y, z, w), from its axes to the body frame, shape (4,).

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a value is out of range.

    Example:
        >>> from engine import shapes
        >>> float(shapes.Cylinder(0.5, 3.0).vertices[:, 2].max())
        1.5
    """

    def __init__(
        self,
        radius: float,
        height: float,
        *,
        position: npt.ArrayLike = (0, 0, 0),
        orientation: npt.ArrayLike = (0, 0, 0, 1),
    ) -> None:
        owner = "shapes.Cylinder"
        r, half = real(radius, "radius", owner, above=0.0), 0.5 * real(height, "height", owner, above=0.0)
        corners, faces = _turned([(0.0, -half), (r, -half), (r, half), (0.0, half)])
        super().__init__(_placed(corners, position, orientation, owner), faces)


class Capsule(Shape):
    """A capsule about the z axis, a cylinder with a hemisphere on each end.

    Args:
        radius: Radius of the cylinder and the hemispheres [m], above 0.
        height: Length of the cylindrical part along z [m], at least 0. The whole capsule is two radii longer.
        position: Its centre from the body's origin [m], body frame, shape (3,).
        orientation: Unit quaternion, scalar-last (x, y, z, w), from its axes to the body frame, shape (4,).

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a value is out of range.

    Example:
        >>> from engine import shapes
        >>> float(shapes.Capsule(0.5, 2.0).vertices[:, 2].max())
        1.5
    """

    def __init__(
        self,
        radius: float,
        height: float,
        *,
        position: npt.ArrayLike = (0, 0, 0),
        orientation: npt.ArrayLike = (0, 0, 0, 1),
    ) -> None:
        owner = "shapes.Capsule"
        r, half = real(radius, "radius", owner, above=0.0), 0.5 * real(height, "height", owner, at_least=0.0)
        corners, faces = _turned(_half_circles(r, half))
        super().__init__(_placed(corners, position, orientation, owner), faces)


class TriangleMesh(Shape):
    """A triangle mesh.

    Args:
        vertices: Corners from the mesh's origin along the mesh's axes [m, after `scale`], shape (n, 3), or the path of a glTF, OBJ or STL
            file, which needs the extra `mesh`.
        faces: Indices of the three corners of each triangle, anticlockwise seen from outside, shape (m, 3); None with a path.
        scale: Factor of all lengths, above 0, such as 0.001 for a file in millimetres.
        position: Where the mesh's origin is from the body's origin [m], body frame, shape (3,).
        orientation: Unit quaternion, scalar-last (x, y, z, w), from its axes to the body frame, shape (4,).

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

    def __init__(
        self,
        vertices: npt.ArrayLike | str | os.PathLike[str],
        faces: npt.ArrayLike | None = None,
        *,
        scale: float = 1.0,
        position: npt.ArrayLike = (0, 0, 0),
        orientation: npt.ArrayLike = (0, 0, 0, 1),
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
        super().__init__(_placed(factor * corners, position, orientation, owner), indices)


def equivalent_box(mass: float, inertia_body: npt.ArrayLike, center_of_mass_body: npt.ArrayLike = (0, 0, 0)) -> Shape:
    """Return the uniform box with this mass and these principal moments.

    Args:
        mass: Mass [kg], above 0.
        inertia_body: Inertia about the mass centre [kg·m²], body frame, shape (3, 3).
        center_of_mass_body: Mass centre from the body's origin [m], body frame, shape (3,).

    Returns:
        The box, along the principal axes and about the mass centre. An edge below 1 % of the longest one, as of a flat
        body, is drawn at 1 %.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a value is out of range.

    Source: the moments of a box, ``I_x = m (b² + c²)/12``, solved for ``a² = 6 (I_y + I_z − I_x)/m``.

    Example:
        >>> from engine import MassProperties, shapes
        >>> brick = MassProperties.box(12.0, (1.0, 2.0, 3.0))
        >>> shapes.equivalent_box(brick.mass, brick.inertia_body).vertices.max(axis=0).tolist()
        [0.5, 1.0, 1.5]
    """
    owner = "shapes.equivalent_box"
    m = real(mass, "mass", owner, above=0.0)
    tensor = array(inertia_body, "inertia_body", owner, (3, 3))
    moments, axes = np.linalg.eigh(tensor)
    if np.allclose(tensor, np.diag(np.diag(tensor)), rtol=0.0, atol=1e-12 * float(np.abs(tensor).max())):
        moments, axes = np.diag(tensor), np.eye(3)
    edges = np.sqrt(np.maximum(6.0 * (moments.sum() - 2.0 * moments) / m, 0.0))
    if not edges.max() > 0.0:
        refuse(owner, "inertia_body", inertia_body, "a tensor with moments above 0")
    if np.linalg.det(axes) < 0.0:
        axes = axes * (1.0, 1.0, -1.0)
    corners, faces = _box(np.maximum(edges, _THINNEST * edges.max()))
    return Shape(corners @ axes.T + vector(center_of_mass_body, "center_of_mass_body", owner), faces)


def as_shape(value: Any, argument: str, owner: str) -> Shape:
    """A shape that a user has given as a `Shape`, as vertices and faces, or as the path of a file."""
    if isinstance(value, Shape):
        return value
    if isinstance(value, str | os.PathLike):
        return TriangleMesh(value)
    if isinstance(value, tuple | list) and len(value) == 2:
        return TriangleMesh(value[0], value[1])
    rule = "a shape of engine.shapes, a pair of vertices and faces, or the path of a mesh file"
    refuse(owner, argument, value, rule, TypeError)


def _placed(corners: FloatArray, position: npt.ArrayLike, orientation: npt.ArrayLike, owner: str) -> FloatArray:
    turn = unit_quaternion(orientation, "orientation", owner)
    turned = rotate(np.broadcast_to(turn, (len(corners), 4)), corners)
    return np.asarray(turned) + vector(position, "position", owner)


def _box(lengths: FloatArray) -> tuple[FloatArray, IndexArray]:
    """Corners in the order of the bits of their index, x first, and twelve triangles."""
    signs = np.array([[-1.0 if not index >> axis & 1 else 1.0 for axis in range(3)] for index in range(8)])
    quads = [(0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6)]
    return 0.5 * lengths * signs, np.array([face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))])


def _half_circles(radius: float, half: float) -> list[tuple[float, float]]:
    """The outline of a capsule as (distance from z, z), upwards."""
    angles = np.linspace(-0.5 * np.pi, 0.5 * np.pi, _SIDES // 2 + 1)
    outline = [(radius * float(np.cos(a)), radius * float(np.sin(a)) + (half if a > 0.0 else -half)) for a in angles]
    middle = len(outline) // 2
    if half:  # the middle circle is at both ends of the cylinder
        outline.insert(middle + 1, (radius, half))
    outline[0], outline[-1] = (0.0, -radius - half), (0.0, radius + half)
    return outline


def _turned(outline: Sequence[tuple[float, float]]) -> tuple[FloatArray, IndexArray]:
    """The surface that an outline from pole to pole gives when it turns about z."""
    angles = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    rings = [np.column_stack([r * np.cos(angles), r * np.sin(angles), np.full(_SIDES, z)]) for r, z in outline[1:-1]]
    corners = np.concatenate([[(0.0, 0.0, outline[0][1])], *rings, [(0.0, 0.0, outline[-1][1])]])
    last, count = len(corners) - 1, len(rings)
    faces = []
    for side in range(_SIDES):
        after = (side + 1) % _SIDES
        faces.append((0, 1 + after, 1 + side))
        for ring in range(count - 1):
            a, b = 1 + ring * _SIDES + side, 1 + ring * _SIDES + after
            faces += [(a, b, b + _SIDES), (a, b + _SIDES, a + _SIDES)]
        top = 1 + (count - 1) * _SIDES
        faces.append((top + side, top + after, last))
    return corners, np.array(faces)
