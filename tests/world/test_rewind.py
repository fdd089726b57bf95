"""A world that is flown back and forth in time."""

import sys

import numpy as np
import pytest

from engine import Rewind, World, flight
from engine.integrators import Extrapolated, RungeKutta4

from ..full_world import differences, full_world, image
from ..worlds import OTHER, PROPERTIES


def test_going_back_and_flying_on_gives_the_same_flight():
    world = full_world()
    rewind, hashes = Rewind(world, seconds=1.0), {world.tick_count: world.state_hash()}
    for _ in range(20):
        world.step()
        hashes[world.tick_count] = world.state_hash()
    last = world.tick_count
    for ticks in (1, 7, 20):
        assert rewind.back(ticks / 32) == ticks / 32
        assert world.tick_count == last - ticks and world.state_hash() == hashes[last - ticks]
        while world.tick_count < last:
            world.step()
            assert world.state_hash() == hashes[world.tick_count]


def test_forward_returns_to_what_lay_ahead_until_the_world_goes_on():
    world = full_world()
    rewind = Rewind(world, seconds=1.0)
    world.step(10)
    world.body("ship").velocity = (9.0, 8.0, 7.0)
    before = image(world)
    assert rewind.back(8 / 32) == 8 / 32 and rewind.span == (2 / 32, 8 / 32)
    assert rewind.forward(3 / 32) == 3 / 32 and rewind.span == (5 / 32, 5 / 32)
    assert rewind.forward(100.0) == 5 / 32
    assert differences(before, image(world)) == []
    rewind.back(4 / 32)
    world.step()
    assert rewind.span == (7 / 32, 0.0) and rewind.forward(1.0) == 0.0


def test_the_past_ends_after_the_given_time():
    world = World(0.25)
    ship = world.add_body(OTHER, velocity=(1.0, 0.0, 0.0))
    rewind = Rewind(world, seconds=2.0)
    world.step(20)
    assert rewind.span == (2.0, 0.0)
    assert rewind.back(5.0) == 2.0 and ship.position.tolist() == [3.0, 0.0, 0.0]
    assert rewind.back(1.0) == 0.0 and world.time == 3.0


def test_bodies_that_were_added_and_removed_come_and_go():
    world = World(0.25)
    first = world.add_body(OTHER)
    rewind = Rewind(world, seconds=10.0)
    world.step(2)
    second = world.add_body(PROPERTIES)
    world.step(2)
    world.remove_body(first)
    world.step(2)
    rewind.back(0.75)
    assert world.bodies == (first, second)
    rewind.back(0.5)
    assert world.bodies == (first,)
    rewind.forward(10.0)
    assert world.bodies == (second,)


def test_a_coast_is_gone_back_over_as_a_whole():
    world = World(0.5)
    rock = world.add_body(OTHER, velocity=(1.0, 0.0, 0.0))
    rewind = Rewind(world, seconds=60.0)
    world.step(4)
    world.coast(100)
    world.coast(1000)
    world.step(2)
    last = world.state_hash()
    assert rewind.span == (553.0, 0.0) and world.time == 553.0
    assert rewind.back(1.0) == 1.0 and world.time == 552.0
    assert rewind.back(1.0) == 500.0 and world.time == 52.0  # no snapshot inside the coast
    assert rewind.back(1.0) == 50.0 and world.time == 2.0 and rock.position.tolist() == [2.0, 0.0, 0.0]
    assert rewind.back(0.5) == 0.5 and rewind.span == (1.5, 551.5)
    assert rewind.forward(1.0) == 0.5  # the end of the coast lies farther ahead
    assert rewind.forward(550.5) == 550.5 and rewind.forward(9.0) == 0.5 and world.state_hash() == last


def test_a_snapshot_that_the_user_restores_shortens_the_past():
    world = World(0.25)
    world.add_body(OTHER, velocity=(1.0, 0.0, 0.0))
    rewind = Rewind(world, seconds=10.0)
    world.step(2)
    snapshot = world.snapshot()
    world.step(6)
    world.restore(snapshot)
    world.step()
    assert rewind.span == (0.75, 0.0)
    rewind.stop()
    world.step(3)
    assert rewind.span == (0.0, 0.0)


def test_it_is_no_part_of_forks_and_predictions():
    world = full_world()
    rewind = Rewind(world, seconds=1.0)
    world.step(2)
    forked = world.fork()
    forked.step(2)
    world.predict(0.25)
    assert rewind.span == (2 / 32, 0.0) and repr(rewind) == "<Rewind of 0.0625 s, with 0 s ahead>"


@pytest.mark.parametrize(
    ("method", "per_body", "equipped"),
    [("rk4", 200, False), ("rk4", 200, True), (Extrapolated(RungeKutta4()), 400, False)],
)
def test_an_entry_takes_little_memory(method, per_body, equipped):
    """At most 200 bytes per body, 400 with a history, and 1 KiB; all objects that an entry does not share with the one before it."""
    world = World(1 / 240, integrator=method)
    bodies = world.add_bodies(PROPERTIES, np.arange(300.0).reshape(100, 3))
    if equipped:  # its own rows are few; what all bodies have counts
        bodies[7].stored_momentum_body = (0, 0, 1)
        world.add_part(flight.Accelerometer(bodies[50], seed=1))
    rewind = Rewind(world, seconds=60.0)
    world.step(4)
    last, entry = rewind._past[-2], rewind._past[-1]
    shared = {id(thing) for thing in _objects_of(last)}
    own = [thing for thing in _objects_of(entry) if id(thing) not in shared]
    size = sum(sys.getsizeof(thing) for thing in own)
    assert 100 * 100 < size <= per_body * 100 + 1024


def _objects_of(snapshot):
    content = snapshot._inside.content
    found = [snapshot, content, *content, snapshot._inside]
    for picture in content.images:
        found.append(picture)
        for value in (getattr(picture, name) for name in type(picture).__slots__):
            found += [value, *value] if isinstance(value, tuple) else [value]
    return found


def test_wrong_arguments_are_rejected():
    world = World(0.5)
    rewind = Rewind(world)
    for call, kind, message in (
        (lambda: Rewind(3), TypeError, r"Rewind: world must be a World; got 3"),
        (lambda: Rewind(world, 0.0), ValueError, r"Rewind: seconds must be a finite real number above 0"),
        (lambda: Rewind(world, float("nan")), ValueError, r"Rewind: seconds"),
        (lambda: Rewind(world, 0.1), ValueError, r"Rewind: seconds must be between one tick \(0\.5 s\)"),
        (lambda: rewind.back(-1.0), ValueError, r"Rewind\.back: seconds"),
        (lambda: rewind.forward("1"), TypeError, r"Rewind\.forward: seconds"),
    ):
        with pytest.raises(kind, match=message):
            call()
    kept = list(rewind._past)
    for use in (rewind.back, rewind.forward):
        world.on_tick(lambda world, use=use: use(1.0), name="rewind")
        with pytest.raises(RuntimeError, match=r"Rewind\.\w+ cannot be called from inside a tick"):
            world.step()
        world.remove_callback(world._stages.on_tick[0].function)
        assert rewind._past == type(rewind._past)(kept, rewind._past.maxlen), "no snapshot of half a tick"
