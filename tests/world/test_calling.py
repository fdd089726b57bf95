"""The user's functions: which are called and when, which are rejected, and how they are told apart."""

import copy
import functools
import math
import weakref

import numpy as np
import pytest

from engine import MassProperties, World, flight, forces, integrators, joints

from ..full_world import Stop, image
from ..worlds import OTHER, PROPERTIES, everything, skew_body


class Control:
    """Methods that count how often they are called."""

    def __init__(self):
        self.calls = 0

    def on_tick(self, world):
        self.calls += 1

    def push(self, wrench, bodies, time):
        self.calls += 1
        wrench.force_world[:, 0] += 1.0


# methods: a new object each time that they are looked up


def test_a_bound_method_that_was_added_as_a_force_is_found_and_not_added_twice():
    world, ship = skew_body(integrator="semi-implicit-euler")
    one, other = Control(), Control()
    world.add_force(one.push)
    with pytest.raises(ValueError, match=r"World.add_force: force must be one that is not in this world already"):
        world.add_force(one.push)
    world.add_force(other.push)
    world.step()
    assert (one.calls, other.calls) == (1, 1)
    assert np.array_equal(world.wrench(ship, one.push)[0], (1.0, 0.0, 0.0))
    world.remove_force(one.push)
    with pytest.raises(ValueError, match=r"World.remove_force: force must be a force of this world"):
        world.remove_force(one.push)
    with pytest.raises(ValueError, match=r"World.wrench: force must be a force of this world"):
        world.wrench(ship, one.push)
    world.step()
    assert (one.calls, other.calls) == (2, 2)


def test_bound_methods_and_built_in_ones_are_found_among_the_callbacks():
    world, _ = skew_body()
    one, other, seen = Control(), Control(), []
    for function in (one.on_tick, other.on_tick, seen.append):
        world.on_tick(function)
    world.step(2)
    world.remove_callback(one.on_tick)
    world.remove_callback(seen.append)
    world.step(3)
    assert (one.calls, other.calls, seen) == (2, 5, [world, world])
    for gone in (one.on_tick, seen.append, seen.extend, [].append, Control().on_tick, Control.on_tick, None):
        with pytest.raises(
            ValueError,
            match=r"World.remove_callback: function must be one that was added by on_tick, after_tick, on_joint or on_contact",
        ):
            world.remove_callback(gone)
    world.remove_callback(other.on_tick)
    world.step()
    assert other.calls == 5


class Odd:
    """Its == gives an array, as that of NumPy's arrays does."""

    calls = 0

    def __eq__(self, other):
        return np.array([True, False])

    def __hash__(self):
        raise TypeError("unhashable")

    def __bool__(self):
        raise ValueError("ambiguous")

    def __call__(self, world):
        Odd.calls += 1

    def apply(self, wrench, bodies, time):
        wrench.force_world[:, 0] += 1.0


def test_callbacks_and_forces_are_told_apart_by_identity_whatever_their_equality():
    world, ship = skew_body(integrator="semi-implicit-euler")
    Odd.calls, functions, odd_forces = 0, [Odd(), Odd(), Odd()], [Odd(), Odd()]
    for function in functions:
        world.on_tick(function)
        world.after_tick(function, every=2)
    for force in odd_forces:
        world.add_force(force)
    drag = world.add_force(forces.LinearDrag(0.1))
    world.step(2)
    assert Odd.calls == 6 + 3
    world.remove_callback(functions[1])
    world.remove_force(odd_forces[0])
    assert [force is other for force, other in zip(world.forces, (odd_forces[1], drag), strict=True)] == [True, True]
    world.step(2)
    assert Odd.calls == 9 + 4 + 2
    assert world.wrench(ship, odd_forces[1])[0].tolist() == [1.0, 0.0, 0.0]
    assert copy.deepcopy(drag).coefficient == 0.1
    assert copy.deepcopy(world).state_hash() == world.state_hash()


# functions that would not run when they are called


def a_generator(*_):
    yield


async def a_coroutine(*_):
    pass


async def an_async_generator(*_):
    yield


class Yields:
    def __call__(self, *_):
        yield

    def method(self, *_):
        yield

    @staticmethod
    def static(*_):
        yield


class Awaits:
    async def __call__(self, *_):
        pass


class YieldingForce:
    def apply(self, wrench, bodies, time):
        yield


