"""Snapshots as bytes: their format, and what they must be whoever wrote them.

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
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import refuse
from ..clock import ClockImage
from ..plain import Plain, PlainData, PlainObject, decoded_array, encoded_array, exact, to_text
from ..store.calling import AnyCallback, Callback, EventCallback
from ..store.memory import MOST_NUMBERS, MOST_SIZES
from ..store.objects import State, StateValue
from ..tick.contact_events import CONTACT_EVENTS
from ..tick.joint_events import EVENTS
from .content import FUNCTIONS
from .encoding import BUILT_IN_SCHEMAS, Place, decoded_attribute, encoded_attributes
from .plain_content import PlainContent, PlainMember, Rows
from .settings import from_header, to_header
from .untrusted import check_rows

VERSION = 1
_MAGIC = b"POLHODE\0"
_HEAD = struct.Struct("<8sIQ32s")
_LENGTH = struct.Struct("<I")
_OWNER = "Snapshot.from_bytes"


# to bytes


def to_bytes(plain: PlainContent) -> bytes:
    """The bytes of a content.

    Raises:
        ValueError: If the method of the world is not one of `engine.integrators`.
    """
    header = to_text(_header_of(plain, "Snapshot.to_bytes"))
    parts = [_LENGTH.pack(len(header)), header]
    for rows in plain.tables.values():
        parts += [np.asarray(rows.ids).astype("<u8").tobytes(), np.asarray(rows.groups).astype("<u8").tobytes()]
        parts += [np.ascontiguousarray(values).astype("<f8", copy=False).tobytes() for values in rows.fields.values()]
    body = b"".join(parts)
    return _HEAD.pack(_MAGIC, VERSION, _HEAD.size + len(body), hashlib.sha256(body).digest()) + body


def _header_of(plain: PlainContent, owner: str) -> PlainObject:
    max_ticks, time_scale, *units = plain.clock
    return {
        "dt": exact(plain.exact_dt),
        "tick_count": plain.tick,
        "clock": [max_ticks, exact(time_scale), *map(hex, units)],
        **to_header(plain.values, owner),
        "push_tick": plain.push_tick,
        "bodies": list(plain.names),
        "members": [_member_to_header(member) for member in plain.members],
        **{when: [[each.name, _when_to_header(each)] for each in plain.functions[when]] for when in FUNCTIONS},
        "memory": {name: [list(shape), np.dtype(dtype).name] for name, (shape, dtype) in plain.memory.items()},
        "objects": {name: _encoded_state(plain.states[name]) for name in plain.objects},
        "joined": plain.joined,
        "tables": [
            {
                "name": name,
                "rows": len(rows.ids),
                "next_id": rows.next_id,
                "fields": [[field, len(values)] for field, values in rows.fields.items()],
            }
            for name, rows in plain.tables.items()
        ],
    }


def _when_to_header(callback: Callback | EventCallback) -> PlainData:
    if isinstance(callback, Callback):
        return callback.every
    if callback.event not in CONTACT_EVENTS:
        return callback.event
    pairs = [[first.key, second.key] for first, second in callback.touching]
    body = None if callback.body is None else callback.body.key
    return {"contact": callback.event, "body": body, "above": callback.above, "touching": pairs}


def _member_to_header(member: PlainMember) -> PlainObject:
    if not member.table:
        return {"called": member.name}
    return {
        "class": member.name,
        "table": member.table,
        "ids": list(member.ids),
        "several": sorted(member.several),
        "attributes": None if member.attributes is None else encoded_attributes(member.attributes),
        **({"stuck_jets": member.stuck_jets} if member.stuck_jets else {}),
    }


def _encoded_state(state: State) -> PlainObject:
    return {
        key: next({word: codec.write(value)} for word, codec in _CODECS.items() if isinstance(value, codec.kind))
        for key, value in state.items()
    }


def _decoded_state(plain: Plain) -> State:
    return {key: _decoded_value(value) for key, value in plain.items()}


def _decoded_value(plain: Plain) -> StateValue:
    marks = list(plain.value) if isinstance(plain.value, dict) else []
    plain.require(len(marks) == 1 and marks[0] in _CODECS, f"an object with one of the keys {', '.join(_CODECS)}")
    return _CODECS[marks[0]].read(plain[marks[0]])


def _read_float(plain: Plain) -> float:
    try:
        return float.fromhex(plain.text())
    except (ValueError, OverflowError):
        plain.refuse("a float in hexadecimal")


class _Codec(NamedTuple):
    """How the values of one type are written and read."""

    kind: type
    write: Callable[[Any], PlainData]
    read: Callable[[Plain], StateValue]


_CODECS = {
    "array": _Codec(np.ndarray, encoded_array, decoded_array),
    "bytes": _Codec(bytes, bytes.hex, Plain.data),
    "scalar": _Codec(np.generic, encoded_array, lambda plain: decoded_array(plain)[()]),
    "float": _Codec(float, float.hex, _read_float),
    "bool": _Codec(bool, bool, Plain.boolean),
    "int": _Codec(int, hex, Plain.whole),
}
"""The values of states, by the key that marks them; the first type that fits decides, because numbers of NumPy are Python's as well."""


