"""The command that draws a record."""

import re

import numpy as np
import pytest

from demos.__main__ import main
from engine import MassProperties, Recorder, World


@pytest.fixture
def flight(tmp_path):
    """The file of a body that falls upwards for 100 ticks."""
    world = World(0.5)
    body = world.add_body(MassProperties.sphere(1.0, 0.5), name="<ship>")
    record = Recorder(world, path=tmp_path / "flight.record")
    world.on_tick(lambda world: body.apply_force((0.0, 1.0, 0.0)))
    world.step(100)
    record.stop()
    return tmp_path / "flight.record", record


def test_each_column_is_drawn_over_the_time(flight, capsys):
    path, record = flight
    assert main(["plot", str(path), "position", "kinetic_energy"]) == 0
    assert "100 samples of 2 columns" in capsys.readouterr().out
    curves = re.findall(r'<polyline points="([^"]*)"', path.with_suffix(".svg").read_text())
    assert len(curves) == 3 + 1
    points = np.array([[float(number) for number in pair.split(",")] for pair in curves[1].split()])
    assert points[:, 0] == pytest.approx(70 + 860 * (record.time - 0.5) / 49.5, abs=0.06)
    height = record.position[:, 0, 1]
    assert points[:, 1] == pytest.approx(46 + 180 * (1 - height / height.max()), abs=0.06)
    assert main(["plot", str(path)]) == 0


def test_what_cannot_be_drawn_is_said(flight, tmp_path, capsys):
    path, _ = flight
    assert main(["plot"]) == 2 and "usage" in capsys.readouterr().err
    assert main(["plot", str(path), "speed"]) == 2 and "no column is called 'speed'" in capsys.readouterr().err
    (tmp_path / "other").write_text("other")
    for wrong in ("other", "missing"):
        assert main(["plot", str(tmp_path / wrong)]) == 1 and "polhode plot: " in capsys.readouterr().err.replace(
            "python -m demos", "polhode"
        )
