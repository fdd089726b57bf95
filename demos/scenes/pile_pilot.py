"""Who drives a pile while nobody else does: one piece after the other is taken and brought to its place."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from ..drawing import Array
from ..physics import Body, World

PATIENCE = 20.0
"""Longest time of a phase; after it the piece is let go, and another one is chosen [s]."""


class Pilot(ABC):
    """Goes through the phases, of which each is a method that returns whether it is done."""

    phases: ClassVar[tuple[str, ...]]
    words: ClassVar[dict[str, str]]
    """What each phase is called."""

    def __init__(self, world: World, yard: Any) -> None:
        self._world, self._yard, self._carrier = world, yard, yard.carrier
        self.is_automatic = True
        self.phase, self.piece = "", None
        self.brought: list[Body] = []
        self._given_up: list[Body] = []
        self._since = 0.0

    def fly(self) -> None:
        """Set what is wanted of the carrier for the next tick."""
        if not self.is_automatic:
            return
        if self.piece is None or not self.phase:
            self._begin()
            return
        if self._world.time - self._since > PATIENCE:
            self._carrier.load.release()
            self._given_up.append(self.piece)
            self._begin()
        elif getattr(self, f"_{self.phase}")():
            self._next()

    def take_over(self) -> None:
        """Let somebody else drive."""
        self.is_automatic = False

    def resume(self) -> None:
        """Drive again, from the first phase or with what hangs on the line."""
        load: Body | None = self._carrier.load.body
        self.is_automatic, self.piece, self._since = True, load, self._world.time
        self.phase = self.phases[2] if load is not None else ""

    def status(self) -> str:
        """What it does, in few words."""
        if not self.is_automatic:
            return "by hand"
        return (
            f"autopilot {self.words[self.phase]} {self.piece.name}" if self.phase and self.piece else "autopilot waits"
        )

    def _begin(self) -> None:
        """Choose a piece."""
        left = [piece for piece in self._yard.pieces if piece not in self.brought and piece not in self._given_up]
        self.piece = self._choose(left) if left else None
        self.phase, self._since = self.phases[0] if self.piece is not None else "", self._world.time
        if self.piece is None:
            self._carrier.stop()

    def _next(self) -> None:
        number = self.phases.index(self.phase) + 1
        self._since = self._world.time
        self.phase = self.phases[number] if number < len(self.phases) else ""

    @abstractmethod
    def _choose(self, left: list[Body]) -> Body | None:
        """The next piece of those that are left; None for a while without one."""


class CranePilot(Pilot):
    """Takes the highest crate of the heap, and puts it down on a marked place."""

    phases = ("above", "down", "up", "carry", "lower", "rise")
    words: ClassVar[dict[str, str]] = {
        "above": "goes to",
        "down": "reaches for",
        "up": "lifts",
        "carry": "carries",
        "lower": "puts down",
        "rise": "leaves",
    }
    HIGH, CLOSE = 4.4, 0.7
    """Height of the hook on its way, and how near to a crate it takes it [m]."""
    BEGIN = 3.2
    """When it begins: the crates have fallen [s]."""

    def _choose(self, left: list[Body]) -> Body | None:
        if self._world.time < self.BEGIN or len(self.brought) == len(self._yard.places):
            return None
        return max(left, key=lambda piece: float(piece.position[2]))

    def _above(self) -> bool:
        return self._goes((*self.piece.position[:2], self.HIGH), 0.15, 0.2)

    def _down(self) -> bool:
        carrier, load = self._carrier, self._carrier.load
        self._goes((*self.piece.position[:2], 0.5), 0.0, 0.0)
        if load.distance(self.piece) < self.CLOSE or (carrier.is_slack and load.may_take(self.piece)):
            load.take(self.piece)
            carrier.stop()
            return True
        return False

    def _up(self) -> bool:
        place = (*self.piece.position[:2], self.HIGH + 0.15)
        self._goes(place, 0.0, 0.0)
        return bool(self._carrier.body.position[2] > self.HIGH - 0.05)

    def _carry(self) -> bool:
        return self._goes((*self._place[:2], self.HIGH), 0.1, 0.12)

    def _lower(self) -> bool:
        self._goes((*self._place[:2], 0.3), 0.0, 0.0)
        piece, load = self.piece, self._carrier.load
        is_down = load.tension < 0.1 * self._yard.gravity * piece.mass and float(np.linalg.norm(piece.velocity)) < 0.05
        if is_down and self._world.time - self._since > 0.5:
            load.release()
            self._carrier.stop()
            self.brought.append(piece)
            return True
        return False

    def _rise(self) -> bool:
        return (
            self._goes((*self._carrier.trolley.position[:2], self.HIGH), np.inf, np.inf)
            or self._carrier.body.position[2] > 3.0
        )

    @property
    def _place(self) -> Array:
        place: Array = self._yard.places[len(self.brought) % len(self._yard.places)]
        return place

    def _goes(self, place: Any, near: float, slow: float) -> bool:
        """Bring the hook to a place; whether it is there, and at rest."""
        carrier = self._carrier
        carrier.wanted[:] = carrier.toward(np.asarray(place))
        away = np.asarray(place) - carrier.body.position
        is_high = abs(away[2]) < 0.15
        return bool(is_high and np.hypot(*away[:2]) < near and np.linalg.norm(carrier.body.velocity[:2]) < slow)


class TugPilot(Pilot):
    """Flies to the nearest piece of debris, tows it to the marked place, and stops it there."""

    phases = ("near", "tow", "stop", "leave")
    words: ClassVar[dict[str, str]] = {"near": "flies to", "tow": "tows", "stop": "stops", "leave": "leaves"}
    ASIDE, CLOSE, MEETING = 1.5, 1.7, 0.15
    """Distance from a piece to which it flies, and at which it ties the line to it [m]; speed of both then [m/s]."""

    def _choose(self, left: list[Body]) -> Body | None:
        place = self._carrier.body.position
        return min(left, key=lambda piece: float(np.linalg.norm(piece.position - place)))

    def _near(self) -> bool:
        carrier, piece = self._carrier, self.piece
        away = carrier.body.position - piece.position
        goal = piece.position + self.ASIDE / float(np.linalg.norm(away)) * away
        carrier.wanted[:] = piece.velocity + carrier.toward(goal)
        speed = float(np.linalg.norm(carrier.body.velocity - piece.velocity))
        if carrier.load.distance(piece) < self.CLOSE and speed < self.MEETING:
            carrier.load.take(piece)
            return True
        return False

    def _tow(self) -> bool:
        carrier, place = self._carrier, self._yard.places[0]
        away = place - self.piece.position
        far = float(np.linalg.norm(away))
        carrier.wanted[:] = carrier.toward(place + carrier.body.position - self.piece.position)
        return far < 0.8

    def _stop(self) -> bool:
        carrier, piece = self._carrier, self.piece
        carrier.stop()
        if float(np.linalg.norm(piece.velocity)) < 0.05:
            carrier.load.release()
            carrier.stop()
            self.brought.append(piece)
            return True
        return False

    def _leave(self) -> bool:
        carrier = self._carrier
        away = carrier.body.position - self.piece.position
        far = float(np.linalg.norm(away))
        carrier.wanted[:] = 0.3 / far * away
        return far > 2.0
