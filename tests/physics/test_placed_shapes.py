"""Shapes that are placed in one another: which are rejected, and how the others part."""

import copy

import numpy as np
import pytest

from engine import MassProperties, Snapshot, World, forces, joints, shapes
from engine.rotation import rotate

CUBE = MassProperties.box(2.0, (1.0, 1.0, 1.0))


def two(depth, shape=None, other=None, dt=1 / 60, **options):
    """Two bodies of 1 m along x that overlap by a depth."""
    world = World(dt)
    first = world.add_body(CUBE, name="first")
    second = world.add_body(CUBE, position=(1.0 - depth, 0.0, 0.0), name="second")
    first.add_shape(shape or shapes.Box((1.0, 1.0, 1.0)), name="hull")
    second.add_shape(other or shapes.Box((1.0, 1.0, 1.0)), name="cargo", **options)
    return world, first, second


@pytest.mark.parametrize(
    ("shape", "other"),
    [
        (shapes.Box((1.0, 1.0, 1.0)), shapes.Box((1.0, 1.0, 1.0))),
        (shapes.Sphere(0.5), shapes.Sphere(0.5)),
        (shapes.Sphere(0.5), shapes.Box((1.0, 1.0, 1.0))),
        (shapes.Capsule(0.5, 1.0), shapes.Sphere(0.5)),
        (shapes.Cylinder(0.5, 1.0), shapes.Box((1.0, 1.0, 1.0))),
        (shapes.ConvexHull(shapes.Box((1.0, 1.0, 1.0)).vertices), shapes.Capsule(0.5, 1.0)),
    ],
    ids=lambda shape: type(shape).__name__,
)
@pytest.mark.parametrize("is_exchanged", [False, True])
def test_shapes_deeper_than_half_their_least_extent_are_rejected(shape, other, is_exchanged):
    if is_exchanged:
        shape, other = other, shape
    world, first, second = two(0.51, shape, other)
    before = world.state_hash()
    named = r"'(hull|cargo)' of <Body '(first|second)'>>"
    rule = rf"{named} was placed 0\.51 m deep in .*{named}, and .* 0\.5 m; place"
    for _again in range(2):
        with pytest.raises(ValueError, match=rule):
            world.step(3)
        assert world.state_hash() == before and world.tick_count == 0
    second.position = (0.55, 0.0, 0.0)
    world.step(3)
    assert world.tick_count == 3
    less, _first, _second = two(0.49, shape, other)
    less.step()
    # of these, also a small one in a large one
    world.add_body(MassProperties.sphere(1.0, 0.1), position=first.position).add_shape(shapes.Sphere(0.1))
    with pytest.raises(ValueError, match=r"placed .* deep in .* 0\.1 m"):
        world.step()


def test_what_does_not_collide_in_the_first_tick_may_be_anywhere():
    ways = {
        "joint": lambda world, a, b: world.add_joint(joints.Weld(a, b, at_body=(0.5, 0.0, 0.0))),
        "pair": lambda world, a, b: world.ignore_pair(a, b),
        "layers": lambda world, a, b: setattr(a.shapes[0], "collides_with", (7,)),
        "group": lambda world, a, b: setattr(a, "collision_group", 3),
        "sensor": lambda world, a, b: setattr(a.shapes[0], "sensor", True),
        "first": lambda world, a, b: setattr(a.shapes[0], "allow_overlap", True),
        "second": lambda world, a, b: setattr(b.shapes[0], "allow_overlap", True),
    }
    for name, way in ways.items():
        world, first, second = two(0.9)
        way(world, first, second)
        world.step(2)
        assert world.tick_count == 2, name


def test_a_disabled_shape_is_checked_when_it_is_enabled():
    world, first, _second = two(0.9)
    first.shapes[0].enabled = False
    world.step(2)
    assert not first.shapes[0].allow_overlap
    first.shapes[0].enabled = True
    with pytest.raises(ValueError, match="was placed"):
        world.step()


