"""Wahba's problem: the rotation that fits directions known in two frames best. Functions on floats and over arrays, with the same bits."""

from math import nan, sqrt
from typing import NamedTuple

from .quaternions import Quaternion, normalize, rotate
from .rotations import PARALLEL, from_columns, gram_schmidt, unit
from .selection import choose
from .small_matrices import Matrix
from .vectors import Symmetric, Vector, add, cross, scale

_SWEEPS = 6
"""Sweeps of Jacobi's rotations; five reach the last bit in 1e5 random problems."""
_SAME_LINE = 1e-13
"""Smallest curvature of the cost below which the directions count as one line: for two of equal weight, an angle of 6e-7 rad."""


_PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))


class Profile(NamedTuple):
    """The attitude profile ``B = Σ w world bodyᵀ``, row by row, and the sum of the weights."""

    xx: float
    xy: float
    xz: float
    yx: float
    yy: float
    yz: float
    zx: float
    zy: float
    zz: float
    weight: float


def from_two_directions(
    first_body: Vector, second_body: Vector, first_world: Vector, second_world: Vector
) -> Quaternion:
    """Quaternion with w ≥ 0 that turns the first direction exactly and the plane of both; nan where they lie on one line."""
    x_body, x_world = unit(first_body)[0], unit(first_world)[0]
    y_body, sine_body = gram_schmidt(x_body, unit(second_body)[0])
    y_world, sine_world = gram_schmidt(x_world, unit(second_world)[0])
    z_body, z_world = cross(x_body, y_body), cross(x_world, y_world)
    # R = Σ world bodyᵀ, column by column
    columns = tuple(
        add(add(scale(x_body[i], x_world), scale(y_body[i], y_world)), scale(z_body[i], z_world)) for i in (0, 1, 2)
    )
    fits = (sine_body > PARALLEL) & (sine_world > PARALLEL)
    return from_columns(columns[0], columns[1], columns[2], choose(fits, 1.0, nan))


def add_observation(profile: Profile, body: Vector, world: Vector, weight: float) -> Profile:
    """The profile with one more direction, of any non-zero length in both frames."""
    (bx, by, bz), (x, y, z) = unit(body)[0], scale(weight, unit(world)[0])
    return Profile(
        profile.xx + x * bx,
        profile.xy + x * by,
        profile.xz + x * bz,
        profile.yx + y * bx,
        profile.yy + y * by,
        profile.yz + y * bz,
        profile.zx + z * bx,
        profile.zy + z * by,
        profile.zz + z * bz,
        profile.weight + weight,
    )


def optimal_rotation(profile: Profile) -> Quaternion:
    """Unit quaternion with w ≥ 0, body to world, that makes ``tr(Rᵀ B)`` largest; nan where the directions lie on one line."""
    b = _normalized(profile)
    q = normalize(_largest_eigenvector(_davenport(b)))
    sign = choose(q[3] < 0.0, -1.0, 1.0)
    factor = choose(_smallest_curvature(b, q) > _SAME_LINE, sign, nan)
    return factor * q[0], factor * q[1], factor * q[2], factor * q[3]


def _normalized(profile: Profile) -> Matrix:
    w = profile.weight
    xx, xy, xz, yx, yy, yz, zx, zy, zz, _ = profile
    return xx / w, xy / w, xz / w, yx / w, yy / w, yz / w, zx / w, zy / w, zz / w


def _davenport(b: Matrix) -> list[list[float]]:
    """The matrix K with ``qᵀ K q = tr(Rᵀ B)``: [[B + Bᵀ − σ 1, z], [zᵀ, σ]] with σ = tr B and z the axial vector of B."""
    xx, xy, xz, yx, yy, yz, zx, zy, zz = b
    x, y, z = zy - yz, xz - zx, yx - xy
    return [
        [xx - yy - zz, xy + yx, xz + zx, x],
        [xy + yx, yy - xx - zz, yz + zy, y],
        [xz + zx, yz + zy, zz - xx - yy, z],
        [x, y, z, xx + yy + zz],
    ]


def _largest_eigenvector(k: list[list[float]]) -> Quaternion:
    """Eigenvector of the largest eigenvalue of a symmetric matrix, by Jacobi's rotations."""
    zero = 0.0 * k[0][0]
    columns = [[zero + (1.0 if row == column else 0.0) for row in range(4)] for column in range(4)]
    for _ in range(_SWEEPS):
        for p, q in _PAIRS:
            cosine, sine = _rotation_angle(k[p][p], k[q][q], k[p][q])
            for other in range(4):  # rows, then columns
                a, c = k[p][other], k[q][other]
                k[p][other], k[q][other] = cosine * a - sine * c, sine * a + cosine * c
            for other in range(4):
                a, c = k[other][p], k[other][q]
                k[other][p], k[other][q] = cosine * a - sine * c, sine * a + cosine * c
                a, c = columns[p][other], columns[q][other]
                columns[p][other], columns[q][other] = cosine * a - sine * c, sine * a + cosine * c
    x, y, z, w = columns
    best, found = k[0][0], (x[0], x[1], x[2], x[3])
    for column, value in ((y, k[1][1]), (z, k[2][2]), (w, k[3][3])):
        found = choose(value > best, (column[0], column[1], column[2], column[3]), found)
        best = choose(value > best, value, best)
    return found[0], found[1], found[2], found[3]


def _rotation_angle(a: float, b: float, between: float) -> tuple[float, float]:
    """Cosine and sine of the rotation, by at most π/4, that makes [[a, c], [c, b]] diagonal, c being `between`."""
    difference = b - a
    divisor = abs(difference) + sqrt(difference * difference + 4.0 * between * between)
    signed = choose(difference < 0.0, -2.0, 2.0) * between
    tangent = signed / choose(divisor > 0.0, divisor, 1.0)
    cosine = 1.0 / sqrt(tangent * tangent + 1.0)
    return cosine, tangent * cosine


def _turned(b: Matrix, q: Quaternion) -> Matrix:
    """``Rᵀ B`` column by column: B as it looks from the estimate, symmetric at the optimum."""
    back = (-q[0], -q[1], -q[2], q[3])
    x, y, z = (
        rotate(back, 2.0, (b[0], b[3], b[6])),
        rotate(back, 2.0, (b[1], b[4], b[7])),
        rotate(back, 2.0, (b[2], b[5], b[8])),
    )
    return x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]


def _curvature(m: Matrix) -> Symmetric:
    """``tr(M) 1 − (M + Mᵀ)/2``, the second derivatives of the cost by the angles."""
    return m[4] + m[8], m[0] + m[8], m[0] + m[4], -0.5 * (m[1] + m[3]), -0.5 * (m[2] + m[6]), -0.5 * (m[5] + m[7])


def _smallest_curvature(b: Matrix, q: Quaternion) -> float:
    """A lower bound, within a factor of three, of the smallest eigenvalue of the curvature; zero if a rotation changes nothing."""
    xx, yy, zz, xy, xz, yz = _curvature(_turned(b, q))
    a, d, f = yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy
    determinant = xx * a + xy * (xz * yz - xy * zz) + xz * (xy * yz - xz * yy)
    minors = a + d + f
    return determinant / choose(minors > 0.0, minors, 1.0)
