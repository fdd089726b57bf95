"""Forces that compiled loops evaluate by themselves, and the kernels that they call for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from ..checks import FloatArray
from ..compilation.choice import Loop, Role, StandIn, choose, in_python, named
from ..compilation.compiler import COMPILED
from ..compilation.packed import Packed, example
from ..loops.columns import Integers, IntegerTable
from ..loops.fields import FieldKind, Layers, field_passes
from ..loops.layout import ANY_PITCH, POINT_FORCE_ROWS, SPRING_ROWS
from ..loops.point_forces import ForceTables, pulls
from ..loops.runs import Members, members_of
from ..store.bodies import Bodies


class CompiledForces(NamedTuple):
    """Forces that compiled loops evaluate at each stage without calling Python, in the arrays of `loops.layout`."""

    kinds: tuple[FieldKind, ...] = ()
    """The kinds of fields that act, in the order in which they are added."""
    layers: Layers = 0.0
    """Their parameters per body, shape (rows, pitch); any value if there is no field."""
    layer_counts: Sequence[int] = ()
    """The number of layers of each kind."""
    counts: Integers | None = None
    """The number of springs and of point forces."""
    springs: FloatArray | None = None
    """The springs, shape (12, capacity); None if there are none."""
    point_forces: FloatArray | None = None
    """The point forces, shape (8, capacity); None if there are none."""
    in_passes: bool = False
    """Whether each stage is a pass over all bodies, because there are springs, point forces or several layers of one kind."""
    depends_on_rates: bool = False


NO_FORCES = CompiledForces()


class Columns(Protocol):
    """What decides which loops are compiled for bodies; only the types of the arrays matter."""

    @property
    def array(self) -> FloatArray: ...
    @property
    def control(self) -> Integers: ...
    @property
    def members(self) -> int: ...
    @property
    def pitch(self) -> int: ...
    @property
    def stores_momentum(self) -> bool: ...


def field_loop(kind: FieldKind, bodies: Columns, pitch: int) -> Loop:
    """The passes of one kind of field over arrays of this pitch, or any."""
    array = bodies.array
    return Loop(field_passes, (kind, pitch), (array, bodies.control, array, 0, array, 0, 0, 0.0, 0.0, 0.0))


def pulls_loop(bodies: Columns) -> Loop:
    """Springs and point forces."""
    array = bodies.array
    return named(pulls, array, array, 0, _NO_SPRINGS, _NO_POINT_FORCES, _NO_COUNTS, 0, 0)


_NO_SPRINGS, _NO_POINT_FORCES = np.zeros((SPRING_ROWS, 1)), np.zeros((POINT_FORCE_ROWS, 1))
_NO_COUNTS = np.zeros(2, np.int64)


def in_passes(loops: list[Loop], bodies: Bodies, forces: CompiledForces) -> tuple[Callable[..., int], ForceTables]:
    """A loop in passes that can run now, the fast one first, and what it takes for these forces.

    While it, or a kernel that it calls, is missing, its plain Python function stands in, if the bodies are few.
    """
    chosen = choose(loops, bodies.may_run_in_python)
    wanted = [chosen, *(_field_loop(kind, bodies) for kind in forces.kinds)]
    if forces.counts is not None and forces.counts.any():
        wanted.append(pulls_loop(bodies))
    if not in_python(wanted, bodies.may_run_in_python):
        return chosen.function, force_tables(bodies, forces)
    tables = force_tables(bodies, forces, for_python=True)

    def link() -> None:
        tables.calls[:] = force_tables(bodies, forces).calls

    return StandIn(chosen, link), tables


def members_in(loop: Callable[..., int], bodies: Bodies) -> Members:
    """What a loop in passes takes of a batch; plain Python takes all members at once, because it cannot move the start of an array."""
    return members_of(bodies.members if COMPILED and not isinstance(loop, StandIn) else 0)


def _field_loop(kind: FieldKind, bodies: Bodies) -> Loop:
    return choose([field_loop(kind, bodies, pitch) for pitch in (bodies.pitch, ANY_PITCH)], bodies.may_run_in_python)


def calls_of(forces: CompiledForces) -> IntegerTable:
    """For springs and forces at points, and for each kind of field: room for an address, the first row of its layers, and their number."""
    calls, row = np.zeros((1 + len(forces.kinds), 3), np.int64), 0
    for place, (kind, count) in enumerate(zip(forces.kinds, forces.layer_counts, strict=True), 1):
        calls[place, 1:] = row, count
        row += count * kind.rows_per_layer
    return calls


def force_tables(bodies: Bodies, forces: CompiledForces, for_python: bool = False) -> ForceTables:
    """The forces as loops in passes take them, with the kernels that evaluate them; `for_python` if the loop itself is plain Python."""
    calls = calls_of(forces)
    calls[1:, 0] = [_field_loop(kind, bodies).address_for(for_python) for kind in forces.kinds]
    if forces.counts is not None and forces.counts.any():
        calls[0, 0] = pulls_loop(bodies).address_for(for_python)
    layers = forces.layers if isinstance(forces.layers, np.ndarray) else np.zeros((1, bodies.pitch))
    springs = _NO_SPRINGS if forces.springs is None else forces.springs
    point_forces = _NO_POINT_FORCES if forces.point_forces is None else forces.point_forces
    counts = _NO_COUNTS if forces.counts is None else forces.counts
    return ForceTables(calls, layers, springs, point_forces, counts)


def passes_loops(
    factory: Callable[..., object], made_for: tuple[object, ...], bodies: Columns, passes: type[tuple[object, ...]]
) -> list[Loop]:
    """The loops of a method in passes, the fast one first, with arguments of this type."""
    arguments = example(Packed[passes]), 0, 0  # type: ignore[valid-type]
    in_blocks = bodies.members > 0
    return [Loop(factory, (*made_for, in_blocks, pitch), arguments, Role.PASSES) for pitch in (bodies.pitch, ANY_PITCH)]
