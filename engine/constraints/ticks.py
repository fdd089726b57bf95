"""Ticks of islands: their bodies are copied from those of the world, take the parts of the tick in steps, and are written back."""

from typing import NamedTuple

from ..compilation.compiler import call, inlined, kernel
from ..compilation.packed import Packed, unpack
from ..loops.columns import Array, Integers, Numbers, is_finite, load_state, load_vector, store_vector
from ..loops.fields import Clock
from ..loops.gather import THRUSTERS, WHEELS
from ..loops.layout import (
    BAD,
    POSITION,
    PREVIOUS,
    PREVIOUS_STORED_MOMENTUM,
    STATE_ROWS,
    STORED_MOMENTUM,
    TICKS,
    WRENCH,
)
from .arguments import Actuators, Move, Outside, Step, Tables
from .calls import DIVISION_CALL, END_KICKS_CALL, FINISH_CALL, KICK_CALL, MOVE_CALL, STAGES_CALL
from .graph import HARD_ISLANDS, HARD_LINKS, ISLANDS, PLACES, POINT_COUNT, SHARES, SPRING_COUNT
from .late import is_late, late_end, late_start
from .layout import (
    BODIES,
    BODIES_END,
    CAPTURED_ENERGY,
    COLUMNS,
    DIVISION,
    ELAPSED,
    FORCE,
    GIVEN,
    HARD_ROWS,
    HARD_STATE,
    HAS_LIMITS_ONLY,
    IN_PARTS,
    IS_HARD,
    IS_SETTLED,
    JOINT,
    JOINT_ROWS,
    LEAST_STEPS,
    LIMITS,
    LIMITS_ACT,
    LIMITS_AWAY,
    LIMITS_PASSED,
    LINKS,
    LINKS_END,
    SPAN,
    STATE_FIRST,
    STATE_LAST,
    STEPS,
    TAKEN,
)
from .limits import are_limits_away, is_limit_passed
from .step import END_KICKS, EVALUATED, KNOWN, has_contacts, has_forces


@inlined
def _copy_acting(table: Array, rows: Integers, count: int, bodies: int, places: Integers, own: Array) -> None:
    """Copy rows of a table of forces whose first components are bodies, with the places of these; -1 for the world."""
    for number in range(count):
        for row in range(own.shape[0]):
            own[row, number] = table[row, rows[number]]
        for row in range(bodies):
            column = int(own[row, number])
            own[row, number] = float(places[column]) if column >= 0 else -1.0


_ROWS_AT_ONCE = 8
"""Components that are copied together. Those of a body are far apart in memory, and those of its neighbours are not, so that loops go
along the bodies; and the processor waits for several components at a time, which takes a fifth less for 4096 members with a hinge."""


@inlined
def _copy_bodies(
    array: Array, own: Array, columns: Integers, first: int, last: int, rows: tuple[int, int], shift: int
) -> None:
    """Copy components of the bodies at some places, which are `shift` rows further down in the array of all bodies."""
    for begin in range(rows[0], rows[1], _ROWS_AT_ONCE):
        for place in range(first, last):
            column = columns[place]
            for row in range(begin, min(begin + _ROWS_AT_ONCE, rows[1])):
                own[row, place] = array[shift + row, column]


@inlined
def _copy_in(table: Array, joints: Array, links: Integers, first: int, last: int, rows: tuple[int, int]) -> None:
    """Copy components of some joints from the table of joints."""
    for begin in range(rows[0], rows[1], _ROWS_AT_ONCE):
        for link in range(first, last):
            joint = links[link, JOINT]
            for row in range(begin, min(begin + _ROWS_AT_ONCE, rows[1])):
                joints[row, link] = table[row, joint]


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
    columns = columns[tables.islands[first_island, COLUMNS] - first :]
    _copy_bodies(array, own, columns, first, last, (0, STATE_ROWS), state_row)
    _copy_bodies(array, own, columns, first, last, (WRENCH, PREVIOUS_STORED_MOMENTUM), 0)
    for place in range(first, last if impacts.shape[1] > 0 else first):
        if is_late(impacts, columns[place]):
            store_vector(own, POSITION, place, late_start(array, impacts, state_row, columns[place]))
    if stores:
        stored = STORED_MOMENTUM, STORED_MOMENTUM + 3
        _copy_bodies(array, own, columns, first, last, stored, stored_row - STORED_MOMENTUM)
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


