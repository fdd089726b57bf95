"""The move of the world's origin, which changes every number that is a point in the world frame."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import numpy as np

from ..checks import SMALL_ENOUGH, FloatArray, refuse
from ..forces.force import TableForce
from ..store.calling import called_object
from ..store.memory import Memory
from ..store.objects import state_of
from ..store.rows import TableRows
from ..store.schema import NOBODY
from ..store.store import BETWEEN_TICKS, CALLING, Store
from ..store.table import IntArray, Table

_TOLD = "on_origin_shift"


class Listener(Protocol):
    """An object that is told of a new origin."""

    def on_origin_shift(self, shift: FloatArray, /) -> object: ...


Change = tuple[Table, int, slice | IntArray, FloatArray]
"""A table, one of its components, the rows, and their new values."""


def shift_origin(
    store: Store,
    memory: Memory,
    forces: Iterable[object],
    parts: Iterable[TableRows],
    callbacks: Iterable[object],
    shift: FloatArray,
    stacklevel: int,
) -> None:
    """Subtract `shift` [m] from every point in the world frame in the tables and parts, and tell the objects that have a method for it.

    Args:
        store: The store of the world, which undoes everything if any part of it fails.
        memory: The memory of the world, whose attached objects are restored by their states.
        forces: The forces of the world.
        parts: The parts of the world.
        callbacks: The functions that the world calls.
        shift: The new origin [m], in the axes and from the origin before, shape (3,).
        stacklevel: The number of frames up to the line to name in the warning.
    """
    forces = list(forces)
    changes = list(_changes(store, shift))
    if not all(np.isfinite(values).all() for _table, _component, _rows, values in changes):
        refuse("World.shift_origin", "shift", shift.tolist(), SMALL_ENOUGH)
    store.before_change()
    _warn_of(forces, stacklevel + 1)
    with store.all_or_nothing():
        for table, component, rows, values in changes:
            table.write(component, rows, values)
        for part in parts:
            part._shift_origin(shift)
        listeners = _listeners(forces, callbacks, memory.objects.values())
        if listeners:
            _tell(listeners, store, memory, shift)


def _changes(store: Store, shift: FloatArray) -> Iterator[Change]:
    for table in store.tables.values():
        for field in table.schema.world_points if table.count else ():
            rows: slice | IntArray = slice(0, table.count)
            if field.unless_on:
                rows = np.flatnonzero(table.read(field.unless_on) == NOBODY)
                if not len(rows):
                    continue
            first = table.schema.row(field.name)
            for place, axis in enumerate(field.world_axes):
                with np.errstate(over="ignore"):  # what is beyond range is rejected by the caller
                    yield table, first + place, rows, table.array[first + place, rows] - shift[axis]


def _listeners(*groups: Iterable[object]) -> list[Listener]:
    """The objects that have the method, each once; for a method of an object, that object."""
    found: dict[int, Any] = {}
    for thing in (thing for group in groups for thing in group):
        for candidate in (thing, called_object(thing)):
            if not isinstance(candidate, TableForce) and callable(getattr(candidate, _TOLD, None)):
                found.setdefault(id(candidate), candidate)
                break
    return list(found.values())


def _tell(listeners: list[Listener], store: Store, memory: Memory, shift: FloatArray) -> None:
    attached = {id(object): (object, name) for name, object in memory.objects.items()}
    phase = store.phase
    store.enter(CALLING)
    try:
        for listener in listeners:
            if id(listener) in attached:
                object, name = attached[id(listener)]
                store.record(object.set_state, state_of(object, name))
                listener.on_origin_shift(shift.copy())
            else:
                listener.on_origin_shift(shift.copy())
                store.record(listener.on_origin_shift, -shift)
    finally:
        if phase is BETWEEN_TICKS:
            store.phase = phase


def _warn_of(forces: list[object], stacklevel: int) -> None:
    deaf = [
        repr(getattr(force, "__qualname__", force))
        for force in forces
        if (force._may_depend_on_position if isinstance(force, TableForce) else not _listeners([force]))
    ]
    if deaf:
        warnings.warn(
            f"World.shift_origin: {', '.join(deaf)} may depend on positions, but there is no method {_TOLD}(shift). Add one "
            "that subtracts the shift from the points of the force or function (it may do nothing). A compiled force instead names the "
            "parameters that are points in forces.compiled(world_points=…)",
            stacklevel=stacklevel + 1,
        )
