"""Functions that are called after a tick, the wrench on a body, and the profile of a tick."""

import math

import numpy as np
import pytest

from engine import MassProperties, Recorder, Rewind, World, forces

from ..full_world import Gusts, Stop, differences, full_world, image
from ..worlds import OTHER, PROPERTIES, skew_body

# World.after_tick


def test_functions_are_called_after_the_tick_is_taken_in_their_order():
    world, ship = skew_body()
    seen = []

    @world.after_tick
    def first(world):
        seen.append(("first", world.tick_count, world.time, ship.position.tolist()))

    @world.after_tick(every=2)
    def second(world):
        seen.append(("second", world.tick_count))

    world.on_tick(lambda world: seen.append(("start", world.tick_count)))
    world.after_tick(lambda world: seen.append(("third", world.tick_count)))
    world.step(3)
    names = [(entry[0], entry[1]) for entry in seen]
    assert names == [
        *[("start", 0), ("first", 1), ("third", 1)],
        *[("start", 1), ("first", 2), ("second", 2), ("third", 2)],
        *[("start", 2), ("first", 3), ("third", 3)],
    ]
    twin, own = skew_body()
    for entry in [entry for entry in seen if entry[0] == "first"]:
        twin.step()
        assert entry[2:] == (twin.time, own.position.tolist())
    assert world.remove_callback(second) is None
    assert first is not None


def steer(world):
    """Reads everything and changes much, for the next tick."""
    ship = world.body("ship")
    ship.apply_force((0.1 * world.tick_count, 0.0, 0.2), at_world=(1.0, 0.0, 2.0))
    ship.angular_velocity_body = 0.9 * ship.angular_velocity_body
    world.thrusters.throttle = (world.tick_count % 4) / 4
    if world.tick_count == 4:
        world.add_body(OTHER, name="stage", position=ship.position, velocity=ship.velocity)
        world.add_force(forces.LinearDrag(0.2, bodies=[ship]))
    if world.tick_count == 8:
        world.remove_body(world.body("stage"))
        world.memory.add("note").value = world.kinetic_energy()


def flown(ticks, pieces, after):
    world, ship = skew_body(integrator="semi-implicit-euler")
    world.add_force(forces.Thruster(ship, position=(0, 1, 0), direction=(1, 0, 1), max_force=4.0))
    if after:
        world.after_tick(steer, every=2)
    while world.tick_count < ticks:
        world.step(min(pieces, ticks - world.tick_count))
        if not after and world.tick_count % 2 == 0:
            steer(world)
    return world.state_hash()


def test_a_function_after_the_tick_is_a_change_made_between_two_steps():
    """Pushes act in the tick that comes, and in no other; however many ticks are asked for at once."""
    assert (
        flown(13, 1, after=True) == flown(13, 5, after=True) == flown(13, 13, after=True) == flown(13, 1, after=False)
    )


@pytest.mark.parametrize(
    "forbidden", [lambda world: world.step(), lambda world: world.advance(0.1), lambda world: world.step(0)]
)
def test_a_function_after_the_tick_cannot_step(forbidden):
    world, ship = skew_body()

    @world.after_tick
    def step(world):
        ship.velocity = (5.0, 5.0, 5.0)
        forbidden(world)

    twin, _ = skew_body()
    twin.step()
    with pytest.raises(RuntimeError, match="cannot be called from inside a tick"):
        world.step(3)
    assert (world.tick_count, world.state_hash()) == (1, twin.state_hash())


def test_when_one_raises_the_tick_stays_the_writes_of_others_stay_and_its_own_are_undone():
    world, ship = skew_body()
    wheel = Gusts()
    world.memory.attach("wheel", wheel)
    rows = world.memory.add("rows")
    called = []

    @world.after_tick
    def before(world):
        ship.velocity = (1.0, 2.0, 3.0)
        rows.value = rows.value + 1.0

    @world.after_tick
    def fails(world):
        ship.velocity = (9.0, 9.0, 9.0)
        rows.value = 7.0
        wheel.calls = 7
        world.add_body(OTHER)
        ship.apply_force((1.0, 1.0, 1.0))
        if world.tick_count == 3:
            raise Stop
        world.remove_body(world.bodies[1])
        ship.velocity, rows.value, wheel.calls = (1.0, 2.0, 3.0), 1.0, 1

    world.after_tick(called.append)
    with pytest.raises(Stop):
        world.step(10)
    assert (world.tick_count, len(called), len(world.bodies)) == (3, 2, 1)
    assert (ship.velocity.tolist(), float(rows.value), wheel.calls) == ([1.0, 2.0, 3.0], 2.0, 1)
    assert not world._held.is_pushed
    world.remove_callback(fails)
    world.step()
    assert (world.tick_count, len(called)) == (4, 3)


