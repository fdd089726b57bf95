"""The path of a point, as long as it is worth seeing."""

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


CHUNK = 50
"""Places per array: a full array never changes, so that frames that are kept to go back to share it."""


class Trail:
    """The last so many places of a point, world frame [m].

    Example:
        >>> from engine.viewer import drawing
        >>> trail = drawing.Trail(100)
        >>> trail.append([0.0, 0.0, 0.0])
        >>> trail.points([1.0, 0.0, 0.0]).shape
        (2, 3)
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._chunks = [np.empty((CHUNK, 3))]
        self._count = 0
        """Places in the last array."""

    def append(self, point: Array) -> None:
        """Add the newest place.

        Example:
            >>> drawing.Trail(100).append([0.0, 0.0, 0.0])  # doctest: +SKIP
        """
        if self._count == CHUNK:
            self._chunks.append(np.empty((CHUNK, 3)))
            self._count = 0
            if (len(self._chunks) - 2) * CHUNK >= self._capacity:
                del self._chunks[0]
        self._chunks[-1][self._count] = point
        self._count += 1

    def points(self, newest: Array) -> Array:
        """All places in order and `newest` after them, shape (n, 3).

        Example:
            >>> Trail(100).points(np.zeros(3)).tolist()
            [[0.0, 0.0, 0.0]]
        """
        places = np.vstack([*self._chunks[:-1], self._chunks[-1][: self._count]])
        return np.vstack([places[max(0, len(places) - self._capacity) :], newest])
