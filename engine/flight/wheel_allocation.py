"""Allocation of a wanted torque to reaction wheels."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, array, components, explaining_errors, is_row, members, reader, real, refuse
from ..compilation.choice import Loop, named
from ..compilation.packed import Packed
from ..loops import thrust_allocation as allocation
from ..loops import wheel_torques as kernels
from ..loops.actuator_layout import ENABLED, MAX_SPEED, MAX_TORQUE, MOMENTUM, TORQUE, WHEEL_AXIS, WHEEL_INERTIA
from ..loops.layout import STATE_ROWS
from ..store.rows import BodyHandle
from ..store.table import Table
from .driver import Command
from .jets import Commanded
from .wheel import WHEELS, ReactionWheel

_NEEDED = ("axis", "inertia", "max_torque", "max_speed", "speed", "enabled")


@explaining_errors()
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
            Only the part of it that makes no torque is reached: for a pyramid of four wheels that all point outwards, (s, -s, s, -s)
            in the order around it. One number for all of them would drive these wheels to a standstill.
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

    __slots__ = ("_lost", "_null_rate", "_preferred", "_saturated", "_torque", "_wheels")

    saturated: bool
    """Whether the torque of the last command was out of reach."""

    saturated = reader("_saturated", "Whether the torque of the last command was out of reach.")

    def __init__(
        self, wheels: Iterable[object], *, preferred_speed: npt.ArrayLike | None = None, null_rate: float = 0.02
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
        self._torque: Sequence[float] = (0.0, 0.0, 0.0)
        self._saturated = False

    @property
    def body(self) -> BodyHandle:
        """The body that the wheels turn."""
        return self._wheels[0].body

    @property
    def wheels(self) -> tuple[ReactionWheel, ...]:
        """The wheels, including those that were lost."""
        return self._wheels

    @property
    def lost(self) -> tuple[ReactionWheel, ...]:
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
    def members(self) -> tuple[ReactionWheel, ...]:
        """The wheels that are commanded, which must be in the world of the control loop."""
        return self._wheels

    @property
    def commanded(self) -> Commanded:
        """The torque and the force that the last command set."""
        return Commanded(np.array(self._torque), np.zeros(3))

    def __repr__(self) -> str:
        lost = f", {len(self._lost)} lost" if self._lost else ""
        return f"WheelAllocator({self.body}, {len(self._wheels)} wheels{lost})"

    def without(self, wheel: object) -> WheelAllocator:
        """Return an allocator that does not command a wheel, after a failure.

        Args:
            wheel: One of the wheels.

        Returns:
            A new allocator; this one stays as it is.

        Raises:
            ValueError: If `wheel` is not one of the wheels, or is the last one in use.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.flight import ReactionWheel
            >>> world = World(dt=0.1)
            >>> ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)))
            >>> limits = {"inertia": 0.05, "max_torque": 0.5, "max_speed": 600.0}
            >>> axes = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)]
            >>> wheels = [world.add_part(ReactionWheel(ship, axis=axis, **limits)) for axis in axes]
            >>> left = WheelAllocator(wheels).without(wheels[0])
            >>> left.command((0.1, 0.1, 0.1), None, 0.1).torque_body.round(12).tolist()
            [0.1, 0.1, 0.1]
            >>> [round(wheel.torque, 4) for wheel in wheels]
            [0.0, 0.0, 0.0, -0.1732]
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

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.flight import ReactionWheel
            >>> world = World(dt=0.1)
            >>> ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)))
            >>> limits = {"inertia": 0.05, "max_torque": 0.5, "max_speed": 600.0}
            >>> wheels = [world.add_part(ReactionWheel(ship, axis=axis, **limits)) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
            >>> actuators = WheelAllocator(wheels)
            >>> actuators.command((1.0, 0.0, 0.5), None, 0.1).torque_body.tolist(), actuators.saturated
            ([0.5, 0.0, 0.25], True)
        """
        wanted = components(torque_body, "torque_body", self)
        if force_body is not None:
            components(force_body, "force_body", self)
        WheelDriver(self).command(list(wanted), None, real(seconds, "seconds", self, above=0.0), [])
        return self.commanded

    def _driver(self) -> WheelDriver:
        return WheelDriver(self)


class WheelDriver:
    """Commands the wheels of an allocator, and keeps the arrays of the kernels between two commands."""

    def __init__(self, allocator: WheelAllocator) -> None:
        """Prepare for an allocator."""
        self._allocator = allocator
        places = [place for place in range(len(allocator._wheels)) if place not in allocator._lost]
        self._wheels = [allocator._wheels[place] for place in places]
        preferred = allocator._preferred
        self._goals = np.array([] if preferred is None else [preferred[place] for place in places]).reshape(-1, 1)
        count = len(places)
        self._may_be_direct = count == kernels.DIRECT_COUNT
        self._torque, self._limits = np.empty((3, 1)), np.empty((2 * count, 1))
        self._problem = allocation.Problem(2 * count)
        self._work, self._out = np.empty((4, count)), np.empty((count, 1))
        self._one, self._reached = np.zeros(1, np.int64), np.zeros(1)
        self._table: Table
        self._bound: tuple[Table, int] | None = None
        self._numbering = -1
        self._rows = np.arange(count)
        self._span: slice | list[int] = []

    def command(
        self, torque: list[float], force: list[float] | None, seconds: float, state: list[float]
    ) -> list[float]:
        """Divide a torque among the wheels that are in use, and command them; the arguments are those of `Driver.command`."""
        if not self._find_rows():
            return self._command_one_by_one(torque, seconds)
        table = self._table
        assert table.store is not None
        torques = self._divide(table.array, table.store.world()._bodies.array, torque, seconds)
        # a wheel that is switched off keeps its command; its torque would be 0 (see `command_wheels`)
        if 0.0 in torques and 0.0 in table.array[ENABLED, self._span].tolist():
            self._set(torques)
        else:
            table.write(TORQUE, self._span, self._out[:, 0])
        return state

    @property
    def is_bound(self) -> bool:
        """See `Driver`."""
        bound = self._bound
        return bound is not None and bound[0].numbering == bound[1]

    def bind(self, wanted: FloatArray, answer: FloatArray, seconds: float) -> Command | None:
        """See `Driver`."""
        if not self._find_rows():
            return None
        table, problem = self._table, self._problem
        assert table.store is not None
        wheels, bodies, self._bound = table.array, table.store.world()._bodies.array, (table, table.numbering)
        self._answer, self._made, self._wanted = answer, np.zeros(3), wanted
        one, out, reached, limits, work = self._one, self._out, self._reached, self._limits, self._work
        goals, null_rate = self._goals, self._allocator._null_rate
        solved = problem.jets, problem.cases, problem.results, problem.work, problem.places
        arrays = one, out, reached, limits, work, goals
        tables = wheels, self._rows, bodies
        given = kernels.WheelCommand(
            np.zeros(4, np.int64), *tables, wanted, answer, self._made, arrays, solved, null_rate, seconds
        )
        rows, results = self._rows, problem.results
        called: list[Loop | None] = [
            named(kernels.direct_torques, *tables[:2], bodies, seconds, wanted, out, reached),
            named(
                kernels.wheel_limits, wheels, rows, one, bodies, seconds, wanted, limits, problem.jets, problem.cases
            ),
            problem.loop(),
            named(kernels.wheel_torques, wheels, rows, one, bodies, goals, null_rate, results, limits, work, out),
        ]
        return Command(kernels.command_wheels, Packed(given), called)

    def update(self) -> None:
        """See `Driver`."""

    def carry_out(self) -> None:
        """See `Driver`."""
        self._table.write(TORQUE, self._span, self._out[:, 0])
        self._allocator._torque, self._allocator._saturated = self._made.tolist(), self._answer[0] > 0.0

    def refuse_command(self) -> NoReturn:
        """See `Driver`."""
        wanted = self._wanted[:3, 0].tolist()
        refuse(self._allocator, "torque_body", wanted, "so small that the torques of the wheels are finite")

    def _find_rows(self) -> bool:
        """Find the rows of the wheels; return False unless all are wheels of the engine in one table of a world."""
        first = self._wheels[0]
        table = first._table if type(first) is ReactionWheel else None
        if table is None or table.store is None:
            return False
        if table.numbering != self._numbering or table is not self._table:
            if not all(type(wheel) is ReactionWheel and wheel._table is table for wheel in self._wheels):
                return False
            rows = [wheel._slice().start for wheel in self._wheels]
            are_adjacent = rows == list(range(rows[0], rows[0] + len(rows)))
            self._span = slice(rows[0], rows[0] + len(rows)) if are_adjacent else rows
            self._table, self._numbering, self._rows = table, table.numbering, np.array(rows)
        return True

    def _command_one_by_one(self, torque: list[float], seconds: float) -> list[float]:
        """The same for wheels that are not in one table of a world, or of a user's class."""
        # in columns of a table made for this, so that the kernels, and the bits, are the same
        columns = np.zeros((WHEELS.size, len(self._wheels)))
        for column, wheel in zip(columns.T, self._wheels, strict=True):
            column[ENABLED] = float(wheel.enabled)
            column[WHEEL_AXIS : WHEEL_AXIS + 3] = wheel.axis
            column[WHEEL_INERTIA], column[MAX_TORQUE] = wheel.inertia, wheel.max_torque
            column[MAX_SPEED], column[MOMENTUM] = wheel.max_speed, wheel.inertia * wheel.speed
        self._rows, self._numbering = np.arange(len(self._wheels)), -1
        self._set(self._divide(columns, np.zeros((STATE_ROWS, 1)), torque, seconds))
        return []

    def _set(self, torques: list[float]) -> None:
        for wheel, torque in zip(self._wheels, torques, strict=True):
            if wheel.enabled:
                wheel.torque = torque

    def _divide(self, wheels: FloatArray, bodies: FloatArray, wanted: list[float], seconds: float) -> list[float]:
        """Motor torques of the wheels in these rows of a table [N·m]; the allocator's `commanded` and `saturated` tell of them."""
        allocator, problem, limits, rows = self._allocator, self._problem, self._limits, self._rows
        self._torque[:, 0] = wanted
        arrays = wheels, rows, bodies, seconds, self._torque, self._out, self._reached
        if self._may_be_direct and not kernels.direct_torques(*arrays):
            fraction = self._reached.item(0)
            allocator._torque = [fraction * component for component in wanted]
            allocator._saturated = fraction < 1.0
            direct: list[float] = self._out[:, 0].tolist()
            return direct
        one = self._one
        kernels.wheel_limits(wheels, rows, one, bodies, seconds, self._torque, limits, problem.jets, problem.cases)
        results = problem.solve(True, True)
        kernels.wheel_torques(
            wheels, rows, one, bodies, self._goals, allocator._null_rate, results, limits, self._work, self._out
        )
        found: list[float] = self._out[:, 0].tolist()
        made: list[float] = results[0, 2 * len(found) :].tolist()
        if not isfinite(sum(found)):
            refuse(allocator, "torque_body", wanted, "so small that the torques of the wheels are finite")
        allocator._torque = made[allocation.TORQUE : allocation.TORQUE + 3]
        allocator._saturated = made[allocation.IS_CUT] > 0.0
        return found


def of_one_body(given: Iterable[object], argument: str, owner: str, attributes: tuple[str, ...]) -> tuple[Any, ...]:
    """The actuators, after a check that there are some, that they have these attributes, and that they belong to one body."""
    needed = ("body", *attributes)

    def is_one(each: object) -> bool:
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
