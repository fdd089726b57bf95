"""Functions that read a body's column into tuples and write tuples back."""

from collections.abc import Callable
from functools import cache, wraps
from math import nan, sqrt
from typing import Annotated, NamedTuple, Protocol, TypeVar, cast

import numpy as np
import numpy.typing as npt

from ..compilation.compiler import COMPILED, from_column, inlined
from ..compilation.kernel_types import Kernel
from ..kernels.quaternions import Quaternion
from ..kernels.rigid_body import BodyAtStage, BodyModel, BodyState, BodyWrench, MaybeVector
from ..kernels.selection import choose
from ..kernels.vectors import Symmetric, Vector
from .layout import (
    ANGULAR_VELOCITY,
    APART,
    BAD,
    CENTER_OF_MASS,
    COUNT,
    FROZEN,
    INERTIA,
    INVERSE_INERTIA,
    INVERSE_MASS,
    MASS,
    MOST_SPANS,
    MOTOR_TORQUE,
    NOT_FINITE,
    ORIENTATION,
    POSITION,
    PREVIOUS,
    PREVIOUS_STORED_MOMENTUM,
    PRINCIPAL_AXES,
    PRINCIPAL_MOMENTS,
    STOPPED,
    STORED_MOMENTUM,
    STORING,
    TICKS,
    VELOCITY,
    WRENCH,
)

Array = npt.NDArray[np.float64]
"""A table: its components, and for each of them one number per row of the table."""
Numbers = Annotated[Array, 1]
"""An array of one dimension."""
Integers = npt.NDArray[np.int64]
"""An array of one dimension."""
IntegerTable = Annotated[Integers, 2]
Move = TypeVar("Move", bound=Callable[..., BodyState])
OVERFLOWS = ZeroDivisionError, OverflowError
"""What plain Python raises where compiled code goes on with infinity."""

# float() costs nothing in compiled code. In plain Python it converts numpy scalars, which are slow and emit warnings, to Python floats.


@inlined
def is_other_pitch(pitch: int, array: Array, stages: Array, layers: Array) -> bool:
    """Whether the arrays differ in pitch from each other or from the loop; a loop with pitch zero accepts any common pitch."""
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
def load_stored(stores: bool) -> Kernel:
    """Return `load(array, row, column)`, which loads a vector, or returns None in loops for worlds without stored momentum."""
    return load_vector if stores else load_nothing


@inlined
def load_state(array: Array, row: int, column: int, stored_momentum: MaybeVector) -> BodyState:
    """Load a state from thirteen rows starting at `row`, and combine it with the stored momentum, which is in other rows."""
    return BodyState(
        load_vector(array, row + POSITION, column),
        load_quaternion(array, row + ORIENTATION, column),
        load_vector(array, row + VELOCITY, column),
        load_vector(array, row + ANGULAR_VELOCITY, column),
        stored_momentum,
    )


@inlined
def load_wrench(array: Array, row: int, column: int, motor_torque: MaybeVector) -> BodyWrench:
    """Load a wrench from twelve rows starting at `row`, and combine it with the held motor torque, which is in other rows."""
    return BodyWrench(
        load_vector(array, row, column),
        load_vector(array, row + 3, column),
        load_vector(array, row + 6, column),
        load_vector(array, row + 9, column),
        motor_torque,
    )


@cache
def load_start(stores: bool) -> Kernel:
    """Make `load(array, column) -> (state, held wrench)` for a body at the start of a tick."""
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
    """Combine a state with the mass properties that force fields need."""
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
    """Load the principal moments and the quaternion from principal to the body frame; its w is computed from x, y and z."""
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
    """Store the stored momentum, unless the loop is for worlds without any."""
    if value is not None:
        store_vector(array, row, column, value)


@inlined
def store_state(array: Array, row: int, column: int, state: BodyState) -> None:
    """Store a state in thirteen rows starting at `row`, without the stored momentum."""
    store_vector(array, row + POSITION, column, state.position)
    store_quaternion(array, row + ORIENTATION, column, state.orientation)
    store_vector(array, row + VELOCITY, column, state.velocity)
    store_vector(array, row + ANGULAR_VELOCITY, column, state.angular_velocity)


