"""Mass properties of driven bodies, which change with the propellant in their tanks."""

from ..compilation.compiler import inlined, kernel
from ..kernels.quaternions import Quaternion, rotate
from ..kernels.tensors import (
    about_joint_center,
    inverse,
    is_positive_definite,
    less_about_axis,
    principal,
    principal_quaternion,
)
from ..kernels.vectors import Symmetric, add, add_scaled, cross, subtract
from .actuator_layout import (
    ACTING,
    BODY,
    CAPACITY,
    DRY_CENTER,
    DRY_INERTIA,
    DRY_MASS,
    FILL,
    IS_FLOWING,
    JOINT_CENTER,
    JOINT_INERTIA,
    JOINT_MASS,
    KEPT,
    PROPELLANT,
    SPECIFIC_INERTIA,
    TANK_DRIVEN,
    TANK_POSITION,
    WHEEL_AXIS,
    WHEEL_DRIVEN,
    WHEEL_INERTIA,
)
from .columns import Array, Integers, add_to_vector, load_quaternion, load_symmetric, load_vector, store_vector
from .gather import DRIVEN, TANKS, WHEELS
from .layout import (
    ANGULAR_VELOCITY,
    CENTER_OF_MASS,
    INERTIA,
    INVERSE_INERTIA,
    INVERSE_MASS,
    MASS,
    ORIENTATION,
    POSITION,
    PREVIOUS,
    PRINCIPAL_AXES,
    PRINCIPAL_MOMENTS,
    VELOCITY,
)

REFUSED = 2.0
"""The mark of a flowing body whose tensor without the wheels' moments is not positive definite."""
UNFINISHED = 3.0
"""The mark of a flowing body whose tensors were left for the next tick to compute."""


@inlined
def compose_flowing(
    array: Array, driven: Array, wheels: Array, tanks: Array, counts: Integers, with_tensors: bool
) -> int:
    """Compute the mass properties of the bodies marked as flowing, with the propellant that the tanks have now, and move their states.

    Without tensors, only mass and mass centre are stored, and the bodies are marked as unfinished.

    Returns:
        The column of the first body whose tensor is not positive definite, or -1.
    """
    some = False
    for row in range(counts[DRIVEN]):
        if driven[IS_FLOWING, row] != 0.0:
            some = True
            driven[JOINT_MASS, row] = driven[DRY_MASS, row]
            for place in range(3):
                driven[JOINT_CENTER + place, row] = driven[DRY_CENTER + place, row]
            for place in range(6):
                driven[JOINT_INERTIA + place, row] = driven[DRY_INERTIA + place, row]
    if not some:
        return -1
    for tank in range(counts[TANKS]):
        row = int(tanks[TANK_DRIVEN, tank])
        if driven[IS_FLOWING, row] != 0.0:
            _fill_in(driven, row, tanks, tank)
    # the moments about the axes of the wheels are not part of the tensor of the equation of motion
    for wheel in range(counts[WHEELS]):
        row = int(wheels[WHEEL_DRIVEN, wheel])
        if driven[IS_FLOWING, row] != 0.0:
            moment, axis = float(wheels[WHEEL_INERTIA, wheel]), load_vector(wheels, WHEEL_AXIS, wheel)
            _store_six(
                driven, JOINT_INERTIA, row, less_about_axis(load_symmetric(driven, JOINT_INERTIA, row), moment, axis)
            )
    for row in range(counts[DRIVEN]):
        if driven[IS_FLOWING, row] != 0.0:
            if not is_positive_definite(load_symmetric(driven, JOINT_INERTIA, row)):
                driven[IS_FLOWING, row] = REFUSED
                return int(driven[BODY, row])
            _store_model(array, int(driven[BODY, row]), driven, row, with_tensors)
            if not with_tensors:
                driven[IS_FLOWING, row] = UNFINISHED
    return -1


