"""The two stages of a step for islands with contacts.

The impulses of points, and with them those of joints, are found first. Then those of points are held, as a part of the velocities, and the
joints take the stage as they do without contacts, to their own tolerance. A contact can therefore never make joints contradict each other.
"""

from math import sqrt

from ..compilation.compiler import call, inlined, kernel
from ..compilation.packed import Packed, unpack
from ..kernels.vectors import add, apply_symmetric, dot, scale
from ..loops.columns import (
    Array,
    Integers,
    add_to_vector,
    load_symmetric,
    load_vector,
    store_vector,
)
from ..loops.layout import ANGULAR_VELOCITY, INVERSE_INERTIA, INVERSE_MASS, VELOCITY
from .arguments import Tables
from .bounded import unsettled
from .calls import (
    BOUNDS_CALL,
    CONES_CALL,
    DRIFT_CALL,
    JOINT_ROWS_CALL,
    POSITION_CALL,
    SWEEP_CALL,
    VELOCITY_CALL,
)
from .cone import keep_first, unsettled_point, world_impulse
from .energy import is_by_itself, is_kicked, kinetic_energy, take_what_is_gained
from .joint_types import load, store
from .layout import (
    BEFORE_POINTS,
    BODIES,
    BODIES_END,
    BY_NEWTON,
    BY_ROUNDS_ALONE,
    BY_SWEEPS,
    CHANGE,
    CLOSING_SPEED,
    CONE,
    CONTACTS,
    CONTACTS_END,
    END,
    ENERGY,
    FIRST_PLACE,
    FIRST_POINT,
    FIRST_POSITIONS,
    FIRST_ROW,
    FIRST_VELOCITIES,
    FRICTION_COEFFICIENT,
    GAP,
    GOAL,
    GOAL_GAP,
    GOAL_SPEED,
    HELD_SLIP,
    IMPULSE,
    IS_SWEPT,
    IS_TURN,
    KICK_TIME,
    KIND,
    LAST_ROW,
    LINEAR,
    LINKS,
    LINKS_END,
    MISS,
    ON_BODY,
    ON_OTHER,
    POINT_BEFORE,
    POINT_WORK,
    PUSH,
    PUSHED,
    PUSHED_LAST,
    RATE,
    RATE_GAIN,
    RATE_ROW,
    RESIDUAL,
    RESTITUTION,
    ROWS,
    ROWS_END,
    SECOND_PLACE,
    SIZE,
    SOFTNESS,
    SOLVED_BY,
    START,
    SUM,
    TOLERANCE,
    VELOCITY_FORCES,
    YIELDS,
)
from .points import SOFTNESS_OF_A_POINT, find_point_rows
from .rebounds import has_rebounds, mix_rebounds, takes_too_much, work_in_drift
from .solver import along
from .stages import add_impulses, given, miss_at_end, sum_impulses, warm
from .step import KEPT

MOST_CONTACT_ROUNDS = 6
GAP_OF_SIZE = 1e-9
"""Distance at which rounds with contacts stop, as a share of the size of the island."""
NEARLY = 1e4
"""Where repeats hardly reduce what is missed any more, rounds end if it is at most so many times what is wanted."""
CLOSED_OF_SIZE = NEARLY * GAP_OF_SIZE
"""Distance up to which a point is closed, so that it has friction: what rounds may leave, or a point would lose its friction by that."""
PARTING_RATE, MOST_PARTING = 12.0, 1.0
"""Rate [1/s] at which overlaps are removed, and the largest speed [m/s] of this."""
CLOSED_OF_SIZE_IN_SWEEPS, PARTING_RATE_IN_SWEEPS = 1e-4, 3.0
"""The same where sweeps solve the equations, which leave larger gaps, of both signs, and are slower than what these would ask for: at 12/s,
stacks of more than three boxes do not come to rest. A small positive gap closes at this rate as well."""


