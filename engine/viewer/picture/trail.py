"""The path of a point, as long as it is worth seeing."""

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


CHUNK = 50
"""Places per array: a full array never changes, so that frames that are kept to go back to share it."""


class Trail:
    """The last so many places of a point, world frame [m]."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._chunks = [np.empty((CHUNK, 3))]
        self._count = 0
        """Places in the last array."""

    def append(self, point: Array) -> None:
        """Add the newest place."""
        if self._count == CHUNK:
            self._chunks.append(np.empty((CHUNK, 3)))
            self._count = 0
            if (len(self._chunks) - 2) * CHUNK >= self._capacity:
                del self._chunks[0]
        self._chunks[-1][self._count] = point
        self._count += 1

    def points(self, newest: Array) -> Array:
        """All places in order and `newest` after them, shape (n, 3)."""
        places = np.vstack([*self._chunks[:-1], self._chunks[-1][: self._count]])
        return np.vstack([places[max(0, len(places) - self._capacity) :], newest])
