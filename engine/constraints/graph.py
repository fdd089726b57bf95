"""Islands of bodies that are linked by joints and springs, and the order in which their equations are eliminated."""

from collections.abc import Iterable, Sequence

import numpy as np

from ..loops.columns import Integers
from .layout import (
    BLOCK,
    DIVIDE,
    FACTOR,
    FIRST_PLACE,
    FIRST_ROW,
    HAS_LOOP,
    IS_ANCHORED,
    IS_HARD,
    IS_LATER,
    ISLAND_SIZE,
    JOINT,
    LAST_ROW,
    LINK_SIZE,
    SECOND_PLACE,
    SUBTRACT,
)

Pair = tuple[int, int]
"""The columns of two bodies; the second is -1 for the world."""


def islands_of(pairs: Iterable[Pair], springs: Iterable[Pair] = ()) -> list[list[int]]:
    """The bodies that are connected, each island and all islands in ascending order.

    Args:
        pairs: The bodies of each joint.
        springs: The bodies of springs; those that touch no joint form no island.
    """
    parent: dict[int, int] = {}
    jointed = []
    for pair in pairs:
        bodies = [body for body in pair if body >= 0]
        jointed.extend(bodies)
        _join(parent, bodies)
    for pair in springs:
        _join(parent, [body for body in pair if body >= 0])
    kept = {_root(parent, body) for body in jointed}
    groups: dict[int, list[int]] = {}
    for body in sorted(parent):
        if _root(parent, body) in kept:
            groups.setdefault(_root(parent, body), []).append(body)
    return sorted(groups.values())


def has_loop(pairs: Iterable[Pair]) -> bool:
    """Whether one of these joints connects what others connect already; the world is a body here."""
    parent: dict[int, int] = {}
    for pair in pairs:
        first, second = (_root(parent, body) for body in pair)
        if first == second:
            return True
        parent[second] = first
    return False


def _root(parent: dict[int, int], body: int) -> int:
    """The body that stands for all that are connected with a body."""
    while parent.setdefault(body, body) != body:
        parent[body] = body = parent[parent[body]]
    return body


def _join(parent: dict[int, int], bodies: list[int]) -> None:
    roots = [_root(parent, body) for body in bodies]
    for other in roots[1:]:
        first, second = sorted((_root(parent, roots[0]), _root(parent, other)))
        parent[second] = first


class Graph:
    """The numbers of places, rows and blocks of all islands of a world.

    Attributes:
        columns: The column of the body at each place.
        links: One row per joint (see `layout`).
        islands: One row per island.
        program: The operations on blocks.
        row_count: Rows of constraints of all islands.
        block_count: Blocks of all islands.
    """

    def __init__(
        self,
        joints: Sequence[tuple[int, Pair, int]],
        springs: Sequence[Pair],
        hard: Sequence[bool],
        body_count: int = 0,
    ) -> None:
        """Number everything.

        Args:
            joints: For each joint its row in the table, its bodies and its number of rows.
            springs: The pairs of bodies that springs link.
            hard: For each joint whether it has equality rows only.
            body_count: The number of bodies, if those on no joint are islands too; 0 if they are not.
        """
        groups = islands_of([pair for _row, pair, _count in joints], springs)
        soft = {
            column for (_row, pair, _count), is_hard in zip(joints, hard, strict=True) if not is_hard for column in pair
        }
        groups.sort(key=lambda group: not soft.isdisjoint(group))  # islands of equality rows only come first
        linked = {column for group in groups for column in group}
        groups.extend([column] for column in range(body_count) if column not in linked)
        place_of = {column: place for place, column in enumerate(column for group in groups for column in group)}
        group_of = {column: number for number, group in enumerate(groups) for column in group}
        self.columns = np.array([column for group in groups for column in group], np.int64)
        links: list[Integers] = []
        program: list[list[int]] = []
        islands: list[Integers] = []
        self.row_count = self.block_count = 0
        for number, group in enumerate(groups):
            mine = [place for place, (_row, pair, _count) in enumerate(joints) if group_of[max(pair)] == number]
            pairs = {
                (min(place_of[a], place_of[b]), max(place_of[a], place_of[b]))
                for a, b in (joints[place][1] for place in mine)
                if a >= 0 and b >= 0
            }
            places = [place_of[column] for column in group]
            order, blocks, own_program = _elimination(places, pairs, self.block_count)
            island = np.zeros(ISLAND_SIZE, np.int64)
            island[:10:2] = places[0], len(links), self.row_count, len(program), self.block_count
            for place in mine:
                row, (a, b), count = joints[place]
                link = np.zeros(LINK_SIZE, np.int64)
                link[JOINT], link[FIRST_PLACE] = row, place_of[a]
                link[SECOND_PLACE] = place_of[b] if b >= 0 else -1
                link[FIRST_ROW], link[LAST_ROW] = self.row_count, self.row_count + count
                link[BLOCK] = -1
                if b >= 0:
                    first, second = place_of[a], place_of[b]
                    is_later = order[first] > order[second]
                    link[IS_LATER] = is_later
                    link[BLOCK] = blocks[(first, second) if is_later else (second, first)]
                self.row_count += count
                links.append(link)
            program.extend(own_program)
            self.block_count += len(blocks)
            island[1:10:2] = places[-1] + 1, len(links), self.row_count, len(program), self.block_count
            island[IS_ANCHORED] = any(joints[place][1][1] < 0 for place in mine)
            island[IS_HARD] = all(hard[place] for place in mine)
            island[HAS_LOOP] = has_loop(joints[place][1] for place in mine)
            islands.append(island)
        self.links = np.array(links, np.int64).reshape(-1, LINK_SIZE)
        self.islands = np.array(islands, np.int64).reshape(-1, ISLAND_SIZE)
        self.program: Integers = np.array(program, np.int64).reshape(-1, 6)
        self.groups = [group for group in groups if linked.issuperset(group)]


def _elimination(
    places: list[int], pairs: set[Pair], first_block: int
) -> tuple[dict[int, int], dict[Pair, int], list[list[int]]]:
    """Minimum degree order, the block of each pair (later, earlier), and the operations.

    The diagonal block of a place is its number among the places, from `first_block` on.
    """
    neighbours: dict[int, set[int]] = {place: set() for place in places}
    for a, b in pairs:
        neighbours[a].add(b)
        neighbours[b].add(a)
    blocks = {(place, place): first_block + number for number, place in enumerate(places)}
    order: dict[int, int] = {}
    columns: list[tuple[int, list[int]]] = []
    left = set(places)
    while left:
        place = min(left, key=lambda each: (len(neighbours[each]), each))
        left.remove(place)
        order[place] = len(order)
        others = sorted(neighbours.pop(place))
        for other in others:
            neighbours[other].discard(place)
            neighbours[other].update(each for each in others if each != other)
        columns.append((place, others))
    program: list[list[int]] = []
    for place, others in columns:
        others.sort(key=order.__getitem__)
        for other in others:
            blocks.setdefault((other, place), first_block + len(blocks))
        own = blocks[place, place]
        program.append([FACTOR, own, 0, 0, place, 0])
        program.extend([DIVIDE, blocks[other, place], own, 0, other, place] for other in others)
        for number, other in enumerate(others):
            for before in others[: number + 1]:
                key = (other, before)
                blocks.setdefault(key, first_block + len(blocks))
                program.append([SUBTRACT, blocks[key], blocks[other, place], blocks[before, place], 0, 0])
    return order, blocks, program
