"""The demo of an approach to a port: how ports stand to each other, its pilot, its keys, its views and its check."""

from itertools import pairwise

import numpy as np
import pytest

from demos import approach
from demos.__main__ import main
from demos.meshes import spacecraft, station
from demos.meshes.port import FACING
from demos.scenes import docking, docking_pilot, masses
from demos.scenes.docking_pilot import PULSE_RATE, PULSE_SPEED, PULSE_TURN, FacingPort, wanted_velocity
from engine import World, rotation
from engine.viewer.picture.camera import mounted
from engine.viewer.picture.keys import BINDINGS, help_columns
from engine.viewer.run.application import camera_for
from engine.viewer.run.controls import Controls

from ..lengths import long_run, sized
from ..viewing import fly

PORT = station.PORTS["front"]
SKEW = rotation.from_rotation_vector((0.7, -0.4, 1.1))
SPIN = (0.05, -0.03, 0.08)  # of the station [rad/s], body frame


def new_scene(*arguments):
    return approach.Approach(approach.read_options(arguments))


def seconds(scene, time):
    return fly(scene, round(60.0 * time))


def two_craft(ahead=(0.0, 0.0, 0.0), turn=(0.0, 0.0, 0.0), **motion):
    """A spacecraft and a station that rotates about a skew axis; the port of the first lies so [m] in the axes of the other one's port,
    and its attitude is rotated by so much [rad] from the one that faces it."""
    world = World(1 / 60)
    target = world.add_body(
        masses.station(), origin=(300.0, -200.0, 100.0), orientation=SKEW, angular_velocity_body=SPIN
    )
    axes = target.rotation_matrix @ PORT.matrix
    facing = rotation.from_matrix(axes @ FACING @ spacecraft.PORT.matrix.T)
    orientation = rotation.multiply(facing, rotation.from_rotation_vector(turn))
    nose = target.to_world(PORT.position) + axes @ ahead
    origin = nose - rotation.rotate(orientation, spacecraft.PORT.position)
    ship = world.add_body(masses.spacecraft(), origin=origin, orientation=orientation, **motion)
    return ship, target


def seen_by(ship, target):
    return docking.alignment(ship, spacecraft.PORT, target, PORT)


# How two ports stand to each other.


@pytest.mark.parametrize("port", [spacecraft.PORT, *station.PORTS.values()])
def test_the_axes_of_a_port_are_a_right_handed_frame(port):
    assert port.matrix.T @ port.matrix == pytest.approx(np.eye(3), abs=1e-15)
    assert np.linalg.det(port.matrix) == pytest.approx(1.0)
    assert np.array_equal(port.matrix[:, 2], port.axis) and np.array_equal(port.matrix[:, 1], port.up)


def test_ports_that_face_each_other_are_aligned():
    seen = seen_by(*two_craft())
    assert seen.offset == pytest.approx(np.zeros(3), abs=1e-12)
    assert [seen.angle, seen.roll] == pytest.approx([0.0, 0.0], abs=1e-12)


def test_the_offset_is_measured_in_the_axes_of_the_station_and_seen_in_those_of_the_ship():
    """A ship that faces the port and is 2 m across, 1 m up and 5 m out sees the port across by 2 m, down by 1 m and 5 m ahead."""
    seen = seen_by(*two_craft((2.0, 1.0, 5.0)))
    assert seen.offset == pytest.approx((2.0, 1.0, 5.0), abs=1e-12)
    assert seen.ahead == pytest.approx((2.0, -1.0, 5.0), abs=1e-12)
    assert (seen.distance, seen.lateral) == pytest.approx((5.0, np.sqrt(5.0)))
    right, up = seen.reticle().offset  # looking ahead with the dish up, the ship's x axis is on the left
    assert (right, up) == pytest.approx((-2.0 / docking.LATERAL, -1.0 / docking.LATERAL))


