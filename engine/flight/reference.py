"""Guidance, which gives the attitude that a law tracks, with its rates and angular acceleration if it moves."""

from __future__ import annotations  # help() then shows them as written

from math import sqrt
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from .. import rotation
from ..checks import FloatArray, explaining_errors, read_only, reader, real, stack, unit_quaternions
from ..kernels.quaternions import Quaternion, multiply
from ..kernels.rotations import from_axis_angle
from ..kernels.selection import choose
from ..kernels.vectors import scale
from .samples import Components, combined, components, evaluate

_SMALLEST = 1e-150
"""Stands for zero where a number is divided by."""


@explaining_errors()
class Reference:
    """An attitude with its angular velocity and angular acceleration, at one time.

    Args:
        orientation: Unit quaternion, scalar-last (x, y, z, w), from the wanted body frame to the world frame, shape (..., 4).
        angular_velocity_world: Angular velocity of the wanted axes [rad/s], world frame, shape (..., 3).
        angular_acceleration_world: Derivative of that angular velocity [rad/s²], world frame, shape (..., 3).

    Raises:
        TypeError: If an argument is not an array of real numbers.
        ValueError: If an argument is not finite or has the wrong shape, or `orientation` is more than 1e-6 from unit length.

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
        self._orientation = read_only(unit_quaternions(quaternions, "orientation", owner, orientation))
        self._rates = read_only(stack(angular_velocity_world, "angular_velocity_world", owner, 3))
        acceleration = stack(angular_acceleration_world, "angular_acceleration_world", owner, 3)
        self._acceleration = read_only(acceleration)

    @property
    def orientation(self) -> FloatArray:
        """Unit quaternion, scalar-last (x, y, z, w), from the wanted body frame to the world frame, shape (..., 4)."""
        return self._orientation

    @property
    def angular_velocity_world(self) -> FloatArray:
        """Angular velocity [rad/s], world frame, shape (..., 3)."""
        return self._rates

    @property
    def angular_acceleration_world(self) -> FloatArray:
        """Angular acceleration [rad/s²], world frame, shape (..., 3)."""
        return self._acceleration

    def at(self, time: float, body: object = None) -> Reference:
        """Return this reference, which is the same at every time.

        Args:
            time: Time [s].
            body: The body or estimate that follows the reference; it is not used.

        Returns:
            This reference.

        Example:
            >>> reference = Reference((0.0, 0.0, 0.6, 0.8))
            >>> reference.at(12.0) is reference
            True
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


