"""The reset of members, which puts back everything that ticks and commands have changed; what belongs to a member's model stays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..checks import FloatArray, refuse
from ..loops.actuator_layout import IS_FLOWING, MAX_RATE
from ..loops.layout import PREVIOUS, STATE_ROWS
from ..saving.plain_content import PlainContent, Rows
from ..saving.repetition import member_of
from ..store.bodies import BODIES, HISTORY
from ..store.schema import NOBODY, Kind, Schema
from ..store.table import Table
from ..tick.actuators import DRIVEN
from .quarantine import IntArray, Members

_GIMBALLED = ("direction",)
"""Fields of kind MODEL that ticks write, for thrusters with gimbals."""


def check_source(source: PlainContent, template: PlainContent, argument: object) -> None:
    """Reject a content with other bodies, forces or parts than the template.

    Raises:
        ValueError: If it has others.
    """
    rule = "a snapshot of the template, or of a world that the batch has returned"
    if source.exact_dt != template.exact_dt:
        refuse("Batch.reset", "to", argument, f"{rule}, with dt = {float(template.exact_dt)!r} s")
    grown = (DRIVEN.name, HISTORY.name, "frozen bodies", "pushes")
    for name in {*source.tables, *template.tables} - {*grown}:
        sizes = [len(content.tables[name].ids) if name in content.tables else 0 for content in (source, template)]
        if sizes[0] != sizes[1]:
            refuse(
                "Batch.reset",
                "to",
                argument,
                rule,
                hint=f"it has {sizes[0]} rows of {name}, and the template {sizes[1]}",
            )


class Resetting:
    """Writes the columns of a content to the rows of some members."""

    def __init__(self, members: Members, source: PlainContent, chosen: IntArray) -> None:
        """Prepare for a reset.

        Args:
            members: The members of the batch.
            source: The content that they are reset to.
            chosen: The members that are reset.
        """
        self._members, self._source, self._chosen = members, source, chosen
        self._store, self._count = members.owners.store, members.count

    def run(self) -> None:
        """Reset the members; the caller undoes it if something raises."""
        self._match_driven()
        for name, table in list(self._store.tables.items()):
            if table.schema not in (BODIES, HISTORY, DRIVEN) and table.count:
                self._write(table, self._source.tables.get(name))
        self._put_bodies()
        self._put_history()

    def _own_rows(self, table: Table) -> IntArray:
        """The rows of the members that are reset, those of one row of the source next to each other."""
        fields = {field.name: table.read(field.name) for field in table.schema.body_references}
        owner = member_of(table.schema, fields, table.count, self._count)
        rows = np.flatnonzero(np.isin(owner, self._chosen))
        order = np.argsort(owner[rows], kind="stable")
        by_member = rows[order].reshape(len(self._chosen), -1) if len(rows) else rows.reshape(len(self._chosen), 0)
        return np.asarray(by_member[np.argsort(np.argsort(self._chosen))].T)

    def _write(self, table: Table, rows: Rows | None) -> None:
        """Write the fields that ticks and commands change to the rows of the members; `rows` are those of the source."""
        if table.schema.name in ("frozen bodies", "members", "pushes") or rows is None:
            if table.schema.name == "pushes":
                table.remove(np.sort(self._own_rows(table).ravel()))
            return
        own = self._own_rows(table)
        for field in table.schema.fields:
            is_written = field.kind is not Kind.MODEL and not field.refers_to
            if not is_written and field.name not in _GIMBALLED:
                continue
            components = table.schema.components[field.name]
            values = _own_values(rows, field.name, table.schema, self._count)
            for place in range(own.shape[0]):
                targets = own[place]
                if not is_written:
                    targets = (
                        targets[table.array[MAX_RATE, targets] > 0.0]
                        if table.schema.name == "thrusters"
                        else targets[:0]
                    )
                if len(targets):
                    table.write(components, targets, np.repeat(values[:, place : place + 1], len(targets), axis=1))

    def _match_driven(self) -> None:
        """Have as many driven rows as the source: bodies that were first driven after it are driven no more."""
        table, rows = self._store.tables[DRIVEN.name], self._source.tables.get(DRIVEN.name)
        wanted = [] if rows is None else rows.fields["body"][0].astype(int).tolist()
        bodies = self._members.bodies_of(self._chosen)
        owner = table.read("body").astype(np.int64)
        gone = np.flatnonzero(np.isin(owner, bodies) & ~np.isin(owner // self._count, wanted))
        if len(gone):
            self._store.remove_rows(table, gone)
        for place in wanted:
            for member in self._chosen.tolist():
                self._members.owners.actuators.include(place * self._count + member, "Batch.reset")

    def _put_bodies(self) -> None:
        owners, rows = self._members.owners, self._source.tables[BODIES.name]
        bodies, places = owners.bodies, len(rows.ids)
        targets = self._members.bodies_of(self._chosen).reshape(places, -1)
        driven = self._store.tables[DRIVEN.name]
        if owners.actuators.moves_mass:
            own = self._own_rows(driven).ravel()
            driven.write(IS_FLOWING, own, 0.0)
            if len(own):
                owners.actuators.compose(
                    driven.array[0, own].astype(int).tolist(), "Batch.reset", "to", self._source.tick
                )
        for name in ("position", "orientation", "velocity", "angular_velocity_body", "stored_momentum_body"):
            self._put(BODIES.components[name], rows.fields[name], targets)
        for name in ("previous_position", "previous_orientation"):
            self._put(BODIES.components[name], rows.fields[name], targets)
        rates = [rows.fields.get(f"previous_{name}") for name in ("velocity", "angular_velocity_body")]
        for name, values in zip(("velocity", "angular_velocity_body"), rates, strict=True):
            found = rows.fields[name] if values is None else values
            self._put(BODIES.components[f"previous_{name}"], found, targets)
        assert PREVIOUS + STATE_ROWS == BODIES.components["previous_angular_velocity_body"].stop
        bodies.look_for_stored_momentum()

    def _put(self, components: slice, values: FloatArray, targets: IntArray) -> None:
        bodies = self._members.owners.bodies
        for place, rows in enumerate(targets):
            bodies.write(components, rows, np.repeat(values[:, place : place + 1], len(rows), axis=1))

    def _put_history(self) -> None:
        rows, table = self._source.tables.get(HISTORY.name), self._store.tables.get(HISTORY.name)
        if rows is None and table is None:
            return
        owners = self._members.owners
        owners.bodies.history_array()
        table = self._store.tables[HISTORY.name]
        for place, targets in enumerate(self._members.bodies_of(self._chosen).reshape(-1, len(self._chosen))):
            for field in HISTORY.fields:
                values = np.zeros((field.size, 1)) if rows is None else rows.fields[field.name][:, place : place + 1]
                table.write(HISTORY.components[field.name], targets, np.repeat(values, len(targets), axis=1))


def _own_values(rows: Rows, name: str, schema: Schema, count: int) -> Any:
    """The values of a field in the rows of a source that belong to a member, without those of all bodies."""
    fields = [rows.fields[field.name][0] for field in schema.body_references]
    if not fields:
        return rows.fields[name][:, :0]
    is_own = np.any(np.array(fields) != NOBODY, axis=0)
    return rows.fields[name][:, is_own]
