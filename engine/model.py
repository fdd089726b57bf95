"""What stays while nothing is changed by hand: mass, inertia, inverses, mass centre."""

import numpy as np

from .checks import FloatArray, read_only, refuse
from .columns import Columns
from .kernels.layout import CENTER_OF_MASS, INERTIA, INVERSE_INERTIA, INVERSE_MASS, MASS
from .mass_properties import MassProperties

_MODEL_ROWS = slice(MASS, INVERSE_INERTIA + 6)
_SIX = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
_UNPACK = ((0, 3, 4), (3, 1, 5), (4, 5, 2))


class Model:
    """The whole world's mass properties as read-only arrays in body order."""

    __slots__ = ("_columns",)

    def __init__(self, columns: Columns) -> None:
        self._columns = columns

    @property
    def mass(self) -> FloatArray:
        """Mass [kg], shape (n,)."""
        return read_only(self._columns.array[MASS, : self._columns.count])

    @property
    def inverse_mass(self) -> FloatArray:
        """One over the mass [1/kg], shape (n,)."""
        return read_only(self._columns.array[INVERSE_MASS, : self._columns.count])

    @property
    def center_of_mass_body(self) -> FloatArray:
        """Where the mass centre lies from the body's origin [m], body frame, shape (n, 3)."""
        return read_only(self._columns.array[CENTER_OF_MASS : CENTER_OF_MASS + 3, : self._columns.count].T)

    @property
    def inertia_body(self) -> FloatArray:
        """Inertia about the mass centre [kg·m²], body frame, shape (n, 3, 3); a copy."""
        return self._tensors(INERTIA)

    @property
    def inverse_inertia_body(self) -> FloatArray:
        """Inverse of the inertia about the mass centre [1/(kg·m²)], body frame, shape (n, 3, 3); a copy."""
        return self._tensors(INVERSE_INERTIA)

    def tensor(self, row: int, column: int) -> FloatArray:
        """The symmetric tensor whose six numbers start at `row`, of one body, shape (3, 3)."""
        return read_only(self._columns.array[row : row + 6, column][np.array(_UNPACK)])

    def _tensors(self, row: int) -> FloatArray:
        six = self._columns.array[row : row + 6, : self._columns.count]
        return read_only(np.moveaxis(six[np.array(_UNPACK)], -1, 0).copy())


def write_mass_properties(array: FloatArray, column: int | slice, mass_properties: MassProperties) -> None:
    """Put mass, inertia and their inverses into columns of the array."""
    values = [mass_properties.mass, mass_properties.inverse_mass, *mass_properties.center_of_mass_body]
    for tensor in (mass_properties.inertia_body, mass_properties.inverse_inertia_body):
        values += [tensor[i, j] for i, j in _SIX]
    array[_MODEL_ROWS, column] = np.array(values) if isinstance(column, int) else np.array(values)[:, np.newaxis]


def check_flyable(mass_properties: MassProperties, owner: str) -> None:
    """Refuse what cannot turn freely in a world: no `MassProperties`, or a tensor without an inverse."""
    if not isinstance(mass_properties, MassProperties):
        refuse(owner, "mass_properties", mass_properties, "a MassProperties", TypeError)
    if mass_properties.is_singular:
        rule = "those of a body that resists turning about every axis (rods and points are parts for MassProperties.compound)"
        refuse(owner, "mass_properties", mass_properties, rule)