@inlined
def _fill_in(driven: Array, row: int, tanks: Array, tank: int) -> None:
    """Add the propellant of a tank to the joint mass properties of its body."""
    propellant = float(tanks[ACTING, tank])
    capacity, fill = float(tanks[CAPACITY, tank]), load_vector(tanks, FILL, tank)
    share = propellant / capacity if capacity > 0.0 else 0.0
    center = add_scaled(load_vector(tanks, TANK_POSITION, tank), 0.5 * share, fill)
    # a settled column of length l has l²/12 per mass about both axes across it
    xx, yy, zz, xy, xz, yz = load_symmetric(tanks, SPECIFIC_INERTIA, tank)
    column = share * share / 12.0
    x, y, z = fill
    inertia = (
        propellant * (xx + column * (y * y + z * z)),
        propellant * (yy + column * (x * x + z * z)),
        propellant * (zz + column * (x * x + y * y)),
        propellant * (xy - column * (x * y)),
        propellant * (xz - column * (x * z)),
        propellant * (yz - column * (y * z)),
    )
    mass, joint, tensor = about_joint_center(
        float(driven[JOINT_MASS, row]),
        load_vector(driven, JOINT_CENTER, row),
        load_symmetric(driven, JOINT_INERTIA, row),
        propellant,
        center,
        inertia,
    )
    driven[JOINT_MASS, row] = mass
    store_vector(driven, JOINT_CENTER, row, joint)
    _store_six(driven, JOINT_INERTIA, row, tensor)


@inlined
def _store_model(array: Array, column: int, driven: Array, row: int, with_tensors: bool) -> None:
    """Store the joint mass properties of a body; its state, and its previous state, move with the mass centre."""
    center = load_vector(driven, JOINT_CENTER, row)
    shift = subtract(center, load_vector(array, CENTER_OF_MASS, column))
    if shift[0] != 0.0 or shift[1] != 0.0 or shift[2] != 0.0:
        orientation = load_quaternion(array, ORIENTATION, column)
        add_to_vector(array, POSITION, column, rotate(orientation, 2.0, shift))
        swing = cross(load_vector(array, ANGULAR_VELOCITY, column), shift)
        add_to_vector(array, VELOCITY, column, rotate(orientation, 2.0, swing))
        before: Quaternion = load_quaternion(array, PREVIOUS + ORIENTATION, column)
        add_to_vector(array, PREVIOUS + POSITION, column, rotate(before, 2.0, shift))
        swing_before = cross(load_vector(array, PREVIOUS + ANGULAR_VELOCITY, column), shift)
        add_to_vector(array, PREVIOUS + VELOCITY, column, rotate(before, 2.0, swing_before))
    mass, inertia = float(driven[JOINT_MASS, row]), load_symmetric(driven, JOINT_INERTIA, row)
    array[MASS, column] = mass
    array[INVERSE_MASS, column] = 1.0 / mass
    store_vector(array, CENTER_OF_MASS, column, center)
    if not with_tensors:
        return
    _store_six(array, INERTIA, column, inertia)
    _store_six(array, INVERSE_INERTIA, column, inverse(inertia))
    moments, first, second, third = principal(inertia)
    store_vector(array, PRINCIPAL_MOMENTS, column, moments)
    store_vector(array, PRINCIPAL_AXES, column, principal_quaternion(first, second, third))


@inlined
def store_previous_rates(array: Array, column: int, driven: Array, row: int) -> None:
    """Store the velocities at the start of the tick as the previous ones, from which accelerometers take the change over the tick.

    Those that the loop stored already had the first half of the kicks. The velocity is that of the current mass centre.
    """
    rates = load_vector(driven, KEPT + 6, row)
    shift = subtract(load_vector(array, PREVIOUS + POSITION, column), load_vector(driven, KEPT, row))
    rates_world = rotate(load_quaternion(array, PREVIOUS + ORIENTATION, column), 2.0, rates)
    store_vector(array, PREVIOUS + VELOCITY, column, add(load_vector(driven, KEPT + 3, row), cross(rates_world, shift)))
    store_vector(array, PREVIOUS + ANGULAR_VELOCITY, column, rates)


@inlined
def _store_six(array: Array, row: int, column: int, tensor: Symmetric) -> None:
    store_vector(array, row, column, (tensor[0], tensor[1], tensor[2]))
    store_vector(array, row + 3, column, (tensor[3], tensor[4], tensor[5]))


@kernel("compose")
def compose(array: Array, driven: Array, wheels: Array, tanks: Array, counts: Integers) -> int:
    """Compute the mass properties of the bodies marked as flowing between two ticks; see `compose_flowing`."""
    for tank in range(counts[TANKS]):
        tanks[ACTING, tank] = tanks[PROPELLANT, tank]
    return compose_flowing(array, driven, wheels, tanks, counts, True)
