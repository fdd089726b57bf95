"""The flight of bodies that are rigidly joined, beside that of one rigid body with the same mass properties."""

import numpy as np

from ..physics import Body, World, rotation


class RigidFlight:
    """Remembers the motion of an assembly, and compares its later motion with the exact free rotation of one body.

    The one body has mass, inertia and mass centre of the assembly, and its linear and angular momentum. It is in a world of its own,
    which has no joints.
    """

    def __init__(self, body: Body) -> None:
        """Note the present motion.

        Args:
            body: A body of the assembly, in whose axes the mass properties are taken.
        """
        world = body.world
        self.body, self.tick, self.time = body, world.tick_count, world.time
        assembly = world.assembly(body)
        self._properties = assembly.mass_properties
        self._origin, self._orientation = body.origin, body.orientation
        parts = assembly.bodies
        centre = body.to_world(self._properties.center_of_mass_body)
        self._velocity = np.sum([part.mass * part.velocity for part in parts], axis=0) / self._properties.mass
        momentum = np.sum(
            [
                part.angular_momentum_world + part.mass * np.cross(part.position - centre, part.velocity)
                for part in parts
            ],
            axis=0,
        )
        momentum_body = body.direction_to_body(momentum)
        self._rates = np.linalg.solve(self._properties.inertia_body, momentum_body)

    @property
    def allowed(self) -> float:
        """Deviation that the order of the method explains [rad], [m]."""
        rate = float(np.linalg.norm(self._rates))
        return 1e-10 + 0.1 * rate * (self.body.world.time - self.time) * (rate * self.body.world.dt) ** 2

    def deviations(self) -> tuple[float, float, float]:
        """Angle [rad] and distance [m] between the body and its place in the one rigid body, and by what angle that has turned [rad]."""
        world = World(self.body.world.dt)
        whole = world.add_body(
            self._properties,
            origin=self._origin,
            orientation=self._orientation,
            velocity=self._velocity,
            angular_velocity_body=self._rates,
        )
        world.step(self.body.world.tick_count - self.tick)
        apart = float(np.linalg.norm(whole.origin - self.body.origin))
        turned = float(rotation.angle_between(whole.orientation, self._orientation))
        return float(rotation.angle_between(whole.orientation, self.body.orientation)), apart, turned
