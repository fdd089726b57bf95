"""What control loops ask of laws and actuators, and what their samples ask of loops."""

from __future__ import annotations  # help() then shows them as written

from typing import Any, NamedTuple, Protocol

import numpy.typing as npt

from ..checks import FloatArray
from ..store.host import Host
from ..store.rows import BodyHandle
from ..store.schema import Schema
from ..store.table import Mask, Table
from .reference import FixedOrMoving


class ControlLaw(Protocol):
    """What a control loop asks of a law, which is a `Law` or an object of a user; both may be written for one kind of measured object."""

    @property
    def state_size(self) -> int:
        """Number of values that the law remembers."""

    def initial_state(self, measured: Any, reference: Any, /) -> npt.ArrayLike:
        """The state before the first sample, shape (state_size,)."""

    def update(
        self, measured: Any, reference: Any, seconds: float, state: FloatArray, /
    ) -> tuple[npt.ArrayLike, npt.ArrayLike]:
        """The torque [N·m], body frame, and the state for the next sample."""


class Actuators(Protocol):
    """What a control loop commands.

    Actuators may also have

    * `saturated`: whether they could not do what the last command asked for,
    * `period`: the time between two commands [s] for which they are made,
    * `body`: the body that they act on,
    * `stop()`: called in place of a command of zero when the loop is disabled,
    * `members`: the forces and parts that they command, which must be added to the world before the loop,
    * `state_size`: the number of values that they remember from one command to the next. `command` then takes these as a fourth argument
      `state`, an array, and returns the new ones. The loop keeps them, so that they are undone, hashed and copied with the world. They
      start at zero, and again at zero each time the loop is enabled.
    """

    def command(self, torque_body: FloatArray, force_body: FloatArray | None, seconds: float, /) -> object:
        """Produce a torque [N·m] and a force [N], body frame, until the next command after `seconds`; None leaves the force free."""


class Wanted(NamedTuple):
    """What the actuators of all members are asked for.

    Attributes:
        torques: Torques [N·m], body frame, shape (3, n).
        forces: Forces [N], body frame, shape (3, n); None if any force will do.
        state: What the actuators remember, shape (state_size, n).
    """

    torques: FloatArray
    forces: FloatArray | None
    state: FloatArray


class Made(NamedTuple):
    """What the actuators of all members do.

    Attributes:
        bad: The members whose commands are not finite, shape (n,).
        saturated: Whether the command of each was out of reach, as 0.0 or 1.0, shape (n,).
        state: What the actuators remember now, shape (state_size, n).
    """

    bad: Mask
    saturated: FloatArray
    state: FloatArray


class ActuatorsOfMembers(Protocol):
    """Commands the actuators of all members."""

    def command(self, world: Host, wanted: Wanted, seconds: float, commanded: Mask) -> Made:
        """Command torques and forces in some members, those whose commands are not finite left out."""


class ControlLoop(Protocol):
    """What the samples of a control loop use of it; see `Controlled`."""

    _actuators: Actuators
    _delay: int
    _law: ControlLaw
    _measured: object
    _reference: FixedOrMoving
    _table: Table

    @property
    def _schema(self) -> Schema: ...
    @property
    def body(self) -> BodyHandle: ...
    @property
    def _actuators_of_members(self) -> ActuatorsOfMembers: ...
    def _slice(self) -> slice: ...
    def _seconds(self, world: Host) -> float: ...
