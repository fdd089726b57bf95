"""A world that measures the cost of its ticks, for the display."""

import time
from collections import deque
from statistics import median
from typing import Any

from ..physics import World

MEASURED = 31
"""Calls of `advance` whose median is taken: half a second of frames."""


class MeasuredWorld(World):
    """A world that measures its ticks, which does not affect the simulation."""

    __slots__ = ("_is_warm", "_tick_times")

    def __init__(self, dt: float, **how: Any) -> None:
        super().__init__(dt, **how)
        self._tick_times: deque[float] = deque(maxlen=MEASURED)
        self._is_warm = False

    @property
    def tick_seconds(self) -> float | None:
        """Wall time per tick [s], the median of the last calls of `advance`; None before the second call.

        The first call may compile, which is no cost of a tick. The median is insensitive to the few later calls that do.
        """
        return median(self._tick_times) if self._tick_times else None

    def advance(self, elapsed_seconds: float) -> int:
        began = time.perf_counter()
        ticks = super().advance(elapsed_seconds)
        if ticks:
            if self._is_warm:
                self._tick_times.append((time.perf_counter() - began) / ticks)
            self._is_warm = True
        return ticks
