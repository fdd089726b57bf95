"""Random scenes of joints that hold at first, so that at least one motion, that of a rigid body, always satisfies them."""

from collections.abc import Callable

import numpy as np
from scipy.spatial.transform import Rotation

from engine import Body, MassProperties, World, forces
from engine.joints import Ball, Distance, Hinge, Joint, JointSpring, Motor, Planar, Slider, Universal, Weld

Random = np.random.Generator


def random_scene(seed: int) -> World:
    """A tree, a ring, two bodies on two joints, a linkage that passes a dead point, or a hanging chain."""
    random = np.random.default_rng(seed)
    dt = float(random.choice((1 / 30, 1 / 60, 1 / 120, 1 / 240)))
    world = World(dt, integrator=str(random.choice(("free-rotor-2", "free-rotor-4", "rk4"))))
    KINDS[seed % len(KINDS)](world, random)
    return world


def tree(world: World, random: Random) -> None:
    """Up to twelve bodies, each on a joint with an earlier one or the world, with masses of up to 1 : 1000."""
    bodies: list[Body] = []
    for _ in range(random.integers(2, 13)):
        parent = bodies[random.integers(len(bodies))] if bodies else None
        place = random.normal(size=3) + (0.0 if parent is None else parent.position)
        bodies.append(_body(world, random, place, 1.5))
        if parent is not None or random.random() < 0.5:
            _join(world, random, bodies[-1], parent)
    _gravity(world, random)


def ring(world: World, random: Random) -> None:
    """Three to six bodies that joints connect to a ring, with masses of up to 1 : 1e6, and some rings with a joint to the world."""
    count = random.integers(3, 7)
    spread = float(random.choice((0.5, 1.5, 3.0)))
    places = 1.5 * np.array(
        [(np.cos(a), np.sin(a), 0.3 * random.normal()) for a in np.arange(count) * 2 * np.pi / count]
    )
    bodies = [_body(world, random, place, spread) for place in places]
    for body, other in zip(bodies, [*bodies[1:], bodies[0]], strict=True):
        _join(world, random, body, other)
    if random.random() < 0.3:
        _join(world, random, bodies[0], None)
    _gravity(world, random)


def two_joints(world: World, random: Random) -> None:
    """Two bodies on two joints, which may leave them any freedom from none to five, up to 30 m apart."""
    far = 10.0 ** random.uniform(-0.5, 1.5)
    one = _body(world, random, (0.0, 0.0, 0.0), 1.5)
    other = _body(world, random, far * random.normal(size=3) / 1.7, 1.5)
    _join(world, random, one, other)
    _join(world, random, one, other)
    _gravity(world, random)


def hanging_chain(world: World, random: Random) -> None:
    """A chain of 3 to 30 hinges with limits and friction, which hangs and swings."""
    axis = (0.0, 1.0, 0.0)
    previous = None
    friction = float(random.choice((0.0, 0.001, 0.01, 0.1)))
    for number in range(random.integers(3, 31)):
        link = world.add_body(MassProperties.box(1.0, (0.05, 0.05, 0.5)), position=(0.0, 0.0, -0.5 * (number + 0.5)))
        held = {"at_body": (0.0, 0.0, 0.25), "axis_body": axis}
        world.add_joint(Hinge(link, previous, **held, limits=(-1.0, 1.0), friction=friction))
        previous = link
    assert previous is not None
    previous.velocity = (random.uniform(0.0, 3.0), 0.0, 0.0)
    world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))


def extended_linkage(world: World, random: Random) -> None:
    """A plate on three or four legs of two links with three hinges each, which gravity extends fully; it passes that dead point."""
    legs = int(random.integers(3, 5))
    radius, length = random.uniform(0.2, 1.0), random.uniform(0.3, 1.0)
    bend, mass = random.uniform(0.3, 1.2), random.uniform(0.2, 3.0)
    angles = random.uniform(0.0, 1.2, legs) + 2.0 * np.pi * np.arange(legs) / legs
    linkage(world, angles, radius, length, bend, mass)
    world.add_force(forces.UniformGravity((0.0, 0.0, random.uniform(2.0, 10.0))))


