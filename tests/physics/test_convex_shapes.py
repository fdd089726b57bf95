"""Capsules, cylinders and convex hulls that touch: closed forms, equal shapes, and what is kept of a world."""

import gc
from pathlib import Path

import numpy as np
import pytest

from engine import MassProperties, Snapshot, World, forces, shapes
from engine.rotation import multiply

from ..lengths import sized
from ..plain_python import in_plain_python

ROOT = Path(__file__).parents[2]
G = 9.81
CUBE = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
LYING = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))
"""Turns z to -y."""


def ground(gravity=(0.0, 0.0, -G), friction=0.5, shape=None, dt=1 / 60, **options):
    world = World(dt, **options)
    world.add_force(forces.UniformGravity(gravity))
    world.add_shape(shapes.Plane((0.0, 0.0, 1.0)) if shape is None else shape, material=shapes.Material(friction))
    return world


def add(world, shape, mass, friction=0.5, **pose):
    body = world.add_body(mass, **pose)
    body.add_shape(shape, material=shapes.Material(friction))
    return body


@pytest.mark.parametrize(
    ("shape", "mass", "turn", "height"),
    [
        (shapes.Capsule(0.3, 0.8), MassProperties.capsule(2.0, 0.3, 0.8), LYING, 0.3),
        (shapes.Cylinder(0.4, 1.0), MassProperties.cylinder(2.0, 0.4, 1.0), (0, 0, 0, 1), 0.5),
        (shapes.Cylinder(0.4, 1.0), MassProperties.cylinder(2.0, 0.4, 1.0), LYING, 0.4),
        (shapes.ConvexHull(CUBE), MassProperties.box(2.0, (1, 1, 1)), (0, 0, 0, 1), 0.5),
    ],
    ids=["lying capsule", "standing cylinder", "lying cylinder", "hull"],
)
@pytest.mark.parametrize("below", [None, shapes.Box((8.0, 8.0, 2.0))], ids=["plane", "box"])
def test_shapes_fall_and_rest_where_they_should(shape, mass, turn, height, below):
    world = ground(shape=below)
    top = 0.0 if below is None else 1.0
    body = add(world, shape, mass, position=(0.1, 0.2, top + height + 0.1), orientation=turn)
    world.step(120)
    assert body.position == pytest.approx((0.1, 0.2, top + height), abs=1e-7)
    assert np.abs(body.velocity).max() < 1e-7
    assert body.contact_force_world == pytest.approx((0.0, 0.0, 2.0 * G), abs=1e-4)


@pytest.mark.parametrize("below", [None, shapes.Box((40.0, 40.0, 2.0))], ids=["plane", "box"])
def test_a_cylinder_that_slides_comes_to_roll_at_two_thirds_of_its_speed(below):
    """With I = m r²/2 the angular momentum about a point of the ground is kept, m v0 r = m v r + I v/r."""
    world = ground(shape=below)
    top = 0.0 if below is None else 1.0
    mass = MassProperties.cylinder(2.0, 0.4, 1.0)
    body = add(
        world, shapes.Cylinder(0.4, 1.0), mass, position=(0, 0, top + 0.4), orientation=LYING, velocity=(3, 0, 0)
    )
    world.step(120)
    assert body.velocity == pytest.approx((2.0, 0.0, 0.0), abs=1e-5)
    assert body.angular_velocity_world == pytest.approx((0.0, 2.0 / 0.4, 0.0), abs=3e-5)
    assert body.position[2] == pytest.approx(top + 0.4, abs=1e-7)


