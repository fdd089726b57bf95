"""The contacts of a tick as they are kept: their table at its end, and the shapes that move."""

from typing import NamedTuple

from ..compilation.compiler import inlined, kernel
from ..compilation.packed import Packed, unpack
from ..constraints.graph import POINTS_FROM, POINTS_OF_CONTACT, TOUCHED_BODY, TOUCHING_BODY
from ..constraints.joint_types import load
from ..constraints.late import is_late
from ..constraints.layout import (
    BY_BODY,
    CLOSED_BEFORE,
    CLOSING_SPEED,
    CORE,
    FIRST_POSITIONS,
    IMPACT_TIME,
    IS_CARRIED,
    OTHER_CORE,
    OTHER_ROUNDING,
    OWNER,
    PUSHED,
    PUSHED_BEFORE,
    PUSHED_LAST,
    ROUNDING,
    SOLVED_BY,
)
from ..constraints.points import carried, normal_at
from ..kernels.quaternions import Quaternion, rotate
from ..kernels.vectors import Vector, add, add_scaled, dot, subtract
from ..loops.columns import Array, Integers, IntegerTable, load_quaternion, load_vector, store_vector
from ..loops.layout import ORIENTATION, POSITION
from ..loops.steps import Counts, steps_taken
from .layout import (
    AT,
    AT_OTHER,
    CLOSING,
    COMES_IN,
    CONTACT_ROWS,
    CONTACTS,
    ENABLED,
    FIRST_OF,
    FIRST_SHAPE,
    FIRST_SOLVES,
    FULL,
    GAP,
    HAS_BEEN,
    IS_NEW,
    NORMAL_WORLD,
    POINT_WORLD,
    PUSH_WORLD,
    SECOND_OF,
    SECOND_SHAPE,
    SENSED,
    SHAPES,
    SHORT,
    SHORT_OF_POINTS,
    SOLVER,
)
from .poses import move_shape, moves

_NO_SHAPE = 1 << 52
"""A number that no row of the table of shapes has."""


@inlined
def _ordered(first: int, second: int) -> tuple[int, int]:
    """Two shapes in ascending order."""
    return min(first, second), max(first, second)


