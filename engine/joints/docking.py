"""What a latch does at the start of a tick, phase by phase."""

from __future__ import annotations

from typing import ClassVar

from ..constraints import layout
from ..kernels.quaternions import rotate_inverse
from ..kernels.vectors import add, subtract
from .closing import ARMED, CLOSED, DISARMED, FAILED, HARD, RELEASED, SOFT
from .joint import Host, pose_of
from .mating import MatingJoint, least_turn
from .port import Capture

_MOST_RETRACTIONS = 3.0
"""A latch that has not locked after this many times its `retract_time` says so; it goes on."""


class DockingJoint(MatingJoint):
    """A joint that captures a port, pulls it to where it is mated, and locks."""

    __slots__ = ("_capture", "_soft")

    _capture: Capture
    _soft: tuple[float, float]
    _phases: ClassVar[tuple[int, ...]] = tuple(range(HARD, CLOSED + 1))

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
        if self._value("latch")[0] in (SOFT, FAILED):  # the ports may be anywhere now
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
            mated_frame = least_turn(mated_frame, frame)
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

    def _lock(self) -> None:
        """Become rigid at the mated pose."""
        mated_point, mated_frame = self._mated()
        if self._clocking is None:  # at the angle that it has reached
            mated_frame = least_turn(mated_frame, self._frame_now())
        self._hold(mated_point, mated_frame)
        super()._lock()
