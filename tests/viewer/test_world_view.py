"""Worlds of users: pictures without a display, a loop of one's own, and a window with keys."""

import numpy as np
import pytest

from engine import MassProperties, Recorder, World, forces, joints, shapes, viewer
from engine.viewer import meshes
from engine.viewer.gl import context
from engine.viewer.run import window
from engine.viewer.worlds.command import main as view_file
from engine.viewer.worlds.replay import replay
from engine.viewer.worlds.scene import WorldScene
from engine.viewer.worlds.solids import mesh_of

from ..viewing import SMALL, canvas, colours_in, read_png
from .test_viewer_window import ABOVE, Demo, display

__all__ = ["display"]


@pytest.fixture
def drawing():
    """The test is skipped where there is no OpenGL."""
    with canvas():
        pass


def new_world(place=(0.0, 0.0, 0.0)):
    world = World(dt=1 / 120)
    hull = MassProperties.box(2.0, (1.0, 2.0, 3.0))
    ship = world.add_body(hull, name="ship", position=place, angular_velocity_body=(0.1, 1.5, 0.2))
    return world, ship


def pixels_near(image, colour, tolerance=60):
    return (np.abs(image.astype(int) - colour).max(axis=-1) < tolerance).sum()


AMBER, CYAN = (255, 176, 0), (64, 208, 240)


def test_a_picture_is_drawn_without_a_display(drawing):
    world, ship = new_world()
    before = world.state_hash()
    image = viewer.render(world, (320, 180), follow=ship)
    assert image.shape == (180, 320, 3) and image.dtype == np.uint8
    assert colours_in(image) > 500
    assert pixels_near(image, AMBER) > 20 and pixels_near(image, CYAN) > 20
    assert world.state_hash() == before, "drawing only reads the world"


def test_hidden_layers_are_not_drawn(drawing):
    world, ship = new_world()
    image = viewer.render(world, SMALL, follow=ship, hide=("momentum", "rates", "body axes"))
    assert pixels_near(image, AMBER) == 0


def test_a_picture_far_from_the_origin_is_the_same(drawing):
    """Positions are subtracted in float64: at 10⁹ m, a float32 would be 64 m off."""
    near, far = (viewer.render(new_world(place)[0], SMALL) for place in ((0, 0, 0), (1e9, -1e9, 1e9)))
    assert np.abs(near.astype(int) - far).max() <= 2


def test_the_followed_body_is_in_the_middle(drawing):
    world, _ = new_world((5.0, 0.0, 0.0))
    world.add_body(MassProperties.sphere(1.0, 0.5), name="ball", position=(-5.0, 0.0, 0.0))
    camera = viewer.Camera(distance=12.0)
    seen = {}
    for name in ("ship", "ball"):
        image = viewer.render(world, SMALL, camera, follow=name, hide=("momentum", "rates", "body axes", "trails"))
        assert np.allclose(camera.target, world.body(name).position)
        bright = image.max(axis=-1)
        seen[name] = bright[60:120, 120:200].mean()
    assert seen["ship"] > 1.2 * seen["ball"], "the ship fills more of the middle than the ball"


def scene_of(world, given=None, follow=None):
    return WorldScene(world, given or {}, follow)


def test_bodies_without_a_shape_are_their_boxes_about_the_mass_centre():
    world = World(0.01)
    hull = MassProperties.box(2.0, (1.0, 2.0, 3.0)).moved((0.5, 0.0, 0.0), (0, 0, 0, 1))
    body = world.add_body(hull, position=(1.0, 0.0, 0.0))
    scene = scene_of(world, follow=body)
    box = shapes.equivalent_box(2.0, hull.inertia_body, (0.5, 0.0, 0.0))
    (model,) = scene.picture().models
    assert model.mesh == mesh_of(box) and scene.radius == pytest.approx(np.sqrt(14.0) / 2.0)
    assert np.allclose(model.position + model.matrix @ hull.center_of_mass_body, body.position)
    assert np.allclose(scene.target, body.position)


def test_open_jets_show_flames_that_point_against_their_thrust():
    world, ship = new_world()
    jet = world.add_force(forces.Thruster(ship, position=(0, 0, -1.5), direction=(0, 0, 1), max_force=4.0))
    bank = world.add_force(
        forces.ThrusterBank(ship, positions=[(1, 0, 0), (-1, 0, 0)], directions=[(0, 1, 0), (0, -1, 0)], max_forces=2.0)
    )
    scene = scene_of(world)
    assert not scene.picture().plumes
    jet.throttle, bank.throttle = 0.25, (0.0, 1.0)
    plumes = scene.picture().plumes
    assert [plume.throttle for plume in plumes] == [0.25, 1.0]
    assert np.allclose(plumes[0].direction, (0, 0, -1)) and np.allclose(plumes[1].direction, (0, 1, 0))
    assert np.allclose(plumes[1].position, (-1, 0, 0))
    jet.enabled = False
    assert len(scene.picture().plumes) == 1


