"""Tables, with one row per thruster, spring or body, stored component by component so that loops over rows are contiguous."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray
from ..loops.allocation import zeros
from ..loops.members import read_blocks, write_adjacent, write_blocks
from .images import Image, RowsImage, TableImage
from .schema import Schema

IntArray = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Rows = slice | int | IntArray | list[int]


_SMALL = 64
"""Up to this capacity, no vectors are worth a place on cache lines."""


class Owner(Protocol):
    """What a table uses of the store that owns it."""

    binds_anew: bool
    layout_version: int
    log: list[tuple[Callable[..., object], tuple[object, ...]]] | None
    quiet: int
    tables: dict[str, Table]
    world: Callable[[], Any]

    @property
    def unfinished(self) -> object: ...
    def settle(self) -> None: ...
    def change_layout(self, binds_anew: bool = True) -> None: ...
    def before_change(self, table: Table | None = None) -> None: ...
    def record(self, function: Callable[..., object], *arguments: object) -> None: ...
    def followers(self, name: str) -> list[Table]: ...
    def all_or_nothing(self) -> AbstractContextManager[object]: ...


class Blocks:
    """Components of blocks of adjacent rows of a table, for `Table.write_blocks`.

    Attributes:
        places: A component and the first row of the block per block, shape (k, 2).
        components: The first to the last of the components.
        firsts: The first rows of the blocks, each once, shape (b, 1).
    """

    __slots__ = ("components", "firsts", "places")

    def __init__(self, places: IntArray) -> None:
        self.places = places
        numbers = places[:, 0]
        self.components = slice(int(numbers.min(initial=0)), int(numbers.max(initial=-1)) + 1)
        self.firsts = np.unique(places[:, 1])[:, np.newaxis]


class Table:
    """Rows of one schema; in memory, a component is a row of `array` and a row of the table is a column of it.

    Every change goes through `write`, `append` or `remove`, which record its inverse while a tick or an operation may still fail.

    Attributes:
        array: The components, shape (schema.size, capacity). Columns from `count` on hold default values, or after `clear` any.
        ids: An ascending number per row that never changes and is never reused, shape (capacity,).
        count: The number of rows.
        numbering: A counter that grows when rows or the array move, which makes row numbers and views found before stale.
        version: A counter that grows with every change.
        removed_by_restore: Spans of ids, as first and last plus one, that a restore of the world has removed.
        numbers: The components, as first and last plus one, that loops of ticks read anew in each tick, or that are gathered before.
        groups: For each row, the id of the first row that was added together with it, shape (capacity,).
        on_change: A function that is called after each change with components and rows, or with None twice if rows were added, removed or
            moved.
    """

    __slots__ = (
        "_image",
        "_image_key",
        "_next_id",
        "_rows_image",
        "_rows_key",
        "array",
        "count",
        "groups",
        "ids",
        "numbering",
        "numbers",
        "on_change",
        "removed_by_restore",
        "schema",
        "store",
        "version",
    )

    def __init__(self, schema: Schema, store: Owner | None = None, capacity: int = 8) -> None:
        self.schema = schema
        self.store = store
        self.count = 0
        self.numbering = 0
        self.version = 0
        self.numbers = 0, 0
        self.on_change: Callable[[slice | int | None, Rows | None], None] = _nothing
        self.removed_by_restore: list[tuple[int, int]] = []
        self._next_id = 0
        self._image: Image | None = None
        self._image_key: tuple[int, ...] = ()
        self._rows_image: RowsImage | None = None
        self._rows_key: tuple[int, ...] = ()
        self.array = self._resting(capacity)
        self.ids, self.groups = np.zeros(capacity, np.int64), np.zeros(capacity, np.int64)

    @property
    def capacity(self) -> int:
        """Number of rows that fit without growing."""
        return int(self.array.shape[1])

    @property
    def next_id(self) -> int:
        """The id of the row that is added next."""
        return self._next_id

    def read(self, name: str, rows: Rows | None = None) -> FloatArray:
        """Return the values of a field, as a view where possible.

        Args:
            name: The name of the field.
            rows: The rows to read; None is all.

        Returns:
            Shape (count,), or (count, size) for a field with several components.
        """
        components = self.schema.components[name]
        values: FloatArray = self.array[components, : self.count] if rows is None else self.array[components, rows]
        if components.stop - components.start == 1:
            return values[0]
        return values.T

    def write(self, components: slice | int, rows: Rows, values: npt.ArrayLike) -> None:
        """Set components of rows."""
        store = self.store
        if store is not None:
            quiet = store.quiet
            store.before_change(self)
            settle = self.schema.settle
            written = None if settle is None else settle(self, components, rows, values)
            if quiet and self._are_numbers(components):
                store.quiet = -abs(quiet)
            if written is not None:
                places, numbers, former = written
                if store.log is not None:
                    store.log.append((self._set_together, (components, rows, places, former)))
                self._set_together(components, rows, places, numbers)
                return
            if (log := store.log) is not None:
                log.append((self._set, (components, rows, self.array[components, rows].copy())))
        self._set(components, rows, values)

    def write_blocks(self, blocks: Blocks, members: IntArray, values: FloatArray) -> None:
        """Set components of some rows of several blocks of adjacent rows, with a kernel and without `Schema.settle`.

        Args:
            blocks: The components and blocks.
            members: The rows, counted from the first of their block, shape (m,).
            values: The values, shape (k, m), or (k, 1) for all rows of a block alike.
        """
        store, rows, places = self.store, (blocks.firsts + members).ravel(), (blocks.places, members)
        if store is not None:
            store.before_change(self)
            if store.log is not None:
                former = np.empty((len(blocks.places), len(members)))
                read_blocks(self.array, *places, former)
                store.log.append((self._set_together, (blocks.components, rows, places, former)))
        self._set_together(blocks.components, rows, places, values)

    def undo_in_rows(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], are_chosen: Callable[[Table, IntArray], Any]
    ) -> None:
        """Undo a change of values in some rows only, which is a change itself.

        Args:
            function: A method of this table that is in the undo log.
            arguments: Its arguments.
            are_chosen: Tells which of these rows of a table are meant, as a mask.
        """
        for component, rows, former in self._undone(function, arguments):
            own = are_chosen(self, rows)
            if own.any():
                chosen = rows[own]
                assert self.store is not None
                self.store.before_change(self)
                self.store.record(self._set, component, chosen, self.array[component, chosen])
                self._set(component, chosen, former[own])  # without `Schema.settle`, whose numbers were kept as well

    def _undone(
        self, function: Callable[..., Any], arguments: tuple[Any, ...]
    ) -> Iterator[tuple[int, IntArray, FloatArray]]:
        """The components, rows and former values that an inverse of a change of values puts back; nothing of rows that come or go."""
        if function.__name__ == self._set.__name__:
            components, rows, values = arguments
            rows = np.atleast_1d(np.arange(self.count)[rows])
            numbers = np.atleast_1d(np.arange(self.schema.size)[components])
        elif function.__name__ == self._set_together.__name__:
            _components, rows, places, values = arguments
            if type(places) is tuple:
                blocks, members = places
                if type(members) is slice:
                    members = np.arange(members.start, members.stop)
                yield from ((block[0], block[1] + members, each) for block, each in zip(blocks, values, strict=True))
                return
            rows, numbers = np.array([rows]), places
        else:
            return
        former = np.asarray(values).reshape(len(numbers), len(rows))
        yield from ((int(number), rows, each) for number, each in zip(numbers, former, strict=True))

    def _are_numbers(self, components: slice | int) -> bool:
        """Whether a change of these components leaves the loops of ticks as they are; see `Store.quiet`."""
        first, last = self.numbers
        if isinstance(components, slice):
            return components.stop is not None and first <= (components.start or 0) and components.stop <= last
        return first <= components < last

    def append(self, columns: FloatArray) -> int:
        """Add rows with consecutive ids.

        Args:
            columns: The rows as columns, shape (schema.size, k).

        Returns:
            The id of the first new row.
        """
        store, first = self.store, self.count
        wanted = first + columns.shape[1]
        if store is not None:
            store.before_change(self)
            if store.log is not None:
                store.log.append((self._truncate, (first, wanted)))
        if wanted > self.capacity:
            self._grow(wanted)
        first_id, self._next_id = self._next_id, self._next_id + columns.shape[1]
        self.array[:, first:wanted] = columns
        self.ids[first:wanted] = first_id if wanted == first + 1 else np.arange(first_id, self._next_id)
        self.groups[first:wanted] = first_id
        self.count = wanted
        self._changed(None, None)
        return first_id

    def append_one(self, values: Sequence[float]) -> None:
        """Add one row, given as its components."""
        store, first = self.store, self.count
        if store is not None:
            store.before_change(self)
            if store.log is not None:
                store.log.append((self._truncate, (first, first + 1)))
        if first == self.array.shape[1]:
            self._grow(first + 1)
        self.array[:, first] = values
        self.ids[first] = self.groups[first] = self._next_id
        self._next_id += 1
        self.version += 1
        self.count = first + 1
        self._changed(None, None)

    def clear(self) -> None:
        """Remove all rows without recording an inverse."""
        # first, so that after an interrupt no image of the rows counts as the content
        self.version += 1
        self.count = 0
        self.numbering += 1
        self._changed(None, None)

    def remove(self, rows: IntArray) -> None:
        """Remove rows, given by ascending numbers; the rows after them move up."""
        if not len(rows):
            return
        store, first, left = self.store, int(rows[0]), self.count - len(rows)
        if store is not None:
            store.before_change(self)
            if store.log is not None:
                tail = slice(first, self.count)
                kept = self.array[:, tail].copy(), self.ids[tail].copy(), self.groups[tail].copy()
                store.log.append((self._put_back, (first, self.count, *kept)))
        behind = (
            slice(first + 1, self.count) if len(rows) == 1 else np.delete(np.arange(first, self.count), rows - first)
        )
        self.array[:, first:left] = self.array[:, behind]
        self.ids[first:left] = self.ids[behind]
        self.groups[first:left] = self.groups[behind]
        self.array[:, left : self.count] = self.schema.rest
        self.count = left
        self.numbering += 1
        self._changed(None, None)

    def find(self, first_id: int, last_id: int) -> slice:
        """The rows whose ids are at least `first_id` and below `last_id`; removed rows are left out."""
        ids = self.ids[: self.count]
        return slice(int(np.searchsorted(ids, first_id)), int(np.searchsorted(ids, last_id)))

    def content(self) -> FloatArray:
        """A copy of all rows, shape (schema.size, count)."""
        return self.array[:, : self.count].copy()

    # images, which snapshots consist of

    def image(self, tick: int) -> Image:
        """Return the content, which is shared with the last image if nothing has changed since.

        Args:
            tick: The number of ticks run, or a constant if loops do not write this table.
        """
        key = (self.version, self._flown(tick))
        if self._image_key != key:
            self._image = self._new_image()
            self._image_key = key
        assert self._image is not None
        return self._image

    def _flown(self, tick: int) -> int:
        """The tick, if loops write this table in each, or -1."""
        schema = self.schema
        if not schema.flown or not self.count:
            return -1
        if not schema.flown_while:
            return tick
        return (
            tick if any(self.array[schema.components[name], : self.count].any() for name in schema.flown_while) else -1
        )

    def _new_image(self) -> Image:
        return TableImage(self.rows_image(), self.content())

    def image_of(self, rows: IntArray) -> Image:
        """Return an image of some rows, which is not kept."""
        return TableImage(self._some_rows(rows), self.array[:, rows])

    def _some_rows(self, rows: IntArray) -> RowsImage:
        return RowsImage(self.ids[rows], self.groups[rows], self._next_id)

    def rows_image(self) -> RowsImage:
        """Return the ids and groups of the rows, shared while no row is added or removed."""
        key = (self.numbering, self.count, self._next_id)
        if self._rows_image is None or self._rows_key != key:
            count = self.count
            self._rows_image = RowsImage(self.ids[:count].copy(), self.groups[:count].copy(), self._next_id)
            self._rows_key = key
        return self._rows_image

    def put(self, image: Any, tick: int, now: int) -> None:
        """Replace the content by an image, if it is another; no inverse is recorded. Doing this twice does no harm.

        Args:
            image: The image.
            tick: What was given to `image` when it was made.
            now: What would be given to `image` for the present content.
        """
        flies = self.schema.flown and self.count > 0
        if self._image is image and self._image_key == (self.version, self._flown(now) if flies else -1):
            if flies:
                self._image_key = (self.version, self._flown(tick))
            return
        self._put_rows(image.rows)
        if self.schema.deciding:
            self._look_at_layout(slice(None), slice(0, self.count), image.content)
        self.array[:, : self.count] = image.content
        self._changed(slice(None), slice(0, self.count))
        self._image, self._image_key = image, (self.version, self._flown(tick))

    def image_from(self, rows: RowsImage, content: FloatArray, given: Collection[str] = ()) -> Image:
        """An image of rows that come from elsewhere, with all components; `given` names the fields that were known there."""
        return TableImage(rows, content)

    def empty_image(self) -> Image:
        """An image without rows, which a restore puts here to go back to a time before them."""
        nobody = np.zeros(0, np.int64)
        return self.image_from(RowsImage(nobody, nobody, self._next_id, 0), np.zeros((self.schema.size, 0)))

    def empty(self) -> None:
        """Remove all rows because a restore goes back to a time before them; no inverse is recorded."""
        if self.count:
            self.put(self.empty_image(), -1, -1)

    def was_removed_by_restore(self, id: int) -> bool:
        """Whether the row with this id was added after the time to which the world was restored."""
        return any(first <= id < last for first, last in self.removed_by_restore)

    def _put_rows(self, rows: RowsImage) -> None:
        """Make room for these rows and number them, unless they are the present ones."""
        if self._rows_image is rows and self._rows_key == (self.numbering, self.count, self._next_id):
            return
        count = len(rows.ids)
        if count > self.capacity:
            self._grow(count)
        self.array[:, count : self.count] = self.schema.rest
        self.ids[:count], self.groups[:count] = rows.ids, rows.groups
        # before the count as well, because after an interrupt `empty` looks at the count alone
        self.numbering += 1
        self._remember_removed(rows.removes_from)
        self._changed(None, None)
        self.count = count
        self._changed(None, None)
        # ids are not given again after a restore, so that the handles of what it has removed find nothing
        self._next_id = max(self._next_id, rows.next_id)
        self._rows_image, self._rows_key = rows, (self.numbering, self.count, self._next_id)

    def _remember_removed(self, first: int) -> None:
        last, spans = self._next_id, self.removed_by_restore
        if first >= last:
            return
        while spans and spans[-1][1] >= first:
            first = min(first, spans.pop()[0])
        spans.append((first, last))

    # the inverses, for the undo log

    def _set(self, components: slice | int, rows: Rows, values: npt.ArrayLike) -> None:
        # in this order, so that after an interrupt nothing that was computed from the former values counts as valid
        if self.schema.deciding:
            self._look_at_layout(components, rows, values)
        self._changed(components, rows)
        self.array[components, rows] = values

    def _set_together(self, components: slice | int, rows: Rows, places: Any, values: Any) -> None:
        """Set components together with others of the same rows, in one assignment or call, which no interrupt divides."""
        if self.schema.deciding:
            self._look_at_layout(components, rows)
        self._changed(components, rows)
        if callable(places):
            places(self, components, values)
        elif type(places) is tuple:
            blocks, members = places
            if type(members) is slice:
                write_adjacent(self.array, blocks, members.start, values)
            else:
                write_blocks(self.array, blocks, members, values)
        else:  # the components of one row, which take longer to give to a kernel
            self.array[:, rows][places] = values

    def _truncate(self, count: int, last: int) -> None:
        """Remove the rows from `count` to `last`, some of which may not have been added completely."""
        self.array[:, count:last] = self.schema.rest
        self.count = count
        self.numbering += 1
        self._changed(None, None)

    def _put_back(self, first: int, count: int, columns: FloatArray, ids: IntArray, groups: IntArray) -> None:
        """Have the rows from `first` to `count` as they were, some of which may not have been removed completely."""
        tail = slice(first, count)
        self.array[:, tail], self.ids[tail], self.groups[tail] = columns, ids, groups
        self.count = count
        self.numbering += 1
        self._changed(None, None)

    # inside

    def _look_at_layout(self, components: slice | int, rows: Rows, values: object = None) -> None:
        """Tell the store if values that decide how ticks are run are about to change, to these or to any."""
        if self.store is None:
            return
        first, last, _step = (
            components if isinstance(components, slice) else slice(components, components + 1)
        ).indices(self.schema.size)
        deciding = [number - first for number in self.schema.deciding if first <= number < last]
        if deciding and (values is None or (self.array[first:last, rows] != values)[deciding].any()):
            self.store.change_layout(binds_anew=False)

    def _changed(self, components: slice | int | None, rows: Rows | None) -> None:
        self.version += 1
        if rows is None and self.store is not None and not self.schema.comes_and_goes:
            self.store.change_layout()
        self.on_change(components, rows)

    def _capacity_for(self, wanted: int) -> int:
        # eight above a power of two, because components a power of two apart compete for the same cache lines
        return 8 if wanted <= 8 else 8 + max(8, 1 << (wanted - 9).bit_length())

    def _grow(self, wanted: int) -> None:
        if self.store is not None:
            self.store.change_layout()
        capacity = self._capacity_for(wanted)
        array, spare = self._resting(capacity), np.zeros(capacity - self.count, np.int64)
        array[:, : self.count] = self.array[:, : self.count]
        self.ids = np.concatenate([self.ids[: self.count], spare])
        self.groups = np.concatenate([self.groups[: self.count], spare])
        self.array = array
        self.numbering += 1  # views of the former array are stale

    def _resting(self, capacity: int) -> FloatArray:
        # loops over many rows read vectors, of which those across two cache lines take twice as long
        array = (
            zeros(self.schema.size, capacity, False) if capacity > _SMALL else np.empty((self.schema.size, capacity))
        )
        array[:] = self.schema.rest
        return array


class FilledTable(Table):
    """A table whose rows kernels add and remove in ticks; they have no handles, and are numbered anew in each image.

    Attributes:
        counted: The number of rows, which kernels write, shape (1,).
    """

    __slots__ = ("counted",)

    def __init__(self, schema: Schema, store: Owner | None = None, capacity: int = 8) -> None:
        self.counted = np.zeros(1, np.int64)
        super().__init__(schema, store, capacity)

    @property
    def count(self) -> int:
        """The number of rows."""
        return int(self.counted[0])

    @count.setter
    def count(self, value: int) -> None:
        self.counted[0] = value

    def reserve(self, count: int) -> None:
        """Have room for so many rows."""
        if count > self.capacity:
            self._grow(count)

    def rows_image(self) -> RowsImage:
        """Return numbers for the rows, as they are now."""
        numbers = np.arange(self.count)
        return RowsImage(numbers, numbers, self.count)


def among(values: FloatArray, rows: IntArray) -> npt.NDArray[np.bool_]:
    """Which of the values (row numbers or -1) are among the given rows, which are ascending."""
    if len(rows) <= 1:
        return values == rows[0] if len(rows) else np.zeros(len(values), np.bool_)
    places = np.searchsorted(rows, values)
    return rows[np.minimum(places, len(rows) - 1)] == values


def _nothing(components: object, rows: object) -> None:
    pass
