"""Shapes that are placed in one another: which are rejected, and how the others part."""

import copy

import numpy as np
import pytest

from engine import MassProperties, Snapshot, World, joints, shapes

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


def test_overlaps_that_are_allowed_part_at_a_metre_per_second():
    world, first, second = two(0.8, allow_overlap=True)
    start = second.position - first.position
    for tick in range(1, 25):
        world.step()
        assert (second.position - first.position)[0] - start[0] == pytest.approx(tick / 60, abs=1e-7)
        assert np.abs(world.linear_momentum()).max() < 1e-13
    world.step(240)
    assert (second.position - first.position)[0] == pytest.approx(1.0, abs=1e-4)
    assert max(np.abs(body.velocity).max() for body in world.bodies) < 1e-4


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
