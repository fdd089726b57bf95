"""What sensors measure: their errors as functions of the true value and of standard normal numbers.

The functions run on floats, compiled, and over arrays of bodies, with the same bits.
"""

from math import sqrt

from ..compilation.compiler import inlined
from .quaternions import Quaternion, multiply, normalize, rotate, rotate_inverse
from .rotations import from_rotation_vector
from .selection import choose
from .small_matrices import Matrix, times_vector
from .vectors import Vector, add, add_scaled, cross, dot, scale, subtract

_ROUNDER = 6755399441055744.0  # 1.5 × 2⁵²: adding and subtracting it rounds to an integer
_LARGEST_ROUNDED = 2251799813685248.0  # 2⁵¹; a larger number of quanta is finer than a float


@inlined
def of_three_axes(
    true: Vector, matrix: Matrix, bias: Vector, noise: Vector, limit: float, quantum: float
) -> tuple[Vector, bool]:
    """The reading of three single-axis instruments, and whether none of them is beyond its limit.

    ``M x + b + n``, limited to ±limit and then rounded to a multiple of the quantum, which 0 leaves out.
    """
    ideal = times_vector(matrix, true)
    x, y, z = add(add(ideal, bias), noise)
    is_within = (abs(x) <= limit) & (abs(y) <= limit) & (abs(z) <= limit)
    return (_digit(x, limit, quantum), _digit(y, limit, quantum), _digit(z, limit, quantum)), is_within


@inlined
def _digit(x: float, limit: float, quantum: float) -> float:
    limited = choose(x > limit, limit, choose(x < -limit, -limit, x))
    number = limited / choose(quantum > 0.0, quantum, 1.0)
    rounded = quantum * ((number + _ROUNDER) - _ROUNDER)
    return choose((quantum > 0.0) & (abs(number) < _LARGEST_ROUNDED), rounded, limited)


@inlined
def of_attitude(q: Quaternion, boresight: Vector, across: float, along: float, noise: Vector) -> Quaternion:
    """An orientation turned by a random vector in the body frame [rad].

    The vector has the standard deviation `along` about the boresight, which is the roll of the picture, and `across` about each axis at
    right angles to it. `noise` is three standard normal numbers.
    """
    # a standard normal vector has independent components along any three perpendicular axes
    roll = dot(boresight, noise)
    turn = add_scaled(scale(across, noise), (along - across) * roll, boresight)
    return normalize(multiply(q, from_rotation_vector(turn)))


@inlined
def of_direction(direction_body: Vector, deviation: float, noise: Vector) -> Vector:
    """A unit vector turned by a random vector [rad] with the same standard deviation about every axis."""
    return rotate(from_rotation_vector(scale(deviation, noise)), 2.0, direction_body)


@inlined
def mean_specific_force(
    velocities: tuple[Vector, Vector],
    orientations: tuple[Quaternion, Quaternion],
    rates: tuple[Vector, Vector],
    gravity: Vector,
    lever: Vector,
    dt: float,
) -> Vector:
    """Mean specific force [m/s²] over a tick at a point of a body, in the body frame at the middle of the tick.

    Pairs are the values before and after the tick. ``Rᵀ (Δv/dt − g) + ω̇ × r + ω × (ω × r)`` with R, ω at the middle and ω̇ = Δω/dt; exact
    to second order in dt.

    Args:
        velocities: Of the mass centre [m/s], world frame.
        orientations: Body to world.
        rates: Angular velocities [rad/s], body frame.
        gravity: Gravitational acceleration at the middle of the tick [m/s²], world frame.
        lever: The point from the mass centre [m], body frame.
        dt: Length of the tick [s].
    """
    before, after = orientations
    sign = choose(
        before[0] * after[0] + before[1] * after[1] + before[2] * after[2] + before[3] * after[3] < 0.0, -1.0, 1.0
    )
    q = normalize(
        (
            after[0] + sign * before[0],
            after[1] + sign * before[1],
            after[2] + sign * before[2],
            after[3] + sign * before[3],
        )
    )
    inverse_dt = 1.0 / dt
    acceleration = scale(inverse_dt, subtract(velocities[1], velocities[0]))
    of_center = rotate_inverse(q, 2.0, subtract(acceleration, gravity))
    angular_acceleration = scale(inverse_dt, subtract(rates[1], rates[0]))
    rate = scale(0.5, add(rates[0], rates[1]))
    return add(of_center, add(cross(angular_acceleration, lever), cross(rate, cross(rate, lever))))


@inlined
def middle_of(position: Vector, velocities: tuple[Vector, Vector], dt: float) -> Vector:
    """Position at the middle of a tick, from that at its end and the velocities at both ends; the error is of third order in dt.

    The position at the start is not used, because the one that is kept for drawing is the current one after a coast or an assignment.
    """
    before, after = velocities
    return add_scaled(position, -0.125 * dt, add_scaled(before, 3.0, after))


# What blinds a sensor.


@inlined
def is_near_disc(direction: Vector, to_center: Vector, radius: float, cosine: float, sine: float) -> bool:
    """Whether a unit direction is less than an angle from the edge of a sphere, or on its disc.

    Args:
        direction: A unit vector.
        to_center: From the eye to the centre of the sphere [m], in the same axes; of unit length and with radius 0, a point far away.
        radius: Radius of the sphere [m].
        cosine: Cosine of the angle, which is from 0 to π/2.
        sine: Its sine.
    """
    squared = dot(to_center, to_center)
    is_outside = squared > radius * radius
    # the angle of the disc has the sine R/d; its sum with the other angle is at most π, where the cosine falls
    inverse = 1.0 / sqrt(choose(is_outside, squared, 1.0))
    disc_sine = choose(is_outside, radius, 0.0) * inverse
    disc_cosine = sqrt(1.0 - disc_sine * disc_sine)
    limit = cosine * disc_cosine - sine * disc_sine
    return choose(is_outside, dot(direction, to_center) * inverse > limit, True)


@inlined
def is_in_shadow(position: Vector, center: Vector, radius: float, to_light: Vector) -> bool:
    """Whether a sphere hides a light far away: the shadow is a cylinder behind the sphere; `to_light` is a unit vector, world frame."""
    r = subtract(position, center)
    along = dot(r, to_light)
    beside = add_scaled(r, -along, to_light)
    return (along < 0.0) & (dot(beside, beside) < radius * radius)
