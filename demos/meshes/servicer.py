"""A craft that carries a robot arm: a box with the arm's root on its deck (z), one solar wing along −x, and a dish below."""

import numpy as np

from ..drawing import (
    ALUMINIUM,
    AMBER_FOIL,
    BLACK_FOIL,
    BLUE,
    DARK,
    GLASS,
    GOLD_FOIL,
    GREEN_LAMP,
    MIRROR,
    ORANGE,
    PAINT,
    RED_LAMP,
    SLATE,
    STEEL,
    WHITE,
    WHITE_LAMP,
    Z_TO_X,
    MeshBuilder,
    Nozzle,
    parts,
    turn_to,
)
from .robot_arm import ROOT

SIZE = (1.5, 1.2, 1.2)
"""Of the box about the origin [m]."""
WING_TILT = np.radians(-40.0)
"""By which the wing is turned about x, from cells towards −y... to cells towards z."""


def build() -> MeshBuilder:
    """The whole craft, 5 m from the tip of the wing to the front, without the arm."""
    craft = MeshBuilder()
    _bus(craft)
    _deck(craft)
    wing = parts.solar_wing(first=1.15, panel=0.84, panels=3, chord=1.15)
    # along −x, with the cells between −y and z
    out, cells = np.array([-1.0, 0.0, 0.0]), np.array([0.0, -np.cos(WING_TILT), -np.sin(WING_TILT)])
    craft.add(wing, (-0.5, 0.0, 0.1), np.column_stack([out, cells, np.cross(out, cells)]))
    craft.add(parts.dish(0.42, 0.15, feed=0.26), (0.15, -0.25, -0.86), turn_to((0.25, -0.35, -1.0)))
    craft.tube(ALUMINIUM, (0.15, -0.2, -0.58), (0.15, -0.25, -0.88), 0.03)
    return craft


def _bus(craft: MeshBuilder) -> None:
    """Foil, radiators on two sides, a frame along the edges, and jets at the corners."""
    x, y, z = (0.5 * side for side in SIZE)
    craft.box(GOLD_FOIL, SIZE, bevel=0.04)
    for sign in (-1.0, 1.0):
        for a in (-y, y):
            craft.box(ALUMINIUM, (SIZE[0] + 0.03, 0.055, 0.055), (0.0, a, sign * z), bevel=0.012)
        for a in (-x, x):
            craft.box(ALUMINIUM, (0.055, SIZE[1] + 0.03, 0.055), (a, 0.0, sign * z), bevel=0.012)
            craft.box(ALUMINIUM, (0.055, 0.055, SIZE[2] + 0.03), (a, sign * y, 0.0), bevel=0.012)
        craft.box(WHITE, (0.86, 0.03, 0.74), (-0.14, sign * (y + 0.012), 0.06), bevel=0.01)
        for step in np.linspace(-0.28, 0.28, 6):
            craft.box(MIRROR, (0.80, 0.012, 0.085), (-0.14, sign * (y + 0.032), 0.06 + step))
        craft.box(BLUE, (0.86, 0.032, 0.05), (-0.14, sign * (y + 0.013), 0.46), bevel=0.006)
        craft.box(SLATE, (0.26, 0.05, 0.30), (0.50, sign * (y + 0.02), -0.20), bevel=0.015)
        craft.box(AMBER_FOIL, (0.30, 0.03, 0.34), (0.50, sign * (y + 0.015), 0.24), bevel=0.01)
        craft.box(
            RED_LAMP if sign < 0 else GREEN_LAMP, (0.05, 0.03, 0.05), (0.66, sign * (y + 0.03), 0.50), bevel=0.008
        )
    for number, (a, b, c) in enumerate(np.array(np.meshgrid((-1, 1), (-1, 1), (-1, 1))).reshape(3, -1).T):
        corner = np.array([a * (x - 0.10), b * (y + 0.05), c * (z - 0.12)])
        craft.box(PAINT, (0.14, 0.10, 0.14), corner, bevel=0.02)
        out = np.array([a, 0.0, 0.0]) if number % 2 else np.array([0.0, b, 0.0])
        craft.add(parts.jet(Nozzle(tuple(corner + 0.13 * out), tuple(out), 0.035), 0.08))
    # front: the sensors that watch the satellite
    craft.box(BLACK_FOIL, (0.03, 0.80, 0.72), (x + 0.012, 0.0, 0.06), bevel=0.01)
    for at, radius in (((x, -0.2, 0.2), 0.11), ((x, 0.2, 0.2), 0.11), ((x, 0.0, -0.12), 0.15)):
        craft.lathe(
            SLATE, [(radius, 0.0), (1.02 * radius, 0.16), (0.86 * radius, 0.16), (0.8 * radius, 0.06)], at, Z_TO_X
        )
        craft.lathe(GLASS, [(0.82 * radius, 0.08), (0.5 * radius, 0.10), (0.0, 0.105)], at, Z_TO_X, smooth=True)


def _deck(craft: MeshBuilder) -> None:
    """The upper side: the arm's root, a cradle, antennas, fittings."""
    top = 0.5 * SIZE[2]
    craft.box(PAINT, (1.36, 1.06, 0.03), (0.0, 0.0, top + 0.005), bevel=0.01)
    craft.lathe(STEEL, [(0.27, 0.0), (0.25, 0.02), (0.21, 0.022)], (ROOT[0], ROOT[1], top), sides=40)
    for angle in np.arange(8) * (np.pi / 4.0):
        at = (ROOT[0] + 0.235 * np.cos(angle), ROOT[1] + 0.235 * np.sin(angle), top + 0.03)
        craft.cylinder(SLATE, 0.015, 0.03, at, sides=8)
    for side in (-1.0, 1.0):
        craft.box(ORANGE, (0.24, 0.04, 0.014), (-0.35, side * 0.42, top + 0.022), bevel=0.004)
        craft.box(SLATE, (0.28, 0.16, 0.10), (-0.30, side * 0.25, top + 0.06), bevel=0.02)
    craft.tube(DARK, (-0.62, -0.45, top), (-0.70, -0.55, top + 0.55), 0.010, sides=8)
    craft.box(WHITE_LAMP, (0.05, 0.05, 0.04), (-0.62, 0.46, top + 0.03), bevel=0.008)
