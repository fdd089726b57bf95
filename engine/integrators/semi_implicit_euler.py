"""Semi-implicit Euler, the method of most game engines, with the momentum kept."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from ..kernels.semi_implicit_euler import semi_implicit_euler
from .integrator import OneStepMethod


@dataclass(frozen=True, repr=False)
class SemiImplicitEuler(OneStepMethod):
    """Kick velocity and angular momentum with the forces at the start of the tick, then move and turn with the new rates.

    Order 1, one evaluation a tick. Keeps the angular momentum of a free body to rounding at any spin; the energy of its rotation
    creeps up at a rate proportional to dt, until the body spins about the axis of its least moment. The motion of the mass centre is
    symplectic: the energy of an orbit or a spring stays bounded.

    Choose it for many cheap bodies and for the manners of a game. Not where the attitude has to be right after more than a few turns.

    Not to be confused with the explicit Euler step (old velocity moves the position), which gains energy everywhere, nor with the
    explicit gyroscopic step on body rates, which blows up.
    """

    order: ClassVar[int] = 1
    evaluations_per_tick: ClassVar[int] = 1
    stage_offsets: ClassVar[tuple[float, ...]] = (0.0,)

    @property
    def name(self) -> str:
        return "semi-implicit-euler"

    @property
    def advance(self) -> Callable[..., Any]:
        return semi_implicit_euler
