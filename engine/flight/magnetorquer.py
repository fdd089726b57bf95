"""Magnetorquers, which are coils whose magnetic moment exerts a torque in the field of a planet."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Callable
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, real, refuse
from ..compilation.compiler import inlined
from ..forces.field_force import OneBodyField
from ..forces.magnetic_dipole import MagneticDipole, dipole_field
from ..kernels.quaternions import rotate_inverse
from ..kernels.rigid_body import BodyAtStage
from ..kernels.vectors import Vector, add, add_scaled, cross, scale
from ..loops.fields import FieldKind, Parameters
from ..loops.layout import POSITION, VELOCITY
from ..store.host import Host
from ..store.rows import BodyHandle, Parameter, fixed, reference_fields
from ..store.schema import DIRECTION, POINT, Field, Kind, Schema
from .magnetic_field import flux_density_of
from .part import Place


@inlined
def magnetorquer(body: BodyAtStage, time: float, p: Parameters) -> tuple[Vector, Vector]:
    """``τ = m × B`` with B at the mass centre.

    p = (m [A·m²], its axis in the body frame, the seven constants of `dipole_field`, a flux density [T] that is added, world frame).
    """
    dipole = dipole_field(body.position, (p[4], p[5], p[6], p[7], p[8], p[9], p[10]))
    field_world = add(dipole, (p[11], p[12], p[13]))
    field_body = rotate_inverse(body.orientation, 2.0, field_world)
    return (0.0, 0.0, 0.0), cross(scale(p[0], (p[1], p[2], p[3])), field_body)


MAGNETORQUER = FieldKind("magnetorquer", magnetorquer, 14, False)


class Magnetorquer(OneBodyField):
    """A coil or rod with a commanded magnetic moment, ``τ = m × B``, in a magnetic field; added by `World.add_part`.

    The torque is perpendicular to the field, so even three coils cannot turn a body about the direction of the field. It is evaluated at
    each stage of the method, with the attitude and position of that stage. The `dipole` is a command that is held until it is changed,
    initially 0. Neither the force on the coil nor its inductance is modelled.

    The field of a `MagneticDipole` is compiled, and evaluated at the position of each stage too. A field of your own is called in Python
    once per tick, for the position and time in the middle of the tick, and held over the tick. The error is of second order in the length
    of the tick.

    Args:
        body: The body that carries it.
        axis: Axis of the coil, body frame, of any non-zero length, shape (3,).
        max_dipole: Maximum magnetic moment [A·m²], above zero.
        field: The field of the planet: a `MagneticDipole`, whose constants are copied and whose centre `World.shift_origin` then moves,
            or else an object whose `at(position, time)`, or `at(position)`, returns the flux density [T], world frame, shape (3,).

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `axis` is zero, `max_dipole` is not positive, an argument is not finite, or the body was removed.

    Example:
        >>> from engine import MassProperties, World, flight
        >>> world = World(dt=1.0)
        >>> cubesat = world.add_body(MassProperties.box(4.0, (0.1, 0.1, 0.34)), position=(6.978e6, 0.0, 0.0))
        >>> earth = flight.MagneticDipole(7.71e15, (0.0, 0.0, -1.0))
        >>> coil = world.add_part(flight.Magnetorquer(cubesat, axis=(1, 0, 0), max_dipole=0.2, field=earth))
        >>> coil.dipole = 0.1
        >>> force_world, torque_body = world.wrench(cubesat)
        >>> (torque_body * 1e6).round(2).tolist()  # [μN·m]
        [0.0, -2.27, 0.0]
    """

    __slots__ = ("_field",)

    depends_on_rates = False
    _kind_of_member = "part"
    _schema: ClassVar[Schema] = Schema(
        "magnetorquers",
        (
            *reference_fields("body"),
            Field("dipole", Kind.COMMAND, 1, "A·m²", digest=0, meaning="magnetic moment along the axis"),
            Field("axis", Kind.MODEL, 3, "-", "body", digest=1, rule=DIRECTION, rest=(0.0, 0.0, 1.0)),
            Field("field_strength", Kind.MODEL, 1, "T·m³", digest=2),
            Field("field_axis", Kind.MODEL, 3, "-", "world", digest=3),
            Field("field_center", Kind.MODEL, 3, "m", "world", digest=4, world_axes=POINT),
            Field(
                "held_field",
                Kind.STATE,
                3,
                "T",
                "world",
                digest=6,
                meaning="of a user's field, in the tick that was begun last",
            ),
            Field("max_dipole", Kind.MODEL, 1, "A·m²", digest=5, meaning="not read by the formula"),
        ),
    )
    _kind: ClassVar[FieldKind] = MAGNETORQUER

    _place: ClassVar[Place] = Place.SENSOR
    every: ClassVar[int] = 1
    """A field of a user is called in every tick."""

    def __init__(self, body: BodyHandle, *, axis: npt.ArrayLike, max_dipole: float, field: object) -> None:
        super().__init__("Magnetorquer", body, {"axis": axis})
        owner = f"Magnetorquer of {body}"
        largest = real(max_dipole, "max_dipole", owner, above=0.0)
        self._field: object = None
        if isinstance(field, MagneticDipole):
            self._write(_constants(field))
        else:
            flux_density_of(field, owner)
            self._field = field
            self._write({"field_center": np.array(_NOWHERE)})
        self._write({"max_dipole": largest})

    axis = Parameter[FloatArray]("Axis of the coil, body frame, a unit vector, shape (3,).")

    @property
    def dipole(self) -> float:
        """Magnetic moment along the axis [A·m²], at most `max_dipole` in size, initially 0.

        A new value acts from the next tick on. A value set inside `World.on_tick` already acts in the tick that is starting.
        """
        return float(self._value("dipole"))

    @dipole.setter
    def dipole(self, value: float) -> None:
        self._require_bodies("dipole")
        moment, largest = real(value, "dipole", self), self.max_dipole
        if not abs(moment) <= largest:
            refuse(self, "dipole", value, f"between {-largest:g} and {largest:g} A·m²")
        self._write({"dipole": moment})

    @fixed
    def max_dipole(self) -> float:
        """Maximum magnetic moment [A·m²]."""
        return float(self._value("max_dipole"))

    @property
    def field(self) -> object:
        """The magnetic field, as a new `MagneticDipole` with the constants that were copied on assignment, or the user's object.

        A dipole can be replaced by another dipole, and an object by another object.
        """
        if self._field is not None:
            return self._field
        return MagneticDipole(*(self._value(f"field_{name}") for name in ("strength", "axis", "center")))

    @field.setter
    def field(self, value: object) -> None:
        if not isinstance(value, MagneticDipole):
            flux_density_of(value, self)
        if isinstance(value, MagneticDipole) is not (self._field is None):
            rule = (
                "a MagneticDipole" if self._field is None else "an object with at(position, time), like the present one"
            )
            hint = "for the other kind of field, remove the magnetorquer and add another"
            refuse(self, "field", value, rule, TypeError, hint=hint)
        if self._field is None:
            assert isinstance(value, MagneticDipole)
            self._write(_constants(value))
            return
        store = self._table.store
        if store is not None:
            store.before_change(self._table)
            forces = store.world()._forces
            store.record(forces.forget_image)
            store.record(setattr, self, "_field", self._field)
            forces.forget_image()
        self._field = value

    # a user's field is sampled like a sensor

    @property
    def _is_sampled(self) -> bool:
        return self._field is not None

    def _is_on(self) -> bool:
        return bool(self.enabled)

    def _sampler(self) -> Callable[[Host], None]:
        known: object = None
        flux_density = None

        def sample(world: Host) -> None:
            nonlocal known, flux_density
            # looked up anew only if the object was exchanged, because its signature is inspected
            if flux_density is None or known is not self._field:
                known, flux_density = self._field, flux_density_of(self._field, self)
            array, body = world._bodies.array, self.body.index
            x, y, z = array[POSITION : POSITION + 3, body].tolist()
            u, v, w = array[VELOCITY : VELOCITY + 3, body].tolist()
            # halfway through the tick, where a held field is right to the second order
            middle = add_scaled((x, y, z), 0.5 * world._dt, (u, v, w))
            held = flux_density(np.array(middle), world.time + 0.5 * world._dt)
            self._table.write(_HELD, self._slice().start, held)

        return sample

    def coast_obstacle(self) -> str | None:
        return super().coast_obstacle() if self.dipole else None

    def __repr__(self) -> str:
        return f"Magnetorquer({self.body}, max_dipole={self.max_dipole!r}, dipole={self.dipole!r})"


_NOWHERE = (1e150, 0.0, 0.0)
"""The centre of a dipole of no strength, where no body ever is."""
_HELD = Magnetorquer._schema.components["held_field"]


def _constants(field: MagneticDipole) -> dict[str, float | FloatArray]:
    """The constants of a field, in the order of the table."""
    return {
        "field_strength": field.strength,
        "field_axis": np.array(field.axis_world),
        "field_center": np.array(field.center),
    }
