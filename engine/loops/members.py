"""Kernels that work between two ticks on adjacent rows of many bodies, such as those of all members of a batch."""

from ..compilation.compiler import inlined, kernel
from .actuator_layout import BODY, ENABLED, IMPULSE, MAX_FORCE, SETTLED_TICK, STUCK, TANK, THROTTLE
from .columns import Array


@inlined
def thrust_of_throttle(enabled: float, throttle: float, max_force: float, stuck: float, tank: float) -> float:
    """The thrust of a throttle [N], whose impulse grows at this rate without the tick counting it; zero with a tank or a stuck valve."""
    return throttle * max_force if enabled > 0.0 and stuck < 0.0 and tank < 0.0 else 0.0


@inlined
def impulse_at(impulse: float, thrust: float, settled_tick: float, tick: float, dt: float) -> float:
    """The impulse of a jet at a tick [N·s], which its throttle has increased since the tick up to which it was counted."""
    return impulse + thrust * ((tick - settled_tick) * dt) if thrust != 0.0 else impulse


@kernel("settle-throttles")
def settle_throttles(
    thrusters: Array, first: int, changed: int, values: Array, tick: float, stood: Array, dt: float, settled: Array
) -> int:
    """Add to the impulses of adjacent jets what their throttles have given so far, where a change alters their thrust.

    Args:
        thrusters: The table of thrusters.
        first: The row of the first jet.
        changed: The component that is about to change; -1 to add all of them up to now.
        values: The new values, one per jet.
        tick: The number of the present tick.
        stood: The tick since which each body is frozen, or -1; without elements if none is.
        dt: Length of a tick [s].
        settled: Filled with the impulses and the ticks up to which these count, shape (2, jets).

    Returns:
        The number of jets whose numbers have changed.
    """
    found = 0
    for place in range(settled.shape[1]):
        jet = first + place
        enabled, throttle = float(thrusters[ENABLED, jet]), float(thrusters[THROTTLE, jet])
        max_force, stuck = float(thrusters[MAX_FORCE, jet]), float(thrusters[STUCK, jet])
        tank, value = float(thrusters[TANK, jet]), float(values[place])
        thrust = thrust_of_throttle(enabled, throttle, max_force, stuck, tank)
        after = thrust_of_throttle(
            value if changed == ENABLED else enabled,
            value if changed == THROTTLE else throttle,
            value if changed == MAX_FORCE else max_force,
            value if changed == STUCK else stuck,
            tank,
        )
        impulse, until = float(thrusters[IMPULSE, jet]), float(thrusters[SETTLED_TICK, jet])
        if changed < 0 or after != thrust:
            now = tick
            if stood.shape[0] > 0 and stood[int(thrusters[BODY, jet])] >= 0.0:
                now = float(stood[int(thrusters[BODY, jet])])
            impulse, until = impulse_at(impulse, thrust, until, now, dt), now
            found += 1
        settled[0, place], settled[1, place] = impulse, until
    return found
