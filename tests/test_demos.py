"""The demos run on any machine, draw what the engine computed, change nothing by drawing, and their physics holds."""

import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from demos import tumble
from demos.__main__ import main
from demos.viewer import application, context, hud, masses, meshes, options, telemetry
from demos.viewer.camera import OrbitCamera
from demos.viewer.controls import BINDINGS, FASTEST, SLOWEST, Controls
from demos.viewer.free_body import period_of_rates, swing, upright
from demos.viewer.options import FRAME
from demos.viewer.png import write_png
from demos.viewer.renderer import Renderer
from demos.viewer.trail import Trail
from engine import integrators, rotation

ROOT = Path(__file__).parent.parent
SMALL = (320, 180)


def read_png(path):
    """Decode what `write_png` writes; an independent reading of the format."""
    data, place, compressed = path.read_bytes(), 8, b""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place : place + 8])
        body = data[place + 8 : place + 8 + length]
        assert struct.unpack(">I", data[place + 8 + length : place + 12 + length])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        compressed += body if kind == b"IDAT" else b""
        place += 12 + length
    rows = np.frombuffer(zlib.decompress(compressed), np.uint8).reshape(height, 1 + 3 * width)
    assert (rows[:, 0] == 2).all()
    return np.cumsum(rows[:, 1:], axis=0, dtype=np.uint8).reshape(height, width, 3)


def new_scene(*arguments):
    return tumble.Tumble(tumble.read_options(arguments))


def fly(scene, frames):
    for _ in range(frames):
        scene.world.advance(FRAME)
    return scene


def camera_for(scene):
    return OrbitCamera(distance=application.DISTANCE * scene.radius, target=scene.target)


@pytest.fixture(scope="module")
def canvas():
    opened = context.open_canvas(SMALL, "test", window=False)
    if opened.context is None:
        pytest.skip(f"no OpenGL on this machine: {opened.reasons}")
    yield opened
    opened.close()


def looks_like_the_scene(image):
    """Dark space, a bright ship, and the amber of L."""
    red, green, blue = (image[..., i].astype(int) for i in range(3))
    amber = (red > 180) & (green > 90) & (green < 190) & (blue < 90)
    dark = image.max(axis=-1) < 60
    bright = image.min(axis=-1) > 150
    return (
        amber.mean() > 5e-4
        and dark.mean() > 0.3
        and bright.mean() > 2e-3
        and len(np.unique(image.reshape(-1, 3), axis=0)) > 500
    )


# The command line.


def test_the_list_names_each_demo_with_its_command():
    listing = subprocess.run(
        [sys.executable, "-m", "demos"], cwd=ROOT, capture_output=True, text=True, timeout=60, encoding="utf-8"
    )
    assert listing.returncode == 0, listing.stderr
    assert "python -m demos tumble   A spacecraft tumbles freely" in listing.stdout


@pytest.mark.parametrize(("name", "hint"), [("tumbel", "did you mean tumble?"), ("zzz", "there is tumble")])
def test_an_unknown_demo_is_answered_with_a_hint_and_status_2(name, hint, capsys):
    assert main([name]) == 2
    said = capsys.readouterr()
    assert hint in said.err and said.out == ""


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("--case nonesuch", "nonesuch"),
        ("--case ganapathi-flip", "--allow-unphysical"),
        ("--inertia 2,8,4", "--allow-unphysical"),
        ("--inertia 1 2", "3 principal moments or the 9 numbers"),
        ("--inertia 1 2 x", "must be numbers"),
        ("--inertia 1 2 nan", "must be numbers"),
        ("--inertia 0 1 1", "resists turning"),
        ("--inertia -1,2,2", "inertia"),
        ("--inertia 3 1 0 0 2 0 0 0 2.5", "inertia"),  # not symmetric
        ("--angular-velocity 1,2", "3 body rates"),
        ("--angular-velocity 0,0,0", "not all zero"),
        ("--angular-velocity inf,0,0", "must be numbers"),
        ("--angular-velocity 1e200,0,0", "1e12"),
        ("--inertia 1e-200,1e-200,1e-200", "1e-12"),
        ("--dt 0", "--dt"),
        ("--dt -1/60", "--dt"),
        ("--dt 1/0", "--dt"),
        ("--size 640", "WIDTHxHEIGHT"),
        ("--size 4x4", "between 16 and 8192"),
        ("--frames 0", "at least 1"),
        ("--frames 2.5", "whole number"),
        ("--integrator rk5", "rk4-world-rates"),
        ("--head", "--head"),
        ("surplus", "surplus"),
    ],
)
def test_bad_options_are_answered_in_one_line_with_status_2(arguments, text, capsys):
    with pytest.raises(SystemExit) as ended:
        sys.exit(main(["tumble", "--headless", *arguments.split()]))
    said = capsys.readouterr()
    assert ended.value.code == 2
    assert text in said.err and said.err.count("\n") == 1 and said.out == ""


