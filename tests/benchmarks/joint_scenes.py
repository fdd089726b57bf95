"""Scenes of bodies that are linked by joints, for the tests and benchmarks of joints; all within 1 km of the origin."""

import numpy as np
from scipy.spatial.transform import Rotation

from engine import MassProperties, World, forces
from engine.joints import Ball, Distance, Hinge, Slider, Universal, Weld

SKEW = Rotation.from_euler("zyx", (0.7, -0.4, 1.1))
PAIR_POINT = np.array((0.45, 0.2, -0.15))
AXIS = np.array((2.0, -1.0, 2.0)) / 3.0
PAIR_JOINTS = ("ball", "hinge", "slider", "weld", "universal", "rod")


def skew_properties(mass, moments, center=(0.1, -0.05, 0.08)):
    """A body with products of inertia and an offset mass centre; moments are per kilogram."""
    turn = SKEW.as_matrix()
    return MassProperties(mass, turn @ np.diag(mass * np.array(moments)) @ turn.T, center)


def pair(
    kind="ball",
    ratio=1.0,
    dt=1 / 60,
    integrator=None,
    origin=(120.0, -340.0, 55.0),
    velocity=(0.0, 0.0, 0.0),
    **options,
):
    """Two bodies on a joint without forces, with arms of about 1 m; if they are equal, their rates stay below 1 rad/s."""
    world = World(dt, integrator=integrator, **options)
    a = world.add_body(
        skew_properties(2.0, (0.3, 0.5, 0.6)),
        name="a",
        position=origin,
        orientation=Rotation.from_euler("xyz", (0.3, 0.5, -0.8)).as_quat(),
        velocity=np.add(velocity, (0.1, -0.2, 0.15)),
        angular_velocity_body=(0.42, -0.5, 0.34),
    )
    b = world.add_body(
        skew_properties(2.0 * ratio, (0.4, 0.35, 0.6), (-0.07, 0.1, 0.04)),
        name="b",
        position=np.add(origin, (0.9, 0.5, -0.3)),
        orientation=Rotation.from_euler("xyz", (-0.9, 0.2, 0.6)).as_quat(),
        velocity=np.add(velocity, (0.05, 0.1, -0.1)),
        angular_velocity_body=(-0.26, 0.42, 0.5),
    )
    joint = world.add_joint(pair_joint(kind, a, b))
    return world, a, b, joint


def pair_joint(kind, a, b):
    """A joint of each type between two bodies as they are now."""
    if kind == "ball":
        return Ball(a, b, at_body=PAIR_POINT)
    if kind == "hinge":
        return Hinge(a, b, at_body=PAIR_POINT, axis_body=AXIS)
    if kind == "slider":
        return Slider(a, b, at_body=PAIR_POINT, axis_body=AXIS)
    if kind == "weld":
        return Weld(a, b, at_body=PAIR_POINT)
    if kind == "universal":
        axis_world = a.direction_to_world(AXIS)
        across = np.cross(axis_world, (0.3, 0.9, 0.2))
        return Universal(
            a, b, at_body=PAIR_POINT, axis_body=AXIS, axis_other=b.direction_to_body(across / np.linalg.norm(across))
        )
    return Distance(a, b, at_body=PAIR_POINT, at_other=(0.5, 0.4, -0.6))


def heavy_top(dt=1 / 60, integrator=None, tilt=2.1, **options):
    """A body with products of inertia that swings about a ball joint at a point of the world, started at 1 rad/s.

    At a tilt of 2.1 rad it starts below the joint and reaches 3 rad/s. At 0.8 rad it falls from above the joint and reaches 6 rad/s.
    """
    world = World(dt, integrator=integrator, **options)
    body = world.add_body(
        skew_properties(3.0, (0.1, 0.16, 0.2), (0.05, -0.08, 1.0)),
        name="top",
        origin=(10.0, -20.0, 5.0),
        orientation=Rotation.from_euler("xyz", (tilt, 0.3, 0.2)).as_quat(),
    )
    rates = np.array((0.4, -0.5, 0.7))
    body.angular_velocity_body = rates
    body.velocity = body.direction_to_world(np.cross(rates, body.center_of_mass_body))
    world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
    joint = world.add_joint(Ball(body, at_body=(0.0, 0.0, 0.0)))
    return world, body, joint


