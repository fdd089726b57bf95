"""Latches, which capture a port, pull two ports together and lock them, as in docking."""

from __future__ import annotations  # help() then shows them as written

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy.typing as npt

from ..checks import array, real, refuse, vector
from ..constraints import layout
from ..constraints.joint_types import angle_of
from ..kernels.quaternions import Quaternion, conjugate, from_rotation_vector, multiply, rotate, rotate_inverse
from ..kernels.rotations import from_columns, slerp
from ..kernels.vectors import Vector, add, add_scaled, cross, dot, scale, subtract
from ..store.rows import BodyHandle, fixed
from .closing import ARMED, CLOSED, DISARMED, FAILED, HARD, RELEASED, SOFT, ClosingJoint
from .joint import AXES, Host, check_bodies, pose_of, unit_axis, unit_length
from .motion import relative_rates, relative_velocity

_MOST_RETRACTIONS = 3.0
"""A latch that has not locked after this many times its `retract_time` says so; it goes on."""


@dataclass(frozen=True)
class Port:
    """A docking port, which is a point, an outward axis and an up direction in the body frame.

    Args:
        position: The point [m], body frame, from the origin of the body, shape (3,).
        axis: The outward axis, a unit vector, body frame, shape (3,).
        up: A direction at right angles to `axis`, a unit vector, body frame, shape (3,).

    Raises:
        TypeError: If an argument is not a sequence of real numbers.
        ValueError: If `axis` or `up` is not of unit length, or they are not at right angles.

    Example:
        >>> from engine.joints import Port
        >>> Port(position=(0.0, 0.0, 2.0), axis=(0.0, 0.0, 1.0), up=(1.0, 0.0, 0.0)).axis
        (0.0, 0.0, 1.0)
    """

    position: npt.ArrayLike
    axis: npt.ArrayLike
    up: npt.ArrayLike

    def __post_init__(self) -> None:
        position = vector(self.position, "position", "Port").tolist()
        axis, up = unit_axis(self.axis, "axis", "Port"), unit_axis(self.up, "up", "Port")
        if not abs(dot(axis, up)) <= 1e-6:
            refuse("Port", "up", self.up, "at right angles to the axis", hint=f"the cosine is {dot(axis, up):.3g}")
        for name, value in (("position", tuple(position)), ("axis", axis), ("up", up)):
            object.__setattr__(self, name, value)

    @property
    def _axis(self) -> Vector:
        return unit_axis(self.axis, "axis", "Port")

    @property
    def _up(self) -> Vector:
        return unit_axis(self.up, "up", "Port")


@dataclass(frozen=True)
class Capture:
    """The limits within which a latch captures a port.

    Args:
        distance: Maximum distance between the ports along the axis of the body's port [m], above 0.
        angle: Maximum angle between the axes, and maximum error of the clocking angle [rad], above 0.
        lateral: Maximum distance across the axis [m], above 0.
        speed: Maximum relative speed of the ports [m/s], above 0.
        rate: Maximum rate of the relative rotation [rad/s], above 0.

    Raises:
        TypeError: If an argument is not a real number.
        ValueError: If an argument is not positive.

    Example:
        >>> from engine.joints import Capture
        >>> Capture(distance=0.3).speed
        0.2
    """

    distance: float = 0.1
    angle: float = 0.1
    lateral: float = 0.1
    speed: float = 0.2
    rate: float = 0.1

    def __post_init__(self) -> None:
        for name in ("distance", "angle", "lateral", "speed", "rate"):
            object.__setattr__(self, name, real(getattr(self, name), name, "Capture", above=0.0))


