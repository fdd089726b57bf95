"""The demo of attitude control: its ship, its targets, wheels and jets in one loop, failures, keys, pictures and its check."""

import math
from itertools import combinations

import numpy as np
import pytest

from demos import attitude
from demos.__main__ import main
from demos.physics import World, rotation
from demos.scenes import attitude_pilot, masses, polar_orbit
from demos.scenes import ship as ships
from demos.scenes.attitude_pilot import CASES, FAILING, SCRIPT, AttitudePilot
from demos.scenes.attitude_targets import NUDGE, TARGETS, Turned
from demos.scenes.claims import check_after
from demos.scenes.ship import JET_NAMES, JETS, Ship
from demos.scenes.wheels_and_jets import LOW, MODES, WheelsAndJets
from engine.viewer.picture.keys import BINDINGS
from engine.viewer.picture.scene import FRAME, SUN
from engine.viewer.run.application import camera_for
from engine.viewer.run.controls import Controls

from ..viewing import read_png

G0 = 9.80665


def new_scene(*arguments):
    return attitude.Attitude(attitude.read_options(arguments))


def headless(case="script"):
    return new_scene("--headless", "--case", case)


def fly(scene, frames):
    for _ in range(frames):
        scene.world.advance(FRAME)
    return scene


def new_ship(**start):
    return Ship(World(0.05), **start)


def loop_of(mode):
    """A ship in a world of its own, whose actuators may be commanded by hand."""
    ship = new_ship(angular_velocity_body=(0.0, 0.0, 0.0))
    return ship, WheelsAndJets(ship, 0.25, mode)


# The ship.


def test_the_ship_weighs_its_parts_and_its_propellant():
    ship, dry = new_ship(propellant=100.0), masses.spacecraft()
    assert dry.mass == pytest.approx(2700.0)
    assert ship.body.mass == pytest.approx(2800.0)
    middle = (2700.0 * dry.center_of_mass_body + 100.0 * np.array(ships.TANK_POSITION)) / 2800.0
    assert ship.body.center_of_mass_body == pytest.approx(middle)
    assert ship.propellant_used == 0.0


def test_the_pyramid_holds_as_much_momentum_about_every_axis():
    """Σ g gᵀ = 4/3 of the unit tensor."""
    axes = np.array(ships.WHEEL_AXES)
    assert axes.T @ axes == pytest.approx(4.0 / 3.0 * np.eye(3), abs=1e-14)
    ship = new_ship()
    assert [wheel.axis for wheel in ship.wheels] == [pytest.approx(axis) for axis in ships.WHEEL_AXES]


def test_the_jets_push_against_their_gas_and_turn_the_ship_about_every_axis_without_pushing_it():
    ship = new_ship()
    for name, direction, plume in zip(
        JET_NAMES, ship.jets.directions, ship.plumes(np.zeros(3), np.eye(3), 1.0 + np.zeros(16)), strict=True
    ):
        assert direction == pytest.approx(-plume.direction), name
        assert np.array(JETS[name].position) == pytest.approx(plume.position)
    arm = np.hypot(*ship.jets.positions[JET_NAMES.index("left 1")][:2])
    torques = WheelsAndJets(ship, 0.25, "jets").max_torque
    assert torques[2] == pytest.approx(4.0 * 22.0 * arm * math.cos(math.atan2(0.27, 1.10)), rel=1e-3)
    assert torques[:2] == pytest.approx(4.0 * 22.0 * 1.13 / math.sqrt(2.0), rel=1e-9)


def test_lamps_show_commanded_jets_and_those_that_are_stuck():
    ship = new_ship()
    stuck = np.full(16, np.nan)
    stuck[[2, 5]] = 1.0, 0.0
    ship.jets.stuck = stuck
    shares = np.zeros(16)
    shares[[5, 7]] = 0.5
    lamps = dict(ship.lamps(ship.levels(shares)))
    assert {name: level for name, level in lamps.items() if level} == {"L1": 1.0, "R2": 0.5}
    assert len(lamps) == 16


