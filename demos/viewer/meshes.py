"""The things that are drawn, each made by a function from simple solids, in metres and in body axes."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from demos.viewer.mesh_builder import CELLS, FOIL, GLOW, IDENTITY, SEAMS, Z_TO_X, Z_TO_Y, Array, Material, MeshBuilder

WHITE = Material((0.78, 0.79, 0.80), 0.05, 0.45, SEAMS)
GREY = Material((0.30, 0.31, 0.33), 0.35, 0.45, SEAMS)
ALUMINIUM = Material((0.80, 0.81, 0.83), 0.9, 0.32)
STEEL = Material((0.62, 0.64, 0.67), 1.0, 0.24)
BRASS = Material((0.85, 0.58, 0.22), 1.0, 0.26)
DARK = Material((0.045, 0.047, 0.055), 0.3, 0.4)
GLASS = Material((0.01, 0.015, 0.03), 0.2, 0.06)
GOLD_FOIL = Material((0.95, 0.60, 0.17), 1.0, 0.28, FOIL)
SOLAR_CELLS = Material((0.010, 0.024, 0.085), 0.45, 0.20, CELLS)
PANEL_BACK = Material((0.42, 0.43, 0.45), 0.1, 0.7, SEAMS)
NOZZLE = Material((0.26, 0.22, 0.20), 0.95, 0.36)
ORANGE = Material((0.80, 0.20, 0.03), 0.0, 0.5)
RED_LAMP = Material((1.0, 0.10, 0.05), 0.0, 0.5, GLOW)
GREEN_LAMP = Material((0.1, 1.0, 0.25), 0.0, 0.5, GLOW)
LUMINOUS = Material((1.0, 1.0, 1.0), 0.0, 0.5, GLOW)


def spacecraft() -> MeshBuilder:
    """A capsule on a service module: nose towards +z, solar wings along ±x, dish towards +y. `masses.spacecraft` weighs the same parts."""
    ship = MeshBuilder()
    # Service module: foil skirt, white hull, a dark band below the capsule.
    ship.lathe(GOLD_FOIL, [(0.0, -1.6), (0.92, -1.6), (1.0, -1.5), (1.0, -0.95)])
    ship.lathe(ALUMINIUM, [(1.0, -0.95), (1.03, -0.93), (1.03, -0.87), (1.0, -0.85)])
    ship.lathe(WHITE, [(1.0, -0.85), (1.0, 0.5)])
    ship.lathe(ALUMINIUM, [(1.0, 0.5), (1.04, 0.52), (1.04, 0.6), (1.0, 0.62)])
    # Capsule: heat shield edge, cone, docking ring, hatch.
    ship.lathe(DARK, [(1.0, 0.62), (1.03, 0.66), (0.98, 0.74)])
    ship.lathe(GREY, [(0.98, 0.74), (0.52, 1.72)])
    ship.lathe(ALUMINIUM, [(0.52, 1.72), (0.46, 1.76), (0.46, 1.95), (0.40, 2.0), (0.34, 2.0), (0.34, 1.9)])
    ship.lathe(DARK, [(0.34, 1.9), (0.0, 1.93)])
    slope = np.arctan2(0.46, 0.98)
    for azimuth in np.radians([35.0, 145.0, 215.0, 325.0]):
        turn = _about_z(azimuth) @ _about_y(-slope)
        at = _about_z(azimuth) @ np.array([0.985 - 0.47 * 0.55, 0.0, 1.28])
        ship.box(ALUMINIUM, (0.03, 0.32, 0.26), at, turn)
        ship.box(GLASS, (0.05, 0.26, 0.20), at, turn)
    # Engine: a bell with a throat.
    bell = [(0.20, -1.58), (0.17, -1.68), (0.27, -1.82), (0.39, -1.98), (0.50, -2.18), (0.57, -2.42)]
    ship.lathe(NOZZLE, bell[::-1], smooth=True)
    ship.lathe(ALUMINIUM, [(0.57, -2.45), (0.595, -2.42), (0.57, -2.38)])
    # Thruster quads, with lamps beside them: red to port, green to starboard.
    for azimuth in np.radians([45.0, 135.0, 225.0, 315.0]):
        turn = _about_z(azimuth)
        ship.box(GREY, (0.14, 0.26, 0.30), turn @ np.array([1.06, 0.0, 0.1]), turn)
        for sign in (-1.0, 1.0):
            flip = IDENTITY if sign > 0 else np.diag([1.0, -1.0, -1.0])
            ship.lathe(
                NOZZLE,
                [(0.07, 0.1), (0.025, 0.0)],
                turn @ np.array([1.09, 0.0, 0.1 + sign * 0.15]),
                turn @ flip,
                sides=16,
            )
    ship.box(RED_LAMP, (0.05, 0.05, 0.05), (-1.05, 0.25, 0.32))
    ship.box(GREEN_LAMP, (0.05, 0.05, 0.05), (1.05, 0.25, 0.32))
    for sign in (-1.0, 1.0):
        _solar_wing(ship, sign, first=1.42, panel=1.12, panels=3, chord=1.5, height=-0.2)
    # Dish on a boom.
    ship.cylinder(ALUMINIUM, 0.035, 0.55, (0.0, 1.22, -0.45), Z_TO_Y, sides=12)
    ship.lathe(
        WHITE, [(0.62 * i / 8, 0.24 * (i / 8) ** 2) for i in range(9)][::-1], (0.0, 1.48, -0.45), Z_TO_Y, smooth=True
    )
    ship.cylinder(DARK, 0.012, 0.36, (0.0, 1.66, -0.45), Z_TO_Y, sides=8)
    ship.cylinder(ORANGE, 0.05, 0.07, (0.0, 1.85, -0.45), Z_TO_Y, sides=16)
    # A whip antenna.
    ship.cylinder(DARK, 0.012, 0.9, (-0.35, -1.35, 0.2), Z_TO_Y, sides=8)
    return ship


def t_handle() -> MeshBuilder:
    """The T-handle of the space-station films: bar along x, stem along −z. `masses.t_handle` weighs the same parts."""
    handle = MeshBuilder()
    handle.cylinder(STEEL, 0.20, 2.8, (0, 0, 0), Z_TO_X)
    for sign in (-1.0, 1.0):
        handle.cylinder(BRASS, 0.235, 0.34, (sign * 1.32, 0, 0), Z_TO_X)
        handle.cylinder(DARK, 0.212, 0.10, (sign * 0.62, 0, 0), Z_TO_X)
    handle.cylinder(BRASS, 0.27, 0.22, (0, 0, -0.27))
    handle.cylinder(STEEL, 0.17, 1.5, (0, 0, -0.75))
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
    body.lathe(ALUMINIUM, [(0.30, 0.66), (0.12, 0.74), (0.05, 1.5), (0.0, 1.52)])
    body.lathe(WHITE, [(0.42 * i / 8, 0.16 * (i / 8) ** 2) for i in range(9)][::-1], (0, 0, 1.35), smooth=True)
    body.lathe(NOZZLE, [(0.30, -0.72), (0.12, -0.4)], smooth=True)
    body.box(ORANGE, (0.62, 0.20, 0.04), (1.16, 0.0, 0.43))
    body.box(RED_LAMP, (0.09, 0.09, 0.09), (1.44, 0.0, 0.46))
    return body


def crate() -> MeshBuilder:
    """A box of 1.2 × 2.0 × 3.2 m wrapped in foil, with the fittings of a small satellite. `masses.crate` weighs the box."""
    body = MeshBuilder()
    body.box(GOLD_FOIL, (1.2, 2.0, 3.2))
    for x in (-0.6, 0.6):
        for y in (-1.0, 1.0):
            body.box(ALUMINIUM, (0.07, 0.07, 3.26), (x, y, 0))
        for z in (-1.6, 1.6):
            body.box(ALUMINIUM, (0.07, 2.06, 0.07), (x, 0, z))
    for y in (-1.0, 1.0):
        for z in (-1.6, 1.6):
            body.box(ALUMINIUM, (1.26, 0.07, 0.07), (0, y, z))
    for z in (-0.78, 0.78):
        body.box(SOLAR_CELLS, (0.02, 1.7, 1.38), (0.61, 0, z))
    body.box(WHITE, (0.02, 1.5, 1.1), (-0.61, 0, 0.75))
    body.box(GREY, (0.03, 1.0, 0.7), (-0.61, 0, -0.6))
    body.lathe(WHITE, [(0.45 * i / 8, 0.18 * (i / 8) ** 2) for i in range(9)][::-1], (0, 0.25, 1.66), smooth=True)
    body.cylinder(ORANGE, 0.04, 0.06, (0, 0.25, 1.98), sides=16)
    body.lathe(NOZZLE, [(0.34, -2.05), (0.26, -1.85), (0.12, -1.6)], smooth=True)
    body.cylinder(GLASS, 0.17, 0.3, (0.1, -1.1, 0.9), Z_TO_Y)
    body.cylinder(ALUMINIUM, 0.20, 0.16, (0.1, -1.06, 0.9), Z_TO_Y)
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


def _solar_wing(
    ship: MeshBuilder, sign: float, *, first: float, panel: float, panels: int, chord: float, height: float
) -> None:
    """A row of framed panels along ±x, cells towards +y."""
    gap = 0.06
    ship.cylinder(ALUMINIUM, 0.045, first - 0.9, (sign * (first + 0.9) / 2, 0, height), Z_TO_X, sides=14)
    for number in range(panels):
        middle = sign * (first + panel / 2 + number * (panel + gap))
        ship.box(PANEL_BACK, (panel, 0.030, chord), (middle, -0.008, height))
        ship.box(SOLAR_CELLS, (panel - 0.07, 0.012, chord - 0.07), (middle, 0.012, height))
        for side in (-1.0, 1.0):
            ship.box(ALUMINIUM, (panel + gap, 0.05, 0.035), (middle, 0, height + side * chord / 2))
            ship.box(ALUMINIUM, (0.03, 0.05, chord), (middle + side * panel / 2, 0, height))


def _about_z(angle: float) -> Array:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])


def _about_y(angle: float) -> Array:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([[cosine, 0.0, sine], [0.0, 1.0, 0.0], [-sine, 0.0, cosine]])


MESHES: dict[str, Callable[[], MeshBuilder]] = {
    "spacecraft": spacecraft,
    "t-handle": t_handle,
    "drum": drum,
    "crate": crate,
    "arrow-shaft": arrow_shaft,
    "arrow-head": arrow_head,
}


def triangles(name: str) -> npt.NDArray[np.float32]:
    """The vertices of one mesh, shape (n, 14)."""
    return MESHES[name]().triangles()
