"""The demo `tumble`: its physics is correct, its checks can fail, and its picture shows what the engine computed."""

import itertools
import sys

import numpy as np
import pytest

from demos import tumble
from demos.__main__ import main
from demos.scenes import masses
from demos.scenes.free_body import period_of_rates, polhode, swing, upright
from demos.scenes.poinsot import LIFT
from engine import MassProperties, World, integrators, rotation
from engine.viewer import meshes
from engine.viewer.run.controls import Controls

from ..lengths import sized
from ..viewing import camera_for, fly, new_scene


@pytest.mark.parametrize("case", sized(list(tumble.CASES)[::3], list(tumble.CASES)))
def test_each_case_does_what_it_claims(case):
    assert "by closed form" in tumble.check(case)[1]


@pytest.mark.parametrize("name", sized(["rk4", "free-rotor-4", "midpoint"], list(integrators.by_name)))
@pytest.mark.parametrize("mode", [[], ["--game-mode"]])
def test_the_check_holds_for_each_integrator_with_and_without_game_mode(name, mode):
    scene = fly(new_scene("--case", "t-handle", "--integrator", name, *mode), 200)
    assert scene.world.integrator.name == name
    assert scene.check()[0].startswith("game mode" if mode else "momentum drift")


def test_vectors_are_read_with_commas_blanks_fractions_and_minus_signs():
    wanted = tumble.read_options(
        ["--angular-velocity", "-1e-3,-.5", "-1/3", "--inertia", "2", "8/2", "4", "--dt", "1/50"]
    )
    assert wanted.angular_velocity == (-1e-3, -0.5, -1.0 / 3.0)
    assert wanted.inertia == (2.0, 4.0, 4.0)
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
    with pytest.raises(AssertionError, match="degrees from the angular momentum, by closed form"):
        scene.check()


def test_the_check_fails_where_omega_left_the_polhode_for_a_while():
    """Energy, L and swing are as they were when the check looks; only what was noted on the way tells."""
    scene = fly(new_scene("--case", "flip"), 600)
    orientation, rates = scene.body.orientation, scene.body.angular_velocity_body
    scene.body.angular_velocity_body = 1.001 * rates
    scene.world.step(2)  # the second begins where ω strays
    scene.body.orientation, scene.body.angular_velocity_body = orientation, rates
    with pytest.raises(AssertionError, match="stays on the ellipsoids"):
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


@pytest.mark.parametrize(
    ("moments", "momentum"),
    [
        ((3.0, 5.0, 7.0), (0.3, -0.4, 2.0)),  # round the greatest axis
        ((3.0, 5.0, 7.0), (-2.0, 0.4, 0.3)),  # round the least
        ((7.0, 3.0, 5.0), (0.02, 0.01, -2.0)),  # near the middle one: the flip
        ((4.0, 4.0, 7.0), (1.0, -0.5, 2.0)),  # symmetric: a circle
        ((2.0, 6.0, 6.0), (1.0, -0.5, 2.0)),
    ],
)
def test_the_polhode_is_where_the_ellipsoids_of_energy_and_momentum_meet(moments, momentum):
    """Every point has the 2T and L² of the start, to 1e-12, and the motion itself comes by each within a step of its 721 points."""
    moments, momentum = np.array(moments), np.array(momentum)
    curve = polhode(moments, momentum, 721)
    assert (moments * curve**2).sum(axis=1) == pytest.approx((momentum**2 / moments).sum(), rel=1e-12)
    assert ((moments * curve) ** 2).sum(axis=1) == pytest.approx((momentum**2).sum(), rel=1e-12)
    assert (curve[0] == curve[-1]).all()
    world = World(0.01)
    rates = momentum / moments
    body = world.add_body(MassProperties(1.0, moments), angular_velocity_body=rates)
    flown = []
    for _ in range(round(period_of_rates(moments, momentum) / world.dt) if moments[0] != moments[1] else 400):
        world.step()
        flown.append(body.angular_velocity_body)
    near = [np.linalg.norm(curve - point, axis=1).min() for point in flown]
    step = np.linalg.norm(np.diff(curve, axis=0), axis=1).max()
    assert max(near) < step


