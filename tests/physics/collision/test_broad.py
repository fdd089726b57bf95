"""Pairs of boxes that overlap, against a comparison of all pairs."""

import numpy as np
import pytest

from engine.collision import broad
from engine.collision.layout import BOUND_SIZE, HIGH, LOW
from engine.compilation.packed import Packed


class Search:
    """The arrays of a search among boxes."""

    def __init__(self, low, high, owners=None, groups=None, room=None):
        count = len(low)
        self.bounds = np.zeros((count, BOUND_SIZE))
        self.bounds[:, LOW : LOW + 3], self.bounds[:, HIGH : HIGH + 3] = low, high
        self.owners = np.arange(count) if owners is None else np.asarray(owners)
        self.groups = np.zeros(count, np.int64) if groups is None else np.asarray(groups)
        self.room = room or 64 * count
        entries = broad.ENTRIES_PER_SHAPE * count
        self.scratch = (
            np.zeros((1 << max((2 * count).bit_length(), 4)) + 1, np.int64),
            np.zeros((2 * entries, broad.ENTRY_SIZE), np.int64),
            np.zeros((entries, 6)),
            np.zeros((broad.LEVEL_SIZES, broad.LEVELS + 1), np.int64),
            np.zeros(broad.LEVELS + 1),
            np.zeros(count + 1, np.int64),
            np.zeros((self.room, 4), np.int64),
        )
        self.search = Packed(broad.Search(self.bounds, self.owners, self.groups, *self.scratch))

    def run(self):
        found = broad.near_pairs(self.search, len(self.bounds))
        return None if found < 0 else self.scratch[-1][:found, 2:].copy()

    def by_comparison(self):
        """All pairs, by comparison of each shape with each other one."""
        low, high = self.bounds[:, LOW : LOW + 3], self.bounds[:, HIGH : HIGH + 3]
        pairs = []
        for first in range(len(low)):
            overlaps = ((low[first] <= high) & (low <= high[first])).all(axis=1) & (low <= high).all(axis=1)
            overlaps &= (low[first] <= high[first]).all()
            other = self.owners != self.owners[first]
            meets = (self.groups == self.groups[first]) | (self.owners < 0) | (self.owners[first] < 0)
            second = np.flatnonzero(overlaps & other & meets)
            pairs += [(first, each) for each in second if each > first]
        return np.array(pairs, np.int64).reshape(-1, 2)

    def agrees(self):
        found, expected = self.run(), self.by_comparison()
        return found is not None and np.array_equal(found, expected)


def boxes(count, extent, size, seed):
    random = np.random.default_rng(seed)
    low = random.uniform(-extent, extent, (count, 3))
    return low, low + random.uniform(0.5, 1.0, (count, 1)) * size


@pytest.mark.parametrize("extent", [1.0, 4.0, 30.0])
def test_pairs_of_boxes_are_those_of_a_comparison_of_all(extent):
    for seed in range(5):
        search = Search(*boxes(200, extent, 1.0, seed))
        assert search.agrees()


def test_boxes_of_all_sizes_meet():
    random = np.random.default_rng(3)
    for _seed in range(10):
        sizes = 10.0 ** random.uniform(-6, 3, (150, 3))
        low = random.normal(size=(150, 3)) * 10.0 ** random.uniform(-3, 2, (150, 1))
        search = Search(low, low + sizes)
        assert len(search.by_comparison()) > 100
        assert search.agrees()


def test_boxes_that_touch_or_end_on_the_border_of_cells_are_found_once():
    places = np.array(np.meshgrid(*[[-2.0, -1.0, 0.0, 1.0]] * 3)).reshape(3, -1).T
    search = Search(places, places + 1.0)
    assert len(search.run()) == len(np.unique(search.run(), axis=0)) > 300
    assert search.agrees()


def test_groups_do_not_meet_but_the_world_meets_all():
    random = np.random.default_rng(5)
    for seed in range(10):
        low, high = boxes(200, 3.0, 1.0, seed)
        high += random.uniform(0.0, 1.0, (200, 1)) ** 6 * 8.0
        owners = np.where(random.uniform(size=200) < 0.2, -1, random.integers(0, 60, 200))
        groups = np.where(owners < 0, 0, owners % 5 * 1000003 - 7)
        search = Search(low, high, owners, groups)
        assert search.agrees()
        assert len(search.run()) > 50


def test_copies_in_one_place_cost_no_comparisons_with_each_other():
    """4000 groups of two boxes at the same place: the table has short chains, and only the pairs of each group are found."""
    low = np.tile(boxes(2, 0.1, 1.0, 1)[0], (4000, 1))
    search = Search(low, low + 1.0, groups=np.repeat(np.arange(4000), 2))
    found = search.run()
    assert np.array_equal(found, np.arange(8000).reshape(-1, 2))


def test_boxes_without_bounds_and_far_away_meet():
    low, high = boxes(40, 2.0, 1.0, 1)
    low[3:5] -= 1e300
    high[3:5] += 1e300
    low[20:25] += 1e18
    high[20:25] += 1e18
    search = Search(low, high, owners=np.where(np.arange(40) == 3, -1, np.arange(40)))
    assert search.agrees()


def test_boxes_that_are_not_numbers_or_are_left_out_meet_nothing():
    low, high = boxes(20, 0.1, 1.0, 1)
    low[4, 1] = np.nan
    high[7, 2] = low[7, 2] - 1.0
    found = Search(low, high).run()
    assert not np.isin(found, (4, 7)).any()
    assert len(found) == 18 * 17 // 2


def test_no_room_for_pairs_ends_the_search_and_changes_nothing_else():
    low, high = boxes(50, 0.2, 1.0, 1)
    short, long = Search(low, high, room=100), Search(low, high, room=50 * 49 // 2)
    assert short.run() is None
    assert len(long.run()) == 50 * 49 // 2


def test_the_pairs_of_some_shapes_do_not_depend_on_others():
    low, high = boxes(100, 2.0, 1.0, 2)
    few = Search(low[:50], high[:50]).run()
    many = Search(low, high).run()
    assert np.array_equal(few, many[(many < 50).all(axis=1)])