def test_vectors_are_read_with_commas_blanks_fractions_and_minus_signs():
    wanted = tumble.read_options(
        ["--angular-velocity", "-1e-3,-.5", "-1/3", "--inertia", "2", "8/2", "4", "--dt", "1/50"]
    )
    assert wanted.angular_velocity == [-1e-3, -0.5, -1.0 / 3.0]
    assert wanted.inertia == [2.0, 4.0, 4.0]
    assert wanted.dt == 0.02


def test_a_picture_that_cannot_be_written_is_said_in_one_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(context, "ATTEMPTS", {})
    (tmp_path / "file").write_text("in the way")
    assert main(["tumble", "--headless", "--frames", "2", "--out", str(tmp_path / "file" / "a.png")]) == 1
    assert "cannot write" in capsys.readouterr().err


# Physics.


@pytest.mark.parametrize("case", tumble.CASES)
def test_each_case_does_what_it_claims(case):
    assert "by closed form" in tumble.check(case)[1]


@pytest.mark.parametrize("name", integrators.by_name)
@pytest.mark.parametrize("mode", [[], ["--game-mode"]])
def test_the_check_holds_for_each_integrator_with_and_without_game_mode(name, mode):
    scene = fly(new_scene("--case", "t-handle", "--integrator", name, *mode), 200)
    assert scene.world.integrator.name == name
    assert scene.check()[0].startswith("game mode" if mode else "momentum drift")


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


# Drawing.


