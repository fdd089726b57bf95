"""The two stages of an island step: impulses such that joints hold at the end of a drift, and such that their rates vanish.

Source: Andersen (1983), RATTLE.
"""

from ..compilation.compiler import call, inlined, kernel
from ..compilation.packed import Packed, unpack
from ..kernels.quaternions import rotate_inverse
from ..kernels.vectors import Vector, add, add_scaled, apply_symmetric, cross, dot, scale, subtract
from ..loops.columns import Array, Integers, add_to_vector, load_quaternion, load_symmetric, load_vector, store_vector
from ..loops.layout import ANGULAR_VELOCITY, INVERSE_INERTIA, INVERSE_MASS, ORIENTATION, VELOCITY
from .arguments import Tables
from .bounded import WITHOUT_LIMITS, unsettled
from .calls import BALANCE_CALL, BOUNDED_CALL, BOUNDS_CALL, DRIFT_CALL, JOINT_ROWS_CALL
from .joint_types import load
from .layout import (
    ANGULAR,
    ARM,
    BEST,
    BODIES,
    BODIES_END,
    DAMPING,
    END,
    FEED,
    FIRST_PLACE,
    FIRST_ROW,
    GIVEN,
    GOAL,
    GUESSED,
    HAS_LOOP,
    IMPULSE,
    IS_HARD,
    IS_TURN,
    KIND,
    LAST_ROW,
    LIMITS,
    LIMITS_AWAY,
    LINEAR,
    LINKS,
    LINKS_END,
    LOWER_LIMIT,
    MISS,
    MISSED,
    MOVED,
    ON_BODY,
    ON_OTHER,
    OTHER_ARM,
    POSITION_FORCES,
    PUSH,
    RATE_ROW,
    RESIDUAL,
    ROWS,
    ROWS_END,
    SECOND_PLACE,
    SIZE,
    SOFT,
    SOFT_AXIS,
    SOFTNESS,
    SPRING_ROW,
    START,
    START_COORDINATE,
    STIFFNESS,
    SUM,
    TAKEN,
    TOLERANCE,
    TOTAL,
    TWIST,
    TYPE,
    UPPER_LIMIT,
    VELOCITY_FORCES,
    WORST,
    WORST_LINK,
)
from .solver import along, correct_equalities

MOST_ROUNDS = 16
MOST_PATIENT_ROUNDS, MOST_IDLE_ROUNDS = 200, 12
"""Rounds of a patient stage, and those of them that may bring nothing."""
MOST_TOLERANCES = 1e4
"""The largest position error that a patient stage may leave, in tolerances."""
_HUGE = 1e300
MOST_RATE_OF_SIZE = 2e-11
"""Rate that a velocity stage may leave, per size of the island [1/s]; from a tick of 1/240 s on, the tolerance asks for less."""
MOST_CORRECTIONS = 9


@inlined
def sum_impulses(
    work: Array, links: Integers, points: Array, rows: Array, first: int, last: int, first_link: int, last_link: int
) -> None:
    """Sum the impulses of the rows on each body; both bodies of a joint get the same one at the common point."""
    for place in range(first, last):
        store_vector(work, PUSH, place, (0.0, 0.0, 0.0))
        store_vector(work, TWIST, place, (0.0, 0.0, 0.0))
    add_impulses(work, links, points, rows, first_link, last_link)


@inlined
def add_impulses(work: Array, links: Integers, points: Array, rows: Array, first_link: int, last_link: int) -> None:
    """Add the impulses of the rows of some links to the sums on their bodies."""
    for link in range(first_link, last_link):
        push, twist = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
            impulse = float(rows[row, IMPULSE])
            push = add_scaled(push, impulse, load(rows, row, LINEAR))
            twist = add_scaled(twist, impulse, load(rows, row, ANGULAR))
        place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
        add_to_vector(work, PUSH, place, push)
        add_to_vector(work, TWIST, place, add(cross(load(points, link, ARM), push), twist))
        if other >= 0:
            add_to_vector(work, PUSH, other, scale(-1.0, push))
            add_to_vector(work, TWIST, other, scale(-1.0, add(cross(load(points, link, OTHER_ARM), push), twist)))


@inlined
def given(own: Array, work: Array, place: int) -> tuple[Vector, Vector]:
    """Velocity and angular velocity after the summed impulses, which act at the pose in the start block of the work array."""
    push, twist = load_vector(work, PUSH, place), load_vector(work, TWIST, place)
    velocity = add_scaled(load_vector(work, START + VELOCITY, place), float(own[INVERSE_MASS, place]), push)
    q = load_quaternion(work, START + ORIENTATION, place)
    turn = apply_symmetric(load_symmetric(own, INVERSE_INERTIA, place), rotate_inverse(q, 2.0, twist))
    return velocity, add(load_vector(work, START + ANGULAR_VELOCITY, place), turn)


