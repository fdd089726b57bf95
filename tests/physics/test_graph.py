"""The numbers of islands and the order of elimination, which a kernel finds, against a search written for sets and dictionaries."""

import random

import numpy as np
import pytest

from engine.compilation.compiler import plain
from engine.compilation.packed import Packed
from engine.constraints import graph as module
from engine.constraints import layout
from engine.constraints.graph import Graph, Numbering, number_islands
from engine.forces.constant import POINT_FORCES
from engine.forces.spring import SPRINGS
from engine.joints.joint import JOINTS
from engine.loops.layout import FROZEN, ROWS

WORLD = -1
KINDS = (layout.BALL, layout.HINGE, layout.SLIDER, layout.WELD, layout.ROD, layout.ROPE, layout.OPEN)


class Tables:
    """The tables from which islands are numbered, filled at random."""

    def __init__(self, draw, bodies, joints, springs=0, points=0, spare=3):
        self.bodies, self.counts = np.zeros((ROWS, bodies + spare)), (joints, springs, points, bodies)
        self.joints = np.repeat(JOINTS.rest, joints + spare, axis=1)
        self.springs = np.repeat(SPRINGS.rest, springs + spare, axis=1)
        self.points = np.repeat(POINT_FORCES.rest, points + spare, axis=1)
        self.joints[layout.LOWER : layout.LOWER + 3], self.joints[layout.UPPER : layout.UPPER + 3] = -np.inf, np.inf
        for joint in range(joints):
            a, b = draw.sample(range(bodies), 2)
            self.joints[layout.BODY, joint], self.joints[layout.OTHER, joint] = a, b if draw.random() < 0.85 else WORLD
            self.joints[layout.TYPE, joint] = draw.choice(KINDS)
            self.joints[layout.ENABLED, joint] = draw.random() < 0.9
            self.joints[layout.FRICTION, joint] = draw.random() < 0.2
            if self.joints[layout.TYPE, joint] == layout.ROPE:
                self.joints[layout.UPPER, joint] = 1.0
        for spring in range(springs):
            self.springs[:2, spring] = draw.sample(range(bodies), 2)
            if draw.random() < 0.2:
                self.springs[1, spring] = WORLD
        for point in range(points):
            self.points[0, point] = draw.randrange(bodies)

    def counted(self):
        return list(zip((self.joints, self.springs, self.points, self.bodies), self.counts, strict=True))


def numbered(tables, graph=None, has_all=False):
    graph = graph or Graph(has_all)
    graph.number(number_islands, *tables.counted())
    return graph


def groups_of(tables, pairs):
    """The bodies of each island, in ascending order."""
    linked = {body: {body} for body in range(tables.counts[3])}
    springs = [(a, b) for a, b in tables.springs[:2, : tables.counts[1]].T.astype(int).tolist()]
    for a, b in [*pairs, *springs]:
        frozen = [body for body in (a, b) if body >= 0 and tables.bodies[FROZEN, body]]
        if b >= 0 and not frozen and linked[a] is not linked[b]:
            linked[a] |= linked[b]
            for body in linked[b]:
                linked[body] = linked[a]
    jointed = {body for pair in pairs for body in pair}
    return sorted({tuple(sorted(group)) for group in linked.values() if not jointed.isdisjoint(group)})


def acting(tables):
    """The rows of joints that act, with their bodies."""
    found = {}
    for joint in range(tables.counts[0]):
        a, b, enabled, kind = tables.joints[:4, joint].astype(int).tolist()
        frozen = any(body >= 0 and tables.bodies[FROZEN, body] for body in (a, b))
        if enabled and kind != layout.OPEN and not frozen:
            found[joint] = (a, b)
    return found


def elimination(places, pairs):
    """The order of minimum degree, of equal ones the first place, and the operations on the blocks of pairs of places."""
    linked = {place: {b if a == place else a for a, b in pairs if place in (a, b)} for place in places}
    order, below = [], {}
    while linked:
        place = min(linked, key=lambda each: (len(linked[each]), each))
        below[place] = linked.pop(place)
        order.append(place)
        for other in below[place]:
            linked[other] = (linked[other] | below[place]) - {place, other}
    operations = []
    for place in order:
        others = sorted(below[place], key=order.index)
        operations.append((layout.FACTOR, (place, place)))
        operations.extend((layout.DIVIDE, (other, place), (place, place)) for other in others)
        for number, other in enumerate(others):
            operations.extend(
                (layout.SUBTRACT, (other, before), (other, place), (before, place)) for before in others[: number + 1]
            )
    return order, operations


