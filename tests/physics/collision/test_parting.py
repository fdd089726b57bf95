"""The distance and the depth of convex cores, against quadratic programming and the difference of their corners."""

import itertools

import numpy as np
import pytest

from engine.collision import cores

from ...lengths import sized
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


def reach(solid, direction):
    """How far a core reaches along a direction."""
    x, y, z = solid.axes @ direction
    a, b, c = solid.size
    if solid.kind == cores.CYLINDER:
        own = a * np.hypot(x, y) + c * abs(z)
    elif solid.kind in (cores.HULL, cores.TRIANGLE):
        own = (solid.corners @ (x, y, z)).max()
    else:
        own = a * abs(x) + b * abs(y) + c * abs(z)
    return own + direction @ solid.position


RANDOM_THIN = {
    "box": lambda sizes: Solid(cores.BOX_CORE, sizes),
    "cylinder": lambda sizes: Solid(cores.CYLINDER, (sizes[0], 0.0, sizes[2])),
    "hull": lambda sizes: Solid(cores.HULL, corners=CORNERS * sizes),
    "ball": lambda sizes: Solid(cores.POINT, radius=0.5),
}
TURNED = [(0, 0, 0, 1), (1, 0, 0, 1e-9), (0, 0, 1, 1), (np.sin(np.pi / 8), 0, 0, np.cos(np.pi / 8)), (1e-9, 0, 0, 1)]


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations_with_replacement(RANDOM_THIN, 2)))
@pytest.mark.parametrize("is_deep", [False, True])
def test_overlapping_cores_are_apart_after_they_have_moved_by_the_depth(one, other, is_deep):
    """Thin ones as well (1e-4 : 1), turned by nothing, by 45 or 90 degrees or nearly so, which only touch or have one middle."""
    random = np.random.default_rng(10 * len(one) + len(other))
    for _case in range(sized(15, 40)):
        pair = [RANDOM_THIN[name](0.5 * 10.0 ** random.uniform(-4.0, 0.0, 3)) for name in (one, other)]
        turns = [TURNED[random.integers(5)] if random.random() < 0.6 else random.normal(size=4) for _each in pair]
        first, second = pair[0].at((0, 0, 0), turns[0]), pair[1].at(random.normal(size=3) * 3.0, turns[1])
        if is_deep:
            second = second.at(random.choice([0.0, 1e-9, 1e-4]) * random.normal(size=3), turns[1])
        else:
            apart, normal, _at, _other_at = parted(first, second)
            if apart <= 0.0:
                continue
            # from where they touch
            second = second.at(second.position + (apart + 10.0 ** random.uniform(-9.0, -5.0)) * normal, turns[1])
        apart, normal, _at, _other_at = parted(first, second)
        if apart > 0.0:
            continue
        gap = -reach(first, -normal) - reach(second, normal)
        assert gap == pytest.approx(apart, abs=3e-10), (pair[0].size, pair[1].size, turns)
        assert parted(second, first)[0] == pytest.approx(apart, abs=5e-9 if is_deep else 1e-9)


def test_the_middle_of_a_ball_on_the_diagonal_of_a_cylinder_is_as_deep_from_both_sides():
    """Here the polytope has no more room; the depth used to be 0.04 or 0.5 then."""
    ball = Solid(cores.POINT, radius=0.5, position=(1.0 / 6.0, -6.2e-9, -1.0 / 6.0 + 2e-9))
    cylinder = Solid(cores.CYLINDER, (0.5, 0.0, 0.5))
    for pair in ((cylinder, ball), (ball, cylinder)):
        assert parted(*pair)[0] == pytest.approx(-1.0 / 3.0, abs=1e-8)


def out_of(solid, point):
    """How far a point is outside the surface of a core; negative inside."""
    local = solid.axes @ (point - solid.position)
    if solid.kind == cores.CYLINDER:
        return max(np.hypot(*local[:2]) - solid.size[0], abs(local[2]) - solid.size[2])
    if solid.kind == cores.BOX_CORE:
        return float(np.max(np.abs(local) - solid.size))
    if solid.kind == cores.SEGMENT:
        return max(np.hypot(*local[:2]), abs(local[2]) - solid.size[2])
    return float(np.linalg.norm(local))


