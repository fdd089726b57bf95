"""Joints between two ports, where the one is as seen from where it is mated with the other."""

from __future__ import annotations

from math import sqrt

from ..constraints import layout
from ..constraints.joint_types import angle_of
from ..kernels.quaternions import Quaternion, conjugate, multiply, rotate, rotate_inverse
from ..kernels.rotations import slerp
from ..kernels.vectors import Vector, add, add_scaled, cross, dot, subtract
from .closing import ClosingJoint
from .joint import pose_of, unit_length
from .motion import relative_rates, relative_velocity


class MatingJoint(ClosingJoint):
    """A joint that pulls a port of the body to where it is mated with one of the other body."""

    __slots__ = ("_clocking", "_retract_time")

    _clocking: float | None
    """The clocking angle at which they are mated [rad]; None if any is allowed."""
    _retract_time: float

    def _mated(self) -> tuple[Vector, Quaternion]:
        """Point and frame of the mated port in the axes of the other body."""
        a, b, c, x, y, z, w = self._value("caught").tolist()
        return (a, b, c), (x, y, z, w)

    def _frame_now(self) -> Quaternion:
        """The frame of the body's port in the axes of the other body."""
        x, y, z, w = self._value("frame_body").tolist()
        return unit_length(multiply(conjugate(pose_of(self.other)[1]), multiply(pose_of(self.body)[1], (x, y, z, w))))

    def _axis_body(self) -> Vector:
        x, y, z, w = self._value("frame_body").tolist()
        return rotate((x, y, z, w), 2.0, (1.0, 0.0, 0.0))

    def _hold(self, point: Vector, frame: Quaternion) -> None:
        """Make the springs rest where the body's port is at this point and frame of the other body."""
        row = self._slice().start
        self._table.write(slice(layout.AT_OTHER, layout.AT_OTHER + 3), row, point)
        self._table.write(slice(layout.FRAME_OTHER, layout.FRAME_OTHER + 4), row, frame)

    def _retract(self, lapsed: float, dt: float) -> None:
        """Move the rest pose of the springs towards the mated pose, from the middle of the last tick to the middle of the next one.

        To second order, a spring whose rest pose moves evenly exerts the same impulse over a tick as one whose rest pose stays at the
        position in the middle of the tick.
        """
        mated_point, mated_frame = self._mated()
        before = min(max(lapsed - 0.5 * dt, 0.0) / self._retract_time, 1.0)
        after = min((lapsed + 0.5 * dt) / self._retract_time, 1.0)
        share = 1.0 if after == 1.0 else (after - before) / (1.0 - before)
        a, b, c = self._value("at_other").tolist()
        x, y, z, w = self._value("frame_other").tolist()
        point = add_scaled((a, b, c), share, subtract(mated_point, (a, b, c)))
        self._hold(point, unit_length(slerp((x, y, z, w), mated_frame, share)))

    def _to_mated(self) -> tuple[Vector, Quaternion]:
        """From the body's port to where it is mated, and the rotation from there to its frame, world frame."""
        position, q, _center = pose_of(self.body)
        other_position, other_q, other_center = pose_of(self.other)
        mated_point, mated_frame = self._mated()
        there = add(subtract(other_position, position), rotate(other_q, 2.0, subtract(mated_point, other_center)))
        x, y, z, w = self._value("frame_body").tolist()
        turn = multiply(multiply(q, (x, y, z, w)), conjugate(multiply(other_q, mated_frame)))
        return subtract(there, self._lever()), turn

    def _mated_gap(self) -> tuple[float, float]:
        """Distance [m] and angle [rad] from the mated pose; a free angle about the axis does not count."""
        gap, turn = self._to_mated()
        angle = self._axis_angle(turn) if self._clocking is None else _angle(turn)
        return sqrt(dot(gap, gap)), angle

    def _axis_angle(self, turn: Quaternion) -> float:
        """Angle between the body's axis and where it is mated [rad]."""
        axis = rotate(pose_of(self.body)[1], 2.0, self._axis_body())
        before = rotate_inverse(turn, 2.0, axis)
        across = cross(before, axis)
        return abs(angle_of(sqrt(dot(across, across)), dot(before, axis)))

    def _misalignment(self) -> tuple[float, float, float, float, float]:
        """Distance along and across the body's axis, angle, relative speed and rate."""
        gap, turn = self._to_mated()
        axis = rotate(pose_of(self.body)[1], 2.0, self._axis_body())
        along = dot(axis, gap)
        lateral = add_scaled(gap, -along, axis)
        angle = self._axis_angle(turn)
        if self._clocking is not None:
            angle = max(angle, _angle(turn))
        velocity, rates = relative_velocity(self, self._lever()), relative_rates(self)
        return (
            abs(along),
            sqrt(dot(lateral, lateral)),
            angle,
            sqrt(dot(velocity, velocity)),
            sqrt(dot(rates, rates)),
        )


def _angle(turn: Quaternion) -> float:
    """Angle of a rotation [rad], from 0 to π."""
    x, y, z, w = turn
    return 2.0 * angle_of(sqrt(x * x + y * y + z * z), abs(w))


def least_turn(mated: Quaternion, frame: Quaternion) -> Quaternion:
    """The mated frame turned about its own axis until it is nearest to another frame."""
    x, _y, _z, w = multiply(conjugate(mated), frame)
    size = sqrt(x * x + w * w)
    if size == 0.0:  # half a turn about an axis across its own: all are equally near
        return mated
    return unit_length(multiply(mated, (x / size, 0.0, 0.0, w / size)))
