"""Ball joints, which hold two points together."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Sequence
from math import inf, pi, sqrt
from typing import ClassVar

import numpy.typing as npt

from ..checks import real, refuse
from ..constraints import layout
from ..constraints.joint_types import rotation_vector, swing
from ..kernels.quaternions import Quaternion, multiply, rotate
from ..kernels.vectors import Vector, cross, dot
from ..store.rows import BodyHandle
from .freedom import POINT_DIRECTIONS, TURN_DIRECTIONS, FreedomJoint, Limits, SpringOf, coordinate, rate_of
from .joint import Setting, frame_along, points, seen_from, unit_axis, unit_length
from .motion import relative_rates
from .motor import JointSpring

_LEAST_SWING = 1e-4
"""The narrowest cone [rad]; the direction of a smaller swing changes too much in a tick for its limit to be found."""

_TWIST = (
    "Angle about the axis [rad], zero at the poses at which the joint was made. It is counted over whole turns while the joint has a "
    "limit or a spring, and lies between −π and π otherwise."
)
_SWING_RATE = (
    "Rate of the swing [rad/s]. At a swing of zero, every relative rotation across the axis increases the swing, and at π it decreases "
    "it."
)


class SwingLimit(Setting[float, float | None]):
    """The half angle of the cone in which the axis of a ball joint stays."""

    def _read(self, joint: Ball) -> float:
        return joint._numbers(layout.UPPER, 1)[0]

    def _write(self, joint: Ball, value: float | None) -> None:
        most = inf
        if value is not None and not (isinstance(value, float) and value == inf):
            joint._require_free(value, self._name)
            most = real(value, self._name, joint, at_least=_LEAST_SWING)
            if most > pi:
                refuse(joint, self._name, value, "at most π rad")
            now = joint._coordinates()[0]
            if not now <= most + 1e-9:
                refuse(joint, self._name, value, f"at least the current swing, {now:.9g}")
        joint._write_numbers(layout.UPPER, (most,))


class BallSpring(SpringOf):
    """The spring of a ball joint towards its rest orientation."""

    def _inertia_of(self, joint: FreedomJoint) -> float:
        # one stiffness for all axes: that of their mean yield, which does not depend on how the axes are drawn
        yields = sum(1.0 / joint._inertia_along(POINT_DIRECTIONS, [], free) for free in TURN_DIRECTIONS)
        return 3.0 / yields if yields > 0.0 else inf

    def _rest(self, joint: object, value: JointSpring) -> float:
        if value.follows_inertia:
            refuse(joint, f"{self._name}.follows_inertia", True, "False, because it acts about three axes at once")
        if value.rest != 0.0:
            refuse(
                joint,
                f"{self._name}.rest",
                value.rest,
                "0, because the spring of a ball joint rests where the axes coincide and the twist is zero",
            )
        return 0.0


class Ball(FreedomJoint):
    """A ball joint, which keeps a point of the body at a point of the other body, with free or limited rotations.

    The rotation of the body relative to the other body is decomposed into a `twist` about `axis_body`, followed by the smallest rotation
    that brings the axis into its current direction. The angle of this second rotation is the `swing`. The twist is zero at the poses at
    which the joint was made. It is undefined at a swing of π, so limit the swing as well if you limit the twist.

    The spring pulls towards the orientation in which the axes coincide and the twist is zero. At a rotation by the angle θ from there, its
    energy is ``k θ²/2`` with the stiffness k. For viscous friction, use ``JointSpring(stiffness=0.0, damping=c)``.

    Ball joints have no dry friction and no motor, because one torque limit would have to cover all three axes.

    Args:
        body: The first body.
        other: The second body, or None for the world.
        at_body: The point on the body [m], body frame from its origin, shape (3,).
        at_other: The point on the other body [m], in its body frame from its origin, or the point in the world frame [m];
            shape (3,). None takes the current position of `at_body`.
        axis_body: The axis of swing and twist, a unit vector in the body frame, shape (3,). It is required for limits.
        axis_other: The axis of the cone, a unit vector in the body frame of the other body or in the world frame, shape (3,). None takes
            the current direction of `axis_body`.
        swing_limit: Maximum angle between the two axes [rad], from 1e-4 to π; None or infinite for no limit.
        twist_limits: Limits (lower, upper) of the twist [rad]; None or infinite for no limit.
        spring: A spring towards the orientation in which the axes coincide and the twist is zero. A frequency refers to the mean of the
            inertias about the three axes.
        break_force: Maximum mean force over a tick [N]; a joint that carries more breaks and is removed. None for no limit.
        break_torque: Maximum mean torque of the limits and the spring over a tick [N·m], with the same effect. None for no limit.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the bodies are the same, were removed or belong to different worlds, if the two points lie apart, if an axis is not
            of unit length, or if limits are out of range, are given without `axis_body`, or do not contain the current pose.

    Example:
        >>> from engine import MassProperties, World
        >>> from engine.joints import Ball
        >>> world = World(dt=0.01)
        >>> bob = world.add_body(MassProperties.sphere(1.0, 0.1), position=(0.0, 0.0, -1.0), velocity=(1.0, 0.0, 0.0))
        >>> joint = world.add_joint(Ball(bob, at_body=(0.0, 0.0, 1.0), axis_body=(0.0, 0.0, 1.0), swing_limit=0.5))
        >>> world.step(100)
        >>> bool(abs(bob.to_world((0.0, 0.0, 1.0))).max() < 1e-11), round(joint.swing, 9)
        (True, 0.5)
    """

    __slots__ = ("_has_axis",)

    _type: ClassVar[int] = layout.BALL

    def __init__(
        self,
        body: BodyHandle,
        other: BodyHandle | None = None,
        *,
        at_body: npt.ArrayLike,
        at_other: npt.ArrayLike | None = None,
        axis_body: npt.ArrayLike | None = None,
        axis_other: npt.ArrayLike | None = None,
        swing_limit: float | None = None,
        twist_limits: Sequence[float] | None = None,
        spring: JointSpring | None = None,
        break_force: float | None = None,
        break_torque: float | None = None,
    ) -> None:
        values, _gap = points(body, other, at_body, at_other, "Ball")
        self._has_axis = axis_body is not None
        if axis_other is not None and not self._has_axis:
            refuse("Ball", "axis_other", axis_other, "left out if axis_body is not given")
        frame = frame_along((1.0, 0.0, 0.0) if axis_body is None else unit_axis(axis_body, "axis_body", "Ball"))
        frame_other = seen_from(frame, body, other)
        if axis_other is not None:
            frame_other = _swung(frame_other, unit_axis(axis_other, "axis_other", "Ball"))
        values |= {"frame_body": frame, "frame_other": frame_other}
        super().__init__(body, other, values, break_force, break_torque)
        self._set_up(swing_limit=swing_limit, twist_limits=twist_limits, spring=spring)

    swing_limit = SwingLimit(0, "Maximum swing [rad]; infinite if there is no limit.")
    twist_limits = Limits(1, "Limits (lower, upper) of the twist [rad]; infinite if there is none.")
    spring = BallSpring(2, "The spring towards the rest orientation, as stiffness and damping; None if there is none.")
    swing = coordinate(0, "rad", "Angle between the axes on the two bodies [rad], from 0 to π.")
    twist = coordinate(1, "rad", _TWIST)
    swing_rate = rate_of(0, "rad/s", _SWING_RATE)
    twist_rate = rate_of(1, "rad/s", "Rate of the twist [rad/s], undefined at a swing of π.")

    def _rate(self, freedom: int) -> float:
        if freedom > 0:
            return super()._rate(freedom)
        axis, other = self._frame("frame_body", self.body)[0], self._frame("frame_other", self.other)[0]
        direction, rates = swing(axis, other)[1], relative_rates(self)
        if dot(direction, direction) > 0.0:
            return dot(direction, rates)
        across = cross(axis, rates)
        rate = sqrt(dot(across, across))
        return rate if dot(axis, other) > 0.0 else -rate

    def potential_energy(self) -> float:
        """Return the energy ``k θ²/2`` of the spring [J]; zero if there is none."""
        stiffness = self._numbers(layout.BALL_SPRING, layout.SPRING_SIZE)[1] if self.enabled else 0.0
        turn = rotation_vector(self._turn())
        return 0.5 * stiffness * dot(turn, turn)

    def _shown(self) -> tuple[tuple[str, str], ...]:
        return self._measured if self._has_axis else ()

    def _require_shown(self, name: str) -> None:
        if not self._has_axis:
            refuse(self, "axis_body", None, f"given to Ball, because {name} needs it")

    def _require_free(self, value: object, argument: str) -> None:
        if argument != "spring":
            self._require_shown(argument)


def _swung(frame: Quaternion, axis: Vector) -> Quaternion:
    """A frame after the smallest rotation that moves its x axis to another unit vector."""
    now = rotate(frame, 2.0, (1.0, 0.0, 0.0))
    x, y, z = cross(now, axis)
    w = 1.0 + dot(now, axis)
    if w < 1e-12:  # half a turn about any axis across
        (x, y, z), w = rotate(frame, 2.0, (0.0, 1.0, 0.0)), 0.0
    return unit_length(multiply(unit_length((x, y, z, w)), frame))
