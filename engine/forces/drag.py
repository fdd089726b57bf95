"""Linear drag, quadratic drag and angular damping."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Iterable
from math import sqrt
from typing import ClassVar

import numpy.typing as npt

from ..compilation.compiler import inlined
from ..kernels.rigid_body import BodyAtStage
from ..kernels.vectors import Vector, dot, scale
from ..loops.fields import FieldKind, Parameters
from ..store.rows import BodyHandle, Parameter, reference_fields
from ..store.schema import NOT_NEGATIVE, Field, Kind, Schema
from .field_force import FieldForce


@inlined
def linear_drag(body: BodyAtStage, time: float, p: Parameters) -> tuple[Vector, Vector]:
    """``F = −c v``; p = (c [N·s/m],)."""
    return scale(-p[0], body.velocity), (0.0, 0.0, 0.0)


LINEAR_DRAG = FieldKind("linear_drag", linear_drag, 1, True)


@inlined
def quadratic_drag(body: BodyAtStage, time: float, p: Parameters) -> tuple[Vector, Vector]:
    """``F = −c |v| v``; p = (c [N·s²/m²],)."""
    return scale(-p[0] * sqrt(dot(body.velocity, body.velocity)), body.velocity), (0.0, 0.0, 0.0)


QUADRATIC_DRAG = FieldKind("quadratic_drag", quadratic_drag, 1, True)


@inlined
def angular_damping(body: BodyAtStage, time: float, p: Parameters) -> tuple[Vector, Vector]:
    """``τ = −c ω``; p = (c [N·m·s],)."""
    return (0.0, 0.0, 0.0), scale(-p[0], body.angular_velocity_body)


ANGULAR_DAMPING = FieldKind("angular_damping", angular_damping, 1, True)


def _schema(name: str, unit: str) -> Schema:
    coefficient = Field("coefficient", Kind.MODEL, 1, unit, digest=0, rule=NOT_NEGATIVE)
    return Schema(name, (*reference_fields("body", or_nobody="body"), coefficient))


class LinearDrag(FieldForce):
    """Linear drag ``F = −c v`` at the mass centre, for slow motion through a viscous fluid.

    Args:
        coefficient: c [N·s/m], at least 0; one number, or one per body in `bodies`.
        bodies: The bodies it acts on. None means all bodies.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `coefficient` is negative or not finite, or a body is listed twice or was removed.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=0.01)
        >>> ball = world.add_body(MassProperties.sphere(1.0, 0.5), velocity=(2.0, 0.0, 0.0))
        >>> world.add_force(LinearDrag(0.5))
        LinearDrag(0.5)
        >>> world.step(200)
        >>> round(float(ball.velocity[0]), 3)  # 2 exp(−1)
        0.736
    """

    __slots__ = ()

    _schema: ClassVar[Schema] = _schema("linear drags", "N·s/m")
    _kind: ClassVar[FieldKind] = LINEAR_DRAG

    def __init__(self, coefficient: npt.ArrayLike, *, bodies: Iterable[BodyHandle] | None = None) -> None:
        super().__init__("LinearDrag", bodies, {"coefficient": coefficient})

    coefficient = Parameter[float]("c [N·s/m], at least 0; one per body if it was created that way.")

    def __repr__(self) -> str:
        return f"LinearDrag({self.coefficient!r})"


class QuadraticDrag(FieldForce):
    """Quadratic drag ``F = −c |v| v`` at the mass centre, for fast motion through a gas.

    Args:
        coefficient: ``c = ρ C_d A/2`` [N·s²/m²], at least 0; one number, or one per body in `bodies`.
        bodies: The bodies it acts on. None means all bodies.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `coefficient` is negative or not finite, or a body is listed twice or was removed.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=0.01)
        >>> ball = world.add_body(MassProperties.sphere(1.0, 0.5), velocity=(2.0, 0.0, 0.0))
        >>> world.add_force(QuadraticDrag(0.5))
        QuadraticDrag(0.5)
        >>> world.step(100)
        >>> round(float(ball.velocity[0]), 3)  # 2/(1 + 0.5 · 2 · 1)
        1.0
    """

    __slots__ = ()

    _schema: ClassVar[Schema] = _schema("quadratic drags", "N·s²/m²")
    _kind: ClassVar[FieldKind] = QUADRATIC_DRAG

    def __init__(self, coefficient: npt.ArrayLike, *, bodies: Iterable[BodyHandle] | None = None) -> None:
        super().__init__("QuadraticDrag", bodies, {"coefficient": coefficient})

    coefficient = Parameter[float]("c [N·s²/m²], at least 0; one per body if it was created that way.")

    def __repr__(self) -> str:
        return f"QuadraticDrag({self.coefficient!r})"


class AngularDamping(FieldForce):
    """Angular damping ``τ = −c ω``.

    Args:
        coefficient: c [N·m·s], at least 0; one number, or one per body in `bodies`.
        bodies: The bodies it acts on. None means all bodies.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `coefficient` is negative or not finite, or a body is listed twice or was removed.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=0.01)
        >>> ball = world.add_body(MassProperties.sphere(10.0, 0.5), angular_velocity_body=(0.0, 0.0, 2.0))
        >>> world.add_force(AngularDamping(0.5))
        AngularDamping(0.5)
        >>> world.step(200)
        >>> round(float(ball.angular_velocity_body[2]), 3)  # 2 exp(−1)
        0.736
    """

    __slots__ = ()

    _schema: ClassVar[Schema] = _schema("angular dampings", "N·m·s")
    _kind: ClassVar[FieldKind] = ANGULAR_DAMPING

    def __init__(self, coefficient: npt.ArrayLike, *, bodies: Iterable[BodyHandle] | None = None) -> None:
        super().__init__("AngularDamping", bodies, {"coefficient": coefficient})

    coefficient = Parameter[float]("c [N·m·s], at least 0; one per body if it was created that way.")

    def __repr__(self) -> str:
        return f"AngularDamping({self.coefficient!r})"
