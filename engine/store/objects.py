"""Python objects with a state of their own, and how this state is copied and hashed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, TypeGuard

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, refuse


class Stateful(Protocol):
    """An object with a state of its own."""

    def get_state(self) -> Mapping[str, object]:
        """The state as a dict from str to float, int, bytes or arrays."""

    def set_state(self, state: Any, /) -> object:
        """Take a state back; an object may say more of its own states than can be said of all."""


StateValue = float | int | bytes | np.generic | npt.NDArray[np.generic]
State = dict[str, StateValue]
"""What an object returns from `get_state`, once it has been checked."""


def is_stateful(object: object) -> TypeGuard[Stateful]:
    """Whether an object (not a class) has `get_state` and `set_state`."""
    return (
        not isinstance(object, type)
        and callable(getattr(object, "get_state", None))
        and callable(getattr(object, "set_state", None))
    )


def state_of(object: Stateful, name: str) -> State:
    """Return a checked copy of an object's state.

    Args:
        object: An object with `get_state()`.
        name: The name to use in errors.

    Raises:
        TypeError: If the state is not a dict from str to float, int, bytes or arrays of numbers.
    """
    state = object.get_state()
    if not isinstance(state, dict):
        refuse(f"get_state of {name}", "the result", state, "a dict from str to float, int, bytes or arrays", TypeError)
    copied: State = {}
    for key, value in state.items():
        if not isinstance(key, str):
            refuse(f"get_state of {name}", "a key", key, "a string", TypeError)
        if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
            copied[key] = value.copy()
        elif isinstance(value, float | int | bytes | np.integer | np.floating | np.bool_):
            copied[key] = value
        else:
            refuse(f"get_state of {name}", key, value, "a float, an int, bytes or an array of numbers", TypeError)
    return copied


def state_digest(object: Stateful, name: str) -> Iterator[bytes]:
    """The state of an object as bytes, equal for equal values."""
    return digest_of_state(state_of(object, name), name)


def digest_of_state(state: State, name: str) -> Iterator[bytes]:
    """The same for a state that has been read."""
    yield f"{name} {len(state)}".encode()
    for key, value in sorted(state.items()):
        yield key.encode()
        if isinstance(value, bytes):
            yield b"bytes " + value
        elif isinstance(value, np.ndarray) and value.dtype.kind in "iub":
            yield f"{value.shape}".encode() + value.astype("<i8" if value.dtype.kind != "u" else "<u8").tobytes()
        elif isinstance(value, int | np.integer | np.bool_):
            yield f"integer {int(value)}".encode()
        else:
            yield f"{np.shape(value)}".encode() + field_bytes(np.asarray(value, np.float64), np.float64)


def digest_of_value(value: object, depth: int = 0) -> Iterator[bytes]:
    """A value that was fixed when an object was made, as bytes: numbers, words, arrays, and the attributes of other objects.

    Of a function there is the name, and of a force, a part or a body the class: what they consist of is hashed elsewhere.
    """
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "fiub":
        yield f"{value.shape}".encode() + field_bytes(np.asarray(value, np.float64), np.float64)
    elif value is None or isinstance(value, bool | int | str | bytes):
        yield repr(value).encode()
    elif isinstance(value, float):
        yield (value + 0.0).hex().encode()
    elif isinstance(value, tuple | list):
        yield f"{len(value)}".encode()
        for item in value:
            yield from digest_of_value(item, depth)
    elif callable(value) and hasattr(value, "__qualname__"):
        yield value.__qualname__.encode()
    else:
        yield type(value).__name__.encode()
        is_shared = hasattr(value, "apply_force_body") or hasattr(value, "_kind_of_member")
        for name, attribute in _attributes(value) if depth < _DEEPEST and not is_shared else ():
            yield name.encode()
            yield from digest_of_value(attribute, depth + 1)


_DEEPEST = 4


def _attributes(value: object) -> list[tuple[str, object]]:
    """The attributes of an object by name, in alphabetical order."""
    slots = [name for kind in type(value).__mro__ for name in vars(kind).get("__slots__", ())]
    names = sorted({*getattr(value, "__dict__", ()), *slots})
    return [(name, getattr(value, name)) for name in names if hasattr(value, name)]


def field_bytes(values: FloatArray, dtype: type) -> bytes:
    """Values as little-endian bytes, with −0 as 0."""
    if dtype is np.uint64:
        return np.ascontiguousarray(values).view(np.uint64).astype("<u8").tobytes()
    return (values + 0.0).astype("<f8").tobytes()
