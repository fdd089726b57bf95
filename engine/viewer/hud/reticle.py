"""The instrument of a pilot who steers towards a target: where it lies, where it points, and the numbers of the approach.

The cross is the target's place, the ring the direction in which it wants to be looked at, the mark at the rim its roll. All three are in
the middle, or at the top, when everything is aligned. The inner circle is what is allowed.
"""

import math
from functools import lru_cache

import numpy as np

from ..picture.colours import GOAL, MOMENTUM
from ..picture.curve import Coverage
from ..picture.scene import Colour, Reticle
from .font import text_width
from .overlay import LINE, QUIET, TEXT, Pixels, Plate

DIAL = 9.5
"""Diameter of the dial, in heights of the text."""
DIAL_ALONE = 5.2
"""The same where the numbers are left out, in a picture that has no room for more: larger, it would cover a ship at the lower left."""
ALLOWED = 0.26
"""Radius of the circle of what is allowed, in radii of the dial; what is off by more moves on towards the rim, which it never reaches."""
STEPS = 90
"""Places that are told apart from the middle to the rim, so that a picture is drawn again only where it would look different."""
FAINT: Colour = (*QUIET[:3], 0.55)
GOOD, OFF = GOAL, MOMENTUM


def plate(reticle: Reticle, unit: int, *, numbers: bool = True) -> Pixels:
    """The dial and the rows on one plate, or a smaller dial alone; `unit` is the height of the text on the picture in pixels."""
    places = tuple(round(STEPS * place) for pair in (reticle.offset, reticle.tilt) for place in _compressed(pair))
    within = math.hypot(*reticle.offset) <= 1.0, math.hypot(*reticle.tilt) <= 1.0
    return _plate(places, within, round(STEPS * reticle.roll), tuple(reticle.rows) if numbers else (), unit)


def _compressed(place: tuple[float, float]) -> tuple[float, float]:
    """A place in units of what is allowed, drawn within the dial, in radii of it."""
    off = math.hypot(*place)
    share = ALLOWED / (ALLOWED * off + 1.0 - ALLOWED)
    return share * place[0], share * place[1]


@lru_cache(maxsize=8)
def _plate(
    places: tuple[int, ...], within: tuple[bool, bool], roll: int, rows: tuple[tuple[str, str, bool], ...], unit: int
) -> Pixels:
    margin, size = (round(share * unit) for share in ((0.6, DIAL) if rows else (0.3, DIAL_ALONE)))
    line = round(LINE * unit)
    names = max((text_width(name, unit) for name, _, _ in rows), default=0)
    beside = margin + names + unit + text_width("−00.000 m/s", unit) if rows else 0
    tall = max(size, len(rows) * line)
    drawn = Plate(2 * margin + size + beside, tall + 2 * margin)
    _dial(drawn, places, within, roll / STEPS, (margin, margin + (tall - size) // 2, size))
    top = margin + (tall - len(rows) * line) // 2
    for name, value, good in rows:
        drawn.write(name, QUIET, unit, 2 * margin + size, top)
        right = drawn.write(
            "·" if good else "!", GOOD if good else OFF, unit, drawn.pixels.shape[1] - margin, top, from_right=True
        )
        drawn.write(value, GOOD if good else TEXT, unit, right - unit // 3, top, from_right=True)
        top += line
    return drawn.pixels


def _dial(
    drawn: Plate, places: tuple[int, ...], within: tuple[bool, bool], roll: float, at: tuple[int, int, int]
) -> None:
    left, top, size = at
    radius = 0.46 * size
    down, across = np.mgrid[:size, :size] - 0.5 * (size - 1)
    x, y = across / radius, -down / radius
    stroke = 1.0 / radius
    distance = np.hypot(x, y)

    def ink(away: np.ndarray, colour: Colour, thickness: float = 1.0) -> None:
        """A stroke along the points where `away`, in radii, is zero."""
        drawn.ink(_ink(away, stroke, thickness), colour, left, top)

    ink(np.abs(distance - 1.0), QUIET, 1.2)
    ink(np.abs(distance - ALLOWED), FAINT)
    for along, aside in ((x, y), (y, x)):
        ink(np.maximum(np.abs(aside), np.abs(np.abs(along) - 0.64) - 0.30), FAINT)
    rim = x * math.sin(-roll) + y * math.cos(roll), x * math.cos(roll) - y * math.sin(-roll)
    ink(np.maximum(np.abs(rim[1]) - 0.035, np.abs(rim[0] - 0.98) - 0.08), OFF)
    (offset_x, offset_y, tilt_x, tilt_y) = (place / STEPS for place in places)
    ink(np.abs(np.hypot(x - tilt_x, y - tilt_y) - 0.105), GOOD if within[1] else OFF, 1.4)
    turned = _turned(x - offset_x, y - offset_y, roll)
    cross = np.minimum(*(np.maximum(np.abs(a), np.abs(b) - 0.17) for a, b in (turned, turned[::-1])))
    ink(cross, GOOD if within[0] else OFF, 1.6)


def _turned(x: np.ndarray, y: np.ndarray, angle: float) -> tuple[np.ndarray, np.ndarray]:
    return x * math.cos(angle) + y * math.sin(angle), y * math.cos(angle) - x * math.sin(angle)


def _ink(away: np.ndarray, stroke: float, thickness: float) -> Coverage:
    """Coverage of the pixels whose distance from a stroke is given in radii; a pixel is `stroke` radii wide."""
    return np.clip(0.5 + thickness - np.maximum(away, 0.0) / stroke, 0.0, 1.0).astype(np.float32)
