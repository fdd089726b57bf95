"""Argument checks, which return a new float64 array or float, or raise an error that names owner, argument, rule and value.

Values of the wrong type (text, booleans, complex numbers, None) raise `TypeError`. Wrong values of the right type raise `ValueError`. Only
one kind of value is corrected: a quaternion within 1e-6 of unit length is normalised.
"""

import inspect
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from fractions import Fraction
from functools import cache, wraps
from itertools import islice
from numbers import Real
from operator import attrgetter
from pathlib import Path
from typing import Any, NoReturn, ParamSpec, TypeGuard, TypeVar

import numpy as np
import numpy.typing as npt

from .kernels.rotations import SETTLED, UNIT_TOLERANCE
from .reading import Reading

FloatArray = npt.NDArray[np.float64]
Class = TypeVar("Class")
Given = ParamSpec("Given")
Result = TypeVar("Result")

_FLOAT64 = np.dtype(np.float64)

SMALL_ENOUGH = "small enough for the result to be finite"
"""The rule that an argument of finite numbers breaks if the result is beyond the largest float."""


class NonFiniteStateError(ArithmeticError):
    """A tick produced a position, orientation or velocity that is not finite, and was undone."""


def refuse(
    owner: object,
    argument: str,
    value: object,
    rule: str,
    kind: type[Exception] = ValueError,
    cause: Exception | None = None,
    hint: str = "",
) -> NoReturn:
    """Raise `kind` with a message of the form "ship: velocity must be …; got …; hint"."""
    raise kind(f"{owner}: {argument} must be {rule}; got {shown(value)}{hint and '; '}{hint}") from cause


def shown(value: object) -> str:
    """The value as text for a message, at most 200 characters of it; its class if it has no text."""
    try:
        text = repr(value)
    except Exception as error:  # a `__repr__` that fails, an integer of too many digits, a list nested too deeply
        if type(value) is tuple:
            return f"({', '.join(map(shown, value))})"
        return f"a {type(value).__name__} whose repr raises {type(error).__name__}"
    return text if len(text) <= 200 else text[:200] + "…"


def reading_failed(owner: object, argument: str, value: object, rule: str, error: Exception) -> NoReturn:
    """Raise `TypeError`, because reading a value raised an exception."""
    kind = type(value).__name__
    raise TypeError(
        f"{owner}: {argument} must be {rule}; got a {kind}, but reading it raised {shown(error)}"
    ) from error


def real(
    value: object, argument: str, owner: object, *, above: float | None = None, at_least: float | None = None
) -> float:
    """A finite real number, `> above` or `>= at_least` where given."""
    if type(value) is not float:
        value = _to_float(value, argument, owner, _real_rule(above, at_least))
    if (
        not math.isfinite(value)
        or (above is not None and value <= above)
        or (at_least is not None and value < at_least)
    ):
        refuse(owner, argument, value, _real_rule(above, at_least))
    return value


MOST_TICKS = 2**53
"""The largest count of ticks: beyond it, two ticks could have the same time as a float, and tables could not hold it."""


def integer(value: object, argument: str, owner: object, *, at_least: int) -> int:
    """An integer, `>= at_least`."""
    rule = f"an integer of at least {at_least}"
    if not _is_integer(value):
        refuse(owner, argument, value, rule, TypeError)
    if value < at_least:
        refuse(owner, argument, value, rule)
    return int(value)


def count_of_ticks(value: object, argument: str, owner: object) -> int:
    """A number of ticks, at least one, and no more than a world can run."""
    count = integer(value, argument, owner, at_least=1)
    if count > MOST_TICKS:
        refuse(owner, argument, value, "at most 2**53 ticks")
    return count


def integer_option(value: object, argument: str, owner: object, options: Iterable[int]) -> int:
    """One of several integers."""
    numbers = tuple(options)
    if not _is_integer(value) or value not in numbers:
        rule = f"{', '.join(map(str, numbers[:-1]))} or {numbers[-1]}"
        refuse(owner, argument, value, rule, ValueError if _is_integer(value) else TypeError)
    return int(value)


