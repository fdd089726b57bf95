"""The equation of motion of one rigid body, I ω̇ = τ − ω × (I ω + h), the tuples in which a body is handed around, and sums of them.

`gyroscopic` is a compile-time constant everywhere: False is game mode, which drops ω × (I ω + h) and nothing else.
"""

from typing import NamedTuple

from .compiler import inlined
from .quaternions import (
    Quaternion,
    add_scaled_quaternion,
    doubling,
    normalize,
    rate_of_change,
    rotate,
    rotate_inverse,
)
from .vectors import Symmetric, Vector, add, add_scaled, apply_symmetric, cross, scale, subtract

State = tuple[Vector, Quaternion, Vector, Vector]
"""Position (world), orientation, velocity (world), angular velocity (body)."""
Slope = State
"""Their derivatives in time, in the same order."""
Wrench = tuple[Vector, Vector, Vector, Vector]
"""Force world, torque world, force body, torque body: the body parts turn with the body, all about its mass centre."""
Wrenches = tuple[Wrench, ...]
"""One wrench for each evaluation in a tick; those of the stages to come are never read."""
Body = tuple[float, Symmetric, Symmetric, Vector]
"""Inverse mass, inertia and inverse inertia (body axes), stored angular momentum (body axes)."""


class BodyAtStage(NamedTuple):
    """What a force field is told of the body that it acts on, at one stage of a tick."""

    position: Vector
    """Position of the mass centre [m], world frame."""
    orientation: Quaternion
    """Unit quaternion, scalar last, body to world."""
    velocity: Vector
    """Velocity of the mass centre [m/s], world frame."""
    angular_velocity_body: Vector
    """Angular velocity [rad/s], body frame."""
    mass: float
    """Mass [kg]."""
    inertia_body: Symmetric
    """Inertia about the mass centre [kg·m²], body frame: xx, yy, zz, xy, xz, yz."""
    center_of_mass_body: Vector
    """Mass centre from the body's origin [m], body frame."""


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


@inlined
def slope(gyroscopic: bool, state: State, wrench: Wrench, body: Body) -> Slope:
    """d/dt of position, orientation, velocity and body rates."""
    _position, orientation, velocity, rates = state
    # the quaternion of a stage is off unit length by (ω dt)²/8: rotate by q v q⁻¹ and not by q v q*
    twice = doubling(orientation)
    acceleration = scale(body[0], net_force_world(orientation, twice, wrench))
    torque_body = net_torque_body(orientation, twice, wrench)
    angular_acceleration = angular_acceleration_body(gyroscopic, rates, torque_body, body)
    return velocity, rate_of_change(orientation, rates), acceleration, angular_acceleration


@inlined
def add_scaled_state(state: State, factor: float, rates_of_change: Slope) -> State:
    return (
        add_scaled(state[0], factor, rates_of_change[0]),
        add_scaled_quaternion(state[1], factor, rates_of_change[1]),
        add_scaled(state[2], factor, rates_of_change[2]),
        add_scaled(state[3], factor, rates_of_change[3]),
    )


@inlined
def at_unit_length(state: State) -> State:
    """The state with its quaternion brought back to unit length."""
    return state[0], normalize(state[1]), state[2], state[3]
