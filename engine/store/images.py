"""Images of tables, which are immutable and shared by all snapshots between which a table has not changed."""

from __future__ import annotations

from typing import Any

from ..checks import FloatArray


class RowsImage:
    """The ids and groups of the rows of a table, and the id of the next row."""

    __slots__ = ("groups", "ids", "next_id")

    def __init__(self, ids: Any, groups: Any, next_id: int) -> None:
        self.ids = ids
        self.groups = groups
        self.next_id = next_id


class TableImage:
    """The content of a table: its rows, and the components of each row as columns."""

    __slots__ = ("content", "rows")

    def __init__(self, rows: RowsImage, content: FloatArray) -> None:
        self.rows = rows
        self.content = content


class BodiesImage:
    """The bodies: what ticks change, and what only the user and propellant change.

    What kernels compute anew is left out.

    Attributes:
        rows: Ids and groups.
        moving: State and previous pose.
        stored: Stored momentum; None if there is none.
        given: Mass properties.
    """

    __slots__ = ("given", "moving", "rows", "stored")

    def __init__(self, rows: RowsImage, moving: FloatArray, stored: FloatArray | None, given: FloatArray) -> None:
        self.rows = rows
        self.moving = moving
        self.stored = stored
        self.given = given
