"""The classical Runge-Kutta method of order four, with the rotation carried in one of three sets of variables."""

from .compiler import inlined
from .quaternions import Quaternion, doubling, normalize, rotate, rotate_inverse
from .rigid_body import (
    Body,
    Slope,
    State,
    Wrench,
    Wrenches,
    add_scaled_state,
    angular_momentum_body,
    angular_velocity_of,
    net_torque_world,
    slope,
)
from .vectors import Vector, add, add_scaled

_BODY_RATES, _WORLD_RATES, _MOMENTUM = 0, 1, 2


@inlined
def runge_kutta_4_body_rates(
    stage: int, gyroscopic: bool, dt: float, start: State, wrenches: Wrenches, body: Body
) -> State:
    return _runge_kutta_4(_BODY_RATES, False, stage, gyroscopic, dt, start, wrenches, body)


# Without the gyroscopic term the body rates are what stays constant in a free body: carried in any other variables, they would do so only
# to the order of the method. So game mode is the same method for all three.


@inlined
def runge_kutta_4_world_rates(
    stage: int, gyroscopic: bool, dt: float, start: State, wrenches: Wrenches, body: Body
) -> State:
    return _runge_kutta_4(
        _WORLD_RATES if gyroscopic else _BODY_RATES, False, stage, gyroscopic, dt, start, wrenches, body
    )


@inlined
def runge_kutta_4_momentum(
    stage: int, gyroscopic: bool, dt: float, start: State, wrenches: Wrenches, body: Body
) -> State:
    return _runge_kutta_4(_MOMENTUM if gyroscopic else _BODY_RATES, False, stage, gyroscopic, dt, start, wrenches, body)


# Game mode has no momentum to keep: these two are not made for it.


@inlined
def runge_kutta_4_body_rates_momentum_kept(
    stage: int, gyroscopic: bool, dt: float, start: State, wrenches: Wrenches, body: Body
) -> State:
    return _runge_kutta_4(_BODY_RATES, True, stage, gyroscopic, dt, start, wrenches, body)


@inlined
def runge_kutta_4_world_rates_momentum_kept(
    stage: int, gyroscopic: bool, dt: float, start: State, wrenches: Wrenches, body: Body
) -> State:
    return _runge_kutta_4(_WORLD_RATES, True, stage, gyroscopic, dt, start, wrenches, body)


@inlined
def _runge_kutta_4(
    variables: int,
    keep_momentum: bool,
    stage: int,
    gyroscopic: bool,
    dt: float,
    start: State,
    wrenches: Wrenches,
    body: Body,
) -> State:
    """The state at which wrench number `stage` is wanted, given the wrenches before it; `stage` 4 is the end of the tick."""
    y = _enter(variables, start, body)
    if stage == 0:
        return start
    k1 = _slope(variables, gyroscopic, y, wrenches[0], body)
    y1 = add_scaled_state(y, 0.5 * dt, k1)
    if stage == 1:
        return _leave(variables, y1, body)
    k2 = _slope(variables, gyroscopic, y1, wrenches[1], body)
    y2 = add_scaled_state(y, 0.5 * dt, k2)
    if stage == 2:
        return _leave(variables, y2, body)
    k3 = _slope(variables, gyroscopic, y2, wrenches[2], body)
    y3 = add_scaled_state(y, dt, k3)
    if stage == 3:
        return _leave(variables, y3, body)
    k4 = _slope(variables, gyroscopic, y3, wrenches[3], body)
    # y + dt/6 (k1 + 2 k2 + 2 k3 + k4)
    mean = add_scaled_state(add_scaled_state(add_scaled_state(k1, 2.0, k2), 2.0, k3), 1.0, k4)
    end = _leave(variables, add_scaled_state(y, dt / 6.0, mean), body)
    if keep_momentum:
        # L is a quadrature beside the rates, L₀ + dt/6 (τ₁ + 2 τ₂ + 2 τ₃ + τ₄) in world axes: of order four too, and still where τ is zero
        momentum = _enter(_MOMENTUM, start, body)[3]
        middle = add(_torque_world(y1, wrenches[1]), _torque_world(y2, wrenches[2]))
        outer = add(_torque_world(y, wrenches[0]), _torque_world(y3, wrenches[3]))
        momentum = add_scaled(momentum, dt / 6.0, add_scaled(outer, 2.0, middle))
        end = end[0], end[1], end[2], _rates_body(_MOMENTUM, end[1], doubling(end[1]), momentum, body)
    return end


@inlined
def _enter(variables: int, state: State, body: Body) -> State:
    """Body rates replaced by world rates or by the angular momentum in world axes."""
    position, orientation, velocity, angular_velocity_body = state
    turning = angular_velocity_body
    # a unit quaternion is so only to rounding, and not evenly to both sides: rotating by q v q* with it, the momentum of a free body crept
    # by 1.6e-10 in 1e6 ticks; by q v q⁻¹ it creeps by 3e-11, which is the rounding of the inverse tensor
    twice = doubling(orientation)
    if variables == _WORLD_RATES:
        turning = rotate(orientation, twice, angular_velocity_body)
    elif variables == _MOMENTUM:
        turning = rotate(orientation, twice, angular_momentum_body(angular_velocity_body, body))
    return position, orientation, velocity, turning


@inlined
def _leave(variables: int, state: State, body: Body) -> State:
    """The quaternion brought back to unit length, and body rates again."""
    position, orientation, velocity, turning = state
    unit = normalize(orientation)
    return position, unit, velocity, _rates_body(variables, unit, doubling(unit), turning, body)


@inlined
def _rates_body(variables: int, orientation: Quaternion, twice: float, turning: Vector, body: Body) -> Vector:
    rates = turning
    if variables == _WORLD_RATES:
        rates = rotate_inverse(orientation, twice, turning)
    elif variables == _MOMENTUM:
        rates = angular_velocity_of(rotate_inverse(orientation, twice, turning), body)
    return rates


@inlined
def _slope(variables: int, gyroscopic: bool, state: State, wrench: Wrench, body: Body) -> Slope:
    """d/dt of position, orientation, velocity and the turning variable."""
    position, orientation, velocity, turning = state
    twice = doubling(orientation)
    rates = _rates_body(variables, orientation, twice, turning, body)
    changing = slope(gyroscopic, (position, orientation, velocity, rates), wrench, body)
    turning_slope = changing[3]
    if variables == _MOMENTUM:
        turning_slope = net_torque_world(orientation, twice, wrench)
    elif variables == _WORLD_RATES:
        # ω × ω = 0, so the world components change as the body components do, turned to world axes
        turning_slope = rotate(orientation, twice, turning_slope)
    return changing[0], changing[1], changing[2], turning_slope


@inlined
def _torque_world(state: State, wrench: Wrench) -> Vector:
    return net_torque_world(state[1], doubling(state[1]), wrench)
