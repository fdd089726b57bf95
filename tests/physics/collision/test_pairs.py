"""Every pair of shapes in a world: gaps, normals and points against quadratic programming, also exchanged, nudged, parallel and thin."""

import itertools

import numpy as np
import pytest

from engine import MassProperties, World, shapes
from engine.collision import cores
from engine.rotation import multiply, rotate

from ...lengths import sized
from .placing import Solid, depth, span
from .test_parting import reach

RANDOM = np.random.default_rng(34)
CORNERS = RANDOM.normal(size=(20, 3)) * (0.5, 0.4, 0.3)
LEAF = [(x, y, z * 5e-5) for x in (-0.5, 0.5) for y in (-0.4, 0.5) for z in (-1, 1)]
STRAIGHT = (0.0, 0.0, 0.0, 1.0)
LEANING = (0.0, 0.6, 0.0, 0.8)
HILLS = shapes.HeightField([(0.1, -0.2, 0.0), (0.0, 0.3, -0.1), (0.2, 0.0, 0.1)], 1.2)
ROOF = shapes.TriangleMesh(
    [(0, 0, 0.4), (1.5, 0, 0), (0, 1.3, 0.1), (-1.4, 0, 0), (0, -1.5, 0)], [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 1)]
)


def triangles(ground):
    return [Solid(cores.TRIANGLE, corners=ground.vertices[list(face)]) for face in ground.faces]


BOX, CAPSULE = Solid(cores.BOX_CORE, (0.4, 0.2, 0.3)), Solid(cores.SEGMENT, (0, 0, 0.3), 0.2)
UP = Solid(cores.POINT)
"""Stands for the plane z = 0."""
FORMS = {
    "sphere": (shapes.Sphere(0.4), [Solid(cores.POINT, radius=0.4)]),
    "box": (shapes.Box((1.0, 0.6, 0.8)), [Solid(cores.BOX_CORE, (0.5, 0.3, 0.4))]),
    "capsule": (shapes.Capsule(0.3, 1.0), [Solid(cores.SEGMENT, (0.0, 0.0, 0.5), 0.3)]),
    "cylinder": (shapes.Cylinder(0.4, 1.0), [Solid(cores.CYLINDER, (0.4, 0.0, 0.5))]),
    "hull": (shapes.ConvexHull(CORNERS), [Solid(cores.HULL, corners=CORNERS)]),
    "compound": (
        shapes.Compound([(shapes.Box((0.8, 0.4, 0.6)), (0.3, 0, 0), STRAIGHT), (shapes.Capsule(0.2, 0.6), (-0.4, 0, 0.1), LEANING)]),
        [BOX.at((0.3, 0, 0), STRAIGHT), CAPSULE.at((-0.4, 0, 0.1), LEANING)],
    ),
    "plate": (shapes.Box((1.0, 1.0, 1e-4)), [Solid(cores.BOX_CORE, (0.5, 0.5, 5e-5))]),
    "rod": (shapes.Capsule(5e-5, 1.0), [Solid(cores.SEGMENT, (0.0, 0.0, 0.5), 5e-5)]),
    "coin": (shapes.Cylinder(0.5, 1e-4), [Solid(cores.CYLINDER, (0.5, 0.0, 5e-5))]),
    "leaf": (shapes.ConvexHull(LEAF), [Solid(cores.HULL, corners=LEAF)]),
    "plane": (shapes.Plane((0.0, 0.0, 1.0)), [UP]),
    "field": (HILLS, triangles(HILLS)),
    "mesh": (ROOF, triangles(ROOF)),
}  # fmt: skip
"""Each shape, and the convex parts of which it consists."""
CONVEX, THIN, GROUNDS = list(FORMS)[:6], list(FORMS)[6:10], list(FORMS)[10:]
PAIRS = [
    *itertools.combinations_with_replacement(CONVEX, 2),
    *itertools.product(CONVEX, GROUNDS),
    *itertools.product(THIN, CONVEX + GROUNDS),
    *itertools.combinations_with_replacement(THIN, 2),
]
MASS = MassProperties(2.0, 0.2 * np.eye(3))
GAP = 2e-3
"""At which pairs are compared, over the least half extent; they are near each other up to 1e-2 of it."""


def unit(random, *shape):
    given = random.normal(size=shape)
    return given / np.linalg.norm(given, axis=-1, keepdims=True)


def parts_of(name, position, turn):
    return [
        part.at(np.add(position, rotate(turn, part.position)), multiply(turn, part.turn)) for part in FORMS[name][1]
    ]


def distances(parts, others):
    """The distance of each part of a shape to each of another one, and the unit vector from this."""
    for one, other in itertools.product(parts, others):
        if other.kind == cores.POINT and other.radius == 0.0:
            yield -reach(one, np.array((0.0, 0.0, -1.0))) - one.radius, np.array((0.0, 0.0, 1.0))
            continue
        way = span(one, other)
        size = np.linalg.norm(way)
        yield size - one.radius - other.radius, way / size


