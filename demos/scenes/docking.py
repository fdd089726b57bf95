"""How the port of one craft stands to that of another, and whether both may touch."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..drawing import Array, Reticle
from ..meshes.port import FACING, Port
from ..physics import Body
from .vectors import cross


class Limit(NamedTuple):
    """One number of the contact, and how large it may be."""

    name: str
    value: float
    allowed: float
    unit: str
    form: str

    @property
    def holds(self) -> bool:
        """Whether the number is within its limit."""
        return self.value <= self.allowed

    def text(self) -> str:
        """The number with its unit."""
        return f"{self.value:{self.form}}{self.unit}".replace("-", "−")


DISTANCE, LATERAL, CLOSING, DRIFT = 0.05, 0.10, 0.10, 0.04  # [m], [m], [m/s], [m/s]
ANGLE, ROLL, RATE = math.radians(4.0), math.radians(4.0), math.radians(0.2)  # [rad], [rad], [rad/s]
"""The largest values at contact, those of the International Docking System Standard but for the distance, within which the guides of
both rings touch."""
BESIDE = 1.5
"""Farther off the axis than this [m], a port that comes behind the other one has passed it by."""


@dataclass(frozen=True)
class Alignment:
    """Where one port is as seen from another one, and how it moves."""

    offset: Array
    """Own port from the target's [m], across, up and out of the target's port, shape (3,)."""
    velocity: Array
    """Of the own port relative to the rotating target [m/s], in the same axes, shape (3,)."""
    turn: Array
    """Axes that the own port should have in those that it has, as columns, shape (3, 3)."""
    rate: float
    """Size of the angular velocity relative to the target [rad/s]."""
    ahead: Array
    """The target's port from the own one [m], across (to the left of who looks ahead), up and ahead, shape (3,)."""

    @property
    def distance(self) -> float:
        """Along the axis of the target's port [m]."""
        return float(self.offset[2])

    @property
    def lateral(self) -> float:
        """From the axis of the target's port [m]."""
        return math.hypot(self.offset[0], self.offset[1])

    @property
    def closing(self) -> float:
        """Speed at which the distance falls [m/s]."""
        return -float(self.velocity[2])

    @property
    def angle(self) -> float:
        """Between the two axes [rad], 0 where the ports face each other."""
        return math.atan2(math.hypot(self.turn[0, 2], self.turn[1, 2]), self.turn[2, 2])

    @property
    def roll(self) -> float:
        """By which the target is rotated about the own axis, anticlockwise as seen along it [rad]."""
        return math.atan2(self.turn[0, 1], self.turn[1, 1])

    def limits(self, reach: float = DISTANCE) -> list[Limit]:
        """The numbers of the contact, with what is allowed; contact is made within `reach` [m] along the axis."""
        drift = math.hypot(self.velocity[0], self.velocity[1])
        return [
            Limit("range", self.distance, reach, " m", "z.2f"),
            Limit("closing", self.closing, CLOSING, " m/s", "z.3f"),
            Limit("off axis", self.lateral, LATERAL, " m", ".2f"),
            Limit("drift", drift, DRIFT, " m/s", ".3f"),
            Limit("angle", math.degrees(self.angle), math.degrees(ANGLE), "°", ".2f"),
            Limit("roll", math.degrees(abs(self.roll)), math.degrees(ROLL), "°", ".2f"),
            Limit("rate", math.degrees(self.rate), math.degrees(RATE), "°/s", ".2f"),
        ]

    @property
    def docks(self) -> bool:
        """Whether the ports are together and everything is within its limit."""
        return all(limit.holds for limit in self.limits())

    @property
    def hits(self) -> bool:
        """Whether the ports are in touch with something beyond its limit."""
        return self.distance <= 0.0 and self.lateral <= BESIDE

    def reticle(self, reach: float = DISTANCE) -> Reticle:
        """The instrument that shows this to the pilot."""
        across, up = (math.atan2(self.turn[row, 2], self.turn[2, 2]) for row in (0, 1))
        return Reticle(
            offset=(-self.ahead[0] / LATERAL, self.ahead[1] / LATERAL),
            tilt=(-across / ANGLE, up / ANGLE),
            roll=self.roll,
            rows=[(limit.name, limit.text(), limit.holds) for limit in self.limits(reach)],
        )


def alignment(body: Body, own: Port, target: Body, port: Port) -> Alignment:
    """How the own port of a body stands to the port of a target."""
    own_axes, axes = body.rotation_matrix @ own.matrix, target.rotation_matrix @ port.matrix
    place, middle = body.to_world(own.position), target.to_world(port.position)
    spin = target.angular_velocity_world
    carried = target.velocity + cross(spin, place - target.position)
    return Alignment(
        offset=axes.T @ (place - middle),
        velocity=axes.T @ (body.velocity_at(own.position) - carried),
        turn=own_axes.T @ axes @ FACING,
        rate=float(np.linalg.norm(body.angular_velocity_world - spin)),
        ahead=own_axes.T @ (middle - place),
    )