@inlined
def _rate(work: Array, rows: Array, row: int, place: int, other: int, velocities: Array, block: int) -> float:
    """Rate of a row for the velocities in these rows of an array."""
    linear = load(rows, row, LINEAR)
    rate = dot(linear, load_vector(velocities, block + VELOCITY, place))
    rate += dot(load(rows, row, ON_BODY), load_vector(velocities, block + ANGULAR_VELOCITY, place))
    if other >= 0:
        rate -= dot(linear, load_vector(velocities, block + VELOCITY, other))
        rate -= dot(load(rows, row, ON_OTHER), load_vector(velocities, block + ANGULAR_VELOCITY, other))
    return rate


@inlined
def _slip(work: Array, rows: Array, row: int, place: int, other: int, velocities: Array, block: int) -> float:
    """The speed at which a point slips for the velocities in these rows of an array."""
    one = _rate(work, rows, row + 1, place, other, velocities, block) - float(rows[row + 1, GOAL])
    two = _rate(work, rows, row + 2, place, other, velocities, block) - float(rows[row + 2, GOAL])
    return sqrt(one * one + two * two)


@inlined
def rebound(
    gap: float, speed: float, acceleration: float, restitution: float, has_friction: bool, step: float, closed: float
) -> tuple[float, float, float]:
    """Gap and normal velocity at the end of a step after an impact in it, and the closing speed of the impact; all zero if there is none.

    The bodies approach each other and separate on parabolas. With friction, which acts only on a closed gap, the rebound starts at the end
    of the step. A rebound that would end within the step counts as rest. A point that is closed at the end of the step, and would meet in
    the next one, rebounds at once, because what is closed is kept from closing.

    Args:
        gap: Distance at the start of the step.
        speed: Normal velocity then, before the kick; negative if the gap closes.
        acceleration: Normal acceleration by the kicks.
        restitution: Ratio of the speeds after and before the impact.
        has_friction: Whether there is friction.
        step: Length of the step.
        closed: The largest gap that is closed.
    """
    gap = max(gap, 0.0)
    squared = speed * speed - 2.0 * acceleration * gap
    if not squared > 0.0:
        return 0.0, 0.0, 0.0
    closing = sqrt(squared)
    if closing - speed > 1e-9 * closing:
        after = step - 2.0 * gap / (closing - speed)
    elif acceleration < 0.0:  # it has just separated, and comes back
        after = step + (speed + closing) / acceleration
    else:
        return 0.0, 0.0, 0.0
    away = restitution * closing
    if after <= 0.0 and -after * closing <= closed:
        return 0.0, away, closing
    place = away * after + 0.5 * acceleration * after * after
    if not after > 0.0 or not place > 0.0:
        return 0.0, 0.0, 0.0
    if has_friction:
        return 0.0, away, closing
    return place, away + acceleration * after, closing


@inlined
def closing_speed(gap: float, speed: float, acceleration: float, step: float, closed: float, rest: float) -> float:
    """Speed at which a gap closes within a step; 0 if it does not, or not faster than the acceleration makes it within a step.

    A gap that is as small as `closed` at the end of the step is not there. What closes by no more than `rest` within a step is at rest:
    bodies that rest on each other fall alike, and the speeds that solves leave between them are of both signs.

    Args:
        gap: Distance at the start of the step.
        speed: Normal velocity then, before the kick; negative if the gap closes.
        acceleration: Normal acceleration by the kicks.
        step: Length of the step.
    """
    gap = max(gap, 0.0)
    squared = speed * speed - 2.0 * acceleration * gap
    if not squared > 0.0:
        return 0.0
    closing = sqrt(squared)
    # what rests on something closes it anew in each step
    if closing <= abs(acceleration) * step or closing * step <= rest or not closing > speed:
        return 0.0
    if (2.0 * gap / (closing - speed) - step) * closing > closed:
        return 0.0
    return closing


