"""Where the time of ticks goes, stage by stage."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any


class Profile:
    """Seconds per stage of the ticks taken while it is on. Made by `world.profile()`.

    Ticks in which nobody is called are still taken many at a time, and count as one run of the stage "move".

    Attributes:
        seconds: Time [s] spent in each stage so far, by the name of the stage.
        ticks: How many ticks were taken.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=0.01)
        >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5))
        >>> with world.profile() as profile:
        ...     world.step(100)
        >>> profile.ticks
        100
        >>> "move" in profile.seconds
        True
    """

    def __init__(self, switch: Callable[[Profile | None], None]) -> None:
        self._switch = switch
        self.seconds: dict[str, float] = {}
        self.ticks = 0

    def __enter__(self) -> Profile:
        self._switch(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._switch(None)

    def timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function of a stage, with its time added to the stage."""

        def run(*arguments: Any) -> Any:
            begin = perf_counter()
            try:
                return function(*arguments)
            finally:
                self.seconds[stage] = self.seconds.get(stage, 0.0) + perf_counter() - begin

        return run

    def __str__(self) -> str:
        total = sum(self.seconds.values()) or 1.0
        lines = [
            f"{stage:<16}{1e6 * spent / max(self.ticks, 1):10.2f} µs per tick {spent / total:6.1%}"
            for stage, spent in self.seconds.items()
        ]
        return "\n".join([f"{self.ticks} ticks", *lines])
