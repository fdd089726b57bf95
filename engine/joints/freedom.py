"""Joints with one freedom that limits, motors, friction and springs act on."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..checks import refuse
from ..constraints import layout
from ..kernels.quaternions import rotate, rotate_inverse
from ..kernels.vectors import Vector, add, cross, dot, subtract
from ..store.rows import BodyHandle, Parameter
from .joint import Joint, pose_of, range_of, threshold
from .motor import JointSpring, Motor, numbers_of

_MOTOR, _SPRING = slice(layout.MOTOR, layout.MOTOR + 5), slice(layout.SPRING, layout.SPRING + 4)
_LIMITS = slice(layout.LOWER, layout.UPPER + 1)

Direction = tuple[Vector, Vector]
"""Directions of an impulse and of an angular impulse at the common point, world axes."""


class FreedomJoint(Joint):
    """A joint with one freedom: an angle or a distance."""

    __slots__ = ()

    def _set_up(
        self,
        limits: Sequence[float] | None,
        friction: float,
        motor: Motor | None,
        spring: JointSpring | None,
        break_force: float | None,
        break_torque: float | None,
    ) -> None:
        """Give a new joint its settings."""
        array, row = self._table.array, self._slice().start
        array[layout.COORDINATE, row] = self._coordinate()
        if limits is not None:
            self.limits = limits
        self.friction = friction
        self.motor = motor
        self.spring = spring
        owner = type(self).__name__
        array[layout.BREAK_FORCE, row] = threshold(break_force, "break_force", owner)
        array[layout.BREAK_TORQUE, row] = threshold(break_torque, "break_torque", owner)

    friction = Parameter[float]("Largest torque [N·m] or force [N] of dry friction, at least 0.")

    @property
    def limits(self) -> tuple[float, float]:
        """Limits (lower, upper) of the angle [rad] or distance [m]; infinite where there is none."""
        lower, upper = self._table.array[_LIMITS, self._slice().start].tolist()
        return lower, upper

    @limits.setter
    def limits(self, value: Sequence[float] | None) -> None:
        lower, upper = range_of(value, "limits", repr(self))
        now = self._coordinate()
        if not lower - 1e-9 <= now <= upper + 1e-9:
            refuse(self, "limits", value, f"a range that contains the present value, {now:.9g}")
        self._table.write(_LIMITS, self._slice().start, (lower, upper))

    @property
    def motor(self) -> Motor | None:
        """The motor, with its hold as stiffness and damping; None if there is none. May be assigned in flight."""
        kind, target, stiffness, damping, most = self._table.array[_MOTOR, self._slice().start].tolist()
        if kind == layout.NO_MOTOR:
            return None
        if kind == layout.RATE_MOTOR:
            return Motor(target_rate=target, max_torque=most)
        return Motor(target_angle=target, stiffness=stiffness, damping=damping, max_torque=most)

    @motor.setter
    def motor(self, value: Motor | None) -> None:
        if value is not None and not isinstance(value, Motor):
            refuse(self, "motor", value, "a Motor, or None", TypeError)
        row = self._slice().start
        if value is None:
            self._table.write(_MOTOR, row, (layout.NO_MOTOR, 0.0, 0.0, 0.0, 0.0))
        elif value.target_rate is not None:
            self._table.write(_MOTOR, row, (layout.RATE_MOTOR, value.target_rate, 0.0, 0.0, value.max_torque))
        else:
            assert value.target_angle is not None
            stiffness, damping = numbers_of(value, self.inertia())
            self._table.write(
                _MOTOR, row, (layout.POSITION_MOTOR, value.target_angle, stiffness, damping, value.max_torque)
            )

    @property
    def spring(self) -> JointSpring | None:
        """The spring, with its stiffness and damping; None if there is none."""
        kind, stiffness, damping, rest = self._table.array[_SPRING, self._slice().start].tolist()
        return None if kind == 0.0 else JointSpring(stiffness=stiffness, damping=damping, rest=rest)

    @spring.setter
    def spring(self, value: JointSpring | None) -> None:
        if value is not None and not isinstance(value, JointSpring):
            refuse(self, "spring", value, "a JointSpring, or None", TypeError)
        row = self._slice().start
        if value is None:
            self._table.write(_SPRING, row, (0.0, 0.0, 0.0, 0.0))
        else:
            stiffness, damping = numbers_of(value, self.inertia())
            self._table.write(_SPRING, row, (1.0, stiffness, damping, value.rest))

    def inertia(self) -> float:
        """Return the inertia about the freedom at the present poses [kg·m² or kg], with the other freedoms of the joint locked."""
        locked, free = self._directions()
        return 1.0 / compliance(self.body, self.other, self._common_point(), locked, free)

    def potential_energy(self) -> float:
        """Return the energy of the spring ``k (x − rest)²/2`` [J]."""
        spring = self.spring
        if spring is None or not self.enabled:
            return 0.0
        assert spring.stiffness is not None
        stretch = self._coordinate() - spring.rest
        return 0.5 * spring.stiffness * stretch * stretch

    # what each type says of itself

    def _coordinate(self) -> float:
        """The angle or distance at the present poses."""
        raise NotImplementedError

    def _directions(self) -> tuple[list[Direction], Direction]:
        """The directions of the rows that hold the joint, and of its freedom, at the present poses."""
        raise NotImplementedError

    def _common_point(self) -> Vector:
        """The common point of both bodies, relative to the first body's mass centre, world axes."""
        return self._lever()

    def _lever(self) -> Vector:
        """From the first body's mass centre to its point, world axes."""
        _position, q, center = pose_of(self.body)
        x, y, z = self._value("at_body").tolist()
        return rotate(q, 2.0, subtract((x, y, z), center))

    def _gap(self) -> Vector:
        """From the point on the other body to that on the first, world axes."""
        position, _q, _center = pose_of(self.body)
        other_position, other_q, other_center = pose_of(self.other)
        x, y, z = self._value("at_other").tolist()
        to_other = rotate(other_q, 2.0, subtract((x, y, z), other_center))
        return subtract(add(subtract(position, other_position), self._lever()), to_other)

    def _frame(self, name: str, body: BodyHandle | None) -> tuple[Vector, Vector, Vector]:
        """The axes of the joint on one of the bodies, world axes."""
        x, y, z, w = self._value(name).tolist()
        _position, q, _center = pose_of(body)
        one, two, three = (rotate((x, y, z, w), 2.0, axis) for axis in _AXES)
        return rotate(q, 2.0, one), rotate(q, 2.0, two), rotate(q, 2.0, three)


