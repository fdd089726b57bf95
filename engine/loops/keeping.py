"""Rows of tables that are kept, to be put back if a tick fails."""

from typing import NamedTuple

import numpy as np

from ..compilation.compiler import kernel
from ..compilation.packed import Packed, unpack
from .columns import Array, Integers
from .program import Operation


class Kept(NamedTuple):
    """Rows of a table that are kept."""

    table: Array
    rows: Integers
    shadow: Array
    counted: Integers
    """The number of columns of the table, shape (1,)."""
    kept: Integers
    """The number of columns that are kept, shape (1,)."""


@kernel("keep")
def keep(packed: Packed[Kept], operand: int, ticks_left: int) -> int:
    """Copy rows of a table to shadow rows."""
    given = unpack(packed)
    given.kept[0] = given.counted[0]
    for place in range(given.rows.shape[0]):
        for column in range(given.kept[0]):
            given.shadow[place, column] = given.table[given.rows[place], column]
    return 1


@kernel("put-back")
def put_back(packed: Packed[Kept], start: int, unused: int) -> int:
    """Undo what has happened to rows of a table, and to their number, since `keep`."""
    given = unpack(packed)
    given.counted[0] = given.kept[0]
    for place in range(given.rows.shape[0]):
        for column in range(given.kept[0]):
            given.table[given.rows[place], column] = given.shadow[place, column]
    return 1


@kernel("add-kept")
def add_kept(packed: Packed[Kept], operand: int, ticks_left: int) -> int:
    """Add rows that are kept to those of a table."""
    given = unpack(packed)
    for place in range(given.rows.shape[0]):
        for column in range(given.kept[0]):
            given.table[given.rows[place], column] += given.shadow[place, column]
    return 1


def keeping(table: Array, rows: Integers, columns: int | Integers) -> tuple[Operation, Kept]:
    """The operation that keeps rows of a table, to be put back with a failed tick, and what it keeps.

    Args:
        table: The table.
        rows: The rows.
        columns: How many of its columns to keep; an array, shape (1,), if ticks change their number, which is then kept as well.
    """
    if isinstance(columns, int):
        counted, room = np.full(1, columns, np.int64), max(columns, 1)
    else:
        counted, room = columns, table.shape[1]
    kept = Kept(table, rows, np.zeros((len(rows), room)), counted, np.zeros(1, np.int64))
    packed = Packed(kept)
    return Operation(keep, packed, 0, (put_back, packed)), kept
