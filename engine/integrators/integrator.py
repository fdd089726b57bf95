"""The interface between a world and an integration method."""

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
"""Called as `evaluate(stage, offset)`, this adds the forces of that stage to its wrench, `offset` [s] after the start of the tick."""


TakeStagedTick = Callable[[EvaluateForces], bool]
LoopCall = Callable[[], int]
"""A loop with all its arguments."""


class StagedTick:
    """One tick prepared in advance, as alternating loops and force evaluations and a last loop that finds values that are not finite."""

    __slots__ = ("_end", "_steps")

    def __init__(self, steps: Sequence[tuple[LoopCall, int, float]], end: LoopCall) -> None:
        """Create from loops.

        Args:
            steps: For each evaluation, the loop before it and the arguments of the evaluation.
            end: The last loop.
        """
        self._steps = steps
        self._end = end

    def __call__(self, evaluate: EvaluateForces) -> bool:
        for loop, stage, offset in self._steps:
            if loop() < 0:
                accepted(-1)
            evaluate(stage, offset)
        return accepted(self._end()) == 0


class CompiledForces(NamedTuple):
    """Forces that compiled loops evaluate at each stage without calling Python, in the arrays of `kernels.layout`."""

    kinds: tuple[FieldKind, ...] = ()
    """The kinds of fields that act, in the order in which they are added."""
    layers: Any = 0.0
    """Their parameters per body, shape (rows, pitch); any value if there is no field."""
    counts: Any = None
    """The number of springs, of point forces, and of layers of each kind."""
    springs: Any = None
    """The springs, shape (12, capacity); None if there are none."""
    point_forces: Any = None
    """The point forces, shape (8, capacity); None if there are none."""
    in_passes: bool = False
    """Whether each stage is a pass over all bodies, because there are springs, point forces or several layers of one kind."""
    depends_on_rates: bool = False

    @property
    def tables(self) -> tuple[Any, Any, Any, Any]:
        """Springs, point forces, layers and counts, as the arguments of the loops in passes."""
        springs = _NO_SPRINGS if self.springs is None else self.springs
        point_forces = _NO_POINT_FORCES if self.point_forces is None else self.point_forces
        return springs, point_forces, self.layers, self.counts


_NO_SPRINGS, _NO_POINT_FORCES = np.zeros((SPRING_ROWS, 1)), np.zeros((POINT_FORCE_ROWS, 1))

NO_FORCES = CompiledForces()


class Integrator(ABC):
    """Base class of the integration methods.

    A method is final. To change a method, wrap it instead of subclassing it.
    """

    fuses_ticks: bool = True
    """Whether one call may run many ticks; False for a method that can reject a tick."""
    takes_compiled_forces: bool = True
    """Whether `held_ticks` accepts compiled forces; False for a method that needs each wrench."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the method."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    @property
    @abstractmethod
    def order(self) -> int:
        """Order p of the method; halving dt divides the error by ``2**p``."""

    @property
    @abstractmethod
    def evaluations_per_tick(self) -> int:
        """Number of evaluations per tick of the forces that depend on the state.

        Splitting methods evaluate two or four times as often while one of these forces depends on the rates.
        """

    def check_game_mode(self, game_mode: bool) -> None:  # noqa: B027 (most methods support both)
        """Raise `ValueError` with the reason if the method does not support this mode.

        Args:
            game_mode: Whether the gyroscopic term is dropped.
        """

    @abstractmethod
    def held_ticks(
        self, bodies: Bodies, dt: float, gyroscopic: bool, forces: CompiledForces = NO_FORCES, threads: int = 1
    ) -> TakeTicks:
        """Create `take(ticks)`, which runs up to that many ticks with held wrench rows and with `forces` evaluated at each stage.

        It is valid until the bodies' `layout_version` changes. It returns the number of ticks that ended finite, each counted in the
        bodies' `control`. If fewer ticks ended finite than were requested, the tick after them was undone. A negative result means that a
        loop rejected its array and changed nothing.
        """

    @abstractmethod
    def staged_tick(self, bodies: Bodies, dt: float, gyroscopic: bool, depends_on_rates: bool) -> TakeStagedTick:
        """Create `take(evaluate)`, which runs one tick with forces evaluated at each stage and returns whether it ended finite.

        It is valid until the bodies' `layout_version` changes. If an evaluation raises or the tick does not end finite, the bodies are
        unchanged. Every other tick is counted in the bodies' `control`. `depends_on_rates` says whether some of these forces depend on
        velocity or angular velocity.
        """


@dataclass(frozen=True, repr=False)
class OneStepMethod(Integrator):
    """A method that starts each tick from the state alone, written as one scalar function `advance` (see `kernels.loops`)."""

    stage_offsets: ClassVar[tuple[float, ...]]
    """The time of each evaluation, in ticks after the start of the tick."""

    @property
    @abstractmethod
    def advance(self) -> Callable[..., Any]:
        """Scalar function of the method."""

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
