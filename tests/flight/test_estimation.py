"""Estimators: attitude from directions against closed forms and eigenvectors, and the attitude filter in a world."""

import copy
import math

import numpy as np
import pytest

from engine import MassProperties, NonFiniteStateError, Snapshot, World, flight, rotation
from engine.flight import estimation

from ..lengths import sized

BOX = MassProperties.box(600.0, (2.0, 2.0, 3.0))
RATE = (0.02, -0.03, 0.05)
TILT = tuple(rotation.from_rotation_vector([0.3, -0.7, 0.5]))


def random_rotations(count, seed=0):
    return rotation.from_rotation_vector(np.random.default_rng(seed).normal(size=(count, 3)) * 2.0)


# directions


def test_triad_finds_the_rotation_of_exact_directions():
    random = np.random.default_rng(1)
    orientations, body = random_rotations(200), random.normal(size=(2, 200, 3))
    world = rotation.rotate(orientations, body)
    assert rotation.angle_between(flight.triad(*body, *world), orientations).max() < 1e-13


def test_triad_matches_the_first_direction_and_the_plane_of_the_second():
    """By hand: x is exact; the second is 45° off the plane, of which only its part across x counts."""
    found = flight.triad((1, 0, 0), (1, 1, 0), (0, 0, 2), (1, 0, 1))
    assert rotation.rotate(found, (1.0, 0.0, 0.0)) == pytest.approx([0.0, 0.0, 1.0], abs=1e-15)
    assert rotation.rotate(found, (0.0, 1.0, 0.0)) == pytest.approx([1.0, 0.0, 0.0], abs=1e-15)


def davenport(body, world, weights):
    """The optimum by NumPy's eigenvectors, and its cost."""
    profile = np.einsum("k,ki,kj->ij", weights, world, body)
    z = np.array([profile[2, 1] - profile[1, 2], profile[0, 2] - profile[2, 0], profile[1, 0] - profile[0, 1]])
    trace = np.trace(profile)
    matrix = np.block([[profile + profile.T - trace * np.eye(3), z[:, None]], [z[None, :], np.array([[trace]])]])
    values, vectors = np.linalg.eigh(matrix)
    return vectors[:, -1], weights.sum() - values[-1]


def cost(q, body, world, weights):
    """Wahba's measure."""
    return 0.5 * (weights * ((world - rotation.rotate(q, body)) ** 2).sum(axis=-1)).sum()


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.5, 10.0])
def test_quest_finds_the_least_cost(noise):
    """Against the eigenvectors of NumPy: attitude to 1e-9 rad, and no small turn has less cost."""
    random = np.random.default_rng(3)
    for orientation in random_rotations(40, seed=4):
        count = int(random.integers(2, 7))
        body = random.normal(size=(count, 3))
        world = rotation.rotate(orientation, body) + noise * random.normal(size=(count, 3))
        body /= np.linalg.norm(body, axis=1)[:, None]
        world /= np.linalg.norm(world, axis=1)[:, None]
        weights = random.uniform(0.1, 10.0, count)
        found = flight.quest(3.0 * body, 0.5 * world, weights)
        best, least = davenport(body, world, weights)
        assert rotation.angle_between(found, rotation.multiply(best, (0, 0, 0, 1.0))) < 1e-9
        assert cost(found, body, world, weights) == pytest.approx(least, abs=1e-12 * weights.sum())
        for turn in 1e-3 * np.vstack([np.eye(3), -np.eye(3)]):
            assert cost(rotation.multiply(found, rotation.from_rotation_vector(turn)), body, world, weights) > least
        if noise == 0.0:
            assert rotation.angle_between(found, orientation) < 1e-11


def test_quest_of_two_directions_with_one_heavy_weight_is_triad():
    body, world = [(1.0, 0.0, 0.0), (0.6, 0.8, 0.0)], [(0.0, 0.0, 1.0), (0.1, 0.7, 0.7)]
    expected = flight.triad(*body, *world)
    assert rotation.angle_between(flight.quest(body, world, (1.0, 1e-9)), expected) < 1e-8
    assert rotation.angle_between(flight.quest(body, world, (1e-9, 1.0)), expected) > 0.01


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.5 * math.pi, math.pi - 1e-9, math.pi])
def test_quest_has_no_singular_attitude(angle):
    body = np.eye(3)
    for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (0.36, 0.48, 0.8)):
        orientation = rotation.from_axis_angle(axis, angle)
        assert rotation.angle_between(flight.quest(body, rotation.rotate(orientation, body)), orientation) < 1e-14


@pytest.mark.parametrize("separation", [1.0, 0.1, 1e-2, 1e-3])
def test_error_of_quest_is_as_stated(separation):
    """4e-15 rad over the square of the angle between two directions."""
    body = np.array([(0.0, 0.0, 1.0), (math.sin(separation), 0.0, math.cos(separation))])
    for orientation in random_rotations(50, seed=5):
        found = flight.quest(body, rotation.rotate(orientation, body))
        assert rotation.angle_between(found, orientation) < 4e-15 / separation**2 + 1e-15


def test_stacks_of_directions_have_the_bits_of_each():
    random = np.random.default_rng(6)
    body, world, weights = (
        random.normal(size=(4, 5, 3, 3)),
        random.normal(size=(5, 3, 3)),
        random.uniform(0.1, 1.0, (4, 5, 3)),
    )
    stack = flight.quest(body, world, weights)
    pairs = flight.triad(body[..., 0, :], body[..., 1, :], world[..., 0, :], world[..., 1, :])
    assert stack.shape == pairs.shape == (4, 5, 4)
    for place in np.ndindex(4, 5):
        one = flight.quest(body[place], world[place[1]], weights[place])
        assert one.tolist() == stack[place].tolist()
        two = flight.triad(body[place][0], body[place][1], world[place[1]][0], world[place[1]][1])
        assert two.tolist() == pairs[place].tolist()


