"""Planar joints, which keep a body in a plane."""

from __future__ import annotations  # help() then shows them as written

from typing import ClassVar

import numpy.typing as npt

from ..constraints import layout
from ..kernels.quaternions import conjugate, multiply
from ..store.rows import BodyHandle
from .joint import Joint, check_bodies, frame_along, points, pose_of, threshold, unit_axis, unit_length


class Planar(Joint):
    """A planar joint: a point of the body stays in a plane, and the body turns only about the normal of the plane, as in a 2D game.

    Args:
        body: The body.
        normal: The normal of the plane, a unit vector in world axes, or in the axes of the other body, shape (3,).
        other: The body that carries the plane, or None for the world.
        at_body: The point on the body [m], body axes from its origin, shape (3,).
        at_other: A point of the plane [m], in the axes of the other body from its origin, or of the world; shape (3,). None is where
            `at_body` is now.
        break_force: The joint is removed after a tick in which it carried a larger force [N] on average; None is never.
        break_torque: The same for its torque [N·m].

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: The bodies are the same, removed or of two worlds, or the normal is not of unit length.

    Example:
        >>> from engine import MassProperties, World
        >>> from engine.joints import Planar
        >>> world = World(dt=0.01)
        >>> disc = world.add_body(MassProperties.sphere(1.0, 0.5), velocity=(1.0, 0.0, 2.0))
        >>> plane = world.add_joint(Planar(disc, (0.0, 0.0, 1.0)))
        >>> world.step(100)
        >>> (disc.position.round(9) + 0.0).tolist()
        [1.0, 0.0, 0.0]
    """

    __slots__ = ()

    _type: ClassVar[int] = layout.PLANAR

    def __init__(
        self,
        body: BodyHandle,
        normal: npt.ArrayLike,
        other: BodyHandle | None = None,
        *,
        at_body: npt.ArrayLike = (0.0, 0.0, 0.0),
        at_other: npt.ArrayLike | None = None,
        break_force: float | None = None,
        break_torque: float | None = None,
    ) -> None:
        check_bodies(body, other, "Planar")
        on_body, on_other, _gap = points(body, other, at_body, at_other, "Planar", may_differ=False)
        frame = frame_along(unit_axis(normal, "normal", "Planar"))
        q, other_q = pose_of(body)[1], pose_of(other)[1]
        values = {
            "at_body": on_body,
            "at_other": on_other,
            "frame_body": unit_length(multiply(conjugate(q), multiply(other_q, frame))),
            "frame_other": frame,
            "break_force": threshold(break_force, "break_force", "Planar"),
            "break_torque": threshold(break_torque, "break_torque", "Planar"),
        }
        super().__init__(body, other, values)
