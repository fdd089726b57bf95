"""Guidance: the attitude that a law shall reach, with the rates and the angular acceleration of a moving one."""

from __future__ import annotations  # help() then shows them as written

from math import nan, sqrt
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from .. import rotation
from ..checks import FloatArray, direction, read_only, real, refuse, stack, unit_quaternions, vector
from ..kernels.quaternions import Quaternion, conjugate, multiply, norm_squared, rotate
from ..kernels.rotations import PARALLEL, from_axis_angle, from_columns
from ..kernels.selection import choose
from ..kernels.vectors import Vector, add, add_scaled, cross, dot, scale, subtract
from .samples import Components, combined, components, evaluate

_SMALLEST = 1e-150
"""Stands for zero where a number is divided by."""

_HALF_TURN = 1e-12
"""How far the cosine of an angle may be from −1 for it to count as half a turn, whose axis rounding would decide."""

_ZERO: Vector = (0.0, 0.0, 0.0)
_ZEROS: Components = [0.0, 0.0, 0.0]


class Reference:
    """An attitude with its angular velocity and angular acceleration, at one time.

    Args:
        orientation: Unit quaternion, scalar-last (x, y, z, w), of the wanted body axes to world axes, shape (..., 4).
        angular_velocity_world: Angular velocity of the wanted axes [rad/s], world frame, shape (..., 3).
        angular_acceleration_world: Its derivative [rad/s²], world frame, shape (..., 3).

    Raises:
        TypeError: A value is not an array of real numbers.
        ValueError: A value is not finite or has another shape, or the quaternion is more than 1e-6 from unit length.

    Example:
        >>> Reference(angular_velocity_world=(0.0, 0.0, 0.1)).angular_velocity_world.tolist()
        [0.0, 0.0, 0.1]
    """

    __slots__ = ("_acceleration", "_orientation", "_rates")

    def __init__(
        self,
        orientation: npt.ArrayLike = (0.0, 0.0, 0.0, 1.0),
        angular_velocity_world: npt.ArrayLike = (0.0, 0.0, 0.0),
        angular_acceleration_world: npt.ArrayLike = (0.0, 0.0, 0.0),
    ) -> None:
        owner = type(self).__name__
        quaternions = stack(orientation, "orientation", owner, 4)
        self._orientation = read_only(unit_quaternions(quaternions, "orientation", owner))
        self._rates = read_only(stack(angular_velocity_world, "angular_velocity_world", owner, 3))
        acceleration = stack(angular_acceleration_world, "angular_acceleration_world", owner, 3)
        self._acceleration = read_only(acceleration)

    @property
    def orientation(self) -> FloatArray:
        """Unit quaternion, scalar-last (x, y, z, w), of the wanted body axes to world axes, shape (..., 4)."""
        return self._orientation

    @property
    def angular_velocity_world(self) -> FloatArray:
        """Angular velocity [rad/s], world frame, shape (..., 3)."""
        return self._rates

    @property
    def angular_acceleration_world(self) -> FloatArray:
        """Angular acceleration [rad/s²], world frame, shape (..., 3)."""
        return self._acceleration

    def at(self, time: float, body: Any = None) -> Reference:
        """Return the reference at a time, which is this one at every time.

        Args:
            time: Time [s].
            body: The body or estimate that follows the reference; it is not used.

        Returns:
            This reference.
        """
        return self

    def __repr__(self) -> str:
        return f"Reference({self._orientation.tolist()}, {self._rates.tolist()}, {self._acceleration.tolist()})"


class FixedOrMoving(Protocol):
    """A reference: anything with `at(time, body) -> Reference`."""

    def at(self, time: float, body: Any, /) -> Reference:
        """Return the reference at a time [s] for a body."""


def computed(orientation: FloatArray, rates: FloatArray, acceleration: FloatArray) -> Reference:
    """A reference from computed values, which need no check."""
    reference = Reference.__new__(Reference)
    reference._orientation = read_only(orientation)
    reference._rates, reference._acceleration = read_only(rates), read_only(acceleration)
    return reference


