"""Fields, which are forces compiled from scalar functions of a body's own state and evaluated inside the loops of the methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from ..checks import FloatArray, by_value, first_of, is_row
from ..loops.fields import FieldKind, field_passes
from ..loops.layout import ANY_PITCH
from ..store.bodies import Bodies
from ..store.rows import BodyHandle, body_rows, checked, fixed, require_body
from ..store.schema import NOBODY
from .force import TableForce
from .wrench import BodyStates, Wrench


class FieldForce(TableForce, final=False):
    """A force that is a scalar function of a body's own state and of parameters (see `loops.fields`).

    It acts on all bodies or on those listed. In its table the parameters of the function are adjacent, after the reference and `enabled`.
    """

    __slots__ = ()

    evaluate: Literal["tick", "stage"] = "stage"
    _kind: ClassVar[FieldKind]

    def __init__(self, owner: str, bodies: Iterable[BodyHandle] | None, values: Mapping[str, object]) -> None:
        rows = body_rows(bodies, owner)
        values = {name: by_value(value, name, owner, "real numbers") for name, value in values.items()}
        schema = self._schema
        several = {
            name
            for name, value in values.items()
            if bodies is not None and _is_per_body(value, schema.by_name[name].size)
        }
        columns = {
            name: checked(schema, name, value, owner, len(rows) if name in several else None)
            for name, value in values.items()
        }
        super().__init__(rows, columns, several)

    def apply(self, wrench: Wrench, bodies: BodyStates, time: float) -> None:
        table = bodies._table
        columns = self._table.array[:, self._slice()].copy()
        if self._table.store is not table.store:  # not of this world's table: its rows are named by handles
            columns[0] = [NOBODY if body is None else bodies.row(body) for (body,) in self._bodies]
        block, count = stacked(columns, self._kind, table)
        loop = field_passes(self._kind, ANY_PITCH)
        loop(table.array, table.control, wrench._array, wrench._first_row, block, 0, count, 0.0, 0.0, time)


class OneBodyField(FieldForce, final=False):
    """A field on one body. Several of the same kind may act on it, each by its own row."""

    __slots__ = ()

    def __init__(self, owner: str, body: BodyHandle, values: Mapping[str, object]) -> None:
        """Create the row.

        Args:
            owner: The name of the class, for errors.
            body: The body it acts on.
            values: The values of the fields that have a rule, by name, as users gave them.
        """
        owner = f"{owner} of {require_body(body, 'body', owner)}"
        columns = {name: checked(self._schema, name, value, owner) for name, value in values.items()}
        TableForce.__init__(self, [(body,)], columns)

    @fixed
    def body(self) -> BodyHandle:
        """The body it acts on."""
        return self._named_bodies()[0]

    def _write(self, values: Mapping[str, object]) -> None:
        """Write checked values of adjacent fields, in the order of the table."""
        first, last = (self._schema.components[name] for name in (next(iter(values)), next(reversed(list(values)))))
        numbers = np.concatenate([np.atleast_1d(np.asarray(value, np.float64)) for value in values.values()])
        self._table.write(slice(first.start, last.stop), self._slice(), numbers[:, np.newaxis])


def _is_per_body(value: object, size: int) -> bool:
    """Whether a value has one entry per body rather than one for all."""
    return is_row(value) and (size == 1 or (len(value) > 0 and is_row(first_of(value))))


def stacked(columns: FloatArray, kind: FieldKind, bodies: Bodies) -> tuple[FloatArray, int]:
    """Rows of a field's table, laid out as layers for loops over bodies (see `loops.fields`), and the number of layers.

    A layer holds at most one row per body. A body that several rows act on has them in that many layers, in their order.
    """
    pitch, count, parameter_count = bodies.pitch, bodies.count, kind.parameter_count
    given = parameter_count - 6 if kind.feels_wheels else parameter_count
    depth = np.zeros(pitch, np.int64)
    depth[count:] = -1
    places: list[tuple[Any, Any, Any]] = []  # layer, bodies, row of each of them or of all
    refers = columns[0].astype(np.int64)
    start = 0
    while start < len(refers):
        if refers[start] == NOBODY:
            own = depth[:count]
            if count and own[0] == own.min() == own.max():
                places.append((int(own[0]), slice(0, count), start))
            else:
                places.append((own.copy(), np.arange(count), start))
            own += 1
            start += 1
            continue
        # a run of rows that name their bodies
        ends = np.flatnonzero(refers[start:] == NOBODY)
        stop = start + int(ends[0]) if len(ends) else len(refers)
        named = refers[start:stop]
        order = np.argsort(named, kind="stable")
        first_of_body = np.searchsorted(named[order], named[order])
        turn = np.empty(len(named), np.int64)
        turn[order] = np.arange(len(named)) - first_of_body
        places.append((depth[named] + turn, named, np.arange(start, stop)))
        np.add.at(depth, named, 1)
        start = stop
    layers = int(depth.max(initial=0)) if count else 0
    block = np.zeros((layers, kind.rows_per_layer, pitch))
    parameters = columns[2 : 2 + given]
    for layer, body, row in places:
        block[layer, 0, body] = columns[1, row]
        if isinstance(layer, int):
            block[layer, 1 : 1 + given, body] = parameters[:, row : row + 1]
        else:
            block[layer, 1 : 1 + given, body] = parameters[:, row].T
    if kind.feels_wheels:
        block[:, 1 + given : 1 + parameter_count, :count] = bodies.moments_of_wheels()
    return block.reshape(-1, pitch), layers
