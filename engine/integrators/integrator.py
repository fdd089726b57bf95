"""The interface between a world and an integration method."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

from ..checks import FloatArray
from ..compilation.choice import Loop, Role, ready, should_fuse
from ..compilation.packed import Packed
from ..loops import one_step
from ..loops.columns import Integers
from ..loops.one_step import Advance
from ..loops.program import AtStages, Operation, moving, moving_in_stages
from ..loops.undo import Undone
from ..store.bodies import Bodies
from ..store.threads import TakeTicks, on_threads
from .compiled_forces import NO_FORCES, Columns, CompiledForces, in_passes, members_in, passes_loops

LoopCall = partial[int]
"""Called as `loop(stage, ticks)`: a loop in passes with its first argument (see `loops.one_step.passes`)."""
Stages = Sequence[tuple[int, float]]
"""The block of the stage array, and the time [s] after the start of the tick, of each evaluation of forces in a tick."""


class Step(NamedTuple):
    """A tick, or one of the steps that a tick is divided into.

    Attributes:
        bodies: The bodies that are moved.
        control: Counts the ticks or steps.
        dt: The length [s].
        gyroscopic: False in game mode.
        forces: The forces in compiled loops, beside the held wrench.
        threads: The number of threads that may share the bodies.
        per_tick: How many of these steps a tick has.
        at_stages: What acts at the stages of the method beside the forces in compiled loops; None if nothing does.
    """

    bodies: Bodies
    control: Integers
    dt: float
    gyroscopic: bool
    forces: CompiledForces = NO_FORCES
    threads: int = 1
    per_tick: int = 1
    at_stages: AtStages | None = None


Moves = Callable[[], list[Operation]]


class Beside:
    """What acts on bodies in each step of a tick beside the method; by itself, nothing does.

    Attributes:
        moves_mass: Whether mass centres may move in the body frame.
    """

    moves_mass = False

    def around(self, integrator: "Integrator", step: Step, moves: Moves) -> list[Operation]:
        """The operations of a step in which `moves` makes those of the method, unless the bodies are moved otherwise."""
        return moves()

    def before_steps(self, step: Step) -> list[Operation]:
        """The operations before the first of the steps into which this one is divided."""
        return []


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
    _counts_per_tick: int = 1
    """How often a tick raises the count from which fields have the time."""
    _takes_actuators: bool = True
    """Whether wheels, tanks and pulses may act; False for a method that tries ticks of several lengths or reuses earlier wrenches."""
    _divides_ticks: bool = False
    """Whether a tick consists of several steps, in each of which actuators and joints act."""

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

    @abstractmethod
    def _operations(self, step: Step, beside: Beside = ALONE) -> list[Operation]:
        """The operations of a tick or step, with held wrench rows and the step's forces at each stage.

        They are valid until the world's loops are to be bound anew.
        """

    @abstractmethod
    def _kernels(self, bodies: Columns, dt: float, gyroscopic: bool, forces: CompiledForces) -> list[Loop]:
        """Return every loop that may run ticks of these bodies with these forces, the fastest first."""


class MethodInStages(Integrator):
    """A method that moves all bodies in one loop, or from stage to stage where other forces than compiled ones act."""

    def _operations(self, step: Step, beside: Beside = ALONE) -> list[Operation]:
        return beside.around(self, step, partial(self._moves, step))

    def _moves(self, step: Step) -> list[Operation]:
        """The operations that move the bodies over a step."""
        acting, undone = step.at_stages, Undone(step.bodies.array, step.control, int(step.bodies.stores_momentum))
        if acting is None:
            return [moving(self._held_ticks(step), undone)]
        stages = [(block, offset * step.dt) for block, offset in self._evaluations(acting.depends_on_rates)]
        return moving_in_stages(self._passes(step, acting.depends_on_rates), stages, acting, undone, step.dt)

    def _held_ticks(self, step: Step) -> TakeTicks:
        """Create `take(ticks)`, which runs up to that many ticks with held wrench rows and with the forces evaluated at each stage.

        It returns the number of ticks that ended finite, each counted in `control`. If fewer ticks ended finite than were requested, the
        tick after them was undone. A negative result means that a loop rejected its array and changed nothing.
        """
        bodies, control, dt, gyroscopic, forces, threads, *_rest = step
        if not forces.in_passes:
            fused = self._fused_loop(bodies, dt, gyroscopic, forces)
            if should_fuse(fused, self._passes_loops(bodies, gyroscopic), bool(forces.kinds)):
                loop, constants = ready(fused, bodies.may_run_in_python), self._constants
                return on_threads(
                    *(bodies, control, threads, forces.layers),
                    lambda array, own, layers: partial(loop, array, own, *constants, layers, dt),
                )
        return partial(self._passes(step, forces.depends_on_rates), -1)

    def _kernels(self, bodies: Columns, dt: float, gyroscopic: bool, forces: CompiledForces) -> list[Loop]:
        fused = [] if forces.in_passes else [self._fused_loop(bodies, dt, gyroscopic, forces)]
        return [*fused, *self._passes_loops(bodies, gyroscopic)]

    @property
    def _constants(self) -> tuple[FloatArray, ...]:
        """What the fused loop is given of the method."""
        return ()

    @abstractmethod
    def _evaluations(self, depends_on_rates: bool) -> Stages:
        """The block of the stage array, and the time in ticks, of each evaluation of forces in passes."""

    @abstractmethod
    def _fused_loop(self, bodies: Columns, dt: float, gyroscopic: bool, forces: CompiledForces) -> Loop:
        """The loop in one pass, with these fields compiled in."""

    @abstractmethod
    def _passes_loops(self, bodies: Columns, gyroscopic: bool) -> list[Loop]:
        """The loops in passes, the fast one first."""

    @abstractmethod
    def _passes(self, step: Step, depends_on_rates: bool) -> LoopCall:
        """A loop in passes with its arguments."""


@dataclass(frozen=True, repr=False)
class OneStepMethod(MethodInStages):
    """A method that starts each tick from the state alone, written as one scalar function `advance` (see `loops.one_step`)."""

    stage_offsets: ClassVar[tuple[float, ...]]
    """The time of each evaluation, in ticks after the start of the tick."""

    @property
    @abstractmethod
    def advance(self) -> Advance:
        """Scalar function of the method."""

    def _fused_loop(self, bodies: Columns, dt: float, gyroscopic: bool, forces: CompiledForces) -> Loop:
        made_for = self.advance, self.stage_offsets, bodies.stores_momentum, gyroscopic, bodies.pitch, forces.kinds
        return Loop(one_step.held_ticks, made_for, (bodies.array, bodies.control, forces.layers, dt, 1), Role.FUSED)

    def _evaluations(self, depends_on_rates: bool) -> Stages:
        return list(enumerate(self.stage_offsets))

    def _passes(self, step: Step, depends_on_rates: bool) -> LoopCall:
        bodies, control, dt, gyroscopic, forces, *_rest = step
        loop, tables = in_passes(self._passes_loops(bodies, gyroscopic), bodies, forces)
        stages = bodies.stage_array(self.evaluations_per_tick)
        members = members_in(loop, bodies)
        return partial(loop, Packed(one_step.Passes(bodies.array, control, stages, tables, members, dt)))

    def _passes_loops(self, bodies: Columns, gyroscopic: bool) -> list[Loop]:
        made_for = self.advance, self.stage_offsets, bodies.stores_momentum, gyroscopic
        return passes_loops(one_step.passes, made_for, bodies, one_step.Passes)
