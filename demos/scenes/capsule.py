"""The spacecraft with its tank, its sixteen jets in pulses, and a control loop for its attitude."""

from collections.abc import Sequence

import numpy as np

from ..physics import World, flight
from ..viewer.meshes import spacecraft
from ..viewer.picture.scene import Array, Plume
from . import masses

PROPELLANT = 250.0  # at the start [kg]
TANK, TANK_RADIUS = (0.0, 0.0, -0.7), 0.55  # [m]
THRUST, SPECIFIC_IMPULSE = 60.0, 220.0  # of each jet [N], [s]
MIN_ON_TIME, VALVE_TIME = 0.02, 0.005  # the shortest pulse, and the time in which a valve opens or shuts [s]
PERIOD = 0.2
"""Time between two samples of the control loop [s], to the nearest tick."""
NOZZLES = {name: nozzle for name, nozzle in spacecraft.NOZZLES.items() if name != "main"}
LEAST_PLUME = 0.3
"""Brightness of the shortest pulse over that of a jet that stays open."""


class Capsule:
    """A body in a world with all that moves it: `body`, `tank`, `bank`, `jets` and `hold`."""

    port = spacecraft.PORT

    def __init__(
        self, world: World, *, position: Array, orientation: Array, velocity: Array, angular_velocity_body: Array
    ) -> None:
        """Add it to a world; position and velocity are those of its mass centre with full tank."""
        self.body = world.add_body(
            masses.spacecraft(),
            name="capsule",
            orientation=orientation,
            angular_velocity_body=angular_velocity_body,
        )
        self.tank = world.add_part(flight.Tank.ball(self.body, TANK, TANK_RADIUS, PROPELLANT))
        self.body.position, self.body.velocity = position, velocity
        self.bank = world.add_force(
            flight.ThrusterBank(
                self.body,
                positions=[nozzle.position for nozzle in NOZZLES.values()],
                directions=[nozzle.force_direction for nozzle in NOZZLES.values()],
                max_forces=THRUST,
                specific_impulse=SPECIFIC_IMPULSE,
                tank=self.tank,
                min_on_time=MIN_ON_TIME,
                rise_time=VALVE_TIME,
                fall_time=VALVE_TIME,
            )
        )
        every = max(1, round(PERIOD / world.dt))
        modulator = flight.PulseModulator(MIN_ON_TIME, every * world.dt)
        self.jets = flight.Jets(flight.ThrusterAllocator([self.bank]), modulator)
        self.hold = world.add_part(flight.AttitudeHold(self.body, self.jets, every=every))

    @property
    def propellant_used(self) -> float:
        """Since the start [kg]."""
        return PROPELLANT - self.tank.propellant

    def shut_down(self) -> None:
        """Stop the control loop and shut all valves."""
        self.hold.enabled = False
        self.bank.fire(0.0)

    def plumes(self, origin: Array, turn: Array) -> Sequence[Plume]:
        """The exhaust of the jets that fire in this period of the control loop, brighter for longer pulses."""
        found = []
        for nozzle, share in zip(NOZZLES.values(), self.jets.shares, strict=True):
            brightness = LEAST_PLUME + (1.0 - LEAST_PLUME) * share if share > 0.0 else 0.0
            found.append(nozzle.plume(origin, turn, brightness))
        return found

    def lamps(self) -> list[tuple[str, float]]:
        """Name and share of the present period of each jet."""
        names = [f"{name[0].upper()}{name[-1]}" for name in NOZZLES]
        return [(name, float(np.sqrt(share))) for name, share in zip(names, self.jets.shares, strict=True)]
