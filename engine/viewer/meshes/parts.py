"""Parts that several craft share: engines, jets, dishes, arrays, trusses, ports."""

import numpy as np

from .materials import (
    ALUMINIUM,
    BLACK_FOIL,
    DARK,
    DARK_CELLS,
    NIOBIUM,
    NOZZLE,
    ORANGE,
    PAINT,
    PANEL_BACK,
    SLATE,
    SOLAR_CELLS,
    SOOT,
    STEEL,
    WHITE,
)
from .mesh_builder import Material, MeshBuilder
from .nozzle import Nozzle
from .turns import Z_TO_X, about_y, about_z, turn_to

__all__ = ["bell", "dish", "docking_ring", "fittings", "jet", "round_window", "solar_wing", "truss"]


def bell(nozzle: Nozzle, length: float) -> MeshBuilder:
    """An engine that ends in this nozzle: a curved bell with cooling rings, its throat, and the chamber above.

    Example:
        >>> bell(Nozzle((0.0, 0.0, -1.0), (0.0, 0.0, -1.0), radius=0.1), 0.3).triangles().shape[1]
        14
    """
    part, radius = MeshBuilder(), nozzle.radius
    share = np.linspace(0.0, 1.0, 11)
    wall = [(radius * (0.26 + 0.74 * s**0.62), -length * (1.0 - s)) for s in share]  # from the throat to the exit
    part.lathe(NIOBIUM, wall, smooth=True, sides=40)
    part.ring(NOZZLE, radius, 0.07 * radius, sides=40)
    for s in (0.28, 0.50, 0.74):
        part.ring(STEEL, radius * (0.27 + 0.74 * s**0.62), 0.05 * radius, (0, 0, -length * (1.0 - s)), sides=40)
    throat, top = 0.26 * radius, -length
    part.lathe(SOOT, [(1.02 * throat, top), (0.0, top)], sides=24)
    chamber = [(0.0, top - 0.9 * radius), (0.36 * radius, top - 0.8 * radius), (0.42 * radius, top - 0.3 * radius)]
    part.lathe(STEEL, [*chamber, (throat, top)], smooth=True, sides=32)
    for angle in np.radians([20.0, 140.0, 260.0]):
        side = np.array([np.cos(angle), np.sin(angle), 0.0])
        at = 0.52 * radius * side + np.array([0.0, 0.0, top - 0.45 * radius])
        part.cylinder(SLATE, 0.13 * radius, 0.5 * radius, at, sides=14)
        part.tube(ALUMINIUM, at, 0.36 * radius * side + np.array([0.0, 0.0, -0.86 * length]), 0.05 * radius, sides=8)
    return _placed(part, nozzle)


def jet(nozzle: Nozzle, length: float) -> MeshBuilder:
    """A small thruster: a flared cone on a collar, dark inside.

    Example:
        >>> jet(Nozzle((0.0, 0.0, -1.0), (0.0, 0.0, -1.0), radius=0.02), 0.05).triangles().shape[1]
        14
    """
    part, radius = MeshBuilder(), nozzle.radius
    part.lathe(NOZZLE, [(0.36 * radius, -length), (0.62 * radius, -0.6 * length), (radius, 0.0)], smooth=True, sides=18)
    part.lathe(STEEL, [(radius, 0.0), (1.10 * radius, -0.02 * length), (1.02 * radius, -0.14 * length)][::-1], sides=18)
    part.lathe(SOOT, [(0.55 * radius, -0.72 * length), (0.0, -0.72 * length)], sides=14)
    part.cylinder(SLATE, 0.72 * radius, 0.3 * length, (0, 0, -length), sides=14)
    return _placed(part, nozzle)


