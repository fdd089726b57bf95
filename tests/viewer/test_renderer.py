"""The renderer draws things in the right place and light, independently of the distance from the origin, the tier and the history."""

from dataclasses import replace
from functools import cache

import moderngl
import numpy as np
import pytest

import demos.meshes  # noqa: F401, which gives the craft their names
from engine import rotation
from engine.viewer import meshes
from engine.viewer.gl import plumes
from engine.viewer.gl.context import open_canvas
from engine.viewer.gl.instances import arrow_rows
from engine.viewer.gl.lines import segments
from engine.viewer.gl.renderer import Renderer
from engine.viewer.hud.overlay import Patch
from engine.viewer.meshes.mesh_builder import GLOW, Material, MeshBuilder
from engine.viewer.picture.camera import OrbitCamera
from engine.viewer.picture.quality import HIGH, LOW, MEDIUM, SLOW_FRAME, TIERS, below
from engine.viewer.picture.scene import SUN, Arrow, Line, Model, Picture, Plume, Swarm

SIZE = (320, 180)
WALL = Material((0.5, 0.5, 0.5), 0.0, 0.9)
LAMP = Material((1.0, 0.7, 0.2), 0.0, 0.5, GLOW)
ORIGIN = np.zeros(3)
EMPTY = Picture()
AMBER, CYAN = (1.0, 0.66, 0.16, 1.0), (0.2, 0.9, 0.9, 1.0)
SKEW = np.array([0.3, -0.8, 0.5])


@pytest.fixture(scope="module")
def gl():
    canvas = open_canvas(SIZE, "test", window=False)
    if canvas.context is None:
        pytest.skip(f"no OpenGL on this machine: {canvas.reasons}")
    yield canvas.context
    renderer_of(canvas.context).release()
    canvas.close()


@pytest.fixture(autouse=True)
def solids(monkeypatch):
    """A wall of 2 × 2 m in x and y, a block of 1 m, a lamp of 0.4 m."""
    for name, material, size in (("wall", WALL, (2, 2, 0.1)), ("block", WALL, (1, 1, 1)), ("lamp", LAMP, (0.4,) * 3)):
        builder = MeshBuilder()
        builder.box(material, size)
        monkeypatch.setitem(meshes.MESHES, name, lambda builder=builder: builder)


def draw(gl, picture, camera=None, quality=HIGH, patches=(), size=SIZE):
    renderer = renderer_of(gl)
    renderer.resize(size, quality)
    renderer.draw(picture, camera or OrbitCamera(), patches)
    return renderer.read().astype(int)


@cache
def renderer_of(gl):
    """One for all tests: a frame does not depend on the frames and sizes before, which is a test below."""
    return Renderer(gl, SIZE)


def facing_the_sun():
    """A matrix whose z axis points at the sun."""
    across = np.cross(SUN, (0.0, 0.0, 1.0))
    across /= np.linalg.norm(across)
    return np.column_stack([across, np.cross(SUN, across), SUN])


def at(image, camera, point):
    """The pixel in which a world point appears."""
    across, down = camera.project(np.asarray(point, float), SIZE)
    return image[int(down), int(across)]


def busy(middle):
    """One of everything that is drawn, about a point of the world."""
    matrix = rotation.to_matrix(rotation.from_rotation_vector(SKEW))
    offsets = np.random.default_rng(3).uniform(-2.0, 2.0, (40, 3))
    turns = rotation.from_rotation_vector(np.random.default_rng(4).uniform(-2.0, 2.0, (40, 3)))
    return Picture(
        models=[Model("crate", middle, matrix)],
        swarms=[Swarm("dart", middle + offsets, turns, 0.2, np.linspace(0.0, 1.0, 40))],
        plumes=[Plume(middle + matrix @ (0.0, 0.0, -2.05), -matrix[:, 2], 0.34, 0.7)],
        arrows=[Arrow(middle, np.array([1.0, -1.5, 2.0]), AMBER, thickness=0.05)],
        lines=[Line(middle + np.linspace((-3.0, 1.0, -1.0), (2.0, 2.5, 1.5), 20), CYAN, 3.0)],
    )