def test_errors_of_quest_are_those_of_maximum_likelihood():
    """With weights 1/σ² the covariance of the error is [Σ (1 − b bᵀ)/σ²]⁻¹ (Shuster and Oh, 1981), to the chance of 4000 runs, 5 %."""
    random, count = np.random.default_rng(7), 4000
    body = np.array([(1.0, 0.0, 0.0), (0.6, 0.8, 0.0), (0.0, 0.6, 0.8)])
    sigma = np.array([1e-4, 3e-4, 1e-3])
    noise = random.normal(size=(count, 3, 3)) * sigma[:, None]
    measured = body + noise - np.einsum("nki,ki->nk", noise, body)[..., None] * body
    found = flight.quest(measured, rotation.rotate(TILT, body), 1.0 / sigma**2)
    error = 2.0 * rotation.multiply(rotation.conjugate(found), np.array(TILT))
    error = error[:, :3] * np.sign(error[:, 3:])
    information = sum((np.eye(3) - np.outer(b, b)) / s**2 for b, s in zip(body, sigma, strict=True))
    whitened = np.einsum("ni,ij,nj->n", error, information, error)
    assert whitened.mean() == pytest.approx(3.0, rel=0.05)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([(1, 0, 0)], [(1, 0, 0)]), "k at least 2"),
        (([(1, 0, 0), (0, 1, 0)], [(1, 0, 0)]), "k at least 2"),
        (([(1, 0, 0), (2, 0, 0)], [(1, 0, 0), (0, 1, 0)]), "not all on one line"),
        (([(1, 0, 0), (-1, 0, 0)], [(1, 0, 0), (-1, 0, 0)]), "not all on one line"),
        (([(1, 0, 0), (0, 0, 0)], [(1, 0, 0), (0, 1, 0)]), "directions_body must be non-zero"),
        (([(1, 0, 0), (0, math.nan, 0)], [(1, 0, 0), (0, 1, 0)]), "directions_body"),
        (([(1, 0, 0), (0, 1, 0)], [(1, 0, 0), (0, 1)]), "directions_world"),
        (([(1, 0, 0), (0, 1, 0)], [(1, 0, 0), (0, 1, 0)], (1.0, -1.0)), "weights must be at least 0"),
        (([(1, 0, 0), (0, 1, 0)], [(1, 0, 0), (0, 1, 0)], (0.0, 0.0)), "weights must be at least 0"),
        (([(1, 0, 0), (0, 1, 0)], [(1, 0, 0), (0, 1, 0)], (1.0,)), "weights"),
    ],
)
def test_wrong_directions_are_rejected(arguments, words):
    with pytest.raises(ValueError, match=words):
        flight.quest(*arguments)


def test_triad_rejects_directions_on_one_line():
    with pytest.raises(ValueError, match="two directions that are not on one line"):
        flight.triad((1, 0, 0), (2, 0, 0), (1, 0, 0), (0, 1, 0))
    with pytest.raises(ValueError, match="two directions that are not on one line"):
        flight.triad((1, 0, 0), (0, 1, 0), (1, 0, 0), (-3, 0, 0))
    with pytest.raises(ValueError, match="first_body"):
        flight.triad((0, 0, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0))


# the filter in a world


def world_with_filter(dt=0.1, gyro=None, tracker=None, second=None, rate=RATE, **options):
    """A tumbling ship with gyro, one or two trackers and a filter."""
    world = World(dt=dt)
    ship = world.add_body(BOX, name="ship", orientation=TILT, angular_velocity_body=rate)
    gyro = world.add_part(
        flight.Gyro(ship, **({"noise_density": 1e-5, "bias_body": (2e-4, -3e-4, 1e-4), "seed": 1} | (gyro or {})))
    )
    start = {"noise": (2e-5, 1e-4), "every": 10, "seed": 2}
    trackers = [world.add_part(flight.StarTracker(ship, (0.6, 0.0, 0.8), **(start | (tracker or {}))))]
    if second is not None:
        trackers.append(world.add_part(flight.StarTracker(ship, (0.0, 1.0, 0.0), **(start | {"seed": 3} | second))))
    return world, ship, world.add_part(flight.AttitudeFilter(gyro, trackers, **options))


def errors(ship, estimate):
    """Error of the attitude [rad] and of the bias [rad/s], body frame."""
    q = rotation.multiply(rotation.conjugate(estimate.orientation), ship.orientation)
    return rotation.to_axis_angle(q)[0] * rotation.to_axis_angle(q)[1], np.array(
        estimate.gyro.bias_body
    ) - estimate.bias_body


def at_samples(world, ship, ticks):
    """Run ticks, and return the pose of the ship at the start of the last one, which the sensors have seen."""
    world.step(ticks - 1)
    seen = ship.orientation
    world.step()
    return seen


