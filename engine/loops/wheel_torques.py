"""The kernels that divide wanted torques among reaction wheels, before and after `thrust_allocation`, for one body or a stack of bodies.

Wheel i of body m of a stack is row ``rows[i] + m`` of the table. Three wheels whose axes are independent can make a torque in one way
only, which `direct_torques` finds. All other torques, and those beyond the limits, are divided by `thrust_allocation`.
For `thrust_allocation`, each wheel is two actuators, one per direction, of which at most one works. Their full efforts are in `limits`,
first those of all wheels in the positive direction, then in the negative one. Each body has its own columns of `limits` and `jets`.
"""

from math import sqrt
from typing import Any, NamedTuple

from ..compilation.compiler import call, inlined, kernel
from ..compilation.packed import Packed, unpack
from ..kernels.vectors import Vector, cross, dot, scale
from .actuator_layout import BODY, ENABLED, MAX_SPEED, MAX_TORQUE, MOMENTUM, TORQUE, WHEEL_AXIS, WHEEL_INERTIA
from .columns import Array, Integers, Numbers, load_vector, store_vector
from .layout import ANGULAR_VELOCITY
from .thrust_allocation import IS_CUT, JET_COST, JET_FORCE, JET_LEVEL, JET_POSITION, JET_TORQUE
from .thrust_allocation import TORQUE as RESULT_TORQUE

DIRECT_COUNT = 3
"""The number of wheels whose torques `direct_torques` may find."""
_INDEPENDENT = 1e-3
"""The smallest volume that three unit axes span for which torques are found directly, with an error of 1e-13 of them."""
_DEPENDENT = 1e-9
"""A row of axes this short, of the length of all, depends on the others."""


@kernel("direct-torques")
def direct_torques(
    wheels: Array, rows: Integers, bodies: Array, seconds: float, torques: Array, out: Array, reached: Array
) -> int:
    """Write the motor torques of three independent wheels that make the wanted torques, or as much of them as the limits allow.

    Args:
        wheels: The table of the wheels.
        rows: The row of each wheel of the first body.
        bodies: The array of the world's bodies.
        seconds: Time until the next command [s].
        torques: Wanted torques [N·m], body frame, shape (3, bodies).
        out: Written: motor torques [N·m], shape (wheels, bodies).
        reached: Written: the fraction of each wanted torque, shape (bodies,); negative where other wheels would have to help.

    Returns:
        The number of bodies with a negative fraction.
    """
    left = 0
    for member in range(torques.shape[1]):
        fraction = -1.0
        if rows.shape[0] == DIRECT_COUNT:
            first, second, third = int(rows[0]) + member, int(rows[1]) + member, int(rows[2]) + member
            a, b = load_vector(wheels, WHEEL_AXIS, first), load_vector(wheels, WHEEL_AXIS, second)
            c, wanted = load_vector(wheels, WHEEL_AXIS, third), load_vector(torques, 0, member)
            volume = dot(a, cross(b, c))
            if abs(volume) > _INDEPENDENT:
                rates = load_vector(bodies, ANGULAR_VELOCITY, int(wheels[BODY, first]))
                # the body feels the opposite of the motor torques
                one, limit_of_one = _share(wheels, first, rates, seconds, dot(wanted, cross(b, c)) / volume)
                two, limit_of_two = _share(wheels, second, rates, seconds, dot(wanted, cross(c, a)) / volume)
                three, limit_of_three = _share(wheels, third, rates, seconds, dot(wanted, cross(a, b)) / volume)
                fraction = min(_part(one, limit_of_one), _part(two, limit_of_two), _part(three, limit_of_three))
                out[0, member] = _within(fraction * one, limit_of_one)
                out[1, member] = _within(fraction * two, limit_of_two)
                out[2, member] = _within(fraction * three, limit_of_three)
        reached[member] = fraction if fraction > 0.0 else -1.0
        left += 0 if fraction > 0.0 else 1
    return left


@inlined
def _share(wheels: Array, wheel: int, rates: Vector, seconds: float, wanted: float) -> tuple[float, float]:
    """The motor torque of a wheel for its part of the torque on the body, and the limit in its direction; zero for one that is not free."""
    high, low = _limits(wheels, wheel, rates, seconds)
    torque = 0.0 - wanted
    return torque, (high if torque > 0.0 else low) if low < 0.0 < high else 0.0


@inlined
def _part(torque: float, limit: float) -> float:
    """Which part of a motor torque its limit allows, at most 1; not above zero if the wheel is not free or the torque is not a number."""
    if not abs(torque) <= abs(limit):
        return limit / torque
    return 1.0 if limit != 0.0 else 0.0