@inlined
def _begin_positions(
    work: Array,
    stages: Array,
    links: Integers,
    touching: Array,
    rows: Array,
    first: int,
    last: int,
    closed: float,
    rest: float,
    parting: float,
    kick: float,
    step: float,
) -> None:
    """Set the goals of points for a drift, from the velocities before and after the kick and the gaps at its start.

    What each first solve holds of the slip is that before the kick, which at rest is none.
    """
    for link in range(first, last):
        place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW], 3):
            point = links[link, FIRST_POINT] + (row - links[link, FIRST_ROW]) // 3
            gap = float(touching[point, GAP])
            goal = float(rows[row, GOAL])
            now = speed = _rate(work, rows, row, place, other, work, START) - goal
            acceleration, slip = 0.0, _slip(work, rows, row, place, other, work, START)
            if kick > 0.0:
                slip = _slip(work, rows, row, place, other, stages, 0)
                speed = _rate(work, rows, row, place, other, stages, 0) - goal
                acceleration = (now - speed) / kick
            touching[point, GOAL_GAP] = touching[point, GOAL_SPEED] = 0.0
            if gap < 0.0 or (gap <= closed and parting != PARTING_RATE):
                touching[point, GOAL_GAP] = gap + step * min(-parting * gap, MOST_PARTING)
            friction, restitution = float(touching[point, FRICTION_COEFFICIENT]), float(touching[point, RESTITUTION])
            if restitution > 0.0:
                place_after, speed_after, _closing = rebound(
                    gap, speed, acceleration, restitution, friction > 0.0, step, closed
                )
                if speed_after != 0.0:
                    # what overlaps rebounds from where it is, or the way out of a deep one would be taken in this step
                    touching[point, GOAL_GAP] = max(float(touching[point, GOAL_GAP]), min(gap, 0.0) + place_after)
                    touching[point, GOAL_SPEED] = speed_after
            closing = closing_speed(gap, speed, acceleration, step, closed, rest)
            touching[point, CLOSING_SPEED] = max(float(touching[point, CLOSING_SPEED]), closing)
            touching[point, CONE] = friction if gap <= closed else 0.0
            touching[point, HELD_SLIP] = float(touching[point, CONE]) * slip
            store(touching, point, POINT_BEFORE, (0.0, 0.0, 0.0))
            last_push = load(touching, point, PUSHED_LAST)
            store(touching, point, PUSHED, add(load(touching, point, PUSHED), last_push))
            store(touching, point, PUSHED_LAST, (0.0, 0.0, 0.0))
            for entry in range(3):
                rows[row + entry, IMPULSE] = 0.0


@inlined
def _begin_velocities(links: Integers, touching: Array, rows: Array, first: int, last: int, closed: float) -> None:
    """Find the points that act on the velocities: those that are closed, and those that have pushed, whatever gap this left."""
    for link in range(first, last):
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW], 3):
            point = links[link, FIRST_POINT] + (row - links[link, FIRST_ROW]) // 3
            acts = touching[point, GAP] <= closed or touching[point, POINT_BEFORE] > 0.0
            touching[point, CONE] = float(touching[point, FRICTION_COEFFICIENT]) if acts else -1.0
            for entry in range(3):
                rows[row + entry, IMPULSE] = 0.0


@inlined
def _give_change(work: Array, rows: Array, row: int, place: int, other: int, impulse: float) -> None:
    """Add an impulse of a row to the sums on its bodies, linear in the world frame and angular in the body frame."""
    add_to_vector(work, CHANGE, place, scale(impulse, load(rows, row, LINEAR)))
    add_to_vector(work, CHANGE + 3, place, scale(impulse, load(rows, row, ON_BODY)))
    if other >= 0:
        add_to_vector(work, CHANGE, other, scale(-impulse, load(rows, row, LINEAR)))
        add_to_vector(work, CHANGE + 3, other, scale(-impulse, load(rows, row, ON_OTHER)))


