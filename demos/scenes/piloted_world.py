"""A world whose pace a script sets: it runs through a list of paces, and lights and stops an engine at given ticks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..drawing import Array
from ..physics import World, forces


@dataclass(frozen=True)
class Leg:
    """A part of the flight at one pace."""

    pace: float
    """Simulated seconds per wall second."""
    seconds: float = 0.0
    """How long it lasts in wall seconds; 0 is until the engine is lit or stopped, or for ever."""


@dataclass(frozen=True)
class Burn:
    """The engine runs from one tick to another."""

    engine: forces.Thruster
    start: int
    end: int


class PilotedWorld(World):
    """A world that coasts at a pace that ticks cannot keep up with.

    The engine is lit and stopped at exact ticks: a coast ends there, however fast it is. While something stands in the way of a coast, such
    as the burning engine, the pace is at most `fastest_stepped`. Whoever changes the pace takes over from the script; the engine still runs
    by itself.
    """

    __slots__ = ("_burn", "_left", "_legs", "_own_pace", "after_burn", "is_scripted", "stepped")

    def __init__(self, dt: float, **how: Any) -> None:
        super().__init__(dt, coasting=True, **how)
        self._burn: Burn | None = None
        self.is_scripted = True
        self.after_burn: tuple[int, Array, Array] | None = None
        """Tick, position [m] and velocity [m/s] at the end of the burn."""
        self.stepped = 0
        """Ticks that were run one by one."""
        self.follow([Leg(1.0)])

    @property
    def fastest_stepped(self) -> float:
        """The greatest pace at which the world does not coast, less a rounding of the product."""
        return (1.0 - 1e-9) * 60.0 * self.dt * self.max_ticks_per_frame

    def follow(self, legs: Sequence[Leg], burn: Burn | None = None) -> None:
        """Follow this script from now on."""
        self._legs, self._burn = list(legs), burn
        self._left = self._legs[0].seconds
        self._set_pace(self._legs[0].pace)

    def advance(self, elapsed_seconds: float) -> int:
        """Advance by this wall time at the pace of the script, and at most to the tick at which the engine is lit or stopped."""
        if self.paused:
            return super().advance(elapsed_seconds)
        self._choose_pace(elapsed_seconds)
        before, ahead = self.tick_count, self._ticks_to_event()
        coasts = self.time_scale > self.fastest_stepped
        if ahead is not None and elapsed_seconds * self.time_scale >= ahead * self.dt:
            (self.coast if coasts else self.step)(ahead)
            self._switch_engine()
            if not self._legs[0].seconds:
                self._next_leg()
        else:
            super().advance(elapsed_seconds)
        taken = self.tick_count - before
        self.stepped += 0 if coasts else taken
        return taken

    def _choose_pace(self, elapsed_seconds: float) -> None:
        self.is_scripted = self.is_scripted and self.time_scale == self._own_pace
        if self.is_scripted and self._legs[0].seconds:
            self._left -= elapsed_seconds
            if self._left <= 0.0:
                self._next_leg()
        if self.time_scale > self.fastest_stepped and self.coast_obstacle() is not None:
            self._set_pace(self.fastest_stepped)

    def _next_leg(self) -> None:
        if self.is_scripted and len(self._legs) > 1:
            del self._legs[0]
            self._left += self._legs[0].seconds
            self._set_pace(self._legs[0].pace)

    def _set_pace(self, pace: float) -> None:
        self.time_scale = self._own_pace = pace

    def _ticks_to_event(self) -> int | None:
        """Ticks until the engine is lit or stopped; None if it will not be."""
        ticks = () if self._burn is None else (self._burn.start, self._burn.end)
        return next((tick - self.tick_count for tick in ticks if tick > self.tick_count), None)

    def _switch_engine(self) -> None:
        assert self._burn is not None
        is_lit = self.tick_count == self._burn.start
        self._burn.engine.throttle = 1.0 if is_lit else 0.0
        if not is_lit:
            body = self.bodies[0]
            self.after_burn = self.tick_count, body.position, body.velocity
