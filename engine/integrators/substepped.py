"""Ticks divided into smaller steps, either a fixed number or as many as a tolerance requires."""

from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, integer, real, refuse
from ..compilation.choice import Loop, named
from ..loops.arrays import rotated
from ..loops.columns import Integers
from ..loops.floating_point import is_other_mode, refuse_mode
from ..loops.layout import (
    ANGULAR_VELOCITY,
    BAD,
    CENTER_OF_MASS,
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
from ..loops.one_step import accepted
from ..loops.undo import close_steps
from ..store.bodies import Bodies
from ..store.threads import TakeTicks
from .compiled_forces import NO_FORCES, CompiledForces
from .extrapolated import Extrapolated
from .integrator import EvaluateForces, Integrator, TakeStagedTick
from .named import method_of

MOST_SUBSTEPS = 1024
"""Maximum number of steps per tick with a tolerance; a tick that needs more is rejected."""

_STATE_ROWS = np.r_[POSITION:STATE_ROWS, STORED_MOMENTUM : STORED_MOMENTUM + 3]
"""The components that a tick changes."""
_KEPT_ROWS = np.r_[
    _STATE_ROWS, PREVIOUS : PREVIOUS + STATE_ROWS, PREVIOUS_STORED_MOMENTUM : PREVIOUS_STORED_MOMENTUM + 3
]
"""The components that a tick changes, and their values one tick earlier."""

_CENTER = slice(CENTER_OF_MASS, CENTER_OF_MASS + 3)

_MOST_STEPS = 1_000_000  # of a tick; far more than rounding leaves a use for

TakeSteps = Callable[[float, int], bool]
"""Called as `take(step, count)`, this runs that many steps of that length [s] and returns whether all ended finite."""


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

    _drives_actuators = True

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

    def _held_ticks(
        self, bodies: Bodies, dt: float, gyroscopic: bool, forces: CompiledForces = NO_FORCES, threads: int = 1
    ) -> TakeTicks:
        inside = _Steps(bodies)

        @cache
        def steps_of(step: float) -> TakeTicks:
            run = self.integrator._held_ticks(inside.as_bodies, step, gyroscopic, forces, threads)
            if bodies.program is None:
                return run
            program = bodies.program(run, step, inside.control, self.integrator, gyroscopic, forces)
            return run if program is None else program.run

        def take_steps(step: float, count: int) -> bool:
            run = steps_of(step)
            if inside.joint_steps is None:
                return accepted(run(count)) == count
            return all(accepted(run(1)) == 1 and inside.add_step() for _ in range(count))

        def take(ticks: int) -> int:
            return next((tick for tick in range(ticks) if not self._take_tick(inside, dt, take_steps)), ticks)

        return take

    def _kernels(self, bodies: Bodies, dt: float, gyroscopic: bool, forces: CompiledForces) -> list[Loop]:
        own = named(close_steps, bodies.array, bodies.control, bodies.array)
        return [own, *self.integrator._kernels(bodies, dt, gyroscopic, forces)]

    def _staged_tick(
        self, bodies: Bodies, dt: float, gyroscopic: bool, forces: CompiledForces, depends_on_rates: bool
    ) -> TakeStagedTick:
        inside = _Steps(bodies)

        @cache
        def step_of(step: float) -> TakeStagedTick:
            if bodies.joints.any:
                method = self.integrator, gyroscopic, forces, depends_on_rates
                return bodies.joints.staged_tick(inside.as_bodies, step, inside.control, *method)
            return self.integrator._staged_tick(inside.as_bodies, step, gyroscopic, forces, depends_on_rates)

        def take(evaluate: EvaluateForces) -> bool:
            start_time = float(bodies.control[TICKS]) * dt

            def take_steps(step: float, count: int) -> bool:
                def evaluate_in_step(stage: int, offset: float) -> None:
                    # the time as compiled loops compute it from their own step count; this difference is exact
                    evaluate(stage, float(inside.control[TICKS]) * step + offset - start_time)

                return all(self._take_step(inside, step_of(step), step, evaluate_in_step) for _ in range(count))

            return self._take_tick(inside, dt, take_steps)

        return take

    def _take_step(self, inside: "_Steps", take: TakeStagedTick, step: float, evaluate: EvaluateForces) -> bool:
        actuators = inside.bodies.actuators
        if not actuators.any:
            return take(evaluate) and inside.add_step()
        actuators.open(step, inside.control, gathers=True)
        return take(evaluate) and actuators.settle(step, inside.control) and inside.add_step()

    def _take_tick(self, inside: "_Steps", dt: float, take: TakeSteps) -> bool:
        bodies = inside.bodies
        if is_other_mode(bodies.control):  # before anything is computed, so that nothing has to be restored
            refuse_mode()
        tick, rows = bodies.tick_count, slice(0, bodies.padded_count)
        kept = bodies.array[_KEPT_ROWS, rows]
        centers = bodies.array[_CENTER, rows].copy() if bodies.actuators.any and bodies.actuators.moves_mass else None
        parts = bodies.actuators.image() if bodies.actuators.any else None
        joints = bodies.joints.image() if bodies.joints.any else None
        inside.joint_steps = None if joints is None else bodies.joints.steps()

        def finish() -> None:
            if bodies.control[TICKS] > tick:
                if joints is not None:
                    bodies.joints.keep(joints, tick)
                return
            if joints is not None:
                bodies.joints.restore(joints)
            if parts is not None:
                bodies.actuators.restore(parts)
            bodies.array[_KEPT_ROWS, rows] = kept

        bodies.begin(finish)
        if self.n is not None:
            finite = inside.take(take, dt, self.n)
        else:
            finite = self._converge(inside, dt, take)
        if finite:
            if inside.joint_steps is not None:
                inside.joint_steps.finish()
            start = kept if centers is None else _about_new_centers(kept, bodies.array[_CENTER, rows] - centers)
            close_steps(bodies.array, bodies.control, start)
        else:
            bodies.control[BAD] = inside.control[BAD]
        finish()
        bodies.end()
        return finite

    def _converge(self, inside: "_Steps", dt: float, take: TakeSteps) -> bool:
        """Double the number of steps until no body's result changes by more than the tolerance; each keeps its first such result."""
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
            f"{self!r}: the result of the body in row {row} still changes by more than the tolerance between "
            f"{MOST_SUBSTEPS // 2} and {MOST_SUBSTEPS} sub-steps of a tick of {dt:g} s. The world is as it was before that "
            "tick; use a shorter tick or a larger tolerance"
        )


