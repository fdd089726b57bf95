"""Draws the exhaust of thrusters: those of the picture, and the ones behind the craft of its swarms."""

import numpy as np
import numpy.typing as npt

from ... import rotation
from ..picture.camera import OrbitCamera
from ..picture.scene import Picture, Swarm
from ..picture.view import FLAMES
from .programs import program
from .resources import GL, Resources
from .solids import Solids

Rows = npt.NDArray[np.float32]
FAINTEST = 1e-3
"""A throttle below this gives no light."""
FINE = 1.6
"""A nozzle with a radius of fewer pixels has no plume with a shape, but a spark."""
BRIGHTEST, SHINE = 2.5, 14.0
"""Of a plume at full throttle: where its light comes from, in radii of the nozzle, and its strength over the radius squared."""


class Plumes:
    """Plumes with a shape, and sparks for those far away; one call each."""

    def __init__(self, context: GL) -> None:
        self._resources = Resources()
        self._plumes, self._sparks = (self._resources.own(Exhausts(context, name)) for name in ("plume", "spark"))

    def draw(self, rows: Rows, pixels: float) -> None:
        """Add their light to the picture, over what is solid; `pixels` are those of a metre at a distance of one."""
        fine = pixels * rows[:, 6] < FINE * np.linalg.norm(rows[:, :3], axis=1)
        self._plumes.draw(rows[~fine])
        self._sparks.draw(rows[fine])

    def release(self) -> None:
        """Give everything back."""
        self._resources.release()


class Exhausts:
    """One buffer of plumes for one program; nothing hides what lies behind a plume."""

    def __init__(self, context: GL, name: str) -> None:
        self._context, self._resources = context, Resources()
        own = self._resources.own
        self._buffer = own(context.buffer(reserve=64 * 32))
        layout = (self._buffer, "3f 3f 1f 1f/i", "nozzle", "direction", "radius", "throttle")
        self._exhausts = own(context.vertex_array(own(program(context, name, name)), [layout]))

    def draw(self, rows: Rows) -> None:
        """Draw a plume for each row."""
        if not len(rows):
            return
        if rows.nbytes > self._buffer.size:
            self._buffer.orphan(2 * rows.nbytes)
        self._buffer.write(rows.tobytes())
        self._exhausts.render(self._context.TRIANGLE_STRIP, vertices=4, instances=len(rows))

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


def flames(picture: Picture, camera: OrbitCamera) -> npt.NDArray[np.float64]:
    """Where the strongest plumes of the picture shine from, relative to the eye [m], and how strongly [m²]; shape (FLAMES, 4)."""
    lights = np.zeros((FLAMES, 4))
    strongest = sorted(picture.plumes, key=lambda plume: -(plume.radius**2) * plume.throttle)[:FLAMES]
    for light, plume in zip(lights, strongest, strict=False):
        light[:3] = camera.relative(plume.position + BRIGHTEST * plume.radius * plume.throttle * plume.direction)
        light[3] = SHINE * plume.radius**2 * plume.throttle
    return lights


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
