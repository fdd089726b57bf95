"""The identity of a compiled function, which is a hash of its code and, recursively, of every outside value that the code reads.

Two functions with the same identity compile to the same machine code, in any process and under any name. Comments, docstrings and line
numbers do not affect the identity.
"""

import builtins
import dis
import hashlib
import struct
from collections.abc import Callable, Iterator
from functools import lru_cache
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType

import numpy as np

from .kernel_types import Kernel, Numba

_KNOWN_BY_NAME = {"builtins", "math", "cmath", "operator", "numpy", "numba"}
"""Packages whose functions and classes are identified by name, because the cache key contains the versions of the packages."""

_LOAD_GLOBAL = dis.opmap["LOAD_GLOBAL"]
_USES_CONSTANT = frozenset(dis.hasconst)
_HAS_DOCSTRING = 0x4000000  # a flag of code objects from Python 3.14 on
_MISSING = object()


def identity(function: Kernel) -> str:
    """Return a hash of everything that determines the compiled form of a function.

    The hash covers the function's module, its code (including nested functions), its default arguments, and each global and closure
    variable that the code reads. Numbers, strings, booleans, None and tuples of these are hashed by value. Functions are hashed
    recursively, modules by the attributes that the code reads, and NamedTuple classes by their fields. Functions and classes of Python
    itself, NumPy and Numba are hashed by name.

    Args:
        function: A plain function, or one compiled by numba.

    Returns:
        64 hexadecimal digits, the same in every process.

    Raises:
        TypeError: If the function, or one that it calls, reads a variable of another kind, such as an array, a list or an object. The
            message names the function and the variable.

    Example:
        >>> identity(lambda x: x + 1.0) == identity(lambda x: x + 1.0)
        True
        >>> identity(lambda x: x + 1.0) == identity(lambda x: x + 2.0)
        False
    """
    return survey(function)[0]


def survey(function: Callable[..., object]) -> tuple[str, list[Numba]]:
    """Return the identity of a function, and all compiled functions that it calls, directly or not; inlined ones as types."""
    walk = _Walk()
    source: Numba = getattr(function, "py_func", function)
    walk.add_function(source)
    return walk.digest.hexdigest(), list(walk.called)


def functions_of(function: Kernel) -> list[Kernel]:
    """Return a function and all functions that it calls directly or indirectly."""
    walk = _Walk()
    source: Numba = getattr(function, "py_func", function)
    walk.add_function(source)
    return list(walk.functions)


