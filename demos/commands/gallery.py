"""Draws all pictures of the README with one command: `python -m demos pictures [FOLDER]`."""

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

from ..viewer.command import PROGRAM

FOLDER = Path("demos") / "pictures"

PICTURES = {
    "tumble.png": ("tumble", "--case flip --frames 430"),
    "top.png": ("top", "--frames 480"),
    "integrators.png": ("integrators", "--frames 900"),
    "swarm.png": ("swarm", "--frames 480"),
    "embed.png": ("embed", "--frames 420"),
}
"""File, demo and its options; the quality is the highest, as for all pictures without a window."""


def main(arguments: Sequence[str] = ()) -> int:
    """Draw all pictures into a folder; ends at the first that fails, with its exit status."""
    if len(arguments) > 1 or any(argument.startswith("-") for argument in arguments):
        print(f"usage: {PROGRAM} pictures [FOLDER] (default {FOLDER})", file=sys.stderr)
        return 0 if set(arguments) <= {"-h", "--help"} else 2
    return draw(Path(arguments[0]) if arguments else FOLDER)


def draw(folder: Path, *more: str) -> int:
    """Draw all pictures with these further options; the exit status of the last."""
    folder.mkdir(parents=True, exist_ok=True)
    for file, (demo, options) in PICTURES.items():
        words = [*options.split(), "--headless", *more, "--out", str(folder / file)]
        status = importlib.import_module(f"..{demo}", __package__).main(words)
        if status:
            return status
    return 0