class Spin:
    """A reference that rotates at a constant angular velocity.

    Args:
        angular_velocity_world: Angular velocity [rad/s], world frame, shape (..., 3).
        orientation: Attitude at the start, unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).
        start_time: Time of the start [s]; the reference also rotates before it.

    Raises:
        TypeError: A value is not an array of real numbers.
        ValueError: A value is not finite, or the quaternion is more than 1e-6 from unit length.

    Example:
        >>> import math
        >>> spin = Spin((0.0, 0.0, math.pi / 10))
        >>> spin.at(10.0).orientation.round(12).tolist()  # half a turn
        [0.0, 0.0, 1.0, 0.0]
    """

    def __init__(
        self,
        angular_velocity_world: npt.ArrayLike,
        orientation: npt.ArrayLike = (0.0, 0.0, 0.0, 1.0),
        start_time: float = 0.0,
    ) -> None:
        start = Reference(orientation, angular_velocity_world)
        self.orientation, self.angular_velocity_world = start.orientation, start.angular_velocity_world
        self.start_time = real(start_time, "start_time", "Spin")

    def at(self, time: float, body: Any = None) -> Reference:
        """Return the reference at a time.

        Args:
            time: Time [s].
            body: The body or estimate that follows the reference; it is not used.

        Returns:
            The reference, with zero angular acceleration.
        """
        turn = (real(time, "time", "Spin") - self.start_time) * self.angular_velocity_world
        turned = rotation.multiply(rotation.from_rotation_vector(turn), self.orientation)
        return computed(turned, self.angular_velocity_world.copy(), np.zeros(self.angular_velocity_world.shape))

    def __repr__(self) -> str:
        return f"Spin({self.angular_velocity_world.tolist()}, {self.orientation.tolist()}, {self.start_time!r})"


def slew(
    start: Quaternion, turn: Quaternion, elapsed: float, max_rate: float, max_acceleration: float
) -> tuple[float, ...]:
    """Orientation, rates and acceleration of a rotation about one axis with a trapezoid of rates; turn = (axis, angle)."""
    angle = turn[3]
    peak = sqrt(angle * max_acceleration)
    rate = choose(peak > max_rate, max_rate, peak)
    ramp = rate / max_acceleration
    duration = ramp + angle / max(rate, _SMALLEST)
    left = duration - elapsed
    rising, falling = elapsed < ramp, left <= ramp
    moving = (elapsed >= 0.0) & (left > 0.0)
    since, until = max(elapsed, 0.0), max(left, 0.0)
    turned = choose(falling, angle - 0.5 * max_acceleration * until * until, rate * (elapsed - 0.5 * ramp))
    turned = choose(rising, 0.5 * max_acceleration * since * since, turned)
    speed = choose(rising, max_acceleration * since, choose(falling, max_acceleration * until, rate))
    acceleration = choose(rising, max_acceleration, choose(falling, -max_acceleration, 0.0))
    acceleration = choose(moving, acceleration, 0.0)
    axis = (turn[0], turn[1], turn[2])
    q = multiply(from_axis_angle(axis, turned), start)
    return *q, *scale(speed, axis), *scale(acceleration, axis)


