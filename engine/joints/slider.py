"""Sliders, which allow two bodies one relative translation along a common axis."""

from __future__ import annotations  # help() then shows them as written

from typing import ClassVar

from ..constraints import layout
from .freedom import AxisJoint, Friction, Limits, MotorOf, SpringOf, coordinate, rate_of


class Slider(AxisJoint):
    """A slider (prismatic joint), which lets two bodies move along one axis without rotating relative to each other.

    Args:
        body: The first body, on which the axis is fixed; the point on the other body moves along it.
        other: The second body, or None for the world.
        at_body: The point on the body [m], body frame from its origin, shape (3,).
        axis_body: The axis, a unit vector in the body frame, shape (3,).
        at_other: The point on the other body [m], in its body frame from its origin, or the point in the world frame [m];
            shape (3,). None takes the current position of `at_body`.
        limits: Limits (lower, upper) of the distance [m]; None or infinite for no limit.
        friction: Maximum force of dry (Coulomb) friction [N], at least 0.
        motor: A motor along the axis, whose limit is a force.
        spring: A spring along the axis.
        break_force: Maximum mean force over a tick [N]; a joint that carries more breaks and is removed. None for no limit.
        break_torque: Maximum mean torque over a tick [N·m], with the same effect. None for no limit. Like `torque_world`, it refers to the
            point on the other body.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the bodies are the same, were removed or belong to different worlds, if `axis_body` is not of unit length, if the
            two points lie apart, or if a setting is out of range.

    Example:
        >>> from engine import MassProperties, World
        >>> from engine.joints import Slider
        >>> world = World(dt=0.01)
        >>> lift = world.add_body(MassProperties.box(50.0, (1.0, 1.0, 1.0)), velocity=(0.3, 0.0, 0.5))
        >>> rail = world.add_joint(Slider(lift, at_body=(0.0, 0.0, 0.0), axis_body=(0.0, 0.0, 1.0)))
        >>> world.step(100)
        >>> round(rail.distance, 9), round(rail.speed, 9)
        (0.5, 0.5)
    """

    __slots__ = ()

    _type: ClassVar[int] = layout.SLIDER

    limits = Limits(0, "Limits (lower, upper) of the distance [m]; infinite if there is none.")
    friction = Friction(0, "Maximum force of dry (Coulomb) friction [N], at least 0.")
    motor = MotorOf(0, holds="a position")
    spring = SpringOf(0, "The spring, with its stiffness and damping; None if there is none.")

    distance = coordinate(
        0, "m", "Distance along the axis from the point on the other body to the point on the body [m]."
    )

    speed = rate_of(0, "m/s", "Rate of the distance [m/s].")
