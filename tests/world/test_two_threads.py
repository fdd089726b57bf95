"""Only one Python thread may use a world at a time: what another one does in the middle of a tick is rejected."""

import copy
import threading

import numpy as np
import pytest

from engine import World, forces

from ..worlds import OTHER, PROPERTIES, START

PATIENCE = 30.0  # [s], on a machine that does other things too


def flying_world():
    world = World(0.01, integrator="semi-implicit-euler")
    ship = world.add_body(PROPERTIES, name="ship", **START)
    world.add_body(OTHER, name="buoy", position=(5, 0, 0))
    thruster = world.add_force(forces.Thruster(ship, position=(0, 1, 0), direction=(1, 0, 1), max_force=4.0))
    thruster.throttle = 0.5
    world.memory.add("rows")
    return world


def nothing(*_):
    pass


OPERATIONS = {
    "step": lambda world: world.step(),
    "step(0)": lambda world: world.step(0),
    "advance": lambda world: world.advance(0.1),
    "add_body": lambda world: world.add_body(OTHER),
    "add_bodies": lambda world: world.add_bodies(OTHER, np.ones((500, 3))),
    "remove_body": lambda world: world.remove_body(world.bodies[0]),
    "velocity": lambda world: setattr(world.body("ship"), "velocity", (1, 2, 3)),
    "mass_properties": lambda world: setattr(world.body("ship"), "mass_properties", OTHER),
    "state": lambda world: setattr(world.state, "position", np.zeros((2, 3))),
    "apply_force": lambda world: world.body("buoy").apply_force((1, 2, 3)),
    "apply_impulse": lambda world: world.body("buoy").apply_impulse((1, 2, 3)),
    "throttle": lambda world: setattr(world.forces[0], "throttle", 1.0),
    "throttles": lambda world: setattr(world.thrusters, "throttle", 1.0),
    "add_force": lambda world: world.add_force(forces.UniformGravity((0, 0, 1))),
    "add_function": lambda world: world.add_force(nothing),
    "remove_force": lambda world: world.remove_force(world.forces[0]),
    "on_tick": lambda world: world.on_tick(nothing),
    "after_tick": lambda world: world.after_tick(nothing),
    "memory": lambda world: setattr(world.memory["rows"], "value", 5.0),
    "memory.add": lambda world: world.memory.add("more"),
    "integrator": lambda world: setattr(world, "integrator", "rk4"),
    "game_mode": lambda world: setattr(world, "game_mode", True),
    "paused": lambda world: setattr(world, "paused", True),
    "time_scale": lambda world: setattr(world, "time_scale", 2.0),
    "profile": lambda world: world.profile().__enter__(),
    "wrench": lambda world: world.wrench(world.bodies[0]),
    "deepcopy": copy.deepcopy,
}


class Meddler(threading.Thread):
    """Tries all of these in a thread of its own when it is woken, and keeps what was raised."""

    def __init__(self, world, operations):
        super().__init__(daemon=True)
        self.world, self.operations = world, operations
        self.awake, self.raised = threading.Event(), {}
        self.start()

    def run(self):
        self.awake.wait(PATIENCE)
        for name, operation in self.operations.items():
            try:
                operation(self.world)
                self.raised[name] = None
            except Exception as error:
                self.raised[name] = error

    def try_now(self):
        self.awake.set()
        self.join(PATIENCE)
        assert not self.is_alive()


def meddle_in(phase, world, meddler):
    """Step the world a few ticks, and let the other thread try in the middle of one of them."""

    def once(*_):
        if not meddler.awake.is_set() and world.tick_count >= 2:
            meddler.try_now()

    if phase == "moving":
        world.on_tick(nothing)  # each tick goes through its stages
        move = world._plan.move
        world._plan.move = lambda ticks: (once(), move(ticks))[1]
    elif phase == "a force":
        world.add_force(once)
    else:
        getattr(world, phase)(once)
    for _ in range(5):
        world.step()
    if phase == "moving":
        del world._plan.move


@pytest.mark.parametrize("phase", ["on_tick", "after_tick", "a force", "moving"])
def test_what_another_thread_does_in_the_middle_of_a_tick_is_rejected_with_the_cure_and_changes_nothing(phase):
    world, twin = flying_world(), flying_world()
    meddler = Meddler(world, OPERATIONS)
    meddle_in(phase, world, meddler)
    assert set(meddler.raised) == set(OPERATIONS)
    for name, error in meddler.raised.items():
        assert isinstance(error, RuntimeError), name
        assert "Hold a threading.Lock around every use of it" in str(error), f"{name}: {error}"
    quiet = Meddler(twin, {})
    meddle_in(phase, twin, quiet)
    for flying in (world, twin):
        flying.step(3)
        flying.body("ship").velocity = (1.0, 2.0, 3.0)  # the thread that owns it goes on as before
        flying.step(3)
    assert world.state_hash() == twin.state_hash()
    assert (world.tick_count, len(world.bodies), len(world.memory.objects)) == (11, 2, 0)


