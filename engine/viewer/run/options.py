"""The options that all demos share, and the command line that they are read from, with one-line error messages."""

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NoReturn, TypeVar

from ... import integrators
from ..command import PROGRAM
from ..files.recording import FORMATS, FRAMES_A_SECOND
from ..picture.quality import TIERS
from ..picture.scene import HUDS, LAYERS

FRAMES = 600
"""The default number of frames of a run without a window."""

CLIP_FRAMES = 300
"""The default number of frames of a clip, which is ten seconds."""

LARGEST_SIDE = 8192  # pixels; what every OpenGL 3.3 driver of today can draw into


@dataclass(frozen=True, kw_only=True)
class Options:
    """What the command line of every program says that shows something.

    Example:
        >>> from engine.viewer import running
        >>> running.plain_parser("ship", "Shows a ship.", running.Options).parse(["--size", "320x180"]).size
        (320, 180)
    """

    headless: bool
    """Whether to run without a window."""
    frames: int
    """Number of frames of a run without a window: of `FRAME` seconds each, or the frames of the clip."""
    out: Path | None
    """The file for the last frame."""
    record: Path | None
    """The file for a clip."""
    skip: int
    """Number of frames of 1/30 s that are run before the clip begins."""
    every: int
    """A clip has one of so many frames of 1/30 s."""
    quality: str
    """The name of a tier of `quality.TIERS`, or "auto"."""
    size: tuple[int, int]
    """Width and height [pixel]."""
    seed: int


@dataclass(frozen=True, kw_only=True)
class SceneOptions(Options):
    """What the command line of a program with a scene says; one with options of its own adds them in a subclass.

    Example:
        >>> from engine.viewer import running
        >>> running.parser("ship", "Shows a ship.", running.SceneOptions).parse(["--hud", "line"]).hud
        'line'
    """

    camera: tuple[float, float, float] | None
    """Yaw and pitch [degree] and distance [radii of the scene]; None for the camera of the scene."""
    integrator: str | None
    """The name of a method; None for the default of the engine."""
    game_mode: bool
    dt: float
    """Length of a tick [s]."""
    telemetry: Path | None
    """The file for the curves of the whole run."""
    hud: str
    """How much of the display lies over the picture, one of `HUDS`."""
    hide: frozenset[str]
    """The layers of `LAYERS` that are left out."""
    orbit: float
    """How fast the camera turns about the scene [degree/s]."""


Kind = TypeVar("Kind", bound=Options)


class Parser(argparse.ArgumentParser, Generic[Kind]):
    """A parser that returns typed options and reports errors in one line with exit status 2, where argparse would also print the usage.

    Example:
        >>> from engine.viewer import running
        >>> reader = running.plain_parser("ship", "Shows a ship.", running.Options)
        >>> reader.parse(["--seed", "7", "--frames", "60"]).seed
        7
    """

    def __init__(self, name: str, description: str, kind: type[Kind]) -> None:
        """Make a parser without options.

        Args:
            name: The name of the demo.
            description: The text above the options in the help.
            kind: The class of the options to return, with a field for each option.
        """
        super().__init__(f"{PROGRAM} {name}", description=description, allow_abbrev=False)
        self._kind = kind

    def error(self, message: str) -> NoReturn:
        """Print what is wrong and exit.

        Example:
            >>> from engine.viewer import running
            >>> running.plain_parser("ship", "Shows a ship.", running.Options).error("no fuel")
            Traceback (most recent call last):
            SystemExit: 2
        """
        self.exit(2, f"{self.prog}: {message} (--help lists the options)\n")

    def parse(self, arguments: Sequence[str] | None) -> Kind:
        """Read the arguments, with negative numbers allowed in vectors; naming frames or a file implies no window.

        Example:
            >>> from engine.viewer import running
            >>> running.plain_parser("ship", "Shows a ship.", running.Options).parse(["--frames", "60"]).headless
            True
        """
        given = sys.argv[1:] if arguments is None else arguments
        # argparse takes "-1,0,2" and "-1e-3" for options, unless there is a blank before them.
        wanted = self.parse_args(
            [f" {word}" if word[:1] == "-" and word[1:2] in tuple("0123456789.") else word for word in given]
        )
        clip = wanted.record is not None
        if clip and wanted.record.suffix.lower() == ".mp4" and any(side % 2 for side in wanted.size):
            self.error(f"--record: an .mp4 needs an even width and height; got {wanted.size[0]}x{wanted.size[1]}")
        wanted.headless |= clip or wanted.frames is not None or wanted.out is not None
        wanted.headless |= getattr(wanted, "telemetry", None) is not None
        if wanted.frames is None:
            wanted.frames = CLIP_FRAMES if clip else FRAMES
        if wanted.out is None and not clip:
            wanted.out = Path("out") / f"{self.prog.split()[-1]}.png"
        return self._kind(**vars(wanted))


