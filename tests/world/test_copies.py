"""Copies of worlds, by deepcopy and by pickle, give the same bits, are independent, and never change the original."""

import copy
import pickle
from contextlib import nullcontext

import numpy as np
import pytest

from engine import Body, World, forces, integrators

from ..full_world import Gusts, differences, fail_inside, full_world, image, push, remove_a_body, set_parameters
from ..worlds import OTHER, PROPERTIES, skew_body

WAYS = {"deepcopy": copy.deepcopy, "pickle": lambda thing: pickle.loads(pickle.dumps(thing))}
both_ways = pytest.mark.parametrize("copied", WAYS.values(), ids=WAYS)
SAME = {"tables", "ticks", "memory", "objects", "joined", "pushed", "hash", "rows"}
"""What images of a world and of its copy share: all but the numbers of objects."""


def assert_same_state(world, other):
    found = {name for name in differences(image(world), image(other)) if name in SAME or name.startswith("table")}
    assert found == set()


@both_ways
@pytest.mark.parametrize("method", ["rk4", "free-rotor-2"])
def test_a_copy_goes_on_to_the_same_bits_and_by_itself(copied, method):
    world, twin = full_world(method), full_world(method)
    other = copied(world)
    assert_same_state(world, other)
    before = image(world)
    other.step(3)
    other.memory["integral"].value = (7.0, 7.0)
    other.bodies[0].velocity = (9.0, 9.0, 9.0)
    other.remove_body(other.body("tug"))
    assert differences(before, image(world)) == []
    another = copied(world)
    for flying in (world, twin, another):
        flying.step(4)
    assert world.state_hash() == twin.state_hash()
    assert_same_state(world, another)


@both_ways
def test_a_copy_takes_the_same_changes_to_the_same_bits(copied):
    """Rows, ids, handles and places of pushes are all those of the original."""
    world = full_world()
    remove_a_body(world, 1)
    added = world.add_bodies(OTHER, np.ones((2, 3)))
    world.add_force(forces.LinearDrag([0.1, 0.2], bodies=added))
    other = copied(world)
    for flying in (world, other):
        push(flying, 0)
        set_parameters(flying, 4)
        flying.remove_force(flying.forces[0])
        remove_a_body(flying, 2)
        flying.add_force(Gusts())
        fail_inside(flying, 3)
        flying.remove_callback(flying._stages.on_tick[0].function)
        flying.step(2)
    assert_same_state(world, other)


@both_ways
def test_a_body_added_to_a_copy_has_an_id_that_no_row_had(copied):
    """The first body is gone, so that the number of rows is the id of the last one."""
    world = full_world(called=False)
    remove_a_body(world, 0)
    for flying in (world, copied(world)):
        flying.add_body(OTHER, name="new")
        assert [body.index for body in flying.bodies] == [0, 1, 2, 3]


@both_ways
def test_a_handle_that_is_copied_with_its_world_finds_its_body_behind_one_that_was_removed(copied):
    world = full_world(called=False)
    remove_a_body(world, 0)
    other, buoy = copied((world, world.body("buoy")))
    assert buoy is other.body("buoy")


@pytest.mark.filterwarnings("ignore:World.advance. one frame skipped")
@both_ways
def test_a_copy_has_what_no_table_holds(copied):
    world = full_world()
    world.time_scale, world.paused = 0.75, True
    world.integrator, world.game_mode = "semi-implicit-euler", True
    world.paused = False
    world.advance(0.9 / 32)
    world.advance(30.0)
    world.paused = True
    world.max_ticks_per_frame = 9
    other = copied(world)
    names = "dt time tick_count alpha dropped_time max_ticks_per_frame time_scale paused game_mode threads"
    for name in names.split():
        assert getattr(other, name) == getattr(world, name), name
    assert repr(other.integrator) == repr(world.integrator)
    assert [body.name for body in other.bodies] == [body.name for body in world.bodies]
    assert [repr(force) for force in other.forces[:13]] == [repr(force) for force in world.forces[:13]]
    for body, own in zip(other.bodies, world.bodies, strict=True):
        assert body is not own
        for mine, theirs in zip(body.interpolated_pose(0.3), own.interpolated_pose(0.3), strict=True):
            assert mine.tobytes() == theirs.tobytes()
    other.paused = False
    assert other.advance(1.0 / 32) == 1  # the clock goes on where it was


