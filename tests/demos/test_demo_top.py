"""The demo of Ganapathi's top with two rockets: its closed form, its jets and its check."""

import math

import numpy as np
import pytest

from demos import top
from demos.__main__ import main
from demos.meshes.rocket_top import NOZZLES
from demos.scenes import rocket_couple
from demos.scenes.symmetric_top import SymmetricTop, sine_amplitude, slow_precession
from engine import integrators, rotation
from engine.solutions import HeavySymmetricTop, steady_precession_rates
from engine.solutions.elliptic import sn_cn_dn
from engine.viewer.picture.scene import FRAME

from ..lengths import sized
from ..truth import rotations


def new_scene(*arguments):
    return top.Top(top.read_options(arguments))


def fly(scene, frames):
    for _ in range(frames):
        scene.world.advance(FRAME)
    return scene


# The closed form.


@pytest.mark.parametrize("parameter", [0.0, 1e-9, 0.3, 0.999])
def test_the_elliptic_sine_agrees_with_an_independent_one(parameter):
    argument = np.linspace(-5.0, 9.0, 57)
    assert sine_amplitude(argument, parameter) == pytest.approx(sn_cn_dn(argument, 1.0 - parameter)[0], abs=3e-14)


@pytest.mark.parametrize("precession", [0.0, -0.9, 0.35, 2.5])
def test_the_path_of_the_axis_is_that_of_the_heavy_top(precession):
    """Against elliptic functions and quadratures written apart from these, over five nutations.

    1e-7: at a turning point the other finds its phase only to the root of a rounding; measured 3e-8.
    """
    transverse, axial, strength, spin, tilt = 494.0, 685.0, 1900.0, 4.0, 0.62
    orientation = rotations.from_axis_angle((0.0, 1.0, 0.0), tilt)
    rates = precession * np.array([-math.sin(tilt), 0.0, math.cos(tilt)])
    rates[2] = spin
    truth = HeavySymmetricTop(transverse, axial, strength, rates, orientation)
    closed = SymmetricTop(transverse, axial, strength, spin, tilt, precession)
    assert closed.nutation_period == pytest.approx(truth.nutation_period, rel=1e-11)
    assert closed.tilts == pytest.approx(truth.tilt_range, abs=1e-9)
    times = np.linspace(0.0, 5.0 * truth.nutation_period, 77)
    axes = rotation.rotate(truth.orientations(times), np.broadcast_to((0.0, 0.0, 1.0), (77, 3)))
    assert np.abs(closed.axis(times) - axes).max() < 1e-7


def test_the_path_at_one_time_is_that_among_many():
    closed = SymmetricTop(2.0, 3.0, 5.0, 4.0, 1.0, -0.3)
    many = closed.axis(np.array([0.0, 0.7, 8.0, 20.0]))
    assert closed.axis(np.array([20.0]))[0] == pytest.approx(many[-1], abs=1e-12)
    assert closed.axis(np.array([0.0]))[0] == pytest.approx((math.sin(1.0), 0.0, math.cos(1.0)), abs=1e-15)


def test_at_the_slow_rate_the_top_does_not_nod():
    slow, _ = steady_precession_rates(2.0, 8.0, spin=1.0, tilt=1.0, strength=1.0)
    assert slow_precession(2.0, 8.0, 1.0, 1.0, 1.0) == pytest.approx(slow, rel=1e-12)
    least, greatest = SymmetricTop(2.0, 8.0, 1.0, 1.0, 1.0, slow).tilts
    assert greatest - least < 1e-7  # the root of a rounding: u is double there


# The demo.


@pytest.mark.parametrize("case", sized(list(top.CASES)[::2], list(top.CASES)))
def test_each_case_follows_its_closed_form_for_twenty_seconds(case):
    assert "axis off its closed form" in top.check(case)[0]


@pytest.mark.parametrize("name", sized(["rk4", "free-rotor-4", "midpoint"], list(integrators.by_name)))
def test_the_check_holds_for_each_integrator(name):
    scene = fly(new_scene("--case", "loops", "--integrator", name), 300)
    assert "axis off its closed form" in scene.check()[0]


