"""Scalar functions as users call them: on one value, or on stacks whose leading dimensions broadcast as NumPy's do.

One value is computed in plain floats, with nothing compiled and no array until the result; a stack by the same code over arrays (see
`loops.array_forms`) or, once it is prepared, by a compiled loop. All three give the same bits.

The usual forms of one value, and stacks that go to a compiled loop, are not checked beforehand. What must be rejected makes the result
nan or infinite, and only then are the arguments read with all checks, which finds the error and names it.
"""

from collections.abc import Callable
from math import isfinite, prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import checks
from .checks import FloatArray
from .compilation.compiler import COMPILED
from .kernels import rotations
from .loops import stacks
from .loops.array_forms import over_arrays
from .reading import Reading

_FLOAT64 = np.dtype(np.float64)
_PLAIN = frozenset((float, int, np.float64, np.float32, np.int64, np.int32))
"""Types of numbers that `float` converts as the full check would."""
_USUAL = frozenset(map(np.dtype, (np.float64, np.float32, np.int64, np.int32)))
"""Types of arrays whose numbers are such floats or integers."""


class Kind(NamedTuple):
    """What an argument may be."""

    shape: tuple[int, ...]
    """Of one value."""
    quick: Callable[[Any], Any]
    """One value in a usual form as floats, with nan for what must be rejected; None in any other form."""
    read: Callable[[Any, str, str], FloatArray]
    """Any value or stack as a fresh array (..., *shape), after all checks."""
    load: stacks.Load | None = None
    """Reads a value from a row in a compiled loop, with nan as from `quick`."""


class Formula:
    """A scalar function of one to three arguments, as users call it.

    Args:
        owner: Its name in errors.
        function: From `kernels`; takes a float, a tuple or a tuple of rows per argument and returns a tuple.
        arguments: What each may be, by their names in errors.
        shape: Of one result; a function of a number returns a tuple of one.
        rejected: The arguments to be named where each is good by itself and the result is not finite.
        rule: The rule that they break.
    """

    __slots__ = ("_loop", "_quick", "arguments", "function", "owner", "rejected", "rule", "shape")

    def __init__(
        self,
        owner: str,
        function: Callable[..., Any],
        arguments: dict[str, Kind],
        shape: tuple[int, ...],
        *,
        rejected: tuple[str, ...] = (),
        rule: str = checks.SMALL_ENOUGH,
    ) -> None:
        self.owner, self.function, self.arguments, self.shape = owner, function, arguments, shape
        self.rejected, self.rule = rejected, rule
        self._quick = [kind.quick for kind in arguments.values()]
        self._loop: Callable[..., bool] | None = None

    def __call__(self, *values: npt.ArrayLike) -> FloatArray:
        """The result for one value or a stack per argument."""
        try:
            given = [quick(value) for quick, value in zip(self._quick, values, strict=True)]
            if None not in given:
                result = self.function(*given)
                if isfinite(sum(result)):
                    return self._from_floats(result)
        except ArithmeticError:  # an integer or a result beyond the largest float
            pass
        result = None if self._loop is None else self._by_loop(self._loop, values)
        return self._by_numpy(values) if result is None else result

    def prepare(self) -> None:
        """Compile the loop over stacks, or load it from the cache; for functions of one or two arguments that have loads."""
        if COMPILED and self._loop is None:
            kinds = self.arguments.values()
            make = stacks.loop_over_one if len(kinds) == 1 else stacks.loop_over_two
            rows = [value for kind in kinds for value in (kind.load, prod(kind.shape))]
            loop = make(self.owner.replace(".", "-").replace("_", "-"), self.function, *rows, prod(self.shape))
            widths = [*(prod(kind.shape) for kind in kinds), prod(self.shape)]
            loop(*(np.empty((0, width)) for width in widths))
            self._loop = loop

    def _from_floats(self, result: tuple[float, ...]) -> FloatArray:
        if not self.shape:
            return np.float64(result[0])  # type: ignore[return-value]
        array = np.array(result)
        return array if len(self.shape) == 1 else array.reshape(self.shape)

    def _by_numpy(self, values: tuple[npt.ArrayLike, ...]) -> FloatArray:
        """Any arguments, with all checks."""
        arguments = list(self.arguments.items())
        given = [kind.read(value, name, self.owner) for (name, kind), value in zip(arguments, values, strict=True)]
        leading = self._leading(given)
        components = [_components(array, kind.shape) for array, (_, kind) in zip(given, arguments, strict=True)]
        out = np.empty((*leading, prod(self.shape)))
        with np.errstate(all="ignore"):  # what is not finite in the end is rejected
            for place, component in enumerate(over_arrays(self.function)(*components)):
                out[..., place] = component
        if not np.isfinite(out).all():
            by_name = dict(zip(self.arguments, values, strict=True))
            wrong = tuple(by_name[name] for name in self.rejected)
            checks.refuse(self.owner, " and ".join(self.rejected), wrong[0] if len(wrong) == 1 else wrong, self.rule)
        return out.reshape((*leading, *self.shape))[()]

    def _by_loop(self, loop: Callable[..., bool], values: tuple[npt.ArrayLike, ...]) -> FloatArray | None:
        """By the compiled loop; None where some result is not finite, which is for the full check to explain."""
        arguments = zip(self.arguments.items(), values, strict=True)
        given = [_unchecked(value, name, kind, self.owner) for (name, kind), value in arguments]
        leading = self._leading(given)
        out = np.empty((prod(leading), prod(self.shape)))
        rows = [_rows(array, leading, kind.shape) for array, kind in zip(given, self.arguments.values(), strict=True)]
        return out.reshape((*leading, *self.shape)) if loop(*rows, out) else None

    def _leading(self, given: list[FloatArray]) -> tuple[int, ...]:
        """The leading dimensions of all arguments together."""
        kinds = self.arguments.values()
        shapes = [array.shape[: array.ndim - len(kind.shape)] for array, kind in zip(given, kinds, strict=True)]
        try:
            return np.broadcast_shapes(*shapes)
        except ValueError:
            names = " and ".join(self.arguments)
            text = f"{self.owner}: {names} must have leading dimensions that broadcast; got {shapes}"
            raise ValueError(text) from None


