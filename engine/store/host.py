"""What forces and parts use of the world that they are in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from .bodies import Bodies
from .store import Store


class Driving(Protocol):
    """The actuators of a world; see `tick.actuators`."""

    def include(self, body: int, owner: object) -> int: ...
    def include_part(self, part: Any, body: int) -> None: ...
    def forget_part(self, part: object, body: int) -> None: ...
    def sum_wheels(self, bodies: Sequence[int]) -> None: ...


class Host(Protocol):
    """The world of a force or a part."""

    @property
    def dt(self) -> float: ...
    @property
    def time(self) -> float: ...
    @property
    def tick_count(self) -> int: ...
    @property
    def forces(self) -> tuple[object, ...]: ...
    @property
    def parts(self) -> tuple[object, ...]: ...
    @property
    def _actuators(self) -> Driving: ...

    _bodies: Bodies
    _dt: float
    _store: Store
