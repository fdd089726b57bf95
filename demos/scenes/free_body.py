"""Closed forms of torque-free rotation, for the demos' checks.

With the angular momentum L_k about each principal axis of moment I_k, ΣL_k² = L² and ΣL_k²/I_k = 2T are conserved. Both are linear in the
squares, so one square determines the other two, and its bounds are where one of them reaches zero.
Source: Landau and Lifshitz, Mechanics, section 37.
"""

import math

import numpy as np
import numpy.typing as npt

from ..physics import rotation

Array = npt.NDArray[np.float64]

EQUAL = 1e-9
"""Moments that differ relatively by less count as equal."""


def swing(moments: Array, momentum_body: Array, axis: int) -> tuple[float, float]:
    """Least and greatest angle [rad] between a principal axis and the angular momentum, over all time.

    Args:
        moments: Principal moments [kg·m²], shape (3,).
        momentum_body: Angular momentum [kg·m²/s] about each principal axis at any moment, shape (3,), not zero.
        axis: Which axis, 0 to 2.
    """
    squares = np.square(momentum_body)
    total, energy_doubled = float(squares.sum()), float((squares / moments).sum())
    low, high = 0.0, total
    for zero in range(3):
        other = 3 - axis - zero
        if zero == axis or _equal(moments[zero], moments[other]):
            continue
        # L_zero² as a + b·L_axis², after L_other² is eliminated; it cannot be negative.
        share = 1.0 / moments[zero] - 1.0 / moments[other]
        a = (energy_doubled - total / moments[other]) / share
        b = -(1.0 / moments[axis] - 1.0 / moments[other]) / share
        if b > 0.0:
            low = max(low, -a / b)
        elif b < 0.0:
            high = min(high, -a / b)
    others = [moments[i] for i in range(3) if i != axis]
    if _equal(others[0], others[1]):
        low = high = float(squares[axis])
    least, greatest = (math.acos(min(math.sqrt(square / total), 1.0)) for square in (high, max(low, 0.0)))
    if low <= EQUAL * total and not _equal(others[0], others[1]):
        return least, math.pi - least  # L_axis goes through zero and comes out with the other sign
    return (least, greatest) if momentum_body[axis] >= 0.0 else (math.pi - greatest, math.pi - least)


def period_of_rates(moments: Array, momentum_body: Array) -> float:
    """Seconds after which the body rates repeat; infinite where they stay or never return, as on the separatrix."""
    order = np.argsort(moments)
    i1, i2, i3 = (float(moments[k]) for k in order)
    squares = np.square(momentum_body)
    total, energy_doubled = float(squares.sum()), float((squares / moments).sum())
    if total < energy_doubled * i2:  # the polhode runs round the least axis: the same formula with 1 and 3 exchanged
        i1, i3 = i3, i1
    speed_squared = (i3 - i2) * (total - energy_doubled * i1) / (i1 * i2 * i3)
    if speed_squared <= 0.0:
        return math.inf
    modulus_squared = (i2 - i1) * (energy_doubled * i3 - total) / ((i3 - i2) * (total - energy_doubled * i1))
    if not modulus_squared < 1.0:
        return math.inf
    # Four quarter periods K = π / (2 agm(1, √(1 − k²))).
    a, b = 1.0, math.sqrt(1.0 - modulus_squared)
    while abs(a - b) > 1e-15 * a:
        a, b = (a + b) / 2.0, math.sqrt(a * b)
    return 2.0 * math.pi / (a * math.sqrt(speed_squared))


def polhode(moments: Array, momentum_body: Array, count: int) -> Array:
    """The closed curve that ω runs along in principal axes: where the ellipsoids ω·Iω = 2T and |Iω| = L meet.

    Args:
        moments: Principal moments [kg·m²], shape (3,).
        momentum_body: Angular momentum [kg·m²/s] about each principal axis at any moment, shape (3,), not zero.
        count: How many points.

    Returns:
        Angular velocities [rad/s] about the principal axes, shape (count, 3), the last equal to the first.
    """
    squares = np.square(momentum_body)
    total, energy_doubled = float(squares.sum()), float((squares / moments).sum())
    least, middle, greatest = (int(k) for k in np.argsort(moments))
    # The curve runs round the greatest axis or the least; with L_pole eliminated it is an ellipse in the other two.
    pole = greatest if total > energy_doubled * moments[middle] * (1.0 + EQUAL) else least
    phase = np.linspace(0.0, math.tau, count)
    momentum, excess = np.zeros((count, 3)), total - energy_doubled * moments[pole]
    for axis, wave in zip([k for k in range(3) if k != pole], (np.cos(phase), np.sin(phase)), strict=True):
        if not _equal(moments[axis], moments[pole]):
            momentum[:, axis] = math.sqrt(max(excess / (1.0 - moments[pole] / moments[axis]), 0.0)) * wave
    if (momentum**2).max() <= EQUAL * total:  # a steady spin, which need not be about the pole where moments are equal
        return np.tile(momentum_body / moments, (count, 1))
    left = np.maximum(total - np.square(momentum).sum(axis=1), 0.0)
    momentum[:, pole] = math.copysign(1.0, momentum_body[pole]) * np.sqrt(left)
    momentum[-1] = momentum[0]
    return momentum / moments


def upright(momentum_body: Array) -> Array:
    """The orientation (x, y, z, w) in which this angular momentum points along the world's z, up in the picture."""
    across = np.cross(momentum_body, (0.0, 0.0, 1.0))
    length = float(np.linalg.norm(across))
    angle = math.atan2(length, momentum_body[2])
    return rotation.from_rotation_vector(across / length * angle if length > 0.0 else (angle, 0.0, 0.0))


def _equal(a: float, b: float) -> bool:
    return abs(a - b) <= EQUAL * max(a, b)
