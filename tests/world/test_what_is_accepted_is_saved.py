"""What a world accepts, a save gives back: settings, names, intervals, seeds and shapes of any kind, refused at the door or read again."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import MassProperties, World, flight, forces, joints

from ..lengths import sized

BALL = MassProperties.sphere(1.0, 0.5)
WHOLE = st.one_of(
    st.integers(-3, 12), st.sampled_from([2**31, 2**53, 2**53 + 1, 2**60, 2**63, 2**64, -(2**63), 10**300])
)
RATIOS = st.one_of(
    st.floats(1e-6, 1e3),
    st.fractions(Fraction(1, 1000), 100),
    st.sampled_from([Fraction(10**3000 + 1, 10**3000), Fraction(1, 10**300), 1e308, 5e-324]),
)
NAMES = st.one_of(
    st.text(min_size=0, max_size=6), st.sampled_from(["\ud800", "x\udfff", "a\0b", "ship", "{}", "\u2028"])
)
SHAPES = st.one_of(
    st.integers(-1, 5),
    st.lists(st.integers(0, 3), max_size=4).map(tuple),
    st.sampled_from([2**31, 2**53, 2**63, (2**32, 2**32), (1,) * 40, (2**20, 2**20)]),
)


def attempt(function, *arguments, **named):
    """The result, or None if it is refused with a clear error."""
    try:
        return function(*arguments, **named)
    except (TypeError, ValueError) as error:
        assert " must be " in str(error) or "must be" in str(error), error
        return None


def nothing(world):
    """A function of a module."""


KINDS = st.sampled_from(["gyro", "tracker", "function", "memory", "wheel", "thruster", "spring", "weld", "drag"])
PARTS = st.tuples(
    KINDS, st.tuples(WHOLE, WHOLE, WHOLE), NAMES, SHAPES, RATIOS, st.sampled_from([np.float64, np.uint64])
)


@pytest.mark.filterwarnings("ignore")
@settings(
    max_examples=sized(8, 60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(RATIOS, WHOLE, st.sampled_from(["raise", "freeze"]), RATIOS, NAMES, st.lists(PARTS, max_size=3))
def test_a_save_gives_back_what_the_world_accepted(tmp_path, dt, ticks, freezing, scale, name, parts):
    world = attempt(World, dt, max_ticks_per_frame=ticks, on_non_finite=freezing)
    if world is None:
        return
    attempt(setattr, world, "time_scale", scale)
    ship = attempt(world.add_body, BALL, name=name) or world.add_body(BALL)
    other = world.add_body(BALL, position=(3, 0, 0))
    for part in parts:
        add(world, ship, other, *part)
    path = tmp_path / "game.json"
    functions = {each.name: nothing for each in world._stages.on_tick}
    for snapshot in (True, False):
        world.save(path, snapshot=snapshot)
        loaded = World.load(path, objects=functions)
        assert loaded.state_hash() == world.state_hash()
        assert loaded.max_ticks_per_frame == world.max_ticks_per_frame
        assert loaded._clock.exact_time_scale == world._clock.exact_time_scale
        assert loaded._clock.exact_dt == world._clock.exact_dt
        assert [body.name for body in loaded.bodies] == [body.name for body in world.bodies]
        assert [(each.name, each.every) for each in loaded._stages.on_tick] == [
            (each.name, each.every) for each in world._stages.on_tick
        ]


def add(world, ship, other, kind, numbers, name, shape, ratio, dtype):
    """Add something to the world, unless it is refused."""
    seed, every, delay = numbers
    part = force = None
    if kind == "gyro":
        named = {"seed": seed, "every": every, "delay": delay, "name": name}
        part = attempt(flight.Gyro, ship, noise_density=1e-3, **named)
    elif kind == "tracker":
        part = attempt(flight.StarTracker, ship, (0, 0, 1), noise=(1e-4, 1e-4), seed=seed, every=every, delay=1)
    elif kind == "wheel":
        part = attempt(flight.ReactionWheel, ship, axis=(1, 2, 0), inertia=0.1, max_torque=1.0, max_speed=ratio)
    elif kind == "thruster":
        force = attempt(forces.Thruster, ship, position=(0, 0, 1), direction=(1, 0, 0), max_force=ratio)
    elif kind == "spring":
        force = forces.Spring(ship, other, stiffness=0.1)
    elif kind == "drag":
        force = attempt(forces.LinearDrag, ratio)
    elif kind == "function":
        attempt(world.on_tick, nothing, every, name=name)
    elif kind == "memory":
        attempt(world.memory.add, name, shape, dtype)
    else:
        attempt(world.add_joint, joints.Weld(ship, other, at_body=(1.5, 0, 0)))
    if force is not None:
        attempt(world.add_force, force)
    if part is not None and attempt(world.add_part, part) is not None and kind == "tracker":
        attempt(setattr, part, "max_rate", ratio)


def test_a_file_that_could_not_be_loaded_does_not_replace_the_old_one(tmp_path, monkeypatch):
    path, world = tmp_path / "game.json", World(0.5)
    world.save(path)
    before = path.read_bytes()
    ship = world.add_body(BALL, name="ship")
    monkeypatch.setattr(type(ship), "name", property(lambda body: ""))
    with pytest.raises(
        ValueError, match=r"World\.save: the world must be one whose file can be read again; got .*; .*name"
    ):
        world.save(path)
    assert path.read_bytes() == before


def test_fractions_of_more_digits_than_a_file_may_hold_are_rejected():
    long, world = Fraction(10**5000 + 1, 10**5000), World(0.5)
    with pytest.raises(ValueError, match=r"World: dt must be a fraction of at most 3900 digits"):
        World(long)
    with pytest.raises(ValueError, match=r"World: time_scale must be a fraction of at most 3900 digits"):
        world.time_scale = long
    assert world.time_scale == 1.0


@pytest.mark.parametrize("every", [2**53 + 1, 2**63, 10**300])
def test_intervals_that_no_file_can_hold_are_rejected_at_the_door(every):
    world = World(0.5)
    ship = world.add_body(BALL)
    for call in (
        lambda: flight.Gyro(ship, seed=1, every=every),
        lambda: world.on_tick(nothing, every),
        lambda: world.predict(1.0, every=every),
    ):
        with pytest.raises(ValueError, match=r"every must be at most 2\*\*53 ticks; got"):
            call()


@pytest.mark.parametrize("shape", [2**31, (2**14, 2**14), (2**53, 2**53), 2**63])
def test_memory_beyond_all_memory_is_rejected(shape):
    world = World(0.5)
    with pytest.raises(
        ValueError, match=r"World\.memory 'x': shape must be the shape of at most 134217728 numbers; got"
    ):
        world.memory.add("x", shape)
    assert "x" not in world.memory and math.isfinite(world.time)
