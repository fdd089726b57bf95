"""The fused loops of the splitting methods, which alternate kicks and drifts, for held wrenches and fields.

A method consists of a table and a function that rotates a free body (see `kick_drift`). Each row of the table has a kick and a drift as
fractions of the tick. The most common method, half a kick, a drift and half a kick, has a separate loop with one pass over the bodies. For
all other methods, the table is an argument of one compiled loop. Each row works on the results of the previous row in the arrays, so a
method with many rows needs no more code than a method with two.

If a field depends on the rates, each kick is a small Runge-Kutta step in the rates at a fixed pose (`kick_drift.KICKS`).
"""

from collections.abc import Callable
from functools import cache
from typing import Protocol

from ..compilation.compiler import from_column, inlined, kernel, use_widest_vectors
from ..kernels.rigid_body import BodyModel, BodyState, BodyWrench
from .columns import (
    Array,
    Integers,
    Runs,
    TakeTick,
    close_tick,
    end_in_place,
    fly_with,
    load_body,
    load_body_at_stage,
    load_principal,
    load_start,
    load_state,
    load_stored,
    one_run,
    over_columns,
    store_previous,
    store_stored,
    store_vector,
)
from .fields import AddFields, Clock, FieldKind, summed
from .floating_point import is_other_mode
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
from .layout import (
    ANGULAR_VELOCITY,
    BAD,
    COUNT,
    OTHER_MODE,
    PREVIOUS,
    PREVIOUS_STORED_MOMENTUM,
    STORED_MOMENTUM,
    TICKS,
    VELOCITY,
)


class _KickBy(Protocol):
    """Kicks one body."""

    def __call__(
        self,
        array: Array,
        layers: Array,
        column: int,
        clock: Clock,
        step: float,
        state: BodyState,
        held: BodyWrench,
        body: BodyModel,
    ) -> BodyState: ...


class _KickOn(Protocol):
    """Kicks one body from one evaluation on."""

    def __call__(
        self,
        array: Array,
        layers: Array,
        column: int,
        clock: Clock,
        step: float,
        state: BodyState,
        held: BodyWrench,
        body: BodyModel,
        trial: BodyState,
        first: BodyWrench,
        difference: BodyWrench,
    ) -> BodyState: ...


@cache
def _kicking(kinds: tuple[FieldKind, ...], evaluations: int) -> _KickBy:
    """Make `kick_by(array, layers, column, clock, step, state, held, body) -> BodyState`, which kicks one body.

    The wrench is the held wrench plus the fields at this pose, one layer of each kind, in the given number of evaluations. The bits are the
    same as those of `splitting_passes.passes`.
    """
    kick_in_stages = _kick_from(0, evaluations, summed(kinds))

    @inlined
    def kick_by(
        array: Array,
        layers: Array,
        column: int,
        clock: Clock,
        step: float,
        state: BodyState,
        held: BodyWrench,
        body: BodyModel,
    ) -> BodyState:
        return kick_in_stages(array, layers, column, clock, step, state, held, body, state, held, no_difference())

    return kick_by


def _kick_from(index: int, evaluations: int, add_fields: AddFields) -> _KickOn:
    """Make `kick_on(array, layers, column, clock, step, state, held, body, trial, first, difference) -> BodyState`, from one evaluation on.

    `trial` is the state with the rates of this evaluation, `first` is the wrench of the first evaluation, and `difference` is the weighted
    sum of the differences from it so far. The function made for one evaluation calls the function made for the remaining ones.
    """
    weight, part = KICKS[evaluations][index]
    opens, closes = index == 0, index == evaluations - 1
    kick_further = _kicked if closes else _kick_from(index + 1, evaluations, add_fields)

    @inlined
    def kick_on(
        array: Array,
        layers: Array,
        column: int,
        clock: Clock,
        step: float,
        state: BodyState,
        held: BodyWrench,
        body: BodyModel,
        trial: BodyState,
        first: BodyWrench,
        difference: BodyWrench,
    ) -> BodyState:
        # wrench at the trial rates
        own = add_fields(layers, column, clock, load_body_at_stage(array, column, trial), held)
        first = own if opens else first
        difference = difference if opens else differences(difference, first, own, weight)
        # kick with this wrench for the next evaluation or, after the last one, with the average wrench for the result
        by = add_difference(first, difference) if closes and not opens else own
        next_trial = kick(part * step, state, by, body)
        return kick_further(array, layers, column, clock, step, state, held, body, next_trial, first, difference)

    return kick_on


@inlined
def _kicked(
    array: Array,
    layers: Array,
    column: int,
    clock: Clock,
    step: float,
    state: BodyState,
    held: BodyWrench,
    body: BodyModel,
    trial: BodyState,
    first: BodyWrench,
    difference: BodyWrench,
) -> BodyState:
    """Return the result after the last evaluation, which is the trial state kicked with the average wrench."""
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
    """Make the fused loop of half a kick, a drift and half a kick, `loop(array, control, layers, dt, ticks) -> ticks completed`.

    It makes one pass over the bodies per tick, and has the same arguments as the loop of `loops.held_ticks`. `evaluations` is the number of
    evaluations per kick.
    """
    has_fields = bool(kinds)
    fly, close = (
        over_columns(stores, fly_with(_strang(turn, gyroscopic, kinds, evaluations), has_fields)),
        close_tick(stores),
    )

    @kernel(f"strang-{turn_name(turn, stores, gyroscopic, pitch)}{kind_part(kinds, evaluations)}")
    def strang(array: Array, control: Integers, layers: Array, dt: float, ticks: int) -> int:
        use_widest_vectors()
        # reject arrays of another pitch
        if array.shape[1] != pitch:
            return -1
        if has_fields and layers.shape[1] != pitch:
            return -1
        if is_other_mode(control):
            control[BAD] = OTHER_MODE
            return OTHER_MODE
        control[BAD] = -1
        columns = one_run(0, control[COUNT])
        for tick in range(ticks):
            # one pass over the bodies: half a kick at the start, a drift, half a kick at the end
            not_finite = fly(control, columns, (array, layers, float(control[TICKS]), dt))
            # count the tick, or restore all bodies if one is not finite
            if not close(array, control, not_finite):
                return tick
        return ticks

    return strang


