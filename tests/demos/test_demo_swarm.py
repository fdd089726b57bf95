"""The demo of twenty thousand craft: the closed form of their circles, the crowd against a solo run, and its check."""

import numpy as np
import pytest

from demos import swarm
from demos.__main__ import main
from demos.scenes.flock import MEAN, RIPPLE, Flock, Pattern
from engine import integrators, rotation
from engine.viewer.picture.scene import FRAME

from ..lengths import long_run

SMALL = ("--craft", "240")


def new_scene(*arguments):
    return swarm.Crowd(swarm.read_options([*SMALL, *arguments]))


def fly(scene, frames):
    for _ in range(frames):
        scene.world.advance(FRAME)
    return scene


def small_flock(pattern, count=5):
    return swarm.make_flock(count, pattern, np.random.default_rng(3))


# The closed form.


@pytest.mark.parametrize("case", swarm.CASES)
def test_the_closed_path_obeys_newton(case):
    """Second differences of the path against thrust along the nose; the nose by turning the craft at Ω about its fin."""
    flock, time, step = small_flock(swarm.CASES[case]), 7.3, 1e-3
    before, now, after = (flock.positions(time + shift) for shift in (-step, 0.0, step))
    nose_body = np.broadcast_to((0.0, 0.0, 1.0), (5, 3))
    about_fin = np.zeros((5, 3))
    about_fin[:, 1] = flock.rates * time
    turned = rotation.multiply(flock.orientations(), rotation.from_rotation_vector(about_fin))
    thrust = flock.acceleration / MEAN * flock.throttles(time)[:, None] * rotation.rotate(turned, nose_body)
    assert (before - 2.0 * now + after) / step**2 == pytest.approx(thrust, abs=1e-5)
    assert (after - before) / (2.0 * step) == pytest.approx(flock.velocities(time), abs=1e-5)


def test_without_ripple_a_craft_flies_a_circle_with_its_nose_to_the_middle():
    flock = Flock(np.array([50.0]), np.array([0.4]), np.array([[0.0, 0.0, 0.0, 1.0]]), 2.0, Pattern(0, 0.0, 40.0, ""))
    assert np.linalg.norm(flock.positions(3.0)) == pytest.approx(
        50.0, rel=1e-4
    )  # a ripple this fast moves it by a millimetre
    nose = rotation.rotate(flock.orientations(), np.array([[0.0, 0.0, 1.0]]))[0]
    assert nose == pytest.approx((-np.cos(0.4), -np.sin(0.4), 0.0))


@pytest.mark.parametrize("case", swarm.CASES)
def test_the_wheel_stays_together_for_ten_minutes(case):
    """No sideband comes near standing still, so no craft strays far from its circle."""
    flock = small_flock(swarm.CASES[case], 4000)
    away = [np.linalg.norm(flock.positions(time), axis=1) / flock.radii for time in np.linspace(0.0, 600.0, 41)]
    assert 0.5 < np.min(away) and np.max(away) < 1.5


@pytest.mark.parametrize("case", swarm.CASES)
def test_throttles_stay_between_nothing_and_full(case):
    flock = small_flock(swarm.CASES[case], 500)
    all_throttles = np.array([flock.throttles(time) for time in np.linspace(0.0, 60.0, 61)])
    assert 0.0 < all_throttles.min() < 0.1 and 0.95 < all_throttles.max() <= MEAN * (1.0 + RIPPLE) <= 1.0


# The demo.


@pytest.mark.parametrize("case", swarm.CASES)
def test_each_case_keeps_to_its_closed_form(case):
    found = swarm.check(case, frames=200, craft=1200)
    assert len(found) == 3 and "closed form" in found[0] and "bit for bit" in found[2]


@pytest.mark.parametrize("name", [name for name in integrators.by_name if name != "semi-implicit-euler"])
def test_the_check_holds_for_each_integrator(name):
    scene = fly(new_scene("--integrator", name), 120)
    assert "bit for bit" in scene.check()[-1]


def test_the_path_is_of_second_order_in_the_tick():
    off = []
    for dt in ("1/10", "1/20"):
        scene = fly(new_scene("--dt", dt), 300)
        count = len(scene.flock.radii)
        off.append(np.abs(scene.world.state.position[:count] - scene.flock.positions(scene.world.time)).max())
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.15)


def test_the_check_fails_where_one_engine_is_a_hundredth_too_strong():
    scene = new_scene()
    throttles = scene.engines.throttles
    scene.engines.throttles = lambda time: throttles(time) * np.where(np.arange(220) == 17, 1.01, 1.0)
    with pytest.raises(AssertionError, match="closed form"):
        fly(scene, 200).check()


def test_the_check_fails_where_a_free_craft_is_turned():
    scene = new_scene()
    scene.world.bodies[-1].apply_angular_impulse((0.0, 1e-6, 0.0))
    with pytest.raises(AssertionError, match="free ones"):
        fly(scene, 20).check()


def test_the_check_fails_where_a_craft_flies_otherwise_than_alone():
    scene = fly(new_scene(), 20)
    row = len(scene.flock.radii) // 3
    velocity = scene.world.state.velocity.copy()
    velocity[row] = np.nextafter(velocity[row], 1e9)
    scene.world.state.velocity = velocity
    with pytest.raises(AssertionError, match=f"craft {row}"):
        scene.check()


def test_thrusting_craft_burn_and_free_ones_do_not():
    picture = fly(new_scene(), 10).picture()
    burning, free = picture.swarms
    assert len(burning.positions) == len(burning.throttles) == 220
    assert len(free.positions) == 20 and free.throttles is None
    assert any("ms per tick" in line for line in picture.status)


def test_drawing_changes_no_bit_and_the_seed_says_it_all():
    one, two, other = new_scene(), new_scene(), new_scene("--seed", "1")
    fly(one, 10).picture()
    one.sample()
    assert fly(two, 10).world.state_hash() == one.world.state_hash() != fly(other, 10).world.state_hash()
    one.reset()
    assert fly(one, 10).world.state_hash() == two.world.state_hash()


@pytest.mark.parametrize("text", ["10", "2.5", "x", "2000000"])
def test_a_crowd_that_cannot_be_is_answered_in_one_line(text, capsys):
    with pytest.raises(SystemExit) as ended:
        swarm.read_options(["--craft", text])
    assert ended.value.code == 2 and "whole number" in capsys.readouterr().err


@long_run
def test_it_runs_from_the_command_line_without_a_window(tmp_path, capsys):
    arguments = ["swarm", "--headless", "--frames", "6", "--size", "320x180", "--craft", "240"]
    assert main([*arguments, "--out", str(tmp_path / "frame.png")]) == 0
    assert "checked: " in capsys.readouterr().out
    assert list(tmp_path.glob("*.png"))
