"""The path of a point, as long as it is worth seeing."""

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


class Trail:
    """The last so many places of a point, world axes [m]."""

    def __init__(self, capacity: int) -> None:
        self._points = np.empty((2 * capacity, 3))
        self._capacity = capacity
        self._count = 0

    def append(self, point: Array) -> None:
        """Add the newest place."""
        if self._count == len(self._points):  # full: move the half that is kept to the front, once in `capacity` times
            self._points[: self._capacity] = self._points[self._capacity :]
            self._count = self._capacity
        self._points[self._count] = point
        self._count += 1

    def points(self, newest: Array) -> Array:
        """All places in order and `newest` after them, shape (n, 3)."""
        first = max(0, self._count - self._capacity)
        return np.vstack([self._points[first : self._count], newest])
