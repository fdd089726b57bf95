"""Butcher's Runge-Kutta method of order five in six stages, on position, orientation, velocity and body rates."""

from ..compilation.compiler import inlined
from .rigid_body import BodyModel, BodyState, Wrenches, add_scaled_state, at_unit_length, grown, slope

NODES = (0.0, 1 / 4, 1 / 4, 1 / 2, 3 / 4, 1.0)
"""The time of each slope, in ticks after the start of the tick."""
# Row n has the weights of the slopes before stage n. The last row, Boole's rule, has the weights of all six slopes at the end of the tick.
_ROW_1 = (1 / 4,)
_ROW_2 = (1 / 8, 1 / 8)
_ROW_3 = (0.0, -1 / 2, 1.0)
_ROW_4 = (3 / 16, 0.0, 0.0, 9 / 16)
_ROW_5 = (-3 / 7, 2 / 7, 12 / 7, -12 / 7, 8 / 7)
_ROW_6 = (7 / 90, 0.0, 32 / 90, 12 / 90, 32 / 90, 7 / 90)


@inlined
def runge_kutta_5(
    stage: int, gyroscopic: bool, dt: float, start: BodyState, wrenches: Wrenches, body: BodyModel
) -> BodyState:
    if stage == 0:
        return start
    k1 = slope(gyroscopic, start, wrenches[0], body)
    y1 = add_scaled_state(start, dt, _weighted(_ROW_1, (k1,)))
    if stage == 1:
        return at_unit_length(y1)
    k2 = slope(gyroscopic, y1, wrenches[1], body)
    y2 = add_scaled_state(start, dt, _weighted(_ROW_2, (k1, k2)))
    if stage == 2:
        return at_unit_length(y2)
    k3 = slope(gyroscopic, y2, wrenches[2], body)
    y3 = add_scaled_state(start, dt, _weighted(_ROW_3, (k1, k2, k3)))
    if stage == 3:
        return at_unit_length(y3)
    k4 = slope(gyroscopic, y3, wrenches[3], body)
    y4 = add_scaled_state(start, dt, _weighted(_ROW_4, (k1, k2, k3, k4)))
    if stage == 4:
        return at_unit_length(y4)
    k5 = slope(gyroscopic, y4, wrenches[4], body)
    y5 = add_scaled_state(start, dt, _weighted(_ROW_5, (k1, k2, k3, k4, k5)))
    if stage == 5:
        return at_unit_length(y5)
    k6 = slope(gyroscopic, y5, wrenches[5], body)
    y6 = add_scaled_state(start, dt, _weighted(_ROW_6, (k1, k2, k3, k4, k5, k6)))
    return at_unit_length(y6)


@inlined
def _weighted(weights: tuple[float, ...], slopes: tuple[BodyState, ...]) -> BodyState:
    """``Σ weights · slopes``, without the slopes whose weight is zero."""
    motor_torque = slopes[0].stored_momentum  # the derivative of the stored momentum, equal at all stages
    zero = (0.0, 0.0, 0.0)
    total = BodyState(zero, (0.0, 0.0, 0.0, 0.0), zero, zero, grown(motor_torque, -1.0, motor_torque))
    for n in range(len(weights)):
        if weights[n] != 0.0:
            total = add_scaled_state(total, weights[n], slopes[n])
    return total
