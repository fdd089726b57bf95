"""The demo `tumble`: its physics holds, its checks can fail, and its picture shows what the engine computed."""

import numpy as np
import pytest

from demos import tumble
from demos.viewer import masses
from demos.viewer.controls import Controls
from demos.viewer.free_body import period_of_rates, swing, upright
from engine import integrators, rotation

from .viewing import camera_for, fly, new_scene


@pytest.mark.parametrize("case", tumble.CASES)
def test_each_case_does_what_it_claims(case):
    assert "by closed form" in tumble.check(case)[1]


@pytest.mark.parametrize("name", integrators.by_name)
@pytest.mark.parametrize("mode", [[], ["--game-mode"]])
def test_the_check_holds_for_each_integrator_with_and_without_game_mode(name, mode):
    scene = fly(new_scene("--case", "t-handle", "--integrator", name, *mode), 200)
    assert scene.world.integrator.name == name
    assert scene.check()[0].startswith("game mode" if mode else "momentum drift")


def test_vectors_are_read_with_commas_blanks_fractions_and_minus_signs():
    wanted = tumble.read_options(
        ["--angular-velocity", "-1e-3,-.5", "-1/3", "--inertia", "2", "8/2", "4", "--dt", "1/50"]
    )
    assert wanted.angular_velocity == [-1e-3, -0.5, -1.0 / 3.0]
    assert wanted.inertia == [2.0, 4.0, 4.0]
    assert wanted.dt == 0.02


def test_the_check_fails_where_a_torque_acts_unseen():
    scene = new_scene("--case", "wedekind")
    fly(scene, 20)
    scene.body.apply_angular_impulse((0.3, -0.2, 0.1))
    with pytest.raises(AssertionError, match="momentum drift"):
        fly(scene, 20).check()


def test_the_check_fails_where_the_gyroscopic_term_was_missing_for_a_while():
    scene = new_scene("--case", "wedekind")
    scene.world.game_mode = True
    fly(scene, 40)
    scene.world.game_mode = False
    with pytest.raises(AssertionError, match="momentum drift"):
        fly(scene, 1).check()


def test_the_check_fails_where_the_axis_does_not_swing_as_the_closed_form_says():
    scene = fly(new_scene("--case", "flip"), 600)
    scene.motion.moments = scene.motion.moments[
        [0, 2, 1]
    ]  # as if the axis of the spin were that of the greatest moment
    with pytest.raises(AssertionError, match="the axis stays"):
        scene.check()


def test_ticks_too_long_to_follow_the_motion_are_not_called_checked():
    scene = fly(new_scene("--dt", "0.5", "--angular-velocity", "4,5,6"), 120)
    assert scene.check()[0].startswith("nothing: up to")


@pytest.mark.parametrize("momentum", [(0.3, -1.2, 0.7), (0.0, 0.0, 2.0), (0.0, 0.0, -2.0), (0.0, -1.0, 0.0)])
def test_the_momentum_is_stood_upright(momentum):
    turned = rotation.rotate(upright(np.array(momentum)), momentum)
    assert turned == pytest.approx((0.0, 0.0, np.linalg.norm(momentum)), abs=1e-15)


@pytest.mark.parametrize(
    ("moments", "rates", "axis", "angles", "period"),
    [
        ((2, 2, 8), (1, 0, 1), 2, (14.0362, 14.0362), 2.0 * np.pi / 3.0),
        ((2, 8, 4), (0, 1, 0.1), 1, (1.65, 2.86), 3.626088644391),
        ((2, 8, 4), (0, 0.1, 1), 2, (11.31, 168.69), 15.65193059128),
    ],
)
def test_the_closed_forms_give_the_figures_of_ganapathis_cases(moments, rates, axis, angles, period):
    """Half-angles, swings and periods of figures 3 to 5, from a reference run in extended precision."""
    momentum = np.multiply(moments, rates)
    assert np.degrees(swing(np.array(moments, float), momentum, axis)) == pytest.approx(angles, abs=0.006)
    assert period_of_rates(np.array(moments, float), momentum) == pytest.approx(period, rel=1e-12)


def test_the_swing_is_mirrored_where_the_axis_points_against_the_momentum():
    moments, momentum = np.array([2.0, 8.0, 4.0]), np.array([0.1, -8.0, 0.4])
    forward = swing(moments, -momentum, 1)
    assert swing(moments, momentum, 1) == pytest.approx((np.pi - forward[1], np.pi - forward[0]))


def test_the_drawn_ship_has_its_middle_moment_about_its_nose():
    inertia = np.diag(masses.spacecraft().inertia_body)
    assert inertia[0] < inertia[2] < inertia[1] < inertia[0] + inertia[2]


def test_the_picture_shows_the_blended_pose():
    scene = new_scene("--dt", "1/20")
    scene.world.advance(0.07)  # one tick and four tenths
    model = scene.picture().models[0]
    assert scene.world.alpha == pytest.approx(0.4)
    position, orientation = scene.body.interpolated_pose()
    assert (model.position == position).all()
    assert (model.matrix == rotation.to_matrix(orientation)).all()
    assert np.abs(model.matrix - scene.body.rotation_matrix).max() > 0.01


def test_without_the_switch_the_case_key_leaves_out_what_no_body_can_be():
    scene = new_scene("--inertia", "3,4,5")
    keys = Controls(scene, camera_for(scene))
    seen = set()
    for _ in range(len(tumble.CASES)):
        keys.press("c")
        seen.add(scene.case_name)
    assert seen == {name for name, case in tumble.CASES.items() if case.physical}
