"""Points at which bodies touch, in the step of islands, without shapes: Coulomb's law by dense algebra, and closed forms."""

import numpy as np
import pytest
from scipy.optimize import nnls

from engine import MassProperties, World
from engine.constraints import cone, layout
from engine.constraints.contact_stages import rebound
from engine.rotation import rotate_inverse
from tests.physics.touching import Point, Touching, balls_on_ground, corners_on_ground, stacked, world_with

from ..lengths import sized
from ..plain_python import in_plain_python

G = 9.81
CUBE = MassProperties.box(1.0, (1.0, 1.0, 1.0))
BALL = MassProperties.sphere(1.0, 0.5)


def flung_together(seed, count=6, masses=0.5):
    """Bodies at random velocities, which touch at random points between them, and the first one the world."""
    random = np.random.default_rng(seed)
    world = World(1 / 60)
    for _number in range(count):
        mass = 10.0 ** random.uniform(-masses, masses)
        world.add_body(
            MassProperties(mass, mass * np.diag(random.uniform(0.2, 0.25, 3))),
            position=random.uniform(-1.0, 1.0, 3),
            velocity=random.normal(size=3),
            angular_velocity_body=random.normal(size=3),
        )
    pairs = [(number, random.integers(number)) for number in range(1, count)] + [(count - 1, 0), (0, None)]
    contacts = []
    for number, other in pairs:
        normal, middle = random.normal(size=3), random.uniform(-1.0, 1.0, 3)
        normal /= np.linalg.norm(normal)
        points = []
        for _each in range(random.integers(1, 5)):
            at = middle + 0.3 * np.cross(normal, random.normal(size=3))
            body = world.bodies[number]
            there = at if other is None else world.bodies[other].to_body(at)
            axes = normal if other is None else rotate_inverse(world.bodies[other].orientation, normal)
            points.append(Point(body.to_body(at), there, axes, layout.BY_WORLD if other is None else layout.BY_OTHER))
        contacts.append((number, other, points))
    return world, contacts


def with_contacts(world, contacts, **options):
    bodies = world.bodies
    found = [(bodies[a], None if b is None else bodies[b], points) for a, b, points in contacts]
    return Touching(world, lambda _world: found, **options)


def check_coulombs_law(touching, exact=3e-7):
    """The sum of both stages is in the cone, no point closes, and slip is against friction; momentum follows from the impulses."""
    masses, directions, (before, after), impulses, points = touching.dense()
    reached = before + np.linalg.solve(masses, directions.T @ impulses[:, 1])
    assert np.abs(reached - after).max() < 1e-12 * np.abs(after).max()
    rates, sums = (directions @ after).reshape(-1, 3), impulses.sum(axis=1).reshape(-1, 3)
    scale = sums.max()
    stuck = slid = 0
    for (closing, *slip), (normal, *across), point in zip(rates, sums, points, strict=True):
        if point[layout.CONE] < 0.0:  # it is open and has not pushed
            assert normal == 0.0
            continue
        friction = point[layout.CONE]  # zero where it has pushed and opened
        slip, across = np.array(slip), np.array(across)
        assert closing > -exact and normal >= 0.0
        assert np.linalg.norm(across) <= friction * normal * (1.0 + 1e-12) + 1e-15 * scale
        if normal > 1e-6 * scale:
            assert abs(closing) < exact
            if friction > 0.0 and np.linalg.norm(across) < friction * normal * (1.0 - 1e-6):
                assert np.linalg.norm(slip) < exact
                stuck += 1
            elif friction > 0.0 and np.linalg.norm(slip) > 10.0 * exact:
                assert across @ slip == pytest.approx(-np.linalg.norm(across) * np.linalg.norm(slip), rel=1e-5)
                slid += 1
    return stuck, slid


def test_points_obey_coulombs_law():
    """Six bodies of up to 10 times each other's mass, all of which touch others at up to four points."""
    found = np.zeros(2, int)
    for seed in range(12):
        touching = with_contacts(*flung_together(seed), friction=0.4)
        touching.step()
        found += check_coulombs_law(touching)
    assert found.min() > 5