@inlined
def _within(torque: float, limit: float) -> float:
    return min(torque, limit) if torque > 0.0 else max(torque, limit)


@inlined
def _limits(wheels: Array, wheel: int, rates: Vector, seconds: float) -> tuple[float, float]:
    """The largest and the smallest motor torque of a wheel, with which it does not exceed its largest speed."""
    inertia, fastest = float(wheels[WHEEL_INERTIA, wheel]), float(wheels[MAX_SPEED, wheel])
    speed = float(wheels[MOMENTUM, wheel]) / inertia - dot(load_vector(wheels, WHEEL_AXIS, wheel), rates)
    most = float(wheels[MAX_TORQUE, wheel]) if wheels[ENABLED, wheel] > 0.0 else 0.0
    upper = min(max(inertia * (fastest - speed) / seconds, 0.0), most)
    return upper, -min(max(inertia * (fastest + speed) / seconds, 0.0), most)


@kernel("wheel-limits")
def wheel_limits(
    wheels: Array,
    rows: Integers,
    members: Integers,
    bodies: Array,
    seconds: float,
    torques: Array,
    limits: Array,
    jets: Array,
    cases: Array,
) -> int:
    """Write what `allocate` needs to divide torques among wheels, and return 1.

    No wheel of a body that keeps its rates exceeds its maximum speed in the given time. A wheel that is switched off has no limits.

    Args:
        wheels: The table of the wheels.
        rows: The row of each wheel of the first body of the stack.
        members: The places of the bodies in the stack.
        bodies: The array of the world's bodies.
        seconds: Time until the next command [s].
        torques: Wanted torques [N·m], body frame, shape (3, bodies).
        limits: Written: largest and smallest motor torque of each wheel [N·m], shape (2 · bodies · wheels, 1).
        jets: Written: the actuators, see `thrust_allocation`.
        cases: Written: what is wanted, see `thrust_allocation`.
    """
    count = rows.shape[0]
    for member in range(torques.shape[1]):
        rates = load_vector(bodies, ANGULAR_VELOCITY, int(wheels[BODY, rows[0] + members[member]]))
        for place in range(count):
            row = int(rows[place] + members[member])
            axis, upper = load_vector(wheels, WHEEL_AXIS, row), 2 * count * member + place
            limits[upper, 0], limits[upper + count, 0] = _limits(wheels, row, rates, seconds)
            for column in (upper, upper + count):
                # the body feels the opposite of the motor torque
                limit = float(limits[column, 0])
                store_vector(jets, JET_POSITION, column, (0.0, 0.0, 0.0))
                store_vector(jets, JET_FORCE, column, (0.0, 0.0, 0.0))
                store_vector(jets, JET_TORQUE, column, scale(-limit, axis))
                jets[JET_COST, column] = limit * limit
                jets[JET_LEVEL, column] = 0.0 if limit == 0.0 else -1.0
        for place in range(9):
            cases[member, place] = 0.0
        for axis_number in range(3):
            cases[member, 3 + axis_number] = torques[axis_number, member]
    return 1


@kernel("wheel-torques")
def wheel_torques(
    wheels: Array,
    rows: Integers,
    members: Integers,
    bodies: Array,
    preferred: Array,
    null_rate: float,
    results: Array,
    limits: Array,
    work: Array,
    out: Array,
) -> int:
    """Write the motor torques that `allocate` has found, with as much of the null motion as the limits allow, and return 1.

    Args:
        wheels: As for `wheel_limits`.
        rows: As for `wheel_limits`.
        members: As for `wheel_limits`.
        bodies: As for `wheel_limits`.
        preferred: Preferred speed of each wheel [rad/s], shape (wheels, 1); without null motion shape (0, 1).
        null_rate: Rate at which differences from the preferred speed decay [1/s].
        results: What `allocate` has written.
        limits: What `wheel_limits` has written.
        work: Memory of shape (4, wheels).
        out: Written: motor torques [N·m], shape (wheels, bodies).
    """
    count = rows.shape[0]
    for member in range(out.shape[1]):
        first = 2 * count * member
        for place in range(count):
            upper, lower = float(limits[first + place, 0]), float(limits[first + count + place, 0])
            out[place, member] = results[member, place] * upper + results[member, count + place] * lower
        if preferred.shape[0] > 0:
            rates = load_vector(bodies, ANGULAR_VELOCITY, int(wheels[BODY, rows[0] + members[member]]))
            for place in range(count):
                row = int(rows[place] + members[member])
                axis, inertia = load_vector(wheels, WHEEL_AXIS, row), float(wheels[WHEEL_INERTIA, row])
                speed = float(wheels[MOMENTUM, row]) / inertia - dot(axis, rates)
                # what is switched off takes no part in the null motion
                is_used = limits[first + place, 0] > 0.0 or limits[first + count + place, 0] < 0.0
                work[3, place] = null_rate * inertia * (float(preferred[place, 0]) - speed) if is_used else 0.0
                for row_of_axes in range(3):
                    work[row_of_axes, place] = axis[row_of_axes] if is_used else 0.0
            _remove_torque(work, count)
            _add_null_motion(work, count, limits, first, out, member)
    return 1