def plain_parser(name: str, description: str, kind: type[Kind]) -> Parser[Kind]:
    """A parser of the options that all such programs share.

    Example:
        >>> from engine.viewer import running
        >>> running.plain_parser("ship", "Shows a ship.", running.Options).parse([]).headless
        False
    """
    result = Parser(name, description, kind)
    _add_output(result, name)
    _add_drawing(result)
    result.add_argument("--seed", type=whole_number, default=0, metavar="N", help="random seed (default 0)")
    return result


def parser(name: str, description: str, kind: type[Kind], *, dt: str = "1/240") -> Parser[Kind]:
    """A parser of the options of programs with a scene; a program adds its own. `dt` is the default length of a tick [s].

    Example:
        >>> from engine.viewer import running
        >>> running.parser("ship", "Shows a ship.", running.SceneOptions, dt="1/50").parse([]).dt
        0.02
    """
    result = plain_parser(name, description, kind)
    _add_scene(result, dt)
    return result


def _add_output(result: argparse.ArgumentParser, name: str) -> None:
    """The output of a run without a window."""
    result.add_argument(
        "--headless", action="store_true", help="run without a window and write the last frame to a picture"
    )
    result.add_argument(
        "--frames",
        type=frame_count,
        metavar="N",
        help=f"run N frames without a window, of 1/60 s each (default {FRAMES}), "
        f"or of 1/{FRAMES_A_SECOND} s each with --record (default {CLIP_FRAMES})",
    )
    result.add_argument(
        "--out",
        type=Path,
        metavar="FILE.png",
        help=f"run without a window and write the picture here (default {Path('out') / f'{name}.png'})",
    )
    result.add_argument(
        "--skip",
        type=whole_number,
        default=0,
        metavar="N",
        help=f"with --record, run N/{FRAMES_A_SECOND} s before the clip begins (default 0)",
    )
    result.add_argument(
        "--every",
        type=frame_count,
        default=1,
        metavar="N",
        help="with --record, keep one frame of N: fewer per second, and a smaller file (default 1)",
    )
    result.add_argument(
        "--record",
        type=clip_file,
        metavar="FILE.mp4",
        help=f"run without a window and write a clip here, {FRAMES_A_SECOND} frames per second of simulated time; "
        f"{', '.join(FORMATS)} (needs the package av)",
    )


def _add_drawing(result: argparse.ArgumentParser) -> None:
    """The options of drawing."""
    result.add_argument(
        "--quality",
        choices=[*TIERS, "auto"],
        default="auto",
        help="drawing quality; auto is the best that the machine can afford in a window, and high in pictures and clips "
        "(default auto)",
    )
    result.add_argument(
        "--size",
        type=pixels,
        default=(1280, 720),
        metavar="WxH",
        help="size of the window or picture (default 1280x720)",
    )


def _add_scene(result: argparse.ArgumentParser, dt: str) -> None:
    """The options of the camera, of the curves and of the simulation."""
    result.add_argument(
        "--telemetry",
        type=Path,
        metavar="FILE.png",
        help="run without a window and draw the curves of the whole run here",
    )
    result.add_argument(
        "--camera",
        type=view,
        metavar="YAW,PITCH,DISTANCE",
        help="camera position: two angles in degrees, and the distance in radii of the scene",
    )
    result.add_argument(
        "--hud",
        choices=HUDS,
        default="full",
        help="the display over the picture: off, one line with title and time, or full with curves and numbers (default full)",
    )
    result.add_argument(
        "--hide",
        type=layers,
        default=frozenset(),
        metavar="LAYERS",
        help=f"leave out these layers, separated by commas: {', '.join(LAYERS)}",
    )
    result.add_argument(
        "--orbit",
        type=turn_rate,
        default=0.0,
        metavar="DEGREES_PER_SECOND",
        help="turn the camera about the scene at this rate, positive to the right (default 0)",
    )
    result.add_argument(
        "--integrator", type=integrator, metavar="NAME", help=f"one of {', '.join(integrators.by_name)}"
    )
    result.add_argument("--game-mode", action="store_true", help="drop the gyroscopic term ω × Iω, as many games do")
    result.add_argument(
        "--dt",
        type=tick,
        default=dt,
        metavar="SECONDS",
        help=f"length of a tick, also as a fraction such as 1/120 (default {dt})",
    )


def add_pace(reader: argparse.ArgumentParser, usual: float, unseen: float, bounds: tuple[float, float]) -> None:
    """Add the option `--pace`, None unless it is given.

    Args:
        reader: The parser of a demo.
        usual: Simulated seconds per second in a window.
        unseen: The same without a window.
        bounds: Slowest and fastest pace.

    Example:
        >>> from engine.viewer import running
        >>> reader = argparse.ArgumentParser()
        >>> running.add_pace(reader, usual=1.0, unseen=10.0, bounds=(0.1, 100.0))
        >>> reader.parse_args(["--pace", "5"]).pace
        5.0
    """
    least, most = bounds

    def pace(text: str) -> float:
        value = _number(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"must be a number from {least:g} to {most:g}; got {text.strip()!r}")
        return value

    reader.add_argument(
        "--pace",
        type=pace,
        metavar="N",
        help=f"simulated seconds per second (default {usual:g} in a window and {unseen:g} without one)",
    )