@pytest.mark.parametrize("phase", ["on_tick", "a force", "moving"])
def test_reading_from_another_thread_disturbs_nothing(phase):
    """What is read may be of the middle of a tick; the world is not harmed."""
    world, twin = flying_world(), flying_world()
    reads = {
        "hash": lambda world: world.state_hash(),
        "position": lambda world: world.body("ship").position,
        "poses": lambda world: world.interpolated_poses(),
        "energy": lambda world: world.kinetic_energy() + world.potential_energy(),
        "repr": repr,
    }
    meddler = Meddler(world, reads)
    meddle_in(phase, world, meddler)
    assert list(meddler.raised.values()) == [None] * len(reads)
    meddle_in(phase, twin, Meddler(twin, {}))
    assert world.state_hash() == twin.state_hash()


def test_two_threads_that_step_one_world_take_whole_ticks_each_one_once():
    """Some of the steps are rejected; those that are not are all there is."""
    world, twin = flying_world(), flying_world()
    taken, rejected, errors = [0, 0], [0, 0], []
    begin = threading.Barrier(2)
    world.on_tick(nothing)  # a call of Python, in which threads may change

    def fly(thread):
        begin.wait(PATIENCE)
        for _ in range(300):
            try:
                world.step()
                taken[thread] += 1
            except RuntimeError as error:
                rejected[thread] += 1
                errors.append(str(error))

    threads = [threading.Thread(target=fly, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert world.tick_count == sum(taken) == 600 - sum(rejected)
    assert all("Lock" in error for error in errors)
    twin.on_tick(nothing)
    twin.step(world.tick_count)
    assert world.state_hash() == twin.state_hash()


def test_bodies_added_during_a_long_step_are_rejected_or_come_after_it():
    world, twin = flying_world(), flying_world()
    begun, added, rejected = threading.Event(), [], []
    world.on_tick(lambda world: begun.set(), every=10_000_000)

    def add():
        begun.wait(PATIENCE)
        for _ in range(200):
            try:
                added.append((world.add_bodies(OTHER, np.ones((300, 3))), world.tick_count))
                return
            except RuntimeError as error:
                rejected.append(str(error))

    thread = threading.Thread(target=add)
    thread.start()
    world.step(2000)
    thread.join(PATIENCE)
    assert all("Lock" in text for text in rejected)
    assert all(ticks == 2000 for _, ticks in added)
    for bodies, _ in added:
        world.remove_bodies(bodies)
    twin.step(2000)
    assert world.state_hash() == twin.state_hash()


def test_a_lock_around_every_use_is_the_cure():
    world, lock = flying_world(), threading.Lock()

    def fly():
        for _ in range(50):
            with lock:
                world.step()
                world.thrusters.throttle = 0.5

    threads = [threading.Thread(target=fly) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    twin = flying_world()
    twin.step(150)
    assert world.state_hash() == twin.state_hash()


def test_worlds_of_their_own_in_threads_of_their_own_give_the_bits_of_one_after_the_other():
    worlds = [flying_world() for _ in range(4)]
    threads = [threading.Thread(target=world.step, args=(200,)) for world in worlds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    twin = flying_world()
    twin.step(200)
    assert {world.state_hash() for world in worlds} == {twin.state_hash()}


def test_a_callback_that_hands_its_work_to_a_thread_and_waits_for_it_is_rejected_and_undone():
    world, twin = flying_world(), flying_world()

    def control(world):
        world.body("buoy").velocity = (1, 1, 1)
        meddler = Meddler(world, {"velocity": OPERATIONS["velocity"]})
        meddler.try_now()
        raise meddler.raised["velocity"]

    world.on_tick(control)
    with pytest.raises(RuntimeError, match="Lock"):
        world.step()
    world.remove_callback(control)
    world.step(3)
    twin.step(3)
    assert world.state_hash() == twin.state_hash()


def test_what_comes_in_the_middle_of_a_motion_by_the_same_thread_is_rejected_too():
    """A signal handler, say: the bodies are between two ticks then."""
    world, twin = flying_world(), flying_world()
    world.on_tick(nothing)
    move = world._plan.move

    def disturbed(ticks):
        for name in ("velocity", "add_body", "throttle", "memory", "integrator", "step", "wrench"):
            with pytest.raises(RuntimeError, match="or from inside a running tick"):
                OPERATIONS[name](world)
        return move(ticks)

    world._plan.move = disturbed
    world.step(3)
    world._plan.move = move
    twin.step(3)
    assert world.state_hash() == twin.state_hash()
