"""Springs with dampers, between two bodies or between a body and a point in the world frame."""

from __future__ import annotations  # help() then shows them as written

from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, refuse
from ..loops.point_forces import pulls
from ..store.rows import BodyHandle, Parameter, checked, fixed, reference_fields, require_body
from ..store.schema import ANY, NOT_NEGATIVE, POINT, Field, Kind, Schema
from .force import TableForce
from .wrench import BodyStates, Wrench

_BODY, _OTHER, _ENABLED = reference_fields("body", "other", or_nobody="other")

SPRINGS = Schema(
    "springs",
    (
        _BODY,
        _OTHER,
        Field("at_body", Kind.MODEL, 3, "m", "body", digest=0, rule=ANY, meaning="end on the first body, from its origin"),
        Field("at_other", Kind.MODEL, 3, "m", "body or world", "the other end", digest=1, rule=ANY, world_axes=POINT, unless_on="other"),
        Field("stiffness", Kind.MODEL, 1, "N/m", digest=2, rule=NOT_NEGATIVE),
        Field("damping", Kind.MODEL, 1, "N·s/m", digest=3, rule=NOT_NEGATIVE),
        Field("rest_length", Kind.MODEL, 1, "m", digest=4, rule=NOT_NEGATIVE),
        _ENABLED,
    ),
    deciding=(0, 1),
)  # fmt: skip
"""Springs, in the component order that `loops.point_forces` reads."""


class Spring(TableForce):
    """A spring and damper between two points, which are pulled together by a force ``F = k (L − L₀) + c dL/dt``.

    L is the distance between the points [m]; a negative F pushes them apart. While the two points coincide, the spring has no direction and
    its force is zero.

    Args:
        body: The first body.
        other: The second body, or None for a point fixed in the world.
        at_body: Attachment point on the first body [m], body frame, from the origin of the body, shape (3,).
        at_other: Attachment point on the second body [m], that body's frame, from its origin, or the fixed point [m], world frame; shape
            (3,).
        stiffness: Stiffness k [N/m], at least 0.
        damping: Damping c [N·s/m], at least 0.
        rest_length: Rest length L₀ [m], at least 0.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a value is outside the range given above, both bodies are the same, or a body was removed.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=0.01)
        >>> ball = world.add_body(MassProperties.sphere(1.0, 0.5), position=(3.0, 0.0, 0.0))
        >>> spring = world.add_force(Spring(ball, None, stiffness=4.0, rest_length=1.0))
        >>> force_world, torque_body = world.wrench(ball)
        >>> force_world.tolist()
        [-8.0, 0.0, 0.0]
    """

    __slots__ = ()

    evaluate: Literal["tick", "stage"] = "stage"
    _schema: ClassVar[Schema] = SPRINGS

    def __init__(
        self,
        body: BodyHandle,
        other: BodyHandle | None,
        *,
        at_body: npt.ArrayLike = (0, 0, 0),
        at_other: npt.ArrayLike = (0, 0, 0),
        stiffness: float,
        damping: float = 0.0,
        rest_length: float = 0.0,
    ) -> None:
        require_body(body, "body", "Spring")
        if other is not None:
            require_body(other, "other", "Spring", "a body of a world, or None for the fixed point at_other")
        if other is body:
            refuse("Spring", "other", other, "a body other than `body`, or None")
        values = {
            "at_body": at_body,
            "at_other": at_other,
            "stiffness": stiffness,
            "damping": damping,
            "rest_length": rest_length,
        }
        super().__init__(
            [(body, other)], {name: checked(SPRINGS, name, value, "Spring") for name, value in values.items()}
        )

    at_body = Parameter[FloatArray](
        "Attachment point on the first body [m], body frame, from the origin of the body, shape (3,)."
    )
    at_other = Parameter[FloatArray](
        "Attachment point on the second body [m], that body's frame, or the fixed point [m], world frame; shape (3,)."
    )
    stiffness = Parameter[float]("Stiffness k [N/m], at least 0.")
    damping = Parameter[float]("Damping c [N·s/m], at least 0.")
    rest_length = Parameter[float]("Rest length L₀ [m], at least 0.")

    @fixed
    def body(self) -> BodyHandle:
        """The first body."""
        return self._named_bodies()[0]

    @fixed
    def other(self) -> BodyHandle | None:
        """The second body; None for a point fixed in the world."""
        return self._bodies[0][1]

    @fixed
    def depends_on_rates(self) -> bool:
        """Whether the spring is damped."""
        return self.damping != 0.0

    def __repr__(self) -> str:
        return f"Spring({self.body}, {self.other}, stiffness={self.stiffness!r})"

    def apply(self, wrench: Wrench, bodies: BodyStates, time: float) -> None:
        columns = self._table.array[:, self._slice()].copy()
        columns[0, 0] = bodies.row(self.body)
        columns[1, 0] = -1 if self.other is None else bodies.row(self.other)
        no_forces, counts = np.zeros((8, 1)), np.array([1, 0])
        pulls(bodies._table.array, wrench._array, wrench._first_row, columns, no_forces, counts, 0, 0)

    def potential_energy(self, bodies: BodyStates) -> FloatArray:
        """Return the potential energy ``k (L − L₀)²/2`` [J], assigned to the first body, shape (n,).

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=0.01)
            >>> ball = world.add_body(MassProperties.sphere(1.0, 0.5), position=(3.0, 0.0, 0.0))
            >>> spring = world.add_force(Spring(ball, None, stiffness=4.0, rest_length=1.0))
            >>> world.potential_energy()  # the sum over all bodies and forces
            8.0
        """
        energy = np.zeros(bodies.count)
        if self.enabled:
            end = bodies.point_to_world(self.body.index, self.at_body)
            other_end = self.at_other if self.other is None else bodies.point_to_world(self.other.index, self.at_other)
            length = float(np.sqrt(np.square(end - other_end).sum()))
            energy[self.body.index] = 0.5 * self.stiffness * (length - self.rest_length) ** 2
        return energy
