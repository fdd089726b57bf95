"""Forces at points of bodies, which are springs and constant forces whose lever arm rotates with the body."""

from math import sqrt
from typing import NamedTuple

from ..compilation.compiler import call, inlined, kernel
from ..kernels.quaternions import rotate
from ..kernels.vectors import Vector, add, cross, dot, scale, subtract
from .columns import Array, Integers, IntegerTable, add_to_vector, load_state, load_vector
from .fields import Clock
from .layout import (
    CENTER_OF_MASS,
    FORCE_WORLD,
    POINT_FORCE_AT_BODY,
    POINT_FORCE_BODY,
    POINT_FORCE_COUNT,
    POINT_FORCE_ENABLED,
    POINT_FORCE_WORLD,
    POSITION,
    SPRING_AT_BODY,
    SPRING_AT_OTHER,
    SPRING_BODY,
    SPRING_COUNT,
    SPRING_DAMPING,
    SPRING_ENABLED,
    SPRING_OTHER,
    SPRING_REST_LENGTH,
    SPRING_STIFFNESS,
    TORQUE_WORLD,
)


class ForceTables(NamedTuple):
    """All compiled forces."""

    calls: IntegerTable
    """For each kind of field the address of a loop from `fields.field_passes`, the first row of its layers and the number of layers. Row 0
    has the address of `pulls`, for springs and point forces."""
    layers: Array
    springs: Array
    point_forces: Array
    counts: Integers
    """The numbers of springs and of point forces."""


@kernel("pulls")
def pulls(
    array: Array,
    states: Array,
    wrench_row: int,
    springs: Array,
    point_forces: Array,
    counts: Integers,
    shift: int,
    other_shift: int,
) -> int:
    """Add the springs in their order and then the point forces in theirs to the wrenches that start at `wrench_row`.

    Disabled ones are skipped. The state of a body is `shift` columns before the body, and that of a second one `other_shift`.
    """
    for spring in range(counts[SPRING_COUNT]):
        if springs[SPRING_ENABLED, spring] != 0.0:
            _add_spring(array, states, wrench_row, springs, spring, shift, other_shift)
    for index in range(counts[POINT_FORCE_COUNT]):
        if point_forces[POINT_FORCE_ENABLED, index] != 0.0:
            column = int(point_forces[POINT_FORCE_BODY, index])
            at_body = load_vector(point_forces, POINT_FORCE_AT_BODY, index)
            lever, _end, _end_velocity = _attachment(array, states, column, shift, at_body)
            _pull(states, wrench_row, column - shift, lever, load_vector(point_forces, POINT_FORCE_WORLD, index))
    return 0


@inlined
def add_forces(
    array: Array,
    control: Integers,
    states: Array,
    wrench_row: int,
    forces: ForceTables,
    clock: Clock,
) -> int:
    """Add all compiled forces to the wrenches that start at a row, first the fields of each kind, then springs and point forces.

    Returns zero, or a negative number if one of the loops rejected its arrays.
    """
    counts, calls = forces.counts, forces.calls
    rejected = add_fields(array, control, states, wrench_row, calls, forces.layers, clock)
    if counts[SPRING_COUNT] + counts[POINT_FORCE_COUNT] > 0:
        rejected += call(calls[0, 0], (array, states, wrench_row, forces.springs, forces.point_forces, counts, 0, 0))
    return rejected


@inlined
def add_fields(
    array: Array,
    control: Integers,
    states: Array,
    wrench_row: int,
    calls: IntegerTable,
    layers: Array,
    clock: Clock,
) -> int:
    """Add the fields of each kind; see `add_forces`."""
    rejected = 0
    for kind in range(1, calls.shape[0]):
        place, layer_count = calls[kind, 1], calls[kind, 2]
        rejected += call(calls[kind, 0], (array, control, states, wrench_row, layers, place, layer_count, *clock))
    return rejected


@inlined
def _add_spring(
    array: Array, states: Array, wrench_row: int, springs: Array, spring: int, shift: int, other_shift: int
) -> None:
    """Add ``F = −[k (1 − L₀/L) + c (d·ḋ)/L²] d`` to the first body and −F to the other.

    d is the vector from the attachment point on the other body to that on the first body, and ``L = |d|``. At L = 0 the spring has no
    direction and exerts no force.
    """
    column, other = int(springs[SPRING_BODY, spring]), int(springs[SPRING_OTHER, spring])
    lever, end, end_velocity = _attachment(array, states, column, shift, load_vector(springs, SPRING_AT_BODY, spring))
    at_other = load_vector(springs, SPRING_AT_OTHER, spring)
    other_lever, other_end, other_velocity = (0.0, 0.0, 0.0), at_other, (0.0, 0.0, 0.0)
    if other >= 0:
        other_lever, other_end, other_velocity = _attachment(array, states, other, other_shift, at_other)
    stretch = subtract(end, other_end)
    length_squared = dot(stretch, stretch)
    if length_squared == 0.0:
        return
    stiffness, damping = float(springs[SPRING_STIFFNESS, spring]), float(springs[SPRING_DAMPING, spring])
    rest_length = float(springs[SPRING_REST_LENGTH, spring])
    closing = dot(stretch, subtract(end_velocity, other_velocity))
    strength = stiffness * (1.0 - rest_length / sqrt(length_squared)) + damping * closing / length_squared
    force = scale(-strength, stretch)
    _pull(states, wrench_row, column - shift, lever, force)
    if other >= 0:
        _pull(states, wrench_row, other - other_shift, other_lever, scale(-1.0, force))


@inlined
def _attachment(array: Array, states: Array, column: int, shift: int, point: Vector) -> tuple[Vector, Vector, Vector]:
    """Return the lever arm, position and velocity (world frame) of a point that is given in the body frame, from the origin."""
    state = load_state(states, POSITION, column - shift, None)
    arm = subtract(point, load_vector(array, CENTER_OF_MASS, column))
    lever = rotate(state.orientation, 2.0, arm)
    swing = rotate(state.orientation, 2.0, cross(state.angular_velocity, arm))
    return lever, add(state.position, lever), add(state.velocity, swing)


@inlined
def _pull(states: Array, wrench_row: int, column: int, lever: Vector, force: Vector) -> None:
    add_to_vector(states, wrench_row + FORCE_WORLD, column, force)
    add_to_vector(states, wrench_row + TORQUE_WORLD, column, cross(lever, force))
