"""Orbits around a fixed centre by their elements, and the orbital frame: the scalar functions behind `engine.flight.orbit`.

The elements give the conic by its shape (eccentricity and distance of the periapsis), its plane (inclination and node), its direction in
the plane (argument of the periapsis) and the place of the body on it (true anomaly). No branches, so that arrays get the bits of floats.
"""

from math import nan, sqrt

from .quaternions import Quaternion
from .rotations import across, from_columns, unit
from .selection import choose
from .trigonometry import arc, sine_cosine_in_range
from .vectors import Vector, cross, dot, scale

Six = tuple[float, float, float, float, float, float]
Seven = tuple[float, float, float, float, float, float, float]

ROUND = 1e-12
"""Eccentricity below which an orbit counts as circular, distance from 1 within which it counts as parabolic, and sine of the inclination
below which it counts as equatorial. Rounding errors of position and velocity would decide what is within it."""
STRAIGHT = 1e-14
"""Sine of the angle between position and velocity below which a motion counts as straight: its plane is undefined."""

_PI, _TWO_PI = 3.141592653589793, 6.283185307179586
_SMALLEST = 2.2250738585072014e-308


def periapsis_distance(semi_major_axis: float, eccentricity: float) -> tuple[float]:
    """Distance of the periapsis, a (1 − e); nan where a has the wrong sign or e is 1."""
    distance = semi_major_axis * (1.0 - eccentricity)
    return (choose(distance > 0.0, distance, nan),)


def state_of_elements(
    gm: float,
    periapsis: float,
    eccentricity: float,
    inclination: float,
    raan: float,
    argument_of_periapsis: float,
    true_anomaly: float,
) -> Six:
    """Position and velocity of a body on an orbit; nan at and beyond the asymptote of a hyperbola."""
    sine, cosine = sine_cosine_in_range(true_anomaly)
    sine_w, cosine_w = sine_cosine_in_range(argument_of_periapsis)
    sine_i, cosine_i = sine_cosine_in_range(inclination)
    sine_n, cosine_n = sine_cosine_in_range(raan)
    # unit vectors in the plane: towards the periapsis, and a quarter turn ahead of it
    node: Vector = (cosine_n, sine_n, 0.0)
    ahead: Vector = (-sine_n * cosine_i, cosine_n * cosine_i, sine_i)
    p = _combined(cosine_w, node, sine_w, ahead)
    q = _combined(-sine_w, node, cosine_w, ahead)
    # distance and velocity from the conic's equation
    latus_rectum = periapsis * (1.0 + eccentricity)
    closeness = 1.0 + eccentricity * cosine
    distance = latus_rectum / choose(closeness > 0.0, closeness, nan)
    speed = sqrt(gm / latus_rectum)
    x = _combined(distance * cosine, p, distance * sine, q)
    v = _combined(-speed * sine, p, speed * (eccentricity + cosine), q)
    return x[0], x[1], x[2], v[0], v[1], v[2]


def elements_of_state(gm: float, position: Vector, velocity: Vector) -> Seven:
    """1/a, eccentricity, inclination, node, argument of the periapsis, true anomaly, distance of the periapsis; nan on a straight line."""
    momentum = cross(position, velocity)
    size_squared, distance_squared = dot(momentum, momentum), dot(position, position)
    size, distance = sqrt(size_squared), sqrt(distance_squared)
    is_curved = size > STRAIGHT * sqrt(distance_squared * dot(velocity, velocity))
    size = choose(is_curved, size, nan)
    # shape, and the place on it
    latus_rectum = size_squared / gm
    e_cosine = latus_rectum / distance - 1.0
    e_sine = size * dot(position, velocity) / (gm * distance)
    e = sqrt(e_cosine * e_cosine + e_sine * e_sine)
    is_round, is_parabola = e < ROUND, abs(e - 1.0) < ROUND
    e = choose(is_round, 0.0, choose(is_parabola, 1.0, e))
    inverse_axis = choose(is_parabola, 0.0, 2.0 / distance - dot(velocity, velocity) / gm)
    anomaly = angle_of(choose(is_round, 0.0, e_sine), choose(is_round, 1.0, e_cosine))
    # plane: its normal and its node, which lies on +x if there is none
    level = sqrt(momentum[0] * momentum[0] + momentum[1] * momentum[1])
    is_level = level < ROUND * size
    divisor = max(size, _SMALLEST)
    normal = (
        choose(is_level, 0.0, momentum[0] / divisor),
        choose(is_level, 0.0, momentum[1] / divisor),
        choose(is_level, choose(momentum[2] < 0.0, -1.0, 1.0), momentum[2] / divisor),
    )
    inclination = angle_of(choose(is_level, 0.0, level), momentum[2])
    divisor = max(level, _SMALLEST)
    node = (choose(is_level, 1.0, -momentum[1] / divisor), choose(is_level, 0.0, momentum[0] / divisor), 0.0)
    # direction in the plane: the angle from the node to the body, less that from the periapsis
    latitude = angle_of(dot(position, cross(normal, node)), dot(position, node))
    argument = latitude - anomaly
    argument = choose(argument < 0.0, argument + _TWO_PI, argument)
    return (
        inverse_axis,
        e,
        inclination,
        angle_of(node[1], node[0]),
        choose(is_round, 0.0, argument),
        choose(is_round, latitude, anomaly),
        latus_rectum / (1.0 + e),
    )


