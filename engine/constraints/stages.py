"""The two stages of an island step: impulses such that joints hold at the end of a drift, and such that their rates vanish.

Source: Andersen (1983), RATTLE.
"""

from ..compilation.compiler import assume_separate_rows, call, inlined, kernel
from ..compilation.packed import Packed, unpack
from ..kernels.quaternions import rotate_inverse
from ..kernels.vectors import Vector, add, add_scaled, apply_symmetric, cross, dot, scale
from ..loops.columns import Array, Integers, add_to_vector, load_quaternion, load_symmetric, load_vector, store_vector
from ..loops.layout import ANGULAR_VELOCITY, INERTIA, INVERSE_INERTIA, INVERSE_MASS, MASS, ORIENTATION, VELOCITY
from .layout import (
    ANGULAR,
    ARM,
    BLOCK,
    BLOCKS,
    BLOCKS_END,
    BODIES,
    BODIES_END,
    BOUND,
    CHANGE,
    DAMPING,
    END,
    EQUALITY,
    FEED,
    FIRST_PLACE,
    FIRST_ROW,
    GIVEN,
    GOAL,
    GUESSED,
    HAS_LOOP,
    IMPULSE,
    IS_FREE,
    IS_HARD,
    IS_LATER,
    IS_TURN,
    KIND,
    LAST_ROW,
    LEAST,
    LINEAR,
    LINKS,
    LINKS_END,
    LOWER_LIMIT,
    MISS,
    MISSED,
    MOST,
    MOVED,
    ON_BODY,
    ON_OTHER,
    OTHER_ARM,
    POSITION_FORCES,
    PUSH,
    RATE,
    RATE_GAIN,
    RATE_ROW,
    RESIDUAL,
    ROWS,
    ROWS_END,
    SECOND_PLACE,
    SIZE,
    SOFTNESS,
    SOLUTION,
    SPRING_ROW,
    START,
    START_COORDINATE,
    STIFFNESS,
    SUM,
    TOLERANCE,
    TOTAL,
    TRIED,
    TWIST,
    UPPER_LIMIT,
    VELOCITY_FORCES,
    WORST,
    WORST_LINK,
    YIELDS,
)
from .rows import load

MOST_ROUNDS = 16
MOST_RATE_OF_SIZE = 2e-11
"""Rate that a velocity stage may leave, per size of the island [1/s]; from a tick of 1/240 s on, the tolerance asks for less."""
MOST_REPEATS = 60
MOST_CORRECTIONS = 9
MOST_NEWTON_STEPS = 24

MOST_SOFTNESS = 1e3
"""Softness of a motor that adds a torque, as a share of what its row yields; more would only slow the rounds down by a thousandth."""

_HUGE = 1e300
"""A bound that is never reached."""
(
    JOINT_ROWS_CALL, MATRIX_CALL, FACTOR_CALL, SOLVE_CALL, DRIFT_CALL, POSITION_CALL, VELOCITY_CALL, KICK_CALL, MOVE_CALL, FINISH_CALL,
    BOUNDS_CALL, BOUNDED_CALL, CORRECT_CALL, PREPARE_CALL, STAGES_CALL, END_KICKS_CALL, BALANCE_CALL,
) = range(17)  # fmt: skip
"""Indices into `calls`, the addresses of the kernels that others call."""
LEAVES = frozenset(
    (JOINT_ROWS_CALL, MATRIX_CALL, FACTOR_CALL, SOLVE_CALL, DRIFT_CALL, BOUNDS_CALL, STAGES_CALL, END_KICKS_CALL)
)
"""Those that call no other."""


