"""Impulses of points within Coulomb's cone, and of joints within their bounds, by Newton's method.

At a point with the unit normal n and the coefficient of friction μ, u is the relative velocity and ``û = u + μ|u_t| n``. The sum of the
impulses of both stages of a step is in the cone ``K = {|γ_t| ≤ μ γ_n}``, û is in its dual cone, and the two are at right angles: this is
Coulomb's law with non-penetration, without any approximation. While ``μ|u_t|`` is held, the change of the velocities minimises a convex
function, as it does with bounds (see `bounded`).

Source: De Saxcé, Feng (1998), the law by one cone; Acary, Cadoux, Lemaréchal, Malick (2011), ``μ|u_t|`` held during a solve.
"""

from math import sqrt

from ..compilation.compiler import assume_separate_rows, call, inlined, kernel
from ..compilation.products import add_outer
from ..kernels.vectors import Vector, add, add_scaled, apply_symmetric, dot, scale, subtract
from ..loops.columns import Array, Integers, IntegerTable, load_symmetric, load_vector, store_vector
from ..loops.layout import INERTIA, INVERSE_INERTIA, INVERSE_MASS, MASS
from .bounded import (
    MOST_NEWTON_STEPS,
    MOST_SEARCH_STEPS,
    bounded,
    expect_bounded,
    is_bounded,
    slope_of_bounded,
    try_bounded,
    unsettled,
)
from .calls import FACTOR_CALL, MATRIX_CALL, POINT_MATRIX_CALL, SOLVE_CALL
from .joint_types import load, store
from .layout import (
    APART,
    ASKED,
    BLOCK,
    BLOCKS,
    BODIES,
    BODIES_END,
    CHANGE,
    CONE,
    CONTACTS,
    CONTACTS_END,
    FACTOR_IS_MADE,
    FIRST_PLACE,
    FIRST_POINT,
    FIRST_ROW,
    HELD_SLIP,
    IMPULSE,
    IS_LATER,
    IS_TURN,
    KIND,
    KNOWN_PAIRS,
    LAST_ROW,
    LEFT_OVER,
    LINEAR,
    LINKS,
    LINKS_END,
    MISS,
    ON_BODY,
    ON_OTHER,
    POINT_BEFORE,
    RATE,
    RATE_GAIN,
    ROWS,
    ROWS_END,
    SECOND_PLACE,
    SIZE,
    SLIDES,
    SLIDES_ALONG,
    SLIP_CHANGE,
    SLIP_MISS,
    SLIP_PAIRS,
    SOFTNESS,
    SOLUTION,
    SPRING_ROW,
    STATE_OF_POINT,
    STICKS,
    TERM_SIZE,
    TERMS,
    TRIED,
)
from .solver import NO_MOTION, Motion, Sums, add_pull, add_to_sides, along, rate_of, sum_tried

NO_SUMS: Sums = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))

MOST_REPEATS = 10
LEAST_GAIN = 0.9
"""After a repeat that leaves more than this share of what was missed, what is held follows half as much, and its changes are forgotten."""
LEAST_FOLLOWED = 0.1
"""The least share by which what is held follows what it should be; repeats end when it would follow by less."""
LEAST_SINE = 1e-6
"""The square of the sine between two changes of what is held from which on both are made use of."""
SHARE_OF_WANTED, SHARE_OF_MISS = 0.3, 0.05
"""Newton's steps end when the velocities change by less than one of these shares of what is wanted, or of what the last repeat left."""
MEASURED = 1e3
"""What a point misses is measured with so many times its softness: with that alone, a light point would miss no more than the softness
times its impulse, whatever the speed at which it opens."""
NEAR = 0.01
"""Change of the direction of slip, and of its share around the cone, at which the factor of the last step still serves."""
SEARCHED = 0.1
"""Share of the first slope at which a line search ends in an island without joints."""


@inlined
def on_cone(friction: float, wanted: Vector) -> tuple[int, Vector]:
    """The nearest impulse in the cone, along the normal and across it, and whether it is zero, the same, or on the surface."""
    normal, one, two = wanted
    size = sqrt(one * one + two * two)
    if normal <= -friction * size:
        return APART, (0.0, 0.0, 0.0)
    if size <= friction * normal:
        return STICKS, wanted
    height = (normal + friction * size) / (1.0 + friction * friction)
    if size == 0.0:  # the normal part is no number, and plain Python would not divide by zero
        return SLIDES, (height, height, height)
    return SLIDES, (height, friction * height * (one / size), friction * height * (two / size))


