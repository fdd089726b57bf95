"""Forces and torques that are constant in the world frame or in the body frame."""

from __future__ import annotations  # help() then shows them as written

from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, reader, refuse
from ..loops.point_forces import pulls
from ..store.rows import BodyHandle, checked, fixed, reference_fields, require_body
from ..store.schema import ANY, Field, Kind, Schema
from .force import TableForce
from .spring import SPRINGS
from .wrench import BodyStates, Wrench

CONSTANT_WRENCHES = Schema(
    "constant wrenches",
    (
        *reference_fields("body"),
        Field("force_world", Kind.MODEL, 3, "N", "world", digest=0, rule=ANY),
        Field("torque_world", Kind.MODEL, 3, "N·m", "world", digest=1, rule=ANY),
        Field("force_body", Kind.MODEL, 3, "N", "body", digest=2, rule=ANY),
        Field("torque_body", Kind.MODEL, 3, "N·m", "body", digest=3, rule=ANY),
        Field("at_body", Kind.MODEL, 3, "m", "body", digest=4, rule=ANY, meaning="where the body force acts, from the origin"),
        Field("has_point", Kind.MODEL, digest=5, meaning="whether there is such a point; if not, it is the mass centre"),
    ),
)  # fmt: skip
"""Forces and torques on one body that are held over a tick."""

POINT_FORCES = Schema(
    "point forces",
    (
        Field("body", Kind.MODEL, digest=100, refers_to="bodies", meaning="row of the body"),
        Field("at_body", Kind.MODEL, 3, "m", "body", digest=0, rule=ANY, meaning="where it acts, from the origin"),
        Field("force_world", Kind.MODEL, 3, "N", "world", digest=1, rule=ANY),
        reference_fields("body")[-1],
    ),
    deciding=(0,),
)
"""World forces at points of bodies, whose lever arms rotate with the bodies, in the component order that `loops.point_forces` reads."""


class ConstantForce(TableForce):
    """A force on one body that is constant in the world frame or in the body frame.

    The torque of a world force at a point of the body changes as the body rotates, so such a force is evaluated at each stage ("stage").
    Every other constant force is held over the tick ("tick").

    Args:
        body: The body it acts on.
        force_world: Force [N], world frame, shape (3,). Give this or `force_body`.
        force_body: Force [N], body frame, shape (3,).
        at_body: Point of application [m], body frame, from the origin of the body, shape (3,). None means the mass centre.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If not exactly one of `force_world` and `force_body` is given, a value is not finite, or the body was removed.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=0.5)
        >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5), name="ship")
        >>> world.add_force(ConstantForce(ship, force_world=(8.0, 0.0, 0.0)))
        ConstantForce(body 'ship', world [8.0, 0.0, 0.0])
        >>> world.step(4)
        >>> ship.velocity.tolist()
        [8.0, 0.0, 0.0]
    """

    __slots__ = ("_evaluate", "_given", "_schema")

    depends_on_rates = False

    evaluate = reader("_evaluate", 'When it is evaluated, "tick" or "stage".')

    def __init__(
        self,
        body: BodyHandle,
        *,
        force_world: npt.ArrayLike | None = None,
        force_body: npt.ArrayLike | None = None,
        at_body: npt.ArrayLike | None = None,
    ) -> None:
        owner = f"ConstantForce on {require_body(body, 'body', 'ConstantForce')}"
        if (force_world is None) == (force_body is None):
            refuse(owner, "exactly one of force_world and force_body", (force_world, force_body), "given")
        given = {"force_world": force_world, "force_body": force_body, "at_body": at_body}
        values = {name: value for name, value in given.items() if value is not None}
        self._given = frozenset(values)
        turns = {"force_world", "at_body"} <= self._given
        self._schema: Schema = POINT_FORCES if turns else CONSTANT_WRENCHES  # type: ignore[misc]
        self._evaluate: Literal["tick", "stage"] = "stage" if turns else "tick"
        super().__init__([(body,)], {name: checked(self._schema, name, value, owner) for name, value in values.items()})
        if "has_point" in self._schema.by_name:
            self._table.array[self._schema.row("has_point")] = float(at_body is not None)

    @fixed
    def body(self) -> BodyHandle:
        """The body it acts on."""
        return self._named_bodies()[0]

    @property
    def force_world(self) -> FloatArray | None:
        """Force [N], world frame, shape (3,); None if it was given in the body frame."""
        return self._value("force_world") if "force_world" in self._given else None

    @force_world.setter
    def force_world(self, value: npt.ArrayLike) -> None:
        self._set_given("force_world", value)

    @property
    def force_body(self) -> FloatArray | None:
        """Force [N], body frame, shape (3,); None if it was given in the world frame."""
        return self._value("force_body") if "force_body" in self._given else None

    @force_body.setter
    def force_body(self, value: npt.ArrayLike) -> None:
        self._set_given("force_body", value)

    @property
    def at_body(self) -> FloatArray | None:
        """Point of application [m], body frame, from the origin of the body, shape (3,); None means the mass centre."""
        return self._value("at_body") if "at_body" in self._given else None

    @at_body.setter
    def at_body(self, value: npt.ArrayLike) -> None:
        self._set_given("at_body", value)

    def _set_given(self, name: str, value: npt.ArrayLike) -> None:
        if name not in self._given:
            given = " and ".join(sorted(self._given))
            raise AttributeError(
                f"{self!r}: {name} cannot be set, because the force was created with {given}; remove it and add another"
            )
        self._assign(name, value)

    def __repr__(self) -> str:
        force = self.force_body if self.force_world is None else self.force_world
        assert force is not None
        return f"ConstantForce({self.body}, {'world' if self.force_body is None else 'body'} {force.tolist()})"

    def apply(self, wrench: Wrench, bodies: BodyStates, time: float) -> None:
        if not self.enabled:
            return
        if self._evaluate == "stage":
            columns = self._table.array[:, self._slice()].copy()
            columns[0] = bodies.row(self.body)
            no_springs, counts = np.zeros((SPRINGS.size, 1)), np.array([0, 1])
            pulls(bodies._table.array, wrench._array, wrench._first_row, no_springs, columns, counts, 0, 0)
        else:
            _add_held(self, wrench)

    def potential_energy(self, bodies: BodyStates) -> FloatArray:
        """Return the potential energy ``−F·x`` [J] of a world force at x, zero at the world's origin and for a body force, shape (n,).

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.5)
            >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5), position=(3.0, 0.0, 0.0))
            >>> push = world.add_force(ConstantForce(ship, force_world=(8.0, 0.0, 0.0)))
            >>> world.potential_energy()  # the sum over all bodies and forces
            -24.0
        """
        energy = np.zeros(bodies.count)
        if self.force_world is not None and self.enabled:
            index = self.body.index
            at = bodies.position[index] if self.at_body is None else bodies.point_to_world(index, self.at_body)
            energy[index] = -float(self.force_world @ at)
        return energy


