"""An exception at any line of the engine leaves the world before an operation or the one after, and the operation works next."""

import random

import pytest

from engine.store import threads

from ..interrupted_operations import OPERATIONS
from ..interrupting import lines_of, torn_points

SAMPLE = 2
"""Lines per operation; `python -m tests.interrupting` tries all of them."""
FEW = [name for name in OPERATIONS if not name.startswith("step, ") or "called" in name or "," not in name[6:]]


@pytest.mark.parametrize("name", FEW)
def test_an_interrupt_at_any_line_of_an_operation_tears_nothing(name, monkeypatch):
    monkeypatch.setattr(threads, "FEWEST_BODIES", 8)
    operation = OPERATIONS[name]
    count = lines_of(operation)
    assert count > 3
    points = sorted(random.Random(name).sample(range(count), min(SAMPLE, count)))
    assert list(torn_points(operation, points)) == []


SEVERAL = ("step, Substepped", "step, Extrapolated", "step, driven and called", "step, driven and substepped")


@pytest.mark.parametrize("name", SEVERAL)
def test_an_interrupt_in_a_tick_of_several_calls_tears_nothing(name):
    operation = OPERATIONS[name]
    count = lines_of(operation)
    assert list(torn_points(operation, range(count // 40, count, count // 20))) == []
