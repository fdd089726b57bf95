"""The demo of coasting: the closed form of its satellite, its burn, its paces, its camera and its map."""

import math

import numpy as np
import pytest

from demos import orbit
from demos.__main__ import main
from demos.scenes import masses, orbit_cases
from demos.scenes.orbit_cases import CASES, EARTH_RADIUS
from demos.scenes.orbit_map import OrbitMap
from demos.scenes.polar_orbit import GM
from demos.scenes.spinning_body import SpinningBody
from engine import World, rotation
from engine.flight import orbit as orbits
from engine.viewer.picture.camera import OrbitCamera
from engine.viewer.picture.scene import FRAME
from engine.viewer.run.controls import Controls


def new_scene(*arguments):
    return orbit.Orbit(orbit.read_options(arguments))


def fly(scene, frames):
    for _ in range(frames):
        scene.world.advance(FRAME)
    return scene


# the closed form


def test_the_closed_form_of_the_satellite_is_that_of_a_symmetric_body():
    """Against the angular velocity that it should have, by small steps of the closed form itself, and against the engine."""
    properties, direction = masses.drum_satellite(), np.array([0.48, -0.6, 0.64])
    spin = SpinningBody(properties, direction, 1.9, 0.16)
    world = World(0.5)
    body = world.add_body(properties, orientation=spin.orientation(0.0), angular_velocity_body=spin.rates)
    momentum = body.angular_momentum_world
    assert momentum / np.linalg.norm(momentum) == pytest.approx(direction, abs=1e-14)
    axis = body.direction_to_world((0.0, 0.0, 1.0))
    assert math.acos(axis @ direction) == pytest.approx(0.16, abs=1e-12)
    assert spin.rates[2] == pytest.approx(1.9, rel=1e-14)
    spin.watch(body)
    for _ in range(7):
        world.step(3)
        assert spin.error(world.time) < 1e-12
    assert np.abs(spin.circle() @ direction - math.cos(0.16)).max() < 1e-12


def test_the_satellite_spins_about_its_greatest_moment():
    moments = np.diag(masses.drum_satellite().inertia_body)
    assert moments[2] > 1.05 * moments[0] == pytest.approx(1.05 * moments[1], rel=1e-12)


# the flights


@pytest.mark.parametrize(("case", "frames"), [("transfer", 600), ("molniya", 400), ("flyby", 660)])
def test_each_case_keeps_its_closed_forms(case, frames):
    found = orbit.check(case, frames)
    assert "attitude off its closed form" in found[0] and "off one jump" in found[1]
    assert len(found) == (3 if CASES[case].burns else 2)


def test_the_burn_makes_a_circle_of_a_day():
    scene = fly(new_scene(), 600)
    elements = orbits.elements(GM, scene.satellite.position, scene.satellite.velocity)
    period = math.tau * math.sqrt(float(elements.semi_major_axis) ** 3 / GM)
    assert period == pytest.approx(orbit_cases.SIDEREAL_DAY, rel=0.005)
    assert scene.world.time > 5e5 and scene.world.time_scale == 1.0


def test_the_engine_is_lit_and_stopped_at_the_same_ticks_at_any_frame_rate():
    """A coast ends at the tick of the ignition, however long a frame is."""
    ends = set()
    for frame in (1 / 30, 1 / 144, 0.4):
        scene = new_scene()
        while scene.world.after_burn is None:
            scene.world.advance(frame)
            assert scene.world.time < 1e5
        ends.add(scene.world.after_burn[0])
    assert len(ends) == 1


def test_the_check_fails_where_the_attitude_is_off():
    scene = fly(new_scene(), 250)
    turn = rotation.from_rotation_vector((0.0, 1e-6, 0.0))
    scene.satellite.orientation = rotation.multiply(turn, scene.satellite.orientation)
    with pytest.raises(AssertionError, match="attitude off its closed form"):
        scene.check()


def test_the_check_fails_where_the_orbit_is_off():
    scene = fly(new_scene(), 250)
    scene.satellite.velocity = scene.satellite.velocity * (1.0 + 1e-6)
    fly(scene, 40)
    with pytest.raises(AssertionError, match="position off one jump"):
        scene.check()


@pytest.mark.parametrize("name", ["rk4", "rk5", "axis-splitting-4", "midpoint"])
def test_the_check_holds_for_other_methods(name):
    fly(new_scene("--integrator", name), 230).check()


def test_in_game_mode_it_never_coasts():
    scene = fly(new_scene("--game-mode"), 300)
    assert scene.check()[0].startswith("nothing")
    assert scene.world.stepped == scene.world.tick_count > 0
    assert "game mode" in " ".join(scene.picture().status)


# the pace


