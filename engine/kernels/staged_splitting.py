"""Methods made of kicks and drifts, pass by pass over all bodies, for forces that want to see all of them at one time.

For forces that have to be called there is one call for all passes between two evaluations; springs are known to compiled code, which takes
whole ticks.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from .columns import (
    Array,
    Integers,
    close_tick,
    load_body,
    load_start,
    load_state,
    load_stored,
    load_vector,
    load_wrench,
    store_state,
    store_stored,
    store_tick,
    store_vector,
    store_wrench,
)
from .compiler import inlined, kernel, use_widest_vectors
from .fields import FieldKind, all_passes
from .kick_drift import (
    KICKS,
    Turn,
    add_difference,
    differences,
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
    MOTOR_TORQUE,
    POSITION,
    STAGE_WRENCH,
    TICKS,
    VELOCITY,
    WRENCH,
    WRENCH_ROWS,
)
from .points import add_pulls
from .rigid_body import BodyState

# blocks of the stage array behind the state: the wrench being evaluated, the first of a kick, the sum of differences from it; then what a
# kick starts from, velocity, body rates and stored momentum
_FIRST = STAGE_WRENCH + WRENCH_ROWS
_DIFFERENCE = STAGE_WRENCH + 2 * WRENCH_ROWS
_BEFORE = STAGE_WRENCH + 3 * WRENCH_ROWS
_STORED = _BEFORE + 6
STAGE_BLOCKS = 4


class Segment(NamedTuple):
    """What loops do between two evaluations of forces, in this order; they are taken in one call."""

    starts: bool = False
    """The state at the start of the tick, and a wrench begun with the held one."""
    kick: str = ""
    """Kick by the wrench just evaluated and begin the next: "only" in its kick, "first", "trial" or "last" of several, or none."""
    drifts: bool = False
    """Drift the states of the stage array."""
    ends: bool = False
    """The states of the stage array are those of the tick's end: count it, or undo it."""


@cache
def staged_segment(
    turn: Turn, stores: bool, gyroscopic: bool, pitch: int, segment: Segment
) -> Callable[[Array, Integers, Array, float, float, float, Any], int]:
    """Make `loop(array, control, stages, kick_step, weight, drift_step, shares) -> bodies that are not finite` (0 before the end).

    `shares` are the parts of a drift of bodies that store momentum; anything where there is no drift.
    """
    starts, kind, drifts, ends = segment
    has_kick, has_mean = bool(kind), kind == "last"
    start_all, end_all, close = _start_all(stores), _end_all(stores), close_tick(stores)
    kick_all = _kick_all(kind in ("only", "first", "last"), kind in ("only", "last"), stores)
    drift_states = _drift_states(turn, stores, gyroscopic)
    parts = "".join(name for name, here in zip(("-start", f"-{kind}", "-drift", "-end"), segment, strict=True) if here)
    name = turn_name(turn, stores, gyroscopic, pitch) if drifts else f"{'stored-' if stores else ''}{pitch}"

    @kernel(f"split{parts}-{name}")
    def loops(
        array: Array,
        control: Integers,
        stages: Array,
        kick_step: float,
        weight: float,
        drift_step: float,
        shares: Any,
    ) -> int:
        use_widest_vectors()
        if array.shape[1] != pitch or stages.shape[1] != pitch:
            return -1
        count = control[COUNT]
        if starts:
            start_all(array, stages, count)
        if has_mean:
            _mean_all(stages, count, weight)
        if has_kick:
            kick_all(array, stages, count, kick_step, weight)
        if drifts:
            drift_states(array, stages, count, drift_step, shares)
        not_finite = 0
        if ends:
            control[BAD] = -1
            not_finite = end_all(array, stages, count)
            close(array, control, not_finite)
        return not_finite

    return loops


@cache
def coupled_ticks(
    turn: Turn,
    stores: bool,
    gyroscopic: bool,
    pitch: int,
    kinds: tuple[FieldKind, ...] = (),
    evaluations: int = 1,
) -> Callable[..., int]:
    """Make `loop(array, control, table, drift_shares, stages, springs, point_forces, layers, counts, dt, ticks) -> ticks completed`.

    As `table_ticks`, with springs and point forces and any number of layers of each kind of field (see `loops.coupled_ticks`); a kick of
    several evaluations takes them one by one, as the world does with forces that it has to call.
    """
    add_fields = all_passes(kinds)
    start_all, end_all, close = _start_all(stores), _end_all(stores), close_tick(stores)
    kick_once, drift_states = _kick_once(0, evaluations, stores), _drift_states(turn, stores, gyroscopic)
    has_fields = bool(kinds)

    @inlined
    def add_forces(
        array: Array,
        stages: Array,
        springs: Array,
        point_forces: Array,
        layers: Any,
        counts: Integers,
        count: int,
        time: float,
    ) -> None:
        add_fields(array, stages, STAGE_WRENCH, layers, 0, counts, count, time)
        add_pulls(array, stages, STAGE_WRENCH, springs, point_forces, counts)

    @kernel(f"coupled-{turn_name(turn, stores, gyroscopic, pitch)}{kind_part(kinds, evaluations)}")
    def coupled(
        array: Array,
        control: Integers,
        table: Array,
        drift_shares: Array,
        stages: Array,
        springs: Array,
        point_forces: Array,
        layers: Any,
        counts: Integers,
        dt: float,
        ticks: int,
    ) -> int:
        use_widest_vectors()
        if array.shape[1] != pitch or stages.shape[1] != pitch:
            return -1
        if has_fields and layers.shape[1] != pitch:
            return -1
        control[BAD] = -1
        count = control[COUNT]
        for tick in range(ticks):
            start_time = float(control[TICKS]) * dt
            start_all(array, stages, count)
            for row in range(table.shape[0]):
                step = dt * float(table[row, 0])
                drift_step = dt * float(table[row, 1])
                time = start_time + float(table[row, 2]) * dt
                for evaluation in range(evaluations if step != 0.0 else 0):
                    add_forces(array, stages, springs, point_forces, layers, counts, count, time)
                    kick_once(evaluation, array, stages, count, step)
                if drift_step != 0.0:
                    drift_states(array, stages, count, drift_step, drift_shares)
            if not close(array, control, end_all(array, stages, count)):
                return tick
        return ticks

    return coupled


