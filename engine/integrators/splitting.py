"""What methods of kicks and drifts have in common."""

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
"""Rows (kick, drift), parts of a tick, taken one after the other."""

STRANG: Table = ((0.5, 1.0), (0.5, 0.0))
"""Half a kick, the drift, half a kick: order two (Strang 1968; Störmer, Verlet)."""

# Suzuki (1990): five symmetric steps of order two make one of order four, the middle one backwards; p = 1/(4 − ∛4)
_P = 0.41449077179437571194
SUZUKI: tuple[float, ...] = (_P, _P, 1.0 - 4.0 * _P, _P, _P)
"""Lengths of five steps of order two that make one of order four."""


class Splitting(Integrator):
    """A method that alternates kicks, forces on bodies that stand still, and drifts, bodies left alone (see `kernels.splitting`).

    A force that depends on the rates would lower such a method to order one. While there is one, each kick is a midpoint step (order
    two, two evaluations) or a Runge-Kutta step (order four, four evaluations) in velocity and body rates.
    """

    @property
    @abstractmethod
    def turn(self) -> Callable[..., Any]:
        """The scalar function that turns a free body."""

    @property
    @abstractmethod
    def table(self) -> Table:
        """Kicks and drifts; each column sums to one."""

    @property
    @abstractmethod
    def shares(self) -> tuple[float, ...]:
        """The parts in which a drift of a body with stored momentum is taken."""

    @property
    def stage_offsets(self) -> tuple[float, ...]:
        """When each kick is made, in ticks after the start of the tick."""
        offsets = zip(self.table, _offsets(self.table), strict=True)
        return tuple(offset for (kick, _drift), offset in offsets if kick != 0.0)

    @cached_property
    def _arrays(self) -> tuple[FloatArray, FloatArray]:
        """The table as loops take it, rows of kick, drift and when the kick is made; and the parts of a drift."""
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
    """Strang steps of these lengths, one after the other, kicks that meet made one."""
    kicks = [0.5 * (before + after) for before, after in zip((0.0, *parts), (*parts, 0.0), strict=True)]
    return tuple(zip(kicks, (*parts, 0.0), strict=True))


@cache
def _offsets(table: Table) -> tuple[float, ...]:
    """When each kick is made, in ticks after the start of the tick: time runs with the drifts."""
    drifts = [drift for _kick, drift in table]
    return tuple(min(1.0, math.fsum(drifts[:row])) for row in range(len(table)))
