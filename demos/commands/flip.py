"""Draws the moving picture of the README: a spacecraft that flips, next to the same spacecraft in game mode."""

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..drawing import FIRST_RIGHT, Array, Arrow, Line, Model, OrbitCamera, Picture, Trail, colours
from ..internals import HIGH, Clip, Image, Patch, Renderer, caption, context
from ..physics import World, rotation
from ..scenes.free_body import period_of_rates, upright
from ..scenes.tumble_cases import CASES

SIZE, FRAMES, FRAMES_PER_SECOND = (830, 400), 105, 15
QUALITY = 34
"""Of the compression: the greatest with which the file has less than a million bytes."""
CASE, RATES = CASES["flip"], (0.307813515174, 0.3, 2.4)
"""The spacecraft, and its angular velocity at the start [rad/s], body frame; the intermediate axis is z. When these rates repeat, the
orientation does, too."""
TURNS = 4
"""Of the spacecraft in game mode in that time. Its spin is 7 % slower, so that they are whole turns."""
TICKS_PER_FRAME, UP = 20, np.array([0.0, 0.0, 1.0])
ASIDE, ABOVE, LONG, SHORT, DISTANCE = 1.5, 0.08, 1.28, 1.02, 5.0
"""Distance of a craft from the middle to the side and upwards, lengths of L and of its axis, distance of the camera, in radii of the
craft."""
TRAIL = 0.45
"""Length of the paths, in periods."""
BELOW, TEXT_HEIGHT = 1.27, 20
"""Where the text is, in radii below a craft, and the height of its lines in pixels."""


def period() -> float:
    """The time [s] after which the rates of the spacecraft, and here its orientation, repeat."""
    moments, axes = CASE.properties().principal()
    return period_of_rates(moments, moments * (axes.T @ RATES))


class Craft:
    """One of the two craft, in a world of its own, which has moved for one period when the clip begins."""

    def __init__(self, side: float, game_mode: bool, *lines: str) -> None:
        self.lines = lines
        self.place = CASE.radius * (side * ASIDE * FIRST_RIGHT + (0.0, 0.0, ABOVE))
        ticks = FRAMES * TICKS_PER_FRAME
        self.world = World(period() / ticks, game_mode=game_mode)
        properties, rates = CASE.properties(), np.array(RATES)
        if game_mode:
            rates *= math.tau * TURNS / (period() * float(np.linalg.norm(rates)))
        orientation = upright(properties.inertia_body @ rates)
        self.body = self.world.add_body(properties, orientation=orientation, angular_velocity_body=rates)
        self._momentum = np.linalg.norm(self.body.angular_momentum_world)
        self._nose, self._tip = Trail(round(TRAIL * ticks / 4)), Trail(round(TRAIL * ticks / 4))
        self.world.after_tick(self._remember, every=4)
        self.world.step(ticks)

    def picture(self) -> Picture:
        """The craft with its angular momentum, its z axis, and the paths of both."""
        return Picture(
            [Model(CASE.mesh, self.place, rotation.to_matrix(self.body.orientation))],
            arrows=[
                Arrow(self.place, self.momentum(), colours.MOMENTUM, thickness=0.020 * CASE.radius),
                Arrow(self.place, self._axis(), colours.PATH, thickness=0.010 * CASE.radius),
            ],
            lines=[
                Line(self.place + self._nose.points(self._axis()), colours.PATH, 3.5, fades=True),
                Line(self.place + self._tip.points(self.momentum()), colours.MOMENTUM, 3.5, fades=True),
            ],
        )

    def momentum(self) -> Array:
        """The angular momentum as it is drawn, world frame [m]."""
        return LONG * CASE.radius / self._momentum * self.body.angular_momentum_world

    def _axis(self) -> Array:
        """The z axis as it is drawn, world frame [m]."""
        return SHORT * CASE.radius * self.body.direction_to_world((0.0, 0.0, 1.0))

    def _remember(self, world: World) -> None:
        self._nose.append(self._axis())
        self._tip.append(self.momentum())


def pair() -> list[Craft]:
    """The craft as it moves, and the craft in game mode."""
    return [
        Craft(-1.0, False, "with the gyroscopic term ω × Iω", "it flips, and its L is conserved"),
        Craft(1.0, True, "without it, as in many games", "it never flips, and its L wobbles"),
    ]


def frames(gl: Any, craft: list[Craft], count: int) -> Iterator[Image]:
    """Pictures of both, the first at the start."""
    camera = OrbitCamera(distance=DISTANCE * CASE.radius)
    renderer = Renderer(gl, SIZE, HIGH)
    text = [patch for one in craft for patch in (*_text(one, camera), *_letter(one, camera))]
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
                one.world.step(TICKS_PER_FRAME)
    finally:
        renderer.release()


def _text(craft: Craft, camera: OrbitCamera) -> list[Patch]:
    left, top = camera.project(craft.place - (0.0, 0.0, BELOW * CASE.radius), SIZE) or (0.0, 0.0)
    return caption(craft.lines, colours.WORDS, TEXT_HEIGHT, (left, top))


def _letter(craft: Craft, camera: OrbitCamera) -> list[Patch]:
    """The L beside the tip of the angular momentum, where its path does not reach."""
    left, top = camera.project(craft.place + LONG * CASE.radius * UP, SIZE) or (0.0, 0.0)
    return caption(["L"], colours.MOMENTUM, TEXT_HEIGHT, (left + 1.8 * TEXT_HEIGHT, top - 0.8 * TEXT_HEIGHT))


def draw(path: Path, count: int = FRAMES) -> int:
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
