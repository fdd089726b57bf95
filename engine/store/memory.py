"""Named memory for user code, which persists across ticks and is undone, hashed and copied with the world."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ..checks import array as read_array
from ..checks import encodable, explaining_errors, integer, reader, refuse
from ..reading import reading
from .calling import called_object
from .objects import Stateful, is_stateful, state_digest, state_of
from .schema import Field, Kind, Schema
from .store import Store
from .table import Table

MOST_NUMBERS = 2**27
"""The largest number of numbers under one name, which take one gibibyte."""
MOST_SIZES = 32
"""The largest number of sizes in a shape."""
Attached = TypeVar("Attached", bound=Stateful)
_DTYPES: dict[object, type] = {np.dtype(np.float64): np.float64, np.dtype(np.uint64): np.uint64}


@explaining_errors()
class MemoryRows:
    """Numbers under one name, created by `world.memory.add`.

    `rows.value` and `rows[index]` read a read-only array, and assigning to either writes. Callbacks and forces may write too. If the tick
    fails, what they wrote is undone.

    Example:
        >>> from engine import World
        >>> trim = World(dt=0.01).memory.add("trim", shape=3)
        >>> trim[1] = 0.5
        >>> trim.value.tolist()
        [0.0, 0.5, 0.0]
    """

    __slots__ = ("_dtype", "_name", "_shape", "_table")

    name = reader("_name", "Name of the numbers.")

    def __init__(self, name: str, table: Table, shape: tuple[int, ...], dtype: type) -> None:
        self._name = name
        self._table = table
        self._shape = shape
        self._dtype = dtype

    def __repr__(self) -> str:
        return f"memory {self._name!r} {self.value.tolist()}"

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the numbers."""
        return self._shape

    @property
    def dtype(self) -> npt.DTypeLike:
        """Type of the numbers, float64 or uint64."""
        return np.dtype(self._dtype)

    @property
    def value(self) -> Any:
        """The numbers as a read-only copy, or a single number; assign numbers of the same shape."""
        return reading(self._read()) if self._shape else self._read()[()]

    @value.setter
    def value(self, value: npt.ArrayLike) -> None:
        self[...] = value

    def __getitem__(self, index: Any) -> Any:
        return reading(self._read())[index]

    def __setitem__(self, index: object, value: object) -> None:
        values = self._read()
        target = values[index]
        shape = np.shape(target)
        if self._dtype is np.uint64:
            values[index] = _words(value, shape, self)
        else:
            values[index] = (
                read_array(value, "value", self, shape) if shape else read_array([value], "value", self, (1,))[0]
            )
        self._table.write(slice(None), 0, values.reshape(-1).view(np.float64))

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: object = None) -> npt.NDArray[np.generic]:
        return np.asarray(self._read(), dtype=dtype)

    def _read(self) -> Any:
        store = self._table.store
        if store is not None and store.unfinished is not None:
            store.settle()
        if not self._table.count:
            raise ValueError(
                f"memory {self._name!r}: the tick that added it failed and was undone, or a restore removed it; add it again"
            )
        values: Any = self._table.array[:, 0].copy().view(self._dtype)
        return values if len(self._shape) == 1 else values.reshape(self._shape)


