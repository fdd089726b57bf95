"""The step of an island: half a kick, impulses and drift, half a kick, impulses."""

from collections.abc import Callable
from functools import cache
from math import sqrt

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
from ..loops.kick_drift import Turn, drift, kick
from ..loops.layout import (
    ANGULAR_VELOCITY,
    CENTER_OF_MASS,
    COUNT,
    INERTIA,
    INVERSE_MASS,
    MASS,
    MOTOR_TORQUE,
    ORIENTATION,
    POSITION,
    STAGE_WRENCH,
    STATE_ROWS,
    STORED_MOMENTUM,
    VELOCITY,
    WRENCH,
    WRENCH_ROWS,
)
from ..loops.point_forces import ForceTables, add_forces
from . import layout
from .arguments import Forces, Tables
from .calls import (
    BOUNDED_CALL,
    FOLLOW_CALL,
    JOINT_ROWS_CALL,
    POINT_POSITION_CALL,
    POINT_VELOCITY_CALL,
    POSITION_CALL,
    PREPARE_CALL,
    VELOCITY_CALL,
)
from .joint_types import load, store
from .layout import (
    ARM,
    BASE,
    BODIES,
    BODIES_END,
    COLUMNS,
    CONTACTS,
    CONTACTS_END,
    COORDINATE,
    COUNTED,
    DRIFT_VELOCITY,
    ELAPSED,
    END,
    FIRST_ROW,
    FITTING_FIRST,
    FITTING_LAST,
    FORCE,
    GIVEN,
    GIVEN_BEFORE,
    HAS_FOLLOWERS,
    HAS_LOOP,
    HEAVIEST,
    IS_ANCHORED,
    IS_HARD,
    IS_NEW,
    IS_SETTLED,
    JOINT,
    KICK_TIME,
    KICKED,
    LAST_ROW,
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
    START,
    STEP_LENGTH,
    STEPS,
    SUM,
    TOLERANCE,
    TOTAL,
    TOTAL_BEFORE,
    TURNS_FAST,
    TYPE,
    VELOCITY_FORCES,
    WELD,
)
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
KEPT = STAGE_WRENCH + WRENCH_ROWS
"""Velocity, angular velocity and stored momentum before the second kick, in `stages`."""
END_KICKS = KEPT + 9
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
            store_vector(stages, KEPT, place, state.velocity)
            store_vector(stages, KEPT + 3, place, state.angular_velocity)
            store_vector(stages, KEPT + 6, place, stored)
        elif each > 0:
            store_vector(own, VELOCITY, place, load_vector(stages, KEPT, place))
            store_vector(own, ANGULAR_VELOCITY, place, load_vector(stages, KEPT + 3, place))
            store_vector(own, STORED_MOMENTUM, place, load_vector(stages, KEPT + 6, place))
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
    shift = islands[island, COLUMNS] - first
    same = islands[island, IS_NEW] == 0
    for entry in range(3):
        same = same and tables.measures[island, MADE_BASE + entry] == tables.measures[island, BASE + entry]
    for place in range(first, last):
        for entry in range(7):
            same = same and tables.made[place + shift, MADE_AT + entry] == tables.work[pose + entry, place]
        if not same:
            return False
    for link in range(first_link, last_link):
        for entry in range(MOST_FREEDOMS):
            same = same and tables.points[link, COUNTED + entry] == tables.joints[COORDINATE + entry, link]
    if islands[island, IS_SETTLED] == 0:
        for row in range(MODEL_FIRST, MODEL_LAST):
            for place in range(first, last):
                made = float(tables.made[place + shift, MADE_WITH + row - MODEL_FIRST])
                same = same and made == tables.own[row, place]
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
    shift = islands[island, COLUMNS] - first
    for entry in range(3):
        tables.measures[island, MADE_BASE + entry] = tables.measures[island, BASE + entry]
    if islands[island, IS_SETTLED] == 0:
        for row in range(MODEL_FIRST, MODEL_LAST):
            for place in range(first, last):
                tables.made[place + shift, MADE_WITH + row - MODEL_FIRST] = tables.own[row, place]
        for link in range(first_link, last_link):
            for row in range(FITTING_FIRST, FITTING_LAST):
                tables.points[link, MADE_FOR + row - FITTING_FIRST] = tables.joints[row, link]
    for link in range(first_link, last_link):
        for entry in range(MOST_FREEDOMS):
            tables.points[link, COUNTED + entry] = tables.joints[COORDINATE + entry, link]
    for entry in range(7):
        for place in range(first, last):
            tables.made[place + shift, MADE_AT + entry] = tables.work[pose + entry, place]
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
