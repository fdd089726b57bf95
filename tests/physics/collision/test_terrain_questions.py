"""Rays, casts, overlaps and nearest points of terrain, against searches through all triangles by other formulas."""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import ConvexHull as Difference

from engine import MassProperties, World, shapes
from engine.collision import cores
from engine.rotation import conjugate, rotate

from ...lengths import sized
from ...plain_python import in_plain_python
from .placing import Solid, distance
from .test_queries import FAR, FORMS, unit

ROOT = Path(__file__).parents[3]
KINDS = ("field", "mesh", "asteroid")
PAIRS = [(name, kind) for name in FORMS for kind in KINDS]
of_pairs = pytest.mark.parametrize(("name", "kind"), sized(PAIRS[:: len(KINDS) + 1], PAIRS))
"""Each form and each kind once, of 15 pairs."""


def hills(count, spacing=0.7, seed=3):
    """Heights with slopes up to some 40°."""
    return shapes.HeightField(np.random.default_rng(seed).uniform(-0.3, 0.3, (count, count + 2)), spacing)


def asteroid(count=25, radius=2.0):
    """A closed mesh around its origin, which is not convex."""
    random = np.random.default_rng(8)
    hull = shapes.ConvexHull(unit(random, count, 3))
    away = np.linalg.norm(hull.vertices, axis=1, keepdims=True)
    return shapes.TriangleMesh(hull.vertices / away * random.uniform(0.8, 1.0, away.shape) * radius, hull.faces)


class Ground:
    """A terrain in a world, turned and off the origin, and its triangles in the world frame."""

    def __init__(self, kind, count=12, turn=None, place=(3.0, -2.0, 40.0)):
        shape = asteroid() if kind == "asteroid" else hills(count)
        if kind == "mesh":
            shape = shapes.TriangleMesh(shape.vertices, shape.faces)
        self.turn = unit(np.random.default_rng(1), 4) if turn is None else np.array(turn)
        self.place, self.kind, self.shape = np.array(place), kind, shape
        self.world = World(0.01)
        self.handle = self.world.add_shape(shape, position=place, orientation=self.turn)
        self.triangles = self.out(shape.vertices[shape.faces])
        a, b, c = self.triangles.transpose(1, 0, 2)
        normals = np.cross(b - a, c - a)
        self.normals = normals / np.linalg.norm(normals, axis=1, keepdims=True)

    def out(self, points):
        """Points of the terrain in the world frame."""
        points = np.asarray(points, float)
        return self.place + rotate(np.broadcast_to(self.turn, (*points.shape[:-1], 4)), points)

    def near(self, random, count, height):
        """Places around the terrain, up to some height above a field."""
        if self.kind == "asteroid":
            return self.out(unit(random, count, 3) * random.uniform(2.2, 2.2 + height, (count, 1)))
        x, y, _z = 0.75 * self.shape.vertices.max(axis=0)
        places = random.uniform(-1.0, 1.0, (2, count)) * ((x,), (y,))
        return self.out(np.column_stack([*places, random.uniform(0.5, height, count)]))

    def is_below(self, point, reach=0.0):
        """Whether a point is below the surface of the field, and a ball around it reaches above the lowest height."""
        if self.kind != "field":
            return False
        x, y, z = rotate(conjugate(self.turn), point - self.place)
        surface = met(self.shape.vertices[self.shape.faces], np.array((x, y, 99.0)), np.array((0.0, 0.0, -1.0)))[0]
        return self.shape.heights.min() - reach <= z <= 99.0 - surface

    def in_front(self, point):
        """Which triangles a point is in front of."""
        return np.einsum("ij,ij->i", point - self.triangles[:, 0], self.normals) > 0.0


def met(triangles, origin, direction):
    """How far a ray goes until it meets one of these from the front, and which, by Cramer's rule for each."""
    a, b, c = triangles.transpose(1, 0, 2)
    ab, ac, across = b - a, c - a, np.cross(direction, c - a)
    determinant, off = np.einsum("ij,ij->i", ab, across), origin - a
    with np.errstate(divide="ignore", invalid="ignore"):
        u = np.einsum("ij,ij->i", off, across) / determinant
        aside = np.cross(off, ab)
        v, way = aside @ direction / determinant, np.einsum("ij,ij->i", ac, aside) / determinant
        is_met = (determinant > 0.0) & (u >= -1e-12) & (v >= -1e-12) & (u + v <= 1.0 + 1e-12) & (way >= 0.0)
    ways = np.where(is_met, way, np.inf)
    return ways.min(), int(ways.argmin())


