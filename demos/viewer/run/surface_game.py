"""Runs a game that draws itself on a surface of pygame: in a window where there is one, else to a picture or a clip.

Without a window its autopilot flies. Such a run ends with the game's check of its physics.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ..files.png import Image, write_png
from ..files.recording import FRAMES_A_SECOND, Clip, Progress
from ..gl import context
from ..picture.scene import FRAME
from . import options

FRAMES_A_CLIP_FRAME = round(1.0 / (FRAMES_A_SECOND * FRAME))


class Game(Protocol):
    """What a game has to have."""

    result: str
    """How it ended; empty before."""

    def fly_itself(self) -> None:
        """Take a frame of `FRAME` seconds; not called once there is a result."""


Draw = Callable[[Any, Any], None]
"""Draws a game on a surface of pygame."""


def main(
    name: str,
    make_game: Callable[[int], Game],
    draw: Draw,
    play: Callable[[Any, tuple[int, int]], None],
    check: Callable[[], list[str]],
    arguments: Sequence[str] | None = None,
) -> int:
    """Play the game, or let it fly itself; the exit status is 2 for bad options, 1 where something could not be done."""
    wanted = read_options(name, sys.modules[draw.__module__].__doc__ or "", arguments)
    if wanted.record is not None and context.is_missing("av"):
        return _fail(name, "--record needs the package av: pip install av")
    import pygame

    pygame.font.init()
    game, trouble = make_game(wanted.seed), "" if wanted.headless else _why_no_window()
    try:
        if not wanted.headless and not trouble:
            play(game, wanted.size)
            return 0
        fly(game, draw, wanted)
        lines = check()
    except OSError as error:
        return _fail(name, f"cannot write {error.filename or wanted.out or wanted.record}: {error.strerror or error}")
    except ImportError as error:
        return _fail(name, f"the package av is broken ({error}); python -m demos doctor says how to mend it")
    except AssertionError as error:
        return _fail(name, f"the physics failed its check: {error}")
    finally:
        pygame.quit()
    for line in lines:
        print(f"checked: {line}")
    if trouble:
        print(context.how_to_get_a_window({"window": trouble}))
    return 0


def read_options(name: str, description: str, arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line of such a game."""
    reader = options.plain_parser(name, description.partition("\n")[0])
    reader.epilog = "Without a window the autopilot flies. This demo is drawn in one quality, whatever --quality says."
    return reader.parse(arguments)


def fly(game: Game, draw: Draw, wanted: argparse.Namespace) -> None:
    """Let the game fly itself for the frames asked for, and write what was asked for."""
    if wanted.record is None:
        _advance(game, wanted.frames)
    else:
        _record(game, draw, wanted)
        _report(wanted.record, wanted.size, f"{wanted.frames} frames at {FRAMES_A_SECOND} a second", game)
    if wanted.out is not None:
        path = wanted.out if wanted.out.suffix.lower() == ".png" else Path(f"{wanted.out}.png")
        write_png(path, picture(game, draw, wanted.size))
        _report(path, wanted.size, f"{wanted.frames} frames", game)


def _advance(game: Game, frames: int) -> None:
    for _ in range(frames):
        if not game.result:
            game.fly_itself()


def picture(game: Game, draw: Draw, size: tuple[int, int]) -> Image:
    """The present frame of a game, shape (height, width, 3)."""
    import pygame

    surface = pygame.Surface(size, depth=24)
    draw(game, surface)
    return np.ascontiguousarray(pygame.surfarray.array3d(surface).swapaxes(0, 1))


def _record(game: Game, draw: Draw, wanted: argparse.Namespace) -> None:
    progress = Progress(str(wanted.record), wanted.frames)
    try:
        with Clip(wanted.record, wanted.size) as clip:
            for count in range(1, wanted.frames + 1):
                _advance(game, FRAMES_A_CLIP_FRAME)
                clip.append(picture(game, draw, wanted.size))
                progress.show(count)
    finally:
        progress.end()


def _report(path: Path, size: tuple[int, int], what: str, game: Game) -> None:
    print(f"{path}: {size[0]} × {size[1]} pixels, {what}, {game.result.lower() or 'still in flight'}")


def _why_no_window() -> str:
    """Empty where somebody can look at a window of pygame and press keys."""
    import pygame

    try:
        pygame.display.init()
    except pygame.error as error:
        return str(error)
    driver = pygame.display.get_driver()
    return f"SDL took its driver {driver!r}, which shows nothing" if driver in ("dummy", "offscreen") else ""


def _fail(name: str, message: str) -> int:
    print(f"python -m demos {name}: {message}", file=sys.stderr)
    return 1
