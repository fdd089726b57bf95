"""Memory for component-major arrays, with spare room at the end, so that a thread can use a view that starts at a later column."""

import numpy as np

from .columns import Array

_LINE = 8
"""Numbers per cache line. Arrays start at a line, and pitches are multiples of it, because vectors that cross two lines cost 2 to 4 %."""


def zeros(rows: int, pitch: int, shared: bool) -> Array:
    """Return an array of zeros, shape (rows, pitch), that starts at a cache line; if threads share it, one spare row of memory follows."""
    memory = np.zeros((rows + 1 if shared else rows) * pitch + _LINE)
    start = -(memory.ctypes.data // memory.itemsize) % _LINE
    return memory[start : start + rows * pitch].reshape(rows, pitch)


def from_column(array: Array, first: int) -> Array:
    """Return a view that starts at a column and has the same shape and pitch, in memory allocated by `zeros`.

    A plain slice would have another shape, and a loop accepts only arrays of the row pitch for which it was compiled. The last columns of
    each row of this view are the first columns of the next row (for the last row, of the spare row). No loop reads them.
    """
    rows, pitch = array.shape
    memory = array if array.base is None else array.base
    start = (array.ctypes.data - memory.ctypes.data) // array.itemsize + first
    return memory.reshape(-1)[start : start + rows * pitch].reshape(rows, pitch)
