"""Ticks divided into smaller steps, either a fixed number or as many as a tolerance requires."""

from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, explaining_errors, integer, real, refuse
from ..compilation.choice import Loop
from ..compilation.kernel_types import Arguments
from ..compilation.packed import Packed, declared_in
from ..loops import steps as steps_of_ticks
from ..loops.columns import Integers
from ..loops.keeping import keeping
from ..loops.layout import (
    ANGULAR_VELOCITY,
    ORIENTATION,
    POSITION,
    STATE_ROWS,
    STORED_MOMENTUM,
    TICKS,
    VELOCITY,
)
from ..loops.one_step import accepted
from ..loops.program import Operation, Program
from ..loops.steps import MOVED_ROWS, WITH_CENTERS, Counts, Divided, blame_steps, end_steps, open_steps
from ..store.bodies import Bodies
from .compiled_forces import Columns, CompiledForces
from .extrapolated import Extrapolated
from .integrator import ALONE, Beside, Integrator, Step
from .named import method_of

MOST_SUBSTEPS = 1024
"""Maximum number of steps per tick with a tolerance; a tick that needs more is rejected."""

_STATE_ROWS = np.r_[POSITION:STATE_ROWS, STORED_MOMENTUM : STORED_MOMENTUM + 3]
"""The components that a tick changes."""
_MOST_STEPS = 1_000_000  # of a tick; far more than rounding leaves a use for

ProgramOf = Callable[[int], Program]
"""Called with the number of steps of a tick, this returns the program of such a step."""


