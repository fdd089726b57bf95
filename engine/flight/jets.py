"""Jets as actuators of a control loop, throttled or pulsed."""

from __future__ import annotations  # help() then shows them as written

from math import isfinite
from typing import NamedTuple, NoReturn, overload

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, array, components, explaining_errors, reader, real, refuse
from ..compilation.packed import Packed
from ..forces.thruster import Thruster, ThrusterBank
from ..loops import thrust_allocation as allocation
from ..loops.jet_commands import JetCommand, command_jets
from ..loops.layout import CENTER_OF_MASS
from ..store.rows import BodyHandle
from ..store.table import Table
from .allocation import ThrusterAllocator
from .driver import Command
from .modulation import Periods, PulseModulator

_CENTER_OF_MASS = slice(CENTER_OF_MASS, CENTER_OF_MASS + 3)
_NO_FORCE = (0.0, 0.0, 0.0)
_TIMES = ("durations", "delays")
_SAME_PERIOD = 1e-9
"""Maximum relative difference between the time until the next command and the period of the modulator."""


class Commanded(NamedTuple):
    """The mean force and torque that actuators were commanded to exert until the next command.

    Example:
        >>> Commanded(torque_body=np.array([0.0, 5.0, 0.0]), force_body=np.zeros(3)).torque_body.tolist()
        [0.0, 5.0, 0.0]
    """

    torque_body: FloatArray
    """Torque about the mass centre [N·m], body frame, shape (3,)."""
    force_body: FloatArray
    """Force [N], body frame, shape (3,)."""


