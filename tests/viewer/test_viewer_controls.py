"""The keys do what the help says, alike in every demo."""

import numpy as np
import pytest

from demos import tumble
from demos.viewer.picture.keys import BINDINGS, help_columns
from demos.viewer.picture.scene import LAYERS
from demos.viewer.run.controls import FASTEST, REWIND, SLOWEST, Controls
from engine import integrators

from ..viewing import camera_for, fly, new_scene, scene_of


def test_the_keys_do_what_the_help_says():
    scene = new_scene("--allow-unphysical", "--dt", "1/120")
    keys = Controls(scene, camera_for(scene))
    keys.press("SPACE")
    fly(scene, 10)
    assert scene.world.tick_count == 0
    keys.press("PERIOD")
    assert (scene.world.tick_count, scene.world.paused) == (1, True)
    keys.press("SPACE")
    fly(scene, 10)
    assert scene.world.tick_count == 21
    for _ in range(9):
        keys.press("COMMA")
    assert scene.world.time_scale == SLOWEST
    for _ in range(9):
        keys.press("SLASH")
    assert scene.world.time_scale == FASTEST
    fly(scene, 1)
    assert scene.world.tick_count == 37 and scene.world.dropped_time == 0.0

    first, seen = scene.world.integrator.name, []
    for _ in integrators.by_name:
        keys.press("i")
        seen.append(scene.world.integrator.name)
    assert sorted(seen) == sorted(integrators.by_name) and seen[-1] == first
    keys.press("i")
    keys.press("g")
    keys.press("r")
    assert (scene.world.tick_count, scene.world.game_mode, scene.world.integrator.name) == (0, True, seen[0])
    assert scene.world.time_scale == FASTEST

    cases = [scene.case_name]
    for _ in range(len(tumble.CASES) - 1):
        keys.press("c")
        cases.append(scene.case_name)
    assert cases == list(tumble.CASES)
    keys.press("h")
    keys.press("q")
    assert keys.help_shown and keys.quitting
    assert not keys.press("z")


def test_the_arrow_keys_and_the_mouse_move_the_eye_and_never_the_target():
    scene = new_scene()
    camera = camera_for(scene)
    keys, start = Controls(scene, camera), camera.distance
    for key in ["RIGHT"] * 80 + ["UP"] * 80 + ["PAGEUP"] * 80:
        keys.press(key, repeated=True)
    keys.drag(31, -17)
    assert 0.0 <= camera.yaw < 2.0 * np.pi and 0.0 < camera.pitch < np.pi / 2.0
    assert scene.radius < camera.distance < start
    assert camera.eye + camera.distance * camera.forward == pytest.approx(camera.target, abs=1e-12)


def test_a_key_held_down_pauses_once():
    scene = new_scene()
    keys = Controls(scene, camera_for(scene))
    keys.press("SPACE")
    assert not keys.press("SPACE", repeated=True) and scene.world.paused


def test_each_key_is_a_key_of_pygame_and_each_action_exists():
    pygame = pytest.importorskip("pygame")
    for name, _, action, _ in BINDINGS:
        assert hasattr(pygame, f"K_{name}") and callable(getattr(Controls, action.partition(" ")[0]))


def test_going_back_and_forth_brings_back_every_bit():
    """Through changes of integrator and game mode, each taken up again at the tick where it was made."""
    scene = new_scene("--case", "t-handle")
    keys, hashes = Controls(scene, camera_for(scene)), {}
    for action in ("next_integrator", "next_integrator", "toggle_game_mode", "next_integrator", "toggle_game_mode"):
        for _ in range(50):
            scene.world.step()
            hashes[scene.world.tick_count] = scene.world.state_hash()
        keys.act(action)
    scene.world.step(50)
    last, settings = scene.world.state_hash(), (scene.world.integrator.name, scene.world.game_mode)

    assert REWIND / scene.world.dt == 240.0
    keys.act("slower")
    keys.act("slower")  # so that a press goes back by 60 ticks
    for tick in (240, 180, 120, 60):
        keys.press("BACKSPACE")
        assert scene.world.tick_count == tick and scene.world.state_hash() == hashes[tick]
    assert scene.world.integrator.name != settings[0] and scene.world.time_scale == 0.25

    # What was changed later is forgotten: from here the present choice holds.
    scene.world.step(140)
    assert scene.world.state_hash() != hashes[200]
    keys.press("BACKSPACE")
    assert scene.world.tick_count == 140
    keys.press("r")
    keys.press("BACKSPACE")
    assert scene.world.tick_count == 0 and last != scene.world.state_hash()


@pytest.mark.parametrize(
    "name", ["tumble", "top", "integrators", "swarm", "orbit", "detumble", "attitude", "approach", "dock"]
)
def test_every_demo_goes_back_to_the_same_bits_or_says_why_not(name):
    scene = scene_of(name)
    keys, world = Controls(scene, camera_for(scene)), scene.world
    world.step(3)
    keys.press("i")
    wanted = [world.state_hash(), scene.sample().energy_drift]
    seconds = REWIND * world.time_scale
    world.step(round(seconds / world.dt))
    keys.press("BACKSPACE")
    assert keys.notice if not scene.rewinds else [scene.world.state_hash(), scene.sample().energy_drift] == wanted


def test_going_back_forgets_the_changes_made_after_and_keeps_the_pause():
    scene = new_scene("--case", "flip")
    keys = Controls(scene, camera_for(scene))
    scene.world.step(300)
    keys.press("g")
    keys.press("SPACE")
    keys.press("BACKSPACE")
    assert (scene.world.tick_count, scene.world.game_mode, scene.world.paused) == (60, False, True)


def test_the_scene_is_set_up_again_with_the_settings_it_began_with(monkeypatch):
    scene = new_scene("--integrator", "rk4")
    keys, reset, seen = Controls(scene, camera_for(scene)), scene.reset, []
    monkeypatch.setattr(scene, "reset", lambda: seen.append(scene.world.integrator.name) or reset())
    scene.world.step(300)
    keys.press("i")
    keys.press("BACKSPACE")
    assert seen == ["rk4"] and scene.world.integrator.name == "rk4"


def test_a_scene_that_cannot_be_flown_again_says_so_and_stays_where_it_is():
    scene = new_scene()
    scene.rewinds = False
    keys = Controls(scene, camera_for(scene))
    scene.world.step(300)
    keys.press("BACKSPACE")
    assert scene.world.tick_count == 300 and keys.notice.startswith("cannot go back")
    keys.press("LEFT")
    assert keys.notice == ""


def test_the_number_keys_hide_and_show_the_layers_and_the_help_lists_them():
    scene = new_scene()
    keys = Controls(scene, camera_for(scene))
    for number, layer in enumerate(LAYERS, 1):
        keys.press(str(number))
        assert keys.hidden == {layer} and keys.notice == f"{layer} hidden"
        keys.press(str(number))
        assert not keys.hidden and keys.notice == f"{layer} shown"
    assert [key for key, meaning in help_columns()[1] if meaning.removeprefix("hide, show ") in LAYERS] == list(
        "123456"
    )
