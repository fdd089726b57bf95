"""The jets as lamps: a row of round lights, dim when off and bright with the throttle, with the name under each."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ..picture.curve import Coverage
from .font import text_width
from .overlay import LINE, QUIET, TEXT, Pixels, Plate

STEPS = 16
"""Of brightness: a throttle that changes by less needs no new picture."""

OFF, ON = (0.25, 0.30, 0.39), (1.0, 0.66, 0.22)
GLOW = 0.45
"""Of the light round a lamp that is full on."""


def plate(lamps: Sequence[tuple[str, float]], unit: int, room: int) -> Pixels:
    """All lamps on one plate of at most `room` pixels across; `unit` is the height of the text on the picture in pixels."""
    levels = tuple((name, round(STEPS * min(max(throttle, 0.0), 1.0))) for name, throttle in lamps)
    return _plate(levels, unit, room)


@lru_cache(maxsize=8)
def _plate(levels: tuple[tuple[str, int], ...], unit: int, room: int) -> Pixels:
    small, margin = max(11, round(0.75 * unit)), round(0.6 * unit)
    cell = max(round(1.9 * unit), *(text_width(name, small) + unit // 2 for name, _ in levels))
    columns = min(len(levels), max((room - 2 * margin) // cell, 1))
    rows = -(-len(levels) // columns)
    columns = -(-len(levels) // rows)  # as many in the last row as in the others, where that can be
    light, line = round(1.15 * unit), round(LINE * small)
    tall = light + round(0.35 * unit) + line
    drawn = Plate(columns * cell + 2 * margin, rows * tall + 2 * margin - (line - small))
    for place, (name, level) in enumerate(levels):
        left, top = margin + place % columns * cell, margin + place // columns * tall
        drawn.paste(_light(level, light), left + cell // 2 - 4 * light // 5, top + light // 2 - 4 * light // 5)
        colour = TEXT if level else QUIET
        drawn.write(name, colour, small, left + (cell - text_width(name, small)) // 2, top + light + round(0.35 * unit))
    return drawn.pixels


@lru_cache(maxsize=64)
def _light(level: int, size: int) -> Pixels:
    """A lamp of this many pixels, and the glow around it, on a plate twice as wide."""
    brightness = level / STEPS
    plate = Plate(2 * size + 1, 2 * size + 1)
    distance = np.hypot(*np.mgrid[-size : size + 1, -size : size + 1]) / (0.5 * size)
    red, green, blue = (off + brightness * (on - off) for off, on in zip(OFF, ON, strict=True))
    glow = GLOW * brightness * np.clip(1.6 - distance, 0.0, 1.0) ** 2
    plate.ink(glow.astype(np.float32), (*ON, 1.0), 0, 0)
    plate.ink(_disc(distance, 0.88, size), (red, green, blue, 1.0), 0, 0)
    core = brightness * np.clip(1.0 - 1.7 * distance, 0.0, 1.0)
    plate.ink(core.astype(np.float32), (1.0, 0.97, 0.85, 1.0), 0, 0)
    seen = size // 5
    return plate.pixels[seen : -seen or None, seen : -seen or None]


def _disc(distance: np.ndarray, radius: float, size: int) -> Coverage:
    return np.clip((radius - distance) * 0.5 * size + 0.5, 0.0, 1.0).astype(np.float32)
