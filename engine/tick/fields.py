"""The forces that compiled loops evaluate at each stage, which are fields, springs and world forces at points."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ..checks import FloatArray
from ..flight.magnetorquer import MAGNETORQUER
from ..flight.wheel import WHEELS
from ..forces.atmosphere import ATMOSPHERIC_DRAG
from ..forces.constant import POINT_FORCES
from ..forces.drag import ANGULAR_DAMPING, LINEAR_DRAG, QUADRATIC_DRAG
from ..forces.field_force import FieldForce, stacked
from ..forces.gravity import GRAVITY_GRADIENT, POINT_GRAVITY
from ..forces.lorentz import LORENTZ
from ..forces.radiation import RADIATION_PRESSURE
from ..forces.spring import SPRINGS
from ..integrators.compiled_forces import NO_FORCES, CompiledForces
from ..loops import layout
from ..loops.allocation import zeros
from ..loops.fields import FieldKind, Layers
from ..store.bodies import Bodies
from ..store.store import Store
from ..store.table import Table

BUILT_IN = (
    POINT_GRAVITY,
    GRAVITY_GRADIENT,
    LINEAR_DRAG,
    QUADRATIC_DRAG,
    ANGULAR_DAMPING,
    LORENTZ,
    ATMOSPHERIC_DRAG,
    RADIATION_PRESSURE,
    MAGNETORQUER,
)
"""The built-in kinds of fields, in the order in which they are added."""


class Fields:
    """Converts the tables of the fields to layers for the loops over bodies, and stores which kinds exist.

    Kinds have one fixed order, built-in kinds first and then others by name. Neither the number of forces nor the order in which they were
    added therefore affects the choice of a loop.
    """

    def __init__(self, bodies: Bodies, store: Store) -> None:
        self._bodies, self._store = bodies, store
        self._springs, self._point_forces = store.table(SPRINGS), store.table(POINT_FORCES)
        self._wheels = store.table(WHEELS)
        self._tables: dict[FieldKind, Table] = {}
        self._blocks: dict[FieldKind, tuple[tuple[int, ...], FloatArray, int]] = {}
        self._compiled = NO_FORCES
        self._is_fresh = False
        self._seen = -1
        self._starts: Callable[[], FloatArray] | None = None
        for table in (self._springs, self._point_forces):
            table.on_change = self._spoil

    def include(self, kind: type[FieldForce], table: Table) -> None:
        """Include the table of a kind of field."""
        if kind._kind not in self._tables:
            table.on_change = self._spoil
            self._is_fresh = False
            tables = {**self._tables, kind._kind: table}
            self._tables = dict(sorted(tables.items(), key=lambda item: _place(item[0])))

    def count_from(self, starts: Callable[[], FloatArray], table: Table) -> None:
        """Have the time that fields read be that since a tick of each body, shape (n,), which follows from a table."""
        self._starts, table.on_change = starts, self._spoil
        self._is_fresh = False

    @staticmethod
    def in_order(kinds: Iterable[FieldKind | None]) -> list[FieldKind]:
        """Return the distinct kinds, in the order in which they are added."""
        return sorted({kind for kind in kinds if kind is not None}, key=_place)

    @property
    def any(self) -> bool:
        """Whether any such force exists."""
        return bool(self._springs.count or self._point_forces.count) or any(t.count for t in self._tables.values())

    @property
    def depends_on_rates(self) -> bool:
        """Whether any of these forces depends on velocity or angular velocity."""
        return self.compiled().depends_on_rates

    def compiled(self) -> CompiledForces:
        """Return the current arrays for the loops, and rebuild them first if something has changed."""
        bodies, store = self._bodies, self._store
        if self._is_fresh and self._seen == store.layout_version:
            return self._compiled
        if not self.any:
            if self._compiled is not NO_FORCES:
                self._compiled = NO_FORCES
                store.change_layout()
            self._is_fresh, self._seen = True, store.layout_version
            return NO_FORCES
        present = {kind: table for kind, table in self._tables.items() if table.count}
        for kind, table in present.items():
            stamp = (bodies.pitch, bodies.count, table.version, *(self._wheels_now if kind.feels_wheels else ()))
            if kind not in self._blocks or self._blocks[kind][0] != stamp:
                block, count = stacked(table.content(), kind, bodies)
                if not count:  # without bodies, use one layer whose mask is zero
                    block, count = np.zeros((kind.rows_per_layer, bodies.pitch)), 1
                self._blocks[kind] = (stamp, block, count)
        self._compiled = self._joined(tuple(present))
        self._is_fresh, self._seen = True, store.layout_version
        return self._compiled

    @property
    def _wheels_now(self) -> tuple[int, int, int]:
        """Changes whenever other wheels are in the world, or bodies have other rows."""
        return self._wheels.numbering, self._wheels.count, self._bodies.numbering

    def _spoil(self, components: object, rows: object) -> None:
        self._is_fresh = False

    def _joined(self, kinds: tuple[FieldKind, ...]) -> CompiledForces:
        springs, point_forces, before = self._springs, self._point_forces, self._compiled
        counts = np.array([springs.count, point_forces.count], np.int64)
        layer_counts = tuple(self._blocks[kind][2] for kind in kinds)
        coupled = bool(springs.count or point_forces.count)
        damped = bool(springs.array[layout.SPRING_DAMPING, : springs.count].any())
        blocks = [self._blocks[kind][1] for kind in kinds]
        layers: Layers = 0.0
        if kinds:
            layers = zeros(sum(len(block) for block in blocks), self._bodies.pitch, self._bodies.is_shared)
            np.concatenate(blocks, out=layers)
            self._write_starts(layers, kinds, layer_counts)
        made = CompiledForces(
            kinds=kinds,
            layers=layers,
            layer_counts=layer_counts,
            counts=counts,
            springs=springs.array,
            point_forces=point_forces.array,
            in_passes=coupled or any(count > 1 for count in layer_counts),
            depends_on_rates=damped or any(kind.depends_on_rates for kind in kinds),
        )
        if _same_layout(made, before):
            assert before.counts is not None
            # only values have changed, so copy them to the arrays to which the loops are bound
            before.counts[:] = counts
            if isinstance(before.layers, np.ndarray):
                before.layers[:] = layers
            return before
        self._store.change_layout()
        return made

    def _write_starts(self, layers: FloatArray, kinds: tuple[FieldKind, ...], layer_counts: tuple[int, ...]) -> None:
        """Write the ticks at which the time of each body is zero, where it is not that of the world."""
        if self._starts is None:
            return
        first = 0
        for kind, count in zip(kinds, layer_counts, strict=True):
            end = first + kind.rows_per_layer * count
            if kind.reads_time:
                layers[first + kind.rows_per_layer - 1 : end : kind.rows_per_layer, : self._bodies.count] = (
                    self._starts()
                )
            first = end


def _place(kind: FieldKind) -> tuple[int, str]:
    return (BUILT_IN.index(kind), "") if kind in BUILT_IN else (len(BUILT_IN), kind.name)


def _same_layout(a: CompiledForces, b: CompiledForces) -> bool:
    if a.counts is None or b.counts is None:
        return False
    return (
        (a.kinds, a.layer_counts) == (b.kinds, b.layer_counts)
        and a.counts.any() == b.counts.any()  # else the loop in passes has no kernel to call for them
        and a.springs is b.springs
        and a.point_forces is b.point_forces
        and (a.in_passes, a.depends_on_rates) == (b.in_passes, b.depends_on_rates)
        and np.shape(a.layers) == np.shape(b.layers)
    )