class Some(NamedTuple):
    """Some of the islands.

    Of those in a range, these are all, or the ones that take the tick in parts, or in one, and divide each into so many steps.
    """

    first: int
    last: int
    is_all: bool
    in_parts: int
    steps: int


@inlined
def _is_taken(tables: Tables, island: int, some: Some, evaluations: int, each: int) -> bool:
    """Whether an island is one of these, and takes this try of a kick."""
    measures = tables.measures
    has_parts = measures[island, IN_PARTS] == 1.0
    is_one = has_parts == (some.in_parts == 1) and measures[island, DIVISION] == float(some.steps)
    return (some.is_all or is_one) and (each < evaluations or needs_two(tables, island, evaluations))


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
def show_stage(packed: Packed[Step], some: Some, each: int, has_end_kicks: bool, dt: float) -> int:
    """Let forces be evaluated at the states of these islands, before the first kick (-1) or a try of the second one.

    Those that do not take this try are seen as they are.

    Returns:
        1 if actuators kick any bodies by their rates at the end of the tick, else 0.
    """
    stepped = unpack(packed)
    tables, evaluations, again = unpack(stepped.common), stepped.evaluations, 0
    island, at_once = some.first, some.is_all and each < evaluations
    while island < some.last:
        end = some.last if at_once else island + 1
        first, last = tables.islands[island, BODIES], tables.islands[end - 1, BODIES_END]
        is_taken = at_once or _is_taken(tables, island, some, evaluations, each)
        number = each if is_taken else -1
        _ = call(tables.calls[STAGES_CALL], (stepped.common, first, last, number))
        if has_end_kicks and is_taken and each >= 0:
            again = max(again, call(tables.calls[END_KICKS_CALL], (packed, first, last, each, dt)))
        island = end
    return again


@inlined
def kick_stage(
    stepped: Step, some: Some, clock: Clock, step: float, each: int, is_prepared: int, is_repeated: bool
) -> int:
    """Kick the bodies of these islands by the forces at a stage, and move them or make their velocities compatible with the joints.

    Where `is_repeated`, islands whose actuators kick by their rates are tried again.

    Returns:
        The number of the island that failed, or -1.
    """
    tables, forces, evaluations = unpack(stepped.common), stepped.forces, stepped.evaluations
    islands, calls, at_once = tables.islands, tables.calls, some.is_all and each < evaluations
    first, last = islands[some.first, BODIES], islands[some.last - 1, BODIES_END]
    kicked_at_once = 0 if at_once else EVALUATED
    _ = call(calls[KICK_CALL], (forces, first, last, *clock, 0.5 * step, kicked_at_once))
    for island in range(some.first, some.last):
        if at_once or _is_taken(tables, island, some, evaluations, each):
            if not at_once:
                places = (islands[island, BODIES], islands[island, BODIES_END])
                _ = call(calls[KICK_CALL], (forces, *places, *clock, 0.5 * step, KNOWN))
            if each < 0:
                done = call(calls[MOVE_CALL], (stepped.common, island, step, is_prepared))
            else:
                tries = 2 if is_repeated and needs_two(tables, island, evaluations) else evaluations
                done = call(calls[FINISH_CALL], (stepped.common, island, int(each > 0), int(each == tries - 1)))
            if done == 0 and _is_failure(tables.measures, island):
                return island
    return -1