@inlined
def _expect(
    own: Array,
    work: Array,
    links: Integers,
    touching: Array,
    points: Array,
    rows: Array,
    places: tuple[int, int],
    contacts: tuple[int, int],
    joints: tuple[int, int],
    column: int,
    step: float,
) -> None:
    """Expect the change of the velocities by the impulses of points in the first solve of the last step and by those of joints in it, and
    the rates of all rows for it.

    The impulses of joints then start from zero as those of points do. What they were in an impact would fling the bodies so far in the
    drift that what is missed at its end says nothing.
    """
    for place in range(*places):
        store_vector(work, CHANGE, place, (0.0, 0.0, 0.0))
        store_vector(work, CHANGE + 3, place, (0.0, 0.0, 0.0))
    for link in range(*contacts):
        place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
            point = links[link, FIRST_POINT] + (row - links[link, FIRST_ROW]) // 3
            impulse = step * dot(load(rows, row, LINEAR), load(touching, point, column))
            _give_change(work, rows, row, place, other, impulse)
    for link in range(*joints):
        place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
            _give_change(work, rows, row, place, other, float(rows[row, IMPULSE]))
            rows[row, IMPULSE] = 0.0
    for place in range(*places):
        moved = scale(float(own[INVERSE_MASS, place]), load_vector(work, CHANGE, place))
        turned = apply_symmetric(load_symmetric(own, INVERSE_INERTIA, place), load_vector(work, CHANGE + 3, place))
        store_vector(work, CHANGE, place, moved)
        store_vector(work, CHANGE + 3, place, turned)
    _set_rates(work, links, rows, *contacts)
    _set_rates(work, links, rows, *joints)


@inlined
def _set_rates(work: Array, links: Integers, rows: Array, first: int, last: int) -> None:
    for link in range(first, last):
        place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
            rows[row, RATE] = along(work, rows, row, place, other, CHANGE, CHANGE + 3)
            rows[row, RATE_GAIN] = 0.0  # that of another island, which may not be finite, is in its place


@inlined
def _take_first(
    links: Integers, touching: Array, rows: Array, first: int, last: int, column: int, closed: float, step: float
) -> None:
    """Start sweeps from the impulses of the last step, at points that are closed."""
    for link in range(first, last):
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
            point = links[link, FIRST_POINT] + (row - links[link, FIRST_ROW]) // 3
            rows[row, IMPULSE] = 0.0
            if touching[point, GAP] <= closed:
                rows[row, IMPULSE] = step * dot(load(rows, row, LINEAR), load(touching, point, column))


@inlined
def _miss_points_at_end(links: Integers, touching: Array, rows: Array, first: int, last: int, step: float) -> float:
    """What points miss at the end of a drift; the largest, as a velocity."""
    worst = 0.0
    for link in range(first, last):
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW], 3):
            point = links[link, FIRST_POINT] + (row - links[link, FIRST_ROW]) // 3
            rows[row, MISS] = (float(rows[row, RESIDUAL]) - float(touching[point, GOAL_GAP])) / step
            rows[row + 1, MISS] = float(rows[row + 1, RESIDUAL]) / step
            rows[row + 2, MISS] = float(rows[row + 2, RESIDUAL]) / step
            worst = max(worst, unsettled_point(rows, touching, row, point))
    return worst


@inlined
def _miss_points_by_rates(
    work: Array,
    links: Integers,
    touching: Array,
    rows: Array,
    first: int,
    last: int,
    block: int,
    step: float,
    share: float,
) -> float:
    """What points miss by the velocities in these rows of the work array, up to the end of a drift if `step` is not 0; the largest.

    Otherwise they are to part with a share of the speeds of their rebounds.
    """
    worst = 0.0
    for link in range(first, last):
        place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW], 3):
            point = links[link, FIRST_POINT] + (row - links[link, FIRST_ROW]) // 3
            for entry in range(3):
                rows[row + entry, MISS] = along(
                    work, rows, row + entry, place, other, block + VELOCITY, block + ANGULAR_VELOCITY
                ) - float(rows[row + entry, GOAL])
            if step != 0.0:
                rows[row, MISS] += (float(touching[point, GAP]) - float(touching[point, GOAL_GAP])) / step
            else:
                rows[row, MISS] -= share * touching[point, GOAL_SPEED]
            worst = max(worst, unsettled_point(rows, touching, row, point))
    return worst


@inlined
def _set_velocities(own: Array, work: Array, first: int, last: int) -> None:
    """Give the summed impulses to the velocities in the end block of the work array."""
    for place in range(first, last):
        velocity, rates = given(own, work, place)
        store_vector(work, END + VELOCITY, place, velocity)
        store_vector(work, END + ANGULAR_VELOCITY, place, rates)


