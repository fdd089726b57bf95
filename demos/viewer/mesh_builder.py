"""Simple solids with normals, colours and surface patterns, put together into one array of triangles."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
IDENTITY = np.eye(3)

# Turns of the z axis onto the others; columns are the images of x, y, z.
Z_TO_X = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
Z_TO_Y = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])

# A vertex is 14 floats: position 3, normal 3, colour 3, material 3 (metallic, roughness, pattern), pattern coordinates 2.

PLAIN, CELLS, FOIL, SEAMS, GLOW = range(5)
"""Surface patterns; `mesh.frag` knows the same numbers."""


@dataclass(frozen=True)
class Material:
    """How a surface takes light: linear red, green, blue; metallic and rough from 0 to 1; one of the patterns."""

    colour: tuple[float, float, float]
    metallic: float = 0.0
    roughness: float = 0.6
    pattern: int = PLAIN


class MeshBuilder:
    """Collects triangles. Lengths in metres, in the axes of the thing that is drawn."""

    def __init__(self) -> None:
        self._parts: list[Array] = []

    def triangles(self) -> npt.NDArray[np.float32]:
        """All vertices so far, three a triangle, shape (n, 14)."""
        return np.concatenate(self._parts).astype(np.float32)

    def box(
        self, material: Material, size: Sequence[float], centre: Sequence[float] = (0, 0, 0), turn: Array = IDENTITY
    ) -> None:
        """A box of full lengths `size`; pattern coordinates are metres on each face."""
        half = np.asarray(size, dtype=float) / 2.0
        for axis in range(3):
            for sign in (-1.0, 1.0):
                normal = np.zeros(3)
                normal[axis] = sign
                across, along = np.zeros(3), np.zeros(3)
                across[(axis + 1) % 3], along[(axis + 2) % 3] = half[(axis + 1) % 3], half[(axis + 2) % 3]
                # Anticlockwise seen from outside, on both sides.
                ends = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])[:: int(sign)]
                corners = np.array([normal * half + u * across + v * along for u, v in ends])
                uv = ends * np.array([half[(axis + 1) % 3], half[(axis + 2) % 3]])
                self._quads(material, corners[None], np.broadcast_to(normal, (1, 4, 3)), uv[None], centre, turn)

    def lathe(
        self,
        material: Material,
        profile: Sequence[tuple[float, float]],
        centre: Sequence[float] = (0, 0, 0),
        turn: Array = IDENTITY,
        *,
        smooth: bool = False,
        sides: int = 48,
    ) -> None:
        """A surface turned about z from (radius, height) points, in order; `smooth` rounds the edges between them."""
        outline = np.asarray(profile, dtype=float)
        edges = np.diff(outline, axis=0)
        edges /= np.maximum(np.linalg.norm(edges, axis=1, keepdims=True), 1e-12)
        flat = np.stack([edges[:, 1], -edges[:, 0]], axis=1)
        if smooth:
            shared = np.concatenate([flat[:1], flat[:-1] + flat[1:], flat[-1:]])
            shared /= np.maximum(np.linalg.norm(shared, axis=1, keepdims=True), 1e-12)
            lower_normal, upper_normal = shared[:-1], shared[1:]
        else:
            lower_normal = upper_normal = flat
        angle = np.linspace(0.0, 2.0 * np.pi, sides + 1)
        around = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        height = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(outline, axis=0), axis=1))])
        girth = angle * max(outline[:, 0].max(), 1e-9)
        for i in range(len(outline) - 1):
            ends = ((outline[i], lower_normal[i], height[i]), (outline[i + 1], upper_normal[i], height[i + 1]))
            points, normals, uv = [], [], []
            for (point, normal, level), begin in ((ends[0], True), (ends[0], False), (ends[1], False), (ends[1], True)):
                ring = around[:-1] if begin else around[1:]
                points.append(np.column_stack([ring * point[0], np.full(sides, point[1])]))
                normals.append(np.column_stack([ring * normal[0], np.full(sides, normal[1])]))
                uv.append(np.column_stack([girth[:-1] if begin else girth[1:], np.full(sides, level)]))
            self._quads(material, np.stack(points, 1), np.stack(normals, 1), np.stack(uv, 1), centre, turn)

    def cylinder(
        self,
        material: Material,
        radius: float,
        height: float,
        centre: Sequence[float] = (0, 0, 0),
        turn: Array = IDENTITY,
        *,
        sides: int = 48,
    ) -> None:
        """A closed cylinder along z about its middle, with a narrow bevel that catches the light."""
        half, bevel = height / 2.0, 0.06 * min(radius, height)
        outline = [
            (0.0, -half),
            (radius - bevel, -half),
            (radius, bevel - half),
            (radius, half - bevel),
            (radius - bevel, half),
            (0.0, half),
        ]
        self.lathe(material, outline, centre, turn, sides=sides)

    def _quads(
        self, material: Material, points: Array, normals: Array, uv: Array, centre: Sequence[float], turn: Array
    ) -> None:
        """Add quadrilaterals of shape (n, 4, 3), each as two triangles."""
        order = [0, 1, 2, 0, 2, 3]
        count = 6 * len(points)
        surface = [*material.colour, material.metallic, material.roughness, float(material.pattern)]
        position = points[:, order].reshape(count, 3) @ turn.T + np.asarray(centre, dtype=float)
        normal = normals[:, order].reshape(count, 3) @ turn.T
        self._parts.append(
            np.column_stack([position, normal, np.tile(surface, (count, 1)), uv[:, order].reshape(count, 2)])
        )