def test_joints_show_their_axes():
    world, ship = new_world()
    world.add_joint(joints.Hinge(ship, at_body=(0, 0, 1.5), axis_body=(0, 1, 0)))
    lines = scene_of(world).picture().lines
    axes = [line.points[1] - line.points[0] for line in lines if len(line.points) == 2]
    assert any(np.linalg.norm(np.cross(axis, (0, 1, 0))) < 1e-12 * np.linalg.norm(axis) for axis in axes)


def test_a_removed_body_is_not_drawn_any_more():
    world, ship = new_world()
    other = world.add_body(MassProperties.sphere(1.0, 0.5), position=(4, 0, 0))
    scene = scene_of(world, follow=other)
    assert len(scene.picture().models) == 2
    world.remove_body(other)
    assert len(scene.picture().models) == 1 and np.allclose(scene.target, ship.position)
    assert not scene.sample().rates.any()


def test_restarting_keeps_the_method_and_the_pace():
    world, _ = new_world()
    scene, before = scene_of(world), world.state_hash()
    scene.note_beginning()
    world.integrator, world.time_scale = "rk4", 4.0
    world.step(20)
    scene.reset()
    assert world.tick_count == 0 and world.time_scale == 4.0 and world.integrator.name == "rk4"
    world.integrator = World(0.01).integrator
    assert world.state_hash() == before


def test_a_loop_of_ones_own_draws_and_follows_events(monkeypatch):
    pygame = pytest.importorskip("pygame")
    monkeypatch.setattr(context, "ATTEMPTS", {"window": context.ATTEMPTS["SDL offscreen window"]})
    world, ship = new_world()
    try:
        opened = viewer.Viewer(world, follow=ship, size=SMALL)
    except RuntimeError as error:
        pytest.skip(str(error))
    with opened:
        yaw, distance = opened.camera.yaw, opened.camera.distance
        pygame.event.clear()
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_x))
        pygame.event.post(pygame.event.Event(pygame.MOUSEMOTION, rel=(40, 0), buttons=(1, 0, 0), pos=(0, 0)))
        pygame.event.post(pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=1))
        keys = [event.key for event in opened.events() if event.type == pygame.KEYDOWN]
        assert keys == [pygame.K_x] and opened.camera.yaw != yaw and opened.camera.distance < distance
        opened.draw()
        first = opened.image()
        for _ in range(30):
            world.advance(1 / 60)
        opened.draw()
        assert (opened.image() != first).any() and opened.is_open
        pygame.event.post(pygame.event.Event(pygame.QUIT))
        opened.events()
        assert not opened.is_open
    with pytest.raises(ValueError, match="closed"):
        opened.draw()
    opened.close()


class Signal(viewer.Scene):
    """A scene with an arrow, a curve, a panel with words, a key, and nothing that it need not have."""

    keys = (("f", "F", "flash", "a flash"),)

    def __init__(self):
        self.world, self.flashes = new_world()[0], 0
        self.radius = 2.0

    def picture(self):
        drawing, origin = viewer.drawing, self.world.bodies[0].position
        return drawing.Picture(
            arrows=[drawing.Arrow(origin, (0.0, 0.0, 2.0), drawing.colours.MOMENTUM, "up", 0.1, layer="momentum")],
            lines=[drawing.Line(np.array([(-2.0, 0, 0), (2.0, 0, 0)]), drawing.colours.RATES, 6.0, layer="trails")],
            gauges=[drawing.Gauge("flashes", 0.5, "half")],
            title="a signal",
            status=["all is well"],
        )

    def act(self, action):
        self.flashes += action == "flash"
        return "flash"


def test_a_scene_draws_itself(drawing):
    scene = Signal()
    image = viewer.render(scene, (320, 180))
    assert pixels_near(image, AMBER) > 20 and pixels_near(image, CYAN) > 20
    assert pixels_near(viewer.render(scene, (320, 180), hide=("momentum",)), AMBER) == 0
    assert pixels_near(viewer.render(scene, (320, 180), hide=("trails",)), CYAN) < pixels_near(image, CYAN) - 50
    assert scene.world.tick_count == 0


