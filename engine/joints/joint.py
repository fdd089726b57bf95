"""The base of the joints, with their table, their handle, and the points and axes on both bodies."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Mapping, Sequence
from math import inf, isfinite, sqrt
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar, overload

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, by_value, depth, real, refuse, vector
from ..constraints import layout
from ..constraints.fit import FARTHEST_POINT
from ..kernels.quaternions import Quaternion, conjugate, multiply, norm_squared, rotate, rotate_inverse
from ..kernels.rotations import from_columns, gram_schmidt
from ..kernels.vectors import Vector, add, cross, dot, subtract
from ..reading import reading
from ..store.rows import BodiesOfRows, BodyHandle, Parameter, Quantity, TableRows, fixed, reference_fields, require_body
from ..store.schema import ANY, NOT_NEGATIVE, POINT, SWITCH, UNIT, Field, Kind, Schema, up_to
from .mobility import Direction

_REST = (0.0, 0.0, 0.0, 1.0)
_FORCES = slice(layout.POSITION_FORCES, layout.TORQUE + 3)

JOINTS = Schema(
    "joints",
    (
        *reference_fields("body", "other", or_nobody="other"),
        Field("type", Kind.MODEL, digest=111, meaning="number of the type"),
        Field("at_body", Kind.MODEL, 3, "m", "body", digest=0, rule=ANY, meaning="from the body's origin"),
        Field("at_other", Kind.MODEL, 3, "m", "other or world", digest=1, rule=ANY, world_axes=POINT, unless_on="other"),
        Field("frame_body", Kind.MODEL, 4, "-", "joint to body", digest=2, rest=_REST, meaning="a quaternion", stored=UNIT),
        Field("frame_other", Kind.MODEL, 4, "-", "joint to other or world", digest=3, rest=_REST, meaning="a quaternion", stored=UNIT),
        Field("length", Kind.MODEL, 1, "m", digest=4, rule=NOT_NEGATIVE),
        Field("lower", Kind.MODEL, 3, "rad or m", digest=5, rest=-inf, meaning="of each freedom"),
        Field("upper", Kind.MODEL, 3, "rad or m", digest=6, rest=inf, meaning="of each freedom"),
        Field("friction", Kind.MODEL, 3, "N·m or N", digest=7, meaning="of each freedom"),
        Field("motor", Kind.COMMAND, 15, digest=8, meaning="for each freedom kind, target, stiffness, damping, largest torque or force"),
        Field("spring", Kind.MODEL, 12, digest=9, meaning="for each freedom kind, stiffness, damping, rest"),
        Field("break_force", Kind.MODEL, 1, "N", digest=10, rest=inf),
        Field("break_torque", Kind.MODEL, 1, "N·m", digest=11, rest=inf),
        Field("coordinate", Kind.STATE, 3, "rad or m", digest=12, meaning="angle or distance of each freedom"),
        Field("position_forces", Kind.STATE, layout.MOST_ROWS, "N or N·m", digest=13, meaning="of the rows, in the last step"),
        Field("velocity_forces", Kind.STATE, layout.MOST_ROWS, "N or N·m", digest=14, meaning="of the rows, in the last step"),
        Field("force_world", Kind.STATE, 3, "N", "world", digest=15, meaning="on the body, mean over the last tick"),
        Field("torque_world", Kind.STATE, 3, "N·m", "world", digest=16, meaning="on the body, mean over the last tick"),
        Field("steps", Kind.STATE, digest=24, is_new=True, stored=up_to(32), meaning="of the last tick, if its island divided it"),
        Field("was_at_limit", Kind.PREVIOUS, 3, meaning="whether each freedom had reached a limit when the last tick started"),
        Field("captured_energy", Kind.STATE, 1, "J", digest=22, is_new=True, meaning="what closing springs have taken from the bodies"),
        Field("latch", Kind.STATE, 3, digest=18, meaning="phase, number of the tick in which it caught, closing energy [J]"),
        Field("caught", Kind.STATE, 7, digest=19, meaning="point and frame on the other body at which a latch caught"),
        Field("slack", Kind.MODEL, 2, "m and rad", digest=20, meaning="misfit of the loop that the joint closes, when it was added"),
        Field("motor_drive", Kind.COMMAND, 6, digest=21, is_new=True, meaning="for each freedom rate of the target, added torque or force"),
        Field("collides", Kind.MODEL, 1, digest=23, is_new=True, rule=SWITCH, meaning="whether the two bodies collide"),
    ),
    flown=True,
    deciding=layout.DECIDING,
)  # fmt: skip
"""Joints, in the component order of `constraints.layout`."""


End = tuple[BodyHandle, Vector]
"""A body, and a point of it from its mass centre, world frame."""


class Fit(Protocol):
    """How well the joints of a world hold at the current poses; see `tick.joint_fit`."""

    def require(self, joint: Joint, owner: str, argument: str, value: object) -> None: ...
    def note_slack(self, joint: Joint) -> None: ...
    def are_welded_without(self, joint: Joint) -> bool: ...


class JointsOfWorld(Protocol):
    """All joints of a world."""

    @property
    def fit(self) -> Fit: ...


class Host(Protocol):
    """The world of a joint."""

    @property
    def dt(self) -> float: ...
    @property
    def tick_count(self) -> int: ...
    @property
    def _joints(self) -> JointsOfWorld: ...
    def _compliances(self, ends: Sequence[End], directions: Sequence[Direction]) -> list[float]: ...


_SETTINGS = ("limits", "friction", "motor", "spring")
Value = TypeVar("Value")
Given = TypeVar("Given")


class JointConflictError(ArithmeticError):
    """The joints cannot all hold at the same time; a tick in which this happens is undone.

    Example:
        >>> from engine import MassProperties, World
        >>> from engine.joints import Weld
        >>> world = World(dt=0.01)
        >>> hull, pod = world.add_bodies(MassProperties.sphere(1.0, 0.5), [(0, 0, 0), (1, 0, 0)])
        >>> weld = world.add_joint(Weld(hull, pod, at_body=(0.5, 0.0, 0.0)))
        >>> other = Weld(hull, pod, at_body=(0.5, 0.0, 0.0), at_other=(-0.4, 0.0, 0.0), pull_together=(1.0, 1.0))
        >>> try:
        ...     world.add_joint(other)
        ... except JointConflictError as error:
        ...     print(str(error)[:67])
        World.add_joint: Weld(body 'body 0', body 'body 1') is off by 0.1 m
    """


class Setting(Generic[Value, Given]):
    """An attribute of a joint for what acts on one of its degrees of freedom; it may be assigned at any time."""

    def __init__(self, freedom: int, doc: str) -> None:
        self._freedom = freedom
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, joint: None, kind: type) -> Self: ...
    @overload
    def __get__(self, joint: Joint, kind: type) -> Value: ...
    def __get__(self, joint: Joint | None, kind: type) -> Self | Value:
        return self if joint is None else self._read(joint)

    def __set__(self, joint: Joint, value: Given) -> None:
        self._write(joint, value)

    def _read(self, joint: Any) -> Value:
        raise NotImplementedError

    def _write(self, joint: Any, value: Given) -> None:
        raise NotImplementedError


class Joint(TableRows):
    """A joint between two bodies, or between a body and the world, added by `World.add_joint`."""

    __slots__ = ()

    _schema: ClassVar[Schema] = JOINTS
    _kind_of_member: ClassVar[str] = "joint"
    _records_rows: ClassVar[bool] = False
    _type: ClassVar[int]
    """The type in the table of a new joint."""
    _types: ClassVar[tuple[int, ...]]
    """All types that it may have."""
    _phases: ClassVar[tuple[int, ...]] = (0,)
    """All phases of closing that it may have."""
    _measured: ClassVar[tuple[tuple[str, str], ...]] = ()
    """The attributes that a record has in addition to force and torque, with their units."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "_type" in vars(cls) and "_types" not in vars(cls):
            cls._types = (cls._type,)

    def __init__(
        self,
        body: BodyHandle,
        other: BodyHandle | None,
        values: Mapping[str, npt.ArrayLike],
        break_force: float | None,
        break_torque: float | None,
    ) -> None:
        """Make the row of a new joint, whose bodies and `values` by field are checked."""
        owner = type(self).__name__
        given: dict[str, npt.ArrayLike] = {
            **values,
            "type": self._type,
            "break_force": threshold(break_force, "break_force", owner),
            "break_torque": threshold(break_torque, "break_torque", owner),
        }
        columns = {name: np.reshape(np.asarray(value, np.float64), (-1, 1)) for name, value in given.items()}
        super().__init__([(body, other)], columns)

    def _misfit(self, columns: FloatArray, bodies: BodiesOfRows, attributes: Mapping[str, object]) -> str:
        """Kernels would read beyond arrays for a type or phase that the class does not have, or for a body with itself."""
        phases, types = (columns[row].tolist() for row in (layout.LATCH_PHASE, layout.TYPE))
        for type, phase, (body, other) in zip(types, phases, bodies, strict=True):
            if type not in self._types:
                return f"a class of joints of the type {type:g} in its table"
            if phase not in self._phases:
                return f"a class of joints that may be in the phase {phase:g} of its table"
            if body is other:
                return "that of a joint between two bodies, or a body and the world"
        return ""

    def __setattr__(self, name: str, value: object) -> None:
        kind = type(self)
        # `limits` of a joint that has `limits_1` would raise an error of `__slots__`, which names no remedy
        if name.rstrip("_123") in _SETTINGS and not hasattr(kind, name):
            settings = [each for each in dir(kind) if isinstance(getattr(kind, each), Setting)]
            names = ", ".join(settings)
            rule = f"one of {names}" if names else "left out, because the joint has no degree of freedom"
            refuse(self, name, value, rule)
        super().__setattr__(name, value)

    enabled = Parameter[bool](
        "Whether the joint acts, initially True. A disabled joint keeps its points, axes and settings."
    )

    collides = Parameter[bool](
        "Whether the two bodies touch each other by their shapes, initially False. For a joint to the world, whether its body touches "
        "the shapes of the world."
    )

    @fixed
    def at_body(self) -> FloatArray:
        """Point on the first body [m], body frame from its origin, shape (3,)."""
        values: FloatArray = self._value("at_body")
        return values

    @fixed
    def at_other(self) -> FloatArray:
        """Point on the other body [m], in its body frame from its origin, or point in the world frame [m], shape (3,)."""
        values: FloatArray = self._value("at_other")
        return values

    @property
    def break_force(self) -> float:
        """Mean force over a tick [N] above which the joint breaks and is removed; infinite for no limit, which None sets."""
        return float(self._value("break_force"))

    @break_force.setter
    def break_force(self, value: float | None) -> None:
        self._table.write(layout.BREAK_FORCE, self._slice().start, threshold(value, "break_force", self))

    @property
    def break_torque(self) -> float:
        """Mean torque over a tick about the joint's point [N·m] above which the joint breaks; infinite for no limit, which None sets."""
        return float(self._value("break_torque"))

    @break_torque.setter
    def break_torque(self, value: float | None) -> None:
        self._table.write(layout.BREAK_TORQUE, self._slice().start, threshold(value, "break_torque", self))

    @fixed
    def body(self) -> BodyHandle:
        """The first body."""
        return self._named_bodies()[0]

    @fixed
    def other(self) -> BodyHandle | None:
        """The other body; None if the joint ties the body to the world."""
        return self._bodies[0][1]

    @fixed
    def force_world(self) -> FloatArray:
        """Mean force of the joint on the first body over the last tick [N], world frame, shape (3,)."""
        values: FloatArray = self._value("force_world")
        return values

    @fixed
    def torque_world(self) -> FloatArray:
        """Mean torque of the joint on the first body over the last tick, about the joint's point [N·m], world frame, shape (3,)."""
        values: FloatArray = self._value("torque_world")
        return values

    def _shown(self) -> tuple[tuple[str, str], ...]:
        """The attributes that records have beside force and torque, with their units."""
        return self._measured

    def _require_shown(self, name: str) -> None:
        """Reject the reading of a coordinate or rate that the joint does not have."""

    def _recorded(self) -> tuple[Quantity, ...]:
        return (
            Quantity("force_world", "N", "world", (3,)),
            Quantity("torque_world", "N·m", "world", (3,)),
            *(Quantity(name, unit) for name, unit in self._shown()),
        )

    def _numbers(self, first: int, count: int) -> list[float]:
        """Adjacent components of the joint."""
        numbers: list[float] = self._table.array[first : first + count, self._slice().start].tolist()
        return numbers

    def _write_numbers(self, first: int, numbers: Sequence[float]) -> None:
        self._table.write(slice(first, first + len(numbers)), self._slice().start, tuple(numbers))

    def _lever(self, which: str = "body") -> Vector:
        """From the mass centre of the first body, or of the other one, to its point, world frame."""
        _position, q, center = pose_of(self.body if which == "body" else self.other)
        x, y, z = self._value(f"at_{which}").tolist()
        return rotate(q, 2.0, subtract((x, y, z), center))

    def _gap(self) -> Vector:
        """From the point on the other body to that on the first, world frame."""
        position, other_position = pose_of(self.body)[0], pose_of(self.other)[0]
        return subtract(add(subtract(position, other_position), self._lever()), self._lever("other"))

    def _frame(self, name: str, body: BodyHandle | None) -> tuple[Vector, Vector, Vector]:
        """The axes of the joint on one of the bodies, world frame."""
        x, y, z, w = self._value(name).tolist()
        _position, q, _center = pose_of(body)
        one, two, three = (rotate((x, y, z, w), 2.0, axis) for axis in AXES)
        return rotate(q, 2.0, one), rotate(q, 2.0, two), rotate(q, 2.0, three)

    def _axis(self, frame: str, axis: Vector) -> FloatArray:
        """A unit vector that is fixed in the joint's frame on one of the bodies, in the axes of that body."""
        x, y, z, w = self._value(frame).tolist()
        return reading(np.array(rotate((x, y, z, w), 2.0, axis)))

    def _turn(self) -> Quaternion:
        """The rotation of the joint's frame on the body as that on the other body sees it, with a scalar part of at least zero."""
        x, y, z, w = self._value("frame_body").tolist()
        a, b, c, d = self._value("frame_other").tolist()
        own = multiply(pose_of(self.body)[1], (x, y, z, w))
        turn = unit_length(multiply(conjugate(multiply(pose_of(self.other)[1], (a, b, c, d))), own))
        return turn if turn[3] >= 0.0 else (-turn[0], -turn[1], -turn[2], -turn[3])

    def _assign(self, name: str, value: object, argument: str = "") -> None:
        store = self._table.store
        if name != "enabled" or store is None:
            super()._assign(name, value, argument)
            return
        was_enabled = self.enabled
        with store.all_or_nothing():
            super()._assign(name, value, argument)
            if self.enabled == was_enabled:
                return
            # rounds start from these, and what it carried before says nothing of the pose in which it acts again
            self._table.write(_FORCES, self._slice().start, 0.0)
            if self.enabled:
                store.world()._joints.fit.require(self, repr(self), "enabled", True)
                self._resume(store.world())

    def _joined(self, world: Any) -> None:
        # what it carried when it was removed, perhaps too much, is not what it carries now
        self._table.write(_FORCES, self._slice().start, 0.0)
        if self.enabled:
            world._joints.fit.require(self, "World.add_joint", "joint", self)
            self._resume(world)

    def _resume(self, world: Host) -> None:
        """Do what is due when the joint acts again, after it was disabled or out of the world."""

    def _come_apart(self) -> None:
        """Do what is due when the joint breaks, before it is removed."""

    @property
    def _state(self) -> FloatArray:
        """All its numbers but its bodies and whether it is enabled, of which adding it to a world resets some."""
        numbers: FloatArray = self._table.array[layout.TYPE :, self._slice().start].copy()
        return numbers

    @_state.setter
    def _state(self, numbers: FloatArray) -> None:
        self._table.write(slice(layout.TYPE, None), self._slice().start, numbers)

    @property
    def _is_rigid(self) -> bool:
        """Whether the joint makes the two bodies one rigid body."""
        return bool(self._table.array[layout.TYPE, self._slice().start] == layout.WELD)

    def potential_energy(self) -> float:
        """Return the energy of the joint's springs [J]; zero if there are none."""
        return 0.0

    def coast_obstacle(self) -> str | None:
        """Return the reason why this joint keeps the world from coasting; None if it does not."""
        return f"{self!r} is enabled" if self.enabled else None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.body}, {self.other or 'the world'})"


