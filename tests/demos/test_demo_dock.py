"""The demo of docking: what the pilot does, the latch by hand, the books of momentum, probe and drogue, the views and the check."""

import numpy as np
import pytest

from demos import dock
from demos.__main__ import main
from demos.meshes import docking_probe
from demos.scenes import composite, mating_pilot
from demos.scenes.docking_flight import PORT
from demos.scenes.docking_pilot import FacingPort
from demos.scenes.mating_pilot import AWAY, DRIFT, PUSH, TURN, velocity_to
from demos.scenes.momentum_ledger import MomentumLedger
from demos.scenes.ship import Ship
from engine import World, rotation
from engine.viewer import meshes
from engine.viewer.picture.keys import help_columns
from engine.viewer.run.application import camera_for
from engine.viewer.run.controls import Controls

from ..lengths import long_run, sized
from ..viewing import fly

DEGREE = np.pi / 180.0


def new_scene(*arguments):
    return dock.Dock(dock.read_options(arguments))


def seconds(scene, time):
    return fly(scene, round(60.0 * time))


def before_port(*arguments, distance=0.34, speed=0.05):
    """A ship that faces the port and comes along its axis, with a mode of the pilot in which somebody flies."""
    scene = new_scene("--pilot", "hold", "--pace", "1", *arguments)
    body, axes = scene.ship.body, scene.station.rotation_matrix @ PORT.matrix
    body.orientation = FacingPort(scene.ship.port, scene.station, PORT).at(0.0).orientation
    body.angular_velocity_body = (0.0, 0.0, 0.0)
    place = scene.station.to_world(PORT.position) + distance * axes[:, 2]
    body.position += place - body.to_world(scene.ship.port.position)
    body.velocity = -speed * axes[:, 2]
    scene.pilot.switch("hold")
    scene.ledger = MomentumLedger(scene.world, scene.ship)  # the ship was moved by hand
    return scene


@pytest.fixture(scope="module")
def mated():
    """A pair just locked, with its keys; the tests that use it come in their order."""
    scene = before_port()
    while not scene.pilot.is_mated and scene.world.time < 30.0:
        fly(scene, 1)
    return scene


@pytest.fixture(scope="module")
def flown():
    """A whole flight of the autopilot, with the attitude of the station and the propellant used when each phase began."""
    scene = new_scene("--headless", "--pace", "10")
    seen = {}
    while not scene.result and scene.world.time < dock.TIME_LIMIT:
        seen.setdefault(scene.pilot.phase, (scene.station.orientation, scene.ship.propellant_used))
        fly(scene, 1)
    return scene, seen


# The script.


def check_lines(lines):
    flight, joint, momenta, jets, pair, propellant = lines
    order = ["soft", "drift", "turn", "rest", "leave"]
    assert [flight.index(f"{name} at") for name in order] == sorted(flight.index(f"{name} at") for name in order)
    assert "undocked and back at a distance after" in flight
    assert joint.startswith("the ports stayed within")
    assert "ticks without jets" in momenta and "impulses of the jets explain" in jets
    assert "one rigid body with the same jets" in pair
    assert "kg of propellant" in propellant


def test_the_autopilot_docks_turns_the_pair_undocks_and_backs_away(flown):
    check_lines(flown[0].check())


@long_run
def test_it_also_does_at_a_station_that_rotates():
    check_lines(dock.check("turning"))


def test_the_pair_is_turned_by_the_angle_of_the_script(flown):
    scene, seen = flown
    turned = rotation.angle_between(seen["rest"][0], seen["turn"][0])
    assert turned == pytest.approx(np.linalg.norm(TURN), abs=0.2 * DEGREE)
    assert scene.pilot.turned <= mating_pilot.TURNED
    assert scene.pilot.times["turn"] - scene.pilot.times["drift"] >= DRIFT


def test_no_jet_fires_from_the_capture_until_the_pair_has_drifted(flown):
    """But for the frame of ten ticks in which the turn begins."""
    used = {phase: propellant for phase, (_, propellant) in flown[1].items()}
    assert used["soft"] == used["drift"]
    assert used["turn"] - used["drift"] < 0.04
    assert used["rest"] - used["turn"] > 1.0


def test_after_undocking_the_autopilot_goes_to_a_place_on_the_axis():
    assert velocity_to(np.array([0.0, 0.0, AWAY]), AWAY) == pytest.approx(np.zeros(3))
    for distance, sign in ((0.1, 1.0), (9.0, -1.0)):
        aside = velocity_to(np.array([1.0, 0.0, distance]), AWAY)
        assert aside[0] < 0.0 and np.sign(aside[2]) == sign


# By hand.


