"""Pressure of sunlight on flat plates."""

from __future__ import annotations  # help() then shows them as written

from math import inf
from typing import ClassVar

import numpy.typing as npt

from ..checks import FloatArray, real, refuse, vector
from ..compilation.compiler import inlined
from ..kernels.quaternions import rotate, rotate_inverse
from ..kernels.rigid_body import BodyAtStage
from ..kernels.vectors import Vector, add, add_scaled, cross, dot, scale, subtract
from ..loops.fields import FieldKind, Parameters
from ..store.rows import BodyHandle, Parameter, reference_fields
from ..store.schema import ANY, DIRECTION, NOT_NEGATIVE, POINT, SHARE, Field, Kind, Schema
from .field_force import OneBodyField

ROUNDING = 1e-12
"""By how much the sum of the two shares of reflected light may exceed 1, as 0.1 + 0.9 may by rounding."""


@inlined
def radiation_pressure(body: BodyAtStage, time: float, p: Parameters) -> tuple[Vector, Vector]:
    """``F = −P A cos θ [(1 − s) ŝ + 2 (s cos θ + d/3) n̂]`` at a point of the body, with ``cos θ = n̂·ŝ``; zero unless it is positive.

    n̂ is the normal of the plate, ŝ the direction to the sun, s and d are the shares of light reflected specularly and diffusely. The force
    is zero in the shadow of a sphere, a cylinder behind it.
    p = (A [m²], n̂, point [m], s, d, P [N/m²], ŝ, centre of the sphere [m], its radius [m]); n̂ and the point in the body frame, the rest in
    the world frame.
    """
    sun = (p[10], p[11], p[12])
    lever_body = subtract((p[4], p[5], p[6]), body.center_of_mass_body)
    normal = rotate(body.orientation, 2.0, (p[1], p[2], p[3]))
    cosine = dot(normal, sun)
    # shadow: behind the sphere and closer to its axis than its radius
    from_ball = subtract(
        add(body.position, rotate(body.orientation, 2.0, lever_body)),
        (p[13], p[14], p[15]),
    )
    along = dot(from_ball, sun)
    across = add_scaled(from_ball, -along, sun)
    behind = dot(across, across) if along < 0.0 else inf
    lit = p[9] * p[0] * cosine if cosine > 0.0 else 0.0
    strength = 0.0 if behind < p[16] * p[16] else lit
    reflected = 2.0 * (p[7] * cosine + p[8] / 3.0)
    force = scale(-strength, add_scaled(scale(1.0 - p[7], sun), reflected, normal))
    return force, cross(lever_body, rotate_inverse(body.orientation, 2.0, force))


RADIATION_PRESSURE = FieldKind("radiation_pressure", radiation_pressure, 17, False)


