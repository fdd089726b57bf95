"""The arrays of the step of islands."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..constraints import layout, step
from ..constraints.graph import (
    BLOCK_COUNT,
    BODY_COUNT,
    CONTACT_COUNT,
    FOLLOWERS,
    HARD_ISLANDS,
    HAS_LOOPS,
    HAS_SOFT,
    ISLANDS,
    LINK_COUNT,
    PLACES,
    POINT_COUNT,
    ROW_COUNT,
    SHARES,
    SPRING_COUNT,
    STRUCTURES,
    TOUCHING_COUNT,
    Graph,
)
from ..loops.allocation import zeros
from ..loops.columns import Integers
from ..loops.floating_point import new_control
from ..loops.layout import COUNT, ORIENTATION, POINT_FORCE_ROWS, ROWS, SPRING_ROWS
from ..store.bodies import Bodies


class Islands:
    """The arrays of the island step, with spare room (see `constraints.layout`), and the graph that says how they are used.

    Attributes:
        seen: The layout for which the islands were numbered last.
    """

    def __init__(self, bodies: Bodies, has_all: bool = False) -> None:
        """Make arrays for no islands.

        Args:
            bodies: The bodies of the world.
            has_all: Whether bodies on no joint are islands too.
        """
        self._bodies, self._has_all = bodies, has_all
        self.failed = np.full(1, -1, np.int64)
        """The island that failed in the last tick, or -1."""
        self.impacts = np.zeros((layout.IMPACT_ROWS, 0))
        """The first impact of each body in the tick, with a column per body if there is anything fast."""
        self.seen = -1
        self._used: tuple[int, ...] = ()
        self._room: Integers | None = None

    @cached_property
    def graph(self) -> Graph:
        """The graph, which is made when it is first asked for: most worlds have no islands."""
        return Graph(self._has_all)

    def make_room(self, least: Integers | None = None, contacts: int = 0) -> None:
        """Have arrays for the graph as it is now; those that are large enough are kept.

        Args:
            least: The least sizes, in the order of the sizes of a graph; None for no others.
            contacts: The contacts for which there is to be room.
        """
        sizes = self.graph.sizes[:STRUCTURES].copy()
        if least is not None:
            sizes = np.maximum(sizes, least[:STRUCTURES])
        sizes[CONTACT_COUNT] = max(sizes[CONTACT_COUNT], contacts)
        sizes[TOUCHING_COUNT] = max(sizes[TOUCHING_COUNT], 4 * contacts)
        if self._room is not None and (sizes <= self._room).all():
            self._set_counts()
            return
        # a half more than is wanted, where more has been wanted before
        before = sizes if self._room is None else self._room
        room = np.maximum(before, np.where(sizes > before, sizes * 3 // 2, sizes))
        room[[PLACES, LINK_COUNT]] = pitch, links = _pitch_for(int(room[PLACES])), _pitch_for(int(room[LINK_COUNT]))
        room[[ISLANDS, HARD_ISLANDS]] = max(
            room[ISLANDS], links + room[CONTACT_COUNT]
        )  # as many as there may be of some joints
        room[[ROW_COUNT, BLOCK_COUNT]] += 32
        self.own = zeros(ROWS, pitch)
        self.own[:] = self._bodies.schema.rest
        self.stages = zeros(step.STAGE_ROWS, pitch)
        self.stages[ORIENTATION + 3] = 1.0
        self.work = zeros(layout.WORK_ROWS, pitch)
        self.work[layout.START + ORIENTATION + 3] = 1.0
        self.made = zeros(room[BODY_COUNT], layout.MADE_SIZE)
        self.joints = zeros(layout.JOINT_ROWS, links)
        self.points = zeros(links + room[CONTACT_COUNT], layout.POINT_SIZE)
        self.rows = zeros(room[ROW_COUNT], layout.ROW_SIZE)
        self.blocks = zeros(room[BLOCK_COUNT], 36)
        self.measures = zeros(room[ISLANDS], layout.MEASURES)
        self.touching = zeros(room[TOUCHING_COUNT], layout.TOUCH_SIZE)
        self.springs = zeros(SPRING_ROWS, max(1, room[SPRING_COUNT]))
        self.point_forces = zeros(POINT_FORCE_ROWS, max(1, room[POINT_COUNT]))
        self.counts = np.zeros(2, np.int64)
        self.control = new_control(0, 0)
        self.graph.forget_made()
        self._room, self._used = room, ()
        self._set_counts()

    def _set_counts(self) -> None:
        sizes, pitch = self.graph.sizes, self.own.shape[1]
        count = int(sizes[PLACES])
        self.control[COUNT] = count if count <= 2 else min((count + 7) & ~7, pitch)
        self.counts[:] = sizes[SPRING_COUNT : POINT_COUNT + 1]
        kinds = sizes[[HAS_SOFT, HAS_LOOPS, FOLLOWERS, SHARES]].tolist()
        used = self.graph.version, *kinds, int(sizes[LINK_COUNT] > 0)
        if self._used != used:  # other arrays, or other kernels that are called for them
            self._used, store = used, self._bodies.store
            assert store is not None
            store.change_layout()

    @property
    def room(self) -> Integers:
        """How much of everything the arrays can have."""
        assert self._room is not None
        return self._room

    @property
    def is_used(self) -> bool:
        """Whether there are arrays."""
        return self._room is not None


def _pitch_for(count: int) -> int:
    """Columns for that many places or joints: few, so that the arrays stay in the cache, and no power of two, so that all of it is used."""
    return 16 * ((count + 7) // 16) + 8
