"""Methods made of kicks and drifts, pass by pass over all bodies, for forces that want to see all of them at one time.

For forces that have to be called there is a loop for each pass; springs are known to compiled code, which takes whole ticks.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from .columns import (
    Array,
    Integers,
    close_tick,
    load_body,
    load_state,
    load_vector,
    load_wrench,
    store_state,
    store_tick,
    store_vector,
    store_wrench,
)
from .compiler import inlined, kernel, use_widest_vectors
from .fields import FieldKind, all_passes
from .kick_drift import KICKS, Turn, add_wrenches, differences, drift_all, kick, kind_part, no_wrench, turn_name
from .layout import ANGULAR_VELOCITY, BAD, COUNT, POSITION, STAGE_WRENCH, TICKS, VELOCITY, WRENCH, WRENCH_ROWS
from .points import add_pulls

# blocks of the stage array behind the state: the wrench being evaluated, the first of a kick, the sum of differences from it, and the
# rates before the kick
_FIRST = STAGE_WRENCH + WRENCH_ROWS
_DIFFERENCE = STAGE_WRENCH + 2 * WRENCH_ROWS
_RATES_BEFORE = STAGE_WRENCH + 3 * WRENCH_ROWS
STAGE_BLOCKS = 4


@cache
def staged_start(pitch: int) -> Callable[[Array, Integers, Array], int]:
    """Make `loop(array, control, stages) -> 0`: the state at the start of the tick, and a wrench begun with the held one."""

    @kernel(f"split-start-{pitch}")
    def start(array: Array, control: Integers, stages: Array) -> int:
        if array.shape[1] != pitch or stages.shape[1] != pitch:
            return -1
        _start_all(array, stages, control[COUNT])
        return 0

    return start


@cache
def staged_kick(opens: bool, closes: bool, pitch: int) -> Callable[[Array, Integers, Array, float, float], int]:
    """Make `loop(array, control, stages, step, weight) -> 0`: kick by the wrench just evaluated, and begin the next; see `_kick_all`."""

    @kernel(f"split-kick-{'first' if opens else 'later'}-{'last' if closes else 'trial'}-{pitch}")
    def kick_all(array: Array, control: Integers, stages: Array, step: float, weight: float) -> int:
        use_widest_vectors()
        if array.shape[1] != pitch or stages.shape[1] != pitch:
            return -1
        _kick_all(opens, closes, array, stages, control[COUNT], step, weight)
        return 0

    return kick_all


@cache
def staged_mean(pitch: int) -> Callable[[Array, Integers, float], int]:
    """Make `loop(stages, control, weight) -> 0`: for the wrench just evaluated, the first plus all weighted differences from it."""

    @kernel(f"split-mean-{pitch}")
    def mean_all(stages: Array, control: Integers, weight: float) -> int:
        if stages.shape[1] != pitch:
            return -1
        _mean_all(stages, control[COUNT], weight)
        return 0

    return mean_all


@cache
def staged_drift(
    turn: Turn, has_stores: bool, gyroscopic: bool, pitch: int
) -> Callable[[Array, Integers, Array, float, Array], int]:
    """Make `loop(array, control, stages, step, shares) -> 0`: drift the states of the stage array."""

    @kernel(f"split-drift-{turn_name(turn, has_stores, gyroscopic, pitch)}")
    def drift_stages(array: Array, control: Integers, stages: Array, step: float, shares: Array) -> int:
        use_widest_vectors()
        if array.shape[1] != pitch or stages.shape[1] != pitch:
            return -1
        _drift_stages(turn, has_stores, gyroscopic, array, stages, control[COUNT], step, shares)
        return 0

    return drift_stages


@cache
def staged_end(pitch: int) -> Callable[[Array, Integers, Array], int]:
    """Make `loop(array, control, stages) -> bodies that are not finite`: the states of the stage array are those of the tick's end."""

    @kernel(f"split-end-{pitch}")
    def end(array: Array, control: Integers, stages: Array) -> int:
        if array.shape[1] != pitch or stages.shape[1] != pitch:
            return -1
        control[BAD] = -1
        not_finite = _end_all(array, stages, control[COUNT])
        close_tick(array, control, not_finite)
        return not_finite

    return end


