"""The attitudes to which the demo `attitude` turns its ship, in a polar orbit, and small turns away from them."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..drawing import SUN
from ..physics import flight, rotation
from .polar_orbit import GM
from .ship import DISH, NOSE

STERN = (0.0, 0.0, -1.0)
STAR = np.array([0.62, 0.35, 0.70])
"""Direction of the star that the nose may be pointed at, world frame, of any length."""

TARGETS: dict[str, flight.Pointing] = {
    "forward": flight.Pointing(NOSE, "velocity", DISH, "nadir", gm=GM),
    "backward": flight.Pointing(STERN, "velocity", DISH, "nadir", gm=GM),
    "Earth": flight.Pointing(NOSE, "nadir", DISH, "velocity", gm=GM),
    "sun": flight.Pointing(DISH, "sun", NOSE, "velocity", gm=GM, sun_direction_world=SUN),
    "star": flight.Pointing(NOSE, STAR, DISH, "sun", sun_direction_world=SUN),
}
"""Name and reference: nose forward or backward along the orbit with the dish to the Earth, nose to the Earth, cells to the sun, nose to a
star. All but the last move with the orbit."""

NUDGE = math.radians(10.0)


class Turned:
    """A reference turned by a fixed angle about its own axes."""

    def __init__(self, reference: Any, turn: Sequence[float] = (0.0, 0.0, 0.0, 1.0)) -> None:
        """Make it.

        Args:
            reference: Anything with `at(time, body)`.
            turn: Unit quaternion, scalar-last (x, y, z, w), of the turned axes to those of the reference.
        """
        self.reference, self.turn = reference, np.asarray(turn, dtype=float)

    def nudged(self, axis: Sequence[float], angle: float) -> "Turned":
        """Turned further about an axis of the ship by an angle [rad]."""
        return Turned(self.reference, rotation.multiply(self.turn, rotation.from_axis_angle(axis, angle)))

    def at(self, time: float, body: Any) -> flight.Reference:
        """The reference at a time [s]."""
        there = self.reference.at(time, body)
        orientation = rotation.multiply(there.orientation, self.turn)
        return flight.Reference(
            orientation / np.linalg.norm(orientation), there.angular_velocity_world, there.angular_acceleration_world
        )
