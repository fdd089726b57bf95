"""The points at which bodies of a world touch, as read-only arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .body import Body
from .checks import FloatArray
from .collision import layout
from .reading import reading
from .shapes.handle import ShapeHandle
from .tick.contact_events import Contact
from .tick.contacts import Contacts as Found

__all__ = ["Contact", "Contacts"]


class Contacts:
    """The points at which shapes were near each other in the last tick, in the order of pairs of shapes.

    A pair of shapes has up to four points. A point that is open has a positive gap and no impulse, and so has what a sensor sees. In a
    pair, the first shape is that of a body; the other one may be of the world.

    Example:
        >>> from engine import MassProperties, World, shapes, forces
        >>> world = World(dt=1 / 60)
        >>> _ = world.add_shape(shapes.Plane((0.0, 0.0, 1.0)))
        >>> ball = world.add_body(MassProperties.sphere(2.0, 0.5), position=(0.0, 0.0, 0.5))
        >>> _ = ball.add_shape(shapes.Sphere(0.5))
        >>> gravity = world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
        >>> world.step(60)
        >>> (60.0 * world.contacts.normal_impulse).round(6).tolist()
        [19.62]
    """

    __slots__ = ("_found", "_world")

    def __init__(self, world: Any, found: Found) -> None:
        """Read the contacts of a world; `World.contacts` makes it."""
        self._world, self._found = world, found

    def __len__(self) -> int:
        return self._found.table.count

    def __repr__(self) -> str:
        return f"<{len(self)} points of contact>"

    @property
    def shapes(self) -> tuple[tuple[ShapeHandle, ShapeHandle], ...]:
        """The two shapes of each point."""
        first, second = self._found.table.array[: layout.SECOND_SHAPE + 1, : len(self)].astype(int)
        owners_of = self._world._forces.owners_of
        return tuple(zip(owners_of(self._found.shapes, first), owners_of(self._found.shapes, second), strict=True))

    @property
    def bodies(self) -> tuple[tuple[Body, Body | None], ...]:
        """The two bodies of each point; the second is None for the world."""
        found = tuple((first.body, second.body) for first, second in self.shapes)
        return found

    @property
    def point_world(self) -> FloatArray:
        """Common point of both bodies [m], world frame, shape (n, 3), at the end of the tick."""
        return self._read("point_world")

    @property
    def normal_world(self) -> FloatArray:
        """Unit normal from the second body to the first, world frame, shape (n, 3)."""
        return self._read("normal_world")

    @property
    def gap(self) -> FloatArray:
        """Distance of the two shapes along the normal [m], shape (n,); negative where they overlap."""
        return self._read("gap")

    @property
    def normal_impulse(self) -> FloatArray:
        """Impulse along the normal in the last tick [N·s], shape (n,)."""
        return reading(np.einsum("ij,ij->i", self._read("impulse_world"), self._read("normal_world")))

    @property
    def friction_impulse_world(self) -> FloatArray:
        """Impulse of friction on the first body in the last tick [N·s], world frame, shape (n, 3)."""
        along = self.normal_impulse[:, np.newaxis] * self._read("normal_world")
        return reading(self._read("impulse_world") - along)

    @property
    def closing_speed(self) -> FloatArray:
        """Speed at which the gap closed in the last tick [m/s], shape (n,)."""
        return self._read("closing_speed")

    @property
    def force_on_bodies_world(self) -> FloatArray:
        """Mean force of all contacts on each body over the last tick [N], world frame, shape (n, 3) for n bodies."""
        return reading(self._found.forces(self._world.dt))

    def solver_of(self, body: Body) -> str:
        """Which solver found the impulses on a body in the last tick.

        Args:
            body: A body of this world.

        Returns:
            "direct", "unfinished" if the rounds of Newton's method ended short of their tolerance, "sweeps", or "none" if nothing was
            near the body.

        Raises:
            TypeError: If `body` is not a body.
            ValueError: If `body` is not in this world.

        Example:
            >>> from engine import MassProperties, World, shapes
            >>> world = World(dt=1 / 60)
            >>> _ = world.add_shape(shapes.Plane((0.0, 0.0, 1.0)))
            >>> ball = world.add_body(MassProperties.sphere(2.0, 0.5), position=(0.0, 0.0, 0.5), velocity=(0.0, 0.0, -1.0))
            >>> _ = ball.add_shape(shapes.Sphere(0.5))
            >>> world.step()
            >>> world.contacts.solver_of(ball)
            'direct'
        """
        self._world._own_body(body, "World.contacts.solver_of", "body")
        return self._found.solver_of(body.index)

    def _read(self, name: str) -> FloatArray:
        values: npt.NDArray[np.float64] = self._found.table.read(name).copy()
        return reading(values)
