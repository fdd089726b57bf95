"""Snapshots: what is restored, what handles say, what is shared, what is rejected."""

import copy
import hashlib
import itertools
import json
import pickle
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from engine import MassProperties, Snapshot, World, flight, forces, joints, shapes
from engine.compilation.compiler import COMPILED
from engine.integrators import Extrapolated, RungeKutta4, Substepped
from engine.loops.layout import PREVIOUS
from engine.saving import encoding
from engine.store.table import Table

from ..altered_bytes import altered
from ..driven_world import driven_world
from ..full_world import OPERATIONS, Stop, Wind, differences, full_world, image
from ..worlds import OTHER, PROPERTIES


def world_with_history():
    world = full_world(Extrapolated(RungeKutta4()), called=False)
    world.step(2)
    return world


WORLDS = {
    "called": full_world,
    "not called": lambda: full_world(called=False),
    "free rotor": lambda: full_world("free-rotor-4", called=False),
    "substepped": lambda: full_world(Substepped(RungeKutta4(), 3)),
    "driven": driven_world,
    "extrapolated": world_with_history,
}


def run(world, ticks=12):
    """The hashes after each of some ticks."""
    hashes = []
    for _ in range(ticks):
        world.step()
        hashes.append(world.state_hash())
    return hashes


def whole(world):
    """Everything that a snapshot contains; the previous velocities are not part of it."""
    found = image(world)
    count = len(world.bodies)
    content = world._bodies.array[: PREVIOUS + 7, :count].tobytes() + world._bodies.array[38:64, :count].tobytes()
    found["tables"]["bodies"] = (count, content, *found["tables"]["bodies"][2:])
    found["clock"] = world._clock._image()
    return found


@pytest.mark.parametrize("make", WORLDS.values(), ids=WORLDS)
def test_a_restored_world_is_the_one_before_and_flies_the_same_way(make):
    world = make()
    before, snapshot = whole(world), world.snapshot()
    hashes = run(world)
    for _ in range(2):
        world.restore(snapshot)
        assert differences(before, whole(world)) == []
        assert run(world) == hashes


@pytest.mark.parametrize("make", WORLDS.values(), ids=WORLDS)
def test_restoring_from_random_ticks_in_random_order_gives_the_unbroken_run(make):
    world, generator = make(), random.Random(5)
    kept, hashes = {world.tick_count: world.snapshot()}, {}
    for _ in range(25):
        world.step()
        hashes[world.tick_count] = world.state_hash()
        kept[world.tick_count] = world.snapshot()
    for _ in range(40):
        world.restore(kept[generator.choice(list(kept))])
        for _ in range(generator.randrange(4)):
            if world.tick_count < max(hashes):
                world.step()
                assert world.state_hash() == hashes[world.tick_count]
            if generator.random() < 0.3:
                kept[world.tick_count] = world.snapshot()


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.__name__)
@pytest.mark.parametrize("called", [True, False], ids=["called", "not called"])
def test_each_operation_between_two_ticks_is_taken_back(operation, called):
    world = full_world(called=called)
    before, snapshot, data = whole(world), world.snapshot(), [body.user_data for body in world.bodies]
    for number in range(3):
        world.restore(snapshot)
        if operation.__name__ != "fail_inside":
            operation(world, number)
        world.step(2)
        operation(world, number + 1) if operation.__name__ != "fail_inside" else None
        world.restore(snapshot)
        for body, value in zip(world.bodies, data, strict=True):
            body.user_data = value  # it belongs to the user and is not part of a snapshot
        assert differences(before, whole(world)) == []


def test_many_operations_and_restores_in_random_order():
    world, generator = full_world(), random.Random(11)
    kept = [(world.snapshot(), whole(world))]
    for _ in range(60):
        generator.choice([operation for operation in OPERATIONS if operation.__name__ != "fail_inside"])(
            world, generator.randrange(9)
        )
        if generator.random() < 0.3 and world.bodies:
            world.step()
        if generator.random() < 0.3:
            kept.append((world.snapshot(), whole(world)))
        if generator.random() < 0.2:
            snapshot, before = generator.choice(kept)
            world.restore(snapshot)
            after = whole(world)
            del before["user data"], after["user data"]
            assert differences(before, after) == []
            before["user data"] = []


def test_the_clock_the_method_and_the_settings_come_back():
    world = World(0.25, max_ticks_per_frame=2)
    world.time_scale = 0.5
    world.advance(0.3)
    snapshot = world.snapshot()
    settings = (world.alpha, world.dropped_time, world.time_scale, world.integrator)
    world.time_scale, world.paused, world.integrator, world.game_mode = 2.0, True, "rk4", True
    world.max_ticks_per_frame = 5
    world.paused = False
    with pytest.warns(UserWarning, match="skipped"):
        world.advance(10.1)
    world.paused = True
    world.restore(snapshot)
    assert (world.alpha, world.dropped_time, world.time_scale, world.integrator) == settings
    assert (world.paused, world.game_mode, world.max_ticks_per_frame) == (False, False, 2)


# handles


def test_removed_handles_are_valid_again_and_the_same_objects():
    world = full_world(called=False)
    ship, thruster = world.body("ship"), world.forces[2]
    snapshot, rows = world.snapshot(), list(thruster.rows)
    thruster.throttle = 0.75
    world.remove_body(ship)
    with pytest.raises(ValueError, match="was removed from its world"):
        _ = ship.position
    world.restore(snapshot)
    assert world.body("ship") is ship and ship.index == 0
    assert world.forces[2] is thruster and list(thruster.rows) == rows and thruster.throttle == 0.5
    thruster.throttle = 1.0
    assert world.thrusters.throttle[0] == 1.0


