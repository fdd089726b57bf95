"""The kinetic energy of bodies that touch each other and nothing else: it never rises, whatever parts, slides or rolls."""

import numpy as np
import pytest

from engine import MassProperties, World, forces, shapes

from ..lengths import sized

CUBE = (1.0, 1.0, 1.0)


def flung_together(seed, count, friction, world):
    """Cubes that tumble towards each other, without gravity."""
    random, material = np.random.default_rng(seed), shapes.Material(friction=friction)
    for number in range(count):
        place = 1.6 * (np.array([number % 3, number // 3 % 3, number // 9]) - 1.0) + 0.05 * random.normal(size=3)
        turn, velocity = random.normal(size=4), -1.5 * place + random.normal(size=3)
        moves = {"velocity": velocity, "angular_velocity_body": 2.0 * random.normal(size=3)}
        cube = MassProperties.box(1.0, CUBE)
        body = world.add_body(cube, position=place, orientation=turn / np.linalg.norm(turn), **moves)
        body.add_shape(shapes.Box(CUBE), material=material)
    return world


@pytest.mark.parametrize("friction", [0.0, 0.05, 0.5])
@pytest.mark.parametrize(("seed", "count"), [*((seed, 27) for seed in sized([1, 2], range(1, 13))), (3, 45)])
def test_what_is_flung_together_gains_no_energy_and_keeps_its_momenta(seed, count, friction):
    """45 cubes are held by sweeps as long as more than 32 of them touch."""
    world = flung_together(seed, count, friction, World(1 / 60))
    energy, momentum, spin = world.kinetic_energy(), world.linear_momentum(), world.angular_momentum()
    first, size = energy, sum(float(np.linalg.norm(body.velocity)) for body in world.bodies)
    for _tick in range(sized(150, 360)):
        world.step()
        now = world.kinetic_energy()
        assert now <= energy + 1e-12 * energy
        for after, before in ((world.linear_momentum(), momentum), (world.angular_momentum(), spin)):
            assert np.abs(after - before).max() < 1e-14 * size
        energy, momentum, spin = now, world.linear_momentum(), world.angular_momentum()
    assert energy < 0.9 * first


def box_on_a_plank(force):
    """A box on a plank, both free, which slides without friction; how fast it moves along it after two ticks."""
    world, material = World(1 / 60), shapes.Material(friction=0.0)
    plank = world.add_body(MassProperties.box(3.0, (4.0, 1.0, 0.2)))
    plank.add_shape(shapes.Box((4.0, 1.0, 0.2)), material=material)
    box = world.add_body(MassProperties.box(1.0, (0.5, 0.5, 0.5)), position=(0.0, 0.0, 0.35))
    box.add_shape(shapes.Box((0.5, 0.5, 0.5)), material=material)
    force(world, box)
    world.step(2)
    assert len(world.contacts) == 4
    return box.velocity[0] - plank.velocity[0]


def push(world, box):
    world.add_force(forces.ConstantForce(box, force_world=(6.0, 0.0, 0.0)))


def push_that_grows(world, box):
    """It is nothing when a tick starts, and acts at its end."""

    @world.add_force
    def grow(wrench, bodies, time):
        wrench.force_world[box.index] += (6.0 if time > 1e-3 else 0.0, 0.0, 0.0)


@pytest.mark.filterwarnings("ignore:World. a Python force that sees all bodies")
@pytest.mark.parametrize(("force", "seconds"), [(push, 2 / 60), (push_that_grows, 1.5 / 60)])
def test_a_force_gives_energy_to_what_slides_on_a_free_body(force, seconds):
    assert box_on_a_plank(force) == pytest.approx(6.0 * seconds, abs=1e-9)


def test_a_wall_that_moves_gives_energy_to_what_it_meets_alone():
    """Of two balls side by side it meets one, which leaves the other where it is."""
    world, material = World(1 / 60), shapes.Material(friction=0.0)
    world.add_shape(shapes.Box((0.2, 0.5, 0.5)), position=(-0.65, 0.0, 0.0), velocity=(2.0, 0.0, 0.0))
    balls = world.add_bodies(MassProperties.sphere(1.0, 0.5), [(0.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
    for ball in balls:
        ball.add_shape(shapes.Sphere(0.5), material=material)
    world.step(4)
    assert balls[0].velocity[0] == pytest.approx(2.0, abs=1e-6)
    assert np.abs(balls[1].velocity[0]) < 0.05


def test_what_slides_on_a_sphere_without_friction_keeps_its_energy_to_second_order():
    """Impulses of both stages are along the normals at both ends of the drift; with that at the end alone it would gain 0.04 J."""
    gains = []
    for rate in (60, 120):
        world, material = World(1 / rate), shapes.Material(friction=0.0)
        world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
        world.add_shape(shapes.Sphere(2.0), material=material)
        ball = world.add_body(MassProperties.sphere(1.0, 0.3), position=(0.0, 0.0, 2.3), velocity=(0.5, 0.0, 0.0))
        ball.add_shape(shapes.Sphere(0.3), material=material)
        world.step(rate)
        gains.append(world.kinetic_energy() + 9.81 * ball.position[2] - (0.125 + 9.81 * 2.3))
        assert np.linalg.norm(ball.position) == pytest.approx(2.3, abs=1e-8)
    assert abs(gains[0]) < 6e-4 and abs(gains[1]) < 0.27 * abs(gains[0])