def approached(one, other, random, gap):
    """Poses at which a shape has come from far away as near to the other one as a gap; the gap, and the direction from the other one.

    The distance of two parts is a convex function of the way, to which Newton's method comes from one side.
    """
    turn, other_turn = unit(random, 4), STRAIGHT if other in GROUNDS else unit(random, 4)
    out = unit(random, 3)
    if other in GROUNDS:
        out = unit(random, 3) + np.array((0.0, 0.0, 2.0))
        out /= np.linalg.norm(out)
    others, place = parts_of(other, (0, 0, 0), other_turn), 3.0 * out
    for _step in range(40):
        found = list(distances(parts_of(one, place, turn), others))
        apart, toward = min(found, key=lambda each: each[0])
        if apart < 1.1 * gap:
            break
        place = place - out * min((each - gap) / (away @ out) for each, away in found if away @ out > 0.0)
    return (place, turn), ((0.0, 0.0, 0.0), other_turn), float(apart), toward


def touching(one, other, poses, is_exchanged=False, nudge=0.0):
    """The contacts after a tick without motion; the first shape is nudged."""
    world = World(1 / 60)
    order = ((one, poses[0], nudge), (other, poses[1], 0.0))
    for name, (place, turn), by in order[::-1] if is_exchanged else order:
        shape = FORMS[name][0]
        if name in GROUNDS:
            world.add_shape(shape, position=place, orientation=turn)
        else:
            world.add_body(MASS, position=np.add(place, by), orientation=turn).add_shape(shape)
    world.step()
    return world.contacts


def least_of(*names):
    return min(part.least for name in names if name not in GROUNDS for part in FORMS[name][1])


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_gaps_normals_and_points_are_those_of_quadratic_programming(one, other):
    """Also in the other order, and with one of the shapes moved by 1e-9 m.

    A face that explains the distance to 1e-4 of the least half extent is touched, so that gaps and normals are those of the face.
    """
    random = np.random.default_rng(100 * PAIRS.index((one, other)))
    least, signs = least_of(one, other), (1.0, 1.0 if other in GROUNDS else -1.0)
    for _case in range(sized(2, 12)):
        *poses, apart, toward = approached(one, other, random, GAP * least)
        found = [touching(one, other, poses, is_exchanged) for is_exchanged in (False, True)]
        found += [touching(one, other, poses, nudge=1e-9 * nudge) for nudge in unit(random, 2, 3)]
        for contacts, sign in zip(found, (*signs, 1.0, 1.0), strict=True):
            assert len(contacts), poses
            number = int(np.argmin(contacts.gap))
            assert contacts.gap[number] == pytest.approx(apart, abs=1e-4 * least + 1e-9), poses
            assert sign * contacts.normal_world[number] @ toward > 0.95 - 2e-9 / apart
            assert np.abs(contacts.normal_impulse).max() == 0.0
        first, exchanged, *nudged = [contacts.gap.min() for contacts in found]
        assert exchanged == pytest.approx(first, abs=1e-4 * least)
        assert nudged == pytest.approx([first, first], abs=3e-9)


def roof(slope, half):
    """A hull whose upper side has a ridge along y, at the height 0."""
    foot = -half * np.tan(slope)
    top = [(0.0, y, 0.0) for y in (-1.0, 1.0)] + [(x, y, foot) for x in (-half, half) for y in (-1.0, 1.0)]
    return shapes.ConvexHull([*top, *((x, y, -1.0) for x in (-half, half) for y in (-1.0, 1.0))])


CUBE = 0.3 * np.array(list(itertools.product((-1.0, 1.0), repeat=3)))


@pytest.mark.parametrize("standing", [shapes.Box((0.6, 0.6, 0.6)), shapes.ConvexHull(CUBE)], ids=["box", "hull"])
@pytest.mark.parametrize(
    ("ground", "border", "slope"),
    [(shapes.Box((2.0, 2.0, 2.0)), 1.0, 0.0), (roof(0.05, 1.0), 0.0, 0.05), (roof(0.4, 1.0), 0.0, 0.4)],
    ids=["box", "flat roof", "roof"],
)
@pytest.mark.parametrize("aside", [1e-7, 1e-4, 2e-4])
def test_a_corner_above_a_face_touches_it_also_near_its_border(standing, ground, border, slope, aside):
    """A box that stands on its corner does not fall past the border of a face, beside which the rest of it is above the face as well."""
    tip, down = np.ones(3) / np.sqrt(3.0), np.array((0.0, 0.0, -1.0))
    on_tip = np.append(np.cross(tip, down), 1.0 + tip @ down)
    # one of its faces is lower than the others; it looks inward, along the border, and outward
    for lean, heading in itertools.product((0.0, 0.2), np.linspace(0.0, 2.0 * np.pi, 8)):
        turn = multiply((0.0, 0.0, np.sin(0.5 * heading), np.cos(0.5 * heading)), on_tip / np.linalg.norm(on_tip))
        turn = multiply((0.0, np.sin(0.5 * lean), 0.0, np.cos(0.5 * lean)), turn)
        world, gap, up = World(1 / 60), 1e-3, np.array((-np.sin(slope), 0.0, np.cos(slope)))
        world.add_shape(ground, position=(0.0, 0.0, -1.0 if slope == 0.0 else 0.0))
        at = np.array((border - aside, 0.1, -aside * np.tan(slope))) + gap * up
        body = world.add_body(MASS, position=at - rotate(turn, 0.3 * np.sqrt(3.0) * tip), orientation=turn)
        body.add_shape(standing)
        world.step()
        assert len(world.contacts), (lean, heading)
        nearest = int(np.argmin(world.contacts.gap))
        assert world.contacts.gap[nearest] == pytest.approx(gap, abs=1e-6)
        assert world.contacts.normal_world[nearest] == pytest.approx(up, abs=1e-3)