@inlined
def _sum_of(rows: Array, touching: Array, row: int, point: int) -> Vector:
    """The impulse of a point in the stage before and in this one."""
    normal, one, two = load(touching, point, POINT_BEFORE)
    return normal + float(rows[row, IMPULSE]), one + float(rows[row + 1, IMPULSE]), two + float(rows[row + 2, IMPULSE])


@inlined
def _wanted(rows: Array, touching: Array, row: int, point: int, before: Vector, share: float) -> Vector:
    """The impulse that a point would have without the cone, at a share of the next change of the velocities."""
    stiffness = 1.0 / float(rows[row, SOFTNESS])
    slip = float(touching[point, HELD_SLIP])
    normal = float(rows[row, MISS]) + float(rows[row, RATE]) + share * float(rows[row, RATE_GAIN]) + slip
    one = float(rows[row + 1, MISS]) + float(rows[row + 1, RATE]) + share * float(rows[row + 1, RATE_GAIN])
    two = float(rows[row + 2, MISS]) + float(rows[row + 2, RATE]) + share * float(rows[row + 2, RATE_GAIN])
    return add_scaled(before, -stiffness, (normal, one, two))


@inlined
def unsettled_point(rows: Array, touching: Array, row: int, point: int) -> float:
    """What a point misses of Coulomb's law, as a velocity: what its impulse would change, times its softness."""
    friction = float(touching[point, CONE])
    if friction < 0.0:
        return 0.0
    one, two = float(rows[row + 1, MISS]), float(rows[row + 2, MISS])
    slip = friction * sqrt(one * one + two * two)
    before, softness = _sum_of(rows, touching, row, point), MEASURED * float(rows[row, SOFTNESS])
    miss = (float(rows[row, MISS]) + slip, one, two)
    _state, after = on_cone(friction, add_scaled(before, -1.0 / softness, miss))
    return softness * max(abs(after[0] - before[0]), abs(after[1] - before[1]), abs(after[2] - before[2]))


@inlined
def _slip_to_hold(rows: Array, touching: Array, row: int, point: int) -> float:
    """``μ|u_t|``, less what of u_t the next solve will take by its impulse.

    With the impulse w that would take all of u, the next one has the normal part of w, and across it ``μ w_n``; what is left of w is
    the slip over the softness. What a point that sticks still misses is no slip, and would raise it.
    """
    friction = float(touching[point, CONE])
    if friction <= 0.0:
        return 0.0
    before, softness = _sum_of(rows, touching, row, point), float(rows[row, SOFTNESS])
    normal = softness * before[0] - float(rows[row, MISS]) - float(rows[row, RATE])
    one = softness * before[1] - float(rows[row + 1, MISS]) - float(rows[row + 1, RATE])
    two = softness * before[2] - float(rows[row + 2, MISS]) - float(rows[row + 2, RATE])
    return friction * max(sqrt(one * one + two * two) - friction * max(normal, 0.0), 0.0)


