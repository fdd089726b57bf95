"""The classical Runge-Kutta method of order four, with one of three choices of the rotational variable."""

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from ..checks import option, refuse
from ..compilation.compiler import inlined
from ..kernels.quaternions import Quaternion, doubling, normalize, rotate, rotate_inverse
from ..kernels.rigid_body import (
    BodyModel,
    BodyState,
    BodyWrench,
    MaybeVector,
    Wrenches,
    add_scaled_state,
    angular_momentum_body,
    angular_velocity_of,
    net_torque_world,
    slope,
)
from ..kernels.vectors import Vector, add, add_scaled
from ..loops.one_step import Advance
from .integrator import OneStepMethod

_BODY_RATES, _WORLD_RATES, _MOMENTUM = 0, 1, 2


@inlined
def runge_kutta_4_body_rates(
    stage: int, gyroscopic: bool, dt: float, start: BodyState, wrenches: Wrenches, body: BodyModel
) -> BodyState:
    """The formula of a tick, stage by stage; see `loops.one_step`."""
    return _runge_kutta_4(_BODY_RATES, False, stage, gyroscopic, dt, start, wrenches, body)


# Without the gyroscopic term, the body rates of a free body are constant. With another variable they would be constant only to the order of
# the method. All three methods therefore integrate the body rates in game mode.


@inlined
def runge_kutta_4_world_rates(
    stage: int, gyroscopic: bool, dt: float, start: BodyState, wrenches: Wrenches, body: BodyModel
) -> BodyState:
    """The formula of a tick, stage by stage; see `loops.one_step`."""
    return _runge_kutta_4(
        _WORLD_RATES if gyroscopic else _BODY_RATES, False, stage, gyroscopic, dt, start, wrenches, body
    )


@inlined
def runge_kutta_4_momentum(
    stage: int, gyroscopic: bool, dt: float, start: BodyState, wrenches: Wrenches, body: BodyModel
) -> BodyState:
    """The formula of a tick, stage by stage; see `loops.one_step`."""
    return _runge_kutta_4(_MOMENTUM if gyroscopic else _BODY_RATES, False, stage, gyroscopic, dt, start, wrenches, body)


# The next two methods do not support game mode, which does not conserve the momentum.


@inlined
def runge_kutta_4_body_rates_momentum_kept(
    stage: int, gyroscopic: bool, dt: float, start: BodyState, wrenches: Wrenches, body: BodyModel
) -> BodyState:
    """The formula of a tick, stage by stage; see `loops.one_step`."""
    return _runge_kutta_4(_BODY_RATES, True, stage, gyroscopic, dt, start, wrenches, body)


@inlined
def runge_kutta_4_world_rates_momentum_kept(
    stage: int, gyroscopic: bool, dt: float, start: BodyState, wrenches: Wrenches, body: BodyModel
) -> BodyState:
    """The formula of a tick, stage by stage; see `loops.one_step`."""
    return _runge_kutta_4(_WORLD_RATES, True, stage, gyroscopic, dt, start, wrenches, body)


@inlined
def _runge_kutta_4(
    variables: int,
    keep_momentum: bool,
    stage: int,
    gyroscopic: bool,
    dt: float,
    start: BodyState,
    wrenches: Wrenches,
    body: BodyModel,
) -> BodyState:
    """Return the state at which wrench number `stage` is needed, given the earlier wrenches; stage 4 is the end of the tick."""
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
        # The momentum is integrated separately, L₀ + dt/6 (τ₁ + 2 τ₂ + 2 τ₃ + τ₄) in the world frame, and replaces that of the rates. It is
        # also of order four, and it is constant if τ is zero.
        momentum = _enter(_MOMENTUM, start, body).angular_velocity
        middle = add(_torque_world(y1, wrenches[1]), _torque_world(y2, wrenches[2]))
        outer = add(_torque_world(y, wrenches[0]), _torque_world(y3, wrenches[3]))
        momentum = add_scaled(momentum, dt / 6.0, add_scaled(outer, 2.0, middle))
        orientation, stored = end.orientation, end.stored_momentum
        rates = _rates_body(_MOMENTUM, orientation, doubling(orientation), momentum, stored, body)
        end = BodyState(end.position, orientation, end.velocity, rates, stored)
    return end