STILL = [name for name in FORMS if name not in ("field", "mesh", "compound", "hull")]


def reach_of(name, sign):
    """How far a shape that is not turned reaches along z, up or down."""
    (part,) = FORMS[name][1]
    return max(sign * corner[2] for corner in part.vertices(8)) + part.radius


@pytest.mark.parametrize(("one", "other"), [pair for pair in PAIRS if {*pair} <= {*STILL}])
def test_what_is_parallel_touches_over_all_of_its_common_face_or_line(one, other):
    """One above the other: all gaps are the same and all normals vertical; also in the other order, nudged, and overlapping by 1e-9 m."""
    flat, shift = {"box", "plate", "cylinder", "coin", "leaf", "plane"}, 1e-9 * np.array((1.0, 1.0, 0.0))
    aside = (0.05, 0.02) if {one, other} & flat else (0.0, 0.0)
    for gap, is_exchanged, nudge in itertools.product(
        (1e-3 * least_of(one, other), -1e-9), (False, True), (0.0, shift)
    ):
        place = (*aside, reach_of(one, -1.0) + reach_of(other, 1.0) + gap)
        contacts = touching(one, other, ((place, STRAIGHT), ((0.0, 0.0, 0.0), STRAIGHT)), is_exchanged, nudge)
        assert len(contacts) == (4 if {one, other} <= flat else 1)
        assert contacts.gap == pytest.approx(np.full(len(contacts), gap), abs=1e-9)
        assert np.abs(contacts.normal_world[:, 2]) == pytest.approx(np.ones(len(contacts)), abs=1e-9)


EXACT = [pair for pair in PAIRS if {*pair} & {"sphere", "capsule"} or {*pair} <= {"box", "hull", "plane"}]


@pytest.mark.parametrize(
    ("one", "other"), [pair for pair in EXACT if not {*pair} & {"compound", "field", "mesh", *THIN}]
)
def test_depths_are_those_of_quadratic_programming_and_of_the_difference_of_corners(one, other):
    """Of round shapes, whose cores are apart, and of polyhedra; of what overlaps by 1 mm, a fifth parts in a tick."""
    random = np.random.default_rng(7 + PAIRS.index((one, other)))
    is_round = bool({one, other} & {"sphere", "capsule"})
    for _case in range(sized(2, 12)):
        *poses, apart, toward = approached(one, other, random, 1e-4)
        (place, turn), other_pose = poses
        poses = (place - (apart + 1e-3) * toward, turn), other_pose
        parts = parts_of(one, *poses[0]), parts_of(other, *poses[1])
        deep = -min(distances(*parts))[0] if is_round or other == "plane" else depth(parts[0][0], parts[1][0])
        for is_exchanged in (False, True):
            contacts = touching(one, other, poses, is_exchanged)
            assert contacts.gap.min() == pytest.approx(-0.8 * deep, abs=1e-6 + 5e-2 * deep), poses


def test_edges_touch_that_cross_where_neither_is_above_a_face():
    """The planes of faces are hardly nearer than the edges, but nothing is above the faces."""
    place, turn = (-0.17493289, -0.65326712, -0.93148125), (0.18234497, 0.41837754, 0.37634208, -0.80627364)
    other_turn = (0.90596147, 0.37616136, -0.16247538, 0.10648094)
    for is_exchanged in (False, True):
        contacts = touching("box", "box", ((place, turn), ((0.0, 0.0, 0.0), other_turn)), is_exchanged)
        assert contacts.gap.min() == pytest.approx(6e-4, abs=1e-6)
        (other,), (one,) = parts_of("box", (0, 0, 0), other_turn), parts_of("box", place, turn)
        way = span(one, other) / 6e-4
        assert contacts.normal_world[0] == pytest.approx(-way if is_exchanged else way, abs=1e-4)
