"""The wrench that is held over a tick; it is gathered again for bodies with a changed contribution."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import NoReturn, Protocol

import numpy as np

from ..checks import FloatArray, refuse
from ..compilation.choice import Loop, StandIn, in_python, is_due, named
from ..compilation.compiler import without_dispatch
from ..compilation.kernel_types import Kernel
from ..flight.wheel import WHEELS
from ..forces.constant import CONSTANT_WRENCHES
from ..forces.gravity import UNIFORM_GRAVITIES
from ..forces.valves import THRUSTERS
from ..forces.wrench import BodyStates, Wrench
from ..loops.actuator_layout import BODY, DIRECTION, MAX_RATE, POSITION_BODY
from ..loops.gather import COUNTED, FIRST, IS_ALIKE, LAST, MOST_RUNS, PUSH_RUN, SHORTEST_RUN, gather_held, push_run
from ..loops.gather import PUSHES as PUSH_COUNT
from ..loops.gather import STALE as STALE_COUNT
from ..loops.gather import WHEELS as WHEEL_COUNT
from ..loops.layout import MOTOR_TORQUE, STAGE_WRENCH, STATE_ROWS, WRENCH, WRENCH_ROWS
from ..store.bodies import Bodies, touches, touches_model
from ..store.calling import default_name
from ..store.rows import BodyHandle
from ..store.schema import NOBODY, Field, Kind, Schema
from ..store.store import Store
from ..store.table import IntArray, Rows, Table
from .stage_views import StageViews, refuse_return

PUSHES = Schema(
    "pushes",
    (
        Field("body", Kind.ONE_TICK, digest=100, refers_to="bodies", meaning="row of the body"),
        Field("force_world", Kind.ONE_TICK, 3, "N", "world", digest=0),
        Field("torque_world", Kind.ONE_TICK, 3, "N·m", "world", digest=1, meaning="about the mass centre"),
        Field("force_body", Kind.ONE_TICK, 3, "N", "body", digest=2),
        Field("torque_body", Kind.ONE_TICK, 3, "N·m", "body", digest=3, meaning="about the mass centre"),
    ),
)
"""Wrenches on bodies for the next tick, one row per body."""

CALLED_ROWS = np.r_[WRENCH : WRENCH + WRENCH_ROWS, MOTOR_TORQUE : MOTOR_TORQUE + 3]
"""The components of a body to which forces that are called once per tick add."""

MOST_STALE = 64
"""The largest number of stale bodies that are gathered individually; if more are stale, all bodies are gathered."""


_NONE = (0.0,) * 6
_ZERO = (0.0,) * 3


def push_run_loop() -> Loop:
    """The kernel that adds the thrust of many jets on adjacent bodies."""
    array = np.zeros((1, 1))
    return named(push_run, array, 0, array, 0, 0, 0)


class TickForce(Protocol):
    """A force that is called once per tick, at its start."""

    def __call__(self, wrench: Wrench, bodies: BodyStates, time: float) -> object: ...


class Held:
    """Keeps the wrench rows of the bodies up to date.

    Pushes store the number of the tick in which they act. After that tick they have no effect, even if the program is interrupted before
    their rows are cleared.

    Attributes:
        counts: The numbers of rows with which the kernel was last called (see `loops.gather`).
        runs: Jets on adjacent bodies (see `loops.gather`).
        called: The sums of wrenches and of motor torques, shape (15, pitch), of the forces that were called at the start of the tick, if
            the steps of the tick gather anew; they are then added each time.
    """

    def __init__(self, bodies: Bodies, store: Store) -> None:
        self._bodies = bodies
        self._store = store
        self._gravities = store.table(UNIFORM_GRAVITIES)
        self._constants = store.table(CONSTANT_WRENCHES)
        self._thrusters = store.table(THRUSTERS)
        self._wheels = store.table(WHEELS)
        self.pushes = store.table(PUSHES)
        self._push_tick = -1
        self._stale: set[int] | None = None  # rows of the stale bodies; None if all are stale
        self._marks = np.zeros(bodies.pitch, np.int64)
        self._arrays: tuple[FloatArray, ...] | None = None
        self.runs = np.full((MOST_RUNS, 3), -1, np.int64)
        self._has_runs = self._is_linked = False
        self._mounts = np.zeros((6, MOST_RUNS))  # position and direction of the jets of each run that are mounted alike
        self._mounted: list[Rows] | None = None  # rows that may be mounted elsewhere than before; None if any may be
        self._stale_rows = np.zeros(MOST_STALE, np.int64)
        self.counts = np.zeros(COUNTED, np.int64)
        self.called = np.zeros((len(CALLED_ROWS), bodies.pitch))
        self._gather: Callable[..., object] | None = None
        self._places: dict[int, int] = {}
        """The index of the push on a body, by the row of the body; valid for one numbering of the bodies."""
        self._places_numbering = -1
        for table in (self._gravities, self._constants, self._thrusters):
            table.on_change = self._follow(table)
            table.numbers = 0, table.schema.size
        self._spoil_by_thrusters, self._thrusters.on_change = self._thrusters.on_change, self._thrusters_changed
        self._wheels.on_change = self._wheels_changed
        torque = self._wheels.schema.components["torque"]
        self._wheels.numbers = torque.start, torque.stop

    # tracking of changes

    def bodies_changed(self, components: slice | int | None, rows: Rows | None) -> None:
        """Mark bodies as stale after a change of their rows."""
        if rows is None or components is None:
            self._stale = self._arrays = self._mounted = None
        elif touches_model(components):
            self._spoil(rows)

    def _follow(self, table: Table) -> Callable[[slice | int | None, Rows | None], None]:
        known: dict[tuple[int | None, int | None, int | None], int] = {}
        """The body of adjacent rows that all have the same."""

        def changed(components: slice | int | None, rows: Rows | None) -> None:
            moves = components is None or touches(components, BODY, BODY + 1)
            if moves:
                known.clear()
            if rows is None:
                self._stale = self._arrays = None
            elif (stale := self._stale) is not None:
                if type(rows) is int:  # a throttle, which programs set in every tick
                    body = int(table.array.item(0, rows))
                    if body != NOBODY and len(stale) < MOST_STALE:
                        stale.add(body)
                    else:
                        self._stale = None
                    return
                key = (rows.start, rows.stop, rows.step) if type(rows) is slice and not moves else None
                if key is not None and (alone := known.get(key)) is not None:
                    if alone not in stale:
                        self._spoil([alone])
                    return
                found = table.array[0, rows]
                if len(found) > MOST_STALE and (found[-1] != found[0] or (found != found[0]).any()):
                    # lists of so many rows would take longer
                    self._stale = None
                    return
                named = found.tolist()
                if named and named.count(named[0]) == len(named):  # a bank of one body, say
                    alone = int(named[0])
                    if key is not None:
                        known[key] = alone
                    if alone not in stale:
                        self._spoil([alone])
                else:
                    self._spoil([*map(int, named)])

        return changed

    def _thrusters_changed(self, components: slice | int | None, rows: Rows | None) -> None:
        if rows is None or components is None or touches(components, BODY, BODY + 1):
            self._mounted = None
        elif self._mounted is not None and self._has_runs:
            if touches(components, POSITION_BODY, DIRECTION + 3) or touches(components, MAX_RATE, MAX_RATE + 1):
                self._mounted.append(rows)
        self._spoil_by_thrusters(components, rows)

    def _find_runs(self) -> None:
        """Find the jets on adjacent bodies anew, if any may be mounted elsewhere."""
        thrusters, runs, known = self._thrusters, self.runs, self._mounted
        array = thrusters.array
        self._mounted = None  # until this is done
        may_have = self._has_runs or thrusters.count >= SHORTEST_RUN
        if may_have and (known is None or not all(self._are_alike(rows) for rows in known)):
            runs[:] = -1
            bodies = array[BODY, : thrusters.count]
            edges = np.flatnonzero(bodies[1:] != bodies[:-1] + 1.0) + 1
            firsts, lasts = np.append(0, edges), np.append(edges, len(bodies))
            longest = np.flatnonzero(lasts - firsts >= SHORTEST_RUN)[:MOST_RUNS]
            runs[: len(longest), FIRST], runs[: len(longest), LAST] = firsts[longest], lasts[longest]
            for place, run in enumerate(runs[: len(longest)]):
                mounts = array[POSITION_BODY : DIRECTION + 3, run[FIRST] : run[LAST]]
                gimbals = array[MAX_RATE, run[FIRST] : run[LAST]]
                run[IS_ALIKE] = int((mounts == mounts[:, :1]).all() and not gimbals.any())
                self._mounts[:, place] = mounts[:, 0]
            self._has_runs = len(longest) > 0
        self._mounted = []

    @property
    def has_runs(self) -> bool:
        """Whether there are many jets on adjacent bodies."""
        if self._mounted is None:
            self._find_runs()
        return self._has_runs

    def _link_runs(self) -> None:
        """Give the kernel of runs to `gather_held` once it has been compiled; until then jets are added one by one."""
        kernel = push_run_loop()
        if is_due(kernel):
            self.counts[PUSH_RUN] = kernel.address
            self._is_linked = True

    def _are_alike(self, rows: Rows) -> bool:
        """Whether jets that have been written to are mounted as their run was, if all of it was mounted alike."""
        array, places = self._thrusters.array, np.atleast_1d(np.arange(self._thrusters.count)[rows])
        runs = self.runs[self.runs[:, FIRST] >= 0]
        run = np.searchsorted(runs[:, FIRST], places, side="right") - 1
        inside = run >= 0
        places, run = places[inside], run[inside]
        inside = (places < runs[run, LAST]) & (runs[run, IS_ALIKE] == 1)
        places, run = places[inside], run[inside]
        mounts = array[POSITION_BODY : DIRECTION + 3, places]
        return bool((mounts == self._mounts[:, run]).all() and not array[MAX_RATE, places].any())

    def _wheels_changed(self, components: slice | int | None, rows: Rows | None) -> None:
        """Mark everything as stale after wheels were added or removed; changes of their torques are found in each tick."""
        if rows is None:
            self._stale = self._arrays = None

    def spoil(self, bodies: IntArray) -> None:
        """Mark these bodies as stale."""
        if len(bodies):
            self._spoil(bodies)

    def _spoil(self, bodies: Rows) -> None:
        if self._stale is None:
            return
        if isinstance(bodies, int):
            rows: Sequence[int] = [bodies]
        elif isinstance(bodies, np.ndarray):
            rows = bodies.tolist()
        elif isinstance(bodies, list):
            rows = bodies
        else:
            rows = range(self._bodies.count)[bodies]
        if len(rows) + len(self._stale) > MOST_STALE or NOBODY in rows:
            self._stale = None
        else:
            self._stale.update(rows)

    def spoil_all(self) -> None:
        """Mark all bodies as stale, because changes were undone."""
        self._stale = None
        self._places_numbering = -1

    # pushes

    @property
    def push_tick(self) -> int:
        """The tick in which the pushes act."""
        return self._push_tick

    def restart(self, push_tick: int) -> None:
        """Gather everything anew, with the pushes that are in the table now."""
        self._push_tick = push_tick
        self._stale = self._arrays = self._mounted = None
        self._places_numbering = -1

    def push(self, body: BodyHandle, first: int, force: Sequence[float] | None, torque: Sequence[float] | None) -> None:
        """Add a push to a body for the next tick.

        Args:
            body: The body.
            first: The component, of the twelve of a wrench, at which force and torque begin.
            force: Force [N]; None is none.
            torque: Torque [N·m]; None is none.

        Raises:
            ValueError: If the sum of the pushes on the body is too large for a float.
        """
        table, bodies, row = self.pushes, self._bodies, body.index
        tick = bodies.tick_count
        if table.count and self._push_tick != tick:
            self.expire()
        if self._places_numbering != bodies.numbering:
            numbers = table.array[0, : table.count].astype(int).tolist()
            self._places = {number: place for place, number in enumerate(numbers)}
            self._places_numbering = bodies.numbering
        total = (
            *_NONE[:first],
            *(_ZERO if force is None else force),
            *(_ZERO if torque is None else torque),
            *_NONE[first:],
        )
        place = self._places.get(row)
        if place is not None and (place >= table.count or table.array[0, place] != row):  # that push was undone
            place = None
        if place is not None:
            total = tuple(map(operator.add, table.array[1:, place].tolist(), total))
        # a force or a torque alone was checked by the body; a sum, or a torque computed from both, may overflow
        if place is not None or (force is not None and torque is not None):
            check = 0.0
            for number in total:
                check += 0.0 * number  # nan as soon as one of them is not finite
            if check != 0.0:
                raise ValueError(
                    f"{body}: the sum of the forces applied for the next tick is too large for a float: {list(total)}"
                )
        if self._stale is not None:
            if len(self._stale) < MOST_STALE:
                self._stale.add(row)
            else:
                self._stale = None
        self._push_tick = tick
        if place is None:
            self._places[row] = table.count
            table.append_one((row, *total))
        else:
            table.write(slice(1, None), place, total)

    @property
    def is_pushed(self) -> bool:
        """Whether any push acts in the next tick."""
        return self.pushes.count > 0 and self._push_tick == self._bodies.tick_count

    def expire(self) -> None:
        """Clear the pushes whose tick is over; they have acted, so this is not undone."""
        table = self.pushes
        if table.count and self._push_tick != self._bodies.tick_count:
            if self._places_numbering != self._bodies.numbering or self._stale is None:
                self._stale = None
            elif len(self._places) + len(self._stale) > MOST_STALE:
                self._stale = None
            else:
                self._stale.update(self._places)
            table.clear()
            self._places.clear()

    # filling the rows

    @property
    def tables(self) -> tuple[Table, Table, Table, Table]:
        """The tables of weights, of constant forces, of thrusters, and of pushes."""
        return self._gravities, self._constants, self._thrusters, self.pushes

    @property
    def is_settled(self) -> bool:
        """Whether the rows are also valid for the next tick."""
        return self._stale is not None and not self._stale

    def gather(self) -> None:
        """Update the wrench rows for the tick that starts now."""
        if self.pushes.count:
            self.expire()
        stale = self._stale
        if stale is not None and not stale:
            return
        bodies, counts, pushes = self._bodies, self.counts, self.pushes
        if self._mounted is None or self._mounted:
            self._find_runs()
        if self._has_runs and not self._is_linked:
            self._link_runs()
        if self._arrays is None:
            tables = (self._gravities, self._constants, self._thrusters, self._wheels)
            counts[:3] = [table.count for table in tables[:3]]
            counts[WHEEL_COUNT] = self._wheels.count
            self._arrays = tuple(table.array for table in tables)
            if len(self._marks) != bodies.pitch:
                self._marks = np.zeros(bodies.pitch, np.int64)
        counts[PUSH_COUNT] = pushes.count
        if stale is None:
            counts[STALE_COUNT] = -1
        else:
            counts[STALE_COUNT] = len(stale)
            for place, row in enumerate(stale):
                self._stale_rows[place] = row
        self._stale = None  # after an interrupt during the call, everything is gathered again
        gravities, constants, thrusters, wheels = self._arrays
        arguments = (
            bodies.array,
            bodies.count,
            gravities,
            constants,
            thrusters,
            pushes.array,
            wheels,
            counts,
            self._stale_rows,
            self._marks,
            self.runs,
        )
        (self._gather or self._choose(arguments))(*arguments)
        self._stale = set()

    def _choose(self, arguments: tuple[object, ...]) -> Kernel:
        """Return the kernel, or its plain Python function until the kernel has been compiled in the background."""
        kernel = named(gather_held, *arguments)
        if in_python([kernel], self._bodies.may_run_in_python):
            return StandIn(kernel)
        self._gather = without_dispatch(gather_held, *arguments)
        return self._gather

    def call(self, forces: Sequence[TickForce], time: float, views: StageViews, keeps: bool) -> None:
        """Add the forces that are called at the start of a tick; all bodies are then stale, because these forces apply to one tick only.

        Args:
            forces: The functions to call.
            time: Time [s].
            views: The views that are passed to them.
            keeps: Whether to keep the sum of these forces alone, to be added whenever a step of this tick gathers.
        """
        bodies = self._bodies
        count, array, stages = bodies.count, bodies.array, bodies.stage_array(1)
        wrenches = stages[STAGE_WRENCH : STAGE_WRENCH + WRENCH_ROWS, :count]
        stages[:STATE_ROWS, :count] = array[:STATE_ROWS, :count]
        self._stale = None
        wrench, states = views.at(STAGE_WRENCH, held=True)
        wrenches[:] = 0.0 if keeps else array[WRENCH : WRENCH + WRENCH_ROWS, :count]
        views.motor_torque_body[:] = 0.0 if keeps else array[MOTOR_TORQUE : MOTOR_TORQUE + 3, :count].T
        wheeled = np.unique(self._wheels.array[0, : self._wheels.count]).astype(int)
        motors = views.motor_torque_body[wheeled]
        for force in forces:
            if force(wrench, states, time) is not None:
                refuse_return(force)
            if len(wheeled) and not np.array_equal(views.motor_torque_body[wheeled], motors):
                self._refuse_motor(force, wheeled, views.motor_torque_body[wheeled] - motors)
        if keeps:
            if self.called.shape[1] != bodies.pitch:
                self.called = np.zeros((len(CALLED_ROWS), bodies.pitch))
            self.called[:WRENCH_ROWS, :count], self.called[WRENCH_ROWS:, :count] = wrenches, views.motor_torque_body.T
            array[CALLED_ROWS, :count] += self.called[:, :count]
            self._look_for_motors(views)
        else:
            self.take_from_stage(views)

    def _refuse_motor(self, force: TickForce, wheeled: IntArray, torques: FloatArray) -> NoReturn:
        """Reject a motor torque that no wheel of the body would take up."""
        place = int(np.flatnonzero((torques != 0.0).any(axis=1))[0])
        body = self._bodies.handles[int(wheeled[place])]
        rule, hint = f"zero on {body}, which has wheels", "set the torque of a wheel instead"
        refuse(f"the force {default_name(force)}", "motor_torque_body", torques[place].tolist(), rule, hint=hint)

    def take_from_stage(self, views: StageViews) -> None:
        """Copy the first wrench of the stage array, and the motor torques that were added with it, to the held wrench."""
        bodies = self._bodies
        count, array, stages = bodies.count, bodies.array, bodies.stage_array(1)
        array[WRENCH : WRENCH + WRENCH_ROWS, :count] = stages[STAGE_WRENCH : STAGE_WRENCH + WRENCH_ROWS, :count]
        array[MOTOR_TORQUE : MOTOR_TORQUE + 3, :count] = views.motor_torque_body.T
        self._look_for_motors(views)

    def _look_for_motors(self, views: StageViews) -> None:
        if not self._bodies.expects_torques and views.motor_torque_body.any():
            self._bodies.look_for_stored_momentum(rows=np.flatnonzero(views.motor_torque_body.any(axis=1)))
