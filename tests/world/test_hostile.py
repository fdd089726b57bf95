"""Callbacks and forces that raise anything, return anything or do what is forbidden: the world stays as before the tick, and works next."""

import pickle
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest

from engine import NonFiniteStateError, World, forces, integrators

from ..full_world import Gusts, Stop, differences, full_world, image
from ..worlds import OTHER, PROPERTIES


class OwnInterrupt(BaseException):
    """Not an `Exception`."""


def raising(kind):
    def act(*_):
        raise kind

    return act


def once_more(kind):
    """Raises at the second call for the same time."""
    times = []

    def act(wrench, bodies, time):
        if time in times:
            raise kind
        times.append(time)

    return act


def filling(value):
    return lambda wrench, bodies, time: wrench.force_world.fill(value)


def adding(shape):
    def act(wrench, bodies, time):
        wrench.force_world += np.ones(shape)

    return act


def forbidden(action):
    """A function of a callback or a force that uses the world."""

    def act(*arguments):
        action(WORLD[0])

    return act


WORLD = []
"""The world of the test that runs, for functions that are not given it."""

RAISED = (SystemExit, GeneratorExit, MemoryError, RecursionError, KeyboardInterrupt, OwnInterrupt, StopIteration, Stop)
IN_A_TICK = {
    "step": lambda world: world.step(),
    "advance": lambda world: world.advance(1.0),
    "coast": lambda world: world.coast(1),
    "restore": lambda world: world.restore(SNAPSHOT[0]),
    "save": lambda world: world.save("never"),
    "fork": lambda world: world.fork(),
    "pickle": lambda world: pickle.dumps(world),
    "predict": lambda world: world.predict(1.0),
}
SNAPSHOT = []
IN_A_FORCE = {
    **IN_A_TICK,
    "snapshot": lambda world: world.snapshot(),
    "add_body": lambda world: world.add_body(OTHER),
    "remove_body": lambda world: world.remove_body(world.bodies[0]),
    "add_force": lambda world: world.add_force(forces.LinearDrag(0.1)),
    "remove_force": lambda world: world.remove_force(world.forces[-1]),
    "on_tick": lambda world: world.on_tick(print),
    "remove_callback": lambda world: world.remove_callback(world._stages.on_tick[0].function),
    "velocity": lambda world: setattr(world.bodies[0], "velocity", (1, 2, 3)),
    "apply_force": lambda world: world.bodies[0].apply_force((1, 2, 3)),
    "wrench": lambda world: world.wrench(world.bodies[0]),
    "integrator": lambda world: setattr(world, "integrator", "rk4"),
}
RETURNED = {
    "returns a number": (lambda wrench, bodies, time: 1.0, TypeError),
    "returns an array": (lambda wrench, bodies, time: np.zeros(3), TypeError),
    "nan": (filling(np.nan), NonFiniteStateError),
    "infinite": (filling(-np.inf), NonFiniteStateError),
    "a wrong shape": (adding((7, 5)), ValueError),
    "a wrong name": (lambda wrench, bodies, time: wrench.add("nobody", force_world=(1, 0, 0)), (TypeError, ValueError)),
}
FORCES = {
    **{f"raises {kind.__name__}": (raising(kind), kind) for kind in RAISED},
    **{f"raises {kind.__name__} at the second call": (once_more(kind), kind) for kind in (SystemExit, Stop)},
    **RETURNED,
    **{f"does {name}": (forbidden(action), (RuntimeError, ValueError)) for name, action in IN_A_FORCE.items()},
}
CALLBACKS = {
    **{f"raises {kind.__name__}": (raising(kind), kind) for kind in RAISED},
    **{f"does {name}": (forbidden(action), (RuntimeError, ValueError)) for name, action in IN_A_TICK.items()},
}


def make(method="rk4"):
    world = full_world(method)
    WORLD[:], SNAPSHOT[:] = [world], [world.snapshot()]
    return world


