"""A multiplicative extended Kalman filter for attitude and gyro bias, as functions from one estimate to the next.

The error state is x = (δθ, δb): the small rotation [rad], in the body frame, that turns the estimated attitude into the true one,
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


class Path(NamedTuple):
    """What the gyro has measured since a start without the bias, for a body that turns in any way; in the body frame at that start."""

    turn: Quaternion
    """The rotation from the body frame at the end to the body frame at the start."""
    integral: Matrix
    """The integral over the time of the rotation from the body frame at each moment to those at the start [s]."""
    bias_angle: Vector
    """The integral of the bias that was taken off the gyro, turned to the body frame at the start [rad]."""


class Since(NamedTuple):
    """The same since a time, in the body frame now."""

    turn: Quaternion
    """The rotation from the body frame now to the body frame then."""
    integral: Matrix
    """The integral of the rotation from the body frame at each moment to those now [s]."""
    first_half: Matrix
    """The same over the first half of the time [s]."""
    bias_angle: Vector
    """The integral of the bias that was taken off the gyro, turned to the body frame now [rad]."""


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
    since: Since
    """What the gyro has measured since the picture."""
    seconds_since: float
    """Age of the picture [s]."""
    drift_since: float
    """Further variance of the angle about each axis [rad²] that was added since the picture, for the time without a valid gyro."""


@inlined
def turn_of(rate_body: Vector, seconds: float) -> Quaternion:
    """The rotation at a constant body rate over a time, from the body frame after it to the body frame before it."""
    return from_rotation_vector(scale(seconds, rate_body))


@inlined
def extended(path: Path, turn: Quaternion, seconds: float, bias_body: Vector) -> Path:
    """A path in the body frame at its start, after a further turn over a time [s], from which this bias [rad/s] was taken off."""
    end = normalize(multiply(path.turn, turn))
    _, integral = _of_turn(turn, seconds)
    to_start = to_matrix(end)
    bias_angle = times_vector(to_start, times_vector(integral, bias_body))
    return Path(end, add_matrices(path.integral, product(to_start, integral)), add(path.bias_angle, bias_angle))


@inlined
def path_since(then: Path, before: Path, after: Path, now: Path) -> Since:
    """The path since a time, given four paths from one start: `before` and `after` end at the middle, or one sample apart around it."""
    to_now = transposed(to_matrix(now.turn))
    middle = _scaled(0.5, add_matrices(before.integral, after.integral))
    return Since(
        multiply(conjugate(then.turn), now.turn),
        product(to_now, subtract_matrices(now.integral, then.integral)),
        product(to_now, subtract_matrices(middle, then.integral)),
        times_vector(to_now, subtract(now.bias_angle, then.bias_angle)),
    )


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
    _, integral = _of_turn(turn, seconds)
    return _after(estimate, turn, integral, seconds, noise, drift)


@inlined
def _after(
    estimate: Estimate, turn: Quaternion, integral: Matrix, seconds: float, noise: GyroNoise, drift: float
) -> Estimate:
    """The same, given Ψ."""
    transition = transposed(to_matrix(turn))
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
    since = sighting.since
    return _after(then, since.turn, since.integral, sighting.seconds_since, noise, sighting.drift_since)


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

    A late sighting is carried to the present by the turn since. It then shows ``z = δθ + Ψ δb − u + v + n``. Here v is the white noise
    that the gyro, and its silence, have added since, and ``u = ∫ Ψ(s) dw(s)`` is what the walk w of the bias since has done, with Ψ(s)
    the integral up to a time s; δθ and δb contain both too. The update takes these correlations into account, with the integrals of
    Ψ(s) and Ψ(s) Ψ(s)ᵀ by Simpson's rule. It is exact to first order if no sighting taken later has already been used.
    """
    seconds, since = sighting.seconds_since, sighting.since
    integral = since.integral
    # the turn since, as it is by the bias that is known now
    correction = subtract(since.bias_angle, times_vector(integral, estimate.bias_body))
    turn_since = multiply(since.turn, from_rotation_vector(correction))
    measured = multiply(sighting.orientation, turn_since)
    shown = rotation_vector(multiply(conjugate(estimate.orientation), measured))
    # z = H x + …, H = (1, Ψ), and the covariance of x with it
    # E[u uᵀ] and E[u δbᵀ]; E[δθ uᵀ] = E[u uᵀ] − Ψ E[u δbᵀ]ᵀ
    half, share = since.first_half, noise.walk_squared * seconds * (1.0 / 6.0)
    squares = add_matrices(_scaled(4.0, product_transposed(half, half)), product_transposed(integral, integral))
    walked = _scaled(share, squares)
    walked_bias = transposed(_scaled(share, add_matrices(_scaled(4.0, half), integral)))
    # half the noise of the first sample and half that of the last were added in this time, with an effect of one half of a sample
    white = noise.density_squared * choose(seconds > 0.0, seconds - 0.5 * noise.interval, 0.0)
    angles, biases = full(estimate.angles), full(estimate.biases)
    with_angles = add_matrices(angles, product_transposed(estimate.mixed, integral))
    with_biases = add_matrices(transposed(estimate.mixed), product_transposed(biases, integral))
    white = white + sighting.drift_since
    total = subtract_matrices(add_matrices(with_angles, product(integral, with_biases)), walked)
    total = add_to_diagonal(total, -white)
    boresight = rotate_inverse(since.turn, 2.0, sighting.boresight_body)
    expected = symmetric_part(add_matrices(total, _covariance(sighting, boresight)))
    with_angles = add_to_diagonal(subtract_matrices(with_angles, walked), -white)
    with_angles = add_matrices(with_angles, product(integral, walked_bias))
    with_biases = subtract_matrices(with_biases, walked_bias)
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