def blocks_in(graph, island):
    """What the program of an island does, on blocks named by what its operations on places say."""
    first, last = graph.islands[island, [layout.PROGRAM, layout.PROGRAM_END]]
    begin = graph.islands[island, layout.BODIES]
    named, done = {}, []
    for operation, target, left, right, place, other in graph.program[first:last].tolist():
        if operation == layout.FACTOR:
            named[target] = (begin + place, begin + place)
            done.append((operation, named[target]))
        elif operation == layout.DIVIDE:
            # `place` is the later one, and `other` the one that is eliminated
            named[target] = (begin + place, begin + other)
            done.append((operation, named[target], named[left]))
        else:
            done.append((operation, target, named[left], named[right]))
    return named, [(each[0], named[each[1]], *each[2:]) if each[0] == layout.SUBTRACT else each for each in done]


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("has_all", [False, True])
def test_random_islands_are_numbered_as_a_plain_search_numbers_them(seed, has_all):
    draw = random.Random(seed)
    bodies = draw.randrange(2, 30)
    joints = draw.randrange(1, 30) if seed < 20 else 4 * bodies
    tables = Tables(draw, bodies, joints, draw.randrange(6), draw.randrange(6))
    for body in draw.sample(range(bodies), draw.randrange(2)):
        tables.bodies[FROZEN, body] = 1.0
    graph = numbered(tables, has_all=has_all)
    pairs = acting(tables)
    soft = {
        joint
        for joint in pairs
        if tables.joints[layout.FRICTION, joint] > 0 and layout.FREEDOM_COUNTS[int(tables.joints[layout.TYPE, joint])]
    } | {joint for joint in pairs if tables.joints[layout.TYPE, joint] == layout.ROPE}
    groups = groups_of(tables, pairs.values())
    groups.sort(key=lambda group: any(joint in soft and pairs[joint][0] in group for joint in pairs))
    assert graph.groups == [list(group) for group in groups]
    if has_all:
        inside = {body for group in groups for body in group}
        groups += [(body,) for body in range(bodies) if body not in inside]
    columns = [body for group in groups for body in group]
    place_of = {body: place for place, body in enumerate(columns)}
    assert graph.sizes[module.PLACES] == len(columns) and graph.columns[: len(columns)].tolist() == columns
    assert graph.places[:bodies].tolist() == [place_of.get(body, -1) for body in range(bodies)]
    link = row = block = 0
    for island, group in enumerate(groups):
        own = {joint: pair for joint, pair in pairs.items() if pair[0] in group}
        places = [place_of[body] for body in group]
        linked = {(place_of[a], place_of[b]) for a, b in own.values() if b >= 0}
        order, operations = elimination(places, {tuple(sorted(pair)) for pair in linked})
        named, done = blocks_in(graph, island)
        assert done == operations
        entries = graph.islands[island]
        assert entries[[layout.BODIES, layout.BODIES_END]].tolist() == [places[0], places[-1] + 1]
        assert entries[[layout.LINKS, layout.LINKS_END]].tolist() == [link, link + len(own)]
        assert entries[[layout.BLOCKS, layout.BLOCKS_END]].tolist() == [block, block + len(named)]
        assert bool(entries[layout.IS_HARD]) == soft.isdisjoint(own)
        assert bool(entries[layout.IS_ANCHORED]) == any(b < 0 for _a, b in own.values())
        assert bool(entries[layout.HAS_LOOP]) == has_loop(own.values())
        for joint, (a, b) in own.items():
            found = graph.links[link]
            first, second = place_of[a], place_of[b] if b >= 0 else -1
            assert found[[layout.JOINT, layout.FIRST_PLACE, layout.SECOND_PLACE]].tolist() == [joint, first, second]
            assert found[layout.FIRST_ROW] == row
            row = found[layout.LAST_ROW]
            if b >= 0:
                is_later = order.index(first) > order.index(second)
                assert found[layout.IS_LATER] == is_later
                assert named[found[layout.BLOCK] - block] == ((first, second) if is_later else (second, first))
            else:
                assert found[layout.BLOCK] == -1
            link += 1
        block += len(named)
    springs = tables.springs[:2, : tables.counts[1]].T.astype(int).tolist()
    chosen = [n for n, (a, b) in enumerate(springs) if a in place_of and (b < 0 or b in place_of)]
    assert graph.spring_rows[: graph.sizes[module.SPRING_COUNT]].tolist() == chosen
    pushed = [n for n, body in enumerate(tables.points[0, : tables.counts[2]].astype(int).tolist()) if body in place_of]
    assert graph.point_rows[: graph.sizes[module.POINT_COUNT]].tolist() == pushed