class _Steps:
    """The bodies as the inner method sees them, with a tick count that counts steps while the world's stays unchanged."""

    def __init__(self, bodies: Bodies) -> None:
        self.bodies = bodies
        self.control: Integers = bodies.control.copy()
        self.joint_steps: Any = None
        """What the joints have carried since the tick began; None without joints."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.bodies, name)

    @property
    def as_bodies(self) -> Bodies:
        """This object, typed as the bodies."""
        return cast(Bodies, self)

    def add_step(self) -> bool:
        """Add the last step to what the joints carry in this tick; always true."""
        if self.joint_steps is not None:
            self.joint_steps.add()
        return True

    def take(self, take: TakeSteps, dt: float, count: int) -> bool:
        """Run one tick in that many steps; whether all ended finite."""
        self.control[TICKS] = self.bodies.control[TICKS] * count
        self.control[COUNT] = self.bodies.control[COUNT]
        return take(dt / count, count)


def _about_new_centers(start: FloatArray, shifts: FloatArray) -> FloatArray:
    """The states at the start of a tick, of mass centres that have since moved in the body frame by `shifts`, shape (3, n)."""
    moved = start.copy()
    turns = start[ORIENTATION : ORIENTATION + 4].T
    moved[POSITION : POSITION + 3] += rotated(turns, shifts.T).T
    swing = np.cross(start[ANGULAR_VELOCITY : ANGULAR_VELOCITY + 3].T, shifts.T)
    moved[VELOCITY : VELOCITY + 3] += rotated(turns, swing).T
    return moved


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
