"""Welds, which make two bodies one rigid body."""

from __future__ import annotations  # help() then shows them as written

from math import pi, sqrt
from typing import ClassVar

import numpy.typing as npt

from ..checks import array, real, refuse, unit_quaternion
from ..constraints import layout
from ..constraints.joint_types import rotation_vector
from ..kernels.quaternions import Quaternion, conjugate, multiply
from ..kernels.vectors import dot
from ..store.rows import BodyHandle, Given, fixed
from .closing import SOFT, ClosingJoint
from .joint import Host, points, seen_from


class Weld(ClosingJoint):
    """A weld, which keeps the relative position and orientation of two bodies.

    With `pull_together`, the points may lie apart and the orientation may differ when the weld is made. Damped springs then pull the bodies
    together. The weld becomes rigid, with the event "locked", at the start of the first tick at which the points are within 1e-3 m and the
    orientation is within 1e-3 rad. Closing conserves the linear and angular momentum of the two bodies. If the gap is not closed after two
    periods of the springs, for example because the pair spins, they become critically damped, and their frequency grows by a factor of e
    per period, up to a quarter of the tick rate.

    Args:
        body: The first body.
        other: The second body, or None for the world.
        at_body: The point on the body [m], body frame from its origin, shape (3,). The joint's torque is about this point.
        at_other: The point on the other body [m], in its body frame from its origin, or the point in the world frame [m];
            shape (3,). None takes the current position of `at_body`.
        relative_orientation: The orientation of the body relative to the other body or to the world that the weld maintains, a unit
            quaternion, scalar-last (x, y, z, w), shape (4,). None takes the current one.
        pull_together: Frequency [Hz], above 0, and damping ratio [-], at least 0, of the springs that close a gap; None if there is no gap.
        break_force: Maximum mean force over a tick [N]; a joint that carries more breaks and is removed. None for no limit.
        break_torque: Maximum mean torque over a tick [N·m], with the same effect. None for no limit.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the bodies are the same, were removed or belong to different worlds, if an argument is out of its range, or if the
            two points lie apart or the orientation differs and `pull_together` is not given.

    Example:
        >>> from engine import MassProperties, World
        >>> from engine.joints import Weld
        >>> world = World(dt=0.01)
        >>> hull = world.add_body(MassProperties.sphere(3.0, 0.5), velocity=(1.0, 0.0, 0.0))
        >>> pod = world.add_body(MassProperties.sphere(1.0, 0.5), position=(1.0, 0.0, 0.0))
        >>> weld = world.add_joint(Weld(hull, pod, at_body=(0.5, 0.0, 0.0)))
        >>> world.step(100)
        >>> hull.velocity.round(9).tolist(), pod.velocity.round(9).tolist()
        ([0.75, 0.0, 0.0], [0.75, 0.0, 0.0])
    """

    __slots__ = ("_pull_together",)

    _type: ClassVar[int] = layout.WELD
    _types: ClassVar[tuple[int, ...]] = (layout.WELD, layout.SOFT)

    def __init__(
        self,
        body: BodyHandle,
        other: BodyHandle | None = None,
        *,
        at_body: npt.ArrayLike,
        at_other: npt.ArrayLike | None = None,
        relative_orientation: npt.ArrayLike | None = None,
        pull_together: tuple[float, float] | None = None,
        break_force: float | None = None,
        break_torque: float | None = None,
    ) -> None:
        closes, way_out = pull_together is not None, "; pull_together closes a gap"
        values, gap = points(body, other, at_body, at_other, "Weld", may_differ=closes, way_out=way_out)
        now = seen_from((0.0, 0.0, 0.0, 1.0), body, other)
        values["frame_other"], angle = _wanted(relative_orientation, now, closes)
        super().__init__(body, other, values, break_force, break_torque)
        self._pull_together = None if pull_together is None else _checked_pull(pull_together)
        # what is nearer than this is accepted from a weld that is rigid at once
        if self._pull_together is not None and (gap > 1e-6 or angle > 1e-6):
            self._soften(*self._pull_together)
            self._go(SOFT, layout.SOFT)
            self._write_numbers(layout.LATCH_SINCE, (float(body.world.tick_count),))

    pull_together = Given[tuple[float, float] | None](
        "Frequency [Hz] and damping ratio [-] of the springs that close a gap; None if they were not given."
    )

    @fixed
    def state(self) -> str:
        """State of the weld, "soft" while springs pull the bodies together, then "hard"."""
        return "soft" if self._numbers(layout.LATCH_PHASE, 1)[0] == SOFT else "hard"

    def _resume(self, world: Host) -> None:
        super()._resume(world)
        if self.state == "soft" and self._pull_together is not None:
            # other joints may connect other bodies to the pair than before
            self._soften(*self._pull_together)
            self._write_numbers(layout.CAPTURED_ENERGY, (0.0,))
            self._write_numbers(layout.LATCH_SINCE, (float(world.tick_count),))

    def _advance(self, world: Host) -> str | None:
        """Become rigid once the gap is small; return the event, if there was one."""
        if self.state == "hard":
            return None
        gap, turn = self._gap(), rotation_vector(self._turn())
        if self._may_lock(world, sqrt(dot(gap, gap)), sqrt(dot(turn, turn))):
            self._lock()
            return "locked"
        lapsed = (world.tick_count - self._numbers(layout.LATCH_SINCE, 1)[0]) * world.dt
        if self._pull_together is not None:
            self._stiffen(self._pull_together[0], lapsed, world.dt)
        return None


def _wanted(orientation: npt.ArrayLike | None, now: Quaternion, closes: bool) -> tuple[Quaternion, float]:
    """The orientation that a weld holds, and by what angle the present one differs from it [rad]; only a weld that closes may differ.

    Raises:
        TypeError: If the orientation is not made of real numbers.
        ValueError: If it is not of length 1, or differs from the present one although it must not.
    """
    if orientation is None:
        return now, 0.0
    x, y, z, w = unit_quaternion(orientation, "relative_orientation", "Weld").tolist()
    frame = x, y, z, w
    turn = rotation_vector(multiply(conjugate(frame), now))
    angle = sqrt(dot(turn, turn))
    angle = min(angle, 2.0 * pi - angle)
    if not closes and angle > 1e-6:
        rule = f"within 1e-6 rad of the current orientation, {list(now)}, unless pull_together is given"
        refuse("Weld", "relative_orientation", orientation, rule, hint=f"it is {angle:.3g} rad away")
    return frame, angle


def _checked_pull(pull_together: tuple[float, float]) -> tuple[float, float]:
    """Check and return the natural frequency and the damping ratio with which a weld closes a gap."""
    frequency, ratio = array(pull_together, "pull_together", "Weld", (2,)).tolist()
    frequency = real(frequency, "pull_together[0]", "Weld", above=0.0)
    return frequency, real(ratio, "pull_together[1]", "Weld", at_least=0.0)
