"""Forces that depend on the state, one scalar function a field, and the loop that adds them up at a stage.

A field function takes its parameters, the mass, the inertia (body axes) and the state of one body, and returns the force in world axes and
the torque in body axes about the mass centre. Where a field has no value, at the very centre of a point mass, it returns nan, and
the tick is refused.
"""

from collections.abc import Callable
from functools import cache
from math import nan, sqrt
from typing import Any

from .columns import Array, add_to_vector, load_state, load_symmetric, load_vector
from .compiler import inlined, kernel
from .layout import CENTER_OF_MASS, FORCE_WORLD, INERTIA, MASS, POSITION, TORQUE_BODY, TORQUE_WORLD
from .quaternions import rotate, rotate_inverse
from .rigid_body import State
from .vectors import Symmetric, Vector, add, add_scaled, apply_symmetric, cross, dot, scale, subtract

PARAMETER_COUNT = 9
Parameters = tuple[float, float, float, float, float, float, float, float, float]
Field = Callable[..., Any]


@inlined
def linear_drag(p: Parameters, mass: float, inertia: Symmetric, state: State) -> tuple[Vector, Vector]:
    """F = −c v; p = (c [N·s/m],)."""
    return scale(-p[0], state[2]), (0.0, 0.0, 0.0)


@inlined
def quadratic_drag(p: Parameters, mass: float, inertia: Symmetric, state: State) -> tuple[Vector, Vector]:
    """F = −c |v| v; p = (c [N·s²/m²],)."""
    velocity = state[2]
    return scale(-p[0] * sqrt(dot(velocity, velocity)), velocity), (0.0, 0.0, 0.0)


@inlined
def angular_damping(p: Parameters, mass: float, inertia: Symmetric, state: State) -> tuple[Vector, Vector]:
    """τ = −c ω; p = (c [N·m·s],)."""
    return (0.0, 0.0, 0.0), scale(-p[0], state[3])


@inlined
def lorentz(p: Parameters, mass: float, inertia: Symmetric, state: State) -> tuple[Vector, Vector]:
    """F = q (E + v × B); p = (q [C], E [V/m], B [T]), fields in world axes."""
    electric = (p[1], p[2], p[3])
    magnetic = (p[4], p[5], p[6])
    return scale(p[0], add(electric, cross(state[2], magnetic))), (0.0, 0.0, 0.0)


@inlined
def point_gravity(p: Parameters, mass: float, inertia: Symmetric, state: State) -> tuple[Vector, Vector]:
    """Attraction of a point mass with an oblateness term; p = (GM [m³/s²], centre [m], J2 R² [m²], axis), world axes.

    a = −GM/r³ { r + (3/2) J2 R²/r² [(1 − 5 z²/r²) r + 2 z k] }, k the axis of symmetry and z = r·k.
    """
    r = subtract(state[0], (p[1], p[2], p[3]))
    axis = (p[5], p[6], p[7])
    distance_squared = dot(r, r)
    inverse_square = 1.0 / distance_squared if distance_squared > 0.0 else nan
    strength = -p[0] * mass * inverse_square * sqrt(inverse_square)
    height = dot(r, axis)
    oblateness = 1.5 * p[4] * inverse_square
    along_r = 1.0 + oblateness * (1.0 - 5.0 * height * height * inverse_square)
    return scale(strength, add_scaled(scale(along_r, r), 2.0 * oblateness * height, axis)), (0.0, 0.0, 0.0)


@inlined
def gravity_gradient(p: Parameters, mass: float, inertia: Symmetric, state: State) -> tuple[Vector, Vector]:
    """τ = 3 GM/r⁵ r × (I r), r from the centre to the body, in body axes; p = (GM [m³/s²], centre [m])."""
    r = subtract(state[0], (p[1], p[2], p[3]))
    distance_squared = dot(r, r)
    inverse_square = 1.0 / distance_squared if distance_squared > 0.0 else nan
    strength = 3.0 * p[0] * inverse_square * inverse_square * sqrt(inverse_square)
    r_body = rotate_inverse(state[1], 2.0, r)
    return (0.0, 0.0, 0.0), scale(strength, cross(r_body, apply_symmetric(inertia, r_body)))