def test_the_display_over_a_picture_of_a_scene(drawing):
    with viewer.Viewer(Signal(), size=(1280, 720), window=False) as opened:
        pictures = {}
        for level in ("off", "line", "full"):
            opened.draw(hud=level)
            pictures[level] = opened.image().astype(int)
    changed = {level: (np.abs(pictures[level] - pictures["off"]).max(axis=-1) > 8) for level in ("line", "full")}
    assert 50 < changed["line"].sum() < changed["full"].sum()
    assert changed["line"][:80, :400].any() and not changed["line"][160:].any(), "title and time are at the top"


def test_a_camera_keeps_its_own_axes(drawing):
    """Seen with x up, the box is another picture, and is seen so again."""
    world, ship = new_world()
    tilted = viewer.Camera(distance=12.0, axes=np.roll(np.eye(3), 1, axis=0))
    images = [
        viewer.render(world, SMALL, camera, follow=ship) for camera in (viewer.Camera(distance=12.0), tilted, tilted)
    ]
    assert (images[0] != images[1]).any() and (images[1] == images[2]).all()


def test_a_window_of_a_scene_has_its_keys_its_display_and_its_layers(monkeypatch):
    shown = {}

    def show(scene, camera, gl, size, quality, *, level, hidden, orbit):
        shown.update(scene=scene, size=size, quality=quality, level=level, hidden=list(hidden), orbit=orbit)
        keyboard = window.Keyboard(window.Controls(scene, camera))
        keyboard.handle(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_f, mod=0, unicode="f"))
        keyboard.handle(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_SPACE, mod=0, unicode=" "))

    pygame = pytest.importorskip("pygame")
    monkeypatch.setattr(context, "ATTEMPTS", {"window": context.ATTEMPTS["SDL offscreen window"]})
    monkeypatch.setattr(window, "show", show)
    scene = Signal()
    try:
        viewer.view(scene, size=SMALL, quality="low", hud="line", hide=["trails"], orbit=3)
    except RuntimeError as error:
        pytest.skip(str(error))
    assert shown == dict(scene=scene, size=SMALL, quality="low", level="line", hidden=["trails"], orbit=3.0)
    assert scene.flashes == 1 and scene.world.paused


def test_what_a_scene_need_not_have_is_there():
    scene = Signal()
    assert isinstance(scene, viewer.Scene) and not isinstance(scene.world, viewer.Scene)
    assert scene.target.tolist() == [0.0, 0.0, 0.0] and scene.wide == 1.0 and scene.check() == []
    assert scene.sample().time == 0.0 and scene.reset() is scene.next_case() is None
    with pytest.raises(NotImplementedError):
        super(Signal, scene).picture()


@pytest.mark.parametrize(
    ("options", "kind", "named"),
    [
        ({"shapes": {}}, ValueError, "viewer.view: shapes must be None beside a scene"),
        ({"follow": "ship"}, ValueError, "viewer.view: follow must be None beside a scene"),
        ({"quality": "best"}, ValueError, "viewer.view: quality"),
        ({"hud": "all"}, ValueError, "viewer.view: hud"),
        ({"hide": ["clouds"]}, TypeError, "viewer.view: hide"),
        ({"orbit": "fast"}, TypeError, "viewer.view: orbit"),
    ],
)
def test_what_a_window_of_a_scene_cannot_take_is_named(options, kind, named):
    with pytest.raises(kind, match=named):
        viewer.view(Signal(), **options)


def test_a_record_is_played_with_its_own_poses():
    world, _ = new_world()
    record = Recorder(world, every=12)
    world.step(240)
    again = replay(record, "test")
    assert np.array_equal(again.state.orientation[0], record.orientation[0, 0])
    for _ in range(60):
        again.step()
    assert again.time == pytest.approx(1.0)
    assert np.allclose(again.state.orientation[0], record.orientation[10, 0], atol=1e-12)
    again.step(500)
    assert np.allclose(again.state.orientation[0], record.orientation[-1, 0], atol=1e-12), "the last sample stays"


@pytest.mark.parametrize("kind", ["scene", "record"])
def test_the_command_draws_scenes_and_records(kind, drawing, tmp_path, capsys):
    world, _ = new_world()
    path, out = tmp_path / "flight", tmp_path / "picture.png"
    if kind == "scene":
        world.save(path)
    else:
        record = Recorder(world, path=path)
        world.step(10)
        record.stop()
    assert view_file([str(path), "--out", str(out), "--size", "320x180", "--follow", "ship"]) == 0
    image = read_png(out)
    assert image.shape == (180, 320, 3) and pixels_near(image, AMBER) > 20
    assert view_file([str(tmp_path / "nothing"), "--out", str(out)]) == 1
    assert "nothing" in capsys.readouterr().err
    assert view_file([str(path), "--out", str(out), "--follow", "moon"]) == 1
    assert "viewer.render: follow must be" in capsys.readouterr().err


