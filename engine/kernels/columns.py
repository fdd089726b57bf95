"""Reading a body's column into tuples and writing it back."""

from collections.abc import Callable
from functools import cache
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from .compiler import inlined
from .layout import (
    ANGULAR_VELOCITY,
    BAD,
    CENTER_OF_MASS,
    COUNT,
    INERTIA,
    INVERSE_INERTIA,
    INVERSE_MASS,
    MASS,
    MOTOR_TORQUE,
    ORIENTATION,
    POSITION,
    PREVIOUS,
    PREVIOUS_STORED_MOMENTUM,
    PRINCIPAL_AXES,
    PRINCIPAL_MOMENTS,
    STORED_MOMENTUM,
    TICKS,
    VELOCITY,
    WRENCH,
)
from .quaternions import Quaternion
from .rigid_body import BodyAtStage, BodyModel, BodyState, BodyWrench, MaybeVector
from .vectors import Symmetric, Vector

Array = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

# float() costs nothing compiled; as plain Python it turns numpy's slow scalars, which warn, into Python's, which do not.


@inlined
def is_other_pitch(pitch: int, array: Array, stages: Array, layers: Array) -> bool:
    """Whether arrays are not those that a loop was compiled for; a pitch of zero stands for any, the same for all of them."""
    own = array.shape[1]
    return stages.shape[1] != own or layers.shape[1] != own or (pitch > 0 and own != pitch)


@inlined
def load_vector(array: Array, row: int, column: int) -> Vector:
    return float(array[row, column]), float(array[row + 1, column]), float(array[row + 2, column])


@inlined
def load_quaternion(array: Array, row: int, column: int) -> Quaternion:
    x, y, z = load_vector(array, row, column)
    return x, y, z, float(array[row + 3, column])


@inlined
def load_symmetric(array: Array, row: int, column: int) -> Symmetric:
    xx, yy, zz = load_vector(array, row, column)
    xy, xz, yz = load_vector(array, row + 3, column)
    return xx, yy, zz, xy, xz, yz


@inlined
def load_nothing(array: Array, row: int, column: int) -> None:
    return None


@cache
def load_stored(stores: bool) -> Callable[..., Any]:
    """`load(array, row, column)`: a vector in loops for worlds that store momentum, None in the others, where nothing is read."""
    return load_vector if stores else load_nothing


@inlined
def load_state(array: Array, row: int, column: int, stored_momentum: MaybeVector) -> BodyState:
    """The thirteen rows of a state from `row` on, with the momentum stored, which stands elsewhere."""
    return BodyState(
        load_vector(array, row + POSITION, column),
        load_quaternion(array, row + ORIENTATION, column),
        load_vector(array, row + VELOCITY, column),
        load_vector(array, row + ANGULAR_VELOCITY, column),
        stored_momentum,
    )


@inlined
def load_wrench(array: Array, row: int, column: int, motor_torque: MaybeVector) -> BodyWrench:
    """The twelve rows of a wrench from `row` on, with the torque of the motors, which is held over the tick and stands elsewhere."""
    return BodyWrench(
        load_vector(array, row, column),
        load_vector(array, row + 3, column),
        load_vector(array, row + 6, column),
        load_vector(array, row + 9, column),
        motor_torque,
    )


@cache
def load_start(stores: bool) -> Callable[..., Any]:
    """Make `load(array, column) -> (state, held wrench)` of a body at the start of a tick."""
    load = load_stored(stores)

    @inlined
    def load_both(array: Array, column: int) -> tuple[BodyState, BodyWrench]:
        state = load_state(array, POSITION, column, load(array, STORED_MOMENTUM, column))
        return state, load_wrench(array, WRENCH, column, load(array, MOTOR_TORQUE, column))

    return load_both


@inlined
def load_body(array: Array, column: int) -> BodyModel:
    return BodyModel(
        float(array[INVERSE_MASS, column]),
        load_symmetric(array, INERTIA, column),
        load_symmetric(array, INVERSE_INERTIA, column),
    )


@inlined
def load_body_at_stage(array: Array, column: int, state: BodyState) -> BodyAtStage:
    """A body in this state, as force fields see it."""
    return BodyAtStage(
        state.position,
        state.orientation,
        state.velocity,
        state.angular_velocity,
        float(array[MASS, column]),
        load_symmetric(array, INERTIA, column),
        load_vector(array, CENTER_OF_MASS, column),
    )