AXES: tuple[Vector, Vector, Vector] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

Pose = tuple[Vector, Quaternion, Vector]
"""Position of the mass centre, orientation, and mass centre from the origin."""


def pose_of(body: BodyHandle | None) -> Pose:
    """The pose of a body; the world is a body at its own origin."""
    if body is None:
        return (0.0, 0.0, 0.0), _REST, (0.0, 0.0, 0.0)
    (x, y, z), (a, b, c, d) = body.position.tolist(), body.orientation.tolist()
    center_x, center_y, center_z = body.center_of_mass_body.tolist()
    return (x, y, z), (a, b, c, d), (center_x, center_y, center_z)


def check_bodies(body: BodyHandle, other: BodyHandle | None, owner: str) -> None:
    """Reject bodies that a joint cannot connect.

    Raises:
        TypeError: If `body` or `other` is not a body.
        ValueError: If a body was removed, both are the same, or they belong to different worlds.
    """
    require_body(body, "body", owner)
    if other is None:
        return
    require_body(other, "other", owner, "a body of the same world, or None for the world")
    if other is body:
        refuse(owner, "other", other, "a body other than `body`, or None for the world")
    if other.world is not body.world:
        refuse(owner, "other", other, f"a body of the world of {body}")


def points(
    body: BodyHandle,
    other: BodyHandle | None,
    at_body: npt.ArrayLike,
    at_other: npt.ArrayLike | None,
    owner: str,
    may_differ: bool = False,
    way_out: str = "",
) -> tuple[dict[str, npt.ArrayLike], float]:
    """The points of a joint on both bodies, which are the first values of its row, and the current distance between them.

    Raises:
        TypeError: If `body` or `other` is not a body, or a point is not a sequence of real numbers.
        ValueError: If a joint cannot connect the bodies, or the points do not coincide and must.
    """
    check_bodies(body, other, owner)
    on_body = vector(at_body, "at_body", owner)
    position, q, center = pose_of(body)
    other_position, other_q, other_center = pose_of(other)
    lever = rotate(q, 2.0, subtract(_tuple(on_body), center))
    between = add(subtract(position, other_position), lever)  # small also where both are far from the origin
    if at_other is None:
        found = add(rotate_inverse(other_q, 2.0, between), other_center)
        return {"at_body": on_body, "at_other": found}, 0.0
    on_other = vector(at_other, "at_other", owner)
    gap = subtract(between, rotate(other_q, 2.0, subtract(_tuple(on_other), other_center)))
    distance = sqrt(dot(gap, gap))
    # far from the origin, a position itself is rounded to more than that
    farthest = max(FARTHEST_POINT, 16.0 * 2.3e-16 * max(map(abs, position)))
    if not may_differ and distance > farthest:
        at_world, other_world = add(position, lever), subtract(add(position, lever), gap)
        rule = (
            f"the same point as at_body now, within {FARTHEST_POINT:g} m; at_body is at {list(at_world)} and at_other at "
            f"{list(other_world)} in the world frame, {distance:.3g} m apart{way_out}"
        )
        refuse(owner, "at_other", at_other, rule)
    return {"at_body": on_body, "at_other": on_other}, distance