@pytest.mark.parametrize("middle", [(1e9, -2e9, 3e9), (-7e8, 4e8, 2.5e9)])
def test_a_scene_a_billion_metres_from_the_origin_looks_the_same_to_a_pixel(gl, middle):
    """At 3e9 m float64 resolves 5e-7 m, a pixel is 0.04 m: what is left are edges that rounding moves across a sample."""
    near, far = (
        draw(gl, busy(place), OrbitCamera(distance=12.0, target=place)) for place in (ORIGIN, np.array(middle))
    )
    apart = np.abs(near - far).max(axis=2)
    assert (apart > 1).mean() < 1e-3


def test_a_wall_between_the_sun_and_another_darkens_it_and_only_there(gl):
    turn, camera = facing_the_sun(), OrbitCamera(yaw=0.9, pitch=0.35, distance=9.0)
    small = 0.4 * turn
    picture = Picture(models=[Model("wall", ORIGIN, turn), Model("wall", 1.5 * SUN, small)])
    lit, shaded = draw(gl, picture, camera, replace(HIGH, shadow_size=0)), draw(gl, picture, camera)
    front = 0.05 * SUN
    assert at(shaded, camera, front).sum() < 0.5 * at(lit, camera, front).sum()
    for beside in (0.55, -0.55):
        assert (
            np.abs(at(shaded, camera, front + beside * turn[:, 1]) - at(lit, camera, front + beside * turn[:, 1])).max()
            <= 2
        )


def test_a_block_alone_has_no_shadow_on_its_sunlit_faces(gl):
    """Acne would be stripes of shadow on it; seen from the sun's side, with faces at every slant to it."""
    for vector in ((0.3, 0.2, 0.9), (1.2, -0.4, 0.1), (-0.5, 2.0, 0.7)):
        picture = Picture(
            models=[Model("block", ORIGIN, rotation.to_matrix(rotation.from_rotation_vector(np.array(vector))))]
        )
        camera = OrbitCamera(yaw=1.3, pitch=0.3, distance=3.0)
        lit, shaded = draw(gl, picture, camera, replace(HIGH, shadow_size=0)), draw(gl, picture, camera)
        assert (np.abs(lit - shaded).max(axis=2) > 3).mean() < 1e-4  # five pixels, on edges


def test_a_shadow_begins_at_the_foot_of_what_casts_it(gl):
    """A slab 6 cm thick on a wall: 2 cm beside it, away from the sun, is dark; peter-panning would leave a lit gap."""
    turn = facing_the_sun() @ rotation.to_matrix(rotation.from_rotation_vector(np.array([1.0, 0.0, 0.0])))
    away = np.dot(SUN, turn[:, 2]) * turn[:, 2] - SUN
    away /= np.linalg.norm(away)
    across, along, up = turn[:, 2] + 0.8 * away
    camera = OrbitCamera(np.arctan2(along, across), np.arctan2(up, np.hypot(across, along)), 3.0)
    picture = Picture(models=[Model("wall", ORIGIN, turn), Model("block", 0.08 * turn[:, 2], turn * (0.5, 0.5, 0.06))])
    foot = 0.05 * turn[:, 2] + 0.27 * away
    lit, shaded = draw(gl, picture, camera, replace(HIGH, shadow_size=0)), draw(gl, picture, camera)
    assert at(shaded, camera, foot).sum() < 0.6 * at(lit, camera, foot).sum()


@pytest.mark.parametrize(
    "yaw, pitch", [(0.0, 0.0), (np.pi / 2, 0.1), (np.pi, 0.0), (-np.pi / 2, 0.1), (0.3, 1.3), (0.3, -1.3)]
)
def test_a_plume_is_seen_from_every_side(gl, yaw, pitch):
    camera = OrbitCamera(yaw, pitch, 12.0)
    picture = Picture(plumes=[Plume(ORIGIN, np.array([1.0, 0.0, 0.0]), 0.3, 1.0)])
    added = draw(gl, picture, camera) - draw(gl, EMPTY, camera)
    assert (added.max(axis=2) > 30).sum() > 60
    assert added.min() >= -2  # gas only adds light; dithering is one level