@inlined
def hold_slips(
    links: Integers, rows: Array, touching: Array, first: int, last: int, share: float, pairs: int, is_pair: bool
) -> int:
    """Hold ``μ|u_t|`` for the next solve, near what it will be.

    What is held follows what it should be. How the difference depends on what is held is known from the last solves: the part of the
    difference that their changes explain is taken away by the same changes. Source: Anderson (1965), here with a memory of two changes.

    Args:
        links: Contacts, from `first` to `last`.
        rows: Their rows.
        touching: Their points.
        first: The first contact.
        last: The one behind the last.
        share: The share by which what is held follows the rest of the difference.
        pairs: How many changes are known; -1 if the differences were not left by a solve, and tell nothing of these.
        is_pair: Whether the last differences were left by a solve as well, so that the last change becomes known.

    Returns:
        How many changes are known then.
    """
    aa = ab = bb = ar = br = 0.0
    known = min(pairs + 1, 2) if is_pair else pairs
    for link in range(first, last):
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW], 3):
            point = links[link, FIRST_POINT] + (row - links[link, FIRST_ROW]) // 3
            slip = _slip_to_hold(rows, touching, row, point)
            miss = slip - float(touching[point, HELD_SLIP])
            if is_pair:
                touching[point, SLIP_PAIRS + 2], touching[point, SLIP_PAIRS + 3] = (
                    touching[point, SLIP_PAIRS],
                    touching[point, SLIP_PAIRS + 1],
                )
                touching[point, SLIP_PAIRS] = touching[point, SLIP_CHANGE]
                touching[point, SLIP_PAIRS + 1] = miss - float(touching[point, SLIP_MISS])
            touching[point, SLIP_MISS] = miss
            a, b = float(touching[point, SLIP_PAIRS + 1]), float(touching[point, SLIP_PAIRS + 3])
            aa, ab, bb = aa + a * a, ab + a * b, bb + b * b
            ar, br = ar + a * miss, br + b * miss
    one = two = 0.0
    if known == 2 and aa * bb - ab * ab > LEAST_SINE * aa * bb:
        one, two = (ar * bb - br * ab) / (aa * bb - ab * ab), (br * aa - ar * ab) / (aa * bb - ab * ab)
    elif known > 0 and aa > 0.0:
        one = ar / aa
    for link in range(first, last):
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW], 3):
            point = links[link, FIRST_POINT] + (row - links[link, FIRST_ROW]) // 3
            before = float(touching[point, HELD_SLIP])
            held = before + share * float(touching[point, SLIP_MISS])
            if one != 0.0:
                held -= one * (float(touching[point, SLIP_PAIRS]) + share * float(touching[point, SLIP_PAIRS + 1]))
            if two != 0.0:
                held -= two * (float(touching[point, SLIP_PAIRS + 2]) + share * float(touching[point, SLIP_PAIRS + 3]))
            touching[point, HELD_SLIP] = max(held, 0.0)
            touching[point, SLIP_CHANGE] = max(held, 0.0) - before
    return known


@inlined
def _set_term(
    rows: Array, touching: Array, row: int, column: int, point: int, weight: float, other: int, shares: Vector
) -> None:
    """Store a term of the matrix, with shares of the directions of the three rows of a point."""
    touching[point, column] = weight
    for entry in range(3):
        linear, turn = LINEAR + entry, ON_BODY + entry
        touching[point, column + 1 + entry] = (
            shares[0] * rows[row, linear] + shares[1] * rows[row + 1, linear] + shares[2] * rows[row + 2, linear]
        )
        touching[point, column + 4 + entry] = (
            shares[0] * rows[row, turn] + shares[1] * rows[row + 1, turn] + shares[2] * rows[row + 2, turn]
        )
        if other >= 0:
            turn = ON_OTHER + entry
            touching[point, column + 7 + entry] = (
                shares[0] * rows[row, turn] + shares[1] * rows[row + 1, turn] + shares[2] * rows[row + 2, turn]
            )


@inlined
def _try_points(
    work: Array, links: Integers, rows: Array, touching: Array, first: int, last: int, share: float
) -> tuple[bool, bool]:
    """Take a share of the last change, try the impulses of points for the change of the velocities so far, add them to the right-hand
    sides of a solve, and write their terms of the matrix.

    Returns:
        Whether any term changed, and whether any point slides, so that a solve is not exact.
    """
    changed = slides = False
    for link in range(first, last):
        place, other, sums = links[link, FIRST_PLACE], links[link, SECOND_PLACE], NO_SUMS
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW], 3):
            point = links[link, FIRST_POINT] + (row - links[link, FIRST_ROW]) // 3
            _take_gains(rows, row, share)
            friction, state = float(touching[point, CONE]), APART
            tried = wanted = (0.0, 0.0, 0.0)
            if friction >= 0.0:
                before = _sum_of(rows, touching, row, point)
                wanted = _wanted(rows, touching, row, point, before, 0.0)
                state, on_surface = on_cone(friction, wanted)
                tried = subtract(on_surface, before)
            slides = slides or (state == SLIDES and friction > 0.0)
            changed = _set_terms(rows, touching, row, point, other, state, wanted) or changed
            sums = _add_tried(rows, row, other, tried, sums)
        add_to_sides(work, place, other, sums)
    return changed, slides


@inlined
def _take_gains(rows: Array, row: int, share: float) -> None:
    """Take a share of the last change of the rates of a point."""
    for each in range(row, row + 3):
        rows[each, RATE] += share * rows[each, RATE_GAIN]