SILENT = {
    "generator": a_generator,
    "coroutine": a_coroutine,
    "async generator": an_async_generator,
    "partial": functools.partial(functools.partial(a_generator, 1), 2),
    "partial coroutine": functools.partial(a_coroutine, 1),
    "object": Yields(),
    "async object": Awaits(),
    "method": Yields().method,
    "static method": Yields.static,
    "partial object": functools.partial(Yields()),
    "lambda": lambda *_: (yield),
}


@pytest.mark.parametrize("function", SILENT.values(), ids=SILENT)
def test_functions_of_which_a_call_runs_nothing_are_rejected_when_they_are_given(function):
    world, _ = skew_body()
    before = world.state_hash()
    for give in (world.on_tick, world.after_tick, world.add_force, world.on_tick(every=3)):
        with pytest.raises(
            TypeError,
            match=r"must be (a function with one argument, the world|an object with apply).*runs none of it, so it must not",
        ):
            give(function)
    with pytest.raises(TypeError, match="runs none of it"):
        world.add_force(YieldingForce())
    world.step()
    assert (world._stages.on_tick, world._stages.after_tick, world.forces) == ([], [], ())
    assert before != world.state_hash()


@pytest.mark.parametrize("give", ["on_tick", "after_tick"])
@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ((5,), TypeError, "function must be a function with one argument, the world; got 5"),
        (("control",), TypeError, "function must be a function with one argument, the world; got 'control'"),
        ((print, 0), ValueError, "every must be an integer of at least 1; got 0"),
        ((print, -3), ValueError, "every must be an integer of at least 1; got -3"),
        ((print, 1.0), TypeError, "every must be an integer of at least 1; got 1.0"),
        ((print, True), TypeError, "every must be an integer of at least 1; got True"),
        ((print, None), TypeError, "every must be an integer"),
        ((None,), TypeError, "function must be a function with one argument, the world; got None"),
        ((None, 0), ValueError, "every must be an integer of at least 1; got 0"),
    ],
)
def test_callbacks_that_make_no_sense_are_rejected_before_any_change(give, arguments, kind, text):
    world, _ = skew_body()
    with pytest.raises(kind, match=f"World.{give}: {text}"):
        getattr(world, give)(*arguments)
    assert (world._stages.on_tick, world._stages.after_tick) == ([], [])


@pytest.mark.parametrize("first", [1, 2, 3, 7, 9])
@pytest.mark.parametrize("every", [2, 5, 10])
@pytest.mark.parametrize("when", ["on_tick", "after_tick"])
def test_a_function_is_called_at_each_of_its_ticks_however_the_ticks_are_asked_for(when, every, first):
    """Ticks between are taken many at a time; pieces that end before, at and behind a tick of the function are all in here."""
    world, _ = skew_body(integrator="semi-implicit-euler")
    called = []
    getattr(world, when)(lambda world: called.append(world.tick_count), every=every)
    for ticks in (first, 2 * every, 20, 1, every - 1, every, every + 1, 30, 0, 1, 13):
        world.step(ticks)
        begin = 0 if when == "on_tick" else every
        last = world.tick_count - (when == "on_tick")
        assert called == list(range(begin, last + 1, every))


def test_a_callback_that_another_has_removed_in_this_tick_is_not_called_any_more_and_an_added_one_not_yet():
    world, _ = skew_body()
    called = []

    def second(world):
        called.append("second")

    @world.on_tick
    def first(world):
        called.append("first")
        if world.tick_count == 1:
            world.remove_callback(second)
            world.on_tick(lambda world: called.append("late"))

    world.on_tick(second)
    world.step(3)
    assert called == ["first", "second", "first", "first", "late"]


# numbers of ticks and times beyond all bounds


@pytest.mark.parametrize("ticks", [2**53 + 1, 2**63, 10**400, np.uint64(2**63)])
def test_more_ticks_than_have_times_of_their_own_are_rejected_with_the_last_one(ticks):
    world, _ = skew_body()
    before = everything(world)
    with pytest.raises(
        ValueError, match=r"World.step: after \d+ more ticks of 0.01 s.* can run ticks up to number \d+"
    ):
        world.step(ticks)
    assert everything(world) == before


