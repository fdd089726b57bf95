"""The relative motion of the two bodies of a joint."""

from __future__ import annotations

from ..kernels.vectors import Vector, add, cross, subtract
from ..store.rows import BodyHandle
from .joint import Joint, pose_of


def relative_velocity(joint: Joint, point: Vector) -> Vector:
    """Velocity of the first body relative to the other [m/s] at a point given from the first body's mass centre, world frame."""
    position, _q, _center = pose_of(joint.body)
    other_position, _other_q, _other_center = pose_of(joint.other)
    own = _velocity(joint.body, point)
    return subtract(own, _velocity(joint.other, add(subtract(position, other_position), point)))


def _velocity(body: BodyHandle | None, arm: Vector) -> Vector:
    if body is None:
        return 0.0, 0.0, 0.0
    x, y, z = body.velocity.tolist()
    return add((x, y, z), cross(_rates(body), arm))


def _rates(body: BodyHandle | None) -> Vector:
    x, y, z = (0.0, 0.0, 0.0) if body is None else body.angular_velocity_world.tolist()
    return x, y, z


def relative_rates(joint: Joint) -> Vector:
    """Angular velocity of the first body relative to the other [rad/s], world frame."""
    return subtract(_rates(joint.body), _rates(joint.other))
