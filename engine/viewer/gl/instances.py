"""Where each solid of a picture stands, as rows for instanced drawing: models, swarms and arrows alike."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ... import rotation
from ..picture.camera import OrbitCamera
from ..picture.scene import Arrow, Picture

Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.float32]

HEAD_LENGTH, HEAD_WIDTH = 6.5, 2.4
"""Of an arrow's head, in radii of its shaft."""
WHITE = (1.0, 1.0, 1.0)


@dataclass
class Batch:
    """All places of one mesh. A row is the offset from the eye 3, the columns of the matrix 9, the colour of luminous parts 3."""

    singles: list[Rows] = field(default_factory=list)
    crowd: list[Rows] = field(default_factory=list)
    """The swarms: those far away may be drawn with less care."""
    casters: int = 0
    """So many of the first single ones cast shadows."""


Batches = dict[str, Batch]


def gather(picture: Picture, camera: OrbitCamera) -> Batches:
    """The rows of everything solid, by mesh.

    Swarms receive shadows and cast none: twenty thousand small craft would cost a second pass over all their triangles, for shadows that
    hardly ever meet anything. Arrows are light.
    """
    batches: Batches = {}
    solid = [model for model in picture.models if model.opacity >= 1.0]
    for model in sorted(solid, key=lambda model: not model.casts_shadow):
        batch = batches.setdefault(model.mesh, Batch())
        batch.singles.append(rows(camera.relative(model.position)[np.newaxis], model.matrix[np.newaxis]))
        batch.casters += model.casts_shadow
    for swarm in picture.swarms:
        matrices = swarm.scale * rotation.to_matrix(swarm.orientations)
        batches.setdefault(swarm.mesh, Batch()).crowd.append(rows(camera.relative(swarm.positions), matrices))
    for arrow in picture.arrows:
        for mesh, row in arrow_rows(arrow, camera):
            batches.setdefault(mesh, Batch()).singles.append(row)
    return batches


def gather_ghosts(picture: Picture, camera: OrbitCamera) -> dict[float, Batches]:
    """The rows of the models that light shines through, by opacity and mesh."""
    found: dict[float, Batches] = {}
    for model in picture.models:
        if model.opacity < 1.0:
            batch = found.setdefault(model.opacity, {}).setdefault(model.mesh, Batch())
            batch.singles.append(rows(camera.relative(model.position)[np.newaxis], model.matrix[np.newaxis]))
    return found


def rows(offsets: Rows, matrices: Array, paint: Sequence[float] = WHITE) -> Rows:
    """Rows for offsets (n, 3) from the eye and matrices (n, 3, 3) from mesh to the world frame."""
    found = np.empty((len(offsets), 15), np.float32)
    found[:, :3] = offsets
    found[:, 3:12] = np.swapaxes(matrices, 1, 2).reshape(-1, 9)  # OpenGL reads columns
    found[:, 12:] = paint[:3]
    return found


def arrow_rows(arrow: Arrow, camera: OrbitCamera) -> list[tuple[str, Rows]]:
    """Mesh and row of the shaft and of the head; none for an arrow without length."""
    length = float(np.linalg.norm(arrow.vector))
    if length < 1e-9:
        return []
    along = arrow.vector / length
    across = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    across /= np.linalg.norm(across)
    frame = np.column_stack([across, np.cross(along, across), along])
    head = min(HEAD_LENGTH * arrow.thickness, 0.5 * length)
    parts = []
    for mesh, start, width, height in (
        ("arrow-shaft", 0.0, arrow.thickness, length - head),
        ("arrow-head", length - head, HEAD_WIDTH * arrow.thickness, head),
    ):
        offset = camera.relative(arrow.start + start * along)[np.newaxis]
        parts.append((mesh, rows(offset, (frame * [width, width, height])[np.newaxis], arrow.colour)))
    return parts
