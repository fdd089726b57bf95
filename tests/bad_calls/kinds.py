"""What an argument takes."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .values import REJECTED


@dataclass(frozen=True)
class Kind:
    """What an argument takes: numbers of a shape and within limits, or one of the values named in `also`."""

    rule: str
    sample: Any = 0.5
    """A valid number or nested list, from which the hostile values are made."""
    fits: Callable[[Any], bool] = lambda meaning: False
    """Whether numbers, as a float or a float64 array, are permitted."""
    is_integer: bool = False
    also: frozenset[str] = field(default_factory=frozenset)
    """Names of values that are accepted besides."""
    may_reject: bool = False
    """Whether a call may also reject numbers that fit, because the rule depends on other arguments."""
    errors: tuple[type[Exception], ...] = ()
    """Errors besides `TypeError` and `ValueError`."""

    def accepting(self, *names: str) -> "Kind":
        """The same, also with these values."""
        return replace(self, also=self.also | set(names))

    @property
    def optional(self) -> "Kind":
        """The same, or None."""
        return self.accepting("None")

    @property
    def loosely(self) -> "Kind":
        """The same, where numbers that fit may still be rejected."""
        return replace(self, may_reject=True)

    def failing_with(self, *errors: type[Exception]) -> "Kind":
        """The same, where these errors are as good as `ValueError`."""
        return replace(self, errors=errors)

    def sampled(self, sample: Any) -> "Kind":
        """The same, with another sample."""
        return replace(self, sample=sample)

    def permits(self, meaning: Any) -> bool:
        """Whether a value with this meaning is to be accepted."""
        if meaning is REJECTED:
            return False
        if self.is_integer:
            return type(meaning) is int and self.fits(meaning)
        try:
            numbers = np.array(meaning, np.float64)
        except OverflowError:
            return False
        with np.errstate(over="ignore"):
            return bool(np.isfinite(numbers).all()) and self.fits(numbers)


def _number(rule: str, fits: Callable[[Any], bool] = lambda x: True, sample: float = 0.5) -> Kind:
    return Kind(rule, sample, lambda numbers: numbers.ndim == 0 and fits(float(numbers)))


def _array(rule: str, shape: tuple[int, ...], sample: Any, fits: Callable[[Any], bool] = lambda x: True) -> Kind:
    return Kind(rule, sample, lambda numbers: numbers.shape == shape and fits(numbers))


REAL = _number("a number")
POSITIVE = _number("above zero", lambda x: x > 0.0)
AT_LEAST_ZERO = _number("at least zero", lambda x: x >= 0.0)
SHARE = _number("from zero to one", lambda x: 0.0 <= x <= 1.0)
VECTOR = _array("three numbers", (3,), [1.0, 2.0, 3.0])
DIRECTION = _array("three numbers, not all zero", (3,), [1.0, 2.0, 3.0], lambda x: bool(x.any()))
POSITIVE_VECTOR = _array("three numbers above zero", (3,), [1.0, 2.0, 2.5], lambda x: bool((x > 0.0).all()))
QUATERNION = _array(
    "a unit quaternion", (4,), [0.0, 0.0, 0.0, 1.0], lambda x: bool(abs(np.linalg.norm(np.clip(x, -9, 9)) - 1) < 1e-6)
)


def arrays(*shape: int, sample: Any = None, at_least: float | None = None, at_most: float | None = None) -> Kind:
    """Numbers of this shape."""
    if sample is None:
        sample = (np.arange(1.0, 1.0 + np.prod(shape)) / 16.0).reshape(shape).tolist()
    low, high = -np.inf if at_least is None else at_least, np.inf if at_most is None else at_most
    return _array(f"numbers of shape {shape}", shape, sample, lambda x: bool((x >= low).all() and (x <= high).all()))


def rows(size: int, sample: Any = None) -> Kind:
    """One vector of this size, or any arrangement of them."""
    sample = [1.0, 2.0, 3.0, 4.0][:size] if sample is None else sample
    return Kind(f"numbers of shape (..., {size})", sample, lambda x: x.ndim > 0 and x.shape[-1] == size).loosely


STACK = Kind("numbers of any shape", [0.5, 0.25], lambda x: True).loosely


def either(number: Kind, many: Kind) -> Kind:
    """A number or an array."""
    return replace(many, fits=lambda x: number.fits(x) or many.fits(x), rule=f"{number.rule}, or {many.rule}")


def count(at_least: int = 1, at_most: float = np.inf) -> Kind:
    """An integer."""
    return Kind("an integer", 2, lambda x: at_least <= x <= at_most, is_integer=True)


SWITCH = Kind("True or False").accepting("True", "bool_")
OBJECT = Kind("an object of the engine")
"""Something that none of the values is."""
NAME = Kind("a name").accepting("text", "5000 characters")
CALLABLE = Kind("a function").accepting("lambda", "a class")
ANYTHING = None
"""Every value is accepted as it is."""
