"""Batched campaigns: the rows of the unbatched one, byte for byte, whatever the blocks, and failed members as failed rows."""

import contextlib

import numpy as np
import pytest

from engine.batch import Batch
from engine.campaign import Campaign, Run, Runs, Uniform

from ..lengths import long_run
from . import programs

QUIET = {"processes": 0, "progress": False}
SECONDS = 6
RUNS = 40


def bytes_of(table):
    """The bits of all columns but the traceback, which names other code."""
    return {
        name: [np.float64(value).tobytes() if isinstance(value, float) else value for value in column.to_pylist()]
        for name, column in zip(table.column_names, table.columns, strict=True)
        if name != "traceback"
    }


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """The same craft, some of which fail, one by one and in batches of 16."""
    folder = tmp_path_factory.mktemp("batched")
    made = [programs.pointings(folder / str(batched), RUNS, batched, block=16) for batched in (False, True)]
    for campaign in made:
        campaign.run(**QUIET)
    return made


def test_a_batched_campaign_has_the_rows_of_the_unbatched_one_byte_for_byte(both):
    alone, together = (campaign.results() for campaign in both)
    assert alone.schema == together.schema
    assert bytes_of(alone) == bytes_of(together)
    assert 0 < alone["error"].null_count < RUNS


def test_failed_members_are_failed_rows_with_the_errors_of_worlds_alone(both):
    failures = both[1].failures().to_pylist()
    kinds = {row["draw.fate"]: row["error"].partition(":")[0] for row in failures}
    assert kinds == {"fail": "RuntimeError", "overflow": "NonFiniteStateError"}
    assert all(row["rate"] is None and row["traceback"] for row in failures)


def test_a_batched_campaign_has_the_traces_of_the_unbatched_one(both):
    alone, together = (campaign.traces() for campaign in both)
    assert alone.equals(together)
    failed = both[1].failures()["run"].to_pylist()[0]
    assert len(together.filter(np.array(together["run"]) == failed)) == 4  # until it failed


def test_rows_do_not_depend_on_the_block_and_a_run_can_be_repeated_alone(both, tmp_path):
    other = programs.pointings(tmp_path / "other", RUNS, True, block=7)
    other.run(**QUIET)
    rows = both[1].results().to_pylist()
    assert bytes_of(other.results()) == bytes_of(both[1].results())
    for number in (0, 17, both[1].failures()["run"].to_pylist()[0]):
        repeated = both[1].repeat(number)
        assert {**repeated, "traceback": None} == {**rows[number], "traceback": None}
    assert both[1].verify(12)


def test_the_failure_of_a_member_can_be_raised_for_a_debugger(both):
    run = both[1].failures()["run"].to_pylist()[0]
    with pytest.raises((RuntimeError, ArithmeticError)):
        both[1].repeat(run, reraise=True)


def test_the_bar_says_that_the_first_runs_are_tried_and_shows_no_number_of_done_runs_meanwhile(tmp_path, monkeypatch):
    shown = []

    class Bar:
        def set_postfix(self, *, failed, refresh):
            shown.append(f"failed={failed}")

        def set_postfix_str(self, text):
            shown.append(text)

        def update(self, count):
            shown.append(count)

    monkeypatch.setattr("engine.campaign.campaign._progress", lambda *_given: contextlib.nullcontext(Bar()))
    programs.pointings(tmp_path / "shown", RUNS, True).run(**QUIET)
    ends = shown.index("failed=0")
    assert shown[:3] == ["trial of 1 run", "trial of 1 run", "trial of 4 runs"]
    assert all(str(each).startswith("trial of") for each in shown[:ends])
    assert sum(each for each in shown[ends:] if isinstance(each, int)) == RUNS


@long_run
def test_processes_give_the_same_files(both, tmp_path):
    other = programs.pointings(tmp_path / "other", RUNS, True, block=16)
    other.run(processes=2, progress=False)
    assert bytes_of(other.results()) == bytes_of(both[1].results())


def raising(runs):
    """Runs 3 and 5 raise whenever they are simulated."""
    if 3 in runs.numbers or 5 in runs.numbers:
        raise ArithmeticError(f"no solution for {runs.numbers.tolist()}")
    return {"double": 2.0 * runs.draws["x"]}


def test_an_exception_belongs_to_the_run_that_raises_it_alone(tmp_path):
    campaign = programs.of(raising, tmp_path / "out", 8, block=8, batched=True)
    assert campaign.run(**QUIET).failed == 2
    rows = campaign.results().to_pylist()
    assert [row["run"] for row in rows if row["error"]] == [3, 5]
    assert rows[3]["error"] == "ArithmeticError: no solution for [3]"
    assert rows[4]["double"] == 2.0 * rows[4]["draw.x"] and rows[3]["draw.x"] > 0.0


def short(runs):
    """Too few numbers."""
    return {"double": runs.draws["x"][:1].tolist() * 2}


def words(runs):
    """No numbers."""
    return {"double": ["fast"] * len(runs)}


