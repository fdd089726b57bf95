"""The difference between two attitudes, as the vectors that control laws work on."""

from ..compilation.compiler import inlined
from .quaternions import Quaternion, conjugate, multiply
from .rotations import unit
from .selection import choose
from .trigonometry import arc
from .vectors import Vector, scale


@inlined
def attitude_error(q: Quaternion, reference: Quaternion) -> tuple[Vector, float]:
    """Vector part, in the body frame, and scalar part w ≥ 0 of the quaternion of the shortest rotation from a reference attitude to q."""
    x, y, z, w = multiply(conjugate(reference), q)
    sign = choose(w < 0.0, -1.0, 1.0)
    return (sign * x, sign * y, sign * z), sign * w


@inlined
def modified_rodrigues(q: Quaternion, reference: Quaternion) -> Vector:
    """Modified Rodrigues parameters ``σ = tan(θ/4) e`` of the same rotation; of the two sets, that with ``|σ| ≤ 1``."""
    vector, w = attitude_error(q, reference)
    return scale(1.0 / (1.0 + w), vector)


@inlined
def error_angle(q: Quaternion, reference: Quaternion) -> float:
    """Angle [rad] of the same rotation, from 0 to π."""
    vector, w = attitude_error(q, reference)
    return 2.0 * arc(unit(vector)[1], w)
