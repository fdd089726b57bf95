"""Orbits around a fixed centre, with their elements, the motion on a conic, and the orbital frame.

All functions take one value or stacks whose leading dimensions broadcast as NumPy's do. A single orbit and the same orbit in a stack get
the same bits. Positions and velocities are relative to the centre, in axes that do not rotate; inclinations are measured from the z axis.
"""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Callable
from math import isfinite, nan, pi
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import FloatArray, refuse
from ..formulas import DIRECTION, NUMBER, VECTOR, Formula, Kind
from ..kernels import conics
from ..kernels.kepler import kepler

__all__ = ["Elements", "elements", "from_elements", "lvlh", "propagate"]


class Elements(NamedTuple):
    """The elements of an orbit, each a number or an array of shape (...).

    Example:
        >>> found = elements(1.0, (1.0, 0.0, 0.0), (0.0, 0.0, 1.25))
        >>> found.eccentricity.round(9).item(), found.periapsis_distance.round(9).item()
        (0.5625, 1.0)
    """

    semi_major_axis: FloatArray
    """Semi-major axis [m]: above zero on an ellipse, below zero on a hyperbola, inf on a parabola."""
    eccentricity: FloatArray
    """Eccentricity [-]: 0 on a circle, below 1 on an ellipse, 1 on a parabola, above 1 on a hyperbola."""
    inclination: FloatArray
    """Angle [rad] between the z axis and the orbit's normal, from 0 to π."""
    raan: FloatArray
    """Right ascension of the ascending node [rad], from the x axis, from 0 to 2π."""
    argument_of_periapsis: FloatArray
    """Angle [rad] from the node to the periapsis in the direction of motion, from 0 to 2π."""
    true_anomaly: FloatArray
    """Angle [rad] from the periapsis to the body in the direction of motion, from 0 to 2π."""
    periapsis_distance: FloatArray
    """Least distance from the centre [m], which also describes a parabola."""