def test_a_world_whose_time_would_overflow_stops_at_the_last_tick_that_has_one():
    world = World(0.6e308)
    world.add_body(OTHER)
    world.step(2)
    for ticks in (1, 5):
        with pytest.raises(ValueError, match=r"after \d more ticks .* the time would be too large for a float"):
            world.step(ticks)
    assert (world.tick_count, math.isfinite(world.time)) == (2, True)
    world.on_tick(lambda world: None)
    with pytest.raises(ValueError, match="the time would be too large for a float"):
        world.step()
    assert world.tick_count == 2


def test_an_advance_by_more_time_than_there_are_ticks_is_rejected_and_leaves_the_clock():
    world = World(1e300, max_ticks_per_frame=2**53)
    world.time_scale = 1e4
    world.add_body(OTHER)
    world.advance(0.4e296)
    alpha = world.alpha
    with pytest.raises(ValueError, match=r"World.advance: after \d+ more ticks of 1e\+300 s"):
        world.advance(1e307)
    assert (world.tick_count, world.dropped_time, world.alpha) == (0, 0.0, alpha)
    assert world.advance(1.61e296) == 2


# objects with methods of other meanings


class OtherMeanings:
    """A force with methods named as those that the engine knows, of other shapes."""

    def memory(self, required, arguments):
        raise AssertionError

    saved = restore = rows = named_bodies = memory

    def __init__(self, potential_energy):
        self.potential_energy = potential_energy

    def apply(self, wrench, bodies, time):
        wrench.force_world[:, 2] -= 1.0


@pytest.mark.parametrize("energy", [5.0, "none", None, [1.0]])
def test_attributes_of_a_users_force_that_are_no_methods_disturb_nothing(energy):
    world, ship = skew_body(integrator="semi-implicit-euler")
    world.add_force(OtherMeanings(energy))
    world.add_force(forces.UniformGravity((0, 0, -1)))
    world.step(2)
    assert world.potential_energy() == pytest.approx(ship.mass * ship.position[2])
    assert copy.deepcopy(world).state_hash() == world.state_hash()
    world.wrench(ship)
    world.remove_body(ship)


@pytest.mark.parametrize("result", [5.0, None, [0.0], np.zeros(3), np.zeros((1, 3)), "much"])
def test_a_potential_energy_of_another_shape_is_named_and_disturbs_nothing_else(result):
    world, ship = skew_body(integrator="semi-implicit-euler")
    world.add_force(OtherMeanings(lambda bodies: result))
    with pytest.raises(
        TypeError, match=r"OtherMeanings.*potential_energy\(bodies\): the result must be an array of 1 ener"
    ):
        world.potential_energy()
    world.step(2)
    assert copy.deepcopy(world).state_hash() == world.state_hash()
    world.wrench(ship)


def test_one_extrapolated_method_in_two_worlds_reset_in_a_tick_that_fails_is_undone_in_both():
    def world(method):
        made = World(0.05, integrator=method)
        ship = made.add_body(PROPERTIES)
        made.add_force(forces.Thruster(ship, position=(0, 1, 0), direction=(1, 0, 1), max_force=4.0))
        return made

    def fly(made, ticks):
        for _ in range(ticks):
            made.thrusters.throttle = (made.tick_count % 8) / 8
            made.step()

    shared = integrators.Extrapolated(integrators.RungeKutta4())
    failing, other = world(shared), world(shared)
    alone, forgetting = (world(integrators.Extrapolated(integrators.RungeKutta4())) for _ in range(2))
    for made in (failing, other, alone, forgetting):
        fly(made, 4)

    def reset(world):
        shared.reset()
        raise Stop

    failing.on_tick(reset)
    before = image(failing)
    with pytest.raises(Stop):
        failing.step()
    failing.remove_callback(reset)
    assert image(failing)["tables"] == before["tables"]
    forgetting.integrator.reset()
    for made in (failing, other, alone, forgetting):
        fly(made, 3)
    assert failing.state_hash() == other.state_hash() == alone.state_hash() != forgetting.state_hash()


# functions that cannot do their work, found when they are given or when they are called


