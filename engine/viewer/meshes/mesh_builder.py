"""Simple solids with normals, colours and surface patterns, put together into one array of triangles."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .turns import IDENTITY, turn_to

Array = npt.NDArray[np.float64]

# A vertex is 14 floats: position 3, normal 3, colour 3, material 3 (metallic, roughness, pattern), pattern coordinates 2.

PLAIN, CELLS, FOIL, SEAMS, GLOW = range(5)
"""Surface patterns; `mesh.frag` knows the same numbers."""

NO_AREA = 1e-9  # [m²]


@dataclass(frozen=True)
class Material:
    """How a surface takes light: linear red, green, blue; metallic and rough from 0 to 1; one of the patterns.

    Example:
        >>> from engine.viewer import drawing
        >>> drawing.Material((0.8, 0.1, 0.1), roughness=0.3).metallic
        0.0
    """

    colour: tuple[float, float, float]
    metallic: float = 0.0
    roughness: float = 0.6
    pattern: int = PLAIN


class MeshBuilder:
    """Collects triangles. Lengths in metres, in the axes of the thing that is drawn.

    Example:
        >>> from engine.viewer import drawing
        >>> builder = drawing.MeshBuilder()
        >>> builder.sphere(drawing.STEEL, 0.5)
        >>> drawing.add_mesh("ball of steel", lambda: builder)
    """

    def __init__(self) -> None:
        self._parts: list[Array] = []

    def triangles(self) -> npt.NDArray[np.float32]:
        """All vertices so far, three a triangle, shape (n, 14); the triangles without area, at the tips of cones, are left out."""
        vertices = np.concatenate(self._parts).astype(np.float32)
        corners = vertices[:, :3].reshape(-1, 3, 3)
        area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
        return vertices.reshape(-1, 3, 14)[area > NO_AREA].reshape(-1, 14)

    def add(self, part: "MeshBuilder", at: Sequence[float] = (0, 0, 0), turn: Array = IDENTITY) -> None:
        """Everything of another builder, turned and then moved; `turn` may stretch, but not mirror.

        Example:
            >>> from engine.viewer import drawing
            >>> builder = drawing.MeshBuilder()
            >>> wheel = drawing.MeshBuilder()
            >>> wheel.cylinder(drawing.DARK, 0.3, 0.1)
            >>> builder.add(wheel, at=(1.0, 0.0, 0.0))
        """
        normal_turn = np.linalg.inv(turn)
        for vertices in part._parts:
            placed = vertices.copy()
            placed[:, :3] = vertices[:, :3] @ turn.T + np.asarray(at, dtype=float)
            normals = vertices[:, 3:6] @ normal_turn
            placed[:, 3:6] = normals / np.linalg.norm(normals, axis=1, keepdims=True)
            self._parts.append(placed)

    def facets(
        self,
        material: Material,
        vertices: Array,
        faces: npt.NDArray[np.int64],
        *,
        chosen: npt.NDArray[np.bool_] | None = None,
        smooth: float = 1.0,
    ) -> None:
        """Triangles between points (n, 3), each three indices, shape (m, 3), anticlockwise seen from outside, but those without area.

        Args:
            material: What they are made of.
            vertices: The points.
            faces: All triangles of the surface.
            chosen: Which of them are added; None for all.
            smooth: Edges between two triangles are rounded if the cosine of the angle between their normals is above this.

        Example:
            >>> from engine.viewer import drawing
            >>> from engine import shapes
            >>> builder = drawing.MeshBuilder()
            >>> box = shapes.Box((1, 2, 3))
            >>> builder.facets(drawing.STEEL, box.vertices, box.faces)
            >>> builder.triangles().shape[1]
            14
        """
        corners = vertices[faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        area = np.linalg.norm(normals, axis=1)
        units = normals / np.maximum(area, NO_AREA)[:, None]
        if smooth < 1.0:
            at_corners = _rounded(faces, normals, units, smooth)
        else:
            at_corners = np.repeat(units[:, None], 3, axis=1)
        seen = area > NO_AREA if chosen is None else (area > NO_AREA) & chosen
        at_corners = at_corners[seen].reshape(-1, 3)
        self._append(material, corners[seen].reshape(-1, 3), at_corners, np.zeros((len(at_corners), 2)))

    def box(
        self,
        material: Material,
        size: Sequence[float],
        centre: Sequence[float] = (0, 0, 0),
        turn: Array = IDENTITY,
        *,
        bevel: float = 0.0,
    ) -> None:
        """A box of full lengths `size`, its edges cut by `bevel`, which catches the light; pattern coordinates are metres on each face.

        Example:
            >>> from engine.viewer import drawing
            >>> builder = drawing.MeshBuilder()
            >>> builder.box(drawing.STEEL, (1.0, 2.0, 3.0), bevel=0.02)
            >>> builder.triangles().shape[1]
            14
        """
        half = np.asarray(size, dtype=float) / 2.0
        inner = half - bevel
        faces, normals, uv = [], [], []
        for axis in range(3):
            first, second = (axis + 1) % 3, (axis + 2) % 3
            for sign in (-1.0, 1.0):
                # Anticlockwise seen from outside, on both sides.
                ends = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])[:: int(sign)]
                corners = np.empty((4, 3))
                corners[:, axis] = sign * half[axis]
                corners[:, [first, second]] = ends * inner[[first, second]]
                faces.append(corners)
                normals.append(sign * np.eye(3)[axis])
                uv.append(ends * inner[[first, second]])
        facing = np.repeat(np.stack(normals)[:, None], 4, axis=1)
        self._quads(material, np.stack(faces), facing, np.stack(uv), centre, turn)
        if bevel > 0.0:
            self._bevels(material, half, inner, centre, turn)

    def tube(
        self, material: Material, start: npt.ArrayLike, end: npt.ArrayLike, radius: float, *, sides: int = 10
    ) -> None:
        """A closed rod of this radius between two points.

        Example:
            >>> from engine.viewer import drawing
            >>> builder = drawing.MeshBuilder()
            >>> builder.tube(drawing.STEEL, (0, 0, 0), (0, 0, 2), 0.05)
            >>> builder.triangles().shape[1]
            14
        """
        along = np.subtract(end, start)
        length = float(np.linalg.norm(along))
        outline = [(0.0, 0.0), (radius, 0.0), (radius, length), (0.0, length)]
        self.lathe(material, outline, tuple(np.asarray(start, dtype=float).tolist()), turn_to(along), sides=sides)

    def ring(
        self,
        material: Material,
        radius: float,
        thickness: float,
        centre: Sequence[float] = (0, 0, 0),
        turn: Array = IDENTITY,
        *,
        sides: int = 48,
    ) -> None:
        """A torus about z of an eight-sided section, `thickness` across.

        Example:
            >>> from engine.viewer import drawing
            >>> builder = drawing.MeshBuilder()
            >>> builder.ring(drawing.STEEL, 1.0, 0.1)
            >>> builder.triangles().shape[1]
            14
        """
        around = np.linspace(0.0, 2.0 * np.pi, 9) - np.pi / 8.0
        outline = [(radius + 0.5 * thickness * np.cos(a), 0.5 * thickness * np.sin(a)) for a in around]
        self.lathe(material, outline, centre, turn, smooth=True, sides=sides)

    def prism(
        self,
        material: Material,
        outline: Sequence[tuple[float, float]],
        height: float,
        centre: Sequence[float] = (0, 0, 0),
        turn: Array = IDENTITY,
    ) -> None:
        """A convex polygon in x and y, anticlockwise seen from +z, of this height about its middle.

        Example:
            >>> from engine.viewer import drawing
            >>> builder = drawing.MeshBuilder()
            >>> builder.prism(drawing.STEEL, [(0, 0), (1, 0), (0, 1)], 0.5)
            >>> builder.triangles().shape[1]
            14
        """
        corners, half = np.asarray(outline, dtype=float), height / 2.0
        following = np.roll(corners, -1, axis=0)
        edges = following - corners
        outward = np.column_stack([edges[:, 1], -edges[:, 0], np.zeros(len(edges))])
        outward /= np.linalg.norm(outward, axis=1, keepdims=True)
        places = np.concatenate([[0.0], np.cumsum(np.linalg.norm(edges, axis=1))])
        walls, uv = [], []
        for point, place, z in ((corners, 0, -half), (following, 1, -half), (following, 1, half), (corners, 0, half)):
            walls.append(np.column_stack([point, np.full(len(point), z)]))
            uv.append(np.column_stack([places[place : place + len(point)], np.full(len(point), z)]))
        normals = np.repeat(outward[:, None], 4, axis=1)
        self._quads(material, np.stack(walls, 1), normals, np.stack(uv, 1), centre, turn)
        for sign in (-1, 1):
            self._cap(material, corners[::sign], sign * half, centre, turn)

    def sphere(
        self, material: Material, radius: float, centre: Sequence[float] = (0, 0, 0), *, sides: int = 24
    ) -> None:
        """A sphere.

        Example:
            >>> from engine.viewer import drawing
            >>> builder = drawing.MeshBuilder()
            >>> builder.sphere(drawing.STEEL, 0.5)
            >>> builder.triangles().shape[1]
            14
        """
        angles = np.linspace(-np.pi / 2.0, np.pi / 2.0, sides // 2 + 1)
        outline = [(radius * max(np.cos(a), 0.0), radius * np.sin(a)) for a in angles]
        self.lathe(material, outline, centre, smooth=True, sides=sides)

    def lathe(
        self,
        material: Material,
        profile: Sequence[tuple[float, float]],
        centre: Sequence[float] = (0, 0, 0),
        turn: Array = IDENTITY,
        *,
        smooth: bool = False,
        sides: int = 48,
        arc: tuple[float, float] = (0.0, 2.0 * np.pi),
    ) -> None:
        """A surface turned about z from (radius, height) points, in order; `smooth` rounds the edges between them. `arc` is what is turned
        through [rad]. Facing outwards where the points go up outside, and in where they come down inside.

        Example:
            >>> from engine.viewer import drawing
            >>> builder = drawing.MeshBuilder()
            >>> builder.lathe(drawing.STEEL, [(0.0, 0.0), (0.5, 0.0), (0.0, 1.0)])  # a cone
            >>> builder.triangles().shape[1]
            14
        """
        outline = np.asarray(profile, dtype=float)
        edges = np.diff(outline, axis=0)
        edges /= np.maximum(np.linalg.norm(edges, axis=1, keepdims=True), 1e-12)
        flat = np.stack([edges[:, 1], -edges[:, 0]], axis=1)
        if smooth:
            shared = np.concatenate([flat[:1], flat[:-1] + flat[1:], flat[-1:]])
            poles = (outline[:, 0] < 1e-9) & (shared[:, 1] != 0.0)
            shared[poles, 0] = 0.0  # where a rounded surface meets its axis it lies across it
            shared /= np.maximum(np.linalg.norm(shared, axis=1, keepdims=True), 1e-12)
            lower_normal, upper_normal = shared[:-1], shared[1:]
        else:
            lower_normal = upper_normal = flat
        angle = np.linspace(*arc, sides + 1)
        around = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        height = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(outline, axis=0), axis=1))])
        girth = angle * max(outline[:, 0].max(), 1e-9)
        # The corners of each quadrilateral anticlockwise, two on the lower and two on the upper ring.
        level, side = np.arange(len(outline) - 1)[:, None] + (0, 0, 1, 1), np.arange(sides)[:, None] + (0, 1, 1, 0)
        facing = np.concatenate([lower_normal[:, None]] * 2 + [upper_normal[:, None]] * 2, axis=1)
        points, normals, uv = (np.empty((len(level), sides, 4, width)) for width in (3, 3, 2))
        for found, ring in ((points, outline[level]), (normals, facing)):
            found[..., :2] = around[side] * ring[:, None, :, :1]
            found[..., 2] = ring[:, None, :, 1]
        uv[..., 0], uv[..., 1] = girth[side], height[level][:, None]
        self._quads(material, points.reshape(-1, 4, 3), normals.reshape(-1, 4, 3), uv.reshape(-1, 4, 2), centre, turn)

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
        """A closed cylinder along z about its middle, with a narrow bevel that catches the light.

        Example:
            >>> from engine.viewer import drawing
            >>> builder = drawing.MeshBuilder()
            >>> builder.cylinder(drawing.STEEL, 0.5, 2.0)
            >>> builder.triangles().shape[1]
            14
        """
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

    def _bevels(self, material: Material, half: Array, inner: Array, centre: Sequence[float], turn: Array) -> None:
        """The twelve strips and eight corners between the inset faces of a box."""
        strips, normals = [], []
        for axis in range(3):
            first, second = (axis + 1) % 3, (axis + 2) % 3
            for u, v in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
                corners = np.empty((4, 3))
                corners[:, axis] = inner[axis] * np.array([-1.0, -1.0, 1.0, 1.0])
                outer = np.array([0, 1, 1, 0]) if u * v > 0 else np.array([1, 0, 0, 1])
                corners[:, first] = u * np.where(outer == 0, half[first], inner[first])
                corners[:, second] = v * np.where(outer == 0, inner[second], half[second])
                normal = np.zeros(3)
                normal[[first, second]] = np.array([u, v]) / np.sqrt(2.0)
                strips.append(corners)
                normals.append(normal)
        for signs in np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, -1).T:
            corners = signs * (inner + np.diag(half - inner))
            corners = corners if signs.prod() > 0 else corners[::-1]
            strips.append(corners[[0, 1, 2, 2]])
            normals.append(signs / np.sqrt(3.0))
        facing = np.repeat(np.stack(normals)[:, None], 4, axis=1)
        self._quads(material, np.stack(strips), facing, np.zeros((len(strips), 4, 2)), centre, turn)

    def _cap(self, material: Material, corners: Array, height: float, centre: Sequence[float], turn: Array) -> None:
        """A convex polygon at z = height as a fan; it faces up where the corners go anticlockwise."""
        flat = np.column_stack([corners, np.full(len(corners), height)])
        facing = np.sign(height) * np.array([0.0, 0.0, 1.0])
        fan = np.stack([np.broadcast_to(flat[0], flat[1:-1].shape), flat[1:-1], flat[2:], flat[2:]], axis=1)
        self._quads(material, fan, np.broadcast_to(facing, fan.shape), fan[..., :2], centre, turn)

    def _quads(
        self, material: Material, points: Array, normals: Array, uv: Array, centre: Sequence[float], turn: Array
    ) -> None:
        """Add quadrilaterals of shape (n, 4, 3), each as two triangles."""
        order = [0, 1, 2, 0, 2, 3]
        count = 6 * len(points)
        position = points[:, order].reshape(count, 3) @ turn.T + np.asarray(centre, dtype=float)
        normal = normals[:, order].reshape(count, 3) @ turn.T
        self._append(material, position, normal, uv[:, order].reshape(count, 2))

    def _append(self, material: Material, position: Array, normal: Array, uv: Array) -> None:
        """Add vertices, three per triangle."""
        surface = [*material.colour, material.metallic, material.roughness, float(material.pattern)]
        self._parts.append(np.column_stack([position, normal, np.tile(surface, (len(position), 1)), uv]))


def _rounded(faces: npt.NDArray[np.int64], normals: Array, units: Array, smooth: float) -> Array:
    """Normals at the corners of triangles, shape (m, 3, 3): the mean over the triangles at that corner that face about the same way."""
    flat = faces.ravel()
    order = np.argsort(flat, kind="stable")
    starts = np.flatnonzero(np.diff(flat[order], prepend=-1))
    counts = np.diff(starts, append=len(order))
    found = np.empty((len(flat), 3))
    for count in np.unique(counts):  # all corners at which so many triangles meet at once
        places = order[starts[counts == count, None] + np.arange(count)]
        around = units[places // 3]
        alike = around @ around.transpose(0, 2, 1) > smooth
        means = alike @ normals[places // 3]
        found[places] = means / np.maximum(np.linalg.norm(means, axis=-1, keepdims=True), NO_AREA)
    return found.reshape(-1, 3, 3)