def chain(count=20, end_ratio=1.0, dt=1 / 60, integrator=None, level=True):
    """A chain of rods of 0.5 m and 1 kg on ball joints, released level; the last link has `end_ratio` times the mass."""
    world = World(dt, integrator=integrator)
    length = 0.5
    previous, joints = None, []
    for number in range(count):
        mass = end_ratio if number == count - 1 else 1.0
        size = (length, 0.05, 0.05) if level else (0.05, 0.05, length)
        middle = (number + 0.5) * length
        link = world.add_body(
            MassProperties.box(mass, size), position=(middle, 0.0, 0.0) if level else (0.0, 0.0, -middle)
        )
        end = np.array((-0.5 * length, 0.0, 0.0) if level else (0.0, 0.0, 0.5 * length))
        joints.append(world.add_joint(Ball(link, previous, at_body=end)))
        previous = link
    world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
    return world, joints


def hinge_chain(count=10, limits=(-1.0, 1.0), friction=0.01, dt=1 / 60, integrator=None):
    """A chain of rods of 0.5 m and 1 kg that hangs on hinges with limits and friction, the last link at 0.3 m/s."""
    world = World(dt, integrator=integrator)
    previous, joints = None, []
    for number in range(count):
        link = world.add_body(MassProperties.box(1.0, (0.05, 0.05, 0.5)), position=(0.0, 0.0, -0.5 * (number + 0.5)))
        held = {"at_body": (0.0, 0.0, 0.25), "axis_body": (0.0, 1.0, 0.0)}
        joints.append(world.add_joint(Hinge(link, previous, **held, limits=limits, friction=friction)))
        previous = link
    link.velocity = (0.3, 0.0, 0.0)
    world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
    return world, joints


def four_bar(dt=1 / 240, integrator=None):
    """A four-bar linkage of hinges with links of 1, 2.55 and 1.58 m over 3 m, in the plane z = 0 under gravity along −y."""
    world = World(dt, integrator=integrator)
    crank, coupler, rocker, ground = 1.0, 2.55, 1.58, 3.0
    a, d = np.zeros(2), np.array((ground, 0.0))
    angle = 1.2
    b = crank * np.array((np.cos(angle), np.sin(angle)))
    between = np.linalg.norm(d - b)
    along = (d - b) / between
    part = (between**2 + coupler**2 - rocker**2) / (2.0 * between)
    c = b + part * along + np.sqrt(coupler**2 - part**2) * np.array((-along[1], along[0]))
    bars = []
    for start, end in ((a, b), (b, c), (d, c)):
        length = np.linalg.norm(end - start)
        turn = np.arctan2(*(end - start)[::-1])
        bars.append(
            world.add_body(
                MassProperties.box(length, (length, 0.05, 0.05)),
                position=(*(0.5 * (start + end)), 0.0),
                orientation=Rotation.from_rotvec((0.0, 0.0, turn)).as_quat(),
            )
        )
    normal = (0.0, 0.0, 1.0)
    first, second, third = bars
    joints = [
        Hinge(first, at_body=(-crank / 2, 0, 0), axis_body=normal),
        Hinge(second, first, at_body=(-coupler / 2, 0, 0), axis_body=normal),
        Hinge(third, second, at_body=(rocker / 2, 0, 0), axis_body=normal),
        Hinge(third, at_body=(-rocker / 2, 0, 0), axis_body=normal),
    ]
    for joint in joints:
        world.add_joint(joint)
    world.add_force(forces.UniformGravity((0.0, -9.81, 0.0)))
    return world, joints


def gap(joint):
    """Distance between the two points of a joint [m]."""
    other = joint.at_other if joint.other is None else joint.other.to_world(joint.at_other)
    return float(np.linalg.norm(joint.body.to_world(joint.at_body) - other))


def momenta(world):
    """P, L and the sizes Σ|m v| and Σ|L| they are compared with."""
    state, model = world.state, world.model
    momentum = model.mass[:, np.newaxis] * state.velocity
    spins = [body.angular_momentum_world for body in world.bodies]
    orbits = np.cross(state.position, momentum)
    size = np.linalg.norm(orbits + spins, axis=1).sum()
    return world.linear_momentum(), world.angular_momentum(), np.linalg.norm(momentum, axis=1).sum(), size
