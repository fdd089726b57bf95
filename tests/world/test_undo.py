"""A failed tick leaves every table, list and memory unchanged: parameters, commands, handles, rows of memory, attached objects."""

from threading import Event, Thread

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import MassProperties, NonFiniteStateError, World, flight, forces, integrators
from engine.compilation.compiler import COMPILED
from engine.store.store import _Operation

from ..full_world import (
    OPERATIONS,
    Gusts,
    Stop,
    differences,
    fail_inside,
    full_world,
    image,
    remove_a_body,
    set_parameters,
)
from ..lengths import sized
from ..worlds import OTHER, PROPERTIES


def act(world, operations, raising):
    """A tick in which a callback does these, and then raises or not."""

    def callback(world):
        for operation, number in operations:
            operation(world, number)
        if raising:
            raise Stop

    world.on_tick(callback)
    before = image(world)
    if raising:
        with pytest.raises(Stop):
            world.step()
        assert differences(before, image(world)) == []
    else:
        world.step()
    if callback in [entry.function for entry in world._stages.on_tick]:  # an operation may have removed it
        world.remove_callback(callback)


SEQUENCES = st.lists(st.tuples(st.sampled_from(OPERATIONS), st.integers(0, 300)), max_size=8)


@settings(max_examples=sized(15, 50))
@given(SEQUENCES)
def test_whatever_a_callback_has_done_before_it_raises_is_undone_to_the_last_byte(operations):
    world, twin = full_world(), full_world()
    act(world, operations, raising=True)
    world.step(2)
    twin.step(2)
    assert world.state_hash() == twin.state_hash()


@pytest.mark.skipif(COMPILED, reason="each set of forces would be compiled")
@given(SEQUENCES)
def test_what_a_callback_does_after_a_failed_attempt_is_as_if_that_had_not_been(operations):
    """Nothing of the failed tick is left that shows later: stale numbers of rows, caches, places of pushes."""
    world, twin = full_world(), full_world()
    act(world, operations, raising=True)
    for other in (world, twin):
        act(other, operations, raising=False)
        other.step(2)
    assert world.state_hash() == twin.state_hash()


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.__name__)
def test_each_operation_changes_the_world_and_is_undone_by_itself(operation):
    """An operation that changed nothing would make the tests above blind."""
    world, changes = full_world(), 0
    for number in range(8):
        act(world, [(operation, number)], raising=True)
        if not changes:
            other = full_world()
            before = image(other)
            operation(other, number)
            changes = bool(differences(before, image(other)))
    assert bool(changes) == (operation is not fail_inside)


def test_after_a_failed_tick_all_handles_are_valid_again():
    world = full_world()
    ship, tug, _buoy, _probe = bodies = world.bodies
    engine, bank = world.forces[2:4]
    drag = world.forces[7]
    added = []
    before = image(world)

    def callback(world):
        added.extend(world.add_bodies(OTHER, np.ones((3, 3))))
        added.append(world.add_force(forces.Thruster(added[0], position=(0, 0, 0), direction=(1, 0, 0), max_force=1.0)))
        added.append(world.memory.add("fresh"))
        world.remove_bodies([tug, ship])
        with pytest.raises(ValueError, match="body 'ship' was removed"):
            engine.throttle = 0.75
        raise Stop

    world.on_tick(callback)
    with pytest.raises(Stop):
        world.step()
    world.remove_callback(callback)
    assert differences(before, image(world)) == []
    assert [body.index for body in bodies] == [0, 1, 2, 3]
    assert (list(engine.rows), list(bank.rows)) == ([0], [1, 2])
    assert drag._named_bodies() == (tug, ship)
    for body in added[:3]:
        with pytest.raises(ValueError, match=r"body 'body \d' was removed from its world"):
            _ = body.position
    with pytest.raises(ValueError, match="that added it failed and was undone"):
        added[4].value = 3.0
    with pytest.raises(ValueError, match="was removed from its world"):
        world.add_force(added[3])
    engine.throttle = 0.5
    assert world.thrusters.throttle[0] == 0.5


