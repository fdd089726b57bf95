"""Draws a `Picture` with OpenGL: sky, stars, meshes, arrows, lines, overlay, into a multisampled framebuffer of its own."""

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from demos.viewer import meshes
from demos.viewer.camera import FIELD_OF_VIEW, UP_WORLD, OrbitCamera
from demos.viewer.lines import segments
from demos.viewer.overlay import Patch
from demos.viewer.png import Image
from demos.viewer.scene import Arrow, Line, Picture

SHADERS = Path(__file__).parent / "shaders"
SUN = np.array([0.52, 0.30, 0.80]) / math.sqrt(0.52**2 + 0.30**2 + 0.80**2)
PLANET = (-0.137, -0.220, -0.966, 0.743)
"""Direction of its middle from everywhere, and its radius over its distance: a backdrop, at infinity."""
SAMPLES = 4
STAR_COUNT = 2200
HEAD_LENGTH, HEAD_WIDTH = 6.5, 2.4
"""Of an arrow's head, in radii of its shaft."""


class Renderer:
    """Owns the shaders, the meshes and the framebuffers of one context."""

    def __init__(self, context: Any, size: tuple[int, int], samples: int = SAMPLES) -> None:
        self.context = context
        self._samples = samples
        self._programs = {name: self._program(name) for name in ("sky", "stars", "mesh", "line", "overlay")}
        self._meshes: dict[str, Any] = {}
        self._sky = context.vertex_array(self._programs["sky"], [])
        self._stars = context.vertex_array(
            self._programs["stars"], [(context.buffer(_stars().tobytes()), "3f 4f", "direction", "light")]
        )
        self._overlay = context.vertex_array(self._programs["overlay"], [])
        self._line_buffer = context.buffer(reserve=84 * 1024)
        self._line_vertices: Any = None
        self._framebuffers: list[Any] = []
        self.resize(size)

    def resize(self, size: tuple[int, int], samples: int | None = None) -> None:
        """Make the framebuffers for pictures of this many pixels across and down, with so many samples a pixel (0 for one)."""
        for framebuffer in self._framebuffers:
            framebuffer.release()
        self._samples = min(self._samples if samples is None else samples, self.context.max_samples)
        context, samples = self.context, self._samples
        self.size = size
        colour = context.renderbuffer(size, 4, samples=samples)
        depth = context.depth_renderbuffer(size, samples=samples)
        self._drawn = context.framebuffer([colour], depth)
        self._frame = context.texture(size, 4)
        self._resolved = context.framebuffer([self._frame])
        # The sky changes only when the camera turns. Kept as a picture it costs 10 ms, drawn anew 64 (software renderer, 1280 × 720).
        self._sky_frame = context.texture(size, 3)
        self._sky_drawn = context.framebuffer([self._sky_frame])
        self._sky_seen: tuple[float, ...] = ()
        self._framebuffers = [self._drawn, self._resolved, self._sky_drawn, colour, depth, self._frame, self._sky_frame]

    def draw(self, picture: Picture, camera: OrbitCamera, patches: Iterable[Patch] = ()) -> None:
        """Draw one frame; it stays in the renderer until it is shown or read."""
        aspect = self.size[0] / self.size[1]
        view_projection = camera.view_projection(aspect).astype("f4").tobytes()
        for name in ("stars", "mesh", "line"):
            self._programs[name]["view_projection"].write(view_projection)
        if self._sky_seen != tuple(camera.forward):
            self._draw_sky(camera, aspect)
            self._sky_seen = tuple(camera.forward)
        self._drawn.use()
        self._drawn.clear(depth=1.0)
        self._copy(self._sky_frame)
        self.context.enable_only(self.context.DEPTH_TEST)
        for model in picture.models:
            self._draw_mesh(model.mesh, camera.relative(model.position), model.matrix)
        for arrow in picture.arrows:
            self._draw_arrow(arrow, camera)
        self._draw_lines(picture.lines, camera)
        self.context.copy_framebuffer(self._resolved, self._drawn)
        self._draw_patches(patches)

    def show(self) -> None:
        """Copy the frame to the window. Not by a blit: moderngl would cut it to the size that the window was born with."""
        width, height = self.size
        self.context.screen.use()
        self.context.viewport = 0, 0, width, height
        self._copy(self._frame)

    def read(self) -> Image:
        """The frame as an image, shape (height, width, 3), top row first."""
        data = np.frombuffer(self._resolved.read(components=3, alignment=1), np.uint8)
        return data.reshape(self.size[1], self.size[0], 3)[::-1].copy()

    def _program(self, name: str) -> Any:
        vertex, fragment = ((SHADERS / f"{name}.{kind}").read_text(encoding="utf-8") for kind in ("vert", "frag"))
        return self.context.program(vertex_shader=vertex, fragment_shader=fragment)

    def _copy(self, texture: Any) -> None:
        """Fill the framebuffer in use with a texture of the same size."""
        width, height = map(float, self.size)
        program = self._programs["overlay"]
        program["viewport"].value = width, height
        program["place"].value = 0.0, height, width, -height  # textures begin at the bottom
        self.context.enable_only(self.context.NOTHING)
        texture.use()
        self._overlay.render(self.context.TRIANGLE_STRIP, vertices=4)

    def _draw_sky(self, camera: OrbitCamera, aspect: float) -> None:
        context, sky = self.context, self._programs["sky"]
        half_height = math.tan(math.radians(FIELD_OF_VIEW) / 2.0)
        right = np.cross(camera.forward, UP_WORLD)
        right /= np.linalg.norm(right)
        sky["forward"].value = tuple(camera.forward)
        sky["right"].value = tuple(right * half_height * aspect)
        sky["up"].value = tuple(np.cross(right, camera.forward) * half_height)
        sky["sun"].value = tuple(SUN)
        sky["planet"].value = self._programs["stars"]["planet"].value = PLANET
        self._sky_drawn.use()
        context.enable_only(context.NOTHING)
        self._sky.render(context.TRIANGLES, vertices=3)
        context.enable_only(context.BLEND | context.PROGRAM_POINT_SIZE)
        context.blend_func = context.SRC_ALPHA, context.ONE
        self._programs["stars"]["pixel_scale"].value = self.size[1] / 720.0
        self._stars.render(context.POINTS)

    def _draw_mesh(
        self,
        name: str,
        offset: npt.NDArray[np.float32],
        matrix: npt.NDArray[np.float64],
        paint: tuple[float, ...] = (1.0, 1.0, 1.0),
    ) -> None:
        program = self._programs["mesh"]
        if name not in self._meshes:
            buffer = self.context.buffer(meshes.triangles(name).tobytes())
            layout = (buffer, "3f 3f 3f 3f 2f", "position", "normal", "tint", "surface", "pattern_at")
            self._meshes[name] = self.context.vertex_array(program, [layout])
        program["sun"].value = tuple(SUN)
        program["paint"].value = paint[:3]
        program["offset"].value = tuple(map(float, offset))
        program["model"].write(np.ascontiguousarray(np.transpose(matrix), "f4").tobytes())  # OpenGL stores columns
        self._meshes[name].render(self.context.TRIANGLES)

    def _draw_arrow(self, arrow: Arrow, camera: OrbitCamera) -> None:
        length = float(np.linalg.norm(arrow.vector))
        if length < 1e-9:
            return
        along = arrow.vector / length
        across = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
        across /= np.linalg.norm(across)
        frame = np.column_stack([across, np.cross(along, across), along])
        head = min(HEAD_LENGTH * arrow.thickness, 0.5 * length)
        neck = length - head
        shaft_scale = np.array([arrow.thickness, arrow.thickness, neck])
        head_scale = np.array([HEAD_WIDTH * arrow.thickness, HEAD_WIDTH * arrow.thickness, head])
        self._draw_mesh("arrow-shaft", camera.relative(arrow.start), frame * shaft_scale, arrow.colour)
        self._draw_mesh("arrow-head", camera.relative(arrow.start + neck * along), frame * head_scale, arrow.colour)

    def _draw_lines(self, lines: Iterable[Line], camera: OrbitCamera) -> None:
        parts = [
            segments(camera.relative(line.points), line, self.size[1] / 720.0) for line in lines if len(line.points) > 1
        ]
        if not parts:
            return
        data = np.concatenate(parts)
        context, program = self.context, self._programs["line"]
        if data.nbytes > self._line_buffer.size or self._line_vertices is None:
            self._line_buffer.orphan(max(2 * data.nbytes, self._line_buffer.size))
            names = ("before", "start", "end", "after", "start_colour", "end_colour", "width")
            self._line_vertices = context.vertex_array(program, [(self._line_buffer, "3f 3f 3f 3f 4f 4f 1f/i", *names)])
        self._line_buffer.write(data.tobytes())
        program["viewport"].value = tuple(map(float, self.size))
        context.enable_only(context.DEPTH_TEST | context.BLEND)
        context.blend_func = context.SRC_ALPHA, context.ONE_MINUS_SRC_ALPHA
        self._drawn.depth_mask = False
        self._line_vertices.render(context.TRIANGLE_STRIP, vertices=4, instances=len(data))
        self._drawn.depth_mask = True

    def _draw_patches(self, patches: Iterable[Patch]) -> None:
        context, program = self.context, self._programs["overlay"]
        self._resolved.use()
        context.enable_only(context.BLEND)
        context.blend_func = context.ONE, context.ONE_MINUS_SRC_ALPHA
        program["viewport"].value = tuple(map(float, self.size))
        for patch in patches:
            height, width = patch.pixels.shape[:2]
            texture = context.texture((width, height), 4, patch.pixels.tobytes())
            texture.filter = context.NEAREST, context.NEAREST
            texture.use()
            program["place"].value = float(patch.left), float(patch.top), float(width), float(height)
            self._overlay.render(context.TRIANGLE_STRIP, vertices=4)
            texture.release()


def _stars() -> npt.NDArray[np.float32]:
    """Directions all over the sky and light, the same stars each time; few are bright."""
    random = np.random.default_rng(20240607)
    direction = random.normal(size=(STAR_COUNT, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    warmth = random.uniform(-1.0, 1.0, STAR_COUNT)
    brightness = 0.22 + 0.78 * random.power(0.25, STAR_COUNT)[:, np.newaxis] ** 1.5
    tint = np.column_stack([0.92 + 0.08 * warmth, 0.93 - 0.02 * np.abs(warmth), 0.94 - 0.12 * warmth])
    return np.hstack([direction, tint, brightness]).astype(np.float32)
