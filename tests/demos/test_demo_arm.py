"""The demo of a robot arm that catches a satellite: its kinematics, its prediction, its script, its keys, its picture and its check."""

import numpy as np
import pytest

from demos import arm
from demos.__main__ import main
from demos.meshes import robot_arm
from demos.scenes import arm_cases, arm_pilot, masses, rigid_flight
from demos.scenes.arm_pilot import CAPTURE, FIXTURE, HELD, JOINT_STEP, STEP, TURN, fixture_pose, foresee
from demos.scenes.robot_arm import DAMPING, GRIPPER, JOINTS, LENGTH, LIMITS, RobotArm, damped, link_poses
from engine import MassProperties, World, rotation
from engine.viewer.meshes import triangles
from engine.viewer.picture import colours
from engine.viewer.picture.camera import mounted
from engine.viewer.run.application import camera_for
from engine.viewer.run.controls import Controls

from ..lengths import long_run, sized
from ..viewing import fly

ANGLES = np.radians([20.0, 60.0, -80.0, 30.0, -25.0, 40.0])
RATES = np.array([0.1, -0.06, 0.12, -0.1, 0.07, 0.15])


def new_scene(*arguments):
    return arm.Arm(arm.read_options(arguments))


def seconds(scene, time):
    """At pace 1."""
    return fly(scene, round(60.0 * time))


def moving_arm():
    """An arm on a tumbling craft, far from the origin, its joints turning at `RATES` for two seconds."""
    world = World(1 / 60)
    craft = world.add_body(
        masses.servicer(),
        origin=(30.0, -20.0, 10.0),
        orientation=rotation.from_rotation_vector((0.7, -0.4, 1.1)),
        velocity=(0.2, 0.1, -0.3),
        angular_velocity_body=(0.03, -0.05, 0.04),
    )
    moved = RobotArm(world, craft, ANGLES)
    moved.drive(RATES)
    world.step(120)
    return moved


# The arm.


def test_the_links_lie_where_the_angles_of_the_hinges_put_them():
    """Forward kinematics against the engine's joints, which know each angle from the relative orientation alone."""
    moved = moving_arm()
    assert moved.angles == pytest.approx(ANGLES + 2.0 * RATES, abs=0.03)  # within the first tick the motors start
    craft = moved.craft
    for link, (turn, point) in zip(moved.links, link_poses(moved.angles), strict=True):
        assert craft.to_body(link.origin) == pytest.approx(point, abs=1e-10)
        assert craft.rotation_matrix.T @ link.rotation_matrix == pytest.approx(turn, abs=1e-10)


def test_a_straight_arm_reaches_as_far_as_its_links_are_long():
    turn, point = link_poses(np.zeros(6))[-1]
    length = robot_arm.UPPER_ARM + robot_arm.FOREARM + 2.0 * robot_arm.WRIST + robot_arm.TIP
    assert turn == pytest.approx(np.eye(3))
    assert point + turn @ GRIPPER.position == pytest.approx(np.add(robot_arm.ROOT, (length, 0.0, robot_arm.SHOULDER)))
    raised = link_poses(np.radians([0.0, 90.0, 0.0, 0.0, 0.0, 0.0]))[-1][1]
    assert raised[2] > 3.0  # a positive pitch raises it


def test_the_motion_of_the_gripper_follows_from_the_rates_of_the_joints_and_the_momentum():
    """Against the velocities that the engine gives to the bodies: craft and links conserve momentum, whatever the joints do."""
    moved = moving_arm()
    for rates in (RATES, np.zeros(6), -RATES[::-1]):
        moved.drive(rates)
        moved.world.step(6)
        jacobian, left = moved.motion()
        gripper = moved.gripper
        twist = np.concatenate([gripper.velocity_at(GRIPPER.position), gripper.angular_velocity_world])
        assert moved.rates == pytest.approx(rates, abs=1e-9)
        assert jacobian @ moved.rates + left == pytest.approx(twist, abs=1e-10)
    assert np.linalg.norm(left) > 0.05  # the part of the tumbling craft is not small


def test_the_craft_turns_the_other_way_when_the_shoulder_turns():
    world = World(1 / 60)
    craft = world.add_body(masses.servicer())
    moved = RobotArm(world, craft, np.zeros(6))
    moved.drive(np.array([0.1, 0.0, 0.0, 0.0, 0.0, 0.0]))
    world.step(60)
    assert craft.angular_velocity_body[2] < -0.01
    assert np.abs(world.angular_momentum()).max() < 1e-12


