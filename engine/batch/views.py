"""Views of a part of all members: the attributes of a handle of the template with a leading axis, one entry per member."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache, partial
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from ..body import Body
from ..checks import FloatArray, by_value, direction, is_settable, refuse
from ..loops.members import read_columns, take_columns
from ..reading import reading
from ..store.rows import Parameter, TableRows, attributes_of, parts_of_block
from ..store.schema import Field, Rule
from ..store.table import IntArray, Table
from .quarantine import Members

Setter = Callable[[IntArray, object], None]

_NAMES = {
    "positions": "position",
    "directions": "direction",
    "max_forces": "max_force",
    "noise_density": "noise",
    "gimbal_command": "commanded_angles",
    "gimbal_angles": "angles",
}
"""Attributes of handles that have another name in their tables."""


class View:
    """The attributes of one body, force, part or joint of the template in all members.

    An attribute has the shape of the handle's own behind a leading axis of n members: ``(n,)``, ``(n, 3)``, or ``(n, k)`` for a bank of k.
    Assign such an array, or one value for all members. Values are checked by the rules of the handle, before anything changes, and an error
    names the member. Reading returns a copy. Units and frames are those of the handle's own attribute: `position` and `velocity` are in the
    world frame, names that end in `_body` in the body frame.

    What stands in a table is read and set for all members at once. What a handle computes, such as the angle of a hinge, and attributes
    with rules of their own, such as its motor, are read and set member by member, which takes some microseconds each. Of objects such as a
    motor, assign one for all members or a list with one for each; those that do not read as numbers are read in `Batch.world`.

    Example:
        >>> from engine import MassProperties, World, forces
        >>> from engine.batch import Batch
        >>> template = World(dt=0.5)
        >>> ship = template.add_body(MassProperties.sphere(2.0, 0.5), name="ship")
        >>> jet = template.add_force(forces.Thruster(ship, position=(0, 0, -1), direction=(0, 0, 1), max_force=8.0))
        >>> batch = Batch(template, members=3)
        >>> batch[jet].throttle = [0.0, 0.5, 1.0]
        >>> batch.step()
        >>> batch[ship].velocity[:, 2].tolist()
        [0.0, 1.0, 2.0]
        >>> batch[jet].set([0, 2], throttle=0.25)
        >>> batch[jet].throttle.tolist()
        [0.25, 0.5, 0.25]
    """

    __slots__ = ("_first", "_handle", "_is_field", "_members", "_own", "_setters", "_table", "_width")

    def __init__(
        self, members: Members, handle: Body | TableRows, own: TableRows | None, table: Table, first: int, width: int
    ) -> None:
        """Address a block of rows.

        Args:
            members: The members of the batch.
            handle: The handle of the template.
            own: The handle of the whole block in the world of the batch; None for a body.
            table: The table of the block.
            first: Its first row.
            width: The number of rows per member.
        """
        values = {
            "_members": members,
            "_handle": handle,
            "_own": own,
            "_table": table,
            "_first": first,
            "_width": width,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_is_field", {})
        object.__setattr__(self, "_setters", self._make_setters())

    def __repr__(self) -> str:
        return f"<{self._members.count} members of {self._handle!r}>"

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._readable(), *self._setters})

    def __getattr__(self, name: str) -> Any:
        kind: Any = type(self._handle)
        if name.startswith("_") or name not in _attributes_of(kind):
            raise AttributeError(f"{self!r} has no attribute {name!r}; it has {', '.join(self._readable())}")
        is_field = self._is_field.get(name)
        if is_field is None:
            is_field = self._is_field[name] = self._stands_in_table(name)
        return reading(self._read(self._field(name)) if is_field else self._read_each(name))

    def _field(self, name: str) -> Field:
        return self._table.schema.by_name[_NAMES.get(name, name)]

    def _stands_in_table(self, name: str) -> bool:
        """Whether an attribute of the handle is what its table has, with the same shape."""
        if _NAMES.get(name, name) not in self._table.schema.by_name:
            return False
        field, value = self._field(name), self._of_first(name)
        shape = ((self._width,) if self._is_several(field) else ()) + ((field.size,) if field.size > 1 else ())
        return isinstance(value, _NUMBERS) and np.asarray(value).shape == shape

    def _each(self, members: Iterable[int]) -> Iterator[Any]:
        """The handle of the part in some members, one after another."""
        if self._own is None:
            return (self._members.owners.bodies.handles[self._first + member] for member in members)
        count, first = self._members.count, self._first
        last = first + count * (self._width - 1) + 1
        return parts_of_block(self._own, (slice(first + member, last + member, count) for member in members))

    def _of_first(self, name: str) -> Any:
        """An attribute of the handle in the first member; None if it has no value there."""
        try:
            return getattr(next(self._each([0])), name)
        except (AttributeError, ValueError):
            return None

    def _read_each(self, name: str) -> npt.NDArray[Any]:
        """An attribute that the handle computes, from one member after another."""
        values = [getattr(handle, name) for handle in self._each(range(self._members.count))]
        if not all(isinstance(value, _NUMBERS) for value in values):
            raise AttributeError(
                f"{self!r}: {name} is no number or vector in all members; read it in Batch.world(member)"
            )
        return np.array(values)

    def __setattr__(self, name: str, value: object) -> None:
        self._put(self._members.everybody, {name: value})

    def set(self, members: object, /, **values: object) -> None:
        """Set attributes of some members.

        Args:
            members: The members: a mask of shape (n,), indices, or one index.
            **values: The values by attribute, one for all these members or one per member, in their order.

        Raises:
            AttributeError: If an attribute does not exist or cannot be set.
            TypeError: If a value has the wrong type.
            ValueError: If a member does not exist or is named twice, or a value breaks a rule. Nothing is changed then.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.batch import Batch
            >>> template = World(dt=0.5)
            >>> ship = template.add_body(MassProperties.sphere(2.0, 0.5))
            >>> batch = Batch(template, members=3)
            >>> batch[ship].set([True, False, True], velocity=(0.0, 0.0, 1.0))
            >>> batch[ship].velocity[:, 2].tolist()
            [1.0, 0.0, 1.0]
        """
        self._put(chosen(members, self._members.count, f"{self!r}.set"), values)

    def _put(self, members: IntArray, values: dict[str, object]) -> None:
        for name in values:
            if name not in self._setters:
                what = "is read-only" if hasattr(self, name) else "does not exist"
                settable = ", ".join(self._setters) or "none"
                raise AttributeError(f"{self!r}: {name} {what}; the attributes that can be set are {settable}")
        store = self._members.owners.store
        if len(values) == 1:
            ((name, value),) = values.items()
            if getattr(self._setters[name], "func", None) == self._assign:
                self._setters[name](members, value)  # a single change, before which everything is checked
                return
        with store.all_or_nothing():
            store.before_change()
            for name, value in values.items():
                self._setters[name](members, value)

    def _try_values(self) -> None:
        """Assign all values that can be read and set, in both precisions, for the kernels that this calls."""
        for name in self._setters:
            for kind in (np.float32, np.float64):
                with suppress(AttributeError, TypeError, ValueError):
                    setattr(self, name, getattr(self, name).astype(kind))

    def _readable(self) -> list[str]:
        """The attributes of the handle that are numbers or vectors in the first member."""
        kind: Any = type(self._handle)
        return [name for name in _attributes_of(kind) if isinstance(self._of_first(name), _NUMBERS)]

    def _make_setters(self) -> dict[str, Setter]:
        """A function for each attribute of the handle that can be set."""
        kind: Any = type(self._handle)
        found: dict[str, Setter] = {}
        for name in _attributes_of(kind):
            if is_settable(kind, name):
                is_plain = isinstance(getattr(kind, name), Parameter) and kind._assign is TableRows._assign
                field = self._table.schema.by_name.get(_NAMES.get(name, name))
                if (is_plain or name in self._plain) and field is not None and field.rule is not None:
                    found[name] = partial(self._assign, field, name)
                else:
                    found[name] = partial(self._set_each, name)
        return found

    _plain: frozenset[str] = frozenset()
    """The attributes that are no `Parameter` of the handle, whose setters have no rules but those of their fields."""

    def _set_each(self, name: str, members: IntArray, value: object) -> None:
        """Set an attribute that has rules of its own, in one member after another."""
        places, values = members.tolist(), self._one_each(name, members, value)
        for member, one, handle in zip(places, values, self._each(places), strict=True):
            before = None if self._own is None else attributes_of(handle)
            try:
                setattr(handle, name, one)
            except (AttributeError, TypeError, ValueError) as error:
                kind = next(each for each in (AttributeError, TypeError, ValueError) if isinstance(error, each))
                raise kind(f"{self._owner(member)}: {name} is rejected; {error}") from None
            if before is not None and any(attributes_of(handle)[each] is not kept for each, kept in before.items()):
                raise AttributeError(f"{self!r}: {name} is one object of all members, and cannot be set")

    def _one_each(self, name: str, members: IntArray, value: object) -> list[Any]:
        """The values of members, in their order."""
        present: Any = getattr(next(self._each([0])), name)
        if not isinstance(present, _NUMBERS) or value is None:
            rule = f"one value for all, or a list of {len(members)}, one per member"
            if isinstance(value, list) and len(value) != len(members):
                refuse(self, name, value, rule)
            return value if isinstance(value, list) else [value] * len(members)
        inner = np.asarray(present).shape
        size = inner[0] if inner else 1
        columns = self._given(value, name, members, size, 0, isinstance(present, bool))
        values = columns.astype(np.bool_ if isinstance(present, bool) else np.float64)
        return values[0].tolist() if inner == () else [*values.T]

    # reading and writing blocks

    def _is_several(self, field: Field) -> bool:
        return field.name in getattr(self._handle, "_several", ())

    def _rows(self, members: IntArray) -> IntArray:
        """The rows of some members, those of one place of a bank next to each other."""
        starts = self._first + self._members.count * np.arange(self._width)
        return np.asarray((starts[:, np.newaxis] + members).ravel())

    def _span(self, members: IntArray) -> slice | IntArray:
        """The same, as a slice for all members, which is read and written in one piece."""
        if members is self._members.everybody:
            return slice(self._first, self._first + self._width * self._members.count)
        return self._rows(members)

    def _columns(self, members: IntArray) -> FloatArray:
        return self._table.array[:, self._span(members)]

    def _read(self, field: Field) -> FloatArray:
        count, width = self._members.count, self._width
        component = self._table.schema.components[field.name].start
        values = np.empty((count, width, field.size))
        if width == 1:
            read_columns(self._table.array, component, self._first, values[:, 0])
        else:
            block = self._table.array[component : component + field.size, self._first : self._first + width * count]
            values[:] = block.reshape(field.size, width, count).transpose(2, 1, 0)
        if field.rule is not None and field.rule.is_switch:
            values = values > 0.0
        if not self._is_several(field):
            values = values[:, 0]
        return values[..., 0] if field.size == 1 else values

    def _assign(self, field: Field, name: str, members: IntArray, value: object) -> None:
        assert field.rule is not None
        width = self._width if self._is_several(field) else 0
        columns = self._checked(value, name, members, field.size, width, field.rule)
        self._write(field, members, columns if width else np.tile(columns, self._width))

    def _write(self, field: Field, members: IntArray, columns: FloatArray) -> None:
        """Write checked values, shape (size, width * members), after the guard of the field has seen them."""
        if field.guard is not None and (not field.guard_in or self._members.owners.store.tables[field.guard_in].count):
            self._check_each(partial(self._call_guard, field.guard, columns), members)
        self._table.write(self._table.schema.components[field.name], self._span(members), columns)

    def _call_guard(
        self,
        guard: Callable[[FloatArray, FloatArray, object], None],
        columns: FloatArray,
        members: IntArray,
        places: IntArray,
        owner: object,
    ) -> None:
        count = columns.shape[1] // self._width
        if len(places) < count:
            columns = columns[:, (count * np.arange(self._width)[:, np.newaxis] + places).ravel()]
        guard(self._columns(members), columns, owner)

    def _check_each(self, check: Callable[[IntArray, IntArray, object], None], members: IntArray) -> None:
        """Check all members at once; only if that fails, one by one, so that the error names the first one that is wrong.

        Args:
            check: A function of members, of their places among those that are set, and of the owner in errors.
            members: The members.
        """
        try:
            check(members, self._members.everybody[: len(members)], self)
        except ValueError:
            for place, member in enumerate(members.tolist()):
                check(np.array([member]), np.array([place]), self._owner(member))
            raise

    def _owner(self, member: int) -> str:
        return f"member {member} of {self._handle!r}"

    def _checked(self, value: object, name: str, members: IntArray, size: int, width: int, rule: Rule) -> FloatArray:
        """Values as columns, shape (size, max(width, 1) * members), those of one place of a bank next to each other."""
        if (
            size == 1
            and (taken := _taken(value, (len(members), width) if width else (len(members),), rule)) is not None
        ):
            return taken
        columns = self._given(value, name, members, size, width, rule.is_switch)
        good: npt.NDArray[np.bool_] = np.asarray(np.isfinite(columns).all(axis=0))
        words = rule.words
        if rule.is_direction:
            with np.errstate(over="ignore", invalid="ignore"):
                good &= (columns != 0.0).any(axis=0)
            words = "vectors of any length above zero"
        elif not rule.is_switch:
            good &= np.asarray(rule.holds(columns))
        self._require(good, name, members, columns, words)
        if rule.is_direction:
            return np.stack([direction(each, name, self) for each in columns.T], axis=1)
        return columns

    def _given(
        self, value: object, name: str, members: IntArray, size: int, width: int, is_switch: bool = False
    ) -> FloatArray:
        """Values as columns, not checked but for their shape."""
        count = len(members)
        inner = ((width,) if width else ()) + ((size,) if size > 1 else ())
        given, kind = by_value(value, name, self, "real numbers"), "b" if is_switch else "fiu"
        try:
            found = np.asarray(given)
        except (TypeError, ValueError):
            found = np.zeros(0, object)
        shape = (count, *inner)
        what = "booleans" if is_switch else "real numbers"
        rule = f"{what} of shape {_shown(shape)}, one per member" + (
            f", or {_shown(inner)} for all" if inner else ", or one for all"
        )
        if found.dtype.kind not in kind:
            refuse(self, name, value, rule, TypeError)
        if found.shape not in (shape, inner, ()) or (found.shape == () and size > 1):
            refuse(self, name, value, rule)
        whole = np.broadcast_to(found.astype(np.float64), shape).reshape(count, max(width, 1), size)
        return np.ascontiguousarray(whole.transpose(2, 1, 0)).reshape(size, -1)

    def _require(
        self, good: npt.NDArray[np.bool_], name: str, members: IntArray, columns: FloatArray, rule: str
    ) -> None:
        """Reject values, naming the first member that is wrong."""
        if not good.all():
            place = int(np.flatnonzero(~good)[0])
            wrong = columns[:, place].tolist()
            refuse(self._owner(int(members[place % len(members)])), name, wrong if len(wrong) > 1 else wrong[0], rule)


def _taken(value: object, shape: tuple[int, ...], rule: Rule) -> FloatArray | None:
    """One number or several of each member as columns, in a single pass; None if they are to be checked one after another."""
    if type(value) is not np.ndarray or value.shape != shape or value.dtype.kind not in "fiu":
        return None
    if rule.is_switch or rule.is_direction or not value.size:
        return None
    lowest = rule.at_least if rule.above is None else np.nextafter(rule.above, np.inf)
    lowest, highest = float(-_LARGEST if lowest is None else lowest), _LARGEST if rule.at_most is None else rule.at_most
    # float32 is taken as it is: a copy in float64 would take half as long as the pass itself
    as_it_is = value if value.dtype == np.float32 else value.astype(np.float64, copy=False)
    given = np.ascontiguousarray(as_it_is).reshape(shape[0], -1)
    columns = np.empty((given.shape[1], shape[0]))
    return None if take_columns(given, lowest, highest, columns) else columns.reshape(1, -1)


_LARGEST = float(np.finfo(np.float64).max)


_OF_HANDLES = ("index", "rows", "name", "world", "user_data", "shapes", "body", "other")
"""What tells one handle from another, and is no attribute of members."""
_NUMBERS = (Real, np.ndarray, np.bool_)
"""The types of attributes that members have as arrays."""


@cache
def _attributes_of(kind: Any) -> dict[str, None]:
    """The names of the attributes of a class of handles."""
    named = (name for name in dir(kind) if not name.startswith("_") and name not in _OF_HANDLES)
    return dict.fromkeys(name for name in named if hasattr(type(getattr(kind, name)), "__set__"))


def chosen(members: object, count: int, owner: object) -> IntArray:
    """The numbers of members that were given as a mask, as indices or as one index; each of them once.

    Raises:
        TypeError: If they are neither booleans nor integers.
        ValueError: If a member does not exist or is named twice, or a mask has another length.
    """
    rule = f"a mask of shape ({count},), or different indices from 0 to {count - 1}"
    given = by_value(members, "members", owner, rule)
    try:
        found = np.atleast_1d(np.asarray(given))
    except (TypeError, ValueError):
        found = np.zeros((1, 1), object)
    if found.size == 0 and found.ndim == 1:
        return np.zeros(0, np.int64)
    if found.dtype.kind not in "biu":
        refuse(owner, "members", members, rule, TypeError)
    if found.ndim != 1 or (found.dtype.kind == "b" and found.shape != (count,)):
        refuse(owner, "members", members, rule)
    if found.dtype.kind == "b":
        return np.flatnonzero(found)
    found = found.astype(np.int64)
    if (found[1:] > found[:-1]).all():
        is_wrong = found[0] < 0 or found[-1] >= count
    else:
        is_wrong = found.min() < 0 or found.max() >= count or np.bincount(found).max() > 1
    if is_wrong:
        refuse(owner, "members", members, rule)
    return found


def _shown(shape: tuple[int, ...]) -> str:
    return str(shape)