class ConstantTorque(TableForce):
    """A torque on one body that is constant in the world frame or in the body frame.

    Args:
        body: The body it acts on.
        torque_world: Torque [N·m], world frame, shape (3,). Give this or `torque_body`.
        torque_body: Torque [N·m], body frame, shape (3,).

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If not exactly one of `torque_world` and `torque_body` is given, a value is not finite, or the body was removed.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=0.5)
        >>> ship = world.add_body(MassProperties.sphere(10.0, 0.5), name="ship")
        >>> world.add_force(ConstantTorque(ship, torque_body=(0.0, 0.0, 3.0)))
        ConstantTorque(body 'ship', body [0.0, 0.0, 3.0])
        >>> world.step(4)
        >>> ship.angular_velocity_body.round(12).tolist()
        [0.0, 0.0, 6.0]
    """

    __slots__ = ("_frame",)

    evaluate: Literal["tick", "stage"] = "tick"
    _schema: ClassVar[Schema] = CONSTANT_WRENCHES

    def __init__(
        self, body: BodyHandle, *, torque_world: npt.ArrayLike | None = None, torque_body: npt.ArrayLike | None = None
    ) -> None:
        owner = f"ConstantTorque on {require_body(body, 'body', 'ConstantTorque')}"
        if (torque_world is None) == (torque_body is None):
            refuse(owner, "exactly one of torque_world and torque_body", (torque_world, torque_body), "given")
        self._frame = "torque_body" if torque_world is None else "torque_world"
        torque = torque_body if torque_world is None else torque_world
        super().__init__([(body,)], {self._frame: checked(CONSTANT_WRENCHES, self._frame, torque, owner)})

    @fixed
    def body(self) -> BodyHandle:
        """The body it acts on."""
        return self._named_bodies()[0]

    @property
    def torque_world(self) -> FloatArray | None:
        """Torque [N·m], world frame, shape (3,); None if it was given in the body frame."""
        return self._value("torque_world") if self._frame == "torque_world" else None

    @torque_world.setter
    def torque_world(self, value: npt.ArrayLike) -> None:
        self._set_in("torque_world", value)

    @property
    def torque_body(self) -> FloatArray | None:
        """Torque [N·m], body frame, shape (3,); None if it was given in the world frame."""
        return self._value("torque_body") if self._frame == "torque_body" else None

    @torque_body.setter
    def torque_body(self, value: npt.ArrayLike) -> None:
        self._set_in("torque_body", value)

    def _set_in(self, frame: str, value: npt.ArrayLike) -> None:
        if frame != self._frame:
            raise AttributeError(
                f"{self!r}: {frame} cannot be set, because the torque was created with {self._frame}; "
                "remove it and add another"
            )
        self._assign(frame, value)

    def __repr__(self) -> str:
        return f"ConstantTorque({self.body}, {self._frame.removeprefix('torque_')} {self._value(self._frame).tolist()})"

    def apply(self, wrench: Wrench, bodies: BodyStates, time: float) -> None:
        if self.enabled:
            _add_held(self, wrench)


def _add_held(force: ConstantForce | ConstantTorque, wrench: Wrench) -> None:
    """Add the whole row, because `World.fields` may have set components that the force was not created with."""
    row = {field.name: force._value(field.name) for field in CONSTANT_WRENCHES.fields[2:]}
    at_body = row["at_body"] if row["has_point"] else None
    wrench.add(force.body, force_body=row["force_body"], at_body=at_body)
    torques = {name: row[name] for name in ("torque_world", "torque_body")}
    wrench.add(force.body, force_world=row["force_world"], **torques)
