"""Least propellant for a wrench, as a linear programme that is followed from no wrench to the whole one.

The programme is: least Σ cost·x for Σ column·x = length·direction with 0 ≤ x ≤ limit. Its solution for length 0 is x = 0. From there a
dual simplex method increases the length. Its solution is linear in the length until a basic variable reaches a limit. That variable then
leaves the basis, and the entering variable is the one that keeps all reduced costs valid. If none can enter, no larger length is possible.
One sweep therefore gives both the largest length along the direction and the least cost at that length, without a first phase.

The basis starts with one artificial variable per row, whose lower and upper limits are 0, so they leave the basis at length 0 where the
direction needs them to. Variables with equal ratios would allow cycles. A second row of costs decides between them, so that the pivots
form a sequence without repetitions. Nothing depends on an earlier call.

`work` has one column per variable, then `ROWS` columns for the artificial variables, then the rates at which the basic variables grow with
the length. `places` (int64) has two rows, the status of each variable and the basis.
"""

from ..compilation.compiler import inlined
from .columns import Array, Integers

ROWS = 6
"""The most rows of a programme, three of force and three of torque."""

COLUMNS, TABLEAU, COST, SECOND_COST, LIMIT, VALUE, DIRECTION, FRAME = 0, 6, 12, 13, 14, 15, 16, 17
"""First rows of `work`: the unit columns of the variables in `ROWS` rows, the tableau, its two rows of reduced costs, the limits and the
values of the variables, the direction, and rows for the caller."""
WORK_ROWS = 23
SPARE_COLUMNS = 3 * ROWS
"""Columns of `work` beyond the variables: for artificial variables and rates, and so that the row of the direction has room for three
vectors."""

STATUS, BASIS = 0, 1
AT_LIMIT, AT_ZERO, BASIC, FIXED = 1, 0, 2, 3

_SMALLEST_SLOPE = 1e-12
_SMALLEST_PIVOT = 1e-9
_SAME_RATIO = 1e-12
"""Relative to the columns and the direction, which have unit length, and to costs of at most 1."""


@inlined
def sweep(work: Array, places: Integers, count: int, rank: int, wanted: float, noise: float) -> float:
    """Fill the values of all variables that are not fixed for the largest length up to `wanted`, and return this length.

    A variable that would grow by no more than `noise` in all is left where it is, because rounding may give it any sign.
    """
    slope = count + ROWS
    smallest = max(_SMALLEST_SLOPE, noise / wanted)
    _begin(work, places, count, rank)
    reached = 0.0
    for _ in range(50 + 8 * (count + ROWS)):
        # the basic variable that reaches a limit first, as the length increases
        leaving, next_stop, largest = -1, wanted, 0.0
        for i in range(rank):
            at_zero = _at_zero_length(work, places, count, i)
            rate = float(work[TABLEAU + i, slope])
            if abs(rate) > smallest:
                member = int(places[BASIS, i])
                limit = float(work[LIMIT, member]) if member < count and rate > 0.0 else 0.0
                stop = max((limit - at_zero) / rate, reached)
                if stop < next_stop or (stop == next_stop and leaving >= 0 and abs(rate) > largest):
                    leaving, next_stop, largest = i, stop, abs(rate)
        reached = next_stop
        if leaving < 0:
            break
        entering = _entering(work, places, count, leaving)
        if entering < 0:
            break
        _pivot(work, places, count, rank, leaving, entering)
    if wanted - reached <= _SAME_RATIO * wanted:
        reached = wanted
    _read(work, places, count, rank, reached)
    return reached


@inlined
def _begin(work: Array, places: Integers, count: int, rank: int) -> None:
    """The tableau of the artificial basis."""
    for i in range(rank):
        places[BASIS, i] = count + i
        for j in range(count):
            work[TABLEAU + i, j] = work[COLUMNS + i, j]
        for k in range(rank):
            work[TABLEAU + i, count + k] = 1.0 if i == k else 0.0
        work[TABLEAU + i, count + ROWS] = work[DIRECTION, i]
    for j in range(count, count + ROWS + 1):
        work[COST, j] = work[SECOND_COST, j] = 0.0