def _kick_once(index: int, evaluations: int, stores: bool) -> Callable[..., None]:
    """Make `kick_once(evaluation, array, stages, count, step)`: what follows an evaluation, chosen among those from this index on."""
    weight, part = KICKS[evaluations][index]
    opens, closes = index == 0, index == evaluations - 1
    others = _kicked_already if closes else _kick_once(index + 1, evaluations, stores)
    kick_all = _kick_all(opens or closes, closes, stores)

    @inlined
    def kick_once(evaluation: int, array: Array, stages: Array, count: int, step: float) -> None:
        if evaluation != index:
            others(evaluation, array, stages, count, step)
            return
        if closes and not opens:
            _mean_all(stages, count, weight)
        kick_all(array, stages, count, part * step, weight)

    return kick_once


@inlined
def _kicked_already(evaluation: int, array: Array, stages: Array, count: int, step: float) -> None:
    pass


@cache
def _start_all(stores: bool) -> Callable[..., None]:
    load = load_start(stores)

    @inlined
    def start_all(array: Array, stages: Array, count: int) -> None:
        for column in range(count):
            state, held = load(array, column)
            store_state(stages, POSITION, column, state)
            _store_before(stages, column, state)
            store_wrench(stages, STAGE_WRENCH, column, held)

    return start_all


@inlined
def _store_before(stages: Array, column: int, state: BodyState) -> None:
    """What the next kick starts from."""
    store_vector(stages, _BEFORE, column, state.velocity)
    store_vector(stages, _BEFORE + 3, column, state.angular_velocity)
    store_stored(stages, _STORED, column, state.stored_momentum)


@cache
def _kick_all(opens: bool, closes: bool, stores: bool) -> Callable[..., None]:
    """Make `kick_all(array, stages, count, step, weight)`: kick from the rates before, and begin the next wrench.

    A kick that opens several evaluations keeps its wrench as the first; those that neither open nor close add their weighted difference
    from the first. What closes is a plain kick, behind `_mean_all` where others went before, and the only one that changes what the
    next kick starts from; rates it changes in the drift that follows. (Told at run time which it is, the loop does not vectorise.)
    """
    load = load_stored(stores)

    @inlined
    def kick_all(array: Array, stages: Array, count: int, step: float, weight: float) -> None:
        for column in range(count):
            pose = load_state(stages, POSITION, column, None)
            velocity, rates = load_vector(stages, _BEFORE, column), load_vector(stages, _BEFORE + 3, column)
            before = BodyState(pose.position, pose.orientation, velocity, rates, load(stages, _STORED, column))
            wrench = load_wrench(stages, STAGE_WRENCH, column, load(array, MOTOR_TORQUE, column))
            if opens and not closes:
                store_wrench(stages, _FIRST, column, wrench)
                store_wrench(stages, _DIFFERENCE, column, no_difference())
            if not opens and not closes:
                first = load_wrench(stages, _FIRST, column, None)
                sums = load_wrench(stages, _DIFFERENCE, column, None)
                store_wrench(stages, _DIFFERENCE, column, differences(sums, first, wrench, weight))
            after = kick(step, before, wrench, load_body(array, column))
            store_vector(stages, VELOCITY, column, after.velocity)
            store_vector(stages, ANGULAR_VELOCITY, column, after.angular_velocity)
            if closes:
                store_stored(stages, _STORED, column, after.stored_momentum)
            store_wrench(stages, STAGE_WRENCH, column, load_wrench(array, WRENCH, column, None))

    return kick_all


@inlined
def _mean_all(stages: Array, count: int, weight: float) -> None:
    for column in range(count):
        first = load_wrench(stages, _FIRST, column, None)
        own = load_wrench(stages, STAGE_WRENCH, column, None)
        difference = differences(load_wrench(stages, _DIFFERENCE, column, None), first, own, weight)
        store_wrench(stages, STAGE_WRENCH, column, add_difference(first, difference))


@cache
def _drift_states(turn: Turn, stores: bool, gyroscopic: bool) -> Callable[..., None]:
    drift_states = drift_all(turn, stores, gyroscopic, _STORED)

    @inlined
    def drift_stages(array: Array, stages: Array, count: int, step: float, shares: Array) -> None:
        drift_states(array, stages, count, step, shares)
        for column in range(count):
            store_vector(stages, _BEFORE, column, load_vector(stages, VELOCITY, column))
            store_vector(stages, _BEFORE + 3, column, load_vector(stages, ANGULAR_VELOCITY, column))

    return drift_stages


@cache
def _end_all(stores: bool) -> Callable[..., int]:
    load_both, load = load_start(stores), load_stored(stores)

    @inlined
    def end_all(array: Array, stages: Array, count: int) -> int:
        not_finite = 0
        for column in range(count):
            start, _held = load_both(array, column)
            end = load_state(stages, POSITION, column, load(stages, _STORED, column))
            not_finite += store_tick(array, column, start, end)
        return not_finite

    return end_all
