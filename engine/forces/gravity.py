"""Uniform gravity, gravity of a point mass or an oblate planet, and the gravity-gradient torque."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Iterable
from math import nan, sqrt
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, real, refuse
from ..compilation.compiler import inlined
from ..kernels.quaternions import rotate_inverse
from ..kernels.rigid_body import BodyAtStage
from ..kernels.vectors import Vector, add_scaled, apply_symmetric, cross, dot, scale, subtract
from ..loops.arrays import rotated_inverse
from ..loops.fields import FieldKind, Parameters
from ..store.rows import BodyHandle, Parameter, body_rows, checked, reference_fields
from ..store.schema import ANY, DIRECTION, POINT, POSITIVE, Field, Kind, Schema
from .field_force import FieldForce
from .force import TableForce
from .wrench import BodyStates, Wrench


@inlined
def point_gravity(body: BodyAtStage, time: float, p: Parameters) -> tuple[Vector, Vector]:
    """Gravity of a point mass with an oblateness term; p = (GM [m³/s²], centre [m], J2 R² [m²], axis), world frame.

    ``a = −GM/r³ { r + (3/2) J2 R²/r² [(1 − 5 z²/r²) r + 2 z k] }``, where k is the axis of symmetry and ``z = r·k``.
    """
    r = subtract(body.position, (p[1], p[2], p[3]))
    axis = (p[5], p[6], p[7])
    distance_squared = dot(r, r)
    inverse_square = 1.0 / distance_squared if distance_squared > 0.0 else nan
    strength = -p[0] * body.mass * inverse_square * sqrt(inverse_square)
    height = dot(r, axis)
    oblateness = 1.5 * p[4] * inverse_square
    along_r = 1.0 + oblateness * (1.0 - 5.0 * height * height * inverse_square)
    return scale(strength, add_scaled(scale(along_r, r), 2.0 * oblateness * height, axis)), (0.0, 0.0, 0.0)


POINT_GRAVITY = FieldKind("point_gravity", point_gravity, 8, False)


@inlined
def gravity_gradient(body: BodyAtStage, time: float, p: Parameters) -> tuple[Vector, Vector]:
    """``τ = 3 GM/r⁵ r × (I r)``, where r points from the centre to the body, in the body frame, and I is the tensor with locked wheels.

    p = (GM [m³/s²], centre [m], moments of the wheels [kg·m²]).
    """
    r = subtract(body.position, (p[1], p[2], p[3]))
    distance_squared = dot(r, r)
    inverse_square = 1.0 / distance_squared if distance_squared > 0.0 else nan
    strength = 3.0 * p[0] * inverse_square * inverse_square * sqrt(inverse_square)
    r_body = rotate_inverse(body.orientation, 2.0, r)
    xx, yy, zz, xy, xz, yz = body.inertia_body
    locked = xx + p[4], yy + p[5], zz + p[6], xy + p[7], xz + p[8], yz + p[9]
    return (0.0, 0.0, 0.0), scale(strength, cross(r_body, apply_symmetric(locked, r_body)))


_TENSOR = np.array([[0, 3, 4], [3, 1, 5], [4, 5, 2]])
"""The places of the six components in the tensor."""
GRAVITY_GRADIENT = FieldKind("gravity_gradient", gravity_gradient, 10, False, feels_wheels=True)


UNIFORM_GRAVITIES = Schema(
    "uniform gravities",
    (
        *reference_fields("body", or_nobody="body"),
        Field("acceleration_world", Kind.MODEL, 3, "m/s²", "world", digest=0, rule=ANY),
    ),
)


class UniformGravity(TableForce):
    """The same gravitational acceleration for every body, for example near the surface of a planet.

    Args:
        acceleration_world: Acceleration [m/s²], world frame, shape (3,); (0, -9.81, 0) if y points up.
        bodies: The bodies it acts on. None means all bodies.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `acceleration_world` is not finite, or a body is listed twice or was removed.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=0.25)
        >>> ball = world.add_body(MassProperties.sphere(1.0, 0.5))
        >>> world.add_force(UniformGravity((0.0, -8.0, 0.0)))
        UniformGravity([0.0, -8.0, 0.0])
        >>> world.step(4)
        >>> ball.position.tolist()
        [0.0, -4.0, 0.0]
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
        """Return the potential energy ``−m g·x`` of each body [J], zero at the world's origin, shape (n,).

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.25)
            >>> ball = world.add_body(MassProperties.sphere(2.0, 0.5), position=(0.0, 3.0, 0.0))
            >>> gravity = world.add_force(UniformGravity((0.0, -8.0, 0.0)))
            >>> world.potential_energy()  # the sum over all bodies and forces
            48.0
        """
        feeling, values = self._acting(bodies)
        energy = np.zeros(bodies.count)
        height = np.einsum("ni,ni->n", bodies.position[feeling], values["acceleration_world"])
        energy[feeling] = -bodies.mass[feeling] * height
        return energy


