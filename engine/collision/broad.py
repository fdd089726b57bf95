"""Pairs of shapes whose boxes overlap, found by grids of cells.

A box belongs to a level by its largest extent, and each level has cells that are as large as its largest box. The shapes are sorted by the
cells in which their boxes begin. Each shape then looks at the cells around its own, and, among the larger shapes, at those of the coarser
levels. One large shape among many small ones therefore costs nothing. Cells are counted by a hash, so that the extent of a world does not
matter, and cells one above the other are adjacent. Boxes without bounds, such as those of planes, are compared with all others.

Bodies of different groups do not meet. Shapes of the world, whose owner is -1, meet all groups, but not each other.
"""

from math import floor, frexp
from typing import NamedTuple

from ..compilation.compiler import inlined, kernel
from ..compilation.packed import Packed, unpack
from ..constraints.joint_types import load
from ..kernels.vectors import Vector
from ..loops.columns import Array, Integers, IntegerTable, Numbers
from .layout import HIGH, LOW

FIRST_LEVEL, LEVELS = -40, 104
"""Boxes of the first level have at most ``2**FIRST_LEVEL`` metres; those that are larger than the last level are compared with all."""
ENTRIES_PER_SHAPE = 2
"""One for its own group, and one for shapes of the world to look at."""
ENTRY_SIZE = 6
"""The numbers of an entry: the cell, the shape, the table to which it belongs, and the bucket."""
LEVEL_SIZES = 3
"""Rows of `levels`: how many shapes a level has; of how many it has entries of bodies, and of the world."""

_FARTHEST = float(2**40)
"""Cells farther from the origin are one cell."""
_SLACK = 1.01
"""Cells are larger than the largest box by more than the rounding of coordinates of up to `_FARTHEST` cells."""
_LARGEST = float(2 ** (FIRST_LEVEL + LEVELS - 1))
_MASK = (1 << 30) - 1
_BODY, _WORLD, _ANY = range(3)
"""Kinds of tables: bodies of one group, shapes of the world, and bodies of all groups for shapes of the world to look at."""

Cell = tuple[int, int, int]


class Search(NamedTuple):
    """The boxes of shapes, the pairs of these that overlap, and scratch."""

    bounds: Array
    """The boxes, one row per shape, with the columns `LOW` and `HIGH`; a box with ``high < low`` meets nothing."""
    owners: Integers
    """The body of each shape; -1 for the world."""
    groups: Integers
    """The group of each shape, which is ignored for shapes of the world."""
    buckets: Integers
    """Scratch, a power of two of numbers, best twice as many as shapes or more, and one."""
    entries: IntegerTable
    """Scratch, shape (2 `ENTRIES_PER_SHAPE` times the number of shapes, `ENTRY_SIZE`)."""
    boxes: Array
    """Scratch, shape (`ENTRIES_PER_SHAPE` times the number of shapes, 6)."""
    levels: IntegerTable
    """Scratch, shape (`LEVEL_SIZES`, `LEVELS` + 1)."""
    sizes: Numbers
    """Scratch, shape (`LEVELS` + 1,)."""
    starts: Integers
    """Scratch, one number more than shapes."""
    pairs: IntegerTable
    """The pairs, in columns 2 and 3; columns 0 and 1 are scratch."""


class Column(NamedTuple):
    """Cells one above the other in a table of entries."""

    table: int
    group: int
    x: int
    y: int
    first_z: int
    last_z: int


@inlined
def _along(place: float, per_metre: float) -> int:
    return floor(min(max(place * per_metre, -_FARTHEST), _FARTHEST))


@inlined
def _cell_of(corner: Vector, per_metre: float) -> Cell:
    return _along(corner[0], per_metre), _along(corner[1], per_metre), _along(corner[2], per_metre)


@inlined
def _bucket_of(x: int, y: int, z: int, table: int, group: int, buckets: int) -> int:
    """The bucket of a cell; those of cells one above the other follow each other."""
    mixed = (x & _MASK) * 73856093 + (y & _MASK) * 83492791 + (table * 67867979 + (group & _MASK) * 49979687)
    return (mixed + (mixed >> 16) + (z & _MASK)) & (buckets - 1)


@inlined
def _may_meet(owners: Integers, groups: Integers, shape: int, other: int) -> bool:
    """Whether two shapes are of different bodies of the same group, or one of them is of the world."""
    owner, other_owner = owners[shape], owners[other]
    if owner == other_owner:
        return False
    return bool(owner < 0 or other_owner < 0 or groups[shape] == groups[other])


@inlined
def _level_of(low: Vector, high: Vector) -> tuple[int, float]:
    """The level of a box, and its largest extent; `LEVELS` if it has no bounds, and -1 if it is not a number or is left out."""
    x, y, z = high[0] - low[0], high[1] - low[1], high[2] - low[2]
    if not (x >= 0.0 and y >= 0.0 and z >= 0.0):
        return -1, 0.0
    size = max(x, y, z)
    if size >= _LARGEST:
        return LEVELS, size
    _share, exponent = frexp(size)
    return (max(int(exponent) - FIRST_LEVEL, 0) if size > 0.0 else 0), size


