"""The inertia of a joint's two sides, with the other joints locked, against dense algebra; motors and springs that refer to it."""

import numpy as np
import pytest

from engine import MassProperties, World
from engine.joints import Ball, Distance, Hinge, JointSpring, Motor, Planar, Slider, Universal, Weld

from ..benchmarks.joint_scenes import AXIS, four_bar, skew_properties
from .test_joint_impulses import Dense
from .test_joint_scenes import ports_in_reach

REST = (0.0, 0.0, 0.0, 1.0)
CENTER = (-0.7, 0.1, 0.2)
ACROSS = np.cross(AXIS, (0.3, 0.5, -0.8)) / np.linalg.norm(np.cross(AXIS, (0.3, 0.5, -0.8)))

KINDS = {
    "ball": lambda a, b: Ball(a, b, at_body=CENTER),
    "hinge": lambda a, b: Hinge(a, b, at_body=CENTER, axis_body=AXIS),
    "slider": lambda a, b: Slider(a, b, at_body=CENTER, axis_body=AXIS),
    "weld": lambda a, b: Weld(a, b, at_body=CENTER),
    "rod": lambda a, b: Distance(a, b, at_body=CENTER, at_other=(0.1, 0.2, 0.3)),
}


def tree(parents, kinds, seed):
    """Skew bodies at random poses, each joined to its parent; None is the world."""
    random = np.random.default_rng(seed)
    world = World(1 / 60)
    bodies, joints = [], []
    for parent, kind in zip(parents, kinds, strict=True):
        mass = 10.0 ** random.uniform(-1, 3)
        body = world.add_body(
            skew_properties(mass, mass * random.uniform(0.4, 0.6, 3)), position=random.normal(0, 2, 3)
        )
        turn = random.normal(size=4)
        body.orientation = turn / np.linalg.norm(turn)
        bodies.append(body)
        if parent is not None:
            joints.append(world.add_joint(KINDS[kind](body, None if parent == "world" else bodies[parent])))
    return world, joints


def dense_inertia(world, joint, axis, locked=True, slide=False):
    """1 / (e · P e) with the projection on the motions that the other joints leave, each of which is a weld if they are locked."""
    dense = Dense(world)
    for other in world.joints:
        if other is joint or not other.enabled:
            continue
        point = other.body.to_world(other.at_body)
        if locked:
            dense.add(other.body, other.other, point, np.eye(3), np.eye(3))
        else:
            across = np.linalg.svd(np.atleast_2d(other.axis_world))[2][1:] if isinstance(other, Hinge) else ()
            dense.add(other.body, other.other, point, np.eye(3), across)
    point = joint.body.to_world(joint.at_body)
    across = np.linalg.svd(np.atleast_2d(axis))[2][1:]
    if slide:
        point = joint.other.to_world(joint.at_other)
        dense.add(joint.body, joint.other, point, across, np.eye(3))
    else:
        dense.add(joint.body, joint.other, point, np.eye(3), across)
    count = len(dense.rows)
    dense.add(joint.body, joint.other, point, *(((axis,), ()) if slide else ((), (axis,))))
    held, free = np.array(dense.rows[:count]), np.array(dense.rows[count])
    # in coordinates in which the mass matrix is the unit matrix
    root = np.linalg.cholesky(dense.inverse_mass)
    held, free = held @ root, free @ root
    held /= np.linalg.norm(held, axis=1)[:, np.newaxis]
    _left, sizes, directions = np.linalg.svd(held)
    held_directions = directions[: int((sizes > 1e-7 * sizes[0]).sum())]
    left = free - held_directions.T @ (held_directions @ free)
    return 1.0 / float(left @ left)


