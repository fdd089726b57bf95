"""A capsule on a service module: nose towards +z, solar wings along ±x, dish towards +y. `masses.spacecraft` weighs the same parts."""

import numpy as np

from ..drawing import (
    ALUMINIUM,
    AMBER_FOIL,
    BLACK_FOIL,
    BLUE,
    COPPER,
    DARK,
    GLASS,
    GOLD_FOIL,
    GREEN_LAMP,
    GREY,
    MIRROR,
    ORANGE,
    PAINT,
    RED_LAMP,
    SILVER_FOIL,
    SLATE,
    STEEL,
    WHITE,
    WHITE_LAMP,
    WINDOW_LIGHT,
    Z_TO_Y,
    MeshBuilder,
    Nozzle,
    about_y,
    about_z,
    parts,
)
from .port import Port

QUADS = np.radians([45.0, 135.0, 225.0, 315.0])
QUAD_HEIGHT = 0.1  # [m]
SLOPE = np.arctan2(0.46, 0.98)
"""Lean of the capsule's wall [rad]."""


def _quad(number: int) -> dict[str, Nozzle]:
    turn = about_z(QUADS[number])
    found = {}
    for name, place, direction in (
        ("fore", (1.13, 0.0, 0.30), (0.0, 0.0, 1.0)),
        ("aft", (1.13, 0.0, -0.30), (0.0, 0.0, -1.0)),
        ("left", (1.10, 0.27, 0.0), (0.0, 1.0, 0.0)),
        ("right", (1.10, -0.27, 0.0), (0.0, -1.0, 0.0)),
    ):
        position = turn @ place + np.array([0.0, 0.0, QUAD_HEIGHT])
        found[f"{name} {number + 1}"] = Nozzle(tuple(position), tuple(turn @ direction), 0.062)
    return found


NOZZLES = {
    "main": Nozzle((0.0, 0.0, -2.45), (0.0, 0.0, -1.0), 0.58),
    **{name: nozzle for number in range(4) for name, nozzle in _quad(number).items()},
}
"""The main engine, and four jets on each of the quads 1 to 4 at 45°, 135°, 225° and 315° from x: gas leaves to the nose ("fore"), to the
stern ("aft"), and round the hull anticlockwise ("left") and clockwise ("right") seen from the nose."""

PORT = Port((0.0, 0.0, 2.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0))
"""The docking ring at the nose; the dish is up."""


def build() -> MeshBuilder:
    """The whole craft, about 10 m across its wings."""
    ship = MeshBuilder()
    _service_module(ship)
    _capsule(ship)
    ship.add(parts.bell(NOZZLES["main"], 0.86))
    for azimuth in QUADS:
        _quad_housing(ship, about_z(azimuth))
    for name, nozzle in NOZZLES.items():
        if name != "main":
            ship.add(parts.jet(nozzle, 0.15))
    wing = parts.solar_wing(first=1.42, panel=1.12, panels=3, chord=1.5)
    ship.add(wing, (0.0, 0.0, -0.2))
    ship.add(wing, (0.0, 0.0, -0.2), about_y(np.pi))  # cells stay towards +y
    ship.add(parts.dish(0.62, 0.24, feed=0.40), (0.0, 1.48, -0.45), Z_TO_Y)
    ship.tube(ALUMINIUM, (0.0, 0.98, -0.45), (0.0, 1.46, -0.45), 0.04)
    ship.box(SLATE, (0.16, 0.10, 0.16), (0.0, 1.40, -0.45), bevel=0.02)
    ship.tube(DARK, (-0.35, -0.9, 0.2), (-0.42, -1.8, 0.28), 0.012, sides=8)
    return ship


def _service_module(ship: MeshBuilder) -> None:
    """Foil skirt, ribbed hull with radiators and equipment, tanks round the engine."""
    ship.lathe(BLACK_FOIL, [(0.0, -1.56), (0.86, -1.56)])
    ship.lathe(ALUMINIUM, [(0.86, -1.60), (0.94, -1.60), (0.98, -1.56), (0.98, -1.50)])
    ship.lathe(GOLD_FOIL, [(0.98, -1.50), (0.99, -0.95)])
    ship.lathe(ALUMINIUM, [(0.99, -0.97), (1.03, -0.95), (1.03, -0.88), (1.0, -0.86)])
    ship.lathe(WHITE, [(1.0, -0.86), (1.0, 0.46)])
    ship.lathe(BLUE, [(1.002, 0.36), (1.006, 0.37), (1.006, 0.42), (1.002, 0.43)])
    ship.lathe(ALUMINIUM, [(1.0, 0.46), (1.05, 0.50), (1.05, 0.59), (1.0, 0.63)])
    for angle in np.radians([0.0, 60.0, 120.0, 180.0, 240.0, 300.0]):
        side = np.array([np.cos(angle), np.sin(angle), 0.0])
        material = AMBER_FOIL if round(np.degrees(angle)) % 120 else SILVER_FOIL
        ship.sphere(material, 0.26, 0.60 * side + np.array([0.0, 0.0, -1.60]), sides=20)
        ship.tube(STEEL, 0.8 * side + np.array([0.0, 0.0, -1.58]), 0.2 * side + np.array([0.0, 0.0, -1.76]), 0.022)
    # Radiators: four curved plates between the quads, ribbed by their tubes.
    for middle in np.radians([90.0, 270.0]):
        arc = (middle - 0.50, middle + 0.50)
        plate = [(1.0, -0.78), (1.03, -0.77), (1.03, 0.28), (1.0, 0.29)]
        ship.lathe(MIRROR, plate, sides=14, arc=arc)
        for angle in np.linspace(*arc, 8):
            x, y = 1.035 * np.cos(angle), 1.035 * np.sin(angle)
            ship.tube(PAINT, (x, y, -0.77), (x, y, 0.28), 0.012, sides=6)
    ship.add(parts.fittings(1.0, -0.8, 0.30, 26, 0.085, seed=4))
    # The umbilical's fairing, and lamps: red to port, green to starboard.
    ship.box(PAINT, (0.16, 0.34, 0.62), (-0.98, 0.0, 0.62), bevel=0.04)
    for sign, lamp in ((-1.0, RED_LAMP), (1.0, GREEN_LAMP)):
        ship.box(SLATE, (0.06, 0.11, 0.11), (sign * 1.02, 0.30, 0.24), bevel=0.015)
        ship.box(lamp, (0.04, 0.06, 0.06), (sign * 1.055, 0.30, 0.24), bevel=0.012)


