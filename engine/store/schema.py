"""Schemas of tables, which say who writes each field, what undoes it, and where it enters the state hash."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, array, boolean, by_value, direction, first_of, is_row, real, refuse

NOBODY = -1
"""The value of a field that refers to no particular body, but to all bodies or to a point in the world frame."""


class Kind(Enum):
    """Who writes a field, and what happens to it when a tick fails."""

    STATE = "written by the tick; undone with a failed tick; in hash and snapshot"
    MODEL = (
        "written by people between ticks or in a callback; undone if changed in the failed tick; in hash and snapshot"
    )
    COMMAND = "written by people and held until set again; undone if changed in the failed tick; in hash and snapshot"
    ONE_TICK = "written by people for the next tick; undone if changed in the failed tick; in hash and snapshot"
    PREVIOUS = "the state one tick earlier, written by the tick for drawing and undo; in snapshot, not in hash"
    SCRATCH = "written by kernels; neither undone nor in hash or snapshot"

    @property
    def is_hashed(self) -> bool:
        """Whether the field determines the future and is part of `World.state_hash`."""
        return self not in (Kind.PREVIOUS, Kind.SCRATCH)


class Rule(NamedTuple):
    """The permitted values of a field; every value is finite."""

    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    is_direction: bool = False
    """Whether the value is a vector of any non-zero length, which is stored with unit length."""
    is_switch: bool = False
    """Whether the value is True or False, which is stored as 1.0 or 0.0."""

    def one(self, value: object, argument: str, owner: object, size: int) -> FloatArray:
        """Check the value of one row and return its components, shape (size,).

        Raises:
            TypeError: If the value is not a real number or a sequence of real numbers.
            ValueError: If the value violates the rule.
        """
        if self.is_switch:
            return np.array([boolean(value, argument, owner)], np.float64)
        if size == 1:
            return np.array([self.number(value, argument, owner)])
        if self.is_direction:
            return direction(value, argument, owner)
        return self._checked(array(value, argument, owner, (size,)), value, argument, owner)

    def number(self, value: object, argument: str, owner: object) -> float:
        """Check and return one number."""
        number = real(value, argument, owner, above=self.above, at_least=None if self.at_most else self.at_least)
        if self.at_most is not None and not (self.at_least or 0.0) <= number <= self.at_most:
            refuse(owner, argument, value, self._words)
        return number

    def many(self, value: object, argument: str, owner: object, size: int, count: int) -> FloatArray:
        """Check one value per row, or one value for all, and return the components, shape (size, count).

        Raises:
            TypeError: If the values are not real numbers.
            ValueError: If the shape is wrong, or one of the values violates the rule.
        """
        value = by_value(value, argument, owner, "real numbers")
        if self.is_switch:
            switches = value if is_row(value) else [value] * count
            if len(switches) != count:
                refuse(owner, argument, value, f"True or False, or a list of {count} of them")
            return np.array([[boolean(switch, argument, owner) for switch in list(switches)]], np.float64)
        if not is_row(value) or (size > 1 and not (len(value) and is_row(first_of(value)))):
            return np.repeat(self.one(value, argument, owner, size)[:, np.newaxis], count, axis=1)
        given = array(value, argument, owner, (count,) if size == 1 else (count, size))
        if self.is_direction:
            rows = [direction(row, f"{argument}[{number}]", owner) for number, row in enumerate(given)]
            return np.stack(rows, axis=1)
        return self._checked(given.reshape(count, size).T, value, argument, owner)

    def _checked(self, values: FloatArray, given: object, argument: str, owner: object) -> FloatArray:
        wrong = (
            (self.above is not None and (values <= self.above).any())
            or (self.at_least is not None and (values < self.at_least).any())
            or (self.at_most is not None and (values > self.at_most).any())
        )
        if wrong:
            refuse(owner, argument, given, f"{self._words} in every element")
        return values

    def holds(self, values: FloatArray) -> npt.NDArray[np.bool_] | np.bool_:
        """Which of the rows that are stored keep the rule, for values of shape (size, rows)."""
        if self.is_switch:
            return ((values == 0.0) | (values == 1.0)).all(axis=0)
        if self.is_direction:
            return np.abs(np.square(np.clip(values, -2.0, 2.0)).sum(axis=0) - 1.0) < _UNIT_ERROR
        low = (
            values > self.above
            if self.above is not None
            else values >= (-np.inf if self.at_least is None else self.at_least)
        )
        return (low & (values <= (np.inf if self.at_most is None else self.at_most))).all(axis=0)

    @property
    def words(self) -> str:
        """The rule of stored values in words."""
        if self.is_switch:
            return "0 or 1"
        if self.is_direction:
            return "unit vectors"
        return self._words if self != ANY else "finite"

    @property
    def _words(self) -> str:
        if self.at_most is not None:
            return f"between {self.at_least or 0.0:g} and {self.at_most:g}"
        return f"above {self.above:g}" if self.above is not None else f"at least {self.at_least:g}"


class Stored(NamedTuple):
    """What the values of a field are in every world, whoever has written them."""

    at_least: float = -np.inf
    at_most: float = np.inf
    is_whole: bool = False
    is_unit: bool = False
    """Whether the components are a vector of length 1."""

    def holds(self, values: FloatArray) -> bool:
        """Whether values of shape (size, rows) are so; those that are not finite are checked elsewhere."""
        found = values[np.isfinite(values)]
        if self.is_unit and not (np.abs(np.square(np.clip(values, -2.0, 2.0)).sum(axis=0) - 1.0) < _UNIT_ERROR).all():
            return False
        if self.is_whole and (found != np.floor(found)).any():
            return False
        return not ((found < self.at_least) | (found > self.at_most)).any()

    def __str__(self) -> str:
        if self.is_unit:
            return "of length 1"
        return f"{'whole numbers ' if self.is_whole else ''}from {self.at_least:g} to {self.at_most:g}"


_UNIT_ERROR = 1e-9
"""How much the square of a length may differ from 1."""


def up_to(most: float) -> Stored:
    """Whole numbers from 0 to this."""
    return Stored(0.0, most, is_whole=True)


UNIT = Stored(is_unit=True)
FLAG = up_to(1.0)
COUNTED = up_to(2.0**53)
TICKED = Stored(-1.0, 2.0**53, is_whole=True)
"""The number of a tick that has been, or -1."""


ANY = Rule()
NOT_NEGATIVE = Rule(at_least=0.0)
POSITIVE = Rule(above=0.0)
SHARE = Rule(at_least=0.0, at_most=1.0)
DIRECTION = Rule(is_direction=True)
SWITCH = Rule(is_switch=True)


@dataclass(frozen=True)
class Field:
    """One quantity of a table, which is one or more adjacent components.

    Attributes:
        name: The name of the attribute, as in `world.thrusters.throttle`, and in images of a world.
        kind: Who writes it, and what happens to it when a tick fails.
        size: The number of components.
        unit: The unit.
        frame: The frame, where that matters.
        meaning: The meaning, in words.
        dtype: float64, or uint64 for bit patterns, which are hashed unchanged.
        digest: The position among the fields of its table in the state hash, independent of the memory layout; None leaves it out.
        rest: The default value.
        rule: The permitted values; None if users do not set it.
        refers_to: The table whose row numbers it holds. They are updated when those rows move.
        world_axes: For a point in the world frame, the axis (0, 1 or 2) along which each component is a coordinate [m]; (0, 1, 2) for a
            position. `World.shift_origin` moves such points. Empty for anything else.
        guard: A further check of new values against the rows that they are for, called as ``guard(columns, values, owner)`` with arrays of
            shape (components, rows).
        guard_in: The table without rows of which the guard rejects nothing; empty if there is none. A batch then does not read the rows.
        is_new: Whether it is left out of the hash while all rows have its default value, so that worlds that do not use it keep the hash
            that they had before it existed.
        may_be_nobody: Whether a field with `refers_to` may be `NOBODY` in a row that acts.
        stored: What its values are in every world, where `rule` does not say it; snapshots from bytes are checked by it.
        is_world_tick: Whether it is the number of a tick of the world up to which something is counted; for a member of a batch, that is
            another one than its own, and nothing that users see.
        unless_on: A field that refers to a body. In the rows in which it names one, this field is a point of that body.
    """

    name: str
    kind: Kind
    size: int = 1
    unit: str = "-"
    frame: str = ""
    meaning: str = ""
    dtype: type = np.float64
    digest: int | None = None
    rest: float | Sequence[float] = 0.0
    rule: Rule | None = None
    refers_to: str = ""
    world_axes: tuple[int, ...] = ()
    unless_on: str = ""
    may_be_nobody: bool = False
    stored: Stored | None = None
    guard: Callable[[FloatArray, FloatArray, object], None] | None = None
    guard_in: str = ""
    is_new: bool = False
    is_world_tick: bool = False

    def broken_rule(self, values: FloatArray) -> str | None:
        """The rule that stored values of shape (size, rows) break, in words, whoever has written them; None if they break none."""
        rest = np.broadcast_to(np.reshape(self.rest, (-1, 1)), (self.size, 1))
        # a field whose rest is infinite or nan has no limit there, or no value; a lower limit cannot be infinite the other way
        allowed = np.isfinite(values)
        if np.isinf(rest).any():
            allowed |= np.isinf(values) & (values == rest)
        if np.isnan(rest).any():
            allowed |= np.isnan(values)
        if not allowed.all():
            return "finite"
        if self.stored is not None:
            return None if self.stored.holds(values) else str(self.stored)
        return None if self.rule is None or self.rule.holds(values).all() else self.rule.words


POINT = (0, 1, 2)
"""The `world_axes` of a position."""


Written = tuple[object, npt.ArrayLike, npt.ArrayLike]
"""Places in a table, what is to be written there, and what stands there; see `Schema.settle`."""


class Schema:
    """The fields of a table, in the order of their components in memory."""

    def __init__(
        self,
        name: str,
        fields: Sequence[Field],
        follows: str = "",
        flown: bool = False,
        flown_while: Sequence[str] = (),
        settle: Callable[[Any, slice | int, Any, Any], Written | None] | None = None,
        is_filled_by_ticks: bool = False,
        deciding: Sequence[int] = (),
        comes_and_goes: bool = False,
    ) -> None:
        self.name = name
        self.follows = follows
        """The table to whose rows these rows belong one to one; empty for an independent table."""
        self.flown = flown
        """Whether compiled loops write its rows during ticks, without the table's own methods."""
        self.flown_while = tuple(flown_while)
        """The fields of which one must not be zero for that; empty if loops always write it."""
        self.settle = settle
        """Called as ``settle(table, components, rows, values)`` before values are written into a table; not when a change is undone.

        Returns None, or, if something has to be settled that the former values have given so far, all places that are to be written
        together, what to write there, and what stands there. The places are the components of one row, shape (k,), or a tuple of components
        and first rows of blocks and of members, as `Table.write_blocks` has them; members may be a slice. Where no log keeps what stands
        there, they may be a function, called as ``write(table, components, values)``. None if the table has nothing to settle."""
        self.is_filled_by_ticks = is_filled_by_ticks
        """Whether they add and remove rows as well; such rows have no handles."""
        self.deciding = tuple(deciding)
        """The components whose values decide how ticks are run, and not only with which numbers."""
        self.comes_and_goes = (
            comes_and_goes or is_filled_by_ticks or all(field.kind is Kind.ONE_TICK for field in fields)
        )
        """Whether loops are ready for any number of rows, because these come and go in ticks."""
        self.fields = tuple(fields)
        self.by_name = {field.name: field for field in fields}
        ends = np.cumsum([field.size for field in fields]).tolist()
        self.components = {field.name: slice(end - field.size, end) for field, end in zip(fields, ends, strict=True)}
        """The components of each field, as a slice."""
        self.size: int = ends[-1]
        places = [field.digest for field in fields if field.digest is not None]
        if len(places) != len(set(places)) or len(self.by_name) != len(fields):
            raise ValueError(f"{name}: two fields have the same name or the same place in the hash")
        for field in fields:
            if field.world_axes and len(field.world_axes) != field.size:
                raise ValueError(f"{name}.{field.name}: a point in the world frame must have one axis per component")
            if field.kind.is_hashed != (field.digest is not None):
                raise ValueError(
                    f"{name}.{field.name}: a field of kind {field.kind.name} must "
                    f"{'' if field.kind.is_hashed else 'not '}have a place in the hash"
                )

    def __deepcopy__(self, memo: object) -> Schema:
        return self  # it never changes

    @cached_property
    def hashed(self) -> tuple[Field, ...]:
        """The fields that are part of the state hash, in hash order."""
        return tuple(sorted((field for field in self.fields if field.digest is not None), key=_place))

    @cached_property
    def references(self) -> tuple[Field, ...]:
        """The fields that hold row numbers of another table."""
        return tuple(field for field in self.fields if field.refers_to)

    @cached_property
    def body_references(self) -> tuple[Field, ...]:
        """The fields that hold rows of bodies."""
        return tuple(field for field in self.fields if field.refers_to == "bodies")

    @cached_property
    def world_points(self) -> tuple[Field, ...]:
        """The fields that hold points in the world frame or coordinates of such points."""
        return tuple(field for field in self.fields if field.world_axes)

    @cached_property
    def rest(self) -> FloatArray:
        """A row of default values, shape (size, 1)."""
        column = np.zeros((self.size, 1))
        for field in self.fields:
            column[self.components[field.name], 0] = field.rest
        return column

    @cached_property
    def kept(self) -> npt.NDArray[np.int64]:
        """The components that compiled loops may change and a failed tick puts back."""
        slices = [self.components[field.name] for field in self.fields if field.kind in (Kind.STATE, Kind.PREVIOUS)]
        return np.array([row for each in slices for row in range(each.start, each.stop)], np.int64)

    def row(self, name: str) -> int:
        """The first component of a field."""
        return int(self.components[name].start)


def _place(field: Field) -> int:
    assert field.digest is not None
    return field.digest