def test_rates_of_the_joints_move_the_gripper_as_wanted():
    moved = moving_arm()
    _, carried = moved.motion()
    velocity, spin = np.add(carried[:3], (0.05, -0.03, 0.02)), np.add(carried[3:], (0.02, 0.05, -0.04))
    for _ in range(10):
        moved.drive(moved.rates_for(velocity, spin))
        moved.world.step()
    assert moved.gripper.velocity_at(GRIPPER.position) == pytest.approx(velocity, abs=2e-3)
    assert moved.gripper.angular_velocity_world == pytest.approx(spin, abs=4e-3)


def test_damped_rates_are_the_least_squares_of_the_error_and_the_rates():
    """Against a solution of the stacked equations, for a Jacobian of full rank and for one whose last joint does nothing."""
    random = np.random.default_rng(2)
    for last in (1.0, 0.0):
        jacobian, twist = random.normal(size=(6, 6)), random.normal(size=6)
        jacobian[:, -1] *= last
        weight = np.diag([1.0, 1.0, 1.0, LENGTH, LENGTH, LENGTH])
        stacked = np.vstack([weight @ jacobian, DAMPING * np.eye(6)])
        expected = np.linalg.lstsq(stacked, np.concatenate([weight @ twist, np.zeros(6)]), rcond=None)[0]
        assert damped(jacobian, twist) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_motors_keep_the_direction_where_one_joint_is_too_slow():
    moved = moving_arm()
    moved.drive(10.0 * RATES)
    moved.world.step(30)
    share = moved.rates / RATES
    assert share == pytest.approx(np.full(6, share[0]), rel=1e-9)
    assert np.max(np.abs(moved.rates) / [joint.max_rate for joint in JOINTS]) == pytest.approx(1.0)


def test_brakes_hold_the_arm_as_one_body_and_let_go_again():
    moved = moving_arm()
    angles = moved.angles
    moved.brake()
    moved.brake()
    moved.world.step(60)
    assert len(moved.world.assembly(moved.craft).bodies) == 7
    assert moved.angles == pytest.approx(angles, abs=1e-9)
    moved.unbrake()
    moved.drive(RATES)
    moved.world.step(60)
    assert moved.rates == pytest.approx(RATES, abs=1e-9) and not moved.is_braked


def test_an_open_hinge_shows_in_the_gaps():
    moved = moving_arm()
    assert max(moved.gaps()) < 1e-10
    moved.hinges[2].enabled = False
    moved.world.step(30)
    assert min(moved.gaps()) > 1e-4


# The satellite and its prediction.


@pytest.mark.parametrize("case", arm_cases.CASES)
def test_the_satellite_has_the_motion_of_its_case_after_the_time_of_the_meeting(case):
    scene = new_scene("--case", case)
    wanted, world = arm_cases.CASES[case], World(0.25)
    body = world.add_body(
        scene.client.mass_properties,
        orientation=scene.client.orientation,
        angular_velocity_body=scene.client.angular_velocity_body,
    )
    world.step(round(arm_cases.MEETING / 0.25))
    assert np.degrees(body.angular_velocity_body) == pytest.approx(wanted.rates, abs=1e-9)
    facing = scene.craft.rotation_matrix @ rotation.to_matrix(rotation.from_rotation_vector(np.radians(wanted.turned)))
    assert body.direction_to_world(FIXTURE.axis) == pytest.approx(facing @ (-1.0, 0.0, 0.0), abs=1e-9)


def test_the_fixture_is_where_and_when_it_was_foreseen():
    scene = new_scene("--pilot", "hand")
    meeting = foresee(scene.client, scene.arm.links[1].origin)
    assert arm_pilot.EARLIEST <= meeting.time <= arm_pilot.LATEST
    facing = []
    for time, point in zip(meeting.times[:80], meeting.path[:80], strict=True):
        scene.world.step(round(time / scene.world.dt) - scene.world.tick_count)
        found, axes = fixture_pose(scene.client.origin, scene.client.rotation_matrix)
        assert found == pytest.approx(point, abs=1e-9)
        facing.append(-axes[:, 0] @ (scene.arm.links[1].origin - point))
    assert facing[-1] > facing[0]  # it comes to face the arm


# The script and the check.


