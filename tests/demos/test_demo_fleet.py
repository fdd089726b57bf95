"""The demo of a fleet: the craft that is taken out has the bits of its original, also after going back, and its check."""

import numpy as np
import pytest

from demos import fleet
from demos.__main__ import main
from engine import integrators
from engine.viewer.picture.scene import FRAME

SMALL = ("--craft", "40", "--member", "7")


def new_scene(*arguments):
    return fleet.Fleet(fleet.read_options([*SMALL, *arguments]))


def fly(scene, frames):
    for _ in range(frames):
        scene.world.advance(FRAME)
    return scene


def test_the_whole_fleet_settles_and_the_craft_alone_with_it():
    found = fleet.check(frames=1700, craft=64, member=20)
    assert len(found) == 3 and "bits" in found[0] and "at least 99 %" in found[2]


@pytest.mark.parametrize("name", sorted(integrators.by_name))
def test_the_check_holds_for_each_integrator(name):
    assert "bits" in fly(new_scene("--integrator", name), 60).check()[0]


def test_craft_start_where_they_are_said_to_and_none_moves_from_its_place():
    scene = fly(new_scene(), 30)
    scene.crowd.follow(scene.world.tick_count)
    view = scene.crowd.batch[scene.crowd._ship]
    assert np.linalg.norm(view.position, axis=1) == pytest.approx(np.full(40, fleet.RADIUS), rel=1e-12)


def test_points_are_spread_evenly_over_the_sphere():
    points = fleet.points_on_a_sphere(400)
    assert np.linalg.norm(points, axis=1) == pytest.approx(np.ones(400))
    assert np.abs(points.mean(axis=0)).max() < 0.01
    apart = np.linalg.norm(points[:, np.newaxis] - points, axis=2) + 9.0 * np.eye(400)
    assert apart.min() > 0.7 * np.sqrt(4.0 * np.pi / 400)


def test_the_check_fails_where_the_craft_alone_is_turned():
    scene = fly(new_scene(), 10)
    scene._body.apply_angular_impulse((0.0, 1e-9, 0.0))
    with pytest.raises(AssertionError, match="bits of its original"):
        fly(scene, 10).check()


def test_the_check_fails_where_a_craft_of_the_fleet_gets_momentum_from_nowhere():
    scene = fly(new_scene(), 10)
    scene.crowd.follow(scene.world.tick_count)
    view = scene.crowd.batch[scene.crowd._ship]
    view.set(3, angular_velocity_body=2.0 * view.angular_velocity_body[3])
    with pytest.raises(AssertionError, match="angular momentum"):
        scene.check()


def test_the_fleet_goes_back_with_the_world_and_forward_again():
    scene = fly(new_scene(), 400)
    scene.picture()
    snapshot, hashes = scene.world.snapshot(), [scene.crowd.batch.state_hash(member) for member in range(40)]
    fly(scene, 350).picture()
    scene.world.restore(snapshot)
    scene.picture()
    assert hashes == [scene.crowd.batch.state_hash(member) for member in range(40)]
    assert "bits" in fly(scene, 20).check()[0]


def test_the_key_takes_the_next_craft_out():
    scene = fly(new_scene(), 20)
    scene.picture()
    assert scene.act("take") == "craft 8 goes on alone"
    assert scene.world.tick_count == 140 and "craft 8" in fly(scene, 20).check()[0]


def test_drawing_changes_no_bit_and_restarting_begins_again():
    one, two, other = new_scene(), new_scene(), new_scene("--seed", "1")
    fly(one, 10).picture()
    one.sample()
    assert fly(two, 10).world.state_hash() == one.world.state_hash() != fly(other, 10).world.state_hash()
    one.reset()
    assert fly(one, 10).world.state_hash() == two.world.state_hash()


@pytest.mark.parametrize("arguments", [["--craft", "1"], ["--craft", "x"], ["--craft", "10", "--member", "10"]])
def test_a_fleet_that_cannot_be_is_answered_in_one_line(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        fleet.read_options(arguments)
    assert ended.value.code == 2 and "must be" in capsys.readouterr().err


def test_it_runs_from_the_command_line_without_a_window(tmp_path, capsys):
    arguments = ["fleet", *SMALL, "--headless", "--frames", "6", "--size", "320x180"]
    assert main([*arguments, "--out", str(tmp_path / "frame.png")]) == 0
    assert "checked: " in capsys.readouterr().out
    assert list(tmp_path.glob("*.png"))
