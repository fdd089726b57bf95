"""Resistance to motion: linear and quadratic drag, and damping of rotation."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Iterable
from typing import ClassVar

import numpy.typing as npt

from ..kernels import fields
from ..store.schema import NOT_NEGATIVE, Field, Kind, Schema
from .field_force import FieldForce
from .force import Parameter, reference_fields
from .wrench import BodyHandle


def _schema(name: str, unit: str) -> Schema:
    coefficient = Field("coefficient", Kind.MODEL, 1, unit, digest=0, rule=NOT_NEGATIVE)
    return Schema(name, (*reference_fields("body"), coefficient))


class LinearDrag(FieldForce):
    """F = −c v at the mass centre: slow motion through a viscous fluid.

    Args:
        coefficient: c [N·s/m], at least 0; one number, or one for each of `bodies`.
        bodies: Which bodies feel it; None is all.
    """

    __slots__ = ()

    _schema: ClassVar[Schema] = _schema("linear drags", "N·s/m")
    _kind: ClassVar[fields.FieldKind] = fields.LINEAR_DRAG

    def __init__(self, coefficient: npt.ArrayLike, *, bodies: Iterable[BodyHandle] | None = None) -> None:
        super().__init__("LinearDrag", bodies, {"coefficient": coefficient})

    coefficient = Parameter[float]("c [N·s/m], at least 0; one for each body where it was made so.")

    def __repr__(self) -> str:
        return f"LinearDrag({self.coefficient!r})"


class QuadraticDrag(FieldForce):
    """F = −c |v| v at the mass centre: fast motion through a gas.

    Args:
        coefficient: c = ρ C_d A/2 [N·s²/m²], at least 0; one number, or one for each of `bodies`.
        bodies: Which bodies feel it; None is all.
    """

    __slots__ = ()

    _schema: ClassVar[Schema] = _schema("quadratic drags", "N·s²/m²")
    _kind: ClassVar[fields.FieldKind] = fields.QUADRATIC_DRAG

    def __init__(self, coefficient: npt.ArrayLike, *, bodies: Iterable[BodyHandle] | None = None) -> None:
        super().__init__("QuadraticDrag", bodies, {"coefficient": coefficient})

    coefficient = Parameter[float]("c [N·s²/m²], at least 0; one for each body where it was made so.")

    def __repr__(self) -> str:
        return f"QuadraticDrag({self.coefficient!r})"


class AngularDamping(FieldForce):
    """τ = −c ω: resistance to turning.

    Args:
        coefficient: c [N·m·s], at least 0; one number, or one for each of `bodies`.
        bodies: Which bodies feel it; None is all.
    """

    __slots__ = ()

    _schema: ClassVar[Schema] = _schema("angular dampings", "N·m·s")
    _kind: ClassVar[fields.FieldKind] = fields.ANGULAR_DAMPING

    def __init__(self, coefficient: npt.ArrayLike, *, bodies: Iterable[BodyHandle] | None = None) -> None:
        super().__init__("AngularDamping", bodies, {"coefficient": coefficient})

    coefficient = Parameter[float]("c [N·m·s], at least 0; one for each body where it was made so.")

    def __repr__(self) -> str:
        return f"AngularDamping({self.coefficient!r})"
