"""What joints use of the world that they are in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..kernels.vectors import Vector
from ..store.rows import BodyHandle, TableRows
from .mobility import Direction

End = tuple[BodyHandle, Vector]
"""A body, and a point of it from its mass centre, world frame."""


class Fit(Protocol):
    """How well the joints of a world hold at the current poses; see `tick.joint_fit`."""

    def require(self, joint: TableRows, owner: str, argument: str, value: object) -> None: ...
    def note_slack(self, joint: TableRows) -> None: ...
    def are_welded_without(self, joint: TableRows) -> bool: ...


class JointsOfWorld(Protocol):
    """All joints of a world."""

    @property
    def fit(self) -> Fit: ...


class Host(Protocol):
    """The world of a joint."""

    @property
    def dt(self) -> float: ...
    @property
    def tick_count(self) -> int: ...
    @property
    def _joints(self) -> JointsOfWorld: ...
    def _compliances(self, ends: Sequence[End], directions: Sequence[Direction]) -> list[float]: ...