def _is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def vector(value: object, argument: str, owner: object, length: int = 3) -> FloatArray:
    """A fresh array of `length` finite real numbers."""
    quick = _quick_components(value, length)
    return array(value, argument, owner, (length,)) if quick is None else np.array(quick)


def components(value: object, argument: str, owner: object, length: int = 3) -> Sequence[float]:
    """The same as `vector`, as Python floats."""
    quick = _quick_components(value, length)
    return array(value, argument, owner, (length,)).tolist() if quick is None else quick


def _quick_components(value: Any, length: int) -> Sequence[float] | None:
    """The numbers of a vector in one of its two most frequent forms, in 0.4 µs instead of 5; None for all others and for inf and nan."""
    kind = type(value)
    if (kind is np.ndarray or kind is Reading) and value.dtype is _FLOAT64 and value.shape == (length,):
        numbers: Sequence[float] = value.tolist()
    elif kind is tuple and len(value) == length:
        numbers = value
    else:
        return None
    total = 0.0
    for number in numbers:
        if type(number) is not float:
            return None
        total += 0.0 * number  # zero for a finite number, nan for any other
    return numbers if total == 0.0 else None


def direction(value: object, argument: str, owner: object) -> FloatArray:
    """A fresh unit vector along the given vector, which must not be zero."""
    given = vector(value, argument, owner)
    largest = np.abs(given).max()
    if largest == 0.0:
        refuse(owner, argument, value, "a non-zero vector")
    given /= largest  # so that the squares neither overflow nor vanish
    return given / math.sqrt(given[0] * given[0] + given[1] * given[1] + given[2] * given[2])


def unit_direction(value: object, argument: str, owner: object) -> FloatArray:
    """Return a direction as a unit vector; one that is of unit length to rounding stays as it is.

    What was read can therefore be given again without changing a bit.
    """
    given = vector(value, argument, owner)
    x, y, z = given.tolist()
    if abs(x * x + y * y + z * z - 1.0) <= SETTLED:
        return given
    return direction(given, argument, owner)


def array(
    value: object,
    argument: str,
    owner: object,
    shape: tuple[int | None, ...],
    *,
    finite: bool = True,
    at_least: int = 1,
) -> FloatArray:
    """A fresh, contiguous array of real numbers of this shape, in which None stands for any size of at least `at_least`.

    `finite=False` accepts nan and infinities, for callers whose later check gives a better error message.
    """
    rule = _shape_rule(shape)
    result = _read(value, argument, owner, rule)
    fits = result.ndim == len(shape) and all(
        size == wanted if wanted is not None else size >= at_least
        for size, wanted in zip(result.shape, shape, strict=True)
    )
    if not fits or (finite and not np.isfinite(result).all()):
        refuse(owner, argument, value, rule)
    return result


def stack(value: object, argument: str, owner: object, *inner: int) -> FloatArray:
    """A fresh array of finite real numbers of shape (..., *inner): one value of that shape or any arrangement of them."""
    if len(inner) == 1 and (quick := _quick_components(value, inner[0])) is not None:
        return np.array(quick)
    sizes = ", ".join(map(str, inner))
    rule = f"finite real numbers of shape (..., {sizes})" if inner else "finite real numbers"
    result = _read(value, argument, owner, rule)
    leading = result.ndim - len(inner)
    if leading < 0 or result.shape[leading:] != inner or not np.isfinite(result).all():
        refuse(owner, argument, value, rule if leading else _shape_rule(inner))
    return result


def unit_quaternion(value: object, argument: str, owner: object) -> FloatArray:
    """A fresh unit quaternion, scalar last (x, y, z, w), normalised from within 1e-6 of unit length."""
    return unit_quaternions(vector(value, argument, owner, 4), argument, owner, value)


def unit_quaternions(value: FloatArray, argument: str, owner: object, given: object = None) -> FloatArray:
    """The same for a checked array of shape (..., 4), which an error shows as it was given."""
    with np.errstate(over="ignore"):  # an overflow is rejected below
        squares = np.square(value)
        norm_squared = squares[..., 0] + squares[..., 1] + squares[..., 2] + squares[..., 3]
    # one that is of unit length to rounding is left alone: what was read from a body can be set again without changing a bit
    settled = np.abs(norm_squared - 1.0) <= SETTLED
    if settled.all():
        return value.copy()
    norm = np.sqrt(norm_squared)
    if not (np.abs(norm - 1.0) <= UNIT_TOLERANCE).all():
        rule = f"a quaternion (x, y, z, w) within {UNIT_TOLERANCE:g} of unit length"
        refuse(owner, argument, value if given is None else given, rule)
    return np.where(settled[..., np.newaxis], value, value / norm[..., np.newaxis])


