"""What numba does without, in a process that does nothing but compile.

In other processes numba stays as it is, because a program may use it for functions of its own.
"""

from collections.abc import Iterable
from contextlib import suppress
from enum import Enum, auto

from .kernel_types import Numba


def make_lean() -> None:
    """Save what no kernel needs; what is compiled stays the same."""
    with suppress(ImportError):  # without numba nothing is compiled
        _leave_linear_algebra()
        _leave_events()
        _find_variables_fast()


def _leave_linear_algebra() -> None:
    """Have numba not import the linear algebra of scipy, which takes a third of a second.

    No kernel can use it, because none makes an array.
    """
    from numba.np import linalg

    linalg.ensure_blas = _refuse_blas


def _refuse_blas() -> None:
    raise ImportError("no kernel uses linear algebra of arrays")


def _leave_events() -> None:
    """Have nobody told when LLVM begins and ends: numba makes two objects per call, and a world of free bodies takes 20,000 calls."""
    from numba.core.codegen import ll

    with suppress(AttributeError):  # another version has other parts
        ll.ffi.lib._lock._cblist.clear()


def _find_variables_fast() -> None:
    """Have numba look up how it searches values of one class for variables, and not ask of each value what it is, in up to six ways."""
    from numba.core import ir

    how_in: dict[type, _Search] = {}

    def how(kind: type) -> _Search:
        found = how_in[kind] = next((way for classes, way in ways if issubclass(kind, classes)), _Search.NOTHING)
        return found

    def variables(instruction: Numba, value: Numba) -> list[Numba]:
        way = how_in.get(type(value)) or how(type(value))
        if way is _Search.NOTHING:
            return []
        if way is _Search.ITSELF:
            return [value]
        if way is _Search.INSTRUCTION:
            return list(value.list_vars())
        members: Iterable[Numba] = value.values() if way is _Search.VALUES else value
        found: list[Numba] = []
        for member in members:
            if (how_in.get(type(member)) or how(type(member))) is not _Search.NOTHING:
                found += variables(instruction, member)
        return found

    ways: tuple[tuple[Numba, _Search], ...] = (
        (ir.Var, _Search.ITSELF),
        (ir.Inst, _Search.INSTRUCTION),
        ((list, tuple), _Search.MEMBERS),
        (dict, _Search.VALUES),
    )
    ir.Inst._rec_list_vars = variables


class _Search(Enum):
    """How a value of numba's intermediate code is searched for variables."""

    NOTHING = auto()
    ITSELF = auto()
    INSTRUCTION = auto()
    MEMBERS = auto()
    VALUES = auto()
