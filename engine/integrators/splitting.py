"""The common base of the splitting methods, which alternate kicks and drifts."""

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cache, cached_property, partial
from typing import Any

import numpy as np

from ..checks import FloatArray
from ..kernels import splitting, staged_splitting
from ..kernels.kick_drift import KICKS
from ..kernels.staged_splitting import Segment
from ..store.bodies import Bodies
from ..threads import TakeTicks, on_threads
from .integrator import NO_FORCES, CompiledForces, Integrator, LoopCall, StagedTick, TakeStagedTick

Table = tuple[tuple[float, float], ...]
"""Rows (kick, drift) in fractions of a tick, in order."""

STRANG: Table = ((0.5, 1.0), (0.5, 0.0))
"""Half a kick, the drift, half a kick, which is of order two (Strang 1968; Störmer, Verlet)."""

# Suzuki (1990): five symmetric steps of order two, the middle one backwards, make one step of order four; p = 1/(4 − ∛4)
_P = 0.41449077179437571194
SUZUKI: tuple[float, ...] = (_P, _P, 1.0 - 4.0 * _P, _P, _P)
"""The lengths of five steps of order two that make one step of order four."""


class Splitting(Integrator):
    """A method that alternates kicks and drifts (see `kernels.splitting`).

    A kick changes the momenta by the forces at a fixed pose. A drift is the motion without forces. A force that depends on the rates would
    reduce such a method to order one. While there is one, each kick is a midpoint step (order two, two evaluations) or a Runge-Kutta step
    (order four, four evaluations) in velocity and body rates.
    """

    @property
    @abstractmethod
    def turn(self) -> Callable[..., Any]:
        """Scalar function that rotates a free body."""

    @property
    @abstractmethod
    def table(self) -> Table:
        """Kicks and drifts; each column sums to one."""

    @property
    @abstractmethod
    def shares(self) -> tuple[float, ...]:
        """Fractions into which a drift of a body with stored momentum is divided."""

    @property
    def stage_offsets(self) -> tuple[float, ...]:
        """Time of each kick, in ticks after the start of the tick."""
        offsets = zip(self.table, _offsets(self.table), strict=True)
        return tuple(offset for (kick, _drift), offset in offsets if kick != 0.0)

    @cached_property
    def _arrays(self) -> tuple[FloatArray, FloatArray]:
        """The table for loops, with rows of kick, drift and time of the kick, and the fractions of a drift."""
        rows = [(*row, offset) for row, offset in zip(self.table, _offsets(self.table), strict=True)]
        return np.array(rows), np.array(self.shares)

    @property
    def evaluations_per_tick(self) -> int:
        """One for each kick."""
        return sum(kick != 0.0 for kick, _drift in self.table)

    def held_ticks(
        self, bodies: Bodies, dt: float, gyroscopic: bool, forces: CompiledForces = NO_FORCES, threads: int = 1
    ) -> TakeTicks:
        evaluations = self._evaluations_per_kick(forces.depends_on_rates)
        made_for = self.turn, bodies.stores_momentum, gyroscopic, bodies.pitch, forces.kinds, evaluations
        if forces.in_passes:
            arrays = bodies.array, bodies.control, *self._arrays
            stages = bodies.stage_array(staged_splitting.STAGE_BLOCKS)
            return partial(staged_splitting.coupled_ticks(*made_for), *arrays, stages, *forces.tables, dt)
        is_strang = self.table == STRANG and len(self.shares) == 1
        loop = (splitting.strang_ticks if is_strang else splitting.table_ticks)(*made_for)
        constants = () if is_strang else self._arrays
        return on_threads(
            bodies,
            threads,
            forces.layers,
            lambda array, control, layers: partial(loop, array, control, *constants, layers, dt),
        )

    def _evaluations_per_kick(self, depends_on_rates: bool) -> int:
        if not depends_on_rates:
            return 1
        return 2 if self.order == 2 else 4

    def staged_tick(self, bodies: Bodies, dt: float, gyroscopic: bool, depends_on_rates: bool) -> TakeStagedTick:
        made_for = self.turn, bodies.stores_momentum, gyroscopic, bodies.pitch
        arrays = bodies.array, bodies.control, bodies.stage_array(staged_splitting.STAGE_BLOCKS)
        _, shares = self._arrays
        steps: list[tuple[LoopCall, int, float]] = []
        segment, kick_step, weight, drift_step = Segment(starts=True), 0.0, 0.0, 0.0

        def loops(segment: Segment) -> LoopCall:
            return partial(
                staged_splitting.staged_segment(*made_for, segment),
                *(*arrays, kick_step, weight, drift_step, shares if segment.drifts else 0.0),
            )

        kicks = KICKS[self._evaluations_per_kick(depends_on_rates)]
        names = ("only",) if len(kicks) == 1 else ("first", *("trial" for _ in kicks[2:]), "last")
        for (kick, drift), offset in zip(self.table, _offsets(self.table), strict=True):
            for name, (own_weight, part) in zip(names, kicks, strict=True) if kick != 0.0 else ():
                steps.append((loops(segment), 0, offset * dt))
                segment, kick_step, weight = Segment(kick=name), part * (dt * kick), own_weight
            if drift != 0.0:
                segment, drift_step = segment._replace(drifts=True), dt * drift
        return StagedTick(steps, loops(segment._replace(ends=True)))


def of_order_two(parts: Sequence[float]) -> Table:
    """Strang steps of these lengths in order, with adjacent kicks merged."""
    kicks = [0.5 * (before + after) for before, after in zip((0.0, *parts), (*parts, 0.0), strict=True)]
    return tuple(zip(kicks, (*parts, 0.0), strict=True))


@cache
def _offsets(table: Table) -> tuple[float, ...]:
    """The time of each kick, in ticks after the start of the tick; only drifts advance the time."""
    drifts = [drift for _kick, drift in table]
    return tuple(min(1.0, math.fsum(drifts[:row])) for row in range(len(table)))
