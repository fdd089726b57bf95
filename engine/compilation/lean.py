"""What numba does without while it compiles a kernel.

At other times numba stays as it is, because a program may use it for functions of its own.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import Enum, auto
from functools import cache
from importlib.util import find_spec

from numba.core import base, ir
from numba.core.codegen import ll

from .kernel_types import Numba


@cache
def import_support_for_arrays() -> None:
    """Import what numba needs to compile functions of arrays, but not the linear algebra of scipy, which takes a third of a second.

    numba imports that too, only to know whether it is there. No kernel uses it.
    """
    from numba.np import linalg

    ensure_blas = linalg.ensure_blas
    linalg.ensure_blas = _refuse_without_scipy
    try:
        from numba.np import arraymath
    finally:
        linalg.ensure_blas = ensure_blas
    arraymath.ensure_blas = ensure_blas


def _refuse_without_scipy() -> None:
    if find_spec("scipy") is None:
        raise ImportError("scipy is not installed")


@contextmanager
def lean() -> Iterator[None]:
    """Save meanwhile what no kernel needs; what is compiled stays the same.

    Nobody is told when LLVM begins and ends: numba makes two objects per call, and a world of free bodies takes 20,000 calls. Values are
    searched for variables by their class, and not by asking each what it is, in up to six ways. What writes an instruction is asked once
    whether it wants to know the line of the source.
    """
    told = getattr(getattr(ll.ffi.lib, "_lock", None), "_cblist", [])  # another version has other parts
    listeners, search, names_loc = told[:], ir.Inst._rec_list_vars, getattr(base, "_has_loc", None)
    try:
        told.clear()
        ir.Inst._rec_list_vars = _variables
        if names_loc is not None:
            base._has_loc = cache(names_loc)
        yield
    finally:
        if names_loc is not None:
            base._has_loc = names_loc
        ir.Inst._rec_list_vars = search
        told[:] = listeners


def _variables(instruction: Numba, value: Numba) -> list[Numba]:
    """The variables in a value, as numba's own function finds them."""
    way = _HOW_IN.get(type(value)) or _how(type(value))
    if way is _Search.NOTHING:
        return []
    if way is _Search.ITSELF:
        return [value]
    if way is _Search.INSTRUCTION:
        return list(value.list_vars())
    members: Iterable[Numba] = value.values() if way is _Search.VALUES else value
    found: list[Numba] = []
    for member in members:
        if (_HOW_IN.get(type(member)) or _how(type(member))) is not _Search.NOTHING:
            found += _variables(instruction, member)
    return found


def _how(kind: type) -> "_Search":
    found = _HOW_IN[kind] = next((way for classes, way in _WAYS if issubclass(kind, classes)), _Search.NOTHING)
    return found


class _Search(Enum):
    """How a value of numba's intermediate code is searched for variables."""

    NOTHING = auto()
    ITSELF = auto()
    INSTRUCTION = auto()
    MEMBERS = auto()
    VALUES = auto()


_WAYS: tuple[tuple[Numba, _Search], ...] = (
    (ir.Var, _Search.ITSELF),
    (ir.Inst, _Search.INSTRUCTION),
    ((list, tuple), _Search.MEMBERS),
    (dict, _Search.VALUES),
)
_HOW_IN: dict[type, _Search] = {}
