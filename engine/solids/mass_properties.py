"""Mass, mass centre and inertia of rigid bodies, from numbers, uniform solids, points, meshes and composites.

This module calls no linear algebra, sine or unordered sum of a library, because their last bits differ between processors and the results
enter the simulation. Additions, products, quotients and square roots give the same bits everywhere.
"""

from __future__ import annotations  # help() then shows them as written

import math
import os
from collections.abc import Iterable
from typing import Self, final

import numpy as np
import numpy.typing as npt

from ..checks import (
    FloatArray,
    array,
    beyond_range_allowed,
    by_value,
    explaining_errors,
    is_row,
    members,
    read_only,
    real,
    refuse,
    unit_quaternion,
    vector,
)
from ..kernels.vectors import Symmetric, Vector
from . import polyhedron, shell, symmetric
from .mesh_files import read_mesh

SYMMETRY_TOLERANCE = 1e-12
"""How far mirrored elements of an inertia tensor may differ, relative to its largest element."""
TRIANGLE_TOLERANCE = 1e-9
"""How far the largest principal moment may exceed the sum of the others, relative to itself.

Not zero, because rounding makes valid flat bodies exceed the sum."""
SINGULAR_TOLERANCE = 1e-12
"""A principal moment of at most this fraction of the largest counts as zero."""

Maybe = float | None
"""A number, or None if another argument is given instead."""

_SPHERE = 4.0 / 3.0 * math.pi  # volume over radius cubed
_SQUARE_ROOT_OF_FIVE = math.sqrt(5.0)


