"""The step of islands: half a kick, impulses and drift, half a kick, impulses; and the operation of a tick that takes it."""

from collections.abc import Callable
from functools import cache
from math import sqrt
from typing import NamedTuple

from ..compilation.compiler import (
    COMPILED,
    assume_separate_rows,
    call,
    from_column,
    inlined,
    kernel,
    use_widest_vectors,
)
from ..compilation.packed import Packed, unpack
from ..kernels.quaternions import rotate
from ..kernels.rigid_body import BodyState
from ..kernels.vectors import Vector, add, add_scaled, cross, dot, subtract
from ..loops.columns import (
    Array,
    Integers,
    Numbers,
    is_finite,
    load_body,
    load_principal,
    load_quaternion,
    load_state,
    load_vector,
    load_wrench,
    store_state,
    store_stored,
    store_vector,
    store_wrench,
)
from ..loops.fields import Clock
from ..loops.floating_point import is_other_mode
from ..loops.gather import THRUSTERS, WHEELS
from ..loops.kick_drift import Turn, drift, kick
from ..loops.layout import (
    ANGULAR_VELOCITY,
    BAD,
    CENTER_OF_MASS,
    COUNT,
    INERTIA,
    INVERSE_MASS,
    MASS,
    MOTOR_TORQUE,
    ORIENTATION,
    OTHER_MODE,
    POSITION,
    PREVIOUS,
    PREVIOUS_STORED_MOMENTUM,
    SKIPPED,
    STAGE_WRENCH,
    STATE_ROWS,
    STORED_MOMENTUM,
    TICKS,
    VELOCITY,
    WRENCH,
    WRENCH_ROWS,
)
from ..loops.point_forces import ForceTables, add_forces
from . import layout
from .arguments import Actuators, Forces, Move, Outside, Passes, Step, Tables
from .calls import (
    BOUNDED_CALL,
    DIVISION_CALL,
    END_KICKS_CALL,
    FINISH_CALL,
    FOLLOW_CALL,
    JOINT_ROWS_CALL,
    KICK_CALL,
    MOVE_CALL,
    POINT_POSITION_CALL,
    POINT_VELOCITY_CALL,
    POSITION_CALL,
    PREPARE_CALL,
    STAGES_CALL,
    VELOCITY_CALL,
)
from .graph import HARD_ISLANDS, HARD_LINKS, ISLANDS, LINK_COUNT, PLACES, POINT_COUNT, SPRING_COUNT
from .joint_types import load, store
from .late import is_late, late_end, late_start
from .layout import (
    ARM,
    BASE,
    BODIES,
    BODIES_END,
    CAPTURED_ENERGY,
    CONTACTS,
    CONTACTS_END,
    COORDINATE,
    COUNTED,
    DIVISION,
    DRIFT_VELOCITY,
    ELAPSED,
    END,
    FIRST_ROW,
    FITTING_FIRST,
    FITTING_LAST,
    FORCE,
    GIVEN,
    GIVEN_BEFORE,
    HARD_ROWS,
    HARD_STATE,
    HAS_FOLLOWERS,
    HAS_LIMITS_ONLY,
    HAS_LOOP,
    HEAVIEST,
    IN_PARTS,
    IS_ANCHORED,
    IS_HARD,
    IS_NEW,
    IS_SETTLED,
    JOINT,
    JOINT_ROWS,
    KICK_TIME,
    KICKED,
    LAST_ROW,
    LEAST_STEPS,
    LIMITS,
    LIMITS_ACT,
    LIMITS_AWAY,
    LIMITS_PASSED,
    LINKS,
    LINKS_END,
    MADE_AT,
    MADE_BASE,
    MADE_FOR,
    MADE_WITH,
    MODEL_FIRST,
    MODEL_LAST,
    MOST_FREEDOMS,
    OTHER_ARM,
    PIECE,
    POSITION_FORCES,
    SIZE,
    SLIDER,
    SOLUTION,
    SPAN,
    START,
    STATE_FIRST,
    STATE_LAST,
    STEP_LENGTH,
    STEPS,
    SUM,
    TAKEN,
    TOLERANCE,
    TOTAL,
    TOTAL_BEFORE,
    TURNS_FAST,
    TYPE,
    VELOCITY_FORCES,
    WELD,
)
from .limits import are_limits_away, is_limit_passed
from .points import MOST_TURN_IN_CONTACT, find_point_rows, swing_gain, turn_in_contact
from .solver import correct_equalities, make_factor
from .stages import given

MOST_SWING, MOST_STEPS = 2.0, 32
"""An island divides a step in which a body would swing by more than this times 1/√2 [rad], and in how many steps at most."""
LEAST_SWING = 0.5
"""It goes back to half as many steps once the force is below this share of the one from which on it takes more. Each change shifts the
energy that the steps keep, and one that comes and goes with the swing of the bodies makes that grow."""
MOST_TURN, LEAST_CARRYING = 0.7, 1e-3
"""A warning is given if a body turns by more than the first [rad] in a step relative to one that turns by more than the second across that
axis. At the first, the attitude of a hull was off by 3e-3 rad in 5 s with "free-rotor-2", by 3e-5 rad with "free-rotor-4"."""
MOST_HALVINGS = 12
"""Halvings of the drift before a tick is given up."""
PATIENT_HALVINGS = 2
"""Halvings from which on a position stage that failed is tried again patiently."""
TOLERANCE_OF_SIZE = 4e-12
"""Position error at which the rounds stop, as a share of the size of the island, which is its largest coordinate or lever, or of
the sum of its levers if that is less. The travel along a slider makes no lever longer."""
LEAST_TOLERANCE = 1e-14
"""The least share of the size."""
SLACKS = 2.0
"""The same for loops, as a share of the misfit of the joints of a loop when the last one of them was added."""
SPACINGS_OF_A_LOOP = 2.2e-16
"""The same for loops through the world, as a share of the largest coordinate: from one to two times its spacing."""

_KEPT = STAGE_WRENCH + WRENCH_ROWS
"""Velocity, angular velocity and stored momentum before the second kick, in `stages`."""
END_KICKS = _KEPT + 9
"""Change of velocity and angular velocity by actuators in the second kick, in `stages`, and whether it depends on the rates."""
STAGE_ROWS = END_KICKS + 7


@cache
def island_drift(turn: Turn, gyroscopic: bool) -> Callable[..., int]:
    """Make the drift of the bodies of an island, after the summed impulses, from the start block of the work array to its end block.

    `source` and `target` are both the work array. Compiled code rounds their number up to a multiple of eight, for whole vectors; the end
    block of the places beyond belongs to later islands, which overwrite it before they use it, or to none.
    """

    @kernel(f"island-drift-{turn.__name__}-{'gyro' if gyroscopic else 'game'}")
    def drift_island(own: Array, source: Array, target: Array, first: int, last: int, step: float) -> int:
        use_widest_vectors()
        assume_separate_rows()
        count = last - first
        if COMPILED:
            count = min((count + 7) & ~7, source.shape[1] - first)
        bodies, source, target = from_column(own, first), from_column(source, first), from_column(target, first)
        for place in range(count):
            start = load_state(source, START, place, load_vector(bodies, STORED_MOMENTUM, place))
            velocity, rates = given(bodies, source, place)
            moments, axes = load_principal(bodies, place)
            state = BodyState(start.position, start.orientation, velocity, rates, start.stored_momentum)
            store_state(target, END, place, drift(turn, gyroscopic, step, state, moments, axes))
        return 0

    return drift_island


