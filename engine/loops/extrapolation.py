"""Operations that extrapolate wrenches which are evaluated only at the start of each tick, by a polynomial through the last three."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from ..compilation.compiler import call, inlined, kernel
from ..compilation.packed import Packed, unpack
from .columns import Array, Integers
from .layout import COUNT, KNOWN_WRENCHES, LAST_WRENCH, OLDER_WRENCH, TICKS, WRENCH, WRENCH_ROWS
from .point_forces import ForceTables, add_forces
from .program import Moved, forward_by


class Extrapolating(NamedTuple):
    """The arguments of the operation that extrapolates."""

    array: Array
    control: Integers
    steps: Integers
    """The control of the steps of a tick that is divided, or that of ticks again."""
    history: Array
    stages: Array
    forces: ForceTables
    clocks: tuple[float, float, float, int]
    """The time of the stage after the start of the step, the length of a tick and of a step [s], and the number of steps in a tick."""


class Remembered(NamedTuple):
    """The arguments of the operation that stores the held wrench."""

    array: Array
    control: Integers
    history: Array


class HeldConstant(NamedTuple):
    """The arguments of `hold_constant`."""

    moved: Packed[Moved]
    """The loop."""
    array: Array
    control: Integers
    history: Array
    left: Integers
    """What was left of a call when the wrench was last found constant."""


@cache
def extrapolate(pitch: int) -> Callable[..., int]:
    """Make the operation that extrapolates the held wrench to a stage, whose wrench begins at `wrench_row`, and adds the forces there.

    Let c be the held wrench of this tick, b that of the previous tick and a that of the tick before. The result at x ticks after the
    start of the tick is ``c + x (c − b) + x (x + 1)/2 (c − 2 b + a)``, the quadratic through the three values at x = −2, −1 and 0. It is
    written in differences, so that a constant wrench stays constant to the last bit. If a body has only one previous value, the result is
    linear. If it has none, the result is constant.
    """

    @kernel(f"extrapolate-{pitch}")
    def operation(packed: Packed[Extrapolating], wrench_row: int, ticks_left: int) -> int:
        given = unpack(packed)
        array, control, history, stages = given.array, given.control, given.history, given.stages
        offset, dt, step, count = given.clocks
        if array.shape[1] != pitch or history.shape[1] != pitch or stages.shape[1] != pitch:
            return -1
        # by the steps since the start of the tick alone, so that the result does not depend on when the world began to count
        passed = float(given.steps[TICKS] - control[TICKS] * count) * step + offset
        ticks = passed / dt
        half_square = 0.5 * ticks * (ticks + 1.0)
        for row in range(WRENCH_ROWS):
            for column in range(control[COUNT]):
                known = float(history[KNOWN_WRENCHES, column])
                now = float(array[WRENCH + row, column])
                last = float(history[LAST_WRENCH + row, column])
                older = float(history[OLDER_WRENCH + row, column])
                slope = now - last if known > 0.5 else 0.0
                bend = now - 2.0 * last + older if known > 1.5 else 0.0
                stages[wrench_row + row, column] = now + ticks * slope + half_square * bend
        clock, row = (float(control[TICKS]), dt, passed), wrench_row
        if add_forces(array, control, stages, row, given.forces, clock) < 0:
            return -1
        return 1

    return operation


@cache
def remember(pitch: int) -> Callable[..., int]:
    """Make the operation that stores the held wrench in the history."""

    @kernel(f"remember-wrenches-{pitch}")
    def operation(packed: Packed[Remembered], operand: int, ticks_left: int) -> int:
        given = unpack(packed)
        array, history = given.array, given.history
        if array.shape[1] != pitch or history.shape[1] != pitch:
            return -1
        count = given.control[COUNT]
        for row in range(WRENCH_ROWS):
            for column in range(count):
                history[OLDER_WRENCH + row, column] = history[LAST_WRENCH + row, column]
                history[LAST_WRENCH + row, column] = array[WRENCH + row, column]
        for column in range(count):
            history[KNOWN_WRENCHES, column] = 1.0 if history[KNOWN_WRENCHES, column] < 0.5 else 2.0
        return 1

    return operation


@kernel("hold-constant")
def hold_constant(packed: Packed[HeldConstant], operations: int, ticks_left: int) -> int:
    """Run a tick by the loop for held wrenches, and leave out the operations that extrapolate, if the wrench is what it was in two ticks.
    Within a call, a wrench that is constant remains so.
    """
    held = unpack(packed)
    if held.left[0] != ticks_left + 1 and not _is_constant(held.array, held.history, held.control[COUNT]):
        return 1
    moved = unpack(held.moved)
    result = call(moved.calls[0], (*moved.arguments, 1))
    held.left[0] = ticks_left if result > 0 else 0
    return forward_by(operations) if result > 0 else result


@inlined
def _is_constant(array: Array, history: Array, count: int) -> bool:
    """Whether the held wrench of each body is what it was in the last two ticks."""
    for row in range(WRENCH_ROWS):
        for column in range(count):
            now, last = array[WRENCH + row, column], history[LAST_WRENCH + row, column]
            if now != last or last != history[OLDER_WRENCH + row, column]:
                return False
    for column in range(count):
        if history[KNOWN_WRENCHES, column] < 1.5:
            return False
    return True