@both_ways
def test_a_copy_of_an_extrapolated_world_has_its_history_and_can_forget_it(copied):
    def fly(world, ticks):
        for _ in range(ticks):
            world.thrusters.throttle = (world.tick_count % 8) / 8
            world.step()

    world = World(0.05, integrator=integrators.Extrapolated(integrators.RungeKutta4()))
    ship = world.add_body(PROPERTIES)
    world.add_force(forces.Thruster(ship, position=(0, 1, 0), direction=(1, 0, 1), max_force=4.0))
    fly(world, 4)
    other = copied(world)
    forgetful, forgetting = copied(world), copied(world)
    forgetting.integrator.reset()
    forgetful.bodies[0].velocity = forgetful.bodies[0].velocity  # forgets too
    for flying in (world, other, forgetful, forgetting):
        fly(flying, 3)
    assert other.state_hash() == world.state_hash()
    assert forgetting.state_hash() == forgetful.state_hash() != world.state_hash()


@both_ways
def test_a_copy_taken_in_a_callback_is_the_world_at_that_moment(copied):
    world, twin = full_world(), full_world()
    copies = []
    for flying in (world, twin):
        flying.on_tick(set_velocity, every=4)
    world.on_tick(lambda world, copies=copies: copies.append(copied(world)) if world.tick_count == 4 else None)
    with pytest.raises((AttributeError, pickle.PicklingError)) if copied is WAYS["pickle"] else nullcontext():
        world.step(3)
    if copies:
        assert copies[0].tick_count == 4
        assert copies[0].body("ship").velocity.tolist() == [1.0, 2.0, 3.0]
    else:  # a lambda cannot be pickled, and the tick is undone
        twin.step(1)
        assert world.state_hash() == twin.state_hash()


def set_velocity(world):
    world.body("ship").velocity = (1.0, 2.0, 3.0)


def test_a_copied_world_of_many_bodies_on_two_threads_flies_as_the_original():
    world = World(0.01, threads=2, integrator="semi-implicit-euler")
    rng = np.random.default_rng(5)
    world.add_bodies(PROPERTIES, rng.normal(size=(12_000, 3)), angular_velocity_body=rng.normal(size=(12_000, 3)))
    before = copy.deepcopy(world)
    world.step()
    other = copy.deepcopy(world)
    for flying in (world, other, before):
        flying.step()
    before.step()
    assert world.state_hash() == other.state_hash() == before.state_hash()
    del world
    other.step()


# handles


def test_a_shallow_copy_of_a_world_and_a_body_made_by_hand_are_rejected():
    world, ship = skew_body()
    with pytest.raises(TypeError, match=r"a shallow copy would share its arrays.*use copy.deepcopy\(world\)"):
        copy.copy(world)
    for arguments in ((), (world, 100, "x"), (world, ship.index, "ship")):
        with pytest.raises(TypeError, match=r"Body: a handle cannot be created directly; call world.add_body"):
            Body(*arguments)
    assert copy.copy(ship) is ship


@both_ways
def test_a_copied_handle_is_one_of_a_copied_world_which_it_moves_and_not_the_original(copied):
    world = full_world()
    ship, thruster, drag = world.body("ship"), world.forces[2], world.forces[7]
    gone = world.body("buoy")
    world.remove_body(gone)
    kept = {"world": world, "ship": ship, "thruster": thruster, "drag": drag, "gone": gone, "rows": [ship, ship]}
    before = image(world)
    other = copied(kept)
    assert other["ship"].world is other["world"] is not world
    assert other["world"].body("ship") is other["ship"] is other["rows"][1]
    assert other["world"].forces[2] is other["thruster"]
    other["ship"].velocity, other["thruster"].throttle, other["drag"].coefficient = (9, 9, 9), 0.75, [1.0, 2.0]
    assert other["world"].thrusters.throttle[0] == 0.75
    with pytest.raises(ValueError, match="body 'buoy' was removed from its world"):
        _ = other["gone"].position
    assert differences(before, image(world)) == []
    for alone in (copied(ship), copied(thruster).body, copied(drag)._named_bodies()[1]):
        assert (alone.name, alone.world.state_hash()) == ("ship", world.state_hash())
        assert alone.world is not world


@both_ways
def test_a_force_in_no_world_is_copied_with_its_parameters(copied):
    drag = copied(forces.LinearDrag(0.5))
    assert (drag.coefficient, drag.enabled) == (0.5, True)
    _, ship = skew_body()
    loose = forces.ConstantForce(ship, force_body=(1, 2, 3), at_body=(0, 0, 1))
    for force in (copied(loose), copied(forces.ConstantTorque(ship, torque_body=(1, 2, 3)))):
        assert force.body.world is not ship.world
        assert force.enabled is True
        force.body.world.add_force(force)
        force.body.world.step()
    assert copied(loose).force_body.tolist() == [1.0, 2.0, 3.0]
