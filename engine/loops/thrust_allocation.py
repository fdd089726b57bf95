"""The kernel that distributes a wanted force and torque among the jets of a body.

The columns of the problem are the wrenches of the jets at full thrust about the mass centre. Torques are divided by a length, the root mean
square lever, so that force and torque have one unit. Each column is scaled to unit length, so that a variable is a share times the length
of its column, and the tolerances hold for jets of any size.

`jets` has one column per jet and `JET_ROWS` rows: position, force at full thrust, a torque of its own at full thrust, cost at full thrust,
and the level of a jet that cannot be commanded, negative for all others. Actuators without force (wheels, magnetorquers) are jets whose
torque is all their own. All cases have the same jets, or each has its own ones, next to each other. `wanted` has one row per case: force,
torque, mass centre. `results` has one row per case: the shares, then force and torque of these shares, what is missing of both, the
fraction of the wanted wrench that was reached, and 1.0 where that is not all of it.
"""

from math import sqrt

import numpy as np

from ..compilation.choice import Loop, named
from ..compilation.compiler import from_column, inlined, kernel
from ..kernels.vectors import Vector, add, add_scaled, cross, scale, subtract
from .columns import Array, Integers, load_vector
from .even_shares import even
from .least_propellant import (
    AT_ZERO,
    COLUMNS,
    COST,
    DIRECTION,
    FIXED,
    FRAME,
    LIMIT,
    ROWS,
    SECOND_COST,
    SPARE_COLUMNS,
    STATUS,
    TABLEAU,
    VALUE,
    WORK_ROWS,
    sweep,
)

JET_POSITION, JET_FORCE, JET_TORQUE, JET_COST, JET_LEVEL = 0, 3, 6, 9, 10
JET_ROWS = 11

FORCE, TORQUE, REST_FORCE, REST_TORQUE, FRACTION, IS_CUT, RESULT_COLUMNS = 0, 3, 6, 9, 12, 13, 14
"""Columns of `results` after the shares, and their number."""

_NEGLIGIBLE = 1e-12
"""A column this short, relative to the longest, is that of a jet without effect."""
_DEPENDENT = 1e-9
"""A unit column this near to the space of others does not add a dimension. The same fraction of a wrench may lie outside of that space."""

_ROUNDING = 4e-15
"""What is wanted beside the share of stuck jets counts as nothing below this fraction of the sizes of both."""

_WITHIN = 1e-12
"""What is surely within reach differs from what was reached by this fraction."""

_KEPT = FRAME + 2
"""The row with the values of the linear programme while they are spread; the frame is in use before, and two rows by `even_shares`."""

_GOLDEN = 0.6180339887498949
"""Fractional parts of its multiples by cubes are in no simple relation, so the costs that decide between equal jets differ."""


@kernel("allocate-thrust")
def allocate(
    all_jets: Array, wanted: Array, spreads: bool, first_row: int, results: Array, work: Array, places: Integers
) -> int:
    """Fill the results; with `first_row` 3 the force is free, with 0 it is wanted too. Return 1."""
    count = results.shape[1] - RESULT_COLUMNS
    stride = count if all_jets.shape[1] > count else 0
    for case in range(wanted.shape[0]):
        jets = from_column(all_jets, case * stride)
        center = float(wanted[case, 6]), float(wanted[case, 7]), float(wanted[case, 8])
        lever = _lever(jets, count, center)
        # what the jets have to make: what is wanted without that of jets whose level is given, in one unit
        _set_columns(jets, count, center, lever, first_row, work, places)
        target_length = _set_target(jets, count, wanted, case, center, lever, first_row, work)
        noise = _noise(jets, count, wanted, case, center, lever, first_row)
        if target_length <= noise:
            target_length = 0.0
            for row in range(6 - first_row):
                work[DIRECTION, row] = 0.0
        rank = _set_frame(count, 6 - first_row, work, places)
        length, left = _set_direction(count, rank, 6 - first_row, work)
        reached = 0.0
        if length > 0.0:
            reached = _fill(jets, count, rank, length, noise, spreads, work, places)
        outside = left > _DEPENDENT * target_length + noise
        _store(jets, count, wanted, case, center, work, places, results)
        fraction = reached / length if length > 0.0 else (0.0 if outside else 1.0)
        results[case, count + FRACTION] = min(fraction, 1.0) if fraction > 0.0 else 0.0  # never -0.0
        results[case, count + IS_CUT] = 1.0 if outside or reached < length else 0.0
    return 1


