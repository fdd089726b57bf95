"""Draws: what they depend on, their distributions, and bad input."""

import hashlib
import math

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.transform import Rotation

from engine.campaign import Campaign, Choice, Normal, NormalVector, RandomAttitude, Run, Uniform
from engine.campaign.draws import checked_draws, stream_of

from . import programs


def uniform_numbers(seed, run, name, count):
    """The documented recipe, in numpy alone."""
    key = int.from_bytes(hashlib.sha256(name.encode()).digest(), "big")
    sequence = np.random.SeedSequence(seed, spawn_key=(run, key))
    return np.random.Generator(np.random.Philox(sequence)).random(count)


def values(distribution, count, name="x", seed=3):
    (draw,) = checked_draws({name: distribution}, count, "test").values()
    return [draw.value(run, stream_of(seed, run, name)) for run in range(count)]


def test_a_draw_follows_from_seed_run_and_name_by_the_documented_recipe():
    """Box and Muller: √(−2 ln(1 − u)) cos 2πv, to the rounding of the logarithm and the cosine."""
    row = programs.of(programs.doubled, "nowhere", 10).repeat(7)
    assert row["draw.x"] == uniform_numbers(5, 7, "x", 1)[0]
    for run in range(20):
        u, v = uniform_numbers(3, run, "mass", 2)
        expected = 90.0 + 3.0 * math.sqrt(-2.0 * math.log1p(-u)) * math.cos(2.0 * math.pi * v)
        assert Normal(90.0, 3.0).value(run, stream_of(3, run, "mass")) == pytest.approx(expected, rel=1e-15, abs=1e-14)


def test_another_draw_changes_no_other_and_order_does_not_matter():
    alone = Campaign("f", programs.body, runs=9, seed=1, columns=programs.BODY, draws=programs.DRAWS).repeat(8)
    more = {"first": Uniform(0.0, 1.0), **dict(reversed(programs.DRAWS.items())), "last": Choice([1, 2])}
    beside = Campaign("f", programs.body, runs=90, seed=1, columns=programs.BODY, draws=more).repeat(8)
    assert {name: beside[name] for name in alone} == alone


def test_all_streams_of_a_campaign_are_different():
    first = {stream_of(seed, run, name).random() for seed in (0, 1) for run in range(300) for name in ("a", "b")}
    assert len(first) == 1200


def test_normal_numbers_are_normal():
    """Kolmogorov and Smirnov at 1e-3; the draws are always the same, so this either holds or does not."""
    assert stats.kstest(values(Normal(5.0, 2.0), 4000), stats.norm(5.0, 2.0).cdf).pvalue > 1e-3
    vectors = np.array(values(NormalVector(3, (1.0, 2.0, 3.0), mean=(0.0, 1.0, 2.0)), 2000))
    for column, (mean, deviation) in zip(vectors.T, ((0, 1), (1, 2), (2, 3)), strict=True):
        assert stats.kstest(column, stats.norm(mean, deviation).cdf).pvalue > 1e-3
    correlations = np.corrcoef(vectors.T)[np.triu_indices(3, 1)]
    assert np.abs(correlations).max() < 4.0 / math.sqrt(2000)


def test_uniform_numbers_and_choices_have_their_probabilities():
    assert stats.kstest(values(Uniform(-1.0, 3.0), 4000), stats.uniform(-1.0, 4.0).cdf).pvalue > 1e-3
    counts = [values(Choice(["a", "b", "c"], [0.5, 0.2, 0.3]), 4000).count(option) for option in "abc"]
    assert stats.chisquare(counts, [2000, 800, 1200]).pvalue > 1e-3
    counts = [values(Choice([1, 2, 3, 4]), 4000).count(option) for option in (1, 2, 3, 4)]
    assert stats.chisquare(counts).pvalue > 1e-3
    assert set(values(Choice([True, False], [1.0, 0.0]), 200)) == {True}


def test_random_attitudes_are_even_over_all_rotations():
    """The angle of an even rotation has the density (1 − cos θ)/π, and a rotated axis is even on the sphere."""
    attitudes = np.array(values(RandomAttitude(), 4000))
    assert np.abs(np.linalg.norm(attitudes, axis=1) - 1.0).max() < 1e-15
    rotations = Rotation.from_quat(attitudes)
    assert stats.kstest(rotations.magnitude(), lambda angle: (angle - np.sin(angle)) / np.pi).pvalue > 1e-3
    for component in rotations.apply((0.6, 0.0, 0.8)).T:
        assert stats.kstest(component, stats.uniform(-1.0, 2.0).cdf).pvalue > 1e-3


