"""A tick as a list of operations: they run in order, are undone in the opposite order, and what they work on stays alive."""

import gc

import numpy as np
import pytest

from engine import MassProperties, NonFiniteStateError, World, flight, joints
from engine.compilation.compiler import kernel
from engine.compilation.packed import Packed, unpack
from engine.integrators import Substepped
from engine.loops.floating_point import new_control
from engine.loops.keeping import keep
from engine.loops.layout import TICKS
from engine.loops.program import Operation, Program
from engine.store.schema import Field, Kind, Schema
from engine.tick.beside import BesideMethod

SHAPE = MassProperties.box(2.0, (1.0, 2.0, 3.0))


@kernel("toy")
def toy(packed, operand, ticks_left):
    """Write a number behind those written so far; fail at the tick in `fails`, and count it if it is the second operation."""
    written, number, control, fails = unpack(packed)
    written[0] += 1
    written[int(written[0])] = number
    if fails >= 0 and control[TICKS] == fails:
        return 0
    if number == 2:
        control[TICKS] += 1
    return 1


@kernel("undo-toy")
def undo_toy(packed, start, unused):
    """Write the negative number, and the count of ticks from which it is undone."""
    written, number, control, _fails = unpack(packed)
    written[0] += 1
    written[int(written[0])] = -number - 100 * start
    if number == 2 and control[TICKS] > start:
        control[TICKS] -= 1
    return 1


def made(fails=-1, failing=2, instead=None):
    """A program of three operations, one of which may fail in a tick or be a function of Python, and what they write."""
    written, control, operations = np.zeros(64, np.int64), new_control(0, 1), []
    for number in (1, 2, 3):
        packed = Packed((written, number, control, fails if number == failing else -1))
        function = instead if instead is not None and number == 2 else toy
        operations.append(Operation(function, packed, 0, (undo_toy, packed)))
    return Program(operations, control), written, control


def text(written):
    return written[1 : written[0] + 1].tolist()


def in_python(packed, operand, ticks_left):
    """The same as `toy`, in a function that no kernel calls."""
    written, number, control, _fails = packed.arguments
    written[0] += 1
    written[int(written[0])] = number
    control[TICKS] += 1
    return 1


@pytest.mark.parametrize("instead", [None, in_python])
def test_operations_run_in_order_in_every_tick(instead):
    program, written, control = made(instead=instead)
    assert program.run(3) == 3
    assert text(written) == [1, 2, 3] * 3
    assert control[TICKS] == 3


def test_a_tick_that_fails_is_undone_from_its_last_operation_on():
    program, written, control = made(fails=2)
    assert program.run(5) == 2
    assert text(written) == [1, 2, 3] * 2 + [1, 2, -202, -201]
    assert control[TICKS] == 2
    program.recover()  # nothing is open
    assert text(written)[-1] == -201


def test_a_tick_that_fails_behind_a_function_of_python_is_undone():
    program, written, control = made(fails=3, failing=3, instead=in_python)
    assert program.run(5) == 2
    assert text(written) == [1, 2, 3] * 2 + [1, 2, 3, -203, -202, -201]
    assert control[TICKS] == 2


def test_the_arguments_live_as_long_as_what_runs_them():
    program, written, _control = made()
    run = program.run
    del program
    gc.collect()
    elsewhere = np.zeros(64, np.int64)
    _ = [
        np.full(1 + size % 64, elsewhere.ctypes.data) for size in range(6400)
    ]  # where the arguments were, if they were gone
    assert run(2) == 2
    assert text(written) == [1, 2, 3] * 2


@pytest.mark.parametrize("error", [KeyboardInterrupt, RecursionError])
@pytest.mark.parametrize("counts", [False, True])
def test_a_tick_that_an_exception_ends_is_completed_or_undone_once(error, counts):
    raises = []

    def instead(*arguments):
        if raises and not counts:
            raise error
        _ = in_python(*arguments)
        if raises:
            raise error
        return 1

    program, written, control = made(instead=instead)
    assert program.run(1) == 1
    raises.append(1)
    with pytest.raises(error):
        program.run(1)
    for _ in range(2):
        program.recover()
    done = [number for number in text(written) if number > 0], [number for number in text(written) if number < 0]
    ticks = int(control[TICKS])
    if len(done[0]) == 3:  # plain Python has put back what the tick had written
        assert (done[1], ticks) == ([], 1)
    elif counts:
        assert (done, ticks) == (([1, 2, 3] * 2, []), 2)
    else:
        assert (done, ticks) == (([1, 2, 3, 1], [-102, -101]), 1)
    raises.clear()
    assert program.run(1) == 1
    assert control[TICKS] == ticks + 1
    assert text(written)[-3:] == [1, 2, 3]


