"""Semi-implicit Euler, the method of most game engines, with two ways to integrate the gyroscopic term."""

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from ..checks import option
from ..compilation.compiler import inlined
from ..kernels.implicit_gyroscopic import newton_correction
from ..kernels.quaternions import Quaternion, from_rotation_vector, multiply, normalize, rotate_inverse
from ..kernels.rigid_body import (
    BodyModel,
    BodyState,
    BodyWrench,
    MaybeVector,
    Wrenches,
    angular_momentum_body,
    angular_velocity_of,
    grown,
    net_force_world,
    net_torque_body,
    turned_by_motors,
)
from ..kernels.vectors import Vector, add_scaled, apply_symmetric, cross, scale
from ..loops.one_step import Advance
from .integrator import OneStepMethod


@inlined
def semi_implicit_euler(
    stage: int, gyroscopic: bool, dt: float, start: BodyState, wrenches: Wrenches, body: BodyModel
) -> BodyState:
    """The formula of a tick, stage by stage; see `loops.one_step`."""
    if stage == 0:
        return start
    wrench = wrenches[0]
    velocity, kicked = _kicked(dt, start, wrench, body)
    rates = turned_by_motors(kicked, dt, wrench.motor_torque, body)
    stored = grown(start.stored_momentum, dt, wrench.motor_torque)
    turn = from_rotation_vector(scale(dt, rates))
    if gyroscopic:
        # the total momentum is constant in the world frame while the body rotates; motors do not change it
        momentum_body = angular_momentum_body(kicked, start.stored_momentum, body)
        rates = angular_velocity_of(rotate_inverse(turn, 2.0, momentum_body), stored, body)
    return _moved(dt, start, velocity, turn, rates, stored)


@inlined
def implicit_gyro_euler(
    stage: int, gyroscopic: bool, dt: float, start: BodyState, wrenches: Wrenches, body: BodyModel
) -> BodyState:
    """The formula of a tick, stage by stage; see `loops.one_step`."""
    if stage == 0:
        return start
    wrench = wrenches[0]
    velocity, kicked = _kicked(dt, start, wrench, body)
    rates = turned_by_motors(kicked, dt, wrench.motor_torque, body)
    stored = grown(start.stored_momentum, dt, wrench.motor_torque)
    if gyroscopic:
        # one Newton step from the current rates for I (ω₁ − ω) + dt ω₁ × (I ω₁ + h) = 0
        momentum_body = angular_momentum_body(rates, stored, body)
        excess = cross(rates, momentum_body)
        rates = add_scaled(rates, -dt, newton_correction(rates, momentum_body, dt, excess, body))
    return _moved(dt, start, velocity, from_rotation_vector(scale(dt, rates)), rates, stored)


@inlined
def _kicked(dt: float, start: BodyState, wrench: BodyWrench, body: BodyModel) -> tuple[Vector, Vector]:
    """Velocity and body rates after the external forces of the whole tick."""
    velocity = add_scaled(start.velocity, dt * body.inverse_mass, net_force_world(start.orientation, 2.0, wrench))
    torque_body = net_torque_body(start.orientation, 2.0, wrench)
    return velocity, add_scaled(start.angular_velocity, dt, apply_symmetric(body.inverse_inertia, torque_body))


@inlined
def _moved(
    dt: float, start: BodyState, velocity: Vector, turn: Quaternion, rates: Vector, stored: MaybeVector
) -> BodyState:
    position = add_scaled(start.position, dt, velocity)
    return BodyState(position, normalize(multiply(start.orientation, turn)), velocity, rates, stored)


Gyroscopic = Literal["momentum", "implicit"]

_KERNELS = {
    "momentum": ("semi-implicit-euler", semi_implicit_euler),
    "implicit": ("implicit-gyro-euler", implicit_gyro_euler),
}


@dataclass(frozen=True, repr=False)
class SemiImplicitEuler(OneStepMethod):
    """Semi-implicit Euler method, which updates velocity and angular momentum from the forces and then moves the body with the new rates.

    Order 1, one evaluation per tick, at the start of the tick. The argument `gyroscopic` selects one of two forms. "momentum" conserves the
    angular momentum of a free body to rounding at any spin. Rounding is multiplied by ``I_max/I_min``: 2e4 ticks change it by a fraction of
    2e-12 for a compact body, 4e-10 if the moments differ by a factor of 1e3, and 5e-7 at 1e6 (the same as for `RungeKutta4`; a hundredth of
    that for `ImplicitMidpoint` and the splitting methods). The rotational energy grows slowly, at a rate proportional to dt, until the body
    spins about the axis of its smallest moment. "implicit" (Catto) takes one Newton step on the implicit Euler equation for the rates and
    conserves neither quantity: in 60 s at 10 rad/s, with ticks of 1/60 s, it lost from half a percent of the energy, about a stable axis,
    to 93 %, and up to 70 % of the momentum. For moments within a factor of three of each other, it only ever lost energy up to ``dt·|ω| =
    2``. Slender bodies gain it above ``dt·|ω| = 1``. With moments that differ by a factor of 100, or with a wheel, one tick may increase
    the rates many times over, but they stayed finite in every test up to ``dt·|ω| = 1000``. The motion of the mass centre is symplectic, so
    the energy error of an orbit or a spring stays bounded. With wheels, "momentum" conserves the total including stored momentum to
    rounding, even while motors spin them up.

    Choose it for many bodies at low cost and for game-like behaviour. Choose "implicit" to match engines that use this step, or where its
    damping is welcome. Do not choose it where the attitude must be accurate after more than a few revolutions.

    This is neither the explicit Euler step, which moves the position with the old velocity and always gains energy, nor the explicit
    gyroscopic step on body rates, which blows up. Despite its name, "implicit" does not solve the implicit equation; it takes one Newton
    step.

    Source: Catto (2015), "Numerical Methods", Game Developers Conference, for the implicit step; stored momentum is added to it.

    Args:
        gyroscopic: How ``ω × (I ω + h)`` is integrated, "momentum" or "implicit". In game mode, which has no such term, both are the same.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `gyroscopic` is neither "momentum" nor "implicit".

    Example:
        >>> from engine import World
        >>> World(dt=0.01, integrator=SemiImplicitEuler()).integrator
        <SemiImplicitEuler 'semi-implicit-euler'>
    """

    gyroscopic: Gyroscopic = "momentum"

    order: ClassVar[int] = 1
    evaluations_per_tick: ClassVar[int] = 1
    stage_offsets: ClassVar[tuple[float, ...]] = (0.0,)

    def __post_init__(self) -> None:
        option(self.gyroscopic, "gyroscopic", "SemiImplicitEuler", get_args(Gyroscopic))

    @property
    def name(self) -> str:
        return _KERNELS[self.gyroscopic][0]

    @property
    def advance(self) -> Advance:
        return _KERNELS[self.gyroscopic][1]
