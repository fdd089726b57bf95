"""Undoes a tick in one compiled call, which an interrupt cannot split."""

from ..compilation.compiler import inlined, kernel
from .columns import Array, Integers
from .layout import COUNT, PREVIOUS, PREVIOUS_STORED_MOMENTUM, STATE_ROWS, STORED_MOMENTUM, TICKS


@kernel("undo-tick")
def undo(array: Array, control: Integers, stores: bool) -> int:
    """Undo the last tick, which was finite and counted; `stores` tells whether its loop was compiled for stored momentum."""
    undo_tick(array, control, stores)
    return 0


@inlined
def undo_tick(array: Array, control: Integers, stores: bool) -> None:
    """The same, for other kernels."""
    for column in range(control[COUNT]):
        for row in range(STATE_ROWS):
            array[row, column] = array[PREVIOUS + row, column]
        for row in range(3 if stores else 0):
            array[STORED_MOMENTUM + row, column] = array[PREVIOUS_STORED_MOMENTUM + row, column]
    control[TICKS] -= 1
