"""The reset of members, which puts back everything that ticks and commands have changed; what belongs to a member's model stays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..checks import FloatArray, refuse
from ..collision.layout import FIRST_SHAPE, SECOND_SHAPE
from ..flight.body_torque import BodyTorque
from ..forces.valves import THRUSTERS
from ..loops.actuator_layout import DIRECTION, IS_FLOWING, MAX_RATE
from ..saving.plain_content import PlainContent, Rows, whole_rows
from ..saving.repetition import SHARED, Span, member_of, spans_of
from ..shapes.handle import CONTACTS, SHAPES
from ..store.bodies import BODIES, HISTORY
from ..store.schema import Kind
from ..store.table import Blocks, IntArray
from ..tick.actuators import DRIVEN
from .quarantine import MEMBERS, Members

_GROWING = (DRIVEN.name, HISTORY.name, MEMBERS.name, CONTACTS.name, "frozen bodies", "pushes")
"""The tables to which ticks and commands add rows, so that a batch may have other rows than its template."""
_STORED = BODIES.components["stored_momentum_body"]
_STATE = ("position", "orientation", "velocity", "angular_velocity_body")


class _Fresh(NamedTuple):
    """What a reset writes to a table, as components of blocks of rows; see `Table.write_blocks`."""

    written: Blocks
    values: FloatArray
    scratch: Blocks
    """Components that only kernels use, which matter again when a body is driven no more."""
    scratch_values: FloatArray
    counting: Blocks
    """Components that count in ticks of the batch, and not of the member."""
    counts: FloatArray


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
        state, self._stored = _bodies_of(plain.tables[BODIES.name])
        components, places = np.indices(state.shape).reshape(2, -1)
        self._written, self._state = Blocks(np.column_stack([components, places * count])), state.reshape(-1, 1)
        self._touching, self._contacts = _contacts_of(plain, spans)
        history = plain.tables.get(HISTORY.name)
        self._history = None if history is None else whole_rows(HISTORY, history)

    def put(self, members: Members, chosen: IntArray) -> None:
        """Reset members; the caller undoes it if something raises."""
        tables = members.owners.store.tables
        forgets = self._match_driven(members, chosen)
        pushes = tables["pushes"]
        if pushes.count:
            pushes.remove(np.flatnonzero(members.are_of(pushes.read("body").astype(np.int64), chosen)))
        for name, fresh in self._fresh.items():
            if name != BODIES.name and len(fresh.values):
                tables[name].write_blocks(fresh.written, chosen, fresh.values)
                if len(fresh.counts):
                    tables[name].write_blocks(fresh.counting, chosen, fresh.counts + members.starts_of(chosen))
                if forgets and len(fresh.scratch_values):
                    tables[name].write_blocks(fresh.scratch, chosen, fresh.scratch_values)
        members.touching.reset(chosen, self._touching, self._contacts)
        rows = members.bodies_of(chosen)
        self._put_bodies(members, chosen, rows)
        self._put_history(members, chosen, rows)
        if tables["wheels"].count:
            members.owners.held.spoil(
                rows
            )  # torques of motors that stay as they are do not tell that they have changed

    def _match_driven(self, members: Members, chosen: IntArray) -> bool:
        """Drive the bodies that are driven in the source, and no others; return whether any is driven no more."""
        owners = members.owners
        driven = owners.actuators.driven
        if not driven.count and not self._driven:
            return False
        owner = driven.array[0, : driven.count].astype(np.int64)
        own = np.flatnonzero(members.are_of(owner, chosen))
        gone = own[~np.isin(owner[own] // members.count, self._driven)]
        if len(gone):
            owners.store.remove_rows(driven, gone)
        if len(own) - len(gone) < len(self._driven) * len(chosen):
            for place in self._driven:
                for member in chosen.tolist():
                    owners.actuators.include(place * members.count + member, "Batch.reset")
        return len(gone) > 0

    def _put_bodies(self, members: Members, chosen: IntArray, rows: IntArray) -> None:
        owners = members.owners
        bodies = owners.bodies
        if owners.bodies.moves_mass:
            driven = owners.actuators.driven
            own = np.flatnonzero(members.are_of(driven.array[0, : driven.count].astype(np.int64), chosen))
            driven.write(IS_FLOWING, own, 0.0)
            # states move with the mass centre, and are written afterwards
            owners.actuators.compose(driven.array[0, own].astype(int).tolist(), "Batch.reset", "to", self.tick)
        bodies.write_blocks(self._written, chosen, self._state)
        stored = bodies.array[_STORED][:, rows].reshape(3, -1, len(chosen))
        wanted = self._stored[..., np.newaxis]
        if (stored != wanted).any():
            bodies.write(_STORED, rows, np.broadcast_to(wanted, stored.shape).reshape(3, -1))

    def _put_history(self, members: Members, chosen: IntArray, rows: IntArray) -> None:
        bodies = members.owners.bodies
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
    columns = whole_rows(schema, rows)
    is_written, is_scratch, is_counting = np.zeros((3, schema.size, len(rows.ids)), np.bool_)
    for field in schema.fields:
        if not field.refers_to:
            components = schema.components[field.name]
            is_written[components] = field.kind not in (Kind.MODEL, Kind.SCRATCH) and not field.is_world_tick
            is_counting[components] = field.is_world_tick
            is_written[components, commanded] = True
            is_scratch[components] = field.kind is Kind.SCRATCH
    if schema is THRUSTERS:
        is_written[DIRECTION : DIRECTION + 3, columns[MAX_RATE] > 0.0] = True  # these directions are written by ticks
    shared = member_of(schema, rows.fields, len(rows.ids), count) == SHARED
    found: list[tuple[Blocks, FloatArray]] = []
    for which in (is_written, is_scratch, is_counting):
        which[:, shared] = False
        numbers, places = np.nonzero(which)
        found.append((Blocks(np.column_stack([numbers, span.first[places]])), columns[which][:, np.newaxis]))
    written, scratch, counting = found
    return _Fresh(*written, *scratch, *counting)


def _contacts_of(plain: PlainContent, spans: dict[str, Span]) -> tuple[IntArray, FloatArray]:
    """The rows of the shapes of each point of contact in the first member, and whether these are one row per member; and the points."""
    rows = plain.tables.get(CONTACTS.name)
    if rows is None:
        return np.zeros((4, 0), np.int64), np.zeros((CONTACTS.size, 0))
    shapes, columns = spans[SHAPES.name], whole_rows(CONTACTS, rows)
    named = columns[[FIRST_SHAPE, SECOND_SHAPE]].astype(np.int64)
    return np.concatenate([shapes.first[named], shapes.is_repeated[named]]), columns


def _bodies_of(rows: Rows) -> tuple[FloatArray, FloatArray]:
    """State and previous state of bodies, and their stored momentum; the previous velocities are the present ones where none are kept."""
    fields = rows.fields
    names = [fields.get(f"previous_{name}", fields[name]) for name in _STATE]
    return np.concatenate([fields[name] for name in _STATE] + names), fields["stored_momentum_body"]
