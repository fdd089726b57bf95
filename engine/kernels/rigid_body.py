"""The equation of motion of one rigid body, I ω̇ = τ − ω × (I ω + h), and the tuples in which a body is handed around.

`gyroscopic` is a compile-time constant everywhere: False is game mode, which drops ω × (I ω + h) and nothing else.
"""

from .compiler import inlined
from .quaternions import Quaternion, rotate, rotate_inverse
from .vectors import Symmetric, Vector, add, apply_symmetric, cross, subtract

State = tuple[Vector, Quaternion, Vector, Vector]
"""Position (world), orientation, velocity (world), angular velocity (body)."""
Wrench = tuple[Vector, Vector, Vector, Vector]
"""Force world, torque world, force body, torque body: the body parts turn with the body, all about its mass centre."""
Wrenches = tuple[Wrench, Wrench, Wrench, Wrench, Wrench, Wrench]
"""One wrench for each evaluation in a tick; those that the method does not make are never read."""
Body = tuple[float, Symmetric, Symmetric, Vector]
"""Inverse mass, inertia and inverse inertia (body axes), stored angular momentum (body axes)."""


@inlined
def net_force_world(orientation: Quaternion, doubling: float, wrench: Wrench) -> Vector:
    return add(wrench[0], rotate(orientation, doubling, wrench[2]))


@inlined
def net_torque_world(orientation: Quaternion, doubling: float, wrench: Wrench) -> Vector:
    return add(wrench[1], rotate(orientation, doubling, wrench[3]))


@inlined
def net_torque_body(orientation: Quaternion, doubling: float, wrench: Wrench) -> Vector:
    return add(wrench[3], rotate_inverse(orientation, doubling, wrench[1]))


@inlined
def angular_momentum_body(angular_velocity_body: Vector, body: Body) -> Vector:
    """I ω + h, in body axes."""
    return add(apply_symmetric(body[1], angular_velocity_body), body[3])


@inlined
def angular_velocity_of(momentum_body: Vector, body: Body) -> Vector:
    """ω = I⁻¹ (m − h), all in body axes."""
    return apply_symmetric(body[2], subtract(momentum_body, body[3]))


@inlined
def angular_acceleration_body(
    gyroscopic: bool, angular_velocity_body: Vector, torque_body: Vector, body: Body
) -> Vector:
    """Euler's equations solved for ω̇, body axes."""
    torque = torque_body
    if gyroscopic:
        torque = subtract(torque, cross(angular_velocity_body, angular_momentum_body(angular_velocity_body, body)))
    return apply_symmetric(body[2], torque)
