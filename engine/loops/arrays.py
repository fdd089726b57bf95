"""Rotations and cross products of whole arrays of vectors by the scalar functions of the kernels, run as plain Python.

The results have the same bits as those of the compiled kernels. Arguments are not checked.
"""

import numpy as np

from ..compilation.compiler import plain
from ..compilation.kernel_types import Kernel
from ..kernels.quaternions import rotate, rotate_inverse
from ..kernels.vectors import cross
from .columns import Array

_rotate, _rotate_inverse = plain(rotate), plain(rotate_inverse)
_cross: Kernel = plain(cross)


def rotated(orientation: Array, vector_body: Array) -> Array:
    """Rotate vectors (..., 3) from the body frame to the world frame by unit quaternions (..., 4); leading dimensions broadcast."""
    return _turn(_rotate, orientation, vector_body)


def rotated_inverse(orientation: Array, vector_world: Array) -> Array:
    """Rotate vectors (..., 3) from the world frame to the body frame by unit quaternions (..., 4); leading dimensions broadcast."""
    return _turn(_rotate_inverse, orientation, vector_world)


def crossed(a: Array, b: Array) -> Array:
    """Cross products of vectors (..., 3); leading dimensions broadcast."""
    if a.ndim == b.ndim == 1:
        # a tenth of the time of NumPy's, which moves axes
        return np.array(_cross(a.tolist(), b.tolist()))
    return np.stack(_cross(_components(a), _components(b)), axis=-1)


def _turn(function: Kernel, orientation: Array, vector: Array) -> Array:
    if orientation.ndim == vector.ndim == 1:
        # for a single vector, Python floats are three times as fast as numpy scalars
        return np.array(function(orientation.tolist(), 2.0, vector.tolist()))
    return np.stack(function(_components(orientation), 2.0, _components(vector)), axis=-1)


def _components(vectors: Array) -> list[Array]:
    plain_array = np.asarray(vectors)  # with which NumPy computes fastest
    return [plain_array[..., place] for place in range(plain_array.shape[-1])]