@cache
def field_loop(field: Field, pitch: int) -> Callable[[Array, Array, int, int, Array, Array], int]:
    """Make `loop(array, states, wrench_row, count, parameters, shares) -> 0`.

    `array` holds the mass properties, `states` the state to evaluate at and, from `wrench_row` on, the wrench to add to (both may be one
    array). `shares` is one for each body that feels the field and zero for the others: a mask keeps the loop over all bodies vectorised.
    """

    @kernel(f"field-{field.__name__}-{pitch}")
    def loop(array: Array, states: Array, wrench_row: int, count: int, parameters: Array, shares: Array) -> int:
        if array.shape[1] != pitch or states.shape[1] != pitch:
            return -1
        p = (
            float(parameters[0]),
            float(parameters[1]),
            float(parameters[2]),
            float(parameters[3]),
            float(parameters[4]),
            float(parameters[5]),
            float(parameters[6]),
            float(parameters[7]),
            float(parameters[8]),
        )
        for column in range(count):
            mass = float(array[MASS, column])
            inertia = load_symmetric(array, INERTIA, column)
            force_world, torque_body = field(p, mass, inertia, load_state(states, POSITION, column))
            share = float(shares[column])
            if share > 0.0:
                add_to_vector(states, wrench_row + FORCE_WORLD, column, force_world)
                add_to_vector(states, wrench_row + TORQUE_BODY, column, torque_body)
        return 0

    return loop


@inlined
def _attachment(array: Array, states: Array, column: int, point: Vector) -> tuple[Vector, Vector, Vector]:
    """Lever, position and velocity, world axes, of a point given in body axes from the body's origin."""
    position, orientation, velocity, angular_velocity = load_state(states, POSITION, column)
    arm = subtract(point, load_vector(array, CENTER_OF_MASS, column))
    lever = rotate(orientation, 2.0, arm)
    return lever, add(position, lever), add(velocity, rotate(orientation, 2.0, cross(angular_velocity, arm)))


@inlined
def _pull(states: Array, wrench_row: int, column: int, lever: Vector, force: Vector) -> None:
    add_to_vector(states, wrench_row + FORCE_WORLD, column, force)
    add_to_vector(states, wrench_row + TORQUE_WORLD, column, cross(lever, force))


@kernel("spring")
def spring(array: Array, states: Array, wrench_row: int, column: int, other: int, parameters: Array) -> None:
    """Add a spring with a damper between a point of body `column` and one of body `other`, or a world point where `other` is negative.

    Parameters: point on the body, other point (body axes from the origins, or world), stiffness [N/m], damping [N·s/m], rest length [m].
    F = −[k (1 − L₀/L) + c (d·ḋ)/L²] d on the first body, d from the other point to it and L = |d|. At L = 0 there is no direction: a
    spring with a rest length then pulls nowhere.
    """
    point = (float(parameters[0]), float(parameters[1]), float(parameters[2]))
    other_point = (float(parameters[3]), float(parameters[4]), float(parameters[5]))
    stiffness = float(parameters[6])
    damping = float(parameters[7])
    rest_length = float(parameters[8])
    lever, end, end_velocity = _attachment(array, states, column, point)
    other_lever, other_end, other_velocity = (0.0, 0.0, 0.0), other_point, (0.0, 0.0, 0.0)
    if other >= 0:
        other_lever, other_end, other_velocity = _attachment(array, states, other, other_point)
    stretch = subtract(end, other_end)
    length_squared = dot(stretch, stretch)
    if length_squared == 0.0:
        return
    closing = dot(stretch, subtract(end_velocity, other_velocity))
    strength = stiffness * (1.0 - rest_length / sqrt(length_squared)) + damping * closing / length_squared
    force = scale(-strength, stretch)
    _pull(states, wrench_row, column, lever, force)
    if other >= 0:
        _pull(states, wrench_row, other, other_lever, scale(-1.0, force))


@kernel("force-at-point")
def force_at_point(array: Array, states: Array, wrench_row: int, column: int, parameters: Array) -> None:
    """Add a constant force at a point of the body; parameters: point [m] (body axes from the origin), force [N] (world axes)."""
    point = (float(parameters[0]), float(parameters[1]), float(parameters[2]))
    force = (float(parameters[3]), float(parameters[4]), float(parameters[5]))
    lever, _position, _velocity = _attachment(array, states, column, point)
    _pull(states, wrench_row, column, lever, force)
