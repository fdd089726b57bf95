"""The bodies and worlds that every engine simulates."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine import MassProperties, World, forces

Array = npt.NDArray[np.float64]

DT = 1.0 / 240.0
GRAVITY = (0.0, -9.81, 0.0)


@dataclass(frozen=True)
class Bodies:
    """Equal bodies with a thruster each, which pushes along the body's z axis through the mass centre, and uniform gravity.

    They start without turn and without velocity; body axes are principal.
    """

    mass: float
    """[kg]"""
    moments: tuple[float, float, float]
    """Principal moments [kg·m²]."""
    position: Array
    """[m], shape (n, 3)."""
    angular_velocity_body: Array
    """[rad/s], shape (n, 3)."""
    thrust: float = 0.0
    """[N]"""
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """[m/s²]"""

    @property
    def count(self) -> int:
        return len(self.position)


def ships(count: int) -> Bodies:
    """Boxes of 1200 kg, 2 m × 3 m × 4 m, that tumble each its own way under gravity and 500 N."""
    rng = np.random.default_rng(count)
    position, rates = rng.normal(scale=1e3, size=(count, 3)), rng.normal(scale=0.3, size=(count, 3))
    return Bodies(1200.0, (2500.0, 2000.0, 1300.0), position, rates, thrust=500.0, gravity=GRAVITY)


def free_body(angular_velocity_body: tuple[float, float, float]) -> Bodies:
    """One body with moments (1, 2, 3) and nothing that acts on it."""
    return Bodies(1.0, (1.0, 2.0, 3.0), np.zeros((1, 3)), np.array([angular_velocity_body]))


def world_of(bodies: Bodies, integrator: str, **options: int) -> World:
    """A world of these bodies; options as `World` takes them."""
    world = World(DT, integrator=integrator, **options)
    handles = world.add_bodies(
        MassProperties(bodies.mass, bodies.moments),
        bodies.position,
        angular_velocity_body=bodies.angular_velocity_body,
    )
    if any(bodies.gravity):
        world.add_force(forces.UniformGravity(bodies.gravity))
    if bodies.thrust:
        for body in handles:
            thruster = forces.Thruster(body, position=(0, 0, -2), direction=(0, 0, 1), max_force=bodies.thrust)
            world.add_force(thruster).throttle = 1.0
    return world


def put_back(world: World, bodies: Bodies) -> None:
    """Start anew: what is timed does not depend on how long it has been timed."""
    state = world.state
    state.position = bodies.position
    state.orientation = np.tile((0.0, 0.0, 0.0, 1.0), (bodies.count, 1))
    state.velocity = np.zeros((bodies.count, 3))
    state.angular_velocity_body = bodies.angular_velocity_body
