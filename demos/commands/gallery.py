"""Draws the pictures of the README and the gallery with one command: `python -m demos pictures [FOLDER]`."""

import argparse
import importlib
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ..internals import PROGRAM, Clip, context
from . import flip

FOLDER = Path("demos") / "pictures"
CLIP_FOLDER = FOLDER / "clips"

PICTURES = {
    "tumble.webp": ("tumble", "--frames 430"),
    "top.webp": ("top", "--frames 480 --camera 38,17,3.3"),
    "integrators.webp": ("integrators", "--frames 900"),
    "swarm.webp": ("swarm", "--frames 360"),
    "fleet.webp": ("fleet", "--frames 420"),
    "orbit.webp": ("orbit", "--frames 440"),
    "detumble.webp": ("detumble", "--frames 20 --camera 218,17,4.2"),
    "attitude.webp": ("attitude", "--frames 300 --camera 38,17,3.9"),
    "approach.webp": ("approach", "--frames 215"),
    "arm.webp": ("arm", "--frames 235 --camera 38,17,3.9"),
    "dock.webp": ("dock", "--frames 120"),
    "lander.webp": ("lander", "--frames 890 --camera 38,15,2.9"),
    "pile.webp": ("pile", "--frames 870 --camera 28,25,3.3"),
    "embed.webp": ("embed", "--seed 6 --frames 560"),
}
"""File, demo and its options; the quality is the highest, as for all pictures without a window."""

FLIP = "flip.webp"
SIZE, QUALITY = "960x540", 75
"""Pixels, and the quality of the compression: the files are a tenth as large as PNG. The README shows them 400 pixels wide."""
CLIPS = {
    "tumble": (150, 90),
    "top": (60, 90),
    "integrators": (240, 90),
    "swarm": (60, 75),
    "fleet": (30, 90),
    "orbit": (150, 90),
    "detumble": (0, 60),
    "attitude": (90, 90),
    "approach": (0, 120),
    "arm": (30, 120),
    "dock": (0, 105),
    "lander": (380, 90),
    "pile": (12, 215),
    "embed": (210, 105),
}
"""Demo, and the frames of 1/30 s before its clip and the frames of the clip."""
WHOLE_CLIP = 0, 90
"""Of other demos."""
CLIP_SIZE, CLIP_EVERY = "640x360", 2
"""Pixels of a clip; it has fifteen frames per second."""
CLIP_BYTES, CLIP_FACTORS = 400_000, range(22, 40, 2)
"""A clip has the least of these factors of compression with which its file is not larger."""
WITHOUT_SCENE = ("embed",)
"""Demos that draw themselves, and have neither a display over the picture nor layers nor a camera."""


def main(arguments: Sequence[str] = ()) -> int:
    """Draw the pictures into a folder; ends at the first that fails, with its exit status."""
    try:
        wanted = _parser().parse_args(list(arguments))
    except SystemExit as end:
        return int(end.code or 0)
    if context.is_missing("av"):
        print(f"{PROGRAM} pictures needs the package av: pip install av", file=sys.stderr)
        return 1
    options = [f"--hud={wanted.hud}", *([f"--hide={wanted.hide}"] if wanted.hide else []), f"--orbit={wanted.orbit}"]
    if wanted.clips:
        return draw_clips(wanted.folder or CLIP_FOLDER, wanted.only, options)
    folder = wanted.folder or FOLDER
    status = draw(folder, only=wanted.only, options=options)
    if not status and not {FLIP, "flip"}.isdisjoint(wanted.only or [FLIP]):
        status = flip.draw(folder / FLIP)
    return status


def draw(folder: Path, *more: str, only: Sequence[str] = (), options: Sequence[str] = ("--hud=off",)) -> int:
    """Draw the pictures of the demos, or of these only, with these further options; the exit status of the last."""
    with tempfile.TemporaryDirectory() as passing:
        for file, (demo, own) in PICTURES.items():
            if only and demo not in only:
                continue
            drawn = (Path(passing) / file).with_suffix(".png")
            words = [*own.split(), *_of_scene(demo, options), "--headless", "--size", SIZE, *more, "--out", str(drawn)]
            status = _run(demo, words)
            if status:
                return status
            compress(drawn, folder / file)
    return 0


def draw_clips(folder: Path, only: Sequence[str], options: Sequence[str], *more: str) -> int:
    """Record a clip of each demo from its start, or of these only; the exit status of the last."""
    with tempfile.TemporaryDirectory() as passing:
        film = Path(passing) / "film.mp4"
        for demo, own in PICTURES.values():
            if only and demo not in only:
                continue
            skip, count = CLIPS.get(demo, WHOLE_CLIP)
            words = [*own.split(), "--skip", str(skip), "--every", str(CLIP_EVERY), "--frames", str(count)]
            words += [*_of_scene(demo, options), "--size", CLIP_SIZE, *more, "--record", str(film)]
            status = _run(demo, words)
            if status:
                return status
            compress_film(film, folder / f"{demo}.mp4")
    return 0


def compress_film(film: Path, path: Path) -> None:
    """Write a film again with the best quality that its number of bytes allows."""
    import av

    with av.open(str(film)) as file:
        rate = file.streams.video[0].average_rate
        frames = (frame.reformat(format="rgb24", src_colorspace="ITU709") for frame in file.decode(video=0))
        images = [frame.to_ndarray() for frame in frames]
    for factor in CLIP_FACTORS:
        with Clip(path, (images[0].shape[1], images[0].shape[0]), rate, factor) as clip:
            for image in images:
                clip.append(image)
        if path.stat().st_size <= CLIP_BYTES:
            break
    print(f"{path}: {path.stat().st_size // 1000} kB")


def _run(demo: str, words: Sequence[str]) -> int:
    return int(importlib.import_module(f"..{demo}", __package__).main(words))


def _of_scene(demo: str, options: Sequence[str]) -> Sequence[str]:
    return () if demo in WITHOUT_SCENE else options


def _parser() -> argparse.ArgumentParser:
    """The command line; what is wrong with the values is said by the demos."""
    demos = [demo for demo, _ in PICTURES.values()]
    parser = argparse.ArgumentParser(
        prog=f"{PROGRAM} pictures", description="Draws the pictures of the README and the gallery."
    )
    parser.add_argument(
        "folder", nargs="?", type=Path, metavar="FOLDER", help=f"default {FOLDER}, and {CLIP_FOLDER} for clips"
    )
    parser.add_argument(
        "--only",
        nargs="+",
        default=[],
        choices=[*demos, "flip"],
        metavar="DEMO",
        help="draw the pictures of these only",
    )
    parser.add_argument("--clips", action="store_true", help="record a clip of each demo instead, NAME.mp4")
    parser.add_argument("--hud", default="off", metavar="LEVEL", help="display over the pictures (default off)")
    parser.add_argument("--hide", default="", metavar="LAYERS", help="layers that are left out")
    parser.add_argument(
        "--orbit", default="0", metavar="DEGREES_PER_SECOND", help="turn the camera at this rate (default 0)"
    )
    return parser


def compress(drawn: Path, path: Path) -> None:
    """Write a picture again in the format that the ending of a path names."""
    import av

    with av.open(str(drawn)) as file:
        image = next(file.decode(video=0)).to_ndarray(format="rgb24")
    with Clip(path, (image.shape[1], image.shape[0]), quality=QUALITY) as clip:
        clip.append(image)
    print(f"{path}: {path.stat().st_size // 1000} kB")