def test_a_plume_is_as_long_as_its_throttle_and_out_at_zero(gl):
    camera, lengths = OrbitCamera(0.0, 0.0, 16.0, np.array([0.0, 2.0, 0.0])), {}
    for throttle in (0.0, 0.3, 0.6, 0.9):
        picture = Picture(plumes=[Plume(ORIGIN, np.array([0.0, 1.0, 0.0]), 0.4, throttle)])
        added = (draw(gl, picture, camera, LOW) - draw(gl, EMPTY, camera, LOW)).max(axis=(0, 2))
        lengths[throttle] = (added > 12).sum()
    assert lengths[0.0] == 0
    assert lengths[0.6] > 1.3 * lengths[0.3] and lengths[0.9] > 1.15 * lengths[0.6]


def test_what_stands_before_a_plume_hides_it(gl):
    camera = OrbitCamera(0.0, 0.0, 12.0)
    plume = Plume(ORIGIN, np.array([0.0, 1.0, 0.0]), 0.2, 1.0)
    wall = Model("wall", np.array([2.0, 1.2, 0.0]), 2.0 * np.eye(3)[:, [1, 2, 0]])
    hidden = draw(gl, Picture(models=[wall], plumes=[plume]), camera, LOW)
    assert np.abs(hidden - draw(gl, Picture(models=[wall]), camera, LOW)).max() <= 1


def test_a_lamp_has_a_halo_where_there_is_bloom_and_none_without(gl):
    camera, picture = OrbitCamera(2.6, -0.3, 5.0), Picture(models=[Model("lamp", ORIGIN, np.eye(3))])
    beside = SIZE[1] // 2, SIZE[0] // 2 + 24
    for quality, glows in ((HIGH, True), (MEDIUM, True), (LOW, False)):
        added = (draw(gl, picture, camera, quality) - draw(gl, EMPTY, camera, quality))[beside].max()
        assert (added > 4) if glows else (abs(added) <= 1)


@pytest.mark.parametrize("quality", TIERS.values(), ids=TIERS)
@pytest.mark.parametrize("colour", [AMBER, CYAN, (1.0, 0.3, 0.28, 1.0), (0.38, 0.55, 1.0, 1.0)])
def test_arrows_and_lines_keep_their_colour(gl, quality, colour):
    """Through light and tone map and back; white stops at 94 %. Measured 1 level of 255, and 5 with bloom."""
    camera = OrbitCamera(2.6, -0.3, 10.0)
    right, up = camera.half_picture(1.0)
    arrow = Arrow(-1.5 * up, 2.5 * up, colour, thickness=0.12)
    line = Line(np.array([right, 6.0 * right]), colour, 8.0)
    image = draw(gl, Picture(arrows=[arrow], lines=[line]), camera, quality)
    wanted = 255.0 * np.minimum(colour[:3], 0.94)
    for point in (-0.5 * up, 3.0 * right):
        assert np.abs(at(image, camera, point) - wanted).max() < (8 if quality.bloom else 2)


def test_the_planet_is_where_the_picture_places_it(gl):
    """Full before the camera, which has the sun behind it; then behind the camera; then as always: one renderer draws the sky anew."""
    camera = OrbitCamera(float(np.arctan2(SUN[1], SUN[0])), float(np.arcsin(SUN[2])), 10.0)
    renderer = Renderer(gl, SIZE, LOW)
    try:
        brightness = []
        for planet in ((*camera.forward, 0.4), (*-camera.forward, 0.4), None):
            renderer.draw(Picture(planet=None if planet is None else np.array(planet)), camera)
            brightness.append(renderer.read().astype(int)[80:100, 150:170].mean())
    finally:
        renderer.release()
    assert brightness[0] > 60.0 and brightness[1] < 20.0
    assert abs(brightness[2] - draw(gl, EMPTY, camera, LOW)[80:100, 150:170].mean()) < 1e-9


