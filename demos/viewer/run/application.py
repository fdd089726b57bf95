"""Runs a scene: in a window where there is one, else to a picture, else to its telemetry.

A run that ends by itself ends with the scene's check of its physics.
"""

import argparse
import math
import sys
from collections.abc import Callable
from typing import Any

from ..files.png import Image
from ..gl import context
from ..gl.painter import Painter
from ..picture.camera import OrbitCamera
from ..picture.history import History
from ..picture.quality import HIGH, Quality
from ..picture.scene import Scene
from . import headless, window

DISTANCE = 5.0  # of the camera from the target, in radii of the scene


def main(name: str, make_scene: Callable[[argparse.Namespace], Scene], options: argparse.Namespace) -> int:
    """Make the scene and run it; options that make no body or no world are answered in one line, with exit status 2."""
    if options.record is not None and context.is_missing("av"):
        return _fail(name, "--record needs the package av: pip install av")
    try:
        scene = make_scene(options)
    except ValueError as error:
        print(f"python -m demos {name}: {str(error).replace('physical=False', '--allow-unphysical')}", file=sys.stderr)
        return 2
    return run(name, scene, options)


def run(name: str, scene: Scene, options: argparse.Namespace) -> int:
    """Show the scene; the exit status is 1 where its physics failed its check or the picture could not be written."""
    canvas = context.open_canvas(options.size, f"{name} · Polhode", window=not options.headless)
    camera = camera_for(scene, options.camera)
    try:
        if canvas.is_window:
            window.show(scene, camera, canvas.context, options.size, options.quality)
        else:
            headless.fly(scene, camera, canvas, options)
    except headless.Failure as failure:
        return _fail(name, str(failure))
    finally:
        canvas.close()
    return 0


def camera_for(scene: Scene, view: tuple[float, float, float] | None = None) -> OrbitCamera:
    """A camera that sees the whole scene, from the side named by yaw and pitch [degree] and distance in radii of the scene."""
    camera = OrbitCamera(distance=DISTANCE * scene.radius, target=scene.target)
    if view is not None:
        yaw, pitch, distance = view
        camera.yaw, camera.pitch, camera.distance = math.radians(yaw), math.radians(pitch), distance * scene.radius
    return camera


def render(scene: Scene, camera: OrbitCamera, gl: Any, size: tuple[int, int], quality: Quality = HIGH) -> Image:
    """One frame of the scene as an image, drawn with a context of moderngl."""
    history = History()
    history.append(scene.sample())
    painter = Painter(gl, size, quality)
    try:
        painter.paint(scene, camera, history)
        return painter.image()
    finally:
        painter.release()


def _fail(name: str, message: str) -> int:
    print(f"python -m demos {name}: {message}", file=sys.stderr)
    return 1