CORNERS = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.4, 0.4) for z in (-0.45, 0.45)]
UPRIGHT = (0.0, 0.0, 0.0, 1.0)
HALVES = shapes.Compound([(shapes.Box((0.5, 1.0, 1.0)), (x, 0.0, 0.0), UPRIGHT) for x in (-0.25, 0.25)])
LAID = {
    "ball": (shapes.Sphere(0.5), 0.5),
    "box": (shapes.Box((1.0, 1.0, 1.0)), 0.5),
    "hull": (shapes.ConvexHull(CORNERS), 0.45),
    "capsule": (shapes.Capsule(0.3, 0.6), 0.6),
    "cylinder": (shapes.Cylinder(0.5, 1.0), 0.5),
    "compound": (HALVES, 0.5),
}
"""Shapes with their half heights."""
DEPTHS = (0.001, 0.05, 0.2, 0.4)


def gaps(depth, rate, ticks, dt):
    """The gap after each tick by ``gap + h min(rate |gap|, 1 m/s)``."""
    gap, passed = -depth, []
    for _ in range(ticks):
        gap += dt * min(-rate * gap, 1.0)
        passed.append(gap)
    return np.array(passed)


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("below", ["plane", "box", "body"])
def test_overlaps_part_by_the_closed_form_and_leave_no_velocity(below, friction):
    """At 12 times the overlap per second, and at most at 1 m/s: every shape on a plane, a box and one of its kind, askew in the world."""
    turn, dt = np.array((0.2, -0.3, 0.4, 0.8)) / np.linalg.norm((0.2, -0.3, 0.4, 0.8)), 1 / 60
    world, material, kinds = World(dt), shapes.Material(friction), {}
    for row, (name, (shape, half)) in enumerate(LAID.items()):
        for column, depth in enumerate(DEPTHS):
            place = (4.0 * row, 4.0 * column)

            def add(height, shape=shape, place=place):
                body = world.add_body(CUBE, position=rotate(turn, (*place, height)), orientation=turn)
                body.add_shape(shape, material=material, allow_overlap=True)
                return body

            kinds[name, depth] = (add(half - depth), half, add(-half) if below == "body" else None)
    if below == "plane":
        world.add_shape(shapes.Plane(), orientation=turn, material=material)
    elif below == "box":
        size, middle = (60.0, 60.0, 2.0), rotate(turn, (10.0, 6.0, -1.0))
        world.add_shape(shapes.Box(size), position=middle, orientation=turn, material=material)
    found, up = {key: [] for key in kinds}, rotate(turn, (0.0, 0.0, 1.0))
    for _ in range(60):
        world.step()
        for key, (body, half, other) in kinds.items():
            top = 0.0 if other is None else other.position @ up + half
            found[key].append(body.position @ up - half - top)
    for (name, depth), passed in found.items():
        assert passed == pytest.approx(gaps(depth, 12.0, 60, dt), abs=2e-8), (name, depth)
    assert {world.contacts.solver_of(body) for body in world.bodies} == {"direct"}
    assert max(np.abs((*body.velocity, *body.angular_velocity_world)).max() for body in world.bodies) < 2e-5