@inlined
def _lever(jets: Array, count: int, center: Vector) -> float:
    """Root mean square lever of the forces [m], 1 where there is none."""
    forces = torques = 0.0
    for j in range(count):
        force, torque = _wrench(jets, j, center)
        forces += force[0] * force[0] + force[1] * force[1] + force[2] * force[2]
        torques += torque[0] * torque[0] + torque[1] * torque[1] + torque[2] * torque[2]
    return sqrt(torques / forces) if forces > 0.0 and torques > 0.0 else 1.0


@inlined
def _wrench(jets: Array, j: int, center: Vector) -> tuple[Vector, Vector]:
    """Force and torque of a jet at full thrust."""
    force = load_vector(jets, JET_FORCE, j)
    lever = subtract(load_vector(jets, JET_POSITION, j), center)
    return force, add(cross(lever, force), load_vector(jets, JET_TORQUE, j))


@inlined
def _set_columns(
    jets: Array, count: int, center: Vector, lever: float, first_row: int, work: Array, places: Integers
) -> None:
    """Unit columns, limits, and which variables are fixed because their jet cannot be commanded or has no effect."""
    longest = 0.0
    for j in range(count):
        force, torque = _wrench(jets, j, center)
        torque = scale(1.0 / lever, torque)
        squares = torque[0] * torque[0] + torque[1] * torque[1] + torque[2] * torque[2]
        if first_row == 0:
            squares += force[0] * force[0] + force[1] * force[1] + force[2] * force[2]
            work[COLUMNS, j], work[COLUMNS + 1, j], work[COLUMNS + 2, j] = force
        after = COLUMNS + 3 - first_row
        work[after, j], work[after + 1, j], work[after + 2, j] = torque
        length = sqrt(squares)
        work[LIMIT, j] = length
        longest = max(longest, length)
    for j in range(count):
        length = float(work[LIMIT, j])
        work[VALUE, j] = 0.0
        places[STATUS, j] = FIXED if jets[JET_LEVEL, j] >= 0.0 or length <= _NEGLIGIBLE * longest else AT_ZERO
        for row in range(COLUMNS, COLUMNS + 6 - first_row):
            work[row, j] = work[row, j] / length if places[STATUS, j] == AT_ZERO else 0.0


@inlined
def _set_target(
    jets: Array, count: int, wanted: Array, case: int, center: Vector, lever: float, first_row: int, work: Array
) -> float:
    """What the jets that can be commanded have to make, as the direction, and its length."""
    force = float(wanted[case, 0]), float(wanted[case, 1]), float(wanted[case, 2])
    torque = float(wanted[case, 3]), float(wanted[case, 4]), float(wanted[case, 5])
    for j in range(count):
        if jets[JET_LEVEL, j] > 0.0:
            own_force, own_torque = _wrench(jets, j, center)
            force = subtract(force, scale(float(jets[JET_LEVEL, j]), own_force))
            torque = subtract(torque, scale(float(jets[JET_LEVEL, j]), own_torque))
    torque = scale(1.0 / lever, torque)
    if first_row == 0:
        work[DIRECTION, 0], work[DIRECTION, 1], work[DIRECTION, 2] = force
    after = 3 - first_row
    work[DIRECTION, after], work[DIRECTION, after + 1], work[DIRECTION, after + 2] = torque
    return _length(work, 6 - first_row)


@inlined
def _noise(jets: Array, count: int, wanted: Array, case: int, center: Vector, lever: float, first_row: int) -> float:
    """The length of a target that may be all rounding, because the share of stuck jets was subtracted; zero if no jet is stuck open."""
    size, is_stuck = 0.0, False
    for j in range(count):
        level = float(jets[JET_LEVEL, j])
        if level > 0.0:
            is_stuck = True
            force, at = load_vector(jets, JET_FORCE, j), load_vector(jets, JET_POSITION, j)
            push = _sum_of_sizes(force)
            turn = (_sum_of_sizes(at) + _sum_of_sizes(center)) * push + _sum_of_sizes(load_vector(jets, JET_TORQUE, j))
            size += level * (turn / lever + (push if first_row == 0 else 0.0))
    if not is_stuck:
        return 0.0
    for axis in range(3):
        size += abs(float(wanted[case, 3 + axis])) / lever
        if first_row == 0:
            size += abs(float(wanted[case, axis]))
    return _ROUNDING * size


