"""A map of an orbit seen from its north, drawn beside the satellite in the plane of the picture."""

import math

import numpy as np

from ..drawing import Array, Caption, Line, Model, colours
from ..physics import flight
from .orbit_cases import EARTH_RADIUS
from .polar_orbit import GM

ASIDE, BELOW, SIZE = 1.95, 0.34, 0.78
"""Place of its middle to the right of the satellite and below it, and half its width, in radii of the scene."""
POINTS = 240


class OrbitMap:
    """The Earth, orbits and the satellite, to scale; the periapsis of the first orbit points to the left."""

    def __init__(self, state: tuple[Array, Array], radius: float, *, will_be_round: bool = False) -> None:
        """Draw the first orbit; `will_be_round` leaves room for the circle around it."""
        self._plane = perifocal_axes(state)
        curve = self._curve(state)
        low, high = curve.min(axis=0), curve.max(axis=0)
        if will_be_round:
            farthest = float(np.linalg.norm(curve, axis=1).max())
            low, high = np.full(2, -farthest), np.full(2, farthest)
        self._middle = 0.5 * (low + high)
        self._scale = SIZE * radius / float(0.5 * (high - low).max())
        self._radius = radius
        self._curves = [curve]
        self._words = _described(state)

    @property
    def is_changed(self) -> bool:
        """Whether there is a second orbit."""
        return len(self._curves) > 1

    def add(self, state: tuple[Array, Array]) -> None:
        """Draw this orbit too, brighter than those before."""
        self._curves.append(self._curve(state))
        self._words = _described(state)

    def draw(self, origin: Array, right: Array, up: Array) -> tuple[list[Model], list[Line], Caption]:
        """Solids, lines and words of the map beside a satellite at this place [m], with these directions to the right and up."""
        middle = origin + self._radius * (ASIDE * right - BELOW * up)

        def place(points: Array) -> Array:
            at = self._scale * (points - self._middle)
            return middle + np.outer(at[..., 0], right) + np.outer(at[..., 1], up)

        here = self._flat(origin)
        earth, satellite = place(np.array([(0.0, 0.0), here]))
        size = self._scale * EARTH_RADIUS
        lines = [
            Line(
                place(curve),
                colours.PATH if curve is self._curves[-1] else colours.GUIDE,
                2.4 if curve is self._curves[-1] else 1.6,
            )
            for curve in self._curves
        ]
        lines.append(Line(np.array([earth, satellite]), colours.GUIDE, 1.2))
        turned = np.column_stack([right, np.cross(up, right), up])
        return (
            [
                Model("dark-ball", earth, size * turned, casts_shadow=False),
                Model("ball", satellite, 0.045 * self._radius * turned, casts_shadow=False),
            ],
            lines,
            Caption(middle - (SIZE + 0.1) * self._radius * up, [self._words], colours.WORDS),
        )

    def _flat(self, points: Array) -> Array:
        """Places in the plane of the first orbit [m]: to the right and up on the map."""
        towards, ahead = self._plane
        return np.stack([-(points @ towards), -(points @ ahead)], axis=-1)

    def _curve(self, state: tuple[Array, Array]) -> Array:
        elements = flight.orbit.elements(GM, *state)
        e = float(elements.eccentricity)
        most = math.pi if e < 1.0 else min(0.94 * math.acos(-1.0 / e), abs(_signed(float(elements.true_anomaly))) + 0.1)
        angles = {name: getattr(elements, name) for name in ("inclination", "raan", "argument_of_periapsis")}
        positions, _ = flight.orbit.from_elements(
            GM,
            periapsis_distance=elements.periapsis_distance,
            eccentricity=e,
            true_anomaly=np.linspace(-most, most, POINTS),
            **angles,
        )
        return self._flat(positions)


def _described(state: tuple[Array, Array]) -> str:
    """The heights of an orbit in words."""
    elements = flight.orbit.elements(GM, *state)
    e, nearest = float(elements.eccentricity), float(elements.periapsis_distance)
    low = f"{(nearest - EARTH_RADIUS) / 1e3:,.0f}"
    if e >= 1.0:
        return f"past the Earth at {low} km, e = {e:.2f}"
    high = nearest * (1.0 + e) / (1.0 - e) - EARTH_RADIUS
    period = math.tau * math.sqrt((nearest / (1.0 - e)) ** 3 / GM) / 3600.0
    return f"{low} × {high / 1e3:,.0f} km, {period:.2f} h"


def perifocal_axes(state: tuple[Array, Array]) -> tuple[Array, Array]:
    """Unit vectors in the plane of an orbit, towards its periapsis and a quarter turn ahead of it, world frame."""
    elements = flight.orbit.elements(GM, *state)
    angles = {name: getattr(elements, name) for name in ("inclination", "raan", "argument_of_periapsis")}
    position, velocity = flight.orbit.from_elements(
        GM, periapsis_distance=1.0, eccentricity=elements.eccentricity, true_anomaly=0.0, **angles
    )
    return position, velocity / np.linalg.norm(velocity)


def _signed(angle: float) -> float:
    return angle - math.tau if angle > math.pi else angle