def has_loop(pairs):
    """Whether there are more joints than it takes to connect what they connect; the world is a body here."""
    pairs, trees = list(pairs), []
    for pair in pairs:
        touched = [tree for tree in trees if not tree.isdisjoint(pair)]
        if len(touched) == 1 and set(pair) <= touched[0]:
            return True
        trees = [tree for tree in trees if tree not in touched] + [set(pair).union(*touched)]
    return False


@pytest.mark.parametrize("seed", range(8))
def test_numbers_do_not_depend_on_what_was_numbered_before(seed):
    """One graph follows a table through random changes, another is made for each; only the places of programs in memory differ."""
    draw = random.Random(100 + seed)
    tables = Tables(draw, 14, 20, 4, 3)
    kept = numbered(tables)
    for _change in range(25):
        joint = draw.randrange(20)
        tables.joints[layout.ENABLED, joint] = 1.0 - tables.joints[layout.ENABLED, joint]
        tables.joints[layout.FRICTION, draw.randrange(20)] = draw.randrange(2)
        tables.bodies[FROZEN, draw.randrange(14)] = draw.random() < 0.3
        numbered(tables, kept)
        fresh = numbered(tables)
        assert (kept.sizes[: module.STRUCTURES] == fresh.sizes[: module.STRUCTURES]).all()
        count, links = kept.sizes[module.ISLANDS], kept.sizes[module.LINK_COUNT]
        assert (kept.links[:links] == fresh.links[:links]).all()
        apart = [layout.PROGRAM, layout.PROGRAM_END, layout.IS_NEW, layout.CURSOR]
        assert (np.delete(kept.islands[:count], apart, 1) == np.delete(fresh.islands[:count], apart, 1)).all()
        for island in range(count):
            ours, theirs = (
                each.program[slice(*each.islands[island, [layout.PROGRAM, layout.PROGRAM_END]])]
                for each in (kept, fresh)
            )
            assert (ours == theirs).all()


def pairs_of(draw, count, enabled=1.0):
    """Separate pairs of bodies on a hinge."""
    tables = Tables(draw, 2 * count, count)
    tables.joints[layout.BODY, :count], tables.joints[layout.OTHER, :count] = (
        range(0, 2 * count, 2),
        range(1, 2 * count, 2),
    )
    tables.joints[layout.TYPE, :count], tables.joints[layout.FRICTION, :count] = layout.HINGE, 0.0
    tables.joints[layout.ENABLED, :count] = enabled
    return tables


def test_equal_islands_share_one_program():
    graph = numbered(pairs_of(random.Random(1), 200))
    assert graph.sizes[module.STRUCTURES] == 1
    assert len(np.unique(graph.islands[: graph.sizes[module.ISLANDS], layout.PROGRAM])) == 1


def test_only_islands_whose_numbers_change_are_new():
    """Islands after one that goes have other numbers; those before it keep what was computed for them, until it comes again."""
    tables = pairs_of(random.Random(2), 10)
    graph = numbered(tables)
    graph.islands[:, layout.IS_NEW] = 0
    tables.joints[layout.FRICTION, 3] = 0.0
    numbered(tables, graph)
    assert not graph.islands[:10, layout.IS_NEW].any()
    tables.joints[layout.ENABLED, 6] = 0.0
    numbered(tables, graph)
    assert graph.islands[:10, layout.IS_NEW].tolist() == [0] * 6 + [1] * 4
    graph.islands[:, layout.IS_NEW] = 0
    tables.joints[layout.ENABLED, 9] = 0.0
    numbered(tables, graph)
    tables.joints[layout.ENABLED, 9] = 1.0
    numbered(tables, graph)
    assert graph.islands[:10, layout.IS_NEW].tolist() == [0] * 8 + [1, 0]


