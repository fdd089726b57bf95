"""Impacts of joints that close: the energy that the whole island loses, and the masses to which closing springs refer, by dense algebra."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from engine import MassProperties, World, forces
from engine.constraints import layout
from engine.joints import Ball, Distance, Hinge, JointSpring, Motor, Weld

from ..benchmarks.joint_scenes import AXIS, gap, momenta, pair, skew_properties
from .test_joint_scenes import ports_in_reach

CENTER = (-0.7, 0.1, 0.2)


class Dense:
    """Mass matrix and directions of rows of all bodies of a world, with a velocity and an angular velocity per body, world frame."""

    def __init__(self, world):
        self.bodies = list(world.bodies)
        count = len(self.bodies)
        self.inverse_mass = np.zeros((6 * count, 6 * count))
        self.velocities = np.zeros(6 * count)
        for place, body in enumerate(self.bodies):
            turn = Rotation.from_quat(np.array(body.orientation)).as_matrix()
            at = 6 * place
            self.inverse_mass[at : at + 3, at : at + 3] = np.eye(3) / body.mass
            self.inverse_mass[at + 3 : at + 6, at + 3 : at + 6] = turn @ np.linalg.inv(body.inertia_body) @ turn.T
            self.velocities[at : at + 6] = *body.velocity, *body.angular_velocity_world
        self.rows = []

    def add(self, body, other, point, linear=(), angular=()):
        """Rows of the relative velocity of two bodies at a point of the world, and of their relative angular velocity."""
        for direction, is_turn in [*((each, False) for each in linear), *((each, True) for each in angular)]:
            row = np.zeros(len(self.velocities))
            for sign, each in ((1.0, body), (-1.0, other)):
                if each is not None:
                    at = 6 * self.bodies.index(each)
                    if not is_turn:
                        row[at : at + 3] = sign * np.array(direction)
                    turn = direction if is_turn else np.cross(point - each.position, direction)
                    row[at + 3 : at + 6] = sign * np.array(turn)
            self.rows.append(row)

    def add_joint(self, joint):
        point = joint.body.to_world(joint.at_body)
        linear, angular = np.eye(3), ()
        if isinstance(joint, Distance):
            between = point - joint.other.to_world(joint.at_other)
            linear = (between / np.linalg.norm(between),)
        elif isinstance(joint, Hinge):
            angular = np.linalg.svd(np.atleast_2d(joint.body.direction_to_world(AXIS)))[2][1:]
        elif isinstance(joint, Weld):
            angular = np.eye(3)
        self.add(joint.body, joint.other, point, linear, angular)

    def lost(self):
        """The kinetic energy that an impact along the rows takes."""
        directions = np.array(self.rows)
        rates = directions @ self.velocities
        return 0.5 * rates @ np.linalg.pinv(directions @ self.inverse_mass @ directions.T) @ rates


JOINTS = {
    "none": None,
    "weld": lambda a, b: Weld(a, b, at_body=CENTER),
    "ball": lambda a, b: Ball(a, b, at_body=CENTER),
    "spring": lambda a, b: Hinge(a, b, at_body=CENTER, axis_body=AXIS, spring=JointSpring(stiffness=4.0, damping=3.0)),
    "motor": lambda a, b: Hinge(
        a, b, at_body=CENTER, axis_body=AXIS, motor=Motor(target_rate=0.1, max_torque=2.0), friction=1.0
    ),
    "two": None,
}


@pytest.mark.parametrize("kind", JOINTS)
@pytest.mark.parametrize("origin", [(0.0, 0.0, 0.0), (7e6, 0.0, 0.0)], ids=["near", "in orbit"])
def test_the_closing_energy_is_what_the_whole_island_loses(kind, origin):
    """The impulse of the latch goes through the other joints of both craft; motors, springs and friction do not act in an instant."""
    world, a, latch = ports_in_reach(60, retract_time=0.05, soft=(10.0, 1.0))
    carried = [JOINTS[kind]] if JOINTS[kind] else [JOINTS["ball"], JOINTS["weld"]] if kind == "two" else []
    for make, craft in zip(carried, (a, latch.other), strict=False):
        extra = world.add_body(
            skew_properties(30.0, (0.5, 0.4, 0.6)),
            origin=craft.to_world((-1.5, 0.4, 0.2) if craft is a else (1.2, 0.3, 0)),
        )
        extra.angular_velocity_world = craft.angular_velocity_world
        extra.velocity = craft.velocity + np.cross(craft.angular_velocity_world, extra.position - craft.position)
        world.add_joint(make(craft, extra))
    world.state.position += origin
    if origin[0]:
        world.state.velocity += (0.0, 7.5e3, 0.0)
    before = momenta(world)
    while latch.state != "hard":
        dense = Dense(world)
        for joint in world.joints:
            if joint is not latch:
                dense.add_joint(joint)
        port, other_port = (body.to_world(at) for body, at in ((a, latch.at_body), (latch.other, (-1.0, 0.0, 0.0))))
        dense.add(a, latch.other, 0.5 * (port + other_port), np.eye(3), np.eye(3))
        energy = world.kinetic_energy()
        world.step()
        assert world.tick_count < 60
    assert latch.closing_energy > 1e-3
    assert latch.closing_energy == pytest.approx(dense.lost(), rel=1e-6 if origin[0] else 1e-9)
    if not origin[0] and kind != "motor":
        # the position stage closes a gap of up to 1 mm and 1 mrad in the same tick
        assert energy - world.kinetic_energy() == pytest.approx(latch.closing_energy, rel=0.04)
    after = momenta(world)
    for now, then, size in zip(after[:2], before[:2], before[2:], strict=True):
        assert np.linalg.norm(now - then) <= world.tick_count * 1e-14 * size


def test_the_springs_that_close_a_weld_refer_to_all_that_yields():
    """A hull with two welded tanks at its own mass centre is one body of their mass, so that the gap closes as critical damping says."""
    world = World(1 / 240)
    hull = world.add_body(MassProperties.sphere(2.0, 0.5))
    for mass in (3.0, 4.0):
        ballast = world.add_body(MassProperties.sphere(mass, 0.3))
        world.add_joint(Weld(hull, ballast, at_body=(0, 0, 0)))
    pod = world.add_body(MassProperties.sphere(6.0, 0.5), position=(0.4, 0.0, 0.0))
    world.add_joint(Weld(pod, hull, at_body=(0, 0, 0), at_other=(0, 0, 0), pull_together=(0.5, 1.0)))
    for _ in range(4):
        world.step(60)
        left = (1.0 + np.pi * world.time) * np.exp(-np.pi * world.time)
        assert pod.position[0] - hull.position[0] == pytest.approx(0.4 * left, abs=1e-5)


@pytest.mark.parametrize("is_loop", [False, True], ids=["apart", "linked"])
def test_the_springs_of_a_latch_on_an_arm_refer_to_what_yields_at_its_port(is_loop):
    """The stiffness is 3 (2π f)² over the sum of the compliances in three directions, with the other joints by dense algebra."""
    world, a, latch = ports_in_reach(60, retract_time=2.0, soft=(1.5, 1.0))
    arm = world.add_body(skew_properties(30.0, (0.5, 0.4, 0.6)), origin=a.to_world((-1.5, 0.4, 0.2)))
    other_arm = world.add_body(skew_properties(8.0, (0.5, 0.4, 0.6)), origin=latch.other.to_world((1.5, 0.4, 0.2)))
    for body, craft in ((arm, a), (other_arm, latch.other)):
        body.angular_velocity_world = craft.angular_velocity_world
        body.velocity = craft.velocity + np.cross(craft.angular_velocity_world, body.position - craft.position)
    world.add_joint(Ball(a, arm, at_body=CENTER))
    world.add_joint(Hinge(latch.other, other_arm, at_body=(0.8, 0.1, 0.0), axis_body=AXIS, limits=(-0.5, 0.0)))
    world.add_joint(Ball(arm, at_body=(-0.5, 0.0, 0.0)))
    if is_loop:  # both craft are on one island, which the latch closes
        world.add_joint(Distance(a, other_arm, at_body=(0.2, 0.3, 0.0), at_other=(0.0, 0.1, 0.4)))
    dense = Dense(world)
    for joint in world.joints[1:]:
        dense.add_joint(joint)
    held = np.array(dense.rows)
    inverse = dense.inverse_mass
    projected = inverse - inverse @ held.T @ np.linalg.pinv(held @ inverse @ held.T) @ held @ inverse
    expected = []
    for linear, angular in ((np.eye(3), ()), ((), np.eye(3))):
        rows = Dense(world)
        for body, port in ((a, (1.0, 0.0, 0.0)), (latch.other, (-1.0, 0.0, 0.0))):
            rows.add(body, None, body.to_world(port), linear, angular)
        jacobian = np.array(rows.rows[:3]) - np.array(rows.rows[3:])
        expected.append(3.0 * (2.0 * np.pi * 1.5) ** 2 / np.trace(jacobian @ projected @ jacobian.T))
    world.step()
    assert latch.state == "soft"
    for freedom in range(2):
        first = layout.SPRING + freedom * layout.SPRING_SIZE + 1
        stiffness, damping = latch._table.array[first : first + 2, latch.rows.start]
        assert stiffness == pytest.approx(expected[freedom], rel=1e-5)
        assert damping == pytest.approx(2.0 * stiffness / (2.0 * np.pi * 1.5), rel=1e-12)


@pytest.mark.parametrize("dt", [1e-4, 1e-5])
def test_a_new_weld_leaves_no_relative_rates_in_its_first_short_tick(dt):
    """A tolerance of the positions divided by the tick would be 1e-10 rad/s and more."""
    world, a, b, joint = pair("weld", dt=dt)
    world.step()
    assert np.abs(a.angular_velocity_world - b.angular_velocity_world).max() <= 1e-13
    assert gap(joint) <= 1e-12


def test_a_short_tick_keeps_the_rates_of_a_weld_together():
    world, a, b, _joint = pair("weld", dt=1e-5)
    world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
    for _ in range(40):
        world.step()
        assert np.abs(a.angular_velocity_world - b.angular_velocity_world).max() <= 1e-10
