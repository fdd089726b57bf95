"""The engines of a flock, and a solo run of one craft for comparison."""

import numpy as np

from ..drawing import Array
from ..meshes.dart import NOZZLES
from ..physics import MassProperties, World, forces
from .flock import MEAN, Flock


class FlockEngines:
    """The thrust of the whole flock as one force, along each nose, with the throttle in the middle of the tick."""

    evaluate = "tick"

    def __init__(self, flock: Flock, mass: float, dt: float) -> None:
        self._flock, self._half_tick = flock, 0.5 * dt
        self.full = mass * flock.acceleration / MEAN
        """Of one craft at full throttle [N]."""

    def throttles(self, time: float) -> Array:
        """For the tick that starts at a time [s], shape (n,)."""
        return self._flock.throttles(time + self._half_tick)

    def apply(self, wrench, bodies, time: float) -> None:
        """The flock's craft are the first bodies of the world."""
        throttles = self.throttles(time)
        wrench.force_body[: len(throttles), 2] += self.full * throttles


def flies_as_alone(row: int, crowd: World, flock: Flock, engines: FlockEngines, properties: MassProperties) -> bool:
    """Fly one craft again, alone and with a thruster of the built-in kind: whether it ends where it is in the crowd, to the last bit."""
    alone = World(crowd.dt, integrator=crowd.integrator, game_mode=crowd.game_mode)
    flock.only(row).join(alone, properties)
    thruster = alone.add_force(
        forces.Thruster(
            alone.bodies[0],
            position=NOZZLES["main"].position,
            direction=NOZZLES["main"].force_direction,
            max_force=engines.full,
        )
    )
    for _ in range(crowd.tick_count):
        thruster.throttle = engines.throttles(alone.time)[row]
        alone.step()
    parts = ("position", "orientation", "velocity")
    return all(np.array_equal(getattr(crowd.state, part)[row], getattr(alone.state, part)[0]) for part in parts)