@pytest.mark.parametrize("other", ["cylinder", "ball", "capsule", "box"])
def test_cores_deep_in_a_cylinder_have_one_depth_from_both_sides_and_points_on_both_surfaces(other):
    """Where the middles are near each other, many directions are nearly as deep, and the polytope has no more room."""
    random, parts = np.random.default_rng(7), {**RANDOM_THIN, "capsule": lambda sizes: SOLIDS["capsule"]}
    tried = 0
    while tried < 150:
        pair = [parts[name](0.5 * 10.0 ** random.uniform(-1.5, 0.0, 3)) for name in ("cylinder", other)]
        turns = [TURNED[random.integers(5)] if random.random() < 0.5 else random.normal(size=4) for _each in pair]
        place = random.choice([0.0, 1e-9, 1e-4, 1e-2, 0.1, 0.3]) * random.normal(size=3)
        first, second = pair[0].at((0, 0, 0), turns[0]), pair[1].at(place, turns[1])
        apart, normal, at, other_at = parted(first, second)
        if apart > -1e-6:
            continue
        tried += 1
        assert -reach(first, -normal) - reach(second, normal) == pytest.approx(apart, abs=1e-9)
        assert parted(second, first)[0] == pytest.approx(apart, abs=5e-9)
        assert [out_of(first, at), out_of(second, other_at)] == pytest.approx([0.0, 0.0], abs=1e-6)
        assert at - other_at == pytest.approx(apart * normal, abs=1e-6)


def test_a_hull_that_touches_the_end_of_a_cylinder_is_parted_along_its_axis():
    """Faces of the polytope in other planes are as near where cores only touch, and are not faces of the difference."""
    low = [
        (-1.5, -1.5, -1.5),
        (-1.5, -1.5, -0.5),
        (-1.5, -0.5, 0.5),
        (-1.5, 1.5, -1.5),
        (-0.5, 1.5, -1.5),
        (1.5, 1.5, -1.5),
    ]
    high = [(-1.5, 1.5, 1.5), (-0.5, 0.5, 1.5), (0.5, -1.5, 1.5), (0.5, -0.5, 0.5), (1.5, -0.5, 0.5), (1.5, 0.5, 1.5)]
    turn = (-6.180199385655702e-10, -3.1475982452914326e-10, 2.389533504931333e-9, 1.0)
    hull = Solid(cores.HULL, corners=sorted(low + high), turn=turn)
    place = (1.196780606533152, -1.2244727762297316, 2.000000001068806)
    apart, normal, _at, _other_at = parted(hull, Solid(cores.CYLINDER, (0.5, 0.0, 0.5), position=place))
    assert -1e-9 < apart < 0.0
    assert -reach(hull, -normal) - reach(Solid(cores.CYLINDER, (0.5, 0.0, 0.5), position=place), normal) > -2e-9


@pytest.mark.parametrize("gap", [1e-9, 0.0, -1e-12])
def test_cylinders_whose_rims_meet_are_nearest_where_they_meet(gap):
    """One stands on the other, and the discs that touch have 1e-9 m of their radii in common."""
    random = np.random.default_rng(7)
    cylinder = Solid(cores.CYLINDER, (0.5, 0.0, 0.5))
    for _case in range(20):
        place, turn = random_pose(random, 1.0)
        turn /= np.linalg.norm(turn)
        first = cylinder.at(place, turn)
        across, axis = first.axes[0], first.axes[2]
        apart, normal, at, other_at = parted(
            first, cylinder.at(place + (1.0 - 1e-9) * across + (1.0 + gap) * axis, turn)
        )
        assert apart == pytest.approx(gap, abs=1e-14) and normal == pytest.approx(-axis, abs=1e-6)
        # of discs that hardly overlap, all is between two points 6e-5 m apart
        assert at == pytest.approx(place + 0.5 * across + 0.5 * axis, abs=5e-5)
        assert other_at == pytest.approx(at, abs=1e-5)