@pytest.mark.parametrize("anchored", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_the_inertia_is_that_of_both_sides_with_all_other_joints_locked(seed, anchored):
    """Random trees of seven bodies; the hinge or slider in the middle has bodies on both sides."""
    random = np.random.default_rng(100 + seed)
    parents = [None, 0, 1, 2, 3, 1, 4]
    parents[0] = "world" if anchored else None
    kinds = [str(random.choice(list(KINDS))) for _ in parents]
    kinds[3] = "slider" if seed % 2 else "hinge"
    world, joints = tree(parents, kinds, seed)
    joint = joints[3 if anchored else 2]
    axis = joint.axis_world
    wanted = dense_inertia(world, joint, axis, slide=isinstance(joint, Slider))
    assert joint.inertia() == pytest.approx(wanted, rel=1e-9)
    # a disabled joint locks nothing
    joints[-1].enabled = False
    assert joint.inertia() == pytest.approx(
        dense_inertia(world, joint, axis, slide=isinstance(joint, Slider)), rel=1e-9
    )


@pytest.mark.parametrize(("ratio", "close"), [(1.0, 1e-10), (1e3, 1e-9), (1e6, 1e-6)])
@pytest.mark.parametrize("number", range(4))
def test_in_a_loop_the_inertia_is_that_of_the_island(number, ratio, close):
    """A four-bar linkage, at whose coupler a heavy pendulum hangs; also before the joint is in the world, and while it is disabled."""
    world, joints = four_bar()
    coupler = joints[1].body
    bob = world.add_body(skew_properties(ratio, (0.5 * ratio, 0.4 * ratio, 0.6 * ratio)), position=coupler.position)
    world.add_joint(Ball(bob, coupler, at_body=(0.2, 0.1, 0.0)))
    joint = joints[number]
    wanted = dense_inertia(world, joint, (0.0, 0.0, 1.0), locked=False)
    assert joint.inertia() == pytest.approx(wanted, rel=close)
    joint.enabled = False
    assert joint.inertia() == pytest.approx(wanted, rel=close)
    world.remove_joint(joint)
    assert joint.inertia() == pytest.approx(wanted, rel=close)
    joint.motor = Motor(target_angle=joint.angle, frequency=1.0, max_torque=1e9)
    assert joint.motor.stiffness == pytest.approx(wanted * (2.0 * np.pi) ** 2, rel=close)


def test_a_loop_that_cannot_move_has_no_frequency():
    """Two hinges with skew axes between the same bodies hold them; the inertia about each is infinite."""
    world = World(1 / 60)
    hull = world.add_body(skew_properties(3.0, (1.0, 1.2, 0.9)))
    door = world.add_body(skew_properties(2.0, (1.0, 1.2, 0.9)), position=(1.0, 0.0, 0.0))
    first = world.add_joint(Hinge(door, hull, at_body=CENTER, axis_body=AXIS))
    assert np.isfinite(first.inertia())
    second = world.add_joint(Hinge(door, hull, at_body=(0.3, 0.2, 0.1), axis_body=ACROSS))
    assert first.inertia() == second.inertia() == np.inf
    with pytest.raises(ValueError, match="motor must be given with stiffness instead of frequency"):
        first.motor = Motor(target_angle=0.0, frequency=1.0, max_torque=1.0)
    with pytest.raises(ValueError, match="spring must be given with stiffness instead of frequency"):
        first.spring = JointSpring(frequency=1.0)
    first.motor = Motor(target_angle=0.0, stiffness=1.0, max_torque=1.0)
    world.step(10)


def test_a_welded_payload_counts():
    """A critically damped motor moves an arm with a welded payload as the closed form of its frequency says."""
    world = World(1 / 240)
    arm = world.add_body(MassProperties.box(3.0, (1.0, 0.2, 0.2)), position=(0.5, 0.0, 0.0))
    payload = world.add_body(MassProperties.sphere(100.0, 0.3), position=(1.1, 0.0, 0.0))
    world.add_joint(Weld(payload, arm, at_body=(0.0, 0.0, 0.0)))
    shoulder = world.add_joint(Hinge(arm, at_body=(-0.5, 0.0, 0.0), axis_body=(0.0, 0.0, 1.0)))
    moment = 3.0 * (1.0 + 0.04) / 12.0 + 3.0 * 0.25 + 100.0 * (0.4 * 0.09 + 1.21)
    assert shoulder.inertia() == pytest.approx(moment, rel=1e-12)
    shoulder.motor = Motor(target_angle=1.0, frequency=0.5, damping_ratio=1.0, max_torque=1e9)
    rate = np.pi
    for _sample in range(8):
        world.step(60)
        phase = rate * world.time
        assert shoulder.angle == pytest.approx(1.0 - (1.0 + phase) * np.exp(-phase), abs=1e-4)


def test_an_open_latch_and_a_rope_lock_nothing():
    """Bodies that nothing holds now do not count; a locked latch does."""
    world, a, latch = ports_in_reach(60)
    boom = world.add_body(skew_properties(30.0, (5.0, 4.0, 6.0)), position=np.add(a.position, (0.0, 3.0, 0.0)))
    hinge = world.add_joint(Hinge(boom, a, at_body=CENTER, axis_body=AXIS))
    far = world.add_body(skew_properties(500.0, (5.0, 4.0, 6.0)), position=np.add(a.position, (0.0, 9.0, 0.0)))
    world.add_joint(Distance(far, boom, at_body=(0, 0, 0), at_other=(0, 0, 0), max_length=50.0))
    dense = World(1 / 60)
    lone = dense.add_body(boom.mass_properties, position=boom.position, orientation=boom.orientation)
    craft = dense.add_body(a.mass_properties, position=a.position, orientation=a.orientation)
    assert latch.state == "open"
    assert hinge.inertia() == Hinge(lone, craft, at_body=CENTER, axis_body=AXIS).inertia()
    while latch.state != "hard":
        world.step()
    mated = Hinge(lone, craft, at_body=CENTER, axis_body=AXIS).inertia()
    assert hinge.inertia() > 1.02 * mated


def test_the_others_of_the_joint_are_locked():
    """Universal and planar joints with a welded payload, and the spring of a ball joint, against the same joints of a body that is one."""
    for make in (
        lambda a, b: Universal(a, b, at_body=CENTER, axis_body=AXIS, axis_other=ACROSS),
        lambda a, b: Planar(a, other=b, at_body=CENTER, normal=AXIS),
    ):
        inertias = []
        for is_one in (False, True):
            world = World(1 / 60)
            hull = world.add_body(skew_properties(9.0, (3.0, 1.2, 2.9)))
            lid = world.add_body(skew_properties(2.0, (1.0, 1.2, 0.9)), origin=(1.0, 0.2, 0.0))
            pod = world.add_body(skew_properties(5.0, (2.0, 1.2, 1.9)), origin=(1.5, 0.2, 0.7))
            joint = make(lid, hull)
            if is_one:
                whole = MassProperties.compound(
                    [(lid.mass_properties, (0, 0, 0), REST), (pod.mass_properties, (0.5, 0, 0.7), REST)]
                )
                world.remove_body(pod)
                lid.mass_properties = whole
            else:
                world.add_joint(Weld(pod, lid, at_body=(0, 0, 0)))
            inertias.append([joint.inertia(number + 1) for number in range(len(joint._coordinates()))])
        assert inertias[0] == pytest.approx(inertias[1], rel=1e-12)


def test_reading_the_inertia_changes_no_motion():
    """In a loop, the joint is left out of the factor of its island for a moment."""
    hashes = []
    for reads in (False, True):
        world, joints = four_bar()
        for _tick in range(5):
            world.step()
            if reads:
                joints[1].inertia()
        hashes.append(world.state_hash())
    assert hashes[0] == hashes[1]
