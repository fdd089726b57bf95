"""Worlds whose bodies touch, for the table of bits: each after ticks in which it has come to that."""

from math import sqrt

from engine import MassProperties, World, forces, joints, shapes

BOX, BALL = MassProperties.box(2.0, (1.0, 1.0, 1.0)), MassProperties.sphere(1.0, 0.5)
LEANING, ASKEW, TURNED = (0.0, 0.08, 0.06, sqrt(0.99)), (0.36, 0.48, -0.48, 0.64), (0.0, 0.0, 0.1, sqrt(0.99))
"""Quaternions without a sine, which would depend on the machine."""


def _ground(restitution=0.0):
    world = World(1 / 60)
    world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
    world.add_shape(shapes.Plane((0.0, 0.0, 1.0)), material=shapes.Material(0.5, restitution))
    return world


def _add(world, mass, shape, position, restitution=0.0, **motion):
    body = world.add_body(mass, position=position, **motion)
    body.add_shape(shape, material=shapes.Material(0.5, restitution))
    return body


def _lander():
    """A heavy hull on four light feet with springs, which comes down tilted."""
    world = _ground()
    motion = {"orientation": LEANING, "velocity": (0.3, -0.2, -2.0)}
    hull = world.add_body(MassProperties.box(1000.0, (2.0, 2.0, 1.0)), position=(0.0, 0.0, 1.6), **motion)
    for x, y in ((1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)):
        place = hull.to_world((x, y, -1.2))
        foot = _add(world, MassProperties.sphere(1.0, 0.15), shapes.Sphere(0.15), place, **motion)
        spring = joints.JointSpring(stiffness=4e4, damping=5e3)
        leg = joints.Slider(hull, foot, at_body=(x, y, -1.2), axis_body=(0, 0, 1), spring=spring, limits=(-0.6, 0.6))
        world.add_joint(leg)
    world.step(12)
    return world


def _stack():
    """Ten boxes on each other, which fall by little and rest."""
    world = _ground()
    for number in range(10):
        _add(world, BOX, shapes.Box((1.0, 1.0, 1.0)), (0.01 * (number % 3), 0.0, 0.5005 + 1.0005 * number))
    world.step(12)
    return world


def _pile():
    """A row of balls and boxes that is one island of more than 32 bodies, which sweeps solve."""
    world = _ground()
    for number in range(34):
        mass, shape = (BALL, shapes.Sphere(0.5)) if number % 3 else (BOX, shapes.Box((1.0, 1.0, 1.0)))
        _add(world, mass, shape, (0.9999 * number, 0.0, 0.5), velocity=(0.0, 0.1 * (number % 5), 0.0))
    world.step(4)
    return world


def _bounce():
    """Bodies of all convex shapes that bounce."""
    world = _ground(0.7)
    hull = shapes.ConvexHull([(0.6, 0, -0.4), (-0.5, 0.5, -0.4), (-0.5, -0.5, -0.4), (0.1, 0.1, 0.6), (-0.2, 0.3, 0.4)])
    kinds = shapes.Sphere(0.5), shapes.Box((1.0, 0.7, 0.8)), shapes.Capsule(0.3, 1.2), shapes.Cylinder(0.4, 0.9), hull
    for number, kind in enumerate(kinds):
        place, spin = (1.1 * number, 0.2 * number, 0.85), (0.3, -0.5, 0.1 * number)
        motion = {"orientation": ASKEW, "velocity": (0.4, 0.1, -3.0), "angular_velocity_body": spin}
        _add(world, BALL if number == 0 else BOX, kind, place, 0.7, **motion)
    world.step(4)
    return world


def _terrain():
    """Bodies on a field of heights and a mesh."""
    world = World(1 / 60)
    world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
    heights = [[0.05 * ((3 * x + 5 * y) % 7) for y in range(9)] for x in range(9)]
    world.add_shape(
        shapes.HeightField(heights, (0.5, 0.5)), velocity=(0.1, 0.0, 0.0), angular_velocity_world=(0, 0, 0.05)
    )
    corners = [(2.0, -2.0, 0.3), (6.0, -2.0, 0.1), (6.0, 2.0, 0.3), (2.0, 2.0, 0.0)]
    world.add_shape(shapes.TriangleMesh(corners, [(0, 1, 2), (0, 2, 3)]))
    kinds = shapes.Sphere(0.4), shapes.Box((0.8, 0.8, 0.8)), shapes.Capsule(0.3, 0.6), shapes.Cylinder(0.4, 0.8)
    for number, kind in enumerate(kinds):
        motion = {"orientation": ASKEW, "velocity": (0.6, 0.2, -1.0)}
        _add(world, BOX, kind, (-0.9 + 1.5 * number, 0.3 * number - 0.4, 0.95), **motion)
    world.step(14)
    return world


def _fast():
    """Bodies that are met in time, of which two are on a joint, before walls of 1 cm."""
    world, small = World(1 / 60), MassProperties.sphere(1.0, 0.05)
    world.add_shape(shapes.Box((0.01, 6.0, 6.0)), position=(9.0, 0.0, 0.0), orientation=TURNED)
    moves = {"velocity": (300.0, 1.0, 2.0), "angular_velocity_body": (3.0, 5.0, 2.0)}
    _add(world, small, shapes.Sphere(0.05), (1.0, 0.2, 0.1), 0.6, **moves)
    _add(world, small, shapes.Box((0.1, 0.1, 0.1)), (0.0, 1.2, 0.1), **moves)
    pair = [
        _add(world, small, shapes.Sphere(0.05), (0.0, -1.0 - y, 0.4), velocity=(200.0, 0.0, 0.0)) for y in (0.0, 0.6)
    ]
    world.add_joint(joints.Distance(*pair, at_body=(0.0, 0.0, 0.0), at_other=(0.0, 0.0, 0.0)))
    return world


SCENES = {
    "touching-lander": _lander,
    "touching-stack": _stack,
    "touching-pile": _pile,
    "touching-bounce": _bounce,
    "touching-terrain": _terrain,
    "touching-fast": _fast,
}
METHOD = "free-rotor-2"
"""By which they move."""
