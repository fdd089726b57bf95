"""The shadow map: how far the sun's light gets, seen from the sun, over a disc about the camera's target."""

import numpy as np
import numpy.typing as npt

from ..picture.camera import OrbitCamera
from ..picture.scene import SUN
from .instances import Batches
from .resources import GL, Resources
from .solids import Solids

Array = npt.NDArray[np.float64]

FARTHEST = 0.6  # radius of the map over the camera's distance, at most: what is out of the picture needs no shadow
DEPTH = 4.0  # half the depth of the map over its radius; what lies nearer to the sun is pressed onto its face


class ShadowMap:
    """One orthographic map; of size 0 it leaves everything sunlit."""

    def __init__(self, context: GL) -> None:
        self._context, self._resources = context, Resources()
        self._across = np.cross(SUN, np.eye(3)[np.argmin(np.abs(SUN))])
        self._across /= np.linalg.norm(self._across)

    def resize(self, size: int) -> None:
        """Make a map with so many texels a side."""
        self._resources.release()
        self.size = size
        self.texture = self._resources.own(self._context.depth_texture((max(size, 1),) * 2))
        self.texture.compare_func = "<="
        self.texture.repeat_x = self.texture.repeat_y = False
        self._target = self._resources.own(self._context.framebuffer(depth_attachment=self.texture))

    def matrix(self, camera: OrbitCamera, radius: float) -> tuple[Array, float]:
        """From eye-relative world points to the map, for row vectors, shape (4, 4), and texels in a metre.

        Args:
            camera: Its target is the middle of the map.
            radius: About the target [m], of what casts shadows.
        """
        radius = max(min(radius, FARTHEST * camera.reach), 1e-3 * camera.reach)
        axes = np.column_stack([self._across, np.cross(SUN, self._across), -SUN / DEPTH]) / radius
        matrix = np.eye(4)
        matrix[:3, :3] = axes
        matrix[3, :3] = -np.asarray(camera.relative(camera.target), float) @ axes
        return matrix, self.size / (2.0 * radius)

    def draw(self, solids: Solids, batches: Batches) -> None:
        """Draw the casters into the map."""
        if self.size:
            self._target.use()
            self._target.clear(depth=1.0)
            self._context.enable_only(self._context.DEPTH_TEST)
            solids.cast(batches)

    def release(self) -> None:
        """Give everything back."""
        self._resources.release()
