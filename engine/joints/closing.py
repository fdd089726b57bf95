"""Joints that close, whose two frames are pulled together by damped springs until the joint becomes rigid."""

from __future__ import annotations  # help() then shows them as written

from math import pi
from typing import ClassVar

from ..constraints import layout
from ..constraints.fit import FARTHEST_POINT
from ..constraints.joint_types import rotation_vector
from ..kernels.exponential import exponential
from ..kernels.vectors import dot
from ..store.rows import fixed
from .freedom import POINT_DIRECTIONS, TURN_DIRECTIONS
from .joint import Host, Joint

HARD, ARMED, DISARMED, RELEASED, SOFT, FAILED, CLOSED = range(7)
"""Phases. Joints of other types are always in the first one, which needs no work at the start of a tick. A joint is closed between becoming
rigid and the start of the next tick, at which the energy of that is counted."""

LOCKED_WITHIN = 1e-3
"""The gap [m] and the angle [rad] within which a joint becomes rigid."""

_TWO_PI = 6.283185307179586
_PERIODS = 2.0
"""Periods of the springs after which they become stiffer."""
_MOST_PER_TICK = 0.25
"""Periods of the springs per tick up to which they do; a spring with fewer ticks per period would not damp the motion."""


class ClosingJoint(Joint):
    """A joint that acts as springs while it closes, and then as a weld; its type in the table changes accordingly."""

    __slots__ = ()

    _phases: ClassVar[tuple[int, ...]] = (HARD, SOFT, CLOSED)
    _measured: ClassVar[tuple[tuple[str, str], ...]] = (("closing_energy", "J"), ("captured_energy", "J"))

    @fixed
    def closing_energy(self) -> float:
        """Kinetic energy [J] that the two bodies, and all that other joints connect to them, lost when the joint became rigid.

        This is when it locked, or at the start of the first tick after it was added or enabled as a rigid joint. If several joints of an
        island become rigid in the same tick, each has the energy that they take together.
        """
        return float(self._value("latch")[2])

    @fixed
    def captured_energy(self) -> float:
        """Energy [J] that the closing springs and their dampers have taken from the two bodies since the last capture.

        A weld with `pull_together` captures when it is added or enabled. Where no other force acts on the bodies, their kinetic energy
        before the capture less that after the locking is the sum of `captured_energy` and `closing_energy`.
        """
        return float(self._value("captured_energy"))

    def potential_energy(self) -> float:
        """Return the energy of the closing springs [J]; zero once the joint is rigid."""
        kind, stiffness = self._numbers(layout.TYPE, 1)[0], self._numbers(layout.SPRING + 1, 1)[0]
        turning = self._numbers(layout.SPRING + layout.SPRING_SIZE + 1, 1)[0]
        if not self.enabled or kind not in (layout.SOFT, layout.SOFT_AXIS):
            return 0.0
        gap, turn = self._gap(), rotation_vector(self._turn())
        angles = dot(turn, turn)
        if kind == layout.SOFT_AXIS:
            axis = self._frame("frame_body", self.body)[0]
            _other, second, third = self._frame("frame_other", self.other)
            angles = dot(axis, second) * dot(axis, second) + dot(axis, third) * dot(axis, third)
        return 0.5 * (stiffness * dot(gap, gap) + turning * angles)

    def _may_lock(self, world: Host, gap: float, turn: float) -> bool:
        """Whether the gap [m] and the angle [rad] are small enough to become rigid, and no other welds keep them from closing."""
        if gap > LOCKED_WITHIN or turn > LOCKED_WITHIN:
            return False
        # where other welds hold the pair, nothing closes the rest of the gap, and a rigid joint would contradict them
        return (gap <= FARTHEST_POINT and turn <= FARTHEST_POINT) or not world._joints.fit.are_welded_without(self)

    def _advance(self, world: Host) -> str | None:
        """Do what is due at the start of a tick; the event, if there was one."""
        raise NotImplementedError

    def _resume(self, world: Host) -> None:
        if self._numbers(layout.LATCH_PHASE, 1)[0] == HARD:
            self._write_numbers(layout.LATCH_PHASE, (float(CLOSED),))

    def _go(self, phase: int, kind: int) -> None:
        """Enter a phase as a joint of this type, without warm impulses."""
        row = self._slice().start
        self._table.write(layout.LATCH_PHASE, row, phase)
        self._table.write(layout.TYPE, row, kind)
        # the rows of another type are others, and would start from impulses that were none of theirs
        self._table.write(slice(layout.POSITION_FORCES, layout.FORCE), row, 0.0)

    def _soften(self, frequency: float, ratio: float) -> None:
        """Set the springs for the mean mass and inertia of the pair, each body at its own point, with what other joints connect to it."""
        rate = _TWO_PI * frequency
        ends = [(self.body, self._lever())]
        if self.other is not None:
            ends.append((self.other, self._lever("other")))
        world: Host = self.body.world
        for freedom, directions in enumerate((POINT_DIRECTIONS, TURN_DIRECTIONS)):
            # the mean of the yields, because it does not depend on how the three axes are drawn
            inertia = 3.0 / sum(world._compliances(ends, directions))
            numbers = (0.0, inertia * rate * rate, 2.0 * ratio * inertia * rate, 0.0)
            self._write_numbers(layout.SPRING + layout.SPRING_SIZE * freedom, numbers)

    def _lock(self) -> None:
        """Become rigid; the impulse of that is shared with the other joints of the island in the tick that starts."""
        self._go(CLOSED, layout.WELD)
        world: Host = self.body.world
        world._joints.fit.note_slack(self)

    def _stiffen(self, frequency: float, lapsed: float, dt: float) -> None:
        """Make the springs stiffer if they have not closed in time; each tick by the same factor.

        Args:
            frequency: The first frequency of the springs [Hz].
            lapsed: The time for which they have had their final rest pose [s].
            dt: The length of a tick [s].
        """
        late = min(lapsed * frequency - _PERIODS, 100.0)  # in periods
        if late > 0.0 and frequency * exponential(late) * dt < _MOST_PER_TICK:
            # at least critically damped, because stiffening an oscillation would add energy to it
            growth = exponential(frequency * dt)
            frequency *= exponential(late)
            for first in (layout.SPRING + 1, layout.SPRING + layout.SPRING_SIZE + 1):
                stiffness, damping = self._numbers(first, 2)
                stiffness *= growth * growth
                self._write_numbers(first, (stiffness, max(damping * growth, stiffness / (pi * frequency))))
