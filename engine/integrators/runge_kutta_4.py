"""The classical Runge-Kutta method of order four."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

from ..checks import refuse
from ..kernels import runge_kutta
from .integrator import OneStepMethod

Variables = Literal["angular_momentum", "body_rates", "world_rates"]

_KERNELS = {
    "angular_momentum": ("rk4", runge_kutta.runge_kutta_4_momentum),
    "body_rates": ("rk4-body-rates", runge_kutta.runge_kutta_4_body_rates),
    "world_rates": ("rk4-world-rates", runge_kutta.runge_kutta_4_world_rates),
}
_MOMENTUM_KEPT: dict[str, Callable[..., Any]] = {
    "body_rates": runge_kutta.runge_kutta_4_body_rates_momentum_kept,
    "world_rates": runge_kutta.runge_kutta_4_world_rates_momentum_kept,
}


@dataclass(frozen=True, repr=False)
class RungeKutta4(OneStepMethod):
    """Classical Runge-Kutta method on position, orientation, velocity and one of three rotational variables.

    Order 4, four evaluations per tick. "angular_momentum" (Maggiore) conserves the angular momentum of a free body to rounding.
    "body_rates" (Ganapathi) and "world_rates" (Wedekind) conserve it to the order of the method, or to rounding with `keep_momentum`. This
    is the total momentum including stored momentum, and it also stays constant while motors spin up wheels. None of the three conserves the
    energy: in 1000 ticks of a tumble it drifts by 3e-7 at ``dt·|ω| = 0.1`` and by half a percent at 0.5.

    The quantity that must be small is dt times the larger of ``|ω|`` and ``|Iω + h|/I_min``, with I_min the smallest principal moment and h
    the stored momentum; 0.1 suits games. At 1 the attitude is lost. The rates overflow and the tick is rejected from about 2.5 in body
    rates and 1.5 in world rates. In angular momentum, and with `keep_momentum` while no torque depends on the rates, the rates settle on an
    axis instead. In angular momentum and in world rates, an orientation error feeds back into the body rates, multiplied by
    ``I_max/I_min``. Body rates are therefore better for slender bodies and for the best attitude per tick (a rod of 40 m by 0.5 m at
    ``dt·|ω| = 0.05``: 3e-7 rad after 20 s, against 1.5).

    Choose it for smooth forces and short runs, and as a well-known method to compare with. Do not choose it for fast spin over hours.

    The quaternion is advanced as four numbers and normalised once, at the end of the tick. Methods that use the averaged rates in one
    exponential are different, and of order two in orientation.

    Source: Maggiore, slides "Integration, rotation matrices, and quaternions", Update; Ganapathi (2005), 3.4; Wedekind (2019),
    "The Runge-Kutta Method". Corrections: the quaternion is normalised at every tick (G9, W2), and rotates by ``q v q⁻¹`` at the stages.

    Args:
        variables: The rotational variable that is integrated, "angular_momentum" (world frame), "body_rates" or "world_rates". Without the
            gyroscopic term (game mode) all three are integrated in body rates.
        keep_momentum: Whether to compute the rates at the end of a tick from the angular momentum (Mandre 7.2), which is advanced alongside
            them by the torques at the stages. The order remains 4, and the momentum is constant in free flight. The attitude does not
            improve in general (M8: twice as good after 10 s in case A, three times worse in case D). Rejected with "angular_momentum",
            which conserves it already, and in game mode, which does not conserve it.

    Example:
        >>> from engine import World
        >>> World(dt=0.01, integrator=RungeKutta4(variables="body_rates")).integrator
        <RungeKutta4 'rk4-body-rates'>
    """

    variables: Variables = "angular_momentum"
    keep_momentum: bool = False

    order: ClassVar[int] = 4
    evaluations_per_tick: ClassVar[int] = 4
    stage_offsets: ClassVar[tuple[float, ...]] = (0.0, 0.5, 0.5, 1.0)

    def __post_init__(self) -> None:
        if self.variables not in _KERNELS:
            refuse("RungeKutta4", "variables", self.variables, f"one of {', '.join(map(repr, get_args(Variables)))}")

        if not isinstance(self.keep_momentum, bool):
            refuse("RungeKutta4", "keep_momentum", self.keep_momentum, "True or False", TypeError)
        if self.keep_momentum and self.variables not in _MOMENTUM_KEPT:
            refuse(
                "RungeKutta4",
                "keep_momentum",
                self.keep_momentum,
                "False with variables='angular_momentum', because there the momentum is the variable itself and is kept already",
            )

    @property
    def name(self) -> str:
        name = _KERNELS[self.variables][0]
        return f"{name}-momentum-kept" if self.keep_momentum else name

    @property
    def advance(self) -> Callable[..., Any]:
        return _MOMENTUM_KEPT[self.variables] if self.keep_momentum else _KERNELS[self.variables][1]

    def check_game_mode(self, game_mode: bool) -> None:
        if game_mode and self.keep_momentum:
            refuse(
                "RungeKutta4",
                "keep_momentum",
                self.keep_momentum,
                "False in game mode, in which the angular momentum turns with the body and is not kept",
            )
