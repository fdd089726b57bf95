"""Universal joints, which leave two bodies two rotations."""

from __future__ import annotations  # help() then shows them as written

from math import sqrt
from typing import ClassVar

import numpy.typing as npt

from ..checks import refuse
from ..constraints import layout
from ..kernels.quaternions import rotate
from ..kernels.vectors import dot
from ..store.rows import BodyHandle
from .joint import Joint, check_bodies, frame_along, points, pose_of, threshold, unit_axis


class Universal(Joint):
    """A universal joint: a point of the body stays at a point of the other body, and an axis of each stays at right angles to the other's.

    Args:
        body: The first body.
        other: The second body, or None for the world.
        at_body: The point on the body [m], body axes from its origin, shape (3,).
        axis_body: The axis on the body, a unit vector in body axes, shape (3,).
        axis_other: The axis on the other body, a unit vector in its axes or in world axes, shape (3,).
        at_other: The point on the other body [m], in its axes from its origin, or the point of the world [m]; shape (3,). None is where
            `at_body` is now.
        break_force: The joint is removed after a tick in which it carried a larger force [N] on average; None is never.
        break_torque: The same for its torque [N·m].

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: The bodies are the same, removed or of two worlds, an axis is not of unit length, the axes are not at right angles now,
            or the two points lie apart.
    """

    __slots__ = ()

    _type: ClassVar[int] = layout.UNIVERSAL

    def __init__(
        self,
        body: BodyHandle,
        other: BodyHandle | None = None,
        *,
        at_body: npt.ArrayLike,
        axis_body: npt.ArrayLike,
        axis_other: npt.ArrayLike,
        at_other: npt.ArrayLike | None = None,
        break_force: float | None = None,
        break_torque: float | None = None,
    ) -> None:
        check_bodies(body, other, "Universal")
        on_body, on_other, _gap = points(body, other, at_body, at_other, "Universal")
        own, others = unit_axis(axis_body, "axis_body", "Universal"), unit_axis(axis_other, "axis_other", "Universal")
        cosine = dot(rotate(pose_of(body)[1], 2.0, own), rotate(pose_of(other)[1], 2.0, others))
        if not abs(cosine) <= 1e-6 * sqrt(2.0):
            refuse(
                "Universal", "axis_other", axis_other, f"at right angles to axis_body now; the cosine is {cosine:.3g}"
            )
        values = {
            "at_body": on_body,
            "at_other": on_other,
            "frame_body": frame_along(own),
            "frame_other": frame_along(others),
            "break_force": threshold(break_force, "break_force", "Universal"),
            "break_torque": threshold(break_torque, "break_torque", "Universal"),
        }
        super().__init__(body, other, values)
