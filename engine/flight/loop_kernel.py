"""The kernel that takes a whole sample of a control loop, with its law and its actuators as kernels that it calls by their addresses."""

from typing import NamedTuple

from ..compilation.compiler import call, kernel
from ..compilation.packed import Packed, unpack
from ..loops.columns import Array, Integers, IntegerTable, Numbers
from .formula_law import ERROR_ANGLE, ORIENTATION, RATES, STATE, STATE_BEFORE, TORQUE

BODY, FORCE, FORCE_IS_FREE, SAMPLES, TORQUE_BODY, LOOP_ERROR_ANGLE, WAITING = 0, 2, 5, 6, 7, 10, 11
"""Components that all tables of control loops have at the same place."""

LAW, ACTUATORS, ACTUATOR_ARGUMENTS, CALLS = range(4)
"""The addresses that the kernel calls; that of actuators is zero if it does not command them."""
ROW, DELAY, STATE_SIZE, ESTIMATE_ROW, ESTIMATE, NUMBERS = range(6)
"""The row of the loop, its delay, what its law remembers; the row of an estimate, or -1, and the first component of its rates."""

NOT_FINITE, COMMANDED, NOT_DUE, OUT_OF_RANGE = range(4)
"""What the kernel returns: the law is not finite; there is a command; no torque is due yet; the command is not finite."""


class Sample(NamedTuple):
    """The arguments of `control_sample`."""

    calls: Integers
    """The addresses of kernels."""
    numbers: Integers
    """The numbers of the loop."""
    table: Array
    bodies: Array
    estimates: Array
    """A table with estimates, each of which is rates, orientation and bias of the rates."""
    places: IntegerTable
    """Which components of the body are which of `inputs`, shape (k, 2)."""
    inputs: Array
    out: Array
    """The arrays of the law."""
    kept: Numbers
    """What is to be written to the table from the number of samples on."""
    wanted: Array
    """What the actuators are asked for, see `command_jets`."""


@kernel("control-sample")
def control_sample(packed: Packed[Sample]) -> int:
    """Take a sample of a control loop: gather what is measured, call the law and, if a torque is due after the delay, the actuators.

    What is not copied from the body or the estimate has been written to `inputs` before.
    """
    sample = unpack(packed)
    calls, numbers, table, places, inputs = sample.calls, sample.numbers, sample.table, sample.places, sample.inputs
    estimates, out, kept, wanted = sample.estimates, sample.out, sample.kept, sample.wanted
    row, delay, size = int(numbers[ROW]), int(numbers[DELAY]), int(numbers[STATE_SIZE])
    body, state = int(table[BODY, row]), WAITING + 3 * delay
    for place in range(places.shape[0]):
        inputs[places[place, 1], 0] = sample.bodies[places[place, 0], body]
    if numbers[ESTIMATE_ROW] >= 0:
        estimate, first = int(numbers[ESTIMATE_ROW]), int(numbers[ESTIMATE])
        for axis in range(4):
            inputs[ORIENTATION + axis, 0] = estimates[first + 3 + axis, estimate]
        for axis in range(3):
            inputs[RATES + axis, 0] = estimates[first + axis, estimate] - estimates[first + 7 + axis, estimate]
    if size > 0 and table[state + size, row] > 0.0:
        for place in range(size):
            inputs[STATE_BEFORE + place, 0] = table[state + place, row]
    _ = call(calls[LAW], (inputs, out))
    total = 0.0
    for place in range(STATE + size):
        total += 0.0 * float(out[place, 0])
    if total != 0.0:
        return NOT_FINITE
    samples = float(table[SAMPLES, row])
    kept[0], kept[LOOP_ERROR_ANGLE - SAMPLES] = min(samples + 1.0, delay + 1.0), out[ERROR_ANGLE, 0]
    for axis in range(3):
        torque = float(out[TORQUE + axis, 0])
        kept[TORQUE_BODY - SAMPLES + axis] = torque
        # the torque that is due, after the delay
        wanted[axis, 0] = table[WAITING + axis, row] if delay > 0 else torque
        wanted[3 + axis, 0] = table[FORCE + axis, row]
        if delay > 0:
            kept[state - 3 - SAMPLES + axis] = torque
    for place in range(3 * (delay - 1)):
        kept[WAITING - SAMPLES + place] = table[WAITING + 3 + place, row]
    wanted[6, 0] = table[FORCE_IS_FREE, row]
    for place in range(size):
        kept[state - SAMPLES + place] = out[STATE + place, 0]
    after = state + size
    if size > 0:
        kept[after - SAMPLES] = 1.0
        after += 1
    # what the actuators have said and remember
    for place in range(after - SAMPLES, kept.shape[0]):
        kept[place] = table[SAMPLES + place, row]
    if samples < delay:
        return NOT_DUE
    if calls[ACTUATORS] != 0 and call(calls[ACTUATORS], (calls[ACTUATOR_ARGUMENTS],)) == 0:
        return OUT_OF_RANGE
    return COMMANDED