def test_a_ship_that_somebody_flies_is_caught_locked_and_let_go(mated):
    scene, pilot = mated, mated.pilot
    assert (scene.latch.state, pilot.phase, pilot.mode) == ("hard", "drift", "hold")
    assert scene.latch.closing_energy > 0.0
    body, station = scene.ship.body, scene.station
    axis = body.direction_to_world(scene.ship.port.axis)
    keys = Controls(scene, camera_for(scene))
    assert keys.press("b") and keys.notice == "undocking"
    fly(scene, 2)
    assert (scene.latch.state, pilot.phase) == ("open", "leave")
    parting = (station.velocity_at(PORT.position) - body.velocity_at(scene.ship.port.position)) @ axis
    # both are pushed along the axis through the ports, which passes the ship's mass centre and the station's but for a few centimetres
    expected = PUSH * (1.0 / body.mass + 1.0 / station.mass)
    assert parting == pytest.approx(expected, rel=0.02)
    keys.press("b")
    assert keys.notice == "not docked"
    seconds(scene, 40.0)
    assert pilot.phase == "approach"  # far enough away to be caught again
    assert "the claim is about the autopilot" in scene.check()[0]


def test_keys_fire_nothing_while_the_probe_is_drawn_in():
    scene = before_port()
    while scene.pilot.phase == "approach":
        fly(scene, 1)
    keys = Controls(scene, camera_for(scene))
    for key in "wj":
        keys.press(key)
        seconds(scene, 0.5)
    assert scene.latch.state == "soft" and not scene.ship.jets.pulse_left.any()


@long_run
def test_a_key_turns_the_attitude_that_the_mated_pair_holds():
    scene = before_port(distance=0.29, speed=0.03)
    while scene.pilot.phase != "turn":
        fly(scene, 1)
    start = scene.station.orientation
    Controls(scene, camera_for(scene)).press("k")
    seconds(scene, 50.0)
    turned = rotation.angle_between(scene.station.orientation, start)
    assert turned == pytest.approx(0.5 * DEGREE, abs=0.1 * DEGREE)


def test_a_ship_that_comes_in_too_fast_is_not_caught_and_the_flight_ends():
    scene = before_port(distance=0.6, speed=0.3)
    seconds(scene, 4.0)
    assert scene.latch.state == "open" and scene.world.paused
    assert scene.result == "contact outside the limits: closing 0.300 m/s, allowed 0.1 m/s"


# The books of momentum, and the composite body.


def test_the_jets_and_the_propellant_explain_what_changes_while_a_rotating_ship_fires():
    world = World(1 / 60)
    ship = Ship(world, jet_force=60.0, has_wheels=False, position=(3.0, -2.0, 5.0), velocity=(0.2, 0.1, -0.3))
    ship.body.angular_velocity_body = (0.02, -0.03, 0.05)
    ledger = MomentumLedger(world, ship)
    for tick in range(240):
        if tick % 60 == 30:
            ship.jets.fire(np.linspace(0.05, 0.4, 16))
        ledger.note()
        world.step()
    ledger.note()
    assert 100 < ledger.coasted < 200
    assert max(ledger.coasting_drift()) < 1e-14
    assert np.linalg.norm(ledger.driven_change[:3]) > 5.0
    # measured 1e-6; a pulse that ends within a tick acts before the middle of it, by up to 5e-4 rad of the rotation
    assert max(ledger.unexplained()) < 5e-6


def test_the_check_fails_where_somebody_else_pushed():
    for push in ((1e-6, 0.0, 0.0), (0.0, 0.0, 1e-6)):
        scene = new_scene("--headless")
        scene.pilot.shut_down()
        scene.world.step(20)
        scene.station.apply_impulse(push, scene.station.to_world((0.0, 3.0, 0.0)))
        scene.world.step(2)
        with pytest.raises(AssertionError, match="total P and L changed"):
            scene.check()


def test_the_check_fails_where_the_jets_of_the_composite_body_do_not_follow(monkeypatch):
    monkeypatch.setattr(
        composite.RepeatedJets, "command", lambda jets, *wanted: super(composite.RepeatedJets, jets).command(*wanted)
    )
    scene = new_scene("--headless", "--pace", "10")
    while scene.pilot.phase != "turn":
        fly(scene, 1)
    scene.check()  # so far, no jet has fired
    seconds(scene, 0.5)
    with pytest.raises(AssertionError, match="off one rigid body"):
        scene.check()


def test_the_check_fails_where_the_ports_come_apart(mated, monkeypatch):
    monkeypatch.setattr(mated, "_worst_gap", (2e-10, 0.0))
    with pytest.raises(AssertionError, match="the ports stayed within 2e-10 m"):
        mated.check()


def test_the_check_fails_where_the_autopilot_does_not_come_back(monkeypatch):
    monkeypatch.setattr(dock, "TIME_LIMIT", 3.0)
    with pytest.raises(AssertionError, match="not captured yet"):
        dock.check()


@pytest.mark.parametrize("option", ["--game-mode", "--integrator=semi-implicit-euler"])
def test_in_game_mode_and_with_a_method_of_order_1_the_momenta_are_not_claimed(option):
    scene = seconds(new_scene("--headless", option), 0.5)
    assert "the momenta are not checked in game mode or with a method of order 1" in scene.check()


# What is seen.


