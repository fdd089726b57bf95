"""Random worlds in units from 1e-6 m to 1e12 m, and moved by more than 1e9 m.

The worlds are those of `tests.relations`: one to four bodies with springs, thrusters, gravity, drags, wheels and joints, by any method.
"""

import warnings
from dataclasses import replace

import numpy as np

from ..relations.relations import ROUNDING_OF_JOINTS
from ..relations.scenes import TICKS, apart, random_scene, same_bits, state_in_si
from ..truth import rotations
from .report import Figure

SPACING = 2.0**-23
"""Distance of neighbouring floats from 2**29 to 2**30 [m]."""
SHIFT = np.array([1e9, -7e8, 3e8])
"""Whole numbers, so that positions that are multiples of `SPACING` are moved exactly [m]."""
SPACINGS_PER_TICK = 4.0
"""Each addition to a position rounds by half a spacing, in the same direction where the velocity is constant, and free-rotor-4 adds
six times per tick. Springs and joints pass it on to velocities and rates, which are compared with as many spacings per tick."""
ROUNDING = 1e-12
"""Largest difference relative to the state, without joints."""


def scaled(number: int) -> tuple[bool, float, bool]:
    """One world in other units: kilograms and metres by up to a million and 1e12, seconds by up to a thousand.

    Returns:
        Whether units that are powers of two give other bits, the largest difference in any units relative to the state, and whether
        joints act. The solver of joints ends at a share of their size, so that they may take another round in other units.
    """
    rng = np.random.default_rng((7, number))
    scene = random_scene(number)
    here = scene.run()
    units = tuple(2.0 ** float(rng.integers(*bounds)) for bounds in ((-20, 21), (-20, 41), (-10, 11)))
    there = state_in_si(scene.in_units(*units).run(), *units)
    differs, off = not same_bits(here, there), apart(here, there)
    units = tuple(10.0 ** rng.uniform(*bounds) for bounds in ((-6.0, 6.0), (-6.0, 12.0), (-3.0, 3.0)))
    return differs, max(off, apart(here, state_in_si(scene.in_units(*units).run(), *units))), bool(scene.joints)


def moved(number: int) -> tuple[float, float]:
    """One world at another place, which starts at exactly the same relative positions.

    Returns:
        The largest differences of a coordinate, and of velocity, rates and attitude [SI], in spacings per tick.
    """
    scene = random_scene(number)
    near = replace(
        scene,
        position=np.round(scene.position / SPACING) * SPACING,
        center=np.round(scene.center / SPACING) * SPACING,
    )
    here = near.run()
    there = replace(near, position=near.position + SHIFT, center=near.center + SHIFT).run()
    off = np.abs(there["position"] - SHIFT - here["position"]).max()
    other = max(float(np.abs(there[name] - here[name]).max()) for name in ("velocity", "angular_velocity_body"))
    turned = float(rotations.angle(here["orientation"], there["orientation"]).max())
    return float(off) / SPACING / TICKS, max(other, turned) * scene.dt / SPACING


def run(worlds: int, seed: int) -> list[Figure]:
    """So many worlds, each with other units and at another place."""
    differ, worst = 0, np.zeros(4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(1000 * seed, 1000 * seed + worlds):
            differs, off, jointed = scaled(number)
            differ += differs and not jointed
            worst[int(jointed)] = max(worst[int(jointed)], off)
            worst[2:] = np.maximum(worst[2:], moved(number))
    return [
        Figure("worlds without joints whose bits depend on units that are powers of two", differ, 0),
        Figure("units from 1e-6 m to 1e12 m, without joints, relative", worst[0], ROUNDING),
        Figure("units from 1e-6 m to 1e12 m, with joints, relative", worst[1], ROUNDING_OF_JOINTS),
        Figure("coordinates 1e9 m away, spacings of float64 there per tick", worst[2], SPACINGS_PER_TICK),
        Figure("velocity, rates and attitude 1e9 m away, spacings per tick", worst[3], SPACINGS_PER_TICK),
    ]