def beyond_range_allowed() -> np.errstate:
    """A context in which NumPy ignores results beyond the largest float, so that `finite_result` can reject them."""
    return np.errstate(over="ignore", invalid="ignore")


def finite_result(result: FloatArray, argument: str, value: object, owner: object) -> FloatArray:
    """Return what was computed from a checked argument, read-only; if it is not finite, reject the argument."""
    # a sum that is finite has finite terms; for one vector this takes 0.3 µs instead of 2
    if not (result.ndim == 1 and math.isfinite(sum(result.tolist()))) and not np.isfinite(result).all():
        refuse(owner, argument, value, SMALL_ENOUGH)
    return read_only(result)


def read_only(values: FloatArray) -> FloatArray:
    """The same array, no longer writable."""
    # 60 ns with the argument by position, 140 by name, 240 by way of `flags`
    values.setflags(False)  # type: ignore[call-arg]
    return values


def sealed(values: FloatArray) -> FloatArray:
    """A view of an array that cannot be made writable again."""
    return np.asarray(memoryview(values).toreadonly())  # type: ignore[arg-type]


def _real_rule(above: float | None, at_least: float | None) -> str:
    rule = "a finite real number"
    if above is not None:
        rule += f" above {above:g}"
    if at_least is not None:
        rule += f", at least {at_least:g}"
    return rule


@cache
def _shape_rule(shape: tuple[int | None, ...]) -> str:
    if shape in ((3,), (4,)):
        return f"{shape[0]} finite real numbers"
    sizes = ", ".join("n" if size is None else str(size) for size in shape)
    return f"finite real numbers of shape ({sizes}{',' if len(shape) == 1 else ''})"


_DEEPEST = 32
"""The most levels of nested lists that are read; a list may contain itself."""
_MOST_ELEMENTS = 10_000_000
"""The most elements that are read from a sequence that is neither a list, a tuple nor an array; its length may be wrong."""


def _read(value: object, argument: str, owner: object, rule: str, depth: int = 0) -> FloatArray:
    if depth > _DEEPEST:
        refuse(owner, argument, value, rule)
    value = by_value(value, argument, owner, rule)
    if isinstance(value, np.ma.MaskedArray):
        refuse(owner, argument, value, f"{rule}, without a mask", TypeError)
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiu":
        with np.errstate(over="ignore"):  # a longdouble beyond range becomes inf, which the caller rejects
            return np.array(value, dtype=np.float64)
    if not is_row(value):
        refuse(owner, argument, value, rule, TypeError)
    return _read_nested(value, argument, owner, rule, depth)


def _read_nested(value: Sequence[object], argument: str, owner: object, rule: str, depth: int) -> FloatArray:
    """Read lists and tuples element by element, because numpy would silently turn True and "1" into 1.0."""
    try:
        elements = elements_of(value)
    except Exception as error:
        reading_failed(owner, argument, value, rule, error)
    if elements and all(map(is_row, elements)):
        rows = [_read(element, argument, owner, rule, depth + 1) for element in elements]
        if any(row.shape != rows[0].shape for row in rows):
            refuse(owner, argument, value, rule)
        return np.stack(rows)
    numbers = [element if type(element) is float else _to_float(element, argument, owner, rule) for element in elements]
    return np.array(numbers, dtype=np.float64)


def reader(slot: str, meaning: str) -> Any:
    """A property that reads a slot, without a call of Python."""
    return property(attrgetter(slot), doc=meaning)


