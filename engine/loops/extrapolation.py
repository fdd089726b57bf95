"""Extrapolation of wrenches that are evaluated only at the start of each tick, by a polynomial through the last three."""

from collections.abc import Callable
from functools import cache

from ..compilation.compiler import kernel
from .columns import Array, Integers
from .layout import COUNT, KNOWN_WRENCHES, LAST_WRENCH, OLDER_WRENCH, TICKS, WRENCH, WRENCH_ROWS


@cache
def extrapolate(pitch: int) -> Callable[[Array, Integers, Array, Array, int, float], int]:
    """Make `loop(array, control, history, stages, wrench_row, ticks) -> 0`, which extrapolates the wrench to a stage.

    The time of the stage is `ticks` after the start of the tick, in ticks. Let c be the held wrench of this tick, b that of the previous
    tick and a that of the tick before. The result at x ticks is ``c + x (c − b) + x (x + 1)/2 (c − 2 b + a)``, the quadratic through the
    three values at x = −2, −1 and 0. It is written in differences, so that a constant wrench stays constant to the last bit. If a body has
    only one previous value, the result is linear. If it has none, the result is constant.
    """

    @kernel(f"extrapolate-{pitch}")
    def loop(array: Array, control: Integers, history: Array, stages: Array, wrench_row: int, ticks: float) -> int:
        if array.shape[1] != pitch or history.shape[1] != pitch or stages.shape[1] != pitch:
            return -1
        count = control[COUNT]
        half_square = 0.5 * ticks * (ticks + 1.0)
        for row in range(WRENCH_ROWS):
            for column in range(count):
                known = float(history[KNOWN_WRENCHES, column])
                now = float(array[WRENCH + row, column])
                last = float(history[LAST_WRENCH + row, column])
                older = float(history[OLDER_WRENCH + row, column])
                slope = now - last if known > 0.5 else 0.0
                bend = now - 2.0 * last + older if known > 1.5 else 0.0
                stages[wrench_row + row, column] = now + ticks * slope + half_square * bend
        return 0

    return loop


@cache
def remember(pitch: int) -> Callable[[Array, Integers, Array, Integers, int], int]:
    """Make `loop(array, control, history, remembered, tick) -> 0`, which stores the held wrench in the history at the end of a tick.

    It does so if the tick was counted, and once per tick, of which `remembered` has the last.
    """

    @kernel(f"remember-wrenches-{pitch}")
    def loop(array: Array, control: Integers, history: Array, remembered: Integers, tick: int) -> int:
        if array.shape[1] != pitch or history.shape[1] != pitch:
            return -1
        if control[TICKS] == tick or remembered[0] == tick:
            return 0
        remembered[0] = tick
        count = control[COUNT]
        for row in range(WRENCH_ROWS):
            for column in range(count):
                history[OLDER_WRENCH + row, column] = history[LAST_WRENCH + row, column]
                history[LAST_WRENCH + row, column] = array[WRENCH + row, column]
        for column in range(count):
            history[KNOWN_WRENCHES, column] = 1.0 if history[KNOWN_WRENCHES, column] < 0.5 else 2.0
        return 0

    return loop
