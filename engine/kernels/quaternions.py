"""Quaternions as tuples (x, y, z, w), scalar last, with Hamilton's product; as rotations they are active, from body to world."""

from math import sqrt

from ..compilation.compiler import inlined
from .trigonometry import sine_cosine
from .vectors import Vector, cross

Quaternion = tuple[float, float, float, float]


@inlined
def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """Hamilton's product a b, which as a rotation applies b first and then a."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + bw * ax + ay * bz - az * by,
        aw * by + bw * ay + az * bx - ax * bz,
        aw * bz + bw * az + ax * by - ay * bx,
        aw * bw - ax * bx - ay * by - az * bz,
    )


@inlined
def conjugate(q: Quaternion) -> Quaternion:
    return -q[0], -q[1], -q[2], q[3]


@inlined
def norm_squared(q: Quaternion) -> float:
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]


@inlined
def normalize(q: Quaternion) -> Quaternion:
    """Scale a quaternion to unit length; if its square overflows, the result is nan instead of a finite zero."""
    squared = norm_squared(q)
    inverse_norm = 1.0 / sqrt(squared) + (squared - squared)
    return q[0] * inverse_norm, q[1] * inverse_norm, q[2] * inverse_norm, q[3] * inverse_norm


@inlined
def doubling(q: Quaternion) -> float:
    """``2/|q|²``, with which `rotate` accepts quaternions that are not of unit length, such as at a stage of a Runge-Kutta step."""
    return 2.0 / norm_squared(q)


@inlined
def rotate(q: Quaternion, doubling: float, vector_body: Vector) -> Vector:
    """Rotate a vector from the body frame to the world frame, ``q v q⁻¹``.

    For q = (u, w) this is ``v + s w (u × v) + s u × (u × v)`` with ``s = 2/|q|²``. For a unit quaternion pass 2.
    """
    u = (q[0], q[1], q[2])
    tx, ty, tz = cross(u, vector_body)
    twice = (doubling * tx, doubling * ty, doubling * tz)
    cx, cy, cz = cross(u, twice)
    w = q[3]
    return (
        vector_body[0] + (w * twice[0] + cx),
        vector_body[1] + (w * twice[1] + cy),
        vector_body[2] + (w * twice[2] + cz),
    )


@inlined
def rotate_inverse(q: Quaternion, doubling: float, vector_world: Vector) -> Vector:
    """Rotate a vector from the world frame to the body frame, ``q⁻¹ v q``."""
    return rotate((-q[0], -q[1], -q[2], q[3]), doubling, vector_world)


@inlined
def add_scaled_quaternion(a: Quaternion, factor: float, b: Quaternion) -> Quaternion:
    return a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2], a[3] + factor * b[3]


@inlined
def rate_of_change(q: Quaternion, angular_velocity_body: Vector) -> Quaternion:
    """``dq/dt = q ω/2`` for body rates ω."""
    x, y, z, w = q
    a, b, c = angular_velocity_body
    return (
        0.5 * (w * a + y * c - z * b),
        0.5 * (w * b + z * a - x * c),
        0.5 * (w * c + x * b - y * a),
        -0.5 * (x * a + y * b + z * c),
    )


@inlined
def from_rotation_vector(turn: Vector) -> Quaternion:
    """Unit quaternion of a rotation by ``|turn|`` radians about the direction of the vector; exact at zero."""
    half_squared = 0.25 * (turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2])
    half = sqrt(half_squared)
    sine, cosine = sine_cosine(half)
    # for small angles, including zero, sin(x)/x is evaluated by its series; the next term is below 1e-17
    factor = 0.5 - half_squared * (1.0 / 12.0) if half < 1e-4 else 0.5 * sine / half
    return factor * turn[0], factor * turn[1], factor * turn[2], cosine
