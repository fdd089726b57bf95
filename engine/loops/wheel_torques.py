"""The kernels that divide wanted torques among reaction wheels, before and after `thrust_allocation`, for one body or a stack of bodies.

Wheel i of the first body is row ``rows[i]`` of the table; that of the next body is the next row, and so on.
For `thrust_allocation`, each wheel is two actuators, one per direction, of which at most one works. Their full efforts are in `limits`,
first those of all wheels in the positive direction, then in the negative one. Each body has its own columns of `limits` and `jets`.
"""

from math import sqrt

from ..compilation.compiler import inlined, kernel
from ..kernels.vectors import dot, scale
from .actuator_layout import BODY, ENABLED, MAX_SPEED, MAX_TORQUE, MOMENTUM, WHEEL_AXIS, WHEEL_INERTIA
from .columns import Array, Integers, load_vector, store_vector
from .layout import ANGULAR_VELOCITY
from .thrust_allocation import JET_COST, JET_FORCE, JET_LEVEL, JET_POSITION, JET_TORQUE

_DEPENDENT = 1e-9
"""A row of axes this short, of the length of all, depends on the others."""


@kernel("wheel-limits")
def wheel_limits(
    wheels: Array,
    rows: Integers,
    bodies: Array,
    seconds: float,
    torques: Array,
    limits: Array,
    jets: Array,
    cases: Array,
) -> None:
    """Write what `allocate` needs to divide torques among wheels.

    No wheel of a body that keeps its rates exceeds its maximum speed in the given time. A wheel that is switched off has no limits.

    Args:
        wheels: The table of the wheels.
        rows: The row of each wheel of the first body.
        bodies: The array of the world's bodies.
        seconds: Time until the next command [s].
        torques: Wanted torques [N·m], body frame, shape (3, bodies).
        limits: Written: largest and smallest motor torque of each wheel [N·m], shape (2 · bodies · wheels, 1).
        jets: Written: the actuators, see `thrust_allocation`.
        cases: Written: what is wanted, see `thrust_allocation`.
    """
    count = rows.shape[0]
    for member in range(torques.shape[1]):
        rates = load_vector(bodies, ANGULAR_VELOCITY, int(wheels[BODY, rows[0] + member]))
        for place in range(count):
            row = int(rows[place]) + member
            axis, inertia = load_vector(wheels, WHEEL_AXIS, row), float(wheels[WHEEL_INERTIA, row])
            speed = float(wheels[MOMENTUM, row]) / inertia - dot(axis, rates)
            most = float(wheels[MAX_TORQUE, row]) if wheels[ENABLED, row] > 0.0 else 0.0
            fastest = float(wheels[MAX_SPEED, row])
            upper = 2 * count * member + place
            limits[upper, 0] = min(max(inertia * (fastest - speed) / seconds, 0.0), most)
            limits[upper + count, 0] = -min(max(inertia * (fastest + speed) / seconds, 0.0), most)
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


@kernel("wheel-torques")
def wheel_torques(
    wheels: Array,
    rows: Integers,
    bodies: Array,
    preferred: Array,
    null_rate: float,
    results: Array,
    limits: Array,
    work: Array,
    out: Array,
) -> None:
    """Write the motor torques that `allocate` has found, with as much of the null motion as the limits allow.

    Args:
        wheels: As for `wheel_limits`.
        rows: As for `wheel_limits`.
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
            rates = load_vector(bodies, ANGULAR_VELOCITY, int(wheels[BODY, rows[0] + member]))
            for place in range(count):
                row = int(rows[place]) + member
                axis, inertia = load_vector(wheels, WHEEL_AXIS, row), float(wheels[WHEEL_INERTIA, row])
                speed = float(wheels[MOMENTUM, row]) / inertia - dot(axis, rates)
                # what is switched off takes no part in the null motion
                is_used = limits[first + place, 0] > 0.0 or limits[first + count + place, 0] < 0.0
                work[3, place] = null_rate * inertia * (float(preferred[place, 0]) - speed) if is_used else 0.0
                for row_of_axes in range(3):
                    work[row_of_axes, place] = axis[row_of_axes] if is_used else 0.0
            _remove_torque(work, count)
            _add_null_motion(work, count, limits, first, out, member)


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
