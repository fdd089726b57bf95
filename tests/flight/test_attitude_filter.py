"""The formulas of the attitude filter: each step against the same step with whole matrices in NumPy, and its consistency over many runs."""

import math

import numpy as np
import pytest

from engine import rotation
from engine.compilation.compiler import kernel
from engine.kernels import attitude_filter, measuring, small_matrices
from engine.kernels.attitude_filter import Estimate, GyroNoise, Path, Sighting, Since
from engine.loops.array_forms import over_arrays

from ..lengths import sized

NOISE = GyroNoise(1e-4**2, 1e-5**2, 0.0)
START = Path((0.0, 0.0, 0.0, 1.0), (0.0,) * 9, (0.0, 0.0, 0.0))
NOTHING = Since((0.0, 0.0, 0.0, 1.0), (0.0,) * 9, (0.0,) * 9, (0.0, 0.0, 0.0))
"""Between a picture and now, where it is used at once."""
TILT = tuple(rotation.from_rotation_vector([0.3, 0.2, -0.5]))
predicted, updated = over_arrays(attitude_filter.predicted), over_arrays(attitude_filter.updated)
extended, path_since = over_arrays(attitude_filter.extended), over_arrays(attitude_filter.path_since)


def one_turn(turn, seconds):
    """A turn, without a bias, as it looks from its end."""
    half = rotation.from_rotation_vector(0.5 * np.array(attitude_filter.rotation_vector(turn)))
    middle = attitude_filter.extended(START, tuple(half), 0.5 * seconds, (0.0, 0.0, 0.0))
    end = attitude_filter.extended(START, turn, seconds, (0.0, 0.0, 0.0))
    return attitude_filter.path_since(START, middle, middle, end)


def skew(v):
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def symmetric(s):
    xx, yy, zz, xy, xz, yz = s
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def covariance_of(estimate):
    """The whole covariance, shape (6, 6)."""
    mixed = np.reshape(estimate.mixed, (3, 3))
    return np.block([[symmetric(estimate.angles), mixed], [mixed.T, symmetric(estimate.biases)]])


def estimate_with(covariance, orientation=(0.0, 0.0, 0.0, 1.0), bias=(0.0, 0.0, 0.0)):
    def six(m):
        return (m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2])

    a, m, b = covariance[:3, :3], covariance[:3, 3:], covariance[3:, 3:]
    return Estimate(tuple(orientation), tuple(bias), six(a), tuple(m.ravel()), six(b))


def any_covariance(seed=0):
    scales = np.diag([1e-3, 2e-3, 1.5e-3, 1e-4, 2e-4, 3e-4])
    root = scales @ (np.eye(6) + 0.3 * np.random.default_rng(seed).normal(size=(6, 6)))
    return root @ root.T


def exponential_of(matrix):
    """By its series, of a small matrix after halving."""
    small, result, term = matrix / 1024.0, np.eye(len(matrix)), np.eye(len(matrix))
    for order in range(1, 15):
        term = term @ small / order
        result = result + term
    for _ in range(10):
        result = result @ result
    return result


def test_small_matrices_are_those_of_numpy():
    random = np.random.default_rng(5)
    a, b = random.normal(size=(2, 3, 3))
    s = a + a.T
    assert np.reshape(small_matrices.product(tuple(a.ravel()), tuple(b.ravel())), (3, 3)) == pytest.approx(a @ b)
    transposed = small_matrices.product_transposed(tuple(a.ravel()), tuple(b.ravel()))
    assert np.reshape(transposed, (3, 3)) == pytest.approx(a @ b.T)
    six = small_matrices.symmetric_part(tuple((a + a.T).ravel()))
    assert symmetric(six) == pytest.approx(s)
    assert symmetric(small_matrices.inverse_symmetric(six)) == pytest.approx(np.linalg.inv(s))


