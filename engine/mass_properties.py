"""Mass, mass centre and inertia of a rigid body: solids, points, meshes, composites, and what makes them physical.

Nothing here calls a library's linear algebra, sine or unordered sum. The results feed the step, and those differ in the
last bits from one processor to the next; additions, products, quotients and square roots do not.
"""

from __future__ import annotations  # help() then shows them as written

import math
from collections.abc import Iterable
from typing import Any, Self, final

import numpy as np
import numpy.typing as npt

from . import polyhedron, symmetric
from .checks import FloatArray, array, is_row, read_only, real, refuse, unit_quaternion, vector
from .kernels.vectors import Symmetric, Vector

SYMMETRY_TOLERANCE = 1e-12
"""How far mirrored elements of an inertia tensor may differ, relative to its largest element."""
TRIANGLE_TOLERANCE = 1e-9
"""How far the largest principal moment may exceed the sum of the others, relative to itself.

Not zero, because valid flat bodies break the rule by rounding."""
SINGULAR_TOLERANCE = 1e-12
"""A principal moment up to this part of the largest counts as zero."""

Maybe = float | None
"""A number, or None where another argument stands in its place."""

_SPHERE = 4.0 / 3.0 * math.pi  # volume over radius cubed
_SQUARE_ROOT_OF_FIVE = math.sqrt(5.0)


