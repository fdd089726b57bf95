"""The points at which two convex shapes touch: distances, surfaces, faces that lie on each other, small changes and thin shapes."""

import itertools

import numpy as np
import pytest

from engine import MassProperties, World, shapes
from engine.collision import cores
from engine.constraints.layout import BY_BODY, BY_OTHER
from engine.rotation import multiply

from .placing import Solid, Touch, depth, distance
from .test_parting import PAIRS, SOLIDS, random_pose

Z = (0.0, 0.0, 1.0)


def turned(angle, axis):
    axis = np.array(axis, float) / np.linalg.norm(axis)
    return (*(np.sin(angle / 2) * axis), np.cos(angle / 2))


def is_inside(solid, at, tolerance):
    """Whether a point is in a solid or within a tolerance of it."""
    x, y, z = (at - solid.position) @ solid.axes.T
    a, _b, c = solid.size
    if solid.kind == cores.POINT:
        return np.linalg.norm((x, y, z)) <= solid.radius + tolerance
    if solid.kind == cores.SEGMENT:
        return np.linalg.norm((x, y, z - np.clip(z, -c, c))) <= solid.radius + tolerance
    if solid.kind == cores.CYLINDER:
        return np.hypot(x, y) <= a + tolerance and abs(z) <= c + tolerance
    if solid.kind == cores.BOX_CORE:
        return (np.abs((x, y, z)) <= solid.size + tolerance).all()
    if solid.kind == cores.HULL:
        return (solid.hull.normals @ (x, y, z) <= solid.hull.offsets + tolerance).all()
    p, q, r = solid.corners
    normal = np.cross(q - p, r - p)
    sides = [np.cross(one - two, normal) @ (np.array((x, y, z)) - one) for one, two in ((p, q), (q, r), (r, p))]
    height = normal @ (np.array((x, y, z)) - p) / np.linalg.norm(normal)
    return abs(height) <= tolerance and min(sides) >= -tolerance


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_the_least_gap_is_the_distance(one, other):
    random = np.random.default_rng(len(one) + 10 * len(other) + 2)
    tried = 0
    while tried < 8:
        first = SOLIDS[one].at(*random_pose(random, random.uniform(0.5, 2.0)))
        second = SOLIDS[other].at(*random_pose(random, 0.2))
        expected = distance(first, second)
        if expected + first.radius + second.radius < 1e-3:
            continue
        tried += 1
        touch = Touch(first, second, 5.0)
        touch.check()
        assert touch.gaps.min() == pytest.approx(expected, abs=3e-5)
        deepest = int(np.argmin(touch.gaps))
        for solid, surface in zip((first, second), touch.surface, strict=True):
            assert is_inside(solid, surface[deepest], 3e-4)
        swapped = Touch(second, first, 5.0)
        assert swapped.gaps.min() == pytest.approx(touch.gaps.min(), abs=3e-5)
        assert Touch(first, second, expected - 1e-4).count == 0


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_small_changes_of_the_pose_change_the_gap_little(one, other):
    """A shift by a nanometre changes the gap by no more than that, wherever the shapes are near each other."""
    random = np.random.default_rng(len(one) + 10 * len(other) + 3)
    for _case in range(6):
        place, turn = random_pose(random, random.uniform(0.3, 1.0))
        first, second = SOLIDS[one].at(place, turn), SOLIDS[other].at(*random_pose(random, 0.1))
        for _again in range(4):
            shifted = first.at(place + random.normal(size=3) * 1e-9, turn + random.normal(size=4) * 1e-9)
            before, after = Touch(first, second, 3.0), Touch(shifted, second, 3.0)
            assert after.gaps.min() == pytest.approx(before.gaps.min(), abs=2e-8)
            nearest, again = before.normals[np.argmin(before.gaps)], after.normals[np.argmin(after.gaps)]
            assert again == pytest.approx(nearest, abs=1e-4) or abs(before.gaps.min()) < 1e-5


FLAT = {
    "box on box": ("box", "box", 4),
    "hull on box": ("slab", "box", 4),
    "cylinder on box": ("cylinder", "box", 4),
    "cylinder on cylinder": ("cylinder", "cylinder", 4),
    "cylinder on hull": ("cylinder", "slab", 4),
    "triangle on box": ("flat", "box", 3),
    "hull on hull": ("slab", "slab", 4),
}
SOLIDS_ON = {
    **SOLIDS,
    "slab": Solid(
        cores.HULL, corners=[(x * (1 - 0.2 * z), y, 0.4 * z) for x in (-1, 1) for y in (-0.8, 0.8) for z in (-1, 1)]
    ),
    "flat": Solid(cores.TRIANGLE, corners=[(0.2, 0.0, 0.0), (-0.1, 0.2, 0.0), (-0.1, -0.2, 0.0)]),
}


