"""Ticks taken in smaller steps, as many as asked for or as many as the error wants."""

from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, real, refuse
from ..kernels.columns import Integers
from ..kernels.layout import (
    ANGULAR_VELOCITY,
    BAD,
    COUNT,
    ORIENTATION,
    POSITION,
    PREVIOUS,
    PREVIOUS_STORED_MOMENTUM,
    STATE_ROWS,
    STORED_MOMENTUM,
    TICKS,
    VELOCITY,
)
from ..kernels.loops import accepted
from ..kernels.undo import close_steps
from ..store.bodies import Bodies
from ..threads import TakeTicks
from .extrapolated import Extrapolated
from .integrator import NO_FORCES, CompiledForces, EvaluateForces, Integrator, TakeStagedTick

MOST_SUBSTEPS = 1024
"""The most into which a tick is cut on the way to a tolerance; a body that wants more has its tick refused."""

_STATE_ROWS = np.r_[POSITION:STATE_ROWS, STORED_MOMENTUM : STORED_MOMENTUM + 3]
"""All that a tick changes."""
_KEPT_ROWS = np.r_[
    _STATE_ROWS, PREVIOUS : PREVIOUS + STATE_ROWS, PREVIOUS_STORED_MOMENTUM : PREVIOUS_STORED_MOMENTUM + 3
]
"""That, and what was one tick earlier."""

TakeSteps = Callable[[float, int], bool]
"""Called as `take(step, count)`: that many steps of that length [s] from the state as it is; whether all ended finite."""


class Substepped(Integrator):
    """Another method, in equal steps that divide the tick.

    Order and conservation are those of the method inside, at its smaller step; the evaluations are multiplied by the number of steps.
    Forces that are known once a tick are still asked once and held, the torque of motors among them; pushes last the whole tick.

    With a tolerance the tick is taken in 1, 2, 4, … steps until the result changes by no more than that: the largest of the change in
    position [m], in attitude [rad], and of dt times the change of velocity and of rates. All bodies are stepped side by side, so that they
    see one another at the same times, and each keeps the first result that did not change: what a body does depends on no other that it
    feels no force from. The result itself is better than the tolerance, by about 2 to the order. Nothing is carried from tick
    to tick, so the same state always takes the same steps. Where 1024 are not enough the tick is refused with `ArithmeticError`.

    Choose a number where the tick is set by the frame and not by the motion; a tolerance where the motion has calm and wild stretches.
    Not for forces that remember when they were asked: with a tolerance they are asked again for the same times.

    Source: Mandre (2008), 7.4.

    Args:
        integrator: The method; not an `Extrapolated` one, which goes around this.
        n: How many steps to a tick, at least 1; or
        tolerance: The largest change by doubling them, above zero.
    """

    def __init__(self, integrator: Integrator, n: int | None = None, *, tolerance: float | None = None) -> None:
        if not isinstance(integrator, Integrator):
            refuse("Substepped", "integrator", integrator, "a method from engine.integrators", TypeError)
        if isinstance(integrator, Extrapolated):
            refuse(
                "Substepped",
                "integrator",
                integrator,
                "one that does not extrapolate: the history is one of whole ticks, so Extrapolated(Substepped(…)) it is",
            )
        if (n is None) == (tolerance is None):
            refuse("Substepped", "n and tolerance", (n, tolerance), "given one or the other")
        if n is not None:
            if isinstance(n, bool) or not isinstance(n, int | np.integer):
                refuse("Substepped", "n", n, "an integer of at least 1", TypeError)
            if n < 1:
                refuse("Substepped", "n", n, "an integer of at least 1")
        self.integrator = integrator
        self.n = None if n is None else int(n)
        self.tolerance = None if tolerance is None else real(tolerance, "tolerance", "Substepped", above=0.0)
        self.fuses_ticks = n is not None and integrator.fuses_ticks

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
        """Those of the inner method times the sub-steps; with a tolerance the fewest, of one sub-step and of two."""
        return self.integrator.evaluations_per_tick * (3 if self.n is None else self.n)

    def check_game_mode(self, game_mode: bool) -> None:
        self.integrator.check_game_mode(game_mode)

    def held_ticks(
        self, bodies: Bodies, dt: float, gyroscopic: bool, forces: CompiledForces = NO_FORCES, threads: int = 1
    ) -> TakeTicks:
        inside = _Steps(bodies)

        @cache
        def steps_of(step: float) -> TakeTicks:
            return self.integrator.held_ticks(inside.as_bodies, step, gyroscopic, forces, threads)

        def take_steps(step: float, count: int) -> bool:
            return accepted(steps_of(step)(count)) == count

        def take(ticks: int) -> int:
            return next((tick for tick in range(ticks) if not self._take_tick(inside, dt, take_steps)), ticks)

        return take

    def staged_tick(self, bodies: Bodies, dt: float, gyroscopic: bool, depends_on_rates: bool) -> TakeStagedTick:
        inside = _Steps(bodies)

        @cache
        def step_of(step: float) -> TakeStagedTick:
            return self.integrator.staged_tick(inside.as_bodies, step, gyroscopic, depends_on_rates)

        def take(evaluate: EvaluateForces) -> bool:
            start_time = float(bodies.control[TICKS]) * dt

            def take_steps(step: float, count: int) -> bool:
                def evaluate_in_step(stage: int, offset: float) -> None:
                    # the time as compiled loops work it out from their own count of steps; this difference has no rounding
                    evaluate(stage, float(inside.control[TICKS]) * step + offset - start_time)

                return all(step_of(step)(evaluate_in_step) for _ in range(count))

            return self._take_tick(inside, dt, take_steps)

        return take

    def _take_tick(self, inside: "_Steps", dt: float, take: TakeSteps) -> bool:
        bodies = inside.bodies
        tick, rows = bodies.control[TICKS], slice(0, bodies.padded_count)
        kept = bodies.array[_KEPT_ROWS, rows]
        try:
            if self.n is not None:
                finite = inside.take(take, dt, self.n)
            else:
                finite = self._converge(inside, dt, take)
            if finite:
                close_steps(bodies.array, bodies.control, kept)
            else:
                bodies.control[BAD] = inside.control[BAD]
                bodies.array[_KEPT_ROWS, rows] = kept
        except BaseException:
            if bodies.control[TICKS] == tick:  # else it came when the tick was over and counted
                bodies.array[_KEPT_ROWS, rows] = kept
            raise
        return finite

    def _converge(self, inside: "_Steps", dt: float, take: TakeSteps) -> bool:
        """Double the sub-steps until no body's result changes by more than the tolerance; each keeps the first that did not."""
        assert self.tolerance is not None
        array, rows = inside.bodies.array, slice(0, inside.bodies.count)
        start = array[_STATE_ROWS, rows]
        result, settled = start.copy(), np.zeros(start.shape[1], dtype=np.bool_)
        coarse: FloatArray | None = None
        count, finite = 1, False
        while count <= MOST_SUBSTEPS:
            array[_STATE_ROWS, rows] = start
            finite = inside.take(take, dt, count)
            fine = array[_STATE_ROWS, rows]
            if finite and coarse is not None:
                fresh = ~settled & (_change(coarse, fine, dt) <= self.tolerance)
                result[:, fresh] = fine[:, fresh]
                settled |= fresh
                if settled.all():
                    array[_STATE_ROWS, rows] = result
                    return True
            coarse = fine if finite else None
            count *= 2
        if not finite:
            return False
        row = int(np.flatnonzero(~settled)[0])
        raise ArithmeticError(
            f"{self!r}: the body in row {row} still changes by more than the tolerance between {MOST_SUBSTEPS // 2} and "
            f"{MOST_SUBSTEPS} sub-steps of a tick of {dt:g} s. The world is as it was before that tick."
        )


