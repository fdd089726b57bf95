"""Electromagnetic forces on charged bodies."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Iterable

import numpy.typing as npt

from ..checks import FloatArray, read_only, real, vector
from ..kernels import fields
from .force import FieldForce
from .wrench import BodyHandle, BodyStates


class Lorentz(FieldForce):
    """F = q (E + v × B) on charged bodies in uniform fields.

    Args:
        charge: Charge q of each body [C].
        electric_field: E [V/m], world frame, shape (3,).
        magnetic_field: B [T], world frame, shape (3,).
        bodies: Which bodies are charged; None is all.
    """

    __slots__ = ("charge", "electric_field", "magnetic_field")

    field = staticmethod(fields.lorentz)

    def __init__(
        self,
        charge: float,
        *,
        electric_field: npt.ArrayLike = (0, 0, 0),
        magnetic_field: npt.ArrayLike = (0, 0, 0),
        bodies: Iterable[BodyHandle] | None = None,
    ) -> None:
        self.charge = real(charge, "charge", "Lorentz")
        self.electric_field = read_only(vector(electric_field, "electric_field", "Lorentz"))
        self.magnetic_field = read_only(vector(magnetic_field, "magnetic_field", "Lorentz"))
        super().__init__([self.charge, *self.electric_field, *self.magnetic_field], bodies)

    def __repr__(self) -> str:
        return f"Lorentz({self.charge!r}, electric_field={self.electric_field.tolist()}, magnetic_field={self.magnetic_field.tolist()})"

    def potential_energy(self, bodies: BodyStates) -> FloatArray:
        """−q E·x of each charged body [J], zero at the world's origin, shape (n,)."""
        share = self.shares(bodies.columns)[0, : bodies.columns.count]
        return -self.charge * share * (bodies.position @ self.electric_field)
