"""Undoes a tick in one compiled call, which an interrupt cannot split."""

from typing import NamedTuple

from ..compilation.compiler import kernel
from ..compilation.packed import Packed, unpack
from .columns import Array, Integers
from .layout import COUNT, PREVIOUS, PREVIOUS_STORED_MOMENTUM, STATE_ROWS, STORED_MOMENTUM, TICKS


class Undone(NamedTuple):
    """The arguments of `undo`."""

    array: Array
    control: Integers
    stores: int
    """1 if the loop was compiled for stored momentum."""


@kernel("undo-tick")
def undo(packed: Packed[Undone], start: int, unused: int) -> int:
    """Undo the tick that a loop has run since the tick count was `start`, if it was finite and is therefore counted."""
    undone = unpack(packed)
    array, control = undone.array, undone.control
    if control[TICKS] > start:
        for column in range(control[COUNT]):
            for row in range(STATE_ROWS):
                array[row, column] = array[PREVIOUS + row, column]
            for row in range(3 * undone.stores):
                array[STORED_MOMENTUM + row, column] = array[PREVIOUS_STORED_MOMENTUM + row, column]
        control[TICKS] -= 1
    return 1
