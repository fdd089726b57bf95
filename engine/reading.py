"""The arrays that are read from attributes which can be assigned, so that `ship.velocity += dv` works."""

from __future__ import annotations

from typing import Any

import numpy as np

FloatArray = np.ndarray[Any, np.dtype[np.float64]]


def _compute_instead(self: Reading, other: object) -> Any:
    """Let Python compute `v + other` for `v += other`, and assign the result to the attribute that `v` was read from."""
    return NotImplemented


class Reading(FloatArray):
    """A read-only value, as it is read from an attribute that can be assigned.

    An augmented assignment such as ``ship.velocity += dv`` assigns the sum. With a name instead of an attribute (``v = ship.velocity``,
    ``v += dv``), the name then refers to a plain array, and the body is not changed. Results of arithmetic and copies are plain, writable
    arrays. Assigning an element (``ship.velocity[0] = 1.0``) raises `ValueError`, because it would not reach the body.
    """

    __slots__ = ()

    __iadd__ = __isub__ = __imul__ = __itruediv__ = __ifloordiv__ = __imod__ = __ipow__ = __imatmul__ = _compute_instead

    def __array_wrap__(self, array: Any, context: object = None, return_scalar: bool = False) -> Any:
        return array if array.ndim else array[()]

    def __setitem__(self, index: Any, value: Any) -> None:
        if not self.flags.writeable:
            raise ValueError(
                "arrays that the engine returns are read-only; assign the whole value, as in ship.velocity = (…) or "
                "ship.velocity += (…), or change a copy of your own, ship.velocity.copy()"
            )
        super().__setitem__(index, value)

    def __repr__(self) -> str:
        return repr(np.asarray(self))

    def __reduce__(self) -> str | tuple[Any, ...]:
        return np.asarray(self).__reduce__()

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Any:
        return self.copy()

    def copy(self, order: Any = "C") -> Any:
        """Return a plain array with the same values, which can be changed."""
        return np.array(self, order=order)

    def astype(self, dtype: Any, *arguments: Any, **named: Any) -> Any:
        """Return a plain array with the values converted."""
        return np.asarray(self).astype(dtype, *arguments, **named)


def reading(values: FloatArray) -> Reading:
    """The same array, as a value that was read; it is no longer writable."""
    found = values.view(Reading)
    found.setflags(False)  # type: ignore[call-arg]  # 60 ns with the argument by position, 140 by name
    return found
