"""Draws the exhaust of thrusters: those of the picture, and the ones behind the craft of its swarms."""

from typing import Any

import numpy as np
import numpy.typing as npt

from demos.viewer.camera import OrbitCamera
from demos.viewer.programs import program
from demos.viewer.resources import Resources
from demos.viewer.scene import Picture, Swarm
from demos.viewer.solids import Solids
from engine import rotation

Rows = npt.NDArray[np.float32]
FAINTEST = 1e-3
"""A throttle below this gives no light."""


class Plumes:
    """One buffer of plumes, drawn in one call."""

    def __init__(self, context: Any) -> None:
        self._context, self._resources = context, Resources()
        own = self._resources.own
        self._buffer = own(context.buffer(reserve=64 * 32))
        layout = (self._buffer, "3f 3f 1f 1f/i", "nozzle", "direction", "radius", "throttle")
        self._plumes = own(context.vertex_array(own(program(context, "plume", "plume")), [layout]))

    def draw(self, rows: Rows) -> None:
        """Add their light to the picture, over what is solid; nothing hides what lies behind a plume."""
        if not len(rows):
            return
        if rows.nbytes > self._buffer.size:
            self._buffer.orphan(2 * rows.nbytes)
        self._buffer.write(rows.tobytes())
        self._plumes.render(self._context.TRIANGLE_STRIP, vertices=4, instances=len(rows))

    def release(self) -> None:
        """Give everything back."""
        self._resources.release()


def plume_rows(picture: Picture, camera: OrbitCamera, solids: Solids) -> Rows:
    """The nozzle's offset from the eye 3, the way of the gas 3, the nozzle's radius, the throttle; shape (n, 8)."""
    own = [
        np.hstack([camera.relative(plume.position), plume.direction, plume.radius, plume.throttle])
        for plume in picture.plumes
    ]
    found = np.vstack([np.reshape(own, (-1, 8)), *(swarm_rows(swarm, camera, solids) for swarm in picture.swarms)])
    return found[found[:, 7] > FAINTEST].astype(np.float32)


def swarm_rows(swarm: Swarm, camera: OrbitCamera, solids: Solids) -> npt.NDArray[np.float64]:
    """The same for the craft of a swarm, whose gas goes along the mesh's −z."""
    if swarm.throttles is None:
        return np.empty((0, 8))
    nozzle, radius = solids.solid(swarm.mesh).exhaust
    offset = camera.relative(swarm.positions) + rotation.rotate(swarm.orientations, swarm.scale * nozzle)
    direction = rotation.rotate(swarm.orientations, np.array([0.0, 0.0, -1.0]))
    return np.column_stack(
        [offset, direction, np.full(len(offset), swarm.scale * radius), np.clip(swarm.throttles, 0.0, 1.0)]
    )
