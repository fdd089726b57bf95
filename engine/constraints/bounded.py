"""Impulses within bounds, of limits, friction, motors and springs."""

from ..compilation.compiler import call, inlined, kernel
from ..compilation.packed import Packed, unpack
from ..kernels.vectors import apply_symmetric, dot, scale
from ..loops.columns import Array, add_to_vector, load_symmetric, load_vector
from ..loops.layout import INERTIA, MASS
from .arguments import Tables
from .calls import WEAK_CALL
from .layout import (
    BODIES,
    BODIES_END,
    BOUND,
    CHANGE,
    DAMPING,
    FEED,
    FIRST_PLACE,
    FIRST_ROW,
    GOAL,
    GROWTH,
    HAS_LOOP,
    IMPULSE,
    IS_FREE,
    IS_TURN,
    KIND,
    LAST_ROW,
    LEAST,
    LINKS,
    LINKS_END,
    LOWER_LIMIT,
    MISS,
    MOST,
    OWN_PUSH,
    POSITION_FORCES,
    RATE,
    RATE_GAIN,
    RATE_ROW,
    RESIDUAL,
    ROWS,
    ROWS_END,
    SECOND_PLACE,
    SOFTNESS,
    SOLUTION,
    SPRING_ROW,
    STIFFNESS,
    TRIED,
    UPPER_LIMIT,
    YIELDS,
)
from .rows import REGULARISATION
from .solver import LEAST_ANSWER, MOST_REPEATS, along, make_factor, slowest_repeat, solve_island, sum_tried, take_back

MOST_SOFTNESS = 1e3
"""Softness of a motor that adds a torque, as a share of what its row yields; more would only slow the rounds down by a thousandth."""
_HUGE = 1e300
"""A bound that is never reached."""
MOST_CHOICES = 12
LEAST_SHARE = 1e-3
"""Rates that no choice depends on, as a share of those that are wanted."""
MOST_NEWTON_STEPS = 100
MOST_SEARCH_STEPS = 40


@inlined
def bounded(rows: Array, row: int, impulse: float) -> float:
    """An impulse within the bounds of a row."""
    return min(max(impulse, float(rows[row, LEAST])), float(rows[row, MOST]))


@inlined
def unsettled(rows: Array, row: int) -> float:
    """What a row misses, unless its impulse is at the bound that keeps it from correcting that."""
    impulse, miss = float(rows[row, IMPULSE]), float(rows[row, MISS])
    return 0.0 if bounded(rows, row, impulse - miss / float(rows[row, SOFTNESS])) == impulse else miss


WITHOUT_LIMITS = 2
"""What `joint_bounds` takes as a stage if no limit acts in either of them."""


@kernel("joint-bounds")
def joint_bounds(
    common: Packed[Tables], first: int, last: int, is_end: int, size: float, tolerance: float, step: float
) -> int:
    """Set the bounds of the impulses of rows in a stage, and the softness of springs; half of a torque acts in each stage.

    `is_end` is 1 in the stage of velocities, and `WITHOUT_LIMITS` in both stages of islands whose limits are too far away to act.
    """
    tables = unpack(common)
    rows = tables.rows
    for link in range(first, last):
        for row in range(tables.links[link, FIRST_ROW], tables.links[link, LAST_ROW]):
            kind = int(rows[row, KIND])
            least, most = -_HUGE, _HUGE
            if kind == LOWER_LIMIT or kind == UPPER_LIMIT:
                beyond = float(rows[row, RESIDUAL]) - float(rows[row, GOAL])
                if kind == UPPER_LIMIT:
                    beyond = -beyond
                near = 16.0 * tolerance / (size if rows[row, IS_TURN] != 0.0 else 1.0)
                if is_end == WITHOUT_LIMITS or (is_end == 1 and beyond > near):
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
                else:  # the same impulse again; in proportion to the inertia, if it follows that
                    again = step * float(tables.joints[POSITION_FORCES + row - tables.links[link, FIRST_ROW], link])
                    if rows[row, GROWTH] != 1.0:
                        push = 0.5 * step * float(rows[row, OWN_PUSH])
                        again = min(max(float(rows[row, GROWTH]) * (again - push) + push, least), most)
                    least = most = again
            rows[row, LEAST], rows[row, MOST] = least, most
            rows[row, IMPULSE] = min(max(float(rows[row, IMPULSE]), least), most)
            rows[row, IS_FREE] = -1.0  # no matrix has been made with these bounds
    return 0


