"""Forces at points of bodies: springs, and steady forces whose lever turns with the body."""

from math import sqrt

from .columns import Array, add_to_vector, load_state, load_vector
from .compiler import inlined, kernel
from .layout import CENTER_OF_MASS, FORCE_WORLD, POSITION, TORQUE_WORLD
from .quaternions import rotate
from .vectors import Vector, add, cross, dot, scale, subtract

WORLD_POINT, STEADY_FORCE = -1, -2
"""What stands for the other body's column in a spring to a point of the world, and in a steady force."""


@kernel("pulls")
def pulls(array: Array, states: Array, wrench_row: int, table: Array) -> None:
    """Add pulls to the wrenches that start at `wrench_row`; see `add_pulls`."""
    add_pulls(array, states, wrench_row, table)


@inlined
def add_pulls(array: Array, states: Array, wrench_row: int, table: Array) -> None:
    """One pull after the other, each a row of `table`: a spring between two points, or a steady force at one.

    A row: the body's column, the other's or `WORLD_POINT` or `STEADY_FORCE`, the point on the body, the other point (body axes from the
    origins, or world) [m] or the force [N] (world axes), stiffness [N/m], damping [N·s/m], rest length [m]. A spring pulls the first body
    by F = −[k (1 − L₀/L) + c (d·ḋ)/L²] d, d from the other point to its own and L = |d|. At L = 0 it has no direction and pulls nowhere.
    """
    for row in range(table.shape[0]):
        column, other = int(table[row, 0]), int(table[row, 1])
        lever, end, end_velocity = _attachment(array, states, column, _load_point(table, row, 2))
        given = _load_point(table, row, 5)
        if other == STEADY_FORCE:
            _pull(states, wrench_row, column, lever, given)
            continue
        other_lever, other_end, other_velocity = (0.0, 0.0, 0.0), given, (0.0, 0.0, 0.0)
        if other >= 0:
            other_lever, other_end, other_velocity = _attachment(array, states, other, given)
        stiffness, damping, rest_length = _load_point(table, row, 8)
        stretch = subtract(end, other_end)
        length_squared = dot(stretch, stretch)
        if length_squared == 0.0:
            continue
        closing = dot(stretch, subtract(end_velocity, other_velocity))
        strength = stiffness * (1.0 - rest_length / sqrt(length_squared)) + damping * closing / length_squared
        force = scale(-strength, stretch)
        _pull(states, wrench_row, column, lever, force)
        if other >= 0:
            _pull(states, wrench_row, other, other_lever, scale(-1.0, force))


@inlined
def _load_point(table: Array, row: int, first: int) -> Vector:
    """Three numbers that stand side by side in a table."""
    return float(table[row, first]), float(table[row, first + 1]), float(table[row, first + 2])


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
