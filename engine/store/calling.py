"""Checks of the user's functions: whether they can be called, and whether they reach into a world that is being copied."""

from __future__ import annotations

import dis
import functools
import inspect
import sys
import sysconfig
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from gc import get_referents
from importlib.util import resolve_name
from pathlib import Path
from random import Random
from types import (
    AsyncGeneratorType,
    BuiltinMethodType,
    CodeType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    MappingProxyType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    TracebackType,
)
from typing import Any, NoReturn
from weakref import ProxyTypes, ref

import numpy as np

from ..checks import refuse
from .objects import is_stateful

_MOST_OBJECTS = 1_000_000
_CALLED = ("__call__", "apply", "potential_energy", "get_state", "set_state")
"""The methods that a world calls on an object."""
_MAKING = ("__init__", "__new__", "__post_init__")
"""Methods that have run when an object exists."""
_PACKAGE = __name__.removesuffix(".store.calling")
"""The name under which this package is imported."""
_INSTALLED = {sysconfig.get_path(name) for name in ("purelib", "platlib")}
_LIBRARIES = {*sys.stdlib_module_names, "numpy", "numba", "pytest", "_pytest"} - {"__main__"}

_ATOMS = (str, bytes, int, float, complex, np.generic, type, ModuleType, CodeType, FrameType, TracebackType)
"""These reach nothing by themselves; the names that code reads from modules and classes are followed with that code."""


class _LeftOut:
    def __repr__(self) -> str:
        return "(left out)"


LEFT_OUT: object = _LeftOut()
"""The default of the function that a decorator takes later. None is rejected like anything else that cannot be called."""


class Called:
    """What callbacks have in common."""

    __slots__ = ()

    def is_like(self, other: Called) -> bool:
        """Whether another one has the same function, and is called or told of the same."""
        names = list[str](self.__slots__)
        mine, others = ([getattr(each, name) for name in names] for each in (self, other))
        return type(self) is type(other) and mine == others


@dataclass(frozen=True, eq=False, slots=True)
class Callback(Called):
    """A function that is called in every tick whose number is a multiple of `every`.

    It compares equal only to itself, because the == of a callable object may return anything, for example an array.
    """

    function: Any
    """None where it is only known by name."""
    every: int
    name: str = ""
    """The name by which a snapshot in bytes refers to it."""


@dataclass(frozen=True, eq=False, slots=True)
class EventCallback(Called):
    """A function that is told of events of joints or contacts; it compares equal only to itself, too."""

    function: Any
    """None where it is only known by name."""
    event: str
    name: str = ""
    """The name by which a snapshot in bytes refers to it."""
    body: Any = None
    """The body that it is told of; None for all. This and the next two belong to events of contacts (see `contact_events`)."""
    above: float = 0.0
    """The closing speed above which a contact is a hit."""
    touching: tuple[Any, ...] = ()
    """The pairs of shapes that touched when it was looked at last."""


AnyCallback = Callback | EventCallback


def default_name(function: object) -> str:
    """The module and the qualified name of a function, or those of the class of another object."""
    while isinstance(function, functools.partial):
        function = function.func
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{getattr(named, '__module__', None)}.{named.__qualname__}"


def identity(function: object) -> tuple[int, ...]:
    """A key that identifies a function or object; the `id` of a method will not do, because each lookup creates a new object."""
    if isinstance(function, MethodType):
        return id(function.__self__), id(function.__func__)
    if isinstance(function, BuiltinMethodType | MethodWrapperType):  # `seen.append`
        return id(function.__self__), hash(function.__name__)
    return (id(function),)


def refuse_shared_names(callbacks: Iterable[AnyCallback], owner: str) -> None:
    """Reject different functions of one name, which a file cannot tell apart.

    Raises:
        ValueError: If two functions have the same name.
    """
    known: dict[str, object] = {}
    for callback in callbacks:
        first = known.setdefault(callback.name, callback.function)
        if identity(first) != identity(callback.function):
            hint = "give each its own, as in World.on_tick(function, name=…); a force has that of its function or class"
            argument = "the name of a function that the world calls"
            refuse(owner, argument, callback.name, "a different one for each function", hint=hint)


