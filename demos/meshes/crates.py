"""Crates of three kinds, the hangar in which they lie, and the bridge, the trolley and the hook block of its crane."""

from itertools import pairwise, product

import numpy as np

from ..drawing import (
    DARK,
    GREY,
    ORANGE,
    PAINT,
    SLATE,
    STEEL,
    WHITE_LAMP,
    WINDOW_LIGHT,
    Material,
    MeshBuilder,
    about_z,
    turn_to,
)

OLIVE = Material((0.17, 0.21, 0.10), 0.0, 0.62)
RUST = Material((0.36, 0.10, 0.045), 0.0, 0.60)
SAND = Material((0.56, 0.44, 0.22), 0.0, 0.62)
EDGE = Material((0.20, 0.20, 0.21), 0.4, 0.5)
CONCRETE = Material((0.27, 0.27, 0.265), 0.0, 0.85)
CLADDING = Material((0.33, 0.37, 0.40), 0.0, 0.7)
GIRDER = Material((0.62, 0.40, 0.05), 0.0, 0.5)

CRATES = {
    "crate-large": ((1.0, 1.0, 1.0), 180.0),
    "crate-long": ((1.4, 0.9, 0.8), 200.0),
    "crate-small": ((0.7, 0.7, 0.7), 70.0),
}
"""Full lengths of the edges [m] and mass [kg] of each kind."""
_COLOURS = {"crate-large": OLIVE, "crate-long": RUST, "crate-small": SAND}
BEAM, SUNK = 0.07, 0.022
"""Thickness of the edges of a crate, and how far its sides lie behind them [m]."""
WALL = 6.0
"""Distance of the walls from the middle of the hangar [m]."""
HIGH, FAR = 8.2, 15.0
"""Height of the walls, and how far the floor goes from the middle to the open sides [m]."""
RAIL, RAIL_HEIGHT = 5.3, 7.62
"""Where the rails of the crane are along y, and their height [m]."""


def crate(kind: str) -> MeshBuilder:
    """A box with edges that stand out, boards on its sides, and a plate."""
    part, (size, _) = MeshBuilder(), CRATES[kind]
    full, colour = np.array(size), _COLOURS[kind]
    part.box(colour, full - 2.0 * SUNK)
    for axis in range(3):
        for signs in product((-1.0, 1.0), repeat=2):
            centre = np.zeros(3)
            centre[[(axis + 1) % 3, (axis + 2) % 3]] = signs
            length = np.full(3, BEAM)
            length[axis] = full[axis]
            part.box(EDGE, length, 0.5 * centre * (full - BEAM), bevel=0.01)
    for axis, sign in product(range(3), (-1.0, 1.0)):
        _side(part, colour, full, axis, sign)
    return part


def _side(part: MeshBuilder, colour: Material, full: np.ndarray, axis: int, sign: float) -> None:
    """Two boards across a side, and a plate on it."""
    along, across = (axis + 1) % 3, (axis + 2) % 3
    normal = sign * np.eye(3)[axis]
    for share in (-0.17, 0.17):
        length = np.empty(3)
        length[[axis, along, across]] = SUNK, 0.06, full[across] - 2.0 * BEAM
        centre = (0.5 * full[axis] - 0.6 * SUNK) * normal + share * full[along] * np.eye(3)[along]
        part.box(colour, length, centre, bevel=0.006)
    length = np.empty(3)
    length[[axis, along, across]] = 0.012, 0.20 * full[along], 0.16
    part.box(PAINT, length, (0.5 * full[axis] - SUNK) * normal + 0.22 * full[across] * np.eye(3)[across])