def test_functions_after_a_tick_may_be_removed_and_added_by_one_another():
    world, _ = skew_body()
    called = []

    def second(world):
        called.append("second")

    def late(world):
        called.append("late")

    @world.after_tick
    def first(world):
        called.append("first")
        if world.tick_count == 2:
            world.remove_callback(second)
            world.after_tick(late)

    world.after_tick(second)
    world.step(3)
    assert called == ["first", "second", "first", "first", "late"]


def test_no_function_is_called_after_a_tick_that_failed():
    world, _ = skew_body()
    called = []
    world.after_tick(called.append)

    @world.on_tick(every=2)
    def fail(world):
        if world.tick_count == 2:
            raise Stop

    with pytest.raises(Stop):
        world.step(5)
    assert (world.tick_count, len(called)) == (2, 2)
    with pytest.raises(Stop):
        world.step()
    assert len(called) == 2


def test_a_pause_after_a_tick_ends_the_frame_and_not_a_step():
    world, _ = skew_body(0.01)

    @world.after_tick
    def pause(world):
        world.paused = world.tick_count == 2

    assert world.advance(0.05) == 2
    assert world.dropped_time == pytest.approx(0.03)
    world.step(3)
    assert world.tick_count == 5


# World.wrench


@pytest.mark.parametrize("where", ["between ticks", "on_tick", "after_tick"])
def test_the_wrenches_of_all_forces_and_the_pushes_add_up_to_the_whole_and_nothing_changes(where):
    world, twin = full_world(), full_world()
    checked = []

    def check(world):
        ship = world.body("ship")
        before = image(world)
        force, torque = world.wrench(ship)
        shares = [world.wrench(ship, force) for force in world.forces]
        without = [sum(parts) for parts in zip(*shares, strict=True)]
        assert differences(before, image(world)) == []
        ship.apply_force((1.0, 2.0, 3.0))
        ship.apply_torque_body((0.5, 0.25, 0.125))
        pushed_force, pushed_torque = world.wrench(ship)
        np.testing.assert_allclose(pushed_force, np.add(force, (1.0, 2.0, 3.0)), atol=1e-12)
        np.testing.assert_allclose(pushed_torque, np.add(torque, (0.5, 0.25, 0.125)), atol=1e-12)
        if where != "on_tick":  # there its controller has pushed it
            np.testing.assert_allclose(force, without[0], atol=1e-12)
            np.testing.assert_allclose(torque, without[1], atol=1e-12)
        checked.append(world.tick_count)

    def push(world):
        world.body("ship").apply_force((1.0, 2.0, 3.0))
        world.body("ship").apply_torque_body((0.5, 0.25, 0.125))

    for flying, act in ((world, check), (twin, push)):
        if where == "between ticks":
            act(flying)
            flying.step()
        else:
            getattr(flying, where)(act)
            flying.step(2)
    assert checked
    assert world.state_hash() == twin.state_hash()


def test_the_wrench_is_what_moves_the_body_in_the_next_tick():
    """Semi-implicit Euler takes the wrench at the start of the tick: Δv = F/m dt and, in game mode, Δω = I⁻¹ τ dt."""
    world = full_world("semi-implicit-euler", called=False)
    world.game_mode = True
    world.add_force(Gusts())
    world.body("probe").apply_force((0.3, -0.1, 0.2), at_world=(1.0, 1.0, 1.0))
    found = [(world.wrench(body), body.velocity, body.angular_velocity_body) for body in world.bodies]
    world.step()
    for body, ((force, torque), velocity, rates) in zip(world.bodies, found, strict=True):
        np.testing.assert_allclose(body.mass * (body.velocity - velocity) / world.dt, force, atol=1e-11)
        change = body.inertia_body @ (body.angular_velocity_body - rates) / world.dt
        np.testing.assert_allclose(change, torque, atol=1e-11)
        assert not force.flags.writeable and force.shape == torque.shape == (3,)