def test_later_handles_say_that_a_restore_removed_them_and_go_forward_again():
    world = full_world(called=False)
    first = world.snapshot()
    late = world.add_body(OTHER, name="late")
    jet = world.add_force(forces.Thruster(late, position=(0, 0, 0), direction=(1, 0, 0), max_force=2.0))
    wheel = world.add_part(flight.ReactionWheel(late, axis=(1, 0, 0), inertia=0.1, max_torque=1.0, max_speed=10.0))
    rows = world.memory.add("late", 2)
    second = world.snapshot()
    world.restore(first)
    for use in (
        lambda: late.position,
        lambda: setattr(late, "velocity", (1, 2, 3)),
        lambda: setattr(jet, "throttle", 0.5),
        lambda: jet.fire(1.0),
        lambda: world.add_force(jet),
        lambda: setattr(wheel, "torque", 0.1),
        lambda: rows.value,
    ):
        with pytest.raises(ValueError, match="a restore"):
            use()
    other = world.add_body(OTHER, name="other")
    assert other.index == len(world.bodies) - 1
    with pytest.raises(ValueError, match="a restore removed it"):
        _ = late.index
    world.restore(second)
    assert late.index == len(world.bodies) - 1
    jet.throttle, wheel.torque, rows.value = 0.5, 0.1, (1.0, 2.0)
    with pytest.raises(ValueError, match="a restore removed it"):
        _ = other.index


def test_memory_that_a_restore_removed_can_be_added_with_another_shape():
    world = World(0.1)
    snapshot = world.snapshot()
    world.memory.add("sum", 3)
    world.restore(snapshot)
    assert "sum" not in world.memory
    world.memory.add("sum").value = 2.0
    assert world.memory["sum"].value == 2.0


def test_pushes_that_wait_act_in_the_tick_that_they_were_meant_for():
    world = World(0.5)
    ship = world.add_body(MassProperties.sphere(2.0, 0.5))
    ship.apply_force((8.0, 0.0, 0.0))
    snapshot = world.snapshot()
    world.step(3)
    world.restore(snapshot)
    ship.apply_force((4.0, 0.0, 0.0))
    world.step(3)
    assert ship.velocity.tolist() == [3.0, 0.0, 0.0]
    world.restore(snapshot)
    world.step(3)
    assert ship.velocity.tolist() == [2.0, 0.0, 0.0]


def test_attached_objects_come_back_and_one_that_rejects_its_state_stops_everything():
    class Counter:
        count = 0
        is_stubborn = False

        def get_state(self):
            return {"count": self.count, "list": np.full(2, self.count)}

        def set_state(self, state):
            if self.is_stubborn:
                raise Stop
            assert state["list"].tolist() == [state["count"]] * 2
            self.count = state["count"]
            state["list"][:] = -1  # what it is given is its own

    world = full_world(called=False)
    first, second = world.memory.attach("first", Counter()), world.memory.attach("second", Counter())
    first.count = 3
    snapshot = world.snapshot()
    first.count = 4
    world.step(2)
    before, second.is_stubborn = whole(world), True
    with pytest.raises(Stop):
        world.restore(snapshot)
    second.is_stubborn = False
    assert differences(before, whole(world)) == [] and first.count == 4
    for _ in range(2):
        world.restore(snapshot)
        assert first.count == 3 and world.tick_count == snapshot.tick_count


# what is shared


def test_unchanged_tables_are_shared_and_a_write_does_not_reach_a_snapshot():
    world = full_world(called=False)
    first, second = world.snapshot(), world.snapshot()
    assert all(a is b for a, b in zip(first._inside.content.images, second._inside.content.images, strict=True))
    world.thrusters.throttle = 0.25
    third = world.snapshot()
    changed = [
        table.schema.name
        for table, a, b in zip(
            first._inside.content.inventory.tables,
            first._inside.content.images,
            third._inside.content.images,
            strict=True,
        )
        if a is not b
    ]
    assert changed == ["thrusters"]
    world.step()
    fourth = world.snapshot()
    place = first._inside.content.inventory.tables.index(world._bodies)
    assert fourth._inside.content.images[place].given is first._inside.content.images[place].given  # mass properties
    assert fourth._inside.content.inventory is first._inside.content.inventory
    world.restore(first)
    assert world.thrusters.throttle.tolist() == [0.5, 0.1, 0.9]


def test_an_entry_is_small():
    """At most 200 bytes per body and 1 KiB, where only the state has changed since the last."""
    world = World(0.01)
    world.add_bodies(PROPERTIES, np.arange(300.0).reshape(100, 3))
    world.snapshot()
    world.step()
    snapshot = world.snapshot()
    moving = snapshot._inside.content.images[0].moving
    assert moving.base is None and snapshot._inside.content.images[0].stored is None
    assert moving.nbytes + 1024 <= 200 * 100 + 1024


# where it may be called


