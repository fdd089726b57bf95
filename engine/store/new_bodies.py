"""The arguments of `World.add_body` and `World.add_bodies`, checked and laid out as columns."""

from collections.abc import Container, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from ..checks import (
    FloatArray,
    array,
    by_value,
    depth,
    encodable,
    finite_result,
    members,
    refuse,
    unit_quaternions,
    vector,
)
from ..loops.arrays import rotated, rotated_inverse
from ..loops.layout import ANGULAR_VELOCITY, CENTER_OF_MASS, ORIENTATION, POSITION, PREVIOUS, ROWS, STATE_ROWS, VELOCITY
from ..solids.mass_properties import MassProperties
from .model import MODEL_ROWS, check_flyable, mass_property_rows


class NewBodies:
    """Checked bodies that are ready to be added; a rejected argument raises before the world changes."""

    @classmethod
    def one(cls, mass_properties: MassProperties, name: str | None, *motion: object) -> "NewBodies":
        """Create from the arguments of `World.add_body`."""
        if name is not None and (not isinstance(name, str) or not name):
            refuse("World.add_body", "name", name, "a non-empty string, or None", TypeError)
        if name is not None:
            encodable(name, "name", "World.add_body")
        owner = "World.add_body" if name is None else f"body {name!r}"
        motion = _by_value(motion, owner)
        for argument, value in zip(_MOTION, motion, strict=True):
            if depth(value) > 1:
                refuse(owner, argument, value, f"{4 if argument == 'orientation' else 3} finite real numbers")
        return cls(owner, [mass_properties], [name], *motion)

    @classmethod
    def many(
        cls, mass_properties: MassProperties | Iterable[MassProperties], names: Iterable[str] | None, *motion: Any
    ) -> "NewBodies":
        """Create from the arguments of `World.add_bodies`; those with one row per body determine the number of bodies."""
        owner = "World.add_bodies"
        motion = _by_value(motion, owner)
        sizes = {argument: len(value) for argument, value in zip(_MOTION, motion, strict=True) if depth(value) > 1}
        listed = _listed(mass_properties, "mass_properties", owner, one=MassProperties)
        name_list: list[str] | None = None if names is None else _listed(names, "names", owner, one=str)
        if not isinstance(mass_properties, MassProperties):
            sizes["mass_properties"] = len(listed)
        if name_list is not None:
            sizes["names"] = len(name_list)
        if not sizes:
            refuse(owner, "position", motion[0], "of shape (n, 3), because no argument has one row per body")
        if len(set(sizes.values())) > 1 or 0 in sizes.values():
            refuse(
                owner, "the number of rows", sizes, "the same, and at least 1, in all arguments with one row per body"
            )
        count = next(iter(sizes.values()))
        return cls(owner, listed * count if len(listed) == 1 else listed, name_list or [None] * count, *motion)

    def __init__(
        self,
        owner: str,
        mass_properties: Sequence[MassProperties],
        names: Sequence[str | None],
        position: object,
        origin: object,
        orientation: object,
        velocity: object,
        angular_velocity_body: object,
        angular_velocity_world: object,
    ) -> None:
        self._owner = owner
        self._names = names
        self.mass_properties = mass_properties
        self.columns = np.zeros((ROWS, len(names)))
        """The bodies as columns of the world's array."""
        self._write_mass_properties()
        self._refuse_both("position", position, "origin", origin)
        self._refuse_both(
            "angular_velocity_body", angular_velocity_body, "angular_velocity_world", angular_velocity_world
        )
        turned = unit_quaternions(self._rows(orientation, "orientation", 4), "orientation", owner, orientation)
        centers = self._rows(position, "position", 3)
        if origin is not None:
            offsets = self.columns[CENTER_OF_MASS : CENTER_OF_MASS + 3].T
            origins = self._rows(origin, "origin", 3)
            with np.errstate(over="ignore", invalid="ignore"):
                centers = origins + rotated(turned, offsets)
            finite_result(centers, "origin", origin, owner)
        rates = self._rows(angular_velocity_body, "angular_velocity_body", 3)
        if angular_velocity_world is not None:
            rates_world = self._rows(angular_velocity_world, "angular_velocity_world", 3)
            with np.errstate(over="ignore", invalid="ignore"):
                rates = rotated_inverse(turned, rates_world)
            finite_result(rates, "angular_velocity_world", angular_velocity_world, owner)
        self._write(POSITION, centers)
        self._write(ORIENTATION, turned)
        self._write(VELOCITY, self._rows(velocity, "velocity", 3))
        self._write(ANGULAR_VELOCITY, rates)
        self.columns[PREVIOUS : PREVIOUS + STATE_ROWS] = self.columns[:STATE_ROWS]

    def fresh_names(self, taken: Container[str], first_number: int) -> list[str]:
        """A name for each body, generated if none was given; a name that is taken is rejected."""
        fresh: list[str] = []
        known: set[str] = set()
        number = first_number
        for name in self._names:
            if name is None:
                while f"body {number}" in taken or f"body {number}" in known:
                    number += 1
                name = f"body {number}"
            elif not name:
                refuse(self._owner, "names", name, "non-empty strings")
            elif name in taken or name in known:
                refuse(self._owner, "name", name, "new to this world, which has a body of this name")
            known.add(encodable(name, "names", self._owner))
            fresh.append(name)
        return fresh

    def _write_mass_properties(self) -> None:
        written: dict[int, int] = {}
        for column, (properties, name) in enumerate(zip(self.mass_properties, self._names, strict=True)):
            same = written.setdefault(id(properties), column)
            if same < column:
                self.columns[:, column] = self.columns[:, same]
            else:
                check_flyable(properties, self._owner if name is None else f"body {name!r}")
                self.columns[MODEL_ROWS, column] = mass_property_rows(properties)

    def _rows(self, value: object, argument: str, size: int) -> FloatArray:
        count = self.columns.shape[1]
        if value is None and argument in _MAY_BE_LEFT_OUT:
            return np.zeros((count, size))
        if depth(value) > 1:
            return array(value, argument, self._owner, (count, size))
        return np.tile(vector(value, argument, self._owner, size), (count, 1))

    def _write(self, row: int, values: FloatArray) -> None:
        self.columns[row : row + values.shape[1]] = values.T

    def _refuse_both(self, first: str, first_value: object, second: str, second_value: object) -> None:
        if first_value is not None and second_value is not None:
            rule = "None, because only one of them may be given"
            refuse(self._owner, f"{first} or {second}", (first_value, second_value), rule)


One = TypeVar("One")

_MOTION = (
    "position",
    "origin",
    "orientation",
    "velocity",
    "angular_velocity_body",
    "angular_velocity_world",
)

_MAY_BE_LEFT_OUT = ("position", "origin", "angular_velocity_body", "angular_velocity_world")


def _by_value(motion: tuple[object, ...], owner: str) -> tuple[Any, ...]:
    """The arguments, with arrays in place of objects that offer one."""
    pairs = zip(_MOTION, motion, strict=True)
    return tuple(by_value(value, argument, owner, "real numbers") for argument, value in pairs)


def _listed(value: object, argument: str, owner: str, one: type[One]) -> list[One]:
    if isinstance(value, one):
        return [value]
    return members(value, argument, owner, f"a {one.__name__} or a list of them", lambda each: isinstance(each, one))
