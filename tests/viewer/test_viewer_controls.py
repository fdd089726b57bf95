"""The keys do what the help says, alike in every demo."""

import numpy as np
import pytest

from demos import tumble
from engine import integrators
from engine.viewer.picture.keys import BINDINGS, help_columns
from engine.viewer.picture.scene import LAYERS
from engine.viewer.run import rewind
from engine.viewer.run.controls import FASTEST, REWIND, SLOWEST, Controls

from ..lengths import sized
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


def frames(keys, count, seconds=1.0 / 60.0):
    """Run frames as the window does, and return the state after each."""
    seen = []
    for _ in range(count):
        keys.scene.world.advance(seconds)
        keys.remember()
        seen.append(state_of(keys.scene))
    return seen


def state_of(scene):
    sample = scene.sample()
    shown = sample.time, sample.energy_drift, sample.momentum_drift, *sample.rates, *sample.more
    return scene.world.tick_count, scene.world.state_hash(), [np.float64(number).tobytes() for number in shown]


def test_going_back_brings_back_every_bit():
    """Through changes of integrator and game mode, which are undone with the frames in which they were made."""
    scene = new_scene("--case", "t-handle")
    keys, seen = Controls(scene, camera_for(scene)), [state_of(scene)]
    for action in ("next_integrator", "next_integrator", "toggle_game_mode", "next_integrator", "toggle_game_mode"):
        seen += frames(keys, 12)
        keys.act(action)
    seen += frames(keys, 12)
    settings = scene.world.integrator.name, scene.world.game_mode
    assert REWIND / scene.world.dt == 240.0
    keys.act("slower")
    keys.act("slower")  # so that a press goes back by 60 ticks, which are 15 frames
    for frame in (57, 42, 27, 12):
        keys.press("BACKSPACE")
        assert state_of(scene) == seen[frame] and not keys.notice
    assert scene.world.integrator.name != settings[0] and scene.world.time_scale == 0.25
    # what was changed later is forgotten: from here the present choice holds
    assert frames(keys, 30, 4.0 / 60.0)[0] != seen[13]
    keys.press("r")
    keys.press("BACKSPACE")
    assert scene.world.tick_count == 0 and keys.notice == "cannot go back any further"
    keys.press("LEFT")
    assert keys.notice == ""


INTERVENTIONS = {"attitude": "nmj", "approach": "wpl", "orbit": "", "tumble": "ig", "swarm": ""}


@pytest.mark.parametrize(
    "name",
    sized(
        ["tumble", "orbit", "arm"],
        ["tumble", "top", "integrators", "swarm", "orbit", "detumble", "attitude", "approach", "dock", "arm"],
    ),
)
def test_every_demo_goes_back_over_whatever_was_done_and_goes_on_as_before(name, monkeypatch):
    """What the user does after the frame to which the demo goes back makes no difference any more."""
    monkeypatch.setattr(rewind, "LARGE", 1e9)
    scene = scene_of(name)
    keys = Controls(scene, camera_for(scene))
    pace = scene.world.time_scale
    frames(keys, 12)
    objects = [id(each) for each, _contents in keys._rewind._frames[-1].contents]
    start, flight = state_of(scene), {state[0]: state for state in frames(keys, 24)}
    keys._rewind.back(max(flight) - start[0])
    assert state_of(scene) == start
    for key in INTERVENTIONS.get(name, "i"):
        keys.press(key)
        frames(keys, 3)
    frames(keys, 8)
    assert state_of(scene) != start
    keys._rewind.back(scene.world.tick_count - start[0])
    scene.world.time_scale = pace
    assert state_of(scene) == start
    again = {state[0]: state for state in frames(keys, 18)}
    assert len(again) > 2 and all(flight[tick] == state for tick, state in again.items())
    assert [id(each) for each, _contents in keys._rewind._frames[-1].contents] == objects


def test_a_press_goes_back_by_a_second_and_at_most_to_the_first_frame_that_is_kept(monkeypatch):
    monkeypatch.setattr(rewind, "MOST_FRAMES", 90)
    scene = new_scene("--case", "flip")
    keys = Controls(scene, camera_for(scene))
    frames(keys, 120)
    keys.press("g")
    keys.press("SPACE")
    keys.press("BACKSPACE")
    assert (scene.world.tick_count, scene.world.game_mode, scene.world.paused) == (240, False, True)
    keys.press("BACKSPACE")
    assert scene.world.tick_count == 124 and not keys.notice  # 90 frames of four ticks, the last of them the 120th
    keys.press("BACKSPACE")
    assert scene.world.tick_count == 124 and keys.notice == "cannot go back any further"


def test_of_a_large_scene_few_frames_are_kept(monkeypatch):
    monkeypatch.setattr(rewind, "LARGE", 100.0)
    scene = new_scene()
    keys = Controls(scene, camera_for(scene))
    frames(keys, 61)
    assert [frame.tick for frame in keys._rewind._frames] == [0, 60, 120, 180, 240]
    monkeypatch.setattr(rewind, "MOST_BYTES", 1.0)
    monkeypatch.setattr(rewind, "LARGE", 1e9)
    frames(keys, 120)
    assert len(keys._rewind._frames) < 62


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
