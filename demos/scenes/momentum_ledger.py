"""The books of a world's linear and angular momentum: what changes while no jet fires, and what the jets explain."""

from typing import NamedTuple

import numpy as np

from ..drawing import Array
from ..physics import World
from .ship import Ship
from .vectors import cross


class Entry(NamedTuple):
    """What is noted at the start of a tick."""

    momenta: Array
    """P [N·s] and L [N·m·s] of all bodies, world frame, shape (6,)."""
    impulses: Array
    """Of the jets so far [N·s], shape (16,)."""
    turn: Array
    """Axes of the ship, shape (3, 3)."""
    origin: Array
    """Of the ship [m]."""
    propellant: float
    """In the tank [kg]."""
    leaving: Array
    """Velocity of the propellant in the tank [m/s]."""


class MomentumLedger:
    """Compares the momenta of all bodies with those of a tick before, at the start of each tick.

    Everything is about the origin of the world. In the ticks in which the jets fire, they explain the change, together with
    the propellant that leaves, both at the pose in the middle of the tick.
    """

    def __init__(self, world: World, ship: Ship) -> None:
        """Open the books.

        Args:
            world: The world.
            ship: The only craft with jets.
        """
        self._world, self._ship = world, ship
        self.coasting_change, self.coasted = np.zeros(6), 0
        """Sum of the changes of P [N·s] and L [N·m·s] over the ticks in which no jet fired, shape (6,), and their number."""
        self.driven_change, self.explained = np.zeros(6), np.zeros(6)
        """The same for the other ticks, and what the jets explain of it."""
        self.impulses = np.zeros(2)
        """Sums of the sizes of the impulses [N·s] and angular impulses [N·m·s] of all jets."""
        self.scale = np.zeros(2)
        """Largest sums of the sizes of the bodies' momenta [N·s, N·m·s]."""
        self._last = self._now()

    def note(self) -> None:
        """Book the last tick."""
        before, now = self._last, self._now()
        self._last, change = now, now.momenta - before.momenta
        if (now.impulses != before.impulses).any():
            self.driven_change += change
            self.explained += self._of_jets(before, now)
        else:
            self.coasting_change += change
            self.coasted += 1

    def coasting_drift(self) -> tuple[float, float]:
        """The changes of P and L while no jet fired, each over the sum of the sizes of the bodies' momenta."""
        return tuple(
            (np.linalg.norm(self.coasting_change.reshape(2, 3), axis=1) / np.maximum(self.scale, 1e-300)).tolist()
        )

    def unexplained(self) -> tuple[float, float]:
        """What the jets do not explain of the changes of P and L, over the sums of the sizes of their impulses."""
        rest = np.linalg.norm((self.driven_change - self.explained).reshape(2, 3), axis=1)
        return tuple((rest / np.maximum(self.impulses, 1e-300)).tolist())

    def _now(self) -> Entry:
        world, ship = self._world, self._ship
        body, tank = ship.body, ship.tank
        state = world.state
        linear = world.model.mass[:, np.newaxis] * state.velocity
        around = cross(state.position, linear)
        spins = np.array([each.angular_momentum_world for each in world.bodies])
        sizes = np.sqrt(np.square(np.stack([linear, around, spins])).sum(axis=-1)).sum(axis=-1)
        self.scale = np.maximum(self.scale, (sizes[0], sizes[1] + sizes[2]))
        return Entry(
            np.concatenate([linear.sum(axis=0), (around + spins).sum(axis=0)]),
            ship.jets.impulse.copy(),
            body.rotation_matrix,
            body.origin,
            tank.propellant,
            body.velocity_at(tank.position),
        )

    def _of_jets(self, before: Entry, now: Entry) -> Array:
        """What the jets and the propellant that left change in one tick, shape (6,)."""
        turn, origin = 0.5 * (before.turn + now.turn), 0.5 * (before.origin + now.origin)
        jets, tank = self._ship.jets, self._ship.tank
        pushes = ((now.impulses - before.impulses)[:, np.newaxis] * jets.directions) @ turn.T
        places = origin + jets.positions @ turn.T
        lost = (before.propellant - now.propellant) * 0.5 * (before.leaving + now.leaving)
        left = cross(origin + turn @ tank.position, lost)
        turns = cross(places, pushes)
        self.impulses += [np.sqrt(np.square(each).sum(axis=1)).sum() for each in (pushes, turns)]
        return np.concatenate([pushes.sum(axis=0) - lost, turns.sum(axis=0) - left])
