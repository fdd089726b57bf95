"""Values at one sample, as floats for one body and as arrays for a stack of bodies, with the same formulas."""

from collections.abc import Callable, Sequence
from math import isfinite

import numpy as np

from ..checks import FloatArray, refuse, stack
from ..loops.array_forms import over_arrays
from ..reading import Reading

_FLOAT64, _ARRAYS = np.dtype(np.float64), (np.ndarray, Reading)

NOT_FINITE = "a measured value or the reference is not finite or too large"

Components = list[float] | tuple[FloatArray, ...]
"""The numbers of one vector as a list, or those of a stack as a tuple of arrays with one element per body."""

_SIX = (0, 4, 8, 1, 2, 5)
"""Where xx, yy, zz, xy, xz and yz stand in a matrix read row by row."""


def components(value: object, argument: str, owner: object, size: int) -> Components:
    """Read one vector, or a stack of vectors of shape (..., size).

    Raises:
        TypeError: If `value` is not an array of real numbers.
        ValueError: If `value` has the wrong shape, or a stack contains a number that is not finite.
    """

    if isinstance(value, np.ndarray) and type(value) in _ARRAYS and value.dtype is _FLOAT64 and value.shape == (size,):
        return value.tolist()
    values = stack(value, argument, owner, size)
    return values.tolist() if values.ndim == 1 else tuple(np.ascontiguousarray(np.moveaxis(values, -1, 0)))


def tensor_components(value: object, argument: str, owner: object) -> Components:
    """Read xx, yy, zz, xy, xz and yz of one symmetric tensor, or of a stack of tensors of shape (..., 3, 3)."""
    if isinstance(value, np.ndarray) and value.shape == (3, 3):
        rows = value.ravel().tolist()
        return [rows[place] for place in _SIX]
    given = stack(value, argument, owner, 3, 3)
    nine = given.reshape(*given.shape[:-2], 9)
    if nine.ndim == 1:
        return [float(nine[place]) for place in _SIX]
    return tuple(np.ascontiguousarray(nine[..., place]) for place in _SIX)


def evaluate(function: Callable[..., Sequence[float | FloatArray]], *inputs: object) -> Sequence[float | FloatArray]:
    """Call a formula with floats if every input belongs to one body, otherwise with arrays; both give the same bits.

    Args:
        function: A function that `array_forms.over_arrays` accepts.
        inputs: Components, and numbers or lists of numbers that apply to every body.

    Returns:
        The results of the formula; in a stack, some of them may be single numbers.
    """
    for given in inputs:
        if type(given) is tuple:
            with np.errstate(all="ignore"):  # what is not finite in the end is rejected
                return over_arrays(function)(*inputs)
    return function(*inputs)


def combined(results: Sequence[float | FloatArray], owner: object, quantity: str, hint: str = NOT_FINITE) -> FloatArray:
    """Combine the results of a formula in an array of shape (..., len(results)).

    Raises:
        ValueError: If a result is not finite; the message gives `hint` as the cause.
    """
    if np.ndarray in map(type, results):
        shape = np.broadcast_shapes(*map(np.shape, results))
        values = np.empty((*shape, len(results)))
        for place, result in enumerate(results):
            values[..., place] = result
        good = bool(np.isfinite(values).all())
    else:
        values = np.array(results)
        good = isfinite(sum(results))
    if not good:
        refuse(owner, quantity, values.tolist(), "finite", hint=hint)
    return values
