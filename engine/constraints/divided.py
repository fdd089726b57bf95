"""What joints carry in the steps of one tick, where a method divides it.

The table of joints describes the last step only. A joint that was overloaded in an earlier step, or touched a limit and left it, would not
be noticed between two ticks. The forces are therefore summed over the steps, and the limits that are reached are noted.
"""

from ..compilation.compiler import inlined, kernel
from ..compilation.packed import Packed, unpack
from ..loops.columns import Array
from ..loops.steps import steps_taken
from .arguments import JointSteps
from .layout import (
    ENABLED,
    EQUALITY_ROWS,
    FORCE,
    FREEDOM_COUNTS,
    MOST_FREEDOMS,
    POSITION_FORCES,
    REACHED_IN_A_STEP,
    TYPE,
    VELOCITY_FORCES,
    WAS_AT_LIMIT,
)
from .rows import freedom_count, limit_count


@kernel("sum-joint-steps")
def sum_joint_steps(packed: Packed[JointSteps], operand: int, ticks_left: int) -> int:
    """Add the step that has just been taken.

    After the last one, write the mean forces over the tick into the table, and mark the freedoms that reached a limit in it.
    """
    steps = unpack(packed)
    table, forces, reached = steps.table, steps.forces, steps.reached
    taken, count = steps_taken(steps.counts), steps.counts.per_tick
    is_first, is_last = taken == 1, taken == count
    for joint in range(forces.shape[1]):
        for row in range(6):
            before = 0.0 if is_first else float(forces[row, joint])
            forces[row, joint] = before + table[FORCE + row, joint]
        for freedom in range(MOST_FREEDOMS if is_first else 0):
            reached[freedom, joint] = 0.0
        if table[ENABLED, joint] != 0.0:
            _note_limits(table, reached, joint)
        for row in range(6 if is_last else 0):
            table[FORCE + row, joint] = forces[row, joint] / float(count)
        for row in range(MOST_FREEDOMS if is_last else 0):
            mark = table[WAS_AT_LIMIT + row, joint] % REACHED_IN_A_STEP
            table[WAS_AT_LIMIT + row, joint] = mark + REACHED_IN_A_STEP * reached[row, joint]
    return 1


@inlined
def _note_limits(table: Array, reached: Array, joint: int) -> None:
    """Note which freedoms of a joint pushed against a limit in this step; see `rows.limits_reached`."""
    column = table[:, joint]
    kind = int(column[TYPE])
    first = EQUALITY_ROWS[kind]
    for freedom in range(FREEDOM_COUNTS[kind]):
        for row in range(first, first + limit_count(column, freedom)):
            if column[POSITION_FORCES + row] != 0.0 or column[VELOCITY_FORCES + row] != 0.0:
                reached[freedom, joint] = 1.0
        first += freedom_count(column, freedom)
