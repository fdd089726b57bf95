"""Rewinding a world, back and forward in time."""

from __future__ import annotations  # help() then shows them as written

from collections import deque

from ..checks import explaining_errors, real, refuse
from ..store.calling import Callback
from ..world import World
from .snapshots import Snapshot


@explaining_errors()
class Rewind:
    """A recording of the last seconds of a world, with one snapshot per tick, in which the world can go back and forward.

    After `back`, the world continues from the earlier tick, and the first new tick discards the snapshots that lay ahead. Changes that the
    user made between two ticks are restored too. A coast (`World.coast`) leaves one snapshot, at its end. A snapshot takes about 7 µs per
    tick. The memory per tick is 160 bytes per body, plus less than 1 KiB.

    The recording is not part of copies and snapshots of the world. `back` and `forward` also restore `paused` and `time_scale`.

    Args:
        world: The world.
        seconds: Maximum time to go back [s], at least one tick.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `seconds` is shorter than a tick or longer than 1e9 ticks.

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
            refuse("Rewind", "seconds", seconds, f"between one tick ({world.dt:g} s) and 1e9 ticks")
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
        """How far the world can go back, and how far it can go forward [s]."""
        self._align()
        now = self._world.tick_count
        last = self._ahead[0].tick_count if self._ahead else now
        return (now - self._first) * self._world.dt, (last - now) * self._world.dt

    def back(self, seconds: float) -> float:
        """Go back to an earlier tick.

        Args:
            seconds: How far [s], at least 0, rounded to whole ticks.

        Returns:
            How far the world went back [s]. This is less than `seconds` if the recording is shorter, and more where a coast left no
            snapshot.

        Raises:
            ValueError: If `seconds` is negative or not finite.
            RuntimeError: If this is called inside a tick.

        Example:
            >>> from engine import Rewind, World
            >>> world = World(dt=0.5)
            >>> rewind = Rewind(world, seconds=10.0)
            >>> world.step(8)
            >>> rewind.back(100.0), world.time
            (4.0, 0.0)
        """
        ticks, now = self._ticks(seconds, "Rewind.back"), self._world.tick_count
        self._align()
        target = max(now - ticks, self._first)
        if target >= now:
            return 0.0
        if not self._ahead:  # keep what the user has changed since the last snapshot
            self._record(self._world)
        self._world.restore(next(past for past in reversed(self._past) if past.tick_count <= target))
        self._align()
        return (now - self._world.tick_count) * self._world.dt

    def forward(self, seconds: float) -> float:
        """Go forward again after `back`, as long as the world has run no new tick.

        Args:
            seconds: How far [s], at least 0, rounded to whole ticks.

        Returns:
            How far the world went forward [s]. This is less than `seconds` at the end of the recording, or where a coast left no snapshot.

        Raises:
            ValueError: If `seconds` is negative or not finite.
            RuntimeError: If this is called inside a tick.

        Example:
            >>> from engine import Rewind, World
            >>> world = World(dt=0.5)
            >>> rewind = Rewind(world, seconds=10.0)
            >>> world.step(8)
            >>> rewind.back(3.0), rewind.forward(1.0), world.time
            (3.0, 1.0, 2.0)
        """
        ticks, now = self._ticks(seconds, "Rewind.forward"), self._world.tick_count
        self._align()
        # the latest comes first, so that the first of these goes forward as far as is wanted and known
        reached = [ahead for ahead in self._ahead if ahead.tick_count <= now + ticks]
        if reached:
            self._world.restore(reached[0])
            self._align()
        return (self._world.tick_count - now) * self._world.dt

    def stop(self) -> None:
        """Stop recording, and discard the recorded ticks."""
        self._world._stages.stop_observing(self._callback)
        self._past.clear()
        self._ahead.clear()

    @property
    def _first(self) -> int:
        """The tick to which the world can go back at most."""
        return self._past[0].tick_count if self._past else self._world.tick_count

    def _align(self) -> None:
        """Divide the snapshots at the current tick, even after an interrupt."""
        now = self._world.tick_count
        back = sum(1 for snapshot in self._past if snapshot.tick_count > now)
        ahead = sum(1 for snapshot in self._ahead if snapshot.tick_count <= now)
        if back or ahead:
            known = [*self._past, *reversed(self._ahead)]
            place = max(len(self._past) - back + ahead, 1)
            self._past, self._ahead = deque(known[:place], self._most + 1), known[: place - 1 : -1]

    def _ticks(self, seconds: float, owner: str) -> int:
        if not self._world._store.is_idle:
            raise RuntimeError(
                f"{owner} cannot be called from inside a tick (a callback or a force); call it between ticks"
            )
        ticks = real(seconds, "seconds", owner, at_least=0.0) / self._world.dt
        return round(min(ticks, 1e18))

    def _record(self, world: World) -> None:
        snapshot = world.snapshot()
        self._ahead.clear()
        if (
            self._past and self._past[-1].tick_count >= world.tick_count
        ):  # replaced in one step, which no interrupt can tear
            earlier = [past for past in self._past if past.tick_count < world.tick_count]
            self._past = deque([*earlier, snapshot], self._past.maxlen)
        else:
            self._past.append(snapshot)
