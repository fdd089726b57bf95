"""The common base of the splitting methods, which alternate kicks and drifts."""

import math
from abc import abstractmethod
from collections.abc import Sequence
from functools import cache, cached_property, partial

import numpy as np

from ..checks import FloatArray
from ..compilation.choice import Loop, Role
from ..compilation.packed import Packed
from ..loops import splitting, splitting_passes
from ..loops.kick_drift import KICKS, Turn
from .compiled_forces import Columns, CompiledForces, in_passes, members_in, passes_loops
from .integrator import LoopCall, MethodInStages, Stages, Step

Table = tuple[tuple[float, float], ...]
"""Rows (kick, drift) in fractions of a tick, in order."""

STRANG: Table = ((0.5, 1.0), (0.5, 0.0))
"""Half a kick, the drift, half a kick, which is of order two (Strang 1968; Störmer, Verlet)."""

# Suzuki (1990): five symmetric steps of order two, the middle one backwards, make one step of order four; p = 1/(4 − ∛4)
_P = 0.41449077179437571194
SUZUKI: tuple[float, ...] = (_P, _P, 1.0 - 4.0 * _P, _P, _P)
"""The lengths of five steps of order two that make one step of order four."""


class Splitting(MethodInStages):
    """A method that alternates kicks and drifts (see `loops.splitting`).

    A kick changes the momenta by the forces at a fixed pose. A drift is the motion without forces. A force that depends on the rates would
    reduce such a method to order one. While there is one, each kick is a midpoint step (order two, two evaluations) or a Runge-Kutta step
    (order four, four evaluations) in velocity and body rates.
    """

    @property
    @abstractmethod
    def _turn(self) -> Turn:
        """Scalar function that rotates a free body."""

    @property
    @abstractmethod
    def _table(self) -> Table:
        """Kicks and drifts; each column sums to one."""

    @property
    @abstractmethod
    def _shares(self) -> tuple[float, ...]:
        """Fractions into which a drift of a body with stored momentum is divided."""

    @property
    def stage_offsets(self) -> tuple[float, ...]:
        """Time of each kick, in ticks after the start of the tick."""
        offsets = zip(self._table, _offsets(self._table), strict=True)
        return tuple(offset for (kick, _drift), offset in offsets if kick != 0.0)

    @cached_property
    def _arrays(self) -> tuple[FloatArray, FloatArray]:
        """The table for loops, with rows of kick, drift and time of the kick, and the fractions of a drift."""
        rows = [(*row, offset) for row, offset in zip(self._table, _offsets(self._table), strict=True)]
        return np.array(rows), np.array(self._shares)

    @property
    def evaluations_per_tick(self) -> int:
        """One for each kick."""
        return sum(kick != 0.0 for kick, _drift in self._table)

    def _fused_loop(self, bodies: Columns, dt: float, gyroscopic: bool, forces: CompiledForces) -> Loop:
        evaluations = self._evaluations_per_kick(forces.depends_on_rates)
        made_for = self._turn, bodies.stores_momentum, gyroscopic, bodies.pitch, forces.kinds, evaluations
        factory = splitting.table_ticks if self._constants else splitting.strang_ticks
        return Loop(
            factory, made_for, (bodies.array, bodies.control, *self._constants, forces.layers, dt, 1), Role.FUSED
        )

    @property
    def _constants(self) -> tuple[FloatArray, ...]:
        """What the fused loop is given of the method; half a kick, a drift and half a kick have a loop of their own."""
        return () if self._table == STRANG and len(self._shares) == 1 else self._arrays

    def _evaluations_per_kick(self, depends_on_rates: bool) -> int:
        if not depends_on_rates:
            return 1
        return 2 if self.order == 2 else 4

    def _evaluations(self, depends_on_rates: bool) -> Stages:
        offsets = self._program(self._evaluations_per_kick(depends_on_rates))[:-1, splitting_passes.OFFSET]
        return [(0, offset) for offset in offsets.tolist()]

    def _passes(self, step: Step, depends_on_rates: bool) -> LoopCall:
        bodies, control, dt, gyroscopic, forces, *_rest = step
        loop, tables = in_passes(self._passes_loops(bodies, gyroscopic), bodies, forces)
        stages = bodies.stage_array(splitting_passes.STAGE_BLOCKS)
        _, shares = self._arrays
        program = self._program(self._evaluations_per_kick(depends_on_rates))
        given = bodies.array, control, program, shares, stages, tables, members_in(loop, bodies), dt
        return partial(loop, Packed(splitting_passes.Passes(*given)))

    def _passes_loops(self, bodies: Columns, gyroscopic: bool) -> list[Loop]:
        made_for = self._turn, bodies.stores_momentum, gyroscopic
        return passes_loops(splitting_passes.passes, made_for, bodies, splitting_passes.Passes)

    def _program(self, evaluations: int) -> FloatArray:
        """What a tick in passes does at each evaluation of forces (see `loops.splitting_passes`)."""
        return _program(self._table, evaluations)


def of_order_two(parts: Sequence[float]) -> Table:
    """Strang steps of these lengths in order, with adjacent kicks merged."""
    kicks = [0.5 * (before + after) for before, after in zip((0.0, *parts), (*parts, 0.0), strict=True)]
    return tuple(zip(kicks, (*parts, 0.0), strict=True))


@cache
def _offsets(table: Table) -> tuple[float, ...]:
    """The time of each kick, in ticks after the start of the tick; only drifts advance the time."""
    drifts = [drift for _kick, drift in table]
    return tuple(min(1.0, math.fsum(drifts[:row])) for row in range(len(table)))


@cache
def _program(table: Table, evaluations: int) -> FloatArray:
    kinds = splitting_passes
    names = (kinds.ONLY,) if evaluations == 1 else (kinds.FIRST, *[kinds.TRIAL] * (evaluations - 2), kinds.LAST)
    program = [[kinds.START, 0.0, 0.0, 0.0, 0.0, 0.0]]
    for (kick, drift), offset in zip(table, _offsets(table), strict=True):
        for name, (weight, part) in zip(names, KICKS[evaluations], strict=True) if kick != 0.0 else ():
            program[-1][kinds.OFFSET] = offset
            program.append([name, weight, part, kick, 0.0, 0.0])
        program[-1][kinds.DRIFT] += drift
    return np.array(program)
