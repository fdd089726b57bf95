"""A station: modules along z and y, a truss along x with arrays and radiators, four docking ports. `masses.station` weighs it."""

from itertools import pairwise

import numpy as np

from ..drawing import (
    ALUMINIUM,
    AMBER_FOIL,
    BLACK_FOIL,
    BLUE,
    COPPER_CELLS,
    CREAM,
    GOLD_FOIL,
    GREEN_LAMP,
    ORANGE,
    PAINT,
    RED_LAMP,
    SILVER_FOIL,
    SLATE,
    STEEL,
    WHITE,
    WHITE_LAMP,
    WINDOW_LIGHT,
    Z_TO_X,
    Material,
    MeshBuilder,
    about_y,
    about_z,
    parts,
    turn_to,
)
from .port import Port

RADIUS = 2.1  # of the large modules [m]
RING = 0.40  # of a docking ring, as at the nose of the capsule [m]


PORTS = {
    "upper": Port((0.0, 0.0, 11.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)),
    "lower": Port((0.0, 0.0, -12.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)),
    "front": Port((0.0, 8.2, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "rear": Port((0.0, -8.2, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0)),
}
"""The ports, in the station's axes; the craft's nose comes against them."""


def build() -> MeshBuilder:
    """The whole station, about 37 m along its truss."""
    whole = MeshBuilder()
    whole.add(_node())
    whole.add(_module(6.4, WHITE, RADIUS, seed=11), (0.0, 0.0, 2.2))
    whole.add(_module(7.4, CREAM, RADIUS, seed=12), (0.0, 0.0, -2.2), about_y(np.pi))
    for sign in (-1.0, 1.0):
        whole.add(
            _module(4.4, WHITE if sign > 0 else AMBER_FOIL, 1.55, seed=13),
            (0.0, sign * 2.2, 0.0),
            turn_to((0, sign, 0)),
        )
        _truss_side(whole, sign)
    for port in PORTS.values():
        _add_port(whole, port)
    _arm(whole)
    whole.add(parts.dish(1.1, 0.36, feed=0.62), (2.5, 1.5, 3.9), turn_to((0.5, 0.3, 0.8)))
    whole.tube(ALUMINIUM, (1.5, 0.9, 3.2), (2.47, 1.47, 3.85), 0.07)
    return whole


def _module(length: float, skin: Material, radius: float, seed: int) -> MeshBuilder:
    """A cylinder along +z from its end at the origin, coned at both ends, with rings, rails, windows and what hangs outside."""
    part = MeshBuilder()
    end, top = 0.16 * length, length
    part.lathe(ALUMINIUM, [(0.50 * radius, 0.0), (0.62 * radius, 0.05), (radius, end)])
    part.lathe(skin, [(radius, end), (radius, top - end)], sides=56)
    part.lathe(ALUMINIUM, [(radius, top - end), (0.62 * radius, top - 0.05), (0.50 * radius, top)])
    for height in (end, 0.5 * length, top - end):
        part.ring(ALUMINIUM, radius, 0.13, (0.0, 0.0, height), sides=56)
    part.lathe(BLUE, [(radius + 0.01, top - 1.5 * end), (radius + 0.01, top - 1.3 * end)], sides=56)
    for angle in np.arange(16) * np.pi / 8.0:  # ribs of the cones, every fourth one a rail
        side = np.array([np.cos(angle), np.sin(angle), 0.0])
        for near, far in ((0.05, end), (top - 0.05, top - end)):
            inner, outer = (
                share * side + np.array([0.0, 0.0, z]) for share, z in ((0.64 * radius, near), (0.99 * radius, far))
            )
            part.tube(ORANGE if round(angle / np.pi * 8.0) % 4 == 0 else STEEL, inner, outer, 0.035, sides=6)
    for height in (0.55 * end, top - 0.55 * end):
        part.ring(SLATE, 0.815 * radius, 0.10, (0.0, 0.0, height), sides=48)
    for angle in np.radians([40.0, 130.0, 220.0, 310.0]):
        x, y = (radius + 0.10) * np.cos(angle), (radius + 0.10) * np.sin(angle)
        part.tube(ORANGE, (x, y, 1.1 * end), (x, y, top - 1.1 * end), 0.03, sides=8)
    part.add(parts.fittings(radius, 1.1 * end, top - 1.1 * end, 60, 0.24, seed))
    for angle in np.radians([75.0, 105.0, 255.0]):
        side = np.array([np.cos(angle), np.sin(angle), 0.0])
        for share in (0.38, 0.62):
            part.add(parts.round_window(0.22, WINDOW_LIGHT), radius * side + [0.0, 0.0, share * length], turn_to(side))
    return part


def _node() -> MeshBuilder:
    """The hub that joins the modules and carries the truss."""
    part = MeshBuilder()
    outline = [(1.1, -2.3), (1.5, -2.0), (2.25, -1.4), (2.25, 1.4), (1.5, 2.0), (1.1, 2.3)]
    part.lathe(SILVER_FOIL, outline[:3], sides=56)
    part.lathe(WHITE, outline[2:4], sides=56)
    part.lathe(SILVER_FOIL, outline[3:], sides=56)
    for height in (-1.4, 1.4):
        part.ring(ALUMINIUM, 2.25, 0.16, (0.0, 0.0, height), sides=56)
    for direction in ((1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0)):
        part.cylinder(ALUMINIUM, 1.15, 1.4, 1.9 * np.array(direction), turn_to(direction), sides=40)
    part.add(parts.fittings(2.25, -1.3, 1.3, 46, 0.22, seed=5))
    return part


def _truss_side(whole: MeshBuilder, sign: float) -> None:
    """Half of the truss with two pairs of wings and two radiators."""
    along = turn_to((sign, 0.0, 0.0))
    whole.add(parts.truss(16.0, 1.5, 11, 0.06), (sign * 2.5, 0.0, 0.0), along)
    for x in (8.6, 16.4):
        at = np.array([sign * x, 0.0, 0.0])
        whole.cylinder(PAINT, 1.0, 0.8, at, Z_TO_X, sides=32)
        whole.cylinder(GOLD_FOIL, 1.04, 0.35, at, Z_TO_X, sides=32)
        for up in (-1.0, 1.0):
            wing = parts.solar_wing(first=2.0, panel=2.1, panels=4, chord=3.0, cells=COPPER_CELLS)
            whole.add(wing, at, np.column_stack([(0, 0, up), (0, 1, 0), (-up, 0, 0)]).astype(float))
    for x in (4.8, 12.5):
        whole.add(_radiator(), (sign * x, -0.7, 0.0))
        whole.box(BLACK_FOIL, (1.1, 1.0, 1.0), (sign * (x + 1.6), 0.3, 0.1), bevel=0.08)
        whole.box(WHITE, (0.8, 0.9, 0.8), (sign * (x - 1.2), 0.2, -0.1), bevel=0.06)
    lamp = RED_LAMP if sign < 0 else GREEN_LAMP
    whole.box(SLATE, (0.3, 0.7, 0.7), (sign * 18.6, 0.0, 0.0), bevel=0.06)
    whole.box(lamp, (0.2, 0.24, 0.24), (sign * 18.8, 0.0, 0.0), bevel=0.04)


def _radiator() -> MeshBuilder:
    """Folding panels along −y, edge on to x."""
    part = MeshBuilder()
    for number in range(5):
        y = -0.9 - 1.25 * number
        part.box(PAINT, (0.05, 1.18, 2.6), (0.0, y, 0.0), bevel=0.012)
        for z in (-0.86, 0.0, 0.86):
            part.box(STEEL, (0.075, 1.10, 0.05), (0.0, y, z))
    for z in (-0.5, 0.5):
        part.tube(ALUMINIUM, (0.0, 0.2, z), (0.0, -6.4, z), 0.035, sides=8)
    return part


def _add_port(whole: MeshBuilder, port: Port) -> None:
    """A docking adapter, marked by a ring of lamps, reaching back to its module."""
    part = MeshBuilder()
    part.add(parts.docking_ring(RING))
    part.lathe(BLACK_FOIL, [(1.0, -2.6), (0.95, -1.9), (0.72, -0.7), (0.52, -0.20), (0.46, -0.20)], smooth=True)
    part.ring(ALUMINIUM, 0.96, 0.12, (0.0, 0.0, -1.9), sides=40)
    part.ring(ORANGE, 0.60, 0.08, (0.0, 0.0, -0.42), sides=40)
    for angle in np.arange(8) * np.pi / 4.0:
        at = about_z(angle) @ np.array([0.66, 0.0, -0.36])
        part.box(WHITE_LAMP, (0.07, 0.07, 0.05), at, about_z(angle), bevel=0.012)
    whole.add(part, port.position, port.matrix)


def _arm(whole: MeshBuilder) -> None:
    """A jointed manipulator, folded over the upper module."""
    joints = np.array([(1.6, 1.5, 4.0), (2.3, 2.5, 4.4), (3.4, 3.3, 8.2), (2.2, 4.6, 11.2), (1.9, 4.2, 12.0)])
    for start, end in pairwise(joints):
        whole.tube(PAINT, start, end, 0.15, sides=16)
        whole.tube(SLATE, start + 0.46 * (end - start), start + 0.52 * (end - start), 0.158, sides=16)
    for joint in joints[1:-1]:
        whole.cylinder(SLATE, 0.26, 0.56, joint, turn_to((0.5, 0.8, 0.1)), sides=24)
    whole.cylinder(ALUMINIUM, 0.22, 0.35, joints[-1], turn_to(joints[-1] - joints[-2]), sides=20)
