"""Nyström's method of order four for second-order equations, applied to position and orientation together.

The variables of the rotation are q and dq/dt. The angular velocity is computed from them as ``ω = 2 q⁻¹ dq/dt``.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from ..compilation.compiler import inlined
from ..kernels.quaternions import (
    Quaternion,
    add_scaled_quaternion,
    conjugate,
    doubling,
    multiply,
    normalize,
    rate_of_change,
)
from ..kernels.rigid_body import (
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
from ..kernels.vectors import Vector, add_scaled, scale
from ..loops.one_step import Advance
from .integrator import OneStepMethod


class _Phase(NamedTuple):
    """A state together with the rate of change of its quaternion."""

    position: Vector
    orientation: Quaternion
    """Not necessarily of unit length."""
    velocity: Vector
    turning: Quaternion
    """dq/dt."""
    angular_velocity: Vector
    stored_momentum: MaybeVector


class _Slope(NamedTuple):
    """Second derivatives of position and orientation, and the derivative of the body rates."""

    acceleration: Vector
    bending: Quaternion
    angular_acceleration: Vector


@inlined
def runge_kutta_nystrom(
    stage: int, gyroscopic: bool, dt: float, start: BodyState, wrenches: Wrenches, body: BodyModel
) -> BodyState:
    """The formula of a tick, stage by stage; see `loops.one_step`."""
    if stage == 0:
        return start
    position, orientation, velocity, rates, stored = start
    y = _Phase(position, orientation, velocity, rate_of_change(orientation, rates), rates, stored)
    motor_torque = wrenches[0].motor_torque
    half, eighth = 0.5 * dt, 0.125 * dt * dt
    k1 = _slope(gyroscopic, y, wrenches[0], body)
    y1 = _moved(gyroscopic, y, half, eighth, k1, half, k1, motor_torque)
    if stage == 1:
        return _leave(y1)
    k2 = _slope(gyroscopic, y1, wrenches[1], body)
    # the same position and orientation as in the previous stage, with other rates
    y2 = _moved(gyroscopic, y, half, eighth, k1, half, k2, motor_torque)
    if stage == 2:
        return _leave(y2)
    k3 = _slope(gyroscopic, y2, wrenches[2], body)
    y3 = _moved(gyroscopic, y, dt, 0.5 * dt * dt, k3, dt, k3, motor_torque)
    if stage == 3:
        return _leave(y3)
    k4 = _slope(gyroscopic, y3, wrenches[3], body)
    # positions change by h²/6 (k1 + k2 + k3), rates by h/6 (k1 + 2 k2 + 2 k3 + k4)
    middle = _plus(k2, 1.0, k3)
    places = _plus(k1, 1.0, middle)
    speeds = _plus(_plus(k1, 2.0, middle), 1.0, k4)
    return _leave(_moved(gyroscopic, y, dt, dt * dt / 6.0, places, dt / 6.0, speeds, motor_torque))


@inlined
def _moved(
    gyroscopic: bool,
    start: _Phase,
    time: float,
    time_squared: float,
    places: _Slope,
    weight: float,
    speeds: _Slope,
    motor_torque: MaybeVector,
) -> _Phase:
    """Advance the start: positions by `time` times the rates and `time_squared` times `places`, rates by `weight` times `speeds`."""
    position = add_scaled(add_scaled(start.position, time, start.velocity), time_squared, places.acceleration)
    orientation = add_scaled_quaternion(
        add_scaled_quaternion(start.orientation, time, start.turning), time_squared, places.bending
    )
    velocity = add_scaled(start.velocity, weight, speeds.acceleration)
    stored = grown(start.stored_momentum, time, motor_torque)
    if gyroscopic:
        turning = add_scaled_quaternion(start.turning, weight, speeds.bending)
        return _Phase(position, orientation, velocity, turning, _rates_of(orientation, turning), stored)
    # Without the gyroscopic term, the body rates of a free body are constant. They are constant to the last bit only if the method advances
    # them directly. Because d²q/dt² depends only on q and ω, this is also Nyström's method and has the same order.
    rates = add_scaled(start.angular_velocity, weight, speeds.angular_acceleration)
    return _Phase(position, orientation, velocity, rate_of_change(orientation, rates), rates, stored)


@inlined
def _slope(gyroscopic: bool, phase: _Phase, wrench: BodyWrench, body: BodyModel) -> _Slope:
    """``d²p/dt² = F/m`` and ``d²q/dt² = q' q⁻¹ q' + q ω'/2``."""
    orientation, turning, rates = phase.orientation, phase.turning, phase.angular_velocity
    twice = doubling(orientation)
    acceleration = scale(body.inverse_mass, net_force_world(orientation, twice, wrench))
    torque = turning_torque_body(orientation, twice, wrench)
    angular_acceleration = angular_acceleration_body(gyroscopic, rates, phase.stored_momentum, torque, body)
    # Both this term and ω need q⁻¹ instead of q*. With q*, every tick would multiply ω by |q|², and the method would be of order three if
    # the quaternion is not normalised (M3, see tests/SEEDS.md).
    curving = multiply(turning, multiply(conjugate(orientation), turning))
    bending = add_scaled_quaternion(rate_of_change(orientation, angular_acceleration), 0.5 * twice, curving)
    return _Slope(acceleration, bending, angular_acceleration)


