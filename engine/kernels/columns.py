"""Reading a body's column into tuples and writing it back."""

from math import sqrt

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
    ORIENTATION,
    POSITION,
    PREVIOUS,
    PRINCIPAL_AXES,
    PRINCIPAL_MOMENTS,
    STORED_MOMENTUM,
    TICKS,
    VELOCITY,
)
from .quaternions import Quaternion
from .rigid_body import Body, BodyAtStage, State, Wrench
from .vectors import Symmetric, Vector

Array = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

# float() costs nothing compiled; as plain Python it turns numpy's slow scalars, which warn, into Python's, which do not.


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
def load_state(array: Array, row: int, column: int) -> State:
    return (
        load_vector(array, row + POSITION, column),
        load_quaternion(array, row + ORIENTATION, column),
        load_vector(array, row + VELOCITY, column),
        load_vector(array, row + ANGULAR_VELOCITY, column),
    )


@inlined
def load_wrench(array: Array, row: int, column: int) -> Wrench:
    return (
        load_vector(array, row, column),
        load_vector(array, row + 3, column),
        load_vector(array, row + 6, column),
        load_vector(array, row + 9, column),
    )


@inlined
def load_body(array: Array, column: int) -> Body:
    return (
        float(array[INVERSE_MASS, column]),
        load_symmetric(array, INERTIA, column),
        load_symmetric(array, INVERSE_INERTIA, column),
        load_vector(array, STORED_MOMENTUM, column),
    )


@inlined
def load_body_at_stage(array: Array, column: int, state: State) -> BodyAtStage:
    """A body in this state, as force fields see it."""
    position, orientation, velocity, angular_velocity_body = state
    mass, inertia = float(array[MASS, column]), load_symmetric(array, INERTIA, column)
    center_of_mass = load_vector(array, CENTER_OF_MASS, column)
    return BodyAtStage(position, orientation, velocity, angular_velocity_body, mass, inertia, center_of_mass)


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
def store_state(array: Array, row: int, column: int, state: State) -> None:
    store_vector(array, row + POSITION, column, state[0])
    store_quaternion(array, row + ORIENTATION, column, state[1])
    store_vector(array, row + VELOCITY, column, state[2])
    store_vector(array, row + ANGULAR_VELOCITY, column, state[3])


@inlined
def store_wrench(array: Array, row: int, column: int, wrench: Wrench) -> None:
    store_vector(array, row, column, wrench[0])
    store_vector(array, row + 3, column, wrench[1])
    store_vector(array, row + 6, column, wrench[2])
    store_vector(array, row + 9, column, wrench[3])


@inlined
def store_tick(array: Array, column: int, start: State, end: State) -> int:
    """A body's tick into the rows of the state and of the one before it; one where its end is not finite, else zero."""
    store_state(array, PREVIOUS, column, start)
    store_state(array, POSITION, column, end)
    return 0 if is_finite(end) else 1


@inlined
def close_tick(array: Array, control: Integers, not_finite: int) -> bool:
    """The last act of a tick: count it, or undo it for all bodies where some are not finite; whether it was counted."""
    if not_finite == 0:
        control[TICKS] += 1
        return True
    for column in range(control[COUNT]):
        if control[BAD] < 0 and not is_finite(load_state(array, POSITION, column)):
            control[BAD] = column
        store_state(array, POSITION, column, load_state(array, PREVIOUS, column))
    return False


@inlined
def is_finite(state: State) -> bool:
    """Whether every number of a state is: zero times a number is zero, but nan for nan and infinities."""
    x, q, v, w = state
    position = 0.0 * x[0] + 0.0 * x[1] + 0.0 * x[2]
    orientation = 0.0 * q[0] + 0.0 * q[1] + 0.0 * q[2] + 0.0 * q[3]
    velocity = 0.0 * v[0] + 0.0 * v[1] + 0.0 * v[2]
    rates = 0.0 * w[0] + 0.0 * w[1] + 0.0 * w[2]
    return position + orientation + velocity + rates == 0.0