# Wheels and jets in one loop.


def test_wheels_alone_and_jets_alone_make_the_torque_and_leave_the_other_alone():
    ship, actuators = loop_of("wheels")
    actuators.command((3.0, -2.0, 1.0), None, 0.25, np.zeros(actuators.state_size))
    assert -sum(wheel.torque * wheel.axis for wheel in ship.wheels) == pytest.approx([3.0, -2.0, 1.0])
    assert not actuators.shares.any() and not ship.jets.pulse_left.any()
    ship, actuators = loop_of("jets")
    actuators.command((30.0, -20.0, 10.0), (0.0, 0.0, 0.0), 0.25, np.zeros(actuators.state_size))
    assert not any(wheel.torque for wheel in ship.wheels)
    assert actuators.torque_of_jets == pytest.approx([30.0, -20.0, 10.0], abs=3.0)  # the shortest pulses are left over


def test_both_together_make_what_the_wheels_cannot():
    ship, actuators = loop_of("both")
    actuators.command((0.0, 40.0, 0.0), (0.0, 0.0, 0.0), 0.25, np.zeros(actuators.state_size))
    of_wheels = -sum(wheel.torque * wheel.axis for wheel in ship.wheels)
    assert actuators.torque_of_jets[1] > 28.0
    assert of_wheels + actuators.torque_of_jets == pytest.approx([0.0, 40.0, 0.0], abs=1e-9)


def test_dumping_pushes_against_the_momentum_of_the_wheels_and_leaves_the_ship_alone():
    ship, actuators = loop_of("both")
    for wheel, speed in zip(ship.wheels, (300.0, 250.0, -100.0, -50.0), strict=True):
        wheel.speed = speed
    state = actuators.command(np.zeros(3), (0.0, 0.0, 0.0), 0.25, np.zeros(actuators.state_size))
    assert actuators.dumping and state[-1] == 1.0  # above the limit at which it begins by itself
    assert actuators.torque_of_jets @ ship.body.stored_momentum_body < 0.0
    of_wheels = -sum(wheel.torque * wheel.axis for wheel in ship.wheels)
    assert of_wheels + actuators.torque_of_jets == pytest.approx(0.0, abs=1e-9)


def test_little_momentum_is_dumped_on_demand_only():
    ship, actuators = loop_of("both")
    ship.wheels[0].speed = 60.0
    state = actuators.command(np.zeros(3), (0.0, 0.0, 0.0), 0.25, np.zeros(actuators.state_size))
    assert not actuators.dumping and state[-1] == 0.0
    actuators.dump()
    assert actuators.command(np.zeros(3), (0.0, 0.0, 0.0), 0.25, state)[-1] == 1.0
    # a torque below that of the shortest pulse is carried to the next sample, and the wheels wait for it
    assert not actuators.torque_of_jets.any() and not any(wheel.torque for wheel in ship.wheels)


def test_any_two_jets_that_fail_by_hand_leave_torque_about_every_axis():
    _, actuators = loop_of("jets")
    whole = actuators.max_torque
    for pair in combinations(FAILING, 2):
        actuators.trust_jets()
        for name, level in zip(pair, (1.0, 0.0), strict=True):
            actuators.lose_jet(JET_NAMES.index(name), level)
        assert (actuators.max_torque > 0.2 * whole).all(), pair
        assert actuators.force_is_free is (pair == ("fore 2", "aft 4"))  # no pair of jets is left for some torques


def test_three_wheels_make_the_torque_that_is_claimed_for_them():
    ship, actuators = loop_of("wheels")
    ship.wheels[3].enabled = False
    for axis in np.eye(3):
        for sign in (-1.0, 1.0):
            wanted = sign * axis * actuators.max_torque
            assert actuators.wheels.command(wanted, None, 0.25).torque_body == pytest.approx(wanted, abs=1e-9)


