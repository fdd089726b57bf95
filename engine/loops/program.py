"""A tick as a list of operations, which one kernel runs.

An operation is a kernel ``operation(arguments, operand, ticks_left) -> int``, which is called by its address. The arguments are `Packed`,
so that all operations have the same interface, whatever they work on. An operation returns 1; `back_by` or `forward_by` a number of
operations that are to run again, or to be left out; 0 if the tick is not finite; or a negative number if the tick was rejected before
anything was changed. `ticks_left` is 1 in the last tick of a call.

An operation may have another one that undoes it. If a tick is not finite, these are called in the opposite order, from the operation that
failed on. They get the tick count at the start of the tick as their operand, and must do no harm if the operation has not run.

Nothing interrupts compiled code. Where a list contains a function of Python, the kernel returns there and is entered again behind it, and
`PLACE` in the state of the program is the number of operations that may have run. It is zero unless a tick is open.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ..compilation.choice import Loop, Role, StandIn, has_name, in_python, named, ready
from ..compilation.compiler import (
    COMPILED,
    address_of,
    address_of_bound,
    call,
    has_address,
    inlined,
    kernel,
    plain,
    types_of,
    without_dispatch,
)
from ..compilation.kernel_types import Arguments, Kernel
from ..compilation.packed import Packed, declared, example, unpack
from ..compilation.whole import call_whole
from .columns import OVERFLOWS, Integers, IntegerTable
from .floating_point import is_other_mode
from .layout import BAD, OTHER_MODE, OVERFLOWED, STOPPED, TICKS
from .undo import Undone, undo

ADDRESS, ARGUMENTS, OPERAND, UNDO, UNDO_ARGUMENTS = range(5)
"""The columns of a list of operations; the address of a function of Python is zero."""
PLACE, START = range(2)
"""The state of a program: the number of operations of the open tick that may have run, and the tick count at its start."""


class Listed(NamedTuple):
    """The arguments of the kernels that run programs."""

    operations: IntegerTable
    state: Integers
    control: Integers
    """The control of the bodies."""


class Moved(NamedTuple):
    """The arguments of `move`."""

    calls: Integers
    """The address of the loop."""
    arguments: Arguments
    """Those of the loop without the number of ticks."""


@kernel("run-program")
def run_program(program: Packed[Listed], ticks: int) -> int:
    """Run ticks, each of which is a list of operations, up to the first function of Python, which then is the last that may have run.

    If a tick is open, it goes on behind the operations that have run. With zero ticks, its operations are undone instead.

    Returns:
        The number of ticks that ended finite; a negative number if the first was rejected before anything was changed.
    """
    listed = unpack(program)
    operations, state, control = listed.operations, listed.state, listed.control
    place = int(state[PLACE])
    if ticks == 0:
        _undo(operations, state, place)
        return 0
    if place == 0:
        if is_other_mode(control):  # before anything is computed
            control[BAD] = OTHER_MODE
            return OTHER_MODE
        state[START] = control[TICKS]
    for tick in range(ticks):
        while place < operations.shape[0]:
            if operations[place, ADDRESS] == 0:
                state[PLACE] = place + 1
                return tick
            arguments = (operations[place, ARGUMENTS], operations[place, OPERAND], ticks - tick)
            result = call(operations[place, ADDRESS], arguments)
            if result <= 0:
                _undo(operations, state, place + 1)
                return min(result, 0) if tick == 0 else tick
            place += result if result < _BACK else _BACK - result
        place = 0
        state[START] = control[TICKS]
    state[PLACE] = 0
    return ticks


_BACK = 1 << 20
"""More operations than any list has."""


@inlined
def back_by(operations: int) -> int:
    """What an operation returns to have so many operations before it, and then itself, run again."""
    return _BACK + operations


@inlined
def forward_by(operations: int) -> int:
    """What an operation returns to have so many operations behind it left out; see also `layout.SKIPPED`."""
    return 1 + operations


@inlined
def _undo(operations: Integers, state: Integers, count: int) -> None:
    """Undo so many operations of a tick, the last one first."""
    for back in range(count):
        place = count - 1 - back
        if operations[place, UNDO] != 0:
            _ = call(operations[place, UNDO], (operations[place, UNDO_ARGUMENTS], state[START], 0))
    state[PLACE] = 0


@kernel("move")
def move(packed: Packed[Moved], operand: int, ticks_left: int) -> int:
    """Run the loop of a method over one tick."""
    moved = unpack(packed)
    return call(moved.calls[0], (*moved.arguments, 1))


class Operation(NamedTuple):
    """An operation of a tick.

    Attributes:
        function: The kernel, the plain Python function that stands in for it, or another function of Python. What such a function does to
            the bodies is whole once it has counted the tick.
        arguments: Its arguments.
        operand: Its operand.
        undo: What undoes it, with its arguments; None if nothing has to.
    """

    function: Kernel
    arguments: Packed[Arguments]
    operand: int = 0
    undo: tuple[Callable[..., object], Packed[Arguments]] | None = None
    loop: Callable[[int], int] | None = None
    """A loop that does the same for any number of ticks; None if there is none."""


class Program:
    """The operations of a tick; owns their arguments, which an address does not keep alive.

    If all of them are compiled, so is the call that runs ticks. While a kernel is missing, plain Python runs the same list and calls each
    operation, compiled or not; a tick is then whole, because what an exception has left of one is put back.

    A list of one loop is run by that loop.

    Attributes:
        operations: The operations, in order.
        is_one_loop: Whether it is run by the loop of its one operation.
        run: Runs up to so many ticks and returns how many ended finite, or a negative number if the first was rejected.
    """

    def __init__(self, operations: Sequence[Operation], control: Integers) -> None:
        """Create from operations.

        Args:
            operations: The operations, in order.
            control: The control of the bodies.
        """
        self.operations, self._state, self._control = tuple(operations), np.zeros(2, np.int64), control
        self.is_one_loop = len(self.operations) == 1 and self.operations[0].loop is not None
        self.run: Callable[[int], int] = self._run_in_python
        if self.is_one_loop:
            loop = self.operations[0].loop
            assert loop is not None
            self._take_in_python: Callable[[], int] = partial(_overflowing(loop), 1)
            self.run = loop if COMPILED else self.run
            return
        self._bound: list[Kernel] = []
        table = np.zeros((len(self.operations), 5), np.int64)
        self._packed = Packed(Listed(table, self._state, control))
        undone = [each.undo for each in self.operations if each.undo is not None]
        called = [(each.function, each.arguments) for each in self.operations] + undone
        self._arguments = tuple(arguments for _function, arguments in called)
        is_compiled = COMPILED and not any(isinstance(function, StandIn) for function, _arguments in called)
        if is_compiled:
            # whoever has made an operation of a kernel from a factory has chosen it because it can run
            chosen = [each for each in called if has_address(each[0]) and has_name(each[0])]
            kernels = [named(function, arguments, 0, 0) for function, arguments in chosen]
            is_compiled = not in_python([declared(run_program), *kernels], may_stand_in=True)
        address = _address if is_compiled else self._address_in_python
        for row, each in zip(table, self.operations, strict=True):
            row[:3] = address(each.function, each.arguments), int(each.arguments), each.operand
            if each.undo is not None:
                row[3:] = address(*each.undo), int(each.undo[1])
        take_one = plain(run_program)
        self._take_in_python = lambda: call_whole(lambda *_arguments: take_one(self._packed, 1), self._arguments)
        if is_compiled:
            self._enter = without_dispatch(run_program, self._packed, 0)
            self._called = [partial(each.function, each.arguments, each.operand) for each in self.operations]
            self.run = partial(run_program, self._packed) if table[:, ADDRESS].all() else self._run_in_turns
        self._packed.owner = self

    def _address_in_python(self, function: Callable[..., object], arguments: Packed[Arguments]) -> int:
        if has_address(function):
            function = _as_it_can_run(function, arguments)
        bound: Callable[..., object] = lambda _address, operand, ticks_left: function(arguments, operand, ticks_left)  # noqa: E731
        self._bound.append(bound)
        return address_of_bound(bound)

    def _run_in_python(self, ticks: int) -> int:
        """Run ticks in plain Python, where one that divides by zero or overflows is one that does not end finite."""
        for tick in range(ticks):
            try:
                taken = self._take_in_python()
            except _Overflow:
                taken, self._control[BAD] = 0, OVERFLOWED
            if taken != 1:
                return min(taken, 0) if tick == 0 else tick
        return ticks

    def _run_in_turns(self, ticks: int) -> int:
        """Run ticks in compiled calls, and functions of Python between them."""
        enter, packed, state, called, done = self._enter, self._packed, self._state, self._called, 0
        while True:
            taken = enter(packed, ticks - done)
            if taken > 0:
                done += taken
            place = state.item(PLACE)
            if not place:
                return done or taken
            result = called[place - 1](ticks - done)
            if result <= 0:
                enter(packed, 0)
                return done or min(result, 0)

    def recover(self) -> None:
        """Complete or undo the tick that an exception has ended, if one is open, depending on whether it was counted.

        One of a batch that some members could not run is undone too, unless these were stopped. Doing this twice does no harm.
        """
        if self._control[STOPPED]:
            self._undo_stopped()
        if self._state[PLACE]:
            run_program(self._packed, 1 if self._control[TICKS] > self._state[START] else 0)

    def _undo_stopped(self) -> None:
        """Undo the tick of a batch in which some members could not run."""
        (loop,), control = self.operations, self._control
        assert loop.undo is not None
        function, arguments = loop.undo
        _as_it_can_run(function, arguments)(arguments, int(control[STOPPED]) - 1, 0)
        control[STOPPED] = 0


class _Overflow(ArithmeticError):
    """A kernel in plain Python has divided by zero or overflowed, where compiled code goes on with infinity."""


def _overflowing(function: Callable[..., int]) -> Callable[..., int]:
    """A kernel in plain Python whose overflows differ from those of other functions."""

    def run(*arguments: object) -> int:
        try:
            return function(*arguments)
        except OVERFLOWS as error:
            raise _Overflow from error

    return run


def _as_it_can_run(function: Kernel, arguments: Packed[Arguments]) -> Kernel:
    """The kernel of an operation, or its plain Python function while it is missing."""
    if not COMPILED:
        return _overflowing(plain(function)) if hasattr(function, "py_func") else function
    return ready(named(function, arguments, 0, 0))


def _address(function: Callable[..., object], arguments: Packed[Arguments]) -> int:
    """The address of an operation for compiled code."""
    return address_of(function, types_of(arguments, 0, 0)) if has_address(function) else 0


def loops_of_programs(loops: Sequence[Loop]) -> list[Loop]:
    """The kernels that run lists of operations in which these loops of methods move bodies."""
    movers = {loop.types: loop.arguments[:-1] for loop in loops if loop.role is not Role.PART}
    moves = [named(move, Packed(Moved(example(Integers), arguments)), 0, 0) for arguments in movers.values()]
    return [declared(run_program), *moves, declared(undo)]


def moving(run: Callable[[int], int], undone: Undone) -> Operation:
    """The operation that moves bodies by a loop with all arguments but the number of ticks."""
    function, arguments = _one_tick(run)
    return Operation(function, arguments, 0, (undo, Packed(undone)), run)


class AtStages(NamedTuple):
    """What acts at the stages of a tick and is no part of the loop in passes, such as forces that Python calls.

    Attributes:
        operations: Called as ``operations(stage, offset, control, dt)``, this makes the operations that add to the wrench of a stage,
            `offset` [s] after the start of a tick or step of `dt` [s], which `control` counts.
        depends_on_rates: Whether any force at the stages, compiled or not, depends on velocity or angular velocity.
    """

    operations: Callable[[int, float, Integers, float], list[Operation]]
    depends_on_rates: bool


def moving_in_stages(
    loop: Callable[[int, int], int], stages: Sequence[tuple[int, float]], acting: AtStages, undone: Undone, dt: float
) -> list[Operation]:
    """The operations that move bodies from stage to stage by a loop in passes, which is called once more for the end of the tick.

    Args:
        loop: Called as ``loop(stage, 1)``.
        stages: The block of the stage array, and the time [s] after the start of the tick, of each evaluation of the forces.
        acting: What acts at the stages.
        undone: The bodies.
        dt: The length of a tick or step [s].
    """
    operations = list[Operation]()
    for number, (block, offset) in enumerate(stages):
        operations.append(Operation(*_one_tick(partial(loop, number))))
        operations += acting.operations(block, offset, undone.control, dt)
    return [*operations, moving(partial(loop, len(stages)), undone)._replace(loop=None)]


def _one_tick(run: Callable[[int], int]) -> tuple[Kernel, Packed[Arguments]]:
    """The function of an operation that calls a loop for one tick, and its arguments."""
    if isinstance(run, partial) and has_address(run.func):
        calls = np.array([address_of(run.func, types_of(*run.args, 1))], np.int64)
        return move, Packed(Moved(calls, run.args))

    def move_in_python(arguments: Packed[Arguments], operand: int, ticks_left: int) -> int:
        return run(1)

    return move_in_python, Packed(())