@pytest.mark.parametrize(
    ("turn", "right", "up"), [((0.1, 0.0, 0.0), 0.0, 1.0), ((0.0, 0.1, 0.0), 1.0, 0.0), ((0.0, -0.1, 0.0), -1.0, 0.0)]
)
def test_a_ship_that_looks_aside_sees_on_which_side_it_should_look(turn, right, up):
    """Rotated by +x its nose goes down, by +y to its left."""
    seen = seen_by(*two_craft((0.0, 0.0, 3.0), turn))
    assert seen.angle == pytest.approx(0.1)
    assert seen.roll == pytest.approx(0.0, abs=1e-12)
    assert seen.reticle().tilt == pytest.approx((right * 0.1 / docking.ANGLE, up * 0.1 / docking.ANGLE), abs=1e-12)


def test_a_ship_rolled_to_the_right_sees_the_station_rolled_to_the_left():
    seen = seen_by(*two_craft((0.0, 0.0, 3.0), (0.0, 0.0, 0.3)))
    assert (seen.angle, seen.roll) == pytest.approx((0.0, 0.3), abs=1e-12)


def test_velocities_are_relative_to_the_rotating_station():
    """A ship that is carried along by the rotation stands still, and one that does not rotate has all of the station's rate."""
    ship, target = two_craft((4.0, -2.0, 15.0))
    spin = target.angular_velocity_world
    seen = seen_by(ship, target)
    assert seen.rate == pytest.approx(np.linalg.norm(SPIN))
    ship.angular_velocity_world, ship.velocity = spin, np.cross(spin, ship.position - target.position)
    seen = seen_by(ship, target)
    assert seen.velocity == pytest.approx(np.zeros(3), abs=1e-12)
    assert seen.rate == pytest.approx(0.0, abs=1e-12)
    ship.velocity += target.rotation_matrix @ PORT.matrix @ (0.03, 0.04, -0.07)
    seen = seen_by(ship, target)
    assert seen.velocity == pytest.approx((0.03, 0.04, -0.07), abs=1e-12)
    assert seen.closing == pytest.approx(0.07)


def test_the_velocity_is_the_rate_of_the_offset():
    """Central differences over two ticks of a free flight: error of second order, 1e-6 m/s here."""
    ship, target = two_craft((4.0, -2.0, 15.0), (0.3, 0.1, -0.2), velocity=(0.1, 0.2, 0.05))
    ship.angular_velocity_body = (0.02, 0.04, -0.05)
    offsets = []
    for _ in range(3):
        now = seen_by(ship, target)
        offsets.append(now)
        ship.world.step()
    assert offsets[1].velocity == pytest.approx((offsets[2].offset - offsets[0].offset) * 30.0, abs=1e-5)


LIMITS = {
    "range": ({"ahead": (0.0, 0.0, 0.04)}, {"ahead": (0.0, 0.0, 0.06)}),
    "off axis": ({"ahead": (0.06, 0.07, 0.04)}, {"ahead": (0.08, 0.08, 0.04)}),
    "angle": ({"turn": (0.04, 0.04, 0.0)}, {"turn": (0.06, 0.06, 0.0)}),
    "roll": ({"turn": (0.0, 0.0, -0.06)}, {"turn": (0.0, 0.0, -0.08)}),
}


