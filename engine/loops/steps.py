"""The operations of a tick that a method divides into steps.

The steps have a control of their own, which counts steps, so that the count of ticks stands still until the tick ends. What they change is
first copied to shadow rows, from which a tick that is not finite is put back.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..compilation.choice import Loop
from ..compilation.compiler import kernel
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

_MOVED_ROWS = np.r_[
    POSITION:STATE_ROWS,
    STORED_MOMENTUM : STORED_MOMENTUM + 3,
    PREVIOUS : PREVIOUS + STATE_ROWS,
    PREVIOUS_STORED_MOMENTUM : PREVIOUS_STORED_MOMENTUM + 3,
]
"""The components that a tick changes, and their values one tick earlier."""
_CENTER_ROWS = np.arange(CENTER_OF_MASS, CENTER_OF_MASS + 3)


class Kept(NamedTuple):
    """Rows of a table that are kept."""

    table: Array
    rows: Integers
    shadow: Array
    counted: Integers
    """The number of columns of the table, shape (1,)."""
    kept: Integers
    """The number of columns that are kept, shape (1,)."""


class Added(NamedTuple):
    """Rows that are added to those of a table."""

    table: Array
    rows: Integers
    kept: Array
    columns: int


class Counted(NamedTuple):
    """What counts the steps of a tick."""

    control: Integers
    """The control of ticks."""
    steps: Integers
    """The control of steps."""
    taken: Integers
    """The number of steps taken, shape (1,)."""
    wanted: int
    """The number of steps to take."""


class Ended(NamedTuple):
    """The arguments of `end_steps`."""

    array: Array
    control: Integers
    start: Array
    """The shadow rows of the bodies."""
    centers: Array
    """Those of their mass centres."""
    columns: int


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
def add_kept(packed: Packed[Added], operand: int, ticks_left: int) -> int:
    """Add rows that are kept to those of a table."""
    added = unpack(packed)
    for place in range(added.rows.shape[0]):
        for column in range(added.columns):
            added.table[added.rows[place], column] += added.kept[place, column]
    return 1


@kernel("open-steps")
def open_steps(packed: Packed[Counted], operand: int, ticks_left: int) -> int:
    """Begin a tick of several steps."""
    counted = unpack(packed)
    control, steps = counted.control, counted.steps
    for entry in range(STORING, control.shape[0]):  # the spans, which change while bodies are frozen
        steps[entry] = control[entry]
    steps[TICKS] = control[TICKS] * counted.wanted
    counted.taken[0] = 0
    return 1


@kernel("blame-steps")
def blame_steps(packed: Packed[Counted], start: int, unused: int) -> int:
    """Pass on why a step was rejected."""
    counted = unpack(packed)
    counted.control[BAD] = counted.steps[BAD]
    return 1


@kernel("repeat")
def repeat(packed: Packed[Counted], operand: int, ticks_left: int) -> int:
    """Go back by `operand` operations, until the steps have been taken."""
    counted = unpack(packed)
    counted.taken[0] += 1
    return back_by(operand) if counted.taken[0] < counted.wanted else 1


@kernel("end-steps")
def end_steps(packed: Packed[Ended], moves_mass: int, ticks_left: int) -> int:
    """Combine the steps into one tick, whose previous state is that at its start, and count it.

    If mass centres have moved in the body frame, the previous state is that of the new ones.
    """
    ended = unpack(packed)
    array, start = ended.array, ended.start
    for column in range(ended.columns):
        for row in range(STATE_ROWS):
            array[PREVIOUS + row, column] = start[row, column]
        for row in range(3):
            array[PREVIOUS_STORED_MOMENTUM + row, column] = start[STATE_ROWS + row, column]
        if moves_mass != 0:
            shift = subtract(load_vector(array, CENTER_OF_MASS, column), load_vector(ended.centers, 0, column))
            x, y, z = load_vector(start, ORIENTATION, column)
            turn = (x, y, z, float(start[ORIENTATION + 3, column]))
            moved = rotate(turn, 2.0, shift)
            swing = rotate(turn, 2.0, cross(load_vector(start, ANGULAR_VELOCITY, column), shift))
            for place in range(3):
                array[PREVIOUS + POSITION + place, column] += moved[place]
                array[PREVIOUS + VELOCITY + place, column] += swing[place]
    ended.control[BAD] = -1
    ended.control[TICKS] += 1
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
    packed = Packed(Kept(table, rows, shadow, counted, kept))
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
    counted = Packed(Counted(control, steps, np.zeros(1, np.int64), count))
    bodies, centers = keeping(array, _MOVED_ROWS, columns), keeping(array, _CENTER_ROWS, columns if moves_mass else 0)
    end = Packed(Ended(array, control, bodies.shadow, centers.shadow, columns))
    return [
        Operation(open_steps, counted, 0, (blame_steps, counted)),
        *(bodies.operation, centers.operation._replace(undo=None), *before),
        *(*inside, Operation(repeat, counted, len(inside)), *after),
        Operation(end_steps, end, int(moves_mass)),
    ]


def keeping_loops() -> list[Loop]:
    """The kernels that keep rows of tables."""
    return [declared(each) for each in (keep, put_back, add_kept)]


def step_loops() -> list[Loop]:
    """The kernels of ticks of several steps, beside those that keep rows."""
    return [declared(each) for each in (open_steps, blame_steps, repeat, end_steps)]
