"""Mass and inertia of the drawn bodies, part by part as `meshes` draws them."""

from collections.abc import Callable, Sequence

import numpy as np

from ..physics import MassProperties, rotation

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
Z_TO_X = rotation.from_axis_angle((0.0, 1.0, 0.0), np.pi / 2)
"""Rotates a part that lies along z onto x."""


def spacecraft() -> MassProperties:
    """2.7 t; least moment about the wings (x), middle one about the nose (z), greatest about the dish (y)."""
    return MassProperties.compound(
        [
            (MassProperties.cylinder(1350.0, 1.0, 2.2), (0.0, 0.0, -0.5), UPRIGHT),
            (MassProperties.cylinder(620.0, 0.75, 1.2), (0.0, 0.0, 1.2), UPRIGHT),
            (MassProperties.cylinder(190.0, 0.4, 0.8), (0.0, 0.0, -2.0), UPRIGHT),
            (MassProperties.box(250.0, (3.48, 0.05, 1.5)), (3.16, 0.0, -0.2), UPRIGHT),
            (MassProperties.box(250.0, (3.48, 0.05, 1.5)), (-3.16, 0.0, -0.2), UPRIGHT),
            (MassProperties.box(40.0, (1.2, 0.3, 1.2)), (0.0, 1.6, -0.45), UPRIGHT),
        ]
    )


def t_handle() -> MassProperties:
    """A bar of 56 kg and a stem of 20 kg; the stem's direction, nearly z, has the middle moment."""
    return MassProperties.compound(
        [
            (MassProperties.cylinder(56.0, 0.2, 2.8), (0.0, 0.0, 0.0), Z_TO_X),
            (MassProperties.cylinder(20.0, 0.17, 1.5), (0.0, 0.0, -0.75), UPRIGHT),
        ]
    )


def probe() -> MassProperties:
    """About 820 kg; the mass centre lies off the middle, towards the generators, and no body axis is quite principal."""
    return MassProperties.compound(
        [
            (MassProperties.cylinder(360.0, 0.95, 0.7), (0.0, 0.0, -0.5), UPRIGHT),
            (MassProperties.sphere(150.0, 0.56), (0.0, 0.0, -0.86), UPRIGHT),
            (MassProperties.cylinder(70.0, 1.85, 0.3), (0.0, 0.0, 0.35), UPRIGHT),
            (MassProperties.cylinder(40.0, 0.25, 0.7), (0.0, 0.0, -1.4), UPRIGHT),
            (MassProperties.cylinder(120.0, 0.2, 1.9), (3.36, 0.0, -0.64), Z_TO_X),
            (MassProperties.cylinder(20.0, 0.1, 5.8), (-3.8, 0.0, -0.5), Z_TO_X),
            (MassProperties.box(60.0, (0.5, 0.7, 0.5)), (0.0, 2.4, -0.35), UPRIGHT),
        ]
    )


def station() -> MassProperties:
    """About 100 t: the modules, the node between them, the truss with its arrays."""
    along_y = rotation.from_axis_angle((1.0, 0.0, 0.0), -np.pi / 2)
    return MassProperties.compound(
        [
            (MassProperties.cylinder(18e3, 2.2, 4.6), (0.0, 0.0, 0.0), UPRIGHT),
            (MassProperties.cylinder(20e3, 2.1, 8.8), (0.0, 0.0, 6.6), UPRIGHT),
            (MassProperties.cylinder(22e3, 2.1, 9.8), (0.0, 0.0, -7.1), UPRIGHT),
            (MassProperties.cylinder(9e3, 1.55, 6.0), (0.0, 5.2, 0.0), along_y),
            (MassProperties.cylinder(9e3, 1.55, 6.0), (0.0, -5.2, 0.0), along_y),
            (MassProperties.box(12e3, (37.0, 1.5, 1.5)), (0.0, 0.0, 0.0), UPRIGHT),
            *((MassProperties.box(2.5e3, (3.0, 0.1, 21.0)), (x, 0.0, 0.0), UPRIGHT) for x in (-16.4, -8.6, 8.6, 16.4)),
        ]
    )


def rocket_top() -> MassProperties:
    """About 940 kg, symmetric about the axle (z), which has the greatest moment; the mass centre is the middle of the wheel."""
    parts = [(MassProperties.cylinder(130.0, 0.34, 0.34), (0.0, 0.0, 0.0), UPRIGHT)]
    for angle in np.arange(16) * (np.pi / 8.0):
        turn = rotation.from_axis_angle((0.0, 0.0, 1.0), angle)
        parts.append((MassProperties.box(35.0, (0.26, 0.42, 0.26)), rotation.rotate(turn, (1.07, 0.0, 0.0)), turn))
    for sign in (-1.0, 1.0):
        parts.append((MassProperties.cylinder(30.0, 0.2, 0.4), (0.0, 0.0, 1.3 * sign), UPRIGHT))
        parts.append((MassProperties.cylinder(25.0, 0.15, 1.0), (0.0, 0.0, 0.6 * sign), UPRIGHT))
        for x, y in ((0.28, 0.28), (-0.28, 0.28), (-0.28, -0.28), (0.28, -0.28)):
            parts.append((MassProperties.sphere(17.0, 0.19), (x, y, 0.4 * sign), UPRIGHT))
    return MassProperties.compound(parts)


