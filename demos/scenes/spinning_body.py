"""The closed form of a free symmetric body that spins about its axis and nutates, and the distance of a body from it."""

import math

import numpy as np

from ..drawing import Array
from ..physics import Body, MassProperties, rotation

POINTS = 97


class SpinningBody:
    """A free body with equal transverse moments, whose symmetry axis is its z.

    In the world frame it turns about its angular momentum L at the rate ``L/I₁``, and in itself about z at ``ω₃ (I₁ − I₃)/I₁``.

    Args:
        properties: Symmetric about z.
        direction: Of the angular momentum, a unit vector, world frame.
        spin: Rate about the axis, ω₃ [rad/s].
        nutation: Angle between axis and angular momentum [rad].
    """

    def __init__(self, properties: MassProperties, direction: Array, spin: float, nutation: float) -> None:
        across, along = float(properties.inertia_body[0, 0]), float(properties.inertia_body[2, 2])
        self.direction = np.asarray(direction)
        self.speed = along * spin / (across * math.cos(nutation))
        """Rate of the rotation about L [rad/s]."""
        self._in_itself = spin * (across - along) / across
        side = np.eye(3)[int(np.argmin(np.abs(self.direction)))]
        upright = rotation.look_along(self.direction, side)
        self._start = rotation.multiply(upright, rotation.from_axis_angle((1.0, 0.0, 0.0), nutation))
        momentum_body = rotation.rotate_inverse(self._start, self.direction)
        self.rates = self.speed * momentum_body * (1.0, 1.0, across / along)
        """Body rates at the start [rad/s]."""

    def orientation(self, time: float) -> Array:
        """After a time [s]."""
        about_momentum = rotation.from_axis_angle(self.direction, self.speed * time)
        about_axis = rotation.from_axis_angle((0.0, 0.0, 1.0), self._in_itself * time)
        return rotation.multiply(rotation.multiply(about_momentum, self._start), about_axis)

    def watch(self, body: Body) -> None:
        """Compare this body with the closed form from now on."""
        self._body = body
        self._first = _energy(body), body.angular_momentum_world

    def error(self, time: float) -> float:
        """Angle between the body and its closed form at this time [rad]."""
        return float(rotation.angle_between(self._body.orientation, self.orientation(time)))

    def drift(self) -> tuple[float, float]:
        """Relative change of the energy of rotation and of the angular momentum."""
        energy, momentum = self._first
        change = float(np.linalg.norm(self._body.angular_momentum_world - momentum) / np.linalg.norm(momentum))
        return _energy(self._body) / energy - 1.0, change

    def circle(self) -> Array:
        """The circle on which the unit vector of the axis moves, world frame, closed, shape (POINTS, 3)."""
        angles = np.linspace(0.0, math.tau, POINTS)
        axis = rotation.rotate(self._start, (0.0, 0.0, 1.0))
        return rotation.rotate(rotation.from_axis_angle(self.direction, angles), axis)


def _energy(body: Body) -> float:
    rates = body.angular_velocity_body
    return 0.5 * float(rates @ body.inertia_body @ rates)
