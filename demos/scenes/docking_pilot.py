"""The pilot of an approach: an autopilot, and two modes in which keys fire the jets in pulses."""

import math
from typing import Any

import numpy as np

from ..drawing import Array
from ..meshes.port import FACING, Port
from ..physics import Body, World, flight, joints, rotation
from .docking import Alignment, alignment
from .ship import MIN_ON_TIME, Ship
from .vectors import cross

MODES = {
    "auto": "autopilot",
    "hold": "manual, with attitude hold",
    "pulses": "manual, without attitude hold",
}
"""Who flies."""

PERIOD = 0.2
"""Time between two samples of the control loop [s], to the nearest tick."""
PULSE_SPEED, PULSE_RATE, PULSE_TURN = 0.01, math.radians(0.1), math.radians(0.5)
"""What one pulse of a key changes: speed [m/s], rate [rad/s] without and attitude [rad] with the hold."""

FASTEST, BRAKING, STRONGEST = 0.6, 0.02, 0.04  # of the autopilot [m/s], [m/s²], [m/s²]
RESPONSE = 2.0
"""Time in which it takes an error of the velocity away [s]."""
SIDEWAYS, AHEAD = 0.12, 0.07  # speed per distance [1/s]
TOUCH = 0.05
"""Speed at which the ports meet [m/s]."""
WAIT = 10.0
"""Distance from the port at which it waits for everything to be aligned [m]."""
CORRIDOR, WIDENING, ALIGNED = 0.08, 0.10, math.radians(3.0)
"""It goes on where it is less off the axis than this [m] with so much more per distance, and off in attitude by less than this [rad]."""


class FacingPort:
    """The attitude in which a port faces that of a target that rotates freely, as a reference for a control loop."""

    def __init__(self, own: Port, target: Body, port: Port) -> None:
        self._turn = rotation.from_matrix(port.matrix @ FACING @ own.matrix.T)
        self._target = target

    def at(self, time: float, body: Any = None) -> flight.Reference:
        """The reference at the current time of the world."""
        target = self._target
        orientation = rotation.multiply(target.orientation, self._turn)
        return flight.Reference(orientation, target.angular_velocity_world, free_acceleration(target))


def free_acceleration(body: Body) -> Array:
    """Angular acceleration of a body that rotates freely [rad/s²], world frame."""
    momentum, rates = body.angular_momentum_world, body.angular_velocity_world
    return body.inverse_inertia_world @ -cross(rates, momentum)


class HandTorque:
    """A law that asks for what the keys ask for, in place of one that holds the attitude."""

    state_size = 0

    def __init__(self) -> None:
        self.torque = np.zeros(3)
        """Until the next sample [N·m], body frame."""

    def initial_state(self, measured: Any, reference: Any) -> Array:
        """Nothing is remembered."""
        return np.zeros(0)

    def update(self, measured: Any, reference: Any, seconds: float, state: Array) -> tuple[Array, Array]:
        """The torque of this sample."""
        return self.torque, state


