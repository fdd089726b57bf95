"""The predictor-corrector of Zhao and van Wachem."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from ..kernels.predictor_corrector import predictor_corrector
from .integrator import OneStepMethod


@dataclass(frozen=True, repr=False)
class PredictorCorrector(OneStepMethod):
    """Predict orientation and rates in the middle of the tick, then take the whole tick with what holds there.

    Order 2, two evaluations a tick. A free body keeps neither energy nor angular momentum but to the order of the method, and gains
    energy without bound where dt·|ω| is not small: in 1000 ticks of a tumble a thousandth at 0.1, a tenth at 0.3, five times as much
    as there was at 0.5; from 0.6 on the tick is refused sooner or later. With stored momentum h what counts is dt times the larger of
    |ω| and |Iω + h|/I_min: for I = (1, 2, 2.5) and h = 10 |ω| that is at dt·|ω| = 0.1.

    Choose it for slow turns with forces that are dear to evaluate, and to compare with the literature on particles in flows. Not for
    tumbling bodies: `ImplicitMidpoint` costs as many evaluations and keeps both at any spin.

    The orientation is turned by one exponential of the rates in the middle, in world axes. Not to be confused with the explicit midpoint
    rule on a quaternion, nor with the implicit one: nothing is solved for.

    Source: Zhao and van Wachem (2013), Acta Mechanica 224, 3091-3109, as on a page of documentation. Corrections: torques and rates turned
    with the orientation they belong to (Z1, Z3), rates of a quarter of the tick with dt/4 and of half of it with dt/2 (Z2; either
    misprint leaves order 1), the middle's rates used for the end (Z4), no turn where there is no rate (Z5).
    """

    order: ClassVar[int] = 2
    evaluations_per_tick: ClassVar[int] = 2
    stage_offsets: ClassVar[tuple[float, ...]] = (0.0, 0.5)

    @property
    def name(self) -> str:
        return "predictor-corrector"

    @property
    def advance(self) -> Callable[..., Any]:
        return predictor_corrector
