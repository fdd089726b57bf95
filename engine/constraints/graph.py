"""Islands of bodies that are linked by joints and springs, and the order in which their equations are eliminated.

Everything is numbered by a kernel, on arrays with spare room, from the tables of joints and springs alone: two worlds with the same tables
have the same numbers, however they came to them. The work is proportional to the rows of these tables and to the bodies. The elimination of
an island depends only on which of its places are linked. It is made once for each such structure and kept, so that equal islands share
one program, and a change of some joints leaves the programs of the other islands as they are.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ..compilation.compiler import inlined, kernel
from ..compilation.packed import Packed, unpack
from ..loops.columns import Array, Integers, IntegerTable
from ..loops.layout import FROZEN
from .layout import (
    BLOCK,
    BLOCKS,
    BLOCKS_END,
    BODIES,
    BODIES_END,
    BODY,
    COLUMNS,
    CONTACTS,
    CONTACTS_END,
    CURSOR,
    DIVIDE,
    ENABLED,
    FACTOR,
    FIRST_PLACE,
    FIRST_POINT,
    FIRST_ROW,
    HAS_FOLLOWERS,
    HAS_LIMITS_ONLY,
    HAS_LOOP,
    IS_ANCHORED,
    IS_HARD,
    IS_LATER,
    IS_NEW,
    IS_SWEPT,
    ISLAND_SIZE,
    JOINT,
    LAST_ROW,
    LINK_SIZE,
    LINKS,
    LINKS_END,
    OPEN,
    OTHER,
    PROGRAM,
    PROGRAM_END,
    ROWS,
    ROWS_END,
    SECOND_PLACE,
    SPAN,
    SUBTRACT,
    TYPE,
)
from .rows import count_limits, count_rows, follower_count

Pair = tuple[int, int]
"""The columns of two bodies; the second is -1 for the world."""


def islands_of(pairs: Iterable[Pair]) -> list[list[int]]:
    """The bodies that are connected, each island and all islands in ascending order.

    Args:
        pairs: The bodies of each joint.
    """
    parent: dict[int, int] = {}
    for pair in pairs:
        first, *others = (_root(parent, body) for body in pair if body >= 0)
        for other in others:
            low, high = sorted((first, other))
            parent[high] = low
    groups: dict[int, list[int]] = {}
    for body in sorted(parent):
        groups.setdefault(_root(parent, body), []).append(body)
    return sorted(groups.values())


def _root(parent: dict[int, int], body: int) -> int:
    """The body that stands for all that are connected with a body."""
    while parent.setdefault(body, body) != body:
        parent[body] = body = parent[parent[body]]
    return body


# numbers of things, in `sizes`
PLACES, LINK_COUNT, ROW_COUNT, BLOCK_COUNT, ISLANDS, HARD_ISLANDS, SPRING_COUNT, POINT_COUNT = range(8)
"""Places of bodies, joints, rows, blocks, islands, those of equality rows only, and the springs and point forces on their bodies."""
CONTACT_COUNT, TOUCHING_COUNT = 8, 9
"""Contacts that act, and the points of all contacts."""
BODY_COUNT = 10
"""Bodies of islands, which are as many as places unless spans of islands share these."""
STRUCTURES, PAIRS, OPERATIONS = 11, 12, 13
"""Structures that are known, their pairs of places, and their operations on blocks."""
HAS_LOOPS, HAS_SOFT, FOLLOWERS = 14, 15, 16
"""Whether any island has a loop, rows that are no equalities, and motors or springs that follow the inertia."""
HARD_LINKS = 17
"""The joints of islands of equality rows only, which come first."""
SHARES = 18
"""Whether spans of islands share their places."""
SIZES = 19

# rows of the list of contacts
TOUCHING_BODY, TOUCHED_BODY, POINTS_FROM, POINTS_OF_CONTACT, DOES_ACT = range(5)
"""The two bodies, the second -1 for the world, the first point, the number of points, and whether neither body is frozen."""
CONTACT_NUMBERS = 5
MOST_DIRECT = 32
"""Bodies of an island on contacts alone whose equations are solved directly; those of larger ones are solved by sweeps."""

# rows of the numbers of bodies
PARENT, FITTED, ROOT, ISLAND, KIND_OF_ISLAND, ANCHOR = range(6)
"""A body that is connected with this one and comes before it, the same by joints alone, the first body of the island or -1, the number of
the island, and of first bodies the kind of the island and the first of its bodies that a joint ties to the world."""
BODY_NUMBERS = 6
_LINKED, _SOFT, _ANCHORED, _LOOP, _FORCED, _FOLLOWING = 1, 2, 4, 8, 16, 32
"""Kinds of islands: with joints, with rows that are no equalities, tied to the world, with a loop, with rows that are neither
equalities nor limits of joints, and with motors or springs that follow the inertia."""

# rows of the numbers of joints
COUNT_OF_ROWS, HAS_OTHERS = range(2)
"""The rows of a joint, or -1 if it does not act, and whether any of them is no equality: 1 for limits alone, 2 for others too."""
JOINT_NUMBERS = 2

# columns of `structures`
STRUCTURE_HASH, STRUCTURE_PLACES, FIRST_PAIR, LAST_PAIR, FIRST_OPERATION, LAST_OPERATION, STRUCTURE_BLOCKS = range(7)
STRUCTURE_SIZE = 7
# columns of `pairs`
PAIR_FIRST, PAIR_SECOND, PAIR_BLOCK, PAIR_IS_LATER = range(4)
PAIR_SIZE = 4

# rows of `scratch`, by place of an island
HEAD, DEGREE, ORDER, MARK, COLUMN, COLUMN_END, SEQUENCE = range(7)
"""The first entry of the list of neighbours and their number, when the place is eliminated, a mark, where the places below it begin and end
in `pool`, and the places in the order in which they are eliminated."""
PLACE_NUMBERS = 7
# rows of `pool`
NEXT, NEIGHBOUR, HEAP, BELOW = range(4)
"""Entries of lists of neighbours, a heap of degrees and places, and the places below the diagonal of all columns."""
POOL_ROWS = 4

JOINTS_COUNTED, CONTACTS_COUNTED = 0, 4
"""The places of the numbers of joints and of contacts in `counts`."""
FULL = -1
"""What `number_islands` returns if there is no room for the structures."""
_FEW_PLACES = 64
"""The places for which structures have room from the first numbering on; a graph that is never numbered has none."""

_PRIME = 2147483647
_FACTOR = 1000003


@inlined
def _root_of(numbers: Integers, row: int, body: int) -> int:
    """The first body of all that are connected with a body."""
    while numbers[row, body] != body:
        numbers[row, body] = numbers[row, numbers[row, body]]
        body = numbers[row, body]
    return int(body)


@inlined
def _join(numbers: Integers, row: int, body: int, other: int) -> bool:
    """Connect two bodies; whether they were connected already."""
    first, second = _root_of(numbers, row, body), _root_of(numbers, row, other)
    numbers[row, max(first, second)] = min(first, second)
    return first == second


@inlined
def _put(islands: Integers, island: int, array: Integers, at: int, row: int, value: int) -> None:
    """Set a number of an island, in a column `row`; if it was another, the island is new, also if an interrupt comes before the change."""
    if array[at, row] != value:
        islands[island, IS_NEW] = 1
        array[at, row] = value


@inlined
def _connect(
    table: Array,
    springs: Array,
    bodies: Array,
    contacts: Integers,
    counts: Integers,
    numbers: Integers,
    joints: Integers,
) -> None:
    """Find which joints act and with how many rows, and what they and springs connect."""
    for body in range(counts[3]):
        numbers[PARENT, body] = numbers[FITTED, body] = body
        numbers[KIND_OF_ISLAND, body] = 0
        numbers[ANCHOR, body] = -1
    for joint in range(counts[0]):
        body, other = int(table[BODY, joint]), int(table[OTHER, joint])
        acts = table[ENABLED, joint] != 0.0 and table[TYPE, joint] != OPEN and bodies[FROZEN, body] == 0.0
        if not acts or (other >= 0 and bodies[FROZEN, other] != 0.0):
            joints[COUNT_OF_ROWS, joint] = -1
        else:
            equalities, others = count_rows(table[:, joint])
            joints[COUNT_OF_ROWS, joint] = equalities + others
            joints[HAS_OTHERS, joint] = int(others > 0) + int(others > count_limits(table[:, joint]))
            if other >= 0:
                _ = _join(numbers, PARENT, body, other)
    for contact in range(counts[CONTACTS_COUNTED]):
        body, other = contacts[TOUCHING_BODY, contact], contacts[TOUCHED_BODY, contact]
        acts = bodies[FROZEN, body] == 0.0 and (other < 0 or bodies[FROZEN, other] == 0.0)
        contacts[DOES_ACT, contact] = int(acts)
        if acts and other >= 0:
            _ = _join(numbers, PARENT, body, other)
    for spring in range(counts[1]):
        body, other = int(springs[0, spring]), int(springs[1, spring])
        if body >= 0 and other >= 0 and bodies[FROZEN, body] == 0.0 and bodies[FROZEN, other] == 0.0:
            _ = _join(numbers, PARENT, body, other)


@inlined
def _find_kinds(
    table: Array, contacts: Integers, joint_count: int, contact_count: int, numbers: Integers, joints: Integers
) -> None:
    """Find the kinds of islands."""
    for contact in range(contact_count):
        if contacts[DOES_ACT, contact] == 1:
            root = _root_of(numbers, PARENT, contacts[TOUCHING_BODY, contact])
            numbers[KIND_OF_ISLAND, root] |= _LINKED | _SOFT | _FORCED
            if contacts[TOUCHED_BODY, contact] < 0:
                numbers[KIND_OF_ISLAND, root] |= _ANCHORED
    for joint in range(joint_count):
        if joints[COUNT_OF_ROWS, joint] < 0:
            continue
        body, other = int(table[BODY, joint]), int(table[OTHER, joint])
        root = _root_of(numbers, PARENT, body)
        kind = numbers[KIND_OF_ISLAND, root] | _LINKED
        if joints[HAS_OTHERS, joint] > 0:
            kind |= _SOFT
        if joints[HAS_OTHERS, joint] == 2:
            kind |= _FORCED
            if follower_count(table[:, joint]) > 0:
                kind |= _FOLLOWING
        if other < 0:  # the world is a body here, for which the first one that is tied to it stands
            kind |= _ANCHORED
            other = int(numbers[ANCHOR, root])
            if other < 0:
                numbers[ANCHOR, root] = body
        if other >= 0 and _join(numbers, FITTED, body, other):
            kind |= _LOOP
        numbers[KIND_OF_ISLAND, root] = kind


@inlined
def _number_places(
    body_count: int,
    has_all: bool,
    numbers: Integers,
    columns: Integers,
    places: Integers,
    islands: Integers,
    sizes: Integers,
) -> None:
    """Number islands, those of equality rows only first and each kind in the order of first bodies, and their bodies in ascending order."""
    for body in range(body_count):
        root = _root_of(numbers, PARENT, body)
        is_linked = numbers[KIND_OF_ISLAND, root] & _LINKED != 0
        numbers[ROOT, body] = root if is_linked else body if has_all else -1
    count = 0
    for turn in range(3):
        for body in range(body_count):
            kind = numbers[KIND_OF_ISLAND, body]
            if numbers[ROOT, body] == body and turn == (2 if kind & _LINKED == 0 else 1 if kind & _SOFT != 0 else 0):
                numbers[ISLAND, body] = count
                islands[count, CURSOR] = 0
                count += 1
        if turn == 0:
            sizes[HARD_ISLANDS] = count
    for island in range(count, sizes[ISLANDS]):
        islands[island, IS_NEW] = 1  # where it comes again
    sizes[ISLANDS] = count
    _number_bodies(body_count, numbers, columns, places, islands, sizes)


@inlined
def _number_bodies(
    body_count: int, numbers: Integers, columns: Integers, places: Integers, islands: Integers, sizes: Integers
) -> None:
    """Number the bodies of islands, and give them places."""
    # how many bodies each has, where they begin, and then each in turn
    for body in range(body_count):
        if numbers[ROOT, body] >= 0:
            islands[numbers[ISLAND, numbers[ROOT, body]], CURSOR] += 1
    number = place = sizes[PLACES] = 0
    for island in range(sizes[ISLANDS]):
        length = islands[island, CURSOR]
        if sizes[SHARES] == 1 and (island == sizes[HARD_ISLANDS] or place + length > SPAN):
            place = 0
        _put(islands, island, islands, island, BODIES, place)
        place += length
        _put(islands, island, islands, island, BODIES_END, place)
        sizes[PLACES] = max(sizes[PLACES], place)
        _put(islands, island, islands, island, COLUMNS, number)
        islands[island, CURSOR] = number
        number += length
    sizes[BODY_COUNT] = number
    for body in range(body_count):
        places[body] = -1
        if numbers[ROOT, body] >= 0:
            island = numbers[ISLAND, numbers[ROOT, body]]
            number = islands[island, CURSOR]
            islands[island, CURSOR] = number + 1
            places[body] = islands[island, BODIES] + number - islands[island, COLUMNS]
            if columns[number] != body:
                islands[island, IS_NEW] = 1
                columns[number] = body


@inlined
def _begins_span(islands: Integers, island: int, sizes: Integers) -> bool:
    """Whether an island is the first of a span that shares its places, and keeps no rows and blocks of its own."""
    return bool(sizes[SHARES] == 1 and island >= sizes[HARD_ISLANDS] and islands[island, BODIES] == 0)


@inlined
def _number_links(
    table: Array,
    contacts: Integers,
    counts: Integers,
    numbers: Integers,
    joints: Integers,
    places: Integers,
    links: Integers,
    islands: Integers,
    sizes: Integers,
) -> None:
    """Number the joints of each island in the order of their table, and their rows."""
    for island in range(sizes[ISLANDS]):
        islands[island, CURSOR] = 0
    for joint in range(counts[0]):
        if joints[COUNT_OF_ROWS, joint] >= 0:
            islands[numbers[ISLAND, numbers[ROOT, int(table[BODY, joint])]], CURSOR] += 1
    link = 0
    for island in range(sizes[ISLANDS]):
        begin = link
        link += islands[island, CURSOR]
        islands[island, CURSOR] = begin
        _put(islands, island, islands, island, LINKS, begin)
        _put(islands, island, islands, island, LINKS_END, link)
    sizes[LINK_COUNT] = link
    sizes[HARD_LINKS] = islands[sizes[HARD_ISLANDS] - 1, LINKS_END] if sizes[HARD_ISLANDS] > 0 else 0
    for joint in range(counts[0]):
        if joints[COUNT_OF_ROWS, joint] >= 0:
            body, other = int(table[BODY, joint]), int(table[OTHER, joint])
            island = numbers[ISLAND, numbers[ROOT, body]]
            link = islands[island, CURSOR]
            islands[island, CURSOR] = link + 1
            _put(islands, island, links, link, JOINT, joint)
            _put(islands, island, links, link, FIRST_PLACE, places[body])
            _put(islands, island, links, link, SECOND_PLACE, places[other] if other >= 0 else -1)
    _number_contacts(contacts, counts[CONTACTS_COUNTED], numbers, places, links, islands, sizes)
    _number_rows(joints, links, islands, sizes)
    sizes[HAS_LOOPS] = sizes[HAS_SOFT] = sizes[FOLLOWERS] = 0
    for body in range(counts[3]):
        if numbers[ROOT, body] == body:
            island, kind = numbers[ISLAND, body], numbers[KIND_OF_ISLAND, body]
            _put(islands, island, islands, island, IS_ANCHORED, int(kind & _ANCHORED != 0))
            _put(islands, island, islands, island, IS_HARD, int(kind & _SOFT == 0))
            _put(islands, island, islands, island, HAS_LIMITS_ONLY, int(kind & (_SOFT | _FORCED) == _SOFT))
            _put(islands, island, islands, island, HAS_FOLLOWERS, int(kind & _FOLLOWING != 0))
            _put(islands, island, islands, island, HAS_LOOP, int(kind & _LOOP != 0))
            sizes[HAS_LOOPS] = max(sizes[HAS_LOOPS], int(kind & _LOOP != 0))
            sizes[HAS_SOFT] = max(sizes[HAS_SOFT], int(kind & _SOFT != 0))
            sizes[FOLLOWERS] = max(sizes[FOLLOWERS], int(kind & _FOLLOWING != 0))


@inlined
def _number_rows(joints: Integers, links: Integers, islands: Integers, sizes: Integers) -> None:
    """Number the rows of each island, those of joints first."""
    row = kept = sizes[ROW_COUNT] = 0
    for island in range(sizes[ISLANDS]):
        if island == sizes[HARD_ISLANDS]:
            kept = row
        if _begins_span(islands, island, sizes):
            row = kept
        _put(islands, island, islands, island, ROWS, row)
        for link in range(islands[island, LINKS], islands[island, LINKS_END]):
            _put(islands, island, links, link, FIRST_ROW, row)
            row += joints[COUNT_OF_ROWS, links[link, JOINT]]
            _put(islands, island, links, link, LAST_ROW, row)
        _put(islands, island, islands, island, ROWS_END, row)
        for link in range(islands[island, CONTACTS], islands[island, CONTACTS_END]):
            links[link, FIRST_ROW] = row
            row += 3 * links[link, LAST_ROW]  # the number of its points until here
            links[link, LAST_ROW] = row
        sizes[ROW_COUNT] = max(sizes[ROW_COUNT], row)


@inlined
def _number_contacts(
    contacts: Integers,
    count: int,
    numbers: Integers,
    places: Integers,
    links: Integers,
    islands: Integers,
    sizes: Integers,
) -> None:
    """Number the contacts of each island, in the order of their list, after all joints."""
    for island in range(sizes[ISLANDS]):
        islands[island, CURSOR] = 0
    for contact in range(count):
        if contacts[DOES_ACT, contact] == 1:
            islands[numbers[ISLAND, numbers[ROOT, contacts[TOUCHING_BODY, contact]]], CURSOR] += 1
    link = sizes[LINK_COUNT]
    for island in range(sizes[ISLANDS]):
        begin = link
        link += islands[island, CURSOR]
        islands[island, CURSOR] = begin
        has_joints = islands[island, LINKS] < islands[island, LINKS_END]
        many = islands[island, BODIES_END] - islands[island, BODIES] > MOST_DIRECT
        islands[island, IS_SWEPT] = int(many and begin < link and not has_joints)
        islands[island, CONTACTS], islands[island, CONTACTS_END] = begin, link
    sizes[CONTACT_COUNT], sizes[TOUCHING_COUNT] = link - sizes[LINK_COUNT], 0
    for contact in range(count):
        sizes[TOUCHING_COUNT] = contacts[POINTS_FROM, contact] + contacts[POINTS_OF_CONTACT, contact]
        if contacts[DOES_ACT, contact] == 1:
            body, other = contacts[TOUCHING_BODY, contact], contacts[TOUCHED_BODY, contact]
            island = numbers[ISLAND, numbers[ROOT, body]]
            link = islands[island, CURSOR]
            islands[island, CURSOR] = link + 1
            links[link, JOINT], links[link, FIRST_PLACE] = -1 - contact, places[body]
            links[link, SECOND_PLACE] = places[other] if other >= 0 else -1
            links[link, FIRST_POINT] = contacts[POINTS_FROM, contact]
            links[link, LAST_ROW] = contacts[POINTS_OF_CONTACT, contact]


# structures


@inlined
def _hash_of(links: Integers, first: int, last: int, first_place: int, value: int) -> int:
    """A number for the pairs of places that links of an island connect, given one for what comes before."""
    for link in range(first, last):
        if links[link, SECOND_PLACE] >= 0:
            value = (value * _FACTOR + links[link, FIRST_PLACE] - first_place) % _PRIME
            value = (value * _FACTOR + links[link, SECOND_PLACE] - first_place) % _PRIME
    return int(value)


@inlined
def _follow(
    pairs: Integers, pair: int, last_pair: int, links: Integers, first: int, last: int, first_place: int
) -> int:
    """The pair after those that links of an island connect, in the same order as the pairs of a structure; -1 if they differ."""
    for link in range(first, last):
        if links[link, SECOND_PLACE] >= 0:
            if pair == last_pair:
                return -1
            if links[link, FIRST_PLACE] - first_place != pairs[pair, PAIR_FIRST]:
                return -1
            if links[link, SECOND_PLACE] - first_place != pairs[pair, PAIR_SECOND]:
                return -1
            pair += 1
    return pair


@inlined
def _is_structure(
    structures: Integers,
    pairs: Integers,
    known: int,
    links: Integers,
    island: Integers,
    first_place: int,
    count: int,
) -> bool:
    """Whether the links of an island connect the pairs of a structure, in the same order."""
    if structures[known, STRUCTURE_PLACES] != count:
        return False
    pair, last_pair = structures[known, FIRST_PAIR], structures[known, LAST_PAIR]
    pair = _follow(pairs, pair, last_pair, links, island[LINKS], island[LINKS_END], first_place)
    if pair >= 0:
        pair = _follow(pairs, pair, last_pair, links, island[CONTACTS], island[CONTACTS_END], first_place)
    return bool(pair == last_pair)


@inlined
def _take_pairs(pairs: Integers, pair: int, links: Integers, first: int, last: int, first_place: int) -> int:
    """Write the pairs of places that links of an island connect; where they end."""
    for link in range(first, last):
        if links[link, SECOND_PLACE] >= 0:
            pairs[pair, PAIR_FIRST] = links[link, FIRST_PLACE] - first_place
            pairs[pair, PAIR_SECOND] = links[link, SECOND_PLACE] - first_place
            pair += 1
    return pair


class Numbering(NamedTuple):
    """The arguments of `number_islands`."""

    table: Array
    """The table of joints."""
    springs: Array
    """The table of springs, whose first rows are the two bodies."""
    points: Array
    """The table of forces at points, whose first row is the body."""
    bodies: Array
    contacts: IntegerTable
    """The bodies and points of contacts."""
    counts: Integers
    """The numbers of joints, springs, forces at points, bodies and contacts, whether bodies on no joint are islands too, and whether spans
    of islands share their places."""
    numbers: IntegerTable
    """Of bodies, for the search."""
    joints: IntegerTable
    """Numbers of joints, for the search."""
    columns: Integers
    """The column of each body of an island, in the order of islands."""
    places: Integers
    """The place of the body in each column, or -1."""
    links: IntegerTable
    """One row per joint, and then one per contact (see `layout`)."""
    islands: IntegerTable
    """One row per island."""
    spring_rows: Integers
    """The rows of the springs on bodies of islands."""
    point_rows: Integers
    """The rows of the forces at points of such bodies."""
    slots: Integers
    """The known structures by their hash, or -1."""
    structures: IntegerTable
    """The known structures."""
    pairs: IntegerTable
    """Their pairs of places."""
    program: IntegerTable
    """Their operations on blocks, relative to the first place and the first block of an island."""
    scratch: IntegerTable
    """For an elimination."""
    pool: IntegerTable
    """For an elimination."""
    sizes: Integers
    """How much there is of everything."""


@inlined
def _find_structure(numbering: Numbering, island: Integers, first_place: int, count: int) -> int:
    """The number of the structure of an island, which is made if it is not known; `FULL` if there is no room for it."""
    slots, structures, pairs, program = numbering.slots, numbering.structures, numbering.pairs, numbering.program
    scratch, pool, links, sizes = numbering.scratch, numbering.pool, numbering.links, numbering.sizes
    value = _hash_of(links, island[LINKS], island[LINKS_END], first_place, count)
    value = _hash_of(links, island[CONTACTS], island[CONTACTS_END], first_place, value)
    slot = value % slots.shape[0]
    while slots[slot] >= 0:
        known = slots[slot]
        if structures[known, STRUCTURE_HASH] == value and _is_structure(
            structures, pairs, known, links, island, first_place, count
        ):
            return int(known)
        slot = (slot + 1) % slots.shape[0]
    known, pair = sizes[STRUCTURES], sizes[PAIRS]
    most = island[LINKS_END] - island[LINKS] + island[CONTACTS_END] - island[CONTACTS]
    if 2 * known >= slots.shape[0] or pair + most > pairs.shape[0] or count > scratch.shape[1]:
        return FULL
    structures[known, FIRST_PAIR] = pair
    pair = _take_pairs(pairs, pair, links, island[LINKS], island[LINKS_END], first_place)
    pair = _take_pairs(pairs, pair, links, island[CONTACTS], island[CONTACTS_END], first_place)
    structures[known, STRUCTURE_HASH], structures[known, STRUCTURE_PLACES] = value, count
    structures[known, LAST_PAIR], structures[known, FIRST_OPERATION] = pair, sizes[OPERATIONS]
    below = _eliminate(pairs, structures[known, FIRST_PAIR], pair, count, scratch, pool)
    if below < 0:
        return FULL
    operation = _write_program(program, sizes[OPERATIONS], count, scratch, pool)
    if operation < 0:
        return FULL
    structures[known, LAST_OPERATION], structures[known, STRUCTURE_BLOCKS] = operation, count + below
    for each in range(structures[known, FIRST_PAIR], pair):
        place, other = pairs[each, PAIR_FIRST], pairs[each, PAIR_SECOND]
        is_later = scratch[ORDER, place] > scratch[ORDER, other]
        pairs[each, PAIR_IS_LATER] = int(is_later)
        pairs[each, PAIR_BLOCK] = (
            _block(scratch, pool, count, place, other) if is_later else _block(scratch, pool, count, other, place)
        )
    slots[slot] = known
    sizes[STRUCTURES], sizes[PAIRS], sizes[OPERATIONS] = known + 1, pair, operation
    return int(known)


@inlined
def _add_neighbour(scratch: Integers, pool: Integers, entry: int, place: int, other: int) -> int:
    """Put a place on the list of neighbours of another; the number of entries, or -1 if there is no room."""
    if entry == pool.shape[1]:
        return -1
    pool[NEXT, entry], pool[NEIGHBOUR, entry] = scratch[HEAD, place], other
    scratch[HEAD, place] = entry
    scratch[DEGREE, place] += 1
    return entry + 1


@inlined
def _push(pool: Integers, size: int, value: int) -> int:
    """Put a number on the heap; its size, or -1 if there is no room."""
    if size == pool.shape[1]:
        return -1
    at = size
    while at > 0 and pool[HEAP, (at - 1) // 2] > value:
        pool[HEAP, at] = pool[HEAP, (at - 1) // 2]
        at = (at - 1) // 2
    pool[HEAP, at] = value
    return size + 1


@inlined
def _pop(pool: Integers, size: int) -> int:
    """Take the least number off the heap, whose size becomes one less."""
    least, value, size, at = pool[HEAP, 0], pool[HEAP, size - 1], size - 1, 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and pool[HEAP, child + 1] < pool[HEAP, child]:
            child += 1
        if pool[HEAP, child] >= value:
            break
        pool[HEAP, at] = pool[HEAP, child]
        at = child
    pool[HEAP, at] = value
    return int(least)


@inlined
def _begin_elimination(
    pairs: Integers, first: int, last: int, count: int, scratch: Integers, pool: Integers
) -> tuple[int, int]:
    """List the neighbours of each place, and order the places by degree.

    Returns:
        The numbers of entries in the lists and of places in the order; the second is -1 if there is no room.
    """
    entries = size = 0
    for place in range(count):
        scratch[HEAD, place] = scratch[ORDER, place] = scratch[MARK, place] = -1
        scratch[DEGREE, place] = 0
    for pair in range(first, last):
        place, other = int(pairs[pair, PAIR_FIRST]), int(pairs[pair, PAIR_SECOND])
        if entries >= 0:
            entries = _add_neighbour(scratch, pool, entries, place, other)
        if entries >= 0:
            entries = _add_neighbour(scratch, pool, entries, other, place)
    if entries < 0:
        return entries, -1
    for place in range(count):
        _forget_doubles(scratch, pool, place, place)
    for place in range(count):
        size = _push(pool, size, scratch[DEGREE, place] * count + place)
        if size < 0:
            return entries, -1
    for place in range(count):
        scratch[MARK, place] = -1
    return entries, size


@inlined
def _eliminate(pairs: Integers, first: int, last: int, count: int, scratch: Integers, pool: Integers) -> int:
    """Find the order of minimum degree, of equal ones the first place, and the places below the diagonal of each column in this order.

    Returns:
        The number of places below the diagonal, or -1 if there is no room.
    """
    entries, size = _begin_elimination(pairs, first, last, count, scratch, pool)
    if size < 0:
        return -1
    below = 0
    done = mark = 0
    while done < count:
        least = _pop(pool, size)
        size -= 1
        place = least % count
        if scratch[ORDER, place] >= 0 or least // count != scratch[DEGREE, place]:
            continue  # its degree has changed since
        scratch[ORDER, place], scratch[SEQUENCE, done], scratch[COLUMN, place] = done, place, below
        done += 1
        entry = scratch[HEAD, place]
        while entry >= 0:
            other = pool[NEIGHBOUR, entry]
            if scratch[ORDER, other] < 0:
                if below == pool.shape[1]:
                    return -1
                pool[BELOW, below] = other
                below += 1
            entry = pool[NEXT, entry]
        scratch[COLUMN_END, place] = below
        # what it was linked to is linked now, and no more to it
        if below - scratch[COLUMN, place] == 1:
            scratch[DEGREE, pool[BELOW, below - 1]] -= 1  # without a search in what may be a long list
        for number in range(scratch[COLUMN, place], below if below - scratch[COLUMN, place] > 1 else 0):
            other = int(pool[BELOW, number])
            mark += 1
            _forget_eliminated(scratch, pool, other, mark)
            for again in range(scratch[COLUMN, place], below):
                each = int(pool[BELOW, again])
                if each != other and scratch[MARK, each] != mark:
                    entries = _add_neighbour(scratch, pool, entries, other, each)
                    if entries < 0:
                        return -1
        for number in range(scratch[COLUMN, place], below):
            other = int(pool[BELOW, number])
            size = _push(pool, size, scratch[DEGREE, other] * count + other)
            if size < 0:
                return -1
    for place in range(count):
        _sort_by_order(scratch, pool, scratch[COLUMN, place], scratch[COLUMN_END, place])
    return below


@inlined
def _forget_doubles(scratch: Integers, pool: Integers, place: int, mark: int) -> None:
    """Leave each neighbour of a place once on its list."""
    before, entry = -1, scratch[HEAD, place]
    while entry >= 0:
        other = pool[NEIGHBOUR, entry]
        if scratch[MARK, other] == mark:
            scratch[DEGREE, place] -= 1
            pool[NEXT, before] = pool[NEXT, entry]  # the first of the list is no double
        else:
            scratch[MARK, other], before = mark, entry
        entry = pool[NEXT, entry]


@inlined
def _forget_eliminated(scratch: Integers, pool: Integers, place: int, mark: int) -> None:
    """Take what has been eliminated off the list of neighbours of a place, and mark the others."""
    before, entry = -1, scratch[HEAD, place]
    scratch[DEGREE, place] = 0
    while entry >= 0:
        other = pool[NEIGHBOUR, entry]
        if scratch[ORDER, other] < 0:
            scratch[MARK, other], before = mark, entry
            scratch[DEGREE, place] += 1
        elif before < 0:
            scratch[HEAD, place] = pool[NEXT, entry]
        else:
            pool[NEXT, before] = pool[NEXT, entry]
        entry = pool[NEXT, entry]


@inlined
def _sort_by_order(scratch: Integers, pool: Integers, first: int, last: int) -> None:
    """Sort the places of a column by the order in which they are eliminated."""
    for number in range(first + 1, last):
        place, at = pool[BELOW, number], number
        while at > first and scratch[ORDER, pool[BELOW, at - 1]] > scratch[ORDER, place]:
            pool[BELOW, at] = pool[BELOW, at - 1]
            at -= 1
        pool[BELOW, at] = place


@inlined
def _block(scratch: Integers, pool: Integers, count: int, later: int, place: int) -> int:
    """The block of a place and one that is eliminated later; those on the diagonal come first, and then column by column."""
    low, high, order = scratch[COLUMN, place], scratch[COLUMN_END, place], scratch[ORDER, later]
    while high - low > 1:
        middle = (low + high) // 2
        if scratch[ORDER, pool[BELOW, middle]] <= order:
            low = middle
        else:
            high = middle
    return int(count + low)


@inlined
def _write_program(program: Integers, operation: int, count: int, scratch: Integers, pool: Integers) -> int:
    """Write the operations on blocks in the order of elimination; where they end, or -1 if there is no room."""
    for number in range(count):
        place = int(scratch[SEQUENCE, number])
        first, last = int(scratch[COLUMN, place]), int(scratch[COLUMN_END, place])
        length = last - first
        if operation + 1 + length + length * (length + 1) // 2 > program.shape[0]:
            return -1
        _operate(program, operation, FACTOR, place, 0, 0, place, 0)
        operation += 1
        for each in range(first, last):
            _operate(program, operation, DIVIDE, count + each, place, 0, pool[BELOW, each], place)
            operation += 1
        for each in range(first, last):
            other = int(pool[BELOW, each])
            for one in range(first, each + 1):
                before = int(pool[BELOW, one])
                target = other if other == before else _block(scratch, pool, count, other, before)
                _operate(program, operation, SUBTRACT, target, count + each, count + one, 0, 0)
                operation += 1
    return operation


@inlined
def _operate(
    program: Integers, number: int, operation: int, target: int, left: int, right: int, place: int, other: int
) -> None:
    program[number, 0], program[number, 1], program[number, 2] = operation, target, left
    program[number, 3], program[number, 4], program[number, 5] = right, place, other


@inlined
def _number_blocks(numbering: Numbering) -> int:
    """Number the blocks of all islands by their structures; their number, or `FULL` if there is no room for a structure."""
    islands, links, structures, pairs = numbering.islands, numbering.links, numbering.structures, numbering.pairs
    block = kept = most = 0
    for island in range(numbering.sizes[ISLANDS]):
        if island == numbering.sizes[HARD_ISLANDS]:
            kept = block
        if _begins_span(islands, island, numbering.sizes):
            block = kept
        _put(islands, island, islands, island, BLOCKS, block)
        if islands[island, IS_SWEPT] == 1:
            islands[island, BLOCKS_END], islands[island, PROGRAM_END] = block, islands[island, PROGRAM]
            continue
        first_place, count = islands[island, BODIES], islands[island, BODIES_END] - islands[island, BODIES]
        known = _find_structure(numbering, islands[island], first_place, count)
        if known < 0:
            return FULL
        _put(islands, island, islands, island, PROGRAM, structures[known, FIRST_OPERATION])
        _put(islands, island, islands, island, PROGRAM_END, structures[known, LAST_OPERATION])
        pair, places_before = structures[known, FIRST_PAIR], (LINKS, CONTACTS)
        for begin in places_before:
            for link in range(islands[island, begin], islands[island, begin + 1]):
                own, is_later = -1, 0
                if links[link, SECOND_PLACE] >= 0:
                    own, is_later = block + pairs[pair, PAIR_BLOCK], pairs[pair, PAIR_IS_LATER]
                    pair += 1
                _put(islands, island, links, link, BLOCK, own)
                _put(islands, island, links, link, IS_LATER, is_later)
        block += structures[known, STRUCTURE_BLOCKS]
        _put(islands, island, islands, island, BLOCKS_END, block)
        most = max(most, block)
    return most


@kernel("number-islands")
def number_islands(packed: Packed[Numbering]) -> int:
    """Number the places, links, rows and blocks of all islands, and make the programs of elimination that are not known yet.

    Islands whose numbers change are marked as new.

    Returns:
        0, or `FULL`.
    """
    numbering = unpack(packed)
    table, contacts, counts, numbers = numbering.table, numbering.contacts, numbering.counts, numbering.numbers
    joints, columns, places, links = numbering.joints, numbering.columns, numbering.places, numbering.links
    islands, sizes = numbering.islands, numbering.sizes
    _connect(table, numbering.springs, numbering.bodies, contacts, counts, numbers, joints)
    _find_kinds(table, contacts, counts[JOINTS_COUNTED], counts[CONTACTS_COUNTED], numbers, joints)
    sizes[SHARES] = counts[6]
    _number_places(counts[3], counts[5] == 1, numbers, columns, places, islands, sizes)
    _number_links(table, contacts, counts, numbers, joints, places, links, islands, sizes)
    block = FULL
    for has_forgotten in range(2):
        if has_forgotten == 1:  # there is no room: what was kept of former islands goes first
            numbering.slots[:] = -1
            sizes[STRUCTURES] = sizes[PAIRS] = sizes[OPERATIONS] = 0
        block = _number_blocks(numbering)
        if block != FULL:
            break
    if block == FULL:
        return FULL
    sizes[BLOCK_COUNT] = block
    # the springs and forces that act on bodies of islands
    sizes[SPRING_COUNT] = _find_acting(numbering.springs, counts[1], True, places, numbering.spring_rows)
    sizes[POINT_COUNT] = _find_acting(numbering.points, counts[2], False, places, numbering.point_rows)
    return 0


@inlined
def _find_acting(table: Array, count: int, has_other: bool, places: Integers, found: Integers) -> int:
    """Find the rows of a table that act on bodies of islands alone, in order, and return their number."""
    size = 0
    for each in range(count):
        body, other = int(table[0, each]), int(table[1, each]) if has_other else -1
        if body >= 0 and places[body] >= 0 and (other < 0 or places[other] >= 0):
            found[size] = each
            size += 1
    return size


Counted = tuple[Any, int]
"""The array of a table, and the number of its rows."""


NO_CONTACTS = np.zeros((CONTACT_NUMBERS, 0), np.int64), 0


class Graph:
    """The numbers of all islands of a world.

    Attributes:
        columns: The column of each body of an island, in the order of islands.
        places: The place of the body in each column, or -1.
        links: One row per joint that acts (see `layout`).
        islands: One row per island.
        spring_rows: The rows of the springs on bodies of islands.
        point_rows: The rows of the forces at points of such bodies.
        program: The operations on blocks of all known structures.
        sizes: How much there is of everything; the arrays are longer.
        version: A counter that grows with new arrays.
        shares: Whether spans of islands are to share their places, which needs that nothing acts on places of several of them.
    """

    def __init__(self, has_all: bool = False) -> None:
        """Make a graph without islands.

        Args:
            has_all: Whether bodies on no joint are islands too.
        """
        self._has_all, self.shares = has_all, False
        self.version = 0
        self.sizes = np.zeros(SIZES, np.int64)
        self._make_room(0, 0, 0, 0, 0)
        self._make_structures(0)

    def _make_room(self, joints: int, springs: int, points: int, bodies: int, contacts: int) -> None:
        self._room = joints, springs, points, bodies, contacts
        self.columns, self.places = np.zeros(bodies, np.int64), np.zeros(bodies, np.int64)
        self.links = np.zeros((joints + contacts, LINK_SIZE), np.int64)
        islands = bodies if self._has_all else min(bodies, joints + contacts)
        self.islands = np.zeros((islands, ISLAND_SIZE), np.int64)
        self.spring_rows, self.point_rows = np.zeros(springs, np.int64), np.zeros(points, np.int64)
        self._numbers = np.zeros((BODY_NUMBERS, bodies), np.int64)
        self._joints = np.zeros((JOINT_NUMBERS, joints), np.int64)
        self.sizes[:STRUCTURES] = 0
        self.version += 1
        self.forget_made()

    def _make_structures(self, room: int) -> None:
        """Forget all structures, with room for some of so many places in all."""
        self._slots = np.full(4 * room + 1, -1, np.int64)
        self._structures = np.zeros((2 * room + 1, STRUCTURE_SIZE), np.int64)
        self._pairs, self.program = np.zeros((2 * room, PAIR_SIZE), np.int64), np.zeros((6 * room, 6), np.int64)
        self._scratch = np.zeros((PLACE_NUMBERS, room), np.int64)
        self._pool = np.zeros((POOL_ROWS, 6 * room), np.int64)
        self._places_of_structures = room
        self.sizes[STRUCTURES : OPERATIONS + 1] = 0
        self.version += 1
        self.forget_made()

    def forget_made(self) -> None:
        """Have the directions and factors of all islands computed anew."""
        self.islands[:, IS_NEW] = 1

    @property
    def has_soft(self) -> bool:
        """Whether any island has rows that are no equalities."""
        return bool(self.sizes[HAS_SOFT])

    def arguments(
        self, joints: Counted, springs: Counted, points: Counted, bodies: Counted, contacts: Counted = NO_CONTACTS
    ) -> Packed[Numbering]:
        """The arguments of `number_islands` for these tables."""
        given = joints, springs, points, bodies, contacts
        tables = joints[0], springs[0], points[0], bodies[0]
        counted = np.array([*(count for _table, count in given), self._has_all, self.shares], np.int64)
        searched = self._numbers, self._joints, self.columns, self.places, self.links, self.islands
        known = self.spring_rows, self.point_rows, self._slots, self._structures, self._pairs, self.program
        return Packed(
            Numbering(*tables, contacts[0], counted, *searched, *known, self._scratch, self._pool, self.sizes)
        )

    def number(self, run: Callable[..., int], *tables: Counted) -> None:
        """Number everything.

        Args:
            run: `number_islands`, compiled or not.
            *tables: The tables of joints, springs, forces at points and bodies, and the list of contacts if there are any.
        """
        room = tuple(array.shape[1] for array, _count in (*tables, NO_CONTACTS)[:5])
        if room != self._room:
            self._make_room(*room)
        if not self._places_of_structures:
            self._make_structures(_FEW_PLACES)
        while run(self.arguments(*tables)) == FULL:
            self._make_structures(2 * self._places_of_structures)

    @property
    def groups(self) -> list[list[int]]:
        """The bodies of each island with joints, in ascending order."""
        islands = self.islands[: self.sizes[ISLANDS]]
        linked = islands[islands[:, LINKS] < islands[:, LINKS_END]][:, [COLUMNS, BODIES, BODIES_END]].tolist()
        columns = self.columns[: self.sizes[BODY_COUNT]].tolist()
        return [columns[first : first + last - begin] for first, begin, last in linked]