@pytest.fixture(scope="module")
def flown():
    """The script of the case "spin" and ten more seconds, as `arm.check` flies it, with what was seen in each frame."""
    scene, seen = new_scene("--headless", "--case", "spin"), []
    while scene.world.time < min(scene.pilot.log.get("braked", arm.TIME_LIMIT), arm.TIME_LIMIT) + 10.0:
        fly(scene, 1)
        relative = scene.client.angular_velocity_world - scene.craft.angular_velocity_world
        seen.append((scene.pilot.phase, scene.arm.angles, float(np.linalg.norm(relative)), scene._turned()))
    return scene, seen


@pytest.mark.parametrize("case", sized(["spin"], arm_cases.CASES))
def test_the_script_catches_stops_carries_and_holds(case, flown):
    momentum, hinges, script, flight = flown[0].check() if case == "spin" else arm.check(case)
    assert momentum.startswith("Σ L changed by") and "allowed 1e-12" in momentum
    assert "beyond their limits" in hinges
    names = [part.split()[0] for part in script.partition(";")[0].split(", ")]
    assert names == list(arm_pilot.PHASES)
    assert "off one rigid body, allowed" in flight


@long_run
def test_the_relative_motion_stops_and_stays_stopped(flown):
    _, seen = flown
    before = [rate for phase, _, rate, _ in seen if phase == "follow"]
    after = [rate for phase, _, rate, _ in seen if phase == "hold"]
    assert min(before) > np.radians(1.0) and max(after) < np.radians(0.01)
    assert seen[-1][0] == "braked" and seen[-1][2] < 1e-9


def test_on_its_way_the_arm_follows_the_path_of_fifth_order():
    """Against the integral of its speed by Simpson's rule: 0.05° apart, which rates that change evenly over 0.05 s explain."""
    scene = seconds(new_scene(), 0.1)
    start, whole = arm_pilot.READY - scene.pilot._from, arm_pilot.UNFOLD_TIME
    for time in (2.0, 4.5, 8.0):
        seconds(scene, time - scene.world.time)
        s = np.linspace(0.0, time / whole, 201)
        speed = 30.0 * s**2 * (1.0 - s) ** 2
        place = (speed[0] + 4.0 * speed[1::2].sum() + 2.0 * speed[2:-1:2].sum() + speed[-1]) * s[1] / 3.0
        expected = scene.pilot._from + place * start
        assert scene.arm.angles == pytest.approx(expected, abs=np.radians(0.05))


def test_the_craft_turns_by_tens_of_degrees_and_joints_stay_within_their_limits(flown):
    _, seen = flown
    assert max(turned for *_, turned in seen) > 25.0
    for _, angles, _, _ in seen:
        assert (angles > LIMITS[:, 0]).all() and (angles < LIMITS[:, 1]).all()


def test_the_satellite_is_brought_to_the_held_pose(flown):
    scene, seen = flown
    assert seen[-1][1] == pytest.approx(HELD, abs=1e-4)
    turn, point = link_poses(HELD)[-1]
    expected = point + turn @ np.array(GRIPPER.position)
    found, _ = fixture_pose(scene.client.origin, scene.client.rotation_matrix)
    assert scene.craft.to_body(found) == pytest.approx(expected, abs=1e-4)


def test_the_latch_locks_where_the_script_takes_the_fixture_to_be(flown):
    """The latch was not told of `fixture_pose`."""
    scene, _ = flown
    assert scene.latch.state == "hard"
    point, axes = fixture_pose(scene.client.origin, scene.client.rotation_matrix)
    assert scene.arm.tip == pytest.approx(point, abs=1e-9)
    assert scene.arm.gripper.rotation_matrix == pytest.approx(axes, abs=1e-9)


@long_run
def test_a_satellite_that_is_out_of_reach_is_tried_again(monkeypatch):
    monkeypatch.setattr(arm_pilot, "GIVE_UP", 5.0)
    monkeypatch.setattr(arm_cases, "PLACE", (9.0, 0.0, 1.0))
    scene = new_scene("--pace", "20")
    first = scene.pilot.meeting.time
    for _ in range(180):
        if scene.pilot.meeting.time > first + 10.0:
            break
        fly(scene, 1)
    assert scene.pilot.meeting.time > first + 10.0 and scene.latch.state == "open"


def test_the_latch_catches_only_what_is_near_and_slow(flown):
    scene, _ = flown
    assert scene.latch.capture is CAPTURE
    assert 0.0 <= scene.latch.closing_energy < 0.05  # the gripper went along with the fixture


