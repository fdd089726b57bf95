"""A heavy hull on light feet, by welds or sprung sliders, which comes down on the ground: contacts and joints of one island."""

import numpy as np
import pytest

from engine import MassProperties, World, forces, shapes
from engine.joints import JointSpring, Slider, Weld

G = 9.81
CORNERS = ((1.2, 1.2, -1.6), (-1.2, 1.2, -1.6), (-1.2, -1.2, -1.6), (1.2, -1.2, -1.6))


def lander(is_sprung, tilt=0.1, restitution=0.0, friction=0.5, speed=2.0):
    """1000 kg on four feet of 1 kg."""
    world = World(1 / 60)
    world.add_force(forces.UniformGravity((0.0, 0.0, -G)))
    material = shapes.Material(friction, restitution)
    world.add_shape(shapes.Plane((0.0, 0.0, 1.0)), material=material)
    turn = (0.6 * np.sin(tilt / 2), 0.8 * np.sin(tilt / 2), 0.0, np.cos(tilt / 2))
    moves = {"orientation": turn, "velocity": (0.3, 0.0, -speed)}
    hull = world.add_body(MassProperties.box(1000.0, (2.0, 2.0, 1.5)), position=(0.0, 0.0, 2.0), **moves)
    for place in CORNERS:
        foot = world.add_body(MassProperties.cylinder(1.0, 0.2, 0.1), position=hull.to_world(place), **moves)
        foot.add_shape(shapes.Box((0.3, 0.3, 0.1)), material=material)
        if is_sprung:
            spring = JointSpring(stiffness=4e4, damping=5e3)
            world.add_joint(Slider(hull, foot, at_body=place, axis_body=(0, 0, 1), spring=spring, limits=(-0.6, 0.6)))
        else:
            world.add_joint(Weld(hull, foot, at_body=place))
    return world, hull


def off(joint):
    """How far a joint is from where it holds [m]."""
    span = joint.body.to_body(joint.other.to_world(joint.at_other)) - joint.at_body
    if isinstance(joint, Slider):
        span = span - (span @ joint.axis_body) * joint.axis_body
    return np.linalg.norm(span)


@pytest.mark.parametrize("is_sprung", [False, True], ids=["welded", "sprung"])
@pytest.mark.parametrize("tilt", [0.0, 0.1, 0.2])
def test_a_heavy_hull_on_light_feet_comes_to_rest(is_sprung, tilt):
    world, hull = lander(is_sprung, tilt)
    least, energy, solvers = 0.0, np.inf, set()
    for _tick in range(600):
        world.step()
        assert max(off(joint) for joint in world.joints) < 1e-11
        if len(world.contacts):
            least = min(least, world.contacts.gap.min())
            solvers.add(world.contacts.solver_of(hull) if tilt == 0.0 else "direct")
        if not is_sprung:  # what springs hold is not counted
            now = world.kinetic_energy() + G * sum(body.mass * body.position[2] for body in world.bodies)
            assert now < energy + 1e-7 * abs(now)
            energy = now
    assert least > -2e-4 and solvers <= {"direct", "none"}
    assert max(np.abs(body.velocity).max() for body in world.bodies) < 1e-7
    weight = sum(body.contact_force_world for body in world.bodies)
    assert weight == pytest.approx((0.0, 0.0, 1004.0 * G), rel=1e-6, abs=1e-3)
    height = 1.65 - (1000.0 * G / 4.0 / 4e4 if is_sprung else 0.0)
    assert hull.position[2] == pytest.approx(height, abs=1e-5)


@pytest.mark.parametrize("is_sprung", [False, True], ids=["welded", "sprung"])
def test_what_joints_carried_in_an_impact_does_not_fling_a_hull_that_bounces(is_sprung):
    """The next tick has no contact, and starts from these impulses."""
    world, hull = lander(is_sprung, restitution=0.4, friction=0.0, speed=6.0)
    start = world.kinetic_energy() + G * sum(body.mass * body.position[2] for body in world.bodies)
    for _tick in range(300):
        world.step()
        assert max(off(joint) for joint in world.joints) < 1e-11
        now = world.kinetic_energy() + G * sum(body.mass * body.position[2] for body in world.bodies)
        assert now <= start * (1.0 + 1e-12)
    assert hull.position[2] > 1.0


@pytest.mark.parametrize("restitution", [0.9, 1.0])
@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("tilt", [0.05, 0.1])
def test_a_tilted_hull_on_welds_gains_no_energy_when_it_bounces(restitution, friction, tilt):
    """One foot after the other hits within a tick, off the centre: with the speeds that each would have alone it gained up to 2137 J."""
    world, _hull = lander(False, tilt, restitution, friction)
    energy = np.inf
    for _tick in range(240):
        world.step()
        now = world.kinetic_energy() + G * sum(body.mass * body.position[2] for body in world.bodies)
        assert now <= energy + 0.01  # overlaps that part
        energy = now