def cone():
    """Depths below the sealing face, and inner radii of the drogue there [m]."""
    vertices = meshes.triangles("drogue")[:, :3].astype(float)
    inside = vertices[(vertices[:, 2] <= 0.006) & (np.hypot(vertices[:, 0], vertices[:, 1]) < 0.295)]
    profile = sorted({(round(float(z), 4), round(float(np.hypot(x, y)), 4)) for x, y, z in inside})
    return np.array([(-z, r) for z, r in profile[::-1] if r > 0.0]).T


def test_the_head_of_the_probe_fits_into_the_socket_and_the_rod_into_the_cone():
    probe = meshes.triangles("docking-probe")[:, :3].astype(float)
    assert probe[:, 2].max() == pytest.approx(0.0, abs=1e-6)  # the tip is the origin
    depths = probe[:, 2] + docking_probe.SOCKET
    sunk = depths >= 0.0
    room = np.interp(depths, *cone()) - np.hypot(probe[:, 0], probe[:, 1])
    assert room[sunk].min() > -1e-4
    assert room[sunk].min() < 0.01  # a head that is held
    assert -probe[:, 2].min() > docking_probe.STROKE + docking_probe.SOCKET  # its end stays in the mount


def model(scene, name):
    return next(model for model in scene.picture().models if model.mesh == name)


def test_the_probe_is_out_until_its_tip_is_caught_in_the_socket():
    scene = before_port(distance=0.31, speed=0.05)
    nose = scene.ship.body.to_world(scene.ship.port.position)
    out = scene.ship.body.direction_to_world(scene.ship.port.axis)
    tip = model(scene, "docking-probe").position
    assert tip == pytest.approx(nose + (docking_probe.STROKE + docking_probe.SOCKET) * out, abs=1e-12)
    while scene.latch.state == "open":
        previous = model(scene, "docking-probe").position
        fly(scene, 1)
    caught = model(scene, "docking-probe")
    origin, orientation = scene.station.interpolated_pose()
    depth = docking_probe.SOCKET * np.array(PORT.axis)
    socket = origin + rotation.rotate(orientation, np.array(PORT.position) - depth)
    assert caught.position == pytest.approx(socket, abs=1e-9)
    assert np.linalg.norm(caught.position - previous) < 0.01  # it was there already
    assert caught.matrix[:, 2] == pytest.approx(scene.ship.body.direction_to_world((0.0, 0.0, 1.0)), abs=0.02)


def test_the_display_says_what_the_latch_does(mated):
    status = mated.picture().status
    assert "latch" in status[0] and "closing energy" in status[0]
    names = [name for name, _, _ in mated.picture().reticle.rows]
    assert names[:3] == ["range", "closing", "off axis"]


@pytest.mark.parametrize("view", ["port", "station"])
def test_the_cameras_beside_the_ports_look_at_the_other_port(view):
    scene = new_scene("--view", view)
    eye = scene.picture().eye
    nose = scene.ship.body.to_world(scene.ship.port.position)
    port = scene.station.to_world(PORT.position)
    own, other = (nose, port) if view == "port" else (port, nose)
    assert np.linalg.norm(eye.position - own) == pytest.approx(np.linalg.norm(dock.EYE))
    assert np.cross(eye.forward, other - eye.position) == pytest.approx(np.zeros(3), abs=1e-9)
    assert eye.forward @ (other - eye.position) > 0.0
    assert eye.up @ eye.forward == pytest.approx(0.0, abs=1e-12) and np.linalg.norm(eye.up) == pytest.approx(1.0)


def test_the_corridor_is_drawn_only_where_there_is_room_for_it():
    far, near = new_scene("--case", "straight"), new_scene("--case", "near")
    assert len(far.picture().lines) > len(near.picture().lines) == 1
    assert far.picture().captions and not near.picture().captions


def test_b_undocks_and_the_other_keys_are_those_of_the_approach():
    scene = new_scene()
    listed = [shown for column in help_columns(scene.keys) for shown, _ in column]
    assert "B" in listed and "W, S" in listed
    pygame = pytest.importorskip("pygame")
    for name, _, action, _ in scene.keys:
        assert hasattr(pygame, f"K_{name}") and callable(getattr(scene, action.split()[0]))


def test_drawing_and_starting_again_leave_every_bit_as_it_was():
    """A flight that is drawn, and the same flight again without being drawn; in `.ci/long`, until the ports are locked."""
    scene, frames = new_scene("--case", "turning", "--pace", "10"), 0
    while frames < 30 or frames % 20 or sized(False, scene.latch.state == "open"):
        fly(scene, 1).picture()
        scene.sample()
        frames += 1
        assert frames < 300
    drawn = scene.world.state_hash()
    scene.reset()
    assert scene.latch.state == "open" and scene.pilot.phase == "approach"
    assert fly(scene, frames).world.state_hash() == drawn


@long_run
def test_it_runs_from_the_command_line_without_a_window(tmp_path, capsys):
    arguments = ["dock", "--headless", "--frames", "6", "--size", "320x180"]
    assert main([*arguments, "--out", str(tmp_path / "frame.png")]) == 0
    assert "checked: " in capsys.readouterr().out
    assert list(tmp_path.glob("*.png"))
