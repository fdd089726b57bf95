"""The orientation error of a free body after a minute and the cost of its ticks, so that speed stands next to accuracy."""

import functools
import math
from collections.abc import Callable

import numpy as np

from engine import NonFiniteStateError, integrators
from engine.solutions import FreeAsymmetricTop

from ..truth import rotations
from .measure import Contestant, Effort, Figure, each_call, figures, value
from .own import Own
from .peers import entries
from .peers.peer import Peer
from .scenes import DT, Bodies, free_body

TABLE = "free body"

SECONDS = 60
TICKS_A_SECOND = round(1.0 / DT)
CASES = {
    "next to the separatrix": (0.1, 5.0, 0.1),
    "about the greatest axis": (1.0, 1.0, 3.0),
}
"""Body rates [rad/s] of a body with moments (1, 2, 3)."""
SLOWLY = (0.1, 0.2, 0.3)
"""Body rates [rad/s] for what is only timed: some peers gain energy, and a tick that overflows is no tick."""
LOST = 1.0
"""An error [rad] from which on an orientation says nothing."""

COST = "a tick [µs]"


def error_column(case: str) -> str:
    return f"error [rad], {case}"


def measured(effort: Effort) -> list[Figure]:
    """Every method of the engine and every peer that is installed."""
    makers = everyone()
    return _costs(makers, effort) + [
        value(TABLE, name, error_column(case), "rad", largest_error(make, rates, SECONDS))
        for name, make in makers.items()
        for case, rates in CASES.items()
    ]


def everyone() -> dict[str, Callable[[Bodies], Peer]]:
    """What makes a contestant out of bodies, by name."""
    own = {name: functools.partial(Own, integrator=name) for name in integrators.by_name}
    return own | {entry.name: entry.make for entry in entries()}


def largest_error(make: Callable[[Bodies], Peer], rates: tuple[float, float, float], seconds: int) -> float:
    """The largest angle [rad] from the closed form at the whole seconds: a single time can be a lucky zero.

    Infinite where the flight did not stay finite.
    """
    peer, found, times = make(free_body(rates)), [], []
    try:
        for _ in range(seconds):
            peer.run(TICKS_A_SECOND)
            found.append(peer.orientations()[0])
            times.append(peer.time)  # one whose clock rounds the tick is compared at its own time
    except NonFiniteStateError:
        return math.inf
    finally:
        peer.close()
    if not np.isfinite(found).all():
        return math.inf
    return float(rotations.angle(np.array(found), FreeAsymmetricTop((1.0, 2.0, 3.0), rates).orientations(times)).max())


def _costs(makers: dict[str, Callable[[Bodies], Peer]], effort: Effort) -> list[Figure]:
    peers = {name: make(free_body(SLOWLY)) for name, make in makers.items()}
    try:
        contestants = [Contestant(name, COST, each_call(peer.tick)) for name, peer in peers.items()]
        return figures(TABLE, "µs", contestants, effort)
    finally:
        for peer in peers.values():
            peer.close()
