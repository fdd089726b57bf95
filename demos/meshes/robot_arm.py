"""A robot arm of six joints, link by link; each link lies along x from its joint, which is at the origin."""

import numpy as np

from ..drawing import (
    ALUMINIUM,
    BLACK_FOIL,
    DARK,
    GLASS,
    IDENTITY,
    ORANGE,
    PAINT,
    SLATE,
    STEEL,
    WHITE_LAMP,
    Z_TO_X,
    Z_TO_Y,
    Array,
    MeshBuilder,
    about_z,
)

ROOT = (0.42, 0.0, 0.60)
"""Where the arm stands on its craft [m], in the craft's axes."""
SHOULDER, UPPER_ARM, FOREARM, WRIST, TIP = 0.32, 1.5, 1.4, 0.26, 0.42
"""Distances from each joint to the next one, and from the last joint to the port of the gripper [m]."""

UPPER_RADIUS, FORE_RADIUS, WRIST_RADIUS = 0.085, 0.072, 0.09  # of the tubes [m]


def shoulder() -> MeshBuilder:
    """The turret on the deck, which turns about z and carries the shoulder's pitch joint."""
    link = MeshBuilder()
    link.cylinder(SLATE, 0.20, 0.06, (0.0, 0.0, 0.03), sides=40)
    link.cylinder(ORANGE, 0.165, 0.03, (0.0, 0.0, 0.075), sides=40)
    link.lathe(PAINT, [(0.16, 0.08), (0.15, 0.16), (0.11, 0.20)], sides=40)
    for side in (-1.0, 1.0):
        link.box(PAINT, (0.20, 0.045, 0.26), (0.0, side * 0.135, 0.5 * SHOULDER + 0.07), bevel=0.015)
        link.cylinder(SLATE, 0.115, 0.05, (0.0, side * 0.145, SHOULDER), Z_TO_Y, sides=32)
        link.cylinder(ALUMINIUM, 0.06, 0.02, (0.0, side * 0.178, SHOULDER), Z_TO_Y, sides=24)
    return link


def upper_arm() -> MeshBuilder:
    """From the shoulder's pitch joint to the elbow."""
    link = MeshBuilder()
    _knuckle(link, 0.105, 0.20)
    _tube(link, 0.06, UPPER_ARM - 0.11, UPPER_RADIUS)
    _fork(link, UPPER_ARM, 0.10, 0.16)
    # a camera on a bracket, which looks at the elbow
    link.box(SLATE, (0.12, 0.07, 0.08), (0.50, 0.0, UPPER_RADIUS + 0.05), bevel=0.015)
    link.lathe(DARK, [(0.03, 0.0), (0.034, 0.05), (0.026, 0.05)], (0.56, 0.0, UPPER_RADIUS + 0.05), Z_TO_X, sides=20)
    link.lathe(GLASS, [(0.028, 0.03), (0.0, 0.034)], (0.56, 0.0, UPPER_RADIUS + 0.05), Z_TO_X, sides=20)
    return link


def forearm() -> MeshBuilder:
    """From the elbow to the wrist."""
    link = MeshBuilder()
    _knuckle(link, 0.092, 0.15)
    _tube(link, 0.05, FOREARM - 0.10, FORE_RADIUS)
    _fork(link, FOREARM, 0.085, 0.13)
    return link


def wrist_pitch() -> MeshBuilder:
    """The first short link of the wrist; its end turns about z."""
    link = MeshBuilder()
    _knuckle(link, 0.08, 0.12)
    link.box(PAINT, (0.16, 0.11, 0.13), (0.11, 0.0, 0.0), bevel=0.02)
    _fork(link, WRIST, 0.08, 0.12, IDENTITY)
    return link


def wrist_yaw() -> MeshBuilder:
    """The second short link of the wrist; its end turns about x."""
    link = MeshBuilder()
    _knuckle(link, 0.075, 0.11, IDENTITY)
    link.box(PAINT, (0.15, 0.12, 0.10), (0.11, 0.0, 0.0), bevel=0.02)
    link.cylinder(SLATE, 0.085, 0.06, (0.20, 0.0, 0.0), Z_TO_X, sides=32)
    link.cylinder(ORANGE, 0.088, 0.02, (0.24, 0.0, 0.0), Z_TO_X, sides=32)
    return link


