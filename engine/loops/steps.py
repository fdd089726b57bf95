"""The operations of a tick that a method divides into steps.

The steps have a control of their own, which counts steps, so that the count of ticks stands still until the tick ends. What they change is
first copied to shadow rows, from which a tick that is not finite is put back.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..compilation.choice import Loop, named
from ..compilation.compiler import kernel
from ..compilation.packed import Packed, unpack
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

_MOVED_ROWS = np.r_[
    POSITION:STATE_ROWS,
    STORED_MOMENTUM : STORED_MOMENTUM + 3,
    PREVIOUS : PREVIOUS + STATE_ROWS,
    PREVIOUS_STORED_MOMENTUM : PREVIOUS_STORED_MOMENTUM + 3,
]
"""The components that a tick changes, and their values one tick earlier."""
_CENTER_ROWS = np.arange(CENTER_OF_MASS, CENTER_OF_MASS + 3)


@kernel("keep")
def keep(packed: Packed, operand: int, ticks_left: int) -> int:
    """Copy rows of a table to shadow rows; packed are the table, the rows, the shadow rows, and the number of columns of each."""
    table, rows, shadow, counted, kept = unpack(packed)
    kept[0] = counted[0]
    for place in range(rows.shape[0]):
        for column in range(kept[0]):
            shadow[place, column] = table[rows[place], column]
    return 1


@kernel("put-back")
def put_back(packed: Packed, start: int, unused: int) -> int:
    """Undo what has happened to rows of a table, and to their number, since `keep`."""
    table, rows, shadow, counted, kept = unpack(packed)
    counted[0] = kept[0]
    for place in range(rows.shape[0]):
        for column in range(kept[0]):
            table[rows[place], column] = shadow[place, column]
    return 1


@kernel("add-kept")
def add_kept(packed: Packed, operand: int, ticks_left: int) -> int:
    """Add rows that are kept to those of a table; packed are the table, the rows, those that are kept, and the number of columns."""
    table, rows, kept, columns = unpack(packed)
    for place in range(rows.shape[0]):
        for column in range(columns):
            table[rows[place], column] += kept[place, column]
    return 1


@kernel("open-steps")
def open_steps(packed: Packed, operand: int, ticks_left: int) -> int:
    """Begin a tick of several steps; packed are the controls of ticks and of steps, the number of steps taken, and of those to take."""
    control, steps, taken, count = unpack(packed)
    for entry in range(STORING, control.shape[0]):  # the spans, which change while bodies are frozen
        steps[entry] = control[entry]
    steps[TICKS] = control[TICKS] * count
    taken[0] = 0
    return 1


@kernel("blame-steps")
def blame_steps(packed: Packed, start: int, unused: int) -> int:
    """Pass on why a step was rejected."""
    control, steps, _taken, _count = unpack(packed)
    control[BAD] = steps[BAD]
    return 1


@kernel("repeat")
def repeat(packed: Packed, operand: int, ticks_left: int) -> int:
    """Go back by `operand` operations, until the steps have been taken; packed is the same as in `open_steps`."""
    _control, _steps, taken, count = unpack(packed)
    taken[0] += 1
    return back_by(operand) if taken[0] < count else 1


@kernel("end-steps")
def end_steps(packed: Packed, moves_mass: int, ticks_left: int) -> int:
    """Combine the steps into one tick, whose previous state is that at its start, and count it.

    Packed are the bodies, the control of ticks, the shadow rows of the bodies and of their mass centres, and the number of columns. If
    mass centres have moved in the body frame, the previous state is that of the new ones.
    """
    array, control, start, centers, columns = unpack(packed)
    for column in range(columns):
        for row in range(STATE_ROWS):
            array[PREVIOUS + row, column] = start[row, column]
        for row in range(3):
            array[PREVIOUS_STORED_MOMENTUM + row, column] = start[STATE_ROWS + row, column]
        if moves_mass != 0:
            shift = subtract(load_vector(array, CENTER_OF_MASS, column), load_vector(centers, 0, column))
            x, y, z = load_vector(start, ORIENTATION, column)
            turn = (x, y, z, float(start[ORIENTATION + 3, column]))
            moved = rotate(turn, 2.0, shift)
            swing = rotate(turn, 2.0, cross(load_vector(start, ANGULAR_VELOCITY, column), shift))
            for place in range(3):
                array[PREVIOUS + POSITION + place, column] += moved[place]
                array[PREVIOUS + VELOCITY + place, column] += swing[place]
    control[BAD] = -1
    control[TICKS] += 1
    return 1


class Keeping(NamedTuple):
    """The operation that keeps rows of a table, to be put back with a failed tick."""

    operation: Operation
    shadow: Array
    """The rows as they were before the tick."""
    columns: Integers
    """How many columns of the table there were, shape (1,)."""


def keeping(table: Array, rows: Integers, columns: int | Integers) -> Keeping:
    """Keep rows of a table.

    Args:
        table: The table.
        rows: The rows.
        columns: How many of its columns to keep; an array, shape (1,), if ticks change their number, which is then kept as well.
    """
    if isinstance(columns, int):
        counted, room = np.full(1, columns, np.int64), max(columns, 1)
    else:
        counted, room = columns, table.shape[1]
    shadow, kept = np.zeros((len(rows), room)), np.zeros(1, np.int64)
    packed = Packed(table, rows, shadow, counted, kept)
    return Keeping(Operation(keep, packed, 0, (put_back, packed)), shadow, kept)


def divided(
    array: Array,
    columns: int,
    control: Integers,
    steps: Integers,
    before: Sequence[Operation],
    after: Sequence[Operation],
    moves_mass: bool,
    inside: Sequence[Operation],
    count: int = 1,
) -> list[Operation]:
    """The operations of a tick of several steps.

    Args:
        array: The bodies.
        columns: How many of its columns are moved.
        control: Counts ticks.
        steps: Counts steps.
        before: What is done before the first step.
        after: What is done after the last step.
        moves_mass: Whether mass centres may move in the body frame.
        inside: The operations of one step, or of all steps.
        count: How often they run.
    """
    counted = Packed(control, steps, np.zeros(1, np.int64), count)
    bodies, centers = keeping(array, _MOVED_ROWS, columns), keeping(array, _CENTER_ROWS, columns if moves_mass else 0)
    end = Packed(array, control, bodies.shadow, centers.shadow, columns)
    return [
        Operation(open_steps, counted, 0, (blame_steps, counted)),
        *(bodies.operation, centers.operation._replace(undo=None), *before),
        *(*inside, Operation(repeat, counted, len(inside)), *after),
        Operation(end_steps, end, int(moves_mass)),
    ]


def keeping_loops() -> list[Loop]:
    """The kernels that keep rows of tables."""
    array, integers = np.zeros((1, 1)), np.zeros(1, np.int64)
    kept, added = Packed(array, integers, array, integers, integers), Packed(array, integers, array, 0)
    return [named(keep, kept, 0, 0), named(put_back, kept, 0, 0), named(add_kept, added, 0, 0)]


def step_loops() -> list[Loop]:
    """The kernels of ticks of several steps, beside those that keep rows."""
    array, integers = np.zeros((1, 1)), np.zeros(1, np.int64)
    counted = Packed(integers, integers, integers, 0)
    own = [named(function, counted, 0, 0) for function in (open_steps, blame_steps, repeat)]
    return [*own, named(end_steps, Packed(array, integers, array, array, 0), 0, 0)]