def refuse_lambdas(callbacks: Iterable[AnyCallback], owner: str) -> None:
    """Reject lambdas without a name of their own, which a reader of the file could not find by what is written there.

    Raises:
        ValueError: If a function has the name of all lambdas of its place.
    """
    for callback in callbacks:
        if callback.name.endswith("<lambda>"):
            hint = "give it one, as in World.on_tick(function, name=…), or define it with def"
            argument = "the name of a function that the world calls"
            refuse(owner, argument, callback.name, "one of its own, because the file has the name alone", hint=hint)


def called_object(function: object) -> object:
    """The object that a method is bound to, even within a `functools.partial`; the function or object itself otherwise."""
    while isinstance(function, functools.partial):
        function = function.func
    return getattr(function, "__self__", function)


def hidden_state(function: object) -> str | None:
    """Where a function or object may keep a state that no snapshot contains, in words; None if there is no such place.

    These are closure variables, defaults and attributes that are containers, writable arrays, generators or random generators. An object
    with `get_state` and `set_state` has none.
    """
    places: list[tuple[str, object]] = []
    while isinstance(function, functools.partial):
        places += [("an argument", value) for value in (*function.args, *function.keywords.values())]
        function = function.func
    owner = called_object(function)
    if is_stateful(owner):
        return None
    inner = getattr(function, "__func__", function)
    if isinstance(inner, FunctionType):
        for name, cell in zip(inner.__code__.co_freevars, inner.__closure__ or (), strict=True):
            with suppress(ValueError):  # not yet assigned
                places.append((f"closure variable {name!r}", cell.cell_contents))
        defaults = (*(inner.__defaults__ or ()), *(inner.__kwdefaults__ or {}).values())
        places += [("a default", value) for value in defaults]
    if isinstance(owner, _STATES):
        places.append(("itself", owner))
    if not isinstance(owner, type | ModuleType):
        places += [(f"attribute {name!r}", value) for name, value in _attributes(owner)]
    return next((place for place, value in places if _may_change(value)), None)


_STATES = (
    list,
    dict,
    set,
    bytearray,
    deque,
    np.ndarray,
    GeneratorType,
    Random,
    np.random.Generator,
    np.random.RandomState,
)


def _may_change(value: object) -> bool:
    if type(value) in ProxyTypes or not isinstance(value, _STATES):
        return False
    return not isinstance(value, np.ndarray) or bool(value.flags.writeable)


