"""A probe for deep space: dish towards +z, radioisotope generators on +x, magnetometer on −x, cameras on +y. `masses.probe` weighs it."""

import numpy as np

from ..drawing import (
    ALUMINIUM,
    AMBER_FOIL,
    BLACK_FOIL,
    GLASS,
    GOLD_FOIL,
    GREEN_LAMP,
    MIRROR,
    ORANGE,
    PAINT,
    SILVER_FOIL,
    SLATE,
    STEEL,
    WHITE,
    Z_TO_X,
    MeshBuilder,
    Nozzle,
    about_y,
    about_z,
    parts,
    turn_to,
)

BUS_RADIUS, BUS_BOTTOM, BUS_TOP = 0.95, -0.85, -0.15  # [m]
SIDES = 10


def _cluster(number: int) -> dict[str, Nozzle]:
    turn = about_z(np.radians(90.0 * number + 45.0))
    found = {}
    for name, place, direction in (
        ("aft", (1.06, 0.0, -1.12), (0.0, 0.0, -1.0)),
        ("left", (1.06, 0.19, -0.98), (0.0, 1.0, 0.0)),
        ("right", (1.06, -0.19, -0.98), (0.0, -1.0, 0.0)),
    ):
        found[f"{name} {number + 1}"] = Nozzle(tuple(turn @ place), tuple(turn @ direction), 0.045)
    return found


NOZZLES = {
    "main": Nozzle((0.0, 0.0, -1.75), (0.0, 0.0, -1.0), 0.34),
    **{name: nozzle for number in range(4) for name, nozzle in _cluster(number).items()},
}
"""The main engine, and on each of the clusters 1 to 4, at 45°, 135°, 225° and 315° from x, three jets: their gas leaves aft, and round
the bus anticlockwise ("left") and clockwise ("right") seen from the dish."""


def build() -> MeshBuilder:
    """The whole craft, 12 m from the generators to the magnetometer."""
    craft = MeshBuilder()
    craft.add(parts.dish(1.85, 0.50, feed=0.98, ribs=12), (0.0, 0.0, 0.10))
    craft.lathe(PAINT, [(0.62, -0.15), (0.50, 0.14)], sides=36)
    craft.cylinder(PAINT, 0.20, 0.05, (0.0, 0.0, 0.62), sides=28)
    _bus(craft)
    _generators(craft)
    _magnetometer(craft)
    _cameras(craft)
    craft.add(parts.bell(NOZZLES["main"], 0.52))
    for name, nozzle in NOZZLES.items():
        if name != "main":
            craft.add(parts.jet(nozzle, 0.11))
    return craft


def _bus(craft: MeshBuilder) -> None:
    """A ten-sided ring of electronics bays, some behind louvres, some in foil; tank and engine below."""
    angles = np.arange(SIDES) * (2.0 * np.pi / SIDES)
    height, middle = BUS_TOP - BUS_BOTTOM, (BUS_TOP + BUS_BOTTOM) / 2.0
    outline = [(BUS_RADIUS * np.cos(a), BUS_RADIUS * np.sin(a)) for a in angles]
    craft.prism(BLACK_FOIL, outline, height, (0.0, 0.0, middle))
    side = 2.0 * BUS_RADIUS * np.sin(np.pi / SIDES)
    for number, angle in enumerate(angles + np.pi / SIDES):
        turn, inner = about_z(angle), BUS_RADIUS * np.cos(np.pi / SIDES)
        at = turn @ np.array([inner + 0.02, 0.0, middle])
        if number % 3 == 0:
            craft.box(SLATE, (0.05, 0.86 * side, 0.84 * height), at, turn, bevel=0.015)
            for step in np.linspace(-0.34, 0.34, 7):  # louvres
                lift = turn @ np.array([0.035, 0.0, step * height])
                craft.box(MIRROR, (0.012, 0.76 * side, 0.075), at + lift, turn @ about_y(0.5))
        else:
            material = (GOLD_FOIL, AMBER_FOIL, WHITE)[number % 3]
            craft.box(material, (0.06, 0.86 * side, 0.86 * height), at, turn, bevel=0.02)
    craft.lathe(
        ALUMINIUM, [(0.99, BUS_BOTTOM - 0.02), (1.0, BUS_BOTTOM + 0.02), (0.97, BUS_BOTTOM + 0.05)], sides=SIDES
    )
    craft.lathe(ALUMINIUM, [(0.97, BUS_TOP - 0.05), (1.0, BUS_TOP - 0.02), (0.99, BUS_TOP + 0.02)], sides=SIDES)
    craft.sphere(GOLD_FOIL, 0.56, (0.0, 0.0, -0.86), sides=32)
    for number in range(4):
        turn = about_z(np.radians(90.0 * number + 45.0))
        craft.box(PAINT, (0.15, 0.18, 0.16), turn @ np.array([1.06, 0.0, -0.95]), turn, bevel=0.025)
        craft.tube(STEEL, turn @ np.array([0.60, 0.0, -0.8]), turn @ np.array([1.0, 0.0, -0.95]), 0.03)


