"""Worlds that several test files use, with bodies in general position, with no zero values."""

import numpy as np
from scipy.spatial.transform import Rotation

from engine import MassProperties, World, integrators

from .helpers import SKEW_ORIENTATION, skew_tensor

CENTER = (0.3, -0.2, 0.5)
PROPERTIES = MassProperties(3.0, skew_tensor((1.0, 2.0, 2.5)), CENTER)
OTHER = MassProperties(0.7, skew_tensor((0.4, 0.5, 0.6)), (-0.1, 0.4, 0.2))
START = {
    "position": (1.0, -2.0, 3.0),
    "orientation": SKEW_ORIENTATION,
    "velocity": (0.4, 0.5, -0.6),
    "angular_velocity_body": (0.9, -1.1, 0.7),
}
METHODS = sorted(integrators.by_name)


def skew_body(dt=0.01, **options):
    """A world with one body of which nothing is zero, along an axis or diagonal."""
    world = World(dt, **options)
    return world, world.add_body(PROPERTIES, name="ship", **START)


def turned(body):
    """The rotation of a body, by SciPy."""
    return Rotation.from_quat(body.orientation)


def everything(world):
    """All that can be seen of a world, for comparing before with after."""
    return {
        "hash": world.state_hash(),
        "ticks": world.tick_count,
        "bodies": world.bodies,
        "names": [body.name for body in world.bodies],
        "indices": [body.index for body in world.bodies],
        "mass": [body.mass_properties for body in world.bodies],
        "forces": world.forces,
        "method": (world.integrator, world.game_mode),
        "throttles": [list(np.atleast_1d(force.throttle)) for force in world.forces if hasattr(force, "throttle")],
        "poses": [tuple(map(tuple, body.interpolated_pose(0.37))) for body in world.bodies],
    }


def crowd(world, count=5, seed=12):
    """Bodies of two kinds in any motion, one of them with a wheel inside."""
    rng = np.random.default_rng(seed)
    bodies = world.add_bodies(
        [(PROPERTIES, OTHER)[k % 2] for k in range(count)],
        3.0 * rng.normal(size=(count, 3)),
        orientation=Rotation.random(count, random_state=rng).as_quat(),
        velocity=rng.normal(size=(count, 3)),
        angular_velocity_body=rng.normal(size=(count, 3)),
    )
    bodies[1].stored_momentum_body = (0.7, -0.2, 0.4)
    return bodies
