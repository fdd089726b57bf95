"""Forces that depend on the state, one scalar function a field, and the two ways in which they are added up at a stage.

A field function takes its parameters, the mass, the inertia (body axes) and the state of one body, and returns the force in world axes and
the torque in body axes about the mass centre. Where a field has no value, at the very centre of a point mass, it returns nan, and
the tick is refused.
"""

from collections.abc import Callable
from functools import cache
from math import nan, sqrt
from typing import Any

from .columns import Array, load_state, load_symmetric, load_vector, store_vector
from .compiler import inlined, kernel, use_widest_vectors
from .layout import FORCE_WORLD, INERTIA, MASS, POSITION, TORQUE_BODY
from .quaternions import rotate_inverse
from .rigid_body import State, Wrench
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


@inlined
def _load_parameters(parameters: Array, row: int) -> Parameters:
    return (
        float(parameters[row, 0]),
        float(parameters[row, 1]),
        float(parameters[row, 2]),
        float(parameters[row, 3]),
        float(parameters[row, 4]),
        float(parameters[row, 5]),
        float(parameters[row, 6]),
        float(parameters[row, 7]),
        float(parameters[row, 8]),
    )


@cache
def summed(fields: tuple[Field, ...]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Make two scalar functions that let a loop over bodies add fields to a wrench on the way, without a pass of its own.

    `load(parameters, row) -> p` reads their parameters, (k, 9), before the loop: inside, the compiler would have to read them again for
    every body. `add_fields(p, shares, row, column, mass, inertia, state, wrench) -> wrench` adds them in order, each where the body's
    share, (k, pitch), is above zero: a mask, which keeps the loop vectorised. Both go by recursion: the first field here, the rest by the
    two functions made for the rest.
    """
    if not fields:
        return _load_none, _add_none
    field = fields[0]
    load_rest, add_rest = summed(fields[1:])

    @inlined
    def load(parameters: Array, row: int) -> Any:
        return _load_parameters(parameters, row), load_rest(parameters, row + 1)

    @inlined
    def add_fields(
        p: Any, shares: Array, row: int, column: int, mass: float, inertia: Symmetric, state: State, wrench: Wrench
    ) -> Wrench:
        force, torque = field(p[0], mass, inertia, state)
        felt = float(shares[row, column]) > 0.0
        force_world, torque_world, force_body, torque_body = wrench
        x, y, z = force_world
        a, b, c = torque_body
        more = (
            (x + force[0] if felt else x, y + force[1] if felt else y, z + force[2] if felt else z),
            torque_world,
            force_body,
            (a + torque[0] if felt else a, b + torque[1] if felt else b, c + torque[2] if felt else c),
        )
        return add_rest(p[1], shares, row + 1, column, mass, inertia, state, more)

    return load, add_fields


@inlined
def _load_none(parameters: Any, row: int) -> float:
    return 0.0


@inlined
def _add_none(
    p: float, shares: Any, row: int, column: int, mass: float, inertia: Symmetric, state: State, wrench: Wrench
) -> Wrench:
    return wrench


@cache
def field_loop(field: Field, pitch: int) -> Callable[[Array, Array, int, int, Array, Array], int]:
    """Make `loop(array, states, wrench_row, count, parameters, shares) -> 0`: one field at one stage, in a pass of its own.

    `array` holds the mass properties, `states` the state to evaluate at and, from `wrench_row` on, the wrench to add to (both may be one
    array). `parameters` (1, 9) and `shares` (1, pitch) as in `summed`. Several fields in one such pass would not vectorise: too much of
    the memory could overlap for all that the compiler knows.
    """
    load, add_fields = summed((field,))

    @kernel(f"field-{field.__name__}-{pitch}")
    def loop(array: Array, states: Array, wrench_row: int, count: int, parameters: Array, shares: Array) -> int:
        use_widest_vectors()
        if array.shape[1] != pitch or states.shape[1] != pitch or shares.shape[1] != pitch:
            return -1
        add_to_all(load, add_fields, array, states, wrench_row, count, parameters, shares)
        return 0

    return loop


@inlined
def add_to_all(
    load: Callable[..., Any],
    add_fields: Callable[..., Any],
    array: Array,
    states: Array,
    wrench_row: int,
    count: int,
    parameters: Any,
    shares: Any,
) -> None:
    """The loop over bodies of `field_loop`, for loops that do more."""
    p = load(parameters, 0)
    force_row, torque_row = wrench_row + FORCE_WORLD, wrench_row + TORQUE_BODY
    for column in range(count):
        state = load_state(states, POSITION, column)
        # fields have a force in world axes and a torque in body axes; with the other rows, too, the loop would not vectorise
        force, torque = load_vector(states, force_row, column), load_vector(states, torque_row, column)
        wrench = (force, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), torque)
        mass, inertia = float(array[MASS, column]), load_symmetric(array, INERTIA, column)
        force, _, _, torque = add_fields(p, shares, 0, column, mass, inertia, state, wrench)
        store_vector(states, force_row, column, force)
        store_vector(states, torque_row, column, torque)


def field_names(fields: tuple[Field, ...]) -> str:
    """The part that fields have in a kernel's name."""
    return "".join(f"-{field.__name__}" for field in fields)
