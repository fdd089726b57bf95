"""Functions of a world's user: which may be called, which are the same, and which reach into a world that is being copied."""

from __future__ import annotations

import functools
import inspect
from collections import deque
from collections.abc import Callable, Iterator
from types import BuiltinMethodType, CodeType, FunctionType, MethodType, MethodWrapperType, ModuleType
from typing import Any, NamedTuple

from .checks import refuse

_MOST_OBJECTS = 20_000


class Callback(NamedTuple):
    """A function that is called in every tick whose number is a multiple of `every`."""

    function: Callable[..., Any]
    every: int


def identity(function: Any) -> tuple[int, ...]:
    """What tells one function or object from another: a method is a new object each time that it is looked up."""
    if isinstance(function, MethodType):
        return id(function.__self__), id(function.__func__)
    if isinstance(function, BuiltinMethodType | MethodWrapperType):  # `seen.append`
        return id(function.__self__), hash(function.__name__)
    return (id(function),)


def check_calls(function: Any, owner: str, argument: str, kind: str) -> None:
    """Refuse a function that would not run when it is called: a generator, a coroutine.

    Raises:
        TypeError: It is one of these.
    """
    inner = function
    while isinstance(inner, functools.partial):
        inner = inner.func
    called = (
        inner
        if isinstance(inner, FunctionType | MethodType)
        else inspect.getattr_static(type(inner), "__call__", inner)
    )
    for candidate in (inner, called):
        if inspect.isgeneratorfunction(candidate) or inspect.isasyncgenfunction(candidate):
            refuse(
                owner,
                argument,
                function,
                f"{kind}; calling a generator function runs none of it, so it must not yield",
                TypeError,
            )
        if inspect.iscoroutinefunction(candidate):
            refuse(
                owner,
                argument,
                function,
                f"{kind}; calling an async function runs none of it, so it must not be async",
                TypeError,
            )


def find_reached(function: Any, is_handle: Callable[[Any], bool]) -> str | None:
    """How a function reaches a handle: the path to it, in words; None where it reaches none.

    Looked at are closures, defaults, the object that a method is bound to, its attributes, global names that the code reads, and what
    lies in lists, tuples, dicts and sets.
    """
    seen: set[int] = set()
    waiting: deque[tuple[Any, str]] = deque([(function, "")])
    while waiting and len(seen) < _MOST_OBJECTS:
        thing, path = waiting.popleft()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if path and is_handle(thing):
            return path
        waiting.extend((inner, f"{path} → {name}" if path else name) for inner, name in _inside(thing))
    return None


def _inside(thing: Any) -> Iterator[tuple[Any, str]]:
    if isinstance(thing, str | bytes | int | float | complex | type | ModuleType | None):
        return
    if isinstance(thing, FunctionType):
        yield from _inside_function(thing)
    elif isinstance(thing, MethodType):
        yield thing.__self__, f"the object of {thing.__name__}"
        yield thing.__func__, thing.__name__
    elif isinstance(thing, functools.partial):
        yield thing.func, "partial"
        for number, argument in enumerate(thing.args):
            yield argument, f"argument {number}"
        for name, argument in thing.keywords.items():
            yield argument, f"argument {name!r}"
    elif isinstance(thing, dict):
        for key, value in thing.items():
            yield key, "a key"
            yield value, f"[{key!r}]" if isinstance(key, str | int) else "a value"
    elif isinstance(thing, list | tuple | set | frozenset | deque):
        for number, value in enumerate(thing):
            yield value, f"[{number}]"
    else:
        for name, value in _attributes(thing):
            yield value, f"attribute {name!r}"
        call = inspect.getattr_static(type(thing), "__call__", None)
        if isinstance(call, FunctionType):
            yield call, "__call__"


def _inside_function(function: FunctionType) -> Iterator[tuple[Any, str]]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield cell.cell_contents, f"closure variable {name!r}"
        except ValueError:  # not yet assigned
            continue
    for number, value in enumerate(function.__defaults__ or ()):
        yield value, f"default {number}"
    for name, value in (function.__kwdefaults__ or {}).items():
        yield value, f"default of {name!r}"
    for name in _names_read(function.__code__):
        if name in function.__globals__:
            yield function.__globals__[name], f"global {name!r}"
    yield vars(function), "its attributes"


def _names_read(code: CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names_read(constant)
    return names


def _attributes(thing: Any) -> Iterator[tuple[str, Any]]:
    yield from getattr(thing, "__dict__", {}).items()
    for kind in type(thing).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(thing, name):
                yield name, getattr(thing, name)
