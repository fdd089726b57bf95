"""Shapes of the world that move as prescribed: belts, turntables, pushers; closed forms, and what is kept of a world."""

import copy
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from engine import MassProperties, NonFiniteStateError, Snapshot, World, forces, joints, shapes
from engine.integrators import Substepped
from engine.rotation import rotate

from ..lengths import sized
from ..plain_python import in_plain_python

pytestmark = pytest.mark.filterwarnings("ignore:World. a Python force that sees all bodies")

ROOT = Path(__file__).parents[2]
G = 9.81
BOX = MassProperties.box(3.0, (1.0, 1.0, 1.0))


def on(shape, position, dt=1 / 60, size=1.0, turn=(0.0, 0.0, 0.0, 1.0), friction=0.5, body=None, **options):
    """A cube on a shape of the world that moves."""
    world = World(dt)
    material = shapes.Material(friction)
    moving = world.add_shape(shape, material=material, orientation=turn, **options)
    edges = (size, size, size)
    cube = world.add_body(MassProperties.box(3.0, edges), position=position, orientation=turn, **(body or {}))
    cube.add_shape(shapes.Box(edges), material=material)
    return world, moving, cube


@pytest.mark.parametrize("seed", range(3))
def test_a_box_slides_on_a_belt_until_it_has_its_speed(seed):
    """For ``v/(μ g)``, and by ``v²/(2 μ g)`` relative to the belt, in any direction and on a belt in any attitude."""
    random = np.random.default_rng(seed)
    turn = Rotation.random(random_state=seed).as_quat()
    angle, ticks = random.uniform(0.0, 2.0 * np.pi), 24
    along = rotate(turn, np.array((np.cos(angle), np.sin(angle), 0.0)))
    speed = 0.5 * G * ticks / 60
    world, belt, cube = on(shapes.Plane(), rotate(turn, np.array((0.3, 0.2, 0.5))), turn=turn, velocity=speed * along)
    world.add_force(forces.UniformGravity(rotate(turn, np.array((0.0, 0.0, -G)))))
    start = cube.position
    for tick in range(1, 60):
        world.step()
        time = min(tick, ticks) / 60
        assert cube.velocity == pytest.approx(0.5 * G * time * along, abs=1e-7)
        moved = 0.5 * 0.5 * G * time**2 + speed * (tick / 60 - time)
        assert cube.position - start == pytest.approx(moved * along, abs=1e-6)
    assert belt.position == pytest.approx(59 / 60 * speed * along, abs=1e-12)
    # nothing turns it, and the belt pushes no more
    assert np.abs(cube.angular_velocity_body).max() < 1e-7
    assert cube.contact_force_world == pytest.approx(rotate(turn, np.array((0.0, 0.0, 3.0 * G))), abs=1e-5)


def on_turntable(share, dt=1 / 60, size=0.1):
    """A cube that turns with a table, 1 m from its axis, with a share of the speed at which friction no longer holds it."""
    rate = np.sqrt(share * 0.5 * G)
    moves = {"velocity": (0.0, rate, 0.0), "angular_velocity_world": (0.0, 0.0, rate)}
    world, _table, cube = on(
        shapes.Cylinder(8.0, 0.2),
        (1.0, 0.0, 0.5 * size + 0.1),
        dt,
        size,
        angular_velocity_world=(0.0, 0.0, rate),
        body=moves,
    )
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    return world, cube, rate


def test_a_box_slides_off_a_turntable_where_friction_no_longer_holds_it():
    """At ``ω² r = μ g``. A step outward of 1 % is enough to slide at the lower speed, too."""
    for share, least, most in ((0.9, 0.0, 5e-3), (0.99, 0.0, 5e-3), (1.01, 0.2, 0.5)):
        world, cube, _rate = on_turntable(share)
        world.step(120)
        assert least <= np.hypot(*cube.position[:2]) - 1.0 <= most


