"""Text on the picture: a block of lines on a dark panel, and single labels, as patches of pixels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from demos.viewer.font import Coverage, text_coverage
from demos.viewer.scene import Colour

TITLE: Colour = (1.0, 0.86, 0.55, 1.0)
TEXT: Colour = (0.90, 0.93, 0.97, 1.0)
QUIET: Colour = (0.62, 0.68, 0.76, 1.0)
PANEL: Colour = (0.015, 0.025, 0.05, 0.58)
ACCENT: Colour = (1.0, 0.70, 0.25, 0.95)


@dataclass(frozen=True)
class Patch:
    """Pixels (height, width, 4), colour premultiplied by opacity, and where their left upper corner goes."""

    left: int
    top: int
    pixels: npt.NDArray[np.uint8]


def block(lines: Sequence[tuple[str, Colour]], height: int, *, left: int, top: int) -> Patch:
    """Lines of text on a panel; `height` is that of one line in pixels."""
    texts = [text_coverage(text, height) for text, _ in lines]
    step, margin = round(1.28 * height), round(0.6 * height)
    width = max(text.shape[1] for text in texts) + 2 * margin + 4
    canvas = np.empty(
        (step * (len(texts) - 1) + max(text.shape[0] for text in texts) + 2 * margin, width, 4), np.float32
    )
    canvas[:] = _premultiplied(PANEL)
    canvas[:, :3] = _premultiplied(ACCENT)
    for number, (text, (_, colour)) in enumerate(zip(texts, lines, strict=True)):
        _ink(canvas, text, colour, margin + 4, margin + number * step)
    return Patch(left, top, _bytes(canvas))


def label(text: str, colour: Colour, height: int, centre: tuple[float, float]) -> Patch:
    """A word at a point of the picture, with a dark halo that keeps it legible on anything."""
    coverage = np.pad(text_coverage(text, height), 2)
    halo = coverage
    for axis in (0, 1):
        halo = np.maximum(halo, np.maximum(np.roll(halo, 1, axis), np.roll(halo, -1, axis)))
    canvas = np.zeros((*coverage.shape, 4), np.float32)
    canvas[..., 3] = 0.65 * halo
    _ink(canvas, coverage, colour, 0, 0)
    left, top = round(centre[0] - canvas.shape[1] / 2), round(centre[1] - canvas.shape[0] / 2)
    return Patch(left, top, _bytes(canvas))


def _ink(canvas: npt.NDArray[np.float32], coverage: Coverage, colour: Colour, left: int, top: int) -> None:
    """Lay ink of this colour over the canvas."""
    height, width = coverage.shape
    place = canvas[top : top + height, left : left + width]
    ink = coverage[..., np.newaxis]
    place += ink * (_premultiplied(colour) - place)


def _premultiplied(colour: Colour) -> npt.NDArray[np.float32]:
    return np.array([*(channel * colour[3] for channel in colour[:3]), colour[3]], np.float32)


def _bytes(canvas: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
    return np.ascontiguousarray(np.rint(np.clip(canvas, 0.0, 1.0) * 255.0), dtype=np.uint8)