@pytest.mark.parametrize("angle", [0.0, 0.01, 0.3])
def test_prediction_is_that_of_the_linear_error_equation(angle):
    """x' = [[−ω×, −1], [0, 0]] x: its exponential over the time, to (turn angle)⁴/2880, and Farrenkopf's noise."""
    seconds = 0.5
    rate = np.array([0.6, -0.64, 0.48]) * angle / seconds
    before = any_covariance()
    turn = attitude_filter.turn_of(tuple(rate), seconds)
    after = covariance_of(predicted(estimate_with(before), turn, seconds, NOISE, 1e-9))
    system = np.zeros((6, 6))
    system[:3, :3], system[:3, 3:] = -skew(rate), -np.eye(3)
    transition = exponential_of(system * seconds)
    d, w = NOISE.density_squared, NOISE.walk_squared
    angles, mixed = d * seconds + w * seconds**3 / 3.0 + 1e-9, -0.5 * w * seconds**2
    noise = np.kron(np.array([[angles, mixed], [mixed, w * seconds]]), np.eye(3))
    expected = transition @ before @ transition.T + noise
    assert after == pytest.approx(
        expected, abs=1e-15 * expected.max() + angle**4 / 1440.0 * seconds * before[:3, :].max()
    )


def test_prediction_turns_the_attitude_by_the_rate():
    start, rate, seconds = rotation.from_rotation_vector([0.3, 0.2, -0.5]), (0.1, -0.3, 0.2), 0.7
    turn = attitude_filter.turn_of(rate, seconds)
    estimate = attitude_filter.predicted(estimate_with(any_covariance(), start), turn, seconds, NOISE, 0.0)
    expected = rotation.multiply(start, rotation.from_rotation_vector(np.array(rate) * seconds))
    assert estimate.orientation == pytest.approx(tuple(expected), abs=1e-15)


def test_update_is_that_of_the_textbook():
    """K = P Hᵀ (H P Hᵀ + R)⁻¹ with H = (1, 0) and R larger about the boresight; the attitude turns by K z and the bias moves by it."""
    before, error = any_covariance(1), np.array([1e-3, -2e-3, 5e-4])
    truth = rotation.from_rotation_vector([0.3, 0.2, -0.5])
    boresight, across, along = np.array([2.0, -1.0, 2.0]) / 3.0, 1e-4, 8e-4
    measured = tuple(rotation.multiply(truth, rotation.from_rotation_vector(error)))
    sighting = Sighting(measured, tuple(boresight), across**2, along**2, NOTHING, 0.0, 0.0)
    after, shown, expected = attitude_filter.updated(estimate_with(before, truth, (0.01, 0.02, 0.03)), sighting, NOISE)
    assert shown == pytest.approx(tuple(error), rel=1e-5)
    noise = across**2 * np.eye(3) + (along**2 - across**2) * np.outer(boresight, boresight)
    total = before[:3, :3] + noise
    assert symmetric(expected) == pytest.approx(total, rel=1e-12)
    gain = before[:, :3] @ np.linalg.inv(total)
    assert covariance_of(after) == pytest.approx(before - gain @ before[:3], rel=1e-9, abs=1e-22)
    turned = rotation.multiply(truth, rotation.from_rotation_vector(gain[:3] @ shown))
    assert after.orientation == pytest.approx(tuple(turned), abs=1e-15)
    assert after.bias_body == pytest.approx(tuple(np.array([0.01, 0.02, 0.03]) + gain[3:] @ shown), rel=1e-12)