def height_of(name):
    solid = SOLIDS_ON[name]
    return -solid.vertices(8)[:, 2].min(), solid.vertices(8)[:, 2].max()


@pytest.mark.parametrize("gap", [1e-3, 1e-8, 0.0, -1e-9, -1e-4, -0.01])
@pytest.mark.parametrize("name", FLAT)
def test_a_face_on_a_face_touches_at_its_corners(name, gap):
    one, other, count = FLAT[name]
    below, above = height_of(one)[0], height_of(other)[1]
    first = SOLIDS_ON[one].at((0.05, 0.03, below + above + gap), turned(0.3, Z))
    second = SOLIDS_ON[other].at((0.0, 0.0, 0.0), (0, 0, 0, 1))
    for pair, sign in (((first, second), 1.0), ((second, first), -1.0)):
        touch = Touch(*pair, 0.02)
        touch.check()
        assert touch.count == count
        assert touch.gaps == pytest.approx(np.full(count, gap), abs=1e-12)
        assert touch.normals == pytest.approx(np.tile((0.0, 0.0, sign), (count, 1)), abs=1e-12)
        # the points surround what carries the shape
        corners = touch.surface[0][:, :2]
        angles = np.sort(np.arctan2(*(corners - corners.mean(axis=0)).T))
        assert np.diff(angles, append=angles[0] + 2 * np.pi).max() < np.pi


LYING = {
    "capsule on box": ("capsule", "box", 0.3),
    "cylinder on box": ("cylinder", "box", 0.4),
    "capsule on hull": ("capsule", "slab", 0.3),
    "capsule on cylinder": ("capsule", "cylinder", 0.3),
    "cylinder on triangle": ("cylinder", "flat", 0.4),
    "capsule on triangle": ("capsule", "flat", 0.3),
}


@pytest.mark.parametrize("gap", [1e-3, 0.0, -1e-9, -0.01])
@pytest.mark.parametrize("name", LYING)
def test_a_line_on_a_face_touches_at_two_points_of_a_round_core(name, gap):
    one, other, radius = LYING[name]
    turn = multiply(turned(0.4, Z), turned(np.pi / 2, (1.0, 0.0, 0.0)))
    first = SOLIDS_ON[one].at((0.02, 0.0, height_of(other)[1] + radius + gap), turn)
    second = SOLIDS_ON[other].at((0.0, 0.0, 0.0), (0, 0, 0, 1))
    touch = Touch(first, second, 0.02)
    touch.check()
    assert touch.count == 2
    assert touch.gaps == pytest.approx([gap, gap], abs=1e-12)
    assert touch.radii[:, 0] == pytest.approx([radius, radius], abs=1e-12)
    assert (touch.turns_with == BY_OTHER).all()
    assert np.linalg.norm(touch.on_first[0] - touch.on_first[1]) > 0.2
    swapped = Touch(second, first, 0.02)
    assert swapped.count == 2 and (swapped.turns_with == BY_BODY).all()
    assert swapped.on_second == pytest.approx(touch.on_first, abs=1e-12)


@pytest.mark.parametrize(("one", "other"), [("capsule", "capsule"), ("cylinder", "cylinder"), ("capsule", "cylinder")])
def test_parallel_lines_touch_over_their_common_length(one, other):
    turn = turned(np.pi / 2, (1.0, 0.0, 0.0))
    radius = sum(SOLIDS[name].radius or SOLIDS[name].size[0] for name in (one, other))
    first = SOLIDS[one].at((0.0, 0.6, radius + 1e-4), turn)
    second = SOLIDS[other].at((0.0, 0.0, 0.0), turn)
    touch = Touch(first, second, 0.01)
    touch.check()
    assert touch.count == 2
    assert np.sort(touch.on_first[:, 1]) == pytest.approx([0.1, 0.5], abs=1e-12)
    assert touch.gaps == pytest.approx([1e-4, 1e-4], abs=1e-12)


def test_crossing_capsules_touch_at_one_point_and_overlap_by_their_radii():
    capsule = SOLIDS["capsule"]
    for height in (0.5, 1e-3, 1e-9, 0.0):
        first = capsule.at((0.1, 0.0, height), turned(np.pi / 2, (0.0, 1.0, 0.0)))
        second = capsule.at((0.0, 0.1, 0.0), turned(np.pi / 2, (1.0, 0.0, 0.0)))
        touch = Touch(first, second, 0.1)
        assert touch.count == 1
        assert touch.gaps[0] == pytest.approx(height - 0.6, abs=1e-12)
        assert abs(touch.normals[0, 2]) == pytest.approx(1.0, abs=1e-12)


