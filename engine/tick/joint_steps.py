"""What joints carry in the steps of one tick, where a method divides it."""

from __future__ import annotations

import numpy as np

from ..checks import FloatArray
from ..constraints import layout
from ..constraints.rows import limits_reached

_FORCES = slice(layout.FORCE, layout.FORCE + 6)
_MARKS = slice(layout.WAS_AT_LIMIT, layout.WAS_AT_LIMIT + layout.MOST_FREEDOMS)


class JointSteps:
    """Sums the forces of the joints over the steps of a tick and notes which limits they reach.

    The table of joints describes the last step only. A joint that was overloaded in an earlier step, or touched a limit and left it, would
    not be noticed between two ticks.
    """

    def __init__(self, table: FloatArray, count: int) -> None:
        """Begin a tick.

        Args:
            table: The table of joints.
            count: The number of joints.
        """
        self._columns = table[:, :count]
        finite = np.isfinite(self._columns[layout.LOWER : layout.UPPER + layout.MOST_FREEDOMS])
        self._limited = np.flatnonzero(finite.any(axis=0) & (self._columns[layout.ENABLED] != 0.0)).tolist()
        self._forces = np.zeros_like(self._columns[_FORCES])
        self._reached = np.zeros_like(self._columns[_MARKS], dtype=bool)
        self._steps = 0

    def add(self) -> None:
        """Add the step that has just been taken."""
        self._steps += 1
        self._forces += self._columns[_FORCES]
        for row in self._limited:
            reached = limits_reached(self._columns[:, row].tolist())
            self._reached[: len(reached), row] |= reached

    def finish(self) -> None:
        """Write the mean forces over the tick into the table, and mark the freedoms that reached a limit in it."""
        self._columns[_FORCES] = self._forces / self._steps
        marks = self._columns[_MARKS]
        marks[:] = marks % layout.REACHED_IN_A_STEP + layout.REACHED_IN_A_STEP * self._reached
