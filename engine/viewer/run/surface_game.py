"""Runs a game that draws itself on a surface of pygame: in a window where there is one, else to a picture or a clip.

Without a window its autopilot flies. Such a run ends with the game's check of its physics.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from ...world import World
from ..files.png import Image
from ..gl import context
from . import headless
from .options import Options, plain_parser


class Game(Protocol):
    """What a game has to have."""

    world: World
    result: str
    """How it ended; empty before."""

    def fly_itself(self) -> None:
        """Take a frame of `FRAME` seconds; not called once there is a result."""


Draw = Callable[[Any, Any], None]
"""Draws a game on a surface of pygame."""

Check = Callable[[], list[str]]
"""Asserts the physics of a game, and returns what was found, one line per claim."""


def main(
    name: str,
    make_game: Callable[[int], Game],
    draw: Draw,
    play: Callable[[object, tuple[int, int]], None],
    check: Check,
    arguments: Sequence[str] | None = None,
) -> int:
    """Play the game, or let it fly itself; the exit status is 2 for bad options, 1 where something could not be done."""
    options = read_options(name, sys.modules[draw.__module__].__doc__ or "", arguments)
    try:
        headless.check_packages(options)
        trouble = _run(make_game, draw, play, check, options)
    except headless.Failure as failure:
        return headless.fail(name, str(failure))
    if trouble:
        print(context.how_to_get_a_window({"window": trouble}))
    return 0


def read_options(name: str, description: str, arguments: Sequence[str] | None) -> Options:
    """The command line of such a game."""
    reader = plain_parser(name, description.partition("\n")[0], Options)
    reader.epilog = (
        "Without a window the autopilot flies. This demo has only one drawing quality and ignores --quality."
    )
    return reader.parse(arguments)


class GameFlight:
    """A game that its autopilot flies.

    Nobody waits for a frame here, so ticks wait for the compiler, as in `flight.SceneFlight`.
    """

    drawn_with = "drawn with pygame"

    def __init__(self, game: Game, draw: Draw, size: tuple[int, int], check: Check) -> None:
        self._game, self._draw, self._size, self.check = game, draw, size, check
        game.world.compilation = "wait"

    def frames(self, count: int) -> Iterator[int]:
        """Let the game fly itself for so many frames, of which those after its end change nothing."""
        for number in range(1, count + 1):
            if not self._game.result:
                self._game.fly_itself()
            yield number

    def image(self) -> Image:
        """The current frame, shape (height, width, 3)."""
        import pygame

        surface = pygame.Surface(self._size, depth=24)
        self._draw(self._game, surface)
        return np.ascontiguousarray(pygame.surfarray.array3d(surface).swapaxes(0, 1))

    def outcome(self) -> str:
        """How the game ended, if it has."""
        return self._game.result.lower() or "still in flight"


def _run(
    make_game: Callable[[int], Game],
    draw: Draw,
    play: Callable[[object, tuple[int, int]], None],
    check: Check,
    options: Options,
) -> str:
    """Play the game or let it fly itself; returns why there is no window, if one was wanted."""
    import pygame

    pygame.font.init()
    try:
        game, trouble = make_game(options.seed), "" if options.headless else _why_no_window()
        if options.headless or trouble:
            headless.run(GameFlight(game, draw, options.size, check), options)
        else:
            play(game, options.size)
    finally:
        pygame.quit()
    return trouble


def _why_no_window() -> str:
    """Empty where somebody can look at a window of pygame and press keys."""
    import pygame

    try:
        pygame.display.init()
    except pygame.error as error:
        return str(error)
    driver = pygame.display.get_driver()
    return f"SDL chose its driver {driver!r}, which displays nothing" if driver in ("dummy", "offscreen") else ""
