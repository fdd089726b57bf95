"""An exception at any line of the engine leaves the world before an operation or the one after, and the operation works next."""

import random

import pytest

from engine.store import threads

from ..interrupted_operations import OPERATIONS
from ..interrupting import lines_of, torn_points

SAMPLE = 5
"""Lines per operation; `python -m tests.interrupting` tries all of them."""


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_interrupt_at_any_line_of_an_operation_tears_nothing(name, monkeypatch):
    monkeypatch.setattr(threads, "FEWEST_BODIES", 8)
    operation = OPERATIONS[name]
    count = lines_of(operation)
    assert count > 3
    points = sorted(random.Random(name).sample(range(count), min(SAMPLE, count)))
    assert list(torn_points(operation, points)) == []
