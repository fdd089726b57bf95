"""A satellite to be serviced: a box with two wings along ±y, a dish below, and a grapple fixture on top (z). `masses.client` weighs it."""

import numpy as np

from ..drawing import (
    ALUMINIUM,
    AMBER_FOIL,
    BLACK_FOIL,
    COPPER,
    DARK,
    GLASS,
    ORANGE,
    PAINT,
    SILVER_FOIL,
    SLATE,
    STEEL,
    WHITE,
    WHITE_LAMP,
    MeshBuilder,
    about_z,
    parts,
    turn_to,
)

SIZE = (0.9, 0.9, 1.2)
"""Of the box about the origin [m]."""
FIXTURE_HEIGHT = 0.76
"""Of the fixture's port above the origin [m]."""


def build() -> MeshBuilder:
    """The whole satellite, 4.2 m across its wings."""
    craft = MeshBuilder()
    x, y, z = (0.5 * side for side in SIZE)
    craft.box(SILVER_FOIL, SIZE, bevel=0.03)
    for a in (-x, x):
        for b in (-y, y):
            craft.box(ALUMINIUM, (0.06, 0.06, SIZE[2] + 0.03), (a, b, 0.0), bevel=0.012)
        craft.box(AMBER_FOIL, (0.03, 0.70, 0.52), (a * 1.02, 0.0, -0.26), bevel=0.01)
        craft.box(WHITE, (0.03, 0.70, 0.44), (a * 1.02, 0.0, 0.28), bevel=0.01)
        craft.box(COPPER, (0.03, 0.30, 0.05), (a * 1.05, 0.0, 0.28), bevel=0.006)
    for b in (-y, y):
        craft.box(WHITE, (0.68, 0.03, 0.40), (0.0, b * 1.02, 0.30), bevel=0.01)
        craft.box(PAINT, (0.68, 0.03, 0.46), (0.0, b * 1.02, -0.28), bevel=0.01)
        craft.box(SLATE, (0.22, 0.05, 0.16), (0.16, b * 1.05, -0.32), bevel=0.012)
        craft.box(ORANGE, (0.68, 0.032, 0.035), (0.0, b * 1.021, -0.02), bevel=0.005)
    for c in (-z, z):
        for a in (-x, x):
            craft.box(ALUMINIUM, (0.06, SIZE[1], 0.06), (a, 0.0, c), bevel=0.012)
        for b in (-y, y):
            craft.box(ALUMINIUM, (SIZE[0], 0.06, 0.06), (0.0, b, c), bevel=0.012)
    for sign in (-1.0, 1.0):
        wing = parts.solar_wing(first=0.65, panel=0.72, panels=2, chord=0.75)
        out, cells = np.array([0.0, sign, 0.0]), np.array([0.0, 0.0, 1.0])
        craft.add(wing, (0.0, 0.0, 0.05), np.column_stack([out, cells, np.cross(out, cells)]))
    craft.add(parts.dish(0.40, 0.14, feed=0.24), (0.25, 0.1, -0.72), turn_to((0.3, 0.1, -1.0)))
    craft.tube(ALUMINIUM, (0.2, 0.08, -0.58), (0.25, 0.1, -0.74), 0.03)
    craft.lathe(
        DARK, [(0.16, 0.0), (0.17, 0.22), (0.14, 0.22), (0.13, 0.06)], (-0.25, -0.2, -0.60), turn_to((0, 0, -1.0))
    )
    craft.lathe(GLASS, [(0.135, 0.08), (0.0, 0.10)], (-0.25, -0.2, -0.60), turn_to((0, 0, -1.0)), sides=24)
    craft.add(_fixture(), (0.0, 0.0, z))
    return craft


def _fixture() -> MeshBuilder:
    """A grapple fixture on a plate: ramps for the fingers, a target, and a pin with a knob that ends at the port."""
    part, high = MeshBuilder(), FIXTURE_HEIGHT - 0.5 * SIZE[2]
    part.box(BLACK_FOIL, (0.72, 0.72, 0.02), (0.0, 0.0, 0.012))
    part.cylinder(PAINT, 0.20, 0.05, (0.0, 0.0, 0.03), sides=40)
    part.lathe(STEEL, [(0.15, 0.055), (0.13, high - 0.03), (0.115, high - 0.03)], sides=36)
    part.lathe(DARK, [(0.115, high - 0.03), (0.10, 0.06), (0.0, 0.06)], sides=36)
    part.tube(STEEL, (0.0, 0.0, 0.05), (0.0, 0.0, high + 0.08), 0.014, sides=12)
    part.sphere(STEEL, 0.026, (0.0, 0.0, high + 0.09), sides=14)
    for number in range(3):
        turn = about_z(2.0 * np.pi / 3.0 * number)
        part.box(ORANGE, (0.10, 0.045, 0.06), turn @ np.array([0.185, 0.0, 0.075]), turn, bevel=0.012)
    part.box(SLATE, (0.16, 0.10, 0.05), (-0.30, 0.0, 0.04), bevel=0.012)
    part.box(WHITE_LAMP, (0.03, 0.03, 0.02), (0.30, 0.28, 0.03), bevel=0.004)
    return part
