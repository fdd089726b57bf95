"""The samples of a control loop in all members of a batch: the law and the actuators of each take a stack, with the bits of one body."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray
from ..loops import thrust_allocation as allocation
from ..loops import wheel_torques as kernels
from ..loops.actuator_layout import ENABLED, TORQUE
from .body_torque import AT_LIMIT, BodyTorque
from .formula_law import (
    ERROR_ANGLE,
    INERTIA,
    OF_BODY,
    OUT_ROWS,
    PARAMETERS,
    RATES,
    REFERENCE,
    SECONDS,
    STATE,
    STATE_BEFORE,
    STORED,
    FormulaLaw,
)
from .formula_law import TORQUE as LAW_TORQUE
from .law import Law
from .part import SampledPart
from .reference import Reference, Slew, Spin
from .sensor import ReadingsOfMembers, Sensor
from .wheel import ReactionWheel
from .wheel_allocation import WheelAllocator

IntArray = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


_BLOCK = 60
"""Members whose torques are divided in one call, so that what this takes stays in the cache."""


class ActuatorsOfMembers(Protocol):
    """Commands the actuators of all members."""

    def command(self, world: Any, torques: FloatArray, seconds: float, commanded: Mask) -> tuple[Mask, FloatArray]:
        """Command torques [N·m], shape (3, n), in some members.

        Returns:
            The members whose commands are not finite, which are not commanded, and whether those of each are saturated, as 0.0 or 1.0.
        """


def has_form_for_members(law: Any, reference: Any, actuators: Any, measured: Any) -> bool:
    """Whether a loop with these takes samples for all members of a batch at once."""
    return (
        (measured is None or _can_be_read(measured))
        and isinstance(law, FormulaLaw)
        and law._is_as_defined
        and law._is_for_one_body
        and law._assembly is None
        and type(law).initial_state is Law.initial_state
        and type(reference) in (Reference, Spin, Slew)
        and reference.at(0.0).orientation.ndim == 1
        and _has_form(actuators)
    )


def _can_be_read(measured: Any) -> bool:
    """Whether this is a sensor or a filter of the engine, whose readings for all members are arrays."""
    own = type(measured).__module__.startswith(__package__ + ".")
    return own and isinstance(measured, SampledPart) and measured._has_form_for_members


class Attitudes(NamedTuple):
    """What a loop measures of all members instead of the state of their bodies.

    Attributes:
        is_valid: Whether each member has a valid reading, shape (n,).
        orientation: Orientations, shape (4, n); None for those of the bodies.
        angular_velocity_body: Angular velocities [rad/s], body frame, shape (3, n); None for those of the bodies.
    """

    is_valid: Mask
    orientation: FloatArray | None
    angular_velocity_body: FloatArray | None


def _measured_attitudes(measured: Any, count: int, dt: float) -> Attitudes | None:
    if measured is None:
        return None
    table, rows = measured._table, measured._slice()
    if not isinstance(measured, Sensor):
        numbers: FloatArray = measured._attitudes_of_members(count)
        return Attitudes(np.ones(count, np.bool_), numbers[:4], numbers[4:])
    found = type(measured).read(ReadingsOfMembers(table.array, rows, count, dt))  # type: ignore[arg-type]
    turn, rates = (getattr(found, name, None) for name in ("orientation", "angular_velocity_body"))
    return Attitudes(found.is_valid, None if turn is None else turn.T, None if rates is None else rates.T)


def _has_form(actuators: Any) -> bool:
    if type(actuators) is WheelAllocator:
        return not actuators.lost and all(type(wheel) is ReactionWheel for wheel in actuators.wheels)
    return type(actuators) is BodyTorque


class WheelsOfMembers:
    """The wheels of an allocator in all members."""

    def __init__(self, allocator: WheelAllocator) -> None:
        self._allocator = allocator

    def command(self, world: Any, torques: FloatArray, seconds: float, commanded: Mask) -> tuple[Mask, FloatArray]:
        """See `ActuatorsOfMembers`."""
        wheels, members = self._allocator.wheels, torques.shape[1]
        table, bodies = wheels[0]._table, world._bodies.array
        rows = np.array([wheel.rows.start for wheel in wheels])
        out, reached = np.zeros((len(rows), members)), np.empty(members)
        some_are_left = kernels.direct_torques(table.array, rows, bodies, seconds, torques, out, reached)
        is_cut = np.asarray(reached < 1.0, np.float64)
        if some_are_left:
            left = np.flatnonzero((reached < 0.0) & commanded)
            for first in range(0, len(left), _BLOCK):
                some = left[first : first + _BLOCK]
                out[:, some], is_cut[some] = self._divide(bodies, table.array, rows, some, torques, seconds)
        bad: Mask = commanded & ~np.isfinite(np.sum(out, axis=0))
        own = np.flatnonzero(commanded & ~bad)
        for row, values in zip(rows.tolist(), out, strict=True):
            # a wheel that is switched off keeps its command
            target = own[table.array[ENABLED, row + own] > 0.0]
            whole = len(target) == members
            table.write(TORQUE, slice(row, row + members) if whole else row + target, values[target])
        return bad, is_cut

    def _divide(
        self,
        bodies: FloatArray,
        table: FloatArray,
        rows: IntArray,
        members: IntArray,
        torques: FloatArray,
        seconds: float,
    ) -> tuple[FloatArray, FloatArray]:
        """Motor torques of the wheels of some members, shape (wheels, members), and whether each was out of reach."""
        count, own = len(members), len(rows)
        preferred, wanted = self._allocator._preferred, np.ascontiguousarray(torques[:, members])
        goals = np.array([] if preferred is None else preferred).reshape(-1, 1)
        limits, jets = np.empty((2 * own * count, 1)), np.zeros((allocation.JET_ROWS, 2 * own * count))
        cases, out = np.zeros((count, 9)), np.empty((own, count))
        kernels.wheel_limits(table, rows, members, bodies, seconds, wanted, limits, jets, cases)
        results = allocation.solve(jets, cases, True, True, 2 * own)
        null_rate, work = self._allocator.null_rate, np.empty((4, own))
        kernels.wheel_torques(table, rows, members, bodies, goals, null_rate, results, limits, work, out)
        return out, (results[:, 2 * own + allocation.IS_CUT] > 0.0).astype(np.float64)


class TorquesOfMembers:
    """A `BodyTorque` in all members."""

    def __init__(self, torque: BodyTorque) -> None:
        self._torque = torque

    def command(self, world: Any, torques: FloatArray, seconds: float, commanded: Mask) -> tuple[Mask, FloatArray]:
        """See `ActuatorsOfMembers`."""
        torque, wanted = self._torque, torques
        if torque._max_torque is not None:
            largest = np.array(torque._max_torque)[:, np.newaxis]
            wanted = torques / np.maximum((np.abs(torques) / largest).max(axis=0), 1.0)
        own = np.flatnonzero(commanded)
        table, first = torque._table, torque.rows.start
        components = table.schema.components["torque_body"]
        table.write(components, first + own, wanted[:, own])
        saturated: FloatArray = np.zeros(torques.shape[1])
        if torque._max_torque is not None:
            held = np.abs(table.array[components, first : first + len(saturated)])
            saturated = np.asarray((held >= AT_LIMIT * largest).any(axis=0), np.float64)
        return np.zeros(len(saturated), np.bool_), saturated


def sample_members(loop: Any, world: Any, ticks: IntArray, due: Mask) -> IntArray:
    """Take a sample of a loop in each member that is due, and return the members whose torques are not finite, which have none.

    Args:
        loop: The loop, whose rows are those of all members.
        world: The world of all members.
        ticks: Number of the tick of each member, shape (n,).
        due: Whether each member is sampled, shape (n,).
    """
    table, first, count, law = loop._table, loop._slice().start, len(ticks), loop._law
    delay, size, fields = loop._delay, law.state_size, loop._schema.components
    columns, seconds = table.array[:, first : first + count], loop._seconds(world)
    seen = _measured_attitudes(loop._measured, count, world._dt)
    waits = np.zeros(count, np.bool_) if seen is None else due & ~seen.is_valid
    due = due & ~waits
    state = np.zeros((0, count))
    if size:
        begun = columns[fields["law_has_begun"].start] > 0.0
        state = np.where(begun, columns[fields["law_state"]], 0.0)
    out = _law_of_members(loop, world, ticks, due, state, seconds, seen)
    bad = due & ~np.isfinite(np.sum(out[: STATE + size], axis=0))
    own = np.flatnonzero(due & ~bad)
    torque = wanted = out[LAW_TORQUE : LAW_TORQUE + 3]
    samples = columns[fields["samples"].start].copy()
    kept = [np.minimum(samples + 1.0, delay + 1.0)[np.newaxis], torque, out[ERROR_ANGLE : ERROR_ANGLE + 1]]
    if delay:
        # the torque that is due, after the delay
        waiting = np.concatenate([columns[fields["waiting"]], torque])
        wanted = np.ascontiguousarray(waiting[:3])
        kept.append(waiting[3:])
    if size:
        kept += [out[STATE : STATE + size], np.ones((1, count))]
    values, start = np.concatenate(kept), fields["samples"].start
    table.write(slice(start, start + len(values)), first + own, values[:, own])
    commanded = (due & ~bad & (samples >= delay)) | waits
    if waits.any():
        # as for a loop alone, delayed torques are given up, and the law starts again at the next valid reading
        idle = np.flatnonzero(waits)
        error = columns[fields["error_angle"].start, idle]
        kept = [
            samples[np.newaxis, idle],
            np.zeros((3, len(idle))),
            error[np.newaxis],
            np.zeros((3 * delay, len(idle))),
        ]
        if size:
            kept += [columns[fields["law_state"], idle], np.zeros((1, len(idle)))]
        table.write(slice(start, start + len(values)), first + idle, np.concatenate(kept))
        wanted = np.where(waits, 0.0, wanted)
    if commanded.any():
        wrong, saturated = loop._actuators_of_members.command(world, np.ascontiguousarray(wanted), seconds, commanded)
        own = np.flatnonzero(commanded & ~wrong)
        table.write(fields["saturated"].start, first + own, saturated[own])
        bad |= wrong
    return np.flatnonzero(bad)


def _law_of_members(
    loop: Any, world: Any, ticks: IntArray, due: Mask, state: FloatArray, seconds: float, seen: Attitudes | None
) -> FloatArray:
    """What the kernel of the law writes, with one column per member; those that are not due have zeros."""
    law, who = loop._law, np.flatnonzero(due)
    own = law._tensor or [0.0] * 6
    parameters = [number for part in law._parameters_for(own) for number in part]
    inputs, out = np.zeros((PARAMETERS + len(parameters), len(who))), np.zeros((OUT_ROWS, len(who)))
    inputs[SECONDS:] = np.array([seconds, *parameters])[:, np.newaxis]
    body = loop._bodies[0][0].index
    inputs[:REFERENCE] = world._bodies.array[OF_BODY[:, np.newaxis], body + who]
    if seen is not None and seen.orientation is not None:
        inputs[:RATES] = seen.orientation[:, who]
    if seen is not None and seen.angular_velocity_body is not None:
        inputs[RATES:INERTIA] = seen.angular_velocity_body[:, who]
    if law._tensor is not None:
        inputs[INERTIA:STORED] = np.array(law._tensor)[:, np.newaxis]
    # a reference that moves is asked once per time on the clocks of the members
    times = np.zeros(len(who), np.int64) if type(loop._reference) is Reference else ticks[who]
    for tick in np.unique(times).tolist():
        goal = [number for part in law._goal(loop._reference.at(tick * world.dt)) for number in part]
        inputs[REFERENCE:STATE_BEFORE, times == tick] = np.array(goal)[:, np.newaxis]
    inputs[STATE_BEFORE : STATE_BEFORE + len(state)] = state[:, who]
    law._kernel(inputs, out)
    whole = np.zeros((OUT_ROWS, len(ticks)))
    whole[:, who] = out
    return whole
