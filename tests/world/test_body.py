"""The handle of a body: its attributes, forces for one tick, impulses, and poses for drawing."""

import copy
import math
import operator
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from engine import MassProperties, World, forces, integrators

from ..helpers import SKEW_AXES, SKEW_ORIENTATION, for_order, one_body, skew_tensor
from ..worlds import CENTER, METHODS, OTHER, PROPERTIES, START, everything, skew_body, turned

# what is read and written


def test_what_is_set_is_read_back():
    _, ship = skew_body()
    for name in ("position", "velocity", "angular_velocity_body", "stored_momentum_body"):
        setattr(ship, name, [0.1, -0.7, 2.0])
        assert_array_equal(getattr(ship, name), (0.1, -0.7, 2.0))
    for name in ("angular_velocity_world", "angular_momentum_world"):
        setattr(ship, name, (0.1, -0.7, 2.0))
        assert_allclose(getattr(ship, name), (0.1, -0.7, 2.0), atol=2e-15)
    ship.orientation = (0.36, -0.48, 0.48, 0.64)
    assert_allclose(ship.orientation, (0.36, -0.48, 0.48, 0.64), atol=2e-16)
    ship.orientation = np.array((0.36, -0.48, 0.48, 0.64)) * (1.0 + 9e-7)
    assert_allclose(ship.orientation, (0.36, -0.48, 0.48, 0.64), atol=2e-16)


ARRAYS_OF_A_BODY = (
    "position orientation velocity angular_velocity_body angular_velocity_world angular_momentum_world stored_momentum_body "
    "rotation_matrix origin center_of_mass_body inertia_body inverse_inertia_body inertia_world inverse_inertia_world"
).split()


def test_an_orientation_that_was_read_is_set_again_to_the_same_bits():
    """Its length is one to rounding, by which it must not be divided once more."""
    world, ship = skew_body(0.1)
    for _ in range(100):
        world.step()
        read = ship.orientation
        ship.orientation = read
        assert_array_equal(ship.orientation, read)
        world.state.orientation = read[np.newaxis]
        assert_array_equal(ship.orientation, read)


@pytest.mark.parametrize("name", ARRAYS_OF_A_BODY)
def test_what_is_read_of_a_body_is_a_fresh_read_only_copy(name):
    world, ship = skew_body()
    read = getattr(ship, name)
    assert read.dtype == np.float64
    assert not read.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        read[0] += 1.0
    kept = read.copy()
    ship.position, ship.velocity = (9.0, 9.0, 9.0), (8.0, 8.0, 8.0)
    ship.angular_velocity_body = ship.stored_momentum_body = (7.0, 7.0, 7.0)
    ship.mass_properties = OTHER
    ship.orientation = (0.5, 0.5, -0.5, 0.5)
    world.step()
    assert_array_equal(read, kept)
    assert getattr(ship, name) is not read


