"""Measurement of the time that ticks spend in each stage."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from ..compilation.kernel_types import Kernel


class Profile:
    """The time spent in each stage while the profile is active, created by `world.profile()`.

    Consecutive ticks that call no Python still run together, as one run of the stage "move".

    Attributes:
        seconds: Time [s] spent in each stage so far, by the name of the stage.
        ticks: The number of ticks run.

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

    def timed(self, stage: str, function: Callable[..., object]) -> Kernel:
        """Wrap the function of a stage so that its time is added to that stage."""

        def run(*arguments: object) -> object:
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
