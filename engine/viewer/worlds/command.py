"""`polhode view FILE` shows a scene file or a record in a window, or writes a picture of it."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ...saving.recorder import Record
from ...world import World
from ..command import PROGRAM
from ..files.png import write_png
from ..picture.scene import FRAME
from ..run import options
from .replay import replay
from .viewer import SIZE, render, view

_RECORD = b"POLHODE RECORD"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit status."""
    reader = argparse.ArgumentParser(f"{PROGRAM} view", description=__doc__.replace("`", ""), allow_abbrev=False)
    reader.add_argument(
        "file", type=Path, metavar="FILE", help="a scene that World.save wrote, or a record of a Recorder"
    )
    reader.add_argument("--follow", metavar="BODY", help="the name of the body in the middle (default: all bodies)")
    reader.add_argument("--size", type=options.pixels, default=SIZE, metavar="WxH", help="default 1280x720")
    reader.add_argument("--out", type=Path, metavar="FILE.png", help="write a picture and open no window")
    reader.add_argument(
        "--frames",
        type=options.frame_count,
        default=1,
        metavar="N",
        help="frames of 1/60 s before the picture (default 1)",
    )
    wanted = reader.parse_args(sys.argv[1:] if arguments is None else arguments)
    try:
        world = _world_of(wanted.file)
        if wanted.out is None:
            view(world, follow=wanted.follow, size=wanted.size, title=wanted.file.name)
            return 0
        for _ in range(wanted.frames):
            world.advance(FRAME)
        write_png(wanted.out, render(world, wanted.size, follow=wanted.follow))
        print(f"{wanted.out}: {wanted.size[0]} × {wanted.size[1]} pixels, {world.time:g} s")
    except (OSError, ValueError, RuntimeError, ArithmeticError) as error:
        print(f"{PROGRAM} view: {error}", file=sys.stderr)
        return 1
    return 0


def _world_of(path: Path) -> World:
    with path.open("rb") as file:
        is_record = file.read(len(_RECORD)) == _RECORD
    return replay(Record.read(path), "polhode view") if is_record else World.load(path, missing="drop")
