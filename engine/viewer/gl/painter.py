"""Draws a scene as it is now, with what is laid over it."""

from collections.abc import Collection
from typing import Any

import numpy as np

from ..files.png import Image
from ..hud.hud import Hud, notice
from ..picture.camera import WORLD_AXES, OrbitCamera, mounted
from ..picture.history import History
from ..picture.quality import HIGH, Quality
from ..picture.scene import Scene


class Painter:
    """A renderer and the plates of its HUD; the scene is only read."""

    def __init__(self, gl: Any, size: tuple[int, int], quality: Quality = HIGH) -> None:
        from .renderer import Renderer

        self.renderer = Renderer(gl, size, quality)
        self._hud = Hud()

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
            camera.axes = WORLD_AXES if picture.camera_axes is None else picture.camera_axes
            if picture.eye is not None:
                camera = mounted(picture.eye)
            patches = self._hud.patches(
                scene, picture, camera, size, history, pace=pace, keys=keys, help_shown=help_shown, level=level
            )
            self.renderer.draw(picture, camera, patches)

    def notice(self, text: str) -> None:
        """Write a line over the last frame; the scene is not read, so that this can be done in the middle of a tick."""
        self.renderer.lay([notice(text, self.renderer.size)])

    def image(self) -> Image:
        """The frame as an image, shape (height, width, 3)."""
        return self.renderer.read()

    def release(self) -> None:
        """Give everything back to the graphics card; nothing can be painted after."""
        self.renderer.release()
