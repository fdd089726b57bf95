"""The classical Runge-Kutta method on the rotation group (Munthe-Kaas).

The rotation since the start of the tick is a rotation vector u, with ``q = q₀ exp(u)``. The method averages u, so that every stage has an
exact rotation.
"""

from typing import NamedTuple

from ..compilation.compiler import inlined
from .quaternions import Quaternion, doubling, from_rotation_vector, multiply, normalize
from .rigid_body import (
    BodyModel,
    BodyState,
    BodyWrench,
    MaybeVector,
    Wrenches,
    angular_acceleration_body,
    grown,
    net_force_world,
    turning_torque_body,
)
from .vectors import Vector, add_scaled, cross, scale


class _Chart(NamedTuple):
    """A state whose orientation is given by the rotation since the start of the tick; also used for its derivative."""

    position: Vector
    turn: Vector
    """Rotation vector u, body axes."""
    velocity: Vector
    angular_velocity: Vector
    stored_momentum: MaybeVector


@inlined
def lie_runge_kutta_4(
    stage: int, gyroscopic: bool, dt: float, start: BodyState, wrenches: Wrenches, body: BodyModel
) -> BodyState:
    if stage == 0:
        return start
    orientation = start.orientation
    y = _Chart(start.position, (0.0, 0.0, 0.0), start.velocity, start.angular_velocity, start.stored_momentum)
    k1 = _slope(gyroscopic, y, orientation, wrenches[0], body)
    y1 = _plus(y, 0.5 * dt, k1)
    state1 = _leave(y1, orientation)
    if stage == 1:
        return state1
    k2 = _slope(gyroscopic, y1, state1.orientation, wrenches[1], body)
    y2 = _plus(y, 0.5 * dt, k2)
    state2 = _leave(y2, orientation)
    if stage == 2:
        return state2
    k3 = _slope(gyroscopic, y2, state2.orientation, wrenches[2], body)
    y3 = _plus(y, dt, k3)
    state3 = _leave(y3, orientation)
    if stage == 3:
        return state3
    k4 = _slope(gyroscopic, y3, state3.orientation, wrenches[3], body)
    # y + dt/6 (k1 + 2 k2 + 2 k3 + k4)
    mean = _plus(_plus(_plus(k1, 2.0, k2), 2.0, k3), 1.0, k4)
    return _leave(_plus(y, dt / 6.0, mean), orientation)


@inlined
def _leave(chart: _Chart, start: Quaternion) -> BodyState:
    orientation = normalize(multiply(start, from_rotation_vector(chart.turn)))
    return BodyState(chart.position, orientation, chart.velocity, chart.angular_velocity, chart.stored_momentum)


@inlined
def _slope(gyroscopic: bool, chart: _Chart, orientation: Quaternion, wrench: BodyWrench, body: BodyModel) -> _Chart:
    """d/dt of position, rotation vector, velocity, body rates and stored momentum."""
    turn, rates = chart.turn, chart.angular_velocity
    # du/dt = ω + u × ω/2 + u × (u × ω)/12 − …; the next term is of order four in u, and of order five in the result of the tick
    across = cross(turn, rates)
    turning = add_scaled(add_scaled(rates, 0.5, across), 1.0 / 12.0, cross(turn, across))
    twice = doubling(orientation)
    acceleration = scale(body.inverse_mass, net_force_world(orientation, twice, wrench))
    torque = turning_torque_body(orientation, twice, wrench)
    angular_acceleration = angular_acceleration_body(gyroscopic, rates, chart.stored_momentum, torque, body)
    return _Chart(chart.velocity, turning, acceleration, angular_acceleration, wrench.motor_torque)


@inlined
def _plus(chart: _Chart, factor: float, slope: _Chart) -> _Chart:
    return _Chart(
        add_scaled(chart.position, factor, slope.position),
        add_scaled(chart.turn, factor, slope.turn),
        add_scaled(chart.velocity, factor, slope.velocity),
        add_scaled(chart.angular_velocity, factor, slope.angular_velocity),
        grown(chart.stored_momentum, factor, slope.stored_momentum),
    )