@inlined
def _add_tried(rows: Array, row: int, other: int, tried: Vector, sums: Sums) -> Sums:
    """Note the tried impulse of a point, and add it to the sums of its contact."""
    rows[row, TRIED], rows[row + 1, TRIED], rows[row + 2, TRIED] = tried
    sums = add_pull(rows, row, other, tried[0], sums)
    sums = add_pull(rows, row + 1, other, tried[1], sums)
    return add_pull(rows, row + 2, other, tried[2], sums)


@inlined
def _set_terms(rows: Array, touching: Array, row: int, point: int, other: int, state: int, wanted: Vector) -> bool:
    """Write the terms that a point in a state adds to the matrix, where they change; whether they do."""
    same = int(touching[point, STATE_OF_POINT]) == state
    if same and state != SLIDES:
        return False
    touching[point, STATE_OF_POINT] = float(state)
    stiffness = 1.0 / float(rows[row, SOFTNESS])
    if state == APART:
        for number in range(3):
            touching[point, TERMS + TERM_SIZE * number] = 0.0
    elif state == STICKS:
        _set_term(rows, touching, row, TERMS, point, stiffness, other, (1.0, 0.0, 0.0))
        _set_term(rows, touching, row, TERMS + TERM_SIZE, point, stiffness, other, (0.0, 1.0, 0.0))
        _set_term(rows, touching, row, TERMS + 2 * TERM_SIZE, point, stiffness, other, (0.0, 0.0, 1.0))
    else:
        # the derivative of the projection on the surface: along the surface's line, and around the cone
        friction = float(touching[point, CONE])
        size = sqrt(wanted[1] * wanted[1] + wanted[2] * wanted[2])
        one, two = wanted[1] / size, wanted[2] / size
        weight = stiffness / (1.0 + friction * friction)
        around = friction * (wanted[0] + friction * size) * weight / size
        off = one * float(touching[point, SLIDES_ALONG + 1]) - two * float(touching[point, SLIDES_ALONG])
        more = around - float(touching[point, TERMS + TERM_SIZE])
        if same and abs(off) <= NEAR and abs(more) <= NEAR * around:
            return False
        touching[point, SLIDES_ALONG], touching[point, SLIDES_ALONG + 1] = one, two
        line = (1.0, friction * one, friction * two)
        _set_term(rows, touching, row, TERMS, point, weight, other, line)
        _set_term(rows, touching, row, TERMS + TERM_SIZE, point, around, other, (0.0, -two, one))
        touching[point, TERMS + 2 * TERM_SIZE] = 0.0
    return True


@inlined
def _expect_points(work: Array, links: Integers, rows: Array, touching: Array, first: int, last: int) -> None:
    """Try the impulses of points for the change of the velocities so far as if each went on to stick, to slide this way or to be apart,
    and add them to the right-hand sides of a solve.

    Where a point slides, what it misses along the surface of the cone and around it changes its impulse: the rest is at right angles to it.
    """
    for link in range(first, last):
        place, other, sums = links[link, FIRST_PLACE], links[link, SECOND_PLACE], NO_SUMS
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW], 3):
            point = links[link, FIRST_POINT] + (row - links[link, FIRST_ROW]) // 3
            friction, state = float(touching[point, CONE]), int(touching[point, STATE_OF_POINT])
            before, tried = _sum_of(rows, touching, row, point), (0.0, 0.0, 0.0)
            if friction >= 0.0 and state == APART:
                tried = scale(-1.0, before)
            elif friction >= 0.0:
                tried = subtract(_wanted(rows, touching, row, point, before, 0.0), before)
                if state == SLIDES:
                    one, two = float(touching[point, SLIDES_ALONG]), float(touching[point, SLIDES_ALONG + 1])
                    size = sqrt(before[1] * before[1] + before[2] * before[2])
                    if size > 0.0:
                        one, two = before[1] / size, before[2] / size
                    along_line = (tried[0] + friction * (one * tried[1] + two * tried[2])) / (1.0 + friction * friction)
                    share = float(touching[point, TERMS + TERM_SIZE]) * float(rows[row, SOFTNESS])
                    around, size = share * (one * tried[2] - two * tried[1]), friction * along_line
                    tried = (along_line, size * one - around * two, size * two + around * one)
            sums = _add_tried(rows, row, other, tried, sums)
        add_to_sides(work, place, other, sums)


