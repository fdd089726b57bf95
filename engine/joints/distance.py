"""Rods, ropes and telescopes between two points."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Sequence
from math import inf
from typing import ClassVar

import numpy.typing as npt

from ..checks import real, refuse
from ..constraints import layout
from ..store.rows import BodyHandle, fixed
from .freedom import FreedomJoint, Friction, Limits, MotorOf, SpringOf, coordinate, rate_of
from .joint import points
from .motor import JointSpring, Motor


class Distance(FreedomJoint):
    """A massless rod, rope or telescope between a point of the body and a point of the other body.

    With `length`, or with no length at all, it is a rod. With `max_length` it is a rope, and with both `min_length` and `max_length` a
    telescope. When a rope becomes taut, an impulse stops the separation of the points, without rebound.

    Args:
        body: The first body.
        other: The second body, or None for the world.
        at_body: The point on the body [m], body frame from its origin, shape (3,).
        at_other: The point on the other body [m], in its body frame from its origin, or the point in the world frame [m];
            shape (3,).
        length: The length of the rod [m], above 0. None takes the current distance, unless `min_length` or `max_length` is given.
        min_length: Minimum length [m], at least 0; None for no limit.
        max_length: Maximum length [m], above 0; None for no limit.
        friction: Maximum force of dry (Coulomb) friction along the line [N], at least 0; not for rods.
        motor: A motor along the line; not for rods.
        spring: A spring along the line; not for rods.
        break_force: Maximum mean force over a tick [N]; a joint that carries more breaks and is removed. None for no limit.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the bodies are the same, were removed or belong to different worlds, if the current distance does not match the
            lengths, or if a setting is out of range.

    Example:
        >>> from engine import MassProperties, World
        >>> from engine.joints import Distance
        >>> world = World(dt=0.01)
        >>> bob = world.add_body(MassProperties.sphere(1.0, 0.1), velocity=(1.0, 0.0, 0.0))
        >>> rope = world.add_joint(Distance(bob, at_body=(0, 0, 0), at_other=(0, 0, 0), max_length=0.5))
        >>> world.step(100)
        >>> round(rope.distance, 9), abs(rope.speed) < 1e-9
        (0.5, True)
    """

    __slots__ = ()

    _type: ClassVar[int] = layout.ROD
    _types: ClassVar[tuple[int, ...]] = (layout.ROD, layout.ROPE)

    def __init__(
        self,
        body: BodyHandle,
        other: BodyHandle | None = None,
        *,
        at_body: npt.ArrayLike,
        at_other: npt.ArrayLike,
        length: float | None = None,
        min_length: float | None = None,
        max_length: float | None = None,
        friction: float = 0.0,
        motor: Motor | None = None,
        spring: JointSpring | None = None,
        break_force: float | None = None,
    ) -> None:
        values, now = points(body, other, at_body, at_other, "Distance", may_differ=True)
        is_rod = min_length is None and max_length is None
        if length is not None and not is_rod:
            refuse("Distance", "length", length, "left out if min_length or max_length is given")
        limits: Sequence[float] = (-inf, inf)
        if is_rod:
            length = now if length is None else real(length, "length", "Distance", above=0.0)
            if not (length > 0.0 and abs(now - length) <= 1e-6):
                rule = f"above zero and within 1e-6 m of the current distance, {now:.9g} m"
                refuse("Distance", "length", length, rule, hint="leave it out to use the current distance")
        else:
            lower = 0.0 if min_length is None else real(min_length, "min_length", "Distance", at_least=0.0)
            upper = inf if max_length is None else real(max_length, "max_length", "Distance", above=0.0)
            if lower > upper:
                refuse("Distance", "max_length", upper, f"at least min_length, {lower!r} m")
            # a limit may be the present distance, which is known to rounding only
            if now < lower - 1e-9:
                refuse("Distance", "min_length", lower, f"at most the current distance, {now:.9g} m")
            if now > upper + 1e-9:
                refuse("Distance", "max_length", upper, f"at least the current distance, {now:.9g} m")
            # no distance is below zero: a limit there would be a row that never acts
            limits = (lower if lower > 0.0 else -inf, upper)
        values["length"] = 0.0 if length is None else length
        super().__init__(body, other, values, break_force, None)
        if not is_rod:
            self._table.array[layout.TYPE, self._slice().start] = layout.ROPE
        self._set_up(limits=limits, friction=friction, motor=motor, spring=spring)

    limits = Limits(0, "Limits (lower, upper) of the distance [m]; infinite if there is none. Not for rods.")
    friction = Friction(0, "Maximum force of dry (Coulomb) friction along the line [N], at least 0; not for rods.")
    motor = MotorOf(0, holds="a position", note=" Not for rods.")
    spring = SpringOf(0, "The spring, with its stiffness and damping; None if there is none. Not for rods.")

    @fixed
    def length(self) -> float | None:
        """Length of a rod [m]; None for a rope or telescope, whose lengths are its `limits`."""
        is_rod = self._numbers(layout.TYPE, 1)[0] == layout.ROD
        return self._numbers(layout.LENGTH, 1)[0] if is_rod else None

    distance = coordinate(0, "m", "Distance between the two points [m].")

    speed = rate_of(0, "m/s", "Rate of the distance [m/s].")

    def _require_free(self, value: object, argument: str) -> None:
        if self._table.array[layout.TYPE, self._slice().start] == layout.ROD:
            refuse(self, argument, value, "left out, because a rod keeps its length")