@inlined
def _rates_of(orientation: Quaternion, turning: Quaternion) -> Vector:
    """``ω = 2 q⁻¹ q'``."""
    twice = doubling(orientation)
    x, y, z, _w = multiply(conjugate(orientation), turning)
    return twice * x, twice * y, twice * z


@inlined
def _leave(phase: _Phase) -> BodyState:
    orientation = normalize(phase.orientation)
    return BodyState(phase.position, orientation, phase.velocity, phase.angular_velocity, phase.stored_momentum)


@inlined
def _plus(a: _Slope, factor: float, b: _Slope) -> _Slope:
    return _Slope(
        add_scaled(a.acceleration, factor, b.acceleration),
        add_scaled_quaternion(a.bending, factor, b.bending),
        add_scaled(a.angular_acceleration, factor, b.angular_acceleration),
    )


@dataclass(frozen=True, repr=False)
class RungeKuttaNystrom(OneStepMethod):
    """Nyström's method applied to the second derivatives of position and quaternion, both evaluated at the same stages.

    Order 4, four evaluations per tick. A free body conserves energy and angular momentum to the order of the method. In 1000 ticks of a
    tumble, their relative changes are 1e-5 at ``dt·|ω| = 0.1``, 5e-3 at 0.3 and 0.1 at 0.5. For 4000 random bodies with ``dt·|ω|`` up to
    0.1 and principal moments of inertia that differ by a factor of up to 1e6, they were at most 5e-5 in 1000 ticks. At higher spin the
    motion is wrong, but the rates stayed finite at every spin tried, up to ``dt·|ω| = 1000``, with and without wheels. With stored momentum
    h, the errors are those at dt times the larger of ``|ω|`` and ``|Iω + h|/I_min``. For I = (1, 2, 2.5) kg·m² and ``|h|/|ω|`` = 10 kg·m²,
    a third of the energy is lost in 1000 ticks at ``dt·|ω| = 0.1``.

    Choose it to reproduce Mandre's results, or where forces depend on position and attitude together, because both are known at the same
    stage (suggested in his section 7.5). Do not choose it for long runs: at the same cost, `LieRungeKutta4` has a tenth of the error on a
    fast tumble, and `RungeKutta4` conserves the momentum.

    The angular velocity is not a variable; it is computed from the time derivative of the quaternion. The method
    differs from Runge-Kutta methods on (q, ω) and from methods that rotate by an exponential. Even a steady rotation loses a fraction
    ``(ω dt)⁶/1370`` of its rate per tick, and its angle lags by ``(ω dt)⁵/550`` [rad] per tick. In game mode q and ω are both advanced, so
    that the body rates of a free body stay constant.

    Source: Mandre (2008), sections 5, 6 and 7.6. Corrections: ``ω = 2 q⁻¹ dq/dt`` and ``q⁻¹`` in ``d²q/dt²``. The paper prints ``q*`` in
    both, which reduces the order to three unless the quaternion is normalised at every tick; here it is normalised at every tick.

    Example:
        >>> from engine import World
        >>> World(dt=0.01, integrator=RungeKuttaNystrom()).integrator
        <RungeKuttaNystrom 'nystrom'>
    """

    order: ClassVar[int] = 4
    evaluations_per_tick: ClassVar[int] = 4
    stage_offsets: ClassVar[tuple[float, ...]] = (0.0, 0.5, 0.5, 1.0)

    @property
    def name(self) -> str:
        return "nystrom"

    @property
    def advance(self) -> Advance:
        return runge_kutta_nystrom
