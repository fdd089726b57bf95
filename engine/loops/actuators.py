"""The two ends of a tick for valves, gimbals, tanks and wheels, as kernels and as operations of a tick.

`drive` runs before the tick is integrated. It opens and shuts valves, turns gimbals, drains tanks to the middle of the tick, and lets the
motors of the wheels act. `settle` runs after it: it drains the tanks to the end of the tick and stores what has changed. `undo_drive`
restores the start of the tick if it was not finite.

A pulse inside a tick is represented by its impulse, as a force that is held over the tick, and by the first moment of this impulse in time.
Half a kick at the start of the tick and half a kick at its end, with opposite signs, shift the mean time of the force to that of the pulse.
Together with the held force, both ends then have weights between 0 and 1. Friction in wheels and jet damping act in the same way, as half a
step at each end of the tick in opposite order, so that a tick with them is symmetric and of order two in every method. In islands of
joints, `end_kicks` gives the second halves before velocities are made compatible with the joints, and `settle` leaves them out.

Propellant leaves with the velocity of the point where it lay. The velocity field of the body therefore stays, and the state of the mass
centre moves with the mass centre.
"""

from ..compilation.compiler import call, inlined, kernel
from ..compilation.packed import Packed, unpack
from ..kernels.exponential import exponential
from ..kernels.quaternions import Quaternion, from_rotation_vector, rotate
from ..kernels.tensors import (
    about_joint_center,
    inverse,
    is_positive_definite,
    less_about_axis,
    principal,
    principal_quaternion,
)
from ..kernels.valve import Opening, in_step_with_ticks, level_after
from ..kernels.vectors import Symmetric, Vector, add, add_scaled, apply_symmetric, cross, dot, scale, subtract
from .actuator_layout import (
    ACTING,
    ANGLES,
    APPLIED,
    BODY,
    CAPACITY,
    COMMANDED_ANGLES,
    DIRECTION,
    DRY_CENTER,
    DRY_INERTIA,
    DRY_MASS,
    ENABLED,
    FALL_TIME,
    FILL,
    FIRST_JET,
    FRICTION,
    GAINED,
    GIMBAL_AXES,
    HAS_KICKED,
    IMPULSE,
    IS_DRIVEN,
    IS_FLOWING,
    IS_STALE,
    JET_DAMPING,
    JOINT_CENTER,
    JOINT_INERTIA,
    JOINT_MASS,
    KEPT,
    KEPT_APPLIED,
    KEPT_MOMENTUM,
    LAST_JET,
    LEAN,
    LEVEL,
    MAX_FORCE,
    MAX_RATE,
    MAX_SPEED,
    MEAN,
    MOMENTUM,
    NEUTRAL,
    NEXT_ANGLES,
    NEXT_JET,
    NEXT_LEVEL,
    NEXT_OPEN_FOR,
    NEXT_OPENS_IN,
    OPEN_FOR,
    OPENS_IN,
    POSITION_BODY,
    PROPELLANT,
    PROPELLANT_USED,
    RISE_TIME,
    SPECIFIC_IMPULSE,
    SPECIFIC_INERTIA,
    STANDARD_GRAVITY,
    STUCK,
    TANK,
    TANK_DRIVEN,
    TANK_POSITION,
    THROTTLE,
    TORQUE,
    UNTIL,
    USED,
    WHEEL_AXIS,
    WHEEL_DRIVEN,
    WHEEL_HAS_KICKED,
    WHEEL_INERTIA,
)
from .columns import (
    Array,
    Integers,
    add_to_vector,
    is_finite,
    load_quaternion,
    load_state,
    load_symmetric,
    load_vector,
    store_vector,
)
from .floating_point import is_other_mode
from .gather import COUNTED, DRIVEN, HAS_FROZEN, IS_OPEN, PUSHES, STALE, TANKS, THRUSTERS, WHEELS
from .layout import (
    ANGULAR_VELOCITY,
    BAD,
    CENTER_OF_MASS,
    FROZEN,
    INERTIA,
    INVERSE_INERTIA,
    INVERSE_MASS,
    MASS,
    NOT_FINITE,
    ORIENTATION,
    OTHER_MODE,
    POSITION,
    PREVIOUS,
    PRINCIPAL_AXES,
    PRINCIPAL_MOMENTS,
    STORED_MOMENTUM,
    VELOCITY,
)