@kernel("island-matrix")
def island_matrix(
    own: Array,
    links: Integers,
    islands: Integers,
    rows: Array,
    blocks: Array,
    island: int,
) -> int:
    """Assemble ``M + Σ Gᵀ R⁻¹ G`` of an island, one 6 × 6 block per body."""
    first, start = islands[island, BODIES], islands[island, BLOCKS]
    for block in range(start, islands[island, BLOCKS_END]):
        for entry in range(36):
            blocks[block, entry] = 0.0
    for place in range(first, islands[island, BODIES_END]):
        block = start + place - first
        mass = float(own[MASS, place])
        for entry in range(3):
            blocks[block, 7 * entry] = mass
        xx, yy, zz, xy, xz, yz = load_symmetric(own, INERTIA, place)
        blocks[block, 21], blocks[block, 28], blocks[block, 35] = xx, yy, zz
        blocks[block, 27], blocks[block, 33], blocks[block, 34] = xy, xz, yz
    for link in range(islands[island, LINKS], islands[island, LINKS_END]):
        place, other, between = links[link, FIRST_PLACE], links[link, SECOND_PLACE], links[link, BLOCK]
        own_block, other_block = start + place - first, start + other - first
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
            if rows[row, IS_FREE] == 0.0:
                continue
            stiffness = 1.0 / float(rows[row, SOFTNESS])
            for i in range(6):
                left = stiffness * rows[row, LINEAR + i if i < 3 else ON_BODY + i - 3]
                for j in range(i + 1):
                    blocks[own_block, 6 * i + j] += left * rows[row, LINEAR + j if j < 3 else ON_BODY + j - 3]
            if other >= 0:
                for i in range(6):
                    left = stiffness * rows[row, LINEAR + i if i < 3 else ON_OTHER + i - 3]
                    for j in range(i + 1):
                        blocks[other_block, 6 * i + j] += left * rows[row, LINEAR + j if j < 3 else ON_OTHER + j - 3]
                later = ON_BODY if links[link, IS_LATER] == 1 else ON_OTHER
                earlier = ON_OTHER if links[link, IS_LATER] == 1 else ON_BODY
                for i in range(6):
                    left = stiffness * rows[row, LINEAR + i if i < 3 else later + i - 3]
                    for j in range(6):
                        blocks[between, 6 * i + j] -= left * rows[row, LINEAR + j if j < 3 else earlier + j - 3]
    return 0


@inlined
def _sum_impulses(
    work: Array, links: Integers, points: Array, rows: Array, first: int, last: int, first_link: int, last_link: int
) -> None:
    """Sum the impulses of the rows on each body; both bodies of a joint get the same one at the common point."""
    for place in range(first, last):
        store_vector(work, PUSH, place, (0.0, 0.0, 0.0))
        store_vector(work, TWIST, place, (0.0, 0.0, 0.0))
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
def _along(work: Array, rows: Array, row: int, place: int, other: int, block: int, turning: int) -> float:
    """Rate of change of a row for velocities in these rows of the work array."""
    linear = load(rows, row, LINEAR)
    rate = dot(linear, load_vector(work, block, place)) + dot(
        load(rows, row, ON_BODY), load_vector(work, turning, place)
    )
    if other >= 0:
        rate -= dot(linear, load_vector(work, block, other)) + dot(
            load(rows, row, ON_OTHER), load_vector(work, turning, other)
        )
    return rate


@kernel("island-correct")
def correct(
    work: Array,
    links: Integers,
    islands: Integers,
    rows: Array,
    blocks: Array,
    program: Integers,
    calls: Integers,
    island: int,
    size: float,
    wanted: float,
) -> int:
    """Change the impulses by what removes the rates that the rows miss, repeated with the regularisation about the last impulse."""
    assume_separate_rows()
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    has_loop = islands[island, HAS_LOOP]
    before, repeats = -1.0, 0
    for repeat in range(MOST_REPEATS):
        for row in range(islands[island, ROWS], islands[island, ROWS_END]):
            rows[row, TRIED] = -float(rows[row, MISS]) / float(rows[row, SOFTNESS])
        _sum_tried(work, links, rows, first, last, first_link, last_link)
        _ = call(calls[SOLVE_CALL], (work, blocks, program, islands, island))
        # new misses and impulses
        largest = 0.0
        for link in range(first_link, last_link):
            place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
            for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
                miss = float(rows[row, MISS]) + _along(work, rows, row, place, other, SOLUTION, SOLUTION + 3)
                rows[row, MISS] = miss
                rows[row, IMPULSE] -= miss / float(rows[row, SOFTNESS])
                largest = max(largest, abs(miss) * (size if rows[row, IS_TURN] != 0.0 else 1.0))
        repeats = repeat + 1
        if (not largest > wanted and repeats > has_loop) or (before >= 0.0 and largest > 0.5 * before):
            break
        before = largest
    if has_loop == 1:
        _take_back(links, rows, first_link, last_link, repeats)
    return 0


