"""The joints of a world, the islands that they make of its bodies, and the loops that run ticks with them."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..checks import FloatArray, levels_to_caller, refuse
from ..compilation.choice import MOST_ON_JOINTS_IN_PYTHON, Loop, StandIn, in_python, named, ready
from ..compilation.compiler import address_in_python
from ..compilation.packed import Packed
from ..constraints import (
    blocks,
    bounded,
    cone,
    contact_stages,
    divided,
    layout,
    points,
    rows,
    sides,
    solver,
    stages,
    step,
    sweeps,
)
from ..constraints.calls import BALANCE_CALL, BOUNDED_CALL, BOUNDS_CALL, FOLLOW_CALL, LEAVES, POINT_CALLS
from ..constraints.fit import FARTHEST_POINT, misfits
from ..constraints.graph import (
    CONTACT_COUNT,
    FOLLOWERS,
    HAS_LOOPS,
    LINK_COUNT,
    PLACES,
    Graph,
    number_islands,
)
from ..forces.constant import POINT_FORCES
from ..forces.spring import SPRINGS
from ..integrators.axis_splitting import AxisSplitting
from ..integrators.compiled_forces import NO_FORCES, CompiledForces, field_loop, pulls_loop
from ..integrators.free_rotor import FreeRotor
from ..integrators.integrator import Integrator
from ..integrators.splitting import SUZUKI
from ..joints.joint import JOINTS, JointConflictError
from ..kernels.free_rotor import free_rotor
from ..loops.actuators import end_kicks
from ..loops.columns import Integers
from ..loops.kick_drift import Turn
from ..loops.layout import (
    ANY_PITCH,
    BAD,
    ORIENTATION,
    POSITION,
    WRENCH_ROWS,
)
from ..loops.program import AtStages, Operation, moving_in_stages
from ..rotation import rotate
from ..store.bodies import Bodies
from ..store.store import Store
from ..store.table import Table
from .actuators import tables_and_counts
from .contacts import Contacts
from .islands import Islands

_LOG = logging.getLogger("polhode")
_WHOLE = np.ones(1)


class IslandKernels:
    """The kernels that the island step calls, for one method and its forces, or their plain Python functions while one is missing.

    Attributes:
        calls: The addresses of the kernels of islands, in the order of `constraints.calls`; those for bounds and for loops are
            neither compiled nor loaded while no joint has bounds or closes a loop.
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
        """
        unused = [] if graph.has_soft or has_contacts else [BOUNDS_CALL, BOUNDED_CALL]
        if not graph.sizes[HAS_LOOPS]:
            unused.append(BALANCE_CALL)
        if not has_contacts and not graph.sizes[CONTACT_COUNT]:
            unused.extend(POINT_CALLS)
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

    def function(self, kernel: Any) -> Callable[..., Any]:
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
    ) -> None:
        graph = islands.graph
        parts, turn, evaluations = method_for(integrator, depends_on_rates)
        self.parts = parts
        self.evaluations = evaluations
        self.kernels = IslandKernels(graph, bodies, turn, gyroscopic, forces, around, has_contacts)
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
            ),
        )
        self.close = (table, islands.joints, graph.links, islands.points, graph.sizes)


def common_arguments(islands: Islands, kernels: IslandKernels) -> Packed:
    """The first argument of the stages of the island step."""
    graph = islands.graph
    return Packed(
        *(islands.own, islands.work, islands.joints, graph.links, graph.islands, islands.points, islands.rows),
        *(islands.blocks, graph.program, islands.measures, kernels.calls, islands.touching, islands.stages),
    )


class Joints:
    """The table of joints, the islands that they make, and the loops that move them."""

    def __init__(self, store: Store, bodies: Bodies) -> None:
        self._store = store
        self._bodies = bodies
        self._table = store.table(JOINTS)
        self._springs, self._point_forces = store.table(SPRINGS), store.table(POINT_FORCES)
        self._islands, self._all = Islands(bodies), Islands(bodies, has_all=True)
        self.contacts = Contacts(store, bodies, self._tables)
        self._steps = np.zeros(1, np.int64)
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

    @property
    def key(self) -> tuple[int, ...]:
        """Changes whenever a loop that was bound to the islands may have become stale."""
        if not self.any:
            return ()
        return (*self.contacts.key, *self._islands.key, *self._all.key, *(id(table.array) for table in self._tables))

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
    def graph(self) -> Graph | None:
        """The islands as they are now; None if no joint acts."""
        graph = self._look(self._islands)
        if self._moves_all:
            _ = self._look(self._all)
        return graph if graph.sizes[LINK_COUNT] else None

    def _look(self, islands: Islands) -> Graph:
        """Number islands, if anything has changed since, and have room for them."""
        bodies, graph = self._bodies, islands.graph
        versions = [number for table in self._tables for number in (table.version, table.numbering)]
        seen = bodies.numbering, bodies.count, bodies.frozen_version, *versions
        if islands.seen != seen:
            tables = [(table.array, table.count) for table in (*self._tables, bodies)]
            graph.number(ready(numbering_loop(), bodies.may_number_in_python), *tables)
            islands.make_room()
            graph.islands[:1, layout.TURNS_FAST] = 0  # it named a row that may be that of another joint now
            islands.seen = seen
        return graph

    # ticks

    def operations(
        self,
        dt: float,
        control: Integers,
        integrator: Integrator,
        gyroscopic: bool,
        forces: CompiledForces,
    ) -> tuple[list[Operation], list[Operation]]:
        """The operations before and after all bodies were moved over a tick of `dt` [s], which `control` has counted.

        Contacts are found before; after, the islands are moved again from the start of the tick, and contacts are kept.
        """
        self._moves_all = False
        bodies, contacts = self._bodies, self.contacts
        graph = self._look(self._islands)
        islands = self._islands
        around = loops_around_islands(bodies.stores_momentum)
        called: tuple[Loop | None, ...] = around.open, around.step, around.close, around.move
        if contacts.any:
            contacts.use(moves_all=False)
            islands, graph = contacts.islands, contacts.islands.graph
            called = *called, numbering_loop(), *contacts.called
        bound = Bound(
            *(islands, bodies, self._table.array, integrator, gyroscopic, forces, forces.depends_on_rates),
            *(called, contacts.any),
        )
        ends, kernels = (bodies.array, islands.own, graph.columns), bound.kernels
        packed = Packed(
            *(control, islands.failed, kernels.around_calls, (*ends, *bound.open), bound.step, (*ends, *bound.close)),
            *(bound.parts, _WHOLE, graph.sizes, int(bodies.stores_momentum), dt),
        )
        move = Operation(kernels.function(step.move_islands), packed)
        if not contacts.any:
            return [], [move]
        found, keep = contacts.operations(kernels.function, kernels.around_calls, self._steps_of(control), dt)
        return found, [move, keep]

    def operations_of_steps(self) -> tuple[Operation, Operation, Operation]:
        """What is done in a tick of several steps before the first step, after each step, and after the last one."""
        table, count = self._table.array, self._table.count
        forces, reached = np.zeros((6, count)), np.zeros((layout.MOST_FREEDOMS, count))
        packed = Packed(table, forces, reached, count, self._steps)
        called = divided.open_joint_steps, divided.add_joint_step, divided.end_joint_steps
        begin, each, end = (Operation(function, packed) for function in called)
        return begin, each, end

    def _steps_of(self, control: Integers) -> Integers:
        """The number of steps that have been taken of the tick which `control` counts, if it counts steps."""
        return self._steps if control is not self._bodies.control else np.zeros(1, np.int64)

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
        number = int(self._islands.graph.islands[:1, layout.TURNS_FAST].sum())
        if number:
            self.looks_for_fast_rotors = False
            _LOG.warning(
                "World: the bodies of %r turn by more than %g rad per tick against each other, about an axis that turns itself; the "
                "attitude drifts, although energy and momentum do not show it. Use a shorter dt, free-rotor-4 or a flight.ReactionWheel",
                self._owners()[number - 1],
                step.MOST_TURN,
            )

    def in_stages(
        self,
        dt: float,
        control: Integers,
        integrator: Integrator,
        gyroscopic: bool,
        forces: CompiledForces,
        acting: AtStages,
    ) -> list[Operation]:
        """The operations that move all bodies by the step of islands over a tick of `dt` [s], where other forces act at its stages."""
        self._moves_all = True
        islands, graph, all_bodies, stores = self._all, self._look(self._all), self._bodies, True
        around, contacts = loops_around_islands(stores), self.contacts
        called: tuple[Loop | None, ...] = around.open, None, around.close, around.passes
        if contacts.any:
            contacts.use(moves_all=True)
            islands, graph = contacts.islands, contacts.islands.graph
            called = *called, numbering_loop(), *contacts.called
        method = integrator, gyroscopic, forces, acting.depends_on_rates
        bound = Bound(islands, all_bodies, self._table.array, *method, called, contacts.any)
        # islands through which no part of negative length may go keep the others from it too: all take their steps at the same times
        parts = _WHOLE if graph.has_soft else bound.parts
        visible, kept = all_bodies.stage_array(1), np.zeros((WRENCH_ROWS + 9, islands.own.shape[1]))
        calls, ends = bound.kernels.around_calls, (all_bodies.array, islands.own, graph.columns)
        packed = Packed(
            *(all_bodies.array, control, islands.failed, visible, calls),
            *((*ends, *bound.open), bound.step, (*ends, *bound.close)),
            *(parts, kept, dt),
        )
        stages, offset = [], 0.0
        for part in parts.tolist():
            stages.append((0, offset))
            offset = offset + dt * part
            stages += [(0, offset)] * bound.evaluations
        stages.append((0, offset))
        loop = partial(bound.kernels.function(step.islands_passes), packed)
        moves = moving_in_stages(loop, stages, acting, all_bodies.array, control, stores, dt)
        if not contacts.any:
            return moves
        found, keep = contacts.operations(bound.kernels.function, calls, self._steps_of(control), dt)
        return [*found, *moves, keep]

    # poses that are assigned

    def moving_with(self, body: Any, value: object, argument: str) -> list[Any]:
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

    # whether joints hold

    def require_fit(self, joint: Any, owner: str, argument: str, value: object) -> None:
        """Reject a joint of this world that does not hold at the current poses.

        Raises:
            JointConflictError: If the joint closes a loop with other joints.
            ValueError: If the joint closes no loop, or the poses violate one of its limits.
        """
        row = joint.rows.start
        column = self._table.array[:, row : row + 1].copy()
        # a weld that pulls its bodies together cannot do so if other welds hold them
        closes = bool(joint._type == layout.WELD and column[layout.TYPE, 0] != layout.WELD)
        if closes:
            column[layout.TYPE] = layout.WELD
        (gap,), (turn,), (near,) = misfits(self._bodies.array, column)
        holds = gap <= near and turn <= FARTHEST_POINT
        loop = [] if holds else self._path(row, only_welds=closes)
        if holds or (closes and not loop):
            broken = _broken_limit(column[:, 0])
            if broken:
                rule = (
                    "one that is within its limits" if argument == "joint" else "left False while a limit is violated"
                )
                refuse(owner, argument, value, rule, hint=broken)
            self.note_slack(joint)
            return
        miss = _miss_in_words(gap, turn)
        if loop:
            columns = self._table.array[:, loop].copy()
            owners = self._owners()
            others = [
                f"{owners[each]!r} (off by {_miss_in_words(*errors)})"
                for each, *errors in zip(loop, *misfits(self._bodies.array, columns)[:2], strict=True)
            ]
            raise JointConflictError(
                f"{owner}: {joint!r} is off by {miss} at the current poses, and closes a loop with {', '.join(others)}; "
                "move the bodies to poses at which all of these joints hold, or remove one of the joints"
            )
        rule = f"one that holds at the current poses, within {near:.3g} m and {FARTHEST_POINT:g} rad"
        if argument != "joint":
            rule = f"left False until it holds again, within {near:.3g} m and {FARTHEST_POINT:g} rad"
        refuse(owner, argument, value, rule, hint=f"{self._places(joint)}, and the joint is off by {miss}")

    def note_slack(self, joint: Any) -> None:
        """Note by how much the joints of a loop that this one closes miss each other now, so that ticks ask for no better fit.

        What is rounded when poses are stored, and what the solver leaves, misfits a joint that is made for the current poses.
        """
        row, table = joint.rows.start, self._table
        slack = 0.0, 0.0
        array = table.array[:, : table.count]
        others = array[layout.BODY : layout.OTHER + 1, (array[layout.ENABLED] > 0.0) & (np.arange(table.count) != row)]
        if all((others == end).any() for end in array[layout.BODY : layout.OTHER + 1, row]):
            loop = self._path(row, only_welds=False)
            if loop:
                columns = array[:, [row, *loop]].copy()
                gaps, turns, near = misfits(self._bodies.array, columns)
                fits = (gaps <= near) & (turns <= FARTHEST_POINT)  # what is more, a joint that locks is to close
                gap, turn = float(gaps[fits].max(initial=0.0)), float(turns[fits].max(initial=0.0))
                # the solver shares what points miss among points and axes; about half of it is left to axes
                size = self._size_of(columns)
                slack = gap, max(turn, 0.5 * gap / size if size > FARTHEST_POINT else 0.0)
        if slack != tuple(array[layout.SLACK : layout.SLACK + 2, row].tolist()):
            table.write(slice(layout.SLACK, layout.SLACK + 2), row, slack)

    def _size_of(self, joints: FloatArray) -> float:
        """The largest distance from the point of the first of some joints, which are columns of their table, to that of another [m]."""
        array, bodies = self._bodies.array, joints[layout.BODY].astype(int)
        at_body = joints[layout.AT_BODY : layout.AT_BODY + 3].T
        origins = array[POSITION : POSITION + 3, bodies].T
        points = origins - origins[0] + rotate(array[ORIENTATION : ORIENTATION + 4, bodies].T, at_body)
        return float(np.sqrt(((points - points[0]) ** 2).sum(axis=1).max()))

    def _places(self, joint: Any) -> str:
        """The two points of a joint, in words."""
        there = joint.at_other if joint.other is None else joint.other.to_world(joint.at_other)
        return f"at_body is at {joint.body.to_world(joint.at_body).tolist()} and at_other at {there.tolist()} in the world frame"

    def are_welded_without(self, joint: Any) -> bool:
        """Whether welds and locked latches other than this joint make its bodies one."""
        return bool(self._path(joint.rows.start, only_welds=True))

    def _path(self, row: int, only_welds: bool) -> list[int]:
        """The rows of the enabled joints, or of the welds, that connect the bodies of a joint without it; empty if none do."""
        table, count = self._table.array, self._table.count
        start, end = table[layout.BODY : layout.OTHER + 1, row].astype(int).tolist()
        links: dict[int, list[tuple[int, int]]] = {}
        for other in np.flatnonzero(table[layout.ENABLED, :count]).tolist():
            kind = int(table[layout.TYPE, other])
            if other != row and (kind == layout.WELD if only_welds else layout.EQUALITY_ROWS[kind]):
                a, b = table[layout.BODY : layout.OTHER + 1, other].astype(int).tolist()
                links.setdefault(a, []).append((b, other))
                links.setdefault(b, []).append((a, other))
        paths: dict[int, list[int]] = {start: []}
        waiting = [start]
        for place in waiting:
            for next_place, other in links.get(place, ()):
                if next_place not in paths:
                    paths[next_place] = [*paths[place], other]
                    waiting.append(next_place)
        return paths.get(end, [])

    def require_poses(self, first: int, values: FloatArray, argument: str) -> None:
        """Reject poses of all bodies at which a joint does not hold.

        Args:
            first: The first component of a body that is assigned (see `loops.layout`).
            values: The new values, shape (n, size).
            argument: The name of what is assigned.

        Raises:
            ValueError: If a joint would not hold, or a limit would be violated.
        """
        rows = np.flatnonzero(self._table.array[layout.ENABLED, : self._table.count])
        if not len(rows):
            return
        bodies, joints = self._bodies.array.copy(), self._table.array[:, rows].copy()
        bodies[first : first + values.shape[1], : len(values)] = values.T
        gaps, turns, near = misfits(bodies, joints)
        owners = self._owners()
        for row, column, gap, turn, bound in zip(rows.tolist(), joints.T, gaps, turns, near, strict=True):
            if not (gap <= bound and turn <= FARTHEST_POINT):
                hint = f"{owners[row]!r} would be off by {_miss_in_words(gap, turn)}"
                refuse("World.state", argument, values.tolist(), "poses at which the joints hold", hint=hint)
            broken = _broken_limit(column)
            if broken:
                hint = f"those of {owners[row]!r} would be violated: {broken}"
                refuse("World.state", argument, values.tolist(), "poses within the limits of the joints", hint=hint)

    def _owners(self) -> dict[int, Any]:
        """The joints by their rows."""
        return {joint.rows.start: joint for joint in self._store.world().joints}

    # when a tick fails

    def _in_use(self) -> Iterator[Islands]:
        return (islands for islands in (self._islands, self._all, *self.contacts.both) if islands.version)

    def failure(self, time: float) -> Exception | None:
        """The error of the last tick if the joints of an island contradict each other; None otherwise."""
        for islands in self._in_use():
            island, graph = int(islands.failed[0]), islands.graph
            islands.failed[0] = -1
            if island < 0:
                continue
            if not np.isfinite(islands.measures[island, layout.WORST]):
                self._bodies.control[BAD] = graph.columns[graph.islands[island, layout.BODIES]]
                return None
            own = graph.islands[island]
            self.conflicting = graph.columns[own[layout.BODIES] : own[layout.BODIES_END]].tolist()
            return JointConflictError(
                f"World: joints contradict each other in the tick from t = {time:g} s: {self._worst(islands, island)}. "
                "The tick was undone; disable or remove one of these joints"
            )
        return None

    def _worst(self, islands: Islands, island: int) -> str:
        """The joints of an island that contradict each other, with their residuals, the largest first.

        A solve leaves in their rows what no impulses remove. It answers it by impulses that cancel each other, at which the joints that
        contradict each other meet, and only these.
        """
        graph, found = islands.graph, list[tuple[float, float, int, str]]()
        for link in range(graph.islands[island, layout.LINKS], graph.islands[island, layout.LINKS_END]):
            own = islands.rows[graph.links[link, layout.FIRST_ROW] : graph.links[link, layout.LAST_ROW]]
            gap, turn = _residuals(own)
            impulse = _unanswered(own, islands.measures[island, layout.SIZE])
            found.append((impulse, max(gap, turn), -int(graph.links[link, layout.JOINT]), _miss_in_words(gap, turn)))
        least = _SHARE_OF_A_CONFLICT * max(impulse for impulse, *_others in found)
        disagree = sorted((each[1:] for each in found if each[0] >= least), reverse=True)
        owners = self._owners()
        return ", ".join(f"{owners[-row]!r} is off by {words}" for _size, row, words in disagree[:4])


def _broken_limit(column: FloatArray) -> str:
    """The limits that the coordinates in a column of the table of joints violate, in words; empty if there are none."""
    words = []
    for freedom in range(layout.MOST_FREEDOMS):
        rows = (layout.LOWER, layout.UPPER, layout.COORDINATE)
        lower, upper, now = (float(column[row + freedom]) for row in rows)
        if not lower - FARTHEST_POINT <= now <= upper + FARTHEST_POINT:
            words.append(f"they are {lower:.9g} and {upper:.9g}, and the value is {now:.9g}")
    return "; ".join(words)


_SHARE_OF_A_CONFLICT = 1e-3
"""Joints whose unanswered impulse is less than this share of the largest one have no part in a conflict."""


def _residuals(rows: FloatArray) -> tuple[float, float]:
    """The largest error of position [m] and of angle [rad] of the rows of a joint."""
    kind, residual, is_turn = rows[:, layout.KIND], rows[:, layout.RESIDUAL], rows[:, layout.IS_TURN] != 0.0
    past = residual - rows[:, layout.GOAL]  # for limits, the residual is the angle or distance
    errors = np.select(
        [kind == layout.EQUALITY, kind == layout.LOWER_LIMIT, kind == layout.UPPER_LIMIT],
        [np.abs(residual), np.maximum(-past, 0.0), np.maximum(past, 0.0)],
        0.0,
    )
    return float(errors[~is_turn].max(initial=0.0)), float(errors[is_turn].max(initial=0.0))


def _unanswered(rows: FloatArray, size: float) -> float:
    """The largest impulse [N s] that a solve would add to the rows of a joint again and again, since it removes nothing."""
    impulse, is_turn = rows[:, layout.IMPULSE], rows[:, layout.IS_TURN] != 0.0
    more = impulse - rows[:, layout.MISS] / rows[:, layout.SOFTNESS]
    is_free = rows[:, layout.KIND] == layout.EQUALITY
    within = np.clip(more, rows[:, layout.LEAST], rows[:, layout.MOST])
    change = np.where(is_free, more, within) - impulse
    found = float(np.abs(np.where(is_turn, change / size, change)).max(initial=0.0))
    return found if np.isfinite(found) else 0.0


def _miss_in_words(gap: float, turn: float) -> str:
    """An error of position and of angle, in words."""
    words = [f"{error:.3g} {unit}" for error, unit in ((gap, "m"), (turn, "rad")) if error > 0.0]
    return " and ".join(words) or "0 m"


def method_for(integrator: Integrator, depends_on_rates: bool) -> tuple[FloatArray, Turn, int]:
    """The parts of a tick, the rotation of a free body, and the evaluations in the second kick of islands under a method."""
    if isinstance(integrator, FreeRotor) and integrator.order == 4:
        return np.array(SUZUKI), free_rotor, 4 if depends_on_rates else 1
    turn: Turn = AxisSplitting._turn if isinstance(integrator, AxisSplitting) else free_rotor
    return _WHOLE, turn, 2 if depends_on_rates else 1


def kernels_of_islands(turn: Turn, gyroscopic: bool) -> list[Loop]:
    """The kernels that the step of islands calls, in the order of `constraints.calls`; those of contacts come last."""
    array, integers, flat = np.zeros((1, 1)), np.zeros((1, 1), np.int64), np.zeros(1, np.int64)
    return [
        named(rows.joint_rows, array, array, array, integers, array, array, array, 0, 0, 0, 0, 0),
        named(solver.island_matrix, array, integers, integers, array, array, 0),
        named(blocks.factor, array, integers, integers, 0),
        named(blocks.solve, array, array, integers, integers, 0),
        Loop(step.island_drift, (turn, gyroscopic), (array, array, array, 0, 0, 1.0)),
        named(stages.position_stage, _COMMON, 0, 1.0, 0),
        named(stages.velocity_stage, _COMMON, 0, 1.0),
        named(step.island_kick, _FORCES, 0, 0, 0.0, 1.0, 0),
        named(step.island_move, _COMMON, 0, 1.0, 0),
        named(step.island_finish, _COMMON, 0, 0, 1),
        named(bounded.joint_bounds, array, integers, array, 0, 0, 0, 1.0, 1.0, 1.0),
        named(bounded.correct_bounded, array, array, integers, integers, array, array, integers, flat, 0, 1.0, 1.0),
        named(solver.correct, array, integers, integers, array, array, integers, flat, 0, 1.0, 1.0),
        named(step.island_prepare, _COMMON, 0, 0),
        named(step.island_stages, array, array, 0, 0, 0),
        named(end_kicks, array, array, flat, array, array, array, flat, 0, 0, 0, 0, 1.0),
        named(solver.balance, array, array, array, integers, integers, array, array, integers, flat, 0),
        named(step.island_division, array, array, array, integers, integers, 0, 1.0),
        named(points.point_rows, array, array, integers, array, array, array, array, 0, 0, 0, 0, 0),
        named(cone.point_matrix, integers, integers, array, array, 0),
        named(cone.correct_cones, array, array, integers, integers, array, array, array, integers, flat, 0, 1.0, 1.0),
        named(sweeps.sweep, array, array, integers, integers, array, array, 0),
        named(contact_stages.point_position_stage, _COMMON, 0, 1.0, 0),
        named(contact_stages.point_velocity_stage, _COMMON, 0, 1.0),
        named(sides.follow_inertia, _COMMON, 0, 0),
    ]


_ARRAY, _INTEGERS = np.zeros((1, 1)), np.zeros((1, 1), np.int64)
_NUMBERS, _FLAT = np.zeros(1), np.zeros(1, np.int64)
_OPEN = (_FLAT, *[_ARRAY] * 4, _FLAT, _ARRAY, _ARRAY, _FLAT, _ARRAY, _ARRAY, _INTEGERS, _ARRAY, _FLAT, _INTEGERS)
_COMMON = Packed(*[_ARRAY] * 3, _INTEGERS, _INTEGERS, *[_ARRAY] * 3, _INTEGERS, _ARRAY, _FLAT, _ARRAY, _ARRAY)
_FORCES = Packed(_ARRAY, _FLAT, _ARRAY, _INTEGERS, *[_ARRAY] * 3, _FLAT)
_STEP = Packed(_ARRAY, _FLAT, _ARRAY, _INTEGERS, _FLAT, _FORCES, _COMMON, (_FLAT, *[_ARRAY] * 3, _FLAT), 1)
_CLOSE = (_ARRAY, _ARRAY, _INTEGERS, _ARRAY, _FLAT)
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
            "one that computes each tick once; joints work with neither Extrapolated nor Substepped(tolerance=…)",
        )