def _generators(craft: MeshBuilder) -> None:
    """Three finned generators in a row at the end of a boom."""
    for y in (-0.16, 0.16):
        craft.tube(ALUMINIUM, (0.90, y, -0.42), (2.35, 0.3 * y, -0.62), 0.028)
    craft.tube(ALUMINIUM, (0.90, 0.0, -0.75), (2.35, 0.0, -0.66), 0.028)
    for number in range(3):
        middle = np.array([2.70 + 0.66 * number, 0.0, -0.64])
        craft.cylinder(SLATE, 0.15, 0.58, middle, Z_TO_X, sides=20)
        craft.cylinder(ORANGE, 0.16, 0.05, middle + np.array([0.30, 0.0, 0.0]), Z_TO_X, sides=20)
        for angle in np.arange(6) * np.pi / 3.0:
            fin = np.array([0.0, np.cos(angle), np.sin(angle)])
            turn = np.column_stack([(1.0, 0.0, 0.0), fin, np.cross((1.0, 0.0, 0.0), fin)])
            craft.box(SLATE, (0.52, 0.20, 0.018), middle + 0.22 * fin, turn)


def _magnetometer(craft: MeshBuilder) -> None:
    """A lattice boom with two sensors in foil."""
    craft.add(parts.truss(5.6, 0.26, 22, 0.013), (-0.90, 0.0, -0.50), turn_to((-1.0, 0.0, 0.0)))
    craft.cylinder(ALUMINIUM, 0.20, 0.30, (-0.98, 0.0, -0.50), Z_TO_X, sides=24)
    for x in (-4.1, -6.55):
        craft.box(SILVER_FOIL, (0.26, 0.22, 0.22), (x, 0.0, -0.50), bevel=0.03)


def _cameras(craft: MeshBuilder) -> None:
    """A scan platform: telescope, wide-angle camera, spectrometer, star tracker."""
    craft.tube(ALUMINIUM, (0.0, 0.90, -0.45), (0.0, 2.05, -0.35), 0.05)
    craft.tube(ALUMINIUM, (0.25, 0.88, -0.75), (0.03, 1.7, -0.42), 0.025)
    craft.cylinder(SLATE, 0.11, 0.26, (0.0, 2.08, -0.35), sides=20)
    craft.box(GOLD_FOIL, (0.52, 0.34, 0.42), (0.0, 2.34, -0.35), bevel=0.04)
    ahead = turn_to((0.0, 1.0, -0.15))
    for x, z, radius, length in ((-0.14, -0.28, 0.13, 0.62), (0.15, -0.25, 0.075, 0.34), (0.13, -0.45, 0.055, 0.26)):
        outline = [(radius, 0.0), (1.04 * radius, length), (0.9 * radius, length), (0.86 * radius, 0.5 * length)]
        craft.lathe(PAINT, outline, (x, 2.44, z), ahead, sides=24)
        craft.lathe(GLASS, [(0.87 * radius, 0.6 * length), (0.0, 0.6 * length)], (x, 2.44, z), ahead, sides=24)
    craft.box(GREEN_LAMP, (0.04, 0.04, 0.04), (0.24, 2.30, -0.12), bevel=0.01)
