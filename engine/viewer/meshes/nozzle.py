"""Where the gas of a thruster leaves a craft: drawn by the mesh, filled by the plume, pushed at by the force."""

from dataclasses import dataclass

import numpy as np

from ..picture.scene import Array, Plume

Point = tuple[float, float, float]


@dataclass(frozen=True)
class Nozzle:
    """One nozzle, in the axes of its mesh, which are the body's.

    Example:
        >>> Nozzle((0.0, 0.0, -1.0), (0.0, 0.0, -1.0), radius=0.1).force_direction.tolist()
        [-0.0, -0.0, 1.0]
    """

    position: Point
    """Middle of the exit [m], from the body's origin."""
    direction: Point
    """Unit vector the way the gas goes; the force on the body points the other way."""
    radius: float
    """Of the exit [m]."""

    @property
    def force_direction(self) -> Array:
        """Unit vector of the force on the body, body frame."""
        return -np.asarray(self.direction)

    def plume(self, origin: Array, matrix: Array, throttle: float) -> Plume:
        """Its exhaust, for a body whose origin is at a world point [m] and whose axes a matrix (3, 3) turns to the world frame.

        Example:
            >>> nozzle = Nozzle((0.0, 0.0, -1.0), (0.0, 0.0, -1.0), radius=0.1)
            >>> nozzle.plume(np.zeros(3), np.eye(3), 0.5).position.tolist()
            [0.0, 0.0, -1.0]
        """
        position, direction = np.asarray(self.position), np.asarray(self.direction)
        return Plume(origin + matrix @ position, matrix @ direction, self.radius, float(throttle))
