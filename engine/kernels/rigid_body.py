"""The equation of motion of one rigid body, the tuples that represent a body, and sums of these tuples.

The rotation follows ``I ω̇ = τ − u − ω × (I ω + h)`` and ``ḣ = u``, in the body frame about the mass centre. h is the momentum stored in
wheels, and u is the torque of their motors, which acts on the wheels and, with opposite sign, on the body. Only the external torque τ
changes the total momentum I ω + h.

`gyroscopic` is always a compile-time constant. False selects game mode, which omits ω × (I ω + h) and nothing else. In loops for worlds
without stored momentum, h and u are None. The branches on None are resolved at compile time.
"""

from typing import NamedTuple

from ..compilation.compiler import inlined
from .quaternions import Quaternion, add_scaled_quaternion, doubling, normalize, rate_of_change, rotate, rotate_inverse
from .vectors import Symmetric, Vector, add, add_scaled, apply_symmetric, cross, scale, subtract

MaybeVector = Vector | None
"""A vector in loops for worlds that store momentum, else None."""


class BodyState(NamedTuple):
    """The variables that change with time; also used for their time derivatives."""

    position: Vector
    """World frame [m]."""
    orientation: Quaternion
    """Unit quaternion, scalar last, body to world."""
    velocity: Vector
    """World frame [m/s]."""
    angular_velocity: Vector
    """Body frame [rad/s]; methods that integrate another rotational variable store it here during a tick."""
    stored_momentum: MaybeVector
    """Body frame [N·m·s]."""


class BodyWrench(NamedTuple):
    """Forces [N] and torques [N·m] about the mass centre; the parts in the body frame rotate with the body."""

    force_world: Vector
    torque_world: Vector
    force_body: Vector
    torque_body: Vector
    motor_torque: MaybeVector
    """Body frame, held over the tick; the torque on the wheels."""


Wrenches = tuple[BodyWrench, ...]
"""One wrench per evaluation in a tick; those of later stages are placeholders and are never read."""


class BodyModel(NamedTuple):
    """The mass properties, which are constant during a tick; tensors in the body frame about the mass centre."""

    inverse_mass: float
    inertia: Symmetric
    inverse_inertia: Symmetric


class BodyAtStage(NamedTuple):
    """The description of a body at one stage of a tick, which is passed to force fields."""

    position: Vector
    """Position of the mass centre [m], world frame."""
    orientation: Quaternion
    """Unit quaternion, scalar last, body to world."""
    velocity: Vector
    """Velocity of the mass centre [m/s], world frame."""
    angular_velocity_body: Vector
    """Angular velocity [rad/s], body frame."""
    mass: float
    """Mass [kg]."""
    inertia_body: Symmetric
    """Inertia about the mass centre [kg·m²], body frame: xx, yy, zz, xy, xz, yz."""
    center_of_mass_body: Vector
    """Mass centre from the body's origin [m], body frame."""


@inlined
def net_force_world(orientation: Quaternion, doubling: float, wrench: BodyWrench) -> Vector:
    return add(wrench.force_world, rotate(orientation, doubling, wrench.force_body))


@inlined
def net_torque_world(orientation: Quaternion, doubling: float, wrench: BodyWrench) -> Vector:
    """The external torque in the world frame, which changes the total momentum."""
    return add(wrench.torque_world, rotate(orientation, doubling, wrench.torque_body))


@inlined
def net_torque_body(orientation: Quaternion, doubling: float, wrench: BodyWrench) -> Vector:
    """The external torque in the body frame, which changes the total momentum."""
    return add(wrench.torque_body, rotate_inverse(orientation, doubling, wrench.torque_world))


@inlined
def turning_torque_body(orientation: Quaternion, doubling: float, wrench: BodyWrench) -> Vector:
    """The torque on the body without its wheels, ``τ − u``, in the body frame."""
    return less(net_torque_body(orientation, doubling, wrench), wrench.motor_torque)


@inlined
def angular_momentum_body(angular_velocity_body: Vector, stored_momentum: MaybeVector, body: BodyModel) -> Vector:
    """``I ω + h``, in the body frame."""
    return plus(apply_symmetric(body.inertia, angular_velocity_body), stored_momentum)


@inlined
def angular_velocity_of(momentum_body: Vector, stored_momentum: MaybeVector, body: BodyModel) -> Vector:
    """``ω = I⁻¹ (m − h)``, in the body frame."""
    return apply_symmetric(body.inverse_inertia, less(momentum_body, stored_momentum))


@inlined
def angular_acceleration_body(
    gyroscopic: bool,
    angular_velocity_body: Vector,
    stored_momentum: MaybeVector,
    turning_torque: Vector,
    body: BodyModel,
) -> Vector:
    """Euler's equations solved for ω̇, in the body frame; `turning_torque` is ``τ − u``."""
    torque = turning_torque
    if gyroscopic:
        momentum = angular_momentum_body(angular_velocity_body, stored_momentum, body)
        torque = subtract(torque, cross(angular_velocity_body, momentum))
    return apply_symmetric(body.inverse_inertia, torque)


@inlined
def slope(gyroscopic: bool, state: BodyState, wrench: BodyWrench, body: BodyModel) -> BodyState:
    """The time derivative of position, orientation, velocity, body rates and stored momentum."""
    # the length of a stage's quaternion differs from one by (ω dt)²/8, so vectors are rotated by q v q⁻¹ and not by q v q*
    twice = doubling(state.orientation)
    torque = turning_torque_body(state.orientation, twice, wrench)
    return BodyState(
        state.velocity,
        rate_of_change(state.orientation, state.angular_velocity),
        scale(body.inverse_mass, net_force_world(state.orientation, twice, wrench)),
        angular_acceleration_body(gyroscopic, state.angular_velocity, state.stored_momentum, torque, body),
        wrench.motor_torque,
    )


@inlined
def add_scaled_state(state: BodyState, factor: float, rates_of_change: BodyState) -> BodyState:
    return BodyState(
        add_scaled(state.position, factor, rates_of_change.position),
        add_scaled_quaternion(state.orientation, factor, rates_of_change.orientation),
        add_scaled(state.velocity, factor, rates_of_change.velocity),
        add_scaled(state.angular_velocity, factor, rates_of_change.angular_velocity),
        grown(state.stored_momentum, factor, rates_of_change.stored_momentum),
    )


@inlined
def at_unit_length(state: BodyState) -> BodyState:
    """The state with its quaternion normalised."""
    return BodyState(
        state.position, normalize(state.orientation), state.velocity, state.angular_velocity, state.stored_momentum
    )


# sums with vectors that may be None


@inlined
def plus(a: Vector, b: MaybeVector) -> Vector:
    """``a + b``, or a if b is None."""
    if b is None:
        return a
    return add(a, b)


@inlined
def less(a: Vector, b: MaybeVector) -> Vector:
    """``a − b``, or a if b is None."""
    if b is None:
        return a
    return subtract(a, b)


@inlined
def grown(a: MaybeVector, factor: float, b: MaybeVector) -> MaybeVector:
    """``a + factor b``, or None if both are None."""
    if a is None:
        return a  # not the constant None, for which the compiler would infer an optional type
    return add_scaled(a, factor, b)  # type: ignore[arg-type]  # b is None only if a is


@inlined
def turned_by_motors(rates: Vector, step: float, motor_torque: MaybeVector, body: BodyModel) -> Vector:
    """Body rates after the motors have acted for a time, ``ω − step I⁻¹ u``."""
    if motor_torque is None:
        return rates
    return add_scaled(rates, -step, apply_symmetric(body.inverse_inertia, motor_torque))
