"""The README: its example, plot and numbers, its size, its commands and pictures."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import matplotlib.pyplot as pyplot
import numpy as np
import pytest

from engine import MassProperties, World, flight
from engine.solutions import FreeAsymmetricTop

from ..benchmarks import __main__ as benchmarks
from ..benchmarks import accuracy, many_bodies

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLE = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
PICTURES = re.findall(r"""(?:!\[[^]]*\]\(|<img src=")(?!https?:)([^)"]+)""", README)


def test_example_plots_the_rates_of_a_body_that_flips(monkeypatch):
    """What is drawn are the rates by Jacobi's functions, and the phone turns over four times.

    Close to the separatrix a rounding error grows by e every 0.16 s: measured 2.5e-8 rad/s after 10 s.
    """
    pyplot.switch_backend("agg")
    monkeypatch.setattr(pyplot, "show", lambda: None)
    exec(EXAMPLE[0], {})
    lines = pyplot.gca().lines
    pyplot.close()
    phone = MassProperties.box(mass=0.2, size=(0.15, 0.07, 0.01))
    truth = FreeAsymmetricTop(np.diag(phone.inertia_body), (0.01, 8.0, 0.01)).angular_velocities_body(
        0.01 * np.arange(1001)
    )
    for line, rates in zip(lines, truth.T, strict=True):
        assert line.get_xdata() == pytest.approx(0.01 * np.arange(1001), abs=1e-12)
        assert line.get_ydata() == pytest.approx(rates, abs=1e-7)
    about_y = lines[1].get_ydata()
    assert ((about_y[:-1] > 0.0) != (about_y[1:] > 0.0)).sum() == 4
    moments, axes = phone.principal()
    assert abs(axes[1, 1]) == 1.0 and list(moments) == sorted(moments)  # y is the intermediate axis


def test_the_plot_is_drawn_by_the_lines_above_it():
    """`python -m tests.benchmarks.first_plot` stores in the picture the lines that drew it."""
    assert len(EXAMPLE) == 2
    svg = ElementTree.parse(ROOT / "demos" / "pictures" / "first-plot.svg")
    assert svg.findtext("{http://www.w3.org/2000/svg}desc") == EXAMPLE[0]
    assert README.index(EXAMPLE[0]) < README.index("demos/pictures/first-plot.svg")


def test_three_lines_turn_a_ship_to_a_target():
    """With couples of jets about each axis; the lines run before the first tick, so that the last one counts."""
    world = World(0.02)
    ship = world.add_body(MassProperties.box(900.0, (2.0, 2.0, 3.0)), angular_velocity_body=(0.05, -0.1, 0.02))
    target = world.add_body(MassProperties.sphere(1.0, 0.5), position=(-60.0, 30.0, 20.0))
    sides, along = np.eye(3), np.roll(np.eye(3), 1, axis=1)
    pairs = {"positions": [*sides, *-sides, *sides, *-sides], "directions": [*along, *-along, *-along, *along]}
    jets = world.add_force(flight.ThrusterBank(ship, **pairs, max_forces=50.0))
    names = {"world": world, "flight": flight, "ship": ship, "jets": jets, "target": target}
    exec(EXAMPLE[1], names)
    assert EXAMPLE[1].count("\n") == 3
    world.step(2500)
    axis = ship.direction_to_world((0.0, 0.0, 1.0))
    assert np.linalg.norm(np.cross(axis, target.position)) < 1e-3 * np.linalg.norm(target.position)
    assert axis @ target.position > 0.0


def test_numbers_are_those_of_the_recorded_run():
    figures = json.loads(benchmarks.KEPT[0].read_text(encoding="utf-8"))["figures"]
    found = {(one["table"], one["row"], one["column"]): one["median"] for one in figures}
    error = found[accuracy.TABLE, "free-rotor-2", accuracy.error_column(next(iter(accuracy.CASES)))]
    cost = found[many_bodies.TABLE, "free-rotor-2", "1 000"]
    assert f"{error:.0e} rad".replace("e-11", "·10⁻¹¹") in README
    assert f"**Fast.** {cost:.0f} ns per body per tick, for 1000 craft" in README
    assert (accuracy.SECONDS, accuracy.TICKS_A_SECOND) == (60, 240) and "a minute" in README and "240 ticks" in README


def test_it_is_a_page_and_no_manual():
    assert len(README.split()) <= 700
    code = "".join(re.findall(r"```\w*\n(.*?)```", README, flags=re.DOTALL))
    assert max(map(len, code.splitlines())) <= 92


def test_pictures_are_small_and_the_first_one_moves():
    sizes = {picture: (ROOT / picture).stat().st_size for picture in PICTURES}
    assert len(sizes) == len(PICTURES) >= 8
    assert sum(sizes.values()) < 2_000_000
    assert PICTURES[0].endswith("flip.webp") and sizes[PICTURES[0]] <= 1_000_000
    moving = (ROOT / PICTURES[0]).read_bytes()
    assert moving.count(b"ANMF") > 60 and int.from_bytes(moving[24:27], "little") + 1 == 830


@pytest.mark.parametrize("label", ["demo command", "test command"])
def test_commands_are_one_line_each(label):
    block = re.search(rf"<!-- {label} -->\n```sh\n(.*?)```", README, flags=re.DOTALL)
    assert block is not None
    assert block[1].count("\n") == 1
    assert "venv" in block[1] and "pip install" in block[1]
