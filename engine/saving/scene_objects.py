"""Laws, references, allocators and other objects that forces and parts are made with, as plain data for scenes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import flight, shapes
from ..checks import refuse
from ..flight import control
from ..flight.allocation import ThrusterAllocator
from ..flight.optical_sensors import Exclusion
from ..flight.wheel_allocation import WheelAllocator
from ..forces.magnetic_dipole import MagneticDipole
from ..forces.valves import Gimbal
from ..joints import Capture, JointSpring, Motor, Port
from ..joints.assembly import Assembly
from ..joints.joint import Joint
from ..plain import PlainData, PlainObject
from ..store.calling import default_name
from ..store.rows import TableRows, is_body
from .encoding import classes_of

BODIES = ("body", "other", "bodies", "ship")
"""The arguments in which a name stands for a body."""
_TUNED = {"bandwidth": "_bandwidth", "decay_rate": "_decay"}
"""What a law has been tuned with, if its gains follow an assembly."""
_TUPLES: dict[str, type] = {"gimbal": Gimbal, "dipole": MagneticDipole}
"""Values with parts, under the key that marks them."""


OBJECT_CLASSES: dict[str, type] = {
    name: kind
    for name, kind in classes_of((flight, control, shapes), object, (shapes.Shape,)).items()
    # these have keys of their own, or are members of the world
    if not inspect.isabstract(kind) and not issubclass(kind, TableRows | tuple | MagneticDipole)
}
"""The classes of laws, references, allocators and modulators, by name."""


@cache
def arguments_of(kind: type) -> tuple[str, ...]:
    """The names under which a scene may give the arguments of a class of laws, references or allocators."""
    names = dict.fromkeys(inspect.signature(kind).parameters)
    if hasattr(kind, "tuned"):
        names |= dict.fromkeys(inspect.signature(kind.tuned).parameters)
    if kind in (ThrusterAllocator, WheelAllocator):
        names["without"] = None
    return tuple(names)


def made(kind: type, arguments: dict[str, object]) -> object:
    """An object of one of these classes.

    Raises:
        TypeError: If an argument has the wrong type, is missing, or does not fit the others.
        ValueError: If an argument breaks its rule.
    """
    given = dict(arguments)
    without = given.pop("without", [])
    if any(name in given for name in _TUNED):
        made = kind.tuned(given.pop("inertia_body", None), **given)  # type: ignore[attr-defined]
    else:
        made = kind(**given)
    if not isinstance(without, list):
        refuse(kind.__name__, "without", without, "a list", TypeError)
    for lost in without:
        if kind is WheelAllocator:
            made = made.without(lost)
        elif isinstance(lost, list) and len(lost) == 2:
            made = made.without(lost[0], level=lost[1])
        else:
            refuse(kind.__name__, "without", without, "a list of pairs of the number of a jet and its level")
    return made


class Written(NamedTuple):
    """What is known of a world while its forces and parts are written."""

    world: object
    places: dict[int, PlainObject]
    """How a scene refers to each force and part of the world, by its id."""
    objects: dict[str, object]
    """The objects of the user that were written by their names so far."""


def to_plain(value: object, name: str, path: str, written: Written) -> PlainData:
    """The value of an argument as plain data.

    Args:
        value: The value.
        name: The name of the argument.
        path: Its place in the scene.
        written: What is known of the world that is saved.

    Raises:
        ValueError: If the value refers to something that is not in the world.
    """

    def inner(part: object, part_name: str) -> PlainData:
        return to_plain(part, part_name, f"{path}.{part_name}", written)

    if value is None or isinstance(value, bool | int | float | str):
        return value
    if id(value) in written.places:
        return written.places[id(value)]
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if is_body(value):
        if value.world is not written.world:
            refuse("World.save", path, value, "a body of the world being saved")
        return value.name if name in BODIES else {"body": value.name}
    if isinstance(value, TableRows | Joint):
        refuse("World.save", path, value, "a force, part or joint that belongs to the world being saved")
    if isinstance(value, Exclusion):
        shown = ("angle", "direction_world") if value.center is None else ("angle", "center", "radius")
        return {"exclusion": {part: inner(getattr(value, part), part) for part in shown}}
    for key, kind in _TUPLES.items():
        if isinstance(value, kind):
            return {key: {part: inner(getattr(value, part), part) for part in inspect.signature(kind).parameters}}
    if isinstance(value, list | tuple):
        return [to_plain(item, name, f"{path}[{place}]", written) for place, item in enumerate(value)]
    if isinstance(value, Assembly):
        return {"assembly": inner(value.body, "body")}
    if OBJECT_CLASSES.get(type(value).__name__) is type(value):
        given = {part: inner(argument, part) for part, argument in _read(value).items()}
        return {"class": type(value).__name__, **given}
    written.objects[default_name(value)] = value
    return {"object": default_name(value)}


def _read(thing: Any) -> dict[str, object]:
    """The arguments with which a law, a reference or an allocator can be made again; without those that are None."""
    kind = type(thing)
    for word, attribute in _TUNED.items():
        if getattr(thing, attribute, None) is not None:
            # its gains are those of the assembly as it is now, and would be fixed if they were written
            names = [name for name in inspect.signature(kind.tuned).parameters if name not in ("inertia_body", word)]
            return {**{name: getattr(thing, name) for name in names}, word: getattr(thing, attribute)}
    found = {name: getattr(thing, name) for name in inspect.signature(kind).parameters}
    if kind is WheelAllocator and thing.lost:
        found["without"] = list(thing.lost)
    elif kind is ThrusterAllocator and thing.lost:
        found["without"] = thing.stuck_levels
    return {name: value for name, value in found.items() if value is not None}


def _exclusion(
    angle: float, direction_world: npt.ArrayLike | None = None, center: Any = None, radius: float = 0.0
) -> Exclusion:
    """Something bright, by a direction to a thing far away or by the centre and the radius of a sphere."""
    if direction_world is not None:
        return Exclusion.far(direction_world, angle)
    return Exclusion.ball(center, radius, angle)


MAKERS: dict[str, Callable[..., object]] = {
    **_TUPLES,
    **{"motor": Motor, "spring": JointSpring, "port": Port, "capture": Capture, "exclusion": _exclusion},
}
"""What makes the values with parts, under the key that marks them."""
