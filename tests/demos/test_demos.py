"""The demos run on any machine: their command line, and their behaviour if something is missing."""

import re
import subprocess
import sys
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pytest

from demos import tumble
from demos.__main__ import main
from demos.commands import flip, gallery
from engine import rotation
from engine.viewer.files.png import write_png
from engine.viewer.gl import context
from engine.viewer.picture import colours
from engine.viewer.run import application, options

from ..helpers import PATIENCE
from ..lengths import long_run, sized
from ..viewing import canvas, looks_like_the_scene, read_png

ROOT = Path(__file__).parents[2]


def test_the_list_has_a_line_for_each_demo_and_command():
    listing = subprocess.run(
        [sys.executable, "-m", "demos"], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, encoding="utf-8"
    )
    assert listing.returncode == 0, listing.stderr
    lines = [line.split(maxsplit=4) for line in listing.stdout.splitlines() if "python -m" in line]
    said = {name: summary for _, _, _, name, summary in lines}
    assert {"campaign", "doctor", "pictures", "plot", "prepare", "view"} | {
        path.stem for path in (ROOT / "demos").glob("[!_]*.py")
    } == {
        *said,
        "drawing",
        "internals",
        "physics",
        "running",
    }
    assert said["tumble"].startswith("A spacecraft tumbles freely") and len(said) == len(lines)


@pytest.mark.parametrize(
    ("name", "hint"), [("tumbel", "did you mean tumble?"), ("zzz", "tumble, campaign, doctor, pictures, prepare, plot")]
)
def test_an_unknown_demo_is_answered_with_a_hint_and_status_2(name, hint, capsys):
    assert main([name]) == 2
    said = capsys.readouterr()
    assert hint in said.err and said.out == ""


def test_one_command_draws_all_pictures_of_the_readme(tmp_path, capsys, monkeypatch):
    """The first one in `.ci/run`."""
    monkeypatch.setattr(gallery, "PICTURES", dict(list(gallery.PICTURES.items())[: sized(1, None)]))
    with canvas():
        pass
    assert gallery.draw(tmp_path, "--frames", "2", "--quality", "low") == 0
    assert {path.name for path in tmp_path.iterdir()} == set(gallery.PICTURES)
    assert all(decoded(tmp_path / name).std() > 5.0 for name in gallery.PICTURES)  # none is blank
    assert capsys.readouterr().out.count("960 × 540 pixels") == len(gallery.PICTURES)


def decoded(path):
    """A WebP as an image, by a decoder that is not the viewer's."""
    av = pytest.importorskip("av")
    with av.open(str(path)) as file:
        return next(file.decode(video=0)).to_ndarray(format="rgb24")


def test_a_compressed_picture_is_the_picture(tmp_path):
    """Squares of 30 pixels, in their middles to 8 of 255 levels (measured 3)."""
    pytest.importorskip("av")
    colours = np.random.default_rng(1).integers(0, 256, (4, 4, 3), np.uint8)
    image = np.repeat(np.repeat(colours, 30, axis=0), 30, axis=1)
    write_png(tmp_path / "a.png", image)
    gallery.compress(tmp_path / "a.png", tmp_path / "a.webp")
    difference = decoded(tmp_path / "a.webp")[15::30, 15::30].astype(int) - image[15::30, 15::30]
    assert np.abs(difference).max() <= 8


def test_the_gallery_shows_each_picture_and_the_readme_those_that_it_has_with_command_and_source():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for file, (demo, _) in gallery.PICTURES.items():
        page = (ROOT / "docs" / "gallery" / f"{demo}.md").read_text(encoding="utf-8")
        assert f"](../../demos/pictures/{file})" in page and f"polhode {demo}" in page, file
        if f'<img src="demos/pictures/{file}"' in readme:
            assert re.search(rf"`polhode {demo}`[^|]*\]\(demos/{demo}\.py\)", readme), demo
    assert readme.count('<img src="demos/pictures/') >= 8
    assert f"](demos/pictures/{gallery.FLIP})" in readme