@inlined
def _put_pair(pairs: Integers, starts: Integers, found: int, shape: int, other: int) -> None:
    first = min(shape, other)
    pairs[found, 0], pairs[found, 1] = first, max(shape, other)
    starts[first + 1] += 1


@inlined
def _overlap_in(boxes: Array, place: int, low: Vector, high: Vector) -> bool:
    return bool(
        boxes[place, 0] <= high[0]
        and low[0] <= boxes[place, 3]
        and boxes[place, 1] <= high[1]
        and low[1] <= boxes[place, 4]
        and boxes[place, 2] <= high[2]
        and low[2] <= boxes[place, 5]
    )


@inlined
def _look(search: Search, found: int, place: int, cells_of: Column, low: Vector, high: Vector, is_own: bool) -> int:
    """Compare an entry with those of the cells one above the other; the number of pairs then, or -1 if there was no room.

    In its own cell, an entry is compared with those behind it only.
    """
    (table, group, x, y, first_z, last_z), pairs = cells_of, search.pairs
    entries, buckets = search.entries, search.buckets
    shape, bucket_count = entries[place, 3], buckets.shape[0] - 1
    bucket = _bucket_of(x, y, first_z, table, group, bucket_count)
    cells = last_z - first_z + 1
    while cells > 0:
        # the last bucket is followed by the first one
        here = min(cells, bucket_count - bucket)
        for other in range(buckets[bucket], buckets[bucket + here]):
            if _overlap_in(search.boxes, other, low, high):
                # cells, levels and groups may share a bucket
                z = entries[other, 2]
                is_here = entries[other, 0] == x and entries[other, 1] == y and z >= first_z and z <= last_z
                if is_here and entries[other, 4] == table and not (is_own and z == first_z and other <= place):
                    if _may_meet(search.owners, search.groups, shape, entries[other, 3]):
                        if found == pairs.shape[0]:
                            return -1
                        _put_pair(pairs, search.starts, found, shape, entries[other, 3])
                        found += 1
        bucket, cells = 0, cells - here
    return found


@inlined
def _sort_pairs(pairs: Integers, starts: Integers, count: int, found: int) -> None:
    """Write the pairs in ascending order into the last two columns: by the first shape, and then by the second among those of each."""
    for shape in range(count):
        starts[shape + 1] += starts[shape]
    for number in range(found):
        first = pairs[number, 0]
        pairs[starts[first], 2], pairs[starts[first], 3] = first, pairs[number, 1]
        starts[first] += 1
    for number in range(1, found):
        first, second, at = pairs[number, 2], pairs[number, 3], number
        while at > 0 and pairs[at - 1, 2] == first and pairs[at - 1, 3] > second:
            pairs[at, 3] = pairs[at - 1, 3]
            at -= 1
        pairs[at, 3] = second


@inlined
def _find_levels(search: Search, count: int) -> bool:
    """Count the shapes of each level and find the cells per metre; whether all bodies are of one group."""
    bounds, owners, groups, levels, sizes = search.bounds, search.owners, search.groups, search.levels, search.sizes
    for level in range(LEVELS + 1):
        levels[0, level] = levels[1, level] = levels[2, level] = 0
        sizes[level] = 0.0
    first_group, is_known, is_one_group = 0, False, True
    for shape in range(count):
        level, size = _level_of(load(bounds, shape, LOW), load(bounds, shape, HIGH))
        if level >= 0:
            levels[0, level] += 1
            sizes[level] = max(float(sizes[level]), size)
            if owners[shape] >= 0:
                levels[1, level] += 1
                is_one_group = is_one_group and (not is_known or groups[shape] == first_group)
                first_group, is_known = int(groups[shape]), True
            else:
                levels[2, level] += 1
    for level in range(LEVELS):
        sizes[level] = 1.0 / (_SLACK * float(sizes[level]) + 1e-300)
    return is_one_group


@inlined
def _enter(entries: Integers, entry: int, cell: Cell, shape: int, table: int, group: int, buckets: Integers) -> None:
    bucket = _bucket_of(cell[0], cell[1], cell[2], table, group, buckets.shape[0] - 1)
    entries[entry, 0], entries[entry, 1], entries[entry, 2] = cell
    entries[entry, 3], entries[entry, 4], entries[entry, 5] = shape, table, bucket
    buckets[bucket] += 1


