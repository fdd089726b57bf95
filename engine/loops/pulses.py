"""The kernel that turns shares of full thrust into pulses of valves, and counts the thrust that they give.

A valve has a level from 0 to 1, which rises at 1/rise_time while it is open and falls at 1/fall_time while it is shut. The thrust of a
period, in seconds of full thrust, is the area below the level. A pulse starts at the beginning of the period. It is at least as long as
the rise, so the level always reaches 1. What falls after the end of the period is counted in the next one.
"""

from math import sqrt

from ..compilation.compiler import inlined, kernel
from .columns import Array

MIN_ON_TIME, RISE_TIME, FALL_TIME = 0, 1, 2

_SHORTEST_SHUT = 1e-9
"""A valve that would be shut for less than this fraction of the period stays open, and what this gives too much is carried. By as much the
time between two commands may differ from the period, so a valve might not shut at all, or shut where it was to stay open."""

CARRIED, LEVEL = 0, 1
"""Rows of the state of a jet: the area that is wanted and not yet delivered [s], and the level at the start of the period."""


@kernel("modulate-pulses")
def modulate(
    shares: Array, state: Array, valves: Array, period: float, durations: Array, areas: Array, after: Array
) -> int:
    """Fill durations and areas, shape (cases, jets), and the state after the period, shape (cases, 2, jets). Return 1."""
    for case in range(shares.shape[0]):
        for jet in range(shares.shape[1]):
            wanted = float(state[case, CARRIED, jet]) + float(shares[case, jet]) * period
            level = float(state[case, LEVEL, jet])
            rise, fall = float(valves[RISE_TIME, jet]), float(valves[FALL_TIME, jet])
            duration = _duration(wanted, level, period, rise, fall)
            if period - duration <= _SHORTEST_SHUT * period:
                duration = period
            if duration < valves[MIN_ON_TIME, jet]:
                duration = 0.0
            area, level = _pulse(duration, level, period, rise, fall)
            durations[case, jet], areas[case, jet] = duration, area
            after[case, CARRIED, jet], after[case, LEVEL, jet] = wanted - area, level
    return 1


@inlined
def _duration(wanted: float, level: float, period: float, rise: float, fall: float) -> float:
    """How long a valve must be open for this area, at most the whole period."""
    missing = 0.5 * (1.0 - level) * (1.0 - level) * rise  # what the rise leaves out
    area = wanted + missing
    if area <= period - 0.5 * fall:
        return area - 0.5 * fall
    # the fall is cut off by the end of the period
    return period - sqrt(2.0 * fall * (period - area)) if area < period else period


@inlined
def _pulse(duration: float, level: float, period: float, rise: float, fall: float) -> tuple[float, float]:
    """Area within a period, and the level at its end."""
    opened, peak = 0.0, level
    if duration > 0.0:
        opened, peak = duration - 0.5 * (1.0 - level) * (1.0 - level) * rise, 1.0
    shut = period - duration
    if shut >= peak * fall:
        return opened + 0.5 * peak * peak * fall, 0.0 if shut > 0.0 else peak
    end = peak - shut / fall
    return opened + 0.5 * (peak + end) * shut, end
