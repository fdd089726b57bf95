"""The interface between a world and an integration method."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from ..compilation.choice import Loop, ready, should_fuse
from ..compilation.compiler import has_address, without_dispatch
from ..compilation.packed import Packed
from ..loops import one_step
from ..loops.columns import Integers
from ..loops.layout import SKIPPED
from ..loops.one_step import Advance, accepted
from ..loops.program import Operation, moving
from ..store.bodies import Bodies
from ..store.threads import TakeTicks, on_threads
from .compiled_forces import NO_FORCES, Columns, CompiledForces, in_passes, passes_loops

EvaluateForces = Callable[[int, float], None]
"""Called as `evaluate(stage, offset)`, this adds the forces of that stage to its wrench, `offset` [s] after the start of the tick."""


TakeStagedTick = Callable[[EvaluateForces], bool]
LoopCall = partial[int]
"""Called as `loop(stage, ticks)`: a loop in passes with its other arguments (see `loops.one_step.passes`)."""


class StagedTick:
    """One tick prepared in advance: a loop is called for each stage in turn, and once more for the end of the tick."""

    __slots__ = ("_loop", "_stages")

    def __init__(self, loop: LoopCall, stages: Sequence[tuple[int, float]]) -> None:
        """Create from a loop.

        Args:
            loop: The loop in passes.
            stages: For each evaluation of forces, its arguments.
        """
        function, arguments = loop.func, loop.args
        if has_address(function):
            function = without_dispatch(function, *arguments, 0, 1)
        self._loop = partial(function, *arguments)
        self._stages = tuple(enumerate(stages))

    def __call__(self, evaluate: EvaluateForces) -> bool:
        loop = self._loop
        for number, (block, offset) in self._stages:
            result = loop(number, 1)
            if result == SKIPPED:
                continue
            if result <= 0:
                accepted(result)
                return False
            evaluate(block, offset)
        return accepted(loop(len(self._stages), 1)) == 1


class Beside:
    """What acts on bodies in each step of a tick beside the method; by itself, nothing does.

    Attributes:
        moves_mass: Whether mass centres may move in the body frame.
    """

    moves_mass = False

    def around(
        self, integrator: "Integrator", control: Integers, dt: float
    ) -> tuple[Sequence[Operation], Sequence[Operation]]:
        """The operations before and after the bodies are moved over a step of `dt` [s], which `control` then has counted."""
        return (), ()

    def around_steps(self) -> tuple[Sequence[Operation], Sequence[Operation], Sequence[Operation]]:
        """The operations of a tick of several steps before the first step, after each step, and after the last one."""
        return (), (), ()

    def staged(
        self,
        integrator: "Integrator",
        bodies: Bodies,
        control: Integers,
        dt: float,
        gyroscopic: bool,
        forces: CompiledForces,
        depends_on_rates: bool,
    ) -> TakeStagedTick:
        """Create the function that takes one step of `dt` [s], and calls back for forces; see `Integrator._staged_tick`."""
        return integrator._staged_tick(bodies, control, dt, gyroscopic, forces, depends_on_rates)


ALONE = Beside()
"""Nothing."""


class Integrator(ABC):
    """Base class of the integration methods.

    A method is final. To change a method, wrap it instead of subclassing it.
    """

    _fuses_ticks: bool = True
    """Whether one call may run many ticks; False for a method that can reject a tick."""
    _steps_per_tick: int | None = 1
    """The number of equal steps that a tick is divided into; None if it depends on the motion."""
    _takes_actuators: bool = True
    """Whether wheels, tanks and pulses may act; False for a method that tries ticks of several lengths or reuses earlier wrenches."""
    _divides_ticks: bool = False
    """Whether a tick consists of several steps, in each of which actuators and joints act."""
    _takes_compiled_forces: bool = True
    """Whether `_held_ticks` accepts compiled forces; False for a method that needs each wrench."""

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

    def _check_game_mode(self, game_mode: bool) -> None:  # noqa: B027 (most methods support both)
        """Raise `ValueError` with the reason if the method does not support this mode.

        Args:
            game_mode: Whether the gyroscopic term is dropped.
        """

    def _operations(
        self,
        bodies: Bodies,
        control: Integers,
        dt: float,
        gyroscopic: bool,
        forces: CompiledForces,
        threads: int,
        beside: Beside,
    ) -> list[Operation]:
        """The operations of a tick with what acts beside the method; for the other arguments see `_held_ticks`."""
        before, after = beside.around(self, control, dt)
        take = self._held_ticks(bodies, control, dt, gyroscopic, forces, threads)
        return [*before, moving(take, bodies.array, control, bodies.stores_momentum), *after]

    @abstractmethod
    def _held_ticks(
        self,
        bodies: Bodies,
        control: Integers,
        dt: float,
        gyroscopic: bool,
        forces: CompiledForces = NO_FORCES,
        threads: int = 1,
    ) -> TakeTicks:
        """Create `take(ticks)`, which runs up to that many ticks with held wrench rows and with `forces` evaluated at each stage.

        It is valid until the bodies' `layout_version` changes. It returns the number of ticks that ended finite, each counted in
        `control`. If fewer ticks ended finite than were requested, the tick after them was undone. A negative result means that a
        loop rejected its array and changed nothing.
        """

    @abstractmethod
    def _kernels(self, bodies: Columns, dt: float, gyroscopic: bool, forces: CompiledForces) -> list[Loop]:
        """Return every loop that may run ticks of these bodies with these forces, the fastest first."""

    @abstractmethod
    def _staged_tick(
        self,
        bodies: Bodies,
        control: Integers,
        dt: float,
        gyroscopic: bool,
        forces: CompiledForces,
        depends_on_rates: bool,
        beside: Beside = ALONE,
    ) -> TakeStagedTick:
        """Create `take(evaluate)`, which runs one tick and returns whether it ended finite.

        At each stage, `forces` act, and so do the forces that `evaluate` adds. The result is valid until the bodies' `layout_version`
        changes. If an evaluation raises or the tick does not end finite, the bodies are unchanged. Every other tick is counted in
        `control`. `depends_on_rates` says whether one of all these forces depends on velocity or angular velocity. Only a method that
        divides ticks cares for what acts `beside` it.
        """


@dataclass(frozen=True, repr=False)
class OneStepMethod(Integrator):
    """A method that starts each tick from the state alone, written as one scalar function `advance` (see `loops.one_step`)."""

    stage_offsets: ClassVar[tuple[float, ...]]
    """The time of each evaluation, in ticks after the start of the tick."""

    @property
    @abstractmethod
    def advance(self) -> Advance:
        """Scalar function of the method."""

    def _held_ticks(
        self,
        bodies: Bodies,
        control: Integers,
        dt: float,
        gyroscopic: bool,
        forces: CompiledForces = NO_FORCES,
        threads: int = 1,
    ) -> TakeTicks:
        if not forces.in_passes:
            fused = self._fused_loop(bodies, dt, gyroscopic, forces)
            if should_fuse(fused, self._passes_loops(bodies, dt, gyroscopic), bool(forces.kinds)):
                loop = ready(fused, bodies.may_run_in_python)
                return on_threads(
                    *(bodies, control, threads, forces.layers),
                    lambda array, own, layers: partial(loop, array, own, layers, dt),
                )
        return partial(self._passes(bodies, control, dt, gyroscopic, forces), -1)

    def _kernels(self, bodies: Columns, dt: float, gyroscopic: bool, forces: CompiledForces) -> list[Loop]:
        fused = [] if forces.in_passes else [self._fused_loop(bodies, dt, gyroscopic, forces)]
        return [*fused, *self._passes_loops(bodies, dt, gyroscopic)]

    def _fused_loop(self, bodies: Columns, dt: float, gyroscopic: bool, forces: CompiledForces) -> Loop:
        made_for = self.advance, self.stage_offsets, bodies.stores_momentum, gyroscopic, bodies.pitch, forces.kinds
        return Loop(one_step.held_ticks, made_for, (bodies.array, bodies.control, forces.layers, dt, 1))

    def _staged_tick(
        self,
        bodies: Bodies,
        control: Integers,
        dt: float,
        gyroscopic: bool,
        forces: CompiledForces,
        depends_on_rates: bool,
        beside: Beside = ALONE,
    ) -> TakeStagedTick:
        loop = self._passes(bodies, control, dt, gyroscopic, forces)
        return StagedTick(loop, [(stage, offset * dt) for stage, offset in enumerate(self.stage_offsets)])

    def _passes(
        self, bodies: Bodies, control: Integers, dt: float, gyroscopic: bool, forces: CompiledForces
    ) -> LoopCall:
        loop, tables = in_passes(self._passes_loops(bodies, dt, gyroscopic), bodies, forces)
        stages = bodies.stage_array(self.evaluations_per_tick)
        return partial(loop, Packed(bodies.array, control, stages, *tables, dt))

    def _passes_loops(self, bodies: Columns, dt: float, gyroscopic: bool) -> list[Loop]:
        made_for = self.advance, self.stage_offsets, bodies.stores_momentum, gyroscopic
        return passes_loops(one_step.passes, made_for, bodies, (bodies.array, bodies.control), dt)
