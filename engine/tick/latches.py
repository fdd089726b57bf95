"""Open latches, at which Python looks only in ticks in which one may capture."""

from __future__ import annotations

import numpy as np

from ..compilation.choice import ready
from ..compilation.packed import Packed, declared
from ..constraints import arguments
from ..constraints.latches import distances_in_reach, latches_in_reach
from ..constraints.layout import ENABLED, LATCH_PHASE
from ..joints.closing import ARMED, DISARMED
from ..joints.joint import JOINTS
from ..loops.program import Operation
from ..store.bodies import Bodies
from ..store.store import Store


class OpenLatches:
    """The open latches of a world, and the operation that ends a call of compiled ticks when one of them is in reach."""

    def __init__(self, store: Store, bodies: Bodies) -> None:
        """Look for latches in a table of joints that may be empty."""
        self._store, self._bodies = store, bodies
        self._table = store.table(JOINTS)
        self._seen = -1
        self._found: tuple[object, ...] = ()
        self._rows, self._distances = np.zeros(0, np.int64), np.zeros((0, 2))
        self.looked_at = np.full(1, -1, np.int64)
        """The number of the last tick in which Python looks at all that are near, and which may therefore run."""
        self._packed: Packed[arguments.Latches] | None = None
        """The arguments of the kernel until the layout of a table changes; None without open latches, or they would hold old arrays."""

    def _look(self) -> None:
        """Find the latches, if joints may have changed since."""
        table, store = self._table, self._store
        if self._seen == store.layout_version:
            return
        phases = table.array[LATCH_PHASE, : table.count]
        rows = np.flatnonzero(((phases == ARMED) | (phases == DISARMED)) & (table.array[ENABLED, : table.count] > 0.0))
        found = table.numbering, table.count, rows.tobytes(), phases[rows].tobytes()
        if self._found != found:
            distances = np.zeros((len(rows), 2))
            latches = {joint.rows.start: joint for joint in self._store.world().joints} if len(rows) else {}
            for place, row in enumerate(rows.tolist()):
                limits = latches[row].capture
                distances[place] = distances_in_reach(limits.distance, limits.lateral, phases[row] == ARMED)
            self._rows, self._distances, self._found = rows, distances, found
            store.change_layout()
        self._packed, self._seen = self._pack() if len(rows) else None, store.layout_version

    @property
    def any(self) -> bool:
        """Whether there are any."""
        if self._table.count:
            self._look()
        return self._table.count > 0 and len(self._rows) > 0

    @property
    def are_near(self) -> bool:
        """Whether any of them is in reach now."""
        return self.any and ready(LATCHES_LOOP)(self._arguments(), 1, 0) != 1

    def operation(self) -> Operation:
        """What ends the call before a tick at whose start one is in reach."""
        return Operation(latches_in_reach, self._arguments())

    def _arguments(self) -> Packed[arguments.Latches]:
        assert self._packed is not None  # there are open latches
        return self._packed

    def _pack(self) -> Packed[arguments.Latches]:
        bodies = self._bodies
        own = self._rows, self._distances, self.looked_at
        return Packed(arguments.Latches(bodies.array, bodies.control, self._table.array, *own))


LATCHES_LOOP = declared(latches_in_reach)
"""The kernel that looks for latches in reach."""
