"""Ending a tick from Python: one compiled call each, so that an interrupt comes before it or after it and never in between."""

from .columns import Array, Integers, load_state, store_state
from .compiler import kernel
from .layout import BAD, COUNT, POSITION, PREVIOUS, STATE_ROWS, TICKS


@kernel("undo-tick")
def undo(array: Array, control: Integers) -> int:
    """Take back the last tick, which was finite and counted."""
    for column in range(control[COUNT]):
        store_state(array, POSITION, column, load_state(array, PREVIOUS, column))
    control[TICKS] -= 1
    return 0


@kernel("close-steps")
def close_steps(array: Array, control: Integers, start: Array) -> int:
    """Make one tick of the steps just taken and count it: each has left the one before as the previous state, not the tick's start."""
    for row in range(STATE_ROWS):
        for column in range(control[COUNT]):
            array[PREVIOUS + row, column] = start[row, column]
    control[BAD] = -1
    control[TICKS] += 1
    return 0
