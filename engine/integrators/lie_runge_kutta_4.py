"""The classical Runge-Kutta method on the group of rotations."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from ..kernels.lie_runge_kutta import lie_runge_kutta_4
from .integrator import OneStepMethod


@dataclass(frozen=True, repr=False)
class LieRungeKutta4(OneStepMethod):
    """Runge-Kutta-Munthe-Kaas of order four on orientation and body rates: the stages average rotation vectors, not quaternions.

    Order 4, four evaluations a tick. A free body keeps energy and angular momentum to the order of the method; a steady turn about a
    principal axis is exact at any rate. In 1000 ticks of a tumble energy is kept to 3e-7 at dt·|ω| = 0.1, to 2e-4 at 0.3 and half a
    percent at 0.5; above dt·|ω| of about 2.5 the rates overflow and the tick is refused. With stored momentum h what counts is dt
    times the larger of |ω| and |Iω + h|/I_min: for I = (1, 2, 2.5) that is at
    dt·|ω| = 1 with h = 10 |ω|, at 0.3 with h = 30 |ω|.

    Choose it for controlled flight: torques that depend on the rates, thrusters, wheels. It has the smallest errors of the methods with
    four evaluations. Not for fast free spin over hours, where what it loses adds up.

    Not to be confused with methods that average the rates and put the average into one exponential: those leave out the commutators
    u × ω and are of order two in orientation. The rates are those of `RungeKutta4` in body rates, to the bit where no force looks
    at the attitude.

    Source: Munthe-Kaas (1998), BIT 38, 92-111, on unit quaternions with body rates; the inverse derivative of the exponential to the
    second commutator, which is as far as order four reaches.
    """

    order: ClassVar[int] = 4
    evaluations_per_tick: ClassVar[int] = 4
    stage_offsets: ClassVar[tuple[float, ...]] = (0.0, 0.5, 0.5, 1.0)

    @property
    def name(self) -> str:
        return "lie-rk4"

    @property
    def advance(self) -> Callable[..., Any]:
        return lie_runge_kutta_4
