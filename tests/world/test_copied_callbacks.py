"""A copied world never changes the original: callbacks and forces that reach a handle of it are found, wherever the handle is kept."""

import copy
import functools
import itertools
import operator
import pickle
import sys
import types
import weakref

import numpy as np
import pytest

from engine import Body, World, forces
from engine.store import calling

from ..full_world import Gusts, Stop
from ..worlds import OTHER, skew_body

both_ways = pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))], ids=["deepcopy", "pickle"]
)


class Holder:
    def __init__(self, thing):
        self.thing = thing

    def method(self, *_):
        pass


class Slotted:
    __slots__ = ("thing",)


def slotted(thing):
    made = Slotted()
    made.thing = thing
    return made


def a_closure(thing):
    def control(*_):
        return thing

    return control


def a_keyword_default(thing):
    def control(*_, kept=thing):
        return kept

    return control


def a_default(thing):
    return lambda world=None, kept=(1, {"deep": [thing]}): kept


def an_attribute(thing):
    def control(*_):
        pass

    control.kept = thing
    return control


def a_global(thing):
    namespace = {"__name__": "game", "thing": thing}
    exec("def control(*_):\n    return [thing for _ in range(2)]", namespace)
    return namespace["control"]


def a_called_function(thing):
    namespace = {"__name__": "game", "thing": thing}
    exec("def helper():\n    return thing\ndef control(*_):\n    return helper()", namespace)
    return namespace["control"]


def a_module(thing):
    module = types.ModuleType("game")
    module.inner = types.ModuleType("game.inner")
    module.inner.module, module.inner.thing = module, thing

    def control(*_):
        return module.inner.module.inner.thing

    return control


def a_class(thing):
    class Game:
        kept = thing

    def control(*_):
        return Game.kept

    return control


def a_called_method(thing):
    class Game:
        @property
        def ship(self):
            return thing

        def first(self, *_):
            return self.second()

        def second(self):
            return self.first(), self.ship

    return Game().first


def a_callable_object(thing):
    class Control:
        def __call__(self, *_):
            return thing

    return Control()


def a_method_of_a_closure(thing):
    class Game:
        def update(self):
            return thing

    game = Game()
    return lambda *_: game.update()


def a_property_of_an_attribute(thing):
    class Radar:
        @property
        def target(self):
            return thing

    class Pilot:
        def __init__(self):
            self.radars = [Radar()]

        def fly(self, *_):
            return self.radars[0].target

    return Pilot().fly


def an_operator(thing):
    class Fleet:
        def __getitem__(self, name):
            return thing

    fleet = Fleet()
    return lambda *_: fleet["ship"]


def an_import(thing):
    game = sys.modules["game_of_imports"] = types.ModuleType("game_of_imports")
    game.ship = thing
    namespace = {"__name__": "other"}
    exec("def control(*_):\n    from game_of_imports import ship\n    return ship", namespace)
    return namespace["control"]