def test_a_line_covers_what_lies_behind_it(gl):
    camera, wall = OrbitCamera(1.0, 0.2, 6.0), Model("wall", ORIGIN, facing_the_sun())
    line = Line(np.add(SUN, [(0.0, 0.0, -0.5), (0.0, 0.0, 0.5)]), (0.2, 0.5, 0.9, 1.0), 8.0)
    over, alone = (at(draw(gl, Picture(models=m, lines=[line]), camera, LOW), camera, SUN) for m in ([wall], []))
    assert np.abs(over - alone).max() <= 1


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_a_line_behind_a_solid_shines_through_it_as_far_as_it_should(gl, share):
    """Behind a wall it looks like one before it of that opacity; of no opacity, like none."""
    camera, wall = OrbitCamera(1.0, 0.2, 6.0), Model("wall", ORIGIN, facing_the_sun())
    colour, points = (0.05, 0.1, 1.0), np.array([(0.0, 0.0, -0.5), (0.0, 0.0, 0.5)])
    behind = Line(points - 0.2 * SUN, (*colour, 1.0), 8.0, behind=share)
    before = Line(points + 0.2 * SUN, (*colour, share), 8.0)
    through, thin = (
        at(draw(gl, Picture(models=[wall], lines=[line]), camera, LOW), camera, line.points.mean(axis=0))
        for line in (behind, before)
    )
    assert np.abs(through - thin).max() <= 3
    assert (through[2] > through[0] + 20) == (share > 0.0)


def test_what_only_explains_casts_no_shadow_and_leaves_that_of_the_craft_as_it_is(gl):
    camera = OrbitCamera(0.5, 0.3, 6.0)  # from beside the line to the sun
    craft = Model("block", ORIGIN, np.eye(3))
    beside = [Model("block", 2.0 * SUN, np.eye(3), casts_shadow=False)]
    lit = draw(gl, Picture(models=[craft]), camera)
    same = draw(gl, Picture(models=[*beside, craft]), camera)
    shaded = draw(gl, Picture(models=[Model("block", 2.0 * SUN, np.eye(3)), craft]), camera)
    sunny = 0.45 * SUN / np.abs(SUN).max()
    assert np.abs(at(lit, camera, sunny).astype(int) - at(same, camera, sunny)).max() <= 1
    assert at(shaded, camera, sunny).sum() < 0.8 * at(lit, camera, sunny).sum()


def test_a_swarm_looks_like_as_many_models(gl):
    positions = np.random.default_rng(5).uniform(-2.0, 2.0, (12, 3))
    turns = rotation.from_rotation_vector(np.random.default_rng(6).uniform(-2.0, 2.0, (12, 3)))
    models = [
        Model("dart", place, 0.4 * rotation.to_matrix(turn)) for place, turn in zip(positions, turns, strict=True)
    ]
    unshaded = replace(HIGH, shadow_size=0)  # swarms cast none
    together = draw(gl, Picture(swarms=[Swarm("dart", positions, turns, 0.4)]), quality=unshaded)
    assert np.abs(together - draw(gl, Picture(models=models), quality=unshaded)).max() <= 1


def test_a_frame_does_not_depend_on_the_frames_and_sizes_before(gl):
    picture, camera, other = busy(ORIGIN), OrbitCamera(), OrbitCamera(2.0, -0.4)
    renderer = Renderer(gl, (200, 100), LOW)
    renderer.draw(EMPTY, camera)
    renderer.resize(SIZE, HIGH)
    assert renderer.quality is HIGH
    for seen_from in (camera, other, camera):
        renderer.draw(picture, seen_from)
        assert (renderer.read() == draw(gl, picture, seen_from)).all()
    renderer.release()


