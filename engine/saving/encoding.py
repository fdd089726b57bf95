"""Methods, forces and parts as plain data, for snapshots in bytes and for scenes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from .. import flight, forces, integrators, joints
from ..checks import refuse
from ..flight.coast import KEEP_OUT
from ..flight.tank import TANKS
from ..forces.constant import CONSTANT_WRENCHES, POINT_FORCES
from ..integrators import Extrapolated, Integrator, Substepped
from ..plain import Plain, decoded_array, encoded_array
from ..store.bodies import BODIES, HISTORY
from ..store.rows import TableRows, is_body
from ..store.schema import Schema
from ..tick.actuators import DRIVEN
from ..tick.held import PUSHES


@cache
def built_in() -> dict[str, type[TableRows]]:
    """The classes of forces, parts and joints of this package, by name."""
    found = {}
    for package in (forces, flight, joints):
        for name in package.__all__:
            kind = getattr(package, name)
            if isinstance(kind, type) and issubclass(kind, TableRows) and name not in _BASES:
                found[name] = kind
    return found


_BASES = ("Force", "Part", "SampledPart", "Joint")


@cache
def built_in_schemas() -> dict[str, Schema]:
    """The schemas of the tables of this package, by name."""
    own = (BODIES, HISTORY, PUSHES, DRIVEN, TANKS, KEEP_OUT, CONSTANT_WRENCHES, POINT_FORCES)
    kinds = [vars(kind).get("_schema") or getattr(kind, "_schema", None) for kind in built_in().values()]
    return {schema.name: schema for schema in (*own, *kinds) if isinstance(schema, Schema)}


def name_of(kind: type) -> str:
    """The name of a class of forces or parts in files: its own name for one of this package, and its module's too for others."""
    own = kind.__name__
    return own if built_in().get(own) is kind else f"{kind.__module__}.{kind.__qualname__}"


# methods


def encoded_method(method: Integrator, owner: str) -> dict[str, Any]:
    """A method as plain data.

    Raises:
        ValueError: If the method is not one of `engine.integrators`.
    """
    name = type(method).__name__
    if getattr(integrators, name, None) is not type(method):
        refuse(owner, "integrator", method, "one of engine.integrators")
    if isinstance(method, Extrapolated):
        return {"class": name, "integrator": encoded_method(method.integrator, owner)}
    if isinstance(method, Substepped):
        chosen = {"n": method.n} if method.n is not None else {"tolerance": method.tolerance}
        return {"class": name, "integrator": encoded_method(method.integrator, owner), **chosen}
    if not dataclasses.is_dataclass(method):
        return {"class": name}
    return {"class": name, **{field.name: getattr(method, field.name) for field in dataclasses.fields(method)}}


def decoded_method(plain: Plain) -> Integrator:
    """The method that `encoded_method` wrote, or one given by its name.

    Raises:
        ValueError: If there is no such method.
    """
    if isinstance(plain.value, str):
        if plain.value not in integrators.by_name:
            plain.refuse(f"one of {', '.join(sorted(integrators.by_name))}")
        return integrators.by_name[plain.value]()
    name = plain["class"].text()
    kind = getattr(integrators, name, None) if name in integrators.__all__ else None
    if not (isinstance(kind, type) and issubclass(kind, Integrator)) or kind is Integrator:
        plain["class"].refuse("the name of a class of engine.integrators")
    arguments: dict[str, Any] = {}
    for key, value in plain.items():
        if key == "integrator":
            arguments[key] = decoded_method(value)
        elif key != "class":
            arguments[key] = value.value
    try:
        return kind(**arguments)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{plain.owner}: {plain.path} must be the arguments of {name}; {error}") from None


# what forces and parts keep beside their rows


_VALUES: dict[str, Any] = {"capture": joints.Capture, "port": joints.Port}
"""Classes of values with parts, by the key that marks them."""


class NotPlain(Exception):
    """An attribute cannot be written as plain data."""


def encoded_attributes(member: TableRows, bodies: dict[int, int], members: dict[int, int]) -> dict[str, Any] | None:
    """The attributes of a force or part beside its rows, or None if one of them cannot be written as plain data.

    Args:
        member: The force or part.
        bodies: The row of each body by the id of its handle.
        members: The place of each force and part in its world, by its id.
    """
    try:
        return {
            name: _encoded(getattr(member, name), bodies, members)
            for name in own_slots(type(member))
            if hasattr(member, name)
        }
    except NotPlain:
        return None


