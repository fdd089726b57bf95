"""Craft that drift around a place and tumble with their engines off, so that each conserves its energy and momentum."""

import numpy as np

from ..drawing import Array
from ..physics import MassProperties, World, integrators, rotation
from .claims import claim

KEEP_MOMENTUM = (integrators.FreeRotor, integrators.AxisSplitting, integrators.ImplicitMidpoint)


class Drifters:
    """So many free craft with principal body axes, the last bodies of a world, about `distance` [m] from its origin."""

    def __init__(
        self, world: World, properties: MassProperties, count: int, distance: float, random: np.random.Generator
    ) -> None:
        self._world, self._moments = world, np.diag(properties.inertia_body)
        self._first_row = len(world.bodies)
        directions = random.normal(size=(count, 3)) * (1.0, 1.0, 0.5)
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        world.add_bodies(
            properties,
            directions * distance * random.uniform(0.85, 1.15, (count, 1)),
            orientation=rotation.from_rotation_vector(random.uniform(-2.0, 2.0, (count, 3))),
            angular_velocity_body=random.normal(0.0, 0.7, (count, 3)),
        )
        self._energy, self._momentum_world = self._kept()

    def rates(self) -> Array:
        """Body rates of the first of them [rad/s], shape (3,)."""
        return self._world.state.angular_velocity_body[self._first_row]

    def drift(self) -> tuple[float, float]:
        """Relative changes of the energy of all of them and of the length of their angular momentum's change."""
        energy, momentum = self._kept()
        change = np.linalg.norm(momentum - self._momentum_world) / np.linalg.norm(self._momentum_world)
        return float(energy.sum() / self._energy.sum()) - 1.0, float(change)

    def check(self) -> list[str]:
        """Assert that each keeps its angular momentum, and its energy as closely as the method does; nothing for other methods."""
        if self._world.game_mode or not isinstance(self._world.integrator, KEEP_MOMENTUM):
            return []
        energy, momentum = self._kept()
        size = np.linalg.norm(self._momentum_world, axis=1)
        drift = float(np.abs(energy / self._energy - 1.0).max())
        change = float((np.linalg.norm(momentum - self._momentum_world, axis=1) / size).max())
        rounding = 1e-12 * (1 + self._world.tick_count)
        # Where the energy is not kept to rounding it swings, by the square of the fastest turn in a tick.
        turn = float(size.max() / self._moments.min()) * self._world.dt
        allowed = rounding if isinstance(self._world.integrator, integrators.FreeRotor) else turn**2
        text = f"free ones: energy kept to {drift:.1e}, L to {change:.1e}"
        return [claim(drift <= allowed and change <= rounding, text)]

    def _kept(self) -> tuple[Array, Array]:
        """Energy of turning [J], shape (n,), and angular momentum [N·m·s], world frame, shape (n, 3), of each."""
        state = self._world.state
        rates = state.angular_velocity_body[self._first_row :]
        momentum_body = rates * self._moments
        energy = 0.5 * (rates * momentum_body).sum(axis=1)
        return energy, rotation.rotate(state.orientation[self._first_row :], momentum_body)