@pytest.mark.parametrize(
    "options",
    [{}, {"tracker": {"delay": 2}}, {"second": {}}, {"second": {"every": 5, "delay": 3}}, {"gyro": {"every": 5}}],
    ids=["one", "late", "two", "two, one late", "slow gyro"],
)
def test_the_filter_finds_attitude_and_bias(options):
    """After ten minutes within five standard deviations, which have become smaller than those of a sighting."""
    world, ship, estimate = world_with_filter(**options)
    seen = at_samples(world, ship, 6001)
    deviation = np.sqrt(np.diag(estimate.covariance))
    q = rotation.multiply(rotation.conjugate(estimate.orientation), seen)
    error = np.concatenate([2.0 * q[:3] * np.sign(q[3]), np.array(estimate.gyro.bias_body) - estimate.bias_body])
    assert (np.abs(error) < 5.0 * deviation).all()
    assert deviation[:3].max() < 5e-5 and deviation[3:].max() < 5e-6
    assert estimate.angular_velocity_body == pytest.approx(ship.angular_velocity_body, abs=2e-4)


def test_normalised_error_is_within_its_bounds_over_a_hundred_seeds():
    """eᵀ P⁻¹ e of 100 ships with seeds of their own: its mean is χ²(600)/100, 95 % of them between 5.34 and 6.70.

    At eight times far apart, at most one may lie outside by chance.
    """
    world, ships = World(dt=0.1), []
    for seed in range(100):
        ship = world.add_body(BOX, orientation=TILT, angular_velocity_body=RATE)
        bias = 1e-3 * np.random.default_rng(seed).normal(size=3)
        gyro = world.add_part(flight.Gyro(ship, noise_density=3e-5, bias_body=bias, bias_walk=1e-5, seed=seed))
        tracker = world.add_part(
            flight.StarTracker(ship, (0.6, 0.0, 0.8), noise=(5e-5, 3e-4), every=8, delay=1, seed=seed)
        )
        ships.append((ship, gyro, world.add_part(flight.AttitudeFilter(gyro, [tracker]))))
    means = []
    for _ in range(8):
        world.step(19)
        seen = [ship.orientation for ship, _, _ in ships]
        world.step()
        total = 0.0
        for (_, gyro, estimate), truth in zip(ships, seen, strict=True):
            q = rotation.multiply(rotation.conjugate(estimate.orientation), truth)
            error = np.concatenate([2.0 * q[:3] * np.sign(q[3]), np.array(gyro.bias_body) - estimate.bias_body])
            total += error @ np.linalg.solve(estimate.covariance, error)
        means.append(total / len(ships))
    assert sum(not 5.34 < mean < 6.70 for mean in means) <= 1


MIXTURES = {  # noise of the gyro and of the trackers; `every` and `delay` of each tracker
    "fast and slow": (1e-4, (1e-4, 8e-4), (1, 4), (3, 4)),
    "now and late": (1e-4, (1e-4, 8e-4), (1, 0), (1, 10)),
    "one sample and two": (1e-5, (1e-5, 8e-5), (10, 1), (10, 2)),
    "rarely now": (1e-5, (1e-5, 8e-5), (10, 0), (5, 7)),
    "three": (1e-5, (1e-5, 8e-5), (10, 0), (7, 3), (3, 2)),
}


@pytest.mark.parametrize("mixture", sized(["three"], list(MIXTURES)))
def test_trackers_of_different_delays_leave_the_filter_as_certain_as_it_is(mixture):
    """Of 60 seeds, eᵀ P⁻¹ e of the attitude has a mean between 2.42 and 3.65 in 95 % of the samples, and that of all errors between 5.16
    and 6.91.

    At twenty times, at most four may lie outside by chance, since neighbours are correlated. The covariance is positive definite in every
    sample, in `.ci/run` in every third one.
    """
    density, noise, *trackers = MIXTURES[mixture]
    world, ships = World(dt=0.1), []
    for seed in range(60):
        ship = world.add_body(BOX, orientation=TILT, angular_velocity_body=RATE)
        bias = 1e-3 * np.random.default_rng(seed).normal(size=3)
        gyro = world.add_part(
            flight.Gyro(ship, noise_density=density, bias_body=bias, bias_walk=1e-6, seed=seed, name=f"gyro {seed}")
        )
        made = [
            flight.StarTracker(ship, axis, noise=noise, every=every, delay=delay, seed=seed, name=f"{seed} {axis}")
            for axis, (every, delay) in zip(np.eye(3).tolist(), trackers, strict=False)
        ]
        ships.append((ship, gyro, world.add_part(flight.AttitudeFilter(gyro, [world.add_part(one) for one in made]))))
    world.step(150)  # the first bias is found by then
    means = []
    for sample in range(0, 300, every := sized(3, 1)):
        world.step(every - 1)
        seen = [ship.orientation for ship, _, _ in ships]
        world.step()
        covariances = np.array([estimate.covariance for _, _, estimate in ships])
        variances = np.diagonal(covariances, axis1=1, axis2=2)
        assert (variances > 0.0).all()
        scales = np.sqrt(variances)
        assert np.linalg.eigvalsh(covariances / (scales[:, :, None] * scales[:, None]))[:, 0].min() > 0.01
        if sample % 15 == 0:
            found = np.array([errors_to(truth, estimate) for truth, (_, _, estimate) in zip(seen, ships, strict=True)])
            means.append([normalised(found[:, :size], covariances[:, :size, :size]) for size in (3, 6)])
    attitude, both = np.array(means).T
    assert ((attitude < 2.42) | (attitude > 3.65)).sum() <= 4
    assert ((both < 5.16) | (both > 6.91)).sum() <= 4


def normalised(errors, covariances):
    """The mean of eᵀ P⁻¹ e."""
    return np.einsum("ni,ni->n", errors, np.linalg.solve(covariances, errors[:, :, None])[:, :, 0]).mean()


