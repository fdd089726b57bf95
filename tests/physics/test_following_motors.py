"""Motors and springs whose frequency follows the inertia, against dense algebra and an ordinary differential equation."""

import numpy as np
import pytest

from engine import MassProperties, Snapshot, World, joints
from engine.constraints import layout
from engine.joints import Distance, Hinge, JointSpring, Motor, Planar, Slider, Universal

from ..benchmarks.joint_scenes import AXIS, four_bar, skew_properties
from ..lengths import sized
from .test_joint_inertia import CENTER, KINDS, dense_inertia, tree

RATE = 2.0 * np.pi * 0.1
FOLLOWING = Motor(target_angle=0.0, frequency=0.1, damping_ratio=0.7, max_torque=1e9, follows_inertia=True)


def stiffness_of(world, joint, kind=layout.SPRING_ROW):
    """Stiffness and damping of the rows of a joint that hold a position, as the last tick has left them: those at its end."""
    islands, number = world._joints.islands, joint.rows.start
    (link,) = np.flatnonzero(islands.graph.links[: islands.graph.sizes[1], layout.JOINT] == number)
    first, last = islands.graph.links[link, [layout.FIRST_ROW, layout.LAST_ROW]]
    rows = islands.rows[first:last]
    return rows[rows[:, layout.KIND] == kind][:, [layout.STIFFNESS, layout.DAMPING]]


@pytest.mark.parametrize("anchored", [False, True])
@pytest.mark.parametrize("seed", range(sized(3, 6)))
def test_in_a_tree_the_stiffness_is_that_of_both_sides_with_the_other_joints_locked(seed, anchored):
    """Random trees of seven bodies, in which every hinge and slider has a motor; the reference is a projection in dense algebra."""
    random = np.random.default_rng(200 + seed)
    parents = ["world" if anchored else None, 0, 1, 2, 3, 1, 4]
    kinds = [str(random.choice(list(KINDS))) for _ in parents]
    kinds[0], kinds[3] = "hinge", "slider" if seed % 2 else "hinge"
    world, made = tree(parents, kinds, seed)
    driven = [joint for joint in made if isinstance(joint, Hinge | Slider)]
    for joint in driven:
        joint.motor = FOLLOWING
    for body in world.bodies:
        body.angular_velocity_body = random.normal(0, 0.3, 3)
    for _ in range(2):
        world.step()
        for joint in driven:
            wanted = dense_inertia(world, joint, joint.axis_world, slide=isinstance(joint, Slider))
            stiffness, damping = stiffness_of(world, joint)[0]
            assert stiffness == pytest.approx(wanted * RATE**2, rel=2e-9)
            assert damping == pytest.approx(2 * 0.7 * wanted * RATE, rel=2e-9)


@pytest.mark.parametrize("number", range(4))
def test_in_a_loop_it_is_that_of_the_island(number):
    """A four-bar linkage, on whose coupler an arm with a loop of its own turns: a hinge between two loops is in neither."""
    world, made = four_bar()
    coupler = made[1].body
    arm = world.add_body(skew_properties(3.0, (1.0, 1.2, 0.9)), position=coupler.position)
    bridge = world.add_joint(Hinge(arm, coupler, at_body=(0.2, 0.1, 0.0), axis_body=AXIS))
    tip = world.add_body(skew_properties(1.0, (0.4, 0.3, 0.5)), position=arm.position)
    world.add_joint(joints.Ball(tip, arm, at_body=(0.3, 0.0, 0.1)))
    world.add_joint(Distance(tip, arm, at_body=(0.0, 0.2, 0.1), at_other=(0.5, 0.2, 0.1)))
    for joint in (made[number], bridge):
        joint.motor = FOLLOWING
    world.step()
    wanted = dense_inertia(world, made[number], (0.0, 0.0, 1.0), locked=False)
    assert stiffness_of(world, made[number])[0, 0] == pytest.approx(made[number].inertia() * RATE**2, rel=1e-9)
    if number:  # the dense reference knows hinges and welds
        assert wanted > 0.0
    assert stiffness_of(world, bridge)[0, 0] == pytest.approx(bridge.inertia() * RATE**2, rel=1e-9)


