"""Joints that are switched off and on, and change their rows, in any order, between ticks, restores and forks: the same bits."""

import random
from itertools import pairwise

import numpy as np
import pytest

from engine import MassProperties, NonFiniteStateError, World, forces, joints

DT = 1 / 60
LINK = MassProperties.box(2.0, (1.0, 0.3, 0.4))


def yards(calls_python=False):
    """A chain that hangs, pairs that rotate, a loop that springs hold together, and a loose body."""
    world = World(dt=DT)
    world.add_force(forces.UniformGravity((0.0, 0.0, -2.0)))
    chain = [world.add_body(LINK, position=(0.5 + place, 0.0, 0.0)) for place in range(5)]
    world.add_joint(joints.Ball(chain[0], at_body=(-0.5, 0.0, 0.0)))
    for one, other in pairwise(chain):
        world.add_joint(joints.Hinge(one, other, at_body=(0.5, 0.0, 0.0), axis_body=(0.0, 0.6, 0.8)))
    for place in range(4):
        y = 5.0 + 3.0 * place
        a = world.add_body(LINK, position=(0.0, y, 0.0), angular_velocity_body=(0.0, 0.1, 0.2 + 0.1 * place))
        b = world.add_body(LINK, position=(1.0, y, 0.0), angular_velocity_body=(0.1, 0.0, -0.2))
        world.add_joint(joints.Hinge(a, b, at_body=(0.5, 0.0, 0.0), axis_body=(0.0, 0.0, 1.0)))
        if place == 2:
            world.add_force(forces.Spring(a, chain[4], stiffness=3.0, rest_length=4.0))
    square = [world.add_body(LINK, position=(x, y, 9.0)) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
    for one, other in ((0, 1), (1, 2), (2, 3), (3, 0)):
        middle = 0.5 * (square[one].position + square[other].position)
        world.add_joint(joints.Ball(square[one], square[other], at_body=square[one].to_body(middle)))
    world.add_body(LINK, position=(0.0, 0.0, 20.0), velocity=(0.1, 0.0, 0.0))
    if calls_python:
        world.add_force(weak_pull)
    return world


def weak_pull(wrench, bodies, time):
    """A force at the stages, with which all bodies take the step of islands."""
    wrench.force_world[:] -= 0.01 * bodies.position


def change(world, draw):
    """Switch a joint, or give it other rows."""
    joint = draw.choice(world.joints)
    what = draw.randrange(4)
    try:
        if what == 0:
            joint.enabled = not joint.enabled
        elif isinstance(joint, joints.Hinge):
            if what == 1:
                joint.friction = draw.choice((0.0, 0.02))
            elif what == 2:
                joint.motor = draw.choice((None, joints.Motor(target_rate=0.3, max_torque=0.5)))
            else:
                joint.limits = draw.choice((None, (joint.angle - 1.0, joint.angle + 1.0)))
    except (ValueError, joints.JointConflictError):  # it has come apart meanwhile
        assert what == 0


@pytest.mark.filterwarnings("ignore:World. a Python force that sees all bodies")
@pytest.mark.parametrize("calls_python", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_any_order_of_switching_restoring_and_forking_leaves_the_bits(seed, calls_python):
    draw = random.Random(seed)
    world = yards(calls_python)
    kept = world.snapshot()
    for _step in range(30):
        change(world, draw)
        act = draw.random()
        if act < 0.2:
            kept = world.snapshot()
        elif act < 0.3:
            world.restore(kept)
        elif act < 0.4:
            world = world.fork()
            kept = world.snapshot()
        world.step(draw.randrange(3))
    # worlds that have numbered nothing yet, and one that is taken there by a way of its own
    forked, made, later = world.fork(), yards(calls_python), world.snapshot()
    bytes_of = later.to_bytes()
    made.step(2)
    for joint in made.joints[::3]:
        joint.enabled = False
    made.step(1)
    made.restore(type(later).from_bytes(bytes_of))
    for _step in range(20):
        hashes = set()
        for each in (world, forked, made):
            each.step(1)
            hashes.add(each.state_hash())
        assert len(hashes) == 1


def test_islands_that_are_numbered_between_two_ticks_have_the_bits_of_those_that_are_not():
    """A joint that goes and comes again between two ticks leaves nothing behind of what was computed for other islands."""
    world, other = yards(), yards()
    for each in (world, other):
        each.step(5)
        before = world.islands
        for joint in (each.joints[7], each.joints[2]):
            joint.enabled = False
            assert each is other or world.islands != before
            joint.enabled = True
    for _step in range(5):
        world.step(1)
        other.step(1)
        assert world.state_hash() == other.state_hash()


def test_a_joint_that_takes_the_place_of_another_leaves_nothing_of_its_matrix():
    """The poses, inertias and numbers of the joints are the same before and after, and only the bodies that they connect are not."""
    world = World(dt=DT)
    a, b, c = (world.add_body(LINK) for _ in range(3))
    world.add_joint(joints.Ball(a, b, at_body=(0.5, 0.0, 0.0)))
    first = world.add_joint(joints.Ball(a, c, at_body=(0.5, 0.0, 0.0)))
    first.enabled = False
    other = world.add_joint(joints.Ball(b, c, at_body=(0.5, 0.0, 0.0)))
    other.enabled, first.enabled = False, True
    world.step(1)
    first.enabled, other.enabled = False, True
    a.angular_velocity_body = (0.1, 0.2, 0.3)
    copy = world.fork()  # which has numbered nothing yet
    world.step(1)
    copy.step(1)
    assert world.state_hash() == copy.state_hash()


def test_no_matrix_with_other_bounds_is_used_in_the_next_stage():
    """A motor keeps its rate, so that all rows are between their bounds in each stage, while the directions change from pose to pose."""
    world = World(dt=DT)
    world.add_force(forces.UniformGravity((0.0, 1.0, 0.0)))
    door = world.add_body(LINK, position=(0.5, 0.0, 0.0))
    motor = joints.Motor(target_rate=2.0, max_torque=1e3)
    world.add_joint(joints.Hinge(door, at_body=(-0.5, 0.0, 0.0), axis_body=(0.0, 0.0, 1.0), motor=motor))
    for _step in range(8):
        copy = world.fork()  # which has made no matrix yet
        world.step(1)
        copy.step(1)
        assert world.state_hash() == copy.state_hash()


def fleet(places, method, drags):
    """Pairs on hinges and chains of three by turns, each where it is in a fleet, with drag of its own."""
    world = World(dt=DT, integrator=method)
    world.add_force(forces.PointGravity(3.0, (1.0, -7.0, 2.0)))
    for place in places:
        bodies = [
            world.add_body(
                LINK,
                position=(float(x), 5.0 * place, 0.1 * place),
                angular_velocity_body=(0.1, 0.02 * place, 0.3 - 0.2 * x),
            )
            for x in range(2 + place % 2)
        ]
        for one, other in pairwise(bodies):
            world.add_joint(
                joints.Hinge(
                    one, other, at_body=(0.5, 0.0, 0.0), axis_body=(0.0, 0.6, 0.8), friction=0.01 * (place % 3 == 1)
                )
            )
        if drags:
            world.add_force(forces.LinearDrag(0.01 * place, bodies=bodies[:1]))
    return world


@pytest.mark.parametrize("method", ["free-rotor-2", "free-rotor-4"])
@pytest.mark.parametrize(("drags", "has_jet"), [(False, False), (True, False), (True, True)])
def test_islands_of_a_fleet_that_are_moved_in_several_spans_have_the_bits_of_islands_alone(method, drags, has_jet):
    """With a jet on any of them, no span shares its places."""
    many = 140  # about three spans, two of them with equality rows only, which have order 4 with free-rotor-4
    together = fleet(range(many), method, drags)
    if has_jet:
        jet = forces.Thruster(together.bodies[0], position=(0, 0, 0), direction=(0, 0, 1), max_force=1.0)
        together.add_force(jet).throttle = 0.0
    together.step(6)
    row = 0
    for place in range(many):
        count = 2 + place % 2
        if place % 7 in (0, 3):
            alone = fleet([place], method, drags)
            alone.step(6)
            for name in ("position", "orientation", "velocity", "angular_velocity_body"):
                ours, others = getattr(together.state, name)[row : row + count], getattr(alone.state, name)
                assert (np.asarray(ours) == np.asarray(others)).all(), (place, name)
        row += count


def test_a_tick_that_is_not_finite_in_a_late_span_is_undone_in_all():
    """The islands of the spans before have been moved by then."""
    world = fleet(range(60), "free-rotor-2", False)
    world.step(3)
    last = world.bodies[-1]
    last.velocity = (1e300, 0.0, 0.0)
    before = world.state_hash()
    with pytest.raises(NonFiniteStateError):
        world.step(2)
    assert world.state_hash() == before
    last.velocity = (0.0, 0.0, 0.0)
    world.step(1)


def test_a_joint_that_is_switched_binds_no_loop_anew():
    """The arrays have room for more islands than there are, so that nothing is made anew when an island falls apart."""
    world = fleet(range(8), "free-rotor-2", False)
    world.step(2)
    version, run = world._store.layout_version, world._plan.choose()
    for place in (1, 5, 2):
        world.joints[place].enabled = False
        world.step(1)
        assert world._plan.choose() is run
    assert world._store.layout_version == version + 3
