"""The reset of members, which puts back everything that ticks and commands have changed; what belongs to a member's model stays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..checks import FloatArray, refuse
from ..flight.body_torque import BodyTorque
from ..loops.actuator_layout import DIRECTION, IS_FLOWING, MAX_RATE, SETTLED_TICK
from ..saving.plain_content import PlainContent, Rows, whole_rows
from ..saving.repetition import SHARED, Span, member_of, spans_of
from ..store.bodies import BODIES, HISTORY
from ..store.schema import Kind
from ..store.table import Table
from ..tick.actuators import DRIVEN
from .quarantine import MEMBERS, IntArray, Members

_GROWING = (DRIVEN.name, HISTORY.name, MEMBERS.name, "frozen bodies", "pushes")
"""The tables to which ticks and commands add rows, so that a batch may have other rows than its template."""
_STATE = ("position", "orientation", "velocity", "angular_velocity_body")
_WRITTEN = slice(0, BODIES.components["previous_angular_velocity_body"].stop)
"""The components of bodies with the state, and with that of one tick earlier."""


class _Fresh(NamedTuple):
    """What a table contains in the source, of the rows that belong to members."""

    first: IntArray
    """The first row of each block in the batch."""
    columns: FloatArray
    is_written: Any
    """Which components a reset writes, shape (size, rows)."""


class Source:
    """A content that members can be reset to."""

    def __init__(self, plain: PlainContent, count: int) -> None:
        """Prepare for resets.

        Args:
            plain: The content of a template, or of one member.
            count: The number of members.
        """
        self.plain, self.tick = plain, plain.tick
        spans = spans_of(plain.tables, count)
        self._fresh = {
            name: _fresh(rows, spans[name], count, _commanded_rows(plain, name))
            for name, rows in plain.tables.items()
            if name not in _GROWING
        }
        driven = plain.tables.get(DRIVEN.name)
        self._driven = () if driven is None else tuple(driven.fields["body"][0].astype(int).tolist())
        self._state, self._stored = _bodies_of(plain.tables[BODIES.name])
        history = plain.tables.get(HISTORY.name)
        self._history = None if history is None else whole_rows(HISTORY, history)

    def put(self, members: Members, chosen: IntArray) -> None:
        """Reset members; the caller undoes it if something raises."""
        tables = members.owners.store.tables
        self._match_driven(members, chosen)
        pushes = tables["pushes"]
        if pushes.count:
            owner = pushes.read("body").astype(np.int64) % members.count
            pushes.remove(np.flatnonzero(np.isin(owner, chosen)))
        for name, fresh in self._fresh.items():
            if name != BODIES.name and len(fresh.first):
                _write(tables[name], fresh, chosen, members.starts[chosen])
        self._put_bodies(members, chosen)
        self._put_history(members, chosen)

    def _match_driven(self, members: Members, chosen: IntArray) -> None:
        """Drive the bodies that are driven in the source; those that were first driven after it are driven no more."""
        owners, bodies = members.owners, members.bodies_of(chosen)
        driven = owners.actuators.driven
        owner = driven.read("body").astype(np.int64)
        own = np.flatnonzero(np.isin(owner, bodies))
        gone = own[~np.isin(owner[own] // members.count, self._driven)]
        if len(gone):
            owners.store.remove_rows(driven, gone)
        if len(own) - len(gone) < len(self._driven) * len(chosen):
            for place in self._driven:
                for member in chosen.tolist():
                    owners.actuators.include(place * members.count + member, "Batch.reset")

    def _put_bodies(self, members: Members, chosen: IntArray) -> None:
        owners = members.owners
        bodies, rows = owners.bodies, members.bodies_of(chosen)
        if owners.bodies.moves_mass:
            driven = owners.actuators.driven
            own = np.flatnonzero(np.isin(driven.read("body"), rows))
            driven.write(IS_FLOWING, own, 0.0)
            # states move with the mass centre, and are written afterwards
            owners.actuators.compose(driven.array[0, own].astype(int).tolist(), "Batch.reset", "to", self.tick)
        bodies.write(_WRITTEN, rows, np.repeat(self._state, len(chosen), axis=1))
        if self._stored.any() or bodies.stores_momentum:
            stored = np.repeat(self._stored, len(chosen), axis=1)
            bodies.write(BODIES.components["stored_momentum_body"], rows, stored)

    def _put_history(self, members: Members, chosen: IntArray) -> None:
        bodies, rows = members.owners.bodies, members.bodies_of(chosen)
        if self._history is None:
            bodies.forget_history(rows)
            return
        bodies.history_array()
        table = members.owners.store.tables[HISTORY.name]
        table.write(slice(None), rows, np.repeat(self._history, len(chosen), axis=1))


def check_content(plain: PlainContent, template: PlainContent, argument: object) -> None:
    """Reject a content with another length of a tick, other bodies, forces or parts than the template.

    Raises:
        ValueError: If it has others.
    """
    rule = "a snapshot of the template, or of a world that the batch has returned"
    if plain.exact_dt != template.exact_dt:
        refuse("Batch.reset", "to", argument, f"{rule}, with dt = {float(template.exact_dt)!r} s")
    for name in sorted({*plain.tables, *template.tables} - {*_GROWING}):
        found, wanted = (len(each.tables[name].ids) if name in each.tables else 0 for each in (plain, template))
        if found != wanted:
            refuse(
                "Batch.reset", "to", argument, rule, hint=f"it has {found} rows of {name}, and the template {wanted}"
            )


def _commanded_rows(plain: PlainContent, table: str) -> list[int]:
    """The rows of a table whose model is what control loops command."""
    rows: list[int] = []
    for member in plain.members:
        if member.table == table and member.name == BodyTorque.__name__:
            first, last = np.searchsorted(plain.tables[table].ids, member.ids).tolist()
            rows += range(first, last)
    return rows


def _fresh(rows: Rows, span: Span, count: int, commanded: list[int]) -> _Fresh:
    schema = rows.schema
    assert schema is not None
    is_written = np.zeros((schema.size, len(rows.ids)), np.bool_)
    for field in schema.fields:
        if not field.refers_to:
            is_written[schema.components[field.name]] = field.kind is not Kind.MODEL
            is_written[schema.components[field.name], commanded] = True
    is_own = member_of(schema, rows.fields, len(rows.ids), count) != SHARED
    return _Fresh(span.first[:-1][is_own], whole_rows(schema, rows)[:, is_own], is_written[:, is_own])


def _write(table: Table, fresh: _Fresh, chosen: IntArray, starts: IntArray) -> None:
    rows = (fresh.first[:, np.newaxis] + chosen).ravel()
    values, found = np.repeat(fresh.columns, len(chosen), axis=1), table.array[:, rows]
    found = np.where(np.repeat(fresh.is_written, len(chosen), axis=1), values, found)
    if table.schema.name == "thrusters":
        turns = found[MAX_RATE] > 0.0  # these directions are written by ticks
        found[DIRECTION : DIRECTION + 3, turns] = values[DIRECTION : DIRECTION + 3, turns]
        found[SETTLED_TICK] += np.tile(starts, len(fresh.first))  # counted in ticks of the batch
    table.write(slice(None), rows, found)


def _bodies_of(rows: Rows) -> tuple[FloatArray, FloatArray]:
    """State and previous state of bodies, and their stored momentum; the previous velocities are the present ones where none are kept."""
    fields = rows.fields
    names = [fields.get(f"previous_{name}", fields[name]) for name in _STATE]
    return np.concatenate([fields[name] for name in _STATE] + names), fields["stored_momentum_body"]