@pytest.mark.parametrize("seed", range(6))
def test_without_friction_velocities_are_those_of_quadratic_programming(seed):
    """The least change in the norm of the mass matrix with which no point closes, found by non-negative least squares."""
    touching = with_contacts(*flung_together(seed, 5))
    touching.step()
    masses, directions, (before, after), impulses, points = touching.dense()
    acts = (points[:, layout.GAP] < 1e-6) | (impulses[::3, 0] > 0.0)
    normals = directions[::3][acts]
    half = np.linalg.cholesky(np.linalg.inv(masses))
    total_before = before - np.linalg.solve(masses, normals.T @ impulses[::3, 0][acts])
    pushes, _rest = nnls(half.T @ normals.T, -np.linalg.solve(half, total_before))
    wanted = total_before + np.linalg.solve(masses, normals.T @ pushes)
    assert np.abs(after - wanted).max() < 1e-7


def kinetic_energy(world):
    """In joules."""
    return sum(
        0.5 * body.mass * body.velocity @ body.velocity
        + 0.5 * body.angular_momentum_world @ body.angular_velocity_world
        for body in world.bodies
    )


def test_impulses_keep_momentum_and_impacts_add_no_energy():
    """Bodies flung together without the world: per tick, momentum and angular momentum stay, and energy falls in the impact.

    Later, points that stay closed while their bodies rotate hold to second order in the tick, and so does energy.
    """
    for seed in range(6):
        world, contacts = flung_together(seed)
        touching = with_contacts(world, contacts[:-1], friction=0.4)

        def totals(world):
            momentum = sum(body.mass * body.velocity for body in world.bodies)
            spin = sum(
                np.cross(body.position, body.mass * body.velocity) + body.angular_momentum_world
                for body in world.bodies
            )
            return momentum, spin, kinetic_energy(world)

        size = sum(body.mass for body in world.bodies)
        for tick in range(5):
            momentum, spin, energy = totals(world)
            touching.step()
            momentum_after, spin_after, energy_after = totals(world)
            assert np.abs(momentum_after - momentum).max() < 1e-14 * size
            assert np.abs(spin_after - spin).max() < 3e-14 * size
            assert energy_after < energy * (1.0 + (1e-12 if tick == 0 else 1e-5))


def on_slope(angle, dt=1 / 60, **options):
    world = world_with(dt, (0.0, 0.0, 0.5), mass_properties=CUBE, **options)
    gravity = (G * np.sin(angle), 0.0, -G * np.cos(angle))
    return world, Touching(world, lambda world: corners_on_ground(world, (1, 1, 1)), friction=0.5, gravity=gravity)


def test_a_sliding_cube_stops_where_friction_has_taken_its_energy():
    """``v²/(2 μ g)``; the error is that of the last tick, in which it stops."""
    for dt, error in ((1 / 60, 1e-4), (1 / 240, 8e-6)):
        world, touching = on_slope(0.0, dt, velocity=(3.0, 0.0, 0.0))
        touching.step(round(1.0 / dt))
        (body,) = world.bodies
        assert body.position[0] == pytest.approx(3.0**2 / (2.0 * 0.5 * G), abs=error)
        assert np.abs(body.velocity).max() < 1e-7 and abs(body.position[2] - 0.5) < 1e-8


def test_a_cube_slides_down_a_steep_slope_as_the_closed_form_says():
    world, touching = on_slope(0.6)
    touching.step(120)
    wanted = 0.5 * G * (np.sin(0.6) - 0.5 * np.cos(0.6)) * 2.0**2
    assert world.bodies[0].position[0] == pytest.approx(wanted, abs=1e-8)


@pytest.mark.parametrize("angle", [0.4, np.arctan(0.5) - 1e-3])
def test_a_cube_rests_on_a_slope_below_the_angle_of_friction(angle):
    world, touching = on_slope(angle)
    touching.step(600)
    assert np.abs(world.bodies[0].position - (0.0, 0.0, 0.5)).max() < 1e-8


def test_a_cube_slides_on_a_slope_above_the_angle_of_friction():
    angle = np.arctan(0.5) + 1e-3
    world, touching = on_slope(angle)
    touching.step(120)
    wanted = 0.5 * G * (np.sin(angle) - 0.5 * np.cos(angle)) * 2.0**2
    assert world.bodies[0].position[0] == pytest.approx(wanted, abs=1e-7)


def test_a_ball_goes_from_slip_to_roll():
    """It slips for ``2 v/(7 μ g)`` and then rolls at 5/7 of its speed."""
    world = world_with(1 / 60, (0.0, 0.0, 0.5), mass_properties=BALL, velocity=(7.0, 0.0, 0.0))
    touching = Touching(world, lambda world: balls_on_ground(world, 0.5), friction=0.3, gravity=(0.0, 0.0, -G))
    touching.step(120)
    (body,) = world.bodies
    slips = 2.0 * 7.0 / (7.0 * 0.3 * G)
    place = 7.0 * slips - 0.5 * 0.3 * G * slips**2 + 5.0 * (2.0 - slips)
    assert body.velocity[0] == pytest.approx(5.0, rel=2e-7)
    assert body.angular_velocity_body[1] * 0.5 == pytest.approx(5.0, rel=2e-7)
    assert body.position[0] == pytest.approx(place, abs=1e-4)
    assert abs(body.position[2] - 0.5) < 1e-9