@pytest.mark.parametrize("name", LIMITS)
def test_ports_dock_within_each_limit_and_not_beyond_it(name):
    for given, holds in zip(LIMITS[name], (True, False), strict=True):
        ship, target = two_craft(**{"ahead": (0.0, 0.0, 0.04), **given})
        target.angular_velocity_body = (0.0, 0.0, 0.0)
        seen = seen_by(ship, target)
        assert seen.docks is holds
        assert [limit.name for limit in seen.limits() if not limit.holds] == ([] if holds else [name])


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("closing", ((0.0, 0.0, -0.09), 0.0), ((0.0, 0.0, -0.11), 0.0)),
        ("drift", ((0.025, -0.025, 0.0), 0.0), ((0.03, -0.03, 0.0), 0.0)),
        ("rate", ((0.0, 0.0, 0.0), 0.003), ((0.0, 0.0, 0.0), 0.004)),
    ],
)
def test_ports_dock_only_slowly(name, good, bad):
    for (velocity, rate), broken in ((good, []), (bad, [name])):
        ship, target = two_craft((0.0, 0.0, 0.04))
        target.angular_velocity_body = (0.0, 0.0, 0.0)
        ship.velocity = target.rotation_matrix @ PORT.matrix @ velocity
        ship.angular_velocity_body = (0.0, 0.0, rate)
        assert [limit.name for limit in seen_by(ship, target).limits() if not limit.holds] == broken


def test_a_ship_behind_the_port_has_hit_it_only_near_its_axis():
    assert seen_by(*two_craft((1.0, 1.0, -0.01))).hits
    assert not seen_by(*two_craft((1.0, 1.0, 0.01))).hits
    assert not seen_by(*two_craft((1.0, 1.2, -0.01))).hits


# The pilot.


def test_the_reference_is_the_attitude_that_faces_the_port_with_its_rates():
    """Its angular velocity and acceleration against central differences over ticks of 1/60 s."""
    ship, target = two_craft((0.0, 0.0, 8.0))
    reference = FacingPort(spacecraft.PORT, target, PORT)
    seen = []
    for _ in range(3):
        seen.append(reference.at(0.0))
        target.world.step()
    ship.orientation = reference.at(0.0).orientation
    after = seen_by(ship, target)
    assert [after.angle, after.roll] == pytest.approx([0.0, 0.0], abs=1e-9)
    steps = [rotation.multiply(b.orientation, rotation.conjugate(a.orientation)) for a, b in pairwise(seen)]
    axis, angle = rotation.to_axis_angle(steps[0])
    half = 0.5 * (seen[0].angular_velocity_world + seen[1].angular_velocity_world)
    assert 60.0 * axis * angle == pytest.approx(half, rel=1e-5)
    change = 30.0 * (seen[2].angular_velocity_world - seen[0].angular_velocity_world)
    assert np.linalg.norm(change) > 1e-4
    assert seen[1].angular_acceleration_world == pytest.approx(change, rel=1e-4, abs=1e-8)


def test_the_autopilot_waits_outside_the_corridor_and_goes_on_within_it():
    aligned, turned = seen_by(*two_craft()), seen_by(*two_craft(turn=(0.0, 0.1, 0.0)))
    far, near = np.array([0.5, 0.0, 30.0]), np.array([0.0, 0.0, 5.0])
    assert wanted_velocity(far, aligned)[2] == -docking_pilot.FASTEST
    assert wanted_velocity(near, aligned)[2] == pytest.approx(-docking_pilot.TOUCH - 5.0 * docking_pilot.AHEAD)
    assert wanted_velocity(np.zeros(3), aligned) == pytest.approx((0.0, 0.0, -docking_pilot.TOUCH))
    for place, seen in ((near, turned), (near + np.array([1.0, 0.0, 0.0]), aligned)):
        assert wanted_velocity(place, seen)[2] > 0.0  # back to where it waits
    assert wanted_velocity(np.array([0.0, 0.0, docking_pilot.WAIT]), turned) == pytest.approx(np.zeros(3))
    aside = wanted_velocity(np.array([3.0, -4.0, 30.0]), aligned)
    assert aside[0] < 0.0 < aside[1]
    assert aside[1] / -aside[0] == pytest.approx(4.0 / 3.0)


@pytest.mark.parametrize("case", sized(["straight"], approach.CASES))
def test_the_autopilot_arrives_within_the_limits(case):
    arrival, propellant, momentum = approach.check(case)
    assert arrival.startswith("ports within limits after")
    assert "kg of propellant" in propellant
    assert ("allowed" in momentum) is (case == "turning")


