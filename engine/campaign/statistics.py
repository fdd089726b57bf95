"""How many runs prove what, and the interval of a success rate."""

import math
from statistics import NormalDist

from ..checks import integer, real, refuse


def required_runs(probability: float, confidence: float, failures: int = 0) -> int:
    """How many runs show that a run succeeds with at least this probability, if no more than `failures` of them fail.

    Args:
        probability: The probability of success to be shown, above 0 and below 1.
        confidence: The confidence of the statement, above 0 and below 1.
        failures: Number of failed runs that are allowed, at least 0.

    Returns:
        The smallest n for which a run with exactly this probability of success would have at most `failures` failures in n runs with a
        probability of at most 1 − `confidence`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument is out of its range.

    Source: the exact binomial distribution (Clopper and Pearson, 1934).

    Example:
        >>> required_runs(0.99, 0.95), required_runs(0.99, 0.95, failures=1)
        (299, 473)
    """
    p = _share(probability, "probability", "required_runs")
    allowed = 1.0 - _share(confidence, "confidence", "required_runs")
    most = integer(failures, "failures", "required_runs", at_least=0)
    low, high = most, 2 * most + 1  # with n ≤ `failures` runs nothing is shown
    while _at_most(most, high, p) > allowed:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _at_most(most, middle, p) <= allowed else (middle, high)
    return high


def wilson_interval(successes: int, runs: int, confidence: float = 0.95) -> tuple[float, float]:
    """The interval of the probability of success after so many successes.

    Args:
        successes: Number of successes, from 0 to `runs`.
        runs: Number of runs, at least 1.
        confidence: Probability that the interval contains the true value, above 0 and below 1.

    Returns:
        Its lower and upper end, from 0 to 1.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument is out of its range.

    Accuracy: of rounding; the coverage is that of Wilson's interval, close to `confidence` on average, and not a guaranteed minimum.
    Source: Wilson (1927).

    Example:
        >>> [round(end, 4) for end in wilson_interval(95, 100)]
        [0.8882, 0.9785]
    """
    count = integer(runs, "runs", "wilson_interval", at_least=1)
    good = integer(successes, "successes", "wilson_interval", at_least=0)
    if good > count:
        refuse("wilson_interval", "successes", successes, f"at most runs, which is {count}")
    z = NormalDist().inv_cdf(0.5 + 0.5 * _share(confidence, "confidence", "wilson_interval"))
    share, spread = good / count, z * z / count
    middle = (share + 0.5 * spread) / (1.0 + spread)
    half = math.sqrt(share * (1.0 - share) * spread + 0.25 * spread * spread) / (1.0 + spread)
    # at the ends the formula gives 0 and 1 up to rounding
    return (0.0 if good == 0 else max(middle - half, 0.0)), (1.0 if good == count else min(middle + half, 1.0))


def _share(value: float, argument: str, owner: str) -> float:
    number = real(value, argument, owner)
    if not 0.0 < number < 1.0:
        refuse(owner, argument, value, "above 0 and below 1")
    return number


def _at_most(failures: int, runs: int, success: float) -> float:
    """The probability of at most so many failures among the runs, each of which succeeds with the given probability."""
    each = math.log1p(-success) - math.log(success)
    term = runs * math.log(success)  # the logarithm of the probability of no failure
    terms = [term]
    for k in range(min(failures, runs)):
        term += math.log((runs - k) / (k + 1)) + each
        terms.append(term)
    largest = max(terms)
    return math.exp(largest) * math.fsum(math.exp(one - largest) for one in terms)