@cache
def _strang(turn: Turn, gyroscopic: bool, kinds: tuple[FieldKind, ...], evaluations: int) -> TakeTick:
    """Make `take(array, layers, column, ticks, dt, start, held, body) -> BodyState`, which runs one body through a tick."""
    kick_by = _kicking(kinds, evaluations)

    @inlined
    def take(
        array: Array,
        layers: Array,
        column: int,
        ticks: float,
        dt: float,
        start: BodyState,
        held: BodyWrench,
        body: BodyModel,
    ) -> BodyState:
        moments, axes = load_principal(array, column)
        state = kick_by(array, layers, column, (ticks, dt, 0.0), dt * 0.5, start, held, body)
        state = drift(turn, gyroscopic, dt, state, moments, axes)
        return kick_by(array, layers, column, (ticks, dt, dt), dt * 0.5, state, held, body)

    return take


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

    Each row of `table` has the kick, the drift and the time of the kick, all in ticks.
    """
    has_fields = bool(kinds)
    keep, kick_all = over_columns(stores, _keep), over_columns(stores, _kick_with(kinds, evaluations))
    drift_states, end = drift_all(turn, stores, gyroscopic, STORED_MOMENTUM), over_columns(stores, _end)
    close = close_tick(stores)

    @kernel(f"table-{turn_name(turn, stores, gyroscopic, pitch)}{kind_part(kinds, evaluations)}")
    def by_table(
        array: Array, control: Integers, table: Array, drift_shares: Array, layers: Array, dt: float, ticks: int
    ) -> int:
        use_widest_vectors()
        # reject arrays of another pitch
        if array.shape[1] != pitch:
            return -1
        if has_fields and layers.shape[1] != pitch:
            return -1
        if is_other_mode(control):
            control[BAD] = OTHER_MODE
            return OTHER_MODE
        control[BAD] = -1
        columns = one_run(0, control[COUNT])
        for tick in range(ticks):
            # store the state at the start as the previous state, because the rows below change the state in place
            keep(control, columns, (array,))
            # for each row of the table: kick all bodies, then drift all bodies
            for row in range(table.shape[0]):
                kick_step = dt * float(table[row, 0])
                drift_step = dt * float(table[row, 1])
                clock = (float(control[TICKS]), dt, float(table[row, 2]) * dt)
                if kick_step != 0.0:
                    kick_all(control, columns, (array, layers, clock, kick_step))
                if drift_step != 0.0:
                    drift_states(control, columns, (array, array, drift_step, drift_shares))
            # count the tick, or restore all bodies if one is not finite
            if not close(array, control, end(control, columns, (array,))):
                return tick
        return ticks

    return by_table


@cache
def _keep(stores: bool) -> Callable[..., int]:
    """Make a pass for `over_columns`, which stores the states as those at the start of the tick."""
    load = load_start(stores)

    @inlined
    def keep(control: Integers, runs: Runs, arguments: tuple[Array]) -> int:
        array = from_column(arguments[0], runs.first)
        for column in range(runs.length):
            state, _held = load(array, column)
            store_previous(array, column, state)
        return 0

    return keep


@cache
def _kick_with(kinds: tuple[FieldKind, ...], evaluations: int) -> Callable[[bool], Callable[..., int]]:
    """Make a pass for `over_columns`, which kicks bodies."""
    kick_by, has_fields = _kicking(kinds, evaluations), bool(kinds)

    @cache
    def make(stores: bool) -> Callable[..., int]:
        load = load_start(stores)

        @inlined
        def kick_all(control: Integers, runs: Runs, arguments: tuple[Array, Array, Clock, float]) -> int:
            array, layers, clock, step = from_column(arguments[0], runs.first), arguments[1], arguments[2], arguments[3]
            own_layers = from_column(layers, runs.first) if has_fields else layers
            for column in range(runs.length):
                state, held = load(array, column)
                body = load_body(array, column)
                state = kick_by(array, own_layers, column, clock, step, state, held, body)
                store_vector(array, VELOCITY, column, state.velocity)
                store_vector(array, ANGULAR_VELOCITY, column, state.angular_velocity)
                store_stored(array, STORED_MOMENTUM, column, state.stored_momentum)
            return 0

        return kick_all

    return make


@cache
def _end(stores: bool) -> Callable[..., int]:
    """Make a pass for `over_columns`, which ends the tick of bodies and returns the number of those that are not finite."""
    load, load_before = load_start(stores), load_stored(stores)

    @inlined
    def end(control: Integers, runs: Runs, arguments: tuple[Array]) -> int:
        array = from_column(arguments[0], runs.first)
        not_finite = 0
        for column in range(runs.length):
            state, _held = load(array, column)
            before = load_state(array, PREVIOUS, column, load_before(array, PREVIOUS_STORED_MOMENTUM, column))
            not_finite += end_in_place(array, column, state, before)
        return not_finite

    return end
