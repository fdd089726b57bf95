"""Corners and faces of shapes, which the rows of the table of shapes name by a fingerprint.

A shape may be given to thousands of bodies. Its points are in memory once, whatever the number of rows that name them.
"""

import hashlib
from weakref import WeakValueDictionary

import numpy as np

from ..checks import FloatArray


class Points:
    """Points of a shape in the form that kernels read.

    Attributes:
        columns: See `collision.cores`, shape (4, n).
        corner_count: The number of corners.
        face_count: The number of faces.
        fingerprint: Two numbers of 32 bits by which rows of shapes name the points; zero for none.
    """

    __slots__ = ("__weakref__", "columns", "corner_count", "face_count", "fingerprint")

    def __init__(self, columns: FloatArray, corner_count: int, face_count: int) -> None:
        self.columns, self.corner_count, self.face_count = columns, corner_count, face_count
        digest = hashlib.sha256(columns.tobytes()).digest()
        low, high = int.from_bytes(digest[:4], "little"), int.from_bytes(digest[4:8], "little")
        self.fingerprint = (float(low), float(high)) if columns.size else (0.0, 0.0)
        if columns.size:
            _KNOWN[self.fingerprint] = self


_KNOWN: WeakValueDictionary[tuple[float, float], Points] = WeakValueDictionary()

NO_POINTS = Points(np.zeros((4, 0)), 0, 0)
"""Of shapes without corners."""


def points_of(fingerprint: tuple[float, float]) -> Points:
    """The points that a row names; they exist as long as a shape has them."""
    return NO_POINTS if fingerprint == NO_POINTS.fingerprint else _KNOWN[fingerprint]
