"""The content of a world in its plain form, with places instead of handles, and its binding to the objects of a world.

Bytes, copies and pickles come from this form. In bytes it is without functions, Python forces and attached objects, which are then found by
name in the world that is restored. A table is here by its rows and fields, so that rows can be selected or repeated for all features alike.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple, NoReturn, TypeVar

import numpy as np

from ..body import Body, new_body
from ..checks import FloatArray, refuse
from ..clock import ClockImage
from ..flight.allocation import ThrusterAllocator
from ..integrators.extrapolated import Extrapolated, follow
from ..plain import telling
from ..solids.mass_properties import MassProperties
from ..solids.symmetric import MATRIX_OF_SIX
from ..store.bodies import HISTORY, Follower, Roster
from ..store.calling import AnyCallback, Callback, EventCallback, default_name
from ..store.images import Image, IntArray, RowsImage
from ..store.memory import MemoryRows, memory_schema
from ..store.objects import State, Stateful
from ..store.rows import BodyHandle, TableRows, misfit_of, without_rows
from ..store.schema import Schema
from ..store.table import Table
from ..tick.actuators import refuse_actuators
from ..tick.force_list import Attributes, MemberImage, MembersImage, attributes_of
from ..tick.joints import refuse_joints
from .content import FUNCTIONS, Content, Inventory, Owners
from .encoding import (
    BUILT_IN,
    BUILT_IN_SCHEMAS,
    Memo,
    Places,
    check_attributes,
    encoded_attributes,
    name_of,
    resolving,
)
from .settings import Values, check_together

Thing = TypeVar("Thing")


class Rows(NamedTuple):
    """The rows of a table, with its fields as components."""

    ids: IntArray
    groups: IntArray
    next_id: int
    fields: dict[str, FloatArray]
    schema: Schema | None = None
    """None if the rows come from bytes, which do not contain it."""


class PlainMember(NamedTuple):
    """A force or part."""

    name: str
    """The name of its class, or of a Python force."""
    kind: object = None
    """Its class, or the Python force itself; None if they are only known by name."""
    table: str = ""
    """The name of its table; empty for a Python force."""
    ids: tuple[int, int] = (0, 0)
    """The id of its first row, and the one behind that of its last row."""
    several: frozenset[str] = frozenset()
    """The fields with one value per row."""
    attributes: dict[str, object] | None = None
    """What it keeps beside its rows, with places instead of handles; None if bytes could not contain it."""
    stuck_jets: tuple[tuple[int, float], ...] = ()
    """The jets that the allocator of a control loop does not command, with their levels."""


class PlainContent(NamedTuple):
    """Everything that determines the future of a world, without a handle of it."""

    exact_dt: float
    tick: int
    push_tick: int
    clock: ClockImage
    values: Values
    """The settings; of those that are missing, the world keeps its own."""
    names: tuple[str, ...]
    """The names of the bodies, in row order."""
    tables: dict[str, Rows]
    members: tuple[PlainMember, ...]
    functions: dict[str, tuple[AnyCallback, ...]]
    """The callbacks by the name of what registers them, with places instead of handles; functions known by name alone are None."""
    memory: dict[str, tuple[tuple[int, ...], type]]
    """Shape and type of the numbers under each name."""
    objects: dict[str, Stateful | None]
    """The attached objects by name; None for those that are only known by name."""
    states: dict[str, State]
    """The states of the attached objects."""
    joined: dict[str, int]
    mass_properties: tuple[MassProperties, ...] | None = None
    """None if they follow from the tables."""


# from the live form


def plain_of(content: Content, exact_dt: float) -> PlainContent:
    """The plain form of a content of a world; the functions and objects in it are those of the world."""
    inventory = content.inventory
    places = Places(inventory.roster.handles, (entry.member for entry in inventory.members))
    return PlainContent(
        exact_dt,
        content.tick,
        content.push_tick,
        content.clock,
        inventory.values,
        tuple(handle.name for handle in inventory.roster.handles),
        {
            table.schema.name: rows_of(table.schema, image)
            for table, image in zip(inventory.tables, content.images, strict=True)
            if len(image.rows.ids)
        },
        tuple(_plain_member(entry, places) for entry in inventory.members),
        {when: tuple(_plain_callback(each, places) for each in called) for when, called in inventory.functions.items()},
        {name: (rows.shape, np.dtype(rows.dtype).type) for name, rows in inventory.rows.items()},
        dict(inventory.objects),
        content.states,
        dict(inventory.joined),
        inventory.roster.mass_properties,
    )


def _plain_callback(callback: Callback | EventCallback, places: Places) -> Callback | EventCallback:
    """A callback with places instead of the body that it is about, and of the pairs of shapes that touched and are still there."""
    if isinstance(callback, Callback):
        return callback
    pairs = (pair for pair in callback.touching if all(id(shape) in places.memo for shape in pair))
    return replace(callback, body=places.placed(callback.body), touching=tuple(map(places.placed, pairs)))


def _plain_member(entry: MemberImage, places: Places) -> PlainMember:
    member = entry.member
    if not entry.table:
        return PlainMember(default_name(member), member)
    levels = getattr(getattr(member, "_allocator", None), "stuck_levels", ())
    assert isinstance(member, TableRows)
    attributes = places.all_placed(entry.attributes, type(member))
    ids = (entry.first_id, entry.last_id)
    return PlainMember(name_of(type(member)), type(member), entry.table, ids, entry.several, attributes, levels)


def rows_of(schema: Schema, image: Image) -> Rows:
    """The rows of an image of a table."""
    return Rows(image.rows.ids, image.rows.groups, image.rows.next_id, image.fields(schema), schema)


# to the objects of a world


def bind(owners: Owners, plain: PlainContent, missing: str, owner: str, is_copy: bool = False) -> Content:
    """Find or make the objects of a world that a plain content refers to, without changing the world.

    Args:
        owners: The owners of the parts of the world.
        plain: The content, which is that of a world if it comes from there, or has been checked (see `untrusted`).
        missing: "raise", or "drop" to leave out functions, Python forces and attached objects that the world lacks.
        owner: Who to name in errors.
        is_copy: Whether the world is new and gets the ids and the objects of the content.

    Raises:
        ValueError: If a function, force, part or attached object is not in the world, or the content does not fit the world.
    """
    return _Binding(owners, plain, missing == "drop", owner, is_copy).content()


class _Binding:
    def __init__(self, owners: Owners, plain: PlainContent, drops: bool, owner: str, is_copy: bool) -> None:
        self._owners, self._plain, self._tables = owners, plain, plain.tables
        self._drops, self._owner, self._is_copy = drops, owner, is_copy
        self._world, self._store, self._bodies = owners.store.world(), owners.store, owners.bodies
        self._schemas = {
            **BUILT_IN_SCHEMAS,
            **{name: rows.schema for name, rows in self._tables.items() if rows.schema is not None},
            **{table.schema.name: table.schema for table in self._store.tables.values()},
        }

    def content(self) -> Content:
        plain = self._plain
        bases = {name: table.next_id for name, table in self._store.tables.items()}
        # from the first id on, so that ids grow by no more than rows there are, however often bytes are restored
        self._base = {
            name: 0 if self._is_copy else bases.get(name, 0) - _first_id(rows) for name, rows in self._tables.items()
        }
        rows = self._memory()
        handles = self._handles()
        images = self._images()
        members, memo = self._members(handles, images)
        functions = {when: self._callbacks(when, memo) for when in FUNCTIONS}
        objects, states, joined = self._objects()
        values = self._values()
        for table in self._store.tables.values():
            if table not in images and not table.schema.name.startswith("memory.") and not table.schema.follows:
                images[table] = table.empty_image()
        # the bodies first, with whose columns those tables are matched that follow them
        tables = sorted(images, key=lambda table: table is not self._bodies)
        inventory = Inventory(
            tuple(tables),
            Roster(tuple(handles), plain.mass_properties or tuple(self._mass_properties(handles))),
            members,
            rows,
            objects,
            joined,
            values,
            **functions,
        )
        is_driven = any(name in self._tables for name in ("driven", "joints", "shapes"))
        return Content(
            inventory,
            tuple(images[table] for table in tables),
            states,
            self._clock(),
            plain.tick,
            plain.push_tick,
            plain.tick if is_driven else -1,
        )

    def _values(self) -> Values:
        """The settings, with the method of the world if it is the same."""
        values = {**self._owners.settings.values, **self._plain.values}
        method, own = values["integrator"], self._owners.settings["integrator"]
        if repr(method) == repr(own):  # then the loops of the world stay bound
            values["integrator"] = method = own
        check_together(values)
        if "driven" in self._tables:
            refuse_actuators(method, self._owner)
        if "joints" in self._tables or "shapes" in self._tables:
            refuse_joints(method, self._owner)
        if isinstance(method, Extrapolated):
            follow(method, self._bodies)
        return values

    # bodies

    def _handles(self) -> list[Body]:
        if "bodies" not in self._tables:
            return []
        ids = (self._tables["bodies"].ids + self._base["bodies"]).tolist()
        known = self._bodies.by_name
        return [
            known.get(name) or new_body(self._world, self._bodies, id, name)
            for id, name in zip(ids, self._plain.names, strict=True)
        ]

    def _mass_properties(self, handles: list[Body]) -> list[MassProperties]:
        if not handles:
            return []
        fields, names = self._tables["bodies"].fields, ("mass", "center_of_mass_body", "inertia_body")
        dry = np.concatenate([fields[name] for name in names])
        if "driven" in self._tables:
            driven = self._tables["driven"].fields
            dry[:, driven["body"][0].astype(int)] = np.concatenate([driven[f"dry_{name}"] for name in names])
        # bodies with the same numbers share them, those of the world first
        known = {
            (each.mass, *each.center_of_mass_body.tolist(), *each.inertia_body.ravel().tolist()): each
            for each in self._bodies.mass_properties
        }
        made: list[MassProperties] = []
        for row, numbers in enumerate(map(tuple, dry[[0, 1, 2, 3, *(4 + MATRIX_OF_SIX.ravel())]].T.tolist())):
            tensor = np.reshape(numbers[4:], (3, 3))
            if numbers not in known:
                with telling(f"{self._owner}: bodies[{row}] has no valid mass properties"):
                    known[numbers] = MassProperties(numbers[0], tensor, numbers[1:4], physical=False)
            made.append(known[numbers])
            if made[-1].is_singular:
                refuse(self._owner, f"bodies[{row}].inertia_body", tensor.tolist(), "an inertia about every axis")
        return made

    # tables

    def _images(self) -> dict[Table, Image]:
        """The images of the tables, in which the ids are new ones."""
        self._made_tables = {name: self._table(name) for name in self._tables}
        images: dict[Table, Image] = {}
        for name, rows in self._tables.items():
            table, base = self._made_tables[name], self._base[name]
            ids = RowsImage(rows.ids + base, rows.groups + base, base + rows.next_id, 0)
            images[table] = table.image_from(ids, whole_rows(table.schema, rows), rows.fields)
        return images

    def _table(self, name: str) -> Table:
        if name.startswith("memory."):
            rows = self._rows_of_memory.get(name.removeprefix("memory."))
            if rows is None:
                raise ValueError(f"{self._owner}: tables.{name} has no entry in memory")
            return rows._table
        found = self._store.tables.get(name)
        if found is not None:
            return found
        if name == HISTORY.name:
            return Follower(HISTORY, self._store, self._bodies.pitch)
        schema = self._schemas.get(name)
        if schema is None:
            raise ValueError(
                f"{self._owner}: the forces and parts of the table {name!r}, such as control loops and compiled forces, must be added to "
                "the world before the restore; this world has none of their kind"
            )
        return Table(schema, self._store)

    # forces, parts, functions, objects

    def _members(self, handles: list[Body], images: dict[Table, Image]) -> tuple[MembersImage, Memo]:
        """The entries of `ForceList.image`: members of the world where there are such, new ones otherwise; and what is at each place."""
        pool, plains = list(self._owners.forces.image()), self._plain.members
        ends = [*handles, None]  # the row of nobody is -1
        spans = [self._span(place, each, ends, images) if each.table else None for place, each in enumerate(plains)]
        chosen: list[MemberImage | None] = [None] * len(plains)
        # in the world of the snapshot those with the same rows, else those of the same bodies, else any that cannot be made anew
        for length in (4, 3, 2):
            for place, (plain, span) in enumerate(zip(plains, spans, strict=True)):
                can_be_made = plain.name in BUILT_IN and plain.attributes is not None
                if span is not None and chosen[place] is None and not (length == 2 and can_be_made):
                    wanted = (plain.table, plain.name, span.bodies, span.given)[:length]
                    chosen[place] = _take_first(pool, _traits, wanted)
        members = [
            self._made_member(place, plain, pool) if entry is None else entry.member
            for place, (plain, entry) in enumerate(zip(plains, chosen, strict=True))
        ]
        places, memo = Places(handles, members), resolving(handles, members, self._schemas)
        entries = []
        for place, (plain, span, member) in enumerate(zip(plains, spans, members, strict=True)):
            if span is not None:
                assert isinstance(member, TableRows)
                attributes = self._attributes(place, plain, member, chosen[place], memo, places)
                misfit = "" if self._is_copy else misfit_of(member, span.columns, span.bodies, dict(attributes))
                if misfit:
                    refuse(self._owner, f"members[{place}].class", plain.name, misfit)
                entries.append(MemberImage(member, span.first, span.last, span.bodies, attributes))
            elif member is not None:
                entries.append(MemberImage(member))
        return tuple(entries), memo

    def _made_member(self, place: int, plain: PlainMember, pool: list[MemberImage]) -> object:
        """A new force or part, or a Python force by its name."""
        if not plain.table:
            if self._is_copy:
                return plain.kind
            found = _take_first(pool, _traits, ("", plain.name))
            if found is None and not self._drops:
                self._refuse_missing("the Python force", plain.name, f"members[{place}]")
            return None if found is None else found.member
        kind = plain.kind or BUILT_IN.get(plain.name)
        if not (isinstance(kind, type) and issubclass(kind, TableRows)) or plain.attributes is None:
            self._refuse_missing("the force or part", plain.name, f"members[{place}]")
        return without_rows(kind, plain.several)

    def _span(self, place: int, plain: PlainMember, ends: list[Body | None], images: dict[Table, Image]) -> _Span:
        """The rows of a force or part, and the bodies that they refer to."""
        table, base = self._made_tables[plain.table], self._base[plain.table]
        image = images[table]
        given, last = plain.ids
        start, stop = np.searchsorted(image.rows.ids, (given + base, last + base)).tolist()
        if start == stop and not self._is_copy:
            refuse(self._owner, f"members[{place}].ids", list(plain.ids), "a span of ids with at least one row")
        rows = image.whole(table.schema.size)[:, start:stop]
        named = [
            [ends[int(row)] for row in rows[table.schema.row(field.name)]] for field in table.schema.body_references
        ]
        return _Span(given, given + base, last + base, tuple(zip(*named, strict=True)), rows)

    def _attributes(
        self, place: int, plain: PlainMember, member: TableRows, entry: MemberImage | None, memo: Memo, places: Places
    ) -> Attributes:
        """The attributes of a force or part beside its rows; a new one gets them, one of the world keeps what is already as recorded."""
        path = f"members[{place}].attributes"
        if entry is not None and plain.attributes is None:
            return self._with_stuck_jets(place, plain, entry)
        values: dict[str, object] = {}
        for key, value in (plain.attributes or {}).items():
            try:
                values[key] = copy.deepcopy(value, memo)
            except LookupError:
                refuse(self._owner, f"{path}.{key}", value, "the name of a table of this world")
        if not self._is_copy:
            check_attributes(type(member), values, self._owner, path, is_whole=entry is None)
        if entry is not None:
            now = encoded_attributes(places.all_placed(entry.attributes, type(member))) or {}
            encoded = encoded_attributes(plain.attributes or {}) or {}
            changed = {key: value for key, value in values.items() if key not in now or now[key] != encoded[key]}
            return tuple({**dict(entry.attributes), **changed}.items())
        for key, value in values.items():
            object.__setattr__(member, key, value)
        made = MemberImage(member)
        if made.table != plain.table:
            refuse(self._owner, f"members[{place}].table", plain.table, f"the table of {plain.name}, {made.table!r}")
        return attributes_of(member)  # with what belongs to one of them, such as an allocator that leaves out lost jets

    def _with_stuck_jets(self, place: int, plain: PlainMember, entry: MemberImage) -> Attributes:
        """The attributes of a control loop of the world, with an allocator that does not command the jets that a snapshot names."""
        levels, path = plain.stuck_jets, f"members[{place}].stuck_jets"
        allocator = dict(entry.attributes).get("_allocator")
        if levels == getattr(allocator, "stuck_levels", ()):
            return entry.attributes
        if not isinstance(allocator, ThrusterAllocator):
            refuse(self._owner, path, levels, f"left out for {entry.member!r}, whose actuators allocate no jets")
        jets = {jet for jet, _level in levels}
        if not all(jet < allocator.jet_count for jet in jets) or len(jets) == allocator.jet_count:
            rule = f"some, but not all, of the {allocator.jet_count} jets of {entry.member!r}"
            refuse(self._owner, path, levels, rule)
        changed = allocator._with_stuck(levels)
        return tuple((name, changed if name == "_allocator" else value) for name, value in entry.attributes)

    def _callbacks(self, when: str, memo: Memo) -> list[Any]:
        """The callbacks of one kind: those of the world where nothing about them differs."""
        on_tick, after_tick, on_joint = self._owners.stages.functions
        pool: list[AnyCallback] = list(on_joint)
        if when != "on_joint":
            pool = [*on_tick, *after_tick] if when == "on_tick" else [*after_tick, *on_tick]
        found: list[AnyCallback] = []
        for place, plain in enumerate(self._plain.functions[when]):
            if isinstance(plain, EventCallback):
                body, touching = copy.deepcopy((plain.body, plain.touching), memo)
                plain = replace(plain, body=body, touching=touching)
            if plain.function is not None and self._is_copy:
                found.append(plain)
                continue
            callback = _take_first(pool, _traits_of_callback, _traits_of_callback(plain))
            if callback is not None:
                made = replace(plain, function=callback.function)
                found.append(callback if made.is_like(callback) else made)
            elif not self._drops:
                self._refuse_missing(f"the function of {when}", plain.name, f"{when}[{place}]")
        return found

    def _objects(self) -> tuple[dict[str, Stateful], dict[str, State], dict[str, int]]:
        present: Mapping[str, Stateful | None] = self._plain.objects if self._is_copy else self._owners.memory.objects
        objects: dict[str, Stateful] = {}
        states: dict[str, State] = {}
        for name in self._plain.objects:
            if (known := present.get(name)) is not None:
                objects[name], states[name] = known, self._plain.states.get(name, {})
            elif not self._drops:
                self._refuse_missing("the attached object", name, f"objects.{name}")
        return objects, states, {name: number for name, number in self._plain.joined.items() if name in objects}

    def _memory(self) -> dict[str, MemoryRows]:
        present = self._owners.memory._contents[0]
        self._rows_of_memory: dict[str, MemoryRows] = {}
        for name, (shape, dtype) in self._plain.memory.items():
            rows = present.get(name)
            if rows is None or (rows.shape, np.dtype(rows.dtype).type) != (shape, dtype):
                rows = MemoryRows(name, Table(memory_schema(name, shape, dtype), self._store), shape, dtype)
            self._rows_of_memory[name] = rows
        return self._rows_of_memory

    def _refuse_missing(self, what: str, name: str, path: str) -> NoReturn:
        raise ValueError(
            f"{self._owner}: {path} refers to {what} {name}, which is not in this world; add it first, or pass "
            'missing="drop" to continue without the functions, Python forces and attached objects that are missing'
        )

    def _clock(self) -> ClockImage:
        """The clock of the content; for another length of a tick, the time owed is cut to less than a tick."""
        max_ticks, scale, tick, per_second, owed, dropped = self._plain.clock
        own = self._owners.clock.exact_dt
        if own == Fraction(tick, per_second):
            return self._plain.clock
        left, skipped = Fraction(owed, per_second) % own, Fraction(dropped, per_second)
        unit = math.lcm(own.denominator, left.denominator, skipped.denominator)
        return ClockImage(max_ticks, scale, int(own * unit), unit, int(left * unit), int(skipped * unit))


def _first_id(rows: Rows) -> int:
    """The smallest id that a record uses; the group of a row may have lost its first row."""
    return min(int(rows.ids.min()), int(rows.groups.min())) if len(rows.ids) else rows.next_id


class _Span(NamedTuple):
    """The rows of a force or part in a plain content."""

    given: int
    """The id of the first row in the world that was recorded."""
    first: int
    last: int
    bodies: tuple[tuple[BodyHandle | None, ...], ...]
    columns: FloatArray


def _traits(entry: MemberImage) -> tuple[object, ...]:
    """By what a force or part is found again, what matters most first."""
    if not entry.table:
        return "", default_name(entry.member)
    return entry.table, name_of(type(entry.member)), entry.bodies, entry.first_id


def _traits_of_callback(callback: Callback | EventCallback) -> tuple[object, ...]:
    return callback.name, getattr(callback, "event", "")


def _take_first(
    pool: list[Thing], traits: Callable[[Thing], tuple[object, ...]], wanted: tuple[object, ...]
) -> Thing | None:
    """Remove and return the first element whose traits begin with the wanted ones, or None."""
    for place, thing in enumerate(pool):
        if traits(thing)[: len(wanted)] == wanted:
            return pool.pop(place)
    return None


def whole_rows(schema: Schema, rows: Rows) -> FloatArray:
    """The content of a table with all components; fields that are not given have the values of new rows."""
    content: FloatArray = np.repeat(schema.rest, len(rows.ids), axis=1)
    for name, values in rows.fields.items():
        content[schema.components[name]] = values
    return content
