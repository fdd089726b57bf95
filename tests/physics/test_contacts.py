"""Bodies with shapes that touch: closed forms, the tick as a whole, and what is kept of a world."""

import copy

import numpy as np
import pytest

from engine import MassProperties, Snapshot, World, flight, forces, shapes
from engine.collision import layout
from engine.constraints import contact_stages
from engine.integrators import Substepped
from engine.joints import Ball, Weld
from engine.shapes.handle import CONTACTS, SHAPES

from ..lengths import sized
from ..plain_python import in_plain_python

pytestmark = pytest.mark.filterwarnings("ignore:World. a Python force that sees all bodies")

G = 9.81


def pile(count=6, seed=1, **options):
    """Boxes and balls of 1 m that fall on each other and on the ground."""
    random = np.random.default_rng(seed)
    world = World(1 / 60, **options)
    world.add_shape(shapes.Plane((0.0, 0.0, 1.0)))
    for number in range(count):
        turn = random.normal(size=4)
        position = (*random.uniform(-0.3, 0.3, 2), 0.8 + 1.1 * number)
        is_box = number % 3 < 2
        mass = MassProperties.box(2.0, (1.0, 1.0, 1.0)) if is_box else MassProperties.sphere(2.0, 0.5)
        body = world.add_body(mass, position=position, orientation=turn / np.linalg.norm(turn))
        body.add_shape(shapes.Box((1.0, 1.0, 1.0)) if is_box else shapes.Sphere(0.5))
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    return world


def test_the_layout_of_arrays_is_that_of_the_tables():
    assert (SHAPES.size, CONTACTS.size) == (layout.SHAPE_ROWS, layout.CONTACT_ROWS)
    assert SHAPES.row("position") == layout.PLACE and SHAPES.row("collides_with") == layout.COLLIDES_WITH
    assert CONTACTS.row("first_solves") == layout.FIRST_SOLVES and CONTACTS.row("gap") == layout.GAP


def test_a_box_falls_on_the_ground_and_rests():
    world = World(1 / 60)
    world.add_shape(shapes.Plane((0.0, 0.0, 1.0)))
    box = world.add_body(MassProperties.box(3.0, (1.0, 1.0, 1.0)), position=(0.0, 0.0, 0.6))
    box.add_shape(shapes.Box((1.0, 1.0, 1.0)))
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    world.step(120)
    assert box.position == pytest.approx((0.0, 0.0, 0.5), abs=1e-8)
    assert box.contact_force_world == pytest.approx((0.0, 0.0, 3.0 * G), abs=1e-5)
    assert world.contacts.solver_of(box) == "direct" and len(world.contacts) == 4
    stranger = World(1.0).add_body(MassProperties.sphere(1.0, 0.5))
    with pytest.raises(ValueError, match="solver_of: body must be a body of this world"):
        world.contacts.solver_of(stranger)


def landed(rounds):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contact_stages, "MOST_CONTACT_ROUNDS", rounds)
        world = World(1 / 60)
        world.add_shape(shapes.Plane((0.0, 0.0, 1.0)))
        box = world.add_body(MassProperties.box(3.0, (1, 1, 1)), position=(0, 0, 0.5), velocity=(0.3, 0, -2.0))
        box.add_shape(shapes.Box((1.0, 1.0, 1.0)))
        world.step()
        return world.contacts.solver_of(box)


def test_rounds_that_end_short_of_their_tolerance_are_not_called_direct():
    """In plain Python, with too few rounds for a box that lands; with all of them it is direct."""
    assert [in_plain_python(landed, rounds) for rounds in (0, 6)] == ["unfinished", "direct"]


def test_copies_snapshots_and_single_steps_have_the_same_bits():
    world = pile()
    world.step(40)
    kept, copied = world.snapshot(), copy.deepcopy(world)
    world.step(25)
    end = world.state_hash()
    for _tick in range(25):
        copied.step()
    assert copied.state_hash() == end
    world.restore(kept)
    world.step(25)
    assert world.state_hash() == end


def test_a_callback_that_raises_leaves_contacts_as_they_were():
    world = pile(3)
    world.step(50)
    before = world.state_hash()

    def fails(world):
        world.bodies[0].velocity = (5.0, 0.0, 0.0)
        raise RuntimeError("on purpose")

    world.on_tick(fails)
    with pytest.raises(RuntimeError, match="on purpose"):
        world.step()
    world.remove_callback(fails)
    assert world.state_hash() == before


