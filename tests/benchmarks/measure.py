"""Timing in rounds, in which everything takes its turn, so that a machine that slows down affects all alike."""

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import repeat
from typing import Any

SCALES = {"s": 1.0, "µs": 1e6, "ns": 1e9}
Clock = Callable[[], float]


@dataclass(frozen=True)
class Effort:
    """How much time is spent on a figure."""

    rounds: int
    seconds: float
    """How long one run lasts, about: so long that the clock itself does not count."""
    most_bodies: int


QUICK = Effort(rounds=3, seconds=1e-3, most_bodies=10_000)
NORMAL = Effort(rounds=15, seconds=8e-3, most_bodies=100_000)
FULL = Effort(rounds=31, seconds=15e-3, most_bodies=1_000_000)


@dataclass(frozen=True)
class Figure:
    """One measured number, in a row and a column of one table."""

    table: str
    row: str
    column: str
    unit: str
    median: float
    least: float
    """The smallest of the rounds; the median again for what is not timed."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Contestant:
    """Something to be timed."""

    row: str
    column: str
    run: Callable[[int], object]
    """Does its work so many times."""
    prepare: Callable[[], object] = field(default=lambda: None)
    """Called before each run, not timed."""
    share: float = 1.0
    """What one time of its work is divided by: bodies, say."""


def each_call(function: Callable[[], object]) -> Callable[[int], None]:
    """A `run` that calls the function from a Python loop."""

    def run(times: int) -> None:
        for _ in repeat(None, times):
            function()

    return run


def figures(table: str, unit: str, contestants: Sequence[Contestant], effort: Effort) -> list[Figure]:
    """Time a piece of work of each contestant, medians and minima over rounds in turn."""
    found = []
    for contestant, times in zip(contestants, rounds(contestants, effort), strict=True):
        scaled = [SCALES[unit] / contestant.share * seconds for seconds in times]
        median, least = statistics.median(scaled), min(scaled)
        found.append(Figure(table, contestant.row, contestant.column, unit, median, least))
    return found


def ratio(table: str, row: str, column: str, times: Sequence[float], to: Sequence[float]) -> Figure:
    """How many times as long as something else that was timed in the same rounds; `least` is the ratio of the least."""
    ratios = [time / other for time, other in zip(times, to, strict=True)]
    return Figure(table, row, column, "×", statistics.median(ratios), min(times) / min(to))


def value(table: str, row: str, column: str, unit: str, number: float) -> Figure:
    """A figure that is not timed in rounds."""
    return Figure(table, row, column, unit, number, number)


def rounds(contestants: Sequence[Contestant], effort: Effort, clock: Clock | None = None) -> list[list[float]]:
    """Seconds that one piece of work took by a clock, or of wall time: a list a contestant, with a number a round."""
    clock = clock or time.perf_counter
    times = [_times_for(contestant, effort.seconds, clock) for contestant in contestants]
    gc.collect()
    gc.disable()
    try:
        found = [
            [_timed(c, count, clock) for c, count in zip(contestants, times, strict=True)] for _ in range(effort.rounds)
        ]
    finally:
        gc.enable()
    return [list(column) for column in zip(*found, strict=True)]


def _times_for(contestant: Contestant, seconds: float, clock: Clock) -> int:
    """How often the work fits into so many seconds, at least once; the first run, which may compile, does not count."""
    contestant.prepare()
    contestant.run(1)
    count = 1
    while (taken := _timed(contestant, count, clock) * count) < 0.1 * seconds:
        count *= 8
    return max(1, round(count * seconds / taken))


def _timed(contestant: Contestant, count: int, clock: Clock) -> float:
    contestant.prepare()
    begin = clock()
    contestant.run(count)
    return (clock() - begin) / count