@cache
def coupled_ticks(
    turn: Turn,
    has_stores: bool,
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
    kick_once = _kick_once(0, evaluations)
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

    @kernel(f"coupled-{turn_name(turn, has_stores, gyroscopic, pitch)}{kind_part(kinds, evaluations)}")
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
            _start_all(array, stages, count)
            for row in range(table.shape[0]):
                step = dt * float(table[row, 0])
                drift_step = dt * float(table[row, 1])
                time = start_time + float(table[row, 2]) * dt
                for evaluation in range(evaluations if step != 0.0 else 0):
                    add_forces(array, stages, springs, point_forces, layers, counts, count, time)
                    kick_once(evaluation, array, stages, count, step)
                if drift_step != 0.0:
                    _drift_stages(turn, has_stores, gyroscopic, array, stages, count, drift_step, drift_shares)
            if not close_tick(array, control, _end_all(array, stages, count)):
                return tick
        return ticks

    return coupled


def _kick_once(index: int, evaluations: int) -> Callable[..., None]:
    """Make `kick_once(evaluation, array, stages, count, step)`: what follows an evaluation, chosen among those from this index on."""
    weight, part = KICKS[evaluations][index]
    opens, closes = index == 0, index == evaluations - 1
    others = _kicked_already if closes else _kick_once(index + 1, evaluations)

    @inlined
    def kick_once(evaluation: int, array: Array, stages: Array, count: int, step: float) -> None:
        if evaluation != index:
            others(evaluation, array, stages, count, step)
            return
        if closes and not opens:
            _mean_all(stages, count, weight)
        _kick_all(opens or closes, closes, array, stages, count, part * step, weight)

    return kick_once


@inlined
def _kicked_already(evaluation: int, array: Array, stages: Array, count: int, step: float) -> None:
    pass


@inlined
def _start_all(array: Array, stages: Array, count: int) -> None:
    for column in range(count):
        state = load_state(array, POSITION, column)
        store_state(stages, POSITION, column, state)
        store_vector(stages, _RATES_BEFORE, column, state[2])
        store_vector(stages, _RATES_BEFORE + 3, column, state[3])
        store_wrench(stages, STAGE_WRENCH, column, load_wrench(array, WRENCH, column))


@inlined
def _kick_all(opens: bool, closes: bool, array: Array, stages: Array, count: int, step: float, weight: float) -> None:
    """Kick from the rates before, and begin the next wrench.

    A kick that opens several evaluations keeps its wrench as the first; those that neither open nor close add their weighted difference
    from the first. What closes is a plain kick, behind `_mean_all` where others went before. (Told at run time which it is, the loop does
    not vectorise.)
    """
    for column in range(count):
        orientation = load_state(stages, POSITION, column)[1]
        velocity = load_vector(stages, _RATES_BEFORE, column)
        rates = load_vector(stages, _RATES_BEFORE + 3, column)
        wrench = load_wrench(stages, STAGE_WRENCH, column)
        if opens and not closes:
            store_wrench(stages, _FIRST, column, wrench)
            store_wrench(stages, _DIFFERENCE, column, no_wrench())
        if not opens and not closes:
            first, sums = load_wrench(stages, _FIRST, column), load_wrench(stages, _DIFFERENCE, column)
            store_wrench(stages, _DIFFERENCE, column, differences(sums, first, wrench, weight))
        velocity, rates = kick(step, orientation, velocity, rates, wrench, load_body(array, column))
        store_vector(stages, VELOCITY, column, velocity)
        store_vector(stages, ANGULAR_VELOCITY, column, rates)
        store_wrench(stages, STAGE_WRENCH, column, load_wrench(array, WRENCH, column))


@inlined
def _mean_all(stages: Array, count: int, weight: float) -> None:
    for column in range(count):
        first = load_wrench(stages, _FIRST, column)
        own = load_wrench(stages, STAGE_WRENCH, column)
        difference = differences(load_wrench(stages, _DIFFERENCE, column), first, own, weight)
        store_wrench(stages, STAGE_WRENCH, column, add_wrenches(first, difference))


@inlined
def _drift_stages(
    turn: Turn,
    has_stores: bool,
    gyroscopic: bool,
    array: Array,
    stages: Array,
    count: int,
    step: float,
    shares: Array,
) -> None:
    drift_all(turn, has_stores, gyroscopic, array, stages, count, step, shares)
    for column in range(count):
        store_vector(stages, _RATES_BEFORE, column, load_vector(stages, VELOCITY, column))
        store_vector(stages, _RATES_BEFORE + 3, column, load_vector(stages, ANGULAR_VELOCITY, column))


@inlined
def _end_all(array: Array, stages: Array, count: int) -> int:
    not_finite = 0
    for column in range(count):
        start, end = load_state(array, POSITION, column), load_state(stages, POSITION, column)
        not_finite += store_tick(array, column, start, end)
    return not_finite
