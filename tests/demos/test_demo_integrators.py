"""The demo with seven methods and game mode side by side: its reference solution, its errors and its check."""

import numpy as np
import pytest

from demos import integrators as demo
from demos.__main__ import main
from demos.scenes.fleet import RATES
from engine import integrators, rotation
from engine.solutions import FreeAsymmetricTop
from engine.viewer.picture.scene import FRAME

from ..lengths import long_run
from ..truth import rotations


def new_scene(*arguments):
    return demo.Integrators(demo.read_options(arguments))


def fly(scene, frames):
    for _ in range(frames):
        scene.world.advance(FRAME)
    return scene


@pytest.fixture(scope="module")
def half_a_minute():
    return fly(new_scene(), 1800)


def errors(scene):
    return {ship.name: scene.fleet.errors(ship) for ship in scene.fleet.ships}


def test_each_method_keeps_what_it_should_for_half_a_minute(half_a_minute):
    assert len(half_a_minute.check()) == 8


def test_the_truth_is_the_closed_form_of_the_free_body(half_a_minute):
    """RK4 in 256 steps per tick against elliptic functions, after half a minute: 1e-9 rad, measured 1e-10."""
    body = half_a_minute.fleet.truth
    start = new_scene().fleet.truth
    exact = FreeAsymmetricTop(body.inertia_body, np.array(RATES), orientation=start.orientation)
    assert rotations.angle(body.orientation, exact.orientations((body.world.time,)))[0] < 1e-9


def test_what_is_seen_after_half_a_minute_is_what_the_caption_claims(half_a_minute):
    """The order of merit at a quarter of a radian a tick."""
    found = errors(half_a_minute)
    attitude = {name: np.degrees(error.attitude) for name, error in found.items()}
    assert attitude["yours"] < 1e-6
    assert attitude["rk4"] < 3.0 and attitude["axis-splitting-2"] < 3.0
    assert 3.0 < attitude["predictor-corrector"] < attitude["midpoint"] < 60.0
    assert min(attitude[name] for name in ("semi-implicit-euler", "implicit-gyro-euler", "game mode")) > 60.0
    assert found["semi-implicit-euler"].energy > 0.5 and found["semi-implicit-euler"].momentum < 1e-12
    assert found["implicit-gyro-euler"].energy < -0.5 and found["implicit-gyro-euler"].momentum > 0.3
    assert abs(found["midpoint"].energy) < 1e-12 and found["game mode"].momentum > 0.05


def test_all_worlds_are_in_step_with_the_first_and_share_its_interpolation():
    scene = new_scene()
    scene.world.advance(0.37)
    assert {ship.body.world.tick_count for ship in scene.fleet.ships} == {3} == {scene.fleet.truth.world.tick_count}
    yours, ghost, other = (model.matrix for model in scene.picture().models[:3])
    assert (yours == rotation.to_matrix(scene.fleet.ships[0].body.interpolated_pose()[1])).all()
    assert (
        np.abs(yours - other).max() < 0.01 and np.abs(yours - ghost / demo.SHRUNK).max() < 0.01
    )  # drawn at one moment: a tick apart they would differ by 0.2
    assert np.abs(yours - scene.fleet.ships[0].body.rotation_matrix).max() > 0.02


@pytest.mark.parametrize("name", integrators.by_name)
def test_the_first_ship_takes_any_method_and_passes_its_check(name):
    scene = fly(new_scene("--integrator", name, "--dt", "1/20"), 300)
    assert scene.check()[0].startswith("yours")
    assert scene.picture().captions[0].lines[0] == name


def test_the_check_fails_where_a_ship_is_pushed():
    scene = fly(new_scene(), 60)
    scene.fleet.ships[2].body.apply_angular_impulse((0.0, 300.0, 0.0))
    with pytest.raises(AssertionError, match="rk4"):
        fly(scene, 60).check()


def test_the_check_fails_where_an_exact_ship_starts_a_little_aside():
    scene = new_scene()
    body = scene.fleet.ships[0].body
    body.angular_velocity_body = body.angular_velocity_body + np.array([0.0, 1e-6, 0.0])
    with pytest.raises(AssertionError, match="yours"):
        fly(scene, 120).check()


def test_shorter_ticks_bring_each_method_nearer_and_game_mode_not():
    coarse, fine = (errors(fly(new_scene("--dt", dt), 300)) for dt in ("1/10", "1/40"))
    for name in ("axis-splitting-2", "rk4", "predictor-corrector", "midpoint"):
        assert fine[name].attitude < 0.1 * coarse[name].attitude
    assert fine["game mode"].attitude > 0.5 * coarse["game mode"].attitude


def test_starting_again_flies_the_same_bits():
    scene = fly(new_scene("--game-mode"), 90)
    hashes = [ship.body.world.state_hash() for ship in scene.fleet.ships]
    scene.reset()
    assert scene.world.game_mode
    fly(scene, 90).picture()
    assert [ship.body.world.state_hash() for ship in scene.fleet.ships] == hashes


def test_four_ships_are_shown_over_translucent_ones_and_the_next_case_shows_others():
    scene = fly(new_scene(), 90)
    names = [caption.lines[0] for caption in scene.picture().captions]
    assert names[:4] == ["free-rotor-2", "rk4", "semi-implicit-euler", "game mode"]
    models = scene.picture().models
    assert [model.opacity for model in models] == [1.0, demo.GHOST] * 4
    true = rotation.to_matrix(scene.fleet.truth.interpolated_pose(scene.world.alpha)[1])
    assert all(model.matrix == pytest.approx(demo.SHRUNK * true) for model in models[1::2])
    scene.next_case()
    names = [caption.lines[0] for caption in scene.picture().captions]
    assert names[:4] == ["free-rotor-2", "axis-splitting-2", "predictor-corrector", "midpoint"]


def test_bars_grow_with_the_logarithm_of_the_error(half_a_minute):
    bars = {caption.lines[0]: caption.gauges for caption in half_a_minute.picture().captions if caption.gauges}
    angles = [bars[name][0].share for name in ("free-rotor-2", "rk4", "semi-implicit-euler")]
    assert angles == sorted(angles) and angles[0] == 0.0 and 0.2 < angles[1] < 0.8 and angles[2] > 0.95
    assert [bar.name for bar in bars["rk4"]] == ["angle", "energy", "L"]
    assert bars["game mode"][1].text == "kept" and "%" in bars["game mode"][2].text
    assert bars["rk4"][1].text.startswith("−") and "e−" in bars["rk4"][1].text
    assert demo.share(1e-9, 1e-12, 1.0) == pytest.approx(0.25) == demo.share(-1e-9, 1e-12, 1.0)
    assert demo.share(0.0, 1e-12, 1.0) == 0.0 and demo.share(7.0, 1e-12, 1.0) == 1.0


@long_run
def test_it_runs_from_the_command_line_without_a_window(tmp_path, capsys):
    arguments = ["integrators", "--headless", "--frames", "6", "--size", "320x180"]
    assert main([*arguments, "--out", str(tmp_path / "frame.png")]) == 0
    assert "checked: " in capsys.readouterr().out
    assert list(tmp_path.glob("*.png"))
