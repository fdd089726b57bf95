"""The predictor-corrector method of Zhao and van Wachem, which predicts the midpoint of the tick and integrates the tick with its rates."""

from ..compilation.compiler import inlined
from .quaternions import doubling, from_rotation_vector, multiply, normalize, rotate
from .rigid_body import (
    BodyModel,
    BodyState,
    Wrenches,
    angular_acceleration_body,
    grown,
    net_force_world,
    turning_torque_body,
)
from .vectors import add_scaled, scale


@inlined
def predictor_corrector(
    stage: int, gyroscopic: bool, dt: float, start: BodyState, wrenches: Wrenches, body: BodyModel
) -> BodyState:
    if stage == 0:
        return start
    position, orientation, velocity, rates, stored = start
    twice = doubling(orientation)
    acceleration = scale(body.inverse_mass, net_force_world(orientation, twice, wrenches[0]))
    torque = turning_torque_body(orientation, twice, wrenches[0])
    angular_acceleration = angular_acceleration_body(gyroscopic, rates, stored, torque, body)
    # predict the midpoint: rotate for half a tick by the rates after a quarter of it; the rates there are those after half of it
    turn = from_rotation_vector(scale(0.5 * dt, add_scaled(rates, 0.25 * dt, angular_acceleration)))
    middle_orientation = normalize(multiply(orientation, turn))
    middle_rates = add_scaled(rates, 0.5 * dt, angular_acceleration)
    middle_velocity = add_scaled(velocity, 0.5 * dt, acceleration)
    middle_stored = grown(stored, 0.5 * dt, wrenches[0].motor_torque)
    if stage == 1:
        middle_position = add_scaled(position, 0.5 * dt, add_scaled(velocity, 0.25 * dt, acceleration))
        return BodyState(middle_position, middle_orientation, middle_velocity, middle_rates, middle_stored)
    # correct: the whole tick with the wrench and the rates at the midpoint
    twice = doubling(middle_orientation)
    acceleration = scale(body.inverse_mass, net_force_world(middle_orientation, twice, wrenches[1]))
    torque = turning_torque_body(middle_orientation, twice, wrenches[1])
    angular_acceleration = angular_acceleration_body(gyroscopic, middle_rates, middle_stored, torque, body)
    whole_turn = from_rotation_vector(scale(dt, rotate(middle_orientation, twice, middle_rates)))
    return BodyState(
        add_scaled(position, dt, middle_velocity),
        normalize(multiply(whole_turn, orientation)),
        add_scaled(velocity, dt, acceleration),
        add_scaled(rates, dt, angular_acceleration),
        grown(stored, dt, wrenches[0].motor_torque),
    )
