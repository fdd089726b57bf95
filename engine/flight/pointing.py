"""Guidance that points body axes at targets, with the rates and angular accelerations of a Kepler orbit."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Sequence
from copy import copy
from math import nan, sqrt

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, explaining_errors, read_only, reader, real, refuse, stack, unit_direction, vector
from ..kernels.quaternions import Quaternion, conjugate, multiply, norm_squared, rotate
from ..kernels.rotations import PARALLEL, from_columns
from ..kernels.selection import choose
from ..kernels.vectors import Vector, add, add_scaled, cross, dot, scale, subtract
from ..loops.layout import POSITION, VELOCITY
from ..store.rows import BodyHandle, is_body
from ..store.table import IntArray
from .reference import Reference, computed
from .samples import Components, combined, components, evaluate

_SMALLEST = 1e-150
"""Stands for zero where a number is divided by."""

_HALF_TURN = 1e-12
"""How far the cosine of an angle may be from −1 for it to count as half a turn, whose axis rounding would decide."""

_ZERO: Vector = (0.0, 0.0, 0.0)
_ZEROS: Components = [0.0, 0.0, 0.0]

Moving = tuple[Vector, Vector, Vector]
"""A vector with its first and second derivative."""

_Line = tuple[Components, Components]
"""Position and velocity of a body, or a direction and zeros."""

_DIRECTION, _NADIR, _VELOCITY, _BODY = range(4)


def kepler_derivatives(position: Vector, velocity: Vector, gm: float, center: Vector) -> tuple[Vector, Vector]:
    """Acceleration ``−GM r/r³`` and its derivative on a Kepler orbit, zero for GM = 0."""
    if gm == 0.0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    r = subtract(position, center)
    inverse_square = 1.0 / max(dot(r, r), _SMALLEST)
    strength = -gm * inverse_square * sqrt(inverse_square)
    stretching = -3.0 * dot(r, velocity) * inverse_square
    return scale(strength, r), scale(strength, add_scaled(velocity, stretching, r))


def line_to(
    kind: int, target: Vector, target_velocity: Vector, position: Vector, velocity: Vector, gm: float, center: Vector
) -> Moving:
    """The vector from a body to a target of one kind, with its derivatives; not of unit length."""
    if kind == _DIRECTION:
        return target, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    acceleration, jerk = kepler_derivatives(position, velocity, gm, center)
    if kind == _VELOCITY:
        return velocity, acceleration, jerk
    if kind == _NADIR:
        return subtract(center, position), scale(-1.0, velocity), scale(-1.0, acceleration)
    target_acceleration, _jerk = kepler_derivatives(target, target_velocity, gm, center)
    return (
        subtract(target, position),
        subtract(target_velocity, velocity),
        subtract(target_acceleration, acceleration),
    )


def unit_moving(line: Moving) -> tuple[Moving, float]:
    """The unit vector along a moving vector, with its derivatives, and the length; from ``d = ρu`` by the product rule.

    The second derivative lacks its part along the vector, on which the rates and accelerations of axes do not depend.
    """
    d, rate, acceleration = line
    length = sqrt(dot(d, d))
    inverse = 1.0 / max(length, _SMALLEST)
    u = scale(inverse, d)
    stretch = dot(u, rate)
    turning = scale(inverse, add_scaled(rate, -stretch, u))
    return (u, turning, scale(inverse, add_scaled(acceleration, -2.0 * stretch, turning))), length


def pointing(
    position: Vector,
    velocity: Vector,
    first: Vector,
    first_velocity: Vector,
    second: Vector,
    second_velocity: Vector,
    kinds: list[int],
    gm: float,
    center: Vector,
    axes: Quaternion,
) -> tuple[float, ...]:
    """Orientation, rates and acceleration of axes (u, b, n), u along the first line and n along the normal of both; nan if parallel.

    The rates are ``ω = u × u̇ − (b·ṅ) u``. `axes` is the conjugate of the quaternion from the same axes in the body to the body frame.
    """
    (u, u1, u2), _ = unit_moving(line_to(kinds[0], first, first_velocity, position, velocity, gm, center))
    (w, w1, w2), _ = unit_moving(line_to(kinds[1], second, second_velocity, position, velocity, gm, center))
    normal = cross(u, w)
    normal1 = add(cross(u1, w), cross(u, w1))
    normal2 = add(add(cross(u2, w), scale(2.0, cross(u1, w1))), cross(u, w2))
    (n, n1, n2), sine = unit_moving((normal, normal1, normal2))
    b = cross(n, u)
    roll = dot(b, n1)
    rates = add_scaled(cross(u, u1), -roll, u)
    rolling = dot(cross(rates, b), n1) + dot(b, n2)
    acceleration = subtract(cross(u, u2), add(scale(rolling, u), scale(roll, u1)))
    q = multiply(from_columns(u, b, n, choose(sine > PARALLEL, 1.0, nan)), axes)
    return *q, *rates, *acceleration


def aiming(
    position: Vector,
    velocity: Vector,
    target: Vector,
    target_velocity: Vector,
    kind: list[int],
    gm: float,
    center: Vector,
    q: Quaternion,
    axis: Vector,
) -> tuple[float, ...]:
    """Orientation, rates and acceleration of an axis along a line, by the shortest rotation from q; nan at the target."""
    line, length = unit_moving(line_to(kind[0], target, target_velocity, position, velocity, gm, center))
    u, u1, u2 = line
    now = rotate(q, 2.0, axis)
    turn, w = cross(now, u), 1.0 + dot(now, u)
    # half a turn: about any axis across, here across x or, if that is too near, across y
    is_half, far = w < _HALF_TURN, abs(now[0]) < 0.6
    x = choose(is_half, choose(far, 0.0, -now[2]), turn[0])
    y = choose(is_half, choose(far, now[2], 0.0), turn[1])
    z = choose(is_half, choose(far, -now[1], now[0]), turn[2])
    w = choose(is_half, 0.0, w)
    size = choose(length > _SMALLEST, sqrt(norm_squared((x, y, z, w))), nan)
    p = multiply((x / size, y / size, z / size, w / size), q)
    return *p, *cross(u, u1), *cross(u, u2)


@explaining_errors()
class Pointing:
    """A reference that points one body axis at a target, and a second one as nearly as possible at another target.

    Without a second axis, the rotation about the first one is free: the reference is the nearest attitude in which the axis points at the
    target, without a roll rate.

    A target is one of these:

    * "nadir", the direction to the centre of gravity,
    * "velocity", the direction of flight,
    * "sun", the direction `sun_direction_world`,
    * a body, or anything with `position` and `velocity`, or
    * a direction in the world frame, shape (..., 3).

    Rates and accelerations are exact if the body, and any target body, move on Kepler orbits about the centre. The effect of other forces,
    such as thrust or the gravity of an oblate planet, is not included. Attitude and rates for "nadir" and for a body are always exact.

    Args:
        axis_body: The axis that points at the target, a non-zero vector, body frame, shape (3,).
        target: The first target.
        second_axis_body: The second axis, a non-zero vector that is not parallel to the first, body frame, shape (3,).
        second_target: The second target. Give it together with the second axis, or neither of them.
        gm: Gravitational parameter GM [m³/s²], above zero; required for "nadir" and "velocity". None means no gravity.
        center: Position of the centre of gravity [m], world frame, shape (3,). `World.shift_origin` moves it in the control loops of the
            world.
        sun_direction_world: Direction to the sun, a non-zero vector, world frame, shape (3,).

    Raises:
        TypeError: If `target` or `second_target` is none of the above.
        ValueError: If an axis or a direction is zero, the two axes are parallel, or a target needs `gm` or `sun_direction_world` and it is
            not given.

    Example:
        A satellite on a circular orbit keeps its z axis on the planet and its x axis along its flight:

        >>> from types import SimpleNamespace
        >>> satellite = SimpleNamespace(position=(7e6, 0.0, 0.0), velocity=(0.0, 7e3, 0.0))
        >>> earth_pointing = Pointing((0, 0, 1), "nadir", (1, 0, 0), "velocity", gm=7e6 * 7e3**2)
        >>> reference = earth_pointing.at(0.0, satellite)
        >>> [round(rate, 12) for rate in reference.angular_velocity_world.tolist()]
        [0.0, 0.0, 0.001]
    """

    def __init__(
        self,
        axis_body: npt.ArrayLike,
        target: object,
        second_axis_body: npt.ArrayLike | None = None,
        second_target: object = None,
        *,
        gm: float | None = None,
        center: npt.ArrayLike = (0.0, 0.0, 0.0),
        sun_direction_world: npt.ArrayLike | None = None,
    ) -> None:
        owner = "Pointing"
        self._axis_body = read_only(unit_direction(axis_body, "axis_body", owner))
        if (second_axis_body is None) is not (second_target is None):
            refuse(
                owner, "second_axis_body and second_target", (second_axis_body, second_target), "both given, or neither"
            )
        self._second_axis_body, self._axes = None, None
        if second_axis_body is not None:
            self._second_axis_body = read_only(unit_direction(second_axis_body, "second_axis_body", owner))
            self._axes = self._triad(self._axis_body.tolist(), self._second_axis_body.tolist())
        self._gm = 0.0 if gm is None else real(gm, "gm", owner, above=0.0)
        self._center = read_only(vector(center, "center", owner))
        self._sun = (
            None if sun_direction_world is None else unit_direction(sun_direction_world, "sun_direction_world", owner)
        )
        self._kinds = [self._kind(target, "target")]
        if second_target is not None:
            self._kinds.append(self._kind(second_target, "second_target"))
        self._target, self._second_target = _kept(target, "target"), _kept(second_target, "second_target")

    axis_body = reader("_axis_body", "The axis that points at the target, a unit vector, body frame, shape (3,).")
    second_axis_body = reader(
        "_second_axis_body", "The second axis, a unit vector, body frame, shape (3,); None if there is none."
    )
    target = reader("_target", "The first target.")
    second_target = reader("_second_target", "The second target; None if there is none.")
    center = reader("_center", "Position of the centre of gravity [m], world frame, shape (3,).")

    @property
    def gm(self) -> float | None:
        """Gravitational parameter GM [m³/s²], above zero; None for no gravity."""
        return self._gm or None

    @property
    def sun_direction_world(self) -> FloatArray | None:
        """Direction to the sun, a unit vector, world frame, shape (3,); None if it was not given."""
        return None if self._sun is None else read_only(self._sun)

    def _moved(self, shift: FloatArray) -> Pointing:
        """This reference as it is after the origin of the world has moved by this shift [m]."""
        moved = copy(self)
        moved._center = read_only(vector(self._center - shift, "center", "Pointing"))
        return moved

    def _triad(self, first: Vector, second: Vector) -> list[float]:
        """Conjugate of the quaternion from the axes (u, b, n) of `pointing` to the body frame."""
        (n, _, _), sine = unit_moving((cross(first, second), _ZERO, _ZERO))
        if sine <= PARALLEL:
            rule = f"a vector that is not parallel to axis_body (sine of the angle above {PARALLEL:g})"
            refuse("Pointing", "second_axis_body", second, rule)
        return list(conjugate(from_columns(first, cross(n, first), n, 1.0)))

    def _kind(self, target: object, argument: str) -> int:
        """The kind of a target, after all checks."""
        if isinstance(target, str):
            kind = {"nadir": _NADIR, "velocity": _VELOCITY, "sun": _DIRECTION}.get(target)
            if kind is None:
                refuse("Pointing", argument, target, '"nadir", "velocity", "sun", a body or a direction')
            if target == "sun" and self._sun is None:
                refuse("Pointing", "sun_direction_world", None, f'given for the {argument} "sun"')
            if target != "sun" and self._gm == 0.0:
                refuse("Pointing", "gm", None, f'given for the {argument} "{target}"')
            return kind
        if hasattr(target, "position") and hasattr(target, "velocity"):
            return _BODY
        values = stack(target, argument, "Pointing", 3)
        if not values.any(axis=-1).all():
            refuse("Pointing", argument, target, "a non-zero vector")
        return _DIRECTION

    def _line(self, target: object, argument: str) -> _Line:
        """Position and velocity of a body, or a direction."""
        if isinstance(target, str):
            return (_ZEROS if self._sun is None else self._sun.tolist()), _ZEROS
        if hasattr(target, "position") and hasattr(target, "velocity"):
            position = components(target.position, f"position of the {argument}", "Pointing", 3)
            return position, components(target.velocity, f"velocity of the {argument}", "Pointing", 3)
        return components(target, argument, "Pointing", 3), _ZEROS

    def at(self, time: float, body: BodyHandle) -> Reference:
        """Return the reference for a body at its position and velocity.

        Args:
            time: Time [s]; it is not used, because the body is already at its position for this time.
            body: The body or estimate that follows the reference, with `position` [m] and `velocity` [m/s], shape (..., 3). Without a
                second axis, it also needs `orientation`, shape (..., 4).

        Returns:
            The reference.

        Raises:
            TypeError: If `body` has no position or velocity.
            ValueError: If the two targets are in the same or in opposite directions, or the body is at a target.

        Example:
            >>> from types import SimpleNamespace
            >>> satellite = SimpleNamespace(position=(7e6, 0.0, 0.0), velocity=(0.0, 7e3, 0.0))
            >>> earth_pointing = Pointing((0, 0, 1), "nadir", (1, 0, 0), "velocity", gm=7e6 * 7e3**2)
            >>> earth_pointing.at(0.0, satellite).orientation.round(12).tolist()  # z towards −x, x towards +y
            [0.5, 0.5, -0.5, -0.5]
        """
        real(time, "time", "Pointing")
        if not hasattr(body, "position") or not hasattr(body, "velocity"):
            refuse("Pointing", "body", body, "an object with the attributes position and velocity", TypeError)
        moving = (
            components(body.position, "position", "Pointing", 3),
            components(body.velocity, "velocity", "Pointing", 3),
        )
        first = self._line(self.target, "target")
        if self._axes is None:
            results = self._aim(moving, first, components(body.orientation, "orientation", "Pointing", 4))
        else:
            results = self._point(moving, first, self._line(self.second_target, "second_target"))
        values = combined(results, "Pointing", "reference", "the body is at a target, or the two targets are parallel")
        return computed(values[..., :4], values[..., 4:7], values[..., 7:])

    def _aim(self, moving: _Line, first: _Line, orientation: Components) -> Sequence[float | FloatArray]:
        gravity = self._kinds, self._gm, self._center.tolist()
        return evaluate(aiming, *moving, *first, *gravity, orientation, self.axis_body.tolist())

    def _point(self, moving: _Line, first: _Line, second: _Line) -> Sequence[float | FloatArray]:
        gravity = self._kinds, self._gm, self._center.tolist()
        return evaluate(pointing, *moving, *first, *second, *gravity, self._axes)

    def _has_form_for_members(self, world: object) -> bool:
        """Whether each target is a body of this world, or one direction."""
        for kind, target in zip(self._kinds, (self.target, self.second_target), strict=False):
            if kind == _BODY and not (is_body(target) and target.world is world):
                return False
            if not isinstance(target, str) and kind == _DIRECTION and np.ndim(target) > 1:
                return False
        return True

    def _of_members(self, bodies: FloatArray, body: int, orientation: FloatArray, members: IntArray) -> FloatArray:
        """Return orientation, rates and acceleration for some members of a batch, not finite where there are none, shape (10, m).

        Args:
            bodies: The array of the bodies of all members.
            body: The column of the body in the first member.
            orientation: Of the body in these members, measured, shape (4, m).
            members: The members, shape (m,).
        """

        def line_in(column: int) -> _Line:
            return tuple(bodies[POSITION : POSITION + 3, column + members]), tuple(
                bodies[VELOCITY : VELOCITY + 3, column + members]
            )

        def line(target: object, argument: str) -> _Line:
            return line_in(target.index) if is_body(target) else self._line(target, argument)

        moving, first = line_in(body), line(self.target, "target")
        if self._axes is None:
            results = self._aim(moving, first, tuple(orientation))
        else:
            results = self._point(moving, first, line(self.second_target, "second_target"))
        values = np.empty((len(results), len(members)))  # a result may be one number for all of them
        for place, result in enumerate(results):
            values[place] = result
        return values

    def __repr__(self) -> str:
        second = (
            "" if self.second_axis_body is None else f", {self.second_axis_body.tolist()}, {_shown(self.second_target)}"
        )
        return f"Pointing({self.axis_body.tolist()}, {_shown(self.target)}{second})"


def _kept(target: object, argument: str) -> object:
    """A checked target; of a direction, numbers of its own, which are the same however it was given."""
    if target is None or isinstance(target, str) or hasattr(target, "position"):
        return target
    return read_only(stack(target, argument, "Pointing", 3))


def _shown(target: object) -> str:
    return repr(target.tolist() if isinstance(target, np.ndarray) else target)
