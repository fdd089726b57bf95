"""The joints of a world, the islands that they make of its bodies, and the loops that run ticks with them."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from functools import partial
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ..checks import FloatArray, levels_to_caller, refuse
from ..compilation.choice import Loop, ready
from ..compilation.packed import Packed, declared_in
from ..constraints import divided, layout, passes, step, ticks
from ..constraints.arguments import JointSteps, Move
from ..constraints.graph import BODY_COUNT, LINK_COUNT, POINT_COUNT, SPRING_COUNT, Graph
from ..forces.constant import POINT_FORCES
from ..forces.spring import SPRINGS
from ..integrators.integrator import Integrator, Step
from ..joints.joint import JOINTS, JointConflictError
from ..loops.actuator_layout import BODY
from ..loops.gather import THRUSTERS, WHEELS
from ..loops.layout import WRENCH_ROWS
from ..loops.program import AtStages, Operation, moving_in_stages
from ..loops.steps import Counts
from ..loops.undo import Undone
from ..store.bodies import Bodies
from ..store.rows import BodyHandle
from ..store.store import Store
from ..store.table import Table
from .actuators import parts_of
from .contacts import Contacts
from .island_kernels import WHOLE_TICK, Bound, numbering_loop
from .islands import Islands
from .joint_conflicts import find_conflict
from .joint_fit import JointFit
from .latches import OpenLatches

_LOG = logging.getLogger("polhode")


class Joints:
    """The table of joints, the islands that they make, and the loops that move them."""

    def __init__(self, store: Store, bodies: Bodies) -> None:
        self._store = store
        self._bodies = bodies
        self._table = store.table(JOINTS)
        self._springs, self._point_forces = store.table(SPRINGS), store.table(POINT_FORCES)
        self._islands, self._all, self._apart = Islands(bodies), Islands(bodies, has_all=True), Islands(bodies)
        self.contacts = Contacts(store, bodies, self._tables)
        self.fit = JointFit(store, bodies, self._table)
        self.latches = OpenLatches(store, bodies)
        self._moves_all = False
        self._has_warned = False
        self.looks_for_fast_rotors = True
        """Whether a joint whose bodies turn too fast for the tick is still to be named, which is done once."""
        self.conflicting: list[int] = []
        """The rows of the bodies of the island whose joints contradicted each other last."""

    @property
    def any(self) -> bool:
        """Whether any joint acts, or bodies may touch."""
        return self.contacts.any or (self._table.count > 0 and self.graph is not None)

    def look(self) -> None:
        """Number islands and find latches, if anything has changed since that decides it."""
        if self._table.count:
            _ = self.graph, self.latches.any
        if self.contacts.any:
            self.contacts.look()

    @property
    def _tables(self) -> tuple[Table, Table, Table]:
        return self._table, self._springs, self._point_forces

    @property
    def table(self) -> FloatArray:
        """The table of joints."""
        return self._table.array

    @property
    def count(self) -> int:
        """The number of joints."""
        return self._table.count

    @property
    def islands(self) -> Islands | None:
        """The arrays of the islands as they are now; None if no joint acts."""
        return self._islands if self.graph is not None else None

    @property
    def islands_apart(self) -> Islands | None:
        """The same with places for all islands at once, which those of ticks may share."""
        islands = self.islands
        if islands is None or not islands.graph.shares:
            return islands
        _ = self._look(self._apart)
        return self._apart

    @property
    def graph(self) -> Graph | None:
        """The islands as they are now; None if no joint acts."""
        graph = self._look(self._islands)
        if self._moves_all:
            _ = self._look(self._all)
        return graph if graph.sizes[LINK_COUNT] else None

    def _look(self, islands: Islands) -> Graph:
        """Number islands, if anything has changed since, and have room for them."""
        bodies, graph, store = self._bodies, islands.graph, self._store
        if islands.seen != store.layout_version:
            tables = [(table.array, table.count) for table in (*self._tables, bodies)]
            number = partial(graph.number, ready(numbering_loop(), bodies.may_number_in_python), *tables)
            number()
            if islands is self._islands and graph.shares != self._may_share(graph):
                graph.shares = not graph.shares
                number()
            islands.make_room()
            graph.islands[:1, layout.TURNS_FAST] = 0  # it named a row that may be that of another joint now
            islands.seen = store.layout_version
        return graph

    def _may_share(self, graph: Graph) -> bool:
        """Whether spans of islands may share their places: there are several, and nothing names a place on any of them."""
        sizes, places = graph.sizes, graph.places
        if sizes[BODY_COUNT] <= layout.SPAN or sizes[[SPRING_COUNT, POINT_COUNT]].any():
            return False
        parts = parts_of(self._bodies)
        jets, wheels = parts.thrusters[BODY, : parts.counts[THRUSTERS]], parts.wheels[BODY, : parts.counts[WHEELS]]
        return not (places[jets.astype(int)] >= 0).any() and not (places[wheels.astype(int)] >= 0).any()

    # ticks

    def operations(self, integrator: Integrator, tick: Step) -> tuple[list[Operation], list[Operation]]:
        """The operations before and after all bodies were moved over a tick or step, which its `control` has counted.

        Contacts are found before; after, the islands are moved again from the start of the tick, and contacts are kept.
        """
        bound, move, found, keep = self._bind(integrator, tick, None)
        return found, [Operation(bound.kernels.function(ticks.move_islands), move), *keep]

    def _bind(
        self, integrator: Integrator, tick: Step, acting: AtStages | None
    ) -> tuple[Bound, Packed[Move], list[Operation], list[Operation]]:
        """The arguments of the kernels of a tick or step of islands, and the operations that find contacts and keep them.

        All bodies are islands if other forces act at the stages.
        """
        moves_all, rates = (False, tick.forces.depends_on_rates) if acting is None else (True, acting.depends_on_rates)
        open_all, step_all, close_all, move_all, pass_all = declared_in(ticks, passes)
        stepped, moved = (None, pass_all) if moves_all else (step_all, move_all)
        called: tuple[Loop | None, ...] = open_all, stepped, close_all, moved
        bodies, contacts, self._moves_all = self._bodies, self.contacts, moves_all
        islands = self._all if moves_all else self._islands
        _ = self._look(islands)
        if contacts.any:
            contacts.use(moves_all)
            islands, called = contacts.islands, (*called, numbering_loop(), *contacts.called)
        method = integrator, tick.gyroscopic, tick.forces, rates
        has_joints = moves_all or self.count > 0
        bound = Bound(islands, bodies, self._table.array, *method, called, contacts.any, has_joints)
        # islands through which no part of negative length may go keep all others from it too, which take their steps at the same times
        parts = WHOLE_TICK if moves_all and islands.graph.has_soft else bound.parts
        seen = bodies.stage_array(1) if moves_all else np.zeros((1, 1))
        kept = np.zeros((WRENCH_ROWS, islands.own.shape[1] if moves_all else 1))
        ends = tick.control, islands.failed, bound.kernels.around_calls, bound.outside, bound.step
        move = Packed(Move(*ends, parts, WHOLE_TICK, seen, kept, int(bodies.stores_momentum), tick.dt))
        if not contacts.any:
            return bound, move, [], []
        counts = Counts(bodies.control, tick.control, tick.per_tick)
        found, keep = contacts.operations(bound.kernels.function, bound.kernels.around_calls, counts, tick.dt)
        return bound, move, found, [keep]

    def operation_of_step(self, step: Step) -> Operation:
        """What is done after each step of a tick."""
        forces, reached = (np.zeros((rows, self._table.count)) for rows in (6, layout.MOST_FREEDOMS))
        counts = Counts(self._bodies.control, step.control, step.per_tick)
        return Operation(divided.sum_joint_steps, Packed(JointSteps(self._table.array, forces, reached, counts)))

    def warn_of_common_step(self) -> None:
        """Warn once per world that a Python force lets all bodies move by the step of islands; names the line that runs the tick."""
        if self._has_warned:
            return
        self._has_warned = True
        warnings.warn(
            "World: a Python force that sees all bodies acts in a world with joints or shapes; therefore all bodies are moved by the "
            "step of the joints, which is that of free-rotor-2, or five such steps with free-rotor-4",
            stacklevel=levels_to_caller(),
        )

    def warn_of_fast_rotors(self) -> None:
        """Log once per world that a joint has bodies that turn too fast for the tick, if the step of islands has noted one."""
        islands = self._islands.graph.islands
        number = islands.item(layout.TURNS_FAST) if len(islands) else 0  # in the first one
        if number:
            self.looks_for_fast_rotors = False
            _LOG.warning(
                "World: the bodies of %r turn by more than %g rad per tick against each other, about an axis that turns itself; the "
                "attitude drifts, although energy and momentum do not show it. Use a shorter dt, free-rotor-4 or a flight.ReactionWheel",
                self.fit.owner(number - 1),
                step.MOST_TURN,
            )

    def in_stages(self, integrator: Integrator, tick: Step, acting: AtStages) -> list[Operation]:
        """The operations that move all bodies by the step of islands over a tick or step, where other forces act at its stages."""
        bound, move, found, keep = self._bind(integrator, tick, acting)
        times = [0.0, *accumulate((tick.dt * move.arguments.parts).tolist())]
        stages = [(0, at) for begin, end in pairwise(times) for at in (begin, *[end] * bound.evaluations)]
        loop = partial(bound.kernels.function(passes.islands_passes), move)
        undone = Undone(self._bodies.array, tick.control, 1)
        return [*found, *moving_in_stages(loop, [*stages, (0, times[-1])], acting, undone, tick.dt), *keep]

    # poses that are assigned

    def moving_with(self, body: BodyHandle, value: object, argument: str) -> list[Any]:
        """The bodies of the island of a body, whose pose is assigned; empty if no joint acts on it.

        Raises:
            ValueError: If a joint ties the island to the world.
        """
        graph = self.graph
        group = [] if graph is None else next((group for group in graph.groups if body.index in group), [])
        for joint in self._store.world().joints if group else ():
            if joint.enabled and joint.other is None and joint.body.index in group:
                refuse(
                    body,
                    argument,
                    value,
                    f"left alone while {joint!r} ties it to the world",
                    hint="disable the joint first",
                )
        return [self._bodies.handles[column] for column in group]

    # when a tick fails

    def _in_use(self) -> Iterator[Islands]:
        return (islands for islands in (self._islands, self._all, *self.contacts.both) if islands.is_used)

    def failure(self, time: float) -> JointConflictError | None:
        """The error of the last tick if the joints of an island contradict each other; None otherwise."""
        found = find_conflict(self._in_use(), self._bodies, self.fit.owner, time)
        if found is None:
            return None
        error, self.conflicting = found
        return error


def refuse_joints(integrator: Integrator, owner: object) -> None:
    """Reject joints in a world whose method cannot move them.

    Raises:
        ValueError: If the method tries ticks of several lengths or reuses the wrenches of earlier ticks.
    """
    if not integrator._takes_actuators:
        refuse(
            owner,
            "the integrator of the world",
            integrator.name,
            "one that computes each tick once; joints and shapes work with neither Extrapolated nor Substepped(tolerance=…)",
        )