@inlined
def _sum_tried(
    work: Array, links: Integers, rows: Array, first: int, last: int, first_link: int, last_link: int
) -> None:
    """Sum tried impulses as the right-hand sides of a solve, ``Σ Gᵀ γ``."""
    for place in range(first, last):
        for entry in range(6):
            work[SOLUTION + entry, place] = 0.0
    for link in range(first_link, last_link):
        place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
        push, turn, other_turn = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
            pull = float(rows[row, TRIED])
            push = add_scaled(push, pull, load(rows, row, LINEAR))
            turn = add_scaled(turn, pull, load(rows, row, ON_BODY))
            if other >= 0:
                other_turn = add_scaled(other_turn, -pull, load(rows, row, ON_OTHER))
        add_to_vector(work, SOLUTION, place, push)
        add_to_vector(work, SOLUTION + 3, place, turn)
        if other >= 0:
            add_to_vector(work, SOLUTION, other, scale(-1.0, push))
            add_to_vector(work, SOLUTION + 3, other, other_turn)


@inlined
def _take_back(links: Integers, rows: Array, first: int, last: int, repeats: int) -> None:
    """Take back what dependent rows have answered with impulses that cancel each other.

    Where a loop has more rows than freedoms, what no velocity can remove stays in every repeat, and each answers it by the same impulses,
    a million times too strong. They move no body at this pose, but would at the next one. After two repeats nothing else is left. Friction,
    motors and limits between their bounds answer like equality rows.
    """
    for link in range(first, last):
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
            if _is_rigid(rows, row):
                rows[row, IMPULSE] += float(repeats) * float(rows[row, MISS]) / float(rows[row, SOFTNESS])


@inlined
def _is_rigid(rows: Array, row: int) -> bool:
    """Whether a row may take any impulse that holds it: an equality row, or another one between its bounds, but no spring."""
    kind, impulse = int(rows[row, KIND]), float(rows[row, IMPULSE])
    if kind == EQUALITY:
        return True
    return kind != SPRING_ROW and float(rows[row, LEAST]) < impulse and impulse < float(rows[row, MOST])


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
def _miss(rows: Array, row: int, step: float) -> float:
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
def _bounded(rows: Array, row: int, impulse: float) -> float:
    """An impulse within the bounds of a row."""
    return min(max(impulse, float(rows[row, LEAST])), float(rows[row, MOST]))


@inlined
def _unsettled(rows: Array, row: int) -> float:
    """What a row misses, unless its impulse is at the bound that keeps it from correcting that."""
    impulse, miss = float(rows[row, IMPULSE]), float(rows[row, MISS])
    return 0.0 if _bounded(rows, row, impulse - miss / float(rows[row, SOFTNESS])) == impulse else miss


@kernel("joint-bounds")
def joint_bounds(
    joints: Array,
    links: Integers,
    rows: Array,
    first: int,
    last: int,
    is_end: int,
    size: float,
    tolerance: float,
    step: float,
) -> int:
    """Set the bounds of the impulses of rows in a stage, and the softness of springs; half of a torque acts in each stage."""
    for link in range(first, last):
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
            kind = int(rows[row, KIND])
            least, most = -_HUGE, _HUGE
            if kind == LOWER_LIMIT or kind == UPPER_LIMIT:
                beyond = float(rows[row, RESIDUAL]) - float(rows[row, GOAL])
                if kind == UPPER_LIMIT:
                    beyond = -beyond
                near = 16.0 * tolerance / (size if rows[row, IS_TURN] != 0.0 else 1.0)
                if is_end == 1 and beyond > near:
                    least, most = 0.0, 0.0
                elif kind == LOWER_LIMIT:
                    least = 0.0
                else:
                    most = 0.0
            elif kind == RATE_ROW or kind == SPRING_ROW:
                most = 0.5 * abs(step) * float(rows[row, BOUND])
                least = -most
            if kind == SPRING_ROW:
                stiffness, damping = float(rows[row, STIFFNESS]), float(rows[row, DAMPING])
                if is_end == 0:
                    rows[row, SOFTNESS] = 1.0 / max(0.5 * step * (damping + 0.5 * step * stiffness), 1.0 / _HUGE)
                    if rows[row, FEED] != 0.0:
                        # the impulse is not small where the spring is weak, and its rounding would count as a velocity
                        rows[row, SOFTNESS] = min(float(rows[row, SOFTNESS]), MOST_SOFTNESS * float(rows[row, YIELDS]))
                else:  # the same impulse again
                    least = most = step * float(joints[POSITION_FORCES + row - links[link, FIRST_ROW], link])
            rows[row, LEAST], rows[row, MOST] = least, most
            rows[row, IMPULSE] = min(max(float(rows[row, IMPULSE]), least), most)
    return 0