def test_an_island_with_other_rows_is_new():
    tables = pairs_of(random.Random(2), 4)
    tables.joints[layout.BODY, :4], tables.joints[layout.OTHER, :4] = range(4), range(1, 5)
    graph = numbered(tables)
    graph.islands[:, layout.IS_NEW] = 0
    tables.joints[layout.FRICTION, 2] = 0.1
    numbered(tables, graph)
    assert graph.sizes[module.ISLANDS] == 1 and graph.islands[0, layout.IS_NEW] == 1


def test_structures_that_are_gone_make_room_for_others():
    """A graph that has seen many structures keeps its arrays, which have room for about as many as it needs."""
    draw = random.Random(3)
    tables, graph, versions = Tables(draw, 30, 40), None, []
    for _change in range(400):
        tables.joints[layout.ENABLED, draw.randrange(40)] = draw.randrange(2)
        graph = numbered(tables, graph)
        versions.append(graph.version)
    assert len(graph.program) < 5_000
    assert len(graph.program) == len(graph._pool[0])
    assert versions[100] == versions[-1]


class Counted(np.ndarray):
    """An array that counts how often its elements are read and written."""

    count = 0

    def __getitem__(self, key):
        Counted.count += 1
        return super().__getitem__(key)

    def __setitem__(self, key, value):
        Counted.count += 1
        super().__setitem__(key, value)


def accesses(tables, times=2):
    """How often plain Python reads and writes the arrays when it numbers these tables once more."""
    graph = numbered(tables)
    for _again in range(times - 1):
        Counted.count = 0
        numbering = graph.arguments(*tables.counted()).arguments
        assert plain(number_islands)(Packed(Numbering(*(each.view(Counted) for each in numbering)))) == 0
    return Counted.count


def test_the_work_for_many_islands_is_proportional_to_their_number():
    ten, twenty, thirty = (accesses(pairs_of(random.Random(4), count)) for count in (10, 20, 30))
    assert thirty - twenty == twenty - ten
    assert thirty < 30 * 400


@pytest.mark.parametrize("shape", ["chain", "star"])
def test_a_new_long_island_takes_work_nearly_proportional_to_its_bodies(shape):
    """The order of elimination of a chain or a star comes from a heap and not from a search for each body."""

    def work(count):
        tables = pairs_of(random.Random(5), count)
        before = range(count) if shape == "chain" else [0] * count
        tables.joints[layout.BODY, :count], tables.joints[layout.OTHER, :count] = before, range(1, count + 1)
        graph = numbered(tables)
        graph._make_structures(4 * count)
        Counted.count = 0
        numbering = graph.arguments(*tables.counted()).arguments
        assert plain(number_islands)(Packed(Numbering(*(each.view(Counted) for each in numbering)))) == 0
        return Counted.count

    assert work(400) < 5.5 * work(100)  # a search would take 16 times as much


def test_islands_whose_hashes_fall_into_one_slot_keep_apart():
    """Structures are told apart by their pairs of places, not by where they are looked for."""
    draw, tables = random.Random(6), None
    for _try in range(200):
        tables = Tables(draw, 30, 25)
        graph = numbered(tables)
        count = graph.sizes[module.STRUCTURES]
        slots = graph._structures[:count, module.STRUCTURE_HASH] % len(graph._slots)
        if len(set(slots.tolist())) < count:
            break
    else:
        raise AssertionError("no two structures met")
    for island, group in enumerate(graph.groups):
        place_of = {
            body: place
            for place, body in enumerate(graph.columns[: graph.sizes[module.PLACES]].tolist())
            if body in group
        }
        pairs = {tuple(sorted((place_of[a], place_of[b]))) for a, b in acting(tables).values() if a in group and b >= 0}
        _order, operations = elimination(sorted(place_of.values()), pairs)
        assert blocks_in(graph, island)[1] == operations