def test_a_handle_used_between_a_removal_and_its_undoing_finds_its_row_again():
    world = World(0.1)
    bodies = world.add_bodies(OTHER, np.ones((3, 3)))

    @world.on_tick
    def fail(world):
        world.remove_body(bodies[0])
        assert [body.index for body in bodies[1:]] == [0, 1]
        raise Stop

    with pytest.raises(Stop):
        world.step()
    assert [body.index for body in bodies] == [0, 1, 2]


def test_a_force_that_a_failed_tick_has_added_is_in_no_world_and_may_be_added_again():
    world, other, drag = full_world(), full_world(), forces.LinearDrag(0.5)

    def callback(world):
        world.add_force(drag)
        drag.coefficient = 0.75
        raise Stop

    world.on_tick(callback)
    with pytest.raises(Stop):
        world.step()
    assert drag not in world.forces
    other.add_force(drag)
    drag.coefficient = 0.25
    assert other.fields(forces.LinearDrag).coefficient.tolist() == [0.3, 0.5, 0.1, 0.25]
    assert world.fields(forces.LinearDrag).coefficient.tolist() == [0.3, 0.5, 0.1]


def test_a_push_that_was_undone_with_a_function_after_the_tick_leaves_no_place_for_the_next():
    world, twin = full_world(called=False), full_world(called=False)

    def push(world):
        world.body("buoy").apply_force((1.0, 2.0, 3.0))
        raise Stop

    world.after_tick(push)
    with pytest.raises(Stop):
        world.step()
    world.remove_callback(push)
    twin.step()
    for made in (world, twin):
        made.body("buoy").apply_force((3.0, 0.0, 0.0))
        made.body("ship").apply_force((0.0, 3.0, 0.0))
        made.step()
    assert world.state_hash() == twin.state_hash()


FAILURES = ("callback", "force at a stage", "force of a tick", "not finite")


@pytest.mark.parametrize("how", FAILURES)
@pytest.mark.parametrize("method", ["rk4", "free-rotor-2"])
def test_what_called_objects_remember_is_put_back_where_no_callback_changed_anything(method, how):
    """The force is drained as often as it is called, and the search for the culprit calls it once more."""
    world, twin = full_world(method), full_world(method)
    is_failing = [True]

    def spoil(*arguments):
        if is_failing[0] and how != "not finite":
            raise Stop
        if is_failing[0]:
            arguments[0].force_world[:] = np.nan

    if how == "callback":
        world.on_tick(spoil)
    else:
        spoil.evaluate = "tick" if how == "force of a tick" else "stage"
        world.add_force(spoil)
    before = image(world, previous=how != "not finite")
    for _ in range(2):
        with pytest.raises(NonFiniteStateError if how == "not finite" else Stop):
            world.step()
        assert differences(before, image(world, previous=how != "not finite")) == []
    (world.remove_callback if how == "callback" else world.remove_force)(spoil)
    world.step(3)
    twin.step(3)
    assert world.state_hash() == twin.state_hash()


def test_a_force_that_a_failed_callback_has_added_remembers_what_it_did_before():
    world, gusts = full_world(), Gusts()
    twin = full_world()

    def callback(world):
        world.add_force(gusts)
        gusts.calls = 7

    world.on_tick(callback)
    world.add_force(fails := fail_at_once)
    with pytest.raises(Stop):
        world.step()
    assert (gusts.calls, gusts.drift.tolist()) == (0, [0.1, -0.2, 0.3])
    for flying, force in ((world, gusts), (twin, Gusts())):
        for function in [callback] if flying is world else []:
            flying.remove_callback(function)
            flying.remove_force(fails)
        flying.add_force(force)
        flying.step(2)
    assert world.state_hash() == twin.state_hash()


def fail_at_once(wrench, bodies, time):
    raise Stop


