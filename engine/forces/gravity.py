"""Gravity: uniform, of a point mass with oblateness, and its gradient's torque."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Iterable
from math import nan
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, real, refuse
from ..kernels import fields
from ..kernels.arrays import rotated_inverse
from ..store.schema import ANY, DIRECTION, POSITIVE, Field, Kind, Schema
from .field_force import FieldForce
from .force import Parameter, TableForce, body_rows, checked, reference_fields
from .wrench import BodyHandle, BodyStates, Wrench

UNIFORM_GRAVITIES = Schema(
    "uniform gravities",
    (*reference_fields("body"), Field("acceleration_world", Kind.MODEL, 3, "m/s²", "world", digest=0, rule=ANY)),
)


class UniformGravity(TableForce):
    """The same acceleration for every body, near the surface of a planet say.

    Args:
        acceleration_world: Acceleration [m/s²], world frame, shape (3,); (0, -9.81, 0) where y is up.
        bodies: Which bodies feel it; None is all.
    """

    __slots__ = ()

    evaluate: Literal["tick", "stage"] = "tick"
    _schema: ClassVar[Schema] = UNIFORM_GRAVITIES

    def __init__(self, acceleration_world: npt.ArrayLike, *, bodies: Iterable[BodyHandle] | None = None) -> None:
        rows = body_rows(bodies, "UniformGravity")
        acceleration = checked(UNIFORM_GRAVITIES, "acceleration_world", acceleration_world, "UniformGravity")
        super().__init__(rows, {"acceleration_world": acceleration})

    acceleration_world = Parameter[FloatArray]("Acceleration [m/s²], world frame, shape (3,).")

    def __repr__(self) -> str:
        return f"UniformGravity({self.acceleration_world.tolist()})"

    def apply(self, wrench: Wrench, bodies: BodyStates, time: float) -> None:
        feeling, values = self._acting(bodies)
        wrench.force_world[feeling] += bodies.mass[feeling][:, np.newaxis] * values["acceleration_world"]

    def potential_energy(self, bodies: BodyStates) -> FloatArray:
        """−m g·x of each body [J], zero at the world's origin, shape (n,)."""
        feeling, values = self._acting(bodies)
        energy = np.zeros(bodies.count)
        height = np.einsum("ni,ni->n", bodies.position[feeling], values["acceleration_world"])
        energy[feeling] = -bodies.mass[feeling] * height
        return energy