@pytest.mark.filterwarnings("ignore:World.snapshot")  # the lists of this test
def test_a_snapshot_may_be_made_in_callbacks_and_not_restored_there():
    world = full_world(called=False)
    taken, rejected = [], []

    def take(world):
        taken.append((world.snapshot(), world.state_hash()))
        with pytest.raises(RuntimeError, match=r"World\.restore cannot be called from inside a tick"):
            world.restore(taken[0][0])
        rejected.append(True)

    world.on_tick(take)
    world.after_tick(take)
    world.step(3)
    assert len(rejected) == 6
    for snapshot, state_hash in taken:
        world.restore(snapshot)
        assert world.state_hash() == state_hash

    @world.add_force
    def inside(wrench, bodies, time):
        world.snapshot()

    with pytest.raises(RuntimeError, match=r"World\.snapshot cannot be called inside a force"):
        world.step()


def test_a_snapshot_made_in_a_tick_that_failed_is_not_taken_for_the_present_state():
    world = World(0.1)
    jet = world.add_force(
        forces.Thruster(world.add_body(OTHER), position=(0, 0, 0), direction=(1, 0, 0), max_force=1.0)
    )
    drag = world.add_force(forces.LinearDrag([0.1, 0.2], bodies=[world.bodies[0], world.add_body(OTHER, name="x")]))

    @world.on_tick
    def fail(world):
        jet.throttle = 0.5
        world.remove_body(world.body("x"))
        world.snapshot()
        raise Stop

    with pytest.raises(Stop):
        world.step()
    snapshot = world.snapshot()
    world.remove_callback(fail)
    before = whole(world)
    jet.throttle = 1.0
    world.restore(snapshot)
    world.remove_callback(fail)
    assert differences(before, whole(world)) == [] and len(drag.rows) == 2


def test_wrong_arguments_are_rejected():
    world, other = World(0.1), World(0.1)
    with pytest.raises(TypeError, match=r"World\.restore: snapshot must be a Snapshot; got 3"):
        world.restore(3)
    with pytest.raises(ValueError, match=r"World\.restore: snapshot must be one of this world"):
        world.restore(other.snapshot())
    with pytest.raises(TypeError, match="cannot be created directly"):
        Snapshot()


def test_an_interrupt_of_a_restore_is_raised_after_it_is_complete():
    """At one line in seventeen; `.ci/long` tries all of them for this and every other operation."""
    world = full_world()
    snapshot = world.snapshot()
    start, complete = whole(world), 0
    for point in itertools.count(step=17):
        world.restore(snapshot)
        late = world.add_body(OTHER)
        world.add_force(forces.LinearDrag(0.2, bodies=[late]))
        world.step(2)
        before = whole(world)
        if not _interrupt_at(point, lambda: world.restore(snapshot)):
            break
        after = whole(world)
        assert differences(start, after) == [] or (complete == 0 and differences(before, after) == [])
        complete += differences(start, after) == []
    assert complete > 6


def _interrupt_at(point, function):
    """Raise `KeyboardInterrupt` at that many lines of engine code after the start; whether the function had so many."""
    seen = 0

    def trace(frame, event, argument):
        nonlocal seen
        if "engine" not in frame.f_code.co_filename:
            return None
        if event == "line":
            if seen == point:
                sys.settrace(None)
                seen += 1
                raise KeyboardInterrupt
            seen += 1
        return trace

    sys.settrace(trace)
    try:
        function()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False


# predictions and forks


@pytest.mark.parametrize("make", WORLDS.values(), ids=WORLDS)
def test_a_prediction_is_the_flight_of_a_fork_without_callbacks(make):
    world = make()
    before, poses = whole(world), []
    forked = world.fork("drop")
    for _ in range(4):
        forked.step(3)
        poses.append((forked.state.position.copy(), forked.state.orientation.copy()))
    positions, orientations = world.predict(12.5 / 32, every=3)
    assert positions.shape == (4, len(world.bodies), 3) and orientations.shape == (4, len(world.bodies), 4)
    for place, (position, orientation) in enumerate(poses):
        assert np.array_equal(positions[place], position) and np.array_equal(orientations[place], orientation)
    assert differences(before, whole(world)) == []
    chosen = [world.bodies[1], world.bodies[0]]
    some, _ = world.predict(12.5 / 32, every=3, bodies=chosen)
    assert np.array_equal(some, positions[:, [1, 0]])


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled: numba is missing or switched off")
@pytest.mark.parametrize("make", [WORLDS["free rotor"], WORLDS["driven"]], ids=["fields", "actuators"])
def test_ticks_without_calls_are_predicted_in_one_compiled_call(make, monkeypatch):
    """A call from Python for each sample would take several times as long."""
    world, calls = make(), []
    world.step(2)
    run = world._plan.choose()
    monkeypatch.setattr(world._plan, "_run", lambda ticks: calls.append(ticks) or run(ticks))
    assert len(world.predict(50 / 32)[0]) == 50
    assert 1 <= len(calls) < 10


def test_a_prediction_takes_whole_ticks_and_may_be_empty():
    world = World(0.1)
    world.add_body(OTHER)
    assert [len(world.predict(seconds)[0]) for seconds in (0.0, 0.04, 0.06, 1.0)] == [0, 0, 1, 10]
    for arguments, message in (
        ({"seconds": -1.0}, r"World\.predict: seconds must be a finite real number, at least 0; got -1"),
        ({"seconds": float("nan")}, r"World\.predict: seconds"),
        ({"seconds": 1.0, "every": 0}, r"World\.predict: every must be an integer of at least 1; got 0"),
        (
            {"seconds": 1.0, "bodies": [World(0.1).add_body(OTHER)]},
            r"World\.predict: bodies must be a body of this world",
        ),
        ({"seconds": 1e300}, r"World\.predict: seconds must be a time that this world can reach"),
    ):
        with pytest.raises(ValueError, match=message):
            world.predict(**arguments)