class DockingPilot:
    """Flies a ship to a port by its jets, with a control loop for the attitude, which it tells the wanted force before each sample."""

    jets_class: type[flight.Jets] = flight.Jets

    def __init__(
        self, ship: Ship, target: Body, port: Port, mode: str = "auto", *, assembly: joints.Assembly | None = None
    ) -> None:
        """Add a control loop to the world of a ship.

        Args:
            ship: The ship.
            target: The body to fly to.
            port: The port of the target.
            mode: Who flies, one of `MODES`.
            assembly: All that is joined to the ship, where it will dock.
        """
        world = ship.body.world
        self.ship, self.target, self.port, self.mode = ship, target, port, mode
        self.touched = mode != "auto"
        """Whether somebody else than the autopilot had a say."""
        ticks = max(1, round(PERIOD / world.dt))
        self._seconds = ticks * world.dt
        modulator = flight.PulseModulator(MIN_ON_TIME, self._seconds)
        self.jets = self.jets_class(flight.ThrusterAllocator([ship.jets], assembly=assembly), modulator)
        self.hold = world.add_part(flight.AttitudeHold(ship.body, self.jets, every=ticks, assembly=assembly))
        self._stack: Any = ship.body if assembly is None else assembly
        self._facing, self._hand = FacingPort(ship.port, target, port), HandTorque()
        self._push, self._twist = np.zeros(3), np.zeros(3)
        self._take_over()
        world.on_tick(self._sample, every=ticks)

    def switch(self, mode: str) -> str:
        """Let somebody else fly; returns who does now."""
        self.mode, self.touched = mode, True
        self._take_over()
        return MODES[mode]

    def next_mode(self) -> str:
        """Switch to the next mode; returns who flies now."""
        names = list(MODES)
        return self.switch(names[(names.index(self.mode) + 1) % len(names)])

    def push(self, axis: int, sign: float) -> str:
        """Fire one pulse along a body axis, 0 to 2, at the next sample; the autopilot hands over."""
        self._by_hand()
        self._push[axis] = sign
        return ""

    def twist(self, axis: int, sign: float) -> str:
        """Fire one pulse about a body axis, 0 to 2, or turn the attitude that is held; the autopilot hands over."""
        self._by_hand()
        self._twist[axis] = sign
        return ""

    def alignment(self) -> Alignment:
        """How the two ports stand to each other."""
        return alignment(self.ship.body, self.ship.port, self.target, self.port)

    def shut_down(self) -> None:
        """Stop the control loop and shut all valves."""
        self.hold.enabled = False
        self.ship.jets.fire(0.0)

    def _by_hand(self) -> None:
        self.touched = True
        if self.mode == "auto":
            self.switch("hold")

    def _take_over(self) -> None:
        """Give the control loop the law and the reference of the mode."""
        if self.mode == "auto":
            self.hold.follow(self._facing)
        elif self.mode == "hold":
            self.hold.hold()
        else:
            self.hold.law = self._hand

    def _sample(self, world: World) -> None:
        """Command the force of the coming period, and what is wanted beside it about the mass centre."""
        hold, body = self.hold, self.ship.body
        if self.mode == "auto":
            hold.force_body = body.direction_to_body(body.mass * self._wanted_acceleration())
        else:
            hold.force_body = self._stack.mass * PULSE_SPEED / self._seconds * self._push
        if self.mode == "hold" and self._twist.any():
            turn = rotation.from_rotation_vector(PULSE_TURN * self._twist)
            hold.reference = flight.Reference(rotation.multiply(hold.reference.orientation, turn))
        self._hand.torque = self._stack.inertia_body @ self._twist * (PULSE_RATE / self._seconds)
        self._push, self._twist = np.zeros(3), np.zeros(3)

    def _wanted_velocity(self, place: Array) -> Array:
        """Of the own port at a place in the axes of the target's port [m/s], shape (3,)."""
        return wanted_velocity(place, self.alignment())

    def _wanted_acceleration(self) -> Array:
        """Of the mass centre [m/s²], world frame: towards the wanted velocity, and what keeps it in the axes of a target that rotates."""
        body, target = self.ship.body, self.target
        axes, spin = target.rotation_matrix @ self.port.matrix, target.angular_velocity_world
        arm = body.position - target.position
        velocity = body.velocity - target.velocity - cross(spin, arm)
        # where the own port would be in the wanted attitude, so that a slew does not disturb the path
        nose = FACING @ self.ship.port.matrix.T @ (np.array(self.ship.port.position) - body.center_of_mass_body)
        place = axes.T @ (body.position - target.to_world(self.port.position)) + nose
        error = axes @ self._wanted_velocity(place) - velocity
        wanted = error / RESPONSE
        size = float(np.linalg.norm(wanted))
        wanted *= min(1.0, STRONGEST / size) if size > 0.0 else 0.0
        carried = cross(spin, cross(spin, arm)) + cross(free_acceleration(target), arm)
        return wanted + carried + 2.0 * cross(spin, velocity)


def wanted_velocity(place: Array, seen: Alignment) -> Array:
    """Of the own port at a place in the axes of the target's port [m/s], shape (3,)."""
    aside, distance = math.hypot(place[0], place[1]), float(place[2])
    free = aside <= CORRIDOR + WIDENING * max(distance, 0.0) and max(seen.angle, abs(seen.roll)) <= ALIGNED
    if free:
        return np.array([*_to_axis(place, aside), -min(TOUCH + AHEAD * max(distance, 0.0), FASTEST)])
    return velocity_to(place, WAIT)


def velocity_to(place: Array, ahead: float) -> Array:
    """Of the own port on its way to the axis of the target's port, so far out of it [m]."""
    way = ahead - float(place[2])
    return np.array([*_to_axis(place, math.hypot(place[0], place[1])), math.copysign(_speed(abs(way), AHEAD), way)])


def _to_axis(place: Array, aside: float) -> Array:
    """The velocity across the axis."""
    return -place[:2] * (_speed(aside, SIDEWAYS) / aside if aside > 0.0 else 0.0)


def _speed(distance: float, gain: float) -> float:
    """At which to go to a place so far away [m/s], such that the braking distance is left."""
    return min(gain * distance, math.sqrt(2.0 * BRAKING * distance), FASTEST)