def _components(array: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """The dimensions of one value first, so that each component is an array in one piece."""
    count = len(shape)
    if not count:
        return array
    axes = (*range(array.ndim - count, array.ndim), *range(array.ndim - count))
    return np.ascontiguousarray(array.transpose(axes))


def _unchecked(value: object, name: str, kind: Kind, owner: str) -> FloatArray:
    """An array of floats as it is, everything else after all checks."""
    count = len(kind.shape)
    if type(value) is Reading:
        value = np.asarray(value)
    if type(value) is np.ndarray and value.dtype is _FLOAT64 and value.shape[value.ndim - count :] == kind.shape:
        return value
    return kind.read(value, name, owner)


def _rows(array: FloatArray, leading: tuple[int, ...], shape: tuple[int, ...]) -> FloatArray:
    """One row per value, in the form that the loops are compiled for."""
    if array.shape != (*leading, *shape):
        array = np.broadcast_to(array, (*leading, *shape))
    if not array.flags.carray:
        array = np.array(array, order="C")
    return array.reshape(-1, prod(shape))


# Kinds.


def _read(value: npt.ArrayLike, argument: str, owner: str, *inner: int) -> FloatArray:
    """A fresh array of finite real numbers of shape (..., *inner)."""
    if not inner and not checks.is_row(value):
        return np.array(checks.real(value, argument, owner))
    return checks.stack(value, argument, owner, *inner)


def _floats(size: int) -> Callable[[object], list[float] | None]:
    shape = (size,)

    def quick(value: Any) -> list[float] | None:
        kind = type(value)
        if kind is np.ndarray or kind is Reading:
            if value.shape != shape or value.dtype not in _USUAL:
                return None
            return value.tolist() if value.dtype.kind == "f" else list(map(float, value.tolist()))
        if (kind is tuple or kind is list) and len(value) == size and _PLAIN.issuperset(map(type, value)):
            return list(map(float, value))
        return None

    return quick


_three, _four = _floats(3), _floats(4)


def _quick_number(value: Any) -> float | None:
    if type(value) is float:
        return value
    return float(value) if type(value) in _PLAIN else None


def _quick_orientation(value: object) -> tuple[float, ...] | None:
    q = _four(value)
    return None if q is None else rotations.orientation(q)  # type: ignore[arg-type]


def _quick_direction(value: object) -> tuple[float, ...] | None:
    v = _three(value)
    return None if v is None else rotations.direction(v)  # type: ignore[arg-type]


def _quick_matrix(value: Any) -> Any:
    if type(value) is np.ndarray:
        if value.shape != (3, 3) or value.dtype not in _USUAL:
            return None
        return value.tolist() if value.dtype.kind == "f" else value.astype(np.float64).tolist()
    if type(value) not in (tuple, list) or len(value) != 3:
        return None
    rows = [_three(row) for row in value]
    return None if None in rows else rows


def _read_orientation(value: npt.ArrayLike, argument: str, owner: str) -> FloatArray:
    return checks.unit_quaternions(_read(value, argument, owner, 4), argument, owner, value)


def _read_direction(value: npt.ArrayLike, argument: str, owner: str) -> FloatArray:
    array = _read(value, argument, owner, 3)
    if ((array[..., 0] == 0.0) & (array[..., 1] == 0.0) & (array[..., 2] == 0.0)).any():
        checks.refuse(owner, argument, value, "a non-zero vector")
    return array


def numbers(count: int) -> Kind:
    """A row of that many finite real numbers."""
    return Kind((count,), _floats(count), lambda value, argument, owner: _read(value, argument, owner, count))


NUMBER = Kind((), _quick_number, _read, stacks.number_row)
"""A finite real number."""
VECTOR = Kind((3,), _three, numbers(3).read, stacks.vector_row)
"""Three finite real numbers."""
DIRECTION = Kind((3,), _quick_direction, _read_direction, stacks.direction_row)
"""A non-zero vector."""
QUATERNION = Kind((4,), _four, numbers(4).read, stacks.quaternion_row)
"""Four finite real numbers."""
ORIENTATION = Kind((4,), _quick_orientation, _read_orientation, stacks.orientation_row)
"""A quaternion within 1e-6 of unit length, which is brought to unit length."""
MATRIX = Kind((3, 3), _quick_matrix, lambda value, argument, owner: _read(value, argument, owner, 3, 3))
"""Three rows of three finite real numbers."""
