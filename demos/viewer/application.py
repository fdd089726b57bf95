"""Runs a scene: in a window where there is one, else to a picture, else to its telemetry.

A run that ends by itself ends with the scene's check of its physics.
"""

import argparse
import sys
import time
from collections import deque
from collections.abc import Callable
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from demos.viewer import context, hud
from demos.viewer.camera import OrbitCamera
from demos.viewer.controls import Controls
from demos.viewer.options import FRAME
from demos.viewer.png import Image, write_png
from demos.viewer.scene import Sample, Scene
from demos.viewer.telemetry import telemetry_picture

SAMPLES_KEPT = 36_000  # ten minutes of frames
FRAMES_A_SECOND = 60
TICK_REFUSED = (ArithmeticError, ValueError)
"""What the engine raises for a tick it cannot take, with too long a `dt` for instance."""
FRAMES_JUDGED, SLOW_FRAME = 12, 0.045
"""A renderer whose first frames take longer than this [s] goes on without multisampling.

Measured in software at 1280 × 720: 74 ms a frame with it, 31 without.
"""
DISTANCE = 5.0  # of the camera from the target, in radii of the scene


def main(name: str, make_scene: Callable[[argparse.Namespace], Scene], options: argparse.Namespace) -> int:
    """Make the scene and run it; options that make no body or no world are answered in one line, with exit status 2."""
    try:
        scene = make_scene(options)
    except ValueError as error:
        print(f"python -m demos {name}: {str(error).replace('physical=False', '--allow-unphysical')}", file=sys.stderr)
        return 2
    return run(name, scene, options)


def run(name: str, scene: Scene, options: argparse.Namespace) -> int:
    """Show the scene; the exit status is 1 where its physics failed its check or the picture could not be written."""
    title = f"{name} · Polhode"
    canvas = context.open_canvas(options.size, title, window=not options.headless)
    camera = OrbitCamera(distance=DISTANCE * scene.radius, target=scene.target)
    try:
        if canvas.is_window:
            _window_loop(scene, camera, canvas, options.size)
            return 0
        return _headless(name, scene, camera, canvas, options)
    finally:
        canvas.close()


def render(scene: Scene, camera: OrbitCamera, gl: Any, size: tuple[int, int]) -> Image:
    """One frame of the scene as an image, drawn with a context of moderngl."""
    from demos.viewer.renderer import Renderer

    renderer = Renderer(gl, size)
    picture = scene.picture()
    renderer.draw(picture, camera, hud.patches(scene, picture, camera, size))
    return renderer.read()


def _headless(name: str, scene: Scene, camera: OrbitCamera, canvas: context.Canvas, options: argparse.Namespace) -> int:
    samples: deque[Sample] = deque([scene.sample()], SAMPLES_KEPT)
    trouble = ""
    try:
        for _ in range(options.frames):
            scene.world.advance(FRAME)
            samples.append(scene.sample())
    except TICK_REFUSED as error:  # what was before that tick is still there to see
        trouble = f"stopped at {scene.world.time:g} s: {error}"
    out = options.out if options.out.suffix.lower() == ".png" else Path(f"{options.out}.png")
    if canvas.context is not None:
        image, what = render(scene, camera, canvas.context, options.size), f"drawn with {canvas.kind}"
    else:
        _print_no_opengl(canvas)
        out = out.with_name(f"{out.stem}-telemetry.png")
        picture = scene.picture()
        status = [hud.status_lines(scene)[1], *picture.status]
        image, what = telemetry_picture(list(samples), picture.title, status, options.size), "telemetry"
    try:
        write_png(out, image)
    except OSError as error:
        return _fail(name, f"cannot write {out}: {error.strerror or error}")
    print(
        f"{out}: {image.shape[1]} × {image.shape[0]} pixels, {what}, {len(samples) - 1} frames, {scene.world.time:.2f} s of flight"
    )
    if canvas.context is not None and not options.headless:
        print(context.how_to_get_a_window(canvas.reasons))
    if trouble:
        return _fail(name, trouble)
    try:
        for line in scene.check():
            print(f"checked: {line}")
    except AssertionError as error:
        return _fail(name, f"the physics failed its check: {error}")
    return 0


def _window_loop(scene: Scene, camera: OrbitCamera, canvas: context.Canvas, size: tuple[int, int]) -> None:
    import pygame

    from demos.viewer.renderer import Renderer

    controls, renderer = Controls(scene, camera), Renderer(canvas.context, size)
    pygame.key.set_repeat(350, 40)
    clock, trouble = pygame.time.Clock(), ""
    held: set[str] = set()
    drawing_times: list[float] = []
    while not controls.quitting:
        for event in pygame.event.get():
            handle_event(event, controls, renderer, held)
        try:
            scene.world.advance(clock.tick(FRAMES_A_SECOND) / 1000.0)
        except TICK_REFUSED as error:
            scene.world.paused, trouble = True, str(error)
        camera.target = scene.target
        picture = scene.picture()
        keys = trouble if trouble and scene.world.paused else "H: keys"
        began = time.perf_counter()
        renderer.draw(
            picture,
            camera,
            hud.patches(scene, picture, camera, renderer.size, keys=keys, help_shown=controls.help_shown),
        )
        renderer.show()
        pygame.display.flip()
        if len(drawing_times) < FRAMES_JUDGED:
            drawing_times.append(time.perf_counter() - began)
            if len(drawing_times) == FRAMES_JUDGED and median(drawing_times) > SLOW_FRAME:
                renderer.resize(renderer.size, samples=0)


def handle_event(event: Any, controls: Controls, renderer: Any, held: set[str]) -> None:
    """Turn one of pygame's events into an action; `held` keeps the keys that are down, since pygame does not mark repeats."""
    import pygame

    if event.type == pygame.QUIT:
        controls.quit()
    elif event.type == pygame.KEYDOWN:
        key = _key_names().get(event.key, "")
        controls.press(key, repeated=key in held)
        held.add(key)
    elif event.type == pygame.KEYUP:
        held.discard(_key_names().get(event.key, ""))
    elif event.type == pygame.MOUSEMOTION and any(event.buttons):
        controls.drag(*event.rel)
    elif event.type == pygame.MOUSEWHEEL:
        controls.zoom(event.y)
    elif event.type == pygame.VIDEORESIZE and event.w > 0 and event.h > 0:
        renderer.resize((event.w, event.h))


@cache
def _key_names() -> dict[int, str]:
    import pygame

    return {value: name.removeprefix("K_") for name, value in vars(pygame).items() if name.startswith("K_")}


def _print_no_opengl(canvas: context.Canvas) -> None:
    print("No OpenGL could be had, so there is no picture of the scene:")
    for kind, reason in canvas.reasons.items():
        print(f"  {kind}: {reason}")
    for line in context.advice():
        print(line)


def _fail(name: str, message: str) -> int:
    print(f"python -m demos {name}: {message}", file=sys.stderr)
    return 1