@kernel("point-matrix")
def point_matrix(links: IntegerTable, islands: IntegerTable, touching: Array, blocks: Array, island: int) -> int:
    """Add the terms of points to the matrix of an island."""
    assume_separate_rows()
    first, start = islands[island, BODIES], islands[island, BLOCKS]
    for link in range(islands[island, CONTACTS], islands[island, CONTACTS_END]):
        place, other, between = links[link, FIRST_PLACE], links[link, SECOND_PLACE], links[link, BLOCK]
        own_block, other_block = start + place - first, start + other - first
        for number in range(links[link, LAST_ROW] - links[link, FIRST_ROW]):
            point, term = links[link, FIRST_POINT] + number // 3, TERMS + TERM_SIZE * (number % 3)
            weight = float(touching[point, term])
            if weight == 0.0:
                continue
            linear, on_body, on_other = term + 1, term + 4, term + 7
            add_outer(blocks, own_block, touching, point, weight, linear, on_body, on_body)
            if other >= 0:
                add_outer(blocks, other_block, touching, point, weight, linear, on_other, on_other)
                later, earlier = (on_body, on_other) if links[link, IS_LATER] == 1 else (on_other, on_body)
                add_outer(blocks, between, touching, point, -weight, linear, later, earlier)
    return 0


@inlined
def _slope_of_point(
    rows: Array, touching: Array, row: int, point: int, friction: float, gain: Vector, share: float
) -> tuple[float, float]:
    """The part of a point in the slope, at a share of the next change, and its derivative."""
    before = _sum_of(rows, touching, row, point)
    wanted = _wanted(rows, touching, row, point, before, share)
    state, tried = on_cone(friction, wanted)
    slope, stiffness = dot(before, gain) - dot(tried, gain), 1.0 / float(rows[row, SOFTNESS])
    if state == STICKS:
        return slope, stiffness * dot(gain, gain)
    if state == APART:
        return slope, 0.0
    size = sqrt(wanted[1] * wanted[1] + wanted[2] * wanted[2])
    one, two = wanted[1] / size, wanted[2] / size
    along_line = gain[0] + friction * (one * gain[1] + two * gain[2])
    around = one * gain[2] - two * gain[1]
    weight = stiffness / (1.0 + friction * friction)
    curvature = weight * along_line * along_line
    return slope, curvature + friction * (wanted[0] + friction * size) * weight / size * around * around


@inlined
def _slope_of_points(
    links: Integers, rows: Array, touching: Array, first: int, last: int, share: float
) -> tuple[float, float]:
    """The part of points in the slope, at a share of the next change, and its derivative."""
    slope = curvature = 0.0
    for link in range(first, last):
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW], 3):
            point = links[link, FIRST_POINT] + (row - links[link, FIRST_ROW]) // 3
            friction = float(touching[point, CONE])
            if friction >= 0.0:
                gain = (float(rows[row, RATE_GAIN]), float(rows[row + 1, RATE_GAIN]), float(rows[row + 2, RATE_GAIN]))
                more, bend = _slope_of_point(rows, touching, row, point, friction, gain, share)
                slope, curvature = slope + more, curvature + bend
    return slope, curvature


@inlined
def _gain_points(
    work: Array, links: Integers, rows: Array, touching: Array, first: int, last: int, is_expected: bool
) -> tuple[float, float, float]:
    """Compute the rates of points for the next change of the velocities, and their part in the slope at the whole of it.

    Returns:
        That part without any of the change, if `is_expected`, and with all of it, and the derivative of this.
    """
    start = slope = curvature = 0.0
    for link in range(first, last):
        place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
        mine, others = _solved(work, place), NO_MOTION
        if other >= 0:
            others = _solved(work, other)
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW], 3):
            point = links[link, FIRST_POINT] + (row - links[link, FIRST_ROW]) // 3
            one = rate_of(rows, row, other, mine, others)
            two = rate_of(rows, row + 1, other, mine, others)
            three = rate_of(rows, row + 2, other, mine, others)
            rows[row, RATE_GAIN], rows[row + 1, RATE_GAIN], rows[row + 2, RATE_GAIN] = one, two, three
            friction, gain = float(touching[point, CONE]), (one, two, three)
            if friction < 0.0:
                continue
            if is_expected:
                start += _slope_of_point(rows, touching, row, point, friction, gain, 0.0)[0]
            more, bend = _slope_of_point(rows, touching, row, point, friction, gain, 1.0)
            slope, curvature = slope + more, curvature + bend
    return start, slope, curvature


