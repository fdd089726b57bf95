"""Ticks of many bodies on several threads: each takes the same loop over a part of the columns, to the same bits."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from .checks import FloatArray
from .columns import Columns

TakeTicks = Callable[[int], int]
"""Called as `take(ticks)`: take up to that many; how many ended finite."""

FEWEST_BODIES = 4096
"""A part of a world with fewer bodies is not worth a thread: waking it costs some 50 µs, and milliseconds on a busy machine."""


def in_parts(
    columns: Columns, threads: int, shares: Any, bind: Callable[[FloatArray, Any, int], TakeTicks]
) -> TakeTicks:
    """`bind(array, shares, count)` for the whole world, or for as many parts of it as are worth a thread, taken together."""
    parts = min(threads, columns.count // FEWEST_BODIES)
    if parts < 2:
        return bind(columns.array, shares, columns.padded_count)
    edges = [columns.padded_count // 8 * part // parts * 8 for part in range(parts + 1)]
    return _Together(
        [
            bind(_from_column(columns.array, first), _from_column(shares, first), last - first)
            for first, last in pairwise(edges)
        ]
    )


class _Together:
    """Takes ticks with one thread a part. They meet after each tick, so that one that is not finite can be undone for all."""

    def __init__(self, takes: list[TakeTicks]) -> None:
        self._takes = takes
        self._pool = _pool(len(takes) - 1)

    def __call__(self, ticks: int) -> int:
        own, *others = self._takes
        for tick in range(ticks):
            running = [self._pool.submit(take, 1) for take in others]
            finished = own(1)
            if sum(task.result() for task in running) + finished < len(self._takes):
                return tick
        return ticks


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="ticks")


def _from_column(array: Any, first: int) -> Any:
    """The array as if it began at this column, of the same shape: its last rows then end beyond the memory, in columns that no loop reads.

    A loop wants the row pitch that it was compiled for, so a plain slice will not do.
    """
    if not isinstance(array, np.ndarray):
        return array
    return np.lib.stride_tricks.as_strided(array[:, first:], array.shape, array.strides)