class _Steps:
    """The bodies as the method inside sees them: their count of ticks is one of steps, and the world's stands still meanwhile."""

    def __init__(self, bodies: Bodies) -> None:
        self.bodies = bodies
        self.control: Integers = bodies.control.copy()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.bodies, name)

    @property
    def as_bodies(self) -> Bodies:
        """This, where bodies are asked for."""
        return cast(Bodies, self)

    def take(self, take: TakeSteps, dt: float, count: int) -> bool:
        """One tick in so many steps; whether all ended finite."""
        self.control[TICKS] = self.bodies.control[TICKS] * count
        self.control[COUNT] = self.bodies.control[COUNT]
        return take(dt / count, count)


def _change(a: FloatArray, b: FloatArray, dt: float) -> npt.NDArray[np.float64]:
    """How far apart two states of each body are: the largest of distance [m], angle [rad], and dt times the change of either's rate.

    A component at a time, so that no sum is reordered: a body's number is the same in any company.
    """
    difference = np.abs(a - b)
    # q and −q are one orientation; a small angle is twice the change of the quaternion
    turned = np.abs(a[ORIENTATION:VELOCITY] + b[ORIENTATION:VELOCITY]).max(axis=0)
    angle = 2.0 * np.minimum(difference[ORIENTATION:VELOCITY].max(axis=0), turned)
    rates = dt * np.maximum(
        difference[VELOCITY:ANGULAR_VELOCITY].max(axis=0), difference[ANGULAR_VELOCITY:STATE_ROWS].max(axis=0)
    )
    return np.maximum(np.maximum(difference[POSITION:ORIENTATION].max(axis=0), angle), rates)
