"""Hinges, which allow two bodies one relative rotation about a common axis."""

from __future__ import annotations  # help() then shows them as written

from typing import ClassVar

from ..constraints import layout
from .freedom import AxisJoint, Friction, Limits, MotorOf, SpringOf, coordinate, rate_of


class Hinge(AxisJoint):
    """A hinge (revolute joint), which lets two bodies rotate relative to each other about one shared axis.

    The angle is zero at the poses at which the hinge was made. It increases when the body rotates about the axis, relative to the other
    body, in the right-handed sense. It is not wrapped: full turns add up.

    Args:
        body: The first body.
        other: The second body, or None for the world.
        at_body: The point on the body [m], body frame from its origin, shape (3,).
        axis_body: The axis, a unit vector in the body frame, shape (3,).
        at_other: The point on the other body [m], in its body frame from its origin, or the point in the world frame [m];
            shape (3,). None takes the current position of `at_body`.
        limits: Limits (lower, upper) of the angle [rad]; None or infinite for no limit.
        friction: Maximum torque of dry (Coulomb) friction [N·m], at least 0.
        motor: A motor about the axis.
        spring: A spring about the axis.
        break_force: Maximum mean force over a tick [N]; a joint that carries more breaks and is removed. None for no limit.
        break_torque: Maximum mean torque over a tick [N·m], with the same effect. None for no limit.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the bodies are the same, were removed or belong to different worlds, if `axis_body` is not of unit length, if the
            two points lie apart, or if a setting is out of range.

    Example:
        >>> from engine import MassProperties, World
        >>> from engine.joints import Hinge
        >>> world = World(dt=0.01)
        >>> door = world.add_body(MassProperties.box(20.0, (1.0, 0.05, 2.0)), position=(0.5, 0.0, 0.0))
        >>> hinge = world.add_joint(Hinge(door, at_body=(-0.5, 0.0, 0.0), axis_body=(0.0, 0.0, 1.0)))
        >>> door.apply_impulse((0.0, 2.0, 0.0), at_world=(1.0, 0.0, 0.0))
        >>> world.step(100)
        >>> round(hinge.angle, 2)
        0.3
    """

    __slots__ = ()

    _type: ClassVar[int] = layout.HINGE

    limits = Limits(0, "Limits (lower, upper) of the angle [rad]; infinite if there is none.")
    friction = Friction(0, "Maximum torque of dry (Coulomb) friction [N·m], at least 0.")
    motor = MotorOf(0)
    spring = SpringOf(0, "The spring, with its stiffness and damping; None if there is none.")

    angle = coordinate(
        0,
        "rad",
        "Angle of the body relative to the other body [rad], zero at the poses at which the hinge was made. It is counted over whole "
        "turns, except those made while the hinge is disabled.",
    )

    rate = rate_of(0, "rad/s", "Rate of the angle [rad/s].")