@inlined
def _slope(
    work: Array,
    own: Array,
    links: Integers,
    rows: Array,
    first: int,
    last: int,
    first_link: int,
    last_link: int,
    share: float,
) -> float:
    """Rate of change along the next change, at a share of it, of the function that a solve with bounds minimises."""
    total = 0.0
    for place in range(first, last):
        gain = load_vector(work, SOLUTION, place)
        turn = load_vector(work, SOLUTION + 3, place)
        velocity = add_scaled(load_vector(work, CHANGE, place), share, gain)
        rates = add_scaled(load_vector(work, CHANGE + 3, place), share, turn)
        total += float(own[MASS, place]) * dot(gain, velocity)
        total += dot(turn, apply_symmetric(load_symmetric(own, INERTIA, place), rates))
    for link in range(first_link, last_link):
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
            rate = float(rows[row, RATE]) + share * float(rows[row, RATE_GAIN])
            impulse = float(rows[row, IMPULSE])
            tried = _bounded(rows, row, impulse - (float(rows[row, MISS]) + rate) / float(rows[row, SOFTNESS]))
            total -= (tried - impulse) * float(rows[row, RATE_GAIN])
    return total


@kernel("island-bounded")
def correct_bounded(
    own: Array,
    work: Array,
    links: Integers,
    islands: Integers,
    rows: Array,
    blocks: Array,
    program: Integers,
    calls: Integers,
    island: int,
    size: float,
    wanted: float,
) -> int:
    """Change the impulses, within their bounds, by what removes the rates that the rows miss.

    The change of the velocities minimises ``Δᵀ M Δ/2`` plus a convex function per row, by Newton's method with an exact line search. This
    is repeated with the regularisation about the last impulse.
    """
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    has_loop = islands[island, HAS_LOOP]
    before, since = -1.0, 0  # repeats since the rows between their bounds last changed
    for repeat in range(MOST_REPEATS):
        for place in range(first, last):
            for entry in range(6):
                work[CHANGE + entry, place] = 0.0
        for row in range(islands[island, ROWS], islands[island, ROWS_END]):
            rows[row, RATE] = 0.0
        share = 1.0
        for newton in range(MOST_NEWTON_STEPS):
            # trial impulses, which rows are between their bounds, and the right-hand sides
            changed = newton == 0 and repeat == 0
            for place in range(first, last):
                change = load_vector(work, CHANGE, place)
                turn = apply_symmetric(load_symmetric(own, INERTIA, place), load_vector(work, CHANGE + 3, place))
                store_vector(work, SOLUTION, place, scale(-float(own[MASS, place]), change))
                store_vector(work, SOLUTION + 3, place, scale(-1.0, turn))
            for link in range(first_link, last_link):
                place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
                for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
                    impulse = float(rows[row, IMPULSE])
                    free = impulse - (float(rows[row, MISS]) + float(rows[row, RATE])) / float(rows[row, SOFTNESS])
                    tried = _bounded(rows, row, free)
                    is_free = 1.0 if tried == free else 0.0
                    if is_free != rows[row, IS_FREE]:
                        changed = True
                        rows[row, IS_FREE] = is_free
                    rows[row, TRIED] = tried
                    pull = tried - impulse
                    linear = scale(pull, load(rows, row, LINEAR))
                    add_to_vector(work, SOLUTION, place, linear)
                    add_to_vector(work, SOLUTION + 3, place, scale(pull, load(rows, row, ON_BODY)))
                    if other >= 0:
                        add_to_vector(work, SOLUTION, other, scale(-1.0, linear))
                        add_to_vector(work, SOLUTION + 3, other, scale(-pull, load(rows, row, ON_OTHER)))
            if newton > 0 and not changed and share == 1.0:
                break
            if changed:
                since = 0
                _ = call(calls[MATRIX_CALL], (own, links, islands, rows, blocks, island))
                _ = call(calls[FACTOR_CALL], (blocks, program, islands, island))
            _ = call(calls[SOLVE_CALL], (work, blocks, program, islands, island))
            for link in range(first_link, last_link):
                place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
                for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
                    rows[row, RATE_GAIN] = _along(work, rows, row, place, other, SOLUTION, SOLUTION + 3)
            # exact line search: the slope along the change is piecewise linear and grows
            start_slope = -_slope(work, own, links, rows, first, last, first_link, last_link, 0.0)
            share, low, high = 1.0, 0.0, 1.0
            slope = _slope(work, own, links, rows, first, last, first_link, last_link, 1.0)
            if slope > 1e-9 * start_slope:
                for _halving in range(40):
                    share = 0.5 * (low + high)
                    if _slope(work, own, links, rows, first, last, first_link, last_link, share) > 0.0:
                        high = share
                    else:
                        low = share
            for place in range(first, last):
                for entry in range(6):
                    work[CHANGE + entry, place] += share * work[SOLUTION + entry, place]
            for row in range(islands[island, ROWS], islands[island, ROWS_END]):
                rows[row, RATE] += share * rows[row, RATE_GAIN]
        # new misses and impulses
        largest = 0.0
        for row in range(islands[island, ROWS], islands[island, ROWS_END]):
            impulse, softness = float(rows[row, IMPULSE]), float(rows[row, SOFTNESS])
            tried = _bounded(rows, row, impulse - (float(rows[row, MISS]) + float(rows[row, RATE])) / softness)
            rows[row, IMPULSE] = tried
            if rows[row, KIND] == SPRING_ROW:  # its softness is real, and the impulse has answered it
                rows[row, MISS] = float(rows[row, MISS]) + float(rows[row, RATE]) + softness * (tried - impulse)
            else:
                rows[row, MISS] = float(rows[row, MISS]) + float(rows[row, RATE])
            largest = max(largest, abs(_unsettled(rows, row)) * (size if rows[row, IS_TURN] != 0.0 else 1.0))
        since += 1
        # in a loop, only from the second repeat on is what is left the same in each, and can be taken back
        if since > has_loop and (not largest > wanted or (before >= 0.0 and largest > 0.5 * before)):
            break
        before = largest
    if has_loop == 1:
        _take_back(links, rows, first_link, last_link, repeat + 1)
    return 0