def test_frozen_distributions_of_scipy_and_rows_of_arrays_can_be_drawn():
    frozen = stats.truncnorm(-2.0, 2.0, loc=1.0)
    assert values(frozen, 5) == [float(frozen.rvs(random_state=stream_of(3, run, "x"))) for run in range(5)]
    pair = values(stats.multivariate_normal([1.0, 2.0], [[2.0, 1.0], [1.0, 3.0]]), 2000)
    assert np.cov(np.array(pair).T) == pytest.approx(np.array([[2.0, 1.0], [1.0, 3.0]]), abs=0.4)
    rows = np.arange(12.0).reshape(6, 2)
    assert [row.tolist() for row in values(rows, 6)] == rows.tolist()
    assert values([1, 5, 3], 3) == [1, 5, 3]
    sliced = checked_draws({"x": rows}, 6, "test")["x"]._of_runs(2, 4)
    assert sliced.value(3, None).tolist() == [6.0, 7.0] and len(sliced.rows) == 2


def test_seeds_of_a_run_differ_by_name_and_run_and_share_nothing_with_draws():
    seeds = {Run(number, 7, {}).seed(name) for number in range(200) for name in ("gyro", "tracker")}
    assert len(seeds) == 400 and all(0 <= seed < 2**63 for seed in seeds)
    key = int.from_bytes(hashlib.sha256(b"seed:gyro").digest(), "big")
    state = np.random.SeedSequence(7, spawn_key=(3, key)).generate_state(1, np.uint64)
    assert Run(3, 7, {}).seed("gyro") == int(state[0]) >> 1
    with pytest.raises(TypeError, match=r"<Run 3>: name must be a string; got 1"):
        Run(3, 7, {}).seed(1)


def test_drawn_vectors_cannot_be_changed():
    vector = values(NormalVector(3, 0.2), 1)[0]
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 1.0


BAD = {
    "mean": lambda: Normal(math.nan, 1.0),
    "deviation must be a finite real number, at least 0": lambda: Normal(0.0, -1.0),
    "size must be an integer of at least 1": lambda: NormalVector(0, 1.0),
    "deviation must be at least 0 in every component": lambda: NormalVector(2, (1.0, -1.0)),
    r"mean must be .*shape \(2,\)": lambda: NormalVector(2, 1.0, mean=(1.0, 2.0, 3.0)),
    "high must be": lambda: Uniform(1.0, 1.0),
    "high must be at most": lambda: Uniform(-1.7e308, 1.7e308),
    "options must be at least one value": lambda: Choice([]),
    "options must be a list": lambda: Choice("ab"),
    "of one kind": lambda: Choice([1.0, "a"]),
    "options must be finite numbers": lambda: Choice([math.inf]),
    "with the sum 1": lambda: Choice([1, 2], [0.5, 0.6]),
    r"probabilities must be .*shape \(2,\)": lambda: Choice([1, 2], [1.0]),
}


@pytest.mark.parametrize("rule", BAD)
def test_distributions_reject_bad_arguments(rule):
    with pytest.raises((TypeError, ValueError), match=rule):
        BAD[rule]()


BAD_DRAWS = {
    "draws must be a mapping": [Normal(0.0, 1.0)],
    "a name in draws must be a string": {1: Normal(0.0, 1.0)},
    "a name in draws must be an identifier": {"seed:gyro": Normal(0.0, 1.0)},
    r"draws\['x'\] must be Normal": {"x": Normal},
    r"draws\['y'\] must be Normal": {"y": 3.0},
    r"draws\['f'\] must be Normal": {"f": stats.norm},
    r"draws\['a'\] must be an array with one row per run, of shape \(4,\) or \(4, k\); got 'an array of shape \(3,\)'": {
        "a": np.zeros(3)
    },
    r"draws\['c'\] must be an array": {"c": np.zeros(4, complex)},
    r"draws\['n'\]\[2\] must be finite": {"n": [0.0, 1.0, math.nan, 2.0]},
    r"draws\['t'\] must be an array": {"t": np.zeros((4, 2, 2))},
    r"draws\['r'\] must be an array": {"r": [[1.0], [1.0, 2.0], [3.0], [4.0]]},
}


@pytest.mark.parametrize("rule", BAD_DRAWS)
def test_campaigns_reject_bad_draws(rule):
    with pytest.raises((TypeError, ValueError), match=rule):
        programs.of(programs.doubled, "nowhere", 4, draws=BAD_DRAWS[rule])