_BISECTIONS = 60
"""Halvings of a tick to find the moment at which a tank runs dry."""


REFUSED = 2.0
"""The mark of a flowing body whose tensor without the wheels' moments is not positive definite."""
UNFINISHED = 3.0
"""The mark of a flowing body whose tensors were left for the next tick to compute."""


@kernel("drive")
def drive(
    array: Array,
    driven: Array,
    thrusters: Array,
    wheels: Array,
    tanks: Array,
    counts: Integers,
    stale: Integers,
    owners: Integers,
    dt: float,
) -> int:
    """Drive the actuators up to the state that is integrated over the tick; see the top.

    `owners` has room for the driven row of each column of the bodies.

    Returns:
        The number of bodies, in `stale`, whose held wrench must be gathered again; -1 if a body has no valid tensor any more.
    """
    counts[IS_OPEN] = 1
    # keep what will be written
    for row in range(counts[DRIVEN]):
        column = int(driven[BODY, row])
        owners[column] = row
        for place in range(3):
            driven[KEPT + place, row] = array[POSITION + place, column]
            driven[KEPT + 3 + place, row] = array[VELOCITY + place, column]
            driven[KEPT + 6 + place, row] = array[ANGULAR_VELOCITY + place, column]
            driven[KEPT + 9 + place, row] = array[STORED_MOMENTUM + place, column]
        # the last tick may have been the last one with flow, and its tensors are due now
        driven[IS_FLOWING, row] = 1.0 if driven[IS_FLOWING, row] == UNFINISHED else 0.0
        driven[IS_STALE, row] = 0.0
    for wheel in range(counts[WHEELS]):
        wheels[KEPT_MOMENTUM, wheel] = wheels[MOMENTUM, wheel]
        wheels[KEPT_APPLIED, wheel] = wheels[APPLIED, wheel]
        wheels[WHEEL_HAS_KICKED, wheel] = 0.0
    # valves and gimbals, and the propellant that they ask for; the jets of a tank are linked in ascending order
    for tank in range(counts[TANKS]):
        tanks[USED, tank] = 0.0
        tanks[UNTIL, tank] = dt if tanks[PROPELLANT, tank] > 0.0 else 0.0
        tanks[FIRST_JET, tank] = -1.0
    for jet in range(counts[THRUSTERS]):
        thrusters[HAS_KICKED, jet] = 0.0
        if _stands_still(array, counts, int(thrusters[BODY, jet])):
            continue
        _turn_gimbal(thrusters, jet, dt)
        tank = int(thrusters[TANK, jet])
        used = _follow_valve(thrusters, jet, float(tanks[UNTIL, tank]) if tank >= 0 else dt, dt)
        if tank >= 0:
            tanks[USED, tank] += used
            _link_jet(thrusters, tanks, tank, jet)
    # tanks that run dry in this tick shut their jets at that moment; those of a tank that is empty are shut already
    for tank in range(counts[TANKS]):
        if tanks[USED, tank] > tanks[PROPELLANT, tank]:
            _run_dry(thrusters, tanks, tank, dt)
        if tanks[USED, tank] > 0.0:
            driven[IS_FLOWING, int(tanks[TANK_DRIVEN, tank])] = 1.0
        tanks[ACTING, tank] = tanks[PROPELLANT, tank] - 0.5 * tanks[USED, tank]
    # jets whose share of the thrust has changed
    for jet in range(counts[THRUSTERS]):
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
        if not _stands_still(array, counts, int(wheels[BODY, wheel])):
            _rub_alone(array, wheels, wheel, 0.5 * dt)
    for wheel in range(counts[WHEELS]):
        if not _stands_still(array, counts, int(wheels[BODY, wheel])):
            _choose_motor_torque(array, driven, wheels, wheel, dt)
    # half a step of jet damping, and the first half of the kicks that shift the time of the pulses
    for jet in range(counts[THRUSTERS]):
        if thrusters[IS_DRIVEN, jet] != 0.0:
            column = int(thrusters[BODY, jet])
            if not _stands_still(array, counts, column):
                _damp(array, column, thrusters, tanks, jet, dt)
                _lean(array, column, thrusters, jet, -0.5 * dt)
    # the bodies whose held wrench is not that of the last tick
    found = 0
    for row in range(counts[DRIVEN]):
        if driven[IS_STALE, row] != 0.0 or driven[IS_FLOWING, row] != 0.0:
            stale[found] = int(driven[BODY, row])
            found += 1
    return found


