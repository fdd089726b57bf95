"""The curves of a run as a picture, made with numpy alone: what is left to see where there is no OpenGL."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..files.png import Image
from ..picture.colours import CURVES, ENERGY, MOMENTUM, RATES_XYZ
from ..picture.curve import Colour, curve, limits, number, round_numbers
from ..picture.history import History
from ..picture.scene import ROUNDING
from .font import small_text

Array = npt.NDArray[np.float64]

BACKGROUND, PLOT, GRID, FRAME = (0.030, 0.037, 0.060), (0.050, 0.062, 0.095), (0.12, 0.145, 0.20), (0.30, 0.35, 0.44)
TEXT, QUIET, TITLE = (0.90, 0.93, 0.97, 1.0), (0.60, 0.66, 0.75, 1.0), (1.0, 0.86, 0.55, 1.0)
LEFT, RIGHT, TOP, BOTTOM, GAP = 128, 28, 92, 52, 46  # pixels around and between the plots
SMALLEST = (480, 400)


@dataclass(frozen=True)
class Plot:
    """Curves over one axis of time."""

    title: str
    curves: Sequence[tuple[str, Colour, Array]]
    floor: float = 0.0
    """The least value that the axis reaches; where all curves stay below it, it is marked as rounding."""


def telemetry_picture(history: History, title: str, status: Sequence[str], size: tuple[int, int]) -> Image:
    """Body rates and the curves of the scene against time, usually the drifts of energy and momentum, shape (height, width, 3).

    It has at least 480 × 400 pixels.
    """
    width, height = (max(wanted, least) for wanted, least in zip(size, SMALLEST, strict=True))
    time, shown = history.time, history.newest.curves
    floors = [ROUNDING if conserved else 0.0 for conserved in shown.conserved]
    plots = [
        Plot(
            "body rates [rad/s]",
            [(f"ω{'xyz'[i]}", RATES_XYZ[i], history.rates[:, i]) for i in range(3)],
        ),
        Plot(_titled(shown.first[0]), [("", ENERGY, history.energy_drift)], floors[0]),
        Plot(_titled(shown.second[0]), [("", MOMENTUM, history.momentum_drift)], floors[1]),
        *_further(history),
    ]
    canvas = np.empty((height, width, 3))
    canvas[:] = BACKGROUND
    _write(canvas, title, TITLE, 24, 20, scale=2 if 12 * len(title) + 48 <= width else 1)
    _write(canvas, "   ".join(status), QUIET, 24, 48)
    room = (height - TOP - BOTTOM - GAP * (len(plots) - 1)) // (len(plots) + 1)
    top = TOP
    for plot in plots:
        tall = 2 * room if plot is plots[0] else room
        _draw_plot(canvas, plot, time, (LEFT, top, width - LEFT - RIGHT, tall))
        top += tall + GAP
    _time_axis(canvas, time, (LEFT, top - GAP, width - LEFT - RIGHT))
    return np.rint(np.clip(canvas, 0.0, 1.0) * 255.0).astype(np.uint8)


def _titled(name: str) -> str:
    """The title of a plot; what has no unit is relative."""
    return name if "[" in name else f"{name}, relative"


def _further(history: History) -> list[Plot]:
    """The plots of the scene's own curves."""
    plots, columns = [], iter(history.more.T)
    for title, names in history.newest.curves.more:
        plots.append(Plot(title, [(name, CURVES[i], next(columns)) for i, name in enumerate(names)]))
    return plots


def _draw_plot(canvas: Array, plot: Plot, time: Array, place: tuple[int, int, int, int]) -> None:
    left, top, width, height = place
    area = canvas[top : top + height, left : left + width]
    area[:] = PLOT
    everything = np.concatenate([values for _, _, values in plot.curves])
    low, high = limits(everything, plot.floor)
    for value in round_numbers(low, high, 5):
        row = round((high - value) / (high - low) * (height - 1))
        area[row] = FRAME if value == 0.0 else GRID
        text = number(value, ".6g")
        _write(canvas, text, QUIET, left - 10 - 6 * len(text), top + row - 4)
    for value in round_numbers(time[0], max(time[-1], time[0] + 1e-9), 10):
        area[:, min(round((value - time[0]) / max(time[-1] - time[0], 1e-9) * (width - 1)), width - 1)] = GRID
    across = (time - time[0]) / max(time[-1] - time[0], 1e-9) * (width - 1)
    for _, colour, values in plot.curves:
        ink = curve(across, (high - values) / (high - low) * (height - 1), width, height)[..., np.newaxis]
        area += ink * (np.array(colour[:3]) - area)
    rounding = "   (rounding: below 1e-12)" if float(np.abs(everything).max()) < plot.floor else ""
    _write(canvas, plot.title + rounding, TEXT, left, top - 16)
    legend = left + width
    for name, colour, values in reversed(plot.curves):
        text = f"{name} {number(values[-1], '+.4g')}".strip()
        legend -= 6 * len(text) + 18
        _write(canvas, text, colour, legend + 18, top - 16)


def _time_axis(canvas: Array, time: Array, place: tuple[int, int, int]) -> None:
    left, top, width = place
    span = max(time[-1] - time[0], 1e-9)
    for value in round_numbers(time[0], time[0] + span, 10):
        text = number(value, ".6g")
        _write(canvas, text, QUIET, left + round((value - time[0]) / span * (width - 1)) - 3 * len(text), top + 8)
    _write(canvas, "time [s]", TEXT, left + width // 2 - 24, top + 24)


def _write(canvas: Array, text: str, colour: Colour, left: int, top: int, scale: int = 1) -> None:
    """Text in the small font; what reaches beyond the picture is cut."""
    ink = small_text(text, scale)
    height, width = canvas.shape[:2]
    left, top = max(left, 0), max(top, 0)
    ink = ink[: height - top, : width - left, np.newaxis]
    area = canvas[top : top + ink.shape[0], left : left + ink.shape[1]]
    area += ink * (np.array(colour[:3]) - area)
