"""`polhode campaign`: its output, its errors, and that nothing in a folder is executed."""

import json
import re
import subprocess
import sys

import pytest

from demos.__main__ import main as demos_main
from engine.campaign import Status, example
from engine.campaign.command import main

from ..helpers import PATIENCE
from . import programs
from .cluster import environment

MISSION = """
from engine.campaign import Campaign, Uniform
print("imported")

def simulate(run):
    if run.number == 7:
        raise ValueError("no way")
    return {"double": 2.0 * run.draws["x"]}

campaign = Campaign("out/mission", simulate, runs=20, seed=1, columns={"double": "m"}, draws={"x": Uniform(0.0, 1.0)}, block=5)

if __name__ == "__main__":
    campaign.run(processes=0, progress=False)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which the mission was simulated as a script, and one of its blocks removed."""
    place = tmp_path_factory.mktemp("mission")
    (place / "mission.py").write_text(MISSION)
    command = [sys.executable, "mission.py"]
    subprocess.run(command, cwd=place, env=environment(), check=True, capture_output=True, timeout=PATIENCE)
    (place / "out" / "mission" / "runs" / "000000010.parquet").unlink()
    return place


def test_status_and_failures_are_shown_without_the_program(folder, capsys):
    path = folder / "out" / "mission"
    assert main(["status", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "runs       15 of 20 done, 5 left, 1 failed" in shown
    assert re.search(r"success    93.33 %, 95 % interval 70.\d\d to 98.\d\d %", shown)
    assert "seed 1, blocks of 5 runs" in shown and "imported" not in shown
    assert main(["failures", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "1 × ValueError: run 7" in shown and 'raise ValueError("no way")' in shown
    assert "campaign.repeat(7, reraise=True)" in shown and "imported" not in shown


def test_the_command_is_one_of_polhode(folder, capsys):
    assert demos_main(["campaign", "status", str(folder / "out" / "mission")]) == 0
    assert "15 of 20 done" in capsys.readouterr().out


def test_a_campaign_is_resumed_by_the_program_that_is_named(folder, monkeypatch, capsys):
    path = folder / "out" / "mission"
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [*sys.path])
    for program, rule in (
        ("nothing.py", "program must be a file or module with a campaign for out/mission; there is no such file"),
        ("no_such_module", "there is no such module"),
        ("tests.campaign.programs", "the folders of its campaigns: none"),
    ):
        assert main(["resume", "out/mission", program, "--quiet"]) == 1
        assert rule in capsys.readouterr().err
    assert main(["resume", "out/mission", "mission.py", "--quiet", "--processes", "0"]) == 0
    assert "20 of 20 runs done, 1 failed" in capsys.readouterr().out
    assert (path / "runs" / "000000010.parquet").exists()
    del sys.modules["mission"]


def test_the_picture_is_drawn_next_to_the_rows_or_elsewhere(folder, capsys):
    path = folder / "out" / "mission"
    assert main(["plot", str(path)]) == 0
    assert (path / "plot.png").read_bytes().startswith(b"\x89PNG")
    assert main(["plot", str(path), "--out", str(folder / "picture.svg")]) == 0
    text = (folder / "picture.svg").read_text()
    assert "<svg" in text
    assert main(["plot", str(path), "--out", str(folder / "none" / "picture.svg")]) == 1
    assert "path must point to a file that can be written" in capsys.readouterr().err


def test_the_picture_marks_failed_runs_and_gives_the_interval(tmp_path):
    campaign = programs.loops(tmp_path / "out", 30, block=10)
    campaign.run(processes=0, progress=False)
    figure = campaign.plot()
    failed = campaign.failures()["draw.mass"].to_pylist()
    assert failed
    assert re.search(r"\d+ of 30 runs succeeded, \d+.\d\d % \(95 %: \d", figure.get_suptitle())
    panels = {(axes.get_xlabel(), axes.get_ylabel()): axes for axes in figure.axes}
    assert set(panels) == {("rate [rad/s]", "runs")} | {(x, "rate [rad/s]") for x in ("mass", "|rate|", "fate")}
    good, bad = panels["mass", "rate [rad/s]"].collections
    assert bad.get_offsets()[:, 0].tolist() == failed and len(good.get_offsets()) == 30 - len(failed)
    assert sum(patch.get_height() for patch in panels["rate [rad/s]", "runs"].patches) == 30 - len(failed)


def test_an_empty_campaign_cannot_be_drawn(tmp_path):
    campaign = programs.of(programs.doubled, tmp_path / "out", 5, block=5)
    campaign.run(processes=0, progress=False)
    (tmp_path / "out" / "runs" / "000000000.parquet").unlink()
    for method in (campaign.plot, campaign.success_rate):
        with pytest.raises(ValueError, match="folder must have at least one run"):
            method()
    assert campaign.status() == Status(5, 0, 0) and campaign.results().num_rows == 0


@pytest.mark.parametrize("command", ["status", "failures", "plot"])
def test_a_folder_without_a_campaign_is_an_error(tmp_path, command, capsys):
    assert main([command, str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith(
        f"polhode campaign: Campaign {tmp_path}: folder must be that of a campaign"
    )


def test_nothing_in_a_folder_is_executed(folder, tmp_path, monkeypatch, capsys):
    """A folder that names a module of its own does not make any command import it."""
    import shutil

    path = tmp_path / "out"
    shutil.copytree(folder / "out" / "mission", path)
    for name in ("trap.py", "mission.py", "pyarrow.py"):
        (path / name).write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')")
    record = json.loads((path / "campaign.json").read_text())
    record["simulate"] = "trap.simulate"
    (path / "campaign.json").write_text(json.dumps(record))
    monkeypatch.setattr(sys, "path", [*sys.path])
    for command in (["status"], ["failures"], ["plot"]):
        assert main([command[0], str(path)]) == 0
    with pytest.raises(SystemExit):
        main(["resume", str(path)])
    assert "the following arguments are required: PROGRAM" in capsys.readouterr().err
    assert not (tmp_path / "sprung").exists()


def test_the_example_checks_its_claims_and_draws_its_picture(tmp_path, capsys):
    """The short form of `polhode campaign example`."""
    assert main(["example", str(tmp_path / "out"), "--runs", "8", "--processes", "0", "--quiet"]) == 0
    shown = capsys.readouterr().out
    assert "of 8 runs succeeded" in shown and "8 runs were repeated, with the same bits" in shown
    assert shown.splitlines()[0].split() == ["column", "unit", "smallest", "median", "99", "%", "largest"]
    assert (tmp_path / "out" / "plot.png").exists()


def test_the_draws_of_the_example_reach_its_craft(tmp_path, monkeypatch):
    """The craft's own mass, inertia, attitude and rates, when its first wheel is added."""
    seen = []
    original = example.ReactionWheel

    def wheel(ship, *arguments, **named):
        seen.append((ship.mass, ship.inertia_body.diagonal(), ship.orientation, ship.angular_velocity_body))
        return original(ship, *arguments, **named)

    monkeypatch.setattr(example, "ReactionWheel", wheel)
    row = example.campaign(tmp_path / "out", 8).repeat(5)
    mass, inertia, attitude, rate = seen[0]
    box = example.MassProperties.box(row["draw.mass"], example._BOX).inertia_body.diagonal()
    assert mass == row["draw.mass"] and rate.tolist() == row["draw.rate"]
    assert (inertia / box).tolist() == pytest.approx(row["draw.inertia"], rel=1e-14)
    assert attitude.tolist() == pytest.approx(row["draw.attitude"], abs=1e-15)
