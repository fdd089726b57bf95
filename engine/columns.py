"""The one array that holds every body of a world, a column a body, and its growth."""

from collections.abc import Callable

import numpy as np

from .checks import FloatArray
from .kernels.layout import (
    HISTORY_ROWS,
    INERTIA,
    INVERSE_INERTIA,
    INVERSE_MASS,
    MASS,
    ORIENTATION,
    PREVIOUS,
    PRINCIPAL_MOMENTS,
    ROWS,
    STAGE_WRENCH,
    STORED_MOMENTUM,
    WRENCH_ROWS,
)

_SMALLEST = 264


class Columns:
    """Rows as in `kernels.layout`; columns from `count` on hold a resting body, so that loops may run a little beyond.

    The pitch comes from a ladder, 264, 1032, 1544, 2056, 3080, 4104, …, half as much again or a third: each pitch costs a compilation,
    and each is eight beyond a multiple of 256, because rows that lie a power of two apart fight for the same places in the cache (a
    pitch of 1024: 40 ns a body-tick of `RungeKutta4` instead of 17).
    """

    __slots__ = ("__weakref__", "_stores_momentum", "array", "before_change", "count", "history", "revision", "stages")

    def __init__(self) -> None:
        self.array = _resting(_SMALLEST)
        self.count = 0
        self.stages: FloatArray | None = None
        self.history: FloatArray | None = None
        self.revision = 0
        """Grows whenever a view on the arrays, an index or a loop chosen for them may have become stale."""
        self._stores_momentum = False
        self.before_change: Callable[[], None] = lambda: None
        """To be called by whoever else than the world itself changes something here."""

    @property
    def pitch(self) -> int:
        """How many bodies the array has room for."""
        return int(self.array.shape[1])

    @property
    def padded_count(self) -> int:
        """The count rounded up to a multiple of eight, which spares the loops a scalar remainder.

        Not for one body or two, who are done sooner one by one than eight at a time: `RungeKutta4` 0.13 µs a body against 0.26 for
        eight, `FreeRotor` 0.29 against 0.86 (four lanes wide).
        """
        return self.count if self.count <= 2 else (self.count + 7) & ~7

    @property
    def stores_momentum(self) -> bool:
        """Whether some body has wheels that turn."""
        return self._stores_momentum

    def look_for_stored_momentum(self) -> None:
        """To be called when stored momentum may have changed."""
        stores = bool(self.array[STORED_MOMENTUM : STORED_MOMENTUM + 3, : self.count].any())
        if stores != self._stores_momentum:
            self._stores_momentum = stores
            self.revision += 1

    def append(self, columns: FloatArray) -> None:
        """Add bodies given as an array (ROWS, n)."""
        wanted = self.count + columns.shape[1]
        if wanted > self.pitch:
            self._grow(wanted)
        self.array[:, self.count : wanted] = columns
        self.count = wanted
        self.revision += 1
        self._stores_momentum |= bool(columns[STORED_MOMENTUM : STORED_MOMENTUM + 3].any())

    def remove(self, index: int) -> None:
        """Close the gap: the bodies behind move one column forward."""
        last = self.count - 1
        self.array[:, index:last] = self.array[:, index + 1 : self.count]
        self.array[:, last : self.count] = _resting(1)
        if self.history is not None:
            self.history[:, index:last] = self.history[:, index + 1 : self.count]
            self.history[:, last] = 0.0
        self.count = last
        self.revision += 1
        if self._stores_momentum:
            self.look_for_stored_momentum()

    def stage_array(self, evaluations: int) -> FloatArray:
        """The second array, made when first asked for: the state at a stage and the wrench of each evaluation."""
        rows = STAGE_WRENCH + WRENCH_ROWS * evaluations
        if self.stages is None or self.stages.shape[0] < rows or self.stages.shape[1] != self.pitch:
            self.stages = np.zeros((rows, self.pitch))
            self.stages[ORIENTATION + 3] = 1.0
            self.revision += 1
        return self.stages

    def history_array(self) -> FloatArray:
        """The third array, made when first asked for: the held wrenches of the two ticks before."""
        if self.history is None:
            self.history = np.zeros((HISTORY_ROWS, self.pitch))
        return self.history

    def forget_history(self, columns: int | slice = slice(None)) -> None:
        """Something of these bodies has jumped: the wrenches of the ticks before are no guide to those to come."""
        if self.history is not None:
            self.history[:, columns] = 0.0

    def saved(self) -> tuple[FloatArray, FloatArray | None]:
        """A copy of all bodies, for `restore`."""
        history = None if self.history is None else self.history[:, : self.count].copy()
        return self.array[:, : self.count].copy(), history

    def restore(self, saved: tuple[FloatArray, FloatArray | None]) -> None:
        """Back to the bodies that were saved."""
        bodies, history = saved
        count = bodies.shape[1]
        self.count = 0
        self._stores_momentum = False
        if count > self.pitch:
            self._grow(count)
        self.array[:, count:] = _resting(self.pitch - count)
        self.append(bodies)
        self.forget_history()
        if history is not None:
            self.history_array()[:, :count] = history

    def _grow(self, wanted: int) -> None:
        size = _rung(wanted)
        grown = _resting(size)
        grown[:, : self.count] = self.array[:, : self.count]
        if self.history is not None:
            history = np.zeros((HISTORY_ROWS, size))
            history[:, : self.count] = self.history[:, : self.count]
            self.history = history
        self.array = grown
        self.revision += 1


def _rung(wanted: int) -> int:
    size = 1024
    while size + 8 < wanted:
        size += size // 2 if size & (size - 1) == 0 else size // 3
    return size + 8


def _resting(columns: int) -> FloatArray:
    array = np.zeros((ROWS, columns))
    array[[ORIENTATION + 3, PREVIOUS + ORIENTATION + 3, MASS, INVERSE_MASS]] = 1.0
    array[INERTIA : INERTIA + 3] = 1.0
    array[INVERSE_INERTIA : INVERSE_INERTIA + 3] = 1.0
    array[PRINCIPAL_MOMENTS : PRINCIPAL_MOMENTS + 3] = 1.0
    return array