@inlined
def store_wrench(array: Array, row: int, column: int, wrench: BodyWrench) -> None:
    """Store a wrench in twelve rows starting at `row`, without the motor torque."""
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
    """Store a body's state at the end of a tick, and the state at its start as the previous state; a frozen body keeps its state.

    Returns:
        1 if the state at the end is not finite, else 0.
    """
    store_previous(array, column, start)
    last = unless_frozen(array, column, start, end)
    store_state(array, POSITION, column, last)
    store_stored(array, STORED_MOMENTUM, column, last.stored_momentum)
    return 0 if is_finite(last) else 1


@inlined
def end_in_place(array: Array, column: int, end: BodyState, before: BodyState) -> int:
    """The same where the end of the tick is stored already, and so is the state before it."""
    return _end_in_place(array, column, end, before, end.stored_momentum)


@inlined
def _end_in_place(array: Array, column: int, end: BodyState, before: BodyState, stored: MaybeVector) -> int:
    if stored is None:
        return 0 if is_finite(end) else 1
    last = unless_frozen(array, column, before, end)
    store_state(array, POSITION, column, last)
    store_stored(array, STORED_MOMENTUM, column, last.stored_momentum)
    return 0 if is_finite(last) else 1


@inlined
def unless_frozen(array: Array, column: int, start: BodyState, end: BodyState) -> BodyState:
    """The state at the end of a tick, or that at its start if the body is frozen; worlds without stored momentum freeze no body."""
    return _unless_frozen(array, column, start, end, start.stored_momentum, end.stored_momentum)


@inlined
def _unless_frozen(
    array: Array, column: int, start: BodyState, end: BodyState, before: MaybeVector, stored: MaybeVector
) -> BodyState:
    if before is None:
        return end
    if stored is None:
        return end
    stays = array[FROZEN, column] > 0.0
    return BodyState(
        _choose_vector(stays, start.position, end.position),
        _choose_quaternion(stays, start.orientation, end.orientation),
        _choose_vector(stays, start.velocity, end.velocity),
        _choose_vector(stays, start.angular_velocity, end.angular_velocity),
        _choose_vector(stays, before, stored),
    )


@inlined
def _choose_vector(condition: bool, yes: Vector, no: Vector) -> Vector:
    return choose(condition, yes[0], no[0]), choose(condition, yes[1], no[1]), choose(condition, yes[2], no[2])


@inlined
def _choose_quaternion(condition: bool, yes: Quaternion, no: Quaternion) -> Quaternion:
    x, y, z = _choose_vector(condition, (yes[0], yes[1], yes[2]), (no[0], no[1], no[2]))
    return x, y, z, choose(condition, yes[3], no[3])


class Runs(NamedTuple):
    """The columns of a pass: runs that are equally far apart."""

    first: int
    length: int
    apart: int
    """How far one run starts from the next; 0 if there is one run."""
    number: int


@inlined
def one_run(first: int, length: int) -> Runs:
    """So many columns from the first one on."""
    return Runs(first, length, 0, 1)


Over = Callable[[bool, Callable[[bool], Callable[..., int]]], Callable[..., int]]
"""What makes a pass over all columns of one that can be made for worlds with and without stored momentum (see `over_columns`)."""


@cache
def over_columns(stores: bool, make: Callable[[bool], Callable[..., int]]) -> Callable[..., int]:
    """Make `pass_over(control, runs, arguments) -> sum of the results`, one pass over one run of columns.

    `make(stores)` makes such a pass. In worlds with stored momentum, only spans of columns around the bodies that store any are passed with
    it. The others take the pass of worlds without, so that ships with wheels do not slow down the thousand bodies beside them.
    """
    plain = make(False)
    if not stores:
        return plain
    storing = make(True)

    @inlined
    def over_parts(control: Integers, runs: Runs, arguments: object) -> int:
        total, done, end, span = 0, runs.first, runs.first + runs.length, 0
        while done < end:
            start, stop = end, end
            if span < MOST_SPANS:
                start = max(done, min(control[STORING + 2 * span], end))
                stop = max(done, min(control[STORING + 2 * span + 1], end))
            total += plain(control, one_run(done, start - done), arguments)
            total += storing(control, one_run(start, stop - start), arguments)
            done, span = stop, span + 1
        return total

    return over_parts


