"""Resistance to motion: linear and quadratic drag, and damping of rotation."""

from collections.abc import Iterable

from ..checks import real
from ..kernels import fields
from .force import FieldForce
from .wrench import BodyHandle


class LinearDrag(FieldForce):
    """F = −c v at the mass centre: slow motion through a viscous fluid.

    Args:
        coefficient: c [N·s/m], at least 0.
        bodies: Which bodies feel it; None is all.
    """

    __slots__ = ("coefficient",)

    field = staticmethod(fields.linear_drag)

    def __init__(self, coefficient: float, *, bodies: Iterable[BodyHandle] | None = None) -> None:
        self.coefficient = real(coefficient, "coefficient", "LinearDrag", at_least=0.0)
        super().__init__([self.coefficient], bodies)

    def __repr__(self) -> str:
        return f"LinearDrag({self.coefficient!r})"


class QuadraticDrag(FieldForce):
    """F = −c |v| v at the mass centre: fast motion through a gas.

    Args:
        coefficient: c = ρ C_d A/2 [N·s²/m²], at least 0.
        bodies: Which bodies feel it; None is all.
    """

    __slots__ = ("coefficient",)

    field = staticmethod(fields.quadratic_drag)

    def __init__(self, coefficient: float, *, bodies: Iterable[BodyHandle] | None = None) -> None:
        self.coefficient = real(coefficient, "coefficient", "QuadraticDrag", at_least=0.0)
        super().__init__([self.coefficient], bodies)

    def __repr__(self) -> str:
        return f"QuadraticDrag({self.coefficient!r})"


class AngularDamping(FieldForce):
    """τ = −c ω: resistance to turning.

    Args:
        coefficient: c [N·m·s], at least 0.
        bodies: Which bodies feel it; None is all.
    """

    __slots__ = ("coefficient",)

    field = staticmethod(fields.angular_damping)

    def __init__(self, coefficient: float, *, bodies: Iterable[BodyHandle] | None = None) -> None:
        self.coefficient = real(coefficient, "coefficient", "AngularDamping", at_least=0.0)
        super().__init__([self.coefficient], bodies)

    def __repr__(self) -> str:
        return f"AngularDamping({self.coefficient!r})"