@inlined
def _keep_misses(rows: Array, first: int, last: int) -> None:
    """Keep what the rows miss before a round, beside the two rounds before it."""
    for row in range(first, last):
        rows[row, MISSED + 2] = rows[row, MISSED + 1]
        rows[row, MISSED + 1] = rows[row, MISSED]
        rows[row, MISSED] = rows[row, MISS]


@inlined
def _mix(rows: Array, first: int, last: int, size: float, before: int) -> None:
    """Mix the impulses after a round with those after the rounds before it, of which there were so many.

    The shares are those for which what the rows missed before these rounds, mixed alike, is least. Where the rounds reduce the errors by a
    factor each, in one or two directions, the mixture is near their limit. Source: Anderson (1965), here with a memory of two rounds.
    """
    # least squares: the miss less shares of its differences from the two before
    aa = ab = bb = ar = br = 0.0
    for row in range(first, last):
        length = size if rows[row, IS_TURN] != 0.0 else 1.0
        miss = length * float(rows[row, MISSED])
        a = miss - length * float(rows[row, MISSED + 1]) if before > 0 else 0.0
        b = miss - length * float(rows[row, MISSED + 2]) if before > 1 else 0.0
        aa, ab, bb = aa + a * a, ab + a * b, bb + b * b
        ar, br = ar + a * miss, br + b * miss
    first_share = second_share = 0.0
    determinant = aa * bb - ab * ab
    if determinant > 1e-10 * aa * bb:
        first_share = (ar * bb - br * ab) / determinant
        second_share = (br * aa - ar * ab) / determinant
    elif aa > 0.0:
        first_share = ar / aa
    for row in range(first, last):
        impulse = float(rows[row, IMPULSE])
        one, two = float(rows[row, GUESSED]), float(rows[row, GUESSED + 1])
        if before > 0:
            rows[row, IMPULSE] = impulse - first_share * (impulse - one) - second_share * (impulse - two)
        rows[row, GUESSED + 1] = one
        rows[row, GUESSED] = impulse


@inlined
def miss_at_end(rows: Array, row: int, step: float) -> float:
    """What a row misses at the end of a drift, as a velocity."""
    kind, value = int(rows[row, KIND]), float(rows[row, RESIDUAL])
    target = float(rows[row, GOAL])
    if kind == LOWER_LIMIT or kind == UPPER_LIMIT:
        return (value - target) / step
    if kind == RATE_ROW:
        return float(rows[row, MOVED]) / step - target
    if kind == SPRING_ROW:
        stiffness, damping = float(rows[row, STIFFNESS]), float(rows[row, DAMPING])
        start = float(rows[row, START_COORDINATE])
        # the implicit midpoint rule: half of the spring's impulse over the step
        wanted = -0.5 * step * stiffness * (0.5 * (start + value) - target) - 0.5 * damping * float(rows[row, MOVED])
        wanted += 0.5 * step * float(rows[row, FEED])
        return float(rows[row, SOFTNESS]) * (float(rows[row, IMPULSE]) - wanted)
    return value / step


@inlined
def warm(joints: Array, links: Integers, rows: Array, first: int, last: int, step: float) -> None:
    """Start the impulses of a stage from the mean forces that are expected."""
    for link in range(first, last):
        first_row = links[link, FIRST_ROW]
        for row in range(first_row, links[link, LAST_ROW]):
            rows[row, IMPULSE] = step * float(joints[VELOCITY_FORCES + row - first_row, link])


@inlined
def _keep_positions(joints: Array, links: Integers, rows: Array, first: int, last: int, step: float) -> None:
    """Keep the mean forces of a position stage, and expect those of the velocity stage after it, at the next pose.

    The velocity stage before it had nearly the same forces, at the same pose, and they are expected to grow from pose to pose as before.
    """
    for link in range(first, last):
        first_row = links[link, FIRST_ROW]
        for row in range(first_row, links[link, LAST_ROW]):
            number = row - first_row
            force = float(rows[row, IMPULSE]) / step
            before, after = float(joints[POSITION_FORCES + number, link]), float(joints[VELOCITY_FORCES + number, link])
            joints[POSITION_FORCES + number, link] = force
            joints[VELOCITY_FORCES + number, link] = force + (after - before)


@inlined
def _keep_velocities(joints: Array, links: Integers, rows: Array, first: int, last: int, step: float) -> None:
    """Keep the mean forces of a velocity stage, which are expected in the position stage at the same pose."""
    for link in range(first, last):
        first_row = links[link, FIRST_ROW]
        for row in range(first_row, links[link, LAST_ROW]):
            joints[VELOCITY_FORCES + row - first_row, link] = float(rows[row, IMPULSE]) / step


