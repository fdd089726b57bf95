"""Chooses the loops that take a world's ticks, and keeps them until something changes."""

import numpy as np

from .columns import Columns
from .forces.force_set import AnyForce, ForceSet
from .forces.wrench import Wrench
from .integrators import Integrator
from .integrators.integrator import TakeStagedTick
from .kernels.layout import STATE_ROWS
from .parts import TakeTicks


class Stepper:
    """Brings an integrator, bodies and forces together.

    What takes the ticks depends on who has to be called in them. Where nobody has to, one compiled call takes any number of ticks; where a
    force is known only at the start of a tick it takes them one by one; where a force has to be called at each stage of the integrator
    the tick is laid out in passes.
    """

    __slots__ = ("_columns", "_dt", "_forces", "_key", "_loop", "_method", "_staged", "_threads", "steady")

    def __init__(self, columns: Columns, forces: ForceSet, dt: float, threads: int) -> None:
        self._columns = columns
        self._forces = forces
        self._dt = dt
        self._threads = threads
        self._loop: TakeTicks | None = None
        self._staged: TakeStagedTick | None = None
        self._key: tuple[int, int] | None = None
        self.steady: TakeTicks | None = None
        """Takes the next ticks where nothing was changed since the last and nobody is called in them: the short way."""

    def use(self, integrator: Integrator, gyroscopic: bool) -> None:
        """Take the ticks to come by this method."""
        self._method = integrator, gyroscopic
        self._key = self.steady = None

    def hold_still(self, time: float) -> TakeTicks | None:
        """Fill the held wrench at `time` [s] and return what takes ticks with it; None where a force has to be called."""
        if not self._forces.holds_still:
            return None
        self._forces.fill_held(time)
        self._choose()
        if self._method[0].fuses_ticks:
            self.steady = self._loop
        return self._loop

    def take_one(self, time: float) -> bool:
        """Take the tick that starts at `time` [s], calling whatever has to be; whether it ended finite."""
        self._forces.fill_held(time)
        self._choose()
        if self._loop is not None:
            return self._loop(1) == 1
        assert self._staged is not None
        return self._staged(lambda stage, offset: self._forces.evaluate_stage(stage, time + offset))

    def find_culprit(self, time: float) -> tuple[AnyForce, int] | None:
        """Take the tick once more, looking at the wrench after each force: the first that is not finite, and on which body."""

        def look(force: AnyForce, wrench: Wrench) -> None:
            parts = (wrench.force_world, wrench.torque_world, wrench.force_body, wrench.torque_body)
            finite = np.isfinite(np.hstack(parts)).all(axis=1)
            if not finite.all():
                raise _CulpritFound(force, int(np.argmin(finite)))

        self.steady = None  # the held wrenches are spoilt by the search
        saved = self._columns.array[: 2 * STATE_ROWS, : self._columns.count].copy()
        history = None if self._columns.history is None else self._columns.history.copy()
        try:
            self._forces.fill_held_one_by_one(time, look)
            if self._forces.has_stage_forces:
                take = self._staged_tick()
                take(lambda stage, offset: self._forces.evaluate_stage(stage, time + offset, look))
        except _CulpritFound as found:
            return found.force, found.index
        except Exception:  # a force that raises when called once more cannot be blamed for what it did not return
            return None
        finally:
            self._columns.array[: 2 * STATE_ROWS, : self._columns.count] = saved
            self._columns.history = history
        return None

    def _choose(self) -> None:
        """The integrator's loop for the bodies and forces there are, or its passes where a force has to be called at each stage."""
        if self._key == (self._columns.revision, self._forces.revision):
            return
        integrator, gyroscopic = self._method
        self._loop = self._staged = None
        calls = self._forces.calls_stage_forces
        if calls or (self._forces.has_stage_forces and not integrator.takes_compiled_forces):
            self._staged = self._staged_tick()
        else:
            forces = self._forces.compiled()
            self._loop = integrator.held_ticks(self._columns, self._dt, gyroscopic, forces, self._threads)
        self._key = self._columns.revision, self._forces.revision

    def _staged_tick(self) -> TakeStagedTick:
        integrator, gyroscopic = self._method
        return integrator.staged_tick(self._columns, self._dt, gyroscopic, self._forces.depends_on_rates)


class _CulpritFound(Exception):
    def __init__(self, force: AnyForce, index: int) -> None:
        self.force = force
        self.index = index
