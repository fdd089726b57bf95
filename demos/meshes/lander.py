"""A lander: an eight-sided stage in foil with a cabin on it, tubes for the legs, and a foot that slides in each of them."""

import numpy as np

from ..drawing import (
    ALUMINIUM,
    AMBER_FOIL,
    BLACK_FOIL,
    DARK,
    GLASS,
    GOLD_FOIL,
    GREY,
    ORANGE,
    PAINT,
    SILVER_FOIL,
    STEEL,
    WHITE,
    WINDOW_LIGHT,
    MeshBuilder,
    Nozzle,
    about_z,
    parts,
    turn_to,
)

SIZE = (2.1, 2.1, 1.3)
"""Full lengths of the box by which the stage touches [m]."""
FOOT = 0.24
"""Radius of a foot [m]."""
HIP, LEG = np.array((1.5, 1.5, -0.1)), 1.55
"""Where a leg begins, by its sign in x and y, and its length when it is out [m]. Legs are upright: feet that stick need not slide."""
ARM, NOZZLE_HEIGHT = 1.15, -0.95
"""Of the jets that turn the lander, from the axes, and height of the engine's exit [m]."""
ENGINE = Nozzle((0.0, 0.0, NOZZLE_HEIGHT), (0.0, 0.0, -1.0), 0.34)
TUBE, ROD = 0.075, 0.045
"""Radii of the outer and the inner part of a leg [m]."""


def stage() -> MeshBuilder:
    """The stage with engine, cabin, jets and the outer tubes of the legs."""
    craft, (wide, _deep, high) = MeshBuilder(), SIZE
    outline = _octagon(0.5 * wide, 0.42)
    craft.prism(GOLD_FOIL, outline, 0.86, (0.0, 0.0, -0.16))
    craft.prism(ALUMINIUM, _octagon(0.52 * wide, 0.43), 0.05, (0.0, 0.0, 0.29))
    craft.prism(ALUMINIUM, _octagon(0.51 * wide, 0.42), 0.05, (0.0, 0.0, -0.6))
    for number in range(4):
        turn = about_z(0.5 * np.pi * number)
        craft.box(AMBER_FOIL, (0.03, 0.72, 0.52), turn @ np.array([0.5 * wide, 0.0, -0.16]), turn, bevel=0.01)
        craft.box(BLACK_FOIL, (0.04, 0.30, 0.30), turn @ np.array([0.5 * wide + 0.01, 0.1, -0.12]), turn, bevel=0.01)
    _cabin(craft, 0.5 * high)
    craft.add(parts.bell(ENGINE, 0.42))
    for number in range(4):
        _leg(craft, about_z(0.5 * np.pi * number))
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        craft.box(GREY, (0.13, 0.13, 0.13), (x * (ARM - 0.02), y * (ARM - 0.02), 0.42), bevel=0.02)
    return craft


def _cabin(craft: MeshBuilder, top: float) -> None:
    """Tanks, a cabin with a window, a hatch, and aerials."""
    craft.prism(SILVER_FOIL, _octagon(0.66, 0.42), 0.62, (0.0, 0.0, top - 0.06))
    craft.prism(WHITE, _octagon(0.56, 0.42), 0.12, (0.0, 0.0, top + 0.30))
    craft.box(DARK, (0.05, 0.44, 0.30), (0.655, 0.0, top + 0.03), bevel=0.012)
    craft.box(GLASS, (0.02, 0.38, 0.24), (0.68, 0.0, top + 0.03), bevel=0.008)
    craft.box(WINDOW_LIGHT, (0.012, 0.10, 0.05), (0.69, 0.10, top - 0.04), bevel=0.004)
    craft.box(ORANGE, (0.34, 0.02, 0.06), (0.0, 0.655, top + 0.12), bevel=0.006)
    craft.cylinder(PAINT, 0.2, 0.16, (0.0, -0.69, top + 0.02), np.column_stack([(1, 0, 0), (0, 0, 1), (0, -1, 0)]))
    for x in (-0.62, 0.62):
        craft.sphere(AMBER_FOIL, 0.24, (0.0, x, 0.38), sides=24)
    craft.add(parts.dish(0.30, 0.10, feed=0.18), (-0.18, 0.22, top + 0.62), turn_to((-0.3, 0.5, 1.0)))
    craft.tube(ALUMINIUM, (-0.18, 0.2, top + 0.34), (-0.18, 0.22, top + 0.62), 0.02)
    craft.tube(STEEL, (0.3, -0.25, top + 0.34), (0.34, -0.28, top + 1.05), 0.012)


def _leg(craft: MeshBuilder, turn: np.ndarray) -> None:
    """The outer tube of a leg, and the struts that hold it."""
    x, y, z = HIP
    low = z - LEG + 0.72
    craft.tube(ALUMINIUM, turn @ (x, y, z + 0.18), turn @ (x, y, low), TUBE, sides=18)
    craft.ring(STEEL, TUBE, 0.03, tuple(turn @ (x, y, low)), sides=24)
    craft.ring(ORANGE, TUBE, 0.025, tuple(turn @ (x, y, z + 0.05)), sides=24)
    for a, b in ((0.98, 0.42), (0.42, 0.98)):
        craft.tube(STEEL, turn @ (a, b, 0.22), turn @ (x, y, z + 0.12), 0.032)
        craft.tube(STEEL, turn @ (a, b, -0.52), turn @ (x, y, low + 0.06), 0.028)


def foot() -> MeshBuilder:
    """A foot and the rod above it, in the axes of the foot."""
    part = MeshBuilder()
    part.tube(STEEL, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), ROD, sides=16)
    around = np.linspace(-0.5 * np.pi, 0.12 * np.pi, 12)
    part.lathe(GREY, [(FOOT * np.cos(a), FOOT * np.sin(a)) for a in around], smooth=True, sides=32)
    part.lathe(
        ALUMINIUM, [(FOOT * np.cos(0.12 * np.pi), FOOT * np.sin(0.12 * np.pi)), (0.06, 0.16), (0.0, 0.16)], sides=32
    )
    return part


def _octagon(half: float, corner: float) -> list[tuple[float, float]]:
    """A square of half this side with its corners cut at this share of it, anticlockwise."""
    cut = half * (1.0 - corner)
    return [
        (half, -cut),
        (half, cut),
        (cut, half),
        (-cut, half),
        (-half, cut),
        (-half, -cut),
        (-cut, -half),
        (cut, -half),
    ]
