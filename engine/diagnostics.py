"""Energy, momentum, angular momentum, and how far they have drifted."""

import math
from typing import Protocol

import numpy as np

from .checks import FloatArray
from .kernels.arrays import rotated


class _Mechanical(Protocol):
    """A world, as far as its drift is concerned."""

    def kinetic_energy(self) -> float: ...
    def potential_energy(self) -> float: ...
    def angular_momentum(self) -> FloatArray: ...


def translational_energy(mass: FloatArray, velocity: FloatArray) -> FloatArray:
    """m v²/2 [J], shape (n,), of mass [kg] (n,) and velocity [m/s] (n, 3)."""
    return 0.5 * mass * np.einsum("ni,ni->n", velocity, velocity)


def rotational_energy(inertia_body: FloatArray, angular_velocity_body: FloatArray) -> FloatArray:
    """ω·Iω/2 [J], shape (n,), of inertia [kg·m²] (n, 3, 3) and angular velocity [rad/s] (n, 3), both body frame."""
    return 0.5 * np.einsum("ni,nij,nj->n", angular_velocity_body, inertia_body, angular_velocity_body)


def spin_angular_momentum(
    orientation: FloatArray,
    inertia_body: FloatArray,
    angular_velocity_body: FloatArray,
    stored_momentum_body: FloatArray,
) -> FloatArray:
    """R (I ω + h) [N·m·s] about each mass centre, world frame, shape (n, 3).

    Args:
        orientation: Unit quaternions, scalar-last (x, y, z, w), body to world, shape (n, 4).
        inertia_body: Inertia [kg·m²], body frame, shape (n, 3, 3).
        angular_velocity_body: Angular velocity [rad/s], body frame, shape (n, 3).
        stored_momentum_body: Stored momentum h [N·m·s], body frame, shape (n, 3).
    """
    momentum_body = np.einsum("nij,nj->ni", inertia_body, angular_velocity_body) + stored_momentum_body
    return rotated(orientation, momentum_body)


def orbital_angular_momentum(
    mass: FloatArray, position: FloatArray, velocity: FloatArray, about: FloatArray
) -> FloatArray:
    """m (x − about) × v [N·m·s], world frame, shape (n, 3), of the motion of the mass centres."""
    return np.cross(position - about, mass[:, np.newaxis] * velocity)


class Drift:
    """How far a world's energy and angular momentum have moved since this object was made or last reset.

    Energy is kinetic plus, where forces have one, potential. Angular momentum is about the world's origin. With forces at work both
    change rightly; drift is an error only where they ought to stay.
    """

    def __init__(self, world: _Mechanical) -> None:
        self._world = world
        self.reset()

    def reset(self) -> None:
        """Measure from here on."""
        self._energy = self._total_energy()
        self._momentum = self._world.angular_momentum()

    @property
    def energy(self) -> float:
        """(E − E₀)/|E₀|, or E − E₀ [J] where E₀ is zero."""
        return (self._total_energy() - self._energy) / (abs(self._energy) or 1.0)

    @property
    def angular_momentum(self) -> float:
        """|L − L₀|/|L₀|, or |L − L₀| [N·m·s] where L₀ is zero."""
        scale = math.hypot(*self._momentum) or 1.0
        return math.hypot(*(self._world.angular_momentum() - self._momentum)) / scale

    def _total_energy(self) -> float:
        return self._world.kinetic_energy() + self._world.potential_energy()
