"""The rows of a table by the body that they refer to, found without a search."""

from __future__ import annotations

from .bodies import Bodies
from .table import Table


class RowsByBody:
    """Finds the rows of a table that refer to a body in their first component.

    Rows that were appended are added to what is known; everything is looked up anew after rows of the table or bodies have moved. Adding
    a part to each of many bodies is therefore linear in their number.
    """

    __slots__ = ("_bodies", "_count", "_known", "_numbering", "_table")

    def __init__(self, table: Table, bodies: Bodies) -> None:
        self._table = table
        self._bodies = bodies
        self._known: dict[int, list[int]] = {}
        self._numbering: tuple[int, ...] = ()
        self._count = 0

    def rows_of(self, body: int) -> list[int]:
        """The rows of a body in ascending order, as a list of its own; empty if it has none."""
        table = self._table
        numbering = table.numbering, self._bodies.numbering
        if numbering != self._numbering or self._count > table.count:
            self._known, self._count, self._numbering = {}, 0, numbering
        if self._count < table.count:
            count, added = table.count, table.array[0, self._count : table.count].astype(int).tolist()
            for row, owner in enumerate(added, self._count):
                self._known.setdefault(owner, []).append(row)
            self._count = count
        return list(self._known.get(body, ()))