SETTABLE = (
    "position velocity angular_velocity_body angular_velocity_world angular_momentum_world stored_momentum_body".split()
)
CHANGES = {
    "+=": lambda value: operator.iadd(value, (0.5, -0.25, 2.0)),
    "-=": lambda value: operator.isub(value, np.array([0.5, -0.25, 2.0])),
    "*=": lambda value: operator.imul(value, 1.5),
    "/=": lambda value: operator.itruediv(value, (2, 4, 8)),
    "@=": lambda value: operator.imatmul(value, SKEW_AXES),
    "//=": lambda value: operator.ifloordiv(value, 0.5),
    "%=": lambda value: operator.imod(value, 0.5),
    "**=": lambda value: operator.ipow(value, 2),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", SETTABLE)
def test_a_vector_of_a_body_can_be_changed_by_augmented_assignment(name, change):
    """`ship.velocity += dv` sets the sum on the body, and `v = ship.velocity; v += dv` leaves the body as it is."""
    _, ship = skew_body()
    ship.stored_momentum_body = (0.2, 0.3, -0.4)
    kept = getattr(ship, name)
    wanted = CHANGES[change](kept.copy())
    assert type(kept.copy()) is np.ndarray and kept.copy().flags.writeable
    value = CHANGES[change](kept)
    assert type(value) is np.ndarray and value.flags.writeable
    assert_array_equal(value, wanted)
    assert_array_equal(getattr(ship, name), kept)
    setattr(ship, name, CHANGES[change](getattr(ship, name)))
    assert_allclose(getattr(ship, name), wanted, rtol=1e-14, atol=1e-14)


def test_augmented_assignment_is_written_as_for_a_number():
    world, ship = skew_body()
    spring = world.add_force(forces.Spring(ship, None, stiffness=1.0, at_other=(1.0, 2.0, 3.0)))
    memory = world.memory.add("integral", 3)
    ship.velocity += (1.0, 2.0, 3.0)
    ship.orientation *= -1.0
    spring.at_other -= (1.0, 0.0, 1.0)
    world.springs.rest_length += 0.5
    world.state.position *= 2.0
    memory.value += 1.5
    assert_allclose(ship.velocity, np.array(START["velocity"]) + np.arange(1, 4), rtol=1e-15)
    assert_array_equal(ship.orientation, -np.array(SKEW_ORIENTATION))
    assert spring.at_other.tolist() == [0.0, 2.0, 2.0]
    assert spring.rest_length == 0.5
    assert_array_equal(ship.position, 2.0 * np.array(START["position"]))
    assert memory.value.tolist() == [1.5, 1.5, 1.5]
    with pytest.raises(ValueError, match="velocity must be 3 finite real numbers"):
        ship.velocity *= np.inf
    with pytest.raises(
        ValueError, match=r"read-only; assign the whole value, as in ship.velocity = .* ship.velocity.copy"
    ):
        ship.velocity[0] += 1.0


def test_results_of_arithmetic_with_what_was_read_are_plain_arrays_and_numbers():
    _, ship = skew_body()
    v, plain = ship.velocity, np.array(START["velocity"])
    for result, wanted in (
        (v + v, plain + plain),
        (2.0 * v, 2.0 * plain),
        (-v, -plain),
        (v > 0.1, plain > 0.1),
        (np.sqrt(v * v), np.sqrt(plain * plain)),
        (np.add(v, 1.0), plain + 1.0),
        (np.cross(v, plain[::-1]), np.cross(plain, plain[::-1])),
        (SKEW_AXES @ v, SKEW_AXES @ plain),
        (np.einsum("ij,j->i", SKEW_AXES, v), np.einsum("ij,j->i", SKEW_AXES, plain)),
        (np.stack([v, v]), np.stack([plain, plain])),
        (v.cumsum(), plain.cumsum()),
        (v.astype(np.float32), plain.astype(np.float32)),
        (copy.copy(v), plain),
        (copy.deepcopy(v), plain),
        (pickle.loads(pickle.dumps(v)), plain),
    ):
        assert type(result) is np.ndarray and result.flags.writeable
        assert result.dtype == wanted.dtype
        assert_array_equal(result, wanted)
    for number in (v @ v, v.sum(), v.max(), v.mean(), np.dot(v, v), v[1]):
        assert type(number) is np.float64
    assert repr(v) == repr(plain)


def test_what_is_read_follows_the_rows_of_the_bodies_as_they_move_and_as_the_arrays_grow():
    world, ship = skew_body()
    others = world.add_bodies(OTHER, np.ones((3, 3)))
    assert others[2].position.tolist() == [1.0, 1.0, 1.0]
    world.remove_body(others[0])
    others[2].position = (1.0, 2.0, 3.0)
    assert (others[1].position.tolist(), others[2].position.tolist()) == ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0])
    seen = world.state.velocity
    assert ship.velocity.tolist() == list(START["velocity"])
    world.add_bodies(OTHER, np.zeros((300, 3)))  # into a larger array
    ship.velocity = (7.0, 8.0, 9.0)
    assert ship.velocity.tolist() == world.state.velocity[0].tolist() == [7.0, 8.0, 9.0]
    assert (seen.shape, world.state.velocity.shape) == ((3, 3), (303, 3))
    world.step()
    assert_allclose(ship.position, np.array(START["position"]) + 0.01 * np.array([7.0, 8.0, 9.0]), rtol=1e-14)


def test_a_rate_without_a_frame_names_the_two_that_have_one():
    _, ship = skew_body()
    message = r"body 'ship': angular_velocity needs a frame; use angular_velocity_body \(body frame\) or angular_velocity_world \(world"
    with pytest.raises(AttributeError, match=message):
        ship.angular_velocity  # noqa: B018
    with pytest.raises(AttributeError, match=message):
        ship.angular_velocity = (0.0, 0.0, 1.0)
    with pytest.raises(AttributeError, match=message):
        ship.angular_velocity += (0.0, 0.0, 1.0)
    assert not hasattr(ship, "angular_velocity")


def test_a_body_carries_any_object_which_is_no_part_of_the_simulation():
    world, ship = skew_body()
    assert ship.user_data is None
    before = world.state_hash()
    player = {"score": 3, "body": ship, "engine": open}
    ship.user_data = player
    assert world.body("ship").user_data is player
    assert world.state_hash() == before
    for other in (copy.deepcopy(world), pickle.loads(pickle.dumps(world))):
        assert other.body("ship").user_data is None
        assert other.state_hash() == before
    assert ship.user_data is player


def test_an_assigned_object_is_taken_back_with_a_failed_tick_and_its_inside_is_not():
    world, ship = skew_body()
    player = ship.user_data = {"score": 3}

    @world.on_tick
    def fail(world):
        player["score"] = 4
        ship.user_data = "another"
        raise LookupError

    with pytest.raises(LookupError):
        world.step()
    assert ship.user_data is player
    assert player == {"score": 4}


