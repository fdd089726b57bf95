"""The views of states and wrenches that are passed to Python forces, created once per layout of the arrays."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from ..forces.wrench import BodyStates, Wrench
from ..store.bodies import Bodies


class StageViews:
    """Views of wrenches and body states in the stage array.

    The stage array is overwritten at every stage. If a force keeps a wrench and writes to it later, this has no effect.
    """

    def __init__(self, bodies: Bodies) -> None:
        self._bodies = bodies
        self._layout = -1
        self._views: dict[tuple[int, bool], tuple[Wrench, BodyStates]] = {}
        self.motor_torque_body = np.zeros((0, 3))
        """The motor torques that forces have added in this tick, shape (n, 3)."""

    def at(self, first_row: int, held: bool = False) -> tuple[Wrench, BodyStates]:
        """Return the wrench that starts at a row of the stage array, and the states; `held` is True for forces called once per tick."""
        bodies = self._bodies
        assert bodies.stages is not None and bodies.store is not None
        if self._layout != bodies.store.layout_version:
            self._views.clear()
            self.motor_torque_body = np.zeros((bodies.count, 3))
            self._layout = bodies.store.layout_version
        found = self._views.get((first_row, held))
        if found is None:
            states = BodyStates(bodies, bodies.stages)
            motor = self.motor_torque_body if held else None
            found = self._views[first_row, held] = Wrench(bodies.stages, first_row, states, motor), states
        return found


def refuse_return(force: object) -> NoReturn:
    """Raise the error of a force that returns something instead of adding it to the wrench."""
    raise TypeError(
        f"{getattr(force, '__self__', force)!r}: a force must add to the wrench (wrench.force_world += …) and return nothing"
    )
