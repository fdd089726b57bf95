"""A world that can be flown back and forth in time."""

from __future__ import annotations  # help() then shows them as written

from collections import deque

from .checks import read_only_attributes, real, refuse
from .snapshots import Snapshot
from .store.calling import Callback
from .world import World


@read_only_attributes()
class Rewind:
    """The last seconds of a world, one snapshot per tick, in which the world can go back and forward.

    After `back`, the world goes on from there, and the first tick forgets what lay ahead. What the user has changed between two ticks is
    part of what is restored. It costs a snapshot per tick, about 7 µs, and 160 bytes per body and less than 1 KiB per tick.

    It is not part of copies and snapshots of the world. Changes that it makes also affect `paused` and `time_scale`, which are restored
    with everything else.

    Args:
        world: The world.
        seconds: How far to go back at most [s], above zero.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `seconds` is shorter than a tick.

    Example:
        >>> from engine import MassProperties, Rewind, World
        >>> world = World(dt=0.5)
        >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5), velocity=(1.0, 0.0, 0.0))
        >>> rewind = Rewind(world, seconds=10.0)
        >>> world.step(8)
        >>> rewind.back(3.0)
        3.0
        >>> world.time, ship.position.tolist(), rewind.span
        (1.0, [1.0, 0.0, 0.0], (1.0, 3.0))
    """

    __slots__ = ("_ahead", "_callback", "_most", "_past", "_world")

    def __init__(self, world: World, seconds: float = 60.0) -> None:
        if not isinstance(world, World):
            refuse("Rewind", "world", world, "a World", TypeError)
        most = real(seconds, "seconds", "Rewind", above=0.0) / world.dt
        if not 1.0 <= most <= 1e9:
            refuse("Rewind", "seconds", seconds, f"at least a tick, {world.dt:g} s, and at most 1e9 ticks")
        self._world = world
        self._most = round(most)
        self._past: deque[Snapshot] = deque([world.snapshot()], maxlen=self._most + 1)
        self._ahead: list[Snapshot] = []
        self._callback = Callback(self._record, 1)
        world._stages.observe(self._callback)

    def __repr__(self) -> str:
        back, ahead = self.span
        return f"<Rewind of {back:g} s, with {ahead:g} s ahead>"

    @property
    def span(self) -> tuple[float, float]:
        """How far the world can go back, and how far forward [s]."""
        return (len(self._past) - 1) * self._world.dt, len(self._ahead) * self._world.dt

    def back(self, seconds: float) -> float:
        """Go back.

        Args:
            seconds: How far [s], at least 0, rounded to whole ticks.

        Returns:
            How far the world has gone [s], which is less where the past begins.

        Raises:
            ValueError: `seconds` is negative or not finite.
            RuntimeError: It is called inside a tick.
        """
        ticks = min(self._ticks(seconds, "Rewind.back"), len(self._past) - 1)
        if ticks:
            if not self._ahead and self._past[-1].tick_count == self._world.tick_count:
                self._past[-1] = self._world.snapshot()  # with what the user has changed since
            self._world.restore(self._past[-1 - ticks])
            for _ in range(ticks):
                self._ahead.append(self._past.pop())
        return ticks * self._world.dt

    def forward(self, seconds: float) -> float:
        """Go forward again, after `back`, as long as the world has not gone on by itself.

        Args:
            seconds: How far [s], at least 0, rounded to whole ticks.

        Returns:
            How far the world has gone [s], which is less where nothing more lies ahead.

        Raises:
            ValueError: `seconds` is negative or not finite.
            RuntimeError: It is called inside a tick.
        """
        ticks = min(self._ticks(seconds, "Rewind.forward"), len(self._ahead))
        if ticks:
            self._world.restore(self._ahead[-ticks])
            for _ in range(ticks):
                self._past.append(self._ahead.pop())
        return ticks * self._world.dt

    def stop(self) -> None:
        """Record no more ticks, and forget those that were recorded."""
        self._world._stages.stop_observing(self._callback)
        self._past.clear()
        self._past.append(self._world.snapshot())
        self._ahead.clear()

    def _ticks(self, seconds: float, owner: str) -> int:
        ticks = real(seconds, "seconds", owner, at_least=0.0) / self._world.dt
        return round(min(ticks, float(self._most)))

    def _record(self, world: World) -> None:
        self._ahead.clear()
        while self._past and self._past[-1].tick_count >= world.tick_count:  # the user has restored a snapshot
            self._past.pop()
        self._past.append(world.snapshot())
