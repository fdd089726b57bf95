"""Wheels in a tick, which are their friction, the torques of their motors, and the momentum that they store."""

from ..compilation.compiler import inlined, kernel
from ..kernels.exponential import exponential
from ..kernels.vectors import apply_symmetric, dot, scale
from .actuator_layout import (
    APPLIED,
    BODY,
    ENABLED,
    FRICTION,
    IS_STALE,
    MAX_SPEED,
    MOMENTUM,
    TORQUE,
    WHEEL_AXIS,
    WHEEL_DRIVEN,
    WHEEL_INERTIA,
)
from .columns import Array, Integers, add_to_vector, load_symmetric, load_vector, store_vector
from .gather import WHEELS
from .layout import ANGULAR_VELOCITY, INVERSE_INERTIA, STORED_MOMENTUM


@inlined
def _speed(array: Array, column: int, wheels: Array, wheel: int, momentum: float) -> float:
    """The speed of a wheel with a momentum relative to its body, which is in a column [rad/s]."""
    along = dot(load_vector(wheels, WHEEL_AXIS, wheel), load_vector(array, ANGULAR_VELOCITY, column))
    return momentum / float(wheels[WHEEL_INERTIA, wheel]) - along


@inlined
def rub_alone(array: Array, wheels: Array, wheel: int, duration: float) -> None:
    """Let the friction of a wheel act alone for a time on the wheel and its body."""
    if wheels[FRICTION, wheel] != 0.0:
        column = int(wheels[BODY, wheel])
        gained = rub(array, column, wheels, wheel, float(wheels[MOMENTUM, wheel]), duration)
        wheels[MOMENTUM, wheel] += gained
        add_to_vector(array, STORED_MOMENTUM, column, scale(gained, load_vector(wheels, WHEEL_AXIS, wheel)))


@inlined
def rub(array: Array, column: int, wheels: Array, wheel: int, momentum: float, duration: float) -> float:
    """Let the friction of a wheel with a momentum act alone on its body for a time, exactly, and return what the wheel gains.

    The speed decays, and the body, which is in a column, takes what the wheel loses.
    """
    friction = float(wheels[FRICTION, wheel])
    axis, moment = load_vector(wheels, WHEEL_AXIS, wheel), float(wheels[WHEEL_INERTIA, wheel])
    turn = apply_symmetric(load_symmetric(array, INVERSE_INERTIA, column), axis)
    mobility = 1.0 / moment + dot(axis, turn)
    speed = _speed(array, column, wheels, wheel, momentum)
    gained = -_lost_share(friction * mobility * duration) * speed / mobility
    add_to_vector(array, ANGULAR_VELOCITY, column, scale(-gained, turn))
    return gained


@inlined
def _lost_share(x: float) -> float:
    """``1 − exp(−x)``, without cancellation for small x, where the series is exact to an ulp."""
    if x < 1e-3:
        return x * (1.0 - x / 2.0 * (1.0 - x / 3.0 * (1.0 - x / 4.0)))
    return 1.0 - exponential(-x)


@inlined
def choose_motor_torque(array: Array, driven: Array, wheels: Array, wheel: int, dt: float) -> None:
    """The commanded torque, as far as it keeps the speed within its limit at the end of the tick."""
    torque = float(wheels[TORQUE, wheel]) if wheels[ENABLED, wheel] != 0.0 else 0.0
    if torque != 0.0:
        speed = _speed(array, int(wheels[BODY, wheel]), wheels, wheel, float(wheels[MOMENTUM, wheel]))
        limit = float(wheels[MAX_SPEED, wheel])
        per_speed = float(wheels[WHEEL_INERTIA, wheel]) / dt
        if torque > 0.0:
            torque = min(torque, max(0.0, (limit - speed) * per_speed))
        else:
            torque = max(torque, min(0.0, (-limit - speed) * per_speed))
    if torque != wheels[APPLIED, wheel]:
        wheels[APPLIED, wheel] = torque
        driven[IS_STALE, int(wheels[WHEEL_DRIVEN, wheel])] = 1.0


@inlined
def sum_stored(array: Array, wheels: Array, count: int) -> None:
    """Set the stored momentum of every body with wheels to that of its wheels."""
    for wheel in range(count):
        store_vector(array, STORED_MOMENTUM, int(wheels[BODY, wheel]), (0.0, 0.0, 0.0))
    for wheel in range(count):
        momentum = scale(float(wheels[MOMENTUM, wheel]), load_vector(wheels, WHEEL_AXIS, wheel))
        add_to_vector(array, STORED_MOMENTUM, int(wheels[BODY, wheel]), momentum)


@kernel("sum-wheels")
def sum_wheels(array: Array, wheels: Array, counts: Integers) -> int:
    """Set the stored momentum of every body with wheels to that of its wheels."""
    sum_stored(array, wheels, counts[WHEELS])
    return 0