@pytest.mark.parametrize("drift", [0.0, 3e-3**2], ids=["measured", "silent"])
def test_late_sighting_is_used_as_if_the_filter_had_waited_for_it(drift):
    """An update at the time of the picture and then the prediction give the same as the prediction and then the late update.

    The drift is the variance for a gyro that has been silent since the picture, as large as that of the attitude before.
    """
    before, seconds = any_covariance(2), 1.5
    rate = (0.002, -0.003, 0.005)
    start = tuple(rotation.from_rotation_vector([0.3, 0.2, -0.5]))
    turn = attitude_filter.turn_of(rate, seconds)
    measured = tuple(rotation.multiply(start, rotation.from_rotation_vector([2e-4, -1e-4, 3e-4])))
    fresh = Sighting(measured, (0.6, 0.0, 0.8), 1e-4**2, 5e-4**2, NOTHING, 0.0, 0.0)
    noise = GyroNoise(3e-4**2, 2e-4**2, 0.0)
    first, _, _ = attitude_filter.updated(estimate_with(before, start), fresh, noise)
    # the bias that the sighting has found applies to the time since
    corrected = tuple(np.array(rate) - first.bias_body)
    waited = attitude_filter.predicted(first, attitude_filter.turn_of(corrected, seconds), seconds, noise, drift)
    gone_on = attitude_filter.predicted(estimate_with(before, start), turn, seconds, noise, drift)
    sighting = fresh._replace(since=one_turn(turn, seconds), seconds_since=seconds, drift_since=drift)
    late, _, _ = attitude_filter.updated(gone_on, sighting, noise)
    scale = np.sqrt(np.diag(covariance_of(waited)))
    # the noise of the gyro is added in axes that turn by 0.009 rad
    assert (covariance_of(late) - covariance_of(waited)) / np.outer(scale, scale) == pytest.approx(0.0, abs=4e-3)
    assert rotation.angle_between(late.orientation, waited.orientation) < 1e-3 * scale[0]
    assert late.bias_body == pytest.approx(waited.bias_body, abs=1e-3 * scale[3])


def test_late_sighting_is_turned_with_the_body():
    """The same through a turn by 0.92 rad, without noise of the gyro: equal to the error of Simpson's rule, 2.5e-4."""
    before, seconds, noise = any_covariance(3), 1.5, GyroNoise(0.0, 0.0, 0.0)
    turn = attitude_filter.turn_of((0.2, -0.3, 0.5), seconds)
    fresh = Sighting(TILT, (0.6, 0.0, 0.8), 1e-4**2, 5e-3**2, NOTHING, 0.0, 0.0)
    first, _, _ = attitude_filter.updated(estimate_with(before, TILT), fresh, noise)
    waited = covariance_of(attitude_filter.predicted(first, turn, seconds, noise, 0.0))
    gone_on = attitude_filter.predicted(estimate_with(before, TILT), turn, seconds, noise, 0.0)
    sighting = fresh._replace(since=one_turn(turn, seconds), seconds_since=seconds)
    late, _, _ = attitude_filter.updated(gone_on, sighting, noise)
    scale = np.sqrt(np.diag(waited))
    assert (covariance_of(late) - waited) / np.outer(scale, scale) == pytest.approx(0.0, abs=2e-3)


def test_the_walk_of_the_bias_since_a_late_sighting_is_turned_with_the_body():
    """The covariance after waiting for a sighting, over 240 samples of a tumble by 1.2 rad in all; the walk adds more than was known.

    Simpson's rule leaves 3e-3.
    """
    before, seconds, noise = any_covariance(5), 1 / 160, GyroNoise(1e-4**2, 2e-3**2, 0.0)
    fresh = Sighting(TILT, (0.6, 0.0, 0.8), 1e-4**2, 5e-4**2, NOTHING, 0.0, 0.0)
    waited, _, _ = attitude_filter.updated(estimate_with(before, TILT), fresh, noise)
    gone_on, paths = estimate_with(before, TILT), [START]
    for sample in range(240):
        turn = attitude_filter.turn_of((0.7 + 0.0025 * sample, -0.3, 0.1 * math.sin(0.025 * sample)), seconds)
        waited = attitude_filter.predicted(waited, turn, seconds, noise, 0.0)
        gone_on = attitude_filter.predicted(gone_on, turn, seconds, noise, 0.0)
        paths.append(attitude_filter.extended(paths[-1], turn, seconds, (0.0, 0.0, 0.0)))
    since = attitude_filter.path_since(paths[0], paths[120], paths[120], paths[240])
    late, _, _ = attitude_filter.updated(gone_on, fresh._replace(since=since, seconds_since=240 * seconds), noise)
    scale = np.sqrt(np.diag(covariance_of(waited)))
    assert (covariance_of(late) - covariance_of(waited)) / np.outer(scale, scale) == pytest.approx(0.0, abs=5e-3)


