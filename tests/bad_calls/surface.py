"""Finds every public callable with its arguments, and every public attribute, by walking `__all__` of the packages."""

import importlib
import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, NamedTuple

PACKAGES = ("engine", "engine.shapes", "engine.contacts", "engine.queries")
"""Where the walk starts; the modules in `__all__` of these, such as `engine.forces`, are walked too."""

BEYOND = ("engine.store.memory", "engine.store.views")
"""Modules whose classes people use by way of a world, such as `world.memory`, without importing them."""


class Entry(NamedTuple):
    """One public name."""

    name: str
    """Such as "Body.apply_force", "rotation.rotate" or "World"."""
    kind: str
    """"call", "setter" or "read-only"."""
    arguments: tuple[str, ...]
    """The names of the arguments of a call."""


def surface() -> dict[str, Entry]:
    """Every public name, by name. What a class inherits stands under the class that defines it."""
    found: dict[str, Entry] = {}
    for name in PACKAGES:
        _walk(importlib.import_module(name), found, set())
    for name in BEYOND:
        for thing in vars(importlib.import_module(name)).values():
            if inspect.isclass(thing) and thing.__module__ == name and not thing.__name__.startswith("_"):
                _class(thing, found, set(), constructor=False)
    return found


def _walk(module: ModuleType, found: dict[str, Entry], seen: set[Any]) -> None:
    public = getattr(module, "__all__", None)
    if public is None:  # a module of functions, such as `engine.scalar`
        public = [name for name, thing in vars(module).items() if _belongs(thing, module) and name[0] != "_"]
    for name in public:
        thing = getattr(module, name)
        if inspect.ismodule(thing):
            _walk(thing, found, seen)
        elif inspect.isclass(thing):
            _class(thing, found, seen)
        elif callable(thing):
            _add(found, f"{module.__name__.rpartition('.')[2]}.{name}", "call", _arguments(thing))


def _belongs(thing: Any, module: ModuleType) -> bool:
    return callable(thing) and getattr(thing, "__module__", "") == module.__name__


def _class(kind: type, found: dict[str, Entry], seen: set[Any], constructor: bool = True) -> None:
    if kind in seen:
        return
    seen.add(kind)
    if constructor and "engine" in kind.__module__:
        _add(found, kind.__name__, "call", _arguments(kind, skip=0))
    for name in dir(kind):
        if name.startswith("_"):
            continue
        definer = next(base for base in kind.__mro__ if name in vars(base))
        if not definer.__module__.startswith("engine"):
            continue
        thing = vars(definer)[name]
        entry = f"{definer.__name__}.{name}"
        if isinstance(thing, classmethod | staticmethod):
            _add(found, entry, "call", _arguments(getattr(kind, name)))
        elif isinstance(thing, property):
            _add(found, entry, "read-only" if _is_read_only(thing) else "setter", ())
        elif inspect.isfunction(thing):
            _add(found, entry, "call", _arguments(thing, skip=1))
        elif hasattr(type(thing), "__set__"):
            is_record = issubclass(kind, tuple)
            _add(found, entry, "read-only" if is_record else "setter", ())


def _is_read_only(attribute: property) -> bool:
    """Whether it has no setter, or one that only says so."""
    return attribute.fset is None or attribute.fset.__name__ == "refuse_to_set"


def _add(found: dict[str, Entry], name: str, kind: str, arguments: tuple[str, ...]) -> None:
    known = found.get(name)
    assert known is None or known.arguments == arguments, f"two public names are called {name}"
    found[name] = Entry(name, kind, arguments)


def _arguments(function: Callable[..., Any], skip: int = 0) -> tuple[str, ...]:
    try:
        parameters = list(inspect.signature(function).parameters.values())[skip:]
    except ValueError:  # an exception without a constructor of its own
        return ()
    fixed = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return tuple(parameter.name for parameter in parameters if parameter.kind not in fixed)


def arguments() -> Iterator[str]:
    """Every argument and setter, such as "Body.apply_force(force_world)" and "Body.position ="."""
    for entry in surface().values():
        if entry.kind == "setter":
            yield f"{entry.name} ="
        for argument in entry.arguments:
            yield f"{entry.name}({argument})"