@pytest.mark.parametrize("restitution", [1.0, 0.8])
@pytest.mark.parametrize("rate", sized([30], [30, 60, 240]))
def test_a_ball_bounces_to_the_heights_of_the_closed_form(rate, restitution):
    world = world_with(1 / rate, (0.0, 0.0, 2.5), mass_properties=BALL)
    touching = Touching(
        world, lambda world: balls_on_ground(world, 0.5), restitution=restitution, gravity=(0.0, 0.0, -G)
    )
    (body,), tops, rising = world.bodies, [], 0.0
    while len(tops) < 10:
        touching.step()
        if rising > 0.0 >= body.velocity[2]:
            tops.append(body.position[2] - 0.5 + body.velocity[2] ** 2 / (2.0 * G))
        rising = body.velocity[2]
    wanted = 2.0 * restitution ** (2.0 * np.arange(1, 11))
    assert np.abs(np.array(tops) / wanted - 1.0).max() < 2e-8


def test_a_rebound_is_place_and_speed_on_its_parabola():
    gap, speed, acceleration, step, share = 0.02, -3.0, -9.81, 1 / 60, 0.7
    times = np.linspace(0.0, step, 1_000_001)
    before = gap + speed * times + 0.5 * acceleration * times**2
    impact = times[np.argmax(before <= 0.0)]
    away, left = -share * (speed + acceleration * impact), step - impact
    wanted = away * left + 0.5 * acceleration * left**2, away + acceleration * left
    place, velocity, closing = rebound(gap, speed, acceleration, share, False, step, 1e-9)
    assert (place, velocity) == pytest.approx(wanted, rel=1e-5) and closing == pytest.approx(away / share, rel=1e-5)
    assert rebound(gap, speed, acceleration, share, True, step, 1e-9) == pytest.approx(
        (0.0, away, away / share), rel=1e-5
    )
    # neither an impact after the step, nor a rebound that would end within it, nor bodies that separate
    assert rebound(0.1, speed, acceleration, share, False, step, 1e-9) == (0.0, 0.0, 0.0)
    assert rebound(0.0, -0.05, acceleration, share, False, step, 1e-9) == (0.0, 0.0, 0.0)
    assert rebound(0.0, 2.0, acceleration, share, False, step, 1e-9) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("heaviest", [1.0, 1000.0])
def test_a_stack_of_ten_boxes_rests(heaviest):
    """Ten seconds, in `.ci/run` four, also with a box on top that is 1000 times as heavy as the others."""
    world = World(1 / 60)
    for number in range(10):
        mass = heaviest if number == 9 else 1.0
        world.add_body(MassProperties.box(mass, (1.0, 1.0, 1.0)), position=(0.0, 0.0, number + 0.5))
    touching = Touching(world, lambda world: stacked(world, (1, 1, 1)), friction=0.5, gravity=(0.0, 0.0, -G))
    touching.step(sized(240, 600))
    for number, body in enumerate(world.bodies):
        assert np.hypot(*body.position[:2]) < 1e-9 and abs(body.position[2] - number - 0.5) < 1e-6
        assert np.abs(body.velocity).max() < 5e-7


def test_overlaps_part_slowly_and_without_energy():
    """An overlap of 1 cm falls by 12 of itself per second, and leaves no velocity."""
    world = world_with(1 / 60, (0.0, 0.0, 0.49), mass_properties=CUBE)
    touching = Touching(world, lambda world: corners_on_ground(world, (1, 1, 1)), friction=0.5, gravity=(0.0, 0.0, -G))
    for tick in range(1, 20):
        touching.step()
        (body,) = world.bodies
        assert 0.5 - body.position[2] == pytest.approx(0.01 * (1.0 - 12.0 / 60.0) ** tick, abs=1e-8)
        assert np.abs(body.velocity).max() < 1e-6


def tumbled(ticks):
    """State bits of bodies flung together, by direct solves and by sweeps."""
    bits = []
    for swept in (False, True):
        world, contacts = flung_together(3)
        touching = with_contacts(world, contacts, friction=0.4, gravity=(0.0, 0.0, -G), swept=swept)
        touching.step(ticks)
        bits.append(world._bodies.array[:13, :6].tobytes().hex())
    return bits


