"""Welds, which make one rigid body of two."""

from __future__ import annotations  # help() then shows them as written

from typing import ClassVar

import numpy.typing as npt

from ..constraints import layout
from ..store.rows import BodyHandle
from .joint import Joint, check_bodies, points, seen_from, threshold


class Weld(Joint):
    """A weld: the two bodies keep their relative position and orientation.

    Args:
        body: The first body.
        other: The second body, or None for the world.
        at_body: The point on the body [m], body axes from its origin, shape (3,). The joint's torque is about this point.
        at_other: The point on the other body [m], in its axes from its origin, or the point of the world [m]; shape (3,). None is where
            `at_body` is now.
        break_force: The joint is removed after a tick in which it carried a larger force [N] on average; None is never.
        break_torque: The same for its torque [N·m].

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: The bodies are the same, removed or of two worlds, or the two points lie apart.

    Example:
        >>> from engine import MassProperties, World
        >>> from engine.joints import Weld
        >>> world = World(dt=0.01)
        >>> hull = world.add_body(MassProperties.sphere(3.0, 0.5), velocity=(1.0, 0.0, 0.0))
        >>> pod = world.add_body(MassProperties.sphere(1.0, 0.5), position=(1.0, 0.0, 0.0))
        >>> weld = world.add_joint(Weld(hull, pod, at_body=(0.5, 0.0, 0.0)))
        >>> world.step(100)
        >>> hull.velocity.round(9).tolist(), pod.velocity.round(9).tolist()
        ([0.75, 0.0, 0.0], [0.75, 0.0, 0.0])
    """

    __slots__ = ()

    _type: ClassVar[int] = layout.WELD

    def __init__(
        self,
        body: BodyHandle,
        other: BodyHandle | None = None,
        *,
        at_body: npt.ArrayLike,
        at_other: npt.ArrayLike | None = None,
        break_force: float | None = None,
        break_torque: float | None = None,
    ) -> None:
        check_bodies(body, other, "Weld")
        on_body, on_other, _gap = points(body, other, at_body, at_other, "Weld")
        values = {
            "at_body": on_body,
            "at_other": on_other,
            "frame_other": seen_from((0.0, 0.0, 0.0, 1.0), body, other),
            "break_force": threshold(break_force, "break_force", "Weld"),
            "break_torque": threshold(break_torque, "break_torque", "Weld"),
        }
        super().__init__(body, other, values)
