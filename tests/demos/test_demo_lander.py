"""The demo of the lander: its landings, its grounds, its keys, and what its check notices."""

import numpy as np
import pytest

from demos import lander
from demos.__main__ import main
from demos.scenes import landing_grounds
from demos.scenes.landing_craft import Craft, turning_jets
from engine import World, shapes
from engine.viewer.picture.scene import FRAME, SUN

from ..lengths import long_run, sized
from ..viewing import canvas, looks_like_the_scene, read_png


def new_scene(*arguments):
    return lander.Lander(lander.read_options(arguments))


@long_run
@pytest.mark.parametrize("case", lander.CASES)
def test_the_autopilot_lands_and_its_check_holds(case):
    landing, impulses, energy = lander.check(case)
    assert "at rest to" in landing and "explain each change" in impulses and "the ground took" in energy


@long_run
def test_the_check_notices_energy_and_momentum_that_nothing_explains():
    scene = new_scene()
    for _ in range(60 * 18):
        scene.world.advance(FRAME)
    assert scene.ledger.ticks > 100
    scene.check()
    body = scene.craft.stage
    body.velocity = body.velocity + np.array((0.0, 0.0, 0.2))
    scene.world.advance(FRAME)
    with pytest.raises(AssertionError, match="impulses of ground and gravity"):
        scene.check()


@long_run
def test_velocities_are_commanded_by_keys():
    scene = new_scene()
    assert scene.act("command 0 0.5") == "by hand: +0.50 east, +0.00 north, +0.00 up m/s"
    for _ in range(800):
        scene.world.advance(FRAME)
    over = scene.ground.axes_at(scene.craft.stage.position).T @ scene.craft.stage.velocity
    assert over == pytest.approx((0.5, 0.0, 0.0), abs=0.05)


def test_a_key_cuts_the_engine_for_good():
    scene = new_scene()
    assert scene.act("command 0 0.5") == "by hand: +0.50 east, +0.00 north, +0.00 up m/s"
    assert scene.act("autopilot") == "autopilot" and scene.pilot.is_automatic
    assert scene.act("cut") == "engine off"
    scene.world.advance(FRAME)
    assert not scene.craft.is_powered and scene.act("command 2 0.25") == "the engine is off"


def test_the_jets_turn_the_craft_about_the_axis_that_is_asked_for():
    world = World(1 / 240)
    craft = Craft(world, np.zeros(3), np.array((0, 0, 0, 1.0)), np.zeros(3), 100.0)
    for joint, foot in zip(craft.legs, craft.feet, strict=True):
        world.remove_joint(joint)
        world.remove_body(foot)
    torque = np.array((20.0, -15.0, 30.0))
    craft.turn(torque)
    world.step(2)
    moments = np.diag(craft.stage.mass_properties.inertia_body)
    assert craft.stage.angular_velocity_body == pytest.approx(torque / moments * 2 / 240, rel=1e-3)
    assert np.abs(craft.stage.velocity).max() < 1e-9
    assert len(turning_jets()[0]) == 12


def test_the_asteroid_is_a_closed_surface_and_both_grounds_have_tens_of_thousands_of_triangles():
    mesh, moon = landing_grounds.ground_shape("asteroid-ground"), landing_grounds.ground_shape("moon-ground")
    edges = np.sort(np.concatenate([mesh.faces[:, (0, 1)], mesh.faces[:, (1, 2)], mesh.faces[:, (2, 0)]]), axis=1)
    assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all()
    assert len(mesh.faces) == 49_152 and len(moon.faces) == 51_200 and isinstance(moon, shapes.HeightField)
    a, b, c = (mesh.vertices[mesh.faces[:, place]] for place in range(3))
    assert np.einsum("ij,ij->i", np.cross(b - a, c - a), a).min() > 0.0  # all look outwards


@pytest.mark.parametrize("case", lander.CASES)
def test_the_flight_is_by_day(case):
    """The sun is above the horizon of the craft at its start, and well above that of the site when it lands."""
    scene = new_scene("--case", case)
    ground = scene.ground
    assert ground.axes_at(scene.craft.stage.position)[:, 2] @ SUN > 0.05
    assert ground.axes_at(ground.site_at(20.0))[:, 2] @ SUN > 0.3


@long_run
def test_the_craft_does_not_lie_down_where_little_lifts_it():
    """Over the asteroid its weight is small, and what the pilot wants of it to the side is not: it once flew 70° off the vertical."""
    scene = new_scene("--case", "asteroid")
    for _ in range(60 * 16):
        scene.world.advance(FRAME)
        up = scene.ground.axes_at(scene.craft.stage.position)[:, 2]
        assert scene.craft.stage.direction_to_world((0.0, 0.0, 1.0)) @ up > np.cos(0.65)


def test_numbers_on_the_display_have_no_sign_of_zero():
    scene = new_scene()
    scene.craft.stage.velocity = (0.0, 0.0, -1e-4)
    assert "0.00 m/s across, +0.00 m/s up" in scene.picture().status


def test_the_next_case_is_the_other_ground():
    scene = new_scene()
    scene.next_case()
    assert scene.case_name == "asteroid" and "asteroid" in scene.picture().title


@pytest.mark.parametrize("case", sized(["craters"], lander.CASES))
def test_a_picture_is_drawn_without_a_display(case, tmp_path):
    with canvas():
        pass
    path = tmp_path / "lander.png"
    arguments = ["lander", "--case", case, "--headless", "--frames", "6", "--size", "320x180", "--quality", "low"]
    assert main([*arguments, "--out", str(path)]) == 0
    assert looks_like_the_scene(read_png(path))
