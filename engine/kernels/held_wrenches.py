"""Filling the wrench rows that are held over a tick: weights, thrusters, constant forces and one-tick pushes.

An entry is a row of fourteen numbers: the body's column, a factor (a thruster's throttle), and the twelve components of a wrench.
"""

from .columns import Array, add_to_vector, store_vector
from .compiler import kernel
from .layout import (
    FORCE_BODY,
    FORCE_WORLD,
    MASS,
    TORQUE_BODY,
    TORQUE_WORLD,
    WRENCH,
    WRENCH_ROWS,
)
from .vectors import Vector, scale

ENTRY_COLUMN = 0
ENTRY_FACTOR = 1
ENTRY_WRENCH = 2
ENTRY_LENGTH = ENTRY_WRENCH + WRENCH_ROWS


@kernel("fill-held-wrenches")
def fill_held_wrenches(array: Array, count: int, acceleration_world: Vector, entries: Array, entry_count: int) -> None:
    """Set the wrench rows to mass times `acceleration_world` [m/s²] plus the entries."""
    for column in range(count):
        mass = float(array[MASS, column])
        store_vector(array, WRENCH + FORCE_WORLD, column, scale(mass, acceleration_world))
    for row in range(WRENCH + TORQUE_WORLD, WRENCH + WRENCH_ROWS):
        for column in range(count):
            array[row, column] = 0.0
    add_entries(array, WRENCH, entries, entry_count)


@kernel("add-entries")
def add_entries(array: Array, wrench_row: int, entries: Array, entry_count: int) -> None:
    """Add entries to the wrench that starts at `wrench_row`."""
    for index in range(entry_count):
        column = int(entries[index, ENTRY_COLUMN])
        factor = float(entries[index, ENTRY_FACTOR])
        for part in (FORCE_WORLD, TORQUE_WORLD, FORCE_BODY, TORQUE_BODY):
            x = float(entries[index, ENTRY_WRENCH + part])
            y = float(entries[index, ENTRY_WRENCH + part + 1])
            z = float(entries[index, ENTRY_WRENCH + part + 2])
            add_to_vector(array, wrench_row + part, column, (factor * x, factor * y, factor * z))
