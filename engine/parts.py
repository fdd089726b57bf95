"""Ticks of many bodies on several threads: each takes the same loop over a part of the columns, to the same bits."""

import os
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

    def __call__(self, ticks: int) -> int:
        own, *others = self._takes
        pool = _pool(len(others))
        for tick in range(ticks):
            running = [pool.submit(take, 1) for take in others]
            finished = own(1)
            if sum(task.result() for task in running) + finished < len(self._takes):
                return tick
        return ticks


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="ticks")


if hasattr(os, "register_at_fork"):  # where processes can fork: the child has the pool, and none of its threads
    os.register_at_fork(after_in_child=_pool.cache_clear)


def _from_column(array: Any, first: int) -> Any:
    """The array as if it began at this column, of the same shape: its last rows then end beyond the memory, in columns that no loop reads.

    A loop wants the row pitch that it was compiled for, so a plain slice will not do.
    """
    if not isinstance(array, np.ndarray):
        return array
    return np.lib.stride_tricks.as_strided(array[:, first:], array.shape, array.strides)