@explaining_errors()
class Jets:
    """The jets of a body as actuators of a control loop.

    Each command is allocated to the jets, as a share of the full thrust of each. Without a modulator, the shares are set as throttles,
    which are held until the next command. With a modulator, each command fires at most one pulse per jet, and the remainder is carried to
    the next command. The carried remainders are state: they are passed to `command` and returned, so that the control loop keeps them.

    Args:
        allocator: The allocator of the jets.
        modulator: A modulator for valves that are either open or shut, whose period is that of the control loop; None for throttles. Rise
            and fall times are taken from the thrusters. The longer `min_on_time` of thruster and modulator applies.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `min_on_time` and `rise_time` of a valve together exceed the period of `modulator`.

    Example:
        >>> from engine import MassProperties, World
        >>> from engine.forces import ThrusterBank
        >>> world = World(dt=0.1)
        >>> ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)))
        >>> corners, along = [(1, 0, 0), (-1, 0, 0)], [(0, 0, -1), (0, 0, 1)]
        >>> bank = world.add_force(ThrusterBank(ship, positions=corners, directions=along, max_forces=10.0))
        >>> jets = Jets(ThrusterAllocator([bank]))
        >>> jets.command((0.0, 5.0, 0.0), (0.0, 0.0, 0.0), 0.1).torque_body.tolist()
        [0.0, 5.0, 0.0]
        >>> bank.throttle.tolist(), jets.saturated
        ([0.25, 0.25], False)
    """

    __slots__ = ("_allocator", "_center", "_modulator", "_period", "_saturated", "_shares", "_state_size")

    period: float
    """Time between two commands for which the modulator is made [s]; missing without a modulator."""
    saturated: bool
    """Whether the force and torque of the last command together were out of reach."""
    state_size: int
    """Number of values in the state that `command` takes and returns, two per jet with a modulator, else none."""

    period = reader("_period", "Time between two commands [s], which is that of the modulator; missing without one.")
    saturated = reader("_saturated", "Whether the force and torque of the last command together were out of reach.")
    state_size = reader("_state_size", "Number of values that the modulator remembers from one command to the next.")

    def __init__(self, allocator: ThrusterAllocator, modulator: PulseModulator | None = None) -> None:
        if not isinstance(allocator, ThrusterAllocator):
            refuse("Jets", "allocator", allocator, "a ThrusterAllocator", TypeError)
        if not isinstance(modulator, PulseModulator | None):
            refuse("Jets", "modulator", modulator, "a PulseModulator or None", TypeError)
        self._allocator, self._modulator = allocator, modulator
        self._shares, self._center = [0.0] * allocator.jet_count, [0.0, 0.0, 0.0]
        self._saturated, self._state_size = False, 0
        if modulator is not None:
            times = (_of_jets(allocator, name) for name in ("min_on_time", "rise_time", "fall_time"))
            self._modulator, self._period = modulator.of_valves(*times), modulator.period
            self._state_size = 2 * allocator.jet_count

    @property
    def body(self) -> BodyHandle:
        """The body that the jets push."""
        return self._allocator.body

    @property
    def allocator(self) -> ThrusterAllocator:
        """The allocator; assign another one for the same thrusters, such as `allocator.without(jet)`, after a failure."""
        return self._allocator

    @allocator.setter
    def allocator(self, value: ThrusterAllocator) -> None:
        own = self._allocator.thrusters
        if not isinstance(value, ThrusterAllocator):
            refuse(self, "allocator", value, "a ThrusterAllocator", TypeError)
        if len(value.thrusters) != len(own) or any(a is not b for a, b in zip(value.thrusters, own, strict=True)):
            refuse(self, "allocator", value, "a ThrusterAllocator for the same thrusters in the same order")
        store = own[0]._table.store
        if store is not None:  # the loop that commands these jets keeps the allocator in snapshots
            store.before_change()
            forces = store.world()._forces
            store.record(forces.forget_image)
            store.record(setattr, self, "_allocator", self._allocator)
            forces.forget_image()
        self._allocator = value

    @property
    def modulator(self) -> PulseModulator | None:
        """The modulator, with the times of the valves; None if the jets are throttled."""
        return self._modulator

    @property
    def shares(self) -> FloatArray:
        """Share of full thrust of each jet until the next command, shape (n,); for pulsed jets, the mean over the period."""
        return np.array(self._shares)

    @property
    def members(self) -> tuple[Jet, ...]:
        """The thrusters and banks that are commanded, which must be in the world of the control loop."""
        return self._allocator.thrusters

    @property
    def commanded(self) -> Commanded:
        """The force and the torque that these shares make."""
        force, torque = self._allocator.wrench_of(np.array(self._shares), np.array(self._center))
        return Commanded(torque, force)

    def __repr__(self) -> str:
        return f"Jets({self._allocator!r}, {self._modulator!r})"

    def initial_state(self) -> FloatArray:
        """Return the state before the first command.

        Returns:
            Zeros, shape (state_size,).
        """
        return np.zeros(self._state_size)

    @overload
    def command(
        self, torque_body: npt.ArrayLike, force_body: npt.ArrayLike | None, seconds: float, state: None = None
    ) -> Commanded: ...
    @overload
    def command(
        self, torque_body: npt.ArrayLike, force_body: npt.ArrayLike | None, seconds: float, state: npt.ArrayLike
    ) -> FloatArray: ...
    def command(
        self,
        torque_body: npt.ArrayLike,
        force_body: npt.ArrayLike | None,
        seconds: float,
        state: npt.ArrayLike | None = None,
    ) -> Commanded | FloatArray:
        """Set the throttles, or fire the pulses, for a torque and a force.

        Args:
            torque_body: Wanted torque about the mass centre [N·m], body frame, shape (3,).
            force_body: Wanted force [N], body frame, shape (3,); None leaves it free.
            seconds: Time until the next command [s]; with a modulator, its period.
            state: With a modulator, the state that the last command returned, or `initial_state()`, shape (state_size,); else None.

        Returns:
            Without a modulator, the force and torque as `Commanded`. With a modulator, the new state, shape (state_size,); read the force
            and torque from `commanded`.

        Raises:
            TypeError: If there is a modulator and `state` is not given.
            ValueError: If `seconds` is not the period of the modulator, or an argument is not finite.

        Example:
            >>> from engine import MassProperties, World
            >>> from engine.forces import ThrusterBank
            >>> world = World(dt=0.1)
            >>> ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)))
            >>> places, along = [(1, 0, 0), (-1, 0, 0)], [(0, 0, -1), (0, 0, 1)]
            >>> bank = world.add_force(ThrusterBank(ship, positions=places, directions=along, max_forces=10.0))
            >>> made = Jets(ThrusterAllocator([bank])).command((0.0, 5.0, 0.0), None, 0.1)
            >>> made.torque_body.tolist(), bank.throttle.tolist()
            ([0.0, 5.0, 0.0], [0.5, 0.0])
        """
        wanted = components(torque_body, "torque_body", self)
        force = None if force_body is None else list(components(force_body, "force_body", self))
        real(seconds, "seconds", self, above=0.0)
        if self._modulator is None:
            if state is not None:
                refuse(self, "state", state, "left out, because there is no modulator")
            JetsDriver(self).command(list(wanted), force, seconds, [])
            return self.commanded
        if abs(seconds - self._period) > _SAME_PERIOD * self._period:
            refuse(self, "seconds", seconds, f"the period of the modulator, which is {self._period!r} s")
        if state is None:
            refuse(self, "state", state, "the state that the last command returned, or initial_state()", TypeError)
        before = array(state, "state", self, (self._state_size,)).tolist()
        return np.array(JetsDriver(self).command(list(wanted), force, seconds, before))

    def _driver(self) -> JetsDriver:
        return JetsDriver(self)

    def stop(self) -> None:
        """Stop all jets that are not lost, by shutting their valves or setting their throttles to zero."""
        self._shares, self._saturated = [0.0] * self._allocator.jet_count, False
        self._center = self._allocator.center_of_mass_body.tolist()
        lost = frozenset(self._allocator.lost)
        for thruster in self._allocator.thrusters:
            if lost.issuperset(self._allocator.jets_of(thruster)):
                continue
            if self._modulator is None:
                thruster.throttle = 0.0
            elif np.any(thruster.pulse_left) or np.any(thruster.thrust):
                thruster.fire(0.0)


