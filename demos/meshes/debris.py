"""Pieces of debris, and the tug that gathers them."""

import numpy as np

from ..drawing import (
    ALUMINIUM,
    BLUE,
    GOLD_FOIL,
    GREEN_LAMP,
    ORANGE,
    PAINT,
    PANEL_BACK,
    RED_LAMP,
    SILVER_FOIL,
    SLATE,
    SOLAR_CELLS,
    STEEL,
    WHITE,
    MeshBuilder,
    Nozzle,
    parts,
)

DEBRIS = {
    "panel": ((1.3, 0.9, 0.06), 14.0),
    "tank": ((0.68, 0.68, 0.68), 24.0),
    "strut": ((0.14, 0.14, 2.0), 9.0),
    "unit": ((0.5, 0.5, 0.7), 32.0),
    "shard": ((0.9, 0.6, 0.4), 18.0),
}
"""Full lengths [m] and mass [kg] of each kind."""
TANK, STRUT = 0.34, (0.07, 1.86)
"""Radius of a tank; radius of a strut and length between the centres of its ends [m]."""
_LOW = (1, 0.2, -1), (0.3, 1, -1), (-1, 0.5, -0.8), (-0.6, -1, -1), (0.6, -0.9, -0.9)
_HIGH = (0.8, 0.4, 0.7), (-0.1, 0.9, 1), (-0.9, -0.1, 0.6), (0.1, -0.8, 1)
SHARD = 0.5 * np.array([*_LOW, *_HIGH])
"""The corners of a shard, over its full lengths."""
EYES = {kind: tuple(0.5 * side for side in size) for kind, (size, _) in DEBRIS.items()}
"""From the middle of each kind to where a line may be tied, along x, y and z [m]."""
TUG_SIZE, TUG_NOZZLE, TUG_ARM = (0.9, 0.9, 1.0), 0.62, 0.55
"""Full lengths of the tug, and from its middle to the jets that move it and to those that turn it [m]."""


def panel() -> MeshBuilder:
    """A torn-off solar panel in its frame."""
    part, (x, y, z) = MeshBuilder(), DEBRIS["panel"][0]
    part.box(PANEL_BACK, (x, y, 0.6 * z), (0.0, 0.0, -0.2 * z))
    part.box(SOLAR_CELLS, (x - 0.06, y - 0.06, 0.2 * z), (0.0, 0.0, 0.36 * z))
    for sign in (-1.0, 1.0):
        part.box(ALUMINIUM, (x, 0.04, z), (0.0, 0.5 * sign * (y - 0.04), 0.0))
        part.box(ALUMINIUM, (0.04, y, z), (0.5 * sign * (x - 0.04), 0.0, 0.0))
    return part


def tank() -> MeshBuilder:
    """A ball with a seam and two necks."""
    part = MeshBuilder()
    part.sphere(GOLD_FOIL, TANK, sides=32)
    part.ring(ALUMINIUM, TANK - 0.01, 0.04, sides=40)
    for sign in (-1.0, 1.0):
        part.cylinder(STEEL, 0.06, 0.03, (0.0, 0.0, sign * (TANK - 0.01)))
    return part


def strut() -> MeshBuilder:
    """A bar with rings and round ends."""
    part, (radius, length) = MeshBuilder(), STRUT
    part.tube(PAINT, (0.0, 0.0, -0.5 * length), (0.0, 0.0, 0.5 * length), radius, sides=20)
    for sign in (-1.0, 1.0):
        part.sphere(STEEL, radius, (0.0, 0.0, 0.5 * sign * length), sides=16)
    for z in (-0.3, 0.0, 0.3):
        part.tube(ORANGE, (0.0, 0.0, z * length - 0.04), (0.0, 0.0, z * length + 0.04), 1.01 * radius, sides=20)
    return part


def unit() -> MeshBuilder:
    """A box of electronics in foil."""
    part, (x, y, z) = MeshBuilder(), DEBRIS["unit"][0]
    part.box(SILVER_FOIL, (x, y, z - 0.06), bevel=0.02)
    for sign in (-1.0, 1.0):
        part.box(SLATE, (x, y, 0.03), (0.0, 0.0, sign * (0.5 * z - 0.015)))
    part.box(BLUE, (0.02, 0.5 * y, 0.4 * z), (0.5 * x - 0.005, 0.0, 0.0))
    return part


def tug() -> MeshBuilder:
    """A box with a collar of handling rings, a jet on each side, lamps, and couples of small jets at its edges."""
    part, (x, y, z) = MeshBuilder(), TUG_SIZE
    part.box(WHITE, (0.84 * x, 0.84 * y, 0.86 * z), bevel=0.05)
    for sign in (-1.0, 1.0):
        part.box(ORANGE, (x, y, 0.07), (0.0, 0.0, 0.36 * sign * z), bevel=0.015)
        part.box(BLUE, (0.86 * x, 0.86 * y, 0.05), (0.0, 0.0, 0.2 * sign * z))
    part.box(SOLAR_CELLS, (0.85 * x, 0.5 * y, 0.24), (0.0, 0.0, 0.0))
    part.box(SOLAR_CELLS, (0.5 * x, 0.85 * y, 0.24), (0.0, 0.0, 0.0))
    for axis in np.eye(3):
        for way in (-axis, axis):
            part.add(parts.jet(Nozzle(tuple(TUG_NOZZLE * way), tuple(way), 0.07), 0.16))
    for lamp, side in ((RED_LAMP, -1.0), (GREEN_LAMP, 1.0)):
        part.box(lamp, (0.06, 0.06, 0.06), (0.5 * x - 0.05, 0.42 * side * y, 0.44 * z), bevel=0.01)
    return part
