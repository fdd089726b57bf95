"""Drag of a planet's atmosphere, whose density falls off exponentially with altitude."""

from __future__ import annotations  # help() then shows them as written

from math import nan, sqrt
from typing import ClassVar

import numpy.typing as npt

from ..checks import FloatArray
from ..compilation.compiler import inlined
from ..kernels.exponential import exponential
from ..kernels.quaternions import rotate, rotate_inverse
from ..kernels.rigid_body import BodyAtStage
from ..kernels.vectors import Vector, add, cross, dot, scale, subtract
from ..loops.fields import FieldKind, Parameters
from ..store.rows import BodyHandle, Parameter, reference_fields
from ..store.schema import ANY, NOT_NEGATIVE, POINT, POSITIVE, Field, Kind, Schema
from .field_force import OneBodyField


@inlined
def atmospheric_drag(body: BodyAtStage, time: float, p: Parameters) -> tuple[Vector, Vector]:
    """``F = −½ ρ C_D A |u| u`` at a point of the body, where u is the velocity of the point relative to the air.

    The air rotates with the planet, ``u = v + ω × r − Ω × (x − c)``, and its density is ``ρ = ρ₀ exp(−(|x − c| − R − h₀)/H)``.
    p = (C_D A [m²], point [m], ρ₀ [kg/m³], h₀ [m], H [m], R [m], c [m], Ω [rad/s]); the point in the body frame, c and Ω in the world
    frame.
    """
    lever_body = subtract((p[1], p[2], p[3]), body.center_of_mass_body)
    from_center = subtract(
        add(body.position, rotate(body.orientation, 2.0, lever_body)),
        (p[8], p[9], p[10]),
    )
    # density at the point
    altitude = sqrt(dot(from_center, from_center)) - p[7] - p[5]
    density = p[4] * exponential(-altitude / p[6] if p[6] > 0.0 else nan)
    # velocity of the point relative to the air
    turning = rotate(body.orientation, 2.0, cross(body.angular_velocity_body, lever_body))
    air = cross((p[11], p[12], p[13]), from_center)
    wind = subtract(add(body.velocity, turning), air)
    force = scale(-0.5 * density * p[0] * sqrt(dot(wind, wind)), wind)
    return force, cross(lever_body, rotate_inverse(body.orientation, 2.0, force))


ATMOSPHERIC_DRAG = FieldKind("atmospheric_drag", atmospheric_drag, 14, True)


class AtmosphericDrag(OneBodyField):
    """Drag of the atmosphere of a planet, ``F = −½ ρ C_D A |u| u`` at a point of one body, with its torque about the mass centre.

    The velocity u is that of the point itself, which moves with ``ω × r`` when the body rotates, relative to air that rotates with the
    planet. Drag at an offset point therefore also damps the rotation. The density is ``ρ₀ exp(−(h − h₀)/H)`` at the altitude h of the point
    above a sphere. Several such forces may act on one body, for example one per panel. The area does not depend on the attitude.

    Args:
        body: The body it acts on.
        drag_area: Drag coefficient times area, C_D A [m²], at least 0.
        at_body: Point of application (the centre of pressure) [m], body frame, from the origin of the body, shape (3,).
        density: Density ρ₀ [kg/m³] of the air at the reference altitude, at least 0; about 3e-12 at 400 km above the Earth.
        reference_altitude: Altitude h₀ [m] to which the density refers.
        scale_height: Height H [m] over which the density falls by a factor of e, above zero; about 58 km at 400 km.
        planet_radius: Radius [m] from which altitudes are measured, at least 0; 6378137 for the Earth.
        center: Centre of the planet [m], world frame, shape (3,).
        planet_rate_world: Angular velocity Ω [rad/s] of the planet and its air, world frame, shape (3,); 7.292115e-5 along the axis of the
            Earth.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a value is outside the range given above, or if the body was removed.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=10.0)
        >>> satellite = world.add_body(MassProperties.sphere(80.0, 0.5), position=(6.778e6, 0, 0), velocity=(0, 7670.0, 0))
        >>> air = {"density": 3e-12, "reference_altitude": 4e5, "scale_height": 5.8e4, "planet_radius": 6.378e6}
        >>> drag = world.add_force(AtmosphericDrag(satellite, drag_area=1.7, at_body=(0, 0, 0.1), **air))
        >>> force_world, torque_body = world.wrench(satellite)
        >>> force_world.round(6).tolist(), torque_body.round(6).tolist()
        ([0.0, -0.00015, 0.0], [1.5e-05, 0.0, 0.0])
    """

    __slots__ = ()

    _schema: ClassVar[Schema] = Schema(
        "atmospheric drags",
        (
            *reference_fields("body"),
            Field("drag_area", Kind.MODEL, 1, "m²", digest=0, rule=NOT_NEGATIVE),
            Field("at_body", Kind.MODEL, 3, "m", "body", digest=1, rule=ANY, meaning="where it acts, from the origin"),
            Field("density", Kind.MODEL, 1, "kg/m³", digest=2, rule=NOT_NEGATIVE, meaning="at the reference altitude"),
            Field("reference_altitude", Kind.MODEL, 1, "m", digest=3, rule=ANY),
            Field("scale_height", Kind.MODEL, 1, "m", digest=4, rule=POSITIVE),
            Field("planet_radius", Kind.MODEL, 1, "m", digest=5, rule=NOT_NEGATIVE),
            Field("center", Kind.MODEL, 3, "m", "world", digest=6, rule=ANY, world_axes=POINT),
            Field("planet_rate_world", Kind.MODEL, 3, "rad/s", "world", digest=7, rule=ANY),
        ),
    )
    _kind: ClassVar[FieldKind] = ATMOSPHERIC_DRAG

    def __init__(
        self,
        body: BodyHandle,
        *,
        drag_area: float,
        at_body: npt.ArrayLike,
        density: float,
        reference_altitude: float,
        scale_height: float,
        planet_radius: float,
        center: npt.ArrayLike = (0, 0, 0),
        planet_rate_world: npt.ArrayLike = (0, 0, 0),
    ) -> None:
        values = {
            "drag_area": drag_area,
            "at_body": at_body,
            "density": density,
            "reference_altitude": reference_altitude,
            "scale_height": scale_height,
            "planet_radius": planet_radius,
            "center": center,
            "planet_rate_world": planet_rate_world,
        }
        super().__init__("AtmosphericDrag", body, values)

    drag_area = Parameter[float]("Drag coefficient times area, C_D A [m²], at least 0.")
    at_body = Parameter[FloatArray]("Point of application [m], body frame, from the origin of the body, shape (3,).")
    density = Parameter[float]("Density [kg/m³] of the air at the reference altitude, at least 0.")
    reference_altitude = Parameter[float]("Altitude [m] to which the density refers.")
    scale_height = Parameter[float]("Height [m] over which the density falls by a factor of e, above zero.")
    planet_radius = Parameter[float]("Radius [m] from which altitudes are measured, at least 0.")
    center = Parameter[FloatArray]("Centre of the planet [m], world frame, shape (3,).")
    planet_rate_world = Parameter[FloatArray](
        "Angular velocity [rad/s] of the planet and its air, world frame, shape (3,)."
    )

    def __repr__(self) -> str:
        return f"AtmosphericDrag({self.body}, drag_area={self.drag_area!r}, density={self.density!r})"