# The targets.


def test_targets_point_nose_and_dish_where_their_names_say():
    place, velocity = polar_orbit.place(100.0), polar_orbit.velocity(100.0)
    body = type("", (), {"position": place, "velocity": velocity, "orientation": (0.0, 0.0, 0.0, 1.0)})
    forward, down = velocity / np.linalg.norm(velocity), -place / np.linalg.norm(place)
    expected = {
        "forward": (forward, down),
        "backward": (-forward, down),
        "Earth": (down, forward),
        "sun": (None, SUN),
        "star": (np.array([0.62, 0.35, 0.70]) / np.linalg.norm([0.62, 0.35, 0.70]), None),
    }
    assert set(expected) == set(TARGETS)
    for name, axes in expected.items():
        orientation = TARGETS[name].at(100.0, body).orientation
        for axis, wanted in zip((ships.NOSE, ships.DISH), axes, strict=True):
            if wanted is not None:
                assert rotation.rotate(orientation, np.array(axis)) == pytest.approx(wanted, abs=1e-9), name
    rates = TARGETS["forward"].at(100.0, body).angular_velocity_world
    assert np.linalg.norm(rates) == pytest.approx(polar_orbit.RATE, rel=1e-6)


def test_a_nudge_turns_the_target_about_an_axis_of_the_ship():
    aim = Turned(TARGETS["star"])
    body = type("", (), {"position": polar_orbit.place(0.0), "velocity": polar_orbit.velocity(0.0)})
    body.orientation = (0.0, 0.0, 0.0, 1.0)
    before = rotation.to_matrix(aim.at(0.0, body).orientation)
    after = rotation.to_matrix(aim.nudged((1.0, 0.0, 0.0), NUDGE).at(0.0, body).orientation)
    assert after[:, 0] == pytest.approx(before[:, 0], abs=1e-12)
    assert after[:, 1] == pytest.approx(math.cos(NUDGE) * before[:, 1] + math.sin(NUDGE) * before[:, 2], abs=1e-12)


# The script and its check.


def test_the_script_reaches_all_its_targets_keeps_the_momentum_and_counts_the_propellant():
    scene = headless()
    found = check_after(scene, round(sum(leg.seconds for leg in SCRIPT)) + 1)
    wheels, jets, dumping, stuck, three = scene.pilot.records
    assert len(found) == 1 + 5 + 2 + 1 and sum("within 0.1° after" in line for line in found) == 5
    assert wheels.wheels_full and wheels.used == 0.0 and 0.0 < wheels.drift < 1e-12  # measured 5e-14
    assert 0.5 < jets.used < 1.5 and jets.reached < wheels.reached
    assert dumping.wheel_momentum[0] > 50.0 and dumping.wheel_momentum[1] < LOW
    # a jet that is open for all of its leg burns F t/(g₀ Isp) alone
    assert stuck.used > 22.0 * stuck.leg.seconds / (G0 * 290.0)
    assert three.wheels_full and scene.pilot.lost_wheels == [3]
    assert scene.ship.propellant_used == pytest.approx(scene.ship.jets.impulse.sum() / (G0 * 290.0), rel=1e-10)


@pytest.mark.parametrize("mode", MODES)
def test_half_a_turn_in_each_mode_passes_its_check(mode):
    scene = headless(mode)
    found = check_after(scene, round(CASES[mode][0].seconds) + 1)
    assert "within 0.1° after" in found[1]
    assert (scene.ship.propellant_used > 0.1) is (mode != "wheels")


def test_the_check_fails_where_a_target_is_reached_too_late(monkeypatch):
    monkeypatch.setattr(attitude_pilot, "FASTEST", 0.05)
    with pytest.raises(AssertionError, match=r"on pulsed jets: within 0\.1° not"):
        attitude.check("jets", 76)


