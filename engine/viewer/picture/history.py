"""The telemetry of a run, with one row per sample in the order of simulated time."""

import numpy as np
import numpy.typing as npt

from .scene import Sample

Array = npt.NDArray[np.float64]

CAPACITY = 36_000
"""Rows kept at least: ten minutes of frames."""
OWN = 6
"""Columns of every history; those of `Sample.more` follow."""


class History:
    """What the curves show. A sample of an earlier time takes the place of all after it, so that going back needs no word of it."""

    def __init__(self) -> None:
        self._rows = np.empty((256, OWN))
        self._count = 0
        self.newest: Sample
        """The last sample, once there is one."""

    def __len__(self) -> int:
        return self._count

    def append(self, sample: Sample) -> None:
        """Add a sample; what was seen at its time or later is forgotten."""
        if not len(self):
            self._rows = np.empty((len(self._rows), OWN + len(sample.more)))
        self._count = int(np.searchsorted(self.time, sample.time))
        if self._count == len(self._rows):
            self._make_room()
        drifts = sample.energy_drift, sample.momentum_drift
        self._rows[self._count] = sample.time, *sample.rates, *drifts, *sample.more
        self._count += 1
        self.newest = sample

    def since(self, time: float) -> "History":
        """The samples from this time [s] on; a view, to be read at once."""
        recent = History()
        recent._rows = self._rows[int(np.searchsorted(self.time, time)) : self._count]
        recent._count = len(recent._rows)
        return recent

    @property
    def time(self) -> Array:
        """Seconds of the world, shape (n,), rising."""
        return self._rows[: self._count, 0]

    @property
    def rates(self) -> Array:
        """Angular velocity [rad/s], body frame, shape (n, 3)."""
        return self._rows[: self._count, 1:4]

    @property
    def energy_drift(self) -> Array:
        """Relative, shape (n,)."""
        return self._rows[: self._count, 4]

    @property
    def momentum_drift(self) -> Array:
        """Relative, shape (n,)."""
        return self._rows[: self._count, 5]

    @property
    def more(self) -> Array:
        """The further curves of the scene, shape (n, k)."""
        return self._rows[: self._count, OWN:]

    def _make_room(self) -> None:
        if self._count < 2 * CAPACITY:
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
        else:  # the newest half moves to the front
            self._rows[:CAPACITY] = self._rows[self._count - CAPACITY : self._count]
            self._count = CAPACITY