EVALUATED, KNOWN = 2, 1
"""Whether `island_kick` only evaluates forces, or takes them as they are."""


@inlined
def has_forces(force_calls: Integers, counts: Integers) -> bool:
    """Whether any force is evaluated in a step: a field, a spring or a force at a point."""
    return bool(force_calls.shape[0] > 1 or counts[0] + counts[1] > 0)


@kernel("island-kick")
def island_kick(
    forces: Packed[Forces], first: int, last: int, ticks: float, dt: float, passed: float, step: float, is_known: int
) -> int:
    """Kick the bodies in a range of places by held wrenches, fields and springs.

    These are evaluated in `stages` for these places, which are all of islands on springs, unless they are known from a call before
    (`is_known` is `KNOWN`). The bodies are not kicked if `is_known` is `EVALUATED`. Held wrenches alone are not copied for that.
    The time is that of a `Clock`.
    """
    acting = unpack(forces)
    tables, counts = unpack(acting.common), acting.counts
    own, stages = tables.own, tables.stages
    evaluates = has_forces(acting.calls, counts)
    if evaluates and is_known != KNOWN:
        # springs and forces at points name places, which count from the first one of all
        begin = 0 if counts[0] + counts[1] > 0 else first
        for place in range(begin, last):
            store_wrench(stages, STAGE_WRENCH, place, load_wrench(own, WRENCH, place, None))
        # the wrenches of places beyond, up to a whole vector, are written before they are read
        count = last - begin
        acting.control[COUNT] = count if count <= 2 else min((count + 7) & ~7, own.shape[1] - begin)
        ours = (from_column(own, begin), acting.control, from_column(stages, begin))
        layers = from_column(acting.layers, begin)
        wanted = ForceTables(acting.calls, layers, acting.springs, acting.point_forces, counts)
        if add_forces(*ours, STAGE_WRENCH, wanted, (ticks, dt, passed)) < 0:
            return -1
    for place in range(first, last if is_known != EVALUATED else first):
        motor_torque = load_vector(own, MOTOR_TORQUE, place)
        if evaluates:
            wrench = load_wrench(stages, STAGE_WRENCH, place, motor_torque)
        else:
            wrench = load_wrench(own, WRENCH, place, motor_torque)
        before = load_state(own, POSITION, place, load_vector(own, STORED_MOMENTUM, place))
        after = kick(step, before, wrench, load_body(own, place))
        store_vector(own, VELOCITY, place, after.velocity)
        store_vector(own, ANGULAR_VELOCITY, place, after.angular_velocity)
        store_stored(own, STORED_MOMENTUM, place, after.stored_momentum)
    return 0


@kernel("island-stages")
def island_stages(common: Packed[Tables], first: int, last: int, each: int) -> int:
    """Let forces be evaluated at the states of the bodies; keep the velocities before the second kick, and restore them for further tries.

    `each` is the number of the try, or -1 in the first kick.
    """
    tables = unpack(common)
    own, stages = tables.own, tables.stages
    for place in range(first, last):
        state = load_state(own, POSITION, place, None)
        store_state(stages, POSITION, place, state)
        stored = load_vector(own, STORED_MOMENTUM, place)
        if each == 0:
            store_vector(stages, _KEPT, place, state.velocity)
            store_vector(stages, _KEPT + 3, place, state.angular_velocity)
            store_vector(stages, _KEPT + 6, place, stored)
        elif each > 0:
            store_vector(own, VELOCITY, place, load_vector(stages, _KEPT, place))
            store_vector(own, ANGULAR_VELOCITY, place, load_vector(stages, _KEPT + 3, place))
            store_vector(own, STORED_MOMENTUM, place, load_vector(stages, _KEPT + 6, place))
    return 0


@inlined
def _keep_totals(joints: Array, links: Integers, rows: Array, first: int, last: int, step: float) -> None:
    """Keep the mean force over a step in several pieces, for a next step in one; the kicks act in the first and the last piece only."""
    for link in range(first, last):
        first_row = links[link, FIRST_ROW]
        for row in range(first_row, links[link, LAST_ROW]):
            force = 0.5 * float(rows[row, TOTAL]) / step
            joints[POSITION_FORCES + row - first_row, link] = force
            joints[VELOCITY_FORCES + row - first_row, link] = force


@inlined
def _keep_given(
    points: Array, rows: Array, first: int, last: int, first_row: int, last_row: int, is_retry: int
) -> None:
    """Keep what the joints have given before the second kick, or restore it if that is tried again."""
    for link in range(first, last):
        for entry in range(7):
            if is_retry == 1:
                points[link, GIVEN + entry] = points[link, GIVEN_BEFORE + entry]
            else:
                points[link, GIVEN_BEFORE + entry] = points[link, GIVEN + entry]
    for row in range(first_row, last_row):
        if is_retry == 1:
            rows[row, TOTAL] = rows[row, TOTAL_BEFORE]
        else:
            rows[row, TOTAL_BEFORE] = rows[row, TOTAL]


@inlined
def _is_made(tables: Tables, island: int, pose: int) -> bool:
    """Whether the directions and the factor of a hard island were computed last from exactly these numbers."""
    islands = tables.islands
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    same = islands[island, IS_NEW] == 0
    for entry in range(3):
        same = same and tables.measures[island, MADE_BASE + entry] == tables.measures[island, BASE + entry]
    for place in range(first, last):
        for entry in range(7):
            same = same and tables.work[MADE_AT + entry, place] == tables.work[pose + entry, place]
        if not same:
            return False
    for link in range(first_link, last_link):
        for entry in range(MOST_FREEDOMS):
            same = same and tables.points[link, COUNTED + entry] == tables.joints[COORDINATE + entry, link]
    if islands[island, IS_SETTLED] == 0:
        for row in range(MODEL_FIRST, MODEL_LAST):
            for place in range(first, last):
                same = same and tables.work[MADE_WITH + row - MODEL_FIRST, place] == tables.own[row, place]
        for link in range(first_link, last_link):
            for row in range(FITTING_FIRST, FITTING_LAST):
                same = same and tables.points[link, MADE_FOR + row - FITTING_FIRST] == tables.joints[row, link]
        islands[island, IS_SETTLED] = int(same)
    return same


@inlined
def _keep_made(tables: Tables, island: int, pose: int) -> None:
    """Keep the numbers from which the directions and the factor of a hard island have been computed."""
    islands = tables.islands
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    for entry in range(3):
        tables.measures[island, MADE_BASE + entry] = tables.measures[island, BASE + entry]
    if islands[island, IS_SETTLED] == 0:
        for row in range(MODEL_FIRST, MODEL_LAST):
            for place in range(first, last):
                tables.work[MADE_WITH + row - MODEL_FIRST, place] = tables.own[row, place]
        for link in range(first_link, last_link):
            for row in range(FITTING_FIRST, FITTING_LAST):
                tables.points[link, MADE_FOR + row - FITTING_FIRST] = tables.joints[row, link]
    for link in range(first_link, last_link):
        for entry in range(MOST_FREEDOMS):
            tables.points[link, COUNTED + entry] = tables.joints[COORDINATE + entry, link]
    for entry in range(7):
        for place in range(first, last):
            tables.work[MADE_AT + entry, place] = tables.work[pose + entry, place]
    islands[island, IS_SETTLED], islands[island, IS_NEW] = 1, 0