def test_before_the_end_the_check_claims_nothing_about_script_and_flight():
    _, _, script, flight = fly(new_scene("--headless"), 5).check()
    assert script.startswith("the claim is about the whole script") and flight.startswith("the brakes are off")


def test_the_check_fails_where_momentum_is_added():
    for impulse in ("apply_impulse", "apply_angular_impulse"):
        scene = seconds(new_scene(), 0.5)
        getattr(scene.client, impulse)((1e-8, 0.0, 0.0))
        seconds(scene, 0.1)
        with pytest.raises(AssertionError, match="Σ L changed"):
            scene.check()


def test_the_check_fails_where_a_hinge_is_open():
    scene = seconds(new_scene("--pilot", "hand"), 0.2)
    scene.arm.hinges[3].enabled = False
    scene.arm.links[3].apply_impulse((0.0, 1e-3, 0.0))
    scene.craft.apply_impulse((0.0, -1e-3, 0.0), at_world=scene.arm.links[3].position)
    seconds(scene, 1.0)
    with pytest.raises(AssertionError, match="hinges separated"):
        scene._check_joints()


def test_the_check_fails_where_a_joint_passes_its_limit():
    scene = seconds(new_scene("--pilot", "hand"), 0.2)
    scene.arm.hinges[2].limits = (-3.0, 3.0)
    scene.pilot.goal = scene.arm.angles + np.radians([0.0, 0.0, -12.0, 0.0, 0.0, 0.0])
    seconds(scene, 3.0)
    with pytest.raises(AssertionError, match="beyond their limits"):
        scene._check_joints()


@long_run
def test_the_check_fails_where_the_gripper_does_not_follow(monkeypatch):
    monkeypatch.setattr(arm_pilot, "RESPONSE", 0.0)
    monkeypatch.setattr(arm, "TIME_LIMIT", 24.0)
    with pytest.raises(AssertionError, match="follow"):
        arm.check()


@long_run
def test_the_check_fails_where_a_brake_slips():
    scene = new_scene("--headless")
    while scene.pilot.phase != "braked":
        fly(scene, 1)
    scene.world.remove_joint(scene.arm._brakes[1])
    scene.arm.hinges[1].enabled, scene.arm.hinges[1].motor = True, None
    fly(scene, 75)
    with pytest.raises(AssertionError, match="off one rigid body"):
        scene._check_flight()


def test_the_one_rigid_body_has_the_momentum_and_the_energy_of_the_assembly(flown):
    scene, _ = flown
    flight = rigid_flight.RigidFlight(scene.craft)
    whole = World(0.1).add_body(
        flight._properties,
        origin=scene.craft.origin,
        orientation=scene.craft.orientation,
        velocity=flight._velocity,
        angular_velocity_body=flight._rates,
    )
    world = scene.world
    assert whole.kinetic_energy() == pytest.approx(world.kinetic_energy(), rel=1e-9)
    assert whole.world.angular_momentum() == pytest.approx(world.angular_momentum(), rel=1e-10)
    assert whole.angular_velocity_world == pytest.approx(scene.client.angular_velocity_world, rel=1e-8)


def test_in_game_mode_no_claim_is_made_about_momentum():
    scene = seconds(new_scene(), 0.2)
    scene.world.game_mode = True
    seconds(scene, 0.2)
    scene.world.game_mode = False
    assert "nothing is claimed" in scene.check()[0]


# The keys.


PUSHES = {"w": (1, 0, 0), "s": (-1, 0, 0), "a": (0, 1, 0), "d": (0, -1, 0), "e": (0, 0, 1), "x": (0, 0, -1)}
TWISTS = {"i": (0, -1, 0), "k": (0, 1, 0), "j": (0, 0, 1), "l": (0, 0, -1), "u": (-1, 0, 0), "o": (1, 0, 0)}


@pytest.fixture(scope="module")
def by_hand():
    """A bent arm, moved by hand, with its keys; what is moved is measured from where it was."""
    scene = new_scene("--pilot", "hand")
    scene.pilot.goal = HELD.copy()
    seconds(scene, 25.0)
    return scene, Controls(scene, camera_for(scene))


