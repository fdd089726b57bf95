"""A cubesat of three units, drawn ten times as large as it is, because the patterns of the materials are made for metres.

Its long axis is z, the camera looks along +z, the solar panels unfold at the other end. `masses.cubesat` weighs the same parts.
"""

import numpy as np

from ..drawing import (
    ALUMINIUM,
    BRASS,
    COPPER,
    DARK,
    DARK_CELLS,
    GLASS,
    GOLD_FOIL,
    GREEN_LAMP,
    PANEL_BACK,
    SLATE,
    SOLAR_CELLS,
    STEEL,
    WHITE,
    MeshBuilder,
    about_z,
    parts,
)

SCALE = 0.1
"""Length of a body over that of its mesh."""
SIDE, LENGTH = 1.0, 3.4  # of the mesh
PANEL = (0.92, 0.03, 3.1)


def build() -> MeshBuilder:
    """The whole craft, 28 cm across its panels."""
    craft = MeshBuilder()
    craft.box(DARK, (0.93 * SIDE, 0.93 * SIDE, 0.985 * LENGTH))
    _frame(craft)
    for number in range(4):
        _side(craft, about_z(0.5 * np.pi * number), bare=number == 1)
    _camera(craft)
    _antennas(craft)
    for sign in (-1.0, 1.0):
        _panel(craft, sign)
    return craft


def _frame(craft: MeshBuilder) -> None:
    """Four rails along the edges, and rings between the three units."""
    edge = 0.5 * SIDE - 0.045
    for x in (-edge, edge):
        for y in (-edge, edge):
            craft.box(ALUMINIUM, (0.09, 0.09, LENGTH + 0.13), (x, y, 0.0), bevel=0.015)
    for z in np.linspace(-0.5, 0.5, 4) * (LENGTH - 0.09):
        for turn in (about_z(0.0), about_z(0.5 * np.pi)):
            for side in (-edge, edge):
                craft.box(ALUMINIUM, (SIDE - 0.02, 0.075, 0.075), turn @ np.array([0.0, side, z]), turn, bevel=0.012)


def _side(craft: MeshBuilder, turn: np.ndarray, *, bare: bool) -> None:
    """One long side, which looks along x before the turn: three panels of cells, or boards and a patch antenna."""
    for unit in (-1.0, 0.0, 1.0):
        at = turn @ np.array([0.485 * SIDE, 0.0, unit * LENGTH / 3.0])
        if not bare:
            cells = DARK_CELLS if unit == 0.0 else SOLAR_CELLS
            craft.box(cells, (0.02, 0.80, 0.98), at, turn, bevel=0.005)
        elif unit == 0.0:
            craft.box(WHITE, (0.03, 0.78, 0.92), at, turn, bevel=0.01)
            craft.box(COPPER, (0.02, 0.46, 0.46), turn @ np.array([0.505, 0.0, 0.0]), turn, bevel=0.005)
        else:
            craft.box(GOLD_FOIL, (0.02, 0.80, 0.98), at, turn)
            for place, size in ((-0.22, 0.24), (0.14, 0.36)):
                craft.box(SLATE, (0.05, size, 0.30), at + turn @ np.array([0.02, place, 0.12]), turn, bevel=0.01)


def _camera(craft: MeshBuilder) -> None:
    """The instrument at the end: baffle and lens, two sun sensors, a lamp."""
    top = 0.5 * LENGTH
    craft.box(GOLD_FOIL, (0.80, 0.80, 0.03), (0.0, 0.0, top))
    craft.lathe(DARK, [(0.31, top), (0.31, top + 0.20), (0.27, top + 0.20), (0.25, top + 0.03)], sides=36)
    craft.lathe(GLASS, [(0.25, top + 0.05), (0.16, top + 0.08), (0.0, top + 0.09)], smooth=True, sides=36)
    craft.ring(ALUMINIUM, 0.30, 0.03, (0.0, 0.0, top + 0.19), sides=36)
    for x, y in ((0.33, -0.33), (-0.33, 0.33)):
        craft.box(SLATE, (0.13, 0.13, 0.07), (x, y, top + 0.03), bevel=0.012)
        craft.add(parts.round_window(0.035, GLASS), (x, y, top + 0.065))
    craft.box(GREEN_LAMP, (0.05, 0.05, 0.03), (0.34, 0.34, top + 0.03), bevel=0.008)


def _antennas(craft: MeshBuilder) -> None:
    """Four steel tapes that stand off the lower end."""
    low = -0.5 * LENGTH
    craft.box(SLATE, (0.86, 0.86, 0.10), (0.0, 0.0, low - 0.03), bevel=0.02)
    for number in range(4):
        turn = about_z(0.25 * np.pi + 0.5 * np.pi * number)
        root = turn @ np.array([0.46, 0.0, low - 0.04])
        tip = turn @ np.array([1.75, 0.0, low - 0.45])
        craft.tube(BRASS, root, tip, 0.014, sides=6)
        craft.box(STEEL, (0.14, 0.09, 0.08), root, turn, bevel=0.012)


def _panel(craft: MeshBuilder, sign: float) -> None:
    """A panel unfolded to the side: cells towards +y, hinges at the long edge."""
    x = sign * (0.5 * SIDE + 0.5 * PANEL[0] + 0.06)
    craft.box(PANEL_BACK, PANEL, (x, 0.44, 0.0), bevel=0.006)
    for number, z in enumerate((-1.02, 0.0, 1.02)):
        cells = DARK_CELLS if number == 1 else SOLAR_CELLS
        craft.box(cells, (0.82, 0.012, 0.95), (x, 0.44 + 0.02, z))
    for side in (-1.0, 1.0):
        craft.box(ALUMINIUM, (0.03, 0.045, PANEL[2] + 0.02), (x + 0.5 * side * PANEL[0], 0.44, 0.0), bevel=0.006)
    for z in (-1.2, 0.0, 1.2):
        craft.tube(STEEL, (sign * 0.55, 0.44, z - 0.14), (sign * 0.55, 0.44, z + 0.14), 0.035, sides=12)
