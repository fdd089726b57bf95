"""The demo to be copied: short, on its own, playable, and honest in its physics."""

import ast
import os
import subprocess
import sys
import tokenize
from pathlib import Path

import numpy as np
import pygame
import pytest

from demos import embed

SOURCE = Path(embed.__file__)
ROOT = SOURCE.parent.parent
NOT_CODE = {tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def land(seed, seconds=90):
    game = embed.Lander(seed)
    for _ in range(60 * seconds):
        game.fly_itself()
        if game.result:
            return game
    return game


def test_its_physics_holds():
    assert len(embed.check()) == 2


def test_it_is_a_hundred_lines_of_code_that_import_nothing_of_the_viewer():
    text = SOURCE.read_text(encoding="utf-8")
    tree = ast.parse(text)
    with SOURCE.open("rb") as file:
        tokens = [token for token in tokenize.tokenize(file.readline) if token.type not in NOT_CODE and token.start[0]]
    lines = {line for token in tokens for line in range(token.start[0], token.end[0] + 1)}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    assert len(lines) <= 100
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    assert modules == {"argparse", "pathlib", "numpy", "pygame", "engine"}


@pytest.mark.parametrize("seed", range(8))
def test_the_autopilot_lands_on_any_ground_with_fuel_to_spare(seed):
    game = land(seed)
    assert game.result == "LANDED" and game.fuel > 2.0 and game.world.paused
    assert abs(game.ship.position[0] - game.pad) < embed.PAD / 2
    assert np.linalg.norm(game.ship.velocity) < 2.0


def test_a_ship_left_alone_falls_with_the_moons_gravity_and_crashes():
    game = embed.Lander(1)
    height, climb = game.ship.position[1], game.ship.velocity[1]
    game.world.step(240)
    assert game.ship.position[1] == pytest.approx(height + 2.0 * climb - 0.5 * embed.GRAVITY * 4.0, abs=1e-9)
    while not game.result:
        game.world.step()
    assert game.result == "CRASHED"


@pytest.mark.parametrize(("tilt", "speed", "aside"), [(0.5, 1.0, 0.0), (0.0, 3.0, 0.0), (0.0, 1.0, 8.0)])
def test_a_landing_counts_only_upright_slow_and_on_the_pad(tilt, speed, aside):
    for spoilt in (False, True):
        game = embed.Lander(4)
        lean = tilt * spoilt / 2.0
        game.ship.orientation = (0.0, 0.0, np.sin(lean), np.cos(lean))
        game.ship.position = (game.pad + aside * spoilt, game.level + 4.5, 0.0)
        game.ship.velocity = (0.0, -speed if spoilt else -1.0, 0.0)
        game.world.remove_force(game.world.forces[0])  # no gravity: it comes down as fast as it is sent
        while not game.result:
            game.world.step()
        assert game.result == ("CRASHED" if spoilt else "LANDED")


def test_the_side_jets_turn_the_ship_and_push_it_nowhere():
    game = embed.Lander(3)
    game.world.remove_force(game.world.forces[0])
    velocity = game.ship.velocity
    for _ in range(60):
        game.steer(0.0, 0.9)
        game.world.step()
    assert game.ship.angular_velocity_body == pytest.approx((0.0, 0.0, game.ship.angular_velocity_body[2]), abs=1e-12)
    assert 0.2 < game.ship.angular_velocity_body[2] <= 0.9
    assert game.ship.velocity == pytest.approx(velocity, abs=1e-12)


def test_an_empty_tank_gives_no_thrust():
    game = embed.Lander(3)
    game.fuel = 0.05
    game.steer(1.0, 0.0)
    game.world.step(12)
    game.steer(1.0, 0.0)
    assert game.fuel == 0.0 and game.jets.throttle[0] == 0.0


def test_without_a_window_it_writes_its_last_frame(tmp_path):
    out = tmp_path / "new" / "frame.png"
    environment = {**os.environ, "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
    command = [
        sys.executable,
        "-m",
        "demos",
        "embed",
        "--headless",
        "--frames",
        "200",
        "--out",
        str(out),
        "--seed",
        "2",
    ]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    image = pygame.surfarray.array3d(pygame.image.load(out))
    assert image.shape == (1280, 720, 3)
    shown = {tuple(colour) for colour in image.reshape(-1, 3)[::7]}
    assert embed.GREEN in shown and len(shown) > 200


def test_it_is_played_with_the_keys(monkeypatch):
    """Two frames with the main engine on and a left turn, and then the window is closed."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.display.quit()
    game, frames = embed.Lander(2), []
    keys = {pygame.K_UP: True, pygame.K_LEFT: True, pygame.K_RIGHT: False, pygame.K_SPACE: False}
    monkeypatch.setattr(pygame.key, "get_pressed", lambda: keys)
    pygame.font.init()

    def events():
        frames.append(list(game.jets.throttle))
        return [pygame.event.Event(pygame.QUIT)] if len(frames) > 2 else []

    monkeypatch.setattr(pygame.event, "get", events)
    embed.play(game)
    pygame.display.quit()
    assert frames[0] == [0.0] * 5 and frames[2] == pytest.approx([1.0, 1.0, 1.0, 0.0, 0.0])