class PointGravity(FieldForce):
    """Attraction by a point mass, or by an oblate planet.

    Args:
        gm: Gravitational parameter GM [m³/s²], above zero; 3.986004418e14 for the Earth (WGS 84).
        center: Where the mass is [m], world frame, shape (3,).
        j2: Second zonal harmonic [-]; 0.00108262982 for the Earth. Needs `reference_radius`.
        reference_radius: Radius to which j2 refers [m]; 6378137 for the Earth.
        axis: Axis of symmetry of the planet, world frame, any length but zero, shape (3,).
        bodies: Which bodies feel it; None is all.

    At the very centre the force has no value and the tick is refused.
    """

    __slots__ = ()

    depends_on_rates = False
    _schema: ClassVar[Schema] = Schema(
        "point gravities",
        (
            *reference_fields("body"),
            Field("gm", Kind.MODEL, 1, "m³/s²", digest=0, rule=POSITIVE),
            Field("center", Kind.MODEL, 3, "m", "world", digest=1, rule=ANY),
            Field("oblateness", Kind.SCRATCH, 1, "m²", meaning="J2 R²"),
            Field("axis", Kind.MODEL, 3, "-", "world", digest=2, rule=DIRECTION, rest=(0.0, 0.0, 1.0)),
            Field("j2", Kind.MODEL, digest=3),  # without a rule: set on its own it would not reach the product
            Field("reference_radius", Kind.MODEL, 1, "m", digest=4, rest=nan),
        ),
    )
    _kind: ClassVar[fields.FieldKind] = fields.POINT_GRAVITY

    def __init__(
        self,
        gm: float,
        center: npt.ArrayLike = (0, 0, 0),
        *,
        j2: float = 0.0,
        reference_radius: float | None = None,
        axis: npt.ArrayLike = (0, 0, 1),
        bodies: Iterable[BodyHandle] | None = None,
    ) -> None:
        super().__init__("PointGravity", bodies, {"gm": gm, "center": center, "axis": axis})
        self._set_oblateness("PointGravity", real(j2, "j2", "PointGravity"), reference_radius)

    gm = Parameter[float]("Gravitational parameter GM [m³/s²], above zero.")
    center = Parameter[FloatArray]("Where the mass is [m], world frame, shape (3,).")
    axis = Parameter[FloatArray]("Axis of symmetry of the planet, world frame, a unit vector, shape (3,).")

    @property
    def j2(self) -> float:
        """Second zonal harmonic [-]; above zero it needs a reference radius."""
        return float(self._value("j2"))

    @j2.setter
    def j2(self, value: float) -> None:
        self._set_oblateness(self, real(value, "j2", self), self.reference_radius)

    @property
    def reference_radius(self) -> float | None:
        """Radius to which j2 refers [m], above zero; None where there is none."""
        radius = float(self._value("reference_radius"))
        return None if radius != radius else radius

    @reference_radius.setter
    def reference_radius(self, value: float | None) -> None:
        self._set_oblateness(self, self.j2, value)

    def _set_oblateness(self, owner: object, j2: float, radius: float | None) -> None:
        if j2 != 0.0 and radius is None:
            refuse(owner, "reference_radius", radius, "given with j2")
        length = nan if radius is None else real(radius, "reference_radius", owner, above=0.0)
        oblateness = 0.0 if radius is None else j2 * length * length
        rows = [self._schema.row(name) for name in ("oblateness", "j2", "reference_radius")]
        first, last = rows[0], rows[-1] + 1
        values = self._table.array[first:last, self._slice()].copy()
        for row, value in zip(rows, (oblateness, j2, length), strict=True):
            values[row - first] = value
        self._table.write(slice(first, last), self._slice(), values)

    def __repr__(self) -> str:
        return f"PointGravity(gm={self.gm!r}, center={self.center.tolist()}, j2={self.j2!r})"

    def potential_energy(self, bodies: BodyStates) -> FloatArray:
        """−GM m/r [1 − J2 (R/r)² (3 z²/r² − 1)/2] of each body [J], zero far away, shape (n,)."""
        acting, values = self._acting(bodies)
        energy = np.zeros(bodies.count)
        r = bodies.position[acting] - values["center"]
        distance_squared = np.einsum("ij,ij->i", r, r)
        height = np.einsum("ij,ij->i", r, values["axis"])
        oblate = 0.5 * values["oblateness"] / distance_squared * (3.0 * height**2 / distance_squared - 1.0)
        energy[acting] = -values["gm"] * bodies.mass[acting] / np.sqrt(distance_squared) * (1.0 - oblate)
        return energy


class GravityGradient(FieldForce):
    """The torque of a point mass's gravity on an extended body: τ = 3 GM/r³ n × (I n), n the direction to the centre.

    The torque alone, to first order in the size of the body over its distance; add `PointGravity` for the force.

    Args:
        gm: Gravitational parameter GM [m³/s²], above zero.
        center: Where the mass is [m], world frame, shape (3,).
        bodies: Which bodies feel it; None is all.
    """

    __slots__ = ()

    depends_on_rates = False
    _schema: ClassVar[Schema] = Schema(
        "gravity gradients",
        (
            *reference_fields("body"),
            Field("gm", Kind.MODEL, 1, "m³/s²", digest=0, rule=POSITIVE),
            Field("center", Kind.MODEL, 3, "m", "world", digest=1, rule=ANY),
        ),
    )
    _kind: ClassVar[fields.FieldKind] = fields.GRAVITY_GRADIENT

    def __init__(
        self, gm: float, center: npt.ArrayLike = (0, 0, 0), *, bodies: Iterable[BodyHandle] | None = None
    ) -> None:
        super().__init__("GravityGradient", bodies, {"gm": gm, "center": center})

    gm = Parameter[float]("Gravitational parameter GM [m³/s²], above zero.")
    center = Parameter[FloatArray]("Where the mass is [m], world frame, shape (3,).")

    def __repr__(self) -> str:
        return f"GravityGradient(gm={self.gm!r}, center={self.center.tolist()})"

    def potential_energy(self, bodies: BodyStates) -> FloatArray:
        """GM/(2 r³) (3 n·I n − tr I) of each body [J], shape (n,)."""
        acting, values = self._acting(bodies)
        energy = np.zeros(bodies.count)
        r = bodies.position[acting] - values["center"]
        distance = np.sqrt(np.einsum("ij,ij->i", r, r))
        n_body = rotated_inverse(bodies.orientation[acting], r / distance[:, np.newaxis])
        inertia = bodies.inertia_body[acting]
        along = np.einsum("ni,nij,nj->n", n_body, inertia, n_body)
        energy[acting] = 0.5 * values["gm"] / distance**3 * (3.0 * along - np.trace(inertia, axis1=1, axis2=2))
        return energy