def test_a_prediction_that_fails_leaves_the_world_as_it_was():
    world = full_world(called=False)
    force = Stubborn(world.tick_count + 5)
    world.add_force(force)
    before = whole(world)
    with pytest.raises(Stop):
        world.predict(1.0)
    assert differences(before, whole(world)) == []


class Stubborn:
    """A force that raises from some tick on."""

    def __init__(self, tick):
        self.tick, self.calls = tick, 0

    def get_state(self):
        return {"calls": self.calls}

    def set_state(self, state):
        self.calls = state["calls"]

    def apply(self, wrench, bodies, time):
        self.calls += 1
        if time * 32 >= self.tick:
            raise Stop


def test_a_fork_goes_on_alone():
    world = full_world()
    forked = world.fork()
    assert forked.state_hash() == world.state_hash()
    before = whole(world)
    hashes = run(forked)
    assert differences(before, whole(world)) == []
    assert run(world) == hashes


def test_a_fork_drops_or_replaces_callbacks_and_called_forces():
    world = World(0.5)
    ship = world.add_body(MassProperties.sphere(2.0, 0.5), name="ship")

    @world.on_tick(every=2, name="push")
    def push(world):
        ship.apply_force((4.0, 0.0, 0.0))

    @world.add_force
    def wind(wrench, bodies, time):
        wrench.add(ship, force_world=(0.0, 2.0, 0.0))

    def other_wind(wrench, bodies, time):
        wrench.force_world[0, 1] += 4.0

    with pytest.raises(ValueError, match="refers to a handle of this world"):
        world.fork()
    with pytest.raises(ValueError, match="refers to a handle of this world"):
        world.fork("drop")  # the force stays
    forked = world.fork(
        {push: lambda world: world.body("ship").apply_force((8.0, 0.0, 0.0)), wind: other_wind},
    )
    forked.step(2)
    assert forked.body("ship").velocity.tolist() == [2.0, 2.0, 0.0]
    assert forked.forces == (other_wind,)
    world.remove_force(wind)
    dropped = world.fork("drop")
    dropped.step(2)
    assert dropped.body("ship").velocity.tolist() == [0.0, 0.0, 0.0] and not dropped._stages.on_tick
    world.step(2)
    assert ship.velocity.tolist() == [1.0, 0.0, 0.0]
    for wrong, kind in (("keep", ValueError), (3, TypeError), ({len: push}, ValueError)):
        with pytest.raises(kind, match=r"World\.fork: .*callbacks must be"):
            world.fork(wrong)


def test_restore_fork_and_predict_are_rejected_inside_a_tick():
    world = World(0.1)
    world.add_body(OTHER)
    snapshot, seen = world.snapshot(), []

    @world.on_tick
    def inside(world):
        for use in (lambda: world.restore(snapshot), world.fork, lambda: world.predict(1.0)):
            with pytest.raises(RuntimeError, match="cannot be called from inside a tick"):
                use()
            seen.append(use)

    world.step()
    assert len(seen) == 3


# bytes


@pytest.mark.parametrize("make", WORLDS.values(), ids=WORLDS)
def test_bytes_restore_the_world_itself_and_another_one_built_alike(make):
    world, peer = make(), make()
    data = world.snapshot().to_bytes()
    peer.step(3)
    before, hashes = world.state_hash(), run(world)
    for target in (world, peer):
        target.restore(Snapshot.from_bytes(data))
        assert target.state_hash() == before
        assert target.snapshot().to_bytes()[:12] == data[:12]
        assert run(target) == hashes


@pytest.mark.parametrize("name", ["not called", "driven", "extrapolated"])
def test_bytes_fill_an_empty_world(name):
    world = WORLDS[name]()
    data = world.snapshot().to_bytes()
    empty = World(world._exact_dt)
    if name != "driven":
        with pytest.raises(
            ValueError,
            match=r"the forces and parts of the table 'compiled .*Wind', .* must be added to the world before",
        ):
            empty.restore(Snapshot.from_bytes(data))
        assert not empty.bodies and not empty.forces
        empty.add_force(Wind(strength=0.5, gust=0.25))
    empty.restore(Snapshot.from_bytes(data))
    assert empty.state_hash() == world.state_hash()
    assert [repr(force) for force in (*empty.forces, *empty.parts)] == [
        repr(force) for force in (*world.forces, *world.parts)
    ]
    assert [body.mass_properties for body in empty.bodies] == [body.mass_properties for body in world.bodies]
    assert run(empty) == run(world)
    assert empty.snapshot().to_bytes() is not data


def test_bytes_go_back_over_removals_and_the_handles_stay():
    world = full_world(called=False)
    ship, thruster = world.body("ship"), world.forces[2]
    data, live = world.snapshot().to_bytes(), world.snapshot()
    state_hash = world.state_hash()
    world.remove_body(world.body("buoy"))
    late = world.add_body(OTHER, name="late")
    world.restore(Snapshot.from_bytes(data))
    assert world.body("ship") is ship and world.forces[2] is thruster and world.state_hash() == state_hash
    thruster.throttle = 0.25
    ship.velocity = (1.0, 2.0, 3.0)
    assert world.thrusters.throttle[0] == 0.25 and world.state.velocity[0].tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="a restore removed it"):
        _ = late.position
    world.restore(live)
    assert world.state_hash() == state_hash and thruster.throttle == 0.5 and ship.index == 0