@inlined
def _fill(search: Search, count: int, is_one_group: bool, has_world: bool) -> int:
    """Enter the shapes into their cells, and sort the entries by buckets; their number."""
    bounds, owners, groups, sizes = search.bounds, search.owners, search.groups, search.sizes
    buckets, entries, boxes = search.buckets, search.entries, search.boxes
    for bucket in range(buckets.shape[0]):
        buckets[bucket] = 0
    used, half = 0, entries.shape[0] // 2
    for shape in range(count):
        low, high = load(bounds, shape, LOW), load(bounds, shape, HIGH)
        level, _size = _level_of(low, high)
        if level < 0 or level == LEVELS:
            continue
        cell = _cell_of(low, float(sizes[level]))
        if owners[shape] < 0 and not is_one_group:
            _enter(entries, half + used, cell, shape, 4 * level + _WORLD, 0, buckets)
            used += 1
            continue
        _enter(entries, half + used, cell, shape, 4 * level + _BODY, 0 if is_one_group else groups[shape], buckets)
        used += 1
        if not is_one_group and has_world:
            _enter(entries, half + used, cell, shape, 4 * level + _ANY, 0, buckets)
            used += 1
    total = 0
    for bucket in range(buckets.shape[0]):
        total += buckets[bucket]
        buckets[bucket] = total
    # from the last to the first, so that each bucket ends where it starts and its entries are in order
    for back in range(used):
        entry = half + used - 1 - back
        bucket = entries[entry, 5]
        buckets[bucket] -= 1
        place = buckets[bucket]
        shape = entries[entry, 3]
        for number in range(ENTRY_SIZE):
            entries[place, number] = entries[entry, number]
        for number in range(3):
            boxes[place, number], boxes[place, 3 + number] = bounds[shape, LOW + number], bounds[shape, HIGH + number]
    return used


@kernel("near-pairs")
def near_pairs(packed: Packed[Search], count: int) -> int:
    """Find the pairs of shapes whose boxes overlap, in ascending order of their numbers.

    Args:
        packed: The boxes and the pairs.
        count: The number of shapes.

    Returns:
        The number of pairs; -1 if there is no room for them.
    """
    search = unpack(packed)
    entries, boxes, levels, groups = search.entries, search.boxes, search.levels, search.groups
    is_one_group = _find_levels(search, count)
    for shape in range(count + 1):
        search.starts[shape] = 0
    found = _find_endless(search, levels[0, LEVELS], count)
    if found < 0:
        return -1
    has_world, last_level = False, 0
    for level in range(LEVELS):
        has_world = has_world or levels[2, level] > 0
        last_level = level if levels[0, level] > 0 else last_level
    used = _fill(search, count, is_one_group, has_world)
    for place in range(used):
        entered, shape = int(entries[place, 4]), int(entries[place, 3])
        kind, own_level = entered & 3, entered >> 2
        if kind == _ANY:
            continue
        low, high = load(boxes, place, 0), load(boxes, place, 3)
        group = 0 if is_one_group or kind == _WORLD else int(groups[shape])
        for level in range(own_level, last_level + 1):
            if levels[0, level] == 0:
                continue
            per_metre = float(search.sizes[level])
            first, last = _cell_of(low, per_metre), _cell_of(high, per_metre)
            is_own = level == own_level
            for looked in range(3):
                # bodies look at their group and at the world; shapes of the world at larger bodies of all groups
                if (looked == _ANY and (kind != _WORLD or is_own)) or (looked == _BODY and kind != _BODY):
                    continue
                if looked == _WORLD and (kind == _WORLD or is_one_group or levels[2, level] == 0):
                    continue
                # in its own table, what begins before it looks at it
                is_half = is_own and looked == _BODY
                for x in range(first[0] - (0 if is_half else 1), last[0] + 1):
                    for y in range(first[1] - (0 if is_half and x == first[0] else 1), last[1] + 1):
                        is_own_column = is_half and x == first[0] and y == first[1]
                        first_z = first[2] - (0 if is_own_column else 1)
                        table, looked_in = 4 * level + looked, group if looked == _BODY else 0
                        cells_of = Column(table, looked_in, x, y, first_z, last[2])
                        found = _look(search, found, place, cells_of, low, high, is_own_column)
                        if found < 0:
                            return -1
    _sort_pairs(search.pairs, search.starts, count, found)
    return found


@inlined
def _find_endless(search: Search, endless: int, count: int) -> int:
    """Compare boxes without bounds with all others; the number of pairs, or -1 if there was no room."""
    bounds, pairs, found = search.bounds, search.pairs, 0
    if endless == 0:
        return 0
    for shape in range(count):
        low, high = load(bounds, shape, LOW), load(bounds, shape, HIGH)
        level, _size = _level_of(low, high)
        if level < LEVELS:
            continue
        for other in range(count):
            other_low, other_high = load(bounds, other, LOW), load(bounds, other, HIGH)
            other_level, _other_size = _level_of(other_low, other_high)
            if other_level < 0 or (other_level == LEVELS and other <= shape):
                continue
            if _overlap_in(bounds, other, low, high) and _may_meet(search.owners, search.groups, shape, other):
                if found == pairs.shape[0]:
                    return -1
                _put_pair(pairs, search.starts, found, shape, other)
                found += 1
    return found
