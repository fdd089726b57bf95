"""Poinsot's construction for a free body, in which the ellipsoid ω·Iω = 2T, fixed in the body, rolls without slipping on a plane.

The plane is ω·L = 2T, and the ellipsoid touches it at the tip of ω. The contact point traces the polhode on the ellipsoid, which is its
intersection with the momentum ellipsoid |Iω| = L, and the herpolhode on the plane. All of it is in rad/s, drawn as lengths.
"""

import math

import numpy as np

from ..drawing import Array, Arrow, Inset, Line, Model, Trail, colours
from .free_body import polhode
from .free_motion import FreeMotion

PALE = colours.faint(colours.GOAL, 0.75)
LIFT = 1.008  # of lines off the surface on which they lie
THROUGH = 0.13  # of a line behind the ellipsoid
WORDS = "Poinsot's ellipsoid rolls on a plane; where they touch, it draws the polhode"
RINGS, SPOKES = 3, 12  # of the grid on the plane


class Poinsot:
    """The ellipsoid of one free body, in an inset, at most `size` [m] long from its middle."""

    def __init__(self, motion: FreeMotion, size: float, trail_points: int) -> None:
        self._motion, self._size = motion, size
        self._axes = motion.body.mass_properties.principal()[1]
        semi_axes = np.sqrt(2.0 * motion.energy / motion.moments)  # [rad/s]
        self.scale = size / float(semi_axes.max())
        """Metres drawn for 1 rad/s."""
        self._to_body = self.scale * self._axes * semi_axes
        momentum = self._axes.T @ motion.body.direction_to_body(motion.momentum_world)
        closed = polhode(motion.moments, momentum, 721) @ self._axes.T
        self._closed_body = LIFT * self.scale * closed
        self._flown_body, self._flown_world = Trail(trail_points), Trail(trail_points)
        self._grid = self._plane(float(np.linalg.norm(closed, axis=1).max()))

    def remember(self) -> None:
        """Note the tip of ω, in the body and in the world."""
        body = self._motion.body
        self._flown_body.append(LIFT * self.scale * body.angular_velocity_body)
        self._flown_world.append(self.scale * body.angular_velocity_world)

    def inset(self, turn: Array) -> Inset:
        """Its picture, where `turn` (3, 3) rotates from the body frame to the world frame."""
        return Inset([self.model(turn)], [self.arrow(turn)], self.lines(turn), np.zeros(3), 1.15 * self._size, WORDS)

    def model(self, turn: Array) -> Model:
        """The ellipsoid."""
        return Model("dark-ball", np.zeros(3), turn @ self._to_body, casts_shadow=False)

    def arrow(self, turn: Array) -> Arrow:
        """ω from the middle of the ellipsoid to where it touches the plane."""
        rate = self.scale * turn @ self._motion.body.angular_velocity_body
        return Arrow(np.zeros(3), rate, colours.RATES, "", 0.02 * self._size, "rates")

    def lines(self, turn: Array) -> list[Line]:
        """The polhode by closed form and as flown, the herpolhode as flown, and the plane."""
        rate_body = self._motion.body.angular_velocity_body
        closed = self._closed_body @ turn.T
        flown = self._flown_body.points(LIFT * self.scale * rate_body) @ turn.T
        rolled = self._flown_world.points(self.scale * turn @ rate_body)
        return [
            *(Line(line, colours.GUIDE, 3.0, layer="rates") for line in self._grid),
            Line(closed, PALE, 4.0, behind=THROUGH, layer="trails"),
            Line(flown, colours.RATES, 7.0, fades=True, behind=THROUGH, layer="trails"),
            Line(rolled, colours.RATES, 5.5, fades=True, layer="trails"),
        ]

    def _plane(self, fastest: float) -> list[Array]:
        """Rings and spokes at right angles to L, up to where the herpolhode reaches at the fastest |ω| [rad/s]."""
        height, up = self._motion.plane_height, self._motion.momentum_world / self._motion.momentum_size
        reach = self.scale * math.sqrt(max(fastest**2 - height**2, 0.0))
        outer = max(1.12 * reach, 0.55 * self._size)
        across = np.cross(up, np.eye(3)[np.argmin(np.abs(up))])
        across /= np.linalg.norm(across)
        angle = np.linspace(0.0, math.tau, 97)
        around = np.outer(np.cos(angle), across) + np.outer(np.sin(angle), np.cross(up, across))
        around[-1] = around[0]  # closed to the last bit
        middle = self.scale * height * up
        rings = [middle + outer * ring / RINGS * around for ring in range(1, RINGS + 1)]
        return rings + [np.array([middle, middle + outer * end]) for end in around[: -1 : 96 // SPOKES]]