def test_poses_are_read_only_too():
    world, ship = skew_body()
    for array in (
        *ship.interpolated_pose(),
        ship.to_world((0, 0, 0)),
        ship.to_body((0, 0, 0)),
        ship.velocity_at((0, 0, 0)),
    ):
        assert not array.flags.writeable
    assert not world.linear_momentum().flags.writeable
    assert not world.angular_momentum().flags.writeable


def test_world_axes_quantities_are_turned_body_quantities():
    _, ship = skew_body()
    ship.stored_momentum_body = (0.2, 0.5, -0.3)
    rotation = turned(ship).as_matrix()
    assert_allclose(ship.rotation_matrix, rotation, atol=3e-16)
    assert_allclose(ship.angular_velocity_world, rotation @ START["angular_velocity_body"], atol=1e-15)
    assert_allclose(ship.inertia_world, rotation @ ship.inertia_body @ rotation.T, atol=2e-15)
    assert_allclose(ship.inverse_inertia_world, rotation @ np.linalg.inv(ship.inertia_body) @ rotation.T, atol=2e-15)
    assert_allclose(ship.inertia_world @ ship.inverse_inertia_world, np.eye(3), atol=2e-15)
    momentum = rotation @ (ship.inertia_body @ START["angular_velocity_body"] + (0.2, 0.5, -0.3))
    assert_allclose(ship.angular_momentum_world, momentum, atol=2e-15)
    ship.angular_momentum_world = (1.0, 2.0, 3.0)
    expected = np.linalg.solve(ship.inertia_body, rotation.T @ (1.0, 2.0, 3.0) - np.array((0.2, 0.5, -0.3)))
    assert_allclose(ship.angular_velocity_body, expected, atol=5e-15)
    assert_array_equal(ship.stored_momentum_body, (0.2, 0.5, -0.3))


def test_points_and_directions_go_to_world_axes_and_back():
    _, ship = skew_body()
    rotation = turned(ship)
    rng = np.random.default_rng(8)
    for shape in ((3,), (5, 3), (2, 4, 3), (0, 3)):
        points = rng.normal(size=shape)
        flat = points.reshape(-1, 3)
        expected = START["position"] + rotation.apply(flat - CENTER) if len(flat) else flat
        assert_allclose(ship.to_world(points).reshape(-1, 3), expected, atol=2e-15)
        assert_allclose(ship.to_body(ship.to_world(points)), points, atol=3e-15)
        if len(flat):
            assert_allclose(ship.direction_to_world(points).reshape(-1, 3), rotation.apply(flat), atol=2e-15)
        assert_allclose(ship.direction_to_body(ship.direction_to_world(points)), points, atol=3e-15)
        if len(flat):
            spin = np.cross(ship.angular_velocity_world, rotation.apply(flat - CENTER))
            assert_allclose(ship.velocity_at(points).reshape(-1, 3), START["velocity"] + spin, atol=3e-15)
        assert ship.to_world(points).shape == ship.velocity_at(points).shape == shape
    assert_allclose(ship.to_world(CENTER), ship.position, atol=1e-15)
    assert_allclose(ship.velocity_at(CENTER), ship.velocity, atol=1e-15)
    assert_allclose(ship.to_world((0, 0, 0)), ship.origin, atol=0)


def test_velocity_at_is_how_fast_the_point_moves():
    """Central difference of to_world over two ticks, exact to dt²·|ω|³·r/6."""
    dt = 1e-3
    world, ship = skew_body(dt)
    point = (0.9, -1.2, 0.4)
    world.step(10)
    before = ship.to_world(point)
    world.step()
    speed = ship.velocity_at(point)
    world.step()
    assert_allclose(speed, (ship.to_world(point) - before) / (2 * dt), atol=2e-6)


def test_world_arrays_are_the_bodies_in_order_and_read_only():
    world = World(0.1)
    rng = np.random.default_rng(5)
    bodies = world.add_bodies(
        [PROPERTIES, OTHER, PROPERTIES],
        rng.normal(size=(3, 3)),
        orientation=Rotation.random(3, random_state=rng).as_quat(),
        velocity=rng.normal(size=(3, 3)),
        angular_velocity_body=rng.normal(size=(3, 3)),
    )
    bodies[1].stored_momentum_body = (1, 2, 3)
    world.step(2)
    for name in (
        "position",
        "orientation",
        "velocity",
        "angular_velocity_body",
        "angular_velocity_world",
        "stored_momentum_body",
    ):
        read = getattr(world.state, name)
        assert_allclose(read, [getattr(body, name) for body in bodies], atol=1e-16)
        with pytest.raises(ValueError, match="read-only"):
            read[0] = 1.0
    for name in ("mass", "inverse_mass", "center_of_mass_body", "inertia_body", "inverse_inertia_body"):
        read = getattr(world.model, name)
        assert_array_equal(read, [getattr(body, name) for body in bodies])
        with pytest.raises(ValueError, match="read-only"):
            read[0] = 1.0


