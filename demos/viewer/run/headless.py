"""A run without a window: to a picture, to a clip, or to the telemetry where there is no OpenGL."""

import argparse
from pathlib import Path

from ..files.png import Image, write_png
from ..files.recording import FRAMES_A_SECOND, Clip, Progress
from ..gl import context
from ..gl.painter import Painter
from ..hud import hud
from ..hud.telemetry import telemetry_picture
from ..picture.camera import OrbitCamera
from ..picture.quality import HIGH, TIERS
from ..picture.scene import FRAME, Scene
from .flight import Flight

FRAMES_A_CLIP_FRAME = round(1.0 / (FRAMES_A_SECOND * FRAME))


class Failure(Exception):
    """What went wrong, in one line for the user."""


def fly(scene: Scene, camera: OrbitCamera, canvas: context.Canvas, options: argparse.Namespace) -> None:
    """Fly the frames asked for, write what was asked for, check the physics; `Failure` says what could not be done."""
    flight = Flight(scene)
    if canvas.context is None:
        _fly_unseen(flight, canvas, options)
    else:
        painter = Painter(canvas.context, options.size, TIERS.get(options.quality, HIGH))
        _fly_seen(flight, painter, camera, canvas.kind, options)
        if not options.headless:
            print(context.how_to_get_a_window(canvas.reasons))
    if flight.trouble:
        raise Failure(flight.trouble)
    try:
        for line in scene.check():
            print(f"checked: {line}")
    except AssertionError as error:
        raise Failure(f"the physics failed its check: {error}") from error


def _fly_seen(flight: Flight, painter: Painter, camera: OrbitCamera, kind: str, options: argparse.Namespace) -> None:
    if options.record is not None:
        count = _record(flight, painter, camera, options)
        frames = f"{count} frames at {FRAMES_A_SECOND} a second"
        _report(flight, options.record, options.size, f"drawn with {kind}, {frames}")
    else:
        for _ in flight.frames(options.frames):
            pass
    if options.out is not None:
        painter.paint(flight.scene, camera, flight.history)
        _write(flight, options.out, painter.image(), f"drawn with {kind}, {flight.frame_count} frames")


def _record(flight: Flight, painter: Painter, camera: OrbitCamera, options: argparse.Namespace) -> int:
    """Record the flight; returns how many frames the clip has. What was recorded stays, whatever ends the flight."""
    progress = Progress(str(options.record), options.frames)
    count = 0
    try:
        with Clip(options.record, options.size) as clip:
            for number in flight.frames(options.frames * FRAMES_A_CLIP_FRAME):
                if number % FRAMES_A_CLIP_FRAME == 0:
                    painter.paint(flight.scene, camera, flight.history)
                    clip.append(painter.image())
                    count += 1
                    progress.show(count)
    except OSError as error:
        raise Failure(_cannot_write(options.record, error)) from error
    except ImportError as error:
        raise Failure(f"the package av is broken ({error}); python -m demos doctor says how to mend it") from error
    finally:
        progress.end()
    return count


def _fly_unseen(flight: Flight, canvas: context.Canvas, options: argparse.Namespace) -> None:
    """Without OpenGL: say so, and draw the curves of the flight."""
    print("No OpenGL could be had, so there is no picture of the scene:")
    for kind, reason in canvas.reasons.items():
        print(f"  {kind}: {reason}")
    for line in context.advice():
        print(line)
    each = 1 if options.record is None else FRAMES_A_CLIP_FRAME
    for _ in flight.frames(options.frames * each):
        pass
    out = options.out or options.record
    picture = flight.scene.picture()
    status = [hud.status_lines(flight.scene)[1], *picture.status]
    image = telemetry_picture(flight.history, picture.title, status, options.size)
    _write(flight, out.with_name(f"{out.stem}-telemetry.png"), image, f"telemetry, {flight.frame_count} frames")


def _write(flight: Flight, path: Path, image: Image, what: str) -> None:
    path = path if path.suffix.lower() == ".png" else Path(f"{path}.png")
    try:
        write_png(path, image)
    except OSError as error:
        raise Failure(_cannot_write(path, error)) from error
    _report(flight, path, (image.shape[1], image.shape[0]), what)


def _report(flight: Flight, path: Path, size: tuple[int, int], what: str) -> None:
    print(f"{path}: {size[0]} × {size[1]} pixels, {what}, {flight.scene.world.time:.2f} s of flight")


def _cannot_write(path: Path, error: OSError) -> str:
    return f"cannot write {path}: {error.strerror or error}"
