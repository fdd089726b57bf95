"""The kernels of the step of islands, with their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..checks import FloatArray
from ..compilation.choice import MOST_ON_JOINTS_IN_PYTHON, Loop, StandIn, compile_together, in_python, named
from ..compilation.compiler import address_in_python
from ..compilation.kernel_types import Kernel
from ..compilation.packed import Packed
from ..constraints import (
    blocks,
    bounded,
    cone,
    contact_stages,
    divided,
    points,
    rows,
    sides,
    solver,
    stages,
    step,
    sweeps,
)
from ..constraints.calls import BALANCE_CALL, BOUNDED_CALL, BOUNDS_CALL, FOLLOW_CALL, JOINT_CALLS, LEAVES, POINT_CALLS
from ..constraints.graph import CONTACT_COUNT, FOLLOWERS, HAS_LOOPS, PLACES, Graph, number_islands
from ..integrators.axis_splitting import AxisSplitting
from ..integrators.compiled_forces import NO_FORCES, CompiledForces, field_loop, pulls_loop
from ..integrators.free_rotor import FreeRotor
from ..integrators.integrator import Integrator
from ..integrators.splitting import SUZUKI
from ..kernels.free_rotor import free_rotor
from ..loops.actuators import end_kicks
from ..loops.kick_drift import Turn
from ..loops.layout import ANY_PITCH
from ..store.bodies import Bodies
from .actuators import tables_and_counts
from .islands import Islands

WHOLE_TICK = np.ones(1)


class IslandKernels:
    """The kernels that the island step calls, for one method and its forces, or their plain Python functions while one is missing.

    Attributes:
        calls: The addresses of the kernels of islands, in the order of `constraints.calls`; those for joints, for their bounds and for
            loops are neither compiled nor loaded while there is no joint, or none that has bounds or closes a loop.
        force_calls: The addresses of the kernels of springs and fields, with the first row and the number of layers of each field.
        around_calls: The addresses of the kernels `around`.
        in_python: Whether plain Python stands in for all of them.
    """

    def __init__(
        self,
        graph: Graph,
        bodies: Bodies,
        turn: Turn,
        gyroscopic: bool,
        forces: CompiledForces = NO_FORCES,
        around: Sequence[Loop | None] = (),
        has_contacts: bool = False,
        has_joints: bool = True,
    ) -> None:
        """Choose between the kernels and plain Python.

        Args:
            graph: The islands.
            bodies: The bodies of the world.
            turn: The rotation of a free body in the method.
            gyroscopic: False in game mode.
            forces: The forces in compiled loops.
            around: The kernels that bring islands into a tick, in the order of `step.move_islands`; None for those not called.
            has_contacts: Whether contacts are found in each tick.
            has_joints: Whether there may be islands with joints, or without contacts.
        """
        unused = [] if graph.has_soft or has_contacts else [BOUNDS_CALL, BOUNDED_CALL]
        if not graph.sizes[HAS_LOOPS]:
            unused.append(BALANCE_CALL)
        if not has_contacts and not graph.sizes[CONTACT_COUNT]:
            unused.extend(POINT_CALLS)
        if not has_joints:
            unused.extend(JOINT_CALLS)
        if not graph.sizes[FOLLOWERS]:
            unused.append(FOLLOW_CALL)
        self._called = [
            None if place in unused else each for place, each in enumerate(kernels_of_islands(turn, gyroscopic))
        ]
        self._fields = [field_loop(kind, bodies, ANY_PITCH) for kind in forces.kinds]
        self._pulls = pulls_loop(bodies)
        self._around = around
        wanted = *self._called, *self._fields, self._pulls, *around
        self.in_python = in_python(filter(None, wanted), int(graph.sizes[PLACES]) <= MOST_ON_JOINTS_IN_PYTHON)
        self.calls, self.around_calls = np.zeros(len(self._called), np.int64), np.zeros(len(around), np.int64)
        self.force_calls = np.zeros((1 + len(self._fields), 3), np.int64)
        row = 0
        for place, (kind, count) in enumerate(zip(forces.kinds, forces.layer_counts, strict=True), 1):
            self.force_calls[place, 1:] = row, count
            row += count * kind.rows_per_layer
        if not self.in_python:
            compile_together([each for each in wanted if each is not None])
        self._link(self.in_python)

    def _link(self, for_python: bool) -> None:
        for calls, kernels, leaves in (
            (self.calls, self._called, LEAVES),
            (self.around_calls, self._around, frozenset[int]()),
        ):
            for place, each in enumerate(kernels):
                if each is None:
                    calls[place] = 0
                elif (
                    for_python and place not in leaves
                ):  # compiled, it would take addresses of plain functions for its own kind
                    calls[place] = address_in_python(each.function)
                else:
                    calls[place] = each.address_for(for_python)
        self.force_calls[:, 0] = [each.address_for(for_python) for each in (self._pulls, *self._fields)]

    def link(self) -> None:
        """Write the addresses of the compiled kernels, which compiles those that are missing."""
        self._link(for_python=False)

    def function(self, kernel: Kernel) -> Kernel:
        """Return a kernel of a module, or its plain Python function."""
        return StandIn(named(kernel), self.link) if self.in_python else kernel


class Bound:
    """The arguments of the kernels of the island step, for one method and its forces."""

    def __init__(
        self,
        islands: Islands,
        bodies: Bodies,
        table: FloatArray,
        integrator: Integrator,
        gyroscopic: bool,
        forces: CompiledForces,
        depends_on_rates: bool,
        around: Sequence[Loop | None],
        has_contacts: bool = False,
        has_joints: bool = True,
    ) -> None:
        graph = islands.graph
        parts, turn, evaluations = method_for(integrator, depends_on_rates)
        self.parts = parts
        self.evaluations = evaluations
        self.kernels = IslandKernels(graph, bodies, turn, gyroscopic, forces, around, has_contacts, has_joints)
        layers = forces.layers if isinstance(forces.layers, np.ndarray) else np.zeros((0, bodies.pitch))
        own_layers = np.zeros((len(layers), islands.own.shape[1]))
        states = islands.own, islands.control, islands.stages
        counted = islands.springs, islands.point_forces, islands.counts
        self.forces = Packed(*states, self.kernels.force_calls, own_layers, *counted)
        self.common = common_arguments(islands, self.kernels)
        self.actuators = graph.places, *tables_and_counts(bodies)
        called = self.kernels.calls, self.forces, self.common, self.actuators
        self.step = Packed(*states, graph.islands, *called, evaluations)
        springs = islands.springs if forces.springs is None else forces.springs
        point_forces = islands.point_forces if forces.point_forces is None else forces.point_forces
        self.open = (
            *(graph.places, layers, own_layers, springs, islands.springs, graph.spring_rows),
            *(
                point_forces,
                islands.point_forces,
                graph.point_rows,
                table,
                islands.joints,
                graph.links,
                islands.points,
                graph.sizes,
                graph.islands,
                islands.impacts,
            ),
        )
        self.close = (table, islands.joints, graph.links, islands.points, graph.sizes, islands.impacts)


def common_arguments(islands: Islands, kernels: IslandKernels) -> Packed:
    """The first argument of the stages of the island step."""
    graph = islands.graph
    return Packed(
        *(islands.own, islands.work, islands.joints, graph.links, graph.islands, islands.points, islands.rows),
        *(islands.blocks, graph.program, islands.measures, kernels.calls, islands.touching, islands.stages),
    )


def method_for(integrator: Integrator, depends_on_rates: bool) -> tuple[FloatArray, Turn, int]:
    """The parts of a tick, the rotation of a free body, and the evaluations in the second kick of islands under a method."""
    if isinstance(integrator, FreeRotor) and integrator.order == 4:
        return np.array(SUZUKI), free_rotor, 4 if depends_on_rates else 1
    turn: Turn = AxisSplitting._turn if isinstance(integrator, AxisSplitting) else free_rotor
    return WHOLE_TICK, turn, 2 if depends_on_rates else 1


def kernels_of_islands(turn: Turn, gyroscopic: bool) -> list[Loop]:
    """The kernels that the step of islands calls, in the order of `constraints.calls`; those of contacts come last."""
    array, integers, flat = np.zeros((1, 1)), np.zeros((1, 1), np.int64), np.zeros(1, np.int64)
    solved = array, array, integers, integers, array, array, array, integers, flat
    return [
        named(rows.joint_rows, array, array, array, integers, array, array, array, 0, 0, 0, 0, 0),
        named(solver.island_matrix, array, integers, integers, array, array, 0),
        named(blocks.factor, array, integers, integers, 0),
        named(blocks.solve, array, array, integers, integers, 0),
        Loop(step.island_drift, (turn, gyroscopic), (array, array, array, 0, 0, 1.0)),
        named(stages.position_stage, _COMMON, 0, 1.0, 0),
        named(stages.velocity_stage, _COMMON, 0, 1.0),
        named(step.island_kick, _FORCES, 0, 0, 0.0, 1.0, 0.0, 1.0, 0),
        named(step.island_move, _COMMON, 0, 1.0, 0),
        named(step.island_finish, _COMMON, 0, 0, 1),
        named(bounded.joint_bounds, array, integers, array, 0, 0, 0, 1.0, 1.0, 1.0),
        named(bounded.correct_bounded, array, array, integers, integers, array, array, integers, flat, 0, 1.0, 1.0),
        named(solver.correct, array, integers, integers, array, array, integers, flat, 0, 1.0, 1.0),
        named(step.island_prepare, _COMMON, 0, 0),
        named(step.island_stages, array, array, 0, 0, 0),
        named(end_kicks, array, array, flat, array, array, array, flat, 0, 0, 0, 0, 1.0),
        named(solver.balance, array, array, array, integers, integers, array, array, integers, flat, 0),
        named(step.island_division, array, array, array, integers, integers, array, 0, 1.0),
        named(points.point_rows, array, array, integers, array, array, array, array, 0, 0, 0, 0, 0),
        named(cone.point_matrix, integers, integers, array, array, 0),
        named(cone.correct_cones, *solved[:-1], array, flat, 0, 1.0, 0, 1.0),
        named(sweeps.sweep, array, array, integers, integers, array, array, 0),
        named(contact_stages.point_position_stage, _COMMON, 0, 1.0, 0),
        named(contact_stages.point_velocity_stage, _COMMON, 0, 1.0),
        named(sides.follow_inertia, _COMMON, 0, 0),
    ]


_ARRAY, _INTEGERS = np.zeros((1, 1)), np.zeros((1, 1), np.int64)
_NUMBERS, _FLAT = np.zeros(1), np.zeros(1, np.int64)
_OPEN = (
    _FLAT,
    *[_ARRAY] * 4,
    _FLAT,
    _ARRAY,
    _ARRAY,
    _FLAT,
    _ARRAY,
    _ARRAY,
    _INTEGERS,
    _ARRAY,
    _FLAT,
    _INTEGERS,
    _ARRAY,
)
_COMMON = Packed(*[_ARRAY] * 3, _INTEGERS, _INTEGERS, *[_ARRAY] * 3, _INTEGERS, _ARRAY, _FLAT, _ARRAY, _ARRAY)
_FORCES = Packed(_ARRAY, _FLAT, _ARRAY, _INTEGERS, *[_ARRAY] * 3, _FLAT)
_STEP = Packed(_ARRAY, _FLAT, _ARRAY, _INTEGERS, _FLAT, _FORCES, _COMMON, (_FLAT, *[_ARRAY] * 3, _FLAT), 1)
_CLOSE = (_ARRAY, _ARRAY, _INTEGERS, _ARRAY, _FLAT, _ARRAY)
_ENDS = (_ARRAY, _ARRAY, _FLAT)
_MOVE = Packed(*(_FLAT, _FLAT, _FLAT, (*_ENDS, *_OPEN), _STEP, (*_ENDS, *_CLOSE), _NUMBERS, _NUMBERS, _FLAT, 0, 1.0))
_PASSES = Packed(_ARRAY, _FLAT, _FLAT, _ARRAY, _FLAT, (*_ENDS, *_OPEN), _STEP, (*_ENDS, *_CLOSE), _NUMBERS, _ARRAY, 1.0)


class LoopsAroundIslands(NamedTuple):
    """The kernels that bring islands into a tick."""

    open: Loop
    step: Loop
    close: Loop
    passes: Loop
    move: Loop


def loops_around_islands(stores: bool) -> LoopsAroundIslands:
    """The kernels that bring islands into a tick of a world; `stores` if any body stores momentum."""
    return LoopsAroundIslands(
        open=named(step.islands_open, _ARRAY, _ARRAY, _FLAT, *_OPEN, 0, 0, 0, 0, stores),
        step=named(step.islands_step, _STEP, _NUMBERS, _NUMBERS, 0, 0, 0.0, 1.0),
        close=named(step.islands_close, _ARRAY, _ARRAY, _FLAT, *_CLOSE, stores, 1.0),
        passes=named(step.islands_passes, _PASSES, 0, 1),
        move=named(step.move_islands, _MOVE, 0, 0),
    )


def loops_of_joint_steps() -> list[Loop]:
    """The kernels of joints in a tick of several steps."""
    packed = Packed(_ARRAY, _ARRAY, _ARRAY, 0, _FLAT)
    called = divided.open_joint_steps, divided.add_joint_step, divided.end_joint_steps
    return [named(each, packed, 0, 0) for each in called]


def numbering_loop() -> Loop:
    """The kernel that numbers islands."""
    none = _ARRAY, 0
    return named(number_islands, *Graph().arguments(none, none, none, none))
