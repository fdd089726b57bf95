"""A world that measures the cost of its ticks, for the display."""

import time
from typing import Any

from ..physics import World


class MeasuredWorld(World):
    """A world that measures its ticks, which does not affect the simulation."""

    __slots__ = ("tick_seconds",)

    def __init__(self, dt: float, **how: Any) -> None:
        super().__init__(dt, **how)
        self.tick_seconds = 0.0
        """Wall time of a tick [s], smoothed over the last twenty calls of `advance`."""

    def advance(self, elapsed_seconds: float) -> int:
        began = time.perf_counter()
        ticks = super().advance(elapsed_seconds)
        if ticks:
            taken = (time.perf_counter() - began) / ticks
            self.tick_seconds += (taken - self.tick_seconds) * (0.05 if self.tick_seconds else 1.0)
        return ticks