def test_assigning_a_whole_array_writes_it():
    world = World(0.1)
    bodies = world.add_bodies(PROPERTIES, np.zeros((3, 3)), orientation=SKEW_ORIENTATION)
    rows = np.arange(9.0).reshape(3, 3)
    for name in ("position", "velocity", "angular_velocity_body", "stored_momentum_body"):
        setattr(world.state, name, rows)
        assert_array_equal([getattr(body, name) for body in bodies], rows)
    world.state.angular_velocity_world = rows
    assert_allclose([body.angular_velocity_world for body in bodies], rows, atol=4e-15)
    turns = Rotation.random(3, random_state=np.random.default_rng(1)).as_quat()
    world.state.orientation = turns
    assert_allclose([body.orientation for body in bodies], turns, atol=2e-16)
    world.state.velocity = world.state.position  # a view of its own array
    assert_array_equal(world.state.velocity, rows)


def test_a_world_without_bodies_goes_on_too():
    world = World(0.1)
    world.add_force(forces.UniformGravity((0, 0, -1)))
    world.add_force(forces.LinearDrag(1.0))
    world.step(3)
    assert world.time == 3 * 0.1
    assert world.kinetic_energy() == world.potential_energy() == 0.0
    assert_array_equal(world.linear_momentum(), np.zeros(3))
    origins, orientations = world.interpolated_poses()
    assert (origins.shape, orientations.shape) == ((0, 3), (0, 4))
    world.state.position = np.zeros((0, 3))


# pushes for one tick


def pushed_once(push, ticks, advance=None):
    """Change of momentum and angular momentum that `push(ship)` makes of a body that does not turn."""
    world, ship = skew_body(0.125)
    ship.angular_velocity_body = (0, 0, 0)
    ship.velocity = (0, 0, 0)
    push(ship)
    if advance is None:
        world.step(ticks)
    else:
        assert world.advance(advance) == ticks
    return ship.mass * ship.velocity, ship.angular_momentum_world


@pytest.mark.parametrize("ticks", [1, 2, 7])
def test_a_push_acts_in_exactly_the_next_tick_whatever_number_of_ticks_a_frame_takes(ticks):
    """F for one tick is the impulse F·dt, also in a frame of seven ticks, and in a frame that takes none it waits."""
    force = np.array((3.0, -1.0, 2.0))
    momentum, spin = pushed_once(lambda ship: ship.apply_force(force), ticks)
    assert_allclose(momentum, 0.125 * force, rtol=1e-15)
    assert_allclose(spin, np.zeros(3), atol=1e-16)
    framed, _ = pushed_once(lambda ship: ship.apply_force(force), ticks, advance=0.125 * ticks)
    assert_array_equal(framed, momentum)


def test_a_push_waits_through_frames_without_a_tick():
    world, ship = skew_body(0.125)
    ship.velocity = (0, 0, 0)
    ship.apply_force((3.0, 0.0, 0.0))
    assert [world.advance(0.03125) for _ in range(3)] == [0, 0, 0]
    assert_array_equal(ship.velocity, np.zeros(3))
    assert world.advance(0.03125) == 1
    assert_allclose(ship.velocity, (0.125, 0.0, 0.0), rtol=1e-15)
    world.advance(1.0)
    assert_allclose(ship.velocity, (0.125, 0.0, 0.0), rtol=1e-15)


def test_pushes_add_up_and_each_lasts_one_tick():
    def push(ship):
        ship.apply_force((1.0, 2.0, 3.0))
        ship.apply_force((0.5, 0.0, 0.0))
        ship.apply_torque((0.1, -0.2, 0.3))
        ship.apply_torque((0.1, 0.0, 0.0))

    momentum, spin = pushed_once(push, 3)
    assert_allclose(momentum, 0.125 * np.array((1.5, 2.0, 3.0)), rtol=1e-15)
    assert_allclose(spin, 0.125 * np.array((0.2, -0.2, 0.3)), rtol=1e-14)


@pytest.mark.parametrize("method", METHODS)
def test_the_four_pushes_are_the_same_push_in_other_words(method):
    """For one tick of a body at rest, the world frame and the body frame differ by the constant R (to the order of the turn, dt²)."""
    force, at_body = np.array((3.0, -1.0, 2.0)), np.array((0.7, 0.6, -0.9))
    results = []
    for words in range(4):
        world, ship = skew_body(1e-5, integrator=method)
        ship.angular_velocity_body = (0, 0, 0)
        rotation, arm = turned(ship), at_body - CENTER
        if words == 0:
            ship.apply_force_body(force, at_body)
        elif words == 1:
            ship.apply_force(rotation.apply(force), ship.to_world(at_body))
        elif words == 2:
            ship.apply_force_body(force)
            ship.apply_torque_body(np.cross(arm, force))
        else:
            ship.apply_force(rotation.apply(force))
            ship.apply_torque(np.cross(rotation.apply(arm), rotation.apply(force)))
        world.step(2)
        results.append(np.concatenate([(ship.velocity - START["velocity"]) / 1e-5, ship.angular_velocity_body / 1e-5]))
    expected = np.concatenate(
        [
            rotation.apply(force) / ship.mass,
            np.linalg.solve(ship.inertia_body, np.cross(arm, force)),
        ]
    )
    for result in results:
        assert_allclose(result, expected, atol=2e-9)