class PointGravity(FieldForce):
    """Gravity of a point mass or of an oblate planet.

    The force is undefined at the centre, so a tick with a body there is rejected.

    Args:
        gm: Gravitational parameter GM [m³/s²], above zero; 3.986004418e14 for the Earth (WGS 84).
        center: Position of the mass [m], world frame, shape (3,).
        j2: Second zonal harmonic [-]; 0.00108262982 for the Earth. A value other than zero requires `reference_radius`.
        reference_radius: Radius that j2 refers to [m]; 6378137 for the Earth.
        axis: Symmetry axis of the planet, world frame, of any non-zero length, shape (3,).
        bodies: The bodies it acts on. None means all bodies.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a value is outside the range given above, `j2` is given without `reference_radius`, or a body is listed twice or was
            removed.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=10.0)
        >>> speed = (3.986004418e14 / 7e6) ** 0.5
        >>> satellite = world.add_body(MassProperties.sphere(80.0, 0.5), position=(7e6, 0.0, 0.0), velocity=(0.0, speed, 0.0))
        >>> earth = world.add_force(PointGravity(gm=3.986004418e14))
        >>> world.step(500)
        >>> radius = float(np.linalg.norm(satellite.position))
        >>> abs(radius - 7e6) < 100.0
        True
    """

    __slots__ = ()

    depends_on_rates = False
    _schema: ClassVar[Schema] = Schema(
        "point gravities",
        (
            *reference_fields("body", or_nobody="body"),
            Field("gm", Kind.MODEL, 1, "m³/s²", digest=0, rule=POSITIVE),
            Field("center", Kind.MODEL, 3, "m", "world", digest=1, rule=ANY, world_axes=POINT),
            Field("oblateness", Kind.SCRATCH, 1, "m²", meaning="J2 R²"),
            Field("axis", Kind.MODEL, 3, "-", "world", digest=2, rule=DIRECTION, rest=(0.0, 0.0, 1.0)),
            Field("j2", Kind.MODEL, digest=3),  # no rule, because setting it alone would not update the product
            Field("reference_radius", Kind.MODEL, 1, "m", digest=4, rest=nan),
        ),
    )
    _kind: ClassVar[FieldKind] = POINT_GRAVITY

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
    center = Parameter[FloatArray]("Position of the mass [m], world frame, shape (3,).")
    axis = Parameter[FloatArray]("Symmetry axis of the planet, world frame, a unit vector, shape (3,).")

    @property
    def j2(self) -> float:
        """Second zonal harmonic [-]; a value other than zero requires a reference radius."""
        return float(self._value("j2"))

    @j2.setter
    def j2(self, value: float) -> None:
        self._set_oblateness(self, real(value, "j2", self), self.reference_radius)

    @property
    def reference_radius(self) -> float | None:
        """Radius that j2 refers to [m], above zero; None if there is none."""
        radius = float(self._value("reference_radius"))
        return None if radius != radius else radius

    @reference_radius.setter
    def reference_radius(self, value: float | None) -> None:
        self._set_oblateness(self, self.j2, value)

    def _set_oblateness(self, owner: object, j2: float, radius: float | None) -> None:
        if j2 != 0.0 and radius is None:
            refuse(owner, "reference_radius", radius, "given together with j2")
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
        """Return the potential energy ``−GM m/r [1 − J2 (R/r)² (3 z²/r² − 1)/2]`` of each body [J], zero at infinity, shape (n,).

        r is the distance from `center`, z its component along `axis`, m the mass of the body and R the `reference_radius`.

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=1.0)
            >>> ball = world.add_body(MassProperties.sphere(3.0, 0.5), position=(4.0, 0.0, 0.0))
            >>> gravity = world.add_force(PointGravity(gm=8.0))
            >>> world.potential_energy()  # the sum over all bodies and forces
            -6.0
        """
        acting, values = self._acting(bodies)
        energy = np.zeros(bodies.count)
        r = bodies.position[acting] - values["center"]
        distance_squared = np.einsum("ij,ij->i", r, r)
        height = np.einsum("ij,ij->i", r, values["axis"])
        oblate = 0.5 * values["oblateness"] / distance_squared * (3.0 * height**2 / distance_squared - 1.0)
        energy[acting] = -values["gm"] * bodies.mass[acting] / np.sqrt(distance_squared) * (1.0 - oblate)
        return energy