class RadiationPressure(OneBodyField):
    """Pressure of sunlight on one side of a flat plate, with its torque about the mass centre.

    ``F = −P A cos θ [(1 − s) ŝ + 2 (s cos θ + d/3) n̂]``, where θ is the angle between the normal n̂ of the plate and the direction ŝ to
    the sun. The share s of the light is reflected specularly, the share d diffusely, and the rest is absorbed. Light from behind has no
    effect. Use one such force per side of each plate. Plates do not shade one another.

    The shadow of a sphere is a cylinder, without penumbra. The force switches at its edge. A method of high order is therefore only of
    first order in the tick in which the plate crosses the edge.

    Args:
        body: The body it acts on.
        area: Area of the plate [m²], at least 0.
        normal_body: Outward normal of the side, body frame, of any non-zero length, shape (3,).
        at_body: Centre of the plate [m], body frame, from the origin of the body, shape (3,).
        specular: Share of the light that is reflected as by a mirror, from 0 to 1.
        diffuse: Share of the light that is reflected diffusely (Lambert's law), from 0 to 1; the sum of both shares is at most 1.
        pressure: Pressure P of the light [N/m²] on a black plate that faces the sun, at least 0; 4.56e-6 at the distance of the Earth.
        sun_direction_world: Direction from the body to the sun, world frame, of any non-zero length, shape (3,).
        shadow: Centre [m], world frame, and radius [m] of a sphere that casts a shadow, as (center, radius); None for no shadow.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a value is outside the range given above, or if the body was removed.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=10.0)
        >>> sail = world.add_body(MassProperties.box(100.0, (10.0, 10.0, 0.1)))
        >>> mirror = RadiationPressure(
        ...     sail, area=100.0, normal_body=(0, 0, 1), at_body=(0, 0, 0), specular=1.0, diffuse=0.0, sun_direction_world=(0, 0, 1)
        ... )
        >>> force_world, torque_body = world.wrench(sail, world.add_force(mirror))
        >>> force_world.round(6).tolist()  # twice that on a black plate
        [0.0, 0.0, -0.000912]
    """

    __slots__ = ()

    depends_on_rates = False
    _schema: ClassVar[Schema] = Schema(
        "radiation pressures",
        (
            *reference_fields("body"),
            Field("area", Kind.MODEL, 1, "m²", digest=0, rule=NOT_NEGATIVE),
            Field("normal_body", Kind.MODEL, 3, "-", "body", digest=1, rule=DIRECTION, rest=(0.0, 0.0, 1.0)),
            Field("at_body", Kind.MODEL, 3, "m", "body", digest=2, rule=ANY, meaning="where it acts, from the origin"),
            Field("specular", Kind.MODEL, digest=3),  # no rule, because the sum of the two shares is limited
            Field("diffuse", Kind.MODEL, digest=4),
            Field("pressure", Kind.MODEL, 1, "N/m²", digest=5, rule=NOT_NEGATIVE),
            Field("sun_direction_world", Kind.MODEL, 3, "-", "world", digest=6, rule=DIRECTION, rest=(0.0, 0.0, 1.0)),
            Field("shadow_center", Kind.MODEL, 3, "m", "world", digest=7, world_axes=POINT),
            Field("shadow_radius", Kind.MODEL, 1, "m", digest=8, meaning="0 for no shadow"),
        ),
    )
    _kind: ClassVar[FieldKind] = RADIATION_PRESSURE

    def __init__(
        self,
        body: BodyHandle,
        *,
        area: float,
        normal_body: npt.ArrayLike,
        at_body: npt.ArrayLike,
        specular: float,
        diffuse: float,
        pressure: float = 4.56e-6,
        sun_direction_world: npt.ArrayLike,
        shadow: tuple[npt.ArrayLike, float] | None = None,
    ) -> None:
        values = {
            "area": area,
            "normal_body": normal_body,
            "at_body": at_body,
            "pressure": pressure,
            "sun_direction_world": sun_direction_world,
        }
        super().__init__("RadiationPressure", body, values)
        owner = f"RadiationPressure of {body}"
        self._write(_shares(owner, specular=specular, diffuse=diffuse))
        self._write(_shadow(owner, shadow))

    area = Parameter[float]("Area of the plate [m²], at least 0.")
    normal_body = Parameter[FloatArray]("Outward normal of the side, body frame, a unit vector, shape (3,).")
    at_body = Parameter[FloatArray]("Centre of the plate [m], body frame, from the origin of the body, shape (3,).")
    pressure = Parameter[float]("Pressure of the light [N/m²] on a black plate that faces the sun, at least 0.")
    sun_direction_world = Parameter[FloatArray]("Direction to the sun, world frame, a unit vector, shape (3,).")

    @property
    def specular(self) -> float:
        """Share of the light that is reflected as by a mirror, from 0 to 1; with `diffuse` at most 1."""
        return float(self._value("specular"))

    @specular.setter
    def specular(self, value: float) -> None:
        self._write(_shares(self, specular=value, diffuse=self.diffuse))

    @property
    def diffuse(self) -> float:
        """Share of the light that is reflected diffusely, from 0 to 1; with `specular` at most 1."""
        return float(self._value("diffuse"))

    @diffuse.setter
    def diffuse(self, value: float) -> None:
        self._write(_shares(self, specular=self.specular, diffuse=value))

    @property
    def shadow(self) -> tuple[FloatArray, float] | None:
        """Centre [m], world frame, and radius [m] of the sphere that casts a shadow; None if there is none."""
        radius = float(self._value("shadow_radius"))
        return (self._value("shadow_center"), radius) if radius > 0.0 else None

    @shadow.setter
    def shadow(self, value: tuple[npt.ArrayLike, float] | None) -> None:
        self._write(_shadow(self, value))

    def __repr__(self) -> str:
        return (
            f"RadiationPressure({self.body}, area={self.area!r}, specular={self.specular!r}, diffuse={self.diffuse!r})"
        )


def _shares(owner: object, **shares: float) -> dict[str, float]:
    """The checked shares of reflected light."""
    checked = {name: SHARE.number(value, name, owner) for name, value in shares.items()}
    if sum(checked.values()) > 1.0 + ROUNDING:
        refuse(owner, " + ".join(shares), tuple(shares.values()), "at most 1, because the rest is absorbed")
    return checked


def _shadow(owner: object, shadow: object) -> dict[str, object]:
    """The checked centre and radius of the sphere."""
    if shadow is None:
        return {"shadow_center": (0.0, 0.0, 0.0), "shadow_radius": 0.0}
    if not isinstance(shadow, tuple | list) or len(shadow) != 2:
        refuse(owner, "shadow", shadow, "None or (center, radius) of a sphere", TypeError)
    center, radius = shadow
    return {
        "shadow_center": vector(center, "shadow center", owner),
        "shadow_radius": real(radius, "shadow radius", owner, above=0.0),
    }
