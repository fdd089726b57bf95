"""The loops over bodies of the one-step methods, which are the fused loop (`held_ticks`) and the loop in passes (`passes`).

The fused loop runs whole ticks in one pass over the bodies. The loop in passes makes one pass per stage.

Both call the same scalar function of a method, `advance(stage, gyroscopic, dt, start, wrenches, body) -> BodyState`. It returns the state
at which the method needs wrench number `stage`, given the earlier wrenches. If `stage` equals the number of evaluations, it returns the
state at the end of the tick. `offsets` has the time of each evaluation, in ticks after the start of the tick.

`advance`, `offsets`, `stage`, `gyroscopic` and the row pitch are constants in the closure of a loop. Each loop is compiled for them, and
code that a stage does not need is removed. If they were arguments, every stage would cost a full step. Each stage recomputes the earlier
stages, which costs little. Measured with 1000 bodies in angular momentum, the five calls of a Runge-Kutta tick together take 3.4 times as
long as the one call with held wrenches, no longer than the force evaluations between them.

The stages are chained by recursion: the function for one stage calls the function made for the remaining stages. A method may therefore
have any number of stages.

A loop that runs whole ticks counts each tick in `control` as the last operation of that tick. It restores a tick after which some body is
not finite (see `columns.close_tick`). After every call, the state of the world is that of the counted tick.

Loops do not raise, because they would then not vectorise. A loop that is given an array of another pitch does nothing and returns -1. On a
thread in another floating-point mode it does nothing and returns `layout.OTHER_MODE`. `accepted` converts both to errors.
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple, Protocol

from ..compilation.compiler import from_column, inlined, kernel, use_widest_vectors
from ..compilation.packed import Packed, unpack
from ..kernels.rigid_body import BodyModel, BodyState, BodyWrench, Wrenches
from .columns import (
    Array,
    Integers,
    Over,
    Runs,
    TakeTick,
    close_tick,
    fly_with,
    is_other_pitch,
    load_body,
    load_body_at_stage,
    load_start,
    load_wrench,
    one_run,
    over_columns,
    store_state,
    store_tick,
    store_wrench,
)
from .fields import AddFields, FieldKind, kind_names, summed
from .floating_point import is_other_mode, refuse_mode
from .layout import BAD, COUNT, OTHER_MODE, POSITION, STAGE_WRENCH, TICKS, WRENCH_ROWS
from .point_forces import ForceTables
from .runs import Members, add_forces_to, block_count, over_blocks, runs_of

Offsets = tuple[float, ...]
_AtStage = tuple[Array, Array, float]
"""Arguments of a pass to a stage: the array of the bodies, that of the stages, and dt."""


class Advance(Protocol):
    """The scalar function of a method; see above."""

    @property
    def __name__(self) -> str: ...

    def __hash__(self) -> int: ...

    def __call__(
        self, stage: int, gyroscopic: bool, dt: float, start: BodyState, wrenches: Wrenches, body: BodyModel
    ) -> BodyState: ...


class _GoOn(Protocol):
    """Runs one body from a stage to the end of the tick."""

    def __call__(
        self,
        array: Array,
        layers: Array,
        column: int,
        ticks: float,
        dt: float,
        start: BodyState,
        held: BodyWrench,
        wrenches: Wrenches,
        body: BodyModel,
    ) -> BodyState: ...


def accepted(result: int) -> int:
    """Return the result of a loop.

    Raises:
        RuntimeError: The loop did nothing, because it was compiled for arrays of another pitch, or because the floating-point mode of this
            thread has been changed.
    """
    if result == OTHER_MODE:
        refuse_mode()
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
    """Make the fused loop of a method, `loop(array, control, layers, dt, ticks) -> ticks completed`.

    The wrench rows are held over the tick. Their world parts are constant in the world frame, and their body parts rotate with the body. At
    each stage, the same pass adds the fields, one layer of each kind (see `fields.summed`). If there are no fields, `layers` is not used.
    """
    take = _evaluated(advance, offsets, gyroscopic, kinds) if kinds else _held(advance, len(offsets), gyroscopic)
    has_fields = bool(kinds)
    fly, close = over_columns(stores, fly_with(take, has_fields)), close_tick(stores)

    @kernel(f"held-{_name(advance, stores, gyroscopic, pitch)}{kind_names(kinds)}")
    def held(array: Array, control: Integers, layers: Array, dt: float, ticks: int) -> int:
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
            # one pass over the bodies: each body goes through all stages of the tick
            not_finite = fly(control, columns, (array, layers, float(control[TICKS]), dt))
            # count the tick, or restore all bodies if one is not finite
            if not close(array, control, not_finite):
                return tick
        return ticks

    return held


class Passes(NamedTuple):
    """The arguments of a loop in passes that stay the same."""

    array: Array
    control: Integers
    stages: Array
    """The states at the evaluations of a tick, and the wrenches there."""
    forces: ForceTables
    members: Members
    dt: float


@cache
def passes(
    advance: Advance, offsets: Offsets, stores: bool, gyroscopic: bool, in_blocks: bool, pitch: int
) -> Callable[..., int]:
    """Make `loop(packed, stage, ticks) -> ticks completed`.

    This is the loop in passes of a method. It supports all compiled forces, with one pass per kind of field. All bodies are advanced to a
    stage before the forces at that stage are summed, because a spring needs the states of two bodies. In a batch (`in_blocks`), all bodies
    of a block of members are.

    If `stage` is negative, the loop runs whole ticks. If Python forces are called between the stages, the loop is called once for each
    stage of a tick. For a stage with an evaluation, it writes the states at that stage and the wrench of the compiled forces to `stages`.
    The call after the last evaluation ends the tick. If `pitch` is zero, the arrays may have any pitch, and the loop processes one body at
    a time.
    """
    evaluations = len(offsets)
    over, add = over_blocks(in_blocks), add_forces_to(in_blocks)
    to_any_stage = _to_any_stage(advance, evaluations, stores, gyroscopic, over)
    to_end, close = over(stores, _to_end(advance, evaluations, gyroscopic)), close_tick(stores)

    @kernel(f"passes-{_name(advance, stores, gyroscopic, pitch)}{'-blocks' if in_blocks else ''}")
    def loop(packed: Packed[Passes], stage: int, ticks: int) -> int:
        use_widest_vectors()
        given = unpack(packed)
        array, control, stages, dt = given.array, given.control, given.stages, given.dt
        # reject arrays of another pitch
        if is_other_pitch(pitch, array, stages, given.forces.layers):
            return -1
        if is_other_mode(control):
            control[BAD] = OTHER_MODE
            return OTHER_MODE
        control[BAD] = -1
        count, members = control[COUNT], given.members
        apart = members.number if stage < 0 else 0  # Python forces see all bodies at a stage
        # all stages of a tick, or one of them
        first, last = (0, evaluations) if stage < 0 else (stage, stage)
        for tick in range(ticks):
            not_finite = 0
            for block in range(block_count(apart, count) if in_blocks else 1):
                runs = runs_of(apart, count, block) if in_blocks else one_run(0, count)
                # for each evaluation: advance all bodies to its stage, then add the compiled forces there
                for each in range(first, min(last + 1, evaluations)):
                    row = STAGE_WRENCH + WRENCH_ROWS * each
                    to_any_stage(each, control, runs, (array, stages, dt))
                    at = (float(control[TICKS]), dt, offsets[each] * dt)
                    if add(runs, members, array, control, stages, row, given.forces, at) < 0:
                        return -1
                # after the last evaluation: advance all bodies to the end of the tick
                if last == evaluations:
                    not_finite += to_end(control, runs, (array, stages, dt))
            # count the tick, or restore all bodies
            if last == evaluations and not close(array, control, not_finite):
                return tick
        return ticks

    return loop


def _name(advance: Advance, stores: bool, gyroscopic: bool, pitch: int) -> str:
    """The part of a loop's name that describes the method."""
    return f"{advance.__name__}{'-stored' if stores else ''}-{'gyro' if gyroscopic else 'game'}-{pitch}"


