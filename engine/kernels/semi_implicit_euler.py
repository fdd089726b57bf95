"""Semi-implicit Euler: kick the momenta with the forces at the start, then move and turn with the new rates."""

from .compiler import inlined
from .implicit_gyroscopic import newton_correction
from .quaternions import from_rotation_vector, multiply, normalize, rotate_inverse
from .rigid_body import (
    Body,
    State,
    Wrenches,
    angular_momentum_body,
    angular_velocity_of,
    net_force_world,
    net_torque_body,
)
from .vectors import Vector, add_scaled, apply_symmetric, cross, scale


@inlined
def semi_implicit_euler(stage: int, gyroscopic: bool, dt: float, start: State, wrenches: Wrenches, body: Body) -> State:
    if stage == 0:
        return start
    velocity, rates = _kicked(dt, start, wrenches, body)
    turn = from_rotation_vector(scale(dt, rates))
    if gyroscopic:
        # the momentum stands still in the world while the body turns under it
        momentum_body = rotate_inverse(turn, 2.0, angular_momentum_body(rates, body))
        rates = angular_velocity_of(momentum_body, body)
    return add_scaled(start[0], dt, velocity), normalize(multiply(start[1], turn)), velocity, rates


@inlined
def implicit_gyro_euler(stage: int, gyroscopic: bool, dt: float, start: State, wrenches: Wrenches, body: Body) -> State:
    if stage == 0:
        return start
    velocity, rates = _kicked(dt, start, wrenches, body)
    if gyroscopic:
        # one Newton step, from the rates as they are, for I (ω₁ − ω) + dt ω₁ × (I ω₁ + h) = 0
        momentum_body = angular_momentum_body(rates, body)
        excess = cross(rates, momentum_body)
        rates = add_scaled(rates, -dt, newton_correction(rates, momentum_body, dt, excess, body))
    turn = from_rotation_vector(scale(dt, rates))
    return add_scaled(start[0], dt, velocity), normalize(multiply(start[1], turn)), velocity, rates


@inlined
def _kicked(dt: float, start: State, wrenches: Wrenches, body: Body) -> tuple[Vector, Vector]:
    """Velocity and body rates after the forces of the whole tick."""
    _position, orientation, velocity, rates = start
    wrench = wrenches[0]
    velocity = add_scaled(velocity, dt * body[0], net_force_world(orientation, 2.0, wrench))
    torque_body = net_torque_body(orientation, 2.0, wrench)
    return velocity, add_scaled(rates, dt, apply_symmetric(body[2], torque_body))