def unit_axis(value: npt.ArrayLike, argument: str, owner: str) -> Vector:
    """An axis that is of unit length within 1e-6, normalised.

    Raises:
        TypeError: If `value` is not a sequence of real numbers.
        ValueError: If `value` is not of unit length.
    """
    axis = _tuple(vector(value, argument, owner))
    length = sqrt(dot(axis, axis))
    if not abs(length - 1.0) <= 1e-6:
        refuse(owner, argument, value, "a vector of unit length", hint=f"its length is {length:.9g}")
    return axis[0] / length, axis[1] / length, axis[2] / length


def frame_along(axis: Vector) -> Quaternion:
    """The quaternion of a frame whose x axis is a unit vector."""
    # the axis that is farthest from this one, so that nothing cancels in the cross product
    sizes = [abs(part) for part in axis]
    helper = [0.0, 0.0, 0.0]
    helper[sizes.index(min(sizes))] = 1.0
    return frame_with(axis, (helper[0], helper[1], helper[2]))


def frame_with(axis: Vector, second: Vector) -> Quaternion:
    """The quaternion of a frame whose x axis is a unit vector, and whose y axis is nearest to another one."""
    across, _sine = gram_schmidt(axis, second)
    return unit_length(from_columns(axis, across, cross(axis, across), 1.0))