def or_not_finite(move: Move) -> Move:
    """The same, but where plain Python divides by zero or overflows, the state is not finite, as in compiled code."""
    if COMPILED:
        return move

    @wraps(move)
    def move_or_lose(*arguments: object) -> BodyState:
        try:
            return move(*arguments)
        except OVERFLOWS:
            (start,) = (each for each in arguments if isinstance(each, BodyState))
            lost = nan, nan, nan
            return BodyState(lost, (*lost, nan), lost, lost, None if start.stored_momentum is None else lost)

    return cast(Move, move_or_lose)


class TakeTick(Protocol):
    """Runs one body through a tick."""

    def __hash__(self) -> int: ...

    def __call__(
        self,
        array: Array,
        layers: Array,
        column: int,
        ticks: float,
        dt: float,
        start: BodyState,
        held: BodyWrench,
        body: BodyModel,
    ) -> BodyState: ...


@cache
def fly_with(take: TakeTick, has_fields: bool) -> Callable[[bool], Callable[..., int]]:
    """Make a pass for `over_columns`, which runs a tick and returns the number of bodies that are not finite."""
    take = or_not_finite(take)

    @cache
    def make(stores: bool) -> Callable[..., int]:
        load = load_start(stores)

        @inlined
        def fly(control: Integers, runs: Runs, arguments: tuple[Array, Array, float, float]) -> int:
            array, layers, ticks, dt = from_column(arguments[0], runs.first), arguments[1], arguments[2], arguments[3]
            own_layers = from_column(layers, runs.first) if has_fields else layers
            not_finite = 0
            for column in range(runs.length):
                start, held = load(array, column)
                body = load_body(array, column)
                end = take(array, own_layers, column, ticks, dt, start, held, body)
                not_finite += store_tick(array, column, start, end)
            return not_finite

        return fly

    return make


@cache
def close_tick(stores: bool) -> Callable[..., bool]:
    """Make `close(array, control, not_finite) -> whole`, the last operation of a tick.

    If all bodies are finite, it counts the tick. Otherwise it reports the first one that is not finite. It then restores all bodies; but if
    the members of a batch do without each other, it restores those with such a body, counts the tick for the others, and notes in `control`
    that some have yet to be stopped.
    """
    load = load_stored(stores)

    @inlined
    def restore(array: Array, column: int) -> None:
        before = load(array, PREVIOUS_STORED_MOMENTUM, column)
        store_state(array, POSITION, column, load_state(array, PREVIOUS, column, before))
        store_stored(array, STORED_MOMENTUM, column, before)

    @inlined
    def close(array: Array, control: Integers, not_finite: int) -> bool:
        if not_finite == 0:
            control[TICKS] += 1
            return True
        members = control[APART] if stores else 0
        for column in range(control[COUNT]):
            is_bad = not is_finite(load_state(array, POSITION, column, load(array, STORED_MOMENTUM, column)))
            if control[BAD] < 0 and is_bad:
                control[BAD] = column
            if stores:
                array[NOT_FINITE, column] = 1.0 if is_bad else 0.0
            if members == 0:
                restore(array, column)
        if members > 0:
            for column in range(control[COUNT]):
                if array[NOT_FINITE, column] > 0.0:
                    for own in range(column % members, control[COUNT], members):
                        restore(array, own)
            control[TICKS] += 1
            control[STOPPED] = control[TICKS]
        return False

    return close


@inlined
def is_finite(state: BodyState) -> bool:
    """Whether every number of a state is finite; zero times a finite number is zero, and zero times nan or infinity is nan."""
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
