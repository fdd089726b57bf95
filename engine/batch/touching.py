"""Shapes and contacts of members: each member has a collision group of its own, and its contacts go with it."""

from __future__ import annotations

import numpy as np

from ..checks import FloatArray
from ..collision.layout import BODY, FIRST_SHAPE, GROUP, SECOND_SHAPE
from ..saving.plain_content import PlainContent, whole_rows
from ..saving.repetition import by_pairs
from ..shapes.handle import CONTACTS, SHAPES
from ..store.schema import NOBODY, Schema
from ..store.store import Store
from ..store.table import IntArray, Mask, Table

STANDING = Schema("contacts of members that stand still", CONTACTS.fields)
"""The contacts at the start of the tick that a member did not run, or after which it was stopped; ticks do not find them anew."""


class Touching:
    """The contacts of the members of a batch."""

    def __init__(self, store: Store, count: int) -> None:
        """Look at the tables.

        Args:
            store: The store of the world of all members.
            count: The number of members.
        """
        self._shapes, self._contacts, self._count = store.table(SHAPES), store.table(CONTACTS), count
        self.standing = store.table(STANDING)

    def separate(self) -> None:
        """Give the shapes of each member collision groups of its own, one for each group of the template."""
        shapes = self._shapes
        rows = np.flatnonzero(shapes.array[BODY, : shapes.count] != NOBODY)
        if len(rows):
            _groups, place = np.unique(shapes.array[GROUP, rows], return_inverse=True)
            member = shapes.array[BODY, rows].astype(np.int64) % self._count
            shapes.write(GROUP, rows, (place * self._count + member).astype(np.float64))

    def stop(self, members: IntArray) -> None:
        """Set the contacts of members aside that stand still from now on."""
        self._move(members, self._contacts, self.standing)

    def go_on(self, members: IntArray) -> None:
        """Give members back what was set aside."""
        self._move(members, self.standing, self._contacts)

    def reset(self, members: IntArray, first: IntArray, columns: FloatArray) -> None:
        """Give members these contacts instead of their own.

        Args:
            members: The members.
            first: The rows of both shapes of each point in the first member, shape (2, k), and whether they are one row per member.
            columns: The points, shape (size, k).
        """
        for table in (self._contacts, self.standing):
            if table.count:
                table.remove(np.flatnonzero(self._are_of(table, members)))
        if columns.shape[1]:
            found = np.repeat(columns, len(members), axis=1)
            rows, is_own = first[:2, :, np.newaxis], first[2:, :, np.newaxis]
            found[[FIRST_SHAPE, SECOND_SHAPE]] = (rows + is_own * members).reshape(2, -1)
            self._add(found)

    def _are_of(self, table: Table, members: IntArray) -> Mask:
        chosen = np.zeros(self._count, np.bool_)
        chosen[members] = True
        shape = table.array[FIRST_SHAPE, : table.count].astype(np.int64)
        return np.asarray(chosen[self._shapes.array[BODY, shape].astype(np.int64) % self._count])

    def _move(self, members: IntArray, source: Table, target: Table) -> None:
        if not source.count:
            return
        rows = np.flatnonzero(self._are_of(source, members))
        if not len(rows):
            return
        columns = source.array[:, rows]
        source.remove(rows)
        if target is self._contacts:
            self._add(columns)
        else:
            target.append(columns)

    def _add(self, columns: FloatArray) -> None:
        contacts = self._contacts
        contacts.append(columns)
        now = contacts.content()
        contacts.write(slice(None), slice(0, contacts.count), now[:, by_pairs(now[FIRST_SHAPE], now[SECOND_SHAPE])])


def without_groups(one: PlainContent, template: PlainContent) -> PlainContent:
    """The content of one member, whose bodies have the collision groups of the template."""
    rows = one.tables.get(SHAPES.name)
    if rows is None:
        return one
    fields = {**rows.fields, "group": whole_rows(SHAPES, template.tables[SHAPES.name])[[GROUP]]}
    return one._replace(tables={**one.tables, SHAPES.name: rows._replace(fields=fields)})