def test_the_error_is_of_second_order_in_the_tick():
    """The jets are aimed for the middle of the tick; aimed for its start the error would only halve."""
    coarse, fine = (fly(new_scene("--dt", dt), 300).error() for dt in ("1/60", "1/120"))
    assert coarse / fine == pytest.approx(4.0, rel=0.1)


def test_the_check_fails_where_the_jets_are_weaker_than_the_closed_form_has_it(monkeypatch):
    monkeypatch.setattr(rocket_couple, "ARM", rocket_couple.ARM / 0.99)
    with pytest.raises(AssertionError, match="allowed"):
        top.check("waves")


def test_the_check_fails_where_a_jet_is_stuck():
    scene = fly(new_scene(), 100)
    scene.world.on_tick(
        lambda world: setattr(
            scene.rockets.jets, "throttle", np.full(8, 0.5) * np.eye(8)[2] + scene.rockets.jets.throttle / 2
        )
    )
    with pytest.raises(AssertionError, match="allowed"):
        fly(scene, 300).check()


def test_in_game_mode_nothing_is_called_checked():
    assert fly(new_scene("--game-mode"), 10).check()[0].startswith("nothing")


def test_the_jets_push_against_each_other_along_z_cross_the_axis():
    """No net force, and the couple k z × x₃ to the angle that the body turns in half a tick."""
    scene = fly(new_scene("--case", "loops"), 77)
    forces_body = (
        scene.rockets.jets.throttle[:, None] * scene.rockets.jets.max_forces[:, None] * scene.rockets.jets.directions
    )
    assert forces_body.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-9)
    torque = scene.body.direction_to_world(np.cross(scene.rockets.jets.positions, forces_body).sum(axis=0))
    axis = scene.body.direction_to_world((0.0, 0.0, 1.0))
    assert torque == pytest.approx(top.STRENGTH * np.cross((0.0, 0.0, 1.0), axis), abs=0.02 * top.STRENGTH)
    assert scene.body.velocity == pytest.approx(np.zeros(3), abs=1e-12)


def test_the_picture_shows_each_jets_own_throttle_at_its_nozzle():
    scene = fly(new_scene(), 50)
    picture = scene.picture()
    assert [plume.throttle for plume in picture.plumes] == list(scene.rockets.jets.throttle)
    assert not picture.lamps  # the flames show which jets fire
    assert max(plume.throttle for plume in picture.plumes) > 0.2
    origin, orientation = scene.body.interpolated_pose()
    for plume, nozzle in zip(picture.plumes, NOZZLES.values(), strict=True):
        assert plume.position == pytest.approx(origin + rotation.rotate(orientation, nozzle.position), abs=1e-12)
    layers = {arrow.layer for arrow in picture.arrows}
    assert {"torques", "thrust", "momentum", "rates"} <= layers


def test_drawing_and_starting_again_leave_every_bit_as_it_was():
    drawn, undrawn = new_scene("--case", "loops"), new_scene("--case", "loops")
    for _ in range(30):
        fly(drawn, 1).picture()
        drawn.sample()
        fly(undrawn, 1)
    assert drawn.world.state_hash() == undrawn.world.state_hash()
    drawn.reset()
    assert fly(drawn, 30).world.state_hash() == undrawn.world.state_hash()


def test_the_next_case_begins_with_the_method_chosen_since():
    scene = new_scene()
    scene.world.integrator, scene.world.time_scale = "rk4", 0.5
    scene.next_case()
    assert (scene.case_name, scene.world.integrator.name, scene.world.time_scale) == ("loops", "rk4", 0.5)


def test_it_runs_from_the_command_line_without_a_window(tmp_path, capsys):
    arguments = ["top", "--headless", "--frames", "6", "--size", "320x180"]
    assert main([*arguments, "--out", str(tmp_path / "frame.png")]) == 0
    assert "checked: " in capsys.readouterr().out
    assert list(tmp_path.glob("*.png"))
