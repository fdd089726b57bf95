"""Thrusters, which push at a point of a body along a direction that rotates with it, controlled by a throttle or in pulses."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, array, by_value, components, is_row, read_only, real, refuse
from ..loops.actuator_layout import LEVEL, MAX_RATE, OPEN_FOR
from ..reading import reading
from ..store.rows import BodyHandle, Parameter, checked, fixed, require_body
from ..store.schema import ANY, SHARE
from .valves import (
    THRUSTERS,
    Call,
    Gimbal,
    Valves,
    checked_gimbals,
    checked_level,
    checked_valve,
    gimbals_of,
    refuse_angles,
    refuse_throttle_in_pulses,
    stuck_level,
)
from .wrench import BodyStates, Wrench

_THROTTLE = THRUSTERS.row("throttle")
_COMMANDED_ANGLES = THRUSTERS.components["commanded_angles"]


class Thruster(Valves):
    """One thruster, whose force is ``max_force · throttle`` along `direction`, or that of a pulse.

    The throttle is held over each tick and is initially 0. `fire` opens the valve for a given time instead, at any moment within the ticks:
    its level rises at ``1/rise_time`` while it is open and falls at ``1/fall_time`` while it is shut. Impulse and mean time of a pulse are
    exact within each tick, whatever the length of the tick, and the motion is of order two. The force rotates with the body.

    Args:
        body: The body it pushes.
        position: Point of application [m], body frame, from the origin of the body, shape (3,).
        direction: Direction of the force on the body (opposite to the plume), body frame, of any non-zero length, shape (3,).
        max_force: Force at full throttle [N], at least 0.
        specific_impulse: Specific impulse [s], above zero, given with `tank`. The flow is ``F/(g₀ Isp)`` with g₀ = 9.80665 m/s².
        tank: The tank of the same body that feeds it, in the world before the thruster. None for propellant that is not counted.
        min_on_time: Minimum duration of a pulse [s], at least `rise_time`. An isolated pulse with equal rise and fall then delivers
            ``max_force · duration``.
        rise_time: Time in which the valve opens [s], at least 0.
        fall_time: Time in which the valve shuts [s], at least 0.
        gimbal: A `Gimbal` on which it turns; None if it is fixed.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a value is outside the range given above, only one of `specific_impulse` and `tank` is given, the tank is on another
            body, or the body was removed.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=0.5)
        >>> ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)))
        >>> engine = world.add_force(Thruster(ship, position=(0, 0, -2), direction=(0, 0, 1), max_force=600.0))
        >>> engine.throttle = 0.5
        >>> world.step(8)
        >>> ship.velocity.tolist()
        [0.0, 0.0, 1.0]
        >>> engine.throttle = 0.0
        >>> engine.fire(0.75)
        >>> world.step(8)
        >>> ship.velocity.tolist(), engine.impulse
        ([0.0, 0.0, 1.375], 1650.0)
    """

    __slots__ = ()

    evaluate: Literal["tick", "stage"] = "tick"

    def __init__(
        self,
        body: BodyHandle,
        *,
        position: npt.ArrayLike,
        direction: npt.ArrayLike,
        max_force: float,
        specific_impulse: float | None = None,
        tank: object = None,
        min_on_time: float = 0.0,
        rise_time: float = 0.0,
        fall_time: float = 0.0,
        gimbal: Gimbal | None = None,
    ) -> None:
        owner = f"Thruster of {require_body(body, 'body', 'Thruster')}"
        given = {"position": position, "direction": direction, "max_force": max_force}
        values = {name: checked(THRUSTERS, name, value, owner) for name, value in given.items()}
        times = {"min_on_time": min_on_time, "rise_time": rise_time, "fall_time": fall_time}
        times = {name: real(value, name, owner, at_least=0.0) for name, value in times.items()}
        if specific_impulse is not None:
            specific_impulse = real(specific_impulse, "specific_impulse", owner, above=0.0)
        values |= checked_valve(owner, body, 1, specific_impulse, tank, times)
        values |= checked_gimbals(owner, [gimbal], values["direction"])
        self._tank = tank
        super().__init__([(body,)], values)

    position = Parameter[FloatArray]("Point of application [m], body frame, from the origin of the body, shape (3,).")
    max_force = Parameter[float]("Force at full throttle [N], at least 0.")

    @property
    def direction(self) -> FloatArray:
        """Direction of the force on the body, as turned by its gimbal if it has one; a unit vector, body frame, shape (3,)."""
        return self._value("direction")

    @direction.setter
    def direction(self, value: npt.ArrayLike) -> None:
        if self._value("max_rate"):
            refuse(self, "direction", value, "left to the gimbal", hint="set gimbal_command instead")
        self._assign("direction", value)

    @property
    def throttle(self) -> float:
        """Fraction of the full force, from 0 to 1, initially 0.

        A new value acts from the next tick on. A value set inside `World.on_tick` acts from the tick that is starting. While a pulse runs,
        only 0 can be set.
        """
        return float(self._value("throttle"))

    @throttle.setter
    def throttle(self, value: float) -> None:
        if type(value) is not float or not 0.0 <= value <= 1.0:
            value = SHARE.number(value, "throttle", self)
        row, table = self._slice().start, self._table
        if table.store is None:
            self._require_bodies("throttle")
        if value and (table.array[OPEN_FOR, row] > 0.0 or table.array[LEVEL, row] > 0.0):
            refuse_throttle_in_pulses(table.array[:, [row]], np.array([[value]]), self)
        table.write(_THROTTLE, row, value)

    def fire(self, duration: float, delay: float = 0.0) -> None:
        """Open the valve for a given time, replacing any pulse that is running.

        A valve that is open or falling continues from its current level. The throttle must be 0.

        Args:
            duration: Time for which the valve is open [s], at least `min_on_time`; 0 shuts it.
            delay: Time from the start of the next tick to the opening [s], at least 0. Inside `World.on_tick`, the next tick is the one
                that is starting.

        Raises:
            ValueError: If a time is negative or not finite, the pulse is too short, or the throttle is not 0.

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.5)
            >>> ship = world.add_body(MassProperties.sphere(100.0, 1.0))
            >>> jet = world.add_force(Thruster(ship, position=(0, 0, -1), direction=(0, 0, 1), max_force=8.0))
            >>> jet.fire(0.75, delay=0.5)
            >>> world.step(4)
            >>> jet.impulse
            6.0
        """
        owner = Call(self, "fire")
        self._require_bodies("fire")
        open_for, opens_in = real(duration, "duration", owner), real(delay, "delay", owner)
        self._start_pulses(np.array([[opens_in], [open_for]]), ("duration", "delay"))

    @property
    def stuck(self) -> float | None:
        """The level from 0 to 1 at which the valve is stuck, whatever is commanded; None if it moves."""
        return stuck_level(float(self._value("stuck")))

    @stuck.setter
    def stuck(self, value: float | None) -> None:
        self._set_stuck(np.array([checked_level(self, value)]))

    @fixed
    def pulse_left(self) -> float:
        """Time until the valve shuts [s], including the delay before it opens; zero without a pulse."""
        return float(self._value("open_for") and self._value("opens_in") + self._value("open_for"))

    @fixed
    def thrust(self) -> float:
        """Current thrust [N], from the stuck level, from the valve while a pulse runs, or from the throttle; 0 if its tank is dry."""
        return float(self.max_force * self._shares()[0])

    def mean_thrust(self, seconds: float) -> float:
        """Return the mean thrust over a time from now, if nothing is commanded meanwhile.

        A tank that runs dry within this time is not taken into account.

        Args:
            seconds: The time over which to average [s], above 0.

        Returns:
            The mean thrust [N].

        Raises:
            ValueError: If `seconds` is not above 0.

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.1)
            >>> ship = world.add_body(MassProperties.sphere(100.0, 1.0))
            >>> jet = world.add_force(Thruster(ship, position=(0, 0, -1), direction=(0, 0, 1), max_force=10.0))
            >>> jet.fire(0.5, delay=0.3)
            >>> jet.thrust, jet.mean_thrust(1.0)
            (0.0, 5.0)
        """
        seconds = real(seconds, "seconds", f"{self}.mean_thrust", above=0.0)
        return float(self.max_force * self._shares(seconds)[0])

    @fixed
    def impulse(self) -> float:
        """Impulse delivered so far [N·s], the integral of the thrust over time, by throttle, pulses or a stuck valve."""
        return float(self._impulses()[0])

    @fixed
    def propellant_used(self) -> float:
        """Propellant taken from its tank [kg]; zero without a tank."""
        return float(self._value("propellant_used"))

    @fixed
    def specific_impulse(self) -> float | None:
        """Specific impulse [s], or None."""
        return self._value("specific_impulse") or None

    min_on_time = fixed(lambda self: float(self._value("min_on_time")), doc="Minimum duration of a pulse [s].")
    rise_time = fixed(lambda self: float(self._value("rise_time")), doc="Time in which the valve opens [s].")
    fall_time = fixed(lambda self: float(self._value("fall_time")), doc="Time in which the valve shuts [s].")

    @fixed
    def gimbal(self) -> Gimbal | None:
        """The gimbal on which it turns, or None."""
        return gimbals_of(self._table.array[:, self._slice()])[0]

    @property
    def gimbal_command(self) -> FloatArray:
        """The commanded angles about the two axes of the gimbal [rad], each within `max_angle`, shape (2,)."""
        return self._value("commanded_angles")

    @gimbal_command.setter
    def gimbal_command(self, value: npt.ArrayLike) -> None:
        self._require_bodies("gimbal_command")
        rows = self._slice()
        angles = array(value, "gimbal_command", self, (2,))[:, np.newaxis]
        refuse_angles(angles, self._table.array[:, rows], value, self)
        self._table.write(_COMMANDED_ANGLES, rows, angles)

    @fixed
    def gimbal_angles(self) -> FloatArray:
        """Angles [rad] about `axis_1` and `axis_2` of the gimbal, which follow `gimbal_command` at up to `max_rate`, shape (2,)."""
        return self._value("angles")

    def __repr__(self) -> str:
        return f"Thruster({self.body}, max_force={self.max_force!r}, throttle={self.throttle!r})"

    def apply(self, wrench: Wrench, bodies: BodyStates, time: float) -> None:
        _add_thrust(self, wrench)


_BANK_FIELDS = (
    "throttle",
    "position",
    "direction",
    "max_force",
    "specific_impulse",
    "min_on_time",
    "rise_time",
    "fall_time",
)
_BANK_STATE = (
    "stuck",
    "opens_in",
    "open_for",
    "impulse",
    "settled_tick",
    "propellant_used",
    "commanded_angles",
    "angles",
)


class ThrusterBank(Valves):
    """Several thrusters on one body, with one array of throttles; see `Thruster`.

    Args:
        body: The body they push.
        positions: Points of application [m], body frame, from the origin of the body, shape (k, 3).
        directions: Directions of the forces on the body, body frame, each of any non-zero length, shape (k, 3).
        max_forces: Forces at full throttle [N], each at least 0, shape (k,) or one number for all.
        specific_impulse: Specific impulses [s], above zero, shape (k,) or one number for all, given with `tank`.
        tank: The tank of the same body that feeds all of them, in the world before the bank; None for propellant that is not counted.
        min_on_time: Minimum durations of pulses [s], each at least its `rise_time`, shape (k,) or one number for all.
        rise_time: Times that the valves take to open [s], at least 0, shape (k,) or one number for all.
        fall_time: Times that the valves take to shut [s], at least 0, shape (k,) or one number for all.
        gimbal: One `Gimbal` for all thrusters, or a sequence of k entries, each a `Gimbal`, or None for a fixed thruster. None if all are
            fixed.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a value is outside the range given above, a shape is wrong, only one of `specific_impulse` and `tank` is given, the
            tank is on another body, or the body was removed.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=0.5)
        >>> ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)))
        >>> bank = ThrusterBank(ship, positions=[(1, 0, 0), (-1, 0, 0)], directions=[(0, 0, 1), (0, 0, 1)], max_forces=300.0)
        >>> jets = world.add_force(bank)
        >>> jets.throttle = (1.0, 1.0)
        >>> world.step(4)
        >>> ship.velocity.tolist()
        [0.0, 0.0, 1.0]
    """

    __slots__ = ()

    evaluate: Literal["tick", "stage"] = "tick"

    def __init__(
        self,
        body: BodyHandle,
        *,
        positions: npt.ArrayLike,
        directions: npt.ArrayLike,
        max_forces: npt.ArrayLike,
        specific_impulse: npt.ArrayLike | None = None,
        tank: object = None,
        min_on_time: npt.ArrayLike = 0.0,
        rise_time: npt.ArrayLike = 0.0,
        fall_time: npt.ArrayLike = 0.0,
        gimbal: Gimbal | Sequence[Gimbal | None] | None = None,
    ) -> None:
        owner = f"ThrusterBank of {require_body(body, 'body', 'ThrusterBank')}"
        count = len(array(positions, "positions", owner, (None, 3)))
        if not count:
            refuse(owner, "positions", positions, "at least one position")
        given = {"positions": positions, "directions": directions, "max_forces": max_forces}
        values = {name.removesuffix("s"): _checked_rows(value, name, owner, count) for name, value in given.items()}
        times = {"min_on_time": min_on_time, "rise_time": rise_time, "fall_time": fall_time}
        values |= checked_valve(owner, body, count, specific_impulse, tank, times)
        values |= checked_gimbals(owner, _one_each(owner, gimbal, count), values["direction"])
        self._tank = tank
        super().__init__([(body,)] * count, values, (*_BANK_FIELDS, *_BANK_STATE))

    @property
    def throttle(self) -> FloatArray:
        """Fractions of the full forces, from 0 to 1, shape (k,), as a read-only copy; assign a whole array or one number for all.

        While pulses run, only 0 can be set for their thrusters.
        """
        return self._value("throttle")

    @throttle.setter
    def throttle(self, value: npt.ArrayLike) -> None:
        self._assign("throttle", value)

    def fire(self, durations: npt.ArrayLike, delays: npt.ArrayLike = 0.0) -> None:
        """Open the valves for given times, replacing any pulses that are running; see `Thruster.fire`.

        Args:
            durations: Times for which the valves are open [s], each 0 or at least its `min_on_time`, shape (k,) or one number for all.
            delays: Times from the start of the next tick to the openings [s], at least 0, shape (k,) or one number for all.

        Raises:
            ValueError: If a time is negative or not finite, a pulse is too short, or a throttle is not 0.

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.5)
            >>> ship = world.add_body(MassProperties.sphere(100.0, 1.0))
            >>> bank = ThrusterBank(ship, positions=[(1, 0, 0), (-1, 0, 0)], directions=[(0, 0, 1), (0, 0, 1)], max_forces=8.0)
            >>> jets = world.add_force(bank)
            >>> jets.fire((0.75, 0.25))
            >>> world.step(4)
            >>> jets.impulse.tolist()
            [6.0, 2.0]
        """
        self._require_bodies("fire")
        names, count = ("durations", "delays"), len(self._bodies)
        given = zip(names, (durations, delays), strict=True)
        times = [_one_time_each(value, argument, Call(self, "fire"), count) for argument, value in given]
        self._start_pulses(np.array([times[1], times[0]]), names)

    @property
    def stuck(self) -> FloatArray:
        """The levels from 0 to 1 at which valves are stuck, and nan for those that move, shape (k,); None may be assigned for all."""
        levels = np.array(self._value("stuck"))
        levels[levels < 0.0] = np.nan
        return read_only(levels)

    @stuck.setter
    def stuck(self, value: npt.ArrayLike | None) -> None:
        count = len(self.rows)
        chosen: object = value
        if isinstance(chosen, np.ma.MaskedArray):
            refuse(self, "stuck", value, "levels from 0 to 1, without a mask", TypeError)
        chosen = by_value(chosen, "stuck", self, "levels from 0 to 1")
        given = list(chosen) if is_row(chosen) else [chosen] * count
        if len(given) != count:
            refuse(self, "stuck", value, f"None, a level from 0 to 1, or {count} of them with nan for None")
        levels = [checked_level(self, None if _moves(level) else level) for level in given]
        self._set_stuck(np.array(levels))

    @fixed
    def pulse_left(self) -> FloatArray:
        """Times until the valves shut [s], including the delays before they open; zero without a pulse, shape (k,)."""
        open_for = self._value("open_for")
        return reading(np.where(open_for > 0.0, self._value("opens_in") + open_for, 0.0))

    @fixed
    def thrust(self) -> FloatArray:
        """Current thrusts [N], from stuck levels, valves while a pulse runs, or throttles; 0 if the tank is dry; shape (k,)."""
        return reading(self._value("max_force") * self._shares())

    def mean_thrust(self, seconds: float) -> FloatArray:
        """Return the mean thrust over a time from now, if nothing is commanded meanwhile.

        A tank that runs dry within this time is not taken into account.

        Args:
            seconds: The time over which to average [s], above 0.

        Returns:
            The mean thrusts [N], shape (k,).

        Raises:
            ValueError: If `seconds` is not above 0.

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.1)
            >>> ship = world.add_body(MassProperties.sphere(100.0, 1.0))
            >>> jet = world.add_force(ThrusterBank(ship, positions=[(0, 0, -1)], directions=[(0, 0, 1)], max_forces=10.0))
            >>> jet.fire(0.5, delays=0.3)
            >>> jet.thrust.tolist(), jet.mean_thrust(1.0).tolist()
            ([0.0], [5.0])
        """
        seconds = real(seconds, "seconds", f"{self}.mean_thrust", above=0.0)
        return self._value("max_force") * self._shares(seconds)

    @fixed
    def impulse(self) -> FloatArray:
        """Impulse that each thruster has delivered so far [N·s], the integral of its thrust over time, shape (k,)."""
        return reading(self._impulses())

    @fixed
    def propellant_used(self) -> FloatArray:
        """Propellant that each thruster has taken from the tank [kg], shape (k,); zero without a tank."""
        return self._value("propellant_used")

    @fixed
    def specific_impulse(self) -> FloatArray | None:
        """Specific impulses [s], shape (k,), or None."""
        return self._value("specific_impulse") if self._tank is not None else None

    min_on_time = fixed(lambda self: self._value("min_on_time"), doc="Minimum durations of pulses [s], shape (k,).")
    rise_time = fixed(lambda self: self._value("rise_time"), doc="Times that the valves take to open [s], shape (k,).")
    fall_time = fixed(lambda self: self._value("fall_time"), doc="Times that the valves take to shut [s], shape (k,).")

    @fixed
    def gimbal(self) -> tuple[Gimbal | None, ...] | None:
        """The gimbals, a tuple with one entry per thruster, which is None for a fixed one; None if all are fixed."""
        gimbals = gimbals_of(self._table.array[:, self._slice()])
        return gimbals if any(gimbals) else None

    @property
    def gimbal_command(self) -> FloatArray:
        """The commanded angles about the two axes of each gimbal [rad], each within its `max_angle`, zero for fixed ones, shape (k, 2)."""
        return self._value("commanded_angles")

    @gimbal_command.setter
    def gimbal_command(self, value: npt.ArrayLike) -> None:
        self._require_bodies("gimbal_command")
        rows = self._slice()
        angles = array(value, "gimbal_command", self, (len(self.rows), 2)).T
        refuse_angles(angles, self._table.array[:, rows], value, self)
        self._table.write(_COMMANDED_ANGLES, rows, angles)

    @fixed
    def gimbal_angles(self) -> FloatArray:
        """The angles about the two axes of each gimbal [rad], which follow the command at a rate of at most `max_rate`, shape (k, 2)."""
        return self._value("angles")

    @property
    def positions(self) -> FloatArray:
        """Points of application [m], body frame, from the origin of the body, shape (k, 3)."""
        return self._value("position")

    @positions.setter
    def positions(self, value: npt.ArrayLike) -> None:
        self._set_rows("positions", value)

    @property
    def directions(self) -> FloatArray:
        """Directions of the forces on the body, body frame, unit vectors, shape (k, 3); gimbals turn them."""
        return self._value("direction")

    @directions.setter
    def directions(self, value: npt.ArrayLike) -> None:
        if self._table.array[MAX_RATE, self._slice()].any():
            refuse(
                self,
                "directions",
                value,
                "left to the gimbals, for thrusters that have one",
                hint="set gimbal_command instead",
            )
        self._set_rows("directions", value)

    @property
    def max_forces(self) -> FloatArray:
        """Forces at full throttle [N], each at least 0, shape (k,); one number for all may be assigned."""
        return self._value("max_force")

    @max_forces.setter
    def max_forces(self, value: npt.ArrayLike) -> None:
        self._set_rows("max_forces", value)

    def _set_rows(self, argument: str, value: npt.ArrayLike) -> None:
        values = _checked_rows(value, argument, self, len(self.rows))
        self._table.write(THRUSTERS.components[argument.removesuffix("s")], self._slice(), values)

    def __repr__(self) -> str:
        return f"ThrusterBank({self.body}, {len(self._bodies)} thrusters)"

    def apply(self, wrench: Wrench, bodies: BodyStates, time: float) -> None:
        _add_thrust(self, wrench)


def _one_each(owner: str, gimbal: object, count: int) -> Sequence[object]:
    """A gimbal or None for each of the thrusters of a bank."""
    if gimbal is None or isinstance(gimbal, Gimbal):
        return [gimbal] * count
    if not isinstance(gimbal, Sequence) or isinstance(gimbal, str) or len(gimbal) != count:
        refuse(owner, "gimbal", gimbal, f"a Gimbal, None, or a sequence of {count} of them", TypeError)
    return gimbal


def _one_time_each(value: object, argument: str, owner: object, count: int) -> Sequence[float]:
    """One time per thruster of a bank, from one for all or one for each."""
    if type(value) is float:
        return [real(value, argument, owner)] * count
    if type(value) is np.ndarray and value.shape == (count,):
        return components(value, argument, owner, count)
    times: list[float] = ANY.many(value, argument, owner, 1, count)[0].tolist()
    return times


def _checked_rows(value: object, argument: str, owner: object, count: int) -> FloatArray:
    """Checked values of a bank, one per thruster; the argument is the plural of the field's name."""
    name = argument.removesuffix("s")
    if THRUSTERS.by_name[name].size > 1:
        array(value, argument, owner, (count, THRUSTERS.by_name[name].size))  # one value for all makes no sense here
    return checked(THRUSTERS, name, value, owner, count, argument)


def _add_thrust(force: Valves, wrench: Wrench) -> None:
    columns = force._table.array[:, force._slice()]
    (body,) = force._named_bodies()
    for column, share in zip(columns.T, force._shares(), strict=True):
        thrust = column[9] * column[6:9]
        if column[1] > 0.0:
            wrench.add(body, force_body=share * thrust, at_body=column[3:6])


def _moves(level: object) -> bool:
    """Whether this stands for a valve that is not stuck."""
    return level is None or (isinstance(level, float) and level != level)
