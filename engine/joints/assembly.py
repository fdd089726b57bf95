"""Assemblies, which are sets of rigidly joined bodies."""

from __future__ import annotations  # help() then shows them as written

import numpy as np

from ..checks import FloatArray, explaining_errors, refuse
from ..constraints.graph import islands_of
from ..kernels.quaternions import Quaternion, conjugate, multiply
from ..kernels.vectors import Vector, add_scaled, scale, subtract
from ..solids import symmetric
from ..solids.mass_properties import MassProperties
from ..store.rows import BodyHandle
from .joint import pose_of, unit_length


@explaining_errors()
class Assembly:
    """A handle of a body and everything that is rigidly joined to it by welds and locked latches, made by `World.assembly`.

    Each attribute is computed from the joints and bodies when it is read. The handle stays valid when a latch locks or releases, and when
    propellant flows.

    Example:
        >>> from engine import MassProperties, World
        >>> from engine.joints import Weld
        >>> world = World(dt=0.01)
        >>> hull = world.add_body(MassProperties.sphere(3.0, 0.5))
        >>> pod = world.add_body(MassProperties.sphere(1.0, 0.5), position=(1.0, 0.0, 0.0))
        >>> whole = world.assembly(hull)
        >>> whole.mass
        3.0
        >>> weld = world.add_joint(Weld(hull, pod, at_body=(0.5, 0.0, 0.0)))
        >>> whole.mass, whole.center_of_mass_body.tolist()
        (4.0, [0.25, 0.0, 0.0])
    """

    __slots__ = ("_body",)

    def __init__(self, body: BodyHandle) -> None:
        self._body = body

    @property
    def body(self) -> BodyHandle:
        """The body for which the assembly was made, in whose body frame all vectors and tensors are given."""
        return self._body

    @property
    def bodies(self) -> tuple[BodyHandle, ...]:
        """All bodies of the assembly, including `body`, in the order of the world."""
        own, world = self._body.index, self._body.world
        welds = [joint for joint in world.joints if joint._is_rigid and joint.enabled and joint.other is not None]
        groups = islands_of([(weld.body.index, weld.other.index) for weld in welds])
        handles = world.bodies
        return tuple(handles[index] for index in next((group for group in groups if own in group), [own]))

    @property
    def mass_properties(self) -> MassProperties:
        """Mass, mass centre and inertia of the assembly at the current poses, in the frame of `body` from its origin, wheels locked."""
        bodies = self.bodies
        if len(bodies) == 1:
            own: MassProperties = self._body.mass_properties
            return own
        parts = [(body.mass_properties, self._body.to_body(body.origin), self._turn_of(body)) for body in bodies]
        return MassProperties.compound(parts)

    @property
    def mass(self) -> float:
        """Total mass [kg]."""
        return sum(float(body.mass) for body in self.bodies)

    @property
    def center_of_mass_body(self) -> FloatArray:
        """Common mass centre [m], in the body frame of `body` from its origin, shape (3,)."""
        bodies = self.bodies
        center: FloatArray = self._body.center_of_mass_body if len(bodies) == 1 else np.array(self._middle(bodies)[0])
        return center

    @property
    def inertia_body(self) -> FloatArray:
        """Inertia about the common mass centre [kg·m²], in the body frame of `body`, shape (3, 3).

        Like `Body.inertia_body`, it excludes the moments of wheels about their axes.
        """
        bodies = self.bodies
        if len(bodies) == 1:
            own: FloatArray = self._body.inertia_body
            return own
        middle, masses, centers = self._middle(bodies)
        # in plain floats: a product of matrices in NumPy has other bits with another BLAS, and laws read this tensor
        total = [0.0] * 6
        for body, mass, center in zip(bodies, masses, centers, strict=True):
            rows = body.inertia_body.tolist()
            tensor = rows[0][0], rows[1][1], rows[2][2], rows[0][1], rows[0][2], rows[1][2]
            turned = symmetric.turned_tensor(symmetric.turned_axes(self._turn_of(body)), tensor)
            x, y, z = subtract(center, middle)
            steiner = symmetric.from_spread(mass, (x * x, y * y, z * z, x * y, x * z, y * z))
            total = [so_far + one + other for so_far, one, other in zip(total, turned, steiner, strict=True)]
        xx, yy, zz, xy, xz, yz = total
        return symmetric.matrix((xx, yy, zz, xy, xz, yz))

    @property
    def stored_momentum_body(self) -> FloatArray:
        """Sum of the angular momenta stored in the wheels of all bodies [N·m·s], in the body frame of `body`, shape (3,)."""
        own, stored = self._body, np.zeros(3)
        for body in self.bodies:
            momentum = body.stored_momentum_body
            stored += momentum if body is own else own.direction_to_body(body.direction_to_world(momentum))
        return stored

    def _middle(self, bodies: tuple[BodyHandle, ...]) -> tuple[Vector, list[float], list[Vector]]:
        """The common mass centre, and the mass and mass centre of each body."""
        masses = [float(body.mass) for body in bodies]
        centers: list[Vector] = [tuple(self._body.to_body(body.position).tolist()) for body in bodies]
        sums: Vector = (0.0, 0.0, 0.0)
        for mass, center in zip(masses, centers, strict=True):
            sums = add_scaled(sums, mass, center)
        return scale(1.0 / sum(masses), sums), masses, centers

    def _turn_of(self, body: BodyHandle) -> Quaternion:
        """The rotation from the axes of one of the bodies to those of `body`."""
        return unit_length(multiply(conjugate(pose_of(self._body)[1]), pose_of(body)[1]))

    def __repr__(self) -> str:
        return f"Assembly({', '.join(map(str, self.bodies))})"


def assembly_for(value: object, body: object, owner: object) -> Assembly | None:
    """The `assembly` that was given for a body, or None.

    Raises:
        TypeError: If `value` is not an assembly.
        ValueError: If `value` is the assembly of another body.
    """
    if value is None:
        return None
    if not isinstance(value, Assembly):
        refuse(owner, "assembly", value, "None, or an Assembly that World.assembly returned", TypeError)
    if body is not None and value.body is not body:
        refuse(
            owner,
            "assembly",
            value,
            f"the assembly of {body}",
            hint=f"the given one is that of {value.body}",
        )
    return value
