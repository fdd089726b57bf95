"""Methods made of kicks and drifts with forces that compiled loops know: held wrenches and fields.

A method is a table, a row (kick, drift) of parts of the tick, and a turn (see `kick_drift`). The usual one, half a kick, a drift and half a
kick, has a loop of its own, one pass over the bodies. For the others the table is an argument: one compiled loop serves all of them, and
each row works on what the row before it left in the arrays, so a method of many rows compiles and inlines no more than one of two.

While a field depends on the rates, each kick is a small Runge-Kutta step in the rates at one pose (`kick_drift.KICKS`).
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from .columns import (
    Array,
    Integers,
    close_tick,
    is_finite,
    load_body,
    load_body_at_stage,
    load_principal,
    load_start,
    store_previous,
    store_stored,
    store_tick,
    store_vector,
)
from .compiler import inlined, kernel, use_widest_vectors
from .fields import FieldKind, summed
from .kick_drift import (
    KICKS,
    Turn,
    add_difference,
    differences,
    drift,
    drift_all,
    kick,
    kind_part,
    no_difference,
    turn_name,
)
from .layout import ANGULAR_VELOCITY, BAD, COUNT, STORED_MOMENTUM, TICKS, VELOCITY
from .rigid_body import BodyModel, BodyState, BodyWrench


@cache
def _kicking(kinds: tuple[FieldKind, ...], evaluations: int) -> Callable[..., Any]:
    """Make `kick_by(array, layers, column, time, step, state, held, body) -> BodyState`.

    The kick is by the held wrench and the fields at this pose, one layer of each kind, in so many evaluations, to the same bits as
    `staged_splitting.staged_segment`.
    """
    kick_in_stages = _kick_from(0, evaluations, summed(kinds))

    @inlined
    def kick_by(
        array: Array,
        layers: Any,
        column: int,
        time: float,
        step: float,
        state: BodyState,
        held: BodyWrench,
        body: BodyModel,
    ) -> BodyState:
        return kick_in_stages(array, layers, column, time, step, state, held, body, state, held, no_difference())

    return kick_by


def _kick_from(index: int, evaluations: int, add_fields: Callable[..., Any]) -> Callable[..., Any]:
    """Make `kick_on(array, layers, column, time, step, state, held, body, trial, first, difference) -> BodyState`: from one evaluation on.

    `trial` is the state with the rates to evaluate at, `first` the wrench of the first evaluation, `difference` the weighted sum of
    differences from it so far.
    """
    weight, part = KICKS[evaluations][index]
    opens, closes = index == 0, index == evaluations - 1
    kick_further = _kicked if closes else _kick_from(index + 1, evaluations, add_fields)

    @inlined
    def kick_on(
        array: Array,
        layers: Any,
        column: int,
        time: float,
        step: float,
        state: BodyState,
        held: BodyWrench,
        body: BodyModel,
        trial: BodyState,
        first: BodyWrench,
        difference: BodyWrench,
    ) -> BodyState:
        own = add_fields(layers, column, time, load_body_at_stage(array, column, trial), held)
        first = own if opens else first
        difference = difference if opens else differences(difference, first, own, weight)
        by = add_difference(first, difference) if closes and not opens else own
        next_trial = kick(part * step, state, by, body)
        return kick_further(array, layers, column, time, step, state, held, body, next_trial, first, difference)

    return kick_on


@inlined
def _kicked(
    array: Array,
    layers: Any,
    column: int,
    time: float,
    step: float,
    state: BodyState,
    held: BodyWrench,
    body: BodyModel,
    trial: BodyState,
    first: BodyWrench,
    difference: BodyWrench,
) -> BodyState:
    """Past the last evaluation: the trial by the average wrench is the result."""
    return trial


@cache
def strang_ticks(
    turn: Turn,
    stores: bool,
    gyroscopic: bool,
    pitch: int,
    kinds: tuple[FieldKind, ...] = (),
    evaluations: int = 1,
) -> Callable[..., int]:
    """Make `loop(array, control, layers, dt, ticks) -> ticks completed`, as `loops.held_ticks` does for other methods.

    Half a kick, a drift, half a kick, in one pass over the bodies; `evaluations` as in `_kicking`.
    """
    kick_by = _kicking(kinds, evaluations)
    load, close = load_start(stores), close_tick(stores)
    has_fields = bool(kinds)

    @kernel(f"strang-{turn_name(turn, stores, gyroscopic, pitch)}{kind_part(kinds, evaluations)}")
    def strang(array: Array, control: Integers, layers: Any, dt: float, ticks: int) -> int:
        use_widest_vectors()
        if array.shape[1] != pitch:
            return -1
        if has_fields and layers.shape[1] != pitch:
            return -1
        control[BAD] = -1
        count = control[COUNT]
        for tick in range(ticks):
            time = float(control[TICKS]) * dt
            not_finite = 0
            for column in range(count):
                start, held = load(array, column)
                body = load_body(array, column)
                moments, axes = load_principal(array, column)
                state = kick_by(array, layers, column, time, dt * 0.5, start, held, body)
                state = drift(turn, gyroscopic, dt, state, moments, axes)
                state = kick_by(array, layers, column, time + dt, dt * 0.5, state, held, body)
                not_finite += store_tick(array, column, start, state)
            if not close(array, control, not_finite):
                return tick
        return ticks

    return strang


@cache
def table_ticks(
    turn: Turn,
    stores: bool,
    gyroscopic: bool,
    pitch: int,
    kinds: tuple[FieldKind, ...] = (),
    evaluations: int = 1,
) -> Callable[..., int]:
    """Make `loop(array, control, table, drift_shares, layers, dt, ticks) -> ticks completed`, for any table.

    A row of `table`: kick, drift, and when the kick is made, each in parts of the tick.
    """
    kick_by = _kicking(kinds, evaluations)
    drift_states = drift_all(turn, stores, gyroscopic, STORED_MOMENTUM)
    load, close = load_start(stores), close_tick(stores)
    has_fields = bool(kinds)

    @kernel(f"table-{turn_name(turn, stores, gyroscopic, pitch)}{kind_part(kinds, evaluations)}")
    def by_table(
        array: Array, control: Integers, table: Array, drift_shares: Array, layers: Any, dt: float, ticks: int
    ) -> int:
        use_widest_vectors()
        if array.shape[1] != pitch:
            return -1
        if has_fields and layers.shape[1] != pitch:
            return -1
        control[BAD] = -1
        count = control[COUNT]
        for tick in range(ticks):
            start_time = float(control[TICKS]) * dt
            for column in range(count):
                state, _held = load(array, column)
                store_previous(array, column, state)
            for row in range(table.shape[0]):
                kick_step = dt * float(table[row, 0])
                drift_step = dt * float(table[row, 1])
                time = start_time + float(table[row, 2]) * dt
                if kick_step != 0.0:
                    for column in range(count):
                        state, held = load(array, column)
                        body = load_body(array, column)
                        state = kick_by(array, layers, column, time, kick_step, state, held, body)
                        store_vector(array, VELOCITY, column, state.velocity)
                        store_vector(array, ANGULAR_VELOCITY, column, state.angular_velocity)
                        store_stored(array, STORED_MOMENTUM, column, state.stored_momentum)
                if drift_step != 0.0:
                    drift_states(array, array, count, drift_step, drift_shares)
            not_finite = 0
            for column in range(count):
                state, _held = load(array, column)
                not_finite += 0 if is_finite(state) else 1
            if not close(array, control, not_finite):
                return tick
        return ticks

    return by_table