@pytest.mark.parametrize(
    ("moments", "momentum"),
    [
        ((3.0, 5.0, 7.0), (0.0, 0.0, -2.0)),
        ((3.0, 5.0, 7.0), (2.0, 0.0, 0.0)),
        ((4.0, 4.0, 4.0), (1.0, -2.0, 0.7)),
        ((4.0, 4.0, 9.0), (1.0, -2.0, 0.0)),
    ],
)
def test_the_polhode_of_a_steady_spin_is_a_point(moments, momentum):
    curve = polhode(np.array(moments), np.array(momentum), 5)
    assert curve == pytest.approx(np.tile(np.divide(momentum, moments), (5, 1)), abs=1e-15)


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


@pytest.mark.parametrize("case", ["flip", "greatest", "wedekind", "ganapathi-flip"])
def test_poinsots_ellipsoid_touches_its_plane_at_the_tip_of_omega(case):
    """At that point the ellipsoid's normal, Iω, is L: upright. There end polhode and herpolhode, to the lines' lift."""
    scene = fly(new_scene("--case", case, "--allow-unphysical"), 200)
    scene.world.paused = True
    inset = scene.picture().insets[0]
    ball = next(model for model in inset.models if model.mesh == "dark-ball")
    arrow = inset.arrows[-1]
    tip, on_ball = arrow.start + arrow.vector, np.linalg.solve(ball.matrix, arrow.vector)
    assert np.linalg.norm(on_ball) == pytest.approx(1.0, abs=2e-3)  # pose is blended between ticks, ω is not
    normal = np.linalg.solve(ball.matrix.T, on_ball)
    assert normal / np.linalg.norm(normal) == pytest.approx((0.0, 0.0, 1.0), abs=1e-2)
    *plane, closed, flown, rolled = inset.lines
    assert plane[0].points[:, 2] == pytest.approx(np.full(97, tip[2]), abs=2e-3 * ball.matrix.max())
    assert rolled.points[-1] == pytest.approx(tip, abs=1e-12)
    assert flown.points[-1] - arrow.start == pytest.approx(LIFT * arrow.vector, abs=1e-12)
    step = np.linalg.norm(np.diff(closed.points, axis=0), axis=1).max()
    assert np.linalg.norm(closed.points - flown.points[-1], axis=1).min() <= step + 1e-9
    assert closed.behind > 0.0 and closed.layer == flown.layer == rolled.layer == "trails"


@pytest.mark.parametrize("case", ["flip", "t-handle", "wedekind"])
def test_the_ellipsoid_beside_the_body_has_its_moments(case):
    """As drawn: its mesh axes carry the semi-axes a, b, c, and m (b² + c²)/5 about the first gives back the body's tensor."""
    scene = fly(new_scene("--case", case), 77)
    ball = next(model for model in scene.picture().insets[1].models if model.mesh == "ball")
    scale = scene.equal.semi_axes[0] / np.linalg.norm(ball.matrix, axis=0).max()
    spread = scale**2 * ball.matrix @ ball.matrix.T  # Σ a² e eᵀ, world frame
    inertia = scene.body.mass / 5.0 * (np.trace(spread) * np.eye(3) - spread)
    turn = rotation.to_matrix(scene.body.interpolated_pose()[1])
    assert inertia == pytest.approx(turn @ scene.body.inertia_body @ turn.T, rel=1e-9, abs=1e-6 * scene.body.mass)
    assert "same moments" in scene.picture().insets[1].words


@pytest.mark.parametrize("options", [("--case", "ganapathi-flip"), ("--inertia", "2,8,4")])
def test_a_tensor_that_no_body_has_is_said_to_have_no_ellipsoid_in_one_line(options):
    picture = new_scene(*options, "--allow-unphysical").picture()
    assert [model.mesh for inset in picture.insets for model in inset.models] == ["dark-ball"]
    assert len(picture.status) == 1 and "nor any solid ellipsoid" in picture.status[0]


def test_whatever_explains_the_motion_can_be_hidden():
    picture = new_scene().picture()
    assert all(part.layer for part in (*picture.arrows, *picture.lines))
    assert not picture.status


WRENCH = {*((x, 0, 0) for x in range(7)), (7, 1, 0), (7, 0, 0), (8, 1, 0), (9, 1, 0), (7, -1, 0), (8, -1, 0), (0, 0, 1)}
"""A shaft with a jaw at one end and a peg at the other, of unit cubes; no plane of symmetry is left, and no axis is principal."""


