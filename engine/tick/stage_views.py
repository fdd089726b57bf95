"""What called forces are given: views of the states at a stage and of its wrench, made once for a layout of the arrays."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ..forces.wrench import BodyStates, Wrench
from ..store.bodies import Bodies


class StageViews:
    """Wrenches and body states over the stage array.

    The stage array is written anew at every stage, so what a force keeps of a wrench and writes later acts on nothing.
    """

    def __init__(self, bodies: Bodies) -> None:
        self._bodies = bodies
        self._layout = -1
        self._views: dict[tuple[int, bool], tuple[Wrench, BodyStates]] = {}
        self.motor_torque_body = np.zeros((0, 3))
        """What tick forces have added for motors in the tick, shape (n, 3)."""

    def at(self, first_row: int, held: bool = False) -> tuple[Wrench, BodyStates]:
        """The wrench that starts at a row of the stage array, and the states; `held` for forces that are called once per tick."""
        bodies = self._bodies
        assert bodies.stages is not None
        if self._layout != bodies.layout_version:
            self._views.clear()
            self._layout = bodies.layout_version
            self.motor_torque_body = np.zeros((bodies.count, 3))
        found = self._views.get((first_row, held))
        if found is None:
            states = BodyStates(bodies, bodies.stages)
            motor = self.motor_torque_body if held else None
            found = self._views[first_row, held] = Wrench(bodies.stages, first_row, states, motor), states
        return found


def refuse_return(force: Any) -> NoReturn:
    """Raise the error of a force that returns something instead of adding it to the wrench."""
    raise TypeError(
        f"{getattr(force, '__self__', force)!r}: a force must add to the wrench (wrench.force_world += …) and return nothing"
    )
