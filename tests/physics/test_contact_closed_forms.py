"""Contacts beside closed forms, through shapes: slopes in any direction, tipping, impacts of rods, thin plates, and pairs in any order."""

from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from engine import MassProperties, World, forces, joints, shapes
from engine.rotation import multiply, rotate

from ..lengths import sized

G = 9.81
EDGES = (1.0, 0.8, 0.6)
BOX = MassProperties.box(2.0, EDGES)
CORNERS = [(x * 0.5, y * 0.4, z * 0.3) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
STANDING = {"box": shapes.Box(EDGES), "hull": shapes.ConvexHull(CORNERS)}
GROUND = {"plane": (shapes.Plane(), 0.0), "box": (shapes.Box((40.0, 40.0, 2.0)), 1.0)}


@pytest.mark.parametrize("standing", STANDING)
@pytest.mark.parametrize("below", GROUND)
@pytest.mark.parametrize("seed", range(2))
def test_a_box_slides_down_in_any_direction_above_the_angle_of_friction_and_rests_below(standing, below, seed):
    """By ``½ g (sin a − μ cos a) t²``, on a slope that lies anyhow in the world."""
    random, turn = np.random.default_rng(seed), Rotation.random(random_state=seed).as_quat()
    heading = random.uniform(0.0, 2.0 * np.pi)
    down = np.array((np.cos(heading), np.sin(heading), 0.0))
    ground, top = GROUND[below]
    for angle in (np.arctan(0.5) - 1e-3, np.arctan(0.5) + 1e-3, 0.8):
        world = World(1 / 60)
        world.add_shape(ground, orientation=turn)
        gravity = G * (np.sin(angle) * down - np.array((0.0, 0.0, np.cos(angle))))
        world.add_force(forces.UniformGravity(rotate(turn, gravity)))
        spin = Rotation.from_rotvec((0.0, 0.0, random.uniform(0.0, 1.5)))
        body = world.add_body(
            BOX, position=rotate(turn, (0.0, 0.0, top + 0.3)), orientation=(Rotation.from_quat(turn) * spin).as_quat()
        )
        body.add_shape(STANDING[standing])
        start = body.position
        world.step(60)
        wanted = max(0.5 * G * (np.sin(angle) - 0.5 * np.cos(angle)), 0.0)
        assert body.position - start == pytest.approx(rotate(turn, wanted * down), abs=2e-6)


@pytest.mark.parametrize("excess", [-0.02, 0.02])
def test_a_tall_box_tips_where_gravity_passes_its_edge(excess):
    """On a slope on which it does not slide, at ``tan a = width/height``."""
    angle = np.arctan(0.4 / 1.6) + excess
    world = World(1 / 60)
    world.add_shape(shapes.Plane(), material=shapes.Material(2.0))
    world.add_force(forces.UniformGravity((G * np.sin(angle), 0.0, -G * np.cos(angle))))
    tower = world.add_body(MassProperties.box(5.0, (0.4, 0.5, 1.6)), position=(0.0, 0.0, 0.8))
    tower.add_shape(shapes.Box((0.4, 0.5, 1.6)), material=shapes.Material(2.0))
    world.step(240)
    tilt = 2.0 * np.arcsin(min(1.0, np.linalg.norm(tower.orientation[:3])))
    assert tilt < 1e-7 if excess < 0.0 else tilt > 1.0


@pytest.mark.parametrize("restitution", [0.0, 1.0])
@pytest.mark.parametrize("angle", [0.3, 0.9, 1.3])
@pytest.mark.parametrize("kind", ["box", "capsule"])
def test_a_rod_that_falls_on_its_end_turns_as_the_impulse_says(kind, angle, restitution):
    """Without friction, ``J = (1 + e) m v / (1 + m x²/I)``, with the distance x of the touching end from the mass centre."""
    length, thick, speed, dt = 2.0, 0.02, 1.5, 1e-5
    if kind == "box":
        mass, shape = MassProperties.box(3.0, (length, thick, thick)), shapes.Box((length, thick, thick))
        turn = Rotation.from_rotvec((0.0, angle, 0.0))
        low = turn.apply([(x * length / 2, 0.0, z * thick / 2) for x in (-1, 1) for z in (-1, 1)])
        along, height = low[low[:, 2].argmin(), 0], -low[:, 2].min()
    else:
        mass = MassProperties.capsule(3.0, thick, length)
        shape = shapes.Capsule(thick, length)
        turn = Rotation.from_rotvec((0.0, angle - np.pi / 2, 0.0))
        ends = turn.apply([(0.0, 0.0, z * length / 2) for z in (-1, 1)])
        along, height = ends[ends[:, 2].argmin(), 0], thick - ends[:, 2].min()
    world = World(dt)
    material = shapes.Material(0.0, restitution)
    world.add_shape(shapes.Plane(), material=material)
    rod = world.add_body(
        mass, position=(0.0, 0.0, height + 0.4 * speed * dt), orientation=turn.as_quat(), velocity=(0, 0, -speed)
    )
    rod.add_shape(shape, material=material)
    world.step(2)
    inertia = rod.inertia_world[1, 1]
    impulse = (1.0 + restitution) * 3.0 * speed / (1.0 + 3.0 * along**2 / inertia)
    assert rod.velocity == pytest.approx((0.0, 0.0, impulse / 3.0 - speed), abs=1e-4)
    assert rod.angular_velocity_world == pytest.approx((0.0, -along * impulse / inertia, 0.0), abs=2e-4)


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("kind", ["sphere", "box"])
def test_an_elastic_body_rebounds_whenever_in_the_tick_it_lands(kind, friction):
    """Also at the very end of one, or a little later, where the gap counts as closed; each landing is one hit."""
    material, speed, dt = shapes.Material(friction, 1.0), 1.5, 1 / 128
    shape, mass, half = PAIRS[kind]
    for late in (0.0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6, 4e-6, 1e-5, 1e-4, 0.3 * speed * dt):
        world, hits = World(dt), []
        world.add_shape(shapes.Plane(), material=material)
        world.on_contact(lambda world, contact, hits=hits: hits.append(contact.closing_speed), event="hit", name="hit")
        body = world.add_body(mass, position=(0.0, 0.0, half + 8.0 * speed * dt + late), velocity=(0.0, 0.0, -speed))
        body.add_shape(shape, material=material)
        world.step(14)
        assert body.velocity == pytest.approx((0.0, 0.0, speed), abs=1e-8), late
        assert hits == pytest.approx([speed], abs=1e-8), late


@pytest.mark.parametrize("size", [1.0, 0.1, 0.03, 0.003])
@pytest.mark.parametrize("ground", [shapes.Plane(), shapes.Box((40.0, 40.0, 1.0))], ids=["plane", "box"])
def test_what_is_small_lands_without_overlap(size, ground):
    """Gravity moves it by 1.4 mm in a tick beside its velocity, which is more than a share of its size."""
    world = World(1 / 60)
    world.add_shape(ground, position=(0.0, 0.0, 0.0 if isinstance(ground, shapes.Plane) else -0.5))
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    for phase in range(20):
        place = (3.0 * size * (phase % 5), 3.0 * size * (phase // 5), 0.5 * size + 1e-4 + 0.01 * phase)
        body = world.add_body(MassProperties.box(1.0, (size, size, size)), position=place)
        body.add_shape(shapes.Box((size, size, size)))
    for _tick in range(30):
        world.step()
        assert (world.contacts.gap > -1e-9).all()
    assert np.abs(world.state.velocity).max() < 1e-9


TILE = (0.5, 0.5, 0.1)
CORNERS_OF_TILE = np.array([(x, y, z) for x in (-0.25, 0.25) for y in (-0.25, 0.25) for z in (-0.05, 0.05)])


@pytest.mark.parametrize("shape", [shapes.Box(TILE), shapes.ConvexHull(CORNERS_OF_TILE)], ids=["box", "hull"])
@pytest.mark.parametrize("speed", [2.0, 2.9, 5.0, 20.0])
@pytest.mark.parametrize("tilt", [0.0, 0.1, 0.5])
def test_a_tile_that_falls_on_a_plane_stops_on_it(shape, speed, tilt):
    """It moves farther in a tick than it is thick, so that the corners above touch the plane as well if they are asked."""
    for phase in range(0, 5, sized(2, 1)):
        world = World(1 / 60)
        ground = world.add_shape(shapes.Plane())
        world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
        turn, height = np.sin(0.5 * tilt), 0.06 + 0.36 * np.sin(tilt) + speed / 60 * (1.0 + phase / 5)
        tile = world.add_body(
            MassProperties.box(2.0, TILE),
            position=(0.0, 0.0, height),
            velocity=(0.0, 0.0, -speed),
            orientation=(0.6 * turn, 0.8 * turn, 0.0, np.cos(0.5 * tilt)),
        )
        tile.add_shape(shape)
        for _tick in range(12):
            world.step()
            assert world.closest_points(tile, ground).distance[0] > -3e-8, phase
        assert np.abs(tile.angular_velocity_body).max() < 1e-9


SLAB = np.array([(x, y, z) for x in (-0.25, 0.0, 0.25) for y in (-0.25, 0.0, 0.25) for z in (-0.05, 0.05)])


@pytest.mark.parametrize("speed", [5.0, 20.0, 60.0])
def test_a_fast_hull_with_a_bottom_that_is_nearly_flat_lands_on_its_lower_corners(speed):
    """Corners of its upper face, which touch in the same tick, would be kept in place of some of them: it would overlap by 0.5 mm."""
    for seed in range(4):
        world = World(1 / 60)
        ground = world.add_shape(shapes.Plane())
        world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
        at, velocity = (0.0, 0.0, 0.06 + speed / 60 * (1.0 + seed / 4)), (0.0, 0.0, -speed)
        slab = world.add_body(MassProperties.box(2.0, TILE), position=at, velocity=velocity)
        slab.add_shape(shapes.ConvexHull(SLAB + 1e-3 * np.random.default_rng(seed).normal(size=SLAB.shape)))
        for _tick in range(12):
            world.step()
            assert world.closest_points(slab, ground).distance[0] > -1e-8, seed


@pytest.mark.parametrize("noise", [1e-7, 1e-5, 1e-4, 1e-3])
@pytest.mark.parametrize(
    "ground",
    [
        shapes.Plane(),
        shapes.Box((8.0, 8.0, 1.0)),
        shapes.ConvexHull([(x, y, z) for x in (-4, 4) for y in (-4, 4) for z in (-0.5, 0.5)]),
    ],
    ids=["plane", "box", "hull"],
)
def test_a_hull_with_a_bottom_that_is_nearly_flat_rests(noise, ground):
    """What touches are the corners of all faces of its bottom; with four of them, it rocks at up to 0.12 m/s for ever."""
    for seed in range(sized(3, 6)):
        world, down = World(1 / 60), 0.0 if isinstance(ground, shapes.Plane) else -0.5
        world.add_shape(ground, position=(0.0, 0.0, down))
        world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
        slab = world.add_body(MassProperties.box(2.0, TILE), position=(0.0, 0.0, 0.06))
        slab.add_shape(shapes.ConvexHull(SLAB + noise * np.random.default_rng(seed).normal(size=SLAB.shape)))
        world.step(240)
        for _tick in range(60):
            world.step()
            assert max(np.abs(slab.velocity).max(), np.abs(slab.angular_velocity_body).max()) < 1e-6
            assert world.contacts.gap.min() > -2e-6


@pytest.mark.parametrize(
    ("height", "slope", "speed", "rate"),
    [
        (0.1, np.arctan(0.3), 2.45, 240),
        (0.1, np.arctan(0.3), 2.55, 240),
        (0.1, 0.3, 1.9, 60),
        (0.1, 0.7, 1.9, 240),
        (0.5, 1.0, 2.9, 60),
        (0.5, 0.5, 2.7, 60),
    ],
)
def test_a_disc_that_tips_over_a_ridge_lands_on_the_face_behind_it(height, slope, speed, rate):
    """Its rim, on either side of the ridge, is among the points; without, it overlaps a face by up to 33 mm."""
    world, fall = World(1 / rate), 3.0 * np.tan(slope)
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    smooth = shapes.Material(0.0)
    roof = [(0.0, y, 0.0) for y in (-2.0, 2.0)]
    roof += [(x, y, z) for x in (-3.0, 3.0) for y in (-2.0, 2.0) for z in (-fall, -fall - 1.0)]
    ridge = world.add_shape(shapes.ConvexHull(roof), material=smooth)
    along = np.array((np.cos(slope), 0.0, np.sin(slope)))
    disc = world.add_body(
        MassProperties.cylinder(2.0, 0.25, height),
        position=(0.5 * height + 1e-4) * np.array((-np.sin(slope), 0.0, np.cos(slope)))
        - min(1.0, 0.3 * speed**2 / (G * np.sin(slope))) * along,
        velocity=speed * along,
        orientation=(0.0, np.sin(-0.5 * slope), 0.0, np.cos(0.5 * slope)),
    )
    disc.add_shape(shapes.Cylinder(0.25, height), material=smooth)
    turned = 0.0
    for _tick in range(3 * rate // 2):
        world.step()
        assert world.closest_points(disc, ridge).distance[0] > -1e-5
        turned = max(turned, np.abs(disc.angular_velocity_body).max())
        if abs(disc.position[0]) > 2.0:
            break
    assert turned > 1.0


@pytest.mark.parametrize(("kind", "other"), [("box", "box"), ("hull", "hull"), ("box", "hull")])
def test_an_edge_that_rocks_on_a_crossed_edge_does_not_sink_in(kind, other):
    """Their normal turns with the rod and not with the ridge; if it turns with the ridge, the rod sinks in by 0.15 mm."""

    def block(kind, size):
        corners = [
            (x * size[0], y * size[1], z * size[2]) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)
        ]
        return shapes.Box(size) if kind == "box" else shapes.ConvexHull(corners)

    smooth, sine, cosine = shapes.Material(0.0), np.sin(np.pi / 8), np.cos(np.pi / 8)
    for start in (0.0, 0.03, 0.06, 0.09):
        world, size = World(1 / 60), (1.0, 0.2, 0.2)
        world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
        ridge = world.add_shape(
            block(other, (1.0, 4.0, 1.0)),
            position=(0.0, 0.0, -np.sqrt(0.5)),
            orientation=(0.0, sine, 0.0, cosine),
            material=smooth,
        )
        rod = world.add_body(
            MassProperties.box(2.0, size),
            position=(start, 0.0, 0.1 * np.sqrt(2.0) + 1e-3),
            velocity=(0.5, 0.0, 0.0),
            orientation=(sine, 0.0, 0.0, cosine),
            angular_velocity_body=(0.0, 4.0 * np.sqrt(0.5), -4.0 * np.sqrt(0.5)),
        )
        rod.add_shape(block(kind, size), material=smooth)
        for _tick in range(15):
            world.step()
            assert world.closest_points(rod, ridge).distance[0] > -1e-8
        assert rod.angular_velocity_world[1] != pytest.approx(4.0, abs=0.1)


@pytest.mark.parametrize("kind", ["disc", "box", "hull"])
def test_what_leaves_a_face_over_a_ridge_is_not_stopped_by_it(kind):
    """What lies on the one face and slides down from the ridge is above the other face, too, whose plane goes on within it."""
    slope, speed, smooth = 0.3, 3.0, shapes.Material(0.0)
    shape = {"disc": shapes.Cylinder(0.25, 0.1), "box": shapes.Box(TILE), "hull": shapes.ConvexHull(CORNERS_OF_TILE)}[
        kind
    ]
    down, up = np.array((np.cos(slope), 0.0, -np.sin(slope))), np.array((np.sin(slope), 0.0, np.cos(slope)))
    roof = [(x, y, -abs(x) * np.tan(slope)) for x in (-4.0, 0.0, 4.0) for y in (-2.0, 2.0)]
    roof += [(x, y, -3.0) for x in (-4.0, 4.0) for y in (-2.0, 2.0)]
    for phase in range(10):
        world = World(1 / 60)
        world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
        world.add_shape(shapes.ConvexHull(roof), material=smooth)
        start, turn = 0.05 + 0.005 * phase, np.sin(0.5 * slope)
        mass = MassProperties.box(2.0, TILE)
        body = world.add_body(
            mass,
            position=start * down + 0.05 * up,
            velocity=speed * down,
            orientation=(0.0, turn, 0.0, np.cos(0.5 * slope)),
        )
        body.add_shape(shape, material=smooth)
        for _tick in range(15):
            world.step()
            assert np.abs(body.angular_velocity_body).max() < 1e-6
        time = 15 / 60
        assert body.position @ down == pytest.approx(start + speed * time + 0.5 * G * np.sin(slope) * time**2, abs=1e-6)


def crates(*placed, friction=0.5):
    """A world with cubes of 1 m on the ground, each with its mass, position and velocity."""
    world = World(1 / 60)
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    material = shapes.Material(friction)
    world.add_shape(shapes.Plane((0.0, 0.0, 1.0)), material=material)
    for mass, position, velocity in placed:
        crate = world.add_body(MassProperties.box(mass, (1.0, 1.0, 1.0)), position=position, velocity=velocity)
        crate.add_shape(shapes.Box((1.0, 1.0, 1.0)), material=material)
    return world


def law_of_coulomb(world, friction):
    """What pushing points miss of the law: friction beyond the cone and the work of û, in largest impulses, and −u_n [m/s]."""
    contacts = world.contacts
    along, normals = contacts.normal_impulse, contacts.normal_world
    across, largest = np.linalg.norm(contacts.friction_impulse_world, axis=1), along.max(initial=1e-300)
    passing = np.array([
        body.velocity_at(body.to_body(point)) - (0.0 if other is None else other.velocity_at(other.to_body(point)))
        for (body, other), point in zip(contacts.bodies, contacts.point_world, strict=True)
    ]).reshape(-1, 3)  # fmt: skip
    parting = np.einsum("ij,ij->i", passing, normals)
    sliding = passing - parting[:, np.newaxis] * normals
    work = along * (parting + friction * np.linalg.norm(sliding, axis=1))
    work += np.einsum("ij,ij->i", contacts.friction_impulse_world, sliding)
    pushes = (along != 0.0) | (across != 0.0)
    beyond = np.maximum(across - friction * along, -along)
    return tuple(float(each[pushes].max(initial=0.0)) for each in (beyond / largest, abs(work) / largest, -parting))


LIGHT_AND_HEAVY = {
    "a heavy one on a light one": lambda m: [(1.0, (0, 0, 0.5), (0, 0, 0)), (m, (0, 0, 1.5), (0, 0, 0))],
    "between light ones": lambda m: [(1.0, (0, 0, 0.5), (0, 0, 0)), (m, (0, 0, 1.5), (0, 0, 0)), (1.0, (0, 0, 2.5), (0, 0, 0))],
    "a light one that slides on a heavy one": lambda m: [(m, (0, 0, 0.5), (0, 0, 0)), (1.0, (0, 0, 1.5), (1.0, 0.3, 0))],
    "a heavy one that knocks a light one on": lambda m: [(m, (-2, 0, 0.5), (2.0, 0.1, 0)), (1.0, (0, 0.2, 0.5), (0, 0, 0))],
    "a heavy one that falls on a light one": lambda m: [(1.0, (0, 0, 0.5), (0, 0, 0)), (m, (0.1, 0, 2.0), (0, 0, 0))],
}  # fmt: skip


@pytest.mark.parametrize("ratio", [1.0, 1e3, 1e6])
@pytest.mark.parametrize("name", LIGHT_AND_HEAVY)
def test_the_law_of_coulomb_holds_where_masses_differ_a_million_times(name, ratio):
    """At the end of every tick, in `.ci/run` of every third one: the impulse of each point is in the cone, û is in the dual cone, and their
    product vanishes.
    """
    world = crates(*LIGHT_AND_HEAVY[name](ratio))
    for _tick in range(0, 180, every := sized(3, 1)):
        world.step(every)
        beyond, work, closing = law_of_coulomb(world, 0.5)
        assert beyond < 1e-10 and work < 1e-8 and closing < 5e-7
    assert max(np.linalg.norm(body.velocity) for body in world.bodies) < 1e-7
    assert world.contacts.gap.min() > -1e-8


@pytest.mark.parametrize("ratio", [1e4, 1e5])
def test_a_heavy_crate_that_slides_over_a_light_one_follows_the_law_of_coulomb(ratio):
    """Newton's method does not always end with points as hard as its mass wants them. Sweeps would then leave 0.03 m/s."""
    world = crates((ratio, (0.0, 0.0, 1.5), (3.0, 0.0, 0.0)))
    board = world.add_body(MassProperties.box(1.0, (4.0, 1.0, 1.0)), position=(0.0, 0.0, 0.5))
    board.add_shape(shapes.Box((4.0, 1.0, 1.0)))
    for _tick in range(180):
        world.step()
        beyond, work, closing = law_of_coulomb(world, 0.5)
        assert beyond < 1e-9 and work < 1e-7 and closing < 1e-7
    assert max(np.linalg.norm(body.velocity) for body in world.bodies) < 1e-7


def test_thin_plates_rest_on_each_other():
    """Plates of 1 m and 0.1 mm."""
    world = World(1 / 60)
    world.add_shape(shapes.Plane())
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    edges = (1.0, 1.0, 1e-4)
    plates = world.add_bodies(MassProperties.box(1.0, edges), [(0.1 * n, 0.05 * n, (n + 0.5) * 1e-4) for n in range(3)])
    for plate in plates:
        plate.add_shape(shapes.Box(edges))
    world.step(240)
    for number, plate in enumerate(plates):
        assert plate.position == pytest.approx((0.1 * number, 0.05 * number, (number + 0.5) * 1e-4), abs=1e-7)
        assert np.abs(plate.velocity).max() < 1e-7


PAIRS = {
    "sphere": (shapes.Sphere(0.5), MassProperties.sphere(2.0, 0.5), 0.5),
    "box": (shapes.Box((1.0, 1.0, 1.0)), MassProperties.box(2.0, (1.0, 1.0, 1.0)), 0.5),
    "capsule": (shapes.Capsule(0.5, 0.6), MassProperties.capsule(2.0, 0.5, 0.6), 0.8),
    "cylinder": (shapes.Cylinder(0.5, 1.0), MassProperties.cylinder(2.0, 0.5, 1.0), 0.5),
    "hull": (
        shapes.ConvexHull([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]),
        MassProperties.box(2.0, (1.0, 1.0, 1.0)),
        0.5,
    ),
}


def collided(first, second, is_exchanged, nudge):
    """Velocities after two bodies have met along z, in the order of the names; the upper one is nudged across."""
    world, bodies = World(1 / 240), {}
    for name in ("second", "first") if is_exchanged else ("first", "second"):
        shape, mass, half = PAIRS[first if name == "first" else second]
        sign = -1.0 if name == "first" else 1.0
        position = (nudge if sign > 0.0 else 0.0, 0.0, sign * (half + 0.02))
        bodies[name] = world.add_body(mass, position=position, velocity=(0.0, 0.0, -sign))
        bodies[name].add_shape(shape, material=shapes.Material(0.4))
    world.step(24)
    return np.array([(*body.velocity, *body.angular_velocity_world) for body in (bodies["first"], bodies["second"])])


@pytest.mark.parametrize("first", PAIRS)
@pytest.mark.parametrize("second", PAIRS)
def test_pairs_that_meet_face_to_face_stop_in_any_order_and_if_they_are_nudged(first, second):
    for is_exchanged in (False, True):
        for nudge in (0.0, 1e-9, -1e-9):
            assert np.abs(collided(first, second, is_exchanged, nudge)).max() < 1e-6


def deepest_corner(inner, outer, edges):
    """The largest depth of the corners of a cube within another one of the same edges, from their poses alone."""
    corners = 0.5 * edges * np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    within = [0.5 * edges - np.abs(outer.to_body(inner.to_world(tuple(corner)))).max() for corner in corners]
    return max(within)


@pytest.mark.parametrize("kind", ["box", "hull"])
def test_cubes_that_meet_by_crossed_edges_keep_their_other_corners_out(kind):
    """Faces that are nearly parallel, and edges that cross: an impact there turns them within the tick until other corners meet."""
    half = [(x * 0.25, y * 0.25, z * 0.25) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    shape = shapes.Box((0.5, 0.5, 0.5)) if kind == "box" else shapes.ConvexHull(half)
    deepest = 0.0
    for seed in range(sized(20, 40)):
        random, world, bodies = np.random.default_rng(seed), World(1 / 60), []
        for side in (-1.0, 1.0):
            tilt = 0.15 * random.normal(size=3)
            body = world.add_body(
                MassProperties.box(1.0, (0.5, 0.5, 0.5)),
                position=(*random.uniform(-0.2, 0.2, 2), side * 0.4),
                orientation=(*tilt, np.sqrt(1.0 - tilt @ tilt)),
                velocity=(0.0, 0.0, -side * 2.5),
            )
            body.add_shape(shape, material=shapes.Material(0.3))
            bodies.append(body)
        for _tick in range(12):
            world.step()
            first, second = bodies
            deepest = max(deepest, deepest_corner(first, second, 0.5), deepest_corner(second, first, 0.5))
    assert deepest <= 0.012


def corners_of(x, y, z):
    """The corners of a box of these lengths."""
    return [(a * x / 2, b * y / 2, c * z / 2) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]


def lay(world, tops, ground, material):
    """Shapes of the world along 20 m, each with its top at a height: boxes, hulls, parts of one compound, or a field before a box."""
    parts, length = [], 20.0 / len(tops)
    for number, top in enumerate(tops):
        place, size = (length * (number + 0.5) - 10.0, 0.0, top - 0.5), (length, 6.0, 1.0)
        if ground == "compound":
            parts.append((shapes.Box(size), place, (0.0, 0.0, 0.0, 1.0)))
        elif ground == "field" and len(tops) > 1 and number == 0:
            field = shapes.HeightField(np.zeros((3, 3)), spacing=(0.5 * length, 3.0))
            world.add_shape(field, position=(place[0], 0.0, top), material=material)
        elif ground == "hulls":
            world.add_shape(shapes.ConvexHull(corners_of(*size)), position=place, material=material)
        else:
            world.add_shape(shapes.Box(size), position=place, material=material)
    if parts:
        world.add_shape(shapes.Compound(parts), material=material)


MOVERS = {
    "box": shapes.Box((0.5, 0.5, 0.5)),
    "hull": shapes.ConvexHull(corners_of(0.5, 0.5, 0.5)),
    "ball": shapes.Sphere(0.25),
    "puck": shapes.Cylinder(0.25, 0.5),
    "cylinder": shapes.Cylinder(0.25, 0.5),
    "capsule": shapes.Capsule(0.25, 0.5),
}


@cache
def slid(kind, tops, ground="boxes", speed=5.0, ticks=90):
    """Where a shape of 0.5 m is that has slid or rolled askew over shapes of the world, and how fast it rose at most."""
    world, material = World(1 / 60), shapes.Material(0.2)
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    lay(world, tops, ground, material)
    turn = np.array((0.0, 0.0, np.sin(0.2), np.cos(0.2)))
    if kind in ("cylinder", "capsule"):
        turn = multiply(turn, np.array((-np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))))
    mass = MassProperties.box(2.0, (0.5, 0.5, 0.5))
    body = world.add_body(mass, position=(-3.0, 0.1, 0.25), orientation=turn, velocity=(speed, 0.14 * speed, 0.0))
    body.add_shape(MOVERS[kind], material=material)
    fastest = 0.0
    for _tick in range(ticks):
        world.step()
        fastest = max(fastest, float(body.velocity[2]))
    assert body.position[0] > 1.0
    return body.position, fastest


@pytest.mark.parametrize("kind", sorted(MOVERS))
@pytest.mark.parametrize("ground", ["boxes", "hulls", "compound", "field"])
@pytest.mark.parametrize(("step", "within"), [(0.0, 1e-9), (1e-6, 1e-5), (-1e-6, 1e-5)])
def test_what_slides_over_the_seam_of_two_shapes_is_not_caught(kind, ground, step, within):
    """Where a line lies across the seam, friction has more points along it and another torque."""
    (place, rose), (alone, _rose) = slid(kind, (0.0, step), ground), slid(kind, (0.0,), ground)
    least = 3e-4 if kind in ("cylinder", "capsule") else 4e-7 if ground == "field" else 0.0
    assert place == pytest.approx(alone, abs=max(within, least))
    assert rose <= 1.3e-5  # what lifts out of an overlap of 1 µm at 12/s


@pytest.mark.parametrize("speed", [12.0, 30.0])
def test_a_fast_ball_rolls_over_a_seam(speed):
    """It moves more than half its least extent in a tick, and its time of impact is looked for."""
    (place, rose), (alone, _rose) = (
        slid("ball", (0.0, 0.0), speed=speed, ticks=22),
        slid("ball", (0.0,), speed=speed, ticks=22),
    )
    assert place == pytest.approx(alone, abs=1e-9)
    assert rose <= 1e-9


def onto_slope(angle, kind="ball"):
    """The speed of a frictionless ball of 5 m/s after it has met a slope that begins where a box ends, and its largest overlap."""
    world, material, length, radius = World(1 / 60), shapes.Material(0.0), 6.0, 0.25
    world.add_shape(shapes.Box((10.0, 6.0, 1.0)), position=(-5.0, 0.0, -0.5), material=material)
    top = length * np.tan(angle)
    sides = ((0.0, -1.0), (0.0, 0.0), (length, top), (length, -1.0))
    wedge = shapes.ConvexHull([(x, y, z) for x, z in sides for y in (-3.0, 3.0)])
    world.add_shape(wedge, material=material)
    ball = world.add_body(MassProperties.sphere(1.0, radius), position=(-2.0, 0.0, radius), velocity=(5.0, 0.0, 0.0))
    ball.add_shape(shapes.Sphere(radius), material=material)
    deepest, normal = 0.0, np.array((-np.sin(angle), 0.0, np.cos(angle)))
    for _tick in range(50):
        world.step()
        deepest = max(deepest, radius - ball.position @ normal, radius - ball.position[2])
    return float(np.linalg.norm(ball.velocity)), deepest


@pytest.mark.parametrize("angle", [0.4, 0.1, 0.01])
def test_a_ball_that_rolls_onto_a_slope_beside_a_box_loses_what_is_normal_to_it(angle):
    speed, deepest = onto_slope(angle)
    assert speed == pytest.approx(5.0 * np.cos(angle), abs=1e-9)
    assert deepest <= 1e-9


@pytest.mark.parametrize("height", [0.02, 0.1])
def test_a_ball_hits_the_edge_of_a_step_between_two_boxes(height):
    """An edge that stands out is met as by itself: without friction, what is left is the speed across the line from it to the centre."""
    world, radius, speed = World(1 / 240), 0.25, 3.0
    lay(world, (0.0, height), "boxes", shapes.Material(0.0))
    ball = world.add_body(MassProperties.sphere(1.0, radius), position=(-1.0, 0.0, radius), velocity=(speed, 0.0, 0.0))
    ball.add_shape(shapes.Sphere(radius), material=shapes.Material(0.0))
    world.step(120)
    assert np.linalg.norm(ball.velocity) == pytest.approx(speed * (1.0 - height / radius), rel=0.05)


def test_what_stands_in_a_corner_of_two_boxes_touches_both():
    """The floor rises along the wall at its foot, which is no seam."""
    world = World(1 / 60)
    world.add_force(forces.UniformGravity((G, 0.0, -G)))
    lay(world, (0.0, 0.9), "boxes", shapes.Material(0.0))
    for number, shape in enumerate((MOVERS["box"], MOVERS["puck"], MOVERS["ball"])):
        body = world.add_body(MassProperties.box(2.0, (0.5, 0.5, 0.5)), position=(-0.25, 1.0 * number - 1.0, 0.25))
        body.add_shape(shape, material=shapes.Material(0.0))
    world.step(60)
    for body in world.bodies:
        assert body.contact_force_world == pytest.approx((-2.0 * G, 0.0, 2.0 * G), abs=1e-6)
        assert body.position[[0, 2]] == pytest.approx((-0.25, 0.25), abs=1e-6)


def test_a_raft_of_two_parts_slides_over_a_ball_as_a_whole_one_does():
    """The edges that adjoin are those of the body, which touches a ball of the world."""
    ends = []
    for lengths in ((4.0,), (2.0, 2.0)):
        world = World(1 / 60)
        world.add_shape(shapes.Sphere(0.3), position=(0.0, 0.05, -0.3), material=shapes.Material(0.0))
        raft = world.add_body(
            MassProperties.box(5.0, (4.0, 2.0, 0.2)), position=(-1.5, 0.0, 0.1), velocity=(4.0, 0.3, 0.0)
        )
        places = [((number - 0.5 * (len(lengths) - 1)) * length, 0.0, 0.0) for number, length in enumerate(lengths)]
        parts = [
            (shapes.Box((length, 2.0, 0.2)), at, (0.0, 0.0, 0.0, 1.0))
            for length, at in zip(lengths, places, strict=True)
        ]
        raft.add_shape(shapes.Compound(parts), material=shapes.Material(0.0))
        world.add_force(forces.UniformGravity((0.0, 0.0, -0.5)))
        world.step(40)
        ends.append((raft.position, raft.orientation))
    for one, other in zip(*ends, strict=True):
        assert one == pytest.approx(other, abs=1e-9)


def largest_gain(dt, on_hinge):
    """The largest gain of energy in a tick of a crate of 20 kg that falls from its edge, on the ground or on a hinge there."""
    world = World(dt, integrator="free-rotor-2")
    world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
    tilt, properties = 0.3, MassProperties.box(20.0, (1.0, 1.0, 1.0))
    height, orientation = 0.5 * (np.sin(tilt) + np.cos(tilt)), (0.0, np.sin(tilt / 2), 0.0, np.cos(tilt / 2))
    crate = world.add_body(properties, position=(0.0, 0.0, height), orientation=orientation)
    if on_hinge:
        world.add_joint(joints.Hinge(crate, None, axis_body=(0.0, 1.0, 0.0), at_body=(0.5, 0.0, -0.5)))
    else:
        world.add_shape(shapes.Plane((0.0, 0.0, 1.0)))
        crate.add_shape(shapes.Box((1.0, 1.0, 1.0)))
    gain, before = 0.0, np.inf
    for _tick in range(round(0.3 / dt)):
        rates = crate.angular_velocity_body
        energy = 10.0 * crate.velocity @ crate.velocity + 10.0 / 6.0 * rates @ rates + 196.2 * crate.position[2]
        gain, before = max(gain, energy - before), energy
        world.step()
    return gain


def test_a_crate_that_rocks_gains_what_one_on_a_hinge_at_its_edge_gains():
    gains = [largest_gain(1 / rate, on_hinge=False) for rate in (60, 120, 240)]
    assert gains == pytest.approx([largest_gain(1 / rate, on_hinge=True) for rate in (60, 120, 240)], rel=1e-2)
    assert gains[2] < gains[0] / 50.0  # an error of third order in the tick
