"""Electromagnetic forces on charged bodies."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Iterable
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray
from ..compilation.compiler import inlined
from ..kernels.rigid_body import BodyAtStage
from ..kernels.vectors import Vector, add, cross, scale
from ..loops.fields import FieldKind, Parameters
from ..store.rows import BodyHandle, Parameter, reference_fields
from ..store.schema import ANY, Field, Kind, Schema
from .field_force import FieldForce
from .wrench import BodyStates


@inlined
def lorentz(body: BodyAtStage, time: float, p: Parameters) -> tuple[Vector, Vector]:
    """``F = q (E + v × B)``; p = (q [C], E [V/m], B [T]), E and B in the world frame."""
    electric = (p[1], p[2], p[3])
    magnetic = (p[4], p[5], p[6])
    return scale(p[0], add(electric, cross(body.velocity, magnetic))), (0.0, 0.0, 0.0)


LORENTZ = FieldKind("lorentz", lorentz, 7, True)


class Lorentz(FieldForce):
    """Lorentz force ``F = q (E + v × B)`` on charged bodies in uniform fields.

    Args:
        charge: Charge q of each body [C]; one number, or one per body in `bodies`.
        electric_field: Electric field E [V/m], world frame, shape (3,), or (k, 3) with one row per body in `bodies`.
        magnetic_field: Magnetic flux density B [T], world frame, shape (3,), or (k, 3) with one row per body in `bodies`.
        bodies: The charged bodies. None means all bodies.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a value is not finite, the number of rows is not that of the bodies, or a body is listed twice or was removed.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=0.01)
        >>> ball = world.add_body(MassProperties.sphere(1.0, 0.5), velocity=(2.0, 0.0, 0.0))
        >>> field = world.add_force(Lorentz(charge=1.0, magnetic_field=(0.0, 0.0, 0.5)))
        >>> force_world, torque_body = world.wrench(ball)
        >>> force_world.tolist()
        [0.0, -1.0, 0.0]
    """

    __slots__ = ()

    _schema: ClassVar[Schema] = Schema(
        "lorentz forces",
        (
            *reference_fields("body", or_nobody="body"),
            Field("charge", Kind.MODEL, 1, "C", digest=0, rule=ANY),
            Field("electric_field", Kind.MODEL, 3, "V/m", "world", digest=1, rule=ANY),
            Field("magnetic_field", Kind.MODEL, 3, "T", "world", digest=2, rule=ANY),
        ),
    )
    _kind: ClassVar[FieldKind] = LORENTZ

    def __init__(
        self,
        charge: npt.ArrayLike,
        *,
        electric_field: npt.ArrayLike = (0, 0, 0),
        magnetic_field: npt.ArrayLike = (0, 0, 0),
        bodies: Iterable[BodyHandle] | None = None,
    ) -> None:
        values = {"charge": charge, "electric_field": electric_field, "magnetic_field": magnetic_field}
        super().__init__("Lorentz", bodies, values)

    charge = Parameter[float]("Charge [C]; one per body if it was created that way.")
    electric_field = Parameter[FloatArray]("Electric field E [V/m], world frame, shape (3,).")
    magnetic_field = Parameter[FloatArray]("Magnetic flux density B [T], world frame, shape (3,).")

    def __repr__(self) -> str:
        electric, magnetic = self.electric_field.tolist(), self.magnetic_field.tolist()
        return f"Lorentz({self.charge!r}, electric_field={electric}, magnetic_field={magnetic})"

    def potential_energy(self, bodies: BodyStates) -> FloatArray:
        """Return the potential energy ``−q E·x`` of each charged body [J], zero at the world's origin, shape (n,).

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.01)
            >>> ball = world.add_body(MassProperties.sphere(1.0, 0.5), position=(3.0, 0.0, 0.0))
            >>> field = world.add_force(Lorentz(charge=2.0, electric_field=(5.0, 0.0, 0.0)))
            >>> world.potential_energy()  # the sum over all bodies and forces
            -30.0
        """
        acting, values = self._acting(bodies)
        energy = np.zeros(bodies.count)
        along = np.einsum("ni,ni->n", bodies.position[acting], values["electric_field"])
        energy[acting] = -values["charge"] * along
        return energy
