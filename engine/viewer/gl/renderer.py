"""Draws a `Picture` with OpenGL: what is near in linear light, over a kept backdrop, through bloom and tone map to the screen."""

from collections.abc import Iterable

import numpy as np

from ..files.png import Image
from ..hud.overlay import Patch
from ..picture import view
from ..picture.camera import OrbitCamera
from ..picture.quality import HIGH, Quality
from ..picture.scene import Picture
from .backdrop import Backdrop
from .bloom import STRENGTH, Bloom
from .framebuffers import Framebuffers
from .instances import Batches, gather, gather_ghosts
from .lines import Lines
from .patches import Patches
from .plumes import Plumes, flames, plume_rows
from .programs import screen_pass
from .resources import GL, Resources
from .shadow import ShadowMap
from .solids import SHADOW_UNIT, Solids

FOREGROUND_UNIT, BACKDROP_UNIT, BLOOM_UNIT = 2, 3, 4
"""Texture units; 0 is for passes with one texture, 1 for the shadow map."""


class Renderer:
    """Everything that one context needs to draw frames of one size; `release` gives it back.

    Without a backdrop, what is near lies on plain black.
    """

    def __init__(
        self, context: GL, size: tuple[int, int], quality: Quality = HIGH, *, has_backdrop: bool = True
    ) -> None:
        self.context, self.quality, self._has_backdrop = context, quality, has_backdrop
        self._resources = Resources()
        own = self._resources.own
        self._solids, self._plumes, self._lines = own(Solids(context)), own(Plumes(context)), own(Lines(context))
        self._backdrop, self._bloom, self._shadow = own(Backdrop(context)), own(Bloom(context)), own(ShadowMap(context))
        self._patches = own(Patches(context))
        self._view = own(context.buffer(reserve=view.BYTES))
        self._tone_program, self._tone = map(own, screen_pass(context, "tonemap"))
        for name, unit in (("foreground", FOREGROUND_UNIT), ("backdrop", BACKDROP_UNIT), ("bloom", BLOOM_UNIT)):
            self._tone_program[name].value = unit
        self._framebuffers: GL = None
        self.resize(size)

    def resize(self, size: tuple[int, int], quality: Quality | None = None) -> None:
        """Make ready for frames of this many pixels across and down, of this quality where one is named."""
        self.size, self.quality = size, quality or self.quality
        if self._framebuffers is not None:
            self._framebuffers.release()
        samples = min(self.quality.samples, self.context.max_samples)
        self._framebuffers = Framebuffers(self.context, size, samples)
        self._backdrop.resize(size, self.quality.sky_scale)
        self._bloom.resize(size if self.quality.bloom else (1, 1))
        self._shadow.resize(self.quality.shadow_size)
        # what is laid over a frame needs the size of the picture, also before the first frame of this size
        self._write_view(OrbitCamera(), np.eye(4), 0.0, np.zeros((view.FLAMES, 4)))

    def draw(self, picture: Picture, camera: OrbitCamera, patches: Iterable[Patch] = ()) -> None:
        """Draw one frame; it stays in the renderer until it is shown or read."""
        batches = gather(picture, camera)
        pixels = 0.5 * self.size[1] / camera.half_height
        self._solids.place(batches, pixels, self.quality.speck)
        matrix, texels = self._shadow.matrix(camera, self._casting_radius(picture, camera))
        planet = view.PLANET if picture.planet is None else picture.planet
        self._write_view(camera, matrix, texels, flames(picture, camera), planet)
        if self._has_backdrop:
            self._backdrop.draw(camera, planet)
        self._shadow.draw(self._solids, batches)
        self._draw_foreground(picture, camera, batches, pixels)
        self._finish()
        self._patches.draw(patches)

    def lay(self, patches: Iterable[Patch]) -> None:
        """Lay patches over the frame that was drawn last."""
        self._framebuffers.finished.use()
        self._patches.draw(patches)

    def show(self) -> None:
        """Copy the frame to the window. Not by a blit: moderngl would cut it to the size that the window was born with."""
        width, height = self.size
        self.context.screen.use()
        self.context.viewport = 0, 0, width, height
        self.context.enable_only(self.context.NOTHING)
        self._framebuffers.frame.use()
        self._patches.rectangle(0, height, width, -height)  # textures begin at the bottom

    def read(self) -> Image:
        """The frame as an image, shape (height, width, 3), top row first."""
        data = np.frombuffer(self._framebuffers.finished.read(components=3, alignment=1), np.uint8)
        return data.reshape(self.size[1], self.size[0], 3)[::-1].copy()

    def release(self) -> None:
        """Give everything back to the graphics card; nothing can be drawn after."""
        self._framebuffers.release()
        self._resources.release()

    def _write_view(
        self,
        camera: OrbitCamera,
        sun_map: view.Array,
        texels: float,
        lights: view.Array,
        planet: view.Array = view.PLANET,
    ) -> None:
        """Hand over what every shader knows of the frame."""
        self._view.write(view.pack(camera, self.size, sun_map, texels, lights, planet))
        self._view.bind_to_uniform_block(0)

    def _casting_radius(self, picture: Picture, camera: OrbitCamera) -> float:
        """Of the sphere about the camera's target that holds all that casts shadows [m]."""
        reaches = [
            float(np.linalg.norm(np.subtract(model.position, camera.target)))
            + self._solids.solid(model.mesh).radius * float(np.linalg.norm(model.matrix, 2))
            for model in picture.models
            if model.casts_shadow and model.opacity >= 1.0
        ]
        return max(reaches, default=0.0)

    def _draw_foreground(self, picture: Picture, camera: OrbitCamera, batches: Batches, pixels: float) -> None:
        context, target = self.context, self._framebuffers.foreground
        target.use()
        target.clear(depth=1.0)
        context.enable_only(context.DEPTH_TEST)
        self._shadow.texture.use(SHADOW_UNIT)
        self._solids.draw(batches)
        ghosts = gather_ghosts(picture, camera)
        # What shines through: colours are premultiplied, so light that covers nothing is added.
        context.enable_only(context.DEPTH_TEST | context.BLEND | context.PROGRAM_POINT_SIZE)
        context.blend_func = context.ONE, context.ONE_MINUS_SRC_ALPHA
        target.depth_mask = False
        self._solids.draw_specks(batches)
        if ghosts:
            target.depth_mask = True
            self._solids.draw_ghosts(target, ghosts, pixels)
            context.enable_only(context.DEPTH_TEST | context.BLEND | context.PROGRAM_POINT_SIZE)
            target.depth_mask = False
        self._plumes.draw(plume_rows(picture, camera, self._solids), pixels)
        self._lines.draw(picture.lines, camera, view.pixel_scale(self.size))
        target.depth_mask = True
        self._framebuffers.resolve()

    def _finish(self) -> None:
        """From light to the frame, which stays the target in use."""
        light, bloom = self._framebuffers.light, self.quality.bloom
        backdrop = self._backdrop.texture
        (self._bloom.draw(light, backdrop) if bloom else light).use(BLOOM_UNIT)
        light.use(FOREGROUND_UNIT)
        backdrop.use(BACKDROP_UNIT)
        self._tone_program["bloom_strength"].value = STRENGTH if bloom else 0.0
        self._framebuffers.finished.use()
        self.context.enable_only(self.context.NOTHING)
        self._tone.render(self.context.TRIANGLES, vertices=3)