# fused loop: one body through all stages


@cache
def _held(advance: Advance, evaluations: int, gyroscopic: bool) -> TakeTick:
    """Make `take(array, layers, column, ticks, dt, start, held, body) -> BodyState`, which runs a tick with only the held wrench."""
    repeated = _repeated(evaluations)

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
        return advance(evaluations, gyroscopic, dt, start, repeated(held), body)

    return take


@cache
def _evaluated(advance: Advance, offsets: Offsets, gyroscopic: bool, kinds: tuple[FieldKind, ...]) -> TakeTick:
    """Make the same function as `_held`, with fields evaluated at each stage."""
    from_first = _from_stage(0, advance, offsets, gyroscopic, summed(kinds))
    repeated = _repeated(len(offsets))

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
        return from_first(array, layers, column, ticks, dt, start, held, repeated(held), body)

    return take


def _from_stage(stage: int, advance: Advance, offsets: Offsets, gyroscopic: bool, add_fields: AddFields) -> _GoOn:
    """Make `go_on(array, layers, column, ticks, dt, start, held, wrenches, body) -> BodyState`, from one stage to the end of the tick.

    `wrenches` has one wrench per evaluation of the tick. Those from this stage on are placeholders and are not read.
    """
    evaluations = len(offsets)
    if stage == evaluations:

        @inlined
        def end(
            array: Array,
            layers: Array,
            column: int,
            ticks: float,
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
        ticks: float,
        dt: float,
        start: BodyState,
        held: BodyWrench,
        wrenches: Wrenches,
        body: BodyModel,
    ) -> BodyState:
        # state at this stage, and its wrench: the held wrench plus the fields
        state = advance(stage, gyroscopic, dt, start, wrenches, body)
        at_stage = load_body_at_stage(array, column, state)
        own = add_fields(layers, column, (ticks, dt, offset * dt), at_stage, held)
        # the new wrench also fills the places of the later ones, so that the tuple keeps its length
        known = (*wrenches[:stage], *repeated(own))
        return go_on_after(array, layers, column, ticks, dt, start, held, known, body)

    return go_on