def test_the_check_fails_where_the_momentum_is_not_kept():
    scene = headless("wheels")
    scene.world.on_tick(lambda world: scene.ship.body.apply_torque_body((1e-6, 0.0, 0.0)))
    with pytest.raises(AssertionError, match="momentum of ship and wheels changed"):
        check_after(scene, 171)


def test_the_check_fails_where_propellant_is_lost():
    scene = fly(headless("jets"), 5)
    scene.ship.tank.propellant -= 1e-3
    with pytest.raises(AssertionError, match="propellant"):
        scene.check()


def test_a_stuck_jet_that_is_not_left_out_spoils_the_pointing(monkeypatch):
    monkeypatch.setattr(attitude_pilot, "NOTICED", math.inf)
    stuck = SCRIPT[3]
    monkeypatch.setitem(CASES, "jets", (stuck,))
    with pytest.raises(AssertionError, match="a jet is stuck open"):
        attitude.check("jets", round(stuck.seconds) + 1)


def test_the_check_fails_where_the_wheels_are_not_dumped(monkeypatch):
    monkeypatch.setattr(WheelsAndJets, "dump", lambda self: None)
    scene = headless()
    scene.pilot.script = (SCRIPT[2],)
    scene.ship.wheels[1].speed = 300.0
    with pytest.raises(AssertionError, match="wheels dumped from"):
        check_after(scene, 76)


def test_before_the_end_of_a_leg_the_check_claims_only_the_propellant():
    assert "no leg is complete" in fly(headless(), 5).check()[1]


def test_a_wheel_never_exceeds_its_speed_by_more_than_the_body_turns_it():
    scene = headless("wheels")
    for _ in range(60):
        fly(scene, 1)
        assert max(abs(wheel.speed) for wheel in scene.ship.wheels) < 600.1


# The keyboard.


def test_the_keys_of_the_demo_have_no_other_meaning():
    own = [name for name, *_ in attitude.Attitude.keys]
    assert len(set(own)) == len(own) and not set(own) & {name for name, *_ in BINDINGS}


def test_keys_choose_target_and_mode_and_end_the_script():
    scene = new_scene()
    keys = Controls(scene, camera_for(scene))
    scene.world.step(30)
    assert scene.pilot.text == SCRIPT[0].text
    keys.press("n")
    assert (scene.pilot.target, keys.notice) == ("Earth", "target: Earth")
    keys.press("m")
    assert scene.pilot.actuators.mode == "jets" and keys.notice == "mode: jets"
    keys.press("m", repeated=True)
    assert scene.pilot.actuators.mode == "jets"
    before = scene.pilot.wanted().orientation
    keys.press("w")
    apart = rotation.multiply(rotation.conjugate(before), scene.pilot.wanted().orientation)
    assert apart == pytest.approx([-math.sin(NUDGE / 2.0), 0.0, 0.0, math.cos(NUDGE / 2.0)], abs=1e-9)
    assert scene.picture().title.endswith("by hand")
    keys.press("r")
    assert scene.pilot.flies_script


def test_keys_fail_jets_and_a_wheel_and_mend_them():
    scene = new_scene()
    keys, pilot = Controls(scene, camera_for(scene)), scene.pilot
    for key in "jkjl":
        keys.press(key)
    assert pilot.stuck_jets == [("left 1", 1.0), ("fore 2", 0.0)] and pilot.lost_wheels == [2]
    assert not scene.pilot.actuators.jets.allocator.lost
    scene.world.step(100)  # the controller has learned of them
    assert sorted(pilot.actuators.jets.allocator.lost) == sorted(JET_NAMES.index(n) for n in ("left 1", "fore 2"))
    assert any("stuck open" in line and "wheel 2 failed" in line for line in scene.picture().status)
    keys.press("l")
    assert "failed already" in keys.notice
    keys.press("v")
    assert not pilot.stuck_jets and not pilot.lost_wheels and not pilot.actuators.jets.allocator.lost


