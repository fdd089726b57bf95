"""Impulses of points by sweeps over the contacts: projected Gauss-Seidel with conjugate ways, for large heaps.

The rows, the law and the stages are those of `cone`; what sweeps leave of them is not small, but takes less time. Each point in turn gets
the normal impulse that stops it, not less than none in both stages together, and then the friction that stops its slip, within the cone.
After each sweep but the last, the impulses go on along the way that sweeps have taken so far. All sweeps go through the contacts in the
same order, or ways would not be conjugate: within a minute, a pyramid of 55 boxes swayed by 0.5 mm, by 0.15 m in sweeps of alternating
order, and by 0.4 m without ways.

Source: Moreau (1988), Jean (1999), the contact dynamics method; Silcowitz-Hansen, Niebe, Erleben (2010), the conjugate ways.
"""

from math import sqrt

from ..compilation.compiler import assume_separate_rows, inlined, kernel
from ..kernels.vectors import add_scaled, apply_symmetric, dot, scale
from ..loops.columns import Array, IntegerTable, add_to_vector, load_symmetric
from ..loops.layout import INVERSE_INERTIA, INVERSE_MASS
from .joint_types import load
from .layout import (
    ANSWERS,
    BODIES,
    BODIES_END,
    CHANGE,
    CONE,
    CONTACTS,
    CONTACTS_END,
    FIRST_PLACE,
    FIRST_POINT,
    FIRST_ROW,
    IMPULSE,
    LAST_ROW,
    LINEAR,
    MISS,
    ON_BODY,
    ON_OTHER,
    POINT_BEFORE,
    PULLS,
    RATE_GAIN,
    RATES,
    ROWS_OF_CONTACT,
    SECOND_PLACE,
    SOLUTION,
    SUMS,
    TRIED,
    WAY,
    YIELDS,
)
from .solver import along

SWEEPS, PASSES = 9, 3
"""Sweeps over all contacts, and passes over the normal impulses of the points of a contact in each."""


@inlined
def _slot(number: int, points: int) -> int:
    """The place of a row of a contact among the rates: all normal ones come first."""
    return number // 3 if number % 3 == 0 else points + 2 * (number // 3) + number % 3 - 1


