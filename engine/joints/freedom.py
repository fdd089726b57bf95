"""Joints with degrees of freedom on which limits, motors, friction and springs act."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Callable, Sequence
from math import inf, pi
from typing import Self, overload

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, integer, real, refuse
from ..constraints import layout
from ..constraints.joint_types import Freedoms, Placement, load, rows_of_type
from ..kernels.quaternions import Quaternion, multiply, rotate
from ..kernels.vectors import Vector, add, dot, subtract
from ..reading import reading
from ..store.rows import BodyHandle, fixed
from .joint import AXES, Joint, Setting, frame_along, points, pose_of, range_of, seen_from, unit_axis
from .mobility import Direction
from .motion import relative_rates, relative_velocity
from .motor import JointSpring, Motor, numbers_of


class Limits(Setting[tuple[float, float], Sequence[float] | None]):
    """Limits of a degree of freedom; a missing limit is infinite."""

    def _read(self, joint: FreedomJoint) -> tuple[float, float]:
        column = joint._numbers(layout.LOWER, 2 * layout.MOST_FREEDOMS)
        return column[self._freedom], column[layout.MOST_FREEDOMS + self._freedom]

    def _write(self, joint: FreedomJoint, value: Sequence[float] | None) -> None:
        lower, upper = range_of(value, self._name, repr(joint))
        if (lower, upper) != (-inf, inf):
            joint._require_free(value, self._name)
        # a joint that rests at its limit is rounded to either side of it
        now = joint._coordinates()[self._freedom]
        if not lower - 1e-9 <= now <= upper + 1e-9:
            refuse(joint, self._name, value, f"a range that contains the current value, {now:.9g}")
        # both limits in one write: a tick or an error between two would leave a range that nobody asked for
        numbers = joint._numbers(layout.LOWER, 2 * layout.MOST_FREEDOMS)
        numbers[self._freedom], numbers[layout.MOST_FREEDOMS + self._freedom] = lower, upper
        joint._write_numbers(layout.LOWER, numbers)


class Friction(Setting[float, float]):
    """The maximum torque or force of dry friction on a degree of freedom."""

    def _read(self, joint: FreedomJoint) -> float:
        return joint._numbers(layout.FRICTION + self._freedom, 1)[0]

    def _write(self, joint: FreedomJoint, value: float) -> None:
        most = real(value, self._name, joint, at_least=0.0)
        if most > 0.0:
            joint._require_free(value, self._name)
        joint._write_numbers(layout.FRICTION + self._freedom, (most,))


class MotorOf(Setting[Motor | None, Motor | None]):
    """The motor of a degree of freedom; one that holds a position reads as stiffness and damping, unless it follows the inertia."""

    def __init__(self, freedom: int, acts: str = "", holds: str = "an angle", note: str = "") -> None:
        none = f"The motor{acts}; None if there is none."
        doc = f"{none} One that holds {holds} is returned with `stiffness` and `damping`.{note}"
        super().__init__(freedom, doc)

    @property
    def _first(self) -> int:
        return layout.MOTOR + layout.MOTOR_SIZE * self._freedom

    @property
    def _drive(self) -> int:
        return layout.DRIVE + layout.DRIVE_SIZE * self._freedom

    def _read(self, joint: FreedomJoint) -> Motor | None:
        kind, target, stiffness, damping, most = joint._numbers(self._first, layout.MOTOR_SIZE)
        if kind == layout.NO_MOTOR:
            return None
        if kind == layout.RATE_MOTOR:
            return Motor(target_rate=target, max_torque=most)
        rate, torque = joint._numbers(self._drive, layout.DRIVE_SIZE)
        if kind == layout.FOLLOWING_MOTOR:
            return Motor(rate or None, target, stiffness, damping, max_torque=most, torque=torque, follows_inertia=True)
        return Motor(rate or None, target, stiffness=stiffness, damping=damping, max_torque=most, torque=torque)

    def _write(self, joint: FreedomJoint, value: Motor | None) -> None:
        numbers, drive = (float(layout.NO_MOTOR), 0.0, 0.0, 0.0, 0.0), (0.0, 0.0)
        if value is not None:
            if not isinstance(value, Motor):
                refuse(joint, self._name, value, "a Motor, or None", TypeError)
            joint._require_bodies(self._name)
            joint._require_free(value, self._name)
            if value.target_angle is None:
                assert value.target_rate is not None
                numbers = (layout.RATE_MOTOR, value.target_rate, 0.0, 0.0, value.max_torque)
            else:
                stiffness, damping = numbers_of(value, joint, self._name, lambda: joint._inertia(self._freedom))
                kind = layout.FOLLOWING_MOTOR if value.follows_inertia else layout.POSITION_MOTOR
                numbers = (kind, value.target_angle, stiffness, damping, value.max_torque)
                drive = (value.target_rate or 0.0, value.torque)
        with joint._all_or_nothing():
            joint._write_numbers(self._first, numbers)
            if list(drive) != joint._numbers(self._drive, layout.DRIVE_SIZE):
                joint._write_numbers(self._drive, drive)


class SpringOf(Setting[JointSpring | None, JointSpring | None]):
    """The spring of a degree of freedom, which reads as its stiffness and damping unless it follows the inertia."""

    @property
    def _first(self) -> int:
        return layout.SPRING + layout.SPRING_SIZE * self._freedom

    def _read(self, joint: FreedomJoint) -> JointSpring | None:
        kind, stiffness, damping, rest = joint._numbers(self._first, layout.SPRING_SIZE)
        if kind == layout.FOLLOWING_SPRING:
            return JointSpring(frequency=stiffness, damping_ratio=damping, rest=rest, follows_inertia=True)
        return None if kind == layout.NO_SPRING else JointSpring(stiffness=stiffness, damping=damping, rest=rest)

    def _write(self, joint: FreedomJoint, value: JointSpring | None) -> None:
        numbers = (float(layout.NO_SPRING), 0.0, 0.0, 0.0)
        if value is not None:
            if not isinstance(value, JointSpring):
                refuse(joint, self._name, value, "a JointSpring, or None", TypeError)
            joint._require_free(value, self._name)
            given = numbers_of(value, joint, self._name, lambda: self._inertia_of(joint))
            kind = layout.FOLLOWING_SPRING if value.follows_inertia else layout.STIFF_SPRING
            numbers = (kind, *given, self._rest(joint, value))
        joint._write_numbers(self._first, numbers)

    def _inertia_of(self, joint: FreedomJoint) -> float:
        """The inertia by which a frequency is converted to a stiffness."""
        return joint._inertia(self._freedom)

    def _rest(self, joint: object, value: JointSpring) -> float:
        """The checked coordinate at which it rests."""
        return value.rest


class Measured(fixed):
    """The coordinate of a degree of freedom or its rate, which can be read and is recorded."""

    def __init__(self, read: Callable[[FreedomJoint], float], unit: str, doc: str) -> None:
        super().__init__(read, doc=doc)
        self._read, self.unit = read, unit

    @overload
    def __get__(self, joint: None, kind: type | None = None, /) -> Self: ...
    @overload
    def __get__(self, joint: FreedomJoint, kind: type | None = None, /) -> float: ...
    def __get__(self, joint: FreedomJoint | None, kind: type | None = None, /) -> Self | float:
        if joint is None:
            return self
        joint._require_shown(self._name)
        return self._read(joint)


def coordinate(freedom: int, unit: str, doc: str) -> Measured:
    """An attribute that is the coordinate of a degree of freedom."""

    def read(joint: FreedomJoint) -> float:
        return joint._coordinates()[freedom]

    return Measured(read, unit, doc)


def rate_of(freedom: int, unit: str, doc: str) -> Measured:
    """An attribute that is the rate of such a coordinate."""

    def read(joint: FreedomJoint) -> float:
        return joint._rate(freedom)

    return Measured(read, unit, doc)


class FreedomJoint(Joint):
    """A joint with one to three degrees of freedom that have a coordinate, each an angle or a distance."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        measured = tuple((name, each.unit) for name, each in vars(cls).items() if isinstance(each, Measured))
        cls._measured = measured or cls._measured

    def _set_up(self, **settings: object) -> None:
        """Give a new joint its coordinates, and its settings by the names of their attributes."""
        for freedom, coordinate in enumerate(self._coordinates()):
            self._table.array[layout.COORDINATE + freedom, self._slice().start] = coordinate
        for name, value in settings.items():
            setattr(self, name, value)

    def _require_free(self, value: object, argument: str) -> None:
        """Reject a setting of a degree of freedom that the joint does not have."""

    def _inertia(self, freedom: int) -> float:
        """The inertia about a degree of freedom at the current poses [kg·m² or kg], with all others of the joint locked."""
        held, free = self._directions()
        others = [each for number, each in enumerate(free) if number != freedom]
        return self._inertia_along(held, others, free[freedom])

    def _inertia_along(self, held: list[Direction], others: list[Direction], free: Direction) -> float:
        """The same for a direction, while the constrained rows and other directions do not yield."""
        inertia: float = self.body.world._inertia_about(self, self._common_point(), held, others, free)
        return inertia

    def inertia(self, number: int = 1) -> float:
        """Return the inertia about a degree of freedom at the current poses, with everything else locked.

        The bodies that other joints connect to one side of the joint move with it as one rigid body, and the world holds those that it is
        joined to. Disabled joints, open or soft latches, ropes and springs connect nothing. If the joint is part of a loop, locked joints
        would keep it from moving. The inertia is then that of the island, in which all joints may move.

        Args:
            number: The number of the degree of freedom, from 1.

        Returns:
            The inertia [kg·m²] about an axis of rotation, or the effective mass [kg] along a translation. It is infinite if the joints of
            a loop do not let the joint move. The relative error is about 1e-12, and 1e-9 in a loop with mass ratios of 1000.

        Raises:
            TypeError: If `number` is not an integer.
            ValueError: If the joint has no such degree of freedom.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.joints import Hinge, Weld
            >>> world = World(dt=0.01)
            >>> arm, load = world.add_bodies(MassProperties.sphere(5.0, 1.0), [(1, 0, 0), (2, 0, 0)])
            >>> shoulder = world.add_joint(Hinge(arm, at_body=(-1.0, 0.0, 0.0), axis_body=(0.0, 0.0, 1.0)))
            >>> round(shoulder.inertia(), 9)
            7.0
            >>> weld = world.add_joint(Weld(load, arm, at_body=(-0.5, 0.0, 0.0)))
            >>> round(shoulder.inertia(), 9)
            29.0
        """
        count = len(self._coordinates())
        if integer(number, "number", self, at_least=1) > count:
            refuse(self, "number", number, f"at most {count}")
        return self._inertia(number - 1)

    def _rate(self, freedom: int) -> float:
        """The rate of the coordinate of a degree of freedom [rad/s or m/s]."""
        found = self._measure(0)[1]
        linear, angular = self._direction(found, freedom)
        return dot(linear, relative_velocity(self, found.common)) + dot(angular, relative_rates(self))

    def potential_energy(self) -> float:
        """Return the energy ``Σ k (x − rest)²/2`` of the springs [J]."""
        energy = 0.0
        if self.enabled:
            for freedom, coordinate in enumerate(self._coordinates()):
                first = layout.SPRING + layout.SPRING_SIZE * freedom
                kind, stiffness, _damping, rest = self._numbers(first, layout.SPRING_SIZE)
                if kind == layout.FOLLOWING_SPRING:
                    rate = 2.0 * pi * stiffness  # a frequency, because the inertia of this pose decides the stiffness
                    stiffness = self._inertia(freedom) * rate * rate
                if kind != layout.NO_SPRING:
                    energy += 0.5 * stiffness * (coordinate - rest) * (coordinate - rest)
        return energy

    def _measure(self, has_directions: int) -> tuple[dict[tuple[int, int], float], Freedoms]:
        """The rows that hold the joint, with directions or without, and its freedoms, at the current poses.

        Points are relative to the first body's mass centre.
        """
        numbers = self._numbers(0, layout.COORDINATE + layout.MOST_FREEDOMS)
        (position, q, center), (other_position, other_q, other_center) = pose_of(self.body), pose_of(self.other)
        at = rotate(q, 2.0, subtract(_vector(numbers, layout.AT_BODY), center))
        lever = rotate(other_q, 2.0, subtract(_vector(numbers, layout.AT_OTHER), other_center))
        other_at = add(subtract(other_position, position), lever)
        frame = multiply(q, _quaternion(numbers, layout.FRAME_BODY))
        other_frame = multiply(other_q, _quaternion(numbers, layout.FRAME_OTHER))
        counted = _vector(numbers, layout.COORDINATE)
        place = Placement(at, other_at, subtract(at, other_at), frame, other_frame, (0.0, 0.0, 0.0), counted, 0.0)
        # plain Python reads and writes a dict faster than an array
        rows: dict[tuple[int, int], float] = {}
        return rows, rows_of_type(self._shown_type, place, rows, 0, layout.MOST_ROWS, has_directions)

    @property
    def _shown_type(self) -> int:
        """The type whose freedoms the joint shows: a rod is shown as a rope whose length does not change."""
        return self._types[-1]

    def _coordinates(self) -> tuple[float, ...]:
        """The angle or distance of each degree of freedom at the current poses."""
        return self._measure(0)[1].coordinates[: layout.FREEDOM_COUNTS[self._shown_type]]

    def _directions(self) -> tuple[list[Direction], list[Direction]]:
        """The directions of the constrained rows and of the degrees of freedom, at the current poses."""
        rows, found = self._measure(1)
        held = [(load(rows, row, layout.LINEAR), load(rows, row, layout.ANGULAR)) for row in range(found.row)]
        count = layout.FREEDOM_COUNTS[self._shown_type]
        return held, [self._direction(found, freedom) for freedom in range(count)]

    def _direction(self, found: Freedoms, freedom: int) -> Direction:
        along, none = found.directions[freedom], (0.0, 0.0, 0.0)
        return (none, along) if freedom >= layout.FIRST_TURN[self._shown_type] else (along, none)

    def _common_point(self) -> Vector:
        """The common point of both bodies, relative to the first body's mass centre, world frame."""
        return self._measure(0)[1].common


