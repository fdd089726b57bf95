"""A ship whose propellant leaves as beads through a straight pipe, by conservation of momentum and angular momentum alone.

Nothing here knows a formula of jet damping: between two moments all beads move along the pipe at one speed, and the velocities of the ship
follow from the momentum and angular momentum of ship and beads. A bead that has left takes its own with it.
"""

from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from .reference import cross


class Ship(NamedTuple):
    """A rigid ship with its centre at the origin, a point of propellant and a pipe.

    Attributes:
        mass: Without propellant [kg].
        inertia: About the origin [kg·m²].
        propellant: At the start [kg].
        source: Where the propellant is, and the pipe begins [m].
        nozzle: Where the pipe ends [m].
        flow: Propellant per second [kg/s].
        speed: Of the propellant in the pipe [m/s].
    """

    mass: float
    inertia: np.ndarray
    propellant: float
    source: np.ndarray
    nozzle: np.ndarray
    flow: float
    speed: float


def rates_after(ship, rates, beads, seconds):
    """The angular velocity in the body frame after a time of whole beads, by `beads` beads in the pipe; the error falls as their number."""
    pipe = ship.nozzle - ship.source
    length = np.linalg.norm(pipe)
    along, period = pipe / length, length / (ship.speed * beads)
    bead = ship.flow * period
    travelled = (np.arange(beads) + 0.5) / beads * length
    tank, turn, origin = ship.propellant, Rotation.identity(), np.zeros(3)

    def moving(at, shift):
        """Points and masses of everything but the tensor of the ship, and the velocity of beads in the pipe, in the world frame."""
        points = np.vstack(([0, 0, 0], ship.source, ship.source + np.outer(travelled + shift, along)))
        masses = np.concatenate(([ship.mass, tank], np.full(beads, bead)))
        return at.apply(points), masses, at.apply(ship.speed * along)

    def momenta(at, place, velocity, spin):
        arms, masses, flowing = moving(at, 0.0)
        each = velocity + np.cross(spin, arms)
        each[2:] += flowing
        own = at.apply(ship.inertia @ at.inv().apply(spin))
        return masses @ each, masses @ np.cross(place + arms, each) + own

    def velocities(at, place, shift):
        """The velocity of the origin and the angular velocity that have the momenta, by a linear equation about the origin."""
        arms, masses, flowing = moving(at, shift)
        first, total = masses @ arms, masses.sum()
        crossed = np.cross(np.eye(3), first)  # rows: eᵢ × Σ m r
        tensor = (masses @ (arms**2).sum(axis=1)) * np.eye(3) - (arms.T * masses) @ arms
        tensor += at.as_matrix() @ ship.inertia @ at.as_matrix().T
        equations = np.block([[total * np.eye(3), crossed.T], [crossed, tensor]])
        linear = momentum - masses[2:].sum() * flowing
        angular = angular_momentum - cross(place, momentum) - cross(masses[2:] @ arms[2:], flowing)
        found = np.linalg.solve(equations, np.concatenate((linear, angular)))
        return found[:3], found[3:]

    start = -np.cross(rates, ship.propellant * ship.source / (ship.mass + ship.propellant))
    momentum, angular_momentum = momenta(turn, origin, start, np.asarray(rates, float))
    half = 0.5 * period
    for _bead in range(round(seconds / period)):
        for leaves in (True, False):
            velocity, spin = velocities(turn, origin, 0.0)
            middle = Rotation.from_rotvec(0.5 * half * spin) * turn
            velocity, spin = velocities(middle, origin + 0.5 * half * velocity, 0.5 * half * ship.speed)
            turn, origin = Rotation.from_rotvec(half * spin) * turn, origin + half * velocity
            travelled = travelled + half * ship.speed
            if leaves:
                velocity, spin = velocities(turn, origin, 0.0)
                arm = turn.apply(ship.source + travelled[-1] * along)
                taken = bead * (velocity + cross(spin, arm) + turn.apply(ship.speed * along))
                momentum, angular_momentum = momentum - taken, angular_momentum - cross(origin + arm, taken)
                travelled, tank = np.concatenate(([0.0], travelled[:-1])), tank - bead
    return turn.inv().apply(velocities(turn, origin, 0.0)[1])