def test_the_moving_picture_shows_a_flip_and_a_body_in_game_mode_that_never_flips():
    """Nose against L, from 10 degrees to beyond 150; in game mode it stays near L, which keeps its length and changes its direction."""
    exact, game = flip.pair()
    start = exact.body.angular_momentum_world
    angles, wobbles = {exact: [], game: []}, []
    for _ in range(flip.FRAMES):
        for craft, found in angles.items():
            craft.world.step(flip.TICKS_PER_FRAME)
            nose = craft.body.direction_to_world((0.0, 0.0, 1.0))
            found.append(rotation_angle(nose, start))
        wobbles.append(rotation_angle(game.body.angular_momentum_world, start))
    assert angles[exact][0] < 15.0 and max(angles[exact]) > 150.0 > 90.0 > max(angles[game])
    assert exact.body.angular_momentum_world == pytest.approx(start, rel=1e-12, abs=1e-9)
    assert max(wobbles) > 3.0


def test_the_moving_picture_is_a_loop():
    """After all frames both craft have the orientations of the first one, to 1e-8 rad, and their paths are the same."""
    for craft in flip.pair():
        before, drawn = craft.body.orientation, craft.picture()
        craft.world.step(flip.FRAMES * flip.TICKS_PER_FRAME)
        assert rotation.angle_between(craft.body.orientation, before) < 1e-8
        for line, again in zip(drawn.lines, craft.picture().lines, strict=True):
            assert again.points == pytest.approx(line.points, abs=1e-7)
    assert flip.TEXT_HEIGHT >= 18


def rotation_angle(a, b):
    """The angle between two vectors [degree]."""
    return np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b)), np.dot(a, b)))


@long_run
def test_the_moving_picture_is_written_frame_by_frame(tmp_path, capsys):
    with canvas():
        pass
    assert flip.draw(tmp_path / "a.webp", 3) == 0
    assert (tmp_path / "a.webp").read_bytes().count(b"ANMF") == 3
    assert "a.webp" in capsys.readouterr().out


