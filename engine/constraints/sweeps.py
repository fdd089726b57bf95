"""Impulses of points by sweeps over the contacts: projected Gauss-Seidel, for large heaps.

The rows, the law and the stages are those of `cone`; what sweeps leave of them is not small, but takes less time. Each point in turn gets
the normal impulse that stops it, not less than none in both stages together, and then the friction that stops its slip, within the cone.

Source: Moreau (1988), Jean (1999), the contact dynamics method.
"""

from math import sqrt

from ..compilation.compiler import inlined, kernel
from ..kernels.vectors import add_scaled, apply_symmetric
from ..loops.columns import Array, Integers, add_to_vector, load_symmetric
from ..loops.layout import INVERSE_INERTIA, INVERSE_MASS
from .joint_types import load
from .layout import (
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
    SECOND_PLACE,
    YIELDS,
)
from .solver import along

SWEEPS = 10


@inlined
def _push(own: Array, work: Array, rows: Array, row: int, place: int, other: int, impulse: float) -> None:
    """Give an impulse along a row to the changes of the velocities of its bodies."""
    linear = load(rows, row, LINEAR)
    add_to_vector(work, CHANGE, place, add_scaled((0.0, 0.0, 0.0), impulse * float(own[INVERSE_MASS, place]), linear))
    turned = apply_symmetric(load_symmetric(own, INVERSE_INERTIA, place), load(rows, row, ON_BODY))
    add_to_vector(work, CHANGE + 3, place, add_scaled((0.0, 0.0, 0.0), impulse, turned))
    if other >= 0:
        pushed = add_scaled((0.0, 0.0, 0.0), -impulse * float(own[INVERSE_MASS, other]), linear)
        add_to_vector(work, CHANGE, other, pushed)
        turned = apply_symmetric(load_symmetric(own, INVERSE_INERTIA, other), load(rows, row, ON_OTHER))
        add_to_vector(work, CHANGE + 3, other, add_scaled((0.0, 0.0, 0.0), -impulse, turned))


@inlined
def _settle_point(
    own: Array, work: Array, rows: Array, touching: Array, row: int, point: int, place: int, other: int
) -> None:
    """Give a point the impulse that it asks for."""
    friction = float(touching[point, CONE])
    if friction < 0.0:
        return
    before = load(touching, point, POINT_BEFORE)
    rate = float(rows[row, MISS]) + along(work, rows, row, place, other, CHANGE, CHANGE + 3)
    normal = before[0] + float(rows[row, IMPULSE])
    pushed = max(0.0, normal - rate / float(rows[row, YIELDS]))
    rows[row, IMPULSE] = pushed - before[0]
    if pushed != normal:
        _push(own, work, rows, row, place, other, pushed - normal)
    # both directions at once, with what the more yielding one yields, so that friction is round
    one, two = before[1] + float(rows[row + 1, IMPULSE]), before[2] + float(rows[row + 2, IMPULSE])
    if friction == 0.0 and one == 0.0 and two == 0.0:
        return
    yields = max(float(rows[row + 1, YIELDS]), float(rows[row + 2, YIELDS]))
    slip = float(rows[row + 1, MISS]) + along(work, rows, row + 1, place, other, CHANGE, CHANGE + 3)
    other_slip = float(rows[row + 2, MISS]) + along(work, rows, row + 2, place, other, CHANGE, CHANGE + 3)
    first, second = one - slip / yields, two - other_slip / yields
    size, most = sqrt(first * first + second * second), friction * pushed
    if size > most:
        first, second = first * (most / size), second * (most / size)
    rows[row + 1, IMPULSE], rows[row + 2, IMPULSE] = first - before[1], second - before[2]
    _push(own, work, rows, row + 1, place, other, first - one)
    _push(own, work, rows, row + 2, place, other, second - two)


@kernel("island-sweeps")
def sweep(
    own: Array, work: Array, links: Integers, islands: Integers, touching: Array, rows: Array, island: int
) -> int:
    """Change the impulses of points by what removes the rates that they miss at their present impulses; the sweeps alternate."""
    for place in range(islands[island, BODIES], islands[island, BODIES_END]):
        for entry in range(6):
            work[CHANGE + entry, place] = 0.0
    first, last = islands[island, CONTACTS], islands[island, CONTACTS_END]
    for number in range(SWEEPS):
        for each in range(first, last):
            link = each if number % 2 == 0 else first + last - 1 - each
            place, other = links[link, FIRST_PLACE], links[link, SECOND_PLACE]
            count = (links[link, LAST_ROW] - links[link, FIRST_ROW]) // 3
            for one in range(count):
                which = one if number % 2 == 0 else count - 1 - one
                row, point = links[link, FIRST_ROW] + 3 * which, links[link, FIRST_POINT] + which
                _settle_point(own, work, rows, touching, row, point, place, other)
    return 0
