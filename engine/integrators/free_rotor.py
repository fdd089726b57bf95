"""Splitting into kicks by the forces and exact free rotation."""

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar, Literal

from ..checks import integer_option, refuse
from ..kernels.free_rotor import free_rotor
from ..loops.kick_drift import Turn
from .splitting import STRANG, SUZUKI, Splitting, Table

# Blanes and Moan (2002), Runge-Kutta-Nyström splitting of order 4 in six drifts (their SRKN 6 b); the middle kick and the two middle
# drifts complete the sums to one
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

# Laskar and Robutel (2001), SABA 4: kicks at the Gauss-Legendre nodes, with the Gauss-Legendre weights
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
    """Geometric splitting method with kicks by the forces, and exact free-body motion by Jacobi's elliptic functions between them.

    Torque-free motion is exact to rounding, at any spin and for ticks of any length; only forces cause errors. Angular momentum is
    conserved to rounding. Energy is conserved to rounding in free flight, and its error stays bounded under forces that have a potential.

    * `FreeRotor(order=2)`, "free-rotor-2": half a kick, a drift, half a kick (Strang). Two evaluations per tick.
    * `FreeRotor(order=4)`, "free-rotor-4": the Runge-Kutta-Nyström splitting of Blanes and Moan, with six drifts and seven evaluations.
    * `FreeRotor(scheme="saba4")`, "saba4": the SABA 4 method of Laskar and Robutel, with five drifts and four evaluations, for forces that
      are weak compared to the free motion, such as the gravity gradient on a spinning satellite. It is of order two, but the error is
      proportional to the square of the weak force; the first power appears only with ``dt⁸``.

    Choose it for spacecraft, for fast spin, for long runs, and wherever a tick is not short compared to a revolution. The last kick of a
    tick and the first kick of the next one are at the same state, but forces may change between ticks, so both are evaluated.

    While a force that is evaluated at each stage depends on the rates, there are twice (order 2, SABA 4) or four times (order 4) as many
    evaluations, and the order is preserved. This applies to damping, drag, and functions without an attribute `depends_on_rates = False`.

    With stored momentum, free motion has no closed form of this kind. The method then splits off the steady rotation ``−I⁻¹h``. A drift
    becomes of order two, or of order four for the two other methods (by Suzuki's composition, at five times the cost while any body stores
    momentum). Motors act in the kicks, which are exact for them. Momentum is still conserved to rounding, even while wheels spin up. Energy
    is not: with wheels of up to a hundred times the body's own momentum it grew a millionfold in 1000 long ticks. A body at rest stays at
    rest only to the order of the method: with a wheel six times as strong as the body's own momentum, the attitude error after 2 s at 1/40
    s was 5e-4 (order 2), 1e-9 (order 4) and 5e-11 rad ("saba4"). In game mode a drift is an exact rotation at constant body rates.

    Sources: Landau and Lifshitz, Mechanics, section 37; DLMF 19.8(iii), Gauss's transformation;
    Blanes and Moan (2002), J. Comput. Appl. Math. 142, table 3; Laskar and Robutel (2001), Celest. Mech. 80.

    Args:
        order: 2 or 4.
        scheme: "saba4", which is of order 2, or None.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `order` is neither 2 nor 4, `scheme` is neither "saba4" nor None, or `order` is 4 with a scheme.

    Example:
        >>> from engine import World
        >>> World(dt=0.01, integrator=FreeRotor(order=4)).integrator
        <FreeRotor 'free-rotor-4'>
    """

    order: int = 2
    scheme: Literal["saba4"] | None = None

    _turn: ClassVar[Turn] = staticmethod(free_rotor)

    def __post_init__(self) -> None:
        integer_option(self.order, "order", "FreeRotor", (2, 4))
        if self.scheme is not None and (not isinstance(self.scheme, str) or self.scheme != "saba4"):
            refuse("FreeRotor", "scheme", self.scheme, "'saba4' or None")
        if self.scheme == "saba4" and self.order != 2:
            refuse("FreeRotor", "order", self.order, "omitted with scheme='saba4', which is of order 2")

    @property
    def name(self) -> str:
        return self.scheme or f"free-rotor-{self.order}"

    @property
    def _table(self) -> Table:
        if self.scheme == "saba4":
            return _SABA_4
        return STRANG if self.order == 2 else _BLANES_MOAN

    @property
    def _shares(self) -> tuple[float, ...]:
        return (1.0,) if self._table is STRANG else SUZUKI
