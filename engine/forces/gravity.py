"""Gravity: uniform, of a point mass with oblateness, and its gradient's torque."""

from __future__ import annotations  # help() then shows them as written

from typing import Literal

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, direction, read_only, real, refuse, vector
from ..kernels import fields
from .force import FieldForce, Force
from .wrench import BodyStates, Wrench


class UniformGravity(Force):
    """The same acceleration for every body, near the surface of a planet say.

    Args:
        acceleration_world: Acceleration [m/s²], world frame, shape (3,); (0, -9.81, 0) where y is up.
    """

    __slots__ = ("acceleration_world",)

    evaluate: Literal["tick", "stage"] = "tick"

    def __init__(self, acceleration_world: npt.ArrayLike) -> None:
        self.acceleration_world = read_only(vector(acceleration_world, "acceleration_world", "UniformGravity"))

    def __repr__(self) -> str:
        return f"UniformGravity({self.acceleration_world.tolist()})"

    def apply(self, wrench: Wrench, bodies: BodyStates, time: float) -> None:
        wrench.force_world += bodies.mass[:, np.newaxis] * self.acceleration_world

    def potential_energy(self, bodies: BodyStates) -> FloatArray:
        """−m g·x of each body [J], zero at the world's origin, shape (n,)."""
        return -bodies.mass * (bodies.position @ self.acceleration_world)


class PointGravity(FieldForce):
    """Attraction by a point mass, or by an oblate planet.

    Args:
        gm: Gravitational parameter GM [m³/s²], above zero; 3.986004418e14 for the Earth (WGS 84).
        center: Where the mass is [m], world frame, shape (3,).
        j2: Second zonal harmonic [-]; 0.00108262982 for the Earth. Needs `reference_radius`.
        reference_radius: Radius to which j2 refers [m]; 6378137 for the Earth.
        axis: Axis of symmetry of the planet, world frame, any length but zero, shape (3,).

    At the very centre the force has no value and the tick is refused.
    """

    __slots__ = ("_oblateness", "axis", "center", "gm", "j2", "reference_radius")

    depends_on_rates = False
    field = staticmethod(fields.point_gravity)

    def __init__(
        self,
        gm: float,
        center: npt.ArrayLike = (0, 0, 0),
        *,
        j2: float = 0.0,
        reference_radius: float | None = None,
        axis: npt.ArrayLike = (0, 0, 1),
    ) -> None:
        owner = "PointGravity"
        self.gm = real(gm, "gm", owner, above=0.0)
        self.center = read_only(vector(center, "center", owner))
        self.j2 = real(j2, "j2", owner)
        if self.j2 != 0.0 and reference_radius is None:
            refuse(owner, "reference_radius", reference_radius, "given with j2")
        self.reference_radius = (
            None if reference_radius is None else real(reference_radius, "reference_radius", owner, above=0.0)
        )
        self.axis = read_only(direction(axis, "axis", owner))
        self._oblateness = (
            0.0 if self.reference_radius is None else self.j2 * self.reference_radius * self.reference_radius
        )
        super().__init__([self.gm, *self.center, self._oblateness, *self.axis], None)

    def __repr__(self) -> str:
        return f"PointGravity(gm={self.gm!r}, center={self.center.tolist()}, j2={self.j2!r})"

    def potential_energy(self, bodies: BodyStates) -> FloatArray:
        """−GM m/r [1 − J2 (R/r)² (3 z²/r² − 1)/2] of each body [J], zero far away, shape (n,)."""
        r = bodies.position - self.center
        distance_squared = np.einsum("ij,ij->i", r, r)
        oblate = 0.5 * self._oblateness / distance_squared * (3.0 * (r @ self.axis) ** 2 / distance_squared - 1.0)
        return -self.gm * bodies.mass / np.sqrt(distance_squared) * (1.0 - oblate)


class GravityGradient(FieldForce):
    """The torque of a point mass's gravity on an extended body: τ = 3 GM/r³ n × (I n), n the direction to the centre.

    The torque alone, to first order in the size of the body over its distance; add `PointGravity` for the force.

    Args:
        gm: Gravitational parameter GM [m³/s²], above zero.
        center: Where the mass is [m], world frame, shape (3,).
    """

    __slots__ = ("center", "gm")

    depends_on_rates = False
    field = staticmethod(fields.gravity_gradient)

    def __init__(self, gm: float, center: npt.ArrayLike = (0, 0, 0)) -> None:
        self.gm = real(gm, "gm", "GravityGradient", above=0.0)
        self.center = read_only(vector(center, "center", "GravityGradient"))
        super().__init__([self.gm, *self.center], None)

    def __repr__(self) -> str:
        return f"GravityGradient(gm={self.gm!r}, center={self.center.tolist()})"

    def potential_energy(self, bodies: BodyStates) -> FloatArray:
        """GM/(2 r³) (3 n·I n − tr I) of each body [J], shape (n,)."""
        r = bodies.position - self.center
        distance = np.sqrt(np.einsum("ij,ij->i", r, r))
        n_body = bodies.to_body(r / distance[:, np.newaxis])
        inertia = bodies.inertia_body
        along = np.einsum("ni,nij,nj->n", n_body, inertia, n_body)
        return 0.5 * self.gm / distance**3 * (3.0 * along - np.trace(inertia, axis1=1, axis2=2))
