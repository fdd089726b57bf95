"""Methods made of kicks and drifts, pass by pass over all bodies, for forces that want to see all of them at one time.

One loop takes whole ticks where compiled code knows all forces. Where some have to be called, it is called for each evaluation in turn, and
takes all passes between two of them.
"""

from collections.abc import Callable
from functools import cache

from .columns import (
    Array,
    Integers,
    close_tick,
    is_other_pitch,
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
from .kick_drift import (
    Turn,
    add_difference,
    differences,
    drift_all,
    kick,
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
from .points import add_forces
from .rigid_body import BodyState

# blocks of the stage array behind the state: the wrench being evaluated, the first of a kick, the sum of differences from it; then what a
# kick starts from, velocity, body rates and stored momentum
_FIRST = STAGE_WRENCH + WRENCH_ROWS
_DIFFERENCE = STAGE_WRENCH + 2 * WRENCH_ROWS
_BEFORE = STAGE_WRENCH + 3 * WRENCH_ROWS
_STORED = _BEFORE + 6
STAGE_BLOCKS = 4


# columns of a program. It has one row per evaluation of forces in a tick and one for the end: what is done before it (one of the kinds
# below, a kick by the evaluation before, with its weight in the average, the part of the kick that is tried and the whole kick; then a
# drift), and when it is made, in ticks after the start. Kicks and drifts are parts of a tick.
KIND, WEIGHT, PART, KICK, DRIFT, OFFSET = range(6)
START, ONLY, FIRST, TRIAL, LAST = range(5)
"""The start of the tick; a kick by its only evaluation, by the first of several, by one in between, by the last."""


@cache
def passes(turn: Turn, stores: bool, gyroscopic: bool, pitch: int) -> Callable[..., int]:
    """Make `loop(array, control, program, shares, stages, calls, …, counts, dt, stage, ticks) -> ticks completed`.

    As `splitting.table_ticks`, with any forces that compiled code knows; the arguments from `stages` on are those of `loops.passes`. A
    stage is an evaluation of forces, a row of `program`. `shares` are the parts of a drift of bodies that store momentum.
    """
    start_all, end_all, close = _start_all(stores), _end_all(stores), close_tick(stores)
    kick_closing, kick_opening, kick_between = (
        _kick_all(True, True, stores),
        _kick_all(True, False, stores),
        _kick_all(False, False, stores),
    )
    drift_states = _drift_states(turn, stores, gyroscopic)

    @kernel(f"passes-{turn_name(turn, stores, gyroscopic, pitch)}")
    def loop(
        array: Array,
        control: Integers,
        program: Array,
        shares: Array,
        stages: Array,
        calls: Integers,
        layers: Array,
        springs: Array,
        point_forces: Array,
        counts: Integers,
        dt: float,
        stage: int,
        ticks: int,
    ) -> int:
        use_widest_vectors()
        if is_other_pitch(pitch, array, stages, layers):
            return -1
        control[BAD] = -1
        count, evaluations = control[COUNT], program.shape[0] - 1
        first, last = (0, evaluations) if stage < 0 else (stage, stage)
        for tick in range(ticks):
            start_time = float(control[TICKS]) * dt
            for each in range(first, last + 1):
                kind, weight = int(program[each, KIND]), float(program[each, WEIGHT])
                step = float(program[each, PART]) * (dt * float(program[each, KICK]))
                drift_step = dt * float(program[each, DRIFT])
                if kind == LAST:
                    _mean_all(stages, count, weight)
                if kind == START:
                    start_all(array, stages, count)
                elif kind == ONLY or kind == LAST:
                    kick_closing(array, stages, count, step, weight)
                elif kind == FIRST:
                    kick_opening(array, stages, count, step, weight)
                else:
                    kick_between(array, stages, count, step, weight)
                if drift_step != 0.0:
                    drift_states(array, stages, count, drift_step, shares)
                if each < evaluations:
                    time = start_time + float(program[each, OFFSET]) * dt
                    add_forces(array, control, stages, STAGE_WRENCH, calls, layers, springs, point_forces, counts, time)
            if last == evaluations and not close(array, control, end_all(array, stages, count)):
                return tick
        return ticks

    return loop


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
