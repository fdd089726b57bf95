"""Rays, casts, overlaps and nearest points, against closed forms, quadratic programming and searches through all shapes."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import ConvexHull as Difference

from engine import MassProperties, World, shapes
from engine.collision import cores
from engine.rotation import multiply

from ...lengths import sized
from ...plain_python import in_plain_python
from .placing import Solid, depth, distance

ROOT = Path(__file__).parents[3]
RANDOM = np.random.default_rng(34)
CORNERS = RANDOM.normal(size=(20, 3)) * (0.5, 0.4, 0.3)
FORMS = {
    "sphere": (shapes.Sphere(0.4), Solid(cores.POINT, radius=0.4)),
    "capsule": (shapes.Capsule(0.3, 1.0), Solid(cores.SEGMENT, (0.0, 0.0, 0.5), 0.3)),
    "box": (shapes.Box((1.0, 0.6, 0.8)), Solid(cores.BOX_CORE, (0.5, 0.3, 0.4))),
    "cylinder": (shapes.Cylinder(0.4, 1.0), Solid(cores.CYLINDER, (0.4, 0.0, 0.5))),
    "hull": (shapes.ConvexHull(CORNERS), Solid(cores.HULL, corners=CORNERS)),
}
PAIRS = list(itertools.combinations_with_replacement(FORMS, 2))
FAR = 2e-10
"""Gap at which a ray has met a shape of a metre after ten metres [m]; a slanting ray goes on for this over the cosine of its angle."""


def unit(random, *shape):
    given = random.normal(size=shape)
    return given / np.linalg.norm(given, axis=-1, keepdims=True)


def placed(world, name, random, reach=0.3):
    """A body with a shape that is off its origin and turned; the handle, and the same as a solid."""
    shape, solid = FORMS[name]
    offset, own = random.uniform(-0.3, 0.3, 3), unit(random, 4)
    position, turn = random.uniform(-reach, reach, 3), unit(random, 4)
    mass = MassProperties(2.0, np.eye(3), center_of_mass_body=(0.1, -0.2, 0.05))
    body = world.add_body(mass, position=position, orientation=turn)
    handle = body.add_shape(shape, position=offset, orientation=own)
    return handle, solid.at(body.to_world(offset), multiply(turn, own))


def met(solid, origin, direction):
    """How far a ray goes until it meets a solid, by a closed form; infinite if it does not."""
    p, d = solid.axes @ (origin - solid.position), solid.axes @ direction
    a, b, c = solid.size
    if solid.kind == cores.POINT:
        return in_ball(p, d, solid.radius)
    if solid.kind == cores.SEGMENT:
        ends = [in_ball(p - (0, 0, z), d, solid.radius) for z in (-c, c)]
        side = max(in_tube(p, d, solid.radius)[0], 0.0)
        on_side = [side] if abs(p[2] + side * d[2]) <= c and in_tube(p, d, solid.radius)[1] >= side else []
        return min(ends + on_side)
    if solid.kind == cores.CYLINDER:
        planes = np.array([[0, 0, 1.0], [0, 0, -1.0]]), np.array([c, c])
        return within(*clip(*planes, p, d), *in_tube(p, d, a))
    if solid.kind == cores.BOX_CORE:
        return within(*clip(np.vstack([np.eye(3), -np.eye(3)]), np.array([a, b, c, a, b, c]), p, d))
    hull = Difference(solid.corners)
    return within(*clip(hull.equations[:, :3], -hull.equations[:, 3], p, d))


def in_ball(p, d, radius):
    """Where a line is in a ball about the origin first, at or after 0."""
    half, rest = p @ d, p @ p - radius * radius
    root = half * half - rest
    return within(*((-half - np.sqrt(root), -half + np.sqrt(root)) if root >= 0.0 else (np.inf, -np.inf)))


def in_tube(p, d, radius):
    """Between where a line is in the tube about the third axis."""
    square, half, rest = d[:2] @ d[:2], p[:2] @ d[:2], p[:2] @ p[:2] - radius * radius
    root = half * half - square * rest
    if root < 0.0:
        return np.inf, -np.inf
    return (-half - np.sqrt(root)) / square, (-half + np.sqrt(root)) / square


def clip(normals, offsets, p, d):
    """Between where a line is below all planes."""
    heights, slopes = offsets - normals @ p, normals @ d
    with np.errstate(divide="ignore"):
        at = heights / slopes
    if (heights[slopes == 0.0] < 0.0).any():
        return np.inf, -np.inf
    return max(at[slopes < 0.0], default=-np.inf), min(at[slopes > 0.0], default=np.inf)


def within(*ends):
    first, last = max(0.0, *ends[::2]), min(ends[1::2])
    return first if first <= last else np.inf


@pytest.mark.parametrize("name", FORMS)
def test_rays_meet_a_shape_where_a_closed_form_says(name):
    random = np.random.default_rng(len(name))
    world = World(0.01)
    handle, solid = placed(world, name, random)
    origins = 10.0 * unit(random, 300, 3)
    directions = random.normal(scale=0.35, size=(300, 3)) - origins
    directions *= random.uniform(0.1, 10.0, (300, 1))
    hits = world.ray_cast(origins, directions)
    along = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    expected = np.array([met(solid, *ray) for ray in zip(origins, along, strict=True)])
    assert 60 < np.isfinite(expected).sum() < 300
    assert np.array_equal(hits.hit, np.isfinite(expected)) and np.isinf(hits.distance[~hits.hit]).all()
    slant = -np.einsum("ij,ij->i", hits.normal_world, along)[hits.hit]
    off = hits.distance[hits.hit] - expected[hits.hit]
    assert (np.abs(off) <= FAR / slant).all()
    ends = origins[hits.hit] + along[hits.hit] * hits.distance[hits.hit, np.newaxis]
    assert np.allclose(hits.point_world[hits.hit], ends, rtol=0.0, atol=1e-9)
    assert np.isnan(hits.point_world[~hits.hit]).all() and np.isnan(hits.normal_world[~hits.hit]).all()
    assert set(hits.shapes) == {handle, None} and set(hits.bodies) == {handle.body, None}
    # a step back along the normal is outside, a step forth is inside
    for point, normal in zip(hits.point_world[hits.hit], hits.normal_world[hits.hit], strict=True):
        assert np.linalg.norm(normal) == pytest.approx(1.0, abs=1e-12)
        assert world.bodies_at([point - 1e-6 * normal, point + 1e-6 * normal]) == ((handle.body,), ())


def test_rays_meet_planes_from_above_and_end_at_their_length():
    world = World(0.01)
    normal = np.array((0.36, 0.48, 0.8))
    plane = world.add_shape(shapes.Plane(normal, 0.7))
    directions = unit(np.random.default_rng(1), 50, 3)
    origin = np.array((3.0, -2.0, 4.0))
    height = origin @ normal - 0.7
    with np.errstate(divide="ignore"):
        expected = np.where(directions @ normal < 0.0, -height / (directions @ normal), np.inf)
    hits = world.ray_cast(origin, directions)
    assert np.allclose(hits.distance, expected, rtol=1e-12)
    assert set(hits.shapes) == {plane, None} and set(hits.bodies) == {None}
    lengths = np.where(hits.hit, hits.distance, 1.0) * np.where(np.arange(50) % 2 == 0, 1.001, 0.999)
    cut = world.ray_cast(origin, directions, lengths)
    assert np.array_equal(cut.hit, hits.hit & (np.arange(50) % 2 == 0))


def test_a_ray_that_begins_within_a_shape_meets_it_at_once():
    world = World(0.01)
    box = world.add_shape(shapes.Box((2.0, 4.0, 4.0)), position=(10.0, 0.0, 0.0))
    world.add_shape(shapes.Sphere(3.0), position=(10.0, 0.0, 0.0))
    hits = world.ray_cast((10.9, 0.3, 0.2), (0, 0, 1))
    # both are at distance 0: the one that was added first
    assert hits.distance.tolist() == [0.0] and hits.shapes == (box,)
    assert hits.point_world[0] == pytest.approx((11.0, 0.3, 0.2), abs=1e-9)
    assert hits.normal_world[0] == pytest.approx((1.0, 0.0, 0.0), abs=1e-9)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_a_cast_ends_where_quadratic_programming_finds_no_gap(one, other):
    """The gap of convex shapes is a convex function of the way: where it becomes zero first, nothing was met before."""
    random = np.random.default_rng(len(one) + 10 * len(other))
    world = World(0.01)
    handle, target = placed(world, other, random)
    shape, solid = FORMS[one]
    met_any = 0
    for _case in range(6):
        origin, turn = 5.0 * unit(random, 3), unit(random, 4)
        direction = random.normal(scale=0.4, size=3) - origin
        direction /= np.linalg.norm(direction)
        hits = world.shape_cast(shape, origin, direction, orientation=turn)
        gaps = [distance(solid.at(origin + way * direction, turn), target) for way in np.linspace(3.0, 7.0, 9)]
        if not hits.hit[0]:
            assert min(gaps) > -1e-6
            continue
        met_any += 1
        (way,) = hits.distance
        at_hit = solid.at(origin + way * direction, turn)
        assert distance(at_hit, target) == pytest.approx(0.0, abs=2e-6)
        assert distance(solid.at(origin + (way - 0.01) * direction, turn), target) > 0.0
        # the point is on the shape that is met, and the planes through it at right angles to the normal part both
        assert hits.shapes == (handle,)
        point = Solid(cores.POINT).at(hits.point_world[0], (0, 0, 0, 1))
        assert distance(point, target) == pytest.approx(0.0, abs=2e-6)
        assert distance(point, at_hit) == pytest.approx(0.0, abs=2e-6)
        assert hits.normal_world[0] @ direction < 0.0
    assert met_any >= 3


def test_polyhedra_that_are_cast_meet_where_a_ray_meets_their_difference():
    """A body moves until it meets another one as a point does until it meets the difference of both."""
    random = np.random.default_rng(9)
    world = World(0.01)
    _handle, target = placed(world, "box", random)
    shape, solid = FORMS["hull"]
    turn = unit(random, 4)
    own = solid.at((0, 0, 0), turn).vertices()
    difference = Difference((target.vertices()[:, np.newaxis] - own[np.newaxis]).reshape(-1, 3))
    origins = 8.0 * unit(random, 200, 3)
    directions = random.normal(scale=0.5, size=(200, 3)) - origins
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    hits = world.shape_cast(shape, origins, directions, orientation=turn)
    normals, offsets = difference.equations[:, :3], -difference.equations[:, 3]
    expected = [within(*clip(normals, offsets, p, d)) for p, d in zip(origins, directions, strict=True)]
    assert np.allclose(hits.distance, expected, rtol=0.0, atol=10.0 * FAR)


def test_a_compound_is_cast_by_its_parts_and_met_by_the_first_of_them():
    world = World(0.01)
    ball = shapes.Sphere(0.5)
    dumbbell = shapes.Compound([(ball, (0, 0, 2), (0, 0, 0, 1)), (ball, (0, 0, -2), (0, 0, 0, 1))])
    ground = world.add_shape(shapes.Plane((0.0, 0.0, 1.0)))
    sideways = (0.0, np.sin(np.pi / 4), 0.0, np.cos(np.pi / 4))
    hits = world.shape_cast(dumbbell, (0, 0, 9), (0, 0, -1), orientation=[(0, 0, 0, 1), sideways])
    assert np.allclose(hits.distance, (6.5, 8.5), atol=10.0 * FAR)
    world.remove_shape(ground)
    mass = MassProperties.sphere(1.0, 1.0)
    craft = world.add_body(mass, orientation=sideways)
    handle = craft.add_shape(dumbbell)
    hits = world.ray_cast([(2, 0, 5), (-2, 0, 5), (0, 0, 5), (5, 0, 0)], [(0, 0, -1)] * 3 + [(-1, 0, 0)])
    assert np.allclose(hits.distance, (4.5, 4.5, np.inf, 2.5), atol=10.0 * FAR)
    assert hits.shapes == (handle, handle, None, handle)
    # both parts are overlapped, and the shape is told once
    found = world.overlaps(shapes.Box((9.0, 1.0, 1.0)), (0, 0, 0))
    assert found.shapes == (handle,) and found.bodies == (craft,) and found.number.tolist() == [0]
    apart = world.closest_points(craft, world.add_shape(ball, position=(4.0, 0.0, 3.0)))
    assert apart.distance[0] == pytest.approx(np.hypot(2.0, 3.0) - 1.0, abs=1e-12)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_nearest_points_are_those_of_quadratic_programming(one, other):
    random = np.random.default_rng(len(one) + 10 * len(other) + 5)
    tried = 0
    while tried < 6:
        world = World(0.01)
        (first, a), (second, b) = placed(world, one, random, 1.5), placed(world, other, random, 0.2)
        expected = distance(a, b)
        if expected < 1e-3:
            continue
        tried += 1
        nearest = world.closest_points(first, second.body)
        assert nearest.distance[0] == pytest.approx(expected, abs=2e-7)
        assert nearest.shapes_a == (first,) and nearest.shapes_b == (second,)
        apart = nearest.point_a_world[0] - nearest.point_b_world[0]
        assert apart == pytest.approx(nearest.distance[0] * nearest.normal_world[0], abs=1e-9)
        for point, solid in ((nearest.point_a_world[0], a), (nearest.point_b_world[0], b)):
            assert distance(Solid(cores.POINT).at(point, (0, 0, 0, 1)), solid) == pytest.approx(0.0, abs=2e-6)
        exchanged = world.closest_points(second, first)
        assert exchanged.distance[0] == pytest.approx(nearest.distance[0], abs=1e-9)
        assert exchanged.normal_world[0] == pytest.approx(-nearest.normal_world[0], abs=1e-5)


def test_overlapping_boxes_are_as_deep_as_the_nearest_face_of_their_difference():
    random = np.random.default_rng(3)
    for _case in range(8):
        world = World(0.01)
        (first, a), (second, b) = placed(world, "box", random), placed(world, "hull", random)
        expected = depth(a, b)
        if expected > 1e-3:
            assert world.closest_points(first, second).distance[0] == pytest.approx(-expected, abs=1e-9)


def test_nearest_points_of_many_pairs_are_those_of_each():
    random = np.random.default_rng(4)
    world = World(0.01)
    ground = world.add_shape(shapes.Plane((0.0, 0.6, 0.8), -3.0))
    handles = [placed(world, name, random, 2.0)[0] for name in [*FORMS, *FORMS]]
    several = world.closest_points([handle.body for handle in handles], ground)
    for row, handle in enumerate(handles):
        single = world.closest_points(handle, ground)
        assert [part[row].tolist() for part in several[:4]] == [part[0].tolist() for part in single[:4]]
        assert several.shapes_a[row] is handle and several.shapes_b[row] is ground
        # the plane on the other side is the same, turned round
        turned = world.closest_points(ground, handle)
        assert turned.distance.tolist() == single.distance.tolist()
        assert turned.point_a_world.tolist() == single.point_b_world.tolist()
        assert turned.normal_world.tolist() == (-single.normal_world).tolist()
        assert single.normal_world[0] == pytest.approx((0.0, 0.6, 0.8), abs=1e-15)
    chain = world.closest_points(handles[:-1], handles[1:])
    for row in range(len(handles) - 1):
        assert chain.distance[row] == world.closest_points(handles[row], handles[row + 1]).distance[0]


# many shapes


def balls(count, random, spread=10.0):
    """A world with many balls, whose rays are compared with those of all balls."""
    world = World(0.01)
    places, radii = random.uniform(-spread, spread, (count, 3)), random.uniform(0.1, 0.8, count)
    bodies = world.add_bodies(MassProperties.sphere(1.0, 1.0), places)
    for number, (body, radius) in enumerate(zip(bodies, radii, strict=True)):
        body.add_shape(shapes.Sphere(radius), layer=number % 3)
    return world, bodies, places, radii


def nearest_ball(places, radii, origins, directions):
    """The distance of the first ball on each ray and its number, by looking at all."""
    apart = places[np.newaxis] - origins[:, np.newaxis]
    along = np.einsum("rbi,ri->rb", apart, directions)
    root = radii**2 - (np.einsum("rbi,rbi->rb", apart, apart) - along**2)
    with np.errstate(invalid="ignore"):
        way = along - np.sqrt(root)
    way = np.where((root >= 0.0) & (along + np.sqrt(np.maximum(root, 0.0)) >= 0.0), np.maximum(way, 0.0), np.inf)
    return way.min(axis=1), way.argmin(axis=1)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 400])
def test_the_first_of_many_shapes_is_found(count):
    random = np.random.default_rng(count)
    world, bodies, places, radii = balls(count, random, 2.0 * count ** (1 / 3))
    origins, directions = random.uniform(-20.0, 20.0, (500, 3)), unit(random, 500, 3)
    # along the axes, where rays run within the sides of boxes
    directions[:150] = np.repeat(np.vstack([np.eye(3), -np.eye(3)]), 25, axis=0)
    hits = world.ray_cast(origins, directions)
    expected, number = nearest_ball(places, radii, origins, directions)
    assert np.allclose(hits.distance, expected, rtol=0.0, atol=10.0 * FAR)
    is_clear = np.isfinite(expected) & (expected > 0.0)
    assert [hits.bodies[ray] for ray in np.flatnonzero(is_clear)] == [bodies[place] for place in number[is_clear]]
    for layer in range(3):
        kept = np.arange(count) % 3 == layer
        if kept.any():
            expected = nearest_ball(places[kept], radii[kept], origins, directions)[0]
            hits = world.ray_cast(origins, directions, layers=[layer])
            assert np.allclose(hits.distance, expected, rtol=0.0, atol=10.0 * FAR)
    assert not world.ray_cast(origins, directions, layers=[5]).hit.any()


def test_overlaps_of_many_shapes_are_those_of_a_search_through_all():
    random = np.random.default_rng(6)
    world, _bodies, places, radii = balls(300, random, 5.0)
    centers = random.uniform(-6.0, 6.0, (200, 3))
    gaps = np.linalg.norm(places[np.newaxis] - centers[:, np.newaxis], axis=2) - radii
    found = world.overlaps(shapes.Sphere(0.7), centers)
    rows = [(number, body.index) for number, body in zip(found.number.tolist(), found.bodies, strict=True)]
    assert rows == list(map(tuple, np.argwhere(gaps <= 0.7).tolist()))
    assert len(rows) > 200
    at = world.bodies_at(centers)
    assert [[body.index for body in each] for each in at] == [np.flatnonzero(row <= 0.0).tolist() for row in gaps]
    assert max(map(len, at)) > 1


def test_a_thousand_shapes_at_one_place_are_all_found():
    """Boxes that cannot be told apart are parted by number, so that the tree is not deep."""
    world = World(0.01)
    bodies = world.add_bodies(MassProperties.sphere(1.0, 1.0), np.zeros((1000, 3)))
    for body in bodies:
        body.add_shape(shapes.Sphere(0.5))
    assert world.bodies_at((0.0, 0.0, 0.4)) == (tuple(bodies),)
    assert world.ray_cast((0, 0, 5), (0, 0, -1)).bodies == (bodies[0],)


# when, and what is seen


def moving():
    world = World(0.1, integrator="rk4")
    ball = world.add_body(MassProperties.sphere(1.0, 0.5), velocity=(0.0, 0.0, 1.0), name="ball")
    ball.add_shape(shapes.Sphere(0.5))
    return world, ball


def height(world):
    return float(world.ray_cast((0, 0, 50), (0, 0, -1)).point_world[0, 2]) - 0.5


def test_queries_see_the_poses_of_now_and_in_a_tick_those_at_its_start():
    world, _ball = moving()
    seen = []

    class Looking:
        evaluate = "stage"

        def apply(self, wrench, bodies, time):
            seen.append(("force", height(world)))

    world.on_tick(lambda world: seen.append(("callback", height(world))))
    world.after_tick(lambda world: seen.append(("after", height(world))))
    world.add_force(Looking())
    with pytest.warns(UserWarning, match="all bodies are moved by the step of the joints"):
        world.step(2)
    starts = {"callback": [], "force": [], "after": []}
    for name, value in seen:
        starts[name].append(round(value, 9))
    assert starts["callback"] == [0.0, 0.1] and starts["after"] == [0.1, 0.2]
    assert starts["force"] == [0.0] * 3 + [0.1] * 3


def test_queries_follow_what_is_assigned_and_restored():
    world, ball = moving()
    assert height(world) == pytest.approx(0.0)
    ball.position = (0.0, 0.0, 7.0)
    assert height(world) == pytest.approx(7.0)
    kept = world.snapshot()
    world.step()
    world.restore(kept)
    assert height(world) == pytest.approx(7.0)


def test_what_is_disabled_or_gone_is_not_met():
    world, ball = moving()
    (hull,) = ball.shapes
    hull.enabled = False
    assert not world.ray_cast((0, 0, 50), (0, 0, -1)).hit.any() and world.bodies_at((0, 0, 0)) == ((),)
    with pytest.raises(ValueError, match=r"World.closest_points: a must be .*enabled shape"):
        world.closest_points(ball, ball)
    hull.enabled = True
    assert world.bodies_at((0, 0, 0)) == ((ball,),)
    hull.sensor = True
    assert world.bodies_at((0, 0, 0)) == ((ball,),)
    world.remove_shape(hull)
    assert world.bodies_at((0, 0, 0)) == ((),)
    ball.add_shape(shapes.Box((1.0, 1.0, 1.0)))
    assert world.bodies_at((0.4, 0.4, 0.4)) == ((ball,),)
    world.remove_body(ball)
    assert world.bodies_at((0, 0, 0)) == ((),)


def test_copies_of_a_world_answer_for_themselves():
    world, _ball = moving()
    other = world.fork()
    other.step(10)
    assert height(world) == pytest.approx(0.0) and height(other) == pytest.approx(1.0)
    assert other.bodies_at((0, 0, 1.0)) == ((other.bodies[0],),)


def test_results_cannot_be_written():
    world, ball = moving()
    hits = world.ray_cast((0, 0, 50), (0, 0, -1))
    found = world.overlaps(shapes.Sphere(1.0), (0, 0, 0))
    nearest = world.closest_points(ball, world.add_shape(shapes.Plane((0, 0, 1), -3.0)))
    for array in (*hits[:4], found.number, *nearest[:4]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_no_rays_and_no_shapes_are_no_error():
    world = World(0.01)
    assert not world.ray_cast((0, 0, 0), (0, 0, 1)).hit.any()
    assert world.ray_cast(np.zeros((0, 3)), (0, 0, 1)).distance.shape == (0,)
    assert world.bodies_at(np.zeros((0, 3))) == () and world.overlaps(shapes.Sphere(1.0), (0, 0, 0)).shapes == ()
    assert world.closest_points([], []).distance.shape == (0,)


def answers():
    """The bits of answers about all kinds of shapes."""
    random = np.random.default_rng(12)
    world = World(0.01)
    handles = [placed(world, name, random, 3.0)[0] for name in [*FORMS, *FORMS]]
    world.add_shape(shapes.Plane((0.0, 0.6, 0.8), -6.0))
    count = sized(8, 25)
    origins, directions = 8.0 * unit(random, count, 3), unit(random, count, 3)
    found = [world.ray_cast(origins, -origins + directions)]
    for name in FORMS:
        found.append(world.shape_cast(FORMS[name][0], origins, -origins, orientation=unit(random, 4)))
    found.append(world.closest_points(handles[:-1], handles[1:]))
    arrays = [part.tobytes() for answer in found for part in answer if isinstance(part, np.ndarray)]
    overlapped = world.overlaps(FORMS["box"][0], random.uniform(-3.0, 3.0, (40, 3)))
    return (b"".join(arrays) + overlapped.number.tobytes()).hex() + repr(overlapped.bodies)


def test_plain_python_has_the_same_bits():
    assert in_plain_python(answers) == answers()
