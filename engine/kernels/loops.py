"""The loops over bodies: one tick or many with held wrenches, and one stage of a tick with wrenches evaluated anew at each.

Both run the same scalar function of a method, `advance(stage, gyroscopic, dt, start, wrenches, body) -> BodyState`: the state at which
the method wants wrench number `stage`, given the wrenches before it; `stage` equal to the number of evaluations is the end of the
tick. `offsets` says when the method wants each wrench, in ticks after the start of the tick. `advance`, `offsets`, `stage`, `gyroscopic`
and the row pitch are closed over, so each loop is compiled for them and what a stage does not need drops out (passed at run time, every
stage costs a full step). Recomputing the stages before costs little: measured at 1000 bodies in angular momentum, the five calls of a
Runge-Kutta tick together take 3.4 times the one held call, no more than the force evaluations between them.

Stages follow one another by recursion: a function for one stage calls the function made for the rest, so a method may have any number.

A loop that takes whole ticks counts each of them in `control` as the last act of that tick, and undoes one after which some body is not
finite (see `columns.close_tick`): after every call the world stands at the whole tick that is counted.

No loop raises: that would stop it from vectorising. A loop given an array of another pitch does nothing and returns -1, which `accepted`
turns into an error.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from .columns import (
    Array,
    Integers,
    close_tick,
    is_other_pitch,
    load_body,
    load_body_at_stage,
    load_start,
    load_wrench,
    store_state,
    store_tick,
    store_wrench,
)
from .compiler import inlined, kernel, use_widest_vectors
from .fields import FieldKind, kind_names, summed
from .layout import BAD, COUNT, POSITION, STAGE_WRENCH, TICKS, WRENCH_ROWS
from .points import add_forces
from .rigid_body import BodyModel, BodyState, BodyWrench, Wrenches

Advance = Callable[..., Any]
Offsets = tuple[float, ...]


def accepted(result: int) -> int:
    """What a loop returned; raises `RuntimeError` where the loop was given arrays that it was not compiled for, and did nothing."""
    if result < 0:
        raise RuntimeError("a compiled loop was given an array of another pitch than its own; nothing was changed")
    return result


@cache
def held_ticks(
    advance: Advance,
    offsets: Offsets,
    stores: bool,
    gyroscopic: bool,
    pitch: int,
    kinds: tuple[FieldKind, ...] = (),
) -> Callable[..., int]:
    """Make `loop(array, control, layers, dt, ticks) -> ticks completed`.

    The wrench rows are held: world parts fixed, body parts turning with the body. To them come the fields, one layer of each kind (see
    `fields.summed`; without any, what is passed as `layers` is not looked at), evaluated at each stage in the same pass.
    """
    take = _evaluated(advance, offsets, gyroscopic, kinds) if kinds else _held(advance, len(offsets), gyroscopic)
    load, close = load_start(stores), close_tick(stores)
    has_fields = bool(kinds)

    @kernel(f"held-{_name(advance, stores, gyroscopic, pitch)}{kind_names(kinds)}")
    def held(array: Array, control: Integers, layers: Any, dt: float, ticks: int) -> int:
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
                start, held_wrench = load(array, column)
                end = take(array, layers, column, time, dt, start, held_wrench, load_body(array, column))
                not_finite += store_tick(array, column, start, end)
            if not close(array, control, not_finite):
                return tick
        return ticks

    return held


@cache
def passes(advance: Advance, offsets: Offsets, stores: bool, gyroscopic: bool, pitch: int) -> Callable[..., int]:
    """Make `loop(array, control, stages, calls, layers, springs, point_forces, counts, dt, stage, ticks) -> ticks completed`.

    As `held_ticks`, with any forces that compiled code knows, each kind in a pass of its own: `calls` lists them (see
    `fields.add_forces`). Every body is brought to a stage before the forces there are summed, because springs want to see two of them.

    With `stage` below zero the loop takes whole ticks. Where forces have to be called in between, it is called for each stage of one tick
    in turn: up to the last it leaves the states at that stage and the wrench that is known there in `stages`; the one after the last ends
    the tick. With `pitch` zero the arrays may have any, and the loop takes one body at a time.
    """
    evaluations = len(offsets)
    to_any_stage = _to_any_stage(advance, evaluations, stores, gyroscopic)
    to_end, close = _to_end(advance, evaluations, stores, gyroscopic), close_tick(stores)

    @kernel(f"passes-{_name(advance, stores, gyroscopic, pitch)}")
    def loop(
        array: Array,
        control: Integers,
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
        count = control[COUNT]
        first, last = (0, evaluations) if stage < 0 else (stage, stage)
        for tick in range(ticks):
            time = float(control[TICKS]) * dt
            for each in range(first, min(last + 1, evaluations)):
                row = STAGE_WRENCH + WRENCH_ROWS * each
                to_any_stage(each, array, stages, count, dt)
                add_forces(
                    array, control, stages, row, calls, layers, springs, point_forces, counts, time + offsets[each] * dt
                )
            if last == evaluations and not close(array, control, to_end(array, stages, count, dt)):
                return tick
        return ticks

    return loop


def _name(advance: Advance, stores: bool, gyroscopic: bool, pitch: int) -> str:
    """The part that the method has in a loop's name."""
    return f"{advance.__name__}{'-stored' if stores else ''}-{'gyro' if gyroscopic else 'game'}-{pitch}"


