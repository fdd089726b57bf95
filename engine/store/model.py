"""The mass properties of all bodies as whole arrays: mass, mass centre, inertia and inverses."""

import numpy as np

from ..checks import FloatArray, explaining_errors, read_only, refuse, sealed
from ..compilation.compiler import plain
from ..html_table import html_table
from ..kernels.tensors import principal_quaternion
from ..loops.layout import CENTER_OF_MASS, INERTIA, INVERSE_INERTIA, INVERSE_MASS, MASS, PRINCIPAL_AXES
from ..solids.mass_properties import MassProperties
from ..solids.symmetric import MATRIX_OF_SIX
from .bodies import Bodies

MODEL_ROWS = slice(MASS, PRINCIPAL_AXES + 3)
"""The components of a body that hold its mass properties."""
_principal_quaternion = plain(principal_quaternion)
_SIX = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


@explaining_errors()
class Model:
    """The mass properties of all bodies as read-only arrays, one row per body, returned by `World.model`.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=0.01)
        >>> rocks = world.add_bodies([MassProperties.sphere(1.0, 0.5), MassProperties.sphere(2.0, 0.5)])
        >>> world.model.mass.tolist()
        [1.0, 2.0]
    """

    __slots__ = ("_bodies",)

    def __init__(self, bodies: Bodies) -> None:
        self._bodies = bodies

    def __repr__(self) -> str:
        return f"<Model of {self._bodies.count} {'body' if self._bodies.count == 1 else 'bodies'}>"

    def _repr_html_(self) -> str:
        headings = (
            "body",
            "mass [kg]",
            "mass centre, body frame [m]",
            "inertia, body frame [kg·m²]: xx, yy, zz, xy, xz, yz",
        )
        handles = self._bodies.handles
        six = self._bodies.array[INERTIA : INERTIA + 6, : self._bodies.count].T
        rows = (
            (body.name, *values)
            for body, *values in zip(handles, self.mass, self.center_of_mass_body, six, strict=True)
        )
        return html_table(repr(self)[1:-1], headings, rows, self._bodies.count)

    @property
    def mass(self) -> FloatArray:
        """Mass with the propellant of tanks [kg], shape (n,)."""
        return sealed(self._bodies.array[MASS, : self._bodies.count])

    @property
    def inverse_mass(self) -> FloatArray:
        """One over the mass [1/kg], shape (n,)."""
        return sealed(self._bodies.array[INVERSE_MASS, : self._bodies.count])

    @property
    def center_of_mass_body(self) -> FloatArray:
        """Mass centre from the body's origin [m], body frame, shape (n, 3)."""
        return sealed(self._bodies.array[CENTER_OF_MASS : CENTER_OF_MASS + 3, : self._bodies.count].T)

    @property
    def inertia_body(self) -> FloatArray:
        """Inertia about the mass centre in the equation of motion [kg·m²], body frame, shape (n, 3, 3); a copy.

        It excludes the moments of reaction wheels about their axes.
        """
        return self._tensors(INERTIA)

    @property
    def inverse_inertia_body(self) -> FloatArray:
        """Inverse of the inertia about the mass centre [1/(kg·m²)], body frame, shape (n, 3, 3); a copy."""
        return self._tensors(INVERSE_INERTIA)

    def _tensor(self, row: int, column: int) -> FloatArray:
        """The symmetric tensor of one body whose six components start at `row`, shape (3, 3)."""
        return read_only(self._bodies.array[row : row + 6, column][MATRIX_OF_SIX])

    def _tensors(self, row: int) -> FloatArray:
        six = self._bodies.array[row : row + 6, : self._bodies.count]
        return read_only(np.moveaxis(six[MATRIX_OF_SIX], -1, 0).copy())


def mass_property_rows(mass_properties: MassProperties) -> FloatArray:
    """Mass, inertia, their inverses and the principal axes, in the order of a body's components."""
    values = [mass_properties.mass, mass_properties.inverse_mass, *mass_properties.center_of_mass_body]
    for tensor in (mass_properties.inertia_body, mass_properties.inverse_inertia_body):
        values += [tensor[i, j] for i, j in _SIX]
    moments, axes = mass_properties.principal()
    first, second, third = axes.T.tolist()
    return np.array([*values, *moments, *_principal_quaternion(first, second, third)])


def check_flyable(mass_properties: MassProperties, owner: object, argument: str = "mass_properties") -> None:
    """Reject what cannot rotate freely in a world: anything but a `MassProperties`, or a singular tensor."""
    if not isinstance(mass_properties, MassProperties):
        refuse(owner, argument, mass_properties, "a MassProperties", TypeError)
    if mass_properties.is_singular:
        rule = (
            "those of a body with inertia about every axis, so that the tensor has an inverse "
            "(rods and points can be parts of MassProperties.compound)"
        )
        refuse(owner, argument, mass_properties, rule)