@final
class MassProperties:
    """Mass, mass centre and inertia of a rigid body. Cannot be changed; equal when all numbers are equal.

    Made from numbers, or by one of

    | | what | origin and axes of the body |
    | --- | --- | --- |
    | `box`, `sphere`, `ellipsoid`, `cylinder`, `capsule`, `cone` | uniform solids | mass centre; axis along z |
    | `hollow_sphere` | thin shell | mass centre |
    | `rod`, `point_mass` | parts for `compound`, singular | mass centre; axis along z |
    | `from_points`, `from_mesh` | point masses, uniform solid | those of the points given |
    | `compound`, `moved` | parts joined, one part moved | those in which the parts are placed |
    """

    __slots__ = ("_axes", "_center_of_mass", "_inertia", "_inverse_inertia", "_mass", "_moments", "_tensor")

    _mass: float
    _center_of_mass: FloatArray
    _tensor: Symmetric
    _inertia: FloatArray
    _inverse_inertia: FloatArray | None
    _moments: Vector
    _axes: FloatArray

    def __init__(
        self,
        mass: float,
        inertia_body: npt.ArrayLike,
        center_of_mass_body: npt.ArrayLike = (0.0, 0.0, 0.0),
        *,
        physical: bool = True,
    ) -> None:
        """Take numbers as they are.

        Args:
            mass: Mass [kg], above 0, with a finite inverse.
            inertia_body: Inertia about the mass centre [kg·m²], body axes: principal moments along x, y, z, shape (3,),
                or a tensor, shape (3, 3), whose mirrored elements agree within 1e-12 of the largest element (their mean
                is kept).
            center_of_mass_body: Mass centre from the body's origin [m], body axes, shape (3,).
            physical: False lets a tensor through that no body has, as some textbook examples of Euler's equations need.

        Raises:
            TypeError: Something is not real numbers, or `physical` is not a bool.
            ValueError: Not finite, a mass not above 0, a tensor that is not symmetric or has a negative principal
                moment, or, unless `physical` is False, one principal moment above the sum of the others by more than
                1e-9 of itself.
        """
        owner = "MassProperties"
        if not isinstance(physical, bool | np.bool_):
            refuse(owner, "physical", physical, "True or False", TypeError)
        tensor = _read_tensor(inertia_body, owner)
        self._fill(owner, mass, tensor, vector(center_of_mass_body, "center_of_mass_body", owner).tolist())
        self._refuse_negative(owner)
        if physical and not _is_physical(self._moments):
            first, second, third = self._moments
            rule = (
                f"a tensor that a body can have, each principal moment at most the sum of the other two; {third!r} is "
                f"above {first!r} + {second!r} by more than {TRIANGLE_TOLERANCE:g} of itself (physical=False lets it "
                "through)"
            )
            refuse(owner, "inertia_body", self._inertia.tolist(), rule)

    @classmethod
    def _made(
        cls, owner: str, mass: float, tensor: Symmetric, center_of_mass: Iterable[float] = (0.0, 0.0, 0.0)
    ) -> Self:
        """From numbers that are physical by construction, or as physical as the parts they were made from.

        They are not held to the triangle rule again: rounding would refuse a valid flat body after a turn or two.
        """
        made = object.__new__(cls)
        made._fill(owner, mass, tensor, center_of_mass)
        return made

    def _fill(self, owner: str, mass: float, tensor: Symmetric, center_of_mass: Iterable[float]) -> None:
        self._mass = _checked_mass(mass, "mass", owner)
        self._tensor = symmetric.without_negative_zero(tensor)
        self._inertia = read_only(symmetric.matrix(self._tensor))
        symmetric.refuse_unless_finite(self._tensor, "inertia_body", self._inertia, owner)
        self._center_of_mass = read_only(np.array([value + 0.0 for value in center_of_mass]))
        symmetric.refuse_unless_finite(
            self._center_of_mass.tolist(), "center_of_mass_body", self._center_of_mass, owner
        )
        self._moments, axes = symmetric.principal(self._tensor)
        symmetric.refuse_unless_finite(self._moments, "inertia_body's principal moments", self._moments, owner)
        self._axes = read_only(np.array(axes).T.copy())
        self._inverse_inertia = None
        if self._moments[0] > SINGULAR_TOLERANCE * self._moments[2]:
            inverse = symmetric.inverse(self._tensor)
            if all(map(math.isfinite, inverse)):
                self._inverse_inertia = read_only(symmetric.matrix(inverse))

    def _refuse_negative(self, owner: str) -> None:
        # Moments along the body's own axes are exact; those of a turned rod may come out below zero by rounding.
        allowance = 0.0 if symmetric.is_diagonal(self._tensor) else SINGULAR_TOLERANCE * max(map(abs, self._moments))
        if self._moments[0] < -allowance:
            rule = f"without a negative principal moment (moments {self._moments})"
            refuse(owner, "inertia_body", self._inertia.tolist(), rule)

    # -- what it holds --

    @property
    def mass(self) -> float:
        """Mass [kg]."""
        return self._mass

    @property
    def inverse_mass(self) -> float:
        """1/mass [1/kg]."""
        return 1.0 / self._mass

    @property
    def center_of_mass_body(self) -> FloatArray:
        """Mass centre from the body's origin [m], body axes, shape (3,), read-only."""
        return self._center_of_mass

    @property
    def inertia_body(self) -> FloatArray:
        """Inertia tensor about the mass centre [kg·m²], body axes, shape (3, 3), exactly symmetric, read-only."""
        return self._inertia

    @property
    def is_singular(self) -> bool:
        """Whether the inertia has no usable inverse, as that of points on a line.

        True where the smallest principal moment is at most 1e-12 of the largest, or so small that the inverse is beyond
        float64.
        """
        return self._inverse_inertia is None

    @property
    def inverse_inertia_body(self) -> FloatArray:
        """Inverse of the inertia tensor [1/(kg·m²)], body axes, shape (3, 3), exactly symmetric, read-only.

        Raises:
            ValueError: The tensor is singular.

        Error: about eps times the largest principal moment over the smallest, relative to the largest element; of a
            diagonal tensor each element is 1/moment, rounded once.
        """
        if self._inverse_inertia is None:
            rule = f"invertible, the least of its moments {self._moments} above {SINGULAR_TOLERANCE:g} of the largest"
            refuse("MassProperties", "inertia_body", self._inertia.tolist(), rule)
        return self._inverse_inertia

    def principal(self) -> tuple[FloatArray, FloatArray]:
        """Principal moments and axes.

        Returns:
            Moments about the mass centre [kg·m²], ascending, shape (3,), and their axes as the columns of a
            right-handed rotation matrix, body axes, shape (3, 3): `inertia_body` is axes · diag(moments) · axesᵀ. Both
            read-only. Where moments are equal the axes are any that fit; those of a diagonal tensor are the body's own.

        Error: moments within 4 eps of the largest, axes · diag(moments) · axesᵀ and axesᵀ · axes within 8 eps, equal and
            nearly equal moments included (measured 1.7, 5 and 6 eps; 2000 tensors against 60 digits). A moment that is
            negative by rounding is given as 0.
        """
        return read_only(np.array([max(0.0, moment) for moment in self._moments])), self._axes

    def equivalent_ellipsoid(self) -> FloatArray:
        """Semi-axes of the uniform ellipsoid that has this mass and these moments.

        Returns:
            Semi-axes [m], shape (3,): along the body's x, y, z where the tensor is diagonal (within 1e-12 of its largest
            element), else along the columns of `principal()`'s axes, so that the longest comes first. A flat body has a
            semi-axis of 0.

        Raises:
            ValueError: No body has this tensor (it was made with physical=False).

        Source: the ellipsoid's moments, I_x = m (b² + c²)/5, solved for a² = 5 (I_y + I_z − I_x)/(2m).
        """
        if not _is_physical(self._moments):
            rule = f"a tensor that a body can have, none of its moments {self._moments} above the sum of the other two"
            refuse("MassProperties.equivalent_ellipsoid", "inertia_body", self._inertia.tolist(), rule)
        x, y, z = self._tensor[:3] if symmetric.is_diagonal(self._tensor, SYMMETRY_TOLERANCE) else self._moments
        # Half of each moment, so that the sum cannot overflow; root by root, so that the quotient cannot.
        halves = (0.5 * y - 0.5 * x + 0.5 * z, 0.5 * z - 0.5 * y + 0.5 * x, 0.5 * x - 0.5 * z + 0.5 * y)
        root_of_mass = math.sqrt(self._mass)
        return read_only(
            np.array([_SQUARE_ROOT_OF_FIVE * (math.sqrt(max(0.0, half)) / root_of_mass) for half in halves])
        )

    def __eq__(self, other: object) -> bool:
        return self._values() == other._values() if isinstance(other, MassProperties) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        inertia = list(self._tensor[:3]) if symmetric.is_diagonal(self._tensor) else self._inertia.tolist()
        center = f", center_of_mass_body={self._center_of_mass.tolist()}" if self._center_of_mass.any() else ""
        physical = "" if _is_physical(self._moments) else ", physical=False"
        return f"MassProperties(mass={self._mass!r}, inertia_body={inertia}{center}{physical})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles are made from the numbers again, because numpy's own copies of an array are writable."""
        return MassProperties._made, ("MassProperties", *self._values())

    def _values(self) -> tuple[float, Symmetric, tuple[float, ...]]:
        return self._mass, self._tensor, tuple(self._center_of_mass.tolist())

    # -- uniform solids --

    @classmethod
    def box(cls, mass: Maybe = None, size: npt.ArrayLike | None = None, *, density: Maybe = None) -> Self:
        """Uniform box.

        Args:
            mass: Mass [kg], or `density` in its place.
            size: Full edge lengths along x, y, z [m], each above 0, shape (3,).
            density: Density [kg/m³].
        """
        owner = "MassProperties.box"
        x, y, z = _lengths(size, "size", owner)
        mass = _given_mass(mass, density, x * y * z, owner)
        return cls._made(owner, mass, symmetric.from_spread(mass, (x * x, y * y, z * z), 12.0))

    @classmethod
    def ellipsoid(cls, mass: Maybe = None, semi_axes: npt.ArrayLike | None = None, *, density: Maybe = None) -> Self:
        """Uniform ellipsoid.

        Args:
            mass: Mass [kg], or `density` in its place.
            semi_axes: Half of the lengths along x, y, z [m], each above 0, shape (3,).
            density: Density [kg/m³].
        """
        owner = "MassProperties.ellipsoid"
        a, b, c = _lengths(semi_axes, "semi_axes", owner)
        mass = _given_mass(mass, density, _SPHERE * a * b * c, owner)
        return cls._made(owner, mass, symmetric.from_spread(mass, (a * a, b * b, c * c), 5.0))

    @classmethod
    def sphere(cls, mass: Maybe = None, radius: Maybe = None, *, density: Maybe = None) -> Self:
        """Uniform ball.

        Args:
            mass: Mass [kg], or `density` in its place.
            radius: Radius [m], above 0.
            density: Density [kg/m³].
        """
        owner = "MassProperties.sphere"
        r = real(radius, "radius", owner, above=0.0)
        mass = _given_mass(mass, density, _SPHERE * r * r * r, owner)
        return cls._made(owner, mass, symmetric.from_spread(mass, (r * r,) * 3, 5.0))

    @classmethod
    def hollow_sphere(cls, mass: float, radius: float) -> Self:
        """Thin spherical shell. It has no volume and so takes no density.

        Args:
            mass: Mass [kg].
            radius: Radius [m], above 0.
        """
        owner = "MassProperties.hollow_sphere"
        r = real(radius, "radius", owner, above=0.0)
        mass = _checked_mass(mass, "mass", owner)
        return cls._made(owner, mass, symmetric.from_spread(mass, (r * r,) * 3, 3.0))

    @classmethod
    def cylinder(cls, mass: Maybe = None, radius: Maybe = None, height: Maybe = None, *, density: Maybe = None) -> Self:
        """Uniform cylinder about the z axis.

        Args:
            mass: Mass [kg], or `density` in its place.
            radius: Radius [m], above 0.
            height: Full length along z [m], above 0.
            density: Density [kg/m³].
        """
        owner = "MassProperties.cylinder"
        r = real(radius, "radius", owner, above=0.0)
        h = real(height, "height", owner, above=0.0)
        mass = _given_mass(mass, density, math.pi * r * r * h, owner)
        return cls._made(owner, mass, symmetric.from_spread(mass, (3.0 * r * r, 3.0 * r * r, h * h), 12.0))

    @classmethod
    def capsule(cls, mass: Maybe = None, radius: Maybe = None, height: Maybe = None, *, density: Maybe = None) -> Self:
        """Uniform cylinder about the z axis with half a ball on each end.

        Args:
            mass: Mass [kg], or `density` in its place.
            radius: Radius of cylinder and balls [m], above 0.
            height: Length of the cylindrical part along z [m], at least 0 (a ball); the whole is two radii longer.
            density: Density [kg/m³].

        Source: cylinder and two half balls whose mass centres lie 3/8 of the radius beyond its ends.
        """
        owner = "MassProperties.capsule"
        r = real(radius, "radius", owner, above=0.0)
        h = real(height, "height", owner, at_least=0.0)
        mass = _given_mass(mass, density, math.pi * r * r * h + _SPHERE * r * r * r, owner)
        # Shares of the volume; dividing by the longer of both keeps extreme sizes within float64.
        longer = max(h, r)
        balls = 4.0 / 3.0 * (r / longer)
        balls /= balls + h / longer
        across = (1.0 - balls) * (r * r / 4.0) + balls * (r * r / 5.0)
        along = (1.0 - balls) * (h * h / 12.0) + balls * (r * r / 5.0 + h * h / 4.0 + 3.0 / 8.0 * h * r)
        return cls._made(owner, mass, symmetric.from_spread(mass, (across, across, along)))

    @classmethod
    def cone(cls, mass: Maybe = None, radius: Maybe = None, height: Maybe = None, *, density: Maybe = None) -> Self:
        """Uniform cone about the z axis, apex towards +z; the mass centre is a quarter of the height above the base.

        Args:
            mass: Mass [kg], or `density` in its place.
            radius: Radius of the base [m], above 0.
            height: Full length along z [m], above 0.
            density: Density [kg/m³].
        """
        owner = "MassProperties.cone"
        r = real(radius, "radius", owner, above=0.0)
        h = real(height, "height", owner, above=0.0)
        mass = _given_mass(mass, density, math.pi / 3.0 * r * r * h, owner)
        return cls._made(owner, mass, symmetric.from_spread(mass, (4.0 * r * r, 4.0 * r * r, h * h), 80.0 / 3.0))

    @classmethod
    def rod(cls, mass: float, length: float) -> Self:
        """Thin uniform rod along z. Its inertia is singular: a part for `compound`.

        Args:
            mass: Mass [kg].
            length: Full length [m], above 0.
        """
        owner = "MassProperties.rod"
        h = real(length, "length", owner, above=0.0)
        mass = _checked_mass(mass, "mass", owner)
        return cls._made(owner, mass, symmetric.from_spread(mass, (0.0, 0.0, h * h), 12.0))

    @classmethod
    def point_mass(cls, mass: float) -> Self:
        """All mass [kg] at the origin. The inertia is zero, hence singular: a part for `compound`."""
        return cls._made("MassProperties.point_mass", mass, (0.0,) * 6)

    # -- points, meshes, composites --

    @classmethod
    def from_points(cls, masses: npt.ArrayLike, positions: npt.ArrayLike) -> Self:
        """Rigidly joined point masses. Points on one line have a singular inertia: a part for `compound`.

        Args:
            masses: Masses [kg], each above 0, shape (n,).
            positions: Positions [m], body axes, from the body's origin, shape (n, 3).
        """
        owner = "MassProperties.from_points"
        weights = array(masses, "masses", owner, (None,))
        if (weights <= 0.0).any():
            refuse(owner, "masses", masses, "finite real numbers above 0")
        points = array(positions, "positions", owner, (len(weights), 3))
        mass, center, spread = symmetric.gathered(weights, points, "positions", owner)
        return cls._made(owner, mass, symmetric.from_spread(mass, spread), center)

    @classmethod
    def from_mesh(
        cls, vertices: npt.ArrayLike, faces: npt.ArrayLike, *, density: Maybe = None, mass: Maybe = None
    ) -> Self:
        """Uniform solid bounded by a closed triangle mesh, exact for the polyhedron.

        Args:
            vertices: Points [m], body axes, from the body's origin, shape (n, 3).
            faces: Indices of three vertices a face, counter-clockwise seen from outside the material, shape (m, 3).
                Separate pieces and the walls of cavities are allowed.
            density: Density [kg/m³], or `mass` in its place.
            mass: Mass [kg].

        Raises:
            ValueError: The faces are not a closed surface wound outwards around some volume; the text says where.
            TypeError: The indices are not whole numbers.
        """
        owner = "MassProperties.from_mesh"
        volume, center, spread = polyhedron.integrals(vertices, faces, owner)
        mass = _given_mass(mass, density, volume, owner)
        return cls._made(owner, mass, symmetric.from_spread(mass, spread), center)

    @classmethod
    def compound(cls, parts: Iterable[tuple[MassProperties, npt.ArrayLike, npt.ArrayLike]]) -> Self:
        """Parts joined rigidly into one body.

        Args:
            parts: One (part, position, orientation) each: where the part's origin goes [m], axes of the whole, shape
                (3,), and the unit quaternion, scalar-last (x, y, z, w), from the part's axes to those of the whole,
                shape (4,).

        Raises:
            TypeError, ValueError: No parts, or one that is not such a triple.

        Source: each part's tensor R I Rᵀ about its own mass centre, and Steiner's rule to the common one.
        """
        return cls._joined(parts, "MassProperties.compound")

    def moved(self, position: npt.ArrayLike, orientation: npt.ArrayLike) -> Self:
        """The same body seen from other axes and another origin.

        Args:
            position: Where this body's origin goes [m], in the new axes, shape (3,).
            orientation: Unit quaternion, scalar-last (x, y, z, w), from this body's axes to the new ones, shape (4,).
        """
        return self._joined([(self, position, orientation)], "MassProperties.moved")

    @classmethod
    def _joined(cls, parts: Iterable[tuple[MassProperties, npt.ArrayLike, npt.ArrayLike]], owner: str) -> Self:
        masses, centers = [], []
        own = [0.0] * 6
        for part, position, rotation in _read_parts(parts, owner):
            offset = symmetric.turned_vector(rotation, part._center_of_mass.tolist())
            masses.append(part._mass)
            centers.append([at + shift for at, shift in zip(position, offset, strict=True)])
            own = [
                so_far + more for so_far, more in zip(own, symmetric.turned_tensor(rotation, part._tensor), strict=True)
            ]
        mass, center, spread = symmetric.gathered(np.array(masses), np.array(centers), "parts", owner)
        of_centers = symmetric.from_spread(mass, spread)
        xx, yy, zz, xy, xz, yz = (one + other for one, other in zip(own, of_centers, strict=True))
        return cls._made(owner, mass, (xx, yy, zz, xy, xz, yz), center)