def explaining_errors(
    instead: Mapping[str, str] | None = None, check: Callable[[object], object] | None = None
) -> Callable[[type[Class]], type[Class]]:
    """Let the read-only properties of a class, and its constructor, raise an error that says what to use instead.

    They stay plain properties, so that reading them costs nothing more.

    Args:
        instead: What to do instead of setting an attribute, by its name.
        check: Called with the object first; raises an exception if the object can no longer be used at all.
    """
    hints = instead or {}

    def make(kind: type[Class]) -> type[Class]:
        for name, attribute in list(vars(kind).items()):
            if type(attribute) is property and attribute.fset is None:
                setattr(kind, name, attribute.setter(_refusal(name, hints.get(name, "it is read-only"), check)))
        if inspect.isfunction(constructor := vars(kind).get("__init__")):
            setattr(kind, "__init__", suggesting_names(constructor))  # noqa: B010 - the type checker knows the class as it was
        return kind

    return make


def is_settable(kind: type, name: str) -> bool:
    """Whether a class has an attribute that can be set."""
    attribute = getattr(kind, name)
    if isinstance(attribute, property):
        return attribute.fset is not None and attribute.fset.__name__ != "refuse_to_set"
    return hasattr(type(attribute), "__set__")


def _refusal(name: str, hint: str, check: Callable[[object], object] | None) -> Callable[[object, object], NoReturn]:
    def refuse_to_set(owner: object, value: object) -> NoReturn:
        if check is not None:
            check(owner)
        raise AttributeError(f"{type(owner).__name__}: {name} cannot be set to {shown(value)}; {hint}")

    return refuse_to_set


def levels_to_caller() -> int:
    """The `stacklevel` at which a warning of the calling function names the line outside this package that led to it."""
    package, level, frame = __name__.partition(".")[0], 1, inspect.currentframe()
    while (frame := frame and frame.f_back) and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level += 1
    return level


def suggesting_names(method: Callable[Given, Result]) -> Callable[Given, Result]:
    """Let the error of a method or constructor about an unknown argument suggest arguments of similar spelling."""

    @wraps(method)
    def call(*values: Given.args, **named: Given.kwargs) -> Result:
        try:
            return method(*values, **named)
        except TypeError as error:
            parameters = inspect.signature(method).parameters
            known, kinds = list(parameters), [each.kind for each in parameters.values()]
            unknown = next((name for name in named if name not in known), None)
            if unknown is None or inspect.Parameter.VAR_KEYWORD in kinds:
                if method.__name__ == "__init__" and str(error).startswith(f"{method.__qualname__}()"):
                    text = str(error).replace(method.__qualname__, type(values[0]).__name__, 1)
                    raise TypeError(text) from None  # of the class that was called, and not of a base class
                raise
        near = [other for other in known if other.startswith(unknown) or unknown.startswith(other)]
        near = near or get_close_matches(unknown, known, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"its arguments are {', '.join(known[1:])}"
        owner = type(values[0]).__name__ if method.__name__ == "__init__" else method.__qualname__
        raise TypeError(f"{owner}: there is no argument {unknown!r}; {hint}")

    return call


def elements_of(value: Sequence[object]) -> list[object]:
    """The elements of a sequence, whose number must equal its length; an iterator may never end."""
    if isinstance(value, list | tuple):
        return list(value)
    size = len(value)
    if size > _MOST_ELEMENTS:
        raise ValueError(f"it has {size} elements; pass a sequence of this length as an array")
    elements = list(islice(value, size + 1))
    if len(elements) != size:
        raise ValueError(f"its length is {size}, but it has {'more' if len(elements) > size else 'fewer'} elements")
    return elements


def members(
    value: object, argument: str, owner: object, rule: str, is_one: Callable[[object], bool], each: str | None = None
) -> list[Any]:
    """The elements of a list or another iterable, each of which must pass `is_one`; reading stops at the first that does not.

    With the rule of `each`, the error names the place of that element.
    """
    if isinstance(value, str | bytes | bytearray | memoryview) or not isinstance(value, Iterable):
        refuse(owner, argument, value, rule, TypeError)
    found: list[Any] = []
    try:
        for element in value:
            if not is_one(element):
                break
            found.append(element)
            if len(found) > _MOST_ELEMENTS:
                raise ValueError(f"it has more than {_MOST_ELEMENTS} elements")
        else:
            return found
    except Exception as error:
        reading_failed(owner, argument, value, rule, error)
    if each is not None:
        refuse(owner, f"{argument}[{len(found)}]", element, each, TypeError)
    refuse(owner, argument, element, rule, TypeError)


def option(value: object, argument: str, owner: object, options: Iterable[str]) -> str:
    """One of several words."""
    words = tuple(options)
    if not isinstance(value, str) or value not in words:
        rule = f"{', '.join(map(repr, words[:-1]))} or {words[-1]!r}"
        refuse(owner, argument, value, rule, ValueError if isinstance(value, str) else TypeError)
    return value


def boolean(value: object, argument: str, owner: object) -> bool:
    """True or False, and nothing that merely counts as one of them."""
    if not isinstance(value, bool | np.bool_):
        refuse(owner, argument, value, "True or False", TypeError)
    return bool(value)


def bounded_ratio(value: object, argument: str, owner: object) -> object:
    """A number that a file can hold exactly, which a fraction of too many digits is not."""
    if isinstance(value, Fraction) and max(map(int.bit_length, value.as_integer_ratio())) > _MOST_BITS:
        refuse(owner, argument, "a longer one", "a fraction of at most 3900 digits")
    return value


_MOST_BITS = 12_900


def encodable(value: str, argument: str, owner: object) -> str:
    """Text that a file can hold, which half of a surrogate pair is not."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        refuse(owner, argument, value, "text that UTF-8 can encode, without lone surrogates")
    return value


def file_path(value: object, argument: str, owner: object) -> Path:
    """The path of a file; a number would be the descriptor of a file that is open already."""
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        refuse(owner, argument, value, "the path of a file", TypeError)
    if "\0" in os.fspath(value) or not os.fspath(value):
        refuse(owner, argument, value, "the path of a file, without null characters and not empty")
    return Path(value)


@contextmanager
def naming_file(path: Path, owner: object, rule: str) -> Iterator[None]:
    """Reword errors of the operating system in its block, which name no owner and perhaps a temporary file."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise type(error)(
            error.errno, f"{owner}: path must point to a file that can be {rule}; {reason}", str(path)
        ) from error