@kernel("settle")
def settle(
    array: Array,
    driven: Array,
    thrusters: Array,
    wheels: Array,
    tanks: Array,
    counts: Integers,
    dt: float,
    is_last: bool,
) -> int:
    """Bring the actuators to the end of the tick, in the opposite order, and store their state.

    If another tick follows at once (not `is_last`), tensors are left for it to compute, because they change in its first operation.

    Returns:
        The column of a body that is not finite or has no valid tensor any more, or -1.
    """
    # the second halves of the kicks and of jet damping
    for back in range(counts[THRUSTERS]):
        jet = counts[THRUSTERS] - 1 - back
        if thrusters[IS_DRIVEN, jet] != 0.0 and thrusters[HAS_KICKED, jet] == 0.0:
            column = int(thrusters[BODY, jet])
            if not _stands_still(array, counts, column):
                _lean(array, column, thrusters, jet, 0.5 * dt)
                _damp(array, column, thrusters, tanks, jet, dt)
    # wheels: the work of the motors, and half a step of friction
    for wheel in range(counts[WHEELS]):
        if not _stands_still(array, counts, int(wheels[BODY, wheel])):
            wheels[MOMENTUM, wheel] += dt * float(wheels[APPLIED, wheel])
    for back in range(counts[WHEELS]):
        wheel = counts[WHEELS] - 1 - back
        if _stands_still(array, counts, int(wheels[BODY, wheel])):
            continue
        if wheels[WHEEL_HAS_KICKED, wheel] == 0.0:
            _rub_alone(array, wheels, wheel, 0.5 * dt)
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
    # tanks and valves, of which `undo_drive` restores nothing: from here on, the tick cannot fail
    for tank in range(counts[TANKS]):
        tanks[PROPELLANT, tank] = tanks[ACTING, tank]
    for jet in range(counts[THRUSTERS]):
        if not _stands_still(array, counts, int(thrusters[BODY, jet])):
            _store_valve(thrusters, jet, dt)
    for row in range(counts[DRIVEN]):
        if not _stands_still(array, counts, int(driven[BODY, row])):
            _store_previous_rates(array, int(driven[BODY, row]), driven, row)
    return -1


@kernel("undo-drive")
def undo_drive(array: Array, driven: Array, thrusters: Array, wheels: Array, tanks: Array, counts: Integers) -> int:
    """Restore the start of the tick after `drive`, if it has run; the loop has restored the pose and everything that it wrote itself."""
    if counts[IS_OPEN] == 0:
        return 0
    for tank in range(counts[TANKS]):
        tanks[ACTING, tank] = tanks[PROPELLANT, tank]
    compose_flowing(array, driven, wheels, tanks, counts, True)
    for row in range(counts[DRIVEN]):
        column = int(driven[BODY, row])
        for place in range(3):
            array[POSITION + place, column] = driven[KEPT + place, row]
            array[VELOCITY + place, column] = driven[KEPT + 3 + place, row]
            array[ANGULAR_VELOCITY + place, column] = driven[KEPT + 6 + place, row]
            array[STORED_MOMENTUM + place, column] = driven[KEPT + 9 + place, row]
    for wheel in range(counts[WHEELS]):
        wheels[MOMENTUM, wheel] = wheels[KEPT_MOMENTUM, wheel]
        wheels[APPLIED, wheel] = wheels[KEPT_APPLIED, wheel]
        wheels[GAINED, wheel] = 0.0  # perhaps not finite
    for jet in range(counts[THRUSTERS]):
        if thrusters[MAX_RATE, jet] > 0.0:
            first, second = float(thrusters[ANGLES, jet]), float(thrusters[ANGLES + 1, jet])
            store_vector(thrusters, DIRECTION, jet, _direction_at(thrusters, jet, first, second))
    counts[IS_OPEN] = 0
    return 0


