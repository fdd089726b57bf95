"""Ball joints, which hold two points together."""

from __future__ import annotations  # help() then shows them as written

from typing import ClassVar

import numpy.typing as npt

from ..constraints import layout
from ..store.rows import BodyHandle
from .joint import Joint, check_bodies, points, threshold


class Ball(Joint):
    """A ball joint: a point of the body stays at a point of the other body; all rotations are free.

    Args:
        body: The first body.
        other: The second body, or None for the world.
        at_body: The point on the body [m], body axes from its origin, shape (3,).
        at_other: The point on the other body [m], in its axes from its origin, or the point of the world [m]; shape (3,). None is where
            `at_body` is now.
        break_force: The joint is removed after a tick in which it carried a larger force [N] on average; None is never.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: The bodies are the same, removed or of two worlds, or the two points lie apart.

    Example:
        >>> from engine import MassProperties, World
        >>> from engine.joints import Ball
        >>> world = World(dt=0.01)
        >>> bob = world.add_body(MassProperties.sphere(1.0, 0.1), position=(0.0, 0.0, -1.0), velocity=(1.0, 0.0, 0.0))
        >>> joint = world.add_joint(Ball(bob, at_body=(0.0, 0.0, 1.0)))
        >>> world.step(100)
        >>> bool(abs(bob.to_world((0.0, 0.0, 1.0))).max() < 1e-11)
        True
    """

    __slots__ = ()

    _type: ClassVar[int] = layout.BALL

    def __init__(
        self,
        body: BodyHandle,
        other: BodyHandle | None = None,
        *,
        at_body: npt.ArrayLike,
        at_other: npt.ArrayLike | None = None,
        break_force: float | None = None,
    ) -> None:
        check_bodies(body, other, "Ball")
        on_body, on_other, _gap = points(body, other, at_body, at_other, "Ball")
        force = threshold(break_force, "break_force", "Ball")
        super().__init__(body, other, {"at_body": on_body, "at_other": on_other, "break_force": force})
