"""Hostile values, and what each is meant as, independently of how the engine reads them."""

import array
import itertools
import math
from collections import deque
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

REJECTED = object()
"""The meaning of a value that is not to be read."""


class Value(NamedTuple):
    """One hostile value."""

    name: str
    make: Callable[[Any], Any]
    """Makes it anew from a sample, which is a float64 array of the shape that the argument takes."""
    meaning: Callable[[Any], Any]
    """The number or nested list of Python numbers that it means, from the sample; REJECTED if it is neither."""


def nothing(_: Any) -> Any:
    return REJECTED


def itself(sample: Any) -> Any:
    """The sample as a number or nested list."""
    return sample.tolist()


def _row(sample: Any) -> Any:
    """The sample as an array with at least one dimension."""
    return np.atleast_1d(sample).astype(np.float64)


def _two(sample: Any) -> Any:
    """The sample as an array with two dimensions."""
    return _row(sample).reshape(-1, _row(sample).shape[-1])


def _list(sample: Any) -> Any:
    return _row(sample).tolist()


def _marked(sample: Any) -> Any:
    mask = np.zeros(_row(sample).shape, np.bool_)
    mask.flat[-1] = True
    return np.ma.masked_array(_row(sample), mask=mask)


def _read_only(sample: Any) -> Any:
    values = _row(sample).copy()
    values.setflags(write=False)
    return values


def _structured(sample: Any) -> Any:
    return np.array([(1.0, 2)] * len(_row(sample)), dtype=[("x", float), ("n", int)])


def _endless_list(_: Any) -> Any:
    values: list[Any] = [1.0, 2.0]
    values.append(values)
    return values


def _list_of_itself(_: Any) -> Any:
    values: list[Any] = []
    values.append(values)
    return values


class Subclass(np.ndarray):
    """An array of a class of its own."""


class Frame:
    """Behaves like a Series or DataFrame of pandas: iterates over labels, and has its values in `__array__`."""

    def __init__(self, values: Any) -> None:
        self.values = np.array(values, np.float64)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Any:
        return iter("abcdefgh"[: len(self.values)])

    def __getitem__(self, label: Any) -> Any:
        return self.values["abcdefgh".index(label)]  # a KeyError in pandas, a TypeError here

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values if dtype is None else self.values.astype(dtype)


def _fail(*_: Any, **__: Any) -> Any:
    raise LookupError("no reading today")


class UnreadableNumber(float):
    """A number by its class that cannot be read."""

    __float__ = _fail


def _sequence(name: str, **methods: Any) -> Any:
    """A class that looks like a sequence of three numbers, except for some methods."""
    usual = {"__len__": lambda self: 3, "__getitem__": lambda self, place: [1.0, 2.0, 3.0][place]}
    return type(name, (), {**usual, **methods})


NoLength = _sequence("NoLength", __len__=_fail)
NoItem = _sequence("NoItem", __getitem__=_fail)
NoIterator = _sequence("NoIterator", __iter__=_fail)
NoArray = _sequence("NoArray", __array__=_fail)
NoText = _sequence("NoText", __repr__=_fail, __getitem__=_fail)


class TooLong(BaseException):
    """A call reads without end, or does not end."""


def _endless(place: int) -> float:
    """One more element, until it is clear that reading does not end."""
    if place > 200_000:
        raise TooLong
    return 1.0


def _endless_iterator(*_: Any) -> Any:
    return (_endless(place) for place in itertools.count())


EndlessIterator = _sequence("EndlessIterator", __iter__=_endless_iterator)
EndlessItems = _sequence("EndlessItems", __getitem__=lambda self, place: _endless(place))
VastLength = _sequence("VastLength", __len__=lambda self: 2**60, __getitem__=lambda self, place: _endless(place))


class NoTextAtAll:
    """Nothing of use, and it cannot even be shown."""

    __repr__ = _fail


class NoComparison:
    """Cannot be compared or hashed."""

    __eq__ = __hash__ = __bool__ = _fail  # type: ignore[assignment]


