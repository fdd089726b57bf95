"""Contacts have the same bits whatever else is in the world, however ticks are run, and whatever functions do meanwhile."""

import numpy as np
import pytest

from engine import MassProperties, Snapshot, World, forces, shapes
from engine.joints import Hinge
from engine.store import threads

BOX, BALL = MassProperties.box(2.0, (1.0, 1.0, 1.0)), MassProperties.sphere(1.0, 0.5)
G = 9.81
TICKS = 50
"""The pile comes down within these."""


def ground(**options):
    world = World(1 / 60, **options)
    world.add_shape(shapes.Plane((0.0, 0.0, 1.0)), material=shapes.Material(0.6, 0.2))
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    return world


def add_pile(world, count=4, at=(0.0, 0.0), seed=1):
    random, added = np.random.default_rng(seed), []
    for number in range(count):
        turn = random.normal(size=4)
        position = (at[0] + random.uniform(-0.3, 0.3), at[1] + random.uniform(-0.3, 0.3), 0.9 + 1.2 * number)
        body = world.add_body(BOX if number % 2 else BALL, position=position, orientation=turn / np.linalg.norm(turn))
        body.add_shape(shapes.Box((1.0, 1.0, 1.0)) if number % 2 else shapes.Sphere(0.5))
        added.append(body)
    return added


def add_pair(world):
    """Two bodies on a hinge, which touch nothing."""
    moves = {"velocity": (0.1, 0.2, 9.0), "angular_velocity_body": (0.4, 0.3, 0.2)}
    a = world.add_body(BOX, position=(90.0, 0.0, 9.0), **moves)
    b = world.add_body(BOX, position=(91.5, 0.0, 9.0), velocity=a.velocity)
    b.velocity = a.velocity + np.cross(a.angular_velocity_world, (1.5, 0.0, 0.0))
    b.angular_velocity_body = a.angular_velocity_body
    world.add_joint(Hinge(a, b, at_body=(0.75, 0.0, 0.0), axis_body=(0.0, 0.0, 1.0)))
    return a, b


def states(bodies):
    return [
        [*body.position, *body.orientation, *body.velocity, *body.angular_velocity_body, *body.contact_force_world]
        for body in bodies
    ]


def alone():
    world = ground()
    bodies = add_pile(world)
    world.step(TICKS)
    return world, bodies


def test_other_islands_change_nothing():
    _world, wanted = alone()
    world = ground()
    add_pile(world, 5, (40.0, 0.0), 2)
    bodies = add_pile(world)
    add_pile(world, 3, (-40.0, 9.0), 3)
    add_pair(world)
    world.step(TICKS)
    assert len(world.contacts) > 8
    assert states(bodies) == states(wanted)


@pytest.mark.parametrize("method", ["free-rotor-2", "free-rotor-4", "axis-splitting-2"])
def test_joints_that_touch_nothing_keep_their_bits_beside_contacts(method):
    single = World(1 / 60, integrator=method)
    single.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    wanted = add_pair(single)
    world = ground(integrator=method)
    add_pile(world)
    bodies = add_pair(world)
    for body in bodies:
        body.add_shape(shapes.Sphere(0.3))
    for each in (single, world):
        each.step(TICKS)
    assert states(bodies) == states(wanted)


def test_the_number_of_ticks_per_call_changes_nothing():
    world, _bodies = alone()
    wanted = world.state_hash()
    for ticks in (1, 7, TICKS):
        other = ground()
        add_pile(other)
        done = 0
        while done < TICKS:
            taken = min(ticks, TICKS - done)
            other.step(taken)
            done += taken
        assert other.state_hash() == wanted


def test_threads_that_share_the_free_bodies_change_nothing(monkeypatch):
    used, together = set(), threads._TicksInParts.__call__
    monkeypatch.setattr(
        threads._TicksInParts, "__call__", lambda self, ticks: used.add(len(self._parts)) or together(self, ticks)
    )
    hashes = []
    for count in (1, 2):
        world = ground(threads=count)
        random = np.random.default_rng(7)
        world.add_bodies(
            [BOX] * (2 * threads.FEWEST_BODIES), random.uniform(500.0, 900.0, (2 * threads.FEWEST_BODIES, 3))
        )
        add_pile(world)
        world.prepare()
        world.step(30)
        hashes.append(world.state_hash())
    assert used == {2} and hashes[0] == hashes[1]


def test_a_restore_amid_an_impact_goes_on_with_the_same_bits():
    world = ground()
    add_pile(world)
    world.step(8)
    kept, fast = [], 0
    while world.tick_count < TICKS:
        world.step()
        if len(world.contacts) and world.contacts.closing_speed.max() > 0.0:
            kept.append(world.snapshot())
            fast += 1
    end = world.state_hash()
    assert fast > 5
    for snapshot in kept:
        for content in (snapshot, Snapshot.from_bytes(snapshot.to_bytes())):
            world.restore(content)
            world.step(TICKS - world.tick_count)
            assert world.state_hash() == end


def test_a_handler_that_raises_leaves_what_goes_on_with_the_same_bits():
    wanted, _bodies = alone()
    world = ground()
    add_pile(world)
    raised = []

    @world.on_contact(event="begin")
    def fails(world, contact):
        if len(raised) < 3:
            raised.append(world.tick_count)
            contact.bodies[0].velocity = (9.0, 9.0, 9.0)
            raise RuntimeError("on purpose")

    while world.tick_count < TICKS:
        before = world.state_hash()
        try:
            world.step()
        except RuntimeError:
            assert world.state_hash() == before
    assert len(raised) == 3
    assert states(world.bodies) == states(wanted.bodies)


def changed(ticks_per_call):
    """A pile whose first box is removed when it is hit, and in which a ball appears."""
    world = ground()
    add_pile(world)
    added = []

    @world.on_contact(event="hit", above=1.0)
    def change(world, contact):
        if not added:
            added.append(world.add_body(BALL, position=(4.0, 0.0, 1.0), velocity=(-3.0, 0.0, 0.0)))
            added[0].add_shape(shapes.Sphere(0.5))
            world.remove_body(world.bodies[1])

    while world.tick_count < TICKS:
        world.step(ticks_per_call)
    assert len(added) == 1
    return world.state_hash()


def test_handlers_that_remove_and_add_give_the_same_bits_in_any_calls():
    assert changed(1) == changed(5) == changed(TICKS)