def assert_nothing_is_left(world, add, remove, function, error, previous=True):
    """A tick with the function fails twice and changes nothing; without it, ticks are those of another world."""
    before, twin = image(world, previous), full_world(world.integrator)
    add(function)
    with_it = image(world, previous)
    for _ in range(2):
        with warnings.catch_warnings(action="ignore"), pytest.raises(error):
            world.step()
        assert differences(with_it, image(world, previous)) == []
    remove(function)
    assert differences(before, image(world, previous)) == []
    world.step(2)
    twin.step(2)
    assert world.state_hash() == twin.state_hash()


@pytest.mark.parametrize("evaluate", ["stage", "tick"])
@pytest.mark.parametrize("name", FORCES)
def test_a_hostile_force_changes_nothing(name, evaluate):
    function, error = FORCES[name]
    if "second call" in name and evaluate == "tick":
        pytest.skip("it is called once per time")
    world = make()
    times = function.__closure__ and [cell.cell_contents for cell in function.__closure__]
    for kept in times or ():
        if isinstance(kept, list):
            kept.clear()

    def force(wrench, bodies, time):
        if world.tick_count >= 3:
            return function(wrench, bodies, time)

    force.evaluate = evaluate
    assert_nothing_is_left(world, world.add_force, world.remove_force, force, error, error is not NonFiniteStateError)


@pytest.mark.parametrize("name", CALLBACKS)
def test_a_hostile_callback_changes_nothing(name):
    function, error = CALLBACKS[name]
    world = make()
    assert_nothing_is_left(world, world.on_tick, world.remove_callback, function, error)


@pytest.mark.parametrize("kind", RAISED)
def test_whatever_a_callback_raises_after_it_has_changed_everything_is_undone(kind):
    def change(world):
        world.remove_callback(change)
        world.on_tick(lambda world: None)
        world.remove_force(world.forces[0])
        world.remove_body(world.bodies[0])
        world.add_bodies(PROPERTIES, np.ones((300, 3)))
        world.add_force(Gusts())
        raise kind

    world = make()
    assert_nothing_is_left(world, world.on_tick, world.remove_callback, change, kind)


def test_a_callback_may_remove_itself_and_add_others_in_a_good_tick():
    world, calls = full_world(), []

    def last(world):
        calls.append("last")

    @world.on_tick
    def itself(world):
        calls.append("itself")
        world.remove_callback(itself)
        world.on_tick(last)

    world.step(3)
    assert calls == ["itself", "last", "last"]


def test_a_reset_of_a_method_that_two_worlds_share_is_undone_in_both():
    method = integrators.Extrapolated(integrators.RungeKutta4())
    one, two = (full_world(method, called=False) for _ in range(2))
    hashes = one.state_hash(), two.state_hash()

    @one.on_tick
    def reset(world):
        method.reset()
        raise Stop

    with pytest.raises(Stop):
        one.step()
    assert (one.state_hash(), two.state_hash()) == hashes
    one.remove_callback(reset)
    one.step(2)
    two.step(2)
    assert one.state_hash() == two.state_hash()


ATEXIT = """
import atexit
import numpy as np
from engine import MassProperties, World
from engine.store import threads
threads.FEWEST_BODIES = 8
world = World(0.5, threads=2)
world.add_bodies(MassProperties.sphere(1.0, 0.5), np.zeros((40, 3)), velocity=(1.0, 0.0, 0.0))
def last():
    before = world.tick_count, world.state.position[39, 0]
    try:
        world.step(2)
    except RuntimeError as error:
        assert (world.tick_count, world.state.position[39, 0]) == before
        print("error:", error)
    else:
        print("ticks:", world.tick_count, world.state.position[39, 0])
atexit.register(last)
"""


def test_a_step_at_exit_with_threads_runs_whole_or_says_why_not():
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(ATEXIT)], capture_output=True, text=True, timeout=120, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == "ticks: 2 1.0\n" or run.stdout.startswith("error: World.step")
    assert len(run.stdout.splitlines()) == 1


def test_a_world_works_after_an_exception_of_every_kind_in_turn():
    world, twin = World(0.1), World(0.1)
    for each in (world, twin):
        each.add_body(PROPERTIES, velocity=(1, 0, 0))
    for kind in RAISED:
        function = world.on_tick(raising(kind))
        with pytest.raises(kind):
            world.step(3)
        world.remove_callback(function)
        for each in (world, twin):
            each.step()
    assert world.state_hash() == twin.state_hash()