@pytest.mark.filterwarnings("ignore:World.snapshot")  # the list of this test
def test_functions_and_objects_are_found_by_name_or_dropped():
    world = full_world()
    data = world.snapshot().to_bytes()
    other = full_world(called=False)
    before = whole(other)
    with pytest.raises(
        ValueError, match=r"members\[13\] refers to the Python force tests\.full_world\.Gusts, which is not in"
    ):
        other.restore(Snapshot.from_bytes(data))
    assert differences(before, whole(other)) == []
    other.restore(Snapshot.from_bytes(data), missing="drop")
    assert len(other.forces) == 13 and not other._stages.on_tick and not other.memory.objects
    with pytest.raises(ValueError, match=r"World\.restore: missing must be 'raise' or 'drop'"):
        other.restore(Snapshot.from_bytes(data), missing="ignore")

    calls = []
    one, two = World(0.5), World(0.5)
    one.on_tick(lambda world: calls.append("a"), every=2, name="a")
    one.after_tick(lambda world: calls.append("b"), name="b")
    data = one.snapshot().to_bytes()
    two.after_tick(lambda world: calls.append("B"), name="b")
    with pytest.raises(
        ValueError, match=r"on_tick\[0\] refers to the function of on_tick a, which is not in this world"
    ):
        two.restore(Snapshot.from_bytes(data))
    two.on_tick(lambda world: calls.append("A"), name="a")
    two.on_tick(lambda world: calls.append("C"), name="c")
    two.restore(Snapshot.from_bytes(data))
    two.step(3)
    assert calls == ["A", "B", "B", "A", "B"]
    with pytest.raises(TypeError, match=r"World\.on_tick: name must be a non-empty string"):
        two.on_tick(len, name="")


def test_snapshots_of_other_worlds_and_ticks_are_adopted_only_on_request():
    world, other = World(0.5), World(0.25)
    world.add_body(OTHER, name="x", velocity=(1.0, 0.0, 0.0))
    world.advance(0.7)
    with pytest.raises(ValueError, match=r"snapshot must be one of this world, unless adopt=True"):
        other.restore(world.snapshot())
    with pytest.raises(ValueError, match=r"snapshot must be one of a world with dt = 0\.25 s, unless adopt=True"):
        other.restore(Snapshot.from_bytes(world.snapshot().to_bytes()))
    other.restore(world.snapshot(), adopt=True)
    assert other.tick_count == 1 and other.body("x").position.tolist() == [0.5, 0.0, 0.0]
    assert other.alpha == pytest.approx(0.8) and other.body("x") is not world.body("x")


def test_bytes_are_small():
    """At most 384 bytes per body, their names, and 4 KiB."""
    world = World(0.01, integrator="rk4")
    world.add_bodies(PROPERTIES, np.arange(300.0).reshape(100, 3))
    data = world.snapshot().to_bytes()
    names = sum(len(body.name) + 3 for body in world.bodies)
    assert len(data) <= 384 * 100 + names + 4096


def test_damaged_bytes_are_rejected():
    world = full_world()
    data = world.snapshot().to_bytes()
    before, generator = whole(world), random.Random(3)
    for number in range(10_000):
        damaged = bytearray(data)
        kind = number % 5
        if kind == 0:  # one bit
            place = generator.randrange(len(data))
            damaged[place] ^= 1 << generator.randrange(8)
        elif kind == 1:  # cut
            del damaged[generator.randrange(len(data)) :]
        elif kind == 2:  # two sections exchanged
            first, second = sorted(generator.sample(range(52, len(data) - 40), 2))
            damaged[first : first + 8], damaged[second : second + 8] = (
                data[second : second + 8],
                data[first : first + 8],
            )
            if damaged == data:
                continue
        elif kind == 3:  # more at the end
            damaged += generator.randbytes(generator.randrange(1, 50))
        else:  # another version or length
            damaged[8 + number % 12] = (damaged[8 + number % 12] + generator.randrange(1, 255)) % 256
        with pytest.raises(ValueError, match=r"Snapshot\.from_bytes: "):
            Snapshot.from_bytes(bytes(damaged))
    assert differences(before, whole(world)) == []


