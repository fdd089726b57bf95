"""The implicit midpoint rule on the group of rotations: energy and angular momentum of a free body kept to rounding.

Free flight over a tick is m₁ = Cᵀ m₀ and R₁ = R₀ C with m = I ω + h and C the Cayley turn of dt ω̄, for the ω̄ that solves
I (ω̄ − ω₀) + dt/2 ω̄ × (I ω̄ + h) = 0. Whatever ω̄ is, R m stays; for the solution I ω̄ + h = (m₀ + m₁)/2, and then
the change of energy, (m₁ − m₀)·ω̄, is zero as well.
"""

from math import inf, sqrt

from .compiler import inlined
from .implicit_gyroscopic import newton_correction
from .quaternions import Quaternion, doubling, from_rotation_vector, multiply, normalize, rotate_inverse
from .rigid_body import (
    Body,
    State,
    Wrenches,
    angular_acceleration_body,
    angular_momentum_body,
    net_force_world,
    net_torque_body,
    net_torque_world,
)
from .vectors import Vector, add, add_scaled, apply_symmetric, cross, dot, scale, subtract

Search = tuple[Vector, float, float]
"""Rates so far, the duration they are sought for, and the square of the residual before (inf at first)."""

# A Cayley turn never reaches half a turn; a tick of more than this angle [rad] is solved as one of this angle.
_LARGEST_ANGLE = 8.0


@inlined
def implicit_midpoint(stage: int, gyroscopic: bool, dt: float, start: State, wrenches: Wrenches, body: Body) -> State:
    if stage == 0:
        return start
    position, orientation, velocity, rates = start
    twice = doubling(orientation)
    # the middle, as the forces at the start have it
    torque_body = net_torque_body(orientation, twice, wrenches[0])
    middle_rates = _predicted_middle(gyroscopic, dt, rates, torque_body, body)
    middle_orientation = normalize(multiply(orientation, _cayley(0.5 * dt, middle_rates)))
    if stage == 1:
        acceleration = scale(body[0], net_force_world(orientation, twice, wrenches[0]))
        middle_position = add_scaled(position, 0.5 * dt, add_scaled(velocity, 0.25 * dt, acceleration))
        return middle_position, middle_orientation, add_scaled(velocity, 0.5 * dt, acceleration), middle_rates
    middle_twice = doubling(middle_orientation)
    acceleration = scale(body[0], net_force_world(middle_orientation, middle_twice, wrenches[1]))
    end_velocity = add_scaled(velocity, dt, acceleration)
    end_position = add_scaled(position, dt, add_scaled(velocity, 0.5 * dt, acceleration))
    if not gyroscopic:
        torque_body = net_torque_body(middle_orientation, middle_twice, wrenches[1])
        change = scale(dt, apply_symmetric(body[2], torque_body))
        # no energy to keep here, so the turn may as well be exact
        turn = from_rotation_vector(scale(dt, add_scaled(rates, 0.5, change)))
        return end_position, normalize(multiply(orientation, turn)), end_velocity, add(rates, change)
    # half the angular impulse of the middle, free flight, the other half: L grows by dt times the torque in world axes, exactly
    torque_world = net_torque_world(middle_orientation, middle_twice, wrenches[1])
    kick = scale(0.5 * dt, apply_symmetric(body[2], rotate_inverse(orientation, twice, torque_world)))
    kicked = add(rates, kick)
    momentum = angular_momentum_body(kicked, body)
    mean_rates, duration = _mean_rates(dt, kicked, momentum, body)
    turn = _cayley(duration, mean_rates)
    end_orientation = normalize(multiply(orientation, turn))
    # ω by I⁻¹ times the change of m and not times m: what rounding does to the inverse then has nothing to add up
    change = subtract(rotate_inverse(turn, doubling(turn), momentum), momentum)
    end_rates = add(kicked, _solved(change, body))
    torque_body = rotate_inverse(end_orientation, doubling(end_orientation), torque_world)
    return (
        end_position,
        end_orientation,
        end_velocity,
        add_scaled(end_rates, 0.5 * dt, apply_symmetric(body[2], torque_body)),
    )


