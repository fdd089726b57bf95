"""What numba does without while it compiles a kernel.

At other times numba stays as it is, because a program may use it for functions of its own.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import Enum, auto
from functools import cache
from importlib.util import find_spec

from numba.core import base, byteflow, ir, ssa, typeinfer
from numba.core.codegen import ll
from numba.core.imputils import builtin_registry

from .inference import Steps, Variables
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
    whether it wants to know the line of the source. A step that finds types is not taken again for nothing. Where numba has no way of its
    own to write an operation of its own, it does not look for new functions before it takes the general way. Nothing is written to logs.
    """
    told = getattr(getattr(ll.ffi.lib, "_lock", None), "_cblist", [])  # another version has other parts
    listeners = told[:]
    changes = [
        (ir.Inst, "_rec_list_vars", _variables),
        (typeinfer, "ConstraintNetwork", Steps),
        (typeinfer, "TypeVarMap", Variables),
        (base.BaseContext, "get_function", _way_of(base.BaseContext.get_function)),
        (byteflow, "_logger", _Silent),
        (ssa, "_logger", _Silent),
        *([(base, "_has_loc", cache(base._has_loc))] if hasattr(base, "_has_loc") else []),
    ]
    before = [getattr(owner, name) for owner, name, _ in changes]
    try:
        told.clear()
        for owner, name, value in changes:
            setattr(owner, name, value)
        yield
    finally:
        for (owner, name, _), value in zip(changes, before, strict=True):
            setattr(owner, name, value)
        told[:] = listeners


def _way_of(get_function: Callable[..., Numba]) -> Callable[..., Numba]:
    def get(context: Numba, function: Numba, signature: Numba, _firstcall: bool = True) -> Numba:
        return get_function(context, function, signature, _firstcall and not isinstance(function, str))

    return get


class _Silent:
    """What numba logs each instruction with, which accepts everything."""

    debug = "".format


def look_for_new_functions(typing_context: Numba, target_context: Numba) -> None:
    """Tell contexts of what has been imported since; numba looks again for each attribute of a class that has been described."""
    target_context.load_additional_registries()
    target_context.install_registry(builtin_registry)
    try:
        target_context.refresh = lambda: None
        typing_context.refresh()
    finally:
        del target_context.refresh


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