def test_a_small_box_slides_over_a_turntable_as_a_mass_point_does():
    world, cube, rate = on_turntable(1.5, 1 / 240, 0.01)

    def derivative(_time, state):
        x, y, u, v = state
        slip = np.array((u + rate * y, v - rate * x))
        return u, v, *(-0.5 * G * slip / max(np.linalg.norm(slip), 1e-12))

    world.step(240)
    wanted = solve_ivp(derivative, (0.0, 1.0), (1.0, 0.0, 0.0, rate), rtol=1e-10, atol=1e-12, max_step=1e-3).y[:, -1]
    assert cube.position[:2] == pytest.approx(wanted[:2], abs=5e-3)
    assert cube.velocity[:2] == pytest.approx(wanted[2:], abs=2e-2)


@pytest.mark.parametrize("kind", ["shape", "body"])
@pytest.mark.parametrize("share", [0.5, 0.999, 1.001, 1.1])
def test_a_box_lifts_off_a_spinning_sphere_where_it_is_weightless(kind, share):
    """At ``ω² r = g``, with the distance r of its mass centre from that of the sphere, whether this is a body or not."""
    radius, distance = 20.0, 20.5
    gm = G * distance**2
    rate = np.sqrt(share * gm / distance**3)
    spin, material = (0.0, 0.0, rate), shapes.Material(1.0)
    world = World(1 / 60)
    if kind == "shape":
        world.add_shape(shapes.Sphere(radius), angular_velocity_world=spin, material=material)
    else:
        sphere = world.add_body(MassProperties.sphere(1e12, radius), angular_velocity_body=spin)
        sphere.add_shape(shapes.Sphere(radius), material=material)
    cube = world.add_body(
        BOX, position=(distance, 0.0, 0.0), velocity=(0.0, rate * distance, 0.0), angular_velocity_world=spin
    )
    cube.add_shape(shapes.Box((1.0, 1.0, 1.0)), material=material)
    world.add_force(forces.PointGravity(gm, bodies=[cube]))
    world.step(60)
    total = sum(np.linalg.norm(cube.contact_force_world) for _tick in range(60) if world.step() is None) / 60
    height = np.linalg.norm(cube.position) - distance
    if share < 1.0:
        # it follows the turn of a tick late, by an angle of second order by which it rolls on the sphere, and falls for a tick where it is
        # left with a thousandth of its weight
        out, up = cube.position / np.linalg.norm(cube.position), cube.to_world((1.0, 0.0, 0.0)) - cube.position
        lag, gap = np.linalg.norm(np.cross(out, up)), float(world.contacts.gap[0])
        assert lag < 4e-4 and -1e-9 < gap < (1.0 - share) * G / 60.0**2
        assert height == pytest.approx(0.5 * distance * lag**2 + gap, abs=1e-8)
        assert total == pytest.approx(3.0 * G * (1.0 - share), abs=3.0 * G * 2e-4)
    else:  # an orbit, at first 0.5 (share - 1) g t²
        assert total == 0.0 and height == pytest.approx(0.5 * (share - 1.0) * G * 4.0, rel=0.3)


@pytest.mark.parametrize("restitution", [0.0, 1.0])
def test_a_pusher_takes_a_ball_along_or_knocks_it_ahead(restitution):
    """The ball leaves with (1 + e) times the speed of the pusher, whatever the mass."""
    world = World(1 / 60)
    material = shapes.Material(0.0, restitution)
    pusher = world.add_shape(
        shapes.Box((0.2, 4.0, 4.0)), position=(-2.0, 0.0, 0.0), velocity=(9.0, 0.0, 0.0), material=material
    )
    ball = world.add_body(MassProperties.sphere(5.0, 0.5))
    ball.add_shape(shapes.Sphere(0.5), material=material)
    world.step(30)
    assert pusher.position == pytest.approx((2.5, 0.0, 0.0), abs=1e-12)
    hit = 1.4 / 9.0
    assert ball.velocity == pytest.approx((9.0 * (1.0 + restitution), 0.0, 0.0), abs=1e-7)
    assert ball.position == pytest.approx((9.0 * (1.0 + restitution) * (0.5 - hit), 0.0, 0.0), abs=1e-6)


