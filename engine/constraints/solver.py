"""The impulses that remove the rates of rows, from the matrix of an island."""

from ..compilation.compiler import assume_separate_rows, call, inlined, kernel
from ..compilation.packed import Packed, unpack
from ..compilation.products import add_outer
from ..kernels.vectors import Vector, add_scaled, dot, scale
from ..loops.columns import Array, Integers, IntegerTable, add_to_vector, load_symmetric, load_vector
from ..loops.layout import INERTIA, MASS
from .arguments import Tables
from .calls import (
    CORRECT_CALL,
    FACTOR_CALL,
    MATRIX_CALL,
    SOLVE_CALL,
    WEAK_CALL,
)
from .joint_types import load
from .layout import (
    ANSWERED,
    BLOCK,
    BLOCKS,
    BLOCKS_END,
    BODIES,
    BODIES_END,
    EQUALITY,
    FIRST_PLACE,
    FIRST_ROW,
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
    MISS,
    MOST,
    ON_BODY,
    ON_OTHER,
    ROW_GAIN,
    ROW_WAY,
    ROWS,
    ROWS_END,
    SECOND_PLACE,
    SOFTNESS,
    SOLUTION,
    SPRING_ROW,
    TRIED,
    VELOCITY_FORCES,
)

Motion = tuple[Vector, Vector]
"""A velocity, world frame, and an angular velocity, body frame, or changes of them."""
NO_MOTION: Motion = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
Sums = tuple[Vector, Vector, Vector]
"""What the rows of a link give in sum: the impulse, and the angular impulses on both bodies, in the axes of each."""

MOST_REPEATS = 60
SLOWEST, SLOWEST_IN_LOOP = 0.5, 0.9
"""See `slowest_repeat`."""
LEAST_ANSWER, MOST_WAYS = 3e-4, 24
"""See `answer_weak`. At a dead point itself a repeat removes less than the first, and the exact answer would be a rate without bound."""