@inlined
def has_contacts(islands: Integers, island: int) -> bool:
    """Whether bodies of an island touch, or may in this tick."""
    return bool(islands[island, CONTACTS] < islands[island, CONTACTS_END])


@kernel("island-prepare")
def island_prepare(common: Packed[Tables], island: int, pose: int) -> int:
    """Directions at a pose, and the factor of the matrix there unless it depends on bounds.

    A tick starts at the pose at which the last one ended. If neither that nor anything else has changed, both are kept.
    """
    tables = unpack(common)
    islands, calls = tables.islands, tables.calls
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    is_hard = islands[island, IS_HARD] == 1
    if is_hard and _is_made(tables, island, pose):
        return 0
    islands[island, IS_NEW] = 1  # if this is interrupted, nothing is kept
    if first_link < last_link:
        _ = call(calls[JOINT_ROWS_CALL], (common, island, first_link, last_link, pose, 1))
    if islands[island, HAS_FOLLOWERS] == 1:
        _ = call(calls[FOLLOW_CALL], (common, island, pose))
    if has_contacts(islands, island):
        contacts = (islands[island, CONTACTS], islands[island, CONTACTS_END])
        find_point_rows(tables, island, *contacts, pose, 1)
    if is_hard:
        make_factor(tables, island)
        _keep_made(tables, island, pose)
    return 0


@inlined
def _largest(vector: Vector) -> float:
    return max(abs(vector[0]), abs(vector[1]), abs(vector[2]))


@inlined
def _anchor(own: Array, joints: Array, at: int, place: int, joint: int) -> Vector:
    """From the mass centre to the anchor of a joint, body frame."""
    return subtract(load_vector(joints, at, joint), load_vector(own, CENTER_OF_MASS, place))


@inlined
def _start_again(work: Array, first: int, last: int) -> None:
    for place in range(first, last):
        for entry in range(STATE_ROWS):
            work[END + entry, place] = work[START + entry, place]


@inlined
def _solve_once_more(common: Packed[Tables], island: int, step: float) -> None:
    """Leave in the rows what no impulses remove, so that the joints that contradict each other can be named."""
    tables = unpack(common)
    size, wanted = float(tables.measures[island, SIZE]), float(tables.measures[island, TOLERANCE]) / abs(step)
    if tables.islands[island, IS_HARD] == 1:
        correct_equalities(common, tables, island, size, wanted)
    else:
        _ = call(tables.calls[BOUNDED_CALL], (common, island, size, wanted))


@kernel("island-move")
def island_move(common: Packed[Tables], island: int, step: float, is_prepared: int) -> int:
    """Steps 2 to 4 without the kicks: impulses with which the joints hold, and the drift, in as many pieces as it takes.

    `is_prepared` is 1 if the rows have the directions of the start pose, because the last step ended there. Returns 0 if the smallest
    pieces are not small enough, else 1.

    The velocities at the end of the last piece still have to be made compatible with the joints, after the second kick.
    """
    tables = unpack(common)
    own, work, islands, measures, calls = tables.own, tables.work, tables.islands, tables.measures, tables.calls
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    base = load_vector(own, POSITION, first)
    boost = load_vector(own, VELOCITY, first)
    if islands[island, IS_ANCHORED] == 1:
        boost = (0.0, 0.0, 0.0)
    extent, gyration = _begin_move(own, work, measures, island, first, last, base, boost)
    for row in range(islands[island, layout.ROWS], islands[island, layout.ROWS_END]):
        tables.rows[row, TOTAL] = 0.0
    measures[island, STEP_LENGTH] = step
    done, halvings = 0, 0
    touches = has_contacts(islands, island)
    stage = POINT_POSITION_CALL if touches else POSITION_CALL
    last_stage = POINT_VELOCITY_CALL if touches else VELOCITY_CALL
    while done < 4096:
        piece = step / float(1 << halvings)
        for place in range(first, last):
            for entry in range(STATE_ROWS):
                work[START + entry, place] = work[END + entry, place]
        if is_prepared == 0:  # else the last piece ended here, or was too long
            is_prepared = 1
            _ = call(calls[PREPARE_CALL], (common, island, START))
            extent = _measure(tables, island, extent, gyration, base)
        measures[island, PIECE] = piece
        measures[island, KICK_TIME] = 0.5 * step if done == 0 else 0.0
        held = call(calls[stage], (common, island, piece, 0))
        if held == 0 and halvings >= PATIENT_HALVINGS:
            _start_again(work, first, last)
            held = call(calls[stage], (common, island, piece, 1))
        if held == 0:
            halvings += 1
            if halvings > MOST_HALVINGS:
                _solve_once_more(common, island, piece)
                return 0
            _start_again(work, first, last)
            continue
        done += 4096 >> halvings
        measures[island, ELAPSED] += piece
        if done < 4096:
            _ = call(calls[PREPARE_CALL], (common, island, END))
            if call(calls[last_stage], (common, island, piece)) == 0:
                return 0
    _end_move(own, work, first, last, step, base, boost)
    return 1


@inlined
def _begin_move(
    own: Array, work: Array, measures: Array, island: int, first: int, last: int, base: Vector, boost: Vector
) -> tuple[float, float]:
    """Copy the states of an island, relative to its first body, which moves at its velocity unless a joint holds the island to the world.

    Returns:
        The largest distance along an axis from the first body, or the largest radius of gyration if that is larger; and that radius [m].
    """
    store(measures, island, BASE, base)
    store(measures, island, DRIFT_VELOCITY, boost)
    extent = gyration = heaviest = 0.0
    for place in range(first, last):
        state = load_state(own, POSITION, place, None)
        position = subtract(state.position, base)
        velocity = subtract(state.velocity, boost)
        store_state(work, END, place, BodyState(position, state.orientation, velocity, state.angular_velocity, None))
        store_vector(work, KICKED, place, state.velocity)
        store_vector(work, SUM, place, (0.0, 0.0, 0.0))
        extent = max(extent, abs(position[0]), abs(position[1]), abs(position[2]))
        # not less than the radius of gyration, which a body held at its mass centre has as well
        xx, yy, zz = load_vector(own, INERTIA, place)
        gyration = max(gyration, sqrt(0.5 * (xx + yy + zz) * float(own[INVERSE_MASS, place])))
        heaviest = max(heaviest, float(own[MASS, place]))
    measures[island, HEAVIEST] = heaviest
    return max(extent, gyration), gyration