def drum_satellite() -> MassProperties:
    """1200 kg, symmetric about the spin axis (z), which has the greatest moment; the mass centre lies on it."""
    return MassProperties.compound(
        [
            (MassProperties.cylinder(1060.0, 1.32, 1.35), (0.0, 0.0, 0.0), UPRIGHT),
            (MassProperties.cylinder(40.0, 0.92, 0.24), (0.0, 0.0, 1.33), UPRIGHT),
            (MassProperties.cylinder(100.0, 0.34, 0.62), (0.0, 0.0, -1.1), UPRIGHT),
        ]
    )


def dart() -> MassProperties:
    """140 kg; least moment about the nose (z), greatest about the fin (y)."""
    return MassProperties.compound(
        [
            (MassProperties.cylinder(112.0, 0.3, 1.5), (0.0, 0.0, 0.0), UPRIGHT),
            (MassProperties.box(14.0, (0.7, 0.05, 0.6)), (0.64, 0.0, -0.4), UPRIGHT),
            (MassProperties.box(14.0, (0.7, 0.05, 0.6)), (-0.64, 0.0, -0.4), UPRIGHT),
        ]
    )


def cubesat() -> MassProperties:
    """4.1 kg in three units, with two panels of 0.2 kg; least moment about the long axis (z)."""
    return MassProperties.compound(
        [
            (MassProperties.box(3.7, (0.1, 0.1, 0.34)), (0.0, 0.0, 0.0), UPRIGHT),
            (MassProperties.box(0.2, (0.092, 0.003, 0.31)), (0.102, 0.044, 0.0), UPRIGHT),
            (MassProperties.box(0.2, (0.092, 0.003, 0.31)), (-0.102, 0.044, 0.0), UPRIGHT),
        ]
    )


def servicer() -> MassProperties:
    """About 640 kg without its arm: bus, tank, and a wing on one side, which moves the mass centre and tilts the principal axes."""
    return MassProperties.compound(
        [
            (MassProperties.box(430.0, (1.5, 1.2, 1.2)), (0.0, 0.0, 0.0), UPRIGHT),
            (MassProperties.sphere(150.0, 0.4), (-0.3, 0.0, -0.1), UPRIGHT),
            (MassProperties.box(46.0, (2.5, 1.1, 0.04)), (-2.45, 0.0, 0.1), UPRIGHT),
            (MassProperties.cylinder(14.0, 0.42, 0.15), (0.15, 0.25, -0.8), UPRIGHT),
        ]
    )


def client() -> MassProperties:
    """About 220 kg: a bus with two wings along y, an antenna, and the grapple fixture on top (z); no body axis is quite principal."""
    return MassProperties.compound(
        [
            (MassProperties.box(170.0, (0.9, 0.9, 1.2)), (0.0, 0.0, 0.0), UPRIGHT),
            (MassProperties.box(17.0, (0.75, 1.5, 0.03)), (0.0, 1.35, 0.05), UPRIGHT),
            (MassProperties.box(17.0, (0.75, 1.5, 0.03)), (0.0, -1.35, 0.05), UPRIGHT),
            (MassProperties.cylinder(12.0, 0.4, 0.15), (0.25, 0.1, -0.75), UPRIGHT),
            (MassProperties.cylinder(6.0, 0.12, 0.2), (0.0, 0.0, 0.65), UPRIGHT),
        ]
    )


def crate() -> MassProperties:
    """A uniform box; greatest moment about x, middle about y, least about z."""
    return MassProperties.box(480.0, (1.2, 2.0, 3.2))


def diagonal(*moments: float) -> Callable[[], MassProperties]:
    """A mass of 1 kg with these principal moments [kg·m²], real or not."""
    return lambda: MassProperties(1.0, moments, physical=False)


def from_numbers(numbers: Sequence[float], *, physical: bool) -> MassProperties:
    """A mass of 1 kg with three principal moments or the nine numbers of a tensor, row by row [kg·m²]."""
    if len(numbers) not in (3, 9):
        raise ValueError(
            f"--inertia must be 3 principal moments or the 9 numbers of a tensor [kg·m²]; got {len(numbers)} numbers"
        )
    return MassProperties(1.0, np.reshape(numbers, (3,) if len(numbers) == 3 else (3, 3)), physical=physical)
