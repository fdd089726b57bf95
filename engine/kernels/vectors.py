"""Vectors as tuples of three numbers, and symmetric tensors as tuples of six (xx, yy, zz, xy, xz, yz)."""

from ..compilation.compiler import inlined

Vector = tuple[float, float, float]
Symmetric = tuple[float, float, float, float, float, float]


@inlined
def add(a: Vector, b: Vector) -> Vector:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inlined
def subtract(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inlined
def scale(factor: float, a: Vector) -> Vector:
    return factor * a[0], factor * a[1], factor * a[2]


@inlined
def add_scaled(a: Vector, factor: float, b: Vector) -> Vector:
    return a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]


@inlined
def dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inlined
def apply_symmetric(tensor: Symmetric, a: Vector) -> Vector:
    """The tensor times a vector."""
    xx, yy, zz, xy, xz, yz = tensor
    x, y, z = a
    return xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z