def test_a_called_force_is_called_once_for_a_wrench_and_a_push_that_acted_counts_no_more():
    world, ship = skew_body()
    times = []
    world.add_force(lambda wrench, bodies, time: times.append(time))
    ship.apply_force((1.0, 2.0, 3.0))
    world.step(3)
    times.clear()
    force, torque = world.wrench(ship)
    assert (times, force.tolist(), torque.tolist()) == ([world.time], [0.0] * 3, [0.0] * 3)


def test_a_wrench_is_not_asked_inside_a_force_nor_of_strangers():
    world, ship = skew_body()
    stranger, other = skew_body()
    gone = world.add_body(OTHER)
    world.remove_body(gone)
    drag = other.world.add_force(forces.LinearDrag(0.1))

    def curious(wrench, bodies, time):
        world.wrench(ship)

    for arguments, kind, text in (
        ((other,), ValueError, r"World.wrench: body must be a body of this world; got <Body 'ship'>"),
        ((gone,), ValueError, "was removed from its world"),
        (("ship",), TypeError, r"World.wrench: body must be a body of this world"),
        ((0,), TypeError, r"World.wrench: body must be a body of this world"),
        ((ship, drag), ValueError, r"World.wrench: force must be a force of this world, or None; got LinearDrag"),
        ((ship, curious), ValueError, r"World.wrench: force must be a force of this world, or None"),
    ):
        with pytest.raises(kind, match=text):
            world.wrench(*arguments)
    world.add_force(curious)
    before = image(world)
    for ask in (world.step, lambda: world.wrench(ship)):
        with pytest.raises(
            RuntimeError, match=r"World\.wrench cannot be called inside a force; call it in a callback or between ticks"
        ):
            ask()
    assert differences(before, image(world)) == []
    assert stranger.wrench(other)[0].shape == (3,)


def test_a_force_that_raises_when_a_wrench_is_asked_changes_nothing():
    world = full_world()
    before = image(world)
    world.add_force(fails := Gusts())
    fails.apply = lambda wrench, bodies, time: (_ for _ in ()).throw(Stop)
    with pytest.raises(Stop):
        world.wrench(world.body("ship"))
    world.remove_force(fails)
    assert differences(before, image(world)) == []
    world.step()


# World.profile


@pytest.mark.parametrize("called", [False, True])
def test_a_profile_times_the_stages_and_changes_no_bit(called):
    world, twin = full_world(called=called), full_world(called=called)
    for flying in (world, twin):
        flying.step(2)
    with world.profile() as profile:
        world.step(20)
        world.step()
    twin.step(21)
    assert profile.ticks == 21
    assert list(profile.seconds) == [
        "call_callbacks",
        "gather_held",
        "move",
        "commit",
        "call_after_tick",
    ]
    assert all(0.0 <= spent < 60.0 and math.isfinite(spent) for spent in profile.seconds.values())
    assert str(profile).startswith("21 ticks\n")
    world.step(3)
    twin.step(3)
    assert profile.ticks == 21
    assert world.state_hash() == twin.state_hash()


def test_a_profile_ends_with_its_block_also_by_an_error_and_calls_what_is_due():
    world, _ = skew_body()
    called = []
    world.on_tick(lambda world: called.append(world.tick_count), every=5)
    world.step()
    with pytest.raises(Stop), world.profile() as profile:
        world.step(11)
        raise Stop
    assert (profile.ticks, called) == (11, [0, 5, 10])
    world.step(9)
    assert (profile.ticks, called) == (11, [0, 5, 10, 15, 20])


def test_bodies_of_a_world_without_forces_feel_nothing():
    world = World(0.1)
    body = world.add_body(PROPERTIES)
    assert [part.tolist() for part in world.wrench(body)] == [[0.0] * 3, [0.0] * 3]


def test_recordings_have_a_tick_that_stays_although_a_function_after_it_raised():
    world = World(1 / 8)
    ship = world.add_body(MassProperties.sphere(1.0, 0.5), velocity=(1.0, 0.0, 0.0))
    rewind, recorder = Rewind(world), Recorder(world)

    @world.after_tick
    def fail(world):
        if world.tick_count == 4:
            raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        world.step(9)
    world.step(3)
    assert (recorder.time * 8).tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    assert rewind.back(3 / 8) == 3 / 8
    assert (world.tick_count, ship.position.tolist()) == (4, [0.5, 0.0, 0.0])