@inlined
def _solved(work: Array, place: int) -> Motion:
    """The next change of the velocities of a body."""
    return load_vector(work, SOLUTION, place), load_vector(work, SOLUTION + 3, place)


@inlined
def _search(
    work: Array,
    own: Array,
    links: Integers,
    rows: Array,
    touching: Array,
    places: tuple[int, int],
    joint_rows: tuple[int, int],
    contacts: tuple[int, int],
    is_expected: bool,
) -> float:
    """The share of the next change at which the function that a solve minimises is least, or nearly so in an island without joints.

    The change was solved for from what the impulses ask for, which is in `ASKED`, unless `is_expected`. It is then zero if the function
    does not fall along the change. The rates of joints for it are known, and those of points are computed here.
    """
    start = constant = linear = 0.0
    for place in range(*places):
        gain, turn = _solved(work, place)
        pushed = scale(float(own[MASS, place]), gain)
        twisted = apply_symmetric(load_symmetric(own, INERTIA, place), turn)
        constant += dot(load_vector(work, CHANGE, place), pushed) + dot(load_vector(work, CHANGE + 3, place), twisted)
        constant -= dot(load_vector(work, LEFT_OVER, place), gain) + dot(load_vector(work, LEFT_OVER + 3, place), turn)
        linear += dot(gain, pushed) + dot(turn, twisted)
        start += dot(load_vector(work, ASKED, place), gain) + dot(load_vector(work, ASKED + 3, place), turn)
    for row in range(*joint_rows):
        if not is_bounded(rows, row):
            rate_gain = float(rows[row, RATE_GAIN])
            stiff = rate_gain / float(rows[row, SOFTNESS])
            constant += stiff * (float(rows[row, MISS]) + float(rows[row, RATE]))
            linear += stiff * rate_gain
    has_joints = joint_rows[0] < joint_rows[1]
    at_start, at_end, bend = _gain_points(work, links, rows, touching, *contacts, is_expected)
    if is_expected:
        start = -constant - slope_of_bounded(rows, *joint_rows, 0.0)[0] - at_start
        if not start > 0.0:
            return 0.0
    enough = (1e-13 if has_joints else SEARCHED) * start
    share, low, high = 1.0, 0.0, 1.0
    slope, curvature = slope_of_bounded(rows, *joint_rows, 1.0)
    slope, curvature = slope + at_end + constant + linear, curvature + bend
    if not slope > (1e-9 * start if has_joints else enough):
        return 1.0
    for _step in range(MOST_SEARCH_STEPS):
        better = share - slope / (linear + curvature)
        if not (low < better and better < high):
            better = 0.5 * (low + high)
        share = better
        at_share, bend = _slope_of_points(links, rows, touching, *contacts, share)
        slope, curvature = slope_of_bounded(rows, *joint_rows, share)
        slope, curvature = slope + at_share + constant + share * linear, curvature + bend
        if abs(slope) <= enough:
            break
        if slope > 0.0:
            high = share
        else:
            low = share
    return share


@inlined
def _minimise(
    own: Array,
    work: Array,
    links: Integers,
    islands: Integers,
    touching: Array,
    rows: Array,
    blocks: Array,
    program: Integers,
    calls: Integers,
    island: int,
    size: float,
    least_rate: float,
    is_made: bool,
    is_first: bool,
) -> int:
    """Find the change of the velocities by Newton's method from the one that was tried last.

    The first step expects all rows and points to have the states of the last solve, unless there was none in this stage (`is_first`).
    `is_made` tells whether the factor belongs to these states.

    Returns:
        0 if it was not found, 1 if the factor belongs to the states of all rows and points as they are then, else 2.
    """
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_row, last_row = islands[island, ROWS], islands[island, ROWS_END]
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    first_contact, last_contact = islands[island, CONTACTS], islands[island, CONTACTS_END]
    share = 0.0
    for number in range(MOST_NEWTON_STEPS):
        is_expected = number == 0 and not is_first
        changed = slides = False
        if is_expected:
            expect_bounded(rows, first_row, last_row)
        else:
            changed = try_bounded(rows, first_row, last_row)
        sum_tried(work, links, rows, first, last, first_link, last_link)
        if is_expected:
            _expect_points(work, links, rows, touching, first_contact, last_contact)
        else:
            others_changed, slides = _try_points(work, links, rows, touching, first_contact, last_contact, share)
            is_made = is_made and not (changed or others_changed)
        wrong = _ask(work, own, first, last, size)
        if share == 1.0 and is_made and not slides:  # what was solved for is exact
            return 1
        # what the impulses would give and what is expected of them: a small last step says nothing of that where points are stiff
        if not is_expected and wrong <= least_rate:
            return 1 if is_made else 2
        if not is_made:
            is_made = True
            _ = call(calls[MATRIX_CALL], (own, links, islands, rows, blocks, island))
            _ = call(calls[POINT_MATRIX_CALL], (links, islands, touching, blocks, island))
            _ = call(calls[FACTOR_CALL], (blocks, program, islands, island))
        _ = call(calls[SOLVE_CALL], (work, blocks, program, islands, island))
        _gain_joints(work, links, rows, first_link, last_link)
        share = _search(
            *(work, own, links, rows, touching),
            (first, last),
            (first_row, last_row),
            (first_contact, last_contact),
            is_expected,
        )
        for place in range(first, last):
            for entry in range(6):
                work[CHANGE + entry, place] += share * float(work[SOLUTION + entry, place])
        for row in range(first_row, last_row):
            rows[row, RATE] += share * rows[row, RATE_GAIN]
    return 0