@inlined
def _enter(variables: int, state: BodyState, body: BodyModel) -> BodyState:
    """Replace the body rates by the rates or the angular momentum in the world frame, as the method requires."""
    rates = state.angular_velocity
    turning = rates
    # A unit quaternion has unit length only to rounding, with a bias. With rotation by q v q*, the momentum of a free body drifted by
    # 1.6e-10 in 1e6 ticks. With q v q⁻¹ it drifts by 3e-11, which comes from the rounding of the inverse tensor.
    twice = doubling(state.orientation)
    if variables == _WORLD_RATES:
        turning = rotate(state.orientation, twice, rates)
    elif variables == _MOMENTUM:
        turning = rotate(state.orientation, twice, angular_momentum_body(rates, state.stored_momentum, body))
    return BodyState(state.position, state.orientation, state.velocity, turning, state.stored_momentum)


@inlined
def _leave(variables: int, state: BodyState, body: BodyModel) -> BodyState:
    """Normalise the quaternion and convert the rotational variable back to body rates."""
    position, orientation, velocity, turning, stored = state
    unit = normalize(orientation)
    rates = _rates_body(variables, unit, doubling(unit), turning, stored, body)
    return BodyState(position, unit, velocity, rates, stored)


@inlined
def _rates_body(
    variables: int, orientation: Quaternion, twice: float, turning: Vector, stored: MaybeVector, body: BodyModel
) -> Vector:
    rates = turning
    if variables == _WORLD_RATES:
        rates = rotate_inverse(orientation, twice, turning)
    elif variables == _MOMENTUM:
        rates = angular_velocity_of(rotate_inverse(orientation, twice, turning), stored, body)
    return rates


@inlined
def _slope(variables: int, gyroscopic: bool, state: BodyState, wrench: BodyWrench, body: BodyModel) -> BodyState:
    """The time derivative of position, orientation, velocity, the rotational variable and the stored momentum."""
    position, orientation, velocity, turning, stored = state
    twice = doubling(orientation)
    rates = _rates_body(variables, orientation, twice, turning, stored, body)
    changing = slope(gyroscopic, BodyState(position, orientation, velocity, rates, stored), wrench, body)
    turning_slope = changing.angular_velocity
    if variables == _MOMENTUM:
        turning_slope = net_torque_world(orientation, twice, wrench)
    elif variables == _WORLD_RATES:
        # ω × ω = 0, so the derivative of the world components is the derivative of the body components, rotated to the world frame
        turning_slope = rotate(orientation, twice, turning_slope)
    return BodyState(
        changing.position, changing.orientation, changing.velocity, turning_slope, changing.stored_momentum
    )


@inlined
def _torque_world(state: BodyState, wrench: BodyWrench) -> Vector:
    return net_torque_world(state.orientation, doubling(state.orientation), wrench)


Variables = Literal["angular_momentum", "body_rates", "world_rates"]

_KERNELS = {
    "angular_momentum": ("rk4", runge_kutta_4_momentum),
    "body_rates": ("rk4-body-rates", runge_kutta_4_body_rates),
    "world_rates": ("rk4-world-rates", runge_kutta_4_world_rates),
}
_MOMENTUM_KEPT: dict[str, Advance] = {
    "body_rates": runge_kutta_4_body_rates_momentum_kept,
    "world_rates": runge_kutta_4_world_rates_momentum_kept,
}


