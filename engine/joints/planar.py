"""Planar joints, which keep a body in a plane."""

from __future__ import annotations  # help() then shows them as written

from typing import ClassVar

import numpy.typing as npt

from ..checks import FloatArray, refuse
from ..constraints import layout
from ..kernels.quaternions import conjugate, multiply
from ..kernels.vectors import dot
from ..store.rows import BodyHandle, fixed
from .freedom import FreedomJoint, Friction, Limits, MotorOf, SpringOf, coordinate, rate_of
from .joint import AXES, frame_along, frame_with, points, pose_of, unit_axis, unit_length

_ANGLE = "Angle about the normal [rad], counted over whole turns, zero at the poses at which the joint was made."


class Planar(FreedomJoint):
    """A planar joint, which keeps a point of the body in a plane and allows only the rotation about its normal, as in a 2D game.

    The degrees of freedom are two distances from `at_other` along the axes of the plane, and an angle about the normal. Their limits,
    friction, motors and springs are assigned after the joint is made: `limits_1` and `limits_2` for the distances, `limits_3` for the
    angle, and so on.

    Args:
        body: The body.
        normal: The normal of the plane, a unit vector in the body frame of the other body, or in the world frame, shape (3,).
        other: The body that carries the plane, or None for the world.
        at_body: The point on the body [m], body frame from its origin, shape (3,).
        at_other: A point of the plane [m], in the body frame of the other body from its origin, or in the world frame, shape (3,). None
            takes the current position of `at_body`.
        axis_1: The first axis of the plane, a unit vector at right angles to the normal, in the body frame of the other body or in the
            world frame, shape (3,). The second axis is ``normal × axis_1``. None takes the x, y or z axis, whichever is most nearly
            perpendicular to the normal (the first in case of a tie), projected onto the plane.
        break_force: Maximum mean force over a tick [N]; a joint that carries more breaks and is removed. None for no limit.
        break_torque: Maximum mean torque over a tick [N·m], with the same effect. None for no limit.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the bodies are the same, were removed or belong to different worlds, if the two points lie apart, if `normal` or
            `axis_1` is not of unit length, or if `axis_1` is not at right angles to the normal.

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
        axis_1: npt.ArrayLike | None = None,
        break_force: float | None = None,
        break_torque: float | None = None,
    ) -> None:
        values, _gap = points(body, other, at_body, at_other, "Planar")
        upright = unit_axis(normal, "normal", "Planar")
        frame = frame_along(upright)
        if axis_1 is not None:
            first = unit_axis(axis_1, "axis_1", "Planar")
            if not abs(dot(first, upright)) <= 1e-6:
                hint = f"the cosine is {dot(first, upright):.3g}"
                refuse("Planar", "axis_1", axis_1, "at right angles to the normal", hint=hint)
            frame = frame_with(upright, first)
        # the plane belongs to the other body, whose frame is therefore the one that was given, to the last bit
        q, other_q = pose_of(body)[1], pose_of(other)[1]
        frame_body = unit_length(multiply(conjugate(q), multiply(other_q, frame)))
        values |= {"frame_body": frame_body, "frame_other": frame}
        super().__init__(body, other, values, break_force, break_torque)
        self._set_up()

    limits_1 = Limits(0, "Limits (lower, upper) of `distance_1` [m]; infinite if there is none.")
    limits_2 = Limits(1, "Limits (lower, upper) of `distance_2` [m]; infinite if there is none.")
    limits_3 = Limits(2, "Limits (lower, upper) of `angle` [rad]; infinite if there is none.")
    friction_1 = Friction(0, "Maximum force of dry (Coulomb) friction along the first axis [N], at least 0.")
    friction_2 = Friction(1, "Maximum force of dry (Coulomb) friction along the second axis [N], at least 0.")
    friction_3 = Friction(2, "Maximum torque of dry (Coulomb) friction about the normal [N·m], at least 0.")
    motor_1 = MotorOf(0, " along the first axis", "a position")
    motor_2 = MotorOf(1, " along the second axis", "a position")
    motor_3 = MotorOf(2, " about the normal")
    spring_1 = SpringOf(0, "The spring along the first axis, with its stiffness and damping; None if there is none.")
    spring_2 = SpringOf(1, "The spring along the second axis, with its stiffness and damping; None if there is none.")
    spring_3 = SpringOf(2, "The spring about the normal, with its stiffness and damping; None if there is none.")

    @fixed
    def normal(self) -> FloatArray:
        """The normal of the plane, a unit vector in the body frame of the other body, or in the world frame, shape (3,)."""
        return self._axis("frame_other", AXES[0])

    @fixed
    def axis_1(self) -> FloatArray:
        """The first axis of the plane, a unit vector in the body frame of the other body, or in the world frame, shape (3,)."""
        return self._axis("frame_other", AXES[1])

    distance_1 = coordinate(0, "m", "Distance from `at_other` along the first axis of the plane [m].")
    distance_2 = coordinate(1, "m", "Distance from `at_other` along the second axis of the plane [m].")
    angle = coordinate(2, "rad", _ANGLE)
    speed_1 = rate_of(0, "m/s", "Rate of `distance_1` [m/s].")
    speed_2 = rate_of(1, "m/s", "Rate of `distance_2` [m/s].")
    rate = rate_of(2, "rad/s", "Rate of `angle` [rad/s].")
