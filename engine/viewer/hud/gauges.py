"""Gauges of the HUD: a bar per quantity, with its name before it and its value after it."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ..picture import colours
from ..picture.scene import Colour, Gauge
from .font import text_width
from .overlay import LINE, QUIET, TEXT, Pixels, Plate

STEPS = 120
"""Of a bar: a share that changes by less needs no new picture."""

GROUND: Colour = (0.13, 0.17, 0.25, 1.0)
ZERO: Colour = (0.75, 0.82, 0.92, 0.8)
FILLED, ALARM = colours.RATES, colours.THRUST
BAR, WORDS = 7.0, 5.2
"""Lengths of the bar, and of the room for the text after it, in heights of the text."""


def plate(gauges: Sequence[Gauge], unit: int, title: Sequence[str] = ()) -> Pixels:
    """All gauges on one plate, below the lines of a title; `unit` is the height of the text on the picture in pixels."""
    rows = tuple(
        (each.name, round(STEPS * min(max(each.share, -1.0), 1.0)), each.text, each.signed, each.alarm)
        for each in gauges
    )
    return _plate(rows, unit, tuple(title))


@lru_cache(maxsize=8)
def _plate(rows: tuple[tuple[str, int, str, bool, bool], ...], unit: int, title: tuple[str, ...] = ()) -> Pixels:
    small, margin = max(11, round(0.85 * unit)), round(0.6 * unit)
    gap, line = round(0.6 * small), round(1.15 * LINE * small)
    names = max(text_width(name, small) for name, *_ in rows)
    long = round(BAR * small)
    words = max(round(WORDS * small), *(text_width(text, small) for _, _, text, _, _ in rows))
    if title:
        long, words = round(0.6 * long), max(text_width(text, small) for _, _, text, _, _ in rows)
    head, wide = len(title) * round(LINE * unit), margin + names + gap + long + gap + words + margin
    wide = max(wide, 2 * margin + max((text_width(text, unit) for text in title), default=0))
    drawn = Plate(wide, 2 * margin + head + len(rows) * line - (line - small))
    for place, text in enumerate(title):
        drawn.write(text, TEXT, unit, margin, margin + place * round(LINE * unit))
    for place, (name, step, text, signed, alarm) in enumerate(rows):
        top, left = margin + head + place * line, margin + names + gap
        drawn.write(name, QUIET, small, margin, top)
        _bar(
            drawn, step / STEPS, (left, top + small // 6, long, round(0.7 * small)), signed, ALARM if alarm else FILLED
        )
        drawn.write(text, ALARM if alarm else TEXT, small, left + long + gap, top)
    return drawn.pixels


def _bar(drawn: Plate, share: float, place: tuple[int, int, int, int], signed: bool, colour: Colour) -> None:
    """The bar from its left end, or from its middle if it is signed, with edges between pixels."""
    left, top, long, tall = place
    drawn.ink(np.ones((tall, long), np.float32), GROUND, left, top)
    zero = long / 2.0 if signed else 0.0
    tip = zero + share * (long - zero)
    columns = np.arange(long)
    covered = np.clip(np.minimum(max(zero, tip), columns + 1) - np.maximum(min(zero, tip), columns), 0.0, 1.0)
    drawn.ink(np.broadcast_to(covered, (tall, long)).astype(np.float32), colour, left, top)
    drawn.ink(np.ones((tall, 1), np.float32), ZERO, left + min(round(zero), long - 1), top)
