"""Valves and gimbals over a tick, and tanks that run dry in it."""

from ..compilation.compiler import inlined
from ..kernels.quaternions import from_rotation_vector, rotate
from ..kernels.valve import Opening, in_step_with_ticks, level_after
from ..kernels.vectors import Vector, scale
from .actuator_layout import (
    ANGLES,
    COMMANDED_ANGLES,
    DIRECTION,
    ENABLED,
    FALL_TIME,
    FIRST_JET,
    GIMBAL_AXES,
    IMPULSE,
    IS_DRIVEN,
    LAST_JET,
    LEAN,
    LEVEL,
    MAX_FORCE,
    MAX_RATE,
    MEAN,
    NEUTRAL,
    NEXT_ANGLES,
    NEXT_JET,
    NEXT_LEVEL,
    NEXT_OPEN_FOR,
    NEXT_OPENS_IN,
    OPEN_FOR,
    OPENS_IN,
    PROPELLANT,
    PROPELLANT_USED,
    RISE_TIME,
    SPECIFIC_IMPULSE,
    STANDARD_GRAVITY,
    STUCK,
    TANK,
    THROTTLE,
    UNTIL,
    USED,
)
from .columns import Array, load_vector, store_vector

_BISECTIONS = 60
"""Halvings of a tick to find the moment at which a tank runs dry."""


@inlined
def follow_valve(thrusters: Array, jet: int, until: float, dt: float) -> float:
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
    return area * flow_of(thrusters, jet)


@inlined
def flow_of(thrusters: Array, jet: int) -> float:
    """Propellant per second at full thrust [kg/s]; zero if the specific impulse is unknown."""
    specific_impulse = float(thrusters[SPECIFIC_IMPULSE, jet])
    if specific_impulse == 0.0:
        return 0.0
    return float(thrusters[MAX_FORCE, jet]) / (STANDARD_GRAVITY * specific_impulse)


@inlined
def link_jet(thrusters: Array, tanks: Array, tank: int, jet: int) -> None:
    """Append a jet to those of its tank."""
    if tanks[FIRST_JET, tank] < 0.0:
        tanks[FIRST_JET, tank] = jet
    else:
        thrusters[NEXT_JET, int(tanks[LAST_JET, tank])] = jet
    tanks[LAST_JET, tank] = jet
    thrusters[NEXT_JET, jet] = -1.0


@inlined
def run_dry(thrusters: Array, tanks: Array, tank: int, dt: float) -> None:
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
        used += follow_valve(thrusters, jet, until, dt)
        jet = int(thrusters[NEXT_JET, jet])
    return used


@inlined
def store_valve(thrusters: Array, jet: int, dt: float) -> None:
    if thrusters[IS_DRIVEN, jet] != 0.0:
        area = dt * float(thrusters[MEAN, jet])
        # what a throttle gives without a tank is settled when it changes, and not in each tick
        if thrusters[TANK, jet] >= 0.0 or thrusters[STUCK, jet] >= 0.0 or thrusters[THROTTLE, jet] == 0.0:
            thrusters[IMPULSE, jet] += area * float(thrusters[MAX_FORCE, jet])
        thrusters[PROPELLANT_USED, jet] += area * flow_of(thrusters, jet)
        thrusters[OPENS_IN, jet] = thrusters[NEXT_OPENS_IN, jet]
        thrusters[OPEN_FOR, jet] = thrusters[NEXT_OPEN_FOR, jet]
        thrusters[LEVEL, jet] = thrusters[NEXT_LEVEL, jet]
    if thrusters[MAX_RATE, jet] > 0.0:
        first, second = float(thrusters[NEXT_ANGLES, jet]), float(thrusters[NEXT_ANGLES + 1, jet])
        if first != thrusters[ANGLES, jet] or second != thrusters[ANGLES + 1, jet]:
            thrusters[ANGLES, jet], thrusters[ANGLES + 1, jet] = first, second
            store_vector(thrusters, DIRECTION, jet, direction_at(thrusters, jet, first, second))
            if thrusters[IS_DRIVEN, jet] == 0.0:
                thrusters[IS_DRIVEN, jet] = 2.0


@inlined
def turn_gimbal(thrusters: Array, jet: int, dt: float) -> None:
    """Turn a gimbal towards its command at most at its rate; the jet points to where it does in the middle of the tick."""
    reach = dt * float(thrusters[MAX_RATE, jet])
    if reach > 0.0:
        first, second = float(thrusters[ANGLES, jet]), float(thrusters[ANGLES + 1, jet])
        next_first = first + min(max(float(thrusters[COMMANDED_ANGLES, jet]) - first, -reach), reach)
        next_second = second + min(max(float(thrusters[COMMANDED_ANGLES + 1, jet]) - second, -reach), reach)
        thrusters[NEXT_ANGLES, jet], thrusters[NEXT_ANGLES + 1, jet] = next_first, next_second
        if next_first != first or next_second != second:
            middle = direction_at(thrusters, jet, 0.5 * (first + next_first), 0.5 * (second + next_second))
            store_vector(thrusters, DIRECTION, jet, middle)
            if thrusters[IS_DRIVEN, jet] == 0.0:
                thrusters[IS_DRIVEN, jet] = 2.0


@inlined
def direction_at(thrusters: Array, jet: int, first: float, second: float) -> Vector:
    """The direction of a jet on a gimbal, turned by the second angle and then by the first."""
    neutral = load_vector(thrusters, NEUTRAL, jet)
    outer = from_rotation_vector(scale(first, load_vector(thrusters, GIMBAL_AXES, jet)))
    inner = from_rotation_vector(scale(second, load_vector(thrusters, GIMBAL_AXES + 3, jet)))
    return rotate(outer, 2.0, rotate(inner, 2.0, neutral))
