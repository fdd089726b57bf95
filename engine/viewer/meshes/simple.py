"""Bodies of the textbook cases, and the two halves of an arrow."""

import numpy as np

from . import parts
from .materials import (
    ALUMINIUM,
    BRASS,
    DARK,
    GLASS,
    GOLD_FOIL,
    GREY,
    LUMINOUS,
    ORANGE,
    RED_LAMP,
    SLATE,
    SOLAR_CELLS,
    STEEL,
    WHITE,
)
from .mesh_builder import MeshBuilder
from .nozzle import Nozzle
from .turns import Z_TO_X, Z_TO_Y, about_z


def t_handle() -> MeshBuilder:
    """The T-handle of the space-station films: bar along x, stem along −z. `masses.t_handle` weighs the same parts."""
    handle = MeshBuilder()
    handle.cylinder(STEEL, 0.20, 2.8, (0, 0, 0), Z_TO_X)
    for sign in (-1.0, 1.0):
        handle.cylinder(BRASS, 0.235, 0.34, (sign * 1.32, 0, 0), Z_TO_X)
        handle.cylinder(DARK, 0.212, 0.10, (sign * 0.62, 0, 0), Z_TO_X)
        handle.cylinder(STEEL, 0.11, 0.06, (sign * 1.49, 0, 0), Z_TO_X, sides=6)
        for knurl in range(9):
            at = (sign * (0.74 + 0.045 * knurl), 0.0, 0.0)
            handle.ring(STEEL, 0.200, 0.016, at, Z_TO_X, sides=36)
    handle.cylinder(BRASS, 0.27, 0.22, (0, 0, -0.27))
    for angle in np.arange(6) * np.pi / 3.0:
        handle.cylinder(SLATE, 0.032, 0.05, about_z(angle) @ np.array([0.215, 0.0, -0.385]), sides=6)
    handle.cylinder(STEEL, 0.17, 1.5, (0, 0, -0.75))
    for groove in range(3):
        handle.ring(DARK, 0.168, 0.018, (0.0, 0.0, -0.62 - 0.12 * groove), sides=36)
    handle.cylinder(ORANGE, 0.182, 0.16, (0, 0, -1.25))
    return handle


def drum() -> MeshBuilder:
    """A flat spinning satellite, symmetric about z but for one lamp that shows its turning."""
    body = MeshBuilder()
    body.lathe(ALUMINIUM, [(0.0, -0.4), (1.62, -0.4), (1.66, -0.36), (1.66, -0.30)])
    body.lathe(SOLAR_CELLS, [(1.63, -0.30), (1.63, 0.30)], sides=72)
    body.lathe(ALUMINIUM, [(1.66, 0.30), (1.66, 0.36), (1.60, 0.40)])
    body.lathe(GOLD_FOIL, [(1.60, 0.40), (0.75, 0.44)])
    body.lathe(WHITE, [(0.75, 0.44), (0.66, 0.60), (0.30, 0.66)])
    body.lathe(ALUMINIUM, [(0.30, 0.66), (0.12, 0.74), (0.05, 1.12), (0.05, 1.35)])
    for angle in np.arange(12) * np.pi / 6.0:
        body.box(
            ALUMINIUM, (0.05, 0.05, 0.62), about_z(angle) @ np.array([1.635, 0.0, 0.0]), about_z(angle), bevel=0.012
        )
    body.add(parts.dish(0.42, 0.16, feed=0.28), (0.0, 0.0, 1.35))
    body.add(parts.bell(Nozzle((0.0, 0.0, -0.86), (0.0, 0.0, -1.0), 0.28), 0.40))
    body.box(ORANGE, (0.62, 0.20, 0.04), (1.16, 0.0, 0.43), bevel=0.01)
    body.box(RED_LAMP, (0.09, 0.09, 0.09), (1.44, 0.0, 0.46), bevel=0.02)
    return body


def crate() -> MeshBuilder:
    """A box of 1.2 × 2.0 × 3.2 m wrapped in foil, with the fittings of a small satellite. `masses.crate` weighs the box."""
    body = MeshBuilder()
    body.box(GOLD_FOIL, (1.2, 2.0, 3.2))
    for x in (-0.6, 0.6):
        for y in (-1.0, 1.0):
            body.box(ALUMINIUM, (0.07, 0.07, 3.26), (x, y, 0), bevel=0.015)
        for z in (-1.6, 1.6):
            body.box(ALUMINIUM, (0.07, 2.06, 0.07), (x, 0, z), bevel=0.015)
    for y in (-1.0, 1.0):
        for z in (-1.6, 1.6):
            body.box(ALUMINIUM, (1.26, 0.07, 0.07), (0, y, z), bevel=0.015)
    for z in (-0.78, 0.78):
        body.box(SOLAR_CELLS, (0.02, 1.7, 1.38), (0.61, 0, z))
    body.box(WHITE, (0.04, 1.5, 1.1), (-0.61, 0, 0.75), bevel=0.01)
    body.box(GREY, (0.06, 1.0, 0.7), (-0.61, 0, -0.6), bevel=0.015)
    body.add(parts.dish(0.45, 0.18, feed=0.30), (0.0, 0.25, 1.68))
    body.add(parts.bell(Nozzle((0.0, 0.0, -2.08), (0.0, 0.0, -1.0), 0.34), 0.46))
    body.cylinder(SLATE, 0.20, 0.16, (0.1, -1.06, 0.9), Z_TO_Y)
    body.add(parts.round_window(0.17, GLASS), (0.1, -1.14, 0.9), np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]]))
    return body


def arrow_shaft() -> MeshBuilder:
    """A cylinder of radius 1 from z = 0 to 1, self-luminous; the renderer colours it."""
    shaft = MeshBuilder()
    shaft.lathe(LUMINOUS, [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)], sides=20)
    return shaft


def arrow_head() -> MeshBuilder:
    """A cone of radius and height 1, apex at z = 1."""
    head = MeshBuilder()
    head.lathe(LUMINOUS, [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)], sides=28)
    return head