def away_from(triangles, point):
    """The distance of a point from each triangle, by its sides and its plane."""
    a, b, c = triangles.transpose(1, 0, 2)
    found = np.full(len(triangles), np.inf)
    for p, q in ((a, b), (b, c), (c, a)):
        share = np.einsum("ij,ij->i", point - p, q - p) / np.einsum("ij,ij->i", q - p, q - p)
        found = np.minimum(found, np.linalg.norm(p + np.clip(share, 0.0, 1.0)[:, np.newaxis] * (q - p) - point, axis=1))
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    inside = np.full(len(triangles), True)
    for p, q in ((a, b), (b, c), (c, a)):
        inside &= np.einsum("ij,ij->i", np.cross(q - p, point - p), normal) >= 0.0
    return np.where(inside, np.abs(np.einsum("ij,ij->i", point - a, normal)), found)


@pytest.mark.parametrize("kind", KINDS)
def test_rays_meet_the_first_triangle_whose_front_they_see(kind):
    ground, random = Ground(kind), np.random.default_rng(5)
    origins = ground.near(random, 400, 8.0)
    directions = ground.near(random, 400, 1.0) + 0.7 * random.normal(size=(400, 3)) - origins
    # some come from behind, and some run along the rows and columns of a field
    directions[::4] *= -1.0
    axes = rotate(np.broadcast_to(ground.turn, (3, 4)), np.eye(3))
    directions[1::20], directions[2::20] = axes[0], -axes[1]
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    begins_below = np.array([ground.is_below(origin) for origin in origins])
    hits = ground.world.ray_cast(origins, directions)
    found = [met(ground.triangles, *ray) for ray in zip(origins, directions, strict=True)]
    expected, number = np.where(begins_below, 0.0, [way for way, _ in found]), np.array([each for _, each in found])
    assert 60 < np.isfinite(expected).sum() < 350 and not begins_below.any()
    assert np.array_equal(hits.hit, np.isfinite(expected))
    slant = -np.einsum("ij,ij->i", ground.normals[number], directions)[hits.hit]
    assert (np.abs(hits.distance[hits.hit] - expected[hits.hit]) <= FAR / slant).all()
    assert hits.normal_world[hits.hit] == pytest.approx(ground.normals[number][hits.hit], abs=1e-12)
    ends = origins + np.where(hits.hit, hits.distance, 0.0)[:, np.newaxis] * directions
    assert hits.point_world[hits.hit] == pytest.approx(ends[hits.hit], abs=1e-9)
    assert set(hits.shapes) == {ground.handle, None} and set(hits.bodies) == {None}


@pytest.mark.parametrize("kind", KINDS)
def test_no_ray_slips_between_triangles(kind):
    """Rays at corners, and at points of the edges within, end there or before."""
    ground = Ground(kind)
    a, b, _c = ground.triangles.transpose(1, 0, 2)
    targets, normals = np.vstack([a, 0.5 * (a + b), 0.3 * a + 0.7 * b]), np.tile(ground.normals, (3, 1))
    within = np.abs(rotate(np.broadcast_to(conjugate(ground.turn), (len(targets), 4)), targets - ground.place))
    size = ground.shape.vertices.max(axis=0) - 1e-6
    kept = np.full(len(targets), True) if kind == "asteroid" else (within[:, :2] < size[:2]).all(axis=1)
    hits = ground.world.ray_cast((targets + 3.0 * normals)[kept], -normals[kept])
    assert kept.sum() > 100 and (hits.distance <= 3.0 + 1e-9).all()