def test_without_a_display_the_command_names_the_option_that_draws_a_picture(drawing, tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    world, _ = new_world()
    world.save(tmp_path / "scene.json")
    assert view_file([str(tmp_path / "scene.json")]) == 1
    assert "no window can be opened; viewer.render, or polhode view --out FILE.png" in capsys.readouterr().err


def test_a_window_onto_a_world_obeys_the_keys(display, tmp_path):
    world, _ = new_world()
    path = tmp_path / "ship.json"
    world.save(path)
    with Demo(display, "view", str(path), "--size", "640x360") as demo:
        first = demo.until(lambda seen: colours_in(seen) > 500, "the window is drawn")
        demo.until(lambda seen: (seen != first).any(), "the ship turns")
        demo.press("space")
        paused = demo.at_rest()
        demo.press("period")
        demo.until(lambda seen: (seen[ABOVE] != paused[ABOVE]).any(), "one tick is taken")
        stepped = demo.at_rest()
        demo.press("BackSpace")
        demo.until(lambda seen: (seen[ABOVE] != stepped[ABOVE]).any(), "it goes back in time")
        demo.press("q")
        assert demo.process.wait(120) == 0


@pytest.mark.parametrize(
    ("options", "kind", "named"),
    [
        ({"size": (3, 4)}, ValueError, "viewer.render: size"),
        ({"size": 100}, TypeError, "viewer.render: size"),
        ({"size": (100.0, 50.0)}, TypeError, "viewer.render: size"),
        ({"camera": (0, 0, 5)}, TypeError, "viewer.render: camera"),
        ({"follow": "moon"}, ValueError, "viewer.render: follow"),
        ({"follow": 0}, TypeError, "viewer.render: follow"),
        ({"follow": new_world()[1]}, ValueError, "viewer.render: follow"),
        ({"shapes": [1]}, TypeError, "viewer.render: shapes"),
        ({"shapes": {"moon": shapes.Sphere(1.0)}}, ValueError, "viewer.render: shapes"),
        ({"shapes": {"ship": 3}}, TypeError, "viewer.render: shapes"),
        ({"hide": ("clouds",)}, TypeError, "viewer.render: hide"),
        ({"hud": "half"}, ValueError, "viewer.render: hud"),
    ],
)
def test_bad_arguments_are_named(options, kind, named, drawing):
    world, _ = new_world()
    with pytest.raises(kind, match=named):
        viewer.render(world, **options)
    with pytest.raises(TypeError, match=r"viewer\.view: world"):
        viewer.view(3)


def test_shapes_of_the_world_are_drawn_where_they_are_and_sensors_shine_through():
    """Between two ticks, as bodies are: a ball that flies beside a shape which moves alike stays beside it."""
    world = World(1 / 64)
    gate = world.add_shape(shapes.Box((0.2, 3.0, 3.0)), position=(2.0, 0.0, 0.0), sensor=True)
    door = world.add_shape(shapes.Box((0.2, 2.0, 1.0)), position=(0.0, 5.0, 0.0))
    world.add_shape(shapes.HeightField(np.zeros((3, 3)), spacing=1.0), position=(0.0, 0.0, -9.0))
    door.velocity, door.angular_velocity_world = (4.0, 0.0, 0.0), (0.0, 0.0, 2.0)
    ball = world.add_body(MassProperties.sphere(1.0, 0.1), position=(0.0, 7.0, 0.0), velocity=(4.0, 0.0, 0.0))
    ball.angular_velocity_world = (0.0, 0.0, 2.0)
    ball.add_shape(shapes.Sphere(0.1))
    ball.add_shape(shapes.Sphere(3.0), sensor=True)
    scene = scene_of(world)
    for _ in range(5):
        models = scene.picture().models
        assert [model.opacity for model in models] == [0.25, 1.0, 1.0, 1.0]
        assert models[3].position - models[1].position == pytest.approx([0.0, 2.0, 0.0], abs=1e-12)
        assert models[3].matrix == pytest.approx(models[1].matrix, abs=1e-12)
        corners = meshes.triangles(models[3].mesh)[:, :3]
        assert np.linalg.norm(corners, axis=1).max() < 0.11  # the sensor of the ball is not drawn
        world.advance(0.7 / 64)
    assert models[1].position[0] > 0.1
    gate.sensor = False
    assert scene.picture().models[0].opacity == 1.0
