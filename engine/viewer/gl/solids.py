"""Draws meshes, any number of each in one call, into the picture and into the shadow map."""

from functools import cached_property

import numpy as np
import numpy.typing as npt

from .. import meshes
from .instances import Batch, Batches, Rows
from .programs import program
from .resources import GL, Resources

ROW = 15 * 4  # bytes of an instance
NONE = np.empty((0, 15), np.float32)
SMALL, COARSE = 9.0, 0.4
"""Copies in a swarm with a radius of fewer pixels are drawn with this share of their triangles, the largest: in software a crowd of
20 000 takes half the time. Still smaller ones are specks: how small is a matter of quality."""
SHADOW_UNIT = 1
"""The texture unit on which the shadow map must lie when solids are drawn."""


class Solids:
    """The meshes of one context, each made when it is first drawn."""

    def __init__(self, context: GL) -> None:
        self._context, self._resources = context, Resources()
        self._shading = self._resources.own(program(context, "mesh", "mesh"))
        self._shading["shadow_map"].value = SHADOW_UNIT
        self._shading["opacity"].value = 1.0
        self._casting = self._resources.own(program(context, "shadow", "shadow"))
        self._spotting = self._resources.own(program(context, "speck", "speck"))
        self._solids: dict[str, Solid] = {}

    def solid(self, name: str) -> "Solid":
        """The mesh of this name."""
        if name not in self._solids:
            self._solids[name] = self._resources.own(
                Solid(self._context, name, self._shading, self._casting, self._spotting)
            )
        return self._solids[name]

    def place(self, batches: Batches, pixels: float, speck: float) -> None:
        """Hand the rows of this frame to the graphics card.

        Args:
            batches: The rows, by mesh.
            pixels: Of a metre at a distance of one.
            speck: Radius in pixels below which a copy in a swarm is a speck.
        """
        for name, batch in batches.items():
            self.solid(name).place(batch, pixels, speck)

    def draw(self, batches: Batches) -> None:
        """Draw everything but specks."""
        for name in batches:
            self.solid(name).draw()

    def draw_ghosts(self, target: GL, ghosts: dict[float, Batches], pixels: float) -> None:
        """Lay translucent copies over what has been drawn into a framebuffer: first their depth, then their nearest surfaces."""
        context = self._context
        for opacity, batches in ghosts.items():
            self.place(batches, pixels, 0.0)
            target.color_mask = False, False, False, False
            target.use()  # takes the mask over
            context.enable_only(context.DEPTH_TEST)
            self.draw(batches)
            target.color_mask = True, True, True, True
            target.use()
            context.enable_only(context.DEPTH_TEST | context.BLEND)
            context.blend_func = context.ONE, context.ONE_MINUS_SRC_ALPHA
            context.depth_func = "<="
            self._shading["opacity"].value = opacity
            self.draw(batches)
            self._shading["opacity"].value = 1.0
            context.depth_func = "<"

    def draw_specks(self, batches: Batches) -> None:
        """Draw the specks, whose edges let through what is behind."""
        for name in batches:
            self.solid(name).specks.draw()

    def cast(self, batches: Batches) -> None:
        """Draw the depth of what casts shadows."""
        for name, batch in batches.items():
            if batch.casters:
                self.solid(name).cast(batch.casters)

    def release(self) -> None:
        """Give everything back."""
        self._resources.release()


class Solid:
    """One mesh with the places where it stands: whole; where it is too small to see them, without its small triangles; or as specks."""

    def __init__(self, context: GL, name: str, shading: GL, casting: GL, spotting: GL) -> None:
        self._resources = Resources()
        own = self._resources.own
        # Triangles share corners: drawn by index a corner is worked out once.
        self.vertices, triangles = shared(meshes.triangles(name))
        corners = own(context.buffer(self.vertices.tobytes()))
        triangles = largest_first(self.vertices, triangles)
        order = own(context.buffer(triangles.astype(np.uint32).tobytes()))
        self._whole = own(Places(context, corners, order, shading, casting))
        self._coarse = own(Places(context, corners, order, shading, casting))
        self._coarse.corner_count = 3 * max(round(COARSE * len(triangles)), 1)
        self.specks = own(Specks(context, spotting, self.vertices[triangles]))

    @cached_property
    def radius(self) -> float:
        """Of the sphere about the mesh's origin that holds it [m]."""
        return float(np.linalg.norm(self.vertices[:, :3], axis=1).max())

    @cached_property
    def exhaust(self) -> tuple[npt.NDArray[np.float64], float]:
        """Middle [m, mesh axes] and radius [m] of the part lowest in z, where the plume of a swarm's craft begins."""
        position = self.vertices[:, :3].astype(float)
        height = position[:, 2].min()
        rim = position[position[:, 2] < height + 0.01 * np.ptp(position[:, 2])]
        middle = 0.5 * (rim.min(axis=0) + rim.max(axis=0))
        return np.array([*middle[:2], height]), 0.5 * float(np.ptp(rim[:, :2], axis=0).min())

    def place(self, batch: Batch, pixels: float, speck: float) -> None:
        """Hand over the rows of this frame; `pixels` and `speck` as in `Solids.place`."""
        crowd = np.concatenate(batch.crowd or [NONE])
        size = pixels * self.radius * np.linalg.norm(crowd[:, 3:6], axis=1) / np.linalg.norm(crowd[:, :3], axis=1)
        self._whole.write(np.concatenate([*batch.singles, crowd[size >= SMALL]]))
        self._coarse.write(crowd[(size < SMALL) & (size >= speck)])
        self.specks.write(crowd[size < min(speck, SMALL)])

    def draw(self) -> None:
        """Draw all places."""
        self._whole.draw()
        self._coarse.draw()

    def cast(self, count: int) -> None:
        """Draw the depth of the first so many places."""
        self._whole.cast(count)

    def release(self) -> None:
        """Give everything back."""
        self._resources.release()