def with_contacts(draw, tables, count):
    """Contacts of random bodies with one to four points, and tables in which hinges with friction stand for them, after all joints."""
    contacts = np.zeros((module.CONTACT_NUMBERS, count + 2), np.int64)
    bodies, first = tables.counts[3], 0
    same = Tables(draw, bodies, tables.counts[0] + count)
    same.bodies = tables.bodies
    same.joints[:, : tables.counts[0]] = tables.joints[:, : tables.counts[0]]
    same.springs, same.points, same.counts = tables.springs, tables.points, (same.counts[0], *tables.counts[1:])
    for contact in range(count):
        a, b = draw.sample(range(bodies), 2)
        other = b if draw.random() < 0.8 else WORLD
        points = draw.randrange(1, 5)
        contacts[:4, contact] = a, other, first, points
        first += points
        column = same.joints[:, tables.counts[0] + contact]
        column[:] = JOINTS.rest[:, 0]
        column[[layout.BODY, layout.OTHER, layout.ENABLED, layout.TYPE]] = a, other, 1.0, layout.HINGE
        column[layout.LOWER : layout.LOWER + 3], column[layout.UPPER : layout.UPPER + 3] = -np.inf, np.inf
        column[layout.FRICTION] = 1.0
    return contacts, same


@pytest.mark.parametrize("seed", range(20))
def test_contacts_connect_bodies_as_joints_do(seed):
    """Islands with contacts are those in which soft joints stand for the contacts; a contact has three rows per point."""
    draw = random.Random(500 + seed)
    bodies = draw.randrange(2, 25)
    tables = Tables(draw, bodies, draw.randrange(1, 15), draw.randrange(4))
    for body in draw.sample(range(bodies), draw.randrange(2)):
        tables.bodies[FROZEN, body] = 1.0
    count = draw.randrange(1, 25)
    contacts, same = with_contacts(draw, tables, count)
    graph, wanted = Graph(), numbered(same)
    graph.number(number_islands, *tables.counted(), (contacts, count))
    islands, places = int(wanted.sizes[module.ISLANDS]), int(wanted.sizes[module.PLACES])
    assert graph.sizes[module.ISLANDS] == islands and graph.sizes[module.PLACES] == places
    assert graph.columns[:places].tolist() == wanted.columns[:places].tolist()
    assert graph.sizes[module.BLOCK_COUNT] == wanted.sizes[module.BLOCK_COUNT]
    row = 0
    for island in range(islands):
        ours, theirs = graph.islands[island], wanted.islands[island]
        kept = [layout.BODIES, layout.BODIES_END, layout.BLOCKS, layout.BLOCKS_END, layout.IS_ANCHORED, layout.IS_HARD]
        assert ours[kept].tolist() == theirs[kept].tolist() and not ours[layout.IS_SWEPT]
        programs = [each[layout.PROGRAM : layout.PROGRAM_END + 1] for each in (ours, theirs)]
        assert (graph.program[slice(*programs[0])] == wanted.program[slice(*programs[1])]).all()
        joints = graph.links[ours[layout.LINKS] : ours[layout.LINKS_END]]
        touching = graph.links[ours[layout.CONTACTS] : ours[layout.CONTACTS_END]]
        standing = wanted.links[theirs[layout.LINKS] : theirs[layout.LINKS_END]]
        numbers = [layout.FIRST_PLACE, layout.SECOND_PLACE, layout.BLOCK, layout.IS_LATER]
        assert np.concatenate([joints, touching])[:, numbers].tolist() == standing[:, numbers].tolist()
        for link in joints:
            assert link[layout.FIRST_ROW] == row
            row = link[layout.LAST_ROW]
        assert ours[layout.ROWS_END] == row
        for link in touching:
            contact = -1 - link[layout.JOINT]
            assert link[[layout.FIRST_ROW, layout.LAST_ROW]].tolist() == [row, row + 3 * contacts[3, contact]]
            assert link[layout.FIRST_POINT] == contacts[2, contact]
            row = link[layout.LAST_ROW]
    assert graph.sizes[module.ROW_COUNT] == row


def test_large_islands_on_contacts_alone_are_swept_and_need_no_elimination():
    draw, count = random.Random(5), 60
    tables = Tables(draw, count, 0)
    contacts = np.zeros((module.CONTACT_NUMBERS, count), np.int64)
    contacts[:4] = range(count), range(-1, count - 1), range(0, 4 * count, 4), [4] * count
    for last in (module.MOST_DIRECT, module.MOST_DIRECT + 1):
        graph = Graph()
        graph.number(number_islands, *tables.counted(), (contacts, last))
        is_swept = last > module.MOST_DIRECT
        assert graph.islands[0, layout.IS_SWEPT] == is_swept
        assert (graph.sizes[module.BLOCK_COUNT] == 0) == is_swept
