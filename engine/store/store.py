"""The store, which owns the tables of a world and undoes, hashes and copies all of them in one loop each."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from threading import get_ident
from types import FrameType, TracebackType
from typing import Any, NoReturn, Protocol
from weakref import ref

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray
from .objects import Stateful, field_bytes, state_of
from .schema import Kind, Schema
from .table import FilledTable, IntArray, Table, among

Entry = tuple[Callable[..., Any], tuple[Any, ...]]
"""The inverse of a change, as a function and its arguments."""


class Phase(Enum):
    """The phase of the tick that a world is in."""

    BETWEEN_TICKS = "between ticks"
    CALLING = "calling the user's functions, which may change the world"
    FORCES = "calling the user's forces, which must not change the world"
    MOVING = "moving"


BETWEEN_TICKS, CALLING, FORCES, MOVING = Phase


class Unfinished(Protocol):
    """Something that has begun and not ended.

    Attributes:
        outer: What had begun before it and has not ended either; None if nothing has.
        frame: The frame in which it goes on; None once it has failed.
        thread: The thread of that frame.
        begun_in: The phase in which it began.
    """

    begun_in: Phase
    outer: Unfinished | None
    frame: FrameType | None
    thread: int

    def finish(self) -> None:
        """End it after an exception; if another one arrives meanwhile, this is called again."""


class Store:
    """The tables by name, the phase of the tick, and the undo log of a tick or operation that may still fail.

    Attributes:
        tables: The tables, in the order in which they were created.
        phase: The phase of the tick. Tables may be changed between ticks and by callbacks.
        log: The inverses of the changes in the current tick or operation, oldest first; None while nothing can fail.
        quiet: The number of ticks that `Stages.run` may run before a function is due; zero after a change of what runs them. After a change
            of numbers alone, such as a throttle or a velocity, it is negative until what is held over a tick has been gathered again.
        layout_version: A counter that grows before anything changes that decides how ticks are run: rows, arrays, the values that a schema
            calls `deciding`. What was found for it stands while it is the same.
        binds_anew: Whether loops are to be bound to their arrays anew, because rows or arrays have changed since.
        unfinished: The innermost operation or failed tick that has not ended; None if there is none. An exception may come at any line and
            keep it from ending, also in the code that is to end it. Whoever uses the world next then ends it (`settle`).
    """

    __slots__ = ("_thread", "binds_anew", "layout_version", "log", "phase", "quiet", "tables", "unfinished", "world")

    def __init__(self, world: object) -> None:
        self.world: Callable[[], Any] = ref(world)
        """Returns the world that the store belongs to."""
        self.tables: dict[str, Table] = {}
        self.phase = BETWEEN_TICKS
        self.log: list[Entry] | None = None
        self.quiet = self.layout_version = 0
        self.binds_anew = True
        self.unfinished: Unfinished | None = None
        self._thread = 0

    def table(self, schema: Schema) -> Table:
        """The table of this schema, created on first use."""
        found = self.tables.get(schema.name)
        if found is None:
            found = self.tables[schema.name] = (FilledTable if schema.is_filled_by_ticks else Table)(schema, self)
        return found

    def change_layout(self, binds_anew: bool = True) -> None:
        """Note that something is about to change that decides how ticks are run; see `layout_version`."""
        self.layout_version += 1
        self.binds_anew = self.binds_anew or binds_anew

    # who may change something, and when

    def enter(self, phase: Phase) -> None:
        """Enter a phase that calls the user's functions on this thread."""
        if self.unfinished is not None:
            self.settle()
        self.phase = phase
        self._thread = get_ident()

    def before_change(self, table: Table | None = None) -> None:
        """Check that the world may be changed now; every change calls this first.

        Raises:
            RuntimeError: If a force changes the world, or another thread changes it while it runs a tick.
        """
        self.quiet = 0
        if self.unfinished is not None:
            self.settle()
        phase = self.phase
        if phase is not BETWEEN_TICKS and (phase is not CALLING or self._thread != get_ident()):
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

    @property
    def is_idle(self) -> bool:
        """Whether no tick is running, after what an exception has left unfinished has been ended."""
        if self.unfinished is not None:
            self.settle()
        return self.phase is BETWEEN_TICKS

    # undo

    def record(self, function: Callable[..., object], *arguments: object) -> None:
        """Record how to undo a change of something that is not in a table."""
        if self.log is not None:
            self.log.append((function, arguments))

    def settle(self) -> None:
        """End everything that an exception has left unfinished; what still goes on is left alone.

        Raises:
            BaseException: What a `set_state` of the user raised, after everything was ended; or an exception that arrived meanwhile, after
                which this is to be called again.
        """
        while (unfinished := self.unfinished) is not None and not self._goes_on(unfinished):
            unfinished.finish()

    def _goes_on(self, unfinished: Unfinished) -> bool:
        """Whether its frame is on the stack of its thread, or a call of `settle` that ends it."""
        is_own = unfinished.thread == get_ident()
        frame = sys._getframe(2) if is_own else sys._current_frames().get(unfinished.thread)
        while frame is not None:
            if frame is unfinished.frame:
                return True
            if frame.f_code is _SETTLE and frame.f_locals.get("unfinished") is unfinished:
                return True
            frame = frame.f_back
        return False

    def undo(self, log: list[Entry], mark: int = 0) -> Exception | None:
        """Undo the changes since this log had `mark` entries, last change first.

        An entry stays in the log until it has been run. After an interrupt, or at the end of the stack or of the memory, this is therefore
        to be called again. The caller sets the phase and the log that hold afterwards.

        Returns:
            The first exception that a `set_state` of the user raised; everything else was undone.
        """
        failure: Exception | None = None
        self.log, self.phase = None, BETWEEN_TICKS  # undoing is not itself recorded
        while len(log) > mark:
            function, arguments = log[-1]
            try:
                function(*arguments)
            except (RecursionError, MemoryError):
                raise
            except Exception as error:
                failure = failure or error
            log.pop()
        return failure

    def undo_in_rows(self, are_chosen: Callable[[Table, IntArray], npt.NDArray[np.bool_]]) -> None:
        """Undo what the present tick has changed so far in some rows of tables, and leave all other changes.

        Args:
            are_chosen: Tells which of these rows of a table are meant, as a mask.
        """
        for function, arguments in reversed(list(self.log or ())):
            table = getattr(function, "__self__", None)
            if isinstance(table, Table):
                table.undo_in_rows(function, arguments, are_chosen)

    def all_or_nothing(self) -> _Operation:
        """Return a context that undoes the changes of its block if the block raises."""
        return _Operation(self)

    def all_numbers_or_none(self) -> _Operation:
        """The same for a block that changes the world by `Table.write` alone, after which its loops may go on; see `quiet`."""
        quiet, operation = self.quiet, _Operation(self)
        operation.quiet_after = -abs(quiet)
        return operation

    def trial(self, objects: dict[str, Stateful]) -> _Operation:
        """Return a context that always undoes the changes of its block, including the state of the attached objects."""
        return _Operation(self, objects)

    def ending_with(self, function: Callable[..., object], *arguments: object, always: bool = False) -> _Operation:
        """Return a context after which a function is called, if the block raises or `always`; changes in it are not recorded.

        The function is called again if an exception arrives in it, which must do no harm.
        """
        return _Operation(self, {} if always else None, (function, arguments))

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

    def contents(self) -> Iterator[tuple[Schema, FloatArray]]:
        """The schema and the rows of each table that has any, shape (schema.size, rows)."""
        return ((table.schema, table.array[:, : table.count]) for table in self.tables.values() if table.count)