@inlined
def _correct_cones(tables: Tables, island: int, wanted: float, column: int, step: float) -> int:
    """Call `cone.correct_cones`."""
    changed = (tables.own, tables.work, tables.links, tables.islands, tables.touching, tables.rows)
    arrays = (*changed, tables.blocks, tables.program, tables.measures, tables.calls)
    return call(tables.calls[CONES_CALL], (*arrays, island, wanted, column, step))


@inlined
def _begin_softer(
    work: Array, links: Integers, rows: Array, bodies: tuple[int, int], contacts: tuple[int, int]
) -> bool:
    """Begin a stage again, without impulses of points, and with softer points, if some are harder than those of bodies with equal masses.

    Where masses differ, points must be hard, and Newton's method then does not always end where something begins to slide or to stick.
    """
    is_softer = False
    for link in range(*contacts):
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW], 3):
            yields = max(float(rows[row, YIELDS]), float(rows[row + 1, YIELDS]), float(rows[row + 2, YIELDS]))
            softness, most = float(rows[row, SOFTNESS]), 0.1 * SOFTNESS_OF_A_POINT * yields
            if softness < most:
                softness, is_softer = min(10.0 * softness, most), True
            for entry in range(row, row + 3):
                rows[entry, SOFTNESS] = softness
                rows[entry, IMPULSE] = rows[entry, RATE] = 0.0
    for place in range(*bodies):
        for entry in range(6):
            work[CHANGE + entry, place] = 0.0
    return is_softer


@inlined
def _sweep_anew(
    tables: Tables,
    island: int,
    lists: tuple[tuple[int, int], tuple[int, int], tuple[int, int]],
    column: int,
    closed: float,
    step: float,
    drift: float,
    share: float,
) -> None:
    """Find the impulses of points by sweeps from those of the last tick, for the rates up to the end of a drift."""
    own, work, links, points = tables.own, tables.work, tables.links, tables.points
    touching, rows, (bodies, contacts, joints) = tables.touching, tables.rows, lists
    _take_first(links, touching, rows, *contacts, column, closed, step)
    sum_impulses(work, links, points, rows, *bodies, *joints)
    add_impulses(work, links, points, rows, *contacts)
    _set_velocities(own, work, *bodies)
    _ = _miss_points_by_rates(work, links, touching, rows, *contacts, END, drift, share)
    _ = call(tables.calls[SWEEP_CALL], (own, work, links, tables.islands, touching, rows, island))
    keep_first(links, touching, rows, *contacts, column, step)


