"""An exception at any line of the engine leaves the world before an operation or the one after, and the operation works next."""

import random
from contextlib import suppress

import pytest

from engine import World
from engine.store import threads

from ..interrupted_operations import OPERATIONS
from ..interrupting import Interrupter, lines_of, lines_of_clean_up, torn_again, torn_at_end_of_stack, torn_points
from ..lengths import sized

SAMPLE = 2
"""Lines per operation; `python -m tests.interrupting` tries all of them."""
SOME = [name for name in OPERATIONS if not name.startswith("step, ") or "called" in name or "," not in name[6:]]
FEW = sized(SOME[::8], SOME)


@pytest.mark.parametrize("name", FEW)
def test_an_interrupt_at_any_line_of_an_operation_tears_nothing(name, monkeypatch):
    monkeypatch.setattr(threads, "FEWEST_BODIES", 8)
    operation = OPERATIONS[name]
    count = lines_of(operation)
    assert count > 3
    points = sorted(random.Random(name).sample(range(count), min(SAMPLE, count)))
    assert list(torn_points(operation, points)) == []


class LinesOfStep(Interrupter):
    """Counts lines and interrupts none; notes which of them are lines of `World.step`."""

    def __init__(self):
        super().__init__(set())
        self.found = []

    def _line(self, frame, event, argument):
        if event == "line" and frame.f_code is World.step.__code__:
            self.found.append(self.seen)
        super()._line(frame, event, argument)
        return self._line


@pytest.mark.parametrize("name", ["step, a callback raises", "step, a force raises"])
def test_an_interrupt_at_every_line_of_step_tears_nothing_after_a_function_has_raised(name):
    operation, lines = OPERATIONS[name], LinesOfStep()
    lines_of(operation)
    with suppress(operation.fails):
        world = operation.make()
        lines.run(lambda: operation.act(world))
    points = lines.found[-12:]  # these count the lines of kernels too
    assert len(points) == 12 and list(torn_points(operation, points, inside_kernels=True)) == []


SEVERAL = (
    *("step, Substepped", "step, Substepped to a tolerance", "step, Extrapolated"),
    *("step, driven and called", "step, driven and substepped"),
)


@pytest.mark.parametrize("name", SEVERAL)
def test_an_interrupt_in_a_tick_of_several_calls_tears_nothing(name):
    operation = OPERATIONS[name]
    count = lines_of(operation)
    assert list(torn_points(operation, range(count // 40, count, count // 20))) == []


CLEANED_UP = [
    *("step, rk4", "step, joints and called", "step, a force raises", "remove_body, joints", "restore, driven"),
    *sized(
        [],
        [
            *(
                "step, driven and called",
                "step, Extrapolated",
                "step, driven and substepped",
                "step, a callback raises",
            ),
            *("add_body", "thruster.fire", "predict", "Rollback.input", "advance", "coast"),
        ],
    ),
]


@pytest.mark.parametrize("name", CLEANED_UP)
def test_any_number_of_interrupts_while_cleaning_up_tears_nothing(name):
    operation, choice = OPERATIONS[name], random.Random(name)
    count = lines_of(operation)
    for _ in range(3):
        point = choice.randrange(count // 2, count)
        lines = lines_of_clean_up(operation, point)
        if lines:
            others = choice.sample(range(lines), min(5, lines))
            assert list(torn_again(operation, point, others[:1])) == []
            assert list(torn_again(operation, point, others)) == []


@pytest.mark.parametrize("name", CLEANED_UP)
def test_the_end_of_the_stack_tears_nothing(name):
    assert list(torn_at_end_of_stack(OPERATIONS[name], range(2, 40, 3))) == []
