"""Which code makes the rows: versions of packages, hashes of kernels, of the engine and of the user's function.

Rows of one campaign must come from the same code, on every worker and after every resume. In the user's code, comments,
docstrings and line numbers do not count.
"""

import hashlib
import importlib
import inspect
import pkgutil
import platform
import site
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.abc import PathEntryFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, cast

import numpy as np

from ..compilation.identity import attributes_read, code_digest, identity

_PACKAGE = __name__.rpartition(".campaign.")[0]
"""The engine's package, under whatever name it is installed."""
_NUMERICAL = ("kernels", "loops", "constraints", "integrators", "forces")
"""The folders of the engine whose functions become kernels."""

_NO_PART = ("__main__", "campaign", "demos", "plot")
"""Modules and folders without a part in a simulation."""

Provenance = dict[str, str]
"""What must be the same for all rows: a hash or a version under each name."""


def provenance(simulate: Callable[..., object], packages: tuple[str, ...] = ()) -> Provenance:
    """Return the versions and hashes of the code that simulates runs in this process.

    Args:
        simulate: The user's function.
        packages: Names of further packages whose versions matter.

    Example:
        >>> sorted(provenance(print))
        ['engine', 'kernels', 'numba', 'numpy', 'polhode', 'python', 'simulate']
    """
    packages = ("numpy", "numba", *packages)
    return {
        "simulate": code_of(simulate),
        "kernels": _kernels(),
        "engine": _engine(),
        "python": ".".join(platform.python_version_tuple()[:2]),
        "polhode": importlib.import_module(_PACKAGE).__version__,
        **{name: _version(name) for name in packages},
    }