@pytest.mark.parametrize("staged", [False, True])
def test_a_push_inside_on_tick_acts_in_the_tick_that_starts(staged):
    world, ship = skew_body(0.125)
    if staged:
        world.add_force(lambda wrench, bodies, time: None)
    ship.velocity = (0, 0, 0)
    speeds = []

    @world.on_tick
    def push(world):
        speeds.append(ship.velocity[0])
        if world.tick_count == 1:
            ship.apply_force((24.0, 0.0, 0.0))

    world.step(4)
    assert speeds == [0.0, 0.0, 1.0, 1.0]
    assert_allclose(ship.position[0], START["position"][0] + 0.125 * (0.5 + 1.0 + 1.0), rtol=1e-15)


def test_a_push_on_a_body_that_is_removed_goes_with_it():
    world, ship = skew_body()
    other = world.add_body(OTHER)
    ship.apply_force((1.0, 0.0, 0.0))
    world.remove_body(ship)
    world.step()
    assert_array_equal(other.velocity, np.zeros(3))


def test_a_push_after_rows_have_moved_acts_on_its_own_body():
    """Three bodies are pushed, the last one first. The first body goes, and the next push is on the body in the old row of the last."""
    world = World(0.125, integrator="semi-implicit-euler")
    gone, one, two, other = world.add_bodies(OTHER, np.arange(12.0).reshape(4, 3))
    for body in (two, one, gone):
        body.apply_force((1.0, 0.0, 0.0))
    world.remove_body(gone)
    other.apply_force((0.0, 2.0, 0.0))
    world.step()
    for body in (one, two):
        assert_allclose(body.velocity, (0.125 / OTHER.mass, 0.0, 0.0), rtol=1e-15)
    assert_allclose(other.velocity, (0.0, 0.25 / OTHER.mass, 0.0), rtol=1e-15)


def test_pushes_before_and_after_rows_have_moved_are_one_sum():
    """The sum on a body is checked when it is pushed again, in whatever row it is now."""
    world = World(0.125)
    gone, body, _other = world.add_bodies(OTHER, np.arange(9.0).reshape(3, 3))
    body.apply_force((1.5e308, 0.0, 0.0))
    world.remove_body(gone)
    with pytest.raises(ValueError, match="too large"):
        body.apply_force((1.5e308, 0.0, 0.0))


def test_a_body_force_turns_with_the_body_over_the_tick_and_a_world_force_does_not():
    """Steady spin Ω about the force's normal: the mean of a body force over a tick is sin(Ωdt)/(Ωdt) of it, turned by half the angle."""
    spin, dt = 3.0, 0.1
    for push in ("apply_force_body", "apply_force"):
        world, ship = one_body("rk4", dt, inertia_body=(1.0, 1.0, 2.0), angular_velocity_body=(0, 0, spin))
        getattr(ship, push)((1.0, 0.0, 0.0))
        world.step()
        angle = spin * dt
        turned_force = np.array((math.sin(angle), 1.0 - math.cos(angle), 0.0)) / spin
        assert_allclose(
            ship.velocity, turned_force if push == "apply_force_body" else (dt, 0.0, 0.0), atol=angle**5 * dt / 100
        )


# blows at once


def test_an_impulse_acts_at_once():
    """Δv = J/m, Δω = I⁻¹ (r × J) with r from the mass centre, all in the world frame; energy by the closed form."""
    world, ship = skew_body()
    impulse, at_body = np.array((0.5, -1.5, 2.0)), np.array((0.7, 0.6, -0.9))
    rotation = turned(ship)
    momentum = ship.angular_momentum_world
    ship.apply_impulse(impulse, ship.to_world(at_body))
    assert world.tick_count == 0
    assert_allclose(ship.velocity, np.array(START["velocity"]) + impulse / 3.0, rtol=1e-15)
    turn = np.cross(rotation.apply(at_body - CENTER), impulse)
    assert_allclose(ship.angular_momentum_world - momentum, turn, atol=1e-14)
    after = ship.velocity, ship.angular_velocity_body

    _, same = skew_body()
    same.apply_impulse_body(rotation.inv().apply(impulse), at_body)
    assert_allclose(same.velocity, after[0], rtol=1e-14)
    assert_allclose(same.angular_velocity_body, after[1], rtol=1e-14)

    _, apart = skew_body()
    apart.apply_impulse(impulse)
    assert_array_equal(apart.angular_velocity_body, START["angular_velocity_body"])
    apart.apply_angular_impulse(turn)
    assert_allclose(apart.velocity, after[0], rtol=1e-15)
    assert_allclose(apart.angular_velocity_body, after[1], rtol=1e-13)
    body_only = skew_body()[1]
    body_only.apply_impulse_body(rotation.inv().apply(impulse))
    assert_allclose(body_only.velocity, after[0], rtol=1e-14)
    assert_array_equal(body_only.angular_velocity_body, START["angular_velocity_body"])