def dish(radius: float, depth: float, *, feed: float, ribs: int = 8) -> MeshBuilder:
    """A parabolic antenna that looks along z from its vertex at the origin, its feed on struts at height `feed`.

    Example:
        >>> dish(0.5, 0.15, feed=0.2).triangles().shape[1]
        14
    """
    part = MeshBuilder()
    curve = [(radius * s, depth * s * s) for s in np.linspace(0.0, 1.0, 11)]
    part.lathe(WHITE, curve, smooth=True, sides=56)
    part.ring(ALUMINIUM, radius, 0.035 * radius, (0, 0, depth), sides=56)
    for angle in np.arange(ribs) * (2.0 * np.pi / ribs):
        side = np.array([np.cos(angle), np.sin(angle), 0.0])
        for inner, outer in ((0.15, 0.55), (0.55, 0.97)):
            start, end = (
                s * radius * side + np.array([0.0, 0.0, depth * s * s - 0.035 * radius]) for s in (inner, outer)
            )
            part.tube(ALUMINIUM, start, end, 0.014 * radius, sides=6)
    for angle in np.radians([90.0, 210.0, 330.0]):
        foot = 0.72 * radius * np.array([np.cos(angle), np.sin(angle), 0.0]) + np.array([0.0, 0.0, 0.52 * depth])
        part.tube(PAINT, foot, (0.0, 0.0, feed), 0.014 * radius, sides=8)
    part.lathe(ORANGE, [(0.0, feed - 0.14 * radius), (0.10 * radius, feed - 0.10 * radius), (0.07 * radius, feed)])
    part.lathe(ORANGE, [(0.07 * radius, feed), (0.0, feed + 0.03 * radius)])
    part.cylinder(SLATE, 0.20 * radius, 0.10 * radius, (0, 0, -0.06 * radius), sides=24)
    return part


def solar_wing(first: float, panel: float, panels: int, chord: float, cells: Material = SOLAR_CELLS) -> MeshBuilder:
    """A row of framed panels along +x on a yoke, cells towards +y, the first panel beginning at x = `first`.

    Example:
        >>> solar_wing(0.5, 1.0, 3, 0.8).triangles().shape[1]
        14
    """
    part, gap = MeshBuilder(), 0.06
    for side in (-1.0, 1.0):
        part.tube(ALUMINIUM, (0.62 * first, 0.0, 0.0), (first, 0.0, side * 0.36 * chord), 0.026)
    part.tube(ALUMINIUM, (0.0, 0.0, 0.0), (0.64 * first, 0.0, 0.0), 0.045)
    part.cylinder(SLATE, 0.085, 0.16, (0.62 * first, 0.0, 0.0), Z_TO_X, sides=20)
    for number in range(panels):
        middle = first + panel / 2 + number * (panel + gap)
        part.box(PANEL_BACK, (panel, 0.030, chord), (middle, -0.008, 0.0))
        # Strings of cells age unevenly: two blues, taking turns.
        for row, height in enumerate((-0.25 * chord, 0.25 * chord)):
            shade = DARK_CELLS if (row + number) % 2 and cells is SOLAR_CELLS else cells
            part.box(shade, (panel - 0.08, 0.012, 0.5 * chord - 0.05), (middle, 0.012, height))
        for side in (-1.0, 1.0):
            part.box(ALUMINIUM, (panel + 0.02, 0.055, 0.035), (middle, 0.0, side * chord / 2), bevel=0.01)
            part.box(ALUMINIUM, (0.03, 0.055, chord), (middle + side * panel / 2, 0.0, 0.0), bevel=0.008)
            part.tube(
                ALUMINIUM, (middle, -0.04, 0.0), (middle + side * 0.46 * panel, -0.04, 0.46 * chord), 0.013, sides=6
            )
            part.tube(
                ALUMINIUM, (middle, -0.04, 0.0), (middle + side * 0.46 * panel, -0.04, -0.46 * chord), 0.013, sides=6
            )
            if number:
                part.cylinder(DARK, 0.03, 0.09, (middle - panel / 2 - gap / 2, 0.0, side * 0.36 * chord), sides=10)
    return part


def truss(length: float, width: float, bays: int, thickness: float) -> MeshBuilder:
    """A lattice of three longerons along +z from the origin, with battens and one diagonal in each face of a bay.

    Example:
        >>> truss(4.0, 0.5, 8, 0.03).triangles().shape[1]
        14
    """
    part = MeshBuilder()
    corners = [0.577 * width * np.array([np.cos(a), np.sin(a), 0.0]) for a in np.radians([90.0, 210.0, 330.0])]
    up = np.array([0.0, 0.0, length / bays])
    for i, corner in enumerate(corners):
        other = corners[(i + 1) % 3]
        part.tube(ALUMINIUM, corner, corner + bays * up, thickness, sides=6)
        for bay in range(bays + 1):
            part.tube(ALUMINIUM, corner + bay * up, other + bay * up, 0.7 * thickness, sides=5)
            if bay < bays:
                ends = (corner, other + up) if bay % 2 else (other, corner + up)
                part.tube(STEEL, ends[0] + bay * up, ends[1] + bay * up, 0.5 * thickness, sides=5)
    return part