def test_resizing_and_releasing_leave_nothing_on_the_graphics_card(gl, monkeypatch):
    made = []

    def counted(make):
        return lambda *given, **named: made.append(make(*given, **named)) or made[-1]

    for kind in (
        "buffer",
        "texture",
        "depth_texture",
        "renderbuffer",
        "depth_renderbuffer",
        "framebuffer",
        "program",
        "vertex_array",
    ):
        monkeypatch.setattr(type(gl), kind, counted(getattr(type(gl), kind)))

    def alive():
        return sum(not isinstance(resource.mglo, moderngl.InvalidObject) for resource in made)

    renderer = Renderer(gl, SIZE)
    renderer.draw(busy(ORIGIN), OrbitCamera(), [Patch(0, 0, np.zeros((4, 4, 4), np.uint8))])
    before = alive()
    for quality in (LOW, MEDIUM, HIGH):
        renderer.resize((200, 100), quality)
        renderer.resize(SIZE)
    assert 0 < alive() <= before
    renderer.release()
    assert alive() == 0 and len(made) > before


def test_patches_lie_on_the_finished_frame_in_their_own_colours(gl):
    pixels = np.full((6, 8, 4), (12, 200, 90, 255), np.uint8)
    image = draw(gl, busy(ORIGIN), patches=[Patch(20, 30, pixels)])
    assert (image[30:36, 20:28] == (12, 200, 90)).all()
    assert (image == draw(gl, busy(ORIGIN)))[:, 28:].all()


def test_patches_that_come_again_are_not_uploaded_again(gl, monkeypatch):
    renderer, made = Renderer(gl, SIZE, LOW), []
    kept, other = (np.full((6, 8, 4), (level, level, level, 255), np.uint8) for level in (200, 90))
    make = gl.texture
    monkeypatch.setattr(type(gl), "texture", lambda self, *a, **k: made.append(a) or make(*a, **k))
    for _ in range(3):
        renderer.draw(EMPTY, OrbitCamera(), [Patch(0, 0, kept), Patch(20, 0, kept)])
    assert len(made) == 1
    renderer.draw(EMPTY, OrbitCamera(), [Patch(0, 0, other)])
    assert len(made) == 1 and (renderer.read()[3, 3] == 90).all()
    renderer.release()


@pytest.mark.parametrize("pitch", [-1.5, -0.5, 0.0, 0.7, 1.5])
def test_the_sky_is_dark_and_has_stars(gl, pitch):
    """Away from the planet: most pixels near black, some bright; none of them a square dot of one colour."""
    image = draw(gl, EMPTY, OrbitCamera(3.4, -abs(pitch) - 0.07, 5.0)).max(axis=2)
    assert np.median(image) < 40 and 3 < (image > 90).sum() < 0.05 * image.size


def test_a_slow_tier_gives_way_to_the_one_below_and_a_fast_one_stays():
    slow, fast = [1.5 * SLOW_FRAME] * 12, [0.5 * SLOW_FRAME] * 12
    assert [below(tier, slow) for tier in (HIGH, MEDIUM, LOW)] == [MEDIUM, LOW, LOW]
    assert [below(tier, fast) for tier in (HIGH, MEDIUM, LOW)] == [HIGH, MEDIUM, LOW]
    assert below(HIGH, [*fast, 9.0]) is HIGH  # one hitch is no judgement


def test_an_arrow_ends_at_its_tip_and_has_no_rows_without_a_length():
    camera, vector = OrbitCamera(), np.array([0.4, -1.1, 2.0])
    (_, shaft), (_, head) = arrow_rows(Arrow(SKEW, vector, AMBER), camera)
    tip = head[0, :3] + head[0, 9:12]  # the third column is the image of the cone's height
    assert tip == pytest.approx(camera.relative(SKEW + vector), abs=1e-5)
    assert shaft[0, :3] + shaft[0, 9:12] == pytest.approx(head[0, :3], abs=1e-5)
    assert arrow_rows(Arrow(SKEW, ORIGIN, AMBER), camera) == []


def test_a_fading_line_comes_up_from_nothing():
    line = Line(np.zeros((5, 3)), AMBER, fades=True)
    rows = segments(np.arange(15, dtype=np.float32).reshape(5, 3), line, 1.0)
    assert rows[0, 15] == 0.0 and rows[-1, 19] == 1.0 and (np.diff(rows[:, 15]) > 0).all()


