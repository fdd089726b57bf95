"""Draws a scene as it is now, with what is laid over it."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from ..files.png import Image
from ..hud.hud import Hud, labels, notice
from ..picture.camera import OrbitCamera, mounted
from ..picture.history import History
from ..picture.quality import HIGH, Quality
from ..picture.scene import Inset, Picture, Scene
from .renderer import Renderer
from .resources import GL

INSET_DISTANCE = 3.4
"""Of the camera from the middle of an inset, in radii of what it shows."""


class Painter:
    """A renderer and the plates of its HUD; the scene is only read."""

    def __init__(self, gl: GL, size: tuple[int, int], quality: Quality = HIGH) -> None:
        self.renderer = Renderer(gl, size, quality)
        self._hud = Hud()
        self._insets: dict[int, Renderer] = {}
        """A renderer per size, for the insets one after the other."""

    def paint(
        self,
        scene: Scene,
        camera: OrbitCamera,
        history: History,
        *,
        hidden: Collection[str] = (),
        pace: str = "",
        keys: str = "",
        help_shown: bool = False,
        level: str = "full",
    ) -> None:
        """Draw one frame without the layers that are hidden; it stays in the renderer until it is shown or read.

        `level` is one of `HUDS`.
        """
        camera.target = scene.target
        size = self.renderer.size
        camera.stand_back(scene.wide, size)
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # what has flown beyond a float32 is not seen, and no reason to end
            picture = scene.picture().without(hidden)
            if picture.camera_axes is not None:
                camera.axes = picture.camera_axes
            if picture.eye is not None:
                camera = mounted(picture.eye)
            patches = self._hud.patches(
                scene,
                picture,
                camera,
                size,
                history,
                pace=pace,
                keys=keys,
                help_shown=help_shown,
                level=level,
                draw_inset=lambda inset, side: self._inset(inset, camera, side),
            )
            self.renderer.draw(picture, camera, patches)

    def _inset(self, inset: Inset, camera: OrbitCamera, side: int) -> Image:
        """The picture of an inset, seen from the side from which `camera` looks; its letters are those of its arrows."""
        if side not in self._insets:
            self._release_insets()
            quality = replace(self.renderer.quality, shadow_size=0)
            kind = type(self.renderer)
            self._insets[side] = kind(self.renderer.context, (side, side), quality, has_backdrop=False)
        renderer = self._insets[side]
        distance = INSET_DISTANCE * inset.radius
        eye = OrbitCamera(camera.yaw, camera.pitch, distance, inset.middle, camera.axes)
        picture = Picture(inset.models, arrows=inset.arrows, lines=inset.lines)
        renderer.draw(picture, eye, labels(picture, eye, renderer.size))
        return renderer.read()

    def _release_insets(self) -> None:
        for renderer in self._insets.values():
            renderer.release()
        self._insets.clear()

    def notice(self, text: str) -> None:
        """Write a line over the last frame; the scene is not read, so that this can be done in the middle of a tick."""
        self.renderer.lay([notice(text, self.renderer.size)])

    def image(self) -> Image:
        """The frame as an image, shape (height, width, 3)."""
        return self.renderer.read()

    def release(self) -> None:
        """Give everything back to the graphics card; nothing can be painted after."""
        self._release_insets()
        self.renderer.release()