@explaining_errors()
@final
class MassProperties:
    """Mass, mass centre and inertia of a rigid body.

    Objects are immutable, and equal if all their numbers are equal. Create one from numbers, or by one of the methods below. All of them
    raise `TypeError` for an argument of the wrong type, and `ValueError` for one that is not finite or out of range.

    | method | creates | origin and axes of the body |
    | --- | --- | --- |
    | `box`, `sphere`, `ellipsoid`, `cylinder`, `capsule`, `cone` | uniform solid | mass centre; axis along z |
    | `hollow_sphere` | thin shell | mass centre |
    | `rod`, `point_mass` | singular part for `compound` | mass centre; axis along z |
    | `from_points` | point masses | those of the given points |
    | `from_mesh`, `from_file` | uniform solid, or thin shell | those of the given points |
    | `compound`, `moved` | joined parts; one part moved | those in which the parts are placed |

    Example:
        >>> MassProperties(1200.0, (400.0, 2000.0, 2000.0)).inverse_inertia_body.diagonal().tolist()
        [0.0025, 0.0005, 0.0005]
        >>> MassProperties.box(1200.0, (2.0, 2.0, 4.0))
        MassProperties(mass=1200.0, inertia_body=[2000.0, 2000.0, 800.0])
    """

    __slots__ = ("_axes", "_center_of_mass", "_inertia", "_inverse_inertia", "_mass", "_merged", "_moments", "_tensor")

    _mass: float
    _center_of_mass: FloatArray
    _tensor: Symmetric
    _inertia: FloatArray
    _inverse_inertia: FloatArray | None
    _moments: Vector
    _axes: FloatArray
    _merged: int

    def __init__(
        self,
        mass: float,
        inertia_body: npt.ArrayLike,
        center_of_mass_body: npt.ArrayLike = (0.0, 0.0, 0.0),
        *,
        physical: bool = True,
    ) -> None:
        """Create mass properties from numbers.

        Args:
            mass: Mass [kg], above 0, with a finite inverse.
            inertia_body: Inertia about the mass centre [kg·m²], body frame. Either the principal moments along x, y, z, shape (3,), or a
                tensor, shape (3, 3), whose mirrored elements agree within 1e-12 of the largest element (their mean is used).
            center_of_mass_body: Mass centre from the body's origin [m], body frame, shape (3,).
            physical: Whether to reject a tensor that no real body can have. Some textbook examples of Euler's equations need False.

        Raises:
            TypeError: If a value is not a real number, or `physical` is not a bool.
            ValueError: If a value is not finite, `mass` is not above 0, the tensor is not symmetric or has a negative principal moment, or,
                unless `physical` is False, one principal moment exceeds the sum of the others by more than 1e-9 of itself.
        """
        owner = "MassProperties"
        if not isinstance(physical, bool | np.bool_):
            refuse(owner, "physical", physical, "True or False", TypeError)
        tensor = _read_tensor(inertia_body, owner)
        self._fill(owner, mass, tensor, vector(center_of_mass_body, "center_of_mass_body", owner).tolist())
        self._refuse_negative(owner)
        if physical and not _is_physical(self._moments):
            first, second, third = self._moments
            rule = "physically possible, with each principal moment at most the sum of the other two"
            hint = (
                f"{third!r} exceeds {first!r} + {second!r} by more than {TRIANGLE_TOLERANCE:g} of itself; pass "
                "physical=False to allow it"
            )
            refuse(owner, "inertia_body", self._inertia.tolist(), rule, hint=hint)

    @classmethod
    def _made(
        cls, owner: str, mass: float, tensor: Symmetric, center_of_mass: Iterable[float] = (0.0, 0.0, 0.0)
    ) -> Self:
        """Create from numbers that are physical by construction, or as physical as the parts that they come from.

        The triangle rule is not checked again, because rounding would reject a valid flat body after one or two rotations.
        """
        made = object.__new__(cls)
        made._fill(owner, mass, tensor, center_of_mass)
        return made

    def _fill(self, owner: str, mass: float, tensor: Symmetric, center_of_mass: Iterable[float]) -> None:
        self._merged = 0
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
        # Moments along the body's own axes are exact; those of a rotated rod may be below zero by rounding.
        allowance = 0.0 if symmetric.is_diagonal(self._tensor) else SINGULAR_TOLERANCE * max(map(abs, self._moments))
        if self._moments[0] < -allowance:
            rule = f"without a negative principal moment (moments {self._moments})"
            refuse(owner, "inertia_body", self._inertia.tolist(), rule)

    # -- the properties --

    @property
    def mass(self) -> float:
        """Mass [kg]."""
        return self._mass

    @property
    def inverse_mass(self) -> float:
        """One over the mass [1/kg]."""
        return 1.0 / self._mass

    @property
    def center_of_mass_body(self) -> FloatArray:
        """Mass centre from the body's origin [m], body frame, shape (3,), read-only."""
        return self._center_of_mass

    @property
    def inertia_body(self) -> FloatArray:
        """Inertia tensor about the mass centre [kg·m²], body frame, shape (3, 3), exactly symmetric, read-only."""
        return self._inertia

    @property
    def is_singular(self) -> bool:
        """Whether the inertia has no usable inverse, as for points on one line.

        It is true if the smallest principal moment is at most 1e-12 of the largest, or so small that the inverse overflows.
        """
        return self._inverse_inertia is None

    @property
    def inverse_inertia_body(self) -> FloatArray:
        """Inverse of the inertia tensor [1/(kg·m²)], body frame, shape (3, 3), exactly symmetric, read-only.

        Raises:
            ValueError: If the tensor is singular.

        Error: about eps times the largest principal moment over the smallest, relative to the largest element. For a
            diagonal tensor each element is 1/moment, rounded once.
        """
        if self._inverse_inertia is None:
            rule = f"invertible, with the smallest of its moments {self._moments} above {SINGULAR_TOLERANCE:g} of the largest"
            refuse("MassProperties", "inertia_body", self._inertia.tolist(), rule)
        return self._inverse_inertia

    def principal(self) -> tuple[FloatArray, FloatArray]:
        """Return the principal moments and axes.

        Returns:
            The moments about the mass centre [kg·m²], ascending, shape (3,), and their axes as the columns of a right-handed rotation
            matrix, body frame, shape (3, 3), so that `inertia_body` is ``axes · diag(moments) · axesᵀ``. Both arrays are read-only. If
            moments are equal, the choice of axes is arbitrary; the axes of a diagonal tensor are those of the body.

        Error: the moments are within 4 eps of the largest; ``axes · diag(moments) · axesᵀ`` and ``axesᵀ · axes`` are within 8 eps, also
            for equal and nearly equal moments (measured 1.7, 5 and 6 eps; 2000 tensors against 60 digits). A moment that
            is negative by rounding is returned as 0.

        Example:
            >>> moments, axes = MassProperties(1.0, (3.0, 1.0, 2.5)).principal()
            >>> moments.tolist()
            [1.0, 2.5, 3.0]
        """
        return read_only(np.array([max(0.0, moment) for moment in self._moments])), self._axes

    def equivalent_ellipsoid(self) -> FloatArray:
        """Return the semi-axes of the uniform ellipsoid with this mass and these principal moments.

        Returns:
            Semi-axes [m], shape (3,). For a diagonal tensor (within 1e-12 of its largest element) they lie along the body's x, y, z. For
            any other they lie along the columns of the axes from `principal()`, so that the longest comes first. A flat body has a
            semi-axis of 0.

        Raises:
            ValueError: If the tensor is physically impossible (it was created with ``physical=False``).

        Source: the moments of an ellipsoid, ``I_x = m (b² + c²)/5``, solved for ``a² = 5 (I_y + I_z − I_x)/(2m)``.

        Example:
            >>> MassProperties.ellipsoid(5.0, (1.0, 2.0, 3.0)).equivalent_ellipsoid().tolist()
            [1.0, 2.0, 3.0]
        """
        if not _is_physical(self._moments):
            rule = f"physically possible, with none of its moments {self._moments} above the sum of the other two"
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
        merged = f"  # {self._merged} {'vertex' if self._merged == 1 else 'vertices'} merged" if self._merged else ""
        return f"MassProperties(mass={self._mass!r}, inertia_body={inertia}{center}{physical}){merged}"

    def __reduce__(self) -> tuple[object, ...]:
        """Copy and pickle by way of the numbers, because numpy's own copies of a read-only array are writable."""
        return MassProperties._made, ("MassProperties", *self._values()), (None, {"_merged": self._merged})

    def _values(self) -> tuple[float, Symmetric, tuple[float, ...]]:
        return self._mass, self._tensor, tuple(self._center_of_mass.tolist())

    # -- uniform solids --

    @classmethod
    def box(cls, mass: Maybe = None, size: npt.ArrayLike | None = None, *, density: Maybe = None) -> Self:
        """Create a uniform box.

        Args:
            mass: Mass [kg]. Give this or `density`.
            size: Full edge lengths along x, y, z [m], each above 0, shape (3,).
            density: Density [kg/m³].

        Returns:
            The mass properties, with the origin of the body at the mass centre.

        Example:
            >>> MassProperties.box(density=10.0, size=(1.0, 2.0, 3.0)).mass
            60.0
        """
        owner = "MassProperties.box"
        x, y, z = _lengths(size, "size", owner)
        mass = _given_mass(mass, density, x * y * z, owner)
        return cls._made(owner, mass, symmetric.from_spread(mass, (x * x, y * y, z * z), 12.0))

    @classmethod
    def ellipsoid(cls, mass: Maybe = None, semi_axes: npt.ArrayLike | None = None, *, density: Maybe = None) -> Self:
        """Create a uniform ellipsoid.

        Args:
            mass: Mass [kg]. Give this or `density`.
            semi_axes: Semi-axes along x, y, z [m], each above 0, shape (3,).
            density: Density [kg/m³].

        Returns:
            The mass properties, with the origin of the body at the mass centre.

        Example:
            >>> MassProperties.ellipsoid(5.0, (1.0, 2.0, 3.0))
            MassProperties(mass=5.0, inertia_body=[13.0, 10.0, 5.0])
        """
        owner = "MassProperties.ellipsoid"
        a, b, c = _lengths(semi_axes, "semi_axes", owner)
        mass = _given_mass(mass, density, _SPHERE * a * b * c, owner)
        return cls._made(owner, mass, symmetric.from_spread(mass, (a * a, b * b, c * c), 5.0))

    @classmethod
    def sphere(cls, mass: Maybe = None, radius: Maybe = None, *, density: Maybe = None) -> Self:
        """Create a uniform solid sphere.

        Args:
            mass: Mass [kg]. Give this or `density`.
            radius: Radius [m], above 0.
            density: Density [kg/m³].

        Returns:
            The mass properties, with the origin of the body at the mass centre.

        Example:
            >>> MassProperties.sphere(10.0, 0.5)
            MassProperties(mass=10.0, inertia_body=[1.0, 1.0, 1.0])
        """
        owner = "MassProperties.sphere"
        r = real(radius, "radius", owner, above=0.0)
        mass = _given_mass(mass, density, _SPHERE * r * r * r, owner)
        return cls._made(owner, mass, symmetric.from_spread(mass, (r * r,) * 3, 5.0))

    @classmethod
    def hollow_sphere(cls, mass: float, radius: float) -> Self:
        """Create a thin spherical shell.

        Args:
            mass: Mass [kg]. A thin shell has no volume, so it cannot be given a density.
            radius: Radius [m], above 0.

        Returns:
            The mass properties, with the origin of the body at the mass centre.

        Example:
            >>> MassProperties.hollow_sphere(6.0, 0.5)
            MassProperties(mass=6.0, inertia_body=[1.0, 1.0, 1.0])
        """
        owner = "MassProperties.hollow_sphere"
        r = real(radius, "radius", owner, above=0.0)
        mass = _checked_mass(mass, "mass", owner)
        return cls._made(owner, mass, symmetric.from_spread(mass, (r * r,) * 3, 3.0))

    @classmethod
    def cylinder(cls, mass: Maybe = None, radius: Maybe = None, height: Maybe = None, *, density: Maybe = None) -> Self:
        """Create a uniform cylinder about the z axis.

        Args:
            mass: Mass [kg]. Give this or `density`.
            radius: Radius [m], above 0.
            height: Full length along z [m], above 0.
            density: Density [kg/m³].

        Returns:
            The mass properties, with the origin of the body at the mass centre.

        Example:
            >>> MassProperties.cylinder(12.0, 1.0, 3.0)
            MassProperties(mass=12.0, inertia_body=[12.0, 12.0, 6.0])
        """
        owner = "MassProperties.cylinder"
        r = real(radius, "radius", owner, above=0.0)
        h = real(height, "height", owner, above=0.0)
        mass = _given_mass(mass, density, math.pi * r * r * h, owner)
        return cls._made(owner, mass, symmetric.from_spread(mass, (3.0 * r * r, 3.0 * r * r, h * h), 12.0))

    @classmethod
    def capsule(cls, mass: Maybe = None, radius: Maybe = None, height: Maybe = None, *, density: Maybe = None) -> Self:
        """Create a uniform capsule about the z axis, a cylinder with a hemisphere on each end.

        Args:
            mass: Mass [kg]. Give this or `density`.
            radius: Radius of the cylinder and the hemispheres [m], above 0.
            height: Length of the cylindrical part along z [m], at least 0 (a sphere). The whole capsule is two radii longer.
            density: Density [kg/m³].

        Returns:
            The mass properties, with the origin of the body at the mass centre.

        Source: a cylinder and two hemispheres, whose mass centres lie 3/8 of the radius beyond the ends of the cylinder.

        Example:
            >>> MassProperties.capsule(10.0, 0.5, 0.0) == MassProperties.sphere(10.0, 0.5)
            True
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
        """Create a uniform cone about the z axis, with its apex towards +z.

        The origin is the mass centre, a quarter of the height above the base.

        Args:
            mass: Mass [kg]. Give this or `density`.
            radius: Radius of the base [m], above 0.
            height: Full length along z [m], above 0.
            density: Density [kg/m³].

        Returns:
            The mass properties, with the origin of the body at the mass centre.

        Example:
            >>> MassProperties.cone(10.0, 1.0, 2.0)
            MassProperties(mass=10.0, inertia_body=[3.0, 3.0, 3.0])
        """
        owner = "MassProperties.cone"
        r = real(radius, "radius", owner, above=0.0)
        h = real(height, "height", owner, above=0.0)
        mass = _given_mass(mass, density, math.pi / 3.0 * r * r * h, owner)
        return cls._made(owner, mass, symmetric.from_spread(mass, (4.0 * r * r, 4.0 * r * r, h * h), 80.0 / 3.0))

    @classmethod
    def rod(cls, mass: float, length: float) -> Self:
        """Create a thin uniform rod along z.

        Its inertia is singular, so it can be a part of a `compound` but not a body of its own.

        Args:
            mass: Mass [kg].
            length: Full length [m], above 0.

        Returns:
            The mass properties, with the origin of the body at the mass centre.

        Example:
            >>> MassProperties.rod(3.0, 2.0).inertia_body.diagonal().tolist()
            [1.0, 1.0, 0.0]
        """
        owner = "MassProperties.rod"
        h = real(length, "length", owner, above=0.0)
        mass = _checked_mass(mass, "mass", owner)
        return cls._made(owner, mass, symmetric.from_spread(mass, (0.0, 0.0, h * h), 12.0))

    @classmethod
    def point_mass(cls, mass: float) -> Self:
        """Create a point mass at the origin.

        Its inertia is zero and therefore singular, so it can be a part of a `compound` but not a body of its own.

        Args:
            mass: Mass [kg].

        Returns:
            The mass properties, with the mass at the origin of the body.

        Example:
            >>> MassProperties.point_mass(3.0).is_singular
            True
        """
        return cls._made("MassProperties.point_mass", mass, (0.0,) * 6)

    # -- points, meshes, composites --

    @classmethod
    def from_points(cls, masses: npt.ArrayLike, positions: npt.ArrayLike) -> Self:
        """Create a body from rigidly joined point masses.

        The inertia of points on one line is singular, so these can be a part of a `compound` but not a body of their own.

        Args:
            masses: Masses [kg], each above 0, shape (n,).
            positions: Positions [m], body frame, from the origin of the body, shape (n, 3).

        Returns:
            The mass properties, with the origin and axes of the given positions.

        Example:
            >>> cross = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)]
            >>> MassProperties.from_points([0.5, 0.5, 0.5, 0.5], cross)
            MassProperties(mass=2.0, inertia_body=[1.0, 1.0, 2.0])
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
        cls,
        vertices: npt.ArrayLike,
        faces: npt.ArrayLike,
        *,
        density: Maybe = None,
        mass: Maybe = None,
        weld: Maybe = None,
        shell_thickness: Maybe = None,
    ) -> Self:
        """Create a uniform solid bounded by a closed triangle mesh, or a thin shell; the integrals are exact for the polyhedron.

        Vertices with the same coordinates count as one. `repr` shows how many were merged.

        Args:
            vertices: Points [m], body frame, from the origin of the body, shape (n, 3).
            faces: Three vertex indices per face, counter-clockwise seen from outside the material, shape (m, 3). Separate
                pieces and the walls of cavities are allowed. For a shell, the direction does not matter and the surface may be open.
            density: Density [kg/m³]. Give this or `mass`.
            mass: Mass [kg].
            weld: Also merge vertices within this distance of each other, relative to the largest extent of the mesh, above 0 and at most
                0.01; 1e-6 for coordinates with single precision. Faces that lose a corner in this way are left out. None merges only equal
                vertices.
            shell_thickness: Thickness [m] of plates whose middle surfaces are the faces, above 0. It should be small compared to the faces,
                because plates overlap at folds. None means a solid.

        Returns:
            The mass properties, with the origin and axes of the given vertices.

        Raises:
            ValueError: If the faces are not a closed surface that is wound outwards around some volume; for a shell, if a face has no area
                or is given twice; or if a number is out of range. The message names the face, edge or vertex.
            TypeError: If the indices are not whole numbers, or another argument does not consist of real numbers.

        Example:
            >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
            >>> tetrahedron = MassProperties.from_mesh(corners, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)], density=6.0)
            >>> tetrahedron.mass, tetrahedron.center_of_mass_body.tolist()
            (1.0, [0.25, 0.25, 0.25])
            >>> sheet = MassProperties.from_mesh(corners[:3], [(0, 1, 2)], density=2700.0, shell_thickness=0.002)
            >>> round(sheet.mass, 12)
            2.7
        """
        return cls._from_mesh(vertices, faces, density, mass, weld, shell_thickness, "MassProperties.from_mesh")

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        *,
        density: Maybe = None,
        mass: Maybe = None,
        scale: float = 1.0,
        weld: Maybe = None,
        shell_thickness: Maybe = None,
    ) -> Self:
        """Create a uniform solid or a thin shell from the triangles of a glTF, OBJ or STL file.

        The origin and the axes of the body are those of the file. All meshes of the file are joined, with the transformations of their
        nodes. This needs the package trimesh: ``pip install "polhode[mesh]"``.

        Args:
            path: The path of a file whose name ends in .glb, .gltf, .obj or .stl.
            density: Density [kg/m³]. Give this or `mass`.
            mass: Mass [kg].
            scale: Length [m] of one unit of the file, above 0; 0.001 for millimetres. A glTF file is in metres.
            weld: As in `from_mesh`.
            shell_thickness: As in `from_mesh` [m], not scaled.

        Returns:
            The mass properties, with the origin and axes of the file.

        Raises:
            FileNotFoundError: If there is no file at `path`.
            ImportError: If the package trimesh is not installed.
            TypeError: If an argument has the wrong type.
            ValueError: If the format is unknown, the file cannot be read, or the mesh is rejected as by `from_mesh`.

        Example:
            >>> MassProperties.from_file("hull.stl", density=2700.0, scale=0.001)  # doctest: +SKIP
            MassProperties(mass=5.4, inertia_body=[0.9, 0.9, 1.8])  # 28 vertices merged
        """
        owner = "MassProperties.from_file"
        unit = real(scale, "scale", owner, above=0.0)
        vertices, faces = read_mesh(path, owner)
        with beyond_range_allowed():
            vertices = vertices * unit
        return cls._from_mesh(vertices, faces, density, mass, weld, shell_thickness, owner)

    @classmethod
    def _from_mesh(
        cls,
        vertices: object,
        faces: object,
        density: Maybe,
        mass: Maybe,
        weld: Maybe,
        shell_thickness: Maybe,
        owner: str,
    ) -> Self:
        if shell_thickness is None:
            found = polyhedron.integrals(vertices, faces, owner, weld)
        else:
            found = shell.integrals(vertices, faces, owner, shell_thickness, weld)
        mass = _given_mass(mass, density, found.volume, owner)
        made = cls._made(owner, mass, symmetric.from_spread(mass, found.spread), found.center)
        made._merged = found.merged
        return made

    @classmethod
    def compound(cls, parts: Iterable[tuple[MassProperties, npt.ArrayLike, npt.ArrayLike]]) -> Self:
        """Join parts rigidly into one body.

        Args:
            parts: A sequence of (part, position, orientation). The position is that of the part's origin [m], in the frame of the whole,
                shape (3,). The orientation is the unit quaternion, scalar-last (x, y, z, w), from the part's frame to that of the whole,
                shape (4,).

        Returns:
            The mass properties of the whole.

        Raises:
            TypeError: If an entry of `parts` is not such a triple.
            ValueError: If `parts` is empty, or a position or orientation is out of range.

        Source: each part's tensor ``R I Rᵀ`` about its own mass centre, moved to the common one by Steiner's theorem.

        Example:
            >>> ball = MassProperties.sphere(1.0, 0.5)
            >>> dumbbell = MassProperties.compound([(ball, (0, 0, 2), (0, 0, 0, 1)), (ball, (0, 0, -2), (0, 0, 0, 1))])
            >>> dumbbell.inertia_body.diagonal().round(12).tolist()
            [8.2, 8.2, 0.2]
        """
        return cls._joined(parts, "MassProperties.compound")

    def moved(self, position: npt.ArrayLike, orientation: npt.ArrayLike) -> Self:
        """Express the same body in another frame, with other axes and another origin.

        Args:
            position: Position of this body's origin [m], in the new frame, shape (3,).
            orientation: Unit quaternion, scalar-last (x, y, z, w), from this body's frame to the new one, shape (4,).

        Returns:
            The mass properties in the new frame.

        Example:
            >>> MassProperties.sphere(1.0, 0.5).moved((0.0, 0.0, 2.0), (0.0, 0.0, 0.0, 1.0)).center_of_mass_body.tolist()
            [0.0, 0.0, 2.0]
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


def _checked_mass(value: object, argument: str, owner: str) -> float:
    mass = real(value, argument, owner, above=0.0)
    if math.isinf(1.0 / mass):
        refuse(owner, argument, value, "large enough to have a finite inverse")
    return mass


def _given_mass(mass: object, density: object, volume: float, owner: str) -> float:
    if (mass is None) == (density is None):
        refuse(owner, "exactly one of mass and density", (mass, density), "given")
    if density is None:
        return _checked_mass(mass, "mass", owner)
    product = real(density, "density", owner, above=0.0) * volume
    if math.isinf(product) or product == 0.0 or math.isinf(1.0 / product):
        rule = "finite" if math.isinf(product) else "large enough to have a finite inverse"
        refuse(owner, "density × volume", (density, volume), rule)
    return product


def _lengths(value: object, argument: str, owner: str) -> list[float]:
    lengths = vector(value, argument, owner)
    if (lengths <= 0.0).any():
        refuse(owner, argument, value, "3 finite real numbers above 0")
    return lengths.tolist()


def _read_tensor(value: object, owner: str) -> Symmetric:
    value = by_value(value, "inertia_body", owner, "3 finite real numbers or finite real numbers of shape (3, 3)")
    is_matrix = value.ndim > 1 if isinstance(value, np.ndarray) else is_row(value) and any(map(is_row, value))
    if not is_matrix:
        x, y, z = vector(value, "inertia_body", owner).tolist()
        return x, y, z, 0.0, 0.0, 0.0
    given = array(value, "inertia_body", owner, (3, 3))
    largest = float(np.abs(given).max())
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = given.tolist()
    if max(abs(xy - yx), abs(xz - zx), abs(yz - zy)) > SYMMETRY_TOLERANCE * largest:
        refuse(owner, "inertia_body", given.tolist(), f"symmetric within {SYMMETRY_TOLERANCE:g} of its largest element")
    # Add half of the difference rather than halve the sum, which could overflow.
    return xx, yy, zz, xy + 0.5 * (yx - xy), xz + 0.5 * (zx - xz), yz + 0.5 * (zy - yz)


def _read_parts(parts: object, owner: str) -> list[tuple[MassProperties, list[float], list[Vector]]]:
    """Each part, the position of its origin, and the three images of its axes."""
    rule = "a sequence of (MassProperties, position, orientation)"
    result = []
    for number, entry in enumerate(members(parts, "parts", owner, rule, _is_part)):
        # `moved` has a single part, which needs no number in messages.
        which = f"parts[{number}] " if owner == "MassProperties.compound" else ""
        position = vector(entry[1], f"{which}position", owner).tolist()
        x, y, z, w = unit_quaternion(entry[2], f"{which}orientation", owner).tolist()
        result.append((entry[0], position, symmetric.turned_axes((x, y, z, w))))
    if not result:
        refuse(owner, "parts", result, f"{rule} with at least one part")
    return result


def _is_part(entry: object) -> bool:
    return isinstance(entry, tuple | list) and len(entry) == 3 and isinstance(entry[0], MassProperties)


def _is_physical(moments: Vector) -> bool:
    """Whether ascending principal moments satisfy I1 + I2 ≥ I3; the difference is twice the sum of m z² over the body."""
    return (moments[2] - moments[1]) - moments[0] <= TRIANGLE_TOLERANCE * moments[2]
