"""Memory for component-major arrays, with spare room at the end, so that a thread can use a view that starts at a later column."""

import numpy as np

from .columns import Array

_LINE = 8
"""Numbers per cache line. Arrays start at a line, and pitches are multiples of it, because vectors that cross two lines cost 2 to 4 %."""

_LARGE, _LARGE_PAGE = 2**17, 2**18
"""From so many numbers on (1 MiB), arrays start at a large page [numbers in 2 MiB]. Components of a body are a page or more apart, so that
small pages are looked up at each of them: 4096 members with a hinge take 3 to 5 % longer with these."""


def zeros(rows: int, pitch: int, shared: bool = False) -> Array:
    """Return an array of zeros, shape (rows, pitch), that starts at a cache line; if threads share it, one spare row of memory follows."""
    count = (rows + 1 if shared else rows) * pitch
    unit = _LINE if count < _LARGE else _LARGE_PAGE
    # NumPy asks for large pages where it allocates 4 MiB or more; of what is never written, no memory is used
    memory = np.zeros(max(count + unit, 2 * unit) if unit == _LARGE_PAGE else count + unit)
    start = -(memory.ctypes.data // memory.itemsize) % unit
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
