"""Images of tables, which are immutable and shared by all snapshots between which a table has not changed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray
from ..loops.layout import MASS, STORED_MOMENTUM
from .schema import Schema

IntArray = npt.NDArray[np.int64]


class RowsImage:
    """The ids and groups of the rows of a table.

    Attributes:
        ids: The ids, ascending.
        groups: For each row, the id of the first row that was added together with it.
        next_id: The id of the next row.
        removes_from: The first id whose row, if it is not among these, is removed by a restore.
    """

    __slots__ = ("groups", "ids", "next_id", "removes_from")

    def __init__(self, ids: IntArray, groups: IntArray, next_id: int, removes_from: int | None = None) -> None:
        self.ids = ids
        self.groups = groups
        self.next_id = next_id
        self.removes_from = next_id if removes_from is None else removes_from


class TableImage:
    """The content of a table: its rows, and the components of each row as columns."""

    __slots__ = ("content", "rows")

    def __init__(self, rows: RowsImage, content: FloatArray) -> None:
        self.rows = rows
        self.content = content

    def whole(self, size: int) -> FloatArray:
        """The content with all components, shape (size, rows)."""
        return self.content

    def fields(self, schema: Schema) -> dict[str, FloatArray]:
        """The content by field."""
        return {name: self.content[span] for name, span in schema.components.items()}


class BodiesImage:
    """The bodies: what ticks change, and what only the user and propellant change.

    What kernels compute anew is left out.

    Attributes:
        rows: Ids and groups.
        moving: State and previous pose.
        stored: Stored momentum; None if there is none.
        given: Mass properties.
        rates: Some columns, and the velocities one tick earlier of the bodies in them; None if nothing reads any.
    """

    __slots__ = ("given", "moving", "rates", "rows", "stored")

    def __init__(
        self,
        rows: RowsImage,
        moving: FloatArray,
        stored: FloatArray | None,
        given: FloatArray,
        rates: tuple[npt.NDArray[np.int64], FloatArray] | None = None,
    ) -> None:
        self.rows = rows
        self.moving = moving
        self.stored = stored
        self.given = given
        self.rates = rates

    def whole(self, size: int) -> FloatArray:
        """The content with all components, shape (size, rows); those that are left out are zero."""
        whole = np.zeros((size, len(self.rows.ids)))
        whole[: len(self.moving)] = self.moving
        whole[MASS : MASS + len(self.given)] = self.given
        if self.rates is not None:
            columns, rates = self.rates
            whole[len(self.moving) : len(self.moving) + len(rates), columns] = rates
        if self.stored is not None:
            whole[STORED_MOMENTUM : STORED_MOMENTUM + 3] = self.stored
        return whole

    def fields(self, schema: Schema) -> dict[str, FloatArray]:
        """The content by field, without those that are left out."""
        whole, known = self.whole(schema.size), len(self.moving) + (0 if self.rates is None else len(self.rates[1]))
        return {
            name: whole[span]
            for name, span in schema.components.items()
            if span.start < known or MASS <= span.start < STORED_MOMENTUM + 3
        }


Image = TableImage | BodiesImage
"""The image of any table."""
