"""Members whose bodies touch each other and the ground: each has the bits of a world alone, and touches no other member."""

import numpy as np
import pytest

from engine import MassProperties, World, forces, shapes
from engine.batch import Batch
from engine.tick.contacts import Contacts

from ..plain_python import in_plain_python
from . import templates

COUNT = 6


def new_world(method="rk4-body-rates"):
    """A box with a compound of two spheres on it, a hull that leans on a step of the world, a ball of another group, and a sensor."""
    world = World(dt=1 / 100, integrator=method)
    world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
    world.add_shape(shapes.Plane())
    box = world.add_body(MassProperties.box(2.0, (1.0, 1.0, 1.0)), name="box", position=(0, 0, 0.55))
    box.add_shape(shapes.Box((1.0, 1.0, 1.0)))
    pair = world.add_body(MassProperties.box(1.0, (0.9, 0.5, 0.5)), name="pair", position=(0.1, 0.0, 1.35))
    ball = shapes.Sphere(0.25)
    pair.add_shape(shapes.Compound([(ball, (x, 0.0, 0.0), (0, 0, 0, 1)) for x in (-0.2, 0.2)]))
    world.add_shape(shapes.Box((0.4, 0.4, 0.4)), position=(3.0, 0.0, 0.2))
    wedge = world.add_body(MassProperties.box(1.5, (0.6, 0.6, 0.6)), name="wedge", position=(2.9, 0.1, 0.75))
    corners = np.array([(x, y, z) for x in (-0.3, 0.3) for y in (-0.3, 0.3) for z in (-0.3, 0.3)])
    wedge.add_shape(shapes.ConvexHull(corners))
    ghost = world.add_body(MassProperties.sphere(1.0, 0.3), name="ghost", position=(0.0, 0.2, 0.3))
    ghost.collision_group = 7
    ghost.add_shape(shapes.Sphere(0.3))
    world.ignore_pair(box, wedge)
    return world


def set_alone(world, numbers, member):
    world.body("box").velocity, world.body("wedge").velocity = numbers[member, :3], numbers[member, 3:]


def set_in(batch, template, numbers):
    batch[template.body("box")].velocity, batch[template.body("wedge")].velocity = numbers[:, :3], numbers[:, 3:]


@pytest.fixture(scope="module")
def numbers():
    return np.random.default_rng(4).normal(0.0, 0.4, (COUNT, 6))


@pytest.mark.parametrize("start", [0, 40])
@pytest.mark.parametrize("threads", [1, 2])
def test_members_that_touch_have_the_bits_of_worlds_alone_with_resets_and_failed_and_inactive_members(
    numbers, start, threads
):
    template, worlds = new_world(), [new_world() for _ in range(COUNT)]
    for world in (template, *worlds):
        world.step(start)
    assert (len(template.contacts) > 0) == (start > 0)
    batch = Batch(template, members=COUNT, threads=threads)
    assert [batch.state_hash(member) for member in range(COUNT)] == [template.state_hash()] * COUNT
    set_in(batch, template, numbers)
    for member, world in enumerate(worlds):
        set_alone(world, numbers, member)
    batch.step(30)
    batch[template.body("pair")].set(1, position=(1e308, 0.0, 0.0), velocity=(1.7e308, 0.0, 0.0))
    batch.step(10)
    batch.active = [member not in (1, 4) for member in range(COUNT)]
    batch.reset([3])
    batch.step(30)
    for member, ticks in ((0, 70), (2, 70), (4, 40), (5, 70), (3, 30)):
        if member == 3:
            worlds[3] = new_world()
            worlds[3].step(start)
        worlds[member].step(ticks)
        assert batch.state_hash(member) == worlds[member].state_hash() == batch.world(member).state_hash()
        assert len(batch.world(member).contacts) == len(worlds[member].contacts) > 0
    # one that stood still goes on, and one that failed begins again
    batch.active = [member != 1 for member in range(COUNT)]
    batch.reset(1)
    batch.step(30)
    worlds[1] = new_world()
    worlds[1].step(start + 30)
    for member in (0, 4, 1):
        if member != 1:
            worlds[member].step(30)
        assert batch.state_hash(member) == worlds[member].state_hash()


def test_the_forces_of_contacts_of_all_members_are_read_in_one_pass(numbers, monkeypatch):
    template = new_world()
    batch = Batch(template, members=COUNT)
    set_in(batch, template, numbers)
    batch.step(30)
    expected = [[batch.world(m).body(body.name).contact_force_world for m in range(COUNT)] for body in template.bodies]
    monkeypatch.delattr(Contacts, "force")
    for body, forces_alone in zip(template.bodies, expected, strict=True):
        assert np.array_equal(batch[body].contact_force_world, forces_alone)
    assert np.count_nonzero(expected) > 5 * COUNT


def test_a_member_that_fails_keeps_the_contacts_of_the_start_of_its_tick(numbers):
    template = new_world()
    batch = Batch(template, members=COUNT)
    set_in(batch, template, numbers)
    batch.step(40)
    before = [batch.state_hash(member) for member in range(COUNT)]
    batch[template.body("wedge")].set([0, 2], velocity=(1.7e308, 0.0, 0.0), position=(1e308, 0.0, 0.0))
    failing, points = batch.state_hash(2), len(batch.world(2).contacts)
    assert points > 0
    taken = batch.snapshot()
    batch.step(5)
    assert batch.failed.tolist() == [member in (0, 2) for member in range(COUNT)]
    assert batch.state_hash(2) == failing
    assert len(batch.world(2).contacts) == points
    after = [batch.state_hash(member) for member in range(COUNT)]
    copied = batch.copy()
    batch.restore(taken)
    batch.step(5)
    assert [batch.state_hash(member) for member in range(COUNT)] == after
    assert [copied.state_hash(member) for member in range(COUNT)] == after
    assert before[1] != after[1]


