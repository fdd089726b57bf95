"""Thrusters, which push at a point of a body along a direction that rotates with it, controlled by a throttle."""

from __future__ import annotations  # help() then shows them as written

from typing import Any, ClassVar, Literal

import numpy.typing as npt

from ..checks import FloatArray, array
from ..store.rows import BodyHandle, Parameter, checked, fixed, reference_fields, require_body
from ..store.schema import ANY, DIRECTION, NOT_NEGATIVE, SHARE, Field, Kind, Schema
from .force import TableForce
from .wrench import BodyStates, Wrench

THRUSTERS = Schema(
    "thrusters",
    (
        *reference_fields("body"),
        Field("throttle", Kind.COMMAND, 1, "-", digest=0, rule=SHARE, meaning="share of the full force"),
        Field("position", Kind.MODEL, 3, "m", "body", digest=1, rule=ANY, meaning="where it acts, from the origin"),
        Field("direction", Kind.MODEL, 3, "-", "body", digest=2, rule=DIRECTION, meaning="of the force on the body"),
        Field("max_force", Kind.MODEL, 1, "N", digest=3, rule=NOT_NEGATIVE, meaning="at full throttle"),
    ),
)  # fmt: skip

_THROTTLE = THRUSTERS.row("throttle")


class Thruster(TableForce):
    """One thruster, whose force is ``max_force · throttle`` along `direction`.

    The force is held constant over each tick and rotates with the body. The throttle is 0 at first.

    Args:
        body: The body it pushes.
        position: Point of application [m], body axes from the body's origin, shape (3,).
        direction: Direction of the force on the body (opposite to the plume), body axes, of any non-zero length, shape (3,).
        max_force: Force at full throttle [N], at least 0.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=0.5)
        >>> ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)))
        >>> engine = world.add_force(Thruster(ship, position=(0, 0, -2), direction=(0, 0, 1), max_force=600.0))
        >>> engine.throttle = 0.5
        >>> world.step(8)
        >>> ship.velocity.tolist()
        [0.0, 0.0, 1.0]
    """

    __slots__ = ()

    evaluate: Literal["tick", "stage"] = "tick"
    _schema: ClassVar[Schema] = THRUSTERS

    def __init__(
        self, body: BodyHandle, *, position: npt.ArrayLike, direction: npt.ArrayLike, max_force: float
    ) -> None:
        owner = f"Thruster of {require_body(body, 'body', 'Thruster')}"
        values = {"position": position, "direction": direction, "max_force": max_force}
        super().__init__([(body,)], {name: checked(THRUSTERS, name, value, owner) for name, value in values.items()})

    position = Parameter[FloatArray]("Point of application [m], body axes from the body's origin, shape (3,).")
    direction = Parameter[FloatArray]("Direction of the force on the body, body axes, a unit vector, shape (3,).")
    max_force = Parameter[float]("Force at full throttle [N], at least 0.")

    @fixed
    def body(self) -> BodyHandle:
        """The body it pushes."""
        return self.named_bodies()[0]

    @property
    def throttle(self) -> float:
        """Fraction of the full force, from 0 to 1, initially 0.

        A new value acts from the next tick on. A value set inside `World.on_tick` acts from the tick that is starting.
        """
        return float(self._value("throttle"))

    @throttle.setter
    def throttle(self, value: float) -> None:
        if type(value) is not float or not 0.0 <= value <= 1.0:
            value = SHARE.number(value, "throttle", self)
        self._table.write(_THROTTLE, self._slice().start, value)

    def __repr__(self) -> str:
        return f"Thruster({self.body}, max_force={self.max_force!r}, throttle={self.throttle!r})"

    def apply(self, wrench: Wrench, bodies: BodyStates, time: float) -> None:
        _add_thrust(self, wrench)


