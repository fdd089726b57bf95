"""Balls of radius 1 to be stretched to ellipsoids; their eight octants, between the principal planes, take turns in colour."""

import numpy as np

from .materials import BLUE, NIGHT, PAINT, SEA, SLATE, TWILIGHT
from .mesh_builder import Material, MeshBuilder

STEPS = 12  # of a quarter circle: at a radius of 100 pixels the edge is off by a fifth of one


def solid() -> MeshBuilder:
    """Light and dark as the mark of a mass centre."""
    return _ball(PAINT, SLATE)


def dark() -> MeshBuilder:
    """Two dark blues: a ground for what is drawn on it."""
    return _ball(NIGHT, TWILIGHT)


def blue() -> MeshBuilder:
    """Two blues: a planet in small."""
    return _ball(SEA, BLUE)


def _ball(first: Material, second: Material) -> MeshBuilder:
    ball = MeshBuilder()
    angle = np.linspace(0.0, np.pi / 2.0, STEPS + 1)
    quarter = [(float(max(x, 0.0)), float(z)) for x, z in zip(np.cos(angle), np.sin(angle), strict=True)]
    lower = [(x, -z) for x, z in reversed(quarter)]
    for number in range(4):
        arc = (number * np.pi / 2.0, (number + 1) * np.pi / 2.0)
        upper_colour, lower_colour = (first, second) if number % 2 == 0 else (second, first)
        ball.lathe(upper_colour, quarter, smooth=True, sides=STEPS, arc=arc)
        ball.lathe(lower_colour, lower, smooth=True, sides=STEPS, arc=arc)
    return ball
