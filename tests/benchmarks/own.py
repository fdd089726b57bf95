"""The engine as a contestant among its peers."""

import numpy as np
import numpy.typing as npt

from .scenes import Bodies, world_of

Array = npt.NDArray[np.float64]


class Own:
    """A world of its own for one method, with what `peers.Peer` asks for."""

    def __init__(self, bodies: Bodies, integrator: str) -> None:
        self._world = world_of(bodies, integrator)
        self.tick = self.run = self._world.step

    @property
    def time(self) -> float:
        return self._world.time

    def positions(self) -> Array:
        return np.array(self._world.state.position)

    def orientations(self) -> Array:
        return np.array(self._world.state.orientation)

    def close(self) -> None:
        """Nothing is kept open."""
