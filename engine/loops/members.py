"""Kernels that work between two ticks on adjacent rows of many bodies, such as those of all members of a batch."""

from ..compilation.compiler import assume_separate_rows, from_column, inlined, kernel, use_widest_vectors
from ..kernels.selection import choose
from .actuator_layout import BODY, ENABLED, IMPULSE, MAX_FORCE, SETTLED_TICK, STUCK, TANK, THROTTLE
from .columns import Array, Integers


@inlined
def thrust_of_throttle(enabled: float, throttle: float, max_force: float, stuck: float, tank: float) -> float:
    """The thrust of a throttle [N], whose impulse grows at this rate without the tick counting it; zero with a tank or a stuck valve."""
    return choose(enabled > 0.0 and stuck < 0.0 and tank < 0.0, throttle * max_force, 0.0)


@inlined
def impulse_at(impulse: float, thrust: float, settled_tick: float, tick: float, dt: float) -> float:
    """The impulse of a jet at a tick [N·s], which its throttle has increased since the tick up to which it was counted."""
    return impulse + choose(thrust != 0.0, thrust * ((tick - settled_tick) * dt), 0.0)


@kernel("settle-throttles")
def settle_throttles(
    thrusters: Array,
    first: int,
    changed: int,
    values: Array,
    tick: float,
    stood: Array,
    dt: float,
    settled: Array,
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
        settled: Filled with the impulses, the ticks up to which these count and the new values, and in three more rows with what
            stands in the table now, shape (6, jets).

    Returns:
        The number of jets whose numbers have changed.
    """
    assume_separate_rows()
    use_widest_vectors()
    jets, found = from_column(thrusters, first), 0
    if stood.shape[0] == 0:
        for place in range(values.shape[0]):
            found += _settle(jets, place, changed, float(values[place]), tick, dt, settled)
        return found
    for place in range(values.shape[0]):
        since = float(stood[int(jets[BODY, place])])
        now = choose(since >= 0.0, since, tick)
        found += _settle(jets, place, changed, float(values[place]), now, dt, settled)
    return found


@inlined
def _settle(jets: Array, place: int, changed: int, value: float, now: float, dt: float, settled: Array) -> int:
    """Do this for one jet, and return 1 if its numbers change."""
    enabled, throttle = float(jets[ENABLED, place]), float(jets[THROTTLE, place])
    max_force, stuck, tank = float(jets[MAX_FORCE, place]), float(jets[STUCK, place]), float(jets[TANK, place])
    thrust = thrust_of_throttle(enabled, throttle, max_force, stuck, tank)
    after = thrust_of_throttle(
        choose(changed == ENABLED, value, enabled),
        choose(changed == THROTTLE, value, throttle),
        choose(changed == MAX_FORCE, value, max_force),
        choose(changed == STUCK, value, stuck),
        tank,
    )
    impulse, until = float(jets[IMPULSE, place]), float(jets[SETTLED_TICK, place])
    is_due = changed < 0 or after != thrust
    settled[0, place] = choose(is_due, impulse_at(impulse, thrust, until, now, dt), impulse)
    settled[1, place] = choose(is_due, now, until)
    settled[2, place] = value
    settled[3, place] = impulse
    settled[4, place] = until
    settled[5, place] = jets[choose(changed < 0, THROTTLE, changed), place]
    return 1 if is_due else 0


@kernel("read-blocks")
def read_blocks(array: Array, places: Integers, members: Integers, found: Array) -> None:
    """Read components of some members of blocks of adjacent rows.

    Args:
        array: A table.
        places: A component and the row of the first member per block, shape (k, 2).
        members: The members, shape (m,).
        found: Where the values are written, shape (k, m).
    """
    assume_separate_rows()
    for block in range(places.shape[0]):
        component, first = int(places[block, 0]), int(places[block, 1])
        for place in range(members.shape[0]):
            found[block, place] = array[component, first + int(members[place])]


@kernel("write-blocks")
def write_blocks(array: Array, places: Integers, members: Integers, values: Array) -> None:
    """Write components of some members of blocks of adjacent rows.

    Args:
        array: A table.
        places: A component and the row of the first member per block, shape (k, 2).
        members: The members, shape (m,).
        values: The values, shape (k, m), or (k, 1) for all members alike.
    """
    assume_separate_rows()
    spread = 0 if values.shape[1] == 1 else 1
    for block in range(places.shape[0]):
        component, first = int(places[block, 0]), int(places[block, 1])
        for place in range(members.shape[0]):
            array[component, first + int(members[place])] = values[block, spread * place]
