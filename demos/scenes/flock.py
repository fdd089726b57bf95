"""A crowd of craft that fly in circles on their own thrust alone, in closed form.

A craft that rotates at Ω about its fin and thrusts along its nose with the acceleration a moves on a circle of radius a/Ω², with its nose
towards the centre. A modulated throttle m(1 + ε cos(χ + νt)) has two sidebands Ω ± ν, each of which adds a small circle. The motion stays
bounded unless ν is Ω. Everything is computed in the complex plane of each craft's circle.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..physics import MassProperties, World, rotation

Array = npt.NDArray[np.float64]
MEAN, RIPPLE = 0.5, 0.98
"""m and ε: the throttle runs from 0.01 to 0.99."""


@dataclass(frozen=True)
class Pattern:
    """How the throttles ripple: in `arms` arms, wound `twist` radians by each factor e in radius, turning at `rate` [rad/s]."""

    arms: int
    twist: float
    rate: float
    text: str


@dataclass(frozen=True)
class Flock:
    """All craft of the crowd; every array has one row per craft."""

    radii: Array
    """Of their circles [m], shape (n,)."""
    azimuths: Array
    """Where on them they begin [rad], shape (n,)."""
    planes: Array
    """Unit quaternions (x, y, z, w) that turn the plane of x and y into those of the circles, shape (n, 4)."""
    acceleration: float
    """Mean of the thrust over the mass [m/s²]."""
    pattern: Pattern

    @cached_property
    def rates(self) -> Array:
        """Ω [rad/s], shape (n,)."""
        return np.sqrt(self.acceleration / self.radii)

    def only(self, row: int) -> "Flock":
        """One craft of it, as a flock."""
        one = slice(row, row + 1)
        return Flock(self.radii[one], self.azimuths[one], self.planes[one], self.acceleration, self.pattern)

    def throttles(self, time: float) -> Array:
        """At a time [s], 0 to 1, shape (n,)."""
        return MEAN * (1.0 + RIPPLE * np.cos(self._phases + self._ripple_rates * time))

    def orientations(self) -> Array:
        """At time 0, (x, y, z, w), shape (n, 4): nose (z) to the middle, fin (y) along the axis of the circle."""
        nose_inwards = rotation.from_matrix(np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
        around = np.zeros((len(self.radii), 3))
        around[:, 2] = self.azimuths
        turned = rotation.multiply(rotation.from_rotation_vector(around), nose_inwards)
        return rotation.multiply(self.planes, turned)

    def positions(self, time: float) -> Array:
        """World positions [m] at a time [s], shape (n, 3)."""
        return self._to_world(sum(circle * np.exp(1j * rate * time) for circle, rate in self._circles()))

    def velocities(self, time: float) -> Array:
        """World velocities [m/s] at a time [s], shape (n, 3)."""
        return self._to_world(sum(1j * rate * circle * np.exp(1j * rate * time) for circle, rate in self._circles()))

    def join(self, world: World, properties: MassProperties) -> None:
        """Add all craft to a world where they begin, each turning about its fin."""
        rates = np.zeros((len(self.radii), 3))
        rates[:, 1] = self.rates
        world.add_bodies(
            properties,
            self.positions(0.0),
            orientation=self.orientations(),
            velocity=self.velocities(0.0),
            angular_velocity_body=rates,
        )

    @cached_property
    def _phases(self) -> Array:
        return self.pattern.arms * self.azimuths - self.pattern.twist * np.log(self.radii)

    @cached_property
    def _ripple_rates(self) -> Array:
        return self.pattern.arms * self.rates - self.pattern.rate

    def _circles(self) -> list[tuple[npt.NDArray[np.complex128], Array]]:
        """Complex radius and rate of each craft's circle and of its ripple's two: each −∫∫ of its part of the thrust."""
        begin, ripple = np.exp(1j * self.azimuths), 0.5 * RIPPLE * np.exp(1j * self._phases)
        parts = [(1.0 + 0.0j, self.rates)]
        parts += [(ripple, self.rates + self._ripple_rates), (ripple.conj(), self.rates - self._ripple_rates)]
        return [(begin * share * self.acceleration / rate**2, rate) for share, rate in parts]

    def _to_world(self, plane: npt.NDArray[np.complex128]) -> Array:
        return rotation.rotate(self.planes, np.column_stack([plane.real, plane.imag, np.zeros(len(plane))]))