class Latch(ClosingJoint):
    """A latch between ports of two bodies, which captures the other port, pulls the ports together and locks.

    Mated ports are at the same point, and their axes are opposite. The `up` direction of the body's port is that of the other port, rotated
    by `clocking` about the axis of the body's port.

    The latch has three states. While it is "open", it checks at the start of every tick whether the other port is within `capture`. If so,
    it becomes "soft": damped springs hold the ports and pull them together over `retract_time`. Once they are within 1e-3 m and 1e-3 rad,
    it becomes "hard", which is a weld. If the ports are not there two periods after `retract_time`, for example because the pair spins, the
    springs become critically damped, and their frequency grows by a factor of e per period, up to a quarter of the tick rate. If locking
    takes longer than three times `retract_time`, the event "failed" occurs. The latch then stays soft, and may still lock later. A soft
    latch that is disabled or removed is open when it is enabled or added again. The latch conserves the linear and angular momentum of the
    two bodies. While it holds them, the shapes of the two bodies do not touch.

    Args:
        body: The first body.
        other: The second body.
        port: The port of the body.
        other_port: The port of the other body.
        clocking: Angle between the `up` directions of the mated ports [rad]. None allows any angle, and the latch locks at the current one.
        capture: The limits for capture; None for those of `Capture()`.
        soft: Frequency [Hz], above 0, and damping ratio [-], at least 0, of the springs. They refer to the effective masses and inertias at
            the ports at the moment of capture, including the bodies that other joints connect to the two.
        retract_time: The time over which the springs pull the ports together [s], above 0.
        break_force: Maximum mean force over a tick [N]; a joint that carries more breaks and is removed. None for no limit.
        break_torque: Maximum mean torque over a tick [N·m], with the same effect. None for no limit.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the bodies are the same, were removed or belong to different worlds, or if an argument is out of its range.

    Example:
        >>> from engine import MassProperties, World
        >>> from engine.joints import Latch, Port
        >>> world = World(dt=0.05)
        >>> box = MassProperties.box(500.0, (2.0, 2.0, 2.0))
        >>> ship = world.add_body(box, velocity=(0.05, 0.0, 0.0))
        >>> station = world.add_body(box, position=(2.08, 0.0, 0.0))
        >>> probe = Port(position=(1.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0), up=(0.0, 0.0, 1.0))
        >>> drogue = Port(position=(-1.0, 0.0, 0.0), axis=(-1.0, 0.0, 0.0), up=(0.0, 0.0, 1.0))
        >>> latch = world.add_joint(Latch(ship, station, probe, drogue, clocking=0.0))
        >>> world.step(200)
        >>> latch.state
        'hard'
        >>> latch.release(push=10.0)
        >>> world.step()
        >>> latch.state, (station.velocity - ship.velocity).round(9).tolist()
        ('open', [0.04, 0.0, 0.0])
    """

    __slots__ = ("_capture", "_clocking", "_other_port", "_retract_time", "_soft")

    _type: ClassVar[int] = layout.OPEN
    _types: ClassVar[tuple[int, ...]] = (layout.OPEN, layout.SOFT, layout.SOFT_AXIS, layout.WELD)
    _phases: ClassVar[tuple[int, ...]] = tuple(range(HARD, CLOSED + 1))

    def __init__(
        self,
        body: BodyHandle,
        other: BodyHandle,
        port: Port,
        other_port: Port,
        *,
        clocking: float | None = None,
        capture: Capture | None = None,
        soft: tuple[float, float] = (1.0, 1.0),
        retract_time: float = 2.0,
        break_force: float | None = None,
        break_torque: float | None = None,
    ) -> None:
        check_bodies(body, other, "Latch")
        if other is None:
            refuse("Latch", "other", other, "a body", TypeError)
        for name, value in (("port", port), ("other_port", other_port)):
            if not isinstance(value, Port):
                refuse("Latch", name, value, "a Port", TypeError)
        if capture is not None and not isinstance(capture, Capture):
            refuse("Latch", "capture", capture, "a Capture", TypeError)
        self._capture, self._other_port = capture or Capture(), other_port
        self._clocking = None if clocking is None else real(clocking, "clocking", "Latch")
        frequency, ratio = array(soft, "soft", "Latch", (2,)).tolist()
        self._soft = real(frequency, "soft[0]", "Latch", above=0.0), real(ratio, "soft[1]", "Latch", at_least=0.0)
        self._retract_time = real(retract_time, "retract_time", "Latch", above=0.0)
        values = {
            "at_body": port.position,
            "at_other": other_port.position,
            "frame_body": _frame(port._axis, port._up),
            "frame_other": self._mated_frame(other_port),
            "latch": (ARMED, 0.0, 0.0),
            "caught": (*vector(other_port.position, "position", "Port"), *self._mated_frame(other_port)),
        }
        super().__init__(body, other, values, break_force, break_torque)

    @fixed
    def state(self) -> str:
        """State of the latch, "open", "soft" or "hard"."""
        phase = int(self._value("latch")[0])
        return "hard" if phase in (HARD, CLOSED) else "soft" if phase in (SOFT, FAILED) else "open"

    @fixed
    def capture(self) -> Capture:
        """The limits for capture."""
        return self._capture

    @fixed
    def clocking(self) -> float | None:
        """Angle between the `up` directions of the mated ports [rad]; None if any angle is allowed."""
        return self._clocking

    @fixed
    def soft(self) -> tuple[float, float]:
        """Frequency [Hz] and damping ratio [-] of the springs that pull the ports together."""
        return self._soft

    @fixed
    def retract_time(self) -> float:
        """The time over which the springs pull the ports together [s]."""
        return self._retract_time

    @fixed
    def port(self) -> Port:
        """The port of the body."""
        x, y, z, w = self._value("frame_body").tolist()
        axis, up = (rotate((x, y, z, w), 2.0, each) for each in AXES[:2])
        return Port(tuple(self.at_body.tolist()), axis, up)

    @fixed
    def other_port(self) -> Port:
        """The port of the other body."""
        return self._other_port

    def release(self, push: float = 0.0) -> None:
        """Release the other port, and push the bodies apart.

        The latch does not capture again until the ports have left the distances of `capture`.

        Args:
            push: Impulse on the other body along the axis of the body's port [N·s], at least 0. The body gets the opposite impulse.

        Raises:
            TypeError: If `push` is not a real number.
            ValueError: If the latch is open or not in a world, or `push` is negative.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.joints import Port
            >>> world = World(dt=0.05)
            >>> box = MassProperties.box(500.0, (2.0, 2.0, 2.0))
            >>> ship = world.add_body(box, velocity=(0.05, 0.0, 0.0))
            >>> station = world.add_body(box, position=(2.08, 0.0, 0.0))
            >>> probe = Port(position=(1.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0), up=(0.0, 0.0, 1.0))
            >>> drogue = Port(position=(-1.0, 0.0, 0.0), axis=(-1.0, 0.0, 0.0), up=(0.0, 0.0, 1.0))
            >>> latch = world.add_joint(Latch(ship, station, probe, drogue, clocking=0.0))
            >>> world.step(200)
            >>> latch.release(push=10.0)  # N·s between 500 kg each
            >>> world.step()
            >>> latch.state, (station.velocity - ship.velocity).round(9).tolist()
            ('open', [0.04, 0.0, 0.0])
        """
        impulse = real(push, "push", repr(self), at_least=0.0)
        if self._table.store is None:
            refuse(self, "release", push, "called while the latch is in a world")
        if self.state == "open":
            refuse(self, "state", self.state, '"soft" or "hard" to be released')
        body, other = self.body, self.other
        assert other is not None  # a latch is between two bodies
        along = scale(impulse, rotate(pose_of(body)[1], 2.0, self._axis_body()))
        point = body.to_world(self.at_body)
        with self._table.store.all_or_nothing():
            # functions are told of it at the start of the next tick, in which the phase becomes that of an open latch
            self._go(RELEASED, layout.OPEN)
            if impulse > 0.0:
                body.apply_impulse(scale(-1.0, along), point)
                other.apply_impulse(along, point)

    # at the start of a tick

    def _advance(self, world: Host) -> str | None:
        """Capture, retract, lock or arm the latch; return the event, if there was one."""
        phase, since, _energy = self._value("latch").tolist()
        if phase == RELEASED:
            # the ports are still near each other, and would be captured again at once
            self._go(DISARMED, layout.OPEN)
            return "released"
        if phase in (ARMED, DISARMED):
            along, lateral, angle, speed, rate = self._misalignment()
            limits = self._capture
            is_near = along <= limits.distance and lateral <= limits.lateral
            if phase == DISARMED:
                if not is_near:
                    self._go(ARMED, layout.OPEN)
                return None
            if not (is_near and angle <= limits.angle and speed <= limits.speed and rate <= limits.rate):
                return None
            self._catch(world)
            return "captured"
        if phase in (SOFT, FAILED):
            lapsed = (world.tick_count - since) * world.dt
            gap, turn = self._mated_gap()
            if self._may_lock(world, gap, turn):
                self._lock()
                return "locked"
            self._retract(lapsed, world.dt)
            self._stiffen(self._soft[0], lapsed - self._retract_time, world.dt)
            if phase == SOFT and lapsed > _MOST_RETRACTIONS * self._retract_time:
                self._table.write(layout.LATCH_PHASE, self._slice().start, FAILED)
                return "failed"
        return None

    def _resume(self, world: Host) -> None:
        super()._resume(world)
        if self.state == "soft":  # the ports may be anywhere now
            self._go(ARMED, layout.OPEN)

    def _come_apart(self) -> None:
        self._go(DISARMED, layout.OPEN)

    def _catch(self, world: Host) -> None:
        """Hold the ports by springs where they are."""
        row = self._slice().start
        position, _q, _center = pose_of(self.body)
        other_position, other_q, other_center = pose_of(self.other)
        point = subtract(add(position, self._lever()), other_position)
        held = add(rotate_inverse(other_q, 2.0, point), other_center)
        frame = self._frame_now()
        mated_point, mated_frame = self._mated()
        if self._clocking is None:  # mated at the angle at which it was caught
            mated_frame = _least_turn(mated_frame, frame)
            self._table.write(slice(layout.FRAME_OTHER, layout.FRAME_OTHER + 4), row, mated_frame)
        self._soften(*self._soft)
        self._write_numbers(layout.CAPTURED_ENERGY, (0.0,))
        self._go(SOFT, layout.SOFT if self._clocking is not None else layout.SOFT_AXIS)
        self._table.write(layout.LATCH_SINCE, row, float(world.tick_count))
        # the mated pose is kept, and the springs start from the current one
        kept = slice(layout.CAUGHT_POINT, layout.CAUGHT_FRAME + 4)
        self._table.write(kept, row, (*mated_point, *mated_frame))
        self._hold(held, frame)
        self._retract(0.0, world.dt)

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

    def _lock(self) -> None:
        """Become rigid at the mated pose."""
        mated_point, mated_frame = self._mated()
        if self._clocking is None:  # at the angle that it has reached
            mated_frame = _least_turn(mated_frame, self._frame_now())
        self._hold(mated_point, mated_frame)
        super()._lock()

    # geometry

    def _mated_frame(self, port: Port) -> Quaternion:
        """The frame of the body's mated port in the axes of the other body."""
        inward = scale(-1.0, port._axis)
        turn = from_rotation_vector(scale(self._clocking or 0.0, inward))
        return _frame(inward, rotate(turn, 2.0, port._up))

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


def _frame(axis: Vector, up: Vector) -> Quaternion:
    """The frame whose x axis is a port's axis and whose y axis is its up direction."""
    return unit_length(from_columns(axis, up, cross(axis, up), 1.0))


def _angle(turn: Quaternion) -> float:
    """Angle of a rotation [rad], from 0 to π."""
    x, y, z, w = turn
    return 2.0 * angle_of(sqrt(x * x + y * y + z * z), abs(w))


def _least_turn(mated: Quaternion, frame: Quaternion) -> Quaternion:
    """The mated frame turned about its own axis until it is nearest to another frame."""
    x, _y, _z, w = multiply(conjugate(mated), frame)
    size = sqrt(x * x + w * w)
    if size == 0.0:
        return mated
    return unit_length(multiply(mated, (x / size, 0.0, 0.0, w / size)))