def frame_count(text: str) -> int:
    """A whole number of frames, at least one."""
    try:
        count = int(text)
    except ValueError:
        count = 0
    if count < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number, at least 1; got {text.strip()!r}")
    return count


def clip_file(text: str) -> Path:
    """A file whose ending names a kind of clip."""
    path = Path(text)
    if path.suffix.lower() not in FORMATS:
        raise argparse.ArgumentTypeError(f"must end in {', '.join(FORMATS)}; got {text!r}")
    return path


def view(text: str) -> tuple[float, float, float]:
    """Yaw and pitch [degree] and distance [radii of the scene] of the camera."""
    values = [_number(word) for word in text.split(",")]
    if len(values) != 3 or not (abs(values[0]) <= 360.0 and abs(values[1]) <= 86.0 and 1.2 <= values[2] <= 50.0):
        rule = "must be YAW,PITCH,DISTANCE: degrees up to 360 and 86, and from 1.2 to 50 radii"
        raise argparse.ArgumentTypeError(f"{rule}; got {text.strip()!r}")
    return values[0], values[1], values[2]


def layers(text: str) -> frozenset[str]:
    """Names of layers, separated by commas."""
    names = frozenset(" ".join(word.split()) for word in text.split(",") if word.strip())
    if not names or not names <= set(LAYERS):
        unknown = sorted(names - set(LAYERS))
        raise argparse.ArgumentTypeError(
            f"must be layers among {', '.join(LAYERS)}, separated by commas; got {', '.join(unknown) or text.strip()!r}"
        )
    return names


def turn_rate(text: str) -> float:
    """Degrees per second, up to 360 in size."""
    rate = _number(text)
    if not abs(rate) <= 360.0:
        raise argparse.ArgumentTypeError(
            f"must be a number of degrees per second from -360 to 360; got {text.strip()!r}"
        )
    return rate


def whole_number(text: str) -> int:
    """A whole number, at least zero."""
    if not text.strip().isdecimal():
        raise argparse.ArgumentTypeError(f"must be a whole number, at least 0; got {text.strip()!r}")
    return int(text)


def pixels(text: str) -> tuple[int, int]:
    """Width and height of a picture, as in 1280x720."""
    width, _, height = text.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise argparse.ArgumentTypeError(f"must be WIDTHxHEIGHT in pixels, such as 1280x720; got {text.strip()!r}")
    size = int(width), int(height)
    if not (16 <= min(size) and max(size) <= LARGEST_SIDE):
        raise argparse.ArgumentTypeError(
            f"must lie between 16 and {LARGEST_SIDE} pixels per side; got {text.strip()!r}"
        )
    return size


def integrator(text: str) -> str:
    """The name of an existing integrator."""
    if text not in integrators.by_name:
        raise argparse.ArgumentTypeError(
            f"no integrator is called {text.strip()!r}; choose one of {', '.join(integrators.by_name)}"
        )
    return text


def tick(text: str) -> float:
    """Seconds per tick, from 1e-5 to 1."""
    dt = _number(text)
    if not 1e-5 <= dt <= 1.0:
        raise argparse.ArgumentTypeError(f"must be a number of seconds from 1e-5 to 1; got {text.strip()!r}")
    return dt


def numbers(text: str) -> list[float]:
    """Numbers separated by commas, each zero or from 1e-12 to 1e12 in size, or a fraction such as 1/3."""
    values = [_number(word) for word in text.split(",") if word.strip()]
    if not values or not all(value == 0.0 or 1e-12 <= abs(value) <= 1e12 for value in values):
        raise argparse.ArgumentTypeError(
            f"must be numbers separated by spaces or commas, each zero or from 1e-12 to 1e12 in size; got {text.strip()!r}"
        )
    return values


def add_numbers(reader: argparse.ArgumentParser, option: str, one: str, text: str) -> None:
    """Add an option that takes "1,2,3" and "1 2 3" alike; its value is a tuple of numbers, or None.

    Example:
        >>> from engine.viewer import running
        >>> reader = argparse.ArgumentParser()
        >>> running.add_numbers(reader, "--spin", "W", "three rates [rad/s]")
        >>> reader.parse_args(["--spin", "1,2", "3"]).spin
        (1.0, 2.0, 3.0)
    """
    reader.add_argument(option, type=numbers, nargs="+", action=_Joined, metavar=one, help=text)


class _Joined(argparse.Action):
    """Joins groups of numbers into one tuple."""

    def __call__(self, _: object, namespace: argparse.Namespace, values: Any, __: str | None = None) -> None:
        setattr(namespace, self.dest, tuple(value for group in values for value in group))


def _number(text: str) -> float:
    numerator, slash, denominator = text.partition("/")
    try:
        return float(numerator) / float(denominator) if slash else float(numerator)
    except (ValueError, ZeroDivisionError):
        return math.nan