@pytest.mark.parametrize("method", METHODS)
def test_an_impulse_is_a_force_over_one_tick(method):
    """Momentum and angular momentum after a tick, without and with other motion: Δp = F·dt and, at rest, ΔL = r × F·dt."""
    dt, force, at = 1 / 120, np.array((3.0, -1.0, 2.0)), np.array((1.7, -2.6, 3.9))
    pushed_world, pushed = skew_body(dt, integrator=method)
    struck_world, struck = skew_body(dt, integrator=method)
    pushed.apply_force(force, at)
    struck.apply_impulse(dt * force, at)
    pushed_world.step()
    struck_world.step()
    assert_allclose(pushed.velocity, struck.velocity, rtol=1e-14)
    # world momentum methods keep r × F exactly; the others to their order in a turn of 0.014 rad
    order = integrators.by_name[method]().order
    tolerance = 1e-14 if method == "rk4" else for_order(order, {1: 1e-2, 2: 1e-4, 4: 1e-8})
    assert_allclose(
        pushed.angular_momentum_world,
        struck.angular_momentum_world,
        rtol=0,
        atol=tolerance * np.linalg.norm(dt * force) + 3e-15,
    )


# mass properties in flight


def test_new_mass_properties_leave_the_origin_the_axes_and_the_motion_of_every_point():
    """Material points go on as they did: v(point) is the same before and after, for any point, and so is the drawn pose."""
    world, ship = skew_body(0.1)
    world.step(3)
    points = np.array([(0.0, 0.0, 0.0), (1.0, 2.0, -3.0), (-0.5, 0.1, 0.9)])
    origin, velocities, places = ship.origin, ship.velocity_at(points), ship.to_world(points)
    rates, orientation = ship.angular_velocity_body, ship.orientation
    drawn = [ship.interpolated_pose(alpha) for alpha in (0.0, 0.4, 1.0)]
    center = ship.position
    ship.mass_properties = OTHER
    assert ship.mass_properties is OTHER
    assert (ship.mass, ship.inverse_mass) == (0.7, 1.0 / 0.7)
    assert_array_equal(ship.inertia_body, OTHER.inertia_body)
    assert_array_equal(ship.inverse_inertia_body, OTHER.inverse_inertia_body)
    assert_array_equal(world.model.center_of_mass_body, [OTHER.center_of_mass_body])
    assert_array_equal(ship.angular_velocity_body, rates)
    assert_array_equal(ship.orientation, orientation)
    assert_allclose(ship.origin, origin, atol=1e-15)
    assert_allclose(ship.to_world(points), places, atol=2e-15)
    assert_allclose(ship.velocity_at(points), velocities, atol=2e-15)
    assert_allclose(
        ship.position - center, turned(ship).apply(np.subtract(OTHER.center_of_mass_body, CENTER)), atol=1e-15
    )
    for alpha, (position, turn) in zip((0.0, 0.4, 1.0), drawn, strict=True):
        assert_allclose(ship.interpolated_pose(alpha)[0], position, atol=2e-3 if alpha == 0.4 else 2e-15)
        assert_array_equal(ship.interpolated_pose(alpha)[1], turn)


def test_a_burnt_load_takes_its_momentum_with_it():
    """Mass that leaves at the speed of the points it sat at leaves the rest undisturbed: p and L before = rest + load after."""
    load = MassProperties(2.0, skew_tensor((0.3, 0.4, 0.5)), (1.5, 0.2, -0.7))
    identity = (0, 0, 0, 1)
    both = MassProperties.compound([(PROPERTIES, (0, 0, 0), identity), (load, (0, 0, 0), identity)])
    world = World(0.1)
    ship = world.add_body(both, **START)
    momentum, spin = world.linear_momentum(), world.angular_momentum((0.3, 0.4, 0.5))
    place, speed = ship.to_world(load.center_of_mass_body), ship.velocity_at(load.center_of_mass_body)
    ship.mass_properties = PROPERTIES
    world.add_body(
        load,
        position=place,
        velocity=speed,
        orientation=ship.orientation,
        angular_velocity_body=ship.angular_velocity_body,
    )
    assert_allclose(world.linear_momentum(), momentum, rtol=1e-14)
    assert_allclose(world.angular_momentum((0.3, 0.4, 0.5)), spin, rtol=1e-13)