@explaining_errors()
class Substepped(Integrator):
    """Wrapper around a method that divides each tick into equal steps.

    Order and conservation are those of the inner method at the smaller step, and the number of evaluations per tick is multiplied by the
    number of steps. Forces that are evaluated once per tick, including motor torques, are still evaluated only once and held constant.
    Applied forces act for the whole tick.

    With a tolerance, the tick is run in 1, 2, 4, … steps until the result changes by no more than the tolerance. The change is the largest
    of four numbers: the change in position [m], the change in attitude [rad], dt times the change in velocity [m], and dt times the change
    in angular velocity [rad]. All bodies are stepped together, so that they interact at the same times, and each keeps its first converged
    result. Bodies that exert no force on a body therefore do not affect its result. The error of the result is smaller than the tolerance
    by a factor of about ``2^p`` for a method of order p. Nothing is carried from tick to tick, so the same state always takes the same
    steps. If 1024 steps are not enough, the tick is rejected with `ArithmeticError`.

    Choose a fixed number of steps if the tick is determined by the frame rate rather than by the motion. Choose a tolerance if the motion
    has slow and fast phases. Do not use a tolerance with forces that record their evaluations, because such forces are evaluated repeatedly
    at the same times.

    Source: Mandre (2008), 7.4.

    Args:
        integrator: The inner method, or its name. It must not be `Extrapolated`; use `Extrapolated(Substepped(…))` instead.
        n: The number of steps per tick, at least 1. Give this or `tolerance`.
        tolerance: Maximum change, as defined above, when the number of steps is doubled; above zero.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a value is out of range, the inner method is `Extrapolated`, or not exactly one of `n` and `tolerance` is given.

    Example:
        >>> from engine import World
        >>> World(dt=0.1, integrator=Substepped("rk4", 5)).integrator.name
        'rk4 in 5'
    """

    _divides_ticks = True

    def __init__(self, integrator: Integrator | str, n: int | None = None, *, tolerance: float | None = None) -> None:
        integrator = method_of(integrator, "Substepped", "integrator")
        if isinstance(integrator, Extrapolated):
            refuse(
                "Substepped",
                "integrator",
                integrator,
                "a method that does not extrapolate, because its history consists of whole ticks",
                hint="use Extrapolated(Substepped(…)) instead",
            )
        if (n is None) == (tolerance is None):
            refuse("Substepped", "exactly one of n and tolerance", (n, tolerance), "given")
        if n is not None:
            n = integer(n, "n", "Substepped", at_least=1)
            if n > _MOST_STEPS:
                refuse("Substepped", "n", n, f"at most {_MOST_STEPS}")
        self.integrator = integrator
        self.n = n
        self.tolerance = None if tolerance is None else real(tolerance, "tolerance", "Substepped", above=0.0)
        self._fuses_ticks = n is not None and integrator._fuses_ticks
        self._takes_actuators = n is not None and integrator._takes_actuators
        inner = integrator._steps_per_tick
        self._steps_per_tick = None if inner is None or self.n is None else self.n * inner
        self._counts_per_tick = integrator._counts_per_tick * (self.n or 1)

    def __repr__(self) -> str:
        chosen = f"{self.n}" if self.n is not None else f"tolerance={self.tolerance!r}"
        return f"Substepped({self.integrator!r}, {chosen})"

    @property
    def name(self) -> str:
        chosen = f"in {self.n}" if self.n is not None else f"to {self.tolerance:g}"
        return f"{self.integrator.name} {chosen}"

    @property
    def order(self) -> int:
        return self.integrator.order

    @property
    def evaluations_per_tick(self) -> int:
        """Evaluations of the inner method times the number of steps; with a tolerance, the smallest possible number."""
        return self.integrator.evaluations_per_tick * (3 if self.n is None else self.n)

    def _check_game_mode(self, game_mode: bool) -> None:
        self.integrator._check_game_mode(game_mode)

    def _operations(self, step: Step, beside: Beside = ALONE) -> list[Operation]:
        bodies, control, steps, dt = step.bodies, step.control, step.control.copy(), step.dt

        def operations(count: int) -> list[Operation]:
            each = step._replace(control=steps, dt=dt / count, per_tick=count * step.per_tick)
            return self.integrator._operations(each, beside)

        @cache
        def program(count: int) -> Program:
            return Program(operations(count), steps)

        def converge(_arguments: Packed[Arguments], _operand: int, _ticks_left: int) -> int:
            return self._converge(bodies, control, steps, dt, program)

        inside = [Operation(converge, Packed(()))] if self.n is None else operations(self.n)
        rows = WITH_CENTERS if beside.moves_mass else MOVED_ROWS
        keep_bodies, kept = keeping(bodies.array, rows, bodies.padded_count)
        divided = Packed(Divided(Counts(control, steps, self.n or 1), kept))
        begin = [Operation(open_steps, divided, 0, (blame_steps, divided)), keep_bodies, *beside.before_steps(step)]
        return [*begin, *inside, Operation(end_steps, divided, len(inside))]

    def _kernels(self, bodies: Columns, dt: float, gyroscopic: bool, forces: CompiledForces) -> list[Loop]:
        return [*declared_in(steps_of_ticks), *self.integrator._kernels(bodies, dt, gyroscopic, forces)]

    def _converge(self, bodies: Bodies, control: Integers, steps: Integers, dt: float, program: ProgramOf) -> bool:
        """Double the number of steps until no body's result changes by more than the tolerance; each keeps its first such result."""
        assert self.tolerance is not None
        array, rows = bodies.array, slice(0, bodies.count)
        start = array[_STATE_ROWS, rows]
        result, settled = start.copy(), np.zeros(start.shape[1], dtype=np.bool_)
        coarse: FloatArray | None = None
        for count in (1 << doublings for doublings in range(MOST_SUBSTEPS.bit_length())):
            program(count).recover()
            array[_STATE_ROWS, rows] = start
            steps[TICKS] = control[TICKS] * count
            finite = accepted(program(count).run(count)) == count
            fine = array[_STATE_ROWS, rows]
            if finite and coarse is not None:
                fresh = ~settled & (_change(coarse, fine, dt) <= self.tolerance)
                result[:, fresh] = fine[:, fresh]
                settled |= fresh
                if settled.all():
                    array[_STATE_ROWS, rows] = result
                    return True
            coarse = fine if finite else None
        if not finite:
            return False
        row = int(np.flatnonzero(~settled)[0])
        raise ArithmeticError(
            f"{self!r}: the result of the body in row {row} still changes by more than the tolerance between "
            f"{MOST_SUBSTEPS // 2} and {MOST_SUBSTEPS} sub-steps of a tick of {dt:g} s. The world is as it was before that "
            "tick; use a shorter tick or a larger tolerance"
        )


def _change(a: FloatArray, b: FloatArray, dt: float) -> npt.NDArray[np.float64]:
    """The difference between two states of each body: the largest of distance [m], angle [rad], and dt times the change of either rate.

    It is computed component by component, so that no sum is reordered and a body's result does not depend on the other bodies.
    """
    difference = np.abs(a - b)
    # q and −q are one orientation; a small angle is twice the change of the quaternion
    turned = np.abs(a[ORIENTATION:VELOCITY] + b[ORIENTATION:VELOCITY]).max(axis=0)
    angle = 2.0 * np.minimum(difference[ORIENTATION:VELOCITY].max(axis=0), turned)
    rates = dt * np.maximum(
        difference[VELOCITY:ANGULAR_VELOCITY].max(axis=0), difference[ANGULAR_VELOCITY:STATE_ROWS].max(axis=0)
    )
    return np.maximum(np.maximum(difference[POSITION:ORIENTATION].max(axis=0), angle), rates)