def docking_ring(radius: float, *, petals: int = 3) -> MeshBuilder:
    """A port that looks along z, its sealing face at the origin: tunnel, rings, guide petals leaning in, latches.

    Example:
        >>> docking_ring(0.6).triangles().shape[1]
        14
    """
    part = MeshBuilder()
    part.lathe(
        STEEL, [(1.16 * radius, -0.55 * radius), (1.16 * radius, -0.10 * radius), (1.06 * radius, 0.0)], sides=40
    )
    part.lathe(ALUMINIUM, [(1.06 * radius, 0.0), (0.82 * radius, 0.0), (0.78 * radius, -0.05 * radius)], sides=40)
    part.lathe(
        DARK, [(0.78 * radius, -0.05 * radius), (0.74 * radius, -0.42 * radius), (0.0, -0.42 * radius)], sides=40
    )
    part.cylinder(ALUMINIUM, 0.58 * radius, 0.06 * radius, (0.0, 0.0, -0.40 * radius), sides=32)
    for size in ((0.62, 0.05, 0.03), (0.05, 0.62, 0.03)):  # the cross by which a pilot lines up
        part.box(ORANGE, [radius * side for side in size], (0.0, 0.0, -0.365 * radius))
    part.add(round_window(0.10 * radius, SOOT), (0.30 * radius, 0.30 * radius, -0.37 * radius))
    part.ring(BLACK_FOIL, 0.94 * radius, 0.06 * radius, (0.0, 0.0, 0.015 * radius), sides=40)
    for angle in np.arange(petals) * (2.0 * np.pi / petals):
        at = about_z(angle) @ np.array([0.80 * radius, 0.0, 0.13 * radius])
        turn = about_z(angle) @ about_y(-0.42)
        part.box(ALUMINIUM, (0.05 * radius, 0.46 * radius, 0.34 * radius), at, turn, bevel=0.015 * radius)
    for angle in np.arange(8) * (np.pi / 4.0) + 0.39:
        at = about_z(angle) @ np.array([1.14 * radius, 0.0, -0.22 * radius])
        part.box(SLATE, (0.14 * radius, 0.16 * radius, 0.26 * radius), at, about_z(angle), bevel=0.02 * radius)
    return part


def round_window(radius: float, glass: Material) -> MeshBuilder:
    """A window that looks along z, its frame standing on the origin.

    Example:
        >>> round_window(0.2, PAINT).triangles().shape[1]
        14
    """
    part = MeshBuilder()
    part.lathe(
        ALUMINIUM, [(1.34 * radius, -0.1 * radius), (1.28 * radius, 0.14 * radius), (radius, 0.14 * radius)], sides=24
    )
    part.lathe(DARK, [(radius, 0.14 * radius), (0.96 * radius, 0.05 * radius)], sides=24)
    part.lathe(glass, [(0.96 * radius, 0.05 * radius), (0.0, 0.05 * radius)], sides=24)
    return part


def fittings(radius: float, bottom: float, top: float, count: int, size: float, seed: int) -> MeshBuilder:
    """Small boxes and pipes strewn over a hull about z: what makes a plain cylinder look like a machine.

    Example:
        >>> fittings(1.0, -0.5, 0.5, 12, 0.1, seed=3).triangles().shape[1]
        14
    """
    part, random = MeshBuilder(), np.random.default_rng(seed)
    for _ in range(count):
        turn = about_z(random.uniform(0.0, 2.0 * np.pi))
        across, along, out = size * random.uniform([0.4, 0.4, 0.12], [1.2, 1.6, 0.4])
        at = turn @ np.array([radius, 0.0, random.uniform(bottom + along, top - along)])
        if random.uniform() < 0.25:
            step = np.array([0.0, 0.0, 2.0 * along])
            part.tube(ALUMINIUM, at - step / 2.0, at + step / 2.0, 0.12 * size, sides=6)
        else:
            material = (WHITE, SLATE, ALUMINIUM, PAINT)[random.integers(4)]
            part.box(material, (out, across, along), at, turn, bevel=0.3 * out)
    return part


def _placed(part: MeshBuilder, nozzle: Nozzle) -> MeshBuilder:
    """A part whose exit is at the origin and looks along z, put where the nozzle is."""
    result = MeshBuilder()
    result.add(part, nozzle.position, turn_to(nozzle.direction))
    return result