@inlined
def _stands_still(array: Array, counts: Integers, column: int) -> bool:
    """Whether a body is frozen, so that its actuators keep their state too."""
    return bool(counts[HAS_FROZEN] != 0 and array[FROZEN, column] > 0.0)


# valves, gimbals and tanks


@inlined
def _follow_valve(thrusters: Array, jet: int, until: float, dt: float) -> float:
    """Compute the mean level of a valve over a tick, in which its tank runs dry at `until`, and return the propellant used [kg]."""
    valve = Opening(
        float(thrusters[OPENS_IN, jet]), float(thrusters[OPEN_FOR, jet]), float(thrusters[LEVEL, jet]), 0.0, 0.0
    )
    stuck, tank = float(thrusters[STUCK, jet]), int(thrusters[TANK, jet])
    if not (valve.open_for > 0.0 or valve.level > 0.0 or stuck >= 0.0 or tank >= 0):
        if thrusters[IS_DRIVEN, jet] != 0.0:
            # its wrench is that of the throttle again; 2 means that this has changed
            thrusters[IS_DRIVEN, jet] = 2.0
        return 0.0
    rise_time, fall_time = float(thrusters[RISE_TIME, jet]), float(thrusters[FALL_TIME, jet])
    # a valve that shuts at once has only the level at which a pulse that followed would have gone on
    pulses = valve.open_for > 0.0 or (valve.level > 0.0 and fall_time > 0.0)
    valve = in_step_with_ticks(valve, dt)
    # the whole tick, for the state at its end
    after = level_after(valve, rise_time, fall_time, dt)
    area, moment = after.area, after.moment
    if until < dt:
        before = level_after(valve, rise_time, fall_time, until)
        area, moment = before.area, before.moment
    if stuck >= 0.0:
        area, moment = stuck * until, 0.5 * stuck * until * until
    elif not pulses:
        throttle = float(thrusters[THROTTLE, jet])
        area, moment = throttle * until, 0.5 * throttle * until * until
    if thrusters[ENABLED, jet] == 0.0:
        area = moment = 0.0
    mean = area / dt
    changed = thrusters[IS_DRIVEN, jet] != 1.0 or thrusters[MEAN, jet] != mean
    thrusters[IS_DRIVEN, jet] = 3.0 if changed else 1.0
    thrusters[MEAN, jet] = mean
    thrusters[LEAN, jet] = 2.0 * (moment / (dt * dt)) - mean
    thrusters[NEXT_OPENS_IN, jet] = after.opens_in
    thrusters[NEXT_OPEN_FOR, jet] = after.open_for
    thrusters[NEXT_LEVEL, jet] = after.level
    return area * _flow(thrusters, jet)


@inlined
def _flow(thrusters: Array, jet: int) -> float:
    """Propellant per second at full thrust [kg/s]; zero if the specific impulse is unknown."""
    specific_impulse = float(thrusters[SPECIFIC_IMPULSE, jet])
    if specific_impulse == 0.0:
        return 0.0
    return float(thrusters[MAX_FORCE, jet]) / (STANDARD_GRAVITY * specific_impulse)


@inlined
def _link_jet(thrusters: Array, tanks: Array, tank: int, jet: int) -> None:
    """Append a jet to those of its tank."""
    if tanks[FIRST_JET, tank] < 0.0:
        tanks[FIRST_JET, tank] = jet
    else:
        thrusters[NEXT_JET, int(tanks[LAST_JET, tank])] = jet
    tanks[LAST_JET, tank] = jet
    thrusters[NEXT_JET, jet] = -1.0


