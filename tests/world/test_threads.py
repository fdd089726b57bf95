"""Several threads give the same bits, a failed tick is undone in all of them, and small worlds use one thread."""

import os
import signal
import threading
from contextlib import ExitStack

import numpy as np
import pytest

from engine import NonFiniteStateError, World, forces
from engine.compilation.compiler import COMPILED
from engine.store import threads
from engine.store.threads import FEWEST_BODIES

from ..helpers import PATIENCE
from ..lengths import sized
from ..worlds import OTHER, PROPERTIES

COUNT = 3 * FEWEST_BODIES + 5


def big_world(threads, count=COUNT, method="rk4"):
    rng = np.random.default_rng(5)
    world = World(0.01, integrator=method, threads=threads)
    shapes = [(PROPERTIES, OTHER)[k % 2] for k in range(count)]
    world.add_bodies(shapes, rng.normal(size=(count, 3)), angular_velocity_body=rng.normal(size=(count, 3)))
    world.add_force(forces.UniformGravity((0, 0, -1)))
    world.add_force(forces.PointGravity(100.0, (50, 60, 70)))
    world.add_force(forces.LinearDrag(0.1, bodies=world.bodies[7::5]))
    world.prepare()  # loops with fields compiled in share the work, and are not compiled while a tick waits
    return world


@pytest.mark.parametrize("method", ["rk4", "free-rotor-2", "axis-splitting-4"])
@pytest.mark.parametrize("threads", sized([2], [2, 3, 5]))
def test_threads_do_not_change_a_bit(threads, method):
    alone, shared = big_world(1, method=method), big_world(threads, method=method)
    for world in (alone, shared):
        world.step()
        world.step(3)
    assert shared.state_hash() == alone.state_hash()


def test_work_is_shared_between_threads_only_where_it_should_fuse(monkeypatch):
    """How many threads take part in a tick is seen in the pool's threads: none for a world of too few bodies."""
    used = []
    together = threads._TicksInParts.__call__
    monkeypatch.setattr(
        threads._TicksInParts, "__call__", lambda self, ticks: used.append(len(self._parts)) or together(self, ticks)
    )
    for count, expected in ((2 * FEWEST_BODIES - 1, []), (2 * FEWEST_BODIES, [2]), (COUNT, [3])):
        used.clear()
        big_world(4, count).step()
        assert used == expected
    assert any(thread.name.startswith("ticks") for thread in threading.enumerate())


@pytest.mark.parametrize("index", [0, FEWEST_BODIES, COUNT - 1])
@pytest.mark.parametrize("ticks", [1, 4])
def test_a_tick_that_is_not_finite_in_one_part_is_undone_in_all(index, ticks):
    """A body at the very centre of a point mass spoils the tick, wherever its part is."""
    world = big_world(3)
    world.step(2)
    position = world.state.position.copy()
    position[index] = (50, 60, 70)
    world.state.position = position
    before = world.state_hash()
    with pytest.raises(NonFiniteStateError, match=f"body {index}'"):
        world.step(ticks)
    assert world.state_hash() == before
    assert world.tick_count == 2


@pytest.mark.parametrize("index", [0, FEWEST_BODIES, COUNT - 1])
def test_a_body_that_overflows_in_one_part_is_named_and_the_wheels_of_all_are_put_back(index):
    """No force is the cause, so that the name comes from the loop of that part; the motors have turned the wheels of the others."""
    world = World(1.0, integrator="semi-implicit-euler", threads=3)
    world.add_bodies(PROPERTIES, np.zeros((COUNT, 3)))

    def motor(wrench, bodies, time):
        wrench.motor_torque_body[:] += (0.01, 0.02, 0.03)

    motor.evaluate = "tick"
    world.add_force(motor)
    world.step()
    far = np.zeros((COUNT, 3))
    far[index, 0] = 1e308
    world.state.position = world.state.velocity = far
    before = world.state_hash()
    with pytest.raises(NonFiniteStateError, match=f"body {index}': .*no single force is the cause"):
        world.step()
    assert world.state_hash() == before


class Interrupted(BaseException):
    pass


def interrupted_where(monkeypatch, name, call):
    """Patch a method of the parts or of what brings them together: an interrupt after its call of this number, the rest as they are."""
    kind = threads._TicksInParts if hasattr(threads._TicksInParts, name) else threads._Part
    method, calls = getattr(kind, name), []

    def then_interrupted(self, *arguments):
        result = method(self, *arguments)
        if threading.current_thread() is threading.main_thread():
            calls.append(name)
            if len(calls) == call:
                raise Interrupted
        return result

    monkeypatch.setattr(kind, name, then_interrupted)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("_share_out", 1),
        ("take", 1),
        ("take", 2),
        ("take", 3),
        ("_meet", 1),
        ("_close", 1),
        ("_share_out", 3),
        ("take", 8),
    ],
)
def test_an_interrupt_leaves_when_the_tick_that_was_begun_is_over(monkeypatch, name, call):
    alone, shared = big_world(1), big_world(3)
    with monkeypatch.context() as patched:
        interrupted_where(patched, name, call)
        with pytest.raises(Interrupted):
            shared.step(5)
    assert shared.tick_count in (1, 3)
    alone.step(shared.tick_count)
    assert shared.state_hash() == alone.state_hash()
    shared.step(2)
    alone.step(2)
    assert shared.state_hash() == alone.state_hash()