@inlined
def _keep_best(rows: Array, first: int, last: int) -> None:
    """Keep the impulses of the best round."""
    for row in range(first, last):
        rows[row, BEST] = rows[row, IMPULSE]


@inlined
def _take_best(rows: Array, first: int, last: int) -> None:
    """Take the impulses of the best round."""
    for row in range(first, last):
        rows[row, IMPULSE] = rows[row, BEST]


@inlined
def _add_given(
    links: Integers, points: Array, rows: Array, work: Array, island_first: int, island_last: int, first: int, last: int
) -> None:
    """Add the impulses of a stage to the sums of the tick."""
    for link in range(first, last):
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
            impulse = float(rows[row, IMPULSE])
            rows[row, TOTAL] += impulse
            for entry in range(6):
                points[link, GIVEN + entry] += impulse * rows[row, LINEAR + entry]
    for place in range(island_first, island_last):
        add_to_vector(work, SUM, place, load_vector(work, PUSH, place))


@inlined
def _count_taken(tables: Tables, first: int, last: int) -> None:
    """Count the energy that closing joints take by the impulses of a stage, each times the mean of its rates before and after all."""
    work, links, rows = tables.work, tables.links, tables.rows
    for link in range(first, last):
        kind = int(tables.joints[TYPE, link])
        if kind != SOFT and kind != SOFT_AXIS:
            continue
        place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
        velocity, rates = given(tables.own, work, place)
        velocity = add(velocity, load_vector(work, START + VELOCITY, place))
        rates = add(rates, load_vector(work, START + ANGULAR_VELOCITY, place))
        other_rates = (0.0, 0.0, 0.0)
        if other >= 0:
            other_velocity, other_rates = given(tables.own, work, other)
            other_velocity = add(other_velocity, load_vector(work, START + VELOCITY, other))
            other_rates = add(other_rates, load_vector(work, START + ANGULAR_VELOCITY, other))
            velocity = subtract(velocity, other_velocity)
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
            rate = dot(load(rows, row, LINEAR), velocity) + dot(load(rows, row, ON_BODY), rates)
            if other >= 0:
                rate -= dot(load(rows, row, ON_OTHER), other_rates)
            tables.points[link, TAKEN] -= 0.5 * float(rows[row, IMPULSE]) * rate


@kernel("island-positions")
def position_stage(common: Packed[Tables], island: int, step: float, is_patient: int) -> int:
    """Find the impulses at the start pose with which the joints hold at the end of the drift, and drift; 1 if they hold, else 0.

    The rows have directions, and the blocks the factor, at the start pose.

    Where an island gains or loses a freedom, as a linkage at a dead point, the rows lose rank, and rounds approach the tolerance slowly or
    end above it. Shorter drifts do not help there: they ask for larger rates, and these for more. With `is_patient`, rounds go on while
    they bring anything, and the best one is accepted if it is within `MOST_TOLERANCES`. What it leaves is removed where the rank is back.
    """
    tables = unpack(common)
    work, links, islands, rows, measures, calls = (
        tables.work,
        tables.links,
        tables.islands,
        tables.rows,
        tables.measures,
        tables.calls,
    )
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    first_row, last_row = islands[island, ROWS], islands[island, ROWS_END]
    size, tolerance = float(measures[island, SIZE]), float(measures[island, TOLERANCE])
    is_hard = islands[island, IS_HARD]
    warm(tables.joints, links, rows, first_link, last_link, step)
    if is_hard == 0:
        stage = WITHOUT_LIMITS if measures[island, LIMITS] == LIMITS_AWAY else 0
        _ = call(calls[BOUNDS_CALL], (common, first_link, last_link, stage, size, tolerance, step))
    before = earlier = 0.0
    best, best_turn, is_last = _HUGE, 0, 0
    for turn in range(MOST_PATIENT_ROUNDS if is_patient == 1 else MOST_ROUNDS):
        sum_impulses(work, links, tables.points, rows, first, last, first_link, last_link)
        _ = call(calls[DRIFT_CALL], (tables.own, work, work, first, last, step))
        _ = call(calls[JOINT_ROWS_CALL], (common, island, first_link, last_link, END, 0))
        worst, worst_link = _find_misses(links, rows, first_link, last_link, is_hard, size, step)
        measures[island, WORST], measures[island, WORST_LINK] = worst, worst_link
        if worst <= tolerance or is_last == 1:
            _keep_positions(tables.joints, links, rows, first_link, last_link, step)
            _add_given(links, tables.points, rows, work, first, last, first_link, last_link)
            if is_hard == 0:
                _count_taken(tables, first_link, last_link)
            return 1
        if is_patient == 1:
            if worst < best:
                best, best_turn = worst, turn
                _keep_best(rows, first_row, last_row)
            if turn - best_turn > MOST_IDLE_ROUNDS or turn == MOST_PATIENT_ROUNDS - 2 or not worst <= 1e6 * best:
                if not best <= MOST_TOLERANCES * tolerance:
                    return 0
                _take_best(rows, first_row, last_row)
                is_last = 1
                continue
        elif turn > 1 and _is_too_slow(turn, worst, before, earlier, tolerance):
            return 0
        earlier, before = before, worst
        wanted = max(1e-3 * worst, 0.1 * tolerance) / abs(step)
        if is_hard == 1:
            _keep_misses(rows, first_row, last_row)
            correct_equalities(common, tables, island, size, wanted)
            _mix(rows, first_row, last_row, size, turn)
        else:
            if call(calls[BOUNDED_CALL], (common, island, size, wanted)) == 0:
                return 0
    return 0


