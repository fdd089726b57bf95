"""Kernels that work between two ticks on adjacent rows of many bodies, such as those of all members of a batch."""

import numpy as np

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
        settled: Filled with the impulses, the ticks up to which these count and the new values, and in three more rows, if there are
            any, with what stands in the table now, shape (3, jets) or (6, jets).

    Returns:
        The number of jets whose numbers have changed.
    """
    assume_separate_rows()
    use_widest_vectors()
    jets, found = from_column(thrusters, first), 0
    if settled.shape[0] > 3:
        present = THROTTLE if changed < 0 else changed
        for place in range(values.shape[0]):
            settled[3, place] = jets[IMPULSE, place]
            settled[4, place] = jets[SETTLED_TICK, place]
            settled[5, place] = jets[present, place]
    if stood.shape[0] == 0:
        for place in range(values.shape[0]):
            found += _settle(jets, place, changed, float(values[place]), tick, dt, settled)
        return found
    for place in range(values.shape[0]):
        since = float(stood[int(jets[BODY, place])])
        now = choose(since >= 0.0, since, tick)
        found += _settle(jets, place, changed, float(values[place]), now, dt, settled)
    return found


_JETS = 512
"""Jets whose numbers are found and then written together, so that they stay in the cache meanwhile."""


@kernel("settle-adjacent")
def settle_adjacent(
    thrusters: Array, first: int, changed: int, values: Array, tick: float, stood: Array, dt: float, found: Array
) -> None:
    """Set a component of adjacent jets, and add to their impulses what their throttles have given so far where this alters their thrust.

    Args:
        thrusters: The table of thrusters.
        first: The row of the first jet.
        changed: The component.
        values: The new values, shape (1, jets).
        tick: The number of the present tick.
        stood: The tick since which each body is frozen, or -1; without elements if none is.
        dt: Length of a tick [s].
        found: Room for some jets, shape (3, k).
    """
    assume_separate_rows()
    use_widest_vectors()
    begin, end, most = 0, values.shape[1], found.shape[1]
    while begin < end:
        jets, given, count = from_column(thrusters, first + begin), from_column(values, begin), min(most, end - begin)
        if stood.shape[0] == 0:
            for place in range(count):
                _settle(jets, place, changed, float(given[0, place]), tick, dt, found)
        else:
            for place in range(count):
                since = float(stood[int(jets[BODY, place])])
                now = choose(since >= 0.0, since, tick)
                _settle(jets, place, changed, float(given[0, place]), now, dt, found)
        for place in range(count):
            jets[IMPULSE, place] = found[0, place]
        for place in range(count):
            jets[SETTLED_TICK, place] = found[1, place]
        for place in range(count):
            jets[changed, place] = found[2, place]
        begin += count


def room_for_jets() -> Array:
    """Make what `settle_adjacent` needs for its own use."""
    return np.empty((3, _JETS))


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
    return 1 if is_due else 0


_BLOCK = 128
"""Members whose values are taken together, so that they stay in the cache."""


@kernel("take-columns")
def take_columns(given: Array, lowest: float, highest: float, columns: Array) -> int:
    """Take one number or several of each member, so that those of one place are adjacent.

    Args:
        given: The numbers, float64 or float32, shape (n, k).
        lowest: The smallest number that is allowed.
        highest: The largest one.
        columns: Filled with them, shape (k, n).

    Returns:
        How many of them are not allowed, or not numbers.
    """
    assume_separate_rows()
    wrong, count = 0, given.shape[0]
    for first in range(0, count, _BLOCK):
        last = min(first + _BLOCK, count)
        for place in range(given.shape[1]):
            for member in range(first, last):
                value = float(given[member, place])
                columns[place, member] = value
                wrong += 0 if lowest <= value <= highest else 1
    return wrong


@kernel("read-columns")
def read_columns(array: Array, component: int, first: int, values: Array) -> None:
    """Read adjacent components of adjacent rows, which are those of all members.

    Args:
        array: A table.
        component: The first component.
        first: The row of the first member.
        values: Filled with them, shape (n, k).
    """
    assume_separate_rows()
    rows = from_column(array, first)
    for member in range(values.shape[0]):
        for place in range(values.shape[1]):
            values[member, place] = rows[component + place, member]


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


@kernel("write-adjacent")
def write_adjacent(array: Array, places: Integers, first: int, values: Array) -> None:
    """Write components of adjacent rows.

    Args:
        array: A table.
        places: A component and the row from which rows are counted per component, shape (k, 2).
        first: The first row.
        values: The values, shape (k, m).
    """
    assume_separate_rows()
    for block in range(places.shape[0]):
        component, begin = int(places[block, 0]), int(places[block, 1]) + first
        rows = from_column(array, begin)
        for place in range(values.shape[1]):
            rows[component, place] = values[block, place]
