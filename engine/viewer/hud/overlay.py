"""Pixels laid on the picture: plates with text and curves on them, and words that stand free."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ..picture.curve import Coverage
from ..picture.scene import Colour
from .font import text_coverage, text_width

Pixels = npt.NDArray[np.uint8]
"""Shape (height, width, 4), colour premultiplied by opacity."""

Piece = tuple[str, Colour]
Row = tuple[int, tuple[Piece, ...]]
"""Height of a line of text in pixels, and its pieces from the left."""

TITLE: Colour = (1.0, 0.86, 0.55, 1.0)
TEXT: Colour = (0.90, 0.93, 0.97, 1.0)
QUIET: Colour = (0.56, 0.63, 0.73, 1.0)
NOTE: Colour = (0.70, 0.79, 0.90, 1.0)
PLATE = 0.015, 0.025, 0.05
OPACITY = 0.97
"""Of a plate; a lit solar panel shines through one of 0.9."""
ACCENT: Colour = (1.0, 0.70, 0.25, 0.95)
ACCENT_WIDTH = 3  # pixels
HALO = 0.9
"""Opacity of the dark edge round a word that stands free."""
LINE = 1.28
"""From one line of text to the next, in heights of the text."""


@dataclass(frozen=True)
class Patch:
    """Pixels and where their left upper corner goes. What stays the same from frame to frame keeps the same array."""

    left: int
    top: int
    pixels: Pixels

    @property
    def right(self) -> int:
        """The column after the last."""
        return self.left + self.pixels.shape[1]

    @property
    def bottom(self) -> int:
        """The row below the last."""
        return self.top + self.pixels.shape[0]

    def meets(self, other: "Patch") -> bool:
        """Whether the two overlap."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


class Plate:
    """A dark background of this many pixels to write and draw on."""

    def __init__(self, width: int, height: int, *, accent: bool = False, opacity: float = OPACITY) -> None:
        self._ground: Colour = (*PLATE, opacity)
        self.pixels = np.empty((height, width, 4), np.uint8)
        self.pixels[:] = _bytes(_premultiplied(self._ground))
        if accent:
            self.pixels[:, :ACCENT_WIDTH] = _bytes(_premultiplied(ACCENT))

    def write(self, text: str, colour: Colour, height: int, left: int, top: int, *, from_right: bool = False) -> int:
        """One line of text; returns the column where it ends, or where it begins if it is set from its right end."""
        ink = _on_ground(text, colour, height, self._ground)
        left -= ink.shape[1] if from_right else 0
        self.paste(ink, left, top)
        return left if from_right else left + ink.shape[1]

    def paste(self, pixels: Pixels, left: int, top: int) -> None:
        """Put pixels in place of what is there; what reaches beyond the plate is cut."""
        pixels = pixels[max(-top, 0) :, max(-left, 0) :]
        place = self.pixels[max(top, 0) :, max(left, 0) :][: pixels.shape[0], : pixels.shape[1]]
        place[:] = pixels[: place.shape[0], : place.shape[1]]

    def ink(self, coverage: Coverage, colour: Colour, left: int, top: int) -> None:
        """Lay ink of this colour over what is there."""
        place = self.pixels[top : top + coverage.shape[0], left : left + coverage.shape[1]]
        place[:] = _bytes(_mixed(np.divide(place, np.float32(255.0), dtype=np.float32), coverage, colour))

    def at(self, left: int, top: int) -> Patch:
        """The plate as it is now, placed on the picture."""
        return Patch(left, top, self.pixels)


@lru_cache(maxsize=256)
def wrapped(text: str, height: int, width: int) -> tuple[str, ...]:
    """The text broken between words into lines of at most this many pixels."""
    if text_width(text, height) <= width:
        return (text,)
    lines: list[str] = []
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, height) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return tuple(lines)


@lru_cache(maxsize=16)
def block(rows: tuple[Row, ...], unit: int, *, accent: bool = True) -> Pixels:
    """Lines of text on a plate with margins that suit text of `unit` pixels."""
    margin = round(0.6 * unit)
    left = margin + (ACCENT_WIDTH + 1 if accent else 0)
    wide = max(sum(text_width(text, height) for text, _ in pieces) for height, pieces in rows)
    tall = sum(round(LINE * height) for height, _ in rows) - round((LINE - 1.0) * rows[-1][0])
    plate, top = Plate(left + wide + margin, tall + 2 * margin, accent=accent), margin
    for height, pieces in rows:
        end = left
        for text, colour in pieces:
            end = plate.write(text, colour, height, end, top)
        top += round(LINE * height)
    return plate.pixels


def label(text: str, colour: Colour, height: int, centre: tuple[float, float]) -> Patch:
    """A word at a point of the picture."""
    pixels = word(text, colour, height)
    return Patch(round(centre[0] - pixels.shape[1] / 2), round(centre[1] - pixels.shape[0] / 2), pixels)


def caption(lines: Sequence[str], colour: Colour, height: int, above: tuple[float, float]) -> list[Patch]:
    """Lines of text centred below a point of the picture."""
    found, top = [], round(above[1] + 0.3 * height)
    for text in lines:
        pixels = word(text, colour, height)
        found.append(Patch(round(above[0] - pixels.shape[1] / 2), top, pixels))
        top += round(LINE * height)
    return found


@lru_cache(maxsize=256)
def word(text: str, colour: Colour, height: int) -> Pixels:
    """Text without a plate, with a dark halo that keeps it legible on anything."""
    coverage = np.pad(text_coverage(text, height), 3)
    halo = coverage
    for axis in (0, 1, 0, 1):
        halo = np.maximum(halo, 0.9 * np.maximum(np.roll(halo, 1, axis), np.roll(halo, -1, axis)))
    canvas = np.zeros((*coverage.shape, 4), np.float32)
    canvas[..., 3] = HALO * halo
    return _bytes(_mixed(canvas, coverage, colour))


@lru_cache(maxsize=512)
def _on_ground(text: str, colour: Colour, height: int, ground: Colour) -> Pixels:
    return _bytes(_mixed(_premultiplied(ground), text_coverage(text, height), colour))


def _mixed(ground: npt.NDArray[np.float32], coverage: Coverage, colour: Colour) -> npt.NDArray[np.float32]:
    return ground + coverage[..., np.newaxis] * (_premultiplied(colour) - ground)


def _premultiplied(colour: Colour) -> npt.NDArray[np.float32]:
    return np.array([*(channel * colour[3] for channel in colour[:3]), colour[3]], np.float32)


def _bytes(colours: npt.NDArray[np.float32]) -> Pixels:
    return np.ascontiguousarray(np.clip(colours, 0.0, 1.0) * np.float32(255.0) + np.float32(0.5), dtype=np.uint8)