class JetsDriver:
    """Commands jets, and keeps the arrays of the kernels between two commands."""

    def __init__(self, jets: Jets) -> None:
        """Prepare for jets."""
        self._jets = jets
        count = jets._allocator.jet_count
        self._pulses = None if jets._modulator is None else jets._modulator._periods(count)

        self._prepare(jets._allocator)
        self._bound: tuple[Table, int, object] | None = None

    def command(
        self, torque: list[float], force: list[float] | None, seconds: float, state: list[float]
    ) -> list[float]:
        """Allocate a torque and a force to the jets, and command them; the arguments are those of `Driver.command`."""
        jets = self._jets
        allocator = jets._allocator
        if allocator is not self._allocator:
            self._prepare(allocator)
        center = self._center_of_mass()
        self._problem.cases[0] = [*(force or _NO_FORCE), *torque, *center]
        results = self._problem.solve(self._spreads, force is None)[0]
        found = results.tolist()
        if not isfinite(sum(found)):
            allocator._refuse_huge()
        count = len(found) - allocation.RESULT_COLUMNS
        shares = made = found[:count]
        if self._lost:
            shares = [0.0 if place in self._lost else share for place, share in enumerate(shares)]
            results[:count] = shares
        if self._pulses is None:
            for thruster, places in self._spans:
                thruster._set_throttles(results[places])
        else:
            made, state = self._fire(self._pulses, shares, made, seconds, state)
        jets._shares, jets._center, jets._saturated = made, center, found[count + allocation.IS_CUT] > 0.0
        return state

    @property
    def is_bound(self) -> bool:
        """See `Driver`."""
        assert self._bound is not None
        table, numbering, allocator = self._bound
        return table.numbering == numbering and self._jets._allocator is allocator

    def bind(self, wanted: FloatArray, answer: FloatArray, seconds: float) -> Command | None:
        """See `Driver`."""
        allocator = self._jets._allocator
        if allocator is not self._allocator:
            self._prepare(allocator)
        first, count, problem, pulses = allocator.thrusters[0], allocator.jet_count, self._problem, self._pulses
        table = first._table
        if table.store is None:
            return None
        rows = [row for thruster in allocator.thrusters for row in range(*thruster._slice().indices(table.count))]
        if len(rows) != count:
            return None
        self._bound, self._answer = (table, table.numbering, allocator), answer
        if pulses is None:
            pulses = Periods(np.zeros((3, count)), 0.0)
        self._shares, self._times, self._rejected = pulses.shares[0], np.zeros((2, count)), np.zeros(1, np.int64)
        center = int(allocator._assembly is None)
        tables = table.array, np.array(rows), table.store.world()._bodies.array, center
        solved = problem.jets, problem.cases, problem.results, problem.work, problem.places
        modulated = pulses.shares, pulses.before, pulses.valves, pulses.durations, pulses.areas, pulses.after
        times = pulses.period, seconds
        given = JetCommand(
            np.zeros(2, np.int64),
            *tables,
            wanted,
            answer,
            solved,
            int(self._spreads),
            modulated,
            *times,
            self._times,
            self._rejected,
        )
        called = [problem.loop(), None if self._pulses is None else pulses.loop()]
        return Command(command_jets, Packed(given), called)

    def update(self) -> None:
        """See `Driver`."""
        if self._allocator._assembly is not None:
            self._problem.cases[0, 6:] = self._center_of_mass()

    def carry_out(self) -> None:
        """See `Driver`."""
        jets, problem, times, is_rejected = self._jets, self._problem, self._times, bool(self._rejected[0])
        if self._pulses is None:
            for thruster, places in self._spans:
                thruster._set_throttles(self._shares[places], is_checked=not is_rejected)
        elif is_rejected:
            self._start_pulses(times[1])
        else:
            durations: list[float] = times[1].tolist()
            for thruster, places in self._spans:
                if any(durations[places]):
                    thruster._open_valves(times[:, places])
        jets._shares = problem.results[0, : len(self._shares)].tolist()
        jets._center, jets._saturated = problem.cases[0, 6:].tolist(), self._answer[0] > 0.0

    def refuse_command(self) -> NoReturn:
        """See `Driver`."""
        self._jets._allocator._refuse_huge()

    def _center_of_mass(self) -> list[float]:
        """The mass centre from which lever arms are measured now, from the body's origin [m], body frame."""
        allocator = self._allocator
        table = allocator.thrusters[0]._table
        if allocator._assembly is not None or table.store is None:
            of_assembly: list[float] = allocator.center_of_mass_body.tolist()
            return of_assembly
        bodies = table.store.world()._bodies.array
        center: list[float] = bodies[_CENTER_OF_MASS, allocator.thrusters[0]._body_row()].tolist()
        return center

    def _fire(
        self, pulses: Periods, shares: list[float], made: list[float], seconds: float, state: list[float]
    ) -> tuple[list[float], list[float]]:
        """Fire a pulse per jet, or none, and return the shares that they make and the new state."""
        count = len(shares)
        # the valves as they are, because they were shut while the loop was disabled, or were fired by somebody else
        levels = [level for thruster in self._allocator.thrusters for level in thruster._levels()]
        durations, areas, after = pulses.update(shares, [*state[:count], *levels])
        period = pulses.period
        if seconds > period:
            # a valve that stays open is open until the next command, however its time and the period are rounded
            durations = [seconds if duration == period else duration for duration in durations]
        self._start_pulses(np.array(durations))
        fired = [area / period for area in areas]
        for place in self._lost:
            fired[place] = made[place]
        return fired, after

    def _start_pulses(self, durations: FloatArray) -> None:
        times = np.zeros((2, len(durations)))
        times[1] = durations
        for thruster, places in self._spans:
            if durations[places].any():
                thruster._start_pulses(times[:, places], _TIMES)

    def _prepare(self, allocator: ThrusterAllocator) -> None:
        """Read what changes only with the allocator."""
        self._problem = allocation.Problem(allocator.jet_count)
        self._problem.jets, self._spreads = allocator._jets, allocator._method == "even"
        self._lost = frozenset(allocator.lost)
        self._spans: list[tuple[Jet, slice]] = []
        for thruster in allocator.thrusters:
            numbers = allocator.jets_of(thruster)
            if not self._lost.issuperset(numbers):
                self._spans.append((thruster, slice(numbers.start, numbers.stop)))
        self._allocator = allocator


def _of_jets(allocator: ThrusterAllocator, name: str) -> FloatArray:
    """A time of the valve of each jet [s]."""
    parts = [
        np.broadcast_to(getattr(thruster, name), len(allocator.jets_of(thruster))) for thruster in allocator.thrusters
    ]
    return np.concatenate(parts)


Jet = Thruster | ThrusterBank
"""What commands are sent to."""
