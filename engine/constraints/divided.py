"""What joints carry in the steps of one tick, where a method divides it.

The table of joints describes the last step only. A joint that was overloaded in an earlier step, or touched a limit and left it, would not
be noticed between two ticks. The forces are therefore summed over the steps, and the limits that are reached are noted.
"""

from ..compilation.compiler import inlined, kernel
from ..compilation.packed import Packed, unpack
from ..loops.columns import Array
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


@kernel("open-joint-steps")
def open_joint_steps(packed: Packed[JointSteps], operand: int, ticks_left: int) -> int:
    """Begin a tick."""
    steps = unpack(packed)
    for joint in range(steps.joint_count):
        for row in range(6):
            steps.forces[row, joint] = 0.0
        for freedom in range(MOST_FREEDOMS):
            steps.reached[freedom, joint] = 0.0
    steps.taken[0] = 0
    return 1


@kernel("add-joint-step")
def add_joint_step(packed: Packed[JointSteps], operand: int, ticks_left: int) -> int:
    """Add the step that has just been taken."""
    steps = unpack(packed)
    steps.taken[0] += 1
    for joint in range(steps.joint_count):
        for row in range(6):
            steps.forces[row, joint] += steps.table[FORCE + row, joint]
        if steps.table[ENABLED, joint] != 0.0:
            _note_limits(steps.table, steps.reached, joint)
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


@kernel("end-joint-steps")
def end_joint_steps(packed: Packed[JointSteps], operand: int, ticks_left: int) -> int:
    """Write the mean forces over the tick into the table, and mark the freedoms that reached a limit in it."""
    steps = unpack(packed)
    for joint in range(steps.joint_count):
        for row in range(6):
            steps.table[FORCE + row, joint] = steps.forces[row, joint] / float(steps.taken[0])
        for row in range(MOST_FREEDOMS):
            mark = steps.table[WAS_AT_LIMIT + row, joint] % REACHED_IN_A_STEP
            steps.table[WAS_AT_LIMIT + row, joint] = mark + REACHED_IN_A_STEP * steps.reached[row, joint]
    return 1