class AxisJoint(FreedomJoint):
    """A joint whose only degree of freedom is a rotation about an axis of the first body, or a translation along it."""

    __slots__ = ()

    def __init__(
        self,
        body: BodyHandle,
        other: BodyHandle | None = None,
        *,
        at_body: npt.ArrayLike,
        axis_body: npt.ArrayLike,
        at_other: npt.ArrayLike | None = None,
        limits: Sequence[float] | None = None,
        friction: float = 0.0,
        motor: Motor | None = None,
        spring: JointSpring | None = None,
        break_force: float | None = None,
        break_torque: float | None = None,
    ) -> None:
        owner = type(self).__name__
        values, _gap = points(body, other, at_body, at_other, owner)
        frame = frame_along(unit_axis(axis_body, "axis_body", owner))
        values |= {"frame_body": frame, "frame_other": seen_from(frame, body, other)}
        super().__init__(body, other, values, break_force, break_torque)
        self._set_up(limits=limits, friction=friction, motor=motor, spring=spring)

    @fixed
    def axis_body(self) -> FloatArray:
        """The axis, a unit vector, body frame, shape (3,)."""
        return self._axis("frame_body", AXES[0])

    @fixed
    def axis_world(self) -> FloatArray:
        """The axis, a unit vector, world frame, shape (3,)."""
        return reading(np.array(self._frame("frame_body", self.body)[0]))


def _vector(numbers: list[float], first: int) -> Vector:
    return numbers[first], numbers[first + 1], numbers[first + 2]


def _quaternion(numbers: list[float], first: int) -> Quaternion:
    return numbers[first], numbers[first + 1], numbers[first + 2], numbers[first + 3]


POINT_DIRECTIONS: list[Direction] = [(axis, (0.0, 0.0, 0.0)) for axis in AXES]
"""Rows that hold two points together."""
TURN_DIRECTIONS: list[Direction] = [((0.0, 0.0, 0.0), axis) for axis in AXES]
"""Rows that hold two frames parallel."""