def test_bodies_that_touch_nothing_keep_their_bits():
    alone, world = World(1 / 60), pile(3)
    flyer = {"position": (50.0, 0.0, 9.0), "velocity": (1.0, 2.0, 3.0), "angular_velocity_body": (0.3, 0.2, 0.9)}
    free = [each.add_body(MassProperties.box(1.0, (1.0, 2.0, 3.0)), **flyer) for each in (alone, world)]
    free[1].add_shape(shapes.Box((1.0, 2.0, 3.0)))
    alone.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    for each in (alone, world):
        each.step(60)
    assert (free[0].position == free[1].position).all() and (free[0].orientation == free[1].orientation).all()


def test_layers_and_joints_keep_shapes_apart():
    world = World(1 / 60)
    masses = MassProperties.sphere(1.0, 0.5)
    a, b, c = world.add_bodies(masses, [(0, 0, 0), (0.9, 0, 0), (1.8, 0, 0)])
    for body in (a, b, c):
        body.add_shape(shapes.Sphere(0.5))
    world.add_joint(Weld(a, b, at_body=(0.45, 0.0, 0.0)))
    c.shapes[0].layer = 3
    b.shapes[0].collides_with = (0, 1)
    world.step()
    assert len(world.contacts) == 0
    b.shapes[0].collides_with = shapes.ALL
    world.step()
    assert world.contacts.bodies == ((b, c),)


@pytest.mark.parametrize("exchanged", [False, True])
def test_two_materials_have_their_mean_friction_and_the_larger_restitution(exchanged):
    """The geometric mean, 0.3, whichever shape has which coefficient; and a rebound with 0.8 of the speed."""
    slips, bounces = (0.2, 0.45), (0.3, 0.8)
    one, other = (1, 0) if exchanged else (0, 1)
    world = World(1 / 240)
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    world.add_shape(shapes.Plane(), material=shapes.Material(slips[one], 0.0))
    world.add_shape(
        shapes.Box((2.0, 2.0, 1.0)), position=(20.0, 0.0, -0.4), material=shapes.Material(0.0, bounces[one])
    )
    cube = world.add_body(MassProperties.box(2.0, (1.0, 1.0, 1.0)), position=(0.0, 0.0, 0.5), velocity=(3.0, 0.0, 0.0))
    cube.add_shape(shapes.Box((1.0, 1.0, 1.0)), material=shapes.Material(slips[other], 0.0))
    ball = world.add_body(MassProperties.sphere(2.0, 0.5), position=(20.0, 0.0, 1.1), velocity=(0.0, 0.0, -4.0))
    ball.add_shape(shapes.Sphere(0.5), material=shapes.Material(0.0, bounces[other]))
    speeds = []
    for _tick in range(60):
        world.step()
        speeds.append(ball.velocity[2])
    assert cube.velocity[0] == pytest.approx(3.0 - 0.3 * G * 0.25, abs=1e-6)
    fallen = 4.0**2 + 2.0 * G * 0.5
    assert max(speeds) == pytest.approx(0.8 * np.sqrt(fallen), abs=G / 240)


def test_each_point_of_the_last_step_counts_once_in_the_force_of_a_divided_tick():
    """A hull on five corners, of which two pairs are so near each other that either point is near both of the last step."""
    low = [(0.25, 0.0), (0.24, 0.01), (-0.2, 0.2), (-0.21, 0.19), (-0.2, -0.2)]
    hull = shapes.ConvexHull([(x, y, z) for x, y in low for z in (-0.25, 0.25)])
    world = World(1 / 60, integrator=Substepped("free-rotor-2", 4))
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    world.add_shape(shapes.Plane())
    body = world.add_body(MassProperties.box(2.0, (0.5, 0.5, 0.5)), position=(0.0, 0.0, 0.25))
    body.add_shape(hull)
    for _tick in range(30):
        world.step()
    assert body.contact_force_world == pytest.approx((0.0, 0.0, 2.0 * G), abs=1e-6)


def fallen():
    world = pile(4, compilation="wait")
    world.step(sized(12, 45))
    assert len(world.contacts)
    return f"{world.state_hash():x}"


def test_plain_python_has_the_same_bits():
    assert in_plain_python(fallen) == fallen()


def leaning(world):
    """A Python force at the stages: air that carries all bodies along x."""

    def wind(wrench, bodies, time):
        wrench.force_world[:] += bodies.mass[:, np.newaxis] * (0.5, 0.0, 0.0)

    world.add_force(wind)


