"""The arguments with which a force or part can be made again, by which its constructor checks what a file says of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from ..checks import real
from ..flight.wheel import ReactionWheel
from ..store.rows import TableRows, columns_of, schema_of


def check_by_constructor(member: TableRows) -> None:
    """Make a force or part of a world again from its arguments, which its constructor checks.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument breaks its rule, or the force or part has another number of rows than one made of them.
    """
    arguments = {name: argument(member, name) for name in arguments_in_scene(type(member))}
    rows, wanted = (columns_of(each).shape[1] for each in (member, made_from(type(member), arguments)))
    if rows != wanted:
        raise ValueError(f"{member!r} must have {wanted} rows; got {rows}")
    repr(member)


def made_from(kind: type[TableRows], arguments: dict[str, object]) -> TableRows:
    """A force or part from its arguments; a wheel may have been carried past its maximum speed, which its constructor rejects."""
    make: Callable[..., TableRows] = kind  # the arguments are those of a file, which the constructor checks
    if not issubclass(kind, ReactionWheel) or "speed" not in arguments:
        return make(**arguments)
    speed = real(arguments["speed"], "speed", "ReactionWheel")
    wheel = make(**{**arguments, "speed": 0.0})
    assert isinstance(wheel, ReactionWheel)
    wheel._turn_at(speed)
    return wheel


def arguments_in_scene(kind: type[TableRows]) -> list[str]:
    """The names of the arguments that a scene holds of a class of forces, parts or joints."""
    parameters = inspect.signature(kind).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):  # made by `forces.compiled`
        names = [field.name for field in schema_of(kind).fields if not field.refers_to and field.name != "enabled"]
        return [*(name for name in names if not name.startswith("_")), "bodies"]
    return [parameter.name for parameter in parameters if parameter.name not in kind._arguments_in_rows]


def argument(member: TableRows, name: str) -> object:
    """The value of an argument, read from a force or part."""
    if name == "bodies":
        return list(member._named_bodies()) or None
    if name == "specific_inertia":
        xx, yy, zz, xy, xz, yz = member._value(name).tolist()
        return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    return getattr(member, name)