def digest_of(contents: Iterable[tuple[Schema, FloatArray]], is_pending: bool) -> Iterator[bytes]:
    """Tables as bytes that are equal for equal values, with the fields in hash order.

    Tables of zeros that belong to the rows of another table are left out.

    Args:
        contents: The tables that have rows, of shape (schema.size, rows).
        is_pending: Whether the values for one tick have yet to act.
    """
    for schema, content in sorted(contents, key=lambda pair: pair[0].name):
        hashed = [field for field in schema.hashed if is_pending or field.kind is not Kind.ONE_TICK]
        if not hashed or (schema.follows and not content.any()):
            continue
        yield f"{schema.name} {content.shape[1]}".encode()
        for field in hashed:
            own = content[schema.components[field.name]]
            if field.is_new and (own == schema.rest[schema.components[field.name]]).all():
                continue
            yield field.name.encode()
            yield field_bytes(own, field.dtype)


_SETTLE = Store.settle.__code__


class _Operation:
    """Changes that are made completely or not at all.

    It is known to the store from its beginning to its end. If exceptions keep `__exit__` from running to its end, or from running at all,
    its frame is no longer on the stack, by which the next use of the world sees that it is to be undone.
    """

    __slots__ = (
        "_entry",
        "_log",
        "_mark",
        "_objects",
        "_outer_log",
        "_store",
        "begun_in",
        "frame",
        "outer",
        "quiet_after",
        "thread",
    )

    def __init__(self, store: Store, objects: dict[str, Stateful] | None = None, entry: Entry | None = None) -> None:
        self._store = store
        self._objects = objects
        self._entry = entry
        self.begun_in = store.phase
        self.outer: Unfinished | None = None
        self.frame: FrameType | None = None
        self.quiet_after = 0
        self.thread = get_ident()

    def __enter__(self) -> None:
        store = self._store
        if store.unfinished is not None:
            store.settle()
        kept = [(object.set_state, (state_of(object, name),)) for name, object in (self._objects or {}).items()]
        if self._entry is not None:
            kept.append(self._entry)
        self.begun_in, self._outer_log, self.outer = store.phase, store.log, store.unfinished
        self._log: list[Entry] = [] if self._outer_log is None or self._entry is not None else self._outer_log
        self._mark = len(self._log)
        self.frame = sys._getframe(1)
        store.quiet = self.quiet_after if store.quiet else 0
        store.unfinished = self  # from here on it is undone, unless it ends
        self._log.extend(kept)
        store.log = self._log if self._entry is None else None

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._objects is None:
            self._end()
        else:
            self.frame = None
            self._store.settle()

    def finish(self) -> None:
        """Undo the changes."""
        failure = self._store.undo(self._log, self._mark)
        self._end()
        if failure is not None:
            raise failure

    def _end(self) -> None:
        store = self._store
        store.log, store.phase = self._outer_log, self.begun_in
        store.unfinished = self.outer
        self.frame = self.outer = None  # which refer to this


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