_AXES: tuple[Vector, Vector, Vector] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
POINT_DIRECTIONS: list[Direction] = [(axis, (0.0, 0.0, 0.0)) for axis in _AXES]
"""Rows that hold two points together."""
TURN_DIRECTIONS: list[Direction] = [((0.0, 0.0, 0.0), axis) for axis in _AXES]
"""Rows that hold two frames parallel."""


def compliance(
    body: BodyHandle, other: BodyHandle | None, point: Vector, locked: list[Direction], free: Direction
) -> float:
    """Rate that a unit impulse along a freedom gives to it while other rows are locked, by elimination in plain floats."""
    matrix = mobility(body, other, point, [*locked, free])
    count = len(matrix)
    for k in range(count - 1):
        for i in range(k + 1, count):
            share = matrix[i][k] / matrix[k][k]
            for j in range(k, count):
                matrix[i][j] -= share * matrix[k][j]
    return matrix[-1][-1]


def mobility(body: BodyHandle, other: BodyHandle | None, point: Vector, rows: list[Direction]) -> list[list[float]]:
    """Rates of rows for unit impulses of rows at a common point, which is given from the first body's mass centre."""
    count = len(rows)
    matrix = [[0.0] * count for _ in rows]
    position, _q, _center = pose_of(body)
    handles: tuple[Any, ...] = body, other
    for handle in handles:
        if handle is None:
            continue
        own_position, q, _own_center = pose_of(handle)
        arm = point if handle is body else subtract(add(position, point), own_position)
        turns = [rotate_inverse(q, 2.0, add(cross(arm, linear), angular)) for linear, angular in rows]
        answers = [_times(handle, turn) for turn in turns]
        for i in range(count):
            for j in range(count):
                linear = dot(rows[i][0], rows[j][0]) * handle.inverse_mass
                matrix[i][j] += linear + dot(turns[i], answers[j])
    return matrix


def _times(body: Any, vector: Vector) -> Vector:
    """The inverse inertia of a body times a vector, body axes."""
    rows = np.asarray(body.inverse_inertia_body).tolist()
    x, y, z = (row[0] * vector[0] + row[1] * vector[1] + row[2] * vector[2] for row in rows)
    return x, y, z