@kernel("island-point-positions")
def point_position_stage(common: Packed[Tables], island: int, step: float, is_patient: int) -> int:
    """Find the impulses of points and joints with which gaps do not close at the end of the drift, and drift; 1 if the joints hold."""
    tables = unpack(common)
    own, work, links, islands = tables.own, tables.work, tables.links, tables.islands
    points, rows, calls, touching = tables.points, tables.rows, tables.calls, tables.touching
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    size, has_joints = float(tables.measures[island, SIZE]), first_link < last_link
    contacts = (islands[island, CONTACTS], islands[island, CONTACTS_END])
    must_sweep = islands[island, IS_SWEPT] == 1
    enough, found, solver = GAP_OF_SIZE * size, 1, BY_SWEEPS if must_sweep else BY_NEWTON
    closed = (CLOSED_OF_SIZE_IN_SWEEPS if must_sweep else CLOSED_OF_SIZE) * size
    parting, kick = PARTING_RATE_IN_SWEEPS if must_sweep else PARTING_RATE, float(tables.measures[island, KICK_TIME])
    rest = closed if must_sweep else enough
    tables.measures[island, ENERGY] = -1.0
    if not has_joints and is_by_itself(links, *contacts) and not is_kicked(own, tables.stages, VELOCITY, first, last):
        tables.measures[island, ENERGY] = kinetic_energy(own, work, START, first, last)
    _begin_positions(work, tables.stages, links, touching, rows, *contacts, closed, rest, parting, kick, step)
    if has_joints:
        warm(tables.joints, links, rows, first_link, last_link, step)
        tolerance = float(tables.measures[island, TOLERANCE])
        _ = call(calls[BOUNDS_CALL], (common, first_link, last_link, 0, size, tolerance, step))
    lists = ((first, last), contacts, (first_link, last_link))
    _expect(own, work, links, touching, points, rows, *lists, FIRST_POSITIONS, step)
    last_turn = MOST_CONTACT_ROUNDS
    for turn in range(0 if must_sweep else 2 * MOST_CONTACT_ROUNDS + 1):
        sum_impulses(work, links, points, rows, first, last, first_link, last_link)
        add_impulses(work, links, points, rows, *contacts)
        _drift(common, island, step)
        worst = step * _miss_points_at_end(links, touching, rows, *contacts, step)
        worst = _miss_joints_at_end(rows, islands[island, ROWS], islands[island, ROWS_END], worst, size, step)
        if worst <= enough or (found == 2 and worst <= NEARLY * enough):
            break
        if turn == last_turn:
            solver = BY_ROUNDS_ALONE
            break
        wanted = max(1e-3 * worst, 0.1 * enough) / step
        column = FIRST_POSITIONS if turn == 0 or found == 0 else 0
        found = _correct_cones(tables, island, wanted, column, step)
        if found == 0:
            last_turn = 2 * MOST_CONTACT_ROUNDS
            if turn == last_turn - 1 or not _begin_softer(work, links, rows, (first, last), contacts):
                must_sweep, solver = True, BY_SWEEPS
                break
    if must_sweep:
        _sweep_anew(tables, island, lists, FIRST_POSITIONS, closed, step, step, 1.0)
    # the impulses of points are held from here on
    sum_impulses(work, links, points, rows, first, last, *contacts)
    if has_joints:
        _give(own, work, first, last)
        _expect_joints(tables.joints, links, rows, first_link, last_link, step)
        if call(calls[POSITION_CALL], (common, island, step, is_patient)) == 0:
            _take_back(work, first, last)
            return 0
    elif must_sweep:
        _drift(common, island, step)
    _keep_work(common, island, kick > 0.0)
    sum_impulses(work, links, points, rows, first, last, *contacts)
    for place in range(first, last):
        add_to_vector(work, SUM, place, load_vector(work, PUSH, place))
    _keep_positions(links, touching, rows, *contacts, solver)
    return 1


@inlined
def _keep_work(common: Packed[Tables], island: int, is_kicked: bool) -> None:
    """Keep the work of the impulses of a drift, which the rebounds after it may take."""
    tables = unpack(common)
    islands = tables.islands
    joints, contacts = (
        (islands[island, LINKS], islands[island, LINKS_END]),
        (
            islands[island, CONTACTS],
            islands[island, CONTACTS_END],
        ),
    )
    if has_rebounds(tables.links, tables.touching, *contacts):
        has_joints = joints[0] < joints[1]
        before = (BEFORE_POINTS, BEFORE_POINTS + 3) if has_joints else (START + VELOCITY, START + ANGULAR_VELOCITY)
        sides = (tables.links, tables.rows, (islands[island, BODIES], islands[island, BODIES_END]), (joints, contacts))
        tables.measures[island, POINT_WORK] = work_in_drift(
            tables.own, tables.work, tables.stages, *sides, *before, is_kicked
        )


@inlined
def _miss_joints_at_end(rows: Array, first: int, last: int, worst: float, size: float, step: float) -> float:
    """What the rows of joints miss at the end of the drift, and the most of it and of what was missed otherwise [m]."""
    for row in range(first, last):
        rows[row, MISS] = miss_at_end(rows, row, step)
        worst = max(worst, abs(unsettled(rows, row) * step) * (size if rows[row, IS_TURN] != 0.0 else 1.0))
    return worst


@inlined
def _keep_positions(links: Integers, touching: Array, rows: Array, first: int, last: int, solver: int) -> None:
    """Keep the impulses of points for the next stage and for the tick, and what has found them."""
    for link in range(first, last):
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW], 3):
            point = links[link, FIRST_POINT] + (row - links[link, FIRST_ROW]) // 3
            for entry in range(3):
                touching[point, POINT_BEFORE + entry] = rows[row + entry, IMPULSE]
            store(touching, point, PUSHED, add(load(touching, point, PUSHED), world_impulse(rows, row)))
            _note_solver(touching, point, solver)


