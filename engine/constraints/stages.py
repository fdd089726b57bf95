"""The two stages of an island step: impulses such that joints hold at the end of a drift, and such that their rates vanish.

Source: Andersen (1983), RATTLE.
"""

from ..compilation.compiler import call, inlined, kernel
from ..kernels.quaternions import rotate_inverse
from ..kernels.vectors import Vector, add, add_scaled, apply_symmetric, cross, dot, scale, subtract
from ..loops.columns import Array, Integers, load_quaternion, load_symmetric, load_vector, store_vector, add_to_vector
from ..loops.layout import ANGULAR_VELOCITY, INERTIA, INVERSE_INERTIA, INVERSE_MASS, MASS, ORIENTATION, VELOCITY
from .layout import (
    ANGULAR,
    ARM,
    BEFORE,
    BLOCK,
    BLOCKS,
    BLOCKS_END,
    BODIES,
    BODIES_END,
    END,
    FIRST_PLACE,
    FIRST_ROW,
    GIVEN,
    IMPULSE,
    IS_LATER,
    IS_TURN,
    LAST_ROW,
    LINEAR,
    LINKS,
    LINKS_END,
    MISS,
    ON_BODY,
    ON_OTHER,
    OTHER_ARM,
    PROGRAM,
    PROGRAM_END,
    PUSH,
    RESIDUAL,
    ROWS,
    ROWS_END,
    SECOND_PLACE,
    SIZE,
    SOFTNESS,
    SOLUTION,
    START,
    SUM,
    TOLERANCE,
    TURNED,
    TWIST,
    WORST,
    WORST_LINK,
)
from .rows import load, store

MOST_ROUNDS = 16
MOST_REPEATS = 60
MOST_CORRECTIONS = 9
(
    JOINT_ROWS_CALL, MATRIX_CALL, FACTOR_CALL, SOLVE_CALL, DRIFT_CALL, POSITION_CALL, VELOCITY_CALL, KICK_CALL, MOVE_CALL, FINISH_CALL,
) = range(10)  # fmt: skip
CALLS = 10
"""Indices into `calls`, the addresses of the kernels that others call."""


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
def _give(own: Array, work: Array, source: int, target: int, place: int) -> None:
    """Velocities after the summed impulses; `source` and `target` are blocks of the work array, the poses those of the source."""
    push, twist = load_vector(work, PUSH, place), load_vector(work, TWIST, place)
    velocity = add_scaled(load_vector(work, source + VELOCITY, place), float(own[INVERSE_MASS, place]), push)
    q = load_quaternion(work, source + ORIENTATION, place)
    turn = apply_symmetric(load_symmetric(own, INVERSE_INERTIA, place), rotate_inverse(q, 2.0, twist))
    store_vector(work, target + VELOCITY, place, velocity)
    rates = add(load_vector(work, source + ANGULAR_VELOCITY, place), turn)
    store_vector(work, target + ANGULAR_VELOCITY, place, rates)


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


@inlined
def _correct(
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
) -> None:
    """Change the impulses by what removes the rates that the rows miss, repeated with the proximal regularisation about the last impulse."""
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    before = -1.0
    for _repeat in range(MOST_REPEATS):
        # right-hand sides: −Σ Gᵀ (miss / R)
        for place in range(first, last):
            for entry in range(6):
                work[SOLUTION + entry, place] = 0.0
        for link in range(first_link, last_link):
            place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
            for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
                pull = -float(rows[row, MISS]) / float(rows[row, SOFTNESS])
                linear = scale(pull, load(rows, row, LINEAR))
                add_to_vector(work, SOLUTION, place, linear)
                add_to_vector(work, SOLUTION + 3, place, scale(pull, load(rows, row, ON_BODY)))
                if other >= 0:
                    add_to_vector(work, SOLUTION, other, scale(-1.0, linear))
                    add_to_vector(work, SOLUTION + 3, other, scale(-pull, load(rows, row, ON_OTHER)))
        _ = call(calls[SOLVE_CALL], (work, blocks, program, islands[island, PROGRAM], islands[island, PROGRAM_END]))
        # new misses and impulses
        largest = 0.0
        for link in range(first_link, last_link):
            place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
            for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
                miss = float(rows[row, MISS]) + _along(work, rows, row, place, other, SOLUTION, SOLUTION + 3)
                rows[row, MISS] = miss
                rows[row, IMPULSE] -= miss / float(rows[row, SOFTNESS])
                largest = max(largest, abs(miss) * (size if rows[row, IS_TURN] != 0.0 else 1.0))
        if not largest > wanted or (before >= 0.0 and largest > 0.5 * before):
            break
        before = largest