def own_slots(kind: type[TableRows]) -> tuple[str, ...]:
    """The names of the attributes that a class of forces or parts keeps beside its rows."""
    return tuple(name for base in kind.__mro__ if base is not TableRows for name in vars(base).get("__slots__", ()))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_numbers(count: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, tuple) and len(value) == count and all(map(_is_number, value))


def _is_array(*shape: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, np.ndarray) and value.shape == shape


def _is_any(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds)


def _is_whole(at_least: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= at_least


def _or_none(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or fits(value)


_ATTRIBUTES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "_capture": (_is_any(joints.Capture), "the limits of a Capture"),
    "_clocking": (_or_none(_is_number), "an angle or null"),
    "_delay": (_is_whole(0), "an integer from 0"),
    "_evaluate": (lambda value: value in ("stage", "tick"), '"stage" or "tick"'),
    "_every": (_is_whole(1), "an integer from 1"),
    "_field": (_or_none(_are_numbers(3)), "3 numbers or null"),
    "_frame": (lambda value: value in ("torque_world", "torque_body"), '"torque_world" or "torque_body"'),
    "_given": (
        lambda value: isinstance(value, frozenset) and all(isinstance(item, str) for item in value),
        "a set of names",
    ),
    "_gyro": (_is_any(flight.Gyro), "a Gyro"),
    "_has_axis": (_is_any(bool), "true or false"),
    "_max_torque": (_or_none(_are_numbers(3)), "3 numbers or null"),
    "_misalignment": (_is_array(3), "an array of shape (3,)"),
    "_name": (_is_any(str), "a string"),
    "_other_port": (_is_any(joints.Port), "a Port"),
    "_pull_together": (_or_none(_are_numbers(2)), "2 numbers or null"),
    "_retract_time": (_is_number, "a number"),
    "_scale_error": (_is_array(3), "an array of shape (3,)"),
    "_schema": (_is_any(Schema), "the name of a table"),
    "_seed": (_is_whole(0), "an integer from 0"),
    "_soft": (_are_numbers(2), "2 numbers"),
    "_tank": (_or_none(_is_any(flight.Tank)), "a Tank or null"),
    "_trackers": (
        lambda value: isinstance(value, tuple) and all(isinstance(item, flight.StarTracker) for item in value),
        "star trackers",
    ),
}
"""What each attribute that can be written as plain data must be: a test, and the rule in words."""


def check_attribute(name: str, value: Any, plain: Plain) -> None:
    """Check an attribute that was decoded.

    Raises:
        ValueError: If the value breaks the rule for this attribute.
    """
    fits, rule = _ATTRIBUTES[name]
    if not fits(value):
        plain.refuse(rule)


def _encoded(value: Any, bodies: dict[int, int], members: dict[int, int]) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Schema):
        return {"schema": value.name}
    if is_body(value):
        return {"body": bodies.get(id(value))}
    if isinstance(value, TableRows) and id(value) in members:
        return {"member": members[id(value)]}
    for key, kind in _VALUES.items():
        if isinstance(value, kind):
            return {key: _encoded(dataclasses.astuple(value), bodies, members)}
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        return {"array": encoded_array(value)}
    if isinstance(value, frozenset):
        return {"set": sorted(_encoded(item, bodies, members) for item in value)}
    if type(value) in (tuple, list):
        return {type(value).__name__: [_encoded(item, bodies, members) for item in value]}
    raise NotPlain


def decoded_attribute(plain: Plain, bodies: list[Any], members: list[Any], schemas: dict[str, Schema]) -> Any:
    """The value of an attribute that `encoded_attributes` wrote."""
    if not isinstance(plain.value, dict):
        if isinstance(plain.value, list):
            plain.refuse("an attribute of a force or part")
        return plain.value
    ((key, inner),) = list(plain.items()) if len(plain.value) == 1 else [("", plain)]
    if key == "schema" and inner.text() in schemas:
        return schemas[inner.text()]
    if key == "body":
        return None if inner.value is None else bodies[inner.integer(0, len(bodies) - 1)]
    if key == "member":
        return members[inner.integer(0, len(members) - 1)]
    if key == "array":
        return decoded_array(inner)
    if key in _VALUES:
        kind = _VALUES[key]
        try:
            return kind(*decoded_attribute(inner, bodies, members, schemas))
        except (TypeError, ValueError) as error:
            raise ValueError(f"{plain.owner}: {plain.path} must be the values of a {kind.__name__}; {error}") from None
    if key in ("set", "tuple", "list"):
        items = [decoded_attribute(item, bodies, members, schemas) for item in inner.list()]
        return {"set": frozenset, "tuple": tuple, "list": list}[key](items)
    plain.refuse("an attribute of a force or part")