def test_sightings_out_of_order_leave_the_estimate_of_a_filter_that_waits_for_the_latest():
    """Pictures of one tracker at once and of another 1.5 s late: when the last one has arrived, the estimate is that of trackers that are
    both 1.5 s late, to the last bit. Before that it is better.
    """

    def errors_and_covariances(delay):
        world, ship, estimate = world_with_filter(tracker={"every": 3, "delay": 5}, second={"every": 5, "delay": delay})
        found = []
        for ticks in (91, 20):
            seen = at_samples(world, ship, ticks)
            found.append((errors_to(seen, estimate), estimate.covariance))
            for tracker in estimate.trackers:
                tracker.max_rate = 1e-6  # it sees nothing from now on
        return found

    at_once, waiting = errors_and_covariances(0), errors_and_covariances(3)
    assert (np.diag(at_once[0][1]) < np.diag(waiting[0][1])).all()
    assert [part.tolist() for part in at_once[1]] == [part.tolist() for part in waiting[1]]


@pytest.mark.parametrize("delays", [(0, 0), (2, 2), (0, 3)])
def test_after_a_coast_of_a_day_the_covariance_is_not_lost_in_rounding(delays):
    """The variance of the attitude would grow to 1e6 rad², whose rounding is larger than the variance of a sighting."""
    first, second = delays
    world, ship, estimate = world_with_filter(
        tracker={"delay": first, "noise": (1e-6, 1e-5)}, second={"delay": second, "noise": (1e-6, 1e-5)}
    )
    world.step(100)
    estimate.enabled = False
    world.coast(1_000_001)
    estimate.enabled = True
    world.step(1)
    assert 3.0 < math.sqrt(estimate.covariance[0, 0]) < 3.3
    for _ in range(100):
        assert normalised_error(ship, estimate) < 25.0
        deviation = np.sqrt(np.diag(estimate.covariance))
        assert np.linalg.eigvalsh(estimate.covariance / np.outer(deviation, deviation))[0] > 1e-3
    assert deviation[0] < 1e-4


@pytest.mark.parametrize("undo", ["snapshot", "bytes", "copy"])
def test_sightings_that_wait_are_saved_and_copied(undo):
    world, _, estimate = world_with_filter(tracker={"every": 5}, second={"every": 3, "delay": 5})
    world.step(50)
    snapshot, other = world.snapshot(), copy.deepcopy(world)
    world.step(30)
    expected = world.state_hash(), estimate.covariance.tolist()
    if undo == "copy":
        world, estimate = other, other.parts[-1]
    else:
        world.restore(snapshot if undo == "snapshot" else Snapshot.from_bytes(snapshot.to_bytes()))
    world.step(30)
    assert (world.state_hash(), estimate.covariance.tolist()) == expected


def errors_to(truth, estimate):
    """Error of the attitude [rad] and of the bias [rad/s], body frame, shape (6,)."""
    q = rotation.multiply(rotation.conjugate(estimate.orientation), truth)
    return np.array([*(2.0 * q[:3] * np.sign(q[3])), *(np.array(estimate.gyro.bias_body) - estimate.bias_body)])


def test_without_noise_the_filter_follows_a_tumble_to_second_order():
    """The mean of two readings errs by about T³ ω̈/12 per sample, so that half the interval has a quarter of the error."""

    def error(dt):
        world = World(dt=dt)
        ship = world.add_body(BOX, orientation=TILT, angular_velocity_body=(0.3, -0.5, 0.2))
        gyro = world.add_part(flight.Gyro(ship, seed=1))
        tracker = world.add_part(flight.StarTracker(ship, (0, 0, 1), noise=(1e-4, 1e-4), max_rate=0.01, seed=1))
        options = {"orientation": TILT, "orientation_deviation": 1e-6}
        estimate = world.add_part(flight.AttitudeFilter(gyro, [tracker], **options))
        seen = at_samples(world, ship, round(8.0 / dt) + 1)
        assert estimate.bias_body.tolist() == [0.0, 0.0, 0.0]
        return rotation.angle_between(estimate.orientation, seen)

    coarse, fine = error(0.1), error(0.05)
    assert coarse < 2e-3
    assert 3.5 < coarse / fine < 4.5


def test_a_filter_starts_at_its_first_valid_sighting():
    world, ship, estimate = world_with_filter(tracker={"delay": 1, "noise": (1e-6, 1e-6)})
    world.step(10)
    assert not estimate.is_started
    assert estimate.orientation.tolist() == [0.0, 0.0, 0.0, 1.0]
    assert np.isinf(np.diag(estimate.covariance)).all()
    seen = at_samples(world, ship, 1)
    assert estimate.is_started
    # the bias, which is not known yet, has acted for a second
    assert rotation.angle_between(estimate.orientation, seen) == pytest.approx(3.74e-4, rel=0.1)
    assert np.sqrt(np.diag(estimate.covariance))[:3] == pytest.approx(1e-3, rel=0.1)


def test_a_blinded_tracker_changes_nothing():
    world, _, estimate = world_with_filter(tracker={"exclusion": [flight.Exclusion.ball((0, 0, 0), 10.0, 0.0)]})
    world.step(50)
    assert not estimate.is_started


