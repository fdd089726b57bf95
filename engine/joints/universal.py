"""Universal joints, which leave two bodies two rotations."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Sequence
from math import sqrt
from typing import ClassVar

import numpy.typing as npt

from ..checks import FloatArray, refuse
from ..constraints import layout
from ..kernels.quaternions import rotate, rotate_inverse
from ..kernels.vectors import dot
from ..store.rows import BodyHandle, fixed
from .freedom import FreedomJoint, Friction, Limits, MotorOf, SpringOf, coordinate, rate_of
from .joint import AXES, frame_with, points, pose_of, unit_axis
from .motor import JointSpring, Motor

_WHOLE_TURNS = "[rad], counted over whole turns, zero at the poses at which the joint was made."
_ANGLE_1 = f"Angle of the body about `axis_body` {_WHOLE_TURNS}"
_ANGLE_2 = f"Angle of the cross about `axis_other` {_WHOLE_TURNS}"


class Universal(FreedomJoint):
    """A universal joint, which holds a common point of two bodies and keeps an axis of one at right angles to an axis of the other.

    Think of a cross that carries both axes. `angle_1` is the angle of the body about `axis_body`, relative to the cross. `angle_2` is the
    angle of the cross about `axis_other`, relative to the other body. Both are zero at the poses at which the joint was made. Each angle
    has its own limits, friction, motor and spring.

    Args:
        body: The first body.
        other: The second body, or None for the world.
        at_body: The point on the body [m], body frame from its origin, shape (3,).
        axis_body: The axis on the body, a unit vector in the body frame, shape (3,).
        axis_other: The axis on the other body, a unit vector in its body frame, or in the world frame, shape (3,).
        at_other: The point on the other body [m], in its body frame from its origin, or the point in the world frame [m];
            shape (3,). None takes the current position of `at_body`.
        limits_1: Limits (lower, upper) of `angle_1` [rad]; None or infinite for no limit.
        limits_2: Limits (lower, upper) of `angle_2` [rad]; None or infinite for no limit.
        friction_1: Maximum torque of dry (Coulomb) friction about `axis_body` [N·m], at least 0.
        friction_2: Maximum torque of dry (Coulomb) friction about `axis_other` [N·m], at least 0.
        motor_1: A motor about `axis_body`.
        motor_2: A motor about `axis_other`.
        spring_1: A spring about `axis_body`.
        spring_2: A spring about `axis_other`.
        break_force: Maximum mean force over a tick [N]; a joint that carries more breaks and is removed. None for no limit.
        break_torque: Maximum mean torque over a tick [N·m], with the same effect. None for no limit.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the bodies are the same, were removed or belong to different worlds, if an axis is not of unit length, if the axes
            are not at right angles, if the two points lie apart, or if a setting is out of range.

    Example:
        >>> from engine import MassProperties, World
        >>> from engine.joints import Motor, Universal
        >>> world = World(dt=0.01)
        >>> dish = world.add_body(MassProperties.cylinder(5.0, 0.5, 0.1))
        >>> gimbal = world.add_joint(Universal(dish, at_body=(0, 0, 0), axis_body=(1, 0, 0), axis_other=(0, 1, 0)))
        >>> gimbal.motor_2 = Motor(target_rate=0.5, max_torque=100.0)
        >>> world.step(100)
        >>> round(gimbal.angle_2, 3), round(gimbal.rate_2, 9)
        (0.5, 0.5)
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
        limits_1: Sequence[float] | None = None,
        limits_2: Sequence[float] | None = None,
        friction_1: float = 0.0,
        friction_2: float = 0.0,
        motor_1: Motor | None = None,
        motor_2: Motor | None = None,
        spring_1: JointSpring | None = None,
        spring_2: JointSpring | None = None,
        break_force: float | None = None,
        break_torque: float | None = None,
    ) -> None:
        values, _gap = points(body, other, at_body, at_other, "Universal")
        own, others = unit_axis(axis_body, "axis_body", "Universal"), unit_axis(axis_other, "axis_other", "Universal")
        axis, across = rotate(pose_of(body)[1], 2.0, own), rotate(pose_of(other)[1], 2.0, others)
        cosine = dot(axis, across)
        if not abs(cosine) <= 1e-6 * sqrt(2.0):
            hint = f"the cosine is {cosine:.3g}"
            refuse("Universal", "axis_other", axis_other, "at right angles to axis_body now", hint=hint)
        # the second axis of each frame is the axis on the other body now, from where both angles are measured
        values |= {
            "frame_body": frame_with(own, rotate_inverse(pose_of(body)[1], 2.0, across)),
            "frame_other": frame_with(others, rotate_inverse(pose_of(other)[1], 2.0, axis)),
        }
        super().__init__(body, other, values, break_force, break_torque)
        self._set_up(limits_1=limits_1, friction_1=friction_1, motor_1=motor_1, spring_1=spring_1)
        self._set_up(limits_2=limits_2, friction_2=friction_2, motor_2=motor_2, spring_2=spring_2)

    limits_1 = Limits(0, "Limits (lower, upper) of `angle_1` [rad]; infinite if there is none.")
    limits_2 = Limits(1, "Limits (lower, upper) of `angle_2` [rad]; infinite if there is none.")
    friction_1 = Friction(0, "Maximum torque of dry (Coulomb) friction about `axis_body` [N·m], at least 0.")
    friction_2 = Friction(1, "Maximum torque of dry (Coulomb) friction about `axis_other` [N·m], at least 0.")
    motor_1 = MotorOf(0, " about `axis_body`")
    motor_2 = MotorOf(1, " about `axis_other`")
    spring_1 = SpringOf(0, "The spring about `axis_body`, with its stiffness and damping; None if there is none.")
    spring_2 = SpringOf(1, "The spring about `axis_other`, with its stiffness and damping; None if there is none.")

    @fixed
    def axis_body(self) -> FloatArray:
        """The axis on the first body, a unit vector, body frame, shape (3,)."""
        return self._axis("frame_body", AXES[0])

    @fixed
    def axis_other(self) -> FloatArray:
        """The axis on the other body, a unit vector in its body frame, or in the world frame, shape (3,)."""
        return self._axis("frame_other", AXES[0])

    angle_1 = coordinate(0, "rad", _ANGLE_1)
    angle_2 = coordinate(1, "rad", _ANGLE_2)
    rate_1 = rate_of(0, "rad/s", "Rate of `angle_1` [rad/s].")
    rate_2 = rate_of(1, "rad/s", "Rate of `angle_2` [rad/s].")