class ThrusterBank(TableForce):
    """Several thrusters on one body, with one array of throttles.

    Args:
        body: The body they push.
        positions: Points of application [m], body axes from the body's origin, shape (k, 3).
        directions: Directions of the forces on the body, body axes, each of any non-zero length, shape (k, 3).
        max_forces: Forces at full throttle [N], each at least 0, shape (k,) or one number for all.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=0.5)
        >>> ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)))
        >>> bank = ThrusterBank(ship, positions=[(1, 0, 0), (-1, 0, 0)], directions=[(0, 0, 1), (0, 0, 1)], max_forces=300.0)
        >>> jets = world.add_force(bank)
        >>> jets.throttle = (1.0, 1.0)
        >>> world.step(4)
        >>> ship.velocity.tolist()
        [0.0, 0.0, 1.0]
    """

    __slots__ = ()

    evaluate: Literal["tick", "stage"] = "tick"
    _schema: ClassVar[Schema] = THRUSTERS

    def __init__(
        self, body: BodyHandle, *, positions: npt.ArrayLike, directions: npt.ArrayLike, max_forces: npt.ArrayLike
    ) -> None:
        owner = f"ThrusterBank of {require_body(body, 'body', 'ThrusterBank')}"
        count = len(array(positions, "positions", owner, (None, 3)))
        given = {"positions": positions, "directions": directions, "max_forces": max_forces}
        values = {name.removesuffix("s"): _checked_rows(value, name, owner, count) for name, value in given.items()}
        super().__init__([(body,)] * count, values, ("throttle", "position", "direction", "max_force"))

    @fixed
    def body(self) -> BodyHandle:
        """The body they push."""
        return self.named_bodies()[0]

    @property
    def throttle(self) -> FloatArray:
        """Fractions of the full forces, from 0 to 1, shape (k,), as a read-only copy; assign a whole array or one number for all."""
        return self._value("throttle")

    @throttle.setter
    def throttle(self, value: npt.ArrayLike) -> None:
        self._assign("throttle", value)

    @property
    def positions(self) -> FloatArray:
        """Points of application [m], body axes from the body's origin, shape (k, 3)."""
        return self._value("position")

    @positions.setter
    def positions(self, value: npt.ArrayLike) -> None:
        self._set_rows("positions", value)

    @property
    def directions(self) -> FloatArray:
        """Directions of the forces on the body, body axes, unit vectors, shape (k, 3)."""
        return self._value("direction")

    @directions.setter
    def directions(self, value: npt.ArrayLike) -> None:
        self._set_rows("directions", value)

    @property
    def max_forces(self) -> FloatArray:
        """Forces at full throttle [N], each at least 0, shape (k,); one number for all may be assigned."""
        return self._value("max_force")

    @max_forces.setter
    def max_forces(self, value: npt.ArrayLike) -> None:
        self._set_rows("max_forces", value)

    def _set_rows(self, argument: str, value: npt.ArrayLike) -> None:
        values = _checked_rows(value, argument, self, len(self.rows))
        self._table.write(THRUSTERS.components[argument.removesuffix("s")], self._slice(), values)

    def __repr__(self) -> str:
        return f"ThrusterBank({self.body}, {len(self._bodies)} thrusters)"

    def apply(self, wrench: Wrench, bodies: BodyStates, time: float) -> None:
        _add_thrust(self, wrench)


def _checked_rows(value: Any, argument: str, owner: object, count: int) -> FloatArray:
    """Checked values of a bank, one per thruster; the argument is the plural of the field's name."""
    name = argument.removesuffix("s")
    if THRUSTERS.by_name[name].size > 1:
        array(value, argument, owner, (count, THRUSTERS.by_name[name].size))  # one value for all makes no sense here
    return checked(THRUSTERS, name, value, owner, count, argument)


def _add_thrust(force: TableForce, wrench: Wrench) -> None:
    columns = force._table.array[:, force._slice()]
    (body,) = force.named_bodies()
    for column in columns.T:
        thrust = column[9] * column[6:9]
        if column[1] > 0.0:
            wrench.add(body, force_body=column[_THROTTLE] * thrust, at_body=column[3:6])
