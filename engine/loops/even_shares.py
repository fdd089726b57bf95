"""A wrench by the least sum of cost·share², which spreads it evenly, by Newton's method on the dual problem.

The programme is: least Σ x²/(2·weight) for Σ column·x = length·direction with 0 ≤ x ≤ limit. Its solution has the form
x = weight·(column·y), cut to the limits, with one multiplier y per row. The sum of columns is then a piecewise linear function of y, and
Newton's method solves for the wanted one: each step takes the variables between their limits as free, and goes as far along its direction
as the dual function rises. It ends when the free variables are the right ones, mostly after three to six steps. Nothing depends on an
earlier call.

The arrays are those of `least_propellant`, with `COST` as there, and the weights in `SECOND_COST`.
"""

from ..compilation.compiler import inlined
from .columns import Array, Integers
from .least_propellant import COLUMNS, DIRECTION, FIXED, FRAME, LIMIT, ROWS, SECOND_COST, STATUS, TABLEAU, VALUE

_MOST_STEPS = 24
_ACCURACY = 1e-13
"""Of the sum, relative to the length."""
_REGULARIZATION = 1e-10
"""Keeps the equations of a step solvable where the free variables do not span all rows; relative to all variables."""

PULL, PULL_RATE = FRAME, FRAME + 1
"""Rows with the values of the variables without limits, and how fast they change along a step."""

MULTIPLIER = 2 * ROWS
"""First column in the row `DIRECTION`; the direction itself and the rest of the sum precede."""


@inlined
def even(work: Array, places: Integers, count: int, rank: int, length: float) -> float:
    """Fill the values of all variables that are not fixed; return the length if it is reached, else 0."""
    for k in range(rank):
        work[DIRECTION, MULTIPLIER + k] = 0.0
    for step in range(_MOST_STEPS):
        error = _set_values(work, places, count, rank, length)
        if error <= _ACCURACY * length:
            return length
        _set_equations(work, places, count, rank, step == 0)
        _solve(work, rank)
        part = _step_length(work, places, count, rank)
        if part < 0.0:
            break
        for k in range(rank):
            work[DIRECTION, MULTIPLIER + k] += part * work[TABLEAU + k, ROWS]
    return 0.0


@inlined
def _step_length(work: Array, places: Integers, count: int, rank: int) -> float:
    """Part of the step at which the dual function is largest, by a walk through the points where a variable meets a limit; −1 if it rises
    without end, because no values give the wanted sum."""
    for j in range(count):
        if places[STATUS, j] != FIXED:
            work[PULL, j] = _pull(work, rank, j)
            rate = 0.0
            for k in range(rank):
                rate += float(work[COLUMNS + k, j]) * float(work[TABLEAU + k, ROWS])
            work[PULL_RATE, j] = rate * float(work[SECOND_COST, j])
    slope = 0.0
    for k in range(rank):
        slope += float(work[TABLEAU + k, ROWS]) * float(work[DIRECTION, ROWS + k])
    part = 0.0
    for _ in range(2 * count + 1):
        stop = _next_stop(work, places, count, part)
        bend = 0.0
        for j in range(count):
            rate = float(work[PULL_RATE, j])
            if places[STATUS, j] != FIXED and rate != 0.0:
                middle = float(work[PULL, j]) + (0.5 * (part + stop) if stop > 0.0 else 2.0 * part + 1.0) * rate
                if 0.0 < middle < float(work[LIMIT, j]):
                    bend += rate * rate / float(work[SECOND_COST, j])
        if bend > 0.0 and (stop < 0.0 or slope <= bend * (stop - part)):
            return part + slope / bend
        if stop < 0.0:
            break
        slope -= bend * (stop - part)
        part = stop
    return -1.0


@inlined
def _next_stop(work: Array, places: Integers, count: int, part: float) -> float:
    """The first part of the step beyond this one at which a variable meets a limit; −1 if there is none."""
    stop = -1.0
    for j in range(count):
        rate = float(work[PULL_RATE, j])
        if places[STATUS, j] != FIXED and rate != 0.0:
            at_zero = -float(work[PULL, j]) / rate
            at_limit = at_zero + float(work[LIMIT, j]) / rate
            if at_zero > part and (stop < 0.0 or at_zero < stop):
                stop = at_zero
            if at_limit > part and (stop < 0.0 or at_limit < stop):
                stop = at_limit
    return stop


@inlined
def _pull(work: Array, rank: int, j: int) -> float:
    """The value of a variable without limits."""
    pull = 0.0
    for k in range(rank):
        pull += float(work[COLUMNS + k, j]) * float(work[DIRECTION, MULTIPLIER + k])
    return pull * float(work[SECOND_COST, j])


@inlined
def _set_values(work: Array, places: Integers, count: int, rank: int, length: float) -> float:
    """Values of the variables for the multipliers, and what is missing of the sum; return its largest component."""
    for k in range(rank):
        work[DIRECTION, ROWS + k] = length * float(work[DIRECTION, k])
    for j in range(count):
        if places[STATUS, j] != FIXED:
            value = min(max(_pull(work, rank, j), 0.0), float(work[LIMIT, j]))
            work[VALUE, j] = value
            for k in range(rank):
                work[DIRECTION, ROWS + k] -= float(work[COLUMNS + k, j]) * value
    largest = 0.0
    for k in range(rank):
        largest = max(largest, abs(float(work[DIRECTION, ROWS + k])))
    return largest


@inlined
def _set_equations(work: Array, places: Integers, count: int, rank: int, all_free: bool) -> None:
    """Equations of a step: Σ weight·column·columnᵀ of the free variables, and the rest of the sum."""
    for i in range(rank):
        for k in range(rank):
            work[TABLEAU + i, k] = 0.0
        work[TABLEAU + i, ROWS] = work[DIRECTION, ROWS + i]
    total = 0.0
    for j in range(count):
        if places[STATUS, j] != FIXED:
            weight = float(work[SECOND_COST, j])
            total += weight
            value = float(work[VALUE, j])
            if all_free or 0.0 < value < float(work[LIMIT, j]):
                for i in range(rank):
                    for k in range(i + 1):
                        work[TABLEAU + i, k] += weight * float(work[COLUMNS + i, j]) * float(work[COLUMNS + k, j])
    for i in range(rank):
        work[TABLEAU + i, i] += _REGULARIZATION * total
        for k in range(i):
            work[TABLEAU + k, i] = work[TABLEAU + i, k]


@inlined
def _solve(work: Array, rank: int) -> None:
    """Solve the equations in place by elimination; the matrix is symmetric and positive, so it needs no exchange of rows."""
    for i in range(rank):
        divisor = float(work[TABLEAU + i, i])
        for row in range(i + 1, rank):
            factor = float(work[TABLEAU + row, i]) / divisor
            for k in range(i, ROWS + 1):
                work[TABLEAU + row, k] -= factor * float(work[TABLEAU + i, k])
    for back in range(rank):
        i = rank - 1 - back
        value = float(work[TABLEAU + i, ROWS])
        for k in range(i + 1, rank):
            value -= float(work[TABLEAU + i, k]) * float(work[TABLEAU + k, ROWS])
        work[TABLEAU + i, ROWS] = value / float(work[TABLEAU + i, i])