@inlined
def is_less(pair: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether a pair of shapes comes before another."""
    return pair[0] < other[0] or (pair[0] == other[0] and pair[1] < other[1])


@inlined
def known_pair(contacts: Array, known: int) -> tuple[int, int]:
    """The two shapes of a point of the last tick, in ascending order."""
    return _ordered(int(contacts[FIRST_SHAPE, known]), int(contacts[SECOND_SHAPE, known]))


Lists = tuple[Integers, Array, IntegerTable, Integers]
"""Which points of the last tick were found again; the points and the contacts of this one; and the counts."""


class Keeping(NamedTuple):
    """The arguments of `keep_contacts`."""

    bodies: Array
    shapes: Array
    contacts: Array
    written: Integers
    """The number of points of contacts, shape (1,)."""
    kept: Array
    """What the contacts were before the tick or step."""
    kept_count: Integers
    """Their number."""
    lists: Lists
    """The lists of detection (see `detection.find_contacts`)."""
    impacts: Array
    """The first impacts of bodies."""
    counts: Counts
    dt: float
    """The length of the tick or step [s]."""


@kernel("keep-contacts")
def keep_contacts(packed: Packed[Keeping], operand: int, ticks_left: int) -> int:
    """Write the contacts of the tick into their table, move the shapes of the world, and note that shapes have taken a tick."""
    keeping = unpack(packed)
    shapes, contacts, kept = keeping.shapes, keeping.contacts, keeping.kept
    taken, _touching, touches, counts = keeping.lists
    is_later, dt = steps_taken(keeping.counts) > 1, keeping.dt
    written = known = sensed = 0
    for contact in range(counts[CONTACTS] + 1):
        pair = (_NO_SHAPE, _NO_SHAPE)
        if contact < counts[CONTACTS]:
            pair = pair_of(touches, contact)
        # between them, in the order of pairs: what sensors see, and points that have ended in this tick, which stay until it ends
        while True:
            at = touches.shape[1] - 1 - sensed
            has_ended = is_later and known < keeping.kept_count[0] and not is_less(pair, known_pair(kept, known))
            sees = sensed < counts[SENSED] and is_less(pair_of(touches, at), pair)
            if not (has_ended or sees) or written == contacts.shape[1]:
                break
            if sees and not (has_ended and not is_less(pair_of(touches, at), known_pair(kept, known))):
                _keep_point(keeping, written, touches[POINTS_FROM, at], at)
                if touches[COMES_IN, at] == 1:
                    contacts[GAP, written] = min(float(contacts[GAP, written]), 0.0)
                sensed, written = sensed + 1, written + 1
            else:
                if taken[known] == 0 and _was_pushed(kept, known):
                    _keep_ended(contacts, written, kept, known)
                    written += 1
                known += 1
        if contact < counts[CONTACTS]:
            first = touches[POINTS_FROM, contact]
            for point in range(first, first + touches[POINTS_OF_CONTACT, contact]):
                if written == contacts.shape[1]:
                    counts[SHORT] = SHORT_OF_POINTS
                    return FULL
                _keep_point(keeping, written, point, contact)
                written += 1
    keeping.written[0] = written
    for shape in range(counts[SHAPES]):
        if shapes[ENABLED, shape] != 0.0:
            shapes[IS_NEW, shape] = HAS_BEEN
        if moves(shapes, shape):
            move_shape(shapes, shapes, shape, dt)
    return 1


@inlined
def pair_of(touches: Integers, contact: int) -> tuple[int, int]:
    """The two shapes of a contact, in ascending order."""
    return _ordered(touches[FIRST_OF, contact], touches[SECOND_OF, contact])


@inlined
def _was_pushed(kept: Array, known: int) -> bool:
    return kept[PUSH_WORLD, known] != 0.0 or kept[PUSH_WORLD + 1, known] != 0.0 or kept[PUSH_WORLD + 2, known] != 0.0


@inlined
def _keep_ended(contacts: Array, written: int, kept: Array, known: int) -> None:
    for row in range(CONTACT_ROWS):
        contacts[row, written] = kept[row, known]
    for entry in range(6):
        contacts[FIRST_SOLVES + entry, written] = 0.0


@inlined
def _keep_point(keeping: Keeping, written: int, point: int, contact: int) -> None:
    """Write a point of a contact into the table, as it is at the end of the tick."""
    contacts, (_taken, touching, touches, _counts) = keeping.contacts, keeping.lists
    impacts, dt = keeping.impacts, keeping.dt
    contacts[FIRST_SHAPE, written], contacts[SECOND_SHAPE, written] = (
        touches[FIRST_OF, contact],
        touches[SECOND_OF, contact],
    )
    at_other, turn = load(touching, point, OTHER_CORE), (0.0, 0.0, 0.0, 1.0)
    if touching[point, IS_CARRIED] != 0.0:
        body, time = touches[TOUCHING_BODY, contact], dt
        if impacts.shape[1] > 0 and is_late(impacts, body):
            time = dt - float(impacts[IMPACT_TIME, body])
        moved, _arm, turn = carried(touching, point, time)
        at_other = add(at_other, moved)
    store_vector(contacts, AT, written, load(touching, point, CORE))
    store_vector(contacts, AT_OTHER, written, at_other)
    for entry in range(6):
        contacts[FIRST_SOLVES + entry, written] = touching[point, FIRST_POSITIONS + entry]
    pushed = add(load(touching, point, PUSHED), load(touching, point, PUSHED_LAST))
    store_vector(contacts, PUSH_WORLD, written, add(load(touching, point, PUSHED_BEFORE), pushed))
    contacts[CLOSING, written] = max(float(touching[point, CLOSED_BEFORE]), float(touching[point, CLOSING_SPEED]))
    contacts[SOLVER, written] = touching[point, SOLVED_BY]
    bodies_of = touches[TOUCHING_BODY, contact], touches[TOUCHED_BODY, contact]
    _show_point(keeping, written, point, *bodies_of, at_other, turn)


@inlined
def _show_point(
    keeping: Keeping, written: int, point: int, body: int, other: int, at_world: Vector, other_q: Quaternion
) -> None:
    """Write where a point is at the end of the tick, given its core on a shape of the world and the turn of this in the tick."""
    bodies, contacts, touching = keeping.bodies, keeping.contacts, keeping.lists[1]
    q = load_quaternion(bodies, ORIENTATION, body)
    center = load_vector(bodies, POSITION, body)
    at = rotate(q, 2.0, load(touching, point, CORE))
    other_at = subtract(at_world, center)
    if other >= 0:
        other_q = load_quaternion(bodies, ORIENTATION, other)
        other_at = add(
            subtract(load_vector(bodies, POSITION, other), center),
            rotate(other_q, 2.0, load(touching, point, OTHER_CORE)),
        )
    span = subtract(at, other_at)
    normal = normal_at(touching, point, q, other_q, span)
    gap = dot(span, normal) - float(touching[point, ROUNDING]) - float(touching[point, OTHER_ROUNDING])
    if int(touching[point, OWNER]) == BY_BODY:
        here = add_scaled(other_at, float(touching[point, OTHER_ROUNDING]) + 0.5 * gap, normal)
    else:
        here = add_scaled(at, -(float(touching[point, ROUNDING]) + 0.5 * gap), normal)
    store_vector(contacts, POINT_WORLD, written, add(center, here))
    store_vector(contacts, NORMAL_WORLD, written, normal)
    contacts[GAP, written] = gap