@explaining_errors()
class Memory:
    """The named memory of a world."""

    __slots__ = ("_joined", "_objects", "_rows", "_store")

    def __init__(self, store: Store) -> None:
        self._store = store
        # these are replaced and never changed, so that a snapshot may keep them
        self._rows: dict[str, MemoryRows] = {}
        self._objects: dict[str, Stateful] = {}
        self._joined: dict[str, int] = {}
        """How many times each object has joined, by name."""

    def __repr__(self) -> str:
        return f"<memory of {', '.join(map(repr, self)) or 'nothing'}>"

    def __iter__(self) -> Iterator[str]:
        return iter((*self._rows, *self._objects))

    def __contains__(self, name: object) -> bool:
        return name in self._rows or name in self._objects

    def __getitem__(self, name: str) -> MemoryRows:
        """The rows of this name."""
        try:
            return self._rows[name]
        except KeyError:
            names = ", ".join(map(repr, self._rows))
            there = f"its rows are {names}" if names else "it has no rows"
            raise KeyError(f"World.memory: no rows are named {name!r}; {there}") from None

    def add(self, name: str, shape: int | tuple[int, ...] = (), dtype: npt.DTypeLike = np.float64) -> MemoryRows:
        """Add numbers under a name, initially zero.

        Args:
            name: A name that no other memory of this world has.
            shape: The shape of the numbers; () is a single number.
            dtype: float64, or uint64 for bit patterns such as the state of a random generator.

        Returns:
            A handle, with which `rows.value` and `rows[index]` can be read and assigned.

        Raises:
            TypeError: If `name` is not a string, a size in `shape` is not an integer, or `dtype` is neither float64 nor uint64.
            ValueError: If `name` is taken, or a size in `shape` is below 1.

        Example:
            >>> from engine import World
            >>> world = World(dt=0.01)
            >>> integral = world.memory.add("heading integral")
            >>> integral.value = 0.5
            >>> float(integral.value)
            0.5
        """
        self._check_name(name)
        given = shape if isinstance(shape, tuple) else (shape,)
        sizes = tuple(integer(size, "shape", f"World.memory {name!r}", at_least=1) for size in given)
        if math.prod(sizes) > MOST_NUMBERS:
            refuse(f"World.memory {name!r}", "shape", shape, f"the shape of at most {MOST_NUMBERS} numbers")
        if len(sizes) > MOST_SIZES:
            refuse(f"World.memory {name!r}", "shape", shape, f"a shape of at most {MOST_SIZES} sizes")
        try:
            kind = _DTYPES[np.dtype(dtype) if dtype is not None else None]
        except Exception:
            refuse(f"World.memory {name!r}", "dtype", dtype, "float64 or uint64", TypeError)
        schema = memory_schema(name, sizes, kind)
        with self._store.all_or_nothing():
            self._store.before_change()
            table = self._store.table(schema)
            self._store.record(self._store.tables.pop, schema.name, None)
            table.append(np.zeros((schema.size, 1)))
            rows = MemoryRows(name, table, sizes, kind)
            self._store.record(setattr, self, "_rows", self._rows)
            self._rows = {**self._rows, name: rows}
        return rows

    def attach(self, name: str, object: Attached) -> Attached:
        """Include an object's own state in undo, hash and copies of the world.

        Args:
            name: A name that no other memory of this world has.
            object: An object with `set_state(state)` and `get_state()`, which returns a dict from str to float, int, bytes or arrays.

        Returns:
            The object.

        Raises:
            TypeError: If `object` lacks one of the two methods, or its state contains a value of another type.
            ValueError: If `name` is taken, or `object` is attached already.

        Example:
            >>> from engine import World
            >>> class Counter:
            ...     count = 0
            ...     def get_state(self):
            ...         return {"count": self.count}
            ...     def set_state(self, state):
            ...         self.count = state["count"]
            >>> world = World(dt=0.01)
            >>> counter = world.memory.attach("counter", Counter())
            >>> "counter" in world.memory
            True
        """
        self._check_name(name)
        if not is_stateful(object):
            refuse(f"World.memory {name!r}", "object", object, "one with get_state() and set_state(state)", TypeError)
        if any(other is object for other in self._objects.values()):
            refuse(f"World.memory {name!r}", "object", object, "an object that is not attached yet")
        state = state_of(object, name)
        self._store.before_change()
        self._store.record(setattr, self, "_objects", self._objects)
        self._objects = {**self._objects, name: object}
        self._store.record(object.set_state, state)
        return object

    def _join(self, object: object) -> None:
        """Attach a force, a callback or the object that a method is bound to under a generated name, if it has a state.

        An object that joins several times, for example as a force and as a callback, is detached when the last of these leaves.

        Args:
            object: The force or callback.
        """
        owner = called_object(object)
        if not is_stateful(owner):
            return
        name = next((name for name, other in self._objects.items() if other is owner), None)
        if name is None:
            kind, number = type(owner).__name__, 1
            while f"{kind} {number}" in self:
                number += 1
            name = f"{kind} {number}"
            self.attach(name, owner)
            self._count_joined(name, 1)
        elif name in self._joined:
            self._count_joined(name, self._joined[name] + 1)

    def _leave(self, object: object) -> None:
        """Detach an object that `_join` attached, once it has left as many times as it joined.

        Args:
            object: The force or callback.
        """
        owner = called_object(object)
        for name in [name for name in self._joined if self._objects[name] is owner]:
            count = self._joined[name] - 1
            self._count_joined(name, count)
            if count == 0:
                self._store.record(setattr, self, "_objects", self._objects)
                self._objects = {other: kept for other, kept in self._objects.items() if other != name}

    def _count_joined(self, name: str, count: int) -> None:
        self._store.record(setattr, self, "_joined", self._joined)
        left = {other: number for other, number in self._joined.items() if other != name}
        self._joined = {**left, name: count} if count else left

    def _check_name(self, name: str) -> None:
        if not isinstance(name, str) or not name:
            refuse("World.memory", "name", name, "a non-empty string", TypeError)
        encodable(name, "name", "World.memory")
        if name in self:
            refuse("World.memory", "name", name, "new to this world, which has a memory of this name")

    def _digest(self) -> Iterator[bytes]:
        """The states of the attached objects as bytes; the rows are tables of the store."""
        for name in sorted(self._objects):
            yield from state_digest(self._objects[name], name)

    @property
    def _contents(self) -> tuple[dict[str, MemoryRows], dict[str, Stateful], dict[str, int]]:
        """The rows, the attached objects, and how many times each has joined, by name; to be kept, not to be changed."""
        return self._rows, self._objects, self._joined

    @_contents.setter
    def _contents(self, value: tuple[dict[str, MemoryRows], dict[str, Stateful], dict[str, int]]) -> None:
        self._rows, self._objects, self._joined = value

    @property
    def _has_objects(self) -> bool:
        """Whether any object is attached."""
        return bool(self._objects)

    @property
    def objects(self) -> dict[str, Stateful]:
        """The attached objects by name."""
        return dict(self._objects)


def memory_schema(name: str, shape: tuple[int, ...], dtype: type) -> Schema:
    """The schema of the table of one row that holds the numbers under a name."""
    return Schema(f"memory.{name}", (Field("values", Kind.STATE, int(np.prod(shape)), dtype=dtype, digest=0),))


def _words(value: object, shape: tuple[int, ...], owner: object) -> npt.NDArray[np.uint64]:
    rule = f"whole numbers from 0 to 2⁶⁴ − 1 of shape {shape}"
    # as Python integers, because numpy converts a list of small and large integers to floats
    given = np.asarray(value, dtype=object)
    numbers = given.reshape(-1).tolist()
    if not all(isinstance(number, int | np.integer) and not isinstance(number, bool) for number in numbers):
        refuse(owner, "value", value, rule, TypeError)
    if given.shape != shape or not all(0 <= number < 2**64 for number in numbers):
        refuse(owner, "value", value, rule)
    return np.array(numbers, np.uint64).reshape(shape)
