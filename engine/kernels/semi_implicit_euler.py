"""Semi-implicit Euler methods, which kick the momenta with the forces at the start and then move and rotate with the new rates."""

from ..compilation.compiler import inlined
from .implicit_gyroscopic import newton_correction
from .quaternions import Quaternion, from_rotation_vector, multiply, normalize, rotate_inverse
from .rigid_body import (
    BodyModel,
    BodyState,
    BodyWrench,
    MaybeVector,
    Wrenches,
    angular_momentum_body,
    angular_velocity_of,
    grown,
    net_force_world,
    net_torque_body,
    turned_by_motors,
)
from .vectors import Vector, add_scaled, apply_symmetric, cross, scale


@inlined
def semi_implicit_euler(
    stage: int, gyroscopic: bool, dt: float, start: BodyState, wrenches: Wrenches, body: BodyModel
) -> BodyState:
    if stage == 0:
        return start
    wrench = wrenches[0]
    velocity, kicked = _kicked(dt, start, wrench, body)
    rates = turned_by_motors(kicked, dt, wrench.motor_torque, body)
    stored = grown(start.stored_momentum, dt, wrench.motor_torque)
    turn = from_rotation_vector(scale(dt, rates))
    if gyroscopic:
        # the total momentum is constant in world axes while the body rotates; motors do not change it
        momentum_body = angular_momentum_body(kicked, start.stored_momentum, body)
        rates = angular_velocity_of(rotate_inverse(turn, 2.0, momentum_body), stored, body)
    return _moved(dt, start, velocity, turn, rates, stored)


@inlined
def implicit_gyro_euler(
    stage: int, gyroscopic: bool, dt: float, start: BodyState, wrenches: Wrenches, body: BodyModel
) -> BodyState:
    if stage == 0:
        return start
    wrench = wrenches[0]
    velocity, kicked = _kicked(dt, start, wrench, body)
    rates = turned_by_motors(kicked, dt, wrench.motor_torque, body)
    stored = grown(start.stored_momentum, dt, wrench.motor_torque)
    if gyroscopic:
        # one Newton step from the current rates for I (ω₁ − ω) + dt ω₁ × (I ω₁ + h) = 0
        momentum_body = angular_momentum_body(rates, stored, body)
        excess = cross(rates, momentum_body)
        rates = add_scaled(rates, -dt, newton_correction(rates, momentum_body, dt, excess, body))
    return _moved(dt, start, velocity, from_rotation_vector(scale(dt, rates)), rates, stored)


@inlined
def _kicked(dt: float, start: BodyState, wrench: BodyWrench, body: BodyModel) -> tuple[Vector, Vector]:
    """Velocity and body rates after the external forces of the whole tick."""
    velocity = add_scaled(start.velocity, dt * body.inverse_mass, net_force_world(start.orientation, 2.0, wrench))
    torque_body = net_torque_body(start.orientation, 2.0, wrench)
    return velocity, add_scaled(start.angular_velocity, dt, apply_symmetric(body.inverse_inertia, torque_body))


@inlined
def _moved(
    dt: float, start: BodyState, velocity: Vector, turn: Quaternion, rates: Vector, stored: MaybeVector
) -> BodyState:
    position = add_scaled(start.position, dt, velocity)
    return BodyState(position, normalize(multiply(start.orientation, turn)), velocity, rates, stored)
