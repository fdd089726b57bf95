"""Corners and faces of shapes, which the rows of the table of shapes name by a fingerprint.

A shape may be given to thousands of bodies. Its points are in memory once, whatever the number of rows that name them.
"""

import hashlib
from weakref import WeakValueDictionary

import numpy as np

from ..checks import FloatArray
from ..collision.grounds import Ground, nothing

_NO_GROUND = nothing()


class Points:
    """Points of a shape in the form that kernels read.

    Attributes:
        columns: See `collision.cores`, shape (4, n).
        corner_count: The number of corners.
        face_count: The number of faces.
        ground: The surface of a terrain.
        fingerprint: Two numbers of 32 bits by which rows of shapes name the points; zero for none.
    """

    __slots__ = ("__weakref__", "columns", "corner_count", "face_count", "fingerprint", "ground")

    def __init__(self, columns: FloatArray, corner_count: int, face_count: int, ground: Ground = _NO_GROUND) -> None:
        self.columns, self.corner_count, self.face_count, self.ground = columns, corner_count, face_count, ground
        digest = hashlib.sha256(columns.tobytes())
        if has_ground := ground is not _NO_GROUND:
            for part in (*ground[:4], np.array(ground.shape)):
                digest.update(part.tobytes())
        low, high = (int.from_bytes(digest.digest()[first : first + 4], "little") for first in (0, 4))
        self.fingerprint = (float(low), float(high)) if columns.size or has_ground else (0.0, 0.0)


_KNOWN: WeakValueDictionary[tuple[float, float], Points] = WeakValueDictionary()

NO_POINTS = Points(np.zeros((4, 0)), 0, 0)
"""Of shapes without corners."""


def shared_points(columns: FloatArray, corner_count: int, face_count: int, ground: Ground = _NO_GROUND) -> Points:
    """The points with this content, of which all equal shapes have the same, so that they exist as long as one of these does."""
    points = Points(columns, corner_count, face_count, ground)
    return _KNOWN.setdefault(points.fingerprint, points)


def points_of(fingerprint: tuple[float, float]) -> Points:
    """The points that a row names; they exist as long as a shape has them."""
    return NO_POINTS if fingerprint == NO_POINTS.fingerprint else _KNOWN[fingerprint]
