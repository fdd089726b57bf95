"""A free body turned about one principal axis after the other: no special functions, order two, exact for symmetric bodies."""

from .compiler import inlined
from .quaternions import Quaternion, from_rotation_vector
from .rigid_body import MaybeVector, plus
from .trigonometry import sine_cosine_of_half
from .vectors import Vector, scale


@inlined
def axis_splitting(moments: Vector, momentum: Vector, stored: MaybeVector, step: float) -> tuple[Quaternion, Vector]:
    """How a body turns by itself, to order two: a steady turn about its momentum, and turns about axes 1, 2, 3, 2 and 1.

    The energy Σ (mᵢ − hᵢ)²/(2Iᵢ) without stored momentum is L²/(2I₂) and for each axis mᵢ²(1/Iᵢ − 1/I₂)/2. The first, taken alone, turns
    the body about m at L/I₂; it goes with the others in any order without error. The rest turn the body about their axes at steady rates.
    What is lost is what turns about axes lose by their order: nothing where two moments are equal, and little where they are nearly so;
    turning about the axes at the whole rates ωᵢ would spoil even the motion of a ball. With stored momentum the whole rates it is: turns
    of (mᵢ − hᵢ)/Iᵢ, which leave a body at rest beside its wheels at rest. Every part keeps the momentum.

    Args:
        moments: Principal moments [kg·m²].
        momentum: Angular momentum I ω + h [N·m·s], principal axes.
        stored: Stored momentum h [N·m·s], principal axes; None in loops for worlds where no body has any: turns about axis 2 then
            drop out.
        step: Time [s], of either sign.

    Returns:
        Quaternion of the body at the end relative to the body at the start, principal axes, scalar last, and the momentum at the end.

    Source: McLachlan (1993) and Reich (1994) for turns about axes; Fassò (2003) compares the choices of what to split off.
    """
    x, y, z = momentum
    has_stores = stored is not None
    h1, h2, h3 = plus((0.0, 0.0, 0.0), stored)
    stores = has_stores and abs(h1) + abs(h2) + abs(h3) > 0.0
    inverse_1, inverse_2, inverse_3 = 1.0 / moments[0], 1.0 / moments[1], 1.0 / moments[2]
    pace_1 = inverse_1 if stores else inverse_1 - inverse_2
    pace_2 = inverse_2 if stores else 0.0
    pace_3 = inverse_3 if stores else inverse_3 - inverse_2
    quarter, half = 0.25 * step, 0.5 * step
    turned = from_rotation_vector(scale(0.0 if stores else step * inverse_2, momentum))
    sine, cosine = sine_cosine_of_half(quarter * (pace_1 * (x - h1)))
    turned = _turned_on_1(turned, sine, cosine)
    y, z = _seen_turned(sine, cosine, y, z)
    if has_stores:
        sine, cosine = sine_cosine_of_half(quarter * (pace_2 * (y - h2)))
        turned = _turned_on_2(turned, sine, cosine)
        z, x = _seen_turned(sine, cosine, z, x)
    sine, cosine = sine_cosine_of_half(half * (pace_3 * (z - h3)))
    turned = _turned_on_3(turned, sine, cosine)
    x, y = _seen_turned(sine, cosine, x, y)
    if has_stores:
        sine, cosine = sine_cosine_of_half(quarter * (pace_2 * (y - h2)))
        turned = _turned_on_2(turned, sine, cosine)
        z, x = _seen_turned(sine, cosine, z, x)
    sine, cosine = sine_cosine_of_half(quarter * (pace_1 * (x - h1)))
    y, z = _seen_turned(sine, cosine, y, z)
    return _turned_on_1(turned, sine, cosine), (x, y, z)


# The product with a turn about one axis, written out: the compiler must keep products with zero, which may be nan.


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
    """The two components across an axis, as a body sees them that has turned about it by the angle of these half-angle functions."""
    sine, lost = 2.0 * sine_half * cosine_half, 2.0 * sine_half * sine_half
    return a + (sine * b - lost * a), b - (sine * a + lost * b)
