"""The demo to be copied is short, self-contained, playable and physically correct."""

import ast
import os
import shutil
import subprocess
import sys
import tokenize
from pathlib import Path

import numpy as np
import pygame
import pytest

from demos import embed
from demos.__main__ import main
from engine.viewer import internals
from engine.viewer.run import options

from ..helpers import PATIENCE
from ..lengths import sized
from ..viewing import colours_in

SOURCE = Path(embed.__file__)
ROOT = SOURCE.parent.parent
NOT_CODE = {tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


PLAY = """
import sys
import numpy, pygame, lander

frames, seen = [], pygame.event.get
pygame.event.get = lambda: frames.append(1) or ([pygame.event.Event(pygame.QUIT)] if len(frames) > 4 else seen())
pygame.init()
lander.play(lander.Lander(seed=0), (640, 360))
alone = not any(name == "demos" or name.startswith("demos.") for name in sys.modules)
print(len(frames) - 1, "frames,", pygame.display.get_surface().get_width(), "wide, without the demos:", alone)
"""


def land(seed, seconds=90):
    game = embed.Lander(seed)
    for _ in range(60 * seconds):
        game.fly_itself()
        if game.result:
            return game
    return game


def test_its_physics_holds():
    assert embed.check() == ["a burn of 2 s follows the rocket equation to 1e-7 m"]


def test_without_a_window_it_waits_for_the_compiler():
    """Otherwise frames skip ticks where nothing has been compiled, and the flight is another one."""
    game = embed.Lander(0)
    assert game.world.compilation == "auto"
    internals.surface_game.GameFlight(game, embed.draw, (64, 36), embed.check)
    assert game.world.compilation == "wait"


def test_it_is_about_180_lines_of_code_that_import_nothing_of_the_viewer():
    text = SOURCE.read_text(encoding="utf-8")
    tree = ast.parse(text)
    with SOURCE.open("rb") as file:
        tokens = [token for token in tokenize.tokenize(file.readline) if token.type not in NOT_CODE and token.start[0]]
    lines = {line for token in tokens for line in range(token.start[0], token.end[0] + 1)}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    assert len(lines) <= 185
    modules = {"." * node.level + node.module for node in tree.body if isinstance(node, ast.ImportFrom)}
    modules |= {name.name for node in tree.body if isinstance(node, ast.Import) for name in node.names}
    assert modules == {"numpy", "pygame", ".physics"}


def test_the_file_alone_is_a_game_that_can_be_played(tmp_path):
    """Copied beside nothing but the engine, in a process of its own, and played for four frames on a screen that nobody sees.

    The one line that a copy needs changed is changed as the docstring says.
    """
    text = SOURCE.read_text(encoding="utf-8")
    assert text.count("from .physics import") == 1 and "import from `engine` where" in embed.__doc__
    (tmp_path / "lander.py").write_text(text.replace("from .physics import", "from engine import"), encoding="utf-8")
    (tmp_path / "play.py").write_text(PLAY, encoding="utf-8")
    environment = {**os.environ, "SDL_VIDEODRIVER": "dummy", "PYTHONPATH": str(tmp_path)}
    shutil.copytree(
        ROOT / "engine",
        tmp_path / "engine",
        ignore=shutil.ignore_patterns("*.pyc"),  # what numba compiled goes with it, which saves the time to compile
    )
    ran = subprocess.run(
        [sys.executable, "play.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=PATIENCE
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1] == "4 frames, 640 wide, without the demos: True"


@pytest.mark.parametrize("seed", range(sized(2, 8)))
def test_the_autopilot_lands_on_any_ground_with_fuel_to_spare(seed):
    game = land(seed)
    assert game.result == "LANDED" and game.tank.propellant > 5.0 and game.world.paused
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


@pytest.mark.parametrize(("tilt", "speed", "aside"), [(0.5, 1.0, 0.0), (0.0, 3.0, 0.0), (0.0, 1.0, 11.0)])
def test_a_landing_counts_only_upright_slow_and_on_the_pad(tilt, speed, aside):
    for spoilt in (False, True):
        game = embed.Lander(4)
        lean = tilt * spoilt / 2.0
        game.ship.orientation = (0.0, 0.0, np.sin(lean), np.cos(lean))
        game.ship.position = (game.pad + aside * spoilt, game.level + embed.FOOT + 2.3, 0.0)
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


def test_the_ship_gets_lighter_by_what_all_jets_burn():
    game = embed.Lander(3)
    for _ in range(30):
        game.steer(0.5, 0.9)
        game.world.step()
    burnt = embed.FUEL - game.tank.propellant
    assert burnt == pytest.approx(game.jets.impulse.sum() / embed.EXHAUST, rel=1e-12)
    assert burnt > 30 / 120 * 0.5 * embed.MAIN / embed.EXHAUST  # the side jets burn too
    assert game.ship.mass == pytest.approx(embed.MASS + embed.FUEL - burnt, rel=1e-15)


def test_an_empty_tank_gives_no_thrust():
    """The last 0.05 kg give an impulse of 0.05 kg times the speed of the gas, in the middle of a tick, and then nothing."""
    game = embed.Lander(3)
    game.tank.propellant = 0.05
    climb = game.ship.velocity[1]
    game.steer(1.0, 0.0)
    game.world.step(12)
    assert game.tank.propellant == 0.0
    gained = game.ship.velocity[1] - climb + 0.1 * embed.GRAVITY
    assert gained == pytest.approx(embed.EXHAUST * np.log1p(0.05 / embed.MASS), rel=1e-6)
    game.steer(1.0, 0.9)
    assert not game.jets.throttle.any()


def shown(path):
    """A picture as an array of shape (height, width, 3)."""
    return pygame.surfarray.array3d(pygame.image.load(path)).swapaxes(0, 1)


@pytest.mark.parametrize("size", sized([(400, 400)], [(1280, 720), (400, 400)]))
def test_without_a_window_it_writes_its_last_frame_in_the_size_asked_for(size, tmp_path, capsys):
    out = tmp_path / "new" / "frame.png"
    asked = ["--frames", "200", "--seed", "2", "--quality", "low", "--size", f"{size[0]}x{size[1]}", "--out", str(out)]
    assert main(["embed", "--headless", *asked]) == 0
    said = capsys.readouterr().out
    assert f"{size[0]} × {size[1]} pixels" in said and "checked: a burn" in said
    image = shown(out)
    assert image.shape == (size[1], size[0], 3)
    assert (
        np.abs(image.astype(int) - embed.GREEN).max(axis=-1) < 40
    ).any()  # the thin pad of a small picture is blended
    assert colours_in(image) > 200
    bars = (size[1] - size[0] * 9 // 16) // 2
    assert not image[: max(bars - 1, 0)].any() and image[bars + 2].any()  # in its own proportions, black beyond them


def test_the_same_seed_gives_the_same_picture_and_another_seed_another(tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 5)):
        out = str(tmp_path / f"{name}.png")
        assert main(["embed", "--frames", "3", "--size", "320x180", "--seed", str(seed), "--out", out]) == 0
    pictures = [(tmp_path / f"{name}.png").read_bytes() for name in "abc"]
    assert pictures[0] == pictures[1] != pictures[2]


def test_after_its_landing_the_engine_is_silent(tmp_path, capsys):
    """Seed 2 lands after 875 frames; no flame is drawn below the pad's level afterwards."""
    for frames in ("900", "1000"):
        asked = ["--frames", frames, "--size", "320x180", "--seed", "2", "--out", str(tmp_path / f"{frames}.png")]
        assert main(["embed", *asked]) == 0
    assert capsys.readouterr().out.count("landed") == 2
    image = shown(tmp_path / "900.png")
    assert (image == shown(tmp_path / "1000.png")).all()
    assert not (np.abs(image.astype(int) - embed.FIRE).max(axis=-1) < 20).any()


@pytest.mark.parametrize("ending", ["mp4", "webp", "gif"])
def test_it_records_a_clip_of_the_autopilots_flight(ending, tmp_path, capsys):
    av = pytest.importorskip("av")
    path = tmp_path / f"a.{ending}"
    last = str(tmp_path / "last.png")
    assert main(["embed", "--record", str(path), "--frames", "6", "--size", "320x180", "--out", last]) == 0
    said = capsys.readouterr().out
    assert "6 of 6 frames" in said and "6 frames at 30 per second" in said and "checked: " in said
    assert path.stat().st_size > 1000 and shown(last).shape == (180, 320, 3)
    if ending == "mp4":
        with av.open(str(path)) as clip:
            frames = [frame.to_ndarray(format="rgb24") for frame in clip.decode(video=0)]
        assert len(frames) == 6 and (frames[0] != frames[-1]).any()


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("--size 4x4", "between 16 and 8192"),
        ("--frames 0", "at least 1"),
        ("--seed -3", "at least 0"),
        ("--record film.avi", "must end in"),
        ("--record film.mp4 --size 321x180", "even width and height"),
        ("--quality ultra", "'auto'"),
        ("--integrator rk4", "--integrator"),  # this game has no choice of it
    ],
)
def test_bad_options_are_answered_in_one_line_with_status_2(asked, text, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["embed", *asked.split()])
    said = capsys.readouterr()
    assert ended.value.code == 2 and text in said.err and said.err.count("\n") == 1 and said.out == ""


