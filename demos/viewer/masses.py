"""Mass and inertia of the drawn bodies, part by part as `meshes` draws them."""

from collections.abc import Callable, Sequence

import numpy as np

from engine import MassProperties, rotation

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
Z_TO_X = rotation.from_axis_angle((0.0, 1.0, 0.0), np.pi / 2)
"""Turns a part that lies along z onto x."""


def spacecraft() -> MassProperties:
    """About 3.2 t; least moment about the wings (x), middle one about the nose (z), greatest about the dish (y)."""
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
