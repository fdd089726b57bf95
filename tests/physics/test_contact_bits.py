"""Contacts have the same bits whatever else is in the world, however ticks are run, and whatever functions do meanwhile."""

import hashlib
import math

import numpy as np
import pytest

from engine import MassProperties, Snapshot, World, forces, shapes
from engine.compilation.compiler import COMPILED
from engine.joints import Hinge
from engine.store import threads

from ..lengths import sized
from ..plain_python import elsewhere, in_plain_python
from .test_determinism import OTHER_MACHINES, environment_of

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
        body = world.add_body(BOX if number % 2 else BALL, position=position, orientation=turn / math.hypot(*turn))
        body.add_shape(shapes.Box((1.0, 1.0, 1.0)) if number % 2 else shapes.Sphere(0.5))
        added.append(body)
    return added


KINDS = (
    shapes.Sphere(0.5),
    shapes.Box((1.0, 0.7, 0.8)),
    shapes.Capsule(0.3, 1.2),
    shapes.Cylinder(0.4, 0.9),
    shapes.ConvexHull([(0.6, 0, -0.4), (-0.5, 0.5, -0.4), (-0.5, -0.5, -0.4), (0.1, 0.1, 0.6), (-0.2, 0.3, 0.4)]),
    shapes.Compound(
        [(shapes.Box((0.3, 0.3, 1.0)), (0, 0, 0), (0, 0, 0, 1)), (shapes.Sphere(0.4), (0, 0, 0.5), (0, 0, 0, 1))]
    ),
)
"""One convex shape of each kind."""


def add_kinds(world, at=(0.0, 0.0), seed=3):
    """A body with each kind of shape, one of which is fast and another a sensor as well, above all kinds of ground."""
    # by functions whose bits are the same everywhere
    heights = [[0.2 + 0.2 * math.sin(1.3 * x) * math.cos(1.1 * y) for y in range(9)] for x in range(9)]
    hills = shapes.HeightField(heights, (0.5, 0.5))
    corners = [(-2.0, -2.0, 0.9), (2.0, -2.0, 0.1), (2.0, 2.0, 0.9), (-2.0, 2.0, 0.1)]
    place = (at[0], at[1], 0.0)
    world.add_shape(hills, position=place)
    world.add_shape(shapes.TriangleMesh(corners, [(0, 1, 2), (0, 2, 3)]), position=(at[0] + 4.0, at[1], 0.0))
    world.add_shape(shapes.Box((1.0, 4.0, 0.3)), position=(at[0] - 3.0, at[1], 0.4), velocity=(0.2, 0.0, 0.1))
    random, added = np.random.default_rng(seed), []
    for number, kind in enumerate(KINDS):
        turn = random.normal(size=4)
        offset = random.uniform(-1.5, 1.5), random.uniform(-0.5, 0.5)
        position = (at[0] + offset[0], at[1] + offset[1], 1.4 + 0.9 * number)
        velocity = (-40.0, 0.0, -3.0) if number == 1 else tuple(random.normal(size=3))
        if number == 1:
            position = (at[0] + 12.0, at[1], 2.2)
        turn /= math.hypot(*turn)
        body = world.add_body(BOX if number else BALL, position=position, orientation=turn, velocity=velocity)
        body.add_shape(kind, material=shapes.Material(0.6, 0.3))
        added.append(body)
    added[2].add_shape(shapes.Sphere(1.5), sensor=True)
    return added


SCENES = {"pile": add_pile, "kinds": add_kinds}
by_scene = pytest.mark.parametrize("scene", SCENES)


def in_full(scene, ticks=TICKS):
    """A hash of the state and of the contacts after each tick, and how many points there were."""
    world = ground(compilation="wait")
    SCENES[scene](world)
    told, digest, count = [], hashlib.sha256(), 0
    for event in ("begin", "hit", "end"):
        world.on_contact(
            lambda world, contact, event=event: told.append((event, world.tick_count, contact.closing_speed)),
            event=event,
        )
    for _tick in range(ticks):
        world.step()
        contacts = world.contacts
        for part in (contacts.point_world, contacts.normal_world, contacts.gap, contacts.friction_impulse_world):
            digest.update(part.tobytes())
        count += len(contacts)
    digest.update(repr(told).encode())
    return f"{world.state_hash():x} {digest.hexdigest()} {count} {len(told)}"


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


def alone(scene="pile"):
    world = ground()
    bodies = SCENES[scene](world)
    world.step(TICKS)
    return world, bodies


@by_scene
def test_other_islands_change_nothing(scene):
    _world, wanted = alone(scene)
    world = ground()
    add_pile(world, 5, (40.0, 0.0), 2)
    bodies = SCENES[scene](world)
    add_kinds(world, (-40.0, 9.0), 5)
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


@by_scene
def test_the_number_of_ticks_per_call_changes_nothing(scene):
    world, _bodies = alone(scene)
    wanted = world.state_hash()
    for ticks in (1, 7, TICKS):
        other = ground()
        SCENES[scene](other)
        done = 0
        while done < TICKS:
            taken = min(ticks, TICKS - done)
            other.step(taken)
            done += taken
        assert other.state_hash() == wanted


@by_scene
def test_threads_that_share_the_free_bodies_change_nothing(scene, monkeypatch):
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
        SCENES[scene](world)
        world.prepare()
        world.step(30)
        hashes.append(world.state_hash())
    # plain Python runs in one thread
    assert used == ({2} if COMPILED else set()) and hashes[0] == hashes[1]


@by_scene
def test_a_restore_amid_an_impact_goes_on_with_the_same_bits(scene):
    world = ground()
    SCENES[scene](world)
    world.step(8)
    kept, fast = [], 0
    while world.tick_count < TICKS:
        world.step()
        if len(world.contacts) and world.contacts.closing_speed.max() > 0.0:
            kept.append(world.snapshot())
            fast += 1
    end = world.state_hash()
    assert fast >= 5
    for snapshot in kept:
        for content in (snapshot, Snapshot.from_bytes(snapshot.to_bytes())):
            world.restore(content)
            world.step(TICKS - world.tick_count)
            assert world.state_hash() == end


@by_scene
def test_a_handler_that_raises_leaves_what_goes_on_with_the_same_bits(scene):
    wanted, _bodies = alone(scene)
    world = ground()
    SCENES[scene](world)
    raised = []

    @world.on_contact(event="begin")
    def fails(world, contact):
        if len(raised) < 3:
            raised.append(world.tick_count)
            world.bodies[0].velocity = (9.0, 9.0, 9.0)
            raise RuntimeError("on purpose")

    while world.tick_count < TICKS:
        before = world.state_hash()
        try:
            world.step()
        except RuntimeError:
            assert world.state_hash() == before
    assert len(raised) == 3
    assert states(world.bodies) == states(wanted.bodies)


def changed(scene, ticks_per_call):
    """The hash where a body is removed when anything is hit, and a ball appears."""
    world = ground()
    SCENES[scene](world)
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


@by_scene
def test_handlers_that_remove_and_add_give_the_same_bits_in_any_calls(scene):
    assert changed(scene, 1) == changed(scene, 5) == changed(scene, TICKS)


@by_scene
def test_plain_python_has_the_same_bits(scene):
    found = in_plain_python(in_full, scene)
    assert found == in_full(scene)
    assert int(found.split()[2]) > 100


@pytest.mark.parametrize("machine", sized(["kernels for any processor"], list(OTHER_MACHINES)))
def test_other_processors_have_the_same_bits(machine):
    assert elsewhere(environment_of(machine), in_full, "kinds") == in_full("kinds")