def test_a_cylinder_rolls_down_a_slope_with_two_thirds_of_the_acceleration():
    slope = 0.3
    world = ground(gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
    mass = MassProperties.cylinder(2.0, 0.4, 1.0)
    body = add(world, shapes.Cylinder(0.4, 1.0), mass, position=(0, 0, 0.4), orientation=LYING)
    world.step(60)
    assert body.velocity[0] == pytest.approx(2.0 / 3.0 * G * np.sin(slope), rel=1e-6)
    assert body.position[0] == pytest.approx(1.0 / 3.0 * G * np.sin(slope), rel=1e-4)


def test_a_hull_of_the_corners_of_a_box_moves_as_the_box_does():
    ends = []
    for shape in (shapes.Box((1.0, 1.0, 1.0)), shapes.ConvexHull(CUBE)):
        world = ground()
        turn = np.array((0.1, 0.3, -0.2, 0.9))
        pose = {"position": (0.0, 0.0, 1.2), "orientation": turn / np.linalg.norm(turn), "velocity": (0.5, 0.2, 0.0)}
        body = add(world, shape, MassProperties.box(2.0, (1, 1, 1)), **pose)
        world.step(40)
        ends.append((body.position, body.orientation))
    assert ends[1][0] == pytest.approx(ends[0][0], abs=1e-9)
    assert ends[1][1] == pytest.approx(ends[0][1], abs=1e-9)


def test_hulls_stand_on_each_other():
    world = ground()
    bodies = [
        add(world, shapes.ConvexHull(CUBE), MassProperties.box(2.0, (1, 1, 1)), position=(0.05 * n, 0.0, 0.5 + n))
        for n in range(5)
    ]
    world.step(120)
    for number, body in enumerate(bodies):
        assert body.position == pytest.approx((0.05 * number, 0.0, 0.5 + number), abs=1e-6)


def tumbled(ticks=40, **options):
    """One of each shape, which fall on each other."""
    world, random = ground(**options), np.random.default_rng(4)
    kinds = (
        (shapes.Capsule(0.3, 0.6), MassProperties.capsule(2.0, 0.3, 0.6)),
        (shapes.ConvexHull(np.random.default_rng(2).normal(size=(20, 3)) * 0.4), MassProperties.sphere(2.0, 0.4)),
        (shapes.Cylinder(0.4, 0.8), MassProperties.cylinder(2.0, 0.4, 0.8)),
        (shapes.Box((0.6, 0.7, 0.8)), MassProperties.box(2.0, (0.6, 0.7, 0.8))),
        (shapes.Sphere(0.4), MassProperties.sphere(2.0, 0.4)),
    )
    for number, (shape, mass) in enumerate(kinds):
        turn, place = random.normal(size=4), (*random.uniform(-0.2, 0.2, 2), 0.6 + 0.7 * number)
        add(world, shape, mass, position=place, orientation=turn / np.linalg.norm(turn))
    world.step(ticks)
    return world


def bits():
    return f"{tumbled(sized(6, 30), compilation='wait').state_hash():x}"


def test_plain_python_has_the_same_bits():
    assert in_plain_python(bits) == bits()


def test_files_snapshots_and_forks_go_on_with_the_same_bits(tmp_path):
    world = tumbled(35)
    world.save(tmp_path / "world.json")
    kept, read, forked = world.snapshot(), World.load(tmp_path / "world.json"), world.fork()
    world.step(20)
    end = world.state_hash()
    for other in (read, forked):
        other.step(20)
        assert other.state_hash() == end
    world.restore(Snapshot.from_bytes(kept.to_bytes()))
    world.step(20)
    assert world.state_hash() == end


def test_hulls_of_the_same_extents_have_different_hashes_and_share_their_points():
    worlds = []
    for corner in (0.0, 0.1):
        world = ground()
        hull = shapes.ConvexHull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (corner, 0.9, 0.9)])
        for number in range(10):
            add(world, hull, MassProperties.sphere(1.0, 0.5), position=(3.0 * number, 0.0, 1.0))
        world.step()
        assert world._joints.contacts._narrow[1].shape[1] == len(hull._placed_points[1].columns[0])
        worlds.append(world)
    assert worlds[0].state_hash() != worlds[1].state_hash()


@pytest.mark.parametrize(
    ("points", "rule"),
    [
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], "not all in a plane"),
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0)], "from 4 to 256 points"),
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)], "points that all differ"),
        (np.random.default_rng(1).normal(size=(257, 3)), "from 4 to 256 points"),
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, np.nan)], "finite"),
    ],
)
def test_points_without_a_hull_are_rejected(points, rule):
    with pytest.raises(ValueError, match=rule) as caught:
        shapes.ConvexHull(points)
    assert "shapes.ConvexHull" in str(caught.value) and "points" in str(caught.value)


def test_a_compound_of_hulls_and_capsules_touches_with_all_its_parts():
    parts = [
        (shapes.ConvexHull(CUBE), (0.0, 0.0, 0.0), (0, 0, 0, 1)),
        (shapes.Capsule(0.25, 1.0), (2.0, 0.0, -0.25), multiply((0, np.sqrt(0.5), 0, np.sqrt(0.5)), (0, 0, 0, 1))),
    ]
    world = ground()
    body = add(world, shapes.Compound(parts), MassProperties.box(2.0, (3, 1, 1)), position=(0, 0, 0.6))
    world.step(120)
    assert body.position[2] == pytest.approx(0.5, abs=1e-6)
    assert len(world.contacts) == 6


@pytest.mark.parametrize("is_ground", [False, True], ids=["hull", "field"])
def test_a_shape_that_goes_leaves_the_points_of_an_equal_one(is_ground):
    """Rows name points by their content."""

    def made():
        if is_ground:
            return shapes.HeightField(np.zeros((3, 3)), 2.0)
        return shapes.ConvexHull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])

    def rest(has_equal):
        world = World(1 / 60)
        body = world.add_body(MassProperties.sphere(1.0, 0.5), position=(0.0, 0.0, 0.6))
        body.add_shape(shapes.Sphere(0.5))
        world.add_shape(made())
        if has_equal:
            other = World(1 / 60)
            other.add_shape(made())
            del other
            gc.collect()
        world.step(3)
        return world.state_hash()

    assert rest(True) == rest(False)
