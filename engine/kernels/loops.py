"""The loops over bodies: one tick or many with held wrenches, and one stage of a tick with wrenches evaluated anew at each.

Both run the same scalar function of a method, `advance(stage, gyroscopic, dt, start, wrenches, body) -> State`: the state at which
the method wants wrench number `stage`, given the wrenches before it; `stage` equal to the number of evaluations is the end of the
tick. `advance`, `stage`, `gyroscopic` and the row pitch are closed over, so each loop is compiled for them and what a stage does not
need drops out (passed at run time, every stage costs a full step). Recomputing the stages before costs little: measured at 1000 bodies
in angular momentum, the five calls of a Runge-Kutta tick together take 3.4 times the one held call, no more than the force
evaluations between them.

No loop raises: that would stop it from vectorising. A loop given an array of another pitch does nothing and returns -1.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from .columns import Array, load_body, load_state, load_wrench, store_state, store_tick, store_wrench
from .compiler import inlined, kernel, use_widest_vectors
from .fields import Field, add_to_all, field_names, summed
from .layout import MASS, MOST_EVALUATIONS, POSITION, STAGE_WRENCH, WRENCH, WRENCH_ROWS
from .points import add_pulls

Advance = Callable[..., Any]

# Where the wrench of each evaluation starts in the stage array; a method that makes fewer evaluations never reads the later ones.
_ROWS = tuple(STAGE_WRENCH + WRENCH_ROWS * evaluation for evaluation in range(MOST_EVALUATIONS))


@cache
def held_ticks(
    advance: Advance, evaluations: int, gyroscopic: bool, pitch: int, fields: tuple[Field, ...] = ()
) -> Callable[..., int]:
    """Make `loop(array, parameters, shares, count, dt, ticks) -> ticks completed`.

    The wrench rows are held: world parts fixed, body parts turning with the body. To them come the fields (see `fields.summed`; without
    any, what is passed as `parameters` and `shares` is not looked at), evaluated at each stage in the same pass. A tick after which
    some body is not finite ends the loop and is not counted; the rows of the tick before it are then in the previous rows of every body.
    """
    load, add_fields = summed(fields)
    has_fields = bool(fields)

    @kernel(f"held-{advance.__name__}-{'gyro' if gyroscopic else 'game'}-{pitch}{field_names(fields)}")
    def held(array: Array, parameters: Any, shares: Any, count: int, dt: float, ticks: int) -> int:
        use_widest_vectors()
        if array.shape[1] != pitch:
            return -1
        if has_fields and shares.shape[1] != pitch:
            return -1
        p = load(parameters, 0)
        for tick in range(ticks):
            not_finite = 0
            for column in range(count):
                start = load_state(array, POSITION, column)
                body = load_body(array, column)
                wrench = load_wrench(array, WRENCH, column)
                wrenches = (wrench, wrench, wrench, wrench, wrench, wrench)
                if has_fields:
                    mass = float(array[MASS, column])
                    state = advance(0, gyroscopic, dt, start, wrenches, body)
                    w = add_fields(p, shares, 0, column, mass, body[1], state, wrench)
                    wrenches = (w, w, w, w, w, w)
                    if evaluations > 1:
                        state = advance(1, gyroscopic, dt, start, wrenches, body)
                        w = add_fields(p, shares, 0, column, mass, body[1], state, wrench)
                        wrenches = (wrenches[0], w, w, w, w, w)
                    if evaluations > 2:
                        state = advance(2, gyroscopic, dt, start, wrenches, body)
                        w = add_fields(p, shares, 0, column, mass, body[1], state, wrench)
                        wrenches = (wrenches[0], wrenches[1], w, w, w, w)
                    if evaluations > 3:
                        state = advance(3, gyroscopic, dt, start, wrenches, body)
                        w = add_fields(p, shares, 0, column, mass, body[1], state, wrench)
                        wrenches = (wrenches[0], wrenches[1], wrenches[2], w, w, w)
                    if evaluations > 4:
                        state = advance(4, gyroscopic, dt, start, wrenches, body)
                        w = add_fields(p, shares, 0, column, mass, body[1], state, wrench)
                        wrenches = (wrenches[0], wrenches[1], wrenches[2], wrenches[3], w, w)
                    if evaluations > 5:
                        state = advance(5, gyroscopic, dt, start, wrenches, body)
                        w = add_fields(p, shares, 0, column, mass, body[1], state, wrench)
                        wrenches = (wrenches[0], wrenches[1], wrenches[2], wrenches[3], wrenches[4], w)
                end = advance(evaluations, gyroscopic, dt, start, wrenches, body)
                not_finite += store_tick(array, column, start, end)
            if not_finite > 0:
                return tick
        return ticks

    return held


@cache
def stage_state(
    advance: Advance, stage: int, evaluations: int, gyroscopic: bool, pitch: int
) -> Callable[[Array, Array, int, float], int]:
    """Make `loop(array, stages, count, dt) -> 0`: the state at one stage, and its wrench begun with the held one."""

    @kernel(f"stage-{stage}-{advance.__name__}-{'gyro' if gyroscopic else 'game'}-{pitch}")
    def staged(array: Array, stages: Array, count: int, dt: float) -> int:
        use_widest_vectors()
        if array.shape[1] != pitch or stages.shape[1] != pitch:
            return -1
        _to_stage(advance, stage, gyroscopic, array, stages, count, dt)
        return 0

    return staged


@cache
def staged_end(
    advance: Advance, evaluations: int, gyroscopic: bool, pitch: int
) -> Callable[[Array, Array, int, float], int]:
    """Make `loop(array, stages, count, dt) -> bodies that are not finite`: the end of the tick from the wrenches of all stages."""

    @kernel(f"end-{advance.__name__}-{'gyro' if gyroscopic else 'game'}-{pitch}")
    def end_of_tick(array: Array, stages: Array, count: int, dt: float) -> int:
        use_widest_vectors()
        if array.shape[1] != pitch or stages.shape[1] != pitch:
            return -1
        return _to_end(advance, evaluations, gyroscopic, array, stages, count, dt)

    return end_of_tick


@cache
def coupled_ticks(
    advance: Advance, evaluations: int, gyroscopic: bool, pitch: int, fields: tuple[Field, ...] = ()
) -> Callable[..., int]:
    """Make `loop(array, stages, pulls, parameters, shares, count, dt, ticks) -> ticks completed`.

    As `held_ticks`, with springs and other pulls (see `points.add_pulls`) besides the fields: every body has to be at a stage before the
    pulls between them can be known, so each stage is a pass over all of them.
    """
    load, add_fields = summed(fields)
    has_fields = bool(fields)
    row_1, row_2, row_3, row_4, row_5, row_6 = _ROWS

    @inlined
    def add_forces(
        array: Array, stages: Array, row: int, pulls: Array, parameters: Any, shares: Any, count: int
    ) -> None:
        if has_fields:
            add_to_all(load, add_fields, array, stages, row, count, parameters, shares)
        add_pulls(array, stages, row, pulls)

    @kernel(f"coupled-{advance.__name__}-{'gyro' if gyroscopic else 'game'}-{pitch}{field_names(fields)}")
    def coupled(
        array: Array, stages: Array, pulls: Array, parameters: Any, shares: Any, count: int, dt: float, ticks: int
    ) -> int:
        use_widest_vectors()
        if array.shape[1] != pitch or stages.shape[1] != pitch:
            return -1
        for tick in range(ticks):
            _to_stage(advance, 0, gyroscopic, array, stages, count, dt)
            add_forces(array, stages, row_1, pulls, parameters, shares, count)
            if evaluations > 1:
                _to_stage(advance, 1, gyroscopic, array, stages, count, dt)
                add_forces(array, stages, row_2, pulls, parameters, shares, count)
            if evaluations > 2:
                _to_stage(advance, 2, gyroscopic, array, stages, count, dt)
                add_forces(array, stages, row_3, pulls, parameters, shares, count)
            if evaluations > 3:
                _to_stage(advance, 3, gyroscopic, array, stages, count, dt)
                add_forces(array, stages, row_4, pulls, parameters, shares, count)
            if evaluations > 4:
                _to_stage(advance, 4, gyroscopic, array, stages, count, dt)
                add_forces(array, stages, row_5, pulls, parameters, shares, count)
            if evaluations > 5:
                _to_stage(advance, 5, gyroscopic, array, stages, count, dt)
                add_forces(array, stages, row_6, pulls, parameters, shares, count)
            if _to_end(advance, evaluations, gyroscopic, array, stages, count, dt) > 0:
                return tick
        return ticks

    return coupled


@inlined
def _to_stage(
    advance: Advance, stage: int, gyroscopic: bool, array: Array, stages: Array, count: int, dt: float
) -> None:
    """All bodies to one stage; its wrench is begun with the held one."""
    row_1, row_2, row_3, row_4, row_5 = _ROWS[:5]
    for column in range(count):
        start = load_state(array, POSITION, column)
        held = load_wrench(array, WRENCH, column)
        wrenches = (
            load_wrench(stages, row_1, column) if stage > 0 else held,
            load_wrench(stages, row_2, column) if stage > 1 else held,
            load_wrench(stages, row_3, column) if stage > 2 else held,
            load_wrench(stages, row_4, column) if stage > 3 else held,
            load_wrench(stages, row_5, column) if stage > 4 else held,
            held,
        )
        state = advance(stage, gyroscopic, dt, start, wrenches, load_body(array, column))
        store_state(stages, POSITION, column, state)
        store_wrench(stages, STAGE_WRENCH + WRENCH_ROWS * stage, column, held)


@inlined
def _to_end(
    advance: Advance, evaluations: int, gyroscopic: bool, array: Array, stages: Array, count: int, dt: float
) -> int:
    """All bodies to the end of the tick, from the wrenches of all stages; how many are not finite there."""
    row_1, row_2, row_3, row_4, row_5, row_6 = _ROWS
    not_finite = 0
    for column in range(count):
        start = load_state(array, POSITION, column)
        first = load_wrench(stages, row_1, column)
        wrenches = (
            first,
            load_wrench(stages, row_2, column) if evaluations > 1 else first,
            load_wrench(stages, row_3, column) if evaluations > 2 else first,
            load_wrench(stages, row_4, column) if evaluations > 3 else first,
            load_wrench(stages, row_5, column) if evaluations > 4 else first,
            load_wrench(stages, row_6, column) if evaluations > 5 else first,
        )
        end = advance(evaluations, gyroscopic, dt, start, wrenches, load_body(array, column))
        not_finite += store_tick(array, column, start, end)
    return not_finite
