"""Ticks of many bodies on several threads, each of which runs the same loop over a part of the bodies, with the same bits."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import count, pairwise
from queue import SimpleQueue
from threading import RLock, Thread
from weakref import WeakSet

import numpy as np

from ..checks import FloatArray
from ..compilation.compiler import COMPILED
from ..compilation.packed import Packed
from ..loops.allocation import from_column
from ..loops.columns import Integers
from ..loops.fields import Layers
from ..loops.layout import BAD, OTHER_MODE, TICKS
from ..loops.one_step import accepted
from ..loops.undo import Undone, undo
from .bodies import Bodies

TakeTicks = Callable[[int], int]
"""Called as `take(ticks)`, which runs up to that many ticks.

It returns the number of ticks that ended finite, or a negative number if a loop rejected its array.
"""

BindLoop = Callable[[FloatArray, Integers, Layers], TakeTicks]
"""Called as `bind(array, control, layers)`, which returns a loop with all arguments bound except the number of ticks."""

FEWEST_BODIES = 4096
"""The smallest number of bodies per thread; waking a thread costs about 50 µs, and milliseconds on a busy machine."""


def on_threads(bodies: Bodies, control: Integers, threads: int, layers: Layers, bind: BindLoop) -> TakeTicks:
    """Return the loop for the whole world, or a function that runs loops for several parts of it on threads.

    Args:
        bodies: The bodies. With more than one thread, their memory must allow views of parts (`bodies.part`).
        control: Counts the ticks.
        threads: The largest number of threads.
        layers: The parameters of force fields, of the same pitch, from `loops.allocation.zeros`; any value if there are none.
        bind: Makes the loop for the world or for a part of it.
    """
    parts = min(threads, bodies.count // FEWEST_BODIES)
    if parts < 2 or not COMPILED:  # plain Python would run the parts in turns
        return bind(bodies.array, control, layers)
    edges = [bodies.padded_count // 8 * part // parts * 8 for part in range(parts + 1)]
    made = []
    for first, last in pairwise(edges):
        array, own = bodies.part(first, last - first)
        own_layers = from_column(layers, first) if isinstance(layers, np.ndarray) else layers
        made.append(_Part(first, array, own, bind(array, own, own_layers), bodies.stores_momentum))
    return _TicksInParts(control, made)


_parts: "WeakSet[_Part]" = WeakSet()
"""The parts of all worlds."""


class _Part:
    """A part of the bodies, which one thread processes in each tick."""

    def __init__(self, first: int, array: FloatArray, control: Integers, take: TakeTicks, stores: bool) -> None:
        self._first = first
        self._control = control
        self._take = take
        self._start = Packed(Undone(array, control, int(stores)))
        self._lock = RLock()  # of which an interrupted thread that still holds it is not kept out
        self._due: int | None = None
        self._tick = 0
        _parts.add(self)

    def forget_threads(self) -> None:
        """Be free in the child of a fork, in which no thread is left that could release the lock."""
        self._lock = RLock()

    def open(self, ticket: int, tick: int) -> None:
        """Open the tick of this number, to be run by the first thread that calls `take` with this ticket."""
        with self._lock:
            self._tick = self._control[TICKS] = tick
            self._control[BAD] = -1
            self._due = ticket

    def take(self, ticket: int) -> None:
        """Run the tick, or wait for the thread that runs it; do nothing if it has already run.

        A thread that was woken too late, for an earlier tick, has an old ticket, which has no effect. A thread in another floating-point
        mode leaves the tick to another thread.
        """
        with self._lock:
            if self._due == ticket:
                if not self._is_over:
                    result = self._take(1)
                    if result == OTHER_MODE:
                        return  # another thread may still run it
                    accepted(result)
                self._due = None

    def withdraw(self) -> None:
        """Let no thread run the tick from now on."""
        with self._lock:
            self._due = None

    @property
    def _is_over(self) -> bool:
        """Whether the loop's own counter shows that it has run, even if an exception arrived before `_due` was cleared."""
        return bool(self._control[TICKS] > self._tick or self._control[BAD] >= 0)

    @property
    def first_bad(self) -> int:
        """The column, counted in the whole world, of the first body that was not finite; -1, or `layout.OTHER_MODE`."""
        bad = int(self._control[BAD])
        return bad if bad < 0 else self._first + bad

    def undo(self) -> None:
        """Restore the start of the tick if it was finite in this part; otherwise the loop has already restored it."""
        undo(self._start, self._tick, 0)


class _TicksInParts:
    """Runs ticks with one thread per part.

    All parts are synchronised after each tick, so that a tick that is not finite in one part can be undone in all. Each part has its own
    tick counter. The counter of the world changes only when all parts have completed the tick. If an exception arrives during a tick (a
    keyboard interrupt), the tick is completed and counted before the exception propagates.
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
        """Run every part that no other thread has started, and wait for the others."""
        for part in self._parts:
            part.take(ticket)

    def _close(self, tick: int) -> None:
        for part in self._parts:
            part.withdraw()
        bad = next((part.first_bad for part in self._parts if part.first_bad != -1), -1)
        self._control[BAD] = bad
        if bad == -1:
            self._control[TICKS] = tick + 1
            return
        for part in self._parts:
            part.undo()


class _Helpers:
    """Threads that may run offered tasks; the caller must not depend on it and must be able to run the tasks itself.

    An executor of the standard library is not suitable. If an interrupt arrives while it accepts a task, its lock may remain locked, and
    the next task waits forever. A `SimpleQueue` is written in C and accepts a task in one step.
    """

    def __init__(self) -> None:
        self._offered: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._threads: list[Thread] = []

    def offer(self, tasks: Sequence[Callable[[], None]]) -> None:
        """Offer tasks to other threads, with at most one thread per task."""
        with suppress(RuntimeError):  # threads cannot start while the interpreter shuts down
            if not all(thread.is_alive() for thread in self._threads):  # an interrupt at any line may have ended one
                self._threads = [thread for thread in self._threads if thread.is_alive()]
            while len(self._threads) < len(tasks):
                thread = Thread(target=self._work, name="ticks", daemon=True)
                thread.start()
                self._threads.append(thread)
        for task in tasks:
            self._offered.put(task)

    def _work(self) -> None:
        while True:
            task = self._offered.get()
            with suppress(BaseException):  # the caller that offered the task gets the same error
                task()


_helpers = _Helpers()


def _forget_helpers() -> None:
    """Create new helpers in the child of a fork, which has the queue but none of the threads.

    One of them may have held the lock of a part, to see that it was woken too late.
    """
    global _helpers
    _helpers = _Helpers()
    for part in list(_parts):
        part.forget_threads()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_helpers)