def gripper() -> MeshBuilder:
    """The last link: a drum with three fingers and lamps about its port, an open end that takes the pin of a fixture."""
    link = MeshBuilder()
    mouth = TIP - 0.03
    link.lathe(PAINT, [(0.0, 0.0), (0.085, 0.0), (WRIST_RADIUS, 0.02), (WRIST_RADIUS, 0.17)], turn=Z_TO_X, sides=36)
    link.lathe(ALUMINIUM, [(WRIST_RADIUS, 0.17), (0.115, 0.19), (0.115, 0.22)], turn=Z_TO_X, sides=36)
    outside = [(0.115, 0.22), (0.11, mouth - 0.02), (0.10, mouth), (0.085, mouth)]
    link.lathe(SLATE, outside, turn=Z_TO_X, sides=36)
    link.lathe(DARK, [(0.085, mouth), (0.08, 0.25), (0.0, 0.25)], turn=Z_TO_X, sides=36)
    link.ring(ORANGE, 0.112, 0.016, (mouth - 0.05, 0.0, 0.0), Z_TO_X, sides=36)
    for number in range(3):
        turn = _about_x(2.0 * np.pi / 3.0 * number + np.pi / 2.0)
        link.box(STEEL, (0.10, 0.03, 0.035), turn @ np.array([TIP - 0.055, 0.0, 0.125]), turn, bevel=0.008)
        link.box(WHITE_LAMP, (0.012, 0.02, 0.02), turn @ np.array([0.235, 0.06, 0.10]), turn)
    link.box(BLACK_FOIL, (0.10, 0.09, 0.05), (0.10, 0.0, WRIST_RADIUS + 0.02), bevel=0.01)
    link.lathe(GLASS, [(0.022, 0.0), (0.022, 0.012), (0.0, 0.016)], (0.15, 0.0, WRIST_RADIUS + 0.02), Z_TO_X, sides=18)
    return link


def _tube(link: MeshBuilder, start: float, end: float, radius: float) -> None:
    """A boom between two joints, in a white blanket with bands, its ends reinforced."""
    link.tube(PAINT, (start, 0.0, 0.0), (end, 0.0, 0.0), radius, sides=36)
    for at in (start + 0.09, end - 0.05):
        link.cylinder(SLATE, 1.12 * radius, 0.05, (at, 0.0, 0.0), Z_TO_X, sides=36)
    for at in np.linspace(start, end, 5)[1:-1]:
        link.cylinder(ALUMINIUM, 1.03 * radius, 0.025, (at, 0.0, 0.0), Z_TO_X, sides=36)
    middle = 0.5 * (start + end)
    link.cylinder(ORANGE, 1.035 * radius, 0.05, (middle + 0.12, 0.0, 0.0), Z_TO_X, sides=36)
    for side in (-0.4, 0.4):  # the cables of the motors
        y, z = 1.08 * radius * np.sin(side), 1.08 * radius * np.cos(side)
        link.tube(BLACK_FOIL, (start + 0.12, y, z), (end - 0.08, y, z), 0.010, sides=6)


def _knuckle(link: MeshBuilder, radius: float, width: float, turn: Array = Z_TO_Y) -> None:
    """The part of a joint at the start of a link, between the jaws of the fork before it; its axis is the z axis after the turn."""
    link.cylinder(ALUMINIUM, radius, width, turn=turn, sides=36)
    link.cylinder(ORANGE, 1.02 * radius, 0.3 * width, turn=turn, sides=36)


def _fork(link: MeshBuilder, at: float, radius: float, width: float, turn: Array = Z_TO_Y) -> None:
    """Two jaws at the end of a link, with the housings of the next joint."""
    axis = turn[:, 2]
    for side in (-1.0, 1.0):
        place = 0.5 * side * (width + 0.045) * axis
        end = np.array([at, 0.0, 0.0]) + place
        back = np.array([at - 1.5 * radius, 0.0, 0.0]) + 0.75 * place
        link.tube(SLATE, back, end - 0.3 * (end - back), 0.045, sides=14)
        link.cylinder(SLATE, 1.05 * radius, 0.045, end, turn, sides=36)
        link.cylinder(ALUMINIUM, 0.5 * radius, 0.02, end + 0.03 * side * axis, turn, sides=24)


def _about_x(angle: float) -> Array:
    """A turn about x [rad]."""
    return Z_TO_X @ about_z(angle) @ Z_TO_X.T
