"""The books of a pile: what pushed each body in each tick, and where the energy of all of them went."""

from collections.abc import Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..drawing import Array
from ..physics import Body, World, rotation
from .claims import claim

UNEXPLAINED = 1e-9
"""Of a change of the momentum of a body in a tick, over the largest momentum that any body has had."""
GAINED = 1e-4
"""Energy that contacts and ropes may add in all ticks without motors, jets and hands, over what was taken; 1e-15 to 1e-5 was measured."""
GAINED_DRIVEN = 1e-4
"""The same in ticks with them. Their work is their mean force along the way of its point."""


class Driver(Protocol):
    """Something that adds energy: a crane, a tug, a hand."""

    @property
    def is_driving(self) -> bool:
        """Whether it has pushed or pulled in the last tick."""

    def impulses(self, dt: float) -> Iterator[tuple[Body, Array]]:
        """The impulses on bodies in the last tick [N·s], world frame, but for those of joints."""

    def work(self, dt: float) -> float:
        """The work in the last tick [J]; called once per tick."""


class PileLedger:
    """Adds up each tick: impulses of contacts, joints, gravity and drivers for each body, and the energy of all."""

    def __init__(self, world: World, drivers: list[Driver], gravity: float) -> None:
        self._drivers, self._gravity = drivers, gravity
        self._before = self._state(world)
        self.momentum, self.unexplained = 0.0, 0.0
        """The largest of a body so far, and the largest change of one in a tick that nothing explains [N·s]."""
        self.taken, self.worked = 0.0, 0.0
        """By contacts and ropes so far, and done by the drivers [J]."""
        self.gained = [0.0, 0.0]
        """What contacts and ropes have added in ticks without drivers and with them [J]."""
        self.ticks, self.driven = 0, 0

    def note(self, world: World) -> None:
        """After each tick."""
        before, self._before = self._before, self._state(world)
        (old, energy), (new, reached), dt = before, self._before, world.dt
        pushed = self._pushes(world)
        self.momentum = max(self.momentum, float(np.abs(new).max()))
        self.unexplained = max(self.unexplained, float(np.abs(new - old - pushed).max()))
        work = sum(driver.work(dt) for driver in self._drivers)
        is_driven = any(driver.is_driving for driver in self._drivers)
        self.ticks, self.driven, self.worked = self.ticks + 1, self.driven + is_driven, self.worked + work
        change = reached - energy - work
        self.gained[is_driven] += max(change, 0.0)
        self.taken += max(-change, 0.0)

    def status(self) -> str:
        """What has been found so far, in few words."""
        share = self.unexplained / max(self.momentum, 1.0)
        return f"Σ impulse − m Δv {share:.0e}; {_joules(self.worked)} of work, {_joules(self.taken)} lost"

    def check(self) -> list[str]:
        """Assert that impulses explain the momentum of each body, and that energy rises by the work of the drivers alone."""
        if not self.ticks:
            return ["momentum and energy: the claims are about the time after the first tick"]
        share, scale = self.unexplained / max(self.momentum, 1.0), max(self.taken, 1.0)
        free, driven = (gain / scale for gain in self.gained)
        quiet = self.ticks - self.driven
        return [
            claim(
                share <= UNEXPLAINED,
                f"impulses explain each change of the momentum of each body to {share:.0e} of {self.momentum:.0f} N s",
            ),
            claim(
                free <= GAINED,
                f"contacts and ropes took {self.taken:.0f} J, and added {free:.0e} of it in {quiet} ticks without a drive",
            ),
            claim(
                driven <= GAINED_DRIVEN,
                f"in {self.driven} ticks with motors, jets or a hand, {self.worked:.0f} J of their work explain the energy to {driven:.0e}",
            ),
        ]

    def _state(self, world: World) -> tuple[Array, float]:
        """Momentum of each body, shape (n, 3), and the energy of all."""
        momenta = world.model.mass[:, np.newaxis] * world.state.velocity
        return momenta, world.kinetic_energy() + world.potential_energy()

    def _pushes(self, world: World) -> Array:
        """The sum of all impulses on each body in the last tick."""
        dt, bodies = world.dt, world.bodies
        row = {body: number for number, body in enumerate(bodies)}
        found = -dt * self._gravity * world.model.mass[:, np.newaxis] * (0.0, 0.0, 1.0)
        found = found + dt * world.contacts.force_on_bodies_world
        for joint in world.joints:
            impulse = dt * joint.force_world
            found[row[joint.body]] += impulse
            if joint.other is not None:
                found[row[joint.other]] -= impulse
        for driver in self._drivers:
            for body, impulse in driver.impulses(dt):
                found[row[body]] += impulse
        return found


def _joules(energy: float) -> str:
    return f"{energy / 1e3:.1f} kJ" if abs(energy) >= 1e3 else f"{energy:z.0f} J"


class Mover:
    """How far a point of a body goes in each tick, which the work of a force on it needs; either method is called once per tick."""

    def __init__(self, body: Body, point_body: npt.ArrayLike) -> None:
        self.body, self._point = body, np.asarray(point_body)
        self._before = self._now()

    def moved(self) -> Array:
        """In the tick that has ended [m], as the force of a joint sees it, which holds the point to its way."""
        (place, _), self._before = self._before, self._now()
        return np.asarray(self._before[0] - place)

    def kicked(self, dt: float) -> Array:
        """The same as a force sees it that is held over the tick, and so acts by half kicks at both ends.

        A kick does work at the mean of the velocities before and after it, and the point moves with the velocity between the two kicks.
        """
        (place, velocity), self._before = self._before, self._now()
        reached, speed = self._before
        return np.asarray(0.5 * (reached - place) + 0.25 * dt * (velocity + speed))

    def _now(self) -> tuple[Array, Array]:
        return self.body.to_world(self._point), self.body.velocity_at(self._point)


def mean_turn(before: Array, after: Array) -> Array:
    """The mean of the rotation matrices at both ends of a tick, at which kicks turn a force that is fixed in the body to the world."""
    return np.asarray(0.5 * (rotation.to_matrix(before) + rotation.to_matrix(after)))