@inlined
def load_principal(array: Array, column: int) -> tuple[Vector, Quaternion]:
    """Principal moments and the quaternion from principal to body axes, whose w is kept as what is missing to one."""
    x, y, z = load_vector(array, PRINCIPAL_AXES, column)
    return load_vector(array, PRINCIPAL_MOMENTS, column), (x, y, z, sqrt(1.0 - (x * x + y * y + z * z)))


@inlined
def store_vector(array: Array, row: int, column: int, value: Vector) -> None:
    array[row, column] = value[0]
    array[row + 1, column] = value[1]
    array[row + 2, column] = value[2]


@inlined
def add_to_vector(array: Array, row: int, column: int, value: Vector) -> None:
    x, y, z = load_vector(array, row, column)
    store_vector(array, row, column, (x + value[0], y + value[1], z + value[2]))


@inlined
def store_quaternion(array: Array, row: int, column: int, value: Quaternion) -> None:
    store_vector(array, row, column, (value[0], value[1], value[2]))
    array[row + 3, column] = value[3]


@inlined
def store_stored(array: Array, row: int, column: int, value: MaybeVector) -> None:
    """Stored momentum, where the loop is for worlds that have any."""
    if value is not None:
        store_vector(array, row, column, value)


@inlined
def store_state(array: Array, row: int, column: int, state: BodyState) -> None:
    """The thirteen rows of a state from `row` on, without the momentum stored."""
    store_vector(array, row + POSITION, column, state.position)
    store_quaternion(array, row + ORIENTATION, column, state.orientation)
    store_vector(array, row + VELOCITY, column, state.velocity)
    store_vector(array, row + ANGULAR_VELOCITY, column, state.angular_velocity)


@inlined
def store_wrench(array: Array, row: int, column: int, wrench: BodyWrench) -> None:
    """The twelve rows of a wrench from `row` on, without the torque of the motors."""
    store_vector(array, row, column, wrench.force_world)
    store_vector(array, row + 3, column, wrench.torque_world)
    store_vector(array, row + 6, column, wrench.force_body)
    store_vector(array, row + 9, column, wrench.torque_body)


@inlined
def store_previous(array: Array, column: int, state: BodyState) -> None:
    store_state(array, PREVIOUS, column, state)
    store_stored(array, PREVIOUS_STORED_MOMENTUM, column, state.stored_momentum)


@inlined
def store_tick(array: Array, column: int, start: BodyState, end: BodyState) -> int:
    """A body's tick into the rows of the state and of the one before it; one where its end is not finite, else zero."""
    store_previous(array, column, start)
    store_state(array, POSITION, column, end)
    store_stored(array, STORED_MOMENTUM, column, end.stored_momentum)
    return 0 if is_finite(end) else 1


@cache
def close_tick(stores: bool) -> Callable[..., bool]:
    """Make `close(array, control, not_finite) -> counted`, the last act of a tick.

    It counts the tick, or undoes it for all bodies where some are not finite and reports the first of these.
    """
    load = load_stored(stores)

    @inlined
    def close(array: Array, control: Integers, not_finite: int) -> bool:
        if not_finite == 0:
            control[TICKS] += 1
            return True
        for column in range(control[COUNT]):
            state = load_state(array, POSITION, column, load(array, STORED_MOMENTUM, column))
            if control[BAD] < 0 and not is_finite(state):
                control[BAD] = column
            before = load(array, PREVIOUS_STORED_MOMENTUM, column)
            store_state(array, POSITION, column, load_state(array, PREVIOUS, column, before))
            store_stored(array, STORED_MOMENTUM, column, before)
        return False

    return close


@inlined
def is_finite(state: BodyState) -> bool:
    """Whether every number of a state is: zero times a number is zero, but nan for nan and infinities."""
    x, q, v, w = state.position, state.orientation, state.velocity, state.angular_velocity
    position = 0.0 * x[0] + 0.0 * x[1] + 0.0 * x[2]
    orientation = 0.0 * q[0] + 0.0 * q[1] + 0.0 * q[2] + 0.0 * q[3]
    velocity = 0.0 * v[0] + 0.0 * v[1] + 0.0 * v[2]
    rates = 0.0 * w[0] + 0.0 * w[1] + 0.0 * w[2]
    return _and_stored(position + orientation + velocity + rates, state.stored_momentum) == 0.0


@inlined
def _and_stored(total: float, stored_momentum: MaybeVector) -> float:
    if stored_momentum is None:
        return total
    return total + (0.0 * stored_momentum[0] + 0.0 * stored_momentum[1] + 0.0 * stored_momentum[2])
