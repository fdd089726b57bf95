"""Thrusters: a force at a point of a body, along a direction that turns with it, set by a throttle."""

from __future__ import annotations  # help() then shows them as written

from typing import Any, ClassVar, Literal

import numpy.typing as npt

from ..checks import FloatArray, array
from ..store.schema import ANY, DIRECTION, NOT_NEGATIVE, SHARE, Field, Kind, Schema
from .force import Parameter, TableForce, checked, fixed, reference_fields, require_body
from .wrench import BodyHandle, BodyStates, Wrench

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
    """One thruster. Its force is max_force · throttle along `direction`, held over each tick and turning with the body.

    Args:
        body: The body that it drives.
        position: Where it acts [m], body axes from the body's origin, shape (3,).
        direction: Direction of the force on the body (the plume goes the other way), body axes, any length but zero, shape (3,).
        max_force: Force at full throttle [N], at least 0.
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

    position = Parameter[FloatArray]("Where it acts [m], body axes from the body's origin, shape (3,).")
    direction = Parameter[FloatArray]("Direction of the force on the body, body axes, a unit vector, shape (3,).")
    max_force = Parameter[float]("Force at full throttle [N], at least 0.")

    @fixed
    def body(self) -> BodyHandle:
        """The body that it drives."""
        return self.named_bodies()[0]

    @property
    def throttle(self) -> float:
        """Share of the full force, 0 to 1; 0 at first.

        Acts from the next tick to be taken on; set inside `World.on_tick`, in the tick that is starting.
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
    """Many thrusters on one body, with one array of throttles.

    Args:
        body: The body that they drive.
        positions: Where they act [m], body axes from the body's origin, shape (k, 3).
        directions: Directions of the forces on the body, body axes, each of any length but zero, shape (k, 3).
        max_forces: Forces at full throttle [N], each at least 0, shape (k,) or one number for all.
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
        """The body that they drive."""
        return self.named_bodies()[0]

    @property
    def throttle(self) -> FloatArray:
        """Shares of the full forces, 0 to 1, shape (k,); a read-only copy. Assign a whole array, or one number for all."""
        return self._value("throttle")

    @throttle.setter
    def throttle(self, value: npt.ArrayLike) -> None:
        self._assign("throttle", value)

    @property
    def positions(self) -> FloatArray:
        """Where they act [m], body axes from the body's origin, shape (k, 3)."""
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
    """Checked values of a bank, one for each thruster; the argument is called as the field is, in the plural."""
    name = argument.removesuffix("s")
    if THRUSTERS.by_name[name].size > 1:
        array(value, argument, owner, (count, THRUSTERS.by_name[name].size))  # one for all makes no sense here
    return checked(THRUSTERS, name, value, owner, count, argument)


def _add_thrust(force: TableForce, wrench: Wrench) -> None:
    columns = force._table.array[:, force._slice()]
    (body,) = force.named_bodies()
    for column in columns.T:
        thrust = column[9] * column[6:9]
        if column[1] > 0.0:
            wrench.add(body, force_body=column[_THROTTLE] * thrust, at_body=column[3:6])
