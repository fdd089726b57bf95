"""A drum covered with solar cells that spins about z, with dishes on top and a kick motor below. `masses.drum_satellite` weighs it."""

import numpy as np

from ..drawing import (
    ALUMINIUM,
    BLACK_FOIL,
    DARK_CELLS,
    GOLD_FOIL,
    MIRROR,
    ORANGE,
    RED_LAMP,
    SLATE,
    SOLAR_CELLS,
    STEEL,
    WHITE,
    WHITE_LAMP,
    MeshBuilder,
    Nozzle,
    about_z,
    parts,
)

RADIUS, BOTTOM, TOP = 1.35, -0.75, 0.75
"""The drum [m], from its middle, which is the body's origin."""
SECTORS = 16

NOZZLES = {"kick motor": Nozzle((0.0, 0.0, -1.42), (0.0, 0.0, -1.0), 0.42)}


def build() -> MeshBuilder:
    """The whole craft, 2.7 m across and 3.5 m high."""
    craft = MeshBuilder()
    _drum(craft)
    # top: a deck of foil, the dish on its mast, two horns
    craft.lathe(GOLD_FOIL, [(RADIUS - 0.03, TOP), (0.55, TOP + 0.05), (0.0, TOP + 0.05)], sides=48)
    craft.cylinder(SLATE, 0.30, 0.22, (0.0, 0.0, TOP + 0.14), sides=28)
    craft.lathe(WHITE, [(0.16, TOP + 0.24), (0.12, TOP + 0.46)], sides=24)
    craft.add(parts.dish(0.92, 0.24, feed=0.50, ribs=10), (0.0, 0.0, TOP + 0.46))
    for side in (-1.0, 1.0):
        craft.lathe(
            ALUMINIUM, [(0.05, 0.0), (0.05, 0.22), (0.14, 0.38)], centre=(side * 0.98, 0.0, TOP + 0.02), sides=20
        )
        craft.tube(STEEL, (0.0, side * 0.98, TOP), (0.0, side * 0.98, TOP + 0.62), 0.02)
        craft.box(WHITE_LAMP if side > 0 else RED_LAMP, (0.06, 0.06, 0.05), (0.0, side * 0.98, TOP + 0.64), bevel=0.01)
    # bottom: a mirror against the heat, and the motor
    craft.lathe(BLACK_FOIL, [(0.0, BOTTOM - 0.03), (RADIUS - 0.03, BOTTOM)], sides=48)
    low, high = BOTTOM - 0.14, BOTTOM - 0.02
    craft.lathe(STEEL, [(0.50, low), (0.62, low), (0.62, high), (0.50, high)], sides=40)
    craft.add(parts.bell(NOZZLES["kick motor"], 0.62))
    for number in range(4):
        at = about_z(np.radians(90.0 * number + 45.0)) @ np.array([0.98, 0.0, BOTTOM - 0.09])
        craft.sphere(GOLD_FOIL, 0.17, tuple(at), sides=20)
    return craft


def _drum(craft: MeshBuilder) -> None:
    """Cells in sectors of two blues, one of them orange to be followed by eye, between three bright bands."""
    bands = ((BOTTOM + 0.05, -0.06), (0.06, TOP - 0.05))
    width = 2.0 * np.pi / SECTORS
    for sector in range(SECTORS):
        arc = (sector * width + 0.012, (sector + 1) * width - 0.012)
        for number, (low, high) in enumerate(bands):
            cells = SOLAR_CELLS if (sector + number) % 2 else DARK_CELLS
            if sector == 0:
                cells = ORANGE
            craft.lathe(cells, [(RADIUS, low), (RADIUS, high)], smooth=True, sides=5, arc=arc)
        turn = about_z(arc[0] - 0.012)
        craft.box(
            ALUMINIUM, (0.03, 0.035, TOP - BOTTOM - 0.06), tuple(turn @ np.array([RADIUS - 0.008, 0.0, 0.0])), turn
        )
    for low, high in ((BOTTOM, BOTTOM + 0.05), (-0.06, 0.06), (TOP - 0.05, TOP)):
        craft.lathe(MIRROR if low == -0.06 else ALUMINIUM, [(RADIUS + 0.012, low), (RADIUS + 0.012, high)], sides=64)
    for number in range(8):
        turn = about_z(np.radians(45.0 * number + 11.25))
        at = turn @ np.array([RADIUS + 0.03, 0.0, 0.0])
        craft.box(SLATE, (0.05, 0.10, 0.07), tuple(at), turn, bevel=0.012)
