"""A circular polar orbit in the field of a tilted dipole, and a small model of the planet to see it on."""

import math

import numpy as np

from ..drawing import Array, Arrow, Inset, Line, Model, colours
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
FAINT_FIELD = colours.faint(colours.FIELD, 0.55)
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
    """The planet in an inset, with the orbit, field lines and a mark where the craft is; its radius is 1 m."""

    def __init__(self) -> None:
        across = np.cross(FIELD.axis_world, (0.0, 1.0, 0.0))
        across /= np.linalg.norm(across)
        other = np.cross(FIELD.axis_world, across)
        turns = np.arange(MERIDIANS) * math.tau / MERIDIANS + 0.3
        self._lines = [
            field_line(shell, math.cos(turn) * across + math.sin(turn) * other) for turn in turns for shell in SHELLS
        ]
        around = np.linspace(0.0, math.tau, 97)[:, np.newaxis]
        self._orbit = ORBIT_RADIUS / PLANET_RADIUS * (np.cos(around) * NODE + np.sin(around) * POLE)

    def inset(self, position: Array, field: Array) -> Inset:
        """The planet from the side of the camera, with the craft at this position [m] and the field [T] there."""
        words = f"the orbit and lines of the dipole field, here {1e6 * np.linalg.norm(field):.1f} µT"
        models = [
            Model("blue-ball", np.zeros(3), np.eye(3), casts_shadow=False),
            Model("ball", position / PLANET_RADIUS, 0.09 * np.eye(3), casts_shadow=False),
        ]
        along = 0.6 / float(np.linalg.norm(field)) * field
        arrow = Arrow(position / PLANET_RADIUS, along, colours.FIELD, "", 0.04)
        return Inset(models, [arrow], self.lines(), np.zeros(3), 1.75, words)

    def lines(self) -> list[Line]:
        """The orbit and the field lines."""
        return [
            *(Line(line, FAINT_FIELD, 3.0, behind=0.15) for line in self._lines),
            Line(self._orbit, colours.GOAL, 4.0, behind=0.25),
        ]