def test_a_lift_carries_what_stands_on_it():
    world, lift, cube = on(shapes.Box((4.0, 4.0, 0.2)), (0.0, 0.0, 0.6), velocity=(0.0, 0.0, 1.5))
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    world.step(60)
    assert cube.position == pytest.approx((0.0, 0.0, 2.1), abs=1e-6)
    assert cube.velocity == pytest.approx((0.0, 0.0, 1.5), abs=1e-7)
    assert cube.contact_force_world == pytest.approx((0.0, 0.0, 3.0 * G), abs=1e-5)
    lift.velocity = (0.0, 0.0, 0.0)
    world.step(60)
    top = 2.1 + 1.5**2 / (2.0 * G)  # and back
    assert lift.position == pytest.approx((0.0, 0.0, 1.5), abs=1e-12)
    assert 2.1 - 1e-6 <= cube.position[2] < top


def test_a_ball_between_belts_rolls_at_their_mean_speed():
    """A rolling ball moves at half the speed of the plate on top of it, and spins by the other half."""
    world = World(1 / 240)
    material = shapes.Material(0.8)
    world.add_shape(shapes.Plane(), velocity=(1.0, 0.0, 0.0), material=material)
    ball = world.add_body(MassProperties.sphere(2.0, 0.5), position=(0.0, 0.0, 0.5))
    ball.add_shape(shapes.Sphere(0.5), material=material)
    plate = world.add_body(
        MassProperties.box(4.0, (6.0, 6.0, 0.1)), position=(0.0, 0.0, 1.05), velocity=(-2.0, 0.0, 0.0)
    )
    plate.add_shape(shapes.Box((6.0, 6.0, 0.1)), material=material)
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    world.step(60)
    speed = ball.velocity[0] + 0.5 * ball.angular_velocity_world[1] * np.array((-1.0, 1.0))
    assert speed[0] == pytest.approx(1.0, abs=1e-6)  # the ball rolls on the belt
    assert speed[1] == pytest.approx(plate.velocity[0], abs=2e-2)  # and the plate on the ball


def test_parts_move_about_the_origin_of_the_whole():
    world = World(1 / 60)
    whole = shapes.Compound(
        [
            (shapes.Sphere(0.1), (1.0, 2.0, 3.0), (0, 0, 0, 1)),
            (shapes.Box((1, 1, 1)), (0.0, -2.0, 0.3), (0.6, 0, 0, 0.8)),
        ]
    )
    start, rates, velocity = Rotation.random(random_state=4), np.array((0.7, -0.4, 1.1)), np.array((1.0, 2.0, -0.5))
    mover = world.add_shape(
        whole, position=(5.0, 4.0, 3.0), orientation=start.as_quat(), velocity=velocity, angular_velocity_world=rates
    )
    plane = world.add_shape(shapes.Plane((0.0, 1.0, 1.0), 2.0), angular_velocity_world=rates)
    world.add_body(BOX, position=(0.0, 0.0, 50.0))
    world.step(300)
    turned = Rotation.from_rotvec(5.0 * rates)
    assert mover.position == pytest.approx((5.0, 4.0, 3.0) + 5.0 * velocity, abs=1e-11)
    assert abs(mover.orientation @ (turned * start).as_quat()) == pytest.approx(1.0, abs=1e-12)
    assert plane.position == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
    assert abs(plane.orientation @ turned.as_quat()) == pytest.approx(1.0, abs=1e-12)


def at_door(speed, slope, phase, does_move, restitution, aim=0.3):
    """Place and velocity of a ball of 5 cm relative to a door of 1 cm; either of them moves towards the other one, askew."""
    world, direction = World(1 / 60), np.array((np.cos(slope), np.sin(slope), 0.0))
    velocity, way, material = speed * direction, speed / 60 * (2 + phase) * direction, shapes.Material(0.0, restitution)
    still = np.zeros(3)
    world.add_shape(
        shapes.Box((0.01, 2.0, 2.0)),
        position=-way if does_move else still,
        velocity=velocity if does_move else still,
        material=material,
    )
    ball = world.add_body(
        MassProperties.sphere(1.0, 0.025),
        position=(0.0, aim, 0.2) + (still if does_move else way),
        velocity=still if does_move else -velocity,
    )
    ball.add_shape(shapes.Sphere(0.025), material=material)
    world.step(8)
    if not does_move:
        return ball.position, ball.velocity
    return ball.position - (velocity * world.time - way), ball.velocity - velocity


