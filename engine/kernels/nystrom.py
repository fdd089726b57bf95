"""Nyström's method of order four for equations of the second order, on place and orientation together.

The turning is carried as q and dq/dt, and ω = 2 q⁻¹ dq/dt is read off wherever it is wanted.
"""

from .compiler import inlined
from .quaternions import (
    Quaternion,
    add_scaled_quaternion,
    conjugate,
    doubling,
    multiply,
    normalize,
    rate_of_change,
)
from .rigid_body import Body, State, Wrench, Wrenches, angular_acceleration_body, net_force_world, net_torque_body
from .vectors import Vector, add_scaled, scale

Phase = tuple[Vector, Quaternion, Vector, Quaternion, Vector]
"""Position, orientation (of any length), velocity, rate of change of the orientation, body rates."""
Slope = tuple[Vector, Quaternion, Vector]
"""Second derivatives of position and orientation, and the derivative of the body rates."""


@inlined
def runge_kutta_nystrom(stage: int, gyroscopic: bool, dt: float, start: State, wrenches: Wrenches, body: Body) -> State:
    if stage == 0:
        return start
    position, orientation, velocity, rates = start
    y = (position, orientation, velocity, rate_of_change(orientation, rates), rates)
    half, eighth = 0.5 * dt, 0.125 * dt * dt
    k1 = _slope(gyroscopic, y, wrenches[0], body)
    y1 = _moved(gyroscopic, y, half, eighth, k1, half, k1)
    if stage == 1:
        return _leave(y1)
    k2 = _slope(gyroscopic, y1, wrenches[1], body)
    # the same place as before, another speed
    y2 = _moved(gyroscopic, y, half, eighth, k1, half, k2)
    if stage == 2:
        return _leave(y2)
    k3 = _slope(gyroscopic, y2, wrenches[2], body)
    y3 = _moved(gyroscopic, y, dt, 0.5 * dt * dt, k3, dt, k3)
    if stage == 3:
        return _leave(y3)
    k4 = _slope(gyroscopic, y3, wrenches[3], body)
    # places by h²/6 (k1 + k2 + k3), speeds by h/6 (k1 + 2 k2 + 2 k3 + k4)
    middle = _plus(k2, 1.0, k3)
    places = _plus(k1, 1.0, middle)
    speeds = _plus(_plus(k1, 2.0, middle), 1.0, k4)
    return _leave(_moved(gyroscopic, y, dt, dt * dt / 6.0, places, dt / 6.0, speeds))


@inlined
def _moved(
    gyroscopic: bool, start: Phase, time: float, time_squared: float, places: Slope, weight: float, speeds: Slope
) -> Phase:
    """The start moved on by `time` times its speeds and `time_squared` times one slope, its speeds by `weight` times another."""
    position = add_scaled(add_scaled(start[0], time, start[2]), time_squared, places[0])
    orientation = add_scaled_quaternion(add_scaled_quaternion(start[1], time, start[3]), time_squared, places[1])
    velocity = add_scaled(start[2], weight, speeds[0])
    if gyroscopic:
        turning = add_scaled_quaternion(start[3], weight, speeds[1])
        return position, orientation, velocity, turning, _rates_of(orientation, turning)
    # Without the gyroscopic term the body rates are what a free body keeps, to the last bit only if they are what is advanced. Since
    # d²q/dt² depends on q and ω alone, that is Nyström's method as well, and of the same order.
    rates = add_scaled(start[4], weight, speeds[2])
    return position, orientation, velocity, rate_of_change(orientation, rates), rates


@inlined
def _slope(gyroscopic: bool, phase: Phase, wrench: Wrench, body: Body) -> Slope:
    """d²p/dt² = F/m and d²q/dt² = q' q⁻¹ q' + q ω'/2."""
    _position, orientation, _velocity, turning, rates = phase
    twice = doubling(orientation)
    acceleration = scale(body[0], net_force_world(orientation, twice, wrench))
    torque_body = net_torque_body(orientation, twice, wrench)
    angular_acceleration = angular_acceleration_body(gyroscopic, rates, torque_body, body)
    # q' q⁻¹ q' with q⁻¹ and not q*, here and in ω: with q* every tick multiplies ω by |q|², and the method is of order three where the
    # quaternion is not normalised (M3)
    curving = multiply(turning, multiply(conjugate(orientation), turning))
    bending = add_scaled_quaternion(rate_of_change(orientation, angular_acceleration), 0.5 * twice, curving)
    return acceleration, bending, angular_acceleration


@inlined
def _rates_of(orientation: Quaternion, turning: Quaternion) -> Vector:
    """ω = 2 q⁻¹ q'."""
    twice = doubling(orientation)
    x, y, z, _w = multiply(conjugate(orientation), turning)
    return twice * x, twice * y, twice * z


@inlined
def _leave(phase: Phase) -> State:
    return phase[0], normalize(phase[1]), phase[2], phase[4]


@inlined
def _plus(a: Slope, factor: float, b: Slope) -> Slope:
    return (
        add_scaled(a[0], factor, b[0]),
        add_scaled_quaternion(a[1], factor, b[1]),
        add_scaled(a[2], factor, b[2]),
    )
