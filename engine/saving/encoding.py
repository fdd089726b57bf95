"""Methods, forces and parts as plain data, for snapshots in bytes and for scenes."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from .. import flight, forces, integrators, joints, shapes
from ..checks import refuse
from ..flight.coast import KEEP_OUT
from ..forces.constant import POINT_FORCES
from ..integrators import Integrator
from ..plain import Plain, PlainData, PlainObject, decoded_array, encoded_array, telling
from ..shapes.handle import CONTACTS, GROUPS, IGNORED
from ..shapes.shape import Shape, arguments_of
from ..store.bodies import BODIES, HISTORY
from ..store.rows import TableRows, is_body
from ..store.schema import Schema
from ..tick.actuators import DRIVEN
from ..tick.freezing import FROZEN_BODIES
from ..tick.held import PUSHES


def classes_of(packages: Iterable[ModuleType], base: type, without: Collection[type] = ()) -> dict[str, type[Any]]:
    """The public classes of packages that have a base, by name."""
    named = {name: getattr(package, name) for package in packages for name in package.__all__}
    return {
        name: kind
        for name, kind in named.items()
        if isinstance(kind, type) and issubclass(kind, base) and kind not in without
    }


BUILT_IN = classes_of((forces, flight, joints, shapes), TableRows, (forces.Force, joints.Joint))
"""The classes of forces, parts, joints and shapes of this package, by name."""
_METHODS = classes_of((integrators,), Integrator, (Integrator,))
OF_NO_MEMBER = (BODIES, HISTORY, PUSHES, DRIVEN, FROZEN_BODIES, KEEP_OUT, CONTACTS, IGNORED, GROUPS)
"""The schemas of the tables whose rows belong to no force, part, joint or shape; those of memory come in addition."""


_SCHEMAS = (*OF_NO_MEMBER, POINT_FORCES, *(getattr(kind, "_schema", None) for kind in BUILT_IN.values()))
BUILT_IN_SCHEMAS = {schema.name: schema for schema in _SCHEMAS if isinstance(schema, Schema)}
"""The schemas of the tables of this package, by name."""


def name_of(kind: type) -> str:
    """The name of a class of forces or parts in files: its own name for one of this package, and its module's too for others."""
    own = kind.__name__
    return own if BUILT_IN.get(own) is kind else f"{kind.__module__}.{kind.__qualname__}"


# methods


def encoded_method(method: Integrator, owner: str) -> PlainObject:
    """A method as plain data.

    Raises:
        ValueError: If the method is not one of `engine.integrators`.
    """
    name = type(method).__name__
    if _METHODS.get(name) is not type(method):
        refuse(owner, "integrator", method, "one of engine.integrators")
    given = {argument: getattr(method, argument) for argument in inspect.signature(type(method)).parameters}
    values = {key: encoded_method(each, owner) if isinstance(each, Integrator) else each for key, each in given.items()}
    return {"class": name, **{key: value for key, value in values.items() if value is not None}}


def decoded_method(plain: Plain) -> Integrator:
    """The method that `encoded_method` wrote, or one given by its name.

    Raises:
        ValueError: If there is no such method.
    """
    if isinstance(plain.value, str):
        return integrators.by_name[plain.option(sorted(integrators.by_name))]()
    kind = _METHODS[plain["class"].option(_METHODS)]
    given = {key: value for key, value in plain.items() if key != "class"}
    arguments = {key: decoded_method(value) if key == "integrator" else value.value for key, value in given.items()}
    with telling(f"{plain.owner}: {plain.path} must be the arguments of {kind.__name__}"):
        return kind(**arguments)


# what forces and parts keep beside their rows


_VALUES: dict[str, type] = {
    **{"capture": joints.Capture, "port": joints.Port},
    **{"box": shapes.Box, "compound": shapes.Compound, "plane": shapes.Plane, "sphere": shapes.Sphere},
    **{"capsule": shapes.Capsule, "convex hull": shapes.ConvexHull, "cylinder": shapes.Cylinder},
    **{"height field": shapes.HeightField, "triangle mesh": shapes.TriangleMesh},
}
"""Classes of values with parts, by the key that marks them."""
_CONTAINERS: dict[str, type] = {"set": frozenset, "tuple": tuple, "list": list}


