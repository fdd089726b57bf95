"""Reaction wheels, which exchange angular momentum with the body that carries them."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, refuse
from ..loops.actuator_layout import APPLIED, MAX_TORQUE, MOMENTUM, TORQUE, WHEEL_AXIS, WHEEL_INERTIA
from ..store.host import Host
from ..store.rows import BodyHandle, Parameter, Quantity, checked, fixed, reference_fields, require_body
from ..store.schema import ANY, DIRECTION, NOT_NEGATIVE, POSITIVE, Field, Kind, Schema
from ..store.table import Table
from .part import Part


def _refuse_below_command(columns: FloatArray, limits: FloatArray, owner: object) -> None:
    """Reject maximum torques below the commanded torques."""
    commanded = np.abs(columns[TORQUE])
    if (commanded > limits[0]).any():
        rule = f"at least the commanded torque, {commanded.max():g} N·m"
        refuse(owner, "max_torque", limits[0].tolist(), rule, hint="set the torque first")


WHEELS = Schema(
    "wheels",
    (
        *reference_fields("body"),
        Field("driven", Kind.MODEL, meaning="row of the driven body", digest=101, refers_to="driven", rest=-1.0),
        Field("axis", Kind.MODEL, 3, "-", "body", digest=0, rule=DIRECTION),
        Field("inertia", Kind.MODEL, 1, "kg·m²", digest=1, rule=POSITIVE, rest=1.0, meaning="about the axis"),
        Field("max_torque", Kind.MODEL, 1, "N·m", digest=2, rule=POSITIVE, guard=_refuse_below_command),
        Field("max_speed", Kind.MODEL, 1, "rad/s", digest=3, rule=POSITIVE, meaning="relative to the body"),
        Field("viscous_friction", Kind.MODEL, 1, "N·m·s/rad", digest=4, rule=NOT_NEGATIVE),
        Field("torque", Kind.COMMAND, 1, "N·m", digest=5, rule=ANY, meaning="of the motor on the wheel"),
        Field("momentum", Kind.STATE, 1, "N·m·s", digest=6, meaning="inertia · (speed + axis·ω)"),
        Field("applied_torque", Kind.STATE, 1, "N·m", digest=7, meaning="in the last tick"),
        Field("has_kicked", Kind.SCRATCH, meaning="whether an island has taken its friction at the end of the tick"),
        Field("gained", Kind.SCRATCH, 1, "N·m·s", meaning="by that friction"),
    ),
    flown=True,
)  # fmt: skip


class ReactionWheel(Part):
    """A wheel whose motor exchanges angular momentum with the body, added by `World.add_part`.

    The state of the wheel is its angular momentum about its axis, ``inertia · (speed + axis·ω)``. Forces and impulses on the body do not
    change it; assigning the body's angular velocity or mass properties keeps the speed instead. The body's `mass_properties` are those of
    the ship with its wheels locked, as a CAD program gives them. The body's `inertia_body`, and everything that is computed from it, is the
    tensor of the equation of motion ``I − Σ J g gᵀ``, without the wheels' moments J about their axes g. The body's `stored_momentum_body`
    is the sum of the wheels' momenta along their axes.

    The torque of the motor is held over each tick. It is cut if the speed, as predicted at the start of the tick, would exceed its limit at
    the end. The change of the body's rates during the tick may therefore take the speed slightly beyond the limit. Friction acts in half a
    step at each end of a tick, which is of order two with every method. The sum of the momenta of body and wheels is conserved to rounding.

    Args:
        body: The body that carries it.
        axis: Axis of the wheel, body frame, of any non-zero length, shape (3,).
        inertia: Moment of inertia about the axis [kg·m²], above zero.
        max_torque: Maximum torque of the motor [N·m], above zero.
        max_speed: Maximum speed relative to the body [rad/s], above zero.
        speed: Initial speed relative to the body [rad/s], at most `max_speed` in either direction.
        viscous_friction: Torque of the bearings per unit of speed [N·m·s/rad], at least 0.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument is not finite or out of its range, or the body was removed. `World.add_part` also raises it if
            ``I − Σ J g gᵀ`` is not positive definite with this wheel.

    Example:
        >>> from engine import MassProperties, World, flight
        >>> world = World(dt=0.01)
        >>> ship = world.add_body(MassProperties.box(500.0, (2.0, 2.0, 3.0)))
        >>> wheel = world.add_part(flight.ReactionWheel(ship, axis=(1, 0, 0), inertia=0.1, max_torque=0.5, max_speed=600.0))
        >>> wheel.torque = 0.2
        >>> world.step(100)
        >>> round(wheel.momentum, 12), bool((abs(ship.angular_momentum_world) < 1e-15).all())
        (0.2, True)
    """

    __slots__ = ()

    _schema: ClassVar[Schema] = WHEELS

    def __init__(
        self,
        body: BodyHandle,
        *,
        axis: npt.ArrayLike,
        inertia: float,
        max_torque: float,
        max_speed: float,
        speed: float = 0.0,
        viscous_friction: float = 0.0,
    ) -> None:
        owner = f"ReactionWheel of {require_body(body, 'body', 'ReactionWheel')}"
        given = {
            "axis": axis,
            "inertia": inertia,
            "max_torque": max_torque,
            "max_speed": max_speed,
            "viscous_friction": viscous_friction,
        }
        values = {name: checked(WHEELS, name, value, owner) for name, value in given.items()}
        start = self._checked_speed(speed, float(values["max_speed"][0, 0]), owner)
        values["momentum"] = values["inertia"] * start  # relative to the body, while it is in no world
        super().__init__([(body,)], values)

    enabled = Parameter[bool](
        "Whether the motor works, initially True; with a failed motor, the wheel rotates freely, with its friction."
    )

    @fixed
    def body(self) -> BodyHandle:
        """The body that carries it."""
        return self._named_bodies()[0]

    @fixed
    def axis(self) -> FloatArray:
        """Axis of the wheel, body frame, a unit vector, shape (3,)."""
        return self._value("axis")

    inertia = fixed(lambda self: self._value("inertia"), doc="Moment of inertia about the axis [kg·m²].")
    max_torque = Parameter[float]("Maximum torque of the motor [N·m], above zero and at least the commanded torque.")
    max_speed = Parameter[float](
        "Maximum speed relative to the body [rad/s], above zero; beyond it, the motor acts only to brake the wheel."
    )
    viscous_friction = Parameter[float]("Torque of the bearings per unit of speed [N·m·s/rad], at least 0.")

    @property
    def torque(self) -> float:
        """Commanded torque of the motor on the wheel about its axis [N·m], at most `max_torque` in size, held until it is changed."""
        return float(self._value("torque"))

    @torque.setter
    def torque(self, value: float) -> None:
        row, array = self._slice().start, self._table.array
        if self._table.store is None:
            self._require_bodies("torque")
        limit = float(array[MAX_TORQUE, row])
        # programs set torques in every tick, nearly always as floats within the limit
        if type(value) is not float or not -limit <= value <= limit:
            value = ANY.number(value, "torque", self)
            if abs(value) > limit:
                refuse(self, "torque", value, f"at most max_torque, {limit:g} N·m, in either direction")
        self._table.write(TORQUE, row, value)

    @property
    def speed(self) -> float:
        """Speed relative to the body [rad/s]."""
        row, array = self._slice().start, self._table.array
        return float(array[MOMENTUM, row] / array[WHEEL_INERTIA, row]) - self._along(self._body_rates())

    @speed.setter
    def speed(self, value: float) -> None:
        start = self._checked_speed(value, self.max_speed, self)
        momentum, store = self.inertia * (start + self._along(self._body_rates())), self._table.store
        with self._all_or_nothing():
            self._table.write(MOMENTUM, self._slice().start, momentum)
            if store is not None:
                store.world()._actuators.sum_wheels([self.body.index])

    @fixed
    def momentum(self) -> float:
        """Angular momentum about the axis [N·m·s], ``inertia · (speed + axis·ω)``."""
        return float(self._table.array[MOMENTUM, self._slice().start])

    @fixed
    def applied_torque(self) -> float:
        """Torque of the motor in the last tick [N·m], smaller than commanded if the speed is at its limit."""
        return float(self._table.array[APPLIED, self._slice().start])

    def _recorded(self) -> tuple[Quantity, ...]:
        return (Quantity("speed", "rad/s"),)

    def __repr__(self) -> str:
        return f"ReactionWheel({self._named_bodies()[0]}, axis={self._value('axis').tolist()}, speed={self.speed:g})"

    def coast_obstacle(self) -> str | None:
        """Return the reason why this wheel keeps the world from coasting."""
        return f"{self!r} stores momentum"

    # inside

    @staticmethod
    def _checked_speed(value: float, limit: float, owner: object) -> float:
        speed = ANY.number(value, "speed", owner)
        if abs(speed) > limit:
            refuse(owner, "speed", value, f"at most max_speed, {limit:g} rad/s, in either direction")
        return speed

    def _turn_at(self, speed: float) -> None:
        """Give the wheel, which is in no world, a speed relative to its body that may be beyond `max_speed`."""
        self._table.array[MOMENTUM, self._slice().start] = self.inertia * speed

    def _body_rates(self) -> Sequence[float]:
        """Angular velocity of the body [rad/s]; zero while the wheel is in no world, where its speed counts alone."""
        store = self._table.store
        return (0.0, 0.0, 0.0) if store is None else store.world().state.angular_velocity_body[self.body.index].tolist()

    def _along(self, rates: Sequence[float]) -> float:
        x, y, z = self._table.array[WHEEL_AXIS : WHEEL_AXIS + 3, self._slice().start].tolist()
        return x * rates[0] + y * rates[1] + z * rates[2]

    def _attach(self, table: Table) -> None:
        speed = (
            self.speed
        )  # kept when it comes into a world or leaves it, and not the momentum, of which the body has a part
        super()._attach(table)
        momentum = self.inertia * (speed + self._along(self._body_rates()))
        table.write(MOMENTUM, self._slice().start, momentum)

    def _joined(self, world: Host) -> None:
        world._actuators.include_part(self, self._named_bodies()[0].index)

    def _left(self, world: Host) -> None:
        world._actuators.forget_part(self, self._named_bodies()[0].index)

    def _detach(self, bodies: Sequence[BodyHandle]) -> None:
        speed = self.speed
        super()._detach(bodies)
        self._table.write(MOMENTUM, 0, self.inertia * speed)


def momenta_at(wheels: FloatArray, speeds: FloatArray, rates: FloatArray) -> FloatArray:
    """Momenta [N·m·s] of wheels, columns of their table, at these speeds and the rates of their bodies, shapes (k,) and (k, 3)."""
    x, y, z = wheels[WHEEL_AXIS : WHEEL_AXIS + 3]
    return np.asarray(wheels[WHEEL_INERTIA] * (speeds + (x * rates[:, 0] + y * rates[:, 1] + z * rates[:, 2])))
