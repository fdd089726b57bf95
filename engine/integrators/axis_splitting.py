"""Kicks, and free rotation split into turns about the principal axes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from ..checks import refuse
from ..kernels.axis_splitting import axis_splitting
from .splitting import SUZUKI, Splitting, Table, of_order_two

_TABLES = {2: of_order_two((1.0,)), 4: of_order_two(SUZUKI)}


@dataclass(frozen=True, repr=False)
class AxisSplitting(Splitting):
    """Kicks by the forces, and between them a turn about the momentum and turns about the principal axes 1, 2, 3, 2, 1.

    Order 2 with two evaluations a tick, or order 4 with six, by Suzuki's composition of five steps. Keeps the angular momentum to
    rounding at any spin; the energy of a free body swings, by (dt·|ω|)² or (dt·|ω|)⁴ and by how far the body is from symmetric, and does
    not creep. Where two principal moments are equal a free body is followed exactly. Never blows up: 2T stays between L²/I₃ and L²/I₁.

    Choose it for many bodies that tumble at moderate spin: a tick costs half of what `FreeRotor` takes. Not for an asymmetric body with
    dt·|ω| near one: the attitude then is far off.

    Bodies with stored momentum take the turns about the axes at their whole rates ω₁, ω₂, ω₃: one at rest beside its wheels stays so.
    Motors act in the kicks, on wheels and body alike, so the total momentum is kept to rounding while wheels spin up. In game mode a drift
    is one turn at constant body rates, exact. While some force that is evaluated at each stage depends on the rates, there are twice
    (order 2) or four times (order 4) as many evaluations (see `FreeRotor`).

    Not to be confused with the usual form, turns at the whole rates for every body: that wobbles even a ball.

    Sources: McLachlan (1993), Reich (1994) and Fassò (2003) for the splitting; Suzuki (1990) for the composition.

    Args:
        order: 2 or 4.
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