@inlined
def _ask(work: Array, own: Array, first: int, last: int, size: float) -> float:
    """Put what the summed impulses ask for beyond the velocities that were tried into `ASKED`; return the largest rate of it [m/s]."""
    wrong = 0.0
    for place in range(first, last):
        push = add(load_vector(work, SOLUTION, place), load_vector(work, LEFT_OVER, place))
        twist = add(load_vector(work, SOLUTION + 3, place), load_vector(work, LEFT_OVER + 3, place))
        push = add_scaled(push, -float(own[MASS, place]), load_vector(work, CHANGE, place))
        turned = apply_symmetric(load_symmetric(own, INERTIA, place), load_vector(work, CHANGE + 3, place))
        twist = subtract(twist, turned)
        store_vector(work, SOLUTION, place, push)
        store_vector(work, SOLUTION + 3, place, twist)
        store_vector(work, ASKED, place, push)
        store_vector(work, ASKED + 3, place, twist)
        moved = scale(float(own[INVERSE_MASS, place]), push)
        turn = apply_symmetric(load_symmetric(own, INVERSE_INERTIA, place), twist)
        for entry in range(3):
            wrong = max(wrong, abs(moved[entry]), size * abs(turn[entry]))
    return wrong


@inlined
def _gain_joints(work: Array, links: Integers, rows: Array, first: int, last: int) -> None:
    """Compute the rates of the rows of joints for the next change of the velocities."""
    for link in range(first, last):
        place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
            rows[row, RATE_GAIN] = along(work, rows, row, place, other, SOLUTION, SOLUTION + 3)


@inlined
def _apply(
    links: Integers,
    rows: Array,
    touching: Array,
    first_row: int,
    last_row: int,
    first: int,
    last: int,
    size: float,
) -> float:
    """Change the impulses by the rates that were found, and the misses with them; the largest one that an impulse could still remove.

    The impulses of points were tried for these rates last.
    """
    largest = 0.0
    for row in range(first_row, last_row):
        impulse, softness = float(rows[row, IMPULSE]), float(rows[row, SOFTNESS])
        tried = bounded(rows, row, impulse - (float(rows[row, MISS]) + float(rows[row, RATE])) / softness)
        rows[row, IMPULSE] = tried
        rows[row, MISS] = float(rows[row, MISS]) + float(rows[row, RATE])
        if rows[row, KIND] == SPRING_ROW:  # its softness is real, and the impulse has answered it
            rows[row, MISS] += softness * (tried - impulse)
        largest = max(largest, abs(unsettled(rows, row)) * (size if rows[row, IS_TURN] != 0.0 else 1.0))
        rows[row, RATE] = 0.0
    for link in range(first, last):
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW], 3):
            point = links[link, FIRST_POINT] + (row - links[link, FIRST_ROW]) // 3
            for entry in range(3):
                rows[row + entry, IMPULSE] += rows[row + entry, TRIED]
                rows[row + entry, MISS] += rows[row + entry, RATE]
                rows[row + entry, RATE] = 0.0
            largest = max(largest, unsettled_point(rows, touching, row, point))
    return largest


