"""The two ends of a tick for valves, gimbals, tanks and wheels, as kernels and as operations of a tick.

`drive` runs before the tick is integrated. It opens and shuts valves, turns gimbals, drains tanks to the middle of the tick, and lets the
motors of the wheels act. `settle` runs after it: it drains the tanks to the end of the tick and stores what has changed. `undo_driven`
restores the start of the tick if it was not finite.

A pulse inside a tick is represented by its impulse, as a force that is held over the tick, and by the first moment of this impulse in time.
Half a kick at the start of the tick and half a kick at its end, with opposite signs, shift the mean time of the force to that of the pulse.
Together with the held force, both ends then have weights between 0 and 1. Friction in wheels and jet damping act in the same way, as half a
step at each end of the tick in opposite order, so that a tick with them is symmetric and of order two in every method. In islands of
joints, `constraints/end_kicks.py` gives the second halves before velocities are made to fit the joints, and `settle` leaves them out.

Propellant leaves with the velocity of the point where it lay. The velocity field of the body therefore stays, and the state of the mass
centre moves with the mass centre.
"""

from typing import NamedTuple

from ..compilation.compiler import call, inlined, kernel
from ..compilation.packed import Packed, unpack
from .actuator_layout import (
    ACTING,
    ANGLES,
    APPLIED,
    BODY,
    DIRECTION,
    FIRST_JET,
    GAINED,
    HAS_KICKED,
    IS_DRIVEN,
    IS_FLOWING,
    IS_STALE,
    KEPT,
    KEPT_OF_BODIES,
    MAX_RATE,
    MOMENTUM,
    PROPELLANT,
    TANK,
    TANK_DRIVEN,
    UNTIL,
    USED,
    WHEEL_HAS_KICKED,
)
from .columns import Array, Integers, IntegerTable, is_finite, load_state, load_vector, store_vector
from .gather import DRIVEN, HAS_FROZEN, JETS, STALE, TANKS, THRUSTERS, WHEELS
from .jet_kicks import damp, lean
from .layout import BAD, FROZEN, NOT_FINITE, POSITION, STORED_MOMENTUM
from .masses import UNFINISHED, compose_flowing, store_previous_rates
from .valves import direction_at, follow_valve, link_jet, run_dry, store_valve, turn_gimbal
from .wheels import choose_motor_torque, rub_alone, sum_stored


class Parts(NamedTuple):
    """The bodies and their actuators."""

    array: Array
    driven: Array
    thrusters: Array
    wheels: Array
    tanks: Array
    counts: Integers
    """The counts of rows."""