@pytest.mark.parametrize("number", range(4))
def test_in_a_loop_alone_it_is_that_of_dense_algebra(number):
    world, made = four_bar()
    made[number].motor = FOLLOWING
    world.step(3)
    wanted = dense_inertia(world, made[number], (0.0, 0.0, 1.0), locked=False)
    assert stiffness_of(world, made[number])[0, 0] == pytest.approx(wanted * RATE**2, rel=1e-8)


def test_the_two_angles_of_a_universal_joint_and_the_freedoms_of_a_plane_have_an_inertia_each():
    world = World(1 / 60)
    bodies = [
        world.add_body(skew_properties(mass, (0.5 * mass, 0.4 * mass, 0.6 * mass)), position=place)
        for mass, place in ((2.0, (0, 0, 0)), (3.0, (1, 0.2, 0)), (4.0, (2, 1, 0.3)))
    ]
    cross = Universal(bodies[1], bodies[0], at_body=CENTER, axis_body=(1, 0, 0), axis_other=(0, 1, 0))
    plane = Planar(bodies[2], (0, 0, 1), bodies[1], at_body=CENTER)
    world.add_joint(cross)
    world.add_joint(plane)
    cross.motor_1 = cross.motor_2 = plane.motor_1 = plane.motor_2 = plane.motor_3 = FOLLOWING
    bodies[0].angular_velocity_body = (0.3, 0.2, 0.1)
    world.step(3)
    for joint, count in ((cross, 2), (plane, 3)):
        wanted = [joint.inertia(number) * RATE**2 for number in range(1, count + 1)]
        assert stiffness_of(world, joint)[:, 0] == pytest.approx(wanted, rel=1e-9)


def test_a_rope_follows_the_mass_between_its_ends():
    """Two trees that only the rope connects; its effective mass is 1 / (line · W line) with the mobilities of both."""
    world = World(1 / 60)
    bodies = [
        world.add_body(skew_properties(mass, (0.5 * mass, 0.4 * mass, 0.6 * mass)), position=place)
        for mass, place in ((2.0, (0, 0, 0)), (3.0, (1, 0.2, 0)), (4.0, (5, 1, 0.3)))
    ]
    world.add_joint(Hinge(bodies[1], bodies[0], at_body=(-0.5, 0, 0), axis_body=(0, 0, 1)))
    spring = JointSpring(frequency=0.1, damping_ratio=0.7, rest=4.0, follows_inertia=True)
    rope = world.add_joint(
        Distance(bodies[2], bodies[1], at_body=(0.1, 0.2, 0), at_other=(0.3, 0, 0), max_length=9.0, spring=spring)
    )
    world.step()
    assert stiffness_of(world, rope)[0, 0] == pytest.approx(rope.inertia() * RATE**2, rel=1e-9)
    assert rope.spring == spring
    assert rope.potential_energy() == pytest.approx(
        0.5 * rope.inertia() * RATE**2 * (rope.distance - 4.0) ** 2, rel=1e-12
    )


def folding(dt, motor):
    """A mass that a motor drives outwards along an arm; the shoulder holds the arm."""
    world = World(dt)
    arm = world.add_body(MassProperties.box(3.0, (1.0, 0.2, 0.2)), position=(0.5, 0.0, 0.0))
    load = world.add_body(MassProperties.sphere(10.0, 0.3), position=(0.5, 0.0, 0.0))
    shoulder = world.add_joint(Hinge(arm, at_body=(-0.5, 0.0, 0.0), axis_body=(0.0, 0.0, 1.0)))
    rail = world.add_joint(Slider(load, arm, at_body=(0, 0, 0), axis_body=(1.0, 0.0, 0.0)))
    rail.motor = Motor(target_rate=0.5, max_torque=1e9)
    load.velocity = (0.5, 0.0, 0.0)
    shoulder.motor = motor
    return world, shoulder


