"""The opening of a valve over time, whose level rises at a constant rate while it is open and falls at a constant rate while it is shut."""

from typing import NamedTuple

from ..compilation.compiler import inlined


class Opening(NamedTuple):
    """A valve at one moment, or what has happened up to it."""

    opens_in: float
    """Time until it opens [s]."""
    open_for: float
    """Time for which it will then be open, or is still open [s]."""
    level: float
    """From 0 to 1."""
    area: float
    """Time integral of the level so far [s]."""
    moment: float
    """Time integral of level times time so far [s²]."""


@inlined
def level_after(valve: Opening, rise_time: float, fall_time: float, duration: float) -> Opening:
    """Follow a valve for a time; area and moment count from the start of this time.

    Args:
        valve: The valve at the start.
        rise_time: Time from shut to open [s]; zero is at once.
        fall_time: Time from open to shut [s]; zero is at once.
        duration: The time [s].
    """
    waiting = min(valve.opens_in, duration)
    level, area, moment = _fall(valve.level, 0.0, 0.0, 0.0, waiting, fall_time)
    opening = min(valve.open_for, duration - waiting)
    if opening > 0.0:
        level, area, moment = _rise(level, area, moment, waiting, opening, rise_time)
    begin = waiting + opening
    level, area, moment = _fall(level, area, moment, begin, duration - begin, fall_time)
    return Opening(valve.opens_in - waiting, valve.open_for - opening, level, area, moment)


@inlined
def _rise(
    level: float, area: float, moment: float, begin: float, duration: float, rise_time: float
) -> tuple[float, float, float]:
    ramp = min((1.0 - level) * rise_time, duration)
    end = level + ramp / rise_time if ramp < (1.0 - level) * rise_time else 1.0
    area, moment = _add_ramp(area, moment, begin, ramp, level if rise_time > 0.0 else 1.0, end)
    area, moment = _add_ramp(area, moment, begin + ramp, duration - ramp, 1.0, 1.0)
    return end, area, moment


@inlined
def _fall(
    level: float, area: float, moment: float, begin: float, duration: float, fall_time: float
) -> tuple[float, float, float]:
    if not (level > 0.0 and duration > 0.0):
        return level, area, moment
    ramp = min(level * fall_time, duration)
    end = level - ramp / fall_time if ramp < level * fall_time else 0.0
    area, moment = _add_ramp(area, moment, begin, ramp, level, end)
    return end, area, moment


@inlined
def _add_ramp(
    area: float, moment: float, begin: float, duration: float, level: float, end: float
) -> tuple[float, float]:
    """Add a part of the time in which the level changes at a constant rate from one value to another."""
    part = 0.5 * duration * (level + end)
    return area + part, moment + begin * part + duration * duration * (level + 2.0 * end) / 6.0