@inlined
def drive(parts: Parts, stale: Integers, owners: Integers, dt: float) -> int:
    """Drive the actuators up to the state that is integrated over the tick; see the top.

    `owners` has room for the driven row of each column of the bodies.

    Returns:
        The number of bodies, in `stale`, whose held wrench must be gathered again; -1 if a body has no valid tensor any more.
    """
    array, driven, thrusters = parts.array, parts.driven, parts.thrusters
    wheels, tanks, counts = parts.wheels, parts.tanks, parts.counts
    has_frozen = counts[HAS_FROZEN] != 0
    # keep what will be written
    for row in range(counts[DRIVEN]):
        column = int(driven[BODY, row])
        owners[column] = row
        for place in range(12):
            driven[KEPT + place, row] = array[KEPT_OF_BODIES[place], column]
        # the last tick may have been the last one with flow, and its tensors are due now
        driven[IS_FLOWING, row] = 1.0 if driven[IS_FLOWING, row] == UNFINISHED else 0.0
        driven[IS_STALE, row] = 0.0
    for wheel in range(counts[WHEELS]):
        wheels[WHEEL_HAS_KICKED, wheel] = 0.0
    # valves and gimbals, and the propellant that they ask for; the jets of a tank are linked in ascending order
    for tank in range(counts[TANKS]):
        tanks[USED, tank] = 0.0
        tanks[UNTIL, tank] = dt if tanks[PROPELLANT, tank] > 0.0 else 0.0
        tanks[FIRST_JET, tank] = -1.0
    jets = 0
    for jet in range(counts[THRUSTERS]):
        thrusters[HAS_KICKED, jet] = 0.0
        if not _stands_still(array, has_frozen, int(thrusters[BODY, jet])):
            turn_gimbal(thrusters, jet, dt)
            tank = int(thrusters[TANK, jet])
            used = follow_valve(thrusters, jet, float(tanks[UNTIL, tank]) if tank >= 0 else dt, dt)
            if tank >= 0:
                tanks[USED, tank] += used
                link_jet(thrusters, tanks, tank, jet)
        if thrusters[IS_DRIVEN, jet] != 0.0 or thrusters[MAX_RATE, jet] > 0.0:
            jets = jet + 1
    counts[JETS] = jets
    # tanks that run dry in this tick shut their jets at that moment; those of a tank that is empty are shut already
    for tank in range(counts[TANKS]):
        if tanks[USED, tank] > tanks[PROPELLANT, tank]:
            run_dry(thrusters, tanks, tank, dt)
        if tanks[USED, tank] > 0.0:
            driven[IS_FLOWING, int(tanks[TANK_DRIVEN, tank])] = 1.0
        tanks[ACTING, tank] = tanks[PROPELLANT, tank] - 0.5 * tanks[USED, tank]
    # jets whose share of the thrust has changed
    for jet in range(jets):
        if thrusters[IS_DRIVEN, jet] > 1.0:
            thrusters[IS_DRIVEN, jet] -= 2.0
            row = owners[int(thrusters[BODY, jet])]
            # what is left there of a body that is driven no more names another body
            if row < counts[DRIVEN] and driven[BODY, row] == thrusters[BODY, jet]:
                driven[IS_STALE, row] = 1.0
    # mass properties in the middle of the tick
    if compose_flowing(array, driven, wheels, tanks, counts, True) >= 0:
        return -1
    # wheels: half a step of friction, then the torque of the motors, which is held over the tick
    for wheel in range(counts[WHEELS]):
        if not _stands_still(array, has_frozen, int(wheels[BODY, wheel])):
            rub_alone(array, wheels, wheel, 0.5 * dt)
    for wheel in range(counts[WHEELS]):
        if not _stands_still(array, has_frozen, int(wheels[BODY, wheel])):
            choose_motor_torque(array, driven, wheels, wheel, dt)
    # half a step of jet damping, and the first half of the kicks that shift the time of the pulses
    for jet in range(jets):
        if thrusters[IS_DRIVEN, jet] != 0.0:
            column = int(thrusters[BODY, jet])
            if not _stands_still(array, has_frozen, column):
                damp(array, column, thrusters, tanks, jet, dt)
                lean(array, column, thrusters, jet, -0.5 * dt)
    # the bodies whose held wrench is not that of the last tick
    found = 0
    for row in range(counts[DRIVEN]):
        if driven[IS_STALE, row] != 0.0 or driven[IS_FLOWING, row] != 0.0:
            stale[found] = int(driven[BODY, row])
            found += 1
    return found


@inlined
def settle(parts: Parts, dt: float, is_last: bool) -> int:
    """Bring the actuators to the end of the tick, in the opposite order, and store their state.

    If another tick follows at once (not `is_last`), tensors are left for it to compute, because they change in its first operation.

    Returns:
        The column of a body that is not finite or has no valid tensor any more, or -1.
    """
    array, driven, thrusters = parts.array, parts.driven, parts.thrusters
    wheels, tanks, counts = parts.wheels, parts.tanks, parts.counts
    has_frozen = counts[HAS_FROZEN] != 0
    # the second halves of the kicks and of jet damping
    jets = counts[JETS]
    for back in range(jets):
        jet = jets - 1 - back
        if thrusters[IS_DRIVEN, jet] != 0.0 and thrusters[HAS_KICKED, jet] == 0.0:
            column = int(thrusters[BODY, jet])
            if not _stands_still(array, has_frozen, column):
                lean(array, column, thrusters, jet, 0.5 * dt)
                damp(array, column, thrusters, tanks, jet, dt)
    # wheels: the work of the motors, and half a step of friction
    for wheel in range(counts[WHEELS]):
        if not _stands_still(array, has_frozen, int(wheels[BODY, wheel])):
            wheels[MOMENTUM, wheel] += dt * float(wheels[APPLIED, wheel])
    for back in range(counts[WHEELS]):
        wheel = counts[WHEELS] - 1 - back
        if _stands_still(array, has_frozen, int(wheels[BODY, wheel])):
            continue
        if wheels[WHEEL_HAS_KICKED, wheel] == 0.0:
            rub_alone(array, wheels, wheel, 0.5 * dt)
        else:
            wheels[MOMENTUM, wheel] += wheels[GAINED, wheel]
    sum_stored(array, wheels, counts[WHEELS])
    # mass properties at the end of the tick
    for tank in range(counts[TANKS]):
        tanks[ACTING, tank] = tanks[PROPELLANT, tank] - tanks[USED, tank]
    refused = compose_flowing(array, driven, wheels, tanks, counts, is_last)
    if refused >= 0:
        return refused
    bad = -1
    for row in range(counts[DRIVEN]):
        column = int(driven[BODY, row])
        stored = load_vector(array, STORED_MOMENTUM, column)
        if not is_finite(load_state(array, POSITION, column, stored)):
            array[NOT_FINITE, column] = 1.0
            bad = column if bad < 0 else bad
    if bad >= 0:
        return bad
    # tanks and valves, of which `undo_driven` restores nothing: from here on, the tick cannot fail
    for tank in range(counts[TANKS]):
        tanks[PROPELLANT, tank] = tanks[ACTING, tank]
    for jet in range(jets):
        if not _stands_still(array, has_frozen, int(thrusters[BODY, jet])):
            store_valve(thrusters, jet, dt)
    for row in range(counts[DRIVEN]):
        if not _stands_still(array, has_frozen, int(driven[BODY, row])):
            store_previous_rates(array, int(driven[BODY, row]), driven, row)
    return -1


