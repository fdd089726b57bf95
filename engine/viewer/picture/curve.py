"""A curve as ink on pixels, and the round numbers beside it; numpy alone."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Colour = tuple[float, float, float, float]
Coverage = npt.NDArray[np.float32]
"""How much of each pixel is inked, 0 to 1, shape (height, width)."""

STEEPEST = 3.0
"""Of a slope, the most by which a stroke is drawn higher than it is thick."""


def curve(across: Array, down: Array, width: int, height: int, *, thickness: float = 1.7) -> Coverage:
    """Ink of the curve through points given in pixels, `across` rising, `down` from the top; shape (height, width)."""
    columns = np.arange(width)
    middle = np.interp(columns, across, down)
    # What lies between two columns, so that fast swings are drawn whole.
    lowest, highest = middle.copy(), middle.copy()
    nearest = np.rint(across).astype(int)
    inside = (nearest >= 0) & (nearest < width)
    np.minimum.at(lowest, nearest[inside], down[inside])
    np.maximum.at(highest, nearest[inside], down[inside])
    between = (middle[:-1] + middle[1:]) / 2.0
    for side in (slice(1, None), slice(None, -1)):
        lowest[side] = np.minimum(lowest[side], between)
        highest[side] = np.maximum(highest[side], between)
    # As thick across itself on a slope as on the level, as far as that can be told from one column.
    half = thickness / 2.0 * np.minimum(np.hypot(1.0, np.gradient(middle)), STEEPEST)
    # Of each pixel, the share that lies between the two edges of the stroke.
    rows = np.arange(height)[:, np.newaxis]
    top = np.maximum(lowest - half, rows - 0.5)
    bottom = np.minimum(highest + half, rows + 0.5)
    drawn = (columns >= nearest[0]) & (columns <= nearest[-1])
    return (np.clip(bottom - top, 0.0, 1.0) * drawn).astype(np.float32)


def limits(values: Array, floor: float = 0.0) -> tuple[float, float]:
    """What an axis shows: all values and zero, with a margin; never an empty range, nor one that ends before the floor."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    if max(-low, high) < floor:
        low, high = -floor if low < 0.0 else 0.0, floor
    margin = 0.08 * (high - low) or 1e-16
    return low - margin, high + margin


def round_numbers(low: float, high: float, about: int) -> Sequence[float]:
    """Multiples of 1, 2 or 5 times a power of ten from low to high, roughly so many."""
    rough = (high - low) / about
    power = 10.0 ** np.floor(np.log10(rough))
    step = power * next((m for m in (1.0, 2.0, 5.0) if m * power >= rough * 0.8), 10.0)
    first, last = int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9))
    return [number * step for number in range(first, last + 1)]


def number(value: float, form: str) -> str:
    """A number with the minus of mathematics, no zeros in its exponent, and no sign if it is rounded to zero."""
    mantissa, exponent, power = f"{value:{form}}".replace("-", "−").partition("e")
    if not mantissa.strip("+−0."):
        mantissa = mantissa.lstrip("+−")
    return f"{mantissa}e{power[0].replace('+', '')}{power[1:].lstrip('0') or '0'}" if exponent else mantissa
