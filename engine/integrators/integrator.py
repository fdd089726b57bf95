"""What a method is to the world: a named way to take one tick."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from ..columns import Columns
from ..kernels import loops

EvaluateForces = Callable[[int, float], None]
"""Called as `evaluate(stage, offset)`: add the forces of that stage to its wrench, `offset` [s] after the start of the tick."""


class Integrator(ABC):
    """Takes ticks. A method is final: it is wrapped to be changed, not overridden."""

    fuses_ticks: bool = True
    """Whether many ticks may be asked for in one call; False for one that can refuse a tick."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The string under which the world knows the method."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    @property
    @abstractmethod
    def order(self) -> int:
        """How fast the error falls: halving dt divides it by two to this power."""

    @property
    @abstractmethod
    def evaluations_per_tick(self) -> int:
        """How often in a tick the forces that depend on the state are evaluated.

        Splitting methods do so two or four times as often while one of these forces depends on the rates.
        """

    def check_game_mode(self, game_mode: bool) -> None:  # noqa: B027 (most methods can fly both)
        """Raise `ValueError` with the reason where the method cannot do without the gyroscopic term, or with it."""

    @abstractmethod
    def take_held_ticks(self, columns: Columns, dt: float, ticks: int, gyroscopic: bool) -> int:
        """Take up to `ticks` ticks with the wrench rows held; return how many ended finite.

        Where that is fewer, the tick after them has been written and has to be undone.
        """

    @abstractmethod
    def take_staged_tick(
        self, columns: Columns, dt: float, gyroscopic: bool, evaluate: EvaluateForces, depends_on_rates: bool
    ) -> bool:
        """Take one tick, evaluating forces at each stage; return whether it ended finite.

        Where an evaluation raises, the bodies are as they were; a tick that did not end finite has to be undone. `depends_on_rates`
        says whether some of these forces depend on velocity or angular velocity.
        """


@dataclass(frozen=True, repr=False)
class OneStepMethod(Integrator):
    """A method whose tick starts from nothing but the state, written as one scalar function `advance` (see `kernels.loops`)."""

    stage_offsets: ClassVar[tuple[float, ...]]
    """When each evaluation is made, in ticks after the start of the tick."""

    @property
    @abstractmethod
    def advance(self) -> Callable[..., Any]:
        """The scalar function of the method."""

    def take_held_ticks(self, columns: Columns, dt: float, ticks: int, gyroscopic: bool) -> int:
        loop = loops.held_ticks(self.advance, self.evaluations_per_tick, gyroscopic, columns.pitch)
        return loop(columns.array, columns.padded_count, dt, ticks)

    def take_staged_tick(
        self, columns: Columns, dt: float, gyroscopic: bool, evaluate: EvaluateForces, depends_on_rates: bool
    ) -> bool:
        evaluations, pitch, count = self.evaluations_per_tick, columns.pitch, columns.padded_count
        stages = columns.stage_array(evaluations)
        for stage, offset in enumerate(self.stage_offsets):
            loop = loops.stage_state(self.advance, stage, evaluations, gyroscopic, pitch)
            loop(columns.array, stages, count, dt)
            evaluate(stage, offset * dt)
        end = loops.staged_end(self.advance, evaluations, gyroscopic, pitch)
        return end(columns.array, stages, count, dt) == 0