@inlined
def _find_misses(
    links: Integers, rows: Array, first_link: int, last_link: int, is_hard: int, size: float, step: float
) -> tuple[float, int]:
    """Note by which rate each row misses at the end of a drift; the largest error [m], and the link that has it."""
    worst, worst_link = 0.0, -1
    for link in range(first_link, last_link):
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
            error = abs(float(rows[row, RESIDUAL]))
            rows[row, MISS] = float(rows[row, RESIDUAL]) / step
            if is_hard == 0:
                rows[row, MISS] = miss_at_end(rows, row, step)
                error = abs(unsettled(rows, row) * step)
            if rows[row, IS_TURN] != 0.0:
                error *= size
            if not error <= worst:
                worst, worst_link = error, link
    return worst, worst_link


@inlined
def _is_too_slow(turn: int, worst: float, before: float, earlier: float, tolerance: float) -> bool:
    """Whether the rounds left cannot be enough at the rate of the last two."""
    if not worst <= 4.0 * before:
        return True
    if turn <= 2:
        return False
    rate, reached = worst / earlier, worst
    for _left in range((MOST_ROUNDS - turn) // 2):
        reached *= rate
    return rate > 0.25 or reached > tolerance


@kernel("island-velocities")
def velocity_stage(common: Packed[Tables], island: int, step: float) -> int:
    """Find the impulses at the end pose with which the rows have no rate, and give them to the velocities there.

    The rows have directions, and the blocks the factor, at the end pose. The work array keeps the velocities
    before these impulses at its start block. Returns 0 if the solver found no impulses within their bounds, else 1.
    """
    tables = unpack(common)
    work, links, islands, rows, measures, calls = (
        tables.work,
        tables.links,
        tables.islands,
        tables.rows,
        tables.measures,
        tables.calls,
    )
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    size, tolerance = float(measures[island, SIZE]), float(measures[island, TOLERANCE])
    is_hard = islands[island, IS_HARD]
    warm(tables.joints, links, rows, first_link, last_link, step)
    if is_hard == 0:
        stage = WITHOUT_LIMITS if measures[island, LIMITS] == LIMITS_AWAY else 1
        _ = call(calls[BOUNDS_CALL], (common, first_link, last_link, stage, size, tolerance, step))
    wanted = min(0.02 * float(measures[island, TOLERANCE]) / abs(step), MOST_RATE_OF_SIZE * size)
    for place in range(first, last):
        for entry in range(13):
            work[START + entry, place] = work[END + entry, place]
    before = -1.0
    for repeat in range(MOST_CORRECTIONS):
        sum_impulses(work, links, tables.points, rows, first, last, first_link, last_link)
        for place in range(first, last):
            velocity, rates = given(tables.own, work, place)
            store_vector(work, END + VELOCITY, place, velocity)
            store_vector(work, END + ANGULAR_VELOCITY, place, rates)
        largest = 0.0
        for link in range(first_link, last_link):
            place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
            for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
                miss = along(work, rows, row, place, other, END + VELOCITY, END + ANGULAR_VELOCITY)
                if rows[row, KIND] == RATE_ROW:
                    miss -= float(rows[row, GOAL])
                rows[row, MISS] = miss
                if is_hard == 0:
                    miss = unsettled(rows, row)
                largest = max(largest, abs(miss) * (size if rows[row, IS_TURN] != 0.0 else 1.0))
        if not largest > wanted or repeat == MOST_CORRECTIONS - 1 or (before >= 0.0 and largest > 0.5 * before):
            break
        before = largest
        if is_hard == 1:
            correct_equalities(common, tables, island, size, wanted)
        else:
            if call(calls[BOUNDED_CALL], (common, island, size, wanted)) == 0:
                return 0
    _keep_velocities(tables.joints, links, rows, first_link, last_link, step)
    _add_given(links, tables.points, rows, work, first, last, first_link, last_link)
    if is_hard == 0:
        _count_taken(tables, first_link, last_link)
    if islands[island, HAS_LOOP] == 1:
        _ = call(calls[BALANCE_CALL], (common, island))
    return 1
