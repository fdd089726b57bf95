"""Contents of several worlds in one: each row of a content repeated for a number of members, and the rows of one member alone.

Row r of a table becomes the n adjacent rows ``r n … r n + n − 1``, one per member m, and a reference to row s becomes ``s n + m``. A row
that refers to no body, such as a uniform gravity, acts on the bodies of all members and stays one row. Whatever a table contains, these two
functions read it from the schemas alone.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray
from ..shapes.handle import CONTACTS
from ..store.bodies import BODIES
from ..store.schema import NOBODY, Schema
from ..store.table import IntArray, Table
from .encoding import Memo, Place
from .plain_content import PlainContent, PlainMember, Rows, rows_of


class Span(NamedTuple):
    """Where the rows of a table are after they have been repeated."""

    first: IntArray
    """The first row that each row has become, and the number of all rows at the end."""
    is_repeated: npt.NDArray[np.bool_]
    """Whether each row has become one per member."""


def repeat(plain: PlainContent, count: int, name_of: Callable[[str, int], str]) -> PlainContent:
    """The content in which each row is there once per member.

    Args:
        plain: The content of a world.
        count: The number of members.
        name_of: The name of a body in a member, from its name and the number of the member.
    """
    spans = spans_of(plain.tables, count)
    handles = plain.mass_properties
    return plain._replace(
        names=tuple(name_of(name, member) for name in plain.names for member in range(count)),
        tables={name: _repeated(rows, spans, name) for name, rows in plain.tables.items()},
        members=tuple(
            _moved(each, plain.tables, lambda name, row: int(spans[name].first[row]), lambda row: row * count)
            for each in plain.members
        ),
        mass_properties=None if handles is None else tuple(each for each in handles for _ in range(count)),
    )


def select(
    template: PlainContent, tables: Mapping[str, Table], count: int, member: int, left_out: frozenset[str]
) -> PlainContent:
    """The content of one member alone: its bodies, and the rows that refer to them or to no body; other members are not looked at.

    Args:
        template: The content that `repeat` has repeated, whose forces and parts the member has.
        tables: The tables of the world in which it was repeated, perhaps after some ticks.
        count: The number of members.
        member: The member.
        left_out: The tables that belong to all members together.
    """
    named = {
        name: (table.schema, {field.name: table.read(field.name) for field in table.schema.references}, table.count)
        for name, table in tables.items()
        if table.count and name not in left_out
    }
    owners = members_in(named, count)
    kept = {name: np.flatnonzero((owner == member) | (owner == SHARED)) for name, owner in owners.items()}
    return template._replace(
        tables={name: _selected(tables[name], kept, rows) for name, rows in kept.items() if len(rows)},
        members=tuple(
            _moved(each, template.tables, lambda name, row: row, lambda row: row) for each in template.members
        ),
        mass_properties=None,
    )


SHARED = -1
"""What `member_of` says of rows that refer to no body."""


def member_of(schema: Schema, fields: Mapping[str, object], rows: int, count: int) -> IntArray:
    """The member of each row of a table, from the body that it refers to; `SHARED` for rows that refer to none.

    Args:
        schema: The schema of the table.
        fields: Its fields, shape (size, rows).
        rows: The number of rows.
        count: The number of members.
    """
    if schema is BODIES or schema.follows == BODIES.name:
        return np.arange(rows) % count
    found = np.full(rows, SHARED, np.int64)
    for field in schema.body_references:
        named = np.asarray(fields[field.name]).reshape(rows).astype(np.int64)
        found = np.where((found == SHARED) & (named != NOBODY), named % count, found)
    return found


def members_in(tables: Mapping[str, tuple[Schema, Mapping[str, FloatArray], int]], count: int) -> dict[str, IntArray]:
    """The member of each row of tables; what refers to no body but to rows of other tables belongs to the member of these.

    Args:
        tables: For each table its schema, its fields of shape (size, rows) or (rows,), and the number of rows.
        count: The number of members.
    """
    found = {name: member_of(schema, fields, rows, count) for name, (schema, fields, rows) in tables.items()}
    for name, (schema, fields, rows) in tables.items():
        if not schema.body_references:
            for field in schema.references:
                named = np.asarray(fields[field.name]).reshape(rows).astype(np.int64)
                of_named = found.get(field.refers_to, found[name])
                found[name] = np.where((found[name] == SHARED) & (named != NOBODY), of_named[named], found[name])
    return found


def spans_of(tables: Mapping[str, Rows], count: int) -> dict[str, Span]:
    """Where the rows of each table are after they have been repeated."""
    spans = {}
    named = {name: (_schema(rows), rows.fields, len(rows.ids)) for name, rows in tables.items()}
    for name, owner in members_in(named, count).items():
        is_repeated = owner != SHARED
        spans[name] = Span(np.concatenate([[0], np.cumsum(np.where(is_repeated, count, 1))]), is_repeated)
    return spans


def _schema(rows: Rows) -> Schema:
    assert rows.schema is not None  # the rows are those of a world
    return rows.schema


def _repeated(rows: Rows, spans: Mapping[str, Span], name: str) -> Rows:
    span = spans[name]
    source = np.repeat(np.arange(len(rows.ids)), np.diff(span.first))
    member = np.arange(len(source)) - span.first[source]
    fields = {each: values[:, source] for each, values in rows.fields.items()}
    for field in _schema(rows).references:
        named = fields[field.name].astype(np.int64)
        if (named != NOBODY).any():
            target = spans[field.refers_to]
            moved = target.first[named] + np.where(target.is_repeated[np.maximum(named, 0)], member, 0)
            fields[field.name] = np.where(named == NOBODY, NOBODY, moved).astype(np.float64)
    if name == CONTACTS.name:
        # the next tick looks for the points of a pair where it would have written them
        order = by_pairs(fields["shape"][0], fields["other_shape"][0])
        fields = {each: values[:, order] for each, values in fields.items()}
    first_of_group = span.first[_first_of_group(rows)]
    return Rows(np.arange(len(source)), first_of_group[source], len(source), fields, rows.schema)


def by_pairs(first: FloatArray, second: FloatArray) -> IntArray:
    """The order in which ticks write contacts, which is that of their two shapes.

    Args:
        first: The row of the one shape of each point.
        second: That of the other.
    """
    return np.lexsort((np.maximum(first, second), np.minimum(first, second)))


def _selected(table: Table, kept: Mapping[str, IntArray], own: IntArray) -> Rows:
    rows = rows_of(table.schema, table.image_of(own))
    fields = dict(rows.fields)
    for field in table.schema.references:
        named = fields[field.name].astype(np.int64)
        if (named != NOBODY).any():
            moved = np.searchsorted(kept[field.refers_to], named)
            fields[field.name] = np.where(named == NOBODY, NOBODY, moved).astype(np.float64)
    alone = Rows(np.arange(len(own)), rows.groups, len(own), fields, rows.schema)
    return alone._replace(groups=_first_of_group(alone))


def _first_of_group(rows: Rows) -> IntArray:
    """For each row, the first row that was added together with it."""
    _groups, first, inverse = np.unique(rows.groups, return_index=True, return_inverse=True)
    return np.asarray(first[inverse], np.int64)


def _moved(
    member: PlainMember, tables: Mapping[str, Rows], row: Callable[[str, int], int], body: Callable[[int], int]
) -> PlainMember:
    """A force or part with its rows, and the bodies in its attributes, at their new places."""
    if not member.table:
        return member
    ids = tables[member.table].ids
    first, last = (row(member.table, int(np.searchsorted(ids, id))) for id in member.ids)
    memo: Memo = {id(Place): {"body": _Places("body", body), "member": _Places("member"), "schema": _Places("schema")}}
    return member._replace(ids=(first, last), attributes=copy.deepcopy(member.attributes, memo))


class _Places:
    """Gives a place at which something is in the new content for its key in the former one."""

    def __init__(self, kind: str, moved: Callable[[int], int] | None = None) -> None:
        self._kind, self._moved = kind, moved

    def __getitem__(self, key: int | str | None) -> Place:
        return Place(self._kind, self._moved(key) if self._moved is not None and isinstance(key, int) else key)
