"""The kernels of the step of islands, with their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from ..checks import FloatArray
from ..compilation.choice import MOST_ON_JOINTS_IN_PYTHON, Loop, StandIn, compile_together, in_python, named
from ..compilation.compiler import address_in_python
from ..compilation.kernel_types import Kernel
from ..compilation.packed import Packed, declared, example
from ..constraints import (
    blocks,
    bounded,
    cone,
    contact_stages,
    end_kicks,
    points,
    rows,
    sides,
    solver,
    stages,
    step,
    sweeps,
)
from ..constraints.arguments import Actuators, Forces, Outside, Step, Tables
from ..constraints.calls import (
    BALANCE_CALL,
    BOUNDED_CALL,
    BOUNDS_CALL,
    FOLLOW_CALL,
    JOINT_CALLS,
    LEAVES,
    POINT_CALLS,
    WEAK_CALL,
)
from ..constraints.graph import BODY_COUNT, CONTACT_COUNT, FOLLOWERS, HAS_LOOPS, SHARES, Graph, number_islands
from ..integrators.axis_splitting import AxisSplitting
from ..integrators.compiled_forces import NO_FORCES, CompiledForces, calls_of, field_loop, pulls_loop
from ..integrators.free_rotor import FreeRotor
from ..integrators.integrator import Integrator
from ..integrators.splitting import SUZUKI
from ..kernels.free_rotor import free_rotor
from ..loops.columns import Array, Integers
from ..loops.kick_drift import Turn
from ..loops.layout import ANY_PITCH
from ..store.bodies import Bodies
from .actuators import parts_of
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
            around: The kernels that bring islands into a tick, in the order of `ticks.move_islands`; None for those not called.
            has_contacts: Whether contacts are found in each tick.
            has_joints: Whether there may be islands with joints, or without contacts.
        """
        unused = [] if graph.has_soft or has_contacts else [BOUNDS_CALL, BOUNDED_CALL]
        if not graph.sizes[HAS_LOOPS]:
            unused += BALANCE_CALL, WEAK_CALL
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
        self.in_python = in_python(filter(None, wanted), int(graph.sizes[BODY_COUNT]) <= MOST_ON_JOINTS_IN_PYTHON)
        self.calls, self.around_calls = np.zeros(len(self._called), np.int64), np.zeros(len(around), np.int64)
        self.force_calls = calls_of(forces)
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
        self.common = common_arguments(islands, self.kernels)
        self.forces = forces_on(islands, self.common, self.kernels.force_calls, own_layers)
        driven = parts_of(bodies)
        acting = np.zeros_like(driven.counts) if graph.sizes[SHARES] else driven.counts
        actuators = Actuators(graph.places, driven.thrusters, driven.wheels, driven.tanks, driven.counts, acting)
        self.step = Packed(Step(self.common, self.forces, actuators, evaluations))
        self.outside = Packed(
            Outside(
                common=self.common,
                forces=self.forces,
                array=bodies.array,
                columns=graph.columns,
                places=graph.places,
                layers=layers,
                springs=islands.springs if forces.springs is None else forces.springs,
                spring_rows=graph.spring_rows,
                point_forces=islands.point_forces if forces.point_forces is None else forces.point_forces,
                point_rows=graph.point_rows,
                table=table,
                sizes=graph.sizes,
                impacts=islands.impacts,
            )
        )


def common_arguments(islands: Islands, kernels: IslandKernels) -> Packed[Tables]:
    """The arrays in which islands take their step."""
    graph = islands.graph
    own = {name: getattr(islands, name) for name in Tables._fields if hasattr(islands, name)}
    return Packed(Tables(**own, links=graph.links, islands=graph.islands, program=graph.program, calls=kernels.calls))


def forces_on(islands: Islands, common: Packed[Tables], calls: Integers, layers: FloatArray) -> Packed[Forces]:
    """The forces on islands, with the layers of their fields."""
    pulled = islands.springs, islands.point_forces, islands.counts
    return Packed(Forces(common, islands.control, calls, layers, *pulled))


def method_for(integrator: Integrator, depends_on_rates: bool) -> tuple[FloatArray, Turn, int]:
    """The parts of a tick, the rotation of a free body, and the evaluations in the second kick of islands under a method."""
    if isinstance(integrator, FreeRotor) and integrator.order == 4:
        return np.array(SUZUKI), free_rotor, 4 if depends_on_rates else 1
    turn: Turn = AxisSplitting._turn if isinstance(integrator, AxisSplitting) else free_rotor
    return WHOLE_TICK, turn, 2 if depends_on_rates else 1


@cache
def kernels_of_islands(turn: Turn, gyroscopic: bool) -> tuple[Loop, ...]:
    """The kernels that the step of islands calls, in the order of `constraints.calls`; those of contacts come last."""
    array = example(Array)
    return (
        declared(rows.joint_rows),
        declared(solver.island_matrix),
        declared(blocks.factor),
        declared(blocks.solve),
        Loop(step.island_drift, (turn, gyroscopic), (array, array, array, 0, 0, 1.0)),
        declared(stages.position_stage),
        declared(stages.velocity_stage),
        declared(step.island_kick),
        declared(step.island_move),
        declared(step.island_finish),
        declared(bounded.joint_bounds),
        declared(bounded.correct_bounded),
        declared(solver.correct),
        declared(step.island_prepare),
        declared(step.island_stages),
        declared(end_kicks.end_kicks),
        declared(solver.balance),
        declared(step.island_division),
        declared(points.point_rows),
        declared(cone.point_matrix),
        declared(cone.correct_cones),
        declared(sweeps.sweep),
        declared(contact_stages.point_position_stage),
        declared(contact_stages.point_velocity_stage),
        declared(sides.follow_inertia),
        declared(solver.answer_weak),
    )


def numbering_loop() -> Loop:
    """The kernel that numbers islands."""
    return declared(number_islands)