def test_a_body_that_a_failed_first_tick_has_added_leaves_no_row_in_the_history_of_wrenches():
    """The history is made in the tick, with a row for the body that goes when the tick is undone."""

    def world():
        made = World(0.1, integrator=integrators.Extrapolated(integrators.RungeKutta4()))
        ship = made.add_body(PROPERTIES)
        made.add_force(forces.Thruster(ship, position=(0, 1, 0), direction=(1, 0, 1), max_force=4.0))
        return made

    def fly(made):
        for tick in range(4):
            made.thrusters.throttle = tick / 4
            made.step()
            if tick == 2:
                made.add_body(OTHER, position=(3, 0, 0)).apply_force((1, 0, 0))
        return made.state_hash()

    failed, fresh = world(), world()
    failed.on_tick(callback := lambda world: world.add_body(OTHER))
    failed.add_force(fail_at_once)
    with pytest.raises(Stop):
        failed.step()
    failed.remove_callback(callback)
    failed.remove_force(fail_at_once)
    assert fly(failed) == fly(fresh)


class Unwilling(Gusts):
    """Raises when its state is put back."""

    def set_state(self, state):
        raise KeyError("not now")


def test_a_set_state_that_raises_comes_out_and_all_the_rest_is_undone():
    world = full_world()
    world.add_force(Unwilling())
    before = image(world)
    world.on_tick(
        callback := lambda world: [set_parameters(world, 5), remove_a_body(world, 1), fail_at_once(None, None, 0)]
    )
    with pytest.raises(KeyError, match="not now") as caught:
        world.step()
    assert isinstance(caught.value.__context__, Stop)
    world.remove_callback(callback)
    assert differences(before, image(world)) == []
    world.body("ship").velocity = (1.0, 2.0, 3.0)
    with pytest.raises(KeyError):
        world.wrench(world.bodies[0])  # puts back too
    assert world.body("ship").velocity.tolist() == [1.0, 2.0, 3.0]


def test_an_inverse_at_the_end_of_the_stack_stays_until_it_has_run():
    world = full_world()
    before, tries = image(world), []

    def inverse():
        tries.append(1)
        if len(tries) < 6:
            raise RecursionError if len(tries) % 2 else MemoryError

    with pytest.raises(RecursionError), world._store.all_or_nothing():
        world.body("ship").velocity = (1.0, 2.0, 3.0)
        world._store.record(inverse)
        raise Stop
    for _ in range(2):  # each use tries again, and none goes on in a world that is half changed
        with pytest.raises((RecursionError, MemoryError)):
            world.step()
    assert differences(before, image(world)) == []
    assert len(tries) == 6


def test_an_operation_whose_end_was_interrupted_is_undone_by_the_next_use(monkeypatch):
    world, twin = full_world(), full_world()

    def interrupted(*_):
        raise KeyboardInterrupt

    def change():
        with world._store.all_or_nothing():
            world.body("ship").velocity = (1.0, 2.0, 3.0)
            raise Stop

    with monkeypatch.context() as patched:
        patched.setattr(_Operation, "__exit__", interrupted)
        with pytest.raises(KeyboardInterrupt):
            change()
    world.body("probe").velocity = (0.1, 0.2, 0.3)  # undoes it first, and stays itself
    twin.body("probe").velocity = (0.1, 0.2, 0.3)
    assert world.state_hash() == twin.state_hash()
    world.step()
    twin.step()
    assert world.state_hash() == twin.state_hash()


def test_an_operation_goes_on_after_its_own_uses_of_the_world():
    """It is neither undone by the next change, nor is what it has done left as it is if it fails then."""
    world = World(0.1)
    body = world.add_body(MassProperties.sphere(2.0, 1.0))
    with world._store.all_or_nothing():
        body.velocity = (1.0, 0.0, 0.0)
        assert world.tick_count == 0
        body.position = (0.0, 1.0, 0.0)
    assert tuple(body.velocity) == (1.0, 0.0, 0.0)
    with pytest.raises(Stop), world._store.all_or_nothing():
        body.velocity = (2.0, 0.0, 0.0)
        raise Stop
    assert tuple(body.velocity) == (1.0, 0.0, 0.0)


def test_an_operation_on_another_thread_goes_on():
    world = full_world()
    entered, left = Event(), Event()

    def change():
        with world._store.all_or_nothing():
            world.body("ship").velocity = (1.0, 2.0, 3.0)
            entered.set()
            left.wait(10.0)

    thread = Thread(target=change)
    thread.start()
    assert entered.wait(10.0)
    assert world.body("ship").velocity.tolist() == [1.0, 2.0, 3.0]
    left.set()
    thread.join()
    assert world.body("ship").velocity.tolist() == [1.0, 2.0, 3.0]


