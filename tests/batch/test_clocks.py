"""Fields that read the time have that of their member, which a reset begins again, with the bits of a world alone."""

import numpy as np
import pytest

from engine import MassProperties, World, forces, joints, scalar
from engine.batch import Batch
from engine.compilation.compiler import COMPILED
from engine.integrators import Extrapolated, Substepped, by_name
from engine.store import threads

DT, COUNT = 1 / 30, 7
SCENES = ("alone", "sprung", "on hinges")
METHODS = {
    **by_name,
    "rk4 in 3": lambda: Substepped("rk4", 3),
    "free-rotor-4 in 2 in 2": lambda: Substepped(Substepped("free-rotor-4", 2), 2),
}
ALONE = {
    **METHODS,
    "extrapolated midpoint": lambda: Extrapolated("midpoint"),
    "extrapolated rk5 in 2": lambda: Extrapolated(Substepped("rk5", 2)),
}
COMPILED_TOO = {"rk4", "free-rotor-2", "saba4", "rk4 in 3", "free-rotor-4 in 2 in 2", "extrapolated rk5 in 2"}
"""One method of each kind of loop; `tests.batch.bits` has all of them."""
CHOSEN = sorted(COMPILED_TOO if COMPILED else ALONE)


@forces.compiled(parameters=("strength", "rate"))
def Gust(body, time, strength, rate):
    """A wind that changes with the time, and with the place."""
    phase = rate * time + 0.3 * body.position[0]
    return (strength * scalar.sine(phase), 0.1 * strength * time, 0.0), (0.0, 0.02 * scalar.cosine(phase), 0.0)


@forces.compiled(parameters=("gm", "x", "y", "speed"), depends_on_rates=False)
def Moon(body, time, gm, x, y, speed):
    """Gravity of a body that moves along a line."""
    away = scalar.subtract((x, y + speed * time, 0.5), body.position)
    squared = scalar.dot(away, away)
    return scalar.scale(gm * body.mass / (squared * scalar.sqrt(squared)), away), (0.0, 0.0, 0.0)


def new_world(scene, method="rk4"):
    """Bodies in a gust that acts on all, near a moon that acts on some, alone, on a spring or on hinges."""
    world = World(dt=DT, integrator=ALONE[method]())
    box, turning = MassProperties.box(9.0, (1.0, 1.2, 1.5)), (0.3, -0.2, 0.1)
    ship = world.add_body(box, name="ship", angular_velocity_body=turning)
    tug = world.add_body(MassProperties.sphere(4.0, 0.5), name="tug", position=(4.0, 0.0, 0.0))
    world.add_force(Gust(2.0, 1.3))
    world.add_force(Moon(3.0, 6.0, -2.0, 0.7, bodies=[ship]))
    if scene == "sprung":
        world.add_force(Gust(0.5, -0.4, bodies=[tug]))
        world.add_force(forces.Spring(ship, tug, stiffness=3.0, damping=0.1, rest_length=3.0))
    if scene == "on hinges":
        arm = world.add_body(MassProperties.box(2.0, (1.0, 0.1, 0.1)), name="arm", position=(1.1, 0.0, 0.0))
        world.add_joint(joints.Hinge(ship, arm, at_body=(0.6, 0.0, 0.0), axis_body=(0.0, 0.0, 1.0)))
    return world


def strengths():
    return np.random.default_rng(1).uniform(0.5, 2.0, COUNT)


def assert_members_have_their_own_time(scene, method, count=COUNT, **given):
    template = new_world(scene, method)
    batch, moon = Batch(template, members=count, **given), template.forces[1]
    batch[moon].gm = np.resize(strengths(), count)
    batch.step(5)
    batch.reset([1, 2])
    batch.step(4)
    batch.reset([2, 4])
    batch.active = np.arange(count) != 3
    batch.step(3)
    batch.active = True
    batch.step(2)
    wanted = [14, 9, 5, 11, 5, 14, 14]
    assert batch.tick_count[:COUNT].tolist() == wanted
    for member, ticks in enumerate(wanted):
        world = new_world(scene, method)
        world.forces[1].gm = float(strengths()[member])
        world.step(ticks)
        assert batch.state_hash(member) == world.state_hash(), member
        for body in world.bodies:
            found = batch.world(member).body(body.name)
            assert np.array_equal(found.position, body.position), member
    alone = batch.world(2)
    alone.step(6)
    batch.step(6)
    assert alone.state_hash() == batch.state_hash(2)


@pytest.mark.parametrize("method", CHOSEN)
def test_fields_have_the_time_of_their_member_with_every_method(method):
    assert_members_have_their_own_time("alone", method)


@pytest.mark.parametrize("method", [each for each in CHOSEN if each in METHODS])
@pytest.mark.parametrize("scene", SCENES[1:])
def test_fields_have_the_time_of_their_member_on_springs_and_hinges(scene, method):
    assert_members_have_their_own_time(scene, method)


@pytest.mark.parametrize("scene", SCENES)
def test_two_threads_give_each_member_its_own_time(scene, monkeypatch):
    monkeypatch.setattr(threads, "FEWEST_BODIES", 8)
    assert_members_have_their_own_time(scene, "rk4", threads=2, count=20)


def test_a_restored_batch_has_the_clocks_of_its_snapshot():
    template = new_world("alone")
    batch = Batch(template, members=3)
    batch.step(5)
    before = batch.snapshot()
    batch.reset([1])
    batch.step(2)
    batch.restore(before)
    batch.step(4)
    other = batch.copy()
    batch.step(3)
    other.step(3)
    template.step(12)
    hashes = {each.state_hash(member) for each in (batch, other) for member in range(3)}
    assert hashes == {template.state_hash()}


def test_a_member_can_be_reset_to_a_later_time_than_that_of_the_batch():
    template = new_world("alone")
    batch = Batch(template, members=3)
    template.step(9)
    batch.step(2)
    batch.reset([1], to=template.snapshot())
    assert batch.tick_count.tolist() == [2, 9, 2]
    batch.step(3)
    template.step(3)
    assert batch.state_hash(1) == template.state_hash()


def test_a_reset_that_fails_leaves_the_time_as_it_was(monkeypatch):
    template = new_world("alone")
    batch = Batch(template, members=2)
    batch.step(4)
    with monkeypatch.context() as patched:
        patched.setattr("engine.batch.batch.Noise.begin_again", lambda *_arguments: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            batch.reset([1])
    batch.step(3)
    template.step(7)
    assert [batch.state_hash(member) for member in range(2)] == [template.state_hash()] * 2
