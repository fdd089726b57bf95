"""A multiplicative extended Kalman filter for attitude and gyro bias, as functions from one estimate to the next.

The error state is x = (δθ, δb): the small rotation [rad], in body axes, that turns the estimated attitude into the true one,
``q_true = q δq(δθ)``, and the error of the bias [rad/s], ``b_true = b + δb``. The gyro measures ``ω + b + n``; n is white noise of density
σ [rad/√s], and b a random walk of density σ_b [rad/s/√s].

The functions run on floats, compiled, and over arrays of estimates, with the same bits. Matrices are spelled out, so that every sum has
one order.

Source: Lefferts, Markley and Shuster (1982); Markley and Crassidis, "Fundamentals of Spacecraft Attitude Determination and Control"
(2014), section 6.2; the discrete noise is that of Farrenkopf (1978).
"""

from typing import NamedTuple

from ..compilation.compiler import inlined
from .quaternions import Quaternion, conjugate, multiply, normalize, rotate_inverse
from .rotations import from_rotation_vector, to_matrix, unit
from .selection import choose
from .small_matrices import (
    Matrix,
    add_matrices,
    add_to_diagonal,
    full,
    inverse_symmetric,
    product,
    product_transposed,
    subtract_matrices,
    symmetric_part,
    times_vector,
    transposed,
)
from .trigonometry import arc
from .vectors import Symmetric, Vector, add, scale, subtract


class Estimate(NamedTuple):
    """Attitude, bias and the covariance of their errors, in three blocks."""

    orientation: Quaternion
    """Unit quaternion, scalar last, body to world."""
    bias_body: Vector
    """Bias of the gyro [rad/s], body frame."""
    angles: Symmetric
    """E[δθ δθᵀ] [rad²]."""
    mixed: Matrix
    """E[δθ δbᵀ] [rad²/s]."""
    biases: Symmetric
    """E[δb δbᵀ] [rad²/s²]."""


class GyroNoise(NamedTuple):
    """The noise that the filter expects of the gyro."""

    density_squared: float
    """σ² [rad²/s]."""
    walk_squared: float
    """σ_b² [rad²/s³]."""
    interval: float
    """Time between two samples [s]; the rate between them is the mean of both."""


class Sighting(NamedTuple):
    """An attitude that a star tracker has measured."""

    orientation: Quaternion
    """Body to world, at the time of the picture."""
    boresight_body: Vector
    """A unit vector."""
    across_squared: float
    """Variance about each axis across the boresight [rad²]."""
    along_squared: float
    """Variance about the boresight [rad²]."""
    turn_since: Quaternion
    """The rotation of the body since the picture by the gyro, from body axes now to body axes then."""
    bias_since: Vector
    """Mean of the bias that was taken off the gyro since the picture [rad/s], body frame."""
    seconds_since: float
    """Age of the picture [s]."""
    drift_since: float
    """Further variance of the angle about each axis [rad²] that was added since the picture, for the time without a valid gyro."""


@inlined
def turn_of(rate_body: Vector, seconds: float) -> Quaternion:
    """The rotation at a constant body rate over a time, from body axes after it to body axes before it."""
    return from_rotation_vector(scale(seconds, rate_body))


@inlined
def predicted(estimate: Estimate, turn: Quaternion, seconds: float, noise: GyroNoise, drift: float) -> Estimate:
    """The estimate after a time without a sighting.

    ``δθ⁺ = Θ δθ − Ψ δb``, with Θ the inverse of the turn and Ψ its integral over the time.

    Args:
        estimate: The estimate before.
        turn: The rotation in that time by the gyro, without the bias, from `turn_of`.
        seconds: The time [s].
        noise: The noise of the gyro.
        drift: Further variance of the angle about each axis [rad²], for a time without a valid gyro.
    """
    transition, integral = _of_turn(turn, seconds)
    angles, biases, mixed = full(estimate.angles), full(estimate.biases), estimate.mixed
    left = subtract_matrices(product(transition, angles), product_transposed(integral, mixed))
    right = subtract_matrices(product(transition, mixed), product(integral, biases))
    new_angles = subtract_matrices(product_transposed(left, transition), product_transposed(right, integral))
    # Farrenkopf's covariance of the noise that a time adds
    walk = noise.walk_squared * seconds
    angle_noise = noise.density_squared * seconds + walk * seconds * seconds * (1.0 / 3.0) + drift
    return Estimate(
        normalize(multiply(estimate.orientation, turn)),
        estimate.bias_body,
        symmetric_part(add_to_diagonal(new_angles, angle_noise)),
        add_to_diagonal(right, -0.5 * seconds * walk),
        symmetric_part(add_to_diagonal(biases, walk)),
    )


@inlined
def _of_turn(turn: Quaternion, seconds: float) -> tuple[Matrix, Matrix]:
    """Θ, the inverse of a turn at constant rate, and its integral over the time by Simpson's rule; error (turn angle)⁴/2880."""
    sign = choose(turn[3] < 0.0, -1.0, 1.0)
    half = normalize((sign * turn[0], sign * turn[1], sign * turn[2], sign * turn[3] + 1.0))
    transition, middle = transposed(to_matrix(turn)), transposed(to_matrix(half))
    sixth = seconds * (1.0 / 6.0)
    weighted = _scaled(4.0 * sixth, middle)
    return transition, add_to_diagonal(add_matrices(_scaled(sixth, transition), weighted), sixth)


