"""The opening of a valve over time, whose level rises at a constant rate while it is open and falls at a constant rate while it is shut."""

from typing import NamedTuple

from ..compilation.compiler import inlined

ROUNDING = 1e-15
"""Times that differ by this fraction, which is a few roundings, are equal.

A valve that shuts at once would otherwise lose its level where a pulse that ends with a tick seems to end just before it or after it.
"""

_MOST_TICKS = 1e15
"""Pulses of more ticks end at any time, because it could not be told from the end of a tick."""


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
def in_step_with_ticks(valve: Opening, dt: float) -> Opening:
    """The valve at the start of a tick; a pulse that begins or ends within rounding of the end of this tick or a later one does so there.

    Done in each tick, this keeps the roundings of the ticks from adding up in a long pulse. A pulse that waits is shifted and keeps its
    duration; one that runs is adjusted by a few roundings.
    """
    begin, end = valve.opens_in, valve.opens_in + valve.open_for
    if not (valve.open_for > 0.0 and end / dt < _MOST_TICKS):
        return valve
    if begin > 0.0:
        shift = _to_a_tick(begin, dt)
        if abs(shift) > ROUNDING * end:
            shift = _to_a_tick(end, dt)
        if abs(shift) > ROUNDING * end:
            return valve
        return Opening(max(begin + shift, 0.0), valve.open_for, valve.level, valve.area, valve.moment)
    shift = _to_a_tick(end, dt)
    if abs(shift) > ROUNDING * end:
        return valve
    return Opening(0.0, end + shift, valve.level, valve.area, valve.moment)


@inlined
def _to_a_tick(time: float, dt: float) -> float:
    """The time from this one to the nearest end of a tick."""
    return float(int(time / dt + 0.5)) * dt - time


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
    left = duration - waiting
    ends_with_it = left > 0.0 and abs(valve.open_for - left) <= ROUNDING * duration
    opening = min(valve.open_for, duration if ends_with_it else left)
    if opening > 0.0:
        level, area, moment = _rise(level, area, moment, waiting, opening, rise_time)
    if ends_with_it:
        return Opening(0.0, 0.0, level, area, moment)
    if valve.open_for > opening:  # it goes on, whatever the roundings of these times
        return Opening(valve.opens_in - waiting, valve.open_for - opening, level, area, moment)
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