@pytest.mark.parametrize("speed", [30.0, 3000.0])
@pytest.mark.parametrize("slope", [0.0, 0.5, 1.2])
@pytest.mark.parametrize("restitution", [0.0, 1.0])
def test_a_fast_door_meets_a_ball_as_the_ball_meets_a_door_at_rest(speed, slope, restitution):
    """By the principle of relativity. A rebound is late by less than a tick if the ball is the fast one."""
    count = sized(4, 12)
    for phase in range(count):
        place, velocity = at_door(speed, slope, phase / count, True, restitution)
        expected, seen = at_door(speed, slope, phase / count, False, restitution)
        late = restitution * 2.0 * speed / 60 * np.cos(slope)
        assert place[0] >= 0.03 - 1e-6, phase
        assert place[0] == pytest.approx(expected[0], abs=1e-6 + late), phase
        assert velocity == pytest.approx(seen, abs=1e-9 * speed + 1e-7), phase


@pytest.mark.parametrize("speed", [30.0, 3000.0])
@pytest.mark.parametrize("slope", [0.0, 0.5, 1.2])
def test_a_fast_door_that_misses_a_ball_leaves_it_where_it_is(speed, slope):
    for phase in range(12):
        _place, velocity = at_door(speed, slope, phase / 12, True, 0.0, aim=1.1)
        assert np.array_equal(velocity, -speed * np.array((np.cos(slope), np.sin(slope), 0.0))), phase


@pytest.mark.parametrize("reach", [0.9, 1.1])
def test_a_blade_hits_what_is_within_its_reach_and_misses_what_is_beyond(reach):
    """What it hits is at least as fast as it is there, and at most twice; both are of first order in how far it turns in a tick."""
    for phase in range(12):
        world, turn = World(1 / 60), -1.2 - 12.0 / 60 * phase / 12
        material = shapes.Material(0.0, 1.0)
        across = (0.0, 0.0, np.sin(0.5 * turn), np.cos(0.5 * turn))
        spin = (0.0, 0.0, 12.0)
        world.add_shape(
            shapes.Box((2.0, 0.01, 0.2)), orientation=across, angular_velocity_world=spin, material=material
        )
        ball = world.add_body(MassProperties.sphere(1.0, 0.025), position=(reach, 0.0, 0.0))
        ball.add_shape(shapes.Sphere(0.025), material=material)
        world.step(10)
        least, most = (0.95 * 12.0 * reach, 2.1 * 12.0 * reach) if reach < 1.0 else (0.0, 0.0)
        assert least <= np.linalg.norm(ball.velocity) <= most, phase


def test_a_world_without_bodies_has_shapes_that_move():
    world = World(1 / 60)
    mover = world.add_shape(shapes.Sphere(1.0), velocity=(1.0, 0.0, 0.0))
    world.step(30)
    assert mover.position == pytest.approx((0.5, 0.0, 0.0), abs=1e-14)


def test_round_feet_rest_on_ground_that_turns():
    """A stool on balls stays where it is on a floor that tilts; balls that rolled about the normal of the start would creep by 6e-6 m."""
    world, rate = World(1 / 60), 0.04
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    material = shapes.Material(friction=0.8)
    floor = world.add_shape(shapes.Box((8.0, 8.0, 1.0)), angular_velocity_world=(0.0, rate, rate), material=material)
    stool = world.add_body(MassProperties.box(10.0, (1.0, 1.0, 0.2)), position=(0.0, 0.0, 0.9))
    for x, y in ((0.5, 0.5), (-0.5, 0.5), (0.0, -0.5)):
        stool.add_shape(shapes.Sphere(0.1), position=(x, y, -0.3), material=material)
    stool.angular_velocity_body = (0.0, rate, rate)
    stool.velocity = (0.9 * rate, 0.0, 0.0)
    places = []
    for _ in range(2):
        world.step(120)
        places.append(
            Rotation.from_rotvec((0.0, -rate * world.time, -rate * world.time)).apply(np.array(stool.position))
        )
    assert floor.angular_velocity_world[1] == rate
    assert places[1] == pytest.approx(places[0], abs=1e-8)


