"""The clock of each member of a batch, and the members that stand still because they have failed or were made inactive."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ..checks import FloatArray
from ..forces.valves import THRUSTERS, leave_out_ticks
from ..loops.layout import STOPPED
from ..saving.content import Owners
from ..saving.repetition import SHARED, member_of
from ..store.bodies import BODIES
from ..store.rows import BodyHandle
from ..store.schema import COUNTED, TICKED, Field, Kind, Schema, Stored, up_to
from ..store.table import IntArray, Mask, Table
from ..tick.freezing import CONFLICT, OWN_STATE, Freezing
from .touching import Touching

MEMBERS = Schema(
    "members",
    (
        Field("start_tick", Kind.STATE, digest=0, meaning="the tick at which its own count was zero", stored=Stored(is_whole=True)),
        Field("resets", Kind.STATE, digest=1, meaning="how often it was reset", stored=COUNTED),
        Field("stopped_tick", Kind.STATE, digest=2, rest=-1.0, meaning="its own tick at which it stopped, or -1", stored=TICKED),
        Field("reason", Kind.STATE, digest=3, meaning="why it stopped, as an index of REASONS", stored=up_to(5.0)),
        Field("body", Kind.STATE, digest=4, rest=-1.0, meaning="place of the body that failed, or -1", stored=TICKED),
    ),
)  # fmt: skip
"""One row per member."""

RUNS, INACTIVE, NOT_FINITE_STATE, CONFLICTING, SINGULAR_TENSOR, READING = range(6)
REASONS = (
    "it runs",
    "it was made inactive",
    "its state was not finite",
    "its joints contradict each other",
    "its tanks would drain so far that its inertia without the moments of its wheels is no longer positive definite",
    "a reading or a command was not finite",
)
"""Why a member stands still, in words."""


class Failure(NamedTuple):
    """A member that stands still at the start of a tick that it could not run.

    Attributes:
        member: The number of the member.
        tick: The number of that tick on the clock of the member.
        body: The body of the template whose state failed first; None if it is not known.
        reason: Why it failed, in words.
    """

    member: int
    tick: int
    body: BodyHandle | None
    reason: str


class Members:
    """The table of members, and what follows from it."""

    def __init__(self, owners: Owners, count: int, table: Table) -> None:
        self.owners, self.count, self.table = owners, count, table
        self.everybody = np.arange(count)
        self.touching = Touching(owners.store, count)

    def _column(self, name: str) -> IntArray:
        return self.table.array[MEMBERS.row(name), : self.count].astype(np.int64)

    @property
    def stopped(self) -> Mask:
        """Which members stand still."""
        return np.asarray(self.table.array[MEMBERS.row("reason"), : self.count] != RUNS)

    @property
    def failed(self) -> Mask:
        """Which members stand still because they have failed."""
        return np.asarray(self.table.array[MEMBERS.row("reason"), : self.count] > INACTIVE)

    @property
    def ticks(self) -> IntArray:
        """The number of ticks on the clock of each member."""
        running = self.owners.bodies.tick_count - self._column("start_tick")
        return np.where(self.stopped, self._column("stopped_tick"), running)

    @property
    def starts(self) -> IntArray:
        """The tick at which the count of each member was zero, for members that run."""
        return self._column("start_tick")

    def starts_of(self, members: IntArray) -> FloatArray:
        """The same of some members, as it stands in the table."""
        return np.asarray(self.table.array[MEMBERS.row("start_tick"), members])

    def starts_of_fields(self) -> FloatArray:
        """The tick at which the time of each body is zero, in the counts of its method."""
        method = self.owners.settings["integrator"]
        starts: FloatArray = np.asarray(self.starts * method._counts_per_tick, np.float64)
        return np.tile(starts, self.owners.bodies.count // self.count)

    @property
    def resets(self) -> IntArray:
        """How often each member was reset."""
        return self._column("resets")

    def bodies_of(self, members: IntArray) -> IntArray:
        """The rows of all bodies of some members."""
        places = self.owners.bodies.count // self.count
        return np.asarray((np.arange(places)[:, np.newaxis] * self.count + members).ravel())

    def are_of(self, bodies: IntArray, members: IntArray) -> Mask:
        """Which of these rows of bodies belong to one of these members."""
        chosen = np.zeros(self.count, np.bool_)
        chosen[members] = True
        return np.asarray(chosen[bodies % self.count])

    def run(self, members: IntArray) -> Mask:
        """Which of these members run."""
        return np.asarray(self.table.array[MEMBERS.row("reason"), members] == RUNS)

    def stop(self, members: IntArray, reason: int, places: IntArray | None = None) -> None:
        """Have members stand still, with the loops leaving their bodies as they are.

        Args:
            members: The members, each once; those that stand still already are left alone.
            reason: Why, as an index of `REASONS`.
            places: The place of the body of each that failed.
        """
        is_new = self.run(members)
        places = np.full(len(members), -1) if places is None else places
        members, places = members[is_new], places[is_new]
        if not len(members):
            return
        if reason != INACTIVE:
            # sensors, loops and functions have written to their rows in the tick that they cannot run
            self.owners.store.undo_in_rows(partial(self._rows_are_of, members))
        self.touching.stop(members)
        bodies, frozen = self.owners.bodies, self._frozen
        tick = bodies.tick_count - (bodies.control[STOPPED] > 0)  # those that go on may have run it already
        ticks, rows = tick - self.starts_of(members), self.bodies_of(members)
        values = np.array([ticks, np.full(len(members), reason), places], np.float64)
        self.table.write(slice(MEMBERS.row("stopped_tick"), MEMBERS.size), members, values)
        cause = float(CONFLICT if reason == CONFLICTING else OWN_STATE)
        frozen.append(np.array([rows, np.full(len(rows), float(tick)), np.full(len(rows), cause)]))

    def _rows_are_of(self, members: IntArray, table: Table, rows: IntArray) -> Mask:
        """Which of these rows of a table belong to one of these members, but for what is kept of members themselves."""
        if table in (self.table, self._frozen):
            return np.zeros(len(rows), np.bool_)
        if table.schema is BODIES or table.schema.follows == BODIES.name:
            return self.are_of(rows, members)
        fields = {field.name: table.read(field.name, rows) for field in table.schema.body_references}
        owner = member_of(table.schema, fields, len(rows), self.count)
        return (owner != SHARED) & self.are_of(owner, members)

    def go_on(self, members: IntArray, ticks: IntArray) -> None:
        """Have members that stood still run again, from these ticks of their own clocks on."""
        thrusters = self.owners.store.tables.get(THRUSTERS.name)
        if thrusters is not None:  # they count in ticks of the batch
            shifts = np.tile(
                self.owners.bodies.tick_count - ticks - self.starts[members], self.owners.bodies.count // self.count
            )
            leave_out_ticks(thrusters, self.bodies_of(members), shifts)
        self.touching.go_on(members)
        self._run_from(members, ticks, 0.0)

    def begin_again(self, members: IntArray, tick: int) -> None:
        """Have members run from this tick of their own clocks on, after a reset of all that counts in ticks."""
        self._run_from(members, tick, 1.0)

    def _run_from(self, members: IntArray, ticks: IntArray | int, resets: float) -> None:
        frozen = self._frozen
        values = np.zeros((MEMBERS.size, len(members)))
        values[MEMBERS.row("start_tick")] = self.owners.bodies.tick_count - ticks
        values[MEMBERS.row("resets")] = self.table.array[MEMBERS.row("resets"), members] + resets
        values[MEMBERS.row("stopped_tick")] = values[MEMBERS.row("body")] = -1.0
        self.table.write(slice(None), members, values)
        if frozen.count:
            owner = frozen.array[0, : frozen.count].astype(np.int64)
            frozen.remove(np.flatnonzero(self.are_of(owner, members)))

    @property
    def _frozen(self) -> Table:
        return self.owners.store.tables["frozen bodies"]

    def failures(self) -> Iterable[tuple[int, int, int, int]]:
        """Member, tick, place of the body and reason of each failure."""
        for member in np.flatnonzero(self.failed).tolist():
            column = self.table.array[:, member]
            _start, _resets, tick, reason, place = column.astype(int).tolist()
            yield member, tick, place, reason


class Quarantine(Freezing):
    """Has each member with a body that is not finite stand still with all its bodies, whatever drives them."""

    looks_for_culprit = refuses_actuators = False

    members: Members

    def thaw(self, rows: object) -> None:
        """A member that has failed stands still until it is reset."""

    def take_refused(self) -> Sequence[int]:
        """The bodies whose draining tanks would have left them without a valid tensor."""
        return self._plan.actuators.take_refused()

    def _stop(self, found: set[int], culprit: int, conflicts: bool, by_tensor: bool) -> bool:
        """Have the members of these bodies stand still, and return whether any of them ran."""
        count = self.members.count
        rows = np.array(sorted(found), np.int64)
        members, places = rows % count, np.arange(len(rows))
        if not (members[1:] > members[:-1]).all():
            members, places = np.unique(members, return_index=True)
        if not self.members.run(members).any():
            return False
        reason = NOT_FINITE_STATE if not conflicts else SINGULAR_TENSOR if by_tensor else CONFLICTING
        self.members.stop(members, reason, rows[places] // count)
        return True
