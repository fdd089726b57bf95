"""An interrupt at any moment leaves the world at a whole tick: bodies, tick count, applied forces and every table agree."""

import gc
import random
import signal

import numpy as np
import pytest

from engine import MassProperties, World, forces
from engine.store import threads

from ..helpers import skew_tensor
from ..lengths import sized

pytestmark = pytest.mark.timeout(method="thread")  # these tests need the alarm for themselves

SHAPE = MassProperties(2.0, skew_tensor((1.0, 2.0, 2.5)), (0.1, -0.2, 0.3))

needs_alarm = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no interval timer")


class Interrupted(BaseException):
    """Raised by the alarm."""


def interrupted_after(seconds, action):
    """Run an action until it ends or an alarm goes off inside; whether it did."""

    armed = [True]

    def raise_interrupt(_number, _frame):
        if armed:  # not while the alarm is being switched off
            raise Interrupted

    before = signal.signal(signal.SIGALRM, raise_interrupt)
    try:
        signal.setitimer(
            signal.ITIMER_REAL, seconds, 1.0
        )  # again each second, in case that Python ignores the first one
        action()
        armed.clear()
        return False
    except Interrupted:
        armed.clear()
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(autouse=True)
def no_collection():
    """Python ignores an exception inside the functions that the garbage collector calls; Hypothesis has such a function."""
    gc.disable()
    yield
    gc.enable()


def steady(threads=1, bodies=3, **options):
    """Bodies under gravity with a thruster, which nobody calls."""
    world = World(1 / 256, threads=threads, **options)
    made = world.add_bodies(SHAPE, np.arange(3.0 * bodies).reshape(bodies, 3), angular_velocity_body=(0.3, 2.0, -0.4))
    world.add_force(forces.UniformGravity((0.1, -9.8, 0.2)))
    jet = world.add_force(forces.Thruster(made[0], position=(0.1, 0.2, 0.3), direction=(1, 2, 3), max_force=2.0))
    jet.throttle = 0.7
    return world


def called():
    """The same with a callback that throttles, pushes and remembers, and a called force."""
    world = steady()
    jet = world.forces[1]
    count = world.memory.add("count")

    @world.on_tick
    def control(world):
        jet.throttle = (world.tick_count % 8) / 8
        world.bodies[1].apply_force((1.0, 0.5, -0.25), at_world=(0.0, 1.0, 2.0))
        count.value = count.value + 1.0

    @world.on_tick(every=3)
    def blow(world):
        world.bodies[2].apply_impulse((0.125, 0.0, -0.25))

    @world.add_force
    def wind(wrench, bodies, time):
        wrench.force_world[:] -= 0.25 * bodies.velocity

    return world


def assert_is_a_fresh_one(world, make):
    """The interrupted world is one that was stepped to the same tick without a break."""
    fresh = make()
    fresh.step(world.tick_count)
    assert world.state_hash() == fresh.state_hash()
    for name in ("position", "orientation", "velocity", "angular_velocity_body"):
        assert np.array_equal(getattr(world.state, name), getattr(fresh.state, name))
    assert [rows.tolist() for rows in world.interpolated_poses()] == [
        rows.tolist() for rows in fresh.interpolated_poses()
    ]


@needs_alarm
@pytest.mark.parametrize(("make", "ticks"), [(steady, 400_000), (called, 2_000)], ids=["steady", "called"])
def test_an_interrupted_world_is_one_stepped_to_the_same_tick(make, ticks):
    random.seed(3)
    make().step(300)  # compiled before the alarms
    interrupts, times = 0, sized(5, 70)
    for _ in range(times):
        world = make()
        interrupts += interrupted_after(random.uniform(1e-4, 0.04), lambda world=world: world.step(ticks))
        assert_is_a_fresh_one(world, make)
        world.step(3)
        assert_is_a_fresh_one(world, make)
    assert interrupts > times // 2  # most of the alarms went off inside


@needs_alarm
def test_an_interrupted_world_on_two_threads_has_all_its_parts_at_one_tick():
    def make():
        return steady(threads=2, bodies=9000)

    random.seed(4)
    make().step(2)
    interrupts, times = 0, sized(6, 30)
    for _ in range(times):
        world = make()
        interrupts += interrupted_after(random.uniform(1e-3, 0.03), lambda world=world: world.step(40))
        assert_is_a_fresh_one(world, make)
    assert interrupts > times // 3


@needs_alarm
def test_no_interrupt_leaves_the_threads_waiting_for_one_another(monkeypatch):
    """Ticks of 40 bodies in two parts: nearly every alarm goes off while a part is offered to the other thread."""
    monkeypatch.setattr(threads, "FEWEST_BODIES", 8)
    random.seed(6)
    world = steady(threads=2, bodies=40)
    world.step()

    def fly():
        while True:
            world.step(40)

    for _ in range(sized(300, 3000)):
        assert interrupted_after(random.uniform(2e-5, 1e-3), fly)
    fresh = steady(threads=2, bodies=40)
    fresh.step(world.tick_count)
    assert world.state_hash() == fresh.state_hash()


@needs_alarm
def test_many_single_steps_are_interrupted_between_whole_ticks():
    random.seed(5)
    for make in (steady, called):
        make().step(300)
        for _ in range(25):
            world = make()

            def fly(world=world):
                while True:
                    world.step()

            assert interrupted_after(random.uniform(1e-4, 0.01), fly)
            assert_is_a_fresh_one(world, make)
