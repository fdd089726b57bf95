"""Allocation of a torque to actuators that work in both directions, which are wheels and magnetorquers."""

from __future__ import annotations  # help() then shows them as written

from typing import NamedTuple

import numpy as np

from ..checks import FloatArray
from ..loops import thrust_allocation as kernel


class Efforts(NamedTuple):
    """Efforts of the actuators and the torque that they make."""

    values: list[float]
    """Effort of each actuator, between its limits."""
    torque_body: FloatArray
    """Torque of these efforts [N·m], body frame, shape (3,)."""
    fraction: float
    """Fraction of the wanted torque that is made, not counting the component that no effort can make, from 0 to 1."""
    is_cut: bool
    """Whether a part of the wanted torque is missing."""


def least_squares(columns: list[list[float]], lower: list[float], upper: list[float], wanted: list[float]) -> Efforts:
    """Efforts with the least sum of squares for a torque, or for as much of it as the limits allow, in the same direction.

    Args:
        columns: Torque per unit of effort of each actuator, body frame.
        lower: Smallest efforts, at most 0.
        upper: Largest efforts, at least 0.
        wanted: Wanted torque [N·m], body frame.
    """
    # each actuator is two, one per direction, of which at most one works
    limits = np.array([*upper, *lower])
    jets = np.zeros((kernel.JET_ROWS, len(limits)))
    jets[kernel.JET_TORQUE : kernel.JET_TORQUE + 3] = np.array([*columns, *columns]).T * limits
    jets[kernel.JET_COST] = limits * limits
    jets[kernel.JET_LEVEL] = np.where(limits == 0.0, 0.0, -1.0)
    cases = np.zeros((1, 9))
    cases[0, 3:6] = wanted
    count = len(columns)
    row = kernel.solve(jets, cases, True, True)[0]
    efforts, shares = limits.tolist(), row.tolist()
    values = [shares[i] * efforts[i] + shares[count + i] * efforts[count + i] for i in range(count)]
    made = row[2 * count :]
    torque = made[kernel.TORQUE : kernel.TORQUE + 3]
    return Efforts(values, torque, float(made[kernel.FRACTION]), bool(made[kernel.IS_CUT]))
