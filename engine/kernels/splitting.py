"""Methods made of kicks and drifts with forces that compiled loops know: held wrenches and fields.

A method is a table, a row (kick, drift) of parts of the tick, and a turn (see `kick_drift`). The usual one, half a kick, a drift and half a
kick, has a loop of its own, one pass over the bodies. For the others the table is an argument: one compiled loop serves all of them, and
each row works on what the row before it left in the arrays, so a method of many rows compiles and inlines no more than one of two.

Rate-dependent fields: a kick then is itself a small Runge-Kutta step in the rates at one pose, fed with trial rates and closed with an
average wrench. The average is the first wrench plus weighted differences from it, so that forces that turn out not to depend on the
rates give the bits of a plain kick.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from .columns import (
    Array,
    is_finite,
    load_body,
    load_principal,
    load_state,
    load_wrench,
    store_state,
    store_tick,
    store_vector,
)
from .compiler import inlined, kernel, use_widest_vectors
from .fields import Field, summed
from .kick_drift import Turn, add_wrenches, differences, drift, drift_all, field_part, kick, turn_name
from .layout import ANGULAR_VELOCITY, MASS, POSITION, PREVIOUS, VELOCITY, WRENCH
from .rigid_body import Body, State, Wrench


@cache
def _kicking(fields: tuple[Field, ...], evaluations: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Make `load(parameters, row) -> p` (see `fields.summed`) and `kick_by(p, shares, column, mass, step, state, held, body) -> State`.

    The kick is by the held wrench and the fields at this pose: in one evaluation, or a midpoint step of two or a Runge-Kutta step of four
    where a field depends on the rates, to the same bits as `staged_kick` and `staged_mean`.
    """
    load, add_fields = summed(fields)

    @inlined
    def kick_by(
        p: Any, shares: Any, column: int, mass: float, step: float, state: State, held: Wrench, body: Body
    ) -> State:
        position, orientation, velocity, rates = state
        zero = (0.0, 0.0, 0.0)
        first = add_fields(p, shares, 0, column, mass, body[1], state, held)
        mean = first
        if evaluations == 2:
            v, w = kick(0.5 * step, orientation, velocity, rates, first, body)
            own = add_fields(p, shares, 0, column, mass, body[1], (position, orientation, v, w), held)
            mean = add_wrenches(first, differences((zero, zero, zero, zero), first, own, 1.0))
        if evaluations == 4:
            v, w = kick(0.5 * step, orientation, velocity, rates, first, body)
            own = add_fields(p, shares, 0, column, mass, body[1], (position, orientation, v, w), held)
            difference = differences((zero, zero, zero, zero), first, own, 1.0 / 3.0)
            v, w = kick(0.5 * step, orientation, velocity, rates, own, body)
            own = add_fields(p, shares, 0, column, mass, body[1], (position, orientation, v, w), held)
            difference = differences(difference, first, own, 1.0 / 3.0)
            v, w = kick(step, orientation, velocity, rates, own, body)
            own = add_fields(p, shares, 0, column, mass, body[1], (position, orientation, v, w), held)
            mean = add_wrenches(first, differences(difference, first, own, 1.0 / 6.0))
        velocity, rates = kick(step, orientation, velocity, rates, mean, body)
        return position, orientation, velocity, rates

    return load, kick_by


@cache
def strang_ticks(
    turn: Turn,
    has_stores: bool,
    gyroscopic: bool,
    pitch: int,
    fields: tuple[Field, ...] = (),
    evaluations: int = 1,
) -> Callable[..., int]:
    """Make `loop(array, parameters, shares, count, dt, ticks) -> ticks completed`, as `loops.held_ticks` does for other methods.

    Half a kick, a drift, half a kick, in one pass over the bodies; `evaluations` as in `_kicking`.
    """
    load, kick_by = _kicking(fields, evaluations)

    @kernel(f"strang-{turn_name(turn, has_stores, gyroscopic, pitch)}{field_part(fields, evaluations)}")
    def strang(array: Array, parameters: Any, shares: Any, count: int, dt: float, ticks: int) -> int:
        use_widest_vectors()
        if array.shape[1] != pitch:
            return -1
        p = load(parameters, 0)
        for tick in range(ticks):
            not_finite = 0
            for column in range(count):
                start = load_state(array, POSITION, column)
                held, body = load_wrench(array, WRENCH, column), load_body(array, column)
                moments, axes = load_principal(array, column)
                mass = float(array[MASS, column])
                state = kick_by(p, shares, column, mass, dt * 0.5, start, held, body)
                state = drift(turn, has_stores, gyroscopic, dt, state, body, moments, axes)
                state = kick_by(p, shares, column, mass, dt * 0.5, state, held, body)
                not_finite += store_tick(array, column, start, state)
            if not_finite > 0:
                return tick
        return ticks

    return strang


@cache
def table_ticks(
    turn: Turn,
    has_stores: bool,
    gyroscopic: bool,
    pitch: int,
    fields: tuple[Field, ...] = (),
    evaluations: int = 1,
) -> Callable[..., int]:
    """Make `loop(array, table, drift_shares, parameters, shares, count, dt, ticks) -> ticks completed`, for any table."""
    load, kick_by = _kicking(fields, evaluations)

    @kernel(f"table-{turn_name(turn, has_stores, gyroscopic, pitch)}{field_part(fields, evaluations)}")
    def by_table(
        array: Array, table: Array, drift_shares: Array, parameters: Any, shares: Any, count: int, dt: float, ticks: int
    ) -> int:
        use_widest_vectors()
        if array.shape[1] != pitch:
            return -1
        p = load(parameters, 0)
        for tick in range(ticks):
            for column in range(count):
                store_state(array, PREVIOUS, column, load_state(array, POSITION, column))
            for row in range(table.shape[0]):
                kick_step = dt * float(table[row, 0])
                drift_step = dt * float(table[row, 1])
                if kick_step != 0.0:
                    for column in range(count):
                        state = load_state(array, POSITION, column)
                        held, body = load_wrench(array, WRENCH, column), load_body(array, column)
                        mass = float(array[MASS, column])
                        _, _, velocity, rates = kick_by(p, shares, column, mass, kick_step, state, held, body)
                        store_vector(array, VELOCITY, column, velocity)
                        store_vector(array, ANGULAR_VELOCITY, column, rates)
                if drift_step != 0.0:
                    drift_all(turn, has_stores, gyroscopic, array, array, count, drift_step, drift_shares)
            not_finite = 0
            for column in range(count):
                not_finite += 0 if is_finite(load_state(array, POSITION, column)) else 1
            if not_finite > 0:
                return tick
        return ticks

    return by_table