def test_forces_know_new_mass_properties_at_once():
    """Weight and lever of the next tick are those of the new mass and mass centre."""
    world, ship = skew_body(0.01, integrator="semi-implicit-euler", game_mode=True)
    world.add_force(forces.UniformGravity((0, 0, -10.0)))
    thruster = world.add_force(forces.Thruster(ship, position=(1.0, 0.0, 0.0), direction=(0, 0, 1), max_force=5.0))
    thruster.throttle = 1.0
    world.step()
    ship.mass_properties = OTHER
    before = ship.velocity, ship.angular_velocity_body
    thrust = turned(ship).apply((0, 0, 5.0))
    world.step()
    assert_allclose((ship.velocity - before[0]) / 0.01, thrust / 0.7 + (0, 0, -10.0), rtol=1e-11)
    torque = np.cross(np.subtract((1.0, 0.0, 0.0), OTHER.center_of_mass_body), (0, 0, 5.0))
    assert_allclose(
        (ship.angular_velocity_body - before[1]) / 0.01, np.linalg.solve(OTHER.inertia_body, torque), rtol=1e-11
    )


@pytest.mark.parametrize("bad", [None, 5.0, MassProperties.rod(1.0, 2.0), MassProperties.point_mass(1.0)], ids=str)
def test_what_cannot_turn_freely_is_no_mass_of_a_body(bad):
    world, ship = skew_body()
    before = everything(world)
    with pytest.raises((TypeError, ValueError), match="body 'ship': mass_properties must be"):
        ship.mass_properties = bad
    with pytest.raises((TypeError, ValueError), match="body 'new': mass_properties must be"):
        world.add_body(bad, name="new")
    assert everything(world) == before


# poses for drawing


def test_interpolated_poses_end_at_the_last_two_ticks():
    world, ship = skew_body(0.1)
    world.step(2)
    before = ship.origin, ship.orientation
    world.step()
    for alpha, (origin, orientation) in ((0.0, before), (1.0, (ship.origin, ship.orientation))):
        drawn = ship.interpolated_pose(alpha)
        assert_allclose(drawn[0], origin, atol=2e-15)
        assert_allclose(drawn[1], orientation, atol=4e-16)


def test_between_ticks_the_mass_centre_goes_straight_and_the_turn_at_constant_rate():
    world, ship = skew_body(0.1)
    before = ship.position, turned(ship)
    world.step()
    turn = (before[1].inv() * turned(ship)).as_rotvec()
    for alpha in (0.25, 0.5, 0.8):
        origin, orientation = ship.interpolated_pose(alpha)
        expected = before[1] * Rotation.from_rotvec(alpha * turn)
        assert (Rotation.from_quat(orientation).inv() * expected).magnitude() < 4e-16
        center = before[0] + alpha * (ship.position - before[0])
        assert_allclose(origin, center - expected.apply(CENTER), atol=2e-15)


def test_interpolated_poses_of_the_world_are_those_of_its_bodies():
    world = World(0.125)
    rng = np.random.default_rng(3)
    bodies = world.add_bodies(
        [PROPERTIES, OTHER, PROPERTIES, OTHER],
        rng.normal(size=(4, 3)),
        orientation=Rotation.random(4, random_state=rng).as_quat(),
        velocity=rng.normal(size=(4, 3)),
        angular_velocity_body=3.0 * rng.normal(size=(4, 3)),
    )
    hashed = None
    for elapsed in (0.3125, 0.03125, 0.0):
        world.advance(elapsed)
        hashed = world.state_hash()
        origins, orientations = world.interpolated_poses()
        for body, origin, orientation in zip(bodies, origins, orientations, strict=True):
            for pose in (body.interpolated_pose(), body.interpolated_pose(world.alpha)):
                assert_array_equal(pose[0], origin)
                assert_array_equal(pose[1], orientation)
    assert world.state_hash() == hashed
    assert world.alpha > 0.0


def test_interpolated_poses_of_many_bodies_are_those_of_each():
    """More bodies than a block of the loop has columns (264), the last block not full."""
    world = World(0.125)
    rng = np.random.default_rng(4)
    bodies = world.add_bodies(PROPERTIES, rng.normal(size=(600, 3)), velocity=rng.normal(size=(600, 3)))
    world.step()
    origins, orientations = world.state.interpolated_poses(0.375)
    for body, origin, orientation in zip(bodies, origins, orientations, strict=True):
        pose = body.interpolated_pose(0.375)
        assert_array_equal(pose[0], origin)
        assert_array_equal(pose[1], orientation)
    for alpha in (1.0 + 1e-15, 1.5, -1e-300, math.nan):
        with pytest.raises(ValueError, match="alpha"):
            world.state.interpolated_poses(alpha)