def test_one_press_moves_the_gripper_along_or_about_one_of_its_axes(by_hand):
    """To a twentieth of the step, within four seconds."""
    scene, keys = by_hand
    for key, axis in list({**PUSHES, **TWISTS}.items())[:: sized(5, 1)]:
        place, axes = scene.arm.tip, scene.arm.gripper.rotation_matrix
        assert keys.press(key) and keys.notice == "manual"
        seconds(scene, 4.0)
        moved = axes.T @ (scene.arm.tip - place)
        turned = rotation.from_matrix(axes.T @ scene.arm.gripper.rotation_matrix)
        about, angle = rotation.to_axis_angle(turned)
        step, turn = (np.array(axis), np.zeros(3)) if key in PUSHES else (np.zeros(3), np.array(axis))
        assert moved == pytest.approx(STEP * step, abs=0.05 * STEP), key
        assert about * angle == pytest.approx(TURN * turn, abs=0.05 * TURN), key


def test_keys_choose_a_joint_and_turn_it(by_hand):
    scene, keys = by_hand
    for _ in range(2):
        keys.press("n")
    assert keys.notice == "joint: elbow pitch"
    assert [gauge.name for gauge in scene.picture().gauges][2] == "> elbow pitch"
    before = scene.arm.angles
    for _ in range(3):
        keys.press("b", repeated=True)
    seconds(scene, 4.0)
    assert scene.arm.angles - before == pytest.approx(np.array([0.0, 0.0, -3.0 * JOINT_STEP, 0, 0, 0]), abs=2e-3)
    keys.press("m")
    seconds(scene, 4.0)
    assert scene.arm.angles - before == pytest.approx(np.array([0.0, 0.0, -2.0 * JOINT_STEP, 0, 0, 0]), abs=2e-3)


def test_a_joint_is_not_driven_beyond_its_limit():
    scene = new_scene("--pilot", "hand")
    keys = Controls(scene, camera_for(scene))
    scene.pilot.joint = 2
    for _ in range(20):
        keys.press("b")
    seconds(scene, 4.0)
    assert np.degrees(scene.arm.angles[2]) == pytest.approx(JOINTS[2].limits[0], abs=0.1)


def test_the_first_key_takes_over_and_p_gives_back():
    scene = seconds(new_scene(), 1.0)
    keys = Controls(scene, camera_for(scene))
    assert scene.pilot.text == "script: unfolding the arm"
    keys.press("w")
    assert scene.pilot.mode == "hand"
    keys.press("p")
    assert scene.pilot.mode == "auto" and keys.notice == "script: unfolding the arm"
    keys.press("p")
    angles = scene.arm.angles
    seconds(scene, 3.0)
    assert np.abs(scene.arm.angles - angles).max() < 0.05  # it stops where it was


@long_run
def test_brakes_and_release_by_hand():
    scene = fly(new_scene("--headless"), 400)
    scene.world.time_scale = 1.0
    keys = Controls(scene, camera_for(scene))
    keys.press("f")
    assert keys.notice == "brakes on" and scene.arm.is_braked
    keys.press("w")
    assert keys.notice == "brakes on (F)"
    momentum = scene.world.angular_momentum()
    keys.press("t")
    assert keys.notice == "the satellite is free" and not scene.arm.is_braked
    seconds(scene, 2.0)
    assert scene.latch.state == "open"
    away = scene.client.to_world(FIXTURE.position) - scene.arm.tip
    assert np.linalg.norm(away) > 0.05
    assert scene.world.angular_momentum() == pytest.approx(momentum, rel=1e-12)
    keys.press("t")
    assert keys.notice == "the gripper is empty"
    assert "so far" in scene.check()[2]


@long_run
def test_the_script_goes_on_with_a_satellite_that_is_held():
    scene = fly(new_scene("--headless"), 400)
    keys = Controls(scene, camera_for(scene))
    for key in "ffp":
        keys.press(key)
    assert scene.pilot.phase == "stop"
    while scene.pilot.phase != "braked" and scene.world.time < 150.0:
        fly(scene, 1)
    assert scene.arm.angles == pytest.approx(HELD, abs=1e-4)


def test_the_keys_of_the_scene_have_actions():
    pygame = pytest.importorskip("pygame")
    scene = new_scene()
    assert len({name for name, *_ in scene.keys}) == len(scene.keys)
    for name, _, action, _ in scene.keys:
        assert hasattr(pygame, f"K_{name}") and callable(getattr(scene, action.split()[0]))


# What is seen.