def test_plain_python_has_the_same_bits():
    assert in_plain_python(tumbled, 2) == tumbled(2)


def test_sweeps_keep_the_cone_and_momentum():
    """What sweeps leave of the rates is not small, but impulses are within the cone and momentum follows from them."""
    for seed in range(6):
        touching = with_contacts(*flung_together(seed), friction=0.4, swept=True)
        touching.step(3)
        masses, directions, (before, after), impulses, _points = touching.dense()
        reached = before + np.linalg.solve(masses, directions.T @ impulses[:, 1])
        assert np.abs(reached - after).max() < 1e-12 * np.abs(after).max()
        sums = impulses.sum(axis=1).reshape(-1, 3)
        assert (sums[:, 0] >= 0.0).all()
        assert (np.hypot(sums[:, 1], sums[:, 2]) <= 0.4 * sums[:, 0] * (1.0 + 1e-12) + 1e-14).all()


def test_friction_waits_until_the_gap_is_closed():
    """A ball that lands in this tick flies on to the ground as without friction; then friction acts on its velocity."""
    world = world_with(1 / 60, (0.0, 0.0, 0.51), mass_properties=BALL, velocity=(1.0, 0.0, -1.0))
    touching = Touching(world, lambda world: balls_on_ground(world, 0.5), friction=0.5)
    touching.step()
    (body,) = world.bodies
    assert body.position == pytest.approx((1 / 60, 0.0, 0.5), abs=1e-9)
    assert body.velocity == pytest.approx((5.0 / 7.0, 0.0, 0.0), abs=1e-7)  # rolls from here on


def test_friction_is_round():
    """A cube flung in any direction stops on the line of its velocity, after the same distance."""
    for angle in (0.3, 0.785, 1.2):
        along = np.array((np.cos(angle), np.sin(angle), 0.0))
        world, touching = on_slope(0.0, velocity=3.0 * along)
        touching.step(60)
        (body,) = world.bodies
        assert body.position[:2] @ along[:2] == pytest.approx(3.0**2 / (2.0 * 0.5 * G), abs=1e-4)
        assert abs(np.cross(along, body.position)[2]) < 1e-6


def test_impulses_that_cancel_each_other_do_not_grow():
    """Friction at the corners of boxes that rest stays zero, and each corner carries a quarter of the weight."""
    world = World(1 / 60)
    for number in range(3):
        world.add_body(CUBE, position=(0.0, 0.0, number + 0.5))
    touching = Touching(world, lambda world: stacked(world, (1, 1, 1)), friction=0.5, gravity=(0.0, 0.0, -G))
    touching.step(300)
    *_others, impulses, _points = touching.dense()
    sums = impulses.sum(axis=1).reshape(3, 4, 3)
    for number in range(3):
        assert sums[number, :, 0] == pytest.approx((3 - number) * G / 60.0 / 4.0, rel=1e-5)
    assert np.abs(sums[:, :, 1:]).max() < 1e-9


def test_a_cube_that_has_come_to_rest_keeps_nothing_of_how_it_stopped():
    """After a slide and a turn about the normal, each corner carries a quarter of the weight, without friction."""
    spin = {"velocity": (1.0, 0.4, 0.0), "angular_velocity_body": (0.0, 0.0, 2.0)}
    world = world_with(1 / 60, (0.0, 0.0, 0.5), mass_properties=CUBE, **spin)
    touching = Touching(world, lambda world: corners_on_ground(world, (1, 1, 1)), friction=0.5, gravity=(0.0, 0.0, -G))
    touching.step(60)
    *_others, impulses, _points = touching.dense()
    sums = impulses.sum(axis=1).reshape(4, 3)
    assert sums[:, 0] == pytest.approx(world.bodies[0].mass * G / 60.0 / 4.0, rel=1e-5)
    assert np.abs(sums[:, 1:]).max() < 1e-8


def swept():
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cone, "MOST_NEWTON_STEPS", 0)
        for seed in range(3):
            world, contacts = flung_together(seed)
            before = kinetic_energy(world)
            with_contacts(world, contacts, friction=0.4).step(2)
            found.append(kinetic_energy(world) / before)
    return found


def test_sweeps_take_over_where_newton_steps_do_not_end():
    """In plain Python, without any Newton step: nothing of what has not converged is applied."""
    assert all(0.01 < left < 1.0 for left in in_plain_python(swept))
