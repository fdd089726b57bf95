"""What the ground and gravity did to the lander in each tick without engine and jets: momentum and energy."""

import numpy as np

from ..drawing import Array
from ..physics import World
from .claims import claim
from .landing_craft import Craft
from .landing_grounds import Ground

UNEXPLAINED = 1e-9
"""Of a change of the momentum, over the momentum with which the craft touched down."""
GAINED = 1e-5
"""Energy that the ground may add in all, over that with which the craft touched down."""


class LandingLedger:
    """Adds up each tick after the engine has been cut.

    The energy is that in the axes of the ground, ``E − ω·L`` for one that turns: of it, ground that moves with these axes can only take.
    """

    def __init__(self, world: World, craft: Craft, ground: Ground) -> None:
        self._world, self._craft, self._ground = world, craft, ground
        self._was_powered, self._before = True, self._state()
        self.ticks, self.worst, self.gained, self.lost = 0, 0.0, 0.0, 0.0
        """Ticks so far, the largest unexplained change of momentum in one [N·s], and energy that came and went [J]."""
        self.momentum = self.energy = 0.0
        """At the first of them [N·s], [J]."""

    def note(self, world: World) -> None:
        """After each tick."""
        before, self._before = self._before, self._state()
        was_powered, self._was_powered = self._was_powered, self._craft.is_powered
        if was_powered or self._was_powered:
            return
        momentum, energy, pull = before
        if not self.ticks:
            over = self._craft.stage.velocity - self._ground.velocity_at(self._craft.stage.position)
            self.momentum = self._craft.mass * float(np.linalg.norm(over))
            self.energy = 0.5 * self._craft.mass * float(over @ over)
        self.ticks += 1
        push = world.dt * sum(body.contact_force_world for body in self._craft.bodies)
        # gravity acts in two kicks, at both ends of the tick
        weight = 0.5 * world.dt * (pull + self._before[2])
        self.worst = max(self.worst, float(np.linalg.norm(self._before[0] - momentum - push - weight)))
        change = self._before[1] - energy
        self.gained += max(change, 0.0)
        self.lost += max(-change, 0.0)

    def status(self) -> str:
        """What has been found so far, in few words."""
        if not self.ticks:
            return "momentum and energy are added up from the touchdown on"
        return f"Σ impulse − m Δv {self.worst / self.momentum:.0e}; {self.lost:.0f} J lost, {self.gained:.1g} J gained"

    def check(self) -> list[str]:
        """Assert that impulses of ground and gravity explain the momentum, and that the ground adds no energy."""
        if not self.ticks:
            return ["momentum and energy: the claims are about the time after the touchdown"]
        share, more = self.worst / self.momentum, self.gained / self.energy
        impulse = f"impulses of ground and gravity explain each change of the momentum to {share:.0e} of {self.momentum:.0f} N s"
        motion = f"added {more:.0e} of the {self.energy:.0f} J of motion before the touchdown in {self.ticks} ticks"
        energy = f"the ground took {self.lost:.0f} J of motion and height, and {motion}"
        return [claim(share <= UNEXPLAINED, impulse), claim(more <= GAINED, energy)]

    def _state(self) -> tuple[Array, float, Array]:
        """Momentum, energy in the axes of the ground, and pull of gravity on all bodies."""
        world, bodies = self._world, self._craft.bodies
        momentum = np.sum([body.mass * body.velocity for body in bodies], axis=0)
        energy = world.kinetic_energy() + world.potential_energy()
        pull = np.sum([body.mass * self._ground.gravity_at(body.position) for body in bodies], axis=0)
        return momentum, energy - self._ground.spin * float(world.angular_momentum()[2]), pull