def from_elements(
    gm: npt.ArrayLike,
    *,
    semi_major_axis: npt.ArrayLike | None = None,
    eccentricity: npt.ArrayLike,
    inclination: npt.ArrayLike,
    raan: npt.ArrayLike,
    argument_of_periapsis: npt.ArrayLike,
    true_anomaly: npt.ArrayLike,
    periapsis_distance: npt.ArrayLike | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Compute position and velocity of a body from the elements of its orbit.

    Give the size of the orbit either by `semi_major_axis` or by `periapsis_distance`. Only `periapsis_distance` describes a parabola.

    Args:
        gm: Gravitational parameter GM [m³/s²], above zero, shape (...).
        semi_major_axis: Semi-major axis [m], above zero on an ellipse and below zero on a hyperbola, shape (...).
        eccentricity: Eccentricity [-], at least 0, shape (...).
        inclination: Angle [rad] between the z axis and the orbit's normal, from 0 to π, shape (...).
        raan: Right ascension of the ascending node [rad], from the x axis, shape (...).
        argument_of_periapsis: Angle [rad] from the node to the periapsis in the direction of motion, shape (...).
        true_anomaly: Angle [rad] from the periapsis to the body in the direction of motion, shape (...). On a hyperbola it is between the
            asymptotes, where ``1 + e cos ν`` is above zero.
        periapsis_distance: Least distance from the centre [m], above zero, shape (...).

    Returns:
        Position from the centre [m] and velocity [m/s], each of shape (..., 3).

    Raises:
        TypeError: If an argument is not a real number, or if neither or both of `semi_major_axis` and `periapsis_distance` are given.
        ValueError: If an argument is out of its range, `semi_major_axis` has the wrong sign or is given for a parabola, or `true_anomaly`
            is beyond the asymptote.

    Error: 4 eps of distance and speed, plus the effect of the rounding of the angles.
    Source: Vallado, Fundamentals of Astrodynamics and Applications (2013), algorithm 10.

    Example:
        >>> angles = {"inclination": 0.0, "raan": 0.0, "argument_of_periapsis": 0.0, "true_anomaly": 0.0}
        >>> position, velocity = from_elements(3.986004418e14, semi_major_axis=7e6, eccentricity=0.0, **angles)
        >>> position.tolist(), velocity[1].round(3).item()
        ([7000000.0, 0.0, 0.0], 7546.053)
    """
    if (semi_major_axis is None) == (periapsis_distance is None):
        given = {"semi_major_axis": semi_major_axis, "periapsis_distance": periapsis_distance}
        refuse(
            "orbit.from_elements", "exactly one of semi_major_axis and periapsis_distance", given, "given", TypeError
        )
    if periapsis_distance is None:
        periapsis_distance = _periapsis(semi_major_axis, eccentricity)  # type: ignore[arg-type]
    angles = inclination, raan, argument_of_periapsis, true_anomaly
    return _halves(_from_elements(gm, periapsis_distance, eccentricity, *angles))


def elements(gm: npt.ArrayLike, position: npt.ArrayLike, velocity: npt.ArrayLike) -> Elements:
    """Compute the elements of the orbit of a body.

    On a circular orbit, with an eccentricity below 1e-12, the argument of the periapsis is 0 and the anomaly is measured from the node. On
    an equatorial orbit, with an inclination within 1e-12 of 0 or π, the node is on the x axis. An orbit with an eccentricity within 1e-12
    of 1 counts as a parabola.

    Args:
        gm: Gravitational parameter GM [m³/s²], above zero, shape (...).
        position: Position from the centre [m], not zero, shape (..., 3).
        velocity: Velocity [m/s], not parallel to the position, shape (..., 3).

    Returns:
        The elements, each a number or an array of shape (...). Pass only one of the two sizes to `from_elements`.

    Raises:
        TypeError: If an argument is not a real number or a sequence of three real numbers.
        ValueError: If `gm` is not positive, or if `position` and `velocity` are parallel, so that the orbit has no plane.

    Error: a few eps in each angle, divided by the eccentricity for the periapsis and by the sine of the inclination for the node, and a few
        eps of the semi-major axis, divided by the distance of the eccentricity from 1.
    Source: Vallado, Fundamentals of Astrodynamics and Applications (2013), algorithm 9, with arc tangents in place of arc cosines.

    Example:
        >>> elements(3.986004418e14, (7e6, 0.0, 0.0), (0.0, 0.0, 8000.0)).eccentricity.round(6).item()
        0.123933
    """
    inverse_axis, *others = np.moveaxis(_elements(gm, position, velocity), -1, 0)
    with np.errstate(divide="ignore"):
        return Elements(np.float64(1.0) / inverse_axis, *others)


def propagate(
    gm: npt.ArrayLike, position: npt.ArrayLike, velocity: npt.ArrayLike, seconds: npt.ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Compute position and velocity of a body on its orbit after a time, on any conic, forwards or backwards in time.

    A body that moves straight towards the centre returns from it the way it came, as in the limit of a narrow ellipse.

    Args:
        gm: Gravitational parameter GM [m³/s²], above zero, shape (...).
        position: Position from the centre [m], not zero, shape (..., 3).
        velocity: Velocity [m/s], shape (..., 3).
        seconds: Time [s], of any length and sign, shape (...).

    Returns:
        Position from the centre [m] and velocity [m/s], each of shape (..., 3).

    Raises:
        TypeError: If an argument is not a real number or a sequence of three real numbers.
        ValueError: If `gm` is not positive, `position` is zero, or the result is beyond the range of floats.

    Error: on 99 of 100 random orbits, at most 3 times the effect of the rounding of the arguments. That effect is about 1e-15 within a
        revolution and grows by ``3π eps`` per revolution. The error is greatest, 1e-11, on a hyperbola that is followed from thousands of
        times the periapsis distance to the same distance on the other side.
    Source: universal variables; see `kernels.kepler`.

    Example:
        >>> position, velocity = propagate(1.0, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), 3.141592653589793)
        >>> position.round(12).tolist(), velocity.round(12).tolist()
        ([-1.0, 0.0, 0.0], [0.0, -1.0, 0.0])
    """
    return _halves(_propagate(gm, position, velocity, seconds))


def lvlh(position: npt.ArrayLike, velocity: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Compute orientation and angular velocity of the orbital frame (local vertical, local horizontal).

    The z axis of this frame points to the centre, and its y axis against the orbit's normal. The x axis lies in the plane of the orbit, at
    right angles to the position, ahead of the body; on a circular orbit it points along the velocity.

    Args:
        position: Position from the centre [m], not zero, shape (..., 3).
        velocity: Velocity [m/s], not parallel to the position, shape (..., 3).

    Returns:
        Unit quaternion, scalar-last (x, y, z, w), frame to world, shape (..., 4), and angular velocity of the frame [rad/s], world frame,
        shape (..., 3).

    Raises:
        TypeError: If an argument is not a sequence of three real numbers.
        ValueError: If `position` is zero, or `position` and `velocity` are parallel.

    Error: 4 eps; of the rotation about the position, 4 eps divided by the sine of the angle between position and velocity.

    Example:
        >>> orientation, angular_velocity_world = lvlh((7e6, 0.0, 0.0), (0.0, 7000.0, 0.0))
        >>> orientation.tolist(), angular_velocity_world[2].item()
        ([-0.5, -0.5, 0.5, 0.5], 0.001)
    """
    both = _lvlh(position, velocity)
    return both[..., :4], both[..., 4:]


def _halves(both: FloatArray) -> tuple[FloatArray, FloatArray]:
    return both[..., :3], both[..., 3:]


def _number(rule: str, holds: Callable[[Any], Any]) -> Kind:
    """A number for which a comparison holds."""

    def quick(value: object) -> float | None:
        number = NUMBER.quick(value)
        return number if number is None or (holds(number) and isfinite(number)) else nan  # which `read` then names

    def read(value: npt.ArrayLike, argument: str, owner: str) -> FloatArray:
        array = NUMBER.read(value, argument, owner)
        if not np.all(holds(array)):
            refuse(owner, argument, value, rule)
        return array

    return Kind((), quick, read)


_POSITIVE = _number("finite real numbers above 0", lambda number: number > 0.0)
_NOT_NEGATIVE = _number("finite real numbers of at least 0", lambda number: number >= 0.0)
_HALF_TURN = _number("angles [rad] from 0 to π", lambda number: (number >= 0.0) & (number <= pi))

_STATE = {"position": DIRECTION, "velocity": VECTOR}
_PARALLEL = "two vectors that are not parallel (sine of the angle above 1e-14)"

_periapsis = Formula(
    "orbit.from_elements",
    conics.periapsis_distance,
    {"semi_major_axis": NUMBER, "eccentricity": _NOT_NEGATIVE},
    (),
    rejected=("semi_major_axis", "eccentricity"),
    rule="a size above 0 with an eccentricity below 1 (ellipse), or below 0 with one above 1 (hyperbola); a parabola takes "
    "periapsis_distance instead",
)
_from_elements = Formula(
    "orbit.from_elements",
    conics.state_of_elements,
    {
        "gm": _POSITIVE,
        "periapsis_distance": _POSITIVE,
        "eccentricity": _NOT_NEGATIVE,
        "inclination": _HALF_TURN,
        "raan": NUMBER,
        "argument_of_periapsis": NUMBER,
        "true_anomaly": NUMBER,
    },
    (6,),
    rejected=("true_anomaly", "eccentricity"),
    rule="an anomaly between the asymptotes of the orbit, where 1 + e cos ν is above 0",
)
_elements = Formula(
    "orbit.elements",
    conics.elements_of_state,
    {"gm": _POSITIVE, **_STATE},
    (7,),
    rejected=("position", "velocity"),
    rule=_PARALLEL,
)
_propagate = Formula(
    "orbit.propagate",
    kepler,
    {"gm": _POSITIVE, **_STATE, "seconds": NUMBER},
    (6,),
    rejected=("position", "velocity", "seconds"),
)
_lvlh = Formula("orbit.lvlh", conics.orbital_frame, _STATE, (7,), rejected=("position", "velocity"), rule=_PARALLEL)
