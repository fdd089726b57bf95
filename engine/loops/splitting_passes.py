"""The loop in passes of the splitting methods, for forces that need the states of several bodies at the same time.

Each operation (kick, drift, evaluation) is a pass over all bodies. If all forces are compiled, one call of the loop runs whole ticks. If
Python forces are called, the loop is called once per evaluation, and makes the passes between two evaluations.
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from ..compilation.compiler import from_column, inlined, kernel, use_widest_vectors
from ..compilation.packed import Packed, unpack
from ..kernels.rigid_body import BodyState
from .columns import (
    Array,
    Integers,
    Numbers,
    Runs,
    close_tick,
    is_other_pitch,
    load_body,
    load_start,
    load_state,
    load_stored,
    load_vector,
    load_wrench,
    one_run,
    store_state,
    store_stored,
    store_tick,
    store_vector,
    store_wrench,
)
from .floating_point import is_other_mode
from .kick_drift import Turn, add_difference, differences, drift_all, kick, no_difference, turn_name
from .layout import (
    ANGULAR_VELOCITY,
    BAD,
    COUNT,
    MOTOR_TORQUE,
    OTHER_MODE,
    POSITION,
    STAGE_WRENCH,
    TICKS,
    VELOCITY,
    WRENCH,
    WRENCH_ROWS,
)
from .point_forces import ForceTables
from .runs import Members, add_forces_to, block_count, over_blocks, runs_of

# Blocks of the stage array after the state: the wrench of the current evaluation, the first wrench of a kick, the weighted sum of
# differences from it, and the state at the start of the kick (velocity, body rates and stored momentum).
_FIRST = STAGE_WRENCH + WRENCH_ROWS
_DIFFERENCE = STAGE_WRENCH + 2 * WRENCH_ROWS
_BEFORE = STAGE_WRENCH + 3 * WRENCH_ROWS
_STORED = _BEFORE + 6
STAGE_BLOCKS = 4


# Columns of a program. A program has one row per evaluation of the forces in a tick, and one row for the end of the tick. Each row
# describes the operations before its evaluation:
#   KIND    the kind of kick, one of the constants below; the kick uses the wrench of the previous evaluation
#   WEIGHT  the weight of that wrench in the average wrench
#   PART    the fraction of the kick that is applied
#   KICK    the length of the whole kick, in ticks
#   DRIFT   the length of the drift after the kick, in ticks
#   OFFSET  the time of the evaluation, in ticks after the start of the tick
KIND, WEIGHT, PART, KICK, DRIFT, OFFSET = range(6)
START, ONLY, FIRST, TRIAL, LAST = range(5)
"""The kinds, which are the start of the tick without a kick, and kicks after a single, a first, a middle and a last evaluation."""


class Passes(NamedTuple):
    """The arguments of a loop in passes that stay the same."""

    array: Array
    control: Integers
    program: Array
    """What a tick does, one row per stage."""
    shares: Numbers
    """The fractions into which a drift is divided for bodies that store momentum."""
    stages: Array
    forces: ForceTables
    members: Members
    dt: float


@cache
def passes(turn: Turn, stores: bool, gyroscopic: bool, in_blocks: bool, pitch: int) -> Callable[..., int]:
    """Make `loop(packed, stage, ticks) -> ticks completed`.

    It is described in `one_step.passes`. Each stage is a row of the program.
    """
    over, add = over_blocks(in_blocks), add_forces_to(in_blocks)
    start_all, end_all, close = over(stores, _start_all), over(stores, _end_all), close_tick(stores)
    kick_closing, kick_opening, kick_between = (
        over(stores, _kick_all(opens, closes)) for opens, closes in ((True, True), (True, False), (False, False))
    )
    drift_states = drift_all(turn, stores, gyroscopic, _STORED, over)

    @kernel(f"passes-{turn_name(turn, stores, gyroscopic, pitch)}{'-blocks' if in_blocks else ''}")
    def loop(packed: Packed[Passes], stage: int, ticks: int) -> int:
        use_widest_vectors()
        given = unpack(packed)
        array, control, program, stages, dt = given.array, given.control, given.program, given.stages, given.dt
        # reject arrays of another pitch
        if is_other_pitch(pitch, array, stages, given.forces.layers):
            return -1
        if is_other_mode(control):
            control[BAD] = OTHER_MODE
            return OTHER_MODE
        control[BAD] = -1
        count, members, evaluations = control[COUNT], given.members, program.shape[0] - 1
        apart = members.number if stage < 0 else 0  # Python forces see all bodies at a stage
        # all rows of the program, or one of them
        first, last = (0, evaluations) if stage < 0 else (stage, stage)
        for tick in range(ticks):
            not_finite = 0
            for block in range(block_count(apart, count) if in_blocks else 1):
                runs = runs_of(apart, count, block) if in_blocks else one_run(0, count)
                for each in range(first, last + 1):
                    # read the row of the program
                    kind, weight = int(program[each, KIND]), float(program[each, WEIGHT])
                    step = float(program[each, PART]) * (dt * float(program[each, KICK]))
                    drift_step = dt * float(program[each, DRIFT])
                    # kick with the wrench of the previous evaluation; the last of several evaluations first forms the average wrench
                    if kind == LAST:
                        _mean_all(stages, runs, weight)
                    if kind == START:
                        start_all(control, runs, (array, stages))
                    elif kind == ONLY or kind == LAST:
                        kick_closing(control, runs, (array, stages, step, weight))
                    elif kind == FIRST:
                        kick_opening(control, runs, (array, stages, step, weight))
                    else:
                        kick_between(control, runs, (array, stages, step, weight))
                    # drift
                    if drift_step != 0.0:
                        drift_states(control, runs, (array, stages, drift_step, given.shares))
                        _start_from_here(stages, runs)
                    # evaluate the forces, except after the last row
                    if each < evaluations:
                        clock, row = (float(control[TICKS]), dt, float(program[each, OFFSET]) * dt), STAGE_WRENCH
                        if add(runs, members, array, control, stages, row, given.forces, clock) < 0:
                            return -1
                # after the last row: store the states
                if last == evaluations:
                    not_finite += end_all(control, runs, (array, stages))
            # count the tick, or restore all bodies
            if last == evaluations and not close(array, control, not_finite):
                return tick
        return ticks

    return loop


@cache
def _start_all(stores: bool) -> Callable[..., int]:
    """Make a pass for `over_blocks`, which copies states to the stage array and sets the first wrench to the held wrench."""
    load = load_start(stores)

    @inlined
    def start_all(control: Integers, runs: Runs, arguments: tuple[Array, Array]) -> int:
        array, stages = from_column(arguments[0], runs.first), from_column(arguments[1], runs.first)
        for column in range(runs.length):
            state, held = load(array, column)
            store_state(stages, POSITION, column, state)
            _store_before(stages, column, state)
            store_wrench(stages, STAGE_WRENCH, column, held)
        return 0

    return start_all


@inlined
def _store_before(stages: Array, column: int, state: BodyState) -> None:
    """Store the rates and the stored momentum from which the next kick starts."""
    store_vector(stages, _BEFORE, column, state.velocity)
    store_vector(stages, _BEFORE + 3, column, state.angular_velocity)
    store_stored(stages, _STORED, column, state.stored_momentum)


@cache
def _kick_all(opens: bool, closes: bool) -> Callable[[bool], Callable[..., int]]:
    """Make a pass for `over_blocks`, which kicks bodies and sets the next wrench to the held wrench.

    Each kick starts from the rates before the whole kick. The first of several evaluations (`opens`) stores its wrench. Those in between
    add their weighted difference from the first wrench. The last (`closes`) is a plain kick with the average wrench formed by `_mean_all`,
    and so is a single evaluation, which both opens and closes. Only the closing kick changes the state from which the next kick starts: the
    stored momentum here, and the rates in the drift that follows. `opens` and `closes` are compile-time constants, because the loop would
    otherwise not vectorise.
    """

    @cache
    def make(stores: bool) -> Callable[..., int]:
        load = load_stored(stores)

        @inlined
        def kick_all(control: Integers, runs: Runs, arguments: tuple[Array, Array, float, float]) -> int:
            array, stages = from_column(arguments[0], runs.first), from_column(arguments[1], runs.first)
            step, weight = arguments[2], arguments[3]
            for column in range(runs.length):
                # pose at the stage, rates and stored momentum at the start of the kick, and the wrench of the evaluation
                pose = load_state(stages, POSITION, column, None)
                velocity, rates = load_vector(stages, _BEFORE, column), load_vector(stages, _BEFORE + 3, column)
                before = BodyState(pose.position, pose.orientation, velocity, rates, load(stages, _STORED, column))
                wrench = load_wrench(stages, STAGE_WRENCH, column, load(array, MOTOR_TORQUE, column))
                # collect the average wrench
                if opens and not closes:
                    store_wrench(stages, _FIRST, column, wrench)
                    store_wrench(stages, _DIFFERENCE, column, no_difference())
                if not opens and not closes:
                    opening = load_wrench(stages, _FIRST, column, None)
                    sums = load_wrench(stages, _DIFFERENCE, column, None)
                    store_wrench(stages, _DIFFERENCE, column, differences(sums, opening, wrench, weight))
                # kick; the next evaluation starts with the held wrench
                after = kick(step, before, wrench, load_body(array, column))
                store_vector(stages, VELOCITY, column, after.velocity)
                store_vector(stages, ANGULAR_VELOCITY, column, after.angular_velocity)
                if closes:
                    store_stored(stages, _STORED, column, after.stored_momentum)
                store_wrench(stages, STAGE_WRENCH, column, load_wrench(array, WRENCH, column, None))
            return 0

        return kick_all

    return make


@inlined
def _mean_all(all_stages: Array, runs: Runs, weight: float) -> None:
    # replace the wrench of the last evaluation by the average wrench
    for run in range(runs.number):
        stages = from_column(all_stages, run * runs.length)
        for column in range(runs.length):
            first = load_wrench(stages, _FIRST, column, None)
            own = load_wrench(stages, STAGE_WRENCH, column, None)
            difference = differences(load_wrench(stages, _DIFFERENCE, column, None), first, own, weight)
            store_wrench(stages, STAGE_WRENCH, column, add_difference(first, difference))


@inlined
def _start_from_here(all_stages: Array, runs: Runs) -> None:
    # the next kick starts from the rates after the drift
    for run in range(runs.number):
        stages = from_column(all_stages, run * runs.length)
        for column in range(runs.length):
            store_vector(stages, _BEFORE, column, load_vector(stages, VELOCITY, column))
            store_vector(stages, _BEFORE + 3, column, load_vector(stages, ANGULAR_VELOCITY, column))


@cache
def _end_all(stores: bool) -> Callable[..., int]:
    """Make a pass for `over_blocks`, which stores states at the end of the tick and returns the number of those that are not finite."""
    load_both, load = load_start(stores), load_stored(stores)

    @inlined
    def end_all(control: Integers, runs: Runs, arguments: tuple[Array, Array]) -> int:
        array, stages = from_column(arguments[0], runs.first), from_column(arguments[1], runs.first)
        not_finite = 0
        for column in range(runs.length):
            start, _held = load_both(array, column)
            end = load_state(stages, POSITION, column, load(stages, _STORED, column))
            not_finite += store_tick(array, column, start, end)
        return not_finite

    return end_all