def test_a_silent_gyro_makes_the_filter_less_certain_but_not_lost():
    """The held rate is wrong by at most `rate_deviation`, and the variance grows with the square of the time, as it does for one rate."""
    world, ship, estimate = world_with_filter(
        rate_deviation=0.01, gyro={"bias_body": (0, 0, 0)}, tracker={"every": 1000}
    )
    world.step(20)
    before = estimate.covariance[0, 0]
    estimate.gyro.fault = "dead"
    held = estimate.angular_velocity_body
    ticks = 30
    world.step(ticks)
    assert estimate.angular_velocity_body == pytest.approx(held, abs=1e-15)
    assert estimate.covariance[0, 0] - before == pytest.approx((0.01 * ticks * 0.1) ** 2, rel=0.05)
    estimate.gyro.fault = None
    world.step(2)
    again = estimate.covariance[0, 0]
    world.step(10)
    assert estimate.covariance[0, 0] - again < 0.1 * again
    assert estimate.angular_velocity_body == pytest.approx(ship.angular_velocity_body, abs=1e-3)


def normalised_error(ship, estimate):
    """Run a tick, and return eᵀ P⁻¹ e of the attitude that the sensors have seen in it."""
    seen = ship.orientation
    ship.world.step()
    q = rotation.multiply(rotation.conjugate(estimate.orientation), seen)
    error = 2.0 * q[:3] * np.sign(q[3])
    return error @ np.linalg.solve(estimate.covariance[:3, :3], error)


@pytest.mark.parametrize("delay", [0, 1, 2])
def test_a_sighting_that_arrives_while_the_gyro_is_silent_leaves_what_the_filter_does_not_know_since(delay):
    """The true rate differs from the held one by `rate_deviation` about each axis: over 20 seeds eᵀ P⁻¹ e is at most χ²(60)/20.

    99.9 % of such means are below 4.98. The error of the held rate stays, and what is left of it after a sighting is counted in full, so
    that the means are smaller.
    """
    errors, used = [], []
    for seed in range(20):
        world, ship, estimate = world_with_filter(
            rate_deviation=0.01, tracker={"delay": delay, "every": 20, "seed": seed}, gyro={"seed": seed}
        )
        world.step(201)
        estimate.gyro.fault = "dead"
        ship.angular_velocity_body = RATE + 0.01 * np.random.default_rng(seed).normal(size=3)
        world.step(59)
        before = estimate.covariance[0, 0]
        errors.append([normalised_error(ship, estimate) for _ in range(3)])
        used.append(estimate.covariance[0, 0] < before)
    assert all(used)
    assert (np.mean(errors, axis=0) < 4.98).all()


@pytest.mark.parametrize("silence", sized([100], [30, 100, 10000]))
def test_a_late_sighting_after_a_long_silence_is_not_believed_completely(silence):
    """The body has turned since the picture, by what nobody knows, however unknown the attitude was before."""
    gyro, tracker = {"noise_density": 1e-4}, {"delay": 5, "every": 1, "noise": (1e-4, 1e-3)}
    world, ship, estimate = world_with_filter(rate_deviation=0.05, gyro=gyro, tracker=tracker, rate=(0.03, 0.04, 0))
    world.step(100)
    estimate.gyro.fault = estimate.trackers[0].fault = "dead"
    ship.angular_velocity_body = (-0.03, 0.02, 0.05)
    world.step(silence * 10)
    estimate.trackers[0].fault = None
    world.step(5)
    assert normalised_error(ship, estimate) < 16.0
    # the sum of what each of five samples adds to the variance σ² that they leave, d² δ² + 2 σ d δ
    world.step(100)
    assert normalised_error(ship, estimate) < 16.0
    assert 0.05 * 0.5 < math.sqrt(estimate.covariance[0, 0]) < 2.1 * 0.05 * 0.5


def test_an_uncertainty_about_one_axis_does_not_hide_what_a_silent_gyro_adds_about_the_others():
    """The unknown bias makes only the angle about the axis of the turn uncertain, which is at 55° to all body axes."""
    world, ship, estimate = world_with_filter(
        rate=(0.6, 0.6, 0.6),
        gyro={"noise_density": 1e-4},
        tracker={"delay": 10, "every": 1, "noise": (1e-4, 1e-3)},
        rate_deviation=0.005,
        bias_deviation=0.3,
        orientation=TILT,
        orientation_deviation=1e-3,
    )
    ship.mass_properties = MassProperties.sphere(10.0, 1.0)  # turns at a constant rate
    estimate.trackers[0].fault = "dead"
    world.step(2)
    estimate.gyro.fault = "dead"
    world.step(10000)
    estimate.trackers[0].fault = None
    for _ in range(40):
        world.step()
        assert (np.linalg.eigvalsh(estimate.covariance[:3, :3]) > 0.0).all()
    assert normalised_error(ship, estimate) < 16.0


@pytest.mark.parametrize("turn", sized([6.0], [0.0, 1.2, 6.0, 60.0]))
def test_a_far_turn_while_the_filter_was_off_is_known_with_the_bias(turn):
    """The normalised error of attitude and bias, over 40 seeds: 99.9 % of such means of χ²(6) are within 4.5 and 7.9."""
    found = []
    for seed in range(40):
        random = np.random.default_rng(seed)
        axis = random.normal(size=3)
        bias, gap = 1e-3 * random.normal(size=3), 60.0
        world, ship, estimate = world_with_filter(
            rate=turn / gap * axis / np.linalg.norm(axis),
            gyro={"bias_body": bias, "seed": seed},
            tracker={"noise": (1e-3, 1e-3), "every": 1, "seed": seed},
            rate_deviation=1e-4,
        )
        ship.mass_properties = MassProperties.sphere(10.0, 1.0)  # turns at a constant rate
        world.step(3)
        estimate.enabled = False
        world.step(600)
        estimate.enabled = True
        seen = at_samples(world, ship, 31)
        q = rotation.multiply(rotation.conjugate(estimate.orientation), seen)
        error = np.concatenate([2.0 * q[:3] * np.sign(q[3]), bias - estimate.bias_body])
        scale = np.sqrt(np.diag(estimate.covariance))
        found.append((error / scale) @ np.linalg.solve(estimate.covariance / np.outer(scale, scale), error / scale))
    assert np.mean(found) < 7.9


