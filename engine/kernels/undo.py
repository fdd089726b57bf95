"""Ending a tick from Python: one compiled call each, so that an interrupt comes before it or after it and never in between."""

from .columns import Array, Integers
from .compiler import kernel
from .layout import BAD, COUNT, PREVIOUS, PREVIOUS_STORED_MOMENTUM, STATE_ROWS, STORED_MOMENTUM, TICKS


@kernel("undo-tick")
def undo(array: Array, control: Integers, stores: bool) -> int:
    """Take back the last tick, which was finite and counted; `stores` says whether it was of a loop for worlds that store momentum."""
    for column in range(control[COUNT]):
        for row in range(STATE_ROWS):
            array[row, column] = array[PREVIOUS + row, column]
        for row in range(3 if stores else 0):
            array[STORED_MOMENTUM + row, column] = array[PREVIOUS_STORED_MOMENTUM + row, column]
    control[TICKS] -= 1
    return 0


@kernel("close-steps")
def close_steps(array: Array, control: Integers, start: Array) -> int:
    """Make one tick of the steps just taken and count it: each has left the one before as the previous state, not the tick's start.

    `start` has the state at the start of the tick, thirteen rows and those of the stored momentum.
    """
    for column in range(control[COUNT]):
        for row in range(STATE_ROWS):
            array[PREVIOUS + row, column] = start[row, column]
        for row in range(3):
            array[PREVIOUS_STORED_MOMENTUM + row, column] = start[STATE_ROWS + row, column]
    control[BAD] = -1
    control[TICKS] += 1
    return 0