class GravityGradient(FieldForce):
    """The gravity-gradient torque ``τ = 3 GM/r³ n × (I n)`` of a point mass in the direction n.

    This is the torque alone, to first order in the ratio of body size to distance. Add a `PointGravity` for the force.

    Args:
        gm: Gravitational parameter GM [m³/s²], above zero.
        center: Position of the mass [m], world frame, shape (3,).
        bodies: The bodies it acts on. None means all bodies.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `gm` is not above zero, a value is not finite, or a body is listed twice or was removed.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=1.0)
        >>> satellite = world.add_body(MassProperties(80.0, (5.0, 20.0, 20.0)), position=(7e6, 0.0, 0.0))
        >>> gradient = world.add_force(GravityGradient(gm=3.986004418e14))
        >>> force_world, torque_body = world.wrench(satellite)
        >>> bool((torque_body == 0.0).all())  # the long axis points at the centre
        True
    """

    __slots__ = ()

    depends_on_rates = False
    _schema: ClassVar[Schema] = Schema(
        "gravity gradients",
        (
            *reference_fields("body", or_nobody="body"),
            Field("gm", Kind.MODEL, 1, "m³/s²", digest=0, rule=POSITIVE),
            Field("center", Kind.MODEL, 3, "m", "world", digest=1, rule=ANY, world_axes=POINT),
        ),
    )
    _kind: ClassVar[FieldKind] = GRAVITY_GRADIENT

    def __init__(
        self, gm: float, center: npt.ArrayLike = (0, 0, 0), *, bodies: Iterable[BodyHandle] | None = None
    ) -> None:
        super().__init__("GravityGradient", bodies, {"gm": gm, "center": center})

    gm = Parameter[float]("Gravitational parameter GM [m³/s²], above zero.")
    center = Parameter[FloatArray]("Position of the mass [m], world frame, shape (3,).")

    def __repr__(self) -> str:
        return f"GravityGradient(gm={self.gm!r}, center={self.center.tolist()})"

    def potential_energy(self, bodies: BodyStates) -> FloatArray:
        """Return the potential energy ``GM/(2 r³) (3 n·I n − tr I)`` of each body [J], with locked wheels, shape (n,).

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=1.0)
            >>> satellite = world.add_body(MassProperties(80.0, (5.0, 20.0, 20.0)), position=(2.0, 0.0, 0.0))
            >>> gradient = world.add_force(GravityGradient(gm=8.0))
            >>> world.potential_energy()  # the sum over all bodies and forces: 8/(2·2³) (3·5 − 45)
            -15.0
        """
        acting, values = self._acting(bodies)
        energy = np.zeros(bodies.count)
        r = bodies.position[acting] - values["center"]
        distance = np.sqrt(np.einsum("ij,ij->i", r, r))
        n_body = rotated_inverse(bodies.orientation[acting], r / distance[:, np.newaxis])
        wheels = bodies._table.moments_of_wheels()[_TENSOR]  # shape (3, 3, n)
        inertia = (bodies.inertia_body + np.moveaxis(wheels, 2, 0))[acting]
        along = np.einsum("ni,nij,nj->n", n_body, inertia, n_body)
        energy[acting] = 0.5 * values["gm"] / distance**3 * (3.0 * along - np.trace(inertia, axis1=1, axis2=2))
        return energy
