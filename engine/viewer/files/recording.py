"""Writes clips: MP4 for films, animated WebP and GIF for pages that play no films."""

import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, TextIO

from .png import Image

FRAMES_A_SECOND = 30
"""Of the world's time, whatever the machine takes to draw them."""

# Ending: the encoder, the layout of its pixels, its options, those of the file. Films of high definition are in the colours of BT.709.
FORMATS = {
    ".mp4": (
        "libx264",
        "yuv420p",
        {"crf": "17", "preset": "slow", "x264-params": "colorprim=bt709:transfer=bt709:colormatrix=bt709"},
        {"movflags": "+faststart"},
    ),
    ".webp": ("libwebp_anim", "yuv420p", {"quality": "82"}, {"loop": "0"}),
    ".gif": ("gif", "pal8", {}, {"loop": "0"}),
}
QUALITY = {"libx264": "crf"}
"""What an encoder calls the quality; the greater the factor of films is, the worse they look."""
PALETTE = "stats_mode=diff", "dither=sierra2_4a:diff_mode=rectangle"
"""One palette for the whole of a GIF, chosen for what moves: a palette a frame made the file fifty times as large."""


class Clip:
    """A file that takes one frame after the other; it is whole once it is closed, however few there were.

    Example:
        >>> from engine.viewer import Viewer, running
        >>> with Viewer(world, window=False) as viewer, running.Clip(Path("flight.mp4"), (1280, 720)) as clip:  # doctest: +SKIP
        ...     for _ in range(300):
        ...         world.advance(1 / 30)
        ...         viewer.draw()
        ...         clip.append(viewer.image())
    """

    def __init__(
        self, path: Path, size: tuple[int, int], rate: int | Fraction = FRAMES_A_SECOND, quality: int | None = None
    ) -> None:
        import av

        codec, layout, options, file_options = FORMATS[path.suffix.lower()]
        if quality is not None:
            options = {**options, QUALITY.get(codec, "quality"): str(quality)}
        self._rate = Fraction(rate)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("wb").close()  # av opens it at its first frame; what is wrong should be said before the flight
        self._file = av.open(str(path), "w", options=file_options)
        self._stream = self._file.add_stream(codec, rate=rate, options=options)
        self._stream.width, self._stream.height, self._stream.pix_fmt = *size, layout
        self._palette = _palette_graph(size, self._rate) if layout == "pal8" else None
        self._colours = "ITU709" if codec == "libx264" else None
        self._count = 0

    def __enter__(self) -> "Clip":
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def append(self, image: Image) -> None:
        """Add a frame of shape (height, width, 3). A GIF keeps all of them in memory until it is closed: it needs one palette for all.

        Example:
            >>> clip.append(viewer.image())  # doctest: +SKIP
        """
        import av

        frame = av.VideoFrame.from_ndarray(image, format="rgb24")
        frame.pts, frame.time_base = self._count, 1 / self._rate
        self._count += 1
        if self._palette is None:
            self._write(frame.reformat(format=self._stream.pix_fmt, dst_colorspace=self._colours))
        else:
            self._palette.push(frame)

    def close(self) -> None:
        """Write what is left."""
        if self._count and self._palette is not None:
            self._palette.push(None)
            for frame in _pulled(self._palette):
                self._write(frame)
        if self._count:
            self._write(None)
        self._file.close()

    def _write(self, frame: Any) -> None:
        for packet in self._stream.encode(frame):
            self._file.mux(packet)


class Progress:
    """Says how far a long work is: one line that renews itself on a terminal, a line each tenth of the way elsewhere."""

    def __init__(self, what: str, total: int, stream: TextIO | None = None) -> None:
        self._what, self._total, self._stream = what, total, stream or sys.stdout

    def show(self, count: int) -> None:
        """So many are done."""
        text = f"{self._what}: {count} of {self._total} frames"
        if self._stream.isatty():
            print(f"\r{text}", end="", file=self._stream, flush=True)
        elif count * 10 // self._total > (count - 1) * 10 // self._total:
            print(text, file=self._stream, flush=True)

    def end(self) -> None:
        """It is done, or has been broken off."""
        if self._stream.isatty():
            print(file=self._stream)


def _palette_graph(size: tuple[int, int], rate: Fraction) -> Any:
    import av

    graph = av.filter.Graph()
    width, height = size
    source = graph.add_buffer(width=width, height=height, format="rgb24", time_base=1 / rate)
    split, sink = graph.add("split"), graph.add("buffersink")
    palette, use = graph.add("palettegen", PALETTE[0]), graph.add("paletteuse", PALETTE[1])
    source.link_to(split)
    split.link_to(palette, 0, 0)
    split.link_to(use, 1, 0)
    palette.link_to(use, 0, 1)
    use.link_to(sink)
    graph.configure()
    return graph


def _pulled(graph: Any) -> Iterator[Any]:
    import av

    while True:
        try:
            yield graph.pull()
        except (av.error.BlockingIOError, av.error.EOFError):
            return
