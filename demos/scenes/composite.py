"""Two mated craft as one rigid body in a world of its own, whose jets repeat what those of the ship do."""

from typing import Any

import numpy as np

from ..physics import Body, MassProperties, World, flight, forces, rotation
from .ship import Ship


class RepeatedJets(flight.Jets):
    """Jets whose pulses other banks repeat."""

    __slots__ = ("followers",)

    def __init__(self, allocator: flight.ThrusterAllocator, modulator: flight.PulseModulator | None = None) -> None:
        super().__init__(allocator, modulator)
        self.followers: list[forces.ThrusterBank] = []

    def command(self, *wanted: Any) -> Any:
        """Fire the pulses for a torque and a force, and those of the followers."""
        result = super().command(*wanted)
        for follower in self.followers:
            follower.fire(self.allocator.thrusters[0].pulse_left)
        return result

    def stop(self) -> None:
        """Shut all valves."""
        super().stop()
        for follower in self.followers:
            follower.fire(0.0)


class Composite:
    """A ship and what it is locked to as one body, from now on; no joint holds it together."""

    def __init__(self, ship: Ship, target: Body, jets: RepeatedJets) -> None:
        """Make the world of the composite body, and let its jets follow those of the ship.

        Args:
            ship: The ship, with its valves shut.
            target: The body to which it is locked.
            jets: The jets of the ship.
        """
        self._ship, self._jets = ship, jets
        body, world = ship.body, ship.body.world
        turn = rotation.multiply(rotation.conjugate(body.orientation), target.orientation)
        parts = [
            (body.dry_mass_properties, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)),
            (target.mass_properties, body.to_body(target.origin), turn),
        ]
        self.world = World(world.dt, integrator=world.integrator, game_mode=world.game_mode)
        self._whole = Ship(
            self.world,
            propellant=ship.tank.propellant,
            jet_force=ship.jets.max_forces,
            has_wheels=False,
            properties=MassProperties.compound(parts),
            origin=body.origin,
            orientation=body.orientation,
            angular_velocity_body=body.angular_velocity_body,
        )
        self._whole.body.velocity = (body.mass * body.velocity + target.mass * target.velocity) / self._whole.body.mass
        jets.followers.append(self._whole.jets)

    def release(self) -> None:
        """Follow the jets no longer."""
        self._jets.followers.remove(self._whole.jets)

    def off(self) -> tuple[float, float]:
        """Angle [rad] and distance [m] between the ship and the composite body."""
        mine, whole = self._ship.body, self._whole.body
        apart = float(np.linalg.norm(mine.origin - whole.origin))
        return float(rotation.angle_between(mine.orientation, whole.orientation)), apart