# -- reading arguments --


def _checked_mass(value: Any, argument: str, owner: str) -> float:
    mass = real(value, argument, owner, above=0.0)
    if math.isinf(1.0 / mass):
        refuse(owner, argument, value, "large enough to have a finite inverse")
    return mass


def _given_mass(mass: Any, density: Any, volume: float, owner: str) -> float:
    if (mass is None) == (density is None):
        refuse(owner, "mass, density", (mass, density), "given one in place of the other: not both, not neither")
    if density is None:
        return _checked_mass(mass, "mass", owner)
    return _checked_mass(real(density, "density", owner, above=0.0) * volume, "density × volume", owner)


def _lengths(value: Any, argument: str, owner: str) -> list[float]:
    lengths = vector(value, argument, owner)
    if (lengths <= 0.0).any():
        refuse(owner, argument, value, "3 finite real numbers above 0")
    return lengths.tolist()


def _read_tensor(value: Any, owner: str) -> Symmetric:
    is_matrix = value.ndim > 1 if isinstance(value, np.ndarray) else is_row(value) and any(map(is_row, value))
    if not is_matrix:
        x, y, z = vector(value, "inertia_body", owner).tolist()
        return x, y, z, 0.0, 0.0, 0.0
    given = array(value, "inertia_body", owner, (3, 3))
    largest = float(np.abs(given).max())
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = given.tolist()
    if max(abs(xy - yx), abs(xz - zx), abs(yz - zy)) > SYMMETRY_TOLERANCE * largest:
        refuse(owner, "inertia_body", given.tolist(), f"symmetric within {SYMMETRY_TOLERANCE:g} of its largest element")
    # Half of the difference rather than of the sum, which could overflow.
    return xx, yy, zz, xy + 0.5 * (yx - xy), xz + 0.5 * (zx - xz), yz + 0.5 * (zy - yz)