def test_a_ship_that_comes_in_too_fast_ends_the_flight_outside_the_limits():
    scene = new_scene("--case", "straight", "--pilot", "hold", "--pace", "1")
    put_before_port(scene, 1.0, -0.3)
    seconds(scene, 5.0)
    assert scene.world.paused and not scene.docked
    assert scene.result == "contact outside the limits: closing 0.300 m/s, allowed 0.1 m/s"
    scene.pilot.touched = False
    with pytest.raises(AssertionError, match="contact outside the limits"):
        scene.check()


def put_before_port(scene, distance, speed):
    """The ship faces the port and moves along its axis."""
    body, axes = scene.ship.body, scene.station.rotation_matrix @ PORT.matrix
    body.orientation = FacingPort(scene.ship.port, scene.station, PORT).at(0.0).orientation
    body.angular_velocity_body = (0.0, 0.0, 0.0)
    body.position += (
        scene.station.to_world(PORT.position) + distance * axes[:, 2] - body.to_world(scene.ship.port.position)
    )
    body.velocity = speed * axes[:, 2]
    scene.pilot.switch("hold")


def test_after_the_end_the_jets_are_shut_and_a_new_flight_begins_with_a_key():
    scene = new_scene("--case", "straight", "--pilot", "hold")
    put_before_port(scene, 0.3, -0.05)
    seconds(scene, 8.0)
    assert scene.docked and scene.world.paused
    assert not scene.ship.jets.pulse_left.any() and not scene.pilot.hold.enabled
    assert "ports within limits after" in scene.picture().status[-1]
    Controls(scene, camera_for(scene)).press("r")
    assert not scene.world.paused and scene.world.tick_count == 0 and scene.result == ""


def test_the_check_fails_where_the_station_was_pushed():
    for case in ("straight", "turning"):
        scene = new_scene("--case", case)
        scene.world.step(3)
        scene.station.apply_impulse((1e-3, 0.0, 0.0))
        with pytest.raises(AssertionError, match="station"):
            scene.check()
        scene = new_scene("--case", case)
        scene.station.apply_angular_impulse((0.0, 0.05, 0.0))
        with pytest.raises(AssertionError, match="station"):
            scene.check()


def test_the_check_fails_where_propellant_is_lost():
    scene = seconds(new_scene("--headless"), 0.2)
    scene.ship.tank.propellant -= 1e-6
    with pytest.raises(AssertionError, match="propellant"):
        scene.check()


def test_the_check_fails_where_the_autopilot_does_not_arrive(monkeypatch):
    monkeypatch.setattr(docking_pilot, "AHEAD", 1e-4)
    monkeypatch.setattr(docking_pilot, "TOUCH", 1e-4)
    monkeypatch.setattr(approach, "TIME_LIMIT", 20.0)
    with pytest.raises(AssertionError, match="not at the port after 20"):
        approach.check("straight")


def test_before_the_end_the_check_claims_nothing_about_the_arrival():
    assert "the claim is about the autopilot" in fly(new_scene(), 5).check()[0]


# The keys.


PUSHES = {"w": (0, 0, 1), "s": (0, 0, -1), "a": (1, 0, 0), "d": (-1, 0, 0), "e": (0, 1, 0), "x": (0, -1, 0)}
TWISTS = {"k": (1, 0, 0), "i": (-1, 0, 0), "j": (0, 1, 0), "l": (0, -1, 0), "o": (0, 0, 1), "u": (0, 0, -1)}


def by_hand(mode):
    """A ship at rest, flown by hand, with its keys."""
    scene = new_scene("--case", "straight", "--pilot", mode)
    scene.ship.body.angular_velocity_body = scene.ship.body.velocity = (0.0, 0.0, 0.0)
    return scene, Controls(scene, camera_for(scene))


