"""Symmetric tensors as six numbers (xx, yy, zz, xy, xz, yz), and the sums over points that they are computed from.

Only + − × ÷ √ and exactly rounded sums are used, so that a body has the same bits on every machine.
"""

import math
from collections.abc import Iterable

import numpy as np

from ..checks import FloatArray, refuse
from ..compilation.compiler import plain
from ..kernels import quaternions, tensors
from ..kernels.vectors import Symmetric, Vector

MATRIX_OF_SIX = np.array(((0, 3, 4), (3, 1, 5), (4, 5, 2)))
"""Where the elements of the matrix stand among the six numbers."""

# The plain Python functions, because the compiled ones would cost a compilation here.
_rotate = plain(quaternions.rotate)
_inverse, _principal = plain(tensors.inverse), plain(tensors.principal)


def exact_sums(terms: FloatArray) -> FloatArray:
    """Sum of each column, shape (n, k) to (k,), rounded once, so that it does not depend on the machine or the row order."""
    return np.array([math.fsum(column) for column in terms.T.tolist()])


def power_of_two(largest: float) -> float:
    """The power of two that scales this number to between one and two; dividing by it loses no digit."""
    return math.ldexp(1.0, math.frexp(largest)[1] - 1)


def refuse_unless_finite(
    values: Iterable[float],
    argument: str,
    shown: object,
    owner: str,
    rule: str = "finite",
    hint: str = "the sizes or the mass are too large for float64",
) -> None:
    """Reject an argument that led to values that overflow."""
    if not all(map(math.isfinite, values)):
        refuse(owner, argument, shown, rule, hint=hint)


def gathered(
    masses: FloatArray, positions: FloatArray, argument: str, owner: str
) -> tuple[float, list[float], list[float]]:
    """Total mass [kg], mass centre [m] and mean of xx, yy, zz, xy, xz, yz about it [m²] of point masses."""
    unit_mass = power_of_two(float(masses.max()))
    scaled = masses / unit_mass
    total = exact_sums(scaled[:, np.newaxis])[0]
    share = (scaled / total)[:, np.newaxis]

    # Offsets from the point nearest to the mass centre: coinciding points have exactly zero inertia, distant ones keep
    # their digits, and the reference adds at most as much as the sums themselves. Ties go by coordinates, not by row.
    rule = "so close to each other and to the origin that every distance is finite"
    refuse_unless_finite(positions.ravel().tolist(), argument, positions.tolist(), owner, rule, hint="")
    with np.errstate(over="ignore"):
        around = positions - exact_sums(share * positions)
        around /= power_of_two(float(np.abs(around).max()))
        distances = np.square(around[:, 0]) + np.square(around[:, 1]) + np.square(around[:, 2])
        reference = positions[np.lexsort((*positions.T, distances))[0]]
        offsets = positions - reference
    refuse_unless_finite(offsets.ravel().tolist(), argument, positions.tolist(), owner, rule, hint="")

    unit = power_of_two(float(np.abs(offsets).max()))
    offsets /= unit
    center = exact_sums(share * offsets)
    i, j = np.array([0, 1, 2, 0, 0, 1]), np.array([0, 1, 2, 1, 2, 2])
    spread = exact_sums(share * (offsets[:, i] * offsets[:, j])) - center[i] * center[j]
    return (
        float(total) * unit_mass,
        [float(at) + float(more) * unit for at, more in zip(reference, center, strict=True)],
        [float(value) * unit * unit for value in spread],
    )


def from_spread(mass: float, spread: Iterable[float], divisor: float = 1.0) -> Symmetric:
    """Inertia tensor from the means of xx, yy, zz and, unless they vanish, xy, xz, yz over the mass, times the divisor.

    The division comes last, so that a box of 1200 kg and whole metres has whole moments.
    """
    xx, yy, zz, xy, xz, yz = (*spread, 0.0, 0.0, 0.0)[:6]
    diagonal = mass * (yy + zz) / divisor, mass * (xx + zz) / divisor, mass * (xx + yy) / divisor
    return *diagonal, -mass * xy / divisor, -mass * xz / divisor, -mass * yz / divisor


def turned_axes(q: quaternions.Quaternion) -> list[Vector]:
    """Images of x, y and z, the columns of the rotation matrix."""
    return [_rotate(q, 2.0, axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]


def turned_vector(columns: list[Vector], a: list[float]) -> list[float]:
    """R a."""
    x, y, z = columns
    return [x[i] * a[0] + y[i] * a[1] + z[i] * a[2] for i in range(3)]


def turned_tensor(columns: list[Vector], tensor: Symmetric) -> Symmetric:
    """R I Rᵀ."""
    xx, yy, zz, xy, xz, yz = tensor
    rows = list(zip(*columns, strict=True))
    half = [
        (r[0] * xx + r[1] * xy + r[2] * xz, r[0] * xy + r[1] * yy + r[2] * yz, r[0] * xz + r[1] * yz + r[2] * zz)
        for r in rows
    ]
    a, b, c, d, e, f = (
        half[i][0] * rows[j][0] + half[i][1] * rows[j][1] + half[i][2] * rows[j][2]
        for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    )
    return a, b, c, d, e, f


def matrix(tensor: Symmetric) -> FloatArray:
    """The tensor as an array, shape (3, 3)."""
    xx, yy, zz, xy, xz, yz = tensor
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def without_negative_zero(tensor: Symmetric) -> Symmetric:
    """The tensor with −0 replaced by 0."""
    a, b, c, d, e, f = (value + 0.0 for value in tensor)
    return a, b, c, d, e, f


def is_diagonal(tensor: Symmetric, tolerance: float = 0.0) -> bool:
    """Whether the off-diagonal elements are at most this fraction of the largest element."""
    return max(map(abs, tensor[3:])) <= tolerance * max(map(abs, tensor))


def inverse(tensor: Symmetric) -> Symmetric:
    """Inverse of a positive definite tensor of any scale; see `kernels.tensors.inverse`."""
    unit = power_of_two(max(map(abs, tensor)))
    a, b, c, d, e, f = _inverse(_scaled(tensor, unit))
    return a / unit, b / unit, c / unit, d / unit, e / unit, f / unit


def principal(tensor: Symmetric) -> tuple[Vector, list[Vector]]:
    """Moments in ascending order and their axes, one axis per row, right-handed; see `kernels.tensors.principal`."""
    unit = power_of_two(max(map(abs, tensor)))
    (first, second, third), *axes = _principal(_scaled(tensor, unit))
    return (first * unit, second * unit, third * unit), axes


def _scaled(tensor: Symmetric, unit: float) -> Symmetric:
    a, b, c, d, e, f = tensor
    return a / unit, b / unit, c / unit, d / unit, e / unit, f / unit