@dataclass(frozen=True, repr=False)
class RungeKutta4(OneStepMethod):
    """Classical Runge-Kutta method on position, orientation, velocity and one of three rotational variables.

    Order 4, four evaluations per tick. With "angular_momentum" (Maggiore), the angular momentum of a free body changes only by rounding,
    amplified by ``I_max/I_min``, because it is computed anew from the rates in each tick: 2e4 ticks at ``dt·|L|/I_min = 0.1`` change it by
    a fraction of 2e-12 for a compact body, 4e-10 if the moments differ by a factor of 1e3, and 5e-7 at 1e6. "body_rates" (Ganapathi) and
    "world_rates" (Wedekind) conserve it to the order of the method, or to rounding with `keep_momentum`. This is the total momentum
    including stored momentum, and it also stays constant while motors spin up wheels. None of the three conserves the energy: in 1000 ticks
    of a tumble it drifts by a fraction of 3e-7 at ``dt·|ω| = 0.1``, and of 5e-3 at 0.5. For 4000 random bodies with ``dt·|ω|`` up to 0.1
    and principal moments of inertia that differ by a factor of up to 1e6, the relative changes of energy and angular momentum in 1000 ticks
    were at most 9e-6 and 5e-5 with "body_rates", and 3e-5 and 1e-4 with "world_rates". For "angular_momentum", the following rule decides.

    The quantity that must be small is dt times the larger of ``|ω|`` and ``|Iω + h|/I_min``, with I_min the smallest principal moment and h
    the stored momentum; 0.1 suits games. At 1 the attitude is lost. Above about 2.5 with "body_rates" (1.6 for some bodies) and 1.5 with
    "world_rates", the rates overflow and the tick is rejected. With "angular_momentum", and with `keep_momentum` while no torque depends on
    the rates, the rotation settles on one axis instead. With "angular_momentum" and "world_rates", an orientation error feeds back into the
    body rates, multiplied by ``I_max/I_min``. "body_rates" is therefore better for slender bodies, and keeps the better attitude (a rod of
    40 m by 0.5 m at ``dt·|ω| = 0.05``: 3e-7 rad after 20 s, against 1.5).

    Choose it for smooth forces and short runs, and as a well-known method to compare with. Do not choose it for fast spin over hours.

    The quaternion is advanced as four numbers and normalised once, at the end of the tick. This distinguishes it from methods that use
    the averaged rates in one exponential, which are of order two in orientation.

    Source: Maggiore, slides "Integration, rotation matrices, and quaternions", Update; Ganapathi (2005), 3.4; Wedekind (2019),
    "The Runge-Kutta Method". Corrections: the quaternion is normalised at every tick, and rotates by ``q v q⁻¹`` at the stages.

    Args:
        variables: The rotational variable that is integrated, "angular_momentum" (world frame), "body_rates" or "world_rates". Without the
            gyroscopic term (game mode) all three are integrated in body rates.
        keep_momentum: Whether to compute the rates at the end of a tick from the angular momentum (Mandre 7.2), which is advanced alongside
            them by the torques at the stages. The order remains 4, and the momentum is constant in free flight. The attitude does not
            improve in general: after 10 s its error was half as large for one test body, and three times as large for another. Rejected
            with "angular_momentum", which conserves it already, and in game mode, which does not conserve it.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `variables` is not one of these names, or `keep_momentum` is True with "angular_momentum". A world in game mode
            rejects `keep_momentum` as well.

    Example:
        >>> from engine import World
        >>> World(dt=0.01, integrator=RungeKutta4(variables="body_rates")).integrator
        <RungeKutta4 'rk4-body-rates'>
    """

    variables: Variables = "angular_momentum"
    keep_momentum: bool = False

    order: ClassVar[int] = 4
    evaluations_per_tick: ClassVar[int] = 4
    stage_offsets: ClassVar[tuple[float, ...]] = (0.0, 0.5, 0.5, 1.0)

    def __post_init__(self) -> None:
        option(self.variables, "variables", "RungeKutta4", get_args(Variables))

        if not isinstance(self.keep_momentum, bool):
            refuse("RungeKutta4", "keep_momentum", self.keep_momentum, "True or False", TypeError)
        if self.keep_momentum and self.variables not in _MOMENTUM_KEPT:
            refuse(
                "RungeKutta4",
                "keep_momentum",
                self.keep_momentum,
                "False with variables='angular_momentum', because the integrated variable is then the momentum itself, which is conserved",
            )

    @property
    def name(self) -> str:
        name = _KERNELS[self.variables][0]
        return f"{name}-momentum-kept" if self.keep_momentum else name

    @property
    def advance(self) -> Advance:
        return _MOMENTUM_KEPT[self.variables] if self.keep_momentum else _KERNELS[self.variables][1]

    def _check_game_mode(self, game_mode: bool) -> None:
        if game_mode and self.keep_momentum:
            refuse(
                "RungeKutta4",
                "keep_momentum",
                self.keep_momentum,
                "False in game mode, in which the angular momentum rotates with the body and is not conserved",
            )