class Slew:
    """A reference that rotates from one attitude to another about a single axis, by the shorter way round.

    The rate is a trapezoid: it rises at the largest acceleration, stays at the largest rate, and falls. A short slew is a triangle that
    does not reach the largest rate. Before the start the reference rests at the first attitude, after the end at the second.

    Args:
        start: Attitude at the start, unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).
        end: Attitude at the end, in the same form.
        max_rate: Largest angular velocity [rad/s], above zero.
        max_acceleration: Largest angular acceleration [rad/s²], above zero.
        start_time: Time of the start [s].

    Raises:
        TypeError: A value is not a real number or an array of them.
        ValueError: A limit is not above zero, or a quaternion is more than 1e-6 from unit length.

    Example:
        >>> slew = Slew((0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.0), max_rate=0.5, max_acceleration=0.1)
        >>> round(float(slew.duration), 6)  # π/0.5 + 0.5/0.1
        11.283185
        >>> slew.at(5.5).angular_velocity_world.tolist()
        [0.0, 0.0, 0.5]
    """

    def __init__(
        self,
        start: npt.ArrayLike,
        end: npt.ArrayLike,
        max_rate: float,
        max_acceleration: float,
        *,
        start_time: float = 0.0,
    ) -> None:
        owner = "Slew"
        self.start = read_only(unit_quaternions(stack(start, "start", owner, 4), "start", owner))
        self.end = read_only(unit_quaternions(stack(end, "end", owner, 4), "end", owner))
        self.max_rate = real(max_rate, "max_rate", owner, above=0.0)
        self.max_acceleration = real(max_acceleration, "max_acceleration", owner, above=0.0)
        self.start_time = real(start_time, "start_time", owner)
        axis, angle = rotation.to_axis_angle(rotation.multiply(self.end, rotation.conjugate(self.start)))
        self.axis_world, self.angle = read_only(axis), angle
        turn = np.concatenate((axis, np.expand_dims(angle, -1)), axis=-1)
        self._inputs = components(self.start, "start", owner, 4), components(turn, "turn", owner, 4)

    @property
    def duration(self) -> FloatArray:
        """Time from the start to the end [s], shape (...)."""
        rate = np.minimum(self.max_rate, np.sqrt(self.angle * self.max_acceleration))
        return rate / self.max_acceleration + self.angle / np.maximum(rate, _SMALLEST)

    def at(self, time: float, body: Any = None) -> Reference:
        """Return the reference at a time.

        Args:
            time: Time [s].
            body: The body or estimate that follows the reference; it is not used.

        Returns:
            The reference. Its angular acceleration is that of the interval that begins at this time.
        """
        elapsed = real(time, "time", "Slew") - self.start_time
        values = combined(
            evaluate(slew, *self._inputs, elapsed, self.max_rate, self.max_acceleration), "Slew", "reference"
        )
        return computed(values[..., :4], values[..., 4:7], values[..., 7:])

    def __repr__(self) -> str:
        limits = f"{self.max_rate!r}, {self.max_acceleration!r}, start_time={self.start_time!r}"
        return f"Slew({self.start.tolist()}, {self.end.tolist()}, {limits})"


# Pointing: directions with their first and second derivatives

Moving = tuple[Vector, Vector, Vector]
"""A vector with its first and second derivative."""

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

    The rates are ``ω = u × u̇ − (b·ṅ) u``. `axes` is the conjugate of the quaternion from the same axes in the body to body axes.
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


