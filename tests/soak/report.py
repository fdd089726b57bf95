"""What the parts of a long run print and return."""

from typing import NamedTuple


class Figure(NamedTuple):
    """One measured number and what it may be at most."""

    what: str
    value: float
    bound: float

    @property
    def holds(self) -> bool:
        """Whether the number is within its bound; NaN is not."""
        return self.value <= self.bound

    def __str__(self) -> str:
        text = f"{self.what}: {self.value:.3g} (at most {self.bound:.3g})"
        return text if self.holds else f"{text} FAILED"


def assert_all_hold(figures: list[Figure]) -> None:
    """Raise `AssertionError` with the figures that are beyond their bounds."""
    beyond = [str(figure) for figure in figures if not figure.holds]
    assert figures, "nothing was measured"
    assert not beyond, "; ".join(beyond)
