"""A tick as a list of operations: they run in order, are undone in the opposite order, and what they work on stays alive."""

import gc

import numpy as np
import pytest

from engine.compilation.compiler import kernel
from engine.compilation.packed import Packed, unpack
from engine.loops.floating_point import new_control
from engine.loops.layout import TICKS
from engine.loops.program import Operation, Program


@kernel("toy")
def toy(packed, operand, ticks_left):
    """Write a number behind those written so far; fail at the tick in `fails`, and count it if it is the second operation."""
    written, number, control, fails = unpack(packed)
    written[0] += 1
    written[int(written[0])] = number
    if fails >= 0 and control[TICKS] == fails:
        return 0
    if number == 2:
        control[TICKS] += 1
    return 1


@kernel("undo-toy")
def undo_toy(packed, start, unused):
    """Write the negative number, and the count of ticks from which it is undone."""
    written, number, control, _fails = unpack(packed)
    written[0] += 1
    written[int(written[0])] = -number - 100 * start
    if number == 2 and control[TICKS] > start:
        control[TICKS] -= 1
    return 1


def made(fails=-1, failing=2, instead=None):
    """A program of three operations, one of which may fail in a tick or be a function of Python, and what they write."""
    written, control, operations = np.zeros(64, np.int64), new_control(0, 1), []
    for number in (1, 2, 3):
        packed = Packed(written, number, control, fails if number == failing else -1)
        function = instead if instead is not None and number == 2 else toy
        operations.append(Operation(function, packed, 0, (undo_toy, packed)))
    return Program(operations, control), written, control


def text(written):
    return written[1 : written[0] + 1].tolist()


def in_python(packed, operand, ticks_left):
    """The same as `toy`, in a function that no kernel calls."""
    written, number, control, _fails = packed.arguments
    written[0] += 1
    written[int(written[0])] = number
    control[TICKS] += 1
    return 1


@pytest.mark.parametrize("instead", [None, in_python])
def test_operations_run_in_order_in_every_tick(instead):
    program, written, control = made(instead=instead)
    assert program.run(3) == 3
    assert text(written) == [1, 2, 3] * 3
    assert control[TICKS] == 3


def test_a_tick_that_fails_is_undone_from_its_last_operation_on():
    program, written, control = made(fails=2)
    assert program.run(5) == 2
    assert text(written) == [1, 2, 3] * 2 + [1, 2, -202, -201]
    assert control[TICKS] == 2
    program.recover()  # nothing is open
    assert text(written)[-1] == -201


def test_a_tick_that_fails_behind_a_function_of_python_is_undone():
    program, written, control = made(fails=3, failing=3, instead=in_python)
    assert program.run(5) == 2
    assert text(written) == [1, 2, 3] * 2 + [1, 2, 3, -203, -202, -201]
    assert control[TICKS] == 2


def test_the_arguments_live_as_long_as_what_runs_them():
    program, written, _control = made()
    run = program.run
    del program
    gc.collect()
    elsewhere = np.zeros(64, np.int64)
    _ = [
        np.full(1 + size % 64, elsewhere.ctypes.data) for size in range(6400)
    ]  # where the arguments were, if they were gone
    assert run(2) == 2
    assert text(written) == [1, 2, 3] * 2


@pytest.mark.parametrize("error", [KeyboardInterrupt, RecursionError])
@pytest.mark.parametrize("counts", [False, True])
def test_a_tick_that_an_exception_ends_is_completed_or_undone_once(error, counts):
    raises = []

    def instead(*arguments):
        if raises and not counts:
            raise error
        _ = in_python(*arguments)
        if raises:
            raise error
        return 1

    program, written, control = made(instead=instead)
    assert program.run(1) == 1
    raises.append(1)
    with pytest.raises(error):
        program.run(1)
    for _ in range(2):
        program.recover()
    done = [number for number in text(written) if number > 0], [number for number in text(written) if number < 0]
    ticks = int(control[TICKS])
    if len(done[0]) == 3:  # plain Python has put back what the tick had written
        assert (done[1], ticks) == ([], 1)
    elif counts:
        assert (done, ticks) == (([1, 2, 3] * 2, []), 2)
    else:
        assert (done, ticks) == (([1, 2, 3, 1], [-102, -101]), 1)
    raises.clear()
    assert program.run(1) == 1
    assert control[TICKS] == ticks + 1
    assert text(written)[-3:] == [1, 2, 3]