@pytest.mark.parametrize("mode", ["hold", "pulses"])
def test_one_press_pushes_by_a_centimetre_per_second(mode):
    """Up to what the shortest pulses of 16 jets round off, a millimetre per second."""
    scene, keys = by_hand(mode)
    for key, direction in PUSHES.items():
        before = scene.ship.body.velocity
        assert keys.press(key) and "manual" in keys.notice
        seconds(scene, 1.0)
        gained = scene.ship.body.direction_to_body(scene.ship.body.velocity - before)
        assert gained == pytest.approx(PULSE_SPEED * np.array(direction), abs=2e-3), key


def test_one_press_turns_at_a_tenth_of_a_degree_per_second():
    scene, keys = by_hand("pulses")
    for key, direction in TWISTS.items():
        before = scene.ship.body.angular_velocity_body
        keys.press(key)
        seconds(scene, 1.0)
        gained = scene.ship.body.angular_velocity_body - before
        assert gained == pytest.approx(PULSE_RATE * np.array(direction), abs=0.25 * PULSE_RATE), key


def test_with_the_hold_one_press_turns_the_attitude_by_half_a_degree():
    scene, keys = by_hand("hold")
    start = scene.ship.body.orientation
    for key in "jjo":
        keys.press(key)
        seconds(scene, 0.2)
    seconds(scene, 15.0)
    expected = rotation.from_rotation_vector((0.0, PULSE_TURN, 0.0))
    expected = rotation.multiply(expected, expected)
    expected = rotation.multiply(start, rotation.multiply(expected, rotation.from_rotation_vector((0, 0, PULSE_TURN))))
    assert rotation.angle_between(scene.ship.body.orientation, expected) < 0.1 * PULSE_TURN


def test_a_key_takes_over_from_the_autopilot_and_p_gives_back():
    scene = seconds(new_scene(), 1.0)
    keys = Controls(scene, camera_for(scene))
    assert scene.pilot.mode == "auto"
    keys.press("w")
    assert scene.pilot.mode == "hold"
    for mode in ("pulses", "auto", "hold"):
        keys.press("p")
        assert scene.pilot.mode == mode and keys.notice == f"pilot: {docking_pilot.MODES[mode]}"


@long_run
def test_the_autopilot_arrives_after_somebody_else_has_flown():
    scene = seconds(new_scene("--case", "straight", "--pilot", "pulses", "--pace", "10"), 0.2)
    keys = Controls(scene, camera_for(scene))
    for key in "djoe":
        keys.press(key)
        seconds(scene, 0.2)
    keys.press("p")
    while not scene.result and scene.world.time < 120.0:
        fly(scene, 1)
    assert scene.docked
    assert "the claim is about the autopilot" in scene.check()[0]


def test_a_held_key_fires_one_pulse_per_sample_and_the_mode_changes_once():
    scene, keys = by_hand("pulses")
    start = scene.ship.body.velocity
    for _ in range(60):
        keys.press("w", repeated=True)
        fly(scene, 1)
    seconds(scene, 0.5)
    gained = scene.ship.body.direction_to_body(scene.ship.body.velocity - start)
    assert gained[2] == pytest.approx(5.0 * PULSE_SPEED, abs=1.1 * PULSE_SPEED)
    assert not keys.press("p", repeated=True) and scene.pilot.mode == "pulses"


def test_the_keys_of_the_scene_come_before_those_of_every_scene_and_the_help_lists_them():
    scene, keys = by_hand("pulses")
    method = scene.world.integrator
    keys.press("i")
    assert scene.world.integrator is method and "I" in {shown for _, shown, *_ in BINDINGS}
    columns = help_columns(scene.keys)
    listed = [shown for column in columns for shown, _ in column]
    assert "I, K" in listed and "I" not in listed and len(columns) == 3
    pygame = pytest.importorskip("pygame")
    for name, _, action, _ in scene.keys:
        assert hasattr(pygame, f"K_{name}") and callable(getattr(scene, action.split()[0]))