@inlined
def _find_answers(
    own: Array, rows: Array, touching: Array, first_row: int, point: int, place: int, other: int, count: int
) -> None:
    """Find how the rates of all rows of a contact answer to a unit impulse along each of them."""
    mobility = float(own[INVERSE_MASS, place]) + (float(own[INVERSE_MASS, other]) if other >= 0 else 0.0)
    for row in range(first_row, first_row + count, 3):
        rows[row, PULLS] = 1.0 / float(rows[row, YIELDS])
        rows[row + 1, PULLS] = 1.0 / max(float(rows[row + 1, YIELDS]), float(rows[row + 2, YIELDS]))
    inverse = load_symmetric(own, INVERSE_INERTIA, place)
    other_inverse = load_symmetric(own, INVERSE_INERTIA, max(other, 0))
    for number in range(count):
        row, column = first_row + number, ANSWERS + ROWS_OF_CONTACT * (number % 3)
        linear = scale(mobility, load(rows, row, LINEAR))
        turned = apply_symmetric(inverse, load(rows, row, ON_BODY))
        other_turned = apply_symmetric(other_inverse, load(rows, row, ON_OTHER)) if other >= 0 else (0.0, 0.0, 0.0)
        slot = _slot(number, count // 3)
        for each in range(number + 1):
            at = first_row + each
            answer = dot(linear, load(rows, at, LINEAR)) + dot(turned, load(rows, at, ON_BODY))
            if other >= 0:
                answer += dot(other_turned, load(rows, at, ON_OTHER))
            touching[point + number // 3, column + _slot(each, count // 3)] = answer
            touching[point + each // 3, ANSWERS + ROWS_OF_CONTACT * (each % 3) + slot] = answer


@inlined
def _answer(touching: Array, point: int, which: int, entry: int, first: int, last: int, impulse: float) -> None:
    """Change rates of a contact by an impulse along a row of one of its points."""
    column = ANSWERS + ROWS_OF_CONTACT * entry
    for slot in range(first, last):
        touching[point, RATES + slot] += impulse * touching[which, column + slot]


@inlined
def _settle_normals(rows: Array, touching: Array, first_row: int, point: int, points: int) -> None:
    """Give the points of a contact the normal impulses that they ask for together."""
    for number in range(PASSES if points > 1 else 1):
        for one in range(points):
            which = one if number % 2 == 0 else points - 1 - one
            if touching[point + which, CONE] < 0.0:
                continue
            normal = float(touching[point, SUMS + which])
            rate = float(touching[point, RATES + which])
            pushed = max(0.0, normal - rate * float(rows[first_row + 3 * which, PULLS]))
            if pushed != normal:
                touching[point, SUMS + which] = pushed
                _answer(touching, point, point + which, 0, 0, points, pushed - normal)


@inlined
def _settle_slip(rows: Array, touching: Array, row: int, point: int, which: int, points: int) -> None:
    """Give a point the friction that stops its slip, within the cone: both directions at once, with what the more yielding one yields."""
    friction, slot = float(touching[point + which, CONE]), points + 2 * which
    one, two = float(touching[point, SUMS + slot]), float(touching[point, SUMS + slot + 1])
    if friction < 0.0 or (friction == 0.0 and one == 0.0 and two == 0.0):
        return
    share = float(rows[row + 1, PULLS])
    first = one - float(touching[point, RATES + slot]) * share
    second = two - float(touching[point, RATES + slot + 1]) * share
    size, most = sqrt(first * first + second * second), friction * float(touching[point, SUMS + which])
    if size > most:
        first, second = first * (most / size), second * (most / size)
    touching[point, SUMS + slot], touching[point, SUMS + slot + 1] = first, second
    _answer(touching, point, point + which, 1, points, 3 * points, first - one)
    _answer(touching, point, point + which, 2, points, 3 * points, second - two)


@inlined
def _settle_contact(
    own: Array,
    work: Array,
    rows: Array,
    touching: Array,
    first_row: int,
    point: int,
    place: int,
    other: int,
    count: int,
) -> None:
    """Give the points of a contact what they ask for together, and the changes of the velocities that follow to its bodies."""
    points = count // 3
    for number in range(count):
        row, slot = first_row + number, _slot(number, points)
        rate = float(rows[row, MISS]) + along(work, rows, row, place, other, CHANGE, CHANGE + 3)
        touching[point, RATES + slot] = rate
        before = float(touching[point + number // 3, POINT_BEFORE + number % 3])
        touching[point, SUMS + slot] = before + float(rows[row, IMPULSE])
    _settle_normals(rows, touching, first_row, point, points)
    for which in range(points):
        row = first_row + 3 * which
        before = float(touching[point + which, POINT_BEFORE])
        change = float(touching[point, SUMS + which]) - before - float(rows[row, IMPULSE])
        if change != 0.0:
            _answer(touching, point, point + which, 0, points, count, change)
    for which in range(points):
        _settle_slip(rows, touching, first_row + 3 * which, point, which, points)
    force, turn, other_turn = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for number in range(count):
        row = first_row + number
        total = float(touching[point, SUMS + _slot(number, points)])
        total -= float(touching[point + number // 3, POINT_BEFORE + number % 3])
        impulse = total - float(rows[row, IMPULSE])
        rows[row, IMPULSE] = total
        force = add_scaled(force, impulse, load(rows, row, LINEAR))
        turn = add_scaled(turn, impulse, load(rows, row, ON_BODY))
        other_turn = add_scaled(other_turn, impulse, load(rows, row, ON_OTHER))
    add_to_vector(work, CHANGE, place, scale(float(own[INVERSE_MASS, place]), force))
    add_to_vector(work, CHANGE + 3, place, apply_symmetric(load_symmetric(own, INVERSE_INERTIA, place), turn))
    if other >= 0:
        add_to_vector(work, CHANGE, other, scale(-float(own[INVERSE_MASS, other]), force))
        turned = apply_symmetric(load_symmetric(own, INVERSE_INERTIA, other), other_turn)
        add_to_vector(work, CHANGE + 3, other, scale(-1.0, turned))


@inlined
def _go_on(work: Array, rows: Array, places: tuple[int, int], rows_of: tuple[int, int], before: float) -> float:
    """Go on along the way so far by the share by which the last sweep has changed less than the one before, both squared.

    The way starts again with the last sweep if that has changed more. Where the sweep has started is in `TRIED` and `SOLUTION`.

    Returns:
        The square of what the sweep has changed [J].
    """
    squared = 0.0
    for row in range(*rows_of):
        change = float(rows[row, IMPULSE]) - float(rows[row, TRIED])
        squared += float(rows[row, YIELDS]) * change * change
    share = squared / before if 0.0 < before and squared <= before else 0.0
    for row in range(*rows_of):
        way = share * float(rows[row, RATE_GAIN]) if share > 0.0 else 0.0
        rows[row, RATE_GAIN] = float(rows[row, IMPULSE]) - float(rows[row, TRIED]) + way
        rows[row, IMPULSE] += way
    for place in range(*places):
        for entry in range(6):
            way = share * float(work[WAY + entry, place]) if share > 0.0 else 0.0
            work[WAY + entry, place] = float(work[CHANGE + entry, place]) - float(work[SOLUTION + entry, place]) + way
            work[CHANGE + entry, place] += way
    return squared


@kernel("island-sweeps")
def sweep(
    own: Array, work: Array, links: IntegerTable, islands: IntegerTable, touching: Array, rows: Array, island: int
) -> int:
    """Change the impulses of points by what removes the rates that they miss at their present impulses."""
    assume_separate_rows()
    places = (islands[island, BODIES], islands[island, BODIES_END])
    first, last = islands[island, CONTACTS], islands[island, CONTACTS_END]
    rows_of, squared = (links[first, FIRST_ROW], links[last - 1, LAST_ROW]), 0.0
    for place in range(*places):
        for entry in range(6):
            work[CHANGE + entry, place] = 0.0
    for link in range(first, last):
        ends = (links[link, FIRST_PLACE], links[link, SECOND_PLACE], links[link, LAST_ROW] - links[link, FIRST_ROW])
        _find_answers(own, rows, touching, links[link, FIRST_ROW], links[link, FIRST_POINT], *ends)
    for number in range(SWEEPS):
        for place in range(*places):
            for entry in range(6):
                work[SOLUTION + entry, place] = work[CHANGE + entry, place]
        for row in range(*rows_of):
            rows[row, TRIED] = rows[row, IMPULSE]
        for link in range(first, last):
            ends = (links[link, FIRST_PLACE], links[link, SECOND_PLACE], links[link, LAST_ROW] - links[link, FIRST_ROW])
            _settle_contact(own, work, rows, touching, links[link, FIRST_ROW], links[link, FIRST_POINT], *ends)
        if number < SWEEPS - 1:
            squared = _go_on(work, rows, places, rows_of, squared)
    return 0
