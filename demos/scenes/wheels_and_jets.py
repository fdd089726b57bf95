"""Reaction wheels and jets of one ship as the actuators of one control loop, with a choice of which of them work."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..drawing import Array
from ..physics import flight
from .ship import MIN_ON_TIME, Ship

MODES = ("wheels", "jets", "both")
HIGH, LOW = 100.0, 3.0  # momentum of the wheels at which dumping begins, and at which it ends [N·m·s]
TIME_CONSTANT = 12.0  # of dumping [s]
FULL = 0.98
"""A wheel at this share of its largest speed is called full."""


class WheelsAndJets:
    """What a control loop commands: wheels, pulsed jets, or both.

    * ``"wheels"``: the wheels make the torque, as far as they can.
    * ``"jets"``: the jets make it in pulses, and the wheels keep their momentum.
    * ``"both"``: the wheels make what they can and the jets the rest. If the wheels hold much momentum, the jets also dump it: they push
      against it, and the wheels, which still hold the attitude, give it up.

    A wanted force is made by the jets, in the modes that use them. If so many jets have failed that the others cannot turn the ship about
    every axis without pushing it, the force is left free.
    """

    def __init__(self, ship: Ship, period: float, mode: str = "wheels") -> None:
        """Make the actuators.

        Args:
            ship: The ship.
            period: Time between two samples of the control loop [s].
            mode: One of `MODES`.
        """
        self.ship, self.mode, self.period = ship, mode, period
        self.dumping, self.saturated, self._asked = False, False, False
        self.wheels = flight.WheelAllocator(ship.wheels)
        self.jets = flight.Jets(flight.ThrusterAllocator([ship.jets]), flight.PulseModulator(MIN_ON_TIME, period))
        self._manager = flight.control.MomentumManager(ship.wheels, HIGH, LOW, time_constant=TIME_CONSTANT)
        self._shares = np.zeros(self.jets.allocator.jet_count)
        self.state_size = self.jets.state_size + 1
        self._use(self.jets.allocator)

    @property
    def body(self) -> Any:
        """The body of the ship."""
        return self.ship.body

    @property
    def shares(self) -> Array:
        """Mean thrust of each jet until the next command, over its largest, shape (16,)."""
        return self._shares.copy()

    @property
    def torque_of_jets(self) -> Array:
        """Torque of the jets until the next command [N·m], on average, body frame, shape (3,)."""
        return self.jets.commanded.torque_body if self._shares.any() else np.zeros(3)

    @property
    def torque_of_wheels(self) -> Array:
        """Torque of the wheels on the ship in the last tick [N·m], body frame, shape (3,)."""
        return -sum((wheel.applied_torque * wheel.axis for wheel in self.ship.wheels), np.zeros(3))

    @property
    def max_torque(self) -> Array:
        """Torque about each body axis that the present mode can make both ways [N·m], shape (3,)."""
        working = [wheel for wheel in self.ship.wheels if wheel.enabled]
        # Three wheels of a pyramid turn the ship about every axis with half the torque of four, and two about none.
        share = {4: 1.0, 3: 0.5}.get(len(working), 0.0)
        of_wheels = share * sum(wheel.max_torque * np.abs(wheel.axis) for wheel in self.ship.wheels)
        return {"wheels": of_wheels, "jets": self._of_jets, "both": of_wheels + self._of_jets}[self.mode]

    @property
    def force_is_free(self) -> bool:
        """Whether the jets that are left push the ship when they turn it."""
        return self._force_is_free

    @property
    def full(self) -> bool:
        """Whether a wheel is at its largest speed."""
        return any(abs(wheel.speed) > FULL * wheel.max_speed for wheel in self.ship.wheels)

    def dump(self) -> None:
        """Begin to dump the momentum of the wheels, however small it is; it is dumped in the mode "both"."""
        self._asked = True

    def lose_jet(self, number: int, level: float) -> None:
        """Leave a jet out that is known to be stuck at a level from 0 to 1; the others make up for what it does."""
        self._use(self.jets.allocator.without(number, level=level))

    def trust_jets(self) -> None:
        """Command all jets again."""
        self._use(flight.ThrusterAllocator([self.ship.jets]))

    def command(
        self, torque_body: npt.ArrayLike, force_body: npt.ArrayLike | None, seconds: float, state: Array
    ) -> Array:
        """Command wheels and jets for the time until the next sample.

        Args:
            torque_body: Wanted torque [N·m], body frame, shape (3,).
            force_body: Wanted force [N], body frame, shape (3,); None leaves it free.
            seconds: Time until the next command [s].
            state: What the last command returned: what the jets carry, and 1 while the wheels are dumped.

        Returns:
            The state for the next command, shape (state_size,).
        """
        wanted, carried, dumping = np.asarray(torque_body, dtype=float), state[:-1], 0.0
        if self.mode == "wheels":
            self._shares[:] = 0.0
            self.wheels.command(wanted, None, seconds)
            self.saturated = self.wheels.saturated
        elif self.mode == "jets":
            self.wheels.command(np.zeros(3), None, seconds)
            carried = self._fire(wanted, force_body, seconds, carried)
        else:
            dump, (dumping,) = self._manager.update(None, None, seconds, [max(state[-1], float(self._asked))])
            rest = wanted - dump - self.wheels.command(wanted - dump, None, seconds).torque_body
            carried = self._fire(dump + rest, force_body, seconds, carried)
            # What the pulses of this period make is known only now; the wheels make the difference.
            self.wheels.command(wanted - self.jets.commanded.torque_body, None, seconds)
            self._asked = False
        self.dumping = dumping > 0.0
        return np.append(carried, dumping)

    def _use(self, allocator: flight.ThrusterAllocator) -> None:
        """Command the jets by this allocator."""
        self.jets.allocator, self._force_is_free = allocator, False
        self._of_jets = allocator.reachable_torques().min(axis=0)
        if not self._of_jets.all():
            self._force_is_free = True
            self._of_jets = allocator.reachable_torques(force_is_free=True).min(axis=0)

    def _fire(self, torque: Array, force: npt.ArrayLike | None, seconds: float, carried: Array) -> Array:
        carried = self.jets.command(torque, None if self._force_is_free else force, seconds, carried)
        self._shares[:] = self.jets.shares
        self.saturated = self.jets.saturated
        return carried
