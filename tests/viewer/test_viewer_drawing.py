"""The viewer draws what it is given, changes nothing by drawing, and writes files that can be read again."""

import numpy as np
import pytest

from demos.__main__ import main
from engine import rotation
from engine.viewer.files.png import write_png
from engine.viewer.gl import context
from engine.viewer.gl.painter import Painter
from engine.viewer.gl.renderer import Renderer
from engine.viewer.picture.camera import OrbitCamera
from engine.viewer.picture.history import History
from engine.viewer.picture.quality import LOW
from engine.viewer.picture.trail import Trail
from engine.viewer.run import application

from ..lengths import sized
from ..viewing import SMALL, camera_for, canvas, fly, looks_like_the_scene, new_scene, read_png, scene_of


def test_the_headless_demo_writes_a_frame_of_the_size_asked_for(tmp_path, capsys):
    with canvas():
        pass
    out = tmp_path / "new" / "frame.png"
    assert main(["tumble", "--headless", "--frames", "40", "--size", "480x270", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert str(out) in said and "480 × 270" in said and "40 frames, 0.67 s" in said and "checked" in said
    image = read_png(out)
    assert image.shape == (270, 480, 3) and looks_like_the_scene(image)


@pytest.mark.parametrize("case", sized(["flip"], ["flip", "t-handle", "wedekind", "ganapathi-cone"]))
def test_drawing_leaves_the_world_as_it_was_to_the_last_bit(case):
    drawn, undrawn = (new_scene("--case", case, "--allow-unphysical") for _ in range(2))
    camera, images = camera_for(drawn), []
    with canvas() as opened:
        for _ in range(2):
            fly(undrawn, 14)
            fly(drawn, 14)
            before = drawn.world.state_hash()
            images.append(application.render(drawn, camera, opened.context, SMALL))
            assert drawn.world.state_hash() == before
    assert drawn.world.state_hash() == undrawn.world.state_hash()
    assert all(map(looks_like_the_scene, images)) and (images[0] != images[-1]).any()


@pytest.mark.parametrize(
    "name",
    sized(
        ["orbit", "arm"],
        ["top", "integrators", "swarm", "orbit", "detumble", "attitude", "approach", "dock", "arm"],
    ),
)
def test_no_demo_is_changed_by_being_drawn_with_its_hud(name):
    drawn, undrawn = scene_of(name), scene_of(name)
    with canvas() as opened:
        painter, history = Painter(opened.context, SMALL, LOW), History()
        for _ in range(3):
            fly(undrawn, 2)
            fly(drawn, 2)
            history.append(drawn.sample())
            painter.paint(drawn, camera_for(drawn), history, help_shown=True)
            assert drawn.world.state_hash() == undrawn.world.state_hash()
        assert painter.image().std() > 5.0


def test_a_picture_gives_back_what_it_took_of_the_graphics_card_even_where_it_fails(monkeypatch):
    released, release, scene = [], Painter.release, fly(new_scene(), 1)
    monkeypatch.setattr(Painter, "release", lambda painter: released.append(release(painter)))
    with canvas() as opened:
        application.render(scene, camera_for(scene), opened.context, SMALL, LOW)
        monkeypatch.setattr(Painter, "image", lambda painter: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            application.render(scene, camera_for(scene), opened.context, SMALL, LOW)
    assert len(released) == 2


def test_the_window_shows_the_frame_upright_and_whole_after_resizing():
    opened = context.open_canvas((640, 400), "test", window=False)
    if opened.kind != "SDL offscreen window":
        pytest.skip(f"no SDL window without a display: {opened.reasons}")
    scene = fly(new_scene("--case", "t-handle"), 90)
    renderer = Renderer(opened.context, (640, 400), LOW)
    for size in ((640, 400), (500, 300)):
        renderer.resize(size)
        renderer.draw(scene.picture(), camera_for(scene))
        renderer.show()
        shown = np.frombuffer(opened.context.screen.read(viewport=(0, 0, *size), components=3, alignment=1), np.uint8)
        assert (shown.reshape(size[1], size[0], 3)[::-1] == renderer.read()).all()
    opened.close()


def test_the_camera_shows_right_as_right_and_up_as_up():
    """Pins what is taken from pyrr: row vectors, a right-handed view, y down in pixels."""
    camera = OrbitCamera(yaw=0.7, pitch=0.3, distance=9.0, target=np.array([3.0, -2.0, 5.0]))
    middle = camera.project(camera.target, (800, 600))
    assert middle == pytest.approx((400.0, 300.0))
    right = np.cross(camera.forward, (0.0, 0.0, 1.0))
    assert camera.project(camera.target + right, (800, 600))[0] > 450.0
    assert camera.project(camera.target + np.array((0.0, 0.0, 1.0)), (800, 600))[1] < 250.0
    assert camera.project(camera.eye - camera.forward, (800, 600)) is None


def test_a_camera_in_other_axes_sees_what_one_in_the_worlds_sees_of_a_turned_scene():
    """The axes are a rotation R: the eye goes to R times its place, and a point R p is seen where p was."""
    turn = rotation.to_matrix(rotation.from_rotation_vector((0.4, -1.1, 0.7)))
    usual, turned = (OrbitCamera(0.7, 0.3, 9.0, axes=axes) for axes in (np.eye(3), turn))
    assert turned.eye == pytest.approx(turn @ usual.eye, abs=1e-14)
    for point in np.random.default_rng(3).normal(size=(5, 3)):
        assert turned.project(turn @ point, (800, 600)) == pytest.approx(usual.project(point, (800, 600)), abs=1e-9)
    for axis, other in zip(turned.half_picture(1.5), usual.half_picture(1.5), strict=True):
        assert axis == pytest.approx(turn @ other, abs=1e-14)


def test_far_from_the_origin_the_drawing_coordinates_stay_sharp():
    """A float32 of 1e9 m is known to 64 m; the difference to the eye is taken before the rounding."""
    target = np.array([1e9, -2e9, 5e8])
    points = np.array([[0.25, -1.5, 2.0], [0.2500002, -1.5, 2.0]])
    near, far = OrbitCamera(), OrbitCamera(target=target)
    assert (
        np.abs(far.relative(points + target) - near.relative(points)).max() < 1e-6
    )  # two units of float64 at 1e9, and of float32 at 12


def test_a_trail_keeps_its_newest_points_in_order():
    trail = Trail(5)
    for number in range(23):
        trail.append(np.full(3, float(number)))
    assert trail.points(np.full(3, 23.0))[:, 0].tolist() == [18.0, 19.0, 20.0, 21.0, 22.0, 23.0]


def test_a_written_picture_can_be_read_again(tmp_path):
    image = np.random.default_rng(5).integers(0, 256, (17, 31, 3), dtype=np.uint8)
    write_png(tmp_path / "a.png", image)
    assert (read_png(tmp_path / "a.png") == image).all()
