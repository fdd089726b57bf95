"""The operations of a tick that a method divides into steps.

The steps have a control of their own, which counts steps, so that the count of ticks stands still until the tick ends. What they change is
first copied to shadow rows, from which a tick that is not finite is put back.
"""

from typing import NamedTuple

import numpy as np

from ..compilation.compiler import inlined, kernel
from ..compilation.packed import Packed, unpack
from ..kernels.quaternions import rotate
from ..kernels.vectors import cross, subtract
from .columns import Integers, load_vector
from .keeping import Kept
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
from .program import back_by

_STATES = STATE_ROWS + 3
"""The number of components that a tick changes."""
MOVED_ROWS = np.r_[
    POSITION:STATE_ROWS,
    STORED_MOMENTUM : STORED_MOMENTUM + 3,
    PREVIOUS : PREVIOUS + STATE_ROWS,
    PREVIOUS_STORED_MOMENTUM : PREVIOUS_STORED_MOMENTUM + 3,
]
"""These, and behind them their values one tick earlier."""
WITH_CENTERS = np.r_[MOVED_ROWS, CENTER_OF_MASS : CENTER_OF_MASS + 3]
"""The same with mass centres."""
_CENTERS = len(MOVED_ROWS)


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


class Divided(NamedTuple):
    """The arguments of the operations of a tick of several steps."""

    counts: Counts
    bodies: Kept
    """What is kept of the bodies, with their mass centres if these may move in the body frame."""


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
    divided = unpack(packed)
    counts, bodies = divided.counts, divided.bodies
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