@inlined
def is_bounded(rows: Array, row: int) -> bool:
    """Whether the impulse of a row has a bound."""
    return float(rows[row, LEAST]) > -_HUGE or float(rows[row, MOST]) < _HUGE


@inlined
def _set_free(rows: Array, row: int, is_free: bool) -> bool:
    """Set whether a row is part of the matrix, and tell whether it was not so before."""
    before, now = float(rows[row, IS_FREE]), 1.0 if is_free else 0.0
    rows[row, IS_FREE] = now
    return now != before


@inlined
def _choose(rows: Array, first: int, last: int, size: float, least_rate: float, is_start: bool) -> tuple[bool, bool]:
    """Choose the rows between their bounds, and the impulses of those at one, by the solution for the last choice.

    Sticking and sliding, and limits that are reached, mostly last for many ticks, and the first choice is that of the last impulses. Later,
    a row leaves its bound if its rate asks for it, and a row whose impulse is beyond a bound goes there. It goes from one bound to the
    other one only at a rate that its own impulse could hardly stop: a rate that is left because other rows changed says nothing yet.

    Returns:
        Whether the choice is the last one, and whether it has the same rows between their bounds.
    """
    same, same_rows = not is_start, True
    for row in range(first, last):
        impulse, miss, softness = float(rows[row, IMPULSE]), float(rows[row, MISS]), float(rows[row, SOFTNESS])
        least, most, before = float(rows[row, LEAST]), float(rows[row, MOST]), float(rows[row, TRIED])
        asked, slack = impulse, 0.0
        if not is_start:
            pull, rate = before, miss + float(rows[row, RATE])
            share = 1.0 if rows[row, KIND] == SPRING_ROW else REGULARISATION
            slack = share * least_rate / (softness * (size if rows[row, IS_TURN] != 0.0 else 1.0))
            if rows[row, IS_FREE] == 1.0:
                pull, slack = -rate / softness, -slack
            asked = impulse + pull - share * (rate / softness + pull)
        is_free = least + slack < asked and asked < most - slack
        pull = -miss / softness if is_free else min(max(asked, least), most) - impulse
        if _set_free(rows, row, is_free):
            same = same_rows = False
        elif not is_free and pull != before:
            same = False
        rows[row, TRIED] = pull
    return same, same_rows


@inlined
def try_bounded(rows: Array, first: int, last: int) -> bool:
    """Try the changes of the impulses that belong to the change of the velocities so far; whether other rows are between their bounds."""
    changed = False
    for row in range(first, last):
        impulse = float(rows[row, IMPULSE])
        free = impulse - (float(rows[row, MISS]) + float(rows[row, RATE])) / float(rows[row, SOFTNESS])
        tried = bounded(rows, row, free)
        changed = _set_free(rows, row, tried == free) or changed
        rows[row, TRIED] = tried - impulse
    return changed


@inlined
def expect_bounded(rows: Array, first: int, last: int) -> None:
    """Try the changes of the impulses for the change of the velocities so far as if the same rows were between their bounds."""
    for row in range(first, last):
        free = -(float(rows[row, MISS]) + float(rows[row, RATE])) / float(rows[row, SOFTNESS])
        rows[row, TRIED] = free if rows[row, IS_FREE] == 1.0 else 0.0


@inlined
def slope_of_bounded(rows: Array, first: int, last: int, share: float) -> tuple[float, float]:
    """The part of rows with bounds in the slope, at a share of the next change, and its derivative; see `_search`."""
    slope = curvature = 0.0
    for row in range(first, last):
        if is_bounded(rows, row):
            gain, softness, impulse = float(rows[row, RATE_GAIN]), float(rows[row, SOFTNESS]), float(rows[row, IMPULSE])
            free = impulse - (float(rows[row, MISS]) + float(rows[row, RATE]) + share * gain) / softness
            tried = bounded(rows, row, free)
            slope -= (tried - impulse) * gain
            if tried == free:
                curvature += gain * gain / softness
    return slope, curvature