def test_a_filter_that_starts_while_the_gyro_is_silent_counts_the_silence_since_the_picture():
    """The start from a picture that is 1 s old: the rate is wrong by 0.05 rad/s, and was held since the picture."""
    world, _, estimate = world_with_filter(rate_deviation=0.05, tracker={"delay": 1}, gyro={"bias_body": (0, 0, 0)})
    estimate.gyro.fault = "dead"
    world.step(11)
    silent = 1.1**2 - 0.1**2  # from the first sample, when the gyro had been silent for 0.1 s
    bias = 1e-3**2
    assert estimate.covariance[0, 0] == pytest.approx(0.05**2 * silent + bias, rel=1e-3)


@pytest.mark.parametrize("delay", [1, 2])
def test_a_filter_that_is_enabled_after_a_coast_does_not_use_a_sighting_from_before(delay):
    """It stays uncertain until a sighting of its own arrives, and attitude and bias are within five deviations throughout.

    A sighting from before arrives with the first sample and leaves the bias alone. The first one of its own then shows an error of 0.7 rad.
    """
    world, ship, estimate = world_with_filter(tracker={"delay": delay, "noise": (1e-5, 1e-5)}, rate=(0.05, 0.2, 0.02))
    world.step(200)
    estimate.enabled = False
    world.coast(1000)
    estimate.enabled = True
    bias = estimate.bias_body
    world.step(9)
    assert estimate.bias_body.tolist() == bias.tolist()
    worst, deviations = 0.0, []
    for _ in range(50):
        worst = max(worst, normalised_error(ship, estimate))
        deviations.append(math.sqrt(estimate.covariance[0, 0]))
        _, error = errors(ship, estimate)
        assert (np.abs(error) < 5.0 * np.sqrt(np.diag(estimate.covariance)[3:])).all()
    assert worst < 25.0
    assert min(deviations[: 10 * delay - 9]) > 0.9 and deviations[-1] < 1e-3


def test_the_filter_is_undone_hashed_and_copied():
    world, _, estimate = world_with_filter(tracker={"delay": 1}, gyro={"every": 2})
    world.step(35)
    before, content = world.state_hash(), (estimate.orientation.tolist(), estimate.covariance.tolist())
    other = copy.deepcopy(world)
    fail = []

    @world.on_tick
    def stop(world):
        if not fail:
            fail.append(1)
            raise RuntimeError("once")

    with pytest.raises(RuntimeError, match="once"):
        world.step(1)
    assert (world.state_hash(), (estimate.orientation.tolist(), estimate.covariance.tolist())) == (before, content)
    world.step(40)
    other.step(40)
    copied = other.parts[-1]
    assert copied is not estimate and copied.gyro is other.parts[0] and copied.trackers == (other.parts[1],)
    assert copied.covariance.tolist() == estimate.covariance.tolist() != content[1]
    assert other.state_hash() == world.state_hash()


def test_estimates_have_these_bits_on_every_machine():
    world, _, estimate = world_with_filter(tracker={"delay": 1}, second={"every": 5}, gyro={"bias_walk": 1e-6})
    world.step(101)
    numbers = (*estimate.orientation, *estimate.bias_body, *np.diag(estimate.covariance))
    assert [float(number).hex() for number in numbers[::3]] == [
        "0x1.5a109576d1ef3p-3",
        "0x1.765b2324c1b20p-1",
        "0x1.a9cb62f2cacadp-14",
        "0x1.225721b2ecd60p-33",
        "0x1.1f33d3922a5f7p-36",
    ]


def test_a_tracker_on_its_way_is_used_for_the_time_at_which_it_was_taken():
    """A fast spin: a sighting 2 s late would be wrong by 0.6 rad if it were taken for one of now."""
    world, ship, estimate = world_with_filter(rate=(0.1, -0.2, 0.2), tracker={"delay": 2})
    seen = at_samples(world, ship, 1001)
    assert rotation.angle_between(estimate.orientation, seen) < 1e-3


def test_a_filter_that_was_switched_off_begins_anew_with_what_it_does_not_know():
    world, ship, estimate = world_with_filter(rate_deviation=0.05)
    world.step(100)
    estimate.enabled = False
    world.step(37)
    estimate.enabled = True
    world.step(1)
    assert math.sqrt(estimate.covariance[0, 0]) == pytest.approx(0.05 * 3.8, rel=0.01)
    seen = at_samples(world, ship, 40)
    assert rotation.angle_between(estimate.orientation, seen) < 1e-3


def test_a_control_loop_flies_by_the_estimate():
    """A ship that knows itself by gyro and star tracker alone comes to rest at the reference, to five deviations of what it knows."""
    world, ship, estimate = world_with_filter(tracker={"every": 5, "delay": 1})
    motor = world.add_part(flight.BodyTorque(ship, max_torque=20.0))
    law = flight.control.QuaternionPD.tuned(ship.inertia_body, max_torque_body=20.0, bandwidth=0.3)
    loop = world.add_part(flight.Controlled(ship, law, flight.Reference(), motor, every=1, measured=estimate))
    world.step(2000)
    bias = float(np.abs(estimate.gyro.bias_body - estimate.bias_body).max())
    assert bias < 1e-5
    assert 1e-8 < rotation.angle_between(ship.orientation, (0.0, 0.0, 0.0, 1.0)) < 2e-4
    assert loop.error_angle < 2e-4
    estimate.gyro.fault = "stuck"
    world.step(600)
    assert rotation.angle_between(ship.orientation, (0.0, 0.0, 0.0, 1.0)) > 1e-3  # what is measured matters


