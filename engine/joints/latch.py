"""Latches, which capture a port, pull two ports together and lock them, as in docking."""

from __future__ import annotations  # help() then shows them as written

from typing import ClassVar

import numpy.typing as npt

from ..checks import array, real, refuse, vector
from ..constraints import layout
from ..kernels.quaternions import rotate
from ..kernels.vectors import scale
from ..store.rows import BodyHandle, Given, fixed
from .closing import ARMED, CLOSED, FAILED, HARD, RELEASED, SOFT
from .docking import DockingJoint
from .joint import AXES, check_bodies, pose_of
from .port import Capture, Port, frame_of, mated_frame


class Latch(DockingJoint):
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

    __slots__ = ("_other_port",)

    _type: ClassVar[int] = layout.OPEN
    _types: ClassVar[tuple[int, ...]] = (layout.OPEN, layout.SOFT, layout.SOFT_AXIS, layout.WELD)

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
        _check(body, other, port, other_port, capture)
        self._capture, self._other_port = capture or Capture(), other_port
        self._clocking = None if clocking is None else real(clocking, "clocking", "Latch")
        frequency, ratio = array(soft, "soft", "Latch", (2,)).tolist()
        self._soft = real(frequency, "soft[0]", "Latch", above=0.0), real(ratio, "soft[1]", "Latch", at_least=0.0)
        self._retract_time = real(retract_time, "retract_time", "Latch", above=0.0)
        values = _values(port, other_port, self._clocking or 0.0)
        super().__init__(body, other, values, break_force, break_torque)

    capture = Given[Capture]("The limits for capture.")
    clocking = Given[float | None]("Angle between the mated `up` directions [rad]; None if any angle is allowed.")
    soft = Given[tuple[float, float]](
        "Frequency [Hz] and damping ratio [-] of the springs that pull the ports together."
    )
    retract_time = Given[float]("The time over which the springs pull the ports together [s].")
    other_port = Given[Port]("The port of the other body.")

    @fixed
    def state(self) -> str:
        """State of the latch, "open", "soft" or "hard"."""
        phase = int(self._value("latch")[0])
        return "hard" if phase in (HARD, CLOSED) else "soft" if phase in (SOFT, FAILED) else "open"

    @fixed
    def port(self) -> Port:
        """The port of the body."""
        x, y, z, w = self._value("frame_body").tolist()
        axis, up = (rotate((x, y, z, w), 2.0, each) for each in AXES[:2])
        return Port(tuple(self.at_body.tolist()), axis, up)

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


def _check(body: BodyHandle, other: BodyHandle | None, port: object, other_port: object, capture: object) -> None:
    """Reject arguments of a new latch that have the wrong type."""
    check_bodies(body, other, "Latch")
    if other is None:
        refuse("Latch", "other", other, "a body", TypeError)
    for name, value in (("port", port), ("other_port", other_port)):
        if not isinstance(value, Port):
            refuse("Latch", name, value, "a Port", TypeError)
    if capture is not None and not isinstance(capture, Capture):
        refuse("Latch", "capture", capture, "a Capture", TypeError)


def _values(port: Port, other_port: Port, clocking: float) -> dict[str, npt.ArrayLike]:
    """The row of a new latch by field."""
    frame = mated_frame(other_port, clocking)
    return {
        "at_body": port.position,
        "at_other": other_port.position,
        "frame_body": frame_of(port._axis, port._up),
        "frame_other": frame,
        "latch": (ARMED, 0.0, 0.0),
        "caught": (*vector(other_port.position, "position", "Port"), *frame),
    }
