"""The scalar functions over whole arrays of vectors: the same source, the same bits, nothing compiled, nothing checked."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .columns import Array
from .compiler import plain
from .quaternions import rotate, rotate_inverse

_rotate, _rotate_inverse = plain(rotate), plain(rotate_inverse)


def rotated(orientation: Array, vector_body: Array) -> Array:
    """Body axes to world axes; unit quaternions (..., 4), scalar last, and vectors (..., 3) whose stacks broadcast."""
    return _turn(_rotate, orientation, vector_body)


def rotated_inverse(orientation: Array, vector_world: Array) -> Array:
    """World axes to body axes; unit quaternions (..., 4), scalar last, and vectors (..., 3) whose stacks broadcast."""
    return _turn(_rotate_inverse, orientation, vector_world)


def _turn(function: Callable[..., Any], orientation: Array, vector: Array) -> Array:
    if orientation.ndim == vector.ndim == 1:
        # one by one Python's own floats are three times as fast as numpy's
        return np.array(function(orientation.tolist(), 2.0, vector.tolist()))
    return np.stack(function(np.moveaxis(orientation, -1, 0), 2.0, np.moveaxis(vector, -1, 0)), axis=-1)