def _capsule(ship: MeshBuilder) -> None:
    """Heat shield's edge, cone with windows and a hatch, docking ring."""
    ship.lathe(DARK, [(1.0, 0.62), (1.04, 0.66), (1.02, 0.72), (0.985, 0.74)])
    ship.lathe(GREY, [(0.985, 0.74), (0.80, 1.134)])
    ship.lathe(PAINT, [(0.80, 1.134), (0.806, 1.14), (0.782, 1.19), (0.776, 1.19)])
    ship.lathe(GREY, [(0.776, 1.19), (0.54, 1.69)])
    ship.lathe(ALUMINIUM, [(0.54, 1.69), (0.55, 1.71), (0.53, 1.76), (0.47, 1.77)])
    ship.add(parts.docking_ring(0.40), PORT.position, PORT.matrix)
    for azimuth in np.radians([35.0, 145.0, 215.0, 325.0]):
        _on_wall(ship, parts.round_window(0.115, WINDOW_LIGHT if azimuth < 2.0 else GLASS), azimuth, 1.34)
    hatch = MeshBuilder()
    outline = [(x, y) for x, y in ((0.22, -0.28), (0.28, -0.2), (0.22, 0.24), (0.16, 0.3))]
    outline += [(-x, y) for x, y in outline[::-1]]
    hatch.prism(ALUMINIUM, [(1.12 * x, 1.12 * y) for x, y in outline], 0.05)
    hatch.prism(PAINT, outline, 0.08)
    hatch.add(parts.round_window(0.085, GLASS), (0.0, 0.10, 0.04))
    hatch.tube(STEEL, (-0.1, -0.12, 0.07), (0.1, -0.12, 0.07), 0.014, sides=8)
    _on_wall(ship, hatch, np.radians(90.0), 1.17)
    rail = MeshBuilder()
    rail.tube(COPPER, (0.0, -0.20, 0.05), (0.0, 0.20, 0.05), 0.012, sides=8)
    for y in (-0.19, 0.19):
        rail.tube(ALUMINIUM, (0.0, y, -0.02), (0.0, y, 0.05), 0.012, sides=6)
    for azimuth in np.radians([65.0, 115.0, 180.0, 0.0]):
        _on_wall(ship, rail, azimuth, 1.30)
    for azimuth in np.radians([250.0, 270.0, 290.0]):  # ports of the capsule's own jets
        port = MeshBuilder()
        port.lathe(STEEL, [(0.062, -0.02), (0.055, 0.018), (0.042, 0.018), (0.03, -0.03), (0.0, -0.03)], sides=18)
        _on_wall(ship, port, azimuth, 0.92)
    ship.box(ORANGE, (0.05, 0.30, 0.05), (0.0, -0.82, 1.05), about_z(np.pi / 2.0), bevel=0.015)
    ship.box(WHITE_LAMP, (0.05, 0.05, 0.03), (0.0, -0.50, 1.79), bevel=0.008)


def _on_wall(ship: MeshBuilder, part: MeshBuilder, azimuth: float, height: float) -> None:
    """A part that looks along its z and stands along its y, put on the capsule's cone."""
    out_along_x = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    turn = about_z(azimuth) @ about_y(-SLOPE) @ out_along_x
    radius = 0.985 - 0.47 * (height - 0.74)
    ship.add(part, about_z(azimuth) @ np.array([radius, 0.0, height]), turn)


def _quad_housing(ship: MeshBuilder, turn: np.ndarray) -> None:
    """The box that carries four jets, on a stub with its propellant lines."""
    at = turn @ np.array([1.09, 0.0, QUAD_HEIGHT])
    ship.box(PAINT, (0.20, 0.26, 0.30), at, turn, bevel=0.035)
    ship.box(SLATE, (0.10, 0.40, 0.44), turn @ np.array([1.01, 0.0, QUAD_HEIGHT]), turn, bevel=0.03)
    ship.box(ORANGE, (0.012, 0.10, 0.05), turn @ np.array([1.192, 0.0, QUAD_HEIGHT]), turn)
    ship.tube(STEEL, turn @ np.array([1.03, 0.12, -0.75]), turn @ np.array([1.03, 0.12, -0.1]), 0.016, sides=8)