def a_relative_import(thing):
    for name in ("game_package", "game_package.ships"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["game_package.ships"].ship = thing
    namespace = {"__name__": "game_package.control", "__package__": "game_package"}
    exec(
        "def control(*_):\n    def inner():\n        from .ships import ship\n        return ship\n    return inner()",
        namespace,
    )
    return namespace["control"]


def many_objects(thing):
    kept = [*range(50_000), *([number] for number in range(50_000)), thing]
    return lambda *_: kept


FORMS = {
    "closure": a_closure,
    "keyword default": a_keyword_default,
    "default": a_default,
    "attribute": an_attribute,
    "global": a_global,
    "called function": a_called_function,
    "module": a_module,
    "class": a_class,
    "called method": a_called_method,
    "callable object": a_callable_object,
    "many objects": many_objects,
    "method of a closure": a_method_of_a_closure,
    "property of an attribute": a_property_of_an_attribute,
    "operator": an_operator,
    "import": an_import,
    "relative import": a_relative_import,
    "bound method": lambda thing: Holder(thing).method,
    "slots": lambda thing: a_closure(slotted(thing)),
    "partial": lambda thing: functools.partial(lambda kept, *_: None, thing),
    "partial keyword": lambda thing: functools.partial(lambda *_, kept: None, kept=Holder(thing)),
    "cached": lambda thing: functools.cache(a_closure(thing)),
    "array of objects": lambda thing: a_closure(np.array([None, thing], dtype=object)),
    "read-only dict": lambda thing: a_closure(types.MappingProxyType({"ship": thing})),
    "iterator": lambda thing: a_closure(itertools.cycle([thing])),
    "method caller": lambda thing: operator.methodcaller("method", thing),
    "set in a dict key": lambda thing: a_closure({frozenset([thing]): 1}),
}


@both_ways
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_callback_that_reaches_a_body_of_the_original_is_rejected_with_its_name_and_the_form_that_works(form, copied):
    world, ship = skew_body()
    control = world.on_tick(form(ship))
    rule = r'look it up in the world that is passed in: `def control\(world\): ship = world.body\("ship"\)`'
    with pytest.raises(
        ValueError, match=rf"World: this world cannot be copied, because the callback .* refers to a handle.*{rule}"
    ):
        copied(world)
    world.remove_callback(control)
    copied(world)


def hold(world, ship):
    thruster = forces.Thruster(ship, position=(0, 0, 0), direction=(1, 0, 0), max_force=1.0)
    return {
        "world": world,
        "a weak reference": weakref.ref(world),
        "a weak proxy": weakref.proxy(world),
        "a method of the world": world.step,
        "a force": world.add_force(thruster),
        "state": world.state,
        "model": world.model,
        "a view of the state": world.state.velocity,
        "thrusters": world.thrusters,
        "fields": world.fields(forces.LinearDrag),
        "rows of memory": world.memory.add("rows"),
        "memory": world.memory,
        "profile": world.profile(),
    }


@pytest.mark.parametrize("name", hold(*skew_body()))
@pytest.mark.parametrize("place", ["on_tick", "after_tick", "add_force", "attach"])
def test_every_handle_of_the_original_is_found_wherever_it_is_called(name, place):
    world, ship = skew_body()
    handle = hold(world, ship)[name]
    if place == "attach":
        kept = Gusts()
        kept.kept = handle
        world.memory.attach("kept", kept)
    else:
        getattr(world, place)(a_closure(handle))
    with pytest.raises(
        ValueError, match=r"this world cannot be copied, because the (callback|force|attached object 'kept',) "
    ):
        copy.deepcopy(world)


@both_ways
def test_what_reaches_no_handle_of_this_world_is_copied(copied):
    """Numbers, the engine, libraries, another world; a function that looks its body up."""
    world, _ = skew_body()
    world.on_tick(set_velocity)
    world.on_tick(looks_around)
    world.add_force(Gusts())
    world.memory.attach("data", data := Gusts())
    data.table = [[number] for number in range(5_000)]
    other = copied(world)
    world.step()
    other.step()
    assert world.state_hash() == other.state_hash()
    assert other.body("ship").velocity.tolist() == world.body("ship").velocity.tolist()


def test_a_method_that_nobody_names_reaches_nothing():
    world, ship = skew_body()
    vessels = types.ModuleType("game_of_vessels")
    vessels.ship = ship

    class Fleet:
        def land(self):
            return vessels.ship

        def tick(self, world):
            return len(world.bodies)

    world.on_tick(Fleet().tick)
    copy.deepcopy(world).step()


def test_a_weak_proxy_of_an_object_that_is_gone_is_no_handle():
    world, _ = skew_body()
    gone = weakref.proxy(Holder(1))
    world.on_tick(a_closure(gone))
    copy.deepcopy(world).step()


def test_another_world_is_not_searched_because_its_callbacks_are_its_own():
    world, ship = skew_body()
    elsewhere = World(0.1)
    elsewhere.on_tick(a_closure(ship))
    world.on_tick(a_closure(elsewhere))
    copy.deepcopy(world).step()


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("engine", True),
        ("engine.forces.drag", True),
        ("engine.demos.tumble", False),  # where the demos are installed: inside the package
        ("engines", False),
        ("numpy.linalg", True),
        ("demos.tumble", False),
        (None, False),
    ],
)
def test_the_engine_is_a_library_and_the_demos_are_programs_of_a_user(module, expected):
    assert calling._is_of_a_library(module) is expected


def set_velocity(world):
    world.body("ship").velocity = (1.0, 2.0, 3.0)


ELSEWHERE = World(0.1)
ELSEWHERE.add_body(OTHER, name="other")


def looks_around(world):
    assert ELSEWHERE.body("other").world is ELSEWHERE
    assert np.isfinite(world.state.position).all() and isinstance(world.bodies[0], Body)
    assert not [error for error in (Stop,) if world is error]
