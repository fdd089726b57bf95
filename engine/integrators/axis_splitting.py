"""Splitting into kicks by the forces and rotations about the principal axes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from ..checks import refuse
from ..kernels.axis_splitting import axis_splitting
from .splitting import SUZUKI, Splitting, Table, of_order_two

_TABLES = {2: of_order_two((1.0,)), 4: of_order_two(SUZUKI)}


@dataclass(frozen=True, repr=False)
class AxisSplitting(Splitting):
    """Splitting method with kicks by the forces, and rotations about the momentum and about the principal axes 1, 2, 3, 2, 1 between them.

    Order 2 with two evaluations per tick, or order 4 with six, by Suzuki's composition of five steps. The method conserves angular momentum
    to rounding at any spin. The energy of a free body oscillates without drift, with an amplitude that grows as ``(dt·|ω|)²`` or
    ``(dt·|ω|)⁴`` and with the asymmetry of the body. A free body with two equal principal moments is exact. The method never blows up,
    because 2T stays between ``L²/I₃`` and ``L²/I₁``.

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

    Example:
        >>> from engine import World
        >>> World(dt=0.01, integrator=AxisSplitting(order=4)).integrator
        <AxisSplitting 'axis-splitting-4'>
    """

    order: int = 2

    turn: ClassVar[Callable[..., Any]] = staticmethod(axis_splitting)
    shares: ClassVar[tuple[float, ...]] = (1.0,)

    def __post_init__(self) -> None:
        if isinstance(self.order, bool) or self.order not in _TABLES:
            refuse("AxisSplitting", "order", self.order, "2 or 4")

    @property
    def name(self) -> str:
        return f"axis-splitting-{self.order}"

    @property
    def table(self) -> Table:
        return _TABLES[self.order]
