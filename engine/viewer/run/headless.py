"""The run of a scene or a game without a window, to a picture or a clip; it ends with the check of the physics."""

import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Protocol

from ..command import PROGRAM, install
from ..files.png import Image, write_png
from ..files.recording import FRAMES_A_SECOND, Clip, Progress
from ..gl import context
from ..picture.scene import FRAME
from .options import Options

FRAMES_A_CLIP_FRAME = round(1.0 / (FRAMES_A_SECOND * FRAME))


class Failure(Exception):
    """What went wrong, in one line for the user."""


class Flight(Protocol):
    """What can run without a window, such as a scene with its painter or a game with its autopilot."""

    drawn_with: str
    """How the pictures are made."""

    def frames(self, count: int) -> Iterator[int]:
        """Advance by up to `count` frames of `FRAME` seconds, and yield the number of frames after each."""

    def image(self) -> Image:
        """The current frame, shape (height, width, 3)."""

    def outcome(self) -> str:
        """How far the flight has come, in a few words."""

    def check(self) -> list[str]:
        """Assert the physics on the run so far; return what was found, one line per claim.

        Raises:
            AssertionError: A claim does not hold.
            Failure: The flight could not be completed.
        """


def check_packages(options: Options) -> None:
    """Raise `Failure` if an option needs a package that is missing."""
    if options.record is not None and context.is_missing("av"):
        raise Failure(f"--record needs the package av: {install('record')}")


def run(flight: Flight, options: Options) -> None:
    """Run the requested frames, write the requested files, and print the findings of the check.

    Raises:
        Failure: A file could not be written, or the physics failed its check.
    """
    frame_count = _record(flight, options.record, options) if options.record is not None else _advance(flight, options)
    if options.out is not None:
        _write(flight, options.out, frame_count)
    try:
        lines = flight.check()
    except AssertionError as error:
        raise Failure(f"the physics failed its check: {error}") from error
    for line in lines:
        print(f"checked: {line}")


def fail(name: str, message: str) -> int:
    """Print in one line what went wrong with a demo, and return the exit status for it."""
    print(f"{PROGRAM} {name}: {message}", file=sys.stderr)
    return 1


def _advance(flight: Flight, options: Options) -> int:
    """Run the frames without drawing them; returns how many there were."""
    return max(flight.frames(options.frames), default=0)


def frames_of_clip(options: Options) -> int:
    """How many frames of `FRAME` seconds are run for the clip, or without one."""
    return (options.skip + options.frames * options.every) * FRAMES_A_CLIP_FRAME if options.record else options.frames


def _record(flight: Flight, path: Path, options: Options) -> int:
    """Record the flight, and return how many frames there were. What was recorded stays, whatever ends the flight."""
    progress = Progress(str(path), options.frames)
    rate = Fraction(FRAMES_A_SECOND, options.every)
    number = drawn = 0
    try:
        with Clip(path, options.size, rate) as clip:
            for number in flight.frames(frames_of_clip(options)):
                frame, rest = divmod(number, FRAMES_A_CLIP_FRAME)
                if rest == 0 and frame > options.skip and (frame - options.skip) % options.every == 0:
                    clip.append(flight.image())
                    drawn += 1
                    progress.show(drawn)
    except OSError as error:
        raise Failure(_cannot_write(path, error)) from error
    except ImportError as error:
        raise Failure(f"the package av is broken ({error}); {PROGRAM} doctor says how to fix it") from error
    finally:
        progress.end()
    _report(flight, path, options.size, f"{drawn} frames at {rate} per second")
    return number


def write(out: Path, image: Image) -> Path:
    """Write a picture to a file whose name is made to end in .png; returns the file."""
    path = out if out.suffix.lower() == ".png" else Path(f"{out}.png")
    try:
        write_png(path, image)
    except OSError as error:
        raise Failure(_cannot_write(path, error)) from error
    return path


def _write(flight: Flight, out: Path, frame_count: int) -> None:
    image = flight.image()
    path = write(out, image)
    _report(flight, path, (image.shape[1], image.shape[0]), f"{frame_count} frames")


def _report(flight: Flight, path: Path, size: tuple[int, int], frames: str) -> None:
    print(f"{path}: {size[0]} × {size[1]} pixels, {flight.drawn_with}, {frames}, {flight.outcome()}")


def _cannot_write(path: Path, error: OSError) -> str:
    return f"cannot write {path}: {error.strerror or error}"
