"""Draws the moving picture of the README: a spacecraft that flips, next to the same spacecraft in game mode."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..drawing import FIRST_RIGHT, Array, Arrow, Line, Model, OrbitCamera, Picture, Trail, colours
from ..physics import World, rotation
from ..running import HIGH, Clip, Image, Patch, Renderer, caption, context
from ..scenes.free_body import upright
from ..scenes.tumble_cases import CASES

SIZE, SECONDS = (830, 400), 7
TICKS_PER_SECOND, FRAMES_PER_SECOND = 240, 15
QUALITY = 45
"""Of the compression. At 60, and with 30 frames per second, the file has 2.4 MB instead of 1 MB."""
CASE, RATES = CASES["flip"], (0.08, 0.10, 2.4)
"""The spacecraft, and its angular velocity at the start [rad/s], body frame; the intermediate axis is z."""
ASIDE, ABOVE, LENGTH, DISTANCE = 1.6, 0.14, 1.15, 5.2
"""Distance of a craft from the middle to the side and upwards, length of its arrows, distance of the camera, in radii of the craft."""
BELOW, TEXT_HEIGHT = 1.3, 16
"""Where the text is, in radii below a craft, and the height of its lines in pixels."""


class Craft:
    """One of the two craft, in a world of its own."""

    def __init__(self, side: float, game_mode: bool, *lines: str) -> None:
        self.lines = lines
        self.place = CASE.radius * (side * ASIDE * FIRST_RIGHT + (0.0, 0.0, ABOVE))
        self.world = World(1.0 / TICKS_PER_SECOND, game_mode=game_mode)
        properties = CASE.properties()
        orientation = upright(properties.inertia_body @ RATES)
        self.body = self.world.add_body(properties, orientation=orientation, angular_velocity_body=RATES)
        self._momentum = np.linalg.norm(self.body.angular_momentum_world)
        self._trail = Trail(SECONDS * TICKS_PER_SECOND)
        self.world.after_tick(lambda world: self._trail.append(self._nose()), every=2)

    def picture(self) -> Picture:
        """The craft with its angular momentum, its z axis and the path of that axis."""
        momentum = LENGTH * CASE.radius / self._momentum * self.body.angular_momentum_world
        return Picture(
            [Model(CASE.mesh, self.place, rotation.to_matrix(self.body.orientation))],
            arrows=[
                Arrow(self.place, momentum, colours.MOMENTUM, thickness=0.018 * CASE.radius),
                Arrow(self.place, self._nose() - self.place, colours.PATH, thickness=0.009 * CASE.radius),
            ],
            lines=[Line(self._trail.points(self._nose()), colours.PATH, 3.5, fades=True)],
        )

    def _nose(self) -> Array:
        """A point on the z axis ahead of the craft, world frame [m]."""
        return self.place + LENGTH * CASE.radius * self.body.direction_to_world((0.0, 0.0, 1.0))


def pair() -> list[Craft]:
    """The craft as it moves, and the craft in game mode."""
    return [
        Craft(-1.0, False, "with the gyroscopic term ω × Iω", "it flips; its angular momentum is conserved"),
        Craft(1.0, True, "without it, as in many games", "it never flips; its angular momentum wobbles"),
    ]


def frames(gl: Any, craft: list[Craft], count: int) -> Iterator[Image]:
    """Pictures of both, the first at the start."""
    camera = OrbitCamera(distance=DISTANCE * CASE.radius)
    renderer = Renderer(gl, SIZE, HIGH)
    text = [patch for one in craft for patch in _text(one, camera)]
    try:
        for _ in range(count):
            left, right = (one.picture() for one in craft)
            both = Picture(
                [*left.models, *right.models],
                arrows=[*left.arrows, *right.arrows],
                lines=[*left.lines, *right.lines],
            )
            renderer.draw(both, camera, text)
            yield renderer.read()
            for one in craft:
                one.world.step(TICKS_PER_SECOND // FRAMES_PER_SECOND)
    finally:
        renderer.release()


def _text(craft: Craft, camera: OrbitCamera) -> list[Patch]:
    left, top = camera.project(craft.place - (0.0, 0.0, BELOW * CASE.radius), SIZE) or (0.0, 0.0)
    return caption(craft.lines, colours.WORDS, TEXT_HEIGHT, (left, top))


def draw(path: Path, count: int = SECONDS * FRAMES_PER_SECOND) -> int:
    """Write the clip with this many frames; the exit status is 1 if OpenGL is not available."""
    canvas = context.open_canvas(SIZE, "flip", window=False)
    if canvas.context is None:
        print(f"OpenGL is not available: {canvas.reasons}", file=sys.stderr)
        return 1
    try:
        with Clip(path, SIZE, FRAMES_PER_SECOND, QUALITY) as clip:
            for image in frames(canvas.context, pair(), count):
                clip.append(image)
    finally:
        canvas.close()
    print(f"{path}: {path.stat().st_size // 1000} kB")
    return 0