def _sealed(header, body):
    """Bytes with this header whose checksum is right."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    content = len(text).to_bytes(4, "little") + text + body
    head = b"POLHODE\0" + (1).to_bytes(4, "little") + (52 + len(content)).to_bytes(8, "little")
    return head + hashlib.sha256(content).digest() + content


def _opened(data):
    length = int.from_bytes(data[52:56], "little")
    return json.loads(data[56 : 56 + length]), data[56 + length :]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda header: header["tables"][0].update(rows=2**50),
        lambda header: header["tables"][0].update(rows=10**400),
        lambda header: header["tables"][0].update(rows=-1),
        lambda header: header["tables"][0]["fields"][0].__setitem__(1, 2**60),
        lambda header: header["tables"][0].update(name="bodies of another kind"),
        lambda header: header["tables"].append(header["tables"][0]),
        lambda header: header["tables"].clear(),
        lambda header: header["bodies"].__setitem__(0, header["bodies"][1]),
        lambda header: header["bodies"].pop(),
        lambda header: header.update(bodies=3),
        lambda header: header.update(dt=-0.5),
        lambda header: header.update(dt="NaN"),
        lambda header: header.update(tick_count=True),
        lambda header: header["clock"].__setitem__(4, header["clock"][2]),
        lambda header: header["clock"].__setitem__(2, "0xg"),
        lambda header: header["integrator"].update({"class": "World"}),
        lambda header: header["integrator"].update({"variables": "anything"}),
        lambda header: header["members"][0].update({"ids": [5, 5]}),
        lambda header: header["members"][0].update({"table": "nothing"}),
        lambda header: header["on_tick"][0].__setitem__(1, 0),
        lambda header: header["memory"].update({"integral": [[2], "object"]}),
        lambda header: header["objects"].update({"Controller 1": {"x": {"float": "1/2"}}}),
        lambda header: header.clear(),
    ],
)
def test_hostile_headers_with_a_right_checksum_are_rejected(spoil):
    header, body = _opened(full_world().snapshot().to_bytes())
    spoil(header)
    with pytest.raises(ValueError, match=r"Snapshot\.from_bytes: "):
        Snapshot.from_bytes(_sealed(header, body))


def test_hostile_text_is_rejected():
    for text in (b"[" * 100_000, b"{}", b"\xff", b'{"tables": NaN}', b"3", b"9" * 5000):
        with pytest.raises(ValueError, match=r"Snapshot\.from_bytes: "):
            Snapshot.from_bytes(_sealed(text, b""))
    for wrong in (None, "text", 3, [1, 2]):
        with pytest.raises(TypeError, match=r"Snapshot\.from_bytes: data must be bytes"):
            Snapshot.from_bytes(wrong)


def test_rows_that_refer_to_nothing_are_rejected():
    world = full_world(called=False)
    header, body = _opened(world.snapshot().to_bytes())
    offset = 0
    rejected = 0
    for table in header["tables"]:
        offset += 16 * table["rows"]
        for name, size in table["fields"]:
            if name in ("body", "other") and not table["name"].startswith("memory"):
                for value in (7.0, -2.0, 0.5, float("nan"), 1e300):
                    spoiled = body[:offset] + np.float64(value).tobytes() + body[offset + 8 :]
                    with pytest.raises(ValueError, match=r"must be rows from (-1|0) to 3"):
                        Snapshot.from_bytes(_sealed(header, spoiled))
                    rejected += 1
            offset += 8 * size * table["rows"]
    assert rejected >= 40


def test_a_snapshot_is_copied_as_bytes():
    world = full_world()
    snapshot = world.snapshot()
    state_hash = world.state_hash()
    world.step(3)
    world.restore(pickle.loads(pickle.dumps(snapshot)))
    assert world.state_hash() == state_hash


GOLDEN = Path(__file__).parent / "snapshots"


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.snapshot")), ids=lambda path: path.stem)
def test_snapshots_of_every_version_can_be_read(path):
    """Each was made by that version, of the world `driven_world`, with the poses that its next 20 ticks led to."""
    world = World(1 / 32)
    world.restore(Snapshot.from_bytes(path.read_bytes()))
    assert world.tick_count == 3 and [body.name for body in world.bodies] == ["ship", "tug"]
    wheel, tank = world.parts
    jet, _gimballed, gravity = world.forces
    assert (wheel.torque, tank.body.name, jet.tank) == (0.5, "ship", tank)
    assert gravity.acceleration_world.tolist() == [0.0, -1.0, 0.0]
    world.step(20)
    expected = json.loads(path.with_suffix(".json").read_text())
    assert [[float.hex(x) for x in row] for row in world._bodies.array[:13, :2].tolist()] == expected


def test_there_is_a_snapshot_of_the_present_version():
    assert (GOLDEN / "version-1.snapshot").read_bytes()[8:12] == driven_world().snapshot().to_bytes()[8:12]


def test_fields_that_an_older_version_did_not_have_get_their_defaults():
    world = World(1 / 32)
    ship, boom = world.add_body(PROPERTIES), world.add_body(OTHER, position=(3, 0, 0))
    weld = world.add_joint(joints.Weld(boom, ship, at_body=(-1, 0, 0)))
    weld.collides = True
    header, body = _opened(world.snapshot().to_bytes())
    offset = 0
    for table in header["tables"]:
        offset += 16 * table["rows"]
        for field in list(table["fields"]):
            length = 8 * field[1] * table["rows"]
            if field[0] == "collides":
                table["fields"].remove(field)
                body = body[:offset] + body[offset + length :]
            else:
                offset += length
    world.restore(Snapshot.from_bytes(_sealed(header, body)))
    assert not weld.collides
    header["tables"][0]["fields"][0][0] = "place"
    with pytest.raises(ValueError, match=r"tables\.bodies\.place .* must be a field of the table"):
        world.restore(Snapshot.from_bytes(_sealed(header, body)))


# state that is no part of a snapshot


def test_functions_that_may_keep_a_state_are_named_in_one_warning():
    world = World(0.1)
    seen, numbers, source, calls = [], random.Random(3), np.random.default_rng(3), 0

    class Keeper:
        def __init__(self):
            self.history = {}

        def apply(self, wrench, bodies, time):
            pass

    class Stateful(Keeper):
        def get_state(self):
            return {}

        def set_state(self, state):
            pass

        def watch(self, world):
            pass

    def plain(world):
        nonlocal calls
        calls += 1

    def closure(world):
        seen.append(world.time)

    def default(world, draws=numbers):
        draws.random()

    def generator(world, source=source):
        source.normal()

    keeper = Keeper()
    for function in (plain, closure, default, generator, Stateful().watch):
        world.after_tick(function) if function is not plain else world.on_tick(function)
    world.add_force(keeper)
    world.add_force(Stateful())
    with pytest.warns(UserWarning, match=r"World\.snapshot: .* may keep a state") as caught:
        world.snapshot()
    text = str(caught[0].message)
    for name, place in (
        ("closure", r"closure variable 'seen'"),
        ("default", "a default"),
        ("generator", "a default"),
        ("Keeper", "attribute 'history'"),
    ):
        assert f"{name} ({place})" in text
    assert len(caught) == 1 and "plain" not in text and "Stateful" not in text
    assert caught[0].filename == __file__
    world.snapshot()  # once


def test_functions_without_a_state_give_no_warning():
    full_world().snapshot()
    World(0.1).snapshot()


def test_stored_momentum_that_was_zero_is_zero_again():
    world = World(0.1)
    body = world.add_body(OTHER, angular_velocity_body=(0.1, 0.2, 0.3))
    snapshot = world.snapshot()
    body.stored_momentum_body = (1.0, 2.0, 3.0)
    world.step()
    world.restore(snapshot)
    assert body.stored_momentum_body.tolist() == [0.0, 0.0, 0.0]


def test_the_law_and_the_reference_of_a_control_loop_come_back():
    world = World(0.02)
    ship = world.add_body(PROPERTIES, name="ship", angular_velocity_body=(0.2, -0.3, 0.15))
    hold = world.add_part(flight.AttitudeHold(ship, world.add_part(flight.BodyTorque(ship, max_torque=5.0))))
    world.step(7)
    snapshot, data = world.snapshot(), world.snapshot().to_bytes()
    hashes, reference = run(world, 40), hold.reference
    for start in (snapshot, Snapshot.from_bytes(data), snapshot):
        world.restore(start)
        assert run(world, 40) == hashes
        if start is snapshot:
            hold.kill_rotation()
            assert world.snapshot() is not None
            world.restore(snapshot)
            assert hold.reference is reference


def with_engine(world, body, place):
    """A tank with a thruster."""
    tank = world.add_part(flight.Tank.ball(body, (0.0, 0.1 * place, 0.0), 0.2, 1.0 + place))
    given = {"position": (0, 0, -1), "direction": (0, 0, 1), "specific_impulse": 100.0}
    return world.add_force(forces.Thruster(body, max_force=3.0 + place, tank=tank, **given))


@pytest.mark.parametrize("reads", [False, True])
def test_a_snapshot_from_bytes_finds_each_force_and_part_again(reads):
    """By its rows in the same world, or by its bodies; and a thruster draws from the tank of the snapshot."""
    world = World(0.05)
    ships = world.add_bodies(OTHER, [(0.0, 0.0, 0.0), (5.0, 0.0, 0.0)], names=["left", "right"])
    first, second = (with_engine(world, ship, place) for place, ship in enumerate(ships))
    before = world.snapshot()
    snapshot = Snapshot.from_bytes(before.to_bytes()) if reads else before
    third = with_engine(world, ships[1], 2)
    world.remove_force(first)
    world.restore(snapshot)
    made = world.forces[0]
    assert (made is first) is not reads and world.forces[1] is second and third not in world.forces
    assert [force.tank for force in world.forces] == list(world.parts)
    copy.deepcopy(world).step()
    second.fire(0.2)
    made.fire(0.2)
    world.step(10)
    assert all(tank.propellant < 1.0 + place for place, tank in enumerate(world.parts))
    world.restore(before)
    assert [force.tank for force in world.forces] == list(world.parts)
    assert world.forces == (first, second)
    # another world, whose ids are others and whose forces were added in another order
    other = World(0.05)
    others = other.add_bodies(OTHER, [(0.0, 0.0, 0.0), (5.0, 0.0, 0.0)], names=["left", "right"])
    right, left = (with_engine(other, ship, 0) for ship in reversed(others))
    other.restore(Snapshot.from_bytes(before.to_bytes()), adopt=True)
    assert other.forces == (left, right)
    assert [force.tank for force in other.forces] == list(other.parts)
    assert other.state_hash() == world.state_hash()


def test_a_thruster_that_takes_the_place_of_another_draws_from_its_tank():
    """Restored from bytes for the second time, the rows have other ids, and both thrusters are on one body."""
    world = World(0.05)
    ship = world.add_body(OTHER)
    for place in range(2):
        with_engine(world, ship, place)
    data = world.snapshot().to_bytes()
    for _ in range(3):
        world.remove_force(world.forces[0])
        world.restore(Snapshot.from_bytes(data))
        assert [force.tank for force in world.forces] == list(world.parts)
        assert [force.max_force for force in world.forces] == [3.0, 4.0]
        copy.deepcopy(world).step()


def test_restoring_from_bytes_again_and_again_keeps_ids_small():
    world = full_world(called=False)
    for _ in range(80):
        world.restore(Snapshot.from_bytes(world.snapshot().to_bytes()))
        world.step()
    assert max(table._next_id for table in world._store.tables.values()) < 5000
    Snapshot.from_bytes(world.snapshot().to_bytes())


def test_a_force_that_has_joined_another_world_is_not_taken_from_it():
    world, other = World(0.1), World(0.1)
    for each in (world, other):
        each.add_body(OTHER)
    gravity = world.add_force(forces.UniformGravity((0.0, 0.0, -1.0)))
    snapshot = world.snapshot()
    world.remove_force(gravity)
    other.add_force(gravity)
    before = world.state_hash()
    with pytest.raises(
        ValueError, match=r"World.restore: snapshot must be one whose .* UniformGravity.* has been added to another"
    ):
        world.restore(snapshot)
    assert (world.state_hash(), world.forces, other.forces) == (before, (), (gravity,))
    other.remove_force(gravity)
    world.restore(snapshot)
    assert world.forces == (gravity,)


def hinged():
    world = World(1 / 8)
    left, right = world.add_bodies(OTHER, [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0)], names=["left", "right"])
    world.add_joint(joints.Hinge(left, right, axis_body=(0, 0, 1), at_body=(1, 0, 0)))
    gyro = world.add_part(flight.Gyro(left, noise_density=1e-5, seed=1))
    world.add_part(
        flight.AttitudeFilter(
            gyro, [world.add_part(flight.StarTracker(left, boresight_body=(0, 0, 1), noise=(1e-4, 1e-4), seed=1))]
        )
    )
    world.step()
    return world


@pytest.mark.parametrize(
    "change",
    [
        *(
            lambda header, put, number=number: put("joints", "type", number)
            for number in (9.0, 100.0, 1e308, 3.0, -1.0, 2.5)
        ),
        lambda header, put: put("joints", "other", 0.0),
        *(
            lambda header, put, value=value: header["members"][1]["attributes"].update({"_every": value})
            for value in ("x", 0, 1.5, True)
        ),
        lambda header, put: header["members"][1]["attributes"].update({"_name": 3}),
        lambda header, put: header["members"][2]["attributes"].update({"_gyro": 3}),
        lambda header, put: header["members"][2]["attributes"].update({"_trackers": {"tuple": [{"member": 1}]}}),
        lambda header, put: header["members"][1]["attributes"].update({"_misalignment": None}),
        lambda header, put: header["members"][1]["attributes"].update({"_seed": {"member": 0}}),
    ],
)
def test_signed_bytes_that_make_no_world_are_rejected_and_change_nothing(change):
    world = hinged()
    data = world.snapshot().to_bytes()
    world.step()
    before = world.state_hash()
    world.restore(Snapshot.from_bytes(altered(data, lambda header, put: None)))
    world.step()
    assert world.state_hash() == before
    with pytest.raises(ValueError, match=r"World.restore: |Snapshot.from_bytes: "):
        world.restore(Snapshot.from_bytes(altered(data, change)))
    assert world.state_hash() == before
    world.step()


def test_each_attribute_of_a_part_has_a_rule_for_signed_bytes():
    """Those of control loops are objects, which bytes do not contain."""
    for kind in encoding.BUILT_IN.values():
        if not issubclass(kind, flight.Controlled):
            assert set(encoding.own_slots(kind)) <= set(encoding._ATTRIBUTES), kind


@pytest.mark.parametrize("line", range(1, 7))
def test_pushes_that_an_interrupt_keeps_half_cleared_are_restored(line):
    """An image counts as the present content only if nothing has begun to change it."""
    world = World(0.1)
    world.add_body(OTHER).apply_force((1.0, 2.0, 3.0))
    snapshot, before = world.snapshot(), world.state_hash()
    code = Table.clear.__code__

    def interrupt(frame, event, argument):
        if frame.f_code is code and event == "line" and frame.f_lineno == code.co_firstlineno + line:
            raise KeyboardInterrupt
        return interrupt

    old = sys.gettrace()
    sys.settrace(interrupt)
    try:
        world._held.pushes.clear()
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(old)
    world.restore(snapshot)
    assert world.state_hash() == before
    world.step()
    assert world.bodies[0].velocity.any()


class Nothing:
    """A Python force."""

    def apply(self, wrench, bodies, time):
        pass


@pytest.mark.filterwarnings("ignore:World")
def test_what_touched_is_found_again_in_a_world_without_a_force_that_came_before_the_shapes():
    def boxes_on_the_ground(*called):
        world = World(1 / 60, integrator="rk4")
        for force in (*called, forces.UniformGravity((0.0, 0.0, -9.8))):
            world.add_force(force)
        world.add_shape(shapes.Plane(), name="ground")
        for name, x in (("one", 0.0), ("other", 5.0)):
            body = world.add_body(MassProperties.box(3.0, (1.0, 1.0, 1.0)), name=name, position=(x, 0.0, 0.6))
            body.add_shape(shapes.Box((1.0, 1.0, 1.0)), name=f"box of {name}")
        world.on_contact(lambda _, contact: ended.append(contact), "end", name="ended")
        return world

    ended = []
    world, other = boxes_on_the_ground(Nothing()), boxes_on_the_ground()
    world.step(30)
    other.restore(Snapshot.from_bytes(world.snapshot().to_bytes()), missing="drop")
    for body in other.bodies:
        body.velocity = (0.0, 0.0, 5.0)
    other.step(5)
    assert sorted(shape.name for contact in ended for shape in contact.shapes) == [
        *("box of one", "box of other", "ground", "ground")
    ]
