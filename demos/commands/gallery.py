"""Draws all pictures of the README and the gallery with one command: `python -m demos pictures [FOLDER]`."""

import importlib
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ..running import PROGRAM, Clip, context
from . import flip

FOLDER = Path("demos") / "pictures"

PICTURES = {
    "tumble.webp": ("tumble", "--case flip --frames 430"),
    "top.webp": ("top", "--frames 480"),
    "integrators.webp": ("integrators", "--frames 900"),
    "swarm.webp": ("swarm", "--frames 480"),
    "fleet.webp": ("fleet", "--frames 420"),
    "orbit.webp": ("orbit", "--frames 440"),
    "detumble.webp": ("detumble", "--frames 150"),
    "attitude.webp": ("attitude", "--frames 300"),
    "approach.webp": ("approach", "--frames 215"),
    "arm.webp": ("arm", "--frames 235"),
    "dock.webp": ("dock", "--frames 135"),
    "embed.webp": ("embed", "--frames 420"),
}
"""File, demo and its options; the quality is the highest, as for all pictures without a window."""

FLIP = "flip.webp"
SIZE, QUALITY = "960x540", 75
"""Pixels, and the quality of the compression: the files are a tenth as large as PNG. The README shows them 270 pixels wide."""


def main(arguments: Sequence[str] = ()) -> int:
    """Draw all pictures into a folder; ends at the first that fails, with its exit status."""
    if len(arguments) > 1 or any(argument.startswith("-") for argument in arguments):
        print(f"usage: {PROGRAM} pictures [FOLDER] (default {FOLDER})", file=sys.stderr)
        return 0 if set(arguments) <= {"-h", "--help"} else 2
    if context.is_missing("av"):
        print(f"{PROGRAM} pictures needs the package av: pip install av", file=sys.stderr)
        return 1
    folder = Path(arguments[0]) if arguments else FOLDER
    return draw(folder) or flip.draw(folder / FLIP)


def draw(folder: Path, *more: str) -> int:
    """Draw the pictures of all demos with these further options; the exit status of the last."""
    with tempfile.TemporaryDirectory() as passing:
        for file, (demo, options) in PICTURES.items():
            drawn = (Path(passing) / file).with_suffix(".png")
            words = [*options.split(), "--headless", "--size", SIZE, *more, "--out", str(drawn)]
            status = importlib.import_module(f"..{demo}", __package__).main(words)
            if status:
                return status
            compress(drawn, folder / file)
    return 0


def compress(drawn: Path, path: Path) -> None:
    """Write a picture again in the format that the ending of a path names."""
    import av

    with av.open(str(drawn)) as file:
        image = next(file.decode(video=0)).to_ndarray(format="rgb24")
    with Clip(path, (image.shape[1], image.shape[0]), quality=QUALITY) as clip:
        clip.append(image)
    print(f"{path}: {path.stat().st_size // 1000} kB")