def carousel(**options):
    """Boxes and a ball on a turntable that also rises, and a pusher that crosses it."""
    world = World(1 / 60, **options)
    world.add_shape(
        shapes.Box((8.0, 8.0, 0.2)), velocity=(0.0, 0.0, 0.1), angular_velocity_world=(0.1, 0.05, 1.0), name="table"
    )
    world.add_shape(shapes.Sphere(0.5), position=(-5.0, 0.0, 0.7), velocity=(3.0, 0.2, 0.1), name="pusher")
    world.add_shape(shapes.Box((0.5, 0.5, 4.0)), position=(2.0, 2.0, 1.0), velocity=(-0.5, -0.5, 0.0), sensor=True)
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    for number in range(4):
        body = world.add_body(BOX, position=(1.2 * number - 2.0, 0.3 * number, 0.65))
        body.add_shape(shapes.Box((1.0, 1.0, 1.0)) if number else shapes.Sphere(0.5))
    return world


def test_poses_are_state_that_is_kept_copied_hashed_and_undone(tmp_path):
    world = carousel()
    hashes = set()
    for _tick in range(20):
        world.step()
        hashes.add(world.state_hash())
    assert len(hashes) == 20
    kept, forked, copied = world.snapshot(), world.fork(), copy.deepcopy(world)
    file = tmp_path / "scene.json"
    world.save(file)
    placed = world.shapes[0].position
    world.step(25)
    end = world.state_hash()
    for other in (forked, copied):
        for _tick in range(25):
            other.step()
        assert other.state_hash() == end
    for content in (kept, Snapshot.from_bytes(kept.to_bytes())):
        world.restore(content)
        assert np.array_equal(world.shapes[0].position, placed)
        world.step(25)
        assert world.state_hash() == end
    read = World(1 / 60)
    read.restore(Snapshot.from_bytes(kept.to_bytes()))
    read.step(25)
    assert read.state_hash() == end
    loaded = World.load(file)
    assert np.array_equal(loaded.shapes[0].position, placed)
    assert loaded.shapes[0].velocity.tolist() == [0.0, 0.0, 0.1]
    assert loaded.shapes[0].angular_velocity_world.tolist() == [0.1, 0.05, 1.0]


@pytest.mark.parametrize("method", ["free-rotor-2", Substepped("free-rotor-2", 3)])
@pytest.mark.parametrize("calls_python", [False, True])
def test_a_tick_that_fails_moves_nothing(method, calls_python):
    world = carousel(integrator=method)
    if calls_python:
        world.add_force(lambda wrench, bodies, time: None)
    world.step(20)
    world.bodies[1].apply_torque((0.1 * np.finfo(float).max, 0.1 * np.finfo(float).max, 0.0))
    with pytest.raises(NonFiniteStateError):
        for _tick in range(5):
            before, poses = world.state_hash(), [(shape.position, shape.orientation) for shape in world.shapes]
            world.step()
    assert world.state_hash() == before
    for shape, (position, orientation) in zip(world.shapes, poses, strict=True):
        assert np.array_equal(shape.position, position) and np.array_equal(shape.orientation, orientation)


def test_a_change_of_velocity_in_a_tick_that_fails_is_undone():
    world = carousel()
    world.step(10)
    before = world.state_hash()

    def fails(world):
        world.shapes[0].velocity = (5.0, 0.0, 0.0)
        world.shapes[1].angular_velocity_world = (0.0, 0.0, 1.0)
        raise RuntimeError("on purpose")

    world.on_tick(fails)
    with pytest.raises(RuntimeError, match="on purpose"):
        world.step()
    world.remove_callback(fails)
    assert world.state_hash() == before and world.shapes[0].velocity.tolist() == [0.0, 0.0, 0.1]