# one body through its stages


@cache
def _held(advance: Advance, evaluations: int, gyroscopic: bool) -> Callable[..., Any]:
    """Make `take(array, layers, column, time, dt, start, held, body) -> BodyState`: the end of a tick with nothing but the held wrench."""
    repeated = _repeated(evaluations)

    @inlined
    def take(
        array: Array,
        layers: Any,
        column: int,
        time: float,
        dt: float,
        start: BodyState,
        held: BodyWrench,
        body: BodyModel,
    ) -> BodyState:
        return advance(evaluations, gyroscopic, dt, start, repeated(held), body)

    return take


@cache
def _evaluated(
    advance: Advance, offsets: Offsets, gyroscopic: bool, kinds: tuple[FieldKind, ...]
) -> Callable[..., Any]:
    """As `_held`, with fields evaluated at each stage."""
    from_first = _from_stage(0, advance, offsets, gyroscopic, summed(kinds))
    repeated = _repeated(len(offsets))

    @inlined
    def take(
        array: Array,
        layers: Array,
        column: int,
        time: float,
        dt: float,
        start: BodyState,
        held: BodyWrench,
        body: BodyModel,
    ) -> BodyState:
        return from_first(array, layers, column, time, dt, start, held, repeated(held), body)

    return take


def _from_stage(
    stage: int, advance: Advance, offsets: Offsets, gyroscopic: bool, add_fields: Callable[..., Any]
) -> Callable[..., Any]:
    """Make `go_on(array, layers, column, time, dt, start, held, wrenches, body) -> BodyState`: from one stage to the end of the tick.

    `wrenches` has one wrench for each evaluation of the tick; those from this stage on are not known yet and are not read.
    """
    evaluations = len(offsets)
    if stage == evaluations:

        @inlined
        def end(
            array: Array,
            layers: Array,
            column: int,
            time: float,
            dt: float,
            start: BodyState,
            held: BodyWrench,
            wrenches: Wrenches,
            body: BodyModel,
        ) -> BodyState:
            return advance(evaluations, gyroscopic, dt, start, wrenches, body)

        return end

    offset = offsets[stage]
    go_on_after = _from_stage(stage + 1, advance, offsets, gyroscopic, add_fields)
    repeated = _repeated(evaluations - stage)

    @inlined
    def go_on(
        array: Array,
        layers: Array,
        column: int,
        time: float,
        dt: float,
        start: BodyState,
        held: BodyWrench,
        wrenches: Wrenches,
        body: BodyModel,
    ) -> BodyState:
        state = advance(stage, gyroscopic, dt, start, wrenches, body)
        at_stage = load_body_at_stage(array, column, state)
        own = add_fields(layers, column, time + offset * dt, at_stage, held)
        known = (*wrenches[:stage], *repeated(own))
        return go_on_after(array, layers, column, time, dt, start, held, known, body)

    return go_on