@pytest.mark.parametrize("name", ["ball", "box", "hull"])
def test_sweeps_part_overlaps_at_a_quarter_of_the_rate(name):
    """At three times the overlap per second, and at most at 1 m/s: forty bodies deep in one plate, which are one island."""
    world, dt = World(1 / 60), 1 / 60
    plate = world.add_body(MassProperties.box(1e9, (50.0, 50.0, 1.0)), position=(0.0, 0.0, -0.5))
    plate.add_shape(shapes.Box((50.0, 50.0, 1.0)), material=shapes.Material(0.0))
    (shape, half), bodies = LAID[name], []
    for number in range(40):
        place = (2.0 * (number % 8) - 8.0, 2.0 * (number // 8) - 8.0, half - DEPTHS[number % 4])
        bodies.append(world.add_body(CUBE, position=place))
        bodies[-1].add_shape(shape, material=shapes.Material(0.0), allow_overlap=True)
    found = []
    for _ in range(90):
        world.step()
        found.append([body.position[2] - half for body in bodies])
    assert world.contacts.solver_of(plate) == "sweeps"
    for number, passed in enumerate(np.array(found).T):
        assert passed == pytest.approx(gaps(DEPTHS[number % 4], 3.0, 90, dt), abs=1e-6)


def test_what_has_taken_a_tick_is_not_checked_again(tmp_path):
    world, first, second = two(0.4)
    world.step()
    first.shapes[0].allow_overlap = False  # as it is
    second.position = first.position  # poses that are assigned are not checked
    file = tmp_path / "scene.json"
    world.save(file)
    kept = world.snapshot()
    world.step()
    for other in (copy.deepcopy(world), world.fork(), World.load(file)):
        other.step()
    read = World(1 / 60)
    read.restore(Snapshot.from_bytes(kept.to_bytes()))
    read.step()
    fresh, *_bodies = two(0.6)
    for other in (copy.deepcopy(fresh), fresh.fork()):
        with pytest.raises(ValueError, match="was placed"):
            other.step()


def test_one_of_two_shapes_allows_an_overlap_for_the_next_tick():
    """Either of two, and also one with which ticks have been taken; afterwards, what is new is checked again."""
    world, hull, cargo = two(0.4)
    world.step()

    def add(allows):
        body = world.add_body(CUBE, position=hull.position - (0.1, 0.0, 0.0))
        return body.add_shape(shapes.Box((1.0, 1.0, 1.0)), name="crate", allow_overlap=allows)

    crate = add(True)
    assert crate.allow_overlap and not hull.shapes[0].allow_overlap
    world.step()
    assert not crate.allow_overlap and not hull.shapes[0].allow_overlap
    last = add(False)
    for handle in (hull.shapes[0], crate):
        handle.allow_overlap = True
    last.body.position = cargo.position
    with pytest.raises(ValueError, match=r"give allow_overlap=True to one of them"):
        world.step()
    cargo.shapes[0].allow_overlap = True
    kept = world.snapshot()
    world.step()
    assert not any(handle.allow_overlap for handle in world.shapes)
    other = World(1 / 60)
    other.restore(Snapshot.from_bytes(kept.to_bytes()))
    assert [shape.allow_overlap for shape in other.shapes] == [True, True, True, False]
    other.step()
    assert other.state_hash() == world.state_hash()
    other.shapes[0].allow_overlap = True
    other.shapes[0].allow_overlap = False
    assert not other.shapes[0].allow_overlap


def test_a_tick_with_callbacks_is_rejected_as_a_whole():
    world, first, second = two(0.1)
    world.step()

    def add(world):
        first.velocity = (0.0, 3.0, 0.0)
        world.add_body(CUBE, position=second.position).add_shape(shapes.Box((1.0, 1.0, 1.0)))

    world.on_tick(add)
    before = world.state_hash()
    with pytest.raises(ValueError, match="was placed"):
        world.step()
    world.remove_callback(add)
    assert world.state_hash() == before and len(world.bodies) == 2
    world.step()


@pytest.mark.parametrize("friction", [0.0, 0.4])
@pytest.mark.parametrize("depth", [1e-3, 0.1, 2.0])
@pytest.mark.parametrize("shape", [shapes.Sphere(0.3), shapes.Box((0.6, 0.6, 0.6))], ids=["sphere", "box"])
def test_what_rebounds_within_something_does_not_leave_it_at_once(shape, depth, friction):
    """It has the speed of its rebound, and its overlap goes on from where it is."""
    material, dt = shapes.Material(friction, 0.6), 1 / 60
    world = World(dt)
    world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
    world.add_shape(shapes.Plane((0.0, 0.0, 1.0)), material=material)
    body = world.add_body(MassProperties.sphere(2.0, 0.3), position=(0.0, 0.0, 0.3 - depth), velocity=(0.0, 0.0, -2.0))
    body.add_shape(shape, material=material, allow_overlap=True)
    world.step()
    # with friction, the rebound begins at the end of the tick
    moved = dt * min(12.0 * depth, 1.0) if friction else 1.2 * dt - 0.5 * 9.81 * dt * dt
    left = 1.2 - (0.0 if friction else 9.81 * dt)
    assert body.position[2] == pytest.approx(0.3 - depth + moved, abs=1e-6)
    assert body.velocity[2] == pytest.approx(left, abs=1e-6)
