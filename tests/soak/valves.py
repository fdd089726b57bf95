"""The level of a valve over time, as straight lines between the moments at which its slope changes."""

from dataclasses import dataclass
from itertools import pairwise


@dataclass
class Valve:
    """A valve that rises at 1/`rise_time` while it is open and falls at 1/`fall_time` while it is shut [s]."""

    rise_time: float
    fall_time: float
    opens_in: float = 0.0
    open_for: float = 0.0
    level: float = 0.0
    opened: float = 0.0
    """Time integral of the level so far [s]."""

    @property
    def is_busy(self) -> bool:
        """Whether a pulse waits, runs or falls."""
        return self.open_for > 0.0 or self.level > 0.0

    def fire(self, duration: float, delay: float) -> None:
        """Replace the pulse that may be running."""
        self.opens_in, self.open_for = delay, duration

    def run(self, dt: float) -> tuple[float, float]:
        """Follow it over a tick: the time integral of the level [s], and that of the level times the time since the start [s²]."""
        corners = [(0.0, self.level)]

        def go(until: float, target: float, slope_time: float) -> None:
            start, level = corners[-1]
            if until <= start:
                return
            reached = start + abs(target - level) * slope_time
            if reached < until:
                corners.extend([(reached, target), (until, target)])
            else:
                corners.append((until, level + (until - start) / slope_time * (1.0 if target > level else -1.0)))

        opens = min(self.opens_in, dt)
        shuts = min(opens + self.open_for, dt) if opens < dt else dt
        go(opens, 0.0, self.fall_time)
        go(shuts, 1.0, self.rise_time)
        go(dt, 0.0, self.fall_time)
        self.level = corners[-1][1]
        self.opens_in -= opens
        self.open_for -= shuts - opens
        area = moment = 0.0
        for (begin, low), (end, high) in pairwise(corners):
            length = end - begin
            area += 0.5 * length * (low + high)
            # Simpson's rule, which is exact for the level times the time
            middle = 0.25 * (begin + end) * (low + high)
            moment += length / 6.0 * (begin * low + 4.0 * middle + end * high)
        self.opened += area
        return area, moment
