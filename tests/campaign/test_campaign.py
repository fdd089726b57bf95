"""Campaigns in one process: rows, repeated runs, failures, resuming, files that cannot be used, disks that are full."""

import errno
import json
import math
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.campaign import Campaign, Normal, Run, Status, Uniform, VerificationError, storage
from engine.campaign import campaign as campaign_module

from . import programs

QUIET = {"processes": 0, "progress": False}


def run_of(simulate, folder, runs, **given):
    campaign = programs.of(simulate, folder, runs, **given)
    campaign.run(**QUIET)
    return campaign


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A campaign of 23 bodies in blocks of 5."""
    folder = tmp_path_factory.mktemp("campaign") / "out"
    campaign = Campaign(folder, programs.body, runs=23, seed=4, columns=programs.BODY, draws=programs.DRAWS, block=5)
    assert campaign.run(**QUIET) == Status(23, 23, 0)
    return campaign


def test_every_draw_reaches_the_body(done):
    """The columns were read off the body, the draws come from the log."""
    table = done.results()
    assert table["run"].to_pylist() == list(range(23))
    assert table["mass_of_body"].to_pylist() == table["draw.mass"].to_pylist()
    rates = np.array(table["draw.rate"].to_pylist())
    assert [table[name].to_pylist() for name in "xyz"] == rates.T.tolist()
    assert np.abs(table["w"].to_numpy() - np.array(table["draw.attitude"].to_pylist())[:, 3]).max() < 1e-15
    assert len(set(table["draw.mass"].to_pylist())) == 23


def test_the_table_has_the_declared_columns_with_their_units(done):
    table = done.results()
    expected = ["run", "error", "traceback", "draw.mass", "draw.rate", "draw.attitude", *programs.BODY]
    assert table.column_names == expected
    assert table.schema.field("x").metadata == {b"unit": b"rad/s"}
    assert table.schema.field("draw.rate").type == pa.list_(pa.float64(), 3)
    assert table["error"].null_count == table["traceback"].null_count == 23


def test_any_run_can_be_repeated_alone(done, tmp_path):
    rows = done.results().to_pylist()
    elsewhere = Campaign(tmp_path / "none", programs.body, runs=23, seed=4, columns=programs.BODY, draws=programs.DRAWS)
    assert [elsewhere.repeat(number) for number in (22, 0, 7)] == [rows[number] for number in (22, 0, 7)]
    assert not (tmp_path / "none").exists()
    for number, kind in ((23, ValueError), (-1, ValueError), (1.5, TypeError)):
        with pytest.raises(kind, match=r"Campaign .*none: run must be .*got "):
            elsewhere.repeat(number)


def test_verification_repeats_a_sample_and_names_columns_with_other_bits(done, tmp_path):
    assert done.verify(6) == done.verify(6) and len(done.verify(6)) == 6
    assert done.verify(1000) == list(range(23))
    assert done.verify([3, 1]) == [1, 3]
    folder = tmp_path / "copy"
    shutil.copytree(done.folder, folder)
    path = folder / "runs" / "000000005.parquet"
    table = pq.read_table(path)
    values = table["x"].to_pylist()
    values[2] = math.nextafter(values[2], math.inf)
    place = table.column_names.index("x")
    pq.write_table(table.set_column(place, table.schema.field("x"), pa.array(values)), path)
    copy = Campaign(folder, programs.body, runs=23, seed=4, columns=programs.BODY, draws=programs.DRAWS)
    with pytest.raises(VerificationError, match=r"run 7: x$") as caught:
        copy.verify(23)
    assert caught.value.differences == {7: ["x"]}


def test_the_folder_does_not_depend_on_when_it_was_made(done, tmp_path):
    again = Campaign(
        tmp_path / "out", programs.body, runs=23, seed=4, columns=programs.BODY, draws=programs.DRAWS, block=5
    )
    again.run(**QUIET)
    assert programs.files_of(again.folder) == programs.files_of(done.folder)
    assert (again.folder / "campaign.json").read_bytes() == (done.folder / "campaign.json").read_bytes()
    assert sorted(programs.files_of(again.folder)) == [f"runs/{first:09}.parquet" for first in range(0, 23, 5)]


# failures


def unlucky(run):
    """Each run fails in a way of its own."""
    fates = {
        1: lambda: 1 / 0,
        2: lambda: {"other": 1.0},
        3: lambda: {"double": "fast"},
        4: lambda: {"double": 1.0, "more": 1.0},
        5: lambda: None,
        6: lambda: {"double": 2**60},
        7: lambda: {"double": math.nan},
        8: lambda: {"double": True},
        9: lambda: {"double": np.float32(0.5)},
        10: lambda: (_ for _ in ()).throw(SystemExit(3)),
        11: lambda: (_ for _ in ()).throw(ValueError("half a character: \ud800")),
        12: lambda: (_ for _ in ()).throw(ValueError("long " * 10_000)),
        13: lambda: (_ for _ in ()).throw(Silent),
        14: lambda: unlucky(run),
        15: lambda: {"double": 1j},
        16: lambda: np.seterr(all="ignore") and {"double": 0.0},
        17: lambda: {"double": float(np.float64(1.0) / np.float64(0.0))},
    }
    return fates.get(run.number, lambda: {"double": 0.0})()


class Silent(Exception):
    def __str__(self):
        raise RuntimeError("no text")


@pytest.fixture(scope="module")
def unfortunate(tmp_path_factory):
    campaign = run_of(unlucky, tmp_path_factory.mktemp("unlucky") / "out", 18, block=4)
    return campaign, campaign.results().to_pylist()


def test_failures_are_rows_that_name_the_error(unfortunate):
    _, rows = unfortunate
    assert rows[0]["error"] is None and rows[0]["double"] == 0.0
    assert rows[1]["error"] == "ZeroDivisionError: division by zero"
    must = "ResultError: simulate: the result must"
    assert rows[2]["error"] == f"{must} have the columns double; missing: double; got other"
    assert rows[3]["error"].startswith("ResultError: simulate: column double must be a real number")
    assert rows[4]["error"] == f"{must} have no column but double; got ['more']"
    assert rows[5]["error"] == f"{must} be a dict with the columns double; got None"
    assert rows[6]["error"].endswith(f"got {2**60}") and rows[15]["error"].endswith("got 1j")
    assert math.isnan(rows[7]["double"]) and rows[8]["double"] == 1.0 and rows[9]["double"] == 0.5
    assert rows[10]["error"] == "SystemExit: 3"
    assert rows[11]["error"] == "ValueError: half a character: \\ud800"
    assert len(rows[12]["error"]) < 2100 and len(rows[12]["traceback"]) < 20_100
    assert rows[13]["error"] == "Silent: <its message raises RuntimeError>"
    assert rows[14]["error"].startswith("RecursionError: ")
    failed = [row["run"] for row in rows if row["error"]]
    assert failed == [1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 14, 15, 17]
    assert all(rows[number]["double"] is None and rows[number]["draw.x"] is not None for number in failed)


def test_what_a_run_sets_in_numpy_ends_with_it(unfortunate):
    """Run 16 silences numpy; run 17 divides by zero, which the tests turn into an exception."""
    assert "divide by zero" in unfortunate[1][17]["error"]


def test_the_traceback_starts_at_the_function(unfortunate):
    lines = unfortunate[1][1]["traceback"].splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert "in unlucky" in lines[1] and "blocks.py" not in unfortunate[1][1]["traceback"]
    assert lines[-1] == "ZeroDivisionError: division by zero"
    assert unfortunate[1][2]["traceback"].startswith("engine.campaign.blocks.ResultError: ")


def test_failures_are_counted_and_listed(unfortunate):
    campaign, _ = unfortunate
    assert campaign.status() == Status(18, 18, 13)
    assert campaign.failures()["run"].to_pylist() == [1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 14, 15, 17]
    rate = campaign.success_rate()
    assert rate.rate == 5 / 18 and rate.low < rate.rate < rate.high


def test_a_failure_can_be_raised_for_a_debugger(unfortunate):
    with pytest.raises(ZeroDivisionError):
        unfortunate[0].repeat(1, reraise=True)


def interrupted(run):
    raise KeyboardInterrupt


def test_an_interrupt_ends_the_campaign_and_no_run(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run_of(interrupted, tmp_path / "out", 3)


def test_a_first_run_without_the_columns_is_rejected_before_anything_is_written(tmp_path):
    campaign = programs.of(programs.doubled, tmp_path / "out", 5, columns={"triple": "m"})
    with pytest.raises(
        ValueError,
        match=r"Campaign .*out: simulate: the result must have the columns triple; missing: triple; got double",
    ):
        campaign.run(**QUIET)
    assert not programs.files_of(tmp_path / "out") and not (tmp_path / "out" / "campaign.json").exists()


# traces


def traced(run):
    if run.number % 2:
        run.trace([0.0, 0.5], rate=[[1.0, 2.0], [3.0, 4.0]], height=[run.number, 6.0])
    if run.number == 4:
        run.trace(0.5, depth=1.0)
        raise ValueError("too deep")
    return {"double": 0.0}


def test_traces_are_kept_by_run_and_time(tmp_path):
    campaign = run_of(traced, tmp_path / "out", 6, block=2)
    table = campaign.traces()
    assert table["run"].to_pylist() == [1, 1, 3, 3, 4, 5, 5]
    assert table.column_names == ["run", "time", "rate.0", "rate.1", "height", "depth"]
    assert campaign.traces(3).to_pylist()[1] == {"run": 3, "time": 0.5, "rate.0": 3.0, "rate.1": 4.0, "height": 6.0}
    assert campaign.traces(4)["depth"].to_pylist() == [1.0] and campaign.traces(0).num_rows == 0


def test_traces_reject_what_does_not_fit():
    run = Run(2, 5, {})
    run.trace(0.0, a=1.0, b=[1.0, 2.0])
    for call, rule in (
        (
            lambda: run.trace([0.0, 1.0], a=[1.0], b=[[1.0, 2.0]] * 2),
            r"a must be a value for each time, of shape \(2,\)",
        ),
        (lambda: run.trace(0.0, a=1.0), "columns must be the same as in the first call"),
        (lambda: run.trace(0.0, a=1.0, b=[1.0, 2.0, 3.0]), "columns must be the same as in the first call"),
        (lambda: run.trace(math.nan, a=1.0, b=[1.0, 2.0]), "time must be"),
        (lambda: run.trace(0.0, a="x", b=[1.0, 2.0]), "a must be"),
        (lambda: run.trace(0.0), "columns must be at least one"),
        (lambda: run.trace(0.0, run=1.0), "other than run and time"),
    ):
        with pytest.raises((TypeError, ValueError), match=f"<Run 2>: .*{rule}"):
            call()
    assert run.traced["b"].tolist() == [[1.0, 2.0]]


# resuming


CALLS = []


def counted(run):
    CALLS.append(run.number)
    return {"double": 2.0 * run.draws["x"]}


def test_a_resumed_campaign_simulates_what_is_missing_and_nothing_else(tmp_path):
    campaign = run_of(counted, tmp_path / "out", 20, block=5)
    before = programs.files_of(tmp_path / "out")
    for name in ("runs/000000005.parquet", "runs/000000015.parquet"):
        (tmp_path / "out" / name).unlink()
    CALLS.clear()
    assert campaign.status() == Status(20, 10, 0)
    assert campaign.run(**QUIET) == Status(20, 20, 0)
    assert CALLS == [0, *range(5, 10), *range(15, 20)]  # run 0 comes first, to show mistakes
    assert programs.files_of(tmp_path / "out") == before
    CALLS.clear()
    assert campaign.run(**QUIET) == Status(20, 20, 0)
    assert CALLS == []


def test_a_campaign_can_get_more_runs_and_not_fewer(tmp_path):
    run_of(counted, tmp_path / "out", 7, block=5)
    CALLS.clear()
    assert programs.of(counted, tmp_path / "out", 12).run(**QUIET) == Status(12, 12, 0)
    assert CALLS == [0, *range(7, 12)]
    assert (
        run_of(counted, tmp_path / "all", 12, block=5)
        .results()
        .equals(programs.of(counted, tmp_path / "out", 12).results())
    )
    with pytest.raises(ValueError, match=r"runs must be at least 12, because the folder has so many; got 11"):
        programs.of(counted, tmp_path / "out", 11).run(**QUIET)


def test_the_size_of_blocks_is_measured_once_and_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(campaign_module, "_BLOCK_SECONDS", 0.1)
    campaign = programs.of(sleepy, tmp_path / "out", 400)
    campaign.run(**QUIET)
    block = json.loads((tmp_path / "out" / "campaign.json").read_text())["block"]
    assert 1 <= block <= 50  # runs of 2 ms and more, for 100 ms
    os.unlink(tmp_path / "out" / "runs" / "000000000.parquet")
    monkeypatch.setattr(campaign_module, "_BLOCK_SECONDS", 1e-9)
    campaign.run(**QUIET)
    assert json.loads((tmp_path / "out" / "campaign.json").read_text())["block"] == block


def test_a_block_takes_about_a_second_and_no_worker_is_idle_in_a_small_campaign():
    large = programs.of(programs.doubled, "nowhere", 100_000)
    costs = [campaign_module._Cost(0.0, seconds) for seconds in (3.0, 0.7, 0.02, 0.003, 1e-6)]
    assert [large._measured_block(cost, 8) for cost in (*costs, None)] == [1, 1, 50, 200, 2000, 1]
    assert programs.of(programs.doubled, "nowhere", 200)._measured_block(campaign_module._Cost(0.0, 0.001), 8) == 5


def sleepy(run):
    import time

    time.sleep(0.002)
    return {"double": 0.0}


def test_other_code_is_rejected_by_name_until_it_is_allowed(tmp_path, monkeypatch):
    run_of(counted, tmp_path / "out", 10, block=5)
    (tmp_path / "out" / "runs" / "000000005.parquet").unlink()
    monkeypatch.setattr(
        "tests.campaign.test_campaign.CALLS", [0, 0, 0]
    )  # a list that the function reads counts as its code
    campaign = programs.of(counted, tmp_path / "out", 10)
    with pytest.raises(
        ValueError,
        match=r"the code of simulate must be \w+.*, which made the rows in the folder; got .*allow_changes=True",
    ):
        campaign.run(**QUIET)
    assert campaign.run(allow_changes=True, **QUIET) == Status(10, 10, 0)
    record = json.loads((tmp_path / "out" / "campaign.json").read_text())
    assert len(record["earlier_code"]) == 1 and record["code"] != record["earlier_code"][0]


def test_other_versions_are_rejected_by_name(tmp_path):
    campaign = run_of(programs.doubled, tmp_path / "out", 10, block=5)
    path = tmp_path / "out" / "campaign.json"
    record = json.loads(path.read_text())
    record["code"]["numba"] = "0.1"
    path.write_text(json.dumps(record))
    with pytest.raises(ValueError, match=r"the version of numba must be '?0.1.*got"):
        campaign.run(**QUIET)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 6}, "seed must be 5, as in campaign.json; got 6; another campaign needs another folder"),
        ({"columns": {"double": "km"}}, r"columns\['double'\] must be 'm', as in campaign.json; got 'km'"),
        ({"columns": {"double": "m", "y": "m"}}, r"the names in columns must be \['double'\]"),
        ({"draws": {"x": Uniform(0.0, 2.0)}}, r"draws\['x'\] must be .*'high': 1.0.*got .*'high': 2.0"),
        ({"draws": {"x": Uniform(0.0, 1.0), "y": Normal(0.0, 1.0)}}, r"the names in draws must be \['x'\]"),
        ({"draws": {"x": np.linspace(0.0, 1.0, 10)}}, r"draws\['x'\] must be"),
    ],
)
def test_the_folder_of_another_campaign_is_rejected(tmp_path, changes, message):
    run_of(programs.doubled, tmp_path / "out", 10, block=5)
    before = programs.files_of(tmp_path / "out")
    other = programs.of(programs.doubled, tmp_path / "out", 10, **changes)
    for method in (lambda: other.run(**QUIET), other.results, other.status, other.verify):
        with pytest.raises(ValueError, match=f"Campaign .*out: {message}"):
            method()
    assert programs.files_of(tmp_path / "out") == before


# files


def damage(name):
    """Damage done to the second block of three, and the rule that the error names."""

    def replaced(table, **columns):
        for title, values in columns.items():
            place, field = table.column_names.index(title), table.schema.field(title)
            table = table.set_column(place, field if title == "run" else title, pa.array(values))
        return table

    return {
        "empty": (lambda path, table: path.write_bytes(b""), "it must be a Parquet file"),
        "cut": (lambda path, table: path.write_bytes(path.read_bytes()[:-20]), "it must be a Parquet file"),
        "no campaign": (
            lambda path, table: pq.write_table(table.replace_schema_metadata({}), path),
            "it must belong to this campaign",
        ),
        "other campaign": (
            lambda path, table: pq.write_table(table.replace_schema_metadata({b"polhode.campaign": b"1"}), path),
            "it must belong to this campaign",
        ),
        "column missing": (
            lambda path, table: pq.write_table(table.drop(["double"]), path),
            "its columns must be run, error",
        ),
        "column of another type": (
            lambda path, table: pq.write_table(replaced(table, double=[1, 2, 3, 4, 5]), path),
            "its columns must be run, error",
        ),
        "other runs": (
            lambda path, table: os.rename(path, path.with_name("000000006.parquet")),
            "its runs must start at 6",
        ),
        "too many": (
            lambda path, table: pq.write_table(pa.concat_tables([table, table]), path),
            "its runs must start at 5",
        ),
        "no rows": (lambda path, table: pq.write_table(table.slice(0, 0), path), "its runs must start at 5|statistics"),
        "other name": (
            lambda path, table: os.rename(path, path.with_name("block.parquet")),
            "its name must be the number",
        ),
        "overlap": (
            lambda path, table: pq.write_table(
                replaced(table.slice(0, 2), run=[3, 4]), path.with_name("000000003.parquet")
            ),
            "its runs must start at 5 or later",
        ),
        "beyond": (
            lambda path, table: pq.write_table(
                replaced(table.slice(0, 2), run=[20, 21]), path.with_name("000000020.parquet")
            ),
            "its runs must be below 15",
        ),
    }[name]


@pytest.mark.parametrize(
    "name",
    ["empty", "cut", "no campaign", "other campaign", "column missing", "column of another type", "other runs", "too many", "no rows",
     "other name", "overlap", "beyond"],
)  # fmt: skip
def test_a_file_that_cannot_be_used_is_named_with_the_rule(tmp_path, name):
    campaign = run_of(programs.doubled, tmp_path / "out", 15, block=5)
    path = tmp_path / "out" / "runs" / "000000005.parquet"
    do, rule = damage(name)
    do(path, pq.read_table(path))
    for method in (
        lambda: campaign.run(**QUIET),
        campaign.results,
        campaign.status,
        campaign.failures,
        campaign.traces,
    ):
        with pytest.raises(
            ValueError, match=rf"Campaign .*out: runs/0*\w+.parquet cannot be used.*({rule}).*; remove it"
        ):
            method()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda record: record.update(format=2), "format must be an integer from 1 to 1; got 2"),
        (lambda record: record.update(runs="many"), "runs must be an integer"),
        (lambda record: record.update(extra=1), "extra is not known"),
        (lambda record: record.pop("code"), "with the key 'code'"),
        (
            lambda record: record["draws"].update(y={"kind": "Normal", "column": ["object", None]}),
            r"draws.y.column\[0\] must be one of",
        ),
        (lambda record: record["columns"].update({"a b": "m"}), "a name in columns must be an identifier"),
        (lambda record: record["code"].update(simulate=1), "code.simulate must be a string"),
    ],
)
def test_a_record_that_cannot_be_used_is_named_with_the_rule(tmp_path, change, message):
    campaign = run_of(programs.doubled, tmp_path / "out", 5, block=5)
    path = tmp_path / "out" / "campaign.json"
    record = json.loads(path.read_text())
    change(record)
    path.write_text(json.dumps(record))
    with pytest.raises(ValueError, match=message):
        campaign.results()
    path.write_text("{")
    with pytest.raises(ValueError, match=r"campaign.json: the content must be JSON"):
        campaign.results()
    path.unlink()
    with pytest.raises(ValueError, match=r"folder must have campaign.json; there are blocks in runs"):
        campaign.run(**QUIET)


def test_a_folder_without_a_campaign_is_named():
    with pytest.raises(
        FileNotFoundError, match=r"Campaign nowhere: folder must be that of a campaign; it has no file campaign.json"
    ):
        programs.of(programs.doubled, "nowhere", 5).results()


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match=r"Campaign .*file: folder must be a folder that can be written; ") as caught:
        run_of(programs.doubled, tmp_path / "file", 5)
    assert caught.value.errno in (errno.EEXIST, errno.ENOTDIR)


def test_a_full_disk_loses_nothing_and_the_campaign_resumes(tmp_path, monkeypatch):
    whole = run_of(programs.doubled, tmp_path / "whole", 30, block=5)
    campaign, written, synchronise = programs.of(programs.doubled, tmp_path / "out", 30, block=5), [], os.fsync

    def full(descriptor):
        written.append(descriptor)
        if len(written) > 6:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        synchronise(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"Campaign .*out: folder must be on a disk with room; .*No space left") as caught:
        campaign.run(**QUIET)
    assert caught.value.errno == errno.ENOSPC
    assert not list((tmp_path / "out").rglob("*.tmp"))
    monkeypatch.undo()
    assert 0 < campaign.status().done < 30
    campaign.run(**QUIET)
    assert programs.files_of(tmp_path / "out") == programs.files_of(tmp_path / "whole")
    assert whole.results().num_rows == 30


@pytest.mark.parametrize("broken", ["fsync", "replace"])
def test_a_block_appears_complete_or_not_at_all(tmp_path, monkeypatch, broken):
    """Whatever fails before the new name is in place, no file has that name."""
    campaign = run_of(programs.doubled, tmp_path / "out", 10, block=5)
    (tmp_path / "out" / "runs" / "000000005.parquet").unlink()

    def fail(*arguments):
        raise KeyboardInterrupt

    real = getattr(os, broken)
    monkeypatch.setattr(os, broken, lambda *arguments: real(*arguments) if calls_left() else fail())
    left = iter(range(1 if broken == "replace" else 2))  # those of campaign.json
    calls_left = lambda: next(left, None) is not None  # noqa: E731
    with pytest.raises(KeyboardInterrupt):
        campaign.run(**QUIET)
    monkeypatch.undo()
    assert sorted(os.listdir(tmp_path / "out" / "runs")) == ["000000000.parquet"]


def test_files_that_a_killed_process_left_are_removed(tmp_path):
    campaign = run_of(programs.doubled, tmp_path / "out", 10, block=5)
    (tmp_path / "out" / "runs" / "000000005.parquet").unlink()
    (tmp_path / "out" / "runs" / ".000000005.parquet.12.tmp").write_bytes(b"half")
    (tmp_path / "out" / "traces" / "000000005.parquet").write_bytes(b"of a block of another size")
    assert campaign.status() == Status(10, 5, 0)
    campaign.run(**QUIET)
    assert sorted(programs.files_of(tmp_path / "out")) == ["runs/000000000.parquet", "runs/000000005.parquet"]
    assert not list((tmp_path / "out").rglob("*.tmp"))


def test_one_process_at_a_time_runs_a_campaign(tmp_path):
    campaign = programs.of(programs.doubled, tmp_path / "out", 5)
    with storage.Folder(tmp_path / "out").locked(), pytest.raises(RuntimeError, match=r"one process at a time"):
        campaign.run(**QUIET)
    campaign.run(**QUIET)


# arguments


def test_bad_arguments_are_rejected_with_owner_argument_value_and_rule(tmp_path):
    def inner(run):
        return {}

    good = {"runs": 5, "seed": 1, "columns": {"double": "m"}}
    for changes, rule in (
        ({"runs": 0}, "runs must be an integer of at least 1; got 0"),
        ({"runs": 10**9}, "runs must be at most 999999999"),
        ({"seed": -1}, "seed must be an integer of at least 0; got -1"),
        ({"seed": 2**63}, "seed must be at most"),
        ({"seed": 1.0}, "seed must be an integer"),
        ({"columns": {}}, "columns must be at least one name"),
        ({"columns": {"run": "-"}}, "a name in columns must be other than run, error, traceback; got 'run'"),
        ({"columns": {"a b": "-"}}, "a name in columns must be an identifier"),
        ({"columns": {"a": 1}}, r"columns\['a'\] must be the name of a unit; got 1"),
        ({"columns": ["a"]}, "columns must be a mapping"),
        ({"block": 0}, "block must be an integer of at least 1"),
        ({"time_limit": 0.0}, "time_limit must be"),
        (
            {"simulate": inner},
            "simulate must be a function at the top of an importable module, which workers import by its name; got",
        ),
        ({"simulate": lambda run: {}}, "simulate must be a function at the top"),
        ({"simulate": "f"}, "simulate must be a function at the top"),
    ):
        given = {"simulate": programs.doubled, **good, **changes}
        with pytest.raises((TypeError, ValueError), match=f"Campaign out: {rule}"):
            Campaign("out", given.pop("simulate"), **given)
    with pytest.raises(TypeError, match=r"Campaign: folder must be the path of a file; got 3"):
        Campaign(3, programs.doubled, **good)


def test_bad_arguments_of_run_are_rejected_before_the_folder_is_made(tmp_path, monkeypatch):
    campaign = programs.of(programs.doubled, tmp_path / "out", 5)
    limited = programs.of(programs.doubled, tmp_path / "out", 5, time_limit=1.0)

    class Client:
        def get_executor(self):
            raise AssertionError

    class OfDask(ThreadPoolExecutor):
        _client = None

    monkeypatch.setattr(programs.doubled, "__module__", "__main__")
    monkeypatch.setattr(sys.modules["__main__"], "doubled", programs.doubled, raising=False)
    main_program = programs.of(programs.doubled, tmp_path / "out", 5)
    with ThreadPoolExecutor(1) as pool, OfDask(1) as cluster:
        for call, rule in (
            (
                lambda: main_program.run(cluster),
                r"simulate must be importable by the workers of a cluster.*; import the campaign",
            ),
            (lambda: campaign.run("four"), r"executor must be a concurrent.futures.Executor or None; got 'four'"),
            (lambda: campaign.run(Client()), r"executor must be .*; pass client.get_executor\(pure=False\)"),
            (lambda: campaign.run(processes=-1), "processes must be an integer of at least 0"),
            (lambda: campaign.run(pool, processes=2), "processes must be None with an executor"),
            (lambda: campaign.run(progress=1), "progress must be True or False"),
            (lambda: campaign.run(allow_changes="yes"), "allow_changes must be True or False"),
            (lambda: limited.run(processes=0), "processes must be at least 1 with a time limit"),
            (lambda: campaign.verify(0), "sample must be an integer of at least 1|folder must be"),
        ):
            with pytest.raises((TypeError, ValueError, OSError), match=rule):
                call()
    assert not (tmp_path / "out").exists()


def test_rows_are_written_after_their_traces(tmp_path, monkeypatch):
    """What fails while traces are written leaves no rows, so that the runs are simulated again."""
    campaign, original = programs.of(traced, tmp_path / "out", 6, block=2), storage._write_synchronised

    def write(temporary, path, content):
        if path.parent.name == "traces" and path.name == "000000002.parquet":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        original(temporary, path, content)

    monkeypatch.setattr(storage, "_write_synchronised", write)
    with pytest.raises(
        OSError, match=r"Campaign .*out: folder must be a folder that can be written; Input/output error"
    ):
        campaign.run(**QUIET)
    assert sorted(programs.files_of(tmp_path / "out")) == ["runs/000000000.parquet", "traces/000000000.parquet"]
    monkeypatch.undo()
    campaign.run(**QUIET)
    assert campaign.traces()["run"].to_pylist() == [1, 1, 3, 3, 4, 5, 5]
