"""Events of joints between two ticks: overloaded joints are removed, and the functions of `World.on_joint` are called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite, sqrt
from typing import Protocol

import numpy as np

from ..constraints import layout
from ..constraints.rows import limits_reached
from ..joints.closing import CLOSED, DISARMED, HARD, ClosingJoint
from ..joints.freedom import FreedomJoint
from ..joints.joint import JOINTS, Host, Joint
from ..store.calling import EventCallback, run_now
from ..store.store import Store
from .latches import OpenLatches

EVENTS = ("broken", "limit", "captured", "locked", "released", "failed")
"""The events of joints."""

_AT_LIMIT = 1e-9
"""Distance from a limit [rad or m], or share of a limit above 1, that does not count as having left it."""


class WorldOfJoints(Host, Protocol):
    """What the events of joints use of a world."""

    @property
    def joints(self) -> tuple[Joint, ...]: ...
    def _energies_of_impact(self, rows: Sequence[int]) -> list[float]: ...


class JointEvents:
    """Finds the joints to which something happened in the last tick, from their forces and thresholds.

    Attributes:
        functions: The functions to call, in the order in which they were added.
    """

    def __init__(self, store: Store, latches: OpenLatches) -> None:
        self._store = store
        self._latches = latches
        self._table = store.table(JOINTS)
        self.functions: list[EventCallback] = []
        self._seen, self._found_some = -1, False

    @property
    def is_watching(self) -> bool:
        """Whether the joints must be looked at in the tick that starts now."""
        if not self._table.count:
            return False
        if self._may_change or any(each.event == "limit" for each in self.functions):
            return True
        return self._latches.are_near

    @property
    def _may_change(self) -> bool:
        """Whether any joint may break in a tick, or is closing."""
        if self._seen != self._store.layout_version:
            table, count = self._table.array, self._table.count
            thresholds = table[layout.BREAK_FORCE : layout.BREAK_TORQUE + 1, :count]
            is_closing = table[layout.LATCH_PHASE, :count] > DISARMED
            self._found_some = bool(np.isfinite(thresholds).any() or is_closing.any())
            self._seen = self._store.layout_version
        return self._found_some

    def note_limits(self) -> None:
        """Take note of the limits at which joints are now, before the first function is given that is told of those reached later."""
        if any(each.event == "limit" for each in self.functions):
            return
        for row in range(self._table.count):
            for freedom, has_reached in enumerate(limits_reached(self._table.array[:, row].tolist())):
                if has_reached:
                    self._table.write(layout.WAS_AT_LIMIT + freedom, row, 1.0)

    def look(self) -> None:
        """Remove joints that broke and call the functions, in the order of the joints; this is part of the tick that starts."""
        world = self._store.world()
        happened = list(self._found(world))
        self._count_closing(world)
        for joint, event in happened:
            if event == "broken" and joint in world.joints:
                joint._come_apart()
                world.remove_joint(joint)
        for joint, event in happened:
            for each in list(self.functions):
                if each.event == event and each in self.functions:
                    run_now(each.function, world, joint)

    def _count_closing(self, world: WorldOfJoints) -> None:
        """Note the energy that joints which have become rigid take in this tick, once per island."""
        table, count = self._table.array, self._table.count
        rows = np.flatnonzero(table[layout.LATCH_PHASE, :count] == CLOSED)
        acting = rows[table[layout.ENABLED, rows] != 0.0]
        energies = world._energies_of_impact(table[layout.BODY, acting].astype(int).tolist()) if len(acting) else []
        for row, energy in zip(acting.tolist(), energies, strict=True):
            self._table.write(layout.CLOSING_ENERGY, row, energy)
        for row in rows.tolist():
            self._table.write(layout.LATCH_PHASE, row, HARD)

    def _found(self, world: WorldOfJoints) -> Iterator[tuple[Joint, str]]:
        for joint in self._to_look_at(world):
            row = joint.rows.start
            column = self._table.array[:, row].tolist()
            force = _length(column[layout.FORCE : layout.FORCE + 3])
            torque = _length(column[layout.TORQUE : layout.TORQUE + 3])
            is_broken = force > column[layout.BREAK_FORCE] or torque > column[layout.BREAK_TORQUE]
            if is_broken:
                yield joint, "broken"
            if isinstance(joint, ClosingJoint):
                if joint.enabled and not is_broken and (event := joint._advance(world)) is not None:
                    yield joint, event
                continue
            for freedom, has_reached in enumerate(limits_reached(column)):
                mark = column[layout.WAS_AT_LIMIT + freedom]
                is_at_limit = has_reached or mark >= layout.REACHED_IN_A_STEP
                was_at_limit = mark % layout.REACHED_IN_A_STEP != 0.0
                # a joint that rests at a limit without load has forces of rounding size there, in some ticks and not in others
                if was_at_limit and not is_at_limit and _is_near_limit(joint, column, freedom):
                    continue
                if mark != is_at_limit:
                    self._table.write(layout.WAS_AT_LIMIT + freedom, row, float(is_at_limit))
                if is_at_limit and not was_at_limit:
                    yield joint, "limit"

    def _to_look_at(self, world: WorldOfJoints) -> Sequence[Joint]:
        """The joints, in their order, to which something may have happened: overloaded, closing, or at a limit now or before."""
        if self._table.count < _FEW:
            return world.joints
        table = self._table.array[:, : self._table.count]
        forces, torques = (
            np.sqrt(np.square(table[each : each + 3]).sum(axis=0)) for each in (layout.FORCE, layout.TORQUE)
        )
        is_overloaded = (forces > table[layout.BREAK_FORCE]) | (torques > table[layout.BREAK_TORQUE])
        has_limits = np.isfinite(table[layout.LOWER : layout.UPPER + layout.MOST_FREEDOMS]).any(axis=0)
        pushes = (table[_POSITION_FORCES] != 0.0) | (table[_VELOCITY_FORCES] != 0.0)
        of_freedoms = _ROWS >= _EQUALITY_ROWS[table[layout.TYPE].astype(np.int64)]
        was_at_limit = table[layout.WAS_AT_LIMIT : layout.WAS_AT_LIMIT + layout.MOST_FREEDOMS].any(axis=0)
        may_reach = was_at_limit | (has_limits & (pushes & of_freedoms).any(axis=0))
        rows = np.flatnonzero(is_overloaded | may_reach | (table[layout.LATCH_PHASE] != HARD))
        found: Sequence[Joint] = self._store.world()._forces.owners_of(self._table, rows)
        chosen = {id(joint) for joint in found}
        return found if len(found) < 2 else [joint for joint in world.joints if id(joint) in chosen]


_FEW = 4
"""Fewer joints are looked at one by one in the time of the array operations."""
_POSITION_FORCES = slice(layout.POSITION_FORCES, layout.POSITION_FORCES + layout.MOST_ROWS)
_VELOCITY_FORCES = slice(layout.VELOCITY_FORCES, layout.VELOCITY_FORCES + layout.MOST_ROWS)
_ROWS, _EQUALITY_ROWS = np.arange(layout.MOST_ROWS)[:, np.newaxis], np.array(layout.EQUALITY_ROWS)


def _is_near_limit(joint: Joint, column: Sequence[float], freedom: int) -> bool:
    """Whether a freedom is at one of its limits up to rounding."""
    assert isinstance(joint, FreedomJoint)  # others have none
    now = joint._coordinates()[freedom]
    limits = column[layout.LOWER + freedom], column[layout.UPPER + freedom]
    return any(abs(now - limit) <= _AT_LIMIT * max(1.0, abs(limit)) for limit in limits if isfinite(limit))


def _length(vector: Sequence[float]) -> float:
    x, y, z = vector
    return sqrt(x * x + y * y + z * z)