@inlined
def _note_solver(touching: Array, point: int, solver: int) -> None:
    """Note what found the impulse of a point; the less exact one of both stages, and of all steps of a tick, counts."""
    touching[point, SOLVED_BY] = max(float(touching[point, SOLVED_BY]), float(solver))


@inlined
def _drift(common: Packed[Tables], island: int, step: float) -> None:
    """Drift after the summed impulses, and compute the residuals of all rows at the end."""
    tables = unpack(common)
    work, islands = tables.work, tables.islands
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    first_contact, last_contact = islands[island, CONTACTS], islands[island, CONTACTS_END]
    _ = call(tables.calls[DRIFT_CALL], (tables.own, work, work, first, last, step))
    if first_link < last_link:
        _ = call(tables.calls[JOINT_ROWS_CALL], (common, island, first_link, last_link, END, 0))
    find_point_rows(tables, island, first_contact, last_contact, END, 0)


@inlined
def _give(own: Array, work: Array, first: int, last: int) -> None:
    """Make the summed impulses a part of the velocities at the start block of the work array."""
    for place in range(first, last):
        store_vector(work, BEFORE_POINTS, place, load_vector(work, START + VELOCITY, place))
        store_vector(work, BEFORE_POINTS + 3, place, load_vector(work, START + ANGULAR_VELOCITY, place))
        velocity, rates = given(own, work, place)
        store_vector(work, START + VELOCITY, place, velocity)
        store_vector(work, START + ANGULAR_VELOCITY, place, rates)


@inlined
def _take_back(work: Array, first: int, last: int) -> None:
    """Undo that, for a shorter drift."""
    for place in range(first, last):
        store_vector(work, START + VELOCITY, place, load_vector(work, BEFORE_POINTS, place))
        store_vector(work, START + ANGULAR_VELOCITY, place, load_vector(work, BEFORE_POINTS + 3, place))


@inlined
def _expect_joints(joints: Array, links: Integers, rows: Array, first: int, last: int, step: float) -> None:
    """Let joints start from the impulses that they have now."""
    for link in range(first, last):
        first_row = links[link, FIRST_ROW]
        for row in range(first_row, links[link, LAST_ROW]):
            joints[VELOCITY_FORCES + row - first_row, link] = float(rows[row, IMPULSE]) / step


@inlined
def _find_velocities(common: Packed[Tables], island: int, step: float, closed: float, share: float) -> int:
    """Find the impulses of points and joints at the end pose with a share of the rebounds, and set the velocities there; by what."""
    tables = unpack(common)
    own, work, links, islands = tables.own, tables.work, tables.links, tables.islands
    points, rows, calls, touching = tables.points, tables.rows, tables.calls, tables.touching
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    contacts = (islands[island, CONTACTS], islands[island, CONTACTS_END])
    size = float(tables.measures[island, SIZE])
    must_sweep = islands[island, IS_SWEPT] == 1
    solver = BY_SWEEPS if must_sweep else BY_NEWTON
    _begin_velocities(links, touching, rows, *contacts, closed)
    if first_link < last_link:
        warm(tables.joints, links, rows, first_link, last_link, step)
        tolerance = float(tables.measures[island, TOLERANCE])
        _ = call(calls[BOUNDS_CALL], (common, first_link, last_link, 1, size, tolerance, step))
    lists = ((first, last), contacts, (first_link, last_link))
    _expect(own, work, links, touching, points, rows, *lists, FIRST_VELOCITIES, step)
    enough, found = 0.1 * GAP_OF_SIZE * size / step, 1
    last_turn = MOST_CONTACT_ROUNDS
    for turn in range(0 if must_sweep else 2 * MOST_CONTACT_ROUNDS + 1):
        sum_impulses(work, links, points, rows, first, last, first_link, last_link)
        add_impulses(work, links, points, rows, *contacts)
        _set_velocities(own, work, first, last)
        worst = _miss_points_by_rates(work, links, touching, rows, *contacts, END, 0.0, share)
        worst = _miss_joints_by_rates(work, links, rows, first_link, last_link, worst, size)
        if worst <= enough or (found == 2 and worst <= NEARLY * enough):
            break
        if turn == last_turn:
            solver = BY_ROUNDS_ALONE
            break
        wanted = max(1e-3 * worst, 0.1 * enough)
        column = FIRST_VELOCITIES if turn == 0 or found == 0 else 0
        found = _correct_cones(tables, island, wanted, column, step)
        if found == 0:
            last_turn = 2 * MOST_CONTACT_ROUNDS
            if turn == last_turn - 1 or not _begin_softer(work, links, rows, (first, last), contacts):
                must_sweep, solver = True, BY_SWEEPS
                break
    if must_sweep:
        _sweep_anew(tables, island, lists, FIRST_VELOCITIES, closed, step, 0.0, share)
        sum_impulses(work, links, points, rows, first, last, first_link, last_link)
        add_impulses(work, links, points, rows, *contacts)
        _set_velocities(own, work, first, last)
    return solver


