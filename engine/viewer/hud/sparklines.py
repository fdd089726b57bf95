"""The last seconds of the telemetry as small curves, for the corner of the picture."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..picture.colours import ENERGY, MOMENTUM, RATES_XYZ
from ..picture.curve import curve, limits, number
from ..picture.history import History
from ..picture.scene import ROUNDING, Colour
from .font import text_width
from .overlay import LINE, QUIET, TEXT, Patch, Plate

Array = npt.NDArray[np.float64]

RENEWED = 1.0 / 200.0
"""Share of the time shown after which the curves are drawn anew."""

GROUND, ZERO = (0.30, 0.38, 0.52, 0.22), (0.60, 0.70, 0.85, 0.40)
"""Behind the curves, and the line of zero."""


@dataclass(frozen=True)
class Sparkline:
    """Curves that share a scale."""

    title: str
    curves: tuple[tuple[Colour, Array], ...]
    form: str
    """How the newest values are written."""
    floor: float = 0.0
    """The least value that the axis reaches; where all curves stay below it, it is marked as rounding."""


class Sparklines:
    """Keeps the plate of sparklines, and draws it anew when the curves have moved by about a pixel."""

    def __init__(self) -> None:
        self._drawn: tuple[int, float] = (0, 0.0)
        self._plate: Plate

    def patch(self, history: History, unit: int, right: int, top: int, *, exact: bool = False) -> Patch:
        """The plate with its right upper corner there, `unit` being the height of text; where it must be exact, as of now."""
        drawn = unit, float(history.time[-1])
        stale = abs(drawn[1] - self._drawn[1]) >= (0.0 if exact else RENEWED * history.newest.curves.span)
        if unit != self._drawn[0] or (stale and drawn != self._drawn):
            self._plate, self._drawn = _plate(history, unit), drawn
        return self._plate.at(right - self._plate.pixels.shape[1], top)


def width(unit: int) -> int:
    """Pixels that the plate takes."""
    return 19 * unit


def _plate(history: History, unit: int) -> Plate:
    small, margin, tall = max(11, round(0.8 * unit)), round(0.6 * unit), round(2.4 * unit)
    line, gap = round(LINE * small), round(0.45 * unit)
    now, shown = history.time[-1], history.newest.curves
    recent = history.since(now - shown.span)
    floors = [ROUNDING if conserved else 0.0 for conserved in shown.conserved]
    sparklines = (
        Sparkline(
            "rates  rad/s",
            tuple(zip(RATES_XYZ, recent.rates.T, strict=True)),
            "+.2f",
            ROUNDING if recent.rates.any() else 0.0,
        ),
        Sparkline(shown.first[0], ((ENERGY, recent.energy_drift),), shown.first[1], floors[0]),
        Sparkline(shown.second[0], ((MOMENTUM, recent.momentum_drift),), shown.second[1], floors[1]),
    )
    plate = Plate(width(unit), 2 * margin + len(sparklines) * (line + tall + gap) - gap + line)
    top = margin
    for sparkline in sparklines:
        _head(plate, sparkline, small, margin, top)
        across = (recent.time - (now - shown.span)) / shown.span
        _draw(plate, sparkline, across, (margin, top + line, width(unit) - 2 * margin, tall), small)
        top += line + tall + gap
    plate.write(f"the last {shown.span:g} s", QUIET, small, margin, top - gap + round(0.25 * unit))
    return plate


def _head(plate: Plate, sparkline: Sparkline, height: int, margin: int, top: int) -> None:
    """What is drawn, and the newest value of each curve in its colour."""
    plate.write(sparkline.title, TEXT, height, margin, top)
    right = plate.pixels.shape[1] - margin
    for colour, values in reversed(sparkline.curves):
        text = number(values[-1], sparkline.form)
        right = plate.write(text, colour, height, right, top, from_right=True) - height // 2


def _draw(plate: Plate, sparkline: Sparkline, across: Array, place: tuple[int, int, int, int], height: int) -> None:
    """Draw the curves; `across` is where each sample lies, from 0 to 1."""
    left, top, wide, tall = place
    values = np.concatenate([values for _, values in sparkline.curves])
    low, high = limits(values, sparkline.floor)
    scale = text_width("−0.0e−00", height) + height // 2
    wide -= scale
    plate.ink(np.ones((tall, wide), np.float32), GROUND, left, top)
    row = round(high / (high - low) * (tall - 1))
    plate.ink(np.ones((1, wide), np.float32), ZERO, left, top + row)
    for colour, drawn in sparkline.curves:
        ink = curve(across * (wide - 1), (high - drawn) / (high - low) * (tall - 1), wide, tall)
        plate.ink(ink, colour, left, top)
    is_rounding = float(np.abs(values).max()) < sparkline.floor
    if is_rounding:
        plate.write("rounding", QUIET, height, left + height // 2, top + 1)
    reached = sparkline.floor if is_rounding else 0.0
    most, least = max(values.max(), reached), min(values.min(), -reached if low < -reached else 0.0)
    for value, at in ((max(most, 0.0), top), (min(least, 0.0), top + tall - height)):
        plate.write(number(value, ".2g"), QUIET, height, left + wide + height // 2, at - 1)
