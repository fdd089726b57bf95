"""Rotation of a free body by successive rotations about its principal axes, of order two and exact for symmetric bodies.

It needs no special functions beyond sine and cosine.
"""

from ..compilation.compiler import inlined
from .quaternions import Quaternion, from_rotation_vector
from .rigid_body import MaybeVector, plus
from .trigonometry import sine_cosine_of_half
from .vectors import Vector, scale


@inlined
def axis_splitting(moments: Vector, momentum: Vector, stored: MaybeVector, step: float) -> tuple[Quaternion, Vector]:
    """Rotate a free body for a time, to order two.

    The step consists of a steady rotation about the momentum and rotations about the axes 1, 2, 3, 2 and 1.

    Without stored momentum, the energy ``Σ mᵢ²/(2Iᵢ)`` is split into ``L²/(2I₂)`` and one part ``mᵢ²(1/Iᵢ − 1/I₂)/2`` per axis. The first
    part alone rotates the body about m at the rate L/I₂. It commutes with the other parts, so it adds no error. Each other part rotates the
    body about its axis at a steady rate. These rotations do not commute, and this is the only error of the step. It is zero if two moments
    are equal, and small if they are nearly equal. Rotations at the full rates ωᵢ would have an error even for a ball.

    With stored momentum, the energy is ``Σ (mᵢ − hᵢ)²/(2Iᵢ)`` and the rotations have the full rates (mᵢ − hᵢ)/Iᵢ, so that a body at rest
    with rotating wheels stays at rest. Every part conserves the momentum.

    Args:
        moments: Principal moments [kg·m²].
        momentum: Angular momentum I ω + h [N·m·s], principal axes.
        stored: Stored momentum h [N·m·s], principal axes. None in loops for worlds in which no body stores momentum; the rotations about
            axis 2 are then not compiled.
        step: Time [s], of either sign.

    Returns:
        Quaternion of the body at the end relative to the body at the start, principal axes, scalar last, and the momentum at the end.

    Source: McLachlan (1993) and Reich (1994) for rotations about axes; Fassò (2003) compares ways to split the energy.
    """
    x, y, z = momentum
    # `has_stores` is known at compile time; `stores` is specific to the body
    has_stores = stored is not None
    h1, h2, h3 = plus((0.0, 0.0, 0.0), stored)
    stores = has_stores and abs(h1) + abs(h2) + abs(h3) > 0.0
    # rotation rate about each axis per unit of momentum: the full rate with stored momentum, else the rate beyond L/I₂
    inverse_1, inverse_2, inverse_3 = 1.0 / moments[0], 1.0 / moments[1], 1.0 / moments[2]
    pace_1 = inverse_1 if stores else inverse_1 - inverse_2
    pace_2 = inverse_2 if stores else 0.0
    pace_3 = inverse_3 if stores else inverse_3 - inverse_2
    quarter, half = 0.25 * step, 0.5 * step
    # steady rotation about the momentum
    turned = from_rotation_vector(scale(0.0 if stores else step * inverse_2, momentum))
    # half a step about axis 1
    sine, cosine = sine_cosine_of_half(quarter * (pace_1 * (x - h1)))
    turned = _turned_on_1(turned, sine, cosine)
    y, z = _seen_turned(sine, cosine, y, z)
    # half a step about axis 2; without stored momentum the rate about this axis is zero
    if has_stores:
        sine, cosine = sine_cosine_of_half(quarter * (pace_2 * (y - h2)))
        turned = _turned_on_2(turned, sine, cosine)
        z, x = _seen_turned(sine, cosine, z, x)
    # the whole step about axis 3
    sine, cosine = sine_cosine_of_half(half * (pace_3 * (z - h3)))
    turned = _turned_on_3(turned, sine, cosine)
    x, y = _seen_turned(sine, cosine, x, y)
    # the same half steps in reverse order, which makes the step symmetric in time
    if has_stores:
        sine, cosine = sine_cosine_of_half(quarter * (pace_2 * (y - h2)))
        turned = _turned_on_2(turned, sine, cosine)
        z, x = _seen_turned(sine, cosine, z, x)
    sine, cosine = sine_cosine_of_half(quarter * (pace_1 * (x - h1)))
    y, z = _seen_turned(sine, cosine, y, z)
    return _turned_on_1(turned, sine, cosine), (x, y, z)


# Products with a rotation about one axis are written out, because the compiler may not drop a product with zero: it could be nan.


@inlined
def _turned_on_1(q: Quaternion, sine: float, cosine: float) -> Quaternion:
    x, y, z, w = q
    return x * cosine + w * sine, y * cosine + z * sine, z * cosine - y * sine, w * cosine - x * sine


@inlined
def _turned_on_2(q: Quaternion, sine: float, cosine: float) -> Quaternion:
    x, y, z, w = q
    return x * cosine - z * sine, y * cosine + w * sine, z * cosine + x * sine, w * cosine - y * sine


@inlined
def _turned_on_3(q: Quaternion, sine: float, cosine: float) -> Quaternion:
    x, y, z, w = q
    return x * cosine + y * sine, y * cosine - x * sine, z * cosine + w * sine, w * cosine - z * sine


@inlined
def _seen_turned(sine_half: float, cosine_half: float, a: float, b: float) -> tuple[float, float]:
    """The two components perpendicular to an axis, in the axes of a body that has rotated about it by twice the given half angle."""
    sine, lost = 2.0 * sine_half * cosine_half, 2.0 * sine_half * sine_half
    return a + (sine * b - lost * a), b - (sine * a + lost * b)