def surface(cells):
    """Vertices and faces of the solid of these unit cubes, far from the origin; neighbours have no face in common."""
    corners, faces = [], []
    for cell, axis, side in itertools.product(sorted(cells), range(3), (0, 1)):
        normal, u, v = np.roll(np.eye(3, dtype=int), -axis, axis=0)
        if tuple((cell + (2 * side - 1) * normal).tolist()) in cells:
            continue
        start = cell + side * normal
        u, v = (u, v) if side else (v, u)
        first = len(corners)
        corners += [start, start + u, start + u + v, start + v]
        faces += [(first, first + 1, first + 2), (first, first + 2, first + 3)]
    return np.add(corners, (30.0, -20.0, 10.0)), faces


def write_mesh(path, vertices, faces):
    """An OBJ file, or an STL file in text."""
    if path.suffix == ".obj":
        lines = ["v {} {} {}".format(*point) for point in vertices]
        lines += ["f {} {} {}".format(*(corner + 1 for corner in face)) for face in faces]
    else:
        facets = (["outer loop", *("vertex {} {} {}".format(*vertices[c]) for c in face), "endloop"] for face in faces)
        lines = [
            "solid wrench",
            *(line for facet in facets for line in ("facet normal 0 0 0", *facet, "endfacet")),
            "endsolid",
        ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture(params=["wrench.obj", "wrench.stl"])
def wrench(request, tmp_path, monkeypatch):
    pytest.importorskip("trimesh")
    monkeypatch.setattr(meshes, "MESHES", dict(meshes.MESHES))
    return write_mesh(tmp_path / request.param, *surface(WRENCH))


def test_a_body_from_a_file_tumbles_headless_and_passes_its_check(wrench, tmp_path, capsys):
    picture = tmp_path / "wrench.png"
    options = ["--headless", "--frames", "120", "--size", "320x180", "--quality", "low", "--out", str(picture)]
    assert main(["tumble", "--mesh", wrench, *options]) == 0
    said = capsys.readouterr().out
    assert "checked: momentum drift" in said and "by closed form" in said and "ω stays on the ellipsoids" in said
    assert "wrench" in new_scene("--mesh", wrench).picture().title


def test_a_body_from_a_file_is_the_solid_in_it_and_flips_with_the_period_of_elliptic_functions(wrench):
    """The moments are those of the cubes, joined by the parallel-axis theorem; the rates repeat after 25 s, with two flips in between."""
    scene = new_scene("--mesh", wrench)
    cube = MassProperties.box(1.0, (1.0, 1.0, 1.0))
    cubes = MassProperties.compound([(cube, np.add(cell, 0.5), (0.0, 0.0, 0.0, 1.0)) for cell in sorted(WRENCH)])
    corners = np.add(list(itertools.product((0.0, 1.0), repeat=3)), np.array(sorted(WRENCH))[:, None]).reshape(-1, 3)
    reach = np.linalg.norm(corners - cubes.center_of_mass_body, axis=1).max()
    scale = scene.radius / reach
    wanted = scene.body.mass / cubes.mass * scale**2 * cubes.inertia_body
    assert scene.body.inertia_body == pytest.approx(wanted, rel=1e-6, abs=1e-6 * wanted.max())
    assert not scene.body.center_of_mass_body.any()
    start = scene.body.angular_velocity_body
    period = period_of_rates(scene.motion.moments, scene.motion.momentum_principal)
    assert scene.motion.axis == 1 and period == pytest.approx(25.0, rel=1e-9)
    half = fly(scene, 750).body.angular_velocity_body
    assert half @ scene.motion.axis_body == pytest.approx(-start @ scene.motion.axis_body, rel=1e-4)
    assert fly(scene, 750).body.angular_velocity_body == pytest.approx(start, abs=1e-6 * np.linalg.norm(start))
    assert fly(scene, 2).world.time > period  # from then on the check wants the whole swing
    assert "by closed form" in scene.check()[1] and np.degrees(scene.motion.tilts[1]) > 178.0


def test_the_body_from_a_file_is_drawn_about_its_mass_centre_with_flat_faces(wrench):
    scene = new_scene("--mesh", wrench)
    model = scene.picture().models[0]
    vertices = meshes.triangles(model.mesh).astype(float)
    a, b, c = np.moveaxis(vertices[:, :3].reshape(-1, 3, 3), 1, 0)
    sixths = np.einsum("ij,ij->i", a, np.cross(b, c))
    edge = (sixths.sum() / 6.0 / len(WRENCH)) ** (1.0 / 3.0)
    assert len(vertices) == 3 * len(surface(WRENCH)[1])
    assert np.linalg.norm(a - b, axis=1).min() == pytest.approx(edge, rel=1e-5)
    assert (sixths @ (a + b + c)) / sixths.sum() / 4.0 == pytest.approx(np.zeros(3), abs=1e-5)
    assert np.linalg.norm(vertices[:, :3], axis=1).max() == pytest.approx(scene.radius, rel=1e-6)
    outward = np.cross(b - a, c - a) / np.linalg.norm(np.cross(b - a, c - a), axis=1, keepdims=True)
    assert vertices[:, 3:6].reshape(-1, 3, 3) == pytest.approx(np.repeat(outward[:, None], 3, axis=1), abs=1e-5)
    assert (model.position == 0.0).all() and model.matrix == pytest.approx(scene.body.rotation_matrix, abs=1e-15)


def test_the_case_key_comes_back_to_the_body_from_a_file(wrench):
    scene = new_scene("--mesh", wrench, "--angular-velocity", "1,2,3")
    drawn = [scene.picture().models[0].mesh]
    for _ in range(1 + sum(case.physical for case in tumble.CASES.values())):
        scene.next_case()
        drawn.append(scene.picture().models[0].mesh)
    assert drawn[0] == drawn[-1] == wrench and wrench not in drawn[1:-1]


def rejected(capsys, *arguments):
    """What is said about these options, in one line, with status 2."""
    try:
        status = main(["tumble", "--headless", "--frames", "1", *arguments])
    except SystemExit as ended:
        status = ended.code
    said = capsys.readouterr()
    assert status == 2 and said.out == "" and said.err.count("\n") == 1
    return said.err


def test_a_file_that_is_not_a_solid_is_rejected_in_one_line_in_the_words_of_the_engine(tmp_path, capsys):
    pytest.importorskip("trimesh")
    vertices, faces = surface(WRENCH)
    (tmp_path / "broken.gltf").write_text('{"asset": {', encoding="utf-8")
    for path, text in [
        (tmp_path / "none.stl", "path must point to an existing file"),
        (tmp_path, "path must be a file in one of the formats .glb, .gltf, .obj, .stl"),
        (tmp_path / "broken.gltf", "broken.gltf cannot be read as gltf"),
        (write_mesh(tmp_path / "open.obj", vertices, faces[1:]), "faces must be a closed surface"),
        (write_mesh(tmp_path / "inside-out.stl", vertices, [face[::-1] for face in faces]), "faces must be wound"),
    ]:
        assert f"MassProperties.from_file: {text}" in rejected(capsys, "--mesh", str(path))


@pytest.mark.parametrize(
    "cells",
    [{(0, 0, 0)}, {(0, 0, z) for z in range(3)}, {(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)}],
    ids=["cube", "bar", "plate"],
)
def test_a_body_with_equal_moments_is_rejected_because_it_does_not_tumble(cells, tmp_path, capsys):
    pytest.importorskip("trimesh")
    said = rejected(capsys, "--mesh", write_mesh(tmp_path / "symmetric.stl", *surface(cells)))
    assert "symmetric.stl: the solid must have three different principal moments" in said and "does not tumble" in said


def test_nearly_equal_moments_are_rejected_with_their_ratios_and_distinct_ones_are_not(tmp_path, capsys):
    """Boxes: to flip every 12.5 s, the first would have to spin at 19.8 rad/s, and the second at 10.4."""
    pytest.importorskip("trimesh")
    vertices, faces = surface({(0, 0, 0)})
    near = write_mesh(tmp_path / "near.obj", vertices * (1.0, 1.05, 1.1), faces)
    assert "0.9092 : 0.9557 : 1, too close to each other for a spin of up to 12 rad/s" in rejected(
        capsys, "--mesh", near
    )
    apart = write_mesh(tmp_path / "apart.obj", vertices * (1.0, 1.1, 1.2), faces)
    assert np.linalg.norm(new_scene("--mesh", apart).body.angular_velocity_body) == pytest.approx(10.4, abs=0.1)


def test_without_the_reader_of_meshes_the_extra_is_named(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    path = write_mesh(tmp_path / "wrench.obj", *surface(WRENCH))
    assert 'needs the package trimesh; install it with pip install "polhode[mesh]"' in rejected(capsys, "--mesh", path)


@pytest.mark.parametrize(
    ("others", "text"),
    [
        (["--case", "wedekind"], "argument --case: not allowed with argument --mesh"),
        (["--inertia", "3,4,5"], "--mesh and --inertia both give the inertia of the body"),
    ],
)
def test_a_file_and_another_body_are_rejected(others, text, capsys):
    assert text in rejected(capsys, "--mesh", "wrench.obj", *others)