@inlined
def _sum_of_sizes(v: Vector) -> float:
    return abs(v[0]) + abs(v[1]) + abs(v[2])


@inlined
def _length(work: Array, rows: int) -> float:
    """Length of the vector in the row of the direction."""
    largest = 0.0
    for k in range(rows):
        largest = max(largest, abs(float(work[DIRECTION, k])))
    if largest == 0.0:
        return 0.0
    squares = 0.0
    for k in range(rows):
        part = float(work[DIRECTION, k]) / largest
        squares += part * part
    return largest * sqrt(squares)


@inlined
def _set_frame(count: int, rows: int, work: Array, places: Integers) -> int:
    """Replace the rows of the columns by as many as they have dimensions, and return this number.

    Gram and Schmidt's method takes the column that adds most to the space of those before it, until none adds anything.
    """
    for row in range(rows):
        for j in range(count):
            work[TABLEAU + row, j] = work[COLUMNS + row, j]
    rank = 0
    for _ in range(rows):
        best, most = -1, _DEPENDENT * _DEPENDENT
        for j in range(count):
            squares = 0.0
            for row in range(rows):
                squares += float(work[TABLEAU + row, j]) * float(work[TABLEAU + row, j])
            if squares > most:
                best, most = j, squares
        if best < 0:
            break
        _add_axis(count, rows, rank, best, work)
        rank += 1
    if rank < rows:
        for j in range(count):
            for axis in range(rank):
                part = 0.0
                for row in range(rows):
                    part += float(work[FRAME + axis, row]) * float(work[COLUMNS + row, j])
                work[TABLEAU + axis, j] = part
            for axis in range(rank):
                work[COLUMNS + axis, j] = work[TABLEAU + axis, j]
    return rank


@inlined
def _add_axis(count: int, rows: int, rank: int, best: int, work: Array) -> None:
    """Append the direction of a column to the frame, and leave what is at right angles to it of all columns."""
    for row in range(rows):
        work[FRAME + rank, row] = work[TABLEAU + row, best]
    for axis in range(rank):  # once more, against rounding
        part = 0.0
        for row in range(rows):
            part += float(work[FRAME + axis, row]) * float(work[FRAME + rank, row])
        for row in range(rows):
            work[FRAME + rank, row] -= part * float(work[FRAME + axis, row])
    squares = 0.0
    for row in range(rows):
        squares += float(work[FRAME + rank, row]) * float(work[FRAME + rank, row])
    length = sqrt(squares)
    for row in range(rows):
        work[FRAME + rank, row] = work[FRAME + rank, row] / length
    for j in range(count):
        part = 0.0
        for row in range(rows):
            part += float(work[FRAME + rank, row]) * float(work[TABLEAU + row, j])
        for row in range(rows):
            work[TABLEAU + row, j] -= part * float(work[FRAME + rank, row])


@inlined
def _set_direction(count: int, rank: int, rows: int, work: Array) -> tuple[float, float]:
    """Bring the target into the same rows as the columns, and scale it to unit length.

    Returns:
        Its length before, and the largest component of what lies outside of the space of the columns.
    """
    outside = 0.0
    if rank < rows:
        for axis in range(rank):
            part = 0.0
            for row in range(rows):
                part += float(work[FRAME + axis, row]) * float(work[DIRECTION, row])
            work[DIRECTION, ROWS + axis] = part
        for row in range(rows):
            left = float(work[DIRECTION, row])
            for axis in range(rank):
                left -= float(work[DIRECTION, ROWS + axis]) * float(work[FRAME + axis, row])
            outside = max(outside, abs(left))
        for axis in range(rank):
            work[DIRECTION, axis] = work[DIRECTION, ROWS + axis]
    length = _length(work, rank)
    for axis in range(rank):
        work[DIRECTION, axis] = work[DIRECTION, axis] / length if length > 0.0 else 0.0
    return length, outside


