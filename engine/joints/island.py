"""The islands of a world as users see them."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Iterable

from ..store.rows import BodyHandle


class Island(tuple[BodyHandle, ...]):
    """The bodies of an island (see `World.islands`), in row order: a tuple that also says the order of their step.

    Attributes:
        order: The order of the step in a tick that starts now: the error of the motion is proportional to this power of the tick.
        reason: Why the order is lower than that of the world's method, in words; empty if it is not.

    Example:
        >>> from engine import MassProperties, World, joints
        >>> world = World(dt=0.01, integrator="free-rotor-4")
        >>> a, b = world.add_bodies(MassProperties.sphere(1.0, 0.5), [(0, 0, 0), (2, 0, 0)])
        >>> hinge = world.add_joint(joints.Hinge(a, b, at_body=(1, 0, 0), axis_body=(0, 0, 1), limits=(-1.0, 1.0)))
        >>> (island,) = world.islands
        >>> island.order, island.reason
        (4, '')
        >>> hinge.friction = 0.1
        >>> world.islands[0].order, world.islands[0].reason
        (2, "Hinge(body 'body 0', body 'body 1') has friction")
    """

    order: int
    reason: str

    def __new__(cls, bodies: Iterable[BodyHandle], order: int = 2, reason: str = "") -> Island:
        """Make an island of some bodies."""
        island = super().__new__(cls, bodies)
        island.order, island.reason = order, reason
        return island