@inlined
def _warm(joints: Array, links: Integers, rows: Array, first: int, last: int, step: float) -> None:
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


@kernel("island-balance")
def balance(
    own: Array,
    work: Array,
    joints: Array,
    links: Integers,
    islands: Integers,
    rows: Array,
    blocks: Array,
    program: Integers,
    calls: Integers,
    island: int,
) -> int:
    """Expect from dependent rows the smallest forces with the same effect, without those that cancel each other.

    Rounds change no forces that cancel each other, and where forces are expected to go on as they changed, these would grow from tick to
    tick. The smallest forces are ``R⁻¹ G H⁻¹ Gᵀ γ``, up to the share by which the regularisation softens the rows.
    """
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    for row in range(islands[island, ROWS], islands[island, ROWS_END]):
        rows[row, IS_FREE] = 1.0 if _is_rigid(rows, row) else 0.0
    if islands[island, IS_HARD] == 0:  # its factor depends on bounds
        _ = call(calls[MATRIX_CALL], (own, links, islands, rows, blocks, island))
        _ = call(calls[FACTOR_CALL], (blocks, program, islands, island))
    for link in range(first_link, last_link):
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
            force = float(joints[VELOCITY_FORCES + row - links[link, FIRST_ROW], link])
            rows[row, TRIED] = rows[row, IS_FREE] * force
    _sum_tried(work, links, rows, first, last, first_link, last_link)
    _ = call(calls[SOLVE_CALL], (work, blocks, program, islands, island))
    for link in range(first_link, last_link):
        place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
            if rows[row, IS_FREE] == 1.0:
                answer = _along(work, rows, row, place, other, SOLUTION, SOLUTION + 3)
                number = row - links[link, FIRST_ROW]
                joints[VELOCITY_FORCES + number, link] = answer / float(rows[row, SOFTNESS])
    return 0


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


