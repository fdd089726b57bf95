"""Splitting into kicks by the forces and rotations about the principal axes."""

from dataclasses import dataclass
from typing import ClassVar

from ..checks import integer_option
from ..compilation.compiler import inlined
from ..kernels.quaternions import Quaternion, from_rotation_vector
from ..kernels.rigid_body import MaybeVector, plus
from ..kernels.trigonometry import sine_cosine_of_half
from ..kernels.vectors import Vector, scale
from ..loops.kick_drift import Turn
from .splitting import SUZUKI, Splitting, Table, of_order_two


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


_TABLES = {2: of_order_two((1.0,)), 4: of_order_two(SUZUKI)}


@dataclass(frozen=True, repr=False)
class AxisSplitting(Splitting):
    """Splitting method with kicks by the forces, and rotations about the momentum and about the principal axes 1, 2, 3, 2, 1 between them.

    Order 2 with two evaluations per tick, or order 4 with six, by Suzuki's composition of five steps. The method conserves angular momentum
    to rounding at any spin. The energy of a free body oscillates without drift, with an amplitude that grows as ``(dt·|ω|)²`` or
    ``(dt·|ω|)⁴`` and with the asymmetry of the body. A free body with two equal principal moments is exact. The method never blows up,
    because 2T stays between ``L²/I₃`` and ``L²/I₁``, and with stored momentum h below ``(|L| + |h|)²/I₁``.

    Choose it for many bodies that tumble at moderate spin, because a tick costs half as much as with `FreeRotor`. Do not choose it for an
    asymmetric body with ``dt·|ω|`` near one, whose attitude would be far off.

    A body with stored momentum rotates about the principal axes at its full rates ω₁, ω₂, ω₃, so that a body at rest with spinning wheels
    stays at rest. Motors act in the kicks, on wheels and body alike, so the total momentum is conserved to rounding while wheels spin up.
    In game mode a drift is one exact rotation at constant body rates. While a force that is evaluated at each stage depends on the rates,
    there are twice (order 2) or four times (order 4) as many evaluations (see `FreeRotor`).

    This is not the usual form, which rotates every body at its full rates and makes even a sphere wobble.

    Sources: McLachlan (1993), Reich (1994) and Fassò (2003) for the splitting; Suzuki (1990) for the composition.

    Args:
        order: 2 or 4.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `order` is neither 2 nor 4.

    Example:
        >>> from engine import World
        >>> World(dt=0.01, integrator=AxisSplitting(order=4)).integrator
        <AxisSplitting 'axis-splitting-4'>
    """

    order: int = 2

    _turn: ClassVar[Turn] = staticmethod(axis_splitting)
    _shares: ClassVar[tuple[float, ...]] = (1.0,)

    def __post_init__(self) -> None:
        integer_option(self.order, "order", "AxisSplitting", _TABLES)

    @property
    def name(self) -> str:
        return f"axis-splitting-{self.order}"

    @property
    def _table(self) -> Table:
        return _TABLES[self.order]