def _read_parts(parts: Any, owner: str) -> list[tuple[MassProperties, list[float], list[Vector]]]:
    """Part, position of its origin, and the three images of its axes."""
    rule = "a sequence of (MassProperties, position, orientation)"
    if not isinstance(parts, Iterable):
        refuse(owner, "parts", parts, rule, TypeError)
    result = []
    for number, entry in enumerate(parts):
        if not isinstance(entry, tuple | list) or len(entry) != 3 or not isinstance(entry[0], MassProperties):
            refuse(owner, f"parts[{number}]", entry, "(MassProperties, position, orientation)", TypeError)
        # A single moved body has no number.
        which = f"parts[{number}] " if owner == "MassProperties.compound" else ""
        position = vector(entry[1], f"{which}position", owner).tolist()
        x, y, z, w = unit_quaternion(entry[2], f"{which}orientation", owner).tolist()
        result.append((entry[0], position, symmetric.turned_axes((x, y, z, w))))
    if not result:
        refuse(owner, "parts", result, f"{rule} with at least one part")
    return result


def _is_physical(moments: Vector) -> bool:
    """Whether ascending principal moments keep I1 + I2 ≥ I3; the difference is twice the sum of m z² over the body."""
    return (moments[2] - moments[1]) - moments[0] <= TRIANGLE_TOLERANCE * moments[2]
