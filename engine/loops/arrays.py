"""Rotation of whole arrays of vectors by the scalar functions of the kernels, run as plain Python.

The results have the same bits as those of the compiled kernels. Arguments are not checked.
"""

import numpy as np

from ..compilation.compiler import plain
from ..compilation.kernel_types import Kernel
from ..kernels.quaternions import rotate, rotate_inverse
from .columns import Array

_rotate, _rotate_inverse = plain(rotate), plain(rotate_inverse)


def rotated(orientation: Array, vector_body: Array) -> Array:
    """Rotate vectors (..., 3) from the body frame to the world frame by unit quaternions (..., 4); leading dimensions broadcast."""
    return _turn(_rotate, orientation, vector_body)


def rotated_inverse(orientation: Array, vector_world: Array) -> Array:
    """Rotate vectors (..., 3) from the world frame to the body frame by unit quaternions (..., 4); leading dimensions broadcast."""
    return _turn(_rotate_inverse, orientation, vector_world)


def _turn(function: Kernel, orientation: Array, vector: Array) -> Array:
    if orientation.ndim == vector.ndim == 1:
        # for a single vector, Python floats are three times as fast as numpy scalars
        return np.array(function(orientation.tolist(), 2.0, vector.tolist()))
    q, v = np.asarray(orientation), np.asarray(vector)  # plain arrays, with which NumPy computes fastest
    return np.stack(function(np.moveaxis(q, -1, 0), 2.0, np.moveaxis(v, -1, 0)), axis=-1)
