"""The command that draws a record."""

import re

import pytest

from demos.__main__ import main
from demos.commands import plot as command
from engine import MassProperties, Recorder, World, forces

from ..lengths import long_run


@pytest.fixture
def flight(tmp_path):
    """The file of two bodies, of which the first tumbles upwards for 100 ticks."""
    world = World(0.5)
    body = world.add_body(
        MassProperties.box(1.0, (1.0, 2.0, 3.0)), name="<ship>", angular_velocity_body=(0.1, 1.0, 0.2)
    )
    world.add_body(MassProperties.sphere(1.0, 0.5), name="moon", position=(5.0, 0.0, 0.0), velocity=(0.0, 1.0, 0.0))
    jet = forces.Thruster(body, position=(0, 0, 0), direction=(0, 1, 0), max_force=1.0)
    world.add_force(jet).throttle = 1.0
    record = Recorder(world, path=tmp_path / "flight.record")
    world.step(100)
    record.stop()
    return tmp_path / "flight.record", record


def titles(path):
    """The texts of an SVG, which matplotlib writes as comments beside their outlines."""
    return re.findall(r"<!-- (.*?) -->", path.read_text(encoding="utf-8"))


def test_each_plot_and_column_is_drawn_below_the_other(flight, capsys):
    path, _record = flight
    assert main(["plot", str(path), "rates", "polhode", "kinetic_energy", "Thruster 0.throttle"]) == 0
    out = path.with_suffix(".svg")
    assert f"101 samples in 4 plots: {out}" in capsys.readouterr().out
    found = titles(out)
    for text in ("rates", "polhode", "time [s]", "ω x", "kinetic_energy [J]", "Thruster 0.throttle", "moon"):
        assert text in found, text


@long_run
def test_all_columns_are_drawn_by_default_and_of_one_body_on_request(flight, tmp_path):
    path, record = flight
    assert main(["plot", str(path)]) == 0
    assert {column.name for column in record.columns} <= set(titles(path.with_suffix(".svg")))
    out = tmp_path / "moon.svg"
    assert main(["plot", str(path), "position", "orbit", "--body", "moon", "--output", str(out)]) == 0
    assert "moon" in titles(out) and not any("ship" in text for text in titles(out))


def test_the_picture_may_be_of_another_kind(flight, tmp_path):
    path, _record = flight
    assert main(["plot", str(path), "drift", "--output", str(tmp_path / "drift.png")]) == 0
    assert (tmp_path / "drift.png").read_bytes().startswith(b"\x89PNG")


def test_what_cannot_be_drawn_is_said(flight, tmp_path, capsys, monkeypatch):
    path, _ = flight

    def said(*arguments):
        status = main(["plot", *map(str, arguments)])
        return status, capsys.readouterr().err.replace("python -m demos", "polhode")

    assert said()[0] == 2
    assert said(path, "speed")[1].startswith(
        "polhode plot: plot.columns: record must be a record with the column 'speed'"
    )
    assert said(path, "speed")[0] == 2
    status, error = said(path, "rates", "--body", "tug")
    assert status == 2 and "body must be the name of a recorded body (<ship>, moon)" in error
    (tmp_path / "other").write_text("other")
    for wrong in ("other", "missing"):
        status, error = said(tmp_path / wrong)
        assert status == 1 and error.startswith("polhode plot: ") and wrong in error
    monkeypatch.setattr(command, "plots", lambda: (_ for _ in ()).throw(ModuleNotFoundError(name="matplotlib")))
    status, error = said(path)
    assert status == 1 and "matplotlib is missing: pip install" in error and "[plot]" in error
