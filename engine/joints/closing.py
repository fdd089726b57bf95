"""Joints that close, whose two frames are pulled together by damped springs until the joint becomes rigid."""

from __future__ import annotations  # help() then shows them as written

from typing import Any, ClassVar

from ..constraints import layout
from ..constraints.fit import FARTHEST_POINT
from ..constraints.rows import rotation_vector
from ..kernels.vectors import dot
from ..store.rows import fixed
from .freedom import POINT_DIRECTIONS, TURN_DIRECTIONS
from .joint import Joint

HARD, ARMED, DISARMED, RELEASED, SOFT, FAILED = range(6)
"""Phases. Joints of other types are always in the first one, which needs no work at the start of a tick."""

LOCKED_WITHIN = 1e-3
"""The gap [m] and the angle [rad] within which a joint becomes rigid."""

_TWO_PI = 6.283185307179586


class ClosingJoint(Joint):
    """A joint that acts as springs while it closes, and then as a weld; its type in the table changes accordingly."""

    __slots__ = ()

    _measured: ClassVar[tuple[tuple[str, str], ...]] = (("closing_energy", "J"),)

    @fixed
    def closing_energy(self) -> float:
        """Kinetic energy [J] that the last locking removed from the two bodies and from all that other joints connect to them."""
        return float(self._value("latch")[2])

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

    def _may_lock(self, world: Any, gap: float, turn: float) -> bool:
        """Whether the gap [m] and the angle [rad] are small enough to become rigid, and no other welds keep them from closing."""
        if gap > LOCKED_WITHIN or turn > LOCKED_WITHIN:
            return False
        return (gap <= FARTHEST_POINT and turn <= FARTHEST_POINT) or not world._joints.are_welded_without(self)

    def _advance(self, world: Any) -> str | None:
        """Do what is due at the start of a tick; the event, if there was one."""
        raise NotImplementedError

    def _go(self, phase: int, kind: int) -> None:
        """Enter a phase as a joint of this type, without warm impulses."""
        row = self._slice().start
        self._table.write(layout.LATCH_PHASE, row, phase)
        self._table.write(layout.TYPE, row, kind)
        self._table.write(slice(layout.POSITION_FORCES, layout.FORCE), row, 0.0)

    def _soften(self, frequency: float, ratio: float) -> None:
        """Set the springs for the mean mass and inertia of the pair, each body at its own point, with what other joints connect to it."""
        rate = _TWO_PI * frequency
        ends = [(self.body, self._lever())]
        if self.other is not None:
            ends.append((self.other, self._lever("other")))
        world: Any = self.body.world
        for freedom, directions in enumerate((POINT_DIRECTIONS, TURN_DIRECTIONS)):
            inertia = 3.0 / sum(world._compliances(ends, directions))
            numbers = (0.0, inertia * rate * rate, 2.0 * ratio * inertia * rate, 0.0)
            self._write_numbers(layout.SPRING + layout.SPRING_SIZE * freedom, numbers)

    def _lock(self) -> None:
        """Become rigid; the impulse of that is shared with the other joints of the island in the tick that starts."""
        self._go(HARD, layout.WELD)
        world: Any = self.body.world
        world._joints.note_slack(self)
        self._table.write(layout.CLOSING_ENERGY, self._slice().start, world._energy_of_impact(self.body))