@inlined
def _predicted_middle(gyroscopic: bool, dt: float, rates: Vector, torque_body: Vector, body: Body) -> Vector:
    """ω₀ + dt/2 ω̇ with ω̇ linearised about the start, which keeps it small where dt |ω| is not."""
    if not gyroscopic:
        return add_scaled(rates, 0.5 * dt, angular_acceleration_body(False, rates, torque_body, body))
    momentum = angular_momentum_body(rates, body)
    missing = subtract(torque_body, cross(rates, momentum))
    return add_scaled(rates, 0.5 * dt, newton_correction(rates, momentum, 0.5 * dt, missing, body))


@inlined
def _mean_rates(dt: float, rates: Vector, momentum: Vector, body: Body) -> tuple[Vector, float]:
    """ω̄ by ten Newton steps, and the duration for which it solves the equation: dt, or less where dt |ω| is above two or so.

    From ω₀ the steps converge for every body without a wheel at dt |ω| ≤ 1 and for most at 5, two to five of them; beyond, folds of
    the solution stand in the way of some. Where a step does not halve the residual, the search begins anew for a tenth of the
    duration: the tick then turns the body less far than it should, where its phase is lost anyway, but energy and momentum stay. Ten
    are enough for all of 2e6 ticks of random bodies, with and without stored momentum, moments up to a hundredfold apart, dt |ω| from
    0.1 to 1000: energy to 4e-13.
    """
    speed = sqrt(dot(rates, rates))
    duration = _LARGEST_ANGLE / speed if dt * speed > _LARGEST_ANGLE else dt
    negligible = 1e-24 * dot(momentum, momentum)
    search = (rates, duration, inf)
    search = _improved(search, rates, momentum, negligible, body)
    search = _improved(search, rates, momentum, negligible, body)
    search = _improved(search, rates, momentum, negligible, body)
    search = _improved(search, rates, momentum, negligible, body)
    search = _improved(search, rates, momentum, negligible, body)
    search = _improved(search, rates, momentum, negligible, body)
    search = _improved(search, rates, momentum, negligible, body)
    search = _improved(search, rates, momentum, negligible, body)
    search = _improved(search, rates, momentum, negligible, body)
    search = _improved(search, rates, momentum, negligible, body)
    return search[0], search[1]


@inlined
def _improved(search: Search, start: Vector, momentum: Vector, negligible: float, body: Body) -> Search:
    """One Newton step, from the start for a shorter duration where the last one failed."""
    rates, duration, before = search
    mean_momentum = angular_momentum_body(rates, body)
    residual = add_scaled(apply_symmetric(body[1], subtract(rates, start)), 0.5 * duration, cross(rates, mean_momentum))
    squared = dot(residual, residual)
    failed = squared > 0.5 * before and squared > negligible
    # from here on the values of the start are selected where it failed: no branch, so that bodies stay side by side
    duration = 0.1 * duration if failed else duration
    fresh = scale(0.5 * duration, cross(start, momentum))
    rates = _either(failed, start, rates)
    mean_momentum = _either(failed, momentum, mean_momentum)
    residual = _either(failed, fresh, residual)
    after = inf if failed else squared
    correction = newton_correction(rates, mean_momentum, 0.5 * duration, residual, body)
    return subtract(rates, correction), duration, after


@inlined
def _either(choose_first: bool, a: Vector, b: Vector) -> Vector:
    return (
        a[0] if choose_first else b[0],
        a[1] if choose_first else b[1],
        a[2] if choose_first else b[2],
    )


@inlined
def _solved(right: Vector, body: Body) -> Vector:
    """I⁻¹ times a vector, with one step of refinement against the rounding of the inverse.

    A slender body, moments twentyfold apart, at dt |ω| = 5 for 1e5 ticks: momentum to 3e-13 with it, and to 3e-11 and growing without.
    """
    first = apply_symmetric(body[2], right)
    return add(first, apply_symmetric(body[2], subtract(right, apply_symmetric(body[1], first))))


@inlined
def _cayley(duration: float, angular_velocity_body: Vector) -> Quaternion:
    """The turn by 2 atan(duration |ω|/2) about ω, as a quaternion of scalar part one."""
    x, y, z = scale(0.5 * duration, angular_velocity_body)
    return x, y, z, 1.0