def test_start_takes_the_attitude_and_covariance_of_the_sighting():
    turn = attitude_filter.turn_of((0.02, -0.03, 0.05), 2.0)
    measured = tuple(rotation.from_rotation_vector([0.3, 0.2, -0.5]))
    sighting = Sighting(measured, (0.6, 0.0, 0.8), 1e-4**2, 5e-4**2, one_turn(turn, 2.0), 2.0, 3e-3**2)
    estimate = attitude_filter.started(sighting, 1e-3**2, NOISE)
    assert estimate.orientation == pytest.approx(tuple(rotation.multiply(measured, turn)))
    along = rotation.rotate_inverse(turn, (0.6, 0.0, 0.8))
    # along the boresight: the picture, the bias over 2 s, the gyro, and its silence
    variance = along @ symmetric(estimate.angles) @ along
    walk = NOISE.walk_squared * 8.0 / 3.0
    assert variance == pytest.approx(
        5e-4**2 + (2.0 * 1e-3) ** 2 + 2.0 * NOISE.density_squared + walk + 3e-3**2, rel=1e-3
    )


def test_at_the_start_the_bias_has_its_variance_about_each_axis_and_nothing_to_do_with_the_attitude():
    unturned = (0.0, 0.0, 0.0, 1.0)
    sighting = Sighting(unturned, (0.0, 0.0, 1.0), 1e-4**2, 5e-4**2, NOTHING, 0.0, 0.0)
    estimate = attitude_filter.started(sighting, 1e-3**2, NOISE)
    expected = np.diag([1e-4**2, 1e-4**2, 5e-4**2, 1e-3**2, 1e-3**2, 1e-3**2])
    assert covariance_of(estimate) == pytest.approx(expected, rel=1e-12, abs=1e-25)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.03, 3.1])
def test_a_sighting_shows_the_rotation_vector_either_way_round(angle):
    vector = angle * np.array([0.36, -0.48, 0.8])
    q = rotation.from_rotation_vector(vector)
    for sign in (1.0, -1.0):
        assert attitude_filter.rotation_vector(tuple(sign * q)) == pytest.approx(tuple(vector), rel=1e-14)


def test_an_attitude_that_was_unknown_is_that_of_the_sighting():
    """An error of 0.7 rad with a deviation of 1 rad: what is left of it is the share of the noise, 1e-10."""
    truth = rotation.multiply(TILT, rotation.from_rotation_vector([0.5, -0.4, 0.3]))
    before = np.diag([1.0, 1.0, 1.0, 1e-12, 1e-12, 1e-12])
    sighting = Sighting(tuple(truth), (0.6, 0.0, 0.8), 1e-5**2, 1e-5**2, NOTHING, 0.0, 0.0)
    after, _, _ = attitude_filter.updated(estimate_with(before, TILT), sighting, NOISE)
    assert rotation.angle_between(after.orientation, truth) < 2e-10


