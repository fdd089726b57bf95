"""Handles of rows, which are the objects that users hold for a force or a part whose parameters and state are rows of a table."""

from __future__ import annotations  # help() then shows them as written

import copyreg
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeGuard, TypeVar, cast, get_args, overload

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, explaining_errors, members, refuse
from ..reading import reading
from ..solids.mass_properties import MassProperties
from .host import Host
from .schema import NOBODY, SWITCH, Field, Kind, Schema
from .table import Table

Value = TypeVar("Value")
BodiesOfRows = Sequence[tuple[object, ...]]
"""The bodies that each row refers to."""


class BodyHandle(Protocol):
    """What forces, parts and joints use of a body."""

    @property
    def index(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def world(self) -> Any: ...
    @property
    def mass(self) -> float: ...
    @property
    def inverse_mass(self) -> float: ...
    @property
    def inertia_body(self) -> FloatArray: ...
    @property
    def inverse_inertia_body(self) -> FloatArray: ...
    @property
    def center_of_mass_body(self) -> FloatArray: ...
    @property
    def position(self) -> FloatArray: ...
    @property
    def orientation(self) -> FloatArray: ...
    @property
    def origin(self) -> FloatArray: ...
    @property
    def mass_properties(self) -> MassProperties: ...
    @property
    def stored_momentum_body(self) -> FloatArray: ...
    @property
    def velocity(self) -> FloatArray: ...
    @property
    def angular_velocity_world(self) -> FloatArray: ...
    def to_world(self, point_body: npt.ArrayLike) -> FloatArray: ...
    def to_body(self, point_world: npt.ArrayLike) -> FloatArray: ...
    def direction_to_world(self, direction_body: npt.ArrayLike) -> FloatArray: ...
    def direction_to_body(self, direction_world: npt.ArrayLike) -> FloatArray: ...
    def apply_impulse(self, impulse_world: npt.ArrayLike, at_world: npt.ArrayLike | None = None) -> None: ...


def is_body(value: object) -> TypeGuard[BodyHandle]:
    """Whether this is the handle of a body, removed or not."""
    return hasattr(type(value), "apply_force_body")


class Parameter(Generic[Value]):
    """An attribute of a force or a part that reads and writes a field of its rows; values are checked when set and read-only when read."""

    def __init__(self, doc: str, field: str = "") -> None:
        """Describe an attribute, whose field has its name unless another one is given."""
        self.__doc__ = doc
        self._field = field

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name
        self._field = self._field or name

    @overload
    def __get__(self, rows: None, kind: type) -> Self: ...
    @overload
    def __get__(self, rows: TableRows, kind: type) -> Value: ...
    def __get__(self, rows: TableRows | None, kind: type) -> Self | Value:
        return self if rows is None else rows._value(self._field)

    def __set__(self, rows: TableRows, value: object) -> None:
        rows._assign(self._field, value, self._name)


class fixed(property):
    """An attribute of a force or a part that can be read but not set."""

    def __init__(self, fget: Callable[[Any], Any], *, doc: str | None = None) -> None:
        super().__init__(fget, doc=doc)
        if doc is not None:
            self.__doc__ = doc  # otherwise help() shows the text of this class

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __set__(self, force: object, value: object) -> None:
        is_given = self._name in inspect.signature(type(force)).parameters
        way_out = "remove it from the world and add another" if is_given else "it is read-only"
        raise AttributeError(f"{force!r}: {self._name} cannot be changed; {way_out}")


class Given(fixed, Generic[Value]):
    """An attribute that can be read but not set, and is kept under its name with an underscore in front."""

    def __init__(self, doc: str) -> None:
        super().__init__(lambda rows: getattr(rows, f"_{self._name}"), doc=doc)

    def __set_name__(self, owner: type, name: str) -> None:
        super().__set_name__(owner, name)
        # the pages show the type of a property as what its function returns
        self.fget.__annotations__["return"] = get_args(vars(self)["__orig_class__"])[0]

    @overload
    def __get__(self, rows: None, kind: type | None = None, /) -> Self: ...
    @overload
    def __get__(self, rows: object, kind: type | None = None, /) -> Value: ...
    def __get__(self, rows: object | None, kind: type | None = None, /) -> Self | Value:
        return self if rows is None else cast(Value, super().__get__(rows, kind))


class Quantity(NamedTuple):
    """A column that records have of a force, part or joint and that is not a field of its rows."""

    name: str
    unit: str
    frame: str = ""
    shape: tuple[int, ...] = ()
    value: Callable[[Any], npt.ArrayLike] | None = None
    """Its value, called with the handle; None for the attribute of that name."""

    def of(self, member: TableRows) -> FloatArray:
        """The components of the value now."""
        return np.ravel(getattr(member, self.name) if self.value is None else self.value(member))


class TableRows:
    """A force or a part whose parameters and state are rows of a table, which is the world's table while it is in a world, else its own.

    A force whose first reference is None acts on all bodies, by one row. A changed parameter acts from the next tick on. A parameter set
    inside `World.on_tick` acts from the tick that is starting.
    """

    __slots__ = ("_bodies", "_first_id", "_last_id", "_numbering", "_rows", "_several", "_table")

    def __init_subclass__(cls, **named: object) -> None:
        super().__init_subclass__(**named)
        explaining_errors()(cls)
        made = vars(cls).get("__init__")
        # without a text, help() would show that of a base class, which has other arguments
        if made is not None and not made.__doc__:
            made.__doc__ = "Take the arguments that are described with the class."

    _schema: ClassVar[Schema]
    _kind_of_member: ClassVar[str] = "force"
    """As what it is added to a world: "force", "part", "joint" or "shape"."""
    _arguments_in_rows: ClassVar[tuple[str, ...]] = ()
    """The arguments that a scene leaves out, because the rows hold what became of them."""
    _counted_in_ticks: ClassVar[frozenset[str]] = frozenset()
    """The fields that a scene leaves out, because they belong to ticks before its first one or follow from the arguments."""
    _records_rows: ClassVar[bool] = True
    """Whether records have the commands and states of its rows, or only what `_recorded` says."""
    _kept_beside: ClassVar[dict[str, str]] = {}
    """The attributes that a scene holds beside arguments and rows, by their names in the scene."""
    _table: Table
    _first_id: int
    _last_id: int
    _numbering: int
    _rows: slice

    def __init__(
        self,
        bodies: Sequence[tuple[BodyHandle | None, ...]],
        values: Mapping[str, npt.ArrayLike],
        several: Iterable[str] = (),
    ) -> None:
        """Create the rows.

        Args:
            bodies: The bodies that each row refers to.
            values: Checked values by field, shape (size, 1) or (size, rows).
            several: The fields with one value per row.
        """
        self._bodies = tuple(bodies)
        self._several = frozenset(several)
        columns = np.repeat(self._schema.rest, len(bodies), axis=1)
        for name, value in values.items():
            columns[self._schema.components[name]] = value
        self._keep_apart(columns)

    enabled = Parameter[bool](
        "Whether it acts, initially True; a disabled force or part keeps its place and parameters."
    )

    @fixed
    def rows(self) -> range:
        """Rows of its table that belong to this force, while it is in a world."""
        rows = self._slice()
        return range(rows.start, rows.stop, rows.step or 1)

    # reading and writing rows

    def _slice(self) -> slice:
        table = self._table
        if table.store is not None and table.store.unfinished is not None:
            table.store.settle()
        if self._numbering != table.numbering:
            rows = table.find(self._first_id, self._last_id)
            if rows.start == rows.stop and table.was_removed_by_restore(self._first_id):
                kind = self._kind_of_member
                raise ValueError(
                    f"{type(self).__name__}: a restore of the world removed this {kind}, which was added after the snapshot; "
                    "make another one"
                )
            self._rows = rows
            self._numbering = table.numbering
        return self._rows

    def _columns(self) -> FloatArray:
        """A copy of the rows as columns, with what is settled only when it is read."""
        return self._table.array[:, self._slice()].copy()

    def _value(self, name: str) -> Any:
        rows = self._slice()
        field = self._schema.by_name[name]
        components = self._schema.components[name]
        if name in self._several:
            values = self._table.array[components, rows]
            return reading((values[0] if field.size == 1 else values.T).copy())
        if rows.start == rows.stop:
            raise ValueError(
                f"{type(self).__name__}: {name} has no value, because the body that the force acted on was removed"
            )
        values = self._table.array[components, rows.start]
        if field.rule is not None and field.rule.is_switch:
            return bool(values[0])
        return float(values[0]) if field.size == 1 else reading(values.copy())

    def _assign(self, name: str, value: object, argument: str = "") -> None:
        rows = self._slice()
        if self._schema.by_name[name].kind is Kind.COMMAND:
            self._require_bodies(argument or name)
        count = len(self.rows) if name in self._several else None
        values = checked(self._schema, name, value, self, count, argument)
        guard = self._schema.by_name[name].guard
        if guard is not None:
            guard(self._table.array[:, rows], values, self)
        self._table.write(self._schema.components[name], rows, values)

    def _require_bodies(self, argument: str) -> None:
        """Reject a command to a force, part or joint that left its world because one of its bodies was removed.

        Raises:
            ValueError: If a body was removed.
        """
        if self._table.store is None:
            for body in self._named_bodies():
                require_body(body, argument, type(self).__name__)

    def _all_or_nothing(self) -> AbstractContextManager[object]:
        """A context for several changes, which undoes them if its block raises."""
        store = self._table.store
        return nullcontext() if store is None else store.all_or_nothing()

    def _recorded(self) -> Sequence[Quantity]:
        """What records have of it beside the commands and states of its rows, or instead of them; see `_records_rows`."""
        return ()

    # copying, coming into a world and leaving it

    def __copy__(self) -> Self:
        """Copy the force, with rows of its own; the copy acts on the same bodies and is in no world."""
        force = self._with_same_attributes()
        force._keep_apart(self._columns())
        return force

    def _with_same_attributes(self) -> Self:
        force = object.__new__(type(self))
        for name, value in attributes_of(self).items():
            setattr(force, name, value)
        return force

    def __reduce__(self) -> tuple[object, ...]:
        store = self._table.store
        if store is None:
            return copyreg.__newobj__, (type(self),), self.__getstate__()  # type: ignore[attr-defined]
        world = store.world()
        return _member_of, (world, next(place for place, other in enumerate(world._forces.members) if other is self))

    def _attach(self, table: Table) -> None:
        """Move the rows into a table of a world, which has been found to contain the bodies."""
        columns = self._columns()
        for number, field in enumerate(self._schema.body_references):
            named = [row[number] for row in self._bodies]
            columns[self._schema.row(field.name)] = [NOBODY if body is None else body.index for body in named]
        assert table.store is not None
        table.store.record(self._return_to, self._table, self._first_id, self._last_id)
        first = table.append(columns)
        self._return_to(table, first, first + columns.shape[1])

    def _detach(self, bodies: Sequence[BodyHandle]) -> None:
        """Leave the table with a copy of the rows, which stay in the table; `bodies` are the handles by row."""
        table, columns = self._table, self._columns()
        assert table.store is not None
        table.store.record(self._return_to, table, self._first_id, self._last_id)
        table.store.record(setattr, self, "_bodies", self._bodies)
        references = [
            columns[self._schema.row(field.name)].astype(int).tolist() for field in self._schema.body_references
        ]
        self._bodies = tuple(
            tuple(None if index == NOBODY else bodies[index] for index in row) for row in zip(*references, strict=True)
        )
        self._keep_apart(columns)

    def _keep_apart(self, columns: FloatArray) -> None:
        table = Table(self._schema, capacity=columns.shape[1])
        first = table.append(columns)
        self._return_to(table, first, first + columns.shape[1])

    def _joined(self, world: Host) -> None:
        """Called when it has been added to a world; if it raises, the addition is undone."""

    def _left(self, world: Host) -> None:
        """Called after it has been removed from a world by itself."""

    def _misfit(self, columns: FloatArray, bodies: BodiesOfRows, attributes: Mapping[str, object]) -> str:
        """What a class must be to have rows and attributes from a file that no constructor has checked, in words; empty if it may."""
        return ""

    def _shift_origin(self, shift: FloatArray) -> None:
        """Called when the origin of its world moves by this [m], world frame; moves the points that are not in its table."""

    def _leaving(self, world: Host) -> None:
        """Called before it is removed from a world by itself; may reject this."""

    def _return_to(self, table: Table, first_id: int, last_id: int) -> None:
        self._table, self._first_id, self._last_id = table, first_id, last_id
        self._numbering = -1

    def _named_bodies(self) -> tuple[BodyHandle, ...]:
        """Return the bodies that this force lists; empty if it acts on all bodies."""
        return tuple(dict.fromkeys(body for row in self._bodies for body in row if body is not None))


def without_rows(kind: type[TableRows], several: Iterable[str]) -> TableRows:
    """A force or part whose rows and attributes are given to it later, when a content is put into a world."""
    member = object.__new__(kind)
    member._several = frozenset(several)
    return member


def attributes_of(member: TableRows) -> dict[str, object]:
    """What a force or part keeps beside its rows, and where these are."""
    names = [name for kind in type(member).__mro__ for name in vars(kind).get("__slots__", ())]
    return {name: getattr(member, name) for name in names if hasattr(member, name)}


def parts_of_block(member: TableRows, parts: Iterable[slice]) -> Iterator[TableRows]:
    """A handle of some rows of a force or part after others, such as those of one member of a batch; each is valid until the next."""
    first, found = member._slice().start, member._with_same_attributes()
    found._first_id = found._last_id = -1
    for rows in parts:
        found._rows, found._numbering = rows, member._table.numbering
        found._bodies = tuple(member._bodies[row - first] for row in range(rows.start, rows.stop, rows.step))
        yield found


# what is kept of a world reads and writes rows with these


def schema_of(member: TableRows | type[TableRows]) -> Schema:
    """The schema of the table of a force or part, or of a class of them."""
    return member._schema


def misfit_of(member: TableRows, columns: FloatArray, bodies: BodiesOfRows, attributes: Mapping[str, object]) -> str:
    """What the class of a force, part, joint or shape must be to have rows from a file, in words; empty if it may.

    Args:
        member: The handle that gets the rows.
        columns: The rows as columns, shape (schema.size, rows).
        bodies: The bodies that each row refers to.
        attributes: What is kept beside the rows, by name.
    """
    return member._misfit(columns, bodies, attributes)


def recorded_of(member: TableRows) -> tuple[list[Field], Sequence[Quantity]]:
    """What records have of a force, part or joint: fields of its rows, and what else there is."""
    fields = member._schema.fields if member._records_rows else ()
    kinds = Kind.STATE, Kind.COMMAND
    return (
        [one for one in fields if one.kind in kinds and one.name != "enabled" and not one.is_world_tick],
        member._recorded(),
    )


def kept_beside(kind: type[TableRows]) -> dict[str, str]:
    """The attributes that a scene holds of a class beside arguments and rows, by their names in the scene."""
    return kind._kept_beside


def columns_of(member: TableRows) -> FloatArray:
    """A copy of the rows of a force or part, as columns, shape (schema.size, rows)."""
    return member._columns()


def set_field(member: TableRows, name: str, values: FloatArray) -> None:
    """Set a field of all rows of a force or part to values that have been checked, shape (size, rows)."""
    member._table.write(member._schema.components[name], member._slice(), values)


def rows_in(member: TableRows, store: object) -> slice:
    """The rows of a force or part in the tables of a store, empty if it is not there."""
    table = member._table
    return table.find(member._first_id, member._last_id) if table.store is store else slice(0, 0)


def _member_of(world: Any, place: int) -> object:
    """The force or part at a place in a copied world."""
    return world._forces.members[place]


def checked(
    schema: Schema, name: str, value: object, owner: object, count: int | None = None, argument: str = ""
) -> FloatArray:
    """A checked value of a field as components (size, 1), or values for `count` rows (size, count); messages name `argument`."""
    field = schema.by_name[name]
    assert field.rule is not None
    if count is None:
        return field.rule.one(value, argument or name, owner, field.size)[:, np.newaxis]
    return field.rule.many(value, argument or name, owner, field.size, count)


def reference_fields(*names: str, or_nobody: str = "") -> tuple[Field, ...]:
    """The first fields of a force's table: the rows of the bodies that it refers to, and whether the row acts.

    Args:
        names: The fields that hold rows of bodies.
        or_nobody: The one that may be -1, for all bodies or for a point in the world.
    """
    references = tuple(
        Field(
            name,
            Kind.MODEL,
            meaning="row of the body; -1 for all bodies or for none",
            digest=100 + place,
            refers_to="bodies",
            rest=NOBODY,
            may_be_nobody=name == or_nobody,
        )
        for place, name in enumerate(names)
    )
    return (*references, Field("enabled", Kind.COMMAND, meaning="whether it acts", digest=110, rest=1.0, rule=SWITCH))


def require_body(body: BodyHandle, argument: str, owner: str, rule: str = "a body of a world") -> BodyHandle:
    """Return the body, after checking that it is one and still in its world."""
    if not is_body(body):
        refuse(owner, argument, body, rule, TypeError)
    try:
        _ = body.index
    except ValueError as error:  # it was removed
        raise ValueError(f"{owner}: {argument}: {error}") from None
    return body


def body_rows(bodies: Iterable[BodyHandle] | None, owner: str) -> list[tuple[BodyHandle | None, ...]]:
    """One row per body, or one row for all bodies if None is given."""
    if bodies is None:
        return [(None,)]
    chosen = members(bodies, "bodies", owner, "a list of bodies of a world", is_body)
    if not chosen:
        refuse(owner, "bodies", bodies, "a list of at least one body")
    for body in chosen:
        require_body(body, "bodies", owner)
    if len({id(body) for body in chosen}) != len(chosen):
        refuse(owner, "bodies", bodies, "a list without duplicates")
    return [(body,) for body in chosen]
