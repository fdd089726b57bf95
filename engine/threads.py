"""Ticks of many bodies on several threads: each takes the same loop over a part of the bodies, to the same bits."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import count, pairwise
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

import numpy as np

from .checks import FloatArray
from .kernels.columns import Integers
from .kernels.layout import BAD, TICKS
from .kernels.loops import accepted
from .kernels.memory import from_column
from .kernels.undo import undo
from .store.bodies import Bodies

TakeTicks = Callable[[int], int]
"""Called as `take(ticks)`: take up to that many; how many ended finite, or a negative number where a loop rejected its array."""

BindLoop = Callable[[FloatArray, Integers, Any], TakeTicks]
"""Called as `bind(array, control, layers)`: a loop with all its arguments but the number of ticks."""

FEWEST_BODIES = 4096
"""A part of a world with fewer bodies is not worth a thread: waking it costs some 50 µs, and milliseconds on a busy machine."""


def on_threads(bodies: Bodies, threads: int, layers: Any, bind: BindLoop) -> TakeTicks:
    """The loop for the whole world, or for as many parts of it as are worth a thread, taken together.

    Args:
        bodies: The bodies; with more than one thread, in memory that `bodies.part` may cut.
        threads: How many threads there may be.
        layers: The parameters of force fields, of the same pitch, from `kernels.memory.zeros`; anything where there are none.
        bind: Makes the loop for the world or for a part of it.
    """
    parts = min(threads, bodies.count // FEWEST_BODIES)
    if parts < 2:
        return bind(bodies.array, bodies.control, layers)
    edges = [bodies.padded_count // 8 * part // parts * 8 for part in range(parts + 1)]
    made = []
    for first, last in pairwise(edges):
        array, control = bodies.part(first, last - first)
        own_layers = from_column(layers, first) if isinstance(layers, np.ndarray) else layers
        made.append(_Part(first, array, control, bind(array, control, own_layers), bodies.stores_momentum))
    return _TicksInParts(bodies.control, made)


class _Part:
    """Bodies that one thread takes through a tick."""

    def __init__(self, first: int, array: FloatArray, control: Integers, take: TakeTicks, stores: bool) -> None:
        self._first = first
        self._array = array
        self._control = control
        self._take = take
        self._stores = stores
        self._lock = Lock()
        self._due: int | None = None
        self._tick = 0

    def open(self, ticket: int, tick: int) -> None:
        """The tick of this number is to be taken, by whoever comes first with this ticket."""
        with self._lock:
            self._tick = self._control[TICKS] = tick
            self._control[BAD] = -1
            self._due = ticket

    def take(self, ticket: int) -> None:
        """Take the tick, or wait for the thread that does; nothing where it was taken before.

        A thread that was woken late, for a tick of long ago, comes with an old ticket.
        """
        with self._lock:
            if self._due == ticket:
                if not self._is_over:
                    accepted(self._take(1))
                self._due = None

    @property
    def _is_over(self) -> bool:
        """Whether the loop has run, although an exception came before that was written down: its own counter says so."""
        return bool(self._control[TICKS] > self._tick or self._control[BAD] >= 0)

    @property
    def first_bad(self) -> int:
        """The world's column that was not finite, or -1."""
        bad = int(self._control[BAD])
        return bad if bad < 0 else self._first + bad

    def undo(self) -> None:
        """Back to the start of the tick, if it was finite here; a loop undoes one that was not by itself."""
        if self._control[TICKS] > self._tick:
            undo(self._array, self._control, self._stores)


class _TicksInParts:
    """Takes ticks with one thread per part.

    The parts meet after each tick, so that one that is not finite can be undone for all. Their own counters run ahead of the world's,
    which moves when a tick is over everywhere. An exception that arrives in between (an interrupt from the keyboard) leaves when the tick
    that was begun is over and counted.
    """

    def __init__(self, control: Integers, parts: list[_Part]) -> None:
        self._control = control
        self._parts = parts
        self._tickets = count()

    def __call__(self, ticks: int) -> int:
        for tick in range(ticks):
            if not self._take_one():
                return tick
        return ticks

    def _take_one(self) -> bool:
        ticket, tick = next(self._tickets), int(self._control[TICKS])
        for part in self._parts:
            part.open(ticket, tick)
        try:
            self._share_out(ticket)
            self._meet(ticket)
            self._close(tick)
        except BaseException:
            self._meet(ticket)
            self._close(tick)
            raise
        return bool(self._control[TICKS] > tick)

    def _share_out(self, ticket: int) -> None:
        _own, *others = self._parts
        _helpers.offer([partial(part.take, ticket) for part in others])

    def _meet(self, ticket: int) -> None:
        """Take every part that no other thread has begun, and wait for those that one has."""
        for part in self._parts:
            part.take(ticket)

    def _close(self, tick: int) -> None:
        bad = next((part.first_bad for part in self._parts if part.first_bad >= 0), -1)
        self._control[BAD] = bad
        if bad < 0:
            self._control[TICKS] = tick + 1
            return
        for part in self._parts:
            part.undo()


class _Helpers:
    """Threads that run what they are offered, when they come to it; whoever offers it must be able to do without them.

    Not an executor of the standard library: an interrupt while one accepts a task may leave its lock taken for good, and the next task
    waits forever. A `SimpleQueue` is written in C and takes a task in one step.
    """

    def __init__(self) -> None:
        self._offered: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._threads: list[Thread] = []

    def offer(self, tasks: Sequence[Callable[[], None]]) -> None:
        """Have tasks run by other threads, at most one thread per task."""
        with suppress(RuntimeError):  # no thread starts while the interpreter shuts down
            while len(self._threads) < len(tasks):
                thread = Thread(target=self._work, name="ticks", daemon=True)
                thread.start()
                self._threads.append(thread)
        for task in tasks:
            self._offered.put(task)

    def _work(self) -> None:
        while True:
            task = self._offered.get()
            with suppress(Exception):  # whoever offered the task meets the same error
                task()


_helpers = _Helpers()


def _forget_helpers() -> None:
    """The child of a fork has the queue and none of the threads."""
    global _helpers
    _helpers = _Helpers()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_helpers)