@pytest.mark.parametrize("angle", [1e-2, 1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("is_field", [True, False])
def test_grazing_rays_meet_flat_ground_where_its_plane_is(angle, is_field):
    """Height over the sine of the angle, to rounding, in any direction; what rises or is parallel meets nothing."""
    flat, random = shapes.HeightField(np.zeros((41, 51)), 0.5), np.random.default_rng(4)
    world = World(0.01)
    world.add_shape(flat if is_field else shapes.TriangleMesh(flat.vertices, flat.faces))
    turns, ways = random.uniform(0.0, 2.0 * np.pi, 300), random.uniform(1.0, 9.0, 300)
    turns[:8], ways[:8] = np.arange(8) * np.pi / 4, 3.0
    along = np.column_stack([np.cos(turns), np.sin(turns), np.zeros(300)])
    ends = np.column_stack([*random.uniform(-1.0, 1.0, (2, 300)) * ((9.5,), (12.0,)), np.zeros(300)])
    origins, up = ends - np.cos(angle) * ways[:, np.newaxis] * along, (0.0, 0.0, 1.0)
    origins[:, 2] = np.sin(angle) * ways
    down = np.cos(angle) * along - np.sin(angle) * np.array(up)
    hits = world.ray_cast(origins, down)
    # a direction of unit length is off by a rounding, which at small angles is a larger share of the way to the plane
    assert hits.hit.all() and hits.distance == pytest.approx(ways, rel=4e-16 / angle + 1e-14)
    assert (np.abs(hits.point_world[:, 2]) <= 1e-15).all() and (hits.normal_world == up).all()
    for direction in (along, np.cos(angle) * along + np.sin(angle) * np.array(up)):
        assert not world.ray_cast(origins, direction).hit.any()
    # within the plane itself: the surface of what is solid, or of what is passed along
    assert (world.ray_cast(ends, along).distance == (0.0 if is_field else np.inf)).all()


def test_rays_that_graze_ridges_meet_what_a_search_through_all_triangles_meets():
    """In the planes of triangles, through their corners, and 1e-7 m below and above these."""
    for kind in KINDS:
        ground, random = Ground(kind), np.random.default_rng(13)
        corners, normals = ground.triangles.reshape(-1, 3), np.repeat(ground.normals, 3, axis=0)
        along = np.cross(normals, unit(random, len(normals), 3))
        along /= np.linalg.norm(along, axis=1, keepdims=True)
        for height in (-1e-7, 1e-7):
            origins = corners + height * normals - 5.0 * along
            hits = ground.world.ray_cast(origins, along)
            expected = np.array([met(ground.triangles, *ray)[0] for ray in zip(origins, along, strict=True)])
            begins_below = np.array([ground.is_below(origin) for origin in origins])
            expected[begins_below] = 0.0
            assert np.array_equal(hits.hit, np.isfinite(expected))
            assert hits.distance[hits.hit] == pytest.approx(expected[hits.hit], abs=1e-8)
            assert hits.hit.sum() > 10


def test_rays_and_shapes_meet_flat_ground_as_a_plane():
    """On flat triangles, also where a side of a box falls on their edges: the distances and normals of a plane."""
    flat, answers = shapes.HeightField(np.zeros((21, 31)), 0.25), []
    places = np.random.default_rng(2).uniform(-1.0, 1.0, (40, 3)) * (1.5, 2.0, 0.0) + (0.0, 0.0, 3.0)
    places[:10, :2] = np.round(4.0 * places[:10, :2]) / 4.0
    slanting = unit(np.random.default_rng(3), 40, 3) * (0.4, 0.4, 0.0) - (0.0, 0.0, 1.0)
    for ground in (shapes.Plane((0, 0, 1)), flat, shapes.TriangleMesh(flat.vertices, flat.faces)):
        world = World(0.01)
        handle = world.add_shape(ground)
        found = [world.ray_cast(places, slanting)]
        for shape in (shapes.Box((1.0, 0.5, 0.5)), shapes.Sphere(0.3), shapes.Capsule(0.2, 0.5), FORMS["hull"][0]):
            found += [world.shape_cast(shape, places, direction) for direction in (slanting, (0, 0, -1))]
        handles = [world.add_shape(shapes.Box((1.0, 0.5, 0.5)), position=place) for place in places]
        answers.append((found, world.closest_points(handles, handle)))
    for found, nearest in answers[1:]:
        for hits, expected in zip(found, answers[0][0], strict=True):
            assert hits.distance == pytest.approx(expected.distance, abs=1e-9)
            assert hits.normal_world == pytest.approx(expected.normal_world, abs=1e-12)
        assert nearest.distance == pytest.approx(answers[0][1].distance, abs=1e-9)


@of_pairs
def test_a_cast_ends_at_the_first_triangle_in_front_of_which_its_middle_is(name, kind):
    """By quadratic programming with each triangle, at the end and before it."""
    ground, random = Ground(kind, 4), np.random.default_rng(len(name))
    shape, solid = FORMS[name]
    middle = shape.vertices.mean(axis=0) if name != "hull" else solid.hull.corners.mean(axis=0)
    met_any, count = 0, sized(2, 4)
    for place, target in zip(ground.near(random, count, 4.0), ground.near(random, count, 0.6), strict=True):
        turn, direction = unit(random, 4), target - 2.0 * (place - target) - place
        direction = (ground.place - place if kind == "asteroid" else direction) / np.linalg.norm(direction)
        direction /= np.linalg.norm(direction)

        def gap(way, place=place, turn=turn, direction=direction):
            at = place + way * direction
            front = ground.triangles[ground.in_front(at + rotate(turn, middle))]
            return min(distance(solid.at(at, turn), Solid(cores.TRIANGLE, corners=each)) for each in front)

        hits = ground.world.shape_cast(shape, place, direction, orientation=turn)
        if not hits.hit[0]:
            assert min(gap(way) for way in np.linspace(1.0, 5.0, 3)) > -1e-6
            continue
        met_any += 1
        (way,) = hits.distance
        assert gap(way) == pytest.approx(0.0, abs=3e-6)
        assert min(gap(way - 0.01), gap(0.7 * way)) > 0.0
        (point,), (normal,) = hits.point_world, hits.normal_world
        assert away_from(ground.triangles, point).min() < 1e-8
        assert np.linalg.norm(normal) == pytest.approx(1.0, abs=1e-12) and normal @ direction < 0.0
    assert met_any >= count // 2


@of_pairs
def test_nearest_points_of_terrain_are_those_of_quadratic_programming_with_each_triangle(name, kind):
    ground, random = Ground(kind, 4), np.random.default_rng(len(name) + 50)
    shape, solid = FORMS[name]
    middle = np.zeros(3) if name != "hull" else solid.hull.corners.mean(axis=0)
    heights = sized((0.0, 15.0), (0.0, 0.0, 15.0, 200.0))
    for place, height in zip(ground.near(random, len(heights), 3.0), heights, strict=True):
        turn = unit(random, 4)
        place = place + height * rotate(ground.turn, (0, 0, 1))
        body = ground.world.add_body(MassProperties.sphere(1.0, 1.0), position=place, orientation=turn)
        body.add_shape(shape)
        front = [
            Solid(cores.TRIANGLE, corners=each)
            for each in ground.triangles[ground.in_front(place + rotate(turn, middle))]
        ]
        placed = solid.at(place, turn)
        expected = min(distance(placed, each) for each in front)
        nearest = ground.world.closest_points(body, ground.handle)
        if expected < 1e-3:
            continue
        assert nearest.distance[0] == pytest.approx(expected, abs=2e-6, rel=5e-8)
        assert away_from(ground.triangles, nearest.point_b_world[0]).min() < 1e-9
        apart = nearest.point_a_world[0] - nearest.point_b_world[0]
        assert apart == pytest.approx(nearest.distance[0] * nearest.normal_world[0], abs=1e-9)
        exchanged = ground.world.closest_points(ground.handle, body)
        assert exchanged.distance.tolist() == nearest.distance.tolist()
        assert exchanged.point_a_world.tolist() == nearest.point_b_world.tolist()
        assert exchanged.normal_world.tolist() == (-nearest.normal_world).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_balls_overlap_terrain_where_a_search_through_all_triangles_says(kind):
    ground, random = Ground(kind), np.random.default_rng(7)
    places = ground.out(np.column_stack([*random.uniform(-3.0, 3.0, (2, 300)), random.uniform(-0.5, 0.8, 300)]))
    if kind == "asteroid":
        places = ground.out(unit(random, 300, 3) * random.uniform(1.2, 3.0, (300, 1)))
    expected, gaps = [], []
    for number, place in enumerate(places):
        front = ground.in_front(place)
        gap = away_from(ground.triangles[front], place).min(initial=np.inf) - 0.4
        gaps.append(gap)
        if gap <= 0.0 or ground.is_below(place, 0.4):
            expected.append(number)
    found = ground.world.overlaps(shapes.Sphere(0.4), places)
    assert found.number.tolist() == expected and 40 < len(expected) < 260
    assert set(found.shapes) == {ground.handle} and set(found.bodies) == {None}
    # and their depth
    handles = [ground.world.add_shape(shapes.Sphere(0.4), position=place) for place in places]
    nearest, is_out = (
        ground.world.closest_points(handles, ground.handle),
        [not ground.is_below(each, 0.4) for each in places],
    )
    assert nearest.distance[is_out] == pytest.approx(np.array(gaps)[is_out], abs=1e-9)
    assert (nearest.distance[np.logical_not(is_out)] <= -0.4).all()


def test_a_box_is_as_deep_in_terrain_as_in_the_triangle_in_which_it_is_deepest():
    ground, random, seen = Ground("asteroid"), np.random.default_rng(11), 0
    solid = FORMS["box"][1]
    for place in ground.out(unit(random, 12, 3) * random.uniform(1.9, 2.2, (12, 1))):
        turn = unit(random, 4)
        handle = ground.world.add_shape(FORMS["box"][0], position=place, orientation=turn)
        corners, deepest = solid.at(place, turn).vertices(), 0.0
        for triangle, normal in zip(ground.triangles, ground.normals, strict=True):
            height = (place - triangle[0]) @ normal
            if height > 0.0:
                sides = Difference((corners[:, np.newaxis] - triangle).reshape(-1, 3)).equations
                way = -sides[:, 3].max()
                if way > 0.0 and height - way * sides[sides[:, 3].argmax(), :3] @ normal < 0.0:
                    way = -((corners - triangle[0]) @ normal).min()
                deepest = max(deepest, way)
        if deepest > 1e-3:
            seen += 1
            assert ground.world.closest_points(handle, ground.handle).distance[0] == pytest.approx(-deepest, abs=1e-9)
    assert seen > 4


def test_what_is_deep_in_terrain_is_not_led_to_its_back():
    """A cone on its tip is higher above the ground than its middle, but out of it by its tip."""
    ring = [(np.cos(angle), np.sin(angle), 0.0) for angle in np.arange(16) * np.pi / 8]
    world = World(0.01)
    ground = world.add_shape(shapes.TriangleMesh([(-9, -9, 0), (9, -9, 0), (0, 9, 0)], [(0, 1, 2)]))
    cone = world.add_shape(shapes.ConvexHull([*ring, (0, 0, -1.0)]), position=(0.0, 0.0, 0.3))
    nearest = world.closest_points(cone, ground)
    assert nearest.distance[0] == pytest.approx(-0.7, abs=1e-12)
    assert nearest.normal_world[0].tolist() == [0.0, 0.0, 1.0]
    assert nearest.point_a_world[0] == pytest.approx((0.0, 0.0, -0.7), abs=1e-12)


def test_a_mesh_is_met_from_its_front_alone_and_a_field_is_solid_below():
    flat = shapes.HeightField([[0.0, 0.0], [0.0, 0.0], [-1.0, -1.0]], 2.0)
    for ground, is_field in ((flat, True), (shapes.TriangleMesh(flat.vertices, flat.faces), False)):
        world = World(0.01)
        handle = world.add_shape(ground)
        up = world.ray_cast(
            [(-1.0, 0.1, -0.3), (-1.0, 0.1, -5.0), (-9.0, 0.1, -0.3)], [(0, 0, 1), (0, 0, 1), (1, 0, 0)]
        )
        # within, from below, and from the side
        assert up.hit.tolist() == [is_field, False, False]
        if is_field:
            assert up.distance[0] == 0.0 and up.point_world[0] == pytest.approx((-1.0, 0.1, 0.0), abs=1e-12)
            assert up.normal_world[0] == pytest.approx((0.0, 0.0, 1.0), abs=1e-12)
        ball = shapes.Sphere(0.5)
        lifted = world.shape_cast(ball, (-1.0, 0.1, -0.3), (0, 0, 1), 1.0)
        assert (
            lifted.hit.tolist() == [is_field] and world.overlaps(ball, (-1.0, 0.1, -0.3)).shapes == (handle,) * is_field
        )
        assert not world.shape_cast(ball, (-1.0, 0.1, -5.0), (0, 0, 1)).hit[0]
        below = world.closest_points(world.add_shape(ball, position=(-1.0, 0.1, -0.3)), handle)
        assert below.distance[0] == pytest.approx(-0.8 if is_field else np.inf)
        assert np.isnan(below.point_b_world).all() != is_field


def test_terrain_has_no_bodies_and_no_nearest_points_with_terrain_or_planes():
    ground = Ground("field", place=(0, 0, 0), turn=(0, 0, 0, 1))
    world = ground.world
    plane, other = world.add_shape(shapes.Plane((0, 0, 1))), world.add_shape(asteroid(), layer=4)
    assert world.bodies_at([(0, 0, -0.1), (0, 0, -5)]) == ((), ())
    for one, two in ((ground.handle, plane), (plane, other), (ground.handle, other)):
        with pytest.raises(
            ValueError,
            match=r"World\.closest_points: b must be a convex shape if the other one is a plane or a terrain",
        ):
            world.closest_points(one, two)
    assert world.ray_cast((0, 0, 9), (0, 0, -1)).shapes == (other,)
    assert world.ray_cast((0, 0, 9), (0, 0, -1), layers=[0]).shapes != (other,)
    other.enabled = False
    assert world.ray_cast((0, 0, 9), (0, 0, -1)).shapes != (other,)


def test_the_normal_on_an_inner_edge_or_a_seam_is_that_of_a_face():
    """Boxes whose edges are on those of triangles, also on the seam of two grounds; a ridge has its own normal."""
    flat, world = shapes.HeightField(np.zeros((5, 5)), 0.5), World(0.01)
    for x in (-1.0, 1.0):
        world.add_shape(flat, position=(x, 0.0, 0.0))
    places = [(x, y, 2.0) for x in (-0.5, 0.0, 0.25, 0.5, 0.6) for y in (-0.25, 0.0, 0.1)]
    for shape in (shapes.Box((1.0, 0.5, 0.5)), shapes.Cylinder(0.5, 0.4), shapes.Sphere(0.5)):
        hits = world.shape_cast(shape, places, (0.3, 0.1, -1.0))
        assert hits.normal_world == pytest.approx(np.tile((0.0, 0.0, 1.0), (len(places), 1)), abs=1e-12)
    # a side arrives at an edge of a triangle as the bottom arrives at the ground
    for shape, reach, height in (
        (shapes.Box((1.0, 0.5, 0.5)), (0.5, 0.25), 0.25),
        (shapes.Cylinder(0.5, 0.4), (0.5, 0.0), 0.2),
    ):
        for direction in ((0.3, 0.2, -1.0), (0.3, -0.2, -1.0), (-0.3, 0.2, -1.0), (-1.0, 0.7, -1.0), (1.0, 0.0, -1.0)):
            aside = np.sign(direction[:2]) * reach
            ends = [(x - aside[0], y - aside[1], height) for x in (-0.5, 0.0, 0.5) for y in (-0.5, 0.0, 0.1)]
            hits = world.shape_cast(shape, np.array(ends) - 1.5 * np.array(direction), direction)
            assert hits.normal_world == pytest.approx(np.tile((0.0, 0.0, 1.0), (len(ends), 1)), abs=1e-9)
    roof = World(0.01)
    roof.add_shape(shapes.HeightField(np.repeat([[0.0], [1.0], [0.0]], 3, axis=1), 1.0))
    hits = roof.shape_cast(shapes.Box((1.0, 0.5, 0.5)), (0.1, 0.1, 5.0), (0.0, 0.0, -1.0))
    assert hits.normal_world[0] == pytest.approx((0.0, 0.0, 1.0), abs=1e-9) and hits.distance[0] == pytest.approx(3.75)


def answers():
    """The bits of answers about all kinds of terrain."""
    random, found = np.random.default_rng(12), []
    for kind in KINDS:
        ground = Ground(kind, 6)
        count = sized(6, 20)
        origins, targets = ground.near(random, count, 6.0), ground.near(random, count, 0.8)
        found.append(ground.world.ray_cast(origins, targets - origins))
        handles = []
        for shape, _solid in FORMS.values():
            found.append(ground.world.shape_cast(shape, origins, targets - origins, orientation=unit(random, 4)))
            found.append(ground.world.overlaps(shape, targets))
            handles.append(ground.world.add_shape(shape, position=targets[len(handles)]))
        found.append(ground.world.closest_points(handles, ground.handle))
    return b"".join(part.tobytes() for answer in found for part in answer if isinstance(part, np.ndarray)).hex()


def test_plain_python_has_the_same_bits():
    assert in_plain_python(answers) == answers()