@inlined
def _set_costs(jets: Array, count: int, spreads: bool, work: Array, places: Integers) -> None:
    """Cost of a variable, at most 1, and the second cost, which decides between equal ones; with `spreads` the weights instead of it."""
    highest = heaviest = 0.0
    for j in range(count):
        if places[STATUS, j] != FIXED:
            cost = float(jets[JET_COST, j]) / float(work[LIMIT, j])
            work[COST, j] = cost
            highest = max(highest, cost)
            heaviest = max(heaviest, float(work[LIMIT, j]) / cost)
    for j in range(count):
        if places[STATUS, j] != FIXED:
            cost = float(work[COST, j])
            work[COST, j] = cost / highest
            cube = float((j + 1) * (j + 1) * (j + 1))
            part = cube * _GOLDEN - float(int(cube * _GOLDEN))
            work[SECOND_COST, j] = float(work[LIMIT, j]) / cost / heaviest if spreads else float(j) + part


@inlined
def _fill(
    jets: Array, count: int, rank: int, length: float, noise: float, spreads: bool, work: Array, places: Integers
) -> float:
    """Fill the values of the variables, and return the length that they reach.

    The even method spreads the whole length evenly. If that is out of reach, the linear programme gives what can be reached, which is then
    spread, or a part of it less by `_WITHIN` where rounding has put it just out of reach. If this fails too, the programme's values stay.
    Both methods are called in one place, because the code of each is long and would be compiled once per call.
    """
    is_even, goal, reached = spreads, length, 0.0
    for attempt in range(4):
        _set_costs(jets, count, is_even, work, places)
        if is_even:
            found = even(work, places, count, rank, goal)
        else:
            found = sweep(work, places, count, rank, length, noise)
        if not is_even:
            reached = found
            if not spreads or reached <= 0.0 or reached >= length:
                break
            is_even, goal = True, reached
            for j in range(count):
                work[_KEPT, j] = work[VALUE, j]
        elif found > 0.0:
            reached = length if attempt == 0 else reached
            break
        elif attempt == 0:
            is_even = False
        elif attempt == 2:
            goal = reached - _WITHIN * reached
        else:
            for j in range(count):
                work[VALUE, j] = work[_KEPT, j]
    return reached


@inlined
def _store(
    jets: Array, count: int, wanted: Array, case: int, center: Vector, work: Array, places: Integers, results: Array
) -> None:
    """Shares, their force and torque, and what is missing."""
    force = torque = (0.0, 0.0, 0.0)
    for j in range(count):
        level = float(jets[JET_LEVEL, j])
        share = max(level, 0.0)
        if places[STATUS, j] != FIXED:
            share = min(float(work[VALUE, j]) / float(work[LIMIT, j]), 1.0)
        results[case, j] = share
        own_force, own_torque = _wrench(jets, j, center)
        force = add_scaled(force, share, own_force)
        torque = add_scaled(torque, share, own_torque)
    for axis in range(3):
        results[case, count + FORCE + axis] = force[axis]
        results[case, count + TORQUE + axis] = torque[axis]
        results[case, count + REST_FORCE + axis] = wanted[case, axis] - force[axis]
        results[case, count + REST_TORQUE + axis] = wanted[case, 3 + axis] - torque[axis]


class Problem:
    """The arrays of one case with its own jets, which are kept from one solution to the next."""

    def __init__(self, count: int) -> None:
        """Make the arrays for a number of jets."""
        self.jets = np.zeros((JET_ROWS, count))
        self.cases = np.zeros((1, 9))
        self.results = np.empty((1, count + RESULT_COLUMNS))
        self.work = np.zeros((WORK_ROWS, count + SPARE_COLUMNS))
        self.places = np.zeros((2, count + ROWS), np.int64)

    def solve(self, spreads: bool, force_is_free: bool) -> Array:
        """Return the results, which the next solution overwrites."""
        allocate(self.jets, self.cases, spreads, 3 if force_is_free else 0, self.results, self.work, self.places)
        return self.results

    def loop(self) -> Loop:
        """The kernel that solves it, for calls by address."""
        return named(allocate, self.jets, self.cases, True, 3, self.results, self.work, self.places)


def solve(jets: Array, wanted: Array, spreads: bool, force_is_free: bool, jet_count: int | None = None) -> Array:
    """Return the results for all cases, which have the same jets, or `jet_count` jets each."""
    count = jets.shape[1] if jet_count is None else jet_count
    results = np.empty((len(wanted), count + RESULT_COLUMNS))
    work, places = np.zeros((WORK_ROWS, count + SPARE_COLUMNS)), np.zeros((2, count + ROWS), np.int64)
    allocate(jets, wanted, spreads, 3 if force_is_free else 0, results, work, places)
    return results
