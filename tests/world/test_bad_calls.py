"""Public callables, constructors and setters with hostile values: each is accepted with the value meant, or rejected by name."""

import zlib

import pytest

from engine import MassProperties, World, forces, joints, shapes

from ..bad_calls.product import Product, is_acceptable, report, run
from ..bad_calls.scene import scene
from ..bad_calls.surface import surface
from ..bad_calls.table import EXEMPT, ROWS
from ..bad_calls.values import COMPONENTS, VALUES
from ..lengths import sized

EVERY = sized(120, 5)
"""One in so many calls is made here, always the same ones; `python -m tests.bad_calls` makes all."""


def test_every_public_name_has_a_row_of_expectations():
    public = {entry.name: entry for entry in surface().values() if entry.arguments or entry.kind == "setter"}
    assert sorted(public.keys() - ROWS.keys() - EXEMPT.keys()) == [], "add rows to tests/bad_calls/table.py"
    assert sorted((ROWS.keys() | EXEMPT.keys()) - public.keys()) == [], "rows of names that are gone"
    assert sorted(ROWS.keys() & EXEMPT.keys()) == []
    for name, row in ROWS.items():
        entry = public[name]
        arguments = entry.arguments if entry.kind == "call" else (name.rpartition(".")[2],)
        assert sorted(row.arguments) == sorted(arguments), f"the row of {name} names other arguments"


def test_there_are_sixty_values_and_more():
    assert len(VALUES) >= 60
    assert len(COMPONENTS) >= 25


def test_bad_calls_are_rejected_by_name_or_mean_what_they_say():
    def some(name, argument, values):
        return [value for value in values if zlib.crc32(f"{name} {argument} {value.name}".encode()) % EVERY == 0]

    counts, wrong = run(some)
    print(report(counts))
    assert counts.total() >= 60_000 / EVERY
    assert [text for text in wrong if not text.startswith("words")] == []
    assert is_acceptable(counts), "\n".join(wrong)


def test_attributes_that_cannot_be_set_say_what_to_do(tmp_path):
    made = scene(tmp_path)
    things = [*vars(made).values(), made.world.state, made.world.model, made.world.memory]
    checked = 0
    for entry in surface().values():
        definer, _, name = entry.name.rpartition(".")
        thing = next((each for each in things if definer in [kind.__name__ for kind in type(each).__mro__]), None)
        if entry.kind != "read-only" or thing is None:
            continue
        with pytest.raises(AttributeError) as caught:
            setattr(thing, name, 7.0)
        if isinstance(getattr(type(thing), name), property):  # not what belongs to a frozen dataclass
            assert name in str(caught.value), entry.name
            assert type(thing).__name__ in str(caught.value) or repr(thing) in str(caught.value), str(caught.value)
            assert "7.0" in str(caught.value) or "cannot be changed" in str(caught.value), str(caught.value)
            checked += 1
    assert checked > 150


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda world: setattr(world.bodies[0], "mass", 2.0),
            "Body: mass cannot be set to 2.0; assign mass_properties",
        ),
        (
            lambda world: setattr(world, "dt", 2.0),
            "World: dt cannot be set to 2.0; create another world for another dt",
        ),
        (
            lambda world: world.add_body(MassProperties.sphere(1.0, 1.0), angular_velocity=(1, 2, 3)),
            "there is no argument 'angular_velocity'; did you mean angular_velocity_body or angular_velocity_world?",
        ),
        (
            lambda world: world.add_bodies(MassProperties.sphere(1.0, 1.0), postion=[(1, 2, 3)]),
            "World.add_bodies: there is no argument 'postion'; did you mean position?",
        ),
        (
            lambda world: world.add_body(MassProperties.sphere(1.0, 1.0), colour="red"),
            "World.add_body: there is no argument 'colour'; its arguments are mass_properties, name, position",
        ),
        (
            lambda world: joints.Hinge(world.bodies[0], axis=(0, 0, 1)),
            "Hinge: there is no argument 'axis'; did you mean axis_body?",
        ),
        (
            lambda world: joints.Hinge(world.bodies[0], axis_body=(0, 0, 1)),
            "Hinge() missing 1 required keyword-only argument: 'at_body'",
        ),
        (lambda world: shapes.Box(sise=(1, 1, 1)), "Box: there is no argument 'sise'; did you mean size?"),
        (
            lambda world: forces.PointGravity(3.986e14, position=(0, 0, 0)),
            "PointGravity: there is no argument 'position'; its arguments are gm, center, j2",
        ),
        (lambda world: World(60), "such as 1 / 60 for 60 ticks per second, or 60.0 for ticks of 60 s; got 60"),
    ],
)
def test_what_is_nearly_right_is_told_what_is(call, text):
    world = World(0.1)
    world.add_body(MassProperties.sphere(1.0, 1.0))
    with pytest.raises((AttributeError, TypeError, ValueError)) as caught:
        call(world)
    assert text in str(caught.value)
    assert len(world.bodies) == 1


def test_the_product_sees_a_check_that_is_missing(monkeypatch):
    """The judge itself: a setter without its check is silent, one that raises anything is a crash, a wrong text is seen."""
    monkeypatch.setattr(World, "paused", property(lambda world: None, lambda world, value: None))
    monkeypatch.setattr(World, "coasting", property(lambda world: None, lambda world, value: 1 / 0))
    monkeypatch.setattr(World, "game_mode", property(lambda world: None, _reject_without_words))
    monkeypatch.setattr(World, "time_scale", property(lambda world: 1.0, _change_and_reject))
    product, values = Product(), [value for value in VALUES if value.name in ("nan", "text")]
    try:
        for name, fault in (
            ("paused", "silent"),
            ("coasting", "crash"),
            ("game_mode", "words"),
            ("time_scale", "change"),
        ):
            found = [verdict.fault for _, verdict in product.row(f"World.{name}", name, values)]
            assert found == [fault] * 2, name
    finally:
        product.close()


def _reject_without_words(world, value):
    if not isinstance(value, bool):
        raise ValueError("bad value")


def _change_and_reject(world, value):
    world.bodies[0].position = (9.0, 9.0, 9.0)
    raise ValueError(f"World: time_scale must be a number; got {value!r}")