@inlined
def _run_dry(thrusters: Array, tanks: Array, tank: int, dt: float) -> None:
    """Find the moment at which a tank runs dry, and shut its jets then."""
    propellant = float(tanks[PROPELLANT, tank])
    low, high = 0.0, dt
    for halving in range(_BISECTIONS + 1):
        # the last time, to leave the jets as they are at the moment found
        until = 0.5 * (low + high) if halving < _BISECTIONS else low
        if _used_until(thrusters, int(tanks[FIRST_JET, tank]), until, dt) > propellant:
            high = until
        else:
            low = until
    tanks[USED, tank] = propellant
    tanks[UNTIL, tank] = low


@inlined
def _used_until(thrusters: Array, jet: int, until: float, dt: float) -> float:
    """Propellant that a jet and those linked after it use up to a moment in the tick, at which they are shut [kg]."""
    used = 0.0
    while jet >= 0:
        used += _follow_valve(thrusters, jet, until, dt)
        jet = int(thrusters[NEXT_JET, jet])
    return used


@inlined
def _store_valve(thrusters: Array, jet: int, dt: float) -> None:
    if thrusters[IS_DRIVEN, jet] != 0.0:
        area = dt * float(thrusters[MEAN, jet])
        # what a throttle gives without a tank is settled when it changes, and not in each tick
        if thrusters[TANK, jet] >= 0.0 or thrusters[STUCK, jet] >= 0.0 or thrusters[THROTTLE, jet] == 0.0:
            thrusters[IMPULSE, jet] += area * float(thrusters[MAX_FORCE, jet])
        thrusters[PROPELLANT_USED, jet] += area * _flow(thrusters, jet)
        thrusters[OPENS_IN, jet] = thrusters[NEXT_OPENS_IN, jet]
        thrusters[OPEN_FOR, jet] = thrusters[NEXT_OPEN_FOR, jet]
        thrusters[LEVEL, jet] = thrusters[NEXT_LEVEL, jet]
    if thrusters[MAX_RATE, jet] > 0.0:
        first, second = float(thrusters[NEXT_ANGLES, jet]), float(thrusters[NEXT_ANGLES + 1, jet])
        if first != thrusters[ANGLES, jet] or second != thrusters[ANGLES + 1, jet]:
            thrusters[ANGLES, jet], thrusters[ANGLES + 1, jet] = first, second
            store_vector(thrusters, DIRECTION, jet, _direction_at(thrusters, jet, first, second))
            if thrusters[IS_DRIVEN, jet] == 0.0:
                thrusters[IS_DRIVEN, jet] = 2.0


@inlined
def _turn_gimbal(thrusters: Array, jet: int, dt: float) -> None:
    """Turn a gimbal towards its command at most at its rate; the jet points to where it does in the middle of the tick."""
    reach = dt * float(thrusters[MAX_RATE, jet])
    if reach > 0.0:
        first, second = float(thrusters[ANGLES, jet]), float(thrusters[ANGLES + 1, jet])
        next_first = first + min(max(float(thrusters[COMMANDED_ANGLES, jet]) - first, -reach), reach)
        next_second = second + min(max(float(thrusters[COMMANDED_ANGLES + 1, jet]) - second, -reach), reach)
        thrusters[NEXT_ANGLES, jet], thrusters[NEXT_ANGLES + 1, jet] = next_first, next_second
        if next_first != first or next_second != second:
            middle = _direction_at(thrusters, jet, 0.5 * (first + next_first), 0.5 * (second + next_second))
            store_vector(thrusters, DIRECTION, jet, middle)
            if thrusters[IS_DRIVEN, jet] == 0.0:
                thrusters[IS_DRIVEN, jet] = 2.0


@inlined
def _direction_at(thrusters: Array, jet: int, first: float, second: float) -> Vector:
    """The direction of a jet on a gimbal, turned by the second angle and then by the first."""
    neutral = load_vector(thrusters, NEUTRAL, jet)
    outer = from_rotation_vector(scale(first, load_vector(thrusters, GIMBAL_AXES, jet)))
    inner = from_rotation_vector(scale(second, load_vector(thrusters, GIMBAL_AXES + 3, jet)))
    return rotate(outer, 2.0, rotate(inner, 2.0, neutral))