def test_an_interrupt_right_after_the_loop_of_a_part_does_not_take_its_tick_twice(monkeypatch):
    """Before the part is marked as taken. Bodies that fly straight are where their speed takes them in one tick."""

    def then_interrupted(result):
        if threading.current_thread() is threading.main_thread():
            patched.undo()
            raise Interrupted
        return result

    world = World(0.5, integrator="semi-implicit-euler", threads=2)
    velocity = np.arange(6.0 * FEWEST_BODIES).reshape(-1, 3)
    world.add_bodies(PROPERTIES, np.zeros_like(velocity), velocity=velocity)
    with monkeypatch.context() as patched:
        patched.setattr(threads, "accepted", then_interrupted)
        with pytest.raises(Interrupted):
            world.step()
    assert world.tick_count == 1
    assert np.array_equal(world.state.position, 0.5 * velocity)


def test_an_interrupt_before_a_tick_is_begun_leaves_the_world_alone(monkeypatch):
    alone, shared = big_world(1), big_world(3)
    with monkeypatch.context() as patched:
        interrupted_where(patched, "open", 2)
        with pytest.raises(Interrupted):
            shared.step(5)
    assert shared.tick_count == 0
    assert shared.state_hash() == alone.state_hash()


@pytest.mark.parametrize("name", ["_meet", "_close", "undo"])
def test_an_interrupt_in_a_tick_that_is_not_finite_leaves_the_tick_before(monkeypatch, name):
    world = big_world(3)
    world.step(2)
    position = world.state.position.copy()
    position[COUNT - 1] = (50, 60, 70)
    world.state.position = position
    before = world.state_hash()
    with monkeypatch.context() as patched:
        interrupted_where(patched, name, 1)
        with pytest.raises(Interrupted):
            world.step()
    assert world.tick_count == 2
    assert world.state_hash() == before


@pytest.mark.skipif(not COMPILED or not hasattr(signal, "setitimer"), reason="no compiled calls, or no timers")
@pytest.mark.parametrize("threads", [1, 2])
def test_interrupts_at_random_moments_leave_a_whole_tick(threads):
    """Alarms within 1 to 20 ms of a long step: each time the world stands where a fresh one stands after as many ticks."""

    def interrupt(signal_number, frame):
        raise Interrupted

    rng = np.random.default_rng(4)
    count = 2 * FEWEST_BODIES
    world, fresh = big_world(threads, count), big_world(1, count)
    world.step()
    fresh.step()
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for _ in range(sized(8, 30)):
            with pytest.raises(Interrupted):
                signal.setitimer(signal.ITIMER_REAL, rng.uniform(0.001, 0.02))
                while True:
                    world.step(5)
            fresh.step(world.tick_count - fresh.tick_count)
            assert world.state_hash() == fresh.state_hash()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_forked_process_has_threads_of_its_own():
    """The child of a process whose pool has begun to work inherits the pool, and none of its threads."""
    world = big_world(2)
    world.step()
    child = os.fork()
    if child == 0:  # no test framework here: it steps, or it hangs until the alarm ends it
        signal.alarm(PATIENCE)
        world.step()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
@pytest.mark.skipif(not COMPILED, reason="plain Python uses one thread")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_process_that_is_forked_while_a_thread_looks_at_a_part_does_not_wait_for_it():
    """A thread that was woken too late holds the lock of a part for a moment; in the child, nobody would ever release it."""
    world = big_world(2)
    world.step()
    is_held, may_end = threading.Event(), threading.Event()

    def hold():
        with ExitStack() as stack:
            for part in list(threads._parts):
                stack.enter_context(part._lock)
            is_held.set()
            may_end.wait()

    late = threading.Thread(target=hold)
    late.start()
    is_held.wait()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        world.step()
        os._exit(0)
    may_end.set()
    late.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_bodies_that_come_and_go_are_shared_out_anew():
    alone, shared = big_world(1), big_world(2)
    for world in (alone, shared):
        world.step()
        world.remove_body(world.bodies[10])
        world.add_body(PROPERTIES, position=(1, 2, 3), angular_velocity_body=(0.1, 2, 0.3))
        world.step(2)
    assert shared.state_hash() == alone.state_hash()


@pytest.mark.parametrize("place", [3, FEWEST_BODIES + 100, -1])
def test_stored_momentum_in_any_part_has_the_same_bits(place):
    alone, shared = big_world(1), big_world(2)
    for world in (alone, shared):
        world.bodies[place].stored_momentum_body = (0.3, -0.2, 0.5)
        world.prepare()
        world.step(3)
    assert shared.state_hash() == alone.state_hash()


@pytest.mark.parametrize(
    ("threads", "kind"), [(0, ValueError), (-1, ValueError), (1.5, TypeError), (True, TypeError), ("2", TypeError)]
)
def test_a_number_of_threads_that_makes_no_sense_is_refused(threads, kind):
    with pytest.raises(kind, match="World: threads must be an integer of at least 1"):
        World(0.01, threads=threads)


def test_the_number_of_threads_can_be_read_and_is_fixed():
    world = World(0.01, threads=2)
    assert world.threads == 2
    with pytest.raises(AttributeError):
        world.threads = 3