TOYS = Schema("toys", (Field("moves", Kind.STATE, digest=0, meaning="how often the bodies were moved"),), flown=True)


@kernel("toy-count")
def toy_count(packed, operand, ticks_left):
    """Count that the bodies were moved."""
    (toys,) = unpack(packed)
    toys[0, 0] += 1.0
    return 1


@pytest.fixture
def toys(monkeypatch):
    """Worlds with a table of one toy and an operation that counts in it."""
    around = BesideMethod.around

    def with_toy(self, integrator, step, moves):
        table, operations = self.bodies.store.tables["toys"], around(self, integrator, step, moves)
        kept = sum(each.function is keep for each in operations)  # which come first
        operations.insert(kept, Operation(toy_count, Packed((table.array,))))
        return operations

    monkeypatch.setattr(BesideMethod, "around", with_toy)

    def make(**options):
        world = World(1 / 64, **options)
        body, other = world.add_bodies(SHAPE, [(0, 0, 0), (5, 0, 0)], angular_velocity_body=(0.1, 0.2, 0.3))
        world.add_joint(joints.Hinge(body, at_body=(0, 0, 0), axis_body=(0, 0, 1)))
        table = world._store.table(TOYS)
        table.append(np.zeros((1, 1)))
        return world, other, lambda: float(table.array[0, 0])

    return make


def test_a_toy_operation_runs_in_every_tick_and_in_every_step_of_a_divided_one(toys):
    world, _other, count = toys()
    with world.profile():
        world.step(3)
    assert count() == 3
    world.integrator = Substepped("rk4", 5)
    world.step(2)
    assert count() == 3 + 10


@pytest.mark.parametrize(("method", "steps"), [("rk4", 1), (Substepped("rk4", 5), 5)])
def test_a_toy_operation_is_undone_with_a_tick_that_fails(toys, method, steps):
    """At this velocity the position overflows after nine seconds."""
    world, other, count = toys(integrator=method)
    other.velocity = (2e307, 0, 0)
    with pytest.raises(NonFiniteStateError):
        world.step(1000)
    assert world.tick_count > 0
    assert count() == steps * world.tick_count


def test_a_toy_operation_counts_once_in_a_tick_that_is_repeated_after_a_freeze(toys):
    world, other, count = toys(on_non_finite="freeze")
    world.step(2)
    other.velocity = (1.7e308, 0, 0)
    world.step(200)
    assert world.frozen
    assert count() == world.tick_count


class Push:
    def __init__(self, evaluate):
        self.evaluate = evaluate

    def apply(self, wrench, bodies, time):
        wrench.force_world[1, 0] += 0.5


BESIDE = [
    ("rk4", "tick", False),
    ("rk4", "stage", False),
    ("rk4", "stage", True),
    (Substepped("rk4", 5), "tick", True),
    (Substepped("rk4", 5), "stage", False),
    (Substepped("rk4", 5), "stage", True),
]


@pytest.mark.filterwarnings("ignore:World. a Python force that sees all bodies")
@pytest.mark.parametrize(("method", "evaluate", "drives"), BESIDE)
def test_a_toy_operation_runs_and_is_undone_beside_a_force_that_python_calls(toys, method, evaluate, drives):
    world, other, count = toys(integrator=method)
    steps = 5 if isinstance(method, Substepped) else 1
    if drives:
        world.add_part(flight.ReactionWheel(other, axis=(0, 0, 1), inertia=0.1, max_torque=0.1, max_speed=100.0))
    world.add_force(Push(evaluate))
    with world.profile():
        world.step(4)
    assert count() == 4 * steps
    other.velocity = (2e307, 0, 0)
    with pytest.raises(NonFiniteStateError):
        world.step(1000)
    assert 4 < world.tick_count < 1000
    assert count() == steps * world.tick_count
    other.velocity = (0, 0, 0)
    world.step()
    assert count() == steps * world.tick_count


@pytest.mark.filterwarnings("ignore:World. a Python force that sees all bodies")
@pytest.mark.parametrize("evaluate", ["tick", "stage"])
@pytest.mark.parametrize("method", ["rk4", Substepped("rk4", 5)])
def test_a_toy_operation_is_undone_where_a_force_that_python_calls_raises(toys, method, evaluate):
    world, _other, count = toys(integrator=method)
    calls = []

    def force(wrench, bodies, time):
        calls.append(time)
        if len(calls) > 7:
            raise KeyError

    force.evaluate = evaluate
    world.add_force(force)
    with pytest.raises(KeyError):
        world.step(100)
    assert count() == (5 if isinstance(method, Substepped) else 1) * world.tick_count