@pytest.mark.parametrize(
    ("add", "words"),
    [
        (
            lambda world, f: world.add_force(f),
            "World.add_force: force must be an object with apply.*; its signature is",
        ),
        (lambda world, f: world.on_tick(f), "World.on_tick: function must be a function with one argument, the world"),
        (lambda world, f: world.after_tick(f), "World.after_tick: function must be a function with one argument"),
        (lambda world, f: world.on_joint(f, event="broken"), "World.on_joint: function must be a function with two"),
    ],
    ids=["force", "on_tick", "after_tick", "on_joint"],
)
@pytest.mark.parametrize("function", [lambda: None, lambda a, b, c, d: None, lambda *, wrench: None])
def test_a_function_of_other_arguments_is_rejected_when_it_is_given(add, words, function):
    world = World(0.01)
    with pytest.raises(TypeError, match=words):
        add(world, function)
    world.step()


def test_functions_with_defaults_or_any_arguments_are_accepted():
    world = World(0.01)
    called = []
    world.on_tick(lambda world, more=1: called.append(more))
    world.after_tick(lambda *arguments: called.append(len(arguments)))
    world.add_force(functools.partial(lambda kind, wrench, bodies, time: called.append(kind), "force"))
    world.add_body(MassProperties.sphere(1.0, 1.0))
    world.step()
    assert called[0] == 1 and called[-1] == 1 and "force" in called


async def a_coroutine(*_):
    pass


@pytest.mark.parametrize("make", [a_generator, a_coroutine, an_async_generator])
@pytest.mark.parametrize("when", ["on_tick", "after_tick"])
def test_a_function_that_passes_on_what_never_runs_is_rejected_in_its_first_tick(make, when):
    world = World(0.01)
    body = world.add_body(MassProperties.sphere(1.0, 1.0), velocity=(1.0, 0.0, 0.0))
    getattr(world, when)(lambda world: make(world))
    with pytest.raises(
        TypeError, match=r"the world calls must be a function that runs when it is called.*of which nothing has run"
    ):
        world.step()
    assert when == "after_tick" or (world.tick_count == 0 and body.position[0] == 0.0)


def test_two_forces_of_one_name_are_rejected_by_save_and_not_by_load(tmp_path):
    world = World(0.01)
    world.add_body(MassProperties.sphere(1.0, 1.0))
    for place in (0, 1):

        def push(wrench, bodies, time, place=place):
            wrench.add(0, force_world=(float(place), 0.0, 0.0))

        world.add_force(push)
    with pytest.raises(
        ValueError, match=r"World\.save: the name of a function that the world calls must be a different one"
    ):
        world.save(tmp_path / "scene.json")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "command",
    [
        lambda jet, bank, hinge, wheel: setattr(jet, "throttle", 0.5),
        lambda jet, bank, hinge, wheel: setattr(jet, "enabled", False),
        lambda jet, bank, hinge, wheel: jet.fire(0.5),
        lambda jet, bank, hinge, wheel: setattr(bank, "throttle", 0.5),
        lambda jet, bank, hinge, wheel: bank.fire(0.5),
        lambda jet, bank, hinge, wheel: setattr(hinge, "motor", joints.Motor(target_rate=1.0, max_torque=1.0)),
        lambda jet, bank, hinge, wheel: setattr(wheel, "torque", 0.5),
    ],
)
def test_what_lost_its_body_takes_no_commands(command):
    world = World(0.01)
    body = world.add_body(MassProperties.sphere(1.0, 1.0), name="ship")
    where = {"position": (0, 0, 1), "direction": (0, 0, 1)}
    jet = forces.Thruster(body, **where, max_force=1.0)
    jet.throttle = 0.25  # before it is in a world
    world.add_force(jet)
    bank = world.add_force(forces.ThrusterBank(body, positions=[(0, 0, 1)], directions=[(0, 0, 1)], max_forces=1.0))
    hinge = world.add_joint(joints.Hinge(body, at_body=(0, 0, 0), axis_body=(0, 0, 1)))
    wheel = world.add_part(flight.ReactionWheel(body, axis=(1, 0, 0), inertia=1e-3, max_torque=1.0, max_speed=1.0))
    world.remove_body(body)
    with pytest.raises(ValueError, match=r"(Thruster|ThrusterBank|Hinge|ReactionWheel): .*ship.* was removed"):
        command(jet, bank, hinge, wheel)


def test_a_body_has_weak_references():
    world = World(0.01)
    body = world.add_body(MassProperties.sphere(1.0, 1.0))
    names = weakref.WeakKeyDictionary({body: "ship"})
    assert names[body] == "ship"
    twin = world.fork()
    assert weakref.ref(twin.bodies[0])() is twin.bodies[0]