@inlined
def _measure(tables: Tables, island: int, extent: float, gyration: float, base: Vector) -> float:
    """Find the size of an island, which is at least `extent` [m], and the tolerance to which its joints are to hold; return the size."""
    joints, islands, points = tables.joints, tables.islands, tables.points
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    reach = 0.0
    for link in range(first_link, last_link):
        place, other = tables.links[link, layout.FIRST_PLACE], tables.links[link, layout.SECOND_PLACE]
        arm = _largest(load(points, link, ARM))
        other_arm = _largest(load(points, link, OTHER_ARM)) if other >= 0 else 0.0
        extent = max(extent, arm, other_arm)
        if joints[TYPE, link] == SLIDER:  # without its travel
            arm = _largest(_anchor(tables.own, joints, layout.AT_BODY, place, link))
            other_arm = _largest(_anchor(tables.own, joints, layout.AT_OTHER, other, link)) if other >= 0 else 0.0
        reach += arm + other_arm
    for link in range(islands[island, CONTACTS], islands[island, CONTACTS_END]):
        extent = max(extent, _largest(load(points, link, ARM)))
        if tables.links[link, layout.SECOND_PLACE] >= 0:
            extent = max(extent, _largest(load(points, link, OTHER_ARM)))
    tolerance = max(TOLERANCE_OF_SIZE * min(extent, max(reach, gyration)), LEAST_TOLERANCE * extent)
    if islands[island, HAS_LOOP] == 1:
        # a loop closes as well as its joints fitted each other when they were added
        for link in range(first_link, last_link):
            slack = max(joints[layout.SLACK, link], extent * joints[layout.SLACK + 1, link])
            tolerance = max(tolerance, SLACKS * slack)
        if islands[island, IS_ANCHORED] == 1:
            # a loop through points in the world frame closes to the rounding of their coordinates
            largest = max(abs(base[0]), abs(base[1]), abs(base[2])) + extent
            tolerance = max(tolerance, SPACINGS_OF_A_LOOP * largest)
    tables.measures[island, SIZE], tables.measures[island, TOLERANCE] = extent, tolerance
    return extent


@inlined
def _end_move(own: Array, work: Array, first: int, last: int, step: float, base: Vector, boost: Vector) -> None:
    """Write the states after the drift, rounded once to the coordinates of the world."""
    for place in range(first, last):
        moved = add_scaled(load_vector(work, END + POSITION, place), step, boost)
        store_vector(own, POSITION, place, add(base, moved))
        for entry in range(4):
            own[ORIENTATION + entry, place] = work[END + ORIENTATION + entry, place]
        velocity = add_scaled(
            load_vector(work, KICKED, place), float(own[INVERSE_MASS, place]), load_vector(work, SUM, place)
        )
        store_vector(own, VELOCITY, place, velocity)
        store_vector(own, ANGULAR_VELOCITY, place, load_vector(work, END + ANGULAR_VELOCITY, place))


@kernel("island-finish")
def island_finish(common: Packed[Tables], island: int, is_retry: int, is_last: int) -> int:
    """Step 5: make the velocities compatible with the joints after the second kick.

    `is_retry` is 1 if the kick has been tried before in this step, and `is_last` is 1 unless it will be tried again.

    Returns 0 if the solver found no impulses within their bounds, else 1.
    """
    tables = unpack(common)
    own, work, islands, measures = tables.own, tables.work, tables.islands, tables.measures
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    boost = load(measures, island, DRIFT_VELOCITY)
    # relative to the first body as the next tick is, with the coordinates that are stored
    base = load_vector(own, POSITION, first)
    store(measures, island, BASE, base)
    for place in range(first, last):
        store_vector(work, END + POSITION, place, subtract(load_vector(own, POSITION, place), base))
        velocity = load_vector(own, VELOCITY, place)
        store_vector(work, KICKED, place, velocity)
        store_vector(work, SUM, place, (0.0, 0.0, 0.0))
        store_vector(work, END + VELOCITY, place, subtract(velocity, boost))
        store_vector(work, END + ANGULAR_VELOCITY, place, load_vector(own, ANGULAR_VELOCITY, place))
    if is_retry == 0:
        _ = call(tables.calls[PREPARE_CALL], (common, island, END))
    _keep_given(
        tables.points,
        tables.rows,
        first_link,
        last_link,
        islands[island, layout.ROWS],
        islands[island, layout.ROWS_END],
        is_retry,
    )
    piece, step = float(measures[island, PIECE]), float(measures[island, STEP_LENGTH])
    last_stage = POINT_VELOCITY_CALL if has_contacts(islands, island) else VELOCITY_CALL
    if call(tables.calls[last_stage], (common, island, piece)) == 0:
        return 0
    if is_last == 1 and piece != step:
        _keep_totals(tables.joints, tables.links, tables.rows, first_link, last_link, step)
    for place in range(first, last):
        velocity = add_scaled(
            load_vector(work, KICKED, place), float(own[INVERSE_MASS, place]), load_vector(work, SUM, place)
        )
        store_vector(own, VELOCITY, place, velocity)
        store_vector(own, ANGULAR_VELOCITY, place, load_vector(work, END + ANGULAR_VELOCITY, place))
    return 1


@inlined
def _copy_acting(table: Array, rows: Integers, count: int, bodies: int, places: Integers, own: Array) -> None:
    """Copy rows of a table of forces whose first components are bodies, with the places of these; -1 for the world."""
    for number in range(count):
        for row in range(own.shape[0]):
            own[row, number] = table[row, rows[number]]
        for row in range(bodies):
            column = int(own[row, number])
            own[row, number] = float(places[column]) if column >= 0 else -1.0


@inlined
def _copy_in(table: Array, joints: Array, links: Integers, first: int, last: int, rows: tuple[int, int]) -> None:
    """Copy components of some joints from the table of joints."""
    for row in range(rows[0], rows[1]):
        for link in range(first, last):
            joints[row, link] = table[row, links[link, JOINT]]


@inlined
def _copy_out(table: Array, joints: Array, links: Integers, first: int, last: int, rows: tuple[int, int]) -> None:
    """Copy components of some joints to the table of joints."""
    for row in range(rows[0], rows[1]):
        for link in range(first, last):
            table[row, links[link, JOINT]] = joints[row, link]


@kernel("islands-open")
def islands_open(
    packed: Packed[Outside], first_island: int, last_island: int, state_row: int, stored_row: int, stores: bool
) -> int:
    """Copy the bodies of some islands at the start of the tick, their joints, and the forces on them, into the arrays of the islands.

    The states at the start of the tick are in the rows from `state_row` on, and the stored momenta from `stored_row` on. Springs and forces
    at points are copied with the first islands, which are all of them if there are any.
    """
    outside = unpack(packed)
    tables, forces = unpack(outside.common), unpack(outside.forces)
    array, columns, impacts, sizes, own = outside.array, outside.columns, outside.impacts, outside.sizes, tables.own
    first, last = tables.islands[first_island, BODIES], tables.islands[last_island - 1, BODIES_END]
    first_link, last_link = tables.islands[first_island, LINKS], tables.islands[last_island - 1, LINKS_END]
    # row by row, because the components of a body are far apart in memory and those of its neighbours are not
    for row in range(STATE_ROWS):
        for place in range(first, last):
            own[row, place] = array[state_row + row, columns[place]]
    for row in range(WRENCH, PREVIOUS_STORED_MOMENTUM):
        for place in range(first, last):
            own[row, place] = array[row, columns[place]]
    for place in range(first, last if impacts.shape[1] > 0 else first):
        if is_late(impacts, columns[place]):
            store_vector(own, POSITION, place, late_start(array, impacts, state_row, columns[place]))
    if stores:
        for row in range(3):
            for place in range(first, last):
                own[STORED_MOMENTUM + row, place] = array[stored_row + row, columns[place]]
    for row in range(forces.layers.shape[0]):
        for place in range(first, last):
            forces.layers[row, place] = outside.layers[row, columns[place]]
    if first_island == 0:
        places = outside.places
        _copy_acting(outside.springs, outside.spring_rows, sizes[SPRING_COUNT], 2, places, forces.springs)
        _copy_acting(outside.point_forces, outside.point_rows, sizes[POINT_COUNT], 1, places, forces.point_forces)
    soft_link = max(first_link, sizes[HARD_LINKS])
    for rows in HARD_ROWS:
        _copy_in(outside.table, tables.joints, tables.links, first_link, min(last_link, soft_link), rows)
    _copy_in(outside.table, tables.joints, tables.links, soft_link, last_link, (0, JOINT_ROWS))
    for link in range(first_link, last_link):
        for entry in range(7):
            tables.points[link, GIVEN + entry] = 0.0
    for island in range(first_island, last_island):
        tables.islands[island, IS_SETTLED] = 0
    return 0