@inlined
def _search(work: Array, own: Array, rows: Array, first: int, last: int, first_row: int, last_row: int) -> float:
    """The share of the next change at which the function that a solve with bounds minimises is least.

    Its slope along the change is piecewise linear and grows. What the bodies and the rows without bounds contribute is linear, and summed
    once. Newton's steps between the ends of the interval of the zero, which shrinks, find it exactly once they reach its piece.
    """
    start = constant = linear = 0.0
    for place in range(first, last):
        gain = load_vector(work, SOLUTION, place)
        turn = load_vector(work, SOLUTION + 3, place)
        pushed = scale(float(own[MASS, place]), gain)
        twisted = apply_symmetric(load_symmetric(own, INERTIA, place), turn)
        constant += dot(load_vector(work, CHANGE, place), pushed) + dot(load_vector(work, CHANGE + 3, place), twisted)
        linear += dot(gain, pushed) + dot(turn, twisted)
    for row in range(first_row, last_row):
        if not is_bounded(rows, row):
            rate_gain = float(rows[row, RATE_GAIN])
            stiff = rate_gain / float(rows[row, SOFTNESS])
            constant += stiff * (float(rows[row, MISS]) + float(rows[row, RATE]))
            linear += stiff * rate_gain
    slope, curvature = slope_of_bounded(rows, first_row, last_row, 0.0)
    start = -(constant + slope)
    share, low, high = 1.0, 0.0, 1.0
    slope, curvature = slope_of_bounded(rows, first_row, last_row, 1.0)
    slope += constant + linear
    if not slope > 1e-9 * start:
        return 1.0
    for _step in range(MOST_SEARCH_STEPS):
        better = share - slope / (linear + curvature)
        if not (low < better and better < high):
            better = 0.5 * (low + high)
        share = better
        slope, curvature = slope_of_bounded(rows, first_row, last_row, share)
        slope += constant + share * linear
        if abs(slope) <= 1e-13 * start:
            break
        if slope > 0.0:
            high = share
        else:
            low = share
    return share


@inlined
def _solve_chosen(common: Packed[Tables], island: int, size: float, least_rate: float) -> int:
    """Find the change of the velocities by choosing the rows between their bounds, which mostly takes few solves.

    Source: Hintermüller, Ito, Kunisch (2002), the primal-dual active set method.

    Returns:
        As `_minimise`.
    """
    tables = unpack(common)
    work, links, islands, rows = tables.work, tables.links, tables.islands, tables.rows
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    first_row, last_row = islands[island, ROWS], islands[island, ROWS_END]
    found = 1
    for number in range(MOST_CHOICES):
        same, same_rows = _choose(rows, first_row, last_row, size, least_rate, number == 0)
        if same:
            return found
        if not same_rows:
            found = 2
            make_factor(tables, island)
        sum_tried(work, links, rows, first, last, first_link, last_link)
        solve_island(tables, island)
        for link in range(first_link, last_link):
            place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
            for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
                rows[row, RATE] = along(work, rows, row, place, other, SOLUTION, SOLUTION + 3)
    for place in range(first, last):
        for entry in range(6):
            work[CHANGE + entry, place] = work[SOLUTION + entry, place]
    return 0