def check_calls(function: Any, owner: str, argument: str, kind: str, count: int | None = None) -> None:
    """Reject a generator or coroutine function, because calling it runs none of its code, and one that takes other arguments.

    Args:
        function: The function or callable object.
        owner: The owner to name in errors.
        argument: The argument to name in errors.
        kind: What is expected, in words.
        count: The number of arguments with which it will be called; None if that is not known.

    Raises:
        TypeError: If the function is a generator function or a coroutine function, or cannot be called with so many arguments.
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
                kind,
                TypeError,
                hint="calling a generator function runs none of it, so it must not yield",
            )
        if inspect.iscoroutinefunction(candidate):
            refuse(
                owner,
                argument,
                function,
                kind,
                TypeError,
                hint="calling an async function runs none of it, so it must not be async",
            )
    if count is not None:
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):  # some functions of C have none
            return
        try:
            signature.bind(*range(count))
        except TypeError as error:
            refuse(owner, argument, function, kind, TypeError, error, hint=f"its signature is {signature}")


NEVER_RUN = frozenset((GeneratorType, CoroutineType, AsyncGeneratorType))
"""What a function returns instead of having run, if it passes on the call of a generator or coroutine function."""


def run_now(function: Callable[..., object], *arguments: object) -> None:
    """Call a function, which must have run when it returns.

    Raises:
        TypeError: If it returned a generator or a coroutine, of which nothing has run.
    """
    result = function(*arguments)
    if type(result) in NEVER_RUN:
        refuse_result(function, result)


def refuse_result(function: object, result: object) -> NoReturn:
    """Reject a function that the world has called and that returned a generator or a coroutine.

    Raises:
        TypeError: Always.
    """
    if isinstance(result, CoroutineType):
        result.close()  # without this, Python warns that it was never awaited
    rule = "a function that runs when it is called"
    hint = f"it returned a {type(result).__name__}, of which nothing has run"
    refuse("World", "a function that the world calls", function, rule, TypeError, hint=hint)


def find_reached(function: object, is_handle: Callable[[object], bool]) -> str | None:
    """Return the path by which a function reaches a handle, in words, or None if it reaches none.

    The search follows closures, defaults, the object that a method is bound to, attributes, the contents of containers, and everything
    that the code of the function, and of the functions that it names, reads from the user's modules and classes, also where it imports
    them itself. The methods and properties of all objects that are found belong to that code if their names occur in it, except those of
    installed packages. A name that is put together while the code runs, as for `getattr`, is not found.
    """
    seen: dict[
        tuple[int, ...], object
    ] = {}  # keeps the objects alive, because a new object could reuse the id of a deleted one
    waiting: deque[tuple[object, str]] = deque([(function, "")])
    names: set[str] = set()  # in all code so far
    owners: list[tuple[object, str]] = []  # objects of the user's classes
    known = -1
    while True:
        if not waiting and known != (known := len(names) + len(owners)):
            sought = sorted(names)
            for owner, path in owners:
                waiting.extend(_named_in(owner, type(owner), [*sought, *_special_methods(type(owner))], path))
        if not waiting:
            return None
        thing, path = waiting.popleft()
        if identity(thing) in seen:
            continue
        seen[identity(thing)] = thing
        if path and is_handle(thing):
            return path
        if len(seen) > _MOST_OBJECTS:
            return f"perhaps: through {path}, among more than {_MOST_OBJECTS} objects"
        if isinstance(thing, FunctionType):
            if not _is_of_a_library(thing.__module__) and not _is_installed(thing.__module__):
                names.update(_names_read(thing.__code__))
        elif _has_own_methods(type(thing)):
            owners.append((thing, path))
        waiting.extend(
            (inner, f"{path} → {name}" if path else name) for inner, name in _inside(thing) if not _is_atom(inner)
        )


def _is_atom(thing: object) -> bool:
    """Whether this object reaches nothing by itself."""
    try:
        return thing is None or isinstance(thing, _ATOMS)
    except ReferenceError:  # a weak proxy of an object that is gone
        return True


def _is_opaque(kind: type) -> bool:
    """Whether objects of this class are not looked into: those of the compiler, and other worlds, which have callbacks of their own."""
    module = str(getattr(kind, "__module__", None))
    return module.split(".")[0] in ("numba", "llvmlite") or module == f"{_PACKAGE}.world"


def _has_own_methods(kind: type) -> bool:
    """Whether objects of this class may have methods of the user."""
    if kind in ProxyTypes or _is_opaque(kind):
        return False
    return not _is_of_a_library(kind.__module__) and not _is_installed(kind.__module__)


def _special_methods(kind: type) -> list[str]:
    """The methods of a class that operators and statements call without a name, such as ``__getitem__``."""
    return [
        name
        for base in kind.__mro__
        if not _is_of_a_library(base.__module__)
        for name in vars(base)
        if name[:2] == name[-2:] == "__" != name[2:4] and name not in _MAKING
    ]


def _inside(thing: object) -> Iterator[tuple[object, str]]:
    if _is_opaque(type(thing)):
        return
    if type(thing) in ProxyTypes:
        yield thing.__init__.__self__, "a weak proxy"  # type: ignore[misc]  # a proxy has the methods of its object, bound to that object
    elif isinstance(thing, FunctionType):
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
    elif isinstance(thing, dict | MappingProxyType):
        for key, value in thing.items():
            yield key, "a key"
            yield value, f"[{key!r}]" if isinstance(key, str | int) else "a value"
    elif isinstance(thing, list | tuple | set | frozenset | deque):
        for number, value in enumerate(thing):
            yield value, f"[{number}]"
    elif isinstance(thing, np.ndarray):
        for number, value in enumerate(thing.flat if thing.dtype.hasobject else ()):
            yield value, f"[{number}]"
    elif isinstance(thing, ref):
        yield thing(), "a weak reference"
    else:
        for name, value in _attributes(thing):
            yield value, f"attribute {name!r}"
        for value in get_referents(thing):  # the contents of built-in objects, which have no attributes
            yield value, f"a {type(thing).__name__}"
        for name in _CALLED:
            method = inspect.getattr_static(type(thing), name, None)
            if isinstance(method, FunctionType):
                yield MethodType(method, thing), name


def _inside_function(function: FunctionType) -> Iterator[tuple[object, str]]:
    names = _names_read(function.__code__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield from _read(cell.cell_contents, f"closure variable {name!r}", names)
        except ValueError:  # not yet assigned
            continue
    for number, value in enumerate(function.__defaults__ or ()):
        yield from _read(value, f"default {number}", names)
    for name, value in (function.__kwdefaults__ or {}).items():
        yield from _read(value, f"default of {name!r}", names)
    if not _is_of_a_library(function.__module__):
        for name in names:
            if name in function.__globals__:
                yield from _read(function.__globals__[name], f"global {name!r}", names)
        imported = () if _is_installed(function.__module__) else _imported_in(function.__code__, function.__globals__)
        for name in imported:
            if name in sys.modules:
                yield from _read(sys.modules[name], f"module {name!r}", names)
    yield vars(function), "its attributes"


def _read(value: Any, path: str, names: list[str], modules: set[str] | None = None) -> Iterator[tuple[object, str]]:
    """A value that a function reads and, for a module or class, the names that the function reads from it; each module once."""
    yield value, path
    kind = type(value)  # `isinstance` would ask a weak proxy for the class of an object that may be gone
    if issubclass(kind, type):
        yield from _named_in(value, value, names, path)
    elif issubclass(kind, ModuleType) and not _is_of_a_library(value.__name__):
        if modules is None:
            modules = set()
        if value.__name__ not in modules:
            modules.add(value.__name__)
            for name in names:
                if name in vars(value):
                    yield from _read(vars(value)[name], f"{path} → {name!r}", names, modules)


def _named_in(owner: object, kind: type, names: list[str], path: str) -> Iterator[tuple[object, str]]:
    """The attributes with these names of a class, with its methods bound to `owner`."""
    for base in kind.__mro__:
        if _is_of_a_library(base.__module__):
            continue
        for name in names:
            value = vars(base).get(name)
            if isinstance(value, property):
                value = value.fget
            elif isinstance(value, staticmethod | classmethod):
                value = value.__func__
            if isinstance(value, FunctionType):
                value = MethodType(value, owner)
            if value is not None:
                yield value, f"{path}.{name}"


def _is_of_a_library(module: str | None) -> bool:
    """Whether code belongs to Python, NumPy, Numba or this package, and not to the user."""
    name = f"{module}."
    if name.startswith(f"{_PACKAGE}.demos."):  # installed inside the package, the demos still are programs of a user
        return False
    return name.split(".")[0] in _LIBRARIES or name.startswith(f"{_PACKAGE}.")


@functools.cache
def _is_installed(module: str | None) -> bool:
    """Whether a module is in a folder for installed packages, whose objects reach each other in too many ways to follow their methods."""
    file = getattr(sys.modules.get(str(module)), "__file__", None) or ""
    return any(Path(folder) in Path(file).parents for folder in _INSTALLED)


def _names_read(code: CodeType) -> list[str]:
    inner = (_names_read(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return sorted({*code.co_names}.union(*inner))


def _imported_in(code: CodeType, namespace: dict[str, Any]) -> Iterator[str]:
    """The full names of the modules that code imports when it runs."""
    level = 0
    for instruction in dis.get_instructions(code):
        if instruction.opname == "LOAD_CONST" and isinstance(instruction.argval, int):
            level = instruction.argval  # the last number before the import is the number of leading dots
        if instruction.opname == "LOAD_SMALL_INT":  # where Python 3.14 has it
            level = instruction.argval
        if instruction.opname == "IMPORT_NAME":
            with suppress(ImportError):  # of a parent package that does not exist
                yield resolve_name("." * level + instruction.argval, namespace.get("__package__"))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _imported_in(constant, namespace)


def _attributes(thing: object) -> Iterator[tuple[str, object]]:
    own = getattr(thing, "__dict__", None)
    if isinstance(own, dict):  # objects of some extension modules have something else there
        yield from own.items()
    for kind in type(thing).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(thing, name):
                yield name, getattr(thing, name)
