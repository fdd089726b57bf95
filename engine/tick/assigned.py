"""What depends on the states of all bodies, where they are assigned: joints, frozen bodies and wheels."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..checks import FloatArray
from ..store.state import Assigned
from .actuators import Actuators
from .joints import Joints
from .stages import Stages


class AssignedStates(Assigned):
    """The parts of a world that `World.state` asks and tells."""

    def __init__(self, actuators: Actuators, joints: Joints, stages: Stages) -> None:
        self._actuators, self._joints, self._stages = actuators, joints, stages

    def has_wheels(self) -> bool:
        return self._actuators.has_wheels

    def before(self, first: int, values: FloatArray, name: str | None) -> None:
        if name is not None and self._joints.any:
            self._joints.fit.require_poses(first, values, name)
        self._stages.freezing.thaw(slice(None))

    @contextmanager
    def keeping_speeds(self) -> Iterator[None]:
        wheels = self._actuators.all_wheels
        speeds = self._actuators.speeds(wheels)
        yield
        self._actuators.set_speeds(wheels, speeds)