@kernel("islands-passes")
def islands_passes(packed: Packed[Passes], stage: int, ticks: int) -> int:
    """Take one tick in which the islands are all bodies, from one evaluation of Python forces to the next, as a loop in passes does.

    Each part of the tick has one evaluation at its start and `evaluations` at its end. A tick ends with one more, for islands whose
    actuators kick by their rates where no other force depends on them.

    Returns:
        1 if the forces at this stage are to be evaluated, or if the tick has ended; `SKIPPED` if they need not be; 0 if the tick is not
        finite, or a negative number if it was not begun, and nothing was changed.
    """
    passes = unpack(packed)
    outside, stepped = unpack(passes.outside), unpack(passes.step)
    tables, island_count, evaluations = unpack(stepped.common), outside.sizes[ISLANDS], stepped.evaluations
    whole = passes.parts.shape[0] * (1 + evaluations)
    if stage == 0:
        if is_other_mode(passes.control):
            passes.control[BAD] = OTHER_MODE
            return OTHER_MODE
        passes.control[BAD] = passes.failed[0] = -1
        for island in range(island_count):
            tables.measures[island, ELAPSED] = 0.0
        _ = call(passes.calls[OPEN], (passes.outside, 0, island_count, 0, STORED_MOMENTUM, True))
    elif stage <= whole:
        failed = _kick_by_called(packed, stage - 1)
        if failed >= 0:
            passes.failed[0] = failed
            return 0
    elif _is_repeated(tables, island_count, evaluations):
        failed = _kick_again_by_called(packed)
        if failed >= 0:
            passes.failed[0] = failed
            return 0
    if stage == whole + 1:
        return _close_all(packed)
    if stage == whole and not _is_repeated(tables, island_count, evaluations):
        return SKIPPED
    _show(packed, stage)
    return 1


@inlined
def _is_repeated(tables: Tables, count: int, evaluations: int) -> bool:
    """Whether the last kick of any island is tried twice only because of its actuators."""
    repeated = False
    for island in range(count):
        repeated = repeated or needs_two(tables, island, evaluations)
    return repeated


@inlined
def _show(packed: Packed[Passes], stage: int) -> None:
    """Let Python forces see the bodies at a stage, and set their wrench to zero."""
    passes = unpack(packed)
    outside, stepped, visible, kept = unpack(passes.outside), unpack(passes.step), passes.visible, passes.kept
    tables, columns, count, evaluations = (
        unpack(stepped.common),
        outside.columns,
        outside.sizes[PLACES],
        stepped.evaluations,
    )
    whole = passes.parts.shape[0] * (1 + evaluations)
    each = 1 if stage == whole else stage % (1 + evaluations) - 1
    if stage == whole:
        # what the other islands have now is put back after the kick
        for row in range(3):
            for place in range(count):
                kept[WRENCH_ROWS + row, place] = tables.own[VELOCITY + row, place]
                kept[WRENCH_ROWS + 3 + row, place] = tables.own[ANGULAR_VELOCITY + row, place]
                kept[WRENCH_ROWS + 6 + row, place] = tables.own[STORED_MOMENTUM + row, place]
    _ = call(tables.calls[STAGES_CALL], (stepped.common, 0, count, each))
    if each >= 0 and stage >= whole - evaluations:
        _ = kick_at_end(stepped, 0, count, each, passes.dt)
    for row in range(STATE_ROWS):
        for place in range(count):
            visible[row, columns[place]] = tables.stages[row, place]
    for row in range(STAGE_WRENCH, STAGE_WRENCH + WRENCH_ROWS):
        for place in range(count):
            visible[row, columns[place]] = 0.0


@inlined
def _kick_all(passes: Passes, offset: float, step: float) -> None:
    """Kick all bodies by their held wrench and by what Python forces have added, `offset` [s] after the start of the tick."""
    outside, stepped, kept = unpack(passes.outside), unpack(passes.step), passes.kept
    tables, columns, count = unpack(stepped.common), outside.columns, outside.sizes[PLACES]
    for row in range(WRENCH_ROWS):
        for place in range(count):
            kept[row, place] = tables.own[WRENCH + row, place]
            tables.own[WRENCH + row, place] += passes.visible[STAGE_WRENCH + row, columns[place]]
    clock = (float(passes.control[TICKS]), passes.dt, offset)
    _ = call(tables.calls[KICK_CALL], (stepped.forces, 0, count, *clock, step, 0))
    for row in range(WRENCH_ROWS):
        for place in range(count):
            tables.own[WRENCH + row, place] = kept[row, place]


@inlined
def _kick_by_called(packed: Packed[Passes], stage: int) -> int:
    """Kick all bodies after an evaluation of Python forces, and move them or make their velocities compatible with the joints.

    Returns:
        The number of the island that failed, or -1.
    """
    passes = unpack(packed)
    outside, stepped, parts, dt = unpack(passes.outside), unpack(passes.step), passes.parts, passes.dt
    tables, evaluations = unpack(stepped.common), stepped.evaluations
    number, each = stage // (1 + evaluations), stage % (1 + evaluations) - 1
    offset = 0.0
    for part in range(number if each < 0 else number + 1):
        offset = offset + dt * float(parts[part])
    step = dt * float(parts[number])
    _kick_all(passes, offset, 0.5 * step)
    is_end = number == parts.shape[0] - 1
    for island in range(outside.sizes[ISLANDS]):
        if each < 0:
            if call(tables.calls[MOVE_CALL], (stepped.common, island, step, int(number > 0))) == 0:
                return island
        else:
            is_last = each == evaluations - 1 and not (is_end and needs_two(tables, island, evaluations))
            if call(tables.calls[FINISH_CALL], (stepped.common, island, int(each > 0), int(is_last))) == 0:
                return island
    return -1


@inlined
def _kick_again_by_called(packed: Packed[Passes]) -> int:
    """The same after the last evaluation, for the islands whose actuators kick by their rates."""
    passes = unpack(packed)
    outside, stepped, parts, kept = unpack(passes.outside), unpack(passes.step), passes.parts, passes.kept
    tables = unpack(stepped.common)
    own, islands = tables.own, tables.islands
    offset = 0.0
    for part in range(parts.shape[0]):
        offset = offset + passes.dt * float(parts[part])
    _kick_all(passes, offset, 0.5 * (passes.dt * float(parts[parts.shape[0] - 1])))
    for island in range(outside.sizes[ISLANDS]):
        if needs_two(tables, island, stepped.evaluations):
            if call(tables.calls[FINISH_CALL], (stepped.common, island, 1, 1)) == 0:
                return island
            continue
        for place in range(islands[island, BODIES], islands[island, BODIES_END]):
            for row in range(3):
                own[VELOCITY + row, place] = kept[WRENCH_ROWS + row, place]
                own[ANGULAR_VELOCITY + row, place] = kept[WRENCH_ROWS + 3 + row, place]
                own[STORED_MOMENTUM + row, place] = kept[WRENCH_ROWS + 6 + row, place]
    return -1