@cache
def _repeated(count: int) -> Callable[[BodyWrench], Wrenches]:
    """Make `repeated(wrench) -> wrenches`, so many of the same."""
    if count == 0:
        return _no_wrenches
    repeat_rest = _repeated(count - 1)

    @inlined
    def repeated(wrench: BodyWrench) -> Wrenches:
        return (wrench, *repeat_rest(wrench))

    return repeated


@inlined
def _no_wrenches(wrench: BodyWrench) -> Any:
    return ()


# all bodies, stage by stage


@cache
def _to_any_stage(
    advance: Advance, evaluations: int, stores: bool, gyroscopic: bool, first: int = 0
) -> Callable[..., None]:
    """Make `to_any_stage(stage, array, stages, count, dt)`: choose among the stages from the first on."""
    to_first = _to_stage(advance, first, evaluations, stores, gyroscopic)
    if first == evaluations - 1:

        @inlined
        def to_the_last(stage: int, array: Array, stages: Array, count: int, dt: float) -> None:
            to_first(array, stages, count, dt)

        return to_the_last

    to_others = _to_any_stage(advance, evaluations, stores, gyroscopic, first + 1)

    @inlined
    def to_any_stage(stage: int, array: Array, stages: Array, count: int, dt: float) -> None:
        if stage == first:
            to_first(array, stages, count, dt)
        else:
            to_others(stage, array, stages, count, dt)

    return to_any_stage


@cache
def _to_stage(advance: Advance, stage: int, evaluations: int, stores: bool, gyroscopic: bool) -> Callable[..., None]:
    """Make `to_stage(array, stages, count, dt)`: all bodies to one stage; its wrench is begun with the held one."""
    load, load_wrenches = load_start(stores), _wrenches_before(stage, evaluations)

    @inlined
    def to_stage(array: Array, stages: Array, count: int, dt: float) -> None:
        for column in range(count):
            start, held = load(array, column)
            wrenches = load_wrenches(stages, column, held)
            state = advance(stage, gyroscopic, dt, start, wrenches, load_body(array, column))
            store_state(stages, POSITION, column, state)
            store_wrench(stages, STAGE_WRENCH + WRENCH_ROWS * stage, column, held)

    return to_stage


@cache
def _to_end(advance: Advance, evaluations: int, stores: bool, gyroscopic: bool) -> Callable[..., int]:
    """Make `to_end(array, stages, count, dt) -> bodies that are not finite`: all bodies to the end of the tick."""
    load, load_wrenches = load_start(stores), _wrenches_before(evaluations, evaluations)

    @inlined
    def to_end(array: Array, stages: Array, count: int, dt: float) -> int:
        not_finite = 0
        for column in range(count):
            start, held = load(array, column)
            wrenches = load_wrenches(stages, column, held)
            end = advance(evaluations, gyroscopic, dt, start, wrenches, load_body(array, column))
            not_finite += store_tick(array, column, start, end)
        return not_finite

    return to_end


@cache
def _wrenches_before(stage: int, evaluations: int, first: int = 0) -> Callable[..., Wrenches]:
    """Make `load(stages, column, held) -> wrenches` of all evaluations: known ones before this stage, then the held one, never read."""
    if first == evaluations:
        return _no_wrenches_before
    load_rest = _wrenches_before(stage, evaluations, first + 1)
    is_known, row = first < stage, STAGE_WRENCH + WRENCH_ROWS * first

    @inlined
    def load(stages: Array, column: int, held: BodyWrench) -> Wrenches:
        wrench = load_wrench(stages, row, column, held.motor_torque) if is_known else held
        return (wrench, *load_rest(stages, column, held))

    return load


@inlined
def _no_wrenches_before(stages: Array, column: int, held: BodyWrench) -> Any:
    return ()
