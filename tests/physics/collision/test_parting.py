"""The distance and the depth of convex cores, against quadratic programming and the difference of their corners."""

import itertools

import numpy as np
import pytest

from engine.collision import cores

from .placing import Solid, depth, distance, parted

RANDOM = np.random.default_rng(33)
CORNERS = RANDOM.normal(size=(24, 3)) * (0.5, 0.4, 0.3)
SOLIDS = {
    "sphere": Solid(cores.POINT, radius=0.4),
    "capsule": Solid(cores.SEGMENT, (0.0, 0.0, 0.5), 0.3),
    "box": Solid(cores.BOX_CORE, (0.5, 0.3, 0.4)),
    "cylinder": Solid(cores.CYLINDER, (0.4, 0.0, 0.5)),
    "hull": Solid(cores.HULL, corners=CORNERS),
    "triangle": Solid(cores.TRIANGLE, corners=[(0.6, -0.1, 0.02), (-0.3, 0.5, 0.0), (-0.3, -0.6, 0.1)]),
}
PAIRS = list(itertools.combinations_with_replacement(SOLIDS, 2))


def random_pose(random, reach):
    turn, away = random.normal(size=4), random.normal(size=3)
    return reach * away / np.linalg.norm(away), turn / np.linalg.norm(turn)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_distance_of_cores_is_that_of_quadratic_programming(one, other):
    random = np.random.default_rng(len(one) + 10 * len(other))
    tried = 0
    while tried < 12:
        first = SOLIDS[one].at(*random_pose(random, random.uniform(0.5, 3.0)))
        second = SOLIDS[other].at(*random_pose(random, 0.2))
        expected = distance(first, second) + first.radius + second.radius
        if expected < 1e-3:
            continue
        tried += 1
        apart, normal, at, other_at = parted(first, second)
        assert apart == pytest.approx(expected, abs=2e-7)
        assert at - other_at == pytest.approx(apart * normal, abs=1e-12)
        # it cannot be less: the planes through both points at right angles to the normal part the cores
        lowest = min((corner @ normal for corner in first.vertices(720)), default=0.0)
        highest = max(corner @ normal for corner in second.vertices(720))
        assert lowest - highest >= apart - 1e-12 if "cylinder" not in (one, other) else lowest - highest >= apart - 1e-7


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_depth_of_cores_is_the_least_of_all_directions(one, other):
    if {one, other} <= {"sphere", "capsule", "triangle"}:
        return
    random = np.random.default_rng(len(one) + 10 * len(other) + 1)
    tolerance = 2e-4 if "cylinder" in (one, other) else 1e-9
    around = 48 if one == other == "cylinder" else 240
    tolerance = 2e-3 if around == 48 else tolerance
    for _case in range(6):
        first = SOLIDS[one].at(*random_pose(random, random.uniform(0.0, 0.3)))
        second = SOLIDS[other].at(*random_pose(random, 0.0))
        expected = depth(first, second, around)
        if expected > 1e-3:
            assert -parted(first, second)[0] == pytest.approx(expected, abs=tolerance)