def test_a_player_who_changes_the_pace_takes_over_from_the_script():
    scene = fly(new_scene(), 30)
    keys = Controls(scene, OrbitCamera())
    keys.act("faster")
    assert scene.world.time_scale == 10.0
    fly(scene, 200)
    assert scene.world.time_scale == 10.0 and not scene.world.is_scripted
    for _ in range(9):
        keys.act("faster")
    assert scene.world.time_scale == 1e6 == scene.fastest
    keys.act("slower")
    assert scene.world.time_scale == pytest.approx(1e5)
    # the engine still runs by itself, and the pace falls while it does
    fly(scene, 30)
    assert scene.engine.throttle == 1.0 and scene.world.time_scale == scene.world.fastest_stepped
    scene.reset()
    assert scene.world.is_scripted and scene.world.time_scale == 1.0


def test_keys_go_from_slow_to_fast_and_back_through_the_same_paces():
    scene = new_scene()
    keys, seen = Controls(scene, OrbitCamera()), []
    for action in ["slower"] * 2 + ["faster"] * 5 + ["slower"] * 5:
        keys.act(action)
        seen.append(scene.world.time_scale)
    assert seen == [0.5, 0.25, 0.5, 1.0, 10.0, 100.0, 1000.0, 100.0, 10.0, 1.0, 0.5, 0.25]


def test_a_paused_flight_stays_where_it_is():
    scene = fly(new_scene(), 100)
    scene.world.paused = True
    before = scene.world.state_hash()
    assert scene.world.advance(1.0) == 0 and scene.world.state_hash() == before


# what is drawn


def test_the_camera_keeps_the_horizon_in_the_picture_at_every_height():
    for height in (1e6, 8e6, 36e6):
        position = np.array([0.48, -0.6, 0.64]) * (EARTH_RADIUS + height)
        axes = orbit.camera_axes(position, np.array([3e3, 5e3, -1e3]))
        assert np.abs(axes.T @ axes - np.eye(3)).max() < 1e-14 and np.linalg.det(axes) > 0.0
        camera = OrbitCamera(distance=10.0, axes=axes)
        down = math.acos(-camera.forward @ position / np.linalg.norm(position)) - math.pi / 2.0
        horizon = math.acos(EARTH_RADIUS / np.linalg.norm(position))
        assert horizon + down == pytest.approx(orbit.HORIZON, abs=0.02)
        right, up = camera.half_picture(1.0)
        assert abs(right @ position) < 1e-9 * np.linalg.norm(position) and up @ position > 0.0


def test_the_camera_turns_with_the_orbit_until_the_earth_would_whirl():
    """At the fastest pace an orbit takes less than a tenth of a second, so that a camera that turned with it would make one dizzy."""
    scene = new_scene()
    assert fly(scene, 60).picture().camera_axes == pytest.approx(
        orbit.camera_axes(scene.target, scene.satellite.velocity), abs=1e-15
    )
    scene.world.time_scale = scene.fastest
    before = scene.picture().camera_axes
    assert (fly(scene, 1).picture().camera_axes == before).all()


def test_the_planet_lies_where_the_earth_is():
    scene = fly(new_scene(), 200)
    direction, ratio = scene.picture().planet[:3], scene.picture().planet[3]
    position = scene.satellite.position
    assert direction == pytest.approx(-position / np.linalg.norm(position), abs=1e-4)
    assert ratio == pytest.approx(EARTH_RADIUS / np.linalg.norm(position), abs=1e-4)


@pytest.mark.parametrize("case", CASES)
def test_the_satellite_is_on_the_orbit_of_the_map(case):
    scene = fly(new_scene("--case", case), 130)
    (earth, ship), lines, _ = scene.map.draw(scene.satellite.position, *np.eye(3)[[0, 2]])
    orbit_line = lines[0].points
    size = np.ptp(orbit_line, axis=0).max()
    assert np.linalg.norm(orbit_line - ship.position, axis=1).min() < 0.02 * size
    distance = np.linalg.norm(ship.position - earth.position)
    scale = np.linalg.norm(earth.matrix[:, 0]) / EARTH_RADIUS
    assert distance == pytest.approx(scale * np.linalg.norm(scene.satellite.position), rel=1e-9)


def test_the_map_is_seen_from_the_north_of_the_orbit():
    """With the periapsis on the left, the satellite goes round anticlockwise: down after the periapsis."""
    state = orbit_cases.start_of(CASES["molniya"])
    chart = OrbitMap(state, 2.0)
    before, after = (orbits.propagate(GM, *state, t)[0] for t in (0.0, 3000.0))
    at = [chart.draw(place, *np.eye(3)[[0, 2]])[0][1].position - place for place in (before, after)]
    assert at[1][2] < at[0][2]


def test_drawing_changes_no_bit():
    drawn, undrawn = new_scene(), new_scene()
    for _ in range(60):
        fly(drawn, 5).picture()
        drawn.sample()
        fly(undrawn, 5)
    assert drawn.world.state_hash() == undrawn.world.state_hash()


def test_it_runs_from_the_command_line_without_a_window(tmp_path, capsys):
    arguments = ["orbit", "--headless", "--frames", "6", "--size", "320x180"]
    assert main([*arguments, "--out", str(tmp_path / "frame.png")]) == 0
    assert "checked: " in capsys.readouterr().out
    assert list(tmp_path.glob("*.png"))