@pytest.mark.parametrize("name", ["box", "ghost"])
@pytest.mark.parametrize("velocity", [(1e200, 0.0, 0.0), (1e290, 0.0, 0.0), (0.0, 0.0, -1.7e308)])
def test_a_member_that_overflows_where_it_touches_fails_alone(numbers, name, velocity):
    """What its islands leave in the arrays of the step is not read by those that have their place in the next attempt."""
    template = new_world()
    batch, without = (Batch(template, members=COUNT) for _ in range(2))
    for each in (batch, without):
        set_in(each, template, numbers)
        each.step(3)
    before = batch.state_hash(2)
    batch[template.body(name)].set(2, velocity=velocity)
    assert batch.state_hash(2) != before
    with np.errstate(all="ignore"):  # numpy's scalars warn in plain Python
        batch.step(2)
    without.step(2)
    assert [(failure.member, failure.tick) for failure in batch.failures()] == [(2, 3)]
    others = [member for member in range(COUNT) if member != 2]
    assert [batch.state_hash(member) for member in others] == [without.state_hash(member) for member in others]


OVERFLOWING = (
    {},
    {"velocity": (1e160, 0.0, -1e159)},
    {"angular_velocity_body": (1e160, 0.0, -1e159)},
    {"velocity": (1e9, 0.0, 0.0)},
    {"angular_velocity_body": (0.0, 1e300, 0.0)},
    {"velocity": (0.0, 1e200, -1e200)},
    {"velocity": (1.7e308, 0.0, 0.0)},
)
"""What is set in each member, some of which are still finite afterwards."""


def overflowing():
    """Failures and hashes of members of which some overflow, in contacts, joints, fields and free rotation."""
    found = []
    for make, method, name in (
        (new_world, "rk4", "box"),
        (new_world, "free-rotor-4", "ghost"),
        (templates.new_world, "free-rotor-4", "ship"),
        (templates.new_world, "saba4", "door"),
    ):
        template = make(method)
        batch = Batch(template, members=len(OVERFLOWING))
        for member, values in enumerate(OVERFLOWING):
            batch[template.body(name)].set(member, **values)
        with np.errstate(all="ignore"):  # numpy's scalars warn in plain Python
            batch.step(2)
        found.append([[member, tick, body.name, reason] for member, tick, body, reason in batch.failures()])
        found.append([str(batch.state_hash(member)) for member in range(len(batch))])
    return found


def test_plain_python_has_the_bits_and_failures_of_compiled_code_where_numbers_overflow():
    here = overflowing()
    assert in_plain_python(overflowing) == here
    assert all(2 <= len(failures) < len(OVERFLOWING) - 1 for failures in here[::2])


def test_a_reset_member_has_the_contacts_of_the_template_and_of_a_snapshot(numbers):
    template = new_world()
    template.step(35)
    batch = Batch(template, members=COUNT)
    set_in(batch, template, numbers)
    batch.step(30)
    one, others = batch.world(5), [batch.state_hash(member) for member in (0, 5)]
    batch.reset([2, 4])
    assert batch.state_hash(2) == batch.state_hash(4) == template.state_hash()
    batch.reset([2, 4], to=one.snapshot())
    assert batch.state_hash(2) == batch.state_hash(4) == others[1]
    assert [batch.state_hash(member) for member in (0, 5)] == others
    batch.step(10)
    one.step(10)
    assert batch.state_hash(2) == batch.state_hash(5) == one.state_hash()


def test_members_at_the_same_place_do_not_touch_and_groups_of_the_template_stay_apart():
    template = new_world()
    batch = Batch(template, members=COUNT)
    shapes_of_all = batch._members.owners.store.tables["shapes"]
    groups = shapes_of_all.array[21, : shapes_of_all.count]
    owners = shapes_of_all.array[0, : shapes_of_all.count]
    assert len(np.unique(groups[owners >= 0])) == 2 * COUNT
    batch.step(20)
    template.step(20)
    assert {batch.state_hash(member) for member in range(COUNT)} == {template.state_hash()}
    assert batch.world(3).body("ghost").collision_group == 7


def test_shapes_placed_too_deep_in_each_other_name_their_member(numbers):
    template = new_world()
    batch = Batch(template, members=COUNT)
    batch[template.body("pair")].set(3, position=batch[template.body("box")].position[3])
    before = [batch.state_hash(member) for member in range(COUNT)]
    with pytest.raises(ValueError, match=r"of <Body 'pair of member 3'>> was placed|in <.*'pair of member 3'>>, and"):
        batch.step()
    assert [batch.state_hash(member) for member in range(COUNT)] == before


def test_templates_with_moving_shapes_of_the_world_are_rejected():
    template = new_world()
    template.add_shape(shapes.Box((1.0, 1.0, 1.0)), position=(9.0, 0.0, 0.0)).velocity = (0.0, 0.0, 0.1)
    with pytest.raises(ValueError, match="without shapes of the world that move"):
        Batch(template, members=2)


def test_templates_with_functions_that_are_told_of_contacts_are_rejected():
    template = new_world()
    template.on_contact(lambda *event: None)
    with pytest.raises(ValueError, match="without functions that it calls"):
        Batch(template, members=2)
