"""A commanded torque on a body, for control laws without a model of the actuators."""

from __future__ import annotations  # help() then shows them as written

from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, components, real, refuse, vector
from ..forces.constant import CONSTANT_WRENCHES
from ..forces.force import TableForce
from ..forces.wrench import BodyStates, Wrench
from ..store.rows import BodyHandle, Quantity, fixed, require_body
from ..store.schema import Schema
from .law import limits

_TORQUE = CONSTANT_WRENCHES.components["torque_body"]
AT_LIMIT = 1.0 - 1e-12
"""Share of the largest torque from which on a torque counts as the largest, because it was scaled with rounding."""


class BodyTorque(TableForce):
    """A torque in the body frame, which is held until it is changed; added by `World.add_part`.

    Use it to study a control law without a model of its actuators. It follows every command at once, stores no momentum and burns no
    propellant.

    Args:
        body: The body on which the torque acts.
        max_torque: Maximum torque about each body axis [N·m], one number or three, above zero. None means no limit.

    Raises:
        TypeError: If `body` is not a body, or `max_torque` is not a real number or three of them.
        ValueError: If `max_torque` is not positive, or the body was removed.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=0.5)
        >>> ship = world.add_body(MassProperties.sphere(10.0, 0.5))
        >>> motor = world.add_part(BodyTorque(ship, max_torque=2.0))
        >>> motor.command((1.0, 0.0, 4.0))
        >>> motor.torque_body.tolist(), motor.saturated
        ([0.5, 0.0, 2.0], True)
        >>> world.step(2)
        >>> ship.angular_velocity_body.round(12).tolist()
        [0.5, 0.0, 2.0]
    """

    __slots__ = ("_max_torque",)

    evaluate: Literal["tick", "stage"] = "tick"
    _kind_of_member: ClassVar[str] = "part"
    _schema: ClassVar[Schema] = CONSTANT_WRENCHES

    def __init__(self, body: BodyHandle, max_torque: float | npt.ArrayLike | None = None) -> None:
        owner = f"BodyTorque of {require_body(body, 'body', 'BodyTorque')}"
        self._max_torque = None if max_torque is None else tuple(limits(max_torque, "max_torque", owner))
        super().__init__([(body,)], {})

    @fixed
    def body(self) -> BodyHandle:
        """The body on which the torque acts."""
        return self._named_bodies()[0]

    @fixed
    def max_torque(self) -> FloatArray | None:
        """Maximum torque about each body axis [N·m], shape (3,); None if there is no limit."""
        return None if self._max_torque is None else np.array(self._max_torque)

    @property
    def torque_body(self) -> FloatArray:
        """Torque [N·m], body frame, shape (3,), initially zero; a torque beyond the limit is rejected."""
        return self._value("torque_body")

    @torque_body.setter
    def torque_body(self, value: npt.ArrayLike) -> None:
        self._require_bodies("torque_body")
        torque = vector(value, "torque_body", self)
        if self._max_torque is not None and (np.abs(torque) > self._max_torque).any():
            refuse(self, "torque_body", value, f"at most {list(self._max_torque)} N·m about each axis")
        self._table.write(_TORQUE, self._slice().start, torque)

    def _recorded(self) -> tuple[Quantity, ...]:
        return (Quantity("torque_body", "N·m", "body", (3,)),)

    @property
    def saturated(self) -> bool:
        """Whether the torque about any axis is at its limit."""
        if self._max_torque is None:
            return False
        torque = self._table.array[_TORQUE, self._slice().start].tolist()
        return any(abs(t) >= AT_LIMIT * largest for t, largest in zip(torque, self._max_torque, strict=True))

    def command(
        self, torque_body: npt.ArrayLike, force_body: npt.ArrayLike = (0.0, 0.0, 0.0), seconds: float = 0.0
    ) -> None:
        """Set the torque; a torque beyond the limit is scaled down and keeps its direction.

        Args:
            torque_body: Wanted torque [N·m], body frame, shape (3,).
            force_body: Wanted force [N], body frame, shape (3,). It has no effect, because this actuator makes no force.
            seconds: Time until the next command [s]; the torque stays until it is changed.

        Raises:
            ValueError: If an argument is not finite, or `seconds` is negative.

        Example:
            >>> from engine import MassProperties, World
            >>> ship = World(dt=0.5).add_body(MassProperties.sphere(10.0, 0.5))
            >>> motor = BodyTorque(ship, max_torque=2.0)
            >>> motor.command((3.0, 0.0, 4.0))
            >>> motor.torque_body.round(12).tolist(), motor.saturated
            ([1.5, 0.0, 2.0], True)
        """
        self._require_bodies("command")
        wanted = components(torque_body, "torque_body", self)
        if force_body is not None:  # without effect, but checked as by all actuators
            components(force_body, "force_body", self)
        real(seconds, "seconds", self, at_least=0.0)
        if self._max_torque is not None:
            excess = max(abs(t) / largest for t, largest in zip(wanted, self._max_torque, strict=True))
            wanted = [t / max(excess, 1.0) for t in wanted]
        self._table.write(_TORQUE, self._slice().start, wanted)

    def coast_obstacle(self) -> str | None:
        return super().coast_obstacle() if self.torque_body.any() else None

    def __repr__(self) -> str:
        return f"BodyTorque({self.body}, {self.torque_body.tolist()})"

    def apply(self, wrench: Wrench, bodies: BodyStates, time: float) -> None:
        if self.enabled:
            wrench.add(self.body, torque_body=self.torque_body)
