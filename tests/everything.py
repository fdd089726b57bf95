"""A world with a row in nearly every table: bodies, forces, parts, joints, memory, a push, a sphere to keep out of and a frozen body."""

import warnings

import numpy as np

from engine import MassProperties, World, flight, forces, joints, shapes
from engine.flight import control

from .worlds import OTHER, PROPERTIES

TILTED = (0.3, -0.7, 0.9)
DIPOLE = forces.MagneticDipole(7.71e15, (0.1, 0.2, -1.0), (-7e6, 0.0, 0.0))
AIR = {"density": 1e-3, "reference_altitude": 1.0, "scale_height": 6.0, "planet_radius": 0.5}
GIMBAL = flight.Gimbal(TILTED, (0, 0, 1), 0.2, 0.5)
PORTS = (joints.Port((0, 0, 1), (0, 0, 1), (1, 0, 0)), joints.Port((0, 0, -1), (0, 0, -1), (1, 0, 0)))


def everything():
    """The world, a few ticks old."""
    world = World(1 / 32, integrator="rk4", on_non_finite="freeze")
    ship = world.add_body(PROPERTIES, name="ship", position=(1, 2, 3), angular_velocity_body=(0.1, -0.2, 0.3))
    tug = world.add_body(OTHER, name="tug", position=(9, 0, 0), velocity=(0.1, 0.2, 0.0))
    arm = world.add_body(OTHER, name="arm", position=(12, 0, 0))
    hand = world.add_body(OTHER, name="hand", position=(15, 0, 0))
    post = world.add_body(PROPERTIES, name="post", position=(-20, 0, 0))
    lost = world.add_body(OTHER, name="lost", position=(1e308, 0, 0), velocity=(1.7e308, 0, 0))
    tank = world.add_part(flight.Tank.ball(ship, position=(0, 0, 0.5), radius=0.2, propellant=1.0))
    wheels = [
        world.add_part(flight.ReactionWheel(ship, axis=axis, inertia=0.01, max_torque=2.0, max_speed=600.0, speed=5.0))
        for axis in np.eye(3)
    ]
    jet = forces.Thruster(
        *(ship,),
        position=(0, 1, 0),
        direction=(0, 0, 1),
        max_force=9.0,
        tank=tank,
        specific_impulse=50.0,
        min_on_time=0.1,
        rise_time=0.05,
        fall_time=0.1,
    )
    gimballed = forces.Thruster(tug, position=(0, 0, -1), direction=(0, 0, 1), max_force=3.0, gimbal=GIMBAL)
    bodies = [ship, tug, arm, hand, post]
    for force in (
        forces.UniformGravity((0.0, -1e-3, 0.0), bodies=bodies),
        forces.LinearDrag([0.1, 0.2], bodies=[ship, tug]),
        forces.PointGravity(4.0, (70, 1, 2), j2=1e-3, reference_radius=6.0, axis=TILTED, bodies=bodies),
        forces.AtmosphericDrag(ship, drag_area=2.0, at_body=TILTED, **AIR),
        forces.RadiationPressure(
            *(tug,),
            area=2.0,
            at_body=(0, 1, 0),
            specular=0.3,
            diffuse=0.2,
            normal_body=TILTED,
            sun_direction_world=TILTED,
            shadow=((9.0, 0.0, 0.0), 1.0),
        ),
        forces.Spring(ship, tug, stiffness=0.1, rest_length=8.0),
        forces.Spring(post, None, stiffness=0.5, at_other=(-20, 2, 1)),
        forces.ConstantForce(post, force_body=(0.3, -0.2, 0.5), at_body=(0.1, 0.2, 0.7)),
        forces.ConstantTorque(post, torque_world=(0.1, -0.2, 0.05)),
        forces.ThrusterBank(tug, positions=[(0, 0, 0), (1, 0, 0)], directions=[(1, 0, 0), (0, 1, 0)], max_forces=2.0),
        jet,
        gimballed,
    ):
        world.add_force(force)
    for joint in (
        joints.Hinge(
            *(arm, tug),
            at_body=(-1.5, 0, 0),
            axis_body=(0, 0, 1),
            limits=(-0.5, 0.5),
            motor=joints.Motor(target_rate=0.02, max_torque=1.0),
        ),
        joints.Ball(hand, arm, at_body=(-1.5, 0, 0), axis_body=(1, 0, 0), swing_limit=1.0, twist_limits=(-1.0, 1.5)),
        joints.Slider(post, axis_body=(0, 0, 1), at_body=(0, 0, 0), friction=0.1),
        joints.Latch(ship, hand, *PORTS, capture=joints.Capture(0.1, 0.2, 0.3, 0.4, 0.5)),
    ):
        world.add_joint(joint)
    gyro = world.add_part(flight.Gyro(ship, noise_density=1e-3, bias_walk=1e-4, every=2, seed=3, max_rate=9.0))
    trackers = [
        world.add_part(flight.StarTracker(ship, axis, noise=(2e-5, 1e-4), seed=4 + place, every=2, delay=2 - 2 * place))
        for place, axis in enumerate(np.eye(3)[:2])
    ]
    world.add_part(flight.AttitudeFilter(gyro, trackers, orientation=(0, 0.6, 0, 0.8), orientation_deviation=0.1))
    world.add_part(flight.Accelerometer(ship, max_acceleration=9.0, misalignment=TILTED, seed=1))
    world.add_part(
        flight.SunSensor(ship, TILTED, field_of_view=1.1, sun_direction_world=TILTED, noise=0.1, seed=5, delay=1)
    )
    world.add_part(flight.Magnetometer(ship, field=DIPOLE, noise=1e-8, seed=3))
    world.add_part(flight.Magnetorquer(ship, axis=TILTED, max_dipole=2.0, field=DIPOLE))
    world.add_part(
        flight.Controlled(
            ship, control.QuaternionPD(1.5, 2.0), flight.Reference(), flight.WheelAllocator(wheels), every=2, delay=1
        )
    )
    world.memory.add("integral", 2).value = (0.25, -0.5)
    world.memory.add("random", (2, 2), np.uint64).value = [[1, 2], [3, 2**64 - 1]]
    world.keep_out = ((70, 1, 2), 2.5)
    gimballed.throttle, gimballed.gimbal_command = 0.5, (0.2, -0.1)
    jet.fire(1.5, 0.3)
    with warnings.catch_warnings(action="ignore"):
        world.step(9)
    assert [frozen.body for frozen in world.frozen] == [lost]
    tug.apply_force((0.1, 0.2, 0.3))
    return world