def consistency(runs, delay=0, rate=(0.02, -0.03, 0.05), across=5e-5, along=4e-4):
    """Normalised errors of many runs at once, shape (samples, runs), of a tumbling body with one tracker.

    The truth is a constant body rate. `delay` is in gyro samples.
    """
    random = np.random.default_rng(20)
    seconds, every, noise = 0.1, 10, GyroNoise(3e-5**2, 2e-5**2, 0.1)
    boresight, rate, bias_deviation = (0.6, 0.0, 0.8), np.array(rate), 2e-3
    ones = np.ones(runs)

    def picture(truth):
        normals = tuple(random.normal(size=(3, runs)))
        return over_arrays(measuring.of_attitude)(truth, boresight, across, along, normals)

    def gyro(bias):
        return tuple(rate[:, None] + bias + math.sqrt(noise.density_squared / seconds) * random.normal(size=(3, runs)))

    bias = bias_deviation * random.normal(size=(3, runs))
    truth = tuple(part * ones for part in rotation.from_rotation_vector([0.3, 0.2, -0.5]))
    first = Sighting(picture(truth), boresight, across**2 * ones, along**2 * ones, NOTHING, 0.0 * ones, 0.0 * ones)
    estimate = over_arrays(attitude_filter.started)(first, bias_deviation**2 * ones, noise)
    estimate = estimate._replace(bias_body=np.zeros((3, runs)))
    before, errors, pending = gyro(bias), [], []
    path = Path(*(tuple(part * ones for part in parts) for parts in START))
    paths = [path]
    truth_turn = attitude_filter.turn_of(tuple(rate), seconds)
    for sample in range(1, 601):
        truth = over_arrays(attitude_filter.multiply)(truth, truth_turn)
        bias = bias + math.sqrt(noise.walk_squared * seconds) * random.normal(size=(3, runs))
        after = gyro(bias)
        mean = over_arrays(attitude_filter.mean_rate)(before, after, estimate.bias_body)
        turn = over_arrays(attitude_filter.turn_of)(mean, seconds)
        path = extended(path, turn, seconds, estimate.bias_body)
        paths.append(path)
        estimate, before = predicted(estimate, turn, seconds, noise, 0.0), after
        if sample % every == 0:
            pending.append((sample, picture(truth)))
        if pending and sample - pending[0][0] == delay:
            taken, shown = pending.pop(0)
            age = delay * seconds * ones
            since = path_since(*(paths[taken + passed] for passed in (0, delay // 2, delay - delay // 2, delay)))
            sighting = Sighting(shown, boresight, across**2 * ones, along**2 * ones, since, age, 0.0 * ones)
            estimate, _, _ = updated(estimate, sighting, noise)
            difference = over_arrays(attitude_filter.multiply)(
                over_arrays(attitude_filter.conjugate)(estimate.orientation), truth
            )
            error = np.array(
                [*over_arrays(attitude_filter.rotation_vector)(difference), *(bias - np.array(estimate.bias_body))]
            )
            whole = np.array(
                [covariance_of(Estimate(*(tuple(np.array(p)[:, run]) for p in estimate))) for run in range(runs)]
            )
            errors.append(np.einsum("ir,rij,jr->r", error, np.linalg.inv(whole), error))
    return np.array(errors)


@pytest.mark.parametrize("delay", sized([25], [0, 7, 25]))
def test_errors_are_as_large_as_the_filter_says(delay):
    """Over 100 seeds the mean of eᵀ P⁻¹ e is χ²(600)/100: 95 % of the samples lie between 5.34 and 6.70.

    The samples of one run are correlated, so that of 57 to 60 times about six may lie outside by chance. The covariance is that of a gyro
    whose noise is added at once and not half a sample later, and slightly too large.
    """
    means = consistency(100, delay).mean(axis=1)
    outside = ((means < 5.34) | (means > 6.70)).mean()
    assert outside <= 0.1
    assert 5.7 < means.mean() < 6.3


def test_a_bias_that_was_found_meanwhile_is_taken_off_in_the_axes_of_its_time():
    """The bias moves the attitude by 7 mrad over 3.5 s in which the body turns by 1 rad, beside a noise of 0.05 mrad.

    With the mean of the bias over that time, and the walk of the bias in axes that do not turn, the covariance became indefinite.
    """
    means = consistency(100, 35, rate=(0.1, -0.15, 0.25), across=5e-5, along=5e-5).mean(axis=1)
    assert 5.0 < means.min() and means.max() < 7.0
    assert 5.6 < means.mean() < 6.2


def test_a_path_is_the_integral_over_a_body_that_turns_in_any_way():
    """Against sums over a thousand parts of each sample; Simpson's rule over turns by 0.1 rad leaves 1e-8."""
    random, seconds, parts = np.random.default_rng(4), 0.2, 1000
    rates, biases = 0.3 * random.normal(size=(12, 3)), 1e-3 * random.normal(size=(12, 3))
    paths = [START]
    for rate, bias in zip(rates, biases, strict=True):
        turn = attitude_filter.turn_of(tuple(rate), seconds)
        paths.append(attitude_filter.extended(paths[-1], turn, seconds, tuple(bias)))
    since = attitude_filter.path_since(paths[4], paths[8], paths[8], paths[12])
    orientation, moments = np.array(START.turn), []
    for rate, bias in zip(rates[4:], biases[4:], strict=True):
        for part in range(parts):
            middle = rotation.from_rotation_vector(rate * seconds * (part + 0.5) / parts)
            moments.append((rotation.to_matrix(rotation.multiply(orientation, middle)), bias))
        orientation = rotation.multiply(orientation, rotation.from_rotation_vector(rate * seconds))
    to_now = rotation.to_matrix(orientation).T
    step = seconds / parts
    assert since.turn == pytest.approx(tuple(orientation), abs=1e-15)
    assert np.reshape(since.integral, (3, 3)) == pytest.approx(to_now @ sum(m for m, _ in moments) * step, abs=2e-7)
    half = sum(m for m, _ in moments[: 4 * parts])
    assert np.reshape(since.first_half, (3, 3)) == pytest.approx(to_now @ half * step, abs=2e-7)
    assert since.bias_angle == pytest.approx(tuple(to_now @ sum(m @ b for m, b in moments) * step), abs=3e-10)


@kernel("one_filter_step")
def _one_step(state, out):
    estimate = Estimate(
        (state[0], state[1], state[2], state[3]),
        (state[4], state[5], state[6]),
        (state[7], state[8], state[9], state[10], state[11], state[12]),
        (state[13], state[14], state[15], state[16], state[17], state[18], state[19], state[20], state[21]),
        (state[22], state[23], state[24], state[25], state[26], state[27]),
    )
    noise = GyroNoise(1e-8, 1e-10, 0.1)
    turn = attitude_filter.turn_of((0.1, -0.2, 0.3), 0.1)
    ahead = attitude_filter.predicted(estimate, turn, 0.1, noise, 1e-9)
    start = Path((0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    then = attitude_filter.extended(start, turn, 0.1, (1e-3, 2e-3, -1e-3))
    now = attitude_filter.extended(then, turn, 0.1, estimate.bias_body)
    q, since = (state[28], state[29], state[30], state[31]), attitude_filter.path_since(then, then, now, now)
    result, _, _ = attitude_filter.updated(ahead, Sighting(q, (0.6, 0.0, 0.8), 1e-8, 1e-6, since, 0.1, 1e-9), noise)
    out[0:4] = result.orientation
    out[4:7] = result.bias_body
    out[7:13] = result.angles
    out[13:22] = result.mixed
    out[22:28] = result.biases
    return 0


def test_compiled_plain_and_over_arrays_agree_to_the_last_bit():
    random = np.random.default_rng(1)
    states = []
    for seed in range(20):
        start = rotation.from_rotation_vector(random.normal(size=3))
        near = rotation.multiply(start, rotation.from_rotation_vector(1e-3 * random.normal(size=3)))
        estimate = estimate_with(any_covariance(seed), start, 1e-3 * random.normal(size=3))
        states.append(np.concatenate([np.concatenate([np.ravel(part) for part in estimate]), near]))
    columns = np.array(states).T
    whole = Estimate(*(tuple(columns[a:b]) for a, b in ((0, 4), (4, 7), (7, 13), (13, 22), (22, 28))))
    noise, turn = GyroNoise(1e-8, 1e-10, 0.1), attitude_filter.turn_of((0.1, -0.2, 0.3), 0.1)
    then = attitude_filter.extended(START, turn, 0.1, (1e-3, 2e-3, -1e-3))
    now = extended(then, turn, 0.1, whole.bias_body)
    since = path_since(then, then, now, now)
    sighting = Sighting(tuple(columns[28:32]), (0.6, 0.0, 0.8), 1e-8, 1e-6, since, 0.1, 1e-9)
    after, _, _ = updated(predicted(whole, turn, 0.1, noise, 1e-9), sighting, noise)
    stacked = np.concatenate([np.array(part) for part in after]).T
    for state, row in zip(states, stacked, strict=True):
        out = np.empty(28)
        _one_step(state, out)
        assert out.tolist() == row.tolist()
