"""Blocks of the members of a batch, which a loop in passes takes through a tick one after another.

Members do without each other, and what a block needs stays in the cache from one pass to the next. Where each member has several bodies,
the columns of a block are runs that are equally far apart, one run per body. The rows of springs and of forces at points are, too. All
blocks use the same first columns of the array of the stages, in which their runs follow each other.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..compilation.compiler import call, from_column, inlined
from .columns import Array, Integers, Over, Runs, one_run, over_columns
from .fields import Clock
from .layout import COUNT, POINT_FORCE_BODY, POINT_FORCE_COUNT, SPRING_BODY, SPRING_COUNT, SPRING_OTHER
from .point_forces import ForceTables, add_fields, add_forces

COLUMNS = 512
"""The columns of a block, of which a tick in passes touches about a kilobyte each; 256 and 1024 took as long within 5 %."""


class Members(NamedTuple):
    """The members of a batch, and the arrays in which loops over some of them find how many there are."""

    number: int
    """The number of members; 0 if everything is one block."""
    control: Integers
    counts: Integers


def members_of(count: int) -> Members:
    """The members of a batch; none if the count is zero."""
    return Members(count, np.zeros(COUNT + 1, np.int64), np.zeros(2, np.int64))


@inlined
def block_length(members: int, columns: int) -> int:
    """The number of members of a block, a whole number of vectors; at least all of them if everything is one block."""
    length = max(members, columns)
    if members > 0 and columns > 0:
        length = max(8, (COLUMNS * members // columns) & ~7)
    return length


@inlined
def block_count(members: int, columns: int) -> int:
    """The number of blocks."""
    length = block_length(members, columns)
    return (members + length - 1) // length if members > length else 1


@inlined
def runs_of(members: int, columns: int, block: int) -> Runs:
    """The columns of a block."""
    length = block_length(members, columns)
    if members <= length:
        return one_run(0, columns)
    first = block * length
    return Runs(first, min(length, members - first), members, columns // members)


@cache
def over_runs(stores: bool, make: Callable[[bool], Callable[..., int]]) -> Callable[..., int]:
    """Make `pass_over(control, runs, arguments) -> sum of the results`, one pass over a block (see `over_columns`).

    The first arguments are the array of the bodies and that of the stages.
    """
    over = over_columns(stores, make)

    @inlined
    def over_all(control: Integers, runs: Runs, arguments: Any) -> int:
        total = 0
        for run in range(runs.number):
            first = runs.first + run * runs.apart
            # the pass goes from there to the column `first` again
            stages = from_column(arguments[1], run * runs.length - first)
            total += over(control, one_run(first, runs.length), (arguments[0], stages, *arguments[2:]))
        return total

    return over_all


def over_blocks(in_blocks: bool) -> Over:
    """What makes a pass over a block of members, or over all columns as one block."""
    return over_runs if in_blocks else over_columns


def add_forces_to(in_blocks: bool) -> Callable[..., int]:
    """What adds all compiled forces to the wrenches of a block of members, or of all columns as one block; see `add_forces`."""
    return _add_to_block if in_blocks else _add_to_all


@inlined
def _add_to_all(
    runs: Runs,
    members: Members,
    array: Array,
    control: Integers,
    states: Array,
    wrench_row: int,
    forces: ForceTables,
    clock: Clock,
) -> int:
    return add_forces(array, control, states, wrench_row, forces, clock)


@inlined
def _add_to_block(
    runs: Runs,
    members: Members,
    array: Array,
    control: Integers,
    states: Array,
    wrench_row: int,
    forces: ForceTables,
    clock: Clock,
) -> int:
    if runs.apart == 0:
        return add_forces(array, control, states, wrench_row, forces, clock)
    rejected, own, counts = 0, members.control, members.counts
    own[COUNT] = runs.length
    for run in range(runs.number):
        first = runs.first + run * runs.apart
        ours = from_column(array, first), from_column(states, run * runs.length), from_column(forces.layers, first)
        rejected += add_fields(ours[0], own, ours[1], wrench_row, forces.calls, ours[2], clock)
    # the springs of each member in their order, and then the forces at points in theirs
    counts[SPRING_COUNT], counts[POINT_FORCE_COUNT] = runs.length, 0
    for number in range(forces.counts[SPRING_COUNT] // members.number):
        row = runs.first + number * runs.apart
        shifts = _shift(runs, forces.springs[SPRING_BODY, row]), _shift(runs, forces.springs[SPRING_OTHER, row])
        pulling = from_column(forces.springs, row), forces.point_forces, counts
        rejected += call(forces.calls[0, 0], (array, states, wrench_row, *pulling, *shifts))
    counts[SPRING_COUNT], counts[POINT_FORCE_COUNT] = 0, runs.length
    for number in range(forces.counts[POINT_FORCE_COUNT] // members.number):
        row = runs.first + number * runs.apart
        shifts = _shift(runs, forces.point_forces[POINT_FORCE_BODY, row]), 0
        pulling = forces.springs, from_column(forces.point_forces, row), counts
        rejected += call(forces.calls[0, 0], (array, states, wrench_row, *pulling, *shifts))
    return rejected


@inlined
def _shift(runs: Runs, body: float) -> int:
    """How far the column of a body of the first member of a block is behind that of its stages; 0 for the world."""
    column = int(body)
    return column - column // runs.apart * runs.length if column >= 0 else 0