def test_steps_of_a_divided_tick_move_shapes_as_ticks_do():
    worlds = []
    for method, dt, ticks in (("free-rotor-2", 1 / 240, 120), (Substepped("free-rotor-2", 4), 1 / 60, 30)):
        world = carousel(integrator=method) if dt == 1 / 60 else None
        if world is None:
            world = World(dt, integrator=method)
            table = carousel()
            for shape in table.shapes[:3]:
                world.add_shape(
                    shape.shape,
                    position=shape.position,
                    velocity=shape.velocity,
                    angular_velocity_world=shape.angular_velocity_world,
                    sensor=shape.sensor,
                )
            world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
            for body in table.bodies:
                added = world.add_body(BOX, position=body.position)
                added.add_shape(body.shapes[0].shape)
        world.step(ticks)
        worlds.append(world)
    assert np.array_equal(worlds[0].shapes[0].position, worlds[1].shapes[0].position)
    assert np.array_equal(worlds[0].shapes[0].orientation, worlds[1].shapes[0].orientation)
    assert np.array_equal(worlds[0].state.position, worlds[1].state.position)


def carried():
    world = carousel(compilation="wait")
    world.step(sized(20, 45))
    assert len(world.contacts)
    return f"{world.state_hash():x}"


def test_plain_python_has_the_same_bits():
    assert in_plain_python(carried) == carried()


def test_a_python_force_at_stages_lets_shapes_move():
    world, belt, cube = on(shapes.Plane(), (0.0, 0.0, 0.5), velocity=(0.5 * G * 24 / 60, 0.0, 0.0))
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    seen = []
    world.add_force(lambda wrench, bodies, time: seen.append(time))
    for tick in range(1, 60):
        world.step()
        assert cube.velocity[0] == pytest.approx(0.5 * G * min(tick, 24) / 60, abs=1e-7)
        assert belt.position[0] == pytest.approx(0.5 * G * 24 / 60 * tick / 60, abs=1e-12)
    assert seen


def test_a_moving_origin_moves_them_too():
    world = carousel()
    world.step(10)
    before = world.shapes[0].position
    world.shift_origin((100.0, 0.0, 0.0))
    assert world.shapes[0].position == pytest.approx(before - (100.0, 0.0, 0.0), abs=1e-12)


def test_bad_velocities_are_named():
    world = World(1 / 60)
    with pytest.raises(ValueError, match=r"World\.add_shape: velocity must be"):
        world.add_shape(shapes.Plane(), velocity=(np.nan, 0.0, 0.0))
    with pytest.raises(ValueError, match=r"World\.add_shape: angular_velocity_world must be"):
        world.add_shape(shapes.Plane(), angular_velocity_world=(1.0, 0.0))
    assert world.shapes == ()
    ball = world.add_body(BOX, name="ball")
    own = ball.add_shape(shapes.Sphere(0.5))
    for name in ("velocity", "angular_velocity_world"):
        with pytest.raises(ValueError, match=f"{name} must be left as it is"):
            setattr(own, name, (1.0, 0.0, 0.0))
    belt = world.add_shape(shapes.Plane())
    with pytest.raises(ValueError, match="velocity must be"):
        belt.velocity = (np.inf, 0.0, 0.0)
    with pytest.raises(TypeError, match="velocity must be"):
        belt.velocity = "fast"


@pytest.mark.parametrize("speed", [2.0, 50.0])
@pytest.mark.parametrize("kind", [joints.Weld, joints.Ball])
def test_a_press_that_squeezes_crates_on_a_joint_into_the_ground_is_no_conflict_of_joints(kind, speed):
    """The crates cannot give way; the joint holds, and they overlap the ground and the press."""
    world = World(1 / 60)
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    world.add_shape(shapes.Plane())
    crates = world.add_bodies(MassProperties.box(2.0, (0.4, 0.4, 0.4)), [(0.0, 0.0, 0.2), (0.0, 0.0, 0.6)])
    for crate in crates:
        crate.add_shape(shapes.Box((0.4, 0.4, 0.4)))
    joint = world.add_joint(kind(*crates, at_body=(0.0, 0.0, 0.2)))
    world.add_shape(shapes.Box((3.0, 3.0, 0.5)), position=(0.0, 0.0, 1.2), velocity=(0.0, 0.0, -speed))
    for _tick in range(60):
        world.step()
        assert crates[0].to_world(joint.at_body) == pytest.approx(crates[1].to_world(joint.at_other), abs=1e-9)
    assert all(np.linalg.norm(crate.velocity) < 1e-3 for crate in crates)