def test_by_hand_the_ship_copes_with_two_open_jets_and_a_lost_wheel():
    scene = new_scene("--pace", "60")
    keys = Controls(scene, camera_for(scene))
    for key in "nmmjjlt":
        keys.press(key)
    assert scene.pilot.actuators.mode == "both"
    fly(scene, 150)
    assert math.degrees(scene.pilot.error_angle) < 0.1


# What is seen.


def test_the_picture_shows_ship_goal_plumes_and_gauges():
    scene = fly(headless("jets"), 11)
    picture = scene.picture()
    origin, orientation = scene.ship.body.interpolated_pose()
    turn = rotation.to_matrix(orientation)
    assert len(picture.plumes) == len(picture.lamps) == 16 and max(p.throttle for p in picture.plumes) > 0.5
    arrows = {arrow.label: arrow for arrow in picture.arrows}
    assert {"ω", "jets"} <= set(arrows)
    wanted = rotation.rotate(scene.pilot.wanted().orientation, np.array(ships.NOSE))
    ring = picture.lines[1].points - origin
    assert ring.mean(axis=0) / np.linalg.norm(ring.mean(axis=0)) == pytest.approx(wanted, abs=0.02)
    assert arrows["ω"].vector @ (turn @ scene.ship.body.angular_velocity_body) > 0.0
    assert [gauge.name for gauge in picture.gauges] == ["wheel 1", "wheel 2", "wheel 3", "wheel 4", "propellant"]
    assert picture.gauges[4].share == pytest.approx(1.0 - scene.ship.propellant_used / 120.0)


def test_gauges_warn_of_full_and_failed_wheels():
    scene = fly(headless("wheels"), 45)
    gauges = scene.picture().gauges
    assert gauges[0].alarm and gauges[0].text == "+600 rad/s full" and gauges[0].share == pytest.approx(1.0, abs=1e-3)
    assert not gauges[1].alarm
    scene.pilot.fail_wheel(1)
    assert scene.picture().gauges[1].text.endswith("failed")


def test_drawing_and_starting_again_leave_every_bit_as_it_was():
    drawn, undrawn = new_scene(), new_scene()
    for _ in range(30):
        fly(drawn, 1).picture()
        drawn.sample()
        fly(undrawn, 1)
    assert drawn.world.state_hash() == undrawn.world.state_hash()
    drawn.reset()
    assert drawn.world.time_scale == attitude.PACE
    assert fly(drawn, 30).world.state_hash() == undrawn.world.state_hash()


def test_a_new_loop_of_the_same_ship_starts_at_the_first_leg():
    ship = new_ship(position=polar_orbit.place(0.0), velocity=polar_orbit.velocity(0.0))
    pilot = AttitudePilot(ship.body.world, ship, SCRIPT)
    assert (pilot.target, pilot.actuators.mode, pilot.text) == ("backward", "wheels", "by hand")
    ship.body.world.step(1)
    assert pilot.text == SCRIPT[0].text


@pytest.mark.parametrize("pace", ["0", "61", "fast", "nan"])
def test_a_pace_that_cannot_be_flown_is_rejected_in_one_line(pace, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["attitude", "--pace", pace])
    assert ended.value.code == 2
    assert "--pace" in capsys.readouterr().err


def test_it_runs_from_the_command_line_and_draws_its_curves(tmp_path, capsys):
    curves = tmp_path / "curves.png"
    arguments = ["attitude", "--frames", "6", "--size", "640x480", "--out", str(tmp_path / "frame.png")]
    assert main([*arguments, "--telemetry", str(curves)]) == 0
    said = capsys.readouterr().out
    assert "checked: propellant" in said and f"{curves}: the curves of the run" in said
    assert read_png(curves).shape == (480, 640, 3)
    assert len(list(tmp_path.glob("*.png"))) == 2
