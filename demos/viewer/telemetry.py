"""The curves of a run as a picture, made with numpy alone: what is left to see where there is no OpenGL."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from demos.viewer.font import small_text
from demos.viewer.png import Image
from demos.viewer.scene import Sample

Array = npt.NDArray[np.float64]
Colour = tuple[float, float, float]

BACKGROUND, PLOT, GRID, FRAME = (0.030, 0.037, 0.060), (0.050, 0.062, 0.095), (0.12, 0.145, 0.20), (0.30, 0.35, 0.44)
TEXT, QUIET, TITLE = (0.90, 0.93, 0.97), (0.60, 0.66, 0.75), (1.0, 0.86, 0.55)
RED, GREEN, BLUE, AMBER, VIOLET = (
    (1.0, 0.42, 0.36),
    (0.45, 0.88, 0.48),
    (0.42, 0.68, 1.0),
    (1.0, 0.74, 0.28),
    (0.80, 0.58, 1.0),
)
OVERSAMPLING = 3  # the curves are drawn so many times finer and averaged
LEFT, RIGHT, TOP, BOTTOM, GAP = 128, 28, 92, 52, 46  # pixels around and between the plots
SMALLEST = (480, 400)


@dataclass(frozen=True)
class Plot:
    """Curves over one axis of time."""

    title: str
    curves: Sequence[tuple[str, Colour, Array]]


def telemetry_picture(samples: Sequence[Sample], title: str, status: Sequence[str], size: tuple[int, int]) -> Image:
    """Body rates, energy drift and momentum drift against time, shape (height, width, 3); at least 480 × 400 pixels."""
    width, height = (max(wanted, least) for wanted, least in zip(size, SMALLEST, strict=True))
    time = np.array([sample.time for sample in samples])
    rates = np.array([sample.rates for sample in samples])
    plots = [
        Plot("body rates [rad/s]", [(f"ω{'xyz'[i]}", (RED, GREEN, BLUE)[i], rates[:, i]) for i in range(3)]),
        Plot("energy drift, relative", [("", AMBER, np.array([sample.energy_drift for sample in samples]))]),
        Plot("momentum drift, relative", [("", VIOLET, np.array([sample.momentum_drift for sample in samples]))]),
    ]
    canvas = np.empty((height, width, 3))
    canvas[:] = BACKGROUND
    _write(canvas, title, TITLE, 24, 20, scale=2)
    _write(canvas, "   ".join(status), QUIET, 24, 48)
    room = (height - TOP - BOTTOM - GAP * (len(plots) - 1)) // (len(plots) + 1)
    top = TOP
    for plot in plots:
        tall = 2 * room if plot is plots[0] else room
        _draw_plot(canvas, plot, time, (LEFT, top, width - LEFT - RIGHT, tall))
        top += tall + GAP
    _time_axis(canvas, time, (LEFT, top - GAP, width - LEFT - RIGHT))
    return np.rint(np.clip(canvas, 0.0, 1.0) * 255.0).astype(np.uint8)


def _draw_plot(canvas: Array, plot: Plot, time: Array, place: tuple[int, int, int, int]) -> None:
    left, top, width, height = place
    area = canvas[top : top + height, left : left + width]
    area[:] = PLOT
    low, high = _limits([values for _, _, values in plot.curves])
    for value in _round_numbers(low, high, 5):
        row = round((high - value) / (high - low) * (height - 1))
        area[row] = FRAME if value == 0.0 else GRID
        text = _number(value, high - low)
        _write(canvas, text, QUIET, left - 10 - 6 * len(text), top + row - 4)
    for value in _round_numbers(time[0], max(time[-1], time[0] + 1e-9), 10):
        area[:, min(round((value - time[0]) / max(time[-1] - time[0], 1e-9) * (width - 1)), width - 1)] = GRID
    for _, colour, values in plot.curves:
        ink = _curve((high - values) / (high - low), width, height)[..., np.newaxis]
        area += ink * (np.array(colour) - area)
    _write(canvas, plot.title, TEXT, left, top - 16)
    legend = left + width
    for name, colour, values in reversed(plot.curves):
        text = f"{name} {values[-1]:+.4g}".strip()
        legend -= 6 * len(text) + 18
        _write(canvas, text, colour, legend + 18, top - 16)


def _time_axis(canvas: Array, time: Array, place: tuple[int, int, int]) -> None:
    left, top, width = place
    span = max(time[-1] - time[0], 1e-9)
    for value in _round_numbers(time[0], time[0] + span, 10):
        text = _number(value, span)
        _write(canvas, text, QUIET, left + round((value - time[0]) / span * (width - 1)) - 3 * len(text), top + 8)
    _write(canvas, "time [s]", TEXT, left + width // 2 - 24, top + 24)


def _curve(level: Array, width: int, height: int) -> Array:
    """Ink of a curve, 0 to 1; `level` runs from 0 at the top to 1 at the bottom, evenly over the width."""
    across, down = width * OVERSAMPLING, height * OVERSAMPLING
    columns = np.linspace(0.0, len(level) - 1.0, across)
    y = np.interp(columns, np.arange(len(level)), level) * (down - 1)
    # What lies between the fine columns, so that fast swings are drawn whole.
    nearest = np.clip(np.rint(np.arange(len(level)) / max(len(level) - 1, 1) * (across - 1)).astype(int), 0, across - 1)
    lowest, highest = y.copy(), y.copy()
    np.minimum.at(lowest, nearest, level * (down - 1))
    np.maximum.at(highest, nearest, level * (down - 1))
    lowest[1:] = np.minimum(lowest[1:], (y[:-1] + y[1:]) / 2)
    highest[1:] = np.maximum(highest[1:], (y[:-1] + y[1:]) / 2)
    rows = np.arange(down)[:, np.newaxis]
    half = 0.85 * OVERSAMPLING
    fine = (rows >= lowest - half) & (rows <= highest + half)
    return fine.reshape(height, OVERSAMPLING, width, OVERSAMPLING).mean(axis=(1, 3))


def _limits(curves: Sequence[Array]) -> tuple[float, float]:
    """What the axis shows: all values and zero, with a margin; never an empty range."""
    low = min(0.0, *(float(values.min()) for values in curves))
    high = max(0.0, *(float(values.max()) for values in curves))
    margin = 0.08 * (high - low) or 1e-16
    return low - margin, high + margin


def _round_numbers(low: float, high: float, about: int) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten from low to high, roughly so many."""
    rough = (high - low) / about
    power = 10.0 ** np.floor(np.log10(rough))
    step = power * next((m for m in (1.0, 2.0, 5.0) if m * power >= rough * 0.8), 10.0)
    first, last = int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9))
    return [number * step for number in range(first, last + 1)]


def _number(value: float, span: float) -> str:
    return "0" if abs(value) < 1e-9 * span else f"{value:.6g}".replace("-", "−")


def _write(canvas: Array, text: str, colour: Colour, left: int, top: int, scale: int = 1) -> None:
    """Text in the small font; what reaches beyond the picture is cut."""
    ink = small_text(text, scale)
    height, width = canvas.shape[:2]
    left, top = max(left, 0), max(top, 0)
    ink = ink[: height - top, : width - left, np.newaxis]
    area = canvas[top : top + ink.shape[0], left : left + ink.shape[1]]
    area += ink * (np.array(colour) - area)
