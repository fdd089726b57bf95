"""The classical Runge-Kutta method on the group of rotations (Munthe-Kaas).

The turn since the start of the tick is a rotation vector u, q = q₀ exp(u), and u is what the stages average: they stay rotations.
"""

from .compiler import inlined
from .quaternions import Quaternion, doubling, from_rotation_vector, multiply, normalize
from .rigid_body import Body, State, Wrench, Wrenches, angular_acceleration_body, net_force_world, net_torque_body
from .vectors import Vector, add_scaled, cross, scale

Chart = tuple[Vector, Vector, Vector, Vector]
"""Position, rotation vector u since the start of the tick (body axes), velocity, body rates."""


@inlined
def lie_runge_kutta_4(stage: int, gyroscopic: bool, dt: float, start: State, wrenches: Wrenches, body: Body) -> State:
    if stage == 0:
        return start
    position, orientation, velocity, rates = start
    y = (position, (0.0, 0.0, 0.0), velocity, rates)
    k1 = _slope(gyroscopic, y, orientation, wrenches[0], body)
    y1 = _plus(y, 0.5 * dt, k1)
    state1 = _leave(y1, orientation)
    if stage == 1:
        return state1
    k2 = _slope(gyroscopic, y1, state1[1], wrenches[1], body)
    y2 = _plus(y, 0.5 * dt, k2)
    state2 = _leave(y2, orientation)
    if stage == 2:
        return state2
    k3 = _slope(gyroscopic, y2, state2[1], wrenches[2], body)
    y3 = _plus(y, dt, k3)
    state3 = _leave(y3, orientation)
    if stage == 3:
        return state3
    k4 = _slope(gyroscopic, y3, state3[1], wrenches[3], body)
    # y + dt/6 (k1 + 2 k2 + 2 k3 + k4)
    mean = _plus(_plus(_plus(k1, 2.0, k2), 2.0, k3), 1.0, k4)
    return _leave(_plus(y, dt / 6.0, mean), orientation)


@inlined
def _leave(chart: Chart, start: Quaternion) -> State:
    return chart[0], normalize(multiply(start, from_rotation_vector(chart[1]))), chart[2], chart[3]


@inlined
def _slope(gyroscopic: bool, chart: Chart, orientation: Quaternion, wrench: Wrench, body: Body) -> Chart:
    """d/dt of position, rotation vector, velocity and body rates."""
    _position, turn, velocity, rates = chart
    # du/dt = ω + u × ω/2 + u × (u × ω)/12 − …: the next term is of fourth order in u, and so of fifth in the tick's result
    across = cross(turn, rates)
    turning = add_scaled(add_scaled(rates, 0.5, across), 1.0 / 12.0, cross(turn, across))
    twice = doubling(orientation)
    acceleration = scale(body[0], net_force_world(orientation, twice, wrench))
    torque_body = net_torque_body(orientation, twice, wrench)
    return velocity, turning, acceleration, angular_acceleration_body(gyroscopic, rates, torque_body, body)


@inlined
def _plus(chart: Chart, factor: float, slope: Chart) -> Chart:
    return (
        add_scaled(chart[0], factor, slope[0]),
        add_scaled(chart[1], factor, slope[1]),
        add_scaled(chart[2], factor, slope[2]),
        add_scaled(chart[3], factor, slope[3]),
    )
