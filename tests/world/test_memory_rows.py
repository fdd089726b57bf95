"""Memory of a world: named rows of numbers or bit patterns, and objects with a state; in the hash, and written by callbacks and forces."""

import copy
import pickle
from functools import partial

import numpy as np
import pytest

from engine import World

from ..full_world import Gusts, full_world
from ..worlds import OTHER, skew_body

NAN_WORDS = [0x7FF0000000000001, 0x7FF8DEADBEEF0001, 0xFFF8000000000000, 2**64 - 1, 1, 0]
"""Words whose bits are those of numbers that are not finite, or nearly zero: as floats some of them would be changed or equal."""


# rows


@pytest.mark.parametrize("shape", [(), (1,), 3, (2, 3), (np.int64(2), 1, 2)])
@pytest.mark.parametrize("dtype", [float, np.float64, "float64", np.uint64])
def test_memory_begins_with_zeros_of_its_shape_and_type(shape, dtype):
    rows = World(0.1).memory.add("integral", shape, dtype)
    wanted = shape if isinstance(shape, tuple) else (shape,)
    assert (rows.name, rows.shape, rows.dtype, rows.value.shape) == ("integral", wanted, np.dtype(dtype), wanted)
    assert rows.value.dtype == np.dtype(dtype)
    assert not rows.value.any()


def test_what_is_read_is_a_read_only_copy_and_what_is_assigned_is_written():
    world = World(0.1)
    rows = world.memory.add("integral", (2, 3))
    seen = rows.value
    with pytest.raises(ValueError, match="read-only"):
        rows.value[0, 0] = 1.0
    rows[1] = (1.0, 2.0, 3.0)
    rows[0, -1] = 5
    rows[:, 0] += 0.5
    column = rows[:, 0]
    column += 8.0  # a plain array
    assert rows.value.tolist() == [[0.5, 0.0, 5.0], [1.5, 2.0, 3.0]]
    assert not seen.any()
    given = np.full((2, 3), 7.0)
    rows.value = given
    given[:] = 0.0
    assert (rows.value == 7.0).all()
    assert world.memory["integral"].value.tolist() == rows.value.tolist() == np.array(rows).tolist()
    single = world.memory.add("single")
    single.value = 3
    assert (float(single.value), single.value.shape) == (3.0, ())


def test_words_keep_all_their_bits_through_ticks_undo_and_copies():
    world, _ = skew_body()
    rows = world.memory.add("random", 6, np.uint64)
    rows.value = NAN_WORDS
    assert rows.value.tolist() == NAN_WORDS

    @world.on_tick
    def fail(world):
        world.memory["random"][2:4] = [5, 2**63]
        raise KeyError

    with pytest.raises(KeyError):
        world.step()
    world.remove_callback(fail)
    world.step()
    for other in (world, copy.deepcopy(world), pickle.loads(pickle.dumps(world))):
        assert other.memory["random"].value.tolist() == NAN_WORDS


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        (
            ("taken",),
            ValueError,
            "World.memory: name must be new to this world, which has a memory of this name; got 'taken'",
        ),
        (
            ("object",),
            ValueError,
            "World.memory: name must be new to this world, which has a memory of this name; got 'object'",
        ),
        (("",), TypeError, "World.memory: name must be a non-empty string; got ''"),
        ((7,), TypeError, "World.memory: name must be a non-empty string"),
        ((None,), TypeError, "World.memory: name must be a non-empty string"),
        (("new", 0), ValueError, "World.memory 'new': shape must be an integer of at least 1; got 0"),
        (("new", (2, -1)), ValueError, "World.memory 'new': shape must be an integer of at least 1; got -1"),
        (("new", 1.5), TypeError, "World.memory 'new': shape must be an integer"),
        (("new", True), TypeError, "World.memory 'new': shape must be an integer"),
        (("new", [2]), TypeError, "World.memory 'new': shape must be an integer"),
        (("new", 2, np.float32), TypeError, "World.memory 'new': dtype must be float64 or uint64; got .*float32"),
        (("new", 2, "int64"), TypeError, "World.memory 'new': dtype must be float64 or uint64; got 'int64'"),
        (("new", 2, "nonsense"), TypeError, "World.memory 'new': dtype must be float64 or uint64"),
        (("new", 2, object), TypeError, "World.memory 'new': dtype must be float64 or uint64"),
    ],
)
def test_memory_that_makes_no_sense_is_rejected_before_anything_changes(arguments, kind, text):
    world = World(0.1)
    world.memory.add("taken")
    world.memory.attach("object", Gusts())
    before = world.state_hash()
    with pytest.raises(kind, match=text):
        world.memory.add(*arguments)
    assert list(world.memory) == ["taken", "object"]
    assert world.state_hash() == before


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("floats", [1.0, np.nan], ValueError),
        ("floats", [1.0, np.inf], ValueError),
        ("floats", [1.0, 2.0, 3.0], ValueError),
        ("floats", 1.0, TypeError),
        ("floats", [True, False], TypeError),
        ("floats", ["1", "2"], TypeError),
        ("words", [1.0, 2.0], TypeError),
        ("words", [1, -1], ValueError),
        ("words", [1, 2**64], ValueError),
        ("words", [1, 2, 3], ValueError),
        ("words", [True, False], TypeError),
        ("words", [[1, 2], [3]], TypeError),
        ("words", None, TypeError),
    ],
)
def test_values_that_do_not_fit_their_rows_are_rejected_and_the_rows_named(name, value, kind):
    world = World(0.1)
    rows = world.memory.add(name, 2, np.uint64 if name == "words" else float)
    rows.value = [3, 4]
    with pytest.raises(kind, match=f"memory '{name}'.*value must be"):
        rows.value = value
    with pytest.raises((IndexError, ValueError, TypeError)):
        rows[5] = 1
    assert rows.value.tolist() == [3, 4]
    with pytest.raises(KeyError, match=r"World.memory: no rows are named 'other'; its rows are '"):
        world.memory["other"]