@inlined
def _lean(array: Array, column: int, thrusters: Array, jet: int, duration: float) -> None:
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
def _damp(array: Array, column: int, thrusters: Array, tanks: Array, jet: int, dt: float) -> None:
    """Half a step of the jet damping of one jet on the body in a column, by the midpoint rule."""
    if not _has_damping(thrusters, tanks, jet):
        return
    tank = int(thrusters[TANK, jet])
    center = load_vector(array, CENTER_OF_MASS, column)
    flow = float(thrusters[MEAN, jet]) * _flow(thrusters, jet)
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
def _has_damping(thrusters: Array, tanks: Array, jet: int) -> bool:
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


# wheels


@inlined
def _speed(array: Array, column: int, wheels: Array, wheel: int, momentum: float) -> float:
    """The speed of a wheel with a momentum relative to its body, which is in a column [rad/s]."""
    along = dot(load_vector(wheels, WHEEL_AXIS, wheel), load_vector(array, ANGULAR_VELOCITY, column))
    return momentum / float(wheels[WHEEL_INERTIA, wheel]) - along


@inlined
def _rub_alone(array: Array, wheels: Array, wheel: int, duration: float) -> None:
    """Let the friction of a wheel act alone for a time on the wheel and its body."""
    if wheels[FRICTION, wheel] != 0.0:
        column = int(wheels[BODY, wheel])
        gained = _rub(array, column, wheels, wheel, float(wheels[MOMENTUM, wheel]), duration)
        wheels[MOMENTUM, wheel] += gained
        add_to_vector(array, STORED_MOMENTUM, column, scale(gained, load_vector(wheels, WHEEL_AXIS, wheel)))


@inlined
def _rub(array: Array, column: int, wheels: Array, wheel: int, momentum: float, duration: float) -> float:
    """Let the friction of a wheel with a momentum act alone on its body for a time, exactly, and return what the wheel gains.

    The speed decays, and the body, which is in a column, takes what the wheel loses.
    """
    friction = float(wheels[FRICTION, wheel])
    axis, moment = load_vector(wheels, WHEEL_AXIS, wheel), float(wheels[WHEEL_INERTIA, wheel])
    turn = apply_symmetric(load_symmetric(array, INVERSE_INERTIA, column), axis)
    mobility = 1.0 / moment + dot(axis, turn)
    speed = _speed(array, column, wheels, wheel, momentum)
    gained = -_lost_share(friction * mobility * duration) * speed / mobility
    add_to_vector(array, ANGULAR_VELOCITY, column, scale(-gained, turn))
    return gained


@inlined
def _lost_share(x: float) -> float:
    """``1 − exp(−x)``, without cancellation for small x, where the series is exact to an ulp."""
    if x < 1e-3:
        return x * (1.0 - x / 2.0 * (1.0 - x / 3.0 * (1.0 - x / 4.0)))
    return 1.0 - exponential(-x)


@inlined
def _choose_motor_torque(array: Array, driven: Array, wheels: Array, wheel: int, dt: float) -> None:
    """The commanded torque, as far as it keeps the speed within its limit at the end of the tick."""
    torque = float(wheels[TORQUE, wheel]) if wheels[ENABLED, wheel] != 0.0 else 0.0
    if torque != 0.0:
        speed = _speed(array, int(wheels[BODY, wheel]), wheels, wheel, float(wheels[MOMENTUM, wheel]))
        limit = float(wheels[MAX_SPEED, wheel])
        per_speed = float(wheels[WHEEL_INERTIA, wheel]) / dt
        if torque > 0.0:
            torque = min(torque, max(0.0, (limit - speed) * per_speed))
        else:
            torque = max(torque, min(0.0, (-limit - speed) * per_speed))
    if torque != wheels[APPLIED, wheel]:
        wheels[APPLIED, wheel] = torque
        driven[IS_STALE, int(wheels[WHEEL_DRIVEN, wheel])] = 1.0


@inlined
def sum_stored(array: Array, wheels: Array, count: int) -> None:
    """Set the stored momentum of every body with wheels to that of its wheels."""
    for wheel in range(count):
        store_vector(array, STORED_MOMENTUM, int(wheels[BODY, wheel]), (0.0, 0.0, 0.0))
    for wheel in range(count):
        momentum = scale(float(wheels[MOMENTUM, wheel]), load_vector(wheels, WHEEL_AXIS, wheel))
        add_to_vector(array, STORED_MOMENTUM, int(wheels[BODY, wheel]), momentum)


