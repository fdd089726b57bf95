"""The magnetic field of a dipole, such as that of the Earth to first order."""

from __future__ import annotations  # help() then shows them as written

from math import nan, sqrt

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, direction, explaining_errors, read_only, real, vector
from ..compilation.compiler import inlined
from ..formulas import VECTOR, Formula, numbers
from ..kernels.selection import choose
from ..kernels.vectors import Vector, add_scaled, dot, scale, subtract


@inlined
def dipole_field(position: Vector, dipole: tuple[float, ...]) -> Vector:
    """``B = k (3 (m·r̂) r̂ − m)/r³`` [T] with r from the centre; dipole = (k [T·m³], m, centre [m]), m a unit vector, world frame."""
    axis = (dipole[1], dipole[2], dipole[3])
    r = subtract(position, (dipole[4], dipole[5], dipole[6]))
    distance_squared = dot(r, r)
    inverse_square = 1.0 / choose(distance_squared > 0.0, distance_squared, nan)
    radial = scale(3.0 * dot(axis, r) * inverse_square, r)
    return scale(dipole[0] * inverse_square * sqrt(inverse_square), add_scaled(radial, -1.0, axis))


_FIELD = Formula(
    "MagneticDipole.at",
    dipole_field,
    {"position": VECTOR, "dipole": numbers(7)},
    (3,),
    rejected=("position",),
    rule="far enough from the centre of the dipole for the field to be finite",
)


@explaining_errors()
class MagneticDipole:
    """The magnetic field of a dipole, ``B = k (3 (m·r̂) r̂ − m)/r³``, at a place r from its centre.

    The dipole of the Earth has 7.71e15 T·m³ (IGRF-13, 2020), and its moment points to the south, 9.4° from the axis of rotation. A dipole
    is immutable, and `flight.Magnetorquer` copies its constants. For a field that rotates with the planet, assign new dipoles to the
    magnetorquer as the planet rotates. `engine.flight` exports the same class.

    Args:
        strength: k [T·m³], which is μ₀/4π times the magnetic moment, above zero.
        axis_world: Direction m of the magnetic moment, world frame, of any non-zero length, shape (3,). Field lines leave the planet at the
            pole to which it points.
        center: Position of the dipole [m], world frame, shape (3,).

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `strength` is not above zero, `axis_world` is zero, or a value is not finite.

    Example:
        >>> from engine import forces
        >>> earth = forces.MagneticDipole(7.71e15, (0.0, 0.0, -1.0))
        >>> (earth.at((6.978e6, 0.0, 0.0)) * 1e6).round(2).tolist()  # [μT], 600 km above the equator, to the north
        [0.0, 0.0, 22.69]
    """

    __slots__ = ("_constants",)

    def __init__(self, strength: float, axis_world: npt.ArrayLike, center: npt.ArrayLike = (0, 0, 0)) -> None:
        owner = "MagneticDipole"
        size = real(strength, "strength", owner, above=0.0)
        parts = direction(axis_world, "axis_world", owner), vector(center, "center", owner)
        self._constants = read_only(np.array([size, *parts[0], *parts[1]]))

    @property
    def strength(self) -> float:
        """Strength k [T·m³]."""
        return float(self._constants[0])

    @property
    def axis_world(self) -> FloatArray:
        """Direction of the magnetic moment, world frame, a unit vector, shape (3,)."""
        return self._constants[1:4]

    @property
    def center(self) -> FloatArray:
        """Position of the dipole [m], world frame, shape (3,)."""
        return self._constants[4:7]

    def at(self, position: npt.ArrayLike) -> FloatArray:
        """Return the magnetic flux density B [T], world frame.

        Args:
            position: Position [m], world frame, shape (..., 3).

        Returns:
            The flux density [T], world frame, of the same shape. A stack gives bit for bit the results of the single positions.

        Raises:
            TypeError: If `position` is not an array of real numbers.
            ValueError: If `position` is not finite, has the wrong shape, or is the centre of the dipole.

        Example:
            >>> from engine import forces
            >>> bar = forces.MagneticDipole(2.0, (0.0, 0.0, 1.0))
            >>> bar.at([(0.0, 0.0, 1.0), (2.0, 0.0, 0.0)]).tolist()
            [[0.0, 0.0, 4.0], [0.0, 0.0, -0.25]]
        """
        return _FIELD(position, self._constants)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MagneticDipole) and self._constants.tolist() == other._constants.tolist()

    def __hash__(self) -> int:
        return hash(tuple(self._constants.tolist()))

    def __reduce__(self) -> tuple[object, ...]:
        return MagneticDipole, (self.strength, self.axis_world.tolist(), self.center.tolist())

    def __repr__(self) -> str:
        return f"MagneticDipole({self.strength!r}, {self.axis_world.tolist()}, center={self.center.tolist()})"