@inlined
def _close_all(packed: Packed[Passes]) -> int:
    """Write back a tick in which the islands are all bodies, and count it; 1, or 0 if a body is not finite and nothing was changed."""
    passes = unpack(packed)
    outside = unpack(passes.outside)
    own, array, columns, count = unpack(outside.common).own, outside.array, outside.columns, outside.sizes[PLACES]
    for place in range(count):
        if not is_finite(load_state(own, POSITION, place, load_vector(own, STORED_MOMENTUM, place))):
            passes.control[BAD] = columns[place]
            return 0
    for place in range(count):
        for row in range(STATE_ROWS):
            array[PREVIOUS + row, columns[place]] = array[row, columns[place]]
        for row in range(3):
            array[PREVIOUS_STORED_MOMENTUM + row, columns[place]] = array[STORED_MOMENTUM + row, columns[place]]
    _ = call(passes.calls[CLOSE], (passes.outside, True, passes.dt))
    passes.control[TICKS] += 1
    return 1


@kernel("island-division")
def island_division(common: Packed[Tables], island: int, step: float) -> int:
    """The number of equal steps in which an island takes a step, a power of two: 1 unless its joints pull too hard on light bodies, or
    bodies that touch turn too far (see `points.turn_in_contact`).

    A joint that pulls with the force F at the arm r turns its body back like a spring of the stiffness ``F r`` [N·m/rad]. The swing about
    the mass centre gains energy if its rate times the step is more than 2, as in a chain of rods of the mass m and length l from
    ``dt² F / (m l) = 1/3`` on. Half of that square is kept. The force is the mean over the last tick: the number is known before the drift,
    and is that of the tick backwards unless the force passes a threshold meanwhile. Bodies on welds do not swing alone.
    """
    tables = unpack(common)
    own, work, joints, links, islands = tables.own, tables.work, tables.joints, tables.links, tables.islands
    for place in range(islands[island, BODIES], islands[island, BODIES_END]):
        work[SOLUTION, place] = work[SOLUTION + 1, place] = 0.0
    steps_before = 0.0
    for link in range(islands[island, LINKS], islands[island, LINKS_END]):
        steps_before = max(steps_before, float(joints[STEPS, link]))
        force = load_vector(joints, FORCE, link)
        size = sqrt(dot(force, force))
        place, other = links[link, layout.FIRST_PLACE], links[link, layout.SECOND_PLACE]
        is_weld = joints[TYPE, link] == WELD
        work[SOLUTION, place] += size * swing_gain(own, place, _anchor(own, joints, layout.AT_BODY, place, link))
        if is_weld:
            work[SOLUTION + 1, place] = 1.0
        if other >= 0:
            work[SOLUTION, other] += size * swing_gain(own, other, _anchor(own, joints, layout.AT_OTHER, other, link))
            if is_weld:
                work[SOLUTION + 1, other] = 1.0
        if _turns_fast(own, place, other, step):
            islands[0, TURNS_FAST] = links[link, JOINT] + 1
    largest = 0.0
    for place in range(islands[island, BODIES], islands[island, BODIES_END]):
        if work[SOLUTION + 1, place] == 0.0:
            largest = max(largest, float(work[SOLUTION, place]))
    turn = 0.0
    for link in range(islands[island, CONTACTS], islands[island, CONTACTS_END]):
        turn = max(turn, turn_in_contact(own, links, tables.touching, link, step))
    count, squared, most = 1, step * step * largest, MOST_SWING * MOST_SWING
    while count < MOST_STEPS and (squared > most * float(count * count) or turn > MOST_TURN_IN_CONTACT * float(count)):
        count *= 2
    if count < steps_before and squared > LEAST_SWING * most * float(count * count):
        count *= 2
    return count


@inlined
def _turns_fast(own: Array, place: int, other: int, step: float) -> bool:
    """Whether a body turns by more than `MOST_TURN` in a step relative to another one, which turns across that axis meanwhile.

    The drift lets the fast body nutate as if it were free, and its gyroscopic torque then acts in wrong directions; see the page on joints.
    """
    rates, other_rates = load_vector(own, ANGULAR_VELOCITY, place), load_vector(own, ANGULAR_VELOCITY, max(other, 0))
    most = MOST_TURN * MOST_TURN / (step * step)
    if other < 0 or not (4.0 * dot(rates, rates) > most or 4.0 * dot(other_rates, other_rates) > most):
        return False
    spin = rotate(load_quaternion(own, ORIENTATION, place), 2.0, rates)
    other_spin = rotate(load_quaternion(own, ORIENTATION, other), 2.0, other_rates)
    relative = subtract(spin, other_spin)
    # the slower one carries the other
    across = cross(relative, spin if dot(spin, spin) < dot(other_spin, other_spin) else other_spin)
    squared = dot(relative, relative)
    return squared > most and dot(across, across) > LEAST_CARRYING * LEAST_CARRYING / (step * step) * squared


class Some(NamedTuple):
    """Some of the islands: of those in a range the ones that take the tick in parts, or in one, and that divide each into so many steps."""

    first: int
    last: int
    in_parts: int
    steps: int


@inlined
def _is_taken(measures: Array, island: int, some: Some) -> bool:
    """Whether an island takes its steps with those in parts, or those in one, and with those that divide them into as many."""
    has_parts = measures[island, IN_PARTS] == 1.0
    return bool(has_parts == (some.in_parts == 1) and measures[island, DIVISION] == float(some.steps))


@inlined
def _is_failure(measures: Array, island: int) -> bool:
    """Whether an island whose joints did not hold has failed; one that was taken without its limits is taken again with them."""
    if measures[island, LIMITS] == LIMITS_ACT:
        return True
    measures[island, LIMITS] = LIMITS_PASSED
    return False


@inlined
def _later(clock: Clock, seconds: float) -> Clock:
    ticks, dt, passed = clock
    return ticks, dt, passed + seconds


@inlined
def has_actuators(actuators: Actuators) -> bool:
    """Whether any actuator may kick a body at the end of a tick."""
    return bool(actuators.counts[THRUSTERS] + actuators.counts[WHEELS] > 0)


@inlined
def kick_at_end(stepped: Step, first: int, last: int, each: int, dt: float) -> int:
    """Give the kicks of actuators at the end of the tick to the bodies at some places; 1 if any depends on the rates."""
    tables, held = unpack(stepped.common), stepped.actuators
    actuators = (held.places, held.driven, held.wheels, held.tanks, held.counts)
    kicked = (tables.own, tables.stages, *actuators, first, last, END_KICKS, each, dt)
    return int(call(tables.calls[END_KICKS_CALL], kicked))