@kernel("island-positions")
def position_stage(common: Packed, island: int, step: float) -> int:
    """Find the impulses at the start pose with which the joints hold at the end of the drift, and drift; 1 if they hold, else 0.

    The rows have directions, and the blocks the factor, at the start pose.
    """
    own, work, joints, links, islands, points, rows, blocks, program, measures, calls = unpack(common)
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    first_row, last_row = islands[island, ROWS], islands[island, ROWS_END]
    size, tolerance = float(measures[island, SIZE]), float(measures[island, TOLERANCE])
    is_hard = islands[island, IS_HARD]
    _warm(joints, links, rows, first_link, last_link, step)
    if is_hard == 0:
        _ = call(calls[BOUNDS_CALL], (joints, links, rows, first_link, last_link, 0, size, tolerance, step))
    before = earlier = 0.0
    for turn in range(MOST_ROUNDS):
        _sum_impulses(work, links, points, rows, first, last, first_link, last_link)
        _ = call(calls[DRIFT_CALL], (own, work, work, first, last, step))
        _ = call(
            calls[JOINT_ROWS_CALL],
            (own, work, joints, links, points, rows, measures, island, first_link, last_link, END, 0),
        )
        worst, worst_link = 0.0, -1
        for link in range(first_link, last_link):
            for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
                error = abs(float(rows[row, RESIDUAL]))
                rows[row, MISS] = float(rows[row, RESIDUAL]) / step
                if is_hard == 0:
                    rows[row, MISS] = _miss(rows, row, step)
                    error = abs(_unsettled(rows, row) * step)
                if rows[row, IS_TURN] != 0.0:
                    error *= size
                if not error <= worst:
                    worst, worst_link = error, link
        measures[island, WORST], measures[island, WORST_LINK] = worst, worst_link
        if worst <= tolerance:
            _keep_positions(joints, links, rows, first_link, last_link, step)
            _add_given(links, points, rows, work, first, last, first_link, last_link)
            return 1
        # give up early if the rounds left cannot be enough at the rate of the last two
        if turn > 1:
            if not worst <= 4.0 * before:
                return 0
            if turn > 2:
                rate, reached = worst / earlier, worst
                for _left in range((MOST_ROUNDS - turn) // 2):
                    reached *= rate
                if rate > 0.25 or reached > tolerance:
                    return 0
        earlier, before = before, worst
        wanted = max(1e-3 * worst, 0.1 * tolerance) / abs(step)
        if is_hard == 1:
            _keep_misses(rows, first_row, last_row)
            equal = (work, links, islands, rows, blocks, program, calls)
            _ = call(calls[CORRECT_CALL], (*equal, island, size, wanted))
            _mix(rows, first_row, last_row, size, turn)
        else:
            bounded = (own, work, links, islands, rows, blocks, program, calls)
            _ = call(calls[BOUNDED_CALL], (*bounded, island, size, wanted))
    return 0


@kernel("island-velocities")
def velocity_stage(common: Packed, island: int, step: float) -> int:
    """Find the impulses at the end pose with which the rows have no rate, and give them to the velocities there.

    The rows have directions, and the blocks the factor, at the end pose. The work array keeps the velocities
    before these impulses at its start block.
    """
    own, work, joints, links, islands, points, rows, blocks, program, measures, calls = unpack(common)
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    size, tolerance = float(measures[island, SIZE]), float(measures[island, TOLERANCE])
    is_hard = islands[island, IS_HARD]
    _warm(joints, links, rows, first_link, last_link, step)
    if is_hard == 0:
        _ = call(calls[BOUNDS_CALL], (joints, links, rows, first_link, last_link, 1, size, tolerance, step))
    wanted = min(0.02 * float(measures[island, TOLERANCE]) / abs(step), MOST_RATE_OF_SIZE * size)
    for place in range(first, last):
        for entry in range(13):
            work[START + entry, place] = work[END + entry, place]
    before = -1.0
    for repeat in range(MOST_CORRECTIONS):
        _sum_impulses(work, links, points, rows, first, last, first_link, last_link)
        for place in range(first, last):
            velocity, rates = given(own, work, place)
            store_vector(work, END + VELOCITY, place, velocity)
            store_vector(work, END + ANGULAR_VELOCITY, place, rates)
        largest = 0.0
        for link in range(first_link, last_link):
            place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
            for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
                miss = _along(work, rows, row, place, other, END + VELOCITY, END + ANGULAR_VELOCITY)
                if rows[row, KIND] == RATE_ROW:
                    miss -= float(rows[row, GOAL])
                rows[row, MISS] = miss
                if is_hard == 0:
                    miss = _unsettled(rows, row)
                largest = max(largest, abs(miss) * (size if rows[row, IS_TURN] != 0.0 else 1.0))
        if not largest > wanted or repeat == MOST_CORRECTIONS - 1 or (before >= 0.0 and largest > 0.5 * before):
            break
        before = largest
        if is_hard == 1:
            equal = (work, links, islands, rows, blocks, program, calls)
            _ = call(calls[CORRECT_CALL], (*equal, island, size, wanted))
        else:
            bounded = (own, work, links, islands, rows, blocks, program, calls)
            _ = call(calls[BOUNDED_CALL], (*bounded, island, size, wanted))
    _keep_velocities(joints, links, rows, first_link, last_link, step)
    _add_given(links, points, rows, work, first, last, first_link, last_link)
    if islands[island, HAS_LOOP] == 1:
        _ = call(calls[BALANCE_CALL], (own, work, joints, links, islands, rows, blocks, program, calls, island))
    return 0