@inlined
def _take_step(
    packed: Packed[Step], some: Some, start: Clock, step: float, is_prepared: int, is_end: bool, dt: float
) -> int:
    """Take a step with some of the islands; the number of the island that failed, or -1."""
    stepped = unpack(packed)
    has_end_kicks = is_end and has_actuators(stepped.actuators)
    is_seen = stepped.evaluations > 1 or has_end_kicks or _are_stages_seen(stepped)
    clock, each, tries = start, -1, stepped.evaluations
    while each < tries:
        again = show_stage(packed, some, each, has_end_kicks, dt) if is_seen else 0
        tries = max(tries, again + 1)
        failed = kick_stage(stepped, some, clock, step, each, is_prepared, again == 1)
        if failed >= 0:
            return failed
        clock, each = _later(start, step), each + 1
    return -1


@inlined
def _are_stages_seen(stepped: Step) -> bool:
    """Whether forces are evaluated at the states in `stages`, or contacts look at the velocities there."""
    forces = unpack(stepped.forces)
    return bool(unpack(stepped.common).touching.shape[0] > 0 or has_forces(forces.calls, forces.counts))


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
            is_all = divisions == steps and taken == last_island - first_island
            piece, some = step / float(steps), Some(first_island, last_island, is_all, in_parts, steps)
            # islands with other numbers of steps change nothing of these
            for each in range(steps if divisions & steps != 0 else 0):
                then, is_last = _later(start, float(each) * piece), is_end and each == steps - 1
                failed = _take_step(packed, some, then, piece, int(number + each > 0), is_last, dt)
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
    for in_parts in range(1 if parts.shape[0] > 1 else 0, -1, -1):
        if failed < 0:
            chosen = parts if in_parts == 1 else one_part
            failed = _take_parts(packed, chosen, in_parts, first_island, last_island, ticks, dt)
    return failed


@inlined
def needs_two(tables: Tables, island: int, evaluations: int) -> bool:
    """Whether the second kick of an island is tried twice only because actuators kick its bodies by their rates."""
    marked = 0.0
    for place in range(tables.islands[island, BODIES], tables.islands[island, BODIES_END]):
        marked += tables.stages[END_KICKS + 6, place]
    return evaluations == 1 and marked > 0.0


@kernel("islands-close")
def islands_close(
    packed: Packed[Outside], first_island: int, last_island: int, stores: bool, has_moved: bool, dt: float
) -> int:
    """Write back the bodies of some islands, if all are finite, and the state of their joints.

    Unless all bodies have moved in this tick (`has_moved`), their states become those at its start.

    Returns:
        The column of a body that is not finite, or -1.
    """
    outside = unpack(packed)
    tables, sizes = unpack(outside.common), outside.sizes
    array, columns, impacts, own, joints = outside.array, outside.columns, outside.impacts, tables.own, tables.joints
    first, last = tables.islands[first_island, BODIES], tables.islands[last_island - 1, BODIES_END]
    first_link, last_link = tables.islands[first_island, LINKS], tables.islands[last_island - 1, LINKS_END]
    soft_link = min(max(first_link, sizes[HARD_LINKS]), last_link)
    columns = columns[tables.islands[first_island, COLUMNS] - first :]
    for place in range(first, last):
        if not is_finite(load_state(own, POSITION, place, load_vector(own, STORED_MOMENTUM, place))):
            return int(columns[place])
    unmoved = first if has_moved else last
    for row in range(STATE_ROWS):
        for place in range(first, unmoved):
            array[PREVIOUS + row, columns[place]] = array[row, columns[place]]
    for row in range(3):
        for place in range(first, unmoved):
            array[PREVIOUS_STORED_MOMENTUM + row, columns[place]] = array[STORED_MOMENTUM + row, columns[place]]
    for link in range(first_link, last_link):
        for entry in range(6):
            joints[FORCE + entry, link] = tables.points[link, GIVEN + entry] / dt
    for link in range(soft_link, last_link):
        joints[CAPTURED_ENERGY, link] += tables.points[link, TAKEN]
    for rows in HARD_STATE:
        _copy_out(outside.table, joints, tables.links, first_link, soft_link, rows)
    _copy_out(outside.table, joints, tables.links, soft_link, last_link, (STATE_FIRST, STATE_LAST))
    for row in range(STATE_ROWS):
        for place in range(first, last):
            array[row, columns[place]] = own[row, place]
    for place in range(first, last if impacts.shape[1] > 0 else first):
        if is_late(impacts, columns[place]):
            store_vector(array, POSITION, columns[place], late_end(array, own, impacts, place, columns[place], dt))
    if stores:
        for row in range(3):
            for place in range(first, last):
                array[STORED_MOMENTUM + row, columns[place]] = own[STORED_MOMENTUM + row, place]
    return -1