def touching():
    """A world with shapes, materials, layers, collision groups and a pair that is ignored, whose bodies have come to rest on each other."""
    world = World(1 / 60, integrator="rk4", on_non_finite="freeze")
    world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
    world.add_shape(shapes.Plane(), material=shapes.Material(friction=0.6))
    world.add_shape(shapes.Box((2.0, 2.0, 0.5)), position=(4.0, 0.0, 0.25), orientation=(0.0, 0.0, 0.6, 0.8))
    cube, size = MassProperties.box(3.0, (1.0, 1.0, 1.0)), (1.0, 1.0, 1.0)
    for place in ((0.0, 0.0, 0.5), (0.1, 0.0, 1.5), (4.0, 0.0, 1.0)):
        world.add_body(cube, position=place).add_shape(shapes.Box(size))
    ball = world.add_body(MassProperties.sphere(1.0, 0.25), position=(-2.0, 0.0, 0.25))
    ball.add_shape(shapes.Sphere(0.25), layer=1, material=shapes.Material(restitution=0.2))
    stone = world.add_body(cube, position=(-4.0, 0.0, 0.5))
    corners = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    stone.add_shape(shapes.ConvexHull(corners))
    ghosts = [world.add_body(cube, position=(x, 5.0, 0.5)) for x in (0.0, 0.5)]
    for ghost in ghosts:
        ghost.add_shape(shapes.Box(size))
    ghosts[0].collision_group = 3
    probe = world.add_body(MassProperties.sphere(1.0, 0.5), position=(-2.0, 0.2, 0.5))
    probe.add_shape(shapes.Sphere(0.5), sensor=True)
    world.ignore_pair(probe, stone)
    world.step(5)
    return world
