"""What latches and welds take from the bodies: the energy of closing springs, of locking, and of welds between moving bodies."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from engine import MassProperties, World, forces, integrators
from engine.joints import Ball, Capture, Hinge, Latch, Port, Weld

from ..benchmarks.joint_scenes import momenta, skew_properties
from .test_joint_impulses import Dense
from .test_joint_scenes import ports_in_reach

CENTER = (-0.7, 0.1, 0.2)


def two_bodies(**options):
    """A hull and a pod that fly past each other and tumble."""
    world = World(1 / 240, **options)
    hull = world.add_body(skew_properties(30.0, (9.0, 12.0, 11.0)), velocity=(0.5, -0.2, 0.3))
    turn = Rotation.from_euler("zyx", (0.7, -0.4, 1.1)).as_quat()
    pod = world.add_body(skew_properties(8.0, (1.0, 1.2, 0.9)), position=(1.5, 0.4, -0.2), orientation=turn)
    hull.angular_velocity_world, pod.angular_velocity_world = (0.1, 0.4, -0.3), (-0.6, 0.2, 0.7)
    return world, hull, pod


@pytest.mark.parametrize("method", [None, "rk4", "Substepped"])
@pytest.mark.parametrize("again", [False, True], ids=["added", "enabled"])
def test_a_weld_between_moving_bodies_counts_what_its_impact_takes(again, method):
    """By dense algebra, and as the energy that is missing after the tick."""
    world, hull, pod = two_bodies(integrator=integrators.Substepped("rk4", 2) if method == "Substepped" else method)
    third = world.add_body(skew_properties(5.0, (1.0, 1.2, 0.9)), position=(-2.0, 0.0, 0.0), velocity=hull.velocity)
    world.add_joint(Ball(third, hull, at_body=CENTER))
    world.step(3)
    weld = world.add_joint(Weld(pod, hull, at_body=CENTER))
    if again:
        world.step(3)
        weld.enabled = False
        pod.velocity += (0.3, -0.4, 0.1)
        pod.angular_velocity_world += (0.5, 0.4, -0.3)
        weld.enabled = True
    dense = Dense(world)
    dense.add_joint(world.joints[0])
    dense.add_joint(weld)
    before = world.kinetic_energy()
    world.step()
    assert weld.closing_energy == pytest.approx(dense.lost(), rel=1e-9)
    assert weld.closing_energy > 0.1
    assert before - world.kinetic_energy() == pytest.approx(weld.closing_energy, rel=1e-2)
    known = weld.closing_energy
    world.step(10)
    assert weld.closing_energy == known


def test_welds_that_meet_in_one_tick_have_what_they_take_together():
    world, hull, pod = two_bodies()
    other = world.add_body(skew_properties(5.0, (1.0, 1.2, 0.9)), position=(-2.0, 0.0, 0.0))
    welds = [world.add_joint(Weld(each, hull, at_body=(0, 0, 0))) for each in (pod, other)]
    dense = Dense(world)
    for weld in welds:
        dense.add_joint(weld)
    world.step()
    assert [weld.closing_energy for weld in welds] == pytest.approx([dense.lost()] * 2, rel=1e-9)


@pytest.mark.parametrize("kind", ["latch", "any clocking", "weld", "anchored weld", "in gravity"])
def test_what_springs_and_locking_take_is_what_is_missing(kind):
    """The kinetic energy before the capture and after the locking, less the work of gravity on the falling pair."""
    if kind in ("weld", "anchored weld"):
        world, hull, pod = two_bodies()
        other = None if kind == "anchored weld" else hull
        joint = Weld(pod, other, at_body=(-0.3, 0, 0), at_other=(0.6, 0.1, 0), pull_together=(1.5, 0.7))
        before = world.kinetic_energy() - (hull.kinetic_energy() if other is None else 0.0)
        world.add_joint(joint)
    else:
        world, a, joint = ports_in_reach(240, retract_time=1.0)
        if kind == "any clocking":
            world.remove_joint(joint)
            joint = world.add_joint(Latch(a, world.bodies[1], joint.port, joint.other_port, capture=joint.capture))
        world.bodies[1].velocity += (0.1, -0.05, 0.03)
        if kind == "in gravity":
            world.add_force(forces.UniformGravity((0.0, 0.0, -1.0)))
        before = world.kinetic_energy() + world.potential_energy() if kind == "in gravity" else world.kinetic_energy()
    while joint.state != "hard":
        assert world.tick_count < 5000
        world.step()
    world.step()
    energy = world.kinetic_energy() + world.potential_energy() if kind == "in gravity" else world.kinetic_energy()
    if kind == "anchored weld":
        energy -= world.bodies[0].kinetic_energy()
    assert joint.captured_energy > 3.0 * joint.closing_energy > 0.0
    # closing the last millimetre changes the moments of inertia
    missing = joint.captured_energy + joint.closing_energy
    assert before - energy == pytest.approx(missing, abs=1e-3 * before)


@pytest.mark.parametrize("soft", [1.0, 0.5])
@pytest.mark.parametrize("spin", [0.2, 0.5])
def test_a_latch_on_a_pair_that_turns_locks(spin, soft):
    """Springs of 1 Hz hold the ports of a pair apart that turns at 0.2 rad/s, so they become stiffer."""
    world, _a, latch = ports_in_reach(60, tumble=(0.1 * spin, -0.2 * spin, spin), soft=(soft, 1.0), retract_time=1.0)
    told = []
    for event in ("captured", "locked", "failed"):
        world.on_joint(lambda world, joint, event=event: told.append(event), event)
    before = momenta(world)
    while latch.state != "hard":
        assert world.time < 20.0
        world.step()
    assert told[0] == "captured" and told[-1] == "locked"
    after = momenta(world)
    for now, then, size in zip(after[:2], before[:2], before[2:], strict=True):
        assert np.linalg.norm(now - then) <= world.tick_count * 1e-14 * size


@pytest.mark.parametrize("retract_time", [0.5, 1.0, 1.5, 2.0, 3.0])
def test_a_latch_at_the_tip_of_an_arm_locks_in_a_few_seconds(retract_time):
    """Whatever the retract time; the springs refer to what yields at the ports when they are caught."""
    world = World(1 / 60)
    base = world.add_body(MassProperties.box(200.0, (1.0, 1.0, 1.0)))
    links, axes = [base], [(0, 0, 1), (0, 1, 0), (0, 1, 0)]
    for number, axis in enumerate(axes):
        link = world.add_body(MassProperties.box(10.0, (1.0, 0.1, 0.1)), position=(1.0 + number, 0.0, 0.0))
        link.angular_velocity_world = base.angular_velocity_world
        world.add_joint(Hinge(link, links[-1], at_body=(-0.5, 0, 0), axis_body=axis, friction=0.5))
        links.append(link)
    client = world.add_body(MassProperties.box(300.0, (1.0, 1.0, 1.0)), position=(4.08, 0.01, 0.02))
    client.angular_velocity_world = (0.02, 0.03, -0.02)
    ports = Port((0.5, 0, 0), (1, 0, 0), (0, 1, 0)), Port((-0.5, 0, 0), (-1, 0, 0), (0, 1, 0))
    reach = Capture(distance=0.2, angle=0.2, lateral=0.1, speed=0.2, rate=0.2)
    latch = world.add_joint(Latch(links[-1], client, *ports, clocking=0.0, capture=reach, retract_time=retract_time))
    while latch.state != "hard":
        assert world.time < retract_time + 8.0
        world.step()