class Pointing:
    """A reference that points one body axis at a target, and a second one as nearly as possible at another target.

    Without a second axis, the rotation about the first one is left as it is: the reference is the nearest attitude in which the axis points
    at the target, and it does not roll.

    A target is

    * "nadir", the direction to the centre of gravity,
    * "velocity", the direction of flight,
    * "sun", the direction `sun_direction_world`,
    * a body, or anything with `position` and `velocity`, or
    * a direction in world axes, shape (..., 3).

    Rates and accelerations are exact if the body, and a body that is a target, move on Kepler orbits about the centre. Other forces, such
    as an oblate planet or thrust, are not in them; attitude and rates of nadir and of a body are exact in any case.

    Args:
        axis_body: The axis that points at the target, a non-zero vector, body frame, shape (3,).
        target: The first target.
        second_axis_body: The second axis, a non-zero vector that is not parallel to the first, body frame, shape (3,).
        second_target: The second target. Give it together with the second axis, or neither of them.
        gm: Gravitational parameter GM [m³/s²], above zero; required for "nadir" and "velocity". None is no gravity.
        center: Position of the centre of gravity [m], world frame, shape (3,). Assign it anew after `World.shift_origin`.
        sun_direction_world: Direction to the sun, a non-zero vector, world frame, shape (3,).

    Raises:
        TypeError: A target is none of these.
        ValueError: An axis or a direction is zero, the two axes are parallel, or a target lacks gm or the direction to the sun.

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
        target: Any,
        second_axis_body: npt.ArrayLike | None = None,
        second_target: Any = None,
        *,
        gm: float | None = None,
        center: npt.ArrayLike = (0.0, 0.0, 0.0),
        sun_direction_world: npt.ArrayLike | None = None,
    ) -> None:
        owner = "Pointing"
        self.axis_body = read_only(direction(axis_body, "axis_body", owner))
        if (second_axis_body is None) is not (second_target is None):
            refuse(
                owner, "second_axis_body and second_target", (second_axis_body, second_target), "both given, or neither"
            )
        self.second_axis_body, self._axes = None, None
        if second_axis_body is not None:
            self.second_axis_body = read_only(direction(second_axis_body, "second_axis_body", owner))
            self._axes = self._triad(self.axis_body.tolist(), self.second_axis_body.tolist())
        self._gm = 0.0 if gm is None else real(gm, "gm", owner, above=0.0)
        self.center = center
        self._sun = (
            None if sun_direction_world is None else direction(sun_direction_world, "sun_direction_world", owner)
        )
        self.target, self.second_target = target, second_target
        self._kinds = [self._kind(target, "target")]
        if second_target is not None:
            self._kinds.append(self._kind(second_target, "second_target"))

    @property
    def center(self) -> FloatArray:
        """Position of the centre of gravity [m], world frame, shape (3,)."""
        return self._center

    @center.setter
    def center(self, value: npt.ArrayLike) -> None:
        self._center = read_only(vector(value, "center", "Pointing"))

    def _triad(self, first: Vector, second: Vector) -> list[float]:
        """Conjugate of the quaternion from the axes (u, b, n) of `pointing` to body axes."""
        (n, _, _), sine = unit_moving((cross(first, second), _ZERO, _ZERO))
        if sine <= PARALLEL:
            rule = f"a vector that is not parallel to axis_body (sine of the angle above {PARALLEL:g})"
            refuse("Pointing", "second_axis_body", second, rule)
        return list(conjugate(from_columns(first, cross(n, first), n, 1.0)))

    def _kind(self, target: Any, argument: str) -> int:
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

    def _line(self, target: Any, argument: str) -> tuple[Components, Components]:
        """Position and velocity of a body, or a direction."""
        if isinstance(target, str):
            return (_ZEROS if self._sun is None else self._sun.tolist()), _ZEROS
        if hasattr(target, "position"):
            position = components(target.position, f"position of the {argument}", "Pointing", 3)
            return position, components(target.velocity, f"velocity of the {argument}", "Pointing", 3)
        return components(target, argument, "Pointing", 3), _ZEROS

    def at(self, time: float, body: Any) -> Reference:
        """Return the reference for a body at its position and velocity.

        Args:
            time: Time [s]; it is not used, because the body has moved to it.
            body: The body or estimate that follows the reference, with `position` [m] and `velocity` [m/s], shape (..., 3). Without a
                second axis, it also needs `orientation`, shape (..., 4).

        Returns:
            The reference.

        Raises:
            ValueError: The two targets are in the same direction or opposite, or the body is at a target.
        """
        first = (
            components(body.position, "position", "Pointing", 3),
            components(body.velocity, "velocity", "Pointing", 3),
            *self._line(self.target, "target"),
        )
        gravity = self._kinds, self._gm, self._center.tolist()
        if self._axes is None:
            q = components(body.orientation, "orientation", "Pointing", 4)
            results = evaluate(aiming, *first, *gravity, q, self.axis_body.tolist())
        else:
            second = self._line(self.second_target, "second_target")
            results = evaluate(pointing, *first, *second, *gravity, self._axes)
        values = combined(
            results, "Pointing", "reference", "defined; the body is at a target, or the two targets are parallel"
        )
        return computed(values[..., :4], values[..., 4:7], values[..., 7:])

    def __repr__(self) -> str:
        second = "" if self.second_axis_body is None else f", {self.second_axis_body.tolist()}, {self.second_target!r}"
        return f"Pointing({self.axis_body.tolist()}, {self.target!r}{second})"
