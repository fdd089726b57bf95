"""Matrices of three rows and three columns, as tuples of nine numbers row by row; symmetric ones as in `vectors`."""

from ..compilation.compiler import inlined
from .vectors import Symmetric, Vector

Matrix = tuple[float, float, float, float, float, float, float, float, float]
"""Row by row."""


@inlined
def full(s: Symmetric) -> Matrix:
    """All nine entries of a symmetric matrix."""
    return s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2]


@inlined
def symmetric_part(m: Matrix) -> Symmetric:
    """``(M + Mᵀ)/2``."""
    return m[0], m[4], m[8], 0.5 * (m[1] + m[3]), 0.5 * (m[2] + m[6]), 0.5 * (m[5] + m[7])


@inlined
def transposed(m: Matrix) -> Matrix:
    return m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]


@inlined
def add_matrices(a: Matrix, b: Matrix) -> Matrix:
    return (
        a[0] + b[0],
        a[1] + b[1],
        a[2] + b[2],
        a[3] + b[3],
        a[4] + b[4],
        a[5] + b[5],
        a[6] + b[6],
        a[7] + b[7],
        a[8] + b[8],
    )


@inlined
def subtract_matrices(a: Matrix, b: Matrix) -> Matrix:
    return (
        a[0] - b[0],
        a[1] - b[1],
        a[2] - b[2],
        a[3] - b[3],
        a[4] - b[4],
        a[5] - b[5],
        a[6] - b[6],
        a[7] - b[7],
        a[8] - b[8],
    )


@inlined
def add_to_diagonal(m: Matrix, x: float) -> Matrix:
    """``M + x 1``."""
    return m[0] + x, m[1], m[2], m[3], m[4] + x, m[5], m[6], m[7], m[8] + x


@inlined
def times_vector(m: Matrix, a: Vector) -> Vector:
    return (
        m[0] * a[0] + m[1] * a[1] + m[2] * a[2],
        m[3] * a[0] + m[4] * a[1] + m[5] * a[2],
        m[6] * a[0] + m[7] * a[1] + m[8] * a[2],
    )


@inlined
def product(a: Matrix, b: Matrix) -> Matrix:
    """``A B``."""
    return (
        a[0] * b[0] + a[1] * b[3] + a[2] * b[6],
        a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
        a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
        a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
        a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[3] + a[8] * b[6],
        a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
        a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
    )


@inlined
def product_transposed(a: Matrix, b: Matrix) -> Matrix:
    """``A Bᵀ``."""
    return product(a, transposed(b))


@inlined
def inverse_symmetric(s: Symmetric) -> Symmetric:
    """Inverse of a symmetric matrix that has one, by its cofactors."""
    xx, yy, zz, xy, xz, yz = s
    a, b, c = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    inverse = 1.0 / (xx * a + xy * b + xz * c)
    return (
        a * inverse,
        (xx * zz - xz * xz) * inverse,
        (xx * yy - xy * xy) * inverse,
        b * inverse,
        c * inverse,
        (xy * xz - xx * yz) * inverse,
    )
