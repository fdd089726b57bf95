"""The pilot that docks, turns the mated pair, undocks and backs away; keys take over at any time."""

import math
from typing import Any

import numpy as np

from ..drawing import Array
from ..meshes.port import Port
from ..physics import Body, World, flight, joints, rotation
from .composite import RepeatedJets
from .docking_pilot import DockingPilot, velocity_to, wanted_velocity
from .ship import Ship

PHASES = {
    "approach": "approach",
    "soft": "soft capture: the latch retracts the probe",
    "drift": "hard mate: the pair drifts",
    "turn": "hard mate: the jets turn the pair",
    "rest": "hard mate: the pair is at rest",
    "leave": "undocked",
}
"""The phases of the flight, as the display shows them."""

DRIFT, REST = 6.0, 2.0
"""Times without jets: after locking, and before undocking [s]."""
TURN = np.radians([8.0, 0.0, 0.0])
"""The turn of the mated pair, a rotation vector [rad] in the axes of the ship."""
TURNED, STILL = math.radians(0.1), math.radians(0.01)
"""Error [rad] and rate [rad/s] below which the turn is complete."""
BANDWIDTH = 0.2
"""Bandwidth of the law that turns the mated pair [rad/s]."""
PUSH = 60.0
"""Impulse by which the latch pushes the craft apart [N·s]."""
AWAY = 6.0
"""Distance of the ports at which the flight ends [m]."""


class MatingPilot(DockingPilot):
    """Flies to the port until the latch captures it, then turns the mated pair, undocks and backs away.

    No jet fires while the latch draws the ports together, and for a few seconds afterwards. The control loop and the allocation use the
    `assembly` of the ship, and so account for the mated pair.
    """

    jets_class = RepeatedJets
    jets: RepeatedJets

    def __init__(self, ship: Ship, target: Body, port: Port, latch: joints.Latch, mode: str = "auto") -> None:
        """Add a control loop to the world of a ship.

        Args:
            ship: The ship.
            target: The body to fly to.
            port: The port of the target.
            latch: The latch between both ports.
            mode: Who flies, one of `MODES`.
        """
        world = ship.body.world
        self.latch, self.phase, self.since = latch, "approach", 0.0
        self.times: dict[str, float] = {}
        """When each phase began [s]."""
        self.turned = math.inf
        """Error of the attitude at the end of the turn [rad]."""
        self._aim = flight.Reference()
        super().__init__(ship, target, port, mode, assembly=world.assembly(ship.body))
        world.on_joint(self._caught, "captured")
        world.on_joint(self._locked, "locked")
        world.on_joint(self._released, "released")

    @property
    def is_mated(self) -> bool:
        """Whether the craft are one rigid body."""
        return self.latch.state == "hard"

    @property
    def turn_error(self) -> float:
        """Angle between the present attitude and the target attitude of the turn [rad]."""
        return float(rotation.angle_between(self.ship.body.orientation, self._aim.orientation))

    def undock(self) -> str:
        """Open the latch, which pushes the craft apart."""
        if self.latch.state == "open":
            return "not docked"
        self.touched = True
        self.latch.release(PUSH if self.is_mated else 0.0)
        return "undocking"

    def shut_down(self) -> None:
        self.hold.enabled = False
        self.jets.stop()  # also if the loop was disabled before

    # events of the latch, at the start of a tick

    def _caught(self, world: World, _joint: Any) -> None:
        self.shut_down()
        self._enter("soft", world)

    def _locked(self, world: World, _joint: Any) -> None:
        self._enter("drift", world)

    def _released(self, world: World, _joint: Any) -> None:
        self._enter("leave", world)
        self.hold.enabled = True
        self._take_over()

    def _enter(self, phase: str, world: World) -> None:
        self.phase, self.since = phase, world.time
        self.times[phase] = world.time

    # flying

    def _take_over(self) -> None:
        super()._take_over()
        if self.is_mated and self.mode != "pulses":
            self.hold.law = self._law_of_pair()
            if self.mode == "auto":
                self.hold.reference = self._aim

    def _law_of_pair(self) -> flight.control.QuaternionPD:
        """A law for the mated pair, whose jets are far from the mass centre, so that they also push the pair when they turn it."""
        reach = np.asarray(self.jets.allocator.reachable_torques(force_is_free=True)).min(axis=0)
        return flight.control.QuaternionPD.tuned(None, reach, BANDWIDTH, assembly=self._stack)

    def _sample(self, world: World) -> None:
        if self.phase == "drift" and world.time - self.since >= DRIFT:
            start = self.ship.body.orientation
            self._aim = flight.Reference(rotation.multiply(start, rotation.from_rotation_vector(TURN)))
            self._enter("turn", world)
            self.hold.enabled = True
            self._take_over()
        super()._sample(world)
        if self.is_mated and (self.mode == "auto" or not np.any(self.hold.force_body)):
            self.hold.force_body = None  # the jets may exert a net force while they turn the pair
        if self.mode != "auto":
            return
        if self.phase == "turn" and self._has_turned():
            self.shut_down()
            self._enter("rest", world)
            self.turned = self.turn_error
        elif self.phase == "rest" and world.time - self.since >= REST:
            self.latch.release(PUSH)

    def _has_turned(self) -> bool:
        rates = float(np.linalg.norm(self.ship.body.angular_velocity_body))
        return self.turn_error <= TURNED and rates <= STILL

    def _wanted_velocity(self, place: Array) -> Array:
        """The velocity of the approach, or after undocking that of backing away along the axis."""
        return velocity_to(place, AWAY) if self.phase == "leave" else wanted_velocity(place, self.alignment())