# from bytes


def read(data: object) -> PlainContent:
    """Check bytes and return their content, which refers to no world.

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
    plain = _content_of(header, tables)
    check_rows(plain, BUILT_IN_SCHEMAS, _OWNER)
    return plain


_LARGEST_ID = 2**52
"""The largest id of a next row; rows that are added later have larger ones, which bytes can still hold."""
_WITHOUT_USE = {"wheels": ("kept",)}
"""Fields of tables that earlier programs wrote and none reads, because they decide nothing after a tick."""


def _read_tables(header: Plain, data: memoryview) -> dict[str, Rows]:
    layouts: dict[str, tuple[Plain, int, int, dict[str, int]]] = {}
    for plain in header["tables"].list():
        name, count, next_id = plain["name"].text(), plain["rows"].integer(1), plain["next_id"].integer(1, _LARGEST_ID)
        pairs = [(pair[0].text(), pair[1].integer(1)) for pair in (field.list(2) for field in plain["fields"].list())]
        plain["name"].require(name not in layouts, "a name that no other table has")
        plain["fields"].require(len(dict(pairs)) == len(pairs), "fields with different names")
        layouts[name] = plain, count, next_id, dict(pairs)
    wanted = sum(8 * count * (2 + sum(fields.values())) for _plain, count, _next, fields in layouts.values())
    if wanted != len(data):
        refuse(_OWNER, "the length of the tables", len(data), f"{wanted} bytes, as the header says")
    tables, offset = {}, 0

    def take(kind: str, *shape: int) -> npt.NDArray[np.generic]:
        nonlocal offset
        values = np.frombuffer(data, kind, math.prod(shape), offset).reshape(shape)
        offset += values.nbytes
        return values

    for name, (plain, count, next_id, fields) in layouts.items():
        ids, groups = take("<u8", 2, count).astype(np.int64)
        ascend = (ids >= 0).all() and (np.diff(ids) > 0).all() and ids[-1] < next_id
        plain["next_id"].require(ascend, "above all ids, which ascend")
        plain["rows"].require(((groups >= 0) & (groups <= ids)).all(), "rows whose groups begin before them")
        values = {field: take("<f8", size, count).astype(np.float64) for field, size in fields.items()}
        for field in _WITHOUT_USE.get(name, ()):
            values.pop(field, None)
        tables[name] = Rows(ids, groups, next_id, values)
    return tables


def _content_of(header: Plain, tables: dict[str, Rows]) -> PlainContent:
    """Check everything in a header that does not depend on a world."""
    names = [name.text() for name in header["bodies"].list()]
    rule = "names that are not empty and of which no two are equal"
    header["bodies"].require(len(set(names)) == len(names) and "" not in names, rule)
    count = len(tables["bodies"].ids) if "bodies" in tables else 0
    header["bodies"].require(len(names) == count, f"a list of {count} names")
    dt = header["dt"].exact()
    header["dt"].require(dt > 0, "above 0")
    states = {name: _decoded_state(state) for name, state in header["objects"].items()}
    joined = {name: number.integer(1) for name, number in header["joined"].items()}
    header["joined"].require(joined.keys() <= states.keys(), "the numbers of attached objects")
    members = header["members"].list()
    return PlainContent(
        dt,
        header["tick_count"].integer(),
        header["push_tick"].integer(-1),
        _read_clock(header["clock"], dt),
        from_header(header),
        tuple(names),
        tables,
        tuple(_read_member(member, tables, count, len(members)) for member in members),
        {when: _read_callbacks(header, when, count, len(members)) for when in FUNCTIONS},
        {name: _read_memory(name, shape_and_kind, tables) for name, shape_and_kind in header["memory"].items()},
        dict.fromkeys(states),
        states,
        joined,
    )


def _read_callbacks(header: Plain, when: str, bodies: int, members: int) -> tuple[AnyCallback, ...]:
    """The callbacks of one kind; the first bytes had none of joints."""
    listed = header.get(when, []) if when == "on_joint" else header[when]
    pairs = [pair.list(2) for pair in listed.list()]
    if when == "on_joint":
        return tuple(_read_event_callback(name.text(), event, bodies, members) for name, event in pairs)
    return tuple(Callback(None, every.integer(1), name.text()) for name, every in pairs)


def _read_event_callback(name: str, event: Plain, bodies: int, members: int) -> EventCallback:
    if not isinstance(event.value, dict):
        return EventCallback(None, event.option(EVENTS), name)
    kind, body, above = event["contact"].option(CONTACT_EVENTS), event["body"], event["above"]
    fits = above.number() >= 0.0 and (kind == "hit" or not above.number())
    above.require(fits, 'at least 0, and 0 unless the event is "hit"')
    pairs = (both.list(2) for both in event["touching"].list())
    touching = tuple(tuple(Place("member", each.integer(0, members - 1)) for each in pair) for pair in pairs)
    place = None if body.value is None else Place("body", body.integer(0, bodies - 1))
    return EventCallback(None, kind, name, place, above.number(), touching)


def _read_memory(name: str, plain: Plain, tables: dict[str, Rows]) -> tuple[tuple[int, ...], type]:
    sizes, kind = plain.list(2)
    shape = tuple(size.integer(1, MOST_NUMBERS) for size in sizes.list())
    rows = tables.get(f"memory.{name}")
    if rows is None:
        plain.refuse("memory whose table is in the snapshot")
    fits = len(rows.ids) == 1 and math.prod(shape) == sum(map(len, rows.fields.values())) and len(shape) <= MOST_SIZES
    plain.require(fits, "the shape of the numbers in the snapshot")
    return shape, np.dtype(kind.option(("float64", "uint64"))).type


def _read_member(plain: Plain, tables: dict[str, Rows], bodies: int, members: int) -> PlainMember:
    if isinstance(plain.value, dict) and "called" in plain.value:
        return PlainMember(plain["called"].text())
    (first, last), table = (id.integer() for id in plain["ids"].list(2)), plain["table"].text()
    plain["ids"].require(first < last and table in tables, "a span of ids of rows that the snapshot has")
    for field in plain["several"].list():
        field.require(field.text() in tables[table].fields, "a field of its table")
    attributes = None
    if plain["attributes"].value is not None:
        attributes = {name: decoded_attribute(value, bodies, members) for name, value in plain["attributes"].items()}
    stuck = [(jet.integer(), level) for jet, level in (pair.list(2) for pair in plain.get("stuck_jets", []).list())]
    for _jet, level in stuck:
        level.require(0.0 <= level.number() <= 1.0, "a share of full thrust from 0 to 1")
    levels = tuple((jet, level.value) for jet, level in stuck)
    several = frozenset(plain["several"].value)
    return PlainMember(plain["class"].text(), None, table, (first, last), several, attributes, levels)


def _read_clock(plain: Plain, dt: float | Fraction) -> ClockImage:
    parts = plain.list(6)
    max_ticks, scale = parts[0].integer(1), parts[1].exact()
    tick, per_second, owed, dropped = (part.whole() for part in parts[2:])
    fits = scale >= 0 and tick > 0 and per_second > 0 and 0 <= owed < tick and dropped >= 0
    plain.require(fits, "the state of a clock, with less than a tick owed")
    plain.require(Fraction(tick, per_second) == Fraction(dt), "the state of a clock of this dt")
    return ClockImage(max_ticks, scale, tick, per_second, owed, dropped)


# comparing


def first_difference(one: PlainContent, other: PlainContent) -> str:
    """Where two contents first differ, as body and field, or as table, field and row; empty if they do not."""
    names = one.names
    if names != other.names:
        return "the list of bodies"
    for name in sorted(one.tables.keys() | other.tables.keys(), key=lambda name: (name != "bodies", name)):
        mine, theirs = one.tables.get(name), other.tables.get(name)
        if mine is None or theirs is None or len(mine.ids) != len(theirs.ids):
            return f"the number of {name}"
        for field, values in mine.fields.items():
            others = theirs.fields.get(field)
            if others is None or np.shape(others) != np.shape(values):
                return f"{name}.{field}"
            bits, other_bits = (np.ascontiguousarray(each).view(np.uint64) for each in (values, others))
            for row in np.flatnonzero((bits != other_bits).any(axis=0)).tolist():
                what = f"{field} of body {names[row]!r}" if name == "bodies" else f"{name}.{field} in row {row}"
                return f"{what}, {values[:, row].tolist()} here and {others[:, row].tolist()} there"
    return ""
