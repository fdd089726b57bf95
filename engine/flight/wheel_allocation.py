"""Allocation of a wanted torque to reaction wheels."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Iterable
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, array, components, is_row, members, read_only_attributes, reader, real, refuse
from .jets import Commanded
from .two_sided import least_squares

_NEEDED = ("axis", "inertia", "max_torque", "max_speed", "speed", "enabled")
_DEPENDENT = 1e-9
"""A row of axes this short, of the length of all, depends on the others."""


@read_only_attributes()
class WheelAllocator:
    """The reaction wheels of a body as actuators of a control loop.

    A wanted torque on the body is divided among the wheels so that the sum of the squares of the motor torques is least. Each motor torque
    stays within its limit, and no wheel of a body that keeps its rates exceeds its maximum speed before the next command. A wheel at its
    maximum speed is therefore not used in the direction that would accelerate it, and the others take over. Disabled wheels are not used at
    all. A torque that is out of reach is scaled down and keeps its direction.

    Wheels whose torques can cancel each other, such as four in a pyramid, are also driven towards a preferred speed, as far as the limits
    allow. This null motion makes no torque on the body. It keeps the wheels away from zero speed or from their limits.

    Args:
        wheels: Reaction wheels of one body.
        preferred_speed: Preferred speed of the wheels [rad/s], one number or one per wheel, shape () or (n,); None for no null motion.
        null_rate: Rate at which differences from the preferred speed decay [1/s], above 0.

    Raises:
        TypeError: If an entry of `wheels` is not a wheel, or another argument has the wrong type.
        ValueError: If `wheels` is empty, contains a wheel twice or wheels of different bodies, `preferred_speed` exceeds the maximum speed
            of a wheel, or `null_rate` is not positive.

    Example:
        >>> from engine import MassProperties, World
        >>> from engine.flight import ReactionWheel
        >>> world = World(dt=0.1)
        >>> ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)))
        >>> axes = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)]
        >>> limits = {"inertia": 0.05, "max_torque": 0.5, "max_speed": 600.0}
        >>> wheels = [world.add_part(ReactionWheel(ship, axis=axis, **limits)) for axis in axes]
        >>> actuators = WheelAllocator(wheels)
        >>> actuators.command((0.3, 0.1, -0.2), None, 0.1).torque_body.round(12).tolist()
        [0.3, 0.1, -0.2]
        >>> [round(wheel.torque, 4) for wheel in wheels]
        [-0.2667, -0.0667, 0.2333, -0.0577]
    """

    __slots__ = ("_commanded", "_lost", "_null_rate", "_preferred", "_saturated", "_wheels")

    saturated: bool
    """Whether the torque of the last command was out of reach."""

    saturated = reader("_saturated", "Whether the torque of the last command was out of reach.")

    def __init__(
        self, wheels: Iterable[Any], *, preferred_speed: npt.ArrayLike | None = None, null_rate: float = 0.02
    ) -> None:
        owner = "WheelAllocator"
        self._wheels = of_one_body(wheels, "wheels", owner, _NEEDED)
        count = len(self._wheels)
        if preferred_speed is None:
            self._preferred = None
        elif is_row(preferred_speed):
            self._preferred = array(preferred_speed, "preferred_speed", owner, (count,)).tolist()
        else:
            self._preferred = [real(preferred_speed, "preferred_speed", owner)] * count
        for wheel, speed in zip(self._wheels, self._preferred or (), strict=False):
            if abs(speed) > wheel.max_speed:
                refuse(
                    owner,
                    "preferred_speed",
                    preferred_speed,
                    f"at most max_speed of the wheel, {wheel.max_speed!r} rad/s",
                )
        self._null_rate = real(null_rate, "null_rate", owner, above=0.0)
        self._lost: frozenset[int] = frozenset()
        self._commanded, self._saturated = Commanded(np.zeros(3), np.zeros(3)), False

    @property
    def body(self) -> Any:
        """The body that the wheels turn."""
        return self._wheels[0].body

    @property
    def wheels(self) -> tuple[Any, ...]:
        """The wheels, including those that were lost."""
        return self._wheels

    @property
    def lost(self) -> tuple[Any, ...]:
        """The wheels that are not commanded; see `without`."""
        return tuple(self._wheels[place] for place in sorted(self._lost))

    @property
    def preferred_speed(self) -> FloatArray | None:
        """Preferred speed of each wheel [rad/s], shape (n,); None for no null motion."""
        return None if self._preferred is None else np.array(self._preferred)

    @property
    def null_rate(self) -> float:
        """Rate at which differences from the preferred speed decay [1/s], above 0."""
        return self._null_rate

    @property
    def members(self) -> tuple[Any, ...]:
        """The wheels that are commanded, which must be in the world of the control loop."""
        return self._wheels

    @property
    def commanded(self) -> Commanded:
        """The torque and the force that the last command set."""
        return self._commanded

    def __repr__(self) -> str:
        lost = f", {len(self._lost)} lost" if self._lost else ""
        return f"WheelAllocator({self.body}, {len(self._wheels)} wheels{lost})"

    def without(self, wheel: Any) -> WheelAllocator:
        """Return an allocator that does not command a wheel, after a failure.

        Args:
            wheel: One of the wheels.

        Returns:
            A new allocator; this one stays as it is.

        Raises:
            ValueError: If `wheel` is not one of the wheels, or is the last one in use.
        """
        places = {place for place, each in enumerate(self._wheels) if each is wheel}
        if not places:
            refuse(self, "wheel", wheel, "one of the wheels of the allocator")
        if len(self._lost | places) == len(self._wheels):
            refuse(self, "wheel", wheel, "one of at least two wheels in use", hint="the last one cannot be left out")
        rest = WheelAllocator(self._wheels, preferred_speed=self._preferred, null_rate=self._null_rate)
        rest._lost = self._lost | places
        return rest

    def command(self, torque_body: npt.ArrayLike, force_body: npt.ArrayLike | None, seconds: float) -> Commanded:
        """Set the motor torques for a torque on the body.

        Args:
            torque_body: Wanted torque on the body [N·m], body frame, shape (3,).
            force_body: Wanted force [N], body frame, shape (3,). It has no effect, because wheels make no force.
            seconds: Time until the next command [s], above 0.

        Returns:
            The torque that the wheels were commanded to exert on the body, with zero force.

        Raises:
            ValueError: If an argument is not finite, or `seconds` is not positive.
        """
        wanted = components(torque_body, "torque_body", self)
        if force_body is not None:
            components(force_body, "force_body", self)
        duration = real(seconds, "seconds", self, above=0.0)
        used = [(i, wheel) for i, wheel in enumerate(self._wheels) if i not in self._lost and wheel.enabled]
        if not used:
            self._commanded, self._saturated = Commanded(np.zeros(3), np.zeros(3)), any(wanted)
            return self._commanded
        wheels = [wheel for _, wheel in used]
        axes = [wheel.axis.tolist() for wheel in wheels]
        speeds = [float(wheel.speed) for wheel in wheels]
        # motor torques that keep the wheel within its largest speed
        lower = [-_room(wheel, -speed, duration) for wheel, speed in zip(wheels, speeds, strict=True)]
        upper = [_room(wheel, speed, duration) for wheel, speed in zip(wheels, speeds, strict=True)]
        # the body feels the opposite of the motor torque
        found = least_squares([[-x, -y, -z] for x, y, z in axes], lower, upper, list(wanted))
        torques = found.values
        if self._preferred is not None:
            goals = [self._preferred[place] for place, _ in used]
            parts = zip(wheels, goals, speeds, strict=True)
            rates = [self._null_rate * wheel.inertia * (goal - speed) for wheel, goal, speed in parts]
            torques = _added(torques, _without_torque(axes, rates), lower, upper)
        for wheel, torque in zip(wheels, torques, strict=True):
            wheel.torque = torque
        self._commanded, self._saturated = Commanded(found.torque_body, np.zeros(3)), found.is_cut
        return self._commanded


def of_one_body(given: Iterable[Any], argument: str, owner: str, attributes: tuple[str, ...]) -> tuple[Any, ...]:
    """The actuators, after a check that there are some, that they have these attributes, and that they belong to one body."""
    needed = ("body", *attributes)

    def is_one(each: Any) -> bool:
        return all(hasattr(each, name) for name in needed)

    rule = f"objects with {', '.join(needed)}"
    several = given if isinstance(given, Iterable) else [given]
    found = tuple(members(several, argument, owner, rule, is_one))
    if not found:
        refuse(owner, argument, given, "at least one")
    for each in found:
        if each.body is not found[0].body:
            refuse(owner, argument, each, f"on the same body as the first of them, {found[0].body}")
    if len(set(map(id, found))) < len(found):
        refuse(owner, argument, given, "different from each other")
    return found


def _room(wheel: Any, speed: float, seconds: float) -> float:
    """Maximum motor torque in the direction in which the wheel has this speed, at least 0 [N·m]."""
    to_limit = wheel.inertia * (wheel.max_speed - speed) / seconds
    return float(min(max(to_limit, 0.0), wheel.max_torque))


def _without_torque(axes: list[list[float]], torques: list[float]) -> list[float]:
    """The nearest motor torques that leave the body alone: without the components along the three rows of axes."""
    rest = torques
    rows: list[list[float]] = []
    for axis in range(3):
        row = [each[axis] for each in axes]
        for _ in range(2):  # once more, against rounding
            for other in rows:
                row = _across(row, other)
        length = sqrt(_product(row, row))
        if length > _DEPENDENT:
            rows.append([value / length for value in row])
    for row in rows:
        rest = _across(rest, row)
    return rest


def _across(values: list[float], unit: list[float]) -> list[float]:
    """What is at right angles to a unit vector of any length."""
    part = _product(values, unit)
    return [value - part * along for value, along in zip(values, unit, strict=True)]


def _product(a: list[float], b: list[float]) -> float:
    total = 0.0
    for one, other in zip(a, b, strict=True):
        total += one * other
    return total


def _added(torques: list[float], more: list[float], lower: list[float], upper: list[float]) -> list[float]:
    """The sum with as much of the second term as the limits allow."""
    part = 1.0
    for torque, change, low, high in zip(torques, more, lower, upper, strict=True):
        if torque + change > high:
            part = min(part, max(high - torque, 0.0) / change)
        elif torque + change < low:
            part = min(part, min(low - torque, 0.0) / change)
    sums = [torque + part * change for torque, change in zip(torques, more, strict=True)]
    return [min(max(value, low), high) for value, low, high in zip(sums, lower, upper, strict=True)]
