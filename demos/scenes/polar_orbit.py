"""A circular polar orbit in the field of a tilted dipole, and a small model of the planet to see it on."""

import math

import numpy as np

from ..drawing import Array, Arrow, Colour, Line, Model, colours
from ..physics import flight

GM = 3.986004418e14  # [m³/s²], WGS 84
PLANET_RADIUS = 6.371e6  # [m], mean
ORBIT_RADIUS = PLANET_RADIUS + 6e5
DIPOLE = 7.71e15  # [T·m³], IGRF-13, 2020
TILT = math.radians(9.4)

RATE = math.sqrt(GM / ORBIT_RADIUS**3)
"""Of the orbit [rad/s]."""
PERIOD = math.tau / RATE
NODE = np.array([0.5, math.sqrt(0.75), 0.0])
"""Direction of the ascending node, world frame; the sun stands 52° above the plane of the orbit."""
POLE = np.array([0.0, 0.0, 1.0])
START = math.radians(38.0)
"""Angle from the node at the start [rad]."""

FIELD = flight.MagneticDipole(DIPOLE, (math.sin(TILT), 0.0, -math.cos(TILT)))
FAINT_FIELD: Colour = colours.faint(colours.FIELD, 0.30)
MERIDIANS, SHELLS = 6, (1.35, 2.0)
"""Field lines on the model: planes through the axis of the dipole, and the distances at which lines cross its equator, in radii."""


def place(time: float) -> Array:
    """Position on the orbit [m], by closed form."""
    angle = START + RATE * time
    return ORBIT_RADIUS * (math.cos(angle) * NODE + math.sin(angle) * POLE)


def velocity(time: float) -> Array:
    """Velocity on the orbit [m/s], by closed form."""
    angle = START + RATE * time
    return ORBIT_RADIUS * RATE * (math.cos(angle) * POLE - math.sin(angle) * NODE)


def orbital_axes(position: Array) -> Array:
    """Forwards, left and up at a place of the orbit, as columns, world frame."""
    up, left = position / np.linalg.norm(position), np.cross(NODE, POLE)
    return np.column_stack([np.cross(left, up), left, up])


def backdrop(position: Array, radius: float = PLANET_RADIUS) -> Array:
    """Direction of the middle of a planet of this radius [m], and its radius over its distance."""
    distance = float(np.linalg.norm(position))
    return np.array([*(-position / distance), radius / distance])


def field_line(equator: float, azimuth: Array, count: int = 60) -> Array:
    """A line of the dipole's field, ``r = L sin²θ``, from the surface to the surface, in radii of the planet, shape (count, 3).

    Args:
        equator: L, where it crosses the equator of the dipole, in radii of the planet.
        azimuth: Direction to that point, world frame, unit.
        count: Number of points.
    """
    first = math.asin(math.sqrt(1.0 / equator))
    angle = np.linspace(first, math.pi - first, count)[:, np.newaxis]
    return equator * np.sin(angle) ** 2 * (np.sin(angle) * azimuth + np.cos(angle) * FIELD.axis_world)


class PlanetModel:
    """The planet in the size of a fist beside the craft, with the orbit, field lines and a mark where the craft is."""

    def __init__(self, size: float) -> None:
        """Make it; `size` is the radius of the planet as it is drawn [m]."""
        self._size = size
        across = np.cross(FIELD.axis_world, (0.0, 1.0, 0.0))
        across /= np.linalg.norm(across)
        other = np.cross(FIELD.axis_world, across)
        turns = np.arange(MERIDIANS) * math.tau / MERIDIANS + 0.3
        self._lines = [
            field_line(shell, math.cos(turn) * across + math.sin(turn) * other) for turn in turns for shell in SHELLS
        ]
        around = np.linspace(0.0, math.tau, 97)[:, np.newaxis]
        self._orbit = ORBIT_RADIUS / PLANET_RADIUS * (np.cos(around) * NODE + np.sin(around) * POLE)

    def models(self, centre: Array, position: Array) -> list[Model]:
        """The planet, and the mark of the craft at this position [m] on its orbit."""
        mark = centre + self._size / PLANET_RADIUS * position
        return [
            Model("blue-ball", centre, self._size * np.eye(3), casts_shadow=False),
            Model("ball", mark, 0.06 * self._size * np.eye(3), casts_shadow=False),
        ]

    def arrow(self, centre: Array, position: Array, field: Array) -> Arrow:
        """The direction of the field [T] at the mark."""
        along = 0.5 * self._size / float(np.linalg.norm(field)) * field
        return Arrow(centre + self._size / PLANET_RADIUS * position, along, colours.FIELD, "", 0.02 * self._size)

    def lines(self, centre: Array) -> list[Line]:
        """The orbit and the field lines."""
        return [
            *(Line(centre + self._size * line, FAINT_FIELD, 1.2, behind=0.15) for line in self._lines),
            Line(centre + self._size * self._orbit, colours.GUIDE, 1.6, behind=0.25),
        ]