def test_a_pose_that_is_set_is_not_blended_from_the_old_one():
    world, ship = skew_body(0.1)
    other = world.add_body(PROPERTIES, **START)
    world.step(2)
    drawn = ship.interpolated_pose(0.5)
    ship.position = (100.0, 0.0, 0.0)
    center = (100.0, 0.0, 0.0) - Rotation.from_quat(drawn[1]).apply(CENTER)
    assert_allclose(ship.interpolated_pose(0.5)[0], center, atol=2e-14)
    assert_array_equal(ship.interpolated_pose(0.5)[1], drawn[1])
    ship.orientation = (0.0, 0.6, 0.0, 0.8)
    for alpha in (0.0, 0.3, 1.0):
        assert_allclose(ship.interpolated_pose(alpha)[0], ship.origin, atol=2e-14)
        assert_allclose(ship.interpolated_pose(alpha)[1], ship.orientation, atol=3e-16)
    assert_array_equal(other.interpolated_pose(0.5)[0], drawn[0])
    world.state.position = np.zeros((2, 3))
    world.state.orientation = np.tile((0.0, 0.6, 0.0, 0.8), (2, 1))
    for body in (ship, other):
        assert_allclose(body.interpolated_pose(0.5)[0], body.origin, atol=1e-15)
    ship.velocity = (5.0, 0.0, 0.0)  # no pose: goes on being blended
    world.step()
    assert ship.interpolated_pose(0.5)[0][0] == pytest.approx(0.25 + ship.origin[0] - 0.5, abs=0.2)


# matrices for drawing


def test_matrices_convert_points_of_a_body_to_world_axes_from_the_camera():
    """M (x, y, z, 1) is the point that `interpolated_pose` gives, less the camera; an orientation with an odd angle about a skew axis."""
    world, _ = skew_body(0.25)
    world.add_body(OTHER, position=(5.0, 1.0, -2.0), angular_velocity_body=(0.4, 0.1, -2.0))
    world.advance(0.35)
    camera, point = np.array([0.5, -7.0, 11.0]), np.array([0.3, 1.1, -0.8])
    matrices = world.interpolated_matrices(camera)
    assert (matrices.shape, matrices.dtype, matrices.flags.writeable) == ((2, 4, 4), np.float64, True)
    for matrix, body in zip(matrices, world.bodies, strict=True):
        origin, orientation = body.interpolated_pose()
        wanted = origin + Rotation.from_quat(orientation).apply(point) - camera
        assert_allclose(matrix @ (*point, 1.0), (*wanted, 1.0), atol=4e-15)
    assert_array_equal(world.interpolated_matrices()[:, :3, 3], world.interpolated_poses()[0])


def test_matrices_of_single_precision_are_exact_near_a_camera_far_away():
    world, ship = skew_body()
    far = np.array([1.5e11, -2.5e11, 3.5e11])
    ship.position = far + np.array([1.0, 2.0, 3.0])
    buffer = np.full((1, 4, 4), np.nan, np.float32)
    out = buffer.transpose(0, 2, 1)
    assert world.interpolated_matrices(far, out=out) is out
    exact = world.interpolated_matrices(far)
    assert_array_equal(out, exact.astype(np.float32))
    assert_allclose(exact[0, :3, 3], ship.origin - far, atol=1e-4)
    # OpenGL reads columns: the fourth column is the offset, and comes last in memory
    assert_array_equal(buffer.reshape(16)[12:15], exact[0, :3, 3].astype(np.float32))
    assert World(0.1).interpolated_matrices().shape == (0, 4, 4)


@pytest.mark.parametrize(
    ("out", "kind", "rule"),
    [
        (np.zeros((1, 4, 4), np.float16), TypeError, "out must be an array of float32 or float64"),
        (np.zeros((1, 4, 4), int), TypeError, "out must be an array of float32 or float64"),
        ([[0.0]], TypeError, "out must be an array of float32 or float64"),
        (np.zeros((2, 4, 4)), ValueError, r"out must be of shape \(1, 4, 4\), with one matrix per body; got .*2, 4, 4"),
        (np.zeros((4, 4)), ValueError, r"out must be of shape \(1, 4, 4\)"),
        (np.broadcast_to(np.zeros(4), (1, 4, 4)), ValueError, "out must be writable; got 'a read-only array'"),
    ],
)
def test_an_array_that_cannot_hold_the_matrices_is_rejected(out, kind, rule):
    world, _ = skew_body()
    with pytest.raises(kind, match=f"World.interpolated_matrices: {rule}"):
        world.interpolated_matrices(out=out)


@pytest.mark.parametrize(("camera", "dtype"), [((1e39, 0, 0), np.float32), ((-1.7e308, 0, 0), np.float64)])
def test_a_camera_so_far_away_that_the_offset_is_not_finite_is_rejected_and_nothing_is_written(camera, dtype):
    world, ship = skew_body()
    if dtype is np.float64:
        ship.position = (1.7e308, 0.0, 0.0)
    out = np.full((1, 4, 4), 7.0, dtype)
    with pytest.raises(ValueError, match="camera_position must be small enough for the result to be finite, as float"):
        world.interpolated_matrices(camera, out=out)
    assert (out == 7.0).all()
