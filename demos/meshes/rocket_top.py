"""A heavy wheel on an axle along z with four jets at each end: Ganapathi's top with two rockets. `masses.rocket_top` weighs it."""

import numpy as np

from ..drawing import (
    ALUMINIUM,
    BRASS,
    DARK,
    GOLD_FOIL,
    ORANGE,
    PAINT,
    RED_LAMP,
    SILVER_FOIL,
    SLATE,
    STEEL,
    WHITE_LAMP,
    MeshBuilder,
    Nozzle,
    about_z,
    parts,
)

ARM = 1.30
"""Height of the upper collar's jets above the mass centre [m]; the lower ones are as far below."""

SIDES = np.array([(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)])
NOZZLES = {
    f"{end} {number + 1}": Nozzle((*(0.36 * side[:2]), sign * ARM), tuple(side), 0.085)
    for end, sign in (("upper", 1.0), ("lower", -1.0))
    for number, side in enumerate(SIDES)
}
"""Four jets round each end of the axle; the gas of number 1 leaves along x, of 2 along y, of 3 along −x, of 4 along −y."""


def build() -> MeshBuilder:
    """The whole top, 2.4 m across and 3 m high."""
    top = MeshBuilder()
    _wheel(top)
    for sign in (-1.0, 1.0):
        outline = [
            (0.34, 0.16),
            (0.24, 0.22),
            (0.15, 0.42),
            (0.13, 0.98),
            (0.20, 1.10),
            (0.21, 1.46),
            (0.15, 1.53),
            (0.0, 1.56),
        ]
        flip = np.diag([1.0, sign, sign])
        top.lathe(STEEL, outline[:3], turn=flip)
        top.lathe(PAINT, outline[2:4], turn=flip, sides=32)
        top.lathe(SLATE, outline[3:6], turn=flip, sides=32)
        top.lathe(ORANGE if sign > 0 else ALUMINIUM, outline[5:], turn=flip, smooth=True, sides=32)
        for height in (0.62, 0.78):
            top.ring(BRASS, 0.145, 0.035, (0.0, 0.0, sign * height), sides=32)
        for number in range(4):
            tank = about_z(np.radians(45.0 + 90.0 * number)) @ np.array([0.40, 0.0, 0.0])
            at = tank + np.array([0.0, 0.0, sign * 0.40])
            top.sphere(GOLD_FOIL if number % 2 else SILVER_FOIL, 0.19, at, sides=20)
            top.tube(STEEL, at, 0.42 * tank + np.array([0.0, 0.0, sign * 1.12]), 0.016, sides=8)
    for nozzle in NOZZLES.values():
        top.add(parts.jet(nozzle, 0.19))
    top.box(WHITE_LAMP, (0.05, 0.05, 0.04), (0.0, 0.0, 1.57), bevel=0.01)
    return top


def _wheel(top: MeshBuilder) -> None:
    """Rim in sixteen painted sectors, so that its turning is seen, six spokes, hub."""
    rim = [
        (0.98, -0.13),
        (1.14, -0.13),
        (1.20, -0.09),
        (1.20, 0.09),
        (1.14, 0.13),
        (0.98, 0.13),
        (0.94, 0.09),
        (0.94, -0.09),
        (0.98, -0.13),
    ]
    for sector in range(16):
        arc = (sector * np.pi / 8.0, (sector + 1) * np.pi / 8.0)
        top.lathe(ORANGE if sector == 0 else (PAINT, SLATE)[sector % 2], rim, sides=6, arc=arc)
    for height in (-0.06, 0.06):
        top.ring(BRASS, 1.205, 0.035, (0.0, 0.0, height), sides=72)
    for angle in np.arange(6) * np.pi / 3.0:
        turn = about_z(angle)
        top.box(STEEL, (0.72, 0.10, 0.09), turn @ np.array([0.62, 0.0, 0.0]), turn, bevel=0.02)
        for radius in (0.44, 0.84):
            top.cylinder(DARK, 0.03, 0.12, turn @ np.array([radius, 0.0, 0.0]), sides=10)
    top.cylinder(ALUMINIUM, 0.34, 0.34, sides=48)
    for angle in np.arange(12) * np.pi / 6.0:
        top.cylinder(SLATE, 0.018, 0.37, about_z(angle) @ np.array([0.29, 0.0, 0.0]), sides=8)
    top.box(RED_LAMP, (0.06, 0.10, 0.06), (1.20, 0.0, 0.0), bevel=0.015)
