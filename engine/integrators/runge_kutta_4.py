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


@dataclass(frozen=True, repr=False)
class RungeKutta4(OneStepMethod):
    """Classical Runge-Kutta on position, orientation, velocity and one of three turning variables.

    Order 4, four evaluations a tick. "angular_momentum" (Maggiore) keeps the angular momentum of a free body to rounding; "body_rates"
    (Ganapathi) and "world_rates" (Wedekind) keep it to the order of the method. None keeps the energy.

    What has to be small is dt times the larger of |ω| and |Iω + h|/I_min, I_min the least principal moment and h the stored
    momentum: 0.1 for game use. At 1 the motion is wrong; from about 2 on the methods settle on an axis or overflow. In angular momentum
    and in world rates an error of the orientation comes back in the body rates, times I_max/I_min: for slender bodies, and for the
    most accurate attitude a tick, body rates are better (a rod of 40 m by 0.5 m at dt·|ω| = 0.05: 3e-7 rad after 20 s against 1.5).

    Choose it for smooth forces and short runs, and as a method that everybody knows. Not for fast spin over hours.

    The quaternion is advanced as four numbers and normalised once, at the end of the tick; not to be confused with methods that put the
    averaged rates into one exponential, which are of order two in orientation.

    Source: Maggiore, slides "Integration, rotation matrices, and quaternions", Update; Ganapathi (2005), 3.4; Wedekind (2019),
    "The Runge-Kutta Method". Corrections: the quaternion normalised at every tick (G9, W2), turned by q v q⁻¹ at the stages.

    Args:
        variables: Which turning variable is integrated: "angular_momentum" (world frame), "body_rates" or "world_rates". Without the
            gyroscopic term (game mode) all three are integrated in body rates.
    """

    variables: Variables = "angular_momentum"

    order: ClassVar[int] = 4
    evaluations_per_tick: ClassVar[int] = 4
    stage_offsets: ClassVar[tuple[float, ...]] = (0.0, 0.5, 0.5, 1.0)

    def __post_init__(self) -> None:
        if self.variables not in _KERNELS:
            refuse("RungeKutta4", "variables", self.variables, f"one of {', '.join(map(repr, get_args(Variables)))}")

    @property
    def name(self) -> str:
        return _KERNELS[self.variables][0]

    @property
    def advance(self) -> Callable[..., Any]:
        return _KERNELS[self.variables][1]
