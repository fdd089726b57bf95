"""Snapshots as bytes: their format, and their binding to the objects of a world.

| bytes | content |
| --- | --- |
| 8 | `POLHODE` and a zero |
| 4 | version |
| 8 | length of everything |
| 32 | SHA-256 of everything behind these 32 bytes |
| 4 | length of the header |
| … | header: JSON in UTF-8, with the name, the fields and the number of rows of each table |
| … | for each table: ids, groups, then each field, component by component, as little-endian uint64 and float64 |

Reading runs no code, and allocates an array only after its length has been compared with that of the data.
"""

from __future__ import annotations

import hashlib
import math
import struct
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from ..body import new_body
from ..checks import FloatArray, refuse
from ..constraints.layout import TYPE
from ..flight.allocation import ThrusterAllocator
from ..integrators import Extrapolated
from ..joints.joint import Joint
from ..loops import layout
from ..plain import Plain, decoded_array, encoded_array, exact, to_text
from ..solids.mass_properties import MassProperties
from ..store.bodies import BODIES, HISTORY, Follower
from ..store.calling import Callback, default_name, refuse_shared_names
from ..store.images import BodiesImage, RowsImage, TableImage
from ..store.memory import MemoryRows, memory_schema
from ..store.rows import TableRows
from ..store.schema import NOBODY, Schema
from ..store.table import Table
from ..tick.actuators import refuse_actuators
from ..tick.force_list import attributes_of
from ..tick.joint_events import EVENTS, JointCallback
from ..tick.joints import refuse_joints
from .encoding import (
    built_in,
    built_in_schemas,
    check_attribute,
    decoded_attribute,
    encoded_attributes,
    name_of,
    own_slots,
)
from .settings import check_together, from_header, to_header

if TYPE_CHECKING:
    from ..world import World

VERSION = 1
_MAGIC = b"POLHODE\0"
_HEAD = struct.Struct("<8sIQ32s")
_LENGTH = struct.Struct("<I")
_OWNER = "Snapshot.from_bytes"
_LEFT_OUT = frozenset(
    name
    for name in BODIES.by_name
    if not (
        BODIES.row(name) < layout.PREVIOUS + layout.VELOCITY
        or layout.MASS <= BODIES.row(name) < layout.STORED_MOMENTUM + 3
    )
)
"""The fields of bodies that kernels compute anew."""
_PREVIOUS_RATES = frozenset(("previous_velocity", "previous_angular_velocity_body"))
"""Those of them that are kept for accelerometers."""


class Rows(NamedTuple):
    """A table in a record: its rows, and its fields as components."""

    ids: Any
    groups: Any
    next_id: int
    fields: dict[str, FloatArray]


class Record(NamedTuple):
    """The content of a snapshot without reference to objects: a header of plain data, and the tables by name."""

    header: Plain
    tables: dict[str, Rows]


# from a snapshot to bytes


def record_of(snapshot: Any) -> Record:
    """The record of a snapshot of a world."""
    setting, owner = snapshot._setting, "Snapshot.to_bytes"
    refuse_shared_names((*setting.on_tick, *setting.after_tick, *setting.on_joint), owner)
    roster, images = setting.roster, dict(zip((t.schema.name for t in setting.tables), snapshot._images, strict=True))
    schemas = {table.schema.name: table.schema for table in setting.tables}
    rows_of_bodies = {id(handle): row for row, handle in enumerate(roster.handles)}
    places = {id(entry[0]): place for place, entry in enumerate(setting.members)}
    members = []
    for member, first_id, last_id, *_others in setting.members:
        if isinstance(member, TableRows):
            members.append(
                {
                    "class": name_of(type(member)),
                    "table": member._schema.name,
                    "ids": [first_id, last_id],
                    "several": sorted(member._several),
                    "attributes": encoded_attributes(member, rows_of_bodies, places),
                    **_stuck_jets(member),
                }
            )
        else:
            members.append({"called": default_name(member)})
    tables = {name: _rows_of(schemas[name], image) for name, image in images.items() if len(image.rows.ids)}
    max_ticks, time_scale, *units = snapshot._clock
    header = {
        "dt": exact(snapshot._exact_dt),
        "tick_count": snapshot._tick,
        "clock": [max_ticks, exact(time_scale), *map(hex, units)],
        **to_header(setting.values, owner),
        "push_tick": snapshot._push_tick,
        "bodies": [handle.name for handle in roster.handles],
        "members": members,
        "on_tick": [[callback.name, callback.every] for callback in setting.on_tick],
        "after_tick": [[callback.name, callback.every] for callback in setting.after_tick],
        "on_joint": [[callback.name, callback.event] for callback in setting.on_joint],
        "memory": {name: [list(rows.shape), np.dtype(rows.dtype).name] for name, rows in setting.rows.items()},
        "objects": {name: _encoded_state(state) for name, state in snapshot._states.items()},
        "joined": setting.joined,
        "tables": [
            {
                "name": name,
                "rows": len(rows.ids),
                "next_id": rows.next_id,
                "fields": [[field, len(values)] for field, values in rows.fields.items()],
            }
            for name, rows in tables.items()
        ],
    }
    return Record(Plain(header, _OWNER), tables)


