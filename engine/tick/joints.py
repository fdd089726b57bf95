"""The joints of a world, the islands that they make of its bodies, and the loops that run ticks with them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..checks import FloatArray, refuse
from ..compilation.choice import Loop, choose, named
from ..compilation.compiler import address_of, types_of
from ..constraints import blocks, layout, rows, stages, step
from ..constraints.graph import Graph
from ..forces.constant import POINT_FORCES
from ..forces.spring import SPRINGS
from ..integrators.axis_splitting import AxisSplitting
from ..integrators.compiled_forces import NO_FORCES, CompiledForces, field_loop, pulls_loop
from ..integrators.free_rotor import FreeRotor
from ..integrators.integrator import Integrator
from ..integrators.splitting import SUZUKI
from ..joints.joint import JOINTS, JointConflictError
from ..kernels.free_rotor import free_rotor
from ..loops.columns import Integers
from ..loops.kick_drift import KICKS, Turn
from ..loops.layout import ANY_PITCH, BAD, COUNT, POINT_FORCE_ROWS, ROWS, SPRING_ROWS, TICKS
from ..loops.undo import undo
from ..store.bodies import Bodies, rung
from ..store.store import Store
from ..store.threads import TakeTicks

_WHOLE = np.ones(1)


class Joints:
    """The table of joints, its islands, and the loops that move them.

    Attributes:
        conflict: The island that failed in the last tick, or -1.
    """

    def __init__(self, store: Store, bodies: Bodies) -> None:
        self._store = store
        self._bodies = bodies
        self._table = store.table(JOINTS)
        self._springs, self._point_forces = store.table(SPRINGS), store.table(POINT_FORCES)
        self._seen: tuple[Any, ...] = ()
        self._shape: Any = None
        self._version = 0
        self._graph: Graph | None = None
        self._stamp = np.array([-1, -1], np.int64)
        self._kept = np.zeros((layout.STATE_LAST - layout.STATE_FIRST, 1))

    @property
    def any(self) -> bool:
        """Whether any joint acts."""
        return self._table.count > 0 and self.graph is not None

    @property
    def key(self) -> tuple[int, ...]:
        """Changes whenever a loop that was bound to the islands may have become stale."""
        if not self._table.count or self.graph is None:
            return ()
        return (self._version, id(self._table.array), id(self._springs.array), id(self._point_forces.array))

    @property
    def graph(self) -> Graph | None:
        """The islands as they are now; None if no joint acts."""
        tables = self._table, self._springs, self._point_forces, self._bodies
        seen = tuple(number for table in tables[:3] for number in (table.version, table.numbering))
        seen += (self._bodies.numbering,)
        if seen != self._seen:
            self._seen = seen
            self._look()
        return self._graph

    def _look(self) -> None:
        """Find the islands; nothing is made anew if they are as before."""
        table, count = self._table.array, self._table.count
        acting = np.flatnonzero(table[layout.ENABLED, :count])
        joints = []
        hard = []
        for row in acting.tolist():
            own = table[:, row]
            pair = int(own[layout.BODY]), int(own[layout.OTHER])
            equalities = layout.EQUALITY_ROWS[int(own[layout.TYPE])]
            others = (
                int(own[layout.LOWER] > -np.inf)
                + int(own[layout.UPPER] < np.inf)
                + int(own[layout.MOTOR] != layout.NO_MOTOR)
                + int(own[layout.FRICTION] > 0.0)
                + int(own[layout.SPRING] != 0.0)
            )
            joints.append((row, pair, equalities + others))
            hard.append(others == 0)
        springs = [
            (int(a), int(b)) for a, b, *_ in self._springs.array[:, : self._springs.count].T.tolist() if int(b) >= 0
        ]
        points = self._point_forces.array[0, : self._point_forces.count].astype(int).tolist()
        shape = joints, hard, springs, points, self._springs.array[0, : self._springs.count].tolist()
        if shape == self._shape:
            return
        self._shape = shape
        self._version += 1
        self._graph = Graph(joints, springs, hard) if joints else None
        if self._graph is not None:
            self._make_arrays(self._graph)

    def _make_arrays(self, graph: Graph) -> None:
        count, links = len(graph.columns), len(graph.links)
        pitch = rung(count)
        self._own = np.zeros((ROWS, pitch))
        self._own[:] = self._bodies.schema.rest
        self._stages = np.zeros((step.STAGE_ROWS, pitch))
        self._stages[6] = 1.0
        self._work = np.zeros((layout.WORK_ROWS, pitch))
        self._joints = np.zeros((layout.JOINT_ROWS, links))
        self._kept = np.zeros((layout.STATE_LAST - layout.STATE_FIRST, links))
        self._points = np.zeros((links, layout.POINT_SIZE))
        self._rows = np.zeros((graph.row_count, layout.ROW_SIZE))
        self._blocks = np.zeros((graph.block_count, 36))
        self._measures = np.zeros((len(graph.islands), layout.MEASURES))
        self._control = np.array([0, count if count <= 2 else min((count + 7) & ~7, pitch), -1], np.int64)
        self._places = np.full(max(self._bodies.count, 1), -1, np.int64)
        self._places[graph.columns] = np.arange(count)
        inside = set(graph.columns.tolist())
        springs = self._springs.array[:2, : self._springs.count].astype(int).T.tolist()
        chosen = [row for row, (a, b) in enumerate(springs) if a in inside and (b < 0 or b in inside)]
        self._spring_rows = np.array(chosen, np.int64)
        self._own_springs = np.zeros((SPRING_ROWS, max(1, len(chosen))))
        points = self._point_forces.array[0, : self._point_forces.count].astype(int).tolist()
        chosen_points = [row for row, body in enumerate(points) if body in inside]
        self._point_rows = np.array(chosen_points, np.int64)
        self._own_point_forces = np.zeros((POINT_FORCE_ROWS, max(1, len(chosen_points))))
        self._counts = np.array([len(chosen), len(chosen_points)], np.int64)
        self._stamp[:] = -1

    # ticks

    def around(
        self,
        run: TakeTicks,
        dt: float,
        control: Integers,
        integrator: Integrator,
        gyroscopic: bool,
        forces: CompiledForces,
    ) -> TakeTicks:
        """Return a function that runs ticks with islands, given one that moves all bodies over ticks of `dt` [s] and counts them."""
        if isinstance(run, partial):
            return self._linked(run.func, run.args, dt, control, integrator, gyroscopic, forces)
        islands = self._linked(step.moved, (), dt, control, integrator, gyroscopic, forces)

        def take(ticks: int) -> int:
            for tick in range(ticks):
                taken = run(1)
                if taken != 1:
                    return min(taken, 0) if tick == 0 else tick
                if islands(1) != 1:
                    return tick
            return ticks

        return take

    def _linked(
        self,
        loop: Any,
        loop_arguments: tuple[Any, ...],
        dt: float,
        control: Integers,
        integrator: Integrator,
        gyroscopic: bool,
        forces: CompiledForces,
    ) -> partial[int]:
        graph, bodies = self.graph, self._bodies
        assert graph is not None
        parts, turn, evaluations = method_for(integrator, forces.depends_on_rates)
        order_four = len(parts) > 1
        calls = self._calls(turn, gyroscopic)
        force_calls, layers, own_layers = self._force_calls(forces)
        kicks = np.array(KICKS[evaluations])
        step_arguments = (
            *(self._own, self._control, self._stages, kicks, force_calls, own_layers, self._own_springs),
            *(self._own_point_forces, self._counts, self._work, self._joints, graph.links, graph.islands),
            *(self._points, self._rows, self._blocks, graph.program, self._measures, calls),
        )
        springs = forces.springs if forces.springs is not None else self._own_springs
        point_forces = forces.point_forces if forces.point_forces is not None else self._own_point_forces
        open_arguments = (
            *(self._places, layers, own_layers, springs, self._own_springs, self._spring_rows),
            *(point_forces, self._own_point_forces, self._point_rows),
            *(self._table.array, self._joints, graph.links, self._points),
        )
        array, columns, stores = bodies.array, graph.columns, bodies.stores_momentum
        links, points = graph.links, self._points
        hard = int(graph.islands[:, layout.IS_HARD].sum()) if order_four else 0
        count = len(graph.islands)
        closing = (self._table.array, self._joints, self._kept, links, points, self._stamp, 0, stores, dt)
        addresses = np.array(
            [
                address_of(loop, types_of(*loop_arguments, 1)),
                named(step.islands_open, array, self._own, columns, *open_arguments, stores).address,
                named(step.islands_step, *step_arguments, parts, 0, 0, 0.0, dt).address,
                named(step.islands_close, array, self._own, columns, *closing).address,
                named(undo, array, control, stores).address,
            ],
            np.int64,
        )
        return partial(
            step.linked_ticks,
            *(array, control, addresses, loop_arguments, open_arguments, step_arguments, parts, _WHOLE, columns),
            *(self._table.array, self._kept, self._stamp, hard, count, stores, dt),
        )

    def _calls(self, turn: Turn, gyroscopic: bool) -> Integers:
        """The addresses of the kernels that the step of islands calls."""
        loops = kernels_of_islands(turn, gyroscopic)
        return np.array([loop.address for loop in loops], np.int64)

    def _force_calls(self, forces: CompiledForces) -> tuple[Integers, FloatArray, FloatArray]:
        """The kernels of the fields for the arrays of islands, and the layers of the world and of islands."""
        bodies = self._bodies
        pitch = self._own.shape[1]
        calls = np.zeros((1 + len(forces.kinds), 3), np.int64)
        row = 0
        for place, (kind, count) in enumerate(zip(forces.kinds, forces.layer_counts, strict=True), 1):
            loop = choose([field_loop(kind, bodies, each) for each in (pitch, ANY_PITCH)])
            calls[place] = loop.address, row, count
            row += count * kind.rows_per_layer
        calls[0, 0] = pulls_loop(bodies).address
        layers = forces.layers if isinstance(forces.layers, np.ndarray) else np.zeros((0, bodies.pitch))
        return calls, layers, np.zeros((len(layers), pitch))

    # when a tick fails

    def recover(self, control: Integers) -> None:
        """Restore the state of joints if the last tick, for which it was written, was undone afterwards."""
        if self._stamp[0] >= 0 and self._stamp[0] >= control[TICKS] and self._graph is not None:
            step.islands_restore(self._table.array, self._kept, self._graph.links, self._stamp)

    def failure(self, time: float) -> Exception | None:
        """The error of the last tick if the joints of an island could not be made to hold; None otherwise."""
        island, graph = int(self._stamp[1]), self._graph
        if island < 0 or graph is None:
            return None
        self._stamp[1] = -1
        if not np.isfinite(self._measures[island, layout.WORST]):
            self._bodies.control[BAD] = graph.columns[graph.islands[island, layout.BODIES]]
            return None
        world = self._store.world()
        found = []
        for link in range(graph.islands[island, layout.LINKS], graph.islands[island, layout.LINKS_END]):
            rows_of = slice(graph.links[link, layout.FIRST_ROW], graph.links[link, layout.LAST_ROW])
            residual = float(np.abs(self._rows[rows_of, layout.RESIDUAL]).max())
            found.append((residual, int(graph.links[link, layout.JOINT])))
        found.sort(reverse=True)
        owners = {joint.rows.start: joint for joint in world.joints}
        named_joints = ", ".join(f"{owners[row]!r} by {residual:.3g}" for residual, row in found[:4])
        return JointConflictError(
            f"World: joints cannot hold together in the tick from t = {time:g} s: {named_joints} (m or rad). The world is as it was "
            "before that tick; disable or remove one of them"
        )

    def image(self) -> FloatArray:
        """The state of all joints, to restore after several steps of a tick."""
        return self._table.array[layout.STATE_FIRST : layout.STATE_LAST, : self._table.count].copy()

    def restore(self, image: FloatArray) -> None:
        """Restore the state of all joints."""
        self._table.array[layout.STATE_FIRST : layout.STATE_LAST, : self._table.count] = image
        self._stamp[0] = -1

    def keep(self, image: FloatArray, tick: int) -> None:
        """Let a tick of several steps be undone to the state before it."""
        if self._graph is not None:
            self._kept[:] = image[:, self._graph.links[:, layout.JOINT]]
            self._stamp[0] = tick


def method_for(integrator: Integrator, depends_on_rates: bool) -> tuple[FloatArray, Turn, int]:
    """The parts of a tick, the rotation of a free body, and the evaluations per kick of islands under a method."""
    if isinstance(integrator, FreeRotor) and integrator.order == 4:
        return np.array(SUZUKI), free_rotor, 4 if depends_on_rates else 1
    turn: Turn = AxisSplitting._turn if isinstance(integrator, AxisSplitting) else free_rotor
    return _WHOLE, turn, 2 if depends_on_rates else 1


def kernels_of_islands(turn: Turn, gyroscopic: bool) -> list[Loop]:
    """The kernels that the step of islands calls, in the order of `constraints.stages`."""
    array, integers, flat = np.zeros((1, 1)), np.zeros((1, 1), np.int64), np.zeros(1, np.int64)
    common = (array, array, array, integers, integers, array, array, array, integers, array, flat)
    force_arguments = (array, flat, array, array, integers, array, array, array, flat)
    return [
        named(rows.joint_rows, array, array, array, integers, array, array, array, 0, 0, 0, 0, 0),
        named(stages.island_matrix, array, integers, integers, array, array, 0),
        named(blocks.factor, array, integers, 0, 0),
        named(blocks.solve, array, array, integers, 0, 0),
        Loop(step.island_drift, (turn, gyroscopic), (array, array, 0, 0, 1.0)),
        named(stages.position_stage, *common, 0, 1.0),
        named(stages.velocity_stage, *common, 0, 1.0),
        named(step.island_kick, *force_arguments, 0, 0, 0.0, 1.0),
        named(step.island_move, *common, 0, 1.0),
        named(step.island_finish, *common, 0),
        named(stages.joint_bounds, array, integers, array, 0, 0, 0, 1.0, 1.0, 1.0),
        named(stages.correct_bounded, array, array, integers, integers, array, array, integers, flat, 0, 1.0, 1.0),
    ]


def refuse_joints(integrator: Integrator, owner: object) -> None:
    """Reject joints in a world whose method cannot move them.

    Raises:
        ValueError: The method tries ticks of several lengths or reuses the wrenches of earlier ticks.
    """
    if not integrator.takes_actuators:
        refuse(
            owner,
            "the integrator of the world",
            integrator.name,
            "one that takes each tick once: with joints, neither Extrapolated nor Substepped(tolerance=…)",
        )