@inlined
def _at_zero_length(work: Array, places: Integers, count: int, i: int) -> float:
    """What the basic variable of a row would be at length 0, with the other variables where they are."""
    value = 0.0
    for j in range(count):
        if places[STATUS, j] == AT_LIMIT:
            value -= float(work[TABLEAU + i, j]) * float(work[LIMIT, j])
    return value


@inlined
def _entering(work: Array, places: Integers, count: int, leaving: int) -> int:
    """The variable whose reduced cost reaches zero first; of several, that of the least ratio of second costs; −1 if there is none."""
    row = TABLEAU + leaving
    sign = 1.0 if work[row, count + ROWS] > 0.0 else -1.0
    least = -1.0
    for j in range(count):
        pivot = sign * float(work[row, j])
        if (places[STATUS, j] == AT_ZERO and pivot > _SMALLEST_PIVOT) or (
            places[STATUS, j] == AT_LIMIT and pivot < -_SMALLEST_PIVOT
        ):
            ratio = float(work[COST, j]) / pivot
            if least < 0.0 or ratio < least:
                least = max(ratio, 0.0)
    entering, second = -1, 0.0
    for j in range(count):
        pivot = sign * float(work[row, j])
        if (places[STATUS, j] == AT_ZERO and pivot > _SMALLEST_PIVOT) or (
            places[STATUS, j] == AT_LIMIT and pivot < -_SMALLEST_PIVOT
        ):
            ratio = float(work[SECOND_COST, j]) / pivot
            if float(work[COST, j]) / pivot <= least + _SAME_RATIO and (entering < 0 or ratio < second):
                entering, second = j, ratio
    return entering


@inlined
def _pivot(work: Array, places: Integers, count: int, rank: int, leaving: int, entering: int) -> None:
    """Exchange the variables and bring the tableau up to date."""
    row, width = TABLEAU + leaving, count + ROWS + 1
    member = int(places[BASIS, leaving])
    if member < count:
        places[STATUS, member] = AT_LIMIT if work[row, count + ROWS] > 0.0 else AT_ZERO
    places[BASIS, leaving] = entering
    places[STATUS, entering] = BASIC
    divisor = float(work[row, entering])
    for j in range(width):
        work[row, j] = work[row, j] / divisor
    for i in range(TABLEAU, SECOND_COST + 1):
        factor = float(work[i, entering])
        if i != row and (i >= COST or i < TABLEAU + rank) and factor != 0.0:
            for j in range(width):
                work[i, j] = work[i, j] - factor * work[row, j]


@inlined
def _read(work: Array, places: Integers, count: int, rank: int, reached: float) -> None:
    """Values at this length, with one step of refinement by the inverse of the basis, which is in the artificial columns."""
    slope = count + ROWS
    for j in range(count):
        if places[STATUS, j] != FIXED:
            work[VALUE, j] = work[LIMIT, j] if places[STATUS, j] == AT_LIMIT else 0.0
    for i in range(rank):
        member = int(places[BASIS, i])
        if member < count:
            work[VALUE, member] = _at_zero_length(work, places, count, i) + work[TABLEAU + i, slope] * reached
    for k in range(rank):
        missing = reached * float(work[DIRECTION, k])
        for j in range(count):
            if places[STATUS, j] != FIXED:
                missing -= float(work[COLUMNS + k, j]) * float(work[VALUE, j])
        work[DIRECTION, ROWS + k] = missing
    for i in range(rank):
        member = int(places[BASIS, i])
        if member < count:
            value = float(work[VALUE, member])
            for k in range(rank):
                value += float(work[TABLEAU + i, count + k]) * float(work[DIRECTION, ROWS + k])
            work[VALUE, member] = min(max(value, 0.0), float(work[LIMIT, member]))
