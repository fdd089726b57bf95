"""Kicks of jets at the ends of a tick, which shift the mean time of a pulse and damp the rotation of a body."""

from ..compilation.compiler import inlined
from ..kernels.quaternions import rotate
from ..kernels.vectors import Symmetric, Vector, add, add_scaled, apply_symmetric, cross, scale, subtract
from .actuator_layout import (
    ACTING,
    CAPACITY,
    DIRECTION,
    FILL,
    JET_DAMPING,
    LEAN,
    MAX_FORCE,
    MEAN,
    POSITION_BODY,
    SPECIFIC_INERTIA,
    TANK,
    TANK_POSITION,
)
from .columns import Array, add_to_vector, load_quaternion, load_symmetric, load_vector
from .layout import ANGULAR_VELOCITY, CENTER_OF_MASS, INVERSE_INERTIA, INVERSE_MASS, ORIENTATION, VELOCITY
from .valves import flow_of


@inlined
def lean(array: Array, column: int, thrusters: Array, jet: int, duration: float) -> None:
    """Kick the body in a column by the force that shifts the mean time of a pulse, acting for a time that may be negative."""
    strength = duration * float(thrusters[LEAN, jet]) * float(thrusters[MAX_FORCE, jet])
    if strength == 0.0:
        return
    impulse = scale(strength, load_vector(thrusters, DIRECTION, jet))
    arm = subtract(load_vector(thrusters, POSITION_BODY, jet), load_vector(array, CENTER_OF_MASS, column))
    _push(array, column, impulse, cross(arm, impulse))


@inlined
def _push(array: Array, column: int, impulse: Vector, angular_impulse: Vector) -> None:
    """Change the velocities of a body by an impulse and an angular impulse about its mass centre, in the body frame."""
    orientation = load_quaternion(array, ORIENTATION, column)
    add_to_vector(array, VELOCITY, column, scale(float(array[INVERSE_MASS, column]), rotate(orientation, 2.0, impulse)))
    turn = apply_symmetric(load_symmetric(array, INVERSE_INERTIA, column), angular_impulse)
    add_to_vector(array, ANGULAR_VELOCITY, column, turn)


@inlined
def damp(array: Array, column: int, thrusters: Array, tanks: Array, jet: int, dt: float) -> None:
    """Half a step of the jet damping of one jet on the body in a column, by the midpoint rule."""
    if not has_damping(thrusters, tanks, jet):
        return
    tank = int(thrusters[TANK, jet])
    center = load_vector(array, CENTER_OF_MASS, column)
    flow = float(thrusters[MEAN, jet]) * flow_of(thrusters, jet)
    nozzle = subtract(load_vector(thrusters, POSITION_BODY, jet), center)
    source = subtract(_leaving_point(tanks, tank), center)
    specific = load_symmetric(tanks, SPECIFIC_INERTIA, tank)
    rates = load_vector(array, ANGULAR_VELOCITY, column)
    _force, torque = _jet_damping(flow, nozzle, source, specific, rates)
    inverse_inertia = load_symmetric(array, INVERSE_INERTIA, column)
    middle = add_scaled(rates, 0.25 * dt, apply_symmetric(inverse_inertia, torque))
    force, torque = _jet_damping(flow, nozzle, source, specific, middle)
    _push(array, column, scale(0.5 * dt, force), scale(0.5 * dt, torque))


@inlined
def has_damping(thrusters: Array, tanks: Array, jet: int) -> bool:
    """Whether propellant flows from a tank with jet damping to a jet."""
    tank = int(thrusters[TANK, jet])
    return not (tank < 0 or tanks[JET_DAMPING, tank] == 0.0 or thrusters[MEAN, jet] == 0.0)


@inlined
def _jet_damping(
    flow: float, nozzle: Vector, source: Vector, specific_inertia: Symmetric, rates: Vector
) -> tuple[Vector, Vector]:
    """Force and torque on a turning ship because propellant moves from its tank to the nozzle, in the body frame.

    Points are from the mass centre. The force is ``−2 ṁ ω×(rₙ − rₜ)`` and the torque ``−ṁ [rₙ×(ω×rₙ) − K ω − rₜ×(ω×rₜ) + ω×(rₜ×rₙ)]``. Its
    last term is that of the angular momentum ``ṁ rₜ×rₙ`` of the flow through a straight pipe; without it, the torque about another point
    would not be that of this force and torque. Terms of order ṁ² are left out.
    """
    leaving = add(cross(nozzle, cross(rates, nozzle)), cross(rates, cross(source, nozzle)))
    lost = add(apply_symmetric(specific_inertia, rates), cross(source, cross(rates, source)))
    return scale(-2.0 * flow, cross(rates, subtract(nozzle, source))), scale(-flow, subtract(leaving, lost))


@inlined
def _leaving_point(tanks: Array, tank: int) -> Vector:
    """The point of a tank from which propellant leaves: its centre, or the centre of the free surface if it is settled."""
    capacity = float(tanks[CAPACITY, tank])
    point = load_vector(tanks, TANK_POSITION, tank)
    if capacity == 0.0:
        return point
    return add_scaled(point, float(tanks[ACTING, tank]) / capacity, load_vector(tanks, FILL, tank))
