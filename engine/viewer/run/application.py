"""Runs a scene: in a window where there is one, else to a picture, else to its telemetry.

A run that ends by itself ends with the scene's check of its physics.
"""

import math
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from ..command import PROGRAM
from ..files.png import Image
from ..gl import context
from ..gl.painter import Painter
from ..gl.resources import GL
from ..picture.camera import OrbitCamera
from ..picture.history import History
from ..picture.quality import HIGH, TIERS, Quality
from ..picture.scene import Scene
from . import headless, window
from .flight import PaintedFlight, UnseenFlight
from .options import SceneOptions

DISTANCE = 5.0  # of the camera from the target, in radii of the scene


Wanted = TypeVar("Wanted", bound=SceneOptions)


def main(name: str, make_scene: Callable[[Wanted], Scene], options: Wanted) -> int:
    """Make a scene and show it: in a window where there is one, else as a picture, a clip or its curves.

    Args:
        name: The name of the program, for its messages.
        make_scene: Makes the scene from the options; a `ValueError` that it raises is printed in one line.
        options: The command line, read by `parser` or `plain_parser`.

    Returns:
        The exit status: 1 where something could not be done or the scene's check failed, 2 for options that make no scene.

    Example:
        >>> from engine.viewer import running
        >>> options = running.parser("ship", "Shows a ship.", running.SceneOptions).parse(["--frames", "60"])
        >>> running.main("ship", Ship, options)  # doctest: +SKIP
    """
    try:
        headless.check_packages(options)
        scene = make_scene(options)
    except headless.Failure as failure:
        return headless.fail(name, str(failure))
    except ValueError as error:
        print(f"{PROGRAM} {name}: {str(error).replace('physical=False', '--allow-unphysical')}", file=sys.stderr)
        return 2
    return run(name, scene, options)


def run(name: str, scene: Scene, options: SceneOptions) -> int:
    """Show the scene; the exit status is 1 where its physics failed its check or the picture could not be written."""
    canvas = context.open_canvas(options.size, f"{name} · Polhode", window=not options.headless)
    camera = camera_for(scene, options.camera)
    try:
        if canvas.is_window:
            window.show(
                scene,
                camera,
                canvas.context,
                options.size,
                options.quality,
                level=options.hud,
                hidden=options.hide,
                orbit=options.orbit,
            )
        elif canvas.context is None:
            _fly_unseen(scene, canvas, options)
        else:
            painter = Painter(canvas.context, options.size, TIERS.get(options.quality, HIGH))
            how: dict[str, Any] = {"level": options.hud, "hidden": options.hide, "orbit": options.orbit}
            _fly(PaintedFlight(scene, painter, camera, canvas.kind, **how), options)
            if not options.headless:
                print(context.how_to_get_a_window(canvas.reasons))
    except headless.Failure as failure:
        return headless.fail(name, str(failure))
    finally:
        canvas.close()
    return 0


def _fly_unseen(scene: Scene, canvas: context.Canvas, options: SceneOptions) -> None:
    """Run without OpenGL, after the reasons for its absence; the telemetry takes the place of the picture or the clip."""
    print("OpenGL is not available, so there is no picture of the scene:")
    for kind, reason in canvas.reasons.items():
        print(f"  {kind}: {reason}")
    for line in context.advice():
        print(line)
    out = options.out or options.record
    assert out is not None  # a run has one or the other
    out = out.with_name(f"{out.stem}-telemetry.png")
    options = replace(options, record=None, out=out, frames=headless.frames_of_clip(options))
    _fly(UnseenFlight(scene, options.size), options)


def _fly(flight: PaintedFlight | UnseenFlight, options: SceneOptions) -> None:
    """Run the flight without a window, and draw its curves also where its check fails."""
    try:
        headless.run(flight, options)
    finally:
        if options.telemetry is not None:
            print(f"{headless.write(options.telemetry, flight.curves(options.size))}: the curves of the run")


def camera_for(scene: Scene, view: tuple[float, float, float] | None = None) -> OrbitCamera:
    """A camera that sees the whole scene, from the side named by yaw and pitch [degree] and distance in radii of the scene."""
    camera = OrbitCamera(distance=DISTANCE * scene.radius, target=scene.target)
    if view is not None:
        yaw, pitch, distance = view
        camera.yaw, camera.pitch, camera.distance = math.radians(yaw), math.radians(pitch), distance * scene.radius
    return camera


def render(scene: Scene, camera: OrbitCamera, gl: GL, size: tuple[int, int], quality: Quality = HIGH) -> Image:
    """One frame of the scene as an image, drawn with a context of moderngl."""
    history = History()
    history.append(scene.sample())
    painter = Painter(gl, size, quality)
    try:
        painter.paint(scene, camera, history)
        return painter.image()
    finally:
        painter.release()