@inlined
def _take_step(
    packed: Packed[Step], some: Some, is_all: bool, start: Clock, step: float, is_prepared: int, is_end: bool, dt: float
) -> int:
    """Take a step with the islands that divide theirs into as many; the number of the island that failed, or -1."""
    stepped = unpack(packed)
    tables, forces, common, evaluations = unpack(stepped.common), stepped.forces, stepped.common, stepped.evaluations
    islands, calls = tables.islands, tables.calls
    # all at once where all take their steps alike
    first, last = islands[some.first, BODIES], islands[some.last - 1, BODIES_END]
    kicked_at_once = 0 if is_all else EVALUATED
    has_end_kicks = is_end and has_actuators(stepped.actuators)
    seen = first if evaluations > 1 or has_end_kicks or _are_stages_seen(stepped) else last
    _ = call(calls[STAGES_CALL], (common, seen, last, -1))
    _ = call(calls[KICK_CALL], (forces, first, last, *start, 0.5 * step, kicked_at_once))
    for island in range(some.first, some.last):
        if is_all or _is_taken(tables.measures, island, some):
            places = (islands[island, BODIES], islands[island, BODIES_END])
            if not is_all:
                _ = call(calls[KICK_CALL], (forces, *places, *start, 0.5 * step, KNOWN))
            if call(calls[MOVE_CALL], (common, island, step, is_prepared)) == 0 and _is_failure(
                tables.measures, island
            ):
                return island
    end, again = _later(start, step), 0
    for each in range(evaluations):
        _ = call(calls[STAGES_CALL], (common, seen, last, each))
        if has_end_kicks and is_all:
            again = kick_at_end(stepped, first, last, each, dt)
        elif has_end_kicks:
            again = max(again, _kick_some(stepped, some, each, dt))
        _ = call(calls[KICK_CALL], (forces, first, last, *end, 0.5 * step, kicked_at_once))
        for island in range(some.first, some.last):
            if is_all or _is_taken(tables.measures, island, some):
                places = (islands[island, BODIES], islands[island, BODIES_END])
                if not is_all:
                    _ = call(calls[KICK_CALL], (forces, *places, *end, 0.5 * step, KNOWN))
                is_last = each == evaluations - 1 and not (again == 1 and needs_two(tables, island, evaluations))
                finished = call(calls[FINISH_CALL], (common, island, int(each > 0), int(is_last)))
                if finished == 0 and _is_failure(tables.measures, island):
                    return island
    if again == 1 and evaluations == 1:
        return _try_again(packed, some, end, step, dt)
    return -1


@inlined
def _are_stages_seen(stepped: Step) -> bool:
    """Whether forces are evaluated at the states in `stages`, or contacts look at the velocities there."""
    forces = unpack(stepped.forces)
    return bool(unpack(stepped.common).touching.shape[0] > 0 or has_forces(forces.calls, forces.counts))


@inlined
def _kick_some(stepped: Step, some: Some, each: int, dt: float) -> int:
    """Give the kicks of actuators at the end of the tick to the islands that take it in these parts; 1 if any depends on the rates."""
    again, tables = 0, unpack(stepped.common)
    for island in range(some.first, some.last):
        if _is_taken(tables.measures, island, some):
            first, last = tables.islands[island, BODIES], tables.islands[island, BODIES_END]
            again = max(again, kick_at_end(stepped, first, last, each, dt))
    return again


@inlined
def _try_again(packed: Packed[Step], some: Some, end: Clock, step: float, dt: float) -> int:
    """Try the second kick again for islands whose actuators kick by their rates, in a world without forces that depend on them.

    Returns:
        The number of the island that failed, or -1.
    """
    stepped = unpack(packed)
    tables, forces, common = unpack(stepped.common), stepped.forces, stepped.common
    islands, calls = tables.islands, tables.calls
    first, last = islands[some.first, BODIES], islands[some.last - 1, BODIES_END]
    for island in range(some.first, some.last):
        if _is_taken(tables.measures, island, some) and needs_two(tables, island, 1):
            places = (islands[island, BODIES], islands[island, BODIES_END])
            _ = call(calls[STAGES_CALL], (common, *places, 1))
            _ = kick_at_end(stepped, *places, 1, dt)
    _ = call(calls[KICK_CALL], (forces, first, last, *end, 0.5 * step, EVALUATED))
    for island in range(some.first, some.last):
        if _is_taken(tables.measures, island, some) and needs_two(tables, island, 1):
            places = (islands[island, BODIES], islands[island, BODIES_END])
            _ = call(calls[KICK_CALL], (forces, *places, *end, 0.5 * step, KNOWN))
            if call(calls[FINISH_CALL], (common, island, 1, 1)) == 0 and _is_failure(tables.measures, island):
                return island
    return -1


@inlined
def _take_parts(
    packed: Packed[Step], parts: Numbers, in_parts: int, first_island: int, last_island: int, ticks: float, dt: float
) -> int:
    """Take one tick with those of some islands that take it in these parts; the number of the island that failed, or -1."""
    common = unpack(packed).common
    tables = unpack(common)
    joints, measures = tables.joints, tables.measures
    divisions, taken = 0, 0  # each number of steps is a power of two, and so a bit of the first
    longest = _longest_part(parts, dt)
    for island in range(first_island, last_island):
        if (measures[island, IN_PARTS] == 1.0) == (in_parts == 1):
            count = call(tables.calls[DIVISION_CALL], (common, island, longest))
            count = max(count, int(measures[island, LEAST_STEPS]))
            measures[island, DIVISION], measures[island, LEAST_STEPS] = float(count), 0.0
            for link in range(tables.islands[island, LINKS], tables.islands[island, LINKS_END]):
                joints[STEPS, link] = float(count) if count > 1 else 0.0
                if joints[FORCE, link] == 0.0 and joints[FORCE + 1, link] == 0.0 and joints[FORCE + 2, link] == 0.0:
                    measures[island, LEAST_STEPS] = -1.0
            divisions |= count
            taken += 1
    start = (ticks, dt, 0.0)
    for number in range(parts.shape[0] if taken > 0 else 0):
        step = dt * float(parts[number])
        is_end = number == parts.shape[0] - 1
        steps = 1
        while steps <= divisions:
            piece, some = step / float(steps), Some(first_island, last_island, in_parts, steps)
            is_all = divisions == steps and taken == last_island - first_island
            # islands with other numbers of steps change nothing of these
            for each in range(steps if divisions & steps != 0 else 0):
                then, is_last = _later(start, float(each) * piece), is_end and each == steps - 1
                failed = _take_step(packed, some, is_all, then, piece, int(number + each > 0), is_last, dt)
                if failed >= 0:
                    return failed
                for island in range(first_island, last_island):
                    if measures[island, LIMITS] == LIMITS_AWAY and is_limit_passed(tables.rows, tables.islands, island):
                        measures[island, LIMITS] = LIMITS_PASSED
            steps *= 2
        start = _later(start, step)
    return -1