# mass properties


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
def _store_previous_rates(array: Array, column: int, driven: Array, row: int) -> None:
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


# kernels


@kernel("compose")
def compose(array: Array, driven: Array, wheels: Array, tanks: Array, counts: Integers) -> int:
    """Compute the mass properties of the bodies marked as flowing between two ticks; see `compose_flowing`."""
    for tank in range(counts[TANKS]):
        tanks[ACTING, tank] = tanks[PROPELLANT, tank]
    return compose_flowing(array, driven, wheels, tanks, counts, True)


@kernel("sum-wheels")
def sum_wheels(array: Array, wheels: Array, counts: Integers) -> int:
    """Set the stored momentum of every body with wheels to that of its wheels."""
    sum_stored(array, wheels, counts[WHEELS])
    return 0


@kernel("end-kicks")
def end_kicks(
    own: Array,
    stages: Array,
    places: Integers,
    thrusters: Array,
    wheels: Array,
    tanks: Array,
    counts: Integers,
    first: int,
    last: int,
    kept: int,
    each: int,
    dt: float,
) -> int:
    """Kick the bodies of islands, in a range of places, by their actuators at the end of a tick, as part of the second kick.

    These are the kicks of `settle`, which then leaves them out. Like other forces that depend on the rates, friction and jet
    damping are those of the velocities at the end of the tick, when they fit the joints, less these kicks themselves. The velocities are
    found in several tries, of which this one has the number `each`.

    Args:
        own: The bodies by place, with their velocities before the second kick, which are replaced.
        stages: The velocities after the last try, or for the first try those before the kick; replaced by those without these kicks.
        places: The place of the body in each column of the world, or -1.
        thrusters: The table of thrusters.
        wheels: The table of wheels.
        tanks: The table of tanks.
        counts: The rows of the tables; see `gather`.
        first: The first place.
        last: The place after the last one.
        kept: The row of `stages` for the change of velocity and angular velocity in the last try, and the mark of places at which any of
            these kicks depends on the rates, so that another try is necessary.
        each: The number of the try, from 0.
        dt: Length of the tick [s].

    Returns:
        Whether any place is marked.
    """
    depends_on_rates = 0
    for place in range(first, last):
        stages[kept + 6, place] = 0.0
        for row in range(6):
            if each > 0:
                stages[VELOCITY + row, place] -= stages[kept + row, place]
            stages[kept + row, place] = own[VELOCITY + row, place]
            own[VELOCITY + row, place] = stages[VELOCITY + row, place]
    for back in range(counts[THRUSTERS]):
        jet = counts[THRUSTERS] - 1 - back
        place = places[int(thrusters[BODY, jet])]
        if thrusters[IS_DRIVEN, jet] != 0.0 and first <= place < last:
            _lean(own, place, thrusters, jet, 0.5 * dt)
            _damp(own, place, thrusters, tanks, jet, dt)
            thrusters[HAS_KICKED, jet] = 1.0
            if _has_damping(thrusters, tanks, jet):
                stages[kept + 6, place] = 1.0
                depends_on_rates = 1
    for back in range(counts[WHEELS]):
        wheel = counts[WHEELS] - 1 - back
        place = places[int(wheels[BODY, wheel])]
        if wheels[FRICTION, wheel] != 0.0 and first <= place < last:
            momentum = float(wheels[MOMENTUM, wheel]) + dt * float(wheels[APPLIED, wheel])
            wheels[GAINED, wheel] = _rub(own, place, wheels, wheel, momentum, 0.5 * dt)
            wheels[WHEEL_HAS_KICKED, wheel] = 1.0
            stages[kept + 6, place] = 1.0
            depends_on_rates = 1
    for place in range(first, last):
        for row in range(6):
            before = float(stages[kept + row, place])
            stages[kept + row, place] = own[VELOCITY + row, place] - stages[VELOCITY + row, place]
            own[VELOCITY + row, place] = before + float(stages[kept + row, place])
    return depends_on_rates