def orbital_frame(position: Vector, velocity: Vector) -> Seven:
    """Orientation with z to the centre and y against the orbit's normal, and its angular velocity, world frame; nan on a straight line."""
    out, distance = unit(position)
    along, speed = unit(velocity)
    # two passes, so that the axes are at right angles to rounding even where position and velocity are nearly parallel
    ahead, sine = across(out, along)
    ahead, correction = across(out, ahead)
    y, z = cross(ahead, out), scale(-1.0, out)
    q: Quaternion = from_columns(ahead, y, z, choose(sine > STRAIGHT, 1.0, nan))
    rate = -sine * correction * speed / distance
    return q[0], q[1], q[2], q[3], rate * y[0], rate * y[1], rate * y[2]


def least_distance(
    gm: float, position: Vector, velocity: Vector, end_position: Vector, end_velocity: Vector, seconds: float
) -> float:
    """Least distance from the centre [m] on the way from one state to another on the same orbit, in a time [s] that is not negative.

    It is that of the periapsis if the body passes it, and otherwise that of one of the ends. On an ellipse a body passes the periapsis in
    less than a period if its eccentric anomaly, counted from there, is less at the end. On a parabola or hyperbola it must come in and
    leave.
    """
    momentum = cross(position, velocity)
    distance, end_distance = sqrt(dot(position, position)), sqrt(dot(end_position, end_position))
    radial, end_radial = dot(position, velocity), dot(end_position, end_velocity)
    beta = 2.0 * gm / distance - dot(velocity, velocity)
    is_ellipse = beta > 0.0
    size = choose(is_ellipse, beta, gm)
    root = sqrt(size)
    goes_round = (seconds * size * root >= _TWO_PI * gm) | (
        angle_of(root * end_radial, gm - size * end_distance) < angle_of(root * radial, gm - size * distance)
    )
    passes = choose(is_ellipse, goes_round, (radial < 0.0) & (end_radial > 0.0))
    latus_rectum = dot(momentum, momentum) / gm
    periapsis = latus_rectum / (1.0 + sqrt(max(1.0 - beta * latus_rectum / gm, 0.0)))
    return -max(-distance, -end_distance, choose(passes, -periapsis, -distance))


def least_distance_on_a_line(position: Vector, velocity: Vector, seconds: float) -> float:
    """Least distance from the origin [m] on a straight path of some time [s] at constant velocity."""
    speed_squared = max(dot(velocity, velocity), _SMALLEST)
    time = -max(-seconds, -max(-dot(position, velocity) / speed_squared, 0.0))
    nearest = _combined(1.0, position, time, velocity)
    return sqrt(dot(nearest, nearest))


def angle_of(sine: float, cosine: float) -> float:
    """Angle [rad] from 0 to 2π of a point (cosine, sine) at any distance from the origin; 0 at the origin."""
    is_zero = (sine == 0.0) & (cosine == 0.0)
    acute = arc(abs(sine), choose(is_zero, 1.0, abs(cosine)))
    upper = choose(cosine < 0.0, _PI - acute, acute)
    return choose(sine < 0.0, _TWO_PI - upper, upper)


def _combined(a: float, x: Vector, b: float, y: Vector) -> Vector:
    return a * x[0] + b * y[0], a * x[1] + b * y[1], a * x[2] + b * y[2]