class _Walk:
    """One traversal of a function and everything that it reads; repeated functions are written as numbers, so that recursion ends."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.called: dict[Numba, None] = {}
        self.functions: dict[FunctionType, int] = {}

    def _write(self, *words: str | bytes) -> None:
        for word in words:
            data = word if isinstance(word, bytes) else word.encode("utf-8", "surrogatepass")
            self.digest.update(b"%d:%b" % (len(data), data))

    def add_function(self, function: FunctionType) -> None:
        number = self.functions.get(function)
        if number is not None:
            self._write("function again", str(number))
            return
        self.functions[function] = len(self.functions)
        kind = getattr(function, "_numba_type_", None)  # see `compiler.inlined`
        if getattr(kind, "py_func", None) is function:
            self.called[kind] = None
        code, globals_read = code_digest(function.__code__)
        self._write("function", function.__module__ or "", code)
        for name, value in _defaults(function).items():
            self._write(name)
            self._add_value(value, function, f"the default of {name}")
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self._write(name)
            self._add_variable(_contents(cell), function, name)
        for name in globals_read:
            self._write(name)
            self._add_variable(function.__globals__.get(name, getattr(builtins, name, _MISSING)), function, name)

    def _add_variable(self, value: object, function: FunctionType, name: str) -> None:
        if isinstance(value, ModuleType):
            for path in attributes_read(function.__code__, name):
                found: Numba = value
                read = name
                for attribute in path:
                    if not isinstance(found, ModuleType):
                        break
                    found, read = getattr(found, attribute, _MISSING), f"{read}.{attribute}"
                self._write(read)
                self._add_value(found, function, read)
        else:
            self._add_value(value, function, name)

    def _add_value(self, value: Numba, function: FunctionType, name: str) -> None:
        kind = type(value)
        if value is _MISSING:  # numba reports it when it compiles the function
            self._write("missing")
        elif kind in _WRITTEN:
            self._write(kind.__name__, _WRITTEN[kind](value))
        elif kind is tuple or _is_named_tuple(kind):
            self._write("tuple", str(len(value)))
            if kind is not tuple:
                self._add_value(kind, function, name)
            for item in value:
                self._add_value(item, function, name)
        elif isinstance(value, np.generic) and kind is not np.object_ and kind is not np.void:
            self._write("numpy", value.dtype.str, value.tobytes())
        elif isinstance(value, np.dtype) and not value.hasobject:
            self._write("dtype", repr(value))
        elif isinstance(getattr(value, "py_func", None), FunctionType):
            self.called[value] = None
            self._write("compiled", repr(sorted(getattr(value, "targetoptions", {}).items())))
            self.add_function(value.py_func)
        elif _is_known_by_name(value):
            self._write("by name", value.__module__ or "", value.__qualname__)
        elif isinstance(value, FunctionType):
            self.add_function(value)
        elif isinstance(value, np.ufunc):
            self._write("ufunc", value.__name__)
        elif _is_named_tuple(value):
            self._write("NamedTuple", value.__name__, *value._fields)
            self._add_value(tuple(sorted(value._field_defaults.items())), function, name)
        elif isinstance(value, type) and issubclass(value, BaseException):
            self._write("by name", value.__module__, value.__qualname__)
        elif _package(kind) == "numba" and isinstance(getattr(value, "_defn", None), FunctionType):
            # the code of an intrinsic determines what it generates
            self._write("intrinsic", value._defn.__module__ or "", value._defn.__qualname__)
            self._write(code_digest(value._defn.__code__)[0])
        elif _package(kind) == "numba" and hasattr(value, "mangling_args"):
            self._write("numba type", str(value))
        else:
            raise TypeError(
                f"{function.__module__}.{function.__qualname__}: {name} is {_described(value)}; compiled functions may read only numbers, "
                "strings, None, tuples of these, and functions. Pass anything else as an argument"
            )


_WRITTEN: dict[type, Callable[[Numba], str | bytes]] = {
    type(None): repr,
    bool: repr,
    int: hex,
    str: str,
    bytes: bytes,
    type(...): repr,
    float: lambda value: struct.pack("<d", value),
    complex: lambda value: struct.pack("<2d", value.real, value.imag),
}


@lru_cache(maxsize=4096)
def code_digest(code: CodeType) -> tuple[bytes, tuple[str, ...]]:
    """Return the hash of a code object, including nested code, and the names of the globals that it reads."""
    names, used = _reads(code)
    constants: list[Numba] = []
    for position, constant in enumerate(code.co_consts):
        if isinstance(constant, CodeType):
            digest, inner = code_digest(constant)
            names |= dict.fromkeys(inner)
            constants.append(("code", digest))
        else:  # no instruction uses the constant of a docstring
            constants.append(_constant(constant) if position in used else None)
    parts = (
        code.co_code,
        constants,
        code.co_names,
        code.co_varnames,
        code.co_cellvars,
        code.co_freevars,
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        code.co_flags & ~_HAS_DOCSTRING,
        code.co_exceptiontable,
    )
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).digest(), tuple(names)


def _constant(value: object) -> Numba:
    """Convert a constant of a code object to a form whose text is different for every different constant."""
    if isinstance(value, tuple | frozenset):
        items = [_constant(item) for item in value]
        return (type(value).__name__, items if isinstance(value, tuple) else sorted(items, key=repr))
    return type(value).__name__, _WRITTEN[type(value)](value) if type(value) in _WRITTEN else repr(value)


def _reads(code: CodeType) -> tuple[dict[str, None], set[int]]:
    """Return the names of the globals that a code object reads, in that order, and the positions of the constants that it uses.

    The byte code is decoded here, because `dis` takes 2.5 µs per instruction, which would delay a first tick by 10 ms.
    """
    names: dict[str, None] = {}
    used: set[int] = set()
    more = 0
    for operation, argument in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        argument |= more
        more = argument << 8 if operation == dis.EXTENDED_ARG else 0
        if operation == _LOAD_GLOBAL:
            names[code.co_names[argument >> 1]] = None
        elif operation in _USES_CONSTANT:
            used.add(argument)
    return names, used


def attributes_read(code: CodeType, name: str) -> Iterator[tuple[str, ...]]:
    """Yield the chains of attributes that code reads from a variable, ("sqrt",) for `math.sqrt(x)` and () for the variable itself."""
    instructions = list(dis.get_instructions(code))
    for position, instruction in enumerate(instructions):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_DEREF") and instruction.argval == name:
            path = []
            for following in instructions[position + 1 :]:
                if following.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
                    break
                path.append(following.argval)
            yield tuple(path)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from attributes_read(constant, name)


def _defaults(function: FunctionType) -> dict[str, object]:
    """Return the default values by the names of their arguments."""
    code, values = function.__code__, function.__defaults__ or ()
    positional = code.co_varnames[code.co_argcount - len(values) : code.co_argcount]
    return dict(zip(positional, values, strict=True)) | dict(sorted((function.__kwdefaults__ or {}).items()))


def _contents(cell: Numba) -> Numba:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return _MISSING


def _is_known_by_name(value: object) -> bool:
    """Return whether a value is a function or class of Python, NumPy or Numba, or a function written in C, and not a bound method."""
    if not isinstance(getattr(value, "__qualname__", None), str):
        return False
    is_known = _package(value) in _KNOWN_BY_NAME or isinstance(value, BuiltinFunctionType)
    return is_known and isinstance(getattr(value, "__self__", None), ModuleType | type | None)


def _package(value: object) -> str:
    module = getattr(value, "__module__", None)
    return module.split(".")[0] if isinstance(module, str) else ""


def _is_named_tuple(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_field_defaults")


def _described(value: object) -> str:
    if isinstance(value, ModuleType):
        return f"the module {value.__name__} as a value"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    return f"of type {type(value).__name__}"
