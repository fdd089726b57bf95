"""Docking ports, and the limits within which one captures another."""

from __future__ import annotations  # help() then shows them as written

from dataclasses import dataclass

import numpy.typing as npt

from ..checks import explaining_errors, real, refuse, vector
from ..kernels.quaternions import Quaternion, from_rotation_vector, rotate
from ..kernels.rotations import from_columns
from ..kernels.vectors import Vector, cross, dot, scale
from .joint import unit_axis, unit_length


@explaining_errors()
@dataclass(frozen=True)
class Port:
    """A docking port, which is a point, an outward axis and an up direction in the body frame.

    Args:
        position: The point [m], body frame, from the origin of the body, shape (3,).
        axis: The outward axis, a unit vector, body frame, shape (3,).
        up: A direction at right angles to `axis`, a unit vector, body frame, shape (3,).

    Raises:
        TypeError: If an argument is not a sequence of real numbers.
        ValueError: If `axis` or `up` is not of unit length, or they are not at right angles.

    Example:
        >>> from engine.joints import Port
        >>> Port(position=(0.0, 0.0, 2.0), axis=(0.0, 0.0, 1.0), up=(1.0, 0.0, 0.0)).axis
        (0.0, 0.0, 1.0)
    """

    position: npt.ArrayLike
    axis: npt.ArrayLike
    up: npt.ArrayLike

    def __post_init__(self) -> None:
        position = vector(self.position, "position", "Port").tolist()
        axis, up = unit_axis(self.axis, "axis", "Port"), unit_axis(self.up, "up", "Port")
        if not abs(dot(axis, up)) <= 1e-6:
            refuse("Port", "up", self.up, "at right angles to the axis", hint=f"the cosine is {dot(axis, up):.3g}")
        for name, value in (("position", tuple(position)), ("axis", axis), ("up", up)):
            object.__setattr__(self, name, value)

    @property
    def _axis(self) -> Vector:
        return unit_axis(self.axis, "axis", "Port")

    @property
    def _up(self) -> Vector:
        return unit_axis(self.up, "up", "Port")


@explaining_errors()
@dataclass(frozen=True)
class Capture:
    """The limits within which a latch captures a port.

    Args:
        distance: Maximum distance between the ports along the axis of the body's port [m], above 0.
        angle: Maximum angle between the axes, and maximum error of the clocking angle [rad], above 0.
        lateral: Maximum distance across the axis [m], above 0.
        speed: Maximum relative speed of the ports [m/s], above 0.
        rate: Maximum rate of the relative rotation [rad/s], above 0.

    Raises:
        TypeError: If an argument is not a real number.
        ValueError: If an argument is not positive.

    Example:
        >>> from engine.joints import Capture
        >>> Capture(distance=0.3).speed
        0.2
    """

    distance: float = 0.1
    angle: float = 0.1
    lateral: float = 0.1
    speed: float = 0.2
    rate: float = 0.1

    def __post_init__(self) -> None:
        for name in ("distance", "angle", "lateral", "speed", "rate"):
            object.__setattr__(self, name, real(getattr(self, name), name, "Capture", above=0.0))


def frame_of(axis: Vector, up: Vector) -> Quaternion:
    """The frame whose x axis is a port's axis and whose y axis is its up direction."""
    return unit_length(from_columns(axis, up, cross(axis, up), 1.0))


def mated_frame(port: Port, clocking: float) -> Quaternion:
    """The frame of a port that is mated with this one at a clocking angle [rad], in the body frame of this one."""
    inward = scale(-1.0, port._axis)
    turn = from_rotation_vector(scale(clocking, inward))
    return frame_of(inward, rotate(turn, 2.0, port._up))
