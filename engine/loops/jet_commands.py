"""The kernel that turns what a control loop wants into shares of the jets of its body, and those into pulses."""

from typing import Any, NamedTuple

from ..compilation.compiler import call, kernel
from ..compilation.packed import Packed, unpack
from .actuator_layout import BODY, LEVEL, MIN_ON_TIME, OPEN_FOR, THROTTLE
from .columns import Array, Integers, Numbers
from .layout import CENTER_OF_MASS
from .thrust_allocation import IS_CUT, JET_LEVEL, RESULT_COLUMNS


class JetCommand(NamedTuple):
    """The arguments of `command_jets`."""

    calls: Integers
    """The addresses of `allocate` and of `modulate`, which is zero for throttles."""
    thrusters: Array
    rows: Integers
    """The row of each jet."""
    bodies: Array
    has_own_center: int
    """1 if levers are measured from the mass centre of the body, not from that in the case."""
    wanted: Array
    """Torque, force and whether the force is free, shape (7, 1)."""
    answer: Numbers
    """Whether the wrench was out of reach and, for pulses, what is carried and the levels."""
    problem: tuple[Any, ...]
    """The arrays of `allocate`."""
    spreads: int
    """1 for the even method."""
    pulses: tuple[Any, ...]
    """The arrays of `modulate`, whose `shares` are written for throttles too, with zero for jets that are lost."""
    period: float
    seconds: float
    """The time until the next command."""
    times: Array
    """Delays, which are zero, and durations of the pulses, shape (2, n)."""
    rejected: Integers
    """Whether a valve may reject the command, because a throttle is set beside pulses or `min_on_time` has changed, shape (1,)."""


@kernel("command-jets")
def command_jets(packed: Packed[JetCommand]) -> int:
    """Allocate the torque and the force that a control loop wants to the jets of its body.

    The shares of the full thrust that the jets make are the first results afterwards.

    Returns:
        1, or 0 if a share is not finite.
    """
    command = unpack(packed)
    calls, thrusters, rows, wanted, answer = (
        command.calls,
        command.thrusters,
        command.rows,
        command.wanted,
        command.answer,
    )
    period, seconds = command.period, command.seconds
    jets, cases, results, work, places = command.problem
    shares, before, valves, durations, areas, after = command.pulses
    count, is_free = rows.shape[0], wanted[6, 0] > 0.0
    for axis in range(3):
        cases[0, axis] = 0.0 if is_free else wanted[3 + axis, 0]
        cases[0, 3 + axis] = wanted[axis, 0]
        if command.has_own_center > 0:
            cases[0, 6 + axis] = command.bodies[CENTER_OF_MASS + axis, int(thrusters[BODY, rows[0]])]
    _ = call(calls[0], (jets, cases, command.spreads > 0, 3 if is_free else 0, results, work, places))
    total = 0.0
    for place in range(count + RESULT_COLUMNS):
        total += 0.0 * float(results[0, place])
    if total != 0.0:
        return 0
    answer[0] = 1.0 if results[0, count + IS_CUT] > 0.0 else 0.0
    for jet in range(count):
        shares[0, jet] = 0.0 if jets[JET_LEVEL, jet] >= 0.0 else results[0, jet]
    command.rejected[0] = 0
    if calls[1] == 0:
        for jet in range(count):
            if thrusters[OPEN_FOR, rows[jet]] > 0.0 or thrusters[LEVEL, rows[jet]] > 0.0:
                command.rejected[0] = 1
        return 1
    for jet in range(count):
        before[0, 0, jet] = answer[1 + jet]
        # the valves as they are, because they were shut while the loop was disabled, or were fired by somebody else
        before[0, 1, jet] = thrusters[LEVEL, rows[jet]]
    _ = call(calls[1], (shares, before, valves, period, durations, areas, after))
    for jet in range(count):
        answer[1 + jet], answer[1 + count + jet] = after[0, 0, jet], after[0, 1, jet]
        if seconds > period and durations[0, jet] == period:
            # a valve that stays open is open until the next command, however its time and the period are rounded
            durations[0, jet] = seconds
        duration = float(durations[0, jet])
        command.times[1, jet] = duration
        if duration > 0.0 and (thrusters[THROTTLE, rows[jet]] != 0.0 or duration < thrusters[MIN_ON_TIME, rows[jet]]):
            command.rejected[0] = 1
        if jets[JET_LEVEL, jet] < 0.0:
            results[0, jet] = areas[0, jet] / period
    return 1
