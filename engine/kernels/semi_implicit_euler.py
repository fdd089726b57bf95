"""Semi-implicit Euler: kick the momenta with the forces at the start, then move and turn with the new rates."""

from .compiler import inlined
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
from .vectors import add_scaled, apply_symmetric, scale


@inlined
def semi_implicit_euler(stage: int, gyroscopic: bool, dt: float, start: State, wrenches: Wrenches, body: Body) -> State:
    if stage == 0:
        return start
    position, orientation, velocity, rates = start
    wrench = wrenches[0]
    # kick
    velocity = add_scaled(velocity, dt * body[0], net_force_world(orientation, 2.0, wrench))
    torque_body = net_torque_body(orientation, 2.0, wrench)
    rates = add_scaled(rates, dt, apply_symmetric(body[2], torque_body))
    # move and turn
    position = add_scaled(position, dt, velocity)
    turn = from_rotation_vector(scale(dt, rates))
    if gyroscopic:
        # the momentum stands still in the world while the body turns under it
        momentum_body = rotate_inverse(turn, 2.0, angular_momentum_body(rates, body))
        rates = angular_velocity_of(momentum_body, body)
    return position, normalize(multiply(orientation, turn)), velocity, rates