def floor() -> MeshBuilder:
    """The floor with its lines and the two walls; what throws no shadow."""
    part = MeshBuilder()
    length, middle = WALL + FAR, 0.5 * (FAR - WALL)
    part.box(CONCRETE, (length, length, 0.3), (middle, middle, -0.15))
    for x in np.arange(-WALL, FAR, 3.0)[1:]:
        part.box(GREY, (0.03, length, 0.004), (x, middle, 0.001))
        part.box(GREY, (length, 0.03, 0.004), (middle, x, 0.001))
    for side in (1.25, 3.55):
        part.box(ORANGE, (0.09, 6.4, 0.006), (side, -1.1, 0.002))
    for y in (-4.3, 2.1):
        part.box(ORANGE, (2.39, 0.09, 0.006), (2.4, y, 0.002))
    for turn in (np.eye(3), about_z(0.5 * np.pi)):
        # the wall at x = −WALL, and the same turned to y = −WALL
        mirrored = 1.0 if turn[0, 0] == 1.0 else -1.0
        part.box(CLADDING, (0.2, length, HIGH), turn @ (-WALL - 0.1, mirrored * middle, 0.5 * HIGH), turn)
        for y in np.arange(-WALL + 1.0, FAR, 1.0):
            part.box(CLADDING, (0.05, 0.16, HIGH), turn @ (-WALL + 0.02, mirrored * y, 0.5 * HIGH), turn)
        for y in np.arange(-WALL + 3.0, FAR, 6.0):
            part.box(SLATE, (0.22, 0.30, HIGH), turn @ (-WALL + 0.1, mirrored * y, 0.5 * HIGH), turn, bevel=0.02)
            # none on the right of the first view, where curves are shown
            for z in (4.9, 5.5) if mirrored < 0.0 or y < 0.0 else ():
                window = turn @ (-WALL + 0.05, mirrored * (y + 1.5), z)
                part.box(WINDOW_LIGHT if turn[0, 0] == 1.0 else WHITE_LAMP, (0.03, 1.7, 0.34), window, turn)
        part.box(GREY, (0.10, length, 0.45), turn @ (-WALL + 0.03, mirrored * middle, 0.22), turn)
    return part


def frame() -> MeshBuilder:
    """The rails of the crane, with the columns of one of them."""
    part = MeshBuilder()
    for y in (-RAIL, RAIL):
        part.box(GIRDER, (11.4, 0.26, 0.42), (0.0, y, RAIL_HEIGHT), bevel=0.02)
        part.box(STEEL, (11.4, 0.08, 0.07), (0.0, y, RAIL_HEIGHT + 0.24))
    for x in (-5.3, 5.3):
        part.box(GIRDER, (0.26, 0.30, RAIL_HEIGHT - 0.2), (x, -RAIL, 0.5 * RAIL_HEIGHT - 0.1), bevel=0.02)
        part.box(SLATE, (0.55, 0.55, 0.06), (x, -RAIL, 0.03))
        # the other rail hangs from the roof, which is not drawn
        part.box(GIRDER, (0.16, 0.16, 2.0), (x, RAIL, RAIL_HEIGHT + 1.2), bevel=0.02)
    return part


def bridge() -> MeshBuilder:
    """The beams on which the trolley runs along y, from the height of the trolley."""
    part, above = MeshBuilder(), RAIL_HEIGHT - 7.2
    for x in (-0.36, 0.36):
        part.box(GIRDER, (0.16, 2.0 * RAIL + 0.5, 0.34), (x, 0.0, above + 0.42), bevel=0.02)
    for y in (-RAIL, RAIL):
        part.box(DARK, (1.3, 0.34, 0.26), (0.0, y, above + 0.40), bevel=0.03)
    return part


def trolley() -> MeshBuilder:
    """The trolley below the bridge, with its drum and its motor."""
    part = MeshBuilder()
    part.box(ORANGE, (0.9, 0.9, 0.16), (0.0, 0.0, 0.10), bevel=0.02)
    part.cylinder(STEEL, 0.15, 0.62, (0.0, 0.0, -0.02), turn_to((0.0, 1.0, 0.0)), sides=24)
    for y in (-0.36, 0.36):
        part.box(SLATE, (0.34, 0.06, 0.34), (0.0, y, -0.02), bevel=0.015)
    part.cylinder(GREY, 0.12, 0.30, (0.28, 0.30, -0.02), turn_to((0.0, 1.0, 0.0)), sides=20)
    for x, y in product((-0.36, 0.36), (-0.34, 0.34)):
        part.box(DARK, (0.10, 0.12, 0.36), (x, y, 0.32), bevel=0.01)
    return part


def hook_block() -> MeshBuilder:
    """The block with its sheave, and the hook below."""
    part = MeshBuilder()
    sideways = turn_to((0.0, 1.0, 0.0))
    for y in (-0.09, 0.09):
        part.cylinder(ORANGE, 0.19, 0.05, (0.0, y, 0.0), sideways, sides=28)
    part.cylinder(STEEL, 0.16, 0.11, (0.0, 0.0, 0.0), sideways, sides=24)
    angles = np.linspace(0.5 * np.pi, -0.85 * np.pi, 10)
    points = [(0.085 * np.cos(a), 0.0, -0.24 + 0.085 * np.sin(a)) for a in angles]
    for start, end in pairwise(points):
        part.tube(STEEL, start, end, 0.028, sides=10)
    return part
