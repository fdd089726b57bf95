"""The store, which owns the tables of a world and undoes, hashes and copies all of them in one loop each."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from threading import get_ident
from types import TracebackType
from typing import Any, NoReturn
from weakref import ref

import numpy as np

from ..checks import FloatArray
from .objects import field_bytes, state_of
from .schema import Kind, Schema
from .table import IntArray, Table, among

Entry = tuple[Callable[..., Any], tuple[Any, ...]]
"""The inverse of a change, as a function and its arguments."""


_MOST_TRIES = 3
"""How many times an inverse is tried if every try is interrupted."""


class Phase(Enum):
    """The phase of the tick that a world is in."""

    BETWEEN_TICKS = "between ticks"
    CALLING = "calling the user's functions, which may change the world"
    FORCES = "calling the user's forces, which must not change the world"
    MOVING = "moving"


BETWEEN_TICKS, CALLING, FORCES, MOVING = Phase


class Store:
    """The tables by name, the phase of the tick, and the undo log of a tick or operation that may still fail.

    Attributes:
        tables: The tables, in the order in which they were created.
        phase: The phase of the tick. Tables may be changed between ticks and by callbacks.
        log: The inverses of the changes in the current tick or operation, oldest first; None while nothing can fail.
        quiet: The number of ticks that `Stages.run` may run before a function is due; zero after any change.
    """

    __slots__ = ("_thread", "log", "phase", "quiet", "tables", "world")

    def __init__(self, world: Any) -> None:
        self.world: Callable[[], Any] = ref(world)
        """Returns the world that the store belongs to."""
        self.tables: dict[str, Table] = {}
        self.phase = BETWEEN_TICKS
        self.log: list[Entry] | None = None
        self.quiet = 0
        self._thread = 0

    def table(self, schema: Schema) -> Table:
        """The table of this schema, created on first use."""
        found = self.tables.get(schema.name)
        if found is None:
            found = self.tables[schema.name] = Table(schema, self)
        return found

    # who may change something, and when

    def enter(self, phase: Phase) -> None:
        """Enter a phase that calls the user's functions on this thread."""
        self.phase = phase
        self._thread = get_ident()

    def before_change(self, table: Table | None = None) -> None:
        """Check that the world may be changed now; every change calls this first.

        Raises:
            RuntimeError: If a force changes the world, or another thread changes it while it runs a tick.
        """
        self.quiet = 0
        if self.phase is not BETWEEN_TICKS:
            self._admit(table)

    def _admit(self, table: Table | None) -> None:
        if self.phase is MOVING or self._thread != get_ident():
            refuse_other_thread("a change")
        if self.phase is FORCES and not (table is not None and table.schema.name.startswith("memory.")):
            raise RuntimeError(
                "World: a force may only add to its wrench; change the world in a callback (World.on_tick) instead"
            )

    @property
    def is_calling_here(self) -> bool:
        """Whether one of the user's functions is being called on this thread."""
        return self.phase in (CALLING, FORCES) and self._thread == get_ident()

    # undo

    def record(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Record how to undo a change of something that is not in a table."""
        if self.log is not None:
            self.log.append((function, arguments))

    def undo(self, log: list[Entry], mark: int = 0) -> None:
        """Undo the changes since this log had `mark` entries, last change first; after an interrupt, call this again.

        The caller sets the phase and the log that hold afterwards.

        Raises:
            BaseException: An exception that a `set_state` of the user raised, or an interrupt, after everything else was undone.
        """
        failure: BaseException | None = None
        tries = 0
        self.log, self.phase = None, BETWEEN_TICKS  # undoing is not itself recorded
        while len(log) > mark:
            function, arguments = log[-1]
            try:
                function(*arguments)
            except Exception as error:
                failure = failure or error
            except BaseException as interrupt:
                failure, tries = interrupt, tries + 1
                if tries < _MOST_TRIES:  # repeating an inverse does no harm
                    continue
            tries = 0
            log.pop()
        if failure is not None:
            raise failure

    def all_or_nothing(self) -> _Operation:
        """Return a context that undoes the changes of its block if the block raises.

        It is entered twice, as in ``with (change := store.all_or_nothing()), change:``. Where an interrupt arrives while the inner context
        ends, the outer one undoes the changes.
        """
        return _Operation(self)

    def trial(self, objects: dict[str, Any]) -> _Operation:
        """Return a context that always undoes the changes of its block, including the state of the attached objects."""
        return _Operation(self, objects)

    # rows that refer to other rows

    def remove_rows(self, table: Table, rows: IntArray) -> None:
        """Remove rows of a table and every row elsewhere that refers to them, and update the other references."""
        for follower in self.followers(table.schema.name):
            follower.remove(rows)
        for other in list(self.tables.values()):
            for field in other.schema.references:
                if field.refers_to == table.schema.name and other.count:
                    self._follow(other, other.schema.row(field.name), rows)
        table.remove(rows)

    def followers(self, name: str) -> list[Table]:
        """The tables whose rows belong to those of another, one to one."""
        return [table for table in self.tables.values() if table.schema.follows == name]

    def _follow(self, table: Table, component: int, gone: IntArray) -> None:
        refers = table.array[component, : table.count]
        orphans = np.flatnonzero(among(refers, gone))
        if len(orphans):
            self.remove_rows(table, orphans)
            refers = table.array[component, : table.count]
        behind = refers > gone[0] if len(gone) == 1 else np.searchsorted(gone, refers)
        if behind.any():  # NOBODY is -1, which is before every row
            table.write(component, slice(0, table.count), refers - behind)

    # digest

    def digest(self, is_pending: bool) -> Iterator[bytes]:
        """The tables as bytes that are equal for equal values, with the fields in hash order.

        Empty tables are left out, and so are tables of zeros that belong to the rows of another table.

        Args:
            is_pending: Whether the values for one tick have yet to act.
        """
        contents = ((table.schema, table.array[:, : table.count]) for table in self.tables.values() if table.count)
        return digest_of(contents, is_pending)


def digest_of(contents: Iterable[tuple[Schema, FloatArray]], is_pending: bool) -> Iterator[bytes]:
    """The same for the contents of tables that have rows, of shape (schema.size, rows)."""
    for schema, content in sorted(contents, key=lambda pair: pair[0].name):
        hashed = [field for field in schema.hashed if is_pending or field.kind is not Kind.ONE_TICK]
        if not hashed or (schema.follows and not content.any()):
            continue
        yield f"{schema.name} {content.shape[1]}".encode()
        for field in hashed:
            yield field.name.encode()
            yield field_bytes(content[schema.components[field.name]], field.dtype)


class _Operation:
    """Changes that are made completely or not at all; entering and leaving it twice has the effect of once."""

    __slots__ = ("_is_trial", "_log", "_mark", "_outer", "_phase", "_store")

    def __init__(self, store: Store, objects: dict[str, Any] | None = None) -> None:
        self._store = store
        self._phase = store.phase
        self._outer = store.log
        self._log: list[Entry] = [] if store.log is None else store.log
        self._mark = len(self._log)
        self._is_trial = objects is not None
        for name, object in (objects or {}).items():
            self._log.append((object.set_state, (state_of(object, name),)))

    def __enter__(self) -> None:
        self._store.log = self._log

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is not None or self._is_trial:
                self._store.undo(self._log, self._mark)
        finally:
            self._store.log, self._store.phase = self._outer, self._phase


def hash_of(parts: Iterator[bytes]) -> int:
    """A 64-bit hash of all parts, each with its length, so that different sequences of parts are different bytes."""
    digest = hashlib.blake2b(digest_size=8)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return int.from_bytes(digest.digest(), "little")


def refuse_other_thread(what: str) -> NoReturn:
    """Raise the error for two threads in one world."""
    raise RuntimeError(
        f"World: {what} came from another thread, or from inside a running tick; only one thread may use a world at a time. "
        "Hold a threading.Lock around every use of it, or give each thread its own world"
    )


def _nothing() -> None:
    pass
