"""Parts of bodies: how they join a world, in which order they are sampled, and that their state belongs to the world."""

import copy
import pickle

import pytest

from engine import MassProperties, World
from engine.flight.part import Place, SampledPart
from engine.store.rows import checked, reference_fields
from engine.store.schema import ANY, Field, Kind, Schema

COUNTERS = Schema(
    "counters",
    (
        *reference_fields("body"),
        Field("total", Kind.STATE, digest=0, rule=ANY),
        Field("last", Kind.STATE, 3, digest=1, rule=ANY),
    ),
)
CALLS = []


class Counter(SampledPart):
    """Adds the time of each sample; `friends` is an attribute with handles in it."""

    __slots__ = ("friends",)
    _schema = COUNTERS
    _place = Place.SENSOR

    def __init__(self, body, *, name="counter", every=1, friends=()):
        super().__init__([(body,)], {"total": checked(COUNTERS, "total", 0.0, "Counter")}, name=name, every=every)
        self.friends = list(friends)

    def _sample(self, world):
        CALLS.append(self.name)
        (total,) = self._numbers("total")
        self._set_numbers("total", [total + world.time + 1.0])
        self._set_numbers("last", [1.0, 2.0, total])

    @property
    def total(self):
        return self._numbers("total")[0]


class Filter(Counter):
    _place = Place.FILTER


class Loop(Counter):
    _place = Place.CONTROL_LOOP


@pytest.fixture
def world():
    CALLS.clear()
    made = World(dt=0.5)
    made.add_body(MassProperties.sphere(1.0, 0.5), name="ship")
    return made


def test_sensors_come_before_filters_before_callbacks_before_control_loops(world):
    ship = world.body("ship")
    world.add_part(Loop(ship, name="loop"))
    world.on_tick(lambda world: CALLS.append("function"))
    world.add_part(Filter(ship, name="filter"))
    world.add_part(Counter(ship, name="second sensor"))
    world.add_part(Counter(ship, name="third sensor", every=2))
    world.step(2)
    one = ["second sensor", "filter", "function", "loop"]
    assert CALLS == ["second sensor", "third sensor", *one[1:], *one]


def test_the_state_of_a_part_is_undone_hashed_and_copied(world):
    ship = world.body("ship")
    part = world.add_part(Counter(ship))
    hash_at_first = world.state_hash()
    world.step(2)
    assert part.total == 2.5 and world.state_hash() != hash_at_first
    before = world.state_hash()

    @world.on_tick
    def fail(world):
        raise ArithmeticError("now")

    with pytest.raises(ArithmeticError):
        world.step()
    assert part.total == 2.5 and world.state_hash() == before
    world.remove_callback(fail)
    for copied in (copy.deepcopy(world), pickle.loads(pickle.dumps(world))):
        assert copied.state_hash() == before
        copied.step()
        assert copied.parts[0].total == 4.5 and part.total == 2.5


def test_attributes_with_handles_refer_to_the_copy_in_a_copy(world):
    ship = world.body("ship")
    first = world.add_part(Counter(ship, name="first"))
    world.add_part(Counter(ship, name="second", friends=[first, {"body": ship}]))
    copied = copy.deepcopy(world)
    friends = copied.parts[1].friends
    assert friends[0] is copied.parts[0] and friends[1]["body"] is copied.body("ship")


def test_a_part_goes_with_its_body_and_keeps_its_state(world):
    ship = world.body("ship")
    part = world.add_part(Counter(ship))
    world.step(2)
    assert world.remove_body(ship) == [part]
    assert world.parts == () and part.total == 2.5


def test_a_removed_part_is_no_longer_sampled_and_may_come_back(world):
    part = world.add_part(Counter(world.body("ship")))
    world.step()
    world.remove_part(part)
    world.step()
    assert part.total == 1.0 and world.parts == ()
    world.add_part(part)
    world.step()
    assert part.total == 3.0


def test_a_disabled_part_is_not_sampled(world):
    part = world.add_part(Counter(world.body("ship")))
    part.enabled = False
    world.step(3)
    assert part.total == 0.0


def test_what_fails_in_a_sample_undoes_the_tick_and_names_the_part(world):
    class Failing(Counter):
        def _sample(self, world):
            super()._sample(world)
            raise ValueError("no number")

    part = world.add_part(Failing(world.body("ship"), name="bad gyro"))
    before = world.state_hash()
    with pytest.raises(ValueError, match="no number") as caught:
        world.step()
    assert "bad gyro" in "".join(caught.value.__notes__)
    assert world.state_hash() == before and world.tick_count == 0 and part.total == 0.0


def test_parts_and_forces_are_told_apart(world):
    from engine import forces

    ship = world.body("ship")
    part = Counter(ship)
    with pytest.raises(TypeError, match="add_part"):
        world.add_force(part)
    with pytest.raises(TypeError, match="add_force"):
        world.add_part(forces.LinearDrag(0.1))
    drag = world.add_force(forces.LinearDrag(0.1))
    with pytest.raises(ValueError, match=r"World\.remove_part"):
        world.remove_part(drag)
    world.add_part(part)
    with pytest.raises(ValueError, match="already"):
        world.add_part(part)
    with pytest.raises(ValueError, match=r"World\.remove_force"):
        world.remove_force(part)
    assert world.forces == (drag,) and world.parts == (part,)
    other = World(dt=0.5)
    with pytest.raises(ValueError, match="of this world"):
        other.add_part(Counter(ship))
