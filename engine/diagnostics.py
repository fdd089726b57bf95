"""Energy, momentum and angular momentum, and their drift over a run."""

import math
from typing import Protocol

import numpy as np

from .checks import FloatArray, array, explaining_errors, refuse, unit_quaternions, vector
from .loops.arrays import crossed, rotated


class _Mechanical(Protocol):
    """What `Drift` needs of a world."""

    def kinetic_energy(self) -> float: ...
    def potential_energy(self) -> float: ...
    def angular_momentum(self) -> FloatArray: ...


def translational_energy(mass: FloatArray, velocity: FloatArray) -> FloatArray:
    """Translational kinetic energy ``m v²/2`` of each body.

    Args:
        mass: Mass [kg], shape (n,).
        velocity: Velocity of the mass centre [m/s], world frame, shape (n, 3).

    Returns:
        Energy [J], shape (n,).

    Example:
        >>> translational_energy(np.array([2.0]), np.array([[3.0, 0.0, 4.0]])).tolist()
        [25.0]
    """
    owner = "diagnostics.translational_energy"
    mass = array(mass, "mass", owner, (None,), at_least=0)
    velocity = array(velocity, "velocity", owner, (len(mass), 3))
    return 0.5 * mass * np.einsum("ni,ni->n", velocity, velocity)


def rotational_energy(inertia_body: FloatArray, angular_velocity_body: FloatArray) -> FloatArray:
    """Rotational kinetic energy ``ω·Iω/2`` of each body.

    Args:
        inertia_body: Inertia about the mass centre [kg·m²], body frame, shape (n, 3, 3).
        angular_velocity_body: Angular velocity [rad/s], body frame, shape (n, 3).

    Returns:
        Energy [J], shape (n,).

    Example:
        >>> rotational_energy(np.array([np.diag((1.0, 2.0, 2.5))]), np.array([[0.0, 3.0, 0.0]])).tolist()
        [9.0]
    """
    owner = "diagnostics.rotational_energy"
    inertia_body = array(inertia_body, "inertia_body", owner, (None, 3, 3), at_least=0)
    angular_velocity_body = array(angular_velocity_body, "angular_velocity_body", owner, (len(inertia_body), 3))
    return 0.5 * np.einsum("ni,nij,nj->n", angular_velocity_body, inertia_body, angular_velocity_body)


def spin_angular_momentum(
    orientation: FloatArray,
    inertia_body: FloatArray,
    angular_velocity_body: FloatArray,
    stored_momentum_body: FloatArray,
) -> FloatArray:
    """Angular momentum ``R (I ω + h)`` of each body about its mass centre.

    Args:
        orientation: Unit quaternions, scalar-last (x, y, z, w), body to world, shape (n, 4).
        inertia_body: Inertia about the mass centre [kg·m²], body frame, shape (n, 3, 3).
        angular_velocity_body: Angular velocity [rad/s], body frame, shape (n, 3).
        stored_momentum_body: Stored momentum h [N·m·s], body frame, shape (n, 3).

    Returns:
        Angular momentum [N·m·s], world frame, shape (n, 3).

    Example:
        >>> orientation, inertia = np.array([[0.5, 0.5, 0.5, 0.5]]), np.array([np.diag((1.0, 2.0, 2.5))])
        >>> spin_angular_momentum(orientation, inertia, np.array([[3.0, 0.0, 0.0]]), np.zeros((1, 3))).tolist()
        [[0.0, 3.0, 0.0]]
    """
    owner = "diagnostics.spin_angular_momentum"
    inertia_body = array(inertia_body, "inertia_body", owner, (None, 3, 3), at_least=0)
    count = len(inertia_body)
    quaternions = array(orientation, "orientation", owner, (count, 4))
    orientation = unit_quaternions(quaternions, "orientation", owner, orientation)
    angular_velocity_body = array(angular_velocity_body, "angular_velocity_body", owner, (count, 3))
    stored_momentum_body = array(stored_momentum_body, "stored_momentum_body", owner, (count, 3))
    momentum_body = np.einsum("nij,nj->ni", inertia_body, angular_velocity_body) + stored_momentum_body
    return rotated(orientation, momentum_body)


def orbital_angular_momentum(
    mass: FloatArray, position: FloatArray, velocity: FloatArray, about: FloatArray
) -> FloatArray:
    """Angular momentum ``m (x − about) × v`` of the motion of each mass centre.

    Args:
        mass: Mass [kg], shape (n,).
        position: Position of the mass centre [m], world frame, shape (n, 3).
        velocity: Velocity of the mass centre [m/s], world frame, shape (n, 3).
        about: Reference point [m], world frame, shape (3,).

    Returns:
        Angular momentum [N·m·s], world frame, shape (n, 3).

    Example:
        >>> position, velocity = np.array([[3.0, 0.0, 0.0]]), np.array([[0.0, 4.0, 0.0]])
        >>> orbital_angular_momentum(np.array([2.0]), position, velocity, np.zeros(3)).tolist()
        [[0.0, 0.0, 24.0]]
    """
    owner = "diagnostics.orbital_angular_momentum"
    mass = array(mass, "mass", owner, (None,), at_least=0)
    position = array(position, "position", owner, (len(mass), 3))
    velocity = array(velocity, "velocity", owner, (len(mass), 3))
    about = vector(about, "about", owner)
    return crossed(position - about, mass[:, np.newaxis] * velocity)


@explaining_errors()
class Drift:
    """Change of a world's energy and angular momentum since this object was created or last reset.

    The energy is the kinetic energy plus the potential energy of those forces that have one. The angular momentum is taken about the
    world's origin. Forces may change both legitimately; drift is an error only where the quantity should be conserved.

    Args:
        world: The world to measure.

    Raises:
        TypeError: If `world` is not a `World`.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=0.01)
        >>> ship = world.add_body(MassProperties(1.0, (1.0, 2.0, 2.5)), angular_velocity_body=(0.1, 2.0, 0.1))
        >>> drift = Drift(world)
        >>> world.step(1000)
        >>> abs(drift.energy) < 1e-12, drift.angular_momentum < 1e-12
        (True, True)
    """

    def __init__(self, world: _Mechanical) -> None:
        measures = ("kinetic_energy", "potential_energy", "angular_momentum")
        if isinstance(world, type) or not all(callable(getattr(world, name, None)) for name in measures):
            refuse("Drift", "world", world, "a World", TypeError)
        self._world = world
        self.reset()

    def reset(self) -> None:
        """Measure the drift from the current state on."""
        self._energy = self._total_energy()
        self._momentum = self._world.angular_momentum()

    @property
    def energy(self) -> float:
        """Relative energy drift ``(E − E₀)/|E₀|``, or ``E − E₀`` [J] if E₀ is zero."""
        return (self._total_energy() - self._energy) / (abs(self._energy) or 1.0)

    @property
    def angular_momentum(self) -> float:
        """Relative drift of the angular momentum ``|L − L₀|/|L₀|``, or ``|L − L₀|`` [N·m·s] if L₀ is zero."""
        scale = math.hypot(*self._momentum) or 1.0
        return math.hypot(*(self._world.angular_momentum() - self._momentum)) / scale

    def _total_energy(self) -> float:
        return self._world.kinetic_energy() + self._world.potential_energy()
