"""The valves of thrusters: pulses of a given duration, rise and fall, jams, gimbals, and the propellant that they use."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, direction, real, refuse
from ..compilation.choice import Loop, named
from ..kernels.valve import Opening, level_after
from ..loops.actuator_layout import (
    ANGLES,
    BODY,
    COMMANDED_ANGLES,
    ENABLED,
    FALL_TIME,
    IMPULSE,
    LEVEL,
    MAX_ANGLE,
    MAX_FORCE,
    MAX_RATE,
    MIN_ON_TIME,
    OPEN_FOR,
    OPENS_IN,
    RISE_TIME,
    SETTLED_TICK,
    STUCK,
    TANK,
    THROTTLE,
)
from ..loops.actuator_layout import DIRECTION as DIRECTION_ROW
from ..loops.members import room_for_jets, settle_adjacent, settle_throttles, thrust_of_throttle, write_adjacent
from ..store.host import Host
from ..store.rows import BodyHandle, Given, fixed, reference_fields
from ..store.schema import ANY, DIRECTION, NOT_NEGATIVE, POSITIVE, SHARE, TICKED, Field, Kind, Schema, Written
from ..store.table import Owner, Rows, Table
from .force import TableForce

_NOT_STUCK = -1.0
_PULSE = slice(OPENS_IN, OPEN_FOR + 1)
"""The delay and the duration of a pulse."""


class Call(NamedTuple):
    """A method of an object, as errors name it; the name is made only if there is an error."""

    owner: object
    method: str

    def __str__(self) -> str:
        return f"{self.owner}.{self.method}"


def are_pulsed(columns: FloatArray) -> npt.NDArray[np.bool_]:
    """Which valves wait for a pulse, are open in one, or fall after it, for columns of the table.

    A valve that shuts at once keeps its level at the end of a pulse for one tick, so that a pulse that follows goes on from it.
    """
    return (columns[OPEN_FOR] > 0.0) | ((columns[LEVEL] > 0.0) & (columns[FALL_TIME] > 0.0))


def refuse_throttle_in_pulses(columns: FloatArray, throttle: FloatArray, owner: object) -> None:
    """Reject throttles above zero for thrusters whose pulse runs."""
    if not columns[OPEN_FOR].max(initial=0.0) > 0.0 and not columns[LEVEL].max(initial=0.0) > 0.0:
        return  # as it is for thousands of jets that never fire pulses
    pulses = are_pulsed(columns)
    if (pulses & (throttle[0] != 0.0)).any():
        refuse(owner, "throttle", throttle[0].tolist(), "0 for a thruster while a pulse runs; `fire(0)` ends the pulse")


def _leave_to_gimbals(columns: FloatArray, directions: FloatArray, owner: object) -> None:
    """Reject other directions for thrusters with gimbals."""
    changed = (columns[DIRECTION_ROW : DIRECTION_ROW + 3] != directions).any(axis=0)
    if (changed & (columns[MAX_RATE] > 0.0)).any():
        rule = "left to the gimbals, for thrusters that have one"
        refuse(owner, "direction", directions.T.tolist(), rule, hint="set gimbal_command instead")


def _refuse_short_pulses(columns: FloatArray, shortest: FloatArray, owner: object) -> None:
    """Reject shortest pulses that end before the valve is open."""
    if (shortest[0] < columns[RISE_TIME]).any():
        rule = f"at least the rise_time of {columns[RISE_TIME].tolist()} s"
        refuse(owner, "min_on_time", shortest[0].tolist(), rule)


def _refuse_slow_valves(columns: FloatArray, rise: FloatArray, owner: object) -> None:
    """Reject times of rise that are longer than the shortest pulse."""
    if (rise[0] > columns[MIN_ON_TIME]).any():
        rule = f"at most the min_on_time of {columns[MIN_ON_TIME].tolist()} s"
        refuse(owner, "rise_time", rise[0].tolist(), rule)


def _refuse_late_fall(columns: FloatArray, fall: FloatArray, owner: object) -> None:
    """Reject a time of fall for valves that have just shut at once, whose level would then fall from where it was."""
    has_shut = (columns[LEVEL] > 0.0) & (columns[OPEN_FOR] == 0.0) & (columns[FALL_TIME] == 0.0)
    if (has_shut & (fall[0] > 0.0)).any():
        rule = "0 for a thruster whose pulse ended in the last tick"
        refuse(owner, "fall_time", fall[0].tolist(), rule, hint="set it one tick later")


_THRUST_ROWS = (ENABLED, THROTTLE, MAX_FORCE, STUCK, TANK)
"""What the thrust of a throttle follows from, in the order of the arguments of `thrust_of_throttle`."""
_SETTLED_WITH = {changed: np.array([IMPULSE, SETTLED_TICK, changed]) for changed in _THRUST_ROWS}
"""The components that a change of one of these writes."""
_SETTLED_BLOCKS = {changed: np.column_stack([each, np.zeros_like(each)]) for changed, each in _SETTLED_WITH.items()}
"""The same as blocks that begin at the first row; see `Table.write_blocks`."""


_NOBODY_STOOD = np.zeros(0)
"""The ticks since which bodies are frozen, where none is."""


def _one_each(values: npt.ArrayLike, count: int) -> FloatArray:
    """One value for each of some jets, from as many or from one for all."""
    if (
        type(values) is np.ndarray
        and values.shape == (count,)
        and values.dtype == np.float64
        and values.flags.c_contiguous
    ):
        return values
    given = np.ascontiguousarray(values, np.float64).reshape(-1)
    return given if len(given) == count else np.full(count, given)


def _stood(store: Owner) -> FloatArray:
    """The tick since which each body is frozen, or -1; without elements if none is."""
    frozen = store.tables.get("frozen bodies")
    if frozen is None or not frozen.count:
        return _NOBODY_STOOD
    stood = np.full(store.tables["bodies"].count, -1.0)
    stood[frozen.array[0, : frozen.count].astype(np.int64)] = frozen.array[1, : frozen.count]
    return stood


def _settled(
    columns: FloatArray, first: int, count: int, store: Owner, changed: int, values: npt.ArrayLike
) -> tuple[FloatArray, int]:
    """Impulses of adjacent jets, the ticks up to which they count and the new values, with the same as now for a log; how many change."""
    world, settled = store.world(), np.empty((3 if store.log is None else 6, count))
    now, given = float(world._bodies.tick_count), _one_each(values, count)
    found = settle_throttles(columns, first, changed, given, now, _stood(store), world._dt, settled)
    return settled, int(found)


def _settle_adjacent(store: Owner, rows: slice, table: Table, components: slice | int, values: npt.ArrayLike) -> None:
    """Write one component of adjacent jets, with what their throttles have given so far, in one call, which no interrupt divides."""
    first, last, _step = rows.indices(table.count)
    changed = components if isinstance(components, int) else components.start
    world, given = store.world(), _one_each(values, last - first)[np.newaxis]
    now = float(world._bodies.tick_count)
    settle_adjacent(table.array, first, changed, given, now, _stood(store), world._dt, room_for_jets())


def kernels_of_throttles() -> list[Loop]:
    """The kernels that a bank calls when its throttles are set or its impulses are read."""
    table, vector = np.zeros((1, 1)), np.zeros(1)
    return [
        named(settle_adjacent, table, 0, 0, table, 0.0, vector, 0.0, table),
        named(settle_throttles, table, 0, 0, vector, 0.0, vector, 0.0, table),
        named(write_adjacent, table, np.zeros((1, 2), np.int64), 0, table),
    ]


def impulses_of(columns: FloatArray, store: Owner) -> FloatArray:
    """The impulse that each thruster in columns of the table of a world has delivered so far [N·s]."""
    settled, _found = _settled(np.ascontiguousarray(columns), 0, columns.shape[1], store, -1, 0.0)
    return settled[0]


def leave_out_ticks(table: Table, bodies: npt.NDArray[np.int64], ticks: npt.ArrayLike) -> None:
    """Leave out of the impulses of thrusters that bodies stood still for these numbers of ticks; the bodies move again."""
    passed = np.zeros(bodies.max(initial=-1) + 1)
    passed[bodies] = ticks
    owner = table.array[BODY, : table.count].astype(np.int64)
    rows = np.flatnonzero(np.isin(owner, bodies))
    if len(rows):
        table.write(SETTLED_TICK, rows, table.array[SETTLED_TICK, rows] + passed[owner[rows]])


def _has_frozen(store: Owner) -> bool:
    frozen = store.tables.get("frozen bodies")
    return frozen is not None and frozen.count > 0


def _settle_one(table: Table, store: Owner, row: int, changed: int, value: float) -> Written | None:
    """Do the same for a single jet without a tank in plain floats, because programs set throttles in every tick."""
    read = table.array.item
    throttle, full, enabled, stuck = read(THROTTLE, row), read(MAX_FORCE, row), read(ENABLED, row), read(STUCK, row)
    thrust = throttle * full if enabled > 0.0 and stuck < 0.0 else 0.0
    before = throttle if changed == THROTTLE else read(changed, row)
    if changed == THROTTLE:
        throttle = value
    elif changed == MAX_FORCE:
        full = value
    elif changed == ENABLED:
        enabled = value
    else:  # it gets stuck, or a tank
        enabled = 0.0 if changed == TANK or value >= 0.0 else enabled
        stuck = -1.0
    if thrust == (throttle * full if enabled > 0.0 and stuck < 0.0 else 0.0):
        return None
    world = store.world()
    now, impulse, since = world.tick_count, read(IMPULSE, row), read(SETTLED_TICK, row)
    kept = impulse, since, before
    if thrust != 0.0:
        impulse += thrust * ((now - since) * world.dt)
    return _SETTLED_WITH[changed], (impulse, now, value), kept


def _settle_thrust(table: Table, components: slice | int, rows: Rows, values: npt.ArrayLike) -> Written | None:
    """Add to the impulses what the throttles have given so far, in the write of new values that change their thrust."""
    changed = components if isinstance(components, int) else components.start
    if changed not in _THRUST_ROWS:
        return None
    array, store = table.array, table.store
    assert store is not None
    if isinstance(rows, int):
        if array.item(TANK, rows) >= 0.0 or array.item(changed, rows) == values:
            return None
        if isinstance(values, float) and not _has_frozen(store):
            return _settle_one(table, store, rows, changed, values)
        rows = slice(rows, rows + 1)
    if isinstance(rows, slice) and rows.step in (None, 1):
        if store.log is None:
            return partial(_settle_adjacent, store, rows), values, ()
        first, last, _step = rows.indices(table.count)
        settled, found = _settled(array, first, last - first, store, changed, values)
        jets: slice | npt.NDArray[np.int64] = slice(first, last)
    else:
        jets = np.arange(table.count)[rows]
        settled, found = _settled(np.ascontiguousarray(array[:, jets]), 0, len(jets), store, changed, values)
    return ((_SETTLED_BLOCKS[changed], jets), settled[:3], settled[3:]) if found else None


THRUSTERS = Schema(
    "thrusters",
    (
        *reference_fields("body"),
        Field("throttle", Kind.COMMAND, 1, "-", digest=0, rule=SHARE, meaning="share of the full force",
              guard=refuse_throttle_in_pulses, guard_in="driven"),
        Field("position", Kind.MODEL, 3, "m", "body", digest=1, rule=ANY, meaning="where it acts, from the origin"),
        Field("direction", Kind.MODEL, 3, "-", "body", digest=2, rule=DIRECTION, meaning="of the force", guard=_leave_to_gimbals),
        Field("max_force", Kind.MODEL, 1, "N", digest=3, rule=NOT_NEGATIVE, meaning="at full throttle"),
        Field("specific_impulse", Kind.MODEL, 1, "s", digest=4, meaning="zero if it is unknown"),
        Field("tank", Kind.MODEL, meaning="row of the tank, or -1", digest=101, refers_to="tanks", rest=-1.0, may_be_nobody=True),
        Field("min_on_time", Kind.MODEL, 1, "s", digest=5, rule=NOT_NEGATIVE, meaning="of the shortest pulse", guard=_refuse_short_pulses),
        Field("rise_time", Kind.MODEL, 1, "s", digest=6, rule=NOT_NEGATIVE, meaning="from shut to open", guard=_refuse_slow_valves),
        Field("fall_time", Kind.MODEL, 1, "s", digest=7, rule=NOT_NEGATIVE, meaning="from open to shut", guard=_refuse_late_fall),
        Field("stuck", Kind.COMMAND, 1, "-", digest=8, rest=_NOT_STUCK, meaning="level of a stuck valve, else -1"),
        Field("gimbal_axes", Kind.MODEL, 6, "-", "body", digest=9, meaning="of the first and of the second angle"),
        Field("max_angle", Kind.MODEL, 1, "rad", digest=10, meaning="of both angles"),
        Field("max_rate", Kind.MODEL, 1, "rad/s", digest=11, meaning="of both angles; zero without a gimbal"),
        Field("neutral_direction", Kind.MODEL, 3, "-", "body", digest=12, meaning="at both angles zero"),
        Field("commanded_angles", Kind.COMMAND, 2, "rad", digest=13),
        Field("angles", Kind.STATE, 2, "rad", digest=14),
        Field("opens_in", Kind.STATE, 1, "s", digest=15, meaning="time until the valve opens"),
        Field("open_for", Kind.STATE, 1, "s", digest=16, meaning="time for which it is then open"),
        Field("level", Kind.STATE, 1, "-", digest=17, meaning="opening of the valve in a pulse"),
        Field("impulse", Kind.STATE, 1, "N·s", digest=18, meaning="delivered so far"),
        Field("settled_tick", Kind.STATE, digest=20, is_new=True, stored=TICKED, is_world_tick=True, meaning="up to which throttles count"),
        Field("propellant_used", Kind.STATE, 1, "kg", digest=19, meaning="so far"),
        Field("is_driven", Kind.SCRATCH, meaning="whether the mean level counts and not the throttle"),
        Field("mean", Kind.SCRATCH, meaning="level of the valve over the tick"),
        Field("lean", Kind.SCRATCH, meaning="how much later than the middle of the tick it is open"),
        Field("next_valve", Kind.SCRATCH, 3, meaning="opens_in, open_for and level at the end of the tick"),
        Field("next_angles", Kind.SCRATCH, 2, "rad"),
        Field("has_kicked", Kind.SCRATCH, meaning="whether an island has taken its kick at the end of the tick"),
        Field("next_jet", Kind.SCRATCH, meaning="the next one of the same tank, or -1"),
    ),
    flown=True,
    settle=_settle_thrust,
)  # fmt: skip


class Gimbal(NamedTuple):
    """The mount of a thruster that turns about two axes, each at a limited rate.

    The thruster points along its `direction`, turned by the second angle about `axis_2` and then by the first about `axis_1`.

    Example:
        >>> gimbal = Gimbal(axis_1=(1, 0, 0), axis_2=(0, 1, 0), max_angle=0.1, max_rate=0.5)
        >>> gimbal.max_rate
        0.5
    """

    axis_1: npt.ArrayLike
    """First axis, body frame, of any non-zero length, shape (3,)."""
    axis_2: npt.ArrayLike
    """Second axis, which the first angle carries along, body frame, of any non-zero length, shape (3,)."""
    max_angle: float
    """Maximum angle about either axis [rad], above zero."""
    max_rate: float
    """Maximum rate of either angle [rad/s], above zero."""


class Valves(TableForce, final=False):
    """What thrusters and banks of thrusters share: the rows of their valves."""

    __slots__ = ("_tank",)

    _schema = THRUSTERS
    _counted_in_ticks = frozenset(("settled_tick",))
    _tank: Any

    tank = Given[Any]("The tank that feeds it; None if its propellant is not counted.")

    def _shares(self, seconds: float = 0.0) -> FloatArray:
        """The share of the full thrust of each valve at this moment or, if a time is given, on average over it; zero if the tank is dry."""
        columns = self._table.array[:, self._slice()]
        if self._tank is not None and self._tank.propellant == 0.0:
            return np.zeros(columns.shape[1])
        return mean_share_of_thrust(columns, seconds) if seconds else share_of_thrust(columns)

    def _columns(self) -> FloatArray:
        columns, store = super()._columns(), self._table.store
        if store is not None:
            columns[IMPULSE] = impulses_of(columns, store)
        columns[SETTLED_TICK] = 0.0
        return columns

    def _attach(self, table: Table) -> None:
        super()._attach(table)
        rows = self._slice()
        if any(thrust_of_throttle(*each) for each in table.array[[*_THRUST_ROWS], rows].T.tolist()):
            assert table.store is not None
            table.write(SETTLED_TICK, rows, float(table.store.world().tick_count))

    def _impulses(self) -> FloatArray:
        """The impulse that each thruster has delivered so far [N·s]."""
        columns, store = self._table.array[:, self._slice()], self._table.store
        if store is None:
            return columns[IMPULSE].copy()
        return impulses_of(columns, store)

    def coast_obstacle(self) -> str | None:
        """Return in words why this force keeps its world from coasting (`World.coast`), or None if it neither acts nor moves.

        Pulses and gimbals continue while the force is disabled, so they prevent coasting then too.
        """
        columns = self._table.array[:, self._slice()]
        if are_pulsed(columns).any():
            return f"a pulse of {self!r} is pending or running"
        commanded, angles = angles_of(columns)
        if (commanded != angles).any():
            return f"the gimbal of {self!r} turns"
        acting = columns[:, columns[ENABLED] > 0.0]
        if (acting[STUCK] > 0.0).any():
            return f"a valve of {self!r} is stuck open"
        return f"the force {self!r} acts" if acting[THROTTLE].any() else None

    def _joined(self, world: Host) -> None:
        columns = self._table.array[:, self._slice()]
        if self._tank is not None:
            if self._tank._table.store is not self._table.store:
                refuse(
                    "World.add_force",
                    "force",
                    self,
                    "one whose tank is in this world",
                    hint=f"add {self._tank} with World.add_part first",
                )
            rows = self._slice()
            self._table.write(self._schema.row("tank"), rows, float(self._tank.rows.start))
        moving = (columns[STUCK] >= 0.0) | (columns[OPEN_FOR] > 0.0) | (columns[LEVEL] > 0.0)
        if self._tank is not None or moving.any() or columns[MAX_RATE].any():
            world._actuators.include(self.body.index, self)

    def _start_pulses(self, times: FloatArray, names: tuple[str, str]) -> None:
        """Open the valves for some times [s] after delays [s].

        Args:
            times: Delays and durations, shape (2, rows).
            names: What errors call durations and delays.
        """
        rows, table, owner = self._slice(), self._table, Call(self, "fire")
        delays, durations = times.tolist()
        shortest, throttles = table.array[MIN_ON_TIME, rows].tolist(), table.array[THROTTLE, rows].tolist()
        for argument, values in zip(names, (durations, delays), strict=True):
            if min(values, default=0.0) < 0.0:
                refuse(owner, argument, list(values), "at least 0")
        for duration, least, throttle in zip(durations, shortest, throttles, strict=True):
            if 0.0 < duration < least:
                refuse(owner, names[0], list(durations), f"0 or at least the min_on_time of {shortest} s")
            if duration > 0.0 and throttle != 0.0:
                refuse(owner, names[0], list(durations), "0 while the throttle is not 0")
        self._open_valves(times)

    def _open_valves(self, times: FloatArray) -> None:
        """Open the valves for times after delays that have been checked, shape (2, rows)."""
        rows, table = self._slice(), self._table
        store = table.store
        if store is None or store.world()._actuators.row_of(self._body_row()) >= 0:
            table.write(_PULSE, rows, times)
            return
        with store.all_or_nothing():
            table.write(_PULSE, rows, times)
            store.world()._actuators.include(self.body.index, self)

    def _set_throttles(self, shares: FloatArray, is_checked: bool = False) -> None:
        """Set the throttles to shares that are known to be from 0 to 1, one per row, and if it is checked, beside no pulse."""
        rows, table = self._slice(), self._table
        if not is_checked:
            refuse_throttle_in_pulses(table.array[:, rows], shares[np.newaxis], self)
        table.write(THROTTLE, rows, shares)

    def _levels(self) -> list[float]:
        """How far each valve is open in a pulse, from 0 to 1."""
        levels: list[float] = self._table.array[LEVEL, self._slice()].tolist()
        return levels

    def _body_row(self) -> int:
        """The row of the body that is pushed."""
        return int(self._table.array[BODY, self._slice().start])

    def _set_stuck(self, levels: FloatArray) -> None:
        store = self._table.store
        if store is None:
            self._require_bodies("stuck")
            self._table.write(STUCK, self._slice(), levels)
            return
        with store.all_or_nothing():
            self._table.write(STUCK, self._slice(), levels)
            store.world()._actuators.include(self.body.index, self)

    @fixed
    def body(self) -> BodyHandle:
        """The body that is pushed."""
        return self._named_bodies()[0]


def share_of_thrust(columns: FloatArray) -> FloatArray:
    """The share of the full thrust at this moment, for columns of the table: the stuck level, that of a pulse, or the throttle."""
    is_open = (columns[OPENS_IN] == 0.0) | (columns[FALL_TIME] > 0.0)
    share = np.where(are_pulsed(columns), np.where(is_open, columns[LEVEL], 0.0), columns[THROTTLE])
    return np.where(columns[ENABLED] > 0.0, np.where(columns[STUCK] >= 0.0, columns[STUCK], share), 0.0)


def mean_share_of_thrust(columns: FloatArray, seconds: float) -> FloatArray:
    """The mean share of the full thrust over the next seconds, if nothing is commanded meanwhile, for columns of the table."""
    shares = []
    for column, share, is_pulsed in zip(columns.T, share_of_thrust(columns).tolist(), are_pulsed(columns), strict=True):
        opens_in, open_for, level = column[[OPENS_IN, OPEN_FOR, LEVEL]].tolist()
        if column[ENABLED] > 0.0 and not column[STUCK] >= 0.0 and is_pulsed:
            valve = Opening(opens_in, open_for, level, 0.0, 0.0)
            share = level_after(valve, float(column[RISE_TIME]), float(column[FALL_TIME]), seconds).area / seconds
        shares.append(share)
    return np.array(shares)


def checked_valve(
    owner: str,
    body: BodyHandle,
    count: int,
    specific_impulse: object,
    tank: Any,
    times: Mapping[str, object],
) -> dict[str, FloatArray]:
    """Checked values of the fields of valves, shape (1, count) or (1, 1).

    Args:
        owner: The thruster, in errors.
        body: The body that is pushed.
        count: The number of thrusters.
        specific_impulse: One for all or one per thruster [s], or None.
        tank: The tank that feeds them, or None.
        times: min_on_time, rise_time and fall_time [s], one for all or one per thruster, by name in errors.
    """
    values: dict[str, FloatArray] = {}
    if tank is not None and getattr(getattr(tank, "_schema", None), "name", "") != "tanks":
        refuse(owner, "tank", tank, "one Tank, or None", TypeError)
    if (tank is None) != (specific_impulse is None):
        given = {"tank": tank, "specific_impulse": specific_impulse}
        refuse(owner, "tank and specific_impulse", given, "given together, because the thrust then determines the flow")
    if tank is not None:
        if tank.body is not body:
            refuse(owner, "tank", tank, f"a tank of the body that is pushed, {body}")
        values["specific_impulse"] = POSITIVE.many(specific_impulse, "specific_impulse", owner, 1, count)
    for name, value in times.items():
        values[name] = NOT_NEGATIVE.many(value, name, owner, 1, count)
    if (values["min_on_time"] < values["rise_time"]).any():
        rule = f"at least the rise_time {times['rise_time']!r}, so that a pulse opens the valve completely"
        refuse(owner, "min_on_time", times["min_on_time"], rule)
    return values


def checked_gimbals(owner: str, gimbals: Sequence[object], neutral: FloatArray) -> dict[str, FloatArray]:
    """Checked values of the fields of gimbals, one or None per thruster, shape (size, thrusters).

    Args:
        owner: The thruster or the bank, in errors.
        gimbals: The gimbals.
        neutral: The directions at angles of zero, shape (3, thrusters).
    """
    axes, limits = np.zeros((6, len(gimbals))), np.zeros((2, len(gimbals)))
    for place, gimbal in enumerate(gimbals):
        if gimbal is None:
            continue
        if not isinstance(gimbal, Gimbal):
            refuse(owner, "gimbal", gimbal, "a Gimbal, or None", TypeError)
        pair = [direction(axis, f"gimbal.axis_{number}", owner) for number, axis in enumerate(gimbal[:2], 1)]
        if float(np.abs(np.cross(pair[0], pair[1])).max()) < 1e-6:
            refuse(owner, "gimbal.axis_2", gimbal.axis_2, f"an axis that is not parallel to axis_1, {gimbal.axis_1}")
        axes[:, place] = np.concatenate(pair)
        limits[0, place] = real(gimbal.max_angle, "gimbal.max_angle", owner, above=0.0)
        limits[1, place] = real(gimbal.max_rate, "gimbal.max_rate", owner, above=0.0)
    turning = np.where(limits[1] > 0.0, neutral, 0.0)
    return {"gimbal_axes": axes, "max_angle": limits[:1], "max_rate": limits[1:], "neutral_direction": turning}


def gimbals_of(columns: FloatArray) -> tuple[Gimbal | None, ...]:
    """The gimbal of each thruster, or None, from columns of the table."""
    axes, limits = columns[THRUSTERS.components["gimbal_axes"]].T.tolist(), columns[[MAX_ANGLE, MAX_RATE]].T.tolist()
    return tuple(
        Gimbal(tuple(pair[:3]), tuple(pair[3:]), max_angle, max_rate) if max_rate else None
        for pair, (max_angle, max_rate) in zip(axes, limits, strict=True)
    )


def refuse_angles(angles: FloatArray, columns: FloatArray, value: object, owner: object) -> None:
    """Reject commanded angles, shape (2, thrusters), beyond the limits of their gimbals, or not zero without a gimbal."""
    if not columns[MAX_RATE].any():
        refuse(owner, "gimbal_command", value, "set only on a thruster with a gimbal")
    limits = columns[MAX_ANGLE]
    if (np.abs(angles) > limits).any():
        one = f"within {limits[0]:g} rad of zero"
        each = f"within {limits.tolist()} rad of zero, one limit per thruster"
        refuse(owner, "gimbal_command", value, one if len(limits) == 1 else each)


def checked_level(owner: object, value: object) -> float:
    """The level of a stuck valve as it is stored; None is a valve that moves."""
    return _NOT_STUCK if value is None else SHARE.number(value, "stuck", owner)


def stuck_level(stored: float) -> float | None:
    """The level of a stuck valve as users see it."""
    return None if stored < 0.0 else stored


def angles_of(columns: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The commanded and the current angles of a gimbal."""
    return columns[COMMANDED_ANGLES : COMMANDED_ANGLES + 2], columns[ANGLES : ANGLES + 2]
