"""Memory for component-major arrays, with room at the end so that a thread may look at an array from a later column on."""

import numpy as np

from .columns import Array


def zeros(rows: int, pitch: int, shared: bool) -> Array:
    """An array of zeros, shape (rows, pitch); where threads share it, one spare row of memory follows."""
    memory = np.zeros((rows + 1 if shared else rows) * pitch)
    return memory[: rows * pitch].reshape(rows, pitch)


def from_column(array: Array, first: int) -> Array:
    """The array as if it began at this column, of the same shape and pitch, within the memory that `zeros` gave it.

    A loop runs only on arrays of the row pitch that it was compiled for, so a plain slice will not do. In the last columns of this view
    stand the first columns of the next row (for the last row, the spare one); no loop reads them.
    """
    rows, pitch = array.shape
    memory = array if array.base is None else array.base
    start = (array.ctypes.data - memory.ctypes.data) // array.itemsize + first
    return memory.reshape(-1)[start : start + rows * pitch].reshape(rows, pitch)
