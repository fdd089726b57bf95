"""Numbers of runs and intervals, against scipy's binomial distribution and the equation of Wilson's interval."""

import math

import pytest
from scipy import stats

from engine.campaign import required_runs, wilson_interval


@pytest.mark.parametrize("probability", [0.5, 0.9, 0.99, 0.9973, 0.99999])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95])
@pytest.mark.parametrize("failures", [0, 1, 7])
def test_the_required_number_of_runs_is_the_smallest_that_suffices(probability, confidence, failures):
    runs = required_runs(probability, confidence, failures)
    allowed = 1.0 - confidence
    assert stats.binom.cdf(failures, runs, 1.0 - probability) <= allowed * (1.0 + 1e-9)
    assert stats.binom.cdf(failures, runs - 1, 1.0 - probability) > allowed * (1.0 - 1e-9)


@pytest.mark.parametrize(("successes", "runs"), [(1, 3), (95, 100), (9_999, 10_000), (50, 100)])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_the_ends_of_wilsons_interval_are_that_many_deviations_away(successes, runs, confidence):
    """|p̂ − p| = z √(p (1 − p)/n) at both ends."""
    z = stats.norm.ppf(0.5 + 0.5 * confidence)
    for end in wilson_interval(successes, runs, confidence):
        assert abs(successes / runs - end) == pytest.approx(z * math.sqrt(end * (1.0 - end) / runs), rel=1e-9)


def test_wilsons_interval_of_all_or_no_successes_ends_at_one_or_zero():
    z = stats.norm.ppf(0.975)
    assert wilson_interval(0, 20) == (0.0, pytest.approx(z * z / (20 + z * z)))
    assert wilson_interval(20, 20) == (pytest.approx(20 / (20 + z * z)), 1.0)


BAD = {
    "probability must be above 0 and below 1; got 1.0": lambda: required_runs(1.0, 0.95),
    "confidence must be above 0 and below 1; got 0.0": lambda: required_runs(0.9, 0.0),
    "failures must be an integer of at least 0": lambda: required_runs(0.9, 0.9, failures=-1),
    "runs must be an integer of at least 1": lambda: wilson_interval(0, 0),
    "successes must be at most runs, which is 3; got 4": lambda: wilson_interval(4, 3),
    "confidence must be": lambda: wilson_interval(1, 3, 95.0),
}


@pytest.mark.parametrize("rule", BAD)
def test_bad_arguments_are_rejected(rule):
    with pytest.raises((TypeError, ValueError), match=rule):
        BAD[rule]()