Memo = dict[int, object]
"""What `copy.deepcopy` keeps: what stands for an object, by its id."""


class Place(NamedTuple):
    """What stands in plain data for a body, for a force or part, or for a schema: its place in the world, or its name.

    `copy.deepcopy` with the memo that `resolving` returns puts in what is there.
    """

    kind: str
    """"body", "member" or "schema"."""
    key: int | str | None
    """The row of a body, the place of a force or part, the name of a table; None for nothing."""

    def __deepcopy__(self, memo: Memo) -> object:
        found = memo.get(id(Place))
        if not isinstance(found, dict):
            return self
        return None if self.key is None else found[self.kind][self.key]


def resolving(bodies: Sequence[object], members: Sequence[object], schemas: Mapping[str, Schema]) -> Memo:
    """A memo for `copy.deepcopy` that replaces places by what is there."""
    return {id(Place): {"body": bodies, "member": members, "schema": schemas}}


class Places:
    """The places of the handles of a world.

    Attributes:
        memo: The place of each by its id, as a memo for `copy.deepcopy`.
    """

    def __init__(self, bodies: Iterable[object], members: Iterable[object]) -> None:
        self.memo: Memo = {id(body): Place("body", row) for row, body in enumerate(bodies)}
        self.memo |= {id(member): Place("member", place) for place, member in enumerate(members)}

    def placed(self, value: object) -> object:
        """The value with places instead of handles, in tuples, lists and sets at any depth; other objects stay as they are."""
        known = self.memo.get(id(value))
        if known is not None:
            return known
        if is_body(value):
            return Place("body", None)  # it was removed
        if type(value) is tuple:
            return tuple(map(self.placed, value))
        if type(value) is list:
            return list(map(self.placed, value))
        return frozenset(map(self.placed, value)) if type(value) is frozenset else value

    def all_placed(self, attributes: Iterable[tuple[str, object]], kind: type[TableRows]) -> dict[str, object]:
        """The attributes that a class of forces or parts keeps beside its rows, with places instead of handles."""
        names = own_slots(kind)
        return {name: self.placed(value) for name, value in attributes if name in names}


Test = Callable[[Any], bool]
"""Whether a value is what it must be."""


class NotPlain(Exception):
    """An attribute cannot be written as plain data."""


def encoded_attributes(attributes: Mapping[str, object]) -> PlainObject | None:
    """Attributes of a force or part, with places instead of handles, as plain data; None if one of them cannot be written so."""
    try:
        return {name: _encoded(value) for name, value in attributes.items()}
    except NotPlain:
        return None


def own_slots(kind: type[TableRows]) -> tuple[str, ...]:
    """The names of the attributes that a class of forces or parts keeps beside its rows."""
    return tuple(name for base in kind.__mro__ if base is not TableRows for name in vars(base).get("__slots__", ()))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_numbers(count: int) -> Test:
    return lambda value: isinstance(value, tuple) and len(value) == count and all(map(_is_number, value))


def _is_array(*shape: int) -> Test:
    return lambda value: isinstance(value, np.ndarray) and value.shape == shape


def _is_any(*kinds: type) -> Test:
    return lambda value: isinstance(value, kinds)


def _are_all(container: type[Collection[object]], kind: type) -> Test:
    return lambda value: isinstance(value, container) and all(isinstance(item, kind) for item in value)


def _is_whole(at_least: int) -> Test:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= at_least


def _or_none(fits: Test) -> Test:
    return lambda value: value is None or fits(value)