@kernel("island-matrix")
def island_matrix(
    own: Array,
    links: IntegerTable,
    islands: IntegerTable,
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
            add_outer(blocks, own_block, rows, row, stiffness, LINEAR, ON_BODY, ON_BODY)
            if other >= 0:
                add_outer(blocks, other_block, rows, row, stiffness, LINEAR, ON_OTHER, ON_OTHER)
                later, earlier = (ON_BODY, ON_OTHER) if links[link, IS_LATER] == 1 else (ON_OTHER, ON_BODY)
                add_outer(blocks, between, rows, row, -stiffness, LINEAR, later, earlier)
    return 0


@inlined
def along(work: Array, rows: Array, row: int, place: int, other: int, block: int, turning: int) -> float:
    """Rate of change of a row for velocities in these rows of the work array."""
    mine, others = (load_vector(work, block, place), load_vector(work, turning, place)), NO_MOTION
    if other >= 0:
        others = load_vector(work, block, other), load_vector(work, turning, other)
    return rate_of(rows, row, other, mine, others)


@inlined
def rate_of(rows: Array, row: int, other: int, mine: Motion, others: Motion) -> float:
    """Rate of change of a row for the velocity and the angular velocity of each body; `other` is negative if there is one body."""
    linear = load(rows, row, LINEAR)
    rate = dot(linear, mine[0]) + dot(load(rows, row, ON_BODY), mine[1])
    if other >= 0:
        rate -= dot(linear, others[0]) + dot(load(rows, row, ON_OTHER), others[1])
    return rate


@kernel("island-correct")
def correct(
    work: Array,
    links: IntegerTable,
    islands: IntegerTable,
    rows: Array,
    blocks: Array,
    program: IntegerTable,
    calls: Integers,
    island: int,
    size: float,
    wanted: float,
) -> int:
    """Change the impulses by what removes the rates that the rows miss, repeated with the regularisation about the last impulse.

    Returns:
        The repeats whose answer to weak rows is not finished (see `answer_weak`), else 0.
    """
    assume_separate_rows()
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    has_loop = islands[island, HAS_LOOP]
    before, repeats, slowest = -1.0, 0, slowest_repeat(has_loop)
    for repeat in range(MOST_REPEATS):
        for row in range(islands[island, ROWS], islands[island, ROWS_END]):
            rows[row, TRIED] = -float(rows[row, MISS]) / float(rows[row, SOFTNESS])
        sum_tried(work, links, rows, first, last, first_link, last_link)
        _ = call(calls[SOLVE_CALL], (work, blocks, program, islands, island))
        # new misses and impulses
        largest = changed = 0.0
        for link in range(first_link, last_link):
            place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
            for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
                answer, length = along(work, rows, row, place, other, SOLUTION, SOLUTION + 3), 1.0
                if rows[row, IS_TURN] != 0.0:
                    length = size
                miss = float(rows[row, MISS]) + answer
                rows[row, MISS] = miss
                rows[row, IMPULSE] -= miss / float(rows[row, SOFTNESS])
                largest, changed = max(largest, abs(miss) * length), max(changed, abs(answer) * length)
        repeats = repeat + 1
        if not largest > wanted and repeat >= has_loop:
            break
        if before >= 0.0 and largest > slowest * before:
            if has_loop == 1 and changed > LEAST_ANSWER * largest:
                return repeats
            break
        before = largest
    if has_loop == 1:
        take_back(links, rows, first_link, last_link, float(repeats))
    return 0


@inlined
def correct_equalities(common: Packed[Tables], tables: Tables, island: int, size: float, wanted: float) -> None:
    """Call `correct`, and `answer_weak` where repeats do not finish."""
    changed = (tables.work, tables.links, tables.islands, tables.rows)
    given = (*changed, tables.blocks, tables.program, tables.calls, island, size, wanted)
    repeats = call(tables.calls[CORRECT_CALL], given)
    if repeats > 0:
        _ = call(tables.calls[WEAK_CALL], (common, island, size, wanted, repeats))


@inlined
def make_factor(tables: Tables, island: int) -> None:
    """Assemble the matrix of an island, and factor it."""
    _ = call(tables.calls[MATRIX_CALL], (tables.own, tables.links, tables.islands, tables.rows, tables.blocks, island))
    _ = call(tables.calls[FACTOR_CALL], (tables.blocks, tables.program, tables.islands, island))


@inlined
def solve_island(tables: Tables, island: int) -> None:
    """Solve with the factor of an island."""
    _ = call(tables.calls[SOLVE_CALL], (tables.work, tables.blocks, tables.program, tables.islands, island))


@kernel("island-weak")
def answer_weak(common: Packed[Tables], island: int, size: float, wanted: float, repeats: int) -> int:
    """Change the impulses by what removes the misses of weak rows of a loop, which repeats hardly change, and take back what is in vain.

    Near a dead point, or where a loop nearly has more rows than freedoms, a repeat removes a share of 1e-3 to 0.1 of what such rows miss.
    Dependent rows answer with less than 1e-9, and keep what they miss. The method of conjugate residuals, preconditioned by repeats, needs
    about as many solves as there are weak directions, and leaves what no impulse changes. Source: Stiefel (1955).

    Rows at their bounds stay there, and the way ends before an impulse that would be beyond one. Springs answer, and miss nothing.
    """
    tables = unpack(common)
    islands, rows = tables.islands, tables.rows
    first_row, last_row = islands[island, ROWS], islands[island, ROWS_END]
    in_vain = float(repeats)
    # what would be missed after one more repeat, which is not applied before the end
    _answer(tables, island)
    for row in range(first_row, last_row):
        if rows[row, KIND] == SPRING_ROW:
            rows[row, MISS] = 0.0
        rows[row, ROW_WAY], rows[row, ROW_GAIN] = 0.0, rows[row, ANSWERED]
    if _stays_within_bounds(rows, first_row, last_row, 1.0):
        for row in range(first_row, last_row):
            rows[row, MISS] += rows[row, ANSWERED]
        in_vain += 1.0 + _follow_ways(tables, island, size, wanted)
        for row in range(first_row, last_row):
            if rows[row, IS_FREE] == 1.0:
                rows[row, IMPULSE] -= rows[row, MISS] / rows[row, SOFTNESS]
    take_back(tables.links, rows, islands[island, LINKS], islands[island, LINKS_END], in_vain)
    return 0


@inlined
def _follow_ways(tables: Tables, island: int, size: float, wanted: float) -> float:
    """Follow the ways of conjugate residuals; how often what is left has been answered in vain, as by so many repeats (see `take_back`)."""
    rows = tables.rows
    first_row, last_row = tables.islands[island, ROWS], tables.islands[island, ROWS_END]
    in_vain = in_vain_on_way = before = 0.0
    for row in range(first_row, last_row):
        rows[row, ROW_GAIN] = 0.0
    for number in range(MOST_WAYS):
        _answer(tables, island)
        product = square = 0.0
        for row in range(first_row, last_row):
            if _asks(rows, row):
                miss, softness = float(rows[row, MISS]), float(rows[row, SOFTNESS])
                product -= miss * float(rows[row, ANSWERED]) / softness
                square += miss * miss / softness
        if not product > LEAST_ANSWER * square:
            break
        again = product / before if number > 0 else 0.0
        before, in_vain_on_way, length = product, 1.0 + again * in_vain_on_way, 0.0
        for row in range(first_row, last_row):
            rows[row, ROW_GAIN] = rows[row, ANSWERED] + again * rows[row, ROW_GAIN]
            if _asks(rows, row):
                rows[row, ROW_WAY] = rows[row, MISS] + again * rows[row, ROW_WAY]
                length += float(rows[row, ROW_GAIN]) * float(rows[row, ROW_GAIN]) / float(rows[row, SOFTNESS])
        share, largest = product / length, 0.0
        if not _stays_within_bounds(rows, first_row, last_row, share):
            break
        in_vain += share * in_vain_on_way
        for row in range(first_row, last_row):
            rows[row, IMPULSE] -= share * rows[row, ROW_WAY] / rows[row, SOFTNESS]
            change = share * float(rows[row, ROW_GAIN])
            rows[row, MISS] += change
            largest = max(largest, abs(change) * (size if rows[row, IS_TURN] != 0.0 else 1.0))
        if not largest > 0.1 * wanted:
            break
    return in_vain


@inlined
def _asks(rows: Array, row: int) -> bool:
    """Whether a row between its bounds misses something that weak rows have to answer."""
    return bool(rows[row, IS_FREE] == 1.0 and rows[row, KIND] != SPRING_ROW)


@inlined
def _stays_within_bounds(rows: Array, first: int, last: int, share: float) -> bool:
    """Whether the impulses after a share of the way, with the repeat at its end, are within their bounds."""
    for row in range(first, last):
        if rows[row, IS_FREE] == 1.0 and rows[row, KIND] != EQUALITY:
            miss = float(rows[row, MISS]) + share * float(rows[row, ROW_GAIN])
            impulse = float(rows[row, IMPULSE]) - (share * float(rows[row, ROW_WAY]) + miss) / float(
                rows[row, SOFTNESS]
            )
            if not (float(rows[row, LEAST]) <= impulse and impulse <= float(rows[row, MOST])):
                return False
    return True


@inlined
def _answer(tables: Tables, island: int) -> None:
    """Find what the rows answer to the impulses that the misses ask for."""
    work, links, islands, rows = tables.work, tables.links, tables.islands, tables.rows
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    for row in range(islands[island, ROWS], islands[island, ROWS_END]):
        rows[row, TRIED] = -float(rows[row, MISS]) / float(rows[row, SOFTNESS]) if _asks(rows, row) else 0.0
    sum_tried(work, links, rows, islands[island, BODIES], islands[island, BODIES_END], first_link, last_link)
    solve_island(tables, island)
    for link in range(first_link, last_link):
        place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
            rows[row, ANSWERED] = along(work, rows, row, place, other, SOLUTION, SOLUTION + 3)


@inlined
def sum_tried(
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
            push, turn, other_turn = add_pull(rows, row, other, float(rows[row, TRIED]), (push, turn, other_turn))
        add_to_sides(work, place, other, (push, turn, other_turn))


@inlined
def add_pull(rows: Array, row: int, other: int, pull: float, sums: Sums) -> Sums:
    """Add an impulse of a row to the sums of its link."""
    push, turn, other_turn = sums
    push = add_scaled(push, pull, load(rows, row, LINEAR))
    turn = add_scaled(turn, pull, load(rows, row, ON_BODY))
    if other >= 0:
        other_turn = add_scaled(other_turn, -pull, load(rows, row, ON_OTHER))
    return push, turn, other_turn


@inlined
def add_to_sides(work: Array, place: int, other: int, sums: Sums) -> None:
    """Add the sums of a link to the right-hand sides of its bodies."""
    push, turn, other_turn = sums
    add_to_vector(work, SOLUTION, place, push)
    add_to_vector(work, SOLUTION + 3, place, turn)
    if other >= 0:
        add_to_vector(work, SOLUTION, other, scale(-1.0, push))
        add_to_vector(work, SOLUTION + 3, other, other_turn)


@inlined
def slowest_repeat(has_loop: int) -> float:
    """The share of the misses that a repeat may leave, or it was the last one.

    In a loop, repeats go on as long as the misses become less: `answer_weak` ends at the first impulse that meets a bound, and takes back
    what is left. A body between two others, or the world, that are a hundred thousand times as heavy leaves two thirds in each repeat.
    """
    return SLOWEST_IN_LOOP if has_loop == 1 else SLOWEST


@inlined
def take_back(links: Integers, rows: Array, first: int, last: int, repeats: float) -> None:
    """Take back what dependent rows have answered with impulses that cancel each other.

    Where a loop has more rows than freedoms, what no velocity can remove stays in every repeat, and each answers it by the same impulses,
    a million times too strong. They move no body at this pose, but would at the next one. After two repeats nothing else is left. Friction,
    motors and limits between their bounds answer like equality rows.
    """
    for link in range(first, last):
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
            if is_rigid(rows, row):
                rows[row, IMPULSE] += repeats * float(rows[row, MISS]) / float(rows[row, SOFTNESS])


@inlined
def is_rigid(rows: Array, row: int) -> bool:
    """Whether a row may take any impulse that holds it: an equality row, or another one between its bounds, but no spring."""
    kind, impulse = int(rows[row, KIND]), float(rows[row, IMPULSE])
    if kind == EQUALITY:
        return True
    return kind != SPRING_ROW and float(rows[row, LEAST]) < impulse and impulse < float(rows[row, MOST])


@kernel("island-balance")
def balance(common: Packed[Tables], island: int) -> int:
    """Expect from dependent rows the smallest forces with the same effect, without those that cancel each other.

    Rounds change no forces that cancel each other, and where forces are expected to go on as they changed, these would grow from tick to
    tick. The smallest forces are ``R⁻¹ G H⁻¹ Gᵀ γ``, up to the share by which the regularisation softens the rows.
    """
    tables = unpack(common)
    links, islands, rows = tables.links, tables.islands, tables.rows
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    for row in range(islands[island, ROWS], islands[island, ROWS_END]):
        rows[row, IS_FREE] = 1.0 if is_rigid(rows, row) else 0.0
    if islands[island, IS_HARD] == 0:  # its factor depends on bounds
        make_factor(tables, island)
    for link in range(first_link, last_link):
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
            force = float(tables.joints[VELOCITY_FORCES + row - links[link, FIRST_ROW], link])
            rows[row, TRIED] = rows[row, IS_FREE] * force
    sum_tried(tables.work, links, rows, first, last, first_link, last_link)
    solve_island(tables, island)
    for link in range(first_link, last_link):
        place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
            if rows[row, IS_FREE] == 1.0:
                answer = along(tables.work, rows, row, place, other, SOLUTION, SOLUTION + 3)
                number = row - links[link, FIRST_ROW]
                tables.joints[VELOCITY_FORCES + number, link] = answer / float(rows[row, SOFTNESS])
    return 0