class Specks:
    """Copies of a mesh as small darts along its z axis, each with the light that its surface would throw back."""

    def __init__(self, context: GL, spotting: GL, triangles: npt.NDArray[np.float32]) -> None:
        """`triangles` are the mesh's, shape (n, 3, 14), the largest first."""
        self._context, self._spotting, self._resources = context, spotting, Resources()
        own = self._resources.own
        self._rows = own(context.buffer(reserve=16 * ROW))
        self._count = 0
        self._spots = own(context.vertex_array(spotting, [(self._rows, "3f 9f 12x", "offset", "turn")]))
        a, b, c = (triangles[:, corner, :3] for corner in range(3))
        area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
        half_length = 0.5 * float(np.ptp(triangles[:, :, 2])) or 1.0
        # Cauchy: a convex solid covers a quarter of its surface, on the average over all sides.
        half_width = 0.25 * float(area.sum()) / (4.0 * half_length)
        self._looks = {
            "tint": tuple((area * (1.0 - triangles[:, 0, 9])) @ triangles[:, 0, 6:9] / area.sum()),
            "broadest": tuple(triangles[0, 0, 3:6]),
            "shape": (half_length, half_width),
        }

    def write(self, rows: Rows) -> None:
        """Replace the rows."""
        if rows.nbytes > self._rows.size:
            self._rows.orphan(2 * rows.nbytes)
        self._rows.write(rows.tobytes())
        self._count = len(rows)

    def draw(self) -> None:
        """Draw all copies."""
        if self._count:
            for name, value in self._looks.items():
                self._spotting[name].value = value
            self._spots.render(self._context.POINTS, vertices=self._count)

    def release(self) -> None:
        """Give everything back."""
        self._resources.release()


class Places:
    """Where copies of a mesh stand, as a buffer of rows, and how many corners of the mesh are drawn there."""

    def __init__(self, context: GL, corners: GL, order: GL, shading: GL, casting: GL) -> None:
        self._context, self._resources = context, Resources()
        own = self._resources.own
        self._rows = own(context.buffer(reserve=16 * ROW))
        self._count = 0
        shaded = [
            (corners, "3f 3f 3f 3f 2f", "position", "normal", "tint", "surface", "pattern_at"),
            (self._rows, "3f 9f 3f/i", "offset", "turn", "paint"),
        ]
        cast = [(corners, "3f 44x", "position"), (self._rows, "3f 9f 12x/i", "offset", "turn")]
        self._shaded = own(context.vertex_array(shading, shaded, order))
        self._cast = own(context.vertex_array(casting, cast, order))
        self.corner_count = -1
        """All of them, unless another count is set."""

    def write(self, rows: Rows) -> None:
        """Replace the rows."""
        if rows.nbytes > self._rows.size:
            self._rows.orphan(2 * rows.nbytes)
        self._rows.write(rows.tobytes())
        self._count = len(rows)

    def draw(self) -> None:
        """Draw all copies."""
        if self._count:
            self._shaded.render(self._context.TRIANGLES, vertices=self.corner_count, instances=self._count)

    def cast(self, count: int) -> None:
        """Draw the depth of the first so many copies."""
        self._cast.render(self._context.TRIANGLES, instances=count)

    def release(self) -> None:
        """Give everything back."""
        self._resources.release()


def shared(corners: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.intp]]:
    """The different rows among the corners of triangles (3 n, m), and the triangles (n, 3) as places among these.

    It is `np.unique` along an axis in a third of the time: 80 ms for the largest mesh of the demos.
    """
    order = np.lexsort(corners.T[::-1])
    rows = corners[order]
    is_new = np.concatenate(([True], (rows[1:] != rows[:-1]).any(axis=1)))
    place = np.empty(len(rows), np.intp)
    place[order] = np.cumsum(is_new) - 1
    return rows[is_new], place.reshape(-1, 3)


def largest_first(vertices: npt.NDArray[np.float32], triangles: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """The triangles (n, 3) in the order of their area; `vertices` begin with positions."""
    a, b, c = (vertices[triangles[:, corner], :3] for corner in range(3))
    return triangles[np.argsort(-np.linalg.norm(np.cross(b - a, c - a), axis=1), kind="stable")]