@inlined
def _minimise(common: Packed[Tables], island: int, size: float, least_rate: float) -> int:
    """Find the change of the velocities by Newton's method with an exact line search, from the one that was tried last.

    The change minimises ``Δᵀ M Δ/2`` plus a convex function per row.

    Returns:
        0 if it was not found in the most steps, 1 if the rows between their bounds stayed the same, else 2.
    """
    tables = unpack(common)
    work, links, islands, rows = tables.work, tables.links, tables.islands, tables.rows
    first, last = islands[island, BODIES], islands[island, BODIES_END]
    first_link, last_link = islands[island, LINKS], islands[island, LINKS_END]
    first_row, last_row = islands[island, ROWS], islands[island, ROWS_END]
    share = 0.0
    for _step in range(MOST_NEWTON_STEPS):
        changed = try_bounded(rows, first_row, last_row)
        if share == 1.0 and not changed:  # what was solved for is exact
            return 2
        sum_tried(work, links, rows, first, last, first_link, last_link)
        for place in range(first, last):
            moved, turn = load_vector(work, CHANGE, place), load_vector(work, CHANGE + 3, place)
            add_to_vector(work, SOLUTION, place, scale(-float(tables.own[MASS, place]), moved))
            turned = apply_symmetric(load_symmetric(tables.own, INERTIA, place), turn)
            add_to_vector(work, SOLUTION + 3, place, scale(-1.0, turned))
        if changed:
            make_factor(tables, island)
        solve_island(tables, island)
        for link in range(first_link, last_link):
            place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
            for row in range(links[link, FIRST_ROW], links[link, LAST_ROW]):
                rows[row, RATE_GAIN] = along(work, rows, row, place, other, SOLUTION, SOLUTION + 3)
        share = _search(work, tables.own, rows, first, last, first_row, last_row)
        largest = 0.0
        for place in range(first, last):
            for entry in range(6):
                change = share * float(work[SOLUTION + entry, place])
                work[CHANGE + entry, place] += change
                largest = max(largest, abs(change) * (size if entry > 2 else 1.0))
        for row in range(first_row, last_row):
            rows[row, RATE] += share * rows[row, RATE_GAIN]
        if largest <= least_rate:
            return 2
    return 0


@inlined
def _apply(rows: Array, first: int, last: int, size: float) -> tuple[float, float]:
    """Change the impulses by the rates that were found, and the misses with them; the largest of these off the bounds, and its change."""
    largest = changed = 0.0
    for row in range(first, last):
        impulse, softness = float(rows[row, IMPULSE]), float(rows[row, SOFTNESS])
        tried = bounded(rows, row, impulse - (float(rows[row, MISS]) + float(rows[row, RATE])) / softness)
        rows[row, IMPULSE] = tried
        rows[row, MISS] = float(rows[row, MISS]) + float(rows[row, RATE])
        if rows[row, KIND] == SPRING_ROW:  # its softness is real, and the impulse has answered it
            rows[row, MISS] += softness * (tried - impulse)
        length = size if rows[row, IS_TURN] != 0.0 else 1.0
        if rows[row, KIND] != SPRING_ROW and unsettled(rows, row) != 0.0:
            changed = max(changed, abs(float(rows[row, RATE])) * length)
        largest = max(largest, abs(unsettled(rows, row)) * length)
    return largest, changed


@kernel("island-bounded")
def correct_bounded(common: Packed[Tables], island: int, size: float, wanted: float) -> int:
    """Change the impulses, within their bounds, by what removes the rates that the rows miss.

    This is repeated with the regularisation about the last impulse.

    Returns:
        1, or 0 if Newton's method did not end; then nothing of that repeat was applied.
    """
    tables = unpack(common)
    islands = tables.islands
    first_row, last_row = islands[island, ROWS], islands[island, ROWS_END]
    has_loop = islands[island, HAS_LOOP]
    before, since, done = -1.0, 0, 0  # repeats since the rows between their bounds last changed
    is_found, least_rate, slowest = 1, LEAST_SHARE * wanted, slowest_repeat(has_loop)
    for repeat in range(MOST_REPEATS):
        found = _solve_chosen(common, island, size, least_rate)
        if found == 0:
            found = _minimise(common, island, size, least_rate)
        if found == 0:
            is_found = 0
            break
        largest, changed = _apply(tables.rows, first_row, last_row, size)
        done = repeat + 1
        since = 1 if found == 2 else since + 1
        # in a loop, only from the second repeat on is what is left the same in each, and can be taken back
        if since > has_loop and (not largest > wanted or (before >= 0.0 and largest > slowest * before)):
            if has_loop == 1 and largest > wanted and changed > LEAST_ANSWER * largest:
                _ = call(tables.calls[WEAK_CALL], (common, island, size, wanted, done))
                return 1
            break
        before = largest
    if has_loop == 1:
        take_back(tables.links, tables.rows, islands[island, LINKS], islands[island, LINKS_END], float(done))
    return is_found