@inlined
def world_impulse(rows: Array, row: int) -> Vector:
    """The impulse of a point in this stage, world frame."""
    total = scale(float(rows[row, IMPULSE]), load(rows, row, LINEAR))
    total = add_scaled(total, float(rows[row + 1, IMPULSE]), load(rows, row + 1, LINEAR))
    return add_scaled(total, float(rows[row + 2, IMPULSE]), load(rows, row + 2, LINEAR))


@inlined
def keep_first(links: Integers, touching: Array, rows: Array, first: int, last: int, column: int, step: float) -> None:
    """Keep the impulses of the first solve, as mean forces."""
    for link in range(first, last):
        for row in range(links[link, FIRST_ROW], links[link, LAST_ROW], 3):
            point = links[link, FIRST_POINT] + (row - links[link, FIRST_ROW]) // 3
            store(touching, point, column, scale(1.0 / step, world_impulse(rows, row)))


@inlined
def _begin_repeat(work: Array, first: int, last: int) -> None:
    """Begin with no change of the velocities, and with what the last repeat has asked for in vain."""
    for place in range(first, last):
        for entry in range(6):
            work[LEFT_OVER + entry, place] = work[ASKED + entry, place]
            work[CHANGE + entry, place] = 0.0


@kernel("island-cones")
def correct_cones(
    own: Array,
    work: Array,
    links: IntegerTable,
    islands: IntegerTable,
    touching: Array,
    rows: Array,
    blocks: Array,
    program: IntegerTable,
    measures: Array,
    calls: Integers,
    island: int,
    wanted: float,
    column: int,
    step: float,
) -> int:
    """Change the impulses of joints and points by what removes the rates that they miss, up to `wanted`.

    It starts from the change of the velocities in `CHANGE` and the rates of the rows for it in `RATE`, and is repeated with the
    regularisation about the last impulse. If `column` is not 0, it is the first call of a stage: what the slip is held at is given, and the
    impulses of the first solve are kept in these columns as mean forces over `step`, from which the next step starts. They belong to the
    velocities that the softness of the points leaves; those of later repeats would leave none, and tell nothing of the impulses. Later
    calls of a stage go on with its factor.

    Returns:
        1, or 2 if more repeats would hardly leave less; 0 if Newton's method did not end, and then nothing of that repeat was applied.
    """
    assume_separate_rows()
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_row, last_row = islands[island, ROWS], islands[island, ROWS_END]
    first_contact, last_contact = islands[island, CONTACTS], islands[island, CONTACTS_END]
    size = float(measures[island, SIZE])
    if column > 0:
        measures[island, FACTOR_IS_MADE] = measures[island, KNOWN_PAIRS] = 0.0
        for link in range(first_contact, last_contact):
            for number in range((links[link, LAST_ROW] - links[link, FIRST_ROW]) // 3):
                # no term belongs to these directions yet
                touching[links[link, FIRST_POINT] + number, STATE_OF_POINT] = -1.0
    for place in range(first, last):
        for entry in range(6):
            work[LEFT_OVER + entry, place] = 0.0
    before, share, pairs = -1.0, 1.0, int(measures[island, KNOWN_PAIRS])
    for repeat in range(MOST_REPEATS):
        points = (links, rows, touching, first_contact, last_contact)
        if repeat > 0:
            # what was missed before the first solve of a call is no answer to what was held
            pairs = hold_slips(*points, share, pairs, repeat > 1)
        elif column == 0:
            _ = hold_slips(*points, share, -1, False)
        common = (own, work, links, islands, touching, rows, blocks, program, calls)
        # no more exact than the repeats that follow make use of
        is_first = repeat == 0 and column > 0
        exact = max(SHARE_OF_WANTED * wanted, SHARE_OF_MISS * before)
        found = _minimise(*common, island, size, exact, measures[island, FACTOR_IS_MADE] == 1.0, is_first)
        if found == 0:
            return 0
        measures[island, FACTOR_IS_MADE], measures[island, KNOWN_PAIRS] = 1.0 if found == 1 else 0.0, float(pairs)
        largest = _apply(links, rows, touching, first_row, last_row, first_contact, last_contact, size)
        if is_first:
            keep_first(links, touching, rows, first_contact, last_contact, column, step)
        _begin_repeat(work, first, last)
        if not largest > wanted:
            break
        if repeat > 0 and largest > LEAST_GAIN * before:
            share, pairs = 0.5 * share, 0
            if share < LEAST_FOLLOWED:
                return 2
        before = largest
    return 1