def reference_angle(duration):
    """The angle of ``d/dt (J θ') = −J ω² (θ − 1) − 2 ζ ω J θ'`` with ``J = J₀ + m (r₀ + v t)²``, by small steps of Runge and Kutta."""
    omega, ratio = 2.0 * np.pi * 0.5, 0.3
    own = 3.0 * (1.0 + 0.04) / 12.0 + 3.0 * 0.25 + 10.0 * 0.4 * 0.09

    def slope(time, state):
        radius = 0.5 + 0.5 * time
        inertia, growth = own + 10.0 * radius**2, 2.0 * 10.0 * radius * 0.5
        angle, rate = state
        return np.array([rate, -growth / inertia * rate - omega**2 * (angle - 1.0) - 2.0 * ratio * omega * rate])

    state, time, step = np.zeros(2), 0.0, duration / 4000
    for _ in range(4000):
        k1 = slope(time, state)
        k2 = slope(time + step / 2, state + step / 2 * k1)
        k3 = slope(time + step / 2, state + step / 2 * k2)
        k4 = slope(time + step, state + step * k3)
        state, time = state + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4), time + step
    return state[0]


def test_the_frequency_stays_while_the_arm_grows():
    """The inertia grows from 4 to 63 kg m²; the motor that follows it has the angle of the differential equation, with order two."""
    motor = Motor(target_angle=1.0, frequency=0.5, damping_ratio=0.3, max_torque=1e9, follows_inertia=True)
    errors = []
    for count in (60, 120):
        world, shoulder = folding(1.0 / count, motor)
        world.step(4 * count)
        errors.append(abs(shoulder.angle - reference_angle(4.0)))
    assert errors[0] < 1e-5
    assert 3.5 < errors[0] / errors[1] < 4.5
    world, shoulder = folding(1.0 / 60, Motor(target_angle=1.0, frequency=0.5, damping_ratio=0.3, max_torque=1e9))
    world.step(240)
    assert abs(shoulder.angle - reference_angle(4.0)) > 0.1  # which is what the option is for


def test_a_target_that_moves_is_followed_with_the_inertia():
    """With the torque of inverse dynamics, the arm turns at the rate of its target while the load moves outwards."""
    world, shoulder = folding(1 / 120, None)
    load = world.bodies[1]
    for body in world.bodies:
        body.angular_velocity_world = (0.0, 0.0, 0.2)
        body.velocity = body.velocity + np.cross((0.0, 0.0, 0.2), body.position)
    for _ in range(240):
        middle = world.time + 0.5 * world.dt
        torque = 2.0 * 10.0 * (0.5 + 0.5 * middle) * 0.5 * 0.2  # 2 m r r' θ'
        shoulder.motor = Motor(0.2, 0.2 * middle, 2.0, 1.0, max_torque=1e9, torque=torque, follows_inertia=True)
        world.step()
    assert shoulder.angle == pytest.approx(0.4, abs=1e-5)
    assert np.linalg.norm(load.position) == pytest.approx(1.5, abs=1e-9)


def test_a_motor_that_follows_is_kept_and_copied_and_reads_as_it_was_made():
    world, shoulder = folding(1 / 60, FOLLOWING)
    assert shoulder.motor == FOLLOWING
    world.step(5)
    other = world.fork()
    restored = World(1 / 60)
    restored.restore(Snapshot.from_bytes(world.snapshot().to_bytes()))
    for each in (world, other, restored):
        each.step(20)
    assert world.state_hash() == other.state_hash() == restored.state_hash()
    assert other.joints[0].motor == restored.joints[0].motor == FOLLOWING
    shoulder.motor = Motor(target_angle=0.0, stiffness=5.0, max_torque=1e9)
    world.step()
    assert stiffness_of(world, shoulder)[0, 0] == 5.0


def test_a_choice_to_follow_without_a_frequency_is_rejected():
    with pytest.raises(ValueError, match="follows_inertia must be False without frequency"):
        Motor(target_angle=0.0, stiffness=1.0, max_torque=1.0, follows_inertia=True)
    with pytest.raises(ValueError, match="follows_inertia must be False without frequency"):
        JointSpring(stiffness=1.0, follows_inertia=True)
    with pytest.raises(TypeError, match="follows_inertia must be True or False; got 1"):
        Motor(target_angle=0.0, frequency=1.0, max_torque=1.0, follows_inertia=1)
    world = World(1 / 60)
    ball = world.add_joint(joints.Ball(world.add_body(MassProperties.sphere(1.0, 0.5)), at_body=(0, 0, 1)))
    with pytest.raises(ValueError, match="follows_inertia must be False, because it acts about three axes at once"):
        ball.spring = JointSpring(frequency=1.0, follows_inertia=True)
