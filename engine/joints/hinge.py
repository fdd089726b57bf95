"""Hinges, which leave two bodies one rotation about a common axis."""

from __future__ import annotations  # help() then shows them as written

from typing import ClassVar

import numpy.typing as npt

from ..constraints import layout
from ..kernels.quaternions import rotate
from ..store.rows import BodyHandle, fixed
from .joint import Joint, check_bodies, frame_along, points, reading_of, seen_from, unit_axis


class Hinge(Joint):
    """A hinge: a point and an axis of the body stay at a point and an axis of the other body.

    Args:
        body: The first body.
        other: The second body, or None for the world.
        at_body: The point on the body [m], body axes from its origin, shape (3,).
        axis_body: The axis, a unit vector in body axes, shape (3,).
        at_other: The point on the other body [m], in its axes from its origin, or the point of the world [m]; shape (3,). None is where
            `at_body` is now.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: The bodies are the same, removed or of two worlds, the axis is not of unit length, or the two points lie apart.

    Example:
        >>> from engine import MassProperties, World
        >>> from engine.joints import Hinge
        >>> world = World(dt=0.01)
        >>> door = world.add_body(MassProperties.box(20.0, (1.0, 0.05, 2.0)), position=(0.5, 0.0, 0.0))
        >>> hinge = world.add_joint(Hinge(door, at_body=(-0.5, 0.0, 0.0), axis_body=(0.0, 0.0, 1.0)))
        >>> door.apply_impulse((0.0, 2.0, 0.0), at_world=(1.0, 0.0, 0.0))
        >>> world.step(100)
        >>> round(hinge.angle, 2)
        0.29
    """

    __slots__ = ()

    _type: ClassVar[int] = layout.HINGE

    def __init__(
        self,
        body: BodyHandle,
        other: BodyHandle | None = None,
        *,
        at_body: npt.ArrayLike,
        axis_body: npt.ArrayLike,
        at_other: npt.ArrayLike | None = None,
    ) -> None:
        check_bodies(body, other, "Hinge")
        on_body, on_other, _gap = points(body, other, at_body, at_other, "Hinge")
        frame = frame_along(unit_axis(axis_body, "axis_body", "Hinge"))
        values = {
            "at_body": on_body,
            "at_other": on_other,
            "frame_body": frame,
            "frame_other": seen_from(frame, body, other),
        }
        super().__init__(body, other, values)

    @fixed
    def axis_body(self) -> object:
        """The axis in body axes, shape (3,)."""
        x, y, z, w = self._value("frame_body").tolist()
        import numpy as np

        return reading_of(np.array(rotate((x, y, z, w), 2.0, (1.0, 0.0, 0.0))))