def test_a_tilted_cylinder_touches_with_the_deepest_point_of_its_rim():
    second = SOLIDS["box"].at((0.0, 0.0, 0.0), (0, 0, 0, 1))
    for tilt in (1e-5, 0.01, 0.3, 1.2):
        lowest = 0.5 * np.cos(tilt) + 0.4 * np.sin(tilt)
        first = SOLIDS["cylinder"].at(
            (0.1 if tilt < 1.0 else 0.0, 0.0, 0.4 + lowest + 1e-3), turned(tilt, (0.3, 1.0, 0.0))
        )
        touch = Touch(first, second, 2e-3)
        touch.check()
        assert touch.gaps.min() == pytest.approx(1e-3, abs=1e-12)


@pytest.mark.parametrize(
    ("one", "other"),
    list(itertools.product(["plate", "rod", "leaf"], ["box", "plate", "rod", "leaf", "hull", "cylinder"])),
)
def test_shapes_ten_thousand_times_thinner_than_long_touch_where_they_should(one, other):
    """Distances of thin shapes agree with quadratic programming, and their depths with the difference of their corners."""
    thin = {
        **SOLIDS_ON,
        "plate": Solid(cores.BOX_CORE, (0.5, 0.5, 5e-5)),
        "rod": Solid(cores.SEGMENT, (0.0, 0.0, 0.5), 5e-5),
        "leaf": Solid(
            cores.HULL, corners=[(x, y, z * 5e-5) for x in (-0.5, 0.5) for y in (-0.4, 0.5) for z in (-1, 1)]
        ),
    }
    random = np.random.default_rng(len(one) + 7 * len(other))
    tried = 0
    while tried < 5:
        first = thin[one].at(*random_pose(random, random.uniform(0.2, 1.0)))
        second = thin[other].at(*random_pose(random, 0.1))
        expected = distance(first, second)
        if expected < 1e-3:
            if "cylinder" in (one, other) or first.radius + second.radius > 0.0:
                continue
            expected = -depth(first, second)
            if expected > -1e-6:
                continue
        tried += 1
        touch = Touch(first, second, 5.0)
        assert touch.gaps.min() == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("tilt", [(1e-10, 0.0), (-1e-10, 0.0), (0.0, 1e-10), (0.0, -1e-10), (1e-10, 1e-10)])
def test_which_corners_are_kept_does_not_depend_on_rounding(tilt):
    """A box on a box, turned by 0.6 rad, has eight corners that are equally deep; impulses are found again only at the points of before."""

    def points(tilt):
        world = World(dt=1 / 60)
        world.add_shape(shapes.Box((1.0, 1.0, 1.0)))
        turn = (0.5 * tilt[0], 0.5 * tilt[1], np.sin(0.3), np.cos(0.3))
        box = world.add_body(MassProperties.box(2.0, (1.0, 1.0, 1.0)), position=(0.0, 0.0, 1.0), orientation=turn)
        box.add_shape(shapes.Box((1.0, 1.0, 1.0)))
        world.step()
        return world.contacts.point_world

    kept = points((0.0, 0.0))
    assert kept.shape == (4, 3)
    np.testing.assert_allclose(points(tilt), kept, rtol=0.0, atol=1e-8)


def test_a_plane_touches_the_corners_ends_and_rims_of_shapes():
    foot, normal = (0.0, 0.0, 0.1), (0.0, 0.0, 1.0)
    lying = turned(np.pi / 2, (1.0, 0.3, 0.0))
    cases = (
        ("capsule", lying, 0.3, 2, 0.3),
        ("capsule", (0, 0, 0, 1), 0.8, 1, 0.3),
        ("cylinder", lying, 0.4, 2, 0.4),
        ("cylinder", (0, 0, 0, 1), 0.5, 4, 0.0),
        ("slab", turned(0.2, Z), 0.4, 4, 0.0),
    )
    for name, turn, height, count, radius in cases:
        for gap in (1e-3, 0.0, -0.01):
            touch = Touch.of_plane(SOLIDS_ON[name].at((0.0, 0.0, 0.1 + height + gap), turn), foot, normal, 0.02)
            touch.check()
            assert touch.count == count, name
            assert touch.gaps == pytest.approx(np.full(count, gap), abs=1e-12)
            assert touch.radii[:, 0] == pytest.approx(np.full(count, radius), abs=1e-9)


def test_compiled_kernels_and_plain_python_find_the_same_bits():
    random = np.random.default_rng(8)
    for one, other in PAIRS:
        for _case in range(2):
            pair = (
                SOLIDS[one].at(*random_pose(random, random.uniform(0.1, 0.9))),
                SOLIDS[other].at(*random_pose(random, 0.1)),
            )
            compiled, in_python = Touch(*pair, 0.5), Touch(*pair, 0.5, is_plain=True)
            assert compiled.count == in_python.count
            assert compiled.found[: compiled.count].tobytes() == in_python.found[: compiled.count].tobytes()