def test_sensors_that_do_not_fit_are_rejected():
    world = World(dt=0.1)
    ship, other = world.add_body(BOX, name="ship"), world.add_body(BOX, name="other")
    gyro, tracker = (
        flight.Gyro(ship, seed=1, every=2),
        flight.StarTracker(ship, (0, 0, 1), noise=(1e-5, 1e-5), seed=1, every=4),
    )
    cases = [
        (lambda: flight.AttitudeFilter(tracker, [tracker]), "gyro must be a flight.Gyro"),
        (lambda: flight.AttitudeFilter(flight.Gyro(ship, seed=1, delay=1), [tracker]), "without delay"),
        (lambda: flight.AttitudeFilter(gyro, tracker), "trackers must be a list"),
        (lambda: flight.AttitudeFilter(gyro, []), "one or more"),
        (lambda: flight.AttitudeFilter(gyro, [tracker, tracker]), "without repetition"),
        (lambda: flight.AttitudeFilter(gyro, [flight.StarTracker(other, (0, 0, 1), seed=1)]), "on body 'ship'"),
        (lambda: flight.AttitudeFilter(gyro, [flight.StarTracker(ship, (0, 0, 1), seed=1, every=3)]), "multiple of 2"),
        (lambda: flight.AttitudeFilter(gyro, [flight.StarTracker(ship, (0, 0, 1), seed=1, every=4)]), "noise above 0"),
        (lambda: flight.AttitudeFilter(gyro, [tracker], orientation=(0, 0, 0, 1)), "given together"),
        (
            lambda: flight.AttitudeFilter(gyro, [tracker], orientation=(0, 0, 0, 2), orientation_deviation=1.0),
            "unit length",
        ),
        (lambda: flight.AttitudeFilter(gyro, [tracker], bias_deviation=0.0), "bias_deviation"),
        (lambda: flight.AttitudeFilter(gyro, [tracker], noise_density=-1.0), "noise_density"),
        (lambda: flight.AttitudeFilter(gyro, [tracker], rate_deviation=math.nan), "rate_deviation"),
    ]
    for make, words in cases:
        with pytest.raises((ValueError, TypeError), match=words):
            make()
    world.add_part(gyro)
    with pytest.raises(ValueError, match="add it first"):
        world.add_part(flight.AttitudeFilter(gyro, [tracker]))
    assert world.parts == (gyro,)


def test_an_estimate_that_is_not_finite_undoes_the_tick_and_names_the_filter():
    world, _, estimate = world_with_filter()
    world.step(5)
    estimate.gyro.bias_body = (1e200, 0.0, 0.0)
    before = world.state_hash()
    with (
        np.errstate(all="ignore"),
        pytest.raises(NonFiniteStateError, match=r"AttitudeFilter\('ship attitude filter'\)"),
    ):
        world.step()
    assert world.state_hash() == before


@pytest.mark.parametrize("delay", [7, 8], ids=["an odd number of samples", "an even one"])
def test_a_filter_that_sees_late_while_it_turns_and_its_bias_walks_errs_as_much_as_it_says(delay):
    """Over 40 seeds, χ²(3)/40 per sample: a bias that moves the attitude by 7 mrad over the delay, beside a noise of 0.05 mrad."""
    found = []
    for seed in range(1, 41):
        world = World(dt=0.1)
        random = np.random.default_rng(seed)
        ship = world.add_body(MassProperties.sphere(500.0, 1.0), angular_velocity_body=(0.1, -0.15, 0.25))
        gyro = world.add_part(
            flight.Gyro(ship, noise_density=3e-5, bias_body=2e-3 * random.normal(size=3), bias_walk=2e-5, seed=seed)
        )
        tracker = world.add_part(
            flight.StarTracker(ship, (0, 0, 1), noise=(5e-5, 5e-5), every=5, delay=delay, seed=seed)
        )
        estimate = world.add_part(flight.AttitudeFilter(gyro, [tracker], bias_deviation=2e-3))
        row = []

        @world.on_tick(every=5)
        def look(world, ship=ship, estimate=estimate, row=row):
            if estimate.is_started:
                x, y, z, w = rotation.multiply(rotation.conjugate(estimate.orientation), ship.orientation)
                error = np.copysign(2.0, w) * np.array([x, y, z])
                row.append(error @ np.linalg.solve(estimate.covariance[:3, :3], error))

        world.step(150)
        found.append(row)
    means = np.mean(found, axis=0)
    assert means.min() > 1.5
    assert means.max() < 5.0
    assert 2.5 < means.mean() < 3.4