def light_of(image, background):
    """Sum of what is added to the picture, in levels of 255."""
    return float((image - background).clip(0).sum())


def test_craft_too_small_to_show_their_shape_give_about_the_light_of_the_whole_ones(gl):
    positions = np.random.default_rng(7).uniform(-60.0, 60.0, (400, 3))
    turns = rotation.from_rotation_vector(np.random.default_rng(8).uniform(-3.0, 3.0, (400, 3)))
    picture, camera = Picture(swarms=[Swarm("dart", positions, turns, 1.7)]), OrbitCamera(0.5, -0.6, 260.0)
    background = draw(gl, EMPTY, camera, MEDIUM)
    whole, specks = (
        light_of(draw(gl, picture, camera, replace(HIGH, shadow_size=0, bloom=False, speck=speck)), background)
        for speck in (0.0, 9.0)
    )
    assert 0.5 < specks / whole < 1.5


def test_a_plume_that_becomes_a_spark_keeps_its_light_and_grows_bluer(gl, monkeypatch):
    picture = Picture(plumes=[Plume(ORIGIN, np.array([0.0, 1.0, 0.0]), 0.3, 1.0)])
    camera = OrbitCamera(2.6, -0.3, 90.0)
    background, images = draw(gl, EMPTY, camera, LOW), []
    for finest in (0.0, 10.0):
        monkeypatch.setattr(plumes, "FINE", finest)
        images.append(draw(gl, picture, camera, LOW))
    shaped, spark = (light_of(image, background) for image in images)
    assert 0.4 < spark / shaped < 2.0
    redness = [
        light_of(image[..., 0], background[..., 0]) / light_of(image[..., 2], background[..., 2]) for image in images
    ]
    assert redness[1] < redness[0]