def _rows_of(schema: Schema, image: Any) -> Rows:
    rows, whole = image.rows, image.whole(schema.size)
    left_out: frozenset[str] = frozenset()
    if isinstance(image, BodiesImage):
        left_out = _LEFT_OUT if image.rates is None else _LEFT_OUT - _PREVIOUS_RATES
    fields = {name: whole[span] for name, span in schema.components.items() if name not in left_out}
    return Rows(rows.ids, rows.groups, rows.next_id, fields)


def to_bytes(record: Record) -> bytes:
    """The bytes of a record."""
    header = to_text(record.header.value)
    parts = [_LENGTH.pack(len(header)), header]
    for rows in record.tables.values():
        parts += [np.asarray(rows.ids).astype("<u8").tobytes(), np.asarray(rows.groups).astype("<u8").tobytes()]
        parts += [np.ascontiguousarray(values).astype("<f8", copy=False).tobytes() for values in rows.fields.values()]
    body = b"".join(parts)
    return _HEAD.pack(_MAGIC, VERSION, _HEAD.size + len(body), hashlib.sha256(body).digest()) + body


def first_difference(one: Record, other: Record) -> str:
    """Where two records first differ, as body and field, or as table, field and row; empty if they do not."""
    names = one.header["bodies"].value
    if names != other.header["bodies"].value:
        return "the list of bodies"
    for name in sorted(one.tables.keys() | other.tables.keys(), key=lambda name: (name != "bodies", name)):
        mine, theirs = one.tables.get(name), other.tables.get(name)
        if mine is None or theirs is None or len(mine.ids) != len(theirs.ids):
            return f"the number of {name}"
        for field, values in mine.fields.items():
            others = theirs.fields.get(field)
            if others is None or np.shape(others) != np.shape(values):
                return f"{name}.{field}"
            # bit by bit
            differs = (
                np.ascontiguousarray(values).view(np.uint64) != np.ascontiguousarray(others).view(np.uint64)
            ).any(axis=0)
            if differs.any():
                row = int(np.flatnonzero(differs)[0])
                what = f"{field} of body {names[row]!r}" if name == "bodies" else f"{name}.{field} in row {row}"
                return f"{what}, {values[:, row].tolist()} here and {others[:, row].tolist()} there"
    return ""


def _encoded_state(state: dict[str, Any]) -> dict[str, Any]:
    encoded: dict[str, Any] = {}
    for key, value in state.items():
        if isinstance(value, np.ndarray):
            encoded[key] = {"array": encoded_array(value)}
        elif isinstance(value, bytes):
            encoded[key] = {"bytes": value.hex()}
        elif isinstance(value, np.generic):
            encoded[key] = {"scalar": encoded_array(value)}
        elif isinstance(value, float):
            encoded[key] = {"float": value.hex()}
        else:
            encoded[key] = {"bool": value} if isinstance(value, bool) else {"int": hex(value)}
    return encoded


def _decoded_state(plain: Plain) -> dict[str, Any]:
    return {key: _decoded_value(value) for key, value in plain.items()}


def _decoded_value(plain: Plain) -> Any:
    for key, read in _READERS.items():
        if isinstance(plain.value, dict) and list(plain.value) == [key]:
            return read(plain[key])
    plain.refuse(f"an object with one of the keys {', '.join(_READERS)}")


def _read_bytes(plain: Plain) -> bytes:
    try:
        return bytes.fromhex(plain.text())
    except ValueError:
        plain.refuse("hexadecimal digits")


