"""The samples of a control loop in all members of a batch: the law and the actuators of each take a stack, with the bits of one body."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..checks import FloatArray, refuse
from ..forces.thruster import Thruster, ThrusterBank
from ..forces.valves import refuse_throttle_in_pulses
from ..loops import pulses
from ..loops import thrust_allocation as allocation
from ..loops import wheel_torques as kernels
from ..loops.actuator_layout import BODY, ENABLED, LEVEL, OPEN_FOR, OPENS_IN, THROTTLE, TORQUE
from ..loops.layout import CENTER_OF_MASS
from ..store.host import Host
from ..store.rows import parts_of_block
from ..store.table import IntArray, Mask
from .allocation import ThrusterAllocator
from .body_torque import AT_LIMIT, BodyTorque
from .control_loop import ControlLoop, Made, Wanted
from .estimation import AttitudeFilter
from .formula_law import (
    ERROR_ANGLE,
    INERTIA,
    OF_BODY,
    OUT_ROWS,
    PARAMETERS,
    RATES,
    REFERENCE,
    REFERENCE_ACCELERATION,
    SECONDS,
    STATE,
    STATE_BEFORE,
    STORED,
    FormulaLaw,
)
from .formula_law import TORQUE as LAW_TORQUE
from .jets import Jets
from .law import Law
from .own_objects import OfMembers, first_of, goal_of, parameters_of
from .part import SampledPart
from .pointing import Pointing
from .reference import Reference, Slew, Spin
from .sensor import ReadingsOfMembers, Sensor
from .wheel import ReactionWheel
from .wheel_allocation import WheelAllocator

_BLOCK = 60
"""Members whose torques are divided in one call, so that what this takes stays in the cache."""


def has_form_for_members(law: object, reference: object, actuators: object, measured: object, world: object) -> bool:
    """Whether a loop with these takes samples for all members of a batch at once."""
    return (
        (measured is None or _can_be_read(measured))
        and isinstance(law, FormulaLaw)
        and law._is_as_defined
        and law._is_for_one_body
        and law._assembly is None
        and type(law).initial_state is Law.initial_state
        and _can_be_followed(reference, world)
        and _has_form(actuators)
    )


def _can_be_followed(reference: object, world: object) -> bool:
    if isinstance(reference, Pointing):
        return type(reference) is Pointing and reference._has_form_for_members(world)
    if isinstance(reference, Reference | Spin | Slew):
        return type(reference) in (Reference, Spin, Slew) and reference.at(0.0).orientation.ndim == 1
    return False


def _can_be_read(measured: object) -> bool:
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


def _measured_attitudes(measured: object, count: int, dt: float) -> Attitudes | None:
    if measured is None:
        return None
    assert isinstance(measured, Sensor | AttitudeFilter)
    table, rows = measured._table, measured._slice()
    if not isinstance(measured, Sensor):
        numbers: FloatArray = measured._attitudes_of_members(count)
        return Attitudes(np.ones(count, np.bool_), numbers[:4], numbers[4:])
    found = type(measured).read(ReadingsOfMembers(table.array, rows, count, dt))  # type: ignore[arg-type]
    turn, rates = (getattr(found, name, None) for name in ("orientation", "angular_velocity_body"))
    return Attitudes(np.asarray(found.is_valid), None if turn is None else turn.T, None if rates is None else rates.T)


def _has_form(actuators: object) -> bool:
    if type(actuators) is WheelAllocator:
        return not actuators.lost and all(type(wheel) is ReactionWheel for wheel in actuators.wheels)
    if type(actuators) is Jets:
        allocator = actuators._allocator
        own = all(type(thruster) in (Thruster, ThrusterBank) for thruster in allocator.thrusters)
        return own and type(allocator) is ThrusterAllocator and allocator._assembly is None
    return type(actuators) is BodyTorque


class WheelsOfMembers:
    """The wheels of an allocator in all members."""

    def __init__(self, allocator: WheelAllocator) -> None:
        self._allocator = allocator

    def command(self, world: Host, wanted: Wanted, seconds: float, commanded: Mask) -> Made:
        """See `ActuatorsOfMembers`."""
        torques = wanted.torques
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
        return Made(bad, is_cut, wanted.state)

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

    def command(self, world: Host, wanted: Wanted, seconds: float, commanded: Mask) -> Made:
        """See `ActuatorsOfMembers`."""
        torque, torques = self._torque, wanted.torques
        if torque._max_torque is not None:
            largest = np.array(torque._max_torque)[:, np.newaxis]
            torques = torques / np.maximum((np.abs(torques) / largest).max(axis=0), 1.0)
        own = np.flatnonzero(commanded)
        table, first = torque._table, torque.rows.start
        components = table.schema.components["torque_body"]
        table.write(components, first + own, torques[:, own])
        saturated: FloatArray = np.zeros(torques.shape[1])
        if torque._max_torque is not None:
            held = np.abs(table.array[components, first : first + len(saturated)])
            saturated = np.asarray((held >= AT_LIMIT * largest).any(axis=0), np.float64)
        return Made(np.zeros(len(saturated), np.bool_), saturated, wanted.state)


class _Jets(NamedTuple):
    """The rows of the jets of a thruster or bank in the first member, their places among all jets, and whether any of them is not lost."""

    rows: IntArray
    places: slice
    is_used: bool


class JetsOfMembers:
    """The jets of an allocator in all members, throttled or pulsed."""

    def __init__(self, jets: Jets) -> None:
        self._jets = jets

    def command(self, world: Host, wanted: Wanted, seconds: float, commanded: Mask) -> Made:
        """See `ActuatorsOfMembers`."""
        allocator, own, members = self._jets._allocator, np.flatnonzero(commanded), wanted.torques.shape[1]
        table, columns, count = allocator.thrusters[0]._table, allocator._jets, allocator.jet_count
        body, cases = int(table.array[BODY, allocator.thrusters[0]._slice().start]), np.zeros((len(own), 9))
        if wanted.forces is not None:
            cases[:, :3] = wanted.forces[:, own].T
        cases[:, 3:6] = wanted.torques[:, own].T
        cases[:, 6:] = world._bodies.array[CENTER_OF_MASS : CENTER_OF_MASS + 3, body + own].T
        found = allocation.solve(columns, cases, allocator._method == "even", wanted.forces is None)
        good = np.isfinite(np.sum(found, axis=1))
        bad, saturated, state = np.zeros(members, np.bool_), np.zeros(members), wanted.state.copy()
        bad[own[~good]] = True
        own, found = own[good], found[good]
        saturated[own] = found[:, count + allocation.IS_CUT] > 0.0
        shares, lost = np.ascontiguousarray(found[:, :count]), list(allocator.lost)
        shares[:, lost] = 0.0
        spans = self._spans(members)
        if self._jets._modulator is None:
            for rows, places, is_used in spans:
                if not is_used:
                    continue
                targets = (rows[:, np.newaxis] + own).ravel()
                values = np.ascontiguousarray(shares[:, places].T).reshape(1, -1)
                refuse_throttle_in_pulses(table.array[:, targets], values, self._jets)
                table.write(THROTTLE, targets, values[0])
        else:
            state[:, own] = self._fire(world, shares, seconds, state[:, own], own, spans)
        return Made(bad, saturated, state)

    def stop(self, count: int, members: IntArray) -> None:
        """Stop the jets of some of the members, each as `Jets.stop` does alone."""
        allocator = self._jets._allocator
        for thruster, jets in zip(allocator.thrusters, self._spans(count), strict=True):
            first, last = int(jets.rows[0]), int(jets.rows[-1]) + 1
            if jets.is_used and self._jets._modulator is None:
                targets = (jets.rows[:, np.newaxis] + members).ravel()
                thruster._table.write(THROTTLE, targets, np.zeros(len(targets)))
            elif jets.is_used:
                blocks = (slice(first + member, last + member, count) for member in members.tolist())
                for each in parts_of_block(thruster, blocks):
                    assert isinstance(each, Thruster | ThrusterBank)
                    if np.any(each.pulse_left) or np.any(each.thrust):
                        each.fire(0.0)

    def _spans(self, members: int) -> list[_Jets]:
        lost, spans, first = set(self._jets._allocator.lost), [], 0
        for thruster in self._jets._allocator.thrusters:
            rows = thruster._slice()
            width = (rows.stop - rows.start) // members
            is_used = not lost.issuperset(range(first, first + width))
            spans.append(_Jets(rows.start + members * np.arange(width), slice(first, first + width), is_used))
            first += width
        return spans

    def _fire(
        self,
        world: Host,
        shares: FloatArray,
        seconds: float,
        state: FloatArray,
        own: IntArray,
        spans: list[_Jets],
    ) -> FloatArray:
        """Fire pulses in some members, given the shares of their jets, shape (m, k), and return the new states, shape (2 k, m)."""
        modulator, count = self._jets._modulator, shares.shape[1]
        assert modulator is not None
        table = self._jets._allocator.thrusters[0]._table
        before = np.zeros((len(own), 2, count))
        before[:, 0] = state[:count].T
        for rows, places, _is_used in spans:
            before[:, 1, places] = table.array[LEVEL, rows[:, np.newaxis] + own].T
        durations, areas, after = np.empty_like(shares), np.empty_like(shares), np.empty_like(before)
        periods = modulator._periods(count)
        pulses.modulate(shares, before, periods.valves, periods.period, durations, areas, after)
        if seconds > periods.period:
            durations[durations == periods.period] = seconds
        for rows, places, is_used in spans:
            firing = np.flatnonzero(durations[:, places].any(axis=1))
            if is_used and len(firing):
                targets, times = (rows[:, np.newaxis] + own[firing]).ravel(), durations[firing, places].T.reshape(-1)
                if ((times > 0.0) & (table.array[THROTTLE, targets] != 0.0)).any():
                    hint = "a control loop fires pulses with them"
                    refuse(self._jets, "throttle", table.array[THROTTLE, targets].max(), "0 in all members", hint=hint)
                table.write(slice(OPENS_IN, OPEN_FOR + 1), targets, np.stack([np.zeros(len(times)), times]))
                for body in np.unique(table.array[BODY, targets].astype(np.int64)).tolist():
                    world._actuators.include(body, self._jets)
        return np.ascontiguousarray(after.reshape(len(own), -1).T)


def sample_members(loop: ControlLoop, world: Host, ticks: IntArray, due: Mask) -> IntArray:
    """Take a sample of a loop in each member that is due, and return the members whose torques are not finite, which have none.

    Args:
        loop: The loop, whose rows are those of all members.
        world: The world of all members.
        ticks: Number of the tick of each member, shape (n,).
        due: Whether each member is sampled, shape (n,).
    """
    table, first, count, law = loop._table, loop._slice().start, len(ticks), first_of(loop._law)
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
    bad |= _command(loop, world, np.ascontiguousarray(wanted), columns[fields["force_body"]].copy(), commanded)
    return np.flatnonzero(bad)


def _command(loop: ControlLoop, world: Host, torques: FloatArray, forces: FloatArray, commanded: Mask) -> Mask:
    """Command the actuators of some members, and return in which members the command is not finite, and left out."""
    table, fields, bad = loop._table, loop._schema.components, np.zeros(len(commanded), np.bool_)
    first = loop._slice().start
    columns = table.array[:, first : first + len(commanded)]
    is_free = columns[fields["force_is_free"].start] > 0.0
    memory = columns[fields["actuator_state"]].copy() if "actuator_state" in fields else np.zeros((0, len(bad)))
    for free in np.unique(is_free[commanded]).tolist():
        asked, those = Wanted(torques, None if free else forces, memory), commanded & (is_free == free)
        wrong, saturated, after = loop._actuators_of_members.command(world, asked, loop._seconds(world), those)
        own = np.flatnonzero(those & ~wrong)
        table.write(fields["saturated"].start, first + own, saturated[own])
        if len(after):
            table.write(fields["actuator_state"], first + own, after[:, own])
        bad |= wrong
    return bad


def stop_members(loop: ControlLoop, world: Host, count: int, members: IntArray) -> None:
    """Stop the actuators of a loop in some of the members, where it is disabled."""
    actuators = loop._actuators_of_members
    if isinstance(actuators, JetsOfMembers):
        actuators.stop(count, members)
    else:
        commanded, nothing = np.zeros(count, np.bool_), np.zeros((3, count))
        commanded[members] = True
        _ = _command(loop, world, nothing, nothing, commanded)


def _law_of_members(
    loop: ControlLoop,
    world: Host,
    ticks: IntArray,
    due: Mask,
    state: FloatArray,
    seconds: float,
    seen: Attitudes | None,
) -> FloatArray:
    """What the kernel of the law writes, with one column per member; those that are not due have zeros."""
    law, who = first_of(loop._law), np.flatnonzero(due)
    assert isinstance(law, FormulaLaw)
    if isinstance(loop._law, OfMembers):
        own = loop._law.columns[:, who]
    else:
        own = np.array(parameters_of(law))[:, np.newaxis]
    inputs, out = np.zeros((PARAMETERS + len(own) - 6, len(who))), np.zeros((OUT_ROWS, len(who)))
    inputs[SECONDS], inputs[PARAMETERS:] = seconds, own[6:]
    body = loop.body.index
    inputs[:REFERENCE] = world._bodies.array[OF_BODY[:, np.newaxis], body + who]
    if seen is not None and seen.orientation is not None:
        inputs[:RATES] = seen.orientation[:, who]
    if seen is not None and seen.angular_velocity_body is not None:
        inputs[RATES:INERTIA] = seen.angular_velocity_body[:, who]
    if law._tensor is not None:
        inputs[INERTIA:STORED] = own[:6]
    reference, is_lost = loop._reference, np.zeros(len(who), np.bool_)
    if type(reference) is Pointing:
        goals = reference._of_members(world._bodies.array, body, inputs[:RATES], who)
        is_lost = ~np.isfinite(goals.sum(axis=0))
        size = len(goals) if law._reads_acceleration else REFERENCE_ACCELERATION - REFERENCE
        inputs[REFERENCE : REFERENCE + size] = goals[:size]
    elif isinstance(reference, OfMembers):
        inputs[REFERENCE:STATE_BEFORE] = reference.goals(law, np.asarray(ticks * world.dt, np.float64), due)[:, who]
    else:
        assert isinstance(reference, Reference | Spin | Slew)
        # a reference that moves is asked once per time on the clocks of the members
        times = np.zeros(len(who), np.int64) if type(reference) is Reference else ticks[who]
        for tick in np.unique(times).tolist():
            goal = np.array(goal_of(reference, law, tick * world.dt))
            inputs[REFERENCE:STATE_BEFORE, times == tick] = goal[:, np.newaxis]
    inputs[STATE_BEFORE : STATE_BEFORE + len(state)] = state[:, who]
    law._kernel(inputs, out)
    out[LAW_TORQUE, is_lost] = np.nan
    whole = np.zeros((OUT_ROWS, len(ticks)))
    whole[:, who] = out
    return whole