def test_the_picture_has_a_model_for_each_body_at_its_pose():
    scene = seconds(new_scene(), 0.5)
    picture = scene.picture()
    assert [model.mesh for model in picture.models] == [
        "servicer",
        "arm-shoulder",
        "arm-upper",
        "arm-fore",
        "arm-wrist-pitch",
        "arm-wrist-yaw",
        "arm-gripper",
        "client",
    ]
    for model, body in zip(picture.models, scene.world.bodies, strict=True):
        assert np.array_equal(model.position, body.interpolated_pose()[0])
    assert [gauge.name for gauge in picture.gauges] == [joint.name for joint in JOINTS]


def test_each_link_ends_where_the_next_joint_is():
    """The drawn links reach the next joint, and the gripper the port, within the housing of a joint."""
    ends = {"arm-upper": robot_arm.UPPER_ARM, "arm-fore": robot_arm.FOREARM, "arm-gripper": robot_arm.TIP}
    for name, end in ends.items():
        longest = triangles(name)[:, 0].max()
        assert end - 0.01 <= longest <= end + 0.12, name


def test_the_vectors_are_the_momentum_at_rest_and_the_rates():
    scene = seconds(new_scene(), 1.0)
    arrows = {arrow.label: arrow for arrow in scene.picture().arrows if arrow.label}
    total = arrows["Σ L"]
    assert total.vector == pytest.approx(arm.MOMENTUM_LENGTH * scene.world.angular_momentum())
    seconds(scene, 20.0)
    later = next(arrow for arrow in scene.picture().arrows if arrow.label == "Σ L")
    assert later.start == pytest.approx(total.start, abs=1e-6)  # drawn poses are blended, in a tick to 1e-7 m


def test_the_way_of_the_fixture_is_shown_until_it_is_caught(flown):
    scene = seconds(new_scene(), 1.0)
    goals = [line for line in scene.picture().lines if line.colour == colours.GOAL]
    assert len(goals) == 4  # the path and three strokes at the meeting
    assert goals[0].points[0] == pytest.approx(fixture_pose(*arm._pose(scene.client))[0])
    assert goals[1].points.mean(axis=0) == pytest.approx(goals[2].points.mean(axis=0))
    caught, _ = flown
    assert not [line for line in caught.picture().lines if line.colour == colours.GOAL]


def test_the_cameras_look_at_the_satellite():
    scene = fly(new_scene("--headless"), 190)
    keys = Controls(scene, camera_for(scene))
    assert scene.picture().eye is None
    for view in ("gripper", "craft"):
        keys.press("v")
        assert scene.view == view and view in scene.picture().status[0]
        x, y = mounted(scene.picture().eye).project(scene.client.origin, (640, 360))
        assert 0.0 < x < 640.0 and 0.0 < y < 360.0
    keys.press("v")
    assert scene.view == "outside"


def test_drawing_and_starting_again_leave_every_bit_as_it_was():
    drawn, undrawn = new_scene("--case", "spin"), new_scene("--case", "spin")
    for _ in range(30):
        fly(drawn, 1).picture()
        drawn.sample()
        fly(undrawn, 1)
    assert drawn.world.state_hash() == undrawn.world.state_hash()
    drawn.reset()
    assert fly(drawn, 30).world.state_hash() == undrawn.world.state_hash()


def test_the_telemetry_has_a_curve_for_each_joint():
    sample = seconds(new_scene(), 0.5).sample()
    assert len(sample.more) == sum(len(names) for _, names in sample.curves.more) == 13


@pytest.mark.parametrize("pace", ["0", "21", "fast", "nan"])
def test_a_pace_that_cannot_be_flown_is_rejected_in_one_line(pace, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["arm", "--pace", pace])
    assert ended.value.code == 2
    assert "--pace" in capsys.readouterr().err


@long_run
def test_it_runs_from_the_command_line_without_a_window(tmp_path, capsys):
    arguments = ["arm", "--headless", "--frames", "6", "--size", "320x180", "--telemetry", str(tmp_path / "curves.png")]
    assert main([*arguments, "--out", str(tmp_path / "frame.png")]) == 0
    assert "checked: " in capsys.readouterr().out
    assert {path.name for path in tmp_path.glob("*.png")} >= {"curves.png"} and len(list(tmp_path.glob("*.png"))) == 2


def test_the_link_masses_are_those_of_real_solids():
    for joint in JOINTS:
        assert isinstance(joint.mass_properties, MassProperties)
        low, high = (triangles(joint.mesh)[:, :3].min(axis=0), triangles(joint.mesh)[:, :3].max(axis=0))
        assert (low < joint.mass_properties.center_of_mass_body).all()
        assert (joint.mass_properties.center_of_mass_body < high).all()