def test_the_headless_demo_writes_a_frame_of_the_size_asked_for(canvas, tmp_path, capsys):
    canvas.close()  # SDL has one window at a time
    out = tmp_path / "new" / "frame.png"
    assert main(["tumble", "--headless", "--frames", "40", "--size", "480x270", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert str(out) in said and "480 × 270" in said and "40 frames, 0.67 s" in said and "checked" in said
    image = read_png(out)
    assert image.shape == (270, 480, 3) and looks_like_the_scene(image)


def test_without_a_display_the_demo_draws_off_screen_and_says_how_to_get_a_window(tmp_path, capsys, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    if not sys.platform.startswith("linux"):
        pytest.skip("this system always has a display")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(options, "FRAMES", 3)
    assert main(["tumble", "--size", "320x180"]) == 0
    said = capsys.readouterr().out
    assert (tmp_path / "out").exists()
    if "drawn with" not in said:
        pytest.skip(f"no OpenGL on this machine: {said}")
    assert "For a window (no display" in said


@pytest.mark.parametrize("case", ["flip", "t-handle", "wedekind", "ganapathi-cone"])
def test_drawing_leaves_the_world_as_it_was_to_the_last_bit(case):
    opened = context.open_canvas(SMALL, "test", window=False)
    if opened.context is None:
        pytest.skip(f"no OpenGL on this machine: {opened.reasons}")
    drawn, undrawn = (new_scene("--case", case, "--allow-unphysical") for _ in range(2))
    camera, images = camera_for(drawn), []
    for _ in range(4):
        fly(undrawn, 7)
        fly(drawn, 7)
        before = drawn.world.state_hash()
        images.append(application.render(drawn, camera, opened.context, SMALL))
        assert drawn.world.state_hash() == before
    opened.close()
    assert drawn.world.state_hash() == undrawn.world.state_hash()
    assert all(map(looks_like_the_scene, images)) and (images[0] != images[-1]).any()


def test_the_window_shows_the_frame_upright_and_whole_after_resizing():
    opened = context.open_canvas((640, 400), "test", window=False)
    if opened.kind != "SDL offscreen window":
        pytest.skip(f"no SDL window without a display: {opened.reasons}")
    scene = fly(new_scene("--case", "t-handle"), 90)
    renderer = Renderer(opened.context, (640, 400), samples=0)
    for size in ((640, 400), (500, 300)):
        renderer.resize(size)
        renderer.draw(scene.picture(), camera_for(scene))
        renderer.show()
        shown = np.frombuffer(opened.context.screen.read(viewport=(0, 0, *size), components=3, alignment=1), np.uint8)
        assert (shown.reshape(size[1], size[0], 3)[::-1] == renderer.read()).all()
    opened.close()


def test_the_picture_shows_the_blended_pose():
    scene = new_scene("--dt", "1/20")
    scene.world.advance(0.07)  # one tick and four tenths
    model = scene.picture().models[0]
    assert scene.world.alpha == pytest.approx(0.4)
    position, orientation = scene.body.interpolated_pose()
    assert (model.position == position).all()
    assert (model.matrix == rotation.to_matrix(orientation)).all()
    assert np.abs(model.matrix - scene.body.rotation_matrix).max() > 0.01


def test_the_camera_shows_right_as_right_and_up_as_up():
    """Pins what is taken from pyrr: row vectors, a right-handed view, y down in pixels."""
    camera = OrbitCamera(yaw=0.7, pitch=0.3, distance=9.0, target=np.array([3.0, -2.0, 5.0]))
    middle = camera.project(camera.target, (800, 600))
    assert middle == pytest.approx((400.0, 300.0))
    right = np.cross(camera.forward, (0.0, 0.0, 1.0))
    assert camera.project(camera.target + right, (800, 600))[0] > 450.0
    assert camera.project(camera.target + np.array((0.0, 0.0, 1.0)), (800, 600))[1] < 250.0
    assert camera.project(camera.eye - camera.forward, (800, 600)) is None


def test_far_from_the_origin_the_drawing_coordinates_stay_sharp():
    """A float32 of 1e9 m is known to 64 m; the difference to the eye is taken before the rounding."""
    target = np.array([1e9, -2e9, 5e8])
    points = np.array([[0.25, -1.5, 2.0], [0.2500002, -1.5, 2.0]])
    near, far = OrbitCamera(), OrbitCamera(target=target)
    assert (
        np.abs(far.relative(points + target) - near.relative(points)).max() < 1e-6
    )  # two units of float64 at 1e9, and of float32 at 12


@pytest.mark.parametrize("name", meshes.MESHES)
def test_the_triangles_of_a_mesh_face_the_way_their_normals_point(name):
    vertices = meshes.triangles(name)
    corners, normals = vertices[:, :3].reshape(-1, 3, 3), vertices[:, 3:6].reshape(-1, 3, 3)
    assert np.isfinite(vertices).all()
    assert np.linalg.norm(normals, axis=-1) == pytest.approx(1.0, abs=1e-5)
    wound = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    solid = np.linalg.norm(wound, axis=1) > 1e-7  # a cone's tip has triangles of no area
    assert (np.einsum("ij,ij->i", wound, normals.mean(axis=1))[solid] > 0.0).all()


def test_the_overlay_tells_time_drift_integrator_and_game_mode():
    scene = fly(new_scene("--integrator", "rk4-world-rates", "--game-mode"), 60)
    text = " ".join(hud.status_lines(scene))
    for part in ("time 1.00 s", "energy drift", "momentum drift", "rk4-world-rates", "game mode on", "1/240 s"):
        assert part in text
    assert scene.sample().momentum_drift > 1e-3  # so that the line has something to show


def test_a_trail_keeps_its_newest_points_in_order():
    trail = Trail(5)
    for number in range(23):
        trail.append(np.full(3, float(number)))
    assert trail.points(np.full(3, 23.0))[:, 0].tolist() == [18.0, 19.0, 20.0, 21.0, 22.0, 23.0]


def test_a_written_picture_can_be_read_again(tmp_path):
    image = np.random.default_rng(5).integers(0, 256, (17, 31, 3), dtype=np.uint8)
    write_png(tmp_path / "a.png", image)
    assert (read_png(tmp_path / "a.png") == image).all()


# Without OpenGL.


@pytest.mark.parametrize("missing", [("moderngl",), ("moderngl", "pygame", "pyrr")])
def test_without_the_packages_the_telemetry_is_written_and_they_are_named(missing, tmp_path, capsys, monkeypatch):
    for package in missing:
        monkeypatch.setitem(sys.modules, package, None)
    assert main(["tumble", "--headless", "--frames", "30", "--size", "640x480", "--out", str(tmp_path / "a.png")]) == 0
    said = capsys.readouterr().out
    assert f"pip install {' '.join(missing)}\n" in said and "EGL: the package moderngl is missing" in said
    assert not (tmp_path / "a.png").exists()
    image = read_png(tmp_path / "a-telemetry.png")
    assert image.shape == (480, 640, 3)
    for colour in (telemetry.RED, telemetry.GREEN, telemetry.BLUE, telemetry.AMBER, telemetry.VIOLET):
        assert (image == np.rint(np.multiply(colour, 255.0))).all(axis=-1).sum() > 100


def test_without_opengl_libraries_each_attempt_says_why_it_failed(tmp_path, capsys, monkeypatch):
    def refuse(size, title):
        raise OSError("libEGL.so.1: cannot open shared object file")

    monkeypatch.setattr(context, "ATTEMPTS", {"window": refuse, "EGL": refuse})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(options, "FRAMES", 5)
    assert main(["tumble"]) == 0
    said = capsys.readouterr().out
    assert "window: libEGL.so.1: cannot open" in said and "EGL: libEGL.so.1: cannot open" in said
    if sys.platform.startswith("linux"):
        assert "apt-get install libegl1" in said
    assert (tmp_path / "out" / "tumble-telemetry.png").exists()


@pytest.mark.parametrize("asked", [["--frames", "3"], ["--out", "b.png"], ["--headless"]])
def test_who_names_frames_or_a_file_wants_no_window(asked):
    assert tumble.read_options(asked).headless
    assert not tumble.read_options([]).headless


def test_without_pygame_text_is_drawn_in_a_font_of_its_own(tmp_path):
    """In a process of its own: pygame, once imported, cannot be forgotten."""
    script = "import sys; sys.modules['pygame'] = None\nfrom demos.__main__ import main\nsys.exit(main(sys.argv[1:]))"
    arguments = ["tumble", "--headless", "--frames", "5", "--size", "320x180", "--out", str(tmp_path / "a.png")]
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    if "drawn with EGL" not in done.stdout:
        pytest.skip(f"no EGL on this machine: {done.stdout}")
    assert looks_like_the_scene(read_png(tmp_path / "a.png"))


def test_a_run_that_blows_up_ends_with_one_line_and_its_telemetry(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(context, "ATTEMPTS", {})
    arguments = ["--integrator", "rk4-world-rates", "--dt", "0.9", "--angular-velocity", "40,50,60", "--frames", "6000"]
    assert main(["tumble", "--headless", *arguments, "--out", str(tmp_path / "a.png")]) == 1
    said = capsys.readouterr().err
    assert "stopped at" in said and said.count("\n") == 1
    assert (tmp_path / "a-telemetry.png").exists()


# Keys.


def test_the_keys_do_what_the_help_says():
    scene = new_scene("--allow-unphysical", "--dt", "1/120")
    keys = Controls(scene, camera_for(scene))
    keys.press("SPACE")
    fly(scene, 10)
    assert scene.world.tick_count == 0
    keys.press("PERIOD")
    assert (scene.world.tick_count, scene.world.paused) == (1, True)
    keys.press("SPACE")
    fly(scene, 10)
    assert scene.world.tick_count == 21
    for _ in range(9):
        keys.press("COMMA")
    assert scene.world.time_scale == SLOWEST
    for _ in range(9):
        keys.press("SLASH")
    assert scene.world.time_scale == FASTEST
    fly(scene, 1)
    assert scene.world.tick_count == 37 and scene.world.dropped_time == 0.0

    first, seen = scene.world.integrator.name, []
    for _ in integrators.by_name:
        keys.press("i")
        seen.append(scene.world.integrator.name)
    assert sorted(seen) == sorted(integrators.by_name) and seen[-1] == first
    keys.press("i")
    keys.press("g")
    keys.press("r")
    assert (scene.world.tick_count, scene.world.game_mode, scene.world.integrator.name) == (0, True, seen[0])
    assert scene.world.time_scale == FASTEST

    cases = [scene.case_name]
    for _ in range(len(tumble.CASES) - 1):
        keys.press("c")
        cases.append(scene.case_name)
    assert cases == list(tumble.CASES)
    keys.press("h")
    keys.press("q")
    assert keys.help_shown and keys.quitting
    assert not keys.press("z")


def test_without_the_switch_the_case_key_leaves_out_what_no_body_can_be():
    scene = new_scene("--inertia", "3,4,5")
    keys = Controls(scene, camera_for(scene))
    seen = set()
    for _ in range(len(tumble.CASES)):
        keys.press("c")
        seen.add(scene.case_name)
    assert seen == {name for name, case in tumble.CASES.items() if case.physical}


def test_the_arrow_keys_and_the_mouse_move_the_eye_and_never_the_target():
    scene = new_scene()
    camera = camera_for(scene)
    keys, start = Controls(scene, camera), camera.distance
    for key in ["RIGHT"] * 80 + ["UP"] * 80 + ["PAGEUP"] * 80:
        keys.press(key, repeated=True)
    keys.drag(31, -17)
    assert 0.0 <= camera.yaw < 2.0 * np.pi and 0.0 < camera.pitch < np.pi / 2.0
    assert scene.radius < camera.distance < start
    assert camera.eye + camera.distance * camera.forward == pytest.approx(camera.target, abs=1e-12)


def test_a_key_held_down_pauses_once():
    scene = new_scene()
    keys = Controls(scene, camera_for(scene))
    keys.press("SPACE")
    assert not keys.press("SPACE", repeated=True) and scene.world.paused


def test_each_key_is_a_key_of_pygame_and_each_action_exists():
    pygame = pytest.importorskip("pygame")
    for name, _, action, _ in BINDINGS:
        assert hasattr(pygame, f"K_{name}") and callable(getattr(Controls, action))


def test_the_window_loop_obeys_events_and_resizing(monkeypatch, capsys):
    """In SDL's window without a display: the loop of the real window, keys and all."""
    pygame = pytest.importorskip("pygame")
    monkeypatch.setattr(context, "ATTEMPTS", {"window": context.ATTEMPTS["SDL offscreen window"]})
    opened = context.open_canvas(SMALL, "probe", window=True)
    if opened.context is None:
        pytest.skip(f"no SDL window without a display: {opened.reasons}")
    opened.close()
    keys = [pygame.K_SPACE, pygame.K_PERIOD, pygame.K_PERIOD, pygame.K_g, pygame.K_i, pygame.K_h]
    events = [[pygame.event.Event(pygame.KEYDOWN, key=key), pygame.event.Event(pygame.KEYUP, key=key)] for key in keys]
    events += [
        [pygame.event.Event(pygame.VIDEORESIZE, w=400, h=300, size=(400, 300))],
        [
            pygame.event.Event(pygame.MOUSEMOTION, rel=(9, 4), buttons=(1, 0, 0)),
            pygame.event.Event(pygame.MOUSEWHEEL, y=1),
        ],
        [],
        [pygame.event.Event(pygame.QUIT)],
    ]
    monkeypatch.setattr(pygame.event, "get", lambda: events.pop(0))
    wanted = tumble.read_options(["--size", "320x180"])
    scene = tumble.Tumble(wanted)
    assert application.run("tumble", scene, wanted) == 0
    assert scene.world.paused and scene.world.game_mode and scene.world.tick_count >= 2
    assert scene.world.integrator.name != tumble.Tumble(wanted).world.integrator.name
    assert not pygame.display.get_init() and os.environ.get("SDL_VIDEODRIVER") != "offscreen"