# What is seen.


def test_the_camera_in_the_ship_looks_at_the_port_where_the_reticle_shows_it():
    scene = seconds(new_scene("--view", "port", "--case", "straight", "--pilot", "hold"), 0.1)
    picture = scene.picture()
    camera = mounted(picture.eye)
    assert camera.eye == pytest.approx(picture.eye.position)
    size = (640, 360)
    x, y = camera.project(scene.station.to_world(PORT.position), size)
    right, up = picture.reticle.offset
    assert abs(right) > 1.0 and abs(up) > 1.0
    assert np.sign(x - 320.0) == np.sign(right) and np.sign(180.0 - y) == np.sign(up)
    # straight ahead of the eye is the middle of the picture, the dish above it
    body = scene.ship.body
    assert camera.project(body.to_world((0.0, 0.0, 9.0)), size) == pytest.approx((320.0, 180.0), abs=3.0)
    assert camera.project(body.to_world((0.0, 1.0, 9.0)), size)[1] < 160.0


def test_the_camera_in_the_station_sees_the_ship_come():
    scene = new_scene("--view", "station", "--case", "straight")
    camera = mounted(scene.picture().eye)
    x, y = camera.project(scene.ship.body.to_world(scene.ship.port.position), (640, 360))
    assert 0.0 < x < 640.0 and 0.0 < y < 360.0
    assert camera.distance == pytest.approx(scene.pilot.alignment().distance, rel=0.01)


def test_v_changes_the_view_and_only_the_chase_camera_moves_about_the_ship():
    scene = new_scene()
    keys = Controls(scene, camera_for(scene))
    assert scene.picture().eye is None
    for view in ("port", "station", "chase"):
        keys.press("v")
        assert scene.view == view and (scene.picture().eye is None) is (view == "chase")


def test_the_chase_camera_stands_on_the_side_from_which_the_ship_comes():
    scene = new_scene("--case", "turning")
    seconds(scene, 20.0)
    axes = scene.picture().camera_axes
    assert axes.T @ axes == pytest.approx(np.eye(3), abs=1e-12) and np.linalg.det(axes) == pytest.approx(1.0)
    assert axes[:, 0] == pytest.approx(scene.station.direction_to_world(PORT.axis), abs=1e-3)


def test_drawing_and_starting_again_leave_every_bit_as_it_was():
    drawn, undrawn = new_scene("--case", "turning"), new_scene("--case", "turning")
    for _ in range(30):
        fly(drawn, 1).picture()
        drawn.sample()
        fly(undrawn, 1)
    assert drawn.world.state_hash() == undrawn.world.state_hash()
    drawn.reset()
    assert fly(drawn, 30).world.state_hash() == undrawn.world.state_hash()


def test_plumes_and_lamps_show_the_jets_that_fire():
    scene = seconds(new_scene(), 0.5)
    picture = scene.picture()
    burning = [plume.throttle > 0.0 for plume in picture.plumes]
    assert burning == [level > 0.0 for _, level in picture.lamps] == (scene.pilot.jets.shares > 0.0).tolist()
    assert 2 <= sum(burning) < 16


@pytest.mark.parametrize("pace", ["0", "61", "fast", "nan"])
def test_a_pace_that_cannot_be_flown_is_rejected_in_one_line(pace, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["approach", "--pace", pace])
    assert ended.value.code == 2
    assert "--pace" in capsys.readouterr().err


@long_run
def test_it_runs_from_the_command_line_without_a_window(tmp_path, capsys):
    arguments = ["approach", "--headless", "--frames", "6", "--size", "320x180"]
    assert main([*arguments, "--out", str(tmp_path / "frame.png")]) == 0
    assert "checked: " in capsys.readouterr().out
    assert list(tmp_path.glob("*.png"))