@explaining_errors()
class Spin:
    """A reference that rotates at a constant angular velocity.

    Args:
        angular_velocity_world: Angular velocity [rad/s], world frame, shape (..., 3).
        orientation: Attitude at the start, unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).
        start_time: Time of the start [s]; the reference also rotates before it.

    Raises:
        TypeError: If an argument is not an array of real numbers.
        ValueError: If an argument is not finite, or `orientation` is more than 1e-6 from unit length.

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
        quaternions = stack(orientation, "orientation", "Spin", 4)
        self._orientation = read_only(unit_quaternions(quaternions, "orientation", "Spin", orientation))
        self._rates = read_only(stack(angular_velocity_world, "angular_velocity_world", "Spin", 3))
        self._start_time = real(start_time, "start_time", "Spin")

    orientation = reader(
        "_orientation", "Attitude at the start, unit quaternion, scalar-last, body to world, shape (..., 4)."
    )
    angular_velocity_world = reader("_rates", "Angular velocity [rad/s], world frame, shape (..., 3).")
    start_time = reader("_start_time", "Time of the start [s].")

    def at(self, time: float, body: object = None) -> Reference:
        """Return the reference at a time.

        Args:
            time: Time [s].
            body: The body or estimate that follows the reference; it is not used.

        Returns:
            The reference, with zero angular acceleration.

        Example:
            >>> import math
            >>> spin = Spin((0.0, 0.0, math.pi / 10))
            >>> spin.at(5.0).orientation.round(6).tolist()  # a quarter turn
            [0.0, 0.0, 0.707107, 0.707107]
        """
        return _spun(self._rates, self._orientation, real(time, "time", "Spin") - self.start_time)

    @property
    def _numbers(self) -> list[float]:
        """What `_of_members` needs of a reference of one attitude."""
        return [*self._rates.tolist(), *self._orientation.tolist(), self._start_time]

    @staticmethod
    def _of_members(numbers: FloatArray, times: FloatArray) -> Reference:
        """The references of several, each at its time, given their numbers, shape (n, 8)."""
        return _spun(numbers[:, :3], numbers[:, 3:7], (times - numbers[:, 7])[:, np.newaxis])

    def __repr__(self) -> str:
        return f"Spin({self.angular_velocity_world.tolist()}, {self.orientation.tolist()}, {self.start_time!r})"


def _spun(rates: FloatArray, orientation: FloatArray, elapsed: float | FloatArray) -> Reference:
    turned = rotation.multiply(rotation.from_rotation_vector(elapsed * rates), orientation)
    return computed(turned, rates.copy(), np.zeros(rates.shape))


def slew(
    start: Quaternion, turn: Quaternion, elapsed: float, max_rate: float, max_acceleration: float
) -> tuple[float, ...]:
    """Orientation, rates and acceleration of a rotation about one axis with a trapezoid of rates; turn = (axis, angle)."""
    # choices instead of branches, because start and end may be stacks of attitudes
    angle = turn[3]
    peak = sqrt(angle * max_acceleration)
    rate = choose(peak > max_rate, max_rate, peak)
    ramp = rate / max_acceleration
    duration = ramp + angle / max(rate, _SMALLEST)  # 0 for a turn by nothing, whose rate is 0 too
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


@explaining_errors()
class Slew:
    """A reference that rotates from one attitude to another about a single axis, by the shorter way round.

    The rate is a trapezoid over time: it rises at the maximum acceleration, stays at the maximum rate, and falls again. In a short slew it
    is a triangle that does not reach the maximum rate. The reference rests at `start` before the slew and at `end` after it.

    Args:
        start: Attitude at the start, unit quaternion, scalar-last (x, y, z, w), body to world, shape (..., 4).
        end: Attitude at the end, in the same form, shape (..., 4).
        max_rate: Maximum angular velocity [rad/s], above zero.
        max_acceleration: Maximum angular acceleration [rad/s²], above zero.
        start_time: Time of the start [s].

    Raises:
        TypeError: If an argument is not a real number or an array of real numbers.
        ValueError: If `max_rate` or `max_acceleration` is not positive, or `start` or `end` is more than 1e-6 from unit length.

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
        self._start = read_only(unit_quaternions(stack(start, "start", owner, 4), "start", owner, start))
        self._end = read_only(unit_quaternions(stack(end, "end", owner, 4), "end", owner, end))
        self._max_rate = real(max_rate, "max_rate", owner, above=0.0)
        self._max_acceleration = real(max_acceleration, "max_acceleration", owner, above=0.0)
        self._start_time = real(start_time, "start_time", owner)
        axis, angle = rotation.to_axis_angle(rotation.multiply(self._end, rotation.conjugate(self._start)))
        self._axis_world, self._angle = read_only(axis), read_only(angle) if isinstance(angle, np.ndarray) else angle
        turn = np.concatenate((axis, np.expand_dims(angle, -1)), axis=-1)
        self._inputs = components(self.start, "start", owner, 4), components(turn, "turn", owner, 4)

    start = reader("_start", "Attitude at the start, unit quaternion, scalar-last, body to world, shape (..., 4).")
    end = reader("_end", "Attitude at the end, in the same form, shape (..., 4).")
    max_rate = reader("_max_rate", "Maximum angular velocity [rad/s], above zero.")
    max_acceleration = reader("_max_acceleration", "Maximum angular acceleration [rad/s²], above zero.")
    start_time = reader("_start_time", "Time of the start [s].")
    axis_world = reader("_axis_world", "Axis of the rotation, a unit vector, world frame, shape (..., 3).")
    angle = reader("_angle", "Angle of the rotation [rad], from 0 to π, shape (...).")

    @property
    def duration(self) -> FloatArray:
        """Time from the start to the end [s], shape (...)."""
        rate = np.minimum(self.max_rate, np.sqrt(self.angle * self.max_acceleration))
        return rate / self.max_acceleration + self.angle / np.maximum(rate, _SMALLEST)

    def at(self, time: float, body: object = None) -> Reference:
        """Return the reference at a time.

        Args:
            time: Time [s].
            body: The body or estimate that follows the reference; it is not used.

        Returns:
            The reference. Its angular acceleration is that of the interval that begins at this time.

        Example:
            >>> slew = Slew((0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.0), max_rate=0.5, max_acceleration=0.125)
            >>> slew.at(2.0).angular_velocity_world.tolist(), slew.at(100.0).orientation.tolist()
            ([0.0, 0.0, 0.25], [0.0, 0.0, 1.0, 6.123233995736766e-17])
        """
        elapsed = real(time, "time", "Slew") - self.start_time
        return _slewed(*self._inputs, elapsed, self.max_rate, self.max_acceleration)

    @property
    def _numbers(self) -> list[float]:
        """What `_of_members` needs of a reference of one attitude."""
        start, turn = self._inputs
        return [*start, *turn, self._start_time, self._max_rate, self._max_acceleration]

    @staticmethod
    def _of_members(numbers: FloatArray, times: FloatArray) -> Reference:
        """The references of several, each at its time, given their numbers, shape (n, 11)."""
        columns = tuple(np.ascontiguousarray(numbers.T))
        return _slewed(columns[:4], columns[4:8], times - columns[8], columns[9], columns[10])

    def __repr__(self) -> str:
        limits = f"{self.max_rate!r}, {self.max_acceleration!r}, start_time={self.start_time!r}"
        return f"Slew({self.start.tolist()}, {self.end.tolist()}, {limits})"


def _slewed(
    start: Components,
    turn: Components,
    elapsed: float | FloatArray,
    max_rate: float | FloatArray,
    max_acceleration: float | FloatArray,
) -> Reference:
    values = combined(evaluate(slew, start, turn, elapsed, max_rate, max_acceleration), "Slew", "reference")
    return computed(values[..., :4], values[..., 4:7], values[..., 7:])
