"""Tables: rows that are added, removed, changed and restored, against a plain model; their places in the hash; whole arrays."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine import World, forces
from engine.store.bodies import BODIES, HISTORY, rung
from engine.store.schema import Field, Kind, Schema
from engine.store.store import Store
from engine.store.table import Table
from engine.tick.held import PUSHES

from ..full_world import full_world, image
from ..worlds import OTHER, PROPERTIES

SCHEMA = Schema(
    "things",
    (
        Field("reference", Kind.MODEL, digest=5, rest=-1.0),
        Field("place", Kind.STATE, 3, digest=0, rest=(1.0, 2.0, 3.0)),
        Field("words", Kind.STATE, 1, dtype=np.uint64, digest=2),
        Field("scratch", Kind.SCRATCH),
    ),
)


class Owner:
    """What a store needs for a world."""


# one table against a list of rows

NUMBERS = st.floats(-1e6, 1e6)
COMMANDS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(1, 9), NUMBERS),
        st.tuples(st.just("append one"), st.just(1), NUMBERS),
        st.tuples(st.just("remove"), st.integers(0, 2**32 - 1), st.just(0.0)),
        st.tuples(st.just("write one"), st.integers(0, 1000), NUMBERS),
        st.tuples(st.just("write all"), st.integers(0, 1000), NUMBERS),
        st.tuples(st.just("write some"), st.integers(0, 2**32 - 1), NUMBERS),
        st.tuples(st.just("mark"), st.just(0), st.just(0.0)),
        st.tuples(st.just("undo"), st.just(0), st.just(0.0)),
    ),
    max_size=40,
)


def chosen(bits, count):
    return np.array([row for row in range(count) if bits >> row % 32 & 1], np.int64)


def rows_of(table):
    count = table.count
    return [
        (int(table.ids[row]), int(table.groups[row]), table.array[:, row].tolist()) for row in range(count)
    ]  # fmt: skip


def apply_command(command, bits, value, table, rows, next_id):
    """The command to the table, and to the list of rows (id, group, values), which is returned."""
    values = [value, 1.0, value, 2.0, 0.0, 3.0]
    if command == "append":
        columns = np.outer(values, np.arange(1.0, bits + 1.0))
        assert table.append(columns) == next_id
        return rows + [(next_id + k, next_id, columns[:, k].tolist()) for k in range(bits)]
    if command == "append one":
        table.append_one(values)
        return [*rows, (next_id, next_id, values)]
    if command == "remove":
        gone = chosen(bits, len(rows))
        table.remove(gone)
        return [row for place, row in enumerate(rows) if place not in gone]
    if not rows:
        return rows
    if command == "write one":
        at, components = bits % len(rows), slice(1, 4)
        table.write(components, at, [value, 0.5, 0.25])
        places = [at]
    elif command == "write all":
        components, places = slice(1, 4), range(len(rows))
        table.write(components, slice(0, len(rows)), np.array([[value], [0.5], [0.25]]))
    else:
        components, places = slice(1, 4), chosen(bits, len(rows))
        table.write(components, places, np.array([[value], [0.5], [0.25]]))
    return [
        (id, group, [*old[:1], value, 0.5, 0.25, *old[4:]]) if place in places else (id, group, old)
        for place, (id, group, old) in enumerate(rows)
    ]


@given(COMMANDS)
@example([("append one", 1, 1.0), ("append", 2, 2.0), ("mark", 0, 0.0), ("remove", 0b1, 0.0), ("undo", 0, 0.0)])
@example([("append", 3, 1.0), ("mark", 0, 0.0), ("write one", 1, 2.0), ("undo", 0, 0.0)])
@example([("append", 3, 1.0), ("mark", 0, 0.0), ("write some", 0b101, 3.0), ("undo", 0, 0.0)])
def test_a_table_is_a_list_of_rows_and_undo_brings_back_the_list_of_before(commands):
    owner = Owner()
    store = Store(owner)
    table = store.table(SCHEMA)
    store.log = []
    rows, marks, given_ids = [], [], 0
    for command, bits, value in commands:
        if command == "mark":
            marks.append((len(store.log), rows))
        elif command == "undo":
            mark, rows = marks.pop() if marks else (0, [])
            log = store.log
            store.undo(log, mark)
            store.log = log
        else:
            rows = apply_command(command, bits, value, table, rows, given_ids)
            given_ids += bits if command == "append" else command == "append one"
        assert rows_of(table) == rows
        assert [row[0] for row in rows] == sorted({row[0] for row in rows})  # ids ascend and are given once
        for id, *_ in rows:
            place = table.find(id, id + 1)
            assert table.ids[place].tolist() == [id]
        assert (table.array[:, table.count :] == SCHEMA.rest).all()  # what nobody uses holds resting rows
    store.undo(store.log)
    assert (table.array == SCHEMA.rest).all()
    assert rows_of(table) == []
    assert table.append(np.ones((6, 1))) == given_ids  # none is given again


def test_a_version_grows_with_every_change_and_the_numbering_when_rows_move():
    owner = Owner()
    table = Store(owner).table(SCHEMA)
    table.append(np.ones((6, 5)))
    version, numbering = table.version, table.numbering
    table.write(0, 2, 5.0)
    assert (table.version > version, table.numbering) == (True, numbering)
    table.remove(np.array([1]))
    assert table.numbering > numbering
    found = table.find(2, 3)
    assert (found.start, found.stop) == (1, 2)


# places in the hash


def every_schema():
    tables = full_world()._store.tables.values()
    kinds = [kind for kind in vars(forces).values() if isinstance(getattr(kind, "_schema", None), Schema)]
    return {schema.name: schema for schema in [*(t.schema for t in tables), *(k._schema for k in kinds), HISTORY]}


@pytest.mark.parametrize("schema", every_schema().values(), ids=lambda schema: schema.name)
def test_every_field_that_decides_the_future_has_one_place_in_the_hash_and_one_in_memory(schema):
    places = [field.digest for field in schema.fields if field.digest is not None]
    assert len(places) == len(set(places))
    for field in schema.fields:
        assert (field.digest is None) == (field.kind in (Kind.PREVIOUS, Kind.SCRATCH)), field.name
    covered = [component for part in schema.components.values() for component in range(part.start, part.stop)]
    assert covered == list(range(schema.size))
    assert [field.digest for field in schema.hashed] == sorted(places)


def test_a_schema_with_a_place_given_twice_or_a_kind_without_one_is_rejected():
    first, second = Field("first", Kind.MODEL, digest=1), Field("second", Kind.MODEL, digest=1)
    with pytest.raises(ValueError, match="the same place in the hash"):
        Schema("bad", (first, second))
    with pytest.raises(ValueError, match="the same name"):
        Schema("bad", (first, replace(first, digest=2)))
    with pytest.raises(ValueError, match=r"bad.first: a field of kind SCRATCH"):
        Schema("bad", (replace(first, kind=Kind.SCRATCH),))
    with pytest.raises(ValueError, match=r"bad.first: a field of kind MODEL"):
        Schema("bad", (replace(first, digest=None),))


NOT_HASHED = {
    "bodies": {"held_force_world", "held_torque_world", "held_force_body", "held_torque_body", "motor_torque_body"}
    | {"is_frozen", "was_not_finite"},
    "point gravities": {"oblateness"},  # the product of two fields that are
    # computed anew in each tick
    "thrusters": {"is_driven", "mean", "lean", "next_valve", "next_angles", "has_kicked", "next_jet"},
    "wheels": {"kept", "has_kicked", "gained"},
    "tanks": {"used", "acting", "until", "jets"},
    "driven": {"kept", "joint", "is_flowing", "is_stale"},
}


def test_the_hash_covers_every_number_that_decides_the_future_and_no_other():
    """Each component of each row, changed by itself. What is held over a tick is gathered from the rest."""
    world = full_world(called=False)
    world.bodies[0].apply_force((1.0, 2.0, 3.0))
    before = world.state_hash()
    for name, table in world._store.tables.items():
        if not table.count:
            continue
        for field in table.schema.fields:
            for component in range(table.schema.components[field.name].start, table.schema.components[field.name].stop):
                row = table.count - 1
                kept = table.array[component, row]
                table.array[component, row] = 0.37 if kept != 0.37 else 0.38
                changed = world.state_hash() != before
                table.array[component, row] = kept
                is_left_out = field.name in NOT_HASHED.get(name, ()) or field.name.startswith("previous_")
                assert changed != is_left_out, f"{name}.{field.name}"
    assert world.state_hash() == before


def test_the_hash_does_not_depend_on_how_the_tables_grew_or_in_which_order_kinds_came():
    def world(spare, kinds):
        made = World(0.125)
        for _ in range(spare):
            made.remove_bodies(made.add_bodies(OTHER, np.zeros((300, 3))))
            made.remove_force(made.add_force(forces.PointGravity(0.5)))
        ship, tug = (made.add_body(shape, name=name) for shape, name in ((PROPERTIES, "ship"), (OTHER, "tug")))
        made_by = {
            "drag": lambda: forces.LinearDrag(0.1, bodies=[tug]),
            "gravity": lambda: forces.PointGravity(3.0, (9, 9, 9)),
            "spring": lambda: forces.Spring(ship, tug, stiffness=2.0),
            "jet": lambda: forces.Thruster(ship, position=(0, 1, 0), direction=(1, 0, 0), max_force=1.0),
        }
        for kind in kinds:
            made.add_force(made_by[kind]())
        return made.state_hash()

    assert world(0, ["drag", "gravity", "spring", "jet"]) == world(2, ["jet", "spring", "gravity", "drag"])


def test_rows_of_one_kind_in_another_order_are_another_state():
    """Their sum may differ in its last bit."""
    worlds = [World(0.1), World(0.1)]
    for world, order in zip(worlds, ((1.0, 2.0), (2.0, 1.0)), strict=True):
        world.add_body(OTHER)
        for gm in order:
            world.add_force(forces.PointGravity(gm, (9, 9, 9)))
    assert worlds[0].state_hash() != worlds[1].state_hash()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda world: pickle.loads(pickle.dumps(world))])
def test_a_copied_world_has_the_same_hash_and_the_same_bytes_in_every_table(copied):
    world = full_world()
    world.remove_body(world.body("tug"))  # ids and row numbers differ
    world.body("ship").apply_force((1.0, 2.0, 3.0))
    other = copied(world)
    assert other.state_hash() == world.state_hash()
    assert image(other)["tables"] == image(world)["tables"]


# whole arrays


def test_whole_arrays_have_the_rows_of_single_thrusters_and_banks_in_the_order_of_adding():
    world = World(0.01)
    ship = world.add_body(PROPERTIES)
    first = world.add_force(forces.Thruster(ship, position=(1, 0, 0), direction=(0, 0, 2), max_force=5.0))
    bank = world.add_force(
        forces.ThrusterBank(ship, positions=np.eye(3), directions=-np.eye(3), max_forces=(1.0, 2.0, 3.0))
    )
    last = world.add_force(forces.Thruster(ship, position=(0, 0, 9), direction=(0, 1, 0), max_force=7.0))
    thrusters = world.thrusters
    assert (list(first.rows), list(bank.rows), list(last.rows), len(thrusters)) == ([0], [1, 2, 3], [4], 5)
    assert thrusters.max_force.tolist() == [5.0, 1.0, 2.0, 3.0, 7.0]
    assert thrusters.position.tolist() == [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 9]]
    assert thrusters.body.tolist() == [0] * 5
    thrusters.throttle = [0.1, 0.2, 0.3, 0.4, 0.5]
    assert (first.throttle, bank.throttle.tolist(), last.throttle) == (0.1, [0.2, 0.3, 0.4], 0.5)
    bank.throttle = 1.0
    assert thrusters.throttle.tolist() == [0.1, 1.0, 1.0, 1.0, 0.5]
    world.remove_force(first)
    assert (list(bank.rows), list(last.rows), thrusters.throttle.tolist()) == ([0, 1, 2], [3], [1.0, 1.0, 1.0, 0.5])
    with pytest.raises(ValueError, match="read-only"):
        thrusters.throttle[0] = 0.5


def test_whole_arrays_of_parameters_act_as_those_set_one_by_one():
    def world():
        made = World(0.05, integrator="rk4")
        bodies = made.add_bodies(OTHER, 2.0 * np.eye(3), angular_velocity_body=(0.1, 0.2, 0.3))
        for body in bodies:
            made.add_force(forces.Thruster(body, position=(0, 1, 0), direction=(1, 0, 0), max_force=1.0))
        return made

    whole, single = world(), world()
    directions = np.array([[1.0, 2.0, 3.0], [0.0, -2.0, 0.0], [5.0, 0.0, 1.0]])
    whole.thrusters.throttle, whole.thrusters.direction = (0.25, 0.5, 1.0), directions
    whole.thrusters.enabled = [True, False, True]
    for row, force in enumerate(single.forces):
        force.throttle, force.direction, force.enabled = (0.25, 0.5, 1.0)[row], directions[row], row != 1
    whole.step(3)
    single.step(3)
    assert whole.state_hash() == single.state_hash()
    assert whole.thrusters.enabled.tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("name", "value", "kind", "text"),
    [
        ("throttle", [0.5], ValueError, "World: the thrusters: throttle must be 3 finite real numbers; got"),
        ("throttle", [0.5, 0.5, 1.5], ValueError, "throttle must be between 0 and 1 in every element; got"),
        ("throttle", [0.5, -1e-300, 0.5], ValueError, "throttle must be between 0 and 1 in every element; got"),
        ("throttle", [0.5, np.nan, 0.5], ValueError, "throttle must be 3 finite real numbers; got"),
        ("throttle", -0.5, ValueError, "throttle must be between 0 and 1"),
        ("throttle", np.nan, ValueError, "throttle must be"),
        ("throttle", [True, False, True], TypeError, "throttle must be"),
        ("throttle", "full", TypeError, "throttle must be"),
        ("throttle", None, TypeError, "throttle must be"),
        ("throttle", np.ones((3, 1)), ValueError, "throttle must be"),
        ("max_force", [1.0, -1.0, 0.0], ValueError, "max_force must be at least 0 in every element"),
        (
            "direction",
            [(1, 0, 0), (0, 0, 0), (1, 0, 0)],
            ValueError,
            r"direction\[1\] must be a non-zero vector",
        ),
        ("direction", [(1, 0), (0, 1), (1, 0)], ValueError, "direction must be finite real numbers of shape"),
        ("enabled", [1, 0, 1], TypeError, "enabled must be True or False"),
        ("enabled", [True], ValueError, "enabled must be True or False, or a list of 3"),
        ("body", [0, 0, 0], AttributeError, "body is read-only"),
        ("throtle", 0.5, AttributeError, "have no attribute 'throtle'; they have body, enabled, throttle"),
    ],
)
def test_whole_arrays_that_make_no_sense_are_rejected_before_anything_changes(name, value, kind, text):
    world = full_world(called=False)
    before = image(world)
    with pytest.raises(kind, match=text):
        setattr(world.thrusters, name, value)
    assert image(world) == before


@pytest.mark.parametrize("kind", [forces.Force, int, "LinearDrag", None, lambda: None])
def test_whole_arrays_of_something_that_is_no_kind_of_force_are_rejected(kind):
    with pytest.raises(TypeError, match=r"World.fields: kind must be a class of engine.forces"):
        World(0.1).fields(kind)


def test_a_table_that_refers_to_bodies_never_refers_to_a_row_beyond_them():
    world = full_world()
    while world.bodies:
        world.remove_body(world.bodies[len(world.bodies) // 2])
        for table in world._store.tables.values():
            for field in table.schema.references:
                assert (table.read(field.name) < len(world.bodies)).all()
                assert (table.read(field.name) >= -1).all()
    assert not len(world.thrusters) and not len(world.springs) and not world._store.tables[PUSHES.name].count
    assert world._store.tables[BODIES.name].count == 0
    world.step()


def test_the_table_of_a_force_without_a_world_is_its_own():
    world = World(0.1)
    drag = forces.LinearDrag(0.5)
    other = copy.copy(drag)
    other.coefficient = 2.0
    assert (drag.coefficient, other.coefficient, list(drag.rows)) == (0.5, 2.0, [0])
    world.add_force(drag)
    world.add_force(another := copy.copy(drag))
    another.coefficient = 3.0
    assert world.fields(forces.LinearDrag).coefficient.tolist() == [0.5, 3.0]
    assert isinstance(Table(SCHEMA).read("place"), np.ndarray)


def test_a_table_counts_its_changes_upwards():
    """A count that goes back could return to the number under which something was kept."""
    world = World(0.01)
    drag = world.add_force(forces.LinearDrag(0.1))
    table, seen = drag._table, []
    for number in range(5):
        seen.append(table.version)
        drag.coefficient = 0.1 * number
    seen.append(table.version)
    assert seen == sorted(set(seen))


def test_pitches_grow_by_a_half_or_a_third_and_are_eight_above_a_multiple_of_256():
    ladder = sorted({rung(count) for count in range(20_000)})
    assert ladder == [264, 1032, 1544, 2056, 3080, 4104, 6152, 8200, 12296, 16392, 24584]
    assert all(rung(pitch) == pitch and rung(pitch + 1) > pitch for pitch in ladder)