@inlined
def _scaled(factor: float, m: Matrix) -> Matrix:
    return (
        factor * m[0],
        factor * m[1],
        factor * m[2],
        factor * m[3],
        factor * m[4],
        factor * m[5],
        factor * m[6],
        factor * m[7],
        factor * m[8],
    )


@inlined
def started(sighting: Sighting, bias_variance: float, noise: GyroNoise) -> Estimate:
    """The estimate from a first sighting and nothing else, with a bias of zero and this variance about each axis [rad²/s²]."""
    then = Estimate(
        sighting.orientation,
        (0.0, 0.0, 0.0),
        symmetric_part(_covariance(sighting, sighting.boresight_body)),
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        (bias_variance, bias_variance, bias_variance, 0.0, 0.0, 0.0),
    )
    return predicted(then, sighting.turn_since, sighting.seconds_since, noise, sighting.drift_since)


@inlined
def _covariance(sighting: Sighting, boresight: Vector) -> Matrix:
    """Covariance of the noise of a sighting [rad²], in the axes in which the boresight is given."""
    x, y, z = boresight
    d = sighting.along_squared - sighting.across_squared
    xx, yy, zz, xy, xz, yz = d * x * x, d * y * y, d * z * z, d * x * y, d * x * z, d * y * z
    return add_to_diagonal((xx, xy, xz, xy, yy, yz, xz, yz, zz), sighting.across_squared)


@inlined
def updated(estimate: Estimate, sighting: Sighting, noise: GyroNoise) -> tuple[Estimate, Vector, Symmetric]:
    """The estimate with a sighting, the difference that the sighting showed [rad], and its expected covariance.

    A late sighting is carried to the present by the turn since. It then shows ``z = δθ + Ψ δb − v + n``, where v is the noise that the
    gyro, and its silence, have added since, which δθ and δb contain too. The update takes that correlation into account. It is exact to
    first order if no sighting taken later has already been used.
    """
    seconds = sighting.seconds_since
    _, integral = _of_turn(sighting.turn_since, seconds)
    # the turn since, as it is by the bias that is known now
    correction = times_vector(integral, subtract(sighting.bias_since, estimate.bias_body))
    turn_since = multiply(sighting.turn_since, from_rotation_vector(correction))
    measured = multiply(sighting.orientation, turn_since)
    shown = rotation_vector(multiply(conjugate(estimate.orientation), measured))
    # z = H x + …, H = (1, Ψ), and the covariance of x with it
    walk = noise.walk_squared * seconds * seconds
    # half the noise of the first sample and half that of the last were added in this time, with an effect of one half of a sample
    white = noise.density_squared * choose(seconds > 0.0, seconds - 0.5 * noise.interval, 0.0)
    angles, biases = full(estimate.angles), full(estimate.biases)
    with_angles = add_matrices(angles, product_transposed(estimate.mixed, integral))
    with_biases = add_matrices(transposed(estimate.mixed), product_transposed(biases, integral))
    white = white + sighting.drift_since
    added = white + walk * seconds * (1.0 / 3.0)
    total = add_to_diagonal(add_matrices(with_angles, product(integral, with_biases)), -added)
    boresight = rotate_inverse(sighting.turn_since, 2.0, sighting.boresight_body)
    expected = symmetric_part(add_matrices(total, _covariance(sighting, boresight)))
    with_angles = add_to_diagonal(with_angles, -(white - walk * seconds * (1.0 / 6.0)))
    with_biases = add_to_diagonal(with_biases, -0.5 * walk)
    # the gain, and what it leaves of the covariance
    inverse = full(inverse_symmetric(expected))
    for_angles, for_biases = product(with_angles, inverse), product(with_biases, inverse)
    turn = from_rotation_vector(times_vector(for_angles, shown))
    result = Estimate(
        normalize(multiply(estimate.orientation, turn)),
        add(estimate.bias_body, times_vector(for_biases, shown)),
        symmetric_part(subtract_matrices(angles, product_transposed(for_angles, with_angles))),
        subtract_matrices(estimate.mixed, product_transposed(for_angles, with_biases)),
        symmetric_part(subtract_matrices(biases, product_transposed(for_biases, with_biases))),
    )
    return result, shown, expected


@inlined
def rotation_vector(q: Quaternion) -> Vector:
    """The rotation vector [rad], at most π long. A sighting after a long silence may show a large rotation, so it is exact."""
    direction, sine = unit((q[0], q[1], q[2]))
    angle = 2.0 * arc(sine, abs(q[3]))
    return scale(choose(q[3] < 0.0, -angle, angle), direction)


@inlined
def mean_rate(before: Vector, after: Vector, bias_body: Vector) -> Vector:
    """Angular velocity [rad/s] over a sample interval from the readings at both of its ends."""
    return subtract(scale(0.5, add(before, after)), bias_body)