def linkage(world: World, angles: np.ndarray, radius: float, length: float, bend: float, mass: float) -> list[Joint]:
    """A Sarrus linkage: a plate of five times the mass of a link, on legs at these angles whose links are bent from the vertical."""
    height = 2.0 * length * np.cos(bend)
    plate = world.add_body(MassProperties.cylinder(5.0 * mass, radius, 0.1), position=(0.0, 0.0, height))
    joints: list[Joint] = []
    for angle in angles:
        turn = Rotation.from_rotvec((0.0, 0.0, angle))
        out, axis = turn.apply((1.0, 0.0, 0.0)), turn.apply((0.0, 1.0, 0.0))
        foot = radius * out
        knee = foot + length * np.sin(bend) * out + (0.0, 0.0, 0.5 * height)
        ends = []
        for start, end in ((foot, knee), (knee, np.add(foot, (0.0, 0.0, height)))):
            along = (end - start) / np.linalg.norm(end - start)
            pose = Rotation.from_matrix(np.column_stack([along, axis, np.cross(along, axis)]))
            middle = 0.5 * (start + end)
            bar = MassProperties.box(mass, (length, 0.05, 0.05))
            ends.append(world.add_body(bar, position=middle, orientation=pose.as_quat()))
        lower, upper = ends
        first, last = {"at_body": (-0.5 * length, 0.0, 0.0)}, {"at_body": (0.5 * length, 0.0, 0.0)}
        about = {"axis_body": (0.0, 1.0, 0.0)}
        for each in (
            Hinge(lower, **first, **about),
            Hinge(upper, lower, **first, **about),
            Hinge(upper, plate, **last, **about),
        ):
            joints.append(world.add_joint(each))
    return joints


KINDS: tuple[Callable[[World, Random], object], ...] = (tree, ring, two_joints, hanging_chain, extended_linkage)


def _body(world: World, random: Random, place: object, spread: float) -> Body:
    """A body of random mass, up to 1 : 100^spread, with products of inertia and an offset mass centre, in motion."""
    mass = 10.0 ** random.uniform(-spread, spread)
    moments = mass * random.uniform(0.3, 0.55, 3)
    turn = Rotation.random(random_state=random.integers(2**31)).as_matrix()
    return world.add_body(
        MassProperties(mass, turn @ np.diag(moments) @ turn.T, random.normal(scale=0.1, size=3)),
        position=place,
        orientation=Rotation.random(random_state=random.integers(2**31)).as_quat(),
        velocity=0.3 * random.normal(size=3),
        angular_velocity_body=0.5 * random.normal(size=3),
    )


def _gravity(world: World, random: Random) -> None:
    if random.random() < 0.5:
        world.add_force(forces.UniformGravity(3.0 * random.normal(size=3)))


def _join(world: World, random: Random, body: Body, other: Body | None) -> None:
    """A joint of a random type with random settings, for the present poses."""
    at = {"at_body": random.uniform(-0.6, 0.6, 3)}
    axis = random.normal(size=3)
    axis /= np.linalg.norm(axis)
    across = np.cross(body.direction_to_world(axis), random.normal(size=3))
    across /= np.linalg.norm(across)
    kind = random.choice(("ball", "hinge", "slider", "weld", "universal", "rod", "rope", "planar"))
    joint: Joint
    if kind == "ball":
        limits = {"swing_limit": random.uniform(0.3, 2.0)} if random.random() < 0.3 else {}
        joint = Ball(body, other, **at, axis_body=axis, **limits)
    elif kind in ("hinge", "slider"):
        make = Hinge if kind == "hinge" else Slider
        joint = make(body, other, **at, axis_body=axis, **_settings(random))
        _drive(random, joint)
    elif kind == "weld":
        joint = Weld(body, other, **at)
    elif kind == "universal":
        axis_other = across if other is None else other.direction_to_body(across)
        joint = Universal(body, other, **at, axis_body=axis, axis_other=axis_other)
    elif kind == "planar":
        joint = Planar(body, axis, other, **at)
    else:
        there = random.normal(size=3)
        to = there if other is None else other.to_world(there)
        length = float(np.linalg.norm(body.to_world(at["at_body"]) - to))
        lengths = {"max_length": length * random.uniform(1.0, 1.3)} if kind == "rope" else {}
        joint = Distance(body, other, **at, at_other=there, **lengths)
    world.add_joint(joint)


def _settings(random: Random) -> dict[str, object]:
    settings: dict[str, object] = {}
    if random.random() < 0.4:
        settings["limits"] = (-random.uniform(0.0, 1.0), random.uniform(0.0, 1.0))
    if random.random() < 0.4:
        settings["friction"] = 10.0 ** random.uniform(-3.0, 1.0)
    return settings


def _drive(random: Random, joint: Hinge | Slider) -> None:
    chosen = random.random()
    if chosen < 0.15:
        joint.motor = Motor(target_rate=random.normal(), max_torque=10.0 ** random.uniform(-1.0, 2.0))
    elif chosen < 0.3:
        joint.spring = JointSpring(
            stiffness=10.0 ** random.uniform(-1.0, 3.0), damping=10.0 ** random.uniform(-2.0, 1.0)
        )