class WheelCommand(NamedTuple):
    """The arguments of `command_wheels`."""

    calls: Integers
    """The addresses of `direct_torques`, `wheel_limits`, `allocate` and `wheel_torques`."""
    wheels: Array
    rows: Integers
    bodies: Array
    wanted: Array
    """What is wanted, whose first three components are the torque, shape (7, 1)."""
    answer: Numbers
    """Its first component says whether the torque was out of reach."""
    made: Numbers
    """The torque that is made."""
    arrays: tuple[Any, ...]
    """Those of the kernels for wheels."""
    problem: tuple[Any, ...]
    """The arrays of `allocate`."""
    null_rate: float
    seconds: float
    """The time until the next command."""


@kernel("command-wheels")
def command_wheels(packed: Packed[WheelCommand]) -> int:
    """Divide the torque that a control loop wants among the wheels of its body, each of which keeps its command if it is switched off.

    Returns:
        1, or 0 if a motor torque is not finite.
    """
    command = unpack(packed)
    calls, wheels, rows, bodies, wanted = command.calls, command.wheels, command.rows, command.bodies, command.wanted
    answer, made, seconds = command.answer, command.made, command.seconds
    one, out, reached, limits, work, goals = command.arrays
    jets, cases, results, tableau, places = command.problem
    count, left = rows.shape[0], 1
    if count == DIRECT_COUNT:
        left = call(calls[0], (wheels, rows, bodies, seconds, wanted, out, reached))
    if left == 0:
        fraction = float(reached[0])
        for axis in range(3):
            made[axis] = fraction * wanted[axis, 0]
        answer[0] = 1.0 if fraction < 1.0 else 0.0
    else:
        _ = call(calls[1], (wheels, rows, one, bodies, seconds, wanted, limits, jets, cases))
        _ = call(calls[2], (jets, cases, True, 3, results, tableau, places))
        _ = call(calls[3], (wheels, rows, one, bodies, goals, command.null_rate, results, limits, work, out))
        for axis in range(3):
            made[axis] = results[0, 2 * count + RESULT_TORQUE + axis]
        answer[0] = 1.0 if results[0, 2 * count + IS_CUT] > 0.0 else 0.0
        total = 0.0
        for place in range(count):
            total += 0.0 * float(out[place, 0])
        if total != 0.0:
            return 0
    for place in range(count):
        if not wheels[ENABLED, rows[place]] > 0.0:
            out[place, 0] = wheels[TORQUE, rows[place]]
    return 1


@inlined
def _remove_torque(work: Array, count: int) -> None:
    """Replace the torques in the last row of `work` by the nearest ones without torque on the body: those across the rows of axes."""
    for axis in range(3):
        for _ in range(2):  # once more, against rounding
            for other in range(axis):
                _remove_part(work, axis, other, count)
        length = 0.0
        for place in range(count):
            length += float(work[axis, place]) * float(work[axis, place])
        length = sqrt(length)
        for place in range(count):
            work[axis, place] = work[axis, place] / length if length > _DEPENDENT else 0.0
    for axis in range(3):
        _remove_part(work, 3, axis, count)


@inlined
def _remove_part(work: Array, row_of_work: int, unit: int, count: int) -> None:
    """Leave what is at right angles to a row of unit length."""
    part = 0.0
    for place in range(count):
        part += float(work[row_of_work, place]) * float(work[unit, place])
    for place in range(count):
        work[row_of_work, place] -= part * float(work[unit, place])


@inlined
def _add_null_motion(work: Array, count: int, limits: Array, first: int, out: Array, member: int) -> None:
    """Add as much of the last row of `work` to the torques as the limits allow."""
    part = 1.0
    for place in range(count):
        torque, change = float(out[place, member]), float(work[3, place])
        high, low = float(limits[first + place, 0]), float(limits[first + count + place, 0])
        if torque + change > high:
            part = min(part, max(high - torque, 0.0) / change)
        elif torque + change < low:
            part = min(part, min(low - torque, 0.0) / change)
    for place in range(count):
        high, low = float(limits[first + place, 0]), float(limits[first + count + place, 0])
        torque = float(out[place, member]) + part * float(work[3, place])
        out[place, member] = min(max(torque, low), high)
