"""The demo of a cubesat with magnetorquers: its orbit and field in closed form, its law, its picture and its check."""

import numpy as np
import pytest

from demos import detumble
from demos.__main__ import main
from demos.scenes import masses, polar_orbit
from engine.viewer.picture.scene import FRAME
from engine.viewer.run.application import camera_for
from engine.viewer.run.controls import FASTEST, SLOWEST, Controls

from ..lengths import long_run

FIELD = polar_orbit.FIELD


def new_scene(*arguments):
    return detumble.Detumble(detumble.read_options(arguments))


def fly(scene, frames):
    for _ in range(frames):
        scene.world.advance(FRAME)
    return scene


# The orbit and the field.


def test_the_orbit_is_a_circle_over_the_poles():
    """|r| = R and r̈ = −GM r/R³, by second differences of 10 s: 1e-5 off."""
    for time in (0.0, 1234.5):
        before, now, after = (polar_orbit.place(time + step) for step in (-10.0, 0.0, 10.0))
        pull = (after - 2.0 * now + before) / 100.0
        assert np.linalg.norm(now) == pytest.approx(polar_orbit.ORBIT_RADIUS, rel=1e-14)
        assert pull == pytest.approx(-polar_orbit.GM / polar_orbit.ORBIT_RADIUS**3 * now, abs=1e-4)
        assert polar_orbit.velocity(time) == pytest.approx((after - before) / 20.0, abs=0.2)
        axes = polar_orbit.orbital_axes(now)
        assert axes.T @ axes == pytest.approx(np.eye(3), abs=1e-14)
        assert np.linalg.det(axes) == pytest.approx(1.0)
        assert axes[:, 2] @ now == pytest.approx(polar_orbit.ORBIT_RADIUS)
        assert axes[:, 0] @ polar_orbit.velocity(time) == pytest.approx(polar_orbit.RATE * polar_orbit.ORBIT_RADIUS)


def test_field_lines_run_along_the_field():
    across = np.cross(FIELD.axis_world, (0.3, 0.2, 0.1))
    line = polar_orbit.field_line(2.0, across / np.linalg.norm(across), count=2001)
    assert np.linalg.norm(line[[0, -1]], axis=1) == pytest.approx([1.0, 1.0])
    steps, field = np.diff(line, axis=0), FIELD.at(polar_orbit.PLANET_RADIUS * 0.5 * (line[:-1] + line[1:]))
    aligned = (steps * field).sum(axis=1) / np.linalg.norm(steps, axis=1) / np.linalg.norm(field, axis=1)
    assert np.abs(np.abs(aligned) - 1.0).max() < 1e-5


# The demo.


def test_more_than_95_percent_of_the_tumble_is_gone_after_one_orbit():
    orbit, left = detumble.check()
    assert orbit.startswith("orbit off its circle by")
    assert "allowed 5 %" in left


@long_run
def test_the_check_fails_where_the_law_drives_the_tumble(monkeypatch):
    law = detumble.flight.control.BDot
    braking = law.dipole_body
    monkeypatch.setattr(law, "dipole_body", lambda self, *fields: -braking(self, *fields))
    with pytest.raises(AssertionError, match="of the tumble is left"):
        detumble.check()


def test_the_check_fails_where_the_orbit_is_another_one(monkeypatch):
    scene = fly(new_scene("--headless"), 20)
    scene.body.velocity = 1.001 * scene.body.velocity
    with pytest.raises(AssertionError, match="orbit off its circle"):
        fly(scene, 20).check()


def test_before_one_orbit_the_check_claims_nothing_about_the_tumble():
    assert "one orbit or more" in fly(new_scene("--headless"), 5).check()[1]


def test_coils_are_commanded_against_the_change_of_the_field_and_within_their_limits():
    scene = new_scene("--pace", "1")
    fields = []
    for _ in range(2):
        fields.append(scene.body.direction_to_body(FIELD.at(scene.body.position)))
        scene.world.step(4)
    moments = [coil.dipole for coil in scene.coils]
    assert moments == pytest.approx(-detumble.GAIN * (fields[1] - fields[0]), rel=1e-12)
    assert max(map(abs, moments)) < detumble.MAX_DIPOLE
    scene.body.angular_velocity_body = (1.0, 2.0, 0.5)
    scene.world.step(16)
    assert max(abs(coil.dipole) for coil in scene.coils) == detumble.MAX_DIPOLE


def test_the_picture_shows_the_vectors_at_the_cubesat_and_the_earth_below():
    scene = fly(new_scene("--headless"), 10)
    picture = scene.picture()
    origin, _ = scene.body.interpolated_pose()
    vectors = {arrow.label: arrow.vector for arrow in picture.arrows}
    field, rate, moment, torque = (vectors[name] for name in ("B", "ω", "m", "τ"))
    turn = scene.body.rotation_matrix
    for arrow in picture.arrows:  # they begin on the surface of the hull, in their own direction
        out = arrow.start - origin
        assert np.linalg.norm(np.cross(out, arrow.vector)) < 1e-9 and out @ arrow.vector > 0.0
        assert np.abs(out @ turn / detumble.HULL).max() == pytest.approx(1.0, abs=0.05)
    assert abs(torque @ field) < 1e-9 and abs(torque @ moment) < 1e-9
    assert np.linalg.norm(rate) > 0.1 and len(picture.insets) == 1 and "µT" in picture.insets[0].words
    assert picture.planet[:3] @ origin == pytest.approx(-np.linalg.norm(origin))
    assert picture.planet[3] == pytest.approx(polar_orbit.PLANET_RADIUS / np.linalg.norm(origin))
    assert [name for name, _ in picture.lamps] == ["coil x", "coil y", "coil z"]
    assert scene.sample().curves.first[0] == "tumble left"


def test_drawing_and_starting_again_leave_every_bit_as_it_was():
    drawn, undrawn = new_scene(), new_scene()
    for _ in range(30):
        fly(drawn, 1).picture()
        drawn.sample()
        fly(undrawn, 1)
    assert drawn.world.state_hash() == undrawn.world.state_hash()
    drawn.reset()
    assert drawn.world.time_scale == detumble.PACE
    assert fly(drawn, 30).world.state_hash() == undrawn.world.state_hash()


def test_the_pace_is_changed_about_that_of_the_scene():
    scene = new_scene()
    keys = Controls(scene, camera_for(scene))
    for _ in range(9):
        keys.press("SLASH")
    assert scene.world.time_scale == FASTEST * detumble.PACE
    for _ in range(20):
        keys.press("COMMA")
    assert scene.world.time_scale == SLOWEST * detumble.PACE


@pytest.mark.parametrize("pace", ["0", "601", "fast", "nan"])
def test_a_pace_that_cannot_be_flown_is_rejected_in_one_line(pace, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["detumble", "--pace", pace])
    assert ended.value.code == 2
    assert "--pace" in capsys.readouterr().err


def test_the_cubesat_weighs_what_three_units_weigh():
    properties = masses.cubesat()
    moments = np.diag(properties.inertia_body)
    assert properties.mass == pytest.approx(4.1)
    assert moments.argmin() == 2
    assert moments == pytest.approx([0.04, 0.04, 0.01], abs=0.01)


@long_run
def test_it_runs_from_the_command_line_without_a_window(tmp_path, capsys):
    arguments = ["detumble", "--headless", "--frames", "6", "--size", "320x180"]
    assert main([*arguments, "--out", str(tmp_path / "frame.png")]) == 0
    assert "checked: " in capsys.readouterr().out
    assert list(tmp_path.glob("*.png"))