_ATTRIBUTES: dict[str, tuple[Test, str]] = {
    "_capture": (_is_any(joints.Capture), "the limits of a Capture"),
    "_clocking": (_or_none(_is_number), "an angle or null"),
    "_delay": (_is_whole(0), "an integer from 0"),
    "_evaluate": (lambda value: value in ("stage", "tick"), '"stage" or "tick"'),
    "_every": (_is_whole(1), "an integer from 1"),
    "_field": (_or_none(_are_numbers(3)), "3 numbers or null"),
    "_frame": (lambda value: value in ("torque_world", "torque_body"), '"torque_world" or "torque_body"'),
    "_given": (_are_all(frozenset, str), "a set of names"),
    "_gyro": (_is_any(flight.Gyro), "a Gyro"),
    "_has_axis": (_is_any(bool), "true or false"),
    "_max_torque": (_or_none(_are_numbers(3)), "3 numbers or null"),
    "_misalignment": (_is_array(3), "an array of shape (3,)"),
    "_name": (lambda value: isinstance(value, str) and value != "", "a non-empty string"),
    "_other_port": (_is_any(joints.Port), "a Port"),
    "_pull_together": (_or_none(_are_numbers(2)), "2 numbers or null"),
    "_retract_time": (_is_number, "a number"),
    "_scale_error": (_is_array(3), "an array of shape (3,)"),
    "_schema": (_is_any(Schema), "the name of a table"),
    "_seed": (_is_whole(-(2**63)), "an integer from -2**63"),
    "_shape": (_is_any(Shape), "a shape that can touch"),
    "_soft": (_are_numbers(2), "2 numbers"),
    "_tank": (_or_none(_is_any(flight.Tank)), "a Tank or null"),
    "_trackers": (_are_all(tuple, flight.StarTracker), "star trackers"),
}
"""What each attribute that can be written as plain data must be: a test, and the rule in words."""


_NO_ATTRIBUTE: tuple[Test, str] = (lambda value: False, "")


def check_attributes(
    kind: type[TableRows], values: Mapping[str, object], owner: str, path: str, is_whole: bool
) -> None:
    """Check attributes that were decoded and whose places were resolved; `is_whole` says that none may be missing.

    Raises:
        ValueError: If one is missing, is not one of the class, or breaks its rule.
    """
    wanted = own_slots(kind)
    for name, value in values.items():
        fits, rule = _ATTRIBUTES.get(name, _NO_ATTRIBUTE) if name in wanted else _NO_ATTRIBUTE
        if not fits(value):
            refuse(owner, f"{path}.{name}", value, rule or f"an attribute of {kind.__name__}")
    if is_whole and not values.keys() >= {*wanted}:
        refuse(owner, path, list(values), f"an object with the keys {', '.join(wanted)}")


def _encoded(value: object) -> PlainData:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Place):
        return {value.kind: value.key}
    if isinstance(value, Schema):
        return {"schema": value.name}
    for key, kind in _VALUES.items():
        if isinstance(value, kind):
            return {key: _encoded(_parts_of(value))}
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        return {"array": encoded_array(value)}
    if isinstance(value, frozenset):
        return {"set": sorted(map(_encoded, value), key=str)}
    if isinstance(value, tuple | list) and type(value) in (tuple, list):
        return {type(value).__name__: [_encoded(item) for item in value]}
    raise NotPlain


def _parts_of(value: object) -> tuple[object, ...]:
    """The arguments with which a value can be made again."""
    if isinstance(value, Shape):
        return arguments_of(value)
    assert dataclasses.is_dataclass(value) and not isinstance(value, type)
    return dataclasses.astuple(value)


def decoded_attribute(plain: Plain, bodies: int, members: int) -> object:
    """The value that `encoded_attributes` wrote, with places instead of handles.

    Args:
        plain: The plain data.
        bodies: The number of bodies, beyond which there is no place.
        members: The number of forces and parts.

    Raises:
        ValueError: If it is not such data.
    """
    if not isinstance(plain.value, dict | list):
        return plain.value
    ((key, inner),) = plain.items() if isinstance(plain.value, dict) and len(plain.value) == 1 else [("", plain)]
    if key == "schema":
        return Place(key, inner.text())
    if key in ("body", "member"):
        is_nobody, count = key == "body" and inner.value is None, bodies if key == "body" else members
        return Place(key, None if is_nobody else inner.integer(0, count - 1))
    if key == "array":
        return decoded_array(inner)
    kind = _CONTAINERS.get(key) or _VALUES.get(key)
    if kind is None:
        plain.refuse("an attribute of a force or part")
    if key in _CONTAINERS:
        parts: object = [decoded_attribute(item, bodies, members) for item in inner.list()]
    else:
        parts = decoded_attribute(inner, bodies, members)
    if not isinstance(parts, tuple | list):
        plain.refuse(f"the values of a {kind.__name__}")
    with telling(f"{plain.owner}: {plain.path} must be the values of a {kind.__name__}"):
        return kind(parts) if key in _CONTAINERS else kind(*parts)