@pytest.mark.parametrize(
    ("simulate", "rule"), [(short, r"must be an array of shape \(1,\)"), (words, "must be real numbers")]
)
def test_a_first_run_with_other_columns_is_rejected_before_anything_is_written(tmp_path, simulate, rule):
    with pytest.raises(ValueError, match=rule):
        programs.of(simulate, tmp_path / "out", 8, batched=True).run(**QUIET)


def runs_of(count=3, **draws):
    return Runs(np.arange(10, 10 + count), 7, draws)


def test_seeds_are_those_of_single_runs():
    assert runs_of().seed("gyro").tolist() == [Run(number, 7, {}).seed("gyro") for number in (10, 11, 12)]


def test_sensors_have_seeds_that_do_not_depend_on_the_block():
    template, _ship, gyro, _loop = programs.pointing_craft()
    batches = [runs.batch(template) for runs in (runs_of(3), Runs(np.array([11]), 7, {}))]
    for batch in batches:
        assert isinstance(batch, Batch)
        batch.step(10)
    readings = [batch[gyro].read().angular_velocity_body for batch in batches]
    assert readings[0][1].tolist() == readings[1][0].tolist() != readings[0][0].tolist()


def test_the_first_error_of_a_run_counts_and_draws_are_read_only():
    runs = runs_of(x=np.arange(3.0))
    runs.fail([0, 2], [ValueError("a"), ValueError("b")])
    runs.fail([True, True, False], RuntimeError("later"))
    assert [str(runs._errors[place]) for place in (0, 1, 2)] == ["a", "later", "b"]
    assert runs.failed.all()
    with pytest.raises(ValueError, match="read-only"):
        runs.draws["x"][0] = 1.0


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda runs: runs.seed(3), TypeError, "name must be a string; got 3"),
        (lambda runs: runs.fail([0, 0], ValueError()), ValueError, "different indices"),
        (lambda runs: runs.fail([3], ValueError()), ValueError, "different indices from 0 to 2"),
        (lambda runs: runs.fail([0], "no"), TypeError, "error must be an exception"),
        (lambda runs: runs.fail([0], [ValueError(), ValueError()]), ValueError, "a list of 1 of them"),
        (lambda runs: runs.fail([0], [1]), TypeError, "error must be an exception"),
        (lambda runs: runs.trace(0.0), ValueError, "columns must be at least one"),
        (lambda runs: runs.trace([0.0, 1.0], x=[1, 2, 3]), ValueError, "one time, or one per run"),
        (lambda runs: runs.trace(0.0, x=[1, 2]), ValueError, r"x must be a value for each run, of shape \(3,\)"),
        (lambda runs: runs.trace(0.0, x=np.zeros((3, 1, 1))), ValueError, "a value for each run"),
        (lambda runs: runs.trace(0.0, run=[1, 2, 3]), ValueError, "other than run and time"),
        (lambda runs: runs.trace(0.0, x=["a", "b", "c"]), TypeError, "x must be"),
        (lambda runs: runs.trace(np.nan, x=[1, 2, 3]), ValueError, "time must be"),
        (lambda runs: runs.batch(3), TypeError, "template must be a World"),
    ],
)
def test_bad_arguments_are_rejected(call, kind, words):
    with pytest.raises(kind, match=words):
        call(runs_of())


def test_traces_of_all_calls_have_the_same_columns():
    runs = runs_of()
    runs.trace(0.0, x=[1, 2, 3])
    with pytest.raises(ValueError, match="the same as in the first call"):
        runs.trace(1.0, y=[1, 2, 3])


def test_batched_is_true_or_false(tmp_path):
    with pytest.raises(TypeError, match=r"batched must be True or False"):
        Campaign(tmp_path, raising, runs=1, seed=0, columns={"x": "-"}, draws={"x": Uniform(0, 1)}, batched=1)


def test_the_size_of_blocks_follows_from_many_runs_together(tmp_path):
    campaign = programs.of(doubled, tmp_path / "out", 4000, batched=True)
    campaign.run(**QUIET)
    assert campaign._need_record()["block"] >= 500


@pytest.mark.parametrize(
    ("block", "run", "expected"),
    [
        (0.9, 1e-3, 2000),
        (0.9, 1e-5, 10_000),
        (30.0, 0.02, 5000),
        (0.2, 0.05, 10),
        (0.0, 3.0, 1),
        (2.0, 3.0, 2),
        (1e-4, 1e-4, 5000),
    ],
)
def test_blocks_are_so_large_that_most_of_their_time_belongs_to_their_runs(block, run, expected):
    """A batch takes a fixed time per call, so that blocks of few runs could take many times as long as one of many."""
    campaign = programs.of(doubled, "nowhere", 100_000, batched=True)
    asked = []

    def seconds(runs):
        asked.append(runs)
        return block + run * runs

    *_, cost = campaign._measured_costs(seconds)
    assert campaign._measured_block(cost, 2) == expected
    assert sum(map(seconds, asked[:])) <= 6.0 * max(block + run, 1.0)


def doubled(runs):
    """Twice the draw."""
    return {"double": 2.0 * runs.draws["x"]}
