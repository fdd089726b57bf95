"""Jets as actuators of a control loop, throttled or pulsed."""

from __future__ import annotations  # help() then shows them as written

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, array, components, read_only_attributes, reader, real, refuse
from ..forces.thruster import Thruster
from ..loops.actuator_layout import LEVEL
from .allocation import ThrusterAllocator
from .modulation import PulseModulator

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


@read_only_attributes()
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
        self._shares, self._center = np.zeros(allocator.jet_count), np.zeros(3)
        self._saturated, self._state_size = False, 0
        if modulator is not None:
            times = (_of_jets(allocator, name) for name in ("min_on_time", "rise_time", "fall_time"))
            self._modulator, self._period = modulator.of_valves(*times), modulator.period
            self._state_size = 2 * allocator.jet_count

    @property
    def body(self) -> Any:
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
        return self._shares.copy()

    @property
    def members(self) -> tuple[Any, ...]:
        """The thrusters and banks that are commanded, which must be in the world of the control loop."""
        return self._allocator.thrusters

    @property
    def commanded(self) -> Commanded:
        """The force and the torque that these shares make."""
        force, torque = self._allocator.wrench_of(self._shares, self._center)
        return Commanded(torque, force)

    def __repr__(self) -> str:
        return f"Jets({self._allocator!r}, {self._modulator!r})"

    def initial_state(self) -> FloatArray:
        """Return the state before the first command.

        Returns:
            Zeros, shape (state_size,).
        """
        return np.zeros(self._state_size)

    def command(
        self,
        torque_body: npt.ArrayLike,
        force_body: npt.ArrayLike | None,
        seconds: float,
        state: npt.ArrayLike | None = None,
    ) -> Any:
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
        """
        components(torque_body, "torque_body", self)
        if force_body is not None:
            components(force_body, "force_body", self)
        if self._modulator is None:
            real(seconds, "seconds", self, above=0.0)
            if state is not None:
                refuse(self, "state", state, "left out, because there is no modulator")
            found = self._allocator.allocate(torque_body, force_body)
            self._keep(found.shares, found.saturated)
            for thruster, shares in self._by_thruster(found.shares):
                thruster.throttle = shares
            return Commanded(found.torque_body, found.force_body)
        count, period = self._allocator.jet_count, self._period
        if abs(real(seconds, "seconds", self, above=0.0) - period) > _SAME_PERIOD * period:
            refuse(self, "seconds", seconds, f"the period of the modulator, which is {period!r} s")
        if state is None:
            refuse(self, "state", state, "the state that the last command returned, or initial_state()", TypeError)
        carried = array(state, "state", self, (2 * count,)).reshape(2, count).copy()
        # the valves as they are, because they were shut while the loop was disabled, or were fired by somebody else
        carried[1] = np.concatenate([each._table.array[LEVEL, each._slice()] for each in self._allocator.thrusters])
        found = self._allocator.allocate(torque_body, force_body)
        lost, shares = list(self._allocator.lost), found.shares.copy()
        shares[lost] = 0.0
        pulses = self._modulator.update(shares, carried)
        made = pulses.areas / period
        made[lost] = found.shares[lost]
        self._keep(made, found.saturated)
        # a valve that stays open is open until the next command, however its time and the period are rounded
        durations_now = np.where(pulses.durations == period, max(period, seconds), pulses.durations)
        for thruster, durations in self._by_thruster(durations_now):
            if np.any(durations):
                thruster.fire(durations)
        return pulses.state.reshape(-1)

    def stop(self) -> None:
        """Stop all jets that are not lost, by shutting their valves or setting their throttles to zero."""
        self._keep(np.zeros(self._allocator.jet_count), False)
        for thruster, none in self._by_thruster(self._shares):
            if self._modulator is None:
                thruster.throttle = none
            elif np.any(thruster.pulse_left) or np.any(thruster.thrust):
                thruster.fire(none)

    def _keep(self, shares: FloatArray, saturated: bool) -> None:
        self._shares, self._center, self._saturated = shares, self._allocator.center_of_mass_body, saturated

    def _by_thruster(self, values: FloatArray) -> list[tuple[Any, Any]]:
        """Each thruster that is not lost with its value, and each bank with an array, in which lost jets have 0."""
        found: list[tuple[Any, Any]] = []
        lost = set(self._allocator.lost)
        for thruster in self._allocator.thrusters:
            jets = self._allocator.jets_of(thruster)
            if isinstance(thruster, Thruster):
                found += [] if jets.start in lost else [(thruster, float(values[jets.start]))]
            elif not lost.issuperset(jets):
                found.append((thruster, np.array([0.0 if jet in lost else values[jet] for jet in jets])))
        return found


def _of_jets(allocator: ThrusterAllocator, name: str) -> FloatArray:
    """A time of the valve of each jet [s]."""
    parts = [
        np.broadcast_to(getattr(thruster, name), len(allocator.jets_of(thruster))) for thruster in allocator.thrusters
    ]
    return np.concatenate(parts)