def _read_float(plain: Plain) -> float:
    try:
        return float.fromhex(plain.text())
    except (ValueError, OverflowError):
        plain.refuse("a float in hexadecimal")


_READERS = {
    "array": decoded_array,
    "bytes": _read_bytes,
    "scalar": lambda plain: decoded_array(plain)[()],
    "float": _read_float,
    "bool": Plain.boolean,
    "int": Plain.whole,
}


# from bytes to a record


def read(data: Any) -> Record:
    """Check bytes and return their record, which refers to no world.

    Raises:
        TypeError: If `data` is not bytes.
        ValueError: If `data` is not a whole snapshot of a version that this program can read.
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        refuse(_OWNER, "data", data, "bytes", TypeError)
    content = bytes(data)
    if len(content) < _HEAD.size + _LENGTH.size:
        refuse(_OWNER, "data", content, f"at least {_HEAD.size + _LENGTH.size} bytes")
    magic, version, length, digest = _HEAD.unpack_from(content)
    if magic != _MAGIC:
        refuse(_OWNER, "data", content, f"a snapshot, which begins with {_MAGIC!r}")
    if not 1 <= version <= VERSION:
        refuse(_OWNER, "the version", version, f"from 1 to {VERSION}")
    if length != len(content):
        refuse(_OWNER, "the length", len(content), f"{length} bytes, as its header says")
    body = memoryview(content)[_HEAD.size :]
    if hashlib.sha256(body).digest() != digest:
        raise ValueError(f"{_OWNER}: the content is damaged; its SHA-256 is not the one in its header")
    (header_length,) = _LENGTH.unpack_from(body)
    if header_length > len(body) - _LENGTH.size:
        refuse(_OWNER, "the length of the header", header_length, f"at most {len(body) - _LENGTH.size}")
    header = Plain.of_text(bytes(body[_LENGTH.size : _LENGTH.size + header_length]), _OWNER)
    tables = _read_tables(header, body[_LENGTH.size + header_length :])
    _check_header(header, tables)
    return Record(header, tables)


def _read_tables(header: Plain, data: memoryview) -> dict[str, Rows]:
    layouts: list[tuple[Plain, str, int, int, list[tuple[str, int]]]] = []
    for plain in header["tables"].list():
        name, count, next_id = plain["name"].text(), plain["rows"].integer(1), plain["next_id"].integer(1)
        fields = [(pair[0].text(), pair[1].integer(1)) for pair in (field.list(2) for field in plain["fields"].list())]
        if name in [other[1] for other in layouts]:
            plain["name"].refuse("a name that no other table has")
        if len({field for field, _size in fields}) != len(fields):
            plain["fields"].refuse("fields with different names")
        layouts.append((plain, name, count, next_id, fields))
    wanted = sum(
        8 * count * (2 + sum(size for _name, size in fields)) for _plain, _name, count, _next, fields in layouts
    )
    if wanted != len(data):
        refuse(_OWNER, "the length of the tables", len(data), f"{wanted} bytes, as the header says")
    tables, offset = {}, 0
    for plain, name, count, next_id, fields in layouts:
        ids, groups = np.frombuffer(data, "<u8", 2 * count, offset).astype(np.int64).reshape(2, count)
        offset += 16 * count
        if (ids < 0).any() or (np.diff(ids) <= 0).any() or ids[-1] >= next_id:
            plain["next_id"].refuse("above all ids, which ascend")
        if (groups < 0).any() or (groups > ids).any():
            plain["rows"].refuse("rows whose groups begin before them")
        values = {}
        for field, size in fields:
            values[field] = np.frombuffer(data, "<f8", size * count, offset).astype(np.float64).reshape(size, count)
            offset += 8 * size * count
        tables[name] = Rows(ids, groups, next_id, values)
    return tables


def _check_header(header: Plain, tables: dict[str, Rows]) -> None:
    """Check everything in a header that does not depend on a world."""
    names = [name.text() for name in header["bodies"].list()]
    if len(set(names)) != len(names):
        header["bodies"].refuse("names of which no two are equal")
    count = len(tables["bodies"].ids) if "bodies" in tables else 0
    if len(names) != count:
        header["bodies"].refuse(f"a list of {count} names")
    dt = header["dt"].exact()
    if not dt > 0:
        header["dt"].refuse("above 0")
    header["tick_count"].integer()
    header["push_tick"].integer(-1)
    from_header(header)
    _read_clock(header["clock"], dt)
    for key in ("on_tick", "after_tick"):
        for pair in header[key].list():
            name, every = pair.list(2)
            name.text()
            every.integer(1)
    for pair in header.get("on_joint", []).list():
        name, event = pair.list(2)
        name.text()
        if event.text() not in EVENTS:
            event.refuse(f"one of {', '.join(EVENTS)}")
    for _name, shape_and_kind in header["memory"].items():
        shape, kind = shape_and_kind.list(2)
        for size in shape.list():
            size.integer(1)
        if kind.text() not in ("float64", "uint64"):
            kind.refuse("float64 or uint64")
    for _name, state in header["objects"].items():
        _decoded_state(state)
    for joined, number in header["joined"].items():
        number.integer(1)
        if joined not in header["objects"]:
            number.refuse("the number of an attached object")
    for member in header["members"].list():
        if "called" in member.value if isinstance(member.value, dict) else False:
            member["called"].text()
            continue
        member["class"].text()
        first, last = (id.integer() for id in member["ids"].list(2))
        table = member["table"].text()
        if not 0 <= first < last or table not in tables:
            member["ids"].refuse("a span of ids of rows that the snapshot has")
        for field in member["several"].list():
            if field.text() not in tables[table].fields:
                field.refuse("a field of its table")
        if member["attributes"].value is not None:
            _ = list(member["attributes"].items())
        if "stuck_jets" in member:
            for pair in member["stuck_jets"].list():
                jet, level = pair.list(2)
                jet.integer()
                if not 0.0 <= level.number() <= 1.0:
                    level.refuse("a share of full thrust from 0 to 1")
    _check_references(header, tables)


def _stuck_jets(member: TableRows) -> dict[str, Any]:
    """The jets that the allocator of a control loop does not command, with their levels."""
    levels = getattr(getattr(member, "_allocator", None), "stuck_levels", ())
    return {"stuck_jets": levels} if levels else {}


def _with_stuck_jets(plain: Plain, member: TableRows) -> tuple[tuple[str, Any], ...]:
    """The attributes of a control loop of the world, with an allocator that does not command the jets that a snapshot names."""
    attributes = attributes_of(member)
    allocator = dict(attributes).get("_allocator")
    levels = [(jet.value, level.value) for jet, level in (pair.list(2) for pair in plain.get("stuck_jets", []).list())]
    if not isinstance(allocator, ThrusterAllocator):
        if levels:
            plain["stuck_jets"].refuse(f"left out for {member!r}, whose actuators allocate no jets")
        return attributes
    if tuple(levels) == allocator.stuck_levels:
        return attributes
    jets = {jet for jet, _level in levels}
    if not all(jet < allocator.jet_count for jet in jets) or len(jets) == allocator.jet_count:
        plain["stuck_jets"].refuse(f"some, but not all, of the {allocator.jet_count} jets of {member!r}")
    changed = allocator._with_stuck(levels)
    return tuple((name, changed if name == "_allocator" else value) for name, value in attributes)


def _check_references(header: Plain, tables: dict[str, Rows]) -> None:
    """Check that the rows in a snapshot refer to rows that it has."""
    for name, rows in tables.items():
        schema = built_in_schemas().get(name)
        if schema is None and "body" in rows.fields:
            _check_reference(header, name, "body", rows.fields["body"], tables.get("bodies"))
        for field in schema.references if schema is not None else ():
            if field.name in rows.fields:
                _check_reference(header, name, field.name, rows.fields[field.name], tables.get(field.refers_to))


def _check_reference(header: Plain, table: str, field: str, values: FloatArray, target: Rows | None) -> None:
    count = 0 if target is None else len(target.ids)
    if not ((values >= NOBODY) & (values < count) & (values == np.floor(values))).all():
        refuse(header.owner, f"tables.{table}.{field}", values.ravel().tolist(), f"rows from -1 to {count - 1}")


def _read_clock(plain: Plain, dt: Any) -> tuple[Any, ...]:
    parts = plain.list(6)
    max_ticks, scale = parts[0].integer(1), parts[1].exact()
    tick, per_second, owed, dropped = (part.whole() for part in parts[2:])
    if not (scale >= 0 and tick > 0 and per_second > 0 and 0 <= owed < tick and dropped >= 0):
        plain.refuse("the state of a clock, with less than a tick owed")
    if Fraction(tick, per_second) != Fraction(dt):
        plain.refuse("the state of a clock of this dt")
    return max_ticks, scale, tick, per_second, owed, dropped


# from a record to the objects of a world


class Bound(NamedTuple):
    """What `bind` has found for a record in a world; the fields of a live snapshot."""

    setting: tuple[Any, ...]
    images: tuple[Any, ...]
    states: dict[str, Any]
    clock: tuple[Any, ...]


def bind(world: World, record: Record, missing: str, owner: str) -> Bound:
    """Find or make the objects of a world that a record refers to by name, without changing the world.

    Raises:
        ValueError: If a function, force, part or attached object is not in the world, or the record does not fit the world.
    """
    return _Binding(world, record, missing, owner).bound()


class _Binding:
    def __init__(self, world: World, record: Record, missing: str, owner: str) -> None:
        self._world, self._header, self._tables = world, Plain(record.header.value, owner), record.tables
        self._drops, self._owner = missing == "drop", owner
        self._store = world._store
        self._schemas = {
            **built_in_schemas(),
            **{table.schema.name: table.schema for table in self._store.tables.values()},
        }

    def bound(self) -> Bound:
        header, world = self._header, self._world
        bases = {name: table._next_id for name, table in self._store.tables.items()}
        # from the first id of the record on, so that ids grow by no more than rows there are, however often it is restored
        self._base = {name: bases.get(name, 0) - _first_id(rows) for name, rows in self._tables.items()}
        rows = self._memory()
        handles = self._bodies()
        images = self._images()
        members = self._members(handles, images)
        on_tick, after_tick = self._callbacks("on_tick"), self._callbacks("after_tick")
        objects, states, joined = self._objects()
        values = {**world._settings.values, **from_header(header)}
        method = values["integrator"]
        if repr(method) == repr(world.integrator):
            values["integrator"] = method = world.integrator
        check_together(values)
        if "driven" in self._tables:
            refuse_actuators(method, self._owner)
        if "joints" in self._tables:
            refuse_joints(method, self._owner)
        if isinstance(method, Extrapolated):
            method.follow(world._bodies)
        tables = list(images)
        for table in self._store.tables.values():
            if table not in images and not table.schema.name.startswith("memory.") and not table.schema.follows:
                nobody = np.zeros(0, np.int64)
                none = RowsImage(nobody, nobody, table._next_id, 0)
                images[table] = (
                    BodiesImage(none, np.zeros((20, 0)), None, np.zeros((23, 0)))
                    if table is world._bodies
                    else TableImage(none, np.zeros((table.schema.size, 0)))
                )
                tables.append(table)
        tables.sort(key=lambda table: table is not world._bodies)
        setting = (
            tuple(tables),
            (tuple(handles), tuple(self._mass_properties(handles))),
            members,
            rows,
            objects,
            joined,
            values,
            on_tick,
            after_tick,
            self._joint_callbacks(),
        )
        return Bound(setting, tuple(images[table] for table in tables), states, self._clock())

    # bodies

    def _bodies(self) -> list[Any]:
        world = self._world
        if "bodies" not in self._tables:
            return []
        ids = (self._tables["bodies"].ids + self._base["bodies"]).tolist()
        names = self._header["bodies"].value
        return [
            world._names.get(name) or new_body(world, world._bodies, id, name)
            for id, name in zip(ids, names, strict=True)
        ]

    def _mass_properties(self, handles: list[Any]) -> list[MassProperties]:
        if not handles:
            return []
        known = dict(zip(map(id, self._world._bodies.handles), self._world._bodies.mass_properties, strict=True))
        fields = self._tables["bodies"].fields
        dry = [fields[name].copy() for name in ("mass", "center_of_mass_body", "inertia_body")]
        if "driven" in self._tables:
            driven = self._tables["driven"].fields
            columns = driven["body"][0].astype(int)
            for whole, name in zip(dry, ("dry_mass", "dry_center_of_mass_body", "dry_inertia_body"), strict=True):
                whole[:, columns] = driven[name]
        made: list[MassProperties] = []
        last: tuple[Any, MassProperties] | None = None
        for row, handle in enumerate(handles):
            numbers = [values[:, row].tolist() for values in dry]
            own = known.get(id(handle))
            if last is not None and last[0] == numbers:
                made.append(last[1])
                continue
            (mass,), center, (xx, yy, zz, xy, xz, yz) = numbers
            tensor = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
            if own is not None and [own.mass, own.center_of_mass_body.tolist(), own.inertia_body.tolist()] == [
                mass,
                center,
                tensor,
            ]:
                made.append(own)
            else:
                try:
                    made.append(MassProperties(mass, tensor, center, physical=False))
                except (TypeError, ValueError) as error:
                    raise ValueError(f"{self._owner}: bodies[{row}] has no valid mass properties; {error}") from None
            last = (numbers, made[-1])
        return made

    # tables

    def _images(self) -> dict[Table, Any]:
        """The images of the tables, in which the ids are new ones."""
        images: dict[Table, Any] = {}
        for name, rows in self._tables.items():
            table, base = self._table(name), self._base[name]
            content = self._content(table.schema, rows)
            ids = RowsImage(rows.ids + base, rows.groups + base, base + rows.next_id, 0)
            if name == "bodies":
                stored = content[layout.STORED_MOMENTUM : layout.STORED_MOMENTUM + 3].copy()
                images[table] = BodiesImage(
                    ids,
                    content[: layout.PREVIOUS + layout.VELOCITY].copy(),
                    stored if stored.any() else None,
                    content[layout.MASS : layout.PRINCIPAL_AXES + 3].copy(),
                    _previous_rates(rows, content),
                )
            else:
                images[table] = TableImage(ids, content)
        return images

    def _table(self, name: str) -> Table:
        found = self._store.tables.get(name)
        if name.startswith("memory."):
            rows = self._rows_of_memory.get(name.removeprefix("memory."))
            if rows is None:
                raise ValueError(f"{self._owner}: tables.{name} has no entry in memory")
            return rows._table
        if found is not None:
            return found
        if name == HISTORY.name:
            return Follower(HISTORY, self._store, self._world._bodies.pitch)
        schema = self._schemas.get(name)
        if schema is None:
            raise ValueError(
                f"{self._owner}: the forces and parts of the table {name!r}, such as control loops and compiled forces, must be added to "
                "the world before the restore; this world has none of their kind"
            )
        return Table(schema, self._store)

    def _content(self, schema: Schema, rows: Rows) -> FloatArray:
        count = len(rows.ids)
        content = np.repeat(schema.rest, count, axis=1)
        for name, values in rows.fields.items():
            field = schema.by_name.get(name)
            if field is None or field.size != len(values):
                raise ValueError(
                    f"{self._owner}: tables.{schema.name}.{name} with {len(values)} components must be a field of the table; "
                    f"its fields are {', '.join(schema.by_name)}"
                )
            # a field whose rest is infinite or nan has no limit there, or no value
            allowed = np.isfinite(values)
            if np.isinf(schema.rest[schema.components[name]]).any():
                allowed |= np.isinf(values)
            if np.isnan(schema.rest[schema.components[name]]).any():
                allowed |= np.isnan(values)
            if field.dtype is np.float64 and not allowed.all():
                raise ValueError(f"{self._owner}: tables.{schema.name}.{name} must be finite")
            content[schema.components[name]] = values
        for field in schema.references:
            target = self._tables.get(field.refers_to)
            _check_reference(self._header, schema.name, field.name, content[schema.row(field.name)], target)
        return content

    # forces, parts, functions, objects

    def _members(self, handles: list[Any], images: dict[Table, Any]) -> Any:
        """The entries of `ForceList.image`: members of the world where there are such, new ones otherwise."""
        pool = list(self._world._forces.members)
        plains = self._header["members"].list()
        spans = [None if "called" in plain else self._span(plain, handles, images) for plain in plains]
        chosen: list[Any] = [None] * len(plains)
        # in the world of the snapshot those with the same rows, else those of the same bodies, else any that cannot be made anew
        for is_same in (_has_these_ids, _has_these_bodies, _is_any):
            for place, (plain, span) in enumerate(zip(plains, spans, strict=True)):
                if span is not None and chosen[place] is None:
                    kind = plain["class"].text(), plain["table"].text()
                    if is_same is _is_any and kind[0] in built_in() and plain["attributes"].value is not None:
                        continue
                    chosen[place] = _take_first(
                        pool, lambda m, k=kind, s=span, fits=is_same: _kind_of(m) == k and fits(m, s)
                    )
        present = {id(member) for member in chosen}
        for place, plain in enumerate(plains):
            if "called" in plain:
                name = plain["called"].text()
                found = _take_first(pool, lambda m, n=name: not isinstance(m, TableRows) and default_name(m) == n)
                if found is None and not self._drops:
                    self._refuse_missing("the Python force", name, plain)
                chosen[place] = found
            elif chosen[place] is None:
                name = plain["class"].text()
                made = built_in().get(name)
                if made is None or plain["attributes"].value is None:
                    self._refuse_missing("the force or part", name, plain)
                chosen[place] = object.__new__(made)
        entries: list[tuple[Any, ...]] = []
        for plain, span, member in zip(plains, spans, chosen, strict=True):
            if span is not None:
                if isinstance(member, Joint):
                    _check_joint(plain, member, span)
                attributes = self._attributes(plain, member, handles, chosen, id(member) in present)
                entries.append((member, span.first, span.last, span.bodies, attributes))
            elif member is not None:
                entries.append((member, 0, 0, (), ()))
        return tuple(entries)

    def _span(self, plain: Plain, handles: list[Any], images: dict[Table, Any]) -> _Span:
        """The rows of a force or part, and the bodies that they refer to."""
        name = plain["table"].text()
        table = next(table for table in images if table.schema.name == name)
        base, image = self._base[name], images[table]
        given, last = (id.integer() for id in plain["ids"].list(2))
        start, stop = np.searchsorted(image.rows.ids, (given + base, last + base)).tolist()
        if start == stop:
            plain["ids"].refuse("a span of ids with at least one row")
        columns = [
            image.content[table.schema.row(field.name), start:stop].astype(int).tolist()
            for field in table.schema.body_references
        ]
        named = tuple(
            tuple(None if row == NOBODY else handles[row] for row in each) for each in zip(*columns, strict=True)
        )
        return _Span(given, given + base, last + base, named, image.content[:, start])

    def _attributes(
        self, plain: Plain, member: TableRows, handles: list[Any], members: list[Any], is_present: bool
    ) -> tuple[tuple[str, Any], ...]:
        """The attributes of a force or part beside its rows; a new one gets them, one of the world keeps what is already as recorded."""
        if is_present and plain["attributes"].value is None:
            return _with_stuck_jets(plain, member)
        wanted = own_slots(type(member))
        now: dict[str, Any] = {}
        if is_present:
            rows = {id(handle): row for row, handle in enumerate(handles)}
            now = encoded_attributes(member, rows, {id(each): place for place, each in enumerate(members)}) or {}
        given = dict(attributes_of(member)) if is_present else {}
        for key, value in plain["attributes"].items():
            if key not in wanted:
                value.refuse(f"an attribute of {plain['class'].value}, which has {', '.join(wanted) or 'none'}")
            decoded = decoded_attribute(value, handles, members, self._schemas)
            check_attribute(key, decoded, value)
            if key not in now or now[key] != value.value:
                given[key] = decoded
            if not is_present:
                object.__setattr__(member, key, given[key])
        if is_present:
            return tuple(given.items())
        for key in wanted:
            if not hasattr(member, key):
                plain["attributes"].refuse(f"an object with the keys {', '.join(wanted)}")
        member._several = frozenset(field.text() for field in plain["several"].list())
        if member._schema.name != plain["table"].text():
            plain["table"].refuse(f"the table of {plain['class'].value}, {member._schema.name!r}")
        return attributes_of(member)

    def _callbacks(self, when: str) -> list[Callback]:
        stages = self._world._stages
        pool = [*getattr(stages, when), *(stages.after_tick if when == "on_tick" else stages.on_tick)]
        found = []
        for plain in self._header[when].list():
            name, every = plain.value
            callback = _take_first(pool, lambda other, n=name: other.name == n)
            if callback is not None:
                found.append(callback if callback.every == every else Callback(callback.function, every, name))
            elif not self._drops:
                self._refuse_missing(f"the function of {when}", name, plain)
        return found

    def _joint_callbacks(self) -> list[JointCallback]:
        pool = list(self._world._stages.joint_events.functions)
        found = []
        for plain in self._header.get("on_joint", []).list():
            name, event = plain.value
            callback = _take_first(pool, lambda other, n=name, e=event: (other.name, other.event) == (n, e))
            if callback is not None:
                found.append(callback)
            elif not self._drops:
                self._refuse_missing("the function of on_joint", name, plain)
        return found

    def _objects(self) -> tuple[dict[str, Any], dict[str, Any], dict[str, int]]:
        present = self._world._memory.objects
        objects, states = {}, {}
        for name, plain in self._header["objects"].items():
            if name in present:
                objects[name], states[name] = present[name], _decoded_state(plain)
            elif not self._drops:
                self._refuse_missing("the attached object", name, plain)
        joined = {name: number for name, number in self._header["joined"].value.items() if name in objects}
        return objects, states, joined

    def _memory(self) -> dict[str, MemoryRows]:
        present = self._world._memory._contents[0]
        self._rows_of_memory: dict[str, MemoryRows] = {}
        for name, plain in self._header["memory"].items():
            sizes, kind = plain.list(2)
            shape, dtype = tuple(size.integer(1) for size in sizes.list()), np.dtype(kind.text()).type
            rows = present.get(name)
            if f"memory.{name}" not in self._tables:
                plain.refuse("memory whose table is in the snapshot")
            if rows is None or (rows.shape, np.dtype(rows.dtype).type) != (shape, dtype):
                if math.prod(shape) != sum(map(len, self._tables[f"memory.{name}"].fields.values())):
                    plain.refuse("the shape of the numbers in the snapshot")
                rows = MemoryRows(name, Table(memory_schema(name, shape, dtype), self._store), shape, dtype)
            self._rows_of_memory[name] = rows
        return self._rows_of_memory

    def _refuse_missing(self, what: str, name: str, plain: Plain) -> NoReturn:
        raise ValueError(
            f"{self._owner}: {plain.path} refers to {what} {name}, which is not in this world; add it first, or pass "
            'missing="drop" to continue without the functions, Python forces and attached objects that are missing'
        )

    def _clock(self) -> tuple[Any, ...]:
        """The clock of the record; for another length of a tick, the time owed is cut to less than a tick."""
        header = self._header
        dt = header["dt"].exact()
        max_ticks, scale, tick, per_second, owed, dropped = _read_clock(header["clock"], dt)
        own = self._world._clock.exact_dt
        if own == Fraction(dt):
            return max_ticks, scale, tick, per_second, owed, dropped
        left, skipped = Fraction(owed, per_second) % own, Fraction(dropped, per_second)
        unit = math.lcm(own.denominator, left.denominator, skipped.denominator)
        return max_ticks, scale, int(own * unit), unit, int(left * unit), int(skipped * unit)


def _first_id(rows: Rows) -> int:
    """The smallest id that a record uses; the group of a row may have lost its first row."""
    return min(int(rows.ids.min()), int(rows.groups.min())) if len(rows.ids) else rows.next_id


def _previous_rates(rows: Rows, content: FloatArray) -> tuple[npt.NDArray[np.int64], FloatArray] | None:
    """The columns of bodies and their velocities one tick earlier, if a record has them."""
    if not _PREVIOUS_RATES <= rows.fields.keys():
        return None
    rates = content[layout.PREVIOUS + layout.VELOCITY : layout.PREVIOUS + layout.STATE_ROWS].copy()
    return np.arange(rates.shape[1]), rates


class _Span(NamedTuple):
    """The rows of a force or part in a record."""

    given: int
    """The id of the first row in the world that was recorded."""
    first: int
    last: int
    bodies: tuple[tuple[Any, ...], ...]
    column: FloatArray
    """The components of the first row."""


def _check_joint(plain: Plain, joint: Joint, span: _Span) -> None:
    """Reject a joint of a type that its class does not have, or between a body and itself, from which kernels would read beyond arrays."""
    if span.column[TYPE] not in joint._types:
        plain["class"].refuse(f"a class of joints of the type {span.column[TYPE]:g} in its table")
    if span.bodies[0][0] is span.bodies[0][1]:
        plain["ids"].refuse("the rows of a joint between two bodies, or a body and the world")


def _kind_of(member: Any) -> tuple[str, str] | None:
    return (name_of(type(member)), member._schema.name) if isinstance(member, TableRows) else None


def _has_these_ids(member: TableRows, span: _Span) -> bool:
    return member._first_id == span.given and member._bodies == span.bodies


def _has_these_bodies(member: TableRows, span: _Span) -> bool:
    return member._bodies == span.bodies


def _is_any(member: TableRows, span: _Span) -> bool:
    return True


def _take_first(pool: list[Any], fits: Any) -> Any:
    """Remove and return the first element that fits, or None."""
    for place, thing in enumerate(pool):
        if fits(thing):
            return pool.pop(place)
    return None