@inlined
def _span_end(islands: Integers, first: int, last: int, room: int) -> int:
    """The island after those, from the first one on, that have room for their places together; one at least.

    Where spans share their places, the next one begins at the first place again.
    """
    end = first + 1
    while end < last and 0 < islands[end, BODIES] and islands[end, BODIES_END] - islands[first, BODIES] <= room:
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


@inlined
def _take_again(packed: Packed[Move], island: int, is_hard: bool, ticks: float) -> int:
    """Take the tick of an island again, if it took too few steps or passed limits that it was taken without; its number if it failed."""
    move, failed = unpack(packed), -1
    calls, parts, one, dt = move.calls, move.parts, (island, island + 1), move.dt
    common, rows = unpack(move.step).common, (PREVIOUS, PREVIOUS_STORED_MOMENTUM, move.stored > 0)
    if _needs_more_steps(common, island, parts, dt):
        _ = call(calls[OPEN], (move.outside, *one, *rows))
        failed = call(calls[STEP], (move.step, parts, move.one_part, *one, ticks, dt))
    is_passed = unpack(common).measures[island, LIMITS] == LIMITS_PASSED
    if failed < 0 and parts.shape[0] > 1 and not is_hard and is_passed:
        _ = call(calls[OPEN], (move.outside, *one, *rows))
        failed = call(calls[STEP], (move.step, move.one_part, move.one_part, *one, ticks, dt))
    return failed


@kernel("move-islands")
def move_islands(packed: Packed[Move], operand: int, ticks_left: int) -> int:
    """The operation after the move of all bodies: those of islands are moved again, from the start of the tick, by the step of islands."""
    move = unpack(packed)
    outside, stepped, calls, parts, dt = unpack(move.outside), unpack(move.step), move.calls, move.parts, move.dt
    tables, sizes = unpack(stepped.common), outside.sizes
    stores, island_count = move.stored > 0, sizes[ISLANDS]
    hard_count = sizes[HARD_ISLANDS] if parts.shape[0] > 1 else 0
    # springs, forces at points and actuators are searched once for all islands, unless none acts on any of them
    room = SPAN
    is_pulled = sizes[SPRING_COUNT] + sizes[POINT_COUNT] > 0 or has_actuators(stepped.actuators)
    if is_pulled and sizes[SHARES] == 0:
        room = max(sizes[PLACES], SPAN + 1)
    ticks = float(move.control[TICKS] - 1)  # that of the move has been counted
    move.failed[0] = -1
    failed, bad, first, rows = -1, -1, 0, (PREVIOUS, PREVIOUS_STORED_MOMENTUM, stores)
    while first < island_count and failed < 0 and bad < 0:
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
            if failed < 0:
                failed = _take_again(packed, island, is_hard, ticks)
        if failed < 0:
            bad = call(calls[CLOSE], (move.outside, first, last, stores, True, dt))
        first = last
    if failed >= 0 or bad >= 0:
        move.control[BAD] = bad
        move.failed[0] = failed
        return 0
    return 1
