"""One scene of the search."""

from typing import NamedTuple

import numpy as np

from engine import World
from engine.joints import JointConflictError
from tests.benchmarks.joint_scenes import momenta

from .scenes import random_scene


class Trial(NamedTuple):
    """What became of a scene.

    Attributes:
        failure: The error, or what was left beyond its bound; empty if all is well.
        gap: The largest error of a joint [m], as a share of the size of its island.
        moved: The largest change of the linear momentum per tick, as a share of Σ|m v|; 0 with gravity or joints to the world.
        turned: The same for the angular momentum.
    """

    failure: str
    gap: float
    moved: float
    turned: float


MOST_GAP = 4e-8
"""What a linkage may leave at a dead point; elsewhere the tolerance is ten thousand times smaller."""


def trial(seed: int, ticks: int) -> Trial:
    """Run a scene."""
    world = random_scene(seed)
    is_alone = not world.forces and all(joint.other is not None for joint in world.joints)
    gap = moved = turned = 0.0
    world_size = _size(world)
    before = momenta(world)
    for _ in range(ticks):
        try:
            world.step()
        except JointConflictError as error:
            return Trial(f"t = {world.time:.4g} s, dt = {world.dt:.4g} s: {error}", gap, moved, turned)
        gap = max(gap, _gap(world) / world_size)
        after = momenta(world)
        if is_alone:
            moved = max(moved, float(np.linalg.norm(after[0] - before[0])) / after[2])
            turned = max(turned, float(np.linalg.norm(after[1] - before[1])) / after[3])
        before = after
    failure = f"a joint is off by {gap:.1e} of the size" if gap > MOST_GAP else ""
    return Trial(failure, gap, moved, turned)


def _size(world: World) -> float:
    return max(1.0, float(np.abs(world.state.position).max()))


def _gap(world: World) -> float:
    """The largest distance between the points of joints that hold a point [m]."""
    largest = 0.0
    for joint in world.joints:
        if type(joint).__name__ in ("Ball", "Hinge", "Universal", "Weld"):
            other = joint.at_other if joint.other is None else joint.other.to_world(joint.at_other)
            largest = max(largest, float(np.linalg.norm(joint.body.to_world(joint.at_body) - other)))
    return largest