@inlined
def _stands_still(array: Array, has_frozen: bool, column: int) -> bool:
    """Whether a body is frozen, so that its actuators keep their state too."""
    return has_frozen and bool(array[FROZEN, column] > 0.0)


class Drive(NamedTuple):
    """The arguments of the operations that drive actuators."""

    parts: Packed[Parts]
    control: Integers
    body_count: int
    gravities: Array
    constants: Array
    pushes: Array
    gather: Integers
    """The address of `gather_held`."""
    runs: IntegerTable
    """The runs of jets (see there)."""
    stale: Integers
    """Room for as many stale bodies as there may be driven ones."""
    marks: Integers
    """For each column of the bodies a mark, which is zero before and after."""
    owners: Integers
    """The driven row of each column (see `drive`)."""
    dt: float
    """The length of a tick [s]."""


@kernel("begin-driven")
def begin_driven(packed: Packed[Drive], operand: int, ticks_left: int) -> int:
    """The operation before the move: drive the actuators, and gather the held wrench where it has changed.

    It is gathered everywhere if `operand` is 1.
    """
    given = unpack(packed)
    parts = unpack(given.parts)
    counts = parts.counts
    found = drive(parts, given.stale, given.owners, given.dt)
    if found > 0 or (found == 0 and operand == 1):
        # all of them in loops of vectors, where most are to be gathered
        counts[STALE] = -1 if operand == 1 or 2 * found > given.body_count else found
        contributions = (given.gravities, given.constants, parts.thrusters, given.pushes, parts.wheels)
        _ = call(
            given.gather[0],
            (parts.array, given.body_count, *contributions, counts, given.stale, given.marks, given.runs),
        )
    return 0 if found < 0 else 1


@kernel("end-driven")
def end_driven(packed: Packed[Drive], operand: int, ticks_left: int) -> int:
    """The operation after the move: bring the actuators to the end of the tick; tensors are due at the end of each step of a tick (1)."""
    given = unpack(packed)
    bad = settle(unpack(given.parts), given.dt, ticks_left == 1 or operand == 1)
    if bad >= 0:
        given.control[BAD] = bad
        return 0
    return 1


@kernel("undo-driven")
def undo_driven(packed: Packed[Parts], start: int, unused: int) -> int:
    """Restore the start of the tick after `drive`, before or after it has put back what is kept by kind of field.

    The loop has restored the pose and everything that it wrote itself.
    """
    parts = unpack(packed)
    array, driven, thrusters = parts.array, parts.driven, parts.thrusters
    wheels, tanks, counts = parts.wheels, parts.tanks, parts.counts
    for tank in range(counts[TANKS]):
        row = int(tanks[TANK_DRIVEN, tank])
        # a mark says why the tick did not end, which Python has yet to say, or that the tensors are due
        if tanks[ACTING, tank] != tanks[PROPELLANT, tank] and driven[IS_FLOWING, row] == 0.0:
            driven[IS_FLOWING, row] = 1.0
        tanks[ACTING, tank] = tanks[PROPELLANT, tank]
    compose_flowing(array, driven, wheels, tanks, counts, True)
    for row in range(counts[DRIVEN]):
        column = int(driven[BODY, row])
        for place in range(12):
            array[KEPT_OF_BODIES[place], column] = driven[KEPT + place, row]
    for wheel in range(counts[WHEELS]):
        wheels[GAINED, wheel] = 0.0  # perhaps not finite
    for jet in range(counts[THRUSTERS]):
        if thrusters[MAX_RATE, jet] > 0.0:
            first, second = float(thrusters[ANGLES, jet]), float(thrusters[ANGLES + 1, jet])
            store_vector(thrusters, DIRECTION, jet, direction_at(thrusters, jet, first, second))
    return 1
