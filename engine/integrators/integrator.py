"""What a method is to the world: a named way to take one tick."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..kernels import loops
from ..kernels.fields import FieldKind
from ..kernels.layout import POINT_FORCE_ROWS, SPRING_ROWS
from ..kernels.loops import accepted
from ..store.bodies import Bodies
from ..threads import TakeTicks, on_threads

EvaluateForces = Callable[[int, float], None]
"""Called as `evaluate(stage, offset)`: add the forces of that stage to its wrench, `offset` [s] after the start of the tick."""


TakeStagedTick = Callable[[EvaluateForces], bool]
LoopCall = Callable[[], int]
"""A loop with all its arguments."""


class StagedTick:
    """One tick laid out beforehand: loops and evaluations of forces in turn, and a last loop that counts what is not finite."""

    __slots__ = ("_end", "_steps")

    def __init__(self, steps: Sequence[tuple[LoopCall, int, float]], end: LoopCall) -> None:
        """Args: a loop, and the arguments of the evaluation that follows it, for each evaluation; and the last loop."""
        self._steps = steps
        self._end = end

    def __call__(self, evaluate: EvaluateForces) -> bool:
        for loop, stage, offset in self._steps:
            if loop() < 0:
                accepted(-1)
            evaluate(stage, offset)
        return accepted(self._end()) == 0


class CompiledForces(NamedTuple):
    """Forces that compiled loops evaluate at each stage by themselves; the arrays are those of `kernels.layout`."""

    kinds: tuple[FieldKind, ...] = ()
    """The kinds of force fields that act, in the order in which they add up."""
    layers: Any = 0.0
    """Their parameters per body, shape (rows, pitch); anything where there is no field."""
    counts: Any = None
    """How many springs, how many point forces, and how many layers of each kind."""
    springs: Any = None
    """Shape (12, capacity); None where there are none."""
    point_forces: Any = None
    """Shape (8, capacity); None where there are none."""
    in_passes: bool = False
    """Whether each stage is a pass over all bodies: there are springs or point forces, or several layers of one kind."""
    depends_on_rates: bool = False

    @property
    def tables(self) -> tuple[Any, Any, Any, Any]:
        """Springs, point forces, layers and counts, as the loops in passes take them."""
        springs = _NO_SPRINGS if self.springs is None else self.springs
        point_forces = _NO_POINT_FORCES if self.point_forces is None else self.point_forces
        return springs, point_forces, self.layers, self.counts


_NO_SPRINGS, _NO_POINT_FORCES = np.zeros((SPRING_ROWS, 1)), np.zeros((POINT_FORCE_ROWS, 1))

NO_FORCES = CompiledForces()


class Integrator(ABC):
    """Takes ticks. A method is final: it is wrapped to be changed, not overridden."""

    fuses_ticks: bool = True
    """Whether many ticks may be asked for in one call; False for one that can refuse a tick."""
    takes_compiled_forces: bool = True
    """Whether `held_ticks` takes them; False for a method that has to see each wrench."""

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
    def held_ticks(
        self, bodies: Bodies, dt: float, gyroscopic: bool, forces: CompiledForces = NO_FORCES, threads: int = 1
    ) -> TakeTicks:
        """Make `take(ticks)`: up to so many ticks with the wrench rows held and `forces` evaluated at each stage.

        It is good until the bodies' `layout_version` changes, and returns how many ticks ended finite, each counted in the bodies'
        `control`. Where that is fewer, the tick after them was undone. A negative result says that a loop rejected its array, and
        nothing was done.
        """

    @abstractmethod
    def staged_tick(self, bodies: Bodies, dt: float, gyroscopic: bool, depends_on_rates: bool) -> TakeStagedTick:
        """Make `take(evaluate)`: one tick, evaluating forces at each stage; whether it ended finite.

        It is good until the bodies' `layout_version` changes. Where an evaluation raises, the bodies are as they were, and so they are
        after a tick that did not end finite; any other is counted in the bodies' `control`. `depends_on_rates` says whether some of these
        forces depend on velocity or angular velocity.
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

    def held_ticks(
        self, bodies: Bodies, dt: float, gyroscopic: bool, forces: CompiledForces = NO_FORCES, threads: int = 1
    ) -> TakeTicks:
        made_for = bodies.stores_momentum, gyroscopic, bodies.pitch
        arguments = self.advance, self.stage_offsets, *made_for, forces.kinds
        if forces.in_passes:
            stages = bodies.stage_array(self.evaluations_per_tick)
            return partial(loops.coupled_ticks(*arguments), bodies.array, bodies.control, stages, *forces.tables, dt)
        loop = loops.held_ticks(*arguments)
        return on_threads(
            bodies, threads, forces.layers, lambda array, control, layers: partial(loop, array, control, layers, dt)
        )

    def staged_tick(self, bodies: Bodies, dt: float, gyroscopic: bool, depends_on_rates: bool) -> TakeStagedTick:
        advance, evaluations = self.advance, self.evaluations_per_tick
        made_for = evaluations, bodies.stores_momentum, gyroscopic, bodies.pitch
        arguments = bodies.array, bodies.control, bodies.stage_array(evaluations), dt
        steps = [
            (partial(loops.stage_state(advance, stage, *made_for), *arguments), stage, offset * dt)
            for stage, offset in enumerate(self.stage_offsets)
        ]
        return StagedTick(steps, partial(loops.staged_end(advance, *made_for), *arguments))