def differences(expected: Mapping[str, str], found: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Return name, expected and found value of everything that differs."""
    names = [*expected, *(name for name in found if name not in expected)]
    both = ((name, expected.get(name, "none"), found.get(name, "none")) for name in names)
    return [(name, wanted, got) for name, wanted, got in both if wanted != got]


@cache
def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


@cache
def _kernels() -> str:
    """The hash of every function of the engine that can become a part of a kernel, in 0.2 s."""
    digest = hashlib.sha256()
    for name in _modules_of_engine():
        if name.split(".")[0] in _NUMERICAL:
            module = importlib.import_module(f"{_PACKAGE}.{name}")
            for title, value in sorted(vars(module).items()):
                function = getattr(value, "py_func", value)
                if isinstance(function, FunctionType) and function.__module__ == module.__name__:
                    try:
                        digest.update(f"{name}.{title} {identity(function)}\n".encode())
                    except TypeError:  # it runs in Python alone, and the hash of the engine's code has it
                        continue
    return digest.hexdigest()


@cache
def _engine() -> str:
    """The hash of the engine's source, without that of campaigns and plots, which decide nothing about a row."""
    digest = hashlib.sha256()
    for name, info in _modules_of_engine().items():
        spec = cast(PathEntryFinder, info.module_finder).find_spec(f"{_PACKAGE}.{name}")  # which imports nothing
        digest.update(name.encode() + (_source(spec) if spec is not None else b""))
    return digest.hexdigest()


def _source(spec: ModuleSpec) -> bytes:
    """The source of a module; its byte code in a program that was frozen without sources."""
    loader: Any = spec.loader
    try:
        source = loader.get_source(spec.name)
    except (AttributeError, ImportError, OSError):
        source = None
    if source is not None:
        return str(source).encode()
    code = loader.get_code(spec.name) if hasattr(loader, "get_code") else None
    return code_digest(code)[0] if isinstance(code, CodeType) else b""


@cache
def _modules_of_engine() -> dict[str, pkgutil.ModuleInfo]:
    """The engine's modules by their names below its package."""
    folders = importlib.import_module(_PACKAGE).__path__
    found = {info.name: info for info in _below(folders, "") if info.name.split(".")[0] not in _NO_PART}
    return dict(sorted(found.items()))


def _below(folders: Iterable[str], prefix: str) -> Iterator[pkgutil.ModuleInfo]:
    for info in pkgutil.iter_modules(folders, prefix):
        yield info
        if info.ispkg:
            yield from _below([f"{folder}/{info.name.rpartition('.')[2]}" for folder in folders], f"{info.name}.")


def code_of(function: Callable[..., object]) -> str:
    """Return a hash of a function and of what it reads: functions, classes, numbers, strings, arrays and containers of these.

    The walk goes through the user's own modules. Functions and classes of installed packages and of the engine count by name, because
    their versions and hashes are kept apart. Other objects count by their class.

    Example:
        >>> code_of(lambda run: 1.0) == code_of(lambda run: 1.0), code_of(lambda run: 1.0) == code_of(lambda run: 2.0)
        (True, False)
    """
    walk = _Walk(function.__module__)
    walk.add(function)
    return walk.digest.hexdigest()


class _Walk:
    """One traversal; what was met before is written as a number, so that circles end."""

    def __init__(self, module: str) -> None:
        self.digest = hashlib.sha256()
        self.met: dict[int, tuple[int, object]] = {}  # with the object itself, so that no other one gets its id
        self.own = module if _is_in(module, _PACKAGE) else module.partition(".")[0]

    def write(self, *words: str | bytes) -> None:
        for word in words:
            data = word if isinstance(word, bytes) else word.encode("utf-8", "surrogatepass")
            self.digest.update(b"%d:%b" % (len(data), data))

    def add(self, value: Any) -> None:
        """Add any value that code may read."""
        if value is None or isinstance(value, bool | int | float | complex | str | bytes):
            self.write(type(value).__name__, value.hex() if isinstance(value, float) else repr(value))
            return
        if id(value) in self.met:
            self.write("again", str(self.met[id(value)][0]))
            return
        self.met[id(value)] = len(self.met), value
        if isinstance(value, ModuleType):
            self.write("module", value.__name__)
        elif self._is_foreign(value):
            top = sys.modules.get(str(value.__module__).partition(".")[0])
            self.write("by name", str(value.__module__), value.__qualname__, str(getattr(top, "__version__", "")))
        elif isinstance(value, FunctionType):
            self._add_function(value)
        elif isinstance(value, type):
            self._add_class(value)
        else:
            self._add_object(value)

    def _add_function(self, function: FunctionType) -> None:
        digest, names = code_digest(function.__code__)
        self.write("function", function.__qualname__, digest)
        self._add_named({"defaults": function.__defaults__, "names": function.__kwdefaults__})
        for cell in function.__closure__ or ():
            self.add(_contents(cell))
        for name in names:
            self._add_variable(function, name, function.__globals__.get(name))

    def _add_variable(self, function: FunctionType, name: str, value: object) -> None:
        self.write(name)
        if not isinstance(value, ModuleType) or self._is_foreign(value):
            self.add(value)
            return
        for path in attributes_read(function.__code__, name):
            found: object = value
            for attribute in path:
                if not isinstance(found, ModuleType):
                    break
                found = getattr(found, attribute, None)
                self.write(attribute)
            self.add(found)

    def _add_class(self, kind: type) -> None:
        self.write("class", kind.__qualname__)
        for base in kind.__bases__:
            self.add(base)
        self._add_named({name: part for name, part in vars(kind).items() if name not in _NOT_CODE})

    def _add_object(self, value: object) -> None:
        self.write("object", type(value).__qualname__)
        wrapped = _functions_in(value)
        if wrapped:
            for function in wrapped:
                self.add(function)
        elif isinstance(value, np.ndarray):
            self.write(
                value.dtype.str, repr(value.shape), repr(value.tolist()) if value.dtype.hasobject else value.tobytes()
            )
        elif isinstance(value, np.generic):
            self.write(value.dtype.str, value.tobytes())
        elif isinstance(value, list | tuple):
            self.write(str(len(value)))
            for part in value:
                self.add(part)
        elif isinstance(value, set | frozenset):
            self.write(*sorted(map(repr, value)))
        elif isinstance(value, Mapping):
            self._add_named(dict(value))
        else:
            self.add(type(value))
            if not self._is_foreign(type(value)):
                self._add_named(getattr(value, "__dict__", {}))

    def _is_foreign(self, value: object) -> bool:
        """Whether a module, function or class is none of the user's own."""
        if isinstance(value, ModuleType):
            name = value.__name__
        elif isinstance(value, type | FunctionType) or inspect.isbuiltin(value):
            name = value.__module__ or "builtins"
        else:
            return False
        return not _is_in(name, self.own) and _is_installed(name)

    def _add_named(self, values: Mapping[object, object]) -> None:
        for name, value in values.items():
            self.add(name)
            self.add(value)


_NOT_CODE = {
    "__dict__", "__doc__", "__firstlineno__", "__module__", "__static_attributes__", "__weakref__",
    "__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__", "__qualname__",
}  # fmt: skip


def _functions_in(value: Any) -> list[object]:
    """The functions behind a wrapper: a property, a static or class method, a bound method, a partial, or anything with `__wrapped__`."""
    if isinstance(value, property):
        return [part for part in (value.fget, value.fset, value.fdel) if part is not None]
    if inspect.ismethod(value):
        return [value.__func__, value.__self__]
    found = [getattr(value, name, None) for name in ("__wrapped__", "__func__", "py_func", "func")]
    functions = [part for part in found if part is not None][:1]
    if functions and hasattr(value, "keywords"):
        functions += [value.args, value.keywords]
    return functions


def _contents(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return None


@cache
def _is_installed(module: str) -> bool:
    """Whether a module belongs to Python, to an installed package or to the engine."""
    if module.partition(".")[0] in sys.stdlib_module_names or _is_in(module, _PACKAGE):
        return True
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:  # built into another program, unless it is an interactive session
        return module not in ("__main__", "__mp_main__")
    return any(folder in Path(file).parents for folder in _package_folders())


@cache
def _package_folders() -> tuple[Path, ...]:
    """The folders in which packages are installed."""
    found = {sysconfig.get_paths()[name] for name in ("purelib", "platlib")}
    return tuple(map(Path, {*found, *site.getsitepackages(), site.getusersitepackages()}))


def _is_in(module: str, package: str) -> bool:
    return f"{module}.".startswith(f"{package}.")
