"""Kicks and exact free rotation."""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar, Literal

from ..checks import refuse
from ..kernels.free_rotor import free_rotor
from .splitting import STRANG, SUZUKI, Splitting, Table

# Blanes and Moan (2002), Runge-Kutta-Nyström splitting of order 4 in six drifts (their SRKN 6 b); the middle kick and the two middle
# drifts are what is missing to one
_KICK_1, _KICK_2, _KICK_3 = 0.0829844064174052, 0.3963098014983680, -0.0390563049223486
_DRIFT_1, _DRIFT_2 = 0.2452989571842710, 0.6048726657110800
_DRIFT_3 = 0.5 - (_DRIFT_1 + _DRIFT_2)
_BLANES_MOAN: Table = (
    (_KICK_1, _DRIFT_1),
    (_KICK_2, _DRIFT_2),
    (_KICK_3, _DRIFT_3),
    (1.0 - 2.0 * (_KICK_1 + _KICK_2 + _KICK_3), _DRIFT_3),
    (_KICK_3, _DRIFT_2),
    (_KICK_2, _DRIFT_1),
    (_KICK_1, 0.0),
)

# Laskar and Robutel (2001), SABA 4: kicks at the nodes of Gauss and Legendre, with their weights
_NODE_INNER, _NODE_OUTER = sqrt(525.0 - 70.0 * sqrt(30.0)) / 70.0, sqrt(525.0 + 70.0 * sqrt(30.0)) / 70.0
_WEIGHT_INNER, _WEIGHT_OUTER = 0.25 + sqrt(30.0) / 72.0, 0.25 - sqrt(30.0) / 72.0
_SABA_4: Table = (
    (0.0, 0.5 - _NODE_OUTER),
    (_WEIGHT_OUTER, _NODE_OUTER - _NODE_INNER),
    (_WEIGHT_INNER, 2.0 * _NODE_INNER),
    (_WEIGHT_INNER, _NODE_OUTER - _NODE_INNER),
    (_WEIGHT_OUTER, 0.5 - _NODE_OUTER),
)


@dataclass(frozen=True, repr=False)
class FreeRotor(Splitting):
    """Kicks by the forces, and between them the exact motion of a free body by Jacobi's elliptic functions.

    A body without torque is followed exactly, to rounding, at any spin and for a tick of any length; only forces cost accuracy. Angular
    momentum is kept to rounding always, energy to rounding in free flight, and bounded under forces that have a potential.

    * `FreeRotor(order=2)`, "free-rotor-2": half a kick, a drift, half a kick (Strang). Two evaluations a tick.
    * `FreeRotor(order=4)`, "free-rotor-4": Blanes and Moan's Runge-Kutta-Nyström splitting, six drifts, seven evaluations.
    * `FreeRotor(scheme="saba4")`, "saba4": Laskar and Robutel's SABA 4, five drifts, four evaluations, for forces that are weak beside the
      motion, as the gravity gradient on a spinning satellite. Of order two, with an error that carries the square of the weak force; its
      first power comes with dt⁸ only.

    Choose it for spacecraft, for fast spin, for long runs, and wherever a tick is not short beside a turn. The end of a kick is the start
    of the next one, but forces may change between ticks, so both are evaluated.

    While some force that is evaluated at each stage depends on the rates (damping, drag, functions that do not say otherwise by an
    attribute `depends_on_rates = False`), there are twice (order 2, SABA 4) or four times (order 4) as many evaluations; the order is kept.

    With stored momentum free motion has no closed form of this kind. The steady turn −I⁻¹h is then split off; a drift is of order two, or
    for the two other methods of order four (Suzuki's composition, at five times the cost, paid while some body stores momentum). Motors
    act in the kicks, which are exact for them. Momentum is kept to rounding all the same, while wheels spin up too, rest only to the
    order: with a wheel six times as strong as the body's own momentum, measured after 2 s at 1/40 s: 5e-4, 1e-9 (order 4) and 5e-11 rad
    ("saba4"). In game mode a drift is a turn at constant body rates, exact too.

    Sources: Landau and Lifshitz, Mechanics, section 37; DLMF 19.8(iii), Gauss's transformation;
    Blanes and Moan (2002), J. Comput. Appl. Math. 142, table 3; Laskar and Robutel (2001), Celest. Mech. 80.

    Args:
        order: 2 or 4.
        scheme: "saba4", of order 2, or None.
    """

    order: int = 2
    scheme: Literal["saba4"] | None = None

    turn: ClassVar[Callable[..., Any]] = staticmethod(free_rotor)

    def __post_init__(self) -> None:
        if isinstance(self.order, bool) or self.order not in (2, 4):
            refuse("FreeRotor", "order", self.order, "2 or 4")
        if self.scheme not in (None, "saba4"):
            refuse("FreeRotor", "scheme", self.scheme, "'saba4' or None")
        if self.scheme == "saba4" and self.order != 2:
            refuse("FreeRotor", "order", self.order, "left out with scheme='saba4', which is of order 2")

    @property
    def name(self) -> str:
        return self.scheme or f"free-rotor-{self.order}"

    @property
    def table(self) -> Table:
        if self.scheme == "saba4":
            return _SABA_4
        return STRANG if self.order == 2 else _BLANES_MOAN

    @property
    def shares(self) -> tuple[float, ...]:
        return (1.0,) if self.table is STRANG else SUZUKI