def seen_from(frame_body: Quaternion, body: BodyHandle, other: BodyHandle | None) -> Quaternion:
    """A frame of the body as the other body sees it now."""
    _position, q, _center = pose_of(body)
    _other_position, other_q, _other_center = pose_of(other)
    return unit_length(multiply(conjugate(other_q), multiply(q, frame_body)))


def unit_length(q: Quaternion) -> Quaternion:
    """The quaternion at unit length."""
    norm = sqrt(norm_squared(q))
    return q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm


def range_of(value: Sequence[float] | None, argument: str, owner: str) -> tuple[float, float]:
    """Limits (lower, upper), each a number or infinite; None means no limit.

    Raises:
        TypeError: If `value` is not a pair of real numbers.
        ValueError: If the lower limit is above the upper limit.
    """
    if value is None:
        return -inf, inf
    rule = "a pair (lower, upper) of real numbers with lower <= upper; -inf and inf mean no limit"
    value = by_value(value, argument, owner, rule)
    if depth(value) != 1 or isinstance(value, np.ma.MaskedArray) or len(value) != 2:
        refuse(owner, argument, value, rule, TypeError)
    pair = []
    for number, free in zip(value, (-inf, inf), strict=True):
        is_free = isinstance(number, float) and number == free
        if isinstance(number, float) and number == -free:
            refuse(owner, argument, value, rule)
        try:
            pair.append(free if is_free else real(number, argument, owner))
        except (TypeError, ValueError) as error:
            refuse(owner, argument, value, rule, type(error), error)
    if pair[0] > pair[1]:
        refuse(owner, argument, value, rule)
    return pair[0], pair[1]


def threshold(value: float | None, argument: str, owner: object) -> float:
    """A force or torque above which a joint breaks; None is never."""
    if value is None or (isinstance(value, float) and value == inf):
        return inf
    return real(value, argument, owner, above=0.0)


def _tuple(values: FloatArray) -> Vector:
    x, y, z = values.tolist()
    return x, y, z


def shown(limit: float) -> str:
    """A limit in a message."""
    return f"{limit:g}" if isfinite(limit) else "none"


def type_of(kind: type[Joint]) -> int:
    """The type in the table of a new joint of a class."""
    return kind._type