def test_a_set_state_that_changes_the_world_does_not_undo_anew():
    world, calls = full_world(), []

    class Changing(Gusts):
        def set_state(self, state):
            super().set_state(state)
            calls.append(1)
            world.body("ship").velocity = (1.0, 2.0, 3.0)

    world.add_force(Changing())
    world.on_tick(lambda world: fail_at_once(None, None, 0))
    with pytest.raises(Stop):
        world.step()
    assert len(calls) == 1


def test_an_interrupt_while_a_tick_is_undone_leaves_nothing_half_undone():
    world = full_world()
    interrupts = []

    class Interrupted(Gusts):
        def set_state(self, state):
            super().set_state(state)
            if not interrupts:
                interrupts.append(1)
                raise KeyboardInterrupt

    world.on_tick(
        callback := lambda world: [remove_a_body(world, 1), set_parameters(world, 3), fail_at_once(None, None, 0)]
    )
    world.add_force(Interrupted())
    before = image(world)
    with pytest.raises(KeyboardInterrupt):
        world.step()
    assert interrupts
    assert differences(before, image(world)) == []
    world.remove_callback(callback)
    world.step()


def test_what_a_function_after_the_tick_has_done_before_it_raises_is_undone_and_the_tick_stays():
    world, twin = full_world(), full_world()
    for made in (world, twin):
        made.step()

    def after(world):
        for operation in OPERATIONS:
            operation(world, 3)
        raise Stop

    world.after_tick(after)
    twin.step()
    before = image(twin)
    with pytest.raises(Stop):
        world.step(5)
    world.remove_callback(after)
    assert world.tick_count == twin.tick_count
    assert {"tables", "hash", "objects", "ticks"}.isdisjoint(differences(before, image(world)))
    assert [name for name in differences(before, image(world)) if name.startswith("table")] == []
    for made in (world, twin):  # places of pushes that were undone are free again
        made.body("ship").apply_force((3.0, 2.0, 1.0))
        made.step()
    assert world.state_hash() == twin.state_hash()


def test_throttles_of_a_bank_set_before_its_table_grows_are_undone_with_the_tick():
    world = World(0.1)
    ship = world.add_body(MassProperties.sphere(10.0, 1.0))
    places = [(1, 0, 0), (-1, 0, 0), (0, 1, 0)]
    bank = world.add_force(forces.ThrusterBank(ship, positions=places, directions=[(0, 0, 1)] * 3, max_forces=2.0))
    jets = flight.Jets(flight.ThrusterAllocator([bank]))
    jets.command((0.1, 0.2, 0.0), None, 0.1)
    world.step(3)
    before, throttles, capacity = world.state_hash(), bank.throttle, bank._table.capacity

    @world.on_tick
    def fail(world):
        jets.command((0.3, -0.2, 0.0), None, 0.1)
        assert bank.throttle.tolist() != throttles.tolist()
        for _ in range(capacity):
            world.add_force(forces.Thruster(ship, position=(0, 0, 0), direction=(0, 0, 1), max_force=1.0))
        assert bank._table.capacity > capacity
        raise KeyError

    with pytest.raises(KeyError):
        world.step()
    assert world.state_hash() == before
    assert bank.throttle.tolist() == throttles.tolist()
    assert bank.impulse.tolist() == pytest.approx((0.3 * 2.0 * throttles).tolist(), abs=1e-15)


def test_a_push_that_is_undone_with_its_tick_acts_in_no_later_tick():
    """The wrench that is held over a tick has taken it in before the tick fails, and without it nothing asks for a new sum."""
    world, fails = World(0.1), []
    body = world.add_body(MassProperties.sphere(2.0, 1.0))

    @world.add_force
    def fail(wrench, bodies, time):
        if fails:
            raise Stop

    @world.on_tick
    def push(world):
        if fails:
            body.apply_force((1.0, 0.0, 0.0))

    world.step()
    fails.append(True)
    with pytest.raises(Stop):
        world.step()
    fails.clear()
    world.step()
    assert not body.velocity.any()
