"""What another engine has to offer to be compared."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ..scenes import Bodies

Array = npt.NDArray[np.float64]


class Peer(Protocol):
    """Bodies in another engine, set up the way its own documentation says is fast, and free of its default damping."""

    def tick(self) -> object:
        """Take one tick of `scenes.DT`."""

    def run(self, ticks: int) -> object:
        """Take ticks, in one call where the engine has one, the thrust held in the body frame."""

    @property
    def time(self) -> float:
        """Simulated time [s]; not a multiple of `scenes.DT` where an engine rounds its tick."""

    def positions(self) -> Array:
        """[m], world frame, shape (n, 3)."""

    def orientations(self) -> Array:
        """Scalar-last (x, y, z, w), body to world, shape (n, 4)."""

    def close(self) -> None:
        """Give back what the engine holds outside of Python."""


@runtime_checkable
class Saving(Peer, Protocol):
    """An engine that can go back to a state it had, with all that the next ticks depend on."""

    def saved(self) -> Any:
        """The state now."""

    def restore(self, saved: Any) -> object:
        """Go back to a state."""

    def forget(self, saved: Any) -> object:
        """Give back a state that is no longer needed, where the engine keeps it."""

    def predicted(self, ticks: int) -> tuple[Array, Array]:
        """Positions [m] and orientations after each of some ticks, shapes (ticks, n, 3) and (ticks, n, 4), and go back."""


@dataclass(frozen=True)
class Entry:
    """A peer, or one method of it, in the tables."""

    name: str
    make: Callable[[Bodies], Peer]
    order: int
    """Of its method."""
    most_bodies: int
    """More than these take it too long to set up or to step."""


def predicted(engine: Saving, ticks: int) -> tuple[Array, Array]:
    """`Saving.predicted` of an engine that has no call for it."""
    saved = engine.saved()
    poses = []
    for _ in range(ticks):
        engine.tick()
        poses.append((engine.positions(), engine.orientations()))
    engine.restore(saved)
    engine.forget(saved)
    positions, orientations = map(np.array, zip(*poses, strict=True))
    return positions, orientations


class Ticks:
    """A count of ticks and a `run` that calls `tick` in a loop, for engines that have no such call."""

    def __init__(self) -> None:
        self.taken = 0

    def tick(self) -> None:
        raise NotImplementedError

    def run(self, ticks: int) -> None:
        for _ in range(ticks):
            self.tick()