@cache
def _repeated(count: int) -> Callable[[BodyWrench], Wrenches]:
    """Make `repeated(wrench) -> wrenches`, a tuple with `count` copies of a wrench."""
    if count == 0:
        return _no_wrenches
    repeat_rest = _repeated(count - 1)

    @inlined
    def repeated(wrench: BodyWrench) -> Wrenches:
        return (wrench, *repeat_rest(wrench))

    return repeated


@inlined
def _no_wrenches(wrench: BodyWrench) -> Wrenches:
    return ()


# loop in passes: all bodies, one stage after another


@cache
def _to_any_stage(
    advance: Advance, evaluations: int, stores: bool, gyroscopic: bool, over: Over, first: int = 0
) -> Callable[..., None]:
    """Make `to_any_stage(stage, control, runs, arguments)`, which selects the pass to a stage, from stage `first` on."""
    to_first = over(stores, _to_stage(advance, first, evaluations, gyroscopic))
    if first == evaluations - 1:

        @inlined
        def to_the_last(stage: int, control: Integers, runs: Runs, arguments: _AtStage) -> None:
            to_first(control, runs, arguments)

        return to_the_last

    to_others = _to_any_stage(advance, evaluations, stores, gyroscopic, over, first + 1)

    @inlined
    def to_any_stage(stage: int, control: Integers, runs: Runs, arguments: _AtStage) -> None:
        if stage == first:
            to_first(control, runs, arguments)
        else:
            to_others(stage, control, runs, arguments)

    return to_any_stage


@cache
def _to_stage(advance: Advance, stage: int, evaluations: int, gyroscopic: bool) -> Callable[[bool], Callable[..., int]]:
    """Make a pass for `over_blocks`, which advances bodies to one stage and sets the wrench there to the held wrench."""
    load_wrenches = _wrenches_before(stage, evaluations)

    @cache
    def make(stores: bool) -> Callable[..., int]:
        load = load_start(stores)

        @inlined
        def to_stage(control: Integers, runs: Runs, arguments: _AtStage) -> int:
            array, stages, dt = (
                from_column(arguments[0], runs.first),
                from_column(arguments[1], runs.first),
                arguments[2],
            )
            for column in range(runs.length):
                start, held = load(array, column)
                wrenches = load_wrenches(stages, column, held)
                state = advance(stage, gyroscopic, dt, start, wrenches, load_body(array, column))
                store_state(stages, POSITION, column, state)
                store_wrench(stages, STAGE_WRENCH + WRENCH_ROWS * stage, column, held)
            return 0

        return to_stage

    return make


@cache
def _to_end(advance: Advance, evaluations: int, gyroscopic: bool) -> Callable[[bool], Callable[..., int]]:
    """Make a pass for `over_blocks`, which ends the tick of bodies and returns the number of those that are not finite."""
    load_wrenches = _wrenches_before(evaluations, evaluations)

    @cache
    def make(stores: bool) -> Callable[..., int]:
        load = load_start(stores)

        @inlined
        def to_end(control: Integers, runs: Runs, arguments: _AtStage) -> int:
            array, stages, dt = (
                from_column(arguments[0], runs.first),
                from_column(arguments[1], runs.first),
                arguments[2],
            )
            not_finite = 0
            for column in range(runs.length):
                start, held = load(array, column)
                wrenches = load_wrenches(stages, column, held)
                end = advance(evaluations, gyroscopic, dt, start, wrenches, load_body(array, column))
                not_finite += store_tick(array, column, start, end)
            return not_finite

        return to_end

    return make


@cache
def _wrenches_before(stage: int, evaluations: int, first: int = 0) -> Callable[..., Wrenches]:
    """Make `load(stages, column, held) -> wrenches`, with the wrenches before this stage; the held wrench is a placeholder for the rest."""
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
def _no_wrenches_before(stages: Array, column: int, held: BodyWrench) -> Wrenches:
    return ()