def test_without_opengl_there_is_no_moving_picture(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(context, "ATTEMPTS", {})
    assert flip.draw(tmp_path / "a.webp", 3) == 1
    assert "OpenGL is not available" in capsys.readouterr().err and not (tmp_path / "a.webp").exists()


def test_the_command_for_the_pictures_takes_a_folder_and_nothing_else(tmp_path, capsys, monkeypatch):
    drawn = []
    monkeypatch.setattr(gallery, "draw", lambda folder, **_: drawn.append(folder) or 0)
    monkeypatch.setattr(flip, "draw", lambda path: drawn.append(path) or 0)
    assert main(["pictures"]) == 0 and main(["pictures", str(tmp_path)]) == 0
    pictures = Path("demos/pictures")
    assert drawn == [pictures, pictures / "flip.webp", tmp_path, tmp_path / "flip.webp"]
    monkeypatch.setattr(gallery, "draw_clips", lambda folder, *_: drawn.append(folder) or 0)
    assert main(["pictures", "--clips"]) == 0 and drawn[-1] == pictures / "clips"
    assert main(["pictures", "--size", "9x9"]) == 2 and "[FOLDER]" in capsys.readouterr().err
    assert main(["pictures", "--only", "tumbel"]) == 2 and "'tumble'" in capsys.readouterr().err


def test_the_command_for_the_pictures_passes_the_options_of_the_picture_on(tmp_path, monkeypatch):
    """To stills and to clips of the named demos; a game that draws itself gets none."""
    asked = []
    monkeypatch.setattr(gallery, "_run", lambda demo, words: asked.append((demo, " ".join(words))) or 0)
    monkeypatch.setattr(gallery, "compress", lambda *_: None)
    films = []
    monkeypatch.setattr(gallery, "compress_film", lambda _, path: films.append(path))
    options = ["--hud", "line", "--hide", "rates,trails", "--orbit", "-5"]
    assert main(["pictures", str(tmp_path), "--only", "top", "embed", *options]) == 0
    assert main(["pictures", str(tmp_path), "--clips", *options, "--only", "swarm", "embed"]) == 0
    (top, still), (embed, game), (swarm, clip), (again, recorded) = asked
    assert (top, embed, swarm, again) == ("top", "embed", "swarm", "embed")
    assert "--hud=line --hide=rates,trails --orbit=-5" in still and "--hud=line --hide=rates,trails" in clip
    assert "hud" not in game and "hud" not in recorded and "--record" in clip and "--out" in still
    skip, count = gallery.CLIPS["swarm"]
    assert f"--skip {skip} --every {gallery.CLIP_EVERY} --frames {count} " in clip
    assert films == [tmp_path / "swarm.mp4", tmp_path / "embed.mp4"]


def test_a_clip_with_a_turning_camera_is_recorded(tmp_path):
    pytest.importorskip("av")
    with canvas():
        pass
    more = ("--frames", "3", "--size", "160x90", "--quality", "low")
    assert gallery.draw_clips(tmp_path, ["tumble"], ["--hud=line", "--orbit=20"], *more) == 0
    import av

    with av.open(str(tmp_path / "tumble.mp4")) as clip:
        times = [frame.time for frame in clip.decode(video=0)]
    assert times == pytest.approx([0.0, 1 / 15, 2 / 15], abs=1e-3)


def test_a_clip_has_the_best_quality_that_its_bytes_allow(tmp_path, monkeypatch):
    """Of the factors 22, 24, …, the first with which noise fits; what does not fit at all has the last."""
    pytest.importorskip("av")
    film, path = tmp_path / "film.mp4", tmp_path / "clip.mp4"
    noise = np.random.default_rng(1).integers(0, 256, (4, 90, 160, 3), dtype=np.uint8)
    with gallery.Clip(film, (160, 90)) as clip:
        for image in noise:
            clip.append(image)
    sizes = {}
    for limit in (10**9, 1):
        monkeypatch.setattr(gallery, "CLIP_BYTES", limit)
        gallery.compress_film(film, path)
        sizes[limit] = path.stat().st_size
    assert sizes[1] < 0.5 * sizes[10**9]
    monkeypatch.setattr(gallery, "CLIP_BYTES", sizes[10**9] - 1)
    gallery.compress_film(film, path)
    assert sizes[1] < path.stat().st_size < sizes[10**9]


def test_the_camera_stands_where_it_is_told(tmp_path):
    wanted = tumble.read_options(["--camera", "-30,12.5,3"])
    scene = tumble.Tumble(wanted)
    camera = application.camera_for(scene, wanted.camera)
    assert np.degrees([camera.yaw, camera.pitch]) == pytest.approx([-30.0, 12.5])
    assert np.linalg.norm(camera.eye - scene.target) == pytest.approx(3.0 * scene.radius)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("--case nonesuch", "nonesuch"),
        ("--case ganapathi-flip", "--allow-unphysical"),
        ("--inertia 2,8,4", "--allow-unphysical"),
        ("--inertia 1 2", "3 principal moments or the 9 numbers"),
        ("--inertia 1 2 x", "must be numbers"),
        ("--inertia 1 2 nan", "must be numbers"),
        ("--inertia 0 1 1", "inertia about every axis"),
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
        ("--record film.avi", "must end in .mp4, .webp, .gif"),
        ("--record film.mp4 --size 321x180", "even width and height"),
        ("--quality ultra", "'auto'"),
        ("--camera 10,20", "YAW,PITCH,DISTANCE"),
        ("--camera 10,89,5", "up to 360 and 86"),
        ("--camera 10,20,nan", "1.2 to 50 radii"),
        ("--seed -3", "at least 0"),
        ("--frames 2.5", "whole number"),
        ("--integrator rk9", "rk4-world-rates"),
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


def test_a_picture_that_cannot_be_written_is_said_in_one_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(context, "ATTEMPTS", {})
    (tmp_path / "file").write_text("in the way")
    assert main(["tumble", "--headless", "--frames", "2", "--out", str(tmp_path / "file" / "a.png")]) == 1
    assert "cannot write" in capsys.readouterr().err


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


@pytest.mark.parametrize("missing", [("moderngl",), ("moderngl", "pygame", "pyrr")])
def test_without_the_packages_the_telemetry_is_written_and_they_are_named(missing, tmp_path, capsys, monkeypatch):
    for package in missing:
        monkeypatch.setitem(sys.modules, package, None)
    assert main(["tumble", "--headless", "--frames", "30", "--size", "640x480", "--out", str(tmp_path / "a.png")]) == 0
    said = capsys.readouterr().out
    assert f'packages missing: {", ".join(missing)}; pip install -e ".[demos]"\n' in said
    assert "EGL: the package moderngl is missing" in said
    assert not (tmp_path / "a.png").exists()
    image = read_png(tmp_path / "a-telemetry.png")
    assert image.shape == (480, 640, 3)
    for colour in (*colours.RATES_XYZ, colours.ENERGY, colours.MOMENTUM):
        assert (image == np.rint(np.multiply(colour[:3], 255.0))).all(axis=-1).sum() > 100


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


def test_without_opengl_a_clip_asked_for_leaves_the_telemetry_of_as_long_a_flight(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(context, "ATTEMPTS", {})
    clip = tmp_path / "a.mp4"
    assert main(["tumble", "--record", str(clip), "--frames", "30", "--size", "640x480", "--quality", "low"]) == 0
    said = capsys.readouterr().out
    assert "OpenGL is not available" in said and "60 frames, 1.00 s of flight" in said
    assert not clip.exists() and read_png(tmp_path / "a-telemetry.png").shape == (480, 640, 3)


def test_the_options_are_typed_and_cannot_be_changed():
    wanted = tumble.read_options(["--inertia", "1", "2,2.5", "--camera", "10,20,5", "--size", "64x32"])
    assert isinstance(wanted, options.SceneOptions) and isinstance(wanted, options.Options)
    assert (wanted.inertia, wanted.camera, wanted.size) == ((1.0, 2.0, 2.5), (10.0, 20.0, 5.0), (64, 32))
    with pytest.raises(FrozenInstanceError):
        wanted.dt = 1.0
    scene = tumble.Tumble(wanted)
    scene.next_case()  # with its own tensor, without touching what was asked for
    assert wanted.inertia == (1.0, 2.0, 2.5) and scene.body.inertia_body[0, 0] != 1.0


@pytest.mark.parametrize("asked", [["--record", "b.gif"], ["--frames", "3"], ["--out", "b.png"], ["--headless"]])
def test_who_names_frames_or_a_file_wants_no_window(asked):
    assert tumble.read_options(asked).headless
    assert not tumble.read_options([]).headless


@long_run
def test_without_pygame_text_is_drawn_in_a_font_of_its_own(tmp_path):
    """In a process of its own: pygame, once imported, cannot be forgotten."""
    script = "import sys; sys.modules['pygame'] = None\nfrom demos.__main__ import main\nsys.exit(main(sys.argv[1:]))"
    arguments = ["tumble", "--headless", "--frames", "5", "--size", "320x180", "--out", str(tmp_path / "a.png")]
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--hud some", "--hud: invalid choice: 'some'"),
        ("--hide moons", "must be layers among body axes, rates, momentum, torques, thrust, trails"),
        ("--hide ,", "separated by commas; got ','"),
        ("--orbit fast", "must be a number of degrees per second from -360 to 360; got 'fast'"),
        ("--orbit nan", "got 'nan'"),
        ("--orbit -361", "got '-361'"),
    ],
)
def test_options_of_the_picture_are_checked(arguments, said, capsys):
    with pytest.raises(SystemExit):
        tumble.read_options(arguments.split())
    assert said in capsys.readouterr().err


@long_run
def test_options_of_the_picture_reach_it(tmp_path):
    """Without the display fewer pixels are bright in the upper corners, without the momentum no amber is left, and the camera turns."""
    with canvas():
        pass
    plain = "tumble --frames 30 --size 640x480 --quality low"

    def drawn(more):
        assert main([*plain.split(), *more, "--out", str(tmp_path / "a.png")]) == 0
        return read_png(tmp_path / "a.png").astype(int)

    full, bare = drawn([]), drawn(["--hud", "off"])
    assert (full[:120, :250].max(axis=-1) > 180).sum() > 5 * (bare[:120, :250].max(axis=-1) > 180).sum()
    amber = np.multiply(colours.MOMENTUM[:3], 255)
    hidden = drawn(["--hud", "off", "--hide", "momentum,body  axes"])
    counts = [(np.abs(image - amber).max(axis=-1) < 40).sum() for image in (bare, hidden)]
    assert counts[0] > 50 > 10 * counts[1]
    turned = drawn(["--hud", "off", "--orbit", "90"])
    aside = drawn(["--hud", "off", "--camera", "83,17,5"])  # half a second at 90 degrees per second from 38 degrees
    assert np.abs(turned - aside).mean() < 1.0 < np.abs(turned - bare).mean()
