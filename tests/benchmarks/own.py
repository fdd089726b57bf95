"""The engine as a contestant among its peers."""

import numpy as np
import numpy.typing as npt

from engine import Snapshot

from .scenes import DT, Bodies, world_of

Array = npt.NDArray[np.float64]


class Own:
    """A world of its own for one method, with what `peers.Peer` asks for."""

    def __init__(self, bodies: Bodies, integrator: str) -> None:
        self._world = world_of(bodies, integrator)
        self.tick = self.run = self._world.step
        self.saved, self.restore = self._world.snapshot, self._world.restore

    @property
    def time(self) -> float:
        return self._world.time

    def positions(self) -> Array:
        return np.array(self._world.state.position)

    def orientations(self) -> Array:
        return np.array(self._world.state.orientation)

    def forget(self, saved: Snapshot) -> None:
        """A snapshot goes with its last reference."""

    def predicted(self, ticks: int) -> tuple[Array, Array]:
        return self._world.predict(ticks * DT)

    def close(self) -> None:
        """Nothing is kept open."""