def by_value(value: object, argument: str, owner: object, rule: str) -> Any:
    """Return the array of an object that offers one, the elements of any other sequence as a list, or else the value.

    Without this, a DataFrame or Series of pandas would be read as its labels.

    Raises:
        TypeError: If reading the value raised an exception.
    """
    kind = type(value)
    if kind in _PLAIN or isinstance(value, np.ndarray | np.generic):
        return value
    try:
        if not hasattr(kind, "__array__"):
            return elements_of(value) if is_row(value) else value
        found = np.asarray(value)
    except Exception as error:
        reading_failed(owner, argument, value, rule, error)
    return found.tolist() if found.dtype.hasobject else found


_PLAIN = (float, int, list, tuple)


def first_of(value: Sequence[object]) -> object:
    """The first element of a sequence that is not empty; None if reading it raises an exception, which a later check reports."""
    try:
        return value[0]
    except Exception:
        return None


def depth(value: object) -> int:
    """How many levels of nested sequences there are above the first number; 0 for a number."""
    levels = 0
    while is_row(value) and levels <= _DEEPEST:
        if isinstance(value, np.ndarray):
            return levels + value.ndim
        value = first_of(value)
        levels += 1
    return levels


def is_row(value: object) -> TypeGuard[Sequence[object]]:
    """Whether this is a sequence of numbers: a list, a tuple, an array or a pygame vector, but not text, bytes, a set or a mapping."""
    if isinstance(value, list | tuple):
        return True
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    if isinstance(value, str | bytes | bytearray | memoryview | Mapping | np.void):
        return False
    kind = type(value)
    return hasattr(kind, "__len__") and hasattr(kind, "__getitem__")


def _to_float(value: Any, argument: str, owner: object, rule: str) -> float:
    is_number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    is_array = isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray)
    if not is_number and not (is_array and value.ndim == 0 and value.dtype.kind in "fiu"):
        hint = "float(…) makes a number of a truth value" if isinstance(value, bool | np.bool_) else ""
        refuse(owner, argument, value, rule, TypeError, hint=hint)
    try:
        return float(value)
    except OverflowError:
        refuse(owner, argument, value, rule)
    except Exception as error:
        reading_failed(owner, argument, value, rule, error)
