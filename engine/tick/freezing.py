"""Frozen bodies, which became non-finite or whose joints contradict each other, and all linked to them; they keep their state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..constraints.layout import OPEN, TYPE
from ..forces.spring import SPRINGS
from ..forces.valves import THRUSTERS, leave_out_ticks
from ..joints.joint import JOINTS
from ..loops.layout import BAD, FROZEN, NOT_FINITE
from ..store.bodies import Bodies
from ..store.rows import BodyHandle
from ..store.schema import TICKED, Field, Kind, Schema, up_to
from ..store.store import CALLING, Store
from ..store.table import Rows
from .plan import Plan

FROZEN_BODIES = Schema(
    "frozen bodies",
    (
        Field("body", Kind.STATE, digest=100, refers_to="bodies", meaning="row of the body"),
        Field("tick", Kind.STATE, digest=0, meaning="the number of the tick that failed", stored=TICKED),
        Field("cause", Kind.STATE, digest=1, meaning="0 for its state, 1 a force, 2 a link, 3 its joints", stored=up_to(3.0)),
    ),
    comes_and_goes=True,
)  # fmt: skip

OWN_STATE, FORCE, LINK, CONFLICT = range(4)
"""Why a body was frozen."""

CAUSES = (
    "its state was not finite",
    "a force on it was not finite",
    "a spring, a joint or a Python force links it to a body that was not finite",
    "joints of its island contradict each other",
)
"""The same in words."""


class Frozen(NamedTuple):
    """A body that keeps its state from before a tick in which it, or a body linked to it, became non-finite.

    Attributes:
        body: The body.
        tick: The number of the tick that failed. The body keeps the state from the start of that tick.
        cause: Why it was frozen, in words.
    """

    body: BodyHandle
    tick: int
    cause: str


class Freezing:
    """Freezes non-finite bodies instead of rejecting the tick, if the world was made with `on_non_finite="freeze"`.

    Attributes:
        is_on: Whether bodies are frozen; if not, the tick is rejected.
        looks_for_culprit: Whether to find out which force was not finite, which takes another tick.
        refuses_actuators: Whether a frozen body may not become one that is driven.
    """

    looks_for_culprit = True
    refuses_actuators = True

    def __init__(self, store: Store, bodies: Bodies, plan: Plan) -> None:
        self.is_on = False
        self._store = store
        self._bodies = bodies
        self._plan = plan
        self._table = store.table(FROZEN_BODIES)
        self._table.on_change = self._look_again
        self._springs, self._joints = store.table(SPRINGS), store.table(JOINTS)
        self._is_marked = True

    def _look_again(self, components: object, rows: object) -> None:
        self._is_marked = False

    @property
    def frozen(self) -> Iterator[Frozen]:
        """The frozen bodies, in the order in which they were frozen."""
        for body, tick, cause in self._table.content()[: len(FROZEN_BODIES.fields)].T.astype(int).tolist():
            yield Frozen(self._bodies.handles[body], tick, CAUSES[cause])

    @property
    def rows(self) -> npt.NDArray[np.int64]:
        """The rows of the frozen bodies."""
        return self._table.array[0, : self._table.count].astype(np.int64)

    def mark(self) -> None:
        """Update the marks by which the loops recognise the columns of frozen bodies, if they have changed."""
        if self._is_marked:
            return
        bodies, rows = self._bodies, self.rows
        if len(rows) and not bodies.freezes:  # bodies that were frozen in a world that is now one that rejects ticks
            bodies.freezes = True
        marks = np.zeros(bodies.pitch)
        marks[rows] = 1.0
        if (bodies.array[FROZEN] != marks).any():
            self._store.change_layout(binds_anew=self._plan.actuators.any)
            bodies.array[FROZEN] = marks
        if bodies.freezes:
            bodies.look_for_stored_momentum(has_moved=True)
        self._is_marked = True

    def use(self, is_on: bool) -> None:
        """Freeze bodies, or reject ticks."""
        self.is_on = is_on
        if self._bodies.freezes != is_on:
            self._bodies.freezes = is_on
            self._bodies.look_for_stored_momentum(has_moved=True)
        self._is_marked = False

    def restart(self) -> None:
        """Mark the columns anew, because a snapshot was restored."""
        self._is_marked = False

    def thaw(self, rows: Rows) -> None:
        """Let bodies whose states are assigned move again, and with them the frozen bodies that are linked to them."""
        if self._table.count:
            chosen = np.atleast_1d(np.arange(self._bodies.count)[rows]).tolist()
            group = self._linked(set(chosen).intersection(self.rows.tolist()))
            moving = np.flatnonzero(np.isin(self.rows, group))
            stood = self._bodies.tick_count - self._table.array[1, moving]
            leave_out_ticks(self._store.table(THRUSTERS), self.rows[moving], stood)
            self._table.remove(moving)

    def take_refused(self) -> Sequence[int]:
        """The bodies that are frozen because a draining tank would have left them without a valid tensor; the tick is rejected for none."""
        return ()

    def freeze(self, culprit: int, conflicting: Sequence[int] = (), by_tensor: bool = False) -> bool:
        """Freeze the bodies that became non-finite in the tick that was just rejected, and all bodies linked to them.

        Args:
            culprit: The row of the body on which a force was not finite; -1 if there is none.
            conflicting: The rows of the bodies whose joints contradict each other, if that was the reason.
            by_tensor: Whether they are those that `take_refused` has found instead.

        Returns:
            Whether any body was frozen. No body is if the world has both a Python force and joints.
        """
        bodies, store = self._bodies, self._store
        bad = np.flatnonzero(bodies.array[NOT_FINITE, : bodies.count])
        bodies.array[NOT_FINITE] = 0.0
        first = int(bodies.control[BAD])
        found = {*conflicting} or {*bad.tolist(), *([first] if first >= 0 else [])}
        phase = store.phase
        store.enter(CALLING)  # it is a part of the tick, and undone with it
        has_stopped = self._stop(found, culprit, bool(conflicting), by_tensor)
        store.phase = phase
        return has_stopped

    def _stop(self, found: set[int], culprit: int, conflicts: bool, by_tensor: bool) -> bool:
        """Freeze these bodies and all that are linked to them, and return whether any was moving."""
        bodies = self._bodies
        rows = [row for row in self._linked(found) if bodies.array[FROZEN, row] == 0.0]
        if not rows or (self._plan.stage_forces and self._plan.joints.any):
            return False
        own = CONFLICT if conflicts else OWN_STATE
        causes = [LINK if row not in found else FORCE if row == culprit else own for row in rows]
        self._table.append(np.array([rows, [bodies.tick_count] * len(rows), causes], np.float64))
        return True

    def _linked(self, found: set[int]) -> list[int]:
        """These rows and all rows that springs, joints or Python forces link to them, in order; a Python force links all bodies.

        Springs and joints that are disabled, and open latches, link nothing.
        """
        if found and self._plan.calls_forces:
            return list(range(self._bodies.count))
        springs, joints = (table.array[:, : table.count] for table in (self._springs, self._joints))
        springs = springs[:, springs[SPRINGS.row("enabled")] > 0.0]
        joints = joints[:, (joints[JOINTS.row("enabled")] > 0.0) & (joints[TYPE] != OPEN)]
        pairs = [pair for rows in (springs, joints) for pair in rows[:2].astype(int).T.tolist() if min(pair) >= 0]
        reached, size = set(found), 0
        while len(reached) > size:
            size = len(reached)
            reached.update(row for pair in pairs if not reached.isdisjoint(pair) for row in pair)
        return sorted(reached)