def test_contacts_hold_beside_a_python_force_at_stages():
    positions = []
    for is_python in (False, True):
        world = World(1 / 60)
        world.add_shape(shapes.Plane((0.0, 0.0, 1.0)), material=shapes.Material(0.0))
        for number in range(3):
            box = world.add_body(MassProperties.box(2.0, (1.0, 1.0, 1.0)), position=(0.0, 0.0, 0.5 + number))
            box.add_shape(shapes.Box((1.0, 1.0, 1.0)))
        world.add_force(forces.UniformGravity((0.0 if is_python else 0.5, 0.0, -G)))
        if is_python:
            leaning(world)
        world.step(60)
        assert world.contacts.solver_of(box) == "direct" and len(world.contacts) == 12
        positions.append(world.state.position)
    assert positions[1] == pytest.approx(positions[0], abs=1e-9)
    assert positions[0][:, 0] == pytest.approx(0.25, abs=1e-6)


def test_room_is_made_amid_ticks_that_call_python_forces():
    world = World(1 / 60)
    world.add_shape(shapes.Plane((0.0, 0.0, 1.0)))
    places = [(1.2 * (n % 15), 1.2 * (n // 15), 0.6) for n in range(150)]
    for body in world.add_bodies(MassProperties.box(1.0, (1.0, 1.0, 1.0)), places):
        body.add_shape(shapes.Box((1.0, 1.0, 1.0)))
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    calls = []
    world.add_force(lambda wrench, bodies, time: calls.append(time))
    world.step(30)
    assert len(world.contacts) == 600
    assert world.state.position[:, 2] == pytest.approx(0.5, abs=1e-7)


@pytest.mark.parametrize("calls_python", [False, True])
def test_divided_ticks_have_contacts_in_each_step(calls_python):
    worlds, twice = [], Substepped(Substepped("free-rotor-2", 2), 2)
    divided = (Substepped("free-rotor-2", 4), 1 / 60, 60), (twice, 1 / 60, 60)
    for method, dt, ticks in (("free-rotor-2", 1 / 240, 240), *divided):
        world = World(dt, integrator=method)
        world.add_shape(shapes.Plane((0.0, 0.0, 1.0)))
        box = world.add_body(
            MassProperties.box(3.0, (1.0, 1.0, 1.0)), position=(0.0, 0.0, 1.0), velocity=(1.0, 0.2, 0.0)
        )
        box.add_shape(shapes.Box((1.0, 1.0, 1.0)))
        world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
        if calls_python:
            world.add_force(lambda wrench, bodies, time: None)
        before, total = 3.0 * box.velocity, np.zeros(3)
        for _tick in range(ticks):
            world.step()
            total += dt * box.contact_force_world
        assert total == pytest.approx(3.0 * box.velocity - before + (0.0, 0.0, 3.0 * G), abs=1e-9)
        worlds.append(world)
    for world in worlds[1:]:
        assert np.array_equal(worlds[0].state.position, world.state.position)
        assert np.array_equal(worlds[0].state.orientation, world.state.orientation)


@pytest.mark.parametrize("method", ["free-rotor-2", Substepped("free-rotor-2", 4)])
@pytest.mark.parametrize("height", [0.5, 0.53])
def test_a_tick_that_fails_after_it_has_found_contacts_puts_those_of_the_last_one_back(method, height):
    """The tank drains so far that the tensor without the wheel has no inverse, which is found at the end of the tick, or of a step."""
    world = World(1 / 60, integrator=method)
    world.add_shape(shapes.Plane((0.0, 0.0, 1.0)), velocity=(0.3, 0.0, 0.0), angular_velocity_world=(0.0, 0.0, 0.2))
    ball = world.add_body(
        MassProperties(10.0, np.diag((4.0, 4.0, 4.0))), position=(0.0, 0.0, height), velocity=(0, 0, -1.0)
    )
    ball.add_shape(shapes.Sphere(0.5))
    tank = world.add_part(flight.Tank(ball, position=(0.0, 0.0, 0.0), propellant=1.05, specific_inertia=1.0))
    world.add_part(flight.ReactionWheel(ball, axis=(1, 0, 0), inertia=5.0, max_torque=1.0, max_speed=10.0))
    jet = {"position": (0, 0, -1), "direction": (1, 0, 0), "max_force": 35.3, "specific_impulse": 1.0}
    thruster = world.add_force(forces.Thruster(ball, **jet, tank=tank))
    world.step()
    before, count = world.state_hash(), len(world.contacts)
    twin = copy.deepcopy(world)
    thruster.throttle = 1.0
    with pytest.raises(ValueError, match="positive definite"):
        world.step()
    thruster.throttle = 0.0
    assert (world.state_hash(), len(world.contacts), count) == (before, count, height < 0.51)
    world.step(3)
    twin.step(3)
    assert world.state_hash() == twin.state_hash() and len(world.contacts) == 1


def test_bytes_of_contacts_that_sweeps_have_solved_are_read():
    world, row = World(1 / 60), []
    world.add_shape(shapes.Plane((0.0, 0.0, 1.0)))
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    for number in range(34):
        row.append(world.add_body(MassProperties.sphere(1.0, 0.5), position=(0.9999 * number, 0.0, 0.5)))
        row[-1].add_shape(shapes.Sphere(0.5))
    world.step()
    assert world.contacts.solver_of(row[7]) == "sweeps"
    read = World(1 / 60)
    read.restore(Snapshot.from_bytes(world.snapshot().to_bytes()))
    assert read.state_hash() == world.state_hash()
    assert read.contacts.solver_of(read.bodies[7]) == "sweeps"


@pytest.mark.parametrize("is_joined", [False, True])
@pytest.mark.parametrize("count", [32, 33])
def test_sweeps_solve_islands_of_more_than_32_bodies_without_joints(count, is_joined):
    """Balls in a row on the ground, of which a joint connects the first two or none."""
    world = World(1 / 60)
    world.add_shape(shapes.Plane((0.0, 0.0, 1.0)))
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    balls = world.add_bodies(MassProperties.sphere(1.0, 0.5), [(0.9999 * each, 0.0, 0.5) for each in range(count)])
    for ball in balls:
        ball.add_shape(shapes.Sphere(0.5))
    if is_joined:
        world.add_joint(Ball(balls[0], balls[1], at_body=(0.5, 0.0, 0.0)))
    world.step()
    assert (world.contacts.solver_of(balls[-1]) == "sweeps") == (count > 32 and not is_joined)


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("shape", [shapes.Sphere(0.5), shapes.Box((1.0, 1.0, 1.0))])
def test_both_bodies_get_their_friction_at_one_point_amid_their_overlap(shape, is_first):
    """A ball hits another or a box that it overlaps, the one or the other of which comes first."""
    world, material = World(1 / 6000), shapes.Material(0.3)
    for side in (-1.0, 1.0) if is_first else (1.0, -1.0):
        mass = MassProperties.sphere(1.0, 0.5)
        body = world.add_body(mass, position=(0.0, 0.0, 0.45 * side), velocity=(side, 0.0, -side))
        body.add_shape(shapes.Sphere(0.5) if side > 0.0 else shape, material=material, allow_overlap=True)
    world.step()
    ball, other = world.bodies[::-1] if is_first else world.bodies
    pushed = float(np.linalg.norm(world.contacts.friction_impulse_world.sum(axis=0)))
    arms = [0.1 * float(body.angular_velocity_world[1]) / pushed for body in (ball, other)]
    assert len(world.contacts) == 1 and pushed > 0.01
    assert arms == pytest.approx((0.45, 0.45), abs=2e-3)


def test_a_pyramid_that_sweeps_hold_rests():
    """Within ten seconds, 55 boxes of 1 m sway by less than a millimetre and overlap by less than a quarter of that."""
    world = World(1 / 60)
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    world.add_shape(shapes.Plane((0.0, 0.0, 1.0)))
    for row in range(10):
        for number in range(10 - row):
            at = (1.05 * (number + row / 2), 0.0, row + 0.5)
            world.add_body(MassProperties.box(1.0, (1.0, 1.0, 1.0)), position=at).add_shape(shapes.Box((1.0, 1.0, 1.0)))
    start, deepest = np.array(world.state.position), 0.0
    for _tick in range(600):
        world.step()
        deepest = max(deepest, -float(world.contacts.gap.min()))
    assert world.contacts.solver_of(world.bodies[0]) == "sweeps"
    assert np.abs(np.array(world.state.position) - start).max() <= 1e-3
    assert deepest <= 2.5e-4


def test_what_flies_apart_is_not_pushed_by_what_it_weighed_before():
    """A pyramid that sweeps hold, from which gravity goes while each box flies up faster than the one below it."""
    world = World(1 / 60)
    gravity = world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    world.add_shape(shapes.Plane((0.0, 0.0, 1.0)))
    for row in range(9):
        for number in range(9 - row):
            at = (1.05 * (number + row / 2), 0.0, row + 0.5)
            world.add_body(MassProperties.box(1.0, (1.0, 1.0, 1.0)), position=at).add_shape(shapes.Box((1.0, 1.0, 1.0)))
    world.step(120)
    assert world.contacts.solver_of(world.bodies[0]) == "sweeps" and (world.contacts.normal_impulse > 0.0).any()
    world.remove_force(gravity)
    for body in world.bodies:
        body.velocity, body.angular_velocity_body = (0.0, 0.0, 0.3 * body.position[2]), (0.0, 0.0, 0.0)
    before = np.array(world.state.velocity)
    world.step()
    assert len(world.contacts) and np.abs(world.contacts.normal_impulse).max() == 0.0
    assert np.array_equal(world.state.velocity, before)