def test_the_hash_covers_every_number_and_the_last_bit_of_every_word():
    world = World(0.1)
    hashes = {world.state_hash()}
    floats, words = world.memory.add("floats", 2), world.memory.add("words", 6, np.uint64)
    hashes.add(world.state_hash())
    floats[1] = 1e-300
    hashes.add(world.state_hash())
    words.value = NAN_WORDS
    hashes.add(world.state_hash())
    for place in range(6):
        words[place] = NAN_WORDS[place] ^ 1
        hashes.add(world.state_hash())
        words[place] = NAN_WORDS[place]
    assert len(hashes) == 10
    floats[0] = -0.0  # zeros of both signs are one
    assert world.state_hash() in hashes


def test_the_hash_does_not_depend_on_the_order_of_adding_and_covers_the_name():
    def world(*names):
        made = World(0.1)
        for name in names:
            made.memory.add(name, 2).value = (1.0, len(name))
        return made.state_hash()

    assert world("a", "bb") == world("bb", "a") != world("a", "cc")


def test_callbacks_and_forces_may_write_memory_and_only_that():
    world, ship = skew_body(integrator="rk4")
    calls, ticks = world.memory.add("calls"), world.memory.add("ticks", 2, np.uint64)

    def count(wrench, bodies, time):
        calls.value = calls.value + 1.0
        with pytest.raises(RuntimeError, match="a force may only add to its wrench"):
            ship.velocity = (0, 0, 0)
        with pytest.raises(RuntimeError, match="a force may only add to its wrench"):
            world.memory.add("more")
        with pytest.raises(RuntimeError, match="a force may only add to its wrench"):
            world.memory.attach("more", Gusts())

    world.add_force(count)
    world.on_tick(lambda world: ticks.__setitem__(0, ticks[0] + np.uint64(1)))
    world.step(3)
    assert (float(calls.value), ticks.value.tolist(), list(world.memory)) == (12.0, [3, 0], ["calls", "ticks"])
    before = world.state_hash()
    world.wrench(ship)  # calls the force once and puts back what it remembers
    assert (float(calls.value), world.state_hash()) == (12.0, before)


# objects


class Keeps:
    """An object whose state is what it was given."""

    def __init__(self, state=None):
        self.state = {} if state is None else state

    def get_state(self):
        return self.state

    def set_state(self, state):
        self.state = dict(state)

    def __call__(self, world):
        pass

    def update(self, world):
        pass

    def apply(self, wrench, bodies, time):
        pass


def hash_with(state):
    world = World(0.1)
    world.memory.attach("controller", Keeps(state))
    return world.state_hash()


def test_the_hash_covers_what_attached_objects_remember():
    states = [
        {},
        {"a": 0.5},
        {"b": 0.5},
        {"a": 0.5, "b": 0.5},
        {"a": 2**63},
        {"a": 2**63 + 1},
        {"a": np.uint64(2**63 + 2)},
        {"a": np.int64(2**53 + 1)},
        {"a": np.int64(2**53)},
        {"a": b"1"},
        {"a": b"bytes"},
        {"a": 1},
        {"a": np.array([1.0, 2.0])},
        {"a": np.array([[1.0], [2.0]])},
        {"a": np.array([2**63, 1], np.uint64)},
        {"a": np.array([2**63 + 1, 1], np.uint64)},
        {"a": np.array([1, 2], np.int32)},
        {"a": np.array([True, False])},
        {"a": np.float32(0.25)},
    ]
    assert len({hash_with(state) for state in states}) == len(states)
    assert hash_with({"a": 1, "b": 2.0}) == hash_with({"b": 2.0, "a": 1})  # a dict, whatever its order
    assert hash_with({"a": -0.0}) == hash_with({"a": 0.0})