@kernel("island-point-velocities")
def point_velocity_stage(common: Packed[Tables], island: int, step: float) -> int:
    """Find the impulses of points and joints at the end pose with which no point closes, and give them to the velocities there.

    Rebounds may only take what the impacts leave (see `rebounds`): if they take more, there is a second solve without them.
    """
    tables = unpack(common)
    work, links, islands, rows = tables.work, tables.links, tables.islands, tables.rows
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    contacts = (islands[island, CONTACTS], islands[island, CONTACTS_END])
    is_swept = islands[island, IS_SWEPT] == 1
    closed = (CLOSED_OF_SIZE_IN_SWEEPS if is_swept else CLOSED_OF_SIZE) * float(tables.measures[island, SIZE])
    for place in range(first, last):
        for entry in range(13):
            work[START + entry, place] = work[END + entry, place]
    solver, rebounds, drift = (
        BY_NEWTON,
        has_rebounds(links, tables.touching, *contacts),
        float(tables.measures[island, POINT_WORK]),
    )
    spans = ((first_link, last_link), contacts)
    for number in range(2):
        solver = max(solver, _find_velocities(common, island, step, closed, 1.0 - float(number)))
        if number == 1:
            mix_rebounds(work, links, rows, spans, drift)
        elif not rebounds or not takes_too_much(work, links, rows, spans, drift):
            break
    sum_impulses(work, links, tables.points, rows, first, last, *contacts)
    for place in range(first, last):
        add_to_vector(work, SUM, place, load_vector(work, PUSH, place))
    for link in range(*contacts):
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW], 3):
            point = links[link, FIRST_POINT] + (row - links[link, FIRST_ROW]) // 3
            store(tables.touching, point, PUSHED_LAST, world_impulse(rows, row))
            _note_solver(tables.touching, point, solver)
    _set_velocities(tables.own, work, first, last)
    before = float(tables.measures[island, ENERGY])
    if before >= 0.0 and not is_kicked(tables.own, tables.stages, KEPT, first, last):
        take_what_is_gained(tables.own, work, first, last, before)
    if first_link < last_link:
        _expect_joints(tables.joints, links, rows, first_link, last_link, step)
        return int(call(tables.calls[VELOCITY_CALL], (common, island, step)))
    return 1


@inlined
def _miss_joints_by_rates(
    work: Array, links: Integers, rows: Array, first: int, last: int, worst: float, size: float
) -> float:
    """What the rows of joints miss at the end pose, and the most of it and of what was missed otherwise [m/s]."""
    for link in range(first, last):
        place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
            miss = along(work, rows, row, place, other, END + VELOCITY, END + ANGULAR_VELOCITY)
            if rows[row, KIND] == RATE_ROW:
                miss -= float(rows[row, GOAL])
            rows[row, MISS] = miss
            worst = max(worst, abs(unsettled(rows, row)) * (size if rows[row, IS_TURN] != 0.0 else 1.0))
    return worst