DRIVE, GATHER, SETTLE, UNDO_DRIVE = range(4)
"""Indices into the plan of `begin_driven`, of the addresses of the kernels that it calls."""


COUNTS, STALE_BODIES = 4, 4 + COUNTED
"""Where the counts of rows (see `gather`) and the stale bodies begin in the plan of `begin_driven`.

The plan begins with the addresses of the kernels. It has room for as many stale bodies as there may be driven ones. After them follow, for
each column of the bodies, a mark, which is zero before and after, and then the driven row (see `drive`).
"""


@kernel("begin-driven")
def begin_driven(packed: Packed, operand: int, ticks_left: int) -> int:
    """The operation before the move: drive the actuators, and gather the held wrench where it has changed, or everywhere (`operand` is 1).

    Packed are the bodies (their array, its control, their number); the tables of driven bodies, thrusters, wheels, tanks, gravities,
    constant forces and pushes; the counts with which the held wrench was last gathered, and the numbers that `COUNTS` and `STALE_BODIES`
    describe; and the length of a tick [s].
    """
    bodies, tables, numbers, dt = unpack(packed)
    array, control, body_count = bodies
    driven, thrusters, wheels, tanks, gravities, constants, pushes = tables
    held, plan = numbers
    if is_other_mode(control):
        control[BAD] = OTHER_MODE
        return OTHER_MODE
    counts, capacity = plan[COUNTS : COUNTS + COUNTED], driven.shape[1]
    after_stale, pitch = STALE_BODIES + capacity, array.shape[1]
    stale, marks = plan[STALE_BODIES:after_stale], plan[after_stale : after_stale + pitch]
    owners = plan[after_stale + pitch :]
    counts[PUSHES] = held[PUSHES]
    found = call(plan[DRIVE], (array, driven, thrusters, wheels, tanks, counts, stale, owners, dt))
    if found > 0 or (found == 0 and operand == 1):
        counts[STALE] = -1 if operand == 1 else found
        contributions = (gravities, constants, thrusters, pushes, wheels)
        _ = call(plan[GATHER], (array, body_count, *contributions, counts, stale, marks))
    return 0 if found < 0 else 1


@kernel("end-driven")
def end_driven(packed: Packed, operand: int, ticks_left: int) -> int:
    """The operation after the move: bring the actuators to the end of the tick; tensors are due at the end of each step of a tick (1)."""
    bodies, tables, numbers, dt = unpack(packed)
    array, control, _body_count = bodies
    driven, thrusters, wheels, tanks, _gravities, _constants, _pushes = tables
    plan = numbers[1]
    counts = plan[COUNTS : COUNTS + COUNTED]
    bad = call(plan[SETTLE], (array, driven, thrusters, wheels, tanks, counts, dt, ticks_left == 1 or operand == 1))
    if bad >= 0:
        control[BAD] = bad
        return 0
    counts[IS_OPEN] = 0
    return 1


@kernel("undo-driven")
def undo_driven(packed: Packed, start: int, unused: int) -> int:
    """Undo what `begin_driven` has done, unless the tick has ended."""
    bodies, tables, numbers, _dt = unpack(packed)
    driven, thrusters, wheels, tanks, _gravities, _constants, _pushes = tables
    plan = numbers[1]
    return call(plan[UNDO_DRIVE], (bodies[0], driven, thrusters, wheels, tanks, plan[COUNTS : COUNTS + COUNTED]))


@kernel("undo-parts")
def undo_parts(packed: Packed, start: int, unused: int) -> int:
    """Compute the mass properties anew after all parts have been put back, and forget a step that was begun."""
    array, driven, wheels, tanks, counts = unpack(packed)
    for row in range(counts[DRIVEN]):
        if driven[IS_FLOWING, row] != REFUSED:  # why the tick did not end, which Python has yet to say
            driven[IS_FLOWING, row] = 1.0
    for tank in range(counts[TANKS]):
        tanks[ACTING, tank] = tanks[PROPELLANT, tank]
    _ = compose_flowing(array, driven, wheels, tanks, counts, True)
    counts[IS_OPEN] = 0
    return 1