def test_the_state_of_a_filter_is_laid_out_as_its_kernels_read_it():
    names = ("latest_turn", "latest_bias_angle", "latest_tick", "latest_drift", "latest_turn_integral")
    names += ("is_started", "silence", "rate", "orientation")
    places = (0, estimation._BIAS_ANGLE, estimation._LATEST_TICK, estimation._LATEST_DRIFT, estimation._TURN_INTEGRAL)
    places += (estimation._IS_STARTED, estimation._SILENCE)
    places += (estimation._RATE, estimation._ORIENTATION, estimation._BIAS, estimation._ANGLES, estimation._MIXED)
    places += (estimation._BIASES, estimation._SETTLED, estimation._SETTLED + 1)
    names += ("bias_body", "angles", "mixed", "biases", "settled", "settled_orientation")
    row = estimation.ATTITUDE_FILTERS.row
    assert [row(name) - estimation._STATE for name in names] == list(places)
    # rings remember what has been measured as the state holds it
    measured = ("turn", "bias_angle", "tick", "drift", "turn_integral")
    assert len({row(f"latest_{name}") - row(name) for name in measured}) == 1
    assert row("turn_integral") + 9 - row("turn") == estimation._MEASURED
    # the settled estimate is laid out as the estimate is
    settled = [row(f"settled_{name}") - row(name) for name in ("orientation", "bias_body", "angles", "mixed", "biases")]
    assert len(set(settled)) == 1
    seen = (estimation._SEEN, estimation._SEEN + 4, estimation._SEEN + 7, estimation._SEEN + 9)
    assert [row(name) for name in ("seen", "seen_boresight", "seen_noise", "seen_tick")] == list(seen)


def filter_on_a_turning_ship(**settings):
    world = World(dt=0.1)
    ship = world.add_body(MassProperties.box(500.0, (2.0, 2.0, 3.0)), angular_velocity_body=(0.004, -0.007, 0.005))
    gyro = world.add_part(flight.Gyro(ship, noise_density=1e-5, bias_body=(1e-4, -2e-4, 3e-4), bias_walk=1e-8, seed=3))
    tracker = world.add_part(flight.StarTracker(ship, (0.6, 0.0, 0.8), noise=(2e-5, 1e-4), every=10, seed=4))
    estimate = world.add_part(flight.AttitudeFilter(gyro, [tracker], bias_deviation=1e-3, **settings))
    return world, ship, tracker, estimate


def test_residuals_are_as_large_as_their_covariance_says():
    """Of n sightings, the mean of r·S⁻¹·r is 3 with the standard deviation √(6/n), because its terms are χ² of three degrees."""
    world, _, _, estimate = filter_on_a_turning_ship()
    distances = []
    for _ in range(600):
        world.step(10)
        residual = estimate.residual
        if residual.any():
            distances.append(float(residual @ np.linalg.solve(estimate.residual_covariance, residual)))
    assert len(distances) >= 598
    assert abs(np.mean(distances) - 3.0) < 4.0 * np.sqrt(6.0 / len(distances))


def test_a_residual_is_the_rotation_from_the_prediction_to_the_sighting():
    world, _, tracker, estimate = filter_on_a_turning_ship(
        gate=1e-9
    )  # so narrow that it leaves every sighting as it is
    world.step(1)
    first = rotation.multiply((0.0, 0.0, 0.0, 1.0), estimate.orientation)
    assert not estimate.residual.any() and not estimate.is_rejected
    world.step(10)
    assert estimate.is_rejected and abs(first @ estimate.orientation) < 1.0
    shown = rotation.multiply(rotation.conjugate(estimate.orientation), tracker.read().orientation)
    axis, angle = rotation.to_axis_angle(shown)
    assert estimate.residual == pytest.approx(angle * axis, abs=1e-14)


@pytest.mark.parametrize("gate", [None, 5.0])
def test_a_gate_keeps_a_stuck_tracker_from_leading_the_filter_astray(gate):
    world, ship, tracker, estimate = filter_on_a_turning_ship(gate=gate)

    def error_after(ticks):
        world.step(ticks - 1)
        then = ship.orientation  # the estimate is that of the last sample, at the start of the last tick
        world.step()
        return float(rotation.angle_between(estimate.orientation, then))

    assert error_after(3001) < 1e-4 and not estimate.is_rejected and estimate.gate == gate
    tracker.fault = "stuck"
    error = error_after(600)
    residual = estimate.residual
    assert residual @ np.linalg.solve(estimate.residual_covariance, residual) > 25.0
    claimed = float(np.sqrt(estimate.covariance[0, 0]))
    if gate is None:
        assert error > 100.0 * claimed  # it believes the tracker
        return
    assert estimate.is_rejected and error < 1e-3
    tracker.fault = None
    assert error_after(600) < 1e-4 and not estimate.is_rejected


def test_a_filter_that_was_led_astray_rejects_right_sightings_and_another_one_does_not():
    """The first one believes its attitude and a bias that follow from a stuck tracker."""
    world, ship, tracker, astray = filter_on_a_turning_ship()
    world.step(3001)
    tracker.fault = "stuck"
    world.step(600)
    tracker.fault, astray.gate = None, 5.0
    other = flight.AttitudeFilter(world.parts[0], [tracker], bias_deviation=1e-3, gate=5.0, name="other")
    world.add_part(other)
    world.step(1200)
    errors = [rotation.angle_between(each.orientation, ship.orientation) for each in (astray, other)]
    assert errors[0] > 0.01 and astray.is_rejected
    assert errors[1] < 2e-3 and not other.is_rejected  # of which 1e-3 is the rotation since the last sample


@pytest.mark.parametrize("gate", [0.0, -1.0, float("nan"), "wide"])
def test_gates_that_cannot_be(gate):
    with pytest.raises((TypeError, ValueError), match="gate must be"):
        filter_on_a_turning_ship(gate=gate)
    _, _, _, estimate = filter_on_a_turning_ship()
    with pytest.raises((TypeError, ValueError), match="gate must be"):
        estimate.gate = gate
    assert estimate.gate is None