@kernel("islands-step")
def islands_step(
    packed: Packed[Step],
    parts: Numbers,
    one_part: Numbers,
    first_island: int,
    last_island: int,
    ticks: float,
    dt: float,
) -> int:
    """Take one tick with some of the islands, in parts of the tick; the number of the island that failed, or -1.

    The first kick evaluates the forces at the velocities at its start, and the second at those at its end, when they fit the joints. These
    are found in `evaluations` tries, one of which is enough for forces that do not depend on the rates. What actuators do at the end of the
    tick is part of its last kick, with two tries at least if it depends on the rates.

    Islands of equalities take several parts. So do those that have limits besides, while they are away from these; if that turns out to be
    wrong, they are marked by `LIMITS_PASSED`, and their states are of no use. All others take the tick in one part.

    Islands that divide their steps (see `island_division`) do so each for itself, whatever others do.
    """
    tables = unpack(unpack(packed).common)
    islands, measures = tables.islands, tables.measures
    for island in range(first_island, last_island):
        in_parts, limits = parts.shape[0] > 1 and islands[island, IS_HARD] == 1, LIMITS_ACT
        if parts.shape[0] > 1 and islands[island, HAS_LIMITS_ONLY] == 1:
            if are_limits_away(tables.own, tables.joints, tables.links, islands, island, dt):
                in_parts, limits = True, LIMITS_AWAY
        measures[island, IN_PARTS], measures[island, LIMITS] = 1.0 if in_parts else 0.0, limits
        measures[island, ELAPSED] = 0.0
    failed = -1
    if parts.shape[0] > 1:
        failed = _take_parts(packed, parts, 1, first_island, last_island, ticks, dt)
    if failed < 0:
        failed = _take_parts(packed, one_part, 0, first_island, last_island, ticks, dt)
    return failed


@inlined
def needs_two(tables: Tables, island: int, evaluations: int) -> bool:
    """Whether the second kick of an island is tried twice only because actuators kick its bodies by their rates."""
    marked = 0.0
    for place in range(tables.islands[island, BODIES], tables.islands[island, BODIES_END]):
        marked += tables.stages[END_KICKS + 6, place]
    return evaluations == 1 and marked > 0.0


@kernel("islands-close")
def islands_close(packed: Packed[Outside], stores: bool, dt: float) -> int:
    """Write back the bodies, if all are finite, and the state of the joints.

    Returns:
        The column of a body that is not finite, or -1.
    """
    outside = unpack(packed)
    tables, sizes = unpack(outside.common), outside.sizes
    array, columns, impacts, own, joints = outside.array, outside.columns, outside.impacts, tables.own, tables.joints
    for place in range(sizes[PLACES]):
        if not is_finite(load_state(own, POSITION, place, load_vector(own, STORED_MOMENTUM, place))):
            return int(columns[place])
    for link in range(sizes[LINK_COUNT]):
        for entry in range(6):
            joints[FORCE + entry, link] = tables.points[link, GIVEN + entry] / dt
    for link in range(sizes[HARD_LINKS], sizes[LINK_COUNT]):
        joints[CAPTURED_ENERGY, link] += tables.points[link, TAKEN]
    for rows in HARD_STATE:
        _copy_out(outside.table, joints, tables.links, 0, sizes[HARD_LINKS], rows)
    _copy_out(outside.table, joints, tables.links, sizes[HARD_LINKS], sizes[LINK_COUNT], (STATE_FIRST, STATE_LAST))
    for row in range(STATE_ROWS):
        for place in range(sizes[PLACES]):
            array[row, columns[place]] = own[row, place]
    for place in range(sizes[PLACES] if impacts.shape[1] > 0 else 0):
        if is_late(impacts, columns[place]):
            store_vector(array, POSITION, columns[place], late_end(array, own, impacts, place, columns[place], dt))
    if stores:
        for row in range(3):
            for place in range(sizes[PLACES]):
                array[STORED_MOMENTUM + row, columns[place]] = own[STORED_MOMENTUM + row, place]
    return -1


@inlined
def _span_end(islands: Integers, first: int, last: int, room: int) -> int:
    """The island after those, from the first one on, that have room for their places together; one at least."""
    end = first + 1
    while end < last and islands[end, BODIES_END] - islands[first, BODIES] <= room:
        end += 1
    return end


@inlined
def _needs_more_steps(common: Packed[Tables], island: int, parts: Array, dt: float) -> bool:
    """Whether an island is to take the tick again, because joints that had no force in the last tick pull too hard for its steps.

    Such joints are new, or ropes that were slack. One tick of too long steps would let the bodies swing for ever.
    """
    tables = unpack(common)
    joints, islands, measures = tables.joints, tables.islands, tables.measures
    if measures[island, LEAST_STEPS] == 0.0 or has_contacts(islands, island):
        return False
    for link in range(islands[island, LINKS], islands[island, LINKS_END]):
        for entry in range(3):
            joints[FORCE + entry, link] = tables.points[link, GIVEN + entry] / dt
    longest = dt
    if measures[island, IN_PARTS] == 1.0:
        longest = _longest_part(parts, dt)
    count = call(tables.calls[DIVISION_CALL], (common, island, longest))
    measures[island, LEAST_STEPS] = float(count)
    return count > measures[island, DIVISION]


@inlined
def _longest_part(parts: Array, dt: float) -> float:
    """The longest step of a tick that is taken in these parts [s]."""
    longest = 0.0
    for number in range(parts.shape[0]):
        longest = max(longest, abs(dt * float(parts[number])))
    return longest


OPEN, STEP, CLOSE = range(3)
"""Indices into `calls` of `move_islands`."""


@kernel("move-islands")
def move_islands(packed: Packed[Move], operand: int, ticks_left: int) -> int:
    """The operation after the move of all bodies: those of islands are moved again, from the start of the tick, by the step of islands."""
    move = unpack(packed)
    outside, stepped, calls, parts, dt = unpack(move.outside), unpack(move.step), move.calls, move.parts, move.dt
    tables, sizes = unpack(stepped.common), outside.sizes
    stores, island_count = move.stored > 0, sizes[ISLANDS]
    hard_count = sizes[HARD_ISLANDS] if parts.shape[0] > 1 else 0
    # springs, forces at points and actuators are searched once for all islands
    room = SPAN
    if sizes[SPRING_COUNT] + sizes[POINT_COUNT] > 0 or has_actuators(stepped.actuators):
        room = max(sizes[PLACES], SPAN + 1)
    ticks = float(move.control[TICKS] - 1)  # that of the move has been counted
    move.failed[0] = -1
    failed, first, rows = -1, 0, (PREVIOUS, PREVIOUS_STORED_MOMENTUM, stores)
    while first < island_count and failed < 0:
        is_hard = first < hard_count
        last = _span_end(tables.islands, first, hard_count if is_hard else island_count, room)
        if room == SPAN:
            _ = call(calls[OPEN], (move.outside, first, last, *rows))
        elif first == 0:
            _ = call(calls[OPEN], (move.outside, 0, island_count, *rows))
        for island in range(first, last):
            tables.measures[island, LEAST_STEPS] = 0.0
        failed = call(calls[STEP], (move.step, parts, move.one_part, first, last, ticks, dt))
        for island in range(first, last):
            if failed < 0 and _needs_more_steps(stepped.common, island, parts, dt):
                _ = call(calls[OPEN], (move.outside, island, island + 1, *rows))
                failed = call(calls[STEP], (move.step, parts, move.one_part, island, island + 1, ticks, dt))
        if parts.shape[0] > 1 and not is_hard:
            for island in range(first, last):
                if failed < 0 and tables.measures[island, LIMITS] == LIMITS_PASSED:
                    _ = call(calls[OPEN], (move.outside, island, island + 1, *rows))
                    failed = call(calls[STEP], (move.step, move.one_part, move.one_part, island, island + 1, ticks, dt))
        first = last
    bad = -1
    if failed < 0:
        bad = call(calls[CLOSE], (move.outside, stores, dt))
    if failed >= 0 or bad >= 0:
        move.control[BAD] = bad
        move.failed[0] = failed
        return 0
    return 1