@pytest.mark.parametrize(
    "value", ["text", None, [1.0], 1j, np.complex128(1), np.array(["a"]), np.array([None]), {"b": 1}]
)
def test_a_state_of_other_things_is_rejected_by_name(value):
    world = World(0.1)
    with pytest.raises(
        TypeError, match="get_state of wheel: speed must be a float, an int, bytes or an array of numbers"
    ):
        world.memory.attach("wheel", Keeps({"speed": value}))
    with pytest.raises(TypeError, match="get_state of Keeps 1: speed must be"):
        world.on_tick(Keeps({"speed": value}))
    assert (list(world.memory), world._stages.on_tick) == ([], [])


@pytest.mark.parametrize("state", [None, [], 5, {1: 2.0}, {None: 1.0}])
def test_a_state_that_is_no_dict_of_names_is_rejected(state):
    thing = Keeps()
    thing.state = state
    with pytest.raises(TypeError, match=r"get_state of wheel: (the result|a key) must be"):
        World(0.1).memory.attach("wheel", thing)


def test_an_object_is_attached_once_under_a_free_name():
    world = World(0.1)
    thing = Keeps()
    assert world.memory.attach("wheel", thing) is thing
    with pytest.raises(ValueError, match=r"World.memory 'other': object must be an object that is not attached yet"):
        world.memory.attach("other", thing)
    with pytest.raises(ValueError, match=r"World.memory: name must be new to this world, which has a memory"):
        world.memory.attach("wheel", Keeps())
    for wrong in (object(), 5, None, lambda: None, Keeps):
        with pytest.raises(TypeError, match=r"World.memory 'new': object must be one with get_state\(\) and set_state"):
            world.memory.attach("new", wrong)
    assert list(world.memory) == ["wheel"]


def test_forces_and_callbacks_with_a_state_join_and_leave_by_themselves():
    world = World(0.1)
    world.add_body(OTHER)
    force, callback, method = Keeps(), Keeps(), Keeps()
    world.add_force(force)
    world.on_tick(callback)
    world.after_tick(method.update)
    assert list(world.memory) == ["Keeps 1", "Keeps 2", "Keeps 3"]
    world.step()
    world.remove_callback(callback)
    assert list(world.memory) == ["Keeps 1", "Keeps 3"]
    world.add_force(Keeps().apply)
    assert list(world.memory) == ["Keeps 1", "Keeps 3", "Keeps 2"]
    world.remove_callback(method.update)
    world.remove_force(force)
    assert list(world.memory) == ["Keeps 2"]
    world.on_tick(partial(Keeps.update, Keeps()))  # no object of its own
    world.on_tick(partial(Keeps().update))
    assert list(world.memory) == ["Keeps 2", "Keeps 1"]
    world.on_tick(Keeps)  # a class, which is called to make an object
    assert list(world.memory) == ["Keeps 2", "Keeps 1"]


def test_an_object_in_two_places_stays_attached_until_it_is_in_none_and_one_attached_by_name_always():
    world = World(0.1)
    thing, named = Keeps(), Keeps()
    world.memory.attach("mine", named)
    for each in (thing, named):
        world.add_force(each)
        world.on_tick(each.update)
        world.on_tick(each.update, every=2)
        world.after_tick(each.update)
    assert list(world.memory) == ["mine", "Keeps 1"]
    for each in (thing, named):
        world.remove_callback(each.update)
    assert list(world.memory) == ["mine", "Keeps 1"]
    for each in (thing, named):
        world.remove_force(each)
    assert list(world.memory) == ["mine"]


def test_memory_is_the_same_in_a_world_flown_in_one_and_in_a_copied_one():
    world, twin = full_world(), full_world()
    flown = copy.deepcopy(world)
    for other in (world, twin, flown):
        other.step(2)
    assert world.state_hash() == twin.state_hash() == flown.state_hash()
    for name in ("integral", "random", "taken"):
        assert flown.memory[name].value.tolist() == world.memory[name].value.tolist()
    flown.memory["integral"].value = (9.0, 9.0)
    assert world.memory["integral"].value.tolist() != [9.0, 9.0]