def test_the_sun_dazzles_unless_something_hides_it(gl):
    camera = OrbitCamera(np.arctan2(-SUN[1], -SUN[0]), np.arcsin(-SUN[2]), 6.0)
    wall = Picture(models=[Model("wall", ORIGIN, facing_the_sun())])
    for picture, dazzles in ((EMPTY, True), (wall, False)):
        glare = draw(gl, picture, camera) - draw(gl, picture, camera, replace(HIGH, bloom=False))
        middle = glare[SIZE[1] // 2 - 8 : SIZE[1] // 2 + 8, SIZE[0] // 2 - 8 : SIZE[0] // 2 + 8]
        assert (middle.max() > 15) if dazzles else (np.abs(glare).max() <= 2)


def test_a_plume_lights_the_side_of_a_wall_that_it_burns_on_and_not_the_other(gl):
    """Seen on the wall's night side, a metre beside the gas, which itself is narrower."""
    turn = facing_the_sun()
    wall, side = Model("wall", ORIGIN, 2.0 * turn), -turn[:, 2]
    beside = 1.2 * turn[:, 0]
    burning = Picture(models=[wall], plumes=[Plume(0.8 * side, turn[:, 1], 0.3, 0.5)])
    added = {}
    for name, towards in (("lit", side), ("behind", -side)):
        camera = OrbitCamera(np.arctan2(towards[1], towards[0]), np.arcsin(towards[2]), 9.0)
        images = [draw(gl, picture, camera, LOW) for picture in (burning, Picture(models=[wall]))]
        added[name] = (
            at(images[0], camera, beside + 0.1 * towards) - at(images[1], camera, beside + 0.1 * towards)
        ).max()
    assert added["lit"] > 12 and added["behind"] <= 1


# what light shines through


@pytest.mark.parametrize("quality", [HIGH, LOW], ids=lambda quality: quality.name)
def test_a_translucent_model_lies_between_none_and_a_solid_one(gl, quality):
    camera = OrbitCamera(1.0, 0.2, 6.0)
    seen = [
        draw(gl, Picture(models=[Model("block", 1.2 * SUN, np.eye(3), opacity=opacity)]), camera, quality)
        for opacity in (1e-6, 0.3, 0.6, 1.0)
    ]
    none, *pixels = (at(image, camera, 1.2 * SUN) for image in (draw(gl, EMPTY, camera, quality), *seen))
    assert np.abs(none - pixels[0]).max() <= 2
    assert (np.diff(pixels, axis=0) > 15).all(), pixels


def test_only_the_nearest_surfaces_of_a_translucent_model_are_seen(gl, monkeypatch):
    """A wall behind its wall, which is larger and so drawn first, adds nothing to it."""
    builder = MeshBuilder()
    builder.box(WALL, (3, 3, 0.1), (0, 0, -1.0))
    builder.box(WALL, (2, 2, 0.1))
    monkeypatch.setitem(meshes.MESHES, "two walls", lambda: builder)
    camera = OrbitCamera(1.0, 0.2, 6.0)
    one, two = (
        at(draw(gl, Picture(models=[Model(name, ORIGIN, facing_the_sun(), opacity=0.5)]), camera, LOW), camera, ORIGIN)
        for name in ("wall", "two walls")
    )
    assert np.abs(one - two).max() <= 1 < one.max() - 40


def test_a_translucent_model_casts_no_shadow(gl):
    camera = OrbitCamera(0.5, 0.3, 6.0)
    wall = Model("wall", ORIGIN, facing_the_sun())
    shades = [
        at(
            draw(gl, Picture(models=[wall, Model("block", 1.5 * SUN, np.eye(3), opacity=o)]), camera),
            camera,
            0.06 * SUN,
        )
        for o in (0.999, 1.0)
    ]
    lit = at(draw(gl, Picture(models=[wall]), camera), camera, 0.06 * SUN)
    assert np.abs(shades[0] - lit).max() <= 2 and shades[1].sum() < lit.sum() - 60


# small craft of swarms


def linear_light(image):
    """Linear light of each pixel, summed over the colours."""
    return (np.asarray(image) / 255.0).clip(0.0) ** 2.2 @ np.ones(3)


def one_of_a_swarm(gl, scale, orientation=(0.0, 0.0, 0.0, 1.0)):
    """The light that one bar of 0.2 × 0.2 × 2 m, so much enlarged, adds to the sky."""
    camera = OrbitCamera(yaw=1.6, pitch=0.2, distance=60.0)
    swarm = Swarm("bar", np.zeros((1, 3)), np.array([orientation]), scale)
    bare, with_it = (draw(gl, picture, camera, LOW) for picture in (EMPTY, Picture(swarms=[swarm])))
    return linear_light(with_it) - linear_light(bare)


@pytest.fixture
def bar(monkeypatch):
    builder = MeshBuilder()
    builder.box(WALL, (0.2, 0.2, 2.0))
    monkeypatch.setitem(meshes.MESHES, "bar", lambda: builder)


def spread(light):
    """Standard deviations of the light down and across [pixel]."""
    down, across = np.nonzero(light > 0.02 * light.max())
    weights = light[down, across]
    return [np.sqrt(np.cov(axis, aweights=weights)) for axis in (down, across)]


def test_craft_under_three_pixels_are_round_points(gl, bar):
    """60 m away, a metre is 4.6 pixels: at scale 0.5 the bar is 2.3 pixels from its middle to its end, and at scale 1, 4.6."""
    small, large = spread(one_of_a_swarm(gl, 0.5)), spread(one_of_a_swarm(gl, 1.0))
    assert small[0] == pytest.approx(small[1], abs=0.25)
    assert large[0] > 2.0 * large[1], "a dart along the axis of the bar"


def test_the_light_of_a_point_is_that_of_the_area_that_it_covers(gl, bar):
    whole, half = (one_of_a_swarm(gl, scale).sum() for scale in (0.6, 0.3))
    assert whole / half == pytest.approx(4.0, rel=0.3)
    end_on = rotation.from_rotation_vector(
        np.array([0.0, np.pi / 2, 0.0])
    )  # turned about y, which is the line of sight
    across = one_of_a_swarm(gl, 0.6, end_on).sum()
    assert across == pytest.approx(whole, rel=0.35)