@kernel("island-positions")
def position_stage(
    own: Array,
    work: Array,
    joints: Array,
    links: Integers,
    islands: Integers,
    points: Array,
    rows: Array,
    blocks: Array,
    program: Integers,
    measures: Array,
    calls: Integers,
    island: int,
    step: float,
) -> int:
    """Find the impulses at the start pose with which the joints hold at the end of the drift, and drift; 1 if they hold, else 0.

    The rows have directions and impulses to start with, and the blocks the factor, at the start pose.
    """
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    size, tolerance = float(measures[island, SIZE]), float(measures[island, TOLERANCE])
    first_worst = -1.0
    for _round in range(MOST_ROUNDS):
        _sum_impulses(work, links, points, rows, first, last, first_link, last_link)
        for place in range(first, last):
            _give(own, work, START, END, place)
        _ = call(calls[DRIFT_CALL], (own, work, first, last, step))
        _ = call(
            calls[JOINT_ROWS_CALL],
            (own, work, joints, links, points, rows, measures, island, first_link, last_link, END, 0),
        )
        worst, worst_link = 0.0, -1
        for link in range(first_link, last_link):
            for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
                residual = float(rows[row, RESIDUAL])
                error = abs(residual) * (size if rows[row, IS_TURN] != 0.0 else 1.0)
                if not error <= worst:
                    worst, worst_link = error, link
                rows[row, MISS] = residual / step
        measures[island, WORST], measures[island, WORST_LINK] = worst, worst_link
        if worst <= tolerance:
            return 1
        if first_worst < 0.0:
            first_worst = worst
        if not worst <= 16.0 * first_worst + 1e-6 * size:
            return 0
        wanted = max(1e-3 * worst, 0.1 * tolerance) / abs(step)
        _correct(work, links, islands, rows, blocks, program, calls, island, size, wanted)
    return 0


@kernel("island-velocities")
def velocity_stage(
    own: Array,
    work: Array,
    links: Integers,
    islands: Integers,
    points: Array,
    rows: Array,
    blocks: Array,
    program: Integers,
    measures: Array,
    calls: Integers,
    island: int,
    step: float,
) -> int:
    """Find the impulses at the end pose with which the rows have no rate, and give them to the velocities there.

    The rows have directions and impulses to start with, and the blocks the factor, at the end pose. The work array keeps the velocities
    before these impulses at its start block.
    """
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    size = float(measures[island, SIZE])
    wanted = 0.02 * float(measures[island, TOLERANCE]) / abs(step)
    for place in range(first, last):
        for entry in range(13):
            work[START + entry, place] = work[END + entry, place]
    before = -1.0
    for repeat in range(MOST_CORRECTIONS):
        _sum_impulses(work, links, points, rows, first, last, first_link, last_link)
        for place in range(first, last):
            _give(own, work, START, END, place)
        largest = 0.0
        for link in range(first_link, last_link):
            place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
            for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
                miss = _along(work, rows, row, place, other, END + VELOCITY, END + ANGULAR_VELOCITY)
                rows[row, MISS] = miss
                largest = max(largest, abs(miss) * (size if rows[row, IS_TURN] != 0.0 else 1.0))
        if not largest > wanted or repeat == MOST_CORRECTIONS - 1 or (before >= 0.0 and largest > 0.5 * before):
            break
        before = largest
        _correct(work, links, islands, rows, blocks, program, calls, island, size, wanted)
    return 0
