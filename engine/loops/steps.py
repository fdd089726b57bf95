"""The operations of a tick that a method divides into steps.

The steps have a control of their own, which counts steps, so that the count of ticks stands still until the tick ends. What they change is
first copied to shadow rows, from which a tick that is not finite is put back.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..compilation.choice import Loop
from ..compilation.compiler import inlined, kernel
from ..compilation.packed import Packed, declared, unpack
from ..kernels.quaternions import rotate
from ..kernels.vectors import cross, subtract
from .columns import Array, Integers, load_vector
from .layout import (
    ANGULAR_VELOCITY,
    BAD,
    CENTER_OF_MASS,
    ORIENTATION,
    POSITION,
    PREVIOUS,
    PREVIOUS_STORED_MOMENTUM,
    STATE_ROWS,
    STORED_MOMENTUM,
    STORING,
    TICKS,
    VELOCITY,
)
from .program import Operation, back_by

_STATES = STATE_ROWS + 3
"""The number of components that a tick changes."""
_MOVED_ROWS = np.r_[
    POSITION:STATE_ROWS,
    STORED_MOMENTUM : STORED_MOMENTUM + 3,
    PREVIOUS : PREVIOUS + STATE_ROWS,
    PREVIOUS_STORED_MOMENTUM : PREVIOUS_STORED_MOMENTUM + 3,
]
"""These, and behind them their values one tick earlier."""
_CENTERS = len(_MOVED_ROWS)
"""Where mass centres are behind these."""


class Counts(NamedTuple):
    """What counts the steps of a tick; one step if it is not divided."""

    ticks: Integers
    """The control of ticks."""
    steps: Integers
    """The control of steps."""
    per_tick: int
    """The number of steps in a tick."""


@inlined
def steps_taken(counts: Counts) -> int:
    """The number of steps of the open tick that have been counted; 0 if it is not divided."""
    return int(counts.steps[TICKS] - counts.ticks[TICKS] * counts.per_tick)


class Kept(NamedTuple):
    """Rows of a table that are kept."""

    table: Array
    rows: Integers
    shadow: Array
    counted: Integers
    """The number of columns of the table, shape (1,)."""
    kept: Integers
    """The number of columns that are kept, shape (1,)."""


class Divided(NamedTuple):
    """The arguments of the operations of a tick of several steps."""

    counts: Counts
    bodies: Kept
    """What is kept of the bodies, with their mass centres if these may move in the body frame."""


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


@kernel("open-steps")
def open_steps(packed: Packed[Divided], operand: int, ticks_left: int) -> int:
    """Begin a tick of several steps."""
    control, steps, per_tick = unpack(packed).counts
    for entry in range(STORING, control.shape[0]):  # the spans, which change while bodies are frozen
        steps[entry] = control[entry]
    steps[TICKS] = control[TICKS] * per_tick
    return 1


@kernel("blame-steps")
def blame_steps(packed: Packed[Divided], start: int, unused: int) -> int:
    """Pass on why a step was rejected."""
    counts = unpack(packed).counts
    counts.ticks[BAD] = counts.steps[BAD]
    return 1


@kernel("end-steps")
def end_steps(packed: Packed[Divided], operations: int, ticks_left: int) -> int:
    """Go back by so many operations until the steps have been taken; then combine them into one tick, and count it.

    The previous state is that at its start. If mass centres have moved in the body frame, it is that of the new ones.
    """
    counts, bodies = unpack(packed)
    if steps_taken(counts) < counts.per_tick:
        return back_by(operations)
    array, start = bodies.table, bodies.shadow
    for column in range(bodies.kept[0]):
        for row in range(_STATES):
            array[bodies.rows[_STATES + row], column] = start[row, column]
        if start.shape[0] > _CENTERS:
            shift = subtract(load_vector(array, CENTER_OF_MASS, column), load_vector(start, _CENTERS, column))
            x, y, z = load_vector(start, ORIENTATION, column)
            turn = (x, y, z, float(start[ORIENTATION + 3, column]))
            moved = rotate(turn, 2.0, shift)
            swing = rotate(turn, 2.0, cross(load_vector(start, ANGULAR_VELOCITY, column), shift))
            for place in range(3):
                array[PREVIOUS + POSITION + place, column] += moved[place]
                array[PREVIOUS + VELOCITY + place, column] += swing[place]
    counts.ticks[BAD] = -1
    counts.ticks[TICKS] += 1
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


def divided(
    array: Array,
    columns: int,
    control: Integers,
    steps: Integers,
    moves_mass: bool,
    before: Sequence[Operation],
    inside: Sequence[Operation],
    count: int = 1,
) -> list[Operation]:
    """The operations of a tick of several steps.

    Args:
        array: The bodies.
        columns: How many of its columns are moved.
        control: Counts ticks.
        steps: Counts steps.
        moves_mass: Whether mass centres may move in the body frame.
        before: What is done before the first step.
        inside: The operations of one step, or of all steps.
        count: How often they run.
    """
    rows = np.r_[_MOVED_ROWS, CENTER_OF_MASS : CENTER_OF_MASS + 3] if moves_mass else _MOVED_ROWS
    keep_bodies, kept = keeping(array, rows, columns)
    packed = Packed(Divided(Counts(control, steps, count), kept))
    return [
        Operation(open_steps, packed, 0, (blame_steps, packed)),
        *(keep_bodies, *before, *inside),
        Operation(end_steps, packed, len(inside)),
    ]


def keeping_loops() -> list[Loop]:
    """The kernels that keep rows of tables."""
    return [declared(each) for each in (keep, put_back, add_kept)]


def step_loops() -> list[Loop]:
    """The kernels of ticks of several steps, beside those that keep rows."""
    return [declared(each) for each in (open_steps, blame_steps, end_steps)]
