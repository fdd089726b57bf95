"""Plain data read from a file, in which every error names the place of the value: `bodies[3].orientation`."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from .checks import encodable, refuse

PlainData = None | bool | int | float | str | Sequence["PlainData"] | Mapping[str, "PlainData"]
"""What JSON can hold."""
PlainObject = dict[str, PlainData]
"""An object of plain data."""

_MOST_DIGITS = 20_000
"""The largest number of hexadecimal digits, which the units of a clock do not reach."""


class Plain:
    """A value in a file, with its place; each method returns the value as one type, or raises `ValueError`."""

    __slots__ = ("owner", "path", "value")

    def __init__(self, value: Any, owner: str, path: str = "") -> None:
        self.value = value
        self.owner = owner
        self.path = path

    @classmethod
    def of_text(cls, text: bytes, owner: str) -> Plain:
        """Read JSON.

        Raises:
            ValueError: If the text is not JSON in UTF-8.
        """
        try:
            return cls(json.loads(text.decode("utf-8"), parse_constant=_refuse_constant), owner)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{owner}: the content must be JSON in UTF-8; {error}") from None

    def refuse(self, rule: str) -> NoReturn:
        """Raise the error for a value that breaks a rule."""
        refuse(self.owner, self.path or "the content", self.value, rule)

    def require(self, holds: object, rule: str) -> None:
        """Raise the error for a value that breaks a rule if it does not hold."""
        if not holds:
            self.refuse(rule)

    def __contains__(self, key: str) -> bool:
        return key in self.value

    def __getitem__(self, key: str) -> Plain:
        """The value under a key of an object."""
        if not isinstance(self.value, dict):
            self.refuse("an object")
        if key not in self.value:
            self.refuse(f"an object with the key {key!r}")
        return Plain(self.value[key], self.owner, f"{self.path}.{key}" if self.path else key)

    def get(self, key: str, default: object) -> Plain:
        """The value under a key, or a default."""
        if isinstance(self.value, dict) and key not in self.value:
            return Plain(default, self.owner, f"{self.path}.{key}" if self.path else key)
        return self[key]

    def only(self, *keys: str) -> Plain:
        """This object, if it has no other keys."""
        if not isinstance(self.value, dict):
            self.refuse("an object")
        for key in self.value:
            if key not in keys:
                place = f"{self.path}.{key}" if self.path else key
                raise ValueError(f"{self.owner}: {place} is not known; the keys are {', '.join(keys)}")
        return self

    def items(self) -> Iterator[tuple[str, Plain]]:
        """The keys and values of an object."""
        if not isinstance(self.value, dict):
            self.refuse("an object")
        return ((Plain(key, self.owner, self.path).text(), self[key]) for key in self.value)

    def list(self, length: int | None = None) -> list[Plain]:
        """The elements of a list."""
        if not isinstance(self.value, list) or (length is not None and len(self.value) != length):
            self.refuse("a list" if length is None else f"a list of {length}")
        return [Plain(value, self.owner, f"{self.path}[{place}]") for place, value in enumerate(self.value)]

    def text(self) -> str:
        """A string."""
        if not isinstance(self.value, str):
            self.refuse("a string")
        return encodable(self.value, self.path, self.owner)

    def option(self, words: Collection[str]) -> str:
        """One of several words."""
        self.require(self.text() in words, f"one of {', '.join(words)}")
        return self.text()

    def data(self) -> bytes:
        """Bytes, written in hexadecimal."""
        text = self.text()
        try:
            return bytes.fromhex(text)
        except ValueError:
            self.refuse("hexadecimal digits")

    def boolean(self) -> bool:
        """True or False."""
        if not isinstance(self.value, bool):
            self.refuse("true or false")
        return self.value

    def integer(self, at_least: int = 0, at_most: int = 2**53) -> int:
        """An integer."""
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not at_least <= self.value <= at_most:
            self.refuse(f"an integer from {at_least} to {at_most}")
        return self.value

    def number(self) -> float:
        """A finite number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            self.refuse("a number")
        try:
            number = float(self.value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self.refuse("a finite number")
        return number

    def ratio(self) -> float | Fraction:
        """A number, or a fraction as text such as "1/90"."""
        if not isinstance(self.value, str):
            return self.number()
        if not re.fullmatch(r"\d{1,4000}(/\d{1,4000})?", self.value, re.ASCII) or self.value.endswith("/0"):
            self.refuse('a number, or a fraction such as "1/90"')
        try:
            return Fraction(self.value)
        except ZeroDivisionError:
            self.refuse("a fraction with a positive denominator")

    def whole(self) -> int:
        """An integer of any size, written in hexadecimal."""
        text = self.text()
        digits = text.removeprefix("-").removeprefix("0x")
        if len(digits) > _MOST_DIGITS:
            self.refuse(f"an integer of at most {_MOST_DIGITS} hexadecimal digits")
        if not digits or not set(digits) <= set("0123456789abcdef"):
            self.refuse("an integer in hexadecimal")
        return int(text, 16)

    def exact(self) -> Any:
        """A number that was written by `exact`."""
        if isinstance(self.value, list):
            numerator, denominator = (part.whole() for part in self.list(2))
            if denominator < 1:
                self.refuse("a fraction with a positive denominator")
            return Fraction(numerator, denominator)
        return self.number()


@contextmanager
def telling(rule: str) -> Iterator[None]:
    """Say in errors about a value what it must be.

    Raises:
        ValueError: If the block has raised `TypeError` or `ValueError`.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        raise ValueError(f"{rule}; {error}") from None


def exact(number: float | Fraction) -> PlainData:
    """A real number as plain data from which it can be read without rounding."""
    if isinstance(number, float):
        return float(number)
    if isinstance(number, int | Fraction) and not isinstance(number, bool):
        numerator, denominator = number.as_integer_ratio()
        return [hex(numerator), hex(denominator)]
    return float(number)


def to_text(value: object) -> bytes:
    """Plain data as JSON, in which each float is the shortest text that gives its bits."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")


def encoded_array(values: npt.ArrayLike) -> PlainObject:
    """An array as plain data."""
    contiguous = np.ascontiguousarray(values)
    order = contiguous.astype(contiguous.dtype.newbyteorder("<"), copy=False)
    return {"dtype": order.dtype.str, "shape": list(np.shape(values)), "data": order.tobytes().hex()}


def decoded_array(plain: Plain) -> npt.NDArray[np.generic]:
    """The array that `encoded_array` wrote."""
    plain.only("dtype", "shape", "data")
    name, data = plain["dtype"].option(_DTYPES), plain["data"].data()
    shape = [size.integer() for size in plain["shape"].list()]
    fits = len(data) == math.prod(shape) * np.dtype(name).itemsize
    plain["data"].require(fits, f"the content of an array of shape {tuple(shape)}")
    return np.frombuffer(data, name).reshape(shape).astype(np.dtype(name).newbyteorder("="))


_DTYPES = ("|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