@pytest.mark.parametrize(("option", "name"), [("--out", "a.png"), ("--record", "a.gif")])
def test_what_cannot_be_written_is_said_in_one_line(option, name, tmp_path, capsys):
    if option == "--record":
        pytest.importorskip("av")
    (tmp_path / "file").write_text("in the way")
    assert main(["embed", option, str(tmp_path / "file" / name), "--frames", "2", "--size", "64x36"]) == 1
    said = capsys.readouterr().err
    assert "cannot write" in said and said.count("\n") == 1


def test_without_a_display_it_flies_by_itself_and_says_how_to_get_a_window(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(options, "FRAMES", 3)
    pygame.display.quit()
    assert main(["embed", "--size", "320x180"]) == 0
    assert "For a window (SDL chose its driver 'dummy'" in capsys.readouterr().out
    assert (tmp_path / "out" / "embed.png").exists()


def test_a_window_of_another_size_is_filled_without_distortion():
    game, screen = embed.Lander(2), pygame.Surface((300, 600))
    pygame.font.init()
    screen.fill("white")  # what is in a window that was just made larger is anything
    embed.draw(game, screen)
    image = pygame.surfarray.array3d(screen).swapaxes(0, 1)
    assert not image[:215].any() and not image[386:].any() and image[220].any() and image[380].any()


class Player:
    """Presses keys in the window of the game, frame by frame, and closes it afterwards; sees what is drawn."""

    def __init__(self, monkeypatch, frames):
        monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
        pygame.display.quit()
        pygame.font.init()
        self.drawn, self.frames = [], [*frames, None]
        monkeypatch.setattr(pygame.event, "get", self.events)
        draw = embed.draw
        monkeypatch.setattr(embed, "draw", lambda game, screen, words="": self.see(draw, game, screen, words))

    def events(self):
        keys = self.frames.pop(0)
        if keys is None:
            return [pygame.event.Event(pygame.QUIT)]
        return [pygame.event.Event(pygame.KEYDOWN, key=key) for key in keys]

    def see(self, draw, game, screen, words):
        draw(game, screen, words)
        self.drawn.append((game, words, pygame.surfarray.array3d(screen).swapaxes(0, 1)))

    def play(self, game):
        embed.play(game, (640, 360))
        pygame.display.quit()


def test_the_keys_are_shown_until_h_is_pressed(monkeypatch):
    player = Player(monkeypatch, [[], [], [pygame.K_h], [pygame.K_h]])
    player.play(embed.Lander(2))
    starting, *words = [words for _, words, _ in player.drawn]
    assert "compiles" in starting and words == [embed.KEYS, embed.KEYS, "", embed.KEYS]
    for key in ("UP", "LEFT, RIGHT", "SPACE", "R:", "H:", "ESC"):
        assert key in embed.KEYS
    foot = [image[-30:, :600].astype(int) for _, _, image in player.drawn]
    assert (foot[2].min(axis=2) > 200).sum() > 300 and (foot[3].min(axis=2) > 200).sum() == 0


def test_r_starts_the_same_flight_again_and_escape_ends_the_game(monkeypatch):
    game = embed.Lander(2, score=70.0)
    game.world.step(60)
    player = Player(monkeypatch, [[], [pygame.K_r], [pygame.K_ESCAPE], [], []])
    player.play(game)
    assert len(player.frames) == 3  # the two frames and the end were never asked for
    begun, again = player.drawn[-2][0], player.drawn[-1][0]
    assert begun is game and again is not game
    assert (again.seed, again.score) == (2, 0.0) and again.world.tick_count < 60
    assert again.tank.propellant > embed.FUEL - 1.0
    assert (again.ground == game.ground).all() and again.pad == game.pad


def test_space_goes_on_to_the_next_ground_once_the_flight_has_ended(monkeypatch):
    game = embed.Lander(2, score=70.0)
    player = Player(monkeypatch, [[pygame.K_SPACE], []])
    player.play(game)
    assert player.drawn[-1][0] is game
    game.result, game.world.paused = "LANDED", True
    player = Player(monkeypatch, [[pygame.K_SPACE], []])
    player.play(game)
    assert player.drawn[-1][0].seed != 2 and player.drawn[-1][0].score == 70.0


def test_the_background_is_drawn_once_for_each_size(monkeypatch):
    drawn, draw_moon = [], embed.draw_moon
    monkeypatch.setattr(embed, "draw_moon", lambda game, *size: drawn.append(size) or draw_moon(game, *size))
    pygame.font.init()
    game, pictures = embed.Lander(2), []
    for size in ((640, 360), (640, 360), (320, 180), (320, 400)):
        screen = pygame.Surface(size, depth=24)
        embed.draw(game, screen)
        pictures.append(pygame.surfarray.array3d(screen))
        game.fly_itself()
    assert drawn == [(640, 360), (320, 180)]
    changed = (pictures[0] != pictures[1]).any(axis=2)
    assert 0 < changed.sum() < 4000  # the ship has moved, and the numbers have changed


@pytest.mark.parametrize(("x", "y"), [(64.0, 30.0), (-1.0, 40.0), (97.0, 52.0), (500.0, 500.0)])
def test_the_ship_is_drawn_wherever_it_is_and_never_beyond_the_picture(x, y):
    pygame.font.init()
    game, screen = embed.Lander(2), pygame.Surface((300, 600), depth=24)
    game.ship.position = (x, y, 0.0)
    game.ship.velocity = (0.0, 0.0, 0.0)
    game.world.step(2)
    embed.draw(game, screen)
    image = pygame.surfarray.array3d(screen).swapaxes(0, 1).astype(int)
    assert not image[:215].any() and not image[386:].any()
    white = (np.abs(image - embed.WHITE).max(axis=2) < 6).sum()
    expected = {64.0: (60, 150), -1.0: (15, 60), 97.0: (5, 60), 500.0: (0, 0)}[x]
    assert expected[0] <= white - stars_of(game) <= expected[1]


def stars_of(game):
    """Pixels as white as the hull in the picture without the ship."""
    image = pygame.surfarray.array3d(game.background).swapaxes(0, 1).astype(int)
    return (np.abs(image - embed.WHITE).max(axis=2) < 6).sum()


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


def test_the_numbers_have_the_minus_of_mathematics_and_no_sign_at_zero():
    assert [embed.signed(value) for value in (1.26, -1.26, 0.04, -0.04, 0.0)] == ["+1.3", "−1.3", "0.0", "0.0", "0.0"]


def test_the_ship_takes_a_seventh_of_the_height_of_the_picture():
    heights = [y for _, outline in embed.SHIP for _, y in outline]
    assert max(heights) - min(heights) >= 0.15 * embed.HEIGHT and min(heights) == -embed.FOOT


def test_the_far_ridges_have_no_step():
    """Nowhere do they rise or fall by more than twice the steepest slope of the near ground."""
    for seed in range(5):
        game = embed.Lander(seed)
        assert max(np.abs(np.diff(far)).max() for far in game.far) < 5.0


def test_the_path_of_the_next_seconds_is_the_motion_with_the_jets_as_they_are():
    game = embed.Lander(2)
    game.steer(0.4, 0.0)
    ahead = game.world.predict(2.0, every=24, bodies=[game.ship])[0][:, 0]
    for place in ahead:
        game.world.step(24)
        assert game.ship.position == pytest.approx(place, abs=1e-12)


@pytest.mark.parametrize("key", [None, pygame.K_UP])
def test_an_idle_window_is_flown_by_the_autopilot_until_the_first_key(key, monkeypatch):
    """After 30 s the autopilot has landed; a ship whose engine was tapped once at the start has crashed."""
    game, frames = embed.Lander(2), []
    pressed = dict.fromkeys((pygame.K_UP, pygame.K_LEFT, pygame.K_RIGHT), False)

    def events():
        frames.append(1)
        pressed[pygame.K_UP] = key is not None and len(frames) == 3
        return [pygame.event.Event(pygame.QUIT)] if len(frames) > 1800 else []

    clock = type("Clock", (), {"tick": lambda self, rate: 1000 / 60})
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.init()
    monkeypatch.setattr(pygame.event, "get", events)
    monkeypatch.setattr(pygame.key, "get_pressed", lambda: pressed)
    monkeypatch.setattr(pygame.time, "Clock", clock)
    monkeypatch.setattr(embed, "draw", lambda *_: None)
    embed.play(game, (64, 36))
    assert game.result == ("LANDED" if key is None else "CRASHED")
