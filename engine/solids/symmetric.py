"""Symmetric tensors as six numbers (xx, yy, zz, xy, xz, yz), and the sums over points that they are computed from.

Only + − × ÷ √ and exactly rounded sums are used, so that a body has the same bits on every machine.
"""

import math
from collections.abc import Iterable

import numpy as np

from ..checks import FloatArray, refuse
from ..compilation.compiler import plain
from ..kernels import quaternions
from ..kernels.vectors import Symmetric, Vector

_ROUNDS_OF_JACOBI = 40  # at most 5 in 2e4 tensors, including equal moments; the bound makes the loop finite

# The plain Python function, because the compiled one would cost a compilation here.
_rotate = plain(quaternions.rotate)


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
    rule: str = "finite; the sizes or the mass are too large for float64",
) -> None:
    """Reject an argument that led to values that overflow."""
    if not all(map(math.isfinite, values)):
        refuse(owner, argument, shown, rule)


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
    refuse_unless_finite(positions.ravel().tolist(), argument, positions.tolist(), owner, rule)
    with np.errstate(over="ignore"):
        around = positions - exact_sums(share * positions)
        around /= power_of_two(float(np.abs(around).max()))
        distances = np.square(around[:, 0]) + np.square(around[:, 1]) + np.square(around[:, 2])
        reference = positions[np.lexsort((*positions.T, distances))[0]]
        offsets = positions - reference
    refuse_unless_finite(offsets.ravel().tolist(), argument, positions.tolist(), owner, rule)

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
    """Inverse of a positive definite tensor, by elimination without square roots (``I = L D Lᵀ``).

    The adjugate over the determinant is as accurate for real bodies. If two moments are small, as ``physical=False`` allows, its
    determinant cancels twice: for moments (1e-6, 1e-6, 1) about skew axes its error was 9e-6, against 4e-11 here.
    """
    unit = power_of_two(max(map(abs, tensor)))
    xx, yy, zz, xy, xz, yz = (value / unit for value in tensor)
    lower_yx, lower_zx = xy / xx, xz / xx
    pivot_y = yy - lower_yx * xy
    rest_yz = yz - lower_yx * xz
    lower_zy = rest_yz / pivot_y
    pivot_z = zz - lower_zx * xz - lower_zy * rest_yz
    # Backwards through Lᵀ X = D⁻¹ L⁻¹, of which diagonal and upper triangle are those of D⁻¹.
    inverse_zz = 1.0 / pivot_z
    inverse_yz = -lower_zy * inverse_zz
    inverse_yy = 1.0 / pivot_y - lower_zy * inverse_yz
    inverse_xz = -lower_yx * inverse_yz - lower_zx * inverse_zz
    inverse_xy = -lower_yx * inverse_yy - lower_zx * inverse_yz
    inverse_xx = 1.0 / xx - lower_yx * inverse_xy - lower_zx * inverse_xz
    return (
        inverse_xx / unit,
        inverse_yy / unit,
        inverse_zz / unit,
        inverse_xy / unit,
        inverse_xz / unit,
        inverse_yz / unit,
    )


def principal(tensor: Symmetric) -> tuple[Vector, list[list[float]]]:
    """Moments in ascending order and their axes, one axis per row, right-handed.

    Jacobi's rotations keep their accuracy for nearly equal moments, which every nearly symmetric spacecraft has. The roots of the
    characteristic cubic lose half of their digits there, and need a library's arccosine.

    Source: C. G. J. Jacobi 1846; the smaller root for the tangent as in H. Rutishauser 1966.
    """
    unit = power_of_two(max(map(abs, tensor)))
    xx, yy, zz, xy, xz, yz = (value / unit for value in tensor)
    matrix = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    for _ in range(_ROUNDS_OF_JACOBI):
        if matrix[0][1] == matrix[0][2] == matrix[1][2] == 0.0:
            break
        for p, q, r in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
            _turn_until_diagonal(matrix, axes, p, q, r)

    order = sorted(range(3), key=lambda i: matrix[i][i])  # stable, so that equal moments keep the body's order
    first, second, third = (matrix[i][i] * unit for i in order)
    rows = [axes[i] for i in order]
    if order not in ([0, 1, 2], [1, 2, 0], [2, 0, 1]):  # an exchange of two axes leaves a left-handed triple
        rows[2] = [0.0 - value for value in rows[2]]
    return (first, second, third), rows


def _turn_until_diagonal(matrix: list[list[float]], axes: list[list[float]], p: int, q: int, r: int) -> None:
    """Rotate in the plane of axes p and q so that their off-diagonal element becomes zero; r is the third axis."""
    element = matrix[p][q]
    if element * element <= 2.0**-110 * abs(matrix[p][p] * matrix[q][q]):
        # Below an eighth of an ulp of the moments. Without this, exactly equal moments would need hundreds of rounds.
        matrix[p][q] = matrix[q][p] = 0.0
        return
    cotangent_of_double = (matrix[q][q] - matrix[p][p]) / (2.0 * element)
    tangent = math.copysign(1.0, cotangent_of_double) / (
        abs(cotangent_of_double) + math.sqrt(cotangent_of_double * cotangent_of_double + 1.0)
    )
    cosine = 1.0 / math.sqrt(tangent * tangent + 1.0)
    sine = tangent * cosine
    matrix[p][p] -= tangent * element
    matrix[q][q] += tangent * element
    matrix[p][q] = matrix[q][p] = 0.0
    at_p, at_q = matrix[r][p], matrix[r][q]
    matrix[r][p] = matrix[p][r] = cosine * at_p - sine * at_q
    matrix[r][q] = matrix[q][r] = sine * at_p + cosine * at_q
    axes[p], axes[q] = (
        [cosine * at_p - sine * at_q for at_p, at_q in zip(axes[p], axes[q], strict=True)],
        [sine * at_p + cosine * at_q for at_p, at_q in zip(axes[p], axes[q], strict=True)],
    )