class Nothing:
    """A class that takes any arguments."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass


NUMBERS = [
    ("nan", math.nan, math.nan),
    ("inf", math.inf, math.inf),
    ("-inf", -math.inf, -math.inf),
    ("1e308", 1e308, 1e308),
    ("-1e308", -1e308, -1e308),
    ("1e-320", 1e-320, 1e-320),
    ("-0.0", -0.0, -0.0),
    ("negative", -1.5, -1.5),
    ("integer", 2, 2),
    ("Fraction", Fraction(1, 2), 0.5),
    ("2**70", 2**70, 2**70),
    ("10**400", 10**400, 10**400),
    ("longdouble", np.longdouble(0.5), 0.5),
    ("float16", np.float16(0.5), 0.5),
    ("uint8", np.uint8(2), 2),
    ("float16 nan", np.float16("nan"), math.nan),
    ("zero dimensions", np.array(0.5), 0.5),
    ("zero dimensions, text", np.array("0.5"), REJECTED),
    ("True", True, REJECTED),
    ("bool_", np.bool_(True), REJECTED),
    ("text", "1.5", REJECTED),
    ("bytes", b"1", REJECTED),
    ("complex", 1j, REJECTED),
    ("Decimal", Decimal("1.5"), REJECTED),
    ("__float__ raises", UnreadableNumber(1.5), REJECTED),
    ("masked", np.ma.masked, REJECTED),
    ("a class", Nothing, REJECTED),
    ("lambda", lambda *_: 1.5, REJECTED),
    ("5000 characters", "x" * 5000, REJECTED),
    ("an object", object(), REJECTED),
    ("date", np.datetime64("2020-01-01"), REJECTED),
    ("no text", NoTextAtAll(), REJECTED),
    ("no comparison", NoComparison(), REJECTED),
]
"""Values that are no sequence: name, value, meaning as a number."""


def _constant(value: Any) -> Callable[[Any], Any]:
    return lambda sample: value


VALUES = [
    *(Value(name, _constant(value), _constant(meaning)) for name, value, meaning in NUMBERS),
    Value("None", _constant(None), nothing),
    Value("empty text", _constant(""), nothing),
    Value("the sample", lambda sample: sample.tolist(), itself),
    Value("tuple", lambda sample: tuple(_list(sample)), _list),
    Value("float32 array", lambda sample: _row(sample).astype(np.float32), _list),
    Value(
        "integer array", lambda sample: _row(sample).astype(np.int32), lambda sample: np.trunc(_row(sample)).tolist()
    ),
    Value("object array", lambda sample: _row(sample).astype(object), _list),
    Value("text array", lambda sample: _row(sample).astype(str), nothing),
    Value("bool array", lambda sample: _row(sample).astype(bool), nothing),
    Value("complex array", lambda sample: _row(sample).astype(complex), nothing),
    Value("date array", lambda sample: _row(sample).astype("datetime64[s]"), nothing),
    Value("structured array", _structured, nothing),
    Value("masked array", _marked, nothing),
    Value("masked array without a mask", lambda sample: np.ma.masked_array(_row(sample)), nothing),
    Value("read-only array", _read_only, _list),
    Value("array that is changed afterwards", lambda sample: _row(sample).copy(), _list),
    Value("reversed view", lambda sample: _row(sample)[::-1].copy()[::-1], _list),
    Value("subclass of an array", lambda sample: _row(sample).view(Subclass), _list),
    Value("matrix", lambda sample: _two(sample).view(np.matrix), lambda sample: _two(sample).tolist()),
    Value("Series", lambda sample: Frame(_row(sample)), _list),
    Value("DataFrame", lambda sample: Frame(_two(sample)), lambda sample: _two(sample).tolist()),
    Value("range", lambda sample: range(len(_row(sample))), lambda sample: list(range(len(_row(sample))))),
    Value("generator", lambda sample: (number for number in _list(sample)), nothing),
    Value("deque", lambda sample: deque(_list(sample)), _list),
    Value(
        "array.array",
        lambda sample: array.array("d", _row(sample).ravel()),
        lambda sample: _row(sample).ravel().tolist(),
    ),
    Value("memoryview", lambda sample: memoryview(_row(sample)), nothing),
    Value("dict", lambda sample: dict(enumerate(_list(sample))), nothing),
    Value("keys", lambda sample: {0.5: 1, 1.5: 2, 2.5: 3}.keys(), nothing),
    Value("set", lambda sample: {0.5, 1.5, 2.5}, nothing),
    Value("nested", lambda sample: [_list(sample)], lambda sample: [_list(sample)]),
    Value("ragged", lambda sample: [_list(sample), [1.0]], nothing),
    Value("empty", lambda sample: [], lambda sample: []),
    Value("one short", lambda sample: _list(sample)[:-1], lambda sample: _list(sample)[:-1]),
    Value(
        "one long", lambda sample: [*_list(sample), _list(sample)[0]], lambda sample: [*_list(sample), _list(sample)[0]]
    ),
    Value("a list that contains itself", _endless_list, nothing),
    Value("a list of nothing but itself", _list_of_itself, nothing),
    Value("__len__ raises", lambda sample: NoLength(), nothing),
    Value("__getitem__ raises", lambda sample: NoItem(), nothing),
    Value("__iter__ raises", lambda sample: NoIterator(), nothing),
    Value("__array__ raises", lambda sample: NoArray(), nothing),
    Value("__repr__ raises", lambda sample: NoText(), nothing),
    Value("__iter__ never ends", lambda sample: EndlessIterator(), nothing),
    Value("__getitem__ never ends", lambda sample: EndlessItems(), nothing),
    Value("a length of 2**60", lambda sample: VastLength(), nothing),
    Value("an iterator that never ends", _endless_iterator, nothing),
]


def _with_last(sample: Any, component: Any) -> Any:
    """The sample as a nested list, with this as the last number."""
    values = _list(sample)
    inner = values
    while isinstance(inner[-1], list):
        inner = inner[-1]
    inner[-1] = component
    return values


def _component(name: str, value: Any, meaning: Any) -> Value:
    return Value(
        f"{name} as a component",
        lambda sample: _with_last(sample, value),
        nothing if meaning is REJECTED else lambda sample: _with_last(sample, meaning),
    )


COMPONENTS = [_component(*number) for number in NUMBERS] + [_component("None", None, REJECTED)]
"""The values that are no sequence in place of the last number of an array."""
