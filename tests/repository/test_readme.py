"""The README's examples, tables and commands are correct."""

import re
from pathlib import Path

import numpy as np
import pytest

from engine import MassProperties, World, integrators

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


def test_pygame_example_flies(monkeypatch):
    """Forty frames without a screen, the key held: the ship has moved by a t²/2 along its own axis, roughly, and turned."""
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    frames = iter([[]] * 40)
    leave = [pygame.event.Event(pygame.QUIT)]
    held = type("Keys", (), {"__getitem__": lambda self, key: key == pygame.K_SPACE})()
    monkeypatch.setattr(pygame.event, "get", lambda: next(frames, leave))
    monkeypatch.setattr(pygame.key, "get_pressed", lambda: held)
    namespace: dict = {}
    try:
        exec(EXAMPLES[0], namespace)
    finally:
        pygame.quit()
    world, ship = namespace["world"], namespace["ship"]
    assert world.tick_count > 20
    thrust_time = world.time
    assert 0.0 < ship.velocity[2] <= 500.0 / 1200.0 * thrust_time
    assert np.linalg.norm(ship.orientation[:3]) > 0.01


def test_controller_example_stops_the_tumble():
    """Ten seconds of jets with a proportional band: what is left of 0.37 rad/s is below a thousandth."""
    namespace: dict = {}
    exec(EXAMPLES[1], namespace)
    assert np.linalg.norm(namespace["probe"].angular_velocity_body) < 1e-3


def test_force_example_accelerates_by_its_formula():
    """2 mN on 80 kg for an hour at one astronomical unit: v = F t/m = 0.09 m/s, to the change of distance, 1e-9."""
    namespace: dict = {}
    exec(EXAMPLES[2], namespace)
    assert namespace["probe"].velocity == pytest.approx([2e-3 * 3600.0 / 80.0, 0.0, 0.0], rel=1e-8)


def test_compiled_brake_slows_the_spin_as_its_formula_says():
    """A ball of moment I = 2/5 m r²: each rate falls as exp(−c t/I), to the order of the method, 1e-4 of it in ten seconds."""
    namespace: dict = {}
    exec(EXAMPLES[3], namespace)
    left = np.exp(-0.5 * 10.0 / (0.4 * 80.0 * 0.4**2))
    assert namespace["probe"].angular_velocity_body == pytest.approx(left * np.array((0.1, 0.2, 2.0)), rel=1e-3)


def test_memory_example_counts_the_turns(capsys):
    """2 rad/s for two seconds are 0.64 turns; a report each second."""
    namespace: dict = {}
    exec(EXAMPLES[4], namespace)
    assert float(namespace["turned"].value) == pytest.approx(4.0)
    assert capsys.readouterr().out.splitlines() == ["1 s: 0.32 turns", "2 s: 0.64 turns"]


def test_every_example_is_run_by_a_test_above():
    assert len(EXAMPLES) == 5


def test_table_of_integrators_is_complete_and_right():
    rows = re.findall(r"^\| `\"([\w-]+)\"`.*?\| (\d) \| (\d) \|", README, flags=re.MULTILINE)
    assert {name for name, _, _ in rows} == set(integrators.by_name)
    for name, order, evaluations in rows:
        method = integrators.by_name[name]()
        assert (method.order, method.evaluations_per_tick) == (int(order), int(evaluations))
    default = re.search(r"`\"([\w-]+)\"` \(the default\)", README)
    assert default is not None and World(0.01).integrator.name == default[1]


def test_names_in_the_conventions_table_exist_with_these_shapes():
    world = World(0.01)
    body = world.add_body(MassProperties.box(mass=1.0, size=(1.0, 2.0, 3.0)))
    rows = re.findall(r"^\| (`.+?`) \| \((.+?)\) \|", README, flags=re.MULTILINE)
    assert len(rows) >= 8
    for names, shape in rows:
        for name in re.findall(r"`(\w+)`", names):
            if hasattr(body, name):
                assert getattr(body, name).shape == tuple(int(size) for size in re.findall(r"\d+", shape)), name


@pytest.mark.parametrize("label", ["demo command", "test command"])
def test_commands_are_one_line_each(label):
    block = re.search(rf"<!-- {label} -->\n```sh\n(.*?)```", README, flags=re.DOTALL)
    assert block is not None
    assert block[1].count("\n") == 1
    assert "venv" in block[1] and "pip install" in block[1]
