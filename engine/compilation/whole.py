"""Calls in plain Python that change their arrays completely or not at all.

Nothing interrupts compiled code, and it raises nothing. Plain Python in its place can be interrupted between any two lines, and it raises
where it divides by zero or overflows.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from .kernel_types import Arguments, Kernel


def call_whole(function: Kernel, arguments: Arguments) -> Any:
    """Call a function; if it raises, restore the arrays among its arguments, and those in tuples among them."""
    arrays = {id(array): array for array in _arrays_in(arguments)}.values()
    kept = [array.copy() for array in arrays]
    try:
        return function(*arguments)
    except BaseException:
        for array, values in zip(arrays, kept, strict=True):
            array[...] = values
        raise


def _arrays_in(arguments: tuple[object, ...]) -> Iterator[np.ndarray]:
    for argument in arguments:
        if isinstance(argument, tuple):
            yield from _arrays_in(argument)
        elif hasattr(argument, "arguments"):  # they are packed
            yield from _arrays_in(argument.arguments)
        elif isinstance(argument, np.ndarray) and argument.flags.writeable:
            yield argument
